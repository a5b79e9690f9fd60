//! Origins of the NaN of a lane.
//! In: a lane of a function while it is legalized. Out: lanes that make it NaN. Changes nothing.
//!
//! Products are NaN exactly where a factor is, because ∞ · 0 is 0. So are sums of numbers of which
//! no two are infinities of both signs, and functions of one operand.

use super::Pass;
use super::answers::{IMPLIED, KEPT, Lanes, MOST};
use super::helpers::Helper;
use crate::ir::{Binary, Lane, Op, Unary, Value, ValueList};
use crate::machine::precision::bits::NAN;
use crate::passes::analyze::ranges::Classes;
use crate::support::entity::Handle;

/// A question about origins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ask {
    /// The lanes.
    Lanes,
    /// Also whether nothing else makes a lane NaN.
    WhetherAll,
}

/// Result of a search for the lanes each of which makes a lane NaN.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origins {
    /// Nothing else makes it NaN.
    All,
    /// Something else may make it NaN, too.
    Some,
    /// Some of them: there was no room for more.
    TooMany,
}

/// A number for each lane, from which its place among the answers follows.
fn number(lane: Lane) -> usize {
    lane.value().index() * 4 + usize::from(lane.index())
}

impl Pass<'_> {
    /// Adds lanes of which one is NaN exactly where a lane is; whether they were found.
    pub(super) fn add_causes(&mut self, lane: Lane, found: &mut Lanes) -> bool {
        let mut work = Lanes::none();
        work.add(lane);
        let mut next = 0;
        while let Some(&lane) = work.as_slice().get(next) {
            next += 1;
            if !self.lane_may_be_nan(lane) {
                continue;
            }
            let known = work.len();
            let is_found = match self.add_origins(lane, &mut work, Ask::WhetherAll) {
                Origins::All => true,
                Origins::Some => {
                    work.truncate(known);
                    found.add(lane)
                }
                Origins::TooMany => false,
            };
            if !is_found {
                return false;
            }
        }
        true
    }

    /// Returns whether NaN in one lane makes another one NaN, as far as the lanes looked at say.
    pub(super) fn implies_nan(&mut self, from: Lane, to: Lane) -> bool {
        if from == to || !self.is_derived(to) || !self.is_older(from) {
            return from == to;
        }
        let makers = self.makers_of_nan(to);
        self.is_nan_only_with(from, makers)
    }

    /// Returns whether a lane has origins. Most that are tested are inputs and uniforms.
    fn is_computed(&self, lane: Lane) -> bool {
        !matches!(self.emit.func.op(lane.value()), None | Some(Op::Read(_) | Op::ReadAt(..) | Op::Const(_)))
    }

    /// Returns whether a lane is worth a look at its origins: those of dot products are many.
    pub(super) fn is_derived(&self, lane: Lane) -> bool {
        use Helper::{Dot, DotNan, DotPlain, DotPoint, DotPointNan};
        let is_dot = |helper| {
            matches!(self.helpers.which(helper), Some(Dot | DotNan | DotPlain | DotPoint | DotPointNan))
        };
        match self.emit.func.op(lane.value()) {
            Some(Op::Call { helper, .. }) => !is_dot(helper),
            _other => self.is_computed(lane),
        }
    }

    /// Returns whether something but the operation that is looked at may have read a lane, or what
    /// it is computed from.
    pub(super) fn is_older(&self, lane: Lane) -> bool {
        self.is_computed(lane) || self.uses.get(lane.value().index()) != Some(&1)
    }

    /// Finds the lanes whose NaN makes a lane NaN, itself and the nearest first: a long way is
    /// seldom one. Returns their place among the answers, until the next question.
    pub(super) fn makers_of_nan(&mut self, lane: Lane) -> usize {
        let slot = number(lane) % KEPT;
        if self.answers.makers[slot].all[0] == lane {
            return slot;
        }
        let mut makers = Lanes::none();
        makers.add(lane);
        let mut next = 0;
        // Nothing more has room once they are full.
        while let Some(&lane) = makers.as_slice().get(next)
            && makers.len() < MOST
        {
            next += 1;
            self.add_origins(lane, &mut makers, Ask::Lanes);
        }
        self.answers.makers[slot] = makers;
        slot
    }

    /// Returns whether a lane is NaN only where one of the lanes that
    /// [`makers_of_nan`](Self::makers_of_nan) found is.
    pub(super) fn is_nan_only_with(&mut self, lane: Lane, makers: usize) -> bool {
        let others = &self.answers.makers[makers];
        let is_one = others.contains(lane);
        if is_one || !self.is_computed(lane) {
            return is_one;
        }
        let to = others.all[0];
        let slot = (number(lane) * 37 + number(to)) % IMPLIED;
        if let (from, other, answer) = self.answers.implied[slot]
            && (from, other) == (lane, to)
        {
            return answer;
        }
        let answer = self.find_whether_nan_only_with(lane, makers);
        self.answers.implied[slot] = (lane, to, answer);
        answer
    }

    fn find_whether_nan_only_with(&mut self, lane: Lane, makers: usize) -> bool {
        let mut work = Lanes::none();
        work.add(lane);
        let mut next = 0;
        while let Some(&lane) = work.as_slice().get(next) {
            next += 1;
            if self.answers.makers[makers].contains(lane) || !self.lane_may_be_nan(lane) {
                continue;
            }
            if self.add_origins(lane, &mut work, Ask::WhetherAll) != Origins::All {
                return false;
            }
        }
        true
    }

    pub(super) fn lane_may_be_nan(&mut self, lane: Lane) -> bool {
        self.facts.catch_up(self.emit.func);
        self.facts.classes(self.emit.func, lane).has(Classes::NAN)
    }

    /// Adds the lanes each of which makes a lane NaN, as those that they copy.
    fn add_origins(&self, lane: Lane, found: &mut Lanes, ask: Ask) -> Origins {
        let func = &*self.emit.func;
        let at = |value: Value| Lane::new(value, lane.index());
        match func.op(lane.value()) {
            Some(Op::Unary(Unary::Floor, a)) => self.add_each(found, [at(a)], true),
            Some(Op::Unary(Unary::Sqrt, a)) => self.add_not_negative(found, at(a), ask),
            Some(Op::Binary(Binary::Mul | Binary::Div, a, b)) => self.add_each(found, [at(a), at(b)], true),
            Some(Op::Binary(Binary::Add, a, b)) => self.add_terms(found, [at(a), at(b)], ask),
            Some(Op::Select { cond, a, b }) => match [func.op(cond), func.op(a), func.op(b)] {
                // NaN in the first operand compares as false, that in the second is the result.
                [Some(Op::Binary(Binary::Less | Binary::Greater, x, y)), ..] if [x, y] == [a, b] => {
                    self.add_each(found, [at(b)], true)
                }
                // A sum with the tests of its terms, which are NaN where their factors are.
                [_, Some(Op::Const([NAN, ..])), Some(Op::Binary(Binary::Add, x, y))] => {
                    self.add_terms(found, [at(x), at(y)], ask)
                }
                _other => Origins::Some,
            },
            Some(Op::Call { helper, args }) => match self.helpers.which(helper) {
                Some(helper) => self.add_of_call(found, (helper, args), lane, ask),
                None => Origins::Some,
            },
            Some(_) | None => Origins::Some,
        }
    }

    fn add_each(&self, found: &mut Lanes, lanes: impl IntoIterator<Item = Lane>, is_all: bool) -> Origins {
        for lane in lanes {
            if !found.add(self.facts.root(self.emit.func, lane)) {
                return Origins::TooMany;
            }
        }
        if is_all { Origins::All } else { Origins::Some }
    }

    /// Of a sum.
    fn add_terms(&self, found: &mut Lanes, terms: [Lane; 2], ask: Ask) -> Origins {
        let opposite =
            |x: Classes, y: Classes| x.has(Classes::POSITIVE_INFINITY) && y.has(Classes::NEGATIVE_INFINITY);
        let is_all = ask == Ask::WhetherAll && {
            let [x, y] = terms.map(|lane| self.facts.classes(self.emit.func, lane));
            !opposite(x, y) && !opposite(y, x)
        };
        self.add_each(found, terms, is_all)
    }

    /// Of a function that is NaN for negative numbers.
    fn add_not_negative(&self, found: &mut Lanes, a: Lane, ask: Ask) -> Origins {
        let negative = Classes::NEGATIVE.or(Classes::NEGATIVE_INFINITY);
        let is_all = ask == Ask::WhetherAll && !self.facts.classes(self.emit.func, a).has(negative);
        self.add_each(found, [a], is_all)
    }

    fn add_of_call(
        &self,
        found: &mut Lanes,
        (helper, args): (Helper, ValueList),
        lane: Lane,
        ask: Ask,
    ) -> Origins {
        let func = &*self.emit.func;
        let at = |value: Value| Lane::new(value, lane.index());
        match (helper, func.get(args)) {
            (Helper::Mul | Helper::MulFirst | Helper::MulEither, &[a, b]) => {
                self.add_each(found, [at(a), at(b)], true)
            }
            (Helper::Add, &[a, b]) => self.add_terms(found, [at(a), at(b)], ask),
            (
                Helper::Rcp
                | Helper::Exp2
                | Helper::Exp2Portable
                | Helper::Log2Positive
                | Helper::MulZero
                | Helper::Flush
                | Helper::Truncate
                | Helper::ToFloat,
                &[a],
            ) => self.add_each(found, [at(a)], true),
            (Helper::Rsq | Helper::Log2 | Helper::Log2Portable, &[a]) => {
                self.add_not_negative(found, at(a), ask)
            }
            (
                Helper::Dot | Helper::DotNan | Helper::DotPoint | Helper::DotPointNan | Helper::DotPlain,
                &[a, b, ..],
            ) => {
                let lanes = 0..func.ty(a).lanes;
                // Squares are no infinities of both signs.
                let is_square = a == b;
                let both = lanes.flat_map(|index| [a, b].map(|value| Lane::new(value, index)));
                self.add_each(found, both, is_square)
            }
            (_, _) => Origins::Some,
        }
    }
}
