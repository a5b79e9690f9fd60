//! Arguments of `asm`.

use std::path::PathBuf;

use clap::Args;

use super::{BindingFiles, Denied, denied};
use crate::streams::{Output, Streams};

/// Assemble sources in picasso's language into one file
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica asm lights.v.pica -o lights.shbin
  transpica asm points.v.pica points.g.pica -o points.shbin --header points.h
  transpica asm points.shlist -o points.shbin --bind-c points_shbin.h -MD points.d
  transpica dis lights.shbin -o a.pica && transpica asm a.pica --like lights.shbin -o a.shbin

All files share code and operand descriptors; each makes one executable (DVLE), in the order given. \
- as output or header is standard output. picasso's -h is --header here, its -n is --no-nop.

A program without an end is warned of without --lint, too. Warnings and what --lint finds do not change the exit status; what --deny names does, and then nothing \
is written.

--json lists as messages the errors, or what --lint finds: severity, rule (none for errors), message, \
file, line, column, help or explanation.")]
pub struct Asm {
    /// The sources, or lists of them (.shlist); - reads standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Output file (.shbin)
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Write a C header with the registers of the uniforms to this file
    #[arg(long, value_name = "FILE")]
    pub header: Option<PathBuf>,
    /// Keep the layout of this file, whose text from dis the sources are
    ///
    /// Tables, names and descriptors stay where it has them, and without an edit all bytes do. A
    /// warning names what cannot stay; -v lists each table that differs.
    #[arg(long, value_name = "FILE")]
    pub like: Option<PathBuf>,
    #[command(flatten)]
    pub bindings: BindingFiles,
    /// Warn where a padding NOP is needed instead of inserting it
    #[arg(long)]
    pub no_nop: bool,
    /// Warn of mistakes that hardware does not tolerate
    #[arg(long)]
    pub lint: bool,
    /// Imply --lint, and write nothing on a finding of this rule; may be repeated
    #[arg(long, value_name = "RULE", value_parser = denied())]
    pub deny: Vec<Denied>,
    /// Print errors and lint findings as JSON on standard output
    ///
    /// The assembler's own warnings are not in it.
    #[arg(long)]
    pub json: bool,
}

impl Asm {
    /// Files and streams that it reads and writes.
    pub fn streams(&self) -> Streams<'_> {
        let mut streams = Streams::of_files(self.files.iter().chain(&self.like), Some(&self.output));
        let instead = "give -o a file; transpica dis prints one as text, transpica info its tables";
        streams.outputs[0].binary = Some(instead);
        streams.outputs.extend(self.header.as_deref().map(|path| Output::text("--header", Some(path))));
        streams.outputs.extend(self.bindings.outputs());
        streams.outputs.extend(self.json.then(|| Output::text("--json", None)));
        streams
    }
}
