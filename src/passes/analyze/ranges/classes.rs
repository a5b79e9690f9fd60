//! Classes of numbers, and how operations combine them.
//! In: the ranges of operands. Out: the range of a result. Knows neither functions nor values.
//!
//! A row says what one class gives with another; tables that the compiler computes from the rows
//! answer for sets of classes, so that an operation costs a few loads.

use crate::host::settings::Promise;
use crate::machine::precision::Precision;
use crate::machine::precision::bits::{INFINITY, MAGNITUDE, MIN_NORMAL, NAN, ONE, SIGN, SIGNIFICAND_BITS};

/// A set of classes of numbers; those but NaN are in the order of the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Classes(u8);

/// Number of classes, and of sets of them.
const CLASSES: usize = 7;
const SETS: usize = 1 << CLASSES;

/// The results of one class with each set of classes.
type Table = [[Classes; SETS]; CLASSES];

impl Classes {
    pub const NONE: Self = Self(0);
    pub const NEGATIVE_INFINITY: Self = Self(1);
    /// Finite.
    pub const NEGATIVE: Self = Self(1 << 1);
    pub const NEGATIVE_ZERO: Self = Self(1 << 2);
    pub const POSITIVE_ZERO: Self = Self(1 << 3);
    /// Finite.
    pub const POSITIVE: Self = Self(1 << 4);
    pub const POSITIVE_INFINITY: Self = Self(1 << 5);
    pub const NAN: Self = Self(1 << 6);
    pub const ALL: Self = Self((1 << 7) - 1);
    pub const ZERO: Self = Self::NEGATIVE_ZERO.or(Self::POSITIVE_ZERO);
    pub const FINITE: Self = Self::NEGATIVE.or(Self::POSITIVE);
    pub const INFINITE: Self = Self::NEGATIVE_INFINITY.or(Self::POSITIVE_INFINITY);
    pub const NOT_FINITE: Self = Self::INFINITE.or(Self::NAN);
    pub(crate) const BELOW_ZERO: Self = Self::NEGATIVE_INFINITY.or(Self::NEGATIVE).or(Self::NEGATIVE_ZERO);

    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Returns whether any of the other's classes is among these.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Each of these classes alone.
    pub fn each(self) -> impl Iterator<Item = Self> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let lowest = left & left.wrapping_neg();
            left &= !lowest;
            (lowest != 0).then_some(Self(lowest))
        })
    }

    /// The bits of a number of one class.
    pub fn sample(self) -> u32 {
        match self {
            Self::NEGATIVE_INFINITY => INFINITY | SIGN,
            Self::NEGATIVE => ONE | SIGN,
            Self::NEGATIVE_ZERO => SIGN,
            Self::POSITIVE_ZERO => 0,
            Self::POSITIVE => ONE,
            Self::POSITIVE_INFINITY => INFINITY,
            _nan => NAN,
        }
    }

    /// Classes of a constant.
    pub fn of_bits(bits: u32) -> Self {
        let positive = match bits & MAGNITUDE {
            0 => Self::POSITIVE_ZERO,
            1..MIN_NORMAL => Self::POSITIVE_ZERO.or(Self::POSITIVE),
            MIN_NORMAL..INFINITY => Self::POSITIVE,
            INFINITY => Self::POSITIVE_INFINITY,
            _ => Self::NAN,
        };
        if bits & SIGN == 0 { positive } else { positive.negated() }
    }

    fn map(self, row: impl Fn(Self) -> Self) -> Self {
        self.each().fold(Self::NONE, |all, class| all.or(row(class)))
    }

    /// The union of a table's entries for each of these classes.
    fn pairs(self, other: Self, table: &Table) -> Self {
        let set = usize::from(other.0);
        self.each().fold(Self::NONE, |all, class| all.or(table[class.0.trailing_zeros() as usize][set]))
    }

    const fn negated(self) -> Self {
        // The numbers in reverse order; NaN stays.
        Self(self.0.reverse_bits() >> 2 | self.0 & Self::NAN.0)
    }

    const fn magnitude(self) -> Self {
        let negative = Self(self.0 & Self::BELOW_ZERO.0);
        self.without(Self::BELOW_ZERO).or(negative.negated())
    }

    /// As float24 arithmetic reads numbers: small ones may become 0.
    fn read(self, precision: Precision) -> Self {
        if precision.rules().rounds && self.has(Self::FINITE) { self.or(Self::ZERO) } else { self }
    }
}

/// The largest exponent of a finite number, of which the smallest stands for all below.
const MAX_EXPONENT: i16 = 127;
const MIN_EXPONENT: i16 = -127;

/// Exponent of the largest logarithm: magnitudes are below 2^8, even of a subnormal number's.
const LOG2_EXPONENT: i16 = 7;
/// Exponents of the largest reciprocal square roots: of the smallest subnormal number, 2^-149, and
/// of the smallest number that float24 does not flush, 2^-62.
const RSQ_EXPONENT: i16 = 75;
const F24_RSQ_EXPONENT: i16 = 31;

/// Numbers that a lane may hold. Its size makes four of them two words, which compare faster.
#[repr(align(4))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    pub(crate) classes: Classes,
    /// Finite magnitudes are below 2^(exponent + 1).
    exponent: i8,
    /// Those but 0 are at least 2^least; the smallest one says nothing.
    least: i8,
}

impl Range {
    pub(crate) const NONE: Self =
        Self { classes: Classes::NONE, exponent: MIN_EXPONENT as i8, least: MAX_EXPONENT as i8 };
    /// Every number.
    pub const ALL: Self = Self::from_classes(Classes::ALL);

    /// 0 and 1.
    pub(crate) const SET: Self = Self::up_to(Classes::POSITIVE_ZERO.or(Classes::POSITIVE), 0);

    /// Returns any numbers of some classes.
    pub(crate) const fn from_classes(classes: Classes) -> Self {
        Self::up_to(classes, MAX_EXPONENT)
    }

    /// The same classes with a largest exponent.
    const fn up_to(classes: Classes, exponent: i16) -> Self {
        // Range: within i8 after the comparisons.
        let exponent = if exponent > MAX_EXPONENT {
            MAX_EXPONENT
        } else if exponent < MIN_EXPONENT {
            MIN_EXPONENT
        } else {
            exponent
        };
        Self { classes, exponent: exponent as i8, least: MIN_EXPONENT as i8 }
    }

    /// The same with a least exponent, below which there is nothing but 0.
    fn at_least(self, least: i16) -> Self {
        // Range: within i8 after the comparisons.
        Self { least: least.clamp(MIN_EXPONENT, MAX_EXPONENT) as i8, ..self }
    }

    /// Range of a constant. A subnormal one has the exponent of all below the normal numbers.
    pub(crate) fn of_bits(bits: u32) -> Self {
        let classes = Classes::of_bits(bits);
        if !classes.has(Classes::FINITE) {
            return Self { classes, ..Self::NONE };
        }
        // Range: eight bits.
        let exponent = ((bits & MAGNITUDE) >> SIGNIFICAND_BITS) as i16 - 127;
        Self::up_to(classes, exponent).at_least(exponent)
    }

    /// Range that a host promises, as registers hold it.
    pub(crate) fn promised(promise: Promise, precision: Precision) -> Self {
        let finite = Classes::FINITE.or(Classes::ZERO);
        let (classes, exponent, least) = match promise {
            Promise::Nothing => return Self::ALL,
            Promise::NotNan => (Classes::ALL.without(Classes::NAN), MAX_EXPONENT, MIN_EXPONENT),
            Promise::Below(exponent) => (finite, i16::from(exponent) - 1, MIN_EXPONENT),
            Promise::Between(least, exponent) => (finite, i16::from(exponent) - 1, least.into()),
        };
        let range = Self::rounded(precision, classes, exponent.min(MAX_EXPONENT));
        // float24 has other least numbers, of which nothing is asked.
        if precision.rules().rounds { range } else { range.at_least(least) }
    }

    /// Other classes of numbers that are no larger.
    pub(crate) fn with(self, classes: Classes) -> Self {
        Self { classes, ..self }
    }

    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            classes: self.classes.or(other.classes),
            exponent: self.exponent.max(other.exponent),
            least: self.least.min(other.least),
        }
    }

    /// The numbers that are among both.
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            classes: self.classes.and(other.classes),
            exponent: self.exponent.min(other.exponent),
            least: self.least.max(other.least),
        }
    }

    /// Both, and any exponent where the other's ends are further out: a loop may multiply by two as
    /// often as it likes. Classes need no such step, since seven of them can only be added.
    pub(crate) fn widened(self, other: Self) -> Self {
        let grows =
            self.classes != Classes::NONE && (other.exponent > self.exponent || other.least < self.least);
        let all = self.or(other);
        if grows { Self::from_classes(all.classes) } else { all }
    }

    /// Returns whether a number is among these.
    pub fn contains(self, bits: u32) -> bool {
        let other = Self::of_bits(bits);
        // One class of a subnormal number is enough: it counts as a zero and as a finite number.
        self.classes.has(other.classes)
            && (!other.classes.has(Classes::FINITE)
                || other.exponent <= self.exponent
                    && (other.least >= self.least || other.classes.and(self.classes).has(Classes::ZERO)))
    }

    fn exponent(self) -> i16 {
        self.exponent.into()
    }

    /// Returns whether results with this exponent may be infinite.
    fn overflows(precision: Precision, exponent: i16) -> bool {
        exponent > if precision.rules().rounds { 63 } else { MAX_EXPONENT }
    }

    /// As float24 rounds numbers: from 2^64 on they are infinite, and small ones may become 0.
    /// Other precisions round nothing here, since the rows already have what f32 overflows to.
    fn rounded(precision: Precision, classes: Classes, exponent: i16) -> Self {
        type C = Classes;
        if !precision.rules().rounds || !classes.has(C::FINITE) {
            return Self::up_to(classes, exponent);
        }
        let mut all = classes.or(C::ZERO);
        if Self::overflows(precision, exponent) {
            let infinity = |class, infinity| if classes.has(class) { infinity } else { C::NONE };
            all = all.or(infinity(C::NEGATIVE, C::NEGATIVE_INFINITY));
            all = all.or(infinity(C::POSITIVE, C::POSITIVE_INFINITY));
        }
        Self::up_to(all, exponent)
    }

    pub(crate) fn negated(self) -> Self {
        Self { classes: self.classes.negated(), ..self }
    }

    pub(crate) fn magnitude(self) -> Self {
        Self { classes: self.classes.magnitude(), ..self }
    }

    /// Row of FLR.
    pub(crate) fn floor(self) -> Self {
        type C = Classes;
        let classes =
            self.classes.map(|class| if class == C::POSITIVE { class.or(C::POSITIVE_ZERO) } else { class });
        // -1.5 becomes -2, and integers are at least 1.
        Self::up_to(classes, self.exponent().max(-1) + 1).at_least(0)
    }

    /// The results of a function of one operand; NaN stays NaN. The row gives classes without the
    /// rounding of float24.
    fn function(self, precision: Precision, exponent: i16, row: impl Fn(Classes) -> Classes) -> Self {
        type C = Classes;
        let each = |class| if class == C::NAN { C::NAN } else { row(class) };
        Self::rounded(precision, self.classes.read(precision).map(each), exponent)
    }

    /// Row of a reciprocal. Drivers may flush what is subnormal, so it may be zero, too.
    pub(crate) fn rcp(self, precision: Precision) -> Self {
        type C = Classes;
        let of_zero = of_zero(precision);
        // The reciprocal of a large number is subnormal, and vice versa infinite.
        self.function(precision, MAX_EXPONENT, |class| match class {
            C::NEGATIVE => C::NEGATIVE_INFINITY.or(C::NEGATIVE).or(C::ZERO),
            C::POSITIVE => C::POSITIVE_INFINITY.or(C::POSITIVE).or(C::ZERO),
            C::NEGATIVE_ZERO | C::POSITIVE_ZERO => of_zero,
            _infinite => C::ZERO,
        })
    }

    /// Row of a reciprocal square root.
    pub(crate) fn rsq(self, precision: Precision) -> Self {
        type C = Classes;
        let of_zero = of_zero(precision);
        let exponent = if precision.rules().rounds { F24_RSQ_EXPONENT } else { RSQ_EXPONENT };
        self.function(precision, exponent, |class| match class {
            C::NEGATIVE_INFINITY | C::NEGATIVE => C::NAN,
            C::NEGATIVE_ZERO | C::POSITIVE_ZERO => of_zero,
            C::POSITIVE => C::POSITIVE,
            _infinite => C::ZERO,
        })
    }

    /// Row of a power of two.
    pub(crate) fn exp2(self, precision: Precision) -> Self {
        type C = Classes;
        // A power of less than 2^(n + 1) is below 2^(2^(n + 1)); one more leaves room for a
        // driver's error. From 2^5 on it would be more than the largest exponent can say.
        let exponent = if self.exponent() < 5 { (2 << self.exponent().max(0)) + 1 } else { MAX_EXPONENT };
        let infinity = if exponent == MAX_EXPONENT { C::POSITIVE_INFINITY } else { C::NONE };
        self.function(precision, exponent, |class| match class {
            C::NEGATIVE_INFINITY => C::ZERO,
            C::NEGATIVE => C::ZERO.or(C::POSITIVE),
            C::NEGATIVE_ZERO | C::POSITIVE_ZERO => C::POSITIVE,
            C::POSITIVE => C::POSITIVE.or(infinity),
            _infinite => C::POSITIVE_INFINITY,
        })
    }

    /// Row of a base-2 logarithm.
    pub(crate) fn log2(self, precision: Precision) -> Self {
        type C = Classes;
        self.function(precision, LOG2_EXPONENT, |class| match class {
            C::NEGATIVE_INFINITY | C::NEGATIVE => C::NAN,
            C::NEGATIVE_ZERO | C::POSITIVE_ZERO => C::NEGATIVE_INFINITY,
            C::POSITIVE => C::FINITE.or(C::ZERO),
            _infinite => C::POSITIVE_INFINITY,
        })
    }

    /// Row of `a < b ? a : b` (`is_less`) and `a > b ? a : b`: a minimum or maximum, the second
    /// operand where one is NaN.
    pub(crate) fn choice(is_less: bool, a: Self, b: Self) -> Self {
        type C = Classes;
        let classes = a.classes.pairs(b.classes, if is_less { &MIN } else { &MAX });
        let lowers = C::BELOW_ZERO.without(C::NEGATIVE_ZERO);
        let both = a.classes.or(b.classes);
        // `min(x, 1)` of a number that is not negative is at most 1, however large `x` is: its
        // exponent is limited by the other operand, if that is finite. Where the first operand is
        // NaN, the result is the second, without a limit.
        let limit = |own: Self, other: Self, none: Classes| {
            let is_limited = is_less && !both.has(lowers) && !other.classes.has(none);
            if is_limited { own.exponent.min(other.exponent) } else { own.exponent }
        };
        let exponent = limit(a, b, C::INFINITE).max(limit(b, a, C::INFINITE.or(C::NAN)));
        Self { classes, exponent, least: a.least.min(b.least) }
    }

    /// Returns whether results with this least exponent are normal numbers, which no driver
    /// flushes.
    fn is_normal(precision: Precision, least: i16) -> bool {
        least > MIN_EXPONENT && !precision.rules().rounds
    }

    /// Row of a product of two lanes, or of one with itself.
    #[inline]
    pub(crate) fn product(precision: Precision, a: Self, b: Self, is_square: bool) -> Self {
        let exponent = a.exponent() + b.exponent() + 1;
        let (x, y) = (a.classes.read(precision), b.classes.read(precision));
        let overflows = Self::overflows(precision, exponent);
        let tables = if precision.rules().guards { &PRODUCT } else { &PLAIN_PRODUCT };
        let table = &tables[usize::from(overflows)];
        // A square is of one number: it pairs each class with itself alone, so it has no ∞ · 0 and
        // is not negative.
        let classes = if is_square { x.map(|class| class.pairs(class, table)) } else { x.pairs(y, table) };
        let least = i16::from(a.least) + i16::from(b.least);
        if !(a.has_least() && b.has_least() && Self::is_normal(precision, least)) {
            return Self::rounded(precision, classes, exponent);
        }
        // The product of the least magnitudes is still normal, so a zero comes from zeros alone.
        let vanished = if x.or(y).has(Classes::ZERO) { Classes::NONE } else { Classes::ZERO };
        Self::up_to(classes.without(vanished), exponent).at_least(least)
    }

    /// Row of a sum.
    pub(crate) fn sum(precision: Precision, a: Self, b: Self) -> Self {
        let exponent = a.exponent().max(b.exponent()) + 1;
        let (x, y) = (a.classes.read(precision), b.classes.read(precision));
        let overflows = Self::overflows(precision, exponent);
        let sum = Self::rounded(precision, x.pairs(y, &SUM[usize::from(overflows)]), exponent);
        // Only numbers of both signs cancel.
        let either = x.or(y);
        let cancels = either.has(Classes::NEGATIVE) && either.has(Classes::POSITIVE);
        sum.at_least_of_terms(precision, a.least.min(b.least).into(), cancels)
    }

    /// Range of a sum whose terms but 0 are at least 2^least. All of them are multiples of the last
    /// place of that number, and so is what is left where they cancel.
    pub(crate) fn at_least_of_terms(self, precision: Precision, least: i16, cancels: bool) -> Self {
        let own = if cancels { least - SIGNIFICAND_BITS as i16 } else { least };
        if least == MIN_EXPONENT || own < self.least.into() || !Self::is_normal(precision, own) {
            return self;
        }
        self.at_least(own)
    }

    /// Returns whether something is known of the least magnitude.
    pub(crate) fn has_least(self) -> bool {
        self.least > MIN_EXPONENT as i8
    }

    /// The same numbers, and smaller ones.
    pub(crate) fn without_least(self) -> Self {
        Self { least: MIN_EXPONENT as i8, ..self }
    }

    /// The least exponent of a number but 0.
    pub(crate) fn least(self) -> i16 {
        self.least.into()
    }

    /// Returns whether the square of a number but 0 may be 0, or too small for a normal number.
    pub(crate) fn square_may_vanish(self, precision: Precision) -> bool {
        !self.has_least() || !Self::is_normal(precision, 2 * self.least())
    }

    /// Row of a lane over the length of a vector that has it: magnitudes are at most a little above
    /// 1, and 0 · ∞ = 0 is the only product with ∞.
    pub(crate) fn normalized(self) -> Self {
        Self::up_to(self.classes.without(Classes::NOT_FINITE).or(Classes::ZERO), 0)
    }

    /// Row of `x * rsq(x)`, if `x` is finite and not negative: a root, or 0 where the reciprocal is
    /// infinite. One more than half of the exponent covers an odd one.
    pub(crate) fn root(self) -> Option<Self> {
        let is_defined = !self.classes.has(Classes::NOT_FINITE.or(Classes::NEGATIVE));
        is_defined.then(|| Self::up_to(self.classes.or(Classes::ZERO), self.exponent() / 2 + 1))
    }

    /// Row of `x - floor(x + added)`. Infinities make NaN.
    pub(crate) fn fraction(self, added: Self) -> Self {
        // Where the sum overflows, it is infinite, and `x - ∞` is infinite. 100 is far from both
        // 127 and from what programs add.
        let overflows = added.exponent > 100 || added.classes.has(Classes::INFINITE);
        let is_defined = !overflows && !self.classes.or(added.classes).has(Classes::NOT_FINITE);
        let nan = if is_defined { Classes::NONE } else { Classes::NAN };
        let infinite = if overflows { Classes::INFINITE } else { Classes::NONE };
        let exponent = if added.classes.has(Classes::FINITE) { added.exponent().max(-1) + 2 } else { 0 };
        Self::up_to(Classes::FINITE.or(Classes::ZERO).or(nan).or(infinite), exponent)
    }

    /// Returns whether all numbers are positive, finite and normal.
    pub(crate) fn is_positive(self) -> bool {
        self.classes == Classes::POSITIVE
    }
}

/// The reciprocal of -0 is +inf, unless the plain division computes it.
fn of_zero(precision: Precision) -> Classes {
    if precision.rules().guards { Classes::POSITIVE_INFINITY } else { Classes::INFINITE }
}

/// Products that may overflow and that do not; 0 · ∞ is 0, or NaN in `fast` only.
static PRODUCT: [Table; 2] = [products(false, Classes::ZERO), products(true, Classes::ZERO)];
static PLAIN_PRODUCT: [Table; 2] = [products(false, Classes::NAN), products(true, Classes::NAN)];
/// Sums that do not overflow and that may.
static SUM: [Table; 2] = [sums(false), sums(true)];
static MIN: Table = choices(true);
static MAX: Table = choices(false);

/// A table from the row of two classes.
macro_rules! table {
    (|$a:ident, $b:ident| $row:expr) => {{
        let mut table = [[Classes::NONE; SETS]; CLASSES];
        let mut class = 0;
        while class < CLASSES {
            let $a = Classes(1 << class);
            let mut set = 1;
            while set < SETS {
                // Sets ascend, so the result for this one without its lowest class is known.
                let rest = set & (set - 1);
                let $b = Classes((set ^ rest) as u8);
                table[class][set] = table[class][rest].or($row);
                set += 1;
            }
            class += 1;
        }
        table
    }};
}

const fn products(overflows: bool, infinity_times_zero: Classes) -> Table {
    table!(|a, b| product_of(a, b, overflows, infinity_times_zero))
}

const fn sums(overflows: bool) -> Table {
    table!(|a, b| sum_of(a, b, overflows))
}

const fn choices(is_less: bool) -> Table {
    table!(|a, b| choice_of(a, b, is_less))
}

const fn product_of(a: Classes, b: Classes, overflows: bool, infinity_times_zero: Classes) -> Classes {
    type C = Classes;
    let both = a.or(b);
    if both.has(C::NAN) {
        return C::NAN;
    }
    let positive = match (both.has(C::INFINITE), both.has(C::ZERO)) {
        (true, true) => infinity_times_zero,
        (false, true) => C::ZERO,
        (true, false) => C::POSITIVE_INFINITY,
        // It may underflow.
        (false, false) if overflows => C::ZERO.or(C::POSITIVE).or(C::POSITIVE_INFINITY),
        (false, false) => C::ZERO.or(C::POSITIVE),
    };
    if C::BELOW_ZERO.has(a) == C::BELOW_ZERO.has(b) { positive } else { positive.negated() }
}

const fn sum_of(a: Classes, b: Classes, overflows: bool) -> Classes {
    type C = Classes;
    let both = a.or(b);
    let infinity = if overflows { C::INFINITE } else { C::NONE };
    match (a.has(C::INFINITE), b.has(C::INFINITE)) {
        _nan if both.has(C::NAN) => C::NAN,
        // Here both are single classes, so that equal bits are equal classes.
        (true, true) if a.0 == b.0 => a,
        (true, true) => C::NAN,
        (true, false) => a,
        (false, true) => b,
        (false, false) if a.has(C::ZERO) && b.has(C::ZERO) => C::ZERO,
        (false, false) if a.has(C::ZERO) => b,
        (false, false) if b.has(C::ZERO) => a,
        // Numbers of different signs cancel to any smaller one.
        (false, false) if a.0 != b.0 => C::FINITE.or(C::ZERO),
        (false, false) if a.has(C::POSITIVE) => a.or(infinity.without(C::NEGATIVE_INFINITY)),
        (false, false) => a.or(infinity.without(C::POSITIVE_INFINITY)),
    }
}

const fn choice_of(a: Classes, b: Classes, is_less: bool) -> Classes {
    let both = a.or(b);
    // Neither zero is less than the other, so the second is taken, as for NaN. Either of
    // two numbers of one class may be less, but both are of the class.
    let is_unordered = both.has(Classes::NAN) || !both.without(Classes::ZERO).has(Classes::ALL);
    let first = if is_less { a.0 < b.0 } else { a.0 > b.0 };
    if first && !is_unordered { a } else { b }
}
