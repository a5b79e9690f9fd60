//! Constants that are hidden, because drivers fold `x * 0` and `x + 0` wrongly once they know the
//! zero (drivers.md#known-zeros).
//! In: a function and its constants, where `legalize` meets them. Out: numbers in their place that
//! a driver cannot know. Knows no precision.
//!
//! Drivers look through results of constructs lane by lane, unroll loops, compute the first round
//! of a loop in front of it, and choose inside an arm what the condition of the arm decides
//! (see `decisions`). So constant floats are hidden that go into
//!
//! | place | if a driver may know |
//! |---|---|
//! | a loop parameter | – |
//! | a result, an arm of a selection | which exit or arm is taken |
//! | MIN, MAX, SGE, SLT | the comparison, as the condition of a construct |
//! | a result | that all exits give the same |
//!
//! ```text
//! %0 = input v0 ; %1 = const 0                =>  %0 = input v0 ; %2 = hidden 0 of %0
//! loop (%3 = %1) { .. %4 = mulp %3 %0 .. }    =>  loop (%3 = %2) { .. %4 = mulp %3 %0 .. }
//! ```
//!
//! The hidden zero is x · (x + 1) & 1 of the bits of an input or another number that is known when
//! the program runs: even, so 0, which follows from no single bit of its parts. Other constants
//! have their bits set over it. A function computes it once, at its begin, and only if something is
//! hidden.

use super::decisions::Decisions;
use crate::ir::{
    Binary, FloatConstants, Func, Item, Lane, Node, Op, Resource, ScalarKind, Type, Unary, Value,
};
use crate::passes::legalize::emit::Emit;

/// Something that is known when the program runs only: the first of the kind that comes first here.
fn seed(f: &Func, constants: &FloatConstants) -> Option<(Type, Resource)> {
    let is_open = |register| constants.get(usize::from(register)).is_some_and(Option::is_none);
    let rank = |resource| match resource {
        Resource::Input(_) => Some(0),
        Resource::Draw(_) => Some(1),
        Resource::Uniform(register) => is_open(register).then_some(2),
        Resource::IntUniform { .. } => Some(3),
        Resource::BoolUniform(_)
        | Resource::Member { .. }
        | Resource::Index { .. }
        | Resource::Host(_)
        | Resource::Specialized(_) => None,
    };
    // Inputs first: they differ between invocations. Most functions begin with one.
    (0..4).find_map(|wanted| f.reads().find(|&(_, resource)| rank(resource) == Some(wanted)))
}

/// The hidden zero as each kind.
#[derive(Clone, Copy)]
struct Zero {
    bits: Value,
    float: Value,
}

/// The hidden constants of a function.
pub(crate) struct Hide {
    decisions: Decisions,
    /// The read that the zero is computed from.
    seed: (Type, Resource),
    zero: Option<Zero>,
    /// Items for the begin of the function.
    begin: Vec<Item>,
    /// Constants hidden so far.
    cache: Vec<(Type, [u32; 4], Value)>,
}

impl Hide {
    /// State for a function in which a driver may find constants. Where nothing is read when it
    /// runs, every driver can compute all of it and nothing is hidden.
    pub fn new(f: &Func, constants: &FloatConstants) -> Option<Self> {
        let decisions = Decisions::new(f)?;
        Some(Self { decisions, seed: seed(f, constants)?, zero: None, begin: Vec::new(), cache: Vec::new() })
    }

    /// Returns whether constants among the results or parameters of a construct are hidden.
    pub fn takes(&self, node: Node) -> bool {
        self.decisions.may_know(node)
    }

    /// Returns whether constants in the arms of an operation are hidden.
    pub fn chooses(&self, f: &Func, op: Op) -> bool {
        self.decisions.may_choose(f, op)
    }

    /// Puts what the hidden constants are computed from at the begin of the function.
    pub fn finish(mut self, f: &mut Func) {
        if let Some(body) = f.body {
            self.begin.append(&mut f.regions[body].items);
            f.regions[body].items = self.begin;
        }
    }

    /// A value, of which these lanes are constant, with those lanes hidden. `read` gives the legal
    /// form of a read.
    pub(in crate::passes) fn over(
        &mut self,
        emit: &mut Emit<'_>,
        read: impl FnOnce(&mut Emit<'_>, Resource) -> Op,
        value: Value,
        (lanes, bits): (u8, [u32; 4]),
    ) -> Value {
        let ty = emit.func.ty(value);
        let known = self.cache.iter().find(|known| (known.0, known.1) == (ty, bits));
        let hidden = known.map(|known| known.2).unwrap_or_else(|| {
            let inside = std::mem::replace(&mut emit.items, std::mem::take(&mut self.begin));
            let zero = *self.zero.get_or_insert_with(|| zero(emit, read, self.seed));
            let hidden = constant(emit, zero, ty, bits);
            self.begin = std::mem::replace(&mut emit.items, inside);
            self.cache.push((ty, bits, hidden));
            hidden
        });
        if lanes == (1 << ty.lanes) - 1 {
            return hidden;
        }
        let from = |index| Lane::new(if lanes >> index & 1 != 0 { hidden } else { value }, index);
        emit.op(ty, Op::shuffle([0, 1, 2, 3].map(from), ty.lanes))
    }
}

/// The bits of a constant over a zero that no driver can find.
fn constant(emit: &mut Emit<'_>, zero: Zero, ty: Type, bits: [u32; 4]) -> Value {
    let is_zero = bits == [0; 4];
    let mut value = if is_zero { zero.float } else { zero.bits };
    if ty.lanes > 1 {
        let all = emit.func.ty(value).with_lanes(ty.lanes);
        value = emit.op(all, Op::Shuffle([Lane::new(value, 0); 4]));
    }
    if is_zero {
        return value;
    }
    let constant = emit.op(ty.with_kind(ScalarKind::U32), Op::Const(bits));
    value = emit.binary(Binary::BitOr, value, constant);
    emit.unary(Unary::FromBits, value)
}

fn zero(
    emit: &mut Emit<'_>,
    read: impl FnOnce(&mut Emit<'_>, Resource) -> Op,
    (ty, resource): (Type, Resource),
) -> Zero {
    let seed = read(emit, resource);
    let mut x = emit.op(ty, seed);
    if ty.kind == ScalarKind::F32 {
        x = emit.lane(Lane::new(x, 0));
        x = emit.unary(Unary::ToBits, x);
        x = emit.unary(Unary::UintToInt, x);
    }
    let one = emit.int(1);
    let next = emit.binary(Binary::IAdd, x, one);
    // One of two neighbors is even.
    let product = emit.binary(Binary::IMul, x, next);
    let int = emit.binary(Binary::IAnd, product, one);
    let bits = emit.unary(Unary::IntToUint, int);
    Zero { bits, float: emit.unary(Unary::FromBits, bits) }
}
