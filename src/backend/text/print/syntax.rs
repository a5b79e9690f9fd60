//! Heads of loops, and constructs with different syntax in WGSL and GLSL.
//! In: pieces of lines and expressions, a dialect. Out: text. Knows nothing of blocks and buffers.

use super::{Body, Closing, Holder};
use crate::backend::text::dialect::operators::{Helper, Level, OnVectors};
use crate::backend::text::dialect::versions::Marks;
use crate::backend::text::draft::{Line, Operand};
use crate::backend::text::module::Module;
use crate::backend::text::put::put;
use crate::ir::{ScalarKind, Type};

impl<'w> Body<'w> {
    /// Returns whether a line is the first store of the counter of a loop, which its head has.
    pub fn is_first(&self, at: usize) -> bool {
        matches!(self.draft.lines.get(at + 1), Some(Line::Loop { is_counted: true, .. }))
    }

    /// Writes the head of a loop, and its test if that is the first printed line; returns the index
    /// of the next line.
    pub fn head(&mut self, at: usize, is_counted: bool) -> usize {
        let draft = self.draft;
        let Some((condition, next)) = self.test_at_head(at) else {
            let head = self.module.dialect.endless;
            self.line().push_str(head);
            return at + 1;
        };
        let condition = Operand { view: condition.view.negated(), ..condition };
        let step = (draft.scopes.ends[at] as usize).saturating_sub(1);
        let counter = match (draft.lines.get(at.wrapping_sub(1)), is_counted) {
            (Some(&Line::Store { variable, value }), true) => Some((variable, value)),
            _no_counter => None,
        };
        let (Some((variable, first)), Some(&Line::Store { value, .. })) = (counter, draft.lines.get(step))
        else {
            self.line();
            self.conditional("while ", condition);
            return next;
        };
        self.line().push_str("for (");
        self.declaration(Holder::Filled(variable));
        self.out.push_str(" = ");
        self.operand(first, Level::Choice);
        self.out.push_str("; ");
        self.operand(condition, Level::Choice);
        self.out.extend(["; ", self.variable(variable)]);
        self.assigned(step as u32, variable, value);
        self.out.truncate(self.out.trim_end_matches([';', '\n']).len());
        self.out.push_str(") {\n");
        self.skipped.push(step);
        next
    }

    /// Returns the condition of a test that leaves the loop of a line and comes before all other
    /// printed lines, and the line after it.
    fn test_at_head(&self, at: usize) -> Option<(Operand, usize)> {
        let draft = self.draft;
        let test = self.printed(at + 1);
        let &Line::If(condition) = draft.lines.get(test)? else { return None };
        let jump = self.printed(test + 1);
        let (Line::Break, Line::End) = (draft.lines.get(jump)?, draft.lines.get(jump + 1)?) else {
            return None;
        };
        // A declaration needs a line before the test.
        (self.next_due() > jump + 1).then_some((condition, jump + 2))
    }

    /// Opens the body of a loop.
    pub fn begin_loop(&mut self, at: usize, line: Line) -> usize {
        let Line::Loop { is_left, is_continued_in_switch, is_counted } = line else { return at + 1 };
        // What a comment repeats is evaluated elsewhere.
        let trace = self.trace.take();
        self.counters(at);
        self.trace = trace;
        let next = self.head(at, is_counted);
        self.begin(Closing::Loop);
        let Module { dialect, again, .. } = self.module;
        // A nested loop may declare it again, for itself.
        if is_continued_in_switch && !dialect.switches {
            put!(self.line(), "bool ", again, " = false;\n");
        }
        // WGSL requires an exit from every loop, even if it is never taken. After one that returns,
        // the function need not return anything.
        if !is_left && dialect.needs_exit {
            match self.result {
                Some(ty) => put!(self.line(), "if false { return ", ty, "(); }\n"),
                None => self.line().push_str("if false { break; }\n"),
            }
        }
        next
    }

    /// Writes the beginning of a declaration: up to the name, or up to the type if it follows the
    /// name and there is no value.
    pub fn declaration(&mut self, holder: Holder) {
        let draft = self.draft;
        let (name, ty, is_exact) = match holder {
            Holder::Value(expr) => {
                let fact = draft.fact(expr);
                (fact.name, draft.node(expr).ty, fact.size.is_exact)
            }
            Holder::Filled(variable) | Holder::Empty(variable) => {
                let local = &draft.variables[variable as usize];
                (local.name, local.ty, local.is_exact)
            }
        };
        let name = draft.words.get(name);
        let dialect = &self.module.dialect;
        if is_exact {
            self.out.push_str(dialect.exact);
        }
        if !dialect.is_type_first {
            self.out.push_str(if matches!(holder, Holder::Value(_)) { "let " } else { "var " });
        }
        if dialect.is_type_first || matches!(holder, Holder::Empty(_)) {
            dialect.pair(self.out, name, ty);
        } else {
            self.out.push_str(name);
        }
    }

    /// Writes the line before the body of a case; the default has no values.
    pub fn case(&mut self, values: &[i32]) {
        let is_single = self.module.dialect.falls_through;
        self.line();
        for (index, value) in values.iter().enumerate() {
            if is_single && index > 0 {
                self.out.push('\n');
                self.line();
            }
            self.out.push_str(if is_single || index == 0 { "case " } else { ", " });
            put!(self.out, value, if is_single { ":" } else { "" });
        }
        self.out.push_str(if values.is_empty() { self.module.dialect.default } else { " {\n" });
    }

    /// Writes the function that reinterprets bits as another type; `function` in GLSL.
    pub fn bits(&mut self, function: &str, ty: Type) {
        let dialect = &self.module.dialect;
        if dialect.has_bitcast {
            self.out.extend(["bitcast<", dialect.ty(ty), ">"]);
        } else {
            self.out.push_str(function);
        }
    }

    /// Returns the function that replaces an operator on vectors of this type, or `None` if the
    /// operator takes vectors.
    pub fn vector_function(&mut self, by: OnVectors, ty: Type) -> Option<&'w str> {
        match by {
            OnVectors::Operator => None,
            _function if self.module.dialect.takes_vectors => None,
            OnVectors::Function(name) => Some(name),
            OnVectors::Helper(helper) => Some(self.helper(helper, ty)),
        }
    }

    /// Records the call of a helper for vectors of this type and returns its name.
    fn helper(&mut self, helper: Helper, ty: Type) -> &'w str {
        if !self.called.contains(&(helper, ty)) {
            self.called.push((helper, ty));
        }
        &self.module.lanewise[helper as usize]
    }

    /// Returns whether a scalar is selected by `mix`: see [`Marks::Comparisons`].
    fn mixes(&self, ty: Type, condition: Operand) -> bool {
        let marks = self.module.dialect.marks == Marks::Comparisons;
        marks && ty == Type::F32 && self.draft.operand_size(&condition).is_exact
    }

    /// Writes the selection of one of two values.
    pub fn select(&mut self, ty: Type, operands: &[Operand], level: Level) {
        let &[condition, accept, reject] = operands else { return };
        let dialect = &self.module.dialect;
        if !dialect.takes_vectors && condition.ty.lanes == 1 && !self.mixes(ty, condition) {
            return self.enclosed(level > Level::Choice, |body| {
                body.operand(condition, Level::Or);
                body.out.push_str(" ? ");
                body.operand(accept, Level::Or);
                body.out.push_str(" : ");
                body.operand(reject, Level::Choice);
            });
        }
        let is_taken = dialect.selects_all || ty.kind == ScalarKind::F32;
        let name = if is_taken { dialect.select } else { self.helper(Helper::Choose, ty) };
        self.out.push_str(name);
        self.arguments(&[reject, accept, condition]);
    }
}
