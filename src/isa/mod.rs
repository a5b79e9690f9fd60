//! The instruction set: registers, instruction words, operand descriptors, control flow.
//! In: code words and descriptors. Out: decoded instructions and the control-flow model. Knows no
//! file format.

pub(crate) mod access;
pub mod builder;
pub mod canonical;
pub mod control;
pub mod decode;
pub mod encode;
pub mod inst;
pub mod limits;
pub mod opdesc;
pub mod print;
pub mod program;
pub mod reads;
pub mod reg;
pub mod table;
mod uniforms;
pub mod word;

pub use inst::{CompareOp, Condition, ConditionOp, DataOp, Flow, FlowOp, Inst, Move, Operand};
pub use program::{Program, Stage};
pub use reg::{Component, Dest, Index, Mask, Pc, Source, Swizzle};
pub use table::Opcode;
pub use uniforms::Uniforms;
pub use word::Word;
