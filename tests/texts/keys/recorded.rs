//! Recorded results of every sample program: SPIR-V words, cache keys and outputs of the
//! interpreter, each as a hash.
//!
//! A change without effect on results leaves `cases/recorded.tsv` unchanged. An intended difference
//! is recorded with `UPDATE_EXPECT=1 cargo test -p transpica --test texts recorded`, and the
//! commit states the reason.

use std::fmt::Write as _;

use expect_test::expect_file;
use transpica::host::dvle;
use transpica::host::dvle::FileEnvironment;
use transpica::interp::GeometryMachine;
use transpica::settings::{Arithmetic, Block, ClipPlanes, Control, DepthRange, FlipY, Layout, Outputs};
use transpica::{
    Job, Machine, Options, Precision, Profile, Program, Result, Setup, Shbin, Stage, Translator,
};
use xxhash_rust::xxh3::xxh3_64;

use crate::samples::samples;

/// Vertices, or invocations of a geometry program, that the interpreter runs.
const RUNS: usize = 16;
/// Limit of instructions for each; every sample ends before.
const BUDGET: u64 = 1 << 20;

/// Four named sets of options that together exercise most of the translator.
fn option_sets() -> [(&'static str, Options); 4] {
    [
        ("default", Options::default()),
        (
            "fast registers",
            Options {
                arithmetic: Arithmetic { precision: Precision::Fast, ..Arithmetic::default() },
                block: Block { layout: Layout::Registers, ..Block::default() },
                ..Options::default()
            },
        ),
        (
            "host",
            Options {
                block: Block { layout: Layout::Azahar, fold_constants: false, ..Block::default() },
                outputs: Outputs {
                    depth: DepthRange::MinusWToW,
                    flip_y: FlipY::Dynamic,
                    clip_planes: ClipPlanes::BuiltIn,
                    ..Outputs::default()
                },
                control: Control { loop_guard: Some(1000), ..Control::default() },
                ..Options::default()
            },
        ),
        (
            "f24",
            Options {
                arithmetic: Arithmetic { precision: Precision::F24, ..Arithmetic::default() },
                ..Options::default()
            },
        ),
    ]
}

/// A program of a file, with the inputs of its translation.
struct Subject<'a> {
    program: Program<'static>,
    environment: FileEnvironment<'a>,
    setup: Option<Setup>,
}

impl Subject<'_> {
    /// The jobs of the program, each with its name.
    fn jobs(&self) -> Vec<(&'static str, Job<'_>)> {
        let Some(setup) = &self.setup else {
            return vec![("vertex", Job::Vertex), ("compute", Job::Compute)];
        };
        let outputs = setup.geometry.map_or(0, |geometry| geometry.outputs);
        vec![
            ("geometry", Job::Geometry(setup)),
            ("emits", Job::Emits { outputs }),
            ("stage", Job::GeometryStage(setup)),
            ("draw", Job::Draw(setup)),
        ]
    }

    /// Every module of the program under these options, by the name of the job.
    fn modules(&self, options: Options) -> Vec<(&'static str, Result<Vec<u32>>)> {
        let mut translator = Translator::new(options, Profile::default());
        let mut words = |job| {
            let translated = translator.translate(&self.program, &self.environment, job)?;
            translator.spirv(&translated)
        };
        self.jobs().into_iter().map(|(name, job)| (name, words(job))).collect()
    }

    /// The key of the first job under these options.
    fn key(&self, options: Options) -> String {
        let translator = Translator::new(options, Profile::default());
        translator
            .key(&self.program, &self.environment, self.jobs()[0].1, &[])
            .expect("translates")
            .to_string()
    }

    /// The hash of all results of the interpreter, with NaN as one value.
    fn interpreted(&self, file: &Shbin<'_>, executable: usize, options: Options) -> Result<u64> {
        let mut uniforms = transpica_proof::generate::uniforms(1);
        dvle::constants(file.executable(executable)?).apply(&mut uniforms);
        let mut bytes = Vec::new();
        let mut add = |value: f32| {
            let bits = if value.is_nan() { 0x7FC0_0000 } else { value.to_bits() };
            bytes.extend(bits.to_le_bytes());
        };
        let inputs = transpica_proof::generate::inputs(2, RUNS);
        if let Some(setup) = &self.setup {
            let outputs = setup.geometry.map_or(0, |geometry| geometry.outputs);
            let mut machine = GeometryMachine::new(&self.program, outputs, options.settings(BUDGET))?;
            machine.set_uniforms(&uniforms);
            for inputs in &inputs {
                for emit in machine.run(inputs)?.emits() {
                    emit.outputs.iter().flatten().for_each(|&value| add(value));
                }
            }
        } else {
            let mut machine = Machine::new(&self.program, options.settings(BUDGET))?;
            machine.set_uniforms(&uniforms);
            for inputs in &inputs {
                machine.run(inputs)?.iter().flatten().for_each(|&value| add(value));
            }
        }
        Ok(xxh3_64(&bytes))
    }
}

/// Hash of words, or the error.
fn hashed(words: Result<Vec<u32>>) -> String {
    match words {
        Ok(words) => {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            format!("{} words {:016x}", words.len(), xxh3_64(&bytes))
        }
        Err(error) => error.to_string(),
    }
}

#[test]
fn samples_match_the_recorded_facts() {
    let mut table = String::from("file\tprogram\toptions\twhat\tresult\n");
    for sample in samples().iter().filter(|sample| sample.name.starts_with("shaders/")) {
        let file = Shbin::parse(&sample.bytes).expect("a file");
        let stage = |index| dvle::program(&file, index, &Options::default().limits).expect("a program");
        let vertex = (0..file.executables.len()).find(|&index| stage(index).stage() == Stage::Vertex);
        for index in 0..file.executables.len() {
            let program = stage(index);
            let setup = match program.stage() {
                Stage::Vertex => None,
                Stage::Geometry => {
                    let vertex = vertex.expect("a vertex program");
                    Some(Setup::from_file(&file, vertex, Some(index), None).expect("a setup"))
                }
            };
            let environment = FileEnvironment::new(&file, index, &sample.name).expect("an executable");
            let subject = Subject { program, environment, setup };
            for (name, options) in option_sets() {
                let mut row = |what: &str, result: String| {
                    writeln!(table, "{}\t{index}\t{name}\t{what}\t{result}", sample.name).expect("a string");
                };
                for (entry, words) in subject.modules(options) {
                    row(entry, hashed(words));
                }
                row("key", subject.key(options));
                let interpreted = subject.interpreted(&file, index, options);
                row(
                    "interpreter",
                    interpreted.map_or_else(|error| error.to_string(), |hash| format!("{hash:016x}")),
                );
            }
        }
    }
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/recorded.tsv");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(golden, &table).expect("writable");
    }
    expect_file![golden].assert_eq(&table);
}
