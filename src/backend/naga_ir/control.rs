//! Regions and constructs as naga statements.
//! In: [`Region`]s and [`Node`]s. Out: blocks of statements. Knows no operations.
//!
//! | IR | naga |
//! |---|---|
//! | `If` | `if`; an empty arm is left out, what an arm only yields is stored before, an arm after one that jumps away follows it unindented |
//! | `Loop` | `loop` without `continuing`, which HLSL, GLSL and MSL lack; what both exits at its end store is stored before them |
//! | `Block` | `switch 0 { default: {…} }`; nothing at all where each `Break` stands at an end of it |
//! | `Switch` | `switch` without fall-through |
//! | `Break`, `Continue` | stores to the carriers and the jump; the jump is left out where falling off the end does the same |
//!
//! Recursion follows the nesting depth, which `MAX_DEPTH` bounds; naga's validator and writers recurse likewise.

use naga::{Statement, SwitchCase, SwitchValue};

use super::broken;
use super::carry::Carrier;
use super::function::{Builder, Expr};
use crate::error::Result;
use crate::ir::{Def, Exit, Func, Item, Node, NodeData, Op, Region, Unary, Value, ValueList};

/// Constructs that may nest; WGSL readers stop at 127 braces.
const MAX_DEPTH: u32 = 120;

/// What a region's exits mean.
#[derive(Clone, Copy)]
pub(super) struct Scope<'s> {
    /// Where the values of a `Yield` go.
    pub yields: &'s [Carrier],
    /// Where the values of a `Break` go; nothing where nothing can be left.
    pub breaks: Option<&'s [Carrier]>,
    /// Where the values of a `Continue` go; nothing outside of loops.
    pub continues: Option<&'s [Carrier]>,
    /// Whether falling off the end of the region leaves the innermost breakable construct.
    pub end_breaks: bool,
    /// Whether falling off the end of the region continues the innermost loop.
    pub end_continues: bool,
}

impl Scope<'_> {
    /// The scope of a whole function.
    pub(super) const FUNCTION: Self =
        Self { yields: &[], breaks: None, continues: None, end_breaks: false, end_continues: false };

    /// The same for a region that is not at the end.
    const fn inside(self) -> Self {
        Self { end_breaks: false, end_continues: false, ..self }
    }
}

impl Builder<'_, '_> {
    /// The statements of a region, its exit included.
    pub(super) fn region(&mut self, region: Region, scope: Scope<'_>) -> Result<()> {
        let ir = self.ir;
        let data = region_of(ir, region)?;
        self.items(&data.items, data.exit, scope)?;
        self.exit(data.exit, scope)
    }

    /// A region in a block of its own.
    fn nested(&mut self, region: Region, scope: Scope<'_>) -> Result<naga::Block> {
        self.begin();
        let loads = self.load_log.len();
        let result = self.region(region, scope);
        for place in self.load_log.drain(loads..) {
            self.loads[place] = None;
        }
        let block = self.end();
        result.map(|()| if idle(&block) { naga::Block::new() } else { block })
    }

    fn items(&mut self, items: &[Item], exit: Exit, scope: Scope<'_>) -> Result<()> {
        for (index, &item) in items.iter().enumerate() {
            let Item::Node(node) = item else {
                if let Item::Let(value) = item {
                    self.item(value)?;
                }
                continue;
            };
            let rest = &items[index + 1..];
            let after = match exit {
                Exit::Unreachable if rest.is_empty() => After::Nothing,
                Exit::Continue(values) if !rest.iter().any(|item| matches!(item, Item::Node(_))) => {
                    After::Continue(values)
                }
                Exit::Yield(_) | Exit::Break(_) | Exit::Continue(_) | Exit::Unreachable => After::More,
            };
            let scope = if after == After::Nothing { scope } else { scope.inside() };
            self.node(node, scope, after)?;
        }
        Ok(())
    }

    fn exit(&mut self, exit: Exit, scope: Scope<'_>) -> Result<()> {
        let (carriers, values, jump) = match exit {
            Exit::Unreachable => return Ok(()),
            Exit::Yield(values) => (Some(scope.yields), values, None),
            Exit::Break(values) => (scope.breaks, values, (!scope.end_breaks).then_some(Statement::Break)),
            Exit::Continue(values) => {
                (scope.continues, values, (!scope.end_continues).then_some(Statement::Continue))
            }
        };
        let carriers = carriers.ok_or_else(|| broken("a jump has nothing to leave or repeat".to_owned()))?;
        self.store(carriers, self.ir.get(values))?;
        if let Some(jump) = jump {
            self.push(jump);
        }
        Ok(())
    }

    fn node(&mut self, node: Node, scope: Scope<'_>, after: After) -> Result<()> {
        if self.depth >= MAX_DEPTH {
            return Err(broken(format!("more than {MAX_DEPTH} constructs are nested")));
        }
        self.depth += 1;
        let ir = self.ir;
        let data = ir.nodes.get(node).ok_or_else(|| broken(format!("{node} does not exist")))?;
        match *data {
            NodeData::If { cond, then, otherwise, results } => {
                self.branch(Branch { cond, then, otherwise, results, after }, scope)?;
            }
            NodeData::Loop { params, inits, body, results } => {
                self.repeat(Repeat { params, inits, body, results }, scope)?;
            }
            NodeData::Block { body, results } => self.breakable(body, results, scope)?,
            NodeData::Switch { selector, ref cases, default, results } => {
                self.switch(selector, cases, default, results, scope)?;
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn branch(&mut self, branch: Branch, scope: Scope<'_>) -> Result<()> {
        let (cond, mut then, mut otherwise) = self.without_not(branch);
        let results = self.carriers_of(branch.results);
        let condition = self.operand(cond)?;
        let arm = Scope { yields: &results, ..scope };
        let mut inverted = false;
        let last = branch.after == After::Nothing;
        if last && jumps(self.ir, otherwise, arm) && !jumps(self.ir, then, arm) {
            // The arm that leaves goes first, so that the other needs no braces.
            std::mem::swap(&mut then, &mut otherwise);
            inverted = true;
        }
        let flat = last && jumps(self.ir, then, arm);
        self.store_common(branch, arm)?;
        if flat {
            // The other arm follows without braces.
        } else if let Some(values) = [otherwise, then].into_iter().find_map(|arm| yields_only(self.ir, arm)) {
            // `r1 = a; if c { r1 = b; }`
            self.store(&results, self.ir.get(values))?;
        }
        let start = self.carriers.moment();
        let mut accept = self.nested(then, arm)?;
        self.carriers.restore(&start);
        if flat {
            self.choose(condition, inverted, accept, naga::Block::new());
            return self.region(otherwise, arm);
        }
        let mut reject = self.nested(otherwise, arm)?;
        self.carriers.merge(&start);
        if accept.is_empty() {
            std::mem::swap(&mut accept, &mut reject);
            inverted = !inverted;
        }
        if !accept.is_empty() {
            self.choose(condition, inverted, accept, reject);
        }
        self.load(&results, branch.results);
        Ok(())
    }

    /// Stores first what a `break` and a `continue` that end a loop's body both store.
    fn store_common(&mut self, branch: Branch, scope: Scope<'_>) -> Result<()> {
        let ir = self.ir;
        let (one, other) = (region_of(ir, branch.then)?, region_of(ir, branch.otherwise)?);
        let (leave, again) = match (one.exit, other.exit, branch.after) {
            (Exit::Break(leave), Exit::Continue(again), _)
            | (Exit::Continue(again), Exit::Break(leave), _) => (leave, again),
            (Exit::Break(leave), Exit::Yield(_), After::Continue(again))
            | (Exit::Yield(_), Exit::Break(leave), After::Continue(again)) => (leave, again),
            _ => return Ok(()),
        };
        // Constructs in the arms could use the same carriers; what a switch is left with is another matter.
        let constructs = one.items.iter().chain(&other.items).any(|item| matches!(item, Item::Node(_)));
        let (Some(results), Some(params), false) = (scope.breaks, scope.continues, constructs) else {
            return Ok(());
        };
        let (mut carriers, mut values) = (Vec::new(), Vec::new());
        for (&carrier, &value) in results.iter().zip(ir.get(leave)) {
            if params.iter().zip(ir.get(again)).any(|(&param, &next)| param == carrier && next == value) {
                carriers.push(carrier);
                values.push(value);
            }
        }
        self.store(&carriers, &values)
    }

    /// The condition and its arms, without negation.
    fn without_not(&self, branch: Branch) -> (Value, Region, Region) {
        match self.ir.values.get(branch.cond).map(|data| data.def) {
            Some(Def::Op(Op::Unary(Unary::Not, inner))) => (inner, branch.otherwise, branch.then),
            _ => (branch.cond, branch.then, branch.otherwise),
        }
    }

    /// An `if` statement, with the condition negated first where `inverted`.
    fn choose(&mut self, condition: Expr, inverted: bool, accept: naga::Block, reject: naga::Block) {
        let condition = if inverted { self.not(condition) } else { condition };
        self.used(condition);
        self.push(Statement::If { condition, accept, reject });
    }

    fn repeat(&mut self, repeat: Repeat, scope: Scope<'_>) -> Result<()> {
        let params = self.carriers_of(repeat.params);
        let results = self.carriers_of(repeat.results);
        self.store(&params, self.ir.get(repeat.inits))?;
        let start = self.carriers.moment();
        let outer_home = self.home;
        self.loops += 1;
        self.begin();
        self.home = self.loops;
        let loads = self.load_log.len();
        self.carriers.forget();
        self.load(&params, repeat.params);
        let body_scope = Scope {
            yields: scope.yields,
            breaks: Some(&results),
            continues: Some(&params),
            end_breaks: false,
            end_continues: true,
        };
        self.region(repeat.body, body_scope)?;
        let body = self.end();
        for place in self.load_log.drain(loads..) {
            self.loads[place] = None;
        }
        self.home = outer_home;
        self.push(Statement::Loop { body, continuing: naga::Block::new(), break_if: None });
        self.carriers.merge(&start);
        self.load(&results, repeat.results);
        Ok(())
    }

    fn breakable(&mut self, body: Region, results: ValueList, scope: Scope<'_>) -> Result<()> {
        let carriers = self.carriers_of(results);
        let inner = Scope { yields: &carriers, breaks: Some(&carriers), end_breaks: true, ..scope };
        let start = self.carriers.moment();
        if breaks_at_ends_only(self.ir, body) {
            self.region(body, inner)?;
        } else {
            let body = self.nested(body, inner)?;
            let selector = self.literal(crate::ir::Kind::I32, 0);
            self.used(selector);
            let cases = vec![SwitchCase { value: SwitchValue::Default, body, fall_through: false }];
            self.push(Statement::Switch { selector, cases });
        }
        self.carriers.merge(&start);
        self.load(&carriers, results);
        Ok(())
    }

    fn switch(
        &mut self,
        selector: Value,
        cases: &[(Vec<i32>, Region)],
        default: Region,
        results: ValueList,
        scope: Scope<'_>,
    ) -> Result<()> {
        let carriers = self.carriers_of(results);
        let inner = Scope { yields: &carriers, breaks: Some(&carriers), end_breaks: true, ..scope };
        let selector = self.operand(selector)?;
        let start = self.carriers.moment();
        let mut out = Vec::new();
        for (values, region) in cases {
            let Some((&value, others)) = values.split_last() else { continue };
            for &other in others {
                let (value, body) = (SwitchValue::I32(other), naga::Block::new());
                out.push(SwitchCase { value, body, fall_through: true });
            }
            self.carriers.restore(&start);
            let body = self.nested(*region, inner)?;
            out.push(SwitchCase { value: SwitchValue::I32(value), body, fall_through: false });
        }
        self.carriers.restore(&start);
        let body = self.nested(default, inner)?;
        out.push(SwitchCase { value: SwitchValue::Default, body, fall_through: false });
        self.used(selector);
        self.push(Statement::Switch { selector, cases: out });
        self.carriers.merge(&start);
        self.load(&carriers, results);
        Ok(())
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

/// What follows a construct in its region.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    /// Nothing: it never falls through.
    Nothing,
    /// No further construct, and then the next iteration.
    Continue(ValueList),
    /// Something else.
    More,
}

/// A `Loop`.
#[derive(Clone, Copy)]
struct Repeat {
    params: ValueList,
    inits: ValueList,
    body: Region,
    results: ValueList,
}

/// Whether a block only evaluates what nothing outside can see.
fn idle(block: &naga::Block) -> bool {
    block.iter().all(|statement| matches!(statement, Statement::Emit(_)))
}

fn region_of(ir: &Func, region: Region) -> Result<&crate::ir::RegionData> {
    ir.regions.get(region).ok_or_else(|| broken(format!("{region} does not exist")))
}

/// What the region yields, if it does nothing else.
fn yields_only(ir: &Func, region: Region) -> Option<ValueList> {
    let data = ir.regions.get(region)?;
    match data.exit {
        Exit::Yield(values) if data.items.is_empty() => Some(values),
        Exit::Yield(_) | Exit::Break(_) | Exit::Continue(_) | Exit::Unreachable => None,
    }
}

/// Whether the region ends in a jump that must be written.
fn jumps(ir: &Func, region: Region, scope: Scope<'_>) -> bool {
    match ir.regions.get(region).map(|data| data.exit) {
        Some(Exit::Break(_)) => !scope.end_breaks,
        Some(Exit::Continue(_)) => !scope.end_continues,
        Some(Exit::Yield(_) | Exit::Unreachable) | None => false,
    }
}

/// Whether each `Break` of a block stands where falling off the end does the same.
fn breaks_at_ends_only(ir: &Func, body: Region) -> bool {
    let mut work = vec![(body, true)];
    while let Some((region, at_end)) = work.pop() {
        let Some(data) = ir.regions.get(region) else { return false };
        if !at_end && matches!(data.exit, Exit::Break(_)) {
            return false;
        }
        for (index, item) in data.items.iter().enumerate() {
            let Item::Node(node) = *item else { continue };
            let last = at_end && data.exit == Exit::Unreachable && index + 1 == data.items.len();
            if let Some(&NodeData::If { then, otherwise, .. }) = ir.nodes.get(node) {
                work.extend([(then, last), (otherwise, last)]);
            }
        }
    }
    true
}
