//! Expressions, with parentheses only if the stricter grammar of the languages requires them.
//! In: an expression and its required binding strength. Out: text. Knows no lines. Recursion ends
//! at names, whose distance `inline` bounds.
//! Facts: WGSL's expression grammar (`&`, `|`, `^` and shifts take unary operands, comparisons do
//! not chain, `&&` and `||` do not mix) and its template rule: `a < b` in a list of arguments could
//! begin a template that a later `>` ends. GLSL binds as C does.

use std::fmt::Write as _;

use super::Body;
use crate::backend::text::declarations::VERTEX_OUTPUT;
use crate::backend::text::dialect::operators::{Level, Notation, Operator, function, notation, operator};
use crate::backend::text::draft::inline::LINE;
use crate::backend::text::draft::{Expr, Form, Operand, Variable, View, is_finite};
use crate::backend::text::names::LANES;
use crate::backend::text::put::put;
use crate::ir::{Binary, ScalarKind, Type, Unary};

impl Body<'_> {
    /// Writes the right side of a declaration or assignment, with a line for each argument if it is
    /// too long for one.
    pub fn definition(&mut self, expr: Expr) {
        let start = self.out.len();
        // The line ends with a `;` or a `,`.
        self.limit = self.begin + LINE as usize;
        self.content(expr, Level::Choice);
        if self.out.len() >= std::mem::replace(&mut self.limit, usize::MAX) {
            self.out.truncate(start);
            if let Some(trace) = &mut self.trace {
                trace.truncate(trace.partition_point(|&(at, _)| at < start));
            }
            self.is_broken = self.has_arguments(expr);
            self.content(expr, Level::Choice);
        }
    }

    /// Returns whether an expression ends in a list of arguments of its own.
    fn has_arguments(&self, expr: Expr) -> bool {
        let (node, operands) = (self.draft.node(expr), self.draft.operands(expr));
        operands.len() > 1
            && match node.form {
                Form::Build | Form::Call(_) | Form::Outputs => true,
                Form::Select => self.module.dialect.takes_vectors,
                Form::Binary(op) => operator(op, node.ty.lanes).is_none(),
                Form::Variable(_) | Form::Text(..) | Form::Unary(_) | Form::Any | Form::All => false,
            }
    }

    /// Writes a complete operand, as after `=`.
    pub fn complete(&mut self, operand: Operand) {
        match operand.whole() {
            Some(expr) if !self.draft.fact(expr).is_named() => self.definition(expr),
            _ => self.operand(operand, Level::Choice),
        }
    }

    /// Writes arguments in parentheses.
    pub fn arguments(&mut self, arguments: &[Operand]) {
        if std::mem::take(&mut self.is_broken) {
            return self.lines_of(arguments);
        }
        self.out.push('(');
        for (index, &argument) in arguments.iter().enumerate() {
            // The definition is written again: the rest would be dropped.
            if self.out.len() >= self.limit {
                return;
            }
            if index > 0 {
                self.out.push_str(", ");
            }
            let is_last = index + 1 == arguments.len();
            self.operand(argument, if is_last { Level::Choice } else { self.module.dialect.argument });
        }
        self.out.push(')');
    }

    /// Writes arguments in parentheses, each in a line.
    fn lines_of(&mut self, arguments: &[Operand]) {
        let (draft, dialect) = (self.draft, &self.module.dialect);
        self.out.push_str("(\n");
        self.indent += 1;
        for (index, &argument) in arguments.iter().enumerate() {
            self.line();
            match argument.whole() {
                Some(part) if !draft.fact(part).is_named() && self.has_arguments(part) => {
                    self.definition(part)
                }
                _short => self.operand(argument, dialect.argument),
            }
            let is_last = index + 1 == arguments.len();
            self.out.push_str(if is_last { dialect.last_argument } else { ",\n" });
        }
        self.indent -= 1;
        self.line().push(')');
    }

    /// Writes the part of an assignment after the variable: ` = a`, or ` += a` if the value is the
    /// sum of the variable and `a`.
    pub fn assigned(&mut self, at: u32, variable: Variable, value: Operand) {
        let fact = |expr: Expr| self.draft.fact(expr);
        let is_kept = |expr| fact(expr).is_kept && self.draft.stores[fact(expr).store as usize].at == at;
        let written = value.whole().filter(|&expr| is_kept(expr) || !fact(expr).is_named());
        match (written, written.and_then(|expr| self.own_operation(variable, expr))) {
            (_, Some((operator, other))) => {
                value.whole().into_iter().for_each(|expr| self.note(expr));
                self.out.extend([" ", operator, "= "]);
                self.complete(other);
            }
            (Some(expr), None) => {
                self.out.push_str(" = ");
                self.definition(expr);
            }
            (None, None) => {
                self.out.push_str(" = ");
                self.operand(value, Level::Choice);
            }
        }
        self.out.push_str(";\n");
    }

    /// Returns the operation and its other operand, if the value is computed from the contents of
    /// the variable.
    pub fn own_operation(&self, variable: Variable, value: Expr) -> Option<(&'static str, Operand)> {
        let draft = self.draft;
        let Form::Binary(op) = draft.node(value).form else { return None };
        let &[left, right] = draft.operands(value) else { return None };
        let own = |operand: Operand| {
            operand.whole().is_some_and(|expr| match self.name(expr) {
                // A value that goes by the name of the variable.
                Some(name) => name == self.variable(variable),
                None => draft.node(expr).form == Form::Variable(variable),
            })
        };
        let is_product = matches!(op, Binary::Mul | Binary::IMul);
        let is_sum = matches!(op, Binary::Add | Binary::IAdd);
        if !is_product && !is_sum && !matches!(op, Binary::ISub | Binary::Div) {
            return None;
        }
        let text = operator(op, 1)?.text.trim();
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

    /// Returns the `b` of `a + -b`, which is equal to `a - b`.
    fn subtracted(&self, op: Binary, right: Operand) -> Option<Operand> {
        let expr = right.whole()?;
        let draft = self.draft;
        let is_negation = draft.node(expr).form == Form::Unary(Unary::Neg);
        (op == Binary::Add && is_negation && !draft.fact(expr).is_named()).then(|| draft.operands(expr)[0])
    }

    /// Writes an operand, in parentheses if it binds less tightly than `level`.
    pub fn operand(&mut self, operand: Operand, level: Level) {
        let lanes = operand.ty.lanes;
        match operand.view {
            View::Whole(expr) => self.expression(expr, level),
            View::Lanes(expr, pattern) => {
                self.expression(expr, Level::Primary);
                self.out.push('.');
                (0..lanes)
                    .for_each(|place| self.out.push(char::from(b"xyzw"[usize::from(pattern.lane(place))])));
            }
            View::Splat(expr) => {
                self.out.push_str(self.module.dialect.ty(operand.ty));
                self.out.push('(');
                self.expression(expr, Level::Choice);
                self.out.push(')');
            }
            View::Not(expr, lane) => self.negation(expr, lane, level),
            View::Const(bits) if lanes == 1 => self.constant(operand.ty.kind, bits, level, false),
            View::Const(bits) => self.constants(operand.ty, &[bits]),
            View::Consts(number) | View::NotFinite(number) => {
                self.constants(operand.ty, &self.draft.constants[number as usize][..usize::from(lanes)]);
            }
        }
    }

    fn negation(&mut self, expr: Expr, lane: Option<u8>, level: Level) {
        if !self.draft.fact(expr).is_named()
            && let (Form::Binary(op), None) = (self.draft.node(expr).form, lane)
            && let Some(operator @ Operator { opposite: Some(text), .. }) = operator(op, 1)
        {
            // `!(a < b)` is written `a >= b`; comparisons of floats have no opposite because of
            // NaN.
            self.note(expr);
            return self.operation(op, self.draft.operands(expr), Operator { text, ..operator }, level);
        }
        self.enclosed(level > Level::Unary, |body| {
            body.out.push('!');
            body.expression(expr, Level::Primary);
            if let Some(lane) = lane {
                body.out.push('.');
                body.out.push_str(LANES[usize::from(lane & 3)]);
            }
        });
    }

    /// Writes a vector of constants; one argument fills all lanes.
    fn constants(&mut self, ty: Type, bits: &[u32]) {
        self.out.push_str(self.module.dialect.ty(ty));
        self.out.push('(');
        for (index, &lane) in bits.iter().enumerate() {
            self.out.push_str(if index == 0 { "" } else { ", " });
            self.constant(ty.kind, lane, Level::Choice, false);
        }
        self.out.push(')');
    }

    /// Writes an expression or its name, in parentheses if it binds less tightly than `level`.
    #[inline]
    pub fn expression(&mut self, expr: Expr, level: Level) {
        match self.name(expr) {
            None => self.content(expr, level),
            Some(name) => self.out.push_str(name),
        }
    }

    fn content(&mut self, expr: Expr, level: Level) {
        self.note(expr);
        let draft = self.draft;
        let node = draft.node(expr);
        let operands = &draft.operands[node.range()];
        match node.form {
            Form::Variable(variable) => self.out.push_str(self.variable(variable)),
            Form::Text(text) => self.memory(draft.texts[text as usize].word, operands.first().copied()),
            // A lane of a negation.
            Form::Build if node.ty.lanes == 1 => self.operand(operands[0], level),
            Form::Build | Form::Call(_) | Form::Outputs | Form::Any | Form::All => {
                self.out.push_str(match node.form {
                    Form::Call(function) => draft.words.get(draft.functions[function as usize].word),
                    Form::Outputs => VERTEX_OUTPUT,
                    // Both languages have these names.
                    Form::Any => "any",
                    Form::All => "all",
                    _build => self.module.dialect.ty(node.ty),
                });
                self.arguments(operands);
            }
            Form::Unary(op) => self.unary(op, node.ty, operands[0], level),
            Form::Binary(op) => self.binary(op, node.ty.lanes, operands, level),
            Form::Select => self.select(node.ty, operands, level),
        }
    }

    fn binary(&mut self, op: Binary, lanes: u8, operands: &[Operand], level: Level) {
        let draft = self.draft;
        let Some(mut operator) = operator(op, lanes) else {
            if let Some(arguments) = self.clamped(op, operands) {
                // The inner one is written with it.
                operands.iter().filter_map(|operand| operand.whole()).for_each(|inner| self.note(inner));
                self.out.push_str("clamp");
                return self.arguments(&arguments);
            }
            self.out.push_str(function(op).unwrap_or_default());
            return self.arguments(operands);
        };
        let ty = operands[0].ty;
        if ty.lanes > 1
            && let Some(function) = self.vector_function(operator.on_vectors, ty)
        {
            self.out.push_str(function);
            return self.arguments(operands);
        }
        // A `&&` among `||` needs parentheses, and a chain of one of them none.
        let chains = operands[0]
            .whole()
            .is_some_and(|left| !draft.fact(left).is_named() && draft.node(left).form == Form::Binary(op));
        if matches!(operator.level, Level::And | Level::Or) && !chains {
            operator.operands[0] = Level::Relation;
        }
        self.operation(op, operands, operator, level);
    }

    /// Returns the arguments of `clamp`, for a minimum of a maximum with constant bounds or the
    /// reverse. Both are equal for numbers; of NaN neither language says anything.
    fn clamped(&self, op: Binary, operands: &[Operand]) -> Option<[Operand; 3]> {
        let inner = match op {
            Binary::Min => Binary::Max,
            Binary::Max => Binary::Min,
            _other_functions => return None,
        };
        let (value, bound) = bounded(operands)?;
        let draft = self.draft;
        let expr = value.whole().filter(|&expr| !draft.fact(expr).is_named())?;
        if draft.node(expr).form != Form::Binary(inner) {
            return None;
        }
        let (value, other) = bounded(draft.operands(expr))?;
        let [low, high] = if op == Binary::Min { [other, bound] } else { [bound, other] };
        let (lows, highs) = (draft.bits(low.view)?, draft.bits(high.view)?);
        // WGSL refuses bounds in the wrong order.
        let ascending = |lane: usize| f32::from_bits(lows[lane]) <= f32::from_bits(highs[lane]);
        (0..usize::from(low.ty.lanes)).all(ascending).then_some([value, low, high])
    }

    /// Writes the argument of a function. A constant has its type suffix: WGSL evaluates functions
    /// of untyped constants at compile time with more precision.
    fn argument(&mut self, argument: Operand) {
        match argument.scalar() {
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
                if op == Unary::Not && operand.ty.lanes > 1 && !self.module.dialect.takes_vectors {
                    // GLSL's `!` takes scalars alone.
                    self.out.push_str("not");
                    return self.arguments(&[operand]);
                }
                return self.enclosed(level > Level::Unary, |body| {
                    body.out.push(character);
                    // `--a` would be a decrement.
                    body.operand(operand, Level::Primary);
                });
            }
            Notation::Function(name) => self.out.push_str(name),
            Notation::Named([wgsl, glsl]) => {
                self.out.push_str(if self.module.dialect.takes_vectors { wgsl } else { glsl });
            }
            Notation::Constructor => self.out.push_str(self.module.dialect.ty(ty)),
            Notation::Bits(name) => self.bits(name, ty),
        }
        self.argument(operand);
    }

    /// Writes two operands and the operator between them.
    fn operation(&mut self, op: Binary, operands: &[Operand], operator: Operator, level: Level) {
        self.enclosed(level > operator.level, |body| body.between(op, operands, operator));
    }

    fn between(&mut self, op: Binary, operands: &[Operand], operator: Operator) {
        let Operator { text, operands: [left_level, right_level], .. } = operator;
        let &[left, right] = operands else { return };
        let sum = (text == " + ").then_some(op);
        if let (Some(first), Some(second)) = (left.scalar(), right.scalar()) {
            // Untyped constants would be evaluated with more precision.
            self.constant(left.ty.kind, first, left_level, true);
            self.out.push_str(text);
            return self.constant(right.ty.kind, second, right_level, true);
        }
        self.operand(left, left_level);
        if let Some(right) = sum.and_then(|op| self.subtracted(op, right)) {
            self.out.push_str(" - ");
            return self.operand(right, right_level);
        }
        let negative = right.scalar().filter(|_| sum.is_some());
        if let Some(bits) = negative.and_then(|bits| positive(right.ty.kind, bits)) {
            self.out.push_str(" - ");
            return self.constant(right.ty.kind, bits, right_level, false);
        }
        self.out.push_str(text);
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

    /// Writes a constant; `typed`: with the suffix of its type.
    pub fn constant(&mut self, kind: ScalarKind, bits: u32, level: Level, typed: bool) {
        let is_negative = matches!(kind, ScalarKind::F32 | ScalarKind::I32) && bits >> 31 != 0;
        let typed = typed && self.module.dialect.has_suffixes;
        let least = self.module.dialect.least_int;
        self.enclosed(is_negative && level > Level::Unary, |body| {
            let out = &mut *body.out;
            match kind {
                ScalarKind::F32 => {
                    debug_assert!(is_finite(kind, bits));
                    decimal(out, f32::from_bits(bits));
                    out.push_str(if typed { "f" } else { "" });
                }
                ScalarKind::I32 if bits == 1 << 31 => out.push_str(least),
                ScalarKind::I32 => put!(out, bits.cast_signed(), if typed { "i" } else { "" }),
                // Large words are masks or bits of floats, which read better as hexadecimal.
                ScalarKind::U32 if bits > 0xFFFF => {
                    out.push_str("0x");
                    for place in (0..8).rev() {
                        out.push(char::from(b"0123456789abcdef"[(bits >> (4 * place) & 15) as usize]));
                    }
                    out.push('u');
                }
                ScalarKind::U32 => put!(out, bits, "u"),
                ScalarKind::Bool => out.push_str(if bits == 0 { "false" } else { "true" }),
            }
        });
    }
}

/// Returns the operand that varies and the constant one.
fn bounded(operands: &[Operand]) -> Option<(Operand, Operand)> {
    let &[a, b] = operands else { return None };
    match [a.view.expr().is_none(), b.view.expr().is_none()] {
        [true, false] => Some((b, a)),
        [false, true] => Some((a, b)),
        [true, true] | [false, false] => None,
    }
}

/// Returns the magnitude of a negative number.
fn positive(kind: ScalarKind, bits: u32) -> Option<u32> {
    match kind {
        ScalarKind::F32 if f32::from_bits(bits) < 0.0 => Some(bits ^ 1 << 31),
        ScalarKind::I32 if (bits as i32) < 0 => Some((bits as i32).checked_neg()? as u32),
        ScalarKind::F32 | ScalarKind::I32 | ScalarKind::U32 | ScalarKind::Bool => None,
    }
}

/// Writes the shortest decimal that reads as this number via f64, as WGSL reads it.
fn decimal(out: &mut String, value: f32) {
    if value.fract() == 0.0 && value.abs() < 65536.0 && (value != 0.0 || value.is_sign_positive()) {
        return put!(out, value as i32, ".0");
    }
    let start = out.len();
    // `fmt` takes ten times as long. Below these numbers no two of these decimals read as one
    // number, so the first that does is the shortest. From 1e-4 on `fmt` writes no exponent.
    let rows = [(10.0, 4096), (1e2, 4096), (1e3, 4096), (1e4, 512), (1e5, 64), (1e6, 8), (1e7, 1)];
    for (places, (power, below)) in (1..).zip(rows).take_while(|_| value.abs() >= 1e-4) {
        let scaled = (f64::from(value) * power).round();
        if value.abs() < below as f32 && (scaled / power) as f32 == value {
            let (digits, power) = (scaled.abs() as u32, power as u32); // Range: below 2^24.
            put!(out, if value < 0.0 { "-" } else { "" }, digits / power, ".");
            (1..places).filter(|&place| digits % power < 10u32.pow(place)).for_each(|_| out.push('0'));
            return put!(out, digits % power);
        }
    }
    let _ = write!(out, "{value:?}");
    let read: f64 = out[start..].parse().unwrap_or(f64::NAN);
    // The largest f32 rounds up to a decimal that f32 cannot hold.
    let right = (read as f32).to_bits() == value.to_bits() && read.abs() <= f64::from(f32::MAX);
    if !right {
        out.truncate(start);
        let _ = write!(out, "{:?}", f64::from(value));
    }
}
