use transpica::stages::ir::{Phase, verify};
use transpica::stages::passes::analyze::approximate::run;
use transpica_proof::ir::parse;

/// Values to use: %80 is exact, %81 approximate, %82 an approximate and %83 an exact decision, %84
/// and %85 exact integers.
const GIVEN: &str =
    "%80: f32x4 = input v0 %79: f32x4 = input v1 %78: f32 = shuffle %80.x %81: f32 = exp2p %78
    %82: bool = less %81 %78 %83: bool = uniform b0 %84: i32 = const 4 %85: i32 = uniform i0.x ";

/// The main function's outputs depend on EX2 and LG2 in these lanes.
fn module(source: &str, expected: &[u8]) {
    let module = parse(source).unwrap_or_else(|error| panic!("{error} in {source}"));
    verify(&module, Phase::Pica).unwrap_or_else(|error| panic!("{error} in {source}"));
    assert_eq!(run(&module), expected, "{source}");
}

fn check(body: &str, expected: &[u8]) {
    module(&format!("func main {{ {GIVEN} {body} }}"), expected);
}

#[test]
fn only_powers_and_logarithms_are_approximate() {
    check("yield %80 %81", &[0, 15]);
    check("%0: f32x4 = log2p %80 %1: f32x4 = rsqp %80 yield %0 %1", &[15, 0]);
}

#[test]
fn approximate_lanes_stay_separate_except_in_dot_products() {
    let mixed = "%0: f32x4 = shuffle %80.x %81.x %80.z %81.x";
    check(&format!("{mixed} %1: f32x4 = neg %0 %2: f32x4 = addp %1 %80 yield %2"), &[0b1010]);
    check(&format!("{mixed} %1: f32x2 = shuffle %0.z %0.y yield %1"), &[0b0010]);
    check(&format!("{mixed} %1: f32 = dotp %0 %80 yield %1"), &[15]);
    check(&format!("{mixed} %1: boolx4 = less %0 %80 %2: f32x4 = select %1 %80 %79 yield %2"), &[0b1010]);
}

#[test]
fn a_read_at_an_approximate_index_is_approximate() {
    check("%0: i32 = addressp %81 %1: f32x4 = uniform c0[%0] yield %1", &[15]);
    check("%0: i32 = addressp %81 %1: f32x4 = member 0[%0] yield %1", &[15]);
    check("%0: f32x4 = uniform c0[%85] %1: f32x4 = member 0[%85] yield %0 %1", &[0, 0]);
}

#[test]
fn a_call_is_approximate_where_its_helper_or_an_argument_is() {
    let helpers =
        "func plain(%0: f32) { %1: f32 = neg %0 yield %1 } func power(%0: f32) { %1: f32 = exp2 %0 yield %1 }
        func outer(%0: f32) { %1: f32 = call 1(%0) yield %1 }";
    let calls = "%0: f32 = call 0(%78) %1: f32 = call 0(%81) %2: f32 = call 1(%78) %3: f32 = call 2(%78) yield %0 %1 %2 %3";
    module(&format!("{helpers} func main {{ {GIVEN} {calls} }}"), &[0, 15, 15, 15]);
}

#[test]
fn results_depend_on_the_decision_between_them() {
    check("if %82 { yield %80 } else { yield %79 } -> %0: f32x4 yield %0", &[15]);
    check("if %83 { yield %80 } else { yield %79 } -> %0: f32x4 yield %0", &[0]);
    check("if %83 { yield %78 } else { yield %81 } -> %0: f32 yield %0", &[15]);
    check(
        "%0: i32 = addressp %81 switch %0 { case 1 { yield %78 } default { yield %78 } } -> %1: f32 yield %1",
        &[15],
    );
}

#[test]
fn results_depend_on_the_decision_to_leave_early() {
    check("block { if %82 { break %80 } yield %79 } -> %0: f32x4 yield %0", &[15]);
    check("loop { if %82 { break %80 } if %83 { break %79 } continue } -> %0: f32x4 yield %0", &[15]);
    check("block { if %83 { break %80 } yield %79 } -> %0: f32x4 yield %0", &[0]);
}

#[test]
fn early_exits_at_any_depth_depend_on_the_decision() {
    check("block { if %82 { if %83 { break %80 } } yield %79 } -> %0: f32x4 yield %0", &[15]);
    check(
        "loop (%0: i32 = %84) { if %82 { block { if %83 { continue %85 } } } if %83 { break %0 } continue %84 } -> %1: i32 yield %1",
        &[15],
    );
}

#[test]
fn results_of_a_loop_depend_on_the_decision_to_repeat_it() {
    check(
        "loop (%0: i32 = %84) { if %83 { break %0 } if %82 { continue %85 } continue %84 } -> %1: i32 yield %1",
        &[15],
    );
    check(
        "loop (%0: i32 = %84) { if %83 { break %0 } block { if %82 { break } if %83 { continue %85 } } continue %84 } -> %1: i32 yield %1",
        &[15],
    );
    check("loop (%0: f32 = %78) { if %83 { break %0 } continue %81 } -> %1: f32 yield %1", &[15]);
    check("loop (%0: f32 = %81) { if %83 { break %0 } continue %78 } -> %1: f32 yield %1", &[15]);
}

#[test]
fn dependence_on_a_decision_ends_at_its_merge() {
    check(
        "block { if %83 { break %80 } loop { if %82 { break } continue } yield %79 } -> %0: f32x4 yield %0",
        &[0],
    );
    check("block { block { if %82 { break } } yield %79 } -> %0: f32x4 yield %0", &[0]);
}
