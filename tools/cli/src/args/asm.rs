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

All files share code and operand descriptors; each becomes one executable (DVLE), in the order given. As output or header, - is standard output. picasso's -h is --header here, and its -n is --no-nop.

A program without an end causes a warning even without --lint. Warnings and lint findings do not change the exit status; findings that --deny names do, and then nothing is written.

--json lists errors, or lint findings, as messages: severity, rule (none for errors), message, \
file, line, column, help or explanation.")]
pub struct Asm {
    /// Sources, or lists of them (.shlist); - reads standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Output file (.shbin)
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Write a C header with the uniforms' registers to this file
    #[arg(long, value_name = "FILE")]
    pub header: Option<PathBuf>,
    /// Keep the layout of this file, from which dis made the sources
    ///
    /// Tables, names and descriptors keep their places, and unedited sources reproduce every byte.
    /// A warning names what could not be kept; -v lists each table that differs.
    #[arg(long, value_name = "FILE")]
    pub like: Option<PathBuf>,
    #[command(flatten)]
    pub bindings: BindingFiles,
    /// Warn where a padding NOP is needed instead of inserting it
    #[arg(long)]
    pub no_nop: bool,
    /// Warn about mistakes that hardware does not tolerate
    #[arg(long)]
    pub lint: bool,
    /// Imply --lint, and write nothing if this rule finds something; may be repeated
    #[arg(long, value_name = "RULE", value_parser = denied())]
    pub deny: Vec<Denied>,
    /// Print errors and lint findings as JSON on standard output
    ///
    /// The assembler's own warnings are not included.
    #[arg(long)]
    pub json: bool,
}

impl Asm {
    /// Files and streams that it reads and writes.
    pub fn streams(&self) -> Streams<'_> {
        let mut streams = Streams::of_files(self.files.iter().chain(&self.like), Some(&self.output));
        let instead = "use -o FILE; transpica dis prints a file as text, transpica info prints its tables";
        streams.outputs[0].binary = Some(instead);
        streams.outputs.extend(self.header.as_deref().map(|path| Output::text("--header", Some(path))));
        streams.outputs.extend(self.bindings.outputs());
        streams.outputs.extend(self.json.then(|| Output::text("--json", None)));
        streams
    }
}
