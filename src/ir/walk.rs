//! Program order without recursion, and the constructs that exits lead to.
//! In: a function. Out: one [`Step`] after the other. Knows nothing about operations.
//!
//! Code that visits a function in another order (it rewrites it, runs it, or leaves regions out)
//! keeps the [`Targets`] of each region itself.

use super::func::{Exit, Func, Item, Node, NodeData, Region, ValueList};
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

/// The constructs that the exits of a region lead to, by whatever names constructs for the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Targets<T> {
    /// The construct of the region.
    parent: Option<T>,
    /// The innermost construct that a `Break` leaves.
    breakable: Option<T>,
    /// The innermost loop.
    looping: Option<T>,
}

impl<T> Default for Targets<T> {
    /// Targets in the body of a function.
    fn default() -> Self {
        Self { parent: None, breakable: None, looping: None }
    }
}

impl<T: Copy> Targets<T> {
    /// In the regions of a construct `name` that stands where these are the targets.
    #[inline]
    #[must_use]
    pub fn inside(self, data: &NodeData, name: T) -> Self {
        Self {
            parent: Some(name),
            breakable: if data.is_breakable() { Some(name) } else { self.breakable },
            looping: if data.is_loop() { Some(name) } else { self.looping },
        }
    }

    /// Returns the construct that an exit leads to: none from the end of the body, and none where
    /// it is missing in a function that is not well-formed.
    #[inline]
    pub fn resolve(self, exit: Exit) -> Option<T> {
        match exit {
            Exit::Yield(_) => self.parent,
            Exit::Break(_) => self.breakable,
            Exit::Continue(_) => self.looping,
            Exit::Unreachable => None,
        }
    }
}

/// An open construct that an exit leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Number of constructs that are open around it.
    pub depth: usize,
    /// The construct.
    pub node: Node,
}

/// A construct that is open, and where the walk continues after it.
#[derive(Clone, Copy, Debug)]
struct Frame {
    node: Node,
    /// Its next region.
    child: usize,
    /// By depth; filled in when its first region begins.
    targets: Targets<usize>,
    outer: Region,
    /// The next item of `outer`.
    next: usize,
}

/// A walk in progress. Keep one and [`start`](Self::start) it again to reuse its memory.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    /// The body, until it begins.
    body: Option<Region>,
    /// The region whose items are being passed, and the next of them.
    inside: Option<Region>,
    next: usize,
    /// The open constructs, outermost first.
    stack: Vec<Frame>,
}

impl Walk {
    /// A walk of a complete function.
    pub fn new(f: &Func) -> Self {
        let mut walk = Self::default();
        walk.start(f);
        walk
    }

    /// Starts over, at the beginning of a function.
    pub fn start(&mut self, f: &Func) {
        // The stack keeps its memory.
        self.body = f.body;
        self.inside = None;
        self.stack.clear();
    }

    /// The innermost open construct.
    #[inline]
    pub fn parent(&self) -> Option<Node> {
        self.stack.last().map(|frame| frame.node)
    }

    /// The construct that an exit of the current region leads to.
    #[inline]
    pub fn target(&self, exit: Exit) -> Option<Target> {
        let depth = self.stack.last()?.targets.resolve(exit)?;
        Some(Target { depth, node: self.stack[depth].node })
    }

    /// Enters the construct again that the last step left.
    ///
    /// An analysis of parameters repeats each outermost loop until it finds nothing new: no exit
    /// leads from inside a loop to a construct around it.
    pub fn repeat(&mut self) {
        debug_assert!(self.inside.is_some() && self.next > 0, "the last step is `Leave`");
        self.next = self.next.saturating_sub(1);
    }

    /// The next step. The function may change between two steps, as long as the items already
    /// passed stay where they are.
    ///
    /// A region or construct is not looked at before the step that names it is returned, so that
    /// the verifier can check the name and stop.
    #[inline]
    pub fn next(&mut self, f: &Func) -> Option<Step> {
        // Evaluations are most of a function: no call for them.
        if let Some(region) = self.inside
            && let Some(&Item::Let(value)) = f.regions[region].items.get(self.next)
        {
            self.next += 1;
            return Some(Step::Let(value));
        }
        self.turn(f)
    }

    /// Passes the evaluations that follow.
    #[inline]
    pub fn lets(&mut self, f: &Func, mut visit: impl FnMut(Value)) {
        let items = self.inside.map_or(&[][..], |region| &f.regions[region].items);
        while let Some(&Item::Let(value)) = items.get(self.next) {
            self.next += 1;
            visit(value);
        }
    }

    /// The next step, where it is not an evaluation.
    fn turn(&mut self, f: &Func) -> Option<Step> {
        if let Some(region) = self.inside.take() {
            let Some(&Item::Node(node)) = f.regions[region].items.get(self.next) else {
                return Some(Step::End(region));
            };
            let next = self.next + 1;
            // The region around waits in the frame, so that one stack serves both.
            self.stack.push(Frame { node, child: 0, targets: Targets::default(), outer: region, next });
            return Some(Step::Enter(node));
        }
        if let Some(body) = self.body.take() {
            return Some(self.begin(body));
        }
        let depth = self.stack.len().checked_sub(1)?;
        let around = depth.checked_sub(1).map_or_else(Targets::default, |outer| self.stack[outer].targets);
        let frame = &mut self.stack[depth];
        let data = &f.nodes[frame.node];
        let Some(region) = data.child(frame.child) else {
            let Frame { node, outer, next, .. } = *frame;
            // The region around continues after the construct.
            self.stack.pop();
            (self.inside, self.next) = (Some(outer), next);
            return Some(Step::Leave(node));
        };
        // All regions of a construct have the same targets.
        if frame.child == 0 {
            frame.targets = around.inside(data, depth);
        }
        frame.child += 1;
        Some(self.begin(region))
    }

    fn begin(&mut self, region: Region) -> Step {
        (self.inside, self.next) = (Some(region), 0);
        Step::Begin(region)
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

    /// Its regions, in the order of [`child`](Self::child).
    pub fn regions(&self) -> impl Iterator<Item = Region> + '_ {
        (0..).map_while(|index| self.child(index))
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

    /// Its parameters, of a loop.
    #[inline]
    pub fn params(&self) -> ValueList {
        if let Self::Loop { params, .. } = self { *params } else { ValueList::EMPTY }
    }

    /// The list that takes the values of an exit that leads here: parameters for `Continue`, else
    /// results.
    #[inline]
    pub fn takers(&self, exit: Exit) -> ValueList {
        match exit {
            Exit::Continue(_) => self.params(),
            Exit::Yield(_) | Exit::Break(_) | Exit::Unreachable => self.results(),
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

    /// Returns whether a `Break` directly inside leaves it.
    #[inline]
    pub fn is_breakable(&self) -> bool {
        match self {
            Self::If { .. } => false,
            Self::Loop { .. } | Self::Block { .. } | Self::Switch { .. } => true,
        }
    }

    /// Returns whether it has one region, which always runs.
    #[inline]
    pub fn has_one_region(&self) -> bool {
        self.decider().is_none()
    }

    /// Returns whether it is a loop.
    #[inline]
    pub fn is_loop(&self) -> bool {
        matches!(self, Self::Loop { .. })
    }
}
