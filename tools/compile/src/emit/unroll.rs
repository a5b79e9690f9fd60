//! Loops that run a known number of times, as their rounds one after the other.
//! In and out: a function, in which int uniforms are constants. What leaves a loop early leaves a
//! block around its rounds.
//!
//! ```text
//! loop (%a = %0, %left = 1) {                    block {
//!     A(%a)                                          A(%0)
//!     if %left > 0 {} else { break %b }     =>       A(%b)
//!     continue %b, %left - 1                         yield %c
//! } -> %2                                        } -> %2
//! ```

use crate::ir::{
    Binary, Def, Exit, Func, Item, Node, NodeData, Op, Region, RegionData, Unary, Value, ValueList,
};

use super::loops::leaving;

/// Most rounds of a loop.
const MOST_ROUNDS: u32 = 32;
/// Most values of a function that grows.
const MOST_VALUES: usize = 1 << 13;

/// A loop that runs a known number of times.
struct Counted {
    node: Node,
    /// The region that has it, and its place there.
    region: Region,
    place: usize,
    rounds: u32,
    /// The `if` at its end: the arms that leave and stay.
    tail: Node,
    arms: [Region; 2],
}

/// Takes loops apart, the outer ones first. Returns whether there was one.
pub(crate) fn run(f: &mut Func) -> bool {
    let mut found = false;
    while f.values.len() < MOST_VALUES
        && let Some(counted) = find(f)
    {
        unroll(f, &counted);
        found = true;
    }
    found
}

fn find(f: &Func) -> Option<Counted> {
    let mut regions: Vec<Region> = f.body.into_iter().collect();
    while let Some(region) = regions.pop() {
        for (place, item) in f.regions[region].items.iter().enumerate() {
            let Item::Node(node) = *item else { continue };
            if let Some((rounds, tail, arms)) = counted(f, node) {
                return Some(Counted { node, region, place, rounds, tail, arms });
            }
            regions.extend(f.nodes[node].regions());
        }
    }
    None
}

/// The rounds of a loop that a constant counts down, and the `if` at its end.
fn counted(f: &Func, node: Node) -> Option<(u32, Node, [Region; 2])> {
    let NodeData::Loop { params, inits, body, .. } = f.nodes[node] else { return None };
    let Exit::Continue(next) = f.regions[body].exit else { return None };
    let Some(&Item::Node(tail)) = f.regions[body].items.iter().rfind(|item| matches!(item, Item::Node(_)))
    else {
        return None;
    };
    let (leaves, mut is_first) = leaving(f, tail)?;
    let NodeData::If { mut cond, then, otherwise, .. } = f.nodes[tail] else { return None };
    let stays = if is_first { otherwise } else { then };
    while let Some(Op::Unary(Unary::Not, a)) = f.op(cond) {
        (cond, is_first) = (a, !is_first);
    }
    let Some(Op::Binary(Binary::IGreater, left, zero)) = f.op(cond) else { return None };
    let constant =
        |value: Value| if let Some(Op::Const([bits, ..])) = f.op(value) { Some(bits) } else { None };
    let at = f.get(params).iter().position(|&param| param == left)?;
    let Some(Op::Binary(Binary::ISub, a, one)) = f.op(f.get(next)[at]) else { return None };
    let count = constant(f.get(inits)[at])?;
    let counts_down = a == left && constant(one) == Some(1) && constant(zero) == Some(0) && !is_first;
    let has_continue = continues(f, body) > 1;
    (counts_down && !has_continue && count < MOST_ROUNDS).then_some((count + 1, tail, [leaves, stays]))
}

/// The number of places in a region that go on with the loop around it.
fn continues(f: &Func, body: Region) -> usize {
    let mut regions = vec![body];
    let mut count = 0;
    while let Some(region) = regions.pop() {
        count += usize::from(matches!(f.regions[region].exit, Exit::Continue(_)));
        let nodes = f.regions[region].items.iter().filter_map(|item| match *item {
            // A loop inside has its own.
            Item::Node(node) if !f.nodes[node].is_loop() => Some(node),
            Item::Node(_) | Item::Let(_) => None,
        });
        regions.extend(nodes.flat_map(|node| f.nodes[node].regions()));
    }
    count
}

fn unroll(f: &mut Func, counted: &Counted) {
    let NodeData::Loop { params, inits, body, results } = f.nodes[counted.node] else { return };
    let block = f.regions.push(RegionData::default());
    let mut given = f.get(inits).to_vec();
    for round in 0..counted.rounds {
        let mut copy = Copy::new(f);
        copy.give(params, &given, f);
        let items: Vec<Item> =
            f.regions[body].items.iter().copied().filter(|item| *item != Item::Node(counted.tail)).collect();
        let before = f.regions[body].items.iter().position(|item| *item == Item::Node(counted.tail));
        let (first, after) = items.split_at(before.unwrap_or(items.len()));
        copy.items(f, first, block);
        let is_last = round + 1 == counted.rounds;
        let arm = counted.arms[usize::from(!is_last)];
        let own = f.regions[arm].items.clone();
        copy.items(f, &own, block);
        let values = copy.list(f, f.regions[arm].exit.list());
        if is_last {
            f.regions[block].exit = Exit::Yield(values);
            break;
        }
        let values = f.get(values).to_vec();
        copy.give(f.nodes[counted.tail].results(), &values, f);
        copy.items(f, after, block);
        let next = copy.list(f, f.regions[body].exit.list());
        given = f.get(next).to_vec();
    }
    f.nodes[counted.node] = NodeData::Block { body: block, results };
    debug_assert_eq!(f.regions[counted.region].items.get(counted.place), Some(&Item::Node(counted.node)));
}

/// A copy of items in which values have others in their place.
struct Copy {
    map: Vec<Value>,
}

impl Copy {
    fn new(f: &Func) -> Self {
        Self { map: f.values.keys().collect() }
    }

    fn of(&self, value: Value) -> Value {
        self.map.get(value.0 as usize).copied().unwrap_or(value)
    }

    fn give(&mut self, takers: ValueList, values: &[Value], f: &Func) {
        for (&taker, &value) in f.get(takers).iter().zip(values) {
            self.map[taker.0 as usize] = value;
        }
    }

    fn list(&self, f: &mut Func, list: ValueList) -> ValueList {
        let values: Vec<Value> = f.get(list).iter().map(|&value| self.of(value)).collect();
        f.list(values)
    }

    /// New values for those of a list.
    fn anew(&mut self, f: &mut Func, list: ValueList) -> ValueList {
        let values = f.get(list).to_vec();
        for &value in &values {
            let data = f.values[value];
            self.map[value.0 as usize] = f.values.push(data);
        }
        self.list(f, list)
    }

    /// Copies items to the end of a region, with all that is inside of them.
    fn items(&mut self, f: &mut Func, items: &[Item], to: Region) {
        let mut work: Vec<(Vec<Item>, Region, Exit)> = vec![(items.to_vec(), to, f.regions[to].exit)];
        let mut exits: Vec<(Region, Exit)> = Vec::new();
        // Values of a region are made before those of regions inside of it are read: in order.
        while let Some((items, to, exit)) = work.pop() {
            let mut inner = Vec::new();
            for (n, item) in items.iter().enumerate() {
                match *item {
                    Item::Let(value) => {
                        let Def::Op(mut op) = f.values[value].def else { continue };
                        match &mut op {
                            Op::Call { args, .. } | Op::Submit { args } => *args = self.list(f, *args),
                            op => op.replace_each(&mut [], |operand| self.of(operand)),
                        }
                        let copy =
                            f.values.push(crate::ir::ValueData { def: Def::Op(op), ..f.values[value] });
                        self.map[value.0 as usize] = copy;
                        f.regions[to].items.push(Item::Let(copy));
                    }
                    Item::Node(node) => {
                        let node = self.node(f, node, &mut inner);
                        f.regions[to].items.push(Item::Node(node));
                        // What follows may read its results, which exist now.
                        work.push((items[n + 1..].to_vec(), to, exit));
                        break;
                    }
                }
            }
            if inner.is_empty() {
                exits.push((to, exit));
            }
            work.extend(inner);
        }
        for (region, exit) in exits {
            let list = self.list(f, exit.list());
            f.regions[region].exit = exit.with_list(list);
        }
    }

    /// Copies a construct; its regions are empty, and what goes into them is added to `inner`.
    fn node(&mut self, f: &mut Func, node: Node, inner: &mut Vec<(Vec<Item>, Region, Exit)>) -> Node {
        let mut data = f.nodes[node].clone();
        if let Some(decider) = data.decider_mut() {
            *decider = self.of(*decider);
        }
        let results = self.anew(f, data.results());
        *data.results_mut() = results;
        let mut region = |f: &mut Func, region: &mut Region| {
            let RegionData { items, exit } = f.regions[*region].clone();
            *region = f.regions.push(RegionData::default());
            inner.push((items, *region, exit));
        };
        match &mut data {
            NodeData::If { then, otherwise, .. } => {
                [then, otherwise].into_iter().for_each(|arm| region(f, arm))
            }
            NodeData::Loop { body, .. } | NodeData::Block { body, .. } => region(f, body),
            NodeData::Switch { cases, default, .. } => {
                cases.iter_mut().for_each(|(_, case)| region(f, case));
                region(f, default);
            }
        }
        if let NodeData::Loop { params, inits, .. } = &mut data {
            *inits = self.list(f, *inits);
            *params = self.anew(f, *params);
        }
        f.nodes.push(data)
    }
}
