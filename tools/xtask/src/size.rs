//! `cargo xtask count --size`: bytes of a minimal program in C, beside their ceilings.
//! In: the first program of `tools/capi/README.md`. Out: a table. Each set of features is installed
//! into the target folder and linked by the flags of pkg-config, as hosts do.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::install::{self, Options};
use crate::{needs, target};

/// Most bytes of the program, stripped, by features of the library.
const CEILINGS: [(&str, u64); 3] =
    [("", 1_600_000), ("wgsl,glsl", 1_950_000), ("wgsl,glsl,hlsl,msl", 4_400_000)];

/// Links the program with each library and compares its size.
///
/// # Errors
/// A size beyond its ceiling, or what cannot be built.
pub fn run() -> Result<(), String> {
    needs::install(&["tests"])?;
    let folder = target()?.join("size");
    let readme = Path::new(needs::ROOT).join("tools/capi/README.md");
    let readme = fs::read_to_string(&readme).map_err(|error| format!("{}: {error}", readme.display()))?;
    let program = readme.split("```c\n").nth(1).and_then(|rest| rest.split("```").next());
    let source = folder.join("main.c");
    install::write(&source, program.ok_or("the README of the C interface has no program")?)?;
    let mut faults = Vec::new();
    println!("{:<24} {:>10} {:>10}", "features", "bytes", "ceiling");
    for (features, ceiling) in CEILINGS {
        let prefix = folder.join(format!("with-{}", features.replace(',', "-")));
        let _ = fs::remove_dir_all(&prefix);
        let wanted = (!features.is_empty()).then(|| features.to_owned());
        install::install(&prefix, &Options { features: wanted, ..Options::default() })?;
        let bytes = size(&source, &prefix)?;
        println!("{features:<24} {bytes:>10} {ceiling:>10}");
        if bytes > ceiling {
            faults.push(format!("a program with {features:?} has {bytes} bytes of at most {ceiling}"));
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

/// Links the program with the static library of a prefix and returns its bytes.
fn size(source: &Path, prefix: &Path) -> Result<u64, String> {
    let output = |command: &mut Command| {
        let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
        let text = String::from_utf8_lossy(&output.stderr);
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        } else {
            Err(format!("{command:?}: {text}"))
        }
    };
    let mut flags = Command::new("pkg-config");
    flags.args(["--static", "--cflags", "--libs", "transpica"]);
    let flags = output(flags.env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")))?;
    // The linker prefers a shared library.
    for entry in fs::read_dir(prefix.join("lib")).map_err(|error| error.to_string())?.flatten() {
        if entry.file_name().to_string_lossy().starts_with("libtranspica.so") {
            fs::remove_file(entry.path()).map_err(|error| error.to_string())?;
        }
    }
    let program = prefix.join("main");
    let mut link = Command::new("cc");
    link.args(["-O2", "-s"]).arg(source).args(flags.split_whitespace()).arg("-o").arg(&program);
    output(&mut link)?;
    fs::metadata(&program).map(|metadata| metadata.len()).map_err(|error| error.to_string())
}
