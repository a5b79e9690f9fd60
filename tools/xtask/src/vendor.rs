//! `cargo xtask vendor-capi`: sources of the C interface with the crates that it needs.
//! In: a folder that does not exist. Out: a workspace of three packages and `vendor`, which builds
//! offline: `cargo build --release --locked --offline`. Tests and what they need are left out: nine
//! tenths of the workspace's crates.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::needs::ROOT;
use crate::{install, program};

/// Runs the task.
pub fn run(folder: &Path) -> Result<(), String> {
    if folder.exists() {
        return Err(format!("{} exists", folder.display()));
    }
    for path in ["src", "shaders", "tools/draw", "tools/settings", "tools/capi"] {
        copy_folder(&Path::new(ROOT).join(path), &folder.join(path))?;
    }
    for path in ["Cargo.lock", "README.md", "LICENSE-APACHE", "LICENSE-MIT"] {
        install::copy(&Path::new(ROOT).join(path), &folder.join(path))?;
    }
    for path in ["Cargo.toml", "tools/draw/Cargo.toml", "tools/settings/Cargo.toml", "tools/capi/Cargo.toml"]
    {
        let from = Path::new(ROOT).join(path);
        let text = fs::read_to_string(&from).map_err(|error| format!("{}: {error}", from.display()))?;
        install::write(&folder.join(path), &reduced(&text))?;
    }
    // cargo vendor removes the other crates from the lock file and keeps the versions.
    let output = Command::new(program())
        .args(["vendor", "vendor"])
        .current_dir(folder)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cargo: {error}"))?;
    if !output.status.success() {
        return Err("the crates cannot be had, see above".into());
    }
    install::write(&folder.join(".cargo/config.toml"), &String::from_utf8_lossy(&output.stdout))
}

/// Returns a manifest without tests and without the workspace's other members.
fn reduced(manifest: &str) -> String {
    let mut is_kept = true;
    let mut text = String::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_kept = !line.contains("dev-dependencies]") && !line.starts_with("[profile.dev");
        }
        let line = match line.split(" = ").next() {
            Some("members" | "default-members") => &format!(
                "{} = [\"tools/draw\", \"tools/settings\", \"tools/capi\"]",
                line.split(" = ").next().unwrap_or_default()
            ),
            _ => line,
        };
        if is_kept {
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}

/// Copies a folder without tests.
pub fn copy_folder(from: &Path, to: &Path) -> Result<(), String> {
    let files = install::files(from).map_err(|error| format!("{}: {error}", from.display()))?;
    // Unit tests in `src` are part of modules; integration tests are not.
    let tests = Path::new(ROOT).join("tools/capi/tests");
    files.iter().filter(|path| !path.starts_with(&tests)).try_for_each(|path| {
        install::copy(path, &to.join(path.strip_prefix(from).expect("a path of this folder")))
    })
}
