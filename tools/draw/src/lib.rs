//! Draws with PICA200 (Nintendo 3DS) shader programs.
//!
//! * [`batch`]: vertex programs on the CPU, 64 vertices at a time, from vertex buffers to records;
//! * [`cpu`]: whole draws on the processor, with geometry programs: the reference, and the fallback
//!   of hosts;
//! * [`recording`]: draws of a host as a file, for replay elsewhere;
//! * [`gpu`]: the compute passes around a geometry program, and the plan of their buffers and
//!   dispatches.
//!
//! `transpica` translates programs and has the reference machine; it does not depend on this crate.

#![forbid(unsafe_code)]

pub mod batch;
pub mod cpu;
pub mod gpu;
pub mod recording;

/// Layers below the public API on which this crate relies: their version is pinned.
use transpica::stages::{cfg, entity, fields, key, limits, precision};

/// Chapters in addition to the reference.
pub mod guide {
    #[doc = include_str!("guide/batch.md")]
    pub mod batch {}

    #[doc = include_str!("guide/geometry.md")]
    pub mod geometry {}

    #[doc = include_str!("guide/recording.md")]
    pub mod recording {}
}
