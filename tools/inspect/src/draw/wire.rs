//! Triangles as their edges.
//! In: triangles. Out: thin triangles along the edges, as wide everywhere on the screen, so that
//! any rasterizer draws them.

use super::{Corner, Size, Triangle};

/// Half the width of a line in pixels.
const HALF: f32 = 0.6;

/// Returns the part of an edge in front of the viewer.
fn in_front(edge: [Corner; 2]) -> Option<[Corner; 2]> {
    const LEAST: f32 = 1e-4;
    let [a, b] = edge.map(|[position, _]| position[3] - LEAST);
    let between = |part: f32| -> Corner {
        let [from, to] = edge;
        std::array::from_fn(|row| std::array::from_fn(|k| from[row][k] + (to[row][k] - from[row][k]) * part))
    };
    match (a >= 0.0, b >= 0.0) {
        (true, true) => Some(edge),
        (true, false) => Some([edge[0], between(a / (a - b))]),
        (false, true) => Some([between(a / (a - b)), edge[1]]),
        (false, false) => None,
    }
}

/// Returns the two triangles of a line.
fn line(edge: [Corner; 2], size: Size) -> Option<[Triangle; 2]> {
    let [from, to] = in_front(edge)?;
    // Range: at most 4096.
    let half = [size.width, size.height].map(|pixels| pixels as f32 / 2.0);
    let on_screen = |[[x, y, _, w], _]: Corner| [x / w * half[0], y / w * half[1]];
    let ([x, y], [to_x, to_y]) = (on_screen(from), on_screen(to));
    let (along, up) = (to_x - x, to_y - y);
    let length = along.hypot(up);
    if !(length > 0.0 && length.is_finite()) {
        return None;
    }
    let aside = [-up / length * HALF / half[0], along / length * HALF / half[1]];
    let moved = |[[x, y, z, w], value]: Corner, side: f32| {
        [[x + side * aside[0] * w, y + side * aside[1] * w, z, w], value]
    };
    let [a, b, c, d] = [moved(from, -1.0), moved(to, -1.0), moved(to, 1.0), moved(from, 1.0)];
    Some([[a, b, c], [a, c, d]])
}

/// Returns the edges of triangles. An edge of two triangles occurs twice.
pub fn edges(triangles: &[Triangle], size: Size) -> Vec<Triangle> {
    let edges = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    edges.filter_map(|edge| line(edge, size)).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::looks::By;
    use crate::draw::picture::BACKGROUND;
    use crate::draw::raster::{self, Samples};

    #[test]
    fn edges_are_drawn_and_the_inside_is_not() {
        let size = Size { width: 64, height: 64 };
        let corner = |x: f32, y: f32, w: f32| [[x * w, y * w, 0.5 * w, w], [0.0; 4]];
        let triangle = [corner(-0.9, -0.9, 1.0), corner(0.9, -0.9, 2.0), corner(-0.9, 0.9, 5.0)];
        let picture = raster::paint(&edges(&[triangle], size), By::Register(0).look(), size, Samples::One)
            .expect("small");
        let is_drawn = |x: usize, y: usize| picture.pixels[y * 64 + x] != BACKGROUND;
        assert!((4..60).all(|x| (60..62).any(|y| is_drawn(x, y))));
        assert!((4..60).all(|y| (2..5).any(|x| is_drawn(x, y))));
        assert!(!is_drawn(20, 44));
        let behind = [corner(0.0, 0.0, -1.0), corner(1.0, 0.0, -2.0), corner(0.0, 1.0, -1.0)];
        assert!(edges(&[behind], size).is_empty());
        let half = [corner(0.0, 0.0, 1.0), corner(1.0, 0.0, -2.0), corner(0.0, 1.0, -1.0)];
        assert_eq!(edges(&[half], size).len(), 4);
    }
}
