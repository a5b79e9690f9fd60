//! Runs one program on the reference interpreter and on the GPU and compares every output
//! component.
//! In: a program, its bindings, uniforms and inputs. Out: a [`Verdict`].
//! The rules are those of the command line. On the exact route every bit must agree, with two
//! exceptions: `fast` leaves the order of sums in dot products to the driver, and EX2 and LG2 are
//! approximate. On other routes drivers may reorder all sums and products. Each affected component
//! must stay within an error bound computed from the program (`bounds.rs`).
//! Components after an uncertain branch or a possible overflow are excused and counted.
//! The sign of zero never counts as a difference, since no instruction can observe it. On unknown
//! drivers results below 2^-126 may be flushed. A driver that is known to flush them is compared
//! with an interpreter that does. A finite number never agrees with an infinity or NaN.

use std::fmt;

use crate::backend;
use crate::precision::bits::MAGNITUDE;
use transpica::host::Environment;
use transpica::interp::{Settings, TraceRecord, Uniforms};
use transpica::{Error, Job, Kind, Machine, Options, Program, Translation, Translator, host};

use crate::bounds::{self, Bound, Bounds, Follow};
use crate::driver::{Facts, Subnormals};
use crate::{Gpu, GpuError, Registers, Route, Shader, run_compute};

/// Distance, in units in the last place, up to which a reassociated value counts as close.
pub const CLOSE_ULP: u32 = 4;

/// Largest share of values without a verdict in a comparison that counts as one, by default.
pub const MOST_UNDECIDED: f64 = 0.25;

/// Input of a comparison.
#[derive(Clone, Copy)]
pub struct Case<'a> {
    /// The program.
    pub program: &'a Program<'a>,
    /// Its constants and names.
    pub environment: &'a dyn Environment,
    /// All uniform registers, including the constants of the file.
    pub uniforms: &'a Uniforms,
    /// v0..v15 of each vertex.
    pub inputs: &'a [[[f32; 4]; 16]],
    /// Options; the entry point is always the compute entry.
    pub options: Options,
    /// Limit of instructions per vertex on the interpreter.
    pub budget: u64,
}

/// Reason why a case has no verdict.
#[derive(Debug)]
pub enum CompareError {
    /// The library rejected the program, or the interpreter stopped with an error.
    Program(Error),
    /// The GPU rejected it.
    Gpu(GpuError),
}

impl fmt::Display for CompareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Program(error) => error.fmt(f),
            Self::Gpu(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CompareError {}

impl From<Error> for CompareError {
    fn from(error: Error) -> Self {
        Self::Program(error)
    }
}

impl From<GpuError> for CompareError {
    fn from(error: GpuError) -> Self {
        Self::Gpu(error)
    }
}

/// One component that differs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Index of the vertex.
    pub vertex: usize,
    /// Output register, 0..=15.
    pub register: usize,
    /// Component, 0..=3.
    pub component: usize,
    /// Bits on the interpreter.
    pub expected: u32,
    /// Bits on the GPU.
    pub found: u32,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (expected, found) = (f32::from_bits(self.expected), f32::from_bits(self.found));
        let component = ['x', 'y', 'z', 'w'][self.component & 3];
        write!(f, "vertex {} o{}.{component}: interpreter ", self.vertex, self.register)?;
        write!(f, "{expected:?} ({:#010x}), GPU {found:?} ({:#010x})", self.expected, self.found)
    }
}

/// Result of a comparison: counts of components by category.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// Vertices compared.
    pub vertices: usize,
    /// Vertices left out because they exceed the interpreter's budget.
    pub unfinished: usize,
    /// Compared components: those that some instruction writes, without the excused ones.
    pub values: u64,
    /// Components with no verdict: the driver's EX2, LG2 or order of operations may have changed an
    /// earlier decision or caused an overflow.
    pub excused: u64,
    /// Excused components for which EX2 or LG2 are a reason.
    pub excused_by_exponentials: u64,
    /// Excused components of different classes: finite against infinite or NaN, or infinite against
    /// NaN.
    pub other_class: u64,
    /// Components that break the rules.
    pub differing: u64,
    /// The first component that breaks the rules.
    pub first: Option<Difference>,
    /// Components equal except for the sign of zero.
    pub signed_zeros: u64,
    /// The first component equal except for the sign of zero.
    pub first_signed_zero: Option<Difference>,
    /// Results below 2^-126 that the driver flushed.
    pub flushed: u64,
    /// Components that depend on EX2 or LG2 and differ within their bound.
    pub approximate: u64,
    /// Components of an inexact route that differ within both their bound and [`CLOSE_ULP`].
    pub within_ulp: u64,
    /// Components beyond [`CLOSE_ULP`] but within their bound: the driver reassociated sums or
    /// products.
    pub reassociated: u64,
    /// Largest distance in units in the last place among finite components independent of EX2 and
    /// LG2.
    pub worst_ulp: u32,
    /// Registers with a component that breaks the rules: bit n = output register n.
    pub registers: u16,
    /// Output components of one vertex that some instruction writes.
    pub components: u32,
}

/// Summary of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Values were compared, and none breaks the rules.
    Agrees,
    /// Some values break the rules.
    Differs,
    /// All values are excused, or too large a share of them.
    Undecided,
    /// No value to compare.
    Nothing(EmptyReason),
}

/// Reason why there was nothing to compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmptyReason {
    /// The program writes no output that is passed on.
    NoOutputs,
    /// No vertex ends within the interpreter's budget.
    Unfinished,
    /// The case has no vertices, or a geometry program emitted none.
    NoVertices,
}

impl fmt::Display for EmptyReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoOutputs => "the program writes no output",
            Self::Unfinished => "no vertex ends within the instruction budget",
            Self::NoVertices => {
                "there are no vertices, none are emitted, or none keep the promise about results"
            }
        })
    }
}

/// Returns a translated program in the form that a route takes.
///
/// # Errors
/// Errors of the back end.
pub fn shader(translator: &mut Translator, translated: &Translation, route: Route) -> Result<Shader, Error> {
    Ok(match route {
        Route::Passthrough => Shader::Passthrough(translator.spirv(translated)?),
        Route::SpirvNaga => Shader::SpirvNaga(translator.spirv(translated)?),
        Route::Wgsl => Shader::Wgsl(translated.text(backend::text::Language::Wgsl)?),
    })
}

/// Builds an interpreter with the case's uniforms.
fn machine(case: &Case<'_>, subnormals: Subnormals) -> Result<Machine, Error> {
    let settings = Settings {
        flush_subnormals: subnormals == Subnormals::Flushed,
        ..case.options.settings(case.budget)
    };
    let mut machine = Machine::new(case.program, settings)?;
    machine.set_uniforms(case.uniforms);
    Ok(machine)
}

/// Runs the interpreter on each vertex, with the given treatment of subnormals. A vertex that
/// exceeds the budget has no result.
///
/// # Errors
/// Errors of the interpreter, except an exceeded budget.
pub fn reference(case: &Case<'_>, subnormals: Subnormals) -> Result<Vec<Option<Registers>>, Error> {
    let mut machine = machine(case, subnormals)?;
    let run = |inputs| match machine.run(inputs) {
        Ok(outputs) => Ok(Some(outputs.map(|register| register.map(f32::to_bits)))),
        Err(Error { kind: Kind::StepBudget(_), .. }) => Ok(None),
        Err(error) => Err(error),
    };
    case.inputs.iter().map(run).collect()
}

/// Error bounds for the vertices that the interpreter finishes.
fn bounds(
    case: &Case<'_>,
    finished: &[(usize, Registers)],
    facts: &Facts,
    route: Route,
) -> Result<Vec<Bounds>, Error> {
    let Some(arithmetic) = bounds::arithmetic(case.program, &case.options, route, facts) else {
        return Ok(Vec::new());
    };
    let mut machine = machine(case, facts.subnormals)?;
    let mut all = Vec::with_capacity(finished.len());
    let mut follow = Follow::new(arithmetic, case.program, &case.options.control);
    for (vertex, _) in finished {
        follow.restart();
        machine.run_traced(&case.inputs[*vertex], &mut |record: &TraceRecord| follow.step(record))?;
        all.push(follow.outputs());
    }
    Ok(all)
}

/// Runs a case on interpreter and GPU and compares. Vertices that exceed the interpreter's budget
/// are not sent to the GPU.
///
/// # Errors
/// Errors of the library, the interpreter or the GPU.
pub fn compare(gpu: &Gpu, case: &Case<'_>, route: Route) -> Result<Verdict, CompareError> {
    let options = case.options;
    let mut translator = Translator::new(options, gpu.profile(route));
    let translated = translator.translate(case.program, case.environment, Job::Compute)?;
    let shader = shader(&mut translator, &translated, route)?;
    compare_shader(gpu, case, &translated, shader, route)
}

/// Compares like [`compare`], with a shader already made from the translated program's compute
/// entry.
///
/// # Errors
/// Errors of the interpreter or the GPU; those of [`check_length`] if values differ.
pub fn compare_shader(
    gpu: &Gpu,
    case: &Case<'_>,
    translated: &Translation,
    shader: Shader,
    route: Route,
) -> Result<Verdict, CompareError> {
    let subnormals = gpu.facts().subnormals;
    let expected = reference(case, subnormals)?;
    let kept: Vec<(usize, Registers)> =
        expected.iter().enumerate().filter_map(|(vertex, registers)| Some((vertex, (*registers)?))).collect();
    let inputs: Vec<Registers> = kept
        .iter()
        .map(|(vertex, _)| case.inputs[*vertex].map(|register| register.map(f32::to_bits)))
        .collect();
    let uniforms = uniform_bytes(translated, case.uniforms);
    let found = run_compute(gpu, shader, &uniforms, &inputs)?;
    let written = bounds::output_masks(case.program);
    let bounds = self::bounds(case, &kept, gpu.facts(), route)?;
    let unfinished = expected.len() - kept.len();
    let components = bounds::components(&written);
    let mut verdict = Verdict { vertices: kept.len(), unfinished, components, ..Verdict::default() };
    for (index, ((vertex, expected), found)) in kept.iter().zip(&found).enumerate() {
        let bounds = bounds.get(index).unwrap_or(&bounds::EXACT);
        let tolerance = Tolerance { subnormals, bounds, written: &written };
        verdict.vertex(*vertex, [expected, found], &tolerance);
    }
    if !verdict.passed() {
        let inputs: Vec<_> = kept.iter().map(|(vertex, _)| case.inputs[*vertex]).collect();
        check_length(&Case { inputs: &inputs, ..*case }, gpu.facts())?;
    }
    Ok(verdict)
}

/// Checks that the driver leaves no loop of any vertex early.
///
/// # Errors
/// [`GpuError::TooLong`] if it may, and errors of the interpreter.
pub fn check_length(case: &Case<'_>, facts: &Facts) -> Result<(), CompareError> {
    let Some(rounds) = facts.loop_rounds else { return Ok(()) };
    let short = reference(&Case { budget: facts.most_steps(), ..*case }, facts.subnormals)?;
    match short.iter().filter(|ended| ended.is_none()).count() {
        0 => Ok(()),
        invocations => Err(GpuError::TooLong { invocations, of: short.len(), rounds }.into()),
    }
}

/// Returns the content of the uniform block.
pub fn uniform_bytes(translated: &Translation, uniforms: &Uniforms) -> Vec<u8> {
    host::pack(&translated.interface.block, uniforms)
}

/// Distance of two finite numbers in units in the last place; +0 and -0 are equal. `None` for
/// infinities and NaN.
pub(crate) fn ulp(a: f32, b: f32) -> Option<u32> {
    if !a.is_finite() || !b.is_finite() {
        return None;
    }
    let order = |x: f32| {
        let magnitude = i64::from(x.to_bits() & MAGNITUDE);
        if x.is_sign_negative() { -magnitude } else { magnitude }
    };
    u32::try_from((order(a) - order(b)).abs()).ok()
}

/// Class of a floating-point number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Finite,
    Infinite,
    Nan,
}

fn class(value: f32) -> Class {
    match (value.is_nan(), value.is_infinite()) {
        (true, _) => Class::Nan,
        (false, true) => Class::Infinite,
        (false, false) => Class::Finite,
    }
}

/// Permitted differences of one vertex.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tolerance<'a> {
    /// The driver's treatment of subnormals.
    pub(crate) subnormals: Subnormals,
    /// Error bound of each component.
    pub(crate) bounds: &'a Bounds,
    /// Components that some instruction of the program writes.
    pub(crate) written: &'a [u8; 16],
}

impl Verdict {
    /// Returns whether no component breaks the rules.
    pub fn passed(&self) -> bool {
        self.differing == 0
    }

    /// Returns the share of excused values among all that some instruction writes, 0 to 1.
    pub fn undecided(&self) -> f64 {
        // Counts are far below 2^53.
        self.excused as f64 / (self.values + self.excused).max(1) as f64
    }

    /// Returns the summary of the verdict. More than this share of excused values leaves it
    /// undecided; see [`MOST_UNDECIDED`].
    pub fn outcome(&self, most_undecided: f64) -> Outcome {
        if !self.passed() {
            Outcome::Differs
        } else if self.excused > 0 && (self.values == 0 || self.undecided() > most_undecided) {
            Outcome::Undecided
        } else if self.values > 0 {
            Outcome::Agrees
        } else if self.components == 0 {
            Outcome::Nothing(EmptyReason::NoOutputs)
        } else if self.unfinished > 0 {
            Outcome::Nothing(EmptyReason::Unfinished)
        } else {
            Outcome::Nothing(EmptyReason::NoVertices)
        }
    }

    /// Adds the counts of another verdict and keeps the first difference.
    pub fn add(&mut self, other: &Self) {
        self.vertices += other.vertices;
        self.unfinished += other.unfinished;
        self.values += other.values;
        self.excused += other.excused;
        self.excused_by_exponentials += other.excused_by_exponentials;
        self.other_class += other.other_class;
        self.differing += other.differing;
        self.first = self.first.or(other.first);
        self.signed_zeros += other.signed_zeros;
        self.first_signed_zero = self.first_signed_zero.or(other.first_signed_zero);
        self.flushed += other.flushed;
        self.approximate += other.approximate;
        self.within_ulp += other.within_ulp;
        self.reassociated += other.reassociated;
        self.worst_ulp = self.worst_ulp.max(other.worst_ulp);
        self.registers |= other.registers;
        self.components = self.components.max(other.components);
    }

    /// Compares one vertex.
    pub(crate) fn vertex(
        &mut self,
        vertex: usize,
        [expected, found]: [&Registers; 2],
        tolerance: &Tolerance<'_>,
    ) {
        for (register, component) in (0..16).flat_map(|register| (0..4).map(move |lane| (register, lane))) {
            let bound = tolerance.bounds[register][component];
            let counts = u64::from(tolerance.written[register] >> component & 1);
            let (expected, found) = (expected[register][component], found[register][component]);
            let pair = Difference { vertex, register, component, expected, found };
            if bound.most.is_infinite() {
                self.excused += counts;
                self.excused_by_exponentials += if bound.by_exponential { counts } else { 0 };
                let is_other = class(f32::from_bits(expected)) != class(f32::from_bits(found));
                self.other_class += u64::from(is_other);
                continue;
            }
            self.values += counts;
            if !self.component(pair, bound, tolerance.subnormals) {
                self.differing += 1;
                self.registers |= 1 << register;
                self.first.get_or_insert(pair);
            }
        }
    }

    /// Compares one component; returns false if it breaks the rules.
    fn component(&mut self, pair: Difference, bound: Bound, subnormals: Subnormals) -> bool {
        if pair.expected == pair.found {
            return true;
        }
        let (a, b) = (f32::from_bits(pair.expected), f32::from_bits(pair.found));
        if a.is_nan() && b.is_nan() {
            return true;
        }
        if a == b {
            self.signed_zeros += 1;
            self.first_signed_zero.get_or_insert(pair);
            return true;
        }
        let flushed = match subnormals {
            Subnormals::Kept => false,
            // The interpreter flushed in this run, so only a result that a MOV passed through can
            // still be subnormal.
            Subnormals::Flushed => a == 0.0 && b.is_subnormal(),
            Subnormals::Open => a.is_subnormal() && b == 0.0,
        };
        if flushed {
            self.flushed += 1;
            return true;
        }
        // False for NaN, and for an infinity against anything.
        let is_within = bound.most > 0.0 && (f64::from(a) - f64::from(b)).abs() <= bound.most;
        if is_within && bound.by_exponential {
            self.approximate += 1;
            return true;
        }
        let distance = ulp(a, b);
        self.worst_ulp = self.worst_ulp.max(distance.unwrap_or(0));
        if is_within && distance.is_some_and(|distance| distance <= CLOSE_ULP) {
            self.within_ulp += 1;
        } else if is_within {
            self.reassociated += 1;
        }
        is_within
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The verdict on o0.x from one pair of values.
    fn verdict(expected: f32, found: f32, bound: f64) -> Verdict {
        let mut verdict = Verdict::default();
        let mut bounds = bounds::EXACT;
        bounds[0][0].most = bound;
        let registers = |value: f32| {
            let mut registers = [[0; 4]; 16];
            registers[0][0] = value.to_bits();
            registers
        };
        let mut written = [0; 16];
        written[0] = 1;
        let tolerance = Tolerance { subnormals: Subnormals::Open, bounds: &bounds, written: &written };
        verdict.vertex(0, [&registers(expected), &registers(found)], &tolerance);
        verdict
    }

    fn judge(expected: f32, found: f32, bound: f64) -> bool {
        verdict(expected, found, bound).passed()
    }

    fn after(value: f32, steps: u32) -> f32 {
        f32::from_bits(value.to_bits() + steps)
    }

    #[test]
    fn without_a_bound_only_nan_payload_zero_sign_and_flushing_are_forgiven() {
        assert!(!judge(1.0, after(1.0, 1), 0.0));
        assert!(judge(f32::NAN, -f32::NAN, 0.0));
        assert!(judge(0.0, -0.0, 0.0));
        assert!(judge(f32::from_bits(7), 0.0, 0.0));
        assert!(!judge(f32::MIN_POSITIVE, 0.0, 0.0));
        assert!(!judge(0.0, f32::from_bits(7), 0.0));
        assert!(!judge(f32::NAN, 1.0, 0.0));
    }

    #[test]
    fn a_bound_forgives_differences_within_it() {
        assert!(judge(1.0, 1.0009, 1.0e-3));
        assert!(!judge(1.0, 1.0021, 1.0e-3));
        assert_eq!(verdict(1.0, after(1.0, 4), 1.0e-3).within_ulp, 1);
        let beyond = verdict(1.0, after(1.0, 5), 1.0e-3);
        assert_eq!((beyond.within_ulp, beyond.reassociated, beyond.worst_ulp), (0, 1, 5));
    }

    #[test]
    fn no_finite_bound_forgives_another_class() {
        let classes = [0.0, 1.0, f32::MAX, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
        for (a, b) in classes.into_iter().flat_map(|a| classes.map(|b| (a, b))) {
            let differs = a.to_bits() != b.to_bits() && (class(a) != class(b) || a.is_infinite());
            let verdict = verdict(a, b, 1.0e39);
            assert_eq!((!verdict.passed(), verdict.registers), (differs, u16::from(differs)), "{a} {b}");
            assert!(!differs || verdict.worst_ulp == 0, "{a} {b}: {verdict:?}");
        }
    }

    #[test]
    fn a_verdict_without_comparisons_has_a_reason() {
        let verdict = Verdict { components: 4, vertices: 3, values: 12, ..Verdict::default() };
        assert_eq!(verdict.outcome(MOST_UNDECIDED), Outcome::Agrees);
        assert_eq!(Verdict { differing: 1, ..verdict.clone() }.outcome(MOST_UNDECIDED), Outcome::Differs);
        let [few, many] = [1, 6].map(|excused| Verdict { excused, ..verdict.clone() });
        assert_eq!(
            [few.outcome(MOST_UNDECIDED), many.outcome(MOST_UNDECIDED)],
            [Outcome::Agrees, Outcome::Undecided]
        );
        assert_eq!((many.outcome(0.5), many.undecided()), (Outcome::Agrees, 6.0 / 18.0));
        let none = Verdict { values: 0, ..verdict };
        assert_eq!(Verdict { excused: 12, ..none.clone() }.outcome(MOST_UNDECIDED), Outcome::Undecided);
        assert_eq!(
            Verdict { components: 0, ..none.clone() }.outcome(MOST_UNDECIDED),
            Outcome::Nothing(EmptyReason::NoOutputs)
        );
        assert_eq!(
            Verdict { unfinished: 3, ..none.clone() }.outcome(MOST_UNDECIDED),
            Outcome::Nothing(EmptyReason::Unfinished)
        );
        assert_eq!(none.outcome(MOST_UNDECIDED), Outcome::Nothing(EmptyReason::NoVertices));
    }

    #[test]
    fn undecided_values_and_other_classes_are_counted_separately() {
        for (a, b, other_class) in
            [(1.0, 2.0, 0), (1.0, 1.0, 0), (f32::NAN, 0.0, 1), (f32::INFINITY, 3.0e38, 1)]
        {
            let Verdict { values, excused, other_class: found, differing, .. } = verdict(a, b, f64::INFINITY);
            assert_eq!((values, excused, found, differing), (0, 1, other_class, 0), "{a} {b}");
        }
    }
}
