//! Ranges of the offsets of relative reads.
//! In: a function of the `Pica` stage, and the float uniforms that are constant. Out: an [`Offset`]
//! for each relative read, which says what registers it may read. Changes nothing.
//!
//! ```text
//! %1 = const 3 ; loop (%2 = %0, %3 = %1) { .. uniform c8[%2] .. }    =>    c8..c11
//! ```
//!
//! Narrow ranges come from loops that [count](Counter), from MOVA of clamped numbers and from
//! constants. All else may be any number. A [domain](crate::ir::dataflow) of intervals; their
//! arithmetic is the second half of this file.

use crate::host::settings::Arithmetic;
use crate::interface::Usage;
use crate::ir::FloatConstants;
use crate::ir::dataflow::{self, Domain};
use crate::ir::{
    Array, Binary, Counter, Exit, Func, Lane, Node, NodeData, Op, Resource, ScalarKind, Shape, Target, Unary,
    Value,
};
use crate::machine::precision::{Precision, arith};
use crate::program::isa::sizes::{FLOATS, INDICES};
use crate::support::entity::Handle;

/// Rounds of a loop before nothing is known of its parameters.
const ROUNDS: u32 = 8;
/// Mask of all indices.
const ALL: u128 = u128::MAX;

/// A relative read and what is known of its index.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Offset {
    /// The read.
    pub read: Value,
    /// The register that the operand names.
    pub base: u8,
    range: Interval,
}

impl Offset {
    /// Returns whether the offset is proven to be a signed byte.
    pub fn is_byte(&self) -> bool {
        self.range.is_in(Interval::BYTE)
    }

    /// Returns the indices that the read may have, bit n = n; if they wrap at 128 or the offset is
    /// unknown, all.
    pub fn indices(&self) -> u128 {
        let range = self.range.signed_byte();
        let last = INDICES as i32 - 1;
        // Range: signed bytes.
        let [first, end] = [range.first, range.last].map(|end| i32::from(self.base) + end as i32);
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
    let reads = f.values.keys().filter_map(|read| match f.op(read) {
        Some(Op::ReadAt(Array::Uniform(base), offset)) => Some((read, base, offset)),
        _other => None,
    });
    let reads: Vec<_> = reads.collect();
    if reads.is_empty() {
        return Vec::new();
    }
    let (rows, count) = needed(f, reads.iter().map(|&(.., offset)| offset).collect());
    let table = vec![[Interval::NONE; 4]; count];
    let mut intervals = Intervals { precision: arithmetic.precision, constants, rows, table };
    dataflow::run(f, &mut intervals);
    // A read that is never reached may be of any register.
    let range = |offset: Value| {
        let range = intervals.get(Lane::new(offset, 0));
        if range.first > range.last { Interval::ANY_INT } else { range }
    };
    let offset = |(read, base, offset): (Value, u8, Value)| {
        let base = base.min(FLOATS as u8 - 1);
        Offset { read, base, range: range(offset) }
    };
    reads.into_iter().map(offset).collect()
}

/// Returns a number for each value that an offset may follow from, 0 for others, and how many
/// numbers there are.
fn needed(f: &Func, mut work: Vec<Value>) -> (Vec<u32>, usize) {
    let mut rows = vec![0; f.values.len()];
    let mut count = 1;
    // For each kind, whether a parameter or result of it was met.
    let mut is_given = [false; 4];
    while let Some(value) = work.pop() {
        if rows[value.index()] != 0 {
            continue;
        }
        rows[value.index()] = count;
        count += 1;
        if let Some(op) = f.op(value) {
            op.for_each(&f.pool, |operand| work.push(operand));
            continue;
        }
        let kind = f.ty(value).kind;
        if !std::mem::replace(&mut is_given[kind as usize], true) {
            // All that constructs may take of this kind: few are integers.
            work.extend(f.pool.iter().filter(|&&value| f.ty(value).kind == kind));
        }
    }
    (rows, count as usize)
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

/// Intervals of the lanes of values that offsets may follow from. Others have none.
struct Intervals<'a> {
    precision: Precision,
    constants: &'a FloatConstants,
    /// By value: the index of its intervals in the table, or 0.
    rows: Vec<u32>,
    table: Vec<[Interval; 4]>,
}

impl Intervals<'_> {
    fn row(&self, value: Value) -> usize {
        self.rows[value.index()] as usize
    }

    fn get(&self, lane: Lane) -> Interval {
        self.table[self.row(lane.value())][usize::from(lane.index())]
    }

    /// Adds an interval to what a parameter or result may be. Returns whether that is more than
    /// before.
    fn add(&mut self, taker: Value, new: [Interval; 4]) -> bool {
        let row @ 1.. = self.row(taker) else { return false };
        let old = &mut self.table[row];
        let joined = std::array::from_fn(|lane| old[lane].or(new[lane]));
        let more = joined != *old;
        *old = joined;
        more
    }

    fn transfer(&self, kind: ScalarKind, op: Op, index: u8) -> Interval {
        let at = |value| self.get(Lane::new(value, index));
        match op {
            Op::Const(bits) => Interval::from_bits(kind, bits[usize::from(index)]),
            Op::Shuffle(lanes) => self.get(lanes[usize::from(index)]),
            Op::Select { a, b, .. } => at(a).or(at(b)),
            Op::Read(Resource::IntUniform { .. }) => Interval::COMPONENT,
            Op::Read(Resource::Uniform(register)) => {
                let known = self.constants.get(usize::from(register)).copied().flatten();
                known.map_or(Interval::ANY_FLOAT, |lanes| {
                    let number = f32::from_bits(lanes[usize::from(index)]);
                    Interval::from_bits(kind, arith::load(self.precision, number).to_bits())
                })
            }
            Op::Unary(Unary::AddressP, a) => at(a).address(),
            Op::Unary(Unary::Neg, a) => at(a).negated(),
            Op::Unary(Unary::Floor, a) => at(a).floor(),
            Op::Binary(Binary::IAdd, a, b) => at(a).plus(at(b)),
            Op::Binary(Binary::ISub, a, b) => at(a).plus(at(b).negated()),
            Op::Binary(op, a, b) if op.shape() == Shape::Each && op.is_pica() => {
                self.binary(op, at(a), at(b))
            }
            _other => Interval::any(kind),
        }
    }

    /// The results of a PICA200 operation.
    fn binary(&self, op: Binary, a: Interval, b: Interval) -> Interval {
        let precision = self.precision;
        match op {
            Binary::MinP => a.least(b, precision),
            Binary::MaxP => a.negated().least(b.negated(), precision).negated(),
            Binary::SgeP | Binary::SltP => Interval::floats(0.0, 1.0, false),
            // Drivers may compute sums and products in another order.
            _other if precision.rules().reorders => Interval::ANY_FLOAT,
            Binary::AddP => a.add(b, precision),
            Binary::MulP => match (a, b) {
                (range, one) | (one, range) if one.first == one.last && !one.nan => {
                    range.mul(one.ends()[0], precision)
                }
                _two_ranges => Interval::ANY_FLOAT,
            },
            _other => Interval::ANY_FLOAT,
        }
    }

    /// The numbers of a parameter in any iteration, if the loop counts and adds a step to it in
    /// each.
    fn counted(&self, f: &Func, node: Node, counter: Counter, index: usize, next: Value) -> Option<Interval> {
        let NodeData::Loop { params, inits, .. } = f.nodes[node] else { return None };
        let (&param, &init) = (f.get(params).get(index)?, f.get(inits).get(index)?);
        let scalar = |value| self.get(Lane::new(value, 0));
        match f.op(next)? {
            Op::Binary(Binary::IAdd, a, b) if (a == param) != (b == param) => {
                let step = scalar(if a == param { b } else { a });
                let times = scalar(counter.init).last.max(0.0);
                Some(scalar(init).plus(step.up_to_times(times)))
            }
            // It would fall further in each round.
            Op::Binary(Binary::ISub, ..) if param == counter.param => Some(Interval::ANY_INT),
            _other => None,
        }
    }
}

impl Domain for Intervals<'_> {
    fn define(&mut self, f: &Func, value: Value) {
        let row @ 1.. = self.row(value) else { return };
        let (ty, Some(op)) = (f.ty(value), f.op(value)) else { return };
        for index in 0..ty.lanes {
            self.table[row][usize::from(index)] = self.transfer(ty.kind, op, index);
        }
    }

    fn enter(&mut self, f: &Func, node: Node, round: u32) {
        let NodeData::Loop { params, inits, .. } = f.nodes[node] else { return };
        for (&param, &init) in f.get(params).iter().zip(f.get(inits)) {
            let kind = f.ty(param).kind;
            // No offset follows from a float that a loop changes.
            let is_any = kind == ScalarKind::F32 || round >= ROUNDS;
            self.add(param, if is_any { [Interval::any(kind); 4] } else { self.table[self.row(init)] });
        }
    }

    fn exit(&mut self, f: &Func, exit: Exit, target: Target, _round: u32) -> bool {
        let takers = f.nodes[target.node].takers(exit);
        let continues = matches!(exit, Exit::Continue(_));
        let counter = if continues { Counter::find(f, target.node) } else { None };
        let mut more = false;
        for (index, (&taker, &value)) in f.get(takers).iter().zip(f.get(exit.list())).enumerate() {
            let counted = counter.and_then(|counter| self.counted(f, target.node, counter, index, value));
            more |= self.add(taker, counted.map_or(self.table[self.row(value)], |all| [all; 4]));
        }
        more && continues
    }
}

/// Numbers from `first` to `last`, and NaN if it is possible. They are integers of 32 bits or
/// floats; an f64 holds both.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Interval {
    first: f64,
    last: f64,
    nan: bool,
}

impl Interval {
    const NONE: Self = Self { first: f64::INFINITY, last: f64::NEG_INFINITY, nan: false };
    const ANY_INT: Self = Self { first: i32::MIN as f64, last: i32::MAX as f64, nan: false };
    const ANY_FLOAT: Self = Self { first: f64::NEG_INFINITY, last: f64::INFINITY, nan: true };
    /// Offsets that count.
    const BYTE: Self = Self { first: -128.0, last: 127.0, nan: false };
    /// A component of an int uniform.
    const COMPONENT: Self = Self { first: 0.0, last: 255.0, nan: false };

    /// Any number of a kind.
    fn any(kind: ScalarKind) -> Self {
        if kind == ScalarKind::F32 { Self::ANY_FLOAT } else { Self::ANY_INT }
    }
    /// Returns the number with these bits.
    fn from_bits(kind: ScalarKind, bits: u32) -> Self {
        let number = f32::from_bits(bits);
        if kind == ScalarKind::F32 {
            return Self::floats(number, number, false);
        }
        let number = f64::from(bits.cast_signed());
        Self { first: number, last: number, nan: false }
    }
    /// The floats between two, if these are not NaN.
    fn floats(a: f32, b: f32, nan: bool) -> Self {
        if a.is_nan() || b.is_nan() {
            return Self::ANY_FLOAT;
        }
        Self { first: f64::from(a.min(b)), last: f64::from(a.max(b)), nan }
    }
    /// The ends of an interval of floats.
    fn ends(self) -> [f32; 2] {
        [self.first, self.last].map(|end| end as f32) // Range: floats.
    }
    fn or(self, other: Self) -> Self {
        let nan = self.nan || other.nan;
        Self { first: self.first.min(other.first), last: self.last.max(other.last), nan }
    }
    fn negated(self) -> Self {
        Self { first: -self.last, last: -self.first, nan: self.nan }
    }
    fn is_in(self, other: Self) -> bool {
        other.first <= self.first && self.last <= other.last
    }

    /// Sums of integers: any, if they may wrap.
    fn plus(self, other: Self) -> Self {
        let sum = Self { first: self.first + other.first, last: self.last + other.last, nan: false };
        if sum.is_in(Self::ANY_INT) { sum } else { Self::ANY_INT }
    }
    /// Products of integers with a number from 0 to `most`.
    fn up_to_times(self, most: f64) -> Self {
        let (first, last) = (self.first.min(0.0) * most, self.last.max(0.0) * most);
        Self { first, last, nan: false }
    }
    /// As relative reads take offsets: 0 outside a signed byte.
    fn signed_byte(self) -> Self {
        if self.is_in(Self::BYTE) {
            return self;
        }
        let zero = Self { first: 0.0, last: 0.0, nan: false };
        let inside = Self { first: self.first.max(-128.0), last: self.last.min(127.0), nan: false };
        if inside.first <= inside.last { inside.or(zero) } else { zero }
    }

    /// The second operand where one is NaN; in `fast` either, as drivers do it.
    fn least(self, other: Self, precision: Precision) -> Self {
        let by_driver = precision.rules().reorders;
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
    /// Sums of floats; rounding keeps their order.
    fn add(self, other: Self, precision: Precision) -> Self {
        let ([a, b], [x, y]) = (self.ends(), other.ends());
        let cancels = |a: f32, b: f32| a == f32::INFINITY && b == f32::NEG_INFINITY;
        let nan = self.nan || other.nan || cancels(b, x) || cancels(y, a);
        Self::floats(arith::add(precision, a, x), arith::add(precision, b, y), nan)
    }
    /// Products of floats with one number.
    fn mul(self, factor: f32, precision: Precision) -> Self {
        let [a, b] = self.ends().map(|end| arith::mul(precision, end, factor));
        Self::floats(a, b, self.nan || !factor.is_finite())
    }
    fn floor(self) -> Self {
        Self { first: self.first.floor(), last: self.last.floor(), nan: self.nan }
    }
    /// As MOVA converts floats.
    fn address(self) -> Self {
        let [first, last] = self.ends().map(|end| f64::from(arith::address(end)));
        let offset = Self { first, last, nan: false }.signed_byte();
        if self.nan { offset.or(Self { first: 0.0, last: 0.0, nan: false }) } else { offset }
    }
}
