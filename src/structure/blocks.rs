//! The second tier: a loop that switches between the blocks of a graph.
//! In: [`Cfg`], reducible or not. Out: [`Tree`]. Knows only edges.
//!
//! ```text
//! next = entry; loop { if next == exit { break } switch next { case 0: block0; next = 3 .. } }
//! ```
//!
//! Nothing leaves the loop from inside the switch.

use super::tree::{Cond, List, Stmt, Tree, Var};
use crate::cfg::{Block, Cfg, Terminator};
use crate::entity::Arena;

/// The tree that runs a graph block by block.
///
/// ```
/// use transpica::{cfg::Cfg, structure::blocks::dispatcher};
/// assert_eq!(dispatcher(&Cfg::default()).root, None);
/// ```
pub fn dispatcher(cfg: &Cfg) -> Tree {
    let (Some(entry), Some(exit)) = (cfg.entry, cfg.exit) else { return Tree::default() };
    let mut build = Build { cfg, lists: Arena::new(), next: Var(cfg.regions) };
    let mut cases = Vec::with_capacity(cfg.blocks.len());
    for block in cfg.blocks.keys().filter(|&block| block != exit) {
        cases.push((vec![block.0], build.block(block)));
    }
    let default = cases.pop().map_or_else(|| build.lists.push(Vec::new()), |(_, list)| list);
    let leave = build.lists.push(vec![Stmt::Break]);
    let stay = build.lists.push(Vec::new());
    let done = Cond::VarIs { var: build.next, value: exit.0 };
    let body = build.lists.push(vec![
        Stmt::If { cond: done, negate: false, then: leave, otherwise: stay },
        Stmt::Switch { var: build.next, cases, default },
    ]);
    let root = build.lists.push(vec![build.go(entry), Stmt::Loop(body)]);
    Tree { lists: build.lists, root: Some(root), vars: cfg.regions + 1 }
}

struct Build<'a> {
    cfg: &'a Cfg,
    lists: Arena<List, Vec<Stmt>>,
    /// The block that runs next.
    next: Var,
}

impl Build<'_> {
    fn go(&self, block: Block) -> Stmt {
        Stmt::Set { var: self.next, value: block.0 }
    }

    fn list(&mut self, stmt: Stmt) -> List {
        self.lists.push(vec![stmt])
    }

    /// A block, and where it leads.
    fn block(&mut self, block: Block) -> List {
        let mut stmts = Vec::with_capacity(2);
        if !self.cfg.actions_of(block).is_empty() {
            stmts.push(Stmt::Block(block));
        }
        match &self.cfg.blocks[block].terminator {
            Terminator::Goto(target) => stmts.push(self.go(*target)),
            Terminator::Branch { test, then, otherwise } => {
                let (then, otherwise) = (self.go(*then), self.go(*otherwise));
                let (then, otherwise) = (self.list(then), self.list(otherwise));
                stmts.push(Stmt::If { cond: Cond::Test(*test), negate: false, then, otherwise });
            }
            Terminator::Dispatch { region, targets } => {
                let mut cases = Vec::with_capacity(targets.len());
                for (value, &target) in (0..).zip(targets) {
                    let go = self.go(target);
                    cases.push((vec![value], self.list(go)));
                }
                let default =
                    cases.pop().map_or_else(|| self.lists.push(Vec::new()), |(_, list): (Vec<u32>, _)| list);
                stmts.push(Stmt::Switch { var: Var(*region), cases, default });
            }
            Terminator::End => {}
        }
        self.lists.push(stmts)
    }
}
