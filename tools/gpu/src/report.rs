//! Driver report for bug reports: its identity, and the measured behavior of its arithmetic.
//! In: a device. Out: [`Report`], which prints as a few lines. The measurements run one small
//! program over many values.

use std::fmt;

use crate::precision::bits::SIGNIFICAND_BITS;
use transpica::interp::Uniforms;
use transpica::isa::{DEFAULT, Pc};
use transpica::settings::{Block, FloatControls, Layout};
use transpica::{Job, Options, Program, RegisterState, Stage, Translator};

use crate::backend::text::Language;
use crate::compare::{self, Case, CompareError, reference, ulp};
use crate::{Gpu, Registers, Route, Shader, run_compute};
use transpica_inspect::executor::Subnormals;
use transpica_inspect::state::bits;

/// A measured operation: name, opcode.
pub(crate) type Probe = (&'static str, u32);

/// Measured operations by output register.
const PROBES: [Probe; 6] =
    [("ADD", 0x00), ("MUL", 0x08), ("RCP", 0x0E), ("RSQ", 0x0F), ("EX2", 0x05), ("LG2", 0x06)];
/// The same for what naga writes as it is, which drivers may fuse and reorder.
const UNMARKED: [Probe; 1] = [("DP4 as naga writes it", 0x02)];
/// A descriptor that writes all components and takes sources without swizzle or negation.
const PLAIN: u32 = 0x36F;
/// The END instruction.
const END: u32 = 0x22 << 26;
/// Number of operand pairs.
const PAIRS: u32 = 4096;

/// Comparison of one operation with the interpreter.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measurement {
    /// Name of the instruction.
    pub name: &'static str,
    /// Results that are not bit-equal, without those that differ only in the sign of zero, in the
    /// bits of NaN, or below 2^-126.
    pub differing: u32,
    /// The largest distance of those in units in the last place.
    pub worst_ulp: u32,
    /// Differing results that are NaN or infinite on one side, and so have no distance.
    pub other_class: u32,
    /// Pairs with an operand or a result below 2^-126 on the interpreter.
    pub subnormal: u32,
    /// Those among them with another result on the GPU.
    pub flushed: u32,
}

/// A driver's identity and measured arithmetic.
#[derive(Clone, Debug)]
pub struct Report {
    /// wgpu's description of the adapter.
    pub adapter: wgpu::AdapterInfo,
    /// True if it accepts SPIR-V unchanged.
    pub has_passthrough: bool,
    /// Its name in the table of known drivers.
    pub known_as: &'static str,
    /// Route of the measuring program.
    pub route: Route,
    /// Rules of float arithmetic that the device reports; modules of that route declare them.
    pub float_controls: FloatControls,
    /// One entry for each operation.
    pub measured: Vec<Measurement>,
}

/// Builds the program: output register n is operation n of v0 and v1.
fn code(probes: &[Probe]) -> Vec<u32> {
    let words = (0u32..).zip(probes).map(|(output, (_, opcode))| opcode << 26 | output << 21 | 1 << 7);
    words.chain([END]).collect()
}

/// Returns operands of every magnitude and both signs, with special values and more ordinary ones.
/// One of 32 pairs begins with a number below 2^-126, of both signs and every magnitude from 2^-149
/// on, and one with an exponent whose power is such a number.
pub(crate) fn spread_pairs() -> Vec<[f32; 2]> {
    let spread = |n: u32| {
        let value = f32::from_bits(n.wrapping_mul(0x9E37_79B1));
        if value.is_subnormal() { 0.0 } else { value }
    };
    let near_one = |n: u32| f32::from_bits(n.wrapping_mul(0x85EB_CA6B) >> 4 | 0x3C00_0000);
    let small = |n: u32| {
        let top = 1 << (n % SIGNIFICAND_BITS);
        f32::from_bits(top | n.wrapping_mul(0x9E37_79B1) & (top - 1) | (n / SIGNIFICAND_BITS % 2) << 31)
    };
    let pair = |n: u32| match n % 32 {
        0 => [small(n / 32), near_one(n)],
        1 => [-126.0 - (n / 32) as f32 * 23.0 / (PAIRS / 32) as f32, near_one(n)],
        _ if n.is_multiple_of(2) => [spread(n), spread(n ^ 0x5555)],
        _ => [near_one(n), near_one(!n)],
    };
    (0..PAIRS).map(pair).collect()
}

/// Vertices with a pair of operands each in v0 and v1.
fn vertices(pairs: &[[f32; 2]]) -> Vec<[[f32; 4]; 16]> {
    let vertex = |[a, b]: &[f32; 2]| {
        let mut registers = [DEFAULT; 16];
        (registers[0], registers[1]) = ([*a; 4], [*b; 4]);
        registers
    };
    pairs.iter().map(vertex).collect()
}

impl Report {
    /// Measures the driver of a device.
    ///
    /// # Errors
    /// Errors of the library, the driver or wgpu.
    pub fn new(gpu: &Gpu) -> Result<Self, CompareError> {
        let route = gpu.usual_route();
        let mut measured = measured(gpu, Some(route), &PROBES)?;
        measured.extend(self::measured(gpu, None, &UNMARKED)?);
        Ok(Self {
            adapter: gpu.adapter().clone(),
            has_passthrough: gpu.has_passthrough(),
            known_as: gpu.facts().name,
            route,
            float_controls: gpu.profile(route).float_controls,
            measured,
        })
    }
}

/// Measures operations on a route, or those of our text as naga writes it.
fn measured(gpu: &Gpu, route: Option<Route>, probes: &[Probe]) -> Result<Vec<Measurement>, CompareError> {
    let pairs = spread_pairs();
    let results = results(gpu, route, probes, &pairs, None)?;
    let mut all: Vec<Measurement> =
        probes.iter().map(|&(name, _)| Measurement { name, ..Measurement::default() }).collect();
    for ([expected, found], operands) in results.iter().zip(pairs) {
        for (register, measured) in all.iter_mut().enumerate() {
            let result = |registers: &Registers| f32::from_bits(registers[register][0]);
            measured.add(operands, result(expected), result(found));
        }
    }
    Ok(all)
}

/// Runs operations on pairs of operands on the interpreter and on a route, or our text as naga
/// writes it. The module declares these rules, or those of the route.
pub(crate) fn results(
    gpu: &Gpu,
    route: Option<Route>,
    probes: &[Probe],
    pairs: &[[f32; 2]],
    declared: Option<FloatControls>,
) -> Result<Vec<[Registers; 2]>, CompareError> {
    let options =
        Options { block: Block { layout: Layout::Registers, ..Block::default() }, ..Options::default() };
    let program = Program::from_raw(code(probes), vec![PLAIN], Pc(0), Stage::Vertex)?;
    let state = RegisterState::default();
    let inputs = vertices(pairs);
    let case = Case {
        program: &program,
        environment: &state.vertex(),
        uniforms: &Uniforms::default(),
        inputs: &inputs,
        options,
        budget: 100,
    };
    let expected = reference(&case, Subnormals::Kept)?;
    let mut profile = gpu.profile(route.unwrap_or(Route::Wgsl));
    profile.float_controls = declared.unwrap_or(profile.float_controls);
    let mut translator = Translator::new(options, profile);
    let translated = translator.translate(&program, case.environment, Job::Compute)?;
    let shader = match route {
        Some(route) => compare::shader(gpu, &mut translator, &translated, route)?,
        None => Shader::Wgsl(translated.text(Language::Wgsl)?),
    };
    let bits: Vec<Registers> = inputs.iter().map(bits).collect();
    let found = run_compute(gpu, shader, &[], &bits)?;
    Ok(expected.into_iter().flatten().zip(found).map(|(expected, found)| [expected, found]).collect())
}

impl Measurement {
    fn add(&mut self, operands: [f32; 2], expected: f32, found: f32) {
        let is_equal = expected == found || expected.is_nan() && found.is_nan();
        if expected.is_subnormal() || operands.iter().any(|operand| operand.is_subnormal()) {
            self.subnormal += 1;
            self.flushed += u32::from(!is_equal);
        } else if !is_equal {
            self.differing += 1;
            match ulp(expected, found) {
                Some(distance) => self.worst_ulp = self.worst_ulp.max(distance),
                None => self.other_class += 1,
            }
        }
    }
}

impl fmt::Display for Measurement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, differing, worst_ulp, other_class, subnormal, flushed } = *self;
        write!(f, "{name}  ")?;
        match differing {
            0 => write!(f, "bit-equal")?,
            _ => write!(f, "{differing} of {PAIRS} differ, by at most {worst_ulp} ulp")?,
        }
        if other_class > 0 {
            write!(f, ", {other_class} of them NaN or infinite on a side")?;
        }
        match (subnormal, flushed) {
            (0, _) => Ok(()),
            (_, 0) => write!(f, "; below 2^-126: kept"),
            (_, _) => write!(f, "; below 2^-126: {flushed} of {subnormal} differ"),
        }
    }
}

/// The rules of float arithmetic, each with whether it is among those.
pub(crate) fn rules(FloatControls { nan, subnormals, rounding }: FloatControls) -> [(&'static str, bool); 3] {
    [("nan", nan), ("subnormals", subnormals), ("rounding", rounding)]
}

/// The names of rules.
pub(crate) fn named(controls: FloatControls) -> String {
    let some: Vec<&str> = rules(controls).iter().filter(|one| one.1).map(|one| one.0).collect();
    if some.is_empty() { "nothing".to_owned() } else { some.join(", ") }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wgpu::AdapterInfo { name, vendor, device, device_type, driver, driver_info, backend, .. } =
            &self.adapter;
        let (version, os, arch) = (env!("CARGO_PKG_VERSION"), std::env::consts::OS, std::env::consts::ARCH);
        writeln!(f, "driver report: transpica {version} on {os} {arch}")?;
        writeln!(
            f,
            "  adapter   {name} ({device_type:?}, {backend:?}, vendor {vendor:#06x}, device {device:#06x})"
        )?;
        writeln!(f, "  driver    {driver} {driver_info}")?;
        writeln!(f, "  known as  {}", self.known_as)?;
        let passthrough = if self.has_passthrough { "as it is" } else { "through naga only" };
        writeln!(f, "  SPIR-V    taken {passthrough}; measured on route {}:", self.route.name())?;
        let declared = named(self.float_controls);
        writeln!(f, "  declares  {declared}; by the letter {}", self.float_controls.exactness())?;
        self.measured.iter().try_for_each(|measured| writeln!(f, "  {measured}"))
    }
}
