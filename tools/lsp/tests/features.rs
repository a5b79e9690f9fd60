//! Answers of each request.

use serde_json::{Value, json};
use transpica_asm::{SourceText, assemble};

use crate::client::{Client, apply, place, sample};

const URI: &str = "file:///features/a.v.pica";

/// Opens a text with the place `|` in it.
fn open(client: &mut Client, text: &str) -> Value {
    let (before, _) = text.split_once('|').expect("a place");
    client.open(URI, &text.replacen('|', "", 1));
    let line = before.matches('\n').count();
    place(URI, line, before.rsplit('\n').next().unwrap_or_default().encode_utf16().count())
}

fn hover(text: &str) -> String {
    let mut client = Client::new();
    let params = open(&mut client, text);
    client.ask("textDocument/hover", &params)["contents"]["value"].as_str().unwrap_or_default().to_owned()
}

fn labels(line: &str) -> Vec<String> {
    let mut client = Client::new();
    let head = "; a light\n.fvec light, other[2]\n.bool lit\n.ivec times\n.in pos v0\n.in nrm v1\n.out p position\n.constf k(0, 1, 2, 3)\n.alias tmp r5\n";
    let params =
        open(&mut client, &format!("{head}.proc main\nback:\n{line}\nend\n.end\n.proc f\nnop\n.end"));
    let list = client.ask("textDocument/completion", &params);
    let list = list.as_array().expect("a list").iter();
    list.map(|item| item["label"].as_str().expect("a text").to_owned()).collect()
}

#[track_caller]
fn offers(line: &str, legal: &[&str], others: &[&str]) {
    let found = labels(line);
    let has = |name: &&&str| found.iter().any(|label| label == **name);
    assert!(legal.iter().all(|name| has(&name)), "{line}: {found:?}");
    assert!(!others.iter().any(|name| has(&name)), "{line}: {found:?}");
}

#[test]
fn completion_offers_what_the_slot_takes() {
    offers("|", &["mov", ".fvec"], &["r0", "dphi"]);
    offers("m|", &["mov"], &["r0"]);
    offers("mov |", &["r0", "p", "tmp"], &["light", "pos", "v0", "lit"]);
    offers("mov r0, |", &["r0", "v0", "pos", "light", "k", "tmp"], &["lit", "times", "p"]);
    offers("add r0, r1, |", &["tmp", "pos"], &["light", "k"]);
    offers("add r0, light, |", &["tmp"], &["k"]);
    offers("mad r0, r1, light, |", &["tmp"], &["k"]);
    offers("mad r0, r1, r2, |", &["tmp", "k"], &["lit"]);
    offers("add r0, |, pos", &["pos", "v0", "light"], &["nrm", "v1"]);
    offers("sge r0, r1, |", &["light"], &[]);
    offers("ifu |", &["lit", "b3"], &["light"]);
    offers("for |", &["times", "i0"], &["lit"]);
    offers("callu lit, |", &["f", "main"], &["back"]);
    offers("jmpc cmp.x, |", &["back"], &["f"]);
    offers("cmp r0, |", &["lt"], &["r0"]);
    offers("mova |", &["a0.x"], &["r0"]);
    offers("mova a0.|", &["x", "y"], &["z", "xyzw"]);
    offers("mov r0, mat[a0.|", &["x", "y"], &["z", "w"]);
    offers("mov r0, data0.|", &["z", "xyzw"], &[]);
    offers("mov r0, light.|", &["xyz"], &["r0"]);
    offers("mov r0, other[|", &["aL"], &["r0"]);
    offers(".out x |", &["texcoord0"], &["r0"]);
    offers(".|", &[".proc"], &[]);
    offers("mov r0, r1 ; |", &[], &["r0", "@format"]);
    offers(".in x ; |", &["@format"], &["float"]);
    offers(".in x ; @fo|", &["@format"], &["float"]);
    offers(".in x ; painted ; @format |", &["float", "ubyte"], &["@format", "4"]);
    offers(".in x ; @format fl|", &["float"], &["4"]);
    offers(".in x ; @format float |", &["1", "4"], &["float"]);
    offers(".in x ; @format float 3 |", &[], &["4", "float", "@format"]);
    offers(".in x ; its format |", &[], &["float"]);
}

#[test]
fn blocks_are_completed_with_their_ends_for_clients_that_insert_snippets() {
    for has_snippets in [false, true] {
        let mut client = Client::new();
        let item = json!({ "snippetSupport": has_snippets });
        let capabilities = json!({ "textDocument": { "completion": { "completionItem": item } } });
        client.ask("initialize", &json!({ "capabilities": capabilities }));
        for (typed, name) in [(".p", ".proc"), ("fo", "for"), ("if", "ifu"), ("if", "ifc"), ("mo", "mov")] {
            let params = open(&mut client, &format!("{typed}|"));
            let list = client.ask("textDocument/completion", &params);
            let list = list.as_array().expect("a list");
            let item = list.iter().find(|item| item["label"] == name).expect("the statement");
            let new = item["textEdit"]["newText"].as_str().expect("a text");
            let is_block = has_snippets && name != "mov";
            assert_eq!((new.ends_with("\n\t$0\n.end"), new == name), (is_block, !is_block), "{new}");
            assert_eq!(item["insertTextFormat"] == 2, is_block);
        }
    }
}

#[test]
fn test_files_have_the_problems_that_runs_report_first() {
    let mut client = Client::new();
    let (uri, source) = ("file:///features/b.test.toml", "file:///features/b.v.pica");
    let case = "[[case]]\nname = \"a\"\nexpect = { position = [1, 2, 3, 4] }\n";
    let one = |client: &mut Client, text: &str| {
        client.open(uri, text);
        let problems = client.problems(uri);
        let [problem] = &problems[..] else { panic!("{text}: {problems:?}") };
        let place = |end: &str| ["line", "character"].map(|part| problem["range"][end][part].as_u64());
        let [start, end] = ["start", "end"].map(|end| place(end).map(Option::unwrap_or_default));
        (problem["message"].as_str().expect("a text").to_owned(), start, end)
    };
    // The shader is not there yet; then it is, as the editor has it.
    let (message, start, _) = one(&mut client, case);
    assert!(message.contains("no b.v.pica, b.g.pica, b.wgsl, ") && start == [0, 0], "{message}");
    client.open(source, ".fvec tint\n.out p position\n.proc main\nmov p, tint\nend\n.end");
    assert_eq!(client.problems(uri), [] as [Value; 0]);
    for (text, expected, start, end) in [
        (format!("{case}x = 1"), "case: unknown key \"x\"", [3, 0], [3, 1]),
        (format!("{case}uniforms.tnt = [1, 2, 3, 4]"), "did you mean `tint`?", [3, 9], [3, 12]),
        (format!("{case}attributes.\"\u{1F600}\" = [1]"), "unknown key", [3, 11], [3, 15]),
        (format!("# \u{1F600}\nlint = \"no\"\n{case}"), "lint must be \"deny\"", [1, 7], [1, 11]),
        ("[[case]]\nname = \"a\"\n".into(), "the case expects nothing", [0, 0], [0, 8]),
        (format!("{case}instructions = "), "", [3, 15], [3, 15]),
    ] {
        let (message, from, to) = one(&mut client, &text);
        assert!(message.contains(expected), "{text}: {message}");
        assert_eq!((from, to), (start, end), "{text}: {message}");
    }
    // Where the shader has errors, they are named at the top.
    client.open(source, ".out p position\n.proc main\nmvo p, v0\nend\n.end");
    let (message, start, _) = one(&mut client, case);
    assert!(
        message.contains("b.v.pica:3:1: error: invalid instruction: mvo") && start == [0, 0],
        "{message}"
    );
    client.open(source, ".out p position\n.proc main\nmov p, v0\nend\n.end");
    assert_eq!(client.problems(uri), [] as [Value; 0]);
    client.notify("textDocument/didClose", &json!({ "textDocument": { "uri": uri } }));
    assert_eq!(client.problems(uri), [] as [Value; 0]);
    // Samples on disk, also with names of other files.
    let shaders = crate::client::root().join("shaders");
    for name in ["lights", "points", "library"] {
        let path = shaders.join(format!("{name}.test.toml"));
        let (uri, text) =
            (format!("file://{}", path.display()), std::fs::read_to_string(&path).expect("a text"));
        client.open(&uri, &text);
        assert_eq!(client.problems(&uri), [] as [Value; 0], "{name}");
        client.open(&uri, &format!("shader = \"../shaders/fog.shbin\"\n{text}"));
        assert!(client.problems(&uri).len() == 1, "{name}");
    }
}

#[test]
fn test_files_are_completed_with_keys_and_names_of_the_shader() {
    let mut client = Client::new();
    let uri = format!("file://{}/shaders/textured.test.toml", crate::client::root().display());
    let mut labels = |line: &str| -> Vec<(String, String)> {
        let text = format!("lint = \"deny\"\n[[case]]\n{line}\n[[case]]\nname = \"other\"\n");
        client.open(&uri, &text);
        let params = place(&uri, 2, line.len());
        let list = client.ask("textDocument/completion", &params);
        let item = |item: &Value| {
            (item["label"].as_str().unwrap().to_owned(), apply(&text, &json!([item["textEdit"]])))
        };
        list.as_array().expect("a list").iter().map(item).collect()
    };
    for (line, label, inserted) in [
        ("exp", "expect", "[[case]]\nexpect\n"),
        ("uniforms = { tex", "texScale", "uniforms = { texScale\n"),
        ("attributes.in", "incol", "attributes.incol\n"),
        ("expect = { ", "texcoord0", "expect = { texcoord0\n"),
        ("expect.color = { n", "near", "expect.color = { near\n"),
    ] {
        let found = labels(line);
        let (_, text) =
            found.iter().find(|(found, _)| found == label).unwrap_or_else(|| panic!("{line}: {found:?}"));
        assert!(text.contains(inserted), "{line}: {text}");
    }
    assert_eq!(labels("instructions = 1"), []);
    for method in ["hover", "definition", "documentSymbol", "formatting", "semanticTokens/full"] {
        client.ask(&format!("textDocument/{method}"), &place(&uri, 2, 1));
    }
}

#[test]
fn hover_shows_pages_registers_and_values() {
    let text = |line: &str| {
        format!(
            "; the light\n.fvec light ; in the sky\n.out p position\n.proc main\nmov r0, light\n{line}\nmov p, r1\nend\n.end"
        )
    };
    assert!(hover(&text("m|ul r1, r0, r0")).contains("s1·s2"));
    let page = hover(&text("mul r1, |r0.xy, r0"));
    assert!(page.contains("`r0.xy` written in") && page.contains("line 5: `mov r0, light`"), "{page}");
    let page = hover(&text("mul |r1.x, r0, r0"));
    assert!(page.contains("`r1.x` read in") && page.contains("line 7"), "{page}");
    let page = hover(&text("mul r1, li|ght, r2"));
    assert!(page.contains("`c0`") && page.contains("the light\nin the sky"), "{page}");
    assert!(hover(&text("mul r1, r0, |r9")).contains("written by no instruction"));
    for statement in ["if|u lit", "if|c cmp.x", "ca|ll main", "fo|r lights", "jm|pu lit, main"] {
        let page = hover(&text(statement));
        assert!(!page.contains("dst") && !page.contains("num"), "{page}");
    }
    assert!(hover(".in a ; @for|mat ubyte 4\n").contains("GPU_UNSIGNED_BYTE"));
    assert_eq!(hover(".in a ; the for|mat\n"), "");
    assert!(hover(".pr|oc main\nend\n.end").contains("begins a procedure"));
}

#[test]
fn signatures_name_the_operand() {
    let mut client = Client::new();
    let params = open(&mut client, ".proc main\nmad r0, r1, |\nend\n.end");
    let help = client.ask("textDocument/signatureHelp", &params);
    assert_eq!(
        (&help["signatures"][0]["activeParameter"], &help["signatures"][0]["label"]),
        (&json!(2), &json!("mad dest, s1, s2, s3"))
    );
    assert_eq!(help["signatures"][0]["parameters"][2]["label"], json!([14, 16]));
}

#[test]
fn names_are_found_and_renamed_in_all_sources() {
    let mut client = Client::new();
    let vertex = ".fvec size, mat[4]\n.alias t r0\n.proc vmain\nl: mov t, size.x\ncall f\njmpc cmp.x, l\nend\n.end\n.proc f\nmov t, mat[1]\n.end\n.entry vmain";
    let geometry = ".gsh\n.fvec size\n.entry gmain\n.alias t r1\n.proc gmain\nmov t, size\ncall f\nend\n.end";
    let other = URI.replace(".v.", ".g.");
    client.open(&other, geometry);
    client.open(URI, vertex);
    let rename = |client: &mut Client, line, character, new: &str| {
        let mut params = place(URI, line, character);
        params["newName"] = json!(new);
        client.request("textDocument/rename", &params)
    };
    for (spot, new, vertex_uses, geometry_uses) in
        [((0, 7), "width", 2, 1 + 1), ((1, 8), "tmp", 3, 0), ((3, 0), "again", 2, 0), ((4, 5), "g", 2, 1)]
    {
        let edits = rename(&mut client, spot.0, spot.1, new);
        let changes = &edits["result"]["changes"];
        let count = |uri: &str| changes[uri].as_array().map_or(0, Vec::len);
        assert_eq!((count(URI), count(&other)), (vertex_uses, geometry_uses), "{new}: {edits}");
        let none = json!([]);
        let texts = [(URI, vertex), (&other, geometry)]
            .map(|(uri, text)| apply(text, changes.get(uri).unwrap_or(&none)));
        let code = |texts: [&str; 2]| {
            let sources = texts.map(|text| SourceText { name: "a", text });
            assemble(&sources).unwrap_or_else(|report| panic!("{report}")).model.code
        };
        assert_eq!(code([&texts[0], &texts[1]]), code([vertex, geometry]), "{new}");
    }
    for new in ["mat", "r3", "", "a b", "1"] {
        assert!(rename(&mut client, 0, 7, new)["error"]["message"].is_string(), "{new}");
    }
    let found = client.ask("textDocument/definition", &place(&other, 6, 5));
    assert_eq!((&found["uri"], &found["range"]["start"]["line"]), (&json!(URI), &json!(8)));
    let symbols = client.ask("textDocument/documentSymbol", &json!({ "textDocument": { "uri": URI } }));
    let main = symbols.as_array().expect("a list").iter().find(|symbol| symbol["name"] == "vmain");
    assert_eq!(main.expect("a procedure")["children"][0]["name"], "l");
    let found = client.ask("workspace/symbol", &json!({ "query": "gmai" }));
    assert!(found.as_array().is_some_and(|found| found.len() > 3), "{found}");
}

#[test]
fn problems_of_lint_have_their_rule_and_siblings_are_read() {
    let mut client = Client::new();
    client.open(URI, ".out p position\n.out q color\n.proc main\nmov p, v0\nend\n.end");
    let problems = client.problems(URI);
    assert!(problems.iter().any(|problem| problem["code"] == "output-not-written"), "{problems:?}");
    assert!(problems.iter().all(|problem| problem["tags"].is_null()), "{problems:?}");
    // What nothing uses is shown as such, at its name.
    client.open(URI, ".fvec tint\n.in a v0\n.in b v1\n.out p position\n.proc main\nmov p, a\nend\n.end");
    let problems = client.problems(URI);
    let unused: Vec<_> = problems.iter().filter(|problem| problem["tags"] == json!([1])).collect();
    let places: Vec<_> = unused.iter().map(|problem| &problem["range"]["start"]).collect();
    let expected = [json!({ "line": 0, "character": 6 }), json!({ "line": 2, "character": 4 })];
    assert_eq!(places, [&expected[0], &expected[1]], "{problems:?}");
    // A format that does not fit stands at the attribute too, which is not unused.
    client.open(URI, ".in a v0 ; @format float 4\n.out p position\n.proc main\ndp3 p, a, a\nend\n.end");
    let problems = client.problems(URI);
    let [problem] = &problems[..] else { panic!("{problems:?}") };
    assert_eq!((&problem["code"], &problem["tags"]), (&json!("vertex-format"), &Value::Null));
    assert_eq!(problem["range"]["start"], json!({ "line": 0, "character": 4 }));
    // This source alone has no known procedure.
    let (uri, text) = sample("library.sky.pica");
    client.open(&uri, &text);
    assert_eq!(client.problems(&uri), [] as [Value; 0]);
}

#[test]
fn notes_have_addresses_registers_and_counts() {
    let mut client = Client::new();
    let (uri, text) = sample("lights.v.pica");
    client.open(&uri, &text);
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 999, "character": 0 } });
    let params = json!({ "textDocument": { "uri": uri }, "range": range });
    let hints = client.ask("textDocument/inlayHint", &params);
    let labels: Vec<&str> =
        hints.as_array().expect("a list").iter().filter_map(|hint| hint["label"].as_str()).collect();
    assert!(labels.contains(&": c0") && labels.iter().any(|label| label.contains("×")), "{labels:?}");
    client.open(&uri, &format!("{text}\n"));
    let hints = client.ask("textDocument/inlayHint", &params).to_string();
    assert!(!hints.contains('×'), "counts of another text");
    let folds = client.ask("textDocument/foldingRange", &json!({ "textDocument": { "uri": uri } }));
    assert!(folds.as_array().is_some_and(|folds| folds.len() > 2), "{folds}");
}

#[test]
fn advice_becomes_edits() {
    let head = ".fvec k[4], p\n.in pos v0\n.in nrm v1\n.out o position\n";
    let mut client = Client::new();
    let mut missing = Vec::new();
    for line in [
        "mvo r0, r1",
        "mov r0, kk",
        "add r0, r1, k",
        "mad r0, k, r1, r2",
        "mad r0, k, r1, p",
        "add r0, pos, nrm",
        "mov r0, 1.0",
        "cmp r0, lt, r1",
        "mov r0 r1",
        "mov R1, r0",
        "proc x",
        "cmp r0, lt, ge, k",
        "mul r0, p, k",
        "for 3\nnop\n.end",
        "ifu true\nnop\n.end",
        "lerp r0, r1, r2, r3",
        "mov r0, r1,",
        "ifu b0\nnop",
        "for_ i0",
        "call mian",
        "jmpc cmp.x, bak",
        "mov r0.yx, r1",
    ] {
        let text = format!("{head}.proc main\nback:\nmov o, r0\n{line}\nend\n.end\n");
        client.open(URI, &text);
        let before = client.problems(URI);
        let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
        let params =
            json!({ "textDocument": { "uri": URI }, "range": range, "context": { "diagnostics": [] } });
        let actions = client.ask("textDocument/codeAction", &params);
        let Some(action) = actions.as_array().and_then(|list| list.first()) else {
            missing.push((line, before.first().map(|problem| problem["message"].clone())));
            continue;
        };
        let mended = apply(&text, &action["edit"]["changes"][URI]);
        let report =
            |text: &str| assemble(&[SourceText { name: "a", text }]).map_err(|report| report.errors.len());
        let (old, new) = (report(&text), report(&mended));
        assert!(new.is_ok() || new.as_ref().err() <= old.as_ref().err(), "{line}: {action}\n{mended}");
    }
    // Advice with registers of its own is for the author to read.
    let missing: Vec<&str> = missing.iter().map(|(line, _)| *line).collect();
    assert_eq!(missing, ["lerp r0, r1, r2, r3", "mov r0.yx, r1"]);
}

#[test]
fn unknown_names_are_declared_by_where_they_stand() {
    let mut client = Client::new();
    let mended = |client: &mut Client, line: &str| -> Vec<(String, bool)> {
        let text = format!(".in pos v0\n.out o position\n.proc main\n{line}\nmov o, pos\nend\n.end\n");
        client.open(URI, &text);
        let range = json!({ "start": { "line": 3, "character": 0 }, "end": { "line": 9, "character": 0 } });
        let params =
            json!({ "textDocument": { "uri": URI }, "range": range, "context": { "diagnostics": [] } });
        let actions = client.ask("textDocument/codeAction", &params);
        let actions = actions.as_array().expect("a list").iter();
        actions
            .map(|action| {
                let new = apply(&text, &action["edit"]["changes"][URI]);
                assert!(assemble(&[SourceText { name: "a", text: &new }]).is_ok(), "{new}");
                let title = action["title"].as_str().expect("a text").to_owned();
                (title, action["isPreferred"] == true)
            })
            .collect()
    };
    for (line, declaration) in [
        ("mov r0, tint", ".fvec tint"),
        ("mov r0, -tint.xxyy", ".fvec tint"),
        ("mov r0, innrm", ".in innrm"),
        // The second source cannot be a uniform.
        ("mul r0, r1, inuv", ".in inuv"),
        ("mad r0, r1, r2, ambient.x", ".fvec ambient"),
        ("dp4 r0.x, world[2], r1", ".fvec world[3]"),
        ("mov r0, bones[a0.x]", ".fvec bones[1]"),
        ("ifu lit\nnop\n.end", ".bool lit"),
        ("callu lit, main", ".bool lit"),
        ("back:\njmpu !lit, back", ".bool lit"),
        ("for times\nnop\n.end", ".ivec times"),
    ] {
        assert_eq!(mended(&mut client, line), [(format!("Write `{declaration}`"), true)], "{line}");
    }
    // A name that is nearly known comes first.
    let both = [("Write `pos`".to_owned(), true), ("Write `.fvec poss`".to_owned(), false)];
    assert_eq!(mended(&mut client, "mov r0, poss"), both);
    assert_eq!(mended(&mut client, "mov r0, 7up"), []);
    assert_eq!(mended(&mut client, "mov target, r0"), []);
}

#[test]
fn sources_on_disk_belong_to_the_file() {
    let folder = std::env::temp_dir().join(format!("transpica lsp {}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("writable");
    let [vertex, other] = ["a.v.pica", "a.part.pica"].map(|name| folder.join(name));
    let uri = |path: &std::path::Path| format!("file://{}", path.display()).replace(' ', "%20");
    let text = ".out p position\n.proc main\nmov p, v0\ncall f\nend\n.end";
    std::fs::write(&vertex, text).expect("writable");
    std::fs::write(&other, ".nodvle\n.proc f\nnop\n.end").expect("writable");
    let (vertex, other_uri) = (uri(&vertex), uri(&other));
    let mut client = Client::new();
    client.open(&vertex, text);
    assert_eq!(client.problems(&vertex), [] as [Value; 0]);
    let found = client.ask("textDocument/definition", &place(&vertex, 3, 6));
    assert_eq!(found["uri"], json!(other_uri));
    std::fs::write(&other, ".nodvle\n.proc g\nnop\n.end").expect("writable");
    client
        .notify("workspace/didChangeWatchedFiles", &json!({ "changes": [{ "uri": other_uri, "type": 2 }] }));
    assert_eq!(client.problems(&vertex)[0]["message"], "procedure 'f' is undefined\ndid you mean `g`?");
    client.notify("textDocument/didClose", &json!({ "textDocument": { "uri": vertex } }));
    assert_eq!(client.problems(&vertex), [] as [Value; 0]);
    std::fs::remove_dir_all(folder).expect("removable");
}
