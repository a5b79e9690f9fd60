//! Constants that a driver may find before a program runs: lanes that are one constant on every
//! path, and lanes that could become one where code is copied or a decision is known.
//! In: a function of either stage. Out: a [`Fact`] for each value, and the operands that could be a
//! constant zero of a product or sum. Changes nothing.
//!
//! Why: drivers fold `x * 0` and `x + 0` wrongly, NoContraction or not, once they know the zero
//! (measured on lavapipe). They look through phis lane by lane, unroll loops, compute the first
//! round of a loop in front of it, and decide inside of an arm what the condition of the arm
//! decides. So:
//!
//! | a lane is | if | `x` in |
//! |---|---|---|
//! | constant | every path gives it the same bits; paths to dead regions do not count | `x = if a { yield 0 } else { yield 0 }` |
//! | fixed | some copy of the code could have a constant: one source of a parameter is fixed; one source of a result is, and something fixed or a loop decides among them; all operands are | `loop (x = 2.0) { … continue x + v }`, first round |
//! | zero | it is fixed, and that constant could be a zero | `loop (x = 0) { … continue v }` |
//! | chosen | the condition of an arm around the place decides it there | `if v == 0 { … v * x }` after `x = if v == 0 { yield 0 } else { yield v }` |
//!
//! Each constant lane is fixed. A loop parameter is assumed constant until a round disproves it.
//! Specialization constants are fixed. Inside an arm the condition is constant, and so is an equal
//! comparison; behind an arm that never falls through, its opposite.
//!
//! A [domain](super::dataflow): after `ROUNDS` rounds of a loop constants of its parameters are
//! given up.

use crate::machine::precision::bits::MAGNITUDE;

mod decisions;
mod lanes;

use self::decisions::Decisions;
use super::dataflow::{self, Domain};
use super::func::{Exit, Func, Module, Node, NodeData, Region, ValueList};
use super::op::resource::Resource;
use super::op::signature::Binary;
use super::op::{Def, Op};
use super::types::{Lane, ScalarKind, Value};
use super::walk::Target;
use crate::machine::precision::{Precision, float24};
use crate::program::isa::limits::FLOATS;
use crate::support::entity::Handle;

/// Rounds of a loop before constants of its parameters are given up: each may disprove one
/// parameter only, in a long row of them.
const ROUNDS: u32 = 16;

/// Float constants that take the place of uniforms.
pub type FloatConstants = [Option<[u32; 4]>; FLOATS];

/// Facts about one value; bit 0 of each mask is x.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Lanes that are the same constant on every path.
    pub constant: u8,
    /// Lanes that some copy of the code could know; the constant ones are among them.
    pub fixed: u8,
    /// The fixed lanes that could be known as a zero.
    pub zero: u8,
    /// The bits of constant lanes.
    pub bits: [u32; 4],
    /// Lanes that a decision around a place may make constant there.
    chosen: u8,
    /// Set once a sweep has reached it.
    seen: bool,
    /// The number of the choice that it is, if it is the result of an `if` with two arms that
    /// yield.
    choice: u32,
}

impl Fact {
    /// Nothing is known.
    pub const NONE: Self =
        Self { constant: 0, fixed: 0, zero: 0, bits: [0; 4], chosen: 0, seen: false, choice: 0 };
    /// Nothing is known of a value that a sweep has reached.
    const OPEN: Self = Self { seen: true, ..Self::NONE };

    /// The bits of a lane, if it is constant.
    #[inline]
    pub fn get(&self, lane: u8) -> Option<u32> {
        (self.constant >> lane & 1 != 0).then(|| self.bits[usize::from(lane & 3)])
    }

    /// This or the other, whichever the path says; any of them could be met alone.
    fn either(self, other: Self) -> Self {
        if !self.seen {
            return other;
        }
        let mut both = self;
        both.constant &= other.constant & !differing(&self.bits, &other.bits);
        both.fixed |= other.fixed;
        both.zero |= other.zero;
        both
    }
}

/// The lanes that differ.
fn differing(a: &[u32; 4], b: &[u32; 4]) -> u8 {
    (0..4).fold(0, |mask, lane| mask | u8::from(a[lane] != b[lane]) << lane)
}

/// An operand of a product or sum with lanes that may be a constant zero there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Risk {
    /// The product or sum.
    pub user: Value,
    /// The operand.
    pub operand: Value,
    /// The lanes that are constant zeros on every path.
    pub constant: u8,
    /// The lanes that could be constant zeros, or the products of which in a dot product could be.
    pub possible: u8,
}

/// The first operand of a product or sum of a legal module that is a constant zero, or could become
/// one where a driver copies code; in words. A call whose first two arguments are floats counts as
/// a product. `legalize` leaves none, but in functions that read no number when they run, which
/// every driver can compute altogether.
pub fn first_risk(module: &Module, precision: Precision) -> Option<String> {
    let reads = |f: &Func| {
        f.values.values().iter().any(|data| match data.def {
            Def::Op(Op::Read(Resource::Input(_) | Resource::Draw(_))) => true,
            Def::Op(Op::Read(Resource::Member { .. })) => data.ty.lanes > 1,
            Def::Op(_) | Def::Param | Def::Result | Def::Dead => false,
        })
    };
    // What helpers compute with is exact in every precision.
    let helpers = module.helpers.iter().map(|f| (&**f, Precision::Exact));
    let main = [(&module.main, precision)].into_iter().filter(|(main, _)| reads(main));
    helpers.chain(main).find_map(|(f, precision)| {
        let mut known = Known::new(precision, None, f.values.len());
        known.analyze(f);
        let Risk { user, operand, constant, .. } = known.risks().first()?;
        let is = if *constant != 0 { "is" } else { "could become" };
        Some(format!("function {}: {user}: {operand} has a lane that {is} a constant zero", f.name))
    })
}

/// Facts that the exits of a construct gave one of its results so far.
#[derive(Clone, Copy)]
struct Join {
    fact: Fact,
    /// Lanes that each exit has fixed, and that each could have as zero.
    all: u8,
    all_zero: u8,
    /// Lanes of which two exits have different constants.
    differ: u8,
}

const NOTHING: Join = Join { fact: Fact::NONE, all: 15, all_zero: 15, differ: 0 };

impl Join {
    fn add(&mut self, fact: Fact) {
        if self.fact.seen {
            self.differ |= self.fact.constant & fact.constant & differing(&self.fact.bits, &fact.bits);
        }
        self.all &= fact.fixed;
        self.all_zero &= fact.zero;
        self.fact = self.fact.either(Fact { seen: true, choice: 0, chosen: 0, ..fact });
    }

    /// The result, where something that could be known decides among the exits, or not.
    fn result(self, decided: bool) -> Fact {
        let mut fact = self.fact;
        if fact.seen && !decided {
            fact.fixed = self.all & !self.differ | fact.constant;
            fact.zero &= fact.fixed & (self.all_zero | fact.constant);
        }
        fact
    }
}

/// A construct that a sweep is in.
struct Open {
    node: Node,
    /// Set if a path reaches it; its end.
    live: bool,
    reached: bool,
    /// Set if something that could be known decides among its exits.
    decided: bool,
    /// The decisions in force around it.
    context: u32,
    /// Its first result among the joins.
    first: usize,
}

/// Facts about the values of one function.
pub struct Known<'a> {
    facts: Vec<Fact>,
    precision: Precision,
    constants: Option<&'a FloatConstants>,
    decisions: Decisions,
    /// The arms' values and the condition of each result of an `if`.
    choices: Vec<[Value; 3]>,
    /// The decisions in force where each region begins, and behind each construct.
    inside: Vec<u32>,
    behind: Vec<u32>,
    risks: Vec<Risk>,
}

impl std::fmt::Debug for Known<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(&self.facts).finish()
    }
}

impl<'a> Known<'a> {
    /// Of a function of which nothing is known yet. `constants` take the place of uniforms.
    pub fn new(precision: Precision, constants: Option<&'a FloatConstants>, values: usize) -> Self {
        Self {
            facts: vec![Fact::NONE; values],
            precision,
            constants,
            decisions: Decisions::default(),
            choices: Vec::new(),
            inside: Vec::new(),
            behind: Vec::new(),
            risks: Vec::new(),
        }
    }

    /// Finds out everything. A function without constructs needs it for the risks only;
    /// [`learn`](Self::learn) does the rest.
    pub fn analyze(&mut self, f: &Func) {
        self.inside.resize(f.regions.len(), 0);
        self.behind.resize(f.nodes.len(), 0);
        let mut sweep = Sweep {
            known: self,
            open: Vec::new(),
            joins: Vec::new(),
            live: true,
            context: 0,
            before: [0; 3],
        };
        dataflow::run(f, &mut sweep);
    }

    /// Returns facts about a value, wherever it is used.
    #[inline]
    pub fn get(&self, value: Value) -> Fact {
        self.facts.get(value.index()).copied().unwrap_or(Fact::NONE)
    }

    /// Returns whether no lane of a value is constant in any place.
    #[inline]
    pub fn is_open(&self, value: Value) -> bool {
        self.facts.get(value.index()).is_some_and(|fact| fact.constant | fact.chosen == 0)
    }

    /// The operands that may be a constant zero of a product or sum.
    pub fn risks(&self) -> &[Risk] {
        &self.risks
    }

    /// The decisions in force where a region begins.
    #[inline]
    pub fn inside(&self, region: Region) -> u32 {
        self.inside.get(region.index()).copied().unwrap_or(0)
    }

    /// The decisions in force behind a construct.
    #[inline]
    pub fn behind(&self, node: Node) -> u32 {
        self.behind.get(node.index()).copied().unwrap_or(0)
    }

    /// Looks at a value that is new, or whose operation is.
    #[inline]
    pub fn learn(&mut self, f: &Func, value: Value, context: u32) {
        if self.facts.len() <= value.index() {
            self.facts.resize(value.index() + 1, Fact::NONE);
        }
        self.facts[value.index()] = self.transfer(f, value, context);
    }

    /// Returns whether bits count as a zero.
    pub fn is_zero(&self, bits: u32) -> bool {
        let magnitude = bits & MAGNITUDE;
        if self.precision.rules().rounds { magnitude < float24::SMALLEST } else { magnitude == 0 }
    }

    /// Returns whether a path may lead into this region of a construct that is reached.
    fn may_run(&self, f: &Func, node: Node, region: Region, context: u32) -> bool {
        let decider = |value| self.literal_in(f, Lane::new(value, 0), context);
        match &f.nodes[node] {
            NodeData::If { cond, then, .. } => {
                decider(*cond).is_none_or(|bits| (bits != 0) == (*then == region))
            }
            NodeData::Switch { selector, cases, .. } => decider(*selector).is_none_or(|bits| {
                let holds = |values: &[i32]| values.binary_search(&bits.cast_signed()).is_ok();
                match cases.iter().find(|(_, case)| *case == region) {
                    Some((values, _)) => holds(values),
                    None => !cases.iter().any(|(values, _)| holds(values)),
                }
            }),
            NodeData::Loop { .. } | NodeData::Block { .. } => true,
        }
    }

    /// The decisions in force inside a region of a construct.
    fn decide(&mut self, f: &Func, open: &Open, region: Region) -> u32 {
        match f.nodes[open.node] {
            NodeData::If { cond, then, .. } => {
                let facts = &self.facts;
                self.decisions.add(f, facts, open.context, Lane::new(cond, 0), then == region)
            }
            NodeData::Loop { .. } | NodeData::Block { .. } | NodeData::Switch { .. } => open.context,
        }
    }

    /// The decisions in force behind a construct: an arm that never falls through decides what
    /// follows.
    fn leave(&mut self, f: &Func, open: &Open) -> u32 {
        let NodeData::If { cond, then, otherwise, results } = f.nodes[open.node] else { return open.context };
        let yields = |region| match f.regions[region].exit {
            Exit::Yield(list) => Some(list),
            Exit::Break(_) | Exit::Continue(_) | Exit::Unreachable => None,
        };
        let holds = match (yields(then), yields(otherwise)) {
            // Both arms fall through: inside another arm of the same condition one of them is
            // chosen.
            (Some(a), Some(b)) => {
                for ((&result, &a), &b) in f.get(results).iter().zip(f.get(a)).zip(f.get(b)) {
                    self.choices.push([cond, a, b]);
                    let chosen = self.get(a).choosable() | self.get(b).choosable();
                    let fact = &mut self.facts[result.index()];
                    fact.choice = self.choices.len() as u32;
                    fact.chosen |= chosen;
                }
                return open.context;
            }
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => return open.context,
        };
        self.decisions.add(f, &self.facts, open.context, Lane::new(cond, 0), holds)
    }

    /// Adds values to what parameters may be. Returns whether that is more than before.
    fn assign(&mut self, f: &Func, params: ValueList, values: ValueList, context: u32) -> bool {
        let mut changed = false;
        for (&param, &value) in f.get(params).iter().zip(f.get(values)) {
            let old = self.get(param);
            let mut new = old.either(Fact { choice: 0, chosen: 0, ..self.here(f, value, context) });
            new.seen = true;
            new.chosen = if f.ty(param).kind == ScalarKind::Bool { 15 } else { 0 };
            changed |= new != old;
            self.facts[param.index()] = new;
        }
        changed
    }

    /// Sets the results of a construct.
    fn set_results(&mut self, f: &Func, open: &Open, joins: &[Join]) {
        for (&result, join) in f.get(f.nodes[open.node].results()).iter().zip(joins) {
            let mut fact = join.result(open.decided);
            fact.chosen = if f.ty(result).kind == ScalarKind::Bool { 15 } else { 0 };
            self.facts[result.index()] = fact;
        }
    }

    /// Facts about the result of an operation; notes its risks.
    fn evaluate(&mut self, f: &Func, value: Value, context: u32) -> Fact {
        use Binary::{Add, AddP, Dot, DotP, Mul, MulP};
        let Some(op) = f.op(value) else { return self.get(value) };
        // There is no risk where no operand is known.
        if let Some(fact) = self.open(f, value, op) {
            return fact;
        }
        let operands = match op {
            Op::Binary(AddP | MulP | DotP | Add | Mul | Dot, a, b) => Some((a, b)),
            Op::Call { args, .. } => match f.get(args) {
                &[a, b, ..] if [a, b].iter().all(|&arg| f.ty(arg).kind == ScalarKind::F32) => Some((a, b)),
                _other_arguments => None,
            },
            _other => None,
        };
        if let Some((a, b)) = operands {
            self.note_risks(f, value, a, b, context);
        }
        self.combine(f, value, op, context)
    }

    fn note_risks(&mut self, f: &Func, user: Value, a: Value, b: Value, context: u32) {
        let (x, y) = (self.here(f, a, context), self.here(f, b, context));
        // No copy of the code can know a zero of either, or both.
        if (x.zero | y.zero | x.fixed & y.fixed) == 0 {
            return;
        }
        let lanes = (1 << f.ty(a).lanes) - 1;
        // In a dot product the products are operands of sums.
        let sums = if f.ty(user).lanes < f.ty(a).lanes { x.fixed & y.fixed } else { 0 };
        for (operand, fact, other) in [(a, x, y), (b, y, x)] {
            // What a driver knows altogether it computes as it should.
            let possible = (fact.zero & !other.constant | sums) & !fact.constant & lanes;
            let constant = fact.zero & fact.constant & lanes;
            if (possible | constant) != 0 {
                self.risks.push(Risk { user, operand, constant, possible });
            }
        }
    }
}

/// A pass over a function.
struct Sweep<'k, 'a> {
    known: &'k mut Known<'a>,
    /// The constructs around the place, and what their exits gave so far.
    open: Vec<Open>,
    joins: Vec<Join>,
    /// Set if a path reaches the place.
    live: bool,
    /// The decisions in force there.
    context: u32,
    /// Numbers of decisions, choices and risks in front of the outermost loop.
    before: [usize; 3],
}

impl Domain for Sweep<'_, '_> {
    fn define(&mut self, f: &Func, value: Value) {
        if self.live {
            self.known.facts[value.index()] = self.known.evaluate(f, value, self.context);
        }
    }

    fn enter(&mut self, f: &Func, node: Node, round: u32) {
        let data = &f.nodes[node];
        let decided = data.is_loop() || data.decider().is_some_and(|it| self.known.get(it).fixed != 0);
        let (live, context, first) = (self.live, self.context, self.joins.len());
        self.joins.resize(first + data.results().len as usize, NOTHING);
        self.open.push(Open { node, live, reached: false, decided, context, first });
        let NodeData::Loop { params, inits, .. } = *data else { return };
        if live && round < ROUNDS {
            self.known.assign(f, params, inits, context);
        } else if live {
            for &param in f.get(params) {
                let chosen = if f.ty(param).kind == ScalarKind::Bool { 15 } else { 0 };
                self.known.facts[param.index()] =
                    Fact { fixed: 15, zero: 15, chosen, seen: true, ..Fact::NONE };
            }
        }
    }

    fn begin(&mut self, f: &Func, region: Region) {
        if let Some(inner) = self.open.last() {
            // An arm that cannot run gives its results nothing.
            self.live = inner.live && self.known.may_run(f, inner.node, region, inner.context);
            self.context = self.known.decide(f, inner, region);
        }
        self.known.inside[region.index()] = self.context;
    }

    fn exit(&mut self, f: &Func, exit: Exit, target: Target, _round: u32) -> bool {
        if !self.live {
            return false;
        }
        if let Exit::Continue(list) = exit {
            // Results follow from parameters within a round; only these need another.
            return self.known.assign(f, f.nodes[target.node].params(), list, self.context);
        }
        let target = &mut self.open[target.depth];
        target.reached = true;
        for (join, &value) in self.joins[target.first..].iter_mut().zip(f.get(exit.list())) {
            join.add(self.known.here(f, value, self.context));
        }
        false
    }

    fn leave(&mut self, f: &Func, node: Node, again: bool) -> bool {
        let Some(inner) = self.open.pop() else { return false };
        if again {
            (self.live, self.context) = (inner.live, inner.context);
        } else {
            self.known.set_results(f, &inner, &self.joins[inner.first..]);
            self.live = inner.live && inner.reached;
            self.context = self.known.leave(f, &inner);
            self.known.behind[node.index()] = self.context;
            // An exit inside may lead to the outer construct, chosen by what decides here.
            if let Some(outer) = self.open.last_mut() {
                outer.decided |= inner.decided;
            }
        }
        self.joins.truncate(inner.first);
        false
    }

    fn mark(&mut self) {
        self.before = [self.known.decisions.len(), self.known.choices.len(), self.known.risks.len()];
    }

    // The next round finds them anew: regions that turn out reachable may add some.
    fn reset(&mut self) {
        let [decisions, choices, risks] = self.before;
        self.known.decisions.truncate(decisions);
        self.known.choices.truncate(choices);
        self.known.risks.truncate(risks);
    }
}
