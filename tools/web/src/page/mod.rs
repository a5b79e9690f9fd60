//! The engine of the page: one class with text and bytes on both sides, for a Web Worker.
//! In: calls of the page. Out: JSON texts and bytes, as `tools/web/page` declares them.

mod comparison;
mod document;
mod engine;
mod found;
mod gpu;
mod invocations;
mod picture;
mod problem;
mod settings;
mod stepping;
mod values;
mod views;

pub use engine::Engine;

/// Layers below the public API on which this crate relies: their version is pinned.
use transpica::stages::{backend, cfg, ir, precision, structure, translate};
