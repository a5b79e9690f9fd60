//! `cargo xtask install`: builds the C interface and installs it below a prefix, with files for
//! CMake and pkg-config.
//! In: arguments. Out: files. The installed library is called `transpica`. Programs load it by a
//! name that all compatible versions share (`tools/capi/build.rs` writes the same name into the
//! library).

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::{cargo, target};

/// The crate that is installed.
const CRATE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../capi");
/// Its version.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Parsed arguments.
#[derive(Default)]
struct Options {
    prefix: Option<PathBuf>,
    features: Option<String>,
    built: Option<PathBuf>,
}

/// Runs the task; returns `None` for invalid arguments.
pub fn run(arguments: &[&str]) -> Option<ExitCode> {
    let mut options = Options::default();
    let mut rest = arguments.iter();
    while let Some(name) = rest.next() {
        let value = rest.next()?;
        match *name {
            "--prefix" => options.prefix = Some(value.into()),
            "--features" => options.features = Some((*value).to_owned()),
            "--built" => options.built = Some(value.into()),
            _ => return None,
        }
    }
    let prefix = options.prefix.clone()?;
    if options.built.is_some() && options.features.is_some() {
        // Features select what to build, so they conflict with a prebuilt library.
        return None;
    }
    Some(match install(&prefix, &options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("{text}");
            ExitCode::FAILURE
        }
    })
}

fn install(prefix: &Path, options: &Options) -> Result<(), String> {
    let built = match &options.built {
        Some(folder) => folder.clone(),
        None => {
            let mut build = vec!["build", "--release", "--locked", "--package", "transpica-capi"];
            build.extend(options.features.iter().flat_map(|list| ["--features", list]));
            if !cargo(&build) {
                return Err("the library was not built, see above".into());
            }
            target()?.join("release")
        }
    };
    let names = Names::new()?;
    let libraries = prefix.join("lib");
    copy(&built.join("libtranspica_capi.a"), &libraries.join("libtranspica.a"))?;
    copy(&built.join(&names.built), &libraries.join(&names.file))?;
    for link in [&names.shared, &names.plain] {
        let link = libraries.join(link);
        let _ = fs::remove_file(&link);
        symlink(&names.file, &link)?;
    }
    copy(&Path::new(CRATE).join("include/transpica.h"), &prefix.join("include/transpica.h"))?;
    let words = words(&names, &system_libraries()?);
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

/// Names of the shared library.
struct Names {
    /// The name of cargo's output.
    built: String,
    /// The file name, with the full version.
    file: String,
    /// The name that programs load (soname).
    shared: String,
    /// The name that linkers search for.
    plain: String,
    /// The compatible versions.
    compatible: String,
}

impl Names {
    fn new() -> Result<Self, String> {
        // Below 1.0 every minor version may break compatibility.
        let mut parts = VERSION.split('.');
        let major = parts.next().unwrap_or_default();
        let minor = parts.next().unwrap_or_default();
        let compatible = if major == "0" { format!("0.{minor}") } else { major.to_owned() };
        if cfg!(target_os = "macos") {
            let name = |version: &str| format!("libtranspica{version}.dylib");
            Ok(Self {
                built: "libtranspica_capi.dylib".into(),
                file: name(&format!(".{VERSION}")),
                shared: name(&format!(".{compatible}")),
                plain: name(""),
                compatible,
            })
        } else if cfg!(unix) {
            let name = |version: &str| format!("libtranspica.so{version}");
            Ok(Self {
                built: "libtranspica_capi.so".into(),
                file: name(&format!(".{VERSION}")),
                shared: name(&format!(".{compatible}")),
                plain: name(""),
                compatible,
            })
        } else {
            Err("install knows Linux, the BSDs and macOS; elsewhere take the library from `cargo build --release \
                 --package transpica-capi` and the header from tools/capi/include"
                .into())
        }
    }
}

/// Placeholders of the templates and their values.
fn words(names: &Names, libraries: &[String]) -> [(&'static str, String); 8] {
    [
        ("@VERSION@", VERSION.to_owned()),
        ("@COMPATIBLE@", names.compatible.clone()),
        ("@COMPATIBLE_PATTERN@", names.compatible.replace('.', "\\\\.")),
        ("@SHARED@", names.plain.clone()),
        ("@SONAME@", names.shared.clone()),
        ("@SYSTEM_LIBRARIES@", libraries.join(" ")),
        ("@SYSTEM_LIBRARIES_LIST@", libraries.join(";")),
        ("@POINTER_BYTES@", size_of::<usize>().to_string()),
    ]
}

/// Returns the libraries that a program needs besides the static library: those of Rust's runtime,
/// as the compiler lists them for an empty library.
fn system_libraries() -> Result<Vec<String>, String> {
    // One folder per process: tests install several times at once.
    let folder = target()?.join(format!("empty-library-{}", std::process::id()));
    let source = folder.join("empty.rs");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    fs::write(&source, "").map_err(|error| format!("{}: {error}", source.display()))?;
    let output = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .args(["--crate-type", "staticlib", "--print", "native-static-libs", "--out-dir"])
        .arg(&folder)
        .arg(&source)
        .output()
        .map_err(|error| format!("rustc: {error}"))?;
    let _ = fs::remove_dir_all(&folder);
    let text = String::from_utf8_lossy(&output.stderr);
    let line = text.lines().find_map(|line| line.split_once("native-static-libs: "));
    let (_, list) = line.ok_or_else(|| format!("rustc does not list the libraries that it needs: {text}"))?;
    Ok(list.split_whitespace().map(str::to_owned).collect())
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    folder_of(to)?;
    let _ = fs::remove_file(to);
    println!("{}", to.display());
    fs::copy(from, to).map(drop).map_err(|error| format!("{} to {}: {error}", from.display(), to.display()))
}

fn write(to: &Path, text: &str) -> Result<(), String> {
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
