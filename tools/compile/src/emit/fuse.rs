//! Products and sums that become one instruction: MAD, and DPH.
//! In: a function and its counts of reads. Out: for each sum, what it takes over. A product that
//! anything else reads stays.

use crate::ir::walk::{Step, Walk};
use crate::ir::{Binary, Func, Lane, Op, Region, Value};

use super::flow::Strategy;
use super::select::{Operand, Root, RootClass, class, root};
use super::uses::Uses;

/// Operations that a sum takes over.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fusion {
    /// The products, and the other operand.
    Mad(Value, Value),
    /// Three lanes of two operands, and what is added to their products.
    Dph { first: Value, second: Value, last: Value },
}

/// The sums of a function.
pub(super) struct Fusions {
    fusions: Vec<Option<Fusion>>,
    gone: Vec<bool>,
    /// Number of those that may follow.
    left: usize,
    is_exact: bool,
    copies: bool,
}

impl Fusions {
    /// Finds the sums, but no more than a strategy has.
    pub fn new(f: &Func, uses: &Uses, strategy: Strategy) -> Self {
        let Strategy { fusions: left, is_exact, copies, .. } = strategy;
        let (fusions, gone) = (vec![None; f.values.len()], vec![false; 4 * f.values.len()]);
        let mut fusions = Self { fusions, gone, left, is_exact, copies };
        let mut walk = Walk::new(f);
        let mut regions: Vec<Option<Region>> = vec![None; f.values.len()];
        let mut open: Vec<Region> = Vec::new();
        while let Some(step) = walk.next(f) {
            match step {
                Step::Begin(region) => open.push(region),
                Step::End(_) => {
                    open.pop();
                }
                Step::Let(value) => {
                    regions[value.0 as usize] = open.last().copied();
                    if let Some(Op::Binary(Binary::AddP, a, b)) = f.op(value) {
                        let here = |value: Value| regions[value.0 as usize] == open.last().copied();
                        fusions.sum(f, uses, value, [a, b], &here);
                    }
                }
                Step::Enter(_) | Step::Leave(_) => {}
            }
        }
        fusions
    }

    fn sum(
        &mut self,
        f: &Func,
        uses: &Uses,
        value: Value,
        operands: [Value; 2],
        here: &dyn Fn(Value) -> bool,
    ) {
        if self.left == 0 {
            return;
        }
        let [a, b] = operands;
        for (products, other) in [(a, b), (b, a)] {
            let mut sign = None;
            let lanes: Vec<Lane> = (0..f.ty(value).lanes)
                .filter(|&lane| uses.of(Lane::new(value, lane)) > 0)
                .filter_map(|lane| match root(f, Lane::new(products, lane)) {
                    // As ∞ · 0 is +0, the sign of a product is not that of a factor.
                    (Root::Value(product), negate)
                        if here(product.value())
                            && uses.of(product) == 1
                            && !(negate && self.is_exact)
                            && *sign.get_or_insert(negate) == negate =>
                    {
                        Some(product)
                    }
                    _other => None,
                })
                .collect();
            let wanted = (0..f.ty(value).lanes).filter(|&lane| uses.of(Lane::new(value, lane)) > 0).count();
            if lanes.is_empty() || lanes.len() != wanted || lanes.iter().any(|&lane| self.is_gone(lane)) {
                continue;
            }
            let fusion = self
                .mad(f, value, products, other, &lanes)
                .or_else(|| dph(f, other, &lanes).filter(|_| sign == Some(false)));
            if fusion.is_some() {
                self.fusions[value.0 as usize] = fusion;
                self.left -= 1;
                for lane in lanes {
                    self.gone[4 * lane.value().0 as usize + usize::from(lane.index())] = true;
                }
                return;
            }
        }
    }

    fn mad(&self, f: &Func, value: Value, products: Value, other: Value, lanes: &[Lane]) -> Option<Fusion> {
        let mut operands: [Vec<Operand>; 3] = Default::default();
        for lane in lanes {
            let Some(Op::Binary(Binary::MulP, a, b)) = f.op(lane.value()) else { return None };
            operands[0].push(root(f, Lane::new(a, lane.index())));
            operands[1].push(root(f, Lane::new(b, lane.index())));
        }
        operands[2] = (0..f.ty(value).lanes).map(|lane| root(f, Lane::new(other, lane))).collect();
        // A copy of a second uniform or input takes the word that is won, unless others need it.
        let is_wide = |lanes: &&Vec<Operand>| {
            lanes.iter().all(|&lane| !matches!(class(lane).0, RootClass::Value | RootClass::Input(_)))
        };
        let wide = operands.iter().filter(is_wide).count();
        let mut inputs: Vec<RootClass> = Vec::new();
        for lane in operands.iter().flatten() {
            let class = class(*lane).0;
            if matches!(class, RootClass::Input(_)) && !inputs.contains(&class) {
                inputs.push(class);
            }
        }
        (self.copies || wide < 2 && inputs.len() < 2).then_some(Fusion::Mad(products, other))
    }

    /// The sum at a value.
    pub fn of(&self, value: Value) -> Option<Fusion> {
        self.fusions[value.0 as usize]
    }
    /// Returns whether a sum took over a lane.
    pub fn is_gone(&self, lane: Lane) -> bool {
        self.gone[4 * lane.value().0 as usize + usize::from(lane.index())]
    }
}

/// DPH, if what is added stands in the register of one of the operands.
fn dph(f: &Func, last: Value, lanes: &[Lane]) -> Option<Fusion> {
    let &[lane] = lanes else { return None };
    let Some(Op::Binary(Binary::DotP, a, b)) = f.op(lane.value()) else { return None };
    if f.ty(a).lanes != 3 || f.ty(last).lanes != 1 {
        return None;
    }
    let added = root(f, Lane::new(last, 0));
    for (first, second) in [(a, b), (b, a)] {
        let fits = (0..3).all(|n| match (root(f, Lane::new(second, n)), added) {
            ((Root::Value(one), x), (Root::Value(other), y)) => one.value() == other.value() && x == y,
            (one, other) => class(one) == class(other),
        });
        if fits {
            return Some(Fusion::Dph { first, second, last });
        }
    }
    None
}
