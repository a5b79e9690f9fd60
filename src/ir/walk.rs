//! Walks a function in program order without recursion.
//! In: a verified function. Out: one [`Step`] after the other. Knows nothing about operations.

use super::func::{Func, Item, Node, NodeData, Region, ValueList};
use super::types::Value;

/// One step of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A nesting construct begins; its regions follow.
    Enter(Node),
    /// A region begins.
    Begin(Region),
    /// An item evaluates a value.
    Let(Value),
    /// The items of a region are done; its exit is next.
    End(Region),
    /// The regions of a construct are done.
    Leave(Node),
}

#[derive(Clone, Copy, Debug)]
enum Frame {
    /// A region that has not begun.
    Start(Region),
    /// A region and its next item, around the construct above.
    Region { region: Region, next: usize },
    /// A construct and its next region.
    Node { node: Node, next: usize },
}

/// A walk in progress. Keep one and [`start`](Self::start) it again to reuse its memory.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    /// The region whose items are being passed, and the next of them.
    inside: Option<Region>,
    next: usize,
    /// What is open around it.
    stack: Vec<Frame>,
}

impl Walk {
    /// A walk of a whole function.
    pub fn new(f: &Func) -> Self {
        let mut walk = Self::default();
        walk.start(f);
        walk
    }

    /// Starts over, at the beginning of a function.
    pub fn start(&mut self, f: &Func) {
        self.inside = None;
        self.stack.clear();
        self.stack.extend(f.body.map(Frame::Start));
    }

    /// The next step. The function may change between two steps, as long as the items already passed stay where they are.
    #[inline]
    pub fn next(&mut self, f: &Func) -> Option<Step> {
        if let Some(region) = self.inside
            && let Some(&Item::Let(value)) = f.regions[region].items.get(self.next)
        {
            self.next += 1;
            return Some(Step::Let(value));
        }
        self.turn(f)
    }

    /// The next step, where it is no evaluation.
    fn turn(&mut self, f: &Func) -> Option<Step> {
        if let Some(region) = self.inside.take() {
            let Some(&Item::Node(node)) = f.regions[region].items.get(self.next) else {
                return Some(Step::End(region));
            };
            self.stack.push(Frame::Region { region, next: self.next + 1 });
            self.stack.push(Frame::Node { node, next: 0 });
            return Some(Step::Enter(node));
        }
        match self.stack.last_mut()? {
            Frame::Start(region) | Frame::Region { region, .. } => {
                let region = *region;
                self.stack.pop();
                Some(self.begin(region))
            }
            Frame::Node { node, next } => {
                let node = *node;
                if let Some(region) = f.nodes[node].child(*next) {
                    *next += 1;
                    return Some(self.begin(region));
                }
                self.stack.pop();
                self.resume();
                Some(Step::Leave(node))
            }
        }
    }

    fn begin(&mut self, region: Region) -> Step {
        (self.inside, self.next) = (Some(region), 0);
        Step::Begin(region)
    }

    /// Goes on with the region around a construct.
    fn resume(&mut self) {
        if let Some(&Frame::Region { region, next }) = self.stack.last() {
            (self.inside, self.next) = (Some(region), next);
            self.stack.pop();
        }
    }
}

impl NodeData {
    /// Its region number `index`: then, otherwise; body; the cases and the default.
    #[inline]
    pub fn child(&self, index: usize) -> Option<Region> {
        match self {
            Self::If { then, otherwise, .. } => [*then, *otherwise].get(index).copied(),
            Self::Loop { body, .. } | Self::Block { body, .. } => (index == 0).then_some(*body),
            Self::Switch { cases, default, .. } => match cases.get(index) {
                Some((_, region)) => Some(*region),
                None => (index == cases.len()).then_some(*default),
            },
        }
    }

    /// Its results.
    #[inline]
    pub fn results(&self) -> ValueList {
        match self {
            Self::If { results, .. }
            | Self::Loop { results, .. }
            | Self::Block { results, .. }
            | Self::Switch { results, .. } => *results,
        }
    }

    /// Its results, to change.
    #[inline]
    pub fn results_mut(&mut self) -> &mut ValueList {
        match self {
            Self::If { results, .. }
            | Self::Loop { results, .. }
            | Self::Block { results, .. }
            | Self::Switch { results, .. } => results,
        }
    }

    /// The scalar that decides which region runs.
    #[inline]
    pub fn decider(&self) -> Option<Value> {
        match self {
            Self::If { cond: value, .. } | Self::Switch { selector: value, .. } => Some(*value),
            Self::Loop { .. } | Self::Block { .. } => None,
        }
    }

    /// The scalar that decides which region runs, to change.
    #[inline]
    pub fn decider_mut(&mut self) -> Option<&mut Value> {
        match self {
            Self::If { cond: value, .. } | Self::Switch { selector: value, .. } => Some(value),
            Self::Loop { .. } | Self::Block { .. } => None,
        }
    }

    /// Whether a `Break` directly inside leaves it.
    #[inline]
    pub fn is_breakable(&self) -> bool {
        match self {
            Self::If { .. } => false,
            Self::Loop { .. } | Self::Block { .. } | Self::Switch { .. } => true,
        }
    }

    /// Whether it has one region, which always runs.
    #[inline]
    pub fn has_one_region(&self) -> bool {
        match self {
            Self::Loop { .. } | Self::Block { .. } => true,
            Self::If { .. } | Self::Switch { .. } => false,
        }
    }

    /// Whether it is a loop.
    #[inline]
    pub fn is_loop(&self) -> bool {
        match self {
            Self::Loop { .. } => true,
            Self::If { .. } | Self::Block { .. } | Self::Switch { .. } => false,
        }
    }
}
