//! Executes a structured program on the interpreter's registers, to show that structuring changes
//! no result.
//! In: [`Tree`] with its [`Cfg`] and program, registers. Out: the registers after it. Knows no
//! control state.

use transpica::Program;
use transpica::interp::Registers;
use transpica::isa::Pc;
use transpica::stages::cfg::{Action, Block, Cfg};
use transpica::stages::structure::tree::{Cond, Cursor, List, Stmt, Tree};

/// Input of a walk.
#[derive(Clone, Copy, Debug)]
pub struct Walk<'a> {
    /// The program.
    pub program: &'a Program<'a>,
    /// Its control-flow graph.
    pub cfg: &'a Cfg,
    /// The tree of the graph.
    pub tree: &'a Tree,
}

/// End of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walked {
    /// The program ended.
    End,
    /// The budget was used up.
    Budget,
}

/// A pending task; the newest is last.
#[derive(Clone, Copy, Debug)]
enum Task {
    /// The statements of a list from a position on.
    List(Cursor),
    /// A loop that repeats when its body ends.
    Loop(List),
    /// A construct that only `break` leaves.
    Breakable,
}

impl Walk<'_> {
    /// Executes the tree, at most `budget` statements, and reports each executed data instruction.
    pub fn run(
        &self,
        registers: &mut Registers,
        budget: u64,
        executed: &mut impl FnMut(Pc, &Registers),
    ) -> Walked {
        let mut vars = vec![0; self.tree.vars as usize];
        let list = |list: List| Task::List(self.tree.start(list));
        let mut tasks: Vec<Task> = self.tree.root.map(list).into_iter().collect();
        let mut left = budget;
        while let Some(task) = tasks.pop() {
            let Some(rest) = left.checked_sub(1) else { return Walked::Budget };
            left = rest;
            let mut cursor = match task {
                Task::List(cursor) => cursor,
                Task::Loop(body) => {
                    tasks.extend([Task::Loop(body), list(body)]);
                    continue;
                }
                Task::Breakable => continue,
            };
            let Some(&stmt) = self.tree.next(&mut cursor) else { continue };
            tasks.push(Task::List(cursor));
            match stmt {
                Stmt::Nothing => {}
                Stmt::Block(block) => self.block(block, registers, &mut vars, executed),
                Stmt::Set { var, value } => vars[var.0 as usize] = value,
                Stmt::If { cond, negate, then, otherwise } => {
                    let holds = match cond {
                        Cond::Test(test) => registers.test(test),
                        Cond::VarIs { var, value } => vars[var.0 as usize] == value,
                    };
                    tasks.push(list(if holds != negate { then } else { otherwise }));
                }
                Stmt::Loop { body, .. } => tasks.push(Task::Loop(body)),
                Stmt::Breakable(body) => tasks.extend([Task::Breakable, list(body)]),
                Stmt::Switch { var, first, count } => {
                    let case = vars[var.0 as usize].min(count.saturating_sub(1));
                    tasks.extend([Task::Breakable, list(List(first.0 + case))]);
                }
                Stmt::Break => while let Some(Task::List(_)) = tasks.pop() {},
                Stmt::Continue => {
                    while let Some(Task::List(_) | Task::Breakable) = tasks.last() {
                        tasks.pop();
                    }
                }
            }
        }
        Walked::End
    }

    fn block(
        &self,
        block: Block,
        registers: &mut Registers,
        vars: &mut [u32],
        executed: &mut impl FnMut(Pc, &Registers),
    ) {
        for action in self.cfg.actions_of(block) {
            match *action {
                Action::Run(pc) => {
                    if let Some(inst) = self.program.inst(pc) {
                        registers.execute(&inst);
                        executed(pc, registers);
                    }
                }
                Action::Loop(effect) => registers.apply(effect),
                Action::SetDispatch { region, value } => vars[region as usize] = value,
            }
        }
    }
}
