//! SPIR-V assembly text of a module, for people.
//! In: words. Out: one instruction a line. Uses rspirv's loader and disassembler, which are too
//! slow for anything else.

use std::borrow::Cow;

use ::spirv::Word;
use rspirv::binary::Disassemble;

use crate::error::{At, Error, Kind, Result};

/// Returns the module as text.
///
/// # Errors
/// [`Kind::Backend`] if the words are not a SPIR-V module.
pub fn text(words: &[Word]) -> Result<String> {
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
