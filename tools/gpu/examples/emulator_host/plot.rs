//! A bar for each frame of a trace.
//! In: times of each way. Out: a picture with one diagram under the other, on the same scale.

use image::{Rgb, RgbImage};

/// Width of a bar in pixels.
const BAR: u32 = 3;
/// Height of a diagram in pixels.
const HEIGHT: u32 = 200;
/// Pixels around diagrams.
const MARGIN: u32 = 8;
const PAPER: Rgb<u8> = Rgb([255, 255, 255]);
const LINE: Rgb<u8> = Rgb([120, 120, 120]);
const WITHIN: Rgb<u8> = Rgb([70, 120, 180]);
const OVER: Rgb<u8> = Rgb([210, 80, 50]);

/// Draws the times of frames, red where they exceed the line at twice the median.
pub fn bars(diagrams: &[Vec<f64>]) -> RgbImage {
    let columns = diagrams.iter().map(Vec::len).max().unwrap_or(0) as u32;
    let most = diagrams.iter().flatten().copied().fold(1.0, f64::max);
    let width = columns * BAR + 2 * MARGIN;
    let mut picture = RgbImage::from_pixel(width, diagrams.len() as u32 * (HEIGHT + MARGIN) + MARGIN, PAPER);
    for (place, times) in (0u32..).zip(diagrams) {
        let bottom = (place + 1) * (HEIGHT + MARGIN) - 1;
        let height = |time: f64| ((time / most * f64::from(HEIGHT)).round() as u32).min(HEIGHT - 1);
        let mut sorted = times.clone();
        sorted.sort_by(f64::total_cmp);
        let limit = sorted.get(times.len() / 2).copied().unwrap_or(0.0) * 2.0;
        for (column, &time) in (0u32..).zip(times) {
            let color = if time > limit { OVER } else { WITHIN };
            for x in (0..BAR).map(|x| MARGIN + column * BAR + x) {
                (0..=height(time)).for_each(|y| picture.put_pixel(x, bottom - y, color));
            }
        }
        for x in (MARGIN..width - MARGIN).filter(|x| (x / BAR).is_multiple_of(2)) {
            picture.put_pixel(x, bottom - height(limit), LINE);
        }
    }
    picture
}
