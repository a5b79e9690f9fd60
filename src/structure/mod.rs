//! Structured control flow: a graph becomes a tree with innermost `break` and `continue` only.
//! In: [`Cfg`](crate::cfg::Cfg). Out: [`tree::Tree`]. Knows nothing about opcodes.

pub mod tree;
