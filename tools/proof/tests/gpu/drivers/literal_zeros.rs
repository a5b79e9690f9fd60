//! The programs of `tests/cases/zeros` on the GPU: no product or sum has an operand that a compiler
//! can prove to be zero.

use std::fs;
use std::path::{Path, PathBuf};

use transpica::host::dvle;
use transpica::host::dvle::FileEnvironment;
use transpica::settings::{Arithmetic, Block, Layout};
use transpica::stages::ir::{Def, Module, Op, Resource};
use transpica::{Job, Options, Precision, Shbin, Translator};
use transpica_asm::{SourceText, assemble};
use transpica_gpu::compare::{Case, Verdict, compare_shader};
use transpica_gpu::{Gpu, Route};

use crate::valid::valid_shader;

const VERTICES: usize = 2048;
/// The first register that the assembler assigns to a name; the programs have no constant there.
const ZERO: usize = 0;
const SEEDS: std::ops::Range<u64> = 1..7;

fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/zeros");
    let entries = fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path());
    let mut programs: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|extension| extension == "pica")).collect();
    programs.sort();
    assert!(programs.len() >= 6, "only {programs:?}");
    programs
}

/// Compares a program, after a change to its module.
fn verdict(
    gpu: &Gpu,
    text: &str,
    (precision, layout, seed): (Precision, Layout, u64),
    change: impl FnOnce(&mut Module),
) -> Verdict {
    let sources = [SourceText { name: "program.pica", text }];
    let bytes = assemble(&sources).expect("it assembles").bytes;
    let file = Shbin::parse(&bytes).expect("well formed");
    let program = dvle::program(&file, 0, &Options::default().limits).expect("a vertex program");
    let environment = FileEnvironment::new(&file, 0, "program").expect("there");
    let mut uniforms = transpica_proof::generate::uniforms(seed);
    environment.constants().apply(&mut uniforms);
    uniforms.floats[ZERO] = [0.0; 4];
    let inputs = transpica_proof::generate::inputs(seed, VERTICES);
    let arithmetic = Arithmetic { precision, ..Arithmetic::default() };
    let options = Options { block: Block { layout, ..Block::default() }, arithmetic, ..Options::default() };
    let case = Case {
        program: &program,
        environment: &environment,
        uniforms: &uniforms,
        inputs: &inputs,
        options,
        budget: 1 << 20,
    };
    let mut translator = Translator::new(options, gpu.profile(Route::Passthrough));
    let mut translated = translator.translate(&program, &environment, Job::Compute).expect("it translates");
    change(&mut translated.module);
    let shader = valid_shader(gpu, &mut translator, &translated, Route::Passthrough).expect("a valid module");
    compare_shader(gpu, &case, &translated, shader).expect("it runs")
}

#[test]
fn programs_with_constant_zeros_match_the_interpreter() {
    needs!("vulkan");
    let gpu = Gpu::open(None).unwrap_or_else(|error| panic!("{error}"));
    let (mut values, mut wrong) = (0, Vec::new());
    for path in programs() {
        let text = fs::read_to_string(&path).expect("text");
        for (seed, layout) in SEEDS.flat_map(|seed| [(seed, Layout::Symbols), (seed, Layout::Registers)]) {
            let verdict = verdict(&gpu, &text, (Precision::Exact, layout, seed), |_| {});
            assert_eq!(verdict.unfinished, 0, "{}", path.display());
            if !verdict.passed() {
                let differing = verdict.differing;
                wrong.push(format!(
                    "{} {layout:?} seed {seed}: {differing} values differ, {:?}",
                    path.display(),
                    verdict.first
                ));
            }
            values += verdict.values;
        }
    }
    println!("{values} values on {}: {} comparisons differ", gpu.name(), wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn drivers_fold_products_with_constant_zeros() {
    needs!("vulkan");
    // A driver defect, asserted so that its end is noticed: x * c0 with the constant 0 in place of
    // c0. In `fast`, whose product is plain; NaN that is added back would hide it.
    let gpu = Gpu::open(None).unwrap_or_else(|error| panic!("{error}"));
    let text = ".fvec zero\n.out - position o0\n.proc main\n mul o0, zero, v0\n end\n.end\n";
    let verdict = verdict(&gpu, text, (Precision::Fast, Layout::Registers, 1), |module| {
        for data in module.main.values.values_mut() {
            if let Def::Op(Op::Read(Resource::Member { .. })) = data.def {
                data.def = Def::Op(Op::Const([0; 4]));
            }
        }
    });
    assert_eq!(verdict.passed(), !gpu.facts().folds_zero_factors, "{:?}", verdict.first);
}
