//! `equal`, `optimize`, `compile`: verdicts about pairs of programs, shorter ones, compiled ones;
//! as text, JSON and exit status.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use transpica::Shbin;
use transpica::container::{Model, write};

use crate::support::{folder, follows_schema, root, transpica};

const HEAD: &str =
    ".out pos position\n.fvec scale\n.bool big\n.constf k(2.0, 0.5, 1.0, 0.0)\n.alias a v0\n.proc main\n";

/// A source with this body.
fn source(folder: &Path, name: &str, body: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, format!("{HEAD}{body}\nend\n.end\n")).expect("written");
    path.display().to_string()
}

/// A double of a solver with this answer.
fn solver(folder: &Path, name: &str, script: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join(name);
    fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("executable");
    path
}

fn json(arguments: &[&str]) -> (i32, Value) {
    let ran = transpica(arguments);
    let document: Value = serde_json::from_str(&ran.text()).expect("JSON");
    follows_schema(&document);
    (ran.status, document)
}

#[test]
fn a_sample_is_equal_to_its_source_and_variants_under_their_bools() {
    // The last has six programs, of which the first is compared with itself.
    for (sample, other) in
        [("lights", "v.pica"), ("skinning", "v.pica"), ("terrain", "v.pica"), ("library", "shbin")]
    {
        let [container, other] = ["shbin", other].map(|ending| format!("shaders/{sample}.{ending}"));
        let text = transpica(&["equal", &container, &other, "--other-dvle", "0", "--solver", "none"]);
        assert_eq!(text.succeeded(), "equal for all inputs, proven by structure\n", "{sample}");
    }
    let folder = folder("equal-variants");
    let whole =
        source(&folder, "whole.v.pica", "mov r0, a\nifu big\nmul r0, k.xxxx, r0\n.end\nmul pos, scale, r0");
    let big = source(&folder, "big.v.pica", "mul r1, k.xxxx, a\nmul pos, scale, r1");
    let equal = |bools: &str| transpica(&["equal", &whole, &big, "--bools", bools, "--json"]).status;
    assert_eq!((equal("big=true"), equal("big=false")), (0, 1));
}

#[test]
fn a_difference_has_its_instructions_and_a_state_that_shows_it() {
    let folder = folder("equal-different");
    let [a, b] = [("a.v.pica", "mul r0, scale, a"), ("b.v.pica", "mul r0, scale, -a")]
        .map(|(name, line)| source(&folder, name, &format!("nop\n{line}\nadd pos, k.wwww, r0")));
    let state = folder.join("state.json").display().to_string();
    let ran = transpica(&["equal", &a, &b, "--save-state", &state]);
    assert_eq!(ran.status, 1);
    let text = ran.text();
    assert!(text.starts_with("different: position.w is 1.0 (0x3f800000) and -1.0 (0xbf800000)"), "{text}");
    assert!(text.contains("a.v.pica:8: pc 0x1: mul r0, scale, v0\n"), "{text}");
    assert!(text.contains("b.v.pica:8: pc 0x1: mul r0, scale, -v0\n"), "{text}");
    assert!(ran.report().contains("differ"), "{}", ran.err);
    let outputs = [&a, &b].map(|file| transpica(&["run", file, "--state", &state, "--json"]).succeeded());
    assert_ne!(outputs[0], outputs[1]);
    let (status, document) = json(&["equal", &a, &b, "--json"]);
    assert_eq!((status, &document["verdict"]), (1, &"different".into()));
    assert_eq!(document["instructions"][1]["line"], 8);
    assert_eq!(document["output"]["results"][0], "0x3f800000");
    // Other outputs do not count.
    let ran = transpica(&["equal", &a, &b, "--outputs", "color"]);
    assert!(ran.status == 1 && ran.report().contains("no output color; both have position"), "{}", ran.err);
}

#[test]
fn a_state_has_what_is_known_and_is_only_written_where_programs_differ() {
    let folder = folder("equal-states");
    let a = source(&folder, "a.v.pica", "mov r0, a\nifu big\nmul r0, k.xxxx, r0\n.end\nmov pos, r0");
    let b = source(&folder, "b.v.pica", "nop\nmov pos, a");
    let state = folder.join("state.json").display().to_string();
    let equal = |bools: &str| transpica(&["equal", &a, &b, "--bools", bools, "--save-state", &state]);
    let ran = equal("big=true");
    let text = fs::read_to_string(&state).expect("written");
    assert!(ran.status == 1 && text.contains("\"big\": true"), "{text}");
    assert!(ran.text().contains("\"big\": true"), "{}", ran.text());
    let outputs = [&a, &b].map(|file| transpica(&["run", file, "--state", &state, "--json"]).succeeded());
    assert_ne!(outputs[0], outputs[1]);
    // An older file stays, and the user hears of it.
    let ran = equal("big=false");
    let note = "state.json is not written: no inputs show a difference";
    assert!(ran.status == 0 && ran.report().contains(note), "{}", ran.err);
    assert_eq!(fs::read_to_string(&state).expect("still there"), text);
    let ran = transpica(&["equal", &a, &b, "--bools", "big=false"]);
    assert!(ran.status == 0 && !ran.report().contains("not written"), "{}", ran.err);
}

#[test]
fn executables_of_a_file_are_compared_with_each_other_and_with_themselves() {
    let one = transpica(&["equal", "shaders/lights.v.pica", "shaders/lights.v.pica"]);
    assert!(one.report().contains("lights.v.pica: the same program"), "{}", one.err);
    assert_eq!(one.succeeded(), "equal for all inputs, proven by structure\n");
    let points = ["equal", "shaders/points.shbin", "shaders/points.shbin"];
    let text = transpica(&points).succeeded();
    assert!(text.contains(" DVLE 1: equal for all inputs") && text.lines().count() == 2, "{text}");
    // A name that one program has is for this one; a name that none has is an error.
    let sprites = ["equal", "shaders/sprites.shbin", "shaders/sprites.shbin", "--bools"];
    assert_eq!(transpica(&[&sprites[..], &["upright=true"]].concat()).status, 0);
    assert_eq!(transpica(&[&sprites[..], &["other=true"]].concat()).status, 2);
    let stages = "a comparison with a vertex program does not accept a geometry program";
    let ran = transpica(&[&points[..], &["--other-dvle", "1"]].concat());
    assert!(ran.status == 1 && ran.report().contains(stages), "{}", ran.err);
    assert!(ran.report().contains("--other-dvle") && ran.text().is_empty(), "{}", ran.err);
    let ran = transpica(&[&points[..], &["--dvle", "1"]].concat());
    assert!(ran.status == 0 && ran.report().contains("DVLE 1: the same program"), "{}", ran.err);
    let ran = transpica(&[&points[..], &["--other-dvle", "2"]].concat());
    assert!(ran.status == 1 && ran.report().contains("2"), "{}", ran.err);
}

#[test]
fn names_of_known_uniforms_are_those_of_either_program() {
    let folder = folder("equal-names");
    let program = |name: &str, bools: &str, bool: &str| {
        let text = format!(
            ".bool {bools}\n.in a\n.out pos position\n.proc main\nifu {bool}\nmov pos, a\n.else\nmov pos, -a\n.end\nend\n.end\n"
        );
        let path = folder.join(name);
        fs::write(&path, text).expect("written");
        path.display().to_string()
    };
    let [a, b, c] =
        [("a.v.pica", "lit, dark", "lit"), ("b.v.pica", "lamp, lit", "lit"), ("c.v.pica", "x, y", "y")]
            .map(|(name, bools, bool)| program(name, bools, bool));
    let equal = |files: [&str; 2], bools: &str| {
        let ran = transpica(&["equal", files[0], files[1], "--bools", bools, "--solver", "none"]);
        (ran.status, ran.err)
    };
    // Another register of the same name, and names of the second program only.
    for (files, bools, status) in [
        ([&a, &b], "lit=true", 0),
        ([&a, &c], "lit=true,y=true", 0),
        ([&a, &c], "lit=true,y=false", 1),
        ([&c, &a], "lit=true,y=true", 0),
    ] {
        let (found, report) = equal(files.map(String::as_str), bools);
        assert_eq!(found, status, "{bools}: {report}");
    }
    for (bools, of_a, of_b) in [
        ("none=true", "names are lit, dark", "names are lamp, lit"),
        ("lamb=true", "are lit", "mean `lamp`?"),
    ] {
        let (status, report) = equal([&a, &b], bools);
        let name = bools.split('=').next().unwrap_or_default();
        assert!(status == 2 && report.contains(&format!("--bools `{name}`")), "{report}");
        let (first, second) = report.split_once("; ").expect("both files");
        assert!(first.contains("a.v.pica: ") && first.contains(of_a), "{report}");
        assert!(second.contains("b.v.pica: ") && second.contains(of_b), "{report}");
    }
}

#[test]
fn all_executables_of_two_files_are_compared() {
    let folder = folder("equal-several");
    let [copy, other, state] =
        ["copy.shbin", "other.shbin", "state.json"].map(|name| folder.join(name).display().to_string());
    let cards = "shaders/cards.shbin";
    fs::copy(root().join(cards), &copy).expect("a file");
    let equal = |more: &[&str]| transpica(&[&["equal", cards], more].concat());
    let text = equal(&[&copy]).succeeded();
    let lines: Vec<&str> = text.lines().collect();
    for (number, line) in lines.iter().enumerate() {
        let start = format!("{cards} DVLE {number} and {copy} DVLE {number}: equal ");
        assert!(line.starts_with(&start), "{text}");
    }
    assert_eq!(lines.len(), 2, "{text}");
    let (status, document) = json(&["equal", cards, &copy, "--json"]);
    assert_eq!((status, &document["pairs"][1]["programs"][1]["dvle"]), (0, &1.into()), "{document}");
    // One of the programs is another one: the status is that of the worst verdict.
    let mut model = Model::from(&Shbin::parse(&fs::read(&copy).expect("a file")).expect("programs"));
    let second = model.executables[1].header.main as usize;
    model.code[second] = 0x21 << 26;
    fs::write(&other, write(&model)).expect("written");
    let ran = equal(&[&other, "--save-state", &state]);
    let text = ran.text();
    assert!(
        ran.status == 1 && text.contains("DVLE 0: equal") && text.contains("DVLE 1: different"),
        "{text}"
    );
    assert!(ran.report().contains("DVLE 1 differ") && Path::new(&state).exists(), "{}", ran.err);
    assert_eq!(equal(&[&other, "--dvle", "0"]).status, 0);
    assert_eq!(json(&["equal", cards, &other, "--json"]).1["pairs"][1]["verdict"], "different");
    // Other counts need a choice.
    let ran = equal(&["shaders/lights.shbin"]);
    let message = "shaders/cards.shbin and shaders/lights.shbin have 2 and 1 programs";
    assert!(
        ran.status == 1 && ran.report().contains(message) && ran.err.contains("--other-dvle"),
        "{}",
        ran.err
    );
}

#[test]
fn programs_that_end_for_no_vertex_are_not_called_equal() {
    let folder = folder("equal-endless");
    let [a, b] = [("a.v.pica", "add r0, a, r0"), ("b.v.pica", "add r0, a, r0\nadd r0, -a, r0")]
        .map(|(name, line)| source(&folder, name, &format!("mov r0, a\nfor i0\n{line}\n.end\nmov pos, r0")));
    let equal = |budget: &str| {
        let known = ["--ints", "i0=39,0,0,0", "--vertices", "64", "--solver", "none"];
        transpica(&[&["equal", &a, &b, "--budget", budget], &known[..]].concat())
    };
    // Of 40 rounds the second program executes 83 instructions; a budget is tried 16 times as large
    // where one program ends.
    let ran = equal("40");
    assert_eq!(ran.status, 1, "{}", ran.err);
    assert!(ran.report().contains("nothing was compared: no vertex ends within 40"), "{}", ran.err);
    assert!(ran.text().starts_with("nothing shows them equal: "), "{}", ran.text());
    assert!(equal("100").report().contains("differ"));
}

#[test]
fn a_solver_decides_what_structure_leaves_open() {
    let folder = folder("equal-solver");
    let a = source(&folder, "a.v.pica", "add pos, a, a");
    let b = source(&folder, "b.v.pica", "mov r0, a\nmul pos, k.xxxx, r0");
    let none = transpica(&["equal", &a, &b, "--solver", "none", "--vertices", "100"]).succeeded();
    assert!(none.starts_with("equal on 100 vertices, not proven: 4 of 4 pairs"), "{none}");
    let sure = solver(&folder, "sure", "cat > /dev/null; echo unsat");
    let proven = transpica(&["equal", &a, &b, "--solver", &sure.display().to_string()]).succeeded();
    assert_eq!(proven, "equal for all inputs, proven by structure and 4 answers of a solver\n");
    for (name, script) in
        [("unsure", "cat > /dev/null; echo unknown"), ("broken", "exit 3"), ("wrong", "echo sat")]
    {
        let other = solver(&folder, name, script);
        let (status, document) = json(&["equal", &a, &b, "--json", "--solver", &other.display().to_string()]);
        assert_eq!((status, &document["verdict"]), (0, &"sampled".into()), "{name}");
    }
    let ran = transpica(&["equal", &a, &b, "--solver", "/nowhere/solver"]);
    assert!(ran.status == 1 && ran.report().contains("no program /nowhere/solver"), "{}", ran.err);
}

#[test]
fn sums_in_another_order_are_equal_up_to_rounding() {
    let folder = folder("equal-rounding");
    let a = source(&folder, "a.v.pica", "add r0, scale, a\nadd pos, k.xyzw, r0");
    let b = source(&folder, "b.v.pica", "add r0, k.xyzw, a\nadd pos, scale, r0");
    assert_eq!(transpica(&["equal", &a, &b]).status, 1);
    // Structure shows the order; the distance is one of samples, and can be any for other inputs.
    let text = transpica(&["equal", &a, &b, "--up-to-rounding"]).succeeded();
    let start = "equal up to rounding on 65536 vertices, not proven: sums and products are the same for all inputs, in another order\nlargest distance: ";
    assert!(text.starts_with(start), "{text}");
    let (status, document) = json(&["equal", &a, &b, "--up-to-rounding=1e-5", "--json"]);
    assert_eq!((status, &document["verdict"]), (0, &"sampled".into()));
    assert!(document["ulp"].as_u64() > Some(0) && document["claims"].is_null(), "{document}");
    assert_eq!(transpica(&["equal", &a, &b, "--up-to-rounding=1e-9"]).status, 1);
    let same = transpica(&["equal", &a, &a, "--up-to-rounding"]).succeeded();
    assert_eq!(same, "equal for all inputs, proven by structure\n");
    let c = source(
        &folder,
        "c.v.pica",
        "add r0, scale, a\nmul r1, k.yyyy, r0\nadd r1, r1, r1\nadd pos, k.xyzw, r1",
    );
    let (status, document) = json(&["equal", &a, &c, "--up-to-rounding=1e-6", "--solver", "none", "--json"]);
    assert_eq!((status, &document["verdict"]), (0, &"sampled".into()));
    for wrong in ["--up-to-rounding=1", "--up-to-rounding=-1e-9", "--up-to-rounding=x", "--seconds=0"] {
        assert_eq!(transpica(&["equal", &a, &b, wrong]).status, 2, "{wrong}");
    }
}

#[test]
fn optimized_programs_are_shorter_and_equal() {
    let folder = folder("optimize");
    let shape = "tools/compile/tests/shapes/options.v.pica";
    let out = folder.join("small.shbin").display().to_string();
    let text = transpica(&["optimize", shape, "-o", &out]).succeeded();
    assert!(text.contains("39 words, now ") && text.contains(", proven equal\n"), "{text}");
    assert!(text.contains("with hasColor, hasLight, now "), "{text}");
    assert_eq!(transpica(&["equal", shape, &out, "--solver", "none"]).status, 0);
    // Symbols stay.
    let tables = transpica(&["info", &out]).succeeded();
    assert!(tables.contains("modelView") && tables.contains("hasSecond"), "{tables}");
    // Variants by two bools, with their tables.
    let [set, header, module] =
        ["set.shbin", "set.h", "set.rs"].map(|name| folder.join(name).display().to_string());
    let ran = transpica(&[
        "optimize",
        shape,
        "--variants",
        "hasFog,b1",
        "-o",
        &set,
        "--bind-c",
        &header,
        "--bind-rust",
        &module,
        "--json",
    ]);
    let document: Value = serde_json::from_str(&ran.succeeded()).expect("JSON");
    follows_schema(&document);
    let programs = document["programs"].as_array().expect("a list");
    assert_eq!(programs.len(), 4);
    for (number, program) in programs.iter().enumerate() {
        assert_eq!(program["proof"], "proven equal", "{program}");
        let file = program["file"].as_str().expect("a file");
        assert!(file.ends_with(&format!("set.{number}.shbin")), "{file}");
        let bools = format!("hasFog={},hasLight={}", number & 1 != 0, number & 2 != 0);
        assert_eq!(transpica(&["equal", shape, file, "--bools", &bools]).status, 0, "{bools}");
        let other = format!("hasFog={},hasLight={}", number & 1 == 0, number & 2 != 0);
        assert_eq!(transpica(&["equal", shape, file, "--bools", &other]).status, 1, "{other}");
    }
    let header = fs::read_to_string(header).expect("a header");
    assert!(header.contains("const char *options_variant(bool has_fog, bool b1)"), "{header}");
    assert!(fs::read_to_string(module).expect("a module").contains("include_bytes!(\"set.3.shbin\")"));
    // A program that cannot be made shorter stays as it is.
    let ran = transpica(&["optimize", "shaders/points.shbin", "-o", &out]).succeeded();
    assert!(ran.contains("unchanged: "), "{ran}");
    assert_eq!(
        fs::read(&out).expect("a file"),
        fs::read(root().join("shaders/points.shbin")).expect("a file")
    );
    // A module in another folder includes the files by their paths.
    let [a, b] = ["a", "b/c"].map(|name| folder.join(name));
    for folder in [&a, &b] {
        fs::create_dir_all(folder).expect("a folder");
    }
    let [set_there, module] =
        [a.join("x.shbin"), a.join("../b/c/v.rs")].map(|path| path.display().to_string());
    let given = ["optimize", shape, "--variants", "hasFog", "-o", &set_there, "--bind-rust", &module];
    transpica(&given).succeeded();
    let module = fs::read_to_string(b.join("v.rs")).expect("a module");
    for number in ["0", "1"] {
        let path = format!("../../a/x.{number}.shbin");
        assert!(module.contains(&format!("include_bytes!(\"{path}\")")) && b.join(path).exists(), "{module}");
    }
    for wrong in
        [&["--variants", "b0,b1,b2,b3,b4,b5,b6"][..], &["--variants", "b0,b0"], &["--variants", "none"]]
    {
        let ran = transpica(&[&["optimize", shape, "-o", &set], wrong].concat());
        assert_eq!(ran.status, 2, "{wrong:?}: {}", ran.err);
    }
    let bare = folder.join("bare").display().to_string();
    for (output, wrong, message) in [
        (
            &set,
            &["--variants", "unknown"][..],
            "--variants unknown: there is no such bool: the program's names are ",
        ),
        (&set, &["--variants", "hasFog", "--bools", "hasFog=true"], "--variants hasFog: its value is known"),
        (&set, &["--variants", "b1,hasFog", "--bools", "b1=false"], "--variants b1: its value is known"),
        (&bare, &["--variants", "hasFog"], "give -o one"),
        (&set, &["--precision", "f24"], "unexpected argument '--precision'"),
        (&set, &["--set", "arithmetic.precision=F24"], "has no effect here"),
    ] {
        let ran = transpica(&[&["optimize", shape, "-o", output], wrong].concat());
        assert!(ran.status == 2 && ran.err.contains(message), "{wrong:?}: {}", ran.err);
    }
    transpica(&["optimize", shape, "-o", &set, "--variants", "hasFog", "--bools", "b1=true"]).succeeded();
    // A bool that the program does not test.
    let ran = transpica(&["optimize", shape, "-o", &set, "--variants", "hasFog,b9"]);
    let same = |pair: [&str; 2]| {
        let [name, first] =
            pair.map(|number| folder.join(format!("set.{number}.shbin")).display().to_string());
        format!("warning: {name} is the same file as {first}: their bools change nothing")
    };
    assert_eq!(ran.report().matches("is the same file as").count(), 2, "{}", ran.err);
    assert!(
        ran.report().contains(&same(["2", "0"])) && ran.report().contains(&same(["3", "1"])),
        "{}",
        ran.err
    );
}

#[test]
fn optimization_has_goals() {
    let folder = folder("optimize-goals");
    let out = folder.join("out.shbin").display().to_string();
    let points = "shaders/points.shbin";
    let text = transpica(&["optimize", points, "-o", &out]).succeeded();
    assert!(text.contains(": 29 words, unchanged: new code would take 29 words, too\n"), "{text}");
    let text = transpica(&["optimize", points, "-o", &out, "--for", "speed"]).succeeded();
    assert!(text.contains(": 29 words, now 33, proven equal\n"), "{text}");
    assert!(text.contains("  DVLE 1 executes 41.0 instructions, now 27.0\n"), "{text}");
    // What the first invocations leave is read by the next ones.
    let text = transpica(&["optimize", "shaders/counter.shbin", "-o", &out]).succeeded();
    assert!(text.contains(": 59 words, now 53, proven equal\n"), "{text}");
    let text = transpica(&["optimize", "shaders/trail.shbin", "-o", &out, "--for", "speed"]).succeeded();
    assert!(text.contains(": no proof was found, and invocations read what "), "{text}");
    // The last product comes first in DP4.
    let lines = "mul r0.x, k.w, a.w\nmad r0.x, a.z, k.z, r0.x\nmad r0.x, a.y, k.y, r0.x\nmad r0.x, a.x, k.x, r0.x\nmov pos, r0.x";
    let sum = source(&folder, "sum.v.pica", lines);
    let all = ["optimize", &sum, "-o", &out];
    let text = transpica(&[&all[..], &["--reorder=0.5"]].concat()).succeeded();
    let (_, report) =
        text.split_once(": 6 words, now 2, equal up to rounding\n  at most ").expect("a distance");
    assert!(report.contains(" ulp, ") && report.contains(" of the largest component\n"), "{text}");
    assert_eq!(transpica(&["equal", &sum, &out]).status, 1);
    assert_eq!(transpica(&["equal", &sum, &out, "--up-to-rounding=0.5"]).status, 0);
    let text = transpica(&[&all[..], &["--reorder=1e-9"]].concat()).succeeded();
    assert!(text.contains(": 6 words, now 5, proven equal\n  sums keep "), "{text}");
    let far = text.lines().find(|line| line.starts_with("  sums keep their order: ")).expect("a reason");
    assert!(
        far.contains("e-") && far.ends_with(" of the largest component, more than --reorder allows"),
        "{far}"
    );
    let ran = transpica(&[&all[..], &["--reorder", "1e-3"]].concat());
    assert!(ran.status == 2 && ran.err.contains("after `=`, as --reorder=1e-3"), "{}", ran.err);
    let (status, document) = json(&[&all[..], &["--reorder=0.5", "--json", "-q"]].concat());
    assert!(status == 0 && document["programs"][0]["ulp"].as_u64() > Some(0), "{document}");
    for wrong in ["--reorder=1", "--for=words"] {
        assert_eq!(transpica(&[&all[..], &[wrong]].concat()).status, 2, "{wrong}");
    }
    // Reports are no results: a quiet run prints nothing.
    for quiet in [&all[..], &["compile", "tools/compile/tests/shaders/lit.wgsl", "-o", &out]] {
        let ran = transpica(&[quiet, &["-q"]].concat());
        assert_eq!((ran.status, ran.text(), ran.report()), (0, String::new(), String::new()), "{quiet:?}");
    }
}

#[test]
fn all_programs_of_a_file_are_optimized() {
    let folder = folder("optimize-several");
    let out = folder.join("small.shbin").display().to_string();
    let cards = "shaders/cards.shbin";
    let text = transpica(&["optimize", cards, "-o", &out]).succeeded();
    assert!(text.contains("57 words, now 56, ") && text.contains("  DVLE 1 keeps its code: "), "{text}");
    for dvle in ["0", "1"] {
        let same = ["equal", cards, &out, "--dvle", dvle, "--other-dvle", dvle, "--vertices", "2000"];
        assert_eq!(transpica(&same).status, 0, "{dvle}");
    }
    let (status, document) = json(&["optimize", cards, "-o", &out, "--json"]);
    assert_eq!(status, 0);
    let program = &document["programs"][0];
    assert!(program["stays"][0].is_null() && program["stays"][1].is_string(), "{program}");
    let rows = program["instructions"].as_array().expect("a list");
    assert_eq!(rows.iter().map(|row| &row["dvle"]).collect::<Vec<_>>(), [0, 1], "{program}");
    // A name that one program has is for this one; a name that none has is an error.
    let sprites = "shaders/sprites.shbin";
    let text = transpica(&["optimize", sprites, "-o", &out, "--bools", "upright=true"]).succeeded();
    assert!(text.contains("unchanged") && !text.contains("executes"), "{text}");
    let shape = "tools/compile/tests/shapes/options.v.pica";
    let named = |known: &[&str]| {
        let text = transpica(&[&["optimize", shape, "-o", &out], known].concat()).succeeded();
        (text.contains("executes"), text.contains(" with hasFog"))
    };
    assert_eq!((named(&[]), named(&["--bools", "hasFog=true"])), ((true, true), (true, false)));
    for wrong in [["--bools", "other=true"], ["--variants", "other"]] {
        assert_eq!(transpica(&["optimize", sprites, "-o", &out, wrong[0], wrong[1]]).status, 2, "{wrong:?}");
    }
    // A loop of one round.
    let lights = "shaders/lights.shbin";
    let text = transpica(&["optimize", lights, "-o", &out, "--ints", "i0=0,0,1,0"]).succeeded();
    assert!(text.contains("proven equal"), "{text}");
    assert!(!transpica(&["dis", &out]).succeeded().contains("\tfor "), "{text}");
    assert_eq!(transpica(&["equal", lights, &out, "--ints", "i0=0,0,1,0"]).status, 0);
    assert_eq!(transpica(&["equal", lights, &out, "--ints", "i0=1,0,1,0"]).status, 1);
}

/// A bool of the program that is no declared number is one that the host computes.
#[test]
fn tests_of_uniforms_are_reported() {
    let folder = folder("compiled-tests");
    let [shader, out] = ["on.wgsl", "on.shbin"].map(|name| folder.join(name).display().to_string());
    let text = "struct All { lit: u32, fog: u32 }\n@group(0) @binding(0) var<uniform> all: All;
@vertex fn main(@location(0) a: vec4f) -> @builtin(position) vec4f {
    if all.lit != 0u { return a; }
    if all.fog == 2u { return a.yxwz; }
    return a.wzyx;\n}";
    fs::write(&shader, text).expect("written");
    let ran = transpica(&["compile", &shader, "-o", &out]);
    let (note, report) = (&ran.err, String::from_utf8_lossy(&ran.out));
    let line = "  fog_2: computed by the host, line 5: if all.fog == 2u { return a.yxwz; }\n";
    assert!(report.contains(line) && !report.contains("  lit"), "{report}");
    assert!(note.starts_with("note: the host computes fog_2: --host-c"), "{note}");
    let (_, document) = json(&["compile", &shader, "-o", &out, "--json"]);
    assert_eq!(document["host"], serde_json::json!(["fog_2"]));
    // A promise may stand after a blank.
    let promises = ["--assume", "a=finite, a=2^4"];
    transpica(&[&["compile", &shader, "-o", &out][..], &promises].concat()).succeeded();
}

#[test]
fn shaders_of_other_languages_become_programs() {
    let folder = folder("compile");
    let shader = "tools/compile/tests/shaders/lit.wgsl";
    let [text, binary, header] =
        ["lit.v.pica", "lit.shbin", "lit.h"].map(|name| folder.join(name).display().to_string());
    let report = transpica(&["compile", shader, "-o", &text]).succeeded();
    assert!(report.contains("  position: equal on 2000 vertices\n"), "{report}");
    let [update, module] = ["update.h", "update.rs"].map(|name| folder.join(name).display().to_string());
    let host = ["--host-c", &update, "--host-rust", &module];
    let ran = transpica(&[&["compile", shader, "-o", &binary, "--bind-c", &header][..], &host].concat());
    assert!(ran.status == 0 && !ran.err.contains("--host-c"), "{}", ran.err);
    let ran = transpica(&["compile", shader, "-o", &binary]);
    assert!(ran.report().contains("the host computes"), "{}", ran.err);
    assert!(fs::read_to_string(&update).expect("a header").contains("static inline void lit_update("));
    assert!(fs::read_to_string(&module).expect("a module").contains("pub fn update("));
    assert!(fs::read_to_string(header).expect("a header").contains("lit_normal_matrix_mtx("));
    let assembled = folder.join("text.shbin").display().to_string();
    transpica(&["asm", &text, "-o", &assembled]).succeeded();
    assert_eq!(transpica(&["equal", &assembled, &binary, "--solver", "none"]).status, 0);
    // What the host computes has the name of the text, and its line.
    let line = "  projection_view: computed by the host, line 22: out.position = camera.projection * ";
    assert!(report.contains("  uv (texcoord0): ") && report.contains(line), "{report}");
    let (status, document) = json(&["compile", shader, "-o", &binary, "--json"]);
    assert_eq!(document["outputs"][2]["semantic"], "texcoord0");
    assert_eq!(document["attributes"][0]["name"], "in_position");
    assert_eq!(document["host"][0], "projection_view");
    assert_eq!((status, document["attributes"].as_array().map(Vec::len)), (0, Some(3)));
    // Other commands compile what they read.
    let same = transpica(&["equal", shader, &binary, "--solver", "none"]).succeeded();
    assert_eq!(same, "equal for all inputs, proven by structure\n");
    assert!(transpica(&["translate", shader, "--to", "glsl"]).succeeded().starts_with("#version 450"));
    // A number that is only tested is a bool register, and the report has it.
    let tested = folder.join("tested.vert").display().to_string();
    fs::write(
        &tested,
        "attribute vec4 p; uniform uint lit; void main() { gl_Position = lit != 0u ? p : p.wzyx; }",
    )
    .expect("written");
    let outputs = ["-o", &binary, "--host-c", host[1], "--host-rust", host[3]];
    let (_, document) = json(&[&["compile", &tested, "--json"][..], &outputs].concat());
    assert_eq!(document["uniforms"][0]["decides"][0], "b0");
    for file in [host[1], host[3]] {
        let text = fs::read_to_string(file).expect("code");
        assert!(text.contains("Read by the host, for b0."), "{text}");
    }
    // The help lists the outputs that messages list.
    let help = transpica(&["help", "compile"]).succeeded().split_whitespace().collect::<Vec<_>>().join(" ");
    let ran = transpica(&["compile", &tested, "-o", &binary, "--output-as", "p=nothing"]);
    let names = ran.err.split_once("semantics are ").and_then(|(_, rest)| rest.lines().next());
    assert!(names.is_some_and(|names| names.contains("normalquat") && help.contains(names)), "{}", ran.err);
    // Errors have a place and advice, and write nothing.
    let wrong = folder.join("wrong.wgsl");
    fs::write(&wrong, "@group(0) @binding(0) var<storage> all: array<vec4f>;\n@vertex fn main(@location(0) a: vec4f)\n-> @builtin(position) vec4f { return a + all[0]; }").expect("written");
    let none = folder.join("none.shbin").display().to_string();
    let ran = transpica(&["compile", &wrong.display().to_string(), "-o", &none]);
    assert!(
        ran.status == 1 && ran.report().contains("wrong.wgsl:") && ran.err.contains("help"),
        "{}",
        ran.err
    );
    assert!(!Path::new(&none).exists());
    assert_eq!(transpica(&["compile", "shaders/lights.shbin", "-o", &none]).status, 2);
    for (arguments, status, expected) in [
        (
            &["compile", shader, "--output-as", "nosuch=color"][..],
            1,
            "no output nosuch; there are position, color, uv",
        ),
        (
            &["compile", shader, "--scaled", "nosuch"],
            1,
            "no attribute nosuch; there are position, normal, uv",
        ),
        (
            &["compile", shader, "--assume", "nosuch=2^4"],
            1,
            "no attribute or uniform nosuch; there are position, ",
        ),
        (&["compile", shader, "--assume", "uv=2^4,position=2^9..2^4"], 2, "M from -128, M below N"),
        (&["compile", shader, "--assume", "uv=no-nan"], 2, "a promise gives a range: finite, 2^N, below:N "),
        (&["compile", shader, "--assume", "uw=2^4"], 1, "; did you mean `uv`?"),
        (&["compile", shader, "--entry", "nosuch"], 1, "no vertex entry point nosuch; there is vs_main"),
        (&["compile", &text], 2, "transpica asm"),
        (&["compile", "-"], 2, "extension of the file"),
        (&["asm", shader], 1, "transpica compile"),
    ] {
        let ran = transpica(&[arguments, &["-o", &none]].concat());
        assert!(ran.status == status && ran.err.contains(expected), "{arguments:?}: {}", ran.err);
    }
    assert!(!Path::new(&none).exists());
    assert_eq!(transpica(&["compile", shader, "-o", &none, "--output-as", "uv=nothing"]).status, 2);
}

#[test]
fn hosts_of_shaders_compute_registers_in_one_way() {
    let folder = folder("equal-hosts");
    let write = |name: &str, values: [&str; 4]| {
        let [clip, strength, test, rounds] = values;
        let text = format!(
            "struct S {{ proj: mat4x4f, view: mat4x4f, k: vec4f, n: i32, table: array<vec4f, 4> }}
            @group(0) @binding(0) var<uniform> s: S;
            struct Out {{ @builtin(position) position: vec4f, @location(0) color: vec4f }}
            @vertex fn main(@location(0) p: vec4f) -> Out {{
                var out = Out({clip} * p, {strength} + p);
                if {test} {{ out.color = out.color * out.color; }}
                {rounds} {{ out.color = out.color + s.table[i]; }}
                return out;
            }}"
        );
        fs::write(folder.join(name), text).expect("writable");
        folder.join(name).display().to_string()
    };
    let own = ["(s.proj * s.view)", "s.k * 2.0", "s.n == 2", "for (var i = 0; i < s.n; i++)"];
    let (first, same) = (write("a.wgsl", own), write("b.wgsl", own));
    let ran = transpica(&["equal", &first, &same]);
    assert!(ran.succeeded().starts_with("equal for all inputs"));
    let others = [
        (0, "(s.view * s.proj)", "compute view_proj"),
        (1, "s.k * 3.0", "compute derived1"),
        (2, "s.n == 3", "compute n_3"),
        (3, "for (var i = 0; i <= s.n; i++)", "compute n_test, n_rounds"),
        (3, "for (var i = 1; i < s.n; i++)", "compute n_test, n_rounds"),
    ];
    for (place, text, message) in others {
        let mut values = own;
        values[place] = text;
        let other = write("c.wgsl", values);
        let ran = transpica(&["equal", &first, &other]);
        assert!(ran.status == 1 && ran.out.is_empty(), "{text}: {}", ran.text());
        assert!(ran.report().contains(&format!("{message} in other ways")), "{text}: {}", ran.err);
    }
    // What one host computes is a declared uniform of the other.
    let declared = write("d.wgsl", ["s.view", own[1], own[2], own[3]]);
    for sides in [[&first, &declared], [&declared, &first]] {
        let ran = transpica(&["equal", sides[0], sides[1]]);
        assert!(ran.status == 1 && ran.report().contains(" in other ways"), "{}", ran.err);
    }
    // The values of a difference may be none of a host.
    let mut values = own;
    values[1] = "s.k * 2.0 + p";
    let ran = transpica(&["equal", &first, &write("e.wgsl", values)]);
    assert!(ran.status == 1 && ran.report().contains("a host computes "), "{}", ran.err);
    assert!(ran.text().contains("with this state:"), "{}", ran.text());
}
