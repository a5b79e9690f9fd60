//! The house: rules of sources, manifests and pages.

mod dependencies;
mod drivers;
mod examples;
mod instruction_page;
mod jobs;
mod layers;
mod operation_page;
mod prose;
mod surface;
mod walkthrough;

#[path = "../needs/mod.rs"]
#[allow(dead_code, reason = "the table alone is of interest")]
mod needs;
#[path = "../../tools/xtask/src/sources.rs"]
mod sources;
