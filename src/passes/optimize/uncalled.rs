//! Removes the helpers that nothing calls, directly or through others.
//! In and out: a module.

use std::sync::Arc;

use crate::ir::{Def, Func, Module, Op};

/// Removes the helpers that nothing calls, directly or through others.
pub fn run(module: &mut Module) -> bool {
    let mut used = vec![false; module.helpers.len()];
    mark_called(&module.main, &mut used);
    // A helper calls only those before it. Most are called directly, and their code is not at hand.
    let Some(first) = used.iter().position(|&used| !used) else { return false };
    for index in (first..module.helpers.len()).rev() {
        if used[index] {
            mark_called(&module.helpers[index], &mut used);
        }
    }
    if used.iter().all(|&used| used) {
        return false;
    }
    let mut numbers = vec![0; used.len()];
    for index in 1..used.len() {
        numbers[index] = numbers[index - 1] + u16::from(used[index - 1]);
    }
    let mut keep = used.into_iter();
    module.helpers.retain(|_| keep.next().unwrap_or(true));
    let moves = |number: u16| numbers[usize::from(number)] != number;
    for f in &mut module.helpers {
        // Most calls stay as they are, and those functions stay shared.
        if called(f).any(moves) {
            renumber(Arc::make_mut(f), &numbers);
        }
    }
    renumber(&mut module.main, &numbers);
    true
}

fn renumber(f: &mut Func, numbers: &[u16]) {
    for data in f.values.values_mut() {
        if let Def::Op(Op::Call { helper, .. }) = &mut data.def {
            *helper = numbers[usize::from(*helper)];
        }
    }
}

fn mark_called(f: &Func, used: &mut [bool]) {
    called(f).for_each(|helper| used[usize::from(helper)] = true);
}

/// The helpers that a function calls.
fn called(f: &Func) -> impl Iterator<Item = u16> {
    f.values.values().iter().filter_map(|data| match data.def {
        Def::Op(Op::Call { helper, .. }) => Some(helper),
        Def::Op(_) | Def::Param | Def::Result | Def::Dead => None,
    })
}
