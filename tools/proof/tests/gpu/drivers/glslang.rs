//! GLSL for Vulkan, compiled by glslang and passed to the driver unchanged, has the interpreter's
//! results, bit for bit.

use super::Language;
use transpica::settings::{Arithmetic, Block, Layout};
use transpica::{GlslVersion, Job, Options, Precision, Profile, Translation, Translator};
use transpica_gpu::compare::{Case, Verdict, compare_shader};
use transpica_gpu::{Gpu, Shader};
use transpica_proof::daily;
use transpica_proof::generate::{Kind, generate};
use transpica_proof::glslang::{self, Stage};
use transpica_proof::spirv_tools;
use transpica_proof::tally::Tally;

use crate::samples;
use transpica_proof::unnamed::BARE;

fn gpu() -> Gpu {
    Gpu::open(None).unwrap_or_else(|error| panic!("{error}"))
}

/// Compiles a program's GLSL with glslang and validates the result.
fn compiled(translated: &Translation, stage: Stage) -> Result<Vec<u32>, String> {
    let glsl = translated.text(Language::Glsl(GlslVersion::Vulkan450));
    let glsl = glsl.map_err(|error| error.to_string())?;
    let words = glslang::spirv(&glsl, stage).map_err(|error| format!("{error}\n{glsl}"))?;
    spirv_tools::validate(&words)?;
    Ok(words)
}

/// Compares a program with the interpreter.
fn judge(gpu: &Gpu, name: &str, case: &Case<'_>, total: &mut Verdict) {
    let translator = &mut Translator::new(case.options, Profile::default());
    let translated = translator.translate(case.program, case.environment, Job::Compute).expect("translates");
    let words = compiled(&translated, Stage::Compute);
    let words = words.unwrap_or_else(|error| panic!("{name}: {error}"));
    let verdict = compare_shader(gpu, case, &translated, Shader::Passthrough(words));
    let verdict = verdict.unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(verdict.passed(), "{name}: {} values differ; {:?}", verdict.differing, verdict.first);
    total.add(&verdict);
}

fn print_tally(gpu: &Gpu, what: &str, programs: u64, total: &Verdict) {
    let Verdict { vertices, values, .. } = total;
    let tally = Tally {
        stage: format!("GLSL 450 by glslang on {}: {what}", gpu.name()),
        programs,
        vertices: *vertices as u64,
        note: format!("{values} values bit for bit"),
        ..Tally::default()
    };
    tally.print();
}

#[test]
fn samples_compiled_by_glslang_run_as_on_the_interpreter() {
    needs!("vulkan", "glslangValidator");
    let gpu = gpu();
    let (mut programs, mut total) = (0, Verdict::default());
    samples::for_each(|sample| {
        let mut uniforms = transpica_proof::generate::uniforms(1);
        sample.environment.constants().apply(&mut uniforms);
        let other = [Layout::Registers, Layout::Azahar, Layout::Panda3ds][(programs / 2) as usize % 3];
        for layout in [Layout::Symbols, other] {
            let case = Case {
                program: sample.program,
                environment: sample.environment,
                uniforms: &uniforms,
                inputs: &transpica_proof::generate::inputs(1, 64),
                options: Options { block: Block { layout, ..Block::default() }, ..Options::default() },
                budget: 20_000,
            };
            judge(&gpu, &format!("{} {layout:?}", sample.name), &case, &mut total);
            programs += 1;
        }
    });
    assert!(programs > samples::least(40), "only {programs}");
    print_tally(&gpu, "samples, symbols and a register layout", programs, &total);
}

#[test]
fn random_programs_compiled_by_glslang_run_as_on_the_interpreter() {
    needs!("vulkan", "glslangValidator");
    let gpu = gpu();
    for (kind, seeds, precision) in [
        (Kind::Clean, 0..40, Precision::Exact),
        (Kind::Wild, 0..30, Precision::Exact),
        (Kind::Numeric, 0..20, Precision::Exact),
        (Kind::Clean, 40..50, Precision::F24),
        // Their vertices leave loops in different iterations, a common source of driver defects
        // (see `loop_values`).
        (Kind::Clean, 281..282, Precision::Exact),
        (Kind::Wild, 8_589_939_637..8_589_939_638, Precision::Exact),
    ] {
        let mut total = Verdict::default();
        let all: u64 = seeds.end - seeds.start;
        let what = format!("programs as GLSL by glslang: {kind:?} {precision:?} from {}", seeds.start);
        let programs = daily::cases(&what, all.div_ceil(10), all);
        for seed in seeds.take(programs as usize) {
            let generated = generate(kind, seed);
            let layout = Layout::Registers;
            let case = Case {
                program: &generated.program(),
                environment: &*BARE,
                uniforms: &generated.uniforms(),
                inputs: &generated.inputs(64),
                options: Options {
                    block: Block { layout, ..Block::default() },
                    arithmetic: Arithmetic { precision, ..Arithmetic::default() },
                    ..Options::default()
                },
                budget: 2000,
            };
            judge(&gpu, &format!("{kind:?} seed {seed} {precision:?}"), &case, &mut total);
        }
        print_tally(&gpu, &format!("{kind:?} {precision:?}"), programs, &total);
    }
}
