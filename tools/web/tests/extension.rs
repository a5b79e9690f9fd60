//! Tests of the samples by their texts, and odd calls.

use serde_json::Value;
use transpica_web::extension::Language;

/// Returns a server that knows the files of the samples whose names begin like this, each below
/// `file:///s/`.
fn language(start: &str) -> Language {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shaders");
    let mut language = Language::new();
    for entry in std::fs::read_dir(folder).expect("the samples").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(start) {
            language.file(&uri(&name), Some(std::fs::read(entry.path()).expect("a file")));
        }
    }
    let start = r#"{"id": 1, "method": "initialize", "params": {"rootUri": "file:///s/"}}"#;
    assert!(language.handle(start).contains("capabilities"));
    language
}

fn uri(name: &str) -> String {
    format!("file:///s/{name}")
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn every_case_of_the_samples_passes_from_its_text() {
    for name in ["lights", "points", "textured"] {
        let mut language = language(&format!("{name}."));
        let tests = uri(&format!("{name}.test.toml"));
        let listed = parse(&language.cases(&tests));
        let cases = listed["cases"].as_array().unwrap_or_else(|| panic!("{name}: {listed}"));
        for case in cases {
            let result = parse(&language.test(&tests, case["name"].as_str().expect("a name")));
            assert_eq!(result["failure"], Value::Null, "{name}: {case}");
            let ran = result["lines"].as_object().expect("lines");
            assert!(
                !ran.is_empty()
                    && ran.keys().all(|uri| uri.starts_with("file:///s/") && uri.ends_with(".pica"))
            );
        }
    }
}

#[test]
fn a_test_file_has_problems_while_it_is_written() {
    let mut language = language("textured.v");
    let tests = uri("textured.test.toml");
    let mut problems = |text: &str| {
        let document = serde_json::json!({ "uri": tests, "text": text });
        let open =
            serde_json::json!({ "method": "textDocument/didOpen", "params": { "textDocument": document } });
        let sent = parse(&language.handle(&open.to_string()));
        let of_tests = sent.as_array().expect("a list").iter().find(|sent| sent["params"]["uri"] == tests);
        of_tests.expect("problems")["params"]["diagnostics"].clone()
    };
    let case = "[[case]]\nname = \"a\"\nexpect = { color = [9, 0, 0, 0] }\n";
    assert_eq!(problems(case), serde_json::json!([]));
    let found = problems(&format!("{case}uniforms.texScal = [1, 1, 1, 1]"));
    assert!(
        found[0]["message"].as_str().is_some_and(|text| text.contains("did you mean `texScale`?")),
        "{found}"
    );
}

#[test]
fn a_failure_names_case_and_source_by_uri() {
    let mut language = language("lights.v");
    let tests = uri("lights.test.toml");
    let case = "[[case]]\nname = \"a\"\nexpect = { color = [9, 0, 0, 0] }\n";
    language.file(&tests, Some(case.into()));
    let result = parse(&language.test(&tests, "a"));
    let failure = result["failure"].as_str().expect("a failure");
    assert!(failure.starts_with("file:///s/lights.test.toml:2: a\n"), "{failure}");
    assert!(failure.contains("\n> file:///s/lights.v.pica:"), "{failure}");
    language.file(&tests, Some("shader = \"../s/./lights.v.pica\"\n".into()));
    assert!(language.cases(&tests).contains("the file has no [[case]]"));
    language.file(&uri("lights.v.pica"), None);
    assert!(language.cases(&tests).contains("file not found"));
}

#[test]
fn sources_are_linked_with_the_place_of_each_word() {
    let mut language = language("points.");
    let open = r#"{"method": "textDocument/didOpen",
        "params": {"textDocument": {"uri": "file:///s/points.g.pica", "text": "mov"}}}"#;
    assert!(language.handle(open).contains("diagnostics"));
    assert_eq!((language.link(&uri("points.g.pica")), language.linked().len()), ("null".into(), 0));
    let close = open.replace("didOpen", "didClose");
    language.handle(&close);
    let linked = parse(&language.link(&uri("points.g.pica")));
    assert_eq!(linked["uris"], Value::from(vec![uri("points.v.pica"), uri("points.g.pica")]));
    assert!(language.linked().starts_with(b"DVLB"));
    assert!(linked["places"].as_array().expect("places").iter().any(|place| place[0] == 1));
}

#[test]
fn odd_calls_are_answered() {
    let mut language = Language::new();
    assert_eq!(language.handle("{"), "[]");
    assert_eq!(language.test("", ""), "null");
    assert_eq!(language.link("file:///s/a.pica"), "null");
    for text in ["", "[", "shader = \"x\"", "[[case]]\nname = 1"] {
        language.file("a", Some(text.into()));
        assert!(language.cases("a").contains("problem"), "{text}");
    }
}
