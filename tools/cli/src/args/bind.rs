//! Arguments of `bind`, and files of bindings that `asm` writes as well.

use std::path::PathBuf;

use clap::Args;

use crate::streams::{Output, Streams};

/// Write typed C or Rust bindings for a shader
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica bind lights.shbin --bind-c lights.h
  transpica bind points.shbin --bind-rust points.rs -MD points.d

The C header has register numbers, a vertex structure, and functions that set each uniform by name through citro3d. Without citro3d.h, or with TRANSPICA_PLAIN, it has only numbers and structures.

The Rust module has the file, register numbers, a vertex structure, and functions that pass each uniform to a function of yours. It depends on no crate.

asm takes the same options.")]
pub struct Bind {
    /// The .shbin file or .pica source
    pub file: PathBuf,
    #[command(flatten)]
    pub bindings: BindingFiles,
}

/// Files of bindings.
#[derive(Args, Clone, Debug, Default)]
pub struct BindingFiles {
    /// Write a C header to this file
    #[arg(long, value_name = "FILE")]
    pub bind_c: Option<PathBuf>,
    /// Write a Rust module to this file
    #[arg(long, value_name = "FILE")]
    pub bind_rust: Option<PathBuf>,
    /// Write a make rule that lists all sources to this file; also -MD FILE
    #[arg(long, value_name = "FILE")]
    pub dependencies: Option<PathBuf>,
}

impl BindingFiles {
    /// The outputs.
    pub fn outputs(&self) -> impl Iterator<Item = Output<'_>> {
        let Self { bind_c, bind_rust, dependencies } = self;
        let all = [("--bind-c", bind_c), ("--bind-rust", bind_rust), ("--dependencies", dependencies)];
        all.into_iter().filter_map(|(option, path)| Some(Output::text(option, Some(path.as_deref()?))))
    }
}

impl Bind {
    /// Rejects a call that writes nothing.
    pub fn check(&self) -> Result<(), String> {
        match (&self.bindings.bind_c, &self.bindings.bind_rust) {
            (None, None) => Err("nothing to write; add --bind-c FILE or --bind-rust FILE".into()),
            (Some(_), _) | (_, Some(_)) => Ok(()),
        }
    }
    /// Files and streams that it reads and writes.
    pub fn streams(&self) -> Streams<'_> {
        Streams { outputs: self.bindings.outputs().collect(), ..Streams::of_files([&self.file], None) }
    }
}
