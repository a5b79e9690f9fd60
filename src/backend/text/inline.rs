//! The one place that decides what is written in place and what gets a name; also what is broken over several lines, and which
//! arithmetic must be marked as exact.
//! In: a draft and its survey. Out: a [`Plan`] that `print` follows. Knows no syntax, only how long things are, roughly.
//!
//! An expression is written where it is used if it is used once, in the loop it is evaluated in, and does not make the line
//! long. A load of a variable may besides be written as often as it is used, if no line between its place and its last use
//! stores the variable. What is first stored in a variable goes by the variable's name as long as that holds it. All else is a
//! constant with a name. The depth of what is written in place is bounded: writer and readers recurse on it.
//! Facts: GLSL's `precise` reaches what goes into the value of a variable, conditions of selections inside of that value too; not
//! what is written for an index, a condition of a statement or a returned value (measured with glslang 12).

use std::borrow::Cow;

use super::draft::{Draft, Expr, Form, Label, Line, Local, Node, Operand, Place, Source, View};
use super::names::{Names, hinted};
use super::survey::{Declaration, NONE, Survey};
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
    /// Whether arrays are copied out of a block to be used more than once.
    pub copies_arrays: bool,
    /// Whether arithmetic on floats is only done as written where it makes a variable that is marked.
    pub marks_exact: bool,
}

/// How an expression is written.
#[derive(Clone, Copy)]
pub struct Choice {
    /// Its name in [`Plan::words`]; [`NONE`] where it is written in place.
    pub name: u32,
    /// The line that stores it in the variable whose name it goes by from there on; [`NONE`] where no line does.
    pub kept: u32,
    /// Whether each of its parts has a line of its own.
    pub is_broken: bool,
    /// Whether there is arithmetic on floats in what is written for it.
    pub is_exact: bool,
}

/// How a function is written.
pub struct Plan {
    pub choices: Vec<Choice>,
    pub words: Vec<String>,
    /// Names of the parameters.
    pub parameters: Vec<String>,
    /// Names of the variables in `words`.
    pub variables: Vec<u32>,
    /// Variables that are given values with arithmetic on floats.
    pub exact_variables: Vec<bool>,
    /// Declarations by place.
    pub declarations: Vec<Declaration>,
    /// For each `If`, the line that ends it.
    pub ends: Vec<u32>,
    /// Whether each output has a line of its own.
    pub is_return_broken: bool,
}

/// Length and depth of an expression, and whether there is arithmetic on floats in it.
#[derive(Clone, Copy, Default)]
struct Size {
    length: u32,
    depth: u32,
    exact: bool,
}

struct Chooser<'d> {
    draft: &'d Draft,
    interface: &'d Interface,
    survey: Survey<'d>,
    style: Style,
    /// Lengths of the names of parameters.
    parameters: Vec<u32>,
    /// Lengths of the names of variables.
    variables: Vec<u32>,
    /// Lengths of the names of expressions, 0 where they have none.
    names: Vec<u32>,
    broken: Vec<bool>,
    sizes: Vec<Size>,
    exact_variables: Vec<bool>,
}

/// The plan of a function. `parameters` are names that the function already has or would like to have.
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
    let mut chooser = Chooser {
        draft,
        interface,
        survey: Survey::new(draft, is_clip),
        style,
        parameters: parameters.iter().map(|name| length(name)).collect(),
        variables: draft.variables.iter().map(|local| length(&variable_name(local))).collect(),
        names: vec![0; draft.nodes.len()],
        broken: vec![false; draft.nodes.len()],
        sizes: Vec::with_capacity(draft.nodes.len()),
        exact_variables: vec![false; draft.variables.len()],
    };
    for (expr, node) in (0..).zip(&draft.nodes) {
        let size = chooser.size(expr, node);
        chooser.sizes.push(size);
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

fn length(name: &str) -> u32 {
    u32::try_from(name.len()).unwrap_or(u32::MAX)
}

impl Chooser<'_> {
    /// The size of an expression, after its longest operands got names if it is too long.
    fn size(&mut self, expr: Expr, node: &Node) -> Size {
        let draft = self.draft;
        let operands = draft.operands(expr);
        if self.style.marks_exact && matches!(node.form, Form::Read(_)) {
            operands.iter().for_each(|&index| self.name_exact(index));
        }
        let own = Size {
            length: self.own_length(node),
            depth: 0,
            exact: self.style.marks_exact && is_arithmetic(node),
        };
        loop {
            let mut size = own;
            for &operand in operands {
                let part = self.written(operand);
                size.length = size.length.saturating_add(part.length);
                size.depth = size.depth.max(part.depth + 1);
                size.exact |= part.exact;
            }
            let is_breakable = node.form == Form::Build;
            let is_long = size.length > LINE;
            self.broken[expr as usize] = is_breakable && is_long;
            if size.depth <= DEPTH && (is_breakable || !is_long) {
                return size;
            }
            let longest = operands.iter().filter_map(|&part| self.source(part)).max_by_key(|&part| {
                let size = self.sizes[part as usize];
                if size.depth + 1 >= DEPTH { u32::MAX } else { size.length }
            });
            match longest {
                Some(part) => self.name(part),
                None => return size,
            }
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
                return Size { length, depth: u32::from(lanes > 1), exact: false };
            }
            View::Lanes(expr, _) if self.is_named(expr) => {
                return Size { length: self.names[expr as usize] + 4, depth: 1, exact: false };
            }
            View::Lanes(expr, _) if self.is_array_named(expr) => return self.written_expr(expr),
            View::Lanes(expr, _) => (expr, if lanes == 1 { 3 } else { lanes + 1 }),
            View::Splat(expr) => (expr, 7),
            View::Not(expr, _) => (expr, 4),
        };
        let size = self.written_expr(expr);
        Size { length: size.length.saturating_add(added), depth: size.depth + 1, exact: size.exact }
    }

    fn written_expr(&self, expr: Expr) -> Size {
        if self.is_named(expr) {
            return Size { length: self.names[expr as usize], ..Size::default() };
        }
        match self.array(expr).filter(|&array| self.is_named(array)) {
            Some(array) => Size { length: self.names[array as usize] + 4, depth: 1, exact: false },
            None => self.sizes[expr as usize],
        }
    }

    fn is_array_named(&self, expr: Expr) -> bool {
        self.array(expr).is_some_and(|array| self.is_named(array))
    }

    /// The array that an expression is an element of.
    fn array(&self, expr: Expr) -> Option<Expr> {
        match self.draft.nodes[expr as usize].form {
            Form::ElementOf(_) => self.draft.operands(expr)[0].view.expr(),
            _ => None,
        }
    }

    fn is_named(&self, expr: Expr) -> bool {
        self.names[expr as usize] != 0
    }

    /// Gives a name to an expression.
    fn name(&mut self, expr: Expr) {
        if !self.is_named(expr) {
            self.names[expr as usize] = length(&self.wanted(expr)).saturating_add(1);
        }
    }

    /// The part of an operand whose name would make it shorter, if there is one.
    fn source(&self, operand: Operand) -> Option<Expr> {
        let expr = operand.view.expr()?;
        let expr = self.array(expr).unwrap_or(expr);
        let size = self.sizes[expr as usize];
        let is_shorter = size.length > NAME || size.depth + 1 >= DEPTH;
        (self.may_have_name(expr) && !self.is_named(expr) && is_shorter).then_some(expr)
    }

    /// Whether an expression makes a value that a name can stand for.
    fn may_have_name(&self, expr: Expr) -> bool {
        self.survey.facts[expr as usize].is_evaluated()
            && match self.draft.nodes[expr as usize].form {
                Form::ElementOf(_) => false,
                Form::Read(Source::Array(_)) => self.style.copies_arrays,
                _ => true,
            }
    }

    fn needs_name(&self, expr: Expr, node: &Node) -> bool {
        let fact = &self.survey.facts[expr as usize];
        if fact.uses == 0 || !self.may_have_name(expr) {
            return self.is_named(expr);
        }
        match node.form {
            Form::Variable(variable) => fact.crosses || self.survey.stored_between(variable, fact.at, expr),
            // The program writes this buffer, though behind what it reads.
            Form::Read(Source::State) => true,
            _ => fact.crosses || fact.uses > 1,
        }
    }

    /// Outputs get names unless they are short. Whether they are many or long all the same.
    fn outputs(&mut self) -> bool {
        let draft = self.draft;
        let Some(&Line::Outputs { first, count }) = draft.lines.last() else { return false };
        let operands = draft.list(first, count);
        for &operand in operands {
            let Some(expr) = operand.view.expr() else { continue };
            let is_long = self.written(operand).length > OUTPUT && !self.is_named(expr);
            if is_long && self.may_have_name(expr) {
                self.name(expr);
            }
        }
        operands.iter().map(|&operand| self.written(operand).length + 8).sum::<u32>() > LINE
    }

    /// Names what stands where arithmetic cannot be marked, and finds the variables that are to be marked.
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
                    let exact = value.view.expr().is_some_and(|expr| self.sizes[expr as usize].exact);
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
            && self.written(operand).exact
            && self.may_have_name(expr)
        {
            self.name(expr);
        }
    }

    /// Characters that an expression adds to its operands.
    fn own_length(&self, node: &Node) -> u32 {
        match node.form {
            Form::Unary(Unary::Neg | Unary::Not) | Form::Binary(_) | Form::Opposite(_) => 4,
            Form::Unary(Unary::Abs | Unary::Floor | Unary::Sqrt | Unary::Exp2 | Unary::Log2) => 7,
            Form::Unary(_) | Form::Float => 16,
            Form::Select | Form::Specialized(_) => 10,
            Form::Build => {
                if node.ty.lanes > 1 {
                    10
                } else {
                    0
                }
            }
            Form::Call(_) => 18,
            Form::NotFinite(variable) => 16 + self.variables[variable as usize],
            Form::Argument(index) => self.parameters.get(usize::from(index)).copied().unwrap_or(NAME),
            Form::Variable(variable) => self.variables[variable as usize],
            Form::ElementOf(_) => 3,
            Form::Read(Source::Feed | Source::State) => 12,
            Form::Read(Source::Input(_)) | Form::Thread | Form::Length => 20,
            Form::Read(source) => length(self.source_name(source)) + 9 + if node.count > 0 { 3 } else { 0 },
            Form::Invocation => 5,
        }
    }

    /// The name of what is read.
    fn source_name(&self, source: Source) -> &str {
        match source {
            Source::Member(index) | Source::Array(index) | Source::Element(index, _) => {
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

    /// The name that an expression would like to have.
    fn wanted(&self, expr: Expr) -> Cow<'_, str> {
        let node = &self.draft.nodes[expr as usize];
        let hint = match node.label {
            Label::Word(word) => return Cow::Borrowed(word),
            Label::Output(index) => {
                let output = self.interface.outputs.get(usize::from(index));
                return Cow::Owned(format!("out_{}", output.map_or("value", |output| &output.name)));
            }
            Label::Hint(hint) => hint,
        };
        let Form::Read(source) = node.form else { return hinted(hint, node.ty.kind) };
        Cow::Owned(match (source, self.source_name(source)) {
            (Source::Element(_, element), name) if name.len() == 1 => format!("{name}{element}"),
            (Source::Element(_, element), name) => format!("{name}_{element}"),
            (Source::Member(_), name) if node.count > 0 => format!("{name}_at"),
            (Source::Input(register), "") => format!("v{register}"),
            (_, name) => return Cow::Borrowed(name),
        })
    }

    /// Gives names: to parameters, variables, expressions.
    fn finish(self, names: &Names<'_>, parameters: &[String], are_given: bool) -> Plan {
        let mut names = names.inner();
        let parameters = match are_given {
            true => parameters.to_vec(),
            false => parameters.iter().map(|name| names.unique(name)).collect(),
        };
        let mut words = Vec::new();
        let mut give = |wanted: &str| {
            words.push(names.unique(wanted));
            words.len() as u32 - 1
        };
        let variables: Vec<u32> =
            self.draft.variables.iter().map(|local| give(&variable_name(local))).collect();
        let mut choices = Vec::with_capacity(self.names.len());
        for (expr, &is_broken) in (0..).zip(&self.broken) {
            let fact = &self.survey.facts[expr as usize];
            let name = match fact.store {
                Some((_, variable, _)) if fact.kept != NONE => variables[variable as usize],
                _ if self.is_named(expr) => give(&self.wanted(expr)),
                _ => NONE,
            };
            let is_exact = self.sizes[expr as usize].exact;
            choices.push(Choice { name, kept: fact.kept, is_broken, is_exact });
        }
        let declarations = self.survey.declarations();
        let Self { exact_variables, survey, .. } = self;
        Plan {
            choices,
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

/// The name that a variable would like to have.
fn variable_name(local: &Local) -> Cow<'static, str> {
    match local.label {
        Label::Hint(hint) => hinted(hint, local.ty.kind),
        Label::Word(word) => Cow::Borrowed(word),
        Label::Output(_) => unreachable!("variables are not outputs"),
    }
}

/// Whether an expression computes with floats in a way that compilers may change if nothing forbids it.
fn is_arithmetic(node: &Node) -> bool {
    match node.form {
        Form::Binary(op) => matches!(op, Binary::Add | Binary::Mul | Binary::Div | Binary::Dot),
        Form::Unary(op) => matches!(op, Unary::Sqrt | Unary::Exp2 | Unary::Log2),
        _ => false,
    }
}

/// Characters of a constant.
fn constant_length(kind: Kind, bits: u32) -> u32 {
    match kind {
        Kind::U32 if bits > 0xFFFF => 11,
        Kind::F32 if f32::from_bits(bits).fract() != 0.0 => 9,
        Kind::F32 | Kind::I32 | Kind::U32 | Kind::Bool => 3,
    }
}
