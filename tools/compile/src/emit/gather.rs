//! Sums of products as DP3 and DP4, and constants of sums and products as one, in whatever order.
//! In and out: a function, whose results change by rounding. Products are gathered whose factors
//! stand in two registers of the source; whether that is shorter only a program shows.
//!
//! ```text
//! %3 = mulp %1.x, %2.x
//! %4 = addp (mulp %1.y, %2.y), %3     =>     %5 = dotp %1.xyz, %2.xyz
//! %5 = addp (mulp %1.z, %2.z), %4
//! ```

use crate::ir::walk::{Step, Walk};
use crate::ir::{Binary, Def, Func, HintRegister, Item, Lane, Op, Region, ScalarKind, Type, Unary, Value};
use crate::precision::float24;

use super::select::{Root, RootClass, class, root};
use super::uses::Uses;

/// Most lanes of a dot product.
const MOST: usize = 4;
/// Fewest: of two products, MUL and MAD are as short.
const LEAST: usize = 3;

/// The register of a factor: its class, and which one of the temporaries.
type Key = (RootClass, u32);

/// A product of a sum.
#[derive(Clone, Copy)]
struct Product {
    factors: [Lane; 2],
    negate: bool,
    /// Set if it is no part of a dot product yet.
    is_alone: bool,
}

/// The terms of a lane.
#[derive(Default)]
struct Sum {
    products: Vec<Product>,
    others: Vec<(Lane, bool)>,
}

struct Pass<'f> {
    f: &'f mut Func,
    uses: Uses,
    /// The region of each value of the source.
    regions: Vec<Option<Region>>,
    /// Values before the item that is changed.
    new: Vec<Value>,
}

/// Changes a function. Returns whether there was such a sum.
pub(crate) fn run(f: &mut Func) -> bool {
    let (uses, mut regions) = (Uses::new(f), vec![None; f.values.len()]);
    let (mut walk, mut open): (_, Vec<Region>) = (Walk::new(f), Vec::new());
    while let Some(step) = walk.next(f) {
        match step {
            Step::Begin(region) => open.push(region),
            Step::End(_) => _ = open.pop(),
            Step::Let(value) => regions[value.0 as usize] = open.last().copied(),
            Step::Enter(_) | Step::Leave(_) => {}
        }
    }
    let mut pass = Pass { f, uses, regions, new: Vec::new() };
    let mut changed = false;
    for region in pass.f.regions.keys() {
        let items = std::mem::take(&mut pass.f.regions[region].items);
        let mut reversed = Vec::with_capacity(items.len());
        // The last sum of a chain takes over all of it.
        for item in items.into_iter().rev() {
            reversed.push(item);
            if let Item::Let(value) = item {
                changed |= pass.fold(value, region) | pass.value(value, region);
                reversed.extend(pass.new.drain(..).rev().map(Item::Let));
            }
        }
        reversed.reverse();
        pass.f.regions[region].items = reversed;
    }
    changed
}

impl Pass<'_> {
    /// Gathers the sums of the lanes of a value.
    fn value(&mut self, value: Value, region: Region) -> bool {
        let Some(op @ Op::Binary(Binary::AddP, ..)) = self.f.op(value) else { return false };
        let ty = self.f.ty(value);
        let mut lanes = [None; 4];
        for lane in (0..ty.lanes).map(|index| Lane::new(value, index)) {
            if self.uses.of(lane) > 0 {
                let sum = self.sum(lane, region);
                lanes[usize::from(lane.index())] = self.gathered(sum);
            }
        }
        if lanes == [None; 4] {
            return false;
        }
        let plain = self.add(ty, op);
        let lane = |n: usize| lanes[n].map_or(Lane::new(plain, n as u8 % ty.lanes), |sum| Lane::new(sum, 0));
        self.f.values[value].def = Def::Op(Op::Shuffle([0, 1, 2, 3].map(lane)));
        true
    }

    fn add(&mut self, ty: Type, op: Op) -> Value {
        let value = self.f.value(ty, Def::Op(op));
        self.new.push(value);
        value
    }

    /// Everything that a lane adds up in its region, where nothing else reads the parts.
    fn sum(&self, lane: Lane, region: Region) -> Sum {
        let (mut sum, mut left) = (Sum::default(), vec![(lane, false)]);
        while let Some((at, negate)) = left.pop() {
            let found = self.f.op(at.value()).filter(|_| at == lane || self.is_own(at, region));
            let mut product = |factors: [Lane; 2], is_alone: bool| {
                let [(a, x), (b, y)] = factors.map(|factor| stripped(self.f, factor));
                sum.products.push(Product { factors: [a, b], negate: (x != y) != negate, is_alone });
            };
            match found {
                Some(Op::Binary(Binary::AddP, a, b)) => {
                    for operand in [b, a] {
                        let (operand, sign) = stripped(self.f, Lane::new(operand, at.index()));
                        left.push((operand, sign != negate));
                    }
                }
                Some(Op::Binary(Binary::MulP, a, b)) => {
                    product([a, b].map(|factor| Lane::new(factor, at.index())), true);
                }
                Some(Op::Binary(Binary::DotP, a, b)) => {
                    for index in 0..self.f.ty(a).lanes {
                        product([a, b].map(|factor| Lane::new(factor, index)), false);
                    }
                }
                _other => sum.others.push((at, negate)),
            }
        }
        sum
    }

    /// The value of a sum, if some of its products become one.
    fn gathered(&mut self, sum: Sum) -> Option<Value> {
        let mut groups: Vec<([Key; 2], bool, Vec<Product>)> = Vec::new();
        for mut product in sum.products {
            let mut keys = product.factors.map(|factor| key(self.f, factor));
            let is_swapped = |known: &[Key; 2]| *known == [keys[1], keys[0]];
            if keys[0] != keys[1] && groups.iter().any(|(known, ..)| is_swapped(known)) {
                keys.swap(0, 1);
                product.factors.swap(0, 1);
            }
            match groups.iter_mut().find(|(known, sign, _)| *known == keys && *sign == product.negate) {
                Some((.., products)) => products.push(product),
                None => groups.push((keys, product.negate, vec![product])),
            }
        }
        let (mut total, mut rest, mut is_new) = (None, Vec::new(), false);
        for (_, negate, mut products) in groups {
            products.sort_by_key(|product| product.factors[0].index());
            for part in products.chunks(MOST) {
                if part.len() < LEAST {
                    rest.extend_from_slice(part);
                    continue;
                }
                is_new |= part.iter().any(|product| product.is_alone);
                let [a, b] =
                    [0, 1].map(|n: usize| part.iter().map(|product| product.factors[n]).collect::<Vec<_>>());
                let (a, b) = (self.vector(&a, negate), self.vector(&b, false));
                let dot = self.add(Type::F32, Op::Binary(Binary::DotP, a, b));
                total = Some(self.plus(total, dot));
            }
        }
        if !is_new {
            self.new.clear();
            return None;
        }
        for (lane, negate) in sum.others {
            let other = self.vector(&[lane], negate);
            total = Some(self.plus(total, other));
        }
        for Product { factors: [a, b], negate, .. } in rest {
            let (a, b) = (self.vector(&[a], negate), self.vector(&[b], false));
            let product = self.add(Type::F32, Op::Binary(Binary::MulP, a, b));
            total = Some(self.plus(total, product));
        }
        total
    }

    /// Makes one of the constants of sums of sums, or of products of products.
    fn fold(&mut self, value: Value, region: Region) -> bool {
        let mut changed = false;
        while let Some((op, lanes, bits)) = self.constants(value, region) {
            let ty = self.f.ty(value);
            let (other, constant) = (self.add(ty, Op::Shuffle(lanes)), self.add(ty, Op::Const(bits)));
            self.f.values[value].def = Def::Op(Op::Binary(op, other, constant));
            changed = true;
        }
        changed
    }

    /// The operand inside of two operations with constants, and what both make of them.
    fn constants(&self, value: Value, region: Region) -> Option<(Binary, [Lane; 4], [u32; 4])> {
        let divided = |operands: [Value; 2], index: u8| {
            let constant = |value: Value| match root(self.f, Lane::new(value, index)).0 {
                Root::Const(bits) => Some(f32::from_bits(bits)),
                _other => None,
            };
            let [a, b] = operands;
            let order = [(a, b), (b, a)].into_iter();
            order.filter_map(|(other, of)| Some((Lane::new(other, index), constant(of)?))).next()
        };
        let Some(Op::Binary(op @ (Binary::AddP | Binary::MulP), a, b)) = self.f.op(value) else {
            return None;
        };
        let (mut lanes, mut constants) = ([Lane::new(value, 0); 4], [0; 4]);
        let count = self.f.ty(value).lanes;
        for index in 0..count {
            let (outer, x) = divided([a, b], index)?;
            let (outer, negate) = stripped(self.f, outer);
            let Some(Op::Binary(inner, c, d)) = self.f.op(outer.value()) else { return None };
            let (inside, y) = divided([c, d], outer.index())?;
            if inner != op || negate || !self.is_own(outer, region) {
                return None;
            }
            let both = if op == Binary::AddP { x + y } else { x * y };
            lanes[usize::from(index)] = inside;
            // Files have constants of 24 bits.
            constants[usize::from(index)] = float24::to_f32_bits(float24::from_f32_bits(both.to_bits()));
        }
        for index in usize::from(count)..4 {
            lanes[index] = lanes[0];
        }
        Some((op, lanes, constants))
    }

    /// Returns whether a lane is computed in a region, and read once.
    fn is_own(&self, lane: Lane, region: Region) -> bool {
        let home = self.regions.get(lane.value().0 as usize).copied().flatten();
        home == Some(region) && self.uses.of(lane) == 1
    }

    /// A vector of lanes, with a sign.
    fn vector(&mut self, lanes: &[Lane], negate: bool) -> Value {
        let ty = Type::new(ScalarKind::F32, lanes.len() as u8); // Range: at most four.
        let all = std::array::from_fn(|n| lanes[n.min(lanes.len() - 1)]);
        let vector = self.add(ty, Op::Shuffle(all));
        if negate { self.add(ty, Op::Unary(Unary::Neg, vector)) } else { vector }
    }

    fn plus(&mut self, total: Option<Value>, value: Value) -> Value {
        total.map_or(value, |total| self.add(Type::F32, Op::Binary(Binary::AddP, value, total)))
    }
}

/// Follows a lane through shuffles and negations.
fn stripped(f: &Func, mut lane: Lane) -> (Lane, bool) {
    let mut negate = false;
    loop {
        match f.op(lane.value()) {
            Some(Op::Shuffle(lanes)) => lane = lanes[usize::from(lane.index())],
            Some(Op::Unary(Unary::Neg, a)) => (lane, negate) = (Lane::new(a, lane.index()), !negate),
            _other => return (lane, negate),
        }
    }
}

/// The register of a lane without sign. Temporaries are those of the source, as far as known.
fn key(f: &Func, lane: Lane) -> Key {
    let class = class(root(f, lane)).0;
    match f.values[lane.value()].hint.register {
        _ if class != RootClass::Value => (class, 0),
        HintRegister::Temp(register) => (class, register.into()),
        _other => (class, 16 + lane.value().0),
    }
}
