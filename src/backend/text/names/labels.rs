//! Names of expressions that come from no register.
//! In: a draft and the expressions that want a name. Out: titles: what an expression is computed
//! from or a part of, and a noun: `inpos_has_nan`, `r7_product`, `color_magnitude`. Knows no
//! syntax.
//!
//! | kind | stem | noun |
//! |---|---|---|
//! | condition | the operand that it asks about, both of a comparison | of the function |
//! | integer | its operands; how it follows from them | of the function |
//! | float that selects or gathers | its operand: register, symbol, attribute | – |
//! | element | its array and its index | – |
//! | other float | the register or output that it goes into | of the operation: [`noun`] |
//!
//! Only few operands and users are looked at, so that the time is linear.

use std::fmt::Write as _;

use super::{Word, write_hinted};
use crate::backend::text::draft::facts::NONE;
use crate::backend::text::draft::{Draft, Expr, Form, Label, Operand, Subject, Title, View};
use crate::ir::{Binary, Hint, HintRegister, ScalarKind, Unary};
use crate::machine::precision::bits::INFINITY;

/// Operands or users on the way to a name.
const STEPS: usize = 6;
/// Maximum characters of a name before the second operand of a comparison is left out.
const LONG: usize = 28;
/// Maximum characters of the names of two conditions that become one name.
const BOTH: usize = 20;

/// Source of a stem.
#[derive(Clone, Copy)]
enum About {
    /// A register, with the type of its value.
    Register(Hint, ScalarKind),
    Title(Title),
    Text(Subject),
}

impl Draft {
    /// Gives a label to an expression that wants a name, unless it has one or a variable names it.
    pub(crate) fn describe(&mut self, expr: Expr) {
        let node = self.node(expr);
        if !is_plain(node.label) || self.fact(expr).kept != NONE {
            return;
        }
        let kind = node.ty.kind;
        if kind == ScalarKind::F32
            && node.form == Form::Build
            && let Some(hint) = self.gathered(expr)
        {
            self.nodes[expr as usize].label = Label::Hint(hint);
            return;
        }
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        let noun = match kind {
            ScalarKind::Bool => self.condition(expr, &mut text),
            ScalarKind::I32 | ScalarKind::U32 => self.integer(expr, &mut text),
            ScalarKind::F32 => self.float(expr, &mut text),
        };
        if !text.is_empty() || !noun.is_empty() {
            // A noun alone is a word like others.
            let (stem, noun) = if text.is_empty() { (noun, "") } else { (&*text, noun) };
            self.nodes[expr as usize].label = self.titled("", stem, noun);
        }
        self.text = text;
    }

    /// Writes the stem of a condition and returns its noun.
    fn condition(&self, mut expr: Expr, out: &mut String) -> &'static str {
        for _ in 0..STEPS {
            let operands = self.operands(expr);
            let next = match self.node(expr).form {
                Form::Binary(Binary::And) => operands.last(),
                Form::Binary(Binary::Or) => match self.either(operands, out) {
                    "" => operands.first(),
                    noun => return noun,
                },
                Form::Binary(op) if relation(op, false).is_some() => {
                    return self.comparison(op, operands, out);
                }
                Form::Call(function) => {
                    let _ = operands.first().is_some_and(|&operand| self.subject(operand, out));
                    return self.function(function).noun;
                }
                Form::Variable(_) | Form::Text(..) => None,
                _passed_through => operands.first(),
            };
            let Some(next) = next.and_then(|operand| operand.view.expr()) else { break };
            if let Label::Title(title) = self.node(next).label {
                let title = self.title(title);
                self.write_stem(About::Title(title), out);
                return title.noun;
            }
            expr = next;
        }
        ""
    }

    /// Writes the common stem of two conditions that ask the same, and returns their noun:
    /// `a_or_b_is_nan`. None if they do not.
    fn either(&self, operands: &[Operand], out: &mut String) -> &'static str {
        let &[Some(first), Some(second)] = &[0, 1].map(|n: usize| operands.get(n)?.view.expr()) else {
            return "";
        };
        let Label::Title(second) = self.node(second).label else { return "" };
        let Title { stem, noun, .. } = self.title(second);
        // A question of its own: chains of these are not followed.
        if noun.is_empty() || !matches!(self.node(first).form, Form::Call(_) | Form::Binary(Binary::ULess)) {
            return "";
        }
        let (is_equal, second) = (self.condition(first, out) == noun, self.words.get(stem));
        // The names of several lines of a matrix stay short.
        let length = out.len() + second.len() + 2 * (noun.len() + 1);
        if !is_equal || length > BOTH || out == second || out.is_empty() {
            out.clear();
            return "";
        }
        out.extend(["_or_", second]);
        noun
    }

    /// Writes the stem of a comparison and returns its noun: `depth_below_0`, `inpos_is_nan`.
    fn comparison(&self, op: Binary, operands: &[Operand], out: &mut String) -> &'static str {
        let &[a, b] = operands else { return "" };
        // The constant goes last.
        let is_swapped = matches!(a.view, View::Const(_) | View::Splat(_));
        let (a, b) = if is_swapped { (b, a) } else { (a, b) };
        if op == Binary::ULess && is_swapped && matches!(b.view, View::Const([INFINITY, ..])) {
            return if self.stem(a, out) { "is_nan" } else { "" };
        }
        if let Some(relation) = relation(op, is_swapped)
            && self.subject(a, out)
        {
            out.extend(["_", relation]);
            let start = out.len();
            out.push('_');
            if !self.subject(b, out) && !number(b, out) || out.len() > LONG {
                out.truncate(start);
            }
        }
        ""
    }

    /// Writes the stem of an integer and returns its noun.
    fn integer(&self, mut expr: Expr, out: &mut String) -> &'static str {
        // `i32(bitcast<u32>(a))` is about the bits.
        let is_conversion = |form| matches!(form, Form::Unary(op) if op != Unary::ToBits);
        while is_conversion(self.node(expr).form)
            && let Some(inner) = self.next(expr).and_then(|operand| operand.view.expr())
            && matches!(self.node(inner).form, Form::Unary(_))
        {
            expr = inner;
        }
        let Some(next) = self.next(expr) else { return "" };
        match self.node(expr).form {
            Form::Call(function) if self.subject(next, out) => self.function(function).noun,
            Form::Unary(Unary::ToBits) if self.subject(next, out) => "bits",
            Form::Binary(Binary::IAnd) if self.stem(next, out) => {
                out.push_str("_wrapped");
                ""
            }
            Form::Binary(Binary::IMul) => {
                let start = out.len();
                for &factor in self.operands(expr) {
                    out.push_str(if out.len() == start { "" } else { "_" });
                    if !self.subject(factor, out) {
                        out.truncate(out.trim_end_matches('_').len());
                        break;
                    }
                }
                ""
            }
            _passed_through => {
                self.subject(next, out);
                ""
            }
        }
    }

    /// Writes the stem of a float and returns its noun.
    fn float(&self, expr: Expr, out: &mut String) -> &'static str {
        let operands = self.operands(expr);
        match self.node(expr).form {
            Form::Text(text) if !operands.is_empty() => {
                self.element(self.text(text).subject.name, operands[0], out);
            }
            Form::Call(function) if self.function(function).array != Word::NONE => {
                self.element(self.function(function).array, operands[0], out);
            }
            Form::Unary(Unary::Neg) => {
                let is_known = self.subject(operands[0], out);
                out.push_str(if is_known { "_negative" } else { "negative" });
            }
            Form::Build => {
                let is_known = self.output(expr).map(|output| self.write(output, out)).is_some();
                let _ = is_known || operands.iter().any(|&operand| self.subject(operand, out));
            }
            // A uniform, or what takes its place.
            Form::Select if operands[1..].iter().any(|&operand| self.is_read(operand)) => {
                let _ = operands.iter().rev().any(|&operand| self.subject(operand, out));
            }
            Form::Variable(_) | Form::Text(..) | Form::Any | Form::All => {}
            form => {
                if let Some(about) = self.consumer(expr) {
                    self.write_stem(about, out);
                }
                return match form {
                    Form::Call(function) if !self.function(function).noun.is_empty() => {
                        self.function(function).noun
                    }
                    _operation => noun(form),
                };
            }
        }
        ""
    }

    /// Writes the name of an element of an array: `palette_a0_x_1` of `palette_at(a0_x + 1)`,
    /// `c8_a0_x` of `c_at(8 + a0_x)`, `palette_a0_x` of `c[palette + a0_x]`.
    fn element(&self, array: Word, index: Operand, out: &mut String) {
        let mut parts = match index.whole() {
            Some(expr) if self.node(expr).form == Form::Binary(Binary::IAdd) => self.operands(expr),
            Some(_) | None => std::slice::from_ref(&index),
        };
        let first = parts[0].whole().map(|expr| self.node(expr).form);
        let mut subject = Subject { name: array, ..Subject::NONE };
        // The place of a named array, or the number of an element.
        if let Some(Form::Text(text)) = first
            && let Subject { name: Word::NONE, array, number } = self.text(text).subject
        {
            subject = Subject { array, number, ..subject };
            parts = &parts[1..];
        }
        self.place(subject, out);
        let start = out.len();
        for &part in parts {
            let before = out.len();
            out.push('_');
            if !self.stem(part, out) && !number(part, out) {
                out.truncate(before);
            }
        }
        if out.len() == start && subject.array == Word::NONE && subject.number == Word::NONE {
            out.push_str("_element");
        }
    }

    /// Returns whether an operand is a read of a uniform or of a buffer.
    fn is_read(&self, operand: Operand) -> bool {
        let Some(expr) = operand.view.expr() else { return false };
        // Parameters and attributes are texts too: plain names.
        matches!(self.node(expr).form, Form::Text(text) if self.text(text).is_memory)
    }

    /// Returns the register or output of which an expression is a part.
    fn consumer(&self, mut expr: Expr) -> Option<About> {
        for _ in 0..STEPS {
            let fact = self.fact(expr);
            let label = match self.nodes.get(fact.uses.user as usize) {
                Some(user) if user.ty.kind != ScalarKind::F32 || user.form == Form::Outputs => return None,
                Some(user) => user.label,
                None => {
                    let store = self.stores.get(fact.store as usize)?;
                    self.variables[store.variable as usize].label
                }
            };
            match label {
                Label::Title(title) => return Some(About::Title(self.title(title))),
                Label::Hint(Hint { register: HintRegister::None, .. }) if fact.uses.user == NONE => {
                    return None;
                }
                Label::Hint(Hint { register: HintRegister::None, .. }) => expr = fact.uses.user,
                Label::Hint(hint) => {
                    return Some(About::Register(Hint { mask: 0, ..hint }, ScalarKind::F32));
                }
            }
        }
        None
    }

    /// Returns the output of which a vector is a part, by way of operations of all kinds.
    fn output(&self, mut expr: Expr) -> Option<About> {
        for _ in 0..STEPS {
            expr = self.fact(expr).uses.user;
            match self.nodes.get(expr as usize)?.label {
                Label::Title(title) => {
                    let title = self.title(title);
                    return title.is_output.then_some(About::Title(title));
                }
                label if !is_plain(label) => return None,
                _plain => {}
            }
        }
        None
    }

    /// Returns the register whose components a vector gathers; of several registers the first, but
    /// none for a part of an output.
    fn gathered(&self, expr: Expr) -> Option<Hint> {
        let lanes = self.node(expr).ty.lanes;
        let parts = self.operands(expr).iter().filter(|part| !matches!(part.view, View::Const(_)));
        let registers = parts.clone().filter_map(|&part| self.register(part));
        let first = registers.clone().next()?;
        if registers.clone().count() == parts.count()
            && registers.clone().all(|hint| hint.register == first.register)
        {
            let mask = registers.fold(0, |mask, hint| mask | hint.mask);
            return Some(Hint {
                mask: if mask.count_ones() == u32::from(lanes) { mask } else { 15 },
                ..first
            });
        }
        (lanes > 1 && self.output(expr).is_none()).then_some(Hint { mask: 15, ..first })
    }

    /// Returns the components of a register that an operand is.
    fn register(&self, operand: Operand) -> Option<Hint> {
        let expr = operand.view.expr()?;
        let label = match self.node(expr).form {
            Form::Variable(variable) => self.variables[variable as usize].label,
            _other_forms => self.node(expr).label,
        };
        let Label::Hint(hint) = label else { return None };
        if hint.register == HintRegister::None {
            return None;
        }
        let View::Lanes(_, pattern) = operand.view else { return Some(hint) };
        let components = |lane: u8| (0..4).filter(|bit| hint.mask >> bit & 1 != 0).nth(lane.into());
        let lanes = pattern[..usize::from(operand.ty.lanes)].iter();
        let mask = lanes.filter_map(|&lane| components(lane)).fold(0, |mask, bit| mask | 1 << bit);
        Some(Hint { mask, ..hint })
    }

    /// Returns the operand that an expression mostly is: the last value of a selection, else the
    /// first operand that is no constant.
    fn next(&self, expr: Expr) -> Option<Operand> {
        let mut parts = self.operands(expr).iter().filter(|part| part.view.expr().is_some());
        let next = if self.node(expr).form == Form::Select { parts.next_back() } else { parts.next() };
        next.copied()
    }

    /// Returns what an operand is about, if anything is known of it.
    fn about(&self, operand: Operand) -> Option<About> {
        if let Some(hint) = self.register(operand) {
            return Some(About::Register(hint, operand.ty.kind));
        }
        let mut expr = operand.view.expr()?;
        for _ in 0..STEPS {
            let node = self.node(expr);
            match (node.label, node.form) {
                (Label::Title(title), _) => return Some(About::Title(self.title(title))),
                (Label::Hint(hint), _) if hint.register != HintRegister::None => {
                    return Some(About::Register(hint, node.ty.kind));
                }
                // The number of an element is no name.
                (_, Form::Text(text)) => {
                    let subject = self.text(text).subject;
                    let is_named = subject.name != Word::NONE || subject.array != Word::NONE;
                    return is_named.then_some(About::Text(subject));
                }
                (_, Form::Variable(_) | Form::Outputs) => return None,
                _other_forms => expr = self.next(expr)?.view.expr()?,
            }
        }
        None
    }

    /// Writes what an operand is about; returns whether anything is known of it.
    fn subject(&self, operand: Operand, out: &mut String) -> bool {
        self.about(operand).map(|about| self.write(about, out)).is_some()
    }

    /// The same without a noun.
    fn stem(&self, operand: Operand, out: &mut String) -> bool {
        self.about(operand).map(|about| self.write_stem(about, out)).is_some()
    }

    fn write_stem(&self, about: About, out: &mut String) {
        match about {
            About::Title(title) => out.push_str(self.words.get(title.stem)),
            About::Register(..) | About::Text(_) => self.write(about, out),
        }
    }

    fn write(&self, about: About, out: &mut String) {
        match about {
            About::Register(hint, kind) => write_hinted(out, hint, kind),
            About::Title(Title { stem, noun, .. }) => {
                let between = if noun.is_empty() { "" } else { "_" };
                out.extend([self.words.get(stem), between, noun]);
            }
            About::Text(subject) => self.place(subject, out),
        }
    }

    /// Writes the name of a text: `palette_1` of `c[palette + 1]`, `c5` of `c[5]`.
    fn place(&self, subject: Subject, out: &mut String) {
        let [name, array, number] =
            [subject.name, subject.array, subject.number].map(|word| self.words.get(word));
        out.push_str(if array.is_empty() { name } else { array });
        // `modelView_1`, but `c5`.
        if !number.is_empty() && (!array.is_empty() || name.len() > 1) {
            out.push('_');
        }
        out.push_str(number);
    }
}

const fn is_plain(label: Label) -> bool {
    matches!(label, Label::Hint(Hint { register: HintRegister::None, .. }))
}

/// Writes a constant, if it is short; returns whether it is.
fn number(operand: Operand, out: &mut String) -> bool {
    let View::Const(bits) = operand.view else { return false };
    let first = bits[0];
    let value = match operand.ty.kind {
        ScalarKind::F32 => {
            let value = f32::from_bits(first);
            if value.fract() == 0.0 { value as i32 } else { i32::MAX }
        }
        ScalarKind::I32 | ScalarKind::U32 | ScalarKind::Bool => first as i32,
    };
    if value.unsigned_abs() > 9999 || bits[..usize::from(operand.ty.lanes)].iter().any(|&lane| lane != first)
    {
        return false;
    }
    let _ = write!(out, "{}{}", if value < 0 { "minus_" } else { "" }, value.unsigned_abs());
    true
}

/// Returns the word between the operands of a comparison, whose operands may be swapped.
const fn relation(op: Binary, is_swapped: bool) -> Option<&'static str> {
    use Binary::{Equal, Greater, GreaterEqual, IEqual, IGreater, ILess, Less, LessEqual, UEqual, ULess};
    Some(match (op, is_swapped) {
        (Equal | IEqual | UEqual, _) => "is",
        (Less | ILess | ULess, false) | (Greater | IGreater, true) => "below",
        (Less | ILess | ULess, true) | (Greater | IGreater, false) => "above",
        (LessEqual, false) | (GreaterEqual, true) => "at_most",
        (LessEqual, true) | (GreaterEqual, false) => "at_least",
        _no_comparison => return None,
    })
}

/// Returns the noun of an operation on floats.
const fn noun(form: Form) -> &'static str {
    match form {
        Form::Unary(Unary::Abs) => "magnitude",
        Form::Unary(Unary::Floor) => "floor",
        Form::Unary(Unary::Sqrt) => "root",
        Form::Unary(Unary::Exp2) => "power",
        Form::Unary(Unary::Log2) => "logarithm",
        Form::Binary(Binary::Add) => "sum",
        Form::Binary(Binary::Mul) => "product",
        Form::Binary(Binary::Div) => "quotient",
        Form::Binary(Binary::Dot) => "dot",
        Form::Binary(Binary::Min | Binary::NMin) => "minimum",
        Form::Binary(Binary::Max | Binary::NMax) => "maximum",
        Form::Select => "choice",
        _other_forms => "result",
    }
}
