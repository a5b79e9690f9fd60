//! Lowering of statements: branches, switches, early exits, calls.
//! In: blocks of naga. Out: constructs of the IR. A condition that the host knows as a constant
//! takes one arm. What follows a branch goes into the arm that reaches it, where the other one
//! leaves; else flags say whether the rest runs. Loops are in `loops`.

use super::ir::{Def, Exit, Item, Lane, NodeData, Region, ValueList};
use naga::{Block, Expression, Function, Handle, Span, Statement, SwitchCase, SwitchValue};

use super::data::{Data, Scalar, Shape};
use super::error::{DISCARD, Kind, Result, TEXTURES};
use super::host::Node;
use super::lower::{Frame, LoopContext, Lowering};
use super::value::{Slot, Value, ir_type};

/// Values in each arm of a branch that only computes truth values.
const LOGIC: usize = 12;

/// The rest of a block.
#[derive(Clone)]
pub(super) struct Cursor<'a> {
    block: &'a Block,
    next: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(block: &'a Block) -> Self {
        Self { block, next: 0 }
    }

    /// The rest after a statement.
    pub(super) fn after(block: &'a Block, index: usize) -> Self {
        Self { block, next: index + 1 }
    }

    fn next(&mut self) -> Option<(&'a Statement, Span)> {
        let statement = self.block.get(self.next)?;
        let span = self.block.span_iter().nth(self.next).map_or(Span::UNDEFINED, |(_, span)| *span);
        self.next += 1;
        Some((statement, span))
    }
}

/// Lanes that two arms of a branch give, and the values that take them.
#[derive(Default)]
struct Merge {
    then: Vec<Vec<Lane>>,
    otherwise: Vec<Vec<Lane>>,
    results: Vec<super::ir::Value>,
}

impl<'a> Lowering<'a> {
    /// Inlines a function and returns its result.
    pub(super) fn inline(&mut self, function: &'a Function, arguments: Vec<Value>) -> Result<Value> {
        let scope = self.variables.len();
        let result = match &function.result {
            Some(result) => self.zero(result.ty)?,
            None => Value::Many(Vec::new().into()),
        };
        let result = self.variable(result);
        let running = self.truth(false);
        let returned = self.variable(running);
        let (names, variables) = (Some(&function.named_expressions), Some(&function.local_variables));
        let (flags, frame) = (vec![returned], Frame::new(&function.expressions));
        self.frames.push(Frame { arguments, result, returned, flags, names, variables, ..frame });
        for (handle, local) in function.local_variables.iter() {
            self.step(function.local_variables.get_span(handle))?;
            let value = match local.init {
                Some(init) => self.value(init)?,
                None => self.zero(local.ty)?,
            };
            let slot = self.variable(value);
            self.frame().locals.push(slot);
        }
        self.run(vec![Cursor::new(&function.body)])?;
        self.frames.pop();
        let value = self.variables[result.0].clone();
        self.variables.truncate(scope);
        Ok(value)
    }

    /// Runs statements, those of the innermost block first.
    pub(super) fn run(&mut self, work: Vec<Cursor<'a>>) -> Result<()> {
        self.deeper(|this| this.run_all(work))
    }

    fn run_all(&mut self, mut work: Vec<Cursor<'a>>) -> Result<()> {
        while let Some(top) = work.last_mut() {
            let Some((statement, span)) = top.next() else {
                work.pop();
                continue;
            };
            self.step(span)?;
            if let Statement::Block(block) = statement {
                work.push(Cursor::new(block));
                continue;
            }
            if let Statement::If { condition, accept, reject } = statement {
                let condition = self.value(*condition)?;
                let (leaves, stays) = (ends(accept), ends(reject));
                if (leaves || stays) && !self.leaves_at_once(accept, reject) {
                    let with = |rest: bool, block: &'a Block| {
                        let mut all = if rest { work.clone() } else { Vec::new() };
                        all.push(Cursor::new(block));
                        all
                    };
                    let (then, otherwise) = (with(!leaves, accept), with(!stays, reject));
                    return self.branch(&condition, |this| this.run(then), |this| this.run(otherwise));
                }
                let run = |block: &'a Block| move |this: &mut Self| this.run(vec![Cursor::new(block)]);
                self.branch(&condition, run(accept), run(reject))?;
            } else {
                self.statement(statement)?;
            }
            if !self.goes_on(&mut work)? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Returns whether a branch can end a round of a loop where it stands: at the level of the
    /// body.
    fn leaves_at_once(&self, accept: &Block, reject: &Block) -> bool {
        let is_body = self.loops.last().is_some_and(|context| context.body == self.b.region);
        let continues = |block: &Block| matches!(block.last(), Some(Statement::Continue));
        is_body && !continues(accept) && !continues(reject)
    }

    /// Returns whether the rest of a block runs here: it does not after an exit, and where a flag
    /// decides it runs in a branch of its own.
    fn goes_on(&mut self, work: &mut Vec<Cursor<'a>>) -> Result<bool> {
        self.leave_loop()?;
        let flags = self.raised();
        if flags.is_empty() {
            return Ok(true);
        }
        let mut any = self.truth(false);
        for &flag in &flags {
            let flag = self.variables[flag.0].clone();
            any = self.binary(naga::BinaryOperator::LogicalOr, &any, &flag)?;
        }
        if self.known_truth(&any) == Some(true) {
            return Ok(false);
        }
        let alive = self.unary(naga::UnaryOperator::LogicalNot, &any)?;
        let rest = std::mem::take(work);
        let lowered = |this: &mut Self| {
            let down = this.truth(false);
            flags.iter().for_each(|flag| this.variables[flag.0] = down.clone());
            this.run(rest)
        };
        self.branch(&alive, lowered, |_| Ok(()))?;
        Ok(false)
    }

    /// Flags of the current function that may be true.
    fn raised(&mut self) -> Vec<Slot> {
        let flags = self.frame().flags.clone();
        let may_be = |flag: &Slot| self.known_truth(&self.variables[flag.0]) != Some(false);
        flags.into_iter().filter(may_be).collect()
    }

    fn raise(&mut self, flag: impl Fn(&Frame<'a>) -> Option<Slot>) -> Result<()> {
        let Some(flag) = flag(self.frame()) else { return self.internal("a jump outside of a loop") };
        self.variables[flag.0] = self.truth(true);
        Ok(())
    }

    fn statement(&mut self, statement: &'a Statement) -> Result<()> {
        match statement {
            Statement::Emit(range) => self.emit(range.clone()),
            Statement::Switch { selector, cases } => self.switch(*selector, cases),
            Statement::Loop { body, continuing, break_if } => self.lower_loop(body, continuing, *break_if),
            Statement::Break => self.raise(|frame| frame.breaks.last().copied()),
            Statement::Continue => self.raise(|frame| frame.continues.last().copied()),
            Statement::Return { value } => {
                if let Some(value) = value {
                    let (value, result) = (self.value(*value)?, self.frame().result);
                    self.variables[result.0] = value;
                }
                self.raise(|frame| Some(frame.returned))
            }
            Statement::Store { pointer, value } => {
                self.name_stored(*pointer, *value)?;
                let (pointer, value) = (self.value(*pointer)?, self.value(*value)?);
                self.stored.push((value.clone(), self.b.place()));
                self.store(&pointer, value)
            }
            Statement::Call { function, arguments, result } => {
                let arguments = arguments.iter().map(|&arg| self.value(arg)).collect::<Result<Vec<_>>>()?;
                let value = self.deeper(|this| this.inline(&this.module.functions[*function], arguments))?;
                if let Some(result) = result {
                    self.set(*result, value);
                }
                Ok(())
            }
            Statement::Block(_) | Statement::If { .. } => self.internal("a construct in the wrong place"),
            Statement::Kill => self.operation(DISCARD),
            Statement::ImageStore { .. } | Statement::ImageAtomic { .. } => {
                Err(self.error(Kind::Resource(TEXTURES.into())))
            }
            Statement::Atomic { .. } | Statement::ControlBarrier(_) | Statement::MemoryBarrier(_) => {
                self.operation("atomic operations and barriers")
            }
            _other => self.operation("this statement"),
        }
    }

    /// Runs one of two arms, and merges the variables that differ after them.
    pub(super) fn branch(
        &mut self,
        condition: &Value,
        then: impl FnOnce(&mut Self) -> Result<()>,
        otherwise: impl FnOnce(&mut Self) -> Result<()>,
    ) -> Result<()> {
        match self.known_truth(condition) {
            Some(true) => return then(self),
            Some(false) => return otherwise(self),
            None => {}
        }
        let before = self.variables.clone();
        let (outer, span) = (self.b.region, self.span);
        let first = self.b.new_region();
        self.b.region = first;
        then(self)?;
        let after_then = std::mem::replace(&mut self.variables, before);
        let second = self.b.new_region();
        self.b.region = second;
        otherwise(self)?;
        let after_otherwise = std::mem::take(&mut self.variables);
        self.b.region = outer;
        self.begin(span);
        if self.is_logic(condition, [first, second], &after_then, &after_otherwise) {
            return self.merge_logic(condition, [first, second], after_then, after_otherwise);
        }
        let mut merge = Merge::default();
        for (a, b) in after_then.into_iter().zip(after_otherwise) {
            let merged = self.merge(condition, &a, &b, &mut merge)?;
            self.variables.push(merged);
        }
        let is_empty = |region| self.b.f.regions[region].items.is_empty();
        if merge.results.is_empty() && is_empty(first) && is_empty(second) {
            return Ok(());
        }
        let cond = self.condition(condition)?;
        self.b.end(first, &merge.then, Exit::Yield);
        self.b.end(second, &merge.otherwise, Exit::Yield);
        let results = self.b.f.list(merge.results);
        self.b.add(NodeData::If { cond, then: first, otherwise: second, results });
        Ok(())
    }

    /// Returns whether a branch only computes truth values, as `&&` and `||` do: then both arms may
    /// run.
    fn is_logic(&self, condition: &Value, arms: [Region; 2], then: &[Value], otherwise: &[Value]) -> bool {
        let is_short = arms.iter().all(|&arm| {
            let items = &self.b.f.regions[arm].items;
            items.len() <= LOGIC && items.iter().all(|item| matches!(item, Item::Let(_)))
        });
        let mut differ = then.iter().zip(otherwise).filter(|(a, b)| a != b).peekable();
        let is_flag = |value: &Value| match value {
            Value::Host(id) => self.host.shape(*id) == Shape::scalar(Scalar::Bool),
            Value::Lanes(shape, _) => *shape == Shape::scalar(Scalar::Bool),
            Value::Many(_) | Value::Pointer(_) => false,
        };
        let is_dynamic = matches!(condition, Value::Lanes(..));
        is_dynamic && is_short && differ.peek().is_some() && differ.all(|(a, b)| is_flag(a) && is_flag(b))
    }

    /// Runs both arms where they stand, and combines their truth values.
    fn merge_logic(
        &mut self,
        condition: &Value,
        arms: [Region; 2],
        then: Vec<Value>,
        otherwise: Vec<Value>,
    ) -> Result<()> {
        for arm in arms {
            let items = std::mem::take(&mut self.b.f.regions[arm].items);
            self.b.f.regions[self.b.region].items.extend(items);
        }
        for (a, b) in then.into_iter().zip(otherwise) {
            let merged = if a == b { a } else { self.combine(condition, &a, &b)? };
            self.variables.push(merged);
        }
        Ok(())
    }

    /// `condition ? a : b` of truth values.
    fn combine(&mut self, condition: &Value, a: &Value, b: &Value) -> Result<Value> {
        use naga::BinaryOperator::{LogicalAnd, LogicalOr};
        let not = |this: &mut Self| this.unary(naga::UnaryOperator::LogicalNot, condition);
        match (self.known_truth(a), self.known_truth(b)) {
            (Some(true), _) => self.binary(LogicalOr, condition, b),
            (_, Some(false)) => self.binary(LogicalAnd, condition, a),
            (Some(false), _) => {
                let inverted = not(self)?;
                self.binary(LogicalAnd, &inverted, b)
            }
            (_, Some(true)) => {
                let inverted = not(self)?;
                self.binary(LogicalOr, &inverted, a)
            }
            (None, None) => self.select(condition, a, b),
        }
    }

    /// The value of a variable after a branch.
    fn merge(&mut self, condition: &Value, a: &Value, b: &Value, merge: &mut Merge) -> Result<Value> {
        if a == b {
            return Ok(a.clone());
        }
        if let (Value::Many(x), Value::Many(y)) = (a, b) {
            let pairs = x.iter().zip(y.iter());
            return Value::many(pairs.map(|(x, y)| self.deeper(|this| this.merge(condition, x, y, merge))));
        }
        if self.nodes([condition, a, b]).is_some() {
            return self.select(condition, a, b);
        }
        let shape = self.shape(a)?;
        // A flag that an arm sets is the condition.
        match (self.known_truth(a), self.known_truth(b)) {
            (Some(true), Some(false)) => return Ok(condition.clone()),
            (Some(false), Some(true)) => return self.unary(naga::UnaryOperator::LogicalNot, condition),
            _other => {}
        }
        let ((_, x), (_, y)) = (self.lanes(a)?, self.lanes(b)?);
        let mut lanes = x.clone();
        let rows = usize::from(shape.rows);
        for start in (0..lanes.len()).step_by(rows) {
            let differ: Vec<usize> = (start..start + rows).filter(|&lane| x[lane] != y[lane]).collect();
            if differ.is_empty() {
                continue;
            }
            let ty = ir_type(shape.scalar, differ.len());
            let result = self.b.define(&[ty], Def::Result)[0];
            merge.then.push(differ.iter().map(|&lane| x[lane]).collect());
            merge.otherwise.push(differ.iter().map(|&lane| y[lane]).collect());
            merge.results.push(result);
            differ.iter().zip(self.b.lanes(result)).for_each(|(&lane, new)| lanes[lane] = new);
        }
        Ok(Value::lanes(shape, lanes))
    }

    /// A switch, as a chain of branches; what `break` leaves has a flag.
    fn switch(&mut self, selector: Handle<Expression>, cases: &'a [SwitchCase]) -> Result<()> {
        let selector = self.value(selector)?;
        let down = self.truth(false);
        let flag = self.variable(down.clone());
        self.frame().flags.push(flag);
        self.frame().breaks.push(flag);
        let (groups, default) = groups(cases);
        self.cases(&selector, &groups, default)?;
        self.frame().flags.pop();
        self.frame().breaks.pop();
        self.variables[flag.0] = down;
        Ok(())
    }

    /// Branches for the cases, those of the default last.
    fn cases(&mut self, selector: &Value, groups: &[Group<'a>], default: Vec<Cursor<'a>>) -> Result<()> {
        let Some((group, rest)) = groups.split_first() else { return self.run(default) };
        let mut is_it = self.truth(false);
        for &value in &group.values {
            let scalar = self.shape(selector)?.scalar;
            let value = self.data(Data::one(scalar, value));
            let equal = self.binary(naga::BinaryOperator::Equal, selector, &value)?;
            is_it = self.binary(naga::BinaryOperator::LogicalOr, &is_it, &equal)?;
        }
        let body = group.body.clone();
        self.branch(
            &is_it,
            |this| this.run(body),
            |this| this.deeper(|this| this.cases(selector, rest, default)),
        )
    }

    /// Ends a round of a loop with an exit where a flag says so, at the level of its body.
    pub(super) fn leave_loop(&mut self) -> Result<()> {
        let is_here = |context: &&LoopContext| {
            context.body == self.b.region && !context.ended && context.frame == self.frames.len()
        };
        let Some(context) = self.loops.last().filter(is_here).cloned() else { return Ok(()) };
        let flags = [context.broke, self.frame().returned];
        let (broke, back) = (self.variables[flags[0].0].clone(), self.variables[flags[1].0].clone());
        let leaves = self.binary(naga::BinaryOperator::LogicalOr, &broke, &back)?;
        match self.known_truth(&leaves) {
            Some(false) => return Ok(()),
            Some(true) => {
                let groups = self.exit_groups(&context)?;
                self.b.end(context.body, &groups, Exit::Break);
                if let Some(last) = self.loops.last_mut() {
                    last.ended = true;
                }
                return Ok(());
            }
            None => {}
        }
        let cond = self.condition(&leaves)?;
        let (then, otherwise) = (self.b.new_region(), self.b.new_region());
        let groups = self.exit_groups(&context)?;
        self.b.end(then, &groups, Exit::Break);
        self.b.f.regions[otherwise].exit = Exit::Yield(ValueList::EMPTY);
        self.b.add(NodeData::If { cond, then, otherwise, results: ValueList::EMPTY });
        let down = self.truth(false);
        flags.iter().for_each(|flag| self.variables[flag.0] = down.clone());
        Ok(())
    }

    /// A variable names what it is set to.
    fn name_stored(&mut self, pointer: Handle<Expression>, value: Handle<Expression>) -> Result<()> {
        let frame = self.frame();
        if let (Expression::LocalVariable(local), Some(locals)) =
            (&frame.expressions[pointer], frame.variables)
            && let Some(name) = &locals[*local].name
        {
            let value = self.value(value)?;
            self.name_node(&value, name);
        }
        Ok(())
    }

    /// Notes the names that the source gives to values of the host.
    pub(super) fn name_node(&mut self, value: &Value, name: &str) {
        if let Value::Host(id) = value
            && !matches!(self.host.node(*id), Node::Constant(_) | Node::Uniform(_))
        {
            self.names.entry(*id).or_insert_with(|| name.to_string());
        }
    }

    /// A bool uniform of its own.
    pub(super) fn declared_flag(&mut self, name: &str) -> Result<Value> {
        let all = &mut self.interface.uniforms;
        let uniform = all.iter().position(|one| one.name == name).unwrap_or_else(|| {
            let layout = super::interface::Layout::Leaf(Shape::scalar(Scalar::Bool));
            let name = name.to_string();
            all.push(super::interface::Uniform { name, member: None, layout, register: None });
            all.len() - 1
        });
        self.node(Node::Uniform(super::host::Part { uniform, offset: 0 }), Shape::scalar(Scalar::Bool))
    }
}

/// Values that lead to the same body, and that body with those it falls into.
struct Group<'a> {
    values: Vec<u32>,
    body: Vec<Cursor<'a>>,
}

/// The cases of a switch, and the body of its default.
fn groups(cases: &[SwitchCase]) -> (Vec<Group<'_>>, Vec<Cursor<'_>>) {
    let (mut groups, mut default) = (Vec::new(), Vec::new());
    let (mut values, mut is_default) = (Vec::new(), false);
    for (index, case) in cases.iter().enumerate() {
        match case.value {
            SwitchValue::I32(value) => values.push(value.cast_unsigned()),
            SwitchValue::U32(value) => values.push(value),
            SwitchValue::Default => is_default = true,
        }
        if case.fall_through && case.body.is_empty() {
            continue;
        }
        let last = cases[index..].iter().position(|case| !case.fall_through);
        let last = last.map_or(cases.len(), |last| index + last + 1);
        // The first one is on top.
        let body: Vec<Cursor<'_>> =
            cases[index..last].iter().rev().map(|case| Cursor::new(&case.body)).collect();
        let own = std::mem::take(&mut values);
        if std::mem::take(&mut is_default) {
            default = body;
        } else {
            groups.push(Group { values: own, body });
        }
    }
    (groups, default)
}

/// Returns whether each path through a block leaves it by `return`, `break` or `continue`.
fn ends(block: &Block) -> bool {
    // Nesting is checked before anything is lowered.
    block.last().is_some_and(|last| match last {
        Statement::Return { .. } | Statement::Break | Statement::Continue | Statement::Kill => true,
        Statement::Block(inner) => ends(inner),
        Statement::If { accept, reject, .. } => ends(accept) && ends(reject),
        _other => false,
    })
}
