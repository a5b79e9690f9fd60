//! The `transpica` command: parses arguments, runs one command, prints its failure.

// `println!` panics where the reader has closed the pipe.
#![deny(clippy::print_stdout, clippy::print_stderr)]
#![cfg_attr(not(feature = "gpu"), expect(dead_code, reason = "arguments and files of GPU commands"))]

mod arguments;
#[cfg(feature = "gpu")]
mod caches;
mod commands;
mod debug_source;
#[cfg(feature = "gpu")]
mod display;
mod files;
mod gpu;
mod input;
mod jobs;
mod json;
#[cfg(feature = "compile")]
mod languages;
mod lint;
#[cfg(feature = "draw")]
mod pictures;
mod progress;
mod report;
mod settings;
mod streams;
mod terminal;
mod trace;
mod vbc;

/// Layers below the public API on which this crate relies: their version is pinned.
use transpica::stages::{backend, cfg, ir, limits, structure, translate};

use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = commands::parse();
    #[cfg(feature = "gpu")]
    if cli.command.arguments().streams().opens_gpu {
        display::suppress_complaint();
    }
    match commands::run(&cli) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.print(cli.common.color);
            ExitCode::from(failure.status())
        }
    }
}
