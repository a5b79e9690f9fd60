//! Shaders in WGSL and GLSL as programs: their words, and how far they are from their sources.

use std::fs;
use std::path::Path;

use transpica::Shbin;
use transpica::host::dvle;
use transpica_proof::daily::cases;

use crate::quaternions::outputs;
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
        let text = fs::read_to_string(path).expect("a text");
        let source = read(language, text.as_bytes()).expect("valid");
        let name = path.file_name().expect("a name").to_string_lossy();
        match compile(&source, &Options::of(language)) {
            Ok(compiled) => {
                assert!(comments(&name, &text, &compiled) > 0, "{name}");
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
    // Passes find that the program of seed 318 need not read an input.
    for seed in (0..programs).chain([318]) {
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
    assert_eq!(dvle::constants(file.executable(0).expect("a program")).ints[0], Some([3, 0, 1, 0]));
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

#[test]
fn limits_name_lines_and_advise() {
    let program = |count: usize| {
        let lets: String =
            (0..count).map(|n| format!("let a{n} = vec4f(p.x, p.y, p.z, p.w) * u[{n}];\n")).collect();
        let uses: String = (0..count).rev().map(|n| format!("s = max(s.yzwx, a{n}) * s;\n")).collect();
        let uniforms = "@group(0) @binding(0) var<uniform> u: array<vec4f, 20>;";
        let head = "@vertex fn main(@location(0) p: vec4f) -> @builtin(position) vec4f { var s = p;";
        // Each product is needed after all sums.
        format!("{uniforms}\n{head}\n{lets}for (var n = 0; n < i32(u[19].x); n++) {{ {uses} }}\nreturn s; }}")
    };
    compiled(&program(14)).expect("few enough");
    let report = compiled(&program(18)).expect_err("too many").report();
    let expected = "more than 16 temporaries are needed: values of the lines 3, 4, 5, 6, ";
    assert!(report.message.starts_with(expected), "{}", report.message);
    assert!(report.message.ends_with(" more are needed at the same time"), "{}", report.message);
    assert!(report.advice.is_some());
}

/// A program of some statements of one instruction or more.
fn statements(count: usize) -> String {
    let lines: String = (0..count)
        .map(|n| {
            let operation =
                ["max(s, p.wzyx)", "min(s.yzwx, p)", "max(s.zwxy, p.yzwx)", "min(s.wzyx, p.xzyw)"][n % 4];
            format!("s = {operation};\n")
        })
        .collect();
    format!(
        "@vertex fn main(@location(0) p: vec4f) -> @builtin(position) vec4f {{ var s = p;\n{lines}return s; }}"
    )
}

#[test]
fn programs_of_far_too_many_words_are_refused_soon() {
    // Depth and the end take a few words.
    assert_eq!(compiled(&statements(509)).map(|program| program.words).ok(), Some(512));
    for (count, expected) in
        [(767, "770 words are needed, and there are 512"), (768, "more than 512 words are needed")]
    {
        let error = compiled(&statements(count)).expect_err("too many").report();
        assert!(error.message.ends_with(expected), "{count}: {}", error.message);
        assert!(error.advice.is_some());
    }
}

#[test]
fn lines_of_the_source_stand_before_their_instructions() {
    let text = "@group(0) @binding(0) var<uniform> scale: vec4f;
@vertex fn main(@location(0) p: vec4f) -> @builtin(position) vec4f {
    var result = p;
    result *= scale;
    if p.x < 0.5 {
        result.y = p.y + p.z;
    }
    return vec4f(
        result.xy * p.w,
        p.z,
        1.0,
    );
}
";
    let compiled = compiled(text).expect("in the subset");
    let body = compiled.text.split_once(".proc main\n").expect("a procedure").1;
    let expected = "\t; 4: result *= scale;
\tmul r0.xy, scale, u_p
\t; 5: if p.x < 0.5 {
\tcmp c95.x, gt, gt, u_p.x
\tifc cmp.x
\t\t; 6: result.y = p.y + p.z;
\t\tadd r0.y, u_p, u_p.z
\t.end
\t; 9: result.xy * p.w,
\tmul position.xy, r0, u_p.w
\t; 8: return vec4f(
\tadd position.z, c95.y, u_p
\tmov position.w, c95.z
\tend
.end
";
    assert_eq!(body, expected);
}

#[test]
fn the_depth_of_the_console_has_the_line_of_the_position() {
    for (position, result, expected) in
        [("u * p", "out", 5), ("vec4f(p.xyz, 1.0)", "out", 5), ("p", "Out(vec4f(p.xyz, 1.0), p)", 7)]
    {
        let text = format!(
            "struct Out {{ @builtin(position) position: vec4f, @location(0) color: vec4f }}
@group(0) @binding(0) var<uniform> u: mat4x4f;
@vertex fn main(@location(0) p: vec4f) -> Out {{
    var out: Out;
    out.position = {position};
    out.color = p * p;
    return {result};
}}"
        );
        let compiled = compiled(&text).expect("in the subset");
        let index = compiled.text.lines().position(|line| line.contains("add position.z"));
        assert_eq!(compiled.lines[index.expect("a depth")], Some(expected), "{}", compiled.text);
    }
}

#[test]
fn tables_of_constants_are_constants_of_the_file() {
    let text =
        "const corners = array<vec4f, 3>(vec4f(0.1, 0.2, 0.3, 1.0), vec4f(1.0), vec4f(0.0, 7.0, -0.7, 1.0));
const steps = array<i32, 2>(3, ROWS);
@group(0) @binding(0) var<uniform> u: vec4f;
@vertex fn main(@location(0) p: vec4f, @location(1) n: f32) -> @builtin(position) vec4f {
    return corners[i32(n)] * p + u + f32(steps[i32(n)]) + vec4f(0.5, 0.25, 0.125, 3.0);
}";
    let small = compiled(&text.replace("ROWS", "5")).expect("in the subset");
    assert_eq!((small.interface.free, &small.interface.derived[..]), (1, &[][..]), "{}", small.text);
    for part in ["[]\n.constfa (0.1", "[]\n.constfa (3.0, 0.0, 0.0, 0.0)\n", "table0[a0.x]", "table1[a0.x]"] {
        assert!(small.text.contains(part), "{part}: {}", small.text);
    }
    // Nearest to 0.1 with 16 bits of fraction; cut off it would be less.
    let held = constants(&small);
    assert!(held.iter().any(|&value| (value - 0.1).abs() < 2e-7 + 0.1 / 131_072.0), "{held:?}");
    // A file does not hold all whole numbers of 18 bits.
    let large = compiled(&text.replace("ROWS", "200001")).expect("in the subset");
    assert_eq!((large.interface.free, large.interface.tables.len()), (3, 1), "{}", large.text);
}

#[test]
fn numbers_that_wrap_around_have_their_vertex_and_advice() {
    let text = "struct O { @builtin(position) position: vec4f, @location(0) color: vec4f }
@vertex fn main(@location(0) p: vec4f, @location(1) k: u32) -> O {
    let d = k - 5u;
    return O(p, vec4f(f32(d)));
}";
    let error = compiled(text).expect_err("numbers below 0");
    let Error::Distance { farthest, .. } = &error else { panic!("{error}") };
    let (name, lanes) = farthest.attributes.last().expect("k");
    assert!(name == "k" && lanes[0] < 5.0 && farthest.values[0] > 1e9 && farthest.line == Some(4), "{error}");
    let report = error.report();
    assert!(report.advice.is_some_and(|advice| advice.contains("do not wrap around")), "{report:?}");
    assert!(report.message.contains(" in the source and ") && report.at.is_some(), "{report:?}");
}

/// Float constants of a file.
fn constants(compiled: &Compiled) -> Vec<f32> {
    let file = Shbin::parse(&compiled.bytes).expect("a file");
    let constants = dvle::constants(file.executable(0).expect("a program"));
    constants.floats.iter().flatten().flatten().map(|&bits| f32::from_bits(bits)).collect()
}

fn moved(x: &str) -> Compiled {
    let text = format!(
        "@vertex fn main(@location(0) p: vec4f) -> @builtin(position) vec4f {{
            return vec4f({x}, p.yzw);
        }}"
    );
    compiled(&text).unwrap_or_else(|error| panic!("{x}: {error}"))
}

#[test]
fn factors_of_functions_are_the_nearest_that_files_hold() {
    use std::f64::consts::{LN_2, LOG2_E, PI, TAU};
    let mut all = vec![
        ("exp(p.x)", LOG2_E),
        ("log(abs(p.x) + 1.0)", LN_2),
        ("radians(p.x)", PI / 180.0),
        ("degrees(p.x)", 180.0 / PI),
        ("sin(p.x)", 1.0 / TAU),
        ("cos(p.x * 1.7)", 1.7 / TAU),
        ("sin((1.3 * p.x) * p.y)", 1.3 / TAU),
    ];
    all.push(("asin(p.x * 0.4)", PI / 2.0));
    for (text, factor) in all {
        let unit = factor.log2().floor().exp2() / 65536.0;
        let expected = ((factor / unit).round() * unit) as f32;
        let held = constants(&moved(text));
        assert!(held.contains(&expected), "{text}: {expected} is none of {held:?}");
    }
}

#[test]
fn angles_in_turns_need_no_factor() {
    let [turns, other] = ["sin(6.2831855 * (p.x * p.y))", "sin(6.28 * (p.x * p.y))"].map(moved);
    assert!(turns.words < other.words, "{}", turns.text);
    let [turns, plain] = ["cos(p.x * 6.2831855 * p.y)", "cos(p.x * p.y)"].map(moved);
    assert!(turns.words <= plain.words, "{}", turns.text);
}

#[test]
fn each_row_that_the_host_computes_stands_for_itself() {
    let text = "@group(0) @binding(0) var<uniform> proj: mat4x4f;
        @group(0) @binding(1) var<uniform> view: mat4x4f;
        @vertex fn main(@location(0) p: vec4f) -> @builtin(position) vec4f { return proj * view * p; }";
    let interface = compiled(text).expect("valid").interface;
    assert_eq!(interface.computed_otherwise(&interface, |_, own| own), [""; 0]);
    for moved in [1, 2, 3] {
        let others = interface.computed_otherwise(&interface, |_, own| own ^ moved);
        assert_eq!(others, ["proj_view"], "{moved}");
        // The last row alone, which stands for another one.
        let last = |_, own| if own == 3 { 3 - moved } else { own + 50 };
        assert_eq!(interface.computed_otherwise(&interface, last), ["proj_view"], "{moved}");
    }
}

/// Of the reciprocals of these numbers, files hold 16 bits, which are too few.
#[test]
fn quotients_by_constants_have_the_right_whole_part() {
    for divisor in [3, 5, 6, 7, 10, 24, 49, 100, 360, 641, 1000] {
        let values = format!(
            "vec4f(floor(a.x / {divisor}.0), ceil(b.x / {divisor}.0), f32(u32(a.x) / {divisor}u), f32(u32(a.x) % {divisor}u))"
        );
        let counts = [0, 1, 2, 3, 13, 41, 49, 127, 32_767 / divisor - 1, 4_000_000 / divisor];
        let numbers: Vec<u32> =
            counts.iter().flat_map(|n| [n * divisor, n * divisor + divisor - 1]).collect();
        let vertices =
            numbers.iter().map(|&number| [[number as f32, 0.0, 0.0], [-(number as f32), 0.0, 0.0]]);
        let found = outputs("@location(0) color: vec4f", &values, &vertices.collect::<Vec<_>>());
        for (number, [floor, ceil, quotient, rest]) in numbers.into_iter().zip(found) {
            let (whole, part) = ((number / divisor) as f32, (number % divisor) as f32);
            assert_eq!([quotient, rest], [whole, part], "{number} by {divisor}");
            assert!(
                number > 1 << 15 || [floor, -ceil] == [whole; 2],
                "{number} by {divisor}: {floor}, {ceil}"
            );
        }
    }
}

#[test]
fn small_whole_powers_are_products() {
    for (power, products) in [(1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (6, 3), (8, 3)] {
        let text = moved(&format!("pow(p.x, {power}.0)")).text;
        assert!(!text.contains("lg2") && !text.contains("ex2"), "{text}");
        assert_eq!(text.matches("mul ").count(), products, "{text}");
    }
    for power in ["7.0", "16.0", "2.5", "0.0", "-1.0", "p.y"] {
        let text = moved(&format!("pow(abs(p.x), {power})")).text;
        assert!(text.contains("lg2 ") && text.contains("ex2 "), "{text}");
    }
    let vector = moved("dot(pow(abs(p), vec4f(32.0)), p) + dot(pow(abs(p), vec4f(2.0, 2.0, 2.0, 3.0)), p)");
    assert_eq!(vector.text.matches("lg2 ").count(), 4, "{}", vector.text);
}

/// Checks the comments of a program, and returns their number.
fn comments(name: &str, text: &str, compiled: &Compiled) -> usize {
    let source: Vec<&str> = text.lines().collect();
    let mut count = 0;
    // The first line has the words and temporaries.
    for line in compiled.text.lines().skip(1) {
        let comment = line.trim_start().strip_prefix("; ").and_then(|comment| comment.split_once(": "));
        let Some((number, comment)) = comment else { continue };
        let number: usize = number.parse().expect("the number of a line");
        assert_eq!(comment, source[number - 1].trim(), "{name}: line {number}");
        count += 1;
    }
    count
}
