//! Picture files: what is put together from several pictures, letters, and PNG files.
//! In: pictures. Out: the bytes of a file. Several frames become an animated PNG, whose first frame
//! viewers without animation show.

pub mod sheet;

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};
use transpica_inspect::draw::Size;
use transpica_inspect::draw::picture::{BACKGROUND, Picture, Pixel};

/// Color of texts.
const INK: Pixel = [40, 40, 40, 255];

/// Color of what failed.
const CROSS: Pixel = [208, 48, 48, 255];

const WEIGHT: FontWeight = FontWeight::Regular;
const HEIGHT: RasterHeight = RasterHeight::Size16;

/// Width of a letter in pixels.
pub const LETTER: u32 = get_raster_width(WEIGHT, HEIGHT) as u32;

/// Height of a line of text in pixels.
pub const LINE: u32 = HEIGHT.val() as u32;

/// Frames of an animation in a second.
const FRAMES_PER_SECOND: u16 = 12;

/// Writes one line of text. Characters outside ASCII become question marks.
pub fn write(picture: &mut Picture, text: &str, [left, top]: [u32; 2]) {
    for (column, letter) in (0u32..).zip(text.chars()) {
        let known = get_raster(letter, WEIGHT, HEIGHT).or_else(|| get_raster('?', WEIGHT, HEIGHT));
        for (y, row) in (0u32..).zip(known.iter().flat_map(|letter| letter.rows())) {
            for (x, &part) in (0u32..).zip(row) {
                picture.mix(left + column * LETTER + x, top + y, INK, part);
            }
        }
    }
}

/// Crosses a picture out.
pub fn cross(picture: &mut Picture) {
    let Size { width, height } = picture.size;
    for step in 0..width.max(height) {
        // Range: below 2^24.
        let [x, y] = [width, height].map(|pixels| step * pixels / width.max(height));
        for thick in 0..2 {
            picture.set(x + thick, y, CROSS);
            picture.set((width - 1 - x).saturating_sub(thick), y, CROSS);
        }
    }
}

/// Puts pictures of one size side by side, each with a line of text below.
pub fn side_by_side(pictures: &[(&Picture, &str)]) -> Picture {
    const GAP: u32 = 4;
    let size = pictures.first().map_or(Size { width: 1, height: 1 }, |(picture, _)| picture.size);
    // Range: three pictures of at most 4096 pixels.
    let count = pictures.len() as u32;
    let width = count * size.width + count.saturating_sub(1) * GAP;
    let mut all = Picture::new(Size { width, height: size.height + LINE + 2 * GAP }, BACKGROUND);
    for (number, (picture, text)) in (0u32..).zip(pictures) {
        let left = number * (size.width + GAP);
        all.blit(picture, [left, 0]);
        write(&mut all, text, [left + GAP, size.height + GAP]);
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

/// Decodes the first frame of a PNG file.
///
/// # Errors
/// A malformed file, or one of more than 4096 by 4096 pixels.
pub fn decode(bytes: &[u8]) -> Result<Picture, String> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8() | png::Transformations::ALPHA);
    let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
    let size = Size { width: reader.info().width, height: reader.info().height };
    if size.width.max(size.height) > Size::MOST {
        return Err(format!("{}x{}; the maximum is {} each", size.width, size.height, Size::MOST));
    }
    let mut frame = vec![0; reader.output_buffer_size().unwrap_or_default()];
    let info = reader.next_frame(&mut frame).map_err(|error| error.to_string())?;
    frame.truncate(info.buffer_size());
    let pixels = match info.color_type {
        png::ColorType::Rgba => frame.as_chunks::<4>().0.to_vec(),
        // The transformations make two bytes of a gray pixel.
        _other => frame.as_chunks::<2>().0.iter().map(|&[gray, alpha]| [gray, gray, gray, alpha]).collect(),
    };
    Ok(Picture { size, pixels })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_outside_is_lost_and_letters_are_drawn() {
        let mut picture = Picture::new(Size { width: 20, height: 20 }, BACKGROUND);
        picture.blit(&Picture::new(Size { width: 30, height: 30 }, CROSS), [18, 18]);
        assert_eq!(picture.pixels.iter().filter(|&&pixel| pixel == CROSS).count(), 4);
        write(&mut picture, "é|long text", [0, 0]);
        let dark = |&&[r, ..]: &&Pixel| r < 120;
        let drawn = picture.pixels.iter().filter(dark).count();
        assert!((10..80).contains(&drawn), "{drawn}");
        cross(&mut picture);
        assert_eq!(picture.pixels[0], CROSS);
        assert_eq!(picture.pixels[19], CROSS);
        let bytes = encode(std::slice::from_ref(&picture)).expect("a picture");
        assert_eq!(decode(&bytes).map(|decoded| decoded.pixels), Ok(picture.pixels));
        // The last chunks hold no pixel.
        let ends: Vec<usize> = (0..bytes.len()).filter(|&end| decode(&bytes[..end]).is_ok()).collect();
        assert!(ends.iter().all(|&end| end + 16 > bytes.len()), "{ends:?} of {} bytes", bytes.len());
    }
}
