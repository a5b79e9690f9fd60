//! Exact modules with all three declarations have one result, whatever licenses of the
//! specification a driver takes; without one of them they have several.

use std::collections::BTreeSet;

use rspirv::dr;
use transpica::host::dvle::FileEnvironment;
use transpica::host::{self, dvle};
use transpica::isa::Uniforms;
use transpica::settings::{Arithmetic, Assume, FloatControls, Functions, Promise, VertexInput};
use transpica::{Job, Limits, Machine, Options, Precision, Profile, Program, Shbin, Stage, Translator};
use transpica_inspect::promises;
use transpica_proof::daily;
use transpica_proof::generate::{self, Kind, generate};
use transpica_proof::spirv_machine::{Licenses, World, run_on};
use transpica_proof::unnamed::BARE;

/// Drivers for each vertex.
const SEEDS: u64 = 6;
/// Limit of instructions of a vertex.
const STEPS: u64 = 2000;

/// A vertex program as a module in compute, and what the interpreter makes of it.
struct Subject {
    name: String,
    module: dr::Module,
    block: Vec<u32>,
    machine: Machine,
}

impl Subject {
    fn new(
        name: String,
        program: &Program<'_>,
        environment: &dyn host::Environment,
        uniforms: &Uniforms,
        (options, profile): (Options, Profile),
    ) -> Self {
        let mut translator = Translator::new(options, profile);
        let translated = translator.translate(program, environment, Job::Compute).expect("translates");
        let words = translator.spirv(&translated).expect("is written");
        let bytes = host::pack(&translated.interface.block, uniforms);
        let block = bytes.chunks(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        let mut machine = Machine::new(program, options.settings(STEPS)).expect("a vertex program");
        machine.set_uniforms(uniforms);
        Self { name, module: dr::load_words(&words).expect("a module"), block, machine }
    }

    /// The outputs of a vertex on a driver, without signs of zero and payloads of NaN.
    fn outputs(&self, inputs: &[[f32; 4]; 16], driver: &mut Licenses) -> Vec<u32> {
        let mut world = World::default();
        world.buffers.insert(0, inputs.as_flattened().iter().map(|x| x.to_bits()).collect());
        world.buffers.insert(1, vec![0; 64]);
        world.buffers.insert(2, self.block.clone());
        run_on(&self.module, &mut world, driver);
        world.buffers[&1].iter().map(|&bits| plain(f32::from_bits(bits))).collect()
    }

    /// Returns whether every driver has the results of the interpreter for these vertices. Those
    /// that the interpreter does not finish are left out.
    fn is_exact(&mut self, vertices: &[[[f32; 4]; 16]]) -> bool {
        vertices.iter().zip(0..).all(|(inputs, number)| {
            let Ok(expected) = self.machine.run(inputs) else { return true };
            let expected: Vec<u32> = expected.as_flattened().iter().map(|&x| plain(x)).collect();
            let seeds = (0..SEEDS).map(|seed| number * SEEDS + seed + 1);
            assert_eq!(self.outputs(inputs, &mut Licenses::none()), expected, "{}: IEEE 754", self.name);
            seeds.into_iter().all(|seed| {
                let found = self.outputs(inputs, &mut Licenses::of(&self.module, seed));
                let place = found.iter().zip(&expected).position(|(found, expected)| found != expected);
                if let Some(at) = place {
                    let (found, expected) = (found[at], expected[at]);
                    println!("{}: o{}.{} is {found:#x}, not {expected:#x}", self.name, at / 4, at % 4);
                }
                place.is_none()
            })
        })
    }
}

fn plain(x: f32) -> u32 {
    match x {
        _ if x.is_nan() => f32::NAN.to_bits(),
        0.0 => 0,
        _number => x.to_bits(),
    }
}

fn declared(float_controls: FloatControls) -> (Options, Profile) {
    let options = Options::default();
    (options, Profile { float_controls, ..Profile::default() })
}

/// Vertices with usual numbers, and with special ones.
fn vertices() -> Vec<[[f32; 4]; 16]> {
    let usual = generate::inputs(3, 3);
    let special = generate(Kind::Numeric, 5).inputs(3);
    [usual, special].concat()
}

/// Names of the samples' vertex programs of which some driver has other results.
fn open_samples(
    (options, profile): &(Options, Profile),
    step: usize,
    vertices: &[[[f32; 4]; 16]],
) -> BTreeSet<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/shaders");
    let entries = std::fs::read_dir(folder).expect("samples").map(|entry| entry.expect("entry").path());
    let mut paths: Vec<_> =
        entries.filter(|path| path.extension().is_some_and(|end| end == "shbin")).collect();
    paths.sort();
    let mut open = BTreeSet::new();
    for path in daily::some("samples by the letter", step, paths) {
        let bytes = std::fs::read(&path).expect("readable");
        let file = Shbin::parse(&bytes).expect("a sample");
        for index in 0..file.executables.len() {
            let program = dvle::program(&file, index, &Limits::default()).expect("a program");
            if program.stage() != Stage::Vertex {
                continue;
            }
            let environment = FileEnvironment::new(&file, index, "sample").expect("there");
            let mut uniforms = generate::uniforms(1);
            environment.constants().apply(&mut uniforms);
            let name = format!("{} {index}", path.file_stem().expect("a name").display());
            let setting = (*options, profile.clone());
            let mut subject = Subject::new(name.clone(), &program, &environment, &uniforms, setting);
            if !subject.is_exact(vertices) {
                open.insert(name);
            }
        }
    }
    open
}

#[test]
fn samples_have_one_result_with_all_declarations() {
    let open = open_samples(&declared(FloatControls::ALL), 1, &vertices());
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn samples_without_subnormal_numbers_have_one_result_without_that_declaration() {
    let controls = FloatControls { subnormals: false, ..FloatControls::ALL };
    let open = open_samples(&declared(controls), 2, &generate::inputs(3, 3));
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn licenses_without_a_declaration_are_found() {
    let vertices = vertices();
    for controls in [
        FloatControls { nan: false, ..FloatControls::ALL },
        FloatControls { rounding: false, ..FloatControls::ALL },
        FloatControls { subnormals: false, ..FloatControls::ALL },
    ] {
        assert!(!open_samples(&declared(controls), 8, &vertices).is_empty(), "{controls:?}");
    }
    let with = |arithmetic, no_contraction| {
        let (options, profile) = declared(FloatControls::ALL);
        (Options { arithmetic, ..options }, Profile { no_contraction, ..profile })
    };
    let driver = Arithmetic { functions: Functions::Driver, ..Arithmetic::default() };
    let fast = Arithmetic { precision: Precision::Fast, ..Arithmetic::default() };
    for setting in [with(driver, true), with(fast, true), with(Arithmetic::default(), false)] {
        assert!(!open_samples(&setting, 8, &generate::inputs(3, 3)).is_empty(), "{setting:?}");
    }
}

/// Random programs of each kind have one result, on numbers that keep the promises of the options.
fn check_random(what: &str, options: Options, seeds: std::ops::Range<u64>, daily: u64) {
    let programs = daily::cases(what, daily, seeds.end - seeds.start);
    let profile = Profile { float_controls: FloatControls::ALL, ..Profile::default() };
    for (kind, seed) in seeds.take(programs as usize).flat_map(|seed| Kind::ALL.map(|kind| (kind, seed))) {
        let generated = generate(kind, seed);
        let (mut uniforms, mut inputs) = (generated.uniforms(), generated.inputs(2));
        promises::keep(&options, &mut uniforms, &mut inputs);
        let (name, setting) = (format!("{what}: {kind:?} {seed}"), (options, profile.clone()));
        let mut subject = Subject::new(name, &generated.program(), &*BARE, &uniforms, setting);
        assert!(subject.is_exact(&inputs), "{}", subject.name);
    }
}

#[test]
fn random_programs_have_one_result_with_all_declarations() {
    check_random("random programs by the letter", Options::default(), 40_000..42_000, 60);
}

#[test]
fn random_programs_that_rely_on_promises_have_one_result() {
    for promise in [Promise::NotNan, Promise::FINITE, Promise::Between(-20, 32)] {
        let assume = Assume { uniforms: promise, ..Assume::default() };
        let input = VertexInput { promises: [promise; 16], ..VertexInput::default() };
        let what = format!("programs by the letter, {promise:?}");
        check_random(&what, Options { assume, input, ..Options::default() }, 43_000..43_300, 12);
    }
}

#[test]
fn random_programs_in_float24_have_one_result() {
    let arithmetic = Arithmetic { precision: Precision::F24, ..Arithmetic::default() };
    let options = Options { arithmetic, ..Options::default() };
    check_random("programs by the letter in float24", options, 44_000..44_300, 12);
}
