//! Control flow of a function: exits by target, definitions in program order.
//! In: a well-formed function. Out: tables by construct, region and value. Knows no operations.

use crate::ir::{Def, Exit, Func, Node, NodeData, Region, Step, Target, Value, ValueList, Walk};
use crate::support::entity::Handle;

/// No region or construct.
const NONE: u32 = u32::MAX;

/// Control flow of a construct.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeFlow {
    /// First of the regions that give its results.
    results: u32,
    /// First of the regions that continue it.
    continues: u32,
    /// First construct directly inside.
    child: u32,
    /// Next construct with the same parent.
    sibling: u32,
    /// Number of definitions before it.
    pub position: u32,
    /// Set if it must stay even if none of its results is used: it contains a loop, which might
    /// never end, or an exit that leaves it.
    pub pinned: bool,
}

const NODE: NodeFlow =
    NodeFlow { results: NONE, continues: NONE, child: NONE, sibling: NONE, position: 0, pinned: false };

/// The tables. They are empty for functions without constructs.
#[derive(Debug, Default)]
pub struct ValueFlow {
    walk: Walk,
    nodes: Vec<NodeFlow>,
    /// Constructs inside out: those within a construct come before it.
    pub(crate) order: Vec<Node>,
    /// First construct of the body, and the last so far.
    child: u32,
    last_child: u32,
    /// The region after this one in the list of its target.
    next: Vec<u32>,
    /// For parameters and results: the construct that lists them, and where.
    origin: Vec<(u32, u32)>,
    /// For each value, the number of definitions before it.
    position: Vec<u32>,
    stack: Vec<Open>,
}

/// A construct during the walk.
#[derive(Clone, Copy, Debug)]
struct Open {
    node: Node,
    /// Depth of the outermost target of an exit inside.
    target: usize,
    /// Set if a loop is inside.
    has_loop: bool,
    last_child: u32,
}

impl ValueFlow {
    /// Fills the tables for a function.
    pub fn compute(&mut self, f: &Func) {
        // Without constructs there is nothing to fill, and `origin` must say so.
        if f.nodes.is_empty() {
            self.origin.clear();
            return;
        }
        self.nodes.clear();
        self.nodes.resize(f.nodes.len(), NODE);
        self.next.clear();
        self.next.resize(f.regions.len(), NONE);
        self.origin.clear();
        self.origin.resize(f.values.len(), (NONE, 0));
        self.position.clear();
        self.position.resize(f.values.len(), 0);
        self.order.clear();
        self.stack.clear();
        (self.child, self.last_child) = (NONE, NONE);
        // 0 is the position of the function's own parameters.
        let mut count = 1;
        let mut walk = std::mem::take(&mut self.walk);
        walk.start(f);
        while let Some(step) = walk.next(f) {
            match step {
                Step::Begin(_) => {}
                Step::Let(value) => {
                    self.position[value.index()] = count;
                    count += 1;
                }
                Step::Enter(node) => {
                    self.enter(f, node);
                    self.nodes[node.index()].position = count;
                    count = self.list(f, node, f.nodes[node].params(), count);
                }
                Step::End(region) => {
                    let exit = f.regions[region].exit;
                    if let Some(target) = walk.target(exit) {
                        self.end(region, exit, target);
                    }
                }
                Step::Leave(node) => {
                    self.leave(node);
                    count = self.list(f, node, f.nodes[node].results(), count);
                }
            }
        }
        self.walk = walk;
    }

    fn enter(&mut self, f: &Func, node: Node) {
        let number = node.index() as u32;
        // Children form a list in program order, so that a second pass needs no walk.
        let (first, last) = match self.stack.last_mut() {
            Some(parent) => (&mut self.nodes[parent.node.index()].child, &mut parent.last_child),
            None => (&mut self.child, &mut self.last_child),
        };
        match std::mem::replace(last, number) {
            NONE => *first = number,
            last => self.nodes[last as usize].sibling = number,
        }
        let (target, has_loop) = (self.stack.len(), f.nodes[node].is_loop());
        self.stack.push(Open { node, target, has_loop, last_child: NONE });
    }

    fn leave(&mut self, node: Node) {
        let Some(open) = self.stack.pop() else { return };
        // An exit to the outside is control flow that no result shows.
        self.nodes[node.index()].pinned = open.has_loop || open.target < self.stack.len();
        self.order.push(node);
        if let Some(parent) = self.stack.last_mut() {
            // What an inner construct leaves or repeats, the outer one does as well.
            parent.target = parent.target.min(open.target);
            parent.has_loop |= open.has_loop;
        }
    }

    fn end(&mut self, region: Region, exit: Exit, target: Target) {
        // The exit may lead out of the constructs between here and its target.
        if let Some(top) = self.stack.last_mut() {
            top.target = top.target.min(target.depth);
        }
        let node = &mut self.nodes[target.node.index()];
        let head = if let Exit::Continue(_) = exit { &mut node.continues } else { &mut node.results };
        self.next[region.index()] = std::mem::replace(head, region.0);
    }

    /// Notes where the values of a list come from. Returns the number of definitions so far.
    fn list(&mut self, f: &Func, node: Node, list: ValueList, count: u32) -> u32 {
        for (index, value) in f.get(list).iter().enumerate() {
            self.origin[value.index()] = (node.0, index as u32);
            self.position[value.index()] = count + index as u32;
        }
        count + list.len
    }

    /// Control flow of a construct.
    pub(crate) fn node(&self, node: Node) -> &NodeFlow {
        &self.nodes[node.index()]
    }

    /// Number of definitions before a value.
    pub(crate) fn position(&self, value: Value) -> u32 {
        self.position[value.index()]
    }

    /// The construct that lists a parameter or result, and where in its list.
    pub(crate) fn origin(&self, value: Value) -> Option<(Node, usize)> {
        let (node, index) = *self.origin.get(value.index())?;
        (node != NONE).then_some((Node(node), index as usize))
    }

    /// The regions whose exits give the results of a construct.
    pub(crate) fn results_from(&self, node: Node) -> impl Iterator<Item = Region> + '_ {
        self.chain(self.nodes[node.index()].results)
    }

    /// The regions that continue a loop.
    pub(crate) fn continues_from(&self, node: Node) -> impl Iterator<Item = Region> + '_ {
        self.chain(self.nodes[node.index()].continues)
    }

    fn chain(&self, first: u32) -> impl Iterator<Item = Region> + '_ {
        let some = |region: u32| (region != NONE).then_some(Region(region));
        std::iter::successors(some(first), move |region| some(self.next[region.index()]))
    }

    /// The constructs directly inside a construct, or directly in the body.
    pub(crate) fn children(&self, node: Option<Node>) -> impl Iterator<Item = Node> + '_ {
        let some = |node: u32| (node != NONE).then_some(Node(node));
        let first = node.map_or(self.child, |node| self.nodes[node.index()].child);
        std::iter::successors(some(first), move |node| some(self.nodes[node.index()].sibling))
    }

    /// Calls `visit` for each value that may become this parameter or result.
    pub(crate) fn for_each_source(&self, f: &Func, value: Value, mut visit: impl FnMut(Value)) {
        let Some((node, index)) = self.origin(value) else { return };
        let at = |list: ValueList| f.pool[list.start as usize + index];
        match (f.values[value].def, &f.nodes[node]) {
            (Def::Param, NodeData::Loop { inits, .. }) => {
                visit(at(*inits));
                self.continues_from(node).for_each(|region| visit(at(f.regions[region].exit.list())));
            }
            _results => self.results_from(node).for_each(|region| visit(at(f.regions[region].exit.list()))),
        }
    }

    /// Drops the parameters and results that `is_dropped` names from all lists, and makes them
    /// dead. Returns whether it dropped any.
    pub(crate) fn drop_slots(&self, f: &mut Func, is_dropped: impl Fn(Value) -> bool) -> bool {
        let mut dropped = false;
        for &node in &self.order {
            let (results, params) = (f.nodes[node].results(), f.nodes[node].params());
            if f.get(results).iter().any(|&value| is_dropped(value)) {
                dropped = true;
                for region in self.results_from(node) {
                    compact_exit(f, region, results, &is_dropped);
                }
                *f.nodes[node].results_mut() = compact_own(f, results, &is_dropped);
            }
            if let NodeData::Loop { inits, .. } = f.nodes[node]
                && f.get(params).iter().any(|&value| is_dropped(value))
            {
                dropped = true;
                for region in self.continues_from(node) {
                    compact_exit(f, region, params, &is_dropped);
                }
                let kept = compact(f, inits, params, &is_dropped);
                let own = compact_own(f, params, &is_dropped);
                if let NodeData::Loop { params, inits, .. } = &mut f.nodes[node] {
                    (*params, *inits) = (own, kept);
                }
            }
        }
        dropped
    }
}

fn compact_exit(f: &mut Func, region: Region, like: ValueList, is_dropped: impl Fn(Value) -> bool) {
    let exit = f.regions[region].exit;
    f.regions[region].exit = exit.with_list(compact(f, exit.list(), like, is_dropped));
}

/// Drops the values of `list` whose partners in `like` are dropped.
fn compact(f: &mut Func, list: ValueList, like: ValueList, is_dropped: impl Fn(Value) -> bool) -> ValueList {
    let mut end = list.range().start;
    for (from, partner) in list.range().zip(like.range()) {
        if !is_dropped(f.pool[partner]) {
            f.pool[end] = f.pool[from];
            end += 1;
        }
    }
    ValueList { start: list.start, len: end as u32 - list.start }
}

/// Drops values from a list of parameters or results.
fn compact_own(f: &mut Func, list: ValueList, is_dropped: impl Fn(Value) -> bool) -> ValueList {
    for &value in &f.pool[list.range()] {
        if is_dropped(value) {
            f.values[value].def = Def::Dead;
        }
    }
    compact(f, list, list, is_dropped)
}
