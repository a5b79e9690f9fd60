//! The command line as users run it. `drivers` has the tests that also run on a second driver.

mod archive;
mod assembler;
mod commands;
mod doctor;
mod draw;
mod drivers;
mod examples;
mod files;
mod folders;
mod lsp;
mod programs;
mod projects;
mod scan;
mod schemas;
mod settings;
mod shards;
mod states;
mod support;
mod terminal;
mod tests_of_shaders;
mod verdicts;
mod walk;
#[path = "support/caches.rs"]
mod writer;
