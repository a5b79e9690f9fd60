//! Shader caches on the GPU: the report, files of failed programs, exit status.

use std::fs;
use std::path::Path;

use expect_test::expect;
use serde_json::Value;

use crate::needs;
use crate::support::{Ran, folder, follows_schema, transpica, transpica_reading};
use crate::writer::{Draw, Entry, opengl, opengl_fragment, opengl_record, vkch, vkch_of};

/// `mov o0, v0` and `end`.
const COPY: [u32; 2] = [0x4C00_0000, 0x8800_0000];
/// An opcode that is not defined.
const UNDEFINED: [u32; 2] = [0x40 << 24, 0x8800_0000];
/// A descriptor that writes all components.
const PLAIN: [u32; 1] = [0x36F];

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// Runs `doctor` over few vertices.
fn doctor(arguments: &[&str]) -> Ran {
    transpica(&[&["doctor", "--vertices", "16"], arguments].concat())
}

/// Returns a report without its driver.
fn without_driver(report: &str) -> String {
    let (start, rest) = report.split_once("```text\ndriver report: transpica ").expect("a driver report");
    let (driver, rest) = rest.split_once("```\n").expect("its end");
    assert!(driver.contains("adapter") && driver.contains("bit-equal"), "{driver}");
    format!("{start}(driver){rest}")
}

/// Writes caches of all kinds below a folder.
fn caches(test: &str) -> std::path::PathBuf {
    let folder = folder(test);
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
        fs::write(path, bytes).expect("writable");
    };
    let copy = Draw::new(&COPY, &PLAIN, 0);
    // The same program, with remains of another one after it.
    let remains = Draw::new(&[&COPY[..], &[0x1234_5678; 9]].concat(), &PLAIN, 0);
    let refused = Draw::new(&UNDEFINED, &PLAIN, 0);
    write(
        "vulkan/transferable/0004000000030800_vs.vkch",
        &vkch_of(&[copy.clone(), Draw::numbered(1), refused]),
    );
    let mut cut = vkch(&[
        Entry::info(0),
        Entry::early_program(&Draw::numbered(2)),
        Entry::configuration(&Draw::numbered(2)),
        Entry::program(&remains),
        Entry::configuration(&remains),
        Entry::program(&Draw::numbered(3)),
        Entry::program(&copy),
    ]);
    cut.truncate(cut.len() - 3);
    write("vulkan/transferable/0004000000030800_vs_temp.vkch", &cut);
    write("vulkan/transferable/0004000000030800_fs.vkch", &vkch(&[Entry::info(1)]));
    write("vulkan/pipeline/0004000000030800.bin", &[32, 0, 0, 0, 1, 0, 0, 0]);
    // The last one is in front of a geometry program.
    let [plain, bools, before] = [&[][..], &[(0x2B0, 1)], &[(0x229, 2)]].map(|set| opengl_record(&copy, set));
    let records = [plain, opengl_fragment(), bools, before];
    write("opengl/transferable/0004000000030800.bin", &opengl(&records));
    write("opengl/transferable/0004000000030900.bin", &[]);
    write("opengl/precompiled/separable/0004000000030800.bin", b"GLSL");
    write("log.txt", b"no cache");
    folder
}

#[test]
fn a_report_lists_files_results_and_failures_without_paths() {
    needs!("vulkan");
    let folder = caches("doctor_report");
    let ran = doctor(&[text(&folder)]);
    assert_eq!(ran.status, 1, "{}", ran.err);
    assert!(ran.report().contains("of 5 distinct programs: 1 refused"), "{}", ran.err);
    let report = ran.text();
    assert!(!without_driver(&report).contains('/'), "{report}");
    expect![[r#"
        # transpica doctor

        (driver)
        | file | format | bytes | entries | programs | warnings |
        |---|---|--:|--:|--:|--:|
        | 0004000000030800.bin | OpenGL | 110716 | 4 | 3 | 0 |
        | 0004000000030900.bin | empty | 0 | 0 | 0 | 0 |
        | 0004000000030800_vs.vkch | vkch | 28353 | 7 | 3 | 0 |
        | 0004000000030800_vs_temp.vkch | vkch | 28348 | 6 | 2 | 1 |

        Skipped, no vertex programs: 0004000000030800.bin, 0004000000030800.bin, 0004000000030800_fs.vkch.

        **8 programs, 5 distinct: 4 equal, 0 different, 1 refused.**
        64 vertices (16 of each program, seed 0), 256 values; route spirv.
        Stored programs without a configuration, so without an entry point: 1.

        | key | file | offset | stored | result | detail |
        |---|---|--:|--:|---|---|
        | e78447f21a51aaa5ea6b5d43df02438a | 0004000000030800_vs.vkch | 0x6dff | 1 | refused | pc 0x0: opcode 0x10 is not defined |

        To report: paste this text into an issue, and attach the folder that `--extract DIR` fills with the programs above.

        Warnings:

        * 0004000000030800_vs_temp.vkch: the entry is cut off; the rest of the file is skipped (at offset 0x4c20)
    "#]].assert_eq(&without_driver(&report));
}

#[test]
fn equal_programs_are_one_and_need_no_more() {
    needs!("vulkan");
    let folder = folder("doctor_equal");
    let path = folder.join("a_vs.vkch");
    let copy = Draw::new(&COPY, &PLAIN, 0);
    let remains = Draw::new(&[&COPY[..], &[0x1234_5678; 9]].concat(), &[PLAIN[0], 7], 0);
    let mut integers = remains.clone();
    integers.attributes[0] = (1, 3);
    fs::write(&path, vkch_of(&[copy, remains, integers, Draw::numbered(3)])).expect("writable");
    let output = folder.join("report.md");
    let ran = doctor(&[text(&path), "-o", text(&output), "--extract", text(&folder.join("failed"))]);
    assert_eq!(
        (ran.succeeded().as_str(), fs::read_dir(folder.join("failed")).expect("a folder").count()),
        ("", 0)
    );
    let report = fs::read_to_string(output).expect("written");
    assert!(report.contains("**4 programs, 2 distinct: 2 equal, 0 different.**"), "{report}");
    assert!(!report.contains("To report"), "{report}");
    // The same from standard input.
    let ran = transpica_reading(&["doctor", "-", "--vertices", "16"], &fs::read(&path).expect("readable"));
    assert_eq!(ran.succeeded(), report.replace("a_vs.vkch", "standard input"));
}

#[test]
fn failed_programs_become_files_that_other_commands_read() {
    needs!("vulkan");
    let folder = folder("doctor_extract");
    let (path, failed) = (folder.join("a_vs.vkch"), folder.join("failed"));
    let refused = Draw::new(&UNDEFINED, &PLAIN, 0);
    let mut second = Draw::new(&[&COPY[..], &UNDEFINED].concat(), &PLAIN, 2);
    second.mask = 0b100_0011;
    second.semantics = vec![0x0302_0100, 0x1F1F_0D0C, 0x0102_0304];
    fs::write(&path, vkch_of(&[refused, second])).expect("writable");
    let ran = doctor(&[text(&path), "--extract", text(&failed), "--json"]);
    assert_eq!(ran.status, 1, "{}", ran.err);
    let report: Value = serde_json::from_str(&ran.text()).expect("JSON");
    let rows = report["not_equal"].as_array().expect("rows");
    assert_eq!(rows.len(), 2, "{report}");
    for row in rows {
        assert_eq!((&row["result"], &row["fails"]), (&"refused".into(), &true.into()));
        let file = failed.join(format!("{}.shbin", row["key"].as_str().expect("a key")));
        let tables = transpica(&["info", text(&file), "--json"]).succeeded();
        let tables: Value = serde_json::from_str(&tables).expect("JSON");
        assert!(tables.to_string().contains("position"), "{tables}");
        let ran = transpica(&["translate", text(&file)]);
        assert!(ran.report().contains("opcode"), "{}", ran.err);
    }
}

#[test]
fn the_json_report_has_everything() {
    needs!("vulkan");
    let folder = caches("doctor_json");
    let ran = doctor(&[text(&folder), "--json", "--seed", "4"]);
    let report: Value = serde_json::from_str(&ran.text()).expect("JSON");
    follows_schema(&report);
    assert!(!ran.text().contains(text(&folder)));
    assert_eq!((ran.status, &report["vertices"], &report["seed"]), (1, &16.into(), &4.into()));
    assert_eq!(report["driver"]["measured"][1]["instruction"], "MUL", "{report}");
    assert_eq!(report["files"].as_array().map(Vec::len), Some(4), "{report}");
    assert_eq!(report["files"][3]["without_configuration"], 1, "{report}");
    assert_eq!(report["files"][3]["warnings"].as_array().map(Vec::len), Some(1), "{report}");
    let programs = &report["programs"];
    assert_eq!((&programs["stored"], &programs["distinct"]), (&8.into(), &5.into()), "{report}");
    assert_eq!((&programs["equal"], &programs["refused"]), (&4.into(), &1.into()), "{report}");
}

#[test]
fn files_that_are_no_caches_fail_and_others_are_still_compared() {
    needs!("vulkan");
    let folder = folder("doctor_refused");
    let names = ["a.bin", "b_fs.vkch", "c_vs.vkch", "d|`x`.bin"];
    let copy = vkch_of(&[Draw::new(&COPY, &PLAIN, 0)]);
    let contents = [&b"GLSL"[..], &vkch(&[Entry::info(1)]), &copy, &[9, 0, 0, 0]];
    let paths = names.map(|name| folder.join(name));
    paths.iter().zip(contents).for_each(|(path, bytes)| fs::write(path, bytes).expect("writable"));
    let missing = folder.join("none.vkch");
    let [a, b, c, d] = &paths;
    let ran = doctor(&[text(a), text(b), text(c), text(d), text(&missing)]);
    assert_eq!(ran.status, 1, "{}", ran.err);
    assert!(ran.report().contains("4 files could not be read"), "{}", ran.err);
    let report = ran.text();
    for line in [
        "| a.bin | **not read**: neither a .vkch file (first byte 0x42) nor an OpenGL cache of version 1",
        "| b_fs.vkch | **not read**: a cache of fragment configurations (_fs), without programs (at offset 0x0) |",
        "| c_vs.vkch | vkch |",
        "| d\\|\\`x\\`.bin | **not read**",
        "| none.vkch | **not read**: cannot be read: ",
        "**1 programs, 1 distinct: 1 equal, 0 different.**",
    ] {
        assert!(report.contains(line), "{line}: {report}");
    }
}

#[test]
fn wrong_usage_and_missing_input_have_their_own_status() {
    needs!("vulkan");
    let folder = folder("doctor_usage");
    let ran = doctor(&[text(&folder)]);
    assert_eq!((ran.status, ran.out.len()), (1, 0));
    assert!(ran.report().contains("no shader cache found in "), "{}", ran.err);
    let path = folder.join("a_vs.vkch");
    fs::write(&path, []).expect("writable");
    for place in [text(&path), text(&folder)] {
        let ran = doctor(&[place, "-o", text(&path)]);
        assert_eq!(ran.status, 2, "{}", ran.err);
        assert!(ran.report().contains("does not overwrite inputs"), "{}", ran.err);
    }
    assert_eq!(doctor(&[]).status, 2);
    let missing = folder.join("nofile.bin");
    let no_cache = folder.join("text.bin");
    fs::write(&no_cache, b"GLSL").expect("writable");
    for (paths, said) in [
        (&[&missing][..], "nofile.bin: cannot be read"),
        (&[&no_cache, &missing], "text.bin: neither a .vkch file"),
    ] {
        let ran = doctor(&paths.iter().map(|path| text(path)).collect::<Vec<_>>());
        assert_eq!((ran.status, ran.out.len(), ran.err.lines().count()), (1, 0, 1), "{}", ran.err);
        assert!(ran.report().contains(said), "{}", ran.err);
    }
    // An empty file is not an error.
    let report = doctor(&[text(&path)]).succeeded();
    assert!(report.contains("| a_vs.vkch | empty | 0 | 0 | 0 | 0 |"), "{report}");
    let ran = doctor(&[text(&path), "--adapter", "abacus"]);
    assert!(ran.report().contains("no adapter matches \"abacus\""), "{}", ran.err);
}

#[test]
fn many_programs_are_compared_on_several_devices() {
    needs!("vulkan");
    let folder = folder("doctor_many");
    let path = folder.join("many_vs.vkch");
    let draws: Vec<Draw> = (10..50).map(Draw::numbered).collect();
    fs::write(&path, vkch_of(&draws)).expect("writable");
    let report = doctor(&[text(&path)]).succeeded();
    assert!(report.contains("**40 programs, 40 distinct: "), "{report}");
    assert_eq!(report, doctor(&[text(&path)]).succeeded(), "the order is that of the file");
}

#[test]
fn a_cache_without_vertex_programs_has_nothing_to_check() {
    needs!("vulkan");
    let path = folder("doctor_fragments").join("0004000000030800.bin");
    fs::write(&path, opengl(&vec![opengl_fragment(); 426])).expect("written");
    let report = doctor(&[text(&path)]).succeeded();
    assert!(report.contains("\n426 entries, no vertex program: nothing to check.\n"), "{report}");
    assert!(!report.contains("vertices ("), "{report}");
}
