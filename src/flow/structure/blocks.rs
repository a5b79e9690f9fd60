//! The second tier: a loop that switches between the blocks of a graph.
//! In: [`Cfg`], reducible or not. Out: [`Tree`]. Knows only edges.
//!
//! ```text
//! next = entry; loop { if next == exit { break } switch next { case 0: block0; next = 3 .. } }
//! ```
//!
//! Nothing inside the switch leaves the loop.

use super::tree::{Cond, List, Stmt, Tree, Var};
use crate::flow::cfg::{Block, Cfg, Terminator};

/// Builds the tree that runs a graph block by block.
///
/// ```
/// use transpica::stages::{cfg::Cfg, structure::blocks::dispatcher};
/// assert_eq!(dispatcher(&Cfg::default()).root, None);
/// ```
pub fn dispatcher(cfg: &Cfg) -> Tree {
    let (Some(entry), Some(exit)) = (cfg.entry, cfg.exit) else { return Tree::default() };
    let mut build = Build { cfg, tree: Tree::default(), next: Var(cfg.regions) };
    let root = build.tree.open(0);
    build.go(root, entry);
    let body = build.tree.open(1);
    build.tree.push(root, Stmt::Loop { body, is_left: true });
    let (leave, stay) = (build.tree.open(2), build.tree.open(2));
    // The test is outside the switch, because a break inside would leave the switch only.
    build.tree.push(leave, Stmt::Break);
    let cond = Cond::VarIs { var: build.next, value: exit.0 };
    build.tree.push(body, Stmt::If { cond, negate: false, then: leave, otherwise: stay });
    // The exit is the last block, so the other blocks are numbered as the cases. With no other
    // block, the one case never runs.
    let count = exit.0.max(1);
    let first = build.tree.open_cases(3, count);
    build.tree.push(body, Stmt::Switch { var: build.next, first, count });
    for block in cfg.blocks.keys().filter(|&block| block != exit) {
        build.block(List(first.0 + block.0), block);
    }
    build.tree.is_dispatcher = true;
    build.tree.with_root(root, cfg.regions + 1)
}

struct Build<'a> {
    cfg: &'a Cfg,
    tree: Tree,
    /// The block that runs next.
    next: Var,
}

impl Build<'_> {
    fn go(&mut self, list: List, block: Block) {
        self.tree.push(list, Stmt::Set { var: self.next, value: block.0 });
    }

    /// Lowers a block and its terminator.
    fn block(&mut self, list: List, block: Block) {
        if !self.cfg.actions_of(block).is_empty() {
            self.tree.push(list, Stmt::Block(block));
        }
        match &self.cfg.blocks[block].terminator {
            Terminator::Goto(target) => self.go(list, *target),
            Terminator::Branch { test, then, otherwise } => {
                let (yes, no) = (self.tree.open(4), self.tree.open(4));
                self.go(yes, *then);
                self.go(no, *otherwise);
                let cond = Cond::Test(*test);
                self.tree.push(list, Stmt::If { cond, negate: false, then: yes, otherwise: no });
            }
            // The target is known only at run time, so each value sets its own next block.
            Terminator::Dispatch { region, targets } => {
                let count = targets.len() as u32; // Range: the targets are blocks.
                let first = self.tree.open_cases(5, count);
                for (case, &target) in (first.0..).map(List).zip(targets) {
                    self.go(case, target);
                }
                self.tree.push(list, Stmt::Switch { var: Var(*region), first, count });
            }
            Terminator::End => {}
        }
    }
}
