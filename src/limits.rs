//! Named limits. Every size that depends on the input is checked against one of them before memory
//! is allocated.

use crate::error::{At, Error, Kind, Result};

/// Maximum depth of braces in a text; readers of WGSL stop at 127. Texts have more braces than a
/// structured program is [deep](Limits::depth): those of functions and of cases.
pub const BRACES: u32 = 120;

/// Default limit of the EMITs of one invocation of a geometry program. Hardware has none.
pub const EMITS: u32 = 1 << 16;

/// Limits on the size of a program and on the work of its translation.
///
/// With the defaults, any program of 4,096 words that the hardware can hold is translated to SPIR-V
/// in less than 250 ms (release build) and 64 MiB: the worst programs of
/// `tests/semantics/robust/limits.rs` take 100 ms and 20 MiB. Exceeding a limit on control flow is
/// no error: the next tier is used, which `Translation::tier` and a warning report. The last tier
/// is linear in the code words.
///
/// | exceeded | consequence |
/// |---|---|
/// | `nodes_per_instruction`, `nodes_base` | pc dispatcher |
/// | `depth`, `steps`, or `values` of a structured program | block or pc dispatcher |
/// | `values` of a pc dispatcher, all others | [`Kind::Limit`] |
///
/// ```
/// let limits = transpica::Limits::default();
/// assert_eq!(limits.code_words, 4096);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Limits {
    /// Code words of one program (the geometry unit's memory; the vertex unit reaches the first
    /// 512). Default: `4096`. Values above 65,535 count as that.
    pub code_words: u32,
    /// Operand descriptors that instructions can address. Default: `128`, all that they can.
    pub descriptors: u32,
    /// Control-flow nodes per instruction, on top of [`nodes_base`](Self::nodes_base); beyond it a
    /// fallback tier is used. Assembled programs have about one; 4 leave room for procedures with
    /// several callers. Default: `4`.
    pub nodes_per_instruction: u32,
    /// Control-flow nodes that any program may have: small programs with many contexts are still
    /// small. Default: `512`.
    pub nodes_base: u32,
    /// Nesting depth of the structured program; beyond it a fallback tier is used. WGSL readers
    /// stop at 127 braces. Default: `100`.
    pub depth: u32,
    /// Budget for structuring and lowering: statements visited, and lanes copied where control flow
    /// splits and joins. Both could grow with the square of the program. A step takes some
    /// nanoseconds and may keep a lane alive, so this bounds memory as well. Well-formed 512-word
    /// programs need under 1 % of this. Default: `8388608`.
    pub steps: u32,
    /// Values of the intermediate form before optimization. A structured program beyond it uses a
    /// fallback tier. A value stands for about a microsecond and 200 bytes of all later work;
    /// straight code has a few per word. Default: `131072`.
    pub values: u32,
    /// Words of one SPIR-V module, or bytes / 4 of one text. The worst programs measured need an
    /// eighth of it. Default: `4194304`, 16 MiB.
    pub output_words: u32,
    /// Program executables (DVLE) of one container. Default: `1024`.
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
