//! Reading inputs and writing results. A result is written only when it is complete.

use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

use crate::report::Failure;
use crate::terminal::visible;

/// No shader container comes near this many bytes.
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

/// The ending of a name, in lower case: the console's own tools write .SHBIN.
pub fn ending(path: &Path) -> Option<String> {
    path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase())
}

/// The .shbin files named or below the folders named, sorted within each. None at all is a failure.
pub fn shaders(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        for entry in walkdir::WalkDir::new(path).sort_by_file_name() {
            let entry = entry.map_err(|error| Failure::new(format!("cannot read a folder: {error}")))?;
            if entry.file_type().is_file() && ending(entry.path()).as_deref() == Some("shbin") {
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

/// Writes a result to a file, or to standard output. On a terminal, text does what it says and nothing else.
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

/// Writes two results, or none: where the second cannot be written, a file made for the first goes away again.
pub fn write_both(first: (&Path, &[u8]), second: (Option<&Path>, &[u8])) -> Result<(), Failure> {
    let is_new = !first.0.exists();
    write(Some(first.0), first.1)?;
    write(second.0, second.1).inspect_err(|_| {
        if is_new {
            // Best effort: what failed is told either way.
            let _ = std::fs::remove_file(first.0);
        }
    })
}
