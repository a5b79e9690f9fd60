//! Interfaces of lowered programs: registers, names, and what moves to the host.

use crate::ir::text::print;
use transpica::container::Semantic;
use transpica_compile::source::{Depth, Interface, Language, Lowered, Options, Role, lower, read};

fn lowered(text: &str, options: &Options) -> Lowered {
    let source = read(Language::Wgsl, text.as_bytes()).unwrap_or_else(|error| panic!("{error}"));
    lower(&source, options).unwrap_or_else(|error| panic!("{error}"))
}

/// Names and registers of all uniforms that have one.
fn registers(interface: &Interface) -> Vec<String> {
    let declared =
        interface.uniforms.iter().filter_map(|uniform| Some((&uniform.name, uniform.register?, 0)));
    let derived = interface.derived.iter().map(|derived| (&derived.name, derived.register, derived.lane));
    let floats = declared.chain(derived).map(|(name, register, lane)| format!("{name} c{register}.{lane}"));
    let flags = interface.flags.iter().map(|flag| format!("{} b{}", flag.name, flag.register));
    let counts = interface
        .counts
        .iter()
        .map(|count| format!("{} i{} {} {}", count.name, count.register, count.start, count.step));
    floats.chain(flags).chain(counts).collect()
}

const MATRICES: &str = "
struct Matrices { model: mat4x4f, view: mat4x4f, projection: mat4x4f, normals: mat3x3f, time: f32 }
@group(0) @binding(0) var<uniform> m: Matrices;
struct Out { @builtin(position) position: vec4f, @location(0) normal: vec3f }
";

#[test]
fn what_depends_on_uniforms_only_moves_to_the_host() {
    let text = MATRICES.to_string()
        + "@vertex fn main(@location(0) p: vec3f, @location(1) n: vec3f) -> Out {
            let scale = sin(m.time) + 2.0;
            let mvp = m.projection * m.view * m.model;
            return Out(mvp * vec4f(p * scale, 1.0), m.normals * n * cos(m.time));
        }";
    let expected = ["normals c0.0", "scale c3.0", "mvp c4.0", "cos_time c3.1"];
    assert_eq!(registers(&lowered(&text, &Options::default()).interface), expected);
}

#[test]
fn reads_negations_and_transpositions_stay() {
    let text = MATRICES.to_string()
        + "@vertex fn main(@location(0) p: vec3f) -> Out {
            let p4 = transpose(m.projection) * vec4f(p, -m.time);
            return Out(p4, normalize(p));
        }";
    assert_eq!(registers(&lowered(&text, &Options::default()).interface), ["projection c0.0", "time c4.0"]);
}

#[test]
fn tests_of_the_host_are_bools_and_rounds_are_ints() {
    let text = "
struct Uniforms { lights: array<array<vec4f, 2>, 4>, count: i32, lit: i32, unused: vec4f }
@group(0) @binding(0) var<uniform> u: Uniforms;
@vertex fn main(@location(0) p: vec4f) -> @builtin(position) vec4f {
    var sum = p;
    if u.lit != 0 { for (var i = 1; i < u.count; i++) { sum += u.lights[i][1]; } }
    return sum;
}";
    let lowered = lowered(text, &Options::default());
    // The first flag leaves out loops of no rounds.
    let expected = ["lights c0.0", "count_test b0", "lit b1", "count_rounds i0 2 2"];
    assert_eq!(registers(&lowered.interface), expected);
    // aL follows the variable, two registers a round.
    assert!(print(&lowered.module).contains("uniform c1[%"), "{}", print(&lowered.module));
    assert!(!print(&lowered.module).contains("addressp"), "{}", print(&lowered.module));
}

#[test]
fn depth_roles_and_scales_are_options() {
    let text = "
struct Out { @builtin(position) position: vec4f, @location(0) first: vec3f, @location(1) second: vec4f }
@vertex fn main(@location(0) p: vec4f, @location(3) tint: vec4f) -> Out { return Out(p, p.xyz, tint); }";
    let outputs =
        vec![("first".to_string(), Role::Normal), ("1".to_string(), Role::Semantic(Semantic::Color))];
    let scaled = vec!["tint".to_string()];
    let options = Options { depth: Depth::Console, outputs, scaled, ..Options::default() };
    let lowered = lowered(text, &options);
    let semantics: Vec<Semantic> = lowered.interface.outputs.iter().map(|output| output.semantic).collect();
    assert_eq!(semantics, [Semantic::Position, Semantic::Quaternion, Semantic::Color]);
    assert!(lowered.interface.attributes[1].is_scaled && lowered.interface.attributes[1].register == 3);
    let ignored = vec![("first".to_string(), Role::Ignored)];
    let options = Options { outputs: ignored, ..Options::default() };
    assert_eq!(self::lowered(text, &options).interface.outputs.len(), 2);
}

#[test]
fn loops_are_unrolled_up_to_an_option() {
    let text = "@vertex fn main(@location(0) p: vec4f, @location(1) q: vec4f) -> @builtin(position) vec4f {
        var s = p;
        for (var i = 0; i < 9; i++) { s = s * p + f32(i); }
        return s;
    }";
    let rounds = |unroll| lowered(text, &Options { unroll, ..Options::default() }).interface.counts.len();
    // Rounds times statements and expressions.
    let least = (0..1000).find(|&unroll| rounds(unroll) == 0).expect("it is unrolled");
    assert!(least > 0 && least % 9 == 0, "{least}");
    let attributes = lowered(text, &Options::default()).interface.attributes;
    assert!(attributes[0].is_read && !attributes[1].is_read);
}

#[test]
fn the_depth_of_each_convention_becomes_that_of_the_console() {
    let text = "@vertex fn main(@location(0) p: vec4f) -> @builtin(position) vec4f { return p; }";
    for (depth, operations) in [(Depth::Console, 0), (Depth::ZeroToW, 1), (Depth::MinusWToW, 2)] {
        let printed = print(&lowered(text, &Options { depth, ..Options::default() }).module);
        let count = printed.matches("addp").count() + printed.matches("mulp").count();
        assert_eq!(count, operations, "{depth:?}: {printed}");
    }
}

#[test]
fn values_have_the_lines_of_the_source_as_places() {
    let text = "@vertex fn main(@location(0) p: vec4f) -> @builtin(position) vec4f {
    let a = p.x * p.y;

    return p * a;
}";
    let module = lowered(text, &Options { depth: Depth::Console, ..Options::default() }).module;
    let places = crate::ir::places::Places::new(&module.main);
    let products = module
        .main
        .values
        .iter()
        .filter(|(_, data)| matches!(data.def, crate::ir::Def::Op(crate::ir::Op::Binary(..))));
    let lines: Vec<u16> = products.flat_map(|(value, _)| places.get(value).iter().map(|pc| pc.0)).collect();
    assert_eq!(lines, [2, 4]);
}
