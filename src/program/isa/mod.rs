//! The instruction set: registers, instruction words, operand descriptors, control flow.
//!
//! In: code words and descriptors. Out: decoded instructions and the control-flow model. Knows no
//! file format.

// Files: `table.rs` opcodes, of which `README.md` is the printed form; `reads.rs` components that
// they read; `encoding/` words and descriptors; `inst.rs` instructions; `reg.rs` registers, masks,
// swizzles; `print.rs` their text; `program/` a program, `uniforms.rs` next to it, `builder.rs` of
// one; `sizes.rs` sizes that hardware fixes; `access.rs` registers that single instructions read
// and write; `placed.rs` texts with the instructions of their lines.
//
// `control/` is the control-flow model, and `step` in it the only place that knows how CALL, IF and
// LOOP work: three small rings whose tops are compared with the program counter after every
// instruction. The interpreter calls it with real answers, the exploration with both.

#[doc(hidden)]
pub mod access;
#[doc(hidden)]
pub mod control;
mod encoding;
#[doc(hidden)]
pub mod inst;
#[doc(hidden)]
pub mod placed;
#[doc(hidden)]
pub mod print;
#[doc(hidden)]
pub mod program;
#[doc(hidden)]
pub mod reads;
#[doc(hidden)]
pub mod reg;
#[doc(hidden)]
pub mod sizes;
#[doc(hidden)]
pub mod table;

#[doc(hidden)]
pub use encoding::{canonical, decode, encode, opdesc, word};
#[doc(hidden)]
pub use program::{builder, uniforms};

pub use control::{Effect, Scope, ScopeKind, Test};
pub use encoding::opdesc::{Descriptor, Selector};
#[doc(hidden)]
pub use encoding::word::Word;
#[doc(hidden)]
pub use inst::Move;
pub use inst::{CompareOp, Condition, ConditionOp, DataOp, Flow, FlowOp, Inst, Operand};
pub use program::uniforms::Uniforms;
#[doc(hidden)]
pub use program::{Program, Stage};
pub use reg::{Component, DEFAULT, Dest, Index, Mask, Pc, Source, Swizzle};
pub use table::Opcode;
