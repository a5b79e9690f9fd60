//! The one place that decides what is written in place and what gets a name; also what is broken
//! over several lines, and which arithmetic must be marked as exact.
//! In: a draft and its survey. Out: a [`Plan`] that `print` follows. Knows no syntax, only how long
//! things are, roughly.
//!
//! An expression is written where it is used if it is used once, in the loop it is evaluated in,
//! and does not make the line long. A load of a variable may besides be written as often as it is
//! used, if no line between its place and its last use stores the variable. What is first stored in
//! a variable goes by the variable's name as long as that holds it. All else is a constant with a
//! name. The depth of what is written in place is bounded: writer and readers recurse on it.
//! Facts: GLSL's `precise` reaches what goes into the value of a variable, conditions of selections
//! inside of that value too; not what is written for an index, a condition of a statement or a
//! returned value (measured with glslang 12).

use std::borrow::Cow;

use super::draft::{Draft, Expr, Form, Label, Line, Node, Operand, Place, Source, View};
use super::names::{Names, Words};
use super::survey::{Declaration, Fact, NONE, Size, Survey, UNNUMBERED};
use crate::backend::interface::FIRST_THREAD_NAME;
use crate::host::{Interface, Location};
use crate::ir::{Binary, Kind, Unary};

/// Characters of a line; longer ones are broken, or parts of them get a name.
const LINE: u32 = 92;
/// Characters of an output that has no name.
const OUTPUT: u32 = 26;
/// Characters of a name.
const NAME: u32 = 6;
/// Depth of an expression that is written in place; the writer recurses on it.
const DEPTH: u32 = 24;

/// What a language asks of a plan.
#[derive(Clone, Copy)]
pub struct Style {
    /// Whether arithmetic on floats is only done as written where it makes a variable that is
    /// marked.
    pub marks_exact: bool,
}

/// How a function is written.
pub struct Plan {
    /// For each expression, its name and the rest.
    pub facts: Vec<Fact>,
    pub words: Words,
    /// Names of the parameters.
    pub parameters: Vec<String>,
    /// Names of the variables in `words`.
    pub variables: Vec<u32>,
    /// Variables that are given values with arithmetic on floats.
    #[cfg_attr(not(feature = "glsl"), expect(dead_code, reason = "only GLSL marks arithmetic"))]
    pub exact_variables: Vec<bool>,
    /// Declarations by place.
    pub declarations: Vec<Declaration>,
    /// For each `If`, the line that ends it.
    pub ends: Vec<u32>,
    /// Whether each output has a line of its own.
    pub is_return_broken: bool,
}

struct Chooser<'d> {
    draft: &'d Draft,
    interface: &'d Interface,
    survey: Survey<'d>,
    style: Style,
    exact_variables: Vec<bool>,
}

/// The plan of a function. `parameters` are names that the function already has or would like to
/// have.
pub fn plan(
    draft: &Draft,
    interface: &Interface,
    style: Style,
    parameters: &[String],
    names: &Names<'_>,
    are_given: bool,
) -> Plan {
    let is_clip = |index: usize| {
        interface.outputs.get(index).is_some_and(|output| output.location == Location::ClipDistances)
    };
    let survey = Survey::new(draft, is_clip);
    let exact_variables = vec![false; draft.variables.len()];
    let mut chooser = Chooser { draft, interface, survey, style, exact_variables };
    for (expr, node) in (0..).zip(&draft.nodes) {
        chooser.size(expr, node);
        if chooser.needs_name(expr, node) {
            chooser.name(expr);
        }
    }
    let is_return_broken = chooser.outputs();
    if style.marks_exact {
        chooser.settle();
    }
    let mut plan = chooser.finish(names, parameters, are_given);
    plan.is_return_broken = is_return_broken;
    plan
}

impl Chooser<'_> {
    /// Finds the size of an expression, after its longest operands got names if it is too long.
    fn size(&mut self, expr: Expr, node: &Node) {
        let draft = self.draft;
        let operands = draft.operands(expr);
        if self.style.marks_exact && matches!(node.form, Form::Read(_)) {
            operands.iter().for_each(|&index| self.name_exact(index));
        }
        let own = Size {
            length: self.own_length(node),
            depth: 0,
            is_exact: self.style.marks_exact && is_arithmetic(node),
        };
        let is_breakable = node.form == Form::Build;
        loop {
            let mut size = own;
            for &operand in operands {
                let part = self.written(operand);
                size.length = size.length.saturating_add(part.length);
                size.depth = size.depth.max(part.depth + 1);
                size.is_exact |= part.is_exact;
            }
            let is_long = size.length > LINE;
            if size.depth > DEPTH || is_long && !is_breakable {
                let parts = operands.iter().filter_map(|&part| self.source(part));
                if let Some(part) = parts.max_by_key(|&part| {
                    let size = self.survey.facts[part as usize].size;
                    if size.depth + 1 >= DEPTH { u32::MAX } else { size.length }
                }) {
                    self.name(part);
                    continue;
                }
            }
            let fact = &mut self.survey.facts[expr as usize];
            (fact.size, fact.is_broken) = (size, is_breakable && is_long);
            return;
        }
    }

    /// What is written for an operand.
    fn written(&self, operand: Operand) -> Size {
        let lanes = u32::from(operand.ty.lanes);
        let (expr, added) = match operand.view {
            View::Whole(expr) => return self.written_expr(expr),
            View::Const(bits) => {
                let all = &bits[..lanes as usize];
                let length = |&bits: &u32| constant_length(operand.ty.kind, bits);
                let length = match lanes {
                    1 => length(&bits[0]),
                    _ if all.iter().all(|&lane| lane == bits[0]) => 7 + length(&bits[0]),
                    _ => 10 + all.iter().map(length).sum::<u32>(),
                };
                return Size { length, depth: u32::from(lanes > 1), is_exact: false };
            }
            View::Lanes(expr, _) => (expr, lanes + 1),
            View::Splat(expr) => (expr, 7),
            View::Not(expr, _) => (expr, 4),
        };
        let size = self.written_expr(expr);
        Size { length: size.length.saturating_add(added), depth: size.depth + 1, is_exact: size.is_exact }
    }

    fn written_expr(&self, expr: Expr) -> Size {
        let fact = &self.survey.facts[expr as usize];
        if fact.is_named() { Size { length: NAME, ..Size::default() } } else { fact.size }
    }

    /// Gives a name to an expression.
    fn name(&mut self, expr: Expr) {
        self.survey.facts[expr as usize].name = UNNUMBERED;
    }

    /// The part of an operand whose name would make it shorter, if there is one.
    fn source(&self, operand: Operand) -> Option<Expr> {
        let expr = operand.view.expr()?;
        let fact = &self.survey.facts[expr as usize];
        let is_shorter = fact.size.length > NAME || fact.size.depth + 1 >= DEPTH;
        (fact.is_evaluated() && !fact.is_named() && is_shorter).then_some(expr)
    }

    fn needs_name(&self, expr: Expr, node: &Node) -> bool {
        let fact = &self.survey.facts[expr as usize];
        if fact.uses == 0 || !fact.is_evaluated() {
            return false;
        }
        if let Form::Variable(variable) = node.form {
            return fact.crosses || self.survey.stored_between(variable, fact.at, expr);
        }
        // The program writes the state, though behind what it reads.
        fact.crosses || fact.uses > 1 || node.form == Form::Read(Source::State)
    }

    /// Outputs get names unless they are short. Whether they are many or long all the same.
    fn outputs(&mut self) -> bool {
        let draft = self.draft;
        let Some(&Line::Outputs { first, count }) = draft.lines.last() else { return false };
        let operands = draft.list(first, count);
        for &operand in operands {
            let Some(expr) = operand.view.expr() else { continue };
            if self.written(operand).length > OUTPUT && self.survey.facts[expr as usize].is_evaluated() {
                self.name(expr);
            }
        }
        operands.iter().map(|&operand| self.written(operand).length + 8).sum::<u32>() > LINE
    }

    /// Names what stands where arithmetic cannot be marked, and finds the variables that are to be
    /// marked.
    fn settle(&mut self) {
        let draft = self.draft;
        for line in &draft.lines {
            match *line {
                Line::If { condition: operand }
                | Line::Switch { selector: operand, .. }
                | Line::Return(operand) => {
                    self.name_exact(operand);
                }
                Line::Outputs { first, count } => {
                    draft.list(first, count).iter().for_each(|&operand| self.name_exact(operand));
                }
                Line::Store { place: Place::Variable(variable), value } => {
                    let exact =
                        value.view.expr().is_some_and(|expr| self.survey.facts[expr as usize].size.is_exact);
                    self.exact_variables[variable as usize] |= exact;
                }
                Line::Store { place: Place::Output(_) | Place::Element(..), value } => self.name_exact(value),
                Line::Evaluate(_)
                | Line::Else
                | Line::Loop { .. }
                | Line::Case { .. }
                | Line::Default
                | Line::End
                | Line::Break
                | Line::Continue
                | Line::Leave => {}
            }
        }
    }

    /// Gives a name to an expression if there is arithmetic on floats in what is written for it.
    fn name_exact(&mut self, operand: Operand) {
        if let Some(expr) = operand.view.expr()
            && self.written(operand).is_exact
            && self.survey.facts[expr as usize].is_evaluated()
        {
            self.name(expr);
        }
    }

    /// Characters that an expression adds to its operands.
    fn own_length(&self, node: &Node) -> u32 {
        match node.form {
            Form::Unary(Unary::Neg | Unary::Not) | Form::Binary(_) => 4,
            Form::Unary(Unary::Abs | Unary::Floor | Unary::Sqrt | Unary::Exp2 | Unary::Log2) => 7,
            Form::Unary(_) | Form::Float => 16,
            Form::Select | Form::Specialized(_) => 10,
            Form::Build if node.ty.lanes == 1 => 0,
            Form::Build => 10,
            Form::Call(_) => 18,
            Form::NotFinite(_) => 30,
            Form::Argument(_) | Form::Variable(_) => NAME,
            Form::Read(Source::Feed | Source::State) => 12,
            Form::Read(Source::Input(_)) | Form::Thread | Form::Length => 20,
            Form::Read(source) => self.source_name(source).len() as u32 + 12,
            Form::Invocation => 5,
        }
    }

    /// The name of what is read.
    fn source_name(&self, source: Source) -> &str {
        match source {
            Source::Member(index) | Source::Element(index, _) | Source::ElementAt(index) => {
                let member = self.interface.block.members.get(usize::from(index));
                member.map_or("value", |member| &member.name)
            }
            Source::Host(field) => field.name(),
            Source::Draw(field) => field.name(),
            Source::FirstThread => FIRST_THREAD_NAME,
            Source::Feed => "vertex",
            Source::State => "word",
            Source::Input(register) => {
                let mut attributes = self.interface.attributes.iter();
                let found = attributes.find(|attribute| attribute.register == register);
                found.map_or("", |attribute| &attribute.name)
            }
        }
    }

    /// The name that an expression would like to have, unless it came from a register.
    fn own_name(&self, expr: Expr) -> Option<Cow<'_, str>> {
        let node = &self.draft.nodes[expr as usize];
        match node.label {
            Label::Word(word) => return Some(Cow::Borrowed(word)),
            Label::Output(index) => {
                let output = self.interface.outputs.get(usize::from(index));
                return Some(Cow::Owned(format!("out_{}", output.map_or("value", |output| &output.name))));
            }
            Label::Hint(_) => {}
        }
        let Form::Read(source) = node.form else { return None };
        Some(match (source, self.source_name(source)) {
            (Source::ElementAt(_), name) => Cow::Owned(format!("{name}_at")),
            (Source::Input(register), "") => Cow::Owned(format!("v{register}")),
            (_, name) => Cow::Borrowed(name),
        })
    }

    /// Gives names: to parameters, variables, expressions.
    fn finish(mut self, names: &Names<'_>, parameters: &[String], are_given: bool) -> Plan {
        let mut names = names.inner();
        let parameters = match are_given {
            true => parameters.to_vec(),
            false => parameters.iter().map(|name| names.unique(name)).collect(),
        };
        let declarations = self.survey.declarations();
        let mut words = Words::default();
        let mut facts = std::mem::take(&mut self.survey.facts);
        for (expr, fact) in (0..).zip(&mut facts) {
            if fact.is_named()
                && fact.kept == NONE
                && let Some(name) = self.own_name(expr)
            {
                fact.name = names.word(&mut words, &name);
            }
        }
        let variables: Vec<u32> = self
            .draft
            .variables
            .iter()
            .map(|local| match local.label {
                Label::Hint(hint) => names.hinted(&mut words, hint, local.ty.kind),
                Label::Word(word) => names.word(&mut words, word),
                Label::Output(_) => unreachable!("variables are not outputs"),
            })
            .collect();
        for (node, fact) in self.draft.nodes.iter().zip(&mut facts) {
            match (fact.store, node.label) {
                (Some((_, variable, _)), _) if fact.kept != NONE => fact.name = variables[variable as usize],
                (_, Label::Hint(hint)) if fact.name == UNNUMBERED => {
                    fact.name = names.hinted(&mut words, hint, node.ty.kind);
                }
                (_, Label::Hint(_) | Label::Word(_) | Label::Output(_)) => {}
            }
        }
        let Self { exact_variables, survey, .. } = self;
        Plan {
            facts,
            words,
            parameters,
            variables,
            exact_variables,
            declarations,
            ends: survey.ends,
            is_return_broken: false,
        }
    }
}

/// Whether an expression computes with floats in a way that compilers may change if nothing forbids
/// it.
fn is_arithmetic(node: &Node) -> bool {
    matches!(
        node.form,
        Form::Binary(Binary::Add | Binary::Mul | Binary::Div | Binary::Dot)
            | Form::Unary(Unary::Sqrt | Unary::Exp2 | Unary::Log2)
    )
}

/// Characters of a constant.
fn constant_length(kind: Kind, bits: u32) -> u32 {
    match kind {
        Kind::U32 if bits > 0xFFFF => 11,
        Kind::F32 if f32::from_bits(bits).fract() != 0.0 => 9,
        Kind::F32 | Kind::I32 | Kind::U32 | Kind::Bool => 3,
    }
}
