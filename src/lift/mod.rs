//! Lowering of control flow and instructions to IR: SSA over lanes, PICA200 arithmetic.
//! In: [`Program`](crate::program::isa::Program), its [`Cfg`](crate::flow::cfg::Cfg) and
//! [`Tree`](crate::flow::structure::tree::Tree) (or the program alone, if it has too many control
//! states). Out: [`ir::Module`](crate::ir::Module) in the `Pica` stage. Knows no back end and no
//! uniform layout.
//!
//! * `scope`: the builder: lane map, nesting constructs, merging of lane maps into results and
//!   parameters;
//! * `leaves`: lane maps that open constructs keep, and where control leaves them;
//! * `shorthands`: calls of the builder for scalars: slots, integers, tests, choices;
//! * `lanes`: the slots of the lane map and their registers;
//! * `data`: data instructions to values;
//! * `tree`: the structured tree to constructs;
//! * `geometry`: EMIT and SETEMIT, invocations and their carried state;
//! * `hooks`: changes that a host makes to outputs and uniforms, and taps;
//! * `dispatcher`: the last tier, a loop over a switch on the program counter.
//!
//! SSA construction follows Braun et al. 2013 on a finished tree: each arm works on a copy of the
//! lane map, lanes that differ where arms meet become results, lanes assigned in a loop become its
//! parameters. `passes` removes redundant ones.
//!
//! `outputs.rs` has depth, y, colors and clip distances. Begin with `data.rs` for an instruction
//! and with `scope.rs` for the builder. Files: `context.rs` input of all; `data.rs`, `tree.rs`,
//! `scope.rs`, `shorthands.rs`, `leaves.rs`, `lanes.rs`, `hooks.rs`, `geometry.rs`,
//! `dispatcher.rs`, as above.

mod context;
mod data;
mod dispatcher;
mod geometry;
mod hooks;
mod lanes;
mod leaves;
mod outputs;
mod scope;
mod shorthands;
mod tree;

pub use context::{Context, Form, Geometry, OutputSelection};
pub use dispatcher::lower as dispatched;
pub use tree::lower as structured;
