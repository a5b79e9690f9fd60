//! The engine on every sample, on damaged files and on random text: each method answers, and its
//! answers agree with each other.

use serde_json::{Value, json};
use transpica_inspect::values::Random;
use transpica_web::page::Engine;

const VIEWS: [&str; 8] = ["listing", "tree", "ir", "wgsl", "glsl", "reflection", "graph", "tables"];

/// A small picture.
pub fn request(by: &str) -> String {
    json!({ "width": 40, "height": 24, "yaw": 0.6, "pitch": 0.5, "distance": 2.8, "time": 1.5, "by": by,
        "wireframe": false })
    .to_string()
}

pub fn samples() -> Vec<(String, Vec<u8>)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shaders");
    let entries = std::fs::read_dir(folder).expect("the samples");
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "shbin"))
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, std::fs::read(&path).expect("a file"))
        })
        .collect();
    files.sort();
    assert!(files.len() >= 25, "{} samples", files.len());
    files
}

fn parse(answer: &str) -> Value {
    serde_json::from_str(answer).unwrap_or_else(|error| panic!("{error}: {answer}"))
}

/// An answer that is not an error.
pub fn good(answer: &str) -> Value {
    let value = parse(answer);
    assert!(value.get("error").is_none(), "{answer}");
    value
}

/// Calls every method with a program that is open; each must answer.
fn call_every_method(engine: &mut Engine) {
    engine.set_mesh("quad");
    for view in VIEWS {
        let view = parse(&engine.view(view));
        if let (Some(text), Some(places)) = (view["text"].as_str(), view["places"].as_array()) {
            assert_eq!(text.lines().count(), places.len());
        }
    }
    for answer in [
        engine.settings(),
        engine.sizes(),
        engine.uniforms(),
        engine.run(),
        engine.record(0, true),
        engine.record(1, false),
        engine.step(0),
        engine.timeline("r0"),
        engine.timeline("o16"),
        engine.pick(&request(""), 20.0, 12.0),
        engine.step(usize::MAX),
        engine.ancestry("o0", "xyzw"),
        engine.dead(),
        engine.equal("damaged.shbin", &[1, 2, 3]),
        engine.shows(),
        engine.gpu_draw(&request("")),
        engine.last_problem(),
    ] {
        parse(&answer);
    }
    let _ = (engine.state(), engine.spirv(), engine.shbin(), engine.find(0, 0, 1), engine.gpu_bytes(0));
    assert!(engine.find_special(usize::MAX, 1) == -1 && engine.find_special(0, -1) == -1);
    engine.draw(&request("color"));
}

#[test]
fn every_method_answers_for_every_program_of_the_samples() {
    let (mut programs, mut steps, mut dead) = (0, 0, 0);
    for (name, bytes) in samples() {
        let mut engine = Engine::default();
        let opened = good(&engine.open(&name, &bytes));
        for program in opened["programs"].as_array().expect("programs") {
            let index = program["index"].as_u64().expect("a number") as usize;
            let selected = good(&engine.select(index));
            assert_eq!(selected["selected"], index);
            for view in VIEWS {
                let answer = good(&engine.view(view));
                // Programs that only copy attributes leave nothing to evaluate.
                let is_large = program["instructions"].as_u64() > Some(8);
                if is_large && ["listing", "tree", "ir", "wgsl", "glsl"].contains(&view) {
                    let lines = answer["places"].as_array().expect("places");
                    assert!(
                        lines.iter().any(|line| line != &json!([])),
                        "{name} {index}: {view} has no places"
                    );
                }
            }
            good(&engine.sizes());
            assert!(!engine.spirv().is_empty() && engine.shbin() == bytes);
            good(&engine.run());
            call_every_method(&mut engine);
            steps += good(&engine.record(0, false))["steps"].as_u64().expect("a number");
            dead += good(&engine.dead()).as_array().expect("addresses").len();
            programs += 1;
        }
    }
    assert!(programs >= 35 && steps > 1_000 && dead > 0, "{programs} programs, {steps} steps, {dead} dead");
}

#[test]
fn the_values_of_a_register_are_those_of_the_steps() {
    let mut engine = Engine::default();
    let (name, bytes) = &samples()[0];
    good(&engine.open(name, bytes));
    let steps = good(&engine.record(0, false))["steps"].as_u64().expect("a number") as usize;
    let mut values = 0;
    for register in ["r0", "r1", "o0"] {
        let timeline = good(&engine.timeline(register));
        for entry in timeline["values"].as_array().expect("values") {
            let step = entry["step"].as_u64().expect("a number") as usize;
            let (before, after) = (good(&engine.step(step)), good(&engine.step(step + 1)));
            assert_eq!(before["pc"], entry["pc"]);
            let number: usize = register[1..].parse().expect("a number");
            assert_eq!(after[&register[..1]][number], entry["value"], "{register} after step {step}");
            let is_own = |place: &Value| place.as_str().is_some_and(|place| place.starts_with(register));
            assert!(before["writes"].as_array().expect("places").iter().any(is_own));
            assert_eq!(before["writes"].as_array().map(Vec::len), after["changed"].as_array().map(Vec::len));
            values += 1;
        }
    }
    assert!(steps > 10 && values > 4, "{steps} steps, {values} values");
}

#[test]
fn steps_say_where_an_infinity_was_written() {
    let text = ".out o position\n.constf k(0.0, 1.0, 2.0, 3.0)\n.proc main\n\tmov r0, k\n\trcp r1.x, r0.x\n\
        \tmov o, r0\n\tend\n.end\n";
    let mut engine = Engine::default();
    good(&engine.open("odd.v.pica", text.as_bytes()));
    good(&engine.record(0, false));
    let find = |from, direction| engine.find_special(from, direction);
    assert_eq!((find(0, 1), find(1, 1), find(2, 1)), (1, 1, -1));
    assert_eq!((find(usize::MAX, -1), find(2, -1), find(1, -1)), (1, 1, -1));
}

#[test]
fn presets_are_those_of_the_library() {
    let mut engine = Engine::default();
    let presets = good(&engine.presets());
    let presets = presets.as_array().expect("presets");
    assert_eq!(presets.len(), transpica_settings::PRESETS.len());
    for preset in presets {
        assert_eq!(good(&engine.configure(&preset["changes"].to_string())), json!({ "problems": [] }));
        let name = preset["name"].as_str().expect("a name");
        let settings = transpica_settings::Settings::preset(name).expect("a preset");
        let expected = serde_json::to_value(settings.form()).expect("JSON");
        let form = good(&engine.settings());
        let own: Vec<_> =
            form.as_array().expect("rows").iter().filter(|row| row["group"] != "Views").collect();
        assert!(own.into_iter().eq(expected.as_array().expect("rows")), "{name}");
    }
}

#[test]
fn a_recording_ends_with_the_outputs_of_the_run() {
    for (name, bytes) in samples() {
        let mut engine = Engine::default();
        let opened = good(&engine.open(&name, &bytes));
        if opened["programs"][0]["stage"] != "vertex" {
            continue;
        }
        let run = good(&engine.run());
        for vertex in 0..4 {
            let recorded = good(&engine.record(vertex, false));
            // A run lists what is written or mapped, a recording every register.
            let listed = run["vertices"][vertex]["outputs"].as_object().expect("outputs");
            assert!(!listed.is_empty(), "{name}");
            for (register, bits) in listed {
                assert_eq!(recorded["outputs"][register], *bits, "{name} {register}");
            }
            let steps = recorded["steps"].as_u64().expect("a number") as usize;
            let end = good(&engine.step(steps));
            assert_eq!(
                (end["number"].as_u64(), end["pc"].as_i64()),
                (Some(steps as u64), Some(-1)),
                "{name}"
            );
            let pc = good(&engine.step(steps - 1))["pc"].as_u64().expect("an address") as u16;
            assert_eq!(engine.find(pc, steps, -1), steps as i32 - 1, "{name}");
        }
    }
}

#[test]
fn the_text_of_a_file_assembles_to_the_same_program() {
    for (name, bytes) in samples() {
        let mut engine = Engine::default();
        let opened = good(&engine.open(&name, &bytes));
        let (listing, run) = (engine.view("listing"), engine.run());
        let edited = good(&engine.edit(opened["source"].as_str().expect("text")));
        let errors = edited["problems"].as_array().expect("problems");
        assert!(errors.iter().all(|problem| problem["severity"] != "error"), "{name}");
        assert_eq!(edited["sourcePlaces"], opened["sourcePlaces"], "{name}");
        assert_eq!((engine.view("listing"), engine.run()), (listing, run), "{name}");
    }
}

#[test]
fn errors_have_a_place_and_leave_the_last_good_program() {
    let mut engine = Engine::default();
    let text = ".out position position\n.in a v0\n.proc main\n\tmov position, a\n\tend\n.end\n";
    let opened = good(&engine.open("small.v.pica", text.as_bytes()));
    assert_eq!(
        (&opened["kind"], &opened["sourcePlaces"]),
        (&json!("source"), &json!([-1, -1, -1, 0, 1, -1]))
    );
    let listing = engine.view("listing");
    let edited = good(&engine.edit(&text.replace("mov position, a", "mov position, ab")));
    let problem = &edited["problems"][0];
    let place = ["line", "column", "length"].map(|key| problem[key].as_u64());
    assert_eq!(
        (problem["severity"].as_str(), place),
        (Some("error"), [Some(4), Some(16), Some(2)]),
        "{problem}"
    );
    assert_eq!(edited["programs"], opened["programs"]);
    assert_eq!(engine.view("listing"), listing);
}

#[test]
fn changed_values_survive_an_edit_and_a_state_is_read_back() {
    let (_, bytes) = samples().into_iter().find(|(name, _)| name == "lights.shbin").expect("a sample");
    let mut engine = Engine::default();
    let opened = good(&engine.open("lights.shbin", &bytes));
    assert_eq!(engine.set_uniform("c", 0, "[[1, 2, 3, 4.5]]"), r#"{"problems":[]}"#);
    let source = opened["source"].as_str().expect("text").to_owned();
    good(&engine.edit(&source.replacen(".proc", "; more\n.proc", 1)));
    let uniforms = good(&engine.uniforms());
    assert_eq!(uniforms[0]["values"][0], json!([1.0, 2.0, 3.0, 4.5]), "{uniforms}");
    let (state, run) = (engine.state(), engine.run());
    engine.generate(99, 2);
    assert_ne!(engine.run(), run);
    assert_eq!(engine.set_state(&state), r#"{"problems":[]}"#);
    assert_eq!((engine.state(), engine.run()), (state, run));
    for (bank, first, rows) in [
        ("c", 95, "[[1,1,1,1],[1,1,1,1]]"),
        ("i", 0, "[[256,0,0,0]]"),
        ("x", 0, "[[1]]"),
        ("b", 16, "[[true]]"),
        ("c", 0, "[[1]]"),
        ("c", 0, "[[1, 2, 3, \"abc\"]]"),
        ("c", 0, "{"),
    ] {
        let before = engine.state();
        assert!(engine.set_uniform(bank, first, rows).contains("error"), "{bank}{first} {rows}");
        assert_eq!(engine.state(), before);
    }
}

#[test]
fn numbers_are_those_of_state_files_and_come_back_with_every_bit() {
    let (name, bytes) = samples().into_iter().find(|(name, _)| name == "lights.shbin").expect("a sample");
    let mut engine = Engine::default();
    good(&engine.open(&name, &bytes));
    let rows = r#"[["1e40", " 1/255", "0x3f800001", "nan"], ["-inf", -0.0, "0xffc00001", 16777217]]"#;
    assert_eq!(engine.set_uniform("c", 0, rows), r#"{"problems":[]}"#);
    assert_eq!(engine.set_uniform("i", 0, r#"[["255", 1, 2, 3]]"#), r#"{"problems":[]}"#);
    let shown = json!(&good(&engine.uniforms())[0]["values"].as_array().expect("rows")[..2]);
    assert_eq!(shown[0], json!(["inf", 0.003921569, 1.0000001, "nan"]));
    assert_eq!(shown[1], json!(["-inf", -0.0, "0xffc00001", 16777216.0]));
    let run = engine.run();
    assert_eq!(engine.set_uniform("c", 0, &shown.to_string()), r#"{"problems":[]}"#);
    assert!(engine.run() == run);
    let refused = parse(&engine.set_uniform("c", 0, r#"[[1, "abc", 1, 1]]"#));
    let message = refused["problems"][0]["message"].as_str().expect("a message");
    assert!(message.starts_with("c0[1] must be a number"), "{message}");
    assert!(engine.run() == run);
    assert_eq!(engine.numbers("1/4, .5;inf -2"), r#"[0.25,0.5,"inf",-2.0]"#);
    assert!(parse(&engine.numbers("1 x")).get("error").is_some());
}

#[test]
fn the_form_of_uniforms_has_what_the_picture_is_drawn_with_and_says_what_was_guessed() {
    let layout = transpica::host::RegisterLayout::REGISTERS;
    let (floats, bools) = (layout.floats as usize, layout.bools as usize);
    let (mut compared, mut guessed) = (0, 0);
    for (name, bytes) in samples() {
        let mut engine = Engine::default();
        good(&engine.open(&name, &bytes));
        engine.set_uniform("c", 1, "[[1, 2, 3, 4.5]]");
        for time in [0.25, 1.5] {
            let draw = parse(&engine.gpu_draw(&request("").replace("1.5", &time.to_string())));
            // A pair has two blocks.
            if draw.get("error").is_some() || draw["passes"] != json!([]) {
                continue;
            }
            let is_block = |buffer: &&Value| buffer["usage"][0] == "uniform";
            let block =
                draw["buffers"].as_array().and_then(|list| list.iter().find(is_block)).expect("a block");
            let block = engine.gpu_bytes(block["content"].as_u64().expect("a number") as usize);
            let word = |at: usize| u32::from_le_bytes(*block[at..].first_chunk().expect("a word"));
            let uniforms = good(&engine.uniforms());
            for uniform in uniforms.as_array().expect("rows") {
                let first = uniform["first"].as_u64().expect("a number") as usize;
                for (row, values) in uniform["values"].as_array().expect("rows").iter().enumerate() {
                    let (register, is_guessed) = (first + row, &uniform["guessed"][row]);
                    let is_own = uniform["bank"] == "c" && register == 1;
                    if uniform["bank"] == "b" {
                        assert_eq!(word(bools) >> register & 1 != 0, values[0] == 1, "{name}: {uniform}");
                    } else if uniform["bank"] == "c" {
                        for (lane, value) in values.as_array().expect("a vector").iter().enumerate() {
                            let number = value.as_f64().map(|number| (number as f32).to_bits());
                            let bits = number.or_else(|| transpica_inspect::json::float(value.as_str()?));
                            let at = floats + 16 * register + 4 * lane;
                            assert_eq!(Some(word(at)), bits, "{name}, {lane}: {uniform}");
                            compared += 1;
                        }
                    }
                    guessed += usize::from(is_guessed == true);
                    // The others, which a person or the file set, are the same in steps.
                    let is_same = values == &uniform["steps"][row];
                    let is_right = if is_own { is_guessed == false } else { is_guessed == true || is_same };
                    assert!(is_right, "{name}, {row}: {uniform}");
                }
            }
        }
    }
    assert!(compared > 1_000 && guessed > 200, "{compared} numbers, {guessed} guessed registers");
}

#[test]
fn a_uniform_that_a_person_set_is_no_guess_whatever_its_value() {
    let mut engine = Engine::default();
    for (name, bytes) in samples() {
        good(&engine.open(&name, &bytes));
        let uniforms = good(&engine.uniforms());
        for uniform in uniforms.as_array().expect("rows").iter().filter(|row| row["bank"] == "b") {
            let first = uniform["first"].as_u64().expect("a number") as u32;
            for (value, shown) in [("[[true]]", 1), ("[[false]]", 0)] {
                assert_eq!(engine.set_uniform("b", first, value), r#"{"problems":[]}"#);
                let now = good(&engine.uniforms());
                let now = now.as_array().expect("rows").iter().find(|row| row["name"] == uniform["name"]);
                let now = now.expect("the row");
                assert_eq!(
                    (&now["values"][0], &now["guessed"][0]),
                    (&json!([shown]), &json!(false)),
                    "{name}"
                );
            }
        }
    }
}

#[test]
fn the_help_of_a_switch_is_about_the_value_that_it_sets() {
    use transpica_settings::table::{Form, ROWS};
    let mut engine = Engine::default();
    let rows = good(&engine.settings());
    let mut switches = 0;
    for row in rows.as_array().expect("rows") {
        assert_eq!(row["form"] == "switch", row.get("on").is_some(), "{row}");
        let Some(on) = row.get("on") else { continue };
        let flag = ROWS.iter().find(|flag| row["label"] == flag.flag).expect("the flag of the label");
        let Form::Switch(sets) = flag.form else { panic!("{row}") };
        assert_eq!((on.to_string().as_str(), &row["help"]), (sets, &json!(flag.help)));
        assert_eq!(flag.path(), row["path"]);
        // Off is what a flag that is not given leaves.
        assert_ne!(row["default"], *on, "{row}");
        switches += 1;
    }
    assert!(switches > 10, "{switches} switches");
    assert_eq!(engine.configure(r#"{"outputs.clamp_colors": false}"#), r#"{"problems":[]}"#);
}

#[test]
fn every_setting_has_a_row_and_takes_its_own_value() {
    let (name, bytes) = samples().remove(0);
    let mut engine = Engine::default();
    good(&engine.open(&name, &bytes));
    let rows = good(&engine.settings());
    let rows = rows.as_array().expect("rows");
    assert!(rows.len() > 40, "{} rows", rows.len());
    let wgsl = engine.view("wgsl");
    for row in rows {
        let path = row["path"].as_str().expect("a path");
        assert!(row["changed"] == false && row["value"] == row["default"], "{row}");
        assert_eq!(
            engine.configure(&json!({ path: row["value"] }).to_string()),
            r#"{"problems":[]}"#,
            "{path}"
        );
        assert_eq!(engine.view("wgsl"), wgsl, "{path}");
        for choice in row["choices"].as_array().expect("choices") {
            assert_eq!(
                engine.configure(&json!({ path: choice["value"] }).to_string()),
                r#"{"problems":[]}"#,
                "{row}"
            );
            let now = good(&engine.settings());
            let now = now
                .as_array()
                .expect("rows")
                .iter()
                .find(|now| now["path"] == path)
                .expect("the row")
                .clone();
            assert_eq!(now["value"], choice["value"], "{path}");
        }
    }
    engine.configure("{}");
    let wrong = parse(&engine.configure(r#"{"outputs.dept": 1, "arithmetic.precision": "Fats"}"#));
    assert_eq!(wrong["problems"].as_array().map(Vec::len), Some(2), "{wrong}");
    assert_eq!(engine.view("wgsl"), wgsl);
}

#[test]
fn damaged_files_and_random_texts_are_answered() {
    let (mut random, mut opened) = (Random::new(1, "page"), 0);
    let samples = samples();
    let words = [
        ".proc ",
        "main",
        "\n",
        "mov ",
        "r0",
        ", ",
        "c",
        "[a0.x]",
        "end\n",
        ".end\n",
        ".out ",
        "for i0\n",
        "\"",
        "é",
        "0x",
        "99999999999",
        "ifc cmp.x\n",
        "; file: é.pica\n",
    ];
    for round in 0..120 {
        let mut engine = Engine::default();
        let mut bytes = samples[random.below(samples.len() as u32) as usize].1.clone();
        for _ in 0..=random.below(6) {
            let place = random.below(bytes.len() as u32) as usize;
            bytes[place] = random.bits() as u8;
        }
        if round % 3 == 0 {
            bytes.truncate(random.below(bytes.len() as u32) as usize);
        }
        opened += usize::from(parse(&engine.open("damaged", &bytes)).get("error").is_none());
        call_every_method(&mut engine);
        let text: String =
            (0..random.below(80)).map(|_| words[random.below(words.len() as u32) as usize]).collect();
        parse(&engine.edit(&text));
        parse(&engine.configure(&text));
        parse(&engine.set_state(&text));
        parse(&engine.set_mesh(&text));
        parse(&engine.gpu_draw(&text));
        assert!(engine.draw(&text).is_empty());
        good(&engine.last_problem());
    }
    assert!((20..120).contains(&opened), "{opened} opened");
}

#[test]
fn texts_have_the_names_of_registers_in_the_source() {
    let text = |name: &str| {
        format!(
            ".alias {name} r1\n.fvec light\n.out o position\n.in n\n.proc main\n\
             mul {name}, light, n\n rsq {name}.x, {name}.x\n mul o, {name}.x, {name}\n end\n.end\n"
        )
    };
    let mut engine = Engine::default();
    good(&engine.open("a.v.pica", text("normal").as_bytes()));
    let wgsl = |engine: &mut Engine| good(&engine.view("wgsl"))["text"].as_str().expect("text").to_owned();
    let first = wgsl(&mut engine);
    assert!(first.contains("let normal = ") && !first.contains("r1"), "{first}");
    // The code is the same; a name alone changes.
    good(&engine.edit(&text("shine")));
    assert_eq!(wgsl(&mut engine), first.replace("normal", "shine"));
    // A file has registers alone.
    let file = engine.shbin();
    good(&engine.open("a.shbin", &file));
    let plain = wgsl(&mut engine);
    assert!(plain.contains("let r1 = ") && !plain.contains("shine"), "{plain}");
}

#[test]
fn sources_of_one_program_are_one_text() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shaders");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a sample");
    let (vertex, geometry) = (read("cards.v.pica"), read("cards.g.pica"));
    let text = format!("; file: cards.v.pica\n{vertex}; file: cards.g.pica\n{geometry}");
    let above = vertex.lines().count() + 1;
    let mut engine = Engine::default();
    let opened = good(&engine.open("cards.pica", text.as_bytes()));
    assert_eq!(opened["problems"], json!([]));
    assert_eq!(engine.shbin(), std::fs::read(folder.join("cards.shbin")).expect("a sample"));
    // The lines of instructions are those of the whole text.
    let lines: Vec<&str> = text.lines().collect();
    let listing = good(&{
        engine.select(1);
        engine.view("listing")
    });
    let listing: Vec<&str> = listing["text"].as_str().expect("a text").lines().collect();
    let (mut checked, mut below) = (0, 0);
    for (line, pc) in opened["sourcePlaces"].as_array().expect("places").iter().enumerate() {
        let Some(pc) = pc.as_u64() else { continue };
        let word = |text: &str| text.split_whitespace().next().unwrap_or_default().to_owned();
        let listed = listing[pc as usize].split_once(": ").expect("an address").1;
        assert_eq!(word(lines[line]), word(listed), "line {}", line + 1);
        checked += 1;
        below += usize::from(line > above);
    }
    assert!(below > 10 && checked > below + 5, "{checked} lines, {below} of the second source");
    // So are those of problems, and of questions of the editor.
    let at = lines.iter().position(|line| line.contains("emit")).expect("an EMIT");
    assert!(at > above);
    let wrong = good(&engine.edit(&text.replacen("emit", "emitt", 1)));
    assert_eq!(wrong["problems"][0]["line"], at + 1);
    let hover = good(&engine.hover(&text, at as u32, lines[at].find("emit").expect("a word") as u32));
    assert!(hover["contents"]["value"].as_str().is_some_and(|page| page.contains("emit")), "{hover}");
    // A text whose first line is another one is one source.
    let alone = good(&engine.edit(&format!(";\n{text}")));
    assert!(!alone["problems"].as_array().expect("problems").is_empty(), "two procedures main");
}

#[test]
fn steps_and_runs_have_the_numbers_of_the_console_under_plain_arithmetic() {
    let text = ".out o position\n.constf k(0.0, 1.0, 2.0, 3.0)\n.proc main\n\trcp r0.x, k.x\n\tmul r0, k.x, r0.x\n\
        \tmov o, r0\n\tend\n.end\n";
    let mut engine = Engine::default();
    good(&engine.open("zero.v.pica", text.as_bytes()));
    for precision in ["exact", "fast"] {
        good(&engine.configure(&json!({ "arithmetic.precision": precision }).to_string()));
        let run = good(&engine.run());
        assert_eq!(run["vertices"][0]["outputs"]["o0"][0], "0x00000000", "{precision}: {run}");
        let steps = good(&engine.record(0, true))["steps"].as_u64().expect("a number") as usize;
        assert_eq!(good(&engine.step(steps))["o"][0][0], 0.0, "{precision}");
    }
}

#[test]
fn large_texts_are_answered_in_time() {
    let start = std::time::Instant::now();
    let mut engine = Engine::default();
    let lines = format!(".proc main\n{}", "mov r0, nothing\n".repeat(1 << 15));
    let many = parse(&engine.edit(&lines));
    assert!(many["problems"].as_array().is_some_and(|list| list.len() > 1), "{}", many["problems"]);
    let longer = parse(&engine.edit(&"x".repeat((1 << 20) + 1)));
    assert!(longer["error"]["message"].as_str().is_some_and(|text| text.contains("maximum")), "{longer}");
    let one_line = "mov r0, r1;".repeat(90_000);
    parse(&engine.edit(&one_line));
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}

#[test]
fn origins_and_steps_have_the_names_of_the_text() {
    let text = ".constf ambient(0.25, 0.5, 0.0, 1.0)\n.in p v0\n.out o position\n.proc main\n\tmul o, ambient, p\n\tend\n.end\n";
    let mut engine = Engine::default();
    good(&engine.open("named.v.pica", text.as_bytes()));
    good(&engine.record(0, false));
    assert_eq!(good(&engine.ancestry("o0", "y"))["inputs"], json!(["ambient.y", "p.y"]));
    assert_eq!(good(&engine.step(0))["text"], "mul o0, ambient, p");
    assert_eq!(good(&engine.step(0))["names"]["c95"], "ambient");
    assert!(good(&engine.view("listing"))["text"].as_str().is_some_and(|text| text.contains("ambient")));
}

#[test]
fn programs_without_an_end_are_bounded() {
    let text = ".out o position\n.proc main\nstart:\n\tmov r0, r0\n\tjmpu !b0, start\n\tend\n.end\n";
    let mut engine = Engine::default();
    good(&engine.open("endless.v.pica", text.as_bytes()));
    engine.set_uniform("b", 0, "[[false]]");
    engine.set_mesh("quad");
    let recorded = parse(&engine.record(0, false));
    assert_eq!((&recorded["steps"], &recorded["complete"]), (&json!(100_000), &json!(false)));
    assert_eq!(good(&engine.step(99_999))["number"], 99_999);
    good(&engine.ancestry("o0", "x"));
    assert!(engine.draw(&request("")).is_empty());
    assert!(engine.last_problem().contains("budget") && engine.gpu_draw(&request("")).contains("error"));
}

#[test]
fn shaders_inside_of_other_files_are_found() {
    let samples = samples();
    let mut bytes = b"any header  ".to_vec();
    for (_, sample) in &samples[..3] {
        bytes.extend(sample);
        bytes.resize(bytes.len().next_multiple_of(16), 7);
    }
    bytes.extend(&samples[1].1);
    let mut engine = Engine::default();
    let opened = good(&engine.open("archive.bin", &bytes));
    assert_eq!((&opened["kind"], opened["found"].as_array().map(Vec::len)), (&json!("container"), Some(4)));
    assert_eq!(opened["found"][3]["duplicateOf"], 1);
    for (number, (_, sample)) in samples[..3].iter().enumerate() {
        let one = good(&engine.open_found(number));
        assert_eq!(one["found"].as_array().map(Vec::len), Some(4));
        assert_eq!(engine.shbin(), *sample);
    }
    assert!(parse(&engine.open_found(4)).get("error").is_some());
}

#[test]
fn words_have_their_descriptors_as_text() {
    let mut engine = Engine::default();
    let opened = good(&engine.open("code.txt", b"4c000000 88000000\ndescriptors\n0000036f\n"));
    assert_eq!(opened["kind"], "words");
    let listing = good(&engine.view("listing"));
    assert_eq!(listing["text"], "0x000: mov o0, v0\n0x001: end\n");
    let binary: Vec<u8> = [0x4C00_0000_u32, 0x8800_0000].iter().flat_map(|word| word.to_le_bytes()).collect();
    assert_eq!(good(&engine.open("code.bin", &binary))["problems"][0]["severity"], "note");
}

#[test]
fn pictures_are_drawn_and_follow_time_and_uniforms() {
    let mut drawn = 0;
    for (name, bytes) in samples() {
        let mut engine = Engine::default();
        let opened = good(&engine.open(&name, &bytes));
        // The smallest mesh: programs run in the unoptimized interpreter.
        engine.set_mesh("quad");
        for program in opened["programs"].as_array().expect("programs") {
            good(&engine.select(program["index"].as_u64().expect("a number") as usize));
            let picture = engine.draw(&request(""));
            if picture.is_empty() {
                continue;
            }
            assert_eq!(picture.len(), 40 * 24 * 4, "{name}");
            let shown =
                picture.as_chunks().0.iter().filter(|&&pixel| pixel != [232u8, 232, 232, 255]).count();
            drawn += usize::from(shown > 30);
            for by in good(&engine.shows()).as_array().expect("names") {
                assert!(
                    !engine.draw(&request(by.as_str().expect("a name"))).is_empty(),
                    "{name} {by}: {}",
                    engine.last_problem()
                );
            }
        }
    }
    assert!(drawn >= 30, "{drawn} pictures");
}

#[test]
fn samples_are_equal_to_themselves_and_to_nothing_else() {
    let samples = samples();
    for (name, bytes) in &samples {
        let mut engine = Engine::new();
        good(&engine.open(name, bytes));
        let own = good(&engine.equal(name, bytes));
        assert_eq!((&own["equal"], &own["proven"]), (&true.into(), &true.into()), "{name}: {own}");
    }
    let mut engine = Engine::new();
    let text = ".out pos position\n.alias a v0\n.proc main\nmov r0, a\nadd pos, r0, r0\nend\n.end\n";
    good(&engine.open("a.v.pica", text.as_bytes()));
    let wrong = good(&engine.equal("b.v.pica", text.replace("add pos", "mul pos").as_bytes()));
    assert_eq!((&wrong["equal"], &wrong["places"]), (&false.into(), &json!([1, 1])), "{wrong}");
    let state = wrong["state"].as_str().expect("a state");
    good(&engine.set_state(state));
    let other =
        engine.equal("fog.shbin", &samples.iter().find(|(name, _)| name == "fog.shbin").expect("fog").1);
    assert!(
        parse(&other)["error"]["message"].as_str().is_some_and(|text| text.contains("no output")),
        "{other}"
    );
}
