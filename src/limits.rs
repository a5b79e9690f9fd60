//! Named limits. Every size that follows the input is checked against one of these before memory is taken for it.

use crate::error::{At, Error, Kind, Result};

/// How large a program may be and how much work its translation may take.
///
/// With the defaults, any program of 4,096 words that the hardware can hold is translated to SPIR-V in less than 250 ms
/// (release build) and 64 MiB: the worst programs that `tests/limits.rs` knows take 100 ms and 20 MiB. Limits on control
/// flow are no errors: beyond them the next tier is taken, which `Translated::tier` and a warning tell. The last tier is linear in
/// the code words.
///
/// | passed | what happens |
/// |---|---|
/// | `nodes_per_instruction`, `nodes_base` | pc dispatcher |
/// | `depth`, `steps`, or `values` by a structured program | block dispatcher, or pc dispatcher where there are many blocks |
/// | `code_words`, `descriptors`, `executables`, `values` by a pc dispatcher, `output_words` | [`Kind::Limit`] |
///
/// ```
/// let limits = transpica::stages::limits::Limits::default();
/// assert_eq!(limits.code_words, 4096);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Limits {
    /// Code words of one program (the geometry unit's memory; the vertex unit reaches the first 512).
    pub code_words: u32,
    /// Operand descriptors that instructions can address.
    pub descriptors: u32,
    /// Control-flow nodes for each instruction, on top of [`nodes_base`](Self::nodes_base); beyond it a simpler tier is taken.
    /// Programs that an assembler made have about one; 4 leave room for procedures that are called from several places.
    pub nodes_per_instruction: u32,
    /// Control-flow nodes that any program may have. Small programs with many contexts are still small.
    pub nodes_base: u32,
    /// Nesting depth of the structured program; beyond it a simpler tier is taken. WGSL readers stop at 127 braces.
    pub depth: u32,
    /// The time budget of finding structure and of lowering it: statements visited, and lanes copied where control flow parts
    /// and meets. Both could grow with the square of the program. A step takes some nanoseconds, and a lane copied may have to be kept
    /// for some time, so this bounds memory as well. Programs of 512 words that were meant as such take less than a hundredth.
    pub steps: u32,
    /// Values of the intermediate form before it is optimised. A structured program beyond it takes a simpler tier. A value
    /// stands for about a microsecond and 200 bytes of everything that follows; straight code has a few for each word.
    pub values: u32,
    /// Words of one SPIR-V module, or bytes / 4 of one text. The worst programs known have an eighth of it.
    pub output_words: u32,
    /// Program executables (DVLE) of one container.
    pub executables: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            code_words: 4096,
            descriptors: 128,
            nodes_per_instruction: 4,
            nodes_base: 512,
            depth: 100,
            steps: 1 << 23,
            values: 1 << 17,
            output_words: 1 << 22,
            executables: 1024,
        }
    }
}

/// Checks one quantity against its limit.
///
/// # Errors
/// [`Kind::Limit`] with the name, the value and the limit.
pub fn check(name: &'static str, value: usize, limit: u32, at: At) -> Result<()> {
    if value > limit as usize {
        return Err(Error::new(Kind::Limit { name, value, limit }, at));
    }
    Ok(())
}
