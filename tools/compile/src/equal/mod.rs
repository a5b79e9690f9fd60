//! Comparison of two programs by what they compute.
//! In: two programs with their files, what is known and promised of uniforms and inputs. Out: a
//! [`Verdict`]: equal and proven, equal on so many inputs, or different with the smallest inputs
//! that show it. Knows no file system; solvers are the caller's.
//!
//! [`compare`] first walks over both as functions of their registers (`structure.rs`, `walk.rs`):
//! where operations and control flow correspond, the programs are equal for all inputs. What only
//! samples find equal are claims, which solvers decide. Else both run on values that find faults
//! (`sample.rs`), and a difference is made as small as it can be (`difference.rs`).
//!
//! Two results are equal if their bits are, if both are NaN, or if both are zeros: no instruction
//! of the PICA200 tells those apart.
//!
//! Files, besides: `divergence.rs` the instructions that make a difference; `matching.rs` registers
//! of both programs that are one; `sent.rs` geometry programs as functions; `symbols.rs` results of
//! operations; `term.rs` and `meaning.rs` questions for solvers; `report.rs` verdicts as text.

pub mod difference;
mod divergence;
pub mod matching;
pub mod meaning;
pub mod report;
pub mod sample;
pub(crate) mod sent;
mod structure;
pub mod symbols;
pub mod term;
#[cfg(test)]
mod tests;
pub mod walk;

use transpica::host::{Constants, dvle};
use transpica::interp::{Settings, Uniforms};
use transpica::settings::Control;
use transpica::{At, Error, Kind, Limits, Options, Program, Shbin, Stage};
use transpica_inspect::executor::ulp;
use transpica_inspect::symbols::Symbols;

use difference::Difference;
use matching::Matching;
use sample::{Sampled, Sent};

/// A program of a comparison.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The program.
    pub program: Program<'static>,
    /// Uniform values that the file sets.
    pub constants: Constants,
    /// Its names.
    pub symbols: Symbols,
}

impl Opened {
    /// Opens a program of a file.
    ///
    /// # Errors
    /// There is no such program, or it is beyond the limits.
    pub fn new(file: &Shbin<'_>, index: usize, limits: &Limits) -> Result<Self, Error> {
        let executable = file.executable(index)?;
        let (constants, symbols) = (dvle::constants(executable), Symbols::new(executable));
        Ok(Self { program: dvle::program(file, index, limits)?, constants, symbols })
    }
}

/// Limits of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Number of vertices on which both programs run if they are not proven equal.
    pub vertices: u64,
    /// Seed of their values.
    pub seed: u64,
    /// Limit of instructions for each.
    pub budget: u64,
}

impl Default for Effort {
    fn default() -> Self {
        Self { vertices: 1 << 16, seed: 0, budget: 1 << 16 }
    }
}

/// A solver: takes a script in SMT-LIB and returns true if it is unsatisfiable.
pub type Solver<'a> = &'a dyn Fn(&str) -> bool;

/// A question about two programs of one stage.
#[derive(Clone, Copy)]
pub struct Comparison<'a> {
    /// Both programs.
    pub programs: [&'a Opened; 2],
    /// The registers and outputs that stand for each other.
    pub matching: &'a Matching,
    /// Bools and ints with known values, promises, precision. Outputs are compared as registers.
    pub options: Options,
    /// The largest distance of two results, relative to the largest component of their vector, by
    /// which they may differ because sums and products are in another order. It is measured on
    /// plausible values and never proven: sums of large numbers that cancel have any distance.
    /// `None` compares bits.
    pub rounding: Option<f32>,
    /// Limits.
    pub effort: Effort,
    /// Decides what is equal in more than structure.
    pub solver: Option<Solver<'a>>,
}

/// Result of a comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The programs are equal for all inputs.
    Proven {
        /// Number of claims that a solver proved; 0 if the structure alone shows it.
        claims: usize,
    },
    /// The programs were equal, or within the distance, on all inputs that were tried.
    Sampled {
        /// The counts.
        sampled: Sampled,
        /// The reason why they are not proven equal.
        why: String,
    },
    /// The programs differ.
    Different(Box<Difference>),
}

impl Verdict {
    /// Returns whether something shows the programs equal: a proof, or at least one vertex that
    /// both finish.
    pub fn is_equal(&self) -> bool {
        match self {
            Self::Proven { .. } => true,
            Self::Sampled { sampled, .. } => sampled.vertices > 0,
            Self::Different(_) => false,
        }
    }
}

/// Distance of two results.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Distance {
    /// In units in the last place.
    pub ulp: u32,
    /// Relative to the largest component of the vector.
    pub relative: f32,
}

impl Distance {
    /// Returns the larger one, in both measures.
    #[must_use]
    pub fn larger(self, other: Self) -> Self {
        Self { ulp: self.ulp.max(other.ulp), relative: self.relative.max(other.relative) }
    }
}

impl<'a> Comparison<'a> {
    /// Builds a comparison of bits, without a solver.
    pub fn new(programs: [&'a Opened; 2], matching: &'a Matching, options: Options) -> Self {
        Self { programs, matching, options, rounding: None, effort: Effort::default(), solver: None }
    }

    /// Returns the machine's settings.
    pub fn settings(&self) -> Settings {
        self.options.settings(self.effort.budget)
    }

    /// Returns the options of a program, 0 or 1: what is known of bools and ints by its numbers.
    fn options_of(&self, side: usize) -> Options {
        let (mut options, registers) = (self.options, &self.matching.registers);
        if side == 1 {
            let moved = |mask: u16| {
                let set = (0..).zip(registers.bools).filter(|(_, first)| mask >> first & 1 != 0);
                set.fold(0, |all, (register, _): (u32, _)| all | 1 << register)
            };
            let Control { bools, ints, .. } = &mut options.control;
            (bools.baked, bools.values) = (moved(bools.baked), moved(bools.values));
            ints.baked = registers.ints.map(|first| ints.baked[usize::from(first & 3)]);
        }
        options
    }

    /// Returns the uniforms of each program for those that a host sets, as the first numbers them.
    /// Constants of the files come after them, and known values last.
    pub fn uniforms(&self, given: &Uniforms) -> [Uniforms; 2] {
        let mut both = [given.clone(), self.matching.registers.uniforms(given)];
        for (side, uniforms) in both.iter_mut().enumerate() {
            self.programs[side].constants.apply(uniforms);
            self.options_of(side).control.apply(uniforms);
        }
        both
    }

    /// Returns the inputs of each program.
    pub fn inputs(&self, given: &[[f32; 4]; 16]) -> [[[f32; 4]; 16]; 2] {
        [*given, self.matching.registers.inputs(given)]
    }
}

/// Compares two programs.
///
/// ```
/// use transpica::{Limits, Options, Shbin};
/// use transpica_asm::{SourceText, assemble};
/// use transpica_compile::equal::matching::Matching;
/// use transpica_compile::equal::{Comparison, Opened, Verdict, compare};
///
/// let head = ".out pos position\n.fvec scale\n.alias a v0\n.proc main\n";
/// let verdict = |bodies: [&str; 2]| {
///     let [a, b] = bodies.map(|body| {
///         let text = format!("{head}{body}\nend\n.end\n");
///         let bytes = assemble(&[SourceText { name: "", text: &text }]).expect("valid").bytes;
///         let file = Shbin::parse(&bytes).expect("a file");
///         Opened::new(&file, 0, &Limits::default()).expect("valid")
///     });
///     let matching = Matching::new([&a.symbols, &b.symbols], &[]).expect("outputs of both");
///     compare(&Comparison::new([&a, &b], &matching, Options::default())).expect("it runs")
/// };
/// let one = "mul r0, scale, a\nadd pos, r0, r0";
/// let copied = "mul r1, scale, a\nmov r0, r1\nadd pos, r1, r0";
/// assert_eq!(verdict([one, copied]), Verdict::Proven { claims: 0 });
/// assert!(matches!(verdict([one, "mul pos, scale, a"]), Verdict::Different(_)));
/// ```
///
/// # Errors
/// A program that the machine refuses, or [`Kind::Stage`] for programs of different stages.
pub fn compare(comparison: &Comparison<'_>) -> Result<Verdict, Error> {
    same_stage(comparison.programs)?;
    let why = match structure::prove(comparison) {
        Ok(claims) => return Ok(Verdict::Proven { claims }),
        Err(why) => why,
    };
    let mut sampled = sample::run(comparison)?;
    match sampled.found.take() {
        None => Ok(Verdict::Sampled { sampled, why }),
        Some(values) => difference::of(comparison, *values).map(|found| Verdict::Different(Box::new(found))),
    }
}

/// Checks that both programs have one stage. Their outputs may not correspond otherwise, so tools
/// ask before they match names.
///
/// # Errors
/// [`Kind::Stage`] if they have not.
pub fn same_stage(programs: [&Opened; 2]) -> Result<(), Error> {
    let [first, second] = programs.map(|opened| opened.program.stage());
    let (what, stage) = match second {
        _ if first == second => return Ok(()),
        Stage::Vertex => ("a comparison with a geometry program", "vertex"),
        Stage::Geometry => ("a comparison with a vertex program", "geometry"),
    };
    Err(Error::new(Kind::Stage { what, stage }, At::Whole))
}

/// Returns whether two results count as equal.
fn is_equal(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || a == b || a.is_nan() && b.is_nan()
}

/// Returns the largest distance of compared components, or the number of the first pair of them
/// that differs.
fn distance(comparison: &Comparison<'_>, a: &[[f32; 4]; 16], b: &[[f32; 4]; 16]) -> Result<Distance, usize> {
    let mut worst = Distance::default();
    for (number, pair) in comparison.matching.outputs.iter().enumerate() {
        let [(register, component), (other, place)] = pair.places;
        let (x, y) = (a[register][component], b[other][place]);
        if is_equal(x, y) {
            continue;
        }
        let allowed = comparison.rounding.ok_or(number)?;
        let largest = a[register].iter().chain(&b[other]).fold(f32::MIN_POSITIVE, |all, x| all.max(x.abs()));
        let relative = (x - y).abs() / largest;
        // False for NaN: infinities differ from everything else.
        let is_near = relative <= allowed;
        if !is_near {
            return Err(number);
        }
        worst = worst.larger(Distance { ulp: ulp(x, y).unwrap_or(u32::MAX), relative });
    }
    Ok(worst)
}

/// As [`distance`], of everything that programs send on. The error is the number of the first EMIT
/// that differs and of its component, none if the EMITs themselves do not correspond.
fn distance_of(
    comparison: &Comparison<'_>,
    a: &[Sent],
    b: &[Sent],
) -> Result<Distance, Option<(usize, usize)>> {
    let mut worst = Distance::default();
    if a.len() != b.len() {
        return Err(None);
    }
    for (number, (a, b)) in a.iter().zip(b).enumerate() {
        if (a.slot, a.triangle) != (b.slot, b.triangle) {
            return Err(None);
        }
        let own = distance(comparison, &a.outputs, &b.outputs).map_err(|pair| Some((number, pair)))?;
        worst = worst.larger(own);
    }
    Ok(worst)
}
