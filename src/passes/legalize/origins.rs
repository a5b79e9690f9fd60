//! Origins of the NaN of a lane.
//! In: a lane of a function while it is legalized. Out: lanes that make it NaN. Changes nothing.
//!
//! Products are NaN exactly where a factor is, because ∞ · 0 is 0. So are sums of numbers of which
//! no two are infinities of both signs, and functions of one operand.

use super::Pass;
use super::emit::splat;
use super::helpers::Helper;
use crate::ir::{Binary, Lane, Op, Unary, Value, ValueList};
use crate::passes::ranges::Classes;
use crate::precision::bits::NAN;

/// Number of lanes that one question may look at.
const MOST: usize = 12;

/// A few lanes, in the order in which they were found.
#[derive(Clone, Copy)]
pub(super) struct Lanes {
    all: [Lane; MOST],
    len: usize,
}

impl Lanes {
    pub fn none() -> Self {
        Self { all: [Lane::new(Value(0), 0); MOST], len: 0 }
    }

    pub fn as_slice(&self) -> &[Lane] {
        &self.all[..self.len]
    }

    pub fn len(&self) -> usize {
        self.len
    }

    /// Keeps some lanes.
    pub fn retain(&mut self, mut keep: impl FnMut(Lane) -> bool) {
        let mut kept = 0;
        for at in 0..self.len {
            if keep(self.all[at]) {
                self.all[kept] = self.all[at];
                kept += 1;
            }
        }
        self.len = kept;
    }

    /// Adds a lane if it is new; whether there was room.
    pub fn add(&mut self, lane: Lane) -> bool {
        if self.as_slice().contains(&lane) {
            return true;
        }
        let Some(slot) = self.all.get_mut(self.len) else { return false };
        *slot = lane;
        self.len += 1;
        true
    }
}

/// Lanes each of which makes a lane NaN.
struct Origins {
    lanes: [Option<Lane>; 8],
    /// Set if nothing else makes it NaN.
    is_all: bool,
}

impl Origins {
    const UNKNOWN: Self = Self { lanes: [None; 8], is_all: false };

    fn all(lanes: impl IntoIterator<Item = Lane>) -> Self {
        let mut origins = Self { is_all: true, ..Self::UNKNOWN };
        for (slot, lane) in origins.lanes.iter_mut().zip(lanes) {
            *slot = Some(lane);
        }
        origins
    }
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
            let origins = self.origins(lane);
            let is_found = if origins.is_all { self.add_all(&origins, &mut work) } else { found.add(lane) };
            if !is_found {
                return false;
            }
        }
        true
    }

    /// Returns whether NaN in one lane makes another one NaN, as far as the lanes looked at say.
    pub(super) fn implies_nan(&mut self, from: Lane, to: Lane) -> bool {
        if from == to || !self.is_derived(to) {
            return from == to;
        }
        let enough = self.makers_of_nan(to);
        self.is_nan_only_with(from, &enough)
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

    /// The lanes whose NaN makes a lane NaN, itself and the nearest first: a long way is seldom
    /// one.
    pub(super) fn makers_of_nan(&mut self, lane: Lane) -> Lanes {
        let mut makers = Lanes::none();
        makers.add(lane);
        let mut next = 0;
        while let Some(&lane) = makers.as_slice().get(next) {
            next += 1;
            if self.is_computed(lane) {
                let origins = self.origins(lane);
                self.add_all(&origins, &mut makers);
            }
        }
        makers
    }

    /// Returns whether a lane is NaN only where one of others is.
    pub(super) fn is_nan_only_with(&mut self, lane: Lane, others: &Lanes) -> bool {
        if others.as_slice().contains(&lane) || !self.is_computed(lane) {
            return others.as_slice().contains(&lane);
        }
        let mut work = Lanes::none();
        work.add(lane);
        let mut next = 0;
        while let Some(&lane) = work.as_slice().get(next) {
            next += 1;
            if others.as_slice().contains(&lane) || !self.lane_may_be_nan(lane) {
                continue;
            }
            let origins = self.origins(lane);
            if !(origins.is_all && self.add_all(&origins, &mut work)) {
                return false;
            }
        }
        true
    }

    pub(super) fn lane_may_be_nan(&mut self, lane: Lane) -> bool {
        self.facts.catch_up(self.emit.func);
        self.facts.classes(self.emit.func, lane).has(Classes::NAN)
    }

    /// Adds lanes, each as the one that it copies; whether there was room.
    fn add_all(&self, origins: &Origins, lanes: &mut Lanes) -> bool {
        let mut origins = origins.lanes.iter().flatten();
        origins.all(|&lane| lanes.add(self.facts.root(self.emit.func, lane)))
    }

    fn origins(&mut self, lane: Lane) -> Origins {
        let func = &*self.emit.func;
        let at = |value: Value| Lane::new(value, lane.index());
        match func.op(lane.value()) {
            Some(Op::Unary(Unary::Floor, a)) => Origins::all([at(a)]),
            Some(Op::Unary(Unary::Sqrt, a)) => self.origins_without_negative(at(a)),
            Some(Op::Binary(Binary::Mul | Binary::Div, a, b)) => Origins::all([at(a), at(b)]),
            Some(Op::Binary(Binary::Add, a, b)) => self.origins_of_sum(at(a), at(b)),
            Some(Op::Select { cond, a, b }) => {
                let choices = [Binary::Less, Binary::Greater].map(|op| Op::Binary(op, a, b));
                if func.op(cond).is_some_and(|op| choices.contains(&op)) {
                    // NaN in the first operand compares as false, that in the second is the result.
                    Origins::all([at(b)])
                } else if let Some(Op::Binary(Binary::Add, x, y)) = func.op(b)
                    && func.op(a) == Some(splat(func.ty(a), NAN))
                {
                    // A sum with the tests of its terms, which are NaN where their factors are.
                    self.origins_of_sum(at(x), at(y))
                } else {
                    Origins::UNKNOWN
                }
            }
            Some(Op::Call { helper, args }) => match self.helpers.which(helper) {
                Some(helper) => self.origins_of_call(helper, lane, args),
                None => Origins::UNKNOWN,
            },
            Some(_) | None => Origins::UNKNOWN,
        }
    }

    fn origins_of_sum(&mut self, a: Lane, b: Lane) -> Origins {
        self.facts.catch_up(self.emit.func);
        let [x, y] = [a, b].map(|lane| self.facts.classes(self.emit.func, lane));
        let opposite =
            |x: Classes, y: Classes| x.has(Classes::POSITIVE_INFINITY) && y.has(Classes::NEGATIVE_INFINITY);
        Origins { is_all: !opposite(x, y) && !opposite(y, x), ..Origins::all([a, b]) }
    }

    /// Of a function that is NaN for negative numbers.
    fn origins_without_negative(&mut self, a: Lane) -> Origins {
        self.facts.catch_up(self.emit.func);
        let negative = Classes::NEGATIVE.or(Classes::NEGATIVE_INFINITY);
        let is_all = !self.facts.classes(self.emit.func, a).has(negative);
        Origins { is_all, ..Origins::all([a]) }
    }

    fn origins_of_call(&mut self, helper: Helper, lane: Lane, args: ValueList) -> Origins {
        let func = &*self.emit.func;
        let at = |value: Value| Lane::new(value, lane.index());
        match (helper, func.get(args)) {
            (Helper::Mul | Helper::MulFirst | Helper::MulEither, &[a, b]) => Origins::all([at(a), at(b)]),
            (Helper::Add, &[a, b]) => self.origins_of_sum(at(a), at(b)),
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
            ) => Origins::all([at(a)]),
            (Helper::Rsq | Helper::Log2 | Helper::Log2Portable, &[a]) => self.origins_without_negative(at(a)),
            (
                Helper::Dot | Helper::DotNan | Helper::DotPoint | Helper::DotPointNan | Helper::DotPlain,
                &[a, b, ..],
            ) => {
                let lanes = 0..func.ty(a).lanes;
                let both = lanes.flat_map(|index| [a, b].map(|value| Lane::new(value, index)));
                // Squares are no infinities of both signs.
                Origins { is_all: a == b, ..Origins::all(both) }
            }
            (_, _) => Origins::UNKNOWN,
        }
    }
}
