//! Pictures: pixels in memory.
//! In: pixels of a rasterizer. Out: pixels. Knows no file format.

use super::Size;

/// Red, green, blue, opacity.
pub type Pixel = [u8; 4];

/// Background color.
pub const BACKGROUND: Pixel = [232, 232, 232, 255];

/// A picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Width and height.
    pub size: Size,
    /// Row by row from the top.
    pub pixels: Vec<Pixel>,
}

impl Picture {
    /// Builds a picture of one color.
    pub fn new(size: Size, color: Pixel) -> Self {
        Self { size, pixels: vec![color; size.width as usize * size.height as usize] }
    }

    /// Sets a pixel, unless it lies outside.
    pub fn set(&mut self, x: u32, y: u32, color: Pixel) {
        if x < self.size.width && y < self.size.height {
            self.pixels[y as usize * self.size.width as usize + x as usize] = color;
        }
    }

    /// Puts a picture in, with its corner at this place. What lies outside is lost.
    pub fn blit(&mut self, picture: &Self, [left, top]: [u32; 2]) {
        let places = (0..picture.size.height).flat_map(|y| (0..picture.size.width).map(move |x| (x, y)));
        for ((x, y), &pixel) in places.zip(&picture.pixels) {
            self.set(left + x, top + y, pixel);
        }
    }

    /// Returns the pixels in which two pictures of one size differ, in white, and their number.
    pub fn difference(&self, other: &Self) -> (Self, usize) {
        let differs = |(a, b)| if a == b { [0, 0, 0, 255] } else { [255; 4] };
        let pixels: Vec<Pixel> = self.pixels.iter().zip(&other.pixels).map(differs).collect();
        let count = pixels.iter().filter(|&&pixel| pixel == [255; 4]).count();
        (Self { size: self.size, pixels }, count)
    }
}
