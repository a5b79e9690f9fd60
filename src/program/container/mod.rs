//! The `.shbin` container (DVLB): one program package (DVLP) and its executables (DVLE).
//!
//! In: bytes. Out: [`Shbin`], views of every table that borrow the bytes; and back: [`Model`] and
//! [`write`](write()).
//! Must not know instructions: code words and descriptors are plain integers here.
//! Facts: 3dbrew "SHBIN"; the output of picasso, nihstro and the vendor's linker; what libctru
//! accepts.
//!
//! Tables are found by their offsets alone. Parsing fails on a wrong magic, a table or name outside
//! the file, an entry point outside the code, and an output register that does not exist. Other
//! invalid entries are kept without effect; [`Shbin::warnings`] lists them.

// Files: `dvlb.rs`, `dvlp.rs`, `dvle.rs` headers; `records.rs` table entries; `bytes.rs` checked
// reads; `labels.rs` which label names a start; `warnings.rs`; `model.rs` the content that
// `write.rs` writes.

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
#[doc(hidden)]
pub use dvlb::Shbin;
pub use dvle::{Dvle, GeometryMode, Header, ShaderType};
pub use dvlp::{Dvlp, Version};
#[doc(hidden)]
pub use labels::Labels;
pub use model::{Executable, Model, NameTable};
pub use records::{
    Constant, ConstantValue, DescriptorRecord, Label, Line, OutputRecord, SEMANTICS, Semantic, SemanticInfo,
    Symbol, SymbolBank, SymbolRange, UNUSED_CODE,
};
pub use write::write;

#[cfg(test)]
mod tests;
