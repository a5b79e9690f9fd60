//! The commands that need a GPU. Without one they fail, and their message says what to install.

use std::fs;
use std::process::{Command, Stdio};

use crate::needs;
use crate::support::{Ran, folder, follows_schema, ran, root, transpica};

/// Runs `compare` and returns its table.
fn compare(arguments: &[&str]) -> String {
    let ran = transpica(&[&["compare", "--vertices", "16"], arguments].concat());
    let text = ran.text();
    assert_eq!(ran.status, 0, "{text}{}", ran.err);
    let last = text.lines().last().expect("a summary");
    assert!(last.ends_with(" 0 differing values, 0 failed"), "{text}");
    text
}

/// Returns the files of `shaders` with an ending, a part of them each day.
fn some_files(ending: &str, step: usize) -> Vec<String> {
    let entries = fs::read_dir(root().join("shaders")).expect("samples");
    let names = entries.map(|entry| format!("shaders/{}", entry.expect("an entry").file_name().display()));
    let mut names: Vec<String> = names.filter(|name| name.ends_with(&format!(".{ending}"))).collect();
    names.sort();
    needs::daily::some(&format!("files {ending} of a test on the GPU"), step, names)
}

fn strings(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

#[test]
fn interpreter_and_gpu_agree_on_every_shader() {
    needs!("vulkan");
    let text = compare(&["shaders", "--route", "spirv"]);
    assert!(text.lines().filter(|line| line.starts_with("ok ")).count() > 20, "{text}");
}

#[test]
fn doctor_measures_the_arithmetic_of_the_driver() {
    needs!("vulkan");
    let text = transpica(&["doctor", "--arithmetic"]).succeeded();
    let rows = |name: &str| text.lines().filter(|line| line.starts_with(&format!("| {name} |"))).count();
    assert!(rows("MUL") > 0 && rows("MUL") == rows("RSQ"), "{text}");
    for function in ["rcp", "rcp_any", "rsq", "exp_two", "log_two"] {
        assert!(text.contains(&format!("| `pica_{function}` | 16777216 | 0 |")), "{text}");
    }
    assert!(
        text.contains("The device reports ") && text.contains("By the letter its modules are "),
        "{text}"
    );
    let refused = transpica(&["doctor", "--arithmetic", "shaders"]);
    assert_eq!(refused.status, 2, "{}", refused.err);
}

#[test]
fn cases_of_shaders_pass_on_the_gpu() {
    needs!("vulkan");
    let text = transpica(&[&["test", "--on", "gpu"], &strings(&some_files("test.toml", 3))[..]].concat())
        .succeeded();
    assert!(text.contains("test points: each point has a quad of its own ... ok"), "{text}");
}

#[test]
fn interpreter_and_gpu_agree_in_the_layouts_of_other_hosts() {
    needs!("vulkan");
    let samples = some_files("shbin", 4);
    for layout in ["registers", "azahar", "panda3ds"] {
        compare(&[&strings(&samples)[..], &["--layout", layout, "--route", "spirv"]].concat());
    }
}

/// Promises that drop guards, tests for NaN or both.
const PROMISES: [&str; 4] = [
    "uniforms=no-nan,attributes=no-nan",
    "uniforms=finite,attributes=finite,results=finite",
    "uniforms=2^32,attributes=2^32",
    "results=no-nan",
];

/// Programs with matrices, loops, relative reads and an invocation after the other. Random programs
/// with promises run in `tools/proof/tests/gpu`.
const PROMISED: [&str; 4] =
    ["shaders/lights.shbin", "shaders/skinning.shbin", "shaders/points.shbin", "shaders/trail.shbin"];

#[test]
fn interpreter_and_gpu_agree_with_promises() {
    needs!("vulkan");
    for promises in PROMISES {
        compare(&[&PROMISED[..], &["--route", "spirv", "--assume", promises]].concat());
    }
    compare(&[&PROMISED[..], &["--route", "wgsl", "--assume", PROMISES[2]]].concat());
}

/// The numbers of vectors in a state file.
fn numbers(value: &serde_json::Value) -> Vec<&serde_json::Value> {
    use serde_json::Value;
    match value {
        Value::Object(members) => {
            let vectors = members.iter().filter(|(name, _)| !matches!(name.as_str(), "i" | "b"));
            vectors.flat_map(|(_, value)| numbers(value)).collect()
        }
        Value::Array(list) => list.iter().flat_map(numbers).collect(),
        number => vec![number],
    }
}

#[test]
fn generated_numbers_keep_promises() {
    needs!("vulkan");
    let file = folder("gpu-promises").join("state.json");
    let name = file.to_str().expect("a name");
    let largest = |promise: &str| {
        let assume = format!("attributes={promise},uniforms={promise}");
        let options = ["--stress", "--vertices", "64", "--assume", &assume, "--save-state", name];
        transpica(&[&["run", "shaders/points.shbin", "--dvle", "0"][..], &options].concat()).succeeded();
        let state: serde_json::Value =
            serde_json::from_slice(&fs::read(&file).expect("written")).expect("JSON");
        let mut numbers = numbers(&state).into_iter().map(|number| number.as_f64().map(f64::abs));
        numbers.try_fold(0.0f64, |largest, number| Some(largest.max(number?)))
    };
    // What is not a number of JSON is infinite or NaN.
    assert_eq!(largest("any"), None);
    assert_eq!(largest("finite").map(|largest| largest as f32), Some(f32::MAX));
    assert!(largest("2^3").is_some_and(|largest| (7.0..8.0).contains(&largest)), "{:?}", largest("2^3"));
}

#[test]
fn a_state_that_breaks_a_promise_is_refused() {
    needs!("vulkan");
    let folder = folder("gpu-broken");
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).expect("writable");
        path.to_str().expect("a name").to_owned()
    };
    let source = write(
        "x.pica",
        ".fvec m\n.in p v0\n.out - position o0\n.proc main\nmul r0, m, p\nmul o0, r0, r0.x\nend\n.end\n",
    );
    let shader = folder.join("x.shbin");
    let shader = shader.to_str().expect("a name");
    transpica(&["asm", &source, "-o", shader]).succeeded();
    let attribute =
        write("attribute.json", r#"{"uniforms":{"m":[0,0,1,1]},"vertices":[{},{"p":["inf",0,0,1]}]}"#);
    let uniform = write("uniform.json", r#"{"uniforms":{"m":["nan",0,1,1]},"vertices":[{}]}"#);
    let result = write("result.json", r#"{"uniforms":{"m":[3e38,0,1,1]},"vertices":[{"p":[10,0,0,1]}]}"#);
    let options = write("options.json", r#"{"assume":{"uniforms":"NotNan"}}"#);
    for (state, promise, said) in [
        (
            &attribute,
            ["--assume", "attributes=2^16"],
            "vertex 1: v0 (p) = [inf, 0.0, 0.0, 1.0] breaks the promise about attributes",
        ),
        (
            &uniform,
            ["--options", &options],
            "c0 (m) = [NaN, 0.0, 1.0, 1.0] breaks the promise about uniforms: not NaN",
        ),
        (&uniform, ["--set", "assume.uniforms=NotNan"], "uniform.json: c0 (m)"),
        (
            &result,
            ["--assume", "results=finite"],
            "vertex 0: pc 0x0: mul r0, c0, v0 = [inf, 0.0, 0.0, 1.0] breaks the promise about results",
        ),
    ] {
        for on in ["cpu", "gpu"] {
            let run = ["run", shader, "--state", state, "--on", on];
            transpica(&run).succeeded();
            let ran = transpica(&[&run[..], &promise].concat());
            assert_eq!((ran.status, ran.out.len()), (1, 0), "{promise:?} on {on}");
            assert!(ran.report().contains(said), "{}", ran.err);
            // Without guards there is nothing to rely on.
            transpica(&[&run[..], &promise, &["--precision", "fast"]].concat()).succeeded();
        }
    }
}

/// Returns the words of a result with all zeros positive.
fn without_signs_of_zero(text: &str) -> String {
    let words = text.split_whitespace().map(|word| match word.trim_end_matches(',') {
        "-0.0" => "0.0",
        "\"0x80000000\"" => "\"0x00000000\"",
        word => word,
    });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn interpreter_and_gpu_have_the_same_settings() {
    needs!("vulkan");
    let options =
        ["--bools", "b*=true", "--ints", "i0=1,0,1,0", "--uninitialized", "zero", "--loop-guard", "1000"];
    let samples = some_files("shbin", 4);
    let arguments = ["--route", "spirv"];
    compare(&[&strings(&samples)[..], &arguments, &options].concat());
    for dvle in ["0", "1"] {
        let run = |on| {
            let run = ["run", "shaders/library.shbin", "--dvle", dvle, "--json", "--on", on];
            // No instruction observes the sign of a zero, which drivers may change.
            without_signs_of_zero(&transpica(&[&run[..], &options].concat()).succeeded())
        };
        assert!(run("cpu") == run("gpu"), "dvle {dvle}");
    }
}

#[test]
fn interpreter_and_gpu_agree_on_the_text_of_every_shader() {
    needs!("vulkan");
    compare(&["shaders", "--route", "wgsl"]);
}

#[test]
fn a_comparison_names_its_driver() {
    needs!("vulkan");
    let sample = "shaders/textured.shbin";
    let text = compare(&[sample]);
    let report =
        text.split("\n\n").find(|part| part.starts_with("driver report: transpica")).expect("a report");
    let lines: Vec<&str> =
        report.lines().map(|line| line.trim_start().split("  ").next().unwrap_or("")).collect();
    let expected = [
        "adapter",
        "driver",
        "known as",
        "SPIR-V",
        "declares",
        "ADD",
        "MUL",
        "RCP",
        "RSQ",
        "EX2",
        "LG2",
        "DP4 as naga writes it",
    ];
    assert_eq!(lines[1..], expected, "{text}");
    assert!(report.contains("MUL  bit-equal"), "{report}");
    let quiet = compare(&[sample, "-q"]);
    assert!(!quiet.contains("driver report"), "{quiet}");
    let json = transpica(&["compare", sample, "--vertices", "16", "--json"]).succeeded();
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    follows_schema(&json);
    assert_eq!(json["driver"]["measured"][1]["instruction"], "MUL", "{json}");
    assert_eq!(json["comparisons"].as_array().map(Vec::len), Some(2), "{json}");
}

#[test]
fn a_run_on_the_gpu_prints_the_results_of_the_interpreter() {
    needs!("vulkan");
    for sample in ["shaders/textured.shbin", "shaders/skinning.shbin"] {
        let run = |on| transpica(&["run", sample, "--json", "--seed", "3", "--on", on]).succeeded();
        assert_eq!(run("gpu"), run("cpu"), "{sample}");
    }
}

#[test]
fn values_at_an_early_loop_exit_are_those_of_that_iteration() {
    needs!("vulkan");
    // Random programs whose vertices leave a loop in different iterations, with the interpreter's
    // results. lavapipe keeps computing for vertices that have left, and gave them values of later
    // iterations.
    for name in ["516-82", "9102-20", "9102-4"] {
        let file = |ending: &str| format!("tests/cases/loops/left_early_{name}.{ending}");
        let expected = std::fs::read_to_string(root().join(file("expect.json"))).expect("readable");
        let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("JSON");
        for on in ["cpu", "gpu"] {
            let ran = transpica(&[
                "run",
                &file("shbin"),
                "--state",
                &file("state.json"),
                "--json",
                "--all",
                "--on",
                on,
            ]);
            let (mut found, expected) = (json(&ran.succeeded()), json(&expected));
            // Semantics and numbers repeat what registers have.
            for vertex in found["vertices"].as_array_mut().expect("a list") {
                vertex.as_object_mut().expect("an object").retain(|member, _| member == "outputs");
            }
            for member in ["stage", "vertices"] {
                assert_eq!(found[member], expected[member], "{name} on {on}");
            }
        }
    }
}

#[test]
fn an_adapter_of_another_name_is_an_error() {
    needs!("vulkan");
    let ran = transpica(&["run", "shaders/textured.shbin", "--on", "gpu", "--adapter", "abacus"]);
    assert_eq!((ran.status, ran.out.len()), (1, 0));
    assert!(ran.report().contains("no adapter matches \"abacus\""), "{}", ran.err);
}

#[test]
fn a_geometry_program_emits_the_same_on_gpu_and_cpu() {
    needs!("vulkan");
    // Carried state, both banks, slots, each mode. Other seeds produce intermediate numbers below
    // 2^-126, which some drivers flush: `compare` uses an interpreter that does, `run` has none.
    for name in ["counter", "trail", "banks", "points", "subdivision", "cards"] {
        let sample = format!("shaders/{name}.shbin");
        let run = |arguments: &[&str]| {
            let ran = transpica(&[&["run", &sample, "--dvle", "1"], arguments].concat());
            assert_eq!(ran.status, 0, "{}", ran.err);
            // Modules leave the sign of zero open.
            without_signs_of_zero(&ran.text())
        };
        assert_eq!(run(&["--json"]), run(&["--json", "--on", "gpu"]), "{name}");
        assert_eq!(run(&["--seed", "5"]), run(&["--seed", "5", "--on", "gpu"]), "{name}");
    }
}

#[test]
fn geometry_programs_are_compared_by_their_vertices() {
    needs!("vulkan");
    let text = compare(&["shaders/banks.shbin", "shaders/counter.shbin"]);
    let rows: Vec<&str> = text.lines().filter(|line| line.contains("dvle 1")).collect();
    assert_eq!(rows.len(), 4, "{text}");
    assert!(rows.iter().all(|row| row.starts_with("ok ") && !row.contains(" 0 vertices")), "{text}");
}

/// Runs a command on the GPU without a valid `XDG_RUNTIME_DIR`.
fn without_display(command: &mut Command) -> Ran {
    ran(command.env_remove("XDG_RUNTIME_DIR").env_remove("WAYLAND_DISPLAY"), &[])
}

#[test]
fn drivers_do_not_ask_for_a_display() {
    needs!("vulkan");
    for arguments in [
        &["run", "shaders/fog.shbin", "--on", "gpu"][..],
        &["compare", "shaders/fog.shbin", "--vertices", "4"],
    ] {
        let ran = without_display(Command::new(env!("CARGO_BIN_EXE_transpica")).args(arguments));
        assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{arguments:?}");
    }
    // Standard input survives the restart.
    let bytes = fs::read(root().join("shaders/fog.shbin")).expect("a sample");
    let mut command = Command::new(env!("CARGO_BIN_EXE_transpica"));
    let ran =
        ran(command.args(["run", "-", "--on", "gpu", "--json"]).env("XDG_RUNTIME_DIR", "relative"), &bytes);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    assert_eq!(ran.out, transpica(&["run", "shaders/fog.shbin", "--on", "gpu", "--json"]).out);
}

const CHILD: &str = "TRANSPICA_TEST_OPENS_A_GPU";

/// Detects the end of the workaround's cause: if this test fails, the restart in `display.rs` is no
/// longer needed.
#[test]
fn a_layer_of_mesa_complains_where_there_is_no_display() {
    needs!("vulkan");
    if std::env::var_os(CHILD).is_some() {
        assert!(transpica_gpu::Gpu::open(None).is_ok());
        return;
    }
    let mut test = Command::new(std::env::current_exe().expect("this test"));
    test.args(["drivers::a_layer_of_mesa_complains_where_there_is_no_display", "--exact", "--nocapture"])
        .env(CHILD, "1");
    let ran = without_display(&mut test);
    let layers = ["/usr/share/vulkan/implicit_layer.d", "/etc/vulkan/implicit_layer.d"];
    let has_layer =
        layers.iter().any(|folder| fs::metadata(format!("{folder}/VkLayer_MESA_device_select.json")).is_ok());
    assert_eq!(ran.err.contains("XDG_RUNTIME_DIR"), has_layer, "{}", ran.err);
}

#[test]
fn quiet_commands_print_nothing_on_the_gpu_and_verbose_ones_name_it() {
    needs!("vulkan");
    let sample = "shaders/library.shbin";
    for arguments in
        [&["run", sample, "--on", "gpu"][..], &["compare", sample, "--vertices", "4", "--route", "spirv"]]
    {
        let quiet = transpica(&[arguments, &["-q"]].concat());
        assert_eq!((quiet.status, quiet.err.as_str()), (0, ""), "{arguments:?}");
        let verbose = transpica(&[arguments, &["-v"]].concat());
        assert!(
            verbose.status == 0 && verbose.err.contains("\non ") || verbose.err.starts_with("on "),
            "{}",
            verbose.err
        );
        assert!(verbose.err.lines().count() > transpica(arguments).err.lines().count(), "{}", verbose.err);
    }
}

/// A program of `tests/cases/long_loops`.
fn long_loop(name: &str) -> String {
    format!("tests/cases/long_loops/{name}.pica")
}

/// Assembles sources into a container in the folder of a test.
fn container(test: &str, sources: &[String]) -> String {
    let path = folder(test).join("out.shbin");
    let path = path.to_str().expect("a name").to_string();
    let mut arguments = vec!["asm"];
    arguments.extend(sources.iter().map(String::as_str));
    arguments.extend(["-o", &path]);
    transpica(&arguments).succeeded();
    path
}

#[test]
fn a_program_without_end_is_an_error_on_gpu_and_cpu() {
    needs!("vulkan");
    let file = container("endless", &[long_loop("endless")]);
    for on in ["cpu", "gpu"] {
        let ran = transpica(&["run", &file, "--on", on, "--budget", "5000"]);
        assert_eq!((ran.status, ran.out.len()), (1, 0), "{on}: {}", ran.text());
        let report = ran.report();
        assert!(report.contains("not finished after 5000 instructions"), "{on}: {report}");
        assert!(report.contains("raise the step budget"), "{on}: {report}");
    }
    // `compare` finds nothing to compare.
    let text = transpica(&["compare", &file, "--vertices", "4", "--route", "spirv"]).text();
    assert!(text.contains("4 unfinished"), "{text}");
}

#[test]
fn long_loops_give_the_right_results_or_an_error_with_the_reason() {
    needs!("vulkan");
    for name in ["loop_total", "loop_total_nested", "long_way"] {
        let file = container(name, &[long_loop(name)]);
        let run = |on| transpica(&["run", &file, "--json", "--vertices", "2", "--on", on]);
        let (expected, found) = (run("cpu").succeeded(), run("gpu"));
        let compared = transpica(&["compare", &file, "--vertices", "4", "--route", "spirv"]);
        if found.status == 0 {
            assert_eq!(found.text(), expected, "{name}");
            assert!(compared.status == 0 && compared.text().contains("4 vertices"), "{}", compared.text());
            continue;
        }
        assert_eq!((found.status, found.out.len()), (1, 0), "{name}");
        let report = found.report();
        assert!(report.contains("may cut short 2 of 2 invocations"), "{name}: {report}");
        assert!(report.contains("65535 iterations") && report.contains("--on cpu"), "{name}: {report}");
        assert_eq!(compared.status, 1, "{name}");
        let text = compared.text();
        assert!(text.starts_with("FAIL") && text.contains("may cut short 4 of 4 invocations"), "{text}");
    }
}

#[test]
fn thousands_of_invocations_of_one_thread_match_the_interpreter() {
    needs!("vulkan");
    // Each invocation has 64 loop iterations; together they exceed the limit of a driver per
    // dispatch.
    let run = |on| {
        let sample = ["run", "shaders/counter.shbin", "--dvle", "1", "--state"];
        let state = folder("flowers").join("state.json");
        let vertex = serde_json::json!({ "v0": [0.0, 0.0, 0.0, 1.0], "v1": [1.0, 0.5, 0.25, 1.0] });
        let text = serde_json::json!({
            "uniforms": { "i": { "0": [63, 0, 0, 0] } }, "vertices": vec![vertex; 1200],
        });
        std::fs::write(&state, text.to_string()).expect("written");
        // As JSON it would be 190 MB.
        transpica(&[&sample[..], &[state.to_str().expect("a name"), "--on", on]].concat()).succeeded()
    };
    assert!(run("cpu") == run("gpu"), "they differ");
}

#[test]
fn a_replay_ends_quietly_on_a_closed_pipe() {
    needs!("vulkan");
    let file = folder("pipe").join("empty.pclist");
    fs::write(&file, b"PCLIST\x01\0").expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_transpica"));
    command.arg("replay").arg(&file).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("ends");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
