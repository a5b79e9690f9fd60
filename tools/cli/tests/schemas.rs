//! The JSON that commands print follows the schemas in `schema`. Commands of a GPU are in `gpu.rs`
//! and `doctor.rs`.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Ran, folder, follows_schema, root, transpica, transpica_reading};

fn document(ran: &Ran) -> Value {
    serde_json::from_slice(&ran.out).unwrap_or_else(|error| panic!("{error}: {}{}", ran.text(), ran.err))
}

#[test]
fn tables_of_every_sample_follow_their_schema() {
    for entry in fs::read_dir(root().join("shaders")).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|ending| ending == "shbin") {
            let name = path.to_str().expect("a name");
            follows_schema(&document(&transpica(&["info", name, "--json"])));
            follows_schema(&document(&transpica(&["info", name, "--lint", "--json"])));
        }
    }
}

#[test]
fn tables_of_odd_files_follow_their_schema() {
    // Values that are not numbers, constants of unknown types, an unknown stage.
    let source = b".constf a(inf, -inf, nan, 0.1)\n.consti b(1, 2, 3, 255)\n.setb b0 true\n.out p position\n\
                   .proc main\nmov p, a\nend\n.end\n";
    let file = folder("schemas-odd").join("odd.shbin");
    let name = file.to_str().expect("a name");
    assert_eq!(transpica_reading(&["asm", "-", "-o", name], source).status, 0);
    let value = document(&transpica(&["info", name, "--json"]));
    follows_schema(&value);
    let constants = &value["executables"][0]["constants"];
    let float = constants.as_array().expect("a list").iter().find(|row| row["register"] == "c95");
    let float = float.unwrap_or_else(|| panic!("{constants}"));
    assert_eq!(float["value"][1], "-inf", "{float}");
    let mut bytes = fs::read(&file).expect("written");
    let start = (0..bytes.len()).find(|&at| bytes[at..].starts_with(b"DVLE")).expect("an executable");
    bytes[start + 6] = 7;
    let table = start + u32::from_le_bytes(bytes[start + 0x18..][..4].try_into().expect("four")) as usize;
    bytes[table] = 9;
    fs::write(&file, bytes).expect("writable");
    let value = document(&transpica(&["info", name, "--json"]));
    follows_schema(&value);
    let executable = &value["executables"][0];
    assert_eq!((&executable["stage"], &executable["unknown_stage"]), (&Value::Null, &7.into()));
    assert_eq!(executable["constants"][0]["register"], Value::Null, "{executable}");
}

#[test]
fn results_and_errors_of_other_commands_follow_their_schemas() {
    for arguments in [
        &["run", "shaders/textured.shbin", "--json"][..],
        &["run", "shaders/counter.shbin", "--dvle", "1", "--json"],
        &["survey", "shaders", "--json"],
    ] {
        follows_schema(&document(&transpica(arguments)));
    }
    let folder = folder("schemas");
    let out = folder.join("out.shbin");
    let name = out.to_str().expect("a name");
    for (source, status) in [(&b".proc main\nmvo r0\nend\n.end\n"[..], 1), (b".proc main\nend\n.end\n", 0)] {
        let ran = transpica_reading(&["asm", "-", "-o", name, "--lint", "--json"], source);
        assert_eq!(ran.status, status, "{}", ran.err);
        follows_schema(&document(&ran));
    }
    fs::write(folder.join("cut.shbin"), [1, 2, 3]).expect("writable");
    let name = folder.to_str().expect("a name");
    follows_schema(&document(&transpica(&["survey", name, "--json"])));
    let (to, all) = (folder.join("to"), ["shaders", name]);
    let to = to.to_str().expect("a name");
    let options = ["--to", "spirv,reflection", "--out-dir", to, "--json"];
    for shard in [&[][..], &["--shard", "1/2"]] {
        let ran = transpica(&[&["translate"], &all[..], &options, shard].concat());
        assert_eq!(ran.status, i32::from(ran.text().contains("cut.shbin")), "{}", ran.err);
        let summary = document(&ran);
        follows_schema(&summary);
        let manifest = fs::read(summary["manifest"].as_str().expect("a path")).expect("written");
        follows_schema(&serde_json::from_slice(&manifest).expect("JSON"));
    }
    for entry in fs::read_dir(folder.join("to/shaders")).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|ending| ending == "json") {
            follows_schema(&serde_json::from_slice(&fs::read(path).expect("readable")).expect("JSON"));
        }
    }
}

#[test]
fn a_document_that_breaks_its_schema_is_found() {
    let good = document(&transpica(&["run", "shaders/textured.shbin", "--json", "--vertices", "1"]));
    for (place, value) in [
        ("/vertices/0/outputs/o0/0", json!("0x3F800000")),
        ("/vertices/0/outputs/o0", json!([])),
        ("/stage", json!("pixel")),
        ("/tool", Value::Null),
        ("/vertices/0", json!({ "other": 1 })),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(place).expect("there") = value;
        assert!(std::panic::catch_unwind(|| follows_schema(&bad)).is_err(), "{place}");
    }
}

#[test]
fn scans_registers_and_files_of_vbc_follow_their_schemas() {
    let folder = folder("schemas-scan");
    let path = |name: &str| folder.join(name).to_str().expect("a name").to_owned();
    assert_eq!(transpica(&["translate", "shaders/lights.shbin", "-o", &path("lights.vbc")]).status, 0);
    let value = document(&transpica(&["info", &path("lights.vbc"), "--json"]));
    follows_schema(&value);
    assert_eq!(value["schema"], "transpica.vbc/1");
    let value = document(&transpica(&["scan", "shaders", &path("lights.vbc"), "--json"]));
    follows_schema(&value);
    assert!(value["hits"].as_array().is_some_and(|hits| hits.len() > 30), "{value:#}");
}

#[test]
fn a_source_map_has_the_instructions_of_each_line() {
    let file = folder("source-map").join("map.json");
    let name = file.to_str().expect("name");
    for target in ["wgsl", "glsl", "spirv-asm"] {
        let text = transpica(&["translate", "shaders/textured.shbin", "--to", target, "--source-map", name])
            .succeeded();
        let map: Value = serde_json::from_str(&fs::read_to_string(&file).expect("written")).expect("JSON");
        follows_schema(&map);
        assert_eq!(map["target"], target);
        let lines = map["lines"].as_array().expect("lines");
        assert_eq!(lines.len(), text.lines().count(), "{target}");
        let placed = lines.iter().filter(|pcs| pcs.as_array().is_some_and(|pcs| !pcs.is_empty()));
        assert!(placed.count() > 5, "{target}");
    }
    let ran = transpica(&["translate", "shaders/textured.shbin", "--to", "spirv", "--source-map", name]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let map: Value = serde_json::from_str(&fs::read_to_string(&file).expect("written")).expect("JSON");
    follows_schema(&map);
    assert!(map["instructions"].as_array().is_some_and(|list| list.len() < ran.out.len() / 4));
    let ran = transpica(&["translate", "shaders/textured.shbin", "--to", "reflection", "--source-map", name]);
    assert!(ran.status == 2 && ran.err.contains("--source-map needs wgsl"), "{}", ran.err);
}
