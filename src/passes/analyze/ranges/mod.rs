//! Ranges of numbers that a lane may hold: classes (signs, zeros, infinities, NaN) and a largest
//! exponent.
//! In: a function of either stage. Out: a [`Range`] for each lane. Changes nothing.
//!
//! The rows of `classes` combine ranges. [`Ranges::sweep`] asks them for every value of a function,
//! as a [domain](crate::ir::dataflow). Values that a sweep has not seen are looked up through
//! their definitions on demand, with fuel; parameters and results among them may be anything.
//!
//! `legalize` sweeps once, before it replaces anything, and leaves out guards. `simplify` decides
//! comparisons on demand, because it changes the function while it asks, and few lanes.
//!
//! A lane that may be subnormal may be zero, too: some drivers flush. So a finite class without
//! zeros means normal numbers.

mod classes;
#[cfg(test)]
mod tests;

pub(crate) use self::classes::Classes;
pub use self::classes::Range;

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
use crate::program::isa::limits::INPUTS;
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
    precision: Precision,
    /// Float constants that take the place of uniforms.
    constants: Option<&'a FloatConstants>,
    /// Ranges of other uniforms, and of inputs.
    uniforms: Range,
    inputs: [Range; INPUTS],
    /// Range of all uniforms and constants, and of the ones after them.
    anywhere: Range,
    /// Range of what the program computes.
    results: Range,
    /// By value, those that a sweep has seen.
    table: Vec<Lanes>,
    /// Products that divide each lane of an operand by the root whose reciprocal is the other, and
    /// are 0 where that is infinite: the product, the operand, and the reciprocal.
    quotients: Vec<(Value, Value, Lane)>,
}

impl<'a> Ranges<'a> {
    /// Ranges of a function before any sweep.
    pub fn new(precision: Precision, constants: Option<&'a FloatConstants>) -> Self {
        let (uniforms, inputs, anywhere) = (Range::ALL, [Range::ALL; INPUTS], Range::ALL);
        let (results, table, quotients) = (Range::ALL, Vec::new(), Vec::new());
        Self { precision, constants, uniforms, inputs, anywhere, results, table, quotients }
    }

    /// With knowledge of what the host feeds.
    #[must_use]
    pub fn knowing(mut self, options: &Options) -> Self {
        self.uniforms = Range::promised(options.assume.uniforms, self.precision);
        self.inputs = options.input.numbers().map(|promise| Range::promised(promise, self.precision));
        self.results = Range::promised(options.assume.results, self.precision);
        // Nothing is more than all.
        let constants = self.constants.filter(|_| self.uniforms != Range::ALL);
        let constants = constants.into_iter().flatten().flatten().flatten();
        // After the last uniform there are ones.
        let one = Range::of_bits(ONE);
        self.anywhere = constants.fold(self.uniforms.or(one), |all, &bits| all.or(Range::of_bits(bits)));
        self
    }

    /// Finds the ranges of all values. They hold as long as each value stays the same number,
    /// however its definition changes.
    pub fn sweep(&mut self, f: &Func) {
        self.table.clear();
        self.table.resize(f.values.len(), [Range::NONE; 4]);
        for &param in f.get(f.params) {
            self.table[param.index()] = ANY;
        }
        dataflow::run(f, self);
        self.quotients.clear();
        // Nothing else is known to be finite.
        if self.uniforms != Range::ALL || self.inputs != [Range::ALL; INPUTS] {
            self.quotients = f.values.iter().filter_map(|(value, _)| self.divides(f, value)).collect();
        }
    }

    /// Adds values to what parameters or results may be; whether that is more than before.
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
        }
        changed
    }

    /// The ranges of a value by its definition; those of its operands are known.
    fn of_definition(&self, f: &Func, value: Value) -> Lanes {
        let (ty, op) = (f.ty(value), f.op(value));
        let all = |value: Value| self.table[value.index()] == ANY;
        match op {
            _other if ty.kind != ScalarKind::F32 => return ANY,
            Some(Op::Shuffle(lanes)) => {
                return lanes.map(|lane| self.table[lane.value().index()][usize::from(lane.index())]);
            }
            // Four lanes.
            Some(Op::Read(resource @ (Resource::Uniform(_) | Resource::Input(_)))) => {
                return [0, 1, 2, 3].map(|index| self.read(resource, index));
            }
            Some(Op::Binary(
                Binary::MulP | Binary::AddP | Binary::DotP | Binary::MinP | Binary::MaxP,
                a,
                b,
            )) if a != b && all(a) && all(b) && self.results == Range::ALL => {
                return ANY;
            }
            Some(_) | None => {}
        }
        let mut lanes = ANY;
        for index in 0..ty.lanes {
            let at = usize::from(index);
            lanes[at] = match op {
                Some(op) if index > 0 && self.repeats(f, op, index) => lanes[at - 1],
                Some(_) | None => self.transfer(f, Lane::new(value, index), &mut { FUEL }),
            };
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

    /// The numbers that any result of arithmetic may be.
    pub(crate) fn results(&self) -> Range {
        self.results
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

    /// Returns whether the product of two lanes with these classes may be ∞ · 0. That of a lane
    /// with itself, up to sign, is not.
    pub(crate) fn may_be_infinity_times_zero(
        &self,
        f: &Func,
        a: (Lane, Classes),
        b: (Lane, Classes),
    ) -> bool {
        let possible = |x: Classes, y: Classes| x.has(Classes::ZERO) && y.has(Classes::INFINITE);
        (possible(a.1, b.1) || possible(b.1, a.1)) && self.root(f, a.0) != self.root(f, b.0)
    }

    /// Returns the numbers that a lane may be; the recursion ends with the fuel.
    fn find(&self, f: &Func, lane: Lane, fuel: &mut u32) -> Range {
        if let Some(range) = self.seen(lane) {
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
            Some(Op::ReadAt(array, _)) => self.read_at(array),
            Some(Op::Submit { .. } | Op::Call { .. }) | None => Range::ALL,
        }
    }

    fn read(&self, resource: Resource, index: u8) -> Range {
        match resource {
            Resource::Uniform(register) => {
                let constant = self.constants.and_then(|all| *all.get(usize::from(register))?);
                constant.map_or(self.uniforms, |bits| Range::of_bits(bits[usize::from(index)]))
            }
            Resource::Input(register) => self.inputs[usize::from(register) % INPUTS],
            Resource::IntUniform { .. }
            | Resource::BoolUniform(_)
            | Resource::Member { .. }
            | Resource::Index { .. }
            | Resource::Host(_)
            | Resource::Draw(_)
            | Resource::Specialized(_) => Range::ALL,
        }
    }

    fn read_at(&self, array: Array) -> Range {
        match array {
            Array::Uniform(_) => self.anywhere,
            Array::Member(_) | Array::Buffer(_) => Range::ALL,
        }
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
            Unary::RcpP => a.rcp(self.precision).and(self.results),
            Unary::RsqP => a.rsq(self.precision).and(self.results),
            Unary::Exp2P | Unary::Exp2Portable => a.exp2(self.precision).and(self.results),
            Unary::Log2P | Unary::Log2Portable => a.log2(self.precision).and(self.results),
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
                return self.results;
            }
            let product = self.product(f, Lane::new(a, lane), Lane::new(b, lane), fuel);
            total = Range::sum(self.precision, total, product);
            least = least.min(product.least());
        }
        total.at_least_of_terms(self.precision, least, true).and(self.results)
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
        Range::product(self.precision, x, y, is_square)
    }

    /// Returns the lane and the reciprocal root of a product that has the one divided by the other,
    /// and what it may be: a lane of a vector over its length, as in `v * rsq(v · v)` and
    /// `v * rsq(max(v · v, 0.1))`, or a root, `x * rsq(x)`.
    fn quotient(&self, f: &Func, a: Lane, b: Lane) -> Option<(Lane, Lane, Range)> {
        [[a, b], [b, a]].into_iter().find_map(|[lane, factor]| {
            let factor = self.source(f, factor);
            let Some(Op::Unary(Unary::RsqP, square)) = f.op(factor.value()) else { return None };
            let square = self.source(f, Lane::new(square, factor.index()));
            let range = self.get(f, lane);
            if range.classes.has(Classes::NOT_FINITE) || self.precision != Precision::Exact {
                return None;
            }
            if self.source(f, lane) == square {
                return range.root().map(|root| (lane, factor, root));
            }
            let (sum, is_positive) = self.without_least(f, square);
            let is_length = self.is_squared_length(f, sum, lane, is_positive);
            is_length.then(|| (lane, factor, range.normalized()))
        })
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

    /// Returns whether a lane is a sum of squares, one of them that of another lane. No square may
    /// vanish, unless a sum of 0 is taken care of.
    fn is_squared_length(&self, f: &Func, sum: Lane, of: Lane, may_vanish: bool) -> bool {
        let root = self.root(f, of);
        let mut has_lane = false;
        let mut is_square = |a: Lane, b: Lane| {
            let [a, b] = [a, b].map(|lane| self.source(f, lane));
            has_lane |= self.root(f, a) == root;
            let range = self.get(f, a);
            let is_number = !range.classes.has(Classes::NAN);
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

    /// Returns what [`Self::quotients`] keeps of a value, if it is a quotient in every lane, and by
    /// a root that may be infinite.
    fn divides(&self, f: &Func, value: Value) -> Option<(Value, Value, Lane)> {
        let Some(Op::Binary(Binary::MulP, a, b)) = f.op(value) else { return None };
        let each = |index| self.quotient(f, Lane::new(a, index), Lane::new(b, index));
        let (lane, factor, _) =
            each(0).filter(|(_, factor, _)| self.get(f, *factor).classes.has(Classes::INFINITE))?;
        let is_same = |index| {
            each(index).is_some_and(|(other, by, _)| (other, by) == (Lane::new(lane.value(), index), factor))
        };
        (1..f.ty(value).lanes).all(is_same).then_some((value, lane.value(), factor))
    }

    /// Returns the operand and the reciprocal root of a quotient, see [`Self::quotients`].
    pub(crate) fn quotient_of(&self, value: Value) -> Option<(Value, Lane)> {
        let found = self.quotients.iter().find(|(product, ..)| *product == value);
        found.map(|&(_, operand, factor)| (operand, factor))
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
            Binary::MulP => self.product(f, a, b, fuel).and(self.results),
            Binary::AddP => match self.find(f, a, fuel) {
                _known if let Some(fraction) = self.fraction(f, a, b) => fraction.and(self.results),
                Range::ALL => self.results,
                a => Range::sum(self.precision, a, self.find(f, b, fuel)).and(self.results),
            },
            Binary::MinP | Binary::MaxP | Binary::NMin | Binary::NMax => {
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
        self.table[value.index()] = self.of_definition(f, value);
    }

    fn enter(&mut self, f: &Func, node: Node, round: u32) {
        let NodeData::Loop { params, inits, .. } = f.nodes[node] else { return };
        if round < ROUNDS {
            self.join(f, params, inits, false);
        } else {
            f.get(params).iter().for_each(|param| self.table[param.index()] = ANY);
        }
    }

    fn exit(&mut self, f: &Func, exit: Exit, target: Target, round: u32) -> bool {
        let repeats = matches!(exit, Exit::Continue(_));
        // Exponents of the first round need not grow any further.
        self.join(f, f.nodes[target.node].takers(exit), exit.list(), repeats && round > 0) && repeats
    }
}
