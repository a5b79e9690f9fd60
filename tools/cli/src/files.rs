//! Reads inputs and writes results. A result is written only when it is complete.

use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

use crate::report::Failure;
use crate::terminal::visible;

/// Largest accepted input, far above any shader container.
pub const MOST: u64 = 64 << 20;

/// Largest accepted shader cache or manifest. The records of OpenGL caches are large, and repeat
/// programs.
pub const MOST_OF_LARGE: u64 = 1 << 30;

/// Reads a file, or standard input for `-`.
pub fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    read_at_most(path, MOST).map_err(|error| Failure::new(error).in_file(path))
}

/// Reads a file, or standard input for `-`. The error is without the path, for lists that name it
/// and for reports that users publish.
pub fn read_at_most(path: &Path, most: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = open(path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes));
    read.map_err(|error| format!("cannot be read: {error}"))?;
    if bytes.len() as u64 > most {
        return Err(format!("larger than {} MiB; is this the right file?", most >> 20));
    }
    Ok(bytes)
}

/// Returns the name of a file without folders.
pub fn name(path: &Path) -> String {
    if path == Path::new("-") {
        return "standard input".into();
    }
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// File extension in lower case: the console's own tools write .SHBIN.
pub fn ending(path: &Path) -> Option<String> {
    path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase())
}

/// Returns a named file, or the wanted ones below a folder, sorted. Links inside it are not
/// followed, so there are no loops.
pub fn walk(path: &Path, is_wanted: impl Fn(&Path) -> bool) -> Vec<walkdir::Result<PathBuf>> {
    if !path.is_dir() {
        return vec![Ok(path.to_path_buf())];
    }
    let entries = walkdir::WalkDir::new(path).sort_by_file_name().into_iter();
    let files = entries.filter(|entry| match entry {
        Ok(entry) => entry.file_type().is_file() && is_wanted(entry.path()),
        Err(_) => true,
    });
    files.map(|entry| entry.map(walkdir::DirEntry::into_path)).collect()
}

/// Returns the reason why a folder cannot be listed, without its path.
pub fn reason(error: &walkdir::Error) -> String {
    let reason = error.io_error().map_or_else(|| error.to_string(), ToString::to_string);
    format!("cannot be read: {reason}")
}

/// Builds the failure of a folder that cannot be listed.
pub fn no_folder(error: walkdir::Error) -> Failure {
    Failure::new(reason(&error)).in_file(error.path().unwrap_or(Path::new("folder")))
}

/// Returns the files with programs among the paths and below folders, sorted within each folder.
/// Finding none is a failure.
pub fn shaders(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let files: Result<Vec<_>, _> = paths.iter().flat_map(|path| walk(path, has_programs)).collect();
    let files = files.map_err(no_folder)?;
    if files.is_empty() { Err(no_programs()) } else { Ok(files) }
}

/// Returns the containers and sources among the paths and below folders, sorted within each folder.
/// An unreadable path is replaced by the reason.
/// Within a folder a source is skipped if its container is next to it: `a.v.pica` belongs to
/// `a.shbin`.
pub fn programs(paths: &[PathBuf]) -> Vec<Result<PathBuf, Failure>> {
    let mut files = Vec::new();
    for path in paths {
        let found = walk(path, has_programs);
        if found.is_empty() {
            let failure = Failure::new(format!("{}: no .shbin or .pica file found", path.display()));
            files.push(Err(failure));
        }
        files.extend(found.into_iter().map(|found| found.map_err(no_folder)));
    }
    files
}

/// A file that `doctor` finds.
pub enum Found {
    /// A cache of vertex programs, by its name.
    Cache(PathBuf),
    /// A cache of something else.
    Other(PathBuf),
    /// A folder that cannot be listed.
    Unreadable(Failure),
}

/// Returns the shader caches among the paths and below folders, sorted within each folder. A named
/// file counts as one whatever its name. Finding none is a failure.
pub fn caches(paths: &[PathBuf]) -> Result<Vec<Found>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        for found in walk(path, |file| holds_programs(file).is_some()) {
            files.push(match found {
                Ok(file) if file == *path || holds_programs(&file) == Some(true) => Found::Cache(file),
                Ok(file) => Found::Other(file),
                Err(error) => {
                    // Without the path: users publish reports.
                    Found::Unreadable(Failure::new(format!("a folder {}", reason(&error))))
                }
            });
        }
    }
    if files.is_empty() {
        let hint = "name _vs.vkch files or OpenGL .bin files in shaders/*/transferable, or folders that contain some";
        let named: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
        return Err(Failure::new(format!("no shader cache found in {}", named.join(", "))).hint(hint));
    }
    Ok(files)
}

/// Returns whether a file in a folder is by its name a cache of vertex programs, or `None` if it is
/// no cache at all.
fn holds_programs(path: &Path) -> Option<bool> {
    match ending(path)?.as_str() {
        "vkch" => {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
            Some(stem.ends_with("_vs") || stem.ends_with("_vs_temp"))
        }
        // Below these folders, drivers keep binaries and texts with the same extension.
        "bin" => Some(!path.iter().any(|part| part == "precompiled" || part == "pipeline")),
        _ => None,
    }
}

/// Returns every file among the paths and below folders, sorted within each folder. An unreadable
/// folder is replaced by the reason.
pub fn list(paths: &[PathBuf]) -> Vec<Result<PathBuf, Failure>> {
    let files = paths.iter().flat_map(|path| walk(path, |_| true));
    files.map(|found| found.map_err(no_folder)).collect()
}

/// Opens a file to be read in parts, or standard input for `-`.
pub fn open(path: &Path) -> std::io::Result<Box<dyn Read>> {
    if path == Path::new("-") {
        return Ok(Box::new(std::io::stdin().lock()));
    }
    Ok(Box::new(std::fs::File::open(path)?))
}

/// Returns every file among the paths and below folders that some command reads; with `any`
/// whatever its name.
pub fn inputs(paths: &[PathBuf], any: bool) -> Vec<PathBuf> {
    let files = paths.iter().flat_map(|path| walkdir::WalkDir::new(path).into_iter().flatten());
    let files = files.filter(|entry| {
        let path = entry.path();
        let is_input = has_programs(path) || holds_programs(path).is_some() || is_test(path);
        entry.depth() == 0 || any || is_input
    });
    files.map(walkdir::DirEntry::into_path).collect()
}

/// Returns whether a folder's file has programs: a container, or a source without its container
/// next to it.
pub fn has_programs(path: &Path) -> bool {
    ending(path).as_deref() == Some("shbin") || is_source(path) && !has_container(path)
}

/// Returns whether a folder's file has tests.
pub fn is_test(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(".test.toml"))
}

/// The failure of a command that finds no program.
pub fn no_programs() -> Failure {
    let hint = "name .shbin or .pica files, or folders that contain some";
    Failure::new("no .shbin or .pica file found").hint(hint)
}

/// Returns whether a file has the extension of an assembler source.
pub fn is_source(path: &Path) -> bool {
    ending(path).as_deref() == Some("pica")
}

/// Returns whether the container of a source is next to it.
fn has_container(source: &Path) -> bool {
    let name = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = transpica_asm::stem(&name);
    source.with_file_name(format!("{stem}.shbin")).is_file()
}

/// Writes a result to a file, or to standard output. On a terminal, control characters are escaped.
pub fn write(path: Option<&Path>, bytes: &[u8]) -> Result<(), Failure> {
    match path {
        Some(path) if path != Path::new("-") => {
            std::fs::write(path, bytes).map_err(|error| Failure::io("write", path, &error))
        }
        Some(_) | None => {
            let mut out = std::io::stdout().lock();
            let text = out.is_terminal().then(|| visible(&String::from_utf8_lossy(bytes)).into_owned());
            let bytes = text.as_deref().map_or(bytes, str::as_bytes);
            match out.write_all(bytes).and_then(|()| out.flush()) {
                Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                    Err(Failure::io("write", Path::new("standard output"), &error))
                }
                Ok(()) | Err(_) => Ok(()),
            }
        }
    }
}

/// Writes results, all or none: if one fails, files created for those before are removed.
pub fn write_all(results: &[(Option<&Path>, &[u8])]) -> Result<(), Failure> {
    let mut created = Vec::new();
    for &(path, bytes) in results {
        let new = path.filter(|path| !path.exists());
        if let Err(failure) = write(path, bytes) {
            // Best effort: the failure is reported in any case.
            created.iter().for_each(|path| drop(std::fs::remove_file(path)));
            return Err(failure);
        }
        created.extend(new);
    }
    Ok(())
}
