//! Checks of inputs and outputs: no output is an input, no two outputs are the same file, no binary
//! goes to a terminal, the extension of an output names a format that the command writes.
//! In: paths as given. Out: an error, before anything is read or written.

use std::fs::{self, File, Metadata};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use crate::files;

/// One output of a command.
#[derive(Debug)]
pub struct Output<'a> {
    /// The option that requests it.
    pub option: &'static str,
    /// Its file; `None` or `-` means standard output.
    pub path: Option<&'a Path>,
    /// For binary output: the alternative to suggest if it would go to a terminal.
    pub binary: Option<&'static str>,
    /// Extensions of the formats that the command writes; empty if any will do.
    pub extensions: Vec<&'static str>,
    /// True if an option requests JSON.
    pub is_json: bool,
}

impl<'a> Output<'a> {
    /// Builds an output of text.
    pub fn text(option: &'static str, path: Option<&'a Path>) -> Self {
        Self { option, path, binary: None, extensions: Vec::new(), is_json: false }
    }
    /// Rejects an extension that is not in the list, or that names text although JSON is requested.
    fn check_extension(&self) -> Result<(), String> {
        let Some((path, ending)) = self.path.and_then(|path| Some((path, files::ending(path)?))) else {
            return Ok(());
        };
        if !self.extensions.is_empty() && !self.extensions.contains(&&*ending) {
            let (path, all) = (path.display(), self.extensions.join(", ."));
            return Err(format!(
                "{path}: this command does not write .{ending} files; use .{all}, or no extension"
            ));
        }
        if self.is_json && ending != "json" {
            return Err(disagreement(path, "text", "--json", "JSON"));
        }
        Ok(())
    }
    /// Returns its file, unless it goes to standard output.
    fn file(&self) -> Option<&'a Path> {
        self.path.filter(|path| !is_dash(path))
    }
    fn is_terminal(&self) -> bool {
        match self.file() {
            None => std::io::stdout().is_terminal(),
            // A path can be tested only by opening it, which must not happen before it is written.
            Some(path) => {
                let open = || File::options().write(true).open(path);
                is_device(path) && open().is_ok_and(|device| device.is_terminal())
            }
        }
    }
}

/// All inputs and outputs of a command.
#[derive(Debug, Default)]
pub struct Streams<'a> {
    /// Files, `-` for standard input.
    pub inputs: Vec<&'a Path>,
    /// Files, and folders with files.
    pub trees: &'a [PathBuf],
    /// True if a folder's files are read whatever their names.
    pub reads_any: bool,
    /// Outputs, in the order in which they are written.
    pub outputs: Vec<Output<'a>>,
    /// True if it opens a GPU.
    pub opens_gpu: bool,
}

impl<'a> Streams<'a> {
    /// Builds the streams of a command that reads files and writes a text.
    pub fn of_files(inputs: impl IntoIterator<Item = &'a PathBuf>, output: Option<&'a Path>) -> Self {
        let inputs = inputs.into_iter().map(PathBuf::as_path).collect();
        Self { inputs, outputs: vec![Output::text("-o", output)], ..Self::default() }
    }
    /// Adds what lies below folders.
    #[must_use]
    pub fn below(self, trees: &'a [PathBuf]) -> Self {
        Self { trees, ..self }
    }
    /// Adds a text that an option requests, if it is given.
    #[must_use]
    pub fn and(mut self, option: &'static str, path: Option<&'a PathBuf>) -> Self {
        self.outputs.extend(path.map(|path| Output::text(option, Some(path))));
        self
    }
    /// States the extensions of the first output.
    #[must_use]
    pub fn with_extensions(mut self, extensions: impl IntoIterator<Item = &'static str>) -> Self {
        self.outputs[0].extensions = extensions.into_iter().collect();
        self
    }
    /// States what to do instead of writing the first output, which is binary, to a terminal.
    #[must_use]
    pub fn with_binary(mut self, instead: &'static str) -> Self {
        self.outputs[0].binary = Some(instead);
        self
    }
    /// States whether it opens a GPU.
    #[must_use]
    pub fn on_gpu(self, opens_gpu: bool) -> Self {
        Self { opens_gpu, ..self }
    }
    /// Checks all streams; an error states the problem and the remedy.
    pub fn check(&self) -> Result<(), String> {
        if self.inputs.iter().filter(|path| is_dash(path)).count() > 1 {
            return Err("standard input can be read only once".into());
        }
        for (n, output) in self.outputs.iter().enumerate() {
            let file = output.file();
            if let Some(other) = self.outputs[..n].iter().find(|other| are_one(other.file(), file)) {
                let (first, second) = (other.option, output.option);
                let place = file.map_or("standard output".into(), |path| path.display().to_string());
                return Err(format!("{first} and {second} both go to {place}; use a separate file for each"));
            }
            if let Some(path) = file
                && self.reads(path)
            {
                let path = path.display();
                return Err(format!(
                    "{path} is an input, and {} does not overwrite inputs; name another file",
                    output.option
                ));
            }
            if let Some(instead) = output.binary
                && output.is_terminal()
            {
                return Err(format!("refusing to write binary to a terminal; {instead}"));
            }
        }
        // Last: an output over an input is worse than one with an odd name.
        self.outputs.iter().try_for_each(Output::check_extension)
    }
    /// Returns whether a file is one of the inputs, under any name.
    fn reads(&self, path: &Path) -> bool {
        // Pipes and devices can be both: writing destroys nothing.
        if fs::metadata(path).is_ok_and(|data| !data.is_file()) {
            return false;
        }
        if self.inputs.iter().any(|input| !is_dash(input) && is_same(input, path)) {
            return true;
        }
        // Only an existing file can be among the files of a folder. Files in an unlistable folder
        // cannot be read either.
        !self.trees.is_empty()
            && path.is_file()
            && files::inputs(self.trees, self.reads_any).iter().any(|input| is_same(input, path))
    }
}

/// Returns the format that the extension of an output file names.
pub fn named<T: Copy>(output: Option<&Path>, known: &[(&str, T)]) -> Option<T> {
    let ending = files::ending(output?)?;
    known.iter().find(|(name, _)| *name == ending).map(|&(_, format)| format)
}

/// Returns the error about an extension and an option that disagree.
pub fn disagreement(path: &Path, named: &str, option: &str, given: &str) -> String {
    let path = path.display();
    format!("{path} looks like {named}, but {option} says {given}; drop {option}, or change one of them")
}

fn is_dash(path: &Path) -> bool {
    path == Path::new("-")
}

/// Returns whether two outputs would mix: both on standard output, or in one file. The null device
/// mixes nothing.
fn are_one(first: Option<&Path>, second: Option<&Path>) -> bool {
    match (first, second) {
        (None, None) => true,
        (Some(first), Some(second)) => is_same(first, second) && first != Path::new("/dev/null"),
        (None, Some(_)) | (Some(_), None) => false,
    }
}

/// Returns whether two paths name one file, also through links. Neither has to exist.
fn is_same(first: &Path, second: &Path) -> bool {
    match (fs::metadata(first), fs::metadata(second)) {
        (Ok(a), Ok(b)) => identity(first, &a) == identity(second, &b),
        (Err(_), Err(_)) => place(first) == place(second),
        (Ok(_), Err(_)) | (Err(_), Ok(_)) => false,
    }
}

/// Returns the device and inode numbers of a file, so that hard links are equal.
#[cfg(unix)]
fn identity(_: &Path, data: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (data.dev(), data.ino())
}

#[cfg(not(unix))]
fn identity(path: &Path, _: &Metadata) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

#[cfg(unix)]
fn is_device(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    fs::metadata(path).is_ok_and(|data| data.file_type().is_char_device())
}

#[cfg(not(unix))]
fn is_device(_: &Path) -> bool {
    false
}

/// Largest number of links in a path, as on Linux.
const LINKS: usize = 40;

/// Returns the future place of a file that does not exist yet: the full path of its folder, and its
/// name. Dangling links are followed.
fn place(path: &Path) -> PathBuf {
    let mut path = path.to_path_buf();
    for _ in 0..LINKS {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
        match fs::read_link(&path) {
            Ok(target) => path = folder.join(target),
            Err(_) => return path.file_name().map_or_else(|| path.clone(), |name| folder.join(name)),
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_one_file_compare_equal() {
        let folder = std::env::temp_dir().join(format!("transpica-streams-{}", std::process::id()));
        fs::create_dir_all(folder.join("inner")).expect("writable");
        let file = folder.join("file");
        fs::write(&file, "").expect("writable");
        let same = |a: &str, b: &str| is_same(&folder.join(a), &folder.join(b));
        assert!(same("file", "./file") && same("file", "inner/../file"));
        assert!(same("new", "./new") && same("new", "inner/../new"));
        assert!(!same("new", "inner/new") && !same("file", "new") && !same("file", "inner/file"));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("file", folder.join("link")).expect("a link");
            std::os::unix::fs::symlink("inner/../new", folder.join("nowhere")).expect("a link");
            std::os::unix::fs::symlink("round", folder.join("round")).expect("a link");
            fs::hard_link(&file, folder.join("inner/hard")).expect("a link");
            assert!(same("file", "link") && same("link", "inner/hard") && same("file", "inner/hard"));
            assert!(same("nowhere", "new") && same("round", "round") && !same("round", "new"));
        }
        fs::remove_dir_all(folder).expect("removable");
    }
}
