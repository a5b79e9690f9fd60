//! Shaders in WGSL and GLSL as programs: their words, and how far they are from their sources.

use std::fs;
use std::path::Path;

use transpica::Shbin;
use transpica::host::dvle::constants;
use transpica_proof::daily::cases;

use crate::source::generate;
use transpica_compile::compile::{Compiled, Error, compile, compile_with};
use transpica_compile::emit;
use transpica_compile::source::{self, Language, Options, read};

#[test]
fn shaders_become_programs_that_compute_the_same() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shaders");
    let mut names: Vec<_> =
        fs::read_dir(folder).expect("shaders").map(|entry| entry.expect("a file").path()).collect();
    names.sort();
    let mut refused = Vec::new();
    for path in &names {
        let language =
            if path.extension().is_some_and(|end| end == "wgsl") { Language::Wgsl } else { Language::Glsl };
        let source = read(language, &fs::read(path).expect("a text")).expect("valid");
        let name = path.file_name().expect("a name").to_string_lossy();
        match compile(&source, &Options::of(language)) {
            Ok(compiled) => {
                let far: Vec<String> = compiled.distances.iter().map(ToString::to_string).collect();
                println!("{name}: {} words; {}", compiled.words, far.join("; "));
            }
            Err(error) => refused.push(format!("{name}: {error}")),
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

/// Vertices on which each random program is compared.
const VERTICES: usize = 100;

#[test]
fn random_shaders_become_programs_or_exceed_a_limit() {
    let (mut counts, mut words) = (std::collections::BTreeMap::<String, u64>::new(), 0);
    let programs = cases("random shaders, compiled", 200, 2000);
    for seed in 0..programs {
        let text = generate::program(seed);
        let source = read(Language::Wgsl, text.as_bytes()).expect("valid");
        let kind = match compile_with(&source, &Options::of(Language::Wgsl), VERTICES) {
            Ok(compiled) => {
                words += compiled.words;
                "compiled".to_owned()
            }
            Err(Error::Emit(emit::Error::Limit { what, .. })) => format!("more {what}"),
            Err(Error::Source(error)) if matches!(error.kind, source::Kind::Limit { .. }) => {
                "limits of the source".into()
            }
            Err(error) => panic!("{seed}: {error}\n{text}"),
        };
        *counts.entry(kind).or_default() += 1;
    }
    println!("{counts:?}, {words} words");
    assert!(counts["compiled"] * 10 >= programs * 8, "{counts:?}");
}

fn compiled(text: &str) -> Result<Compiled, Error> {
    compile(&read(Language::Wgsl, text.as_bytes()).expect("valid"), &Options::of(Language::Wgsl))
}

#[test]
fn comparisons_of_one_line_wait_for_their_operands() {
    let text = "@vertex fn main(@location(0) p: vec4f) -> @builtin(position) vec4f {
        var result = p;
        if i32(p.x * 32.0) % 8 == 0 { result = p.wzyx; }
        return result;
    }";
    compiled(text).expect("the same");
}

#[test]
fn a_loop_that_is_left_in_its_first_round_is_none() {
    let text = "@group(0) @binding(0) var<uniform> count: i32;
    @vertex fn main(@location(0) p: vec4f) -> @builtin(position) vec4f {
        var result = p;
        for (var n = 0; n < count; n++) {
            result.y += 1.0;
            if p.x < 0.5 { result.x *= 2.0; }
            break;
        }
        return result;
    }";
    let compiled = compiled(text).expect("in the subset");
    assert!(!compiled.text.contains("for ") && compiled.interface.counts.is_empty(), "{}", compiled.text);
}

#[test]
fn loops_of_constants_are_counted_where_that_is_shorter() {
    let program = |test: &str| {
        let text = format!(
            "@group(0) @binding(0) var<uniform> walls: array<vec4f, 4>;
            @vertex fn main(@location(0) p: vec4f) -> @builtin(position) vec4f {{
                var result = p;
                for (var n = 0; n < 4; n++) {{
                    let beyond = dot(walls[n], result);
                    if {test} {{ break; }}
                    result = walls[n] * beyond + result.wzyx;
                }}
                return result;
            }}"
        );
        compiled(&text).expect("in the subset")
    };
    let counted = program("beyond < 0.5");
    assert!(counted.text.contains(".seti i0(3, 0, 1, 0)\n"), "{}", counted.text);
    assert_eq!(counted.interface.counts.len(), 1);
    let file = Shbin::parse(&counted.bytes).expect("a file");
    assert_eq!(constants(file.executable(0).expect("a program")).ints[0], Some([3, 0, 1, 0]));
    // A constant decides the exit: one round is left.
    let unrolled = program("n == 1");
    assert!(!unrolled.text.contains("for ") && unrolled.interface.counts.is_empty(), "{}", unrolled.text);
}

#[test]
fn errors_name_lines_of_the_source() {
    let program = |count: usize| {
        let parts: Vec<String> = (0..count).map(|n| format!("p.x > {n}.5")).collect();
        format!(
            "@vertex fn main(@location(0) p: vec4f) -> @builtin(position) vec4f {{
                var result = p;
                if {} {{ result = p.wzyx; }}
                return result;
            }}",
            parts.join(" && ")
        )
    };
    compiled(&program(33)).expect("not too deep");
    let error = compiled(&program(34)).expect_err("one more");
    assert_eq!(error.to_string(), "line 3: a condition of so many parts is not compiled");
}
