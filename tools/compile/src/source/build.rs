//! Builder of IR for values by lanes.
//! In: lanes of values. Out: operations in the current region; constants and reads in a region of
//! their own, which comes before all others, so that each exists once. Knows nothing of naga.

use std::collections::BTreeMap;

use transpica::isa::Pc;

use super::ir::{
    Binary, Def, Exit, Func, Item, Lane, Node, NodeData, Op, Region, RegionData, ScalarKind, Type, Unary,
    Value, ValueList,
};

pub(super) const ONE: u32 = 0x3F80_0000;
const SIGN: u32 = 1 << 31;

pub(super) struct Builder {
    pub(super) f: Func,
    /// Constants and reads.
    prelude: Region,
    body: Region,
    pub(super) region: Region,
    constants: BTreeMap<(ScalarKind, u32), Lane>,
}

impl Builder {
    pub(super) fn new() -> Self {
        let mut f = Func { name: "main".into(), ..Func::default() };
        let prelude = f.regions.push(RegionData::default());
        let body = f.regions.push(RegionData::default());
        f.body = Some(body);
        Self { f, prelude, body, region: body, constants: BTreeMap::new() }
    }

    /// Ends the function with its outputs.
    pub(super) fn finish(mut self, outputs: Vec<Value>) -> Func {
        // What passes add later is of no line.
        self.begin_place(None);
        let outputs = self.f.list(outputs);
        let reads = std::mem::take(&mut self.f.regions[self.prelude].items);
        let body = &mut self.f.regions[self.body];
        body.exit = Exit::Yield(outputs);
        body.items.splice(0..0, reads);
        self.f
    }

    /// Begins the values of a line.
    pub(super) fn begin_place(&mut self, line: Option<Pc>) {
        self.f.end_instruction();
        self.f.begin_place(line);
    }

    /// The line of the next value.
    pub(super) fn place(&self) -> Option<Pc> {
        self.f.places.last()?.pc
    }

    pub(super) fn new_region(&mut self) -> Region {
        self.f.regions.push(RegionData::default())
    }

    /// Emits an operation in the current region.
    pub(super) fn emit(&mut self, ty: Type, op: Op) -> Value {
        self.f.emit(self.region, ty, op)
    }

    /// Emits a read that everything sees.
    pub(super) fn read(&mut self, ty: Type, op: Op) -> Value {
        self.f.emit(self.prelude, ty, op)
    }

    /// Computes in the region that everything sees.
    pub(super) fn at_start<T>(&mut self, compute: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.region, self.prelude);
        let result = compute(self);
        self.region = outer;
        result
    }

    pub(super) fn constant(&mut self, kind: ScalarKind, bits: u32) -> Lane {
        if let Some(&lane) = self.constants.get(&(kind, bits)) {
            return lane;
        }
        let lane = Lane::new(self.read(Type::new(kind, 1), Op::Const([bits, 0, 0, 0])), 0);
        self.constants.insert((kind, bits), lane);
        lane
    }

    pub(super) fn float(&mut self, value: f32) -> Lane {
        self.constant(ScalarKind::F32, value.to_bits())
    }

    /// Bits of a lane that is a constant.
    pub(super) fn known(&self, lane: Lane) -> Option<u32> {
        match self.f.op(lane.value())? {
            Op::Const(bits) => Some(bits[usize::from(lane.index())]),
            _other => None,
        }
    }

    /// Returns whether each lane is the same constant.
    pub(super) fn is_all(&self, lanes: &[Lane], bits: u32) -> bool {
        lanes.iter().all(|&lane| self.known(lane) == Some(bits))
    }

    /// Collects one to four lanes as a value.
    pub(super) fn gather(&mut self, lanes: &[Lane]) -> Value {
        let first = lanes[0].value();
        let ty = self.f.ty(first).with_lanes(lanes.len() as u8);
        let in_order = lanes.iter().enumerate().all(|(index, &lane)| lane == Lane::new(first, index as u8));
        if in_order && self.f.ty(first) == ty {
            return first;
        }
        if let Some(known) = lanes.iter().map(|&lane| self.known(lane)).collect::<Option<Vec<u32>>>() {
            let mut bits = [0; 4];
            bits[..known.len()].copy_from_slice(&known);
            return self.emit(ty, Op::Const(bits));
        }
        let mut all = [lanes[0]; 4];
        all[..lanes.len()].copy_from_slice(lanes);
        self.emit(ty, Op::Shuffle(all))
    }

    /// The lanes of a value.
    pub(super) fn lanes(&self, value: Value) -> Vec<Lane> {
        (0..self.f.ty(value).lanes).map(|index| Lane::new(value, index)).collect()
    }

    /// A one-operand operation on groups of `group` lanes.
    pub(super) fn unary(&mut self, op: Unary, a: &[Lane], group: usize) -> Vec<Lane> {
        let mut result = Vec::with_capacity(a.len());
        for lanes in a.chunks(group) {
            // One lane is cheaper than the same one several times, above all for RCP and the like.
            let is_splat = lanes.iter().all(|lane| *lane == lanes[0]);
            let a = self.gather(if is_splat { &lanes[..1] } else { lanes });
            let value = self.emit(op.result(self.f.ty(a)), Op::Unary(op, a));
            result.extend(spread(&self.lanes(value), lanes.len()));
        }
        result
    }

    /// A two-operand operation on groups of `group` lanes; one lane stands for all.
    pub(super) fn binary(&mut self, op: Binary, a: &[Lane], b: &[Lane], group: usize) -> Vec<Lane> {
        if let Some(same) = self.neutral(op, a, b) {
            return same;
        }
        let count = a.len().max(b.len());
        let (a, b) = (spread(a, count), spread(b, count));
        let mut result = Vec::with_capacity(count);
        for (a, b) in a.chunks(group).zip(b.chunks(group)) {
            let (a, b) = (self.gather(a), self.gather(b));
            let value = self.emit(op.result(self.f.ty(a)), Op::Binary(op, a, b));
            result.extend(self.lanes(value));
        }
        result
    }

    /// Sums with 0 and products with 1.
    fn neutral(&self, op: Binary, a: &[Lane], b: &[Lane]) -> Option<Vec<Lane>> {
        let bits = match op {
            Binary::AddP => 0,
            Binary::MulP => ONE,
            _other => return None,
        };
        let count = a.len().max(b.len());
        if self.is_all(b, bits) {
            return Some(spread(a, count));
        }
        self.is_all(a, bits).then(|| spread(b, count))
    }

    pub(super) fn negate(&mut self, a: &[Lane], group: usize) -> Vec<Lane> {
        if let Some(known) = a.iter().map(|&lane| self.known(lane)).collect::<Option<Vec<u32>>>() {
            return known.into_iter().map(|bits| self.constant(ScalarKind::F32, bits ^ SIGN)).collect();
        }
        self.unary(Unary::Neg, a, group)
    }

    /// The dot product of two to four lanes, or the product of one. A lane that is 1 or 0 in the
    /// second is a term, or none.
    pub(super) fn dot(&mut self, a: &[Lane], b: &[Lane]) -> Lane {
        let (Some((&last, head)), Some((&factor, rest))) = (a.split_last(), b.split_last()) else {
            return self.float(0.0);
        };
        if head.is_empty() {
            return self.binary(Binary::MulP, &[last], &[factor], 1)[0];
        }
        let known = self.known(factor);
        if known == Some(0) {
            return self.dot(head, rest);
        }
        if known == Some(ONE) {
            let sum = self.dot(head, rest);
            return self.binary(Binary::AddP, &[sum], &[last], 1)[0];
        }
        let (a, b) = (self.gather(a), self.gather(b));
        Lane::new(self.emit(Type::F32, Op::Binary(Binary::DotP, a, b)), 0)
    }

    /// Each lane of `a` where that of the condition is true, else of `b`.
    pub(super) fn select(&mut self, cond: &[Lane], a: &[Lane], b: &[Lane]) -> Vec<Lane> {
        let count = a.len().max(b.len());
        let (cond, a, b) = (spread(cond, count), spread(a, count), spread(b, count));
        let mut result = Vec::with_capacity(count);
        for ((cond, a), b) in cond.chunks(4).zip(a.chunks(4)).zip(b.chunks(4)) {
            let (cond, a, b) = (self.gather(cond), self.gather(a), self.gather(b));
            let value = self.emit(self.f.ty(a), Op::Select { cond, a, b });
            result.extend(self.lanes(value));
        }
        result
    }

    /// Adds a construct to the current region.
    pub(super) fn add(&mut self, data: NodeData) -> Node {
        let node = self.f.nodes.push(data);
        self.f.regions[self.region].items.push(Item::Node(node));
        node
    }

    /// New results or parameters.
    pub(super) fn define(&mut self, types: &[Type], def: Def) -> Vec<Value> {
        types.iter().map(|&ty| self.f.value(ty, def)).collect()
    }

    /// Ends a region with the values of these groups of lanes.
    pub(super) fn end(&mut self, region: Region, groups: &[Vec<Lane>], exit: fn(ValueList) -> Exit) {
        let outer = std::mem::replace(&mut self.region, region);
        let values: Vec<Value> = groups.iter().map(|lanes| self.gather(lanes)).collect();
        self.region = outer;
        let list = self.f.list(values);
        self.f.regions[region].exit = exit(list);
    }
}

/// One lane for all, or all lanes.
pub(super) fn spread(lanes: &[Lane], count: usize) -> Vec<Lane> {
    if lanes.len() == 1 { vec![lanes[0]; count] } else { lanes.to_vec() }
}
