//! Arguments of `doctor`.

use std::path::PathBuf;

use clap::Args;

use super::values;

/// Check an emulator's shader caches on this GPU, and write a report
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica doctor shaders/vulkan/transferable
  transpica doctor 0004000000030800_vs.vkch -o report.md --extract failed
  transpica doctor shaders/opengl/transferable --adapter llvmpipe --json

Caches are the *_vs.vkch files and OpenGL .bin files in shaders/*/transferable of an emulator's user folder. They contain no constants, so each program runs with generated ones; both a compute and a vertex stage are created. The report is Markdown without paths, ready to paste into an issue.

Exit status 1 if a program failed or a file could not be read; a damaged end of a file is only a warning.")]
pub struct Doctor {
    /// Cache files, and folders that contain them; - reads standard input
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Vertices per program
    #[arg(long, default_value_t = 64, value_name = "N", value_parser = values::vertices())]
    pub vertices: usize,
    /// Seed of the inputs
    #[arg(long, default_value_t = 0, value_name = "S")]
    pub seed: u64,
    /// Part of the GPU's name
    #[arg(long, value_name = "NAME")]
    pub adapter: Option<String>,
    /// Write each failed program to this folder as a .shbin file, to attach to the report
    #[arg(long, value_name = "DIR")]
    pub extract: Option<PathBuf>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
    /// Output file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}
