//! Compares the results of two modules on random inputs.
//! In: two modules, a precision, a seed. Out: nothing, or the difference. Knows no pass.

use crate::ir::{Evaluator, Lanes, ModuleInputs, same};
use transpica::stages::ir::{self, Exit, Module, Resource};
use transpica::{At, Error, Kind, Precision, Result};

/// Rule by which two values of a kind agree.
pub type Agreement = fn(ir::ScalarKind, Lanes, Lanes) -> bool;

/// Limit of items per run; programs beyond it are not compared.
const BUDGET: u64 = 1 << 16;

/// Compares two modules on `runs` random inputs; any NaN equals any other.
///
/// # Errors
/// The first outputs that differ, or the error that stopped only one of the modules.
pub fn compare(before: &Module, after: &Module, precision: Precision, seed: u64, runs: u32) -> Result<()> {
    compare_by(before, after, precision, seed, runs, same)
}

/// As [`compare`], with another rule: legalized modules leave the sign of zero open
/// ([`same_numbers`](crate::ir::same_numbers)).
///
/// # Errors
/// As for [`compare`].
pub fn compare_by(
    before: &Module,
    after: &Module,
    precision: Precision,
    seed: u64,
    runs: u32,
    agree: Agreement,
) -> Result<()> {
    let (first, second) = (Evaluator::new(before)?, Evaluator::new(after)?);
    let types = output_types(before);
    for run in 0..runs {
        let registers = Random(seed << 32 | u64::from(run));
        let expected = match first.run(precision, &registers, BUDGET) {
            Ok(outputs) => outputs,
            Err(Error { kind: Kind::StepBudget(_), .. }) => continue,
            Err(error) => return Err(error),
        };
        // Separate lanes may take some more items.
        let found = second.run(precision, &registers, BUDGET * 4)?;
        let equal = expected.len() == found.len()
            && types.iter().zip(expected.iter().zip(&found)).all(|(&kind, (&a, &b))| agree(kind, a, b));
        if !equal {
            let what =
                format!("outputs differ: {expected:08x?} became {found:08x?} in run {run} of seed {seed}");
            return Err(Error::new(Kind::Verify(what), At::Whole));
        }
    }
    Ok(())
}

fn output_types(module: &Module) -> Vec<ir::ScalarKind> {
    let f = &module.main;
    let exit = f.body.map(|body| f.regions[body].exit);
    match exit {
        Some(Exit::Yield(list)) => f.get(list).iter().map(|&value| f.ty(value).kind).collect(),
        Some(_) | None => Vec::new(),
    }
}

/// Registers with random numbers derived from a seed, many of them special.
pub struct Random(pub u64);

/// Scatters the bits of a number (the finalizer of splitmix64), so that a seed has the same result
/// everywhere.
pub(crate) fn scatter(x: u64) -> u64 {
    let x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ x >> 31
}

impl Random {
    fn bits(&self, place: u64) -> u32 {
        scatter(scatter(self.0).wrapping_add(place)) as u32
    }

    /// Returns a float, often one of the values at which rewrite rules fail.
    fn float(&self, place: u64) -> u32 {
        const SPECIAL: [u32; 12] = [
            0,
            0x8000_0000,
            0x3F80_0000,
            0xBF80_0000,
            0x7F80_0000,
            0xFF80_0000,
            0x7FC0_0000,
            0x0000_0001,
            0x2080_0000,
            0x5F7F_FF80,
            0x7F7F_FFFF,
            0x4300_0000,
        ];
        let pick = self.bits(place);
        match pick % 8 {
            0..2 => SPECIAL[pick as usize / 8 % SPECIAL.len()],
            2..5 => ((pick / 8 % 33) as f32 - 16.0).to_bits(),
            5..7 => (pick as f32 / 1e8 - 20.0).to_bits(),
            _ => self.bits(place + (1 << 40)),
        }
    }

    fn lanes(&self, bank: u64, number: u64) -> Lanes {
        [0, 1, 2, 3].map(|lane| self.float(bank << 36 | number << 2 | lane))
    }
}

impl ModuleInputs for Random {
    fn read(&self, resource: Resource) -> Option<Lanes> {
        Some(match resource {
            Resource::Input(register) => self.lanes(1, register.into()),
            Resource::Uniform(register) => self.lanes(2, register.into()),
            Resource::IntUniform { index, component } => {
                [self.bits(3 << 36 | u64::from(index) << 2 | u64::from(component)) % 6, 0, 0, 0]
            }
            Resource::BoolUniform(register) => [self.bits(4 << 36 | u64::from(register)) & 1, 0, 0, 0],
            Resource::Member { member, element } => {
                self.lanes(5, u64::from(member) << 16 | u64::from(element))
            }
            Resource::Index { element, .. } => [element.into(), 0, 0, 0],
            Resource::Host(_) | Resource::Draw(_) | Resource::Specialized(_) => [0; 4],
        })
    }
}

#[cfg(test)]
mod tests {

    use super::*;

    fn difference(before: &str, after: &str) -> Option<String> {
        let module = |body: &str| crate::ir::parse(&format!("func main {{ {body} }}")).expect("a module");
        let compared = compare(&module(before), &module(after), Precision::Exact, 1, 50);
        compared.err().map(|error| error.to_string())
    }

    #[test]
    fn a_difference_on_rare_inputs_is_reported() {
        let zero = "%0: f32x4 = input v0 %1: f32x4 = const 0 0 0 0 %2: f32x4";
        // Negative zeros are rare.
        let found =
            difference(&format!("{zero} = addp %0 %1 yield %2"), &format!("{zero} = addp %0 %1 yield %0"));
        assert!(found.is_some_and(|text| text.contains("outputs differ")));
    }

    #[test]
    fn a_missing_output_is_reported() {
        let input = "%0: f32x4 = input v0 yield %0";
        assert!(difference(&format!("{input} %0"), input).is_some());
        assert_eq!(difference(input, input), None);
    }

    #[test]
    fn nans_are_equal_whatever_their_bits() {
        let nan = |bits: &str| format!("%0: f32 = const {bits} yield %0");
        assert_eq!(difference(&nan("0x7fc00000"), &nan("0xffc00001")), None);
    }

    #[test]
    fn a_program_without_end_is_not_compared() {
        assert_eq!(difference("loop { continue } unreachable", "%0: f32x4 = input v0 yield %0"), None);
    }

    #[test]
    fn a_read_beyond_a_member_is_an_error_of_the_module() {
        assert!(difference("%0: i32 = const -1 %1: f32x4 = member 0[%0] yield %1", "yield").is_some());
    }
}
