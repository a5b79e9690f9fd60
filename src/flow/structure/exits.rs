//! Lowers labeled exits to exits of one level.
//! In: the labeled tree, written front to back. Out: [`Tree`]. Knows nothing about opcodes. Rules:
//! SPIR-V 2.11 and WGSL have no labeled exits, and naga loses those that leave a loop from inside
//! a switch (drivers.md#naga-switch-exits). So only these are made:
//!
//! * An exit at the end of its scope falls through. To make this the rule, what follows a scope is
//!   put into the one part of an `if` from which it is reached: `if c { A; br z } B` becomes
//!   `if c { A; br z } else { B }`.
//! * An exit to the head of the innermost loop is a `continue`.
//! * A scope that is left from elsewhere becomes a `Breakable`, and the exit a `break`.
//! * An exit out of several breakables sets a variable and leaves the innermost; a test after that
//!   one continues the exit:
//!
//! ```text
//! loop { loop { .. br z .. } .. }    =>    loop { exit = 0; loop { .. exit = 1; break .. } if exit == 1 { br z } .. }
//! ```
//!
//! A loop or switch with a single exit target needs no variable: `loop { .. br z .. }` becomes
//! `loop { .. break .. } br z`.
//!
//! The state is a stack of open constructs, `frames`. Statements go to the `cursor` of the top;
//! exits stay as they come, with their label in `labels`, until the construct that holds them is
//! closed. When this is on top:
//!
//! * `Root`: what is written is the end result.
//! * `Scope`: its end and each exit to its label lead to what follows it. Closing decides. If all
//!   exits are
//!   at its end, the scope [dissolves](Exits::dissolve) into the list below. Else it becomes a
//!   `Breakable`.
//! * `Loop`: its end repeats it. On closing, an exit to its head is a `continue`, and one other
//!   target may take the `break`.
//! * `Then`, `Otherwise`: parts of an `if`. Closing lowers nothing; the exits belong to the
//!   construct around it.
//! * `Switch`: a case. Closing lowers the exits of all cases together.
//!
//! An exit that leads further out than the closed construct is continued after it, by a test, as
//! an exit of the next frame. So none is left at the root.

use super::tree::{Cond, List, NONE, Stmt, Tree, Var};
use crate::flow::cfg::Block;
use crate::support::entity::Handle;

/// Limit on the statements for each block, on average.
const MOST_STATEMENTS: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FrameKind {
    Root,
    Scope(Block),
    Loop(Block),
    /// The first part of an `if`, with the list of the other part.
    Then(List),
    Otherwise,
    /// A switch over `count` lists from `first` on, with the index of the next case.
    Switch {
        var: Var,
        first: List,
        count: u32,
        next: u32,
    },
}

/// An open construct.
#[derive(Clone, Copy, Debug)]
struct Frame {
    kind: FrameKind,
    /// The list that it fills.
    base: List,
    /// The list to which the next statement is added: `base`, or one inside parts of its last `if`.
    cursor: List,
}

/// A labeled exit to lower.
#[derive(Clone, Copy)]
struct Exit {
    list: List,
    /// Its statement.
    stmt: u32,
    target: Block,
    /// True if it is at the end of the construct.
    tail: bool,
}

/// A set of labels in insertion order.
struct Targets {
    /// By block: the round in which it was inserted.
    mark: Vec<u32>,
    round: u32,
    list: Vec<Block>,
}

impl Targets {
    fn clear(&mut self) {
        self.round += 1;
        self.list.clear();
    }
    fn add(&mut self, block: Block) {
        // Rounds make clearing O(1).
        if std::mem::replace(&mut self.mark[block.index()], self.round) != self.round {
            self.list.push(block);
        }
    }
    fn has(&self, block: Block) -> bool {
        self.mark[block.index()] == self.round
    }
}

/// The lists whose end is the end of a scope, each with the index of the one that contains it, and
/// the indices of those that end in the wanted exit.
#[derive(Default)]
struct Ends {
    lists: Vec<(List, usize)>,
    found: Vec<usize>,
}

/// Lowering of a labeled tree that is written front to back.
///
/// Code after a scope moves into the parts of ifs only up to `deepest` levels, and only up to that
/// depth does an exit count as being at the end of its scope. Beyond it the scope becomes a
/// `Breakable`, which unnests.
pub(super) struct Exits {
    tree: Tree,
    root: List,
    /// Limit on the number of statements.
    most: usize,
    /// By statement: the label of a `Break` that is still to be lowered.
    labels: Vec<Option<Block>>,
    frames: Vec<Frame>,
    /// By label: number of exits that are still to be lowered.
    pending: Vec<u32>,
    /// By label: number of labels that are open around it.
    levels: Vec<usize>,
    /// Number of open labels.
    open_labels: usize,
    /// By level of labels: the variable that is 1 while an exit to the label of that level is under
    /// way, or [`NONE`]. Labels that are never open at the same time share it: all its uses are
    /// inside the scope or loop of the label, and begin with a reset.
    vars: Vec<u32>,
    next_var: u32,
    /// Steps left.
    steps: u32,
    targets: Targets,
    ends: Ends,
    found: Vec<Exit>,
    deepest: u32,
}

/// The targets of a construct that is being closed, which decide what its exits become.
#[derive(Clone, Copy)]
struct Closing {
    /// Target of falling off the end.
    falls_to: Option<Block>,
    /// Target of `break`.
    breaks_to: Option<Block>,
    /// Target of `continue`.
    continues_to: Option<Block>,
}

impl Exits {
    /// Begins an empty tree for a graph with these numbers of blocks and dispatch regions.
    pub(super) fn new(blocks: usize, regions: u32, deepest: u32, steps: u32) -> Self {
        let mut tree = Tree::default();
        let root = tree.open(0);
        let mut frames = Vec::with_capacity(16);
        frames.push(Frame { kind: FrameKind::Root, base: root, cursor: root });
        Self {
            tree,
            root,
            most: blocks * MOST_STATEMENTS + 1024,
            labels: Vec::new(),
            frames,
            pending: vec![0; blocks],
            levels: vec![0; blocks],
            open_labels: 0,
            vars: Vec::with_capacity(16),
            next_var: regions,
            steps,
            targets: Targets { mark: vec![0; blocks], round: 0, list: Vec::new() },
            ends: Ends::default(),
            found: Vec::new(),
            deepest,
        }
    }

    /// Returns whether the tree is to be given up: it took too many steps or has very many
    /// statements. Each breakable may be left for many labels outside, and each of them is tested
    /// after it; a tree with that many tests nests far too deep anyway.
    pub(super) fn is_exhausted(&self) -> bool {
        self.tree.len() > self.most || self.steps == 0
    }

    /// Returns the finished tree, unless it [is exhausted](Self::is_exhausted), and the remaining
    /// steps.
    pub(super) fn into_tree(self, steps: &mut u32) -> Option<Tree> {
        *steps = self.steps;
        (!self.is_exhausted()).then(|| self.tree.with_root(self.root, self.next_var))
    }

    /// The list to which the next statement is added.
    fn cursor(&self) -> List {
        self.frames.last().map_or(List(0), |frame| frame.cursor)
    }

    fn set_cursor(&mut self, list: List) {
        if let Some(frame) = self.frames.last_mut() {
            frame.cursor = list;
        }
    }

    /// Depth of a list in parts of ifs that were not opened for the current frame.
    fn descended(&self, list: List) -> u32 {
        let base = self.frames.last().map_or(0, |frame| self.tree.lists[frame.base].depth);
        self.tree.lists[list].depth.saturating_sub(base)
    }

    /// Adds a statement.
    pub(super) fn push(&mut self, stmt: Stmt) {
        self.add(self.cursor(), stmt);
    }

    fn add(&mut self, list: List, stmt: Stmt) {
        self.tree.push(list, stmt);
        self.labels.push(None);
    }

    /// Replaces the statement of an exit.
    fn replace(&mut self, index: u32, stmt: Stmt) {
        self.tree.set(index, stmt);
        self.labels[index as usize] = None;
    }

    /// Adds an exit to a label.
    pub(super) fn exit_to(&mut self, target: Block) {
        self.pending[target.index()] += 1;
        self.tree.push(self.cursor(), Stmt::Break);
        self.labels.push(Some(target));
    }

    /// Opens a list inside the current one.
    fn nested(&mut self, levels: u32) -> List {
        let depth = self.tree.lists[self.cursor()].depth + levels;
        self.tree.open(depth)
    }

    /// Opens a scope; an exit to its label leads to what follows it.
    pub(super) fn open_scope(&mut self, label: Block) {
        self.open(label, FrameKind::Scope(label), 0);
    }

    /// Opens a loop; an exit to its head repeats it.
    pub(super) fn open_loop(&mut self, head: Block) {
        self.open(head, FrameKind::Loop(head), 1);
    }

    fn open(&mut self, label: Block, kind: FrameKind, levels: u32) {
        self.levels[label.index()] = self.open_labels;
        self.open_labels += 1;
        if self.vars.len() < self.open_labels {
            self.vars.push(NONE);
        }
        let base = self.nested(levels);
        self.frames.push(Frame { kind, base, cursor: base });
    }

    /// Opens the first part of an `if`.
    pub(super) fn open_if(&mut self, cond: Cond) {
        let (then, otherwise) = (self.nested(1), self.nested(1));
        self.push(Stmt::If { cond, negate: false, then, otherwise });
        self.frames.push(Frame { kind: FrameKind::Then(otherwise), base: then, cursor: then });
    }

    /// Opens the other part.
    pub(super) fn open_else(&mut self) {
        if let Some(frame) = self.frames.last_mut()
            && let FrameKind::Then(otherwise) = frame.kind
        {
            *frame = Frame { kind: FrameKind::Otherwise, base: otherwise, cursor: otherwise };
        }
    }

    pub(super) fn close_if(&mut self) {
        self.frames.pop();
    }

    /// Opens a switch over a dispatch variable with `count` values.
    pub(super) fn open_switch(&mut self, var: Var, count: u32) {
        let depth = self.tree.lists[self.cursor()].depth + 1;
        let first = self.tree.open_cases(depth, count);
        let kind = FrameKind::Switch { var, first, count, next: 0 };
        self.frames.push(Frame { kind, base: first, cursor: first });
    }

    /// Opens the case of the next value, from 0 on.
    pub(super) fn open_case(&mut self) {
        if let Some(frame) = self.frames.last_mut()
            && let FrameKind::Switch { first, next, .. } = &mut frame.kind
        {
            let list = List(first.0 + *next);
            *next += 1;
            (frame.base, frame.cursor) = (list, list);
        }
    }

    /// The head of the innermost open loop.
    fn innermost_loop(&self) -> Option<Block> {
        let head = |frame: &Frame| if let FrameKind::Loop(head) = frame.kind { Some(head) } else { None };
        self.frames.iter().rev().find_map(head)
    }

    /// Closes the newest frame, a scope.
    pub(super) fn close_scope(&mut self) {
        let Some(Frame { kind: FrameKind::Scope(label), base: body, .. }) = self.frames.pop() else { return };
        self.open_labels -= 1;
        self.find_ends(body, label);
        // If every exit falls off the end anyway, no statement is needed to leave the scope.
        if self.ends.found.len() == self.pending[label.index()] as usize {
            self.dissolve(label, body);
        } else {
            self.find_exits(&[body]);
            let head = self.innermost_loop();
            let closing = Closing { falls_to: Some(label), breaks_to: Some(label), continues_to: head };
            self.close(closing, Stmt::Breakable(body));
        }
    }

    /// Finds the lists whose end is the end of `body`, and those of them that end with an exit to
    /// `label`.
    fn find_ends(&mut self, body: List, label: Block) {
        let Ends { lists, found } = &mut self.ends;
        let deepest = self.tree.lists[body].depth + self.deepest;
        found.clear();
        lists.clear();
        lists.push((body, 0));
        let mut at = 0;
        while let Some(&(list, _)) = lists.get(at) {
            let last = self.tree.lists[list].last;
            if last != NONE {
                if self.labels[last as usize] == Some(label) {
                    found.push(at);
                // Both parts of a last `if` end where the list ends.
                } else if let Stmt::If { then, otherwise, .. } = self.tree.stmt(last)
                    && self.tree.lists[then].depth <= deepest
                {
                    lists.extend([(then, at), (otherwise, at)]);
                }
            }
            at += 1;
        }
        self.spend(at);
    }

    fn spend(&mut self, steps: usize) {
        self.steps = self.steps.saturating_sub(u32::try_from(steps).unwrap_or(u32::MAX));
    }

    /// Removes a scope all of whose exits are at its end. What follows goes to the innermost list
    /// that contains all of them.
    fn dissolve(&mut self, label: Block, body: List) {
        let parent = |at: usize| self.ends.lists[at].1;
        // Lists come after those that contain them, so the higher index moves up first.
        let common = self.ends.found.iter().copied().reduce(|mut a, mut b| {
            while a != b {
                if a > b { a = parent(a) } else { b = parent(b) }
            }
            a
        });
        let mut at = common.unwrap_or(0);
        // WGSL readers stop at 127 braces, so nesting must stay bounded.
        while at != 0 && self.descended(self.ends.lists[at].0) > self.deepest {
            at = self.ends.lists[at].1;
        }
        for index in 0..self.ends.found.len() {
            let (list, _) = self.ends.lists[self.ends.found[index]];
            self.replace(self.tree.lists[list].last, Stmt::Nothing);
        }
        self.pending[label.index()] = 0;
        self.tree.append(self.cursor(), body);
        if at != 0 {
            self.set_cursor(self.ends.lists[at].0);
        }
    }

    /// Closes the newest frame, a loop.
    pub(super) fn close_loop(&mut self) {
        let Some(Frame { kind: FrameKind::Loop(head), base: body, .. }) = self.frames.pop() else { return };
        self.open_labels -= 1;
        self.find_exits(&[body]);
        self.target_exits(Some(head));
        // One target needs no variable: `break` leaves the loop, and the exit follows it
        // there.
        let first = self.innermost_target();
        let closing = Closing { falls_to: Some(head), breaks_to: first, continues_to: Some(head) };
        self.close(closing, Stmt::Loop { body, is_left: first.is_some() });
        if let Some(first) = first {
            self.exit_to(first);
        }
    }

    /// Closes the newest frame, a switch.
    pub(super) fn close_switch(&mut self) {
        let Some(Frame { kind: FrameKind::Switch { var, first, count, .. }, .. }) = self.frames.pop() else {
            return;
        };
        let cases: Vec<List> = (first.0..first.0 + count).map(List).collect();
        self.find_exits(&cases);
        let head = self.innermost_loop();
        self.target_exits(head);
        // Inside a switch, `continue` still reaches the head, so it is a target only without
        // others.
        let target = self.innermost_target().or(head);
        let closing = Closing { falls_to: target, breaks_to: target, continues_to: head };
        self.close(closing, Stmt::Switch { var, first, count });
        if let Some(target) = target {
            self.exit_to(target);
        }
    }

    /// Makes the targets of the exits that were found the current ones, except `head`.
    fn target_exits(&mut self, head: Option<Block>) {
        self.targets.clear();
        for exit in self.found.iter().filter(|exit| Some(exit.target) != head) {
            self.targets.add(exit.target);
        }
    }

    /// The current target whose scope or loop is the innermost.
    fn innermost_target(&self) -> Option<Block> {
        self.frames.iter().rev().find_map(|frame| match frame.kind {
            FrameKind::Loop(label) | FrameKind::Scope(label) => {
                Some(label).filter(|&label| self.targets.has(label))
            }
            FrameKind::Root | FrameKind::Then(_) | FrameKind::Otherwise | FrameKind::Switch { .. } => None,
        })
    }

    /// Finds all exits in some lists that are still to be lowered.
    fn find_exits(&mut self, bodies: &[List]) {
        self.found.clear();
        let deepest = bodies.first().map_or(0, |&body| self.tree.lists[body].depth) + self.deepest;
        let mut work: Vec<(List, bool)> = bodies.iter().rev().map(|&body| (body, true)).collect();
        let mut steps = self.frames.len();
        while let Some((list, tail)) = work.pop() {
            let mut at = self.tree.lists[list].first;
            while at != NONE {
                steps += 1;
                let next = self.tree.next_of(at);
                // Only the last statement falls off the end of its list.
                let tail = tail && next == NONE;
                match (self.labels[at as usize], self.tree.stmt(at)) {
                    (Some(target), _) => self.found.push(Exit { list, stmt: at, target, tail }),
                    (None, Stmt::If { then, otherwise, .. }) => {
                        let tail = tail && self.tree.lists[then].depth <= deepest;
                        work.extend([(otherwise, tail), (then, tail)]);
                    }
                    // The exits of inner constructs were lowered when those were closed.
                    (None, _other_statement) => {}
                }
                at = next;
            }
        }
        self.spend(steps);
    }

    /// Lowers the exits that were found. The targets outside the closed construct become the
    /// current ones.
    fn lower(&mut self, closing: Closing) {
        self.targets.clear();
        for exit in std::mem::take(&mut self.found) {
            let target = Some(exit.target);
            self.pending[exit.target.index()] -= 1;
            // Falling through costs no statement.
            let stmt = if exit.tail && target == closing.falls_to {
                Stmt::Nothing
            } else if target == closing.continues_to {
                Stmt::Continue
            } else if target == closing.breaks_to {
                Stmt::Break
            } else {
                self.targets.add(exit.target);
                let var = self.variable(exit.target);
                // Falling off the end of a loop repeats it; falling off the end of anything else
                // leaves it.
                if !exit.tail || closing.falls_to != closing.breaks_to {
                    self.add(exit.list, Stmt::Break);
                }
                Stmt::Set { var, value: 1 }
            };
            self.replace(exit.stmt, stmt);
        }
    }

    /// The variable of a label.
    fn variable(&mut self, label: Block) -> Var {
        let var = &mut self.vars[self.levels[label.index()]];
        if *var == NONE {
            *var = self.next_var;
            self.next_var += 1;
        }
        Var(*var)
    }

    /// Lowers the exits that were found and adds the construct that they leave: variables of the
    /// targets outside are reset before it and tested after it, where the exits continue.
    fn close(&mut self, closing: Closing, construct: Stmt) {
        self.lower(closing);
        for index in 0..self.targets.list.len() {
            let var = self.variable(self.targets.list[index]);
            self.push(Stmt::Set { var, value: 0 });
        }
        self.push(construct);
        for index in 0..self.targets.list.len() {
            let target = self.targets.list[index];
            let cond = Cond::VarIs { var: self.variable(target), value: 1 };
            self.open_if(cond);
            self.exit_to(target);
            self.open_else();
            let rest = self.cursor();
            self.close_if();
            // What follows belongs to the path on which the test failed.
            if self.descended(rest) <= self.deepest {
                self.set_cursor(rest);
            }
        }
    }
}
