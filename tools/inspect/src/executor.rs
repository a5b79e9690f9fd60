//! Executors of programs, and the comparison of their results with the reference machine's.
//! In: a program, its constants, uniforms and inputs. Out: a [`Verdict`]. Every bit must agree, but
//! for the sign of zero, which no instruction can observe, the payload of NaN, and subnormal
//! numbers where an executor may flush them. Programs whose last bits are a driver's have nothing
//! to compare (see [`is_open`]). Knows no driver.

use std::fmt;

use transpica::host::Environment;
use transpica::interp::{Settings, Uniforms};
use transpica::isa::{DataOp, Dest, Inst, Pc};
use transpica::settings::Functions;
use transpica::{Error, Kind, Machine, Options, Precision, Program, Stage};
use transpica_draw::batch::{Batch, LANES};

use crate::precision::bits::MAGNITUDE;
use crate::state::{Registers, bits};

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

/// A machine that runs vertex programs, other than the reference machine.
///
/// ```
/// use transpica_inspect::executor::{Batched, Case, compare};
/// use transpica::isa::{Pc, Stage, Uniforms};
/// use transpica::{Options, Program, RegisterState};
///
/// // add o0, v0, v1; end
/// let program = Program::from_raw(vec![0x0000_0080, 0x8800_0000], vec![0x36F], Pc(0), Stage::Vertex)?;
/// let state = RegisterState::default();
/// let case = Case {
///     program: &program,
///     environment: &state.vertex(),
///     uniforms: &Uniforms::default(),
///     inputs: &[[[0.1; 4]; 16]],
///     options: Options::default(),
///     budget: 100,
/// };
/// let verdict = compare(&Batched, &case)?;
/// assert!(verdict.passed() && verdict.values == 4);
/// # Ok::<(), transpica::Error>(())
/// ```
pub trait Executor {
    /// Reason why a case cannot be run.
    type Error: From<Error>;

    /// Name in reports.
    fn name(&self) -> &str;

    /// Its treatment of numbers below 2^-126.
    fn subnormals(&self) -> Subnormals {
        Subnormals::Kept
    }

    /// Returns whether the last bits of its results are not defined, so that nothing is compared:
    /// [`is_open`] on drivers.
    fn leaves_open(&self, case: &Case<'_>) -> bool {
        let _ = case;
        false
    }

    /// Returns whether it runs a program. The others stay on the reference machine.
    fn takes(&self, program: &Program<'_>) -> bool {
        program.stage() == Stage::Vertex
    }

    /// Runs all vertices of a case, each of which ends within the budget. Returns o0..o15 of each.
    ///
    /// # Errors
    /// See [`Error`](Self::Error).
    fn outputs(&self, case: &Case<'_>) -> Result<Vec<Registers>, Self::Error>;
}

/// Outputs of an executor that reports errors of any kind.
pub type Outputs = Result<Vec<Registers>, Box<dyn std::error::Error>>;

/// The reference machine alone.
#[derive(Clone, Copy, Debug)]
pub struct Cpu;

impl Executor for Cpu {
    type Error = Error;
    fn name(&self) -> &str {
        "cpu"
    }
    fn takes(&self, _: &Program<'_>) -> bool {
        false
    }
    fn outputs(&self, case: &Case<'_>) -> Result<Vec<Registers>, Error> {
        Ok(reference(case, self.subnormals())?.into_iter().flatten().collect())
    }
}

/// Vertex programs 64 vertices at a time, with each vertex in all lanes.
#[derive(Clone, Copy, Debug)]
pub struct Batched;

impl Executor for Batched {
    type Error = Error;
    fn name(&self) -> &str {
        "batch"
    }
    fn outputs(&self, case: &Case<'_>) -> Result<Vec<Registers>, Error> {
        let mut batch = Batch::new(case.program, case.options.settings(case.budget))?;
        batch.set_uniforms(case.uniforms);
        let mut all = Vec::with_capacity(case.inputs.len());
        for inputs in case.inputs {
            let mut outputs = vec![[[0.0; 4]; 16]; LANES];
            batch.run_all(&[*inputs; LANES], &mut outputs).map_err(|stopped| stopped.error)?;
            all.extend(outputs.first().map(bits));
        }
        Ok(all)
    }
}

/// Treatment of numbers below 2^-126 in a driver's compute stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subnormals {
    /// Preserved.
    Kept,
    /// Flushed to zero by all arithmetic, as operands and as results.
    Flushed,
    /// Unknown; Vulkan permits either at every operation.
    Open,
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
    /// Bits on the executor.
    pub found: u32,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (expected, found) = (f32::from_bits(self.expected), f32::from_bits(self.found));
        let component = ['x', 'y', 'z', 'w'][self.component & 3];
        write!(f, "vertex {} o{}.{component}: interpreter ", self.vertex, self.register)?;
        write!(f, "{expected:?} ({:#010x}), found {found:?} ({:#010x})", self.expected, self.found)
    }
}

/// Result of a comparison: counts of components by category.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// Vertices compared.
    pub vertices: usize,
    /// Vertices left out because they exceed the interpreter's budget.
    pub unfinished: usize,
    /// Compared components: those that some instruction writes.
    pub values: u64,
    /// Set if the last bits are the driver's, so that nothing is compared.
    pub is_open: bool,
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
    /// The last bits are the driver's.
    Open,
}

impl fmt::Display for EmptyReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoOutputs => "the program writes no output",
            Self::Unfinished => "no vertex ends within the instruction budget",
            Self::NoVertices => {
                "there are no vertices, none are emitted, or none keep the promise about results"
            }
            Self::Open => "the last bits are the driver's, as requested (precision or functions)",
        })
    }
}

/// Returns whether the last bits of a program are the driver's: in `fast` those of dot products, of
/// functions, and of minima and maxima, which may meet NaN; otherwise of the functions that the
/// options leave to the driver.
pub fn is_open(program: &Program<'_>, options: &Options) -> bool {
    use DataOp::{Dp3, Dp4, Dph, Ex2, Lg2, Litp, Max, Min, Rcp, Rsq};
    let open: &[DataOp] = match (options.arithmetic.precision, options.arithmetic.functions) {
        (Precision::Fast, _) => &[Rcp, Rsq, Ex2, Lg2, Dp3, Dp4, Dph, Min, Max, Litp],
        (_, Functions::Driver) => &[Rcp, Rsq, Ex2, Lg2],
        (_, Functions::Portable) => &[],
    };
    let is_open = |inst| matches!(inst, Inst::Data { op, .. } if open.contains(&op));
    instructions(program).any(is_open)
}

/// Iterates over all instructions of a program.
fn instructions<'a>(program: &'a Program<'_>) -> impl Iterator<Item = Inst> + 'a {
    (0..program.code().len()).filter_map(|pc| program.inst(Pc(u16::try_from(pc).ok()?)))
}

/// Output components that some instruction of a program writes: one mask per register, bit 0 = x.
fn output_masks(program: &Program<'_>) -> [u8; 16] {
    let mut all = [0; 16];
    for inst in instructions(program) {
        if let Inst::Data { dest: Dest::Output(register), mask, .. } = inst {
            all[usize::from(register & 15)] |= mask.0 & 15;
        }
    }
    all
}

/// Number of components in these masks.
pub fn components(written: &[u8; 16]) -> u32 {
    written.iter().map(|mask| mask.count_ones()).sum()
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

/// Runs a case on the reference machine and on an executor and compares. Vertices that exceed the
/// budget there are left out.
///
/// # Errors
/// Errors of the reference machine and of the executor.
pub fn compare<E: Executor>(executor: &E, case: &Case<'_>) -> Result<Verdict, E::Error> {
    let expected = reference(case, executor.subnormals())?;
    compare_with(executor, case, &expected)
}

/// Compares like [`compare`] with given results, one for each vertex that has one.
///
/// # Errors
/// Errors of the executor.
pub fn compare_with<E: Executor>(
    executor: &E,
    case: &Case<'_>,
    expected: &[Option<Registers>],
) -> Result<Verdict, E::Error> {
    let ended = case.inputs.iter().zip(expected).enumerate();
    let ended = ended.filter_map(|(vertex, (inputs, expected))| Some((vertex, *inputs, (*expected)?)));
    let kept: Vec<(usize, [[f32; 4]; 16], Registers)> = ended.collect();
    let inputs: Vec<_> = kept.iter().map(|(_, inputs, _)| *inputs).collect();
    let found = executor.outputs(&Case { inputs: &inputs, ..*case })?;
    let written = output_masks(case.program);
    let unfinished = case.inputs.len() - kept.len();
    let (components, is_open) = (components(&written), executor.leaves_open(case));
    let mut verdict = Verdict { vertices: kept.len(), unfinished, components, is_open, ..Verdict::default() };
    if !is_open {
        for ((vertex, _, expected), found) in kept.iter().zip(&found) {
            verdict.vertex(*vertex, [expected, found], &written, executor.subnormals());
        }
    }
    Ok(verdict)
}

/// Distance of two finite numbers in units in the last place; +0 and -0 are equal. `None` for
/// infinities and NaN.
pub fn ulp(a: f32, b: f32) -> Option<u32> {
    if !a.is_finite() || !b.is_finite() {
        return None;
    }
    let order = |x: f32| {
        let magnitude = i64::from(x.to_bits() & MAGNITUDE);
        if x.is_sign_negative() { -magnitude } else { magnitude }
    };
    u32::try_from((order(a) - order(b)).abs()).ok()
}

impl Verdict {
    /// Returns whether no component breaks the rules.
    pub fn passed(&self) -> bool {
        self.differing == 0
    }

    /// Returns the summary of the verdict.
    pub fn outcome(&self) -> Outcome {
        if !self.passed() {
            Outcome::Differs
        } else if self.values > 0 {
            Outcome::Agrees
        } else if self.is_open {
            Outcome::Nothing(EmptyReason::Open)
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
        self.is_open |= other.is_open;
        self.differing += other.differing;
        self.first = self.first.or(other.first);
        self.signed_zeros += other.signed_zeros;
        self.first_signed_zero = self.first_signed_zero.or(other.first_signed_zero);
        self.flushed += other.flushed;
        self.registers |= other.registers;
        self.components = self.components.max(other.components);
    }

    /// Compares one vertex: the components that some instruction of the program writes.
    pub fn vertex(
        &mut self,
        vertex: usize,
        [expected, found]: [&Registers; 2],
        written: &[u8; 16],
        subnormals: Subnormals,
    ) {
        for (register, component) in (0..16).flat_map(|register| (0..4).map(move |lane| (register, lane))) {
            let (expected, found) = (expected[register][component], found[register][component]);
            let pair = Difference { vertex, register, component, expected, found };
            self.values += u64::from(written[register] >> component & 1);
            if !self.component(pair, subnormals) {
                self.differing += 1;
                self.registers |= 1 << register;
                self.first.get_or_insert(pair);
            }
        }
    }

    /// Compares one component; returns false if it breaks the rules.
    fn component(&mut self, pair: Difference, subnormals: Subnormals) -> bool {
        if pair.expected == pair.found {
            return true;
        }
        let (a, b) = (f32::from_bits(pair.expected), f32::from_bits(pair.found));
        if a == b {
            self.signed_zeros += 1;
            self.first_signed_zero.get_or_insert(pair);
            return true;
        }
        // Where the exact result is just below 2^-126 it may be rounded up or flushed: Vulkan has
        // both.
        let is_edge = a.abs().max(b.abs()) == f32::MIN_POSITIVE;
        let flushed = match subnormals {
            Subnormals::Kept => false,
            // The interpreter flushed in this run, so only what a MOV passed through, or integers
            // made, can still be subnormal.
            Subnormals::Flushed => a == 0.0 && b.is_subnormal() || is_edge && (a == 0.0 || b == 0.0),
            Subnormals::Open => b == 0.0 && (a.is_subnormal() || is_edge),
        };
        self.flushed += u64::from(flushed);
        flushed || a.is_nan() && b.is_nan()
    }
}

#[cfg(test)]
mod tests {
    use transpica::Stage;
    use transpica::settings::Arithmetic;

    use super::*;

    /// The verdict on o0.x from one pair of values.
    fn verdict(expected: f32, found: f32, subnormals: Subnormals) -> Verdict {
        let mut verdict = Verdict::default();
        let registers = |value: f32| {
            let mut registers = [[0; 4]; 16];
            registers[0][0] = value.to_bits();
            registers
        };
        let mut written = [0; 16];
        written[0] = 1;
        verdict.vertex(0, [&registers(expected), &registers(found)], &written, subnormals);
        verdict
    }

    #[test]
    fn only_nan_payload_zero_sign_and_flushing_are_forgiven() {
        use Subnormals::{Flushed, Kept, Open};
        let [tiny, next] = [7, 1f32.to_bits() + 1].map(f32::from_bits);
        for (expected, found, forgiven) in [
            (1.0, next, [false; 3]),
            (f32::NAN, -f32::NAN, [true; 3]),
            (0.0, -0.0, [true; 3]),
            (tiny, 0.0, [false, false, true]),
            (0.0, tiny, [false, true, false]),
            (f32::MIN_POSITIVE, 0.0, [false, true, true]),
            (0.0, -f32::MIN_POSITIVE, [false, true, false]),
            (f32::MIN_POSITIVE, tiny, [false; 3]),
            (f32::MIN_POSITIVE.next_up(), 0.0, [false; 3]),
            (f32::MIN_POSITIVE, -f32::MIN_POSITIVE, [false; 3]),
            (f32::NAN, 1.0, [false; 3]),
            (f32::MAX, f32::INFINITY, [false; 3]),
            (f32::INFINITY, f32::NEG_INFINITY, [false; 3]),
        ] {
            let verdicts = [Kept, Flushed, Open].map(|subnormals| verdict(expected, found, subnormals));
            assert_eq!(verdicts.each_ref().map(Verdict::passed), forgiven, "{expected} {found}");
            assert_eq!(verdicts.map(|verdict| verdict.registers == 0), forgiven, "{expected} {found}");
        }
    }

    #[test]
    fn a_verdict_without_comparisons_has_a_reason() {
        let verdict = Verdict { components: 4, vertices: 3, values: 12, ..Verdict::default() };
        assert_eq!(verdict.outcome(), Outcome::Agrees);
        assert_eq!(Verdict { differing: 1, ..verdict.clone() }.outcome(), Outcome::Differs);
        let none = Verdict { values: 0, ..verdict };
        for (verdict, reason) in [
            (Verdict { is_open: true, ..none.clone() }, EmptyReason::Open),
            (Verdict { components: 0, ..none.clone() }, EmptyReason::NoOutputs),
            (Verdict { unfinished: 3, ..none.clone() }, EmptyReason::Unfinished),
            (none, EmptyReason::NoVertices),
        ] {
            assert_eq!(verdict.outcome(), Outcome::Nothing(reason));
        }
    }

    #[test]
    fn operations_of_the_driver_leave_nothing_to_compare() {
        let program = |op: u32| {
            Program::from_raw(vec![op << 26 | 1 << 7, 0x22 << 26], vec![0x36F], Pc(0), Stage::Vertex)
        };
        let options = |precision, functions| Options {
            arithmetic: Arithmetic { precision, functions, ..Arithmetic::default() },
            ..Options::default()
        };
        use Functions::{Driver, Portable};
        // ADD, DP4, RSQ.
        for (op, open) in [(0x00, [false; 3]), (0x02, [true, false, false]), (0x0F, [true, true, false])] {
            let program = program(op).expect("a program");
            let found = [(Precision::Fast, Portable), (Precision::Exact, Driver), (Precision::F24, Portable)]
                .map(|(precision, functions)| is_open(&program, &options(precision, functions)));
            assert_eq!(found, open, "{op:#x}");
        }
    }
}
