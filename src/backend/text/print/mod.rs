//! Functions and lines as text.
//! In: a draft with its decisions. Out: text. Decides nothing and knows no operators.
//!
//! Why not naga's writers: they give a variable to every load and every call (`let _e12 = …`),
//! enclose every operation in parentheses, and make names unique over the whole module.

mod expressions;
mod switchless;
mod syntax;

use super::dialect::operators::{Helper, Level};
use super::draft::{Draft, Expr, Label, Line, Operand, Variable};
use super::head::comment;
use super::module::Module;
use super::names::Word;
use super::put::put;
use crate::backend::interface::ENTRY_NAME;
use crate::ir::{HintRegister, ScalarKind, Type};

/// Maximum characters of a value in a comment.
const SHORT: u32 = 40;

/// A named entity of a function.
#[derive(Clone, Copy)]
pub enum Holder {
    /// The value of an expression, which never changes.
    Value(Expr),
    /// A variable declared with its first value.
    Filled(Variable),
    /// A variable that is stored later.
    Empty(Variable),
}

/// Closing text of an open construct.
#[derive(Clone, Copy)]
pub enum Closing {
    Brace,
    /// The brace of a loop.
    Loop,
    /// The brace of a case.
    Case,
    /// The end of a construct that is closed with the next one.
    Nothing,
    /// `} while (false);`
    While,
    /// The same, after cases that are tests of a selector.
    Tests {
        selector: Operand,
        /// The jump after the `do`, where a `continue` in it has left the `do` alone.
        again: Option<&'static str>,
    },
}

/// Printer of one function.
pub struct Body<'w> {
    pub out: &'w mut String,
    pub module: &'w Module<'w>,
    pub draft: &'w Draft,
    /// Functions on vectors that are called, for GLSL.
    pub called: &'w mut Vec<(Helper, Type)>,
    /// Result type of the function.
    pub result: Option<&'static str>,
    pub indent: usize,
    /// Begin of the current line.
    pub begin: usize,
    /// Number of declarations written.
    pub declared: usize,
    /// Constructs that are open.
    pub open: Vec<Closing>,
    /// The expressions written so far, each with its place in the text, if that is noted.
    pub trace: Option<Vec<(usize, Expr)>>,
    /// The next arguments get a line each.
    pub is_broken: bool,
    /// Place in the text from which on the line is too long, if it is written again then.
    pub limit: usize,
    /// Lines that the head of an open loop has.
    pub skipped: Vec<usize>,
}

impl<'w> Body<'w> {
    /// Writes the lines of a function; returns the expressions that they evaluate, each with its
    /// place in the text, if the draft is traced.
    pub fn write(
        out: &'w mut String,
        module: &'w Module<'w>,
        draft: &'w Draft,
        called: &'w mut Vec<(Helper, Type)>,
        result: Option<&'static str>,
    ) -> Vec<(usize, Expr)> {
        let mut body = Self {
            out,
            module,
            draft,
            called,
            result,
            indent: 1,
            begin: 0,
            declared: 0,
            open: Vec::new(),
            trace: draft.is_traced.then(Vec::new),
            is_broken: false,
            limit: usize::MAX,
            skipped: Vec::new(),
        };
        body.lines();
        body.trace.unwrap_or_default()
    }

    /// Starts a line.
    pub fn line(&mut self) -> &mut String {
        self.begin = self.out.len();
        (0..self.indent).for_each(|_| self.out.push_str("    "));
        self.out
    }

    /// Notes that an expression is written here.
    pub fn note(&mut self, expr: Expr) {
        if let Some(trace) = &mut self.trace {
            trace.push((self.out.len(), expr));
        }
    }

    /// Writes all lines.
    fn lines(&mut self) {
        let mut at = 0;
        // The procedure of the lines so far, and of the next ones.
        let (mut here, mut next) = (None, None);
        let (draft, mut next_due) = (self.draft, self.next_due());
        while let Some(line) = draft.lines.get(at) {
            let is_due = next_due <= at;
            match *line {
                Line::Evaluate(expr) if !draft.fact(expr).has_line() && !is_due => {
                    at += 1;
                    continue;
                }
                Line::Evaluate(expr) if !draft.fact(expr).has_line() => {}
                Line::Procedure(procedure) => next = procedure,
                Line::Evaluate(_)
                | Line::Store { .. }
                | Line::Write { .. }
                | Line::Call(_)
                | Line::If(_)
                | Line::Loop { .. }
                    if here != next =>
                {
                    self.procedure(next);
                    here = next;
                }
                _other_line => {}
            }
            let declares = is_due && self.declare(at as u32);
            next_due = self.next_due();
            at = self.write_line(at, *line, declares);
        }
    }

    /// Writes the comment before a loop of the program: how often it runs at most, and what aL is.
    pub fn counters(&mut self, at: usize) {
        let draft = self.draft;
        let is_store = |line: &&Line| {
            matches!(line, Line::Store { .. } | Line::Evaluate(_) | Line::Procedure(_) | Line::Continue)
        };
        let last = |lines: &[Line], is_wanted: fn(HintRegister) -> bool| {
            lines.iter().rev().take_while(is_store).find_map(|line| match *line {
                Line::Store { variable, value } => match draft.variables[variable as usize].label {
                    Label::Hint(hint) if is_wanted(hint.register) => Some((variable, value)),
                    Label::Hint(_) | Label::Title(_) => None,
                },
                _other_line => None,
            })
        };
        let is_short = |operand: &Operand| draft.operand_size(operand).length <= SHORT;
        let (before, inside) = (&draft.lines[..at], &draft.lines[at..draft.scopes.ends[at] as usize]);
        let is_left = |register| matches!(register, HintRegister::LoopLeft(_));
        let Some((_, left)) = last(before, is_left).filter(|(_, left)| is_short(left)) else { return };
        let start = self.out.len();
        self.line().push_str("// up to ");
        match left.scalar() {
            Some(left) => {
                put!(self.out, left.cast_signed().max(0).unsigned_abs() + 1);
            }
            None => {
                self.operand(left, Level::Sum);
                self.out.push_str(" + 1");
            }
        }
        self.out.push_str(" iterations");
        let is_counter = |register| register == HintRegister::Counter;
        let step = last(inside, is_counter).and_then(|(variable, value)| {
            let (_, step) = self.own_operation(variable, value.whole()?)?;
            Some(step).filter(is_short)
        });
        if let (Some((_, first)), Some(step)) = (last(before, is_counter), step)
            && is_short(&first)
        {
            self.out.push_str(", aL from ");
            self.operand(first, Level::Sum);
            self.out.push_str(" by ");
            self.operand(step, Level::Sum);
        }
        self.out.push('\n');
        // The names of the file, without the block's.
        let prefix = &self.module.declarations.prefixes[0];
        if !prefix.is_empty() {
            let comment = self.out.split_off(start).replace(prefix.as_str(), "");
            self.out.push_str(&comment);
        }
    }

    /// Writes the comment before lines of a procedure, or of the program around it.
    fn procedure(&mut self, procedure: Option<u16>) {
        let interface = self.module.source.interface;
        let name = match procedure.and_then(|index| interface.procedures.get(usize::from(index))) {
            Some(procedure) => procedure.name.as_str(),
            None => interface.entry_label.as_deref().unwrap_or(ENTRY_NAME),
        };
        self.line().push_str("// procedure ");
        comment(self.out, name);
        self.out.push('\n');
    }

    /// Returns the name of an expression, or `None` if it is inlined.
    pub fn name(&self, expr: Expr) -> Option<&'w str> {
        let fact = self.draft.fact(expr);
        fact.is_named().then(|| self.draft.words.get(fact.name))
    }

    pub fn variable(&self, variable: Variable) -> &'w str {
        self.draft.words.get(self.draft.variables[variable as usize].name)
    }

    /// Writes the declarations before a line; returns whether the line itself declares.
    fn declare(&mut self, at: u32) -> bool {
        let mut by_store = false;
        while let Some(&declaration) = self.draft.declarations.get(self.declared)
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
                    self.declaration(Holder::Filled(declaration.variable));
                    self.out.push_str(" = ");
                    self.constant(ScalarKind::U32, bits, Level::Choice, false);
                }
                None => self.declaration(Holder::Empty(declaration.variable)),
            }
            self.out.push_str(";\n");
        }
        by_store
    }

    /// Writes a line and returns the index of the next one.
    fn write_line(&mut self, at: usize, line: Line, declares: bool) -> usize {
        match line {
            Line::Evaluate(expr) if self.draft.fact(expr).has_line() => {
                self.line();
                self.declaration(Holder::Value(expr));
                self.out.push_str(" = ");
                self.definition(expr);
                self.out.push_str(";\n");
            }
            Line::Evaluate(_) | Line::Procedure(_) => {}
            Line::Store { .. } if self.is_first(at) => {}
            Line::Store { .. } if self.skipped.last() == Some(&at) => drop(self.skipped.pop()),
            Line::Store { variable, value } => {
                self.line();
                if declares {
                    self.declaration(Holder::Filled(variable))
                } else {
                    self.out.push_str(self.variable(variable))
                }
                self.assigned(at as u32, variable, value);
            }
            Line::Write { word, index, value } => {
                self.line();
                self.memory(word, index.map(|index| self.draft.operands[index as usize]));
                self.out.push_str(" = ");
                self.complete(value);
                self.out.push_str(";\n");
            }
            Line::Call(word) => {
                self.line();
                self.memory(word, None);
                self.out.push_str("();\n");
            }
            Line::If(condition) => {
                self.line();
                self.begin_if(condition, Closing::Brace);
            }
            Line::Else => return self.begin_else(at),
            Line::Loop { .. } => return self.begin_loop(at, line),
            Line::Switch { selector, continues } => return self.begin_switch(at, selector, continues),
            Line::Case { first, count } => {
                self.begin_case(&self.draft.values[first as usize..][..count as usize]);
            }
            Line::End => self.close(at),
            Line::Break => self.line().push_str("break;\n"),
            Line::Continue => self.again(),
            Line::Leave => self.line().push_str("return;\n"),
            Line::Return(value) => {
                self.line().push_str("return ");
                self.complete(value);
                self.out.push_str(";\n");
            }
        }
        at + 1
    }

    /// Begins a case of a switch, or the arm of an `if` that takes its place.
    fn begin_case(&mut self, values: &[i32]) {
        if let Some(&Closing::Tests { selector, .. }) = self.open.last() {
            return self.test(selector, values);
        }
        self.case(values);
        self.begin(Closing::Case);
    }

    /// Writes ` else` and the rest of its line; returns the index of the next line.
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

    /// Writes the line of a switch; returns the index of the next line.
    fn begin_switch(&mut self, at: usize, selector: Operand, continues: bool) -> usize {
        if !self.module.dialect.switches {
            self.begin_tests(selector, continues);
            return at + 1;
        }
        let is_single = matches!(self.draft.lines.get(at + 1), Some(Line::Case { count: 0, .. }));
        // Why: drivers.md#single-case-switches.
        if self.module.dialect.falls_through && is_single && !continues {
            self.line().push_str("do {\n");
            self.begin(Closing::While);
            // The default is the body.
            self.open.push(Closing::Nothing);
            return at + 2;
        }
        self.line();
        self.conditional("switch ", selector);
        self.begin(Closing::Brace);
        at + 1
    }

    pub fn begin(&mut self, closing: Closing) {
        self.open.push(closing);
        self.indent += 1;
    }

    fn close(&mut self, at: usize) {
        let closing = self.open.pop().unwrap_or(Closing::Brace);
        let end = match closing {
            Closing::Nothing => return,
            Closing::Brace | Closing::Loop => "}\n",
            Closing::Tests { .. } | Closing::While => "} while (false);\n",
            Closing::Case => {
                let jumps = matches!(self.draft.lines[at - 1], Line::Break | Line::Continue);
                if self.module.dialect.falls_through && !jumps {
                    self.line().push_str("break;\n");
                }
                "}\n"
            }
        };
        self.indent -= 1;
        self.line().push_str(end);
        if let Closing::Tests { again: Some(jump), .. } = closing {
            self.end_tests(jump);
        }
    }

    /// Writes a memory location, or an element of it.
    pub fn memory(&mut self, word: Word, index: Option<Operand>) {
        self.out.push_str(self.draft.words.get(word));
        if let Some(index) = index {
            self.out.push('[');
            self.operand(index, Level::Choice);
            self.out.push(']');
        }
    }

    /// Writes a keyword and its operand up to the brace.
    pub fn conditional(&mut self, keyword: &str, operand: Operand) {
        let [before, after] = self.module.dialect.condition;
        self.out.extend([keyword, before]);
        self.operand(operand, Level::Choice);
        self.out.extend([after, " {\n"]);
    }

    /// Writes an `if` on a line that has begun.
    fn begin_if(&mut self, condition: Operand, closing: Closing) {
        self.conditional("if ", condition);
        self.begin(closing);
    }

    /// Returns the condition of an `if` that is the only printed line of an arm, and the line after
    /// it.
    fn only_if(&self, at: usize) -> Option<(usize, Operand)> {
        let draft = self.draft;
        let inner = self.printed(at + 1);
        let &Line::If(condition) = draft.lines.get(inner)? else { return None };
        let end = draft.scopes.ends[inner] as usize;
        let is_last = matches!(draft.lines.get(end + 1), Some(Line::End));
        // A declaration needs a line between `else` and `if`.
        (is_last && self.next_due() > inner).then_some((inner + 1, condition))
    }

    /// Returns the first printed line from a line on.
    pub fn printed(&self, from: usize) -> usize {
        let is_silent = |line: &&Line| match **line {
            Line::Evaluate(expr) => !self.draft.fact(expr).has_line(),
            Line::Procedure(_) => true,
            _printed => false,
        };
        from + self.draft.lines[from..].iter().take_while(is_silent).count()
    }

    /// Returns the line of the next declaration.
    pub fn next_due(&self) -> usize {
        self.draft.declarations.get(self.declared).map_or(usize::MAX, |declaration| declaration.at as usize)
    }
}
