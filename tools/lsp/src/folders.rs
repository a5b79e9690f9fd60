//! Sources and tests in folders.
//! In: URIs of files. Out: texts, counts of executed lines. Knows no message.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use transpica_unit::coverage::{Coverage, by_file};
use transpica_unit::{Cpu, ENDING, TestFile};

use crate::project::file_name;
use crate::server::Host;
use crate::text::encode;

/// Most sources of a workspace, most entries of folders that are looked at, most nested folders.
const MOST_FILES: usize = 1000;
const MOST_ENTRIES: usize = 20_000;
const MOST_DEPTH: usize = 8;

/// Largest source in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// Files on disk.
#[derive(Clone, Copy, Debug, Default)]
pub struct Folders;

impl Host for Folders {
    fn siblings(&mut self, uri: &str) -> Vec<(String, String)> {
        let Some(path) = path(uri).filter(|path| is_source(path)) else { return Vec::new() };
        let folder = &uri[..uri.len() - file_name(uri).len()];
        let own = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let stem = transpica_asm::stem(&own);
        let mut found = Vec::new();
        for entry in
            std::fs::read_dir(path.with_file_name("")).into_iter().flatten().flatten().take(MOST_ENTRIES)
        {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_sibling = name != own && transpica_asm::stem(&name) == stem && is_source(&entry.path());
            if is_sibling && let Some(text) = text(&entry.path()) {
                found.push((format!("{folder}{}", encode(&name)), text));
            }
        }
        found
    }

    fn workspace(&mut self, root: &str) -> Vec<(String, String)> {
        let Some(path) = path(root) else { return Vec::new() };
        let (mut found, mut entries) = (Vec::new(), 0);
        let mut work = vec![(path, root.trim_end_matches('/').to_owned(), 0)];
        while let Some((folder, uri, depth)) = work.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                entries += 1;
                if entries > MOST_ENTRIES || found.len() >= MOST_FILES {
                    return found;
                }
                let name = entry.file_name().to_string_lossy().into_owned();
                let (path, uri) = (entry.path(), format!("{uri}/{}", encode(&name)));
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                if is_folder && depth < MOST_DEPTH && !name.starts_with('.') && name != "target" {
                    work.push((path, uri, depth + 1));
                } else if is_source(&path)
                    && let Some(text) = text(&path)
                {
                    found.push((uri, text));
                }
            }
        }
        found
    }

    fn read(&self, uri: &str) -> Option<Vec<u8>> {
        bytes(&path(uri)?)
    }

    fn counts(&mut self, uri: &str) -> BTreeMap<String, BTreeMap<u32, u64>> {
        let Some(path) = path(uri).filter(|path| is_source(path)) else { return BTreeMap::new() };
        let name = file_name(uri);
        let folder = &uri[..uri.len() - name.len()];
        let decoded = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let stem = transpica_asm::stem(&decoded);
        let Ok(file) = TestFile::load(&path.with_file_name(format!("{stem}{ENDING}"))) else {
            return BTreeMap::new();
        };
        let mut all = Coverage::default();
        for case in &file.cases {
            all.add(&case.check(&file.name, &file.shader, &Cpu).coverage);
        }
        let files = by_file(&[(&file.shader, all)]);
        let uri = |name: &str| {
            let name = Path::new(name).file_name().unwrap_or_default().to_string_lossy();
            format!("{folder}{}", encode(&name))
        };
        files.into_iter().map(|(name, file)| (uri(&name), file.lines)).collect()
    }
}

fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "pica")
}

/// Reads a file, or returns `None` if it is too large.
fn bytes(path: &Path) -> Option<Vec<u8>> {
    let is_small = std::fs::metadata(path).is_ok_and(|data| data.is_file() && data.len() <= MOST_BYTES);
    std::fs::read(path).ok().filter(|_| is_small)
}

/// Reads a source.
fn text(path: &Path) -> Option<String> {
    Some(String::from_utf8_lossy(&bytes(path)?).into_owned())
}

/// Returns the path of a URI of a file.
fn path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let (rest, mut bytes, mut at) = (rest.as_bytes(), Vec::with_capacity(rest.len()), 0);
    while let Some(&byte) = rest.get(at) {
        let digits = rest.get(at + 1..at + 3).filter(|_| byte == b'%');
        let code = digits.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        bytes.push(code.unwrap_or(byte));
        at += if code.is_some() { 3 } else { 1 };
    }
    let path = String::from_utf8(bytes).ok()?;
    // Windows: `/c:/folder`.
    let drive = path.strip_prefix('/').filter(|drive| drive.as_bytes().get(1) == Some(&b':'));
    Some(PathBuf::from(drive.unwrap_or(&path)))
}
