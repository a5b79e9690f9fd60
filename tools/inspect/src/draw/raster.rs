//! The rasterizer of the CPU: clips, fills and interpolates as GPUs do.
//! In: triangles. Out: pixels. Coverage follows the rules of WebGPU: sample centers, the top-left
//! rule, corners on a grid of 1/256 pixel. Values are interpolated with perspective.
//! A smooth picture has the mean of 4 × 4 samples in each pixel. It is drawn in bands of rows, so
//! that its samples need little memory at any size.
//! Knows no program.

use super::looks::Look;
use super::picture::{BACKGROUND, Picture, Pixel};
use super::{Corner, Size, Triangle};

/// Steps of a pixel in which corners are placed.
const STEPS: i64 = 256;

/// Extent of the volume that triangles are clipped to in x and y, in parts of the picture. Farther
/// corners would not fit into the integers of the edges.
const GUARD: f64 = 32.0;

/// Largest number of samples that all triangles of a picture may visit.
const MOST_VISITS: u64 = 1 << 31;

/// Samples of a band, unless one row of pixels has more.
const MOST_SAMPLES: usize = 1 << 20;

/// Samples of a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Samples {
    /// The center, as a GPU draws without multisampling.
    One,
    /// 4 × 4, for smooth edges.
    Sixteen,
}

impl Samples {
    /// Returns the number of samples in a row of a pixel.
    fn across(self) -> u32 {
        match self {
            Self::One => 1,
            Self::Sixteen => 4,
        }
    }
}

/// The triangles of a picture cover too many samples.
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

/// Samples of a band with their depths; the greatest depth is nearest, and of equal ones the last
/// is shown.
struct Band<'a> {
    /// Samples of a row.
    width: usize,
    /// Rows of samples of the picture that the band has.
    rows: std::ops::Range<i64>,
    /// Steps between samples.
    step: i64,
    colors: Vec<[u8; 3]>,
    depth: Vec<f32>,
    look: &'a Look,
}

impl Band<'_> {
    /// Draws a triangle, and returns the number of samples that it visits.
    fn fill(&mut self, corners: [Placed; 3]) -> u64 {
        let [a, mut b, mut c] = corners;
        let mut whole = area(a, b, [c.x, c.y]);
        if whole < 0 {
            (b, c, whole) = (c, b, -whole);
        }
        if whole == 0 {
            return 0;
        }
        let edges = [(b, c), (c, a), (a, b)];
        let range = |values: [i64; 3], within: std::ops::Range<i64>| {
            let first = (values.into_iter().min().unwrap_or(0) / self.step).max(within.start);
            let last = (values.into_iter().max().unwrap_or(0) / self.step + 1).min(within.end);
            first..last.max(first)
        };
        // Range: at most 4 times 4096.
        let columns = range([a.x, b.x, c.x], 0..self.width as i64);
        let rows = range([a.y, b.y, c.y], self.rows.clone());
        let visits = (columns.end - columns.start) as u64 * (rows.end - rows.start) as u64;
        for (row, column) in rows.flat_map(|row| columns.clone().map(move |column| (row, column))) {
            let center = [column, row].map(|sample| sample * self.step + self.step / 2);
            let parts = edges.map(|(from, to)| area(from, to, center));
            if parts.iter().zip(edges).any(|(&part, (from, to))| part < least(from, to)) {
                continue;
            }
            let parts = parts.map(|part| part as f64 / whole as f64);
            let sum = |of: &dyn Fn(Placed) -> f64| parts[0] * of(a) + parts[1] * of(b) + parts[2] * of(c);
            let depth = sum(&|corner| corner.depth) as f32;
            let place = (row - self.rows.start) as usize * self.width + column as usize;
            if depth < self.depth[place] || depth.is_nan() {
                continue;
            }
            self.depth[place] = depth;
            let inverse = sum(&|corner| corner.inverse);
            let value = std::array::from_fn(|k| (sum(&|corner| corner.value[k]) / inverse) as f32);
            // Range: NaN gives 0.
            let byte = |x: f32| (x.clamp(0.0, 1.0) * 255.0).round() as u8;
            self.colors[place] = (self.look.color)(value).map(byte);
        }
        visits
    }

    /// Returns the mean color of the samples of a pixel, whose row counts from the band's first.
    fn pixel(&self, column: usize, row: usize, across: usize) -> Pixel {
        let mut sums = [0u32; 3];
        for line in row * across..(row + 1) * across {
            let first = line * self.width + column * across;
            for color in &self.colors[first..first + across] {
                sums.iter_mut().zip(color).for_each(|(sum, &byte)| *sum += u32::from(byte));
            }
        }
        // Range: at most 16 samples.
        let count = (across * across) as u32;
        let [r, g, b] = sums.map(|sum| ((sum + count / 2) / count) as u8);
        [r, g, b, 255]
    }
}

/// Draws triangles.
///
/// # Errors
/// Triangles that together cover more samples than [`MOST_VISITS`].
pub fn paint(triangles: &[Triangle], look: &Look, size: Size, samples: Samples) -> Result<Picture, TooMuch> {
    paint_within(MOST_VISITS, triangles, look, size, samples)
}

fn paint_within(
    mut visits: u64,
    triangles: &[Triangle],
    look: &Look,
    size: Size,
    samples: Samples,
) -> Result<Picture, TooMuch> {
    let point =
        |[position, value]: Corner| Point { position: position.map(f64::from), value: value.map(f64::from) };
    let mut placed = Vec::new();
    for triangle in triangles {
        // What cannot be placed is nowhere.
        if triangle.iter().any(|[position, _]| position.iter().any(|x| !x.is_finite())) {
            continue;
        }
        let polygon = clip(triangle.map(point));
        let triangles = polygon.windows(2).skip(1).map(|pair| [polygon[0], pair[0], pair[1]]);
        placed.extend(triangles.map(|triangle| triangle.map(|point| place(point, size))));
    }
    let (across, [r, g, b, _]) = (samples.across(), BACKGROUND);
    let width = (size.width * across) as usize;
    let band_rows = (MOST_SAMPLES / (width * across as usize)).clamp(1, size.height as usize);
    let mut picture = Picture::new(size, BACKGROUND);
    let bands = picture.pixels.chunks_mut(band_rows * size.width as usize);
    for (number, pixels) in bands.enumerate() {
        let count = pixels.len() * (across * across) as usize;
        // Range: at most 4 times 4096.
        let rows = (count / width) as i64;
        let first = (number * band_rows) as i64 * i64::from(across);
        let mut band = Band {
            width,
            rows: first..first + rows,
            step: STEPS / i64::from(across),
            colors: vec![[r, g, b]; count],
            depth: vec![0.0; count],
            look,
        };
        for &corners in &placed {
            visits = visits.checked_sub(band.fill(corners)).ok_or(TooMuch)?;
        }
        for (place, pixel) in pixels.iter_mut().enumerate() {
            let (column, row) = (place % size.width as usize, place / size.width as usize);
            *pixel = band.pixel(column, row, across as usize);
        }
    }
    Ok(picture)
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
            let counts =
                halves.map(|half| covered(&paint(&[half], look(), SIZE, Samples::One).expect("small")));
            let both = paint(&halves, look(), SIZE, Samples::One).expect("small");
            assert_eq!(counts[0] + counts[1], covered(&both));
            assert_eq!(covered(&both), expected);
        }
    }

    #[test]
    fn the_nearest_triangle_is_shown_in_any_order() {
        let corners = [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]];
        let (near, far) = (flat(corners, 0.9, 0.0), flat(corners, 0.1, 0.5));
        let pictures =
            [[near, far], [far, near]].map(|both| paint(&both, look(), SIZE, Samples::One).expect("small"));
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
        let picture = paint(&[triangle], look(), SIZE, Samples::One).expect("small");
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
        let part = covered(&paint(&[behind], look(), SIZE, Samples::One).expect("small"));
        assert_eq!(part, 128);
    }

    #[test]
    fn smooth_pictures_have_the_mean_of_their_samples_in_every_band() {
        let triangle = flat([[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]], 0.5, 0.0);
        // 2^20 samples are 512 rows of this width.
        let size = Size { width: 128, height: 1100 };
        let [sharp, smooth] = [Samples::One, Samples::Sixteen]
            .map(|samples| paint(&[triangle], look(), size, samples).expect("small"));
        assert_eq!(smooth, paint(&[triangle; 2], look(), size, Samples::Sixteen).expect("small"));
        let is_edge = |pixel: u8| pixel != 0 && pixel != BACKGROUND[0];
        let mut edges = 0;
        for (sharp, smooth) in sharp.pixels.iter().zip(&smooth.pixels) {
            edges += usize::from(is_edge(smooth[0]));
            assert!(is_edge(smooth[0]) || sharp == smooth);
        }
        // The long edge crosses samples of most rows.
        assert!((800..1100).contains(&edges), "{edges}");
        // Half of a pixel in columns.
        let half = flat([[-1.0, -1.0], [0.5 / 8.0, -1.0], [0.5 / 8.0, 9.0]], 0.5, 0.0);
        let picture = paint(&[half], look(), SIZE, Samples::Sixteen).expect("small");
        assert_eq!(picture.pixels[15 * 16 + 8][0], BACKGROUND[0] / 2);
    }

    #[test]
    fn no_position_panics_and_work_is_bounded() {
        let hard = [0.0, -0.0, 1.0, -1.0, 1e-38, 1e38, -1e38, f32::INFINITY, f32::NAN, 3.4e38, -1e-45];
        for a in hard {
            for b in hard {
                for c in hard {
                    let corners = [[[a, b, c, a], [c; 4]], [[b, a, b, c], [a; 4]], [[c, c, a, b], [b; 4]]];
                    assert!(paint(&[corners], look(), SIZE, Samples::One).is_ok());
                }
            }
        }
        let screen = flat([[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]], 0.0, 0.0);
        for (most, is_enough) in [(767, false), (768, true)] {
            // Hidden pixels count, too.
            let painted = paint_within(most, &[screen; 3], look(), SIZE, Samples::One);
            assert_eq!(painted.is_ok(), is_enough, "{most}");
        }
    }
}
