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
use super::dialect::operators::Level;
use super::draft::{Draft, Expr, Form, Label, Line, Operand, PLAIN, Variable, View};
use super::print::{Body, Closing, Holder};
use super::region::Scope;
use crate::error::Result;
use crate::ir::{Binary, Counter, Exit, Func, Item, Node, NodeData, Op, RegionData, Type, Value, ValueList};

/// A loop whose last construct is the test of its counter.
pub struct Counted<'a> {
    /// The counter, with its value in the first iteration.
    counter: Value,
    init: Value,
    /// The other parameters: carriers, first values, values of the next iteration.
    carriers: Vec<Carrier>,
    params: Vec<Value>,
    inits: Vec<Value>,
    next: Vec<Value>,
    /// The body, and the index of the test in it.
    body: &'a RegionData,
    test: usize,
    /// What runs after the last iteration alone.
    arm: &'a RegionData,
    /// The results that are no parameters, with their values.
    left: Vec<(Carrier, Value)>,
    /// The results that the next iteration has as parameters.
    kept: Vec<(Carrier, Value)>,
}

impl<'a> Counted<'a> {
    /// Finds the parts of a loop that counts; none if an iteration could tell that it stores what
    /// only the last one leaves.
    pub fn find(ir: &'a Func, node: Node, [params, results]: [&[Carrier]; 2]) -> Option<Self> {
        let NodeData::Loop { params: list, inits, body, .. } = *ir.nodes.get(node)? else { return None };
        let Counter { param, init, test } = Counter::find(ir, node).filter(|counter| counter.is_byte(ir))?;
        let body = ir.regions.get(body)?;
        let last = body.items.iter().rposition(|item| matches!(item, Item::Node(_)))?;
        let NodeData::If { then, otherwise, results: none, .. } = *ir.nodes.get(test)? else { return None };
        let arm = ir.regions.get(otherwise)?;
        let (Exit::Continue(next), Exit::Break(left)) = (body.exit, arm.exit) else { return None };
        let is_let = |item: &Item| match *item {
            Item::Let(value) => !matches!(ir.op(value), Some(Op::Submit { .. })),
            Item::Node(_) => false,
        };
        let is_simple = body.items[last] == Item::Node(test)
            && ir.regions.get(then)?.items.is_empty()
            && ir.get(none).is_empty()
            && arm.items.iter().all(is_let);
        let index = ir.get(list).iter().position(|&value| value == param).filter(|_| is_simple)?;
        let (mut own, mut kept) = (Vec::new(), Vec::new());
        for (&carrier, &value) in results.iter().zip(ir.get(left)) {
            match params.iter().position(|&param| param == carrier) {
                None => own.push((carrier, value)),
                Some(param) if param == index || !is_same(ir, value, *ir.get(next).get(param)?) => {
                    return None;
                }
                Some(param) => kept.extend((value == ir.get(next)[param]).then_some((carrier, value))),
            }
        }
        let others = |values: &[Value]| -> Vec<Value> {
            values.iter().enumerate().filter(|(at, _)| *at != index).map(|(_, &value)| value).collect()
        };
        let [inits, next, list] = [inits, next, list].map(|list| others(ir.get(list)));
        let mut carriers = params.to_vec();
        carriers.remove(index);
        Some(Self {
            counter: param,
            init,
            carriers,
            params: list,
            inits,
            next,
            body,
            test: last,
            arm,
            left: own,
            kept,
        })
    }
}

/// Returns whether two values are equal: the same, or one operation on the same operands.
fn is_same(ir: &Func, a: Value, b: Value) -> bool {
    a == b || ir.op(a).is_some_and(|op| ir.op(b) == Some(op) && !matches!(op, Op::Submit { .. }))
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

    /// Adds the lines of a loop that counts.
    pub fn count(&mut self, counted: Counted<'_>, results: ValueList, scope: Scope<'_>) -> Result<()> {
        self.store(&counted.carriers, &counted.inits)?;
        let (value, first) = (counted.counter, self.value(counted.init)?);
        let counter = self.counter(Label::Hint(self.ir.values[value].hint));
        self.yielding(results, |this, carriers, _| {
            this.push(Line::Store { variable: counter, value: first });
            this.open(Line::Loop { is_left: true, is_continued_in_switch: false, is_counted: true });
            let count = this.draft.add(Form::Variable(counter), Type::I32, &[], PLAIN);
            let none =
                this.draft.add(Form::Binary(Binary::ILess), Type::BOOL, &[count, Operand::int(0)], PLAIN);
            this.draft.lines.extend([Line::If(none), Line::Break, Line::End]);
            this.carriers.forget();
            this.load_from(counter, value);
            this.load(&counted.carriers, &counted.params);
            let Counted { body, test, arm, .. } = counted;
            let scope = scope.repeated([&counted.carriers, carriers]).inside();
            this.items(body, 0..test, scope)?;
            this.store_all(&counted.kept)?;
            this.items(arm, 0..arm.items.len(), scope)?;
            this.store_all(&counted.left)?;
            this.items(body, test + 1..body.items.len(), scope)?;
            this.store(&counted.carriers, &counted.next)?;
            let count = this.draft.add(Form::Variable(counter), Type::I32, &[], PLAIN);
            let next =
                this.draft.add(Form::Binary(Binary::ISub), Type::I32, &[count, Operand::int(1)], PLAIN);
            this.push(Line::Store { variable: counter, value: next });
            this.close();
            Ok(())
        })?;
        self.counting.pop();
        Ok(())
    }

    fn store_all(&mut self, stores: &[(Carrier, Value)]) -> Result<()> {
        let (carriers, values): (Vec<_>, Vec<_>) = stores.iter().copied().unzip();
        self.store(&carriers, &values)
    }

    /// Returns a variable for a counter, which no loop around uses.
    fn counter(&mut self, label: Label) -> Variable {
        let is_free = |&counter: &Variable| {
            self.draft.variables[counter as usize].label == label && !self.counting.contains(&counter)
        };
        let counter = self.draft.counters.iter().copied().find(is_free).unwrap_or_else(|| {
            let counter = self.draft.variable(label, Type::I32, None);
            self.draft.counters.push(counter);
            counter
        });
        self.counting.push(counter);
        counter
    }
}

impl Draft {
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
