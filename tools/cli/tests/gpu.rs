//! The commands that need a GPU. Where there is none they fail, and what they print says what to install.

mod support;

use support::transpica;

/// Compares and gives the table.
fn compare(arguments: &[&str]) -> String {
    let ran = transpica(&[&["compare", "--vertices", "16"], arguments].concat());
    let text = ran.text();
    assert_eq!(ran.status, 0, "{text}{}", ran.err);
    let last = text.lines().last().expect("a summary");
    assert!(last.ends_with(" 0 differing values, 0 failed"), "{text}");
    text
}

#[test]
fn interpreter_and_gpu_agree_on_every_shader() {
    let text = compare(&["shaders", "--route", "spirv"]);
    assert!(text.lines().filter(|line| line.starts_with("ok ")).count() > 20, "{text}");
}

#[test]
fn wgsl_agrees_within_its_tolerance() {
    // FIXME: should be the whole folder. `ribbon` subtracts nearly equal products; without NoContraction the driver fuses
    // one, and a tolerance in units of the last place of the result does not cover that.
    let shaders = ["lights", "textured", "fog", "skinning", "uber", "library"];
    let paths = shaders.map(|name| format!("shaders/{name}.shbin"));
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    compare(&[&paths[..], &["--route", "wgsl"]].concat());
}

#[test]
fn a_run_on_the_gpu_prints_what_the_interpreter_prints() {
    for sample in ["shaders/textured.shbin", "shaders/skinning.shbin"] {
        let run = |on| transpica(&["run", sample, "--json", "--seed", "3", "--on", on]).succeeded();
        assert_eq!(run("gpu"), run("cpu"), "{sample}");
    }
}

#[test]
fn an_adapter_of_another_name_is_an_error() {
    let ran = transpica(&["run", "shaders/textured.shbin", "--on", "gpu", "--adapter", "abacus"]);
    assert_eq!((ran.status, ran.out.len()), (1, 0));
    assert!(ran.report().contains("no Vulkan adapter is named like \"abacus\""), "{}", ran.err);
}
