//! SPIR-V assembly text of a module, for people.
//! In: words. Out: one instruction a line. Uses rspirv's loader and disassembler, which are too slow for anything else.

use rspirv::binary::Disassemble;
use rspirv::spirv::Word;

use crate::error::{At, Error, Kind, Result};

/// The module as text.
///
/// # Errors
/// [`Kind::Backend`] if the words are no SPIR-V module.
pub fn text(words: &[Word]) -> Result<String> {
    let module = rspirv::dr::load_words(words)
        .map_err(|error| Error::new(Kind::Backend(format!("SPIR-V: {error}")), At::Whole))?;
    Ok(module.disassemble())
}
