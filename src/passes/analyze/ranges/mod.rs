//! Ranges of numbers that a lane may hold: classes (signs, zeros, infinities, NaN) and a largest
//! exponent.
//! In: a function of either stage. Out: a [`Range`] for each lane. Changes nothing.
//!
//! The rows of `classes.rs` combine ranges. [`Ranges::sweep`] asks them for every value of a
//! function, as a [domain](crate::ir::dataflow). Values that a sweep has not seen are looked up
//! through their definitions on demand, with fuel; parameters and results among them may be
//! anything. `promises.rs` has sets of promises.
//!
//! `legalize` sweeps once, before it replaces anything, and leaves out guards. `simplify` decides
//! comparisons on demand, because it changes the function while it asks, and few lanes.
//!
//! A lane that may be subnormal may be zero, too: some drivers flush. So a finite class without
//! zeros means normal numbers.
//!
//! Promises of a host narrow ranges. Each narrowed lane has the [`Promises`] that its range depends
//! on: whatever ranges an answer looks up, it depends on what they depend on. A lane that may be
//! any number depends on nothing. So the range of a lane stays the same without all other promises.
//!
//! ```text
//! %2 = mulp %0, %1     %0 of v0, %1 of c4, both finite      %2 depends on v0 and c4
//! %4 = addp %2, %3     %3 may be any number, so %4, too     %4 depends on nothing
//! ```

mod classes;
mod promises;
#[cfg(test)]
mod tests;

pub(crate) use self::classes::Classes;
pub use self::classes::Range;
use self::promises::Needs;
pub use self::promises::Promises;

use std::cell::Cell;

use super::offsets::Offset;
use crate::host::settings::Options;
use crate::ir::FloatConstants;
use crate::ir::dataflow::{self, Domain};
use crate::ir::op::scalar;
use crate::ir::{
    Array, Binary, Exit, Func, Lane, Node, NodeData, Op, Resource, ScalarKind, Shape, Target, Unary, Value,
    ValueList,
};
use crate::machine::precision::Precision;
use crate::machine::precision::bits::ONE;
use crate::program::isa::sizes::INPUTS;
use crate::support::entity::Handle;

/// Number of definitions that one question may look at.
const FUEL: u32 = 32;
/// Rounds of a loop before nothing is known of its parameters: a row of parameters, each of which
/// is the next, learns from one round one step.
const ROUNDS: u32 = 8;

/// Ranges of the lanes of one value; those beyond its type may be anything.
type Lanes = [Range; 4];

const ANY: Lanes = [Range::ALL; 4];

/// Ranges of the values of a function.
#[derive(Debug)]
pub struct Ranges<'a> {
    pub(crate) precision: Precision,
    /// Float constants that take the place of uniforms.
    constants: Option<&'a FloatConstants>,
    /// Ranges of other uniforms, by promises.
    uniforms: Range,
    /// Ranges of inputs, by promises and by formats.
    inputs: [[Range; 2]; INPUTS],
    /// Range of what the program computes.
    results: Range,
    /// By value, those that a sweep has seen.
    table: Vec<Lanes>,
    /// Promises that make ranges narrower.
    promised: Promises,
    /// By value, the promises that the ranges of its lanes depend on; empty without promises.
    needs: Vec<[Needs; 4]>,
    /// Promises that the ranges looked up since the last [`take`](Cell::take) depend on.
    asked: Cell<Needs>,
    /// Relative reads of uniforms, by ascending value.
    offsets: &'a [Offset],
    quotients: Vec<Quotient>,
}

/// A product that divides each lane of an operand by the root whose reciprocal is the other
/// operand, and is 0 where that is infinite.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quotient {
    product: Value,
    pub operand: Value,
    pub reciprocal: Lane,
    /// Promises without which the operands may be others.
    pub needs: Promises,
}

impl<'a> Ranges<'a> {
    /// Ranges of a function before any sweep.
    pub fn new(precision: Precision, constants: Option<&'a FloatConstants>) -> Self {
        Self {
            precision,
            constants,
            uniforms: Range::ALL,
            inputs: [[Range::ALL; 2]; INPUTS],
            results: Range::ALL,
            table: Vec::new(),
            promised: Promises::NONE,
            needs: Vec::new(),
            asked: Cell::default(),
            offsets: &[],
            quotients: Vec::new(),
        }
    }

    /// Adds what the host says about the numbers that it feeds: formats, and those promises that
    /// are believed. Relative reads depend on the promises about all registers that they may reach.
    #[must_use]
    pub fn knowing(mut self, options: &Options, believed: Promises, offsets: &'a [Offset]) -> Self {
        let Options { assume, input, .. } = options;
        let precision = self.precision;
        let range = |promise| Range::promised(promise, precision);
        self.promised = believed;
        self.inputs = std::array::from_fn(|register| {
            [input.promises[register], input.formats[register].numbers()].map(range)
        });
        self.uniforms = range(assume.uniforms);
        self.results = self.promised(Promises::RESULTS, range(assume.results));
        self.offsets = offsets;
        self
    }

    /// Finds the ranges of all values. They hold as long as each value stays the same number,
    /// however its definition changes.
    pub fn sweep(&mut self, f: &Func) {
        self.table.clear();
        self.table.resize(f.values.len(), [Range::NONE; 4]);
        self.needs.clear();
        self.asked.take();
        if self.promised != Promises::NONE {
            self.needs.resize(f.values.len(), [Needs::default(); 4]);
        }
        for &param in f.get(f.params) {
            self.table[param.index()] = ANY;
        }
        dataflow::run(f, self);
        self.quotients.clear();
        // Nothing else is known to be finite.
        if self.uniforms != Range::ALL || self.inputs != [[Range::ALL; 2]; INPUTS] {
            self.quotients = f.values.keys().filter_map(|value| self.divides(f, value)).collect();
        }
    }

    /// Widens parameters or results by values. Returns whether any grew, or depends on more
    /// promises.
    fn join(&mut self, f: &Func, takers: ValueList, values: ValueList, widens: bool) -> bool {
        let mut changed = false;
        for (&taker, &value) in f.get(takers).iter().zip(f.get(values)) {
            let new = self.table[value.index()];
            let old = self.table[taker.index()];
            let joined: Lanes = std::array::from_fn(|lane| {
                if widens { old[lane].widened(new[lane]) } else { old[lane].or(new[lane]) }
            });
            changed |= joined != old;
            self.table[taker.index()] = joined;
            if self.is_promised() {
                let (new, old) = (self.needs[value.index()], self.needs[taker.index()]);
                let both = std::array::from_fn(|lane| old[lane].or(new[lane]).limited_to(joined[lane]));
                changed |= both != old;
                self.needs[taker.index()] = both;
            }
        }
        changed
    }

    /// Returns whether promises of the host narrow ranges.
    #[inline]
    pub(crate) fn is_promised(&self) -> bool {
        !self.needs.is_empty()
    }

    /// Returns whether the host gives all of these promises.
    fn has(&self, promises: Promises) -> bool {
        promises.are_in(self.promised)
    }

    /// Notes a dependence of what is looked up. Few modules have promises, so that others need not
    /// save registers for it.
    #[cold]
    fn ask(&self, needs: &Needs) {
        self.asked.set(self.asked.get().or(*needs));
    }

    /// Notes that the answer takes the least magnitudes of what was looked up into account.
    fn ask_for_least(&self) {
        if self.is_promised() {
            self.asked.set(self.asked.get().with_least());
        }
    }

    /// Returns what is left of a range that some promises are about, and notes that it depends on
    /// them.
    #[cold]
    fn promised(&self, promises: Promises, range: Range) -> Range {
        let registers = promises.without_least();
        if !self.has(registers) {
            return Range::ALL;
        }
        let range = if self.has(promises) { range } else { range.without_least() };
        let needs = Needs { range: registers, least: promises.without(registers) };
        self.ask(&needs.limited_to(range));
        range
    }

    /// Returns the promises without which a lane may be of other classes.
    pub(crate) fn needs(&self, f: &Func, lane: Lane) -> Promises {
        self.asked.take();
        let range = self.get(f, lane);
        self.asked.take().limited_to(range).range
    }

    /// Results of arithmetic, which the host may have limited.
    fn limited(&self, range: Range) -> Range {
        if self.results == Range::ALL {
            return range;
        }
        range.and(self.promised(Promises::RESULTS, self.results))
    }

    /// Returns the ranges of a value by its definition, and notes the promises that they depend on.
    /// The ranges of its operands are known.
    fn of_definition(&mut self, f: &Func, value: Value) -> Lanes {
        let (ty, op) = (f.ty(value), f.op(value));
        let all = |value: Value| self.table[value.index()] == ANY;
        match op {
            _other if ty.kind != ScalarKind::F32 => return ANY,
            Some(Op::Binary(
                Binary::MulP | Binary::AddP | Binary::DotP | Binary::MinP | Binary::MaxP,
                a,
                b,
            )) if a != b && all(a) && all(b) && self.results == Range::ALL => {
                return ANY;
            }
            // Each lane has needs of its own.
            _any if self.is_promised() => {}
            Some(Op::Shuffle(lanes)) => {
                return lanes.map(|lane| self.table[lane.value().index()][usize::from(lane.index())]);
            }
            // Four lanes.
            Some(Op::Read(resource @ (Resource::Uniform(_) | Resource::Input(_)))) => {
                return [0, 1, 2, 3].map(|index| self.read(resource, index));
            }
            Some(_) | None => {}
        }
        let mut lanes = ANY;
        for index in 0..ty.lanes {
            let (at, lane) = (usize::from(index), Lane::new(value, index));
            let repeats = |op| index > 0 && !self.is_promised() && self.repeats(f, op, index);
            let is_repeated = op.is_some_and(repeats);
            lanes[at] = if is_repeated { lanes[at - 1] } else { self.transfer(f, lane, &mut { FUEL }) };
            if self.is_promised() {
                self.needs[value.index()][at] = self.asked.take().limited_to(lanes[at]);
            }
        }
        lanes
    }

    /// Returns whether a lane has the operation and the ranges of the lane before it.
    fn repeats(&self, f: &Func, op: Op, index: u8) -> bool {
        let index = usize::from(index);
        let equal = |value: Value| {
            let lanes = &self.table[value.index()];
            lanes[index] == lanes[index - 1]
        };
        match op {
            Op::Unary(_, a) => equal(a),
            // The lane before it must be no square, quotient or fraction.
            Op::Binary(Binary::MulP, a, b) => {
                let [x, y] = [a, b].map(|value| Lane::new(value, index as u8 - 1));
                let is_square = || self.source(f, x) == self.source(f, y);
                equal(a) && equal(b) && (a == b || !is_square() && self.quotient(f, x, y).is_none())
            }
            Op::Binary(Binary::AddP, a, b) => {
                let [x, y] = [a, b].map(|value| Lane::new(value, index as u8 - 1));
                equal(a) && equal(b) && self.fraction(f, x, y).is_none()
            }
            Op::Binary(Binary::MinP | Binary::MaxP, a, b) => equal(a) && equal(b),
            _other => false,
        }
    }

    /// Returns the numbers that a lane of a value may be that a sweep has seen.
    #[inline]
    pub(crate) fn seen(&self, lane: Lane) -> Option<Range> {
        Some(self.table.get(lane.value().index())?[usize::from(lane.index())])
    }

    /// Returns the numbers that a lane may be.
    pub fn get(&self, f: &Func, lane: Lane) -> Range {
        self.find(f, lane, &mut { FUEL })
    }

    /// Returns whether every lane of a value may be any number, as far as the sweep found.
    #[inline]
    pub(crate) fn may_be_anything(&self, value: Value) -> bool {
        self.table.get(value.index()) == Some(&ANY)
    }

    /// The lane that a lane copies.
    pub(crate) fn source(&self, f: &Func, mut lane: Lane) -> Lane {
        for _ in 0..FUEL {
            let Some(Op::Shuffle(lanes)) = f.op(lane.value()) else { break };
            lane = lanes[usize::from(lane.index())];
        }
        lane
    }

    /// The lane that a lane copies, up to sign.
    pub(crate) fn root(&self, f: &Func, mut lane: Lane) -> Lane {
        for _ in 0..FUEL {
            lane = match f.op(lane.value()) {
                Some(Op::Shuffle(lanes)) => lanes[usize::from(lane.index())],
                Some(Op::Unary(Unary::Neg | Unary::Abs, a)) => Lane::new(a, lane.index()),
                Some(_) | None => break,
            };
        }
        lane
    }

    /// Returns whether two lanes may have other numbers, up to sign: a product of a lane with
    /// itself is not ∞ · 0.
    #[inline]
    pub(crate) fn are_apart(&self, f: &Func, a: Lane, b: Lane) -> bool {
        self.root(f, a) != self.root(f, b)
    }

    /// Returns the numbers that a lane may be; the recursion ends with the fuel.
    fn find(&self, f: &Func, lane: Lane, fuel: &mut u32) -> Range {
        if let Some(range) = self.seen(lane) {
            if self.is_promised() {
                self.ask(&self.needs[lane.value().index()][usize::from(lane.index())]);
            }
            return range;
        }
        match fuel.checked_sub(1) {
            Some(left) => *fuel = left,
            None => return Range::ALL,
        }
        self.transfer(f, lane, fuel)
    }

    /// Returns the numbers that a lane may be by its definition.
    fn transfer(&self, f: &Func, lane: Lane, fuel: &mut u32) -> Range {
        let index = lane.index();
        let at = |value: Value| Lane::new(value, index);
        match f.op(lane.value()) {
            Some(Op::Const(bits)) => Range::of_bits(bits[usize::from(index)]),
            Some(Op::Shuffle(lanes)) => self.find(f, lanes[usize::from(index)], fuel),
            Some(Op::Select { cond, a, b }) => self.select(f, at(cond), at(a), at(b), fuel),
            Some(Op::Unary(op, a)) => self.unary(op, self.find(f, at(a), fuel)),
            Some(Op::Binary(op, a, b)) if op.shape() == Shape::Dot => self.dot(f, op, a, b, fuel),
            Some(Op::Binary(op, a, b)) => self.binary(f, op, at(a), at(b), fuel),
            Some(Op::Read(resource)) => self.read(resource, index),
            Some(Op::ReadAt(Array::Uniform(_), _)) => self.read_anywhere(lane.value()),
            Some(Op::ReadAt(Array::Member(_) | Array::Buffer(_), _)) => Range::ALL,
            Some(Op::Submit { .. } | Op::Call { .. }) | None => Range::ALL,
        }
    }

    fn read(&self, resource: Resource, index: u8) -> Range {
        match resource {
            Resource::Uniform(register) => {
                match self.constants.and_then(|all| *all.get(usize::from(register))?) {
                    Some(bits) => Range::of_bits(bits[usize::from(index)]),
                    None if self.uniforms == Range::ALL => Range::ALL,
                    None => self.promised(Promises::uniforms(1 << (register & 127)), self.uniforms),
                }
            }
            Resource::Input(register) => {
                let register = usize::from(register) % INPUTS;
                match self.inputs[register] {
                    [Range::ALL, of_format] => of_format,
                    [range, of_format] => self.promised(Promises::attribute(register), range).and(of_format),
                }
            }
            Resource::IntUniform { .. }
            | Resource::BoolUniform(_)
            | Resource::Member { .. }
            | Resource::Index { .. }
            | Resource::Host(_)
            | Resource::Draw(_)
            | Resource::Specialized(_) => Range::ALL,
        }
    }

    /// A relative read, which depends on the promises about the registers in its reach.
    fn read_anywhere(&self, read: Value) -> Range {
        // Nothing is promised, so that no reach matters.
        if self.uniforms == Range::ALL {
            return Range::ALL;
        }
        let offset = self.offsets.binary_search_by_key(&read, |offset| offset.read);
        let mut reach = offset.map_or(u128::MAX, |index| self.offsets[index].indices());
        // After the last uniform there are ones.
        let mut range = self.uniforms.or(Range::of_bits(ONE));
        for (register, constant) in (0..).zip(self.constants.into_iter().flatten()) {
            for &bits in constant.iter().flatten() {
                reach &= !(1 << register);
                range = range.or(Range::of_bits(bits));
            }
        }
        self.promised(Promises::uniforms(reach), range)
    }

    // `simplify` makes a selection of an `if` without items, `legalize` one of MIN and MAX.
    fn select(&self, f: &Func, cond: Lane, a: Lane, b: Lane, fuel: &mut u32) -> Range {
        let compared = match f.op(cond.value()) {
            Some(Op::Binary(op @ (Binary::Less | Binary::Greater), x, y))
                if (x, y) == (a.value(), b.value()) =>
            {
                Some(op)
            }
            Some(_) | None => None,
        };
        let [x, y] = [a, b].map(|lane| self.find(f, lane, fuel));
        match compared {
            Some(op) => Range::choice(op == Binary::Less, x, y),
            None => {
                let cond = self.source(f, cond);
                self.where_it_is(f, cond, true, a, x, fuel).or(self.where_it_is(f, cond, false, b, y, fuel))
            }
        }
    }

    /// The numbers of a lane where a comparison with it holds or fails.
    fn where_it_is(
        &self,
        f: &Func,
        cond: Lane,
        holds: bool,
        lane: Lane,
        range: Range,
        fuel: &mut u32,
    ) -> Range {
        use Binary::{Equal, Greater, GreaterEqual, Less, LessEqual};
        let Some(Op::Binary(op @ (Equal | Greater | GreaterEqual | Less | LessEqual), x, y)) =
            f.op(cond.value())
        else {
            return range;
        };
        let at = |value| self.source(f, Lane::new(value, cond.index()));
        let (x, y, lane) = (at(x), at(y), self.source(f, lane));
        let other = if lane == x {
            y
        } else if lane == y {
            x
        } else {
            return range;
        };
        let other = self.find(f, other, fuel).classes;
        let compare = |a: Classes, b: Classes| {
            let (a, b) = if lane == x { (a, b) } else { (b, a) };
            // Two finite numbers of one sign may compare either way.
            a == b && Classes::FINITE.has(a)
                || (scalar::binary(op, self.precision, a.sample(), b.sample()) != 0) == holds
        };
        let is_possible = |class: &Classes| other.each().any(|other| compare(*class, other));
        let classes = range.classes.each().filter(is_possible).fold(Classes::NONE, Classes::or);
        // A subnormal number compares as itself and may then count as zero.
        let zeros =
            if classes.has(Classes::FINITE) { range.classes.and(Classes::ZERO) } else { Classes::NONE };
        range.with(classes.or(zeros))
    }

    fn unary(&self, op: Unary, a: Range) -> Range {
        match op {
            Unary::Neg => a.negated(),
            Unary::Abs => a.magnitude(),
            Unary::Floor => a.floor(),
            Unary::RcpP => self.limited(a.rcp(self.precision)),
            Unary::RsqP => self.limited(a.rsq(self.precision)),
            Unary::Exp2P => self.limited(a.exp2(self.precision)),
            Unary::Log2P => self.limited(a.log2(self.precision)),
            // Nothing is known of what drivers compute, and of kinds other than floats.
            _other => Range::ALL,
        }
    }

    fn dot(&self, f: &Func, op: Binary, a: Value, b: Value, fuel: &mut u32) -> Range {
        if op != Binary::DotP {
            return Range::ALL;
        }
        let mut total = self.product(f, Lane::new(a, 0), Lane::new(b, 0), fuel);
        let mut least = total.least();
        for lane in 1..f.ty(a).lanes {
            // No further term makes it less.
            if total == Range::ALL {
                return self.limited(total);
            }
            let product = self.product(f, Lane::new(a, lane), Lane::new(b, lane), fuel);
            total = Range::sum(self.precision, total, product);
            least = least.min(product.least());
        }
        self.limited(total.at_least_of_terms(self.precision, least, true))
    }

    fn product(&self, f: &Func, a: Lane, b: Lane, fuel: &mut u32) -> Range {
        let is_square = self.source(f, a) == self.source(f, b);
        let x = self.find(f, a, fuel);
        let y = if is_square { x } else { self.find(f, b, fuel) };
        // Only numbers that are finite have roots of which something is known.
        let is_open = |range: Range| range.classes.has(Classes::NOT_FINITE);
        if !(is_square || is_open(x) && is_open(y))
            && let Some((.., range)) = self.quotient(f, a, b)
        {
            return range;
        }
        let product = Range::product(self.precision, x, y, is_square);
        // A product that cannot vanish: its classes follow from the least magnitudes.
        if self.is_promised()
            && Range::product(self.precision, x.without_least(), y, is_square).classes != product.classes
        {
            self.ask_for_least();
        }
        product
    }

    /// Returns the lane and the reciprocal root of a product that has the one divided by the other,
    /// and what it may be: a lane of a vector over its length, as in `v * rsq(v · v)` and
    /// `v * rsq(max(v · v, 0.1))`, or a root, `x * rsq(x)`.
    fn quotient(&self, f: &Func, a: Lane, b: Lane) -> Option<(Lane, Lane, Range)> {
        [[a, b], [b, a]].into_iter().find_map(|[lane, factor]| {
            let factor = self.source(f, factor);
            let Some(Op::Unary(Unary::RsqP, square)) = f.op(factor.value()) else { return None };
            let asked = self.asked.get();
            let found = self.divided(f, lane, self.source(f, Lane::new(square, factor.index())));
            if found.is_none() {
                // It is none without promises either.
                self.asked.set(asked);
            }
            found.map(|range| (lane, factor, range))
        })
    }

    /// Returns what a lane may be over the root of another lane, if that is known.
    fn divided(&self, f: &Func, lane: Lane, square: Lane) -> Option<Range> {
        let range = self.get(f, lane);
        if range.classes.has(Classes::NOT_FINITE) || self.precision != Precision::Exact {
            return None;
        }
        if self.source(f, lane) == square {
            return range.root();
        }
        let (sum, is_positive) = self.without_least(f, square);
        self.is_squared_length(f, sum, lane, is_positive).then(|| range.normalized())
    }

    /// The lane of which a lane is the maximum with a positive constant, and whether it is one.
    fn without_least(&self, f: &Func, lane: Lane) -> (Lane, bool) {
        let Some(Op::Binary(Binary::MaxP, a, b)) = f.op(lane.value()) else { return (lane, false) };
        let at = |value| self.source(f, Lane::new(value, lane.index()));
        let is_positive = |lane: Lane| self.get(f, lane).is_positive();
        match [at(a), at(b)] {
            [constant, other] if is_positive(constant) => (other, true),
            [other, constant] if is_positive(constant) => (other, true),
            _unknown => (lane, false),
        }
    }

    /// Returns whether a lane is a sum of squares, one of them the square of another lane. No
    /// square may vanish, unless a sum of 0 is taken care of.
    fn is_squared_length(&self, f: &Func, sum: Lane, of: Lane, may_vanish: bool) -> bool {
        let root = self.root(f, of);
        let mut has_lane = false;
        let mut is_square = |a: Lane, b: Lane| {
            let [a, b] = [a, b].map(|lane| self.source(f, lane));
            has_lane |= self.root(f, a) == root;
            let range = self.get(f, a);
            let is_number = !range.classes.has(Classes::NAN);
            if !may_vanish {
                self.ask_for_least();
            }
            a == b && is_number && (may_vanish || !range.square_may_vanish(self.precision))
        };
        let mut terms = [sum; 4];
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let term = self.source(f, terms[count]);
            let at = |value| Lane::new(value, term.index());
            let is_found = match f.op(term.value()) {
                Some(Op::Binary(Binary::MulP, a, b)) => is_square(at(a), at(b)),
                Some(Op::Binary(Binary::DotP, a, b)) => {
                    let mut lanes = 0..f.ty(a).lanes;
                    lanes.all(|lane| is_square(Lane::new(a, lane), Lane::new(b, lane)))
                }
                Some(Op::Binary(Binary::AddP, a, b)) if count + 2 <= terms.len() => {
                    [terms[count], terms[count + 1]] = [at(a), at(b)];
                    count += 2;
                    true
                }
                Some(_) | None => false,
            };
            if !is_found {
                return false;
            }
        }
        has_lane
    }

    /// Returns a value as a quotient if it is one in every lane, and by a root that may be
    /// infinite.
    fn divides(&self, f: &Func, product: Value) -> Option<Quotient> {
        let Some(Op::Binary(Binary::MulP, a, b)) = f.op(product) else { return None };
        self.asked.take();
        let each = |index| self.quotient(f, Lane::new(a, index), Lane::new(b, index));
        let (lane, reciprocal, _) =
            each(0).filter(|(_, factor, _)| self.get(f, *factor).classes.has(Classes::INFINITE))?;
        let operand = lane.value();
        let is_same = |index| {
            each(index).is_some_and(|(other, by, _)| (other, by) == (Lane::new(operand, index), reciprocal))
        };
        let found = (1..f.ty(product).lanes).all(is_same);
        found.then(|| Quotient { product, operand, reciprocal, needs: self.asked.take().range })
    }

    /// Returns the quotient that a value is, or `None` if it is another value.
    pub(crate) fn quotient_of(&self, value: Value) -> Option<Quotient> {
        self.quotients.iter().find(|quotient| quotient.product == value).copied()
    }

    /// Returns what is left of a number without its integer part, `x - floor(x)` or
    /// `x - floor(x + c)`. The sum is no farther from `x` than twice `c`.
    fn fraction(&self, f: &Func, a: Lane, b: Lane) -> Option<Range> {
        let operand = |lane: Lane, wanted: Unary| match f.op(lane.value()) {
            Some(Op::Unary(op, a)) if op == wanted => Some(self.source(f, Lane::new(a, lane.index()))),
            Some(_) | None => None,
        };
        if self.precision != Precision::Exact {
            return None;
        }
        [[a, b], [b, a]].into_iter().find_map(|[x, part]| {
            let floor = operand(operand(self.source(f, part), Unary::Neg)?, Unary::Floor)?;
            let x = self.source(f, x);
            if floor == x {
                return Some(self.get(f, x).fraction(Range::of_bits(0)));
            }
            let Some(Op::Binary(Binary::AddP, p, q)) = f.op(floor.value()) else { return None };
            let [p, q] = [p, q].map(|value| self.source(f, Lane::new(value, floor.index())));
            let added = if p == x { q } else { p };
            (p == x || q == x).then(|| self.get(f, x).fraction(self.get(f, added)))
        })
    }

    fn binary(&self, f: &Func, op: Binary, a: Lane, b: Lane, fuel: &mut u32) -> Range {
        match op {
            Binary::SgeP | Binary::SltP => Range::SET,
            Binary::MulP => self.limited(self.product(f, a, b, fuel)),
            Binary::AddP => {
                let found = self.find(f, a, fuel);
                self.limited(match (self.fraction(f, a, b), found) {
                    (Some(fraction), _) => fraction,
                    (None, Range::ALL) => Range::ALL,
                    (None, a) => Range::sum(self.precision, a, self.find(f, b, fuel)),
                })
            }
            Binary::MinP | Binary::MaxP => {
                let a = self.find(f, a, fuel);
                Range::choice(op.choice() == Some(Binary::Less), a, self.find(f, b, fuel))
            }
            Binary::Min | Binary::Max => {
                let (a, b) = (self.find(f, a, fuel), self.find(f, b, fuel));
                let is_less = op == Binary::Min;
                Range::choice(is_less, a, b).or(Range::choice(is_less, b, a))
            }
            // Nothing is known of what drivers compute, and of kinds other than floats.
            _other => Range::ALL,
        }
    }
}

impl Domain for Ranges<'_> {
    fn define(&mut self, f: &Func, value: Value) {
        if self.is_promised() {
            self.needs[value.index()] = [Needs::default(); 4];
        }
        self.table[value.index()] = self.of_definition(f, value);
    }

    fn enter(&mut self, f: &Func, node: Node, round: u32) {
        let NodeData::Loop { params, inits, .. } = f.nodes[node] else { return };
        if round < ROUNDS {
            self.join(f, params, inits, false);
        } else {
            for param in f.get(params) {
                self.table[param.index()] = ANY;
                if self.is_promised() {
                    self.needs[param.index()] = [Needs::default(); 4];
                }
            }
        }
    }

    fn exit(&mut self, f: &Func, exit: Exit, target: Target, round: u32) -> bool {
        let repeats = matches!(exit, Exit::Continue(_));
        // Exponents of the first round need not grow any further.
        self.join(f, f.nodes[target.node].takers(exit), exit.list(), repeats && round > 0) && repeats
    }
}
