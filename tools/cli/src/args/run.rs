//! Arguments of `run`.

use std::path::PathBuf;

use clap::Args;

use super::{ForRuns, Machine, RouteName, Selection, Settings, values};
use crate::streams::{Output, Streams};

/// Run a program and print its output registers
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica run lights.shbin --seed 7
  transpica run lights.shbin --state state.json --json
  transpica run textured.shbin --trace

--help lists all options by purpose, and shows a state file.")]
#[command(after_long_help = "Examples:
  transpica run lights.shbin --seed 7
  transpica run lights.shbin --save-state state.json
  transpica run lights.shbin --state state.json --json
  transpica run lights.shbin --on gpu --route wgsl
  transpica run textured.shbin --trace

State file:
  { \"uniforms\": { \"c\": {\"0\": [1, 0, 0, 0]}, \"i\": {\"0\": [3, 0, 1, 0]}, \"b\": {\"2\": true} },
    \"vertices\": [ { \"v0\": [0.5, 1, 0, 1], \"v1\": [\"0x3f800000\", \"1/255\", \"-inf\", \"nan\"] } ] }

Names from the file may replace registers:
  { \"uniforms\": { \"texScale\": [1, 1, 0, 0], \"lit\": true },
    \"vertices\": [ { \"inpos\": [0.5, 1, 0, 1] } ] }

For a geometry program, each element is an invocation, and its state carries over to the next; c are the uniforms that receive vertices:
  { \"v0\": [0, 0, 0, 1], \"c\": {\"10\": [1, 2, 3, 4]} }

Promises (--assume): generated inputs keep them. A state file that breaks one is an error (status 1) on CPU and GPU; the message names the first uniform, vertex or result that does.")]
pub struct Run {
    /// A .shbin file or .pica source; - reads standard input
    ///
    /// Sources are assembled first. Wrappers around one container, such as BCSDR, are opened.
    pub file: PathBuf,
    #[command(flatten)]
    pub selection: Selection,
    /// State file with uniforms and vertices [default: generated from --seed]
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,
    /// Write the run's uniforms and vertices to this file, for --state
    #[arg(long, value_name = "FILE")]
    pub save_state: Option<PathBuf>,
    /// Seed of generated inputs
    #[arg(long, default_value_t = 0, value_name = "S", conflicts_with = "state")]
    pub seed: u64,
    /// Generate values that find faults: infinities, NaN, huge and tiny numbers, any index
    /// [default: values like a game's, by names and numbers of registers]
    #[arg(long, conflicts_with = "state", hide_short_help = true)]
    pub stress: bool,
    /// Number of generated vertices, or invocations of a geometry program
    #[arg(long, default_value_t = 4, value_name = "N", conflicts_with = "state", value_parser = values::vertices())]
    pub vertices: usize,
    /// Run the program on CPU or GPU
    #[arg(long, value_enum, default_value_t = Machine::Cpu)]
    pub on: Machine,
    /// Form in which the program reaches the GPU [default: our SPIR-V unchanged, or WGSL if the
    /// driver does not accept SPIR-V]
    #[arg(long, value_enum, hide_short_help = true)]
    pub route: Option<RouteName>,
    /// Part of the GPU's name
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub adapter: Option<String>,
    /// Print every executed instruction before the outputs, even if the run fails (interpreter
    /// only)
    #[arg(long, conflicts_with = "json")]
    pub trace: bool,
    /// Maximum number of instructions per vertex or invocation
    #[arg(long, default_value_t = 1 << 24, value_name = "N", hide_short_help = true)]
    pub budget: u64,
    /// Print as JSON: bits, and the same values as numbers
    #[arg(long)]
    pub json: bool,
    /// List all sixteen output registers of a vertex, even those that are not written or mapped
    #[arg(long, hide_short_help = true)]
    pub all: bool,
    /// Output file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub settings: Settings<ForRuns>,
}

impl Run {
    /// Files and streams that it reads and writes.
    pub fn streams(&self) -> Streams<'_> {
        let inputs = self.settings.files().chain([&self.file]).chain(&self.state);
        let mut streams = Streams::of_files(inputs, self.output.as_deref());
        let saved = self.save_state.as_deref();
        streams.outputs.extend(saved.map(|path| Output::text("--save-state", Some(path))));
        streams
    }
    /// Rejects combinations of options that conflict only for some of their values.
    pub fn check(&self) -> Result<(), String> {
        if self.trace && self.on == Machine::Gpu {
            return Err("--trace needs the interpreter; drop --on gpu".into());
        }
        Ok(())
    }
}
