//! Arguments of `test`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::streams::{Output, Streams};

/// Run the cases of test files, and show what made a wrong output
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica test shaders
  transpica test lights.test.toml --filter light --on batch
  transpica test lights.test.toml --coverage lights.info --junit lights.xml
  transpica test lights.test.toml --mutate            which mistakes would no case notice?

A file is named NAME.test.toml and lies beside NAME.v.pica, NAME.g.pica or NAME.shbin:
  [uniforms]
  projection = \"identity\"
  modelView = { translate = [0, 0, -4] }
  [[case]]
  name = \"in front of the viewer\"
  attributes = { inpos = [0, 1, 0, 1] }
  expect = { position = [0, 1, -4, 1], color = { near = [1, 0.5, 0, 1], ulp = 2 } }

The documentation of the crate transpica-unit has all keys.

Exit status 1 if a case failed, a file is malformed, or no case ran.")]
pub struct Test {
    /// Test files, and folders with files NAME.test.toml
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Executor whose outputs are compared; the reference machine runs in any case
    #[arg(long, value_enum, default_value_t = TestMachine::Cpu)]
    pub on: TestMachine,
    /// Part of the name of the GPU
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub adapter: Option<String>,
    /// Only cases with this text in `NAME: case`
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// As JSON
    #[arg(long)]
    pub json: bool,
    /// Write results in the format of JUnit to this file
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Write lines and branches that ran to this file, in the format of LCOV, and print a table
    #[arg(long, value_name = "FILE")]
    pub coverage: Option<PathBuf>,
    /// Change one detail of the program after the other, and print changes that no case notices
    #[arg(long, conflicts_with = "filter")]
    pub mutate: bool,
    /// Write the pictures of cases instead of comparing them
    #[arg(long, conflicts_with_all = ["mutate", "watch"])]
    pub bless: bool,
    /// Run again whenever a file changes
    #[arg(long, conflicts_with_all = ["json", "junit", "coverage", "mutate"])]
    pub watch: bool,
}

/// Executor of cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TestMachine {
    /// The reference machine
    Cpu,
    /// 64 vertices side by side
    Batch,
    /// A module on the GPU
    Gpu,
}

impl Test {
    /// Files and streams that it reads and writes.
    pub fn streams(&self) -> Streams<'_> {
        let files = [("--junit", &self.junit), ("--coverage", &self.coverage)];
        let files =
            files.into_iter().filter_map(|(option, path)| Some(Output::text(option, Some(path.as_deref()?))));
        let outputs = [Output::text("the report", None)].into_iter().chain(files).collect();
        Streams { trees: &self.paths, outputs, ..Streams::default() }
    }
}
