//! The last tier: a loop over a switch on the program counter, with the control stacks in variables.
//! In: any program. Out: IR of one loop whose size is linear in the code. Rules: the control-flow model of
//! `isa::control`, here with its rings as data: newest entry first, so that a push shifts and the oldest falls off.
//!
//! ```text
//! loop { if pc == EXIT { break }  switch pc { case per straight run }  push what it opened  end what ends here }
//! ```
//!
//! A case only says what it opens; the rings change in one place behind the switch, so that they do not go through every
//! case.

use super::data::Data;
use super::lanes::{COUNTER, JUMPS, LEFT, SAVED, Slot, SlotSet, VARS};
use super::scope::Builder;
use super::tree::{condition, loop_effect};
use super::{Context, geometry, outputs};
use crate::cfg::reach::reach;
use crate::error::{At, Error, Kind as ErrorKind, Result};
use crate::ir::{Binary, HintRegister, Lane, Module, Op, Type, Unary, Value};
use crate::isa::control::{Effect, Test};
use crate::isa::limits::{CALL_DEPTH, IF_DEPTH, LOOP_DEPTH};
use crate::isa::{Flow, Inst, Pc, Program};

/// Value of the program counter after END.
const EXIT: i32 = -1;
/// An address that no scope ends at.
const NOWHERE: i32 = -1;

/// Next word to execute.
const PC: Slot = VARS;
/// The word after the one executed; scope ends are compared with it.
const PASSED: Slot = VARS + 1;
/// 1 after BREAK.
const BROKE: Slot = VARS + 2;
/// The address that ends of calls are compared with: PASSED, then the return address of each call that ended.
const RETURNED: Slot = VARS + 3;
/// What the run opened: [`NOTHING`], [`CALL`], [`IF`] or [`LOOP`].
const OPENED: Slot = VARS + 4;
/// The columns of what it opened, as far as they are not the same for all: end and return address; end and join; end,
/// start, and the first aL, step and count of the int uniform.
const ENTRY: [Slot; 5] = [VARS + 5, VARS + 6, VARS + 7, VARS + 8, VARS + 9];
/// Columns: end, return address.
const CALLS: Stack<2> =
    Stack { len: VARS + 10, columns: [VARS + 11, VARS + 11 + CALL_DEPTH], depth: CALL_DEPTH };
const CALLS_END: Slot = CALLS.columns[1] + CALL_DEPTH;
/// Columns: end, join.
const IFS: Stack<2> =
    Stack { len: CALLS_END, columns: [CALLS_END + 1, CALLS_END + 1 + IF_DEPTH], depth: IF_DEPTH };
const IFS_END: Slot = IFS.columns[1] + IF_DEPTH;
/// Columns: end, start, step of aL, iterations left, saved aL.
const LOOPS: Stack<5> = Stack {
    len: IFS_END,
    columns: [IFS_END + 1, IFS_END + 1 + LOOP_DEPTH, IFS_END + 1 + 2 * LOOP_DEPTH, LEFT, SAVED],
    depth: LOOP_DEPTH,
};
/// Number of slots.
const SLOTS: usize = LOOPS.columns[2] + LOOP_DEPTH;

/// The guard against endless loops.
#[derive(Clone, Copy)]
struct Guard {
    /// Whether the jump that ends the program counts as well.
    reports: bool,
}

const NOTHING: i32 = 0;
const CALL: i32 = 1;
const IF: i32 = 2;
const LOOP: i32 = 3;

/// A ring as variables: its length, and for each column the slots newest first.
struct Stack<const N: usize> {
    len: Slot,
    columns: [Slot; N],
    depth: usize,
}

impl<const N: usize> Stack<N> {
    fn push(&self, b: &mut Builder, entry: [Value; N]) {
        for (column, value) in self.columns.into_iter().zip(entry) {
            for slot in (column + 1..column + self.depth).rev() {
                b.set(slot, b.get(slot - 1));
            }
            b.set(column, Lane::new(value, 0));
        }
        let len = b.scalar(b.get(self.len));
        let (one, full) = (b.int(1), b.int(self.depth as i32));
        let more = b.emit(Type::I32, Op::Binary(Binary::IAdd, len, one));
        let below = b.emit(Type::BOOL, Op::Binary(Binary::ILess, len, full));
        let len = b.emit(Type::I32, Op::Select { cond: below, a: more, b: full });
        b.set(self.len, Lane::new(len, 0));
    }
    fn pop(&self, b: &mut Builder) {
        for column in self.columns {
            for slot in column..column + self.depth - 1 {
                b.set(slot, b.get(slot + 1));
            }
        }
        let len = b.scalar(b.get(self.len));
        let one = b.int(1);
        let len = b.emit(Type::I32, Op::Binary(Binary::ISub, len, one));
        b.set(self.len, Lane::new(len, 0));
    }
    fn not_empty(&self, b: &mut Builder) -> Value {
        let len = b.scalar(b.get(self.len));
        let zero = b.int(0);
        b.emit(Type::BOOL, Op::Binary(Binary::IGreater, len, zero))
    }
    /// Whether there is an entry and it ends at the address in a slot.
    fn ends_at(&self, b: &mut Builder, address: Slot) -> Value {
        let any = self.not_empty(b);
        let end = b.scalar(b.get(self.columns[0]));
        let address = b.scalar(b.get(address));
        let here = b.emit(Type::BOOL, Op::Binary(Binary::IEqual, end, address));
        b.emit(Type::BOOL, Op::Binary(Binary::And, any, here))
    }
    fn slots(&self, set: &mut SlotSet) {
        set.insert(self.len);
        for column in self.columns {
            (column..column + self.depth).for_each(|slot| set.insert(slot));
        }
    }
}

pub(super) fn lower(context: Context<'_>) -> Result<Module> {
    let leaders = Leaders::find(context.program, context.options.control.lenient)?;
    let (slots, emission) = geometry::slots(context, SLOTS);
    let portable = context.options.arithmetic.portable_exponentials;
    let data = Data { constants: context.constants, portable, emission };
    let mut b = Builder::new(context.options, slots, context.program.code().len());
    let guard = context
        .options
        .control
        .loop_guard
        .map(|_| Guard { reports: context.options.control.report_unfinished });
    let mut slots = assigned(context.program, &leaders, &data);
    if guard.is_some() {
        slots.insert(JUMPS);
    }
    if let Some(emission) = emission {
        emission.begin(&mut b, slots.clone());
    }
    set_int(&mut b, PC, i32::from(context.program.entry().0));
    b.open_loop(&slots);
    let pc = b.scalar(b.get(PC));
    let exit = b.int(EXIT);
    let done = b.emit(Type::BOOL, Op::Binary(Binary::IEqual, pc, exit));
    b.open_if(done);
    b.leave();
    b.otherwise();
    b.close();
    b.open_switch(pc);
    for &start in &leaders.starts {
        b.case(vec![i32::from(start.0)]);
        run(&mut b, &data, context.program, &leaders, start, guard);
    }
    b.default_case();
    end(&mut b);
    b.close();
    push_opened(&mut b);
    calls_end(&mut b);
    ifs_end(&mut b);
    loops_end(&mut b);
    b.close();
    let values = match emission {
        Some(emission) => emission.end(&mut b),
        None => outputs::values(&mut b, context.outputs, context.options),
    };
    let main = b.finish_function(&values, &context.options.limits)?;
    Ok(Module { main, helpers: Vec::new() })
}

fn set_int(b: &mut Builder, slot: Slot, value: i32) {
    let value = b.int(value);
    b.set(slot, Lane::new(value, 0));
}

/// Where runs of instructions start. A run goes on while nothing can jump to, or end at, its next word.
struct Leaders {
    /// Reachable starts, ascending.
    starts: Vec<Pc>,
    /// By address: whether a run starts there.
    is_start: Vec<bool>,
}

impl Leaders {
    fn find(program: &Program<'_>, lenient: bool) -> Result<Self> {
        let words = program.code().len();
        let mut is_start = vec![false; words];
        let mut seen = vec![false; words];
        let mut undefined = None;
        let mut start = |pc: Pc| {
            if let Some(mark) = is_start.get_mut(pc.index()) {
                *mark = true;
            }
        };
        start(program.entry());
        reach(program, |pc, _, _| {
            seen[pc.index()] = true;
            match program.inst(pc) {
                Some(Inst::Flow(flow)) => targets(flow, pc).into_iter().flatten().for_each(&mut start),
                Some(Inst::Unassigned(opcode)) if !lenient => undefined = undefined.or(Some((opcode, pc))),
                Some(Inst::Data { .. } | Inst::Mova { .. } | Inst::Cmp { .. }) => {}
                Some(Inst::Emit | Inst::SetEmit { .. } | Inst::Unassigned(_)) | None => {}
            }
        });
        if let Some((opcode, pc)) = undefined {
            return Err(Error::new(ErrorKind::BadOpcode(opcode), At::Pc(pc.0)));
        }
        let starts = (0..words).filter(|&pc| is_start[pc] && seen[pc]).map(|pc| Pc(pc as u16)).collect();
        Ok(Self { starts, is_start })
    }
}

/// The addresses to which an instruction may lead: where it goes, and where the scope that it opens
/// ends and goes.
fn targets(flow: Flow, pc: Pc) -> [Option<Pc>; 4] {
    if matches!(flow, Flow::Nop | Flow::End) {
        return [None; 4];
    }
    let scope = flow.scope(pc);
    let (end, exit) = (scope.map(|scope| scope.end), scope.map(|scope| scope.exit));
    [Some(pc.next()), Some(flow.taken(pc)), end, exit]
}

/// Lowers one run: its data instructions, then the control instruction that ends it, if one does.
fn run(
    b: &mut Builder,
    data: &Data<'_>,
    program: &Program<'_>,
    leaders: &Leaders,
    start: Pc,
    guard: Option<Guard>,
) {
    let mut pc = start;
    loop {
        let Some(inst) = program.inst(pc) else { return end(b) };
        match inst {
            Inst::Flow(Flow::End) => return end(b),
            Inst::Flow(flow) if !matches!(flow, Flow::Nop) => {
                passed(b, pc);
                return guarded(b, flow, pc, guard);
            }
            Inst::Flow(_) | Inst::Unassigned(_) => {}
            Inst::Data { .. } | Inst::Mova { .. } | Inst::Cmp { .. } | Inst::Emit | Inst::SetEmit { .. } => {
                data.lower(b, &inst);
            }
        }
        if leaders.is_start.get(pc.next().index()).is_none_or(|start| *start) {
            return passed(b, pc);
        }
        pc = pc.next();
    }
}

fn end(b: &mut Builder) {
    set_int(b, PC, EXIT);
    set_int(b, PASSED, NOWHERE);
    set_int(b, BROKE, 0);
    set_int(b, OPENED, NOTHING);
}

/// The word at `pc` was executed; by default the next one follows.
fn passed(b: &mut Builder, pc: Pc) {
    set_int(b, PC, i32::from(pc.next().0));
    set_int(b, PASSED, i32::from(pc.next().0));
    set_int(b, BROKE, 0);
    set_int(b, OPENED, NOTHING);
}

/// Steers; before a jump back, if those are counted, asks whether there may be one more.
fn guarded(b: &mut Builder, flow: Flow, pc: Pc, guard: Option<Guard>) {
    let (Some(back), Some(guard)) = (flow.goes_back(pc), guard) else { return steer(b, flow, pc) };
    let left = condition(b, Test::JumpsLeft);
    let mut may = left;
    let mut counts = b.constant(Type::BOOL, [1, 0, 0, 0]);
    if let Some(test) = flow.test() {
        // The question is answered again by what steers; equal values become one.
        let holds = condition(b, test);
        let fails = b.emit(Type::BOOL, Op::Unary(Unary::Not, holds));
        let stays = if back { fails } else { holds };
        counts = if back { holds } else { fails };
        may = b.emit(Type::BOOL, Op::Binary(Binary::Or, left, stays));
    }
    let go = |b: &mut Builder| {
        when_value(b, counts, |b| loop_effect(b, Effect::CountJump), |_| {});
        steer(b, flow, pc);
    };
    let stop = |b: &mut Builder| {
        if guard.reports {
            loop_effect(b, Effect::CountJump);
        }
        end(b);
    };
    when_value(b, may, go, stop);
}

fn steer(b: &mut Builder, flow: Flow, pc: Pc) {
    match flow {
        Flow::Nop | Flow::End => {}
        Flow::Break => set_int(b, BROKE, 1),
        Flow::BreakC(condition) => when(b, Test::Cmp(condition), |b| set_int(b, BROKE, 1), |_| {}),
        Flow::Call { target, length } => call(b, pc, target, length),
        Flow::CallC { condition, target, length } => {
            when(b, Test::Cmp(condition), |b| call(b, pc, target, length), |_| {});
        }
        Flow::CallU { bool, target, length } => {
            let test = Test::Bool { id: bool, expected: true };
            when(b, test, |b| call(b, pc, target, length), |_| {});
        }
        Flow::IfC { condition, target, length } => branch(b, Test::Cmp(condition), target, length),
        Flow::IfU { bool, target, length } => {
            branch(b, Test::Bool { id: bool, expected: true }, target, length);
        }
        Flow::Loop { int, last } => enter_loop(b, int, pc, last),
        Flow::JmpC { condition, target } => {
            when(b, Test::Cmp(condition), |b| set_int(b, PC, i32::from(target.0)), |_| {});
        }
        Flow::JmpU { bool, expected, target } => {
            let test = Test::Bool { id: bool, expected };
            when(b, test, |b| set_int(b, PC, i32::from(target.0)), |_| {});
        }
    }
}

fn when(b: &mut Builder, test: Test, then: impl FnOnce(&mut Builder), otherwise: impl FnOnce(&mut Builder)) {
    let cond = condition(b, test);
    when_value(b, cond, then, otherwise);
}

fn when_value(
    b: &mut Builder,
    cond: Value,
    then: impl FnOnce(&mut Builder),
    otherwise: impl FnOnce(&mut Builder),
) {
    b.open_if(cond);
    then(b);
    b.otherwise();
    otherwise(b);
    b.close();
}

/// Notes what the run opened and its columns.
fn open(b: &mut Builder, what: i32, entry: &[Value]) {
    set_int(b, OPENED, what);
    for (slot, value) in ENTRY.into_iter().zip(entry) {
        b.set(slot, Lane::new(*value, 0));
    }
}

fn call(b: &mut Builder, pc: Pc, target: Pc, length: u8) {
    let end = b.int(i32::from(target.0) + i32::from(length));
    let ret = b.int(i32::from(pc.next().0));
    open(b, CALL, &[end, ret]);
    set_int(b, PC, i32::from(target.0));
}

fn branch(b: &mut Builder, test: Test, target: Pc, length: u8) {
    let then = |b: &mut Builder| {
        let end = b.int(i32::from(target.0));
        let join = b.int(i32::from(target.0) + i32::from(length));
        open(b, IF, &[end, join]);
    };
    when(b, test, then, |b| set_int(b, PC, i32::from(target.0)));
}

fn enter_loop(b: &mut Builder, int: u8, pc: Pc, last: Pc) {
    let [count, first, step] = [0, 1, 2].map(|component| b.int_uniform(int, component));
    let end = b.int(i32::from(last.next().0));
    let start = b.int(i32::from(pc.next().0));
    open(b, LOOP, &[end, start, first, step, count]);
}

/// Pushes what the run opened, before anything is compared with the address passed.
fn push_opened(b: &mut Builder) {
    let opened = b.scalar(b.get(OPENED));
    b.open_switch(opened);
    let entry = |b: &mut Builder, index: usize| b.scalar(b.get(ENTRY[index]));
    b.case(vec![CALL]);
    let columns = [entry(b, 0), entry(b, 1)];
    CALLS.push(b, columns);
    b.case(vec![IF]);
    let columns = [entry(b, 0), entry(b, 1)];
    IFS.push(b, columns);
    b.case(vec![LOOP]);
    let saved = b.scalar(b.get(COUNTER));
    let columns = [entry(b, 0), entry(b, 1), entry(b, 3), entry(b, 4), saved];
    LOOPS.push(b, columns);
    b.set(COUNTER, b.get(ENTRY[2]));
    b.default_case();
    b.close();
}

/// Up to four calls may end at once; the fourth loses its return address.
fn calls_end(b: &mut Builder) {
    b.set(RETURNED, b.get(PASSED));
    for depth in 0..CALL_DEPTH {
        let ends = CALLS.ends_at(b, RETURNED);
        b.open_if(ends);
        if depth + 1 < CALL_DEPTH {
            let ret = b.get(CALLS.columns[1]);
            b.set(PC, ret);
            b.set(RETURNED, ret);
        }
        CALLS.pop(b);
    }
    for _ in 0..CALL_DEPTH {
        b.otherwise();
        b.close();
    }
}

fn ifs_end(b: &mut Builder) {
    let ends = IFS.ends_at(b, PASSED);
    let then = |b: &mut Builder| {
        b.set(PC, b.get(IFS.columns[1]));
        IFS.pop(b);
    };
    when_value(b, ends, then, |_| {});
}

fn loops_end(b: &mut Builder) {
    let any = LOOPS.not_empty(b);
    let end = b.scalar(b.get(LOOPS.columns[0]));
    let address = b.scalar(b.get(PASSED));
    let here = b.emit(Type::BOOL, Op::Binary(Binary::IEqual, end, address));
    let (broke, one) = (b.scalar(b.get(BROKE)), b.int(1));
    let broke = b.emit(Type::BOOL, Op::Binary(Binary::IEqual, broke, one));
    let either = b.emit(Type::BOOL, Op::Binary(Binary::Or, broke, here));
    let ends = b.emit(Type::BOOL, Op::Binary(Binary::And, any, either));
    when_value(b, ends, |b| iteration_ends(b, broke), |_| {});
}

fn iteration_ends(b: &mut Builder, broke: Value) {
    let counter = b.scalar(b.get(COUNTER));
    let step = b.scalar(b.get(LOOPS.columns[2]));
    let op = Op::Binary(Binary::IAdd, counter, step);
    let counter = b.emit_hint(Type::I32, op, HintRegister::Counter, 1);
    b.set(COUNTER, Lane::new(counter, 0));
    let (left, zero) = (b.scalar(b.get(LEFT)), b.int(0));
    let more = b.emit(Type::BOOL, Op::Binary(Binary::IGreater, left, zero));
    let stays = b.emit(Type::BOOL, Op::Unary(Unary::Not, broke));
    let repeats = b.emit(Type::BOOL, Op::Binary(Binary::And, stays, more));
    let again = |b: &mut Builder| {
        let one = b.int(1);
        let left = b.emit(Type::I32, Op::Binary(Binary::ISub, left, one));
        b.set(LEFT, Lane::new(left, 0));
        b.set(PC, b.get(LOOPS.columns[1]));
    };
    let leave = |b: &mut Builder| {
        b.set(PC, b.get(LOOPS.columns[0]));
        let saved = b.get(SAVED);
        LOOPS.pop(b);
        let outer = LOOPS.not_empty(b);
        when_value(b, outer, |b| b.set(COUNTER, saved), |_| {});
    };
    when_value(b, repeats, again, leave);
}

/// The slots that any reachable instruction assigns.
fn assigned(program: &Program<'_>, leaders: &Leaders, data: &Data<'_>) -> SlotSet {
    let mut set = SlotSet::default();
    for &start in &leaders.starts {
        let mut pc = start;
        while let Some(inst) = program.inst(pc) {
            data.assigned(&inst, &mut set);
            pc = pc.next();
            if matches!(inst, Inst::Flow(Flow::End)) {
                break;
            }
            if leaders.is_start.get(pc.index()).is_none_or(|start| *start) {
                break;
            }
        }
    }
    for slot in [PC, PASSED, RETURNED, BROKE, OPENED, COUNTER].into_iter().chain(ENTRY) {
        set.insert(slot);
    }
    CALLS.slots(&mut set);
    IFS.slots(&mut set);
    LOOPS.slots(&mut set);
    set
}
