//! Sources that naga refuses, or takes wrongly: messages and places.

use transpica_compile::source::{Language, Location, read};

use super::refused::{marked, result};

/// Sources that naga refuses: the rest of a vertex program, and the message without its place.
const REFUSED_BY_NAGA: &[(Language, &str, &str)] = &[
    (
        Language::Glsl,
        "mat4 m = mat4(1.0); vec3 b = $m * p; gl_Position = vec4(b, 1.0); }",
        "The type of `m * p` (vec4<f32>) doesn't match the type stored in `b` (vec3<f32>)",
    ),
    (
        Language::Glsl,
        "vec4 b = p; b = $mat3(1.0) * b; gl_Position = b; }",
        "Operation Multiply can't work with `mat3(1.0)` (mat3x3<f32>) and `b` (vec4<f32>)",
    ),
    (
        Language::Glsl,
        "struct A { float x; } a; gl_Position = p; float e = $a + 1.0; }",
        "Operation Add can't work with `a` (A) and `1.0` (f32)",
    ),
    (
        Language::Glsl,
        "bool b = p$.x; gl_Position = p; }",
        "The type of `p.x` (f32) doesn't match the type stored in `b` (bool)",
    ),
    (
        Language::Glsl,
        "if ($p) { gl_Position = p; } }",
        "The `if` condition `p` (vec4<f32>) is not a boolean scalar",
    ),
    (Language::Glsl, "gl_Position = $mix(p, p); }", "no function `mix` takes these arguments"),
    (
        Language::Glsl,
        "gl_Position = $wave(p); } vec4 wave(vec4 a) { return a; }",
        "no function `wave` takes these arguments; declare it before it is used",
    ),
    (
        Language::Glsl,
        "gl_Position = p; }\n#$include \"a\"\n",
        "this directive is unknown: `#include` is, too, so write one text",
    ),
    (
        Language::Glsl,
        "gl_Position = p; }\nuniform $mat2 r;",
        "a uniform cannot be a matrix of two rows: declare a vec2 for each of the 2 columns",
    ),
    (
        Language::Glsl,
        "mat4 m = mat4(1.0); m[0]$.xyz = p.xyz; gl_Position = m * p; }",
        "Can't lookup field on this type \"xyz\"; a column of a matrix is stored as a whole or lane by lane, `m[0][1]`",
    ),
    (
        Language::Glsl,
        "mat2 m = $mat2(p); gl_Position = vec4(m * p.xy, p.zw); }",
        "Composing 0's component type is not expected: give a matrix its columns, `mat2(v.xy, v.zw)`",
    ),
    (Language::Glsl, "gl_Position = p; } $}", "Expected end of file, not `}`"),
    (
        Language::Glsl,
        "gl_Position = $mat2(1.0) * mat3(1.0); }",
        "`mat2(1.0) * mat3(1.0)` or a part of it does not fit here",
    ),
    (Language::Glsl, "gl_Position = p * p$[5]; }", "`[5]` or a part of it does not fit here"),
    (
        Language::Glsl,
        "gl_Position = p; } $float f() { }",
        "The value of a missing `return` does not match the declared return type f32",
    ),
    (
        Language::Glsl,
        "gl_Position = p; return $1.0; }",
        "The `return` expression `1.0` (f32) does not match the function, which returns none",
    ),
    (
        Language::Wgsl,
        "return p; } fn f() -> i32 { return $1.0; }",
        "automatic conversions cannot convert `AbstractFloat` to `i32`",
    ),
    (
        Language::Wgsl,
        "return p; } $fn f() -> i32 { }",
        "The value of a missing `return` does not match the declared return type i32",
    ),
    (
        Language::Wgsl,
        "return $vec3f(); }",
        "The `return` expression `vec3f()` (vec3<f32>) does not match the declared return type vec4<f32>",
    ),
    (Language::Wgsl, "let x = 1u$l; return p; }", "expected `;`, found \"l\""),
    (
        Language::Wgsl,
        "return p * $f(p); } fn f(x: f32) -> f32 { return x; }",
        "Argument 0 value `p` (vec4<f32>) doesn't match the type f32",
    ),
    (
        Language::Wgsl,
        "var x = p; return $x * vec3f(1.0); }",
        "Operation Multiply can't work with `x` (vec4<f32>) and `vec3f(1.0)` (vec3<f32>)",
    ),
    (Language::Wgsl, "let x = 1u; return p * p$[7]; }", "an index or a part of it does not fit here"),
    (
        Language::Wgsl,
        "return p; } @group(0) @binding(0) $var<uniform> all: array<f32, 8>;",
        "Alignment requirements for address space Uniform are not met by array<f32, 8>: \
         The array stride 4 is not a multiple of the required alignment 16",
    ),
];

#[test]
fn what_naga_refuses_has_a_place_and_no_numbers_of_its_tables() {
    let mut wrong = Vec::new();
    for (language, rest, expected) in REFUSED_BY_NAGA {
        let head = match language {
            Language::Glsl => "#version 450\nlayout(location = 0) in vec4 p;\nvoid main() { ",
            _wgsl => "@vertex fn main(@location(0) p: vec4f) -> @builtin(position) vec4f {\n",
        };
        let (place, text) = marked(&format!("{head}{rest}"));
        let error = result(*language, &text).expect_err(rest);
        if error.at != place || error.kind.to_string() != *expected {
            wrong.push(format!("{rest}: {error}, not at {place:?}"));
        }
    }
    // An entry point without a position is at its declaration.
    let text = "fn none() { }\n@vertex fn main(@location(0) p: vec4f) -> @location(0) vec4f { return p; }";
    let error = result(Language::Wgsl, text).expect_err("no position");
    assert_eq!(error.at, Some(Location { line: 2, column: 9 }), "{error}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn right_operands_that_change_nothing_stay() {
    for text in [
        "bool f(vec4 a) { a += 1.0; float x; x = a.x; return x > 2.0; }
        void main() { p0 = p; bool t = p.x > 0.0 && f(p) || (p.y > 1.0 ? p.z : p.w) > 0.5; gl_Position = t ? p : p0; }",
        "void g(out float x) { x = p.z; }
        bool f(const vec4 a) { float x; g(x); return x > a.x; }
        void main() { p0 = p; p0.x = 2.0; if (false || p.x > 0.0 && f(p)) p0 = -p; gl_Position = p0; }",
        "void main() { mat4 m = mat4(1.0); m[0] = p; m[1][2] = p.x; gl_Position = m * p; }",
        "bool f() { p0 += 1.0; return true; }
        void main() { p0 = p; bool t = f() && p.x > 0.0; t = f(); gl_Position = t && mat2(p.xy, p.zw) == mat2(p0.xy, p0.zw) ? p : p0; }",
    ] {
        let text = format!("in vec4 p; vec4 p0; {text}");
        let found = read(Language::Glsl, text.as_bytes());
        assert!(found.is_ok(), "{text}: {}", found.expect_err("an error"));
    }
}

/// See drivers.md#naga-eager.
#[test]
fn a_call_on_the_right_is_no_choice_of_naga() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/cases/upstream/eager_operand.vert");
    let text = std::fs::read_to_string(path).expect("a text");
    let options = naga::front::glsl::Options::from(naga::ShaderStage::Vertex);
    let module = naga::front::glsl::Frontend::default().parse(&options, &text).expect("valid");
    let mut main = module.functions.iter().filter(|(_, one)| one.name.as_deref() == Some("main"));
    let (_, main) = main.next().expect("a function");
    assert!(main.body.iter().any(|one| matches!(one, naga::Statement::Call { .. })));
}
