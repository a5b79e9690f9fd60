//! Control flow: from a program to one tree with innermost `break` and `continue`.
//!
//! In: an [`isa::Program`](crate::program::isa::Program). Out: [`cfg::Cfg`], then
//! [`structure::tree::Tree`]. Must not know: arithmetic, and what reads the tree.
//! Begin with `cfg/explore.rs`, which makes nodes of control states; `structure/ramsey.rs` places
//! them in the tree. The folders are called as SPIR-V and LLVM call what they hold.

pub mod cfg;
pub mod structure;
