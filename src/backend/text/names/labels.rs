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
/// Maximum characters of a name before its last part is left out, if it can do without.
const LONG: usize = 28;
/// Maximum characters of the names of two conditions that become one name.
const BOTH: usize = 20;

/// A part of a name. Underscores go between parts.
#[derive(Clone, Copy)]
enum Part {
    /// A register, with the type of its value.
    Register(Hint, ScalarKind),
    Title(Title),
    Text(Subject),
    Word(Word),
    Fixed(&'static str),
    Number(i32),
}

impl Part {
    /// The part without its noun.
    const fn stem(self) -> Self {
        match self {
            Self::Title(title) => Self::Word(title.stem),
            Self::Register(..) | Self::Text(_) | Self::Word(_) | Self::Fixed(_) | Self::Number(_) => self,
        }
    }
}

/// The parts of a name.
#[derive(Clone, Copy, Default)]
struct Name {
    stem: [Option<Part>; 3],
    /// The end of the stem that a long name does without.
    extra: Option<Part>,
    noun: &'static str,
}

impl Name {
    fn new(stem: Option<Part>, noun: &'static str) -> Self {
        Self { stem: [stem, None, None], noun, ..Self::default() }
    }

    fn join(stem: [Option<Part>; 3]) -> Self {
        Self { stem, ..Self::default() }
    }
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
        let name = match kind {
            ScalarKind::Bool => self.condition(expr),
            ScalarKind::I32 | ScalarKind::U32 => self.integer(expr),
            ScalarKind::F32 => self.float(expr),
        };
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        self.write_stem(&name, &mut text);
        if !text.is_empty() || !name.noun.is_empty() {
            // A noun alone is a word like others.
            let (stem, noun) = if text.is_empty() { (name.noun, "") } else { (&*text, name.noun) };
            self.nodes[expr as usize].label = self.titled("", stem, noun);
        }
        self.text = text;
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
                    return Name::new(subject, self.function(function).noun);
                }
                Form::Variable(_) | Form::Text(..) => None,
                _passed_through => operands.first(),
            };
            let Some(next) = next.and_then(|operand| operand.view.expr()) else { break };
            if let Label::Title(title) = self.node(next).label {
                let Title { stem, noun, .. } = self.title(title);
                return Name::new(Some(Part::Word(stem)), noun);
            }
            expr = next;
        }
        Name::default()
    }

    /// Returns the common name of two conditions that ask the same: `a_or_b_is_nan`.
    fn either(&self, operands: &[Operand]) -> Option<Name> {
        let [first, second] = [operands.first()?.view.expr()?, operands.get(1)?.view.expr()?];
        let Label::Title(second) = self.node(second).label else { return None };
        let Title { stem, noun, .. } = self.title(second);
        // A question of its own: chains of these are not followed.
        if noun.is_empty() || !matches!(self.node(first).form, Form::Call(_) | Form::Binary(Binary::ULess)) {
            return None;
        }
        let name = self.condition(first);
        let (mut text, second) = (String::new(), self.words.get(stem));
        self.write_stem(&name, &mut text);
        // The names of several lines of a matrix stay short.
        let length = text.len() + second.len() + 2 * (noun.len() + 1);
        let is_one_question = name.noun == noun && length <= BOTH && text != second && !text.is_empty();
        let stem = [name.stem[0], Some(Part::Fixed("or")), Some(Part::Word(stem))];
        is_one_question.then_some(Name { stem, ..name })
    }

    /// Returns the name of a comparison: `depth_below_0`, `inpos_is_nan`.
    fn comparison(&self, op: Binary, operands: &[Operand]) -> Name {
        let &[a, b] = operands else { return Name::default() };
        // The constant goes last.
        let is_swapped = matches!(a.view, View::Const(_) | View::Splat(_));
        let (a, b) = if is_swapped { (b, a) } else { (a, b) };
        let Some(subject) = self.subject(a) else { return Name::default() };
        if op == Binary::ULess && is_swapped && matches!(b.view, View::Const([INFINITY, ..])) {
            return Name::new(Some(subject.stem()), "is_nan");
        }
        let stem = [Some(subject), relation(op, is_swapped).map(Part::Fixed), None];
        Name { stem, extra: self.subject(b).or_else(|| number(b)), noun: "" }
    }

    fn integer(&self, mut expr: Expr) -> Name {
        // `i32(bitcast<u32>(a))` is about the bits.
        let is_conversion = |form| matches!(form, Form::Unary(op) if op != Unary::ToBits);
        while is_conversion(self.node(expr).form)
            && let Some(inner) = self.next(expr).and_then(|operand| operand.view.expr())
            && matches!(self.node(inner).form, Form::Unary(_))
        {
            expr = inner;
        }
        let subject = |operand| self.subject(operand);
        let Some(about) = self.next(expr).and_then(subject) else { return Name::default() };
        match self.node(expr).form {
            Form::Call(function) => Name::new(Some(about), self.function(function).noun),
            Form::Unary(Unary::ToBits) => Name::new(Some(about), "bits"),
            Form::Binary(Binary::IAnd) => {
                Name::join([Some(about.stem()), Some(Part::Fixed("wrapped")), None])
            }
            Form::Binary(Binary::IMul) => {
                let mut factors = self.operands(expr).iter().map_while(|&factor| self.subject(factor));
                Name::join([factors.next(), factors.next(), None])
            }
            _passed_through => Name::new(Some(about), ""),
        }
    }

    fn float(&self, expr: Expr) -> Name {
        let operands = self.operands(expr);
        let subject = |&operand| self.subject(operand);
        match self.node(expr).form {
            Form::Text(text) if !operands.is_empty() => {
                self.element(self.text(text).subject.name, operands[0])
            }
            Form::Call(function) if self.function(function).array != Word::NONE => {
                self.element(self.function(function).array, operands[0])
            }
            Form::Unary(Unary::Neg) => {
                Name::join([self.subject(operands[0]), Some(Part::Fixed("negative")), None])
            }
            Form::Build => {
                let about = self.output(expr).or_else(|| operands.iter().find_map(subject));
                Name::new(about, "")
            }
            // A uniform, or what takes its place.
            Form::Select if operands[1..].iter().any(|&operand| self.is_read(operand)) => {
                Name::new(operands.iter().rev().find_map(subject), "")
            }
            Form::Variable(_) | Form::Text(..) | Form::Any | Form::All => Name::default(),
            form => {
                let noun = match form {
                    Form::Call(function) => self.function(function).noun,
                    _operation => "",
                };
                let noun = if noun.is_empty() { self::noun(form) } else { noun };
                Name::new(self.consumer(expr).map(Part::stem), noun)
            }
        }
    }

    /// Returns the name of an element of an array: `palette_a0_x_1` of `palette_at(a0_x + 1)`,
    /// `c8_a0_x` of `c_at(8 + a0_x)`, `palette_a0_x` of `c[palette + a0_x]`.
    fn element(&self, array: Word, index: Operand) -> Name {
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
        let is_whole = subject.array == Word::NONE && subject.number == Word::NONE;
        let stem = |&part: &Operand| self.subject(part).map(Part::stem).or_else(|| number(part));
        let mut indices = parts.iter().filter_map(stem);
        let first = indices.next().or(is_whole.then_some(Part::Fixed("element")));
        Name::join([Some(Part::Text(subject)), first, indices.next()])
    }

    /// Returns whether an operand is a read of a uniform or of a buffer.
    fn is_read(&self, operand: Operand) -> bool {
        let Some(expr) = operand.view.expr() else { return false };
        // Parameters and attributes are texts too: plain names.
        matches!(self.node(expr).form, Form::Text(text) if self.text(text).is_memory)
    }

    /// Returns the register or output of which an expression is a part.
    fn consumer(&self, mut expr: Expr) -> Option<Part> {
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
                Label::Title(title) => return Some(Part::Title(self.title(title))),
                label if is_plain(label) && fact.uses.user == NONE => return None,
                label if is_plain(label) => expr = fact.uses.user,
                Label::Hint(hint) => return Some(Part::Register(Hint { mask: 0, ..hint }, ScalarKind::F32)),
            }
        }
        None
    }

    /// Returns the output of which a vector is a part, by way of operations of all kinds.
    fn output(&self, mut expr: Expr) -> Option<Part> {
        for _ in 0..STEPS {
            expr = self.fact(expr).uses.user;
            match self.nodes.get(expr as usize)?.label {
                Label::Title(title) => {
                    let title = self.title(title);
                    return title.is_output.then_some(Part::Title(title));
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
    fn subject(&self, operand: Operand) -> Option<Part> {
        if let Some(hint) = self.register(operand) {
            return Some(Part::Register(hint, operand.ty.kind));
        }
        let mut expr = operand.view.expr()?;
        for _ in 0..STEPS {
            let node = self.node(expr);
            match (node.label, node.form) {
                (Label::Title(title), _) => return Some(Part::Title(self.title(title))),
                (Label::Hint(hint), _) if !is_plain(node.label) => {
                    return Some(Part::Register(hint, node.ty.kind));
                }
                // The number of an element is no name.
                (_, Form::Text(text)) => {
                    let subject = self.text(text).subject;
                    let is_named = subject.name != Word::NONE || subject.array != Word::NONE;
                    return is_named.then_some(Part::Text(subject));
                }
                (_, Form::Variable(_) | Form::Outputs) => return None,
                _other_forms => expr = self.next(expr)?.view.expr()?,
            }
        }
        None
    }

    /// Writes all parts of a name but its noun.
    fn write_stem(&self, name: &Name, out: &mut String) {
        name.stem.iter().flatten().for_each(|&part| self.write(part, out));
        let end = out.len();
        name.extra.iter().for_each(|&part| self.write(part, out));
        if name.extra.is_some() && out.len() > LONG {
            out.truncate(end);
        }
    }

    fn write(&self, part: Part, out: &mut String) {
        out.push_str(if out.is_empty() { "" } else { "_" });
        match part {
            Part::Register(hint, kind) => write_hinted(out, hint, kind),
            Part::Title(Title { stem, noun, .. }) => {
                let between = if noun.is_empty() { "" } else { "_" };
                out.extend([self.words.get(stem), between, noun]);
            }
            Part::Text(subject) => self.place(subject, out),
            Part::Word(word) => out.push_str(self.words.get(word)),
            Part::Fixed(word) => out.push_str(word),
            // Writing to a string cannot fail.
            Part::Number(number) => {
                let _ = write!(out, "{}{}", if number < 0 { "minus_" } else { "" }, number.unsigned_abs());
            }
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

/// Returns a constant, if it is short and the same in each lane.
fn number(operand: Operand) -> Option<Part> {
    let View::Const(bits) = operand.view else { return None };
    let float = f32::from_bits(bits[0]);
    let number = match operand.ty.kind {
        ScalarKind::F32 if float.fract() != 0.0 => return None,
        ScalarKind::F32 => float as i32, // Range: saturates, which is not short.
        ScalarKind::I32 | ScalarKind::U32 | ScalarKind::Bool => bits[0].cast_signed(),
    };
    let is_splat = bits[..usize::from(operand.ty.lanes)].iter().all(|&lane| lane == bits[0]);
    (number.unsigned_abs() <= 9999 && is_splat).then_some(Part::Number(number))
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
