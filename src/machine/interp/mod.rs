//! The reference machine: runs programs on the CPU; every translation is compared with it.
//!
//! In: a [`Program`](crate::program::isa::Program), uniforms, inputs. Out: output registers, or a
//! located error. Must not know: the control-flow graph and anything above it. Arithmetic is
//! [`crate::machine::precision::arith`], control flow is [`crate::program::isa::control::step`].
//! Here is only the rest: registers, operands, the loop over instructions. Facts: hardware tests as
//! listed by 3dbrew and GBATEK. The defaults of registers that hardware leaves undefined are ours.
//!
//! [`Machine`] runs whole vertex programs, [`GeometryMachine`] geometry programs. [`Registers`]
//! executes single instructions, for callers that drive control flow themselves.
//!
//! ```
//! use transpica::interp::{Registers, Settings, Uniforms};
//! use transpica::{Limits, Machine, Program, Stage};
//! use transpica::isa::Pc;
//! // mov o0, v0; end
//! let code = vec![0x4C00_0000, 0x8800_0000];
//! let program = Program::new(code, vec![0x0000_036F], Pc(0), Stage::Vertex, &Limits::default())?;
//! let mut machine = Machine::new(&program, Settings::default())?;
//! machine.set_uniforms(&Uniforms::default());
//! let mut inputs = Registers::DEFAULT_INPUTS;
//! inputs[0] = [1.0, 2.0, 3.0, 4.0];
//! assert_eq!(machine.run(&inputs)?[0], [1.0, 2.0, 3.0, 4.0]);
//! # Ok::<(), transpica::Error>(())
//! ```

// Files: `machine.rs` vertex programs; `geometry.rs` programs whose state carries over,
// `carried.rs` that state; `operation.rs`, `registers.rs` single instructions, `emission.rs` EMIT
// and SETEMIT; `loops.rs` aL and the loops; `trace.rs`.

mod emission;
mod geometry;
mod loops;
mod machine;
mod operation;
mod registers;
mod trace;

#[cfg(test)]
mod tests;

#[doc(hidden)]
pub use crate::program::isa::Uniforms;
pub use emission::{Emit, Invocation, Triangle};
pub use geometry::{CarriedState, GeometryMachine};
#[doc(hidden)]
pub use loops::LoopData;
#[doc(hidden)]
pub use machine::Machine;
pub use machine::Settings;
#[doc(hidden)]
pub use operation::{Exact, F24, Fast, Flushed, Mode, flush_subnormal};
pub use registers::Registers;
pub use trace::TraceRecord;
