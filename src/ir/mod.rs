//! The intermediate form: a structured SSA tree over vectors of one to four lanes.
//! In: built by `lift`. Out: read by the back ends. Knows no PICA200 encodings; PICA200
//! *arithmetic* is part of it (`AddP`, `MulP`, …) until `passes::legalize` replaces it by plain
//! operations for one precision. The invariants stand at [`verify`](verify()). `regions.md` says
//! why regions yield values.
//!
//! Begin with `op/`: `mod.rs` has the nine operations, `signature.rs` and `resource.rs` the tables
//! of arithmetic and of reads that `README.md` shows, `scalar.rs` scalar semantics and folding.
//!
//! Files: `types.rs`, `func.rs` values, regions, nodes; `places.rs` the instructions that values
//! belong to; `verify.rs` the invariants; `walk.rs` program order and the targets of exits;
//! `dataflow.rs` forward analyses in that order; `counter.rs` loops that count;
//! `text.rs` the readable form.
//!
//! Forward analyses (`ranges`, `taint`, `offsets` of the passes) are domains of one engine,
//! `dataflow`: it passes a function in program order and repeats an outermost loop until its
//! parameters say no more. Whether a loop counts down, as LOOP does, is read from its form by
//! `Counter`: a note at the loop would have to be kept right by each pass that changes parameters,
//! exits or conditions, and the verifier would check it by the same form.
//!
//! Every line of every form of a program has *places*, the addresses of the instructions whose
//! values it evaluates. `lift` notes where the values of an instruction begin and end; passes keep
//! the number of a value whose operation they replace and note equal values that they merge. All
//! else follows from users when it is asked for, in `places.rs`.

mod counter;
pub mod dataflow;
pub mod func;
pub mod op;
pub mod places;
pub mod text;
pub mod types;
pub mod verify;
pub mod walk;

pub use counter::Counter;
pub use func::{
    Exit, Func, Hint, HintRegister, Item, Kept, Module, Node, NodeData, Place, Region, RegionData, ValueData,
    ValueList,
};
pub use op::resource::{Array, Buffer, FloatConstants, Resource};
pub use op::signature::{Binary, Domain, Shape, Signature, Unary};
pub use op::{Def, Op};
pub use types::{Lane, ScalarKind, Type, Value};
pub use verify::{Phase, verify};
pub use walk::{Step, Target, Targets, Walk};
