//! The helper functions of a module, and of modules before.
//! In: a helper and a number of lanes. Out: its index in the module. Knows no bodies.
//!
//! Modules of one precision share their functions, as long as the functions that those call have
//! the same indices: bodies were 8 % of the instructions that a program of 13 took.

use std::sync::Arc;

use super::helpers::{Helper, NAMES};
use super::lanes::Memory;
use crate::ir::Func;
use crate::machine::precision::Precision;

/// No helper.
const NONE: u16 = u16::MAX;

/// Helpers that were built for modules before, for one precision.
#[derive(Debug, Default)]
pub struct Built {
    precision: Precision,
    /// By helper and number of lanes.
    all: Vec<[Option<Kept>; 4]>,
    /// Memory that is reused.
    pub(super) causes: Memory,
}

impl Built {
    /// Makes room for the helpers of a precision.
    fn prepare(&mut self, precision: Precision) {
        if self.precision != precision || self.all.is_empty() {
            self.precision = precision;
            self.all.clear();
            self.all.resize_with(NAMES.len(), Default::default);
        }
    }
}

/// A helper that was built before.
#[derive(Debug)]
pub(super) struct Kept {
    pub func: Arc<Func>,
    /// Helpers that its body calls, in order, with their numbers of lanes and indices.
    pub calls: Vec<(Helper, u8, u16)>,
}

/// The helpers of one module.
pub(super) struct Helpers<'a> {
    /// The module's list.
    pub funcs: &'a mut Vec<Arc<Func>>,
    /// Precision of the bodies.
    pub precision: Precision,
    known: [[u16; 4]; NAMES.len()],
    /// The functions of the list that helpers are.
    made: Vec<Option<Helper>>,
    built: &'a mut Built,
}

impl<'a> Helpers<'a> {
    /// None built yet.
    pub fn new(funcs: &'a mut Vec<Arc<Func>>, built: &'a mut Built, precision: Precision) -> Self {
        built.prepare(precision);
        Self { funcs, precision, known: [[NONE; 4]; NAMES.len()], made: Vec::new(), built }
    }

    /// Adds a finished function.
    pub fn push(&mut self, func: Arc<Func>) -> u16 {
        self.funcs.push(func);
        (self.funcs.len() - 1) as u16
    }

    /// The index of a helper, added now if it is new.
    pub fn get(&mut self, helper: Helper, lanes: u8) -> u16 {
        let slot = (helper as usize, usize::from(lanes) - 1);
        if self.known[slot.0][slot.1] == NONE {
            self.known[slot.0][slot.1] = self.add(helper, lanes);
        }
        self.known[slot.0][slot.1]
    }

    /// Returns the helper that a function of the list is, or `None` if it is another function.
    pub fn which(&self, index: u16) -> Option<Helper> {
        self.made.get(usize::from(index)).copied().flatten()
    }

    /// Adds a helper after those that it calls.
    fn add(&mut self, helper: Helper, lanes: u8) -> u16 {
        let slot = (helper as usize, usize::from(lanes) - 1);
        let before = self.built.all[slot.0][slot.1].take();
        let is_same = |kept: &Kept| kept.calls.iter().all(|&(callee, n, at)| self.get(callee, n) == at);
        let kept = before.filter(is_same).unwrap_or_else(|| helper.function(lanes, self));
        let index = self.push(Arc::clone(&kept.func));
        self.built.all[slot.0][slot.1] = Some(kept);
        self.made.resize(self.funcs.len(), None);
        self.made[usize::from(index)] = Some(helper);
        index
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The functions of a module that asks for some helpers.
    fn functions(asked: &[Helper], built: &mut Built, precision: Precision) -> Vec<Arc<Func>> {
        let mut functions = Vec::new();
        let mut helpers = Helpers::new(&mut functions, built, precision);
        asked.iter().for_each(|&helper| {
            helpers.get(helper, 4);
        });
        functions
    }

    #[test]
    fn modules_share_the_functions_that_call_the_same() {
        use Helper::{Dot, Mul, Rcp};
        let mut built = Built::default();
        let mut check = |asked: &[Helper], precision, shared: &[bool], before: &[Arc<Func>]| {
            let all = functions(asked, &mut built, precision);
            assert_eq!(all, functions(asked, &mut Built::default(), precision));
            let is_shared = |f: &Arc<Func>| before.iter().any(|other| Arc::ptr_eq(f, other));
            assert_eq!(all.iter().map(is_shared).collect::<Vec<_>>(), shared);
            all
        };
        let first = check(&[Dot], Precision::Exact, &[false; 2], &[]);
        let second = check(&[Rcp, Dot], Precision::Exact, &[false, true, false], &first);
        let third = check(&[Rcp, Mul, Dot], Precision::Exact, &[true; 3], &second);
        check(&[Mul], Precision::F24, &[false; 2], &third);
    }
}
