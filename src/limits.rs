//! Named limits. Every size that follows the input is checked against one of these before memory is taken for it.

use crate::error::{At, Error, Kind, Result};

/// How large a program may be and how much work its translation may take.
///
/// ```
/// let limits = transpica::limits::Limits::default();
/// assert_eq!(limits.code_words, 4096);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    /// Code words of one program (the geometry unit's memory; the vertex unit reaches the first 512).
    pub code_words: u32,
    /// Operand descriptors that instructions can address.
    pub descriptors: u32,
    /// Control-flow nodes for each instruction, on top of [`nodes_base`](Self::nodes_base); beyond it a simpler tier is taken.
    pub nodes_per_instruction: u32,
    /// Control-flow nodes that any program may have.
    pub nodes_base: u32,
    /// Nesting depth of the structured program; beyond it a simpler tier is taken. WGSL readers stop at 127 braces.
    pub depth: u32,
    /// Values of the intermediate form.
    pub values: u32,
    /// Words of one SPIR-V module, or bytes / 4 of one text.
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
            values: 1 << 20,
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
