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

use super::{Word, hinted};
use crate::backend::text::draft::facts::NONE;
use crate::backend::text::draft::{Draft, Expr, Form, Label, Operand, View};
use crate::ir::{Binary, Hint, HintRegister, ScalarKind, Unary};
use crate::machine::precision::bits::INFINITY;

/// Operands or users on the way to a name.
const STEPS: usize = 6;
/// Maximum characters of a comparison before its second operand is left out.
const LONG: usize = 28;

/// Maximum characters of the stem of two conditions that become one name.
const BOTH: usize = 10;

/// A stem and a noun; either may be empty.
type Name = (String, &'static str);

impl Draft {
    /// Gives a label to an expression that wants a name, unless it has one or a variable names it.
    pub(crate) fn describe(&mut self, expr: Expr) {
        let node = *self.node(expr);
        if !is_plain(node.label) || self.fact(expr).kept != NONE {
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
        // A noun alone is a word like others.
        let (stem, noun) = if stem.is_empty() { (noun, "") } else { (&*stem, noun) };
        if !stem.is_empty() {
            self.nodes[expr as usize].label = self.titled("", stem, noun);
        }
    }

    fn condition(&self, mut expr: Expr) -> Name {
        for _ in 0..STEPS {
            let operands = self.operands(expr);
            let next = match self.node(expr).form {
                Form::Binary(Binary::And) => operands.last(),
                Form::Binary(Binary::Or) => match self.either(operands) {
                    Some(name) => return name,
                    None => operands.first(),
                },
                Form::Binary(op) if relation(op, false).is_some() => return self.comparison(op, operands),
                Form::Call(function) => {
                    let subject = operands.first().and_then(|&operand| self.subject(operand));
                    return (subject.unwrap_or_default(), self.function(function).noun);
                }
                Form::Variable(_) | Form::Text(..) => None,
                _passed_through => operands.first(),
            };
            let Some(next) = next.and_then(|operand| operand.view.expr()) else { break };
            if let Label::Title(title) = self.node(next).label {
                let title = self.title(title);
                return (self.words.get(title.stem).to_owned(), title.noun);
            }
            expr = next;
        }
        Name::default()
    }

    /// Returns the common name of two conditions that ask the same: `a_or_b_is_nan`.
    fn either(&self, operands: &[Operand]) -> Option<Name> {
        let [first, second] = [operands.first()?.view.expr()?, operands.get(1)?.view.expr()?];
        let Label::Title(second) = self.node(second).label else { return None };
        // A question of its own: chains of these are not followed.
        if !matches!(self.node(first).form, Form::Call(_) | Form::Binary(Binary::ULess)) {
            return None;
        }
        let ((stem, noun), second) = (self.condition(first), self.title(second));
        let other = self.words.get(second.stem);
        let both = format!("{stem}_or_{other}");
        let is_one_question = !noun.is_empty() && noun == second.noun && stem != other;
        (is_one_question && !stem.is_empty() && both.len() <= BOTH).then_some((both, noun))
    }

    /// Returns the name of a comparison: `depth_below_0`, `inpos_is_nan`.
    fn comparison(&self, op: Binary, operands: &[Operand]) -> Name {
        let &[a, b] = operands else { return Name::default() };
        // The constant goes last.
        let is_swapped = matches!(a.view, View::Const(_) | View::Splat(_));
        let (a, b) = if is_swapped { (b, a) } else { (a, b) };
        let Some(about) = self.about(a) else { return Name::default() };
        if op == Binary::ULess && is_swapped && matches!(b.view, View::Const([INFINITY, ..])) {
            return (about.0, "is_nan");
        }
        let name = format!("{}_{}", text(about), relation(op, is_swapped).unwrap_or_default());
        let other = self.subject(b).or_else(|| number(b));
        match other.map(|other| format!("{name}_{other}")) {
            Some(long) if long.len() <= LONG => (long, ""),
            Some(_) | None => (name, ""),
        }
    }

    fn integer(&self, expr: Expr) -> Name {
        let Some(next) = self.next(expr) else { return Name::default() };
        let Some(about) = self.about(next) else { return Name::default() };
        // `i32(bitcast<u32>(a))` is about the bits too.
        let is_bits = |expr: Expr| self.node(expr).form == Form::Unary(Unary::ToBits);
        match self.node(expr).form {
            _bits if is_bits(expr) || next.whole().is_some_and(is_bits) => (text(about), "bits"),
            Form::Call(function) => (text(about), self.function(function).noun),
            Form::Binary(Binary::IAnd) => (about.0 + "_wrapped", ""),
            Form::Binary(Binary::IMul) => {
                let factors = self.operands(expr).iter().filter_map(|&factor| self.subject(factor));
                (factors.collect::<Vec<_>>().join("_"), "")
            }
            _passed_through => (text(about), ""),
        }
    }

    fn float(&self, expr: Expr) -> Name {
        let operands = self.operands(expr);
        let name = match self.node(expr).form {
            Form::Text(text) if !operands.is_empty() => {
                Some(self.element(self.text(text).subject, operands[0]))
            }
            Form::Call(function) if self.function(function).array != Word::NONE => {
                Some(self.element(self.function(function).array, operands[0]))
            }
            Form::Unary(Unary::Neg) => self.subject(operands[0]).map(|name| name + "_negative"),
            Form::Build => {
                let first = || operands.iter().find_map(|&operand| self.subject(operand));
                self.output(expr).or_else(first)
            }
            // A uniform, or what takes its place.
            Form::Select if operands[1..].iter().any(|&operand| self.is_read(operand)) => {
                operands.iter().rev().find_map(|&operand| self.subject(operand))
            }
            Form::Variable(_) | Form::Text(..) | Form::Any | Form::All => None,
            form => {
                let noun = match form {
                    Form::Call(function) => self.function(function).noun,
                    _operation => "",
                };
                let noun = if noun.is_empty() { self::noun(form) } else { noun };
                return (self.consumer(expr).unwrap_or_default(), noun);
            }
        };
        (name.unwrap_or_default(), "")
    }

    /// Returns the name of an element of an array: `palette_a0_x_1` of `palette_at(a0_x + 1)`,
    /// `c8_a0_x` of `c_at(8 + a0_x)`, `palette_a0_x` of `c[palette + a0_x]`.
    fn element(&self, array: Word, index: Operand) -> String {
        let mut name = self.words.get(array).to_owned();
        let parts = match index.whole() {
            Some(expr) if self.node(expr).form == Form::Binary(Binary::IAdd) => self.operands(expr),
            Some(_) | None => std::slice::from_ref(&index),
        };
        for &part in parts {
            let form = part.whole().map(|expr| self.node(expr).form);
            match form {
                // The place of a named array, or the number of an element.
                Some(Form::Text(text)) if self.text(text).is_index => {
                    let place = self.words.get(self.text(text).subject);
                    if !place.starts_with(|c: char| c.is_ascii_digit()) {
                        name.clear();
                    } else if name.len() > 1 {
                        name.push('_');
                    }
                    name.push_str(place);
                }
                _other_part => {
                    let stem = self.about(part).map(|(stem, _)| stem).or_else(|| number(part));
                    name.extend(stem.iter().flat_map(|stem| ["_", stem]));
                }
            }
        }
        name
    }

    /// Returns whether an operand is a read of a uniform or of a buffer.
    fn is_read(&self, operand: Operand) -> bool {
        let form = operand.view.expr().map(|expr| self.node(expr).form);
        // Parameters and attributes are texts too: plain names.
        matches!(form, Some(Form::Text(text)) if self.text(text).is_memory)
    }

    /// Returns the register or output of which an expression is a part.
    fn consumer(&self, mut expr: Expr) -> Option<String> {
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
                Label::Title(title) => return Some(self.words.get(self.title(title).stem).to_owned()),
                label if is_plain(label) && fact.uses.user == NONE => return None,
                label if is_plain(label) => expr = fact.uses.user,
                Label::Hint(hint) => return Some(hinted(Hint { mask: 0, ..hint }, ScalarKind::F32)),
            }
        }
        None
    }

    /// Returns the output of which a vector is a part, by way of operations of all kinds.
    fn output(&self, mut expr: Expr) -> Option<String> {
        for _ in 0..STEPS {
            expr = self.fact(expr).uses.user;
            match self.nodes.get(expr as usize)?.label {
                Label::Title(title) => {
                    let title = self.title(title);
                    return title.is_output.then(|| self.words.get(title.stem).to_owned());
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
        let registers: Vec<_> = parts.clone().filter_map(|&part| self.register(part)).collect();
        let first = *registers.first()?;
        let mask = registers.iter().fold(0, |mask, hint| mask | hint.mask);
        let is_one =
            registers.len() == parts.count() && registers.iter().all(|hint| hint.register == first.register);
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
        let lanes = pattern[..usize::from(operand.ty.lanes)].iter();
        let mask = lanes.filter_map(|&lane| components(lane)).fold(0, |mask, bit| mask | 1 << bit);
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
    fn about(&self, operand: Operand) -> Option<Name> {
        if let Some(hint) = self.register(operand) {
            return Some((hinted(hint, operand.ty.kind), ""));
        }
        let mut expr = operand.view.expr()?;
        for _ in 0..STEPS {
            let node = self.node(expr);
            match (node.label, node.form) {
                (Label::Title(title), _) => {
                    let title = self.title(title);
                    return Some((self.words.get(title.stem).to_owned(), title.noun));
                }
                (Label::Hint(hint), _) if !is_plain(node.label) => {
                    return Some((hinted(hint, node.ty.kind), ""));
                }
                (_, Form::Text(text)) => {
                    let subject = self.words.get(self.text(text).subject);
                    // The number of an element is not a name.
                    let is_name = subject.starts_with(|c: char| !c.is_ascii_digit());
                    return is_name.then(|| (subject.to_owned(), ""));
                }
                (_, Form::Variable(_) | Form::Outputs) => return None,
                _other_forms => expr = self.next(expr)?.view.expr()?,
            }
        }
        None
    }

    /// Returns the name of what an operand is about.
    fn subject(&self, operand: Operand) -> Option<String> {
        self.about(operand).map(text)
    }
}

/// Returns a name as text.
fn text((stem, noun): Name) -> String {
    if noun.is_empty() { stem } else { format!("{stem}_{noun}") }
}

const fn is_plain(label: Label) -> bool {
    matches!(label, Label::Hint(Hint { register: HintRegister::None, .. }))
}

/// Returns a constant, if it is short and the same in each lane.
fn number(operand: Operand) -> Option<String> {
    let View::Const(bits) = operand.view else { return None };
    let float = f32::from_bits(bits[0]);
    let number = match operand.ty.kind {
        ScalarKind::F32 if float.fract() != 0.0 => return None,
        ScalarKind::F32 => float as i32, // Range: saturates, which is not short.
        ScalarKind::I32 | ScalarKind::U32 | ScalarKind::Bool => bits[0].cast_signed(),
    };
    let is_splat = bits[..usize::from(operand.ty.lanes)].iter().all(|&lane| lane == bits[0]);
    let sign = if number < 0 { "minus_" } else { "" };
    (number.unsigned_abs() <= 9999 && is_splat).then(|| format!("{sign}{}", number.unsigned_abs()))
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
