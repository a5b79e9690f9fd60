//! Arguments of `survey`.

use std::path::PathBuf;

use clap::Args;

use super::{ForModules, Settings};

/// Translate every program in folders, and list the results
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica survey dumps
  transpica survey dumps -q
  transpica survey shaders --json -o survey.json")]
pub struct Survey {
    /// Files (.shbin, or .pica sources) and folders; sources beside their binary are skipped
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
    /// Output file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub settings: Settings<ForModules>,
}
