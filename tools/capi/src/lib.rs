//! The C interface of transpica. `include/transpica.h` is generated from this crate.
//! In: pointers of callers in C and C++. Out: statuses, results, keys. Uses only the library's
//! public API.
//!
//! | module | content |
//! |---|---|
//! | `chain` | checked reading of structures with type and size |
//! | `attributes` | formats of attributes and promises of a draw |
//! | `settings` | options by paths |
//! | `source` | chains of a program |
//! | `memory` | the caller's allocator |
//! | `boundary` | handling of panics and NULL |
//! | `result`, `reliance`, `registers`, `translator`, `batch`, `draw`, `pipeline` | the functions |
//!
//! Fields of structures are numbers of fixed width, never enumerations: a caller may store anything
//! there. The header gives those with choices the type of the enumeration, which has the same size.
#![allow(unsafe_code, reason = "callers in C hand in pointers")]
#![warn(clippy::undocumented_unsafe_blocks)]
#![allow(
    clippy::missing_safety_doc,
    reason = "one rule holds for every function, and the head of the header says it: pointers are NULL or what their comment says"
)]

mod attributes;
mod batch;
mod boundary;
mod chain;
mod draw;
mod enums;
mod geometry;
mod hooks;
mod memory;
mod pipeline;
mod plan;
mod problem;
mod registers;
mod reliance;
mod result;
mod settings;
mod source;
mod translator;

pub use attributes::{TranspicaAttributeFormat, TranspicaPromise, TranspicaVertexInput};
pub use batch::*;
pub use chain::{TranspicaHead, TranspicaType};
pub use draw::{TranspicaDraw, TranspicaVertexAttribute};
pub use enums::*;
pub use geometry::*;
pub use hooks::{TranspicaHook, TranspicaHookOperand, TranspicaHooks};
pub use memory::TranspicaAllocator;
pub use pipeline::*;
pub use plan::*;
pub use registers::*;
pub use reliance::*;
pub use result::*;
pub use settings::*;
pub use source::*;
pub use translator::*;

/// Parses a part of the version.
const fn number(text: &str) -> u32 {
    let (bytes, mut at, mut number) = (text.as_bytes(), 0, 0);
    while at < bytes.len() {
        number = number * 10 + (bytes[at] - b'0') as u32;
        at += 1;
    }
    number
}

/// Major version of the library.
pub const VERSION_MAJOR: u32 = number(env!("CARGO_PKG_VERSION_MAJOR"));
/// Minor version.
pub const VERSION_MINOR: u32 = number(env!("CARGO_PKG_VERSION_MINOR"));
/// Patch level.
pub const VERSION_PATCH: u32 = number(env!("CARGO_PKG_VERSION_PATCH"));
