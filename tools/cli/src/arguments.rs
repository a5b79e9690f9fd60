//! Shared parts of the arguments of several commands: checks before a command runs, results as text
//! or JSON, values of options.
//! Knows no command.

use std::path::PathBuf;

use clap::builder::RangedU64ValueParser;
use clap::{Args, ValueEnum};

use crate::files;
use crate::report::Failure;
use crate::streams::{Streams, named};

/// The arguments of a command, as checked before it runs.
pub trait Arguments {
    /// Rejects combinations of options that conflict only for some of their values.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
    /// Returns the files and streams that it reads and writes; by default it prints a text.
    fn streams(&self) -> Streams<'_> {
        Streams::of_files([], None)
    }
}

/// The result of a command that prints text or JSON.
#[derive(Args, Clone, Debug)]
pub struct Results {
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
    /// Output file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

impl Results {
    /// Returns the streams of a command that reads these files.
    pub fn streams<'a>(&'a self, inputs: impl IntoIterator<Item = &'a PathBuf>) -> Streams<'a> {
        let mut streams = Streams::of_files(inputs, self.output.as_deref()).with_extensions(["txt", "json"]);
        streams.outputs[0].is_json = self.json;
        streams
    }
    /// Returns whether the result is JSON, by the option or by the extension.
    pub fn is_json(&self) -> bool {
        self.json || named(self.output.as_deref(), &[("json", ())]).is_some()
    }
    /// Writes the result.
    pub fn write(&self, text: &str) -> Result<(), Failure> {
        files::write(self.output.as_deref(), text.as_bytes())
    }
}

/// `--on`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Machine {
    /// The reference interpreter
    Cpu,
    /// The translated program on wgpu
    Gpu,
}

/// `--route`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RouteName {
    /// Our SPIR-V, unchanged (exact)
    Spirv,
    /// Our SPIR-V through naga
    SpirvNaga,
    /// Our WGSL text, parsed by naga (also called `naga`)
    #[value(alias = "naga")]
    Wgsl,
}

/// Most vertices of a run: their inputs take 256 MiB.
const VERTICES: u64 = 1 << 20;

/// Parses a number of vertices.
pub fn vertices() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(0..=VERTICES)
}
