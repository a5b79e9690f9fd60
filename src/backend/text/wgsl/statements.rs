//! Functions and statements.
//! In: a naga function and its [`Plan`]. Out: text. Knows no operators.

use std::fmt::Write as _;

use naga::front::Typifier;
use naga::proc::ResolveContext;
use naga::{Block, Expression, Function, Handle, Statement, SwitchCase, SwitchValue};

use super::plan::{Plan, plan};
use super::{Writer, foreign};
use crate::error::Result;

/// Arguments on the line of the function's name.
const ARGUMENTS_IN_LINE: usize = 2;

/// A function that is being written.
pub(super) struct Body<'w, 'a> {
    pub writer: &'w mut Writer<'a>,
    pub function: &'a Function,
    pub plan: Plan,
    pub types: Typifier,
    /// The statement that comes next, by its number.
    counter: u32,
    /// Declarations that were written.
    declared: usize,
    pub indent: usize,
}

impl<'a> Writer<'a> {
    /// Writes a function.
    pub(super) fn function(&mut self, function: &'a Function, name: &str) -> Result<()> {
        let plan = plan(self.module, function, &self.global_names)?;
        let mut types = Typifier::new();
        let context =
            ResolveContext::with_locals(self.module, &function.local_variables, &function.arguments);
        if let Some((last, _)) = function.expressions.iter().next_back() {
            types.grow(last, &function.expressions, &context).map_err(foreign)?;
        }
        self.signature(function, name, &plan)?;
        let mut body = Body { writer: self, function, plan, types, counter: 0, declared: 0, indent: 1 };
        body.block(&function.body)?;
        self.out.push_str("}\n");
        Ok(())
    }

    fn signature(&mut self, function: &Function, name: &str, plan: &Plan) -> Result<()> {
        let _ = write!(self.out, "fn {name}(");
        let lines = function.arguments.len() > ARGUMENTS_IN_LINE && function.arguments[0].binding.is_some();
        for (index, (argument, name)) in function.arguments.iter().zip(&plan.arguments).enumerate() {
            self.out.push_str(match (lines, index) {
                (true, _) => "\n    ",
                (false, 0) => "",
                (false, _) => ", ",
            });
            self.binding(argument.binding.as_ref())?;
            let _ = write!(self.out, "{name}: ");
            self.ty(argument.ty)?;
            self.out.push_str(if lines { "," } else { "" });
        }
        self.out.push_str(if lines { "\n)" } else { ")" });
        if let Some(result) = &function.result {
            self.out.push_str(" -> ");
            self.binding(result.binding.as_ref())?;
            self.ty(result.ty)?;
        }
        self.out.push_str(" {\n");
        Ok(())
    }
}

impl<'a> Body<'_, 'a> {
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
    fn inner(&mut self, block: &'a Block) -> Result<()> {
        self.indent += 1;
        self.block(block)?;
        self.indent -= 1;
        Ok(())
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
            let variable = &self.function.local_variables[declaration.local];
            let name = self.plan.locals[declaration.local.index()].clone();
            match variable.init {
                Some(init) => {
                    let _ = write!(self.line(), "var {name} = ");
                    self.expression(init)?;
                }
                None => {
                    let _ = write!(self.line(), "var {name}: ");
                    self.writer.ty(variable.ty)?;
                }
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
                self.line().push_str(if declares { "var " } else { "" });
                self.place(*pointer)?;
                let kept = self.plan.kept[value.index()] == Some(at);
                self.assigned(*pointer, *value, kept)?;
                self.writer.out.push_str(";\n");
            }
            Statement::If { condition, accept, reject } => {
                self.line();
                self.branch(*condition, accept, reject)?;
            }
            Statement::Switch { selector, cases } => self.switch(*selector, cases)?,
            Statement::Loop { body, .. } => {
                self.line().push_str("loop {\n");
                if !is_left(body) {
                    self.formal_exit()?;
                }
                self.inner(body)?;
                self.counter += 1;
                self.line().push_str("}\n");
            }
            Statement::Break => self.line().push_str("break;\n"),
            Statement::Continue => self.line().push_str("continue;\n"),
            Statement::Return { value: None } => self.line().push_str("return;\n"),
            Statement::Return { value: Some(value) } => {
                self.line().push_str("return ");
                self.expression(*value)?;
                self.writer.out.push_str(";\n");
            }
            Statement::Call { result, .. } => {
                if let Some(result) = result {
                    self.binding(*result)?;
                }
            }
            other => return Err(foreign(format_args!("the statement {other:?}"))),
        }
        Ok(())
    }

    /// An exit that is never taken, for a loop that has no other: WGSL does not allow such loops.
    fn formal_exit(&mut self) -> Result<()> {
        let result = self.function.result.as_ref().map(|result| result.ty);
        self.line().push_str("    if false { ");
        match result {
            // What follows the loop need not return anything.
            Some(ty) => {
                self.writer.out.push_str("return ");
                self.writer.ty(ty)?;
                self.writer.out.push_str("(); }\n");
            }
            None => self.writer.out.push_str("break; }\n"),
        }
        Ok(())
    }

    /// Whether an expression gets a `let`.
    fn has_let(&self, expr: Handle<Expression>) -> bool {
        self.plan.names[expr.index()].is_some() && self.plan.kept[expr.index()].is_none()
    }

    /// The `let` of an expression, if it has one.
    fn binding(&mut self, expr: Handle<Expression>) -> Result<()> {
        if !self.has_let(expr) {
            return Ok(());
        }
        let Some(name) = self.plan.names[expr.index()].clone() else { return Ok(()) };
        let _ = write!(self.line(), "let {name} = ");
        self.definition(expr)?;
        self.writer.out.push_str(";\n");
        Ok(())
    }

    /// From `if` on; the line has begun.
    fn branch(&mut self, condition: Handle<Expression>, accept: &'a Block, reject: &'a Block) -> Result<()> {
        self.writer.out.push_str("if ");
        self.expression(condition)?;
        self.writer.out.push_str(" {\n");
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
            Statement::Emit(range) => range.clone().all(|expr| !self.has_let(expr)),
            Statement::Call { result, .. } => result.is_none_or(|expr| !self.has_let(expr)),
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

    fn switch(&mut self, selector: Handle<Expression>, cases: &'a [SwitchCase]) -> Result<()> {
        self.line().push_str("switch ");
        self.expression(selector)?;
        self.writer.out.push_str(" {\n");
        self.indent += 1;
        let mut values = 0;
        for case in cases {
            if case.fall_through && !case.body.is_empty() {
                return Err(foreign("a case that goes on in the next"));
            }
            match (case.value, values) {
                (SwitchValue::Default, 0) if !case.fall_through => self.line().push_str("default"),
                (_, 0) => self.line().push_str("case "),
                (_, _) => self.writer.out.push_str(", "),
            }
            let _ = match case.value {
                SwitchValue::I32(value) => write!(self.writer.out, "{value}"),
                SwitchValue::U32(value) => write!(self.writer.out, "{value}u"),
                SwitchValue::Default if values > 0 || case.fall_through => write!(self.writer.out, "default"),
                SwitchValue::Default => Ok(()),
            };
            if case.fall_through {
                values += 1;
                continue;
            }
            values = 0;
            self.writer.out.push_str(" {\n");
            self.inner(&case.body)?;
            self.line().push_str("}\n");
        }
        self.indent -= 1;
        self.line().push_str("}\n");
        Ok(())
    }
}

/// Whether a loop with this body is left by a `break`. (Our functions return at their end alone.)
fn is_left(body: &Block) -> bool {
    let mut blocks = vec![body];
    while let Some(block) = blocks.pop() {
        for statement in block {
            match statement {
                Statement::Break => return true,
                Statement::Block(inner) => blocks.push(inner),
                Statement::If { accept, reject, .. } => blocks.extend([accept, reject]),
                // A loop or switch inside takes the breaks for itself.
                _ => {}
            }
        }
    }
    false
}
