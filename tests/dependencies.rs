//! Dependencies of the library's users: neither clap nor wgpu, and with default features at most
//! twelve crates and no naga.

use std::collections::BTreeSet;
use std::process::Command;

/// Names of the crates that the library depends on.
fn crates(arguments: &[&str]) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--package", "transpica", "--edges", "normal", "--prefix", "none", "--format", "{p}"])
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
fn default_features_bring_at_most_twelve_crates_and_no_naga() {
    let crates = crates(&[]);
    assert!(has(&crates, "rspirv"), "{crates:?}");
    assert!(crates.len() <= 12, "{} crates: {crates:?}", crates.len());
    for heavy in ["naga", "clap", "wgpu", "serde"] {
        assert!(!has(&crates, heavy), "{heavy} in {crates:?}");
    }
}

#[test]
fn printers_of_our_own_bring_no_crate() {
    let text = crates(&["--features", "wgsl,glsl,asm"]);
    assert_eq!(text, crates(&[]), "features without crates of their own");
    for theirs in ["naga", "hlsl", "msl"] {
        assert!(has(&crates(&["--features", theirs]), "naga"), "{theirs} is naga's");
    }
}

#[test]
fn no_feature_brings_clap_or_wgpu() {
    let crates = crates(&["--all-features"]);
    assert!(has(&crates, "naga"), "{crates:?}");
    for heavy in ["clap", "wgpu", "pollster"] {
        assert!(!has(&crates, heavy), "{heavy} in {crates:?}");
    }
}
