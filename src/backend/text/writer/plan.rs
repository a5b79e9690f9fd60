//! Decides what a function gives names to and where its variables are declared.
//! In: a naga function. Out: a [`Plan`] that the writer follows. Knows no syntax.
//!
//! Every statement has a number, in the order of the text. An expression is written where it is used if it is used once, in
//! the loop it is evaluated in, and does not make the line long. A load of a variable may besides be written as often as it is
//! used, if no statement between its place and its last use stores the variable. What is first stored in a variable goes by the
//! variable's name as long as that holds it. All else is `let`.

use std::collections::BTreeMap;

use naga::front::Typifier;
use naga::{AddressSpace, Block, Expression, Function, Handle, LocalVariable, Module, Statement};

use super::choice::choose;
use super::names::Names;
use super::{Dialect, Writer, foreign};
use crate::backend::naga_ir::operands;
use crate::error::Result;

/// Constructs that may nest.
const MAX_DEPTH: u32 = 140;

/// Where a variable is declared.
#[derive(Clone, Copy, Debug)]
pub struct Declaration {
    /// Before this statement, or by it.
    pub at: u32,
    /// Which.
    pub local: Handle<LocalVariable>,
    /// Whether the statement is the store that gives its first value.
    pub by_store: bool,
}

/// How a function is written.
#[derive(Default)]
pub struct Plan {
    /// Names of the expressions that are not written in place.
    pub names: Vec<Option<String>>,
    /// The statement that stores an expression in the variable whose name it then goes by.
    pub kept: Vec<Option<u32>>,
    /// Names of the variables.
    pub locals: Vec<String>,
    /// Names of the arguments.
    pub arguments: Vec<String>,
    /// Declarations by place.
    pub declarations: Vec<Declaration>,
    /// Which vectors and structs have each component on a line of its own.
    pub broken: Vec<bool>,
    /// Calls by result.
    pub calls: Vec<Call>,
    /// Which expressions have arithmetic on floats in what is written for them, by index.
    pub exact: Vec<bool>,
    /// Which variables are given such values.
    pub exact_locals: Vec<bool>,
}

/// A call whose result is used where the result is written.
#[derive(Clone, Debug)]
pub struct Call {
    /// Its result.
    pub result: Handle<Expression>,
    /// The function.
    pub function: Handle<Function>,
    /// What it is given.
    pub arguments: Vec<Handle<Expression>>,
}

/// What the statements say about an expression.
#[derive(Clone, Copy, Default)]
pub struct Fact {
    /// Statement that evaluates it.
    pub at: u32,
    /// Innermost loop around that statement; 0 outside of all.
    pub home: u32,
    /// Last statement that its text may stand in.
    pub last: u32,
    /// No use comes before this statement.
    pub first: u32,
    /// Block of the statement that evaluates it.
    block: u32,
    /// The first store of it: statement, variable, block.
    store: Option<(u32, Handle<LocalVariable>, u32)>,
    /// Whether an `Emit` or a call evaluates it.
    pub evaluated: bool,
    /// Whether another loop than its own uses it.
    pub crosses: bool,
}

/// Where a variable occurs.
#[derive(Clone, Default)]
struct Occurrences {
    /// Statements that store it, ascending, and where they stand.
    stores: Vec<(u32, Vec<Place>)>,
    /// Statement and path of blocks of the first occurrence, cut to what all occurrences share.
    first: Option<(u32, Vec<Place>)>,
}

/// A statement of a block on the way to another one.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Place {
    block: u32,
    statement: u32,
    in_loop: bool,
}

/// What a pointer points into.
pub enum Root {
    Local(Handle<LocalVariable>),
    /// A global that stays the same while a function runs.
    Constant,
    Other,
}

pub struct Survey<'a> {
    pub module: &'a Module,
    pub function: &'a Function,
    pub types: &'a Typifier,
    /// The language, for errors.
    language: &'static str,
    /// Whether arrays may be copied to have a name.
    pub copies_arrays: bool,
    /// Whether arithmetic on floats must make a variable.
    pub marks_exact: bool,
    pub facts: Vec<Fact>,
    /// How often each expression is used.
    pub uses: Vec<u32>,
    pub plan: Plan,
    /// Where an expression that a variable may stand for is used: first and last statement that each use may be written in.
    spans: Vec<Vec<(u32, u32)>>,
    /// The blocks of each `if` and `switch`: first statement and the one after.
    arms: BTreeMap<u32, Vec<(u32, u32)>>,
    occurrences: Vec<Occurrences>,
    path: Vec<Place>,
    pub blocks: u32,
    pub counter: u32,
    pub home: u32,
    pub loops: u32,
}

/// The plan of a function.
pub fn plan<D: Dialect>(writer: &Writer<'_, D>, function: &Function, types: &Typifier) -> Result<Plan> {
    let count = function.expressions.len();
    let mut survey = Survey {
        module: writer.module,
        function,
        types,
        language: D::NAME,
        copies_arrays: D::COPIES_ARRAYS,
        marks_exact: writer.dialect.marks_exact(),
        facts: vec![Fact::default(); count],
        uses: vec![0; count],
        plan: Plan { names: vec![None; count], kept: vec![None; count], ..Plan::default() },
        spans: vec![Vec::new(); count],
        arms: BTreeMap::new(),
        occurrences: vec![Occurrences::default(); function.local_variables.len()],
        path: Vec::new(),
        blocks: 0,
        counter: 0,
        home: 0,
        loops: 0,
    };
    survey.block(&function.body)?;
    survey.plan.calls.sort_by_key(|call| call.result);
    survey.count_uses();
    let choice = choose(&survey);
    survey.plan.broken = choice.broken;
    survey.plan.exact = choice.exact;
    survey.plan.exact_locals = choice.exact_locals;
    survey.declare();
    survey.name(&choice.named, &writer.global_names);
    Ok(survey.plan)
}

impl<'a> Survey<'a> {
    fn block(&mut self, block: &'a Block) -> Result<()> {
        if self.path.len() >= MAX_DEPTH as usize {
            return Err(foreign(self.language, format_args!("a nest of {MAX_DEPTH} constructs")));
        }
        self.blocks += 1;
        let (block_id, in_loop, first) = (self.blocks, self.home != 0, self.counter);
        for statement in block {
            self.path.push(Place { block: block_id, statement: self.counter, in_loop });
            self.statement(statement)?;
            self.path.pop();
        }
        if let Some(owner) = self.path.last() {
            self.arms.entry(owner.statement).or_default().push((first, self.counter));
        }
        Ok(())
    }

    fn statement(&mut self, statement: &'a Statement) -> Result<()> {
        let at = self.counter;
        self.counter += 1;
        match statement {
            Statement::Emit(range) => range.clone().for_each(|expr| self.evaluated(expr, at)),
            Statement::Store { pointer, value } => self.store(*pointer, *value, at),
            Statement::If { condition, accept, reject } => {
                self.used(*condition, at);
                self.block(accept)?;
                self.block(reject)?;
            }
            Statement::Switch { selector, cases } => {
                self.used(*selector, at);
                for case in cases {
                    self.block(&case.body)?;
                }
            }
            Statement::Loop { body, continuing, break_if: None } if continuing.is_empty() => {
                let outer = self.home;
                self.loops += 1;
                self.home = self.loops;
                self.block(body)?;
                self.counter += 1;
                self.home = outer;
                // Its block is no arm.
                self.arms.remove(&at);
            }
            Statement::Return { value } => {
                if let Some(value) = value {
                    self.used(*value, at);
                }
            }
            Statement::Call { function, arguments, result } => {
                // Our functions do nothing but compute their result.
                if let Some(result) = *result {
                    self.evaluated(result, at);
                    let (function, arguments) = (*function, arguments.clone());
                    self.plan.calls.push(Call { result, function, arguments });
                }
            }
            Statement::Break | Statement::Continue => {}
            other => return Err(foreign(self.language, format_args!("the statement {other:?}"))),
        }
        Ok(())
    }

    fn store(&mut self, pointer: Handle<Expression>, value: Handle<Expression>, at: u32) {
        self.used(value, at);
        self.used(pointer, at);
        let Root::Local(local) = self.root(pointer) else { return };
        let fact = &mut self.facts[value.index()];
        if fact.store.is_none() && matches!(self.function.expressions[pointer], Expression::LocalVariable(_))
        {
            fact.store = Some((at, local, self.path.last().map_or(0, |place| place.block)));
        }
        self.occurs(pointer);
        self.occurrences[local.index()].stores.push((at, self.path.clone()));
    }

    fn evaluated(&mut self, expr: Handle<Expression>, at: u32) {
        let block = self.path.last().map_or(0, |place| place.block);
        let (home, first) = (self.home, u32::MAX);
        self.facts[expr.index()] =
            Fact { at, home, last: at, first, block, evaluated: true, ..Fact::default() };
        if let Expression::Load { pointer } = self.function.expressions[expr] {
            self.occurs(pointer);
        }
    }

    /// A use by a statement.
    fn used(&mut self, expr: Handle<Expression>, at: u32) {
        self.use_in(expr, (at, at), self.home, 1);
    }

    /// A use in text that stands between two statements.
    fn use_in(&mut self, expr: Handle<Expression>, (first, last): (u32, u32), home: u32, times: u32) {
        let uses = &mut self.uses[expr.index()];
        *uses = uses.saturating_add(times);
        let fact = &mut self.facts[expr.index()];
        fact.last = fact.last.max(last);
        fact.first = fact.first.min(first);
        fact.crosses |= fact.evaluated && fact.home != home;
        if fact.evaluated && (fact.store.is_some() || self.repeatable(expr)) {
            self.spans[expr.index()].push((first, last));
        }
    }

    /// Notes that a variable occurs in the statement at the end of the path, if the pointer points into one.
    fn occurs(&mut self, pointer: Handle<Expression>) {
        let Root::Local(local) = self.root(pointer) else { return };
        let at = self.counter - 1;
        match &mut self.occurrences[local.index()].first {
            None => self.occurrences[local.index()].first = Some((at, self.path.clone())),
            Some((_, shared)) => {
                // The blocks that both stand in; the statements of the innermost may differ.
                let common = shared.iter().zip(&self.path).take_while(|(a, b)| a.block == b.block).count();
                shared.truncate(common);
            }
        }
    }

    /// Counts the uses by expressions that are used themselves, users first.
    fn count_uses(&mut self) {
        let calls = std::mem::take(&mut self.plan.calls);
        let mut rest = calls.iter().rev().peekable();
        for (handle, expression) in self.function.expressions.iter().rev() {
            let index = handle.index();
            let uses = self.uses[index];
            let call = rest.next_if(|call| call.result == handle);
            if uses == 0 {
                continue;
            }
            let fact = self.facts[index];
            let access = matches!(expression, Expression::AccessIndex { .. } | Expression::Access { .. });
            // What is written in place takes its operands along; what has a name leaves them.
            self.plan.kept[index] = self.kept(handle);
            let last = match self.plan.kept[index] {
                Some(store) => store,
                None if !access && (uses > 1 || fact.crosses) && !self.repeatable(handle) => fact.at,
                None => fact.last,
            };
            let times = if access { uses } else { 1 };
            let mut visit = |operand: Handle<Expression>| {
                self.use_in(operand, (fact.at, last), fact.home, times);
                if access && fact.crosses {
                    self.facts[operand.index()].crosses |= self.facts[operand.index()].evaluated;
                }
            };
            operands(expression, &mut visit);
            if let Some(call) = call {
                call.arguments.iter().copied().for_each(visit);
            }
        }
        self.plan.calls = calls;
    }

    /// The store whose variable's name an expression may go by: its first use, in its own block, and no other store comes before
    /// its last use.
    fn kept(&self, expr: Handle<Expression>) -> Option<u32> {
        let fact = self.facts[expr.index()];
        let (at, local, block) = fact.store?;
        let fits = fact.evaluated && !fact.crosses && fact.first == at && fact.block == block;
        let other = matches!(
            self.function.expressions[expr],
            Expression::Access { .. } | Expression::AccessIndex { .. }
        );
        (fits
            && !other
            && self.uses[expr.index()] > 1
            && !self.repeatable(expr)
            && !self.stored_between(local, at, expr))
        .then_some(at)
    }

    /// Whether it may be written more than once: a variable's name is no longer than a `let`'s.
    fn repeatable(&self, expr: Handle<Expression>) -> bool {
        self.loaded_local(expr).is_some()
    }

    pub fn loaded_local(&self, expr: Handle<Expression>) -> Option<Handle<LocalVariable>> {
        match self.function.expressions[expr] {
            Expression::Load { pointer } => match self.root(pointer) {
                Root::Local(local) => Some(local),
                Root::Constant | Root::Other => None,
            },
            _ => None,
        }
    }

    /// The variable that a pointer points into.
    pub fn root(&self, mut pointer: Handle<Expression>) -> Root {
        loop {
            match self.function.expressions[pointer] {
                Expression::AccessIndex { base, .. } | Expression::Access { base, .. } => pointer = base,
                Expression::LocalVariable(local) => return Root::Local(local),
                Expression::GlobalVariable(global) if is_constant(self.module, global) => {
                    return Root::Constant;
                }
                _ => return Root::Other,
            }
        }
    }

    /// Whether the variable may be stored after the statement `from` and before a use of the expression.
    pub fn stored_between(&self, local: Handle<LocalVariable>, from: u32, expr: Handle<Expression>) -> bool {
        let stores = &self.occurrences[local.index()].stores;
        let next = stores.partition_point(|(at, _)| *at <= from);
        let last = self.facts[expr.index()].last;
        let between = stores[next..].iter().take_while(|(at, _)| *at < last);
        between.into_iter().any(|(at, path)| {
            self.spans[expr.index()].iter().any(|span| *at < span.1 && !self.excludes(path, *span))
        })
    }

    /// Whether what stands at the end of the path never runs before a use in the same iteration, because the use stands in another
    /// arm of the same statement.
    fn excludes(&self, path: &[Place], (first, last): (u32, u32)) -> bool {
        path.windows(2).any(|places| {
            let (owner, inner) = (places[0].statement, places[1].statement);
            self.arms.get(&owner).is_some_and(|arms| {
                arms.iter().any(|&(start, end)| {
                    let holds = |at: u32| (start..end).contains(&at);
                    holds(first) && holds(last) && !holds(inner)
                })
            })
        })
    }

    /// Where the variables are declared: by the first store if it stands in the innermost block that has all occurrences, else
    /// before the statement with the first occurrence, outside of loops.
    fn declare(&mut self) {
        for (local, variable) in self.function.local_variables.iter() {
            let occurrences = &self.occurrences[local.index()];
            let Some((first, path)) = &occurrences.first else { continue };
            let Some(innermost) = path.last() else { continue };
            let by_store = variable.init.is_none()
                && innermost.statement == *first
                && occurrences.stores.first().is_some_and(|(at, _)| at == first);
            let outside = path.iter().rev().find(|place| !place.in_loop);
            let at = if by_store { *first } else { outside.map_or(0, |place| place.statement) };
            self.plan.declarations.push(Declaration { at, local, by_store });
        }
        self.plan.declarations.sort_by_key(|declaration| declaration.at);
    }

    fn name(&mut self, named: &[bool], globals: &Names) {
        let mut names = globals.clone();
        let wanted = |name: &Option<String>| name.clone().unwrap_or_else(|| "value".to_owned());
        for argument in &self.function.arguments {
            self.plan.arguments.push(names.unique(&wanted(&argument.name)));
        }
        for (_, local) in self.function.local_variables.iter() {
            self.plan.locals.push(names.unique(&wanted(&local.name)));
        }
        for (handle, _) in self.function.expressions.iter() {
            if let (Some(_), Some((_, local, _))) =
                (self.plan.kept[handle.index()], self.facts[handle.index()].store)
            {
                self.plan.names[handle.index()] = self.plan.locals.get(local.index()).cloned();
            } else if named[handle.index()] {
                let name = self.function.named_expressions.get(&handle).map_or("t", String::as_str);
                self.plan.names[handle.index()] = Some(names.unique(name));
            }
        }
    }
}

/// Whether what a global holds stays the same while a function runs.
fn is_constant(module: &Module, global: Handle<naga::GlobalVariable>) -> bool {
    match module.global_variables[global].space {
        AddressSpace::Uniform => true,
        AddressSpace::Storage { access } => !access.contains(naga::StorageAccess::STORE),
        _ => false,
    }
}
