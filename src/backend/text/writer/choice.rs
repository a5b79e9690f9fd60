//! Which expressions get names, which are written over several lines, and which do arithmetic that must be marked as exact.
//! In: the survey of a function. Out: a [`Choice`]. Knows no syntax, only how long things are, roughly.
//! Facts: GLSL's `precise` reaches what goes into the value of a variable, conditions of selections inside of that value too; not
//! what is written for an index, a condition of a statement or a returned value (measured with glslang 12).

use std::iter::Peekable;
use std::slice::Iter;

use naga::{
    BinaryOperator, Block, Expression, Handle, Literal, MathFunction, ScalarKind, Statement, TypeInner,
};

use super::plan::{Call, Root, Survey};
use crate::backend::naga_ir::operands;

/// Characters of a line; longer ones are broken, or parts of them get a name.
const LINE: u32 = 92;
/// Characters of a member of the returned struct that has no name.
const OUTPUT: u32 = 26;
/// Characters of a name.
const NAME: u32 = 6;
/// Depth of an expression that is written in place; the writer recurses on it.
const DEPTH: u32 = 24;

/// How expressions are written.
pub struct Choice {
    /// Which get a name.
    pub named: Vec<bool>,
    /// Which vectors and structs have each component on a line of its own.
    pub broken: Vec<bool>,
    /// Which have arithmetic on floats in what is written for them.
    pub exact: Vec<bool>,
    /// Which variables are given such values.
    pub exact_locals: Vec<bool>,
}

/// Length and depth of an expression, and whether there is arithmetic on floats in it.
#[derive(Clone, Copy, Default)]
struct Size {
    length: u32,
    depth: u32,
    exact: bool,
}

struct Chooser<'s, 'a> {
    survey: &'s Survey<'a>,
    calls: Peekable<Iter<'s, Call>>,
    named: Vec<bool>,
    broken: Vec<bool>,
    exact_locals: Vec<bool>,
    sizes: Vec<Size>,
    /// The operands of the expression at hand.
    parts: Vec<Handle<Expression>>,
}

/// Decides for all expressions of a function, operands first.
pub fn choose(survey: &Survey<'_>) -> Choice {
    let count = survey.facts.len();
    let mut chooser = Chooser {
        survey,
        calls: survey.plan.calls.iter().peekable(),
        named: vec![false; count],
        broken: vec![false; count],
        exact_locals: vec![false; survey.function.local_variables.len()],
        sizes: Vec::with_capacity(count),
        parts: Vec::new(),
    };
    for (handle, expression) in survey.function.expressions.iter() {
        let size = chooser.size(handle, expression);
        chooser.sizes.push(size);
        chooser.named[handle.index()] = chooser.needs_name(handle, expression);
    }
    chooser.outputs();
    if survey.marks_exact {
        chooser.settle();
    }
    Choice {
        named: chooser.named,
        broken: chooser.broken,
        exact: match survey.marks_exact {
            true => chooser.sizes.iter().map(|size| size.exact).collect(),
            false => Vec::new(),
        },
        exact_locals: chooser.exact_locals,
    }
}

impl Chooser<'_, '_> {
    /// The size of an expression, after its longest operands got names if it is too long.
    fn size(&mut self, handle: Handle<Expression>, expression: &Expression) -> Size {
        let mut parts = std::mem::take(&mut self.parts);
        parts.clear();
        operands(expression, &mut |operand| parts.push(operand));
        if let Some(call) = self.calls.next_if(|call| call.result == handle) {
            parts.extend(&call.arguments);
        }
        if let Expression::Access { index, .. } = *expression
            && self.survey.marks_exact
        {
            self.name_exact(index);
        }
        let own = Size {
            length: self.own_length(expression),
            depth: 0,
            exact: self.survey.marks_exact && self.is_arithmetic(handle, expression),
        };
        let size = loop {
            let size = parts.iter().fold(own, |size, &part| {
                let part = self.written(part);
                Size {
                    length: size.length + part.length,
                    depth: size.depth.max(part.depth + 1),
                    exact: size.exact || part.exact,
                }
            });
            let breakable = matches!(expression, Expression::Compose { .. });
            self.broken[handle.index()] = breakable && size.length > LINE;
            let long = size.length > LINE && !breakable || size.depth > DEPTH;
            if !long {
                break size;
            }
            let longest = parts.iter().filter_map(|&part| self.source(part)).max_by_key(|&part| {
                let size = self.sizes[part.index()];
                if size.depth + 1 >= DEPTH { u32::MAX } else { size.length }
            });
            match longest {
                Some(part) => self.named[part.index()] = true,
                None => break size,
            }
        };
        self.parts = parts;
        size
    }

    /// What is written for an operand.
    fn written(&self, part: Handle<Expression>) -> Size {
        if self.named[part.index()] {
            return Size { length: self.name_length(part), ..Size::default() };
        }
        let mut size = self.sizes[part.index()];
        // Selections are counted anew, since what they select from may have got a name.
        let mut selected = part;
        while let Some(base) = self.selection(selected) {
            selected = base;
            if self.named[base.index()] {
                size = Size { length: self.name_length(base) + 4, depth: 1, exact: false };
                break;
            }
        }
        size
    }

    /// Characters of a name that an expression gets.
    fn name_length(&self, expr: Handle<Expression>) -> u32 {
        let name = self.survey.function.named_expressions.get(&expr);
        name.map_or(NAME, |name| u32::try_from(name.len()).unwrap_or(u32::MAX).saturating_add(1))
    }

    /// What an expression selects from, if it does nothing else.
    fn selection(&self, expr: Handle<Expression>) -> Option<Handle<Expression>> {
        match self.survey.function.expressions[expr] {
            Expression::AccessIndex { base, .. } => Some(base),
            Expression::Swizzle { vector, .. } => Some(vector),
            _ => None,
        }
    }

    /// The part of an operand whose name would make it shorter, if there is one.
    fn source(&self, mut part: Handle<Expression>) -> Option<Handle<Expression>> {
        while let Some(base) = self.selection(part) {
            part = base;
        }
        let fact = self.survey.facts[part.index()];
        let size = self.sizes[part.index()];
        let shorter = size.length > NAME || size.depth + 1 >= DEPTH;
        (fact.evaluated && self.may_have_name(part) && !self.named[part.index()] && shorter).then_some(part)
    }

    /// Whether an expression makes a value that a name can stand for.
    fn may_have_name(&self, expr: Handle<Expression>) -> bool {
        let inner = || self.survey.types[expr].inner_with(&self.survey.module.types);
        match self.survey.function.expressions[expr] {
            Expression::Access { .. } => false,
            _ if self.survey.copies_arrays => true,
            _ => !matches!(inner(), TypeInner::Array { .. } | TypeInner::Struct { .. }),
        }
    }

    fn needs_name(&self, handle: Handle<Expression>, expression: &Expression) -> bool {
        let fact = self.survey.facts[handle.index()];
        let uses = self.survey.uses[handle.index()];
        if !fact.evaluated || uses == 0 {
            return false;
        }
        match expression {
            Expression::AccessIndex { .. } | Expression::Access { .. } => false,
            Expression::Load { pointer } => match self.survey.root(*pointer) {
                Root::Local(local) => fact.crosses || self.survey.stored_between(local, fact.at, handle),
                Root::Constant => (fact.crosses || uses > 1) && self.may_have_name(handle),
                Root::Other => true,
            },
            _ => fact.crosses || uses > 1,
        }
    }

    /// The members of a returned struct get names unless they are short.
    fn outputs(&mut self) {
        let function = self.survey.function;
        let Some(Statement::Return { value: Some(value) }) = function.body.last() else { return };
        let Expression::Compose { ty, components } = &function.expressions[*value] else { return };
        if !matches!(self.survey.module.types[*ty].inner, TypeInner::Struct { .. }) {
            return;
        }
        for component in components {
            let long = self.sizes[component.index()].length > OUTPUT && self.may_have_name(*component);
            self.named[component.index()] |= self.survey.facts[component.index()].evaluated && long;
        }
        let length: u32 = components.iter().map(|&component| self.written(component).length + 8).sum();
        self.broken[value.index()] = length > LINE;
    }

    /// Names what stands where arithmetic cannot be marked, and finds the variables that are to be marked.
    fn settle(&mut self) {
        let mut blocks: Vec<&Block> = vec![&self.survey.function.body];
        while let Some(block) = blocks.pop() {
            for statement in block {
                match statement {
                    Statement::If { condition, accept, reject } => {
                        self.name_exact(*condition);
                        blocks.extend([accept, reject]);
                    }
                    Statement::Switch { selector, cases } => {
                        self.name_exact(*selector);
                        blocks.extend(cases.iter().map(|case| &case.body));
                    }
                    Statement::Loop { body, .. } => blocks.push(body),
                    Statement::Return { value: Some(value) } => self.name_exact(*value),
                    Statement::Store { pointer, value } => match self.survey.root(*pointer) {
                        Root::Local(local) => {
                            self.exact_locals[local.index()] |= self.sizes[value.index()].exact;
                        }
                        Root::Constant | Root::Other => self.name_exact(*value),
                    },
                    _ => {}
                }
            }
        }
    }

    /// Gives a name to an expression if there is arithmetic on floats in what is written for it; or to its parts, if it can have
    /// none.
    fn name_exact(&mut self, expr: Handle<Expression>) {
        let mut work = vec![expr];
        while let Some(mut expr) = work.pop() {
            if !self.written(expr).exact {
                continue;
            }
            while let Some(base) = self.selection(expr) {
                expr = base;
            }
            if self.may_have_name(expr) {
                self.named[expr.index()] |= self.survey.facts[expr.index()].evaluated;
            } else {
                operands(&self.survey.function.expressions[expr], |part| work.push(part));
            }
        }
    }

    /// Whether an expression computes with floats in a way that compilers may change if nothing forbids it.
    fn is_arithmetic(&self, handle: Handle<Expression>, expression: &Expression) -> bool {
        use BinaryOperator::{Add, Divide, Multiply, Subtract};
        match *expression {
            Expression::Binary { op: Add | Subtract | Multiply | Divide, .. } => {
                let types = &self.survey.module.types;
                self.survey.types[handle].inner_with(types).scalar_kind() == Some(ScalarKind::Float)
            }
            Expression::Math { fun, .. } => !matches!(fun, MathFunction::Abs | MathFunction::Floor),
            _ => false,
        }
    }

    /// Characters that an expression adds to its operands.
    fn own_length(&self, expression: &Expression) -> u32 {
        let function = self.survey.function;
        let length = |name: Option<&String>| u32::try_from(name.map_or(6, String::len)).unwrap_or(u32::MAX);
        match *expression {
            Expression::Binary { .. } | Expression::Unary { .. } => 4,
            Expression::AccessIndex { base, index } => match function.expressions[base] {
                Expression::GlobalVariable(global) => {
                    let ty = self.survey.module.global_variables[global].ty;
                    match &self.survey.module.types[ty].inner {
                        TypeInner::Struct { members, .. } => {
                            length(members.get(index as usize).and_then(|member| member.name.as_ref()))
                        }
                        _ => 3,
                    }
                }
                _ => 3,
            },
            Expression::Swizzle { size, .. } => size as u32 + 1,
            Expression::Access { .. } => 3,
            Expression::Load { .. } => 0,
            Expression::FunctionArgument(index) => {
                length(function.arguments.get(index as usize).and_then(|argument| argument.name.as_ref()))
            }
            Expression::GlobalVariable(_) => 9,
            Expression::Math { .. } | Expression::Splat { .. } => 7,
            Expression::Literal(Literal::U32(value)) if value > 0xFFFF => 11,
            Expression::Literal(Literal::F32(value)) if value.fract() != 0.0 => 9,
            Expression::Literal(_) => 3,
            Expression::LocalVariable(local) => length(function.local_variables[local].name.as_ref()),
            Expression::CallResult(_) => 18,
            Expression::As { .. } => 16,
            _ => 10,
        }
    }
}
