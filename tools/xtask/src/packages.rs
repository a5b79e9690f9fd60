//! System packages that the tasks need: software drivers for Vulkan and OpenGL, RADV, the SPIR-V
//! validator, the reference GLSL compiler; tools for tests of the C interface; Node.js for Tint and
//! the page; Chromium for tests of the page; Python for Dask and DXC; a C++ compiler for libFuzzer.

use std::path::Path;
use std::process::Command;

/// Packages for the tests.
pub const FOR_TESTS: &[&str] = &[
    "mesa-vulkan-drivers",
    "libvulkan1",
    "libegl1",
    "libegl-mesa0",
    "libgl1-mesa-dri",
    "spirv-tools",
    "glslang-tools",
    "gcc",
    "g++",
    "make",
    "cmake",
    "pkg-config",
    "valgrind",
    "python3",
    "python3-venv",
];
/// Packages for Tint, WebAssembly and the page.
pub const NODE: &[&str] = &["nodejs", "npm"];
/// Packages for DXC and its download.
pub const FOR_DXC: &[&str] = &["python3", "python3-pip", "libtinfo6"];
/// Packages for building libFuzzer.
pub const FOR_FUZZ: &[&str] = &["g++"];

/// Installs the missing packages, as root or through sudo without a password.
pub fn install_missing(packages: &[&'static str]) -> Result<(), String> {
    let missing = missing(packages);
    if missing.is_empty() {
        return Ok(());
    }
    let line = format!("apt-get install -y {}", missing.join(" "));
    let by_hand = format!("this needs {}; install with: sudo {line}", missing.join(", "));
    let Some(prefix) = privilege() else { return Err(by_hand) };
    println!("$ {line}");
    let apt = |arguments: &[&str]| {
        let mut words = prefix.to_vec();
        words.push("apt-get");
        words.extend(arguments);
        Command::new(words[0])
            .args(&words[1..])
            .env("DEBIAN_FRONTEND", "noninteractive")
            .status()
            .is_ok_and(|status| status.success())
    };
    // An outdated package list may still be sufficient.
    apt(&["update", "-qq"]);
    let mut arguments = vec!["install", "-y", "-qq", "--no-install-recommends"];
    arguments.extend(missing);
    if apt(&arguments) { Ok(()) } else { Err(by_hand) }
}

/// Returns the command in front of `apt-get`; `None` if it must not be called.
fn privilege() -> Option<&'static [&'static str]> {
    let succeeds = |command: &mut Command| command.output().is_ok_and(|output| output.status.success());
    if !succeeds(Command::new("apt-get").arg("--version")) {
        return None;
    }
    let root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0");
    if root {
        return Some(&[]);
    }
    succeeds(Command::new("sudo").args(["-n", "true"])).then_some(&["sudo", "-n", "--"])
}

fn missing(packages: &[&'static str]) -> Vec<&'static str> {
    let succeeds = |program: &str, arguments: &[&str]| {
        Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
    };
    let runs = |program: &str| succeeds(program, &["--version"]);
    let there = |package: &str| match package {
        "mesa-vulkan-drivers" => any_driver() && has_radv(),
        "libvulkan1" => library("libvulkan.so.1"),
        "libegl1" => library("libEGL.so.1"),
        "libegl-mesa0" => library("libEGL_mesa.so.0"),
        "libgl1-mesa-dri" => dri("swrast_dri.so") || library("libgallium"),
        "libtinfo6" => library("libtinfo.so.6"),
        "nodejs" => runs("node"),
        "python3-venv" => succeeds("python3", &["-c", "import ensurepip, venv"]),
        "python3-pip" => succeeds("python3", &["-m", "pip", "--version"]),
        "spirv-tools" => runs("spirv-val"),
        "glslang-tools" => runs("glslangValidator"),
        other => runs(other),
    };
    packages.iter().copied().filter(|package| !there(package)).collect()
}

/// Returns whether some Vulkan driver is registered, or named by the environment.
fn any_driver() -> bool {
    let named = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"].iter().any(|name| std::env::var_os(name).is_some());
    named || registered("")
}

/// Returns whether RADV is registered, whose null hardware a test of `tools/bench` asks.
fn has_radv() -> bool {
    registered("radeon_icd")
}

/// Returns whether a driver is registered in a file whose name begins like this.
fn registered(start: &str) -> bool {
    let folders = ["/usr/share/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/etc/vulkan/icd.d"];
    let entries = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
    let mut names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.any(|name| name.starts_with(start) && name.ends_with(".json"))
}

/// Returns whether Mesa's drivers of OpenGL have one of this name.
fn dri(name: &str) -> bool {
    let folders = ["/usr/lib/x86_64-linux-gnu/dri", "/usr/lib/aarch64-linux-gnu/dri", "/usr/lib64/dri"];
    let folders = folders.into_iter().chain(["/usr/lib/dri", "/usr/local/lib/dri"]);
    folders.into_iter().any(|folder| Path::new(folder).join(name).exists())
}

/// Returns whether the loader's cache has a library.
fn library(name: &str) -> bool {
    let cache =
        ["/sbin/ldconfig", "ldconfig"].iter().find_map(|path| Command::new(path).arg("-p").output().ok());
    let listed = cache.is_some_and(|output| String::from_utf8_lossy(&output.stdout).contains(name));
    listed
        || ["/usr/lib", "/usr/lib64", "/usr/local/lib"]
            .iter()
            .any(|folder| Path::new(folder).join(name).exists())
}
