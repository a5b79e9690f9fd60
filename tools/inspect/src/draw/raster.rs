//! The rasterizer of the CPU: clips, fills and interpolates as GPUs do.
//! In: triangles. Out: pixels. Coverage follows the rules of WebGPU: pixel centers, the top-left
//! rule, corners on a grid of 1/256 pixel. Values are interpolated with perspective.
//! Knows no program.

use super::looks::Look;
use super::picture::{BACKGROUND, Picture};
use super::{Corner, Size, Triangle};

/// Steps of a pixel in which corners are placed.
const STEPS: i64 = 256;

/// Extent of the volume that triangles are clipped to in x and y, in parts of the picture. Farther
/// corners would not fit into the integers of the edges.
const GUARD: f64 = 32.0;

/// Largest number of pixels that all triangles of a picture may visit.
const MOST_VISITS: u64 = 1 << 31;

/// The triangles of a picture cover too many pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMuch;

/// A vertex after the clipping.
#[derive(Clone, Copy, Debug)]
struct Point {
    position: [f64; 4],
    value: [f64; 4],
}

/// Distances of a position from the planes of the clip volume, positive inside.
const PLANES: [fn([f64; 4]) -> f64; 7] = [
    |[_, _, _, w]| w - 1e-9,
    |[_, _, z, _]| z,
    |[_, _, z, w]| w - z,
    |[x, _, _, w]| GUARD * w - x,
    |[x, _, _, w]| GUARD * w + x,
    |[_, y, _, w]| GUARD * w - y,
    |[_, y, _, w]| GUARD * w + y,
];

fn between(a: Point, b: Point, part: f64) -> Point {
    let mix = |a: [f64; 4], b: [f64; 4]| std::array::from_fn(|k| a[k] + (b[k] - a[k]) * part);
    Point { position: mix(a.position, b.position), value: mix(a.value, b.value) }
}

/// Clips a triangle to the planes; each adds at most one corner.
fn clip(triangle: [Point; 3]) -> Vec<Point> {
    let mut polygon = triangle.to_vec();
    for plane in PLANES {
        let mut inside = Vec::with_capacity(polygon.len() + 1);
        for (place, &point) in polygon.iter().enumerate() {
            let next = polygon[(place + 1) % polygon.len()];
            let [here, there] = [point, next].map(|point| plane(point.position));
            if here >= 0.0 {
                inside.push(point);
            }
            if (here >= 0.0) != (there >= 0.0) {
                inside.push(between(point, next, here / (here - there)));
            }
        }
        polygon = inside;
    }
    polygon
}

/// A corner on the screen.
#[derive(Clone, Copy, Debug)]
struct Placed {
    /// In steps, y downwards.
    x: i64,
    y: i64,
    depth: f64,
    /// 1 / w
    inverse: f64,
    /// Divided by w.
    value: [f64; 4],
}

fn place(point: Point, size: Size) -> Placed {
    let [x, y, z, w] = point.position;
    let step = |part: f64, pixels: u32| (part * f64::from(pixels) * STEPS as f64).round() as i64;
    let inverse = 1.0 / w;
    Placed {
        x: step(0.5 + 0.5 * x * inverse, size.width),
        y: step(0.5 - 0.5 * y * inverse, size.height),
        depth: z * inverse,
        inverse,
        value: point.value.map(|value| value * inverse),
    }
}

/// Twice the area of the triangle from an edge to a point, positive on its inner side.
fn area(a: Placed, b: Placed, [x, y]: [i64; 2]) -> i64 {
    (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x)
}

/// Returns the least area of a pixel center that counts as inside an edge.
fn least(a: Placed, b: Placed) -> i64 {
    let is_top_left = b.y < a.y || b.y == a.y && b.x > a.x;
    i64::from(!is_top_left)
}

/// Pixels with their depths; the greatest depth is nearest, and of equal ones the last is shown.
struct Canvas<'a> {
    picture: Picture,
    depth: Vec<f32>,
    look: &'a Look,
    /// Pixels that may still be visited.
    visits: u64,
}

impl Canvas<'_> {
    fn fill(&mut self, corners: [Placed; 3]) -> Result<(), TooMuch> {
        let [a, mut b, mut c] = corners;
        let mut whole = area(a, b, [c.x, c.y]);
        if whole < 0 {
            (b, c, whole) = (c, b, -whole);
        }
        if whole == 0 {
            return Ok(());
        }
        let size = self.picture.size;
        let edges = [(b, c), (c, a), (a, b)];
        let range = |values: [i64; 3], pixels: u32| {
            let first = (values.into_iter().min().unwrap_or(0) / STEPS).max(0);
            let last = (values.into_iter().max().unwrap_or(0) / STEPS + 1).min(i64::from(pixels));
            first..last
        };
        let (columns, rows) = (range([a.x, b.x, c.x], size.width), range([a.y, b.y, c.y], size.height));
        let count = |range: &std::ops::Range<i64>| (range.end - range.start).max(0) as u64;
        self.visits = self.visits.checked_sub(count(&columns) * count(&rows)).ok_or(TooMuch)?;
        for (row, column) in rows.flat_map(|row| columns.clone().map(move |column| (row, column))) {
            let center = [column, row].map(|pixel| pixel * STEPS + STEPS / 2);
            let parts = edges.map(|(from, to)| area(from, to, center));
            if parts.iter().zip(edges).any(|(&part, (from, to))| part < least(from, to)) {
                continue;
            }
            let parts = parts.map(|part| part as f64 / whole as f64);
            let sum = |of: &dyn Fn(Placed) -> f64| parts[0] * of(a) + parts[1] * of(b) + parts[2] * of(c);
            let depth = sum(&|corner| corner.depth) as f32;
            let place = row as usize * size.width as usize + column as usize;
            if depth < self.depth[place] || depth.is_nan() {
                continue;
            }
            self.depth[place] = depth;
            let inverse = sum(&|corner| corner.inverse);
            let value = std::array::from_fn(|k| (sum(&|corner| corner.value[k]) / inverse) as f32);
            // Range: NaN gives 0.
            let byte = |x: f32| (x.clamp(0.0, 1.0) * 255.0).round() as u8;
            let [r, g, b] = (self.look.color)(value).map(byte);
            self.picture.pixels[place] = [r, g, b, 255];
        }
        Ok(())
    }
}

/// Draws triangles.
///
/// # Errors
/// Triangles that together cover more pixels than [`MOST_VISITS`].
pub fn paint(triangles: &[Triangle], look: &Look, size: Size) -> Result<Picture, TooMuch> {
    paint_within(MOST_VISITS, triangles, look, size)
}

fn paint_within(visits: u64, triangles: &[Triangle], look: &Look, size: Size) -> Result<Picture, TooMuch> {
    let picture = Picture::new(size, BACKGROUND);
    let depth = vec![0.0; picture.pixels.len()];
    let mut canvas = Canvas { picture, depth, look, visits };
    let point =
        |[position, value]: Corner| Point { position: position.map(f64::from), value: value.map(f64::from) };
    for triangle in triangles {
        if triangle.iter().any(|[position, _]| !position.iter().all(|x| x.is_finite())) {
            continue;
        }
        let polygon: Vec<Placed> =
            clip(triangle.map(point)).into_iter().map(|point| place(point, size)).collect();
        if let [first, rest @ ..] = &polygon[..] {
            for pair in rest.windows(2) {
                canvas.fill([*first, pair[0], pair[1]])?;
            }
        }
    }
    Ok(canvas.picture)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::looks::By;
    use transpica::container::Semantic;

    const SIZE: Size = Size { width: 16, height: 16 };

    fn look() -> &'static Look {
        By::Output(Semantic::Color).look()
    }

    fn flat(corners: [[f32; 2]; 3], depth: f32, color: f32) -> Triangle {
        corners.map(|[x, y]| [[x, y, depth, 1.0], [color; 4]])
    }

    fn covered(picture: &Picture) -> usize {
        picture.pixels.iter().filter(|&&pixel| pixel != BACKGROUND).count()
    }

    #[test]
    fn triangles_that_share_an_edge_cover_each_pixel_once() {
        // 1.93 and 1.81 of 2: 15 columns and 14 rows of centers. The other diagonal runs through
        // centers.
        for (high, expected) in [([0.93, 0.81], 15 * 14), ([1.0, 1.0], 256)] {
            let low = [-1.0, -1.0];
            let halves = [[low, [high[0], low[1]], high], [low, high, [low[0], high[1]]]];
            let halves = halves.map(|half| flat(half, 0.5, 0.0));
            let counts = halves.map(|half| covered(&paint(&[half], look(), SIZE).expect("small")));
            let both = paint(&halves, look(), SIZE).expect("small");
            assert_eq!(counts[0] + counts[1], covered(&both));
            assert_eq!(covered(&both), expected);
        }
    }

    #[test]
    fn the_nearest_triangle_is_shown_in_any_order() {
        let corners = [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]];
        let (near, far) = (flat(corners, 0.9, 0.0), flat(corners, 0.1, 0.5));
        let pictures = [[near, far], [far, near]].map(|both| paint(&both, look(), SIZE).expect("small"));
        assert_eq!(pictures[0], pictures[1]);
        assert_eq!(pictures[0].pixels[15 * 16], [0, 0, 0, 255]);
    }

    #[test]
    fn values_have_perspective_and_planes_clip() {
        let corner = |x: f32, y: f32, z: f32, w: f32, value: f32| [[x * w, y * w, z * w, w], [value; 4]];
        let triangle = [
            corner(-1.0, -1.0, 0.5, 1.0, 0.0),
            corner(-1.0, 3.0, 0.5, 1.0, 0.0),
            corner(3.0, -1.0, 0.5, 3.0, 1.0),
        ];
        let picture = paint(&[triangle], look(), SIZE).expect("small");
        assert_eq!(covered(&picture), 256);
        // A quarter of the way on the screen, at the center of column 7: 15/64 of it, of weight
        // 1/3.
        let part = 15.0 / 64.0;
        let expected = (part / 3.0) / (part / 3.0 + 1.0 - part) * 255.0;
        assert_eq!(picture.pixels[7][0], f32::round(expected) as u8);
        // The plane z = 0 cuts two edges a tenth of the way in space, which is a quarter on the
        // screen.
        let behind =
            triangle.map(|[[x, y, _, w], value]| [[x, y, if w > 1.0 { -3.0 * w } else { w }, w], value]);
        let part = covered(&paint(&[behind], look(), SIZE).expect("small"));
        assert_eq!(part, 128);
    }

    #[test]
    fn no_position_panics_and_work_is_bounded() {
        let hard = [0.0, -0.0, 1.0, -1.0, 1e-38, 1e38, -1e38, f32::INFINITY, f32::NAN, 3.4e38, -1e-45];
        for a in hard {
            for b in hard {
                for c in hard {
                    let corners = [[[a, b, c, a], [c; 4]], [[b, a, b, c], [a; 4]], [[c, c, a, b], [b; 4]]];
                    assert!(paint(&[corners], look(), SIZE).is_ok());
                }
            }
        }
        let screen = flat([[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]], 0.0, 0.0);
        for (most, is_enough) in [(767, false), (768, true)] {
            // Hidden pixels count, too.
            let painted = paint_within(most, &[screen; 3], look(), SIZE);
            assert_eq!(painted.is_ok(), is_enough, "{most}");
        }
    }
}
