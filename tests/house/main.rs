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

#[path = "../../tools/xtask/src/sources.rs"]
mod sources;
