//! Orders a graph as nested scopes and loops with labelled exits.
//! In: a reducible [`Cfg`]. Out: [`Event`]s, the labelled tree written from front to back. Knows only edges.
//! Facts: Ramsey, "Beyond Relooper: Recursive Translation of Unstructured Control Flow to Structured Control Flow"
//! (ICFP 2022): a block stands where its immediate dominator is; where several paths meet in it, a scope ends just before.
//!
//! What follows a loop stands after the loop and not in it, even if one path leads there. Only a block that several exits
//! of the loop would have to tell apart is taken along: one that then goes where another exit of the loop goes too.

use crate::cfg::graph::{Loops, Predecessors, backs_are_dominated, dominators};
use crate::cfg::{Block, Cfg, Terminator};
use crate::entity::Handle;
use crate::isa::control::Test;

/// A piece of the labelled tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// Begins a scope; leaving it at its label, the block given here, leads to what follows it.
    OpenScope(Block),
    /// Ends the newest scope.
    CloseScope,
    /// Begins a loop; its head is the label that repeats it.
    OpenLoop(Block),
    /// Ends the newest loop.
    CloseLoop,
    /// Does the actions of a block.
    Block(Block),
    /// Begins the part that runs if a test holds.
    If(Test),
    /// Begins the part that runs if a dispatch variable has this value.
    IfDispatch {
        /// Whose variable.
        region: u32,
        /// The value.
        value: u32,
    },
    /// Ends that part and begins the other.
    Else,
    /// Ends the other.
    EndIf,
    /// Begins a choice by a dispatch variable.
    Switch {
        /// Whose variable.
        region: u32,
        /// How many values it has.
        count: u32,
    },
    /// Begins the part for the next value, from 0 on.
    Case,
    /// Ends the choice.
    EndSwitch,
    /// Goes to a label of an open scope or loop.
    Br(Block),
}

/// Up to so many targets of a dispatch are told apart by ifs, which can be left more easily than a switch.
const MOST_IFS: usize = 3;

/// What is still to be written, newest last.
enum Task {
    Event(Event),
    /// A block with everything placed under it.
    Tree(Block),
    /// Going to a block.
    Edge(Block),
}

/// Writes the labelled tree of a graph; nothing if the graph is not reducible.
pub(super) fn events(cfg: &Cfg, entry: Block, exit: Block) -> Option<Vec<Event>> {
    let mut writer = Writer {
        cfg,
        places: Places::new(cfg, exit)?,
        events: Vec::with_capacity(cfg.blocks.len() * 4),
        tasks: Vec::new(),
    };
    writer.events.push(Event::OpenScope(exit));
    writer.tasks.push(Task::Event(Event::CloseScope));
    writer.tasks.push(Task::Tree(entry));
    while let Some(task) = writer.tasks.pop() {
        match task {
            Task::Event(event) => writer.events.push(event),
            Task::Tree(block) => writer.tree(block),
            Task::Edge(block) => writer.edge(block),
        }
    }
    Some(writer.events)
}

struct Writer<'a> {
    cfg: &'a Cfg,
    places: Places,
    events: Vec<Event>,
    tasks: Vec<Task>,
}

impl Writer<'_> {
    fn tree(&mut self, block: Block) {
        if self.places.heads[block.index()] {
            // Only edges back are left now, and they need the label.
            self.places.labelled[block.index()] = true;
            self.scopes(self.places.followers[block.index()]);
            self.events.push(Event::OpenLoop(block));
            self.tasks.push(Task::Event(Event::CloseLoop));
        }
        self.scopes(self.places.merges[block.index()]);
        if !self.cfg.actions_of(block).is_empty() {
            self.events.push(Event::Block(block));
        }
        match &self.cfg.blocks[block].terminator {
            Terminator::Goto(target) => self.edge(*target),
            Terminator::Branch { test, then, otherwise } => {
                self.events.push(Event::If(*test));
                self.parts(*then, *otherwise);
            }
            Terminator::Dispatch { region, targets } => self.dispatch(*region, targets),
            Terminator::End => {}
        }
    }

    /// Begins a scope for each block of a list, the last one outermost, and puts the blocks behind the ends.
    fn scopes(&mut self, first: Option<Block>) {
        let (events, tasks) = (self.events.len(), self.tasks.len());
        let mut next = first;
        while let Some(block) = next {
            self.events.push(Event::OpenScope(block));
            self.tasks.push(Task::Event(Event::CloseScope));
            self.tasks.push(Task::Tree(block));
            next = self.places.next[block.index()];
        }
        self.events[events..].reverse();
        self.tasks[tasks..].reverse();
    }

    fn parts(&mut self, then: Block, otherwise: Block) {
        self.tasks.push(Task::Event(Event::EndIf));
        self.tasks.push(Task::Edge(otherwise));
        self.tasks.push(Task::Event(Event::Else));
        self.tasks.push(Task::Edge(then));
    }

    fn dispatch(&mut self, region: u32, targets: &[Block]) {
        let count = targets.len() as u32; // Range: the targets are blocks.
        let Some((&last, rest)) = targets.split_last() else { return };
        if targets.len() > MOST_IFS {
            self.events.push(Event::Switch { region, count });
            self.tasks.push(Task::Event(Event::EndSwitch));
            for &target in targets.iter().rev() {
                self.tasks.push(Task::Edge(target));
                self.tasks.push(Task::Event(Event::Case));
            }
            return;
        }
        for _ in rest {
            self.tasks.push(Task::Event(Event::EndIf));
        }
        self.tasks.push(Task::Edge(last));
        for (value, &target) in (0..count).zip(rest).rev() {
            self.tasks.push(Task::Event(Event::Else));
            self.tasks.push(Task::Edge(target));
            self.tasks.push(Task::Event(Event::IfDispatch { region, value }));
        }
    }

    fn edge(&mut self, target: Block) {
        if self.places.labelled[target.index()] {
            self.events.push(Event::Br(target));
        } else {
            self.tasks.push(Task::Tree(target));
        }
    }
}

/// Where each block stands.
struct Places {
    /// The first of the blocks that follow a loop, by head; they are ascending.
    followers: Vec<Option<Block>>,
    /// The first of the labelled blocks that stand under a block.
    merges: Vec<Option<Block>>,
    /// The block after a block in the list it is in.
    next: Vec<Option<Block>>,
    /// Whether edges to a block go to a label; else the block stands where its only edge is.
    labelled: Vec<bool>,
    heads: Vec<bool>,
}

impl Places {
    fn new(cfg: &Cfg, exit: Block) -> Option<Self> {
        let count = cfg.blocks.len();
        let predecessors = Predecessors::new(cfg);
        let dominators = dominators(cfg, &predecessors);
        if !backs_are_dominated(cfg, &dominators) {
            return None;
        }
        let loops = Loops::new(cfg, &predecessors);
        let exits = loops.as_ref().map(|loops| Exits::new(cfg, &predecessors, loops));
        let mut places = Self {
            followers: vec![None; count],
            merges: vec![None; count],
            next: vec![None; count],
            labelled: vec![false; count],
            heads: vec![false; count],
        };
        places.labelled[exit.index()] = true;
        // Descending, so that lists made from the front ascend.
        for block in cfg.blocks.keys().skip(1).rev().filter(|&block| block != exit) {
            let dominator = dominators[block.index()];
            let left = loops.as_ref().and_then(|loops| loops.outermost_left(dominator, block));
            let merges = predecessors.forward(block) > 1;
            places.heads[block.index()] = loops.as_ref().is_some_and(|loops| loops.is_head(block));
            let list = match left {
                Some(head) if merges || !exits.as_ref().is_some_and(|exits| exits.shared(head, block)) => {
                    &mut places.followers[head.index()]
                }
                None if merges => &mut places.merges[dominator.index()],
                Some(_) | None => continue,
            };
            places.next[block.index()] = list.replace(block);
            places.labelled[block.index()] = true;
        }
        Some(places)
    }
}

/// Where the exits of loops lead in the end.
struct Exits<'a> {
    cfg: &'a Cfg,
    predecessors: &'a Predecessors,
    loops: &'a Loops,
    /// For each edge that leaves a loop: the loop, and where it leads if a block on the way is taken along. Sorted.
    ends: Vec<(Block, Block)>,
}

impl<'a> Exits<'a> {
    fn new(cfg: &'a Cfg, predecessors: &'a Predecessors, loops: &'a Loops) -> Self {
        let mut exits = Self { cfg, predecessors, loops, ends: Vec::new() };
        for (block, data) in cfg.blocks.iter() {
            for target in data.terminator.targets() {
                if let Some(head) = loops.outermost_left(block, target) {
                    exits.ends.push((head, exits.end(target).unwrap_or(target)));
                }
            }
        }
        exits.ends.sort_unstable();
        exits
    }

    /// Where a block that could be taken along leads.
    fn end(&self, block: Block) -> Option<Block> {
        match self.cfg.blocks[block].terminator {
            Terminator::Goto(target)
                if self.predecessors.of(block).len() == 1 && !self.loops.is_head(block) =>
            {
                Some(target)
            }
            Terminator::Goto(_)
            | Terminator::Branch { .. }
            | Terminator::Dispatch { .. }
            | Terminator::End => None,
        }
    }

    /// Whether a block may be taken along because another exit of the loop ends where it does.
    fn shared(&self, head: Block, block: Block) -> bool {
        self.end(block).is_some_and(|end| {
            let first = self.ends.partition_point(|&exit| exit < (head, end));
            self.ends[first..].iter().take_while(|&&exit| exit == (head, end)).count() > 1
        })
    }
}
