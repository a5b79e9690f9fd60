//! Passes over the intermediate form, one file and one function each.
//!
//! In and out: an [`ir::Module`](crate::ir::Module). They know the IR and the layout of the uniform
//! block. Must not know: encodings, back ends. Begin with `optimize/`, which has the
//! order; `analyze/` has what passes and hosts ask, `legalize/` PICA200 arithmetic as plain
//! operations, `drivers/` a pass for each defect of a driver. `join.rs` adds
//! a second evaluation to a legal module.
//!
//! [`optimize::run`] comes before [`legalize`], [`optimize::tidy`] and then [`drivers::leave`]
//! after it. Every pass leaves a valid module valid and has nothing to do on what it made itself.
//! Analyses that several passes read are parameters, so that they are computed once and each pass
//! has one function, which is the one that tests run. `scratch.rs` has the memory that is reused.
//!
//! `legalize` replaces PICA200 arithmetic for the chosen precision and register reads by members of
//! the uniform block (what one relative read may reach, as `analyze::offsets` finds it, is one
//! array there, so that the read is one load). It makes sure that no constant zero is a float
//! operand: drivers fold those wrongly even under NoContraction.

pub mod analyze;
pub mod drivers;
pub mod join;
pub mod legalize;
pub mod optimize;
mod scratch;

pub use scratch::{Scratch, Tables};
