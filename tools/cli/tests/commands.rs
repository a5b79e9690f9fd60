//! Every command that needs no GPU, run as users run it: its output, its files, its exit status.

use std::fs;

use expect_test::expect_file;
use serde_json::Value;

use crate::support::{folder, root, transpica, transpica_reading};

const SAMPLE: &str = "shaders/textured.shbin";
const COMMANDS: &str = "translate asm bind compile optimize lsp info lint dis cfg run test draw compare equal replay scan survey doctor manifest completions man";

#[test]
fn every_target_is_translated_to() {
    for (target, start) in [
        ("wgsl", "// source: textured.shbin\n"),
        ("glsl", "#version 450"),
        ("hlsl", "// source: textured.shbin\n"),
        ("msl", "// source: textured.shbin\n"),
        ("spirv-asm", "; SPIR-V"),
    ] {
        let text = transpica(&["translate", SAMPLE, "--to", target]).succeeded();
        assert!(text.starts_with(start), "{target}: {text:.60}");
    }
    for (version, environment) in [("1.0", "vulkan1.0"), ("1.3", "vulkan1.1"), ("1.6", "vulkan1.3")] {
        let arguments = ["translate", SAMPLE, "--to", "spirv-asm", "--spirv-version", version];
        let text = transpica(&arguments).succeeded();
        assert!(text.starts_with(&format!("; SPIR-V: spirv-as --target-env {environment}\n")), "{version}");
    }
    let ran = transpica(&["translate", SAMPLE, "--to", "spirv"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert_eq!(ran.out[..4], 0x0723_0203u32.to_le_bytes());
    assert_eq!(ran.out.len() % 4, 0);
}

#[test]
fn wgsl_is_the_default_target_and_the_first_executable_the_default_one() {
    let library = "shaders/library.shbin";
    let plain = transpica(&["translate", library]).succeeded();
    assert_eq!(plain, transpica(&["translate", library, "--to", "wgsl", "--dvle", "0"]).succeeded());
    assert_ne!(plain, transpica(&["translate", library, "--dvle", "1"]).succeeded());
}

#[test]
fn options_change_the_result() {
    let plain = transpica(&["translate", "shaders/lights.shbin"]).succeeded();
    for option in [
        &["--precision", "fast"][..],
        &["--precision", "f24"],
        &["--layout", "registers"],
        &["--layout", "azahar"],
        &["--layout", "panda3ds"],
        &["--entry", "compute"],
        &["--raw-depth"],
        &["--raw-colors"],
    ] {
        let arguments = [&["translate", "shaders/lights.shbin"][..], option].concat();
        assert_ne!(transpica(&arguments).succeeded(), plain, "{option:?}");
    }
}

#[test]
fn promises_drop_tests_and_the_last_one_counts() {
    let words = |promises: &[&str]| {
        let mut arguments = vec!["translate", "shaders/lights.shbin", "--to", "spirv"];
        promises.iter().for_each(|promise| arguments.extend(["--assume", promise]));
        let ran = transpica(&arguments);
        assert_eq!(ran.status, 0, "{promises:?}: {}", ran.err);
        ran.out.len() / 4
    };
    let (none, not_nan) = (words(&[]), words(&["uniforms=no-nan", "attributes=no-nan"]));
    let below = words(&["uniforms=below:32", "attributes=below:32"]);
    assert!(below < not_nan && not_nan < none, "{below}, {not_nan}, {none}");
    assert_eq!(words(&["uniforms=finite", "uniforms=no-nan", "attributes=no-nan"]), not_nan);
    let each: Vec<String> = (0..16).map(|register| format!("v{register}=no-nan")).collect();
    let each: Vec<&str> = each.iter().map(String::as_str).chain(["uniforms=no-nan"]).collect();
    assert_eq!(words(&each), not_nan);
    for wrong in ["uniforms", "uniforms=small", "uniforms=below:129", "v16=no-nan", "c0=no-nan"] {
        let ran = transpica(&["translate", "shaders/lights.shbin", "--assume", wrong]);
        assert_eq!(ran.status, 2, "{wrong}");
        assert!(ran.err.contains("must look like uniforms=no-nan"), "{wrong}: {}", ran.err);
    }
}

#[test]
fn glsl_has_twelve_versions() {
    let core =
        ["330", "400", "410", "420", "430", "440", "460"].map(|version| (version, format!("{version} core")));
    let es = ["300", "310", "320"].map(|version| (["300es", "310es", "320es"], version));
    let es = es.map(|(names, version)| {
        (names.into_iter().find(|name| name.starts_with(version)).expect("there"), format!("{version} es"))
    });
    let others = [("450", "450".to_owned()), ("450core", "450 core".to_owned())];
    for (version, line) in core.into_iter().chain(es).chain(others) {
        let start = &format!("#version {line}\n");
        let text = transpica(&["translate", SAMPLE, "--to", "glsl", "--glsl-version", version]).succeeded();
        assert!(text.starts_with(start), "{version}: {text:.60}");
    }
}

#[test]
fn a_profile_names_and_joins() {
    let folder = folder("profile");
    let file = folder.join("profile.json");
    let name = file.to_str().expect("name");
    let arguments = ["translate", SAMPLE, "--to", "glsl", "--glsl-version", "300es", "--profile", name];
    let profile = r#"{ "varyings": [{ "name": "v_texcoord0", "location": 2,
        "components": [{ "Code": 12 }, { "Complement": 13 }, "One"] }],
        "glsl": { "version_line": false, "uniforms": { "block": "Registers" } } }"#;
    fs::write(&file, profile).expect("writable");
    let text = transpica(&arguments).succeeded();
    assert!(text.contains("uniform Registers {") && text.contains("out vec3 v_texcoord0;"), "{text}");
    assert!(!text.contains("#version") && text.contains("1.0 - "), "{text}");
    for (wrong, said) in
        [("{ \"glsl\": 1 }", "profile.json"), ("{ \"varyings\": [{ \"name\": \"vec4\" }] }", "reserved")]
    {
        fs::write(&file, wrong).expect("writable");
        let ran = transpica(&arguments);
        assert!(ran.status == 1 && ran.err.contains(said), "{wrong}: {}", ran.err);
    }
}

#[test]
fn a_result_goes_to_the_file_that_is_named() {
    let folder = folder("result");
    let (text, json) = (folder.join("out.wgsl"), folder.join("out.json"));
    let (text_name, json_name) = (text.to_str().expect("name"), json.to_str().expect("name"));
    let ran = transpica(&["translate", SAMPLE, "-o", text_name, "--reflect", json_name]);
    assert_eq!((ran.status, ran.out.len()), (0, 0), "{}", ran.err);
    let printed = transpica(&["translate", SAMPLE]).succeeded();
    assert_eq!(fs::read_to_string(text).expect("written"), printed);
    let reflection: Value = serde_json::from_str(&fs::read_to_string(json).expect("written")).expect("JSON");
    assert_eq!(reflection["attributes"][0]["name"], "inpos", "{reflection}");
    let table = transpica(&["translate", SAMPLE, "--to", "reflection"]).succeeded();
    assert!(table.contains(" words reached: ") && table.contains("inpos"), "{table}");
}

#[test]
fn a_dash_means_standard_input() {
    let bytes = fs::read(root().join(SAMPLE)).expect("sample");
    let read = transpica_reading(&["translate", "-"], &bytes).succeeded();
    let named = transpica(&["translate", SAMPLE]).succeeded();
    assert_eq!(read, named.replace("textured.shbin", "standard input"));
    let info = transpica_reading(&["info", "-"], &bytes).succeeded();
    assert_eq!(info.lines().count(), transpica(&["info", SAMPLE]).succeeded().lines().count());
}

#[test]
fn words_are_the_same_in_every_process() {
    for sample in ["shaders/uber.shbin", "shaders/library.shbin", "shaders/lamps.shbin"] {
        let words = || transpica(&["translate", sample, "--to", "spirv"]).out;
        let first = words();
        assert!(first.len() > 1000, "{sample}");
        assert!((0..3).all(|_| words() == first), "{sample}");
    }
}

#[test]
fn faulty_input_ends_with_1_names_place_and_remedy_and_writes_nothing() {
    let folder = folder("faulty");
    let out = folder.join("out");
    let out = out.to_str().expect("name");
    let json = folder.join("json");
    let json = json.to_str().expect("name");
    let bytes = fs::read(root().join(SAMPLE)).expect("sample");
    let undefined = {
        // The first code word: after the DVLB header with one entry, at the offset given in the
        // DVLP header.
        let mut bytes = bytes.clone();
        let at = 12 + u32::from_le_bytes(bytes[20..24].try_into().expect("four")) as usize;
        bytes[at..at + 4].copy_from_slice(&(0x14u32 << 26).to_le_bytes());
        bytes
    };
    for (input, place, remedy) in [
        (&b"GIF89a, surely"[..], "offset 0x0: expected DVLB, found GIF8", "a .shbin file begins with DVLB"),
        (&bytes[..bytes.len() - 20], "offset", "cut short or damaged"),
        (&[], "offset 0x0: file ends inside", "cut short or damaged"),
        (&undefined, "pc 0x0: opcode 0x14 is not defined", "permissive"),
    ] {
        for command in [
            &["translate", "-", "-o", out, "--reflect", json][..],
            &["translate", "-"],
            &["run", "-", "-o", out],
            &["cfg", "-", "-o", out],
            &["info", "-", "-o", out],
            &["dis", "-", "-o", out],
        ] {
            if matches!(command[0], "info" | "dis") && input == undefined {
                continue; // The tables are in order.
            }
            let ran = transpica_reading(command, input);
            let report = ran.report();
            assert_eq!((ran.status, ran.out.len()), (1, 0), "{command:?}: {report}");
            assert!(report.contains(place), "{command:?}: {report}");
            assert!(report.contains("help:") && report.contains(remedy), "{command:?}: {report}");
        }
    }
    assert_eq!(fs::read_dir(&folder).expect("folder").count(), 0, "nothing may be written");
}

#[test]
fn a_missing_file_and_a_missing_executable_are_named() {
    let report = transpica(&["translate", "no/such.shbin"]);
    assert_eq!(report.status, 1);
    assert!(report.report().contains("no/such.shbin: cannot be read"), "{}", report.err);
    let ran = transpica(&["translate", SAMPLE, "--dvle", "3"]);
    assert_eq!(ran.status, 1);
    let report = ran.report();
    assert!(report.contains("DVLE 3 does not exist; the file has 1"), "{report}");
    assert!(report.contains("transpica info"), "{report}");
}

#[test]
fn no_output_is_written_if_one_of_two_fails() {
    let folder = folder("one_of_two");
    let (good, bad) = (folder.join("good"), folder.join("missing/bad"));
    let (good, bad) = (good.to_str().expect("name"), bad.to_str().expect("name"));
    for (output, reflect) in [(good, bad), (bad, good)] {
        let ran = transpica(&["translate", SAMPLE, "-o", output, "--reflect", reflect]);
        assert_eq!((ran.status, ran.out.len()), (1, 0));
        assert!(ran.report().contains("cannot write"), "{}", ran.err);
    }
    assert_eq!(fs::read_dir(&folder).expect("folder").count(), 0);
}

#[test]
fn wrong_usage_ends_with_2() {
    for arguments in [
        &[][..],
        &["nonsense"],
        &["translate"],
        &["translate", SAMPLE, "--to", "cobol"],
        &["translate", SAMPLE, "--precision", "double"],
        &["translate", SAMPLE, "--dvle", "-1"],
        &["info", SAMPLE, "-q", "-v"],
        &["run", SAMPLE, "--on", "abacus"],
        &["run", SAMPLE, "--vertices", "many"],
        &["run", SAMPLE, "--trace", "--json"],
        &["compare"],
        &["asm", "shaders/fog.v.pica"],
        &["asm", "-o", "x.shbin"],
        &["dis"],
        &["cfg", SAMPLE, "--stage", "tree", "--format", "dot"],
    ] {
        let ran = transpica(arguments);
        assert_eq!((ran.status, ran.out.len()), (2, 0), "{arguments:?}: {}", ran.err);
        assert!(!ran.err.is_empty());
    }
}

#[test]
fn help_has_examples_and_version_a_number() {
    let all = transpica(&["--help"]).succeeded();
    assert!(all.contains("Examples:") && all.contains("Exit status"), "{all}");
    for command in COMMANDS.split(' ') {
        assert!(all.contains(command), "{command}");
        let help = transpica(&[command, "--help"]).succeeded();
        assert!(help.contains(&format!("Examples:\n  transpica {command} ")), "{help}");
        assert_eq!(transpica(&["help", command]).succeeded(), help);
    }
    assert_eq!(transpica(&["help"]).succeeded(), all);
    for (subject, hint) in [
        ("nonsense", "`nonsense`\n"),
        ("tets", "`tets`; did you mean `test`?\n"),
        ("lint-rule", "`lint-rules`?"),
    ] {
        let ran = transpica(&["help", subject]);
        assert_eq!((ran.status, ran.out.len()), (2, 0), "{}", ran.err);
        assert!(ran.err.starts_with("error: no help on") && ran.err.contains(hint), "{}", ran.err);
        assert!(
            ran.err.contains("There is help on language, lint-rules, ") && ran.err.contains(", idioms;"),
            "{}",
            ran.err
        );
    }
    for (subject, text) in [
        ("mad", "mad dest, s1, s2, s3"),
        (".FVEC", "declares float uniforms"),
        ("end", "ends the program"),
        ("end", "ends the innermost block"),
        ("directives", "- `.alias NAME REGISTER`"),
        ("language", "## Idioms"),
        ("near", "near (value of expect)"),
        ("test-files", "[[case]]\nname = "),
    ] {
        assert!(transpica(&["help", subject]).succeeded().contains(text), "{subject}");
    }
    assert_eq!(transpica(&["mad"]).status, 2);
    assert_eq!(transpica(&["--version"]).succeeded(), format!("transpica {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn info_prints_every_table() {
    for sample in ["textured", "points"] {
        let file = format!("shaders/{sample}.shbin");
        let expected = root().join("tools/cli/tests/info");
        expect_file![expected.join(format!("{sample}.txt"))]
            .assert_eq(&transpica(&["info", &file]).succeeded());
        let json = transpica(&["info", &file, "--json"]).succeeded();
        expect_file![expected.join(format!("{sample}.json"))].assert_eq(&json);
        let value: Value = serde_json::from_str(&json).expect("JSON");
        assert!(value["executables"].as_array().is_some_and(|all| !all.is_empty()));
    }
}

/// The bits of each output register of each vertex.
fn outputs(json: &str) -> Vec<Vec<[String; 4]>> {
    let value: Value = serde_json::from_str(json).expect("JSON");
    assert_eq!(value["stage"], "vertex");
    let vertices = value["vertices"].as_array().expect("array");
    let register = |vertex: &Value, n: usize| {
        let lanes = vertex["outputs"][format!("o{n}")].as_array().expect("register").clone();
        let lanes: Vec<String> = lanes.iter().map(|lane| lane.as_str().expect("text").to_owned()).collect();
        lanes.try_into().expect("four lanes")
    };
    let all = |vertex: &Value| {
        assert_eq!(vertex["outputs"].as_object().map(serde_json::Map::len), Some(16));
        (0..16).map(|n| register(vertex, n)).collect()
    };
    vertices.iter().map(all).collect()
}

#[test]
fn run_prints_sixteen_registers_of_eight_digits() {
    for sample in ["textured", "extremes", "library"] {
        let json =
            transpica(&["run", &format!("shaders/{sample}.shbin"), "--json", "--all", "--vertices", "8"])
                .succeeded();
        let outputs = outputs(&json);
        assert_eq!(outputs.len(), 8);
        for bits in outputs.iter().flatten().flatten() {
            let digits = bits.strip_prefix("0x").expect("0x");
            assert_eq!(digits.len(), 8, "{bits}");
            let value = u32::from_str_radix(digits, 16).expect("hex");
            assert_eq!(format!("{value:08x}"), digits, "lower case");
            assert!(!f32::from_bits(value).is_nan() || value == 0x7fc0_0000, "{bits}");
        }
    }
}

/// A source of one program that copies its inputs and some uniforms.
const COPY: &str = "
.fvec uniform
.ivec count
.bool flag
.constf literal(2.0, 3.0, 4.0, 5.0)
.in a v0
.in b v1
.out pos position
.out col color
.out tex texcoord0
.out view view
.proc main
\tmov pos, a
\tmov col, b
\tmov tex, uniform
\tifu flag
\t\tmov view, literal
\t.end
\tend
.end
";

/// Assembles [`COPY`].
fn copying() -> Vec<u8> {
    use transpica_asm::{SourceText, assemble};
    let sources = [SourceText { name: "copy.pica", text: COPY }];
    transpica::container::write(&assemble(&sources).unwrap_or_else(|report| panic!("{report}")).model)
}

#[test]
fn run_takes_values_and_defaults_from_a_state_file() {
    let folder = folder("state");
    let state = folder.join("state.json");
    let text = r#"{ "uniforms": { "c": { "0": [1, -2, "0x00000001", "-inf"] }, "b": { "0": true } },
                    "vertices": [ { "v0": [0.5, "inf", "nan", 1] }, { "v1": [7, 8, 9, 10] } ] }"#;
    fs::write(&state, text).expect("written");
    let arguments = ["run", "-", "--json", "--all", "--state", state.to_str().expect("name")];
    let json = transpica_reading(&arguments, &copying()).succeeded();
    let outputs = outputs(&json);
    let default = ["0x00000000", "0x00000000", "0x00000000", "0x3f800000"];
    let uniform = ["0x3f800000", "0xc0000000", "0x00000001", "0xff800000"];
    let literal = ["0x40000000", "0x40400000", "0x40800000", "0x40a00000"];
    assert_eq!(outputs.len(), 2);
    assert_eq!(outputs[0][0], ["0x3f000000", "0x7f800000", "0x7fc00000", "0x3f800000"]);
    assert_eq!(outputs[0][1], default, "v1 is not listed");
    assert_eq!(outputs[1][0], default, "nothing carries over");
    assert_eq!(outputs[1][1], ["0x40e00000", "0x41000000", "0x41100000", "0x41200000"]);
    for vertex in &outputs {
        assert_eq!(vertex[2], uniform);
        assert_eq!(vertex[3], literal);
        assert!(vertex[4..].iter().all(|register| *register == default));
    }
    fs::write(&state, r#"{ "vertices": [ { "v16": [0, 0, 0, 0] } ] }"#).expect("written");
    let ran = transpica_reading(&arguments, &copying());
    assert_eq!((ran.status, ran.out.len()), (1, 0));
    assert!(ran.report().contains("vertices[0]") && ran.report().contains("\"16\""), "{}", ran.err);
}

#[test]
fn traces_of_sources_have_their_names() {
    let ran = |file: &str| transpica(&["run", file, "--trace", "--vertices", "1"]).succeeded();
    let source = ran("shaders/lights.v.pica");
    assert!(source.contains("mov r0.w, k.y") && source.contains("call normalize"), "{source}");
    assert!(ran("shaders/lights.shbin").contains("mov r0.w, float_95.y"));
}

#[test]
fn a_trace_names_every_executed_instruction() {
    let ran = transpica_reading(&["run", "-", "--trace", "--vertices", "1"], &copying()).succeeded();
    for instruction in ["mov", "ifu", "end"] {
        assert!(ran.contains(instruction), "{ran}");
    }
    assert!(ran.contains("vertex 0"), "{ran}");
}

#[test]
fn the_intermediate_form_of_a_geometry_program_submits_triangles() {
    let ran = transpica(&["cfg", "shaders/points.shbin", "--dvle", "1", "--stage", "ir"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(ran.text().contains("= submit("), "{}", ran.text());
}

#[test]
fn a_geometry_program_runs_its_invocations_one_after_the_other() {
    let folder = folder("geometry");
    let state = folder.join("state.json");
    // c0 is the size of points; each vertex is a point with position and color.
    let text = r#"{ "uniforms": { "c": { "0": [0.5, 0.25, 0, 0] } },
                    "vertices": [ { "v0": [1, 2, 3, 4], "v1": [0.5, "nan", "-inf", 1] }, { "c": { "0": [0, 0, 0, 0] } } ] }"#;
    fs::write(&state, text).expect("written");
    let state = state.to_str().expect("name");
    let arguments = ["run", "shaders/points.shbin", "--dvle", "1", "--json", "--state", state];
    let json = transpica(&arguments).succeeded();
    let value: Value = serde_json::from_str(&json).expect("JSON");
    let lanes = |bits: [&str; 4]| serde_json::json!(bits);
    assert_eq!(value["stage"], "geometry");
    assert_eq!(value["vertices"].as_array().map(Vec::len), Some(2));
    let emits = value["vertices"][0]["emits"].as_array().expect("emits");
    let settings: Vec<_> = emits
        .iter()
        .map(|emit| (emit["slot"].as_u64(), emit["prim"].as_bool(), emit["invert"].as_bool()))
        .collect();
    let plain = |slot, prim, invert| (Some(slot), Some(prim), Some(invert));
    let expected =
        [plain(0, false, false), plain(1, false, false), plain(2, true, false), plain(0, true, true)];
    assert_eq!(settings, expected);
    for emit in emits {
        assert_eq!(emit.as_object().map(serde_json::Map::len), Some(6));
        let outputs = emit["outputs"].as_object().expect("outputs");
        assert_eq!(outputs.keys().collect::<Vec<_>>(), ["o0", "o1", "o2"], "those that are passed on");
        assert_eq!(outputs["o1"], lanes(["0x3f000000", "0x7fc00000", "0xff800000", "0x3f800000"]));
    }
    // The corner (-1, -1): (1 - 0.5 * 4, 2 - 0.25 * 4, 3, 4).
    assert_eq!(emits[0]["outputs"]["o0"], lanes(["0xbf800000", "0x3f800000", "0x40400000", "0x40800000"]));
    // The second point delivers a size of 0, so all its corners are the default of v0.
    for emit in value["vertices"][1]["emits"].as_array().expect("emits") {
        assert_eq!(emit["outputs"]["o0"], lanes(["0x00000000", "0x00000000", "0x00000000", "0x3f800000"]));
    }
    let table = transpica(&["run", "shaders/points.shbin", "--dvle", "1", "--state", state]).succeeded();
    for line in ["invocation 1\n", "  emit 2: slot 2, triangle\n", "  emit 3: slot 0, triangle reversed\n"] {
        assert!(table.contains(line), "{table}");
    }
}

/// A source of a geometry program that counts in r0 and emits the count and two uniforms.
const COUNTER: &str = "
.gsh MODE
.out pos position
.out first color
.out last texcoord0
.entry main
.constf one(1.0, 1.0, 1.0, 1.0)
.proc main
\tadd r0, one, r0
\tmov pos, r0
\tmov first, c10
\tmov last, c13
\temit
\tend
.end
";

#[test]
fn generated_invocations_have_the_inputs_of_their_mode() {
    use transpica_asm::{SourceText, assemble};
    for (mode, delivers) in [("point c20", false), ("fixed c20 c10 4", true), ("variable c20 13", true)] {
        let text = COUNTER.replace("MODE", mode);
        let sources = [SourceText { name: "counter.g.pica", text: &text }];
        let model = assemble(&sources).unwrap_or_else(|report| panic!("{mode}: {report}")).model;
        let bytes = transpica::container::write(&model);
        let arguments = ["run", "-", "--json", "--seed", "5"];
        let json = transpica_reading(&arguments, &bytes).succeeded();
        assert_eq!(json, transpica_reading(&arguments, &bytes).succeeded());
        let value: Value = serde_json::from_str(&json).expect("JSON");
        let invocations = value["vertices"].as_array().expect("invocations");
        assert_eq!(invocations.len(), 4);
        let output = |n: usize, register: &str| invocations[n]["emits"][0]["outputs"][register].clone();
        for (n, w) in [(0, "0x40000000"), (1, "0x40400000"), (2, "0x40800000")] {
            assert_eq!(output(n, "o0")[3], w, "{mode}: r0 carries over from 1 on");
        }
        for register in ["o1", "o2"] {
            assert_eq!(output(0, register) != output(1, register), delivers, "{mode} {register}");
        }
    }
}

#[test]
fn equal_seeds_give_equal_runs() {
    let run = |seed| transpica(&["run", SAMPLE, "--json", "--seed", seed]).succeeded();
    assert_eq!(run("0"), transpica(&["run", SAMPLE, "--json"]).succeeded());
    assert_eq!(run("7"), run("7"));
    assert_ne!(run("7"), run("8"));
}

#[test]
fn cfg_shows_every_form() {
    let form =
        |arguments: &[&str]| transpica(&[&["cfg", "shaders/fog.shbin"], arguments].concat()).succeeded();
    assert_eq!(form(&[]), form(&["--stage", "cfg", "--format", "text"]));
    let dot = form(&["--format", "dot"]);
    assert!(dot.starts_with("digraph") && dot.trim_end().ends_with('}'), "{dot}");
    assert!(form(&["--stage", "ir"]).contains("func main"));
    let forms = [form(&[]), dot, form(&["--stage", "tree"]), form(&["--stage", "ir"])];
    for (n, text) in forms.iter().enumerate() {
        assert!(!text.is_empty() && forms[n + 1..].iter().all(|other| other != text));
    }
}

#[test]
fn survey_reports_the_result_of_every_program() {
    let folder = folder("survey");
    let sample = fs::read(root().join(SAMPLE)).expect("a sample");
    fs::write(folder.join("whole.shbin"), &sample).expect("writable");
    fs::write(folder.join("cut.shbin"), &sample[..100]).expect("writable");
    let ran = transpica(&["survey", folder.to_str().expect("name"), "--json"]);
    assert_eq!(ran.status, 1, "a file that cannot be read is the input's fault");
    let json: Value = serde_json::from_slice(&ran.out).expect("JSON");
    let programs = json["programs"].as_array().expect("an array");
    let results: Vec<_> = programs.iter().map(|row| row["result"].as_str().expect("text")).collect();
    assert_eq!(results, ["failed", "translated"]);
    assert!(programs[0]["error"].as_str().expect("text").contains("offset"), "{programs:?}");
    assert_eq!((&programs[1]["tier"], &programs[1]["code_words"]), (&"structured".into(), &13.into()));
}

/// The words of a sample in files, as a host would dump them.
fn dumps(name: &str) -> [String; 2] {
    use transpica::Shbin;
    let bytes = std::fs::read(root().join(SAMPLE)).expect("a sample");
    let file = Shbin::parse(&bytes).expect("valid");
    let code: Vec<u8> = file.package.code.iter().flat_map(u32::to_le_bytes).collect();
    let descriptors: Vec<u8> =
        file.package.descriptors.iter().flat_map(|descriptor| descriptor.bits.to_le_bytes()).collect();
    [("code", code), ("descriptors", descriptors)].map(|(what, bytes)| {
        let path = std::env::temp_dir().join(format!("transpica-{}-{name}-{what}.bin", std::process::id()));
        std::fs::write(&path, bytes).expect("a temporary file");
        path.to_string_lossy().into_owned()
    })
}

#[test]
fn raw_words_are_translated_with_all_registers() {
    let [code, descriptors] = dumps("raw");
    let plain = ["translate", "--code", &code, "--descriptors", &descriptors];
    let text = transpica(&plain).succeeded();
    assert!(text.contains("v0: vec4f") && text.contains("position") && !text.contains("color"), "{text}");
    let mapped =
        ["--outmap", "0=0x03020100", "--outmap", "1=0x0b0a0908", "--entry", "0x0", "--layout", "registers"];
    let text = transpica(&[&plain[..], &mapped].concat()).succeeded();
    assert!(text.contains("color: vec4f") && text.contains("c: array<vec4f, 96>"), "{text}");
    let compute = transpica(&[&plain[..], &["--entry", "compute", "--entry", "0"]].concat()).succeeded();
    assert!(compute.contains("@compute"), "{compute}");
    let beyond = transpica(&[&plain[..], &["--entry", "13"]].concat());
    assert_eq!(beyond.status, 1);
    assert!(beyond.report().contains("entry point 0xd lies outside the code of 0xd words"), "{}", beyond.err);
    std::fs::write(&descriptors, [1, 2, 3, 4, 5]).expect("a temporary file");
    let cut = transpica(&plain);
    assert_eq!(cut.status, 1);
    assert!(cut.report().contains("5 bytes are not a whole number of words"), "{}", cut.err);
    for path in [code, descriptors] {
        std::fs::remove_file(path).expect("it is there");
    }
}

#[test]
fn raw_options_without_raw_code_are_wrong_usage() {
    for arguments in [
        &["translate", SAMPLE, "--entry", "4"][..],
        &["translate", SAMPLE, "--code", "code.bin"],
        &["translate", "--descriptors", "descriptors.bin"],
        &["translate", SAMPLE, "--descriptors", "descriptors.bin"],
        &["translate", SAMPLE, "--outmap", "0=1"],
        &["translate", "--code", "code.bin", "--dvle", "1"],
        &["translate", "--code", "code.bin", "--outmap", "16=1"],
        &["translate", "--code", "code.bin", "--outmap", "1=0x+1"],
        &["translate", "--code", "code.bin", "--entry", "65536"],
    ] {
        let ran = transpica(arguments);
        assert_eq!(ran.status, 2, "{arguments:?}: {}", ran.err);
    }
}

#[test]
fn a_geometry_program_becomes_a_compute_shader() {
    let ran = transpica(&["translate", "shaders/counter.shbin", "--dvle", "1"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(ran.text().contains("@compute @workgroup_size(64)"), "{}", ran.text());
    let ran = transpica(&["translate", "shaders/counter.shbin", "--dvle", "1", "--to", "reflection"]);
    assert!(ran.text().contains("one thread runs all invocations"), "{}", ran.text());
    // Two vertices for each invocation.
    let text = |stride: &str| {
        let ran = transpica(&["translate", "shaders/wireframe.shbin", "--dvle", "1", "--stride", stride]);
        assert_eq!(ran.status, 0, "{}", ran.err);
        ran.text()
    };
    assert_ne!(text("2"), text("6"));
    let ran = transpica(&["translate", "shaders/counter.shbin", "--dvle", "1", "--vertex", "1"]);
    assert_eq!(ran.status, 1, "{}", ran.text());
    let ran = transpica(&["translate", "shaders/counter.shbin", "--dvle", "1", "--stride", "17"]);
    assert!(ran.status == 1 && ran.err.contains("stride"), "{}", ran.err);
}

#[test]
fn shells_and_man_get_every_command_and_option() {
    let man = transpica(&["man"]).succeeded();
    let shells = ["bash", "elvish", "fish", "powershell", "zsh"];
    for text in shells.map(|shell| transpica(&["completions", shell]).succeeded()).into_iter().chain([man]) {
        let text = text.replace("\\-", "-");
        for command in COMMANDS.split(' ') {
            assert!(text.to_lowercase().contains(command), "{command}: {text:.200}");
        }
        assert!(text.contains("glsl-version"), "{text:.200}");
    }
    assert_ne!(transpica(&["completions", "tcsh"]).status, 0);
    let pages = folder("man").join("man1");
    transpica(&["man", "--out-dir", pages.to_str().expect("a name")]).succeeded();
    let read = |name: &str| fs::read_to_string(pages.join(name)).expect("a page");
    assert!(read("transpica.1").starts_with(".") && read("transpica-run.1").contains("SEE ALSO"));
    assert_eq!(fs::read_dir(&pages).expect("a folder").count(), COMMANDS.split(' ').count() + 1);
}

#[test]
fn lint_finds_what_hangs_a_console_in_recordings() {
    let folder = folder("lint_lists");
    let chunk = |tag: &[u8; 4], words: &[u32]| {
        let bytes = words.iter().flat_map(|word| word.to_le_bytes());
        [&tag[..], &(4 * words.len() as u32).to_le_bytes(), &bytes.collect::<Vec<_>>()].concat()
    };
    let draw = chunk(b"DRAW", &[0, 3, u32::MAX, 0, 2]);
    let [with, without] = [2, 0].map(|mode| [chunk(b"CMDS", &[mode, 0xF_0229]), draw.clone()].concat());
    let frame = chunk(b"FRAM", &[]);
    let path = folder.join("a.pclist");
    let name = path.to_str().expect("a name");
    let run = |parts: &[&Vec<u8>], more: &[&str]| {
        let parts: Vec<u8> = parts.iter().flat_map(|part| part.iter().copied()).collect();
        fs::write(&path, [b"PCLIST\x01\0", &parts[..]].concat()).expect("written");
        transpica(&[&["lint", name], more].concat())
    };
    let found = run(&[&without, &frame, &with, &without, &without, &frame], &[]).succeeded();
    let expected = "frame 1, draw 1: a draw without a geometry program behind one with it hangs the GPU; end the list between them\n";
    assert_eq!(found, expected);
    assert_eq!(run(&[&with, &frame, &without, &frame], &["--deny"]).succeeded(), "");
    assert_eq!(run(&[&with, &without], &["--deny"]).status, 1);
    assert!(run(&[&vec![1]], &[]).report().contains("a.pclist: offset 0x8: "));
}
