//! Variables whose values are still needed after each step, and which of them exist together.
//! In: steps. Out: sets of variables, and the interference graph. Knows no registers.

use super::code::{Code, Source, Step, Target, Var};

/// A set of variables for each step or variable.
#[derive(Clone, Debug)]
pub(super) struct Sets {
    words: usize,
    bits: Vec<u64>,
}

impl Sets {
    pub fn new(count: usize, vars: usize) -> Self {
        let words = vars.div_ceil(64);
        Self { words, bits: vec![0; count * words] }
    }
    pub fn row(&self, index: usize) -> &[u64] {
        &self.bits[index * self.words..(index + 1) * self.words]
    }
    pub fn row_mut(&mut self, index: usize) -> &mut [u64] {
        &mut self.bits[index * self.words..(index + 1) * self.words]
    }
    pub fn insert(&mut self, index: usize, var: Var) {
        self.row_mut(index)[var.0 as usize / 64] |= 1 << (var.0 % 64);
    }
    pub fn has(&self, index: usize, var: Var) -> bool {
        self.row(index)[var.0 as usize / 64] >> (var.0 % 64) & 1 != 0
    }
    /// Inserts the set at one index into that at another.
    pub fn join(&mut self, into: usize, from: usize) {
        for word in 0..self.words {
            let bits = self.bits[from * self.words + word];
            self.bits[into * self.words + word] |= bits;
        }
    }
    /// The members of a set, ascending.
    pub fn members(&self, index: usize) -> impl Iterator<Item = Var> + '_ {
        self.row(index).iter().zip(0..).flat_map(|(&bits, word): (_, u32)| {
            let mut left = bits;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some(Var(64 * word + bit))
            })
        })
    }
}

/// The steps that may follow each step; the number of steps stands for the end.
pub(super) fn successors(steps: &[Step]) -> Vec<[usize; 2]> {
    let mut next: Vec<[usize; 2]> = (0..steps.len()).map(|n| [n + 1; 2]).collect();
    let mut open: Vec<usize> = Vec::new();
    let mut breaks: Vec<Vec<usize>> = Vec::new();
    let mut labels: Vec<(u32, usize)> = Vec::new();
    for (n, step) in steps.iter().enumerate() {
        match step {
            Step::If(_) => open.push(n),
            Step::Else => {
                if let Some(start) = open.pop() {
                    next[start][1] = n + 1;
                }
                open.push(n);
            }
            Step::EndIf => {
                let Some(start) = open.pop() else { continue };
                let at = if matches!(steps[start], Step::Else) { 0 } else { 1 };
                next[start][at] = n;
                if at == 0 {
                    next[start][1] = n;
                }
            }
            Step::Loop(_) => {
                open.push(n);
                breaks.push(Vec::new());
            }
            Step::EndLoop => {
                if let Some(start) = open.pop() {
                    next[n][1] = start + 1;
                }
                for at in breaks.pop().unwrap_or_default() {
                    next[at][1] = n + 1;
                }
            }
            Step::BreakIf(_) => breaks.iter_mut().last().into_iter().for_each(|list| list.push(n)),
            Step::Label(label) => labels.push((*label, n)),
            Step::JumpIf(label, _) => {
                let target = labels.iter().find(|(known, _)| known == label);
                next[n][1] = target.map_or(n + 1, |&(_, at)| at);
            }
            Step::Data(_) | Step::Copy(_) | Step::Compare { .. } | Step::Address { .. } => {}
            Step::SetEmit(_) | Step::Emit | Step::Nothing => {}
        }
    }
    next
}

/// The variables that are needed after each step.
pub(super) fn live(code: &Code) -> Sets {
    let steps = &code.steps;
    let next = successors(steps);
    // One more for the end.
    let mut before = Sets::new(steps.len() + 1, code.hints.len());
    let mut after = Sets::new(steps.len(), code.hints.len());
    code.pins.iter().for_each(|&(var, _)| before.insert(steps.len(), var));
    let mut out = Vec::new();
    loop {
        let mut changed = false;
        for n in (0..steps.len()).rev() {
            out.clear();
            out.extend_from_slice(before.row(next[n][0]));
            out.iter_mut().zip(before.row(next[n][1])).for_each(|(bits, more)| *bits |= more);
            after.row_mut(n).copy_from_slice(&out);
            let clear = |target: Target, out: &mut Vec<u64>| {
                if let Some(var) = target.as_var() {
                    out[var.0 as usize / 64] &= !(1 << (var.0 % 64));
                }
            };
            steps[n].for_each_target(|target| clear(target, &mut out));
            steps[n].for_each_source(|source| {
                if let Some(var) = source.as_var() {
                    out[var.0 as usize / 64] |= 1 << (var.0 % 64);
                }
            });
            if before.row(n) != out {
                before.row_mut(n).copy_from_slice(&out);
                changed = true;
            }
        }
        if !changed {
            return after;
        }
    }
}

/// The variables that exist together with each variable.
pub(super) fn interference(code: &Code) -> Sets {
    let after = live(code);
    let mut graph = Sets::new(code.hints.len(), code.hints.len());
    let mut targets: Vec<(Var, Option<Source>)> = Vec::new();
    for &(var, _) in &code.pins {
        for &(other, _) in code.pins.iter().filter(|&&(other, _)| other != var) {
            graph.insert(var.0 as usize, other);
        }
    }
    for (n, step) in code.steps.iter().enumerate() {
        targets.clear();
        if let Step::Copy(copies) = step {
            let vars = copies.iter().filter_map(|&(target, source)| Some((target.as_var()?, Some(source))));
            targets.extend(vars);
        } else {
            step.for_each_target(|target| targets.extend(target.as_var().map(|var| (var, None))));
        }
        for &(var, from) in &targets {
            // A target, its source and other targets of that have the same value.
            let is_same = |other: Var| {
                from.is_some() && (from == Some(Source::var(other)) || targets.contains(&(other, from)))
            };
            let others = after.members(n).chain(targets.iter().map(|&(other, _)| other));
            for other in others.filter(|&other| other != var && !is_same(other)) {
                graph.insert(var.0 as usize, other);
                graph.insert(other.0 as usize, var);
            }
        }
    }
    graph
}
