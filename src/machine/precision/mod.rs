//! The three precisions of PICA200 arithmetic and the float24 codec.
//! The scalar functions of [`arith`] are the only definition of arithmetic: the interpreter and the
//! IR evaluator call them, and the GPU is compared with them.
//! Facts: hardware reports that inf · 0 = 0, that products and sums are separate roundings, and the
//! float24 layout.
//!
//! Files: `arith.rs` every scalar operation, and how float24 rounds results; `float24.rs` bits of
//! the file's numbers to and from f32; `portable.rs` EX2 and LG2 equal everywhere; `bits.rs` parts
//! of an f32.

pub mod arith;
pub mod bits;
pub mod float24;
pub mod portable;

/// The arithmetic of a translated program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Precision {
    /// f32 with PICA200 rules (inf · 0 = 0, ordered MIN and MAX, 1/±0 = +inf), bit-equal to the
    /// reference interpreter; only the sign of zero may differ, and no instruction can see it.
    #[cfg_attr(feature = "serde", serde(alias = "exact"))]
    #[default]
    Exact,
    /// Plain IEEE f32 of the host: ∞ · 0 is NaN, and RCP and RSQ write ∞ and NaN. It is not what
    /// hosts do without accurate multiplication, where RCP of 0 and RSQ of a number ≤ 0 leave the
    /// register as it was: use `Exact` there. On a GPU, the driver decides LG2 of NaN, zeros and
    /// negative numbers and EX2 of NaN, which need not be NaN or infinite, and which operand MIN
    /// and MAX give where one is NaN.
    #[cfg_attr(feature = "serde", serde(alias = "fast"))]
    Fast,
    /// Every result truncated to float24 (16 mantissa bits, exponents -62..63), zeros positive.
    #[cfg_attr(feature = "serde", serde(alias = "f24"))]
    F24,
}

/// Questions that passes ask about a precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rules {
    /// Results follow the rules of the PICA200, so operations of the driver need guards.
    pub guards: bool,
    /// Results are rounded to float24, and operands below its smallest number count as 0.
    pub rounds: bool,
    /// Drivers may compute in any order and by rules of their own.
    pub reorders: bool,
}

impl Precision {
    /// Its rules.
    #[inline]
    pub(crate) const fn rules(self) -> Rules {
        match self {
            Self::Exact => Rules { guards: true, rounds: false, reorders: false },
            Self::Fast => Rules { guards: false, rounds: false, reorders: true },
            Self::F24 => Rules { guards: true, rounds: true, reorders: false },
        }
    }
}
