//! Passes that only drivers need: a file for each defect, which its first lines name.
//! In and out: an [`ir::Func`](crate::ir::Func). Knows no encodings.
//! `hide.rs` hides constants that drivers would fold wrongly behind a computed zero; `leave.rs` has
//! diverging invocations leave a loop at its head.

pub mod hide;
pub mod leave;
