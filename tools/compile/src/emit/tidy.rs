//! Control flow without empty parts, and without comparisons that nothing tests.
//! In and out: steps without parallel copies.

use super::code::{Step, Test};

/// A block: where its parts begin and end.
struct Parts {
    start: usize,
    middle: Option<usize>,
}

/// Removes what does nothing. Labels are numbered from `labels` on.
pub(super) fn run(steps: &mut Vec<Step>, mut labels: u32) {
    steps.retain(|step| *step != Step::Nothing);
    let mut open: Vec<Parts> = Vec::new();
    let mut n = 0;
    while n < steps.len() {
        match &steps[n] {
            Step::If(_) => open.push(Parts { start: n, middle: None }),
            Step::Else => {
                if let Some(parts) = open.last_mut() {
                    parts.middle = Some(n);
                }
            }
            Step::EndIf => {
                if let Some(Parts { start, middle }) = open.pop() {
                    n = close(steps, start, middle.unwrap_or(n), n, &mut labels);
                    continue;
                }
            }
            _other => {}
        }
        n += 1;
    }
    untested(steps);
}

/// Tidies one IF. Returns the step after it.
fn close(steps: &mut Vec<Step>, start: usize, middle: usize, end: usize, labels: &mut u32) -> usize {
    let Step::If(test) = steps[start] else { return end + 1 };
    let (is_first_empty, is_second_empty) = (middle == start + 1, middle == end || middle + 1 == end);
    if is_first_empty && is_second_empty {
        steps.drain(start..=end);
        return start;
    }
    if is_second_empty && middle < end {
        steps.remove(middle);
        return finish(steps, start, test, end - 1, labels);
    }
    if is_first_empty {
        steps.remove(middle);
        steps[start] = Step::If(test.negated());
        return finish(steps, start, test.negated(), end - 1, labels);
    }
    if let Test::Bool { expected: false, .. } = test {
        // The parts change places: then, else => else, then.
        let (then, otherwise) = (steps[start + 1..middle].to_vec(), steps[middle + 1..end].to_vec());
        let exchanged = [vec![Step::If(test.negated())], otherwise, vec![Step::Else], then];
        steps.splice(start..end, exchanged.into_iter().flatten());
    }
    end + 1
}

/// Ends an IF without a second part. No IF tests that a bool is false; a jump does.
fn finish(steps: &mut [Step], start: usize, test: Test, end: usize, labels: &mut u32) -> usize {
    if let Test::Bool { expected: false, .. } = test {
        steps[start] = Step::JumpIf(*labels, test.negated());
        steps[end] = Step::Label(*labels);
        *labels += 1;
    }
    end + 1
}

/// Removes comparisons before the next of which no test stands.
fn untested(steps: &mut Vec<Step>) {
    let mut is_tested = false;
    let mut depth = 0usize;
    for step in steps.iter_mut().rev() {
        match &*step {
            Step::If(Test::Flags { .. })
            | Step::BreakIf(Test::Flags { .. })
            | Step::JumpIf(_, Test::Flags { .. }) => {
                is_tested = true;
            }
            Step::Compare { .. } if !is_tested => {
                *step = Step::Nothing;
                continue;
            }
            // Another part may still test the flags from before it.
            Step::Compare { .. } if depth == 0 => is_tested = false,
            _other => {}
        }
        match step {
            Step::EndIf | Step::EndLoop | Step::Label(_) => depth += 1,
            Step::If(_) | Step::Loop(_) | Step::JumpIf(..) => depth = depth.saturating_sub(1),
            _other => {}
        }
    }
    steps.retain(|step| *step != Step::Nothing);
}
