//! Draws for WebGPU: every module is valid WGSL, every binding that a module uses is given, and
//! none that it does not declare.

use std::collections::BTreeSet;

use naga::valid::{Capabilities, ValidationFlags, Validator};
use serde_json::{Value, json};
use transpica_web::page::Engine;

/// Bindings of group 0 that the entry point of a module uses.
fn used(text: &str) -> BTreeSet<u64> {
    let module = naga::front::wgsl::parse_str(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let info = Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module);
    let info = info.unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let entry = info.get_entry_point(0);
    let globals = module.global_variables.iter().filter(|(handle, _)| !entry[*handle].is_empty());
    globals.filter_map(|(_, global)| Some(u64::from(global.binding.as_ref()?.binding))).collect()
}

fn given(bindings: &Value) -> BTreeSet<u64> {
    let list = bindings.as_array().expect("bindings").iter();
    list.map(|one| one["binding"].as_u64().expect("a number")).collect()
}

/// Shown outputs, and whether edges are drawn.
const REQUESTS: [(&str, bool); 4] = [("", false), ("position", true), ("o1", true), ("o15", false)];

/// Checks the draw of a program and returns the number of its passes, or `None` without a draw.
fn passes(engine: &mut Engine, by: &str, is_wireframe: bool, name: &str) -> Option<usize> {
    let request = json!({ "width": 64, "height": 64, "yaw": 0.6, "pitch": 0.5, "distance": 2.8, "time": 0.0,
        "by": by, "wireframe": is_wireframe });
    let draw: Value = serde_json::from_str(&engine.gpu_draw(&request.to_string())).expect("JSON");
    if let Some(error) = draw.get("error") {
        // Half of a pair that cannot be drawn on the CPU either.
        assert!(engine.draw(&request.to_string()).is_empty(), "{name}: {error}");
        return None;
    }
    let modules: Vec<BTreeSet<u64>> = draw["wgsl"]
        .as_array()
        .expect("modules")
        .iter()
        .map(|text| used(text.as_str().expect("text")))
        .collect();
    let module = |value: &Value| &modules[value.as_u64().expect("a number") as usize];
    let passes = draw["passes"].as_array().expect("passes");
    for pass in passes {
        assert_eq!(given(&pass["bindings"]), *module(&pass["module"]), "{name}");
    }
    let last = &draw["draw"];
    assert_eq!(given(&last["bindings"]), *module(&last["vertexModule"]), "{name}");
    assert!(module(&last["fragmentModule"]).is_empty());
    for buffer in draw["buffers"].as_array().expect("buffers") {
        let (bytes, content) = (buffer["bytes"].as_u64(), buffer["content"].as_i64());
        if let Some(content) = content.filter(|&content| content >= 0) {
            assert_eq!(bytes, Some(engine.gpu_bytes(content as usize).len() as u64));
        }
    }
    Some(passes.len())
}

#[test]
fn every_sample_has_draws_whose_modules_and_bindings_fit() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shaders");
    let (mut vertex, mut chains) = (0, 0);
    for entry in std::fs::read_dir(folder).expect("the samples") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|ending| ending != "shbin") {
            continue;
        }
        let mut engine = Engine::default();
        engine.open("sample.shbin", &std::fs::read(&path).expect("a file"));
        for (by, is_wireframe) in REQUESTS {
            match passes(&mut engine, by, is_wireframe, &path.display().to_string()) {
                None => {}
                Some(0) => vertex += 1,
                Some(count) => {
                    assert_eq!(count, 5 + usize::from(is_wireframe), "{}", path.display());
                    chains += 1;
                }
            }
        }
    }
    assert!(vertex >= 80 && chains >= 20, "{vertex} draws of vertex programs, {chains} of chains");
}
