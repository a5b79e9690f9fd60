//! The `transpica` command: parses arguments, runs one command, prints its failure.

#![cfg_attr(not(feature = "gpu"), expect(dead_code, reason = "arguments and files of GPU commands"))]

mod args;
#[cfg(feature = "gpu")]
mod caches;
mod commands;
#[cfg(feature = "gpu")]
mod display;
mod files;
mod json;
mod pictures;
mod report;
mod streams;
mod terminal;
mod trace;

/// Layers below the public API on which this crate relies: their version is pinned.
use transpica::stages::{backend, cfg, ir, limits, structure, translate};

use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = args::parse();
    #[cfg(feature = "gpu")]
    if cli.command.opens_gpu() {
        display::suppress_complaint();
    }
    let color = cli.common.color;
    match commands::run(cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.print(color);
            ExitCode::from(failure.status())
        }
    }
}
