//! Lowering of loops: unrolled, or as LOOP counts them.
//! In: loops of naga. Out: rounds one after the other where constants decide all exits and the
//! budget allows it, else a loop of the IR in the form that LOOP lifts to, with its rounds in an
//! int uniform. Others are errors.
//!
//! ```text
//! loop (left = i0.x, aL = i0.y, ..) { .. ; if left > 0 {} else { break } ; continue left - 1, aL + i0.z }
//! ```

use super::ir::{Binary, Def, Exit, Lane, NodeData, Op, Region, Resource, Type, Value as IrValue, ValueList};
use naga::{BinaryOperator, Block, Expression, Handle, LocalVariable, Span, Statement};

use super::counting::Counted;
use super::data::Data;
use super::error::{Kind, Result};
use super::host::NodeId;
use super::lower::{Counter, LoopContext, Lowering};
use super::statements::Cursor;
use super::value::{Place, Slot, Value};

/// Rounds of an unrolled loop.
const ROUNDS: usize = 256;
/// Rounds that are unrolled whatever their size, where a lowering unrolls at all or nothing else
/// leaves the loop.
const FEW: i64 = 4;

/// A loop of naga and its place.
#[derive(Clone, Copy)]
pub(super) struct Loop<'a> {
    pub(super) body: &'a Block,
    pub(super) continuing: &'a Block,
    pub(super) break_if: Option<Handle<Expression>>,
    pub(super) span: Span,
}

/// State that a loop that is tried may change.
struct Saved {
    variables: Vec<Value>,
    counts: usize,
    region: Region,
    items: usize,
    frames: usize,
    flags: [usize; 3],
    loops: usize,
}

impl<'a> Lowering<'a> {
    pub(super) fn lower_loop(
        &mut self,
        body: &'a Block,
        continuing: &'a Block,
        break_if: Option<Handle<Expression>>,
    ) -> Result<()> {
        let all = Loop { body, continuing, break_if, span: self.span };
        self.has_loops = true;
        let Some(counted) = self.find_count(all)? else { return self.unroll(all) };
        let start = self.variables[counted.slot.0].clone();
        // What comes before the test computes its limit; it changes nothing.
        self.before_test(body, counted.test, &[])?;
        let limit = self.value(counted.limit)?;
        let Some(nodes) = self.nodes([&start, &limit]) else { return self.uncounted(all) };
        self.span = all.span;
        let rounds = self.rounds(&counted, nodes[0], nodes[1]);
        let size = count_expressions(body) + count_expressions(continuing);
        match rounds {
            Some(0) => return Ok(()),
            Some(rounds) if self.is_unrolled(rounds, size, is_left(body, counted.test)) => {
                return self.unroll(all);
            }
            _more => {}
        }
        let node = self.rounds_node(&counted, rounds, nodes[0], nodes[1])?;
        let saved = self.save();
        let run = |this: &mut Self| this.count_loop(all, &counted, nodes[0], node);
        let result = match rounds {
            Some(_) => run(self),
            None => {
                let zero = self.data(Data::int(0));
                let is_any = self.binary(BinaryOperator::Greater, &Value::Host(node), &zero)?;
                self.branch(&is_any, run, |_| Ok(()))
            }
        };
        match result {
            // What only constant indices can do, unrolled rounds can.
            Err(error)
                if matches!(error.kind, Kind::Index(_)) && rounds.is_some_and(|rounds| rounds <= 64) =>
            {
                self.restore(saved);
                self.unroll(all)
            }
            result => result,
        }
    }

    /// Returns whether rounds stand one after the other. Where more than the test leaves a loop,
    /// each of them nests in the one before.
    fn is_unrolled(&self, rounds: i64, size: usize, is_left: bool) -> bool {
        let most = self.options.unroll;
        rounds as usize * size <= most || (rounds <= FEW && (most > 0 || !is_left))
    }

    fn save(&mut self) -> Saved {
        let (frames, region) = (self.frames.len(), self.b.region);
        let frame = self.frame();
        let flags = [frame.flags.len(), frame.breaks.len(), frame.continues.len()];
        Saved {
            variables: self.variables.clone(),
            counts: self.interface.counts.len(),
            region,
            items: self.b.f.regions[region].items.len(),
            frames,
            flags,
            loops: self.loops.len(),
        }
    }

    fn restore(&mut self, saved: Saved) {
        self.variables = saved.variables;
        self.interface.counts.truncate(saved.counts);
        self.b.region = saved.region;
        self.b.f.regions[saved.region].items.truncate(saved.items);
        self.loops.truncate(saved.loops);
        self.frames.truncate(saved.frames);
        let frame = self.frame();
        let [flags, breaks, continues] = saved.flags;
        frame.flags.truncate(flags);
        frame.breaks.truncate(breaks);
        frame.continues.truncate(continues);
    }

    fn uncounted<T>(&mut self, all: Loop<'a>) -> Result<T> {
        self.span = all.span;
        Err(self.error(Kind::Loop))
    }

    /// Rounds one after the other.
    fn unroll(&mut self, all: Loop<'a>) -> Result<()> {
        self.flagged(|this, flags| this.round(all, flags, 0))
    }

    /// The only round of a loop that is always left in it.
    fn once(&mut self, all: Loop<'a>, counted: &Counted) -> Result<()> {
        self.flagged(|this, _| {
            this.before_test(all.body, counted.test, &counted.conditions)?;
            this.run(vec![Cursor::after(all.body, counted.test)])
        })
    }

    /// Lowers rounds with flags for `break` and `continue`.
    fn flagged(&mut self, run: impl FnOnce(&mut Self, [Slot; 2]) -> Result<()>) -> Result<()> {
        let down = self.truth(false);
        let flags @ [broke, continued] = [(); 2].map(|()| self.variable(down.clone()));
        let frame = self.frame();
        frame.flags.extend(flags);
        frame.breaks.push(broke);
        frame.continues.push(continued);
        run(self, flags)?;
        let frame = self.frame();
        frame.flags.truncate(frame.flags.len() - 2);
        frame.breaks.pop();
        frame.continues.pop();
        self.variables[broke.0] = down;
        Ok(())
    }

    /// Rounds from one on, each after the other; where a flag decides, inside of a branch.
    fn round(&mut self, all: Loop<'a>, flags: [Slot; 2], first: usize) -> Result<()> {
        let [broke, continued] = flags;
        for round in first..=ROUNDS {
            if round == ROUNDS {
                return self.uncounted(all);
            }
            self.run(vec![Cursor::new(all.body)])?;
            let returned = self.frame().returned;
            self.variables[continued.0] = self.truth(false);
            let (a, b) = (self.variables[broke.0].clone(), self.variables[returned.0].clone());
            let mut leaves = self.binary(BinaryOperator::LogicalOr, &a, &b)?;
            match self.known_truth(&leaves) {
                Some(true) => return Ok(()),
                Some(false) => {}
                None => return self.rest_of_rounds(&leaves, all, flags, round),
            }
            self.run(vec![Cursor::new(all.continuing)])?;
            if let Some(condition) = all.break_if {
                leaves = self.value(condition)?;
                match self.known_truth(&leaves) {
                    Some(true) => return Ok(()),
                    Some(false) => {}
                    None => return self.uncounted(all),
                }
            }
        }
        Ok(())
    }

    fn rest_of_rounds(
        &mut self,
        leaves: &Value,
        all: Loop<'a>,
        flags: [Slot; 2],
        round: usize,
    ) -> Result<()> {
        // Rounds without a known end would nest without end.
        if all.break_if.is_some() || round >= 16 {
            return self.uncounted(all);
        }
        let alive = self.unary(naga::UnaryOperator::LogicalNot, leaves)?;
        let returned = self.frame().returned;
        let next = |this: &mut Self| {
            let down = this.truth(false);
            this.variables[flags[0].0] = down.clone();
            this.variables[returned.0] = down;
            this.run(vec![Cursor::new(all.continuing)])?;
            this.deeper(|this| this.round(all, flags, round + 1))
        };
        self.branch(&alive, next, |_| Ok(()))
    }

    /// Lowers a loop that LOOP counts.
    fn count_loop(&mut self, all: Loop<'a>, counted: &Counted, start: NodeId, node: NodeId) -> Result<()> {
        self.span = all.span;
        let saved = self.save();
        let name = self.rounds_name(node);
        let count = self.count(name, node)?;
        let [left, address, step] = [0, 1, 2].map(|component| {
            let register = Resource::IntUniform { index: count as u8, component };
            self.b.read(Type::I32, Op::Read(register))
        });
        let carried = self.changed(all)?;
        let last =
            if has_return(all.body) { vec![self.frame().result, self.frame().returned] } else { Vec::new() };
        let (mut inits, mut params) = (vec![left, address], self.b.define(&[Type::I32; 2], Def::Param));
        for slot in &carried {
            let groups = self.groups(&self.variables[slot.0].clone())?;
            let values: Vec<_> = groups.iter().map(|lanes| self.b.gather(lanes)).collect();
            let types: Vec<Type> = values.iter().map(|&value| self.b.f.ty(value)).collect();
            inits.extend(values);
            let new = self.b.define(&types, Def::Param);
            let mut lanes: Vec<Lane> = new.iter().flat_map(|&value| self.b.lanes(value)).rev().collect();
            self.variables[slot.0] = self.rebuilt(&self.variables[slot.0].clone(), &mut lanes)?;
            params.extend(new);
        }
        let outer = self.b.region;
        let region = self.b.new_region();
        self.b.region = region;
        let counter = self.counter(counted, start, count, params[1])?;
        // An error leaves the frames of the functions that it comes from.
        self.flagged(|this, [broke, continued]| {
            let (body, frame, ended) = (region, this.frames.len(), false);
            this.loops.push(LoopContext { body, frame, broke, carried, last, ended, counter });
            this.run_round(all, counted, continued)
        })?;
        let context = self.loops.pop();
        self.b.region = outer;
        let Some(context) = context else { return self.internal("a loop that is not open") };
        if context.ended {
            self.restore(saved);
            return self.once(all, counted);
        }
        self.close_loop(&context, step, inits, params)
    }

    /// The body from the test on, and what continues it.
    fn run_round(&mut self, all: Loop<'a>, counted: &Counted, continued: Slot) -> Result<()> {
        self.before_test(all.body, counted.test, &counted.conditions)?;
        self.run(vec![Cursor::after(all.body, counted.test)])?;
        self.leave_loop()?;
        self.variables[continued.0] = self.truth(false);
        if self.loops.last().is_some_and(|context| context.ended) {
            return Ok(());
        }
        self.run(vec![Cursor::new(all.continuing)])
    }

    /// Lowers what stands before a test, except its conditions. LOOP makes the test: its limit
    /// needs no float register.
    fn before_test(&mut self, body: &'a Block, test: usize, conditions: &[Handle<Expression>]) -> Result<()> {
        for statement in body.iter().take(test) {
            if let Statement::Emit(range) = statement {
                let mut needed = range.clone().filter(|handle| !conditions.contains(handle));
                needed.try_for_each(|handle| self.emit_one(handle))?;
            }
        }
        Ok(())
    }

    fn close_loop(
        &mut self,
        context: &LoopContext,
        step: IrValue,
        inits: Vec<IrValue>,
        params: Vec<IrValue>,
    ) -> Result<()> {
        let groups = self.exit_groups(context)?;
        let types: Vec<Type> =
            groups.iter().map(|lanes| self.b.f.ty(lanes[0].value()).with_lanes(lanes.len() as u8)).collect();
        let outer = std::mem::replace(&mut self.b.region, context.body);
        let zero = self.b.emit(Type::I32, Op::Const([0; 4]));
        let one = self.b.emit(Type::I32, Op::Const([1, 0, 0, 0]));
        let address = self.b.emit(Type::I32, Op::Binary(Binary::IAdd, params[1], step));
        let cond = self.b.emit(Type::BOOL, Op::Binary(Binary::IGreater, params[0], zero));
        let (then, otherwise) = (self.b.new_region(), self.b.new_region());
        self.b.f.regions[then].exit = Exit::Yield(ValueList::EMPTY);
        self.b.end(otherwise, &groups, Exit::Break);
        self.b.add(NodeData::If { cond, then, otherwise, results: ValueList::EMPTY });
        let left = self.b.emit(Type::I32, Op::Binary(Binary::ISub, params[0], one));
        let mut next = vec![vec![Lane::new(left, 0)], vec![Lane::new(address, 0)]];
        next.extend(self.groups_of(context.carried.iter())?);
        self.b.region = outer;
        self.b.end(context.body, &next, Exit::Continue);
        let results = self.b.define(&types, Def::Result);
        let mut lanes: Vec<Lane> = results.iter().flat_map(|&value| self.b.lanes(value)).rev().collect();
        for slot in context.carried.iter().chain(&context.last) {
            self.variables[slot.0] = self.rebuilt(&self.variables[slot.0].clone(), &mut lanes)?;
        }
        let [params, inits, results] = [params, inits, results].map(|list| self.b.f.list(list));
        self.b.add(NodeData::Loop { params, inits, body: context.body, results });
        Ok(())
    }

    /// The counter, if aL can follow the variable.
    fn counter(
        &mut self,
        counted: &Counted,
        start: NodeId,
        count: usize,
        address: IrValue,
    ) -> Result<Option<Counter>> {
        let variable = self.variables[counted.slot.0].clone();
        let (_, lanes) = self.lanes(&variable)?;
        let start = self.host.constant(start).and_then(Data::whole);
        let (Some(start), Some(step)) = (start, counted.step.whole()) else { return Ok(None) };
        Ok(Some(Counter { lane: lanes[0], address, start, step, count, stride: None }))
    }

    /// Groups of lanes that an exit of a loop gives.
    pub(super) fn exit_groups(&mut self, context: &LoopContext) -> Result<Vec<Vec<Lane>>> {
        self.groups_of(context.carried.iter().chain(&context.last))
    }

    fn groups_of<'s>(&mut self, slots: impl Iterator<Item = &'s Slot>) -> Result<Vec<Vec<Lane>>> {
        let mut groups = Vec::new();
        for slot in slots {
            groups.extend(self.groups(&self.variables[slot.0].clone())?);
        }
        Ok(groups)
    }

    /// The lanes of a value, a column in each group.
    fn groups(&mut self, value: &Value) -> Result<Vec<Vec<Lane>>> {
        let mut groups = Vec::new();
        let mut work = vec![value.clone()];
        while let Some(value) = work.pop() {
            if let Value::Many(all) = &value {
                work.extend(all.iter().rev().cloned());
                continue;
            }
            let (shape, lanes) = self.lanes(&value)?;
            groups.extend(lanes.chunks(shape.rows.into()).map(<[Lane]>::to_vec));
        }
        Ok(groups)
    }

    /// A value of the same form with other lanes, the first at the end.
    fn rebuilt(&mut self, value: &Value, lanes: &mut Vec<Lane>) -> Result<Value> {
        if let Value::Many(all) = value {
            return Value::many(all.iter().map(|value| self.deeper(|this| this.rebuilt(value, lanes))));
        }
        let shape = self.shape(value)?;
        if lanes.len() < shape.lanes() {
            return self.internal("lanes are missing after a loop");
        }
        let mut own = lanes.split_off(lanes.len() - shape.lanes());
        own.reverse();
        Ok(Value::lanes(shape, own))
    }

    /// Variables that a loop changes, by stores or through pointers.
    pub(super) fn changed(&mut self, Loop { body, continuing, .. }: Loop<'a>) -> Result<Vec<Slot>> {
        let mut pointers = Vec::new();
        let mut calls = false;
        for statement in statements(&[body, continuing]) {
            match statement {
                Statement::Store { pointer, .. } => pointers.push(*pointer),
                Statement::Call { arguments, .. } => {
                    calls = true;
                    pointers.extend(arguments);
                }
                _other => {}
            }
        }
        let mut slots = Vec::new();
        for pointer in pointers {
            if let Some(Value::Pointer(place)) = root_value(self, pointer) {
                slots.extend(place.root.slot());
            }
        }
        // A function that is called may change any private variable.
        if calls {
            slots.extend(self.globals.values().filter_map(|root| root.slot()));
        }
        slots.sort_unstable();
        slots.dedup();
        Ok(slots)
    }
}

/// The pointer at the root of one, where it is a variable or an argument.
pub(super) fn root_value(lowering: &mut Lowering<'_>, mut handle: Handle<Expression>) -> Option<Value> {
    let expressions = lowering.frame().expressions;
    loop {
        match &expressions[handle] {
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => handle = *base,
            Expression::FunctionArgument(index) => {
                return lowering.frame().arguments.get(*index as usize).cloned();
            }
            Expression::GlobalVariable(global) => {
                let root = *lowering.globals.get(&global.index())?;
                return Some(Value::Pointer(Place { root, path: Vec::new() }.into()));
            }
            Expression::LocalVariable(local) => return lowering.local(*local).ok(),
            _other => return None,
        }
    }
}

/// The local variable at the root of a pointer.
pub(super) fn root(
    expressions: &naga::Arena<Expression>,
    mut handle: Handle<Expression>,
) -> Option<Handle<LocalVariable>> {
    loop {
        match &expressions[handle] {
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => handle = *base,
            Expression::LocalVariable(local) => return Some(*local),
            _other => return None,
        }
    }
}

/// All statements of blocks, nested ones too.
pub(super) fn statements<'a>(blocks: &[&'a Block]) -> Vec<&'a Statement> {
    spanned(blocks).into_iter().map(|(statement, ..)| statement).collect()
}

/// The same, with their places and depths.
pub(super) fn spanned<'a>(blocks: &[&'a Block]) -> Vec<(&'a Statement, Span, usize)> {
    let mut all = Vec::new();
    let mut work: Vec<(&Block, usize)> = blocks.iter().map(|block| (*block, 1)).collect();
    while let Some((block, depth)) = work.pop() {
        for (statement, span) in block.span_iter() {
            all.push((statement, *span, depth));
            work.extend(inner(statement).into_iter().map(|block| (block, depth + 1)));
        }
    }
    all
}

/// The blocks of a statement.
pub(super) fn inner(statement: &Statement) -> Vec<&Block> {
    match statement {
        Statement::Block(block) => vec![block],
        Statement::If { accept: a, reject: b, .. } | Statement::Loop { body: a, continuing: b, .. } => {
            vec![a, b]
        }
        Statement::Switch { cases, .. } => cases.iter().map(|case| &case.body).collect(),
        _other => Vec::new(),
    }
}

fn count_expressions(block: &Block) -> usize {
    let emitted = |statement: &&Statement| match statement {
        Statement::Emit(range) => range.clone().count(),
        _other => 1,
    };
    statements(&[block]).iter().map(emitted).sum()
}

/// Returns whether a loop is left by more than its test.
fn is_left(body: &Block, test: usize) -> bool {
    let mut work: Vec<&Statement> = body.iter().skip(test + 1).collect();
    while let Some(statement) = work.pop() {
        match statement {
            Statement::Break => return true,
            Statement::Block(inner) => work.extend(inner.iter()),
            Statement::If { accept, reject, .. } => work.extend(accept.iter().chain(reject.iter())),
            // A `break` in a loop or `switch` leaves that one.
            _other => {}
        }
    }
    has_return(body)
}

fn has_return(block: &Block) -> bool {
    statements(&[block]).iter().any(|statement| matches!(statement, Statement::Return { .. }))
}
