//! IFs in a row that one test decides, as one.
//! In and out: steps with parallel copies.
//!
//! ```text
//! ifc cmp.x { A }; ifc !cmp.x { B }      =>      ifc cmp.x { A } else { B }
//! ```

use super::code::{Source, Step, Test};

/// An IF: its test, and the places of its steps.
#[derive(Clone, Copy)]
struct Parts {
    test: Test,
    start: usize,
    middle: usize,
    end: usize,
}

/// Joins IFs.
pub(super) fn run(steps: &mut Vec<Step>) {
    let mut done: Vec<Step> = Vec::with_capacity(steps.len());
    let (mut open, mut closed): (Vec<Parts>, Vec<Parts>) = Default::default();
    for step in std::mem::take(steps) {
        let at = done.len();
        match &step {
            Step::If(test) => open.push(Parts { test: *test, start: at, middle: 0, end: 0 }),
            Step::Else => open.last_mut().into_iter().for_each(|parts| parts.middle = at),
            _other => {}
        }
        let is_end = step == Step::EndIf;
        done.push(step);
        let Some(mut second) = open.pop_if(|_| is_end) else { continue };
        second.end = at;
        second.middle = if second.middle == 0 { at } else { second.middle };
        while closed.pop_if(|inner| inner.start > second.start).is_some() {}
        match closed.pop_if(|first| decides(&done, first, &second)) {
            Some(first) => closed.push(joined(&mut done, first, second)),
            None => closed.push(second),
        }
    }
    *steps = done;
}

/// Returns whether the test of an IF decides the next one, too.
fn decides(steps: &[Step], first: &Parts, second: &Parts) -> bool {
    let sets_flags = |step: &Step| matches!(step, Step::Compare { .. });
    first.end + 1 == second.start
        && (first.test == second.test || first.test == second.test.negated())
        && (matches!(first.test, Test::Bool { .. }) || !steps[first.start..first.end].iter().any(sets_flags))
}

/// Makes one IF of the last two.
fn joined(steps: &mut Vec<Step>, first: Parts, second: Parts) -> Parts {
    let mut more = arms(steps, second);
    if first.test != second.test {
        more.reverse();
    }
    let [then, otherwise] = arms(steps, first);
    let [then_more, otherwise_more] = more;
    steps.push(Step::If(first.test));
    steps.extend(then);
    append(steps, first.start + 1, then_more);
    let middle = steps.len();
    steps.push(Step::Else);
    steps.extend(otherwise);
    append(steps, middle + 1, otherwise_more);
    let end = steps.len();
    steps.push(Step::EndIf);
    Parts { middle, end, ..first }
}

/// Takes the parts of the last IF.
fn arms(steps: &mut Vec<Step>, parts: Parts) -> [Vec<Step>; 2] {
    let mut otherwise: Vec<Step> = steps.drain(parts.middle..).skip(1).collect();
    otherwise.pop();
    [steps.drain(parts.start..).skip(1).collect(), otherwise]
}

/// Adds steps to a part. Copies at its end happen together with those that follow.
fn append(steps: &mut Vec<Step>, start: usize, mut more: Vec<Step>) {
    if let (Some(Step::Copy(first)), Some(Step::Copy(second))) = (steps[start..].last_mut(), more.first_mut())
    {
        for (_, source) in second.iter_mut() {
            let known = first
                .iter()
                .find(|(target, _)| target.as_var().is_some_and(|var| source.as_var() == Some(var)));
            if let Some(&(_, Source { home, negate })) = known {
                *source = Source { home, negate: source.negate != negate };
            }
        }
        first.retain(|(target, _)| second.iter().all(|(other, _)| other != target));
        first.append(second);
        more.remove(0);
    }
    steps.extend(more);
}
