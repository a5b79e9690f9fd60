//! `test`: cases that pass and fail, malformed files, results for other programs.

use std::fs;
use std::path::Path;

use expect_test::expect;

use crate::support::{Ran, folder, follows_schema, root, transpica};

/// Runs `test` on a file with this text next to the textured shader, and more arguments. Paths are
/// relative to the file's folder in the results.
fn test(name: &str, text: &str, more: &[&str]) -> Ran {
    let folder = folder(name);
    fs::copy(root().join("shaders/textured.v.pica"), folder.join("textured.v.pica")).expect("a sample");
    let file = folder.join("textured.test.toml");
    fs::write(&file, text).expect("writable");
    let mut ran = transpica(&[&["test", file.to_str().expect("a name")], more].concat());
    let short = |text: &str| text.replace(&format!("{}/", folder.display()), "");
    (ran.out, ran.err) = (short(&ran.text()).into_bytes(), short(&ran.err));
    ran
}

const PASSES: &str = "[[case]]\nname = \"colors\"\nattributes.incol = [255, 0, 0, 255]\n\
                      expect.color = { near = [1, 0, 0, 1], ulp = 4 }\n";
const FAILS: &str = "[[case]]\nname = \"fails <&>\"\nuniforms.texScale = [2, 2, 0, 0]\n\
                     attributes.inuv = [0.25, 0.5, 0, 0]\nexpect.texcoord0 = [0.5, 0.5]\n";

#[test]
fn the_samples_pass_on_machine_and_batch() {
    for machine in ["cpu", "batch"] {
        let text = transpica(&["test", "shaders", "--on", machine]).succeeded();
        assert!(text.contains("test lights: lint ... ok\ntest lights: positions ... ok\n"), "{text}");
        assert!(text.contains("test result: ok. ") && text.contains(" passed; 0 failed\n"), "{text}");
    }
}

#[test]
fn a_failure_has_the_steps_and_the_inputs() {
    let ran = test("test_fails", &format!("{PASSES}{FAILS}"), &[]);
    assert_eq!(ran.status, 1, "{}", ran.err);
    assert!(ran.err.contains("1 of 2 tests failed"), "{}", ran.err);
    expect![[r#"
        test textured: colors ... ok
        test textured: fails <&> ... FAILED

        textured.test.toml:6: fails <&>
        vertex 0, texcoord0.y (o1.y): expected 0.5, got 1.0 (8388608 ulp apart)
        > textured.v.pica:25  0x00a: mul o1.xy, texScale, inuv        ; (2.0 2.0 0.0 0.0) (0.25 0.5 0.0 0.0) => 0.5 1.0
        made from texScale.y, inuv.y

        test result: FAILED. 1 passed; 1 failed
    "#]].assert_eq(&ran.text());
}

#[test]
fn malformed_files_and_no_tests_are_failures() {
    let ran = test("test_malformed", "[[case]]\nname = \"a\"\nexpect = { texcoord = [1, 2] }\n", &[]);
    assert_eq!(ran.status, 1);
    expect![[r#"

        error: textured.test.toml:3:12: expect: unknown key "texcoord", did you mean `texcoord0`?

        test result: FAILED. 0 passed; 0 failed
        error: a test file cannot run
    "#]]
    .assert_eq(&(ran.text() + &ran.err));
    let ran = test("test_none", PASSES, &["--filter", "nothing"]);
    assert_eq!(ran.status, 1);
    expect![[r#"

        test result: FAILED. 0 passed; 0 failed; 1 filtered out
        error: no test ran
         │
         ╰ help: --filter takes a part of "NAME: case"
    "#]]
    .assert_eq(&(ran.text() + &ran.err));
    let ran = transpica(&["test", "tools/cli/schema"]);
    assert!(ran.status == 1 && ran.err.contains("no test file found"), "{}", ran.err);
    let ran = transpica(&["test", "none.test.toml"]);
    assert!(ran.status == 1 && ran.text().contains("none.test.toml: No such file"), "{}", ran.text());
}

#[test]
fn errors_of_shaders_are_theirs_and_leave_coverage() {
    let folder = folder("test_refused");
    let path = |name: &str| folder.join(name).to_str().expect("a name").to_owned();
    let write = |name: &str, text: &str| fs::write(path(name), text).expect("writable");
    let [lcov, junit] = ["lcov.info", "junit.xml"].map(path);
    let run = |names: &[&str]| {
        let paths: Vec<String> = names.iter().map(|name| path(name)).collect();
        let paths = paths.iter().map(String::as_str);
        let options = ["--coverage", &lcov, "--junit", &junit];
        let ran = transpica(&["test"].into_iter().chain(paths).chain(options).collect::<Vec<_>>());
        let short = |text: &str| text.replace(&format!("{}/", folder.display()), "");
        (ran.status, short(&ran.text()), short(&ran.err))
    };
    write("bad.wgsl", &SPIN.replace("scene.view *", "scene.veiw *"));
    write("bad.test.toml", "[[case]]\nname = \"a\"\ninstructions = 9\n");
    write("named.test.toml", "shader = \"bad.wgsl\"\n[[case]]\nname = \"a\"\ninstructions = 9\n");
    write("wrong.v.pica", ".out - position o0\n.proc main\n\tmvo o0, v0\n\tend\n.end\n");
    write("wrong.test.toml", "[[case]]\nname = \"a\"\ninstructions = 9\n");
    write("spin.wgsl", SPIN);
    write("spin.test.toml", SPINS);
    write("malformed.test.toml", "case = 1\n");
    for (name, place) in [
        ("bad.test.toml", "bad.wgsl:4:18: "),
        ("named.test.toml", "bad.wgsl:4:18: "),
        ("wrong.test.toml", "wrong.v.pica:3:2: error: invalid instruction: mvo\n"),
    ] {
        let (status, out, err) = run(&[name]);
        assert_eq!(status, 1, "{out}");
        assert!(out.starts_with(&format!("\nerror: {place}")), "{out}");
        assert_eq!(err, "error: a test file cannot run\n");
        assert!(out.ends_with("\ntest result: FAILED. 0 passed; 0 failed\n"), "{out}");
        assert!(!Path::new(&lcov).exists(), "{name}");
        let suite = fs::read_to_string(&junit).expect("written");
        assert!(suite.contains(&format!("{name}\" tests=")) && suite.contains(place.trim_end()), "{suite}");
    }
    let (status, _, err) = run(&["bad.test.toml", "malformed.test.toml"]);
    assert_eq!((status, err.as_str()), (1, "error: 2 test files cannot run\n"));
    assert!(!Path::new(&lcov).exists());
    // Others keep theirs.
    let (status, out, err) = run(&["malformed.test.toml", "spin.test.toml"]);
    assert_eq!((status, err.as_str()), (1, "error: a test file cannot run\n"), "{out}");
    assert!(out.contains("turned ... ok") && out.ends_with("spin.wgsl        1/1        0/0\n"), "{out}");
    assert!(fs::read_to_string(&lcov).expect("written").contains("spin.wgsl\nBRF:0"));
}

#[test]
fn failures_have_the_order_of_the_file() {
    let case = "[[case]]\nname = \"a\"\nattributes.incol = [255, 0, 0, 255]\n\
                expect = { texcoord0 = [1, 1], position = [2, 2, 2, 2], color = [0, 0, 0, 0] }\n";
    let text = test("test_order", case, &[]).text();
    let places = ["texcoord0.x (", "position.x (", "color.x ("].map(|name| text.find(name));
    assert!(places.is_sorted() && places.iter().all(Option::is_some), "{text}");
}

#[test]
fn json_follows_its_schema() {
    let ran = test("test_json", &format!("{PASSES}{FAILS}"), &["--json"]);
    let document: serde_json::Value = serde_json::from_slice(&ran.out).expect("JSON");
    follows_schema(&document);
    assert_eq!((&document["passed"], &document["failed"]), (&1.into(), &1.into()));
    assert_eq!(document["tests"][1]["line"], 6);
    let text = transpica(&["test", "shaders/textured.test.toml", "--json", "--mutate"]).succeeded();
    let document: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    follows_schema(&document);
    let [killed, total] =
        ["killed", "total"].map(|key| document["mutants"][0][key].as_u64().expect("a number"));
    assert!(total > 50 && killed * 10 > total * 8, "{text}");
}

#[test]
fn results_go_to_junit_and_lcov() {
    let to = folder("test_results");
    let [junit, coverage] = ["junit.xml", "lcov.info"].map(|name| to.join(name).display().to_string());
    let ran =
        test("test_files", &format!("{PASSES}{FAILS}"), &["--junit", &junit, "--coverage", &coverage, "-q"]);
    assert!(ran.text().ends_with("textured.v.pica      13/13        0/0\n"), "{}", ran.text());
    let read = |path: &str| fs::read_to_string(Path::new(path)).expect("a file");
    let text = read(&junit);
    let lines: Vec<&str> = text.lines().filter_map(|line| line.split(" time=").next()).take(8).collect();
    assert!(lines[4].contains("name=\"fails &lt;&amp;&gt;\"") && lines[4].contains("line=\"6\""), "{text}");
    assert!(
        text.contains("<failure message=\"vertex 0, texcoord0.y (o1.y): expected 0.5, got 1.0"),
        "{text}"
    );
    let text = read(&coverage);
    assert!(text.contains("DA:25,2\n") && text.ends_with("LF:13\nLH:13\nend_of_record\n"), "{text}");
}

#[test]
fn a_picture_is_kept_compared_and_shown_where_it_differs() {
    let case = "[[case]]\nname = \"vase\"\npicture = \"vase.png\"\n";
    let missing = test("test_picture", case, &[]);
    assert_eq!(missing.status, 1, "{}", missing.err);
    assert!(missing.text().contains("transpica test --bless writes it"), "{}", missing.text());
    let place = folder("test_picture_kept");
    fs::copy(root().join("shaders/textured.v.pica"), place.join("textured.v.pica")).expect("a sample");
    let file = place.join("textured.test.toml");
    let run = |text: &str, more: &[&str]| {
        fs::write(&file, text).expect("writable");
        transpica(&[&["test", file.to_str().expect("a name")], more].concat())
    };
    run(case, &["--bless"]).succeeded();
    let kept = fs::read(place.join("vase.png")).expect("written");
    assert!(kept.starts_with(b"\x89PNG"));
    assert!(run(case, &[]).succeeded().contains("test textured: vase ... ok"));
    let turned = format!("{case}uniforms.modelView = {{ translate = [0.5, 0, -3] }}\n");
    let ran = run(&turned, &[]);
    assert_eq!(ran.status, 1, "{}", ran.err);
    assert!(ran.text().contains(" of 96000 pixels differ, by at most "), "{}", ran.text());
    let shown = fs::read(place.join("vase.difference.png")).expect("written");
    assert!(shown.starts_with(b"\x89PNG"));
    assert!(run(&format!("{turned}differing = 95999\n"), &[]).succeeded().contains("ok"));
    assert_eq!(fs::read(place.join("vase.png")).expect("there"), kept, "only --bless writes it");
    for (wrong, message) in [
        ("picture = \"vase.jpg\"", "textured.test.toml:3:11: picture must be the name of a .png file"),
        (
            "picture = \"vase.png\"\nmesh = \"cup\"",
            "4:8: mesh: unknown mesh \"cup\", use quad, cube, sphere, lathe",
        ),
        ("picture = \"vase.png\"\nexpect = {}", "4:1: "),
    ] {
        let ran = run(&format!("[[case]]\nname = \"vase\"\n{wrong}\n"), &[]);
        assert_eq!(ran.status, 1, "{}", ran.err);
        assert!(ran.text().contains(message), "{}", ran.text());
    }
}

#[test]
fn a_shader_stands_for_the_tests_beside_it() {
    let folder = folder("test_beside");
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    for name in ["points.v.pica", "points.g.pica", "points.shbin", "points.test.toml", "textured.v.pica"] {
        fs::copy(root().join("shaders").join(name), path(name)).expect("a sample");
    }
    let expected = transpica(&["test", &path("points.test.toml")]).succeeded();
    for names in [&["points.v.pica"][..], &["points.shbin"], &["points.v.pica", "points.g.pica"]] {
        let paths: Vec<String> = names.iter().map(|name| path(name)).collect();
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        assert_eq!(transpica(&[&["test"], &paths[..]].concat()).succeeded(), expected, "{names:?}");
    }
    let ran = transpica(&["test", &path("textured.v.pica")]);
    assert_eq!((ran.status, ran.out.len()), (1, 0));
    let wanted = format!("error: {} has no test file beside it", path("textured.v.pica"));
    assert!(
        ran.report().starts_with(&wanted) && ran.report().contains("textured.test.toml would be"),
        "{}",
        ran.err
    );
}

/// A shader whose host multiplies matrices.
const SPIN: &str = "struct Scene { view: mat4x4f, turns: array<mat4x4f, 2> }
@group(0) @binding(0) var<uniform> scene: Scene;
@vertex fn main(@location(0) place: vec4f) -> @builtin(position) vec4f {
    return scene.view * scene.turns[0] * scene.turns[1] * place;
}
";

const SPINS: &str = "[uniforms]
scene.view = { translate = [1, 2, 3] }
turns = [{ scale = [2, 2, 2] }, \"identity\"]
[[case]]
name = \"turned\"
uniforms.\"turns[1]\" = { translate = [0, 0, 1] }
attributes.place = [1, 0, 0]
expect = { position = [3, 2, 4, 1] }
";

#[test]
fn a_shader_in_another_language_is_tested_by_its_names() {
    let folder = folder("test_compiled");
    let path = |name: &str| folder.join(name).to_str().expect("a name").to_owned();
    fs::write(path("spin.wgsl"), SPIN).expect("writable");
    fs::write(path("spin.test.toml"), SPINS).expect("writable");
    for named in ["spin.wgsl", "spin.test.toml"] {
        for machine in ["cpu", "batch"] {
            let text = transpica(&["test", &path(named), "--on", machine]).succeeded();
            assert_eq!(text, "test spin: turned ... ok\n\ntest result: ok. 1 passed; 0 failed\n");
        }
    }
    let mutants = transpica(&["test", &path("spin.wgsl"), "--mutate"]).succeeded();
    assert!(
        mutants.contains(" killed\n") && mutants.contains("spin.wgsl:4, 0x1: place became v1\n"),
        "{mutants}"
    );
    let lcov = path("spin.info");
    let text = transpica(&["test", &path("spin.wgsl"), "--coverage", &lcov]).succeeded();
    assert!(text.ends_with("spin.wgsl        1/1        0/0\n"), "{text}");
    assert!(fs::read_to_string(lcov).expect("written").contains("spin.wgsl\nBRF:0\nBRH:0\nDA:4,"));
    // A source comes before a container, which may be an older one; of two sources one is named.
    let old = SPIN.replace("* place", "* place.wzyx");
    fs::write(path("old.wgsl"), old).expect("writable");
    let compiled = transpica(&["compile", &path("old.wgsl"), "-o", &path("spin.shbin")]);
    assert_eq!(compiled.status, 0, "{}", compiled.err);
    transpica(&["test", &path("spin.test.toml")]).succeeded();
    let compiled = transpica(&["compile", &path("spin.wgsl"), "-o", &path("spin.v.pica")]);
    assert_eq!(compiled.status, 0, "{}", compiled.err);
    let both = transpica(&["test", &path("spin.wgsl")]);
    let message = "spin.v.pica and spin.wgsl are beside it; shader = \"spin.wgsl\" names one";
    assert!(both.status == 1 && both.text().contains(message), "{}", both.text());
    fs::write(path("spin.test.toml"), format!("shader = \"spin.shbin\"\n{SPINS}")).expect("writable");
    let other = transpica(&["test", &path("spin.wgsl")]);
    assert!(other.status == 1 && other.err.contains("tests a container"), "{}", other.err);
    assert!(other.err.contains("shader = \"spin.wgsl\" in it tests this file"), "{}", other.err);
    fs::write(path("spin.test.toml"), format!("shader = \"spin.wgsl\"\n{SPINS}")).expect("writable");
    transpica(&["test", &path("spin.wgsl")]).succeeded();
    // Without tests beside it.
    fs::write(path("none.vert"), "").expect("writable");
    let none = transpica(&["test", &path("none.vert")]);
    assert!(none.status == 1 && none.err.contains("none.test.toml would be its test file"), "{}", none.err);
    // A folder with shaders alone, and a file of another kind.
    let alone = folder.join("alone");
    fs::create_dir_all(&alone).expect("writable");
    for (file, message) in
        [("none.frag", "error: no test file found"), ("none.vert", "none.vert has no test file beside it")]
    {
        fs::write(alone.join(file), "").expect("writable");
        let ran = transpica(&["test", alone.to_str().expect("a name")]);
        assert!(ran.status == 1 && ran.report().contains(message), "{}", ran.err);
    }
    let other = transpica(&["test", alone.join("none.frag").to_str().expect("a name")]);
    assert!(other.report().contains("none.frag is neither a test file nor a shader"), "{}", other.err);
}
