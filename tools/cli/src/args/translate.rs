//! Arguments of `translate`.

use std::path::PathBuf;

use clap::Args;

use super::values::outmap;
use super::{EntryOption, GlslVersion, Selection, Target};

/// Translate a vertex program
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica translate lights.shbin
  transpica translate library.shbin --dvle 4 --to glsl --glsl-version 310es
  transpica translate lights.shbin --to spirv -o lights.spv --reflect lights.json
  transpica translate lights.shbin --to reflection    what it reads and writes
  transpica translate --code code.bin --descriptors descriptors.bin --entry 0x10 \\
      --outmap 0=0x03020100 --outmap 1=0x0b0a0908")]
pub struct Translate {
    /// The .shbin file; - reads standard input
    #[arg(required_unless_present = "code")]
    pub file: Option<PathBuf>,
    #[command(flatten)]
    pub raw: Raw,
    #[command(flatten)]
    pub selection: Selection,
    /// Target language
    #[arg(long, value_enum, default_value_t = Target::Wgsl, value_name = "TARGET")]
    pub to: Target,
    /// Version of GLSL, for --to glsl
    #[arg(long, value_enum, default_value_t = GlslVersion::Vulkan450, value_name = "VERSION")]
    pub glsl_version: GlslVersion,
    /// Shape of the entry point, vertex or compute; with --code also the code word where the program starts
    #[arg(long, value_parser = EntryOption::parse, value_name = "SHAPE|N")]
    pub entry: Vec<EntryOption>,
    #[command(flatten)]
    pub geometry: GeometryOptions,
    /// Where the result goes; standard output if absent
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Also write what the program reads and writes, as JSON
    #[arg(long, value_name = "FILE")]
    pub reflect: Option<PathBuf>,
    /// Keep z as the program writes it (-w..0) instead of 0..w
    #[arg(long)]
    pub raw_depth: bool,
    /// Leave colours as written instead of min(|c|, 1)
    #[arg(long)]
    pub raw_colors: bool,
    /// Keep setup constants in the uniform block instead of folding them
    #[arg(long)]
    pub live_constants: bool,
    /// Treat undefined opcodes as NOP
    #[arg(long)]
    pub lenient: bool,
}

impl Translate {
    /// Finds options that cannot go together, where that depends on their values.
    pub fn check(&self) -> Result<(), &'static str> {
        if self.raw.code.is_none() && self.entry.iter().any(|entry| matches!(entry, EntryOption::Word(_))) {
            return Err("only raw --code starts at a word that --entry names; executables name their own");
        }
        Ok(())
    }
}

/// What stands before a geometry program.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct GeometryOptions {
    /// Of a geometry program: number of the vertex program before it; the nearest one in the file, first of those before it,
    /// if absent
    #[arg(long, value_name = "N")]
    pub vertex: Option<usize>,
    /// Of a geometry program: vectors of an invocation (point mode) or uniforms from vertex to vertex (fixed mode); as many
    /// as the vertex program has outputs if absent
    #[arg(long, value_name = "N")]
    pub stride: Option<u8>,
}

/// A program without a container.
#[derive(Args, Clone, Debug)]
pub struct Raw {
    /// Raw code words (little-endian) instead of a .shbin file; of more than 512 the first 512
    #[arg(long, value_name = "FILE", conflicts_with_all = ["file", "dvle"])]
    pub code: Option<PathBuf>,
    /// The raw operand descriptors of --code; none if absent
    #[arg(long, value_name = "FILE", requires = "code", conflicts_with = "file")]
    pub descriptors: Option<PathBuf>,
    /// What the components of oN are, as the output map register has it; may be repeated. o0 is the position if absent
    #[arg(long, value_parser = outmap, value_name = "N=WORD", requires = "code", conflicts_with = "file")]
    pub outmap: Vec<(u8, u32)>,
}
