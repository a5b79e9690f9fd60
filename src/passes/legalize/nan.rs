//! Tests for NaN, of as few lanes as can be.
//! In: vectors of a function while it is legalized. Out: a decision that holds where a lane of
//! them is NaN.
//!
//! The lanes that make a lane NaN can be tested in its place (see `causes`), and one whose NaN
//! makes another one NaN need not be:
//!
//! ```text
//! %1 = dotp %0, %0 ; %2 = rsqp %1 ; %3 = mulp %0, splat %2      is_nan %2 stands for has_nan %3
//! ```

use super::helpers::Helper;
use super::lanes::Lanes;
use super::pass::Pass;
use crate::ir::{Binary, Lane, Op, ScalarKind, Type, Unary, Value};
use crate::support::entity;

/// Lanes that a test for NaN looks at.
#[derive(Clone, Copy)]
struct Suspects {
    lanes: Lanes,
    /// Set if they are lanes of the vector, all or all but one: then it is tested as a whole.
    is_whole: bool,
}

impl Pass<'_> {
    /// Tests those operands for NaN that may be NaN. Equal tests are merged later, so that each
    /// vector has one.
    pub(super) fn has_nan(&mut self, operands: [Value; 2], may_be: [bool; 2]) -> Option<Value> {
        let mut both = [0, 1].map(|index| {
            if may_be[index] {
                self.suspects(operands[index])
            } else {
                Suspects { lanes: Lanes::none(), is_whole: false }
            }
        });
        self.drop_implied(&mut both);
        let mut either = None;
        for (operand, suspects) in operands.into_iter().zip(both) {
            either = self.test_suspects(operand, &suspects, either);
        }
        either
    }

    /// Lanes of which one is NaN exactly where a lane of a vector is.
    fn suspects(&mut self, vector: Value) -> Suspects {
        let mut own = Lanes::none();
        let mut is_derived = false;
        let count = self.emit.func.ty(vector).lanes;
        for index in 0..count {
            let lane = Lane::new(vector, index);
            if self.lane_may_be_nan(lane) {
                let root = self.facts.ranges.root(self.emit.func, lane);
                own.add(root);
                is_derived |= self.is_derived(root);
            }
        }
        if is_derived {
            let mut causes = Lanes::none();
            let is_found = own.as_slice().iter().all(|&lane| {
                let found = self.find_causes(lane);
                causes.add_all(&self.causes.get(found).exactly)
            });
            let mut causes = [Suspects { lanes: causes, is_whole: false }];
            if is_found {
                self.drop_implied(&mut causes);
            }
            let [causes] = causes;
            if is_found && causes.lanes.len() < own.len() {
                return causes;
            }
        }
        // The vector as a whole is tested where that is not much more: it has one name.
        Suspects { lanes: own, is_whole: own.len() > 1 && own.len() + 1 >= usize::from(count) }
    }

    /// Drops lanes that are NaN only where another one is.
    fn drop_implied(&mut self, groups: &mut [Suspects]) {
        let mut all = Lanes::none();
        groups.iter().for_each(|group| {
            all.add_all(&group.lanes);
        });
        let lanes = all.as_slice();
        if lanes.len() < 2 {
            return;
        }
        // By lane of `all`, as bits: those that are left, and those that others can imply.
        let each = || (0u32..).zip(lanes);
        let derived = each().fold(0u32, |bits, (at, &lane)| bits | u32::from(self.is_derived(lane)) << at);
        if derived == 0 {
            return;
        }
        let older = each().fold(0u32, |bits, (at, &lane)| bits | u32::from(self.is_older(lane)) << at);
        let mut left = (1u32 << lanes.len()) - 1;
        for (at, &to) in lanes.iter().enumerate() {
            let asked = left & older & !(1 << at);
            if asked == 0 || left & derived & 1 << at == 0 {
                continue;
            }
            let causes = self.find_causes(to);
            for other in entity::bits(asked.into()) {
                if self.is_nan_only_with(lanes[other as usize], causes) {
                    left &= !(1 << other);
                }
            }
        }
        if left.count_ones() as usize == lanes.len() {
            return;
        }
        let is_left = |lane: Lane| each().any(|(at, &other)| other == lane && left >> at & 1 != 0);
        for group in groups {
            let before = std::mem::replace(&mut group.lanes, Lanes::none());
            before.as_slice().iter().filter(|&&lane| is_left(lane)).for_each(|&lane| {
                group.lanes.add(lane);
            });
            group.is_whole &= group.lanes.len() == before.len();
        }
    }

    /// Adds a test of the lanes that stand for a vector to another.
    fn test_suspects(
        &mut self,
        vector: Value,
        suspects: &Suspects,
        mut either: Option<Value>,
    ) -> Option<Value> {
        if suspects.is_whole {
            let test = self.test(Helper::HasNan, vector);
            return self.either(either, Some(test));
        }
        for lanes in suspects.lanes.as_slice().chunks(4) {
            let gathered = self.gather(lanes);
            let helper = if lanes.len() == 1 { Helper::IsNan } else { Helper::HasNan };
            let test = self.test(helper, gathered);
            either = self.either(either, Some(test));
        }
        either
    }

    /// Tests a value for NaN. Its sign does not matter.
    pub(super) fn test(&mut self, helper: Helper, mut value: Value) -> Value {
        while let Some(Op::Unary(Unary::Neg | Unary::Abs, a)) = self.emit.func.op(value) {
            value = a;
        }
        let lanes = self.emit.func.ty(value).lanes;
        let test = self.call(helper, lanes, &[value]);
        let lanes = if helper == Helper::IsNan { lanes } else { 1 };
        self.emit.op(Type::new(ScalarKind::Bool, lanes), test)
    }

    pub(super) fn either(&mut self, a: Option<Value>, b: Option<Value>) -> Option<Value> {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.emit.binary(Binary::Or, a, b)),
            (one, other) => one.or(other),
        }
    }
}
