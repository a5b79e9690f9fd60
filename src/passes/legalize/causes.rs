//! Causes of the NaN of a lane: what a test can look at in its place.
//! In: a lane of a function while it is legalized. Out: its [`Causes`], which are found once.
//! Changes nothing.
//!
//! The *origins* of a lane are operands whose NaN makes it NaN. The lane, its origins, their
//! origins and so on are its *makers*: where it is tested, no maker needs a test of its own. If
//! nothing but its origins makes it NaN, they stand for it *exactly*, or what stands exactly for
//! them does. Products are exact, because ∞ · 0 is 0. So are sums of numbers of which no two are
//! infinities of both signs, and functions of one operand. Other operations, lanes too far away and
//! lanes beyond the room of a list end the search: there the lane stands for itself.
//!
//! ```text
//! %1 = dotp %0, %0          lane   origins          makers                          exactly
//! %2 = rsqp %1              %1     %0.x %0.y        %1 %0.x %0.y                    %0.x %0.y
//! %3 = mulp %0, splat %2    %2     %1               %2 %1 %0.x %0.y                 %0.x %0.y
//!                           %3.x   %0.x %2          %3.x %0.x %2 %1 %0.y            %0.x %0.y
//! ```

use super::helpers::Helper;
use super::lanes::{Causes, Lanes, NEVER};
use super::pass::Pass;
use crate::ir::{Binary, Lane, Op, Unary, Value, ValueList};
use crate::machine::precision::bits::NAN;
use crate::passes::analyze::ranges::Classes;
use crate::support::entity::Handle;

/// Number of definitions between a lane and the furthest of its makers, and depth of recursion.
const DEPTH: u32 = 24;

impl Pass<'_> {
    /// Returns the number of the causes of a lane's NaN; the lane must not be a copy.
    #[inline]
    pub(super) fn find_causes(&mut self, lane: Lane) -> usize {
        self.causes.number(lane).unwrap_or_else(|| self.search(lane, DEPTH))
    }

    fn search(&mut self, lane: Lane, depth: u32) -> usize {
        if !self.lane_may_be_nan(lane) {
            return NEVER;
        }
        let mut causes = Causes::none();
        let mut is_exact = self.is_computed(lane) && depth > 0 && self.add_origins(lane, &mut causes.makers);
        let origins = causes.makers;
        causes.makers.add(lane);
        for &origin in origins.as_slice() {
            if !is_exact && causes.makers.is_full() {
                break;
            }
            // Most are inputs and uniforms, which have no causes but themselves.
            if self.is_computed(origin) {
                let number = self.causes.number(origin).unwrap_or_else(|| self.search(origin, depth - 1));
                let further = self.causes.get(number);
                // Makers beyond the room are left out: they are tested themselves then.
                causes.makers.add_all(&further.makers);
                is_exact = is_exact && causes.exactly.add_all(&further.exactly);
            } else {
                is_exact = is_exact && (!self.lane_may_be_nan(origin) || causes.exactly.add(origin));
            }
        }
        if !is_exact {
            causes.exactly = Lanes::none();
            causes.exactly.add(lane);
        }
        let number = self.causes.add(causes);
        // At the end of the depth the lane was not looked at.
        if depth > 0 {
            self.causes.remember(lane, number, self.emit.func.values.len());
        }
        number
    }

    /// Returns whether NaN in one lane makes another one NaN, as far as the lanes looked at say.
    pub(super) fn implies_nan(&mut self, from: Lane, to: Lane) -> bool {
        if from == to || !self.is_derived(to) || !self.is_older(from) {
            return from == to;
        }
        let causes = self.find_causes(to);
        self.is_nan_only_with(from, causes)
    }

    /// Returns whether a lane is NaN only where another one is, whose causes have a number.
    #[inline]
    pub(super) fn is_nan_only_with(&mut self, lane: Lane, causes: usize) -> bool {
        let is_maker = self.causes.get(causes).makers.contains(lane);
        if is_maker || !self.is_computed(lane) {
            return is_maker;
        }
        let own = self.find_causes(lane);
        self.causes.get(causes).makers.contains_all(&self.causes.get(own).exactly)
    }

    /// Returns whether something may read a lane, or what it is computed from, but the operation
    /// that is being legalized. Else nothing else can have been computed from it.
    pub(super) fn is_older(&self, lane: Lane) -> bool {
        self.is_computed(lane) || self.uses.get(lane.value().index()) != Some(&1)
    }

    /// Returns whether a lane may have origins. Most that are tested are inputs and uniforms.
    pub(super) fn is_computed(&self, lane: Lane) -> bool {
        !matches!(self.emit.func.op(lane.value()), None | Some(Op::Read(_) | Op::ReadAt(..) | Op::Const(_)))
    }

    /// Returns whether a lane is worth a look at its causes: a dot product has so many that a test
    /// of its result is shorter.
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

    /// Adds the origins of a lane, each as the lane that it copies. Returns whether nothing else
    /// makes the lane NaN.
    fn add_origins(&self, lane: Lane, found: &mut Lanes) -> bool {
        let func = &*self.emit.func;
        let at = |value: Value| Lane::new(value, lane.index());
        match func.op(lane.value()) {
            Some(Op::Unary(Unary::Floor, a)) => self.add_each(found, [at(a)], true),
            Some(Op::Unary(Unary::Sqrt, a)) => self.add_not_negative(found, at(a)),
            Some(Op::Binary(Binary::Mul | Binary::Div, a, b)) => self.add_each(found, [at(a), at(b)], true),
            Some(Op::Binary(Binary::Add, a, b)) => self.add_terms(found, [at(a), at(b)]),
            Some(Op::Select { cond, a, b }) => match [func.op(cond), func.op(a), func.op(b)] {
                // NaN in the first operand compares as false, that in the second is the result.
                [Some(Op::Binary(Binary::Less | Binary::Greater, x, y)), ..] if [x, y] == [a, b] => {
                    self.add_each(found, [at(b)], true)
                }
                // A sum with the tests of its terms (`add_with_tests`): the terms keep their
                // factors as origins, so the sum has them through its terms.
                [_, Some(Op::Const([NAN, ..])), Some(Op::Binary(Binary::Add, x, y))] => {
                    self.add_terms(found, [at(x), at(y)])
                }
                _other => false,
            },
            Some(Op::Call { helper, args }) => match self.helpers.which(helper) {
                Some(helper) => self.add_of_call(found, (helper, args), lane),
                None => false,
            },
            Some(_) | None => false,
        }
    }

    /// Adds lanes that stand for all causes or some. Returns whether they stand for all.
    fn add_each(&self, found: &mut Lanes, lanes: impl IntoIterator<Item = Lane>, is_all: bool) -> bool {
        lanes.into_iter().all(|lane| found.add(self.facts.ranges.root(self.emit.func, lane))) && is_all
    }

    /// Adds the origins of a sum.
    fn add_terms(&self, found: &mut Lanes, terms: [Lane; 2]) -> bool {
        let func = &*self.emit.func;
        let [x, y] = terms.map(|lane| self.facts.classes(func, lane));
        let both = |of_x: Classes, of_y: Classes| {
            self.facts.may_both(func, [(terms[0], x, of_x), (terms[1], y, of_y)])
        };
        let (most, least) = (Classes::POSITIVE_INFINITY, Classes::NEGATIVE_INFINITY);
        let is_all = !both(most, least) && !both(least, most);
        self.add_each(found, terms, is_all)
    }

    /// Adds the origin of a function that is NaN for negative numbers, too.
    fn add_not_negative(&self, found: &mut Lanes, a: Lane) -> bool {
        let negative = Classes::NEGATIVE.or(Classes::NEGATIVE_INFINITY);
        let is_all = !self.facts.may_be(self.emit.func, a, negative);
        self.add_each(found, [a], is_all)
    }

    fn add_of_call(&self, found: &mut Lanes, (helper, args): (Helper, ValueList), lane: Lane) -> bool {
        let func = &*self.emit.func;
        let at = |value: Value| Lane::new(value, lane.index());
        match (helper, func.get(args)) {
            (Helper::Mul | Helper::MulFirst | Helper::MulEither, &[a, b]) => {
                self.add_each(found, [at(a), at(b)], true)
            }
            (Helper::Add, &[a, b]) => self.add_terms(found, [at(a), at(b)]),
            (
                Helper::Rcp
                | Helper::Exp2
                | Helper::RcpAny
                | Helper::DriverRcp
                | Helper::DriverExp2
                | Helper::MulZero
                | Helper::Flush
                | Helper::Truncate
                | Helper::ToFloat,
                &[a],
            ) => self.add_each(found, [at(a)], true),
            (Helper::Rsq | Helper::DriverRsq | Helper::Log2 | Helper::DriverLog2, &[a]) => {
                self.add_not_negative(found, at(a))
            }
            (
                Helper::Dot | Helper::DotNan | Helper::DotPoint | Helper::DotPointNan | Helper::DotPlain,
                &[a, b, ..],
            ) => {
                let lanes = 0..func.ty(a).lanes;
                // Squares are not infinities of both signs.
                let is_square = a == b;
                let both = lanes.flat_map(|index| [a, b].map(|value| Lane::new(value, index)));
                self.add_each(found, both, is_square)
            }
            (_, _) => false,
        }
    }
}
