//! Lowering of the structured tree by the builder.
//! In: [`Tree`] over a [`Cfg`]. Out: IR. Knows statements and loop effects; `data` knows
//! instructions.

use super::context::Context;
use super::data::{self, Data};
use super::lanes::{COUNTER, FLAGS, JUMPS, LEFT, SAVED, SlotSet, VARS};
use super::scope::Builder;
use crate::error::Result;
use crate::flow::cfg::{Action, Block, Cfg};
use crate::flow::structure::tree::{Cond, Cursor, List, Stmt, Tree};
use crate::ir::{Binary, HintRegister, Module, Op, Type, Value};
use crate::program::isa::control::{Effect, Test};
use crate::program::isa::{Condition, ConditionOp};

/// Remaining work, newest last.
enum Task {
    /// The statements of a list from a cursor on.
    List(Cursor),
    Otherwise,
    Case(u32),
    Default,
    Close,
}

struct Walk<'a> {
    context: Context<'a>,
    cfg: &'a Cfg,
    tree: &'a Tree,
    builder: Builder,
    data: Data<'a>,
    tasks: Vec<Task>,
}

/// Lowers a structured program.
///
/// # Errors
/// More values than `options.limits.values`, or more lanes copied than `options.limits.steps`.
pub fn lower(context: Context<'_>, cfg: &Cfg, tree: &Tree) -> Result<Module> {
    let (mut builder, data) = data::begin(context, VARS + tree.vars as usize, cfg.actions.len());
    if tree.is_dispatcher {
        builder.read_in_place();
    }
    let mut walk = Walk { context, cfg, tree, builder, data, tasks: Vec::new() };
    if let (Some(emission), Some(root)) = (walk.data.emission, tree.root) {
        let assigned = if emission.is_looped() { walk.assigned(root) } else { SlotSet::default() };
        emission.begin(&mut walk.builder, assigned);
    }
    walk.tasks.extend(tree.root.map(|root| Task::List(tree.start(root))));
    while let Some(task) = walk.tasks.pop() {
        walk.run(task);
        walk.builder.check(&context.options.limits)?;
    }
    data::end(walk.builder, &walk.data, context)
}

impl<'a> Walk<'a> {
    fn run(&mut self, task: Task) {
        match task {
            Task::List(cursor) => self.statements(cursor),
            Task::Otherwise => self.builder.begin_else(),
            Task::Case(value) => self.builder.case(value.cast_signed()),
            Task::Default => self.builder.default_case(),
            Task::Close => self.builder.close(),
        }
    }

    /// Lowers statements up to one that nests; the rest of the list becomes a task.
    fn statements(&mut self, mut cursor: Cursor) {
        // Statements after a break or continue are dead.
        while self.builder.reachable()
            && let Some(&stmt) = self.tree.next(&mut cursor)
        {
            match stmt {
                Stmt::Nothing => {}
                Stmt::Block(block) => self.block(block),
                Stmt::Set { var, value } => {
                    let value = self.builder.int(value.cast_signed());
                    self.builder.write(VARS + var.0 as usize, value);
                }
                Stmt::Break => return self.builder.leave(),
                Stmt::Continue => return self.builder.next_iteration(),
                Stmt::If { .. } | Stmt::Loop { .. } | Stmt::Breakable(_) | Stmt::Switch { .. } => {
                    self.tasks.push(Task::List(cursor));
                    return self.nest(stmt);
                }
            }
        }
    }

    /// Makes a list a task.
    fn later(&mut self, list: List) {
        self.tasks.push(Task::List(self.tree.start(list)));
    }

    fn nest(&mut self, stmt: Stmt) {
        // Tasks run newest first, so the end of the construct is pushed first.
        self.tasks.push(Task::Close);
        match stmt {
            Stmt::If { cond, negate, then, otherwise } => {
                let cond = self.cond(cond);
                let cond = negate_unless(&mut self.builder, cond, !negate);
                self.builder.open_if(cond);
                self.later(otherwise);
                self.tasks.push(Task::Otherwise);
                self.later(then);
            }
            Stmt::Loop { body, .. } => {
                // A loop needs its parameters before its body is lowered.
                let assigned = self.assigned(body);
                self.builder.open_loop(&assigned);
                self.later(body);
            }
            Stmt::Breakable(body) => {
                self.builder.open_block();
                self.later(body);
            }
            Stmt::Switch { var, first, count } => {
                let selector = self.builder.read(VARS + var.0 as usize);
                self.builder.open_switch(selector);
                // Any value without a case of its own leads to the last.
                let last = count.saturating_sub(1);
                self.later(List(first.0 + last));
                self.tasks.push(Task::Default);
                for value in (0..last).rev() {
                    self.later(List(first.0 + value));
                    self.tasks.push(Task::Case(value));
                }
            }
            Stmt::Nothing | Stmt::Block(_) | Stmt::Set { .. } | Stmt::Break | Stmt::Continue => {}
        }
    }

    fn block(&mut self, block: Block) {
        for action in self.cfg.actions_of(block) {
            match *action {
                Action::Run(pc) => {
                    if let Some(inst) = self.context.program.inst(pc) {
                        self.data.lower(&mut self.builder, pc, &inst);
                    }
                }
                Action::Loop(effect) => loop_effect(&mut self.builder, effect),
                Action::SetDispatch { region, value } => {
                    let value = self.builder.int(value.cast_signed());
                    self.builder.write(VARS + region as usize, value);
                }
            }
        }
    }

    fn cond(&mut self, cond: Cond) -> Value {
        match cond {
            Cond::Test(test) => condition(&mut self.builder, test),
            Cond::VarIs { var, value } => {
                let var = self.builder.read(VARS + var.0 as usize);
                let value = self.builder.int(value.cast_signed());
                self.builder.test(Binary::IEqual, var, value)
            }
        }
    }

    /// The slots that a list and its inner lists assign.
    fn assigned(&self, list: List) -> SlotSet {
        let mut set = SlotSet::default();
        let mut lists = vec![list];
        while let Some(list) = lists.pop() {
            for stmt in self.tree.statements(list) {
                lists.extend(stmt.lists());
                match *stmt {
                    Stmt::Block(block) => self.assigned_block(block, &mut set),
                    Stmt::Set { var, .. } => set.insert(VARS + var.0 as usize),
                    Stmt::Nothing
                    | Stmt::If { .. }
                    | Stmt::Loop { .. }
                    | Stmt::Breakable(_)
                    | Stmt::Switch { .. }
                    | Stmt::Break
                    | Stmt::Continue => {}
                }
            }
        }
        set
    }

    fn assigned_block(&self, block: Block, set: &mut SlotSet) {
        for action in self.cfg.actions_of(block) {
            match *action {
                Action::Run(pc) => {
                    if let Some(inst) = self.context.program.inst(pc) {
                        self.data.assigned(pc, &inst, set);
                    }
                }
                Action::Loop(effect) => assigned_by_effect(effect, set),
                Action::SetDispatch { region, .. } => set.insert(VARS + region as usize),
            }
        }
    }
}

/// Lowers a change of the loop state.
pub(super) fn loop_effect(b: &mut Builder, effect: Effect) {
    match effect {
        Effect::ShiftLoops => {
            // The oldest loop was lost, so the others move down.
            for slot in 0..3 {
                b.set(LEFT + slot, b.get(LEFT + slot + 1));
                b.set(SAVED + slot, b.get(SAVED + slot + 1));
            }
        }
        Effect::EnterLoop { slot, int } => {
            let slot = usize::from(slot);
            let count = b.int_uniform(int, 0);
            let start = b.int_uniform(int, 1);
            b.write(LEFT + slot, count);
            b.set(SAVED + slot, b.get(COUNTER));
            b.write(COUNTER, start);
        }
        Effect::StepLoop { int } => {
            let counter = b.read(COUNTER);
            let step = b.int_uniform(int, 2);
            let op = Op::Binary(Binary::IAdd, counter, step);
            let counter = b.emit_hint(Type::I32, op, HintRegister::Counter, 1);
            b.write(COUNTER, counter);
        }
        Effect::RepeatLoop { slot } => {
            let left = b.read(LEFT + usize::from(slot));
            let one = b.int(1);
            let op = Op::Binary(Binary::ISub, left, one);
            let left = b.emit_hint(Type::I32, op, HintRegister::LoopLeft(slot), 1);
            b.write(LEFT + usize::from(slot), left);
        }
        // An outer loop continues with its own aL.
        Effect::RestoreCounter { slot } => b.set(COUNTER, b.get(SAVED + usize::from(slot))),
        Effect::CountJump => b.step(Binary::ISub, JUMPS),
    }
}

/// Inserts the slots that [`loop_effect`] assigns.
pub(super) fn assigned_by_effect(effect: Effect, set: &mut SlotSet) {
    match effect {
        Effect::ShiftLoops => {
            set.insert_mask(LEFT, 7);
            set.insert_mask(SAVED, 7);
        }
        Effect::EnterLoop { slot, .. } => {
            set.insert(LEFT + usize::from(slot));
            set.insert(SAVED + usize::from(slot));
            set.insert(COUNTER);
        }
        Effect::StepLoop { .. } | Effect::RestoreCounter { .. } => set.insert(COUNTER),
        Effect::RepeatLoop { slot } => set.insert(LEFT + usize::from(slot)),
        Effect::CountJump => set.insert(JUMPS),
    }
}

/// Lowers a test of the program's own state.
pub(super) fn condition(b: &mut Builder, test: Test) -> Value {
    match test {
        Test::Cmp(condition) => flags(b, condition),
        Test::Bool { id, expected } => {
            let value = b.bool_uniform(id);
            negate_unless(b, value, expected)
        }
        Test::LoopRepeats { slot } => {
            // The body runs x + 1 times: again while some are left.
            let left = b.read(LEFT + usize::from(slot));
            b.test_int(Binary::IGreater, left, 0)
        }
        Test::JumpsLeft => {
            let jumps = b.read(JUMPS);
            b.test_int(Binary::IGreater, jumps, 0)
        }
    }
}

fn flags(b: &mut Builder, condition: Condition) -> Value {
    let wanted = [condition.ref_x, condition.ref_y];
    let mut flag = |index: usize| {
        let value = b.read(FLAGS + index);
        negate_unless(b, value, wanted[index])
    };
    let op = match condition.op {
        ConditionOp::X => return flag(0),
        ConditionOp::Y => return flag(1),
        ConditionOp::Or => Binary::Or,
        // Both flags must have their reference values.
        ConditionOp::And => Binary::And,
    };
    let (x, y) = (flag(0), flag(1));
    b.test(op, x, y)
}

fn negate_unless(b: &mut Builder, value: Value, expected: bool) -> Value {
    if expected { value } else { b.not(value) }
}
