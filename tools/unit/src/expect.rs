//! Expected values of outputs, and their comparison with results.
//! In: names of outputs, numbers, registers. Out: differences. Knows no file and no machine.

use std::fmt;

use transpica::isa::Mask;
use transpica_inspect::state::{Registers, unknown_word};
use transpica_inspect::symbols::Symbols;

/// Letters of components.
pub(crate) const LETTERS: [char; 4] = ['x', 'y', 'z', 'w'];

/// Permitted distance of a result from its expected value.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Tolerance {
    /// The same number; +0 is -0, and any NaN is any other.
    #[default]
    Exact,
    /// At most this many representable floats apart.
    Ulp(u32),
    /// At most this absolute difference.
    Epsilon(f32),
}

/// Expected values, one a component; any value where there is none.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// The values.
    pub values: Vec<Option<f32>>,
    /// The permitted distance.
    pub tolerance: Tolerance,
}

/// Returns values that results are near, within 4 ulp.
///
/// ```
/// use transpica_unit::{Tolerance, near};
/// assert_eq!(near([1.0, 0.5]).epsilon(0.01).tolerance, Tolerance::Epsilon(0.01));
/// ```
pub fn near<const N: usize>(values: [f32; N]) -> Expectation {
    Expectation { tolerance: Tolerance::Ulp(4), ..values.into() }
}

/// Number of floats from 0 to infinity: within so many ulp of 0 is every number.
pub(crate) const ULPS: u32 = 0x7F80_0000;

impl Expectation {
    /// Returns whether some number is another one than it expects.
    pub(crate) fn can_fail(&self) -> bool {
        let is_bounded = match self.tolerance {
            Tolerance::Exact => true,
            Tolerance::Ulp(most) => most < ULPS,
            Tolerance::Epsilon(most) => most.is_finite(),
        };
        is_bounded && self.values.iter().any(Option::is_some)
    }

    /// Permits a distance in units of the last place.
    #[must_use]
    pub fn ulp(self, ulp: u32) -> Self {
        Self { tolerance: Tolerance::Ulp(ulp), ..self }
    }
    /// Permits a difference.
    #[must_use]
    pub fn epsilon(self, epsilon: f32) -> Self {
        Self { tolerance: Tolerance::Epsilon(epsilon), ..self }
    }
}

impl<const N: usize> From<[f32; N]> for Expectation {
    fn from(values: [f32; N]) -> Self {
        values.map(Some).into()
    }
}

impl<const N: usize> From<[Option<f32>; N]> for Expectation {
    fn from(values: [Option<f32>; N]) -> Self {
        Self { values: values.to_vec(), tolerance: Tolerance::Exact }
    }
}

/// An output of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Its name.
    pub name: String,
    /// Its register.
    pub register: usize,
    /// Its components, in the order of the name's.
    pub components: Vec<usize>,
}

impl Output {
    /// Finds an output by the name of its semantics, or by its register as `o0`. Errors list
    /// `others` before semantics.
    ///
    /// # Errors
    /// There is none, with the known names.
    pub fn find(symbols: &Symbols, name: &str, others: &[&str], place: &str) -> Result<Self, String> {
        let number = name.strip_prefix('o').and_then(|digits| digits.parse::<u8>().ok());
        let number = number.filter(|number| format!("o{number}") == name && *number < 16);
        let register = number.map(|number| (usize::from(number), Mask::XYZW));
        let named = || symbols.outputs().iter().find(|(known, ..)| *known == name);
        let found = register.or_else(|| named().map(|&(_, register, mask)| (register, mask)));
        let (register, mask) = found.ok_or_else(|| {
            let semantics = symbols.outputs().iter().map(|(name, ..)| *name);
            let semantics = semantics.filter(|name| !others.contains(name)).chain(["o0..o15"]);
            let known: Vec<&str> = others.iter().copied().chain(semantics).collect();
            unknown_word(("key", name), &known, place)
        })?;
        let components = mask.iter().map(transpica::isa::Component::index).collect();
        Ok(Self { name: name.to_owned(), register, components })
    }
}

/// An expected output.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// The output.
    pub output: Output,
    /// Its values.
    pub values: Expectation,
}

/// A component that differs from its expected value.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The component, by both names.
    pub name: String,
    /// Its register.
    pub register: usize,
    /// Its number in the register.
    pub component: usize,
    expected: f32,
    got: f32,
    tolerance: Tolerance,
}

impl Expected {
    /// Builds an expectation of an output.
    ///
    /// # Errors
    /// The number of values is not that of the output's components.
    pub fn new(output: Output, values: Expectation) -> Result<Self, String> {
        let (count, given) = (output.components.len(), values.values.len());
        if count == given {
            return Ok(Self { output, values });
        }
        let plural = if count == 1 { "" } else { "s" };
        Err(format!("{} has {count} component{plural}, not {given}", output.name))
    }

    /// Expects nothing of the components that a later expectation has.
    pub(crate) fn leave_to(&mut self, later: &Self) {
        let Self { output, values } = self;
        for (component, value) in output.components.iter().zip(&mut values.values) {
            let is_of = later.output.register == output.register;
            *value = value.filter(|_| !is_of || !later.output.components.contains(component));
        }
    }

    /// Returns the components that differ.
    pub fn differences(&self, outputs: &Registers) -> Vec<Difference> {
        let Self { output: Output { name, register, components }, values } = self;
        let lanes = components.iter().zip(&values.values).enumerate();
        let differences = lanes.filter_map(|(place, (&component, expected))| {
            let expected = (*expected)?;
            let got = f32::from_bits(*outputs.get(*register)?.get(component)?);
            let name = format!("{name}.{} (o{register}.{})", LETTERS[place & 3], LETTERS[component & 3]);
            let tolerance = values.tolerance;
            let difference = Difference { name, register: *register, component, expected, got, tolerance };
            (!is_near(expected, got, tolerance)).then_some(difference)
        });
        differences.collect()
    }
}

/// Returns the number of floats from one to the other; of NaN and infinities there is none.
fn distance(a: f32, b: f32) -> Option<u32> {
    let ordered = |value: f32| {
        let bits = i64::from(value.to_bits() & 0x7FFF_FFFF);
        if value.is_sign_negative() { -bits } else { bits }
    };
    let finite = a.is_finite() && b.is_finite();
    finite.then(|| ordered(a).abs_diff(ordered(b))).and_then(|ulp| u32::try_from(ulp).ok())
}

fn is_near(expected: f32, got: f32, tolerance: Tolerance) -> bool {
    let is_equal = expected == got || expected.is_nan() && got.is_nan();
    is_equal
        || match tolerance {
            Tolerance::Exact => false,
            Tolerance::Ulp(most) => distance(expected, got).is_some_and(|ulp| ulp <= most),
            Tolerance::Epsilon(most) => (expected - got).abs() <= most,
        }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, expected, got, .. } = self;
        write!(f, "{name}: expected {expected:?}")?;
        match self.tolerance {
            Tolerance::Exact => {}
            Tolerance::Ulp(most) => write!(f, " within {most} ulp")?,
            Tolerance::Epsilon(most) => write!(f, " within {most:?}")?,
        }
        write!(f, ", got {got:?}")?;
        distance(*expected, *got).map_or(Ok(()), |ulp| write!(f, " ({ulp} ulp apart)"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_equal_and_infinities_are_near_nothing_else() {
        let next = f32::from_bits(1f32.to_bits() + 1);
        for (a, b, tolerance, near) in [
            (0.0, -0.0, Tolerance::Exact, true),
            (f32::NAN, -f32::NAN, Tolerance::Exact, true),
            (1.0, next, Tolerance::Exact, false),
            (1.0, next, Tolerance::Ulp(1), true),
            (f32::INFINITY, f32::MAX, Tolerance::Ulp(9), false),
            (f32::INFINITY, f32::INFINITY, Tolerance::Epsilon(0.0), true),
            (f32::MIN_POSITIVE, -f32::MIN_POSITIVE, Tolerance::Ulp(1 << 24), true),
            (f32::MIN_POSITIVE, -f32::MIN_POSITIVE, Tolerance::Ulp((1 << 24) - 1), false),
            (0.0, f32::from_bits(1), Tolerance::Ulp(1), true),
            (-0.0, f32::from_bits(1), Tolerance::Ulp(1), true),
            (-f32::from_bits(1), f32::from_bits(1), Tolerance::Ulp(2), true),
            (f32::from_bits(1), -f32::from_bits(1), Tolerance::Ulp(1), false),
            (f32::MAX, -f32::MAX, Tolerance::Ulp(u32::MAX), true),
            (1.0, next, Tolerance::Ulp(0), false),
            (1.0, f32::NAN, Tolerance::Exact, false),
            (f32::NAN, 1.0, Tolerance::Ulp(u32::MAX), false),
            (f32::NAN, 1.0, Tolerance::Epsilon(f32::INFINITY), false),
            (1.0, 1.25, Tolerance::Epsilon(0.25), true),
            (1.0, 1.25, Tolerance::Epsilon(0.249), false),
            (1.25, 1.0, Tolerance::Epsilon(0.249), false),
            (f32::INFINITY, f32::MAX, Tolerance::Epsilon(f32::MAX), false),
        ] {
            assert_eq!(is_near(a, b, tolerance), near, "{a} {b} {tolerance:?}");
        }
    }

    #[test]
    fn an_expectation_can_fail_with_a_number_and_a_finite_tolerance() {
        for (expectation, can_fail) in [
            (near([1.0]), true),
            (near([1.0]).ulp(ULPS - 1), true),
            (near([1.0]).ulp(ULPS), false),
            (near([1.0]).epsilon(f32::MAX), true),
            (near([1.0]).epsilon(f32::INFINITY), false),
            (near([1.0]).epsilon(f32::NAN), false),
            ([None, Some(f32::NAN)].into(), true),
            ([None, None].into(), false),
        ] {
            assert_eq!(expectation.can_fail(), can_fail, "{expectation:?}");
        }
    }
}
