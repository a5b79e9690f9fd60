//! The archive of the command, as `cargo xtask dist --command` writes it: what cargo-binstall and
//! the Debian package expect exists. A script stands for the program, whose debug build takes
//! long to compress.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::needs;
use crate::support::{folder, ran, root};

/// Writes the archive of a built program into a folder.
fn archive(built: &Path, out: &Path) -> PathBuf {
    let mut dist = Command::new(env!("CARGO"));
    dist.args(["xtask", "dist", "--command", "--built"]).arg(built).arg("--out").arg(out);
    ran(&mut dist, &[]).succeeded();
    let mut entries = fs::read_dir(out).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.find(|path| path.extension().is_some_and(|end| end == "gz")).expect("an archive")
}

/// Returns what tar prints about an archive.
fn tar(options: &str, archive: &Path, member: &str) -> String {
    ran(Command::new("tar").arg(options).arg(archive).args(["--wildcards", member]), &[]).succeeded()
}

#[test]
fn an_archive_has_all_that_packages_need_and_the_same_bytes_again() {
    needs!("tar", "sha256sum");
    let folder = folder("archive");
    let program = folder.join("transpica");
    fs::write(&program, format!("#!/bin/sh\nexec {} \"$@\"\n", env!("CARGO_BIN_EXE_transpica")))
        .expect("a script");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a script");
    let packed = archive(&folder, &folder.join("out"));
    let again = archive(&folder, &folder.join("again"));
    assert_eq!(
        fs::read(&packed).expect("bytes"),
        fs::read(again).expect("bytes"),
        "the bytes depend on the time"
    );
    let sum = packed.with_extension("gz.sha256");
    let text = fs::read_to_string(sum).expect("a checksum");
    let found = ran(Command::new("sha256sum").arg(&packed), &[]).succeeded();
    assert_eq!(text.split(' ').next(), found.split(' ').next());

    let listed = tar("-tvzf", &packed, "*");
    let files: Vec<&str> =
        listed.lines().filter_map(|line| Some(line.split_once('/')?.1.split_once('/')?.1)).collect();
    for name in ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "CHANGELOG.md", "completions/_transpica.ps1"] {
        assert!(files.contains(&name), "{name}: {files:?}");
    }
    let of_program = listed.lines().find(|line| line.ends_with("/transpica")).expect("the program");
    assert!(of_program.starts_with("-rwxr-xr-x"), "{of_program}");
    let notices = tar("-xOzf", &packed, "*/NOTICES");
    assert!(notices.contains("\nclap ") && notices.contains("\nwgpu "), "{notices}");
    assert!(tar("-xOzf", &packed, "*/NOTICES-RUST.html").contains("The Rust Standard Library"));

    let manifest = fs::read_to_string(root().join("tools/cli/Cargo.toml")).expect("a manifest");
    let url = manifest.lines().find_map(|line| line.strip_prefix("pkg-url = ")).expect("an address");
    let name = url.trim_matches('"').replace("{ name }", env!("CARGO_PKG_NAME"));
    let name = name.replace("{ version }", env!("CARGO_PKG_VERSION"));
    let (start, end) =
        name.rsplit('/').next().and_then(|name| name.split_once("{ target }")).expect("a name");
    let name = packed.file_name().expect("a name").to_string_lossy();
    assert!(name.starts_with(start) && name.ends_with(end), "{name}: {url}");
    let assets: Vec<&str> =
        manifest.split("\"../../target/command/").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(assets.len(), 5, "{assets:?}");
    for asset in assets {
        let (start, end) = asset.split_once('*').unwrap_or((asset, ""));
        let is_there = files.iter().any(|file| file.starts_with(start) && file.ends_with(end));
        assert!(is_there, "{asset}: {files:?}");
    }
}
