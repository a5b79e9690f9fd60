//! Passes over the intermediate form, one file and one function each.
//! In and out: an [`ir::Module`](crate::ir::Module). They know the IR and the layout of the uniform block, no encodings.

pub mod legalize;
