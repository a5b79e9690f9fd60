//! `cargo xtask dist`: archives of the C interface, or of the command, with their checksums.
//! In: arguments. Out: `transpica-VERSION-TRIPLE.tar.gz`, or `transpica-cli-VERSION-TRIPLE.tar.gz`,
//! and `.sha256` beside it. The same libraries or programs give the same bytes: names are sorted,
//! times and owners fixed. The texts of the command's archive stay in `target/command`, where the
//! Debian package takes them from.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};

use crate::needs::ROOT;
use crate::{Failure, install, notices, program, run_line, succeeds, symbols, target, vendor};

const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Licenses, in every archive.
const LICENSES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];
/// Shells with the names of their completion files.
const SHELLS: [(&str, &str); 5] = [
    ("bash", "transpica.bash"),
    ("elvish", "transpica.elv"),
    ("fish", "transpica.fish"),
    ("powershell", "_transpica.ps1"),
    ("zsh", "_transpica"),
];
/// Features of static programs for Linux, which cannot load a driver.
const WITHOUT_GPU: [&str; 3] =
    ["--no-default-features", "--features", "draw,naga,packages,progress,spirv-asm,test"];

/// Runs the task.
pub fn run(arguments: &[&str]) -> Result<(), Failure> {
    let is_command = arguments.first() == Some(&"--command");
    let (mut targets, mut out, mut options) = (Vec::new(), None, install::Options::default());
    let mut rest = arguments.iter().skip(usize::from(is_command));
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
    let is_chosen = options.features.is_some();
    if is_chosen && is_command || options.built.is_some() && (is_chosen || targets.len() > 1) {
        return Err(Failure::Usage);
    }
    let host = symbols::host()?;
    let out = out.map_or_else(|| Ok(target()?.join("dist")), Ok::<_, String>)?;
    if targets.is_empty() {
        targets.push(host.clone());
    }
    for triple in targets {
        options.target = (triple != host).then(|| triple.clone());
        if options.target.is_some() {
            add_target(&triple)?;
        }
        let (product, fill): (_, Fill) =
            if is_command { ("transpica-cli", command) } else { ("transpica", library) };
        archive(&out, &format!("{product}-{VERSION}-{triple}"), |folder| fill(folder, &triple, &options))?;
    }
    Ok(())
}

/// Fills the folder of an archive for a target.
type Fill = fn(&Path, &str, &install::Options) -> Result<(), String>;

/// Writes an archive and its checksum.
fn archive(out: &Path, name: &str, fill: impl Fn(&Path) -> Result<(), String>) -> Result<(), String> {
    let folder = out.join(name);
    let _ = fs::remove_dir_all(&folder);
    fill(&folder)?;
    for name in LICENSES {
        install::copy(&Path::new(ROOT).join(name), &folder.join(name))?;
    }
    let bytes = pack(&folder, name).map_err(|error| format!("{}: {error}", folder.display()))?;
    let file = format!("{name}.tar.gz");
    let sum = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    fs::write(out.join(&file), &bytes).map_err(|error| format!("{file}: {error}"))?;
    install::write(&out.join(format!("{file}.sha256")), &format!("{sum}  {file}\n"))?;
    fs::remove_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))
}

/// Fills the folder of the C interface.
fn library(folder: &Path, triple: &str, options: &install::Options) -> Result<(), String> {
    install::install(folder, options)?;
    let note = if symbols::is_elf(triple) {
        "The static library exports the functions of the header only."
    } else {
        "The static library exports the symbols of Rust's runtime too: link one such library into a program."
    };
    for (from, to) in
        [("tools/capi/cmake/CMakeLists.txt", "CMakeLists.txt"), ("tools/capi/README.md", "README.md")]
    {
        install::copy(&Path::new(ROOT).join(from), &folder.join(to))?;
    }
    install::write(&folder.join("SYMBOLS"), &format!("{note}\n"))?;
    let features = match (&options.built, &options.features) {
        // Which of them an earlier build had is not known.
        (Some(_), _) => vec!["--all-features"],
        (None, Some(list)) => vec!["--features", list],
        (None, None) => Vec::new(),
    };
    notices::write(folder, &[notices::LIBRARY, &features].concat(), triple)
}

/// Fills the folder of the command.
fn command(folder: &Path, triple: &str, options: &install::Options) -> Result<(), String> {
    let features = if triple.ends_with("-musl") { &WITHOUT_GPU[..] } else { &[] };
    let other = options.target.as_deref();
    let built = options.built.clone().map_or_else(|| build(other, features), Ok)?;
    let program = built.join(if triple.contains("-windows-") { "transpica.exe" } else { "transpica" });
    let runs_here = Command::new(&program).arg("--version").output().is_ok_and(|it| it.status.success());
    let writer = if runs_here {
        program.clone()
    } else {
        build(None, features)?.join(format!("transpica{}", std::env::consts::EXE_SUFFIX))
    };
    let texts = target()?.join("command");
    let _ = fs::remove_dir_all(&texts);
    run_line(Command::new(&writer).args(["man", "--out-dir"]).arg(texts.join("man")))?;
    for (shell, file) in SHELLS {
        let output = Command::new(&writer).args(["completions", shell]).output();
        let output = output.map_err(|error| format!("{}: {error}", writer.display()))?;
        if !output.status.success() {
            return Err(format!("completions {shell}: {}", String::from_utf8_lossy(&output.stderr)));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        install::write(&texts.join("completions").join(file), &text)?;
    }
    notices::write(&texts, &[notices::COMMAND, features].concat(), triple)?;
    vendor::copy_folder(&texts, folder)?;
    for (from, to) in [("README.md", "README.md"), ("tools/CHANGELOG.md", "CHANGELOG.md")] {
        install::copy(&Path::new(ROOT).join(from), &folder.join(to))?;
    }
    install::copy(&program, &folder.join(program.file_name().unwrap_or_default()))
}

/// Builds the command, for another target or this machine; returns the folder that has it.
fn build(other: Option<&str>, features: &[&str]) -> Result<PathBuf, String> {
    let mut build = vec!["build", "--release", "--locked", "--package", "transpica-cli"];
    build.extend(features);
    build.extend(other.iter().flat_map(|triple| ["--target", triple]));
    let mut command = Command::new(program());
    if let Some(triple) = other.filter(|triple| triple.ends_with("-musl")) {
        // Rust's own linker and start files suffice for a static program.
        let triple = triple.to_uppercase().replace('-', "_");
        command.env(format!("CARGO_TARGET_{triple}_LINKER"), "rust-lld");
    }
    run_line(command.args(build))?;
    Ok(target()?.join(other.unwrap_or_default()).join("release"))
}

/// Returns the bytes of a compressed archive of a folder.
fn pack(folder: &Path, name: &str) -> std::io::Result<Vec<u8>> {
    // This writer leaves time and name out of the gzip header.
    let mut archive =
        tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best()));
    for path in install::files(folder)? {
        let inner = Path::new(name).join(path.strip_prefix(folder).expect("a path of this folder"));
        let mut header = tar::Header::new_gnu();
        header.set_mtime(0);
        let is_program = path.file_name().is_some_and(|name| name == "transpica" || name == "transpica.exe");
        header.set_mode(if is_program { 0o755 } else { 0o644 });
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
