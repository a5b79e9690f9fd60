//! States of runs: names of the file in state files, generated states written and read again, and
//! names in everything that prints instructions.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{Ran, folder, root, transpica, transpica_reading};

fn name(path: &Path) -> &str {
    path.to_str().expect("a name")
}

/// Every executable of every sample.
fn programs() -> Vec<(String, String)> {
    let mut programs = Vec::new();
    let mut files: Vec<_> = fs::read_dir(root().join("shaders")).expect("samples").flatten().collect();
    files.sort_by_key(fs::DirEntry::file_name);
    for file in
        files.iter().map(|file| file.path()).filter(|path| path.extension().is_some_and(|e| e == "shbin"))
    {
        let bytes = fs::read(&file).expect("a sample");
        let count = transpica::Shbin::parse(&bytes).expect("valid").executables.len();
        programs.extend((0..count).map(|dvle| (name(&file).to_owned(), dvle.to_string())));
    }
    programs
}

#[test]
fn a_saved_state_gives_the_same_run() {
    let folder = folder("saved");
    let state = folder.join("state.json");
    let state = name(&state);
    let all = programs();
    assert!(all.len() >= 48, "{}", all.len());
    for (number, (file, dvle)) in all.iter().enumerate() {
        let seed = number.to_string();
        for stress in [&[][..], &["--stress"]] {
            let run = ["run", file, "--dvle", dvle, "--json"];
            let save = ["--seed", &seed, "--vertices", "3", "--save-state", state];
            let saved = transpica(&[&run[..], &save, stress].concat()).succeeded();
            let again = transpica(&[&run[..], &["--state", state]].concat()).succeeded();
            let vertices = |text: &str| serde_json::from_str::<Value>(text).expect("JSON")["vertices"].take();
            assert!(vertices(&saved) == vertices(&again), "{file} {dvle} {stress:?}");
        }
    }
}

/// Writes a state and runs a sample with it.
fn run(folder: &Path, file: &str, text: &str) -> Ran {
    let state = folder.join("state.json");
    fs::write(&state, text).expect("written");
    transpica(&["run", file, "--json", "--state", name(&state)])
}

const TEXTURED: &str = "shaders/textured.shbin";

#[test]
fn names_stand_for_registers() {
    let folder = folder("by_name");
    let by_register = r#"{ "uniforms": { "c": { "0": [1, 0, 0, 0], "1": [0, 1, 0, 0], "2": [0, 0, 1, 0], "3": [0, 0, 0, 1],
        "4": [1, 0, 0, 2], "5": [0, 1, 0, 0], "6": [0, 0, 1, 0], "7": [0, 0, 0, 1], "8": [3, 4, 0, 0] } },
        "vertices": [ { "v0": [5, 6, 7, 1], "v1": [2, 3, 0, 1], "v2": [255, 0, 0, 255] } ] }"#;
    let by_name = r#"{ "uniforms": { "projection": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
        "c": { "4": [1, 0, 0, 2], "5": [0, 1, 0, 0], "6": [0, 0, 1, 0], "7": [0, 0, 0, 1] }, "texScale": [3, 4, 0, 0] },
        "vertices": [ { "inpos": [5, 6, 7, 1], "v1": [2, 3, 0, 1], "incol": [255, 0, 0, 255] } ] }"#;
    let expected = run(&folder, TEXTURED, by_register).succeeded();
    assert_eq!(run(&folder, TEXTURED, by_name).succeeded(), expected);
    let value: Value = serde_json::from_str(&expected).expect("JSON");
    let semantics = &value["vertices"][0]["semantics"];
    assert_eq!(semantics["position"], value["vertices"][0]["outputs"]["o0"]);
    assert_eq!(semantics["texcoord0"], serde_json::json!(["0x40c00000", "0x41400000"]));
    let names: Vec<_> = semantics.as_object().expect("names").keys().collect();
    assert_eq!(names, ["position", "texcoord0", "color"]);
    // Bools and ints have names, too.
    let both = |text: &str| run(&folder, "shaders/lights.shbin", text).succeeded();
    let ints = [
        r#"{"lightLoop": [1, 0, 1, 0], "useSpecular": true}"#,
        r#"{"i": {"0": [1, 0, 1, 0]}, "b": {"0": true}}"#,
    ];
    let [named, numbered] = ints.map(|uniforms| {
        both(&format!("{{\"uniforms\": {uniforms}, \"vertices\": [{{\"inpos\": [1, 2, 3, 1]}}]}}"))
    });
    assert_eq!(named, numbered);
}

#[test]
fn errors_about_names_have_a_place_and_a_hint() {
    let folder = folder("wrong_names");
    for (text, said) in [
        (
            r#"{"uniforms":{"projektion":[]}}"#,
            "uniforms: unknown key \"projektion\", did you mean `projection`?",
        ),
        (r#"{"uniforms":{"x":[]}}"#, "unknown key \"x\""),
        (r#"{"uniforms":{"inpos":[0,0,0,1]}}"#, "uniforms: unknown key \"inpos\""),
        (
            r#"{"uniforms":{"projection":[1,0,0,0]}}"#,
            "uniforms.projection must be a list of 4 values, for c0 to c3",
        ),
        (r#"{"uniforms":{"projection":[[1,0,0,0],[0,1,0,0]]}}"#, "must be a list of 4 values"),
        (
            r#"{"uniforms":{"projection":[[1,0,0,0],[0,1,0,0],[0,0,1],[0,0,0,1]]}}"#,
            "uniforms.projection[2] must be an array of four",
        ),
        (
            r#"{"uniforms":{"projection":[[1,0,0,0],[0,1,0,0],[0,0,1,"x"],[0,0,0,1]]}}"#,
            "uniforms.projection[2][3] must be a number",
        ),
        (
            r#"{"uniforms":{"texScale":[1,0,0,0],"c":{"8":[0,0,0,0]}}}"#,
            "uniforms.c.8: the file sets c8 twice",
        ),
        (r#"{"uniforms":{"texScale":true}}"#, "uniforms.texScale must be an array of four numbers"),
        (
            r#"{"vertices":[{},{"inpoz":[0,0,0,1]}]}"#,
            "vertices[1]: unknown key \"inpoz\", did you mean `inpos`?",
        ),
        (r#"{"vertices":[{"inpos":[0,0,0,1],"v0":[0,0,0,1]}]}"#, "vertices[0].v0: the vertex sets v0 twice"),
        (r#"{"vertices":[{"texScale":[0,0,0,1]}]}"#, "vertices[0]: unknown key \"texScale\""),
    ] {
        let ran = run(&folder, TEXTURED, text);
        assert_eq!((ran.status, ran.out.len()), (1, 0), "{text}");
        assert!(ran.report().contains(said), "{text}: {}", ran.err);
    }
    let ran = run(&folder, "shaders/lights.shbin", r#"{"uniforms":{"useSpecular":2}}"#);
    assert!(ran.report().contains("uniforms.useSpecular must be true or false"), "{}", ran.err);
}

#[test]
fn generated_inputs_are_those_of_a_game_unless_stress_is_asked_for() {
    let folder = folder("plausible");
    let state = folder.join("state.json");
    let saved = |more: &[&str]| {
        let save = ["run", TEXTURED, "--vertices", "64", "--save-state", name(&state)];
        transpica(&[&save[..], more].concat()).succeeded();
        serde_json::from_slice::<Value>(&fs::read(&state).expect("written")).expect("JSON")
    };
    let usual = saved(&[]);
    assert_eq!(usual["uniforms"]["projection"][3], serde_json::json!([0.0, 0.0, 0.0, 1.0]));
    for vertex in usual["vertices"].as_array().expect("vertices") {
        let is_within = |x: &Value| x.as_f64().is_some_and(|x| x.abs() <= 1.0);
        for attribute in ["inpos", "inuv", "incol"] {
            assert!(vertex[attribute].as_array().expect("four").iter().all(is_within), "{vertex}");
        }
    }
    let text = saved(&["--stress"]).to_string();
    assert!(text.contains("\"inf\"") || text.contains("\"-inf\""), "{text:.400}");
    let ran = transpica(&["run", TEXTURED, "--stress", "--state", name(&state)]);
    assert_eq!(ran.status, 2, "{}", ran.err);
    let ran = transpica(&["run", TEXTURED, "--save-state", name(&state), "-o", name(&state)]);
    assert_eq!(ran.status, 2, "{}", ran.err);
}

#[test]
fn every_command_prints_the_instructions_of_the_disassembler() {
    let text = |arguments: &[&str]| transpica(arguments).succeeded();
    for line in ["dp4 o0.y, projection[1], r1", "mul o2, float_95.w, incol"] {
        assert!(text(&["dis", TEXTURED]).contains(&format!("\t{line}\n")), "{line}");
        assert!(
            text(&["info", TEXTURED]).lines().any(|shown| shown.ends_with(&format!("  {line}"))),
            "{line}"
        );
        assert!(text(&["cfg", TEXTURED]).contains(&format!(": {line}\n")), "{line}");
        assert!(text(&["cfg", TEXTURED, "--stage", "tree"]).contains(&format!(": {line}\n")), "{line}");
        assert!(text(&["cfg", TEXTURED, "--format", "dot"]).contains(line), "{line}");
        assert!(
            text(&["run", TEXTURED, "--trace", "--vertices", "1"]).contains(&format!(": {line} ")),
            "{line}"
        );
    }
    let lights = ["cfg", "shaders/lights.shbin"];
    assert!(text(&lights).contains("with lightLoop"), "{}", text(&lights));
    assert!(text(&lights).contains("if useSpecular "), "{}", text(&lights));
    // Shared code has the names of the chosen program.
    let all = text(&["info", "shaders/library.shbin"]);
    assert!(all.contains("call "), "{all}");
    let table = text(&["run", TEXTURED, "--vertices", "1"]);
    let ends: Vec<_> =
        table.lines().skip(2).map(|line| line.rsplit(' ').next().unwrap_or_default()).collect();
    assert_eq!(ends, ["position", "texcoord0", "color"]);
}

/// Color is mapped and not written, o7 is written and not mapped.
const LISTED: &str = "
.out pos position
.out col color
.out tex texcoord0
.proc main
\tmov pos, v0
\tmov tex, v1
\tmov o7, v1
\tend
.end
";

#[test]
fn run_lists_what_is_written_or_mapped_with_numbers_beside_bits() {
    let state = folder("listed").join("state.json");
    fs::write(&state, r#"{ "vertices": [ { "v0": [0.1, "inf", "nan", -2], "v1": [1, 2, 3, 4] } ] }"#)
        .expect("written");
    let state = state.to_str().expect("a name");
    let run = |more: &[&str]| {
        transpica_reading(&[&["run", "-", "--state", state], more].concat(), LISTED.as_bytes()).succeeded()
    };
    let value: Value = serde_json::from_str(&run(&["--json"])).expect("JSON");
    let vertex = &value["vertices"][0];
    let names: Vec<_> = vertex["outputs"].as_object().expect("registers").keys().collect();
    assert_eq!(names, ["o0", "o1", "o2", "o7"], "{vertex}");
    assert_eq!(vertex["values"]["o0"], serde_json::json!([0.1, "inf", "nan", -2.0]));
    assert_eq!(vertex["values"]["position"], vertex["values"]["o0"]);
    assert_eq!(vertex["values"]["o7"], serde_json::json!([1.0, 2.0, 3.0, 4.0]));
    assert_eq!(vertex["outputs"]["o0"][0], "0x3dcccccd");
    assert_eq!(value["inputs"], serde_json::json!({ "file": state }));
    let table = run(&[]);
    assert_eq!(table.lines().next(), Some(format!("inputs: {state}").as_str()));
    assert_eq!((table.lines().count(), run(&["--all"]).lines().count()), (6, 18), "{table}");
    let seeded = transpica(&["run", TEXTURED, "--seed", "7"]).succeeded();
    assert!(seeded.starts_with("inputs: generated from seed 7; --save-state FILE"), "{seeded:.200}");
}

#[test]
fn a_state_and_what_generates_one_are_wrong_usage_together() {
    let state = folder("state_and_seed").join("state.json");
    fs::write(&state, "{}").expect("written");
    let state = state.to_str().expect("a name");
    for option in ["--seed", "--vertices"] {
        let ran = transpica(&["run", TEXTURED, "--state", state, option, "3"]);
        assert_eq!((ran.status, ran.out.len()), (2, 0), "{option}: {}", ran.err);
        assert!(ran.err.contains("cannot be used with"), "{option}: {}", ran.err);
    }
    let ran = transpica(&["run", TEXTURED, "--state", state]);
    assert!(ran.status == 0 && ran.err.contains("no vertices, so nothing ran"), "{}", ran.err);
    let ran = transpica(&["run", TEXTURED, "--vertices", "0"]);
    assert_eq!(ran.err, format!("warning: {TEXTURED}: no vertices, so nothing ran\n"));
}
