//! PICA200 shader programs inside other files, and Vega ByteCode.
//!
//! [`Scanner`] finds every program in bytes of any kind: `.shbin` files (DVLB) and command lists,
//! bare or in archives, models and compressed data. [`vbc`] handles the file format of SPIR-V with
//! its reflection. Nothing here opens a file: input is bytes, or anything that reads.
//!
//! ```
//! use transpica_containers::{Limits, Scanner};
//! let shader = std::fs::read("../../shaders/lights.shbin")?;
//! let file = [&b"any header  "[..], &shader].concat();
//! let mut places = Vec::new();
//! let mut scanner = Scanner::new(Limits::default());
//! let summary = scanner.scan(&file[..], &mut |found| places.push(found.hit.place()))?;
//! assert_eq!((summary.hits, places), (1, vec!["DVLB@0xc".to_string()]));
//! # Ok::<(), std::io::Error>(())
//! ```
//! No input makes it panic. Sizes are claims: they are bounded by [`Limits`] before memory is
//! taken, and the work on an input is bounded by its length.

#![forbid(unsafe_code)]

mod archives;
mod bare_lists;
mod bytes;
mod hit;
mod limits;
mod models;
mod programs;
mod scan;
pub mod shbin;
pub mod unpack;
pub mod vbc;

pub use hit::{Hit, Kind, Pair, ProgramInfo, Step, Warning};
pub use limits::Limits;
pub use programs::to_bytes;
pub use scan::{Found, Scanner, Summary};
