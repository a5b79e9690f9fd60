//! Causes of the NaN of a lane.
//! In: a lane of a function while it is legalized. Out: lanes that make it NaN, which are found
//! once. Changes nothing.
//!
//! Products are NaN exactly where a factor is, because ∞ · 0 is 0. So are sums of numbers of which
//! no two are infinities of both signs, and functions of one operand.

use super::Pass;
use super::helpers::Helper;
use crate::ir::{Binary, Lane, Op, Unary, Value, ValueList};
use crate::machine::precision::bits::NAN;
use crate::passes::analyze::ranges::Classes;
use crate::support::entity::Handle;

/// Number of lanes that a list has room for.
const MOST: usize = 12;
/// Number of definitions between a lane and the furthest of its causes.
const DEPTH: u32 = 24;

/// A lane that no value has.
const NO_LANE: u32 = (1 << 30) - 1;

/// A few lanes, in the order in which they were found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lanes {
    /// After the last there is none, so that a search needs no length: it looks at all of them at
    /// once.
    all: [Lane; MOST],
    len: usize,
    /// The [bits](bit) of all: most lanes that are looked for are not there.
    seen: u64,
}

/// One of 64 bits for a lane; few lanes share one.
fn bit(lane: Lane) -> u64 {
    1 << (slot(lane) % 64)
}

/// The place of a lane in a table.
fn slot(lane: Lane) -> usize {
    lane.value().index() * 4 + usize::from(lane.index())
}

impl Lanes {
    pub fn none() -> Self {
        Self { all: [Lane::new(Value(NO_LANE), 3); MOST], len: 0, seen: 0 }
    }

    pub fn as_slice(&self) -> &[Lane] {
        &self.all[..self.len]
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn contains(&self, lane: Lane) -> bool {
        self.seen & bit(lane) != 0 && self.all.iter().fold(false, |found, &other| found | (other == lane))
    }

    pub fn contains_all(&self, others: &Self) -> bool {
        others.seen & !self.seen == 0 && others.as_slice().iter().all(|&lane| self.contains(lane))
    }

    /// Adds a lane if it is new; whether there was room.
    pub fn add(&mut self, lane: Lane) -> bool {
        if self.contains(lane) {
            return true;
        }
        let Some(slot) = self.all.get_mut(self.len) else { return false };
        *slot = lane;
        self.len += 1;
        self.seen |= bit(lane);
        true
    }

    /// Adds lanes that are new; whether there was room.
    pub fn add_all(&mut self, lanes: &Self) -> bool {
        if self.len == 0 {
            *self = *lanes;
            return true;
        }
        lanes.as_slice().iter().all(|&lane| self.add(lane))
    }
}

/// The lanes that make a lane NaN.
#[derive(Clone, Copy, Debug)]
struct Causes {
    /// The lanes exactly of which one is NaN where the lane is.
    exactly: Lanes,
    /// The lanes each of which makes it NaN: itself, and the nearest first.
    makers: Lanes,
}

impl Causes {
    fn of_nothing() -> Self {
        Self { exactly: Lanes::none(), makers: Lanes::none() }
    }
}

/// The causes found so far.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// By lane: 1 + the number of its causes, or 0.
    numbers: Vec<u32>,
    all: Vec<Causes>,
}

impl Memory {
    /// Forgets all but those of a lane that is never NaN.
    pub fn start(&mut self) {
        self.numbers.clear();
        self.all.clear();
        self.all.push(Causes::of_nothing());
    }

    /// The lanes exactly of which one is NaN where a lane is, by the number of its causes.
    pub fn exactly(&self, number: usize) -> &Lanes {
        &self.all[number].exactly
    }

    fn get(&self, lane: Lane) -> Option<usize> {
        (*self.numbers.get(slot(lane))? as usize).checked_sub(1)
    }

    fn add(&mut self, causes: Causes) -> usize {
        self.all.push(causes);
        self.all.len() - 1
    }
}

impl Pass<'_> {
    /// Finds what makes a lane NaN, which copies no other; its number.
    #[inline]
    pub(super) fn find_causes(&mut self, lane: Lane) -> usize {
        self.causes.get(lane).unwrap_or_else(|| self.search(lane, DEPTH))
    }

    fn search(&mut self, lane: Lane, depth: u32) -> usize {
        if !self.lane_may_be_nan(lane) {
            return 0;
        }
        let mut causes = Causes::of_nothing();
        let mut is_exact = self.is_computed(lane) && depth > 0 && self.add_origins(lane, &mut causes.makers);
        let origins = causes.makers;
        causes.makers.add(lane);
        for &origin in origins.as_slice() {
            if !is_exact && causes.makers.len() == MOST {
                break;
            }
            // Most are inputs and uniforms. The recursion ends with the depth.
            if self.is_computed(origin) {
                let known = self.causes.get(origin);
                let further = known.unwrap_or_else(|| self.search(origin, depth - 1));
                let further = &self.causes.all[further];
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
        if depth > 0 {
            if self.causes.numbers.len() <= slot(lane) {
                self.causes.numbers.resize(self.emit.func.values.len() * 4, 0);
            }
            self.causes.numbers[slot(lane)] = number as u32 + 1;
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

    /// Returns whether a lane is NaN only where another one is, the causes of which have a number.
    #[inline]
    pub(super) fn is_nan_only_with(&mut self, lane: Lane, causes: usize) -> bool {
        let is_maker = self.causes.all[causes].makers.contains(lane);
        if is_maker || !self.is_computed(lane) {
            return is_maker;
        }
        let own = self.find_causes(lane);
        self.causes.all[causes].makers.contains_all(self.causes.exactly(own))
    }

    /// Returns whether something but the operation that is looked at may have read a lane, or what
    /// it is computed from.
    pub(super) fn is_older(&self, lane: Lane) -> bool {
        self.is_computed(lane) || self.uses.get(lane.value().index()) != Some(&1)
    }

    /// Returns whether a lane has origins. Most that are tested are inputs and uniforms.
    pub(super) fn is_computed(&self, lane: Lane) -> bool {
        !matches!(self.emit.func.op(lane.value()), None | Some(Op::Read(_) | Op::ReadAt(..) | Op::Const(_)))
    }

    /// Returns whether a lane is worth a look at its causes: those of dot products are many.
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

    pub(super) fn lane_may_be_nan(&mut self, lane: Lane) -> bool {
        self.facts.catch_up(self.emit.func);
        self.facts.may_be(self.emit.func, lane, Classes::NAN)
    }

    /// Adds the lanes each of which makes a lane NaN, as those that they copy. Returns whether
    /// nothing else does.
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
                // A sum with the tests of its terms, which are NaN where their factors are.
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

    fn add_each(&self, found: &mut Lanes, lanes: impl IntoIterator<Item = Lane>, is_all: bool) -> bool {
        lanes.into_iter().all(|lane| found.add(self.facts.ranges.root(self.emit.func, lane))) && is_all
    }

    /// Adds the causes of a sum.
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

    /// Adds the causes of a function that is NaN for negative numbers.
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
                | Helper::Exp2Portable
                | Helper::Log2Positive
                | Helper::MulZero
                | Helper::Flush
                | Helper::Truncate
                | Helper::ToFloat,
                &[a],
            ) => self.add_each(found, [at(a)], true),
            (Helper::Rsq | Helper::Log2 | Helper::Log2Portable, &[a]) => self.add_not_negative(found, at(a)),
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
