//! Code of the host: compiled as C, C++ and Rust, it computes what [`Interface::registers`] does.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fastrand::Rng;
use naga::MathFunction as M;
use transpica_compile::compile::Compiled;
use transpica_compile::source::host::Node;
use transpica_compile::source::interface::{Layout, Uniform, UniformValues};
use transpica_compile::source::{Interface, Language, Options, Scalar, Shape, lower, read};

use crate::needs;

/// Values of uniforms for each shader.
const CASES: usize = 40;
/// Largest distance of what functions of the C library compute, in units in the last place.
const ULP: u32 = 4;

/// Expressions of uniforms in WGSL, each a float or a vector of four.
const WGSL: &[&str] = &[
    "u.m4 * u.a",
    "u.a * u.m4",
    "vec4f(u.m3 * u.c, 1.0)",
    "(u.m4 * u.m4b)[1] + (u.m4 * u.m4b)[3]",
    "vec4f(u.m23 * u.a.xy, u.s) + vec4f(u.c * u.m23 * u.s, u.c.yx)",
    "vec4f((u.m23 * transpose(u.m23))[2], u.s)",
    "transpose(u.m4)[0] - u.m4[1] * u.s + -u.a",
    "vec4f(determinant(u.m4), determinant(u.m3), determinant(u.m2), 0.5)",
    "vec4f(normalize(u.c), length(u.c))",
    "vec4f(reflect(u.c, normalize(u.d)), distance(u.c, u.d))",
    "vec4f(refract(normalize(u.c), normalize(u.d), u.s), dot(u.a, u.b))",
    "vec4f(refract(u.d, normalize(u.c), f32(u.i % u.j)), 1.0)",
    "vec4f(faceForward(u.c, u.d, u.a.xyz), dot(u.c.xy, u.d.yz))",
    "vec4f(cross(u.c, u.d + u.s), u.s)",
    "(u.m4 - u.m4b * u.s)[2]",
    "abs(u.a) + min(u.a, u.b) * max(u.a, u.b) - clamp(u.a, u.b, u.b + 1.0)",
    "saturate(u.a) / u.b - (u.a - (u.b - u.s)) / (u.b / u.s)",
    "floor(u.a) + ceil(u.b) * fract(u.a) - trunc(u.b * 3.0) + round(u.a * 2.0)",
    "sign(u.a) * step(u.a, u.b) + mix(u.a, u.b, u.s) + mix(u.a, u.b, u.b)",
    "smoothstep(u.a, u.b, u.b * 0.5) + fma(u.a, u.b, u.b)",
    "sqrt(u.a) + inverseSqrt(u.b)",
    "radians(u.a) + degrees(u.b)",
    "u.a % u.b",
    "sin(u.a) + cos(u.b)",
    "tan(u.a)",
    "vec4f(asin(u.s), acos(u.s), atan(u.s), atan2(u.s, u.t))",
    "vec4f(sinh(u.s), cosh(u.s), tanh(u.s), exp2(u.s))",
    "vec4f(exp(u.s), log(u.s), log2(u.s), pow(u.s, u.t))",
    "select(u.a, u.b, u.a < u.b) + select(u.a, u.b, u.s >= u.t)",
    "select(0.0, u.s, all(u.a > u.b) || any(u.a == u.b) && !(u.s <= u.t))",
    "select(1.0, u.s, (u.s != u.t) == (u.i < u.j)) * 3.5e-7 * u.t",
    "vec4f(u.k + u.k.wzyx * u.i - u.j)",
    "vec4f(u.k / u.i) + vec4f(u.k % u.j) - vec4f(-u.k)",
    "vec4f(abs(u.k)) + vec4f(sign(u.k)) + vec4f(min(u.k, vec4i(u.i))) + vec4f(max(u.k, vec4i(u.j)))",
    "vec4f(clamp(u.k, vec4i(u.i), vec4i(u.j)))",
    "vec4f(u.k & vec4i(u.i)) + vec4f(u.k | vec4i(3)) + vec4f(u.k ^ vec4i(u.j))",
    "f32(u.i << (u.n & 7u)) + f32(u.j >> u.n) + f32(u.n >> 3u) + f32(u.n << 2u)",
    "f32(u.n + 5u) + f32(u.n - 7u) + f32(u.n * u.n) + f32(100u / u.n) + f32(100u % u.n)",
    "f32(min(u.n, 9u)) + f32(max(u.n, 9u)) + f32(clamp(u.n, 2u, 9u)) + f32((u.n & 12u) | 3u)",
    "f32(i32(u.s * 1e9)) + f32(u32(u.t * 3e9)) + f32(i32(u.n)) + f32(u32(u.i))",
    "f32(u.n >= 0u) + f32(u.s == u.s) + f32(i32(u.i > 2)) + f32(u32(u.j == 1)) + f32(bool(u.s)) + f32(bool(u.n))",
    "u.lights[1].color * u.lights[2].power.y + u.lights[0].at[1].zzxx",
    "vec4f(vec4i(2147483647i - u.i, -2147483647i - u.j, 3, 4))",
    "u.a * -1.5 - -u.b",
];

/// The same in GLSL.
const GLSL: &[&str] = &[
    "inverse(m4)[1]",
    "vec4(inverse(m3)[2], 1.0)",
    "vec4(inverse(mat2(a.xy, b.zw))[0], inverse(mat2(a.xy, b.zw))[1])",
    "transpose(inverse(m4))[3] * determinant(inverse(m3))",
    "mod(a, b)",
    "outerProduct(a, b)[2]",
    "vec4(notEqual(a, b)) + vec4(not(lessThan(a, b)))",
    "vec4(length(s), distance(s, a.x), s, abs(s))",
    "exp(a) * sqrt(abs(b))",
];

/// A shader that the host computes most of.
struct Shader {
    name: String,
    compiled: Compiled,
}

fn shader(name: &str, language: Language, text: &[u8]) -> Shader {
    let source = read(language, text).unwrap_or_else(|error| panic!("{name}: {error}"));
    let interface = lower(&source, &Options::of(language)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let interface = interface.interface;
    let (text, bytes, distances) = (String::new(), Vec::new(), Vec::new());
    Shader {
        name: name.into(),
        compiled: Compiled {
            text,
            bytes,
            words: 0,
            interface,
            distances,
            names: BTreeMap::new(),
            lines: Vec::new(),
            source: String::new(),
        },
    }
}

/// All files, and the lists above.
fn shaders() -> Vec<Shader> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shaders");
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).expect("shaders").map(|entry| entry.expect("a file").path()).collect();
    paths.sort();
    let file = |path: &PathBuf| {
        let is_wgsl = path.extension().is_some_and(|end| end == "wgsl");
        let name = path.file_name().expect("a name").to_string_lossy().replace('.', "_");
        let language = if is_wgsl { Language::Wgsl } else { Language::Glsl };
        shader(&name, language, &fs::read(path).expect("a text"))
    };
    let mut all: Vec<Shader> = paths.iter().map(file).collect();
    assert!(all.len() > 30, "{}", all.len());
    let declarations = "struct Light { color: vec4f, power: vec2f, at: array<vec3f, 2> }
        struct Uniforms { a: vec4f, b: vec4f, c: vec3f, d: vec3f, m2: mat2x2f, m3: mat3x3f, m4: mat4x4f,
            m4b: mat4x4f, m23: mat2x3f, s: f32, t: f32, i: i32, j: i32, n: u32, k: vec4i,
            lights: array<Light, 3> }
        @group(0) @binding(0) var<uniform> u: Uniforms;
        @vertex fn main(@location(0) p: vec4f) -> @builtin(position) vec4f {
            var r = p;
            for (var round = 0; round < u.j; round++) { r += p.wzyx; }
            if u.i > 3 { r = r + p; }
            r += p * u.lights[u32(clamp(p.x, 0.0, 2.0))].color;\n";
    for (number, part) in WGSL.chunks(12).enumerate() {
        let sums: String = part.iter().map(|one| format!("r += p * vec4f({one});\n")).collect();
        let text = format!("{declarations}{sums}return r; }}");
        all.push(shader(&format!("operations{number}"), Language::Wgsl, text.as_bytes()));
    }
    let sums: String = GLSL.iter().map(|one| format!("r += p * ({one});\n")).collect();
    let text = format!(
        "#version 450\nlayout(location = 0) in vec4 p;\n\
         layout(set = 0, binding = 0) uniform All {{ vec4 a; vec4 b; mat3 m3; mat4 m4; float s; }};\n\
         void main() {{ vec4 r = p;\n{sums}gl_Position = r; }}"
    );
    all.push(shader("operations_of_glsl", Language::Glsl, text.as_bytes()));
    all
}

/// Places of a uniform's lanes in both languages, with their registers.
fn lanes(uniform: &Uniform) -> Vec<(String, Scalar, usize, usize)> {
    let mut all = Vec::new();
    let mut work = vec![(snake_case(&uniform.name), &uniform.layout, 0)];
    while let Some((path, layout, offset)) = work.pop() {
        match layout {
            Layout::Leaf(shape) => {
                for lane in 0..shape.lanes() {
                    let (row, column) = (lane % usize::from(shape.rows), lane / usize::from(shape.rows));
                    let (own, row, column) = match (shape.is_scalar(), shape.is_matrix()) {
                        (true, _) => (path.clone(), 0, 0),
                        (_, true) => (format!("{path}[{row}][{column}]"), row, column),
                        (_, false) => (format!("{path}[{lane}]"), 0, lane),
                    };
                    all.push((own, shape.scalar, offset + row, column));
                }
            }
            Layout::Struct(members) => {
                let mut offset = offset;
                for (name, member) in members {
                    work.push((format!("{path}.{}", snake_case(name)), member, offset));
                    offset += member.registers();
                }
            }
            Layout::Array(element, count) => {
                let part =
                    |index| (format!("{path}[{index}]"), &**element, offset + index * element.registers());
                work.extend((0..*count).map(part));
            }
        }
    }
    all
}

/// The names of these shaders have words like `viewProjection` only.
fn snake_case(name: &str) -> String {
    let letter = |letter: char| match letter.is_ascii_uppercase() {
        true => format!("_{}", letter.to_ascii_lowercase()),
        false => letter.to_string(),
    };
    name.chars().map(letter).collect::<String>().trim_start_matches('_').to_owned()
}

fn bits(rng: &mut Rng, shape: Shape) -> u32 {
    let float = |rng: &mut Rng| match rng.u32(0..40) {
        0 => 0.0,
        1 | 2 => 1.0,
        3 | 4 => -1.0,
        5 => 1e20,
        _other => (rng.f32() - 0.5) * 4.0,
    };
    match shape.scalar {
        Scalar::Float => float(rng).to_bits(),
        Scalar::Int | Scalar::Uint if rng.bool() => rng.u32(0..9),
        Scalar::Int | Scalar::Uint => [u32::MAX, 1 << 31, (1 << 31) - 1, rng.u32(..)][rng.usize(0..4)],
        Scalar::Bool => rng.u32(0..2),
    }
}

fn values(rng: &mut Rng, interface: &Interface) -> UniformValues {
    let registers = |uniform: &Uniform| {
        let mut all = vec![[0; 4]; uniform.layout.registers()];
        for (offset, shape) in uniform.layout.leaves() {
            let rows = if shape.is_matrix() { shape.rows.into() } else { 1 };
            for register in &mut all[offset..offset + rows] {
                *register = [(); 4].map(|()| bits(rng, shape));
            }
        }
        all
    };
    interface.uniforms.iter().map(registers).collect()
}

/// Runs a program that must succeed without a message; returns its output.
#[track_caller]
fn run(command: &mut Command, input: &[u8]) -> Vec<u8> {
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipes.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("it runs");
    let _ = writer.join();
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && messages.is_empty(), "{}\n{messages}", output.status);
    output.stdout
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("host").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the target folder can be written");
    folder
}

/// A compiler of C or C++ that finds the signatures of citro3d.
fn compiler(program: &str, standard: &str) -> Command {
    let mut command = Command::new(program);
    command.args([standard, "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-O1"]);
    command.arg("-I").arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../build/tests"));
    command
}

/// Writes headers and modules, and compiles them in all languages. Returns the folder.
fn write(name: &str, shaders: &[Shader], main_c: &str, main_rs: &str) -> PathBuf {
    let folder = folder(name);
    let (mut headers, mut modules) = (String::new(), String::new());
    for Shader { name, compiled } in shaders {
        fs::write(folder.join(format!("{name}.h")), compiled.host_c(name)).expect("written");
        fs::write(folder.join(format!("{name}.rs")), compiled.host_rust()).expect("written");
        headers.push_str(&format!("#include \"{name}.h\"\n"));
        modules.push_str(&format!("#[allow(dead_code)]\nmod {name};\n"));
    }
    let path = |name: &str| folder.join(name);
    fs::write(path("main.c"), format!("#include <stdio.h>\n{headers}{main_c}")).expect("written");
    fs::write(path("main.cpp"), headers).expect("written");
    fs::write(path("main.rs"), format!("#![deny(warnings)]\n{modules}{main_rs}")).expect("written");
    run(
        compiler("cc", "-std=c11")
            .args(["-DTRANSPICA_PLAIN", "-o"])
            .arg(path("in_c"))
            .arg(path("main.c"))
            .arg("-lm"),
        &[],
    );
    run(compiler("c++", "-std=c++17").arg("-fsyntax-only").arg(path("main.cpp")), &[]);
    let rustc = ["--edition", "2021", "-O", "-o"];
    run(Command::new("rustc").args(rustc).arg(path("in_rust")).arg(path("main.rs")), &[]);
    folder
}

/// Beginning of the main program in C: words of the input.
const MAIN_C: &str = "static uint32_t next(void) {
    uint32_t bits = 0;
    if (fread(&bits, sizeof bits, 1, stdin) != 1) bits = 0;
    return bits;
}
static float number(void) {
    const uint32_t bits = next();
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
";

/// The same in Rust. Nothing is inlined, which saves most of the time of the compiler.
const MAIN_RUST: &str = "use std::io::{Read, Write};
struct Words(std::vec::IntoIter<u8>);
impl Words {
    #[inline(never)]
    fn next(&mut self) -> u32 {
        u32::from_le_bytes([(); 4].map(|()| self.0.next().unwrap()))
    }
    #[inline(never)]
    fn number(&mut self) -> f32 {
        f32::from_bits(self.next())
    }
}
#[inline(never)]
fn put(c: &[[f32; 4]], i: &[[u8; 4]; 4], b: u16) {
    let mut out = std::io::stdout().lock();
    for lane in c.iter().flatten() {
        out.write_all(&lane.to_le_bytes()).unwrap();
    }
    i.iter().for_each(|lanes| out.write_all(lanes).unwrap());
    out.write_all(&b.to_le_bytes()).unwrap();
}
";

/// Main programs that read uniforms, and write registers.
fn mains(shaders: &[Shader]) -> [String; 2] {
    let mut parts = [MAIN_C.to_owned(), MAIN_RUST.to_owned()];
    let mut calls = [String::new(), String::new()];
    for Shader { name, compiled } in shaders {
        let mut fields = [String::new(), String::new()];
        for (path, kind, ..) in compiled.interface.uniforms.iter().flat_map(lanes) {
            let values = match kind {
                Scalar::Float => ["number()", "words.number()"],
                Scalar::Int => ["(int32_t)next()", "words.next() as i32"],
                Scalar::Uint => ["next()", "words.next()"],
                Scalar::Bool => ["next() != 0", "words.next() != 0"],
            };
            for (fields, value) in fields.iter_mut().zip(values) {
                fields.push_str(&format!("    u.{path} = {value};\n"));
            }
        }
        let [in_c, in_rust] = &fields;
        parts[0].push_str(&format!(
            "static void run_{name}(void) {{
    struct {name}_uniforms u;
    struct {name}_registers r;
    memset(&u, 255, sizeof u);
{in_c}    {name}_update(&u, &r);
    fwrite(r.c, sizeof r.c, 1, stdout);
    fwrite(r.i, sizeof r.i, 1, stdout);
    fwrite(&r.b, sizeof r.b, 1, stdout);
}}\n"
        ));
        parts[1].push_str(&format!(
            "#[inline(never)]
fn run_{name}(words: &mut Words) {{
    let mut u: {name}::Uniforms = unsafe {{ std::mem::zeroed() }};
{in_rust}    let r = {name}::update(&u);
    put(&r.c, &r.i, r.b);
}}\n"
        ));
        calls[0].push_str(&format!("    for (int round = 0; round < {CASES}; round++) run_{name}();\n"));
        calls[1].push_str(&format!("    (0..{CASES}).for_each(|_| run_{name}(&mut words));\n"));
    }
    let [c, rust] = parts;
    [
        format!("{c}int main(void) {{\n{}    return 0;\n}}\n", calls[0]),
        format!(
            "{rust}fn main() {{
    let mut input = Vec::new();
    std::io::stdin().read_to_end(&mut input).unwrap();
    let mut words = Words(input.into_iter());
{}}}\n",
            calls[1]
        ),
    ]
}

/// Lanes of registers that depend on functions of the C library.
fn is_rounded(interface: &Interface) -> Vec<[bool; 4]> {
    let mut nodes: Vec<bool> = Vec::new();
    for (node, _) in interface.host.nodes() {
        let own = match node {
            Node::Math(fun, _) => matches!(
                fun,
                M::Sin
                    | M::Cos
                    | M::Tan
                    | M::Asin
                    | M::Acos
                    | M::Atan
                    | M::Atan2
                    | M::Sinh
                    | M::Cosh
                    | M::Tanh
                    | M::Exp
                    | M::Exp2
                    | M::Log
                    | M::Log2
                    | M::Pow
            ),
            _other => false,
        };
        nodes.push(own || node.operands().iter().any(|operand| nodes[operand.index()]));
    }
    let mut all = vec![[false; 4]; usize::from(interface.free)];
    for derived in &interface.derived {
        let mut register = usize::from(derived.register);
        for node in &derived.nodes {
            let shape = interface.host.shape(*node);
            for lane in 0..shape.lanes() {
                let rows = usize::from(shape.rows);
                let (row, lane) = if shape.is_matrix() {
                    (lane % rows, lane / rows)
                } else {
                    (0, usize::from(derived.lane) + lane)
                };
                all[register + row][lane] |= nodes[node.index()];
            }
            register += Layout::Leaf(shape).registers();
        }
    }
    all
}

fn distance(a: f32, b: f32) -> u32 {
    let order = |value: f32| {
        let bits = value.to_bits().cast_signed();
        i64::from(if bits < 0 { i32::MIN.wrapping_sub(bits) } else { bits })
    };
    match (a.is_nan(), b.is_nan()) {
        (true, true) => 0,
        (false, false) => u32::try_from((order(a) - order(b)).abs()).unwrap_or(u32::MAX),
        _other => u32::MAX,
    }
}

#[test]
fn registers_of_every_shader_are_those_of_the_reference() {
    if !needs::has(&["cc", "c++"]) {
        return;
    }
    let shaders = shaders();
    let [c, rust] = mains(&shaders);
    let folder = write("shaders", &shaders, &c, &rust);
    let mut rng = Rng::with_seed(52);
    let (mut input, mut expected) = (Vec::new(), Vec::new());
    for Shader { compiled, .. } in &shaders {
        for _ in 0..CASES {
            let values = values(&mut rng, &compiled.interface);
            for (uniform, registers) in compiled.interface.uniforms.iter().zip(&values) {
                let lanes = lanes(uniform).into_iter();
                input.extend(lanes.flat_map(|(.., register, lane)| registers[register][lane].to_le_bytes()));
            }
            expected.push(compiled.interface.registers(&values).expect("defined"));
        }
    }
    for language in ["in_c", "in_rust"] {
        let output = run(&mut Command::new(folder.join(language)), &input);
        let mut rest = &output[..];
        let mut take = |count: usize| {
            let (first, behind) = rest.split_at(count);
            rest = behind;
            first
        };
        let mut wrong = Vec::new();
        let mut farthest = 0;
        for (Shader { name, compiled }, expected) in shaders.iter().zip(expected.chunks(CASES)) {
            let interface = &compiled.interface;
            let is_rounded = is_rounded(interface);
            for expected in expected {
                for (register, lanes) in is_rounded.iter().enumerate() {
                    for (lane, &is_rounded) in lanes.iter().enumerate() {
                        let found = f32::from_le_bytes(take(4).try_into().expect("four bytes"));
                        let value = expected.floats[register][lane];
                        let ulp = distance(value, found);
                        farthest = farthest.max(ulp);
                        if ulp > if is_rounded { ULP } else { 0 } {
                            wrong.push(format!("{language} {name} c{register}[{lane}]: {value:?} {found:?}"));
                        }
                    }
                }
                assert_eq!(take(16), expected.ints.concat(), "{language} {name}");
                assert_eq!(take(2), expected.bools.to_le_bytes(), "{language} {name}");
            }
        }
        println!("{language}: at most {farthest} ulp");
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(rest.is_empty(), "{language}");
    }
}

/// A small shader with a loop, a flag, a matrix, structs in an array, and what the host computes.
const SMALL: &str = "struct Inner { x: f32, y: vec4f }
    struct Outer { x: vec3f, y: Inner }
    struct All { first: mat4x4f, second: array<Outer, 2>, third: i32, fourth: u32, fifth: vec4f }
    @group(0) @binding(0) var<uniform> all: All;
    @vertex fn main(@location(0) p: vec4f) -> @builtin(position) vec4f {
        var r = p * all.second[u32(p.x)].y.x + p * normalize(all.fifth) * all.first;
        let given = normalize(all.fifth * 2.0);
        if all.third > 5 { r += p * given; }
        for (var i = 0u; i < all.fourth; i++) { r += p; }
        return r;
    }";

#[test]
fn names_that_are_keywords_or_collide_compile() {
    if !needs::has(&["cc", "c++"]) {
        return;
    }
    // Fields are public, so that names need not come from a front end.
    let names: [[&str; 5]; 5] = [
        ["int", "fn", "a b", "a_b", "a-b"],
        ["in", "out", "uniforms", "class", "self"],
        ["", "3d", "__", "é", "linux"],
        ["same", "same", "same", "Same", "same_2"],
        ["sqrtf", "Uniforms", "normalize", "dot", "INFINITY"],
    ];
    let mut all = Vec::new();
    for (number, names) in names.iter().enumerate() {
        let mut hostile = shader(&format!("names{number}"), Language::Wgsl, SMALL.as_bytes());
        let interface = &mut hostile.compiled.interface;
        for (uniform, name) in interface.uniforms.iter_mut().zip(names) {
            uniform.name = (*name).into();
            if let Layout::Array(element, _) = &mut uniform.layout
                && let Layout::Struct(members) = &mut **element
            {
                for ((own, member), name) in members.iter_mut().zip(names) {
                    *own = (*name).into();
                    if let Layout::Struct(members) = member {
                        members.iter_mut().zip(names).for_each(|((own, _), name)| *own = (*name).into());
                    }
                }
            }
        }
        let given = interface.derived.iter_mut().map(|one| &mut one.name);
        given
            .chain(interface.flags.iter_mut().map(|one| &mut one.name))
            .zip(names)
            .for_each(|(own, name)| *own = (*name).into());
        all.push(hostile);
    }
    for text in [
        "@vertex fn main(@location(0) p: vec4f) -> @builtin(position) vec4f { return p; }",
        "struct U { a: array<f32, 99>, b: vec4f } @group(0) @binding(0) var<uniform> u: array<mat2x2f, 3>;
         @vertex fn main(@location(0) p: vec4f) -> @builtin(position) vec4f { return p; }",
    ] {
        all.push(shader(&format!("empty{}", all.len()), Language::Wgsl, text.as_bytes()));
    }
    write("names", &all, "int main(void) { return 0; }\n", "fn main() {}\n");
    let compiled = &all[0].compiled;
    for name in ["int", "fn", "class", "3d", "Ü b"] {
        let header = compiled.host_c(name);
        let path = folder("prefix").join("prefix.h");
        fs::write(&path, header).expect("written");
        run(compiler("c++", "-std=c++17").args(["-x", "c++", "-w", "-fsyntax-only"]).arg(path), &[]);
    }
    assert!(compiled.host_c("a").contains("int32_t a_b;"), "{}", compiled.host_c("a"));
}

#[test]
fn registers_reach_the_vertex_unit_in_order() {
    if !needs::has(&["cc", "c++"]) {
        return;
    }
    let small = shader("small", Language::Wgsl, SMALL.as_bytes());
    let folder = folder("apply");
    fs::write(folder.join("small.h"), small.compiled.host_c("small")).expect("written");
    let main = "#include \"small.h\"\nint main(void) {\n    C3D_Mtx matrix;\n    struct small_uniforms u;\n    \
        struct small_registers r;\n    memset(&u, 0, sizeof u);\n    \
        for (int lane = 0; lane < 16; lane++) matrix.m[lane] = (float)lane;\n    \
        small_host_rows(&matrix, u.first, 4);\n    u.third = 6;\n    u.fourth = 9;\n    \
        u.second[1].x[2] = 0.5f;\n    u.second[1].y.x = 1.5f;\n    u.second[1].y.y[3] = 2.5f;\n    u.fifth[1] = 4.0f;\n    \
        small_update(&u, &r);\n    small_apply(&r);\n    printf(\"%g %g\\n\", (double)u.first[0][0], (double)u.first[1][3]);\n    return 0;\n}\n";
    fs::write(folder.join("main.c"), main).expect("written");
    run(
        compiler("cc", "-std=c11").arg("-o").arg(folder.join("main")).arg(folder.join("main.c")).arg("-lm"),
        &[],
    );
    let output = String::from_utf8(run(&mut Command::new(folder.join("main")), &[])).expect("a text");
    let expected = "float 0 0 3 2 1 0\nfloat 0 1 7 6 5 4\nfloat 0 2 11 10 9 8\nfloat 0 3 15 14 13 12\nfloat 0 4 0 0 0 0\n\
        float 0 5 0 0 0 0\nfloat 0 6 0 0 0 0\nfloat 0 7 0 0 0.5 0\nfloat 0 8 1.5 0 0 0\nfloat 0 9 0 0 0 2.5\n\
        float 0 10 0 1 0 0\nfloat 0 11 0 1 0 0\nint 0 0x60 8 0 0 0\nbool 0 0x68 1\nbool 0 0x69 1\n3 4\n";
    assert_eq!(output, expected);
}
