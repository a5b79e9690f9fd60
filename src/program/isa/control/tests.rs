//! Traces of the control-flow model: which words run, in which order, and the values of aL.

use super::*;
use crate::program::isa::inst::ConditionOp;

/// Control-flow words by address; all others are data instructions.
type Code<'a> = &'a [(u16, Flow)];

/// Condition that the test answers with true.
const TRUE: Condition = Condition { op: ConditionOp::X, ref_x: true, ref_y: true };
/// Condition that the test answers with false.
const FALSE: Condition = Condition { op: ConditionOp::X, ref_x: false, ref_y: true };

fn call(target: u16, length: u8) -> Flow {
    Flow::Call { target: Pc(target), length }
}
fn if_c(condition: Condition, target: u16, length: u8) -> Flow {
    Flow::IfC { condition, target: Pc(target), length }
}
fn jump(target: u16) -> Flow {
    Flow::JmpC { condition: TRUE, target: Pc(target) }
}
fn repeat(int: u8, last: u16) -> Flow {
    Flow::Loop { int, last: Pc(last) }
}

/// Loop data, as a runner holds it.
#[derive(Default)]
struct Loops {
    left: [i32; 4],
    saved: [i32; 4],
    al: i32,
}

impl Loops {
    fn apply(&mut self, effect: Effect, ints: &[[i32; 3]]) {
        match effect {
            Effect::ShiftLoops => {
                self.left.copy_within(1.., 0);
                self.saved.copy_within(1.., 0);
            }
            Effect::EnterLoop { slot, int } => {
                self.left[usize::from(slot)] = ints[usize::from(int)][0];
                self.saved[usize::from(slot)] = self.al;
                self.al = ints[usize::from(int)][1];
            }
            Effect::StepLoop { int } => self.al += ints[usize::from(int)][2],
            Effect::RepeatLoop { slot } => self.left[usize::from(slot)] -= 1,
            Effect::RestoreCounter { slot } => self.al = self.saved[usize::from(slot)],
            Effect::CountJump => unreachable!("no step reports it"),
        }
    }
}

/// End of a run.
struct End {
    trace: Vec<u16>,
    al: i32,
    state: State,
}

/// Runs until END (not part of the trace) or word `words`; `before` may rewrite the state before
/// each step.
fn run_with(code: Code, words: u16, ints: &[[i32; 3]], before: impl Fn(&mut State)) -> End {
    let (mut state, mut loops, mut trace) = (State::default(), Loops::default(), Vec::new());
    while state.pc.0 < words {
        before(&mut state);
        let at = state.pc.0;
        let flow = code.iter().find(|(pc, _)| *pc == at).map(|&(_, flow)| flow);
        let inst = flow.map_or(Inst::Emit, Inst::Flow);
        let loops = std::cell::RefCell::new(&mut loops);
        let outcome = step(
            &inst,
            &mut state,
            &mut |test| match test {
                Test::Cmp(condition) => condition.test(true, true),
                Test::Bool { id, expected } => (id == 0) == expected,
                Test::LoopRepeats { slot } => loops.borrow().left[usize::from(slot)] > 0,
                Test::JumpsLeft => unreachable!("no step asks it"),
            },
            &mut |effect| loops.borrow_mut().apply(effect, ints),
        );
        trace.push(at);
        assert!(trace.len() < 10_000, "does not end");
        if outcome == Outcome::End {
            break;
        }
    }
    End { trace, al: loops.al, state }
}

fn run(code: Code, words: u16, ints: &[[i32; 3]]) -> End {
    run_with(code, words, ints, |_| {})
}

#[track_caller]
fn check(code: Code, words: u16, ints: &[[i32; 3]], trace: &[u16]) -> End {
    let end = run(code, words, ints);
    assert_eq!(end.trace, trace);
    end
}

#[test]
fn a_true_if_runs_the_then_part_and_skips_the_else_part() {
    check(&[(0, if_c(TRUE, 3, 2)), (5, Flow::End)], 6, &[], &[0, 1, 2, 5]);
}

#[test]
fn a_false_if_runs_the_else_part() {
    check(&[(0, if_c(FALSE, 3, 2)), (5, Flow::End)], 6, &[], &[0, 3, 4, 5]);
}

#[test]
fn bool_uniforms_decide_as_conditions_do() {
    let if_u = |bool| Flow::IfU { bool, target: Pc(3), length: 2 };
    check(&[(0, if_u(0)), (5, Flow::End)], 6, &[], &[0, 1, 2, 5]);
    check(&[(0, if_u(1)), (5, Flow::End)], 6, &[], &[0, 3, 4, 5]);
    let jmp = |bool, expected| Flow::JmpU { bool, expected, target: Pc(2) };
    for (bool, expected, taken) in [(0, true, true), (0, false, false), (1, true, false), (1, false, true)] {
        let trace: &[u16] = if taken { &[0, 2] } else { &[0, 1, 2] };
        check(&[(0, jmp(bool, expected)), (2, Flow::End)], 3, &[], trace);
    }
    let call_u = |bool| Flow::CallU { bool, target: Pc(2), length: 1 };
    check(&[(0, call_u(0)), (1, Flow::End)], 3, &[], &[0, 2, 1]);
    check(&[(0, call_u(1)), (1, Flow::End)], 3, &[], &[0, 1]);
}

#[test]
fn nested_calls_return_in_order() {
    check(&[(0, call(2, 1)), (1, Flow::End), (2, call(4, 1)), (3, Flow::End)], 6, &[], &[0, 2, 4, 1]);
}

#[test]
fn a_jump_in_the_last_word_of_a_then_part_is_lost() {
    check(&[(0, if_c(TRUE, 2, 1)), (1, jump(5)), (4, Flow::End)], 6, &[], &[0, 1, 3, 4]);
}

#[test]
fn a_jump_in_the_last_word_of_a_loop_body_is_lost() {
    let end = check(&[(0, repeat(0, 1)), (1, jump(4)), (2, Flow::End)], 5, &[[2, 0, 1]], &[0, 1, 1, 1, 2]);
    assert_eq!(end.al, 3);
}

#[test]
fn a_jump_in_the_last_word_of_a_callee_is_lost() {
    check(&[(0, call(3, 1)), (1, Flow::End), (3, jump(5))], 6, &[], &[0, 3, 1]);
}

#[test]
fn a_call_in_the_last_word_of_a_then_part_is_lost_and_stays_on_the_stack() {
    let end = check(&[(0, if_c(TRUE, 2, 0)), (1, call(4, 1)), (3, Flow::End)], 5, &[], &[0, 1, 2, 3]);
    assert_eq!(end.state.calls.entries(), [CallEntry { end: Pc(5), ret: Pc(2) }]);
}

#[test]
fn nested_loops_multiply_when_their_ends_differ() {
    let code = &[(0, repeat(0, 3)), (1, repeat(1, 2)), (3, Flow::Nop), (4, Flow::End)];
    let end = run(code, 5, &[[4, 0, 1], [4, 0, 1]]);
    assert_eq!(end.trace.iter().filter(|&&pc| pc == 2).count(), 25);
    assert_eq!(end.al, 5);
}

#[test]
fn nested_loops_with_one_end_repeat_only_the_inner_one() {
    let code = &[(0, repeat(0, 2)), (1, repeat(1, 2)), (3, Flow::Nop), (4, Flow::End)];
    let end = check(code, 5, &[[4, 0, 1], [4, 0, 1]], &[0, 1, 2, 2, 2, 2, 2, 3, 4]);
    assert_eq!(end.state.loops.len(), 1);
}

#[test]
fn break_steps_the_counter_and_goes_on_after_the_body() {
    let code = &[(0, repeat(0, 3)), (2, Flow::Break), (4, Flow::End)];
    let end = check(code, 5, &[[5, 3, 2]], &[0, 1, 2, 4]);
    assert_eq!(end.al, 5);
}

#[test]
fn breakc_leaves_only_if_its_condition_holds() {
    let code = &[(0, repeat(0, 2)), (1, Flow::BreakC(FALSE)), (3, Flow::End)];
    check(code, 4, &[[1, 0, 1]], &[0, 1, 2, 1, 2, 3]);
    let code = &[(0, repeat(0, 2)), (1, Flow::BreakC(TRUE)), (3, Flow::End)];
    check(code, 4, &[[1, 0, 1]], &[0, 1, 3]);
}

#[test]
fn break_outside_of_every_loop_does_nothing() {
    check(&[(0, Flow::Break), (2, Flow::End)], 3, &[], &[0, 1, 2]);
}

#[test]
fn break_in_the_last_word_leaves_despite_further_iterations() {
    let end = check(&[(0, repeat(0, 1)), (1, Flow::Break), (2, Flow::End)], 3, &[[9, 1, 1]], &[0, 1, 2]);
    assert_eq!(end.al, 2);
}

#[test]
fn break_leaves_the_innermost_loop_and_restores_the_counter_of_the_outer_one() {
    let code = &[(0, repeat(0, 4)), (1, repeat(1, 3)), (2, Flow::Break), (5, Flow::End)];
    let end = check(code, 6, &[[1, 10, 1], [7, 50, 1]], &[0, 1, 2, 4, 1, 2, 4, 5]);
    assert_eq!(end.al, 12);
}

#[test]
fn break_keeps_the_entries_of_ifs_and_calls() {
    // The then-part left by BREAK still ends at word 4 when execution reaches it there.
    let code = &[(0, repeat(0, 2)), (1, if_c(TRUE, 4, 2)), (2, Flow::Break), (7, Flow::End)];
    check(code, 8, &[[3, 0, 1]], &[0, 1, 2, 3, 6, 7]);
}

#[test]
fn a_fourth_return_at_the_same_word_is_lost() {
    let code =
        &[(0, call(2, 1)), (1, Flow::End), (2, call(3, 1)), (3, call(4, 1)), (4, call(5, 1)), (7, Flow::End)];
    let end = check(code, 8, &[], &[0, 2, 3, 4, 5, 3, 4, 5, 4, 5, 5, 6, 7]);
    assert!(end.state.calls.is_empty());
}

#[test]
fn two_then_parts_with_one_end_pop_only_the_inner_one() {
    let code = &[(0, if_c(TRUE, 3, 2)), (1, if_c(TRUE, 3, 1)), (5, Flow::End)];
    let end = check(code, 6, &[], &[0, 1, 2, 4, 5]);
    assert_eq!(end.state.ifs.entries(), [IfEntry { end: Pc(3), join: Pc(5) }]);
}

#[test]
fn a_false_if_that_jumps_to_an_outer_end_does_not_end_the_outer_scope() {
    let code = &[(0, if_c(TRUE, 4, 2)), (1, if_c(FALSE, 4, 0)), (6, Flow::End)];
    let end = check(code, 7, &[], &[0, 1, 4, 5, 6]);
    assert_eq!(end.state.ifs.len(), 1);
}

#[test]
fn a_false_if_before_an_outer_end_ends_the_outer_scope() {
    let code = &[(0, if_c(TRUE, 2, 3)), (1, if_c(FALSE, 3, 0)), (6, Flow::End)];
    check(code, 7, &[], &[0, 1, 5, 6]);
}

#[test]
fn a_true_if_with_an_empty_then_part_skips_the_else_part_at_once() {
    check(&[(0, if_c(TRUE, 1, 2)), (4, Flow::End)], 5, &[], &[0, 3, 4]);
}

#[test]
fn a_call_that_ends_at_the_next_word_returns_at_once() {
    let end = check(&[(0, call(0, 1)), (2, Flow::End)], 3, &[], &[0, 1, 2]);
    assert!(end.state.calls.is_empty());
}

#[test]
fn a_call_of_length_zero_never_returns() {
    let end = check(&[(0, call(2, 0)), (1, Flow::End), (3, Flow::End)], 4, &[], &[0, 2, 3]);
    assert_eq!(end.state.calls.len(), 1);
}

#[test]
fn a_loop_that_ends_at_itself_counts_once_and_stays_on_the_stack() {
    let end = check(&[(0, repeat(0, 0)), (2, Flow::End)], 3, &[[2, 5, 3]], &[0, 1, 2]);
    assert_eq!((end.al, end.state.loops.len()), (8, 1));
    let end = check(&[(0, repeat(0, 0)), (2, Flow::End)], 3, &[[0, 5, 3]], &[0, 1, 2]);
    assert_eq!((end.al, end.state.loops.len()), (8, 0));
}

#[test]
fn loop_ends_precede_then_ends_and_those_precede_returns() {
    // All three scopes end at word 4.
    let code = &[(0, call(1, 3)), (1, if_c(TRUE, 4, 4)), (2, repeat(0, 3)), (4, Flow::End)];
    let end = check(code, 9, &[[1, 0, 1]], &[0, 1, 2, 3, 3, 4]);
    assert_eq!((end.state.calls.len(), end.state.ifs.len(), end.state.loops.len()), (0, 0, 0));
    let code = &[(0, call(1, 2)), (1, if_c(TRUE, 3, 4)), (7, Flow::End)];
    check(code, 8, &[], &[0, 1, 2, 7]);
}

#[test]
fn the_fifth_call_loses_the_oldest_return() {
    // A chain of five calls, two words apart; each callee's second word ends it.
    let code: Vec<_> =
        (0..5).map(|n| (4 * n, call(4 * n + 4, 3))).chain([(1, Flow::End), (23, Flow::End)]).collect();
    let end = run(&code, 24, &[]);
    // The innermost callee is 20..23, its caller 16..19, and so on; the callee of word 0 (4..7)
    // falls through to word 7 and on.
    assert_eq!(end.trace[..6], [0, 4, 8, 12, 16, 20]);
    assert!(!end.trace.contains(&1), "the return to word 1 was lost");
}

#[test]
fn the_ninth_if_loses_the_oldest_end() {
    // Then-part n ends at word 30 - 2n and joins one word later.
    let mut code: Vec<_> = (0..9).map(|n| (n, if_c(TRUE, 30 - 2 * n, 1))).collect();
    code.push((40, Flow::End));
    let end = run(&code, 41, &[]);
    assert_eq!(end.trace[end.trace.len() - 11..], [30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40]);
    assert!(!end.trace.contains(&28), "word 28 is the else-part of the second if");
    assert!(end.state.ifs.is_empty());
}

#[test]
fn the_fifth_loop_shifts_the_slots_and_loses_the_oldest() {
    let code: Vec<_> = (0..5).map(|n| (n, repeat(0, 14 - 2 * n))).chain([(15, Flow::End)]).collect();
    let mut effects = Vec::new();
    let mut state = State::default();
    for (pc, flow) in &code[..5] {
        assert_eq!(state.pc, Pc(*pc));
        step(&Inst::Flow(*flow), &mut state, &mut |_| true, &mut |effect| effects.push(effect));
    }
    let enter = |slot| Effect::EnterLoop { slot, int: 0 };
    assert_eq!(effects, [enter(0), enter(1), enter(2), enter(3), Effect::ShiftLoops, enter(3)]);
    let end = run(&code, 16, &[[1, 0, 1]]);
    assert_eq!(end.trace.iter().filter(|&&pc| pc == 0).count(), 1);
    assert_eq!(end.trace.iter().filter(|&&pc| pc == 14).count(), 1, "the outermost body runs once");
    assert_eq!(end.trace.iter().filter(|&&pc| pc == 12).count(), 2);
}

#[test]
fn a_step_reports_effects_and_questions_in_order() {
    let log = std::cell::RefCell::new(Vec::new());
    let mut state = State::default();
    let go = |flow: Flow, state: &mut State, answer: bool| {
        step(
            &Inst::Flow(flow),
            state,
            &mut |test| {
                log.borrow_mut().push(format!("{test:?}"));
                answer
            },
            &mut |effect| log.borrow_mut().push(format!("{effect:?}")),
        )
    };
    go(repeat(2, 1), &mut state, true);
    go(Flow::Nop, &mut state, true);
    go(Flow::Nop, &mut state, false);
    let expected = [
        "EnterLoop { slot: 0, int: 2 }",
        "StepLoop { int: 2 }",
        "LoopRepeats { slot: 0 }",
        "RepeatLoop { slot: 0 }",
        "StepLoop { int: 2 }",
        "LoopRepeats { slot: 0 }",
    ];
    assert_eq!(*log.borrow(), expected);
    assert_eq!(state, State::new(Pc(2)));
}

#[test]
fn a_stale_loop_makes_the_next_one_restore_the_counter() {
    let code = &[(0, repeat(0, 2)), (1, repeat(0, 2)), (3, repeat(1, 4)), (5, Flow::End)];
    let ints = [[0, 0, 1], [1, 5, 1]];
    let plain = run(code, 6, &ints);
    assert_eq!(plain.al, 0);
    // From word 3 on the stale entry of word 0 cannot end a scope any more: only its number counts.
    let hidden = run_with(code, 6, &ints, |state| {
        if state.pc == Pc(3) && state.hidden_loops == 0 {
            state.loops.drop_oldest(1);
            state.hidden_loops = 1;
        }
    });
    assert_eq!((hidden.trace, hidden.al), (plain.trace, 0));
}

#[test]
fn a_fifth_loop_overwrites_a_stale_one_first() {
    let mut state = State { hidden_loops: 2, ..State::default() };
    let mut effects = Vec::new();
    for pc in 0..3 {
        step(&Inst::Flow(repeat(0, 9 - pc)), &mut state, &mut |_| true, &mut |effect| effects.push(effect));
    }
    let enter = |slot| Effect::EnterLoop { slot, int: 0 };
    assert_eq!(effects, [enter(2), enter(3), Effect::ShiftLoops, enter(3)]);
    assert_eq!((state.hidden_loops, state.loops.len(), state.loop_slot()), (1, 3, Some(3)));
    assert_eq!(state.loops.entries()[0].start, Pc(1), "live entries stay");
}

#[test]
fn the_fast_path_for_data_agrees_with_the_full_step() {
    let mut state = State::new(Pc(4));
    state.calls.push(CallEntry { end: Pc(5), ret: Pc(9) });
    let mut other = state;
    step_data(&mut state, &mut |_| true, &mut |_| {});
    step_flow(&Flow::Nop, &mut other, &mut |_| true, &mut |_| {});
    assert_eq!((state, state.pc), (other, Pc(9)));
}
