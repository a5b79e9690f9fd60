//! The file format: one program package (DVLP) and its executables (DVLE) in a container (DVLB), called `.shbin`.
//! In: bytes. Out: [`Shbin`], views of every table that borrow the bytes; back again: [`Model`] and [`write`](write()).
//! Must not know instructions: code words and descriptors are numbers here.
//! Facts: 3dbrew "SHBIN"; what picasso, nihstro and the vendor's linker write, and what libctru accepts.
//!
//! Tables are found by their offsets alone. An error is what leaves no sense in a file: a wrong magic, a table or name
//! outside the file, an entry point outside the code, an output register that does not exist. Single entries that mean
//! nothing are kept and do nothing; [`Shbin::warnings`] lists them.

mod bytes;
mod dvlb;
mod dvle;
mod dvlp;
mod labels;
mod model;
mod records;
mod warnings;
mod write;

pub use bytes::{Name, NameOffset, Record, Strings, Table};
pub use dvlb::Shbin;
pub use dvle::{Dvle, GeometryMode, Header, ShaderType};
pub use dvlp::{Dvlp, Version};
#[cfg(feature = "asm")]
pub(crate) use labels::Labels;
pub use model::{Executable, Model, NameTable};
pub use records::{
    Constant, ConstantValue, Descriptor, Label, Line, Output, SEMANTICS, Semantic, SemanticInfo, Symbol,
    SymbolBank, SymbolRange, UNUSED_CODE,
};
pub use write::write;

#[cfg(test)]
mod tests;
