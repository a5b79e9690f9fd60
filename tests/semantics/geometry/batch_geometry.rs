//! Draws whose vertices and independent invocations run in batches equal those of the reference
//! machines, one after the other: values, triangles, errors, and what later draws see of earlier
//! ones.

use std::collections::BTreeSet;

use transpica::geometry::GeometryInput;
use transpica::host::dvle;
use transpica::settings::{Arithmetic, Control, Outputs, UndefinedValue};
use transpica::{Error, Kind, Limits, Options, Precision, Program, Setup, Shbin, Stage};
use transpica_draw::cpu::{DrawLimits, Pipeline};
use transpica_proof::batch::{drawn, drawn_from_buffers};
use transpica_proof::daily;
use transpica_proof::generate::{GeometryDraw, generate_geometry, inputs, special_inputs, uniforms};

use crate::samples::samples;

/// Random programs.
const PROGRAMS: u64 = 1_500;
/// Each draw of a random program, this many times in a row: more than one batch.
const TIMES: usize = 5;

/// Options that change what a program computes or how it ends.
fn options(number: u64) -> Options {
    let precision = [Precision::Exact, Precision::Fast, Precision::F24][number as usize % 3];
    let uninitialized =
        if (number / 3).is_multiple_of(2) { UndefinedValue::Default } else { UndefinedValue::Zero };
    let loop_guard = (number % 5 == 4).then_some(2);
    Options {
        arithmetic: Arithmetic { precision, uninitialized, ..Arithmetic::default() },
        control: Control { loop_guard, ..Control::default() },
        outputs: Outputs { reverse_ends: number % 4 > 1, ..Outputs::default() },
        ..Options::default()
    }
}

/// Limits that draws reach at different places.
fn limits(number: u64) -> DrawLimits {
    let any = DrawLimits::default();
    match number % 8 {
        0 => DrawLimits { steps: 20 + number / 8 % 200, ..any },
        1 => DrawLimits { draw_steps: 100 + 97 * number % 20_000, ..any },
        2 => DrawLimits { emits: (number / 8 % 12) as u32, ..any },
        3 => DrawLimits { triangles: (7 * number % 300) as u32, ..any },
        _ => any,
    }
}

/// Numbers of a comparison.
#[derive(Default)]
struct Total {
    values: usize,
    errors: usize,
}

impl Total {
    /// Draws with both pipelines.
    fn compare(&mut self, what: &str, pipeline: Pipeline, limits: DrawLimits, draws: &[GeometryDraw]) {
        let (mut found, mut fetched, mut expected) = (pipeline.clone(), pipeline.clone(), pipeline);
        expected.one_by_one();
        found.set_limits(limits);
        fetched.set_limits(limits);
        expected.set_limits(limits);
        for (number, draw) in draws.iter().enumerate() {
            let (found, expected) = (drawn(&mut found, draw), drawn(&mut expected, draw));
            let fetched = drawn_from_buffers(&mut fetched, draw);
            // A program that reads no attribute needs no buffer, so each vertex is there.
            let is_beyond = |error: &Error| matches!(error.kind, Kind::NoVertex { .. });
            let is_same = fetched == found || fetched.is_ok() && found.as_ref().is_err_and(is_beyond);
            assert!(is_same, "{what}, draw {number} from buffers: {:?}, {:?}", fetched.err(), found.err());
            match &expected {
                Ok(values) => self.values += values.len(),
                Err(_) => self.errors += 1,
            }
            if found != expected {
                let [found, expected] = [found, expected].map(|it| it.map(|values| (values.len(), values)));
                let first = match (&found, &expected) {
                    (Ok((_, a)), Ok((_, b))) => a.iter().zip(b).position(|(a, b)| a != b),
                    _ => None,
                };
                let [found, expected] = [found, expected].map(|it| it.map(|(count, _)| count));
                panic!("{what}, draw {number}: {found:?}, expected {expected:?}; first at {first:?}");
            }
        }
    }
}

/// Repeats the vertices or primitives of a draw.
fn repeated(draw: &GeometryDraw) -> GeometryDraw {
    let (vertices, indices) = match &draw.indices {
        Some(indices) => (draw.vertices.clone(), Some(indices.repeat(TIMES))),
        None => (draw.vertices.repeat(TIMES), None),
    };
    GeometryDraw { uniforms: draw.uniforms.clone(), vertices, indices }
}

#[test]
fn random_geometry_programs_draw_as_on_the_machines() {
    let (mut total, mut independent) = (Total::default(), 0);
    let programs = daily::cases("random geometry programs in batches", PROGRAMS / 3, PROGRAMS);
    for seed in 0..programs {
        let generated = generate_geometry(seed);
        let (vertex, geometry) = (generated.vertex(), generated.geometry());
        let pipeline =
            Pipeline::new(&vertex, Some(&geometry), generated.setup, &options(seed)).expect("fine");
        independent += u64::from(pipeline.runs_in_batches());
        let mut draws: Vec<_> = generated.draws.iter().map(repeated).collect();
        if seed % 3 == 0 {
            // Numbers at the ends of the range, NaN and infinities.
            let count = draws[0].vertices.len();
            draws[0].vertices = special_inputs(seed, count);
        }
        if seed % 7 == 0
            && let Some(index) = draws[0].indices.as_mut().and_then(|it| it.last_mut())
        {
            *index = 1 << 20;
        }
        total.compare(&format!("seed {seed}"), pipeline, limits(seed), &draws);
    }
    println!(
        "{programs} programs, {independent} independent, {} values, {} errors",
        total.values, total.errors
    );
    assert!(independent > programs / 3 && total.values as u64 > 700 * programs);
    assert!(total.errors as u64 > programs / 8);
}

fn program(file: &Shbin<'_>, index: usize) -> Program<'static> {
    dvle::program(file, index, &Limits::default()).expect("a program")
}

/// Two draws of 300 vertices; for variable mode primitives of several sizes.
fn draws(setup: &Setup, uniforms: [transpica::isa::Uniforms; 2]) -> Vec<GeometryDraw> {
    let indices = match setup.geometry.map(|geometry| geometry.input) {
        Some(GeometryInput::Variable { main }) => {
            let primitive = |extra: u32| {
                let size = u32::from(main) + extra % 7;
                std::iter::once(size).chain((0..size).map(move |vertex| (vertex * 7 + extra) % 300))
            };
            Some((0..100).flat_map(primitive).collect())
        }
        Some(GeometryInput::Point { .. } | GeometryInput::Fixed { .. }) | None => None,
    };
    let draw = |seed| GeometryDraw {
        uniforms: (seed == 0).then(|| uniforms.clone()),
        vertices: inputs(seed, 300),
        indices: indices.clone(),
    };
    (0..2).map(draw).collect()
}

#[test]
fn samples_draw_as_on_the_machines() {
    let (mut total, mut dependent, mut programs) = (Total::default(), BTreeSet::new(), 0);
    for sample in samples() {
        let file = Shbin::parse(&sample.bytes).expect("a file");
        let is = |stage| (0..file.executables.len()).find(|&index| program(&file, index).stage() == stage);
        let Some(vertex) = is(Stage::Vertex) else { continue };
        let geometry = is(Stage::Geometry);
        let outputs =
            Setup::from_file(&file, vertex, None, None).expect("a configuration").vertex_outputs.count_ones();
        for vertices in [1, 2, 3, 6] {
            let stride = geometry.map(|_| vertices * outputs as u8);
            for number in 0..6 {
                let options = options(number);
                // Some programs do not support every number of vertices.
                let Ok(pipeline) = Pipeline::from_file(&file, vertex, geometry, stride, &options) else {
                    continue;
                };
                if geometry.is_some() && !pipeline.runs_in_batches() {
                    dependent.insert(sample.name.clone());
                }
                let mut uniforms = [uniforms(1), uniforms(2)];
                for (uniforms, index) in uniforms.iter_mut().zip([Some(vertex), geometry]) {
                    let Some(index) = index else { continue };
                    dvle::constants(file.executable(index).expect("there")).apply(uniforms);
                }
                let draws = draws(pipeline.setup(), uniforms);
                let what = format!("{} with {vertices} vertices, {options:?}", sample.name);
                let limits = DrawLimits { steps: 20_000, ..limits(number + u64::from(vertices)) };
                total.compare(&what, pipeline, limits, &draws);
                programs += usize::from(geometry.is_some() && number == 0 && vertices == 1);
            }
            if geometry.is_none() {
                break;
            }
        }
    }
    println!("{programs} geometry programs, {} values, {} errors", total.values, total.errors);
    // Two go on from what the last invocation left. Silhouette copies components that it never set,
    // and uses those registers whole elsewhere.
    let dependent: Vec<_> = dependent.iter().map(String::as_str).collect();
    assert_eq!(dependent, ["counter", "silhouette", "trail"].map(|name| format!("shaders/{name}.shbin")));
    assert!(programs > 8 && total.values > 1_000_000);
}
