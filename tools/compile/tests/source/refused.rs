//! Sources outside of the subset: each is an error of a kind, at a place, with advice.
//! `$` in a text marks the place of the error.

use transpica::container::Semantic;
use transpica_compile::source::{self, Error, Language, Location, Options, Role, lower, read};

struct Case {
    name: &'static str,
    language: Language,
    code: &'static str,
    text: &'static str,
}

const fn wgsl(name: &'static str, code: &'static str, text: &'static str) -> Case {
    Case { name, language: Language::Wgsl, code, text }
}

const fn glsl(name: &'static str, code: &'static str, text: &'static str) -> Case {
    Case { name, language: Language::Glsl, code, text }
}

const CASES: &[Case] = &[
    wgsl("a letter too many", "syntax", "@vertex fn main() -> @builtin(position) vec4f { return vec4f(0.0)$) }"),
    wgsl(
        "a type that does not fit",
        "invalid",
        "@vertex fn main(@location(0) p: vec3f) -> @builtin(position) vec4f { $return p; }",
    ),
    wgsl("no entry point", "no-entry", "fn helper() -> f32 { return 1.0; }"),
    wgsl("only a fragment stage", "no-entry", "@fragment fn main() -> @location(0) vec4f { return vec4f(1.0); }"),
    wgsl(
        "two entry points",
        "no-entry",
        "@vertex fn a(@location(0) p: vec4f) -> @builtin(position) vec4f { return p; }
@vertex fn b(@location(0) p: vec4f) -> @builtin(position) vec4f { return p; }",
    ),
    wgsl(
        "a texture that is sampled as in a fragment stage",
        "resource",
        "@group(0) @binding(0) var image: texture_2d<f32>;
@group(0) @binding(1) var filtered: sampler;
fn color(uv: vec2f) -> vec4f { return $textureSample(image, filtered, uv); }
@vertex fn main(@location(0) p: vec4f) -> @builtin(position) vec4f { return p + color(p.xy); }
@fragment fn other(@location(0) uv: vec2f) -> @location(0) vec4f { return color(uv); }",
    ),
    wgsl(
        "an index in a function that a loop calls",
        "index",
        "@group(0) @binding(0) var<uniform> count: i32;
fn pick(a: vec4f, n: i32) -> f32 { var list = array<f32, 4>(a.x, a.y, a.z, a.w); return $list[n]; }
@vertex fn main(@location(0) p: vec4f) -> @builtin(position) vec4f {
    var sum = 0.0;
    for (var n = 0; n < count; n++) { sum += pick(p, n); }
    return p * sum;
}",
    ),
    wgsl(
        "a derivative",
        "operation",
        "@vertex fn main(@location(0) p: vec4f) -> @builtin(position) vec4f { return $dpdx(p); }",
    ),
    wgsl(
        "a discarded vertex",
        "operation",
        "@vertex fn main(@location(0) p: vec4f) -> @builtin(position) vec4f { if p.x > 0.0 { $discard; } return p; }",
    ),
    wgsl(
        "a storage buffer",
        "resource",
        "@group(0) @binding(0) var<storage> bones: array<mat4x4f>;
@vertex fn main(@location(0) p: vec4f, @location(1) i: u32) -> @builtin(position) vec4f { return $bones[i] * p; }",
    ),
    wgsl(
        "a texture",
        "resource",
        "@group(0) @binding(0) var t: texture_2d<f32>; @group(0) @binding(1) var s: sampler;
@vertex fn main(@location(0) p: vec4f) -> @builtin(position) vec4f {
    return p + $textureSampleLevel(t, s, p.xy, 0.0);
}",
    ),
    wgsl(
        "the index of a vertex only",
        "built-in",
        "@vertex fn main(@builtin($vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i), 0.0, 0.0, 1.0);
}",
    ),
    wgsl(
        "the index of an instance",
        "built-in",
        "@vertex fn main(@location(0) p: vec4f, @builtin($instance_index) i: u32) -> @builtin(position) vec4f {
    return p + f32(i);
}",
    ),
    wgsl(
        "no attribute",
        "no-attributes",
        "@group(0) @binding(0) var<uniform> u: vec4f;
@vertex $fn main() -> @builtin(position) vec4f { return u; }",
    ),
    wgsl(
        "bits of two numbers",
        "operation",
        "@vertex fn main(@location(0) p: vec4f, @location(1) a: vec2u) -> @builtin(position) vec4f {
    return p * f32($a.x ^ a.y);
}",
    ),
    wgsl(
        "a mask of high bits",
        "operation",
        "@vertex fn main(@location(0) p: vec4f, @location(1) a: u32) -> @builtin(position) vec4f {
    return p * f32($a & 6u);
}",
    ),
    wgsl(
        "a hash of a number",
        "operation",
        "@vertex fn main(@location(0) p: vec4f, @location(1) a: u32) -> @builtin(position) vec4f {
    return p * f32($a * 747796405u);
}",
    ),
    wgsl(
        "a shift by an attribute",
        "operation",
        "@vertex fn main(@location(0) p: vec4f, @location(1) a: vec2u) -> @builtin(position) vec4f {
    return p * f32($a.x << a.y);
}",
    ),
    wgsl(
        "bits that count",
        "operation",
        "@vertex fn main(@location(0) p: vec4f, @location(1) a: u32) -> @builtin(position) vec4f {
    return p * f32($countOneBits(a));
}",
    ),
    wgsl(
        "bits as a number",
        "operation",
        "@vertex fn main(@location(0) p: vec4f, @location(1) a: u32) -> @builtin(position) vec4f {
    return p * $bitcast<f32>(a);
}",
    ),
    wgsl(
        "bytes of a word",
        "operation",
        "@vertex fn main(@location(0) p: vec4f, @location(1) a: u32) -> @builtin(position) vec4f {
    return p * $unpack4x8unorm(a);
}",
    ),
    wgsl(
        "an inverse of attributes",
        "operation",
        "@vertex fn main(@location(0) p: vec4f, @location(1) a: vec2f) -> @builtin(position) vec4f {
    return p * $determinant(mat2x2f(a, p.xy));
}",
    ),
    wgsl(
        "hyperbolas",
        "operation",
        "@vertex fn main(@location(0) p: vec4f) -> @builtin(position) vec4f { return $tanh(p); }",
    ),
    wgsl(
        "a loop of an attribute",
        "loop",
        "@vertex fn main(@location(0) p: vec4f, @location(1) n: i32) -> @builtin(position) vec4f {
    var sum = p;
    $for (var i = 0; i < n; i++) { sum += p; }
    return sum;
}",
    ),
    wgsl(
        "a loop until a value is small",
        "loop",
        "@vertex fn main(@location(0) p: vec4f) -> @builtin(position) vec4f {
    var sum = p;
    $while sum.x > 1.0 { sum *= 0.5; }
    return sum;
}",
    ),
    wgsl(
        "a loop of too many rounds",
        "limit",
        "@vertex fn main(@location(0) p: vec4f) -> @builtin(position) vec4f {
    var sum = p;
    $for (var i = 0; i < 300; i++) { sum += p; }
    return sum;
}",
    ),
    wgsl(
        "five loops of a host",
        "limit",
        "@group(0) @binding(0) var<uniform> n: array<vec4i, 5>;
@vertex fn main(@location(0) p: vec4f) -> @builtin(position) vec4f {
    var s = p;
    for (var i = 0; i < n[0].x; i++) { s += p; }
    for (var i = 0; i < n[1].x; i++) { s += p; }
    for (var i = 0; i < n[2].x; i++) { s += p; }
    for (var i = 0; i < n[3].x; i++) { s += p; }
    $for (var i = 0; i < n[4].x; i++) { s += p; }
    return s;
}",
    ),
    wgsl(
        "an index of a local array",
        "index",
        "@vertex fn main(@location(0) p: vec4f, @location(1) i: u32) -> @builtin(position) vec4f {
    var all = array<vec4f, 3>(p, p.yzwx, p.zwxy);
    return $all[i];
}",
    ),
    wgsl(
        "a store at an index",
        "index",
        "@vertex fn main(@location(0) p: vec4f, @location(1) i: u32) -> @builtin(position) vec4f {
    var all = array<vec4f, 3>(p, p, p);
    $all[i] = p.wzyx;
    return all[1];
}",
    ),
    wgsl(
        "location 12",
        "attribute",
        "@vertex $fn main(@location(12) p: vec4f) -> @builtin(position) vec4f { return p; }",
    ),
    wgsl(
        "an output without a name that is known, and none free",
        "output",
        "struct Out { @builtin(position) p: vec4f, @location(0) a: vec4f, @location(1) $b: vec4f }
@vertex fn main(@location(0) p: vec4f) -> Out { return Out(p, p, p); }",
    ),
    wgsl(
        "two colors",
        "output",
        "struct Out { @builtin(position) p: vec4f, @location(0) color: vec4f, @location(1) $colour: vec4f }
@vertex fn main(@location(0) p: vec4f) -> Out { return Out(p, p, p); }",
    ),
    wgsl(
        "a tangent without normal",
        "output",
        "struct Out { @builtin(position) p: vec4f, @location(0) $tangent: vec3f }
@vertex fn main(@location(0) p: vec4f) -> Out { return Out(p, p.xyz); }",
    ),
    wgsl(
        "two tangents",
        "output",
        "struct Out { @builtin(position) p: vec4f, @location(0) normal: vec3f, @location(1) tangent: vec3f, @location(2) $v_tangent: vec3f }
@vertex fn main(@location(0) p: vec4f) -> Out { return Out(p, p.xyz, p.yzw, p.zwx); }",
    ),
    wgsl(
        "a tangent of four",
        "output",
        "struct Out { @builtin(position) p: vec4f, @location(0) normal: vec3f, @location(1) $tangent: vec4f }
@vertex fn main(@location(0) p: vec4f) -> Out { return Out(p, p.xyz, p); }",
    ),
    wgsl(
        "a texcoord of four",
        "output",
        "struct Out { @builtin(position) p: vec4f, @location(0) $uv1: vec4f }
@vertex fn main(@location(0) p: vec4f) -> Out { return Out(p, p); }",
    ),
    wgsl(
        "whole numbers as output",
        "output",
        "struct Out { @builtin(position) p: vec4f, @location(0) @interpolate(flat) $color: vec4u }
@vertex fn main(@location(0) p: vec4f, @location(1) c: vec4u) -> Out { return Out(p, c); }",
    ),
    wgsl(
        "too many uniforms",
        "limit",
        "@group(0) @binding(0) var<uniform> bones: array<mat4x4f, 25>;
@vertex $fn main(@location(0) p: vec4f, @location(1) i: u32) -> @builtin(position) vec4f { return bones[i] * p; }",
    ),
    wgsl(
        "sixteen bools of a host",
        "limit",
        "@group(0) @binding(0) var<uniform> n: vec4i;
@vertex fn main(@location(0) p: vec4f) -> @builtin(position) vec4f {
    var s = p;
    if n.x == 0 { s.x += p.y; } if n.x == 1 { s.x += p.y; } if n.x == 2 { s.x += p.y; } if n.x == 3 { s.x += p.y; }
    if n.y == 0 { s.y += p.y; } if n.y == 1 { s.y += p.y; } if n.y == 2 { s.y += p.y; } if n.y == 3 { s.y += p.y; }
    if n.z == 0 { s.z += p.y; } if n.z == 1 { s.z += p.y; } if n.z == 2 { s.z += p.y; } if n.z == 3 { s.z += p.y; }
    if n.w == 0 { s.w += p.y; } if n.w == 1 { s.w += p.y; } if n.w == 2 { s.w += p.y; } $if n.w == 3 { s.w += p.y; }
    return s;
}",
    ),
    wgsl(
        "numbers of 16 bits",
        "format",
        "enable f16;
@vertex fn main(@location(0) p: vec4f) -> @builtin(position) vec4f { return vec4f(vec4<f16>(p)); }",
    ),
    wgsl(
        "a sine that grows without end",
        "limit",
        "fn a(x: f32) -> f32 { return sin(x) + sin(x + 1.0); }
fn b(x: f32) -> f32 { return a(a(a(a(a(a(a(a(x)))))))); }
fn c(x: f32) -> f32 { return b(b(b(b(b(b(b(b(x)))))))); }
fn d(x: f32) -> f32 { return c(c(c(c(c(c(c(c(x)))))))); }
fn e(x: f32) -> f32 { return d(d(d(d(d(d(d(d(x)))))))); }
@vertex fn main(@location(0) p: vec4f) -> @builtin(position) vec4f { return p * e(p.x); }",
    ),
    glsl("a word that GLSL lacks", "syntax", "#version 450\nvoid main() { gl_Position = $nothing; }"),
    glsl(
        "a word that older GLSL lacks, after a bool uniform",
        "syntax",
        "#version 120
uniform bool lit;
attribute vec4 p;
void main() { gl_Position = lit ? p : $nothing; }",
    ),
    glsl(
        "numbers of 64 bits",
        "format",
        "#version 450
layout(location = 0) in vec4 p;
void main() { double d = double(p.x); gl_Position = p * float(d); }",
    ),
    wgsl(
        "a bool of a host",
        "resource",
        "@vertex fn main(@location(0) p: vec4f) -> @builtin(position) vec4f { return select(p, -p, s.lit); }
// A bool in a struct.
struct S { scale: f32, lit: $bool }
@group(0) @binding(0) var<uniform> s: S;",
    ),
    glsl(
        "a bool in a block",
        "resource",
        "#version 450
layout(location = 0) in vec4 p;
layout(std140) uniform Scene { vec4 tint; $bool lit; };
void main() { gl_Position = lit ? p : tint; }",
    ),
    glsl(
        "bools of an array",
        "resource",
        "#version 450
layout(location = 0) in vec4 p;
uniform $bool lit[3];
void main() { gl_Position = lit[1] ? p : -p; }",
    ),
    glsl(
        "numbers of 64 bits that the preprocessor refuses",
        "format",
        "#version 450
layout(location = 0) in vec4 p;
void main() { uint n = $1ul; gl_Position = p; }",
    ),
    glsl(
        "gl_VertexID",
        "built-in",
        "#version 330
in vec4 p;
void main() { gl_Position = p * float($gl_VertexID); }",
    ),
    glsl("gl_InstanceID", "built-in", "in vec4 p;\nvoid main() { gl_Position = p * float($gl_InstanceID); }"),
    glsl(
        "a discarded vertex of GLSL",
        "operation",
        "#version 330
in vec4 p;
void main() { gl_Position = p; if (p.x > 0.0) { $discard; } }",
    ),
    glsl(
        "a derivative of GLSL",
        "operation",
        "#version 330
in vec4 p;
void main() { gl_Position = dFdx($p); }",
    ),
    glsl(
        "a function of textures",
        "resource",
        "#version 330
in vec4 p;
void main() { gl_Position = $texture(p, p.xy); }",
    ),
    glsl(
        "gl_VertexIndex",
        "built-in",
        "#version 450
void main() { gl_Position = vec4(float($gl_VertexIndex)); }",
    ),
    glsl(
        "a call on the right that changes a variable",
        "invalid",
        "in vec4 p;
float g = 0.0;
bool side() { g += 1.0; return true; }
bool outer() { return side(); }
void main() { bool t = p.x > 0.0 && $outer(); gl_Position = t ? p : p * g; }",
    ),
    glsl(
        "an argument on the right that changes",
        "invalid",
        "in vec4 p;
bool change(inout vec4 a) { a += 1.0; return true; }
void main() { vec4 q = p; if (p.x > 0.0 || $change(q)) { q *= 2.0; } gl_Position = q; }",
    ),
    glsl(
        "an assignment on the right",
        "invalid",
        "in vec4 p;
void main() { bool b = p.y > 0.0; bool t = p.x > 0.0 && ($b = true); gl_Position = t && b ? p : -p; }",
    ),
    glsl(
        "a change on the right of a constant",
        "invalid",
        "in vec4 p;
float g = 0.0;
bool side() { g += 1.0; return true; }
void main() { g = 2.0; bool t = false && $side(); gl_Position = t ? p : p * g; }",
    ),
    glsl("no semicolon", "syntax", "in vec2 a $in vec2 b;\nvoid main() { gl_Position = vec4(a, a); }"),
    glsl(
        "no semicolon of a uniform",
        "syntax",
        "in vec3 p;\nuniform mat4 m\n$uniform float k;\nvoid main() { gl_Position = vec4(p, 1.0); }",
    ),
    glsl(
        "a product of a uniform that does not fit",
        "invalid",
        "in vec3 p;\nuniform mat4 m;\nvoid main() {\n    vec3 a = $m * vec4(p, 1.0);\n    gl_Position = vec4(a, 1.0);\n}",
    ),
    glsl(
        "a uniform that is written",
        "invalid",
        "in vec3 p;\nuniform vec3 c;\nvoid main() {\n    $c = p;\n    gl_Position = vec4(c, 1.0);\n}",
    ),
    glsl(
        "recursion by a prototype",
        "invalid",
        "in vec4 p;\nfloat f(int n);\nfloat g(int n) { return f(n - 1); }
float f(int n) { if (n < 1) return 1.0; return $g(n); }\nvoid main() { gl_Position = p * f(3); }",
    ),
    glsl("two of one name", "syntax", "in vec3 p;\nin vec4 $p;\nvoid main() { gl_Position = p.xxxx; }"),
    glsl(
        "a clip distance",
        "built-in",
        "in vec4 p;
out float $gl_ClipDistance[1];
void main() { gl_Position = p; gl_ClipDistance[0] = p.x; }",
    ),
    glsl(
        "two outputs of one semantic",
        "output",
        "#version 450
layout(location = 0) in vec4 p;
layout(location = 0) out vec4 vColor;
layout(location = 1) out vec4 color;
void main() { gl_Position = p; vColor = p; color = p; }",
    ),
    glsl(
        "a texture of GLSL",
        "resource",
        "#version 450
layout(location = 0) in vec4 p;
layout(binding = 0) uniform sampler2D s;
void main() { gl_Position = texture($s, p.xy); }",
    ),
    glsl(
        "a buffer",
        "resource",
        "#version 450
layout(location = 0) in vec4 p;
layout(set = 0, binding = 0) readonly buffer Bones { mat4 bones[]; };
void main() { gl_Position = bones[int(p.w)] * p; }",
    ),
];

/// The place of the `$` of a text, and the text without it.
pub fn marked(text: &str) -> (Option<Location>, String) {
    let place = text.find('$').map(|index| {
        let before = &text[..index];
        let column = before.rsplit('\n').next().map_or(0, str::len) + 1;
        Location { line: before.matches('\n').count() as u32 + 1, column: column as u32 }
    });
    (place, text.replace('$', ""))
}

pub fn result(language: Language, text: &str) -> Result<(), Error> {
    let source = read(language, text.as_bytes())?;
    lower(&source, &Options::of(language)).map(|_| ())
}

#[test]
fn each_refusal_has_a_kind_a_place_and_advice() {
    let mut wrong = Vec::new();
    for Case { name, language, code, text } in CASES {
        let (place, text) = marked(text);
        match result(*language, &text) {
            Ok(()) => wrong.push(format!("{name}: is accepted")),
            Err(error) => {
                let needs_place = place.is_some();
                if error.kind.code() != *code || (needs_place && error.at != place) {
                    wrong.push(format!(
                        "{name}: {} at {place:?}, not {:?} {error}",
                        error.kind.code(),
                        error.at
                    ));
                }
                let has_advice = !matches!(*code, "syntax" | "invalid");
                assert_eq!(error.kind.advice().is_some(), has_advice, "{name}");
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn advice_says_what_to_do_instead() {
    for (text, expected) in [
        ("uniform bvec2 lit; void main() { gl_Position = lit.x ? p : -p; }", "test `!= 0u`"),
        ("void main() { gl_Position = p; discard; }", "alpha test"),
        ("void main() { gl_Position = dFdx(p); }", "slope"),
        ("void main() { gl_Position = texture(p, p.xy); }", "per fragment"),
        ("void main() { gl_Position = p * float(gl_VertexID); }", "as an attribute"),
        ("void main() { gl_Position = gl_ModelViewProjectionMatrix * p; }", "uniform mat4"),
    ] {
        let error = result(Language::Glsl, &format!("attribute vec4 p; {text}")).expect_err(text);
        assert!(error.kind.advice().is_some_and(|advice| advice.contains(expected)), "{error}");
    }
    // Numbers do the same as bools, by a register of that kind.
    let text = "attribute vec4 p; uniform uint lit; void main() { gl_Position = lit != 0u ? p : -p; }";
    let source = read(Language::Glsl, text.as_bytes()).expect("valid");
    let lowered = lower(&source, &Options::of(Language::Glsl)).expect("in the subset");
    assert_eq!((lowered.interface.flags.len(), lowered.interface.decided_by(0)), (1, vec!["b0".to_string()]));
    let output = Error { kind: source::Kind::Output(String::new()), at: None }.to_string();
    assert!(Role::names().contains("normalquat") && output.contains(&Role::names()), "{output}");
}

/// The message of a program with options.
fn message(text: &str, change: impl FnOnce(&mut Options)) -> Option<String> {
    let mut options = Options::of(Language::Wgsl);
    change(&mut options);
    let source = read(Language::Wgsl, text.as_bytes()).expect("valid");
    lower(&source, &options).err().map(|error| error.to_string())
}

#[test]
fn options_name_what_there_is() {
    let text = "struct Out { @builtin(position) p: vec4f, @location(3) tint: vec4f }
@vertex fn main(@location(0) place: vec4f, @location(1) paint: vec4f) -> Out { return Out(place, paint); }";
    let (color, view) = (Role::Semantic(Semantic::Color), Role::Semantic(Semantic::View));
    let position = Role::Semantic(Semantic::Position);
    let outputs = |roles: &[(&str, Role)]| {
        message(text, |options| {
            options.outputs = roles.iter().map(|&(name, role)| (name.into(), role)).collect();
        })
    };
    for known in [&[][..], &[("tint", color)], &[("3", color)], &[("tint", Role::Ignored), ("p", position)]] {
        assert_eq!(outputs(known), None, "{known:?}");
    }
    let unknown = outputs(&[("nosuch", color)]);
    assert_eq!(unknown.as_deref(), Some("no output nosuch; there are p, tint"));
    assert!(outputs(&[("4", color)]).is_some());
    for role in [Role::Ignored, color, Role::Normal] {
        let found = outputs(&[("p", role)]).unwrap_or_default();
        assert!(found.starts_with("1:33: output `p` is the position, and stays it ("), "{found}");
    }
    let found = outputs(&[("tint", color), ("3", view)]).unwrap_or_default();
    assert!(found.contains("output `tint` has two semantics"), "{found}");

    let scaled = |names: &[&str]| {
        message(text, |options| options.scaled = names.iter().map(|name| name.to_string()).collect())
    };
    assert_eq!(scaled(&["paint", "place"]), None);
    assert_eq!(scaled(&["paint", "nosuch"]).as_deref(), Some("no attribute nosuch; there are place, paint"));

    let entry = |name: &str| message(text, |options| options.entry = Some(name.into()));
    assert_eq!(entry("main"), None);
    assert_eq!(entry("nosuch").as_deref(), Some("no vertex entry point nosuch; there is main"));
}
