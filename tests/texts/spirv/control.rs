//! Every construct, every exit, and what they give, judged by results.

use super::*;
use transpica::Kind as ErrorKind;
use transpica::stages::ir::{Binary, ScalarKind};

const NOTHING: ValueList = ValueList::EMPTY;

fn less(f: &mut Func, r: Region, a: Value, b: Value) -> Value {
    binary(f, r, Type::BOOL, Binary::Less, a, b)
}

fn add(f: &mut Func, r: Region, a: Value, b: Value) -> Value {
    binary(f, r, Type::F32, Binary::Add, a, b)
}

/// A module of one scalar input (v0.x) and one scalar output (o0.x), and its results.
fn check(build: impl FnOnce(&mut Func, Region, Value) -> Value, expected: &[(f32, f32)]) -> Case {
    let case = Case::compute(|f, r| {
        let v = input(f, r, 0);
        let x = lane(f, r, v, 0);
        let y = build(f, r, x);
        vec![splat(f, r, y)]
    });
    for &(x, y) in expected {
        assert_eq!(case.run(&[[x; 4]])[0][0], y, "input {x}");
    }
    case
}

/// `then` and `otherwise` filled by closures that return what they yield.
fn choose(
    f: &mut Func,
    r: Region,
    cond: Value,
    then: impl FnOnce(&mut Func, Region) -> Value,
    otherwise: impl FnOnce(&mut Func, Region) -> Value,
) -> Value {
    let (a, b) = (region(f), region(f));
    let value = then(f, a);
    f.regions[a].exit = Exit::Yield(single(f, value));
    let value = otherwise(f, b);
    f.regions[b].exit = Exit::Yield(single(f, value));
    let out = result(f, Type::F32);
    let results = single(f, out);
    node(f, r, NodeData::If { cond, then: a, otherwise: b, results });
    out
}

/// `if cond { exit }`
fn guard(f: &mut Func, r: Region, cond: Value, exit: Exit) {
    let (then, otherwise) = (bare(f, exit), bare(f, Exit::Yield(NOTHING)));
    node(f, r, NodeData::If { cond, then, otherwise, results: NOTHING });
}

#[test]
fn if_yields_the_value_of_its_arm() {
    check(
        |f, r, x| {
            let zero = float(f, r, 0.0);
            let cond = less(f, r, x, zero);
            choose(f, r, cond, |f, a| float(f, a, -7.0), |f, b| add(f, b, x, x))
        },
        &[(-1.0, -7.0), (2.0, 4.0)],
    );
}

#[test]
fn if_with_empty_arms_selects_its_result() {
    check(
        |f, r, x| {
            let (zero, one_) = (float(f, r, 0.0), float(f, r, 1.0));
            let cond = less(f, r, x, zero);
            choose(f, r, cond, |_, _| zero, |_, _| one_)
        },
        &[(-1.0, 0.0), (2.0, 1.0)],
    );
}

#[test]
fn if_without_results_may_have_empty_arms() {
    check(
        |f, r, x| {
            let zero = float(f, r, 0.0);
            let cond = less(f, r, x, zero);
            guard(f, r, cond, Exit::Yield(NOTHING));
            x
        },
        &[(-1.0, -1.0), (2.0, 2.0)],
    );
}

/// `loop (i = 0, a = x) { if 3 < i { break a }; continue (i + 1, a + x) }`
#[test]
fn loop_carries_its_parameters() {
    check(
        |f, r, x| {
            let (zero, three) = (float(f, r, 0.0), float(f, r, 3.0));
            let (i, a) = (param(f, Type::F32), param(f, Type::F32));
            let body = region(f);
            let cond = less(f, body, three, i);
            let exit = Exit::Break(single(f, a));
            guard(f, body, cond, exit);
            let step = float(f, body, 1.0);
            let (next, sum) = (add(f, body, i, step), add(f, body, a, x));
            f.regions[body].exit = Exit::Continue(f.list([next, sum]));
            let out = result(f, Type::F32);
            let (params, inits, results) = (f.list([i, a]), f.list([zero, x]), single(f, out));
            node(f, r, NodeData::Loop { params, inits, body, results });
            out
        },
        &[(1.0, 5.0), (-2.0, -10.0)],
    );
}

/// Parameters that swap in each iteration must not see each other's new value.
#[test]
fn loop_parameters_swap() {
    check(
        |f, r, x| {
            let (zero, two) = (float(f, r, 0.0), float(f, r, 2.0));
            let (i, a, b) = (param(f, Type::F32), param(f, Type::F32), param(f, Type::F32));
            let body = region(f);
            let cond = less(f, body, two, i);
            let exit = Exit::Break(single(f, a));
            guard(f, body, cond, exit);
            let step = float(f, body, 1.0);
            let next = add(f, body, i, step);
            f.regions[body].exit = Exit::Continue(f.list([next, b, a]));
            let out = result(f, Type::F32);
            let (params, inits, results) = (f.list([i, a, b]), f.list([zero, x, zero]), single(f, out));
            node(f, r, NodeData::Loop { params, inits, body, results });
            out
        },
        &[(5.0, 0.0)],
    );
}

/// Two breaks and two continues with different values.
#[test]
fn loop_exits_give_their_own_values() {
    check(
        |f, r, x| {
            let (zero, ten, hundred) = (float(f, r, 0.0), float(f, r, 10.0), float(f, r, 100.0));
            let a = param(f, Type::F32);
            let body = region(f);
            let (small, large) = (region(f), region(f));
            let cond = less(f, body, a, zero);
            // a < 0: break -1, or continue with a + 100 where a < -10 holds as well
            let minus_ten = float(f, small, -10.0);
            let very = less(f, small, a, minus_ten);
            let raised = add(f, small, a, hundred);
            let exit = Exit::Continue(single(f, raised));
            guard(f, small, very, exit);
            let minus = float(f, small, -1.0);
            f.regions[small].exit = Exit::Break(single(f, minus));
            // else: break a where a < 10, or continue with a - 10
            let low = less(f, large, a, ten);
            let exit = Exit::Break(single(f, a));
            guard(f, large, low, exit);
            let minus_ten = float(f, large, -10.0);
            let lowered = add(f, large, a, minus_ten);
            f.regions[large].exit = Exit::Continue(single(f, lowered));
            node(f, body, NodeData::If { cond, then: small, otherwise: large, results: NOTHING });
            let out = result(f, Type::F32);
            let (params, inits, results) = (single(f, a), single(f, x), single(f, out));
            node(f, r, NodeData::Loop { params, inits, body, results });
            out
        },
        &[(37.0, 7.0), (-3.0, -1.0), (-63.0, 7.0)],
    );
}

#[test]
fn loop_without_continue_yields_its_value() {
    check(
        |f, r, x| {
            let a = param(f, Type::F32);
            let body = region(f);
            let double = add(f, body, a, a);
            f.regions[body].exit = Exit::Break(single(f, double));
            let out = result(f, Type::F32);
            let (params, inits, results) = (single(f, a), single(f, x), single(f, out));
            node(f, r, NodeData::Loop { params, inits, body, results });
            out
        },
        &[(3.0, 6.0)],
    );
}

/// A loop without break has a merge block that nothing reaches.
#[test]
fn loop_without_break_is_accepted() {
    let mut case = Case::compute(|f, r| {
        let body = bare(f, Exit::Continue(NOTHING));
        node(f, r, NodeData::Loop { params: NOTHING, inits: NOTHING, body, results: NOTHING });
        Vec::new()
    });
    let body = case.module.main.body.unwrap();
    case.module.main.regions[body].items.truncate(1);
    case.module.main.regions[body].exit = Exit::Unreachable;
    case.check();
}

#[test]
fn nested_loops_run() {
    // for i in 0..3 { for j in 0..i { sum += x } }
    fn count(
        f: &mut Func,
        r: Region,
        limit: Value,
        start: Value,
        body_of: &mut dyn FnMut(&mut Func, Region, Value, Value) -> Value,
    ) -> Value {
        let zero = float(f, r, 0.0);
        let (i, sum) = (param(f, Type::F32), param(f, Type::F32));
        let body = region(f);
        let inside = less(f, body, i, limit);
        let (then, otherwise) = (bare(f, Exit::Yield(NOTHING)), bare(f, Exit::Break(NOTHING)));
        f.regions[otherwise].exit = Exit::Break(single(f, sum));
        node(f, body, NodeData::If { cond: inside, then, otherwise, results: NOTHING });
        let next_sum = body_of(f, body, i, sum);
        let step = float(f, body, 1.0);
        let next = add(f, body, i, step);
        f.regions[body].exit = Exit::Continue(f.list([next, next_sum]));
        let out = result(f, Type::F32);
        let (params, inits, results) = (f.list([i, sum]), f.list([zero, start]), single(f, out));
        node(f, r, NodeData::Loop { params, inits, body, results });
        out
    }
    check(
        |f, r, x| {
            let (three, zero) = (float(f, r, 3.0), float(f, r, 0.0));
            count(f, r, three, zero, &mut |f, outer, i, sum| {
                count(f, outer, i, sum, &mut |f, inner, _, sum| add(f, inner, sum, x))
            })
        },
        &[(1.0, 3.0), (2.5, 7.5)],
    );
}

#[test]
fn block_exits_early_or_at_its_end() {
    check(
        |f, r, x| {
            let (zero, ten) = (float(f, r, 0.0), float(f, r, 10.0));
            let body = region(f);
            let cond = less(f, body, x, zero);
            let exit = Exit::Break(single(f, zero));
            guard(f, body, cond, exit);
            let high = less(f, body, ten, x);
            let deep = region(f);
            let sum = add(f, deep, x, ten);
            f.regions[deep].exit = Exit::Break(single(f, sum));
            let otherwise = bare(f, Exit::Yield(NOTHING));
            node(f, body, NodeData::If { cond: high, then: deep, otherwise, results: NOTHING });
            let double = add(f, body, x, x);
            f.regions[body].exit = Exit::Yield(single(f, double));
            let out = result(f, Type::F32);
            let results = single(f, out);
            node(f, r, NodeData::Block { body, results });
            out
        },
        &[(-4.0, 0.0), (3.0, 6.0), (11.0, 21.0)],
    );
}

/// Breaks of nested blocks leave one block each.
#[test]
fn nested_blocks_exit() {
    check(
        |f, r, x| {
            let (zero, ten) = (float(f, r, 0.0), float(f, r, 10.0));
            let (outer, inner) = (region(f), region(f));
            let cond = less(f, inner, x, zero);
            guard(f, inner, cond, Exit::Break(NOTHING));
            f.regions[inner].exit = Exit::Yield(NOTHING);
            node(f, outer, NodeData::Block { body: inner, results: NOTHING });
            let high = less(f, outer, ten, x);
            let exit = Exit::Break(single(f, ten));
            guard(f, outer, high, exit);
            f.regions[outer].exit = Exit::Yield(single(f, x));
            let out = result(f, Type::F32);
            let results = single(f, out);
            node(f, r, NodeData::Block { body: outer, results });
            out
        },
        &[(-4.0, -4.0), (3.0, 3.0), (11.0, 10.0)],
    );
}

fn selector(f: &mut Func, r: Region, x: Value) -> Value {
    f.emit(r, Type::I32, Op::Unary(transpica::stages::ir::Unary::ToInt, x))
}

#[test]
fn switch_takes_the_case_of_its_selector() {
    check(
        |f, r, x| {
            let chosen = selector(f, r, x);
            let mut cases = Vec::new();
            for (values, value) in [(vec![-3, 0], 10.0), (vec![1], 20.0), (vec![5, 6, 7], 30.0)] {
                let case = region(f);
                let value = float(f, case, value);
                f.regions[case].exit = Exit::Yield(single(f, value));
                cases.push((values, case));
            }
            let default = region(f);
            let value = add(f, default, x, x);
            f.regions[default].exit = Exit::Break(single(f, value));
            let out = result(f, Type::F32);
            let results = single(f, out);
            node(f, r, NodeData::Switch { selector: chosen, cases, default, results });
            out
        },
        &[(-3.0, 10.0), (0.0, 10.0), (1.0, 20.0), (6.0, 30.0), (7.0, 30.0), (4.0, 8.0), (-9.0, -18.0)],
    );
}

#[test]
fn switch_with_empty_cases_selects_its_results() {
    check(
        |f, r, x| {
            let (ten, twenty) = (float(f, r, 10.0), float(f, r, 20.0));
            let chosen = selector(f, r, x);
            let exits = [ten, twenty, x].map(|value| Exit::Yield(single(f, value)));
            let [a, b, default] = exits.map(|exit| bare(f, exit));
            let out = result(f, Type::F32);
            let results = single(f, out);
            let cases = vec![(vec![0], a), (vec![1], b)];
            node(f, r, NodeData::Switch { selector: chosen, cases, default, results });
            out
        },
        &[(0.0, 10.0), (1.0, 20.0), (2.0, 2.0)],
    );
}

/// `loop (a = x) { switch a { 0: break-out flag, 1: {}, 2: continue, default: {} } … }`: cases that
/// go to the merge or to the loop's next iteration, with a dispatcher's shape.
#[test]
fn switch_in_a_loop_continues_the_loop() {
    check(
        |f, r, x| {
            let a = param(f, Type::F32);
            let body = region(f);
            let (one_, zero) = (float(f, body, 1.0), float(f, body, 0.0));
            let chosen = selector(f, body, a);
            let empty = bare(f, Exit::Yield(NOTHING));
            let exit = Exit::Continue(single(f, one_));
            let again = bare(f, exit);
            let deep = region(f);
            let big = float(f, deep, 50.0);
            let is_big = less(f, deep, big, a);
            let exit = Exit::Continue(single(f, zero));
            guard(f, deep, is_big, exit);
            f.regions[deep].exit = Exit::Yield(NOTHING);
            let cases = vec![(vec![1], empty), (vec![2, 3], again), (vec![7, 60], deep)];
            let default = bare(f, Exit::Break(NOTHING));
            node(f, body, NodeData::Switch { selector: chosen, cases, default, results: NOTHING });
            f.regions[body].exit = Exit::Break(single(f, a));
            let out = result(f, Type::F32);
            let (params, inits, results) = (single(f, a), single(f, x), single(f, out));
            node(f, r, NodeData::Loop { params, inits, body, results });
            out
        },
        &[(1.0, 1.0), (2.0, 1.0), (3.0, 1.0), (60.0, 0.0), (7.0, 7.0), (9.0, 9.0)],
    );
}

/// The default of a switch that continues the loop has a block of its own (naga ignores a direct
/// branch there).
#[test]
fn switch_default_may_continue_the_loop() {
    check(
        |f, r, x| {
            let a = param(f, Type::F32);
            let body = region(f);
            let minus = float(f, body, -1.0);
            let chosen = selector(f, body, a);
            let lowered = add(f, body, a, minus);
            let exit = Exit::Continue(single(f, lowered));
            let default = bare(f, exit);
            let case = bare(f, Exit::Yield(NOTHING));
            let cases = vec![(vec![2], case)];
            node(f, body, NodeData::Switch { selector: chosen, cases, default, results: NOTHING });
            f.regions[body].exit = Exit::Break(single(f, a));
            let out = result(f, Type::F32);
            let (params, inits, results) = (single(f, a), single(f, x), single(f, out));
            node(f, r, NodeData::Loop { params, inits, body, results });
            out
        },
        &[(6.0, 2.0), (2.0, 2.0)],
    );
}

/// A block in a loop whose body continues the loop from inside an `if`.
#[test]
fn block_in_a_loop_continues_the_loop() {
    check(
        |f, r, x| {
            let a = param(f, Type::F32);
            let body = region(f);
            let inner = region(f);
            let (ten, minus) = (float(f, body, 10.0), float(f, body, -10.0));
            let cond = less(f, inner, ten, a);
            let lowered = add(f, body, a, minus);
            let exit = Exit::Continue(single(f, lowered));
            guard(f, inner, cond, exit);
            let zero = float(f, inner, 0.0);
            let low = less(f, inner, a, zero);
            let exit = Exit::Break(single(f, zero));
            guard(f, inner, low, exit);
            f.regions[inner].exit = Exit::Yield(single(f, a));
            let (mid, out) = (result(f, Type::F32), result(f, Type::F32));
            let results = single(f, mid);
            node(f, body, NodeData::Block { body: inner, results });
            f.regions[body].exit = Exit::Break(single(f, mid));
            let (params, inits, results) = (single(f, a), single(f, x), single(f, out));
            node(f, r, NodeData::Loop { params, inits, body, results });
            out
        },
        &[(34.0, 4.0), (5.0, 5.0), (-2.0, 0.0)],
    );
}

/// Both arms diverge: nothing reaches the merge, and no phi stands there.
#[test]
fn if_without_a_merge_ends_its_region() {
    check(
        |f, r, x| {
            let (zero, one_) = (float(f, r, 0.0), float(f, r, 1.0));
            let body = region(f);
            let cond = less(f, body, x, zero);
            let exits = [zero, one_].map(|value| Exit::Break(single(f, value)));
            let [then, otherwise] = exits.map(|exit| bare(f, exit));
            node(f, body, NodeData::If { cond, then, otherwise, results: NOTHING });
            let out = result(f, Type::F32);
            let results = single(f, out);
            node(f, r, NodeData::Block { body, results });
            out
        },
        &[(-1.0, 0.0), (2.0, 1.0)],
    );
}

/// One arm diverges: the other's value needs no phi and is seen after the merge.
#[test]
fn value_of_the_only_arm_that_yields_is_available_after_the_if() {
    check(
        |f, r, x| {
            let zero = float(f, r, 0.0);
            let body = region(f);
            let cond = less(f, body, x, zero);
            let exit = Exit::Break(single(f, zero));
            let then = bare(f, exit);
            let otherwise = region(f);
            let double = add(f, otherwise, x, x);
            f.regions[otherwise].exit = Exit::Yield(single(f, double));
            let mid = result(f, Type::F32);
            let results = single(f, mid);
            node(f, body, NodeData::If { cond, then, otherwise, results });
            let sum = add(f, body, mid, x);
            f.regions[body].exit = Exit::Yield(single(f, sum));
            let out = result(f, Type::F32);
            let results = single(f, out);
            node(f, r, NodeData::Block { body, results });
            out
        },
        &[(-1.0, 0.0), (2.0, 6.0)],
    );
}

#[test]
fn bool_and_vector_values_pass_through_phis() {
    let case = Case::compute(|f, r| {
        let v = input(f, r, 0);
        let x = lane(f, r, v, 0);
        let zero = float(f, r, 0.0);
        let cond = less(f, r, x, zero);
        let (a, b) = (region(f), region(f));
        let flags = f.emit(a, Type::new(ScalarKind::Bool, 4), Op::Const([1, 0, 1, 0]));
        f.regions[a].exit = Exit::Yield(single(f, flags));
        let flags = binary(f, b, Type::new(ScalarKind::Bool, 4), Binary::Equal, v, v);
        f.regions[b].exit = Exit::Yield(single(f, flags));
        let out = result(f, Type::new(ScalarKind::Bool, 4));
        let results = single(f, out);
        node(f, r, NodeData::If { cond, then: a, otherwise: b, results });
        let ones = f.emit(r, Type::F32X4, Op::Const([1f32.to_bits(); 4]));
        vec![f.emit(r, Type::F32X4, Op::Select { cond: out, a: ones, b: v })]
    });
    assert_eq!(case.run(&[[-1.0, 5.0, 6.0, 7.0]])[0], [1.0, 5.0, 1.0, 7.0]);
    assert_eq!(case.run(&[[2.0, 5.0, 6.0, 7.0]])[0], [1.0; 4]);
}

/// `twice(a) = a + a`, `sum(a, n) = twice(a) + v1.x`
fn helpers() -> Vec<Func> {
    let twice = function(|f, r| {
        let a = param(f, Type::F32);
        f.params = single(f, a);
        vec![add(f, r, a, a)]
    });
    let sum = function(|f, r| {
        let (a, n) = (param(f, Type::F32), param(f, Type::I32));
        f.params = f.list([a, n]);
        let args = single(f, a);
        let double = f.emit(r, Type::F32, Op::Call { helper: 0, args });
        let v = input(f, r, 1);
        let x = lane(f, r, v, 0);
        vec![add(f, r, double, x)]
    });
    vec![twice, sum]
}

#[test]
fn helpers_take_arguments_and_read_inputs() {
    let mut case = Case::compute(|f, r| {
        let v = input(f, r, 0);
        let (x, n) = (lane(f, r, v, 0), int(f, r, 4));
        let args = f.list([x, n]);
        let y = f.emit(r, Type::F32, Op::Call { helper: 1, args });
        vec![splat(f, r, y)]
    });
    case.module.helpers = helpers().into_iter().map(Into::into).collect();
    assert_eq!(case.run(&[[3.0; 4], [100.0; 4]])[0], [106.0; 4]);
    case.module.helpers.truncate(1);
    assert!(matches!(case.write().unwrap_err().kind, ErrorKind::Verify(_)));
}

#[test]
fn deep_nesting_needs_no_deep_stack() {
    let case = Case::compute(|f, r| {
        let v = input(f, r, 0);
        let x = lane(f, r, v, 0);
        let cond = less(f, r, x, x);
        let mut inner = bare(f, Exit::Yield(NOTHING));
        for _ in 0..20_000 {
            let outer = bare(f, Exit::Yield(NOTHING));
            let otherwise = bare(f, Exit::Yield(NOTHING));
            node(f, outer, NodeData::If { cond, then: inner, otherwise, results: NOTHING });
            inner = outer;
        }
        node(f, r, NodeData::Block { body: inner, results: NOTHING });
        vec![v]
    });
    let thread = std::thread::Builder::new().stack_size(256 << 10);
    let written = thread.spawn(move || case.write().map(|words| words.len())).unwrap().join().unwrap();
    assert!(written.unwrap() > 20_000);
}

#[test]
fn exits_without_target_are_refused() {
    for exit in [Exit::Break(NOTHING), Exit::Continue(NOTHING)] {
        let mut case = Case::compute(|_, _| Vec::new());
        let body = case.module.main.body.unwrap();
        case.module.main.regions[body].exit = exit;
        assert!(matches!(case.write().unwrap_err().kind, ErrorKind::Verify(_)));
    }
}

#[test]
fn output_size_is_limited() {
    let mut case = Case::compute(|_, _| Vec::new());
    case.options.limits.output_words = 100;
    let error = case.write().unwrap_err();
    assert!(matches!(error.kind, ErrorKind::Limit { name: "output_words", .. }), "{error}");
    // Every word counts, the header's too.
    case.options.limits.output_words = u32::MAX;
    let words = case.write().unwrap().len() as u32;
    case.options.limits.output_words = words;
    assert!(case.write().is_ok());
    case.options.limits.output_words = words - 1;
    assert!(case.write().is_err());
}
