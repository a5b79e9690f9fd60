//! The `transpica` command: parses arguments, runs one command, prints its failure.

mod args;
mod caches;
mod commands;
mod display;
mod files;
mod json;
mod report;
mod state;
mod streams;
mod terminal;
mod trace;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let cli = args::Cli::parse();
    if let Err(error) = args::check(&cli) {
        error.exit();
    }
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
