//! The engine of the page: one class with text and bytes on both sides, for a Web Worker.
//! In: calls of the page. Out: JSON texts and bytes, as `tools/web/page` declares them. Has no
//! clock, no thread and no file, and everything here runs natively, too.

pub mod document;
pub mod engine;
pub mod found;
pub mod gpu;
pub mod invocations;
pub mod picture;
pub mod problem;
pub mod settings;
pub mod stepping;
pub mod values;
pub mod views;

/// Layers below the public API on which this crate relies: their version is pinned.
use transpica::stages::{backend, cfg, ir, precision, structure, translate};
