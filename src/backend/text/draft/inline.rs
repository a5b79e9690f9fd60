//! Decides which expressions are inlined and which get a name, and which arithmetic must be marked
//! as exact.
//! In: a draft and the facts of `uses`. Out: the decisions that `print` follows. Knows no syntax,
//! only how long things are, roughly.
//!
//! An expression is written where it is used if it is used once, in the loop it is evaluated in,
//! and does not make the line long. A load of a variable may besides be written as often as it is
//! used, if no line between its place and its last use stores the variable. The longest parts of an
//! expression that is too long for its line get names; vectors are left to `print`, which breaks
//! them, and calls, once their parts are short. What is first stored in a variable goes by the name
//! of the variable as long as that holds it. All else is a constant with a name. The depth of what
//! is written in place is bounded: writer and readers recurse on it.
//! Facts: GLSL's `precise` reaches what goes into the value of a variable, conditions of selections
//! inside that value too; not what is written for an index, a condition of a statement or a
//! returned value (measured with glslang 12).

use super::facts::{NONE, Size};
use super::{Draft, Expr, Form, Label, Line, Local, Node, Operand, Placement, View};
use crate::backend::text::dialect::versions::Marks;
use crate::backend::text::names::{Names, Word};
use crate::ir::{Binary, HintRegister, ScalarKind, Type, Unary};

/// Maximum characters of a line that can be broken.
pub const LINE: u32 = 100;
/// Minimum characters for an expression, however deep its line is indented.
const LEAST: u32 = 40;
/// Typical characters of a name.
const NAME: u32 = 7;
/// Characters of a short argument of a call, which needs no name.
const ARGUMENT: u32 = 20;
/// Number of characters from which on it makes no difference.
const LONGEST: u32 = 1 << 15;
/// Maximum depth of an inlined expression; the writer recurses on it.
const DEPTH: u8 = 24;

impl Draft {
    /// Decides which expressions get a name, and assigns the names.
    pub fn plan(&mut self, names: &mut Names<'_>, marks: Marks) {
        self.inherit_names();
        self.survey();
        for expr in 0..self.nodes.len() as Expr {
            // What nothing uses is not written, so its operands need no names for it.
            if self.fact(expr).uses.count == 0 {
                continue;
            }
            // Facts of its operands are known: they come before it.
            self.measure(expr, marks);
            if self.needs_name(expr) {
                self.wants_name(expr);
            }
        }
        if marks != Marks::Nothing {
            self.name_unmarked();
        }
        self.give_names(names);
    }

    /// Computes the size of an expression. If it is too long, its longest operands get names first.
    fn measure(&mut self, expr: Expr, marks: Marks) {
        if marks != Marks::Nothing {
            self.name_unreached(expr, marks);
        }
        loop {
            let (size, short) = self.complete_size(expr, marks);
            let is_long =
                || size.length > LEAST && (size.length > LINE || size.length > self.line_length(expr));
            if (size.depth > DEPTH || short < u32::MAX && is_long())
                && let Some(part) = self.longest(expr, short.min(size.length))
            {
                self.wants_name(part);
                continue;
            }
            let fact = &mut self.facts[expr as usize];
            (fact.size, fact.written) = (size, size);
            return;
        }
    }

    /// Returns the size of an expression with its operands as they are written, and up to how many
    /// characters an operand is short.
    fn complete_size(&self, expr: Expr, marks: Marks) -> (Size, u32) {
        let node = self.node(expr);
        let is_exact = match marks {
            Marks::Nothing => false,
            Marks::Arithmetic => is_arithmetic(node),
            Marks::Comparisons => is_arithmetic(node) || is_comparison(node),
        };
        let (length, short) = self.own_length(node);
        let mut size = Size { length, depth: 0, is_exact };
        for operand in &self.operands[node.range()] {
            let part = self.operand_size(operand);
            size.length += part.length;
            size.depth = size.depth.max(part.depth + 1);
            size.is_exact |= part.is_exact;
        }
        // Range: sums of these stay below 2^32.
        (Size { length: size.length.min(LONGEST), ..size }, short)
    }

    /// Returns the longest part of an expression that a name would shorten.
    fn longest(&self, expr: Expr, short: u32) -> Option<Expr> {
        let parts = self.operands(expr).iter().filter_map(|&part| self.shortened(part, short));
        // A part at the maximum depth goes first: length is style, but depth bounds recursion.
        parts.max_by_key(|&part| {
            let size = self.fact(part).size;
            if size.depth + 1 >= DEPTH { u32::MAX } else { size.length }
        })
    }

    /// Names exact arithmetic that `precise` does not reach: the operand of a text, which is an
    /// index. In Mesa's compiler, arguments of our functions and the condition of `?:` too
    /// (drivers.md#precise-reach).
    fn name_unreached(&mut self, expr: Expr, marks: Marks) {
        let node = self.node(expr);
        let (form, ty, range) = (node.form, node.ty, node.range());
        match form {
            Form::Text(_) => {}
            Form::Call(_) if marks == Marks::Comparisons => {}
            Form::Select if marks == Marks::Comparisons && ty != Type::F32 => {
                let condition = self.operands[range.start];
                if condition.ty.lanes == 1 {
                    self.name_exact(condition);
                }
                return;
            }
            _reached => return,
        }
        range.for_each(|index| self.name_exact(self.operands[index]));
    }

    /// Returns the characters that a line has for an expression.
    fn line_length(&self, expr: Expr) -> u32 {
        let (node, fact) = (self.node(expr), self.fact(expr));
        let user = self.nodes.get(fact.uses.user as usize).map(|user| user.form);
        let around = match (user, node.label) {
            // `    …,`
            (Some(Form::Build | Form::Outputs | Form::Call(_)), _) if fact.uses.count == 1 => 5,
            // `return …;`
            (None, _) if fact.uses.count == 1 && fact.store == NONE => 9,
            // `r0_xyz = …;`
            _ if fact.store != NONE => 12,
            // `let modelView_has_nan = …;`
            (_, Label::Title(title)) => 10 + self.titles[title as usize].word.length(),
            (_, Label::Hint(hint)) if hint.register != HintRegister::None => 17,
            // Conditions are named after their operands.
            (_, Label::Hint(_)) if node.ty.kind == ScalarKind::Bool => 24,
            (_, Label::Hint(_)) => 16,
        };
        let indent = self.scopes.blocks[fact.place.block as usize].depth + 1;
        (LINE - around.min(LINE)).saturating_sub(4 * indent).max(LEAST)
    }

    /// Returns the characters that an expression adds to its operands, and up to how many an
    /// operand is short: any number where each operand has a line.
    fn own_length(&self, node: &Node) -> (u32, u32) {
        let commas = 2 * node.range().len() as u32;
        match node.form {
            Form::Unary(Unary::Neg | Unary::Not) | Form::Binary(_) => (4, NAME),
            Form::Any | Form::All => (5, NAME),
            Form::Unary(Unary::Abs | Unary::Floor | Unary::Sqrt | Unary::Exp2 | Unary::Log2) => (7, NAME),
            Form::Unary(_) => (16, NAME),
            Form::Select => (12, ARGUMENT),
            Form::Build if node.ty.lanes == 1 => (0, u32::MAX),
            Form::Build => (5 + commas, u32::MAX),
            Form::Outputs => (12 + commas, u32::MAX),
            Form::Call(function) => (self.functions[function as usize].word.length() + commas, ARGUMENT),
            Form::Variable(variable) => match self.variables[variable as usize].label {
                Label::Title(title) => (self.titles[title as usize].word.length(), NAME),
                Label::Hint(_) => (NAME, NAME),
            },
            Form::Text(text) => (self.texts[text as usize].word.length(), NAME),
        }
    }

    /// Returns the size of the text of an operand.
    #[inline(always)]
    pub fn operand_size(&self, &Operand { view, ty }: &Operand) -> Size {
        let (expr, added, level) = match view {
            View::Const(bits) => return constant_size(ty.kind, &[bits], ty.lanes > 1),
            View::Consts(number) | View::NotFinite(number) => {
                let bits = &self.constants[number as usize][..usize::from(ty.lanes)];
                return constant_size(ty.kind, bits, true);
            }
            View::Whole(expr) => (expr, 0, 0),
            View::Lanes(expr, _) => (expr, u32::from(ty.lanes) + 1, 1),
            View::Splat(expr) => (expr, 7, 1),
            View::Not(expr, _) => (expr, 4, 1),
        };
        let size = self.fact(expr).written;
        Size { length: size.length + added, depth: size.depth + level, ..size }
    }

    fn wants_name(&mut self, expr: Expr) {
        self.facts[expr as usize].name = Word::WANTED;
        self.describe(expr);
        let length = match self.node(expr).label {
            Label::Title(title) if !self.fact(expr).is_kept => self.titles[title as usize].word.length(),
            Label::Title(_) | Label::Hint(_) => NAME,
        };
        self.facts[expr as usize].written = Size { length: length.min(LONGEST), ..Size::default() };
    }

    /// Returns the part of an operand that a name would shorten, if there is one.
    fn shortened(&self, operand: Operand, short: u32) -> Option<Expr> {
        let expr = operand.view.expr()?;
        let fact = self.fact(expr);
        let is_shorter = fact.size.length > short || fact.size.depth + 1 >= DEPTH;
        (fact.place.at != NONE && !fact.is_named() && is_shorter).then_some(expr)
    }

    fn needs_name(&self, expr: Expr) -> bool {
        let (node, fact) = (self.node(expr), self.fact(expr));
        if fact.place.at == NONE {
            return false;
        }
        // A load may be written again as long as the variable holds the value.
        if let Form::Variable(variable) = node.form {
            return fact.crosses || self.stored_between(variable, fact.place.at, expr);
        }
        let is_repeated = fact.crosses || fact.uses.count > 1 || fact.size.length > u32::from(node.limit);
        is_repeated
            || matches!(node.form, Form::Text(text) if self.texts[text as usize].placement == Placement::OnlyLine)
    }

    /// Names exact arithmetic at places that cannot be marked, and finds the variables to mark.
    fn name_unmarked(&mut self) {
        for at in 0..self.lines.len() {
            match self.lines[at] {
                Line::Store { variable, value } => {
                    let exact = value.view.expr().is_some_and(|expr| self.fact(expr).size.is_exact);
                    self.variables[variable as usize].is_exact |= exact;
                }
                Line::If(operand)
                | Line::Switch { selector: operand, .. }
                | Line::Return(operand)
                | Line::Write { value: operand, .. } => self.name_exact(operand),
                _other_line => {}
            }
        }
    }

    /// Names an expression if its text contains float arithmetic.
    fn name_exact(&mut self, operand: Operand) {
        if let Some(expr) = operand.view.expr()
            && self.operand_size(&operand).is_exact
            && self.fact(expr).place.at != NONE
        {
            self.wants_name(expr);
        }
    }

    /// Assigns names: to expressions with a word, to variables, to other expressions.
    fn give_names(&mut self, names: &mut Names<'_>) {
        let Self { nodes, facts, variables, words, stores, titles, .. } = self;
        let mut unique = |label: Label, kind: ScalarKind| match label {
            Label::Title(title) => words.unique(titles[title as usize].word, names),
            Label::Hint(hint) => words.hinted(hint, kind, names),
        };
        let is_title = |label: Label| matches!(label, Label::Title(_));
        // Words first: the names of registers give way to them.
        for (node, fact) in nodes.iter().zip(&mut *facts) {
            if is_title(node.label) && fact.has_line() {
                fact.name = unique(node.label, node.ty.kind);
            }
        }
        for local in variables.iter_mut().filter(|local| is_title(local.label)) {
            local.name = unique(local.label, local.ty.kind);
        }
        // Variables that nothing stores have no text.
        let is_in_text = |local: &&mut Local| local.stores != NONE || local.bits.is_some();
        for local in variables.iter_mut().filter(is_in_text).filter(|local| !is_title(local.label)) {
            local.name = unique(local.label, local.ty.kind);
        }
        for (node, fact) in nodes.iter().zip(facts) {
            if fact.is_kept {
                let variable = stores[fact.store as usize].variable;
                fact.name = variables[variable as usize].name;
            } else if fact.name == Word::WANTED {
                fact.name = unique(node.label, node.ty.kind);
            }
        }
    }
}

/// Returns whether an expression is float arithmetic that compilers may change unless it is marked.
fn is_arithmetic(node: &Node) -> bool {
    matches!(
        node.form,
        Form::Binary(Binary::Add | Binary::Mul | Binary::Div | Binary::Dot)
            | Form::Unary(Unary::InverseSqrt | Unary::Sqrt | Unary::Exp2 | Unary::Log2)
    )
}

/// Returns whether an expression compares floats.
fn is_comparison(node: &Node) -> bool {
    use Binary::{Equal, Greater, GreaterEqual, Less, LessEqual};
    matches!(node.form, Form::Binary(Equal | Less | LessEqual | Greater | GreaterEqual))
}

/// Returns the size of constants.
#[inline(never)]
fn constant_size(kind: ScalarKind, bits: &[u32], is_vector: bool) -> Size {
    let length = |&bits: &u32| match kind {
        ScalarKind::U32 if bits > 0xFFFF => 11,
        ScalarKind::F32 if f32::from_bits(bits).fract() != 0.0 => 9,
        ScalarKind::F32 | ScalarKind::I32 | ScalarKind::U32 | ScalarKind::Bool => 3,
    };
    let length = match bits {
        // One number for all lanes.
        [bits] => length(bits) + if is_vector { 7 } else { 0 },
        _ => 10 + bits.iter().map(length).sum::<u32>(),
    };
    Size { length, depth: is_vector.into(), is_exact: false }
}
