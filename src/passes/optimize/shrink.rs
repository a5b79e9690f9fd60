//! Removes the lanes that are not demanded from values, parameters and results.
//! In and out: a function that `dce` left. [`Demand`] says what is demanded.
//!
//! ```text
//! %2 = mulp %0 %1 (f32x4) ; %3 = shuffle %2.x %2.z      =>      %4 = shuffle %0.x %0.z ; %5 = shuffle %1.x %1.z
//!                                                               %3 = mulp %4 %5 (f32x2)
//! ```
//!
//! Operations that work lane by lane, constants, shuffles, loop parameters and results become
//! narrower. Inputs, uniforms, members and what a call gives or takes keep their type: where a
//! narrow operation reads one of them, or an operand with other lanes, a shuffle picks what it
//! needs. Shuffles that then pick everything in order go.

use super::edit::sweep;
use crate::ir::{Def, Func, Hint, Item, Lane, Node, NodeData, Op, Region, Shape, Targets, Value, ValueList};
use crate::passes::analyze::demand::{Demand, all_lanes};
use crate::passes::analyze::flow::ValueFlow;
use crate::passes::scratch::{Tables, identity};
use crate::support::entity::Handle;

/// Removes the lanes that the analyses of the function found unneeded. Values that are dead
/// altogether must be removed before. Operations that read constants of their own afterwards may
/// leave the shared ones without use.
pub fn run(f: &mut Func, flow: &ValueFlow, demand: &Demand, tables: &mut Tables) -> bool {
    let partial = find_layouts(f, flow, demand, &mut tables.layouts);
    if partial {
        rebuild(f, tables);
    }
    partial
}

/// Gives every value its new layout.
fn rebuild(f: &mut Func, tables: &mut Tables) {
    let Tables { map, layouts, items, touched, .. } = tables;
    identity(map, f.values.len());
    touched.clear();
    for (data, &layout) in f.values.values_mut().iter_mut().zip(&*layouts) {
        let is_narrower = layout != all_lanes(data.ty);
        touched.push(is_narrower);
        if is_narrower {
            data.hint = narrow_hint(data.hint, data.ty.lanes, layout);
            // Types change before definitions, so that operands see the new ones.
            data.ty.lanes = layout.count_ones() as u8;
        }
    }
    let mut pass = Shrink { f, map, layouts, touched, items, replaced: false };
    pass.function();
    if pass.replaced {
        sweep(f);
    }
}

/// Fills in which of its lanes each value keeps. Returns whether any value loses one.
fn find_layouts(f: &Func, flow: &ValueFlow, demand: &Demand, layouts: &mut Vec<u8>) -> bool {
    layouts.clear();
    let mut partial = false;
    layouts.extend(f.values.iter().zip(demand.masks()).map(|((value, data), &mask)| {
        let all = all_lanes(data.ty);
        let can_narrow = mask != 0
            && mask != all
            && match data.def {
                Def::Op(op) => can_narrow(op),
                Def::Param | Def::Result => flow.origin(value).is_some(),
                Def::Dead => false,
            };
        // A wide constant does no harm; it shrinks where there is something to do anyway.
        partial |= can_narrow && !matches!(data.def, Def::Op(Op::Const(_)));
        if can_narrow { mask } else { all }
    }));
    partial
}

fn can_narrow(op: Op) -> bool {
    match op {
        Op::Const(_) | Op::Shuffle(_) | Op::Unary(..) | Op::Select { .. } => true,
        Op::Binary(op, ..) => op.shape() == Shape::Each,
        Op::Read(_) | Op::ReadAt(..) | Op::Submit { .. } | Op::Call { .. } => false,
    }
}

/// The indices of the lanes in a mask.
fn lanes_of(mask: u8) -> impl Iterator<Item = u8> {
    (0..4).filter(move |lane| mask >> lane & 1 != 0)
}

/// A hint for the lanes that are left.
fn narrow_hint(hint: Hint, lanes: u8, layout: u8) -> Hint {
    if hint.mask.count_ones() != u32::from(lanes) {
        return hint;
    }
    let kept = lanes_of(hint.mask).enumerate().filter(|(lane, _)| layout >> lane & 1 != 0);
    Hint { mask: kept.fold(0, |mask, (_, component)| mask | 1 << component), ..hint }
}

/// A region to be rebuilt, and where its exits lead.
type Work = (Region, Targets<Node>);

struct Shrink<'a> {
    f: &'a mut Func,
    map: &'a mut [Value],
    /// Mask of the old lanes that each old value keeps.
    layouts: &'a [u8],
    /// By old value: whether it loses a lane or is replaced.
    touched: &'a mut [bool],
    /// The items of the region being rebuilt.
    items: &'a mut Vec<Item>,
    /// Set if another value took the place of one.
    replaced: bool,
}

impl Shrink<'_> {
    /// Rebuilds parents before children, so that what replaces a value is known where it is used.
    fn function(&mut self) {
        // No walk: a region is rebuilt as a whole, before those inside it, so that one list of
        // items serves all.
        let mut work: Vec<Work> = self.f.body.map(|body| (body, Targets::default())).into_iter().collect();
        while let Some((region, targets)) = work.pop() {
            self.region(region, targets, &mut work);
        }
    }

    fn region(&mut self, region: Region, targets: Targets<Node>, work: &mut Vec<Work>) {
        let mut old = std::mem::take(&mut self.f.regions[region].items);
        self.items.clear();
        for &item in &old {
            match item {
                Item::Let(value) => self.value(value),
                Item::Node(node) => {
                    self.node(node);
                    let data = &self.f.nodes[node];
                    let inside = targets.inside(data, node);
                    work.extend(data.regions().map(|region| (region, inside)));
                }
            }
            self.items.push(item);
        }
        let exit = self.f.regions[region].exit;
        self.list(exit.list(), targets.resolve(exit).map(|node| self.f.nodes[node].takers(exit)));
        old.clear();
        old.extend_from_slice(self.items);
        self.f.regions[region].items = old;
    }

    fn node(&mut self, node: Node) {
        if let NodeData::Loop { params, inits, .. } = self.f.nodes[node] {
            self.list(inits, Some(params));
        }
        let map = &*self.map;
        if let Some(decider) = self.f.nodes[node].decider_mut() {
            *decider = map[decider.index()];
        }
    }

    /// Brings values to the lanes of the parameters or results that take them; the outputs of the
    /// function stay whole.
    fn list(&mut self, list: ValueList, takers: Option<ValueList>) {
        for (offset, position) in list.range().enumerate() {
            let value = self.f.pool[position];
            let layout = match takers {
                Some(takers) => self.layouts[self.f.pool[takers.range().start + offset].index()],
                None => self.layouts[value.index()],
            };
            self.f.pool[position] = self.pick(value, layout);
        }
    }

    fn value(&mut self, value: Value) {
        let Some(old) = self.f.op(value) else { return };
        let mut is_touched = self.touched[value.index()];
        old.for_each(&self.f.pool, |operand| is_touched |= self.touched[operand.index()]);
        // Most stay as they are.
        if !is_touched {
            return;
        }
        let layout = self.layouts[value.index()];
        let op = match old {
            Op::Read(_) => return,
            Op::Const(bits) => Op::Const(pick_bits(bits, layout)),
            Op::Shuffle(lanes) => return self.shuffle(value, lanes, layout),
            Op::Unary(op, a) => Op::Unary(op, self.pick(a, layout)),
            Op::Binary(op, a, b) if op.shape() == Shape::Each => {
                let first = self.pick(a, layout);
                Op::Binary(op, first, if a == b { first } else { self.pick(b, layout) })
            }
            Op::Select { cond, a, b } => {
                Op::Select { cond: self.pick(cond, layout), a: self.pick(a, layout), b: self.pick(b, layout) }
            }
            Op::Binary(..) | Op::ReadAt(..) | Op::Submit { .. } | Op::Call { .. } => {
                let (map, mut op) = (&*self.map, old);
                op.replace_each(&mut self.f.pool, |value| map[value.index()]);
                op
            }
        };
        self.f.values[value].def = Def::Op(op);
    }

    /// The lanes `layout` of an old value or shuffle by where they are now; the others repeat the
    /// first.
    fn lanes(&self, layout: u8, old: impl Fn(u8) -> Lane) -> [Lane; 4] {
        let (mut kept, mut count) = ([old(0); 4], 0);
        for index in lanes_of(layout) {
            let lane = old(index);
            let before = self.layouts[lane.value().index()] & ((1 << lane.index()) - 1);
            // Most masks are of the first lanes, and their count needs no instructions.
            let at = if before + 1 == 1 << lane.index() { lane.index() } else { before.count_ones() as u8 };
            kept[count] = Lane::new(self.map[lane.value().index()], at);
            count += 1;
        }
        let first = kept[0];
        kept[count..].fill(first);
        kept
    }

    fn shuffle(&mut self, value: Value, lanes: [Lane; 4], layout: u8) {
        let new = self.lanes(layout, |index| lanes[usize::from(index)]);
        let (first, ty) = (new[0].value(), self.f.ty(value));
        let in_order = |(index, lane): (usize, &Lane)| *lane == Lane::new(first, index as u8);
        if self.f.ty(first) == ty && new[..usize::from(ty.lanes)].iter().enumerate().all(in_order) {
            self.map[value.index()] = first;
            self.touched[value.index()] = true;
            self.f.values[value].def = Def::Dead;
            self.replaced = true;
        } else {
            self.f.values[value].def = Def::Op(Op::Shuffle(new));
        }
    }

    /// The lanes `layout` of an old value, all of which it keeps.
    fn pick(&mut self, value: Value, layout: u8) -> Value {
        if self.layouts[value.index()] == layout {
            return self.map[value.index()];
        }
        let lanes = self.lanes(layout, |index| Lane::new(value, index));
        // A narrower constant needs no shuffle.
        let (source, count) = (lanes[0].value(), layout.count_ones() as u8);
        let op = match self.f.op(source) {
            Some(Op::Const(bits)) => {
                let mut picked = lanes.map(|lane| bits[usize::from(lane.index())]);
                picked[usize::from(count)..].fill(0);
                Op::Const(picked)
            }
            Some(_) | None => Op::Shuffle(lanes),
        };
        let ty = self.f.ty(source).with_lanes(count);
        let new = self.f.value(ty, Def::Op(op));
        self.items.push(Item::Let(new));
        new
    }
}

fn pick_bits(bits: [u32; 4], layout: u8) -> [u32; 4] {
    let mut picked = [0; 4];
    for (slot, lane) in picked.iter_mut().zip(lanes_of(layout)) {
        *slot = bits[usize::from(lane)];
    }
    picked
}
