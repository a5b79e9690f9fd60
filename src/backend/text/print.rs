//! Functions and lines as text.
//! In: a draft and its plan. Out: text, by the rules of a [`Dialect`]. Decides nothing and knows no
//! operators.
//!
//! Why not naga's writers: they give a variable to every load and every call (`let _e12 = …`),
//! enclose every operation in parentheses, and make names unique over the whole module.

use std::fmt::Write as _;

use super::declarations::Declarations;
use super::draft::{Draft, Expr, Line, Operand, Place, Variable, View};
use super::inline::Plan;
use super::operators::{Level, OnVectors};
use super::survey::{Fact, NONE};

use crate::ir::{Kind, Type};

/// What has a name in a function.
#[derive(Clone, Copy)]
pub enum Holder {
    /// The value of an expression, which never changes.
    Value(Expr),
    /// A variable that has its first value at once.
    Filled(Variable),
    /// A variable that is stored later.
    Empty(Variable),
}

/// What sets a language apart.
pub trait Dialect: Sized {
    /// Names of scalar and vector types: a row for each [`Kind`], by number of lanes.
    const TYPES: [[&'static str; 4]; 4];
    /// What stands around the condition of an `if`.
    const CONDITION: [&'static str; 2];
    /// How a loop begins.
    const LOOP: &'static str;
    /// Whether numbers need the letter of their type where nothing else says it.
    const TYPED_LITERALS: bool;
    /// The least integer, of which there is no literal: it would be the opposite of one that is too
    /// large.
    const LEAST_INT: &'static str;
    /// Whether the last of several arguments may have a comma.
    const COMMA_ENDS: bool;
    /// How tightly an argument must hold together that others follow.
    const ARGUMENT: Level;

    /// The name of a type.
    fn ty(ty: Type) -> &'static str {
        Self::TYPES[ty.kind as usize][usize::from(ty.lanes.clamp(1, 4) - 1)]
    }
    /// The line before the body of a helper.
    fn helper(out: &mut String, name: &str, types: &[Type], names: &[&str], result: Type);
    /// The lines before the body of the entry point.
    fn entry(out: &mut String, declarations: &Declarations, names: &[String]);
    /// The beginning of a declaration, up to the name, or to the type where that follows it and no
    /// value does.
    fn declaration(body: &mut Body<'_, Self>, holder: Holder);
    /// What a loop begins with that nothing leaves.
    fn endless(body: &mut Body<'_, Self>);
    /// Returns the outputs of the interface.
    fn outputs(body: &mut Body<'_, Self>, values: &[Operand]);
    /// The line before the first case of a switch, which has only a default or others besides; how
    /// the switch is closed.
    fn switch(body: &mut Body<'_, Self>, selector: Operand, is_single: bool, continues: bool) -> Closing;
    /// The line before the body of a case; no values for the default.
    fn case(body: &mut Body<'_, Self>, values: &[i32]);
    /// Whether a case needs a `break` at its end.
    const CASE_BREAKS: bool;
    /// The number of vertices in the output buffer.
    const LENGTH: &'static str;
    /// The negation of vectors: the operator or a function.
    const NOT: &'static str;
    /// The function that gives the same bits as another type; GLSL's is `name`.
    fn bits(out: &mut String, name: &'static str, ty: Type);
    /// Writes the function that replaces an operator on vectors; false where the operator takes
    /// them.
    fn vector_function(body: &mut Body<'_, Self>, by: OnVectors, ty: Type) -> bool;
    /// One of two values: condition, value where true, value where false.
    fn select(body: &mut Body<'_, Self>, ty: Type, operands: &[Operand], level: Level);
    /// This invocation's index.
    fn invocation(body: &mut Body<'_, Self>);
}

/// The braces of a construct that is open.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Closing {
    Brace,
    /// The brace of a case.
    Case,
    /// The end of a construct that is closed with the next one.
    Nothing,
    /// `} while (false);`
    While,
}

/// A function that is being written.
pub struct Body<'w, D> {
    pub out: &'w mut String,
    #[cfg_attr(not(feature = "glsl"), expect(dead_code, reason = "WGSL has no state"))]
    pub dialect: &'w mut D,
    pub draft: &'w Draft,
    pub plan: Plan,
    pub declarations: &'w Declarations,
    /// Names of the helper functions.
    pub helpers: &'w [String],
    /// Type of the result of a helper.
    #[cfg_attr(
        not(feature = "wgsl"),
        expect(dead_code, reason = "only WGSL fills loops that nothing leaves")
    )]
    pub result: Option<Type>,
    pub indent: usize,
    /// Declarations that were written.
    declared: usize,
    open: Vec<Closing>,
}

impl<'w, D: Dialect> Body<'w, D> {
    /// A function whose lines are to be written.
    pub fn new(
        (out, dialect): (&'w mut String, &'w mut D),
        (draft, plan): (&'w Draft, Plan),
        declarations: &'w Declarations,
        helpers: &'w [String],
        result: Option<Type>,
    ) -> Self {
        Self {
            out,
            dialect,
            draft,
            plan,
            declarations,
            helpers,
            result,
            indent: 1,
            declared: 0,
            open: Vec::new(),
        }
    }

    /// Starts a line.
    pub fn line(&mut self) -> &mut String {
        const SPACES: &str = "                                ";
        let mut left = 4 * self.indent;
        while left > 0 {
            let part = left.min(SPACES.len());
            self.out.push_str(&SPACES[..part]);
            left -= part;
        }
        self.out
    }

    /// Writes all lines.
    pub fn lines(&mut self) {
        let draft = self.draft;
        let mut at = 0;
        while let Some(&line) = draft.lines.get(at) {
            let declares = self.declare(at as u32);
            at = self.write_line(at, line, declares);
        }
    }

    pub fn fact(&self, expr: Expr) -> &Fact {
        &self.plan.facts[expr as usize]
    }

    /// The name of an expression, if it is not written in place.
    pub fn name(&self, expr: Expr) -> Option<&str> {
        match self.plan.facts[expr as usize].name {
            NONE => None,
            word => Some(self.plan.words.get(word)),
        }
    }

    pub fn variable(&self, variable: Variable) -> &str {
        self.plan.words.get(self.plan.variables[variable as usize])
    }

    /// Writes the name of a value or variable.
    pub fn held(&mut self, holder: Holder) {
        let word = match holder {
            Holder::Value(expr) => self.plan.facts[expr as usize].name,
            Holder::Filled(variable) | Holder::Empty(variable) => self.plan.variables[variable as usize],
        };
        self.out.push_str(self.plan.words.get(word));
    }

    /// The type of a value or variable.
    pub fn held_type(&self, holder: Holder) -> Type {
        match holder {
            Holder::Value(expr) => self.draft.nodes[expr as usize].ty,
            Holder::Filled(variable) | Holder::Empty(variable) => self.draft.variables[variable as usize].ty,
        }
    }

    /// The declarations that stand before a line; whether the line itself declares.
    fn declare(&mut self, at: u32) -> bool {
        let mut by_store = false;
        while let Some(&declaration) = self.plan.declarations.get(self.declared)
            && declaration.at == at
        {
            self.declared += 1;
            if declaration.by_store {
                by_store = true;
                continue;
            }
            self.line();
            match self.draft.variables[declaration.variable as usize].bits {
                Some(bits) => {
                    D::declaration(self, Holder::Filled(declaration.variable));
                    self.out.push_str(" = ");
                    self.constant(Kind::U32, bits, Level::Choice, false);
                }
                None => D::declaration(self, Holder::Empty(declaration.variable)),
            }
            self.out.push_str(";\n");
        }
        by_store
    }

    /// Writes a line; the number of the next one.
    fn write_line(&mut self, at: usize, line: Line, declares: bool) -> usize {
        let draft = self.draft;
        match line {
            Line::Evaluate(expr) => {
                if self.has_line(expr) {
                    self.line();
                    D::declaration(self, Holder::Value(expr));
                    self.out.push_str(" = ");
                    self.definition(expr);
                    self.out.push_str(";\n");
                }
            }
            Line::Store { place, value } => self.store(at, place, value, declares),
            Line::If { condition } => {
                self.line();
                self.begin_if(condition, Closing::Brace);
            }
            Line::Else => return self.begin_else(at),
            Line::Loop { is_left } => {
                self.line().push_str(D::LOOP);
                self.begin(Closing::Brace);
                if !is_left {
                    D::endless(self);
                }
            }
            Line::Switch { selector, continues } => return self.begin_switch(at, selector, continues),
            Line::Case { first, count } => {
                self.line();
                D::case(self, &draft.values[first as usize..][..count as usize]);
                self.begin(Closing::Case);
            }
            Line::Default => {
                self.line();
                D::case(self, &[]);
                self.begin(Closing::Case);
            }
            Line::End => self.close(at),
            Line::Break => self.line().push_str("break;\n"),
            Line::Continue => self.line().push_str("continue;\n"),
            Line::Leave => self.line().push_str("return;\n"),
            Line::Return(value) => {
                self.line().push_str("return ");
                self.operand(value, Level::Choice);
                self.out.push_str(";\n");
            }
            Line::Outputs { first, count } => D::outputs(self, draft.list(first, count)),
        }
        at + 1
    }

    /// From `} else` on; the number of the next line.
    fn begin_else(&mut self, at: usize) -> usize {
        self.indent -= 1;
        self.line().push_str("} else ");
        if let Some((next, condition)) = self.only_if(at) {
            self.begin_if(condition, Closing::Nothing);
            return next;
        }
        self.out.push_str("{\n");
        self.indent += 1;
        at + 1
    }

    /// The line of a switch; the number of the next line.
    fn begin_switch(&mut self, at: usize, selector: Operand, continues: bool) -> usize {
        let is_single = matches!(self.draft.lines.get(at + 1), Some(Line::Default));
        let closing = D::switch(self, selector, is_single, continues);
        self.begin(closing);
        if closing != Closing::While {
            return at + 1;
        }
        // The default is the body.
        self.open.push(Closing::Nothing);
        at + 2
    }

    fn begin(&mut self, closing: Closing) {
        self.open.push(closing);
        self.indent += 1;
    }

    fn close(&mut self, at: usize) {
        match self.open.pop().unwrap_or(Closing::Brace) {
            Closing::Nothing => {}
            Closing::Case => {
                let jumps = matches!(self.draft.lines[at - 1], Line::Break | Line::Continue);
                if D::CASE_BREAKS && !jumps {
                    self.line().push_str("break;\n");
                }
                self.indent -= 1;
                self.line().push_str("}\n");
            }
            Closing::Brace => {
                self.indent -= 1;
                self.line().push_str("}\n");
            }
            Closing::While => {
                self.indent -= 1;
                self.line().push_str("} while (false);\n");
            }
        }
    }

    /// Whether an expression gets a name by a line of its own.
    fn has_line(&self, expr: Expr) -> bool {
        let fact = self.fact(expr);
        fact.is_named() && fact.kept == NONE
    }

    fn store(&mut self, at: usize, place: Place, value: Operand, declares: bool) {
        self.line();
        match place {
            Place::Variable(variable) if declares => D::declaration(self, Holder::Filled(variable)),
            Place::Variable(variable) => {
                let name = self.plan.words.get(self.plan.variables[variable as usize]);
                self.out.push_str(name);
            }
            Place::Output(register) => {
                self.out.push_str("outputs[");
                D::invocation(self);
                let _ = write!(self.out, "][{register}]");
            }
            Place::Element(buffer, index) => {
                self.out.push_str(buffer);
                self.out.push('[');
                self.operand(index, Level::Choice);
                self.out.push(']');
            }
        }
        self.assigned(at as u32, place, value);
        self.out.push_str(";\n");
    }

    /// From `if` on; the line has begun.
    fn begin_if(&mut self, condition: Operand, closing: Closing) {
        let _ = write!(self.out, "if {}", D::CONDITION[0]);
        self.operand(condition, Level::Choice);
        let _ = writeln!(self.out, "{} {{", D::CONDITION[1]);
        self.begin(closing);
    }

    /// The condition of the `if` that an arm consists of, if it prints nothing else, and the line
    /// after it.
    fn only_if(&self, at: usize) -> Option<(usize, Operand)> {
        let lines = &self.draft.lines[at + 1..];
        let silent = |line: &&Line| matches!(**line, Line::Evaluate(expr) if !self.has_line(expr));
        let inner = at + 1 + lines.iter().take_while(silent).count();
        let &Line::If { condition } = self.draft.lines.get(inner)? else { return None };
        let end = self.plan.ends[inner] as usize;
        let next = self.plan.declarations.get(self.declared);
        let is_last = matches!(self.draft.lines.get(end + 1), Some(Line::End));
        (is_last && next.is_none_or(|declaration| declaration.at as usize > inner))
            .then_some((inner + 1, condition))
    }
}

/// The expression that an operand is, if it is one.
pub const fn whole_of(operand: Operand) -> Option<Expr> {
    match operand.view {
        View::Whole(expr) => Some(expr),
        View::Lanes(..) | View::Splat(_) | View::Not(..) | View::Const(_) => None,
    }
}
