//! `transpica dis`: a container as assembler text.

use std::path::PathBuf;

use clap::Args;
use transpica_asm::dis::{DisassemblerOptions, disassemble};
use transpica_asm::like::rearranged;

use crate::arguments::Arguments;
use crate::files;
use crate::input::Input;
use crate::report::{Common, Failure};
use crate::streams::Streams;

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

impl Arguments for Dis {
    fn streams(&self) -> Streams<'_> {
        Streams::of_files([&self.file], self.output.as_deref()).with_extensions(["pica", "txt"])
    }
}

/// Runs the command.
pub fn run(&Dis { ref file, hex, ref output }: &Dis, common: &Common) -> Result<(), Failure> {
    let input = Input::open(file)?.remarked(common);
    let container = input.parse()?;
    let text = disassemble(&container, &DisassemblerOptions { hex }).map_err(|error| input.fail(&error))?;
    common.detail(format_args!(
        "{}: {} code words, {} lines; programs: {}",
        file.display(),
        container.package.code.len(),
        text.lines().count(),
        container.executables.len()
    ));
    let rearranged = rearranged(&input.bytes).map_err(|error| input.fail(&error))?;
    if let [first, others @ ..] = rearranged.as_slice() {
        let (file, count) = (file.display(), others.len());
        let others = if count == 0 { String::new() } else { format!(" ({count} more, see -v)") };
        common.note(format_args!(
            "{file}: {first}{others}; `transpica asm --like {file}` keeps every byte that is not edited"
        ));
    }
    for other in rearranged.iter().skip(1) {
        common.detail(format_args!("{}: {other}", file.display()));
    }
    files::write(output.as_deref(), text.as_bytes())
}
