//! One file for each subcommand, and what they share: opening a file, picking a program.

mod asm;
mod cfg;
mod compare;
mod dis;
mod geometry;
mod info;
mod lint;
mod run;
mod survey;
mod translate;

use std::path::{Path, PathBuf};

use transpica::container::Shbin;
use transpica::error::Error;
use transpica::host::dvle;
use transpica::isa::Program;
use transpica::limits::Limits;

use crate::args::{Cli, Command};
use crate::files;
use crate::report::Failure;

/// Runs the command that was asked for.
pub fn run(cli: Cli) -> Result<(), Failure> {
    let common = cli.common;
    match cli.command {
        Command::Translate { .. } => translate::run(cli.command, &common),
        Command::Info { file, lint, json, output } => info::run(&file, lint, json, output.as_deref()),
        Command::Asm { files, output, header, no_nop, lint, json } => {
            let wanted = asm::Wanted { no_nop, lint, json };
            asm::run(&files, &output, header.as_deref(), wanted, &common)
        }
        Command::Dis { file, hex, output } => dis::run(&file, hex, output.as_deref()),
        Command::Run { .. } => run::run(cli.command, &common),
        Command::Compare { .. } => compare::run(cli.command, &common),
        Command::Survey { .. } => survey::run(cli.command, &common),
        Command::Cfg { file, selection, stage, format, output } => {
            cfg::run(&file, &selection, stage, format, output.as_deref())
        }
    }
}

/// A file in memory with its name.
struct Input {
    path: PathBuf,
    bytes: Vec<u8>,
}

impl Input {
    fn read(path: &Path) -> Result<Self, Failure> {
        Ok(Self { path: path.to_path_buf(), bytes: files::read(path)? })
    }
    /// The name in header comments: the file's own, without folders.
    fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        if self.path == Path::new("-") {
            "standard input".into()
        } else {
            name.to_string_lossy().into_owned()
        }
    }
    fn parse(&self) -> Result<Shbin<'_>, Failure> {
        Shbin::parse(&self.bytes).map_err(|error| self.fail(&error))
    }
    fn program(&self, file: &Shbin<'_>, index: usize) -> Result<Program<'static>, Failure> {
        dvle::program(file, index, &Limits::default()).map_err(|error| self.fail(&error))
    }
    fn fail(&self, error: &Error) -> Failure {
        Failure::at(&self.path, error)
    }
}
