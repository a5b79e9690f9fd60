//! Arguments of `info`.

use std::path::PathBuf;

use clap::Args;

use super::{Denied, denied};

/// Show every table of a file, for every executable
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica info lights.shbin
  transpica info lights.shbin --lint
  transpica info library.shbin --json")]
pub struct Info {
    /// The .shbin file, .pica source or .vbc file; - reads standard input
    ///
    /// A source is assembled first. A file around one container, such as a BCSDR, is opened.
    pub file: PathBuf,
    /// List mistakes that hardware does not tolerate
    #[arg(long)]
    pub lint: bool,
    /// Imply --lint, and exit 1 on a finding of this rule; may be repeated
    #[arg(long, value_name = "RULE", value_parser = denied())]
    pub deny: Vec<Denied>,
    /// As JSON
    #[arg(long)]
    pub json: bool,
    /// Output file; standard output if absent
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}
