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
        self.mix(x, y, color, 255);
    }

    /// Mixes a color into a pixel, by `part` of 255, unless it lies outside.
    pub fn mix(&mut self, x: u32, y: u32, color: Pixel, part: u8) {
        if x < self.size.width && y < self.size.height {
            let pixel = &mut self.pixels[y as usize * self.size.width as usize + x as usize];
            let part = u16::from(part);
            // Range: a mean of two bytes.
            let mean = |a: u8, b: u8| ((u16::from(a) * (255 - part) + u16::from(b) * part + 127) / 255) as u8;
            pixel.iter_mut().zip(color).for_each(|(a, b)| *a = mean(*a, b));
        }
    }

    /// Puts a picture in, with its corner at this place. What lies outside is lost.
    pub fn blit(&mut self, picture: &Self, [left, top]: [u32; 2]) {
        let places = (0..picture.size.height).flat_map(|y| (0..picture.size.width).map(move |x| (x, y)));
        for ((x, y), &pixel) in places.zip(&picture.pixels) {
            self.set(left + x, top + y, pixel);
        }
    }

    /// Compares two pictures of one size.
    pub fn difference(&self, other: &Self) -> Difference {
        let mut found = Difference { picture: Self::new(self.size, [0, 0, 0, 255]), count: 0, largest: 0 };
        let pairs = self.pixels.iter().zip(&other.pixels);
        for (pixel, (a, b)) in found.picture.pixels.iter_mut().zip(pairs).filter(|(_, (a, b))| a != b) {
            *pixel = [255; 4];
            found.count += 1;
            let largest = a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).max();
            found.largest = found.largest.max(largest.unwrap_or(0));
        }
        found
    }
}

/// Pixels that differ between two pictures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// White where they differ.
    pub picture: Picture,
    /// Number of pixels that differ.
    pub count: usize,
    /// Largest distance of a component, in steps of 255.
    pub largest: u8,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {} pixels differ", self.count, self.picture.pixels.len())?;
        if self.count > 0 {
            write!(f, ", by at most {}/255", self.largest)?;
        }
        Ok(())
    }
}
