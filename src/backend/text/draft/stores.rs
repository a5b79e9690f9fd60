//! Stores to the variables of a draft.
//! In: stores by line, in order, with the spans of uses and the scopes. Out: whether a variable
//! still holds a value at its uses; where variables are declared; their names in the source. Knows
//! no syntax.

use std::iter::successors;

use super::facts::{Declaration, Span, Store, Uses};
use super::{Draft, Expr, Form, Label, Line, Variable};
use crate::ir::{Hint, HintRegister};

impl Draft {
    /// Gives variables, and what is loaded from them, the names of the source for what is stored in
    /// them, where these agree.
    pub fn inherit_names(&mut self) {
        if !self.words.has_named() {
            return;
        }
        let mut names = vec![None; self.variables.len()];
        for line in &self.lines {
            let &Line::Store { variable, value } = line else { continue };
            let label = value.view.expr().map(|expr| self.node(expr).label);
            let Some(Label::Hint(Hint { register: name @ HintRegister::Named(_), .. })) = label else {
                continue;
            };
            // What another register is copied from has the name of that one.
            if let Label::Hint(hint) = self.variables[variable as usize].label
                && hint.register == self.words.register(name)
            {
                let known = names[variable as usize].get_or_insert(name);
                *known = if *known == name { name } else { hint.register };
            }
        }
        let rename = |label: &mut Label, name: Option<HintRegister>| {
            if let (Label::Hint(hint), Some(name)) = (label, name)
                && hint.register == self.words.register(name)
            {
                hint.register = name;
            }
        };
        for (local, &name) in self.variables.iter_mut().zip(&names) {
            rename(&mut local.label, name);
        }
        for node in &mut self.nodes {
            if let Form::Variable(variable) = node.form {
                rename(&mut node.label, names[variable as usize]);
            }
        }
    }

    /// Returns whether the variable may be stored after the line `from` and before a use of the
    /// expression.
    pub fn stored_between(&self, variable: Variable, from: u32, expr: Expr) -> bool {
        let Uses { last, spans, .. } = self.fact(expr).uses;
        let store = |index: u32| self.stores.get(index as usize);
        let span = |index: u32| self.spans.get(index as usize);
        let last_store = store(self.variables[variable as usize].stores);
        let stores = successors(last_store, |&&Store { previous, .. }| store(previous));
        stores.take_while(|store| store.at > from).filter(|store| store.at < last).any(|store| {
            let mut uses = successors(span(spans), |&&Span { previous, .. }| span(previous));
            uses.any(|span| store.at < span.last && !self.scopes.excludes(store.block, span.first))
        })
    }

    /// Decides where variables are declared: by the first store if it stands in the innermost block
    /// with all occurrences, else before the line with the first occurrence, outside loops.
    pub fn declare(&mut self) {
        // For each variable the first line, its block, the innermost block that has all lines, and
        // whether the first is a store.
        let mut found: Vec<Option<(u32, u32, u32, bool)>> = vec![None; self.variables.len()];
        let scopes = &self.scopes;
        let mut occurs = |variable: Variable, at: u32, block: u32, is_store: bool| {
            let place = &mut found[variable as usize];
            let here = (at, block, block, is_store);
            let known = place.unwrap_or(here);
            let (first, its, _, is_store) = if at <= known.0 { here } else { known };
            let common = scopes.common(known.2, block);
            *place = Some((first, its, common, is_store));
        };
        self.stores.iter().for_each(|store| occurs(store.variable, store.at, store.block, true));
        for (node, fact) in self.nodes.iter().zip(&self.facts).filter(|(_, fact)| fact.uses.count > 0) {
            if let Form::Variable(variable) = node.form {
                occurs(variable, fact.place.at, fact.place.block, false);
            }
        }
        for (variable, found) in (0..).zip(found) {
            let Some((first, block, common, is_store)) = found else { continue };
            if self.counters.contains(&variable) {
                continue;
            }
            let by_store = block == common && is_store;
            let at = if by_store { first } else { self.scopes.outside(first, block, common) };
            self.declarations.push(Declaration { at, variable, by_store });
        }
        // `print` takes them in the order of lines.
        self.declarations.sort_by_cached_key(|declaration| declaration.at as u64);
    }
}
