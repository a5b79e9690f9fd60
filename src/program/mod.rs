//! Bytes to instructions: what a program is before anything is known of its control flow.
//!
//! In: bytes of a file, or code words of a GPU. Out: [`container::Shbin`], [`isa::Program`], one
//! [`isa::Inst`] at a time. Must not know: what an instruction computes, and any graph.
//! Begin with `isa/table.rs`, the opcode table, from which decoder, encoder and printer follow.
//! `container/` reads the file and its tables, `executable.rs` makes a program of them, `isa/`
//! words, descriptors and the control-flow model.

pub mod container;
pub mod executable;
pub mod isa;
