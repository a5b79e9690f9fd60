//! Arguments of `translate`.

use std::path::PathBuf;

use clap::Args;

use super::values::outmap;
use super::{Entry, EntryOption, GlslVersion, Position, Promises, Selection, Target};
use crate::streams::{Output, Streams};

/// Translate a vertex program
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica translate lights.shbin
  transpica translate lights.shbin -o lights.spv --reflect lights.json
  transpica translate lights.shbin --glsl-version 330 --depth -w..w -o lights.vert    for OpenGL
  transpica translate library.shbin --dvle 4 --to glsl --glsl-version 310es --depth -w..w
  transpica translate lights.shbin --to glsl --glsl-version 300es --profile names.json
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
    /// Target language; if absent that of the file extension of -o (.wgsl, .spv, .vert .comp .glsl,
    /// .hlsl, .metal, .json, .vbc), or WGSL
    #[arg(long, value_enum, value_name = "TARGET")]
    pub to: Option<Target>,
    /// Version of GLSL, for --to glsl; 450 if absent
    #[arg(long, value_enum, value_name = "VERSION")]
    pub glsl_version: Option<GlslVersion>,
    /// Profile of host and driver as JSON: SPIR-V version, bindings, locations, varyings and names
    /// of GLSL; the defaults if absent
    #[arg(long, value_name = "FILE")]
    pub profile: Option<PathBuf>,
    /// Shape of the entry point, vertex, compute or quaternions; with --code also the code word
    /// where the program starts
    #[arg(long, value_parser = EntryOption::parse, value_name = "SHAPE|N")]
    pub entry: Vec<EntryOption>,
    #[command(flatten)]
    pub geometry: GeometryOptions,
    #[command(flatten)]
    pub position: Position,
    #[command(flatten)]
    pub promises: Promises,
    /// Output file; standard output if absent
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write a table of inputs, outputs and uniforms as JSON to this file
    #[arg(long, value_name = "FILE")]
    pub reflect: Option<PathBuf>,
    /// The same as --depth raw
    #[arg(long, conflicts_with = "depth")]
    pub raw_depth: bool,
    /// Leave colors as written instead of min(|c|, 1)
    #[arg(long)]
    pub raw_colors: bool,
    /// Keep setup constants in the uniform block instead of folding them
    #[arg(long)]
    pub live_constants: bool,
    /// Pad the array of relative reads to c127; the host fills c96..c127 with ones
    #[arg(long)]
    pub padded: bool,
    /// Treat undefined opcodes as NOP
    #[arg(long)]
    pub permissive: bool,
}

impl Translate {
    /// Returns the target: that of `--to`, else that of the extension of `-o`, else WGSL.
    pub fn target(&self) -> Target {
        self.to.or(self.named()).unwrap_or(Target::Wgsl)
    }
    /// Returns the target of the extension of `-o`.
    fn named(&self) -> Option<Target> {
        self.output.as_deref().and_then(Target::of_ending)
    }
    /// Returns whether an option that changes a vertex stage's outputs was given.
    pub fn shapes_outputs(&self) -> bool {
        self.position.is_given() || self.raw_depth || self.raw_colors
    }
    /// Rejects combinations of options that conflict only for some of their values.
    pub fn check(&self) -> Result<(), String> {
        if self.raw.code.is_none() && self.entry.iter().any(|entry| matches!(entry, EntryOption::Word(_))) {
            return Err(
                "only raw --code starts at a word that --entry names; executables name their own".into()
            );
        }
        if let (Some(to), Some(named), Some(path)) = (self.to, self.named(), &self.output)
            && to != named
        {
            let (to, named) = (to.name(), named.name());
            let path = path.display();
            return Err(format!(
                "{path} is a name for {named}, --to says {to}; leave --to out, or change one of them"
            ));
        }
        let target = self.target();
        if self.glsl_version.is_some() && target != Target::Glsl {
            return Err(format!("--glsl-version is for --to glsl, this is {}", target.name()));
        }
        let is_compute = self.entry.contains(&EntryOption::Shape(Entry::Compute));
        if is_compute && self.shapes_outputs() {
            return Err(format!("{NO_OUTPUTS}; --entry compute gives raw registers"));
        }
        Ok(())
    }
    /// Files and streams that it reads and writes.
    pub fn streams(&self) -> Streams<'_> {
        let Raw { code, descriptors, outmap: _ } = &self.raw;
        let inputs = [&self.file, code, descriptors, &self.profile].into_iter().flatten();
        let mut streams = Streams::of_files(inputs, self.output.as_deref());
        if self.target() == Target::Spirv {
            let instead = "give -o a file, or take --to spirv-asm for text";
            streams.outputs[0].binary = Some(instead);
        }
        if self.target() == Target::Vbc {
            streams.outputs[0].binary = Some("give -o a file; transpica info prints its tables");
        }
        let reflect = self.reflect.as_deref();
        streams.outputs.extend(reflect.map(|path| Output::text("--reflect", Some(path))));
        streams
    }
}

/// Message for output options of a program that has no such outputs.
pub const NO_OUTPUTS: &str = "--depth, --flip-y, --clip, --raw-depth and --raw-colors are for vertex stages";

/// Connection of a geometry program to its vertex program.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct GeometryOptions {
    /// Of a geometry program: number of the vertex program before it; if absent the nearest one in
    /// the file, preferably one before it
    #[arg(long, value_name = "N", conflicts_with = "code")]
    pub vertex: Option<usize>,
    /// Of a geometry program: vectors of an invocation (point mode) or uniforms from vertex to
    /// vertex (fixed mode); if absent the number of the vertex program's outputs
    #[arg(long, value_name = "N", conflicts_with = "code")]
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
    /// Semantics of the components of oN, as an output map register has them; may be repeated. o0
    /// is the position if absent
    #[arg(long, value_parser = outmap, value_name = "N=WORD", requires = "code", conflicts_with = "file")]
    pub outmap: Vec<(u8, u32)>,
}
