//! Blocks that are left early, as branches alone.
//! In: a function. Out: the same without `break` from blocks, and values that stand for nothing.
//! Lanes that both parts of an `if` share stand for themselves behind it.
//! No instruction leaves an IF, so what follows a `break` moves into the other part of its `if`, or
//! behind a test of a flag where both parts may go on.
//!
//! ```text
//! block {                        block {
//!     if %1 { break %2 }             if %1 { yield %2 } else { A; yield %3 } -> %5
//!     A                      =>      yield %5
//!     yield %3                   } -> %4
//! } -> %4
//! ```

use crate::ir::walk::{Step, Walk};
use crate::ir::{Def, Exit, Func, Item, Lane, Node, NodeData, Op, Region, Type, Value, ValueList};

/// Most instructions that are repeated rather than put behind a test of a flag.
const MOST_REPEATED: usize = 4;

/// Values of a way out of a region: what the `if` around it gave before; whether control left the
/// block; results of the block.
#[derive(Clone)]
struct Form {
    /// Types of what the region gave before, if control may go on behind its construct.
    flagged: Option<Vec<Type>>,
    /// Types of the results of the block.
    results: Vec<Type>,
}

struct Pass<'f> {
    f: &'f mut Func,
    /// The block that a `break` inside each `if` leaves.
    crossed: Vec<bool>,
    /// Regions to change, with the form of their exits.
    tasks: Vec<(Region, Form)>,
    /// Values and those that take their place.
    replaced: Vec<(Value, Value)>,
    undefined: Vec<Value>,
    flags: Option<[Value; 2]>,
}

/// Changes a function. Returns the values that stand for nothing.
pub(super) fn run(f: &mut Func) -> Vec<Value> {
    let (blocks, crossed) = crossings(f);
    let mut pass =
        Pass { f, crossed, tasks: Vec::new(), replaced: Vec::new(), undefined: Vec::new(), flags: None };
    for block in blocks {
        let NodeData::Block { body, results } = pass.f.nodes[block] else { continue };
        let results = pass.types(results);
        pass.tasks.push((body, Form { flagged: None, results }));
        while let Some((region, form)) = pass.tasks.pop() {
            pass.region(region, &form);
        }
    }
    let Pass { replaced, undefined, .. } = pass;
    substitute(f, &replaced);
    agree(f, &undefined);
    undefined
}

/// The blocks that are left early, innermost first, and the `if`s that those `break`s leave.
fn crossings(f: &Func) -> (Vec<Node>, Vec<bool>) {
    let mut crossed = vec![false; f.nodes.len()];
    let mut left = vec![false; f.nodes.len()];
    let mut blocks = Vec::new();
    let mut open: Vec<Node> = Vec::new();
    let mut walk = Walk::new(f);
    while let Some(step) = walk.next(f) {
        match step {
            Step::Enter(node) => open.push(node),
            Step::Leave(node) => {
                open.pop();
                if left[node.0 as usize] {
                    blocks.push(node);
                }
            }
            Step::End(region) => {
                let exit = f.regions[region].exit;
                let Some(target) = walk.target(exit).filter(|_| matches!(exit, Exit::Break(_))) else {
                    continue;
                };
                if matches!(f.nodes[target.node], NodeData::Block { .. }) {
                    left[target.node.0 as usize] = true;
                    open[target.depth + 1..].iter().for_each(|node| crossed[node.0 as usize] = true);
                }
            }
            Step::Begin(_) | Step::Let(_) => {}
        }
    }
    (blocks, crossed)
}

impl Pass<'_> {
    fn types(&self, list: ValueList) -> Vec<Type> {
        self.f.get(list).iter().map(|&value| self.f.ty(value)).collect()
    }

    /// Changes the exits of a region.
    fn region(&mut self, region: Region, form: &Form) {
        if let Some(at) = self.crossing_at(region) {
            let data = &mut self.f.regions[region];
            let rest = data.items.split_off(at + 1);
            let Some(Item::Node(node)) = data.items.last().copied() else { return };
            let exit = data.exit;
            // It is dealt with here.
            self.crossed[node.0 as usize] = false;
            return self.crossing(region, node, rest, exit, form);
        }
        let exit = self.f.regions[region].exit;
        let values = self.f.get(exit.list()).to_vec();
        self.f.regions[region].exit = match exit {
            Exit::Break(_) => self.left(form, values),
            Exit::Yield(_) => self.fallen(form, values),
            Exit::Continue(_) | Exit::Unreachable => exit,
        };
    }

    /// The exit of a region that leaves the block with some values.
    fn left(&mut self, form: &Form, values: Vec<Value>) -> Exit {
        let mut all = Vec::new();
        if let Some(before) = &form.flagged {
            all.extend(before.iter().map(|&ty| self.nothing(ty)));
            all.push(self.flag(true));
        }
        all.extend(values);
        Exit::Yield(self.f.list(all))
    }

    /// The exit of a region that goes on.
    fn fallen(&mut self, form: &Form, values: Vec<Value>) -> Exit {
        let mut all = values;
        if form.flagged.is_some() {
            all.push(self.flag(false));
            let nothing: Vec<Value> = form.results.iter().map(|&ty| self.nothing(ty)).collect();
            all.extend(nothing);
        }
        Exit::Yield(self.f.list(all))
    }

    /// An `if` from inside of which control leaves the block, and what follows it in its region.
    fn crossing(&mut self, region: Region, node: Node, rest: Vec<Item>, exit: Exit, form: &Form) {
        let NodeData::If { then, otherwise, results, .. } = self.f.nodes[node] else { return };
        let leaves = |f: &Func, region: Region| !matches!(f.regions[region].exit, Exit::Yield(_));
        let before = self.f.get(results).to_vec();
        let arms = [then, otherwise];
        if let Some(stays) =
            arms.iter().position(|&arm| !leaves(self.f, arm)).filter(|&n| leaves(self.f, arms[1 - n]))
            && self.crossing_at(arms[stays]).is_none()
        {
            // What follows moves into the part that goes on.
            let arm = arms[stays];
            let given = self.f.get(self.f.regions[arm].exit.list()).to_vec();
            self.replaced.extend(before.into_iter().zip(given));
            self.f.regions[arm].items.extend(rest);
            self.f.regions[arm].exit = exit;
            return self.last(region, node, arms, form);
        }
        if arms.iter().all(|&arm| leaves(self.f, arm)) {
            return self.last(region, node, arms, form);
        }
        if self.is_short(&rest) && matches!(exit, Exit::Yield(_) | Exit::Break(_)) {
            let going: Vec<Region> = arms.into_iter().filter(|&arm| !leaves(self.f, arm)).collect();
            for arm in going {
                let given = self.f.get(self.f.regions[arm].exit.list()).to_vec();
                self.repeat(arm, &rest, exit, before.iter().copied().zip(given).collect());
            }
            return self.last(region, node, arms, form);
        }
        // Either part may go on: a flag tells.
        let types = self.types(results);
        let inner = Form { flagged: Some(types), results: form.results.clone() };
        let flag = self.f.value(Type::BOOL, Def::Result);
        let given: Vec<Value> = form.results.iter().map(|&ty| self.f.value(ty, Def::Result)).collect();
        let mut all = before;
        all.push(flag);
        all.extend(&given);
        let list = self.f.list(all);
        *self.f.nodes[node].results_mut() = list;
        self.tasks.extend(arms.map(|arm| (arm, inner.clone())));
        let then = self.f.regions.push(crate::ir::RegionData::default());
        self.f.regions[then].exit = self.left(form, given);
        let otherwise = self.f.regions.push(crate::ir::RegionData { items: rest, exit });
        let data = NodeData::If { cond: flag, then, otherwise, results: ValueList::EMPTY };
        let test = self.f.nodes.push(data);
        self.crossed.push(false);
        self.f.regions[region].items.push(Item::Node(test));
        self.yields(region, test, form);
        self.tasks.push((otherwise, form.clone()));
    }

    /// Returns whether a test of a flag would be longer than these items in both parts.
    fn is_short(&self, items: &[Item]) -> bool {
        let words = items.iter().map(|item| match *item {
            Item::Let(value) => match self.f.op(value) {
                Some(Op::Shuffle(_) | Op::Const(_) | Op::Read(_) | Op::ReadAt(..)) | None => 0,
                Some(_) => 1,
            },
            Item::Node(_) => MOST_REPEATED + 1,
        });
        words.sum::<usize>() <= MOST_REPEATED
    }

    /// Repeats items and an exit at the end of a region, where some values have others in their
    /// place.
    fn repeat(&mut self, region: Region, items: &[Item], exit: Exit, mut map: Vec<(Value, Value)>) {
        let find = |map: &[(Value, Value)], value: Value| {
            map.iter().find(|(known, _)| *known == value).map_or(value, |&(_, new)| new)
        };
        for item in items {
            let Item::Let(value) = *item else { continue };
            let Def::Op(mut op) = self.f.values[value].def else { continue };
            op.replace_each(&mut [], |operand| find(&map, operand));
            let copy = self.f.emit(region, self.f.ty(value), op);
            map.push((value, copy));
        }
        let values: Vec<Value> = self.f.get(exit.list()).iter().map(|&value| find(&map, value)).collect();
        let list = self.f.list(values);
        self.f.regions[region].exit = exit.with_list(list);
    }

    fn crossing_at(&self, region: Region) -> Option<usize> {
        let crossed = |node: &Node| self.crossed.get(node.0 as usize) == Some(&true);
        let is_crossed = |item: &Item| matches!(item, Item::Node(node) if crossed(node));
        self.f.regions[region].items.iter().position(is_crossed)
    }

    /// Makes an `if` the last item of a region.
    fn last(&mut self, region: Region, node: Node, arms: [Region; 2], form: &Form) {
        self.yields(region, node, form);
        self.tasks.extend(arms.map(|arm| (arm, form.clone())));
    }

    /// Makes a region yield what its last construct gives.
    fn yields(&mut self, region: Region, node: Node, form: &Form) {
        let mut types = form.flagged.clone().unwrap_or_default();
        types.extend(form.flagged.is_some().then_some(Type::BOOL));
        types.extend(&form.results);
        let results: Vec<Value> = types.into_iter().map(|ty| self.f.value(ty, Def::Result)).collect();
        let list = self.f.list(results.iter().copied());
        *self.f.nodes[node].results_mut() = list;
        let list = self.f.list(results);
        self.f.regions[region].exit = Exit::Yield(list);
    }

    /// A value that nothing reads.
    fn nothing(&mut self, ty: Type) -> Value {
        let value = self.f.value(ty, Def::Result);
        self.undefined.push(value);
        value
    }

    fn flag(&mut self, is_set: bool) -> Value {
        let [clear, set] = *self.flags.get_or_insert_with(|| {
            let f = &mut *self.f;
            let values = [0, 1].map(|bits| f.value(Type::BOOL, Def::Op(Op::splat(Type::BOOL, bits))));
            if let Some(body) = f.body {
                f.regions[body].items.splice(0..0, values.map(Item::Let));
            }
            values
        });
        if is_set { set } else { clear }
    }
}

/// Makes shuffles of the results of `if`s: of lanes that are the same, and older than the `if`, on
/// each way on which they stand for anything, and of other results for the other lanes.
fn agree(f: &mut Func, undefined: &[Value]) {
    // By value: the step from which on it exists.
    let mut since = vec![usize::MAX; f.values.len()];
    let mut open: Vec<usize> = Vec::new();
    let mut walk = Walk::new(f);
    for now in 0.. {
        let Some(step) = walk.next(f) else { return };
        match step {
            Step::Let(value) => since[value.0 as usize] = now,
            Step::Enter(node) => {
                open.push(now);
                f.get(f.nodes[node].params()).iter().for_each(|value| since[value.0 as usize] = now);
            }
            Step::Leave(node) => {
                let start = open.pop().unwrap_or_default();
                let mut results = f.get(f.nodes[node].results()).to_vec();
                for (n, result) in results.iter_mut().enumerate() {
                    since[result.0 as usize] = now;
                    let is_old = |lane: &Lane| since[lane.value().0 as usize] < start;
                    let lanes = common(f, node, n, undefined).map(|lane| lane.filter(is_old));
                    if lanes.iter().any(Option::is_some) {
                        let other = f.values.push(f.values[*result]);
                        since.push(now);
                        let lanes = std::array::from_fn(|n| lanes[n].unwrap_or(Lane::new(other, n as u8))); // Range: four.
                        f.values[*result].def = Def::Op(Op::Shuffle(lanes));
                        *result = other;
                    }
                }
                let list = f.list(results);
                *f.nodes[node].results_mut() = list;
            }
            Step::Begin(_) | Step::End(_) => {}
        }
    }
}

/// The lanes that both parts of an `if` give a result.
fn common(f: &Func, node: Node, result: usize, undefined: &[Value]) -> [Option<Lane>; 4] {
    let NodeData::If { then, otherwise, .. } = f.nodes[node] else { return [None; 4] };
    let [Exit::Yield(first), Exit::Yield(second)] = [then, otherwise].map(|arm| f.regions[arm].exit) else {
        return [None; 4];
    };
    let arms = [first, second].map(|list| f.get(list)[result]);
    std::array::from_fn(|n| {
        // Range: four lanes.
        let lane =
            |value: Value| (n < f.ty(value).lanes.into()).then(|| source(f, Lane::new(value, n as u8)));
        let [one, other] = [lane(arms[0])?, lane(arms[1])?];
        let is_nothing = |lane: Lane| undefined.contains(&lane.value());
        let one = if is_nothing(one) { other } else { one };
        (!is_nothing(one) && (one == other || is_nothing(other))).then_some(one)
    })
}

/// Follows a lane through shuffles.
fn source(f: &Func, mut lane: Lane) -> Lane {
    while let Some(Op::Shuffle(lanes)) = f.op(lane.value()) {
        lane = lanes[usize::from(lane.index())];
    }
    lane
}

/// Replaces values wherever something names them.
fn substitute(f: &mut Func, replaced: &[(Value, Value)]) {
    let mut map: Vec<Value> = f.values.keys().collect();
    for &(old, new) in replaced {
        map[old.0 as usize] = new;
    }
    let find = |mut value: Value| {
        // A chain goes inwards, so it ends.
        while map[value.0 as usize] != value {
            value = map[value.0 as usize];
        }
        value
    };
    let Func { values, nodes, pool, .. } = f;
    pool.iter_mut().for_each(|value| *value = find(*value));
    for data in values.values_mut() {
        match &mut data.def {
            // Arguments in the pool are replaced already.
            Def::Op(Op::Call { .. } | Op::Submit { .. }) | Def::Param | Def::Result | Def::Dead => {}
            Def::Op(op) => op.replace_each(&mut [], find),
        }
    }
    let deciders = nodes.values_mut().iter_mut().filter_map(|node| node.decider_mut());
    deciders.for_each(|decider| *decider = find(*decider));
}
