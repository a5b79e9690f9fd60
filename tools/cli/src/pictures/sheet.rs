//! Contact sheets: one cell a program, with its name below.
//! In: pictures of one size, or none for a program that failed, with names. Out: a picture.

use transpica_inspect::draw::Size;
use transpica_inspect::draw::picture::{BACKGROUND, Picture};

use super::{LETTER, LINE, cross, write};

/// Pixels between cells.
const GAP: u32 = 6;

/// Lines of text below a cell.
const LINES: u32 = 2;

/// Largest number of cells.
pub const MOST_CELLS: usize = 1024;

/// A program on a sheet.
pub struct Cell {
    /// Nothing if it failed.
    pub picture: Option<Picture>,
    /// Lines of text, each cut to the width of the cell.
    pub text: [String; LINES as usize],
}

/// Draws a sheet of cells of this size, about four to three.
pub fn sheet(cells: &[Cell], size: Size) -> Picture {
    let (width, height) = (size.width + GAP, size.height + LINES * LINE + GAP);
    // Range: at most 1024 cells.
    let count = cells.len().clamp(1, MOST_CELLS) as u32;
    let columns = (1..count).find(|columns| columns * width * 3 >= count.div_ceil(*columns) * height * 4);
    let columns = columns.unwrap_or(count);
    let rows = count.div_ceil(columns);
    let mut all = Picture::new(Size { width: columns * width + GAP, height: rows * height + GAP }, [255; 4]);
    for (number, cell) in (0u32..).zip(cells) {
        let [left, top] = [GAP + number % columns * width, GAP + number / columns * height];
        match &cell.picture {
            Some(picture) => all.blit(picture, [left, top]),
            None => {
                let mut crossed = Picture::new(size, BACKGROUND);
                cross(&mut crossed);
                all.blit(&crossed, [left, top]);
            }
        }
        for (line, text) in (0u32..).zip(&cell.text) {
            let text: String = text.chars().take((size.width / LETTER) as usize).collect();
            write(&mut all, &text, [left, top + size.height + line * LINE]);
        }
    }
    all
}
