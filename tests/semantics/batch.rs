//! Batches have the interpreter's results, bit for bit except for the payload of NaN.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use transpica::host::dvle;
use transpica::host::dvle::FileEnvironment;
use transpica::interp::Settings;
use transpica::isa::{Opcode, Pc, Uniforms};
use transpica::{Precision, Program, Shbin, Stage};
use transpica_draw::batch::{Batch, LANES};
use transpica_proof::batch::{self, Case, SIZES};
use transpica_proof::chain::Count;
use transpica_proof::daily;
use transpica_proof::generate::{Kind, generate, inputs, special_inputs, special_uniforms, uniforms};
use transpica_proof::tally::Tally;

use crate::samples::samples;

/// Random programs of each kind.
const PROGRAMS: u64 = 20_000;

/// Settings that change what a program computes or how it ends.
fn all_settings() -> Vec<Settings> {
    let mut all = Vec::new();
    for precision in [Precision::Exact, Precision::Fast, Precision::F24] {
        for flush_subnormals in [false, true] {
            for (loop_guard, uninitialized) in
                [(None, [0.0, 0.0, 0.0, 1.0]), (Some(3), [1e-40, -0.0, f32::NAN, 7.0]), (Some(60), [0.0; 4])]
            {
                all.push(Settings {
                    precision,
                    flush_subnormals,
                    loop_guard,
                    uninitialized,
                    ..Settings::default()
                });
            }
        }
    }
    all
}

/// Compares random programs on all processors, each with other settings.
fn compare_random(kind: Kind, programs: u64) {
    let (next, total) = (AtomicU64::new(0), Mutex::new(Count::default()));
    let settings = all_settings();
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= programs {
                return;
            }
            let settings = settings[seed as usize % settings.len()];
            let count = batch::compare(&generate(kind, seed), settings)
                .unwrap_or_else(|found| panic!("{kind:?} seed {seed}, {settings:?}: {found}"));
            total.lock().expect("no panic").add(count);
        }
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work))));
    let total = total.into_inner().expect("no panic");
    assert_eq!(total.programs as u64, programs);
    let stage = format!("batches of 1, 3, 64 and 65 vertices, {kind:?}");
    let note = format!("{} vertices unfinished", total.unfinished);
    Tally { stage, programs, vertices: total.vertices as u64, differing: 0, note }.print();
}

#[test]
fn clean_programs_match_the_interpreter() {
    compare_random(Kind::Clean, daily::cases("programs in batches, clean", PROGRAMS / 5, PROGRAMS));
}

#[test]
fn wild_programs_match_the_interpreter() {
    compare_random(Kind::Wild, daily::cases("programs in batches, wild", PROGRAMS / 5, PROGRAMS));
}

#[test]
fn numeric_programs_match_the_interpreter_on_special_values() {
    compare_random(Kind::Numeric, PROGRAMS / 10);
}

#[test]
fn samples_match_the_interpreter() {
    let mut programs = 0;
    for sample in samples() {
        let file = Shbin::parse(&sample.bytes).expect("well formed");
        for index in 0..file.executables.len() {
            let program = dvle::program(&file, index, &transpica::Limits::default()).expect("a program");
            if program.stage() == Stage::Geometry {
                continue;
            }
            programs += 1;
            let environment = FileEnvironment::new(&file, index, &sample.name).expect("there");
            for (number, settings) in all_settings().into_iter().enumerate() {
                let seed = number as u64;
                for is_special in [false, true] {
                    let mut uniforms = if is_special { special_uniforms(seed) } else { uniforms(seed) };
                    environment.constants().apply(&mut uniforms);
                    let inputs =
                        if is_special { special_inputs(seed, LANES + 1) } else { inputs(seed, LANES + 1) };
                    let settings = Settings { budget: 100_000, ..settings };
                    let case = Case { program: &program, settings, uniforms: &uniforms, inputs: &inputs };
                    case.compare(&SIZES)
                        .unwrap_or_else(|found| panic!("{}#{index} {settings:?}: {found}", sample.name));
                }
            }
        }
    }
    assert!(programs > 80, "only {programs} programs");
}

/// MOV o0, v0 in vertices whose v0.x is 0; an undefined opcode for all others.
fn fails_unless_zero() -> Program<'static> {
    // cmp c0.xyzw, eq, eq, v0.xxxx; ifc cmp.x over two words; mov o0, v0; end; undefined
    let code = vec![0xB802_0000, 0xA280_1000, 0x4C00_0000, 0x8800_0000, 0x4000_0000];
    assert_eq!(Opcode::of_word(code[4]), None);
    Program::new(code, vec![0x0000_036F], Pc(0), Stage::Vertex, &transpica::Limits::default())
        .expect("well formed")
}

#[test]
fn the_first_vertex_that_fails_is_named() {
    let program = fails_unless_zero();
    let uniforms = Uniforms::default();
    for first in [0, 1, 40, LANES - 1] {
        let mut inputs = vec![[[0.0; 4]; 16]; LANES];
        inputs[first..].iter_mut().for_each(|input| input[0][0] = 1.0);
        for permissive in [false, true] {
            let settings = Settings { permissive, ..Settings::default() };
            let case = Case { program: &program, settings, uniforms: &uniforms, inputs: &inputs };
            let count = case.compare(&SIZES).unwrap_or_else(|found| panic!("{first}: {found}"));
            assert_eq!(count.unfinished, if permissive { 0 } else { LANES - first });
        }
    }
}

#[test]
fn straight_programs_end_within_their_budget() {
    // mov o0, v0 twice; then END, the end of the code, or ENDs behind a NOP
    let (mov, nop, end) = (0x4C00_0000, 0x8400_0000, 0x8800_0000);
    for (code, steps) in
        [(vec![mov, mov, end], 3), (vec![mov, mov], 2), (vec![mov, nop, end, end], 3), (vec![end], 1)]
    {
        let words = code.len();
        let program = Program::new(code, vec![0x36F], Pc(0), Stage::Vertex, &transpica::Limits::default())
            .expect("well formed");
        let inputs = inputs(1, LANES);
        for budget in 0..5 {
            let settings = Settings { budget, ..Settings::default() };
            let uniforms = Uniforms::default();
            let case = Case { program: &program, settings, uniforms: &uniforms, inputs: &inputs };
            let count =
                case.compare(&SIZES).unwrap_or_else(|found| panic!("{words} words, {budget}: {found}"));
            assert_eq!(count.unfinished, if budget < steps { LANES } else { 0 }, "{words} words, {budget}");
        }
    }
}

#[test]
fn geometry_programs_are_refused_and_no_vertices_are_fine() {
    let code = || vec![0x8800_0000];
    let program = |stage| {
        Program::new(code(), vec![], Pc(0), stage, &transpica::Limits::default()).expect("well formed")
    };
    assert!(Batch::new(&program(Stage::Geometry), Settings::default()).is_err());
    let mut batch = Batch::new(&program(Stage::Vertex), Settings::default()).expect("a vertex program");
    assert!(batch.run(0).is_ok() && batch.run(usize::MAX).is_ok());
    assert!(batch.input_mut(0, 0).is_none(), "nothing reads it");
    assert!(batch.input_mut(16, 0).is_none() && batch.output(0, 4).is_none());
    assert_eq!(batch.output(3, 3), Some(&[1.0; LANES]), "the default");
    assert!(batch.run_all(&[], &mut []).is_ok());
}
