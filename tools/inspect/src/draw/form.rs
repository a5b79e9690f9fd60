//! The form of drawn triangles: their normals, their extent on the screen, a light for what a
//! program draws in one color.
//! In: triangles in clip space, the view of their draw. Out: values that no program computes.

use std::collections::HashMap;

use super::Triangle;
use super::guess::Camera;
use super::mesh::{Vector, cross, dot, minus, unit};

/// Towards the light, in the space of the eye.
const LIGHT: Vector = [-0.42, 0.61, 0.67];

/// Brightness of what turns away from the light.
const SHADE: f32 = 0.35;

/// Difference between components up to which colors are one.
const ALIKE: f32 = 0.02;

/// Triangles of a place whose normals are kept, so that work is bounded.
const MOST_NEIGHBORS: usize = 32;

/// Part of the picture that a framed draw takes.
const FILLED: f64 = 0.9;

/// Least and greatest x and y on the screen, where -1..1 is visible.
pub type Extent = [[f64; 2]; 2];

/// Returns the extent of triangles, or `None` for an empty list, or with a corner not in front of
/// the viewer.
pub fn extent(triangles: &[Triangle]) -> Option<Extent> {
    let mut extent: Option<Extent> = None;
    for [[x, y, _, w], _] in triangles.as_flattened().iter().copied() {
        let place = [x / w, y / w].map(f64::from);
        if w <= 0.0 || !place.iter().all(|x| x.is_finite()) {
            return None;
        }
        extent = Some(joined(extent, [place; 2]));
    }
    extent
}

/// Returns the extent of both.
pub fn joined(a: Option<Extent>, b: Extent) -> Extent {
    let [low, high] = a.unwrap_or(b);
    [std::array::from_fn(|k| low[k].min(b[0][k])), std::array::from_fn(|k| high[k].max(b[1][k]))]
}

/// Returns the scale and then the shift of the screen that put an extent into its middle.
pub fn framing([low, high]: Extent) -> (f64, [f64; 2]) {
    let half = (0..2).map(|k| (high[k] - low[k]) / 2.0).fold(0.0, f64::max);
    let scale = (FILLED / half).clamp(0.05, 8.0);
    (scale, std::array::from_fn(|k| -scale * (low[k] + high[k]) / 2.0))
}

/// Returns a unit normal for each corner, towards the viewer, in the space of the eye: the mean
/// over triangles at the same place that lie within 60 degrees.
fn normals(triangles: &[Triangle], view: &Camera) -> Vec<[Vector; 3]> {
    let places = |triangle: &Triangle| triangle.map(|[position, _]| view.eye(position));
    // Close places are one: the seam of a closed mesh. Range: casts of floats saturate.
    let key = |place: Vector| place.map(|x| (x * 1024.0).round() as i32);
    let own = |[a, b, c]: [Vector; 3]| unit(cross(minus(b, a), minus(c, a)));
    let mut around: HashMap<[i32; 3], Vec<Vector>> = HashMap::new();
    for places in triangles.iter().map(places) {
        for (place, normal) in places.into_iter().zip(std::iter::repeat(own(places))) {
            let list = around.entry(key(place)).or_default();
            list.extend(normal.filter(|_| list.len() < MOST_NEIGHBORS));
        }
    }
    let of_triangle = |triangle: &Triangle| {
        let places = places(triangle);
        let Some(own) = own(places) else { return [[0.0, 0.0, 1.0]; 3] };
        let side = if dot(own, places[0]) > 0.0 { -1.0 } else { 1.0 };
        places.map(|place| {
            let near = around[&key(place)].iter().filter(|&&other| dot(other, own) > 0.5);
            let sum = near.fold([0.0; 3], |sum, other| std::array::from_fn(|k| sum[k] + other[k]));
            unit(sum).unwrap_or(own).map(|x| side * x)
        })
    };
    triangles.iter().map(of_triangle).collect()
}

/// Changes each shown value by the normal of its corner.
fn by_normal(triangles: &mut [Triangle], view: &Camera, change: impl Fn(&mut [f32; 4], Vector)) {
    let normals = normals(triangles, view);
    for ([_, value], normal) in triangles.as_flattened_mut().iter_mut().zip(normals.into_iter().flatten()) {
        change(value, normal);
    }
}

/// Replaces the shown values by the normals.
pub fn show_normals(triangles: &mut [Triangle], view: &Camera) {
    by_normal(triangles, view, |value, [x, y, z]| *value = [x, y, z, 1.0]);
}

/// Returns whether all shown values have one color.
fn is_even(triangles: &[Triangle]) -> bool {
    let mut values = triangles.as_flattened().iter().map(|[_, value]| value.map(|x| x.clamp(0.0, 1.0)));
    let Some(first) = values.next() else { return false };
    values.all(|value| (0..3).all(|k| (value[k] - first[k]).abs() <= ALIKE))
}

/// Lights triangles if their colors are one, so that their form is seen. Returns whether it did.
pub fn light(triangles: &mut [Triangle], view: &Camera) -> bool {
    if !is_even(triangles) {
        return false;
    }
    by_normal(triangles, view, |value, normal| {
        let along: f32 = normal.iter().zip(LIGHT).map(|(a, b)| a * b).sum();
        let bright = SHADE + (1.0 - SHADE) * along.max(0.0);
        value[..3].iter_mut().for_each(|x| *x = x.clamp(0.0, 1.0) * bright);
    });
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::{Corner, Size};

    /// Returns a square at depth `z` in front of the eye, tilted by `slope`.
    fn square(view: &Camera, slope: f32) -> Vec<Triangle> {
        let corner = |x: f32, y: f32| -> Corner {
            let z = -3.0 + slope * x;
            let position = view.clip([x, y, z]);
            assert!(view.eye(position).iter().zip([x, y, z]).all(|(a, b)| (a - b).abs() < 1e-4));
            [position, [0.5, 0.25, 0.0, 1.0]]
        };
        let [a, b, c, d] = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
        vec![[a, b, c], [a, d, c]]
    }

    #[test]
    fn one_color_is_lit_by_normals_and_others_are_not() {
        let view = Camera::new(Size::SCREEN, 0.0);
        let (mut level, mut turned) = (square(&view, 0.0), square(&view, 1.0));
        assert!(light(&mut level, &view) && light(&mut turned, &view));
        let red = |triangles: &[Triangle]| triangles[1][2][1][0];
        assert!(red(&turned) > red(&level) && red(&level) > 0.2, "{} {}", red(&turned), red(&level));
        show_normals(&mut level, &view);
        // Both triangles look at the viewer, whatever their order of corners.
        for [_, value] in level.as_flattened() {
            assert!((value[2] - 1.0).abs() < 1e-4, "{value:?}");
        }
        level[0][0][1] = [0.0; 4];
        assert!(!light(&mut level, &view) && !light(&mut [], &view));
    }

    #[test]
    fn a_framed_draw_fills_the_picture() {
        let mut view = Camera::new(Size::SCREEN, 0.0);
        for _ in 0..2 {
            let seen = extent(&square(&view, 0.3)).expect("in front");
            view = view.framed(framing(seen));
        }
        let [low, high] = extent(&square(&view, 0.3)).expect("in front");
        let widest = (0..2).map(|k| high[k] - low[k]).fold(0.0, f64::max);
        assert!((widest - 2.0 * FILLED).abs() < 1e-3 && (low[0] + high[0]).abs() < 1e-3, "{low:?} {high:?}");
        let mut behind = square(&view, 0.3);
        behind[0][0][0][3] = -1.0;
        assert_eq!((extent(&behind), extent(&[])), (None, None));
    }

    #[test]
    fn any_positions_have_normals() {
        let hard = [0.0, -1.0, 1e38, f32::INFINITY, f32::NAN, -1e-45];
        let view = Camera::new(Size::SCREEN, 0.0);
        for a in hard {
            for b in hard {
                let mut triangles = [[[[a, b, a, b], [0.5; 4]], [[b; 4], [0.5; 4]], [[a; 4], [0.5; 4]]]];
                assert!(light(&mut triangles, &view));
            }
        }
    }
}
