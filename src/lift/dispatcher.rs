//! The last tier: a loop over a switch on the program counter, with the control rings in variables.
//! In: any program. Out: IR of one loop whose size is linear in the code. Rules: the control-flow
//! model of `isa::control`, here with its rings as data: newest entry first, so that a push shifts
//! and the oldest falls off.
//!
//! ```text
//! loop { if pc == EXIT { break }  switch pc { case per straight run }  push what it opened  end what ends here }
//! ```
//!
//! A case only records the scope that it opens. The rings change in one place after the switch, so
//! that they do not go through every case.

use super::context::Context;
use super::data::{self, Data};
use super::lanes::{COUNTER, JUMPS, LEFT, SAVED, Slot, SlotSet, VARS};
use super::scope::Builder;
use super::tree::{condition, loop_effect};
use crate::error::{At, Error, Kind as ErrorKind, Result};
use crate::flow::cfg::reach::reach;
use crate::ir::{Binary, HintRegister, Module, Op, Type, Value};
use crate::program::isa::control::{Effect, ScopeKind, Test};
use crate::program::isa::sizes::{CALL_DEPTH, IF_DEPTH, LOOP_DEPTH};
use crate::program::isa::{Flow, Inst, Pc, Program};

/// Value of the program counter after END.
const EXIT: i32 = -1;
/// An address at which no scope ends.
const NOWHERE: i32 = -1;

/// The next word.
const PC: Slot = VARS;
/// The word after the one executed, with which scope ends are compared.
const PASSED: Slot = VARS + 1;
/// 1 after BREAK.
const BROKE: Slot = VARS + 2;
/// The address with which ends of calls are compared: PASSED, then the return address of each call
/// that ended.
const RETURNED: Slot = VARS + 3;
/// The kind of scope that the run opened: [`NOTHING`], [`CALL`], [`IF`] or [`LOOP`].
const OPENED: Slot = VARS + 4;
/// The columns of the new entry: end and return address; end and join; end, start, and the first
/// aL, step and count of the int uniform.
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

const NOTHING: i32 = 0;
const CALL: i32 = 1;
const IF: i32 = 2;
const LOOP: i32 = 3;

/// A ring as variables: its length, and the slots of each column, newest first.
struct Stack<const N: usize> {
    len: Slot,
    columns: [Slot; N],
    depth: usize,
}

impl<const N: usize> Stack<N> {
    fn push(&self, b: &mut Builder, entry: [Value; N]) {
        for (column, value) in self.columns.into_iter().zip(entry) {
            // From the oldest on: each entry moves to the next slot, and the oldest is lost.
            for slot in (column + 1..column + self.depth).rev() {
                b.set(slot, b.get(slot - 1));
            }
            b.write(column, value);
        }
        let len = b.read(self.len);
        let (one, full) = (b.int(1), b.int(self.depth as i32));
        let more = b.int_op(Binary::IAdd, len, one);
        // A full ring keeps its length.
        let below = b.test(Binary::ILess, len, full);
        let len = b.select(below, more, full);
        b.write(self.len, len);
    }
    fn pop(&self, b: &mut Builder) {
        for column in self.columns {
            for slot in column..column + self.depth - 1 {
                b.set(slot, b.get(slot + 1));
            }
        }
        b.step(Binary::ISub, self.len);
    }
    fn not_empty(&self, b: &mut Builder) -> Value {
        let len = b.read(self.len);
        b.test_int(Binary::IGreater, len, 0)
    }
    /// Tests whether the newest entry exists and ends at the address in a slot.
    fn ends_at(&self, b: &mut Builder, address: Slot) -> Value {
        let any = self.not_empty(b);
        let end = b.read(self.columns[0]);
        let address = b.read(address);
        let here = b.test(Binary::IEqual, end, address);
        b.test(Binary::And, any, here)
    }
    fn slots(&self, set: &mut SlotSet) {
        set.insert(self.len);
        for column in self.columns {
            (column..column + self.depth).for_each(|slot| set.insert(slot));
        }
    }
}

/// Lowers any program to a loop over a switch on the program counter, with the control rings in
/// variables.
///
/// # Errors
/// More values than `options.limits.values`, or a reachable undefined opcode.
pub fn lower(context: Context<'_>) -> Result<Module> {
    let leaders = Leaders::find(context.program, context.options.control.permissive)?;
    let (mut b, data) = data::begin(context, SLOTS, context.program.code().len());
    b.read_in_place();
    let is_guarded = context.options.control.loop_guard.is_some();
    let mut slots = assigned(context.program, &leaders, &data);
    if is_guarded {
        slots.insert(JUMPS);
    }
    if let Some(emission) = data.emission {
        emission.begin(&mut b, slots.clone());
    }
    set_int(&mut b, PC, i32::from(context.program.entry().0));
    // Every slot that the loop assigns is a parameter, since any case may follow any other.
    b.open_loop(&slots);
    let pc = b.read(PC);
    let is_done = b.test_int(Binary::IEqual, pc, EXIT);
    b.when(is_done, Builder::leave, |_| {});
    b.open_switch(pc);
    for &start in &leaders.starts {
        b.case(i32::from(start.0));
        run(&mut b, &data, context.program, &leaders, start, is_guarded);
    }
    // An address that starts no run is after the code, where the program ends.
    b.default_case();
    end(&mut b);
    b.close();
    // The order is that of `isa::control`: later rules override the program counter of earlier
    // ones.
    push_opened(&mut b);
    calls_end(&mut b);
    ifs_end(&mut b);
    loops_end(&mut b);
    b.close();
    data::end(b, &data, context)
}

fn set_int(b: &mut Builder, slot: Slot, value: i32) {
    let value = b.int(value);
    b.write(slot, value);
}

/// The starts of runs. A run continues while nothing can jump to, or end at, its next word.
struct Leaders {
    /// Reachable starts, ascending.
    starts: Vec<Pc>,
    /// By address: true if a run starts there.
    is_start: Vec<bool>,
}

impl Leaders {
    fn find(program: &Program<'_>, permissive: bool) -> Result<Self> {
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
        reach(program, |pc, _| {
            seen[pc.index()] = true;
            match program.inst(pc) {
                Some(Inst::Flow(flow)) => targets(flow, pc).into_iter().flatten().for_each(&mut start),
                Some(Inst::Unassigned(opcode)) if !permissive => undefined = undefined.or(Some((opcode, pc))),
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

/// The addresses to which an instruction may lead: its targets, and the end and exit of its scope.
fn targets(flow: Flow, pc: Pc) -> [Option<Pc>; 4] {
    if matches!(flow, Flow::Nop | Flow::End) {
        return [None; 4];
    }
    let scope = flow.scope(pc);
    let (end, exit) = (scope.map(|scope| scope.end), scope.map(|scope| scope.exit));
    [Some(pc.next()), Some(flow.target_if_true(pc)), end, exit]
}

/// Lowers one run: its data instructions, then the control-flow instruction at its end, if there is
/// one.
fn run(
    b: &mut Builder,
    data: &Data<'_>,
    program: &Program<'_>,
    leaders: &Leaders,
    start: Pc,
    is_guarded: bool,
) {
    let mut pc = start;
    loop {
        let Some(inst) = program.inst(pc) else { return end(b) };
        match inst {
            Inst::Flow(Flow::End) => return end(b),
            Inst::Flow(flow) if !matches!(flow, Flow::Nop) => {
                end_word(b, pc);
                return match flow.goes_back(pc) {
                    Some(back) if is_guarded => guarded_control(b, flow, pc, back),
                    Some(_) | None => control(b, flow, pc),
                };
            }
            Inst::Flow(_) | Inst::Unassigned(_) => {}
            Inst::Data { .. } | Inst::Mova { .. } | Inst::Cmp { .. } | Inst::Emit | Inst::SetEmit { .. } => {
                data.lower(b, pc, &inst);
            }
        }
        if leaders.is_start.get(pc.next().index()).is_none_or(|start| *start) {
            return end_word(b, pc);
        }
        pc = pc.next();
    }
}

fn end(b: &mut Builder) {
    set_next(b, EXIT, NOWHERE);
}

/// Ends the run after the word at `pc`; by default the next word follows.
fn end_word(b: &mut Builder, pc: Pc) {
    let next = i32::from(pc.next().0);
    set_next(b, next, next);
}

fn set_next(b: &mut Builder, pc: i32, passed: i32) {
    for (slot, value) in [(PC, pc), (PASSED, passed), (BROKE, 0), (OPENED, NOTHING)] {
        set_int(b, slot, value);
    }
}

/// Lowers a control-flow instruction that jumps back if its test gives `back`: only while back
/// jumps are left.
fn guarded_control(b: &mut Builder, flow: Flow, pc: Pc, back: bool) {
    let left = condition(b, Test::JumpsLeft);
    let mut may = left;
    // Without a test the instruction always jumps, so it always counts.
    let mut counts = b.constant(Type::BOOL, [1, 0, 0, 0]);
    if let Some(test) = flow.test() {
        // `control` evaluates the test again; CSE merges the two.
        let holds = condition(b, test);
        let fails = b.not(holds);
        let stays = if back { fails } else { holds };
        counts = if back { holds } else { fails };
        may = b.test(Binary::Or, left, stays);
    }
    let go = |b: &mut Builder| {
        b.when(counts, |b| loop_effect(b, Effect::CountJump), |_| {});
        control(b, flow, pc);
    };
    b.when(may, go, end);
}

fn control(b: &mut Builder, flow: Flow, pc: Pc) {
    let Some(test) = flow.test() else { return lower_taken(b, flow, pc) };
    let cond = condition(b, test);
    // `end_word` has set the program counter to the next word.
    let otherwise = |b: &mut Builder| match flow.target_if_false(pc) {
        target if target == pc.next() => {}
        target => set_int(b, PC, i32::from(target.0)),
    };
    b.when(cond, |b| lower_taken(b, flow, pc), otherwise);
}

/// Lowers a control-flow instruction whose test holds.
fn lower_taken(b: &mut Builder, flow: Flow, pc: Pc) {
    let address = |pc: Pc| i32::from(pc.0);
    match (flow, flow.scope(pc)) {
        (Flow::Loop { int, .. }, Some(scope)) => {
            let [count, first, step] = [0, 1, 2].map(|component| b.int_uniform(int, component));
            let [end, start] = [scope.end, scope.start].map(|pc| b.int(address(pc)));
            open(b, LOOP, &[end, start, first, step, count]);
        }
        (_, Some(scope)) => {
            let [end, exit] = [scope.end, scope.exit].map(|pc| b.int(address(pc)));
            open(b, if scope.kind == ScopeKind::Call { CALL } else { IF }, &[end, exit]);
        }
        (Flow::Break | Flow::BreakC(_), None) => set_int(b, BROKE, 1),
        (_, None) => {}
    }
    if flow.target_if_true(pc) != pc.next() {
        set_int(b, PC, address(flow.target_if_true(pc)));
    }
}

/// Records the scope that the run opened, and its columns.
fn open(b: &mut Builder, what: i32, entry: &[Value]) {
    set_int(b, OPENED, what);
    for (slot, value) in ENTRY.into_iter().zip(entry) {
        b.write(slot, *value);
    }
}

/// Pushes the scope that the run opened, before any end is compared.
fn push_opened(b: &mut Builder) {
    let opened = b.read(OPENED);
    b.open_switch(opened);
    let entry = |b: &mut Builder, index: usize| b.read(ENTRY[index]);
    b.case(CALL);
    let columns = [entry(b, 0), entry(b, 1)];
    CALLS.push(b, columns);
    b.case(IF);
    let columns = [entry(b, 0), entry(b, 1)];
    IFS.push(b, columns);
    b.case(LOOP);
    let saved = b.read(COUNTER);
    let columns = [entry(b, 0), entry(b, 1), entry(b, 3), entry(b, 4), saved];
    LOOPS.push(b, columns);
    b.set(COUNTER, b.get(ENTRY[2]));
    b.default_case();
    b.close();
}

/// Returns from the calls that end here: up to four at once, of which the fourth loses its return
/// address.
fn calls_end(b: &mut Builder) {
    b.set(RETURNED, b.get(PASSED));
    for depth in 0..CALL_DEPTH {
        let ends = CALLS.ends_at(b, RETURNED);
        b.open_if(ends);
        // The hardware loses the address of the fourth return in one step.
        if depth + 1 < CALL_DEPTH {
            let ret = b.get(CALLS.columns[1]);
            b.set(PC, ret);
            b.set(RETURNED, ret);
        }
        CALLS.pop(b);
    }
    for _ in 0..CALL_DEPTH {
        b.begin_else();
        b.close();
    }
}

fn ifs_end(b: &mut Builder) {
    let ends = IFS.ends_at(b, PASSED);
    let join = |b: &mut Builder| {
        b.set(PC, b.get(IFS.columns[1]));
        IFS.pop(b);
    };
    b.when(ends, join, |_| {});
}

fn loops_end(b: &mut Builder) {
    let any = LOOPS.not_empty(b);
    let end = b.read(LOOPS.columns[0]);
    let address = b.read(PASSED);
    let here = b.test(Binary::IEqual, end, address);
    let broke = b.read(BROKE);
    let broke = b.test_int(Binary::IEqual, broke, 1);
    let either = b.test(Binary::Or, broke, here);
    let ends = b.test(Binary::And, any, either);
    b.when(ends, |b| end_iteration(b, broke), |_| {});
}

fn end_iteration(b: &mut Builder, broke: Value) {
    let counter = b.read(COUNTER);
    let step = b.read(LOOPS.columns[2]);
    let op = Op::Binary(Binary::IAdd, counter, step);
    let counter = b.emit_hint(Type::I32, op, HintRegister::Counter, 1);
    b.write(COUNTER, counter);
    let left = b.read(LEFT);
    let more = b.test_int(Binary::IGreater, left, 0);
    let stays = b.not(broke);
    let repeats = b.test(Binary::And, stays, more);
    let again = |b: &mut Builder| {
        b.step(Binary::ISub, LEFT);
        b.set(PC, b.get(LOOPS.columns[1]));
    };
    let leave = |b: &mut Builder| {
        b.set(PC, b.get(LOOPS.columns[0]));
        // Popping moves the saved counter of the outer loop here, so it is read before.
        let saved = b.get(SAVED);
        LOOPS.pop(b);
        let outer = LOOPS.not_empty(b);
        b.when(outer, |b| b.set(COUNTER, saved), |_| {});
    };
    b.when(repeats, again, leave);
}

/// The slots that any reachable instruction assigns.
fn assigned(program: &Program<'_>, leaders: &Leaders, data: &Data<'_>) -> SlotSet {
    let mut set = SlotSet::default();
    for &start in &leaders.starts {
        let mut pc = start;
        while let Some(inst) = program.inst(pc) {
            data.assigned(pc, &inst, &mut set);
            pc = pc.next();
            let is_last = leaders.is_start.get(pc.index()).is_none_or(|start| *start);
            if is_last || matches!(inst, Inst::Flow(Flow::End)) {
                break;
            }
        }
    }
    // The control slots change in every round.
    for slot in [PC, PASSED, RETURNED, BROKE, OPENED, COUNTER].into_iter().chain(ENTRY) {
        set.insert(slot);
    }
    CALLS.slots(&mut set);
    IFS.slots(&mut set);
    LOOPS.slots(&mut set);
    set
}
