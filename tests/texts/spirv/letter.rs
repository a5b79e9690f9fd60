//! Exact modules with all three declarations have one result, whatever licenses of the
//! specification a driver takes; without one of them they have several.

use std::collections::BTreeSet;

use transpica::host::dvle::{self, FileEnvironment};
use transpica::settings::{Arithmetic, Assume, FloatControls, Functions, Promise, VertexInput};
use transpica::{Limits, Options, Precision, Profile, Shbin, Stage};
use transpica_inspect::executor::Case;
use transpica_inspect::promises;
use transpica_proof::daily;
use transpica_proof::executors::compare_by_the_letter;
use transpica_proof::generate::{self, Kind, generate};
use transpica_proof::unnamed::BARE;

/// Drivers for each vertex.
const DRIVERS: u64 = 6;
/// Limit of instructions of a vertex.
const STEPS: u64 = 2000;

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
            let program = &dvle::program(&file, index, &Limits::default()).expect("a program");
            if program.stage() != Stage::Vertex {
                continue;
            }
            let environment = &FileEnvironment::new(&file, index, "sample").expect("there");
            let mut uniforms = generate::uniforms(1);
            environment.constants().apply(&mut uniforms);
            let (uniforms, inputs, options) = (&uniforms, vertices, *options);
            let case = Case { program, environment, uniforms, inputs, options, budget: STEPS };
            let name = format!("{} {index}", path.file_stem().expect("a name").display());
            match compare_by_the_letter(&case, profile, DRIVERS) {
                Ok(verdict) => assert!(verdict.values > 0, "{name}"),
                Err(difference) => {
                    println!("{name}: {difference}");
                    open.insert(name);
                }
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
fn samples_have_one_result_with_a_default_mode() {
    let (options, profile) = declared(FloatControls::ALL);
    let open = open_samples(&(options, Profile { float_controls2: true, ..profile }), 2, &vertices());
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
    let contracts = (
        declared(FloatControls::ALL).0,
        Profile { float_controls2: true, no_contraction: false, ..declared(FloatControls::ALL).1 },
    );
    assert!(!open_samples(&contracts, 8, &generate::inputs(3, 3)).is_empty());
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
        let (program, uniforms, inputs) = (&generated.program(), &uniforms, &inputs[..]);
        let case = Case { program, environment: &*BARE, uniforms, inputs, options, budget: STEPS };
        compare_by_the_letter(&case, &profile, DRIVERS)
            .unwrap_or_else(|difference| panic!("{what}: {kind:?} {seed}: {difference}"));
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
