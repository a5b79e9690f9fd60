//! Random programs of relative reads on the GPU: symbols of random sizes, offsets that are unknown,
//! clamped or counted by loops, in every layout with and without padding.

use std::fmt::Write as _;

use fastrand::Rng;
use transpica::host::dvle;
use transpica::host::dvle::FileEnvironment;
use transpica::settings::{Arithmetic, Block, Layout};
use transpica::{Job, Options, Precision, Profile, Shbin, Translator};
use transpica_asm::{SourceText, assemble};
use transpica_gpu::compare::{Case, Verdict, compare_shader};
use transpica_gpu::{Gpu, Route};
use transpica_proof::daily;

use crate::valid::valid_shader;

const SEEDS: std::ops::Range<u64> = 0..32;
const VERTICES: usize = 64;

/// Layouts, each with and without padding.
const BLOCKS: [(Layout, bool); 5] = [
    (Layout::Symbols, false),
    (Layout::Symbols, true),
    (Layout::Registers, false),
    (Layout::Registers, true),
    (Layout::Azahar, true),
];

/// A program of a few reads; a quarter of the programs have none of an unknown offset.
fn program(seed: u64) -> String {
    let mut random = Rng::with_seed(seed);
    let is_bounded = random.u64(..4) > 0;
    let mut text = String::new();
    let mut symbols = Vec::new();
    for index in 0..2 + random.u64(..3) {
        let count = 1 + random.u64(..20);
        let _ = writeln!(text, ".fvec s{index}[{count}]");
        symbols.push(count as i64);
    }
    // Ranges that stay within one symbol, and ranges that need not.
    let (low, high, turns) = if seed.is_multiple_of(2) {
        let low = random.u64(..3) as i64;
        (low, low + random.u64(..4) as i64, [random.u64(..3), random.u64(..3), 1])
    } else {
        let low = random.u64(..40) as i64 - 20;
        let turns = [random.u64(..6), random.u64(..20), 1 + random.u64(..3)];
        (low, low + random.u64(..30) as i64, turns)
    };
    let [x, y, z] = turns;
    let _ = write!(
        text,
        ".ivec count\n.constf k({low}.5, {high}.75, 3.0, 1.0)\n.consti turns({x}, {y}, {z}, 0)
.in a v0\n.in b v1\n.out position position\n.out color color
.proc main\n\tmov r0, a\n\tmov r1, b\n\tmov r2, k\n"
    );
    for _ in 0..1 + random.u64(..5) {
        let symbol = random.u64(..symbols.len() as u64) as usize;
        let element = random.u64(..symbols[symbol] as u64);
        let component = ["x", "y", "z", "w"][random.u64(..4) as usize];
        let kind = random.u64(..(if is_bounded { 3 } else { 5 }));
        let _ = match kind {
            // Both orders: the result is the second operand if one is NaN.
            0 => writeln!(text, "\tmax r3, a.{component}, r2.x\n\tmin r3, r3, r2.y"),
            1 => writeln!(text, "\tmax r3, k.x, a\n\tmin r3, k.y, r3.{component}"),
            3 => writeln!(text, "\tmov r3, a.{component}"),
            _loops => Ok(()),
        };
        let _ = match kind {
            2 => writeln!(text, "\tfor turns\n\t\tadd r1, s{symbol}[aL+{element}], r1\n\t.end"),
            4 => writeln!(text, "\tfor count\n\t\tadd r1, s{symbol}[aL+{element}], r1\n\t.end"),
            _clamped => writeln!(text, "\tmova a0.x, r3.x\n\tadd r1, s{symbol}[a0.x+{element}], r1"),
        };
    }
    let _ = writeln!(text, "\tadd r0, s0, r0\n\tmov position, r1\n\tmov color, r0\n\tend\n.end");
    text
}

/// Numbers around the limits of registers and offsets, NaN and infinities.
fn inputs(seed: u64) -> Vec<[[f32; 4]; 16]> {
    let mut random = Rng::with_seed(seed ^ 0xABCD);
    let mut number = || match random.u64(..12) {
        0 => [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0][random.u64(..4) as usize],
        1 => [127.0, 127.99, 128.0, -128.0, -128.9, -129.0][random.u64(..6) as usize],
        _ => random.u64(..3200) as f32 / 8.0 - 200.0,
    };
    (0..VERTICES).map(|_| std::array::from_fn(|_| std::array::from_fn(|_| number()))).collect()
}

/// Compares a program on a route.
fn verdict(gpu: &Gpu, seed: u64, options: Options, route: Route) -> Verdict {
    let text = program(seed);
    let bytes = assemble(&[SourceText { name: "program.pica", text: &text }]);
    let bytes = bytes.unwrap_or_else(|error| panic!("{error}\n{text}")).bytes;
    let file = Shbin::parse(&bytes).expect("well formed");
    let program = dvle::program(&file, 0, &options.limits).expect("a vertex program");
    let around = FileEnvironment::new(&file, 0, "program").expect("there");
    let mut uniforms = transpica_proof::generate::uniforms(seed);
    around.constants().apply(&mut uniforms);
    let inputs = inputs(seed);
    let (program, uniforms, inputs) = (&program, &uniforms, &inputs);
    let case = Case { program, environment: &around, uniforms, inputs, options, budget: 1 << 16 };
    let mut translator = Translator::new(options, Profile::default());
    let translated = translator.translate(program, &around, Job::Compute).expect("it translates");
    let shader = valid_shader(gpu, &mut translator, &translated, route);
    let shader = shader.unwrap_or_else(|error| panic!("{error}\n{text}"));
    let verdict = compare_shader(gpu, &case, &translated, shader);
    let verdict = verdict.unwrap_or_else(|error| panic!("{error}\n{text}"));
    let block = options.block;
    assert!(verdict.passed(), "seed {seed} {block:?} {}: {:?}\n{text}", route.name(), verdict.first);
    verdict
}

#[test]
fn relative_reads_run_as_on_the_interpreter_in_every_layout() {
    needs!("vulkan");
    let gpu = Gpu::open(None).unwrap_or_else(|error| panic!("{error}"));
    let mut total = Verdict::default();
    let programs = daily::cases("programs of relative reads", 6, SEEDS.end - SEEDS.start);
    for seed in SEEDS.take(programs as usize) {
        for (layout, padded) in BLOCKS {
            let options =
                Options { block: Block { layout, padded, ..Block::default() }, ..Options::default() };
            total.add(&verdict(&gpu, seed, options, Route::Passthrough));
            if seed < programs / 4 {
                total.add(&verdict(&gpu, seed, options, Route::Wgsl));
                let arithmetic = Arithmetic { precision: Precision::F24, ..options.arithmetic };
                total.add(&verdict(&gpu, seed, Options { arithmetic, ..options }, Route::Passthrough));
            }
        }
    }
    println!("{} values on {}: 0 differ", total.values, gpu.name());
    assert!(total.values > 9_000, "{total:?}");
}

/// The programs have what the test is about: arrays of single symbols, of several, and of all.
#[test]
fn the_programs_have_arrays_of_all_sizes() {
    let [mut own, mut several, mut all] = [0; 3];
    for seed in SEEDS {
        let text = program(seed);
        let bytes =
            assemble(&[SourceText { name: "program.pica", text: &text }]).expect("it assembles").bytes;
        let file = Shbin::parse(&bytes).expect("well formed");
        let options = Options::default();
        let program = dvle::program(&file, 0, &options.limits).expect("a vertex program");
        let around = FileEnvironment::new(&file, 0, "program").expect("there");
        let mut translator = Translator::new(options, Profile::default());
        let block =
            translator.translate(&program, &around, Job::Compute).expect("translates").interface.block;
        match (block.names.len(), block.members[0].count) {
            (0, _) => own += 1,
            (_, 96) => all += 1,
            (_, _) => several += 1,
        }
    }
    assert!(own > 3 && several > 3 && all > 3, "{own} {several} {all}");
}
