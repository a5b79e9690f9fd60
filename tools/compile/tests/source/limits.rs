//! Both sides of each limit.

use transpica_compile::source::{Kind, Language, Options, lower, read};

/// The resource that runs out, if any does.
fn subject(text: &str) -> Option<&'static str> {
    let result = read(Language::Wgsl, text.as_bytes()).and_then(|source| lower(&source, &Options::default()));
    match result {
        Ok(_) => None,
        Err(error) => match &error.kind {
            Kind::Limit { subject, .. } => Some(subject),
            _other => panic!("{error}\n{text}"),
        },
    }
}

#[track_caller]
fn check(expected: &'static str, limit: usize, text: impl Fn(usize) -> String) {
    assert_eq!(subject(&text(limit)), None, "{limit} {expected} are enough");
    assert_eq!(subject(&text(limit + 1)), Some(expected), "{} {expected} are too many", limit + 1);
}

/// A program of some statements that change `s`, with declarations before it.
fn program(declarations: &str, statements: &str) -> String {
    format!(
        "{declarations}
@vertex fn main(@location(0) p: vec4f) -> @builtin(position) vec4f {{ var s = p; {statements} return s; }}"
    )
}

#[test]
fn registers_of_uniforms() {
    check("float uniforms", 96, |count| {
        let declaration = format!("@group(0) @binding(0) var<uniform> u: array<vec4f, {count}>;");
        program(&declaration, &format!("s += u[i32(p.x)] + u[{}];", count - 1))
    });
    check("bool uniforms", 15, |count| {
        let tests: String = (0..count).map(|n| format!("if u.x == {n} {{ s.x += p.y; }}")).collect();
        program("@group(0) @binding(0) var<uniform> u: vec4i;", &tests)
    });
    check("int uniforms", 4, |count| {
        let loops: String =
            (0..count).map(|n| format!("for (var i = 0; i < {}; i++) {{ s += p; }}", 100 + n)).collect();
        program("", &loops)
    });
}

#[test]
fn rounds_of_loops() {
    check("rounds of a loop", 256, |count| {
        program("", &format!("for (var i = 0; i < {count}; i++) {{ s += p; }}"))
    });
    let many =
        |step| format!("for (var i = 0; i < 9999; i += {step}) {{ if s.x > 1.5 {{ break; }} s += p; }}");
    assert_eq!([0, 1, 40].map(|step| subject(&program("", &many(step))).is_some()), [true, true, false]);
}

#[test]
fn nesting() {
    // A body and an entry function are levels, too.
    check("nested statements", 39, |count| {
        let (open, close) = ("if p.x > 0.0 { ".repeat(count), "}".repeat(count));
        program("", &format!("{open} s += p; {close}"))
    });
    check("nested types", 15, |count| {
        let mut declarations = "struct S0 { v: vec4f }".to_string();
        for index in 1..count {
            declarations += &format!("struct S{index} {{ v: S{} }}", index - 1);
        }
        let member = ".v".repeat(count);
        declarations += &format!("@group(0) @binding(0) var<uniform> u: S{};", count - 1);
        program(&declarations, &format!("s += u{member};"))
    });
    check("nested statements and calls", 23, |count| {
        let mut functions = "fn f0(v: vec4f) -> vec4f { return v + v.yzwx; }".to_string();
        for index in 1..count {
            functions += &format!("fn f{index}(v: vec4f) -> vec4f {{ return f{}(v) * v; }}", index - 1);
        }
        program(&functions, &format!("s = f{}(s);", count - 1))
    });
}

#[test]
fn local_arrays() {
    check("elements of a local array", 1024, |count| {
        program("", &format!("var all: array<f32, {count}>; all[3] = p.x; s.x = all[3];"))
    });
}

#[test]
fn sizes_of_texts() {
    let text = program("", "");
    let padded = |size: usize| text.clone() + &" ".repeat(size - text.len());
    check("bytes of source", 1 << 20, padded);
}
