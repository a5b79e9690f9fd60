//! Arguments of `info`.

use std::path::PathBuf;

use clap::Args;

/// Show every table of a file, for every executable
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica info lights.shbin
  transpica info lights.shbin --lint
  transpica info library.shbin --json")]
pub struct Info {
    /// The .shbin file; - reads standard input
    pub file: PathBuf,
    /// Also what hardware does not tolerate
    #[arg(long)]
    pub lint: bool,
    /// As JSON
    #[arg(long)]
    pub json: bool,
    /// Where the result goes; standard output if absent
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}
