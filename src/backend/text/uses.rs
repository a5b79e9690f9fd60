//! Uses: the lines that evaluate and use each expression of a draft.
//! In: lines and nodes of a draft. Out: its facts for `inline`, its scopes and stores. Knows no
//! syntax and decides nothing but which values go by a variable's name.

use super::draft::{Draft, Expr, Form, Line, Operand, View};
use super::names::Word;
use super::scopes::Block;
use super::stores::Store;

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
    pub home: u32,
    /// Last line that may contain its text.
    pub last: u32,
    /// No use comes before this line.
    pub first: u32,
    /// Block of the line that evaluates it.
    pub block: u32,
    /// The first store of it.
    pub store: u32,
    /// Line of the store to the variable whose name it has afterwards.
    pub kept: u32,
    /// Number of uses.
    pub uses: u32,
    /// The last expression that uses it.
    pub user: u32,
    /// The last of its spans.
    pub spans: u32,
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
    pub first: u32,
    pub last: u32,
    pub previous: u32,
}

impl Draft {
    /// Collects the facts: first along the lines, then from users to their operands.
    pub(super) fn survey(&mut self) {
        self.facts.clear();
        self.facts.resize(self.nodes.len(), Fact::NEW);
        self.spans.clear();
        self.stores.clear();
        self.scopes.start(self.lines.len());
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
                fact.home = self.scopes.home(block);
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
                return self.scopes.begin(block, at, at, true);
            }
            Line::Else => {
                let Block { owner, parent, .. } = self.scopes.end(block, at);
                // Both arms have one owner: `excludes` recognizes siblings by it.
                return self.scopes.begin(parent, owner, at, true);
            }
            Line::Loop { .. } => return self.scopes.begin_loop(block, at),
            // Cases are arms of the switch; its own block has nothing else.
            Line::Switch { selector, .. } => {
                self.count_use(selector, at, block);
                return self.scopes.begin(block, at, at, false);
            }
            Line::Case { .. } => return self.scopes.begin(block, self.scopes.owner(block), at, true),
            Line::End => {
                let Block { owner, parent, .. } = self.scopes.end(block, at);
                self.scopes.end_construct(owner, at);
                return parent;
            }
            Line::Return(operand) => self.count_use(operand, at, block),
            Line::Procedure(_) | Line::Break | Line::Continue | Line::Leave => {}
        }
        block
    }

    /// Returns the indentation of the line that evaluates an expression.
    pub(super) fn indent(&self, expr: Expr) -> u32 {
        self.scopes.depth(self.facts[expr as usize].block) + 1
    }

    /// Counts a use by a line.
    fn count_use(&mut self, operand: Operand, at: u32, block: u32) {
        if let Some(expr) = operand.view.expr() {
            self.count_use_in(expr, (at, at), self.scopes.home(block));
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
}
