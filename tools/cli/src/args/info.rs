//! Arguments of `info`.

use std::path::PathBuf;

use clap::Args;

use super::{Denied, denied};

/// Show a file's headers, symbols, constants and outputs
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica info lights.shbin
  transpica info lights.shbin --lint
  transpica info library.shbin --json")]
pub struct Info {
    /// A .shbin file, .pica source or .vbc file; - reads standard input
    ///
    /// Sources are assembled first. Wrappers around one container, such as BCSDR, are opened.
    pub file: PathBuf,
    /// List mistakes that hardware does not tolerate
    #[arg(long)]
    pub lint: bool,
    /// Imply --lint, and exit with status 1 if this rule finds something; may be repeated
    #[arg(long, value_name = "RULE", value_parser = denied())]
    pub deny: Vec<Denied>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
    /// Output file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}
