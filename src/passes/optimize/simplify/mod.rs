//! Replaces operations and constructs by simpler ones of the same result, and folds constants.
//! In and out: a function of the `Pica` stage. Knows one operation and its operands at a time; the
//! rules stand in `rules`.
//!
//! ```text
//! %2 = shuffle %1.z %1.x ; %3 = shuffle %2.y ; %4 = mulp %3 %one      =>      %3 = shuffle %1.x      (uses of %4 read %3)
//! if %true { A yield %5 } else { B } -> %6                            =>      A                      (uses of %6 read %5)
//! ```
//!
//! * An `if` on a constant, a `switch` on a constant and a `block` that no `break` leaves early
//!   dissolve into their region; a loop that never continues is a block.
//! * An `if` without items selects its results: `if %c { yield %1 } else { yield %2 } -> %3  =>  %3
//!   = select %c %1 %2`.
//! * `if not %c` exchanges its arms; a `break` that ends a `block` or a `case` yields.
//! * What follows a construct that never falls through goes.
//! * Equal operations are evaluated once, as by `cse`: of what is simpler now, some is equal only
//!   now.
//!
//! Replaced values are gone at once: every operand is looked up in a table on the way, which one
//! walk in program order suffices for, because definitions come before uses. Other values that are
//! dead then are left to `dce`. Running it on a `Legal` function could make constant
//! zeros operands of `Mul` and `Add`, which that stage forbids.

mod comparisons;
pub(in crate::passes) mod frame;
mod rules;

use super::equal::Visible;
use crate::ir::{
    Def, Exit, Func, HintRegister, Item, Lane, Node, NodeData, Op, Region, ScalarKind, Targets, Type, Unary,
    Value, ValueList,
};
use crate::machine::precision::Precision;
use crate::passes::analyze::ranges::Ranges;
use crate::passes::scratch::{Tables, identity};
use crate::support::entity::Handle;
use frame::{Frame, NodeFrame, RegionFrame};
use rules::Fold;

/// Simplifies a function; `precision` decides what constants compute to and which identities hold.
pub fn run(f: &mut Func, precision: Precision, tables: &mut Tables) -> bool {
    let Tables { map, items: out, frames: stack, visible, .. } = tables;
    identity(map, f.values.len());
    out.clear();
    stack.clear();
    visible.start(f.values.len());
    f.merged.reserve(f.values.len() / 2);
    let ranges = &Ranges::new(precision, None);
    let mut pass = Simplify { f, precision, ranges, map, out, stack, visible, changed: false };
    pass.function();
    pass.changed
}

struct Simplify<'a> {
    f: &'a mut Func,
    precision: Precision,
    /// Without a sweep: the function changes while its comparisons are asked about.
    ranges: &'a Ranges<'a>,
    map: &'a mut Vec<Value>,
    out: &'a mut Vec<Item>,
    stack: &'a mut Vec<Frame>,
    visible: &'a mut Visible,
    changed: bool,
}

impl Simplify<'_> {
    fn function(&mut self) {
        let Some(body) = self.f.body else { return };
        self.begin(Some(body), body, ValueList::EMPTY);
        // No walk: items move while they are passed, and dissolved constructs are not entered.
        while let Some(frame) = self.stack.last_mut() {
            match frame {
                Frame::Region(frame) => {
                    let (items, mut next) = (std::mem::take(&mut frame.items), frame.next);
                    while let Some(&Item::Let(value)) = items.get(next) {
                        next += 1;
                        if self.value(value) {
                            self.out.push(Item::Let(value));
                        }
                    }
                    let item = items.get(next).copied();
                    if let Some(Frame::Region(frame)) = self.stack.last_mut() {
                        (frame.items, frame.next) = (items, next + 1);
                    }
                    match item {
                        Some(Item::Node(node)) => self.enter(node),
                        Some(Item::Let(_)) | None => self.end(),
                    }
                }
                Frame::Node(frame) => {
                    let (node, index) = (frame.node, frame.next);
                    frame.next += 1;
                    match self.f.nodes[node].child(index) {
                        Some(region) => self.begin(Some(region), region, ValueList::EMPTY),
                        None => self.leave(),
                    }
                }
            }
        }
    }

    /// Begins with the items of `from`, which go to `region` or, for a dissolved construct, to the
    /// frame below.
    fn begin(&mut self, region: Option<Region>, from: Region, results: ValueList) {
        if region.is_some() {
            self.visible.begin();
        }
        let data = &mut self.f.regions[from];
        self.stack.push(Frame::Region(RegionFrame {
            region,
            items: std::mem::take(&mut data.items),
            next: 0,
            start: self.out.len(),
            exit: data.exit,
            results,
        }));
    }

    /// Simplifies one operation; false if the value is replaced by another.
    #[inline]
    fn value(&mut self, value: Value) -> bool {
        loop {
            let data = &self.f.values[value];
            let (Def::Op(op), ty) = (data.def, data.ty) else { return true };
            match self.fold(op, ty) {
                Fold::Keep => break,
                Fold::Mapped(op) => {
                    self.f.values[value].def = Def::Op(op);
                    self.changed = true;
                    break;
                }
                // What is simpler may fold again.
                Fold::Op(simpler) => {
                    self.f.values[value].def = Def::Op(simpler);
                    self.changed = true;
                }
                Fold::Value(same) => {
                    // A result of an instruction, not an operand in the right lanes.
                    if self.f.values[value].hint.register != HintRegister::None {
                        self.f.merge(value, same);
                    }
                    self.replace(value, same);
                    return false;
                }
            }
        }
        // Only now, since its operands are as simple as they get.
        if let Some(same) = self.visible.find_or_add(self.f, value) {
            self.f.merge(value, same);
            self.replace(value, same);
            return false;
        }
        true
    }

    fn replace(&mut self, value: Value, by: Value) {
        self.map[value.index()] = by;
        self.f.values[value].def = Def::Dead;
        self.changed = true;
    }

    fn replace_list(&mut self, values: ValueList, by: ValueList) {
        for (value, by) in values.range().zip(by.range()) {
            let by = self.map[self.f.pool[by].index()];
            self.replace(self.f.pool[value], by);
        }
    }

    fn enter(&mut self, node: Node) {
        let decider = self.f.nodes[node].decider().map(|value| self.map[value.index()]);
        if let (Some(old), Some(new)) = (self.f.nodes[node].decider_mut(), decider) {
            self.changed |= *old != new;
            *old = new;
        }
        let constant = decider.and_then(|value| self.constant(value)).map(|[bits, ..]| bits);
        let negated = decider.and_then(|value| self.f.op(value));
        match &mut self.f.nodes[node] {
            NodeData::If { then, otherwise, results, .. } if constant.is_some() => {
                let (taken, results) = (if constant == Some(0) { *otherwise } else { *then }, *results);
                self.changed = true;
                return self.begin(None, taken, results);
            }
            NodeData::If { cond, then, otherwise, .. } => {
                if let Some(Op::Unary(Unary::Not, inner)) = negated {
                    *cond = inner;
                    std::mem::swap(then, otherwise);
                    self.changed = true;
                }
            }
            NodeData::Switch { cases, default, results, .. } => {
                let taken = match constant.map(u32::cast_signed) {
                    Some(constant) => {
                        let case = cases.iter().find(|(values, _)| values.binary_search(&constant).is_ok());
                        Some(case.map_or(*default, |(_, region)| *region))
                    }
                    None => cases.is_empty().then_some(*default),
                };
                if let Some(body) = taken {
                    self.f.nodes[node] = NodeData::Block { body, results: *results };
                    self.changed = true;
                }
            }
            NodeData::Loop { inits, .. } => {
                let inits = *inits;
                self.map_list(inits);
            }
            NodeData::Block { .. } => {}
        }
        self.push_node(node);
    }

    fn push_node(&mut self, node: Node) {
        let targets = self.targets().inside(&self.f.nodes[node], self.stack.len());
        self.stack.push(Frame::Node(NodeFrame { node, next: 0, exits: 0, breaks: 0, continues: 0, targets }));
    }

    /// Frames that the exits of a region on top lead to.
    fn targets(&self) -> Targets<usize> {
        // Dissolved constructs can nest.
        let innermost = self.stack.iter().rev().find_map(|frame| match frame {
            Frame::Node(frame) => Some(frame.targets),
            Frame::Region(_) => None,
        });
        innermost.unwrap_or_default()
    }

    fn map_list(&mut self, list: ValueList) {
        for value in &mut self.f.pool[list.range()] {
            let new = self.map[value.index()];
            self.changed |= new != *value;
            *value = new;
        }
    }

    /// Ends the region on top.
    fn end(&mut self) {
        let Some(Frame::Region(frame)) = self.stack.pop() else { return };
        self.map_list(frame.exit.list());
        let Some(region) = frame.region else {
            if let Exit::Yield(list) = frame.exit {
                self.replace_list(frame.results, list);
            } else {
                self.finish_early(frame.exit);
            }
            return;
        };
        // The only region of a construct may continue the region around it: `leave` decides.
        let is_only = match self.stack.last() {
            Some(Frame::Node(parent)) => self.f.nodes[parent.node].has_one_region(),
            Some(Frame::Region(_)) | None => false,
        };
        if !is_only {
            self.visible.end();
        }
        let data = &mut self.f.regions[region];
        data.items = frame.items;
        data.items.clear();
        data.items.extend_from_slice(&self.out[frame.start..]);
        self.out.truncate(frame.start);
        data.exit = frame.exit;
        self.count_exit(region);
    }

    /// Counts the exit of a finished region at its target.
    fn count_exit(&mut self, region: Region) {
        let mut exit = self.f.regions[region].exit;
        let parent = self.stack.len().checked_sub(1);
        let Some(target) = self.targets().resolve(exit) else { return };
        let Frame::Node(frame) = &mut self.stack[target] else { return };
        // Nothing follows in the construct, so falling out of its end does the same.
        if let Exit::Break(list) = exit
            && parent == Some(target)
            && !self.f.nodes[frame.node].is_loop()
        {
            exit = Exit::Yield(list);
            self.f.regions[region].exit = exit;
            self.changed = true;
        }
        match exit {
            Exit::Continue(_) => frame.continues += 1,
            Exit::Yield(_) | Exit::Break(_) | Exit::Unreachable => frame.exits += 1,
        }
        frame.breaks += u32::from(matches!(exit, Exit::Break(_)));
    }

    /// Drops what is left of the region on top: its last item never falls through.
    fn finish_early(&mut self, exit: Exit) {
        if let Some(Frame::Region(frame)) = self.stack.last_mut() {
            self.changed |= frame.next < frame.items.len() || frame.exit != exit;
            frame.next = frame.items.len();
            frame.exit = exit;
        }
    }

    /// Ends the construct on top.
    fn leave(&mut self) {
        let Some(Frame::Node(mut frame)) = self.stack.pop() else { return };
        let node = frame.node;
        if let NodeData::Loop { params: ValueList { len: 0, .. }, body, results, .. } = self.f.nodes[node]
            && frame.continues == 0
        {
            if let Exit::Break(list) = self.f.regions[body].exit {
                self.f.regions[body].exit = Exit::Yield(list);
                frame.breaks -= 1;
            }
            self.f.nodes[node] = NodeData::Block { body, results };
            self.changed = true;
        }
        if let NodeData::Block { body, results } = self.f.nodes[node]
            && frame.breaks == 0
        {
            self.changed = true;
            // The items move into the region around, and what they define becomes visible there.
            self.visible.join();
            let data = &mut self.f.regions[body];
            self.out.append(&mut data.items);
            let exit = data.exit;
            return match exit {
                Exit::Yield(list) => self.replace_list(results, list),
                Exit::Break(_) | Exit::Continue(_) | Exit::Unreachable => self.finish_early(exit),
            };
        }
        // `end` kept its scope open for the case that it dissolves.
        if self.f.nodes[node].has_one_region() {
            self.visible.end();
        }
        if let NodeData::If { cond, then, otherwise, results } = self.f.nodes[node]
            && let Some((a, b)) = self.empty_arms(then, otherwise)
        {
            self.changed = true;
            return self.select_results(cond, results, a, b);
        }
        self.out.push(Item::Node(node));
        // Nothing after it can run, and the verifier wants that said.
        if frame.exits == 0 {
            for result in self.f.nodes[node].results().range() {
                let result = self.f.pool[result];
                self.f.values[result].def = Def::Dead;
                self.changed = true;
            }
            *self.f.nodes[node].results_mut() = ValueList::EMPTY;
            self.finish_early(Exit::Unreachable);
        }
    }

    /// Lists that two arms without items yield.
    fn empty_arms(&self, then: Region, otherwise: Region) -> Option<(ValueList, ValueList)> {
        let (then, otherwise) = (&self.f.regions[then], &self.f.regions[otherwise]);
        match (then.exit, otherwise.exit) {
            (Exit::Yield(a), Exit::Yield(b)) if then.items.is_empty() && otherwise.items.is_empty() => {
                Some((a, b))
            }
            _other_exits => None,
        }
    }

    /// Makes results selections that are evaluated here.
    fn select_results(&mut self, cond: Value, results: ValueList, a: ValueList, b: ValueList) {
        for ((result, a), b) in results.range().zip(a.range()).zip(b.range()) {
            let [result, a, b] = [result, a, b].map(|position| self.f.pool[position]);
            let ty = self.f.ty(result).with_kind(ScalarKind::Bool);
            let cond =
                // `Select` wants a condition for each lane.
                if ty.lanes == 1 { cond } else { self.new_value(ty, Op::Shuffle([Lane::new(cond, 0); 4])) };
            self.f.values[result].def = Def::Op(Op::Select { cond, a, b });
            if self.value(result) {
                self.out.push(Item::Let(result));
            }
        }
    }

    /// The result of an operation, evaluated here unless a simpler value equals it.
    fn new_value(&mut self, ty: Type, op: Op) -> Value {
        let value = self.f.value(ty, Def::Op(op));
        self.map.push(value);
        if self.value(value) {
            self.out.push(Item::Let(value));
        }
        self.map[value.index()]
    }
}
