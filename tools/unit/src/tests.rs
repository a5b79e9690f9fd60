//! Test files against shaders of the repository: their failures, and the errors of malformed ones.

use std::fs;
use std::path::{Path, PathBuf};

use expect_test::{Expect, expect};

use transpica_inspect::executor;

use super::*;

/// A folder of its own with the lights shader and a test file.
fn folder(name: &str, text: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("transpica-unit-{}-{name}", std::process::id()));
    fs::create_dir_all(&folder).expect("writable");
    for source in ["lights.v.pica", "points.v.pica", "points.g.pica"] {
        let from = Path::new("../../shaders").join(source);
        fs::copy(from, folder.join(source)).expect("a sample");
    }
    fs::write(folder.join("lights.test.toml"), text).expect("writable");
    folder
}

/// Replaces the folder in a text, which differs from run to run.
fn relative(text: &str, folder: &Path) -> String {
    text.replace(&format!("{}/", folder.display()), "")
}

pub(crate) fn load(name: &str, text: &str) -> Result<(TestFile, PathBuf), String> {
    let folder = folder(name, text);
    let file = TestFile::load(&folder.join("lights.test.toml"));
    let file = file.map_err(|problem| relative(&problem.to_string(), &folder));
    let _ = fs::remove_dir_all(&folder);
    file.map(|file| (file, folder))
}

/// A file with a program of its own.
pub(crate) fn of_source(source: &str, text: &str) -> Result<TestFile, String> {
    let files = |name: &str| match name {
        "a.v.pica" if !source.contains(".gsh") => Ok((name.to_owned(), source.into())),
        "a.g.pica" if source.contains(".gsh") => Ok((name.to_owned(), source.into())),
        _ => Err(Problem { message: format!("no {name}"), ..Problem::default() }),
    };
    TestFile::with("a.test.toml", text, &files).map_err(|problem| problem.to_string())
}

/// Failures of a file, in order.
fn failures(name: &str, text: &str, executor: &impl Executor<Error = transpica::Error>) -> String {
    let (file, folder) = load(name, text).unwrap_or_else(|error| panic!("{error}"));
    let checked = file.cases.iter().map(|case| case.check("lights.test.toml", &file.shader, executor));
    checked.filter_map(|checked| Some(relative(&checked.failure?, &folder))).collect()
}

const LIGHTS: &str = r#"
[uniforms]
projection = "identity"
modelView = { translate = [0, 0, -4] }
normalMatrix = "identity"
lightDir = [[0,0,1,0],[0,1,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0]]
lightColor = [[0.5,0,0,0],[0,0.5,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0]]
material = [1, 1, 1, 1]
lightLoop = [1, 0, 1, 0]
[attributes]
inpos = [0, 0, 0, 1]
innrm = [0, 0, 1, 0]
"#;

#[test]
fn cases_pass_on_machine_and_batch() {
    let text = LIGHTS.to_owned()
        + r#"
[[case]]
name = "faces the light"
calls = ["normalize"]
instructions = 100
expect = { position = [0, 0, -4, 1], color = [0.5, 0, 0, 1], view = ["_", "_", 4, "_"] }
rows = [
    {},
    { name = "from below", attributes = { innrm = [0, -1, 0, 0] }, expect = { color = [0, 0, 0, 1] } },
    { name = "tinted", uniforms = { material = [1, 1, 1, 0.5] }, expect = { color = { near = [0.5, 0, 0, 0.5], ulp = 1 } } },
]
"#;
    assert_eq!(failures("pass", &text, &Cpu), "");
    assert_eq!(failures("batch", &text, &Batched), "");
}

#[test]
fn a_failure_shows_the_steps_that_made_it() {
    let text = LIGHTS.to_owned()
        + r#"
[[case]]
name = "faces the light"
calls = ["specular"]
expect = { color = [0.25, 0, 0, 1] }
"#;
    check(
        &failures("fail", &text, &Cpu),
        &expect![[r#"
            lights.test.toml:15: faces the light
            vertex 0, color.x (o1.x): expected 0.25, got 0.5 (8388608 ulp apart)
              ...
            > lights.v.pica:49  0x01a: dp3 r2.z, normalMatrix[2], innrm ; (0.0 0.0 1.0 0.0) (0.0 0.0 1.0 0.0) => 1.0
            > lights.v.pica:17  0x000: dp3 r3.x, r2, r2                 ; (0.0 0.0 1.0 1.0) (0.0 0.0 1.0 1.0) => 1.0
            > lights.v.pica:18  0x001: rsq r3.x, r3                     ; (1.0 0.0 0.0 1.0) => 1.0
            > lights.v.pica:19  0x002: mul r2.xyz, r2, r3.x             ; (0.0 0.0 1.0 1.0) (1.0 1.0 1.0 1.0) => 0.0 0.0 1.0 -> 0x1c
            > lights.v.pica:53  0x01e: mov r7, ambient                  ; (0.0 0.0 0.0 0.0) => 0.0 0.0 0.0 0.0
            > lights.v.pica:54  0x01f: for lightLoop, 0x2a
            > lights.v.pica:55  0x020: dp3 r4.x, lightDir[aL], r2       ; (0.0 0.0 1.0 0.0) (0.0 0.0 1.0 1.0) => 1.0
            > lights.v.pica:56  0x021: max r4.x, k, r4                  ; (0.0 1.0 0.5 16.0) (1.0 0.0 0.0 1.0) => 1.0
            > lights.v.pica:57  0x022: mov r8, r4.x                     ; (1.0 1.0 1.0 1.0) => 1.0 1.0 1.0 1.0
            > lights.v.pica:58  0x023: mad r7.xyz, r8, lightColor[aL], r7 ; (1.0 1.0 1.0 1.0) (0.5 0.0 0.0 0.0) (0.0 0.0 0.0 0.0) => 0.5 0.0 0.0
              lights.v.pica:60  0x025: ifc cmp.x, 0x2a, 0
              lights.v.pica:61  0x026: ifu useSpecular, 0x29, 0         ; -> 0x29
            > lights.v.pica:55  0x020: dp3 r4.x, lightDir[aL], r2       ; (0.0 1.0 0.0 0.0) (0.0 0.0 1.0 1.0) => 0.0
            > lights.v.pica:56  0x021: max r4.x, k, r4                  ; (0.0 1.0 0.5 16.0) (0.0 0.0 0.0 1.0) => 0.0
            > lights.v.pica:57  0x022: mov r8, r4.x                     ; (0.0 0.0 0.0 0.0) => 0.0 0.0 0.0 0.0
            > lights.v.pica:58  0x023: mad r7.xyz, r8, lightColor[aL], r7 ; (0.0 0.0 0.0 0.0) (0.0 0.5 0.0 0.0) (0.5 0.0 0.0 0.5) => 0.5 0.0 0.0
              lights.v.pica:59  0x024: cmp k.x, lt, lt, r4.x            ; (0.0 0.0 0.0 0.0) (0.0 0.0 0.0 0.0) => cmp [false, false]
              lights.v.pica:60  0x025: ifc cmp.x, 0x2a, 0               ; -> 0x2a
            > lights.v.pica:66  0x02b: mul r7.xyz, material, r7         ; (1.0 1.0 1.0 1.0) (0.5 0.0 0.0 0.0) => 0.5 0.0 0.0
            > lights.v.pica:67  0x02c: min o1.xyz, k.y, r7              ; (1.0 1.0 1.0 1.0) (0.5 0.0 0.0 0.0) => 0.5 0.0 0.0
            made from normalMatrix[0].xyz, normalMatrix[1].xyz, normalMatrix[2].xyz, lightDir[0].xyz, lightDir[1].xyz, lightColor[0].x, lightColor[1].x, ambient.x, material.x, k.xy, lightLoop, innrm.xyz
            specular did not run
        "#]],
    );
}

fn check(found: &str, expected: &Expect) {
    expected.assert_eq(found);
}

#[test]
fn the_first_wrong_outputs_are_explained_and_the_next_listed() {
    let source = ".in p v0\n.out - position o0\n.proc main\n mov o0, p\n end\n.end\n";
    let counts = |rows: usize| {
        let rows = "{}, ".repeat(rows);
        let text = format!("[[case]]\nname = \"a\"\nexpect.position = [1, 0, 0, 2]\nrows = [{rows}]\n");
        let file = of_source(source, &text).expect("a file");
        let text = file.cases[0].check("a", &file.shader, &Cpu).failure.expect("wrong");
        let parts =
            ["position.x (o0.x): ", "position.w (o0.w): ", "\nmade from p.xw\n", "\n> ", "\nand 1 more\n"];
        parts.map(|part| text.matches(part).count())
    };
    for (rows, counted) in [
        (1, [1, 1, 1, 1, 0]),
        (4, [4, 4, 4, 4, 0]),
        (5, [5, 5, 4, 4, 0]),
        (16, [16, 16, 4, 4, 0]),
        (17, [16, 16, 4, 4, 1]),
    ] {
        assert_eq!(counts(rows), counted, "{rows}");
    }
}

#[test]
fn a_trace_has_the_last_steps_with_the_last_tests_between_them() {
    let counts = |adds: usize, tests: usize| {
        let body = " add r0, p, r0\n".to_owned()
            + &" cmp p, lt, lt, r0\n".repeat(tests)
            + &" add r0, p, r0\n".repeat(adds);
        let source = format!(
            ".in p v0\n.out - position o0\n.proc main\n mov r0, p\n mov r1, p\n{body} mov o0, r0\n cmp p, lt, lt, r0\n end\n.end\n"
        );
        let file =
            of_source(&source, "[[case]]\nname = \"a\"\nexpect.position = [0, 0, 0, 2]\n").expect("a file");
        let text = file.cases[0].check("a", &file.shader, &Cpu).failure.expect("wrong");
        ["\n> ", "cmp p", "  ...\n", "mov r1"].map(|part| text.matches(part).count())
    };
    assert_eq!(counts(13, 4), [16, 4, 0, 0]);
    assert_eq!(counts(14, 5), [16, 4, 1, 0]);
}

#[test]
fn an_output_that_nothing_wrote_is_said_to_be_one() {
    let source =
        ".in p v0\n.bool on\n.out - position o0\n.proc main\n ifu on\n mov o0, p\n .end\n end\n.end\n";
    let file = of_source(source, "[[case]]\nname = \"a\"\nexpect.position = [1, 0, 0, 1]\n").expect("a file");
    let text = file.cases[0].check("a", &file.shader, &Cpu).failure.expect("wrong");
    assert!(
        text.ends_with("(o0.x): expected 1.0, got 0.0 (1065353216 ulp apart)\nno instruction wrote it\n"),
        "{text}"
    );
}

#[test]
fn a_program_without_an_end_fails_with_its_budget() {
    let text = LIGHTS.to_owned() + "[[case]]\nname = \"short\"\nbudget = 9\nexpect = { o0 = [0, 0, 0, 1] }\n";
    check(
        &failures("budget", &text, &Cpu),
        &expect![[r#"
        lights.test.toml:14: short
        vertex 0 does not end within the budget of 9 instructions
    "#]],
    );
}

#[test]
fn malformed_files_name_the_place() {
    let case = "[[case]]\nname = \"a\"\n";
    let mut all = String::new();
    for (number, text) in [
        "cases = 1".to_owned(),
        "[uniforms]\nx = ".to_owned(),
        "".to_owned(),
        format!("shader = \"none.v.pica\"\n{case}"),
        format!("lint = true\n{case}"),
        format!("uniforms = 1\n{case}"),
        case.to_owned(),
        format!("{case}expect = {{}}"),
        format!("{case}expects = {{}}"),
        format!("{case}expect = {{ collor = [1, 1, 1, 1] }}"),
        format!("{case}expect = {{ view = [1, 1, 1] }}"),
        format!("{case}expect = {{ view = [1, 1, \"x\"] }}"),
        format!("{case}expect = {{ view = {{ near = [1, 1, 1] }} }}"),
        format!("{case}expect = {{ view = {{ near = [1, 1, 1], ulp = -1 }} }}"),
        format!("{case}calls = [\"specular\", \"none\"]"),
        format!("{case}program = \"geometry\"\ncalls = [\"main\"]"),
        format!("{case}program = 1\ncalls = [\"main\"]"),
        format!("{case}instructions = 3\n{case}instructions = 3"),
        format!("{case}instructions = 3\nuniforms = {{ projektion = \"identity\" }}"),
        format!("{case}instructions = 3\nuniforms = {{ material = \"identity\" }}"),
        format!("{case}instructions = 3\nuniforms = {{ projection = {{ ortho = [1, 2] }} }}"),
        format!("{case}instructions = 3\nuniforms = {{ projection = {{ look = [1, 2] }} }}"),
        format!("{case}instructions = 3\n[case.uniforms]\nprojection = [\n [1, 0, 0, 0],\n [0, 1, 0, \"x\"],\n [0, 0, 0, 0], [0, 0, 0, 0]]"),
        format!("{case}instructions = 3\nuniforms.c.96 = [0, 0, 0, 0]"),
        format!("[attributes]\ninnrm = [0, 0, 1, 0, 2]\n{case}instructions = 3"),
        format!("[attributes]\nincol = [0, 0, 1, 1]\n{case}instructions = 3"),
        format!("{case}instructions = 3\nrows = []"),
        format!("{case}instructions = 3\nrows = [{{ attribute = 1 }}]"),
        format!("{case}expect = {{ position = [\"_\", \"_\", \"_\", \"_\"], o2 = [\"_\", \"_\", \"_\", \"_\"] }}"),
        format!("{case}rows = [\n {{ expect = {{ position = [0, 0, 0, 0] }} }},\n {{ uniforms = {{ material = [1, 1, 1, 1] }} }}]"),
        format!("{case}expect.position = [0, 0, 0, 0]\nrows = [{{}},\n {{ expect = {{ o0 = [\"_\", \"_\", \"_\", \"_\"] }} }}]"),
        format!("{case}expect = {{ position = {{ near = [1, 0, 0, 0], epsilon = 1e300 }} }}"),
        format!("{case}expect = {{ position = {{ near = [1, 0, 0, 0], epsilon = inf }} }}"),
        format!("{case}expect = {{ position = {{ near = [1, 0, 0, 0], ulp = 2139095040 }} }}"),
        format!("{case}expect = {{ position = {{ near = [1, 0, 0, 0], ulp = 9999999999 }} }}"),
        format!("{case}instructions = 9\nbudget = 9"),
        format!("{case}picture = \"a.png\"\ndiffering = 96000"),
        format!("{case}picture = \"a.png\"\nmesh = \"late\""),
        format!("{case}calls = [\"specualr\"]"),
        format!("{case}instructions = 3\nuniforms = {{ projection = \"identiy\" }}"),
        format!("{case}instructions = 3\nuniforms = {{ lightDir = [\"identity\", \"idenity\"] }}"),
        format!("{case}instructions = 3\nuniforms = {{ projection = {{ product = [\"Identity\"] }} }}"),
        format!("{case}instructions = 3\nuniforms = {{ material = [1, 1, 1, \"identify\"] }}"),
        // The first in the file.
        format!("{case}expect = {{ position = [0, 0, 0], color = [0] }}"),
        format!("{case}zeta = 1\nalpha = 2"),
        format!("{case}expect = {{ position = [0, 0, 0, 0], o1 = [1, 1, 1, 1] }}\nrows = [\n {{ expect = {{ o0 = [1, 1, 1, 1] }} }},\n {{ expect = {{ position = [1, 1, 1, 1], color = [0, 0, 0, 0] }} }}]"),
    ]
    .iter()
    .enumerate()
    {
        let error = load(&format!("malformed{number}"), text).map(|_| "fine").unwrap_or_else(|error| error.leak());
        all += &format!("{error}\n");
    }
    check(
        &all,
        &expect![[r#"
            lights.test.toml:1:1: the file: unknown key "cases", did you mean `case`?
            lights.test.toml:2:5: string values must be quoted, expected literal string
            lights.test.toml:1:1: the file has no [[case]]
            lights.test.toml:1:10: none.v.pica: No such file or directory (os error 2)
            lights.test.toml:1:8: lint must be "deny"
            lights.test.toml:1:12: uniforms must be a table
            lights.test.toml:1:1: the case expects nothing; add expect, calls or instructions
            lights.test.toml:1:1: the case expects nothing; add expect, calls or instructions
            lights.test.toml:3:1: case: unknown key "expects", did you mean `expect`?
            lights.test.toml:3:12: expect: unknown key "collor", did you mean `color`?
            lights.test.toml:3:19: view has 4 components, not 3
            lights.test.toml:3:26: expect.view must have numbers, "_", "0x…" with f32 bits, "1/255", inf or nan
            lights.test.toml:3:19: expect.view must have ulp or epsilon
            lights.test.toml:3:45: ulp must be a whole number of 0 or more
            lights.test.toml:3:9: calls: unknown procedure "none", use main, normalize, specular
            lights.test.toml:3:11: the shader has no geometry program
            lights.test.toml:3:11: program must be "vertex", "geometry" or the number of a DVLE, 0..=0
            lights.test.toml:4:1: a second case "a"
            lights.test.toml:4:14: uniforms: unknown key "projektion", did you mean `projection`?
            lights.test.toml:4:25: uniforms.material: a matrix needs the name of 3 or 4 float uniforms
            lights.test.toml:4:37: uniforms.projection.ortho must be a list of 6 numbers
            lights.test.toml:4:29: uniforms.projection: unknown key "look", use look_at, ortho, perspective, product, rotate, scale, translate
            lights.test.toml:7:12: uniforms.projection[1][3] must be a number, "0x…" with f32 bits, "1/255", "inf", "-inf" or "nan"
            lights.test.toml:4:12: uniforms.c: register "96" must be 0..=95
            lights.test.toml:2:9: attributes.innrm must be a number or an array of one to four
            lights.test.toml:2:1: attributes: unknown key "incol", did you mean `inpos`?
            lights.test.toml:4:8: rows must be a list of tables, at least one
            lights.test.toml:4:11: rows: unknown key "attribute", did you mean `attributes`?
            lights.test.toml:1:1: the case expects nothing; add expect, calls or instructions
            lights.test.toml:5:2: the row expects nothing; add expect, calls or instructions
            lights.test.toml:5:2: the row expects nothing; add expect, calls or instructions
            lights.test.toml:3:23: expect.position.epsilon must be a number of 0 or more, within f32
            lights.test.toml:3:23: expect.position.epsilon must be a number of 0 or more, within f32
            lights.test.toml:3:23: expect.position.ulp must be at least 0 and less than 2139095040, as infinity is
            lights.test.toml:3:23: expect.position.ulp must be at least 0 and less than 2139095040, as infinity is
            lights.test.toml:3:16: instructions must be at least 0 and less than the budget of 9
            lights.test.toml:4:13: differing must be at least 0 and less than 96000, all pixels of the picture
            lights.test.toml:4:8: mesh: unknown mesh "late", did you mean `lathe`?
            lights.test.toml:3:9: calls: unknown procedure "specualr", did you mean `specular`?
            lights.test.toml:4:27: uniforms.projection: unknown matrix "identiy", did you mean `identity`?
            lights.test.toml:4:38: uniforms.lightDir: unknown matrix "idenity", did you mean `identity`?
            lights.test.toml:4:40: uniforms.projection.product: unknown matrix "Identity", did you mean `identity`?
            lights.test.toml:4:35: uniforms.material: unknown matrix "identify", did you mean `identity`?
            lights.test.toml:3:23: position has 4 components, not 3
            lights.test.toml:3:1: case: unknown key "zeta", use name, program, uniforms, attributes, expect, rows, calls, instructions, budget
            lights.test.toml:3:12: expect.position never counts: every row replaces it
        "#]],
    );
}

#[test]
fn triangles_of_geometry_programs_are_compared() {
    let case = r#"shader = ["points.v.pica", "points.g.pica"]
uniforms.projection = "identity"
[[case]]
name = "a quad"
uniforms = { pointSize = [0.5, 0.25, 0, 0] }
invocations = [{ v0 = [0, 0, -1, 2], v1 = [1, 0, 0, 1] }]
calls = ["corner_at"]
triangles = [
    [{ position = [-1, -0.5, -1, 2], color = [1, 0, 0, 1] }, { texcoord0 = [1, -1] }, { texcoord0 = [-1, 1] }],
    { vertices = [{ position = [1, 0.5, -1, 2] }, {}, {}], inverted = true },
]
"#;
    assert_eq!(failures("quad", case, &Batched), "");
    let error = |text: String| load("geometry", &text).map(drop).expect_err("malformed");
    let none = case.replace("invocations", "calls = [\"gmain\"] #");
    assert_eq!(
        error(none.replace("calls = [\"corner_at\"]", "")),
        "lights.test.toml:3:1: the case has no invocations"
    );
    let delivered = case.replace("v1 = [1, 0, 0, 1]", "c.96 = [1, 0, 0, 1]");
    assert_eq!(error(delivered), "lights.test.toml:6:40: invocations[0].c: register \"96\" must be 0..=95");
    let wrong = case.replace("inverted = true", "inverted = false").replace("[-1, 1] }]", "[-1, 2] }]");
    check(
        &failures("wrong", &wrong, &Cpu),
        &expect![[r#"
            lights.test.toml:4: a quad
            triangle 0, vertex 2, texcoord0.y (o2.y): expected 2.0, got 1.0 (8388608 ulp apart)
            > points.g.pica:29  0x015: mov r1, corner.xyz               ; (-1.0 1.0 0.0 0.0) => -1.0 1.0 0.0 0.0
            > points.g.pica:17  0x00b: mov o2.xy, r1                    ; (-1.0 1.0 0.0 0.0) => -1.0 1.0 -> 0x17
            made from corner.y
            triangle 1: expected not inverted, it is
        "#]],
    );
}

/// The limits themselves are fine: each of these can fail.
#[test]
fn expectations_that_just_can_fail_are_accepted() {
    for rest in [
        "expect.position = [\"_\", \"_\", 1, \"_\"]",
        "expect.position = { near = [1, 0, 0, 0], epsilon = 3.4028234e38 }",
        "expect.position = { near = [1, 0, 0, 0], epsilon = 0 }",
        "expect.position = { near = [1, 0, 0, 0], ulp = 2139095039 }",
        "instructions = 8\nbudget = 9",
        "calls = [\"specular\"]\nrows = [{}, {}]",
        "picture = \"a.png\"\ndiffering = 95999",
    ] {
        let loaded = load("can_fail", &format!("[[case]]\nname = \"a\"\n{rest}\n"));
        assert!(loaded.is_ok(), "{rest}: {}", loaded.map(drop).unwrap_err());
    }
    let none = "shader = [\"points.v.pica\", \"points.g.pica\"]\n[[case]]\nname = \"a\"\ninvocations = []\n\
                triangles = []\n";
    assert_eq!(
        load("none", none).map(drop).unwrap_err(),
        "lights.test.toml:2:1: the case has no invocations"
    );
}

#[test]
#[should_panic(expected = "color: nothing is expected, so every result would pass")]
fn an_assertion_without_a_number_panics() {
    let shader = Shader::load(&["../../shaders/textured.v.pica"]).expect("a shader");
    shader.vertex().run().assert("color", near([1.0; 4]).epsilon(f32::INFINITY));
}

#[test]
fn panics_are_at_the_line_of_the_test() {
    thread_local!(static LINE: std::cell::Cell<u32> = const { std::cell::Cell::new(0) });
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let own = info.location().filter(|place| place.file().ends_with("tests.rs"));
        LINE.set(own.map_or(0, |place| place.line()));
        before(info);
    }));
    let shader =
        Shader::load(&["../../shaders/points.v.pica", "../../shaders/points.g.pica"]).expect("assembles");
    let ran = shader.vertex().run();
    let calls: [(u32, &dyn Fn()); 4] = [
        (line!(), &|| _ = shader.vertex().uniform("nothing", [0.0; 4]).run()),
        (line!(), &|| _ = ran.output("nothing")),
        (line!(), &|| _ = ran.assert("nothing", [0.0; 4])),
        (line!(), &|| _ = ran.assert_triangle(0, "nothing", [[0.0; 4]; 3])),
    ];
    for (line, call) in calls {
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).is_err());
        assert_eq!(LINE.get(), line);
    }
}

#[test]
#[should_panic(expected = "vertex 0, color.y (o2.y): expected 1.0 within 4 ulp, got 0.0")]
fn the_face_for_rust_panics_with_the_report() {
    let shader = Shader::load(&["../../shaders/textured.v.pica"]).expect("a shader");
    shader
        .vertex()
        .attribute("v2", [255.0, 0.0, 0.0, 255.0])
        .run()
        .assert("o2", [None, Some(0.0), None, None])
        .assert("color", near([1.0; 4]));
}

#[test]
fn containers_and_errors_of_names() {
    let shader = Shader::load(&["../../shaders/textured.shbin"]).expect("a shader");
    let error = |run: ProgramRun<'_>| run.try_run().expect_err("malformed").to_string();
    assert_eq!(
        error(shader.vertex().uniform("projektion", true)),
        "uniforms: unknown key \"projektion\", did you mean `projection`?"
    );
    assert_eq!(error(shader.vertex().budget(2)), "vertex 0 does not end within the budget of 2 instructions");
    let run = shader.vertex().uniform("c8", [2.0, 3.0, 0.0, 0.0]).attribute("inuv", [0.5; 4]).run();
    assert_eq!(run.output("texcoord0"), [1.0, 1.5]);
    let none = Shader::load::<&str>(&[]).map(|shader| shader.vertex().try_run().map(drop));
    assert!(none.is_err() || none.is_ok_and(|run| run.is_err()));
}

#[test]
fn cases_kill_mutants_of_what_they_expect() {
    let text = LIGHTS.to_owned() + "[[case]]\nname = \"a\"\nexpect = { position = [0, 0, -4, 1] }\n";
    let (file, folder) = load("mutants", &text).expect("a file");
    let mutants = file.mutants().expect("mutants");
    let steps = file.cases[0].check("", &file.shader, &Cpu).steps;
    let (killed, rest): (Vec<_>, Vec<_>) = mutants.iter().partition(|mutant| file.kills(mutant, steps));
    let line = |mutant: &&Mutant| format!("{}: {}\n", relative(&mutant.place, &folder), mutant.what);
    let on = |mutant: &Mutant, line: u32| mutant.place.ends_with(&format!("pica:{line}"));
    let killed: String = killed.iter().filter(|mutant| on(mutant, 41)).map(line).collect();
    check(
        &killed,
        &expect![[r#"
            lights.v.pica:41: dp4 became dp3
            lights.v.pica:41: r1 became r2
            lights.v.pica:41: modelView[2] became modelView[3]
            lights.v.pica:41: source 1: xyzw became yzwx
            lights.v.pica:41: source 1 was negated
            lights.v.pica:41: source 2: xyzw became yzwx
            lights.v.pica:41: source 2 was negated
            lights.v.pica:41: z is not written
        "#]],
    );
    let rest: String = rest.iter().filter(|mutant| on(mutant, 59)).map(line).collect();
    check(
        &rest,
        &expect![[r#"
            lights.v.pica:59: x: lt became ge
            lights.v.pica:59: y: lt became ge
            lights.v.pica:59: k became projection
            lights.v.pica:59: r4 became r5
            lights.v.pica:59: source 1 was negated
            lights.v.pica:59: source 2 was negated
        "#]],
    );
}

#[test]
fn coverage_names_lines_and_sides() {
    let text = LIGHTS.to_owned() + "[[case]]\nname = \"a\"\nexpect = { position = [0, 0, -4, 1] }\n";
    let (file, folder) = load("coverage", &text).expect("a file");
    let checked = file.cases[0].check("", &file.shader, &Cpu);
    let files = coverage::by_file(&[(&file.shader, checked.coverage)]);
    let files = files.into_iter().map(|(name, file)| (relative(&name, &folder), file)).collect();
    check(
        &coverage::table(&files),
        &expect![[r#"
            file               lines   branches  lines that did not run
            lights.v.pica      32/44        3/4  23-33, 62
        "#]],
    );
    let lcov = coverage::lcov(&files);
    let branches: Vec<&str> = lcov.lines().filter(|line| !line.starts_with("DA")).collect();
    check(
        &branches.join("\n"),
        &expect![[r#"
        TN:
        SF:lights.v.pica
        BRDA:60,37,0,1
        BRDA:60,37,1,1
        BRDA:61,38,0,0
        BRDA:61,38,1,1
        BRF:4
        BRH:3
        LF:44
        LH:32
        end_of_record"#]],
    );
}

/// Leaves a loop once x or y is above k.
pub(crate) const BRANCHES: &str = ".fvec k\n.ivec rounds\n.in p v0\n.out - position o0\n.proc main\n\tmov r0, p\n\tfor rounds\n\t\t\
                        add r0, k, r0\n\t\tcmp k.xy, lt, lt, r0.xy\n\t\tbreakc cmp.x || cmp.y\n\t.end\n\t\
                        ifc !cmp.x && cmp.y\n\t\tmov r0.z, k.w\n\t.end\n\tmov o0, r0\n\tend\n.end\n";
pub(crate) const ROUNDS: &str =
    "uniforms = { k = [2, 2, 2, 2], rounds = [5, 0, 1, 0] }\nattributes = { p = [0, 0, 0, 0] }\n";

#[test]
fn limits_of_instructions_are_exact() {
    let case = |rest: &str| {
        let file = of_source(BRANCHES, &format!("[[case]]\nname = \"a\"\n{ROUNDS}{rest}"))?;
        Ok::<_, String>(file.cases[0].check("a", &file.shader, &Batched))
    };
    let steps = case("calls = [\"main\"]").expect("a file").steps;
    assert_eq!(steps, 12);
    let failure = |rest: &str| case(rest).expect("a file").failure;
    assert_eq!(failure("instructions = 12"), None);
    let text = failure("instructions = 11").expect("one too many");
    assert!(text.contains("a:2: a\n12 instructions, expected at most 11\n"), "{text}");
    assert_eq!(failure("budget = 12\ncalls = [\"main\"]"), None);
    let text = failure("budget = 11\ncalls = [\"main\"]").expect("one too few");
    assert!(text.contains("vertex 0 does not end within the budget of 11 instructions"), "{text}");
    // The longest run counts.
    let rows = "rows = [{}, { uniforms = { rounds = [0, 0, 1, 0] } }]";
    assert!(failure(&format!("instructions = 11\n{rows}")).is_some_and(|text| text.contains("row 0, 12 in")));
    assert_eq!(failure(&format!("instructions = 12\n{rows}")), None);
}

#[test]
fn all_branches_have_two_sides() {
    let text = format!(
        "[[case]]\nname = \"a\"\n{ROUNDS}calls = [\"main\"]\nrows = [{{}}, {{ attributes = {{ p = [-9, 1, 0, 0] }} }}]"
    );
    let file = of_source(BRANCHES, &text).expect("a file");
    let checked = file.cases[0].check("", &file.shader, &Cpu);
    let files = coverage::by_file(&[(&file.shader, checked.coverage)]);
    // BREAKC holds in the second round, then in the first; the IF holds once.
    let lcov = coverage::lcov(&files);
    let branches: Vec<&str> = lcov.lines().filter(|line| line.starts_with("BR")).collect();
    assert_eq!(
        branches,
        ["BRDA:10,4,0,2", "BRDA:10,4,1,1", "BRDA:12,6,0,1", "BRDA:12,6,1,1", "BRF:4", "BRH:4"]
    );
    // b15 is false in the first invocation alone.
    let source =
        ".gsh point c0\n.out - position o0\n.proc main\n\tifu b15\n\t\tmov r0, v0\n\t.end\n\tend\n.end\n";
    let text = "[[case]]\nname = \"a\"\ninvocations = [{}, {}, {}]\ncalls = [\"main\"]";
    let file = of_source(source, text).expect("a file");
    let coverage = file.cases[0].check("", &file.shader, &Cpu).coverage;
    assert_eq!(coverage.sides.into_iter().collect::<Vec<_>>(), [(0, [2, 1])]);
    assert_eq!(coverage.words[..2], [3, 2]);
    // The later ones take an instruction more.
    let limited = |most: u64| {
        let text = text.replace("calls = [\"main\"]", &format!("instructions = {most}"));
        let file = of_source(source, &text).expect("a file");
        file.cases[0].check("", &file.shader, &Cpu).failure.is_none()
    };
    assert_eq!([2, 3].map(limited), [false, true]);
}

#[test]
fn triangles_are_those_that_are_submitted() {
    let source = ".gsh point c0\n.out - position o0\n.proc main\n\tmov o0, v0\n\tsetemit 0\n\temit\n\tsetemit 1\n\temit\n\t\
                  setemit 2\n\temit\n\tsetemit 2, prim\n\temit\n\tend\n.end\n";
    let failure = |triangles: &str| {
        let text = format!("[[case]]\nname = \"a\"\ninvocations = [{{}}]\ntriangles = {triangles}");
        let file = of_source(source, &text).expect("a file");
        file.cases[0].check("", &file.shader, &Cpu).failure.unwrap_or_default()
    };
    assert_eq!(failure("[[{}, {}, {}]]"), "");
    assert!(failure("[]").contains("expected 0 triangles, got 1"));
    assert!(failure("[[{}, {}, {}], [{}, {}, {}]]").contains("expected 2 triangles, got 1"));
    let inverted = failure("[{ vertices = [{}, {}, {}], inverted = true }]");
    assert!(inverted.contains("triangle 0: expected inverted, it is not"), "{inverted}");
}

/// A machine whose first output is 9.
struct Wrong;

impl Executor for Wrong {
    type Error = transpica::Error;
    fn name(&self) -> &str {
        "wrong"
    }
    fn outputs(&self, case: &executor::Case<'_>) -> transpica::Result<Vec<[[u32; 4]; 16]>> {
        Ok(vec![[[9f32.to_bits(); 4]; 16]; case.inputs.len()])
    }
}

#[test]
fn results_of_other_machines_are_those_compared() {
    let text = format!("[[case]]\nname = \"a\"\n{ROUNDS}expect.position = [4, 4, 4, 4]\n");
    let file = of_source(BRANCHES, &text).expect("a file");
    assert_eq!(file.cases[0].check("", &file.shader, &Batched).failure, None);
    let failure = file.cases[0].check("", &file.shader, &Wrong).failure.expect("another result");
    assert!(failure.contains("position.x (o0.x): expected 4.0, got 9.0"), "{failure}");
    assert!(failure.contains(" on wrong; the reference machine has 4.0\n"), "{failure}");
}

#[test]
fn no_part_and_no_slip_of_a_file_panics() {
    let sample = fs::read_to_string("../../shaders/points.test.toml").expect("a sample");
    let folder = folder("slips", &sample);
    let file = folder.join("points.test.toml");
    let mut loaded = 0;
    for (place, letter) in sample.char_indices().step_by(5) {
        let (before, behind) = (&sample[..place], &sample[place + letter.len_utf8()..]);
        let texts = [before.to_owned(), format!("{before}{behind}"), format!("{before}9{behind}")];
        for text in &texts {
            fs::write(&file, text).expect("writable");
            if let Ok(file) = TestFile::load(&file) {
                loaded += 1;
                file.cases.iter().for_each(|case| drop(case.check("", &file.shader, &Batched)));
            }
        }
    }
    let _ = fs::remove_dir_all(&folder);
    assert!(loaded > 50, "{loaded}");
}

#[test]
fn cases_hold_a_program_against_another() {
    let body = "mov r0, v0\nifu big\nadd r0, r0, r0\n.end\nmov o0, r0";
    let source = |body: &str| {
        format!(".out - position o0\n.in v0\n.fvec scale\n.bool big, other\n.proc main\n{body}\nend\n.end\n")
    };
    let long = |body: &str| {
        let text = source(&format!("mov r0, v0\nfor all\nfor all\n{body}\n.end\n.end\nmov o0, r0"));
        format!(".consti all(63, 0, 0, 0)\n{text}")
    };
    let files = |name: &str| {
        let text = match name {
            "a.v.pica" => source(body),
            "b.v.pica" => source("mov r3, v0\nadd o0, r3, r3"),
            "c.v.pica" => source("nop\nmov o0, v0"),
            "g.v.pica" => source(&format!("nop\n{body}")),
            "e.v.pica" => long("add r0, v0, r0"),
            "f.v.pica" => long("add r0, v0, r0\nadd r0, -v0, r0"),
            _ => return Err(Problem { message: format!("no {name}"), ..Problem::default() }),
        };
        Ok((name.to_owned(), text.into()))
    };
    let failure = |case: &str| {
        let text = format!("[[case]]\nname = \"same\"\n{case}");
        let file = TestFile::with("a.test.toml", &text, &files).map_err(|problem| problem.to_string());
        file.map(|file| file.cases[0].check("a.test.toml", &file.shader, &Cpu).failure)
    };
    assert_eq!(failure("equal = \"g.v.pica\""), Ok(None));
    assert_eq!(failure("equal = [\"g.v.pica\"]"), Ok(None));
    assert_eq!(failure("equal = \"b.v.pica\"\nuniforms = { big = true }"), Ok(None));
    assert_eq!(failure("equal = \"c.v.pica\"\nuniforms = { big = false }"), Ok(None));
    let copied = ["  a.v.pica:6: mov ", "  b.v.pica:7: add "];
    for (case, places) in [
        ("equal = \"b.v.pica\"\nuniforms = { big = false, other = true }", copied),
        ("equal = \"b.v.pica\"\nuniforms = { other = true }", copied),
        ("equal = \"c.v.pica\"\nuniforms = { big = true }", ["  a.v.pica:8: add ", "  c.v.pica:7: mov "]),
    ] {
        let text = failure(case).expect("a file").expect("a failure");
        assert!(text.starts_with("a.test.toml:2: same\nnot equal to "), "{text}");
        assert!(places.iter().all(|place| text.contains(place)), "{text}");
    }
    // Two programs that end for no vertex within the budget are not shown equal.
    let text = "[[case]]\nname = \"same\"\nequal = \"f.v.pica\"";
    let file = TestFile::with("e.test.toml", text, &files).expect("a file");
    let failure_of_endless = file.cases[0].check("e.test.toml", &file.shader, &Cpu).failure;
    let endless = failure_of_endless.expect("a failure");
    assert!(endless.contains("nothing was compared with f.v.pica: no vertex ends"), "{endless}");
    for (case, message) in [
        ("equal = \"d.v.pica\"", "no d.v.pica"),
        ("equal = \"a.v.pica\"", "a.test.toml:3:9: equal: a.v.pica is the same program"),
        ("equal = 3", "equal must be a text or a list of texts"),
        ("equal = [3]", "equal must be a text"),
        ("equal = \"b.v.pica\"\nuniforms = { scale = [0, 0, 0, 0] }", "only bools and ints are known"),
        (
            "equal = \"b.v.pica\"\nuniforms = { big = true, c.7 = [2, 0, 0, nan] }",
            "a.test.toml:4:12: uniforms: beside equal",
        ),
    ] {
        let error = failure(case).expect_err(message);
        assert!(error.contains(message), "{error}");
    }
    let error = failure("equal = \"b.v.pica\"\nexpect = { o0 = [1, 2, 3, 4] }").expect_err("an unknown key");
    assert!(error.contains("unknown key \"expect\""), "{error}");
    // What another program computes is no reason for mutants to live.
    let text = "[[case]]\nname = \"same\"\nequal = \"g.v.pica\"";
    let file = TestFile::with("a.test.toml", text, &files).expect("a file");
    let mutants = file.mutants().expect("mutants");
    assert!(!mutants.is_empty() && mutants.iter().all(|mutant| file.kills(mutant, 100)), "{}", mutants.len());
}
