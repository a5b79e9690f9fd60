//! `scan` as users run it: the table, JSON, files that it writes, exit status; VBC from
//! `translate` to `info` and `scan`.

use std::fs;
use std::path::{Path, PathBuf};

use expect_test::expect;
use serde_json::Value;

use crate::support::{folder, root, transpica, transpica_reading};

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

fn sample(name: &str) -> Vec<u8> {
    fs::read(root().join("shaders").join(name).with_extension("shbin")).expect("a sample")
}

/// Yaz0 of literals.
fn yaz0(content: &[u8]) -> Vec<u8> {
    let mut out = b"Yaz0".to_vec();
    out.extend_from_slice(&u32::try_from(content.len()).expect("small").to_be_bytes());
    out.extend_from_slice(&[0; 8]);
    content.chunks(8).for_each(|part| out.extend([&[0xFF][..], part].concat()));
    out
}

/// A package of numbered entries.
fn package(entries: &[&[u8]]) -> Vec<u8> {
    let mut out = b"PT".to_vec();
    out.extend_from_slice(&u16::try_from(entries.len()).expect("few").to_le_bytes());
    let mut at = 4 + 4 * (entries.len() + 1);
    let ends = entries.iter().map(|entry| entry.len()).chain([0]);
    for length in ends {
        out.extend_from_slice(&u32::try_from(at).expect("small").to_le_bytes());
        at += length;
    }
    out.extend(entries.concat());
    out
}

/// A command list that binds `mov o0, v0; end`, with these words of the output map.
fn commands(maps: &[u32]) -> Vec<u8> {
    let one = |register: u32, word: u32| [word, 0xF_0000 | register];
    let mut list = [
        &one(0x2CB, 0)[..],
        &[0x4C00_0000, 0x001F_02CC, 0x8800_0000, 0],
        &one(0x2D5, 0),
        &one(0x2D6, 0x36F),
        &one(0x2BA, 0x7FFF_0000),
        &one(0x2BD, 1),
        &one(0x4F, 1),
    ]
    .concat();
    (0x50..).zip(maps).for_each(|(register, &map)| list.extend(one(register, map)));
    list.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A folder with files of all kinds.
fn romfs(test: &str) -> PathBuf {
    let folder = folder(test).join("romfs");
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
        fs::write(path, bytes).expect("writable");
    };
    write("a/lights.shbin", &sample("lights"));
    write("a/pack.bin", &package(&[b"text", &yaz0(&sample("points")), &sample("lights")]));
    write("code.bin", &[&[7; 64][..], &commands(&[0x0302_0100])].concat());
    write("readme.txt", b"no shader");
    folder
}

#[test]
fn the_table_lists_places_programs_and_duplicates() {
    let folder = romfs("scan_table");
    let shown = transpica(&["scan", text(&folder)]).succeeded().replace(text(&folder), "romfs");
    expect![[r#"
        romfs/a/lights.shbin/DVLB@0x0  668 bytes
          0   vertex    -                       0xe    47 instructions  b9f52479a5432c8637668bf88b89c824
        romfs/a/pack.bin/GFL:1/Yaz0/DVLB@0x0  516 bytes
          0   vertex    -                       0x0     6 instructions  313a230af32f9d721b5c9ff57b5a1bc9
          1   geometry  -                       0xc    23 instructions  3488db844860634e8c68847123679bf0
        romfs/a/pack.bin/GFL:2/DVLB@0x0  668 bytes, same programs as romfs/a/lights.shbin/DVLB@0x0
        romfs/code.bin/commands@0x40  72 bytes
          0   vertex    -                       0x0     2 instructions  cc394733f84950e53feed6b0602b59ac
        4 files, 2102 bytes: 4 hits, 5 programs, 4 distinct
    "#]]
    .assert_eq(&shown);
    let quiet = transpica(&["scan", text(&folder), "-q"]);
    assert_eq!(quiet.succeeded().lines().count(), 1);
}

#[test]
fn json_has_schema_tool_and_every_hit() {
    let folder = romfs("scan_json");
    let ran = transpica(&["scan", text(&folder), "--json"]).succeeded();
    let value: Value = serde_json::from_str(&ran).expect("JSON");
    assert_eq!(value["schema"], "transpica.scan/1");
    assert_eq!(value["tool"], env!("CARGO_PKG_VERSION"));
    let files = value["files"].as_array().expect("files");
    assert_eq!(files.len(), 4);
    let hits = value["hits"].as_array().expect("hits");
    let places: Vec<&str> = hits.iter().filter_map(|hit| hit["place"].as_str()).collect();
    assert_eq!(places, ["DVLB@0x0", "GFL:1/Yaz0/DVLB@0x0", "GFL:2/DVLB@0x0", "commands@0x40"]);
    assert_eq!(hits[1]["file_offset"], Value::Null);
    assert_eq!(hits[1]["containers"][0]["entry"], "1");
    assert_eq!(hits[1]["programs"][1]["stage"], "geometry");
    assert!(hits[2]["same_as"].as_str().is_some_and(|place| place.ends_with("a/lights.shbin/DVLB@0x0")));
    assert_eq!(hits[2]["identity"], hits[0]["identity"]);
    assert_eq!(value["summary"]["hits"], 4);
    assert_eq!(value["summary"]["programs"], 5);
}

#[test]
fn extracted_files_are_read_by_the_other_commands() {
    let folder = romfs("scan_extract");
    let out = folder.with_file_name("out");
    let ran = transpica(&["scan", text(&folder), "--extract", text(&out), "--json"]).succeeded();
    let value: Value = serde_json::from_str(&ran).expect("JSON");
    let mut names: Vec<String> = fs::read_dir(&out)
        .expect("made")
        .map(|one| one.expect("one").file_name().into_string().expect("text"))
        .collect();
    names.sort();
    let stems: Vec<&str> =
        names.iter().filter_map(|name| name.rsplit_once('-')).map(|(stem, _)| stem).collect();
    assert_eq!(stems, ["code", "lights", "pack"], "{names:?}");
    let listed = value["hits"][0]["extracted"][0].as_str().expect("a name");
    assert_eq!(fs::read(out.join(listed)).expect("written"), sample("lights"));
    assert_eq!(value["hits"][2]["extracted"], value["hits"][0]["extracted"]);
    let survey = transpica(&["survey", text(&out), "--json"]).succeeded();
    let survey: Value = serde_json::from_str(&survey).expect("JSON");
    assert_eq!(survey["programs"].as_array().map(Vec::len), Some(4));
}

/// A color that begins with its second component, which no table of outputs can say.
#[test]
fn a_list_that_no_file_can_say_is_written_with_its_registers() {
    let folder = folder("scan_registers");
    let (input, out) = (folder.join("list.bin"), folder.join("out"));
    fs::write(&input, commands(&[0x1F0B_0A09])).expect("writable");
    let ran = transpica(&["scan", text(&input), "--extract", text(&out), "--json"]).succeeded();
    let value: Value = serde_json::from_str(&ran).expect("JSON");
    let names: Vec<&str> =
        value["hits"][0]["extracted"].as_array().expect("names").iter().filter_map(Value::as_str).collect();
    let endings: Vec<&str> = names.iter().filter_map(|name| Some(name.split_once('.')?.1)).collect();
    assert_eq!(endings, ["shbin", "code.bin", "descriptors.bin", "registers.json"]);
    let state = fs::read_to_string(out.join(names[3])).expect("written");
    let state: Value = serde_json::from_str(&state).expect("JSON");
    assert_eq!(state["registers"]["0x050"], "0x1f0b0a09");
    let [code, descriptors] = [names[1], names[2]].map(|name| out.join(name));
    let arguments = ["translate", "--code", text(&code), "--descriptors", text(&descriptors)];
    assert!(transpica(&arguments).succeeded().contains("fn main"));
}

#[test]
fn status_is_one_without_a_shader_or_with_an_unreadable_file() {
    let folder = romfs("scan_status");
    let none = transpica(&["scan", text(&folder.join("readme.txt"))]);
    assert_eq!(none.status, 1);
    assert!(none.report().contains("no shader found"), "{}", none.err);
    let missing = folder.join("missing");
    let ran = transpica(&["scan", text(&missing), text(&folder)]);
    assert_eq!(ran.status, 1);
    assert!(ran.report().contains("1 of 5 files could not be read"), "{}", ran.err);
    assert!(ran.text().contains("4 hits"), "the others are listed: {}", ran.text());
    let cut = folder.join("cut.bin");
    fs::write(&cut, &sample("lights")[..300]).expect("writable");
    let ran = transpica(&["scan", text(&cut)]);
    assert!(ran.status == 1 && ran.report().contains("a DVLB that cannot be read"), "{}", ran.err);
}

#[test]
fn every_command_opens_the_only_container_of_another_file() {
    let folder = romfs("opened");
    let (one, two) = (folder.join("one.bcsdr"), folder.join("a/pack.bin"));
    fs::write(&one, package(&[b"text", &yaz0(&sample("textured"))])).expect("writable");
    for command in [&["info"][..], &["dis"], &["translate"], &["run"], &["cfg"], &["cfg", "--stage", "ir"]] {
        let ran = transpica(&[command, &[text(&one)]].concat());
        assert!(ran.err.contains("this is GFL:1/Yaz0/DVLB@0x0"), "{command:?}: {}", ran.err);
        let expected = transpica(&[command, &["shaders/textured.shbin"]].concat()).succeeded();
        let found = ran.succeeded().replace(text(&one), "shaders/textured.shbin");
        assert_eq!(found.replace("one.bcsdr", "textured.shbin"), expected, "{command:?}");
        for (file, said) in [
            (&two, "contains 2 files of programs, first GFL:1/Yaz0/DVLB@0x0"),
            (&folder.join("code.bin"), "contains a command list"),
        ] {
            let ran = transpica(&[command, &[text(file)]].concat());
            assert_eq!((ran.status, ran.out.len()), (1, 0), "{command:?}");
            let report = ran.report();
            assert!(report.contains(said) && report.contains("--extract DIR"), "{command:?}: {report}");
        }
    }
    let picture = folder.join("one.png");
    transpica(&["draw", text(&one), "-o", text(&picture)]).succeeded();
    assert!(fs::read(picture).is_ok_and(|bytes| bytes.starts_with(b"\x89PNG")));
}

#[test]
fn standard_input_is_scanned_and_inputs_are_kept() {
    let ran = transpica_reading(&["scan", "-"], &package(&[&sample("fog")])).succeeded();
    assert!(ran.starts_with("standard input/GFL:0/DVLB@0x0"), "{ran}");
    let folder = romfs("scan_inputs");
    let readme = folder.join("readme.txt");
    let ran = transpica(&["scan", text(&folder), "-o", text(&readme)]);
    assert_eq!(ran.status, 2);
    assert!(ran.report().contains("does not overwrite inputs"), "{}", ran.err);
}

#[test]
fn vbc_is_written_described_and_found() {
    let folder = folder("vbc");
    let file = folder.join("textured.vbc");
    let words = transpica(&["translate", "shaders/textured.shbin", "--to", "spirv"]);
    let ran = transpica(&["translate", "shaders/textured.shbin", "-o", text(&file)]);
    assert_eq!((ran.status, &*ran.err), (0, ""));
    let bytes = fs::read(&file).expect("written");
    assert!(bytes.starts_with(b"VBC\x01\x01") && bytes.ends_with(&words.out));
    let named = transpica(&["translate", "shaders/textured.shbin", "--to", "vbc"]);
    assert_eq!(named.out, bytes);
    let shown = transpica(&["info", text(&file)]).succeeded();
    assert!(shown.contains("format: VBC 1") && shown.contains("float4"), "{shown}");
    let value: Value =
        serde_json::from_str(&transpica(&["info", text(&file), "--json"]).succeeded()).expect("JSON");
    assert_eq!(value["stages"][0]["stage"], "vertex");
    assert_eq!(value["stages"][0]["spirv_words"].as_u64(), Some(words.out.len() as u64 / 4));
    assert!(value["uniform"]["members"][0]["name"].is_string());
    let found = transpica(&["scan", text(&file)]).succeeded();
    assert!(found.contains("textured.vbc/VBC@0x0"), "{found}");
    let other = transpica(&["translate", "shaders/lights.shbin", "--to", "vbc"]);
    assert!(
        other.status == 0 && other.report().contains("VBC leaves out names of parts of arrays"),
        "{}",
        other.err
    );
    let compute = transpica(&["translate", "shaders/textured.shbin", "--entry", "compute", "--to", "vbc"]);
    assert_eq!(compute.status, 1);
    assert!(compute.report().contains("cannot contain a compute stage"), "{}", compute.err);
    fs::write(&file, &bytes[..bytes.len() - 2]).expect("writable");
    let cut = transpica(&["info", text(&file)]);
    assert!(cut.status == 1 && cut.report().contains("the file ends in a stage"), "{}", cut.err);
}
