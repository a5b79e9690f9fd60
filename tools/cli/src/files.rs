//! Reads inputs and writes results. A result is written only when it is complete.

use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

use crate::report::Failure;
use crate::terminal::visible;

/// Largest accepted input, far above any shader container.
const MOST: u64 = 64 << 20;

/// Reads a file, or standard input for `-`.
pub fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let result = if path == Path::new("-") {
        std::io::stdin().lock().take(MOST + 1).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(MOST + 1).read_to_end(&mut bytes))
    };
    result.map_err(|error| Failure::io("read", path, &error))?;
    if bytes.len() as u64 > MOST {
        let hint = "a .shbin file is a few hundred kilobytes at most; is this the right file?";
        return Err(Failure::new(format!("{}: larger than 64 MiB", path.display())).hint(hint));
    }
    Ok(bytes)
}

/// File extension in lower case: the console's own tools write .SHBIN.
pub fn ending(path: &Path) -> Option<String> {
    path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase())
}

/// Returns the .shbin files among the paths and below folders, sorted within each folder. Finding
/// none is a failure.
pub fn shaders(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        for entry in walkdir::WalkDir::new(path).sort_by_file_name() {
            let entry = entry.map_err(|error| Failure::new(format!("cannot read a folder: {error}")))?;
            if entry.file_type().is_file() && is_container(entry.path()) {
                files.push(entry.into_path());
            }
        }
    }
    if files.is_empty() {
        let hint = "name .shbin files, or folders that hold some";
        return Err(Failure::new("no .shbin file found").hint(hint));
    }
    Ok(files)
}

/// Returns the containers and sources among the paths and below folders, sorted within each folder.
/// An unreadable path is replaced by the reason.
/// Within a folder a source is skipped if its container is beside it: `a.v.pica` belongs to
/// `a.shbin`.
pub fn programs(paths: &[PathBuf]) -> Vec<Result<PathBuf, Failure>> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(Ok(path.clone()));
            continue;
        }
        let start = files.len();
        for entry in walkdir::WalkDir::new(path).sort_by_file_name() {
            match entry {
                Ok(entry) if !entry.file_type().is_file() => {}
                Ok(entry) if is_container(entry.path()) => files.push(Ok(entry.into_path())),
                Ok(entry) if is_source(entry.path()) && !has_container(entry.path()) => {
                    files.push(Ok(entry.into_path()));
                }
                Ok(_) => {}
                Err(error) => files.push(Err(Failure::new(format!("cannot read a folder: {error}")))),
            }
        }
        if files.len() == start {
            let failure = Failure::new(format!("{}: no .shbin or .pica file found", path.display()));
            files.push(Err(failure));
        }
    }
    files
}

/// Returns whether a file has the extension of a container.
fn is_container(path: &Path) -> bool {
    ending(path).as_deref() == Some("shbin")
}

/// Returns whether a file has the extension of an assembler source.
pub fn is_source(path: &Path) -> bool {
    ending(path).as_deref() == Some("pica")
}

/// Returns whether a container is beside a source: its name up to the first dot.
fn has_container(source: &Path) -> bool {
    let name = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = name.split('.').next().unwrap_or_default();
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

/// Writes two results, or none: if the second fails, a file created for the first is removed.
pub fn write_both(first: (&Path, &[u8]), second: (Option<&Path>, &[u8])) -> Result<(), Failure> {
    let is_new = !first.0.exists();
    write(Some(first.0), first.1)?;
    write(second.0, second.1).inspect_err(|_| {
        if is_new {
            // Best effort: the failure is reported in any case.
            let _ = std::fs::remove_file(first.0);
        }
    })
}
