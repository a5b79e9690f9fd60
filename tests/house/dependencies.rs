//! Manifests: the library's users depend neither on clap nor on wgpu, and with default features on
//! at most eleven crates without naga. Every test of the folders runs. The list of requirements
//! names headers that tests need. Tests of the published package compile.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::needs::table;

/// Names of the crates that the library depends on.
fn crates(arguments: &[&str]) -> BTreeSet<String> {
    crates_of("transpica", arguments)
}

/// Names of the crates that a package depends on.
fn crates_of(package: &str, arguments: &[&str]) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--package", package, "--edges", "normal", "--prefix", "none", "--format", "{p}"])
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    let lines = text.lines().filter(|line| !line.starts_with("transpica "));
    lines.map(|line| line.split(" v").next().unwrap_or(line).to_string() + &version(line)).collect()
}

/// Returns the name with the version, so that two versions of one crate count as two.
fn version(line: &str) -> String {
    line.split(' ').nth(1).map(|version| format!(" {version}")).unwrap_or_default()
}

fn has(crates: &BTreeSet<String>, name: &str) -> bool {
    crates.iter().any(|line| line.split(' ').next() == Some(name))
}

#[test]
fn default_features_bring_at_most_eleven_crates_and_no_naga() {
    let crates = crates(&[]);
    assert!(has(&crates, "spirv"), "{crates:?}");
    assert!(crates.len() <= 11, "{} crates: {crates:?}", crates.len());
    for heavy in ["naga", "clap", "wgpu", "serde", "rspirv"] {
        assert!(!has(&crates, heavy), "{heavy} in {crates:?}");
    }
}

#[test]
fn printers_of_our_own_bring_no_crate() {
    let text = crates(&["--features", "wgsl,glsl"]);
    assert_eq!(text, crates(&[]), "features without crates of their own");
    for theirs in ["naga", "hlsl", "msl"] {
        assert!(has(&crates(&["--features", theirs]), "naga"), "{theirs} is naga's");
    }
}

#[test]
fn the_command_line_needs_neither_a_gpu_nor_naga() {
    let all = crates_of("transpica-cli", &[]);
    assert!(has(&all, "wgpu") && has(&all, "naga"), "{all:?}");
    // half is locked at 2.5: later versions need zerocopy and a second version of syn.
    assert!(all.len() <= 131, "{} crates: {all:?}", all.len());
    let least = crates_of("transpica-cli", &["--no-default-features"]);
    let heavy = ["wgpu", "naga", "pollster", "ruzstd", "rspirv", "fearless_simd", "png", "toml", "indicatif"];
    for heavy in heavy {
        assert!(!has(&least, heavy), "{heavy} in {least:?}");
    }
    assert!(least.len() <= 58, "{} crates: {least:?}", least.len());
}

/// The translator is a crate without its neighbors: nothing in `src` may know them.
#[test]
fn neighbors_depend_on_the_library_alone() {
    for neighbor in ["transpica-asm", "transpica-draw"] {
        let ours = crates_of(neighbor, &[]);
        let ours: Vec<&String> = ours.iter().filter(|name| name.starts_with("transpica-")).collect();
        assert!(ours.iter().all(|name| name.starts_with(neighbor)), "{neighbor}: {ours:?}");
    }
    assert!(!crates(&["--all-features"]).iter().any(|name| name.starts_with("transpica-")));
}

/// A build script compiles all of it before the program that it is for.
#[test]
fn build_scripts_take_at_most_twelve_crates() {
    let crates = crates_of("transpica-build", &[]);
    assert!(crates.len() <= 12, "{} crates: {crates:?}", crates.len());
}

/// A reader of the tools learns the public API: layers below it are named in few places. Proofs,
/// measurements and the generator look into every layer.
#[test]
fn tools_import_public_paths() {
    let mut files = Vec::new();
    for entry in fs::read_dir(root().join("tools")).expect("the tools").flatten() {
        if ["proof", "bench"].iter().any(|name| entry.file_name() == *name) {
            continue;
        }
        for folder in ["src", "tests", "examples"].map(|folder| entry.path().join(folder)) {
            if folder.is_dir() {
                sources(&folder, &mut files);
            }
        }
    }
    files.retain(|file| file.extension().is_some_and(|end| end == "rs"));
    assert!(files.len() > 300, "{} sources of tools", files.len());
    let places = files.iter().flat_map(|file| {
        let text = fs::read_to_string(file).expect("a source");
        let lines: Vec<String> =
            text.lines().filter(|line| line.contains("stages::")).map(str::to_owned).collect();
        lines.into_iter().map(move |line| format!("{}: {line}", file.display()))
    });
    let places: Vec<String> = places.collect();
    assert!(places.len() <= 20, "{} places:\n{}", places.len(), places.join("\n"));
}

#[test]
fn no_feature_brings_clap_or_wgpu() {
    let crates = crates(&["--all-features"]);
    assert!(has(&crates, "naga"), "{crates:?}");
    for heavy in ["clap", "wgpu", "pollster"] {
        assert!(!has(&crates, heavy), "{heavy} in {crates:?}");
    }
}

/// Folders of the packages' tests.
fn test_folders() -> Vec<PathBuf> {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("the manifest");
    let (_, members) = manifest.split_once("members = [").expect("members");
    let (members, _) = members.split_once(']').expect("an end of the members");
    let members = members.split('"').skip(1).step_by(2).map(|member| root().join(member));
    // A package that lies in the folder of tests itself has tests only.
    let folder = |member: PathBuf| if member.ends_with("tests") { member } else { member.join("tests") };
    let folders = members.map(folder).chain([root().join("tests")]);
    let mut folders: Vec<_> = folders.filter(|folder| folder.exists()).collect();
    folders.sort();
    folders.dedup();
    folders
}

/// A test of a file that no program declares would never run, and each program takes its time to
/// link.
#[test]
fn every_file_of_tests_is_a_module_of_a_package_s_program() {
    let mut modules = 0;
    for folder in test_folders() {
        let mut files = Vec::new();
        sources(&folder, &mut files);
        files.retain(|file| file.extension().is_some_and(|end| end == "rs"));
        let texts: Vec<String> =
            files.iter().map(|file| fs::read_to_string(file).expect("a source")).collect();
        let is_declared = |file: &Path| {
            let name = file.file_name().expect("a file").to_string_lossy();
            let module = if name == "mod.rs" { file.parent().expect("a folder") } else { file };
            let stem = module.file_stem().expect("a name").to_string_lossy();
            // By its name beside it, or as the path of a module or of a program that tests build.
            files.iter().zip(&texts).any(|(by, text)| {
                by.parent() == module.parent() && text.contains(&format!("mod {stem};\n"))
                    || name != "main.rs" && text.contains(&format!("/{name}\""))
            })
        };
        let (declared, programs): (Vec<_>, Vec<_>) = files.iter().partition(|file| is_declared(file));
        modules += declared.len();
        let most =
            if folder == root().join("tests") { 3 } else { 1 + usize::from(folder.ends_with("proof/tests")) };
        assert!((1..=most).contains(&programs.len()), "no modules, and several programs: {programs:?}");
    }
    assert!(modules > 100, "{modules} modules");
}

/// Cargo removes dependencies without a version from a published manifest, and unit tests that use
/// them would not compile there.
#[test]
fn published_packages_depend_on_published_ones() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for package in [
        "tools/asm",
        "tools/draw",
        "tools/containers",
        "tools/inspect",
        "tools/settings",
        "tools/build",
        "tools/unit",
        "tools/lsp",
        "tools/gpu",
        "tools/cli",
    ] {
        let manifest = fs::read_to_string(root.join(package).join("Cargo.toml")).expect("a manifest");
        let (_, own) = manifest.split_once("[package]").expect("a package");
        for unpublished in ["transpica-proof", "path = \"tools/", "path = \"../"] {
            assert!(!own.contains(unpublished), "{package} depends on {unpublished}");
        }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

/// Collects the sources of tests and of what they compile and run.
fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if path.is_dir() {
            sources(&path, files);
        } else if ["rs", "c", "cpp", "h", "hpp"].contains(&ending) {
            files.push(path);
        }
    }
}

/// The compiler finds headers wherever they lie, so that no machine with them notices a package
/// that the list lacks. Programs are noticed where the tests run: they see those of the list.
#[test]
fn headers_of_programs_in_c_are_in_the_list_of_requirements() {
    let mut files = Vec::new();
    ["tests", "examples"]
        .iter()
        .for_each(|folder| sources(&root().join("tools/capi").join(folder), &mut files));
    let mut count = 0;
    for path in files {
        let text = fs::read_to_string(&path).expect("a text");
        for start in ["#include <", "__has_include(<"] {
            let names = text.split(start).skip(1).filter_map(|rest| rest.split('>').next());
            // Standard headers lie in no folder.
            for name in names.filter(|name| name.contains('/')) {
                assert!(table().any(|need| need.name == name), "{name} of {}", path.display());
                count += 1;
            }
        }
    }
    assert!(count > 3, "{count} headers");
}
