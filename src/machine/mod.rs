//! Semantics of instructions: PICA200 arithmetic, and the machine that every translation is
//! compared with.
//!
//! In: an [`isa::Program`](crate::program::isa::Program), uniforms, inputs. Out: registers, or an
//! error with its place. Must not know: graphs, the intermediate form, hosts.
//! Begin with `precision/arith.rs`, the only definition of arithmetic; `interp/` runs programs by
//! it.

pub mod interp;
pub mod precision;
