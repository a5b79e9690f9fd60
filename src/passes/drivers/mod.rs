//! Passes that only drivers need: a file for each defect, which its first lines name.
//! In and out: an [`ir::Func`](crate::ir::Func). Knows no encodings.
//! `hide.rs` hides constants that drivers would fold wrongly behind a computed zero, `decisions.rs`
//! says where; `leave.rs` has diverging invocations leave a loop at its head.

mod decisions;
pub mod hide;
pub mod leave;
