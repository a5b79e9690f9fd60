//! Arguments of `compare`.

use std::path::PathBuf;

use clap::Args;

use super::{ForRuns, RouteName, Settings};

/// Run every program on interpreter and GPU and report differences
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica compare shaders --vertices 4096
  transpica compare lights.v.pica --route wgsl        a source is assembled first
  transpica compare dumps --strict                    also fails where nothing could be compared
  transpica compare lights.shbin --adapter llvmpipe --json

Verdicts: ok, FAIL; none where a program had nothing to compare; open where it has values, and a driver may give others for all.

Exit status 1 if any comparison failed.")]
pub struct Compare {
    /// Files (.shbin, or .pica sources) and folders; a source beside its binary is skipped
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Vertices for each program
    #[arg(long, default_value_t = 256, value_name = "N")]
    pub vertices: usize,
    /// Seed of the inputs
    #[arg(long, default_value_t = 0, value_name = "S")]
    pub seed: u64,
    /// Only this route; otherwise SPIR-V and WGSL
    #[arg(long, value_enum)]
    pub route: Option<RouteName>,
    /// Part of the name of the GPU
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub adapter: Option<String>,
    /// Count +0 and -0 as different
    #[arg(long, hide_short_help = true)]
    pub signed_zeros: bool,
    /// Fail if a program had nothing to compare or was left undecided
    #[arg(long)]
    pub strict: bool,
    /// As JSON
    #[arg(long)]
    pub json: bool,
    /// Output file; standard output if absent
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub settings: Settings<ForRuns>,
}
