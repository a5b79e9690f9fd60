//! Passes that only drivers need: a file for each defect, which its first lines name.
//! In and out: an [`ir::Func`](crate::ir::Func). Knows no encodings.
//!
//! | file | defect | seen on | cost |
//! |---|---|---|---|
//! | `hide.rs` | `x * 0`, `x + 0` are folded in spite of NoContraction | lavapipe | 0.5 % |
//! | `leave.rs` | values of a loop are those of later rounds | llvmpipe, SwiftShader | 0.8 % |
//!
//! `decisions.rs` says where `hide.rs` hides. The cost is inverse throughput in exact form (RADV,
//! navi10) with the pass against without it, the geometric mean of the samples; the most is 8.5 %
//! (`fog`) and 25 % (`particles`). The defects are shown by `tests/cases/zeros` and
//! `tests/cases/upstream/*_of_a_loop.spvasm`. Defenses within one operation stand where it becomes
//! legal: `legalize/functions.rs` has logarithms of NaN, `legalize/uniforms.rs` reads past an
//! array.

mod decisions;
pub mod hide;
pub mod leave;
