//! Arguments of `test`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::streams::{Output, Streams};

/// Run test files, and show what caused a wrong output
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica test shaders
  transpica test lights.test.toml --filter light --on batch
  transpica test lights.test.toml --coverage lights.info --junit lights.xml
  transpica test lights.test.toml --mutate            which mistakes would go unnoticed?

A test file is named NAME.test.toml, beside NAME.v.pica, NAME.g.pica or NAME.shbin:
  [uniforms]
  projection = \"identity\"
  modelView = { translate = [0, 0, -4] }
  [[case]]
  name = \"in front of the viewer\"
  attributes = { inpos = [0, 1, 0, 1] }
  expect = { position = [0, 1, -4, 1], color = { near = [1, 0.5, 0, 1], ulp = 2 } }

The documentation of the crate transpica-unit lists all keys.

Exit status 1 if a case failed, a file is malformed, or no case ran.")]
pub struct Test {
    /// Test files, and folders with NAME.test.toml files
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Executor to test; the reference machine always runs as well
    #[arg(long, value_enum, default_value_t = TestMachine::Cpu)]
    pub on: TestMachine,
    /// Part of the GPU's name
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub adapter: Option<String>,
    /// Run only cases with this text in `NAME: case`
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
    /// Write the results to this file in JUnit format
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Write the executed lines and branches to this file in LCOV format, and print a table
    #[arg(long, value_name = "FILE")]
    pub coverage: Option<PathBuf>,
    /// Change the program one detail at a time, and print the changes that no case notices
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
