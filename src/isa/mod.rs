//! The instruction set: registers, instruction words, operand descriptors, control flow.
//!
//! In: code words and descriptors. Out: decoded instructions and the control-flow model. Knows no
//! file format.

#[doc(hidden)]
pub mod access;
#[doc(hidden)]
pub mod builder;
#[doc(hidden)]
pub mod canonical;
#[doc(hidden)]
pub mod control;
#[doc(hidden)]
pub mod decode;
#[doc(hidden)]
pub mod encode;
#[doc(hidden)]
pub mod inst;
#[doc(hidden)]
pub mod limits;
#[doc(hidden)]
pub mod opdesc;
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
pub mod table;
#[doc(hidden)]
pub mod uniforms;
#[doc(hidden)]
pub mod word;

pub use control::{Effect, Scope, ScopeKind, Test};
#[doc(hidden)]
pub use inst::Move;
pub use inst::{CompareOp, Condition, ConditionOp, DataOp, Flow, FlowOp, Inst, Operand};
pub use opdesc::{Descriptor, Selector};
#[doc(hidden)]
pub use program::{Program, Stage};
pub use reg::{Component, Dest, Index, Mask, Pc, Source, Swizzle};
pub use table::Opcode;
pub use uniforms::Uniforms;
#[doc(hidden)]
pub use word::Word;
