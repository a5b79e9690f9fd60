//! Arguments of `survey`.

use std::path::PathBuf;

use clap::Args;

use super::{ForModules, Settings};

/// Translate every program below folders and list the results
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica survey dumps
  transpica survey dumps -q
  transpica survey shaders --json -o survey.json")]
pub struct Survey {
    /// Files (.shbin, or .pica sources) and folders; a source beside its binary is skipped
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// As JSON
    #[arg(long)]
    pub json: bool,
    /// Output file; standard output if absent
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub settings: Settings<ForModules>,
}
