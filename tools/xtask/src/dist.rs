//! `cargo xtask dist`: archives of the C interface, with their checksums.
//! In: arguments. Out: `transpica-VERSION-TRIPLE.tar.gz` and `.sha256` beside it. The same
//! libraries give the same bytes: names are sorted, times and owners fixed.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};

use crate::install;
use crate::needs::ROOT;
use crate::{Failure, succeeds, symbols, target};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Runs the task.
pub fn run(arguments: &[&str]) -> Result<(), Failure> {
    let (mut targets, mut out, mut options) = (Vec::new(), None, install::Options::default());
    let mut rest = arguments.iter();
    while let Some(name) = rest.next() {
        let value = (*rest.next().ok_or(Failure::Usage)?).to_owned();
        match *name {
            "--target" => targets.push(value),
            "--features" => options.features = Some(value),
            "--built" => options.built = Some(PathBuf::from(value)),
            "--out" => out = Some(PathBuf::from(value)),
            _ => return Err(Failure::Usage),
        }
    }
    if options.built.is_some() && (options.features.is_some() || targets.len() > 1) {
        return Err(Failure::Usage);
    }
    let host = symbols::host()?;
    let out = out.map_or_else(|| Ok(target()?.join("dist")), Ok::<_, String>)?;
    if targets.is_empty() {
        targets.push(host.clone());
    }
    for triple in targets {
        options.target = (triple != host).then(|| triple.clone());
        archive(&triple, &options, &out)?;
    }
    Ok(())
}

/// Writes the archive of one target and its checksum.
fn archive(triple: &str, options: &install::Options, out: &Path) -> Result<(), String> {
    if options.target.is_some() {
        add_target(triple)?;
    }
    let name = format!("transpica-{VERSION}-{triple}");
    let folder = out.join(&name);
    let _ = fs::remove_dir_all(&folder);
    install::install(&folder, options)?;
    let note = if symbols::is_elf(triple) {
        "The static library exports the functions of the header only."
    } else {
        "The static library exports the symbols of Rust's runtime too: link one such library into a program."
    };
    for (from, to) in [
        ("tools/capi/cmake/CMakeLists.txt", "CMakeLists.txt"),
        ("tools/capi/README.md", "README.md"),
        ("LICENSE-APACHE", "LICENSE-APACHE"),
        ("LICENSE-MIT", "LICENSE-MIT"),
    ] {
        install::copy(&Path::new(ROOT).join(from), &folder.join(to))?;
    }
    install::write(&folder.join("SYMBOLS"), &format!("{note}\n"))?;
    let bytes = pack(&folder, &name).map_err(|error| format!("{}: {error}", folder.display()))?;
    let file = format!("{name}.tar.gz");
    let sum = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    fs::write(out.join(&file), &bytes).map_err(|error| format!("{file}: {error}"))?;
    install::write(&out.join(format!("{file}.sha256")), &format!("{sum}  {file}\n"))?;
    fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))
}

/// Returns the bytes of a compressed archive of a folder.
fn pack(folder: &Path, name: &str) -> std::io::Result<Vec<u8>> {
    let mut paths = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() { folders.push(entry.path()) } else { paths.push(entry.path()) }
        }
    }
    paths.sort();
    // This writer leaves time and name out of the gzip header.
    let mut archive =
        tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best()));
    for path in paths {
        let inner = Path::new(name).join(path.strip_prefix(folder).expect("a path of this folder"));
        let mut header = tar::Header::new_gnu();
        header.set_mtime(0);
        header.set_mode(0o644);
        if path.is_symlink() {
            header.set_entry_type(tar::EntryType::Symlink);
            header.set_size(0);
            archive.append_link(&mut header, inner, fs::read_link(&path)?)?;
        } else {
            let bytes = fs::read(&path)?;
            header.set_size(bytes.len() as u64);
            archive.append_data(&mut header, inner, &bytes[..])?;
        }
    }
    let mut encoder = archive.into_inner()?;
    encoder.flush()?;
    encoder.finish()
}

/// Installs Rust's library for a target.
fn add_target(triple: &str) -> Result<(), String> {
    let folder = symbols::rustc(&["--print", "target-libdir", "--target", triple])?;
    let is_there = Path::new(&folder).exists();
    let line = ["target", "add", triple];
    if is_there || succeeds(Command::new("rustup").args(line)) {
        return Ok(());
    }
    Err(format!("this needs Rust's library for {triple}; install with: rustup target add {triple}"))
}
