//! Inputs of the text back ends: every program of the samples with each of its entries, in several
//! forms.

use std::thread;

use transpica::host::dvle;
use transpica::host::dvle::FileEnvironment;
use transpica::settings::{Arithmetic, Block, ClipPlanes, FlipY, Layout, Outputs};
use transpica::{Job, Options, Precision, Profile, Setup, Shbin, Stage, Translation, Translator};
use transpica_proof::daily;

use crate::samples::{Sample, samples};

/// Calls `check` with each translation and its name, in parallel; returns their number.
pub fn with_products(check: impl Fn(&str, &Translation) + Sync) -> usize {
    of_samples(&samples(), check)
}

/// Does the same for a compiler that takes long: the daily share is one sample in `step`.
pub fn with_some_products(compiler: &str, step: usize, check: impl Fn(&str, &Translation) + Sync) -> usize {
    of_samples(&daily::some(&format!("samples that {compiler} reads"), step, samples()), check)
}

fn of_samples(samples: &[Sample], check: impl Fn(&str, &Translation) + Sync) -> usize {
    // Each sample takes its turn of the forms.
    let forms = daily::cases("forms of the samples as text", 1, FORMS.len() as u64) as usize;
    let workers = thread::available_parallelism().map_or(2, Into::into) + 1;
    thread::scope(|scope| {
        let threads: Vec<_> = (0..workers)
            .map(|worker| {
                let own = samples.iter().enumerate().skip(worker).step_by(workers);
                let check = &check;
                let turn = move |number: usize| FORMS.into_iter().cycle().skip(number).take(forms);
                scope.spawn(move || {
                    own.map(|(number, sample)| of_sample(sample, turn(number), check)).sum::<usize>()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
    })
}

/// Layout, precision, and true for a host block.
type Form = (Layout, Precision, bool);
const FORMS: [Form; 3] = [
    (Layout::Symbols, Precision::Exact, false),
    (Layout::Registers, Precision::Fast, true),
    (Layout::Symbols, Precision::F24, true),
];

fn of_sample(
    sample: &Sample,
    forms: impl Iterator<Item = Form> + Clone,
    check: &impl Fn(&str, &Translation),
) -> usize {
    let file = Shbin::parse(&sample.bytes).expect("a file");
    // Cases of the assembler compute little.
    let most = if sample.name.starts_with("shaders") { FORMS.len() } else { 1 };
    let mut count = 0;
    for index in 0..file.executables.len() {
        for (layout, precision, has_host) in forms.clone().take(most) {
            let (flip_y, clip_planes) = if has_host {
                (FlipY::Dynamic, ClipPlanes::Varying)
            } else {
                (FlipY::Never, ClipPlanes::None)
            };
            let options = Options {
                block: Block { layout, ..Block::default() },
                arithmetic: Arithmetic { precision, ..Arithmetic::default() },
                outputs: Outputs { flip_y, clip_planes, ..Outputs::default() },
                ..Options::default()
            };
            of_program(&file, index, options, &mut |job, translated| {
                count += 1;
                let name = format!("{}#{index} {layout:?} {precision:?} {job}", sample.name);
                check(&name, translated);
            });
        }
    }
    count
}

/// Translates a program for every job.
fn of_program(file: &Shbin<'_>, index: usize, options: Options, check: &mut dyn FnMut(&str, &Translation)) {
    let program = dvle::program(file, index, &options.limits).expect("a program");
    // Texts name their source. With one name for all, samples of the same code have the same text,
    // which is compiled once.
    let environment = FileEnvironment::new(file, index, "sample.shbin").expect("an executable");
    let mut translator = Translator::new(options, Profile::default());
    let mut of_job = |name, job| {
        let translated = translator.translate(&program, &environment, job).expect("translates");
        check(name, &translated);
    };
    match program.stage() {
        Stage::Vertex => {
            of_job("vertex", Job::Vertex);
            of_job("compute", Job::Compute);
        }
        Stage::Geometry => {
            let setup = Setup::of_geometry(file, index, None).expect("a setup");
            let outputs = setup.geometry.expect("a geometry program").outputs;
            of_job("geometry", Job::Geometry(&setup));
            of_job("draw", Job::Draw(&setup));
            of_job("emits", Job::Emits { outputs });
        }
    }
}
