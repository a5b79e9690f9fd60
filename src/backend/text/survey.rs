//! Uses and stores: the lines that evaluate, use and store each expression and variable of a draft.
//! In: lines and nodes of a draft. Out: its facts for `inline`. Knows no syntax and decides nothing
//! but which values go by a variable's name.

use std::iter::successors;

use super::draft::{Draft, Expr, Form, Line, Operand, Variable, View};
use super::names::Word;

/// No line, no span.
pub const NONE: u32 = u32::MAX;

/// Length and depth of an expression, and whether there is arithmetic on floats in it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Size {
    pub length: u32,
    pub depth: u32,
    pub is_exact: bool,
}

/// Facts about an expression. `inline` sets the last two.
#[derive(Clone, Copy, Debug)]
pub struct Fact {
    /// The one line that evaluates it.
    pub at: u32,
    /// Innermost loop around that line; 0 outside of all.
    home: u32,
    /// Last line that may contain its text.
    last: u32,
    /// No use comes before this line.
    first: u32,
    /// Block of the line that evaluates it.
    block: u32,
    /// The first store of it.
    pub store: u32,
    /// Line of the store to the variable whose name it has afterwards.
    pub kept: u32,
    /// Number of uses.
    pub uses: u32,
    /// The last expression that uses it.
    pub user: u32,
    /// The last of its spans.
    spans: u32,
    /// Used in a loop other than its own.
    pub crosses: bool,
    /// Name, unless it is inlined.
    pub name: Word,
    pub size: Size,
}

impl Fact {
    const NEW: Self = Self {
        at: NONE,
        home: 0,
        last: 0,
        first: NONE,
        block: 0,
        store: NONE,
        kept: NONE,
        uses: 0,
        user: NONE,
        spans: NONE,
        crosses: false,
        name: Word::NONE,
        size: Size { length: 0, depth: 0, is_exact: false },
    };
    /// Returns whether it has a name.
    pub fn is_named(&self) -> bool {
        self.name != Word::NONE
    }
    /// Returns whether a line declares its name.
    pub fn has_line(&self) -> bool {
        self.is_named() && self.kept == NONE
    }
    /// Returns whether a line evaluates it.
    pub const fn is_evaluated(&self) -> bool {
        self.at != NONE
    }
}

/// First and last line that may contain one use, and the previous span of the same expression.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    first: u32,
    last: u32,
    previous: u32,
}

/// A store to a variable, and the previous store to it.
#[derive(Clone, Copy, Debug)]
pub struct Store {
    pub variable: Variable,
    at: u32,
    block: u32,
    previous: u32,
}

/// Lines in one pair of braces.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// The line of the construct; its block is `parent`.
    owner: u32,
    parent: u32,
    depth: u32,
    begin: u32,
    end: u32,
    /// Innermost loop.
    home: u32,
    /// One of several arms that exclude each other.
    is_arm: bool,
}

/// Place of the declaration of a variable.
#[derive(Clone, Copy, Debug)]
pub struct Declaration {
    /// Before this line, or by it.
    pub at: u32,
    pub variable: Variable,
    /// The line is the store that gives the first value.
    pub by_store: bool,
}

impl Draft {
    /// Collects the facts: first along the lines, then from users to their operands.
    pub(super) fn survey(&mut self) {
        self.facts.clear();
        self.facts.resize(self.nodes.len(), Fact::NEW);
        self.ends.clear();
        self.ends.resize(self.lines.len(), 0);
        self.spans.clear();
        self.stores.clear();
        self.blocks.clear();
        let function = Block { owner: 0, parent: 0, depth: 0, begin: 0, end: NONE, home: 0, is_arm: false };
        self.blocks.push(function);
        let mut block = 0;
        for at in 0..self.lines.len() as u32 {
            block = self.survey_line(at, block);
        }
        self.count_uses();
        self.declare();
    }

    /// Surveys a line of a block and returns the block of the next line.
    fn survey_line(&mut self, at: u32, block: u32) -> u32 {
        match self.lines[at as usize] {
            Line::Evaluate(expr) => {
                let fact = &mut self.facts[expr as usize];
                fact.home = self.blocks[block as usize].home;
                (fact.at, fact.last, fact.block) = (at, at, block);
            }
            Line::Store { variable, value } => {
                self.count_use(value, at, block);
                let store = self.stores.len() as u32;
                if let View::Whole(expr) = value.view {
                    let first = &mut self.facts[expr as usize].store;
                    *first = (*first).min(store);
                }
                let previous = std::mem::replace(&mut self.variables[variable as usize].stores, store);
                self.stores.push(Store { variable, at, block, previous });
            }
            Line::Write { value, index, .. } => {
                self.count_use(value, at, block);
                index.into_iter().for_each(|index| self.count_use(self.operands[index as usize], at, block));
            }
            Line::If(condition) => {
                self.count_use(condition, at, block);
                return self.begin(block, at, at, true);
            }
            Line::Else => {
                let Block { owner, parent, .. } = self.end(block, at);
                // Both arms have one owner: `excludes` recognizes siblings by it.
                return self.begin(parent, owner, at, true);
            }
            Line::Loop { .. } => {
                let inside = self.begin(block, at, at, false);
                // Blocks inside inherit their innermost loop.
                self.blocks[inside as usize].home = inside;
                return inside;
            }
            // Cases are arms of the switch; its own block has nothing else.
            Line::Switch { selector, .. } => {
                self.count_use(selector, at, block);
                return self.begin(block, at, at, false);
            }
            Line::Case { .. } => return self.begin(block, self.blocks[block as usize].owner, at, true),
            Line::End => {
                let Block { owner, parent, .. } = self.end(block, at);
                self.ends[owner as usize] = at;
                return parent;
            }
            Line::Return(operand) => self.count_use(operand, at, block),
            Line::Procedure(_) | Line::Break | Line::Continue | Line::Leave => {}
        }
        block
    }

    fn begin(&mut self, parent: u32, owner: u32, begin: u32, is_arm: bool) -> u32 {
        let Block { depth, home, .. } = self.blocks[parent as usize];
        self.blocks.push(Block { owner, parent, depth: depth + 1, begin, end: NONE, home, is_arm });
        self.blocks.len() as u32 - 1
    }

    fn end(&mut self, block: u32, at: u32) -> Block {
        let block = &mut self.blocks[block as usize];
        block.end = at;
        *block
    }

    /// Returns the indentation of the line that evaluates an expression.
    pub(super) fn indent(&self, expr: Expr) -> u32 {
        self.blocks[self.facts[expr as usize].block as usize].depth + 1
    }

    /// Counts a use by a line.
    fn count_use(&mut self, operand: Operand, at: u32, block: u32) {
        if let Some(expr) = operand.view.expr() {
            self.count_use_in(expr, (at, at), self.blocks[block as usize].home);
        }
    }

    /// Counts a use in text between two lines.
    fn count_use_in(&mut self, expr: Expr, (first, last): (u32, u32), home: u32) {
        let is_repeatable = self.is_repeatable(expr);
        let fact = &mut self.facts[expr as usize];
        fact.uses = fact.uses.saturating_add(1);
        fact.last = fact.last.max(last);
        fact.first = fact.first.min(first);
        if fact.is_evaluated() {
            fact.crosses |= fact.home != home;
            // `stored_between` asks for the spans of these expressions alone.
            if fact.store != NONE || is_repeatable {
                let previous = std::mem::replace(&mut fact.spans, self.spans.len() as u32);
                self.spans.push(Span { first, last, previous });
            }
        }
    }

    /// Counts the uses by expressions that are used themselves, users first.
    fn count_uses(&mut self) {
        // Operands come before their users in the list.
        for expr in (0..self.nodes.len() as Expr).rev() {
            let fact = self.facts[expr as usize];
            if fact.uses == 0 {
                continue;
            }
            // An inlined expression takes its operands along; one with a name leaves them at its
            // line.
            let last = match self.naming_store(expr) {
                Some(store) => {
                    self.facts[expr as usize].kept = store;
                    store
                }
                None if (fact.uses > 1 || fact.crosses) && !self.is_repeatable(expr) => fact.at,
                None => fact.last,
            };
            for index in self.nodes[expr as usize].range() {
                if let Some(operand) = self.operands[index].view.expr() {
                    self.count_use_in(operand, (fact.at, last), fact.home);
                    let user = &mut self.facts[operand as usize].user;
                    *user = if *user == NONE { expr } else { *user };
                }
            }
        }
    }

    /// Returns the store whose variable can name an expression: the store is its first use, in its
    /// own block, and no other store precedes its last use.
    fn naming_store(&self, expr: Expr) -> Option<u32> {
        let fact = self.fact(expr);
        let &Store { variable, at, block, .. } = self.stores.get(fact.store as usize)?;
        let fits = fact.is_evaluated() && !fact.crosses && fact.first == at && fact.block == block;
        (fits && fact.uses > 1 && !self.is_repeatable(expr) && !self.stored_between(variable, at, expr))
            .then_some(at)
    }

    /// Returns whether its text may be repeated: the name of a variable is no longer than that of a
    /// constant.
    fn is_repeatable(&self, expr: Expr) -> bool {
        matches!(self.node(expr).form, Form::Variable(_))
    }

    /// Returns whether the variable may be stored after the line `from` and before a use of the
    /// expression.
    pub(super) fn stored_between(&self, variable: Variable, from: u32, expr: Expr) -> bool {
        let Fact { last, spans, .. } = *self.fact(expr);
        let store = |index: u32| self.stores.get(index as usize);
        let span = |index: u32| self.spans.get(index as usize);
        let last_store = store(self.variables[variable as usize].stores);
        let stores = successors(last_store, |&&Store { previous, .. }| store(previous));
        stores.take_while(|store| store.at > from).filter(|store| store.at < last).any(|store| {
            let mut uses = successors(span(spans), |&&Span { previous, .. }| span(previous));
            uses.any(|span| store.at < span.last && !self.excludes(store.block, span.first))
        })
    }

    /// Returns whether a line in a block never runs before a use in the same iteration, because the
    /// use stands in another arm of the same construct.
    fn excludes(&self, mut block: u32, used: u32) -> bool {
        while block != 0 {
            let Block { owner, parent, begin, end, is_arm, .. } = self.blocks[block as usize];
            if begin < used && used < end {
                return false;
            }
            if is_arm && owner < used && used < self.ends[owner as usize] {
                return true;
            }
            block = parent;
        }
        false
    }

    /// Decides where variables are declared: by the first store if it stands in the innermost block
    /// with all occurrences, else before the line with the first occurrence, outside of loops.
    fn declare(&mut self) {
        // For each variable the first line, its block, the innermost block that has all lines, and
        // whether the first is a store.
        let mut found: Vec<Option<(u32, u32, u32, bool)>> = vec![None; self.variables.len()];
        let mut occurs = |variable: Variable, at: u32, block: u32, is_store: bool| {
            let place = &mut found[variable as usize];
            let here = (at, block, block, is_store);
            let (first, _, common, _) = place.unwrap_or(here);
            let common = self.common(common, block);
            let (first, its, _, is_store) = if at <= first { here } else { place.unwrap_or(here) };
            *place = Some((first, its, common, is_store));
        };
        self.stores.iter().for_each(|store| occurs(store.variable, store.at, store.block, true));
        for (node, fact) in self.nodes.iter().zip(&self.facts).filter(|(_, fact)| fact.uses > 0) {
            if let Form::Variable(variable) = node.form {
                occurs(variable, fact.at, fact.block, false);
            }
        }
        self.declarations.clear();
        for (variable, found) in (0..).zip(found) {
            let Some((first, block, common, is_store)) = found else { continue };
            if self.counters.contains(&variable) {
                continue;
            }
            let by_store = block == common && is_store;
            let at = if by_store { first } else { self.outside(first, block, common) };
            self.declarations.push(Declaration { at, variable, by_store });
        }
        // `print` takes them in the order of lines.
        self.declarations.sort_by_cached_key(|declaration| declaration.at as u64);
    }

    /// Returns the innermost common block of two blocks.
    fn common(&self, mut a: u32, mut b: u32) -> u32 {
        while a != b {
            let depth = |block: u32| self.blocks[block as usize].depth;
            let deeper = if depth(a) >= depth(b) { &mut a } else { &mut b };
            *deeper = self.blocks[*deeper as usize].parent;
        }
        a
    }

    /// Returns the line, outside of loops and in `common` or a block around it, that contains the
    /// line `at` of `block`.
    fn outside(&self, mut at: u32, mut block: u32, common: u32) -> u32 {
        let mut has_all = false;
        loop {
            has_all |= block == common;
            let Block { owner, parent, home, .. } = self.blocks[block as usize];
            if has_all && home == 0 {
                return at;
            }
            (at, block) = (owner, parent);
        }
    }
}
