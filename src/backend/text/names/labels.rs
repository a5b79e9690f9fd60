//! Names of expressions that come from no register.
//! In: a draft and the expressions that want a name. Out: titles: what an expression is computed
//! from or a part of, and a noun: `inpos_has_nan`, `r7_product`, `color_magnitude`. Knows no
//! syntax.
//!
//! | kind | stem | noun |
//! |---|---|---|
//! | condition | the operand that it asks about, both of a comparison | of the function |
//! | integer | its operand, or the factors of a product | of the function |
//! | float that selects or gathers | its operand: register, symbol, attribute | – |
//! | element | its array and its index | – |
//! | other float | the register or output that it goes into | of the operation: [`noun`] |
//!
//! Only few operands and users are looked at, so that the time is linear.

use super::{Name, Word};
use crate::backend::text::draft::facts::NONE;
use crate::backend::text::draft::{Draft, Expr, Form, Label, Operand, View};
use crate::backend::text::put::put;
use crate::ir::{Binary, Hint, HintRegister, ScalarKind, Unary};
use crate::machine::precision::bits::INFINITY;

/// Operands or users on the way to a name.
const STEPS: usize = 6;
/// Maximum characters of a comparison before its second operand is left out.
const LONG: u32 = 28;

/// Maximum characters of the stem of two conditions that become one name.
const BOTH: u32 = 10;

/// No name.
const NAMELESS: Name = (Word::NONE, "");

impl Draft {
    /// Gives a label to an expression that wants a name, unless it has one or a variable names it.
    pub(crate) fn describe(&mut self, expr: Expr) {
        let node = *self.node(expr);
        if !is_plain(node.label) || self.fact(expr).is_kept {
            return;
        }
        if node.ty.kind == ScalarKind::F32
            && node.form == Form::Build
            && let Some(hint) = self.gathered(expr)
        {
            self.nodes[expr as usize].label = Label::Hint(hint);
            return;
        }
        let (stem, noun) = match node.ty.kind {
            ScalarKind::Bool => self.condition(expr),
            ScalarKind::I32 | ScalarKind::U32 => self.integer(expr),
            ScalarKind::F32 => self.float(expr),
        };
        if stem.length() > 0 {
            self.nodes[expr as usize].label = self.title_of((stem, noun));
        } else if !noun.is_empty() {
            // A noun alone is a word like others.
            self.nodes[expr as usize].label = self.titled("", noun);
        }
    }

    fn condition(&mut self, mut expr: Expr) -> Name {
        for _ in 0..STEPS {
            let operands = self.operands(expr);
            let next = match self.node(expr).form {
                Form::Binary(Binary::And) => operands.last().copied(),
                Form::Binary(Binary::Or) => match self.either(expr) {
                    Some(name) => return name,
                    None => self.operands(expr).first().copied(),
                },
                Form::Binary(op) if relation(op, false).is_some() => return self.comparison(op, expr),
                Form::Call(function) => {
                    let subject = operands.first().copied().and_then(|operand| self.subject(operand));
                    return (subject.unwrap_or(Word::NONE), self.functions[function as usize].noun);
                }
                Form::Variable(_) | Form::Text(..) => None,
                _passed_through => operands.first().copied(),
            };
            let Some(next) = next.and_then(|operand| operand.view.expr()) else { break };
            if let Label::Title(title) = self.node(next).label {
                let title = self.titles[title as usize];
                return (title.stem, title.noun);
            }
            expr = next;
        }
        NAMELESS
    }

    /// Returns the common name of two conditions that ask the same: `a_or_b_is_nan`.
    fn either(&mut self, expr: Expr) -> Option<Name> {
        let &[first, second, ..] = self.operands(expr) else { return None };
        let [first, second] = [first.view.expr()?, second.view.expr()?];
        let Label::Title(second) = self.node(second).label else { return None };
        // A question of its own: chains of these are not followed.
        if !matches!(self.node(first).form, Form::Call(_) | Form::Binary(Binary::ULess)) {
            return None;
        }
        let ((stem, noun), second) = (self.condition(first), self.titles[second as usize]);
        let is_short = stem.length() + second.stem.length() + 4 <= BOTH;
        let is_one_question = !noun.is_empty() && noun == second.noun && stem.length() > 0;
        (is_short && is_one_question && self.words.get(stem) != self.words.get(second.stem))
            .then(|| (self.words.joined(stem, "_or_", second.stem), noun))
    }

    /// Returns the name of a comparison: `depth_below_0`, `inpos_is_nan`.
    fn comparison(&mut self, op: Binary, expr: Expr) -> Name {
        let &[a, b] = self.operands(expr) else { return NAMELESS };
        // The constant goes last.
        let is_swapped = a.view.expr().is_none() || matches!(a.view, View::Splat(_));
        let (a, b) = if is_swapped { (b, a) } else { (a, b) };
        let Some(about) = self.about(a) else { return NAMELESS };
        if op == Binary::ULess && is_swapped && self.bits(b.view).is_some_and(|[bits, ..]| bits == INFINITY) {
            return (about.0, "is_nan");
        }
        let about = self.whole(about);
        let other = self.subject(b).or_else(|| self.number(b));
        let relation = relation(op, is_swapped).unwrap_or_default();
        let start = self.words.end();
        self.words.joined(about, "_", Word::NONE);
        self.word(relation);
        let length = self.words.since(start).length();
        if let Some(other) = other.filter(|other| length + 1 + other.length() <= LONG) {
            self.word("_");
            self.words.copy(other);
        }
        (self.words.since(start), "")
    }

    fn integer(&mut self, expr: Expr) -> Name {
        let Some(next) = self.next(expr) else { return NAMELESS };
        let Some(about) = self.about(next) else { return NAMELESS };
        // `i32(bitcast<u32>(a))` is about the bits too.
        let is_bits = |expr: Expr| self.node(expr).form == Form::Unary(Unary::ToBits);
        match self.node(expr).form {
            _bits if is_bits(expr) || next.whole().is_some_and(is_bits) => (self.whole(about), "bits"),
            Form::Call(function) => (self.whole(about), self.functions[function as usize].noun),
            Form::Binary(Binary::IAnd) => (self.words.joined(about.0, "_wrapped", Word::NONE), ""),
            Form::Binary(Binary::IMul) => {
                let &[a, b] = self.operands(expr) else { return NAMELESS };
                let name = match [self.subject(a), self.subject(b)] {
                    [Some(a), Some(b)] => self.words.joined(a, "_", b),
                    [one, other] => one.or(other).unwrap_or(Word::NONE),
                };
                (name, "")
            }
            _passed_through => (self.whole(about), ""),
        }
    }

    fn float(&mut self, expr: Expr) -> Name {
        let first = self.operands(expr).first().copied();
        let name = match (self.node(expr).form, first) {
            (Form::Text(text), Some(first)) => Some(self.element(self.texts[text as usize].subject, first)),
            (Form::Call(function), Some(first)) if self.functions[function as usize].array != Word::NONE => {
                Some(self.element(self.functions[function as usize].array, first))
            }
            (Form::Unary(Unary::Neg), Some(first)) => {
                self.subject(first).map(|name| self.words.joined(name, "_negative", Word::NONE))
            }
            (Form::Build, _) => self
                .output(expr)
                .or_else(|| self.node(expr).range().find_map(|index| self.subject(self.operands[index]))),
            // A uniform, or what takes its place.
            (Form::Select, _) if self.operands(expr)[1..].iter().any(|&operand| self.is_read(operand)) => {
                self.node(expr).range().rev().find_map(|index| self.subject(self.operands[index]))
            }
            (Form::Variable(_) | Form::Text(..) | Form::Any | Form::All, _) => None,
            (form, _) => {
                let noun = match form {
                    Form::Call(function) => self.functions[function as usize].noun,
                    _operation => "",
                };
                let noun = if noun.is_empty() { self::noun(form) } else { noun };
                return (self.consumer(expr).unwrap_or(Word::NONE), noun);
            }
        };
        (name.unwrap_or(Word::NONE), "")
    }

    /// Returns the name of an element of an array: `palette_a0_x_1` of `palette_at(a0_x + 1)`,
    /// `c8_a0_x` of `c_at(8 + a0_x)`, `palette_a0_x` of `c[palette + a0_x]`.
    fn element(&mut self, array: Word, index: Operand) -> Word {
        let mut name = array;
        let parts = match index.whole() {
            Some(expr) if self.node(expr).form == Form::Binary(Binary::IAdd) => match self.operands(expr) {
                &[a, b] => [Some(a), Some(b)],
                _other => [None; 2],
            },
            Some(_) | None => [Some(index), None],
        };
        for part in parts.into_iter().flatten() {
            let form = part.whole().map(|expr| self.node(expr).form);
            match form {
                // The place of a named array, or the number of an element.
                Some(Form::Text(text)) if self.texts[text as usize].is_index => {
                    let place = self.texts[text as usize].subject;
                    name = if !self.words.get(place).starts_with(|c: char| c.is_ascii_digit()) {
                        place
                    } else {
                        let between = if name.length() > 1 { "_" } else { "" };
                        self.words.joined(name, between, place)
                    };
                }
                _other_part => {
                    let stem = self.about(part).map(|(stem, _)| stem).or_else(|| self.number(part));
                    name = stem.map_or(name, |stem| self.words.joined(name, "_", stem));
                }
            }
        }
        name
    }

    /// Returns whether an operand is a read of a uniform or of a buffer.
    fn is_read(&self, operand: Operand) -> bool {
        let form = operand.view.expr().map(|expr| self.node(expr).form);
        // Parameters and attributes are texts too: plain names.
        matches!(form, Some(Form::Text(text)) if self.texts[text as usize].is_memory)
    }

    /// Returns the register or output of which an expression is a part.
    fn consumer(&mut self, mut expr: Expr) -> Option<Word> {
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
                Label::Title(title) => return Some(self.titles[title as usize].stem),
                label if is_plain(label) && fact.uses.user == NONE => return None,
                label if is_plain(label) => expr = fact.uses.user,
                Label::Hint(hint) => return Some(self.words.stem(Hint { mask: 0, ..hint }, ScalarKind::F32)),
            }
        }
        None
    }

    /// Returns the output of which a vector is a part, by way of operations of all kinds.
    fn output(&self, mut expr: Expr) -> Option<Word> {
        for _ in 0..STEPS {
            expr = self.fact(expr).uses.user;
            match self.nodes.get(expr as usize)?.label {
                Label::Title(title) => {
                    let title = self.titles[title as usize];
                    return title.is_output.then_some(title.stem);
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
        let (mut first, mut mask, mut is_one) = (None, 0, true);
        for &part in self.operands(expr).iter().filter(|part| part.view.expr().is_some()) {
            let hint = self.register(part);
            mask |= hint.map_or(0, |hint| hint.mask);
            is_one &= hint.is_some_and(|hint| first.get_or_insert(hint).register == hint.register);
        }
        let first = first?;
        let mask = if is_one && mask.count_ones() == u32::from(lanes) { mask } else { 15 };
        (is_one || lanes > 1 && self.output(expr).is_none()).then_some(Hint { mask, ..first })
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
        let lanes = (0..operand.ty.lanes).map(|place| pattern.lane(place));
        let mask = lanes.filter_map(components).fold(0, |mask, bit| mask | 1 << bit);
        Some(Hint { mask, ..hint })
    }

    /// Returns the operand that an expression mostly is: the last value of a selection, else the
    /// first operand that is not a constant.
    fn next(&self, expr: Expr) -> Option<Operand> {
        let mut parts = self.operands(expr).iter().filter(|part| part.view.expr().is_some());
        let next = if self.node(expr).form == Form::Select { parts.next_back() } else { parts.next() };
        next.copied()
    }

    /// Returns what an operand is about, or `None` if nothing is known of it.
    fn about(&mut self, operand: Operand) -> Option<Name> {
        if let Some(hint) = self.register(operand) {
            return Some((self.words.stem(hint, operand.ty.kind), ""));
        }
        let mut expr = operand.view.expr()?;
        for _ in 0..STEPS {
            let node = self.node(expr);
            match (node.label, node.form) {
                (Label::Title(title), _) => {
                    let title = self.titles[title as usize];
                    return Some((title.stem, title.noun));
                }
                (Label::Hint(hint), _) if !is_plain(node.label) => {
                    return Some((self.words.stem(hint, node.ty.kind), ""));
                }
                (_, Form::Text(text)) => {
                    let subject = self.texts[text as usize].subject;
                    // The number of an element is not a name.
                    let is_name = self.words.get(subject).starts_with(|c: char| !c.is_ascii_digit());
                    return is_name.then_some((subject, ""));
                }
                (_, Form::Variable(_) | Form::Outputs) => return None,
                _other_forms => expr = self.next(expr)?.view.expr()?,
            }
        }
        None
    }

    /// Returns the name of what an operand is about.
    fn subject(&mut self, operand: Operand) -> Option<Word> {
        self.about(operand).map(|name| self.whole(name))
    }

    /// Returns a constant, if it is short and the same in each lane.
    fn number(&mut self, operand: Operand) -> Option<Word> {
        let View::Const(bits) = operand.view else { return None };
        let float = f32::from_bits(bits);
        let number = match operand.ty.kind {
            ScalarKind::F32 if float.fract() != 0.0 => return None,
            ScalarKind::F32 => float as i32, // Range: saturates, which is not short.
            ScalarKind::I32 | ScalarKind::U32 | ScalarKind::Bool => bits.cast_signed(),
        };
        (number.unsigned_abs() <= 9999).then(|| {
            self.words.add(|out| put!(out, if number < 0 { "minus_" } else { "" }, number.unsigned_abs()))
        })
    }
}

const fn is_plain(label: Label) -> bool {
    matches!(label, Label::Hint(Hint { register: HintRegister::None, .. }))
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
        Form::Binary(Binary::Min) => "minimum",
        Form::Binary(Binary::Max) => "maximum",
        Form::Select => "choice",
        _other_forms => "result",
    }
}
