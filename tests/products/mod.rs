//! Everything that becomes text: every program of the samples with each of its entries, in several forms.

use std::thread;

use transpica::container::Shbin;
use transpica::host::dvle::{self, Executable};
use transpica::host::{ClipPlanes, EntryPoint, FlipY, Layout};
use transpica::isa::Stage;
use transpica::pipeline::Setup;
use transpica::precision::Precision;
use transpica::{Options, Profile, Translated, Translator};

use crate::samples::{Sample, samples};

/// Calls `check` with each of them, its name and the translator that made it, some at a time; their number.
pub fn with_products(check: impl Fn(&str, &Translator, &Translated) + Sync) -> usize {
    let samples = samples();
    let workers = thread::available_parallelism().map_or(2, Into::into) + 1;
    thread::scope(|scope| {
        let threads: Vec<_> = (0..workers)
            .map(|worker| {
                let own = samples.iter().skip(worker).step_by(workers);
                let check = &check;
                scope.spawn(move || own.map(|sample| of_sample(sample, check)).sum::<usize>())
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
    })
}

/// Layout, precision, and whether the host block is there.
const FORMS: [(Layout, Precision, bool); 3] = [
    (Layout::Symbols, Precision::Exact, false),
    (Layout::Registers, Precision::Fast, true),
    (Layout::Symbols, Precision::F24, true),
];

fn of_sample(sample: &Sample, check: &impl Fn(&str, &Translator, &Translated)) -> usize {
    let file = Shbin::parse(&sample.bytes).expect("a file");
    // Cases of the assembler compute little.
    let forms = if sample.name.starts_with("shaders") { &FORMS[..] } else { &FORMS[..1] };
    let mut count = 0;
    for index in 0..file.executables.len() {
        for &(layout, precision, has_host) in forms {
            let (flip_y, clip_planes) = match has_host {
                false => (FlipY::Never, ClipPlanes::None),
                true => (FlipY::Dynamic, ClipPlanes::Varying),
            };
            let options = Options { layout, precision, flip_y, clip_planes, ..Options::default() };
            of_program(&file, sample, index, options, &mut |entry, translator, translated| {
                count += 1;
                let name = format!("{}#{index} {layout:?} {precision:?} {entry}", sample.name);
                check(&name, translator, translated);
            });
        }
    }
    count
}

/// Every entry of a program.
fn of_program(
    file: &Shbin<'_>,
    sample: &Sample,
    index: usize,
    options: Options,
    check: &mut dyn FnMut(&str, &Translator, &Translated),
) {
    let program = dvle::program(file, index, &options.limits).expect("a program");
    let around = Executable::new(file, index, &sample.name).expect("an executable");
    let translator = |entry| Translator::new(Options { entry, ..options }, Profile::default());
    let mut vertex = translator(EntryPoint::Vertex);
    let mut compute = translator(EntryPoint::Compute);
    match program.stage() {
        Stage::Vertex => {
            for (name, translator) in [("vertex", &mut vertex), ("compute", &mut compute)] {
                let translated = translator.translate(&program, &around).expect("translates");
                check(name, translator, &translated);
            }
        }
        Stage::Geometry => {
            let setup = Setup::of_geometry(file, index, None).expect("a set-up");
            let kernel = compute.translate_geometry(&program, &around, &setup).expect("translates");
            check("geometry", &compute, &kernel);
            check("draw", &vertex, &vertex.draw_stage(&kernel).expect("a stage"));
            let outputs = setup.geometry.expect("a geometry program").outputs;
            let emits = compute.translate_emits(&program, &around, outputs).expect("translates");
            check("emits", &compute, &emits);
        }
    }
}
