//! Passes that only drivers need: a file for each defect.
//! In and out: an [`ir::Func`](crate::ir::Func). Knows no encodings.
//! Facts: the [table of drivers](crate::guide::drivers), which has every defect with its drivers,
//! cost and tests, also those that other folders work around.
//!
//! | file | rows |
//! |---|---|
//! | `hide.rs`, with `decisions.rs`, which finds the places | drivers.md#known-zeros |
//! | `leave.rs` | drivers.md#computed-after-loop, drivers.md#loaded-after-loop |

mod decisions;
pub mod hide;
pub mod leave;
