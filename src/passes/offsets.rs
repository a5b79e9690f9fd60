//! Ranges of the offsets of relative reads.
//! In: a function of the `Pica` stage, and the float uniforms that are constant. Out: an [`Offset`]
//! for each relative read, which says what registers it may read. Changes nothing.
//!
//! ```text
//! %1 = const 3 ; loop (%2 = %0, %3 = %1) { .. uniform c8[%2] .. }    =>    c8..c11
//! ```
//!
//! Narrow ranges come from loops whose parameters are constant, from MOVA of clamped numbers and
//! from constants. All else may be any number. A question looks at no more than `FUEL`
//! definitions.

#[cfg(test)]
mod tests;

use super::flow::ValueFlow;
use crate::host::{Arithmetic, Usage};
use crate::ir::known::FloatConstants;
use crate::ir::{
    Array, Binary, Def, Exit, Func, Item, Lane, NodeData, Op, Region, Resource, Shape, Unary, Value,
    ValueList,
};
use crate::isa::limits::{FLOATS, INDICES};
use crate::precision::{Precision, arith};

/// Number of definitions that the question about one read may look at.
const FUEL: u32 = 64;
/// Depth of questions within questions.
const DEPTH: u32 = 12;
/// Mask of all indices.
const ALL: u128 = u128::MAX;

/// Integers from `first` to `last`; wide enough that no sum of two overflows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ints {
    first: i64,
    last: i64,
}

impl Ints {
    const ANY: Self = Self { first: i32::MIN as i64, last: i32::MAX as i64 };
    /// Offsets that count.
    const BYTE: Self = Self { first: -128, last: 127 };
    /// A component of an int uniform.
    const COMPONENT: Self = Self { first: 0, last: 255 };

    fn one(number: u32) -> Self {
        let number = i64::from(number.cast_signed());
        Self { first: number, last: number }
    }
    /// Any number, if operations on these numbers may wrap.
    fn checked(self) -> Self {
        if self.first < Self::ANY.first || self.last > Self::ANY.last { Self::ANY } else { self }
    }
    fn or(self, other: Self) -> Self {
        Self { first: self.first.min(other.first), last: self.last.max(other.last) }
    }
    fn plus(self, other: Self) -> Self {
        Self { first: self.first + other.first, last: self.last + other.last }.checked()
    }
    fn negated(self) -> Self {
        Self { first: -self.last, last: -self.first }
    }
    fn is_in(self, other: Self) -> bool {
        other.first <= self.first && self.last <= other.last
    }
    /// As relative reads take offsets: 0 outside of a signed byte.
    fn signed_byte(self) -> Self {
        if self.is_in(Self::BYTE) {
            return self;
        }
        let zero = Self::one(0);
        let inside = Self { first: self.first.max(-128), last: self.last.min(127) };
        if inside.first <= inside.last { inside.or(zero) } else { zero }
    }
}

/// Numbers from `first` to `last`, and NaN if it is possible.
#[derive(Clone, Copy, Debug)]
struct Numbers {
    first: f32,
    last: f32,
    nan: bool,
}

impl Numbers {
    const ANY: Self = Self { first: f32::NEG_INFINITY, last: f32::INFINITY, nan: true };

    fn one(number: f32) -> Self {
        if number.is_nan() { Self::ANY } else { Self { first: number, last: number, nan: false } }
    }
    /// Any number, if the ends are none.
    fn new(a: f32, b: f32, nan: bool) -> Self {
        if a.is_nan() || b.is_nan() {
            return Self::ANY;
        }
        Self { first: a.min(b), last: a.max(b), nan }
    }
    fn or(self, other: Self) -> Self {
        let nan = self.nan || other.nan;
        Self { first: self.first.min(other.first), last: self.last.max(other.last), nan }
    }
    /// The second operand where one is NaN; in `fast` either, as drivers do it.
    fn least(self, other: Self, precision: Precision) -> Self {
        let by_driver = precision == Precision::Fast;
        let least = self.last.min(other.last);
        let last = match (self.nan, other.nan && by_driver) {
            (false, false) => least,
            (true, false) => other.last,
            (false, true) => self.last,
            (true, true) => self.last.max(other.last),
        };
        let nan = other.nan || self.nan && by_driver;
        Self { first: self.first.min(other.first), last, nan }
    }
    fn negated(self) -> Self {
        Self { first: -self.last, last: -self.first, nan: self.nan }
    }
    fn plus(self, other: Self, precision: Precision) -> Self {
        let add = |a, b| arith::add(precision, a, b);
        let cancels = |a: f32, b: f32| a == f32::INFINITY && b == f32::NEG_INFINITY;
        let nan = cancels(self.last, other.first) || cancels(other.last, self.first);
        // Rounding keeps the order of sums.
        Self::new(add(self.first, other.first), add(self.last, other.last), nan || self.nan || other.nan)
    }
    fn times(self, factor: f32, precision: Precision) -> Self {
        let mul = |a| arith::mul(precision, a, factor);
        Self::new(mul(self.first), mul(self.last), self.nan || !factor.is_finite())
    }
    /// As MOVA converts them.
    fn offset(self) -> Ints {
        let end = |number: f32| i64::from(arith::address(number));
        let offset = Ints { first: end(self.first), last: end(self.last) }.signed_byte();
        if self.nan { offset.or(Ints::one(0)) } else { offset }
    }
}

/// A relative read and what is known of its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offset {
    /// The read.
    pub read: Value,
    /// The register that the operand names.
    pub base: u8,
    range: Ints,
}

impl Offset {
    /// Returns whether the offset is proven to be a signed byte.
    pub fn is_byte(&self) -> bool {
        self.range.is_in(Ints::BYTE)
    }

    /// Returns the indices that the read may have, bit n = n; if they wrap at 128 or the offset is
    /// unknown, all.
    pub fn indices(&self) -> u128 {
        let range = self.range.signed_byte();
        let base = i64::from(self.base);
        let last = INDICES as i64 - 1;
        let (first, end) = (base + range.first, base + range.last);
        if first < 0 || end > last {
            return ALL;
        }
        // Range: 0..=127.
        ALL << first & ALL >> (last - end)
    }

    /// Returns whether the sum of register and offset may wrap at 128.
    pub fn wraps(&self) -> bool {
        self.indices() == ALL
    }
}

/// Returns the offsets of all relative reads, by ascending value.
pub fn run(f: &Func, arithmetic: &Arithmetic, constants: &FloatConstants) -> Vec<Offset> {
    let precision = arithmetic.precision;
    let mut found: Vec<Offset> = Vec::new();
    let mut last = None;
    let mut search = Search { f, precision, constants, flow: None, fuel: 0, open: Vec::new() };
    for read in f.values.keys() {
        if let Some(Op::ReadAt(Array::Uniform(base), offset)) = f.op(read) {
            // Reads of one matrix follow each other.
            let range = match last {
                Some((value, range)) if value == offset => range,
                Some(_) | None => {
                    search.fuel = FUEL;
                    search.int(Lane::new(offset, 0), DEPTH).unwrap_or(Ints::ANY)
                }
            };
            last = Some((offset, range));
            found.push(Offset { read, base: base.min(FLOATS as u8 - 1), range });
        }
    }
    found
}

/// Adds relative reads to the registers that a program uses.
pub fn add_to(usage: &mut Usage, offsets: &[Offset]) {
    for offset in offsets {
        let indices = offset.indices();
        usage.relative |= indices;
        // Each index and the next.
        usage.joined |= indices & indices >> 1;
        usage.relative_bases |= 1 << offset.base;
    }
}

/// Questions about one function. `None` is an answer that more fuel could have found.
struct Search<'a> {
    f: &'a Func,
    precision: Precision,
    constants: &'a FloatConstants,
    /// Filled when a question needs it.
    flow: Option<ValueFlow>,
    fuel: u32,
    /// Loop parameters whose first values are being looked at.
    open: Vec<Value>,
}

impl Search<'_> {
    /// Calls `visit` for each lane that may be copied to a parameter or result.
    fn sources(&mut self, lane: Lane, mut visit: impl FnMut(Lane)) {
        let f = self.f;
        let flow = self.flow.get_or_insert_with(|| {
            let mut flow = ValueFlow::default();
            flow.compute(f);
            flow
        });
        flow.for_each_source(f, lane.value(), |source| visit(Lane::new(source, lane.index())));
    }

    /// The range of an integer: of all that is copied to it.
    fn int(&mut self, lane: Lane, depth: u32) -> Option<Ints> {
        let depth = depth.checked_sub(1)?;
        if let Some(op @ (Op::Unary(..) | Op::Read(_) | Op::Const(_))) = self.f.op(lane.value()) {
            return self.int_op(op, lane.index(), depth);
        }
        let (mut work, mut seen) = (vec![lane], vec![lane]);
        let mut range: Option<Ints> = None;
        while let Some(lane) = work.pop() {
            self.fuel = self.fuel.checked_sub(1)?;
            let value = lane.value();
            if self.open.contains(&value) {
                return None;
            }
            let mut copies = Vec::new();
            let one = match self.f.values[value].def {
                Def::Op(Op::Shuffle(lanes)) => {
                    copies.push(lanes[usize::from(lane.index())]);
                    None
                }
                Def::Op(Op::Select { a, b, .. }) => {
                    copies.extend([a, b].map(|arm| Lane::new(arm, lane.index())));
                    None
                }
                Def::Op(op) => Some(self.int_op(op, lane.index(), depth)?),
                Def::Param | Def::Result => match self.counted(lane, depth)? {
                    Some(range) => Some(range),
                    None => {
                        self.sources(lane, |source| copies.push(source));
                        // The parameters of a function may be anything.
                        copies.is_empty().then_some(Ints::ANY)
                    }
                },
                Def::Dead => Some(Ints::ANY),
            };
            if let Some(one) = one {
                range = Some(range.map_or(one, |range| range.or(one)));
            }
            for copy in copies {
                if !seen.contains(&copy) {
                    seen.push(copy);
                    work.push(copy);
                }
            }
        }
        // A value that only copies itself is never evaluated.
        Some(range.unwrap_or(Ints::ANY))
    }

    fn int_op(&mut self, op: Op, index: u8, depth: u32) -> Option<Ints> {
        let lane = |value| Lane::new(value, index);
        Some(match op {
            Op::Const(bits) => Ints::one(bits[usize::from(index)]),
            Op::Read(Resource::IntUniform { .. }) => Ints::COMPONENT,
            Op::Unary(Unary::AddressP, a) => self.float(lane(a), depth).unwrap_or(Numbers::ANY).offset(),
            Op::Binary(Binary::IAdd, a, b) => self.int(lane(a), depth)?.plus(self.int(lane(b), depth)?),
            Op::Binary(Binary::ISub, a, b) => {
                self.int(lane(a), depth)?.plus(self.int(lane(b), depth)?.negated())
            }
            Op::Read(_)
            | Op::ReadAt(..)
            | Op::Shuffle(_)
            | Op::Unary(..)
            | Op::Binary(..)
            | Op::Select { .. }
            | Op::Submit { .. }
            | Op::Call { .. } => Ints::ANY,
        })
    }

    /// The range of the parameter of a loop of at most so many iterations that adds a step to it;
    /// `Some(None)` for another parameter, and for results.
    fn counted(&mut self, lane: Lane, depth: u32) -> Option<Option<Ints>> {
        let param = lane.value();
        let mut sources = Vec::new();
        if self.f.values[param].def == Def::Param {
            self.sources(lane, |source| sources.push(source));
        }
        // The first value, and the one of the next iteration.
        let &[first, next] = sources.as_slice() else { return Some(None) };
        let Some(Op::Binary(Binary::IAdd, a, b)) = self.f.op(next.value()) else { return Some(None) };
        let step = match (a == param, b == param) {
            (true, false) => Lane::new(b, lane.index()),
            (false, true) => Lane::new(a, lane.index()),
            (true, true) | (false, false) => return Some(None),
        };
        self.open.push(param);
        let (range, step, times) =
            (self.int(first, depth), self.int(step, depth), self.iterations(param, depth));
        self.open.pop();
        let (range, step, times) = (range?, step?, times?);
        let total = Ints { first: step.first.min(0) * times, last: step.last.max(0) * times };
        Some(Some(range.plus(total.checked())))
    }

    /// The most times that the loop of a parameter is continued, if another parameter counts down
    /// to 0 and a test of it comes before its only continuation.
    fn iterations(&mut self, param: Value, depth: u32) -> Option<i64> {
        let f = self.f;
        let (node, _) = self.flow.as_ref()?.origin(param)?;
        let NodeData::Loop { params, inits, body, .. } = f.nodes[node] else { return None };
        let mut continues = self.flow.as_ref()?.continues_from(node);
        let (Some(only), None) = (continues.next(), continues.next()) else { return None };
        drop(continues);
        if only != body {
            return None;
        }
        let counter = f.regions[body].items.iter().find_map(|&item| self.tested(item))?;
        let index = f.get(params).iter().position(|&value| value == counter)?;
        let at = |list: ValueList| f.get(list)[index];
        let next = at(f.regions[body].exit.list());
        let counts_down = match f.op(next)? {
            Op::Binary(Binary::ISub, a, one) => a == counter && f.op(one) == Some(Op::Const([1, 0, 0, 0])),
            Op::Const(_)
            | Op::Read(_)
            | Op::ReadAt(..)
            | Op::Shuffle(_)
            | Op::Unary(..)
            | Op::Binary(..)
            | Op::Select { .. }
            | Op::Submit { .. }
            | Op::Call { .. } => false,
        };
        if !counts_down {
            return None;
        }
        let first = self.int(Lane::new(at(inits), 0), depth)?;
        Some(first.last.max(0))
    }

    /// The value that must be above 0 where the items after this one run.
    fn tested(&self, item: Item) -> Option<Value> {
        let Item::Node(node) = item else { return None };
        let NodeData::If { cond, otherwise, .. } = self.f.nodes[node] else { return None };
        let Some(Op::Binary(Binary::IGreater, counter, zero)) = self.f.op(cond) else { return None };
        let is_zero = self.f.op(zero) == Some(Op::Const([0; 4]));
        (is_zero && self.leaves(otherwise)).then_some(counter)
    }

    /// Returns whether nothing behind the `if` of a region runs after it.
    fn leaves(&self, region: Region) -> bool {
        match self.f.regions[region].exit {
            Exit::Yield(_) => false,
            Exit::Break(_) | Exit::Continue(_) | Exit::Unreachable => true,
        }
    }

    /// The range of a number.
    fn float(&mut self, lane: Lane, depth: u32) -> Option<Numbers> {
        let depth = depth.checked_sub(1)?;
        self.fuel = self.fuel.checked_sub(1)?;
        let op = match self.f.values[lane.value()].def {
            Def::Op(op) => op,
            Def::Result => {
                let mut sources = Vec::new();
                self.sources(lane, |source| sources.push(source));
                let mut ranges = sources.into_iter().map(|source| self.float(source, depth));
                let first = ranges.next()??;
                return ranges.try_fold(first, |all, one| Some(all.or(one?)));
            }
            Def::Param | Def::Dead => return None,
        };
        let at = |value| Lane::new(value, lane.index());
        Some(match op {
            Op::Const(bits) => Numbers::one(f32::from_bits(bits[usize::from(lane.index())])),
            Op::Read(Resource::Uniform(register)) => {
                let lanes = (*self.constants.get(usize::from(register))?)?;
                let number = f32::from_bits(lanes[usize::from(lane.index())]);
                Numbers::one(arith::load(self.precision, number))
            }
            Op::Shuffle(lanes) => self.float(lanes[usize::from(lane.index())], depth)?,
            Op::Select { a, b, .. } => self.float(at(a), depth)?.or(self.float(at(b), depth)?),
            Op::Unary(Unary::Neg, a) => self.float(at(a), depth)?.negated(),
            Op::Unary(Unary::Floor, a) => {
                let Numbers { first, last, nan } = self.float(at(a), depth)?;
                Numbers { first: first.floor(), last: last.floor(), nan }
            }
            Op::Binary(op, a, b) if op.shape() == Shape::Each => {
                self.float_binary(op, [at(a), at(b)], depth)?
            }
            Op::Read(_)
            | Op::ReadAt(..)
            | Op::Unary(..)
            | Op::Binary(..)
            | Op::Submit { .. }
            | Op::Call { .. } => return None,
        })
    }

    fn float_binary(&mut self, op: Binary, [a, b]: [Lane; 2], depth: u32) -> Option<Numbers> {
        let precision = self.precision;
        let is_exact = precision != Precision::Fast;
        let mut any = |lane| self.float(lane, depth).unwrap_or(Numbers::ANY);
        Some(match op {
            Binary::MinP => any(a).least(any(b), precision),
            Binary::MaxP => any(a).negated().least(any(b).negated(), precision).negated(),
            Binary::SgeP | Binary::SltP => Numbers::new(0.0, 1.0, false),
            // In `fast` drivers may compute sums and products in another order.
            Binary::AddP if is_exact => any(a).plus(any(b), precision),
            Binary::MulP if is_exact => match (any(a), any(b)) {
                (range, factor) | (factor, range) if factor.first == factor.last && !factor.nan => {
                    range.times(factor.first, precision)
                }
                _two_ranges => return None,
            },
            _others => return None,
        })
    }
}
