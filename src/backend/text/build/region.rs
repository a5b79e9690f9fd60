//! Regions and constructs as lines.
//! In: [`Region`]s and [`Node`]s. Out: lines of a [`Draft`](crate::backend::text::draft::Draft).
//! Knows no operations.
//!
//! | IR | text |
//! |---|---|
//! | `If` | `if`; an empty arm is left out, what an arm only yields is stored before, an arm after one that jumps away follows it unindented |
//! | `Loop` | endless loop, or by `loops` one with a test at its head; what both exits at its end store is stored before them |
//! | `Block` | `switch 0 { default {…} }`; nothing at all where each `Break` stands at an end of it |
//! | `Switch` | `switch` without fall-through |
//! | `Break`, `Continue` | stores to the carriers and the jump; the jump is left out where falling off the end does the same |
//!
//! Recursion follows the nesting depth, which `BRACES` bounds; readers of the text recurse
//! likewise.

use std::ops::Range;

use super::Builder;
use super::carry::{Carrier, Snapshot};
use super::loops::{Counted, Tested, exits};
use crate::backend::interface::defect;
use crate::backend::text::draft::{Form, Label, Line, Operand, PLAIN, Variable};
use crate::error::Result;
use crate::ir::{
    Binary, Exit, Func, Item, Node, NodeData, Op, Region, RegionData, Type, Unary, Value, ValueList,
};
use crate::limits::BRACES;

/// Targets of a region's exits.
#[derive(Clone, Copy)]
struct Scope<'s> {
    /// Carriers of the values of a `Yield`.
    yields: &'s [Carrier],
    /// Carriers of the values of a `Break`, or `None` outside breakable constructs.
    breaks: Option<&'s [Carrier]>,
    /// Carriers of the values of a `Continue`, or `None` outside loops.
    continues: Option<&'s [Carrier]>,
    /// Falling off the end of the region leaves the innermost breakable construct.
    end_breaks: bool,
    /// Falling off the end of the region continues the innermost loop.
    end_continues: bool,
}

impl<'s> Scope<'s> {
    /// Scope of a complete function.
    const FUNCTION: Self =
        Self { yields: &[], breaks: None, continues: None, end_breaks: false, end_continues: false };

    /// Returns the scope inside a block or switch with these carriers.
    const fn block(self, carriers: &'s [Carrier]) -> Self {
        Self { yields: carriers, breaks: Some(carriers), end_breaks: true, ..self }
    }

    /// Returns the scope inside a loop whose parameters and results have these carriers.
    const fn repeated(self, [params, results]: [&'s [Carrier]; 2]) -> Self {
        let (breaks, continues) = (Some(results), Some(params));
        Self { breaks, continues, end_breaks: false, end_continues: true, ..self }
    }

    /// Returns the same scope for a region that is not at the end.
    const fn inside(self) -> Self {
        Self { end_breaks: false, end_continues: false, ..self }
    }
}

/// An `If`.
#[derive(Clone, Copy)]
struct Branch {
    cond: Value,
    then: Region,
    otherwise: Region,
    results: ValueList,
    after: After,
}

/// A `Loop`.
#[derive(Clone, Copy)]
struct Repeat<'s> {
    params: &'s [Value],
    inits: &'s [Value],
    /// Carriers of the parameters.
    carriers: &'s [Carrier],
    body: Region,
    results: ValueList,
}

/// Rest of a region after a construct.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    /// Nothing: it never falls through.
    Nothing,
    /// No further construct, and then the next iteration.
    Continue(ValueList),
    /// Something else.
    More,
}

impl<'a> Builder<'a> {
    /// Adds the lines of the function and returns the values that it yields, or returns `None` if
    /// it never ends.
    pub fn body(&mut self) -> Result<Option<&'a [Value]>> {
        let ir = self.ir;
        let region = ir.body.ok_or_else(|| defect("a function has no body"))?;
        self.region(region, Scope::FUNCTION)?;
        match region_of(ir, region)?.exit {
            Exit::Yield(values) => Ok(Some(ir.get(values))),
            Exit::Unreachable => Ok(None),
            Exit::Break(_) | Exit::Continue(_) => Err(defect("a function ends in a jump")),
        }
    }

    /// Adds the lines of a region, including its exit.
    fn region(&mut self, region: Region, scope: Scope<'_>) -> Result<()> {
        let data = region_of(self.ir, region)?;
        self.items(data, 0..data.items.len(), scope)?;
        self.exit(data.exit, scope)
    }

    /// Adds the lines of some items of a region.
    fn items(&mut self, data: &RegionData, range: Range<usize>, scope: Scope<'_>) -> Result<()> {
        for index in range {
            let node = match data.items[index] {
                Item::Let(value) => {
                    self.item(value)?;
                    continue;
                }
                Item::Node(node) => node,
            };
            let after = after(data, index);
            // Only in the last construct is the end of an arm the end of the region too.
            let scope = if after == After::Nothing { scope } else { scope.inside() };
            self.node(node, scope, after)?;
        }
        Ok(())
    }

    fn exit(&mut self, exit: Exit, scope: Scope<'_>) -> Result<()> {
        let (carriers, values, jump) = match exit {
            Exit::Unreachable => return Ok(()),
            Exit::Yield(values) => (Some(scope.yields), values, None),
            Exit::Break(values) => (scope.breaks, values, (!scope.end_breaks).then_some(Line::Break)),
            Exit::Continue(values) => {
                (scope.continues, values, (!scope.end_continues).then_some(Line::Continue))
            }
        };
        let carriers = carriers.ok_or_else(|| defect("a jump has nothing to leave or repeat"))?;
        self.store(carriers, self.ir.get(values));
        if let Some(jump) = jump {
            self.jump(jump);
        }
        Ok(())
    }

    /// Adds a jump and records it at the constructs that it affects.
    fn jump(&mut self, jump: Line) {
        self.draft.lines.push(jump);
        let is_break = matches!(jump, Line::Break);
        let mut from_switch = false;
        for &line in self.open.iter().rev() {
            if let Line::Loop { is_left, is_continued_in_switch, .. } = &mut self.draft.lines[line] {
                *is_left |= is_break;
                *is_continued_in_switch |= from_switch;
                break;
            }
            // A `break` leaves the switch alone, a `continue` both.
            if is_break {
                break;
            }
            if let Line::Switch { continues, .. } = &mut self.draft.lines[line] {
                *continues = true;
                from_switch = true;
            }
        }
    }

    /// Begins a loop or switch.
    fn open(&mut self, line: Line) {
        self.open.push(self.draft.lines.len());
        self.draft.lines.push(line);
    }

    fn close(&mut self) {
        self.draft.lines.push(Line::End);
        self.open.pop();
    }

    fn node(&mut self, node: Node, scope: Scope<'_>, after: After) -> Result<()> {
        let ir = self.ir;
        let data = ir.nodes.get(node).ok_or_else(|| defect(format!("{node} does not exist")))?;
        // A switch has braces around the braces of its cases.
        let levels = if data.is_breakable() && !data.is_loop() { 2 } else { 1 };
        self.depth += levels;
        if self.depth > BRACES {
            return Err(defect(format!("more than {BRACES} braces are nested")));
        }
        match *data {
            NodeData::If { cond, then, otherwise, results } => {
                self.branch(Branch { cond, then, otherwise, results, after }, scope)?;
            }
            NodeData::Loop { params, inits, body, results } => {
                let (carriers, left) = (self.carriers_of(params), self.carriers_of(results));
                let (params, inits) = (ir.get(params), ir.get(inits));
                let repeat = Repeat { params, inits, carriers: &carriers, body, results };
                if let Some(counted) = Counted::find(ir, node, [&carriers, &left]) {
                    self.count(counted, repeat, scope)?;
                } else {
                    self.store(&carriers, inits);
                    self.repeat(Tested::find(ir, node, [&carriers, &left]), repeat, scope)?;
                }
            }
            NodeData::Block { body, results } => self.breakable(body, results, scope)?,
            NodeData::Switch { selector, ref cases, default, results } => {
                let selector = self.value(selector);
                self.switch(selector, cases, default, results, scope)?;
            }
        }
        self.depth -= levels;
        Ok(())
    }

    fn branch(&mut self, branch: Branch, scope: Scope<'_>) -> Result<()> {
        let (cond, mut then, mut otherwise) = match self.ir.op(branch.cond) {
            Some(Op::Unary(Unary::Not, inner)) => (inner, branch.otherwise, branch.then),
            _other => (branch.cond, branch.then, branch.otherwise),
        };
        let results = self.carriers_of(branch.results);
        let mut condition = self.value(cond);
        let arm = Scope { yields: &results, ..scope };
        let last = branch.after == After::Nothing;
        if last && jumps(self.ir, otherwise, arm) && !jumps(self.ir, then, arm) {
            // The arm that leaves goes first, so that the other needs no braces.
            std::mem::swap(&mut then, &mut otherwise);
            condition.view = condition.view.negated();
        }
        let flat = last && jumps(self.ir, then, arm);
        self.store_common(branch, arm)?;
        // Otherwise the other arm follows without braces.
        if !flat && let Some(values) = [otherwise, then].into_iter().find_map(|arm| yields_only(self.ir, arm))
        {
            // `r1 = a; if c { r1 = b; }`
            self.store(&results, self.ir.get(values));
        }
        let start = self.carriers.snapshot();
        let opening = self.draft.lines.len();
        self.draft.lines.push(Line::If(condition));
        self.region(then, arm)?;
        // The other arm begins with the contents from before the `if`.
        self.carriers.restore(&start);
        if flat {
            self.draft.lines.push(Line::End);
            return self.region(otherwise, arm);
        }
        let middle = self.draft.lines.len();
        self.draft.lines.push(Line::Else);
        self.region(otherwise, arm)?;
        // Variables that either arm stored have unknown contents from here on.
        self.carriers.merge(&start);
        self.close_if(opening, middle);
        self.load(&results, self.ir.get(branch.results));
        Ok(())
    }

    /// Ends an `If` and drops arms that only evaluate values, which are dead outside.
    fn close_if(&mut self, opening: usize, middle: usize) {
        let lines = &mut self.draft.lines;
        // The first line of a procedure may be among those that are dropped.
        self.procedure = None;
        let is_idle =
            |lines: &[Line]| lines.iter().all(|line| matches!(line, Line::Evaluate(_) | Line::Procedure(_)));
        match (is_idle(&lines[opening + 1..middle]), is_idle(&lines[middle + 1..])) {
            (true, true) => return lines.truncate(opening),
            (true, false) => {
                lines.drain(opening + 1..=middle);
                if let Line::If(condition) = &mut lines[opening] {
                    condition.view = condition.view.negated();
                }
            }
            (false, true) => lines.truncate(middle),
            (false, false) => {}
        }
        lines.push(Line::End);
    }

    /// Hoists the stores that a `break` and a `continue` at the end of a loop's body have in
    /// common.
    fn store_common(&mut self, branch: Branch, scope: Scope<'_>) -> Result<()> {
        let ir = self.ir;
        let (one, other) = (region_of(ir, branch.then)?, region_of(ir, branch.otherwise)?);
        let (mut leave, mut again) = (None, None);
        if let After::Continue(values) = branch.after {
            again = Some(values);
        }
        for exit in [one.exit, other.exit] {
            match exit {
                Exit::Break(values) => leave = Some(values),
                Exit::Continue(values) => again = Some(values),
                Exit::Yield(_) | Exit::Unreachable => {}
            }
        }
        let (Some(leave), Some(again)) = (leave, again) else { return Ok(()) };
        // Constructs in the arms could use the same carriers; what a switch is left with is another
        // matter.
        let constructs = one.items.iter().chain(&other.items).any(|item| matches!(item, Item::Node(_)));
        let (Some(results), Some(params), false) = (scope.breaks, scope.continues, constructs) else {
            return Ok(());
        };
        let is_common =
            |stored: &(&Carrier, &Value)| params.iter().zip(ir.get(again)).any(|next| next == *stored);
        let common = results.iter().zip(ir.get(leave)).filter(is_common);
        let (carriers, values): (Vec<_>, Vec<_>) = common.map(|(&carrier, &value)| (carrier, value)).unzip();
        self.store(&carriers, &values);
        Ok(())
    }

    /// Adds a construct with results, which are loaded from the carriers afterwards.
    fn yielding(
        &mut self,
        results: ValueList,
        write: impl FnOnce(&mut Self, &[Carrier], &Snapshot) -> Result<()>,
    ) -> Result<()> {
        let carriers = self.carriers_of(results);
        let start = self.carriers.snapshot();
        write(self, &carriers, &start)?;
        self.carriers.merge(&start);
        self.load(&carriers, self.ir.get(results));
        Ok(())
    }

    /// Adds a loop, with its test first if there is one.
    fn repeat(&mut self, tested: Option<Tested<'_>>, repeat: Repeat<'_>, scope: Scope<'_>) -> Result<()> {
        let Repeat { params: list, carriers: params, body, results, .. } = repeat;
        self.yielding(results, |this, carriers, _| {
            this.open(Line::Loop { is_left: false, is_continued_in_switch: false, is_counted: false });
            // Later iterations enter with other contents than the first one.
            this.carriers.forget();
            let inner = scope.repeated([params, carriers]);
            let Some(tested) = tested else {
                this.load(params, list);
                this.region(body, inner)?;
                this.close();
                return Ok(());
            };
            this.tested(&tested, repeat, inner)?;
            this.close();
            // What the loop leaves is loaded before the first store: stores are parallel.
            this.carriers.forget();
            this.load(params, list);
            tested.again.iter().try_for_each(|&value| this.item(value))?;
            this.store(carriers, tested.left);
            Ok(())
        })
    }

    /// Adds the body of a loop that begins with a test, with the test before what it does not need.
    fn tested(&mut self, tested: &Tested<'_>, repeat: Repeat<'_>, scope: Scope<'_>) -> Result<()> {
        let &Tested { body, test, leaves, rest, .. } = tested;
        let needed = tested.needed(self.ir, repeat.params);
        let add = |this: &mut Self, wanted: bool| -> Result<()> {
            for (&carrier, param) in repeat.carriers.iter().zip(repeat.params) {
                if needed.contains(param) == wanted {
                    this.load(&[carrier], &[*param]);
                }
            }
            for (at, item) in body.items[..test].iter().enumerate() {
                if matches!(item, Item::Let(value) if needed.contains(value) == wanted) {
                    this.items(body, at..at + 1, scope)?;
                }
            }
            Ok(())
        };
        add(self, true)?;
        let mut condition = self.value(tested.condition);
        if !leaves {
            condition.view = condition.view.negated();
        }
        self.draft.lines.push(Line::If(condition));
        self.jump(Line::Break);
        self.draft.lines.push(Line::End);
        // The head of the loop has the first lines.
        self.procedure = None;
        add(self, false)?;
        match rest {
            Some(rest) => self.region(rest, scope),
            None => {
                // As after every `if`, what an arm stores has unknown contents.
                self.carriers.lose(scope.breaks.unwrap_or_default(), tested.left);
                self.items(body, test + 1..body.items.len(), scope)?;
                self.exit(body.exit, scope)
            }
        }
    }

    /// Adds a loop that counts: each iteration stores what the last one leaves.
    fn count(&mut self, counted: Counted<'_>, repeat: Repeat<'_>, scope: Scope<'_>) -> Result<()> {
        let Counted { counter, index, body, test, arm, left } = counted;
        let Exit::Continue(next) = body.exit else { return Ok(()) };
        let params = without(repeat.carriers, index);
        self.store(&params, &without(repeat.inits, index));
        let first = self.value(counter.init);
        let variable = self.counter(Label::Hint(self.ir.values[counter.param].hint));
        self.yielding(repeat.results, |this, carriers, _| {
            this.draft.lines.push(Line::Store { variable, value: first });
            this.open(Line::Loop { is_left: true, is_continued_in_switch: false, is_counted: true });
            let zero = Operand::int(0);
            let is_done = this.step(variable, Binary::ILess, Type::BOOL, zero);
            this.draft.lines.extend([Line::If(is_done), Line::Break, Line::End]);
            this.carriers.forget();
            this.load_from(variable, counter.param);
            this.load(&params, &without(repeat.params, index));
            let scope = scope.repeated([&params, carriers]).inside();
            this.items(body, 0..test, scope)?;
            let (mut kept, mut own) = ((Vec::new(), Vec::new()), (Vec::new(), Vec::new()));
            for (&carrier, &value) in carriers.iter().zip(left) {
                // Parameters already have the values of the next iteration, which follow.
                let next =
                    repeat.carriers.iter().zip(this.ir.get(next)).find(|(param, _)| **param == carrier);
                match next {
                    None => own.extend([(carrier, value)]),
                    Some((_, &next)) => kept.extend((next == value).then_some((carrier, value))),
                }
            }
            this.store(&kept.0, &kept.1);
            this.items(arm, 0..arm.items.len(), scope)?;
            this.store(&own.0, &own.1);
            this.items(body, test + 1..body.items.len(), scope)?;
            this.store(&params, &without(this.ir.get(next), index));
            let value = this.step(variable, Binary::ISub, Type::I32, Operand::int(1));
            this.draft.lines.push(Line::Store { variable, value });
            this.close();
            Ok(())
        })?;
        self.counting.pop();
        Ok(())
    }

    /// Adds an operation on a counter and a number.
    fn step(&mut self, counter: Variable, op: Binary, ty: Type, number: Operand) -> Operand {
        let count = self.draft.add(Form::Variable(counter), Type::I32, &[], PLAIN);
        self.draft.add(Form::Binary(op), ty, &[count, number], PLAIN)
    }

    /// Returns a variable for a counter, which no loop around uses.
    fn counter(&mut self, label: Label) -> Variable {
        let draft = &mut *self.draft;
        let is_free = |counter: &&Variable| {
            draft.variables[**counter as usize].label == label && !self.counting.contains(counter)
        };
        let counter = draft.counters.iter().find(is_free).copied().unwrap_or_else(|| {
            let counter = draft.variable(label, Type::I32, None);
            draft.counters.push(counter);
            counter
        });
        self.counting.push(counter);
        counter
    }

    fn breakable(&mut self, body: Region, results: ValueList, scope: Scope<'_>) -> Result<()> {
        let is_at_end = |(exit, at_end): (Exit, bool)| at_end || !matches!(exit, Exit::Break(_));
        if !exits(self.ir, body).into_iter().all(is_at_end) {
            // Neither language can leave a plain block, but `break` leaves a switch.
            return self.switch(Operand::int(0), &[], body, results, scope);
        }
        self.yielding(results, |this, carriers, _| this.region(body, scope.block(carriers)))
    }

    fn switch(
        &mut self,
        selector: Operand,
        cases: &[(Vec<i32>, Region)],
        default: Region,
        results: ValueList,
        scope: Scope<'_>,
    ) -> Result<()> {
        self.yielding(results, |this, carriers, start| {
            this.open(Line::Switch { selector, continues: false });
            let cases = cases.iter().map(|(values, region)| (&values[..], *region));
            for (values, region) in cases.chain([(&[][..], default)]) {
                // Each case begins with the contents at the head of the switch.
                this.carriers.restore(start);
                let (first, count) = (this.draft.values.len() as u32, values.len() as u32);
                this.draft.values.extend_from_slice(values);
                this.draft.lines.push(Line::Case { first, count });
                this.region(region, scope.block(carriers))?;
                this.draft.lines.push(Line::End);
            }
            this.close();
            Ok(())
        })
    }
}

/// Returns a list without one of its elements.
fn without<T: Copy>(list: &[T], index: usize) -> Vec<T> {
    let others = list.iter().enumerate().filter(|(at, _)| *at != index);
    others.map(|(_, &element)| element).collect()
}

fn region_of(ir: &Func, region: Region) -> Result<&RegionData> {
    ir.regions.get(region).ok_or_else(|| defect(format!("{region} does not exist")))
}

/// Returns the rest of a region after the item `index`.
fn after(data: &RegionData, index: usize) -> After {
    let rest = &data.items[index + 1..];
    match data.exit {
        Exit::Unreachable if rest.is_empty() => After::Nothing,
        Exit::Continue(values) if !rest.iter().any(|item| matches!(item, Item::Node(_))) => {
            After::Continue(values)
        }
        Exit::Yield(_) | Exit::Break(_) | Exit::Continue(_) | Exit::Unreachable => After::More,
    }
}

/// Returns the values that a region without items yields.
fn yields_only(ir: &Func, region: Region) -> Option<ValueList> {
    let data = ir.regions.get(region)?;
    let Exit::Yield(values) = data.exit else { return None };
    data.items.is_empty().then_some(values)
}

/// Returns whether the region ends in an explicit jump.
fn jumps(ir: &Func, region: Region, scope: Scope<'_>) -> bool {
    match ir.regions.get(region).map(|data| data.exit) {
        Some(Exit::Break(_)) => !scope.end_breaks,
        Some(Exit::Continue(_)) => !scope.end_continues,
        Some(Exit::Yield(_) | Exit::Unreachable) | None => false,
    }
}
