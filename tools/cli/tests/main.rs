//! The command line as users run it. `drivers` has the tests that also run on a second driver.

#[path = "../../../tests/needs/mod.rs"]
#[allow(dead_code, reason = "`cargo xtask` installs what it lists")]
mod needs;

mod archive;
mod assembler;
mod commands;
mod doctor;
mod draw;
mod drivers;
mod equal;
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
