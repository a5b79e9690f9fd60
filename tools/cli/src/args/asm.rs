//! Arguments of `asm`.

use std::path::{Path, PathBuf};

use clap::Args;

/// Assemble sources in picasso's language into one file
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica asm lights.v.pica -o lights.shbin
  transpica asm points.v.pica points.g.pica -o points.shbin --header points.h

All files share code and operand descriptors; each makes one executable (DVLE), in the order given.
- as output or header is standard output. picasso's -h is --header here, its -n is --no-nop.
Warnings and what --lint finds do not change the exit status; a build can look at --lint --json, a list.")]
pub struct Asm {
    /// The sources; - reads standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Where the binary goes
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Also write a C header with the registers of the uniforms
    #[arg(long, value_name = "FILE")]
    pub header: Option<PathBuf>,
    /// Warn where a padding NOP is needed instead of inserting it
    #[arg(long)]
    pub no_nop: bool,
    /// Also warn of what hardware does not tolerate
    #[arg(long)]
    pub lint: bool,
    /// With --lint: what it finds as JSON on standard output (the assembler's own warnings are not among it)
    #[arg(long, requires = "lint")]
    pub json: bool,
}

impl Asm {
    /// Finds options that cannot go together, where that depends on their values.
    pub fn check(&self) -> Result<(), &'static str> {
        if self.json && self.output == Path::new("-") {
            return Err("the binary and --json both want standard output; give -o a file");
        }
        Ok(())
    }
}
