//! Names of sources in shading languages: values by them, errors, other programs.

use super::*;
use crate::{Batched, Cpu, TestFile};
use transpica_compile::source::evaluate::Inputs;
use transpica_compile::source::{Options, lower, read};
use transpica_inspect::values::Random;

/// Uniforms of every kind, read by the host, by the program, or by both.
const SCENE: &str = "struct Light { turn: mat3x3f, color: vec3f, power: f32 }
struct Scene { projection: mat4x4f, view: mat4x4f, lights: array<Light, 2> }
struct Model { model: mat4x4f, kind: i32, bones: array<mat4x3f, 2> }
@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var<uniform> model: Model;
@group(0) @binding(2) var<uniform> tint: vec3f;
override lit: bool = false;
struct Out { @builtin(position) position: vec4f, @location(0) color: vec3f }
@vertex fn main(@location(0) tint_of: vec3f, @location(1) unread: vec2f, @location(2) bone: f32) -> Out {
    let clip = scene.projection * scene.view * model.model;
    var out: Out;
    out.position = clip * vec4f(model.bones[u32(bone)] * vec4f(tint_of, 1.0), 1.0);
    out.color = tint * scene.lights[0].color * (scene.lights[1].power + 1.0);
    if lit && model.kind == 2 { out.color = out.color * 2.0; }
    return out;
}";

/// A test file for a source, with other sources beside it.
fn load(name: &str, source: &str, text: &str) -> Result<TestFile, String> {
    let files = |wanted: &str| match wanted {
        _ if wanted == name => Ok((name.to_owned(), source.into())),
        "tripled.wgsl" => Ok((wanted.to_owned(), source.replace("kind == 2", "kind == 3").into())),
        "copy.wgsl" => Ok((wanted.to_owned(), source.into())),
        "lit.v.pica" => Ok((wanted.to_owned(), LIT.into())),
        "plain.v.pica" => Ok((wanted.to_owned(), LIT.replace(" add r0.xyz, r0, r0\n", "").into())),
        _ => Err(Problem { message: format!("no {wanted}"), ..Problem::default() }),
    };
    TestFile::with("a.test.toml", text, &files).map_err(|problem| problem.to_string())
}

/// Returns the state of a case of [`SCENE`].
fn state(file: &str, case: &str) -> Result<transpica_inspect::state::State, String> {
    let text = format!("{file}\n[[case]]\nname = \"a\"\ninstructions = 99\n{case}\n");
    Ok(load("a.wgsl", SCENE, &text)?.cases[0].rows[0].trial.state.clone())
}

/// A value in TOML, with the bits of each float.
fn toml(layout: &Layout, registers: &[[u32; 4]]) -> String {
    let lane = |scalar: Scalar, bits: u32| match scalar {
        Scalar::Float => format!("\"0x{bits:08x}\""),
        Scalar::Int => bits.cast_signed().to_string(),
        Scalar::Uint => bits.to_string(),
        Scalar::Bool => (bits != 0).to_string(),
    };
    let row = |scalar: Scalar, row: &[u32]| {
        format!("[{}]", row.iter().map(|&bits| lane(scalar, bits)).collect::<Vec<_>>().join(", "))
    };
    match layout {
        Layout::Leaf(shape) if shape.is_scalar() => lane(shape.scalar, registers[0][0]),
        Layout::Leaf(shape) if shape.is_matrix() => {
            let rows = registers.iter().take(shape.rows.into());
            let rows = rows.map(|one| row(shape.scalar, &one[..usize::from(shape.columns)]));
            format!("[{}]", rows.collect::<Vec<_>>().join(", "))
        }
        Layout::Leaf(shape) => row(shape.scalar, &registers[0][..usize::from(shape.rows)]),
        Layout::Struct(members) => {
            let mut rest = registers;
            let member = members.iter().map(|(name, member)| {
                let (own, after) = rest.split_at(member.registers());
                rest = after;
                format!("{name} = {}", toml(member, own))
            });
            format!("{{ {} }}", member.collect::<Vec<_>>().join(", "))
        }
        Layout::Array(element, count) => {
            let own = (0..*count).map(|index| &registers[index * element.registers()..]);
            format!("[{}]", own.map(|own| toml(element, own)).collect::<Vec<_>>().join(", "))
        }
    }
}

/// Every shader of the compiler's tests: all uniforms and attributes by their names are the
/// registers that the host computes.
#[test]
fn declared_names_set_the_registers_of_every_shader() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../compile/tests/shaders");
    let mut names: Vec<String> = std::fs::read_dir(folder.clone())
        .expect("shaders")
        .map(|entry| entry.expect("a file").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let (mut all, mut of_host) = (0, 0);
    for name in names {
        let source = std::fs::read_to_string(folder.join(&name)).expect("a text");
        let language = Language::of(Path::new(&name)).expect("known");
        let module = read(language, source.as_bytes()).expect("valid");
        let interface = &lower(&module, &Options::of(language)).expect("in the subset").interface;
        let mut random = Random::new(0, &name);
        let inputs = Inputs::random(&mut random, interface);
        let mut text =
            format!("shader = \"{name}\"\n[[case]]\nname = \"a\"\ninstructions = 9999\n[case.uniforms]\n");
        for (uniform, registers) in interface.uniforms.iter().zip(inputs.uniforms.iter()) {
            let own = format!("\"{}\"", uniform.name);
            // Half of the members by the way that the source writes.
            let path = uniform.member.as_ref().filter(|_| random.below(2) == 0);
            let path = path.map_or(own, |(variable, member)| format!("\"{variable}.{member}\""));
            text += &format!("{path} = {}\n", toml(&uniform.layout, registers));
        }
        text += "[case.attributes]\n";
        for attribute in &interface.attributes {
            let lanes = inputs.attributes[usize::from(attribute.register)].map(f32::to_bits);
            let count = usize::from(attribute.shape.rows);
            let layout = Layout::Leaf(Shape::vector(Scalar::Float, attribute.shape.rows.max(2)));
            let value =
                if count == 1 { format!("[\"0x{:08x}\"]", lanes[0]) } else { toml(&layout, &[lanes]) };
            text += &format!("{} = {value}\n", attribute.name);
        }
        let file = load(&name, &source, &text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        let found = &file.cases[0].rows[0].trial.state;
        let expected = interface.registers(&inputs.uniforms).expect("values");
        let free = usize::from(interface.free);
        let bits =
            |rows: &[[f32; 4]]| rows[..free].iter().map(|row| row.map(f32::to_bits)).collect::<Vec<_>>();
        assert_eq!(bits(&found.uniforms.floats), bits(&expected.floats), "{name}\n{text}");
        assert_eq!((found.uniforms.ints, found.uniforms.bools), (expected.ints, expected.bools), "{name}");
        for attribute in &interface.attributes {
            let register = usize::from(attribute.register);
            let given = inputs.attributes[register].map(f32::to_bits);
            assert_eq!(found.vertices[0][register], given, "{name} {}", attribute.name);
        }
        (all, of_host) = (all + 1, of_host + usize::from(!interface.derived.is_empty()));
    }
    assert!(all > 30 && of_host > 10, "{all} {of_host}");
}

const WHOLE: &str = "uniforms = { projection = \"identity\", view = \"identity\", model = \"identity\" }";

#[test]
fn layers_set_parts_and_names_of_registers() {
    let clip = |file: &str, case: &str| {
        let state = state(file, case).unwrap_or_else(|error| panic!("{error}"));
        let Lowered { declared, .. } =
            compile("a.wgsl", SCENE.as_bytes(), &Choices::default()).expect("known").expect("compiles");
        let clip = declared.interface.derived.iter().find(|one| one.name == "clip").expect("clip").register;
        state.uniforms.floats[usize::from(clip)]
    };
    let moved = [1.0, 0.0, 0.0, 7.0];
    assert_eq!(clip(WHOLE, ""), [1.0, 0.0, 0.0, 0.0]);
    // A layer changes one factor of three; the variable and the member have one name.
    for case in [
        "uniforms.view = { translate = [7, 0, 0] }",
        "uniforms.scene.view = { translate = [7, 0, 0] }",
        "uniforms.scene = { view = [[1, 0, 0, 7], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]] }",
        "uniforms.\"scene.view\" = { translate = [7, 0, 0] }",
        "uniforms.model = { translate = [7, 0, 0] }",
        "uniforms.model = { model = { translate = [7, 0, 0] } }",
        "uniforms.\"model.model\" = { translate = [7, 0, 0] }",
        "rows = [{ uniforms.model.model = { translate = [7, 0, 0] } }]",
    ] {
        assert_eq!(clip(WHOLE, case), moved, "{case}");
    }
    // By the name that the compiler gives, and without values.
    let computed = "uniforms.clip = { translate = [7, 0, 0] }";
    assert_eq!(clip(WHOLE, computed), moved);
    assert_eq!(clip(&format!("{WHOLE}\n"), "uniforms.view = \"identity\""), [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(clip("", ""), [0.0; 4]);
    // Projections have the depth of WGSL: z of the near plane is 0.
    let near = "uniforms.projection = { ortho = [-1, 1, -1, 1, 2, 4] }";
    let text = format!(
        "{WHOLE}\n[[case]]\nname = \"near\"\n{near}\nuniforms.bones = [\"identity\"]\n\
         attributes.tint_of = [0, 0, -2]\nexpect = {{ position = [0, 0, -1, 1], color = [0, 0, 0] }}\n"
    );
    let lit = text
        .replace("attributes.", "uniforms.tint = [1, 2, 3]\nuniforms.lights = [{ color = [1, 1, 2] }, { power = 3 }]\nattributes.")
        .replace("color = [0, 0, 0]", "color = [4, 8, 24]");
    for text in [&text, &lit] {
        let file = load("a.wgsl", SCENE, text).expect("a file");
        assert_eq!(file.cases[0].check("", &file.shader, &Batched).failure, None, "{text}");
    }
    let file = load("a.wgsl", SCENE, &text).expect("a file");
    assert!(file.cases[0].check("", &file.shader, &Cpu).coverage.words.iter().sum::<u64>() > 5);
}

#[test]
fn parts_of_arrays_keep_the_others() {
    let values = |uniforms: &str| {
        let text = format!("[[case]]\nname = \"a\"\nuniforms = {{ {uniforms} }}\n");
        let Lowered { declared, .. } =
            compile("a.wgsl", SCENE.as_bytes(), &Choices::default()).expect("known").expect("compiles");
        let reader = Reader { name: "a", text: &text };
        let root = reader.parse().expect("TOML");
        let case = reader.table(&root["case"].get_ref().as_array().expect("a list")[0], "").expect("a table");
        let uniforms = reader.table(&case["uniforms"], "").expect("a table");
        let symbols = crate::Shader::of_files(&[("a.wgsl".into(), SCENE.into())]).expect("a shader");
        let symbols = &symbols.executables[0].symbols;
        let values = Values::new(&declared, (reader, symbols), &[uniforms]).expect("it fits");
        let power = declared.find("lights[1].power").expect("there").0;
        let color = declared.find("scene.lights.0.color").expect("there").0;
        let lane = |part: Part| f32::from_bits(values.values[part.uniform][part.offset][0]);
        (lane(color), lane(power))
    };
    assert_eq!(values("lights = [{ color = [5, 6, 7] }, { power = 3 }]"), (5.0, 3.0));
    assert_eq!(values("lights = { 1 = { power = \"1/4\" } }"), (0.0, 0.25));
    assert_eq!(values("\"lights[1].power\" = 2, \"lights[0]\" = { color = [1, 2, 3] }"), (1.0, 2.0));
    assert_eq!(values("lights = [{ color = [5, 6, 7] }], \"scene.lights[1]\".power = 4"), (5.0, 4.0));
}

#[test]
fn values_of_other_types_are_errors_at_their_places() {
    let error =
        |uniforms: &str| state("", &format!("[case.uniforms]\n{uniforms}")).map(drop).expect_err("an error");
    for (uniforms, expected) in [
        ("tint = [1, 2, 3, 4]", "6:8: uniforms.tint is a vec3<f32>: it must be a list of 3, each a number"),
        ("tint = [1, 2]", "6:8: uniforms.tint is a vec3<f32>: it must be a list of 3, each a number"),
        ("tint = 1", "6:8: uniforms.tint is a vec3<f32>: it must be a list of 3, each a number"),
        (
            "kind = 1.5",
            "6:8: uniforms.kind is a i32: it must be a whole number from -2147483648 to 2147483647",
        ),
        (
            "kind = 2147483648",
            "6:8: uniforms.kind is a i32: it must be a whole number from -2147483648 to 2147483647",
        ),
        ("lit = 2", "6:7: uniforms.lit is a bool: it must be a truth value"),
        (
            "view = [1, 2, 3, 4]",
            "6:8: uniforms.view is a mat4x4<f32>: it must be a matrix, or 4 rows of 4 numbers",
        ),
        (
            "view = { turn = 1 }",
            "6:10: uniforms.view: unknown key \"turn\", use look_at, ortho, perspective, product, rotate, scale, translate",
        ),
        (
            "bones = [\"identity\", \"identity\", \"identity\"]",
            "6:34: uniforms.bones must be a list of at most 2 values, or a table of them by index",
        ),
        (
            "bones = { 2 = \"identity\" }",
            "6:15: uniforms.bones must be a list of at most 2 values, or a table of them by index",
        ),
        ("bones = []", "6:9: uniforms.bones must be a list of at most 2 values, or a table of them by index"),
        (
            "lights = [{ colour = [1, 2, 3] }]",
            "6:13: uniforms.lights[0]: unknown key \"colour\", did you mean `color`?",
        ),
        (
            "scene = { views = \"identity\" }",
            "6:11: uniforms.scene: unknown key \"views\", did you mean `view`?",
        ),
        ("scene = 1", "6:9: uniforms.scene must be a table"),
        ("veiw = \"identity\"", "6:1: uniforms: unknown key \"veiw\", did you mean `view`?"),
        (
            "\"lights[2].power\" = 1",
            "6:1: uniforms: unknown key \"lights[2].power\", use c, i, b, projection, view, lights, model, kind, bones, tint, lit, clip, lit_kind_tint",
        ),
    ] {
        assert_eq!(error(uniforms), format!("a.test.toml:{expected}"), "{uniforms}");
    }
    assert!(state("", "uniforms.kind = 2147483647").is_ok());
    // What the compiler refuses has a place in the source.
    let text = "[[case]]\nname = \"a\"\ninstructions = 9\n";
    let refused = SCENE.replace("out.color * 2.0", "out.colour");
    let refused = load("a.wgsl", &refused, text).map(drop).expect_err("refused");
    assert!(refused.starts_with("a.wgsl:14:49: "), "{refused}");
    // Columns are characters, also where the line was rewritten before and after the place.
    let vert = "attribute vec4 p;\nuniform bool lit;\nvoid main() {\n  /* \u{e4} */ if (lit && p.x < 1.0 && lit) {}\n\
                \x20 gl_Position = p;\n}";
    for (from, to, place) in [("p.x", "x", "4:22"), ("= p", "= /* \u{e4} */ q", "5:25")] {
        let refused = load("a.vert", &vert.replace(from, to), text).map(drop).expect_err("refused");
        assert!(refused.starts_with(&format!("a.vert:{place}: ")), "{refused}");
    }
}

/// [`SCENE`] for a kind of 2 where it is lit, in the assembler's language.
const LIT: &str = ".fvec tint\n.in p v0\n.out - position o0\n.out - color o1.xyz\n\
    .proc main\n mov r1, p\n add r1.z, p.z, -p.w\n mov o0, r1\n mul r0.xyz, tint, p\n add r0.xyz, r0, r0\n \
    mov o1.xyz, r0\n end\n.end\n";

/// A number and a bool that become bool registers, and a number that the program reads as well.
const FLAGS: &str = "struct Scene { kind: u32, lit: u32, edge: f32 }
@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var<uniform> tint: vec3f;
override on: bool = false;
struct Out { @builtin(position) position: vec4f, @location(0) color: vec3f }
@vertex fn main(@location(0) p: vec4f) -> Out {
    var out = Out(p * f32(scene.kind + 2), tint * p.xyz);
    if scene.lit != 0 { out.color = out.color + p.zzx; }
    if on && scene.edge > 0.5 { out.color = out.color + p.yzx; }
    if scene.kind == 1 { out.color = out.color * p.xyz; }
    return out;
}";

#[test]
fn the_innermost_layer_counts_by_whatever_name() {
    let state = |file: &str, case: &str, row: &str| {
        let text = format!(
            "uniforms = {{ {file} }}\n[[case]]\nname = \"a\"\ninstructions = 99\nuniforms = {{ {case} }}\n\
             rows = [{{ uniforms = {{ {row} }} }}]\n"
        );
        let file = load("a.wgsl", FLAGS, &text)?;
        Ok::<_, String>(file.cases[0].rows[0].trial.state.uniforms.clone())
    };
    let bools = |file: &str, case: &str, row: &str| state(file, case, row).map(|uniforms| uniforms.bools);
    for (file, case, row, expected) in [
        // b0 is lit, b1 on, b2 one kind.
        ("b.0 = true", "", "", 1),
        ("b.0 = true", "lit = 0", "", 0),
        ("b.0 = true", "lit = false", "", 0),
        ("b.0 = true", "scene.lit = 0", "", 0),
        ("b.0 = true", "b.0 = false", "", 0),
        ("b.0 = true", "", "lit = 0", 0),
        ("b.0 = false", "lit = true", "", 1),
        ("lit = true", "b.0 = 0", "", 0),
        ("lit = 1", "b.0 = false", "scene.lit = 7", 1),
        ("lit = 0", "b.0 = true", "", 1),
        // Registers stay where another name sets others.
        ("b = { 0 = true, 1 = true, 2 = true }", "lit = 0", "kind = 0", 2),
        ("b = { 0 = true, 1 = true, 2 = true }", "tint = [1, 1, 1]", "edge = 9", 5),
        // What a layer changes is computed from all of them.
        ("on = true, edge = 1", "b.1 = false", "edge = 2", 2),
        ("on = 1", "b.1 = true", "edge = false", 0),
        ("edge = true", "b.1 = false", "on = true", 2),
    ] {
        assert_eq!(bools(file, case, row), Ok(expected), "{file}; {case}; {row}");
    }
    // A packed value leaves other lanes.
    let floats = |file: &str, case: &str| state(file, case, "").expect("a file").floats;
    let tint =
        floats("tint = [1, 2, 3]", "").iter().position(|row| row[..3] == [1.0, 2.0, 3.0]).expect("tint");
    assert_eq!(floats(&format!("c.{tint} = [9, 9, 9, 9]"), "tint = [1, 2, 3]")[tint], [1.0, 2.0, 3.0, 9.0]);
    let register = format!("c.{tint} = [0, 0, 0, 0]");
    assert_eq!(floats("tint = [1, 2, 3]", &register)[tint], [0.0; 4]);
    // At one level two names for a register contradict each other.
    for (uniforms, error) in [
        ("lit = 0, b.0 = true", "5:29: uniforms.b.0: the file sets b0 twice, also as uniforms.lit"),
        ("b.0 = 0, scene.lit = 0", "5:20: uniforms.b.0: the file sets b0 twice, also as uniforms.scene.lit"),
        ("edge = 1, b.1 = true", "5:30: uniforms.b.1: the file sets b1 twice, also as uniforms.edge"),
        ("lit = 0, scene.lit = 0", "5:35: uniforms.scene.lit: the file sets it twice, also as uniforms.lit"),
        (
            &format!("tint = [1, 2, 3], {register}"),
            &format!("5:38: uniforms.c.{tint}: the file sets c{tint} twice, also as uniforms.tint"),
        ),
    ] {
        let expected = Err(format!("a.test.toml:{error}"));
        assert_eq!(bools("", uniforms, ""), expected, "{uniforms}");
        let row = bools("", "", uniforms).map_err(|error| error.split(": ").skip(1).collect::<String>());
        assert_eq!(row, expected.map_err(|error| error.split(": ").skip(1).collect()), "{uniforms}");
    }
    let kind = bools("", "kind = true", "").expect_err("no flag alone");
    assert!(kind.ends_with("kind is a u32: it must be a whole number from 0 to 4294967295"), "{kind}");
    let twice = "[[case]]\nname = \"a\"\ninstructions = 99\nattributes = { p = [1], v0 = [2] }\n";
    let twice = load("a.wgsl", FLAGS, twice).map(drop);
    assert_eq!(twice, Err("a.test.toml:4:25: attributes.v0: the vertex sets v0 twice".into()));
}

/// A program with a test of two uniforms, and of each.
const TESTS: &str = "struct Scene { kind: i32, lit: i32 }
@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(2) var<uniform> tint: vec3f;
struct Out { @builtin(position) position: vec4f, @location(0) color: vec3f }
@vertex fn main(@location(0) p: vec4f) -> Out {
    var out = Out(p, tint * p.xyz);
    if scene.lit != 0 && scene.kind == 2 { out.color = out.color + out.color; }
    return out;
}";

#[test]
fn a_twin_has_its_registers_computed_in_the_same_way() {
    let loaded =
        |other: &str| load("a.wgsl", TESTS, &format!("[[case]]\nname = \"a\"\nequal = \"{other}.wgsl\"\n"));
    // Of equal words, but another host.
    let file = loaded("tripled").unwrap_or_else(|error| panic!("{error}"));
    let failure = file.cases[0].check("", &file.shader, &Cpu).failure.unwrap_or_default();
    assert!(failure.contains("tripled.wgsl has the host compute "), "{failure}");
    let error = loaded("copy").expect_err("itself");
    assert!(error.contains("copy.wgsl is the same program"), "{error}");
}

#[test]
fn a_twin_knows_the_flags_whose_uniforms_the_case_sets() {
    let failure = |other: &str, uniforms: &str| {
        let text =
            format!("[[case]]\nname = \"a\"\nequal = \"{other}.v.pica\"\nuniforms = {{ {uniforms} }}\n");
        let file = load("a.wgsl", TESTS, &text).unwrap_or_else(|error| panic!("{error}"));
        file.cases[0].check("", &file.shader, &Cpu).failure
    };
    for (uniforms, is_lit) in
        [("lit = 1, kind = 2", true), ("lit = 1, kind = 3", false), ("lit = 0, kind = 2", false)]
    {
        assert_eq!(failure("lit", uniforms).is_none(), is_lit, "{uniforms}");
        assert_eq!(failure("plain", uniforms).is_none(), !is_lit, "{uniforms}");
    }
    // Unknown flags may have either value.
    for uniforms in ["lit = 1", "kind = 2", ""] {
        assert!(failure("lit", uniforms).is_some() && failure("plain", uniforms).is_some(), "{uniforms}");
    }
}

#[test]
fn a_source_is_found_beside_its_tests_before_a_container() {
    let text = "[[case]]\nname = \"a\"\ninstructions = 9\n";
    for extension in extensions().filter(|extension| *extension != "spv") {
        let source = if extension == "wgsl" {
            TESTS.to_owned()
        } else {
            "#version 450\nlayout(location = 0) in vec4 p;\nvoid main() { gl_Position = p; }".to_owned()
        };
        let file = load(&format!("a.{extension}"), &source, text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(file.shader.files, [format!("a.{extension}")]);
    }
    let found = |second: &str| {
        let files = |wanted: &str| match wanted {
            "a.wgsl" => Ok((wanted.to_owned(), TESTS.into())),
            _ if wanted == second => Ok((wanted.to_owned(), LIT.into())),
            _ => Err(Problem::default()),
        };
        TestFile::with("a.test.toml", text, &files)
    };
    assert_eq!(found("a.shbin").expect("a file").shader.files, ["a.wgsl"]);
    let message = found("a.v.pica").expect_err("two sources").to_string();
    assert!(message.contains("a.v.pica and a.wgsl are beside it"), "{message}");
}

#[test]
fn completion_has_declared_names_with_types() {
    let shader = crate::Shader::of_files(&[("a.wgsl".into(), SCENE.into())]).expect("a shader");
    let types = |text: &str| crate::complete(text, Some(&shader)).1;
    for (text, name, expected) in [
        ("[uniforms]\n", "view", "mat4x4<f32>"),
        ("[uniforms]\n", "lights", "struct[2]"),
        ("[uniforms]\n", "kind", "i32"),
        ("[attributes]\n", "unread", "vec2<f32>"),
        ("[case.expect]\n", "color", "vec3<f32>"),
    ] {
        let found = types(text);
        assert!(found.iter().any(|(own, kind)| own == name && kind == expected), "{name}: {found:?}");
    }
}

/// Two entry points, an output without a semantic, an attribute of bytes.
const CHOSEN: &str = "struct Out { @builtin(position) position: vec4f, @location(0) vTint: vec4f }
@vertex fn one(@location(0) place: vec4f, @location(1) tint: vec4f) -> Out { return Out(place, tint); }
@vertex fn two(@location(0) place: vec4f) -> Out { return Out(place, place.wwww); }";

#[test]
fn choices_are_those_of_the_compiler() {
    let check = |compile: &str, expect: &str| {
        let case = "[[case]]\nname = \"a\"\nattributes = { place = [2, 3, 4, 5], tint = [255, 0, 51, 255] }";
        let text = format!("compile = {compile}\n{case}\nexpect = {{ vTint = {expect} }}\n");
        let file = load("a.wgsl", CHOSEN, &text)?;
        Ok::<_, String>(file.cases[0].check("", &file.shader, &Cpu).failure)
    };
    let tint = "output-as = { vTint = \"color\" }";
    assert_eq!(check(&format!("{{ entry = \"one\", {tint} }}"), "[255, 0, 51, 255]"), Ok(None));
    let near = "{ near = [1, 0, 0.2, 1], ulp = 1 }";
    assert_eq!(check(&format!("{{ entry = \"one\", scaled = \"tint\", {tint} }}"), near), Ok(None));
    let by_location = "{ entry = \"one\", output-as = { 0 = \"color\" } }";
    assert_eq!(check(by_location, "[255, 0, 51, 255]"), Ok(None));
    let error = |compile: &str| check(compile, "[0, 0, 0, 0]").expect_err("an error");
    let near = error("{ output-as = { vTint = \"colour\" } }");
    assert_eq!(near, "a.test.toml:1:35: output-as.vTint: did you mean `color`?");
    let none = error("{ output-as = { vTint = \"light\" } }");
    assert!(none.ends_with("none") && none.contains("vTint: semantics are position, color, "), "{none}");
    assert!(
        error("{ entri = \"one\" }").starts_with("a.test.toml:1:13: compile: unknown key \"entri\", did you")
    );
    assert!(error(&format!("{{ {tint} }}")).starts_with("a.wgsl: "), "two entry points");
    let left_out = error("{ entry = \"one\", output-as = { vTint = \"none\" } }");
    assert!(left_out.contains("expect: unknown key \"vTint\""), "{left_out}");
    // Ranges of the comparison with the source.
    let range = |assume: &str| format!("{{ entry = \"one\", {tint}, assume = {{ {assume} }} }}");
    assert_eq!(check(&range("place = \"2^10\", attributes = \"finite\""), "[255, 0, 51, 255]"), Ok(None));
    let unknown = error(&range("nosuch = \"2^10\""));
    let message = "a.wgsl: no attribute or uniform nosuch; there are place, tint";
    assert_eq!(unknown, format!("a.test.toml:1:72: {message}"));
    let scaled = error(&format!("{{ entry = \"one\", scaled = \"tnt\", {tint} }}"));
    assert!(
        scaled.starts_with("a.test.toml:1:37: a.wgsl: no attribute tnt; ") && scaled.ends_with("`tint`?"),
        "{scaled}"
    );
    let wrong = error(&range("place = \"2^4..2^2\""));
    assert!(
        wrong.contains(": assume.place: a promise gives a range: finite, 2^N, below:N or 2^M..2^N, with N "),
        "{wrong}"
    );
    assert_eq!(check(&range("place = \"2^-128..2^128\", tint = \"below:0\""), "[255, 0, 51, 255]"), Ok(None));
    for outside in ["2^-129..2^128", "2^4..2^129", "below:129", "2^4..2^4", "below:-1"] {
        let wrong = error(&range(&format!("place = \"{outside}\"")));
        assert!(wrong.ends_with(", with N from 0 to 128, M from -128, M below N"), "{wrong}");
    }
    let number = error(&range("place = 4"));
    assert!(number.ends_with(": assume.place must be a text"), "{number}");
    let case = "[[case]]\nname = \"a\"\nattributes.place = []\nexpect.position = [0, 0, 0, 1]\n";
    let typed = load("a.wgsl", CHOSEN, &format!("compile = {{ entry = \"one\", {tint} }}\n{case}"));
    let typed = typed.map(drop).expect_err("no component");
    assert!(
        typed.ends_with("attributes.place must be a list of numbers, those of its vec4<f32> in the source")
    );
    let other = "shader = \"lit.v.pica\"\ncompile = {}\n[[case]]\nname = \"a\"\ninstructions = 9\n";
    let other = load("a.wgsl", CHOSEN, other).map(drop);
    assert_eq!(other, Err("a.test.toml:2:11: compile is for a source in a shading language".into()));
}

/// A bool that decides what a line adds.
const LINES: &str = "override lit: bool = false;
@group(0) @binding(0) var<uniform> tint: vec4f;
struct Out { @builtin(position) position: vec4f, @location(0) color: vec4f }
@vertex fn main(@location(0) place: vec4f) -> Out {
    var color = place * tint;
    if lit {
        color = color * place;
    }
    return Out(place, color + 1.0);
}";

#[test]
fn failures_and_coverage_have_the_lines_of_the_source() {
    let text = "[[case]]\nname = \"a\"\nexpect = { color = [9, 1, 1, 1] }\n";
    let file = load("a.wgsl", LINES, text).expect("a file");
    let checked = file.cases[0].check("", &file.shader, &Cpu);
    let failure = checked.failure.expect("another color");
    let row = "\n  a.wgsl:5: var color = place * tint;\n> a.wgsl:5  0x";
    assert!(failure.contains(row), "{failure}");
    let covered = crate::coverage::by_file(&[(&file.shader, checked.coverage)]);
    let lines = &covered["a.wgsl"];
    let lit: Vec<_> = lines.branches.iter().map(|((line, _), sides)| (*line, *sides)).collect();
    assert_eq!(lit, [(6, [0, 1])]);
    let ran: Vec<_> = lines.lines.iter().map(|(line, count)| (*line, *count)).collect();
    assert_eq!(ran, [(5, 1), (6, 1), (7, 0), (9, 1)]);
}

#[test]
fn a_copy_to_an_output_has_the_line_that_stores_it() {
    let shader = "@group(0) @binding(0) var<uniform> mvp: mat4x4f;
@group(0) @binding(1) var<uniform> tint: vec4f;
struct O { @builtin(position) position: vec4f, @location(0) color: vec4f }
@vertex fn main(@location(0) p: vec3f) -> O {
    var o: O;
    o.position = mvp * vec4f(p, 1.0);
    o.color = tint * 2.0;
    return o;
}";
    let text = "[[case]]\nname = \"a\"\nuniforms = { mvp = \"identity\", tint = [1, 1, 1, 1] }\n\
                attributes = { p = [0, 0, 0] }\nexpect = { color = [1, 1, 1, 1] }\n";
    let file = load("a.wgsl", shader, text).expect("a file");
    let failure = file.cases[0].check("", &file.shader, &Cpu).failure.expect("another color");
    assert!(failure.contains("\n  a.wgsl:7: o.color = tint * 2.0;\n"), "{failure}");
    assert!(!failure.contains("a.wgsl:6:"), "{failure}");
}

/// Two arms of several lines.
const ARMS: &str = "struct Light { color: vec3f, power: f32 }
struct Scene { lights: array<Light, 2>, turn: mat3x3f, edge: f32 }
@group(0) @binding(0) var<uniform> scene: Scene;
struct Out { @builtin(position) position: vec4f, @location(0) color: vec4f, @location(1) uv: vec2f }
@vertex fn main(@location(0) place: vec4f, @location(1) shade: f32) -> Out {
    var color = scene.turn * place.xyz * scene.lights[1].power;
    if place.x < scene.edge {
        color = color * place.xyz;
        color.y = color.x + scene.lights[0].color.z;
    } else {
        color = color + place.zyx;
        color.z = color.y * place.w;
    }
    return Out(place, vec4f(color, shade), place.yz);
}";

#[test]
fn lines_of_an_arm_that_is_not_taken_do_not_run() {
    for (x, taken) in [(-1, [1, 1, 0, 0]), (1, [0, 0, 1, 1])] {
        let text = format!("[[case]]\nname = \"a\"\nattributes.place = [{x}, 0, 0]\ncalls = [\"main\"]\n");
        let file = load("a.wgsl", ARMS, &text).expect("a file");
        let checked = file.cases[0].check("", &file.shader, &Cpu);
        let covered = crate::coverage::by_file(&[(&file.shader, checked.coverage)]);
        let ran: Vec<_> = covered["a.wgsl"].lines.iter().map(|(&line, &count)| (line, count)).collect();
        let [a, b, c, d] = taken;
        assert_eq!(ran, [(6, 1), (7, 1), (8, a), (9, b), (11, c), (12, d), (14, 1)]);
        let lcov = crate::coverage::lcov(&covered);
        assert!(lcov.contains(&format!("DA:7,1\nDA:8,{a}\nDA:9,{b}\nDA:11,{c}\nDA:12,{d}\n")), "{lcov}");
        assert!(lcov.contains("\nBRDA:7,"), "{lcov}");
    }
}

#[test]
fn failures_name_what_the_source_declares() {
    let text = "[[case]]\nname = \"a\"\nattributes = { place = [-1, 0, 0] }\n\
                expect = { color = [1, \"_\", 1, 5], uv = [2, 0] }\n";
    let file = load("a.wgsl", ARMS, text).expect("a file");
    let failure = file.cases[0].check("", &file.shader, &Cpu).failure.expect("wrong");
    let made: Vec<&str> = failure.lines().filter(|line| line.starts_with("made")).collect();
    assert_eq!(made, ["made from lights[1].power, turn, place.xyz, shade", "made from place.y"]);
    let wrong: Vec<&str> =
        failure.lines().filter_map(|line| Some(line.split_once(": expected ")?.0)).collect();
    let colors = ["x", "z", "w"].map(|one| format!("vertex 0, color.{one} (o1.{one})"));
    assert_eq!(wrong, [&colors[..], &["vertex 0, uv.x (o2.x)".to_owned()]].concat());
    // Messages list declared names before semantics.
    let error = load("a.wgsl", ARMS, &text.replace("uv =", "texture =")).map(drop).expect_err("unknown");
    assert!(
        error.ends_with("unknown key \"texture\", use position, color, uv, texcoord0, o0..o15"),
        "{error}"
    );
    assert!(load("a.wgsl", ARMS, &text.replace("uv =", "texcoord0 =")).is_ok());
}

/// Arms with the same end, and a truth value that is tested some lines after it was computed.
const ENDS: &str = "struct Scene { edge: f32, tint: vec4f }
@group(0) @binding(0) var<uniform> scene: Scene;
struct Out { @builtin(position) position: vec4f, @location(0) color: vec4f }
@vertex fn main(@location(0) place: vec4f) -> Out {
    var color = place * scene.tint;
    if place.x < scene.edge {
        color = color * place;
        color.y = color.x + scene.tint.z;
    } else {
        color = color + place.wzyx;
        color.y = color.x + scene.tint.z;
    }
    let is = (place.x < scene.edge) != (place.y < scene.edge);
    color.x = color.w * 3.0;
    if is {
        color = color * color.wzyx;
    }
    return Out(place, color + 1.0);
}";

#[test]
fn what_arms_share_is_no_line_of_one_and_a_test_has_the_line_of_its_branch() {
    for (x, lines) in [(-1, [10, 11]), (1, [7, 8])] {
        let text = format!("[[case]]\nname = \"a\"\nattributes.place = [{x}, 0, 0]\ncalls = [\"main\"]\n");
        let file = load("a.wgsl", ENDS, &text).expect("a file");
        let checked = file.cases[0].check("", &file.shader, &Cpu);
        let covered = &crate::coverage::by_file(&[(&file.shader, checked.coverage)])["a.wgsl"];
        let count = |line| covered.lines.get(line).copied().unwrap_or(0);
        assert_eq!(lines.each_ref().map(count), [0, 0], "{x}: {covered:?}");
        assert_eq!([6, 15].each_ref().map(count), [1, 1], "{x}: {covered:?}");
        let branches = covered.branches.keys().map(|&(line, _)| line);
        assert!(
            branches.clone().any(|line| line == 15) && !branches.clone().any(|line| line == 14),
            "{covered:?}"
        );
    }
}
