//! Runs one program on the reference interpreter and on the GPU and judges every output component.
//! In: a program, its surroundings, uniforms and inputs. Out: a [`Verdict`]. The rules are those of the command line:
//! on the exact route every bit must agree (but `fast` leaves the order of sums in dot products open), except components
//! whose value EX2 or LG2 moves (by no more than a bound that is computed for each; where they could have changed a
//! decision nothing is said, and that is counted), the sign of zero (no instruction can see it), and on a driver of which
//! nothing is known results below 2^-126. A driver that is known to flush those is compared with an interpreter that does.

use std::fmt;

use transpica::backend;
use transpica::error::{Error, Kind};
use transpica::host::{self, EntryPoint, Options, Profile, Surroundings};
use transpica::interp::{Machine, Record, Settings, Uniforms};
use transpica::isa::Program;
use transpica::precision::Precision;
use transpica::{Translated, Translator};

use crate::bounds::{self, Bounds, Follow};
use crate::dots::{self, Order};
use crate::driver::Subnormals;
use crate::{Gpu, GpuError, Registers, Route, Shader, run_compute};

/// Tolerance in units in the last place of routes through naga, which drops NoContraction.
pub const ROUTE_ULP: u32 = 4;

/// What is compared.
#[derive(Clone, Copy)]
pub struct Case<'a> {
    /// The program.
    pub program: &'a Program<'a>,
    /// Its constants and names.
    pub around: &'a dyn Surroundings,
    /// All uniform registers, setup constants included.
    pub uniforms: &'a Uniforms,
    /// v0..v15 of each vertex.
    pub inputs: &'a [[[f32; 4]; 16]],
    /// Options; the entry point is always the compute one.
    pub options: Options,
    /// Instructions that one vertex may execute on the interpreter.
    pub budget: u64,
}

/// Why a case could not be judged.
#[derive(Debug)]
pub enum CompareError {
    /// The library refused the program, or the interpreter did not finish it.
    Program(Error),
    /// The GPU refused it.
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
    /// Number of the vertex.
    pub vertex: usize,
    /// o0..o15
    pub register: usize,
    /// 0..=3
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

/// The result of one comparison.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// Vertices compared.
    pub vertices: usize,
    /// Vertices left out because the interpreter did not finish them within the budget.
    pub unfinished: usize,
    /// Components that were compared: those that the program has instructions for, but for the excused.
    pub values: u64,
    /// Components of which nothing is said: EX2 or LG2, as the driver computes them, may have changed a decision before.
    pub excused: u64,
    /// Components that break the rules.
    pub differing: u64,
    /// The first of them.
    pub first: Option<Difference>,
    /// Components equal but for the sign of zero.
    pub signed_zeros: u64,
    /// Results below 2^-126 that the driver flushed.
    pub flushed: u64,
    /// Components that depend on EX2 or LG2 and are not bit-equal, but within their bound.
    pub approximate: u64,
    /// Components of an inexact route that are not bit-equal, but within [`ROUTE_ULP`].
    pub within_ulp: u64,
    /// Components beyond that, where our own SPIR-V gives the same on this driver if it leaves the driver the freedom that the
    /// route leaves (no NoContraction), or takes it (`fast`: another order of the sums of dot products): the driver
    /// reassociated, as it may.
    pub reassociated: u64,
    /// Components that a driver known for it lost on their way out of a loop: they are zero, and where our WGSL keeps such
    /// values in variables, the same driver passes the whole program.
    pub lost: u64,
    /// Largest distance in units in the last place among components that must be equal.
    pub worst_ulp: u32,
    /// Registers with a component that breaks the rules, bit n is on.
    pub registers: u16,
}

/// Makes the form of a translated program that a route wants.
///
/// # Errors
/// What the back end refuses.
pub fn shader(translator: &mut Translator, translated: &Translated, route: Route) -> Result<Shader, Error> {
    Ok(match route {
        Route::Passthrough => Shader::Passthrough(translator.spirv(translated)?),
        Route::SpirvNaga => Shader::SpirvNaga(translator.spirv(translated)?),
        Route::Wgsl => Shader::Wgsl(translator.text(translated, backend::text::Language::Wgsl)?),
    })
}

/// The interpreter, ready for vertices.
fn machine(case: &Case<'_>, subnormals: Subnormals) -> Result<Machine, Error> {
    let settings = Settings {
        flush_subnormals: subnormals == Subnormals::Flushed,
        ..case.options.settings(case.budget)
    };
    let mut machine = Machine::new(case.program, settings)?;
    machine.set_uniforms(case.uniforms);
    Ok(machine)
}

/// Interpreter results of each vertex, on a host with such subnormals; nothing where the budget ran out.
///
/// # Errors
/// Anything the interpreter refuses besides the budget.
pub fn reference(case: &Case<'_>, subnormals: Subnormals) -> Result<Vec<Option<Registers>>, Error> {
    let mut machine = machine(case, subnormals)?;
    let mut all = Vec::with_capacity(case.inputs.len());
    for inputs in case.inputs {
        match machine.run(inputs) {
            Ok(outputs) => all.push(Some(outputs.map(|register| register.map(f32::to_bits)))),
            Err(Error { kind: Kind::StepBudget(_), .. }) => all.push(None),
            Err(error) => return Err(error),
        }
    }
    Ok(all)
}

/// How far EX2 and LG2 may move the outputs of each vertex. Whether it ends within the budget is known.
fn bounds(case: &Case<'_>, subnormals: Subnormals) -> Result<Vec<Bounds>, Error> {
    if case.options.portable_exponentials || !bounds::has_approximate(case.program) {
        return Ok(Vec::new());
    }
    let written = bounds::written(case.program);
    let mut machine = machine(case, subnormals)?;
    let bounds = case.inputs.iter().map(|inputs| {
        let mut follow = Follow::new(case.options.precision);
        let _ = machine.run_traced(inputs, &mut |record: &Record| follow.step(record));
        follow.finish(&written)
    });
    Ok(bounds.collect())
}

/// Runs a case on interpreter and GPU and compares. Vertices that the interpreter does not finish never reach the GPU.
///
/// # Errors
/// What the library, the interpreter or the GPU refuses.
pub fn compare(gpu: &Gpu, case: &Case<'_>, route: Route) -> Result<Verdict, CompareError> {
    let options = Options { entry: EntryPoint::Compute, ..case.options };
    let mut translator = Translator::new(options, Profile::default());
    let translated = translator.translate(case.program, case.around)?;
    let shader = shader(&mut translator, &translated, route)?;
    compare_shader(gpu, case, &translated, shader, route)
}

/// As [`compare`], with a shader that was made from the compute entry of the translated program before.
///
/// # Errors
/// What the interpreter or the GPU refuses.
pub fn compare_shader(
    gpu: &Gpu,
    case: &Case<'_>,
    translated: &Translated,
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
    let written = bounds::written(case.program);
    let bounds = bounds(case, subnormals)?;
    let judge = |found: &[Registers], witnesses: &[Vec<Registers>], route: Route, loses: bool| {
        let mut verdict =
            Verdict { vertices: kept.len(), unfinished: expected.len() - kept.len(), ..Verdict::default() };
        for (index, ((vertex, expected), found)) in kept.iter().zip(found).enumerate() {
            let witnesses = witnesses.iter().filter_map(|all| all.get(index)).collect();
            let bounds = bounds.get(*vertex).unwrap_or(&bounds::EXACT);
            let allowed = Allowed { witnesses, subnormals, route, bounds, written: &written, loses };
            verdict.vertex(*vertex, [expected, found], &allowed);
        }
        verdict
    };
    let verdict = judge(&found, &[], route, false);
    if verdict.passed() {
        return Ok(verdict);
    }
    let options = Options { entry: EntryPoint::Compute, ..case.options };
    let freedom = freedom(options.precision, route);
    let mut witnesses = Vec::new();
    for &(order, no_contraction) in freedom {
        let profile = Profile { no_contraction, ..Profile::default() };
        let mut module = translated.clone();
        dots::spell(&mut module.module, order);
        let words = Translator::new(options, profile).spirv(&module)?;
        witnesses.push(run_compute(gpu, Shader::Passthrough(words), &uniforms, &inputs)?);
    }
    let verdict = judge(&found, &witnesses, route, false);
    if verdict.passed() || !gpu.facts().loses_loop_values || !route.is_exact() {
        return Ok(verdict);
    }
    let mut translator = Translator::new(options, Profile::default());
    let text = self::shader(&mut translator, translated, Route::Wgsl)?;
    let with_variables = run_compute(gpu, text, &uniforms, &inputs)?;
    let loses = judge(&with_variables, &[], Route::Wgsl, false).passed();
    Ok(judge(&found, &witnesses, route, loses))
}

/// What a driver may do of its own on a route: orders of the sums of dot products, and whether NoContraction holds. Only
/// `fast` leaves the order of a dot product open.
pub(crate) fn freedom(precision: Precision, route: Route) -> &'static [(Order, bool)] {
    match (precision, route.is_exact()) {
        (Precision::Exact | Precision::F24, true) => &[],
        (Precision::Exact | Precision::F24, false) => &[(Order::Open, false)],
        (Precision::Fast, true) => &[(Order::LastFirst, true)],
        (Precision::Fast, false) => {
            &[(Order::Open, false), (Order::FirstFirst, false), (Order::LastFirst, false)]
        }
    }
}

/// The content of the uniform block.
pub fn uniform_bytes(translated: &Translated, uniforms: &Uniforms) -> Vec<u8> {
    host::pack(&translated.interface.block, uniforms)
}

/// Distance of two floats in representable numbers; zeros are equal, NaN is infinitely far.
pub(crate) fn ulp(a: f32, b: f32) -> u32 {
    if a.is_nan() || b.is_nan() {
        return u32::MAX;
    }
    let order = |x: f32| {
        let magnitude = i64::from(x.to_bits() & 0x7fff_ffff);
        if x.is_sign_negative() { -magnitude } else { magnitude }
    };
    u32::try_from((order(a) - order(b)).abs()).unwrap_or(u32::MAX)
}

/// What may make one vertex differ.
#[derive(Clone, Debug)]
pub(crate) struct Allowed<'a> {
    /// What the program gives where sums are taken otherwise, as the driver may.
    pub(crate) witnesses: Vec<&'a Registers>,
    /// What its arithmetic makes of numbers below 2^-126.
    pub(crate) subnormals: Subnormals,
    /// How the program got there.
    pub(crate) route: Route,
    /// How far EX2 and LG2 may move each component.
    pub(crate) bounds: &'a Bounds,
    /// What the program has instructions for.
    pub(crate) written: &'a [u8; 16],
    /// Whether the driver loses values of loops in this program.
    pub(crate) loses: bool,
}

impl Verdict {
    /// Whether nothing breaks the rules.
    pub fn passed(&self) -> bool {
        self.differing == 0
    }

    /// Adds what another one counted; the first difference stays.
    pub fn add(&mut self, other: &Self) {
        self.vertices += other.vertices;
        self.unfinished += other.unfinished;
        self.values += other.values;
        self.excused += other.excused;
        self.differing += other.differing;
        self.first = self.first.or(other.first);
        self.signed_zeros += other.signed_zeros;
        self.flushed += other.flushed;
        self.approximate += other.approximate;
        self.within_ulp += other.within_ulp;
        self.reassociated += other.reassociated;
        self.lost += other.lost;
        self.worst_ulp = self.worst_ulp.max(other.worst_ulp);
        self.registers |= other.registers;
    }

    /// Judges one vertex.
    pub(crate) fn vertex(
        &mut self,
        vertex: usize,
        [expected, found]: [&Registers; 2],
        allowed: &Allowed<'_>,
    ) {
        for (register, component) in (0..16).flat_map(|register| (0..4).map(move |lane| (register, lane))) {
            let bound = allowed.bounds[register][component];
            let counts = u64::from(allowed.written[register] >> component & 1);
            if bound.is_infinite() {
                self.excused += counts;
                continue;
            }
            self.values += counts;
            let (expected, found) = (expected[register][component], found[register][component]);
            if self.component([expected, found], bound, allowed.route, allowed.subnormals) {
                continue;
            }
            let value = f32::from_bits(found);
            let same = |witness: &&Registers| {
                let witness = f32::from_bits(witness[register][component]);
                let distance = (f64::from(witness) - f64::from(value)).abs();
                // Witness and driver may each be off.
                let near = bound > 0.0 && distance <= 2.0 * bound;
                near || witness.is_nan() && value.is_nan() || ulp(witness, value) <= ROUTE_ULP
            };
            if allowed.witnesses.iter().any(same) {
                self.reassociated += 1;
            } else if allowed.loses && value == 0.0 {
                self.lost += 1;
            } else {
                self.differing += 1;
                self.registers |= 1 << register;
                self.first.get_or_insert(Difference { vertex, register, component, expected, found });
            }
        }
    }

    /// Judges one component; false if it breaks the rules.
    fn component(
        &mut self,
        [expected, found]: [u32; 2],
        bound: f64,
        route: Route,
        subnormals: Subnormals,
    ) -> bool {
        if expected == found {
            return true;
        }
        let (a, b) = (f32::from_bits(expected), f32::from_bits(found));
        if a.is_nan() && b.is_nan() {
            return true;
        }
        if a == b {
            self.signed_zeros += 1;
            return true;
        }
        let flushed = match subnormals {
            Subnormals::Kept => false,
            // Expected is what a host that flushes computes. A number that only moves stays as it is on a driver.
            Subnormals::Flushed => a == 0.0 && b.is_subnormal(),
            Subnormals::Open => a.is_subnormal() && b == 0.0,
        };
        if flushed {
            self.flushed += 1;
            return true;
        }
        if bound > 0.0 && (f64::from(a) - f64::from(b)).abs() <= bound {
            self.approximate += 1;
            return true;
        }
        let distance = ulp(a, b);
        self.worst_ulp = self.worst_ulp.max(distance);
        let close = !route.is_exact() && distance <= ROUTE_ULP;
        self.within_ulp += u64::from(close);
        close
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(expected: f32, found: f32, bound: f64, route: Route) -> bool {
        let bits = [expected.to_bits(), found.to_bits()];
        Verdict::default().component(bits, bound, route, Subnormals::Open)
    }

    #[test]
    fn exact_route_forgives_only_nan_payload_zero_sign_and_flushing() {
        let next = f32::from_bits(1f32.to_bits() + 1);
        assert!(!judge(1.0, next, 0.0, Route::Passthrough));
        assert!(judge(f32::NAN, -f32::NAN, 0.0, Route::Passthrough));
        assert!(judge(0.0, -0.0, 0.0, Route::Passthrough));
        assert!(judge(f32::from_bits(7), 0.0, 0.0, Route::Passthrough));
        assert!(!judge(f32::MIN_POSITIVE, 0.0, 0.0, Route::Passthrough));
        assert!(!judge(0.0, f32::from_bits(7), 0.0, Route::Passthrough));
        assert!(!judge(f32::NAN, 1.0, 0.0, Route::Passthrough));
    }

    #[test]
    fn tolerances_apply_where_they_are_stated() {
        let next = f32::from_bits(1f32.to_bits() + 4);
        assert!(judge(1.0, next, 0.0, Route::Wgsl));
        assert!(!judge(1.0, f32::from_bits(1f32.to_bits() + 5), 0.0, Route::Wgsl));
        assert!(judge(1.0, 1.0009, 1.0e-3, Route::Passthrough));
        assert!(!judge(1.0, 1.0021, 1.0e-3, Route::Passthrough));
        assert!(!judge(f32::INFINITY, 1.0, 1.0e-3, Route::Passthrough));
    }
}
