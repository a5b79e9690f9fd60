//! Sensitivity of the comparison on the route of our text: it detects each
//! deliberate translation error, and a NaN that became a number.

use super::Language;
use transpica::host::dvle;
use transpica::interp::{Registers, Uniforms};
use transpica::{Job, Limits, Precision, Profile, Program, Shbin, Translator};
use transpica_asm::{SourceText, assemble};
use transpica_gpu::compare::{self, Case, Verdict, compare_shader};
use transpica_gpu::{Gpu, Route};
use transpica_proof::generate::{Generated, Kind, generate};
use transpica_proof::mutants::{self, Mutant};

use crate::random;
use transpica_proof::unnamed::BARE;

/// Programs of each kind that a mutant may survive.
const PROGRAMS: u64 = 300;

fn gpu() -> Gpu {
    Gpu::open(None).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the text of a random program, with a mutant's error if any; `None` if the library
/// rejects the program.
fn text(generated: &Generated, mutant: Option<Mutant>) -> Option<String> {
    let mut translator = Translator::new(random::options(Precision::Exact), Profile::default());
    let program = generated.program();
    let translated = match mutant {
        Some(mutant) => mutants::translate(&mut translator, &program, &*BARE, mutant),
        None => translator.translate(&program, &*BARE, Job::Compute),
    };
    translated.ok()?.text(Language::Wgsl).ok()
}

/// Returns the first program that detects a mutant on the WGSL route, and the number of programs
/// tried.
fn find_detection(gpu: &Gpu, mutant: Mutant) -> Option<(usize, String)> {
    let mut tried = 0;
    for seed in 0..PROGRAMS {
        for kind in [Kind::Clean, Kind::Numeric] {
            let generated = generate(kind, seed);
            // A program that the mutant does not change needs no run.
            if text(&generated, Some(mutant)) == text(&generated, None) {
                continue;
            }
            tried += 1;
            let verdict = random::mutated(gpu, &generated, Route::Wgsl, mutant);
            let verdict = verdict.unwrap_or_else(|error| panic!("{kind:?} seed {seed}: {error}"));
            if let Some(first) = verdict.first {
                return Some((tried, format!("{kind:?} seed {seed}, {first}")));
            }
        }
    }
    None
}

#[test]
fn every_mutant_is_caught() {
    needs!("vulkan");
    let gpu = gpu();
    let mut survivors = Vec::new();
    for mutant in Mutant::ALL {
        match find_detection(&gpu, mutant) {
            Some((tried, place)) => println!("{mutant:?}: caught by changed program {tried} ({place})"),
            None => survivors.push(mutant),
        }
    }
    assert!(survivors.is_empty(), "survived: {survivors:?}");
}

/// Assembles a program.
fn program(body: &str) -> Program<'static> {
    let text = format!(".out position position\n.in v0\n.proc main\n{body}\nend\n.end\n");
    let assembled =
        assemble(&[SourceText { name: "test", text: &text }]).unwrap_or_else(|error| panic!("{error}"));
    let file = Shbin::parse(&assembled.bytes).expect("well formed");
    dvle::program(&file, 0, &Limits::default()).expect("a vertex program")
}

/// Compares one program on the interpreter with another on the GPU.
fn one_for_another(right: &Program<'_>, wrong: &Program<'_>, inputs: &[[[f32; 4]; 16]]) -> Verdict {
    let options = random::options(Precision::Exact);
    let mut translator = Translator::new(options, Profile::default());
    let mut translate = |program| translator.translate(program, &*BARE, Job::Compute).expect("translates");
    let [translated, other] = [translate(right), translate(wrong)];
    let gpu = gpu();
    let shader = compare::shader(&gpu, &mut translator, &other, Route::Wgsl).expect("has a text");
    let uniforms = Uniforms::default();
    let case =
        Case { program: right, environment: &*BARE, uniforms: &uniforms, inputs, options, budget: 100 };
    compare_shader(&gpu, &case, &translated, shader).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_zero_for_nan_differs() {
    needs!("vulkan");
    // MAX returns its second operand if the first is NaN: v1 is zero, and all other sums are above
    // it.
    let right = program("mad r0, v0.x, v0.y, v0.z\nadd position, r0, v0.w");
    let wrong = program("mad r0, v0.x, v0.y, v0.z\nadd r0, r0, v0.w\nmax position, r0, v1");
    let vertex = |v0| {
        let mut registers = Registers::DEFAULT_INPUTS;
        [registers[0], registers[1]] = [v0, [0.0; 4]];
        registers
    };
    let inputs = [
        [0.1, 0.3, 0.7, 1.1],
        [f32::NAN, 0.3, 0.7, 1.1],
        [f32::INFINITY, 0.3, f32::NEG_INFINITY, 1.1],
        [1.0e9, 1.7, 0.3, 1.1e9],
    ]
    .map(vertex);
    let honest = one_for_another(&right, &right, &inputs);
    assert!(honest.passed(), "{:?}", honest.first);
    let verdict = one_for_another(&right, &wrong, &inputs);
    // Four components of two vertices.
    assert_eq!((verdict.differing, verdict.values, verdict.registers), (8, 16, 1), "{verdict:?}");
    let first = verdict.first.expect("it differs");
    assert_eq!((first.vertex, first.found), (1, 0), "{first}");
}
