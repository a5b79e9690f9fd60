//! `cargo xtask test --second-driver`: the GPU tests on SwiftShader, a Vulkan driver that shares
//! nothing with Mesa's.
//! Debian packages it with Chromium. Only its library is unpacked, into the target folder; the
//! system stays unchanged.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::needs::daily;
use crate::{target, test, wait};

/// Debian's package that contains the driver.
const PACKAGE: &str = "chromium-common";
/// Folder of the driver inside the package.
const INSIDE: &str = "usr/lib/chromium";
/// The driver and its manifest for the Vulkan loader, in that order.
const FILES: [&str; 2] = ["libvk_swiftshader.so", "vk_swiftshader_icd.json"];
/// The programs with a module of tests for any driver, and its name.
const TESTS: [&str; 6] = ["--test", "gpu", "--test", "cli", "--", "drivers::"];
/// Time limit of the tests in seconds, for programs that a driver never finishes.
const LIMIT: &str = "1800";

/// Runs the workspace's GPU tests on the second driver, all cases if this variable says so;
/// they append their counts to a file.
pub fn test(counts: &Path, all: Option<(&str, &str)>) -> Result<(), String> {
    let folder = target()?.join("swiftshader");
    if !FILES.iter().all(|file| folder.join(file).exists()) {
        fetch(&folder)?;
    }
    let driver = folder.join(FILES[1]);
    println!("$ export VK_DRIVER_FILES={}", driver.display());
    println!("$ timeout {LIMIT} cargo test --workspace {}", TESTS.join(" "));
    let tests = test::of_workspace();
    let settings = tests.get_envs().filter_map(|(name, value)| Some((name, value?)));
    let mut command = Command::new("timeout");
    command
        .arg(LIMIT)
        .arg(tests.get_program())
        .args(tests.get_args())
        .args(TESTS)
        .envs(settings)
        .envs(all)
        .env("VK_DRIVER_FILES", driver)
        .env(daily::COUNTS, counts);
    wait(&mut command, "the GPU tests on SwiftShader")
}

/// Downloads the package and extracts the driver.
fn fetch(folder: &Path) -> Result<(), String> {
    let by_hand = format!(
        "SwiftShader comes with Debian's {PACKAGE}; unpack it elsewhere and put {} into {}",
        FILES.join(" and "),
        folder.display()
    );
    let io = |error: std::io::Error| format!("{}: {error}\n{by_hand}", folder.display());
    let unpacked = folder.join("unpacked");
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(&unpacked).map_err(io)?;
    println!("$ apt-get download {PACKAGE}");
    let download = |folder: &Path| {
        let status = Command::new("apt-get").args(["download", "-qq", PACKAGE]).current_dir(folder).status();
        status.is_ok_and(|status| status.success()).then(|| archive(folder)).flatten()
    };
    let archive = download(folder).ok_or_else(|| by_hand.clone())?;
    let status = Command::new("dpkg").arg("-x").args([&archive, &unpacked]).status().map_err(io)?;
    if !status.success() {
        return Err(by_hand);
    }
    for file in FILES {
        fs::rename(unpacked.join(INSIDE).join(file), folder.join(file)).map_err(io)?;
    }
    fs::remove_file(archive).map_err(io)?;
    fs::remove_dir_all(unpacked).map_err(io)
}

/// Returns the package in a folder.
fn archive(folder: &Path) -> Option<PathBuf> {
    let mut paths = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    paths.find(|path| path.extension().is_some_and(|end| end == "deb"))
}
