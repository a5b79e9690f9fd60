//! Functions and statements.
//! In: a naga function. Out: text, by its [`Plan`] and the dialect. Knows no operators.

use std::fmt::Write as _;

use naga::front::Typifier;
use naga::proc::ResolveContext;
use naga::{Block, Expression, Function, Handle, Statement};

use super::plan::{Plan, plan};
use super::{Dialect, Holder, Writer, foreign};
use crate::error::Result;

/// A function that is being written.
pub struct Body<'w, 'a, D> {
    pub writer: &'w mut Writer<'a, D>,
    pub function: &'a Function,
    pub plan: Plan,
    pub types: Typifier,
    /// The statement that comes next, by its number.
    counter: u32,
    /// Declarations that were written.
    declared: usize,
    pub indent: usize,
}

impl<'a, D: Dialect> Writer<'a, D> {
    /// Writes a function.
    pub fn function(&mut self, function: &'a Function, name: &str) -> Result<()> {
        let mut types = Typifier::new();
        let context =
            ResolveContext::with_locals(self.module, &function.local_variables, &function.arguments);
        if let Some((last, _)) = function.expressions.iter().next_back() {
            types.grow(last, &function.expressions, &context).map_err(|error| foreign(D::NAME, error))?;
        }
        let mut plan = plan(self, function, &types)?;
        if let Some(names) = self.dialect.arguments(function) {
            plan.arguments = names;
        }
        D::signature(self, function, name, &plan)?;
        let mut body = Body { writer: self, function, plan, types, counter: 0, declared: 0, indent: 1 };
        body.block(&function.body)?;
        self.out.push_str("}\n");
        Ok(())
    }
}

impl<'a, D: Dialect> Body<'_, 'a, D> {
    /// Starts a line.
    pub fn line(&mut self) -> &mut String {
        for _ in 0..self.indent {
            self.writer.out.push_str("    ");
        }
        &mut self.writer.out
    }

    fn block(&mut self, block: &'a Block) -> Result<()> {
        for statement in block {
            self.statement(statement)?;
        }
        Ok(())
    }

    /// A block in braces that were opened; leaves the closing one to the caller.
    pub fn inner(&mut self, block: &'a Block) -> Result<()> {
        self.indent += 1;
        self.block(block)?;
        self.indent -= 1;
        Ok(())
    }

    /// The name of a value or variable.
    pub fn name(&self, holder: Holder) -> Result<String> {
        let name = match holder {
            Holder::Value(expr) => self.plan.names[expr.index()].clone(),
            Holder::Filled(local) | Holder::Empty(local) => self.plan.locals.get(local.index()).cloned(),
        };
        name.ok_or_else(|| foreign(D::NAME, "a declaration without a name"))
    }

    /// The declarations that stand before a statement; whether the statement itself declares.
    fn declarations(&mut self, at: u32) -> Result<bool> {
        let mut by_store = false;
        while let Some(&declaration) = self.plan.declarations.get(self.declared)
            && declaration.at == at
        {
            self.declared += 1;
            if declaration.by_store {
                by_store = true;
                continue;
            }
            self.line();
            match self.function.local_variables[declaration.local].init {
                Some(init) => {
                    D::declaration(self, Holder::Filled(declaration.local))?;
                    self.writer.out.push_str(" = ");
                    self.expression(init)?;
                }
                None => D::declaration(self, Holder::Empty(declaration.local))?,
            }
            self.writer.out.push_str(";\n");
        }
        Ok(by_store)
    }

    fn statement(&mut self, statement: &'a Statement) -> Result<()> {
        let at = self.counter;
        self.counter += 1;
        let declares = self.declarations(at)?;
        match statement {
            Statement::Emit(range) => {
                for expr in range.clone() {
                    self.binding(expr)?;
                }
            }
            Statement::Store { pointer, value } => {
                self.line();
                match self.function.expressions[*pointer] {
                    Expression::LocalVariable(local) if declares => {
                        D::declaration(self, Holder::Filled(local))?;
                    }
                    _ => self.place(*pointer)?,
                }
                let kept = self.plan.kept[value.index()] == Some(at);
                self.assigned(*pointer, *value, kept)?;
                self.writer.out.push_str(";\n");
            }
            Statement::If { condition, accept, reject } => {
                self.line();
                self.branch(*condition, accept, reject)?;
            }
            Statement::Switch { selector, cases } => {
                if cases.iter().any(|case| case.fall_through && !case.body.is_empty()) {
                    return Err(foreign(D::NAME, "a case that goes on in the next"));
                }
                D::switch(self, *selector, cases)?;
            }
            Statement::Loop { body, .. } => {
                self.line().push_str(D::LOOP);
                if !has(body, Jump::Break) {
                    D::endless(self)?;
                }
                self.inner(body)?;
                self.counter += 1;
                self.line().push_str("}\n");
            }
            Statement::Break => self.line().push_str("break;\n"),
            Statement::Continue => self.line().push_str("continue;\n"),
            Statement::Return { value: None } => self.line().push_str("return;\n"),
            Statement::Return { value: Some(value) } => {
                if !D::outputs(self, *value)? {
                    self.line().push_str("return ");
                    self.expression(*value)?;
                    self.writer.out.push_str(";\n");
                }
            }
            Statement::Call { result, .. } => {
                if let Some(result) = result {
                    self.binding(*result)?;
                }
            }
            other => return Err(foreign(D::NAME, format_args!("the statement {other:?}"))),
        }
        Ok(())
    }

    /// Whether an expression gets a name by a statement of its own.
    fn has_statement(&self, expr: Handle<Expression>) -> bool {
        self.plan.names[expr.index()].is_some() && self.plan.kept[expr.index()].is_none()
    }

    /// The statement that names an expression, if it has one.
    fn binding(&mut self, expr: Handle<Expression>) -> Result<()> {
        if !self.has_statement(expr) {
            return Ok(());
        }
        self.line();
        D::declaration(self, Holder::Value(expr))?;
        self.writer.out.push_str(" = ");
        self.definition(expr)?;
        self.writer.out.push_str(";\n");
        Ok(())
    }

    /// From `if` on; the line has begun.
    fn branch(&mut self, condition: Handle<Expression>, accept: &'a Block, reject: &'a Block) -> Result<()> {
        let _ = write!(self.writer.out, "if {}", D::CONDITION[0]);
        self.expression(condition)?;
        let _ = writeln!(self.writer.out, "{} {{", D::CONDITION[1]);
        self.inner(accept)?;
        self.line().push('}');
        if let Some((condition, accept, next)) = self.only_if(reject) {
            self.writer.out.push_str(" else ");
            return self.branch(condition, accept, next);
        }
        if !reject.is_empty() {
            self.writer.out.push_str(" else {\n");
            self.inner(reject)?;
            self.line().push('}');
        }
        self.writer.out.push('\n');
        Ok(())
    }

    /// The `if` that a block consists of, if it prints nothing else; its number and those before it are taken then.
    fn only_if(&mut self, block: &'a Block) -> Option<(Handle<Expression>, &'a Block, &'a Block)> {
        let (last, before) = block.split_last()?;
        let Statement::If { condition, accept, reject } = last else { return None };
        let silent = before.iter().all(|statement| match statement {
            Statement::Emit(range) => range.clone().all(|expr| !self.has_statement(expr)),
            Statement::Call { result, .. } => result.is_none_or(|expr| !self.has_statement(expr)),
            _ => false,
        });
        let number = self.counter + u32::try_from(before.len()).ok()?;
        let next = self.plan.declarations.get(self.declared);
        if !silent || next.is_some_and(|declaration| declaration.at <= number) {
            return None;
        }
        self.counter = number + 1;
        Some((*condition, accept, reject))
    }
}

/// What leaves a block besides its end. (Our functions return at their end alone.)
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Jump {
    Break,
    Continue,
}

/// Whether a block has such a jump that concerns what the block is the body of.
pub fn has(body: &Block, jump: Jump) -> bool {
    let mut blocks = vec![body];
    while let Some(block) = blocks.pop() {
        for statement in block {
            match statement {
                Statement::Break if jump == Jump::Break => return true,
                Statement::Continue if jump == Jump::Continue => return true,
                Statement::Block(inner) => blocks.push(inner),
                Statement::If { accept, reject, .. } => blocks.extend([accept, reject]),
                // It takes breaks for itself; a loop inside takes both.
                Statement::Switch { cases, .. } if jump == Jump::Continue => {
                    blocks.extend(cases.iter().map(|case| &case.body));
                }
                _ => {}
            }
        }
    }
    false
}
