//! Arguments of `dis`.

use std::path::PathBuf;

use clap::Args;

/// Disassemble a file to source that `asm` turns back into it
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica dis lights.shbin
  transpica dis lights.shbin --hex
  transpica dis lights.shbin -o a.pica && transpica asm a.pica --like lights.shbin -o a.shbin

asm writes tables and names in picasso's order. If the file has another order, a note says so, -v lists each table, and asm --like keeps it.")]
pub struct Dis {
    /// A .shbin file or .pica source; - reads standard input
    ///
    /// Sources are assembled first. Wrappers around one container, such as BCSDR, are opened.
    pub file: PathBuf,
    /// Add a comment with each instruction's address and word
    #[arg(long)]
    pub hex: bool,
    /// Output file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}
