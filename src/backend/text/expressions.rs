//! Expressions, with parentheses only where the stricter grammar of the languages asks for them.
//! In: an expression and how tightly it must hold together. Out: text. Knows no lines. Recursion
//! ends at names, whose distance `inline` bounds.
//! Facts: WGSL's expression grammar (`&`, `|`, `^` and shifts take unary operands, comparisons do
//! not chain, `&&` and `||` do not mix) and its template rule: `a < b` in a list of arguments could
//! begin a template that a later `>` ends. GLSL binds as C does.

use std::fmt::Write as _;

use super::draft::{Expr, Form, Operand, Place, Source, View, is_finite};
use super::operators::{Level, Notation, Operator, notation, operator};
use super::print::{Body, Dialect, Holder, whole_of};
use super::survey::NONE;
use crate::backend::interface::{FIRST_THREAD_NAME, StorageBuffer};
use crate::host::profile::specialized_name;
use crate::ir::{Binary, Kind, Type, Unary};

const LANES: [char; 4] = ['x', 'y', 'z', 'w'];

impl<D: Dialect> Body<'_, D> {
    /// The right side of a declaration or assignment.
    pub fn definition(&mut self, expr: Expr) {
        if self.fact(expr).is_broken {
            let draft = self.draft;
            self.out.push_str(D::ty(draft.nodes[expr as usize].ty));
            let operands = draft.operands(expr);
            self.broken(operands.len(), |body, index, level| body.operand(operands[index], level));
        } else {
            self.content(expr, Level::Choice);
        }
    }

    /// A complete operand, as after `=`.
    pub fn complete(&mut self, operand: Operand) {
        match whole_of(operand) {
            Some(expr) if self.fact(expr).name == NONE => self.definition(expr),
            _ => self.operand(operand, Level::Choice),
        }
    }

    /// Arguments in parentheses, each on a line of its own.
    pub fn broken(&mut self, count: usize, write: impl Fn(&mut Self, usize, Level)) {
        self.out.push_str("(\n");
        self.indent += 1;
        for index in 0..count {
            self.line();
            write(self, index, D::ARGUMENT);
            self.out.push_str(if index + 1 == count && !D::COMMA_ENDS { "\n" } else { ",\n" });
        }
        self.indent -= 1;
        self.line().push(')');
    }

    /// Arguments in parentheses.
    pub fn listed(&mut self, count: usize, write: impl Fn(&mut Self, usize, Level)) {
        self.out.push('(');
        for index in 0..count {
            self.out.push_str(if index == 0 { "" } else { ", " });
            write(self, index, if index + 1 == count { Level::Choice } else { D::ARGUMENT });
        }
        self.out.push(')');
    }

    /// One lane of an operand.
    pub fn lane(&mut self, operand: Operand, lane: usize) {
        let view = match operand.view {
            View::Whole(expr) => View::Lanes(expr, [lane as u8; 4]),
            View::Lanes(expr, pattern) => View::Lanes(expr, [pattern[lane]; 4]),
            View::Splat(expr) => View::Whole(expr),
            View::Const(bits) => View::Const([bits[lane], 0, 0, 0]),
            View::Not(..) => operand.view,
        };
        self.operand(Operand { view, ty: operand.ty.with_lanes(1) }, Level::Choice);
    }

    /// What follows the place in an assignment: ` = a`, or ` += a` where the value is the place's
    /// own and `a`.
    pub fn assigned(&mut self, at: u32, place: Place, value: Operand) {
        let Some(expr) = whole_of(value).filter(|&expr| {
            let fact = self.fact(expr);
            fact.kept == at || fact.name == NONE
        }) else {
            self.out.push_str(" = ");
            return self.operand(value, Level::Choice);
        };
        if let Place::Variable(variable) = place
            && let Some((text, other)) = self.own_operation(variable, expr)
        {
            let _ = write!(self.out, " {text}= ");
            return self.complete(other);
        }
        self.out.push_str(" = ");
        self.definition(expr);
    }

    /// The operation and its other operand, if the value is made from what the variable holds.
    fn own_operation(&self, variable: u32, value: Expr) -> Option<(&'static str, Operand)> {
        let draft = self.draft;
        let Form::Binary(op) = draft.nodes[value as usize].form else { return None };
        let &[left, right] = draft.operands(value) else { return None };
        let own = |operand: Operand| {
            whole_of(operand).is_some_and(|expr| match self.name(expr) {
                // A value that goes by the name of the variable.
                Some(name) => name == self.variable(variable),
                None => draft.nodes[expr as usize].form == Form::Variable(variable),
            })
        };
        let is_product = matches!(op, Binary::Mul | Binary::IMul);
        let is_sum = matches!(op, Binary::Add | Binary::IAdd);
        if !is_product && !is_sum && !matches!(op, Binary::ISub | Binary::Div) {
            return None;
        }
        let text = operator(op, 1)?.text;
        // A scalar is not made a vector by its factor.
        let other = if (is_product || is_sum) && own(right) && !own(left) && left.ty == right.ty {
            left
        } else if own(left) {
            right
        } else {
            return None;
        };
        Some(self.subtracted(op, other).map_or((text, other), |other| ("-", other)))
    }

    /// The `b` of `a + -b`, which reads better as `a - b` and is the same.
    fn subtracted(&self, op: Binary, right: Operand) -> Option<Operand> {
        let expr = whole_of(right)?;
        let is_negation = self.draft.nodes[expr as usize].form == Form::Unary(Unary::Neg);
        (op == Binary::Add && is_negation && self.fact(expr).name == NONE)
            .then(|| self.draft.operands(expr)[0])
    }

    /// An operand, in parentheses where it holds together less than `level`.
    pub fn operand(&mut self, operand: Operand, level: Level) {
        let lanes = usize::from(operand.ty.lanes);
        match operand.view {
            View::Whole(expr) => self.expression(expr, level),
            View::Lanes(expr, pattern) => {
                self.expression(expr, Level::Primary);
                self.out.push('.');
                for &lane in &pattern[..lanes] {
                    self.out.push(LANES[usize::from(lane & 3)]);
                }
            }
            View::Splat(expr) => {
                self.out.push_str(D::ty(operand.ty));
                self.out.push('(');
                self.expression(expr, Level::Choice);
                self.out.push(')');
            }
            View::Not(expr, lane) => self.negation(expr, lane, level),
            View::Const(bits) => self.constants(operand, &bits[..lanes], level),
        }
    }

    fn negation(&mut self, expr: Expr, lane: Option<u8>, level: Level) {
        if self.fact(expr).name == NONE
            && let (Form::Binary(op), None) = (self.draft.nodes[expr as usize].form, lane)
            && let Some(operator @ Operator { opposite: Some(text), .. }) = operator(op, 1)
        {
            return self.operation(expr, Operator { text, ..operator }, level);
        }
        self.enclosed(level > Level::Unary, |body| {
            body.out.push('!');
            body.expression(expr, Level::Primary);
            if let Some(lane) = lane {
                body.out.push('.');
                body.out.push(LANES[usize::from(lane & 3)]);
            }
        });
    }

    fn constants(&mut self, operand: Operand, bits: &[u32], level: Level) {
        let kind = operand.ty.kind;
        let &[first, ref rest @ ..] = bits else { return };
        if rest.is_empty() {
            return self.constant(kind, first, level, false);
        }
        self.out.push_str(D::ty(operand.ty));
        self.out.push('(');
        self.constant(kind, first, Level::Choice, false);
        if rest.iter().any(|&lane| lane != first) {
            for &lane in rest {
                self.out.push_str(", ");
                self.constant(kind, lane, Level::Choice, false);
            }
        }
        self.out.push(')');
    }

    /// An expression or its name, in parentheses where it holds together less than `level`.
    pub fn expression(&mut self, expr: Expr, level: Level) {
        match self.fact(expr).name {
            NONE => self.content(expr, level),
            word => {
                let name = self.plan.words.get(word);
                self.out.push_str(name);
            }
        }
    }

    fn content(&mut self, expr: Expr, level: Level) {
        let draft = self.draft;
        let (node, operands) = (&draft.nodes[expr as usize], draft.operands(expr));
        match node.form {
            Form::Argument(index) => self.out.push_str(&self.plan.parameters[usize::from(index)]),
            Form::Variable(variable) => self.held(Holder::Empty(variable)),
            Form::NotFinite(variable) => {
                D::bits(self.out, "uintBitsToFloat", Type::F32);
                self.out.push('(');
                self.held(Holder::Empty(variable));
                self.out.push(')');
            }
            Form::Specialized(id) => {
                let _ = write!(self.out, "{}", specialized_name(id));
            }
            Form::Build if node.ty.lanes == 1 => self.operand(operands[0], level),
            Form::Build => {
                self.out.push_str(D::ty(node.ty));
                self.arguments(operands);
            }
            Form::Float => {
                self.out.push_str(D::ty(node.ty));
                self.argument(operands[0]);
            }
            Form::Call(helper) => {
                let name = &self.helpers[usize::from(helper)];
                self.out.push_str(name);
                self.arguments(operands);
            }
            Form::Unary(op) => self.unary(op, node.ty, operands[0], level),
            Form::Binary(op) => self.binary(expr, op, operands, level),
            Form::Select => D::select(self, node.ty, operands, level),
            Form::Read(source) => self.read(source, operands),
            Form::Invocation => D::invocation(self),
            Form::Thread => {
                self.out.push_str(D::ty(Type::I32));
                self.out.push('(');
                D::invocation(self);
                self.out.push(')');
            }
            Form::Length => self.out.push_str(D::LENGTH),
        }
    }

    fn binary(&mut self, expr: Expr, op: Binary, operands: &[Operand], level: Level) {
        let draft = self.draft;
        let Some(mut operator) = operator(op, draft.nodes[expr as usize].ty.lanes) else {
            self.out.push_str("dot");
            return self.arguments(operands);
        };
        if operands[0].ty.lanes > 1 && D::vector_function(self, operator.on_vectors, operands[0].ty) {
            return self.arguments(operands);
        }
        // A `&&` among `||` needs parentheses, and a chain of one of them none.
        let chains = whole_of(operands[0]).is_some_and(|left| {
            self.fact(left).name == NONE && draft.nodes[left as usize].form == Form::Binary(op)
        });
        if matches!(operator.level, Level::And | Level::Or) && !chains {
            operator.operands[0] = Level::Relation;
        }
        self.operation(expr, operator, level);
    }

    fn read(&mut self, source: Source, index: &[Operand]) {
        let (declarations, out) = (self.declarations, &mut *self.out);
        let member = |index: u16| declarations.members.get(usize::from(index)).map_or("", String::as_str);
        let _ = match source {
            Source::Member(index) | Source::ElementAt(index) => write!(out, "uniforms.{}", member(index)),
            Source::Element(index, element) => write!(out, "uniforms.{}[{element}]", member(index)),
            Source::Host(field) => write!(out, "host.{}", field.name()),
            Source::Draw(field) => write!(out, "draw.{}", field.name()),
            Source::FirstThread => write!(out, "draw.{FIRST_THREAD_NAME}"),
            Source::Feed => write!(out, "{}", StorageBuffer::FEED.name),
            Source::State => write!(out, "{}", StorageBuffer::STATE.name),
            Source::Input(register) => {
                out.push_str("inputs[");
                D::invocation(self);
                write!(self.out, "][{register}]")
            }
        };
        if let &[index] = index {
            self.out.push('[');
            self.operand(index, Level::Choice);
            self.out.push(']');
        }
    }

    /// Arguments in parentheses.
    pub fn arguments(&mut self, arguments: &[Operand]) {
        self.listed(arguments.len(), |body, index, level| body.operand(arguments[index], level));
    }

    /// The argument of a function that some language evaluates early where it is a constant: that
    /// says its type.
    pub fn argument(&mut self, argument: Operand) {
        match constant_of(argument) {
            Some(bits) => {
                self.out.push('(');
                self.constant(argument.ty.kind, bits, Level::Choice, true);
                self.out.push(')');
            }
            None => self.arguments(&[argument]),
        }
    }

    fn unary(&mut self, op: Unary, ty: Type, operand: Operand, level: Level) {
        match notation(op).unwrap_or(Notation::Constructor) {
            Notation::Prefix(character) => {
                if op == Unary::Not && operand.ty.lanes > 1 && D::NOT != "!" {
                    self.out.push_str(D::NOT);
                    return self.arguments(&[operand]);
                }
                return self.enclosed(level > Level::Unary, |body| {
                    body.out.push(character);
                    // `--a` would be a decrement.
                    body.operand(operand, Level::Primary);
                });
            }
            Notation::Function(name) => self.out.push_str(name),
            Notation::Constructor => self.out.push_str(D::ty(ty)),
            Notation::Bits(name) => D::bits(self.out, name, ty),
        }
        self.argument(operand);
    }

    /// Two operands and the operator between them.
    fn operation(&mut self, expr: Expr, operator: Operator, level: Level) {
        self.enclosed(level > operator.level, |body| body.between(expr, operator));
    }

    fn between(&mut self, expr: Expr, Operator { text, operands, .. }: Operator) {
        let [left_level, right_level] = operands;
        let draft = self.draft;
        let &[left, right] = draft.operands(expr) else { return };
        let sum = match draft.nodes[expr as usize].form {
            Form::Binary(op) if text == "+" => Some(op),
            _ => None,
        };
        if let (Some(first), Some(second)) = (constant_of(left), constant_of(right)) {
            // Numbers without a type would be computed with more digits.
            self.constant(left.ty.kind, first, left_level, true);
            let _ = write!(self.out, " {text} ");
            return self.constant(right.ty.kind, second, right_level, true);
        }
        self.operand(left, left_level);
        if let Some(right) = sum.and_then(|op| self.subtracted(op, right)) {
            self.out.push_str(" - ");
            return self.operand(right, right_level);
        }
        if let Some(bits) =
            constant_of(right).filter(|_| sum.is_some()).and_then(|bits| positive(right.ty.kind, bits))
        {
            self.out.push_str(" - ");
            return self.constant(right.ty.kind, bits, right_level, false);
        }
        self.out.push(' ');
        self.out.push_str(text);
        self.out.push(' ');
        self.operand(right, right_level);
    }

    pub fn enclosed(&mut self, parentheses: bool, write: impl FnOnce(&mut Self)) {
        if parentheses {
            self.out.push('(');
        }
        write(self);
        if parentheses {
            self.out.push(')');
        }
    }

    /// A constant; `typed`: with the letter of its type.
    pub fn constant(&mut self, kind: Kind, bits: u32, level: Level, typed: bool) {
        let is_negative = matches!(kind, Kind::F32 | Kind::I32) && bits >> 31 != 0;
        let typed = typed && D::TYPED_LITERALS;
        self.enclosed(is_negative && level > Level::Unary, |body| {
            let out = &mut *body.out;
            let _ = match kind {
                Kind::F32 => {
                    debug_assert!(is_finite(kind, bits));
                    decimal(out, f32::from_bits(bits));
                    if typed { write!(out, "f") } else { Ok(()) }
                }
                Kind::I32 if bits == 1 << 31 => write!(out, "{}", D::LEAST_INT),
                Kind::I32 => write!(out, "{}{}", bits as i32, if typed { "i" } else { "" }),
                Kind::U32 if bits > 0xFFFF => write!(out, "{bits:#010x}u"),
                Kind::U32 => write!(out, "{bits}u"),
                Kind::Bool => write!(out, "{}", bits != 0),
            };
        });
    }
}

/// The bits of a scalar constant.
fn constant_of(operand: Operand) -> Option<u32> {
    match operand.view {
        View::Const([bits, ..]) if operand.ty.lanes == 1 => Some(bits),
        View::Const(_) | View::Whole(_) | View::Lanes(..) | View::Splat(_) | View::Not(..) => None,
    }
}

/// The number without its minus, if it has one.
fn positive(kind: Kind, bits: u32) -> Option<u32> {
    match kind {
        Kind::F32 if f32::from_bits(bits) < 0.0 => Some(bits ^ 1 << 31),
        Kind::I32 if (bits as i32) < 0 => Some((bits as i32).checked_neg()? as u32),
        Kind::F32 | Kind::I32 | Kind::U32 | Kind::Bool => None,
    }
}

/// The shortest decimal that is this number, read with the precision of f64 first, as WGSL does.
fn decimal(out: &mut String, value: f32) {
    if value.fract() == 0.0 && value.abs() < 65536.0 && (value != 0.0 || value.is_sign_positive()) {
        let _ = write!(out, "{}.0", value as i32);
        return;
    }
    let start = out.len();
    let _ = write!(out, "{value:?}");
    let read: f64 = out[start..].parse().unwrap_or(f64::NAN);
    // The largest f32 rounds up to a decimal that f32 cannot hold.
    let right = (read as f32).to_bits() == value.to_bits() && read.abs() <= f64::from(f32::MAX);
    if !right {
        out.truncate(start);
        let _ = write!(out, "{:?}", f64::from(value));
    }
}
