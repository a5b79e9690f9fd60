//! Code words and operand descriptors as stored, and their way to instructions and back.
//! In: code words and descriptors. Out: [`Inst`](super::Inst), and words again. Knows no program.
//! Begin with `format.rs`, formats and fields; `word.rs` has words of them, `opdesc.rs` the
//! descriptors, `decode.rs` and `encode.rs` the two ways, `canonical.rs` words without the bits
//! that do not matter.

pub mod canonical;
pub mod decode;
pub mod encode;
pub(super) mod format;
pub mod opdesc;
pub mod word;
