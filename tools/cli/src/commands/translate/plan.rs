//! Inputs of a batch and the names of its results, before anything is read.
//! In: paths, a pattern of names, a shard. Out: inputs in the order of their relative paths, of
//! which no two have results of one name. Knows no program.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::names::{NamePart, NamePattern};
use super::target::Target;
use crate::commands::manifest::Shard;
use crate::files;
use crate::report::Failure;

/// A file to translate, or a place that cannot be read.
#[derive(Clone, Debug)]
pub struct Input {
    /// Path to read it by.
    pub path: PathBuf,
    /// Folder of its results below the folder of all results.
    pub folder: PathBuf,
    /// Path below the given folder, as [`spelled`].
    pub relative: String,
    /// The reason why it cannot be read, if known.
    pub fault: Option<String>,
}

impl Input {
    /// Returns the path of a result below the folder of the batch.
    pub fn output(&self, pattern: &NamePattern, number: &str, target: Target, ending: &str) -> PathBuf {
        let name = self.path.file_name().unwrap_or_default();
        let mut out = OsString::new();
        for part in &pattern.parts {
            match part {
                NamePart::Text(text) => out.push(text),
                NamePart::Stem => out.push(self.path.file_stem().unwrap_or(name)),
                NamePart::Name => out.push(name),
                NamePart::Number => out.push(number),
                NamePart::Target => out.push(target.option()),
                NamePart::Ending => out.push(ending),
            }
        }
        self.folder.join(out)
    }
}

/// Returns a path as manifests spell it, on every system and without loss: `/` between parts,
/// `\xNN` for bytes that are not UTF-8, `\\` for a backslash.
pub fn spelled(path: &Path) -> String {
    let mut text = String::new();
    for (index, part) in path.iter().enumerate() {
        if index > 0 {
            text.push('/');
        }
        for chunk in part.as_encoded_bytes().utf8_chunks() {
            text.push_str(&chunk.valid().replace('\\', "\\\\"));
            text.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
        }
    }
    text
}

/// Returns all inputs of a shard, sorted by relative path.
///
/// # Errors
/// No input at all, or two inputs whose results would have one name. Inputs of other shards count,
/// too.
pub fn inputs(paths: &[PathBuf], pattern: &NamePattern, shard: Option<Shard>) -> Result<Vec<Input>, Failure> {
    let mut all = Vec::new();
    for path in paths {
        if path == Path::new("-") {
            let hint = "name files or folders, or drop --out-dir";
            return Err(Failure::usage("--out-dir cannot name the results of standard input").hint(hint));
        }
        // Several folders keep their names, so that equal paths below them are not a collision.
        let prefix = if paths.len() > 1 && path.is_dir() { name_of(path) } else { PathBuf::new() };
        let folder = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
        let relative = |path: &Path| prefix.join(path.strip_prefix(folder).unwrap_or(path));
        for found in files::walk(path, files::has_programs) {
            all.push(match found {
                Ok(file) => input(relative(&file), file, None),
                Err(error) => {
                    let path = error.path().unwrap_or(folder).to_path_buf();
                    input(relative(&path), path, Some(files::reason(&error)))
                }
            });
        }
    }
    if all.is_empty() {
        return Err(files::no_programs());
    }
    all.sort_by(|a, b| a.relative.cmp(&b.relative));
    check(&all, pattern)?;
    if let Some(Shard { index, count }) = shard {
        all.retain(|input| xxh3_64(input.relative.as_bytes()) % u64::from(count) == u64::from(index));
    }
    Ok(all)
}

/// Returns the name of a folder, also of one like `..`.
fn name_of(folder: &Path) -> PathBuf {
    let named = |path: &Path| path.file_name().map(PathBuf::from);
    named(folder).or_else(|| folder.canonicalize().ok().and_then(|path| named(&path))).unwrap_or_default()
}

fn input(relative: PathBuf, path: PathBuf, fault: Option<String>) -> Input {
    let folder = relative.parent().map(Path::to_path_buf).unwrap_or_default();
    Input { path, folder, relative: spelled(&relative), fault }
}

/// Checks that no two inputs have results of one name. The number of the program is a constant
/// here, which a [`NamePattern`] allows.
fn check(inputs: &[Input], pattern: &NamePattern) -> Result<(), Failure> {
    let mut owners: HashMap<u128, &Input> = HashMap::with_capacity(inputs.len());
    for input in inputs.iter().filter(|input| input.fault.is_none()) {
        let name = spelled(&input.output(pattern, "n", Target::Wgsl, "wgsl"));
        // These systems find a file under names of other case.
        let name = if cfg!(any(windows, target_os = "macos")) { name.to_lowercase() } else { name };
        if let Some(other) = owners.insert(xxh3_128(name.as_bytes()), input) {
            let [first, second] = [other, input].map(|input| input.path.display());
            let hint = "use a --name pattern with {name}, or translate them into separate folders";
            return Err(
                Failure::new(format!("{first} and {second} would both be written to {name}")).hint(hint)
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_spelled_without_loss() {
        assert_eq!(spelled(Path::new("a/b c.shbin")), "a/b c.shbin");
        #[cfg(unix)]
        {
            use std::ffi::OsStr;
            use std::os::unix::ffi::OsStrExt;
            let path = |bytes: &'static [u8]| Path::new(OsStr::from_bytes(bytes));
            assert_eq!(spelled(path(b"a\xff/\xc3\xa4\\.shbin")), "a\\xff/ä\\\\.shbin");
            assert_ne!(spelled(path(b"\xff")), spelled(path(b"\\xff")));
        }
    }
}
