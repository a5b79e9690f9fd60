//! Pictures: pixels, what is put together from several, and PNG files.
//! In: pixels. Out: the bytes of a file. Several frames become an animated PNG, whose first frame
//! viewers without animation show.

use font8x8::legacy::BASIC_LEGACY;

use super::Size;

/// Red, green, blue, opacity.
pub type Pixel = [u8; 4];

/// Color behind everything.
pub const BACKGROUND: Pixel = [232, 232, 232, 255];

/// Color of texts.
const INK: Pixel = [40, 40, 40, 255];

/// Color of what failed.
const CROSS: Pixel = [208, 48, 48, 255];

/// Width and height of a letter in pixels.
pub const LETTER: u32 = 8;

/// Frames of an animation in a second.
const FRAMES_PER_SECOND: u16 = 12;

/// A picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
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
    fn set(&mut self, x: u32, y: u32, color: Pixel) {
        if x < self.size.width && y < self.size.height {
            self.pixels[y as usize * self.size.width as usize + x as usize] = color;
        }
    }

    /// Puts a picture in, with its corner at this place. What lies outside is lost.
    pub fn put(&mut self, picture: &Self, [left, top]: [u32; 2]) {
        let places = (0..picture.size.height).flat_map(|y| (0..picture.size.width).map(move |x| (x, y)));
        for ((x, y), &pixel) in places.zip(&picture.pixels) {
            self.set(left + x, top + y, pixel);
        }
    }

    /// Writes one line of text. Other characters than those of ASCII become a question mark.
    pub fn write(&mut self, text: &str, [left, top]: [u32; 2]) {
        for (column, letter) in (0u32..).zip(text.chars()) {
            let letter = if letter.is_ascii_graphic() || letter == ' ' { letter } else { '?' };
            for (y, row) in (0u32..).zip(BASIC_LEGACY[letter as usize & 127]) {
                for x in (0..LETTER).filter(|x| row >> x & 1 != 0) {
                    self.set(left + column * LETTER + x, top + y, INK);
                }
            }
        }
    }

    /// Crosses it out.
    pub fn cross(&mut self) {
        let Size { width, height } = self.size;
        for step in 0..width.max(height) {
            // Range: below 2^24.
            let [x, y] = [width, height].map(|pixels| step * pixels / width.max(height));
            for thick in 0..2 {
                self.set(x + thick, y, CROSS);
                self.set((width - 1 - x).saturating_sub(thick), y, CROSS);
            }
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

/// Puts pictures of one size side by side, each with a line of text below.
pub fn side_by_side(pictures: &[(&Picture, &str)]) -> Picture {
    const GAP: u32 = 4;
    let size = pictures.first().map_or(Size { width: 1, height: 1 }, |(picture, _)| picture.size);
    // Range: three pictures of at most 4096 pixels.
    let count = pictures.len() as u32;
    let width = count * size.width + count.saturating_sub(1) * GAP;
    let mut all = Picture::new(Size { width, height: size.height + LETTER + 2 * GAP }, BACKGROUND);
    for (number, (picture, text)) in (0u32..).zip(pictures) {
        let left = number * (size.width + GAP);
        all.put(picture, [left, 0]);
        all.write(text, [left + GAP, size.height + GAP]);
    }
    all
}

/// Encodes frames of one size as a PNG file.
///
/// # Errors
/// No frame, or frames of different sizes.
pub fn encode(frames: &[Picture]) -> Result<Vec<u8>, png::EncodingError> {
    let size = frames.first().map_or(Size { width: 0, height: 0 }, |frame| frame.size);
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, size.width, size.height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    if let Some(count) = u32::try_from(frames.len()).ok().filter(|&count| count > 1) {
        encoder.set_animated(count, 0)?;
        encoder.set_frame_delay(1, FRAMES_PER_SECOND)?;
    }
    let mut writer = encoder.write_header()?;
    for frame in frames {
        writer.write_image_data(frame.pixels.as_flattened())?;
    }
    writer.finish()?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_outside_is_lost_and_letters_are_drawn() {
        let mut picture = Picture::new(Size { width: 20, height: 10 }, BACKGROUND);
        picture.put(&Picture::new(Size { width: 30, height: 30 }, CROSS), [18, 8]);
        assert_eq!(picture.pixels.iter().filter(|&&pixel| pixel == CROSS).count(), 4);
        picture.write("é|long text", [0, 0]);
        let drawn = picture.pixels.iter().filter(|&&pixel| pixel == INK).count();
        assert!((10..80).contains(&drawn), "{drawn}");
        picture.cross();
        assert_eq!(picture.pixels[0], CROSS);
        assert_eq!(picture.pixels[19], CROSS);
    }
}
