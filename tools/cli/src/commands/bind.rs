//! `transpica bind`: typed bindings of a file. `asm` writes them as well.

use std::path::{Path, PathBuf};

use transpica::Shbin;
use transpica_build::bindings::Bindings;
use transpica_build::dependencies;

use super::Input;
use crate::args::{Bind, BindingFiles, Common};
use crate::files;
use crate::report::Failure;

pub fn run(Bind { file, bindings }: &Bind, common: &Common) -> Result<(), Failure> {
    let input = Input::open(file)?.remarked(common);
    let texts = texts(bindings, &input.parse()?, file, std::slice::from_ref(file), &[]);
    let texts = texts.map_err(|error| input.fail(&error))?;
    files::write_all(&texts.iter().map(|(path, text)| (Some(*path), text.as_bytes())).collect::<Vec<_>>())
}

/// Returns the texts of the bindings of a file with the paths that they go to. `sources` and
/// `targets` are what it was made of, and what else was.
pub fn texts<'a>(
    to: &'a BindingFiles,
    file: &Shbin<'_>,
    path: &Path,
    sources: &[PathBuf],
    targets: &[&Path],
) -> Result<Vec<(&'a Path, String)>, transpica::Error> {
    let BindingFiles { bind_c, bind_rust, dependencies: rule } = to;
    let mut texts = Vec::new();
    if bind_c.is_some() || bind_rust.is_some() {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        // The name of lights.v.pica is lights.
        let bindings = Bindings::new(file, name.split('.').next().unwrap_or_default())?;
        if let Some(header) = bind_c {
            texts.push((header.as_path(), bindings.c()));
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
