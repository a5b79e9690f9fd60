//! Constructs as instructions of control flow, and where outputs are written.
//! In: a function and its outputs. Out: [`Code`] with parallel copies at the ends of regions.
//! Rules: pica200.md §5. BREAKC only in the body of its loop, never in an IF.

use crate::ir::walk::{self, Walk};
use crate::ir::{Exit, Func, Item, Lane, Node, NodeData, Op, Region, ScalarKind, Value, ValueList};
use transpica::isa::Mask;

use super::Surroundings;
use super::code::{Code, Source, Step, Target, Test, Var};
use super::conditions::Comparison;
use super::error::Error;
use super::loops::{Shape, leaving, shape};
use super::pack::Packing;
use super::select::{Operand, Root, Select};
use super::vertices::Sent;

/// Contents of a0 and the flags.
#[derive(Clone, Copy)]
struct State {
    address: [Option<Lane>; 2],
    flags: [Option<Comparison>; 2],
}

/// An open construct.
struct Frame {
    node: Node,
    kind: Kind,
    before: State,
    /// At the end of the first arm.
    after_first: Option<State>,
    copies: usize,
}

enum Kind {
    If,
    /// An `if` that leaves the loop around it.
    Leaving,
    /// A block that ends at its end.
    Block,
    Loop(Open),
}

/// An open loop.
struct Open {
    shape: Shape,
    /// The label that it jumps back to, if nothing counts it, and the test for that.
    label: Option<u32>,
    again: Option<Test>,
    /// Copies after it.
    deferred: Vec<Step>,
}

/// Components of outputs that are written together, once these values exist.
struct Write {
    lanes: Vec<(Target, Operand)>,
    missing: Vec<Value>,
}

/// Choices of a selection that may make a program shorter or need fewer registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Strategy {
    /// Keep copies of uniforms and inputs for later operands.
    pub reuses: bool,
    /// Most MAD and DPH.
    pub fusions: usize,
    /// Compute 0 and 1 instead of constants.
    pub computes: bool,
    /// Join instructions.
    pub packing: Packing,
    /// Fuse products and sums although an operand must be copied then.
    pub copies: bool,
    /// Keep addresses in both components of a0.
    pub spreads: bool,
    /// Keep the sign of zeros, and which operand of MIN and MAX a NaN gives.
    pub is_exact: bool,
}

/// Selects the instructions of a function, in which some values stand for nothing.
pub(super) fn run<'a>(
    f: &'a Func,
    undefined: Vec<Value>,
    surroundings: &'a Surroundings,
    strategy: Strategy,
) -> Result<(Code, u32), Error> {
    let Surroundings { outputs, carried, .. } = surroundings;
    let select = Select::new(f, undefined, carried, strategy);
    let sent = Sent::default();
    let mut flow = Flow { select, frames: Vec::new(), writes: Vec::new(), labels: 0, outputs, sent };
    flow.prepare_writes(outputs);
    let mut walk = Walk::new(f);
    while let Some(step) = walk.next(f) {
        if !matches!(step, walk::Step::Let(_)) {
            flow.sent = Sent::default();
        }
        match step {
            walk::Step::Let(value) => {
                flow.select.pc = flow.select.place(value).pc.or(flow.select.pc);
                match f.op(value) {
                    Some(Op::Submit { args }) => flow.submit(value, args)?,
                    _other => flow.select.value(value)?,
                }
                flow.select.exists[value.0 as usize] = true;
                flow.written(&[value])?;
            }
            walk::Step::Enter(node) => {
                flow.enter(node)?;
                flow.select.now_exist(f.nodes[node].params(), true);
            }
            walk::Step::Begin(_) => flow.begin(),
            walk::Step::End(region) => {
                flow.end(region)?;
                flow.select.ends(region);
            }
            walk::Step::Leave(node) => {
                flow.leave(node)?;
                flow.select.now_exist(f.nodes[node].results(), true);
                let results = f.get(f.nodes[node].results()).to_vec();
                flow.written(&results)?;
            }
        }
    }
    Ok((flow.select.code, flow.labels))
}

pub(super) struct Flow<'a> {
    pub select: Select<'a>,
    frames: Vec<Frame>,
    writes: Vec<Write>,
    labels: u32,
    /// Registers of the outputs.
    pub outputs: &'a [(u8, Mask)],
    pub sent: Sent,
}

impl Flow<'_> {
    fn state(&self) -> State {
        State { address: self.select.address, flags: self.select.flags }
    }
    fn set_state(&mut self, state: State) {
        (self.select.address, self.select.flags) = (state.address, state.flags);
    }

    /// Plans where outputs are written: a lane that nothing else reads right after it is computed,
    /// the others of a register together.
    fn prepare_writes(&mut self, outputs: &[(u8, Mask)]) {
        let f = self.select.f;
        let Some(Exit::Yield(list)) = f.body.map(|body| f.regions[body].exit) else { return };
        // A geometry program yields what it carries over, which `keep` writes.
        if !self.select.code.pins.is_empty() {
            return;
        }
        for (&value, &(register, mask)) in f.get(list).iter().zip(outputs) {
            let mut late: Vec<(Target, Operand)> = Vec::new();
            for (lane, component) in (0u8..).zip(mask.iter()) {
                let target = Target::Output { register, component: component as u8 };
                let operand = self.select.operand(value, lane);
                match operand {
                    (Root::Value(lane), false)
                        if self.select.uses.of(lane) == 1 && f.op(lane.value()).is_some() =>
                    {
                        self.writes
                            .push(Write { lanes: vec![(target, operand)], missing: vec![lane.value()] });
                    }
                    _other => late.push((target, operand)),
                }
            }
            let mut missing: Vec<Value> = late
                .iter()
                .filter_map(|&(_, (root, _))| match root {
                    Root::Value(lane) => Some(lane.value()),
                    Root::Relative { address, .. } => Some(address.value()),
                    _other => None,
                })
                .collect();
            missing.sort_unstable();
            missing.dedup();
            if !late.is_empty() {
                self.writes.push(Write { lanes: late, missing });
            }
        }
    }

    /// Writes the outputs for which these values were missing.
    fn written(&mut self, values: &[Value]) -> Result<(), Error> {
        if !self.frames.is_empty() {
            return Ok(());
        }
        let ready = self.writes.extract_if(.., |write| {
            let count = write.missing.len();
            write.missing.retain(|value| !values.contains(value));
            write.missing.is_empty() && count > 0
        });
        // Lanes of one value stay together.
        let all = ready.flat_map(|write| write.lanes).collect();
        self.copy(all)
    }

    pub(super) fn copy(&mut self, mut lanes: Vec<(Target, Operand)>) -> Result<(), Error> {
        if lanes.is_empty() {
            return Ok(());
        }
        let mut addresses: Vec<Lane> = Vec::new();
        for (_, operand) in &mut lanes {
            let Root::Relative { address, .. } = operand.0 else { continue };
            if !addresses.contains(&address) && !addresses.is_empty() {
                *operand = self.select.moved(&[*operand])?[0];
            } else if !addresses.contains(&address) {
                addresses.push(address);
            }
        }
        let copies: Result<Vec<(Target, Source)>, Error> =
            lanes.into_iter().map(|(target, operand)| Ok((target, self.select.pin(operand)?))).collect();
        self.select.code.steps.push(Step::Copy(copies?));
        Ok(())
    }

    fn unsupported(&self, what: &str, value: Option<Value>) -> Result<(), Error> {
        let place = value.map_or_else(Default::default, |value| self.select.place(value));
        Err(Error::unsupported(what, place))
    }

    fn enter(&mut self, node: Node) -> Result<(), Error> {
        let f = self.select.f;
        let kind = match &f.nodes[node] {
            NodeData::If { cond, .. } => {
                let is_in_loop = matches!(self.frames.last(), Some(Frame { kind: Kind::Loop(_), .. }));
                if is_in_loop && leaving(f, node).is_some() {
                    Kind::Leaving
                } else {
                    self.begin_test(node, *cond);
                    let test = self.select.test(Lane::new(*cond, 0), true)?;
                    self.select.code.steps.push(Step::If(test));
                    Kind::If
                }
            }
            NodeData::Loop { params, inits, results, .. } => {
                let Some(shape) = shape(f, node) else {
                    let first = f.get(*params).first().copied();
                    return self.unsupported("a loop that is left in other ways", first);
                };
                self.copy_list(*params, *inits, &shape.kept)?;
                let (kept, after) = (f.get(*params).iter().zip(&shape.kept), f.get(*results).iter());
                let hidden = kept.chain(after.zip(&shape.after)).filter(|(_, is_hidden)| **is_hidden);
                self.select.hidden.extend(hidden.map(|(&value, _)| value));
                let label = shape.int.is_none().then_some(self.labels);
                self.labels += u32::from(label.is_some());
                self.select.code.steps.push(match (shape.int, label) {
                    (Some(int), _) => Step::Loop(int),
                    (None, label) => Step::Label(label.unwrap_or_default()),
                });
                // A loop that jumps keeps the aL of the one around it.
                let outer = self.select.counters.last().copied().flatten();
                let counter = if shape.int.is_some() { shape.counter } else { outer };
                self.select.counters.push(counter);
                self.select.counted = None;
                self.set_state(State { address: [None; 2], flags: [None; 2] });
                Kind::Loop(Open { shape, label, again: None, deferred: Vec::new() })
            }
            NodeData::Block { .. } => Kind::Block,
            NodeData::Switch { selector, .. } => return self.unsupported("a switch", Some(*selector)),
        };
        let (before, copies) = (self.state(), self.select.copies());
        self.frames.push(Frame { node, kind, before, after_first: None, copies });
        Ok(())
    }

    /// Begins the instructions that test a condition: their place is that of the `if`, which its
    /// results have, and not that of the last value before it.
    fn begin_test(&mut self, node: Node, cond: Value) {
        let results = self.select.f.get(self.select.f.nodes[node].results());
        let mut values = results.iter().chain([&cond]);
        self.select.pc = values.find_map(|&value| self.select.place(value).pc).or(self.select.pc);
    }

    fn begin(&mut self) {
        let Some(frame) = self.frames.last() else { return };
        if matches!(frame.kind, Kind::If) && frame.after_first.is_some() {
            let before = frame.before;
            self.select.code.steps.push(Step::Else);
            self.set_state(before);
        }
    }

    fn end(&mut self, region: Region) -> Result<(), Error> {
        let f = self.select.f;
        let exit = f.regions[region].exit;
        let Some(frame) = self.frames.last() else {
            let rest: Vec<(Target, Operand)> = self.writes.drain(..).flat_map(|write| write.lanes).collect();
            self.copy(rest)?;
            return self.keep(exit);
        };
        let (copies, stays) = (frame.copies, matches!(frame.kind, Kind::Leaving | Kind::Block));
        match exit {
            Exit::Yield(list) => {
                let results = self.results();
                self.copy_list(results, list, &[])?;
            }
            Exit::Break(list) if matches!(frame.kind, Kind::Leaving) => self.leave_loop(list)?,
            Exit::Continue(list) if matches!(frame.kind, Kind::Loop(_)) => self.next(list)?,
            Exit::Break(list) | Exit::Continue(list) => {
                let value = f.get(list).first().copied();
                return self.unsupported("leaving a loop or block from inside of others", value);
            }
            Exit::Unreachable => return self.unsupported("a part that never ends", None),
        }
        let state = self.state();
        if !stays {
            self.select.leave_copies(copies);
        }
        if let Some(frame) = self.frames.last_mut()
            && frame.after_first.is_none()
        {
            frame.after_first = Some(state);
        }
        Ok(())
    }

    /// Leaves what later invocations read in its registers.
    fn keep(&mut self, exit: Exit) -> Result<(), Error> {
        let values = self.select.f.get(exit.list()).iter();
        let pins = self.select.code.pins.iter();
        let copies =
            pins.zip(values).map(|(&(var, _), &value)| (Target::Var(var), self.select.operand(value, 0)));
        let copies = copies.collect();
        self.copy(copies)
    }

    /// The results of the innermost construct.
    fn results(&self) -> ValueList {
        self.frames.last().map_or(ValueList::EMPTY, |frame| self.select.f.nodes[frame.node].results())
    }

    fn leave(&mut self, node: Node) -> Result<(), Error> {
        let f = self.select.f;
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        match frame.kind {
            Kind::If => {
                self.select.code.steps.push(Step::EndIf);
                let (first, second) = (frame.after_first.unwrap_or(frame.before), self.state());
                let same =
                    |n: usize| (first.address[n] == second.address[n]).then_some(first.address[n]).flatten();
                let same_flag =
                    |n: usize| (first.flags[n] == second.flags[n]).then_some(first.flags[n]).flatten();
                self.set_state(State { address: [0, 1].map(same), flags: [0, 1].map(same_flag) });
            }
            Kind::Block => {}
            Kind::Leaving => self.leaving_test(node)?,
            Kind::Loop(open) => {
                self.select.counters.pop();
                let results = f.get(f.nodes[node].results());
                let after = results.iter().zip(&open.shape.after).find(|(_, is_after)| **is_after);
                // Around it, another loop has its own aL.
                self.select.counted =
                    after.map(|(&value, _)| value).filter(|_| self.select.counters.is_empty());
                self.select.code.steps.push(match (open.label, open.again) {
                    (Some(label), Some(test)) => Step::JumpIf(label, test),
                    _counted => Step::EndLoop,
                });
                self.select.code.steps.extend(open.deferred);
                self.select.leave_copies(frame.copies);
                self.set_state(State { address: [None; 2], flags: [None; 2] });
            }
        }
        Ok(())
    }

    /// The test of an `if` that leaves a loop.
    fn leaving_test(&mut self, node: Node) -> Result<(), Error> {
        let f = self.select.f;
        let (Some((_, is_first)), NodeData::If { cond, .. }) = (leaving(f, node), &f.nodes[node]) else {
            return Ok(());
        };
        let Some(Frame { kind: Kind::Loop(open), .. }) = self.frames.last() else { return Ok(()) };
        let (is_tail, is_counted) = (open.shape.tail == node, open.label.is_none());
        if is_tail && is_counted {
            return Ok(());
        }
        self.begin_test(node, *cond);
        let mut test = self.select.test(Lane::new(*cond, 0), is_first)?;
        if !is_tail {
            // BREAKC tests flags alone.
            if let Test::Bool { id, expected } = test {
                test = self.select.bool_flag(id, expected)?;
            }
            self.select.code.steps.push(Step::BreakIf(test));
        } else if let Some(Frame { kind: Kind::Loop(open), .. }) = self.frames.last_mut() {
            open.again = Some(test.negated());
        }
        Ok(())
    }

    /// Gives a loop its results. They are written in each round, where the loop is left or not; if
    /// there is one way out, only after it.
    fn leave_loop(&mut self, list: ValueList) -> Result<(), Error> {
        let f = self.select.f;
        let Some(depth) = self.frames.len().checked_sub(2) else { return Ok(()) };
        let Frame { node, kind: Kind::Loop(open), .. } = &self.frames[depth] else { return Ok(()) };
        let node = *node;
        let params = f.get(f.nodes[node].params());
        // What they read must not change at the end of the last round.
        let is_stable = |&value: &Value| {
            (0..f.ty(value).lanes).all(|lane| {
                let lane = self.select.truth(Lane::new(value, lane), true).0;
                match self.select.number(lane).map(|(root, _)| root) {
                    Some(Root::Value(lane)) => !params.contains(&lane.value()),
                    Some(Root::Relative { .. }) => false,
                    Some(_other) => true,
                    // A truth value, which is a number of its own unless something gives it.
                    None => f.op(lane.value()).is_some(),
                }
            })
        };
        let defers = open.shape.exits == 0 && f.get(list).iter().all(is_stable);
        let (results, after) = (f.nodes[node].results(), open.shape.after.clone());
        let first = self.select.code.steps.len();
        self.copy_list(results, list, &after)?;
        if defers && let Kind::Loop(open) = &mut self.frames[depth].kind {
            let is_copy = |step: &Step| matches!(step, Step::Copy(_));
            while self.select.code.steps.len() > first && self.select.code.steps.last().is_some_and(is_copy) {
                open.deferred.extend(self.select.code.steps.pop());
            }
        }
        Ok(())
    }

    /// The next round of the innermost loop.
    fn next(&mut self, list: ValueList) -> Result<(), Error> {
        let Some(Frame { node, kind: Kind::Loop(open), .. }) = self.frames.last() else { return Ok(()) };
        let (params, kept) = (self.select.f.nodes[*node].params(), open.shape.kept.clone());
        let first = self.select.code.steps.len();
        self.copy_list(params, list, &kept)?;
        // One copy for results and parameters: equal values can then share a variable.
        if self.select.code.steps.len() == first + 1
            && let [.., Step::Copy(results), next] = &mut self.select.code.steps[..]
            && !reads_target(next, results)
            && let mut results = std::mem::take(results)
            && let Some(Step::Copy(copies)) = self.select.code.steps.pop()
        {
            results.extend(copies);
            if let Some(last) = self.select.code.steps.last_mut() {
                *last = Step::Copy(results);
            }
        }
        Ok(())
    }

    /// Copies values to those that take them, except some.
    fn copy_list(&mut self, takers: ValueList, values: ValueList, except: &[bool]) -> Result<(), Error> {
        let f = self.select.f;
        let mut copies = Vec::new();
        for (n, (&taker, &value)) in f.get(takers).iter().zip(f.get(values)).enumerate() {
            if except.get(n) == Some(&true) || self.select.undefined.contains(&taker) {
                continue;
            }
            for lane in 0..f.ty(taker).lanes {
                let to = Lane::new(taker, lane);
                if self.select.uses.of(to) > 0 && !self.select.undefined.contains(&value) {
                    let operand = self.select.argument(Lane::new(value, lane))?;
                    copies.push((Target::Var(self.select.var(to)), operand));
                }
            }
        }
        self.copy(copies)
    }
}

impl Select<'_> {
    /// Notes that values exist, or that they no longer do.
    fn now_exist(&mut self, list: ValueList, exist: bool) {
        for value in self.f.get(list) {
            self.exists[value.0 as usize] = exist;
        }
    }

    /// Notes that the values of a region no longer exist.
    fn ends(&mut self, region: Region) {
        let f = self.f;
        for item in &f.regions[region].items {
            match *item {
                Item::Let(value) => self.exists[value.0 as usize] = false,
                Item::Node(node) => self.now_exist(f.nodes[node].results(), false),
            }
        }
    }

    /// A value of any kind as a float.
    fn argument(&mut self, lane: Lane) -> Result<Operand, Error> {
        if self.f.ty(lane.value()).kind == ScalarKind::Bool {
            return self.truth_number(lane.value(), lane.index(), 0);
        }
        let place = self.place(lane.value());
        self.number(lane).ok_or_else(|| Error::unsupported("an integer that control flow chooses", place))
    }

    /// Selects a choice between two values.
    pub fn select(
        &mut self,
        value: Value,
        lanes: &[u8],
        cond: Value,
        a: Value,
        b: Value,
    ) -> Result<(), Error> {
        for &lane in lanes {
            let var: Var = self.var(Lane::new(value, lane));
            // It may need a0 itself.
            let test = self.test(Lane::new(cond, lane), true)?;
            let mut operands = [self.argument(Lane::new(a, lane))?, self.argument(Lane::new(b, lane))?];
            // One address at a time.
            if let [(Root::Relative { address: x, .. }, _), (Root::Relative { address: y, .. }, _)] =
                operands[..]
                && x != y
            {
                operands[0] = self.moved(&operands[..1])?[0];
            }
            let copy = |source: Source| Step::Copy(vec![(Target::Var(var), source)]);
            let (first, second) = (copy(self.pin(operands[0])?), copy(self.pin(operands[1])?));
            self.code.steps.extend([Step::If(test), first, Step::Else, second, Step::EndIf]);
        }
        Ok(())
    }
}

/// Returns whether a step reads what copies write.
fn reads_target(step: &Step, copies: &[(Target, Source)]) -> bool {
    let mut reads = false;
    step.for_each_source(|source| {
        reads |=
            copies.iter().any(|&(target, _)| target.as_var().is_some() && target.as_var() == source.as_var());
    });
    reads
}
