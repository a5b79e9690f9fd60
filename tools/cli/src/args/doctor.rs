//! Arguments of `doctor`.

use std::path::PathBuf;

use clap::Args;

use super::values;

/// Check an emulator's shader caches on this GPU, for a report
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica doctor shaders/vulkan/transferable
  transpica doctor 0004000000030800_vs.vkch -o report.md --extract failed
  transpica doctor shaders/opengl/transferable --adapter llvmpipe --json

Caches are *_vs.vkch files and OpenGL .bin files of shaders/*/transferable in an emulator's user folder. \
They hold no constants: each program runs with generated ones, and compute and vertex stage are created. \
The report is Markdown without any path, to be pasted into an issue.

Exit status 1 if a program failed or a file could not be read; damaged ends of files are warnings.")]
pub struct Doctor {
    /// Cache files, and folders that hold some; - reads standard input
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Vertices for each program
    #[arg(long, default_value_t = 64, value_name = "N", value_parser = values::vertices())]
    pub vertices: usize,
    /// Seed of the inputs
    #[arg(long, default_value_t = 0, value_name = "S")]
    pub seed: u64,
    /// Part of the name of the GPU
    #[arg(long, value_name = "NAME")]
    pub adapter: Option<String>,
    /// Folder that receives each failed program as a .shbin file, to attach to the report
    #[arg(long, value_name = "DIR")]
    pub extract: Option<PathBuf>,
    /// As JSON
    #[arg(long)]
    pub json: bool,
    /// Output file; standard output if absent
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}
