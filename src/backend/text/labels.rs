//! Names of expressions that come from no register.
//! In: a draft and the expressions that want a name. Out: words that say what they are computed
//! from, or what they are a part of: `inpos_has_nan`, `r7_product`, `color_magnitude`. Knows no
//! syntax.
//!
//! | kind | name |
//! |---|---|
//! | condition | what it asks of which operand |
//! | integer | its operands; how it follows from them |
//! | float that selects or gathers | its operand: register, symbol, attribute |
//! | other float | the register or output that it goes into, and the operation |
//!
//! Only few operands and users are looked at, so that the time is linear.

use std::fmt::Write as _;

use super::draft::{Draft, Expr, Form, Label, Node, Operand, Subject, View};
use super::names::{Word, write_hinted};
use super::uses::NONE;
use crate::ir::{Binary, Hint, HintRegister, ScalarKind, Unary};
use crate::precision::bits::INFINITY;

/// Operands or users on the way to a name.
const STEPS: usize = 6;
/// Maximum characters of a name before the second operand of a comparison is left out.
const LONG: usize = 28;
/// Maximum characters of the names of two conditions that become one name.
const BOTH: usize = 20;

impl Draft {
    /// Gives a label to an expression that wants a name, unless it has one or a variable names it.
    pub(super) fn describe(&mut self, expr: Expr) {
        if !is_plain(self.node(expr).label) || self.fact(expr).kept != NONE {
            return;
        }
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        let mut hint = None;
        match self.node(expr).ty.kind {
            ScalarKind::Bool => self.condition(expr, &mut text),
            ScalarKind::I32 | ScalarKind::U32 => self.integer(expr, &mut text),
            ScalarKind::F32 => hint = self.float(expr, &mut text),
        }
        if let Some(hint) = hint {
            self.nodes[expr as usize].label = Label::Hint(hint);
        } else if !text.is_empty() {
            let word = self.words.add(|out| out.push_str(&text));
            self.nodes[expr as usize].label = Label::Word(word);
        }
        self.text = text;
    }

    /// Writes the name of a condition.
    fn condition(&self, mut expr: Expr, out: &mut String) {
        for _ in 0..STEPS {
            let (node, operands) = (self.node(expr), self.operands(expr));
            let next = match node.form {
                Form::Binary(Binary::And) => operands.last(),
                Form::Binary(Binary::Or) => {
                    if self.either(operands, out) {
                        return;
                    } else {
                        operands.first()
                    }
                }
                Form::Binary(op) if relation(op, false).is_some() => {
                    return self.comparison(op, operands, out);
                }
                Form::Call(function) => {
                    return match operands.first() {
                        Some(&operand) if self.subject(operand, out) => {
                            out.push('_');
                            out.push_str(stem(self.words.get(function)));
                        }
                        _no_subject => out.push_str(stem(self.words.get(function))),
                    };
                }
                Form::Binary(_) | Form::Any | Form::All | Form::Build | Form::Select | Form::Unary(_) => {
                    operands.first()
                }
                Form::Variable(_) | Form::Text(..) | Form::Outputs => return,
            };
            let Some(next) = next.and_then(|operand| operand.view.expr()) else { return };
            if let Label::Word(word) = self.node(next).label {
                out.push_str(self.words.get(word));
                return;
            }
            expr = next;
        }
    }

    /// Writes the common name of two conditions that ask the same: `a_or_b_is_nan`. Returns whether
    /// there is one.
    fn either(&self, operands: &[Operand], out: &mut String) -> bool {
        let &[first, second] = operands else { return false };
        let Some(second) = second.view.expr() else { return false };
        let Label::Word(word) = self.node(second).label else { return false };
        let second = self.words.get(word);
        let ending = ["_is_nan", "_has_nan"].into_iter().find(|&ending| second.ends_with(ending));
        let (Some(ending), Some(first)) = (ending, first.view.expr()) else { return false };
        // A question of its own: chains of these are not followed.
        match self.node(first).form {
            Form::Call(_) | Form::Binary(Binary::ULess) => self.condition(first, out),
            _other_conditions => return false,
        }
        // The names of several lines of a matrix stay short.
        if !out.ends_with(ending) || out.len() + second.len() > BOTH || out == second {
            out.clear();
            return false;
        }
        out.truncate(out.len() - ending.len());
        out.push_str("_or_");
        out.push_str(second);
        true
    }

    /// Writes the name of a comparison: `depth_below_0`, `inpos_is_nan`.
    fn comparison(&self, op: Binary, operands: &[Operand], out: &mut String) {
        let &[a, b] = operands else { return };
        // The constant goes last.
        let is_swapped = matches!(a.view, View::Const(_)) || matches!(a.view, View::Splat(_));
        let (a, b) = if is_swapped { (b, a) } else { (a, b) };
        if !self.subject(a, out) {
            return;
        }
        if op == Binary::ULess && is_swapped && matches!(b.view, View::Const([INFINITY, ..])) {
            out.truncate(out.trim_end_matches("_bits").len());
            out.push_str("_is_nan");
            return;
        }
        let Some(relation) = relation(op, is_swapped) else { return };
        out.push('_');
        out.push_str(relation);
        let start = out.len();
        out.push('_');
        if !self.subject(b, out) && !number(b, out) || out.len() > LONG {
            out.truncate(start);
        }
    }

    /// Writes the name of an integer.
    fn integer(&self, mut expr: Expr, out: &mut String) {
        let mut ending = "";
        for _ in 0..STEPS {
            let operands = self.operands(expr);
            let first = operands.iter().find(|operand| operand.view.expr().is_some());
            match self.node(expr).form {
                Form::Binary(Binary::IMul) => {
                    if let &[a, b] = operands
                        && self.subject(a, out)
                    {
                        out.push('_');
                        if !self.subject(b, out) {
                            out.pop();
                        }
                    }
                    return;
                }
                Form::Call(function) => {
                    if first.is_some_and(|&operand| self.subject(operand, out)) {
                        out.push('_');
                        out.push_str(stem(self.words.get(function)));
                    }
                    return;
                }
                Form::Binary(Binary::IAnd) => ending = "_wrapped",
                Form::Unary(Unary::ToBits) => ending = "_bits",
                Form::Unary(_) => {
                    // i32(bitcast<u32>(a))
                    let Some(inner) = first.and_then(|operand| operand.view.expr()) else { return };
                    if matches!(self.node(inner).form, Form::Unary(_)) {
                        expr = inner;
                        continue;
                    }
                }
                _passed_through => {}
            }
            let next = match self.node(expr).form {
                Form::Select => operands.iter().rev().find(|operand| operand.view.expr().is_some()),
                _other_forms => first,
            };
            let Some(&next) = next else { return };
            if self.subject(next, out) {
                out.push_str(ending);
                return;
            }
            let Some(inner) = next.view.expr() else { return };
            expr = inner;
        }
    }

    /// Writes the name of a float, or returns the register whose name it gets.
    fn float(&self, expr: Expr, out: &mut String) -> Option<Hint> {
        let (node, operands) = (self.node(expr), self.operands(expr));
        let noun = match node.form {
            Form::Build => match self.gathered(node, operands) {
                Some(hint) => return Some(hint),
                None => {
                    if let Some(word) = self.output(expr) {
                        out.push_str(self.words.get(word).trim_start_matches("out_"));
                        return None;
                    }
                    let first = operands.iter().find_map(|&part| self.register(part));
                    if let (Some(hint), true) = (first, node.ty.lanes > 1) {
                        return Some(Hint { mask: 15, ..hint });
                    }
                    ""
                }
            },
            Form::Text(text) if !operands.is_empty() => {
                self.element(self.words.get(self.text(text).subject.name), operands, out);
                return None;
            }
            Form::Variable(_) | Form::Text(..) => "",
            // A uniform, or what takes its place.
            Form::Select if operands[1..].iter().any(|&operand| self.is_read(operand)) => "",
            Form::Call(function) if self.words.get(function).ends_with("_at") => {
                self.element(self.words.get(function), operands, out);
                return None;
            }
            Form::Unary(Unary::Neg) => "negative",
            Form::Call(function) => match stem(self.words.get(function)) {
                name if name.starts_with("mul") => "product",
                name if name.starts_with("dot") => "dot",
                name if name.starts_with("add") => "sum",
                _other_functions => "result",
            },
            Form::Unary(op) => unary_noun(op),
            Form::Binary(op) => binary_noun(op),
            Form::Select => "choice",
            Form::Outputs => "outputs",
            Form::Any | Form::All => return None,
        };
        if noun.is_empty() || noun == "negative" {
            let mut parts = operands.iter().rev();
            let found = match node.form {
                Form::Select => parts.any(|&operand| self.subject(operand, out)),
                _other_forms => operands.iter().any(|&operand| self.subject(operand, out)),
            };
            if found && !noun.is_empty() {
                out.push('_');
            }
            out.push_str(noun);
            return None;
        }
        self.consumer(expr, out);
        out.push_str(noun);
        None
    }

    /// Writes the name of an element that a function reads: `palette_a0_x_1` of
    /// `palette_at(a0_x + 1)`, `c8_a0_x` of `c_at(8 + a0_x)`.
    fn element(&self, function: &str, operands: &[Operand], out: &mut String) {
        let Some(&index) = operands.first() else { return };
        let array = out.len();
        out.push_str(function.strip_suffix("_at").unwrap_or(function));
        let parts = match index.whole().map(|expr| (self.node(expr).form, self.operands(expr))) {
            Some((Form::Binary(Binary::IAdd), &[first, second])) => [Some(first), Some(second)],
            Some(_) | None => [Some(index), None],
        };
        let mut start = out.len();
        for (part, is_first) in parts.into_iter().flatten().zip([true, false]) {
            let before = out.len();
            let text = match part.whole().map(|expr| self.node(expr).form) {
                Some(Form::Text(text)) if is_first => Some(self.text(text).subject),
                Some(_) | None => None,
            };
            // `c8_a0_x`, and `palette_a0_x` of `c[palette + a0_x]`.
            if text.is_some_and(Subject::is_named) {
                out.truncate(array);
                start = array;
            }
            // `c8`, but `bones_1`.
            let is_letter = out.len() == array + 1;
            out.push_str(if text.is_none() || !is_letter && out.len() > array { "_" } else { "" });
            let is_known = match text {
                Some(text) => self.place(text, out),
                None => self.subject(part, out),
            };
            if !is_known && !number(part, out) {
                out.truncate(before);
            }
        }
        // Of an index within a byte, the index.
        let end = out[start..].replace("_offset", "");
        out.truncate(start);
        out.push_str(if end.is_empty() { "_element" } else { &end });
    }

    /// Returns the word of the output that an expression goes into, by way of operations without a
    /// register.
    fn output(&self, mut expr: Expr) -> Option<Word> {
        for _ in 0..STEPS {
            let user = self.fact(expr).user;
            let node = self.nodes.get(user as usize)?;
            match node.label {
                Label::Word(word) => return self.words.get(word).starts_with("out_").then_some(word),
                Label::Hint(Hint { register: HintRegister::None, .. }) => expr = user,
                Label::Hint(_) => return None,
            }
        }
        None
    }

    /// Returns whether an operand is a read of a uniform or of a buffer.
    fn is_read(&self, operand: Operand) -> bool {
        let Some(expr) = operand.view.expr() else { return false };
        // Parameters and attributes are texts too: plain names.
        matches!(self.node(expr).form, Form::Text(text) if self.text(text).is_memory)
    }

    /// Writes the register or output of which an expression is a part, and `_`.
    fn consumer(&self, mut expr: Expr, out: &mut String) {
        for _ in 0..STEPS {
            let fact = self.fact(expr);
            let label = match fact.user {
                NONE => {
                    let Some(store) = self.stores.get(fact.store as usize) else { return };
                    self.variables[store.variable as usize].label
                }
                user => {
                    let node = self.node(user);
                    if node.ty.kind != ScalarKind::F32 || node.form == Form::Outputs {
                        return;
                    }
                    expr = user;
                    node.label
                }
            };
            match label {
                Label::Word(word) => {
                    let name = self.words.get(word);
                    let name = name.strip_prefix("out_").unwrap_or(name);
                    // Of the name of another part, what that is a part of.
                    let whole = name.rsplit_once('_').filter(|(_, noun)| NOUNS.contains(noun));
                    out.push_str(whole.map_or(name, |(whole, _)| whole));
                }
                Label::Hint(Hint { register: HintRegister::None, .. }) if fact.user == NONE => return,
                Label::Hint(Hint { register: HintRegister::None, .. }) => continue,
                Label::Hint(hint) => write_hinted(out, Hint { mask: 0, ..hint }, ScalarKind::F32),
            }
            out.push('_');
            return;
        }
    }

    /// Returns the register of which all parts of a vector are components.
    fn gathered(&self, node: &Node, parts: &[Operand]) -> Option<Hint> {
        let mut gathered: Option<Hint> = None;
        for &part in parts {
            let Some(hint) = self.register(part) else {
                match part.view {
                    View::Const(_) => continue,
                    _other_source => return None,
                }
            };
            let all = gathered.get_or_insert(Hint { mask: 0, ..hint });
            if all.register != hint.register {
                return None;
            }
            all.mask |= hint.mask;
        }
        let hint = gathered?;
        let is_part = hint.mask.count_ones() == u32::from(node.ty.lanes);
        Some(if is_part { hint } else { Hint { mask: 15, ..hint } })
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

    /// Writes what an operand is about; returns whether anything is known of it.
    fn subject(&self, operand: Operand, out: &mut String) -> bool {
        if let Some(hint) = self.register(operand) {
            write_hinted(out, hint, operand.ty.kind);
            return true;
        }
        let Some(mut expr) = operand.view.expr() else { return false };
        for _ in 0..STEPS {
            let node = self.node(expr);
            match (node.label, node.form) {
                (Label::Word(word), _) => {
                    let name = self.words.get(word);
                    out.push_str(name.strip_prefix("out_").unwrap_or(name));
                    return true;
                }
                (Label::Hint(hint), _) if hint.register != HintRegister::None => {
                    write_hinted(out, hint, node.ty.kind);
                    return true;
                }
                (_, Form::Text(text)) => {
                    // The number of an element is no name.
                    let subject = self.text(text).subject;
                    return subject.is_named() && self.place(subject, out);
                }
                (_, Form::Variable(_) | Form::Outputs) => return false,
                _other_forms => {}
            }
            let mut parts = self.operands(expr).iter();
            let next = match node.form {
                Form::Select => parts.rev().find_map(|part| part.view.expr()),
                _other_forms => parts.find_map(|part| part.view.expr()),
            };
            let Some(next) = next else { return false };
            expr = next;
        }
        false
    }
}

impl Draft {
    /// Writes the name of a text: `palette_1` of `c[palette + 1]`, `c5` of `c[5]`. Returns whether
    /// there is one.
    fn place(&self, subject: Subject, out: &mut String) -> bool {
        let [name, array, number] =
            [subject.name, subject.array, subject.number].map(|word| self.words.get(word));
        let stem = if array.is_empty() { name } else { array };
        out.push_str(stem);
        // `modelView_1`, but `c5`.
        if !number.is_empty() && (!array.is_empty() || name.len() > 1) {
            out.push('_');
        }
        out.push_str(number);
        !(stem.is_empty() && number.is_empty())
    }
}

impl Subject {
    /// Returns whether there is more than a number.
    fn is_named(self) -> bool {
        self.name != Word::NONE || self.array != Word::NONE
    }
}

const fn is_plain(label: Label) -> bool {
    matches!(label, Label::Hint(Hint { register: HintRegister::None, .. }))
}

/// Returns the name of a function without the words before and behind it: `has_nan` of
/// `pica_has_nan_vec4f`.
fn stem(function: &str) -> &str {
    let name = function.strip_prefix("pica_").unwrap_or(function);
    ["_vec2f", "_vec3f", "_vec4f"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

/// Writes a constant, if it is short; returns whether it is.
fn number(operand: Operand, out: &mut String) -> bool {
    let View::Const(bits) = operand.view else { return false };
    let lanes = &bits[..usize::from(operand.ty.lanes)];
    let first = bits[0];
    let value = match operand.ty.kind {
        ScalarKind::F32 => {
            let value = f32::from_bits(first);
            if value.fract() != 0.0 || value.abs() > 9999.0 {
                return false;
            }
            value as i32
        }
        ScalarKind::I32 => first as i32,
        ScalarKind::U32 | ScalarKind::Bool if first < 9999 => first as i32,
        ScalarKind::U32 | ScalarKind::Bool => return false,
    };
    if lanes.iter().any(|&lane| lane != first) {
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

/// Nouns of operations.
const NOUNS: [&str; 13] = [
    "choice",
    "dot",
    "floor",
    "logarithm",
    "magnitude",
    "maximum",
    "minimum",
    "power",
    "product",
    "quotient",
    "result",
    "root",
    "sum",
];

/// Returns the noun of an operation.
const fn unary_noun(op: Unary) -> &'static str {
    match op {
        Unary::Abs => "magnitude",
        Unary::Floor => "floor",
        Unary::Sqrt => "root",
        Unary::Exp2 => "power",
        Unary::Log2 => "logarithm",
        _other_operations => "result",
    }
}

/// Returns the noun of an operation.
const fn binary_noun(op: Binary) -> &'static str {
    match op {
        Binary::Add => "sum",
        Binary::Mul => "product",
        Binary::Div => "quotient",
        Binary::Dot => "dot",
        Binary::Min | Binary::NMin => "minimum",
        Binary::Max | Binary::NMax => "maximum",
        _other_operations => "result",
    }
}
