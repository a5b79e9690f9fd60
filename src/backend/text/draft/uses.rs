//! Uses: the lines that evaluate and use each expression of a draft.
//! In: lines and nodes of a draft. Out: its facts for `inline`, its scopes and stores. Knows no
//! syntax and decides nothing but which values go by a variable's name.

use std::mem::take;

use super::facts::{Fact, NONE, Place, Span, Store};
use super::scopes::Block;
use super::{Draft, Expr, Form, Line, Operand, View};

impl Draft {
    /// Collects the facts: first along the lines, then from users to their operands.
    pub fn survey(&mut self) {
        self.facts.clear();
        self.facts.resize(self.nodes.len(), Fact::NEW);
        self.scopes.begin_function(self.lines.len());
        let lines = take(&mut self.lines);
        let mut block = 0;
        for (at, &line) in (0..).zip(&lines) {
            block = self.survey_line(at, line, block);
        }
        self.lines = lines;
        self.count_uses();
        self.declare();
    }

    /// Surveys a line of a block and returns the block of the next line.
    fn survey_line(&mut self, at: u32, line: Line, block: u32) -> u32 {
        match line {
            Line::Evaluate(expr) => {
                let fact = &mut self.facts[expr as usize];
                fact.place = Place { at, block, home: self.scopes.blocks[block as usize].home };
                fact.uses.last = at;
                fact.has_spans = matches!(self.nodes[expr as usize].form, Form::Variable(_));
            }
            Line::Store { variable, value } => {
                self.count_use(value, at, block);
                let store = self.stores.len() as u32;
                if let View::Whole(expr) = value.view {
                    let fact = &mut self.facts[expr as usize];
                    fact.store = fact.store.min(store);
                    fact.has_spans = fact.place.at != NONE;
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
            Line::Case { .. } => {
                return self.scopes.begin(block, self.scopes.blocks[block as usize].owner, at, true);
            }
            Line::End => return self.scopes.end(block, at).parent,
            Line::Return(operand) => self.count_use(operand, at, block),
            Line::Procedure(_) | Line::Call(_) | Line::Break | Line::Continue | Line::Leave => {}
        }
        block
    }

    /// Counts a use by a line.
    fn count_use(&mut self, operand: Operand, at: u32, block: u32) {
        if let Some(expr) = operand.view.expr() {
            self.count_use_in(expr, (at, at), self.scopes.blocks[block as usize].home, NONE);
        }
    }

    /// Counts a use in text between two lines, by an expression or a line.
    #[inline]
    fn count_use_in(&mut self, expr: Expr, (first, last): (u32, u32), home: u32, user: Expr) {
        let fact = &mut self.facts[expr as usize];
        // Nothing asks for it of what no line evaluates.
        fact.crosses |= fact.place.home != home;
        let (has_spans, uses) = (fact.has_spans, &mut fact.uses);
        uses.count += 1;
        uses.last = uses.last.max(last);
        uses.first = uses.first.min(first);
        if uses.user == NONE {
            uses.user = user;
        }
        if has_spans {
            let previous = std::mem::replace(&mut uses.spans, self.spans.len() as u32);
            self.spans.push(Span { first, last, previous });
        }
    }

    /// Counts the uses by expressions that are used themselves, users first.
    fn count_uses(&mut self) {
        let (nodes, operands) = (take(&mut self.nodes), take(&mut self.operands));
        // Operands come before their users in the list.
        for (expr, node) in nodes.iter().enumerate().rev() {
            let Fact { place, uses, crosses, store, .. } = self.facts[expr];
            let (expr, range) = (expr as Expr, node.range());
            // The text of a load may be repeated: the name of a variable is no longer than that of
            // a constant.
            let is_load = matches!(node.form, Form::Variable(_));
            if uses.count == 0 || range.is_empty() && store == NONE {
                continue;
            }
            // An inlined expression takes its operands along; one with a name leaves them at its
            // line.
            let is_stored = store != NONE && !is_load;
            let last = match is_stored.then(|| self.naming_store(expr)).flatten() {
                Some(store) => {
                    self.facts[expr as usize].is_kept = true;
                    store
                }
                None if (uses.count > 1 || crosses) && !is_load => place.at,
                None => uses.last,
            };
            for operand in operands[range].iter().filter_map(|operand| operand.view.expr()) {
                self.count_use_in(operand, (place.at, last), place.home, expr);
            }
        }
        (self.nodes, self.operands) = (nodes, operands);
    }

    /// Returns the store whose variable can name an expression: the store is its first use, in its
    /// own block, and no other store precedes its last use.
    fn naming_store(&self, expr: Expr) -> Option<u32> {
        let fact = self.fact(expr);
        let &Store { variable, at, block, .. } = self.stores.get(fact.store as usize)?;
        let Fact { place, uses, .. } = fact;
        let fits = fact.place.at != NONE && !fact.crosses && uses.first == at && place.block == block;
        (fits && uses.count > 1 && !self.stored_between(variable, at, expr)).then_some(at)
    }
}
