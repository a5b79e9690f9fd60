//! Questions about ranges: the numbers that a value can have lie in what the analysis says of it.
//! In: operations on operands of which something is known, swept as `legalize` does. Out: that each
//! result is a member of its range, for all numbers. Knows no rows: a range is asked which numbers
//! it has, cell by cell of signs and exponents.
//! The result of a driver's EX2 or LG2 belongs to no theory: such ranges are left to the tests.

use transpica::Precision;
use transpica::stages::entity::Handle;
use transpica::stages::ir::{Func, Lane, Type, Value};
use transpica::stages::passes::analyze::ranges::{Range, Ranges};

use crate::smt::legal;
use crate::smt::question::{Claims, Question};
use crate::smt::rules::function;
use transpica_compile::equal::term::{Fun, Products, Term, Terms};
use transpica_compile::equal::walk::results;

/// First and last of the numbers of each sign and exponent, but NaN, in the order of their bits;
/// every range has all or none of them.
fn cells() -> impl Iterator<Item = [u32; 2]> {
    [0, 0x8000_0000].into_iter().flat_map(|sign: u32| {
        let normal = (1..255).map(|exponent: u32| [exponent << 23, exponent << 23 | 0x007F_FFFF]);
        let zero_and_subnormal = [[0, 0], [1, 0x007F_FFFF]].into_iter();
        let all = zero_and_subnormal.chain(normal).chain([[0x7F80_0000, 0x7F80_0000]]);
        all.map(move |ends| ends.map(|bits| sign | bits))
    })
}

/// A float is a member of a range.
fn member(t: &Terms, range: Range, a: Term) -> Term {
    let is_nan = t.apply(Fun::IsNan, &[a]);
    let bits = t.apply(Fun::BitsOf, &[a]);
    let mut intervals: Vec<[u32; 2]> = Vec::new();
    for cell in cells().filter(|cell| cell.iter().all(|&bits| range.contains(bits))) {
        match intervals.last_mut() {
            Some([_, last]) if *last + 1 == cell[0] => *last = cell[1],
            _ => intervals.push(cell),
        }
    }
    let mut inside = t.bool(false);
    for interval in intervals {
        let [first, last] = interval.map(|bits| t.bits(bits));
        let outside = t.or(t.apply(Fun::BitLess, &[bits, first]), t.apply(Fun::BitLess, &[last, bits]));
        inside = t.or(inside, t.not(outside));
    }
    t.ite(is_nan, t.bool(range.contains(f32::NAN.to_bits())), inside)
}

/// The value that a function of one result yields, and its range.
fn range(f: &Func, precision: Precision) -> Option<Range> {
    let mut ranges = Ranges::new(precision, None);
    ranges.sweep(f);
    let result: Value = *f.get(f.regions[f.body?].exit.list()).first()?;
    (f.ty(result) == Type::F32 && result.index() > 0).then(|| ranges.get(f, Lane::new(result, 0)))
}

/// Every question about a range that says something.
pub fn questions() -> Vec<Question> {
    let mut groups: Vec<Claims> = Vec::new();
    let has_theory = |(word, body): &(String, String)| {
        ["exp2", "log2"].iter().all(|open| !body.contains(open)) && word != "vectors"
    };
    for (word, body) in legal::bodies().into_iter().filter(has_theory) {
        let module = function(&body);
        for precision in [Precision::Exact, Precision::F24] {
            let range = range(&module.main, precision);
            let Some(range) = range.filter(|range| *range != Range::ALL) else { continue };
            let group = Claims::group(&mut groups, format!("range of {word}"), Products::Exact);
            group.joined = 5;
            let result = results(&group.terms, &module, precision);
            let result = result.unwrap_or_else(|error| unreachable!("operations have terms: {error}"))[0];
            let (member, holds) = (member(&group.terms, range, result), group.terms.bool(true));
            group.equal(&format!("{precision:?} {body}"), &[(member, holds)], true);
        }
    }
    groups.into_iter().flat_map(Claims::questions).collect()
}
