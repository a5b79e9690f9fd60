//! Runs one program on the reference interpreter and on the GPU and judges every output component.
//! In: a program, its surroundings, uniforms and inputs. Out: a [`Verdict`]. The rules are those of the command line:
//! on the exact route every bit must agree (but `fast` leaves the order of sums in dot products open), except components
//! that depend on EX2 or LG2 (a stated tolerance), the sign of zero (no instruction can see it), and on a driver of which
//! nothing is known results below 2^-126. A driver that is known to flush those is compared with an interpreter that does.

use std::fmt;

use transpica::backend;
use transpica::error::{Error, Kind};
use transpica::host::{self, EntryPoint, Options, Profile, Surroundings};
use transpica::interp::{Machine, Record, Settings, Uniforms};
use transpica::isa::{DataOp, Inst, Program};
use transpica::precision::Precision;
use transpica::{Translated, Translator};

use crate::dots::{self, Order};
use crate::driver::Subnormals;
use crate::{Gpu, GpuError, Registers, Route, Shader, run_compute};

/// Tolerance of components that depend on EX2 or LG2, relative to the larger magnitude, on top of [`APPROXIMATE_FLOOR`].
pub const APPROXIMATE_RELATIVE: f32 = 1.0e-3;
/// Absolute part of that tolerance.
pub const APPROXIMATE_FLOOR: f32 = 1.0e-5;
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
    /// Whether components that depend on EX2 or LG2 are judged at all. On special values no tolerance is right: drivers
    /// flush subnormal operands, and LG2 of a subnormal is then off by up to 22, LG2 of 2^-127 infinite.
    pub judge_approximate: bool,
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
    /// Components that break the rules.
    pub differing: u64,
    /// The first of them.
    pub first: Option<Difference>,
    /// Components equal but for the sign of zero.
    pub signed_zeros: u64,
    /// Results below 2^-126 that the driver flushed, and results that depend on the logarithm of such a number.
    pub flushed: u64,
    /// Components that depend on EX2 or LG2 and are not bit-equal, but within the tolerance.
    pub approximate: u64,
    /// Components of an inexact route that are not bit-equal, but within [`ROUTE_ULP`].
    pub within_ulp: u64,
    /// Components beyond that, where our own SPIR-V gives the same on this driver if it leaves the driver the freedom that the
    /// route leaves (no NoContraction), or takes it (`fast`: another order of the sums of dot products): the driver
    /// reassociated, as it may.
    pub reassociated: u64,
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
        Route::NagaIr => Shader::NagaIr(Box::new(translator.naga(translated)?)),
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

/// Which vertices take the logarithm of a number below 2^-126 on the interpreter.
fn tiny_logarithms(case: &Case<'_>) -> Result<Vec<bool>, Error> {
    let mut machine = machine(case, Subnormals::Kept)?;
    let mut all = Vec::with_capacity(case.inputs.len());
    for inputs in case.inputs {
        let mut tiny = false;
        let mut watch = |record: &Record| {
            if let Inst::Data { op: DataOp::Lg2, .. } = record.inst {
                tiny |= record.operands[0][0].is_subnormal();
            }
        };
        // Whether it ends within the budget is known.
        let _ = machine.run_traced(inputs, &mut watch);
        all.push(tiny);
    }
    Ok(all)
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
    let approximate = translated.approximate();
    let ignored: &[u8] = if case.judge_approximate { &[] } else { &approximate };
    let judge = |witnesses: &[Vec<Registers>], tiny: &[bool]| {
        let mut verdict =
            Verdict { vertices: kept.len(), unfinished: expected.len() - kept.len(), ..Verdict::default() };
        for (index, ((vertex, expected), found)) in kept.iter().zip(&found).enumerate() {
            let found = &without(ignored, expected, found);
            let witnesses: Vec<&Registers> = witnesses.iter().filter_map(|all| all.get(index)).collect();
            let tiny_logarithm = tiny.get(*vertex).is_some_and(|&tiny| tiny);
            let excuses = Excuses { witnesses, subnormals, tiny_logarithm };
            verdict.vertex(*vertex, [expected, found], &excuses, &approximate, route);
        }
        verdict
    };
    let verdict = judge(&[], &[]);
    if verdict.passed() {
        return Ok(verdict);
    }
    let tiny = tiny_logarithms(case)?;
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
    Ok(judge(&witnesses, &tiny))
}

/// What a driver may do of its own on a route: orders of the sums of dot products, and whether NoContraction holds. Only
/// `fast` leaves the order of a dot product open.
fn freedom(precision: Precision, route: Route) -> &'static [(Order, bool)] {
    match (precision, route.is_exact()) {
        (Precision::Exact | Precision::F24, true) => &[],
        (Precision::Exact | Precision::F24, false) => &[(Order::Open, false)],
        (Precision::Fast, true) => &[(Order::LastFirst, true)],
        (Precision::Fast, false) => {
            &[(Order::Open, false), (Order::FirstFirst, false), (Order::LastFirst, false)]
        }
    }
}

/// What was found, with the ignored lanes as expected.
fn without(ignored: &[u8], expected: &Registers, found: &Registers) -> Registers {
    let mut kept = *found;
    for (register, lanes) in ignored.iter().enumerate().take(16) {
        for component in (0..4).filter(|component| lanes >> component & 1 != 0) {
            kept[register][component] = expected[register][component];
        }
    }
    kept
}

/// The content of the uniform block.
pub fn uniform_bytes(translated: &Translated, uniforms: &Uniforms) -> Vec<u8> {
    host::pack(&translated.interface.block, uniforms)
}

/// Distance of two floats in representable numbers; zeros are equal, NaN is infinitely far.
fn ulp(a: f32, b: f32) -> u32 {
    if a.is_nan() || b.is_nan() {
        return u32::MAX;
    }
    let order = |x: f32| {
        let magnitude = i64::from(x.to_bits() & 0x7fff_ffff);
        if x.is_sign_negative() { -magnitude } else { magnitude }
    };
    u32::try_from((order(a) - order(b)).abs()).unwrap_or(u32::MAX)
}

/// What a driver may do that makes one vertex differ.
#[derive(Clone, Debug)]
struct Excuses<'a> {
    /// What the program gives where sums are taken otherwise, as the driver may.
    witnesses: Vec<&'a Registers>,
    /// What its arithmetic makes of numbers below 2^-126.
    subnormals: Subnormals,
    /// LG2 of a number below 2^-126 was taken: drivers may flush operands, and what they make of this one is off by up to 22.
    tiny_logarithm: bool,
}

impl Verdict {
    /// Whether nothing breaks the rules.
    pub fn passed(&self) -> bool {
        self.differing == 0
    }

    /// Judges one vertex.
    fn vertex(
        &mut self,
        vertex: usize,
        [expected, found]: [&Registers; 2],
        excuses: &Excuses<'_>,
        approximate: &[u8],
        route: Route,
    ) {
        for register in 0..16 {
            let lanes = approximate.get(register).copied().unwrap_or(0);
            for component in 0..4 {
                let (expected, found) = (expected[register][component], found[register][component]);
                let approximate = lanes >> component & 1 != 0;
                if self.component([expected, found], approximate, route, excuses.subnormals) {
                    continue;
                }
                if approximate && excuses.tiny_logarithm {
                    self.flushed += 1;
                    continue;
                }
                let value = f32::from_bits(found);
                let same = |witness: &&Registers| {
                    let witness = f32::from_bits(witness[register][component]);
                    witness.is_nan() && value.is_nan() || ulp(witness, value) <= ROUTE_ULP
                };
                if excuses.witnesses.iter().any(same) {
                    self.reassociated += 1;
                } else {
                    self.differing += 1;
                    self.registers |= 1 << register;
                    self.first.get_or_insert(Difference { vertex, register, component, expected, found });
                }
            }
        }
    }

    /// Judges one component; false if it breaks the rules.
    fn component(
        &mut self,
        [expected, found]: [u32; 2],
        approximate: bool,
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
        if approximate {
            let bound = APPROXIMATE_RELATIVE * a.abs().max(b.abs()) + APPROXIMATE_FLOOR;
            let close = a.is_finite() && b.is_finite() && (a - b).abs() <= bound;
            self.approximate += u64::from(close);
            return close;
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

    fn judge(expected: f32, found: f32, approximate: bool, route: Route) -> bool {
        let bits = [expected.to_bits(), found.to_bits()];
        Verdict::default().component(bits, approximate, route, Subnormals::Open)
    }

    #[test]
    fn exact_route_forgives_only_nan_payload_zero_sign_and_flushing() {
        let next = f32::from_bits(1f32.to_bits() + 1);
        assert!(!judge(1.0, next, false, Route::Passthrough));
        assert!(judge(f32::NAN, -f32::NAN, false, Route::Passthrough));
        assert!(judge(0.0, -0.0, false, Route::Passthrough));
        assert!(judge(f32::from_bits(7), 0.0, false, Route::Passthrough));
        assert!(!judge(f32::MIN_POSITIVE, 0.0, false, Route::Passthrough));
        assert!(!judge(0.0, f32::from_bits(7), false, Route::Passthrough));
        assert!(!judge(f32::NAN, 1.0, false, Route::Passthrough));
    }

    #[test]
    fn tolerances_apply_where_they_are_stated() {
        let next = f32::from_bits(1f32.to_bits() + 4);
        assert!(judge(1.0, next, false, Route::Wgsl));
        assert!(!judge(1.0, f32::from_bits(1f32.to_bits() + 5), false, Route::Wgsl));
        assert!(judge(1.0, 1.0009, true, Route::Passthrough));
        assert!(!judge(1.0, 1.0021, true, Route::Passthrough));
        assert!(!judge(f32::INFINITY, 1.0, true, Route::Passthrough));
    }
}
