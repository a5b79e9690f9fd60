//! SPIR-V assembly text of a module, for people.
//! In: words. Out: one instruction a line. Uses rspirv's loader and disassembler, which are too
//! slow for anything else.

use std::borrow::Cow;

use crate::backend::spirv::PlacedWords;
use rspirv::binary::Disassemble;
use transpica::isa::placed::PlacedText;
use transpica::{At, Error, Kind, Result};

/// Returns the module as text.
///
/// # Errors
/// [`Kind::Backend`] if the words are not a SPIR-V module.
pub fn assembly(words: &[u32]) -> Result<String> {
    let module = rspirv::dr::load_words(words)
        .map_err(|error| Error::new(Kind::Backend(format!("SPIR-V: {error}")), At::Whole))?;
    let mut text = String::new();
    for line in module.disassemble().lines() {
        // rspirv writes two spaces before a type and its operands. A string keeps its spaces.
        let line = if line.contains('"') { Cow::Borrowed(line) } else { Cow::Owned(line.replace("  ", " ")) };
        text.push_str(&line);
        text.push('\n');
    }
    Ok(text)
}

/// Returns the module as text with the instructions of each line.
///
/// # Errors
/// As [`assembly`].
pub fn placed_assembly(module: &PlacedWords) -> Result<PlacedText> {
    let text = assembly(&module.words)?;
    let mut places = module.places.iter();
    // The lines of the header are comments; all others are one instruction each.
    let lines = text.lines().map(|line| {
        if line.starts_with(';') { Vec::new() } else { places.next().cloned().unwrap_or_default() }
    });
    let places = lines.collect();
    Ok(PlacedText { text, places })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_words_are_an_error() {
        let error = assembly(&[1, 2, 3]).expect_err("no module");
        assert!(matches!(error.kind, Kind::Backend(_)));
    }
}
