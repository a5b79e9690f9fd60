//! How far a program is from its source: both run on the same vertices.
//! In: the source, the program's file. Out: for each output the largest distance. Values are those
//! of the types: small floats with 0 and ±1 among them, small indices, bytes for scaled attributes;
//! and of promises. A component counts where the source has a finite number: shading languages
//! define neither infinities nor NaN, and products of 0 differ there. One that never counts is an
//! error.

use std::fmt;
use std::rc::Rc;

use transpica::host::{Constants, dvle};
use transpica::interp::{TraceRecord, Uniforms};
use transpica::isa::Pc;
use transpica::{Limits, Machine, Options as Settings, Program, Shbin};
use transpica_draw::batch::Batch;
use transpica_inspect::executor::ulp;
use transpica_inspect::values::Random;

use super::{Error, MOST, Overflow};
use crate::source::data::LaneList;
use crate::source::evaluate::{Inputs, evaluate};
use crate::source::interface::{Attribute, Output, UniformRegisters, UniformValues};
use crate::source::lanes::VERTICES as LANES;
use crate::source::promises::Promises;
use crate::source::samples::SHARED;
use crate::source::{Interface, Options, Scalar, Source};

/// Limit of the instructions of a vertex.
const BUDGET: u64 = 1 << 16;

/// One vertex of so many may be left out because the source itself moves there.
const MOST_LEFT_OUT: usize = 4;

/// Vertices that are drawn at most for each that must count: a logarithm or a root of some sums is
/// seldom finite.
const MOST_DRAWN: usize = 8;

/// The largest distance of an output.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Distance {
    /// In units in the last place.
    pub ulp: u32,
    /// Relative to the largest component.
    pub relative: f64,
    /// Vertices on which each component was compared.
    pub counts: [usize; 4],
    /// The least of them.
    pub vertices: usize,
}

impl fmt::Display for Distance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.ulp {
            0 => write!(f, "equal on {} vertices", self.vertices),
            ulp => {
                write!(f, "at most {:.1e} relative, {ulp} ulp on {} vertices", self.relative, self.vertices)
            }
        }
    }
}

/// An output while vertices run.
#[derive(Clone, Copy, Debug, Default)]
struct Compared {
    distance: Distance,
    /// Vertices with a component that is finite in the source.
    seen: usize,
    /// Those of them that were left out.
    left_out: usize,
    /// The first component that is finite in the source alone.
    overflow: Option<Found>,
    /// The component of the largest distance beyond [`MOST`].
    farthest: Option<Found>,
}

/// A component that is another one in the program.
#[derive(Clone, Copy, Debug)]
struct Found {
    lane: Lane,
    /// The number of the vertex, and its attributes.
    vertex: usize,
    attributes: [[f32; 4]; 16],
    /// The first instruction whose result is not finite.
    pc: Option<Pc>,
}

/// The number of a component, its value in the source and in the program.
type Lane = (usize, [f32; 2]);

/// Returns the first component that is finite in the source alone.
fn overflow(expected: &[f32], found: &[f32]) -> Option<Lane> {
    let mut lanes = expected.iter().zip(found).enumerate();
    let (lane, (&a, &b)) = lanes.find(|(_, (a, b))| a.is_finite() && !b.is_finite())?;
    Some((lane, [a, b]))
}

/// The component with the largest difference.
fn farthest(expected: &[f32], found: &[f32]) -> Lane {
    let lanes = expected.iter().zip(found).map(|(&a, &b)| [a, b]).enumerate();
    let finite = lanes.filter(|(_, [a, _])| a.is_finite());
    finite.max_by(|(_, one), (_, other)| difference(*one).total_cmp(&difference(*other))).unwrap_or_default()
}

/// The difference of two numbers.
fn difference([a, b]: [f32; 2]) -> f64 {
    let difference = (f64::from(a) - f64::from(b)).abs();
    if difference.is_nan() { f64::INFINITY } else { difference }
}

/// The first instruction of a vertex whose result is not finite.
fn first_infinite(program: &Program<'_>, uniforms: &Uniforms, inputs: &[[f32; 4]; 16]) -> Option<Pc> {
    let mut machine = Machine::new(program, Settings::default().settings(BUDGET)).ok()?;
    machine.set_uniforms(uniforms);
    let mut first = None;
    let mut trace = |record: &TraceRecord| {
        let is_finite = record.result.iter().all(|lane| lane.is_finite());
        first = first.or((!is_finite).then_some(record.pc));
    };
    machine.run_traced(inputs, &mut trace).ok()?;
    first
}

/// The error about a component that is finite in the source alone, if there is one.
fn overflown(all: &[Compared], interface: &Interface, line: Lines<'_>) -> Option<Error> {
    let found = |(one, output): (&Compared, &Output)| {
        let found = one.overflow?;
        Some(described(found, output, interface, found.pc.and_then(line)))
    };
    all.iter().zip(&interface.outputs).find_map(found).map(Error::Overflow)
}

/// The error about the first output that is far from the source's, if there is one.
fn far(all: &[Compared], interface: &Interface) -> Option<Error> {
    let error = |(one, output): (&Compared, &Output)| {
        let farthest = described(one.farthest?, output, interface, output.line);
        Some(Error::Distance { output: output.name.clone(), distance: one.distance, farthest })
    };
    all.iter().zip(&interface.outputs).find_map(error)
}

/// A component of an output, with its vertex.
fn described(found: Found, output: &Output, interface: &Interface, line: Option<u32>) -> Box<Overflow> {
    let Found { lane: (lane, values), vertex, attributes: registers, .. } = found;
    let value = |one: &Attribute| {
        let lanes = registers[usize::from(one.register & 15)];
        (one.name.clone(), lanes.into_iter().take(one.shape.rows.into()).collect())
    };
    let attributes = interface.attributes.iter().filter(|one| one.is_read).map(value).collect();
    let component = format!("{}.{}", output.name, COMPONENTS[lane & 3]);
    Box::new(Overflow { component, vertex, values, attributes, line })
}

/// The line of the source that an instruction is made for.
type Lines<'a> = &'a dyn Fn(Pc) -> Option<u32>;

const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

/// Runs a program and its source on random vertices, so many for each component if the source is
/// finite there often enough. Returns the distances, and the error that one of them is.
///
/// # Errors
/// One of them fails, or a component is never compared.
pub(super) fn measure(
    source: &Source,
    options: &Options,
    interface: &Interface,
    file: &Shbin<'_>,
    vertices: usize,
    line: Lines<'_>,
) -> Result<(Vec<Distance>, Option<Error>), Error> {
    let program = dvle::program(file, 0, &Limits::default()).map_err(failed)?;
    let constants = dvle::constants(file.executable(0).map_err(failed)?);
    let batch = Batch::new(&program, Settings::default().settings(BUDGET)).map_err(failed)?;
    let all = vec![Compared::default(); interface.outputs.len()];
    let promises = Promises::new(interface, &options.assume).map_err(Error::Source)?;
    let mut run = Run { source, options, interface, constants, program, batch, vertices, all };
    let mut random = Random::new(0, "vertices of a shader");
    let lost = || Error::Assembly("a value of the source cannot be computed".into());
    let (mut has_run, mut drawn) = (false, 0);
    while !run.ends(drawn) {
        let count = if drawn < vertices { LANES.min(vertices - drawn) } else { LANES };
        let inputs = Inputs::several(&mut random, interface, &promises, count);
        let expected = evaluate(source, options, interface, &inputs);
        let groups = || inputs.chunks(SHARED);
        let uniforms: Vec<&UniformValues> = groups().map(|inputs| &*inputs[0].uniforms).collect();
        let registers = interface.registers_of_all(&uniforms).ok_or_else(lost)?;
        for ((inputs, expected), registers) in groups().zip(expected.chunks(SHARED)).zip(registers) {
            if run.ends(drawn) {
                break;
            }
            let vertices = (drawn..).zip(inputs).zip(expected);
            // Random numbers lead to indices outside of arrays, where the source has no value.
            let vertices = vertices.filter_map(|((number, inputs), expected)| {
                Some(Vertex { number, inputs, expected: expected.as_ref()? })
            });
            let vertices: Vec<Vertex<'_>> = vertices.collect();
            has_run |= !vertices.is_empty();
            run.group(&vertices, &registers)?;
            drawn += inputs.len();
        }
    }
    if let Some(error) = overflown(&run.all, interface, line) {
        return Err(error);
    }
    if !has_run {
        return Err(lost());
    }
    Ok((distances(&run.all, interface)?, far(&run.all, interface)))
}

fn failed(error: transpica::Error) -> Error {
    Error::Assembly(error.to_string())
}

/// A vertex and the outputs that the source has for it.
struct Vertex<'a> {
    number: usize,
    inputs: &'a Inputs,
    expected: &'a [LaneList<f32>],
}

/// A comparison.
struct Run<'a> {
    source: &'a Source,
    options: &'a Options,
    interface: &'a Interface,
    constants: Constants,
    program: Program<'a>,
    batch: Batch,
    /// Vertices on which each component shall count.
    vertices: usize,
    all: Vec<Compared>,
}

impl Run<'_> {
    /// Returns whether so many vertices are enough.
    fn ends(&self, drawn: usize) -> bool {
        let is_enough = || self.all.iter().all(|one| one.distance.vertices >= self.vertices);
        drawn >= self.vertices * MOST_DRAWN || drawn >= self.vertices && is_enough()
    }

    /// Runs the program on vertices with the same uniforms.
    fn group(&mut self, vertices: &[Vertex<'_>], registers: &UniformRegisters) -> Result<(), Error> {
        let mut uniforms = Uniforms { ints: registers.ints, bools: registers.bools, ..Uniforms::default() };
        uniforms.floats.iter_mut().zip(&registers.floats).for_each(|(to, from)| *to = *from);
        self.constants.apply(&mut uniforms);
        self.batch.set_uniforms(&uniforms);
        let attributes: Vec<_> = vertices.iter().map(|vertex| vertex.inputs.attributes).collect();
        let mut found = vec![[[0.0; 4]; 16]; attributes.len()];
        self.batch.run_all(&attributes, &mut found).map_err(|error| failed(error.into()))?;
        vertices.iter().zip(&found).for_each(|(vertex, found)| self.compare(vertex, found, &uniforms));
        Ok(())
    }

    /// Compares the outputs of a vertex.
    fn compare(&mut self, vertex: &Vertex<'_>, found: &[[f32; 4]; 16], uniforms: &Uniforms) {
        let Vertex { number: vertex, inputs, expected } = *vertex;
        let mut moved = None;
        for (number, (lanes, one)) in expected.iter().zip(&mut self.all).enumerate() {
            let found = &found[number & 15];
            let movement = || movement(self.source, self.options, self.interface, (inputs, expected));
            let far = relative(lanes, found);
            let is_explained = far > MOST && far <= 8.0 * moved.get_or_insert_with(movement)[number];
            one.seen += usize::from(lanes.iter().any(|lane| lane.is_finite()));
            one.left_out += usize::from(is_explained);
            // A program that is always far is wrong, whatever the source does.
            if !is_explained || one.left_out * MOST_LEFT_OUT > self.vertices.max(one.seen) {
                if far > MOST.max(one.distance.relative) {
                    let (lane, attributes) = (farthest(lanes, found), inputs.attributes);
                    one.farthest = Some(Found { lane, vertex, attributes, pc: None });
                }
                one.distance.add_far(lanes, found, far);
                if one.overflow.is_none()
                    && let Some(lane) = overflow(lanes, found)
                {
                    let attributes = inputs.attributes;
                    let pc = first_infinite(&self.program, uniforms, &attributes);
                    one.overflow = Some(Found { lane, vertex, attributes, pc });
                }
            }
        }
    }
}

/// The distances, if each component was compared.
fn distances(all: &[Compared], interface: &Interface) -> Result<Vec<Distance>, Error> {
    let pairs = all.iter().zip(&interface.outputs);
    let distances = pairs.map(|(Compared { distance, .. }, output)| {
        let mut counts = distance.counts.iter().take(output.lanes.into());
        match counts.position(|&count| count == 0) {
            Some(component) => {
                let component = COMPONENTS[component & 3];
                Err(Error::Uncompared(format!("{}.{component}", output.name)))
            }
            None => Ok(*distance),
        }
    });
    distances.collect()
}

/// How far the outputs of the source itself move where its inputs change by what a constant of a
/// file loses, which has 16 bits of fraction, and its operations round in other ways. Directions of
/// almost nothing, fractions of large numbers, products of large numbers with differences from 1,
/// and steps move by more than [`MOST`].
fn movement(
    source: &Source,
    options: &Options,
    interface: &Interface,
    (inputs, expected): (&Inputs, &[LaneList<f32>]),
) -> Vec<f64> {
    let mut random = Random::new(0, "inputs moved a little");
    let mut nudge = |lane: f32| lane * (1.0 + (random.unit() - 0.5) / 32768.0);
    let mut moved = |seed: u64| {
        let mut inputs = inputs.clone();
        inputs.rounding = Some(seed);
        for attribute in interface.attributes.iter().filter(|one| one.shape.scalar == Scalar::Float) {
            let lanes = &mut inputs.attributes[usize::from(attribute.register & 15)];
            *lanes = lanes.map(&mut nudge);
        }
        for (uniform, registers) in interface.uniforms.iter().zip(Rc::make_mut(&mut inputs.uniforms)) {
            for (offset, shape) in uniform.layout.leaves() {
                let rows = if shape.scalar == Scalar::Float { shape.registers() } else { 0 };
                for register in registers.iter_mut().skip(offset).take(rows) {
                    *register = register.map(|bits| nudge(f32::from_bits(bits)).to_bits());
                }
            }
        }
        inputs
    };
    let inputs: Vec<Inputs> = (0..8).map(&mut moved).collect();
    let mut most = vec![0.0_f64; expected.len()];
    for changed in evaluate(source, options, interface, &inputs).into_iter().flatten() {
        for (most, (a, b)) in most.iter_mut().zip(expected.iter().zip(&changed)) {
            *most = most.max(relative(a, b));
        }
    }
    most
}

/// The largest difference of components that are finite in the source, relative to the largest of
/// them.
fn relative(expected: &[f32], found: &[f32]) -> f64 {
    // Below a thousandth, numbers are what sums of larger ones left.
    let (mut size, mut most) = (1e-3_f64, 0.0_f64);
    for (&a, &b) in expected.iter().zip(found).filter(|(lane, _)| lane.is_finite()) {
        size = size.max(f64::from(a.abs()));
        most = most.max(difference([a, b]));
    }
    most / size
}

impl Distance {
    /// Adds an output of a vertex, what the source and the program compute.
    pub fn add(&mut self, expected: &[f32], found: &[f32]) {
        self.add_far(expected, found, relative(expected, found));
    }

    /// Adds an output whose relative distance is known.
    fn add_far(&mut self, expected: &[f32], found: &[f32], relative: f64) {
        for ((&a, &b), count) in expected.iter().zip(found).zip(&mut self.counts) {
            if a.is_finite() {
                *count += 1;
                self.ulp = self.ulp.max(ulp(a, b).unwrap_or(u32::MAX));
            }
        }
        self.vertices = self.counts.iter().take(expected.len()).copied().min().unwrap_or_default();
        self.relative = self.relative.max(relative);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::compile;
    use crate::source::promises::promise;
    use crate::source::{Language, read};

    /// The distance of the first program from the source of the second.
    fn distance(programs: [&str; 2]) -> Result<Distance, Error> {
        let [program, text] = programs.map(|body| {
            format!("@vertex fn main(@location(0) p: vec4f) -> @builtin(position) vec4f {{ return {body}; }}")
        });
        let options = Options::of(Language::Wgsl);
        let compiled = compile(&read(Language::Wgsl, program.as_bytes()).expect("valid"), &options)?;
        let source = read(Language::Wgsl, text.as_bytes()).expect("valid");
        let file = Shbin::parse(&compiled.bytes).expect("a file");
        measure(&source, &options, &compiled.interface, &file, 400, &|pc| Some(u32::from(pc.0)))
            .map(|(all, _)| all[0])
    }

    fn relative_of(programs: [&str; 2]) -> f64 {
        distance(programs).expect("both run").relative
    }

    #[test]
    fn programs_that_compute_something_else_are_far() {
        assert_eq!(relative_of(["p * 0.5", "p * 0.5"]), 0.0);
        assert!(relative_of(["p * 0.5", "p * 0.502"]) > MOST);
        // The source moves where its inputs do, but not so that it explains each vertex.
        let [one, other] = ["fract(p * 1000.0)", "fract(p * 1000.0 + 0.5)"];
        assert!(relative_of([one, one]) <= MOST);
        assert!(relative_of([one, other]) > MOST);
    }

    #[test]
    fn components_count_where_the_source_is_finite() {
        let logarithm = "vec4f(p.x, log2(-abs(p.y) - 1.0), p.zw)";
        for (program, component) in [(logarithm, "position.y"), ("p / 0.0", "position.x")] {
            assert_eq!(distance([program; 2]), Err(Error::Uncompared(component.into())), "{program}");
        }
        // Finite on one vertex of two, of four and of about a hundred: more are drawn.
        let body = |w: &str| format!("vec4f(p.xy, acos(p.z), {w})");
        for (w, least) in [("p.w", 400), ("sqrt(p.w)", 400), ("inverseSqrt(p.w - 1.9)", 20)] {
            let found = distance([&body(w); 2]).expect("compared");
            assert!(found.vertices >= least && found.relative <= MOST, "{w}: {found}");
            // The other components count where one is not finite, and the one where it is.
            for (finite, wrong) in [("p.xy", "p.yx"), (w, "1.0 + p.x")] {
                assert!(relative_of([&body(w).replace(finite, wrong), &body(w)]) > MOST, "{w}: {wrong}");
            }
        }
        let seldom = distance(["vec4f(p.xyz, sqrt(p.x - 1.99))"; 2]).expect("compared");
        assert!((1..400).contains(&seldom.vertices), "{seldom}");
    }

    #[test]
    fn a_number_that_the_machine_lacks_has_its_vertex() {
        let error =
            distance(["vec4f(p.x, inverseSqrt(p.y), p.zw)", "p"]).expect_err("roots of negative numbers");
        let Error::Overflow(found) = &error else { panic!("{error}") };
        let [(name, place)] = &found.attributes[..] else { panic!("{error}") };
        assert_eq!((&*found.component, &**name, found.values[0]), ("position.y", "p", place[1]));
        assert!(place[1] <= 0.0 && !found.values[1].is_finite(), "{error}");
        let start = format!("position.y is {:?} in the source and ", place[1]);
        assert!(error.to_string().starts_with(&start) && error.report().advice.is_some(), "{error}");
        // The address stands for the line here: that of RSQ.
        assert!(found.line < Some(4) && error.to_string().contains("; the first result that "), "{error}");
    }

    #[test]
    fn whole_numbers_come_from_the_ranges_of_their_own_promises() {
        let text = "struct Numbers { @align(16) far: f32, @align(16) rows: u32 }
            @group(0) @binding(0) var<uniform> numbers: Numbers;
            @vertex fn main(@location(0) p: vec4f, @location(1) bone: u32, @location(2) side: i32) ->
                @builtin(position) vec4f {
                return p * sqrt(f32(bone) - 8.5) * sqrt(-8.5 - f32(side)) * numbers.far;
            }";
        let source = read(Language::Wgsl, text.as_bytes()).expect("valid");
        let compiled = |promises: &[(&str, &str)], scaled: &[&str]| {
            let assume = promises.iter().map(|&(name, text)| (name.into(), promise(text).expect("one")));
            let scaled = scaled.iter().map(ToString::to_string).collect();
            compile(&source, &Options { assume: assume.collect(), scaled, ..Options::of(Language::Wgsl) })
                .err()
        };
        assert_eq!(compiled(&[("bone", "2^4"), ("side", "2^3..2^5")], &[]), None);
        // A promise about all is not about indices, and the last one counts.
        for ranges in [[("attributes", "2^4"), ("side", "2^5")], [("bone", "2^4"), ("side", "2^3")]] {
            assert_eq!(compiled(&ranges, &[]), Some(Error::Uncompared("position.x".into())), "{ranges:?}");
        }
        let refused = |name, text| compiled(&[(name, text)], &["p"]).expect("no range").to_string();
        assert_eq!(refused("bone", "2^24..2^25"), "no promise about bone: whole numbers are below 2^24");
        assert_eq!(refused("rows", "2^24..2^25"), "no promise about rows: whole numbers are below 2^24");
        assert_eq!(refused("p", "2^4"), "no promise about p: its bytes stand for 0 to 1");
        assert!(["any", "no-nan", "2^4..2^4", "2^129"].iter().all(|text| promise(text).is_err()));
    }

    #[test]
    fn inputs_come_from_the_ranges_of_promises() {
        let text = "@group(0) @binding(0) var<uniform> far: f32;
            @vertex fn main(@location(0) p: vec4f, @location(1) q: vec4f) -> @builtin(position) vec4f {
                return vec4f(p.x, sqrt(p.y - 100.0) + sqrt(far - 8.0) + sqrt(q.x), p.zw);
            }";
        let source = read(Language::Wgsl, text.as_bytes()).expect("valid");
        let compiled = |promises: &[(&str, &str)]| {
            let assume = promises.iter().map(|&(name, text)| (name.into(), promise(text).expect("one")));
            compile(&source, &Options { assume: assume.collect(), ..Options::of(Language::Wgsl) }).err()
        };
        let [place, place_of_all, range] = [("p", "2^10"), ("attributes", "2^10"), ("far", "2^4..2^6")];
        for ranges in
            [&[place, range][..], &[place_of_all, ("uniforms", "2^5")], &[("p", "2^0"), place_of_all, range]]
        {
            assert_eq!(compiled(ranges), None, "{ranges:?}");
        }
        // The last one counts.
        for ranges in [&[][..], &[place], &[range], &[place, range, ("attributes", "2^0")]] {
            assert_eq!(compiled(ranges), Some(Error::Uncompared("position.y".into())), "{ranges:?}");
        }
        let unknown = compiled(&[("nosuch", "2^10")]).expect("unknown").to_string();
        assert_eq!(unknown, "no attribute or uniform nosuch; there are p, q, far");
    }

    #[test]
    fn vertices_that_another_output_needs_leave_out_no_larger_part() {
        // Of large fractions a part is left out, and the root is seldom finite.
        let text = "struct Out { @builtin(position) place: vec4f, @location(0) color: vec4f }
            @vertex fn main(@location(0) p: vec4f) -> Out {
                return Out(vec4f(fract(p.x / p.y * 1000.0)), vec4f(sqrt(p.x - 1.99)));
            }";
        let compiled =
            compile(&read(Language::Wgsl, text.as_bytes()).expect("valid"), &Options::of(Language::Wgsl));
        let [place, color] = compiled.expect("the same").distances[..] else { panic!("two outputs") };
        assert!(place.vertices > 10_000 && (1..100).contains(&color.vertices), "{place}, {color}");
    }

    #[test]
    fn an_infinity_of_the_program_is_far_from_a_number() {
        let [mut one, mut other] = [Distance::default(); 2];
        one.add(&[1.0, f32::NAN], &[1.0, f32::INFINITY]);
        assert_eq!(one, Distance { counts: [1, 0, 0, 0], ..Distance::default() });
        one.add(&[f32::INFINITY, 2.0], &[0.0, 2.0]);
        assert_eq!(one, Distance { counts: [1, 1, 0, 0], vertices: 1, ..Distance::default() });
        other.add(&[1.0, 2.0], &[1.0, f32::NAN]);
        assert_eq!((other.ulp, other.relative, other.vertices), (u32::MAX, f64::INFINITY, 1));
    }
}
