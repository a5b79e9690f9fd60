use crate::passes::testing::check;
use crate::precision::Precision;

fn simplify(before: &str, after: &str) {
    check(|f, scratch| super::run(f, Precision::Exact, scratch), before, after);
}

/// Values to use, which stay because nothing removes them here.
const GIVEN: &str =
    "%80: f32x4 = input v0 %81: bool = uniform b0 %82: i32 = uniform i0.x %83: bool = uniform b1 ";

fn rule(before: &str, after: &str) {
    simplify(&format!("{GIVEN}{before}"), &format!("{GIVEN}{after}"));
}

fn stays(text: &str) {
    rule(text, text);
}

#[test]
fn shuffles_read_through_shuffles() {
    rule(
        "%0: f32x3 = shuffle %80.w %80.z %80.y %1: f32x2 = shuffle %0.z %0.x yield %1",
        "%0: f32x3 = shuffle %80.w %80.z %80.y %1: f32x2 = shuffle %80.y %80.w yield %1",
    );
    rule(
        "%0: f32x4 = shuffle %80.x %80.y %80.z %80.w %1: f32x4 = neg %0 yield %1",
        "%1: f32x4 = neg %80 yield %1",
    );
    stays("%0: f32x3 = shuffle %80.x %80.y %80.z yield %0");
    rule(
        "%0: f32x2 = const 1 2 %1: f32x2 = const 3 4 %2: f32x3 = shuffle %0.y %1.y %0.x yield %2",
        "%0: f32x2 = const 1 2 %1: f32x2 = const 3 4 %2: f32x3 = const 2 4 1 yield %2",
    );
}

#[test]
fn literals_are_computed() {
    rule(
        "%0: f32x2 = const 3 0.5 %1: f32x2 = mulp %0 %0 yield %1",
        "%0: f32x2 = const 3 0.5 %1: f32x2 = const 9 0.25 yield %1",
    );
    rule(
        "%0: f32x3 = const 1 2 3 %1: f32 = dotp %0 %0 yield %1",
        "%0: f32x3 = const 1 2 3 %1: f32 = const 14 yield %1",
    );
    rule(
        "%0: f32 = const -2.5 %1: i32 = addressp %0 yield %1",
        "%0: f32 = const -2.5 %1: i32 = const -2 yield %1",
    );
    rule(
        "%0: f32 = const 8 %1: f32 = log2p %0 %2: f32 = exp2p %1 yield %2",
        "%0: f32 = const 8 %1: f32 = const 3 %2: f32 = const 8 yield %2",
    );
}

#[test]
fn literals_that_depend_on_the_machine_are_not_computed() {
    stays("%0: f32 = const 3 %1: f32 = log2p %0 yield %1");
    stays("%0: f32 = const 0.5 %1: f32 = exp2p %0 yield %1");
}

#[test]
fn infinities_and_nans_do_not_become_literals() {
    stays("%0: f32 = const 0 %1: f32 = rcpp %0 yield %1");
    stays("%0: f32 = const -1 %1: f32 = rsqp %0 yield %1");
    stays("%0: f32x2 = const 3e38 1 %1: f32x2 = addp %0 %0 yield %1");
}

#[test]
fn float_identities_keep_signs_and_nans() {
    rule("%0: f32x4 = const 1 1 1 1 %1: f32x4 = mulp %80 %0 yield %1", "%0: f32x4 = const 1 1 1 1 yield %80");
    rule(
        "%0: f32x4 = const -1 -1 -1 -1 %1: f32x4 = mulp %0 %80 yield %1",
        "%0: f32x4 = const -1 -1 -1 -1 %1: f32x4 = neg %80 yield %1",
    );
    rule(
        "%0: f32x4 = const -0.0 -0.0 -0.0 -0.0 %1: f32x4 = addp %80 %0 yield %1",
        "%0: f32x4 = const -0.0 -0.0 -0.0 -0.0 yield %80",
    );
    rule("%0: f32x4 = maxp %80 %80 yield %0", "yield %80");
    rule(
        "%0: f32x4 = neg %80 %1: f32x4 = neg %0 %2: f32x4 = abs %0 yield %1 %2",
        "%0: f32x4 = neg %80 %2: f32x4 = abs %80 yield %80 %2",
    );
    stays("%0: f32x4 = const 0 0 0 0 %1: f32x4 = addp %80 %0 yield %1");
    stays("%0: f32x4 = const 0 0 0 0 %1: f32x4 = mulp %80 %0 yield %1");
    stays("%0: f32x4 = const 1 1 1 2 %1: f32x4 = mulp %80 %0 yield %1");
    stays("%0: boolx4 = equal %80 %80 %1: f32x4 = sgep %80 %80 yield %0 %1");
}

/// `op` on a value and the literal 0 where `defined` gives the value (`%1`, a scalar) from `%0`, the x component of v0.
fn with_zero(precision: Precision, defined: &str, op: &str, result: &str, expected: Option<&str>) {
    let before = format!("{GIVEN} %0: f32 = shuffle %80.x %2: f32 = const 0 {defined} ");
    let after = match expected {
        Some(literal) => format!("{before} %3: {result} = const {literal} yield %3 %1"),
        None => format!("{before} %3: {result} = {op} %1 %2 yield %3 %1"),
    };
    let before = format!("{before} %3: {result} = {op} %1 %2 yield %3 %1");
    check(|f, scratch| super::run(f, precision, scratch), &before, &after);
}

#[test]
fn comparisons_that_signs_decide_are_literals() {
    let exact = |defined: &str, op: &str, expected| {
        let result = if op.ends_with('p') { "f32" } else { "bool" };
        with_zero(Precision::Exact, defined, op, result, expected);
    };
    let set = "%1: f32 = sgep %0 %2";
    exact(set, "sltp", Some("0"));
    exact(set, "sgep", Some("1"));
    exact(set, "less", Some("false"));
    exact("%4: f32 = sltp %0 %2 %1: f32 = neg %4", "greater", Some("false"));
    exact("%1: f32 = abs %0", "sltp", Some("0"));
    exact("%1: f32 = abs %0", "sgep", None); // NaN
    exact("%1: f32 = mulp %0 %0", "less", Some("false"));
    exact("%1: f32 = exp2p %0", "less", Some("false"));
    exact("%1: f32 = rsqp %0", "sltp", Some("0"));
    exact("%1: f32 = maxp %0 %2", "less", Some("false"));
    exact("%1: f32 = maxp %0 %2", "greater_equal", Some("true")); // a NaN in %0 gives 0
    exact("%1: f32 = maxp %2 %0", "greater_equal", None);
    exact("%4: f32 = abs %0 %5: f32 = addp %4 %4 %1: f32 = floor %5", "less", Some("false"));
    exact("%4: f32 = sgep %0 %2 %1: f32 = rcpp %4", "greater", None); // 1/inf
    exact("%1: f32 = addp %0 %0", "less", None);
    exact("%1: f32 = dotp %80 %80", "less", Some("false"));
    exact("%4: f32 = const 3 %1: f32 = select %81 %4 %2", "less", Some("false"));
    exact("%4: f32 = const -3 %1: f32 = select %81 %4 %2", "less", None);
}

#[test]
fn what_is_known_of_signs_depends_on_the_precision() {
    with_zero(Precision::Exact, "%4: f32 = abs %0 %1: f32 = rcpp %4", "less", "bool", Some("false"));
    with_zero(Precision::F24, "%4: f32 = abs %0 %1: f32 = rcpp %4", "less", "bool", Some("false"));
    with_zero(Precision::Fast, "%4: f32 = abs %0 %1: f32 = rcpp %4", "less", "bool", None); // 1/-0
    let doubled = "%4: f32 = exp2p %0 %5: f32 = const 1 %1: f32 = addp %4 %5";
    with_zero(Precision::Exact, doubled, "less_equal", "bool", Some("false"));
    with_zero(Precision::F24, doubled, "less_equal", "bool", None); // small sums count as 0
}

#[test]
fn nothing_is_below_itself_and_only_a_nan_differs_from_itself() {
    rule("%0: boolx4 = less %80 %80 yield %0", "%0: boolx4 = const false false false false yield %0");
    rule(
        "%0: f32x4 = sltp %80 %80 %1: f32x4 = sgep %0 %0 yield %0 %1",
        "%0: f32x4 = const 0 0 0 0 %1: f32x4 = const 1 1 1 1 yield %0 %1",
    );
    rule(
        "%0: f32x4 = input v1 %1: f32x4 = sltp %80 %0 %2: boolx4 = equal %1 %1 yield %2 %1",
        "%0: f32x4 = input v1 %1: f32x4 = sltp %80 %0 %2: boolx4 = const true true true true yield %2 %1",
    );
}

#[test]
fn known_lanes_of_a_comparison_leave_it() {
    rule(
        "%0: f32x4 = abs %80 %1: f32x4 = shuffle %80.x %0.y %80.z %0.w %2: f32x4 = const 0 0 0 0 %3: f32x4 = sltp %1 %2 yield %3",
        "%0: f32x4 = abs %80 %1: f32x4 = shuffle %80.x %0.y %80.z %0.w %2: f32x4 = const 0 0 0 0
         %4: f32x2 = shuffle %80.x %80.z %5: f32x2 = const 0 0 %6: f32x2 = sltp %4 %5 %7: f32x4 = const 0 0 0 0
         %3: f32x4 = shuffle %6.x %7.y %6.y %7.w yield %3",
    );
}

#[test]
fn a_set_number_compared_with_a_literal_is_its_condition() {
    rule(
        "%0: f32x4 = input v1 %1: f32x4 = sgep %80 %0 %2: f32x4 = const 0 0 0 0 %3: f32x4 = const 1 1 1 1
         %4: boolx4 = greater %1 %2 %5: boolx4 = equal %1 %2 %6: boolx4 = less_equal %3 %1 %7: f32x4 = sltp %2 %1
         %8: f32x4 = sgep %2 %1 yield %4 %5 %6 %7 %8",
        "%0: f32x4 = input v1 %1: f32x4 = sgep %80 %0 %2: f32x4 = const 0 0 0 0 %3: f32x4 = const 1 1 1 1
         %4: boolx4 = greater_equal %80 %0 %9: boolx4 = greater_equal %80 %0 %5: boolx4 = not %9
         %6: boolx4 = greater_equal %80 %0 %8: f32x4 = sgep %2 %1 yield %4 %5 %6 %1 %8",
    );
    rule(
        "%0: f32x4 = input v1 %1: f32x4 = sltp %80 %0 %2: f32x4 = const 2 2 2 2 %3: boolx4 = less %1 %2 yield %3",
        "%0: f32x4 = input v1 %1: f32x4 = sltp %80 %0 %2: f32x4 = const 2 2 2 2 %3: boolx4 = const true true true true yield %3",
    );
}

#[test]
fn float24_products_with_one_still_truncate() {
    let text = "%0: f32x4 = input v0 %1: f32x4 = const 1 1 1 1 %2: f32x4 = mulp %0 %1 yield %2";
    check(|f, scratch| super::run(f, Precision::F24, scratch), text, text);
}

#[test]
fn truth_values_follow_boolean_algebra() {
    rule("%0: bool = not %81 %1: bool = not %0 yield %1", "%0: bool = not %81 yield %81");
    rule(
        "%0: bool = const true %1: bool = and %81 %0 %2: bool = or %0 %81 yield %1 %2",
        "%0: bool = const true yield %81 %0",
    );
    rule(
        "%0: bool = const false %1: bool = and %81 %0 %2: bool = or %0 %81 yield %1 %2",
        "%0: bool = const false yield %0 %81",
    );
    rule("%0: bool = and %81 %81 yield %0", "yield %81");
    rule(
        "%0: bool = const false %1: bool = const true %2: bool = select %81 %0 %1 %3: bool = select %81 %1 %0 yield %2 %3",
        "%0: bool = const false %1: bool = const true %2: bool = not %81 yield %2 %81",
    );
}

#[test]
fn sums_of_integers_join() {
    rule(
        "%0: i32 = const 1 %1: i32 = iadd %82 %0 %2: i32 = isub %1 %0 %3: i32 = iadd %0 %1 yield %2 %3",
        "%0: i32 = const 1 %1: i32 = iadd %82 %0 %4: i32 = const 2 %3: i32 = iadd %82 %4 yield %82 %3",
    );
    rule(
        "%0: i32 = isub %82 %82 %1: bool = iequal %82 %82 yield %0 %1",
        "%0: i32 = const 0 %1: bool = const true yield %0 %1",
    );
    rule(
        "%0: i32 = const -3 %1: f32x4 = uniform c5[%0] yield %1",
        "%0: i32 = const -3 %1: f32x4 = uniform c2 yield %1",
    );
}

#[test]
fn selects_on_literals_pick_lanes() {
    rule(
        "%0: boolx4 = const true false true false %1: f32x4 = neg %80 %2: f32x4 = select %0 %80 %1 yield %2",
        "%0: boolx4 = const true false true false %1: f32x4 = neg %80 %2: f32x4 = shuffle %80.x %1.y %80.z %1.w yield %2",
    );
    rule("%0: bool = const false %1: i32 = select %0 %82 %82 yield %1", "%0: bool = const false yield %82");
    rule(
        "%0: bool = not %81 %1: i32 = const 0 %2: i32 = select %0 %82 %1 yield %2",
        "%0: bool = not %81 %1: i32 = const 0 %2: i32 = select %81 %1 %82 yield %2",
    );
}

#[test]
fn an_if_on_a_literal_becomes_its_arm() {
    rule(
        "%0: bool = const true if %0 { %1: f32x4 = neg %80 yield %1 } else { yield %80 } -> %2: f32x4 %3: f32x4 = abs %2 yield %3",
        "%0: bool = const true %1: f32x4 = neg %80 %3: f32x4 = abs %80 yield %3",
    );
}

#[test]
fn an_arm_that_leaves_takes_what_follows_along() {
    rule(
        "%0: bool = const false
         loop { if %0 { } else { if %81 { break } %1: i32 = iadd %82 %82 continue } %2: i32 = iadd %82 %82 break }
         yield %82",
        "%0: bool = const false loop { if %81 { break } %1: i32 = iadd %82 %82 continue } yield %82",
    );
}

#[test]
fn literals_decide_through_nested_constructs() {
    rule(
        "%0: bool = const true %1: i32 = const 2
         if %0 { if %0 { switch %1 { case 1 { yield %82 } case 2, 3 { %2: i32 = iadd %82 %1 break %2 } default { yield %1 } } -> %3: i32 yield %3 } else { yield %1 } -> %4: i32 yield %4 }
         else { yield %1 } -> %5: i32
         yield %5",
        "%0: bool = const true %1: i32 = const 2 %2: i32 = iadd %82 %1 yield %2",
    );
}

#[test]
fn a_negated_condition_exchanges_the_arms() {
    rule(
        "%0: bool = not %81 if %0 { yield %80 } else { %1: f32x4 = neg %80 yield %1 } -> %2: f32x4 yield %2",
        "%0: bool = not %81 if %81 { %1: f32x4 = neg %80 yield %1 } else { yield %80 } -> %2: f32x4 yield %2",
    );
}

#[test]
fn a_block_that_nothing_leaves_early_dissolves() {
    rule("block { %0: i32 = iadd %82 %82 break %0 } -> %1: i32 yield %1", "%0: i32 = iadd %82 %82 yield %0");
    stays("block { if %81 { break %82 } %0: i32 = iadd %82 %82 yield %0 } -> %1: i32 yield %1");
}

#[test]
fn what_a_dissolved_block_evaluates_is_evaluated_once() {
    let merging = |before: &str, after: &str| {
        let (before, after) = (format!("{GIVEN}{before}"), format!("{GIVEN}{after}"));
        check(|f, scratch| super::run_merging(f, Precision::Exact, scratch), &before, &after);
    };
    // What stands after the block, and in a construct after it.
    merging(
        "block { %0: bool = uniform b2 yield %0 } -> %1: bool %2: bool = uniform b2 yield %1 %2",
        "%0: bool = uniform b2 yield %0 %0",
    );
    merging(
        "block { %0: i32 = iadd %82 %82 yield %0 } -> %1: i32 \
         if %81 { %2: i32 = iadd %82 %82 yield %2 } else { %3: i32 = iadd %1 %82 yield %3 } -> %4: i32 yield %4",
        "%0: i32 = iadd %82 %82 \
         if %81 { yield %0 } else { %3: i32 = iadd %0 %82 yield %3 } -> %4: i32 yield %4",
    );
    // A block that stays, and a loop, keep what they evaluate to themselves.
    let text = "block { %0: i32 = iadd %82 %82 if %81 { break %82 } yield %0 } -> %1: i32 %2: i32 = iadd %82 %82 yield %1 %2";
    merging(text, text);
    let text = "loop { %0: i32 = iadd %82 %82 if %81 { continue } break %0 } -> %1: i32 %2: i32 = iadd %82 %82 yield %1 %2";
    merging(text, text);
}

#[test]
fn a_loop_that_never_continues_is_a_block() {
    rule("loop { %0: i32 = iadd %82 %82 break %0 } -> %1: i32 yield %1", "%0: i32 = iadd %82 %82 yield %0");
    rule(
        "loop { if %81 { break %82 } %0: i32 = iadd %82 %82 break %0 } -> %1: i32 yield %1",
        "block { if %81 { break %82 } %0: i32 = iadd %82 %82 yield %0 } -> %1: i32 yield %1",
    );
}

#[test]
fn what_follows_an_endless_loop_goes() {
    rule(
        "%0: bool = const true loop { if %0 { continue } break %82 } -> %1: i32 %2: i32 = iadd %1 %1 yield %2",
        "%0: bool = const true loop { continue } unreachable",
    );
}

#[test]
fn breaks_that_end_a_case_yield() {
    rule(
        "loop { switch %82 { case 1 { break } default { if %81 { break } continue } } break } yield %80",
        "block { switch %82 { case 1 { } default { if %81 { break } continue } } }  yield %80"
            .replace("block", "loop")
            .replace("}  yield", "break } yield")
            .as_str(),
    );
}

#[test]
fn an_if_without_items_selects() {
    rule(
        "%0: f32x4 = uniform c0 if %81 { yield %82 %80 } else { %1: f32x4 = neg %80 %2: f32x4 = neg %1 yield %82 %0 } -> %3: i32 %4: f32x4
         yield %3 %4",
        "%0: f32x4 = uniform c0 if %81 { yield %82 %80 } else { %1: f32x4 = neg %80 yield %82 %0 } -> %3: i32 %4: f32x4 yield %3 %4",
    );
    rule(
        "%0: f32x4 = uniform c0 if %81 { yield %82 %80 } else { yield %82 %0 } -> %3: i32 %4: f32x4 yield %3 %4",
        "%0: f32x4 = uniform c0 %1: boolx4 = shuffle %81.x %81.x %81.x %81.x %4: f32x4 = select %1 %80 %0 yield %82 %4",
    );
    rule("if %81 { } yield %80", "yield %80");
}

#[test]
fn a_flag_that_an_if_set_is_its_condition() {
    rule(
        "%0: i32 = const 1 %1: i32 = const 2 if %81 { yield %0 } else { yield %1 } -> %2: i32
         %3: bool = iequal %2 %0 %4: bool = iequal %1 %2 yield %3 %4",
        "%0: i32 = const 1 %1: i32 = const 2 %2: i32 = select %81 %0 %1 %4: bool = not %81 yield %81 %4",
    );
}

#[test]
fn what_is_done_twice_is_done() {
    rule(
        "%0: f32x4 = abs %80 %1: f32x4 = abs %0 %2: f32x4 = floor %80 %3: f32x4 = floor %2 yield %1 %3",
        "%0: f32x4 = abs %80 %2: f32x4 = floor %80 yield %0 %2",
    );
}

#[test]
fn nothing_is_taken_away_or_shifted_by_zero() {
    rule("%0: i32 = const 0 %1: i32 = isub %82 %0 yield %1", "%0: i32 = const 0 yield %82");
    stays("%0: i32 = const 0 %1: i32 = isub %0 %82 yield %1");
    rule(
        "%0: u32x4 = to_bits %80 %1: u32x4 = const 0 0 0 0 %2: u32x4 = shift_right %0 %1 yield %2",
        "%0: u32x4 = to_bits %80 %1: u32x4 = const 0 0 0 0 yield %0",
    );
    stays("%0: u32x4 = to_bits %80 %1: u32x4 = const 0 0 0 0 %2: u32x4 = shift_right %1 %0 yield %2");
}

#[test]
fn sums_of_integers_join_whichever_operand_is_the_literal() {
    rule(
        "%0: i32 = const 1 %1: i32 = iadd %0 %82 %2: i32 = iadd %1 %0 yield %2",
        "%0: i32 = const 1 %1: i32 = iadd %0 %82 %4: i32 = const 2 %2: i32 = iadd %82 %4 yield %2",
    );
}

#[test]
fn a_literal_index_names_the_element_of_a_member() {
    rule(
        "%0: i32 = const 3 %1: f32x4 = member 2[%0] yield %1",
        "%0: i32 = const 3 %1: f32x4 = member 2[3] yield %1",
    );
    rule(
        "%0: i32 = const 0 %1: i32 = iadd %82 %0 %2: f32x4 = member 1[%1] yield %2",
        "%0: i32 = const 0 %2: f32x4 = member 1[%82] yield %2",
    );
}

#[test]
fn only_numbers_that_an_integer_can_hold_are_converted() {
    rule(
        "%0: f32 = const -3.7 %1: i32 = to_int %0 yield %1",
        "%0: f32 = const -3.7 %1: i32 = const -3 yield %1",
    );
    stays("%0: f32 = const 2147483648.0 %1: i32 = to_int %0 yield %1");
}

#[test]
fn arguments_of_calls_follow() {
    let half = "func half(%0: f32x4) { %1: f32x4 = abs %0 yield %1 }";
    simplify(
        &format!(
            "{half} func main {{ %0: f32x4 = input v0 %1: f32x4 = neg %0 %2: f32x4 = neg %1 %3: f32x4 = call 0(%2) yield %3 }}"
        ),
        &format!(
            "{half} func main {{ %0: f32x4 = input v0 %1: f32x4 = neg %0 %3: f32x4 = call 0(%0) yield %3 }}"
        ),
    );
}
