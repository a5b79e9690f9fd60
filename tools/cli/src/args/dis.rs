//! Arguments of `dis`.

use std::path::PathBuf;

use clap::Args;

/// Disassemble a file to text that `asm` turns back into it
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica dis lights.shbin
  transpica dis lights.shbin --hex
  transpica dis lights.shbin -o a.pica && transpica asm a.pica --like lights.shbin -o a.shbin

asm writes tables and names in the order that picasso has. Where the file has another, a note says so, \
-v lists each table, and asm --like keeps it.")]
pub struct Dis {
    /// The .shbin file or .pica source; - reads standard input
    ///
    /// A source is assembled first. A file around one container, such as a BCSDR, is opened.
    pub file: PathBuf,
    /// Address and word of each instruction in a comment
    #[arg(long)]
    pub hex: bool,
    /// Output file; standard output if absent
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}
