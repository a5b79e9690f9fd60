//! `cargo xtask install`: builds the C interface and installs it below a prefix, with files for
//! CMake and pkg-config.
//! In: arguments. Out: files. The installed library is called `transpica`. Programs load it by a
//! name that all compatible versions share (`tools/capi/build.rs` writes the same name into the
//! library).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Failure, cargo, symbols, target};

/// The crate that is installed.
const CRATE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../capi");
/// Its version.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Selection of libraries.
#[derive(Default)]
pub struct Options {
    pub features: Option<String>,
    pub built: Option<PathBuf>,
    /// The static library alone, so that `-ltranspica` cannot mean the shared one.
    pub is_static: bool,
    /// Another target than this machine, which gets the static library alone: that needs no linker.
    pub target: Option<String>,
}

/// Runs the task.
pub fn run(arguments: &[&str]) -> Result<(), Failure> {
    let (mut prefix, mut options) = (None, Options::default());
    let mut rest = arguments.iter();
    while let Some(name) = rest.next() {
        if *name == "--static" {
            options.is_static = true;
            continue;
        }
        let value = rest.next().ok_or(Failure::Usage)?;
        match *name {
            "--prefix" => prefix = Some(PathBuf::from(value)),
            "--features" => options.features = Some((*value).to_owned()),
            "--built" => options.built = Some(value.into()),
            _ => return Err(Failure::Usage),
        }
    }
    if options.built.is_some() && options.features.is_some() {
        // Features select what to build, so they conflict with a prebuilt library.
        return Err(Failure::Usage);
    }
    Ok(install(&prefix.ok_or(Failure::Usage)?, &options)?)
}

/// Builds the libraries, unless they are given, and copies what hosts need to `prefix`.
pub fn install(prefix: &Path, options: &Options) -> Result<(), String> {
    let triple = options.target.as_deref();
    let built = match &options.built {
        Some(folder) => folder.clone(),
        None => {
            let mut build = vec!["rustc", "--release", "--locked", "--package", "transpica-capi"];
            build.extend(options.features.iter().flat_map(|list| ["--features", list]));
            if let Some(triple) = triple {
                build.extend(["--target", triple, "--crate-type", "staticlib"]);
            } else {
                build.extend([
                    "--crate-type",
                    if options.is_static { "staticlib" } else { "staticlib,cdylib" },
                ]);
            }
            if !cargo(&build) {
                return Err("the library was not built, see above".into());
            }
            target()?.join(triple.unwrap_or_default()).join("release")
        }
    };
    let names = Names::new(triple);
    let libraries = prefix.join("lib");
    let archive = libraries.join(&names.archive);
    copy(&built.join(&names.built_static), &archive)?;
    let machine = symbols::host()?;
    if symbols::is_elf(triple.unwrap_or(&machine)) {
        symbols::make_local(&archive, &Path::new(CRATE).join("include/transpica.h"))?;
    }
    if triple.is_none() && cfg!(unix) && !options.is_static {
        copy(&built.join(&names.built), &libraries.join(&names.file))?;
        for link in [&names.shared, &names.plain] {
            let link = libraries.join(link);
            let _ = fs::remove_file(&link);
            symlink(&names.file, &link)?;
        }
    }
    for header in ["include/transpica.h", "include/transpica.hpp"] {
        copy(&Path::new(CRATE).join(header), &prefix.join(header))?;
    }
    let words = words(&names, &system_libraries(triple)?, triple, link_option(triple.unwrap_or(&machine)));
    for (template, folder) in [
        ("transpica-config.cmake", "cmake/transpica"),
        ("transpica-config-version.cmake", "cmake/transpica"),
        ("transpica.pc", "pkgconfig"),
    ] {
        let path = Path::new(CRATE).join("cmake").join(format!("{template}.in"));
        let mut text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        for (word, value) in &words {
            text = text.replace(word, value);
        }
        write(&libraries.join(folder).join(template), &text)?;
    }
    Ok(())
}

/// Names of the libraries.
pub struct Names {
    /// Cargo's name of the static library.
    built_static: String,
    /// The installed name of the static library.
    pub archive: String,
    /// Cargo's name of the shared library.
    built: String,
    /// The file name of the shared library, with the full version.
    file: String,
    /// The name that programs load (soname).
    shared: String,
    /// The name that linkers search for.
    plain: String,
    /// The compatible versions.
    compatible: String,
}

impl Names {
    /// Names for a target, by default this machine.
    pub fn new(triple: Option<&str>) -> Self {
        // Below 1.0 every minor version may break compatibility.
        let mut parts = VERSION.split('.');
        let major = parts.next().unwrap_or_default();
        let minor = parts.next().unwrap_or_default();
        let compatible = if major == "0" { format!("0.{minor}") } else { major.to_owned() };
        let is_msvc = triple.map_or(cfg!(target_env = "msvc"), |triple| triple.ends_with("-msvc"));
        let (prefix, suffix) = if is_msvc { ("", "lib") } else { ("lib", "a") };
        let dylib = cfg!(target_os = "macos");
        let name = |version: &str| match version {
            "" if dylib => "libtranspica.dylib".to_owned(),
            "" => "libtranspica.so".to_owned(),
            version if dylib => format!("libtranspica.{version}.dylib"),
            version => format!("libtranspica.so.{version}"),
        };
        Self {
            built_static: format!("{prefix}transpica_capi.{suffix}"),
            archive: format!("{prefix}transpica.{suffix}"),
            built: format!("libtranspica_capi.{}", if dylib { "dylib" } else { "so" }),
            file: name(VERSION),
            shared: name(&compatible),
            plain: name(""),
            compatible,
        }
    }
}

/// Placeholders of the templates and their values.
fn words(
    names: &Names,
    libraries: &[String],
    triple: Option<&str>,
    option: &str,
) -> [(&'static str, String); 10] {
    let is_narrow =
        triple.is_some_and(|triple| ["i686", "armv7", "i586"].iter().any(|name| triple.starts_with(name)));
    let pointer = if is_narrow { 4 } else { size_of::<usize>() };
    [
        ("@ARCHIVE@", names.archive.clone()),
        ("@VERSION@", VERSION.to_owned()),
        ("@COMPATIBLE@", names.compatible.clone()),
        ("@COMPATIBLE_PATTERN@", names.compatible.replace('.', "\\\\.")),
        ("@SHARED@", names.plain.clone()),
        ("@SONAME@", names.shared.clone()),
        ("@SYSTEM_LIBRARIES@", libraries.join(" ")),
        ("@SYSTEM_LIBRARIES_LIST@", libraries.join(";")),
        ("@POINTER_BYTES@", pointer.to_string()),
        ("@LINK_OPTION@", option.to_owned()),
    ]
}

/// Returns the option with which the linker of a target leaves out functions that nothing calls.
/// Each function has a section of its own.
fn link_option(triple: &str) -> &'static str {
    if triple.contains("-apple-") {
        "-Wl,-dead_strip"
    } else if triple.ends_with("-msvc") {
        // Its default, unless the program is built for a debugger.
        ""
    } else {
        "-Wl,--gc-sections"
    }
}

/// Returns the libraries that a program needs besides the static library: those of Rust's runtime,
/// as the compiler lists them for an empty library.
fn system_libraries(triple: Option<&str>) -> Result<Vec<String>, String> {
    // One folder per process: tests install several times at once.
    let folder = target()?.join(format!("empty-library-{}", std::process::id()));
    let source = folder.join("empty.rs");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    fs::write(&source, "").map_err(|error| format!("{}: {error}", source.display()))?;
    let output = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .args(["--crate-type", "staticlib", "--print", "native-static-libs", "--out-dir"])
        .arg(&folder)
        .args(triple.iter().flat_map(|triple| ["--target", triple]))
        .arg(&source)
        .output()
        .map_err(|error| format!("rustc: {error}"))?;
    let _ = fs::remove_dir_all(&folder);
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().find_map(|line| line.split_once("native-static-libs: "));
    let (_, list) = line.ok_or_else(|| format!("rustc does not list the libraries that it needs: {text}"))?;
    // CMake would take a word with a slash at its start for a path.
    Ok(list.split_whitespace().map(|word| word.replace("/defaultlib:", "-defaultlib:")).collect())
}

/// Returns the files and links below a folder, sorted.
pub fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() { folders.push(entry.path()) } else { files.push(entry.path()) }
        }
    }
    files.sort();
    Ok(files)
}

pub fn copy(from: &Path, to: &Path) -> Result<(), String> {
    folder_of(to)?;
    let _ = fs::remove_file(to);
    println!("{}", to.display());
    fs::copy(from, to).map(drop).map_err(|error| format!("{} to {}: {error}", from.display(), to.display()))
}

pub fn write(to: &Path, text: &str) -> Result<(), String> {
    folder_of(to)?;
    println!("{}", to.display());
    fs::write(to, text).map_err(|error| format!("{}: {error}", to.display()))
}

fn folder_of(path: &Path) -> Result<(), String> {
    let folder = path.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
}

#[cfg(unix)]
fn symlink(to: &str, at: &Path) -> Result<(), String> {
    println!("{} -> {to}", at.display());
    std::os::unix::fs::symlink(to, at).map_err(|error| format!("{}: {error}", at.display()))
}

#[cfg(not(unix))]
fn symlink(_: &str, at: &Path) -> Result<(), String> {
    Err(format!("{}: no links here", at.display()))
}
