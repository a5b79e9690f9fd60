//! Analyses that passes and hosts ask: they change nothing.
//! In: a function of the intermediate form. Out: tables by value, lane or construct. Know no pass.
//! Begin with `flow.rs`, which nearly all of them read.
//!
//! | file | answer |
//! |---|---|
//! | `flow.rs` | exits by target, definitions in program order |
//! | `demand.rs` | demanded lanes and constructs |
//! | `ranges/` | numbers that a lane may hold, by the rows of `classes.rs` |
//! | `offsets.rs` | registers that a relative read may reach |
//! | `usage.rs` | registers that are still read |
//! | `taint.rs` | dependence of values on others, for the next and for `drivers` |
//! | `dependence.rs` | invocations that one of a geometry program depends on |

pub mod demand;
pub mod dependence;
pub mod flow;
pub mod offsets;
pub mod ranges;
pub(super) mod taint;
pub mod usage;
