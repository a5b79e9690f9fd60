//! SPIR-V optimized by `spirv-opt -O`, and SPIR-V with debug information, is valid and has the same
//! results.

use transpica::settings::{Arithmetic, Block, Layout};
use transpica::{Job, Options, Precision, Profile, Translator};
use transpica_gpu::compare::{Case, Verdict, compare_shader};
use transpica_gpu::{Gpu, Shader};
use transpica_proof::daily;
use transpica_proof::generate::{Kind, generate};
use transpica_proof::spirv_tools;
use transpica_proof::tally::Tally;

use crate::samples;
use transpica_proof::unnamed::BARE;

/// Sizes before and after, summed over all programs.
#[derive(Default)]
struct Total {
    programs: u64,
    vertices: u64,
    before: usize,
    after: usize,
}

/// Compares a program with both other forms: all must pass, or break the rules in the same
/// registers.
fn judge(gpu: &Gpu, name: &str, case: &Case<'_>, total: &mut Total) {
    let [(translated, words), (_, described)] = [false, true].map(|debug_info| {
        let mut translator = Translator::new(case.options, Profile { debug_info, ..Profile::default() });
        let translated = translator.translate(case.program, case.environment, Job::Compute);
        let translated = translated.expect("translates");
        let words = translator.spirv(&translated).expect("SPIR-V");
        (translated, words)
    });
    spirv_tools::validate(&words).unwrap_or_else(|error| panic!("{name}: {error}"));
    let smaller = spirv_tools::optimize(&words).unwrap_or_else(|error| panic!("{name}: {error}"));
    spirv_tools::validate(&described).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(described.len() > words.len(), "{name}: nothing is described");
    total.programs += 1;
    total.before += words.len();
    total.after += smaller.len();
    let run = |words| {
        let shader = Shader::Passthrough(words);
        let verdict = compare_shader(gpu, case, &translated, shader);
        verdict.unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    let before: Verdict = run(words);
    for (form, words) in [("after spirv-opt", smaller), ("with debug information", described)] {
        let other = run(words);
        total.vertices += other.vertices as u64;
        let (first, firsts) = (&before.first, &other.first);
        assert_eq!(before.registers, other.registers, "{name}: {first:?}, {form} {firsts:?}");
    }
}

fn gpu() -> Gpu {
    Gpu::open(None).unwrap_or_else(|error| panic!("{error}"))
}

impl Total {
    fn print(&self, what: &str, gpu: &Gpu) {
        let Self { programs, vertices, before, after } = self;
        let tally = Tally {
            stage: format!("spirv after spirv-opt -O on {}: {what}", gpu.name()),
            programs: *programs,
            vertices: *vertices,
            note: format!("{before} words before, {after} after"),
            ..Tally::default()
        };
        tally.print();
    }
}

#[test]
fn optimized_samples_keep_their_results() {
    needs!("vulkan", "spirv-opt");
    let gpu = gpu();
    let mut total = Total::default();
    samples::for_each(|sample| {
        let mut uniforms = transpica_proof::generate::uniforms(1);
        sample.environment.constants().apply(&mut uniforms);
        let forms = [(Layout::Symbols, Precision::Exact), (Layout::Registers, Precision::Fast)];
        for (layout, precision) in forms {
            let case = Case {
                program: sample.program,
                environment: sample.environment,
                uniforms: &uniforms,
                inputs: &transpica_proof::generate::inputs(1, 64),
                options: Options {
                    block: Block { layout, ..Block::default() },
                    arithmetic: Arithmetic { precision, ..Arithmetic::default() },
                    ..Options::default()
                },
                budget: 20_000,
            };
            judge(&gpu, &format!("{} {layout:?} {precision:?}", sample.name), &case, &mut total);
        }
    });
    assert!(total.programs > samples::least(40), "only {}", total.programs);
    total.print("samples", &gpu);
}

#[test]
fn optimized_random_programs_keep_their_results() {
    needs!("vulkan", "spirv-opt");
    let gpu = gpu();
    for (kind, seeds, precision) in [
        (Kind::Clean, 0..60, Precision::Exact),
        (Kind::Wild, 0..40, Precision::Exact),
        (Kind::Numeric, 0..20, Precision::Exact),
        (Kind::Numeric, 20..40, Precision::F24),
    ] {
        let mut total = Total::default();
        let all = seeds.end - seeds.start;
        let count =
            daily::cases(&format!("programs after spirv-opt -O: {kind:?} {precision:?}"), all / 10, all);
        for seed in seeds.take(count as usize) {
            let generated = generate(kind, seed);
            let layout = Layout::Registers;
            let options = Options {
                block: Block { layout, ..Block::default() },
                arithmetic: Arithmetic { precision, ..Arithmetic::default() },
                ..Options::default()
            };
            let case = Case {
                program: &generated.program(),
                environment: &*BARE,
                uniforms: &generated.uniforms(),
                inputs: &generated.inputs(64),
                options,
                budget: 2000,
            };
            judge(&gpu, &format!("{kind:?} seed {seed}"), &case, &mut total);
        }
        total.print(&format!("{kind:?} {precision:?}"), &gpu);
    }
}
