//! Products, sums and dot products of which no constant decides a lane (see `folding`).
//! In: operands without constant zeros. Out: the operation that takes the place of the PICA200
//! one, after those that it needs are emitted.
//!
//! The classes of the operands decide lane by lane: a product in which ∞ · 0 cannot happen is the
//! plain one, others are guarded (see `helpers`). The guarded product of NaN and 0 is 0, so
//! operands that may be NaN where the other is 0 are tested, as late and as seldom as possible:
//!
//! * A dot product is NaN if a component that it reads is. One test of each vector is enough.
//! * A sum is NaN if a term is. Products that are terms of nothing else leave their tests to it,
//!   and so do sums that are.
//!
//! ```text
//! %3 = mulp %0, %1       =>      %3 = call pica_mul(%0, %1) ; %5 = is_nan %0 ; %6 = is_nan %1 ; %7 = or %5, %6
//! %4 = addp %3, %2                %8 = add %3, %2 ; %4 = select %7, nan, %8
//! ```

use super::helpers::Helper;
use super::pass::{Group, Pass};
use crate::ir::{Binary, Def, Func, Item, Lane, NodeData, Op, Value};
use crate::machine::precision::bits::NAN;
use crate::passes::analyze::ranges::{Classes, Quotient};
use crate::support::entity::Handle;

/// Facts about the operands of a product or dot product.
#[derive(Clone, Copy)]
struct Guard {
    /// The lanes in which ∞ · 0 may happen.
    lanes: u8,
    /// The lanes of each operand that may be NaN where the other is 0.
    nan: [u8; 2],
}

impl Guard {
    /// The operands of which some of these lanes have to be tested for NaN.
    fn tested(self, lanes: u8) -> [bool; 2] {
        self.nan.map(|nan| nan & lanes != 0)
    }
}

/// The mask of all lanes.
const fn mask(lanes: u8) -> u8 {
    (1 << lanes) - 1
}

/// Numbers of uses of the values of a function. One in another region than the definition counts
/// twice, since a test must not move into a loop or an arm.
pub(super) fn uses(f: &Func) -> Vec<u8> {
    let mut uses = vec![0u8; f.values.len()];
    // Regions of what was met; what was not is of another one, since operands come first.
    let mut home = vec![u32::MAX; f.values.len()];
    let mut add = |value: Value, count: u8| {
        let uses = &mut uses[value.index()];
        *uses = uses.saturating_add(count);
    };
    for (region, data) in (0..).zip(f.regions.values()) {
        f.get(data.exit.list()).iter().for_each(|&value| add(value, 2));
        for item in &data.items {
            if let Item::Let(value) = item
                && let Def::Op(op) = &f.values[*value].def
            {
                home[value.index()] = region;
                op.for_each(&f.pool, |operand| {
                    add(operand, if home[operand.index()] == region { 1 } else { 2 });
                });
            }
        }
    }
    for node in f.nodes.values() {
        if let NodeData::Loop { inits, .. } = node {
            f.get(*inits).iter().for_each(|&value| add(value, 2));
        }
        node.decider().into_iter().for_each(|value| add(value, 2));
    }
    uses
}

impl Pass<'_> {
    /// Product, with a guard where ∞ · 0 may happen and tests where NaN · 0 may.
    pub(super) fn guarded_mul(&mut self, a: Value, b: Value) -> Op {
        let lanes = self.emit.func.ty(a).lanes;
        let mut guard = self.guard(a, b);
        if guard.lanes == 0 {
            return Op::Binary(Binary::Mul, a, b);
        }
        if guard.lanes != mask(lanes) {
            return self.partly_guarded_mul(a, b, guard.lanes);
        }
        // NaN · NaN is NaN by itself: where NaN in one operand implies it in the other, the guard
        // sees no zero. A test is of all lanes or of none, because helpers test entire operands.
        for (nan, [from, to]) in [(0, [a, b]), (1, [b, a])] {
            let mut tested = (0..lanes).filter(|index| guard.nan[nan] >> index & 1 != 0);
            let is_needless = tested.all(|index| {
                let [from, to] =
                    [from, to].map(|value| self.facts.ranges.root(self.emit.func, Lane::new(value, index)));
                self.implies_nan(from, to)
            });
            if is_needless {
                guard.nan[nan] = 0;
            }
        }
        let (helper, args) = match guard.tested(guard.lanes) {
            [false, false] => (Helper::Mul, [a, b]),
            // Products commute, so one helper tests either operand.
            [true, false] => (Helper::MulFirst, [a, b]),
            [false, true] => (Helper::MulFirst, [b, a]),
            [true, true] => (Helper::MulEither, [a, b]),
        };
        self.call(helper, lanes, &args)
    }

    /// The product that divides by a root, where promises say that the reciprocal is infinite for 0
    /// alone, as 0 over its length: 0 times the largest number is 0, too.
    pub(super) fn quotient(&mut self, value: Value) -> Option<Op> {
        let Quotient { operand: vector, reciprocal: factor, .. } = self.facts.quotient_of(value)?;
        if self.facts.constants.get(vector).lanes != 0 || self.facts.constants.lane(factor).is_some() {
            return None;
        }
        let lanes = self.emit.func.ty(vector).lanes;
        let length = self.emit.lane(factor);
        let largest = self.emit.float(1, f32::MAX);
        let is_less = self.emit.binary(Binary::Less, length, largest);
        let finite = self.emit.select(is_less, length, largest);
        let all = self.gather(&[Lane::new(finite, 0); 4][..usize::from(lanes)]);
        Some(Op::Binary(Binary::Mul, vector, all))
    }

    /// A product of which some lanes need a guard.
    fn partly_guarded_mul(&mut self, a: Value, b: Value, guarded: u8) -> Op {
        let ty = self.emit.func.ty(a);
        let mut groups = [Group::new(); 2];
        for index in 0..ty.lanes {
            let group = &mut groups[usize::from(guarded >> index & 1)];
            group.push(Lane::new(a, index), Lane::new(b, index), index);
        }
        let mut result = [Lane::new(a, 0); 4];
        for group in groups {
            let [first, second] =
                [group.a, group.b].map(|lanes| self.gather(&lanes[..usize::from(group.len)]));
            let op = self.guarded_mul(first, second);
            self.place(&mut result, ty, &group, op);
        }
        Op::shuffle(result, ty.lanes)
    }

    /// Facts about a product.
    fn guard(&mut self, a: Value, b: Value) -> Guard {
        let mut guard = Guard { lanes: 0, nan: [0; 2] };
        if !self.precision.rules().guards {
            return guard;
        }
        let func = &*self.emit.func;
        // Operands may have been emitted since the last question.
        self.facts.catch_up(func);
        let lanes = func.ty(a).lanes;
        let is_copy = |value| matches!(func.op(value), Some(Op::Shuffle(_) | Op::Unary(..)));
        // Most operands: any number, and no lane is a copy of another one, so no question below can
        // say no.
        if a != b && [a, b].iter().all(|&value| self.facts.may_be_anything(value) && !is_copy(value)) {
            return Guard { lanes: mask(lanes), nan: [mask(lanes); 2] };
        }
        // float24 counts small numbers as 0. Its guarded product also rounds, so every lane has it.
        let is_f24 = self.precision.rules().rounds;
        let zero = Classes::ZERO.or(if is_f24 { Classes::FINITE } else { Classes::NONE });
        for index in 0..lanes {
            let lanes = [a, b].map(|value| Lane::new(value, index));
            let [x, y] = lanes.map(|lane| self.facts.classes(func, lane));
            let both = |of_a: Classes, of_b: Classes| x.has(of_a) && y.has(of_b);
            let is_guarded = is_f24
                || (both(Classes::ZERO, Classes::INFINITE) || both(Classes::INFINITE, Classes::ZERO))
                    && self.facts.ranges.are_apart(func, lanes[0], lanes[1]);
            guard.lanes |= u8::from(is_guarded) << index;
            guard.nan[0] |= u8::from(both(Classes::NAN, zero)) << index;
            guard.nan[1] |= u8::from(both(zero, Classes::NAN)) << index;
            if self.facts.ranges.is_promised() {
                self.rely_on_classes(lanes, [x, y], zero);
            }
        }
        guard
    }

    /// Notes the promises by which a product of lanes of these classes needs no guard or no test.
    #[cold]
    fn rely_on_classes(&self, lanes: [Lane; 2], [x, y]: [Classes; 2], zero: Classes) {
        let func = &*self.emit.func;
        let both = |of_a: Classes, of_b: Classes| {
            self.facts.may_both(func, [(lanes[0], x, of_a), (lanes[1], y, of_b)])
        };
        if !self.precision.rules().rounds && self.facts.ranges.are_apart(func, lanes[0], lanes[1]) {
            let _is_guarded =
                both(Classes::ZERO, Classes::INFINITE) || both(Classes::INFINITE, Classes::ZERO);
        }
        let _are_tested = [both(Classes::NAN, zero), both(zero, Classes::NAN)];
    }

    /// Dot product of at least two lanes, with a guard if ∞ · 0 may happen in one, and tests of
    /// both operands if NaN · 0 may.
    pub(super) fn guarded_dot(&mut self, a: Value, b: Value) -> Op {
        if !self.precision.rules().guards {
            return Op::Binary(Binary::Dot, a, b);
        }
        let lanes = self.emit.func.ty(a).lanes;
        let guard = self.guard(a, b);
        let (helper, or_nan, guarded) = match guard.lanes {
            0 => return self.call(Helper::DotPlain, lanes, &[a, b]),
            // The last lane of a point is 1, which makes no NaN of ∞: position · matrix is common.
            some if some == mask(lanes - 1) => (Helper::DotPoint, Helper::DotPointNan, some),
            _some => (Helper::Dot, Helper::DotNan, mask(lanes)),
        };
        match self.has_nan([a, b], guard.tested(guarded)) {
            None => self.call(helper, lanes, &[a, b]),
            Some(is_nan) => self.call(or_nan, lanes, &[a, b, is_nan]),
        }
    }

    /// Sum that takes over the tests of operands that are used here alone: NaN of a term is NaN of
    /// the sum, so one test after the last sum replaces one after each product.
    pub(super) fn add_with_tests(&mut self, a: Value, b: Value) -> Op {
        let ty = self.emit.func.ty(a);
        let [first, second] = [a, b].map(|operand| self.take_test(operand));
        let sum = self.plain_add(a, b);
        let Some(is_nan) = self.either(first, second) else { return sum };
        let sum = self.emit.op(ty, sum);
        let nan = self.emit.op(ty, Op::splat(ty, NAN));
        Op::Select { cond: is_nan, a: nan, b: sum }
    }

    /// Sum without tests.
    pub(super) fn plain_add(&mut self, a: Value, b: Value) -> Op {
        if self.precision.rules().rounds {
            let lanes = self.emit.func.ty(a).lanes;
            self.call(Helper::Add, lanes, &[a, b])
        } else {
            Op::Binary(Binary::Add, a, b)
        }
    }

    /// Removes the tests that make a value NaN. Returns where they hold, or `None` if there are
    /// none or something else reads the value.
    fn take_test(&mut self, value: Value) -> Option<Value> {
        if self.uses.get(value.index()) != Some(&1) {
            return None;
        }
        let func = &*self.emit.func;
        let ty = func.ty(value);
        let (op, is_nan) = match func.op(value)? {
            Op::Call { helper, args } => {
                let &[a, b] = func.get(args) else { return None };
                let tested = match self.helpers.which(helper)? {
                    Helper::MulFirst => [true, false],
                    Helper::MulEither => [true, true],
                    _other => return None,
                };
                let mut is_nan = None;
                for (operand, _) in [a, b].into_iter().zip(tested).filter(|&(_, tested)| tested) {
                    let test = self.test(Helper::IsNan, operand);
                    is_nan = self.either(is_nan, Some(test));
                }
                (self.call(Helper::Mul, ty.lanes, &[a, b]), is_nan)
            }
            Op::Select { cond, a, b }
                if func.op(a) == Some(Op::splat(ty, NAN)) && func.ty(cond).lanes == ty.lanes =>
            {
                let sum = func.op(b)?;
                // Moved, not copied, since operations must not share lists of operands. The sum
                // that stays there has no use, so any constant will do until it is removed.
                self.emit.func.values[b].def = Def::Op(Op::splat(ty, NAN));
                (sum, Some(cond))
            }
            _other => return None,
        };
        // It stays the same value, of which more is known than of a new one.
        self.emit.func.values[value].def = Def::Op(op);
        is_nan
    }
}
