//! Arguments of `compare`.

use std::path::PathBuf;

use clap::Args;

use super::{ForRuns, RouteName, Settings, values};

/// Run programs on interpreter and GPU, and report differences
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica compare shaders --vertices 4096
  transpica compare lights.v.pica --route wgsl        sources are assembled first
  transpica compare dumps --strict                    also fails if too little could be compared
  transpica compare lights.shbin --adapter llvmpipe --json
  transpica compare lights.shbin --assume uniforms=2^16    tests the module that relies on a promise

Verdicts: ok; FAIL; none if a program had nothing to compare; open if a driver may return other values for more than 25 % of them, or more than --strict=PERCENT. Each row shows the share left undecided.

Generated inputs keep the promises of --assume; a constant in the file that breaks one fails the comparison.

Exit status 1 if any comparison failed.")]
pub struct Compare {
    /// Files (.shbin, or .pica sources) and folders; sources beside their binary are skipped
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Vertices per program
    #[arg(long, default_value_t = 256, value_name = "N", value_parser = values::vertices())]
    pub vertices: usize,
    /// Seed of the inputs
    #[arg(long, default_value_t = 0, value_name = "S")]
    pub seed: u64,
    /// Compare only this route [default: SPIR-V and WGSL]
    #[arg(long, value_enum)]
    pub route: Option<RouteName>,
    /// Part of the GPU's name
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub adapter: Option<String>,
    /// Count +0 and -0 as different
    #[arg(long, hide_short_help = true)]
    pub signed_zeros: bool,
    /// Also fail if a program had nothing to compare, or if more than PERCENT of its values were
    /// left undecided; --strict alone means 25
    #[arg(long, value_name = "PERCENT", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "25", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub strict: Option<u8>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
    /// Output file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub settings: Settings<ForRuns>,
}
