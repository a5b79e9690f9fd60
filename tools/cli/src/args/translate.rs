//! Arguments of `translate`.

use std::path::PathBuf;

use clap::Args;
use transpica::GlslVersion;

use super::endings::disagreement;
use super::values::{glsl_version, outmap};
use super::{Batch, Entry, EntryOption, ForModules, Selection, Settings, Target};
use crate::streams::{Output, Streams};

/// Translate a program, or every program in many files
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica translate lights.shbin
  transpica translate lights.shbin -o lights.spv --reflect lights.json
  transpica translate lights.shbin --glsl-version 330 --depth -w..w -o lights.vert    for OpenGL
  transpica translate dumps --to spirv,wgsl,reflection --out-dir out

--help lists all options by purpose.")]
#[command(after_long_help = "Examples:
  transpica translate lights.shbin
  transpica translate lights.shbin -o lights.spv --reflect lights.json
  transpica translate lights.shbin --glsl-version 330 --depth -w..w -o lights.vert    for OpenGL
  transpica translate library.shbin --dvle 4 --to glsl --glsl-version 310es --depth -w..w
  transpica translate lights.shbin --to glsl --glsl-version 300es --profile names.json
  transpica translate lights.shbin --preset azahar-vulkan --loop-guard none -o lights.spv
  transpica translate lights.shbin --to reflection    what it reads and writes
  transpica translate dumps --to spirv,wgsl,reflection --out-dir out
  transpica translate dumps --to spirv --out-dir out --shard 3/64
  transpica translate --code code.bin --descriptors descriptors.bin --entry 0x10 \\
      --outmap 0=0x03020100 --outmap 1=0x0b0a0908")]
pub struct Translate {
    /// A .shbin file or .pica source; - reads standard input. With --out-dir, folders too
    ///
    /// Sources are assembled first. Wrappers around one container, such as BCSDR, are opened.
    #[arg(id = "file", value_name = "FILE", required_unless_present = "code")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub raw: Raw,
    #[command(flatten)]
    pub selection: Selection,
    /// Target language [default: by the extension of -o, else WGSL]
    ///
    /// The extensions are .wgsl, .spv, .vert .comp .geom .glsl, .hlsl, .metal, .json and .vbc. With
    /// --out-dir it may be a list such as spirv,reflection.
    #[arg(long, value_enum, value_name = "TARGET", value_delimiter = ',')]
    pub to: Vec<Target>,
    #[command(flatten)]
    pub batch: Batch,
    /// GLSL version, for --to glsl [default: 450]
    #[arg(long, value_parser = glsl_version(), value_name = "VERSION")]
    pub glsl_version: Option<GlslVersion>,
    /// Kind of entry point: vertex, compute or quaternions; with --code, also the code word at
    /// which the program starts
    #[arg(long, hide_short_help = true, value_parser = EntryOption::parse, value_name = "SHAPE|N")]
    pub entry: Vec<EntryOption>,
    #[command(flatten)]
    pub geometry: GeometryOptions,
    /// Output file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write a table of inputs, outputs and uniforms to this file, as JSON
    #[arg(long, value_name = "FILE")]
    pub reflect: Option<PathBuf>,
    /// Write the instruction addresses of each line of the result to this file, as JSON
    #[arg(long, value_name = "FILE", conflicts_with = "reflect", hide_short_help = true)]
    pub source_map: Option<PathBuf>,
    /// Text to mix into the program's key, such as a driver's name; -v prints the key
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true, hide_short_help = true)]
    pub salt: String,
    #[command(flatten)]
    pub settings: Settings<ForModules>,
}

impl Translate {
    /// Returns the targets, each once: those of `--to`, else that of the extension of `-o`, else
    /// WGSL.
    pub fn targets(&self) -> Vec<Target> {
        let mut targets: Vec<Target> = Vec::new();
        for &target in &self.to {
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
        if targets.is_empty() {
            targets.push(self.named().unwrap_or(Target::Wgsl));
        }
        targets
    }
    /// Returns the target of the extension of `-o`.
    fn named(&self) -> Option<Target> {
        self.output.as_deref().and_then(Target::of_ending)
    }
    /// Returns whether an option that changes a vertex stage's outputs was given.
    pub fn shapes_outputs(&self) -> bool {
        self.settings.changes("outputs")
    }
    /// Rejects combinations of options that conflict only for some of their values.
    pub fn check(&self) -> Result<(), String> {
        if self.raw.code.is_none() && self.entry.iter().any(|entry| matches!(entry, EntryOption::Word(_))) {
            return Err(
                "--entry takes a code word only with --code; executables have their own entry point".into()
            );
        }
        self.check_count()?;
        if let ([to], Some(named), Some(path)) = (self.to.as_slice(), self.named(), &self.output)
            && *to != named
        {
            return Err(disagreement(path, named.name(), "--to", to.name()));
        }
        let targets = self.targets();
        if self.glsl_version.is_some() && !targets.contains(&Target::Glsl) {
            return Err(format!("--glsl-version needs --to glsl, but the target is {}", targets[0].name()));
        }
        if self.source_map.is_some() && !targets[0].has_source_map() {
            return Err(format!(
                "--source-map needs wgsl, glsl, spirv or spirv-asm, but the target is {}",
                targets[0].name()
            ));
        }
        let is_compute = self.entry.contains(&EntryOption::Shape(Entry::Compute));
        if is_compute && self.shapes_outputs() {
            return Err(format!("{NO_OUTPUTS}; --entry compute returns raw registers"));
        }
        Ok(())
    }
    /// Rejects several files or targets without a folder for the results.
    fn check_count(&self) -> Result<(), String> {
        if self.batch.out_dir.is_some() {
            return Ok(());
        }
        let several = match (self.files.len(), self.targets().len()) {
            (2.., _) => "several files",
            (_, 2..) => "several targets",
            (1, _) if self.files[0].is_dir() => "the programs of a folder",
            _one_of_each => return Ok(()),
        };
        Err(format!("{several} need a folder for the results; add --out-dir DIR"))
    }
    /// Files and streams that it reads and writes.
    pub fn streams(&self) -> Streams<'_> {
        let Raw { code, descriptors, outmap: _ } = &self.raw;
        let others = [code, descriptors].into_iter().flatten().chain(self.settings.files());
        let mut streams = Streams::of_files(self.files.iter().chain(others), self.output.as_deref());
        if self.targets() == [Target::Spirv] && self.batch.out_dir.is_none() {
            let instead = if cfg!(feature = "spirv-asm") {
                "use -o FILE, or --to spirv-asm for text"
            } else {
                "use -o FILE"
            };
            streams.outputs[0].binary = Some(instead);
        }
        if self.targets() == [Target::Vbc] && self.batch.out_dir.is_none() {
            streams.outputs[0].binary = Some("use -o FILE; transpica info prints its tables");
        }
        let source_map = self.source_map.as_deref();
        streams.outputs.extend(source_map.map(|path| Output::text("--source-map", Some(path))));
        let reflect = self.reflect.as_deref();
        streams.outputs.extend(reflect.map(|path| Output::text("--reflect", Some(path))));
        streams
    }
}

/// Message for output options of a program that has no such outputs.
pub const NO_OUTPUTS: &str = "--depth, --flip-y, --clip and other output options are for vertex stages";

/// Connection of a geometry program to its vertex program.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct GeometryOptions {
    /// For a geometry program: number of the vertex program before it [default: the nearest in the
    /// file, preferably an earlier one]
    #[arg(long, value_name = "N", conflicts_with = "code", hide_short_help = true)]
    pub vertex: Option<usize>,
    /// For a geometry program: vectors per invocation (point mode) or uniforms from one vertex to
    /// the next (fixed mode) [default: the number of the vertex program's outputs]
    #[arg(long, value_name = "N", conflicts_with = "code", hide_short_help = true)]
    pub stride: Option<u8>,
}

/// A program without a container.
#[derive(Args, Clone, Debug)]
pub struct Raw {
    /// Raw code words (little-endian) instead of a .shbin file; only the first 512 count
    #[arg(long, hide_short_help = true, value_name = "FILE", conflicts_with_all = ["file", "dvle"])]
    pub code: Option<PathBuf>,
    /// Raw operand descriptors for --code [default: none]
    #[arg(long, value_name = "FILE", requires = "code", conflicts_with = "file", hide_short_help = true)]
    pub descriptors: Option<PathBuf>,
    /// Semantics of the components of oN, encoded as in an output map register; may be repeated
    /// [default: o0 is the position]
    #[arg(long, value_parser = outmap, value_name = "N=WORD", requires = "code", conflicts_with = "file", hide_short_help = true)]
    pub outmap: Vec<(u8, u32)>,
}
