//! `translate --out-dir` and `manifest`: names, manifests, freshness, shards, files that fail.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::{Value, json};

use crate::support::{Ran, folder, follows_schema, root, transpica};

fn text(path: &Path) -> &str {
    path.to_str().expect("a name of ASCII")
}

fn sample(name: &str) -> Vec<u8> {
    fs::read(root().join(format!("shaders/{name}.shbin"))).expect("a sample")
}

fn write(path: &Path, bytes: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
    fs::write(path, bytes).expect("writable");
}

/// Translates these paths to a folder.
fn batch(paths: &[&Path], out: &Path, more: &[&str]) -> Ran {
    let mut arguments = vec!["translate"];
    arguments.extend(paths.iter().map(|path| text(path)));
    arguments.extend(["--out-dir", text(out)]);
    arguments.extend(more);
    transpica(&arguments)
}

fn manifest(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).expect("a manifest")).expect("JSON")
}

/// Files below a folder with their content and time of change.
fn files(folder: &Path) -> BTreeMap<String, (Vec<u8>, SystemTime)> {
    let mut all = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(folder).expect("below").to_string_lossy().into_owned();
            let time = fs::metadata(&path).and_then(|data| data.modified()).expect("a time");
            all.insert(name, (fs::read(&path).expect("readable"), time));
        }
    }
    all
}

/// Two folders with files of equal names, a file of two programs, a damaged and an empty one.
fn dumps(test: &str) -> (PathBuf, PathBuf) {
    let folder = folder(test);
    let dumps = folder.join("dumps");
    write(&dumps.join("a/light.shbin"), sample("lights"));
    write(&dumps.join("b/light.shbin"), sample("textured"));
    write(&dumps.join("b/points.SHBIN"), sample("points"));
    write(&dumps.join("cut.shbin"), &sample("fog")[..100]);
    write(&dumps.join("empty.shbin"), []);
    write(&dumps.join("notes.txt"), "no program");
    (dumps, folder.join("out"))
}

#[test]
fn every_program_is_translated_as_alone_and_bad_files_do_not_end_the_run() {
    let (dumps, out) = dumps("batch-all");
    let ran = batch(&[&dumps], &out, &["--to", "spirv,wgsl,glsl,reflection,wgsl"]);
    assert_eq!(ran.status, 1, "{}", ran.err);
    let lines = ran.text();
    assert!(lines.contains("FAIL cut.shbin ") && lines.contains("FAIL empty.shbin "), "{lines}");
    assert!(lines.contains("5 files, 4 programs, 2 failed; 16 files written, 0 up to date; "), "{lines}");
    let names: Vec<String> = files(&out).into_keys().collect();
    assert_eq!(
        names,
        [
            "a/light.0.json",
            "a/light.0.spv",
            "a/light.0.vert",
            "a/light.0.wgsl",
            "b/light.0.json",
            "b/light.0.spv",
            "b/light.0.vert",
            "b/light.0.wgsl",
            "b/points.0.json",
            "b/points.0.spv",
            "b/points.0.vert",
            "b/points.0.wgsl",
            "b/points.1.comp",
            "b/points.1.json",
            "b/points.1.spv",
            "b/points.1.wgsl",
            "manifest.json",
        ]
    );
    // A geometry program has the vertex program that a single translation takes.
    for (file, dvle, to, name) in [
        ("a/light.shbin", "0", "wgsl", "a/light.0.wgsl"),
        ("b/light.shbin", "0", "glsl", "b/light.0.vert"),
        ("b/points.SHBIN", "1", "spirv", "b/points.1.spv"),
    ] {
        let file = dumps.join(file);
        let alone = transpica(&["translate", text(&file), "--dvle", dvle, "--to", to]);
        assert_eq!(fs::read(out.join(name)).expect("written"), alone.out, "{name}");
    }
    let manifest = manifest(&out.join("manifest.json"));
    assert_eq!(manifest["counts"], json!({ "files": 5, "programs": 4, "failed": 2 }));
    assert_eq!(manifest["settings"]["targets"], json!(["spirv", "wgsl", "glsl", "reflection"]));
    let listed: Vec<&Value> = manifest["files"].as_array().expect("a list").iter().collect();
    let order: Vec<&str> = listed.iter().map(|file| file["file"].as_str().expect("text")).collect();
    assert_eq!(order, ["a/light.shbin", "b/light.shbin", "b/points.SHBIN", "cut.shbin", "empty.shbin"]);
    assert!(listed[3]["error"].as_str().is_some_and(|error| error.contains("offset")), "{}", listed[3]);
    let program = &listed[2]["programs"][1];
    assert_eq!((&program["dvle"], &program["stage"]), (&1.into(), &"geometry".into()));
    assert_eq!((&program["errors"], &program["outputs"][0]["file"]), (&json!([]), &"b/points.1.spv".into()));
    for output in listed.iter().flat_map(|file| file["programs"].as_array().expect("a list")) {
        for output in output["outputs"].as_array().expect("a list") {
            let bytes = fs::read(out.join(output["file"].as_str().expect("text"))).expect("written");
            assert_eq!(output["bytes"], bytes.len());
        }
    }
}

#[test]
fn what_is_fresh_keeps_its_time_and_what_changed_is_written() {
    let (dumps, out) = dumps("batch-fresh");
    let targets = ["--to", "spirv,wgsl"];
    batch(&[&dumps], &out, &targets);
    let before = files(&out);
    let ran = batch(&[&dumps], &out, &targets);
    assert!(ran.text().contains("0 files written, 8 up to date"), "{}", ran.text());
    assert!(files(&out) == before, "nothing was written, the manifest included");
    // A result that was changed, one that is missing, and a file that was changed.
    fs::write(out.join("a/light.0.wgsl"), "changed").expect("writable");
    fs::remove_file(out.join("b/points.1.spv")).expect("there");
    write(&dumps.join("b/light.shbin"), sample("fog"));
    let ran = batch(&[&dumps], &out, &targets);
    assert!(ran.text().contains("4 files written, 4 up to date"), "{}", ran.text());
    let after = files(&out);
    for (name, (bytes, time)) in &before {
        let (new, newer) = &after[name];
        match name.as_str() {
            "a/light.0.wgsl" | "b/points.1.spv" => assert!(new == bytes && newer > time, "{name}"),
            "b/light.0.spv" | "b/light.0.wgsl" | "manifest.json" => assert!(new != bytes, "{name}"),
            other => assert!(new == bytes && newer == time, "{other}"),
        }
    }
    // Without a manifest, and with one that is damaged, files are compared with their content.
    for content in [None, Some("{}")] {
        match content {
            Some(content) => fs::write(out.join("manifest.json"), content).expect("writable"),
            None => fs::remove_file(out.join("manifest.json")).expect("there"),
        }
        let ran = batch(&[&dumps], &out, &targets);
        assert!(ran.text().contains("0 files written, 8 up to date"), "{}", ran.text());
        assert_eq!(ran.err.contains("translating everything"), content.is_some(), "{}", ran.err);
    }
    // Other settings are noticed.
    let ran = batch(&[&dumps], &out, &["--to", "spirv,wgsl", "--precision", "fast"]);
    assert!(!ran.text().contains("0 files written"), "{}", ran.text());
}

#[test]
fn names_that_would_collide_are_refused_before_anything_is_written() {
    let (dumps, out) = dumps("batch-names");
    let (a, b) = (dumps.join("a"), dumps.join("b"));
    // Folders keep their names if there are several.
    let ran = batch(&[&a, &b], &out, &["--name", "{target}/{name}-{n}.{ext}"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(
        out.join("a/wgsl/light.shbin-0.wgsl").is_file() && out.join("b/wgsl/points.SHBIN-1.wgsl").is_file()
    );
    let none = out.with_file_name("none");
    let [first, second] = [&a, &b].map(|folder| folder.join("light.shbin"));
    let ran = batch(&[&first, &second], &none, &[]);
    assert_eq!(ran.status, 1, "{}", ran.err);
    assert!(ran.report().contains("would both be written to light.n.wgsl"), "{}", ran.err);
    let ran = batch(&[&dumps], &none, &["--name", "{n}.{ext}"]);
    assert!(ran.status == 1 && ran.report().contains("would both be written"), "{}", ran.err);
    // A shard sees collisions with files of other shards.
    for shard in ["0/2", "1/2"] {
        assert_eq!(batch(&[&first, &second], &none, &["--shard", shard]).status, 1);
    }
    assert!(!none.exists());
    // The manifest is not a result.
    write(&dumps.join("c/manifest.shbin"), sample("fog"));
    let more = ["--to", "reflection", "--name", "{stem}.{n}-of-1.{ext}", "--shard", "0/1"];
    let ran = batch(&[&dumps.join("c")], &none, &more);
    assert!(ran.text().contains("would be the name of the manifest"), "{}", ran.text());
    assert_eq!(manifest(&none.join("manifest.0-of-1.json"))["schema"], "transpica.manifest/1");
}

#[test]
fn wrong_usage_is_found_before_anything_is_read() {
    let (dumps, out) = dumps("batch-usage");
    let dumps = text(&dumps);
    let out = text(&out);
    for (arguments, said) in [
        (&[dumps, "--to", "spirv,wgsl"][..], "add --out-dir"),
        (&[dumps], "add --out-dir"),
        (&[dumps, dumps], "add --out-dir"),
        (&[dumps, "--shard", "0/2"], "--out-dir"),
        (&[dumps, "--out-dir", out, "-o", "x.wgsl"], "cannot be used with"),
        (&[dumps, "--out-dir", out, "--reflect", "x.json"], "cannot be used with"),
        (&[dumps, "--out-dir", out, "--dvle", "0"], "cannot be used with"),
        (&[dumps, "--out-dir", out, "--shard", "2/2"], "shards are numbered from 0 to 1"),
        (&[dumps, "--out-dir", out, "--name", "{stem}.{ext}"], "must have one {n}"),
        (&["-", "--out-dir", out], "cannot name the results of standard input"),
    ] {
        let ran = transpica(&[&["translate"], arguments].concat());
        assert_eq!((ran.status, ran.out.len()), (2, 0), "{arguments:?}: {}", ran.err);
        assert!(ran.report().contains(said), "{arguments:?}: {}", ran.err);
    }
    assert!(!Path::new(out).exists());
    let empty = folder("batch-empty");
    let ran = batch(&[&empty], Path::new(out), &[]);
    assert!(ran.status == 1 && ran.report().contains("no .shbin or .pica file found"), "{}", ran.err);
    let ran = batch(&[Path::new(dumps)], &Path::new(dumps).join("notes.txt"), &[]);
    assert!(ran.status == 1 && ran.report().contains("cannot create"), "{}", ran.err);
}

#[test]
fn shards_are_parts_of_the_whole_and_their_manifests_merge() {
    let (dumps, out) = dumps("batch-shards");
    let parts = out.with_file_name("parts");
    for name in ["lights", "skinning", "water", "toon", "uber"] {
        write(&dumps.join(format!("c/{name}.shbin")), sample(name));
    }
    let targets = ["--to", "spirv,reflection"];
    batch(&[&dumps], &out, &targets);
    let paths: Vec<PathBuf> = (0..3).map(|n| parts.join(format!("manifest.{n}-of-3.json"))).collect();
    for n in 0..3 {
        let shard = format!("{n}/3");
        batch(&[&dumps], &parts, &[&targets[..], &["--shard", &shard]].concat());
    }
    let lengths = paths.iter().map(|path| manifest(path)["files"].as_array().map_or(0, Vec::len));
    let lengths: Vec<usize> = lengths.collect();
    assert!(lengths.iter().all(|length| (1..10).contains(length)), "{lengths:?}");
    assert_eq!(lengths.iter().sum::<usize>(), 10);
    let merged = parts.join("manifest.json");
    let merge = |paths: &[&Path]| {
        let names = paths.iter().map(|path| text(path));
        let arguments: Vec<&str> =
            ["manifest"].into_iter().chain(names).chain(["-o", text(&merged)]).collect();
        transpica(&arguments)
    };
    // In any order, and twice.
    let ran = merge(&[&paths[2], &paths[0], &paths[1], &paths[0]]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    let part = |name: &String| name.contains("-of-");
    let contents = |folder: &Path| {
        let files = files(folder).into_iter().filter(|(name, _)| !part(name));
        files.map(|(name, (bytes, _))| (name, bytes)).collect::<Vec<_>>()
    };
    assert!(contents(&out) == contents(&parts), "the files and the manifest are those of one run");
    // What there is is merged, and never taken for the whole.
    let ran = merge(&[&paths[1]]);
    assert_eq!(ran.status, 1);
    assert!(ran.report().contains("2 of 3 shards missing: 0, 2"), "{}", ran.err);
    let incomplete = parts.join("incomplete.json");
    fs::copy(&merged, &incomplete).expect("a copy");
    let missing = json!([{ "first": 0, "last": 0 }, { "first": 2, "last": 2 }]);
    let document = manifest(&incomplete);
    follows_schema(&document);
    assert_eq!(document["missing_shards"], json!({ "count": 3, "missing": missing }));
    let ran = merge(&[&incomplete]);
    assert_eq!(ran.status, 1);
    assert!(ran.report().contains("incomplete.json: 2 of 3 shards missing"), "{}", ran.err);
    // What does not fit is refused, and the output stays.
    let before = fs::read(&merged).expect("there");
    let whole = manifest(&paths[0]);
    for (place, value, said) in [
        ("/tool", json!("0.0.1"), "have different versions of transpica"),
        ("/settings/targets", json!(["wgsl"]), "have different settings"),
        ("/shard/count", json!(4), "have different numbers of shards"),
        ("/files/0/digest", json!("0"), "differ in"),
        ("/schema", json!("transpica.manifest/2"), "a document of transpica.manifest/2"),
        ("/files", json!({}), "invalid type"),
    ] {
        let mut other = whole.clone();
        *other.pointer_mut(place).expect("there") = value;
        let path = parts.join("other");
        fs::write(&path, other.to_string()).expect("writable");
        let ran = merge(&[&paths[0], &path]);
        assert!(ran.status == 1 && ran.report().contains(said), "{place}: {}", ran.err);
    }
    assert_eq!(fs::read(&merged).expect("there"), before);
    let ran = transpica(&["manifest", text(&paths[0]), "-o", text(&paths[0])]);
    assert_eq!(ran.status, 2, "an input");
}

#[cfg(unix)]
#[test]
fn odd_names_links_and_unreadable_places_are_listed() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    let folder = folder("batch-odd");
    let dumps = folder.join("dumps");
    let odd = OsStr::from_bytes(b"\xff\\ light.shbin");
    write(&dumps.join(odd), sample("lights"));
    symlink(&dumps, dumps.join("loop")).expect("a link");
    symlink("round.shbin", dumps.join("round.shbin")).expect("a link");
    symlink("nowhere", folder.join("dangling.shbin")).expect("a link");
    fs::create_dir(dumps.join("folder.shbin")).expect("writable");
    let (out, dangling) = (folder.join("out"), folder.join("dangling.shbin"));
    let ran = batch(&[&dumps, &dangling], &out, &["--to", "spirv"]);
    assert_eq!(ran.status, 1, "{}", ran.err);
    let manifest = manifest(&out.join("manifest.json"));
    let names: Vec<&Value> =
        manifest["files"].as_array().expect("a list").iter().map(|file| &file["file"]).collect();
    assert_eq!(names, ["dangling.shbin", "dumps/\\xff\\\\ light.shbin"]);
    let output = out.join("dumps").join(OsStr::from_bytes(b"\xff\\ light.0.spv"));
    assert!(fs::read(output).is_ok_and(|bytes| bytes[..4] == 0x0723_0203u32.to_le_bytes()));
    let ran = batch(&[&dumps, &dangling], &out, &["--to", "spirv"]);
    assert!(ran.text().contains("0 files written, 1 up to date"), "{}", ran.text());
}

#[cfg(unix)]
#[test]
fn a_result_that_cannot_be_written_is_an_error_of_its_program() {
    let (dumps, out) = dumps("batch-unwritable");
    fs::create_dir_all(out.join("a/light.0.wgsl")).expect("writable");
    let ran = batch(&[&dumps.join("a"), &dumps.join("b")], &out, &["--to", "spirv,wgsl"]);
    assert_eq!(ran.status, 1, "{}", ran.err);
    let said = ran.text();
    assert!(said.contains("FAIL a/light.shbin dvle 0 wgsl: cannot write a/light.0.wgsl: "), "{said}");
    assert!(said.contains("3 files, 4 programs, 1 failed; 7 files written"), "{said}");
    fs::remove_dir(out.join("a/light.0.wgsl")).expect("empty");
    let ran = batch(&[&dumps.join("a"), &dumps.join("b")], &out, &["--to", "spirv,wgsl"]);
    assert!(ran.text().contains("1 files written, 7 up to date"), "{}", ran.text());
    assert_eq!(ran.status, 0, "{}", ran.err);
}
