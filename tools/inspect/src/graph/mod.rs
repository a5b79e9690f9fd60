//! Drawn graphs: where nodes and edges go, and the SVG file.
//!
//! The layout is our own because every graph of a program must come out in time. `layout-rs` 0.1.3
//! draws those of the samples, but takes 17 s for a chain of 2,000 nodes and did not end within 20
//! s for 200 nodes with 100 random edges, and it cannot be stopped.

pub mod layout;
pub mod svg;
