//! `transpica bind`: typed bindings of a file. `asm` writes them as well.

use std::path::{Path, PathBuf};

use clap::Args;
use transpica::Shbin;
use transpica_asm::vertex::VertexFormat;
use transpica_build::bindings::Bindings;
use transpica_build::dependencies;

use crate::arguments::Arguments;
use crate::files;
use crate::input::Input;
use crate::report::{Common, Failure};
use crate::streams::Streams;

/// Write typed C or Rust bindings for a shader
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica bind lights.shbin --bind-c lights.h
  transpica bind points.shbin --bind-rust points.rs -MD points.d

The C header has the file, register numbers, a vertex structure, and functions that make the program and set each uniform by name through citro3d. Without citro3d.h, or with TRANSPICA_PLAIN, it has only the file, numbers and structures.

The Rust module has the file, register numbers, a vertex structure, and functions that pass each uniform to a function of yours. It depends on no crate.

asm takes the same options.")]
pub struct Bind {
    /// The .shbin file or .pica source
    pub file: PathBuf,
    #[command(flatten)]
    pub bindings: BindingFiles,
}

/// Files of bindings.
#[derive(Args, Clone, Debug, Default, PartialEq, Eq)]
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
    /// Adds the files to the outputs of a command.
    pub fn add_to<'a>(&'a self, streams: Streams<'a>) -> Streams<'a> {
        let streams = streams.and("--bind-c", self.bind_c.as_ref());
        let streams = streams.and("--bind-rust", self.bind_rust.as_ref());
        streams.and("--dependencies", self.dependencies.as_ref())
    }
}

impl Arguments for Bind {
    /// Rejects a call that writes nothing.
    fn check(&self) -> Result<(), String> {
        match (&self.bindings.bind_c, &self.bindings.bind_rust) {
            (None, None) => Err("nothing to write; add --bind-c FILE or --bind-rust FILE".into()),
            (Some(_), _) | (_, Some(_)) => Ok(()),
        }
    }
    fn streams(&self) -> Streams<'_> {
        let inputs = vec![self.file.as_path()];
        self.bindings.add_to(Streams { inputs, ..Streams::default() })
    }
}

/// Runs the command.
pub fn run(Bind { file, bindings }: &Bind, common: &Common) -> Result<(), Failure> {
    let input = Input::open(file)?.remarked(common);
    let sources = std::slice::from_ref(file);
    let texts = texts(bindings, (&input.bytes, input.formats()), file, sources, &[]);
    let texts = texts.map_err(|error| input.fail(&error))?;
    files::write_all(&texts.iter().map(|(path, text)| (Some(*path), text.as_bytes())).collect::<Vec<_>>())
}

/// Returns the texts of the bindings of a file with the paths that they go to. `sources` and
/// `targets` are what it was made of, and what else was.
pub fn texts<'a>(
    to: &'a BindingFiles,
    (bytes, formats): (&[u8], &[Vec<VertexFormat>]),
    path: &Path,
    sources: &[PathBuf],
    targets: &[&Path],
) -> Result<Vec<(&'a Path, String)>, transpica::Error> {
    let BindingFiles { bind_c, bind_rust, dependencies: rule } = to;
    let mut texts = Vec::new();
    if bind_c.is_some() || bind_rust.is_some() {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let bindings = Bindings::new(&Shbin::parse(bytes)?, transpica_asm::stem(&name), formats)?;
        if let Some(header) = bind_c {
            texts.push((header.as_path(), bindings.c(bytes)));
        }
        if let Some(module) = bind_rust {
            texts.push((module.as_path(), bindings.rust(&seen_from(module, path))));
        }
    }
    if let Some(rule) = rule {
        let show = |path: &Path| path.display().to_string();
        let made = targets.iter().copied().chain(texts.iter().map(|(path, _)| *path));
        let made: Vec<String> = made.map(show).collect();
        let sources: Vec<String> = sources.iter().map(|path| show(path)).collect();
        texts.push((rule.as_path(), dependencies(&made, &sources)));
    }
    Ok(texts)
}

/// Returns a file's path as a module names it: its name in the same folder, else from the root.
fn seen_from(module: &Path, path: &Path) -> String {
    let folder =
        |path: &Path| std::path::absolute(path).ok().and_then(|path| Some(path.parent()?.to_path_buf()));
    match path.file_name() {
        Some(name) if folder(module) == folder(path) => name.to_string_lossy().into_owned(),
        Some(_) | None => {
            let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
            absolute.to_string_lossy().into_owned()
        }
    }
}
