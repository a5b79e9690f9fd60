//! Loops as `for` and `while`.
//! In: the lines of a loop, from `region`. Out: lines that count with one test at the head, where
//! that changes nothing; the heads of loops as text. Knows no registers but the ones that count.
//!
//! A LOOP of the program tests behind its body how many iterations are left. The values that its
//! last iteration leaves are stored in every iteration then, and the values for a next one after
//! the last iteration too, which needs variables that nothing reads afterwards.
//!
//! ```text
//! left_i0 = n;                             for (var left_i0 = n; left_i0 >= 0; left_i0 -= 1) {
//! loop {                                       r7 += c[aL];
//!     r7 += c[aL];                  =>         aL += step;
//!     if left_i0 <= 0 { break; }           }
//!     aL += step;
//!     left_i0 -= 1;
//! }
//! ```
//!
//! Facts: components of int uniforms are bytes, so the first iteration always runs.

use super::builder::Builder;
use super::carry::Carrier;
use super::draft::{Draft, Expr, Form, Line, Operand, PLAIN, Variable, View};
use super::operators::Level;
use super::print::{Body, Closing, Holder};
use crate::ir::{Binary, Counter, Item, Node, NodeData, Type};

/// The parts of a loop with one test at its end.
struct Counted {
    /// The counter.
    counter: Variable,
    /// Line of the store of its first value.
    init: usize,
    /// Line of the store of its next value.
    step: usize,
    /// The `If` of the test.
    test: usize,
    /// The `End` of the test.
    behind: usize,
}

impl Builder<'_> {
    /// Moves a test that begins the last loop, from this line on, before what is only evaluated
    /// there, and behind the loop what the test's arm stores.
    pub fn test_first(&mut self, at: usize) {
        let Some(stores) = self.draft.test_first(at) else { return };
        let lines = stores.into_iter().map(|(variable, value)| Line::Store { variable, value });
        self.draft.lines.extend(lines);
        self.procedure = None;
    }

    /// Returns the carrier of the counter of a loop whose last construct is the test of it; none of
    /// another loop.
    pub fn counter(&self, node: Node, params: &[Carrier]) -> Option<Carrier> {
        let ir = self.ir;
        let NodeData::Loop { params: list, body, .. } = *ir.nodes.get(node)? else { return None };
        let counter = Counter::find(ir, node).filter(|counter| counter.is_byte(ir))?;
        let is_node = |item: &&Item| matches!(item, Item::Node(_));
        let last = ir.regions.get(body)?.items.iter().rfind(is_node);
        let index = ir.get(list).iter().position(|&param| param == counter.param)?;
        (last == Some(&Item::Node(counter.test))).then(|| params[index])
    }

    /// Rewrites the last loop, from this line on, as one that counts; returns whether it could be.
    pub fn count(&mut self, at: usize, counter: Carrier, params: &[Carrier], results: &[Carrier]) -> bool {
        let variables = |carriers: &[Carrier]| -> Vec<Variable> {
            carriers.iter().map(|&carrier| self.carriers.variable(carrier)).collect()
        };
        let (counter, params, results) =
            (self.carriers.variable(counter), variables(params), variables(results));
        let Some(found) = self.draft.counted(at, counter) else { return false };
        let Counted { counter, init, step, test, behind } = found;
        let Some(stores) = self.draft.hoisted(&found, &params, &results) else { return false };
        let Line::Store { value: first, .. } = self.draft.lines[init] else { return false };
        let draft = &mut *self.draft;
        let fresh = draft.counter(counter, at);
        // The step alone stores the counter: all loads give what the head loads.
        let loads = draft.lines[at + 1..].iter().filter_map(Line::evaluated);
        let loads: Vec<_> = loads.filter(|&expr| draft.node(expr).form == Form::Variable(counter)).collect();
        loads.into_iter().for_each(|expr| draft.nodes[expr as usize].form = Form::Variable(fresh));
        let body = draft.lines[at + 1..test].to_vec();
        let tail = draft.lines[behind + 1..step].iter().chain(&draft.lines[step + 1..]).copied();
        let tail: Vec<_> = tail.collect();
        draft.lines.truncate(at);
        draft.lines.remove(init);
        draft.lines.push(Line::Store { variable: fresh, value: first });
        draft.lines.push(Line::Loop { is_left: true, is_continued_in_switch: false, is_counted: true });
        let load = draft.add(Form::Variable(fresh), Type::I32, &[], PLAIN);
        let none = draft.add(Form::Binary(Binary::ILess), Type::BOOL, &[load, Operand::int(0)], PLAIN);
        draft.lines.extend([Line::If(none), Line::Break, Line::End]);
        draft.lines.extend(body);
        draft.lines.extend(stores);
        let (end, tail) = tail.split_last().map_or((Line::End, &[][..]), |(&end, tail)| (end, tail));
        draft.lines.extend(tail);
        let load = draft.add(Form::Variable(fresh), Type::I32, &[], PLAIN);
        let next = draft.add(Form::Binary(Binary::ISub), Type::I32, &[load, Operand::int(1)], PLAIN);
        draft.lines.extend([Line::Store { variable: fresh, value: next }, end]);
        // The first line of a procedure may be among those that are gone.
        self.procedure = None;
        true
    }
}

impl Draft {
    /// Finds the parts of the last loop, whose last construct is the test of this counter.
    fn counted(&self, at: usize, counter: Variable) -> Option<Counted> {
        let lines = &self.lines[..self.lines.len().checked_sub(1)?];
        let is_control = |line: &Line| !is_plain(line);
        let behind = lines.iter().rposition(is_control)?;
        let jump = behind.checked_sub(1)?;
        let test = lines[..jump].iter().rposition(is_control).filter(|&test| test > at)?;
        let (Line::If(_), Line::Break, Line::End) = (lines[test], lines[jump], lines[behind]) else {
            return None;
        };
        let stores = |line: &Line| matches!(*line, Line::Store { variable, .. } if variable == counter);
        let step = behind + 1 + lines[behind + 1..].iter().position(stores)?;
        let before = lines[..at].iter().rev().take_while(|line| is_plain(line));
        let init = at - 1 - before.clone().position(stores)?;
        // A loop inside may store the same variable.
        let is_only = lines[at + 1..].iter().filter(|line| stores(line)).count() == 1;
        is_only.then_some(Counted { counter, init, step, test, behind })
    }

    /// Returns the number of lines that leave the last loop.
    fn exits(&self, at: usize) -> usize {
        let (mut open, mut exits) = (Vec::new(), 0);
        for line in &self.lines[at + 1..] {
            match line {
                Line::If(_) | Line::Case { .. } => open.push(false),
                Line::Loop { .. } | Line::Switch { .. } => open.push(true),
                Line::End => drop(open.pop()),
                Line::Break => exits += usize::from(!open.contains(&true)),
                _other_line => {}
            }
        }
        exits
    }

    /// Moves the test at the head of the last loop to its first lines, if it is the only line there
    /// that does something. Returns the stores of its arm, which must follow the loop then.
    fn test_first(&mut self, at: usize) -> Option<Vec<(Variable, Operand)>> {
        let lines = self.lines.get(at + 1..)?;
        let silent = |line: &&Line| matches!(line, Line::Evaluate(_) | Line::Procedure(_));
        let test = lines.iter().take_while(silent).count();
        let &Line::If(condition) = lines.get(test)? else { return None };
        let arm = lines[test + 1..].iter().take_while(|line| is_plain(line)).count();
        let jump = test + 1 + arm;
        let (Line::Break, Line::End) = (lines.get(jump)?, lines.get(jump + 1)?) else { return None };
        let stores = lines[test + 1..jump].iter().filter_map(|line| match *line {
            Line::Store { variable, value } => Some((variable, value)),
            _other_line => None,
        });
        let stores: Vec<_> = stores.collect();
        // Later lines have later expressions.
        let first = lines.iter().find_map(|line| line.evaluated()).unwrap_or(self.nodes.len() as Expr);
        let is_inside = |value: &Operand| value.view.expr().is_some_and(|expr| expr >= first);
        let is_known = |value: &Operand| value.view.expr().is_some_and(|expr| self.is_variable(expr));
        if test == 0 && stores.is_empty()
            || stores.iter().any(|(_, value)| is_inside(value) && !is_known(value))
            || !stores.is_empty() && self.exits(at) > 1
        {
            return None;
        }
        let mut is_needed = vec![false; self.nodes.len()];
        let mut work: Vec<Expr> = condition.view.expr().into_iter().collect();
        while let Some(expr) = work.pop() {
            if !std::mem::replace(&mut is_needed[expr as usize], true) {
                let parts = self.operands(expr).iter().filter(|part| is_inside(part));
                work.extend(parts.filter_map(|part| part.view.expr()));
            }
        }
        let is_needed = |line: &Line| line.evaluated().is_some_and(|expr| is_needed[expr as usize]);
        let (before, after): (Vec<_>, Vec<_>) = lines[..test].iter().copied().partition(is_needed);
        let moved = before.into_iter().chain([Line::If(condition), Line::Break, Line::End]).chain(after);
        let moved: Vec<_> = moved.collect();
        self.lines.splice(at + 1..at + 1 + jump + 2, moved);
        // What the loop leaves is loaded before the first store: stores are parallel.
        let values = stores.into_iter().map(|(variable, value)| match value.view.expr() {
            Some(expr) if expr >= first => (variable, self.again(value)),
            Some(_) | None => (variable, value),
        });
        Some(values.collect())
    }

    /// Returns whether an expression is the content of a variable.
    fn is_variable(&self, expr: Expr) -> bool {
        matches!(self.node(expr).form, Form::Variable(_))
    }

    /// Returns a value behind the loop at whose head it is known.
    fn again(&mut self, value: Operand) -> Operand {
        let Some(expr) = value.view.expr() else { return value };
        let node = *self.node(expr);
        let load = self.add(node.form, node.ty, &[], node.label);
        let View::Whole(fresh) = load.view else { return value };
        let view = match value.view {
            View::Whole(_) => View::Whole(fresh),
            View::Lanes(_, lanes) => View::Lanes(fresh, lanes),
            View::Splat(_) => View::Splat(fresh),
            View::Not(_, lane) => View::Not(fresh, lane),
            View::Const(bits) => View::Const(bits),
        };
        Operand { view, ..value }
    }

    /// Returns the lines of the test's arm that every iteration may run, less the stores that it
    /// has anyway; none if an iteration could tell the difference.
    fn hoisted(&self, found: &Counted, params: &[Variable], results: &[Variable]) -> Option<Vec<Line>> {
        let &Counted { counter, test, behind, .. } = found;
        let tail = &self.lines[behind + 1..];
        let stored = |wanted: Variable| {
            tail.iter().find_map(|line| match *line {
                Line::Store { variable, value } if variable == wanted => Some(value),
                _other_line => None,
            })
        };
        let (mut lines, mut covered) = (Vec::new(), Vec::new());
        for &line in &self.lines[test + 1..behind - 1] {
            let Line::Store { variable, value } = line else {
                lines.extend(matches!(line, Line::Evaluate(_)).then_some(line));
                continue;
            };
            covered.push(variable);
            match stored(variable) {
                Some(next) if self.is_same(value, next) => {}
                None if !params.contains(&variable) => lines.push(line),
                Some(_) | None => return None,
            }
        }
        // What follows the loop would read the values for the next iteration.
        let is_lost = |line: &Line| match *line {
            Line::Store { variable, .. } => results.contains(&variable) && !covered.contains(&variable),
            _other_line => false,
        };
        (!results.contains(&counter) && !tail.iter().any(is_lost)).then_some(lines)
    }

    /// Returns whether two operands are equal: the same, or one operation on the same operands.
    fn is_same(&self, a: Operand, b: Operand) -> bool {
        if a == b {
            return true;
        }
        let (Some(first), Some(second)) = (a.whole(), b.whole()) else { return false };
        let is_fixed = |form| matches!(form, Form::Build | Form::Binary(_) | Form::Unary(_) | Form::Select);
        let form = self.node(first).form;
        is_fixed(form)
            && form == self.node(second).form
            && a.ty == b.ty
            && self.operands(first) == self.operands(second)
    }

    /// Returns a variable for the counter of a loop: one that no loop inside uses.
    fn counter(&mut self, like: Variable, at: usize) -> Variable {
        let label = self.variables[like as usize].label;
        let is_used = |counter: Variable| {
            let stores = |line: &Line| matches!(*line, Line::Store { variable, .. } if variable == counter);
            self.lines[at..].iter().any(stores)
        };
        let free = |&counter: &Variable| self.variables[counter as usize].label == label && !is_used(counter);
        if let Some(counter) = self.counters.iter().copied().find(free) {
            return counter;
        }
        let counter = self.variable(label, Type::I32, None);
        self.counters.push(counter);
        counter
    }
}

impl Line {
    /// Returns the expression that the line evaluates.
    const fn evaluated(&self) -> Option<Expr> {
        match self {
            Self::Evaluate(expr) => Some(*expr),
            _other_line => None,
        }
    }
}

/// Returns whether a line is no part of control flow.
const fn is_plain(line: &Line) -> bool {
    matches!(line, Line::Evaluate(_) | Line::Store { .. } | Line::Procedure(_))
}

impl Body<'_> {
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
        let step = (draft.scopes.end_of(at as u32) as usize).saturating_sub(1);
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
        self.out.push_str("; ");
        self.out.push_str(self.variable(variable));
        self.assigned(step as u32, variable, value);
        self.out.truncate(self.out.trim_end_matches([';', '\n']).len());
        self.out.push_str(") {\n");
        self.skipped.push(step);
        next
    }

    /// Returns the condition of a test that leaves the loop of a line and comes before all other
    /// printed lines, and the line behind it.
    fn test_at_head(&self, at: usize) -> Option<(Operand, usize)> {
        let draft = self.draft;
        let silent = |line: &&Line| match **line {
            Line::Evaluate(expr) => !draft.fact(expr).has_line(),
            Line::Procedure(_) => true,
            _printed => false,
        };
        let test = at + 1 + draft.lines[at + 1..].iter().take_while(silent).count();
        let &Line::If(condition) = draft.lines.get(test)? else { return None };
        let jump = test + 1 + draft.lines[test + 1..].iter().take_while(silent).count();
        let (Line::Break, Line::End) = (draft.lines.get(jump)?, draft.lines.get(jump + 1)?) else {
            return None;
        };
        // A declaration needs a line before the test.
        let next = draft.declarations.get(self.declared);
        next.is_none_or(|declaration| declaration.at as usize > jump + 1).then_some((condition, jump + 2))
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
        if is_continued_in_switch {
            self.remember_continue();
        }
        // WGSL requires an exit from every loop.
        if !is_left {
            self.endless();
        }
        next
    }
}
