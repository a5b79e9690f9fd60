//! Passes that only drivers need: a file for each defect, which its first lines name.
//! In and out: an [`ir::Func`](crate::ir::Func). Knows no encodings.
//!
//! | defect | seen on | shown by | file | cost |
//! |---|---|---|---|---|
//! | `x * 0` and `x + 0` are folded under NoContraction | lavapipe | `tests/cases/zeros` | `hide.rs`, `decisions.rs` say where | 0.5 % (fog 8.5 %) |
//! | invocations that left a loop take values of later iterations | llvmpipe, SwiftShader | `tests/cases/upstream/*_of_a_loop.spvasm` | `leave.rs` | 0.8 % (particles 25 %) |
//!
//! The cost is inverse throughput in exact form (RADV, navi10), the geometric mean of the samples and
//! the most: with the pass against without it. Defenses within one operation stand where it becomes
//! legal: logarithms of NaN in `legalize/arith.rs`, reads behind an array in `legalize/uniforms.rs`.

mod decisions;
pub mod hide;
pub mod leave;
