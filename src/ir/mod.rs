//! The intermediate form: a structured SSA tree over vectors of one to four lanes.
//! In: built by `lower`. Out: read by the back ends. Knows no PICA200 encodings; PICA200
//! *arithmetic* is part of it (`AddP`, `MulP`, …) until `passes::legalize` replaces it by plain
//! operations for one precision. The invariants stand at [`verify`](verify()).

mod counter;
pub mod dataflow;
pub mod func;
pub mod known;
pub mod op;
pub mod places;
pub mod resource;
pub mod scalar;
pub mod signature;
pub mod text;
pub mod types;
pub mod verify;
pub mod walk;

pub use counter::Counter;
pub use func::{
    Exit, Func, Hint, HintRegister, Item, Module, Node, NodeData, Place, Region, RegionData, ValueData,
    ValueList,
};
pub use op::{Def, Op};
pub use resource::{Array, Buffer, Resource};
pub use signature::{Binary, Domain, Shape, Signature, Unary};
pub use types::{Lane, ScalarKind, Type, Value};
pub use verify::{Phase, verify};
pub use walk::{Step, Target, Targets, Walk};
