//! Copies of one value in several parts of an IF, made once in front of it.
//! In and out: [`Code`] with parallel copies, in which copies were merged.
//!
//! ```text
//! if b0 { if b1 { t1 = A } else { t1 = c1 } } else { t1 = c1 }    =>    t1 = c1; if b0 { if b1 { t1 = A } }
//! ```

use transpica::isa::Index;

use super::code::{Code, Home, Source, Step, Target, Var};
use super::live::live;

/// A copy that may move: its step, variable and source.
type Candidate = (usize, Var, Source);

/// Moves copies. Variables of `except` stay as they are.
pub(super) fn run(code: &mut Code, except: &dyn Fn(Var) -> bool) {
    let after = live(code);
    let (around, assigned) = (around(&code.steps), assignments(code));
    let mut moved: Vec<(usize, Target, Source)> = Vec::new();
    for (var, all) in (0..).map(Var).zip(&assigned) {
        if except(var) || all.len() < 2 {
            continue;
        }
        let Some(start) = common(&code.steps, &around, all) else { continue };
        if after.has(start, var) {
            continue;
        }
        let candidates = first_copies(&code.steps, start, var);
        let Some(source) = most_frequent(&candidates) else { continue };
        for &(step, var, from) in candidates.iter().filter(|candidate| candidate.2 == source) {
            if let Step::Copy(copies) = &mut code.steps[step] {
                copies.retain(|copy| *copy != (Target::Var(var), from));
            }
        }
        moved.push((start, Target::Var(var), source));
    }
    // From the last one on, so that steps keep their numbers.
    moved.sort_by_key(|&(start, ..)| std::cmp::Reverse(start));
    for group in moved.chunk_by(|a, b| a.0 == b.0) {
        let copies = group.iter().map(|&(_, target, source)| (target, source)).collect();
        code.steps.insert(group[0].0, Step::Copy(copies));
    }
}

/// The constructs around each step, by their first steps.
fn around(steps: &[Step]) -> Vec<Vec<usize>> {
    let mut open: Vec<usize> = Vec::new();
    let mut around = Vec::with_capacity(steps.len());
    for (n, step) in steps.iter().enumerate() {
        if matches!(step, Step::EndIf | Step::EndLoop | Step::JumpIf(..)) {
            open.pop();
        }
        around.push(open.clone());
        if matches!(step, Step::If(_) | Step::Loop(_) | Step::Label(_)) {
            open.push(n);
        }
    }
    around
}

/// The steps that assign each variable.
pub(super) fn assignments(code: &Code) -> Vec<Vec<usize>> {
    let mut assigned = vec![Vec::new(); code.hints.len()];
    for (n, step) in code.steps.iter().enumerate() {
        step.for_each_target(|target| {
            if let Some(var) = target.as_var() {
                assigned[var.0 as usize].push(n);
            }
        });
    }
    assigned
}

/// The innermost IF around some steps, if no loop is between.
fn common(steps: &[Step], around: &[Vec<usize>], all: &[usize]) -> Option<usize> {
    let mut common = around[all[0]].clone();
    for &step in all {
        let same = common.iter().zip(&around[step]).take_while(|(a, b)| a == b).count();
        common.truncate(same);
    }
    let depth = common.len();
    let is_if = |&&start: &&usize| matches!(steps[start], Step::If(_));
    let has_loop = all.iter().any(|&step| around[step][depth..].iter().any(|start| !is_if(&start)));
    common.last().filter(is_if).copied().filter(|_| !has_loop)
}

/// The copies in an IF before which nothing assigns their variable.
fn first_copies(steps: &[Step], start: usize, var: Var) -> Vec<Candidate> {
    let mut found = Vec::new();
    let mut is_assigned = false;
    let mut saved: Vec<bool> = Vec::new();
    for (n, step) in steps.iter().enumerate().skip(start) {
        match step {
            Step::If(_) => saved.push(is_assigned),
            Step::Else => {
                if let Some(before) = saved.last_mut() {
                    std::mem::swap(before, &mut is_assigned);
                }
            }
            Step::EndIf => {
                is_assigned |= saved.pop().unwrap_or(true);
                if saved.is_empty() {
                    break;
                }
            }
            Step::Copy(copies) => {
                let own = copies.iter().filter(|(target, _)| *target == Target::Var(var));
                for &(_, source) in own {
                    if !is_assigned && is_fixed(source) {
                        found.push((n, var, source));
                    }
                    is_assigned = true;
                }
            }
            _other => step.for_each_target(|target| is_assigned |= target == Target::Var(var)),
        }
    }
    found
}

/// Returns whether a source has the same value everywhere.
fn is_fixed(source: Source) -> bool {
    match source.home {
        Home::Const(_) | Home::Input { .. } | Home::Uniform { index: Index::None, .. } => true,
        Home::Var(_) | Home::Uniform { .. } => false,
    }
}

/// The source of at least two candidates that most have.
fn most_frequent(candidates: &[Candidate]) -> Option<Source> {
    let count = |source: Source| candidates.iter().filter(|candidate| candidate.2 == source).count();
    let sources = candidates.iter().map(|candidate| candidate.2);
    sources
        .max_by_key(|&source| (count(source), std::cmp::Reverse(source)))
        .filter(|&source| count(source) > 1)
}
