//! Writes a graph as nested scopes and loops with labeled exits.
//! In: a reducible [`Cfg`]. Out: calls to [`Exits`], which make the [`Tree`]. Knows only edges.
//! Facts: Ramsey, "Beyond Relooper: Recursive Translation of Unstructured Control Flow to
//! Structured Control Flow" (ICFP 2022): a block is placed under its immediate dominator; where
//! several paths meet in it, a scope ends just before.
//!
//! A block that follows a loop is placed after the loop and not in it, even if one path leads
//! there. The exception is a block after one exit of the loop that goes where another exit goes
//! too: it is placed inside, so that the two exits need not be distinguished after the loop.

use super::exits::Exits;
use super::tree::{Cond, Stmt, Tree, Var};
use crate::flow::cfg::graph::{Loops, Predecessors, backs_are_dominated, dominators};
use crate::flow::cfg::{Block, Cfg, Terminator};
use crate::support::entity::Handle;

/// The most targets of a dispatch that become ifs, which are easier to leave than a switch.
const MOST_IFS: usize = 3;

/// Remaining work, newest last.
enum Task {
    /// A block with everything placed under it.
    Tree(Block),
    /// An edge to a block.
    Edge(Block),
    CloseScope,
    CloseLoop,
    If(Cond),
    Else,
    EndIf,
    Case,
    CloseSwitch,
}

/// Structures a graph with these places (see [`Exits`]), or returns `None` if that takes more than
/// `steps`, which become those left.
pub(super) fn tree(cfg: &Cfg, places: &Places, deepest: u32, steps: &mut u32) -> Option<Tree> {
    let (Some(entry), Some(exit)) = (cfg.entry, cfg.exit) else { return Some(Tree::default()) };
    let exits = Exits::new(cfg.blocks.len(), cfg.regions, deepest, *steps);
    let labeled = places.labeled.clone();
    let mut writer = Writer { cfg, places, labeled, exits, tasks: Vec::with_capacity(16) };
    writer.exits.open_scope(exit);
    writer.tasks.extend([Task::CloseScope, Task::Tree(entry)]);
    while let Some(task) = writer.tasks.pop()
        && !writer.exits.is_exhausted()
    {
        writer.run(task);
    }
    writer.exits.into_tree(steps)
}

struct Writer<'a> {
    cfg: &'a Cfg,
    places: &'a Places,
    /// [`Places::labeled`], and the loop heads that were opened.
    labeled: Vec<bool>,
    exits: Exits,
    tasks: Vec<Task>,
}

impl Writer<'_> {
    fn run(&mut self, task: Task) {
        match task {
            Task::Tree(block) => self.tree(block),
            Task::Edge(block) => self.edge(block),
            Task::CloseScope => self.exits.close_scope(),
            Task::CloseLoop => self.exits.close_loop(),
            Task::If(cond) => self.exits.open_if(cond),
            Task::Else => self.exits.open_else(),
            Task::EndIf => self.exits.close_if(),
            Task::Case => self.exits.open_case(),
            Task::CloseSwitch => self.exits.close_switch(),
        }
    }

    fn tree(&mut self, block: Block) {
        if self.places.heads[block.index()] {
            // All remaining edges to it are back edges, and they need the label.
            self.labeled[block.index()] = true;
            self.scopes(self.places.followers[block.index()]);
            self.exits.open_loop(block);
            self.tasks.push(Task::CloseLoop);
        }
        self.scopes(self.places.merges[block.index()]);
        // A block without actions is only a place where paths meet.
        if !self.cfg.actions_of(block).is_empty() {
            self.exits.push(Stmt::Block(block));
        }
        match &self.cfg.blocks[block].terminator {
            Terminator::Goto(target) => self.edge(*target),
            Terminator::Branch { test, then, otherwise } => {
                self.exits.open_if(Cond::Test(*test));
                let parts = [Task::EndIf, Task::Edge(*otherwise), Task::Else, Task::Edge(*then)];
                self.tasks.extend(parts);
            }
            Terminator::Dispatch { region, targets } => self.dispatch(Var(*region), targets),
            Terminator::End => {}
        }
    }

    /// Opens a scope for each block of a list, the last one outermost, and places the blocks after
    /// their ends.
    fn scopes(&mut self, first: Option<Block>) {
        let start = self.tasks.len();
        let mut next = first;
        while let Some(block) = next {
            self.tasks.extend([Task::CloseScope, Task::Tree(block)]);
            next = self.places.next[block.index()];
        }
        self.tasks[start..].reverse();
        for task in &self.tasks[start..] {
            if let Task::Tree(block) = task {
                self.exits.open_scope(*block);
            }
        }
    }

    fn dispatch(&mut self, var: Var, targets: &[Block]) {
        let count = targets.len() as u32; // Range: the targets are blocks.
        let Some((&last, rest)) = targets.split_last() else { return };
        if targets.len() > MOST_IFS {
            self.exits.open_switch(var, count);
            self.tasks.push(Task::CloseSwitch);
            let cases = targets.iter().rev().flat_map(|&target| [Task::Edge(target), Task::Case]);
            self.tasks.extend(cases);
            return;
        }
        // The last target needs no test: the variable has no other value.
        self.tasks.extend(rest.iter().map(|_| Task::EndIf));
        self.tasks.push(Task::Edge(last));
        for (value, &target) in (0..count).zip(rest).rev() {
            self.tasks.extend([Task::Else, Task::Edge(target), Task::If(Cond::VarIs { var, value })]);
        }
    }

    fn edge(&mut self, target: Block) {
        if self.labeled[target.index()] {
            self.exits.exit_to(target);
        } else {
            self.tasks.push(Task::Tree(target));
        }
    }
}

/// The place of each block.
pub(super) struct Places {
    /// By head: the first of the blocks that follow its loop, in ascending order.
    followers: Vec<Option<Block>>,
    /// By block: the first of the labeled blocks that are placed under it.
    merges: Vec<Option<Block>>,
    /// By block: the next one of the list that it is in.
    next: Vec<Option<Block>>,
    /// True if edges to a block become exits to its label; other blocks are placed at their only
    /// edge.
    labeled: Vec<bool>,
    heads: Vec<bool>,
}

impl Places {
    /// Places the blocks of a graph, or returns `None` if it is irreducible.
    pub(super) fn new(cfg: &Cfg) -> Option<Self> {
        let exit = cfg.exit?;
        let count = cfg.blocks.len();
        let predecessors = Predecessors::new(cfg);
        let dominators = dominators(cfg, &predecessors);
        if !backs_are_dominated(cfg, &dominators) {
            return None;
        }
        let loops = Loops::new(cfg, &predecessors);
        let exits = loops.as_ref().map(|loops| LoopExits::new(cfg, &predecessors, loops));
        let mut places = Self {
            followers: vec![None; count],
            merges: vec![None; count],
            next: vec![None; count],
            labeled: vec![false; count],
            heads: vec![false; count],
        };
        places.labeled[exit.index()] = true;
        // In descending order, so that lists built from the front ascend.
        for block in cfg.blocks.keys().skip(1).rev().filter(|&block| block != exit) {
            let dominator = dominators[block.index()];
            let left = loops.as_ref().and_then(|loops| loops.outermost_left(dominator, block));
            let merges = predecessors.forward(block) > 1;
            places.heads[block.index()] = loops.as_ref().is_some_and(|loops| loops.is_head(block));
            let list = match left {
                // Outside the loop it needs a label even with one predecessor, which is inside.
                Some(head) if merges || !exits.as_ref().is_some_and(|exits| exits.shared(head, block)) => {
                    &mut places.followers[head.index()]
                }
                None if merges => &mut places.merges[dominator.index()],
                Some(_) | None => continue,
            };
            places.next[block.index()] = list.replace(block);
            places.labeled[block.index()] = true;
        }
        Some(places)
    }
}

/// The final targets of the exits of loops.
struct LoopExits<'a> {
    cfg: &'a Cfg,
    predecessors: &'a Predecessors,
    loops: &'a Loops,
    /// For each edge that leaves a loop: the loop, and the final target if a block on the way is
    /// placed inside. Sorted.
    ends: Vec<(Block, Block)>,
}

impl<'a> LoopExits<'a> {
    fn new(cfg: &'a Cfg, predecessors: &'a Predecessors, loops: &'a Loops) -> Self {
        let mut exits = Self { cfg, predecessors, loops, ends: Vec::new() };
        for (block, data) in cfg.blocks.iter() {
            for target in data.terminator.targets() {
                if let Some(head) = loops.outermost_left(block, target) {
                    exits.ends.push((head, exits.end(target).unwrap_or(target)));
                }
            }
        }
        exits.ends.sort_by_cached_key(|(head, end)| u64::from(head.0) << 32 | u64::from(end.0));
        exits
    }

    /// The successor of a block that could be placed inside a loop that it follows.
    fn end(&self, block: Block) -> Option<Block> {
        let Terminator::Goto(target) = self.cfg.blocks[block].terminator else { return None };
        (self.predecessors.get(block).len() == 1 && !self.loops.is_head(block)).then_some(target)
    }

    /// Returns whether a block is to be placed inside the loop because another exit ends at its
    /// successor.
    fn shared(&self, head: Block, block: Block) -> bool {
        self.end(block).is_some_and(|end| {
            let first = self.ends.partition_point(|&exit| exit < (head, end));
            self.ends[first..].iter().take_while(|&&exit| exit == (head, end)).count() > 1
        })
    }
}
