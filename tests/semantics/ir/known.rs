//! Each rule by a smallest function: what is constant, what could be.

use transpica::Precision;
use transpica::stages::ir::known::Known;
use transpica::stages::ir::{Def, Exit, Module, Value};
use transpica_prove::ir::parse;

fn module(body: &str) -> Module {
    let text = format!(
        "func main {{ %90: f32x4 = input v0 %91: f32 = shuffle %90.x %92: f32 = shuffle %90.y
           %93: bool = uniform b0 %94: bool = less %91 %92 %95: f32 = const 0 %96: f32 = const 1 {body} }}"
    );
    let module = parse(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    transpica::stages::ir::verify(&module, transpica::stages::ir::Phase::Pica)
        .unwrap_or_else(|error| panic!("{text}: {error}"));
    module
}

fn known(module: &Module) -> Known<'static> {
    let mut known = Known::new(Precision::Exact, None, module.main.values.len());
    known.analyze(&module.main);
    known
}

/// The first output of a function is known like this, lane by lane: a constant, `0?` and `?` for
/// what could be a zero or another constant, `-` for anything.
fn check(body: &str, expected: &str) {
    let module = module(body);
    let known = known(&module);
    let Exit::Yield(list) = module.main.regions[module.main.body.unwrap()].exit else { panic!("{body}") };
    let value = module.main.get(list)[0];
    let fact = known.get(value);
    let lanes: Vec<String> = (0..module.main.ty(value).lanes)
        .map(|lane| match (fact.get(lane), fact.zero >> lane & 1, fact.fixed >> lane & 1) {
            (Some(bits), ..) => f32::from_bits(bits).to_string(),
            (None, 1, 1) => "0?".to_string(),
            (None, 0, 1) => "?".to_string(),
            (None, _, _) => "-".to_string(),
        })
        .collect();
    assert_eq!(lanes.join(" "), expected, "{body}");
}

/// These products and sums are at risk.
fn at_risk(body: &str, expected: &[u32]) {
    let module = module(body);
    let risks: Vec<u32> =
        known(&module).risks().iter().filter(|it| it.possible != 0).map(|it| it.user.0).collect();
    assert_eq!(risks, expected, "{body}");
    assert!(risks.iter().all(|&value| matches!(module.main.values[Value(value)].def, Def::Op(_))));
}

#[test]
fn results_are_constant_lane_by_lane() {
    check(
        "if %93 { %0: f32x4 = const 0 1 2 -0 yield %0 } else { %1: f32x4 = shuffle %95.x %91.x %96.x %95.x yield %1 } -> %2: f32x4
         yield %2",
        "0 - - -",
    );
    check(
        "%9: i32 = uniform i0.x switch %9 { case 1 { yield %95 } case 2 { yield %95 } default { yield %95 } } -> %2: f32 yield %2",
        "0",
    );
    check("block { if %93 { break %95 } yield %95 } -> %2: f32 yield %2", "0");
    check("block { if %93 { break %96 } yield %95 } -> %2: f32 yield %2", "-");
}

#[test]
fn selections_between_equal_constants_are_constant() {
    check(
        "%0: boolx2 = shuffle %93.x %94.x %1: f32x2 = shuffle %95.x %91.x %2: f32x2 = const 0 0
         %3: f32x2 = select %0 %1 %2 yield %3",
        "0 -",
    );
}

#[test]
fn operations_on_constant_lanes_are_constant() {
    check(
        "if %93 { yield %95 } else { yield %95 } -> %0: f32 %1: f32 = addp %0 %96 %2: f32 = rcpp %1 %3: f32 = mulp %2 %0
         %4: f32 = exp2p %1 %5: f32x4 = shuffle %1.x %2.x %3.x %4.x yield %5",
        "1 1 0 2",
    );
}

#[test]
fn a_parameter_is_constant_until_an_iteration_changes_it() {
    let rounds = |next: &str| {
        format!("loop (%0: f32x2 = %9) {{ if %93 {{ break %0 }} {next} continue %1 }} -> %2: f32x2 yield %2")
    };
    let with = |next: &str| format!("%9: f32x2 = const 0 3 {}", rounds(next));
    check(&with("%1: f32x2 = mulp %0 %0"), "0 0?");
    check(&with("%1: f32x2 = shuffle %95.x %0.y"), "0 3");
    check(&with("%1: f32x2 = shuffle %91.x %0.y"), "0? 3");
    // Two parameters, the second of which disproves the first a round later.
    check(
        "loop (%0: f32 = %95, %1: f32 = %95) { if %93 { break %0 } continue %1 %91 } -> %2: f32 yield %2",
        "0?",
    );
    check(
        "loop (%0: f32 = %95, %1: f32 = %95) { if %93 { break %0 } continue %1 %0 } -> %2: f32 yield %2",
        "0",
    );
}

#[test]
fn long_chains_of_parameters_stop_being_constant_together() {
    let params: Vec<String> = (0..40).map(|index| format!("%{index}: f32 = %95")).collect();
    let next: Vec<String> = (1..40).map(|index| format!("%{index}")).collect();
    let body = format!(
        "loop ({}) {{ if %93 {{ break %0 }} continue {} %91 }} -> %50: f32 yield %50",
        params.join(", "),
        next.join(" ")
    );
    check(&body, "0?");
}

#[test]
fn unreachable_regions_do_not_count() {
    check("%0: bool = equal %95 %96 if %0 { yield %91 } else { yield %95 } -> %1: f32 yield %1", "0");
    check(
        "loop (%0: f32 = %95) { %1: bool = less %0 %96 if %1 { break %0 } %2: f32 = addp %0 %91 continue %2 } -> %3: f32 yield %3",
        "0",
    );
    check(
        "%9: i32 = const 2 switch %9 { case 1 { yield %91 } case 2 { yield %96 } default { yield %91 } } -> %2: f32 yield %2",
        "1",
    );
    check("%0: bool = equal %95 %96 block { if %0 { break %91 } yield %95 } -> %1: f32 yield %1", "0");
}

#[test]
fn an_arm_uses_the_value_of_its_condition() {
    // The same choice before and inside.
    let inside = |arms: &str| format!("%0: f32 = select %94 %95 %91 {arms} -> %1: f32 yield %1");
    check(&inside("if %94 { yield %0 } else { yield %95 }"), "0");
    check(&inside("if %94 { yield %96 } else { yield %0 }"), "-");
    // The result of an `if` with that condition, an equal comparison, and the other way round.
    check(
        "if %94 { yield %95 } else { yield %91 } -> %0: f32 if %94 { yield %0 } else { yield %95 } -> %1: f32 yield %1",
        "0",
    );
    check("if %94 { yield %95 } else { %0: f32 = sltp %91 %92 yield %0 } -> %1: f32 yield %1", "0");
    check(
        "%8: bool = greater %92 %91 if %94 { %0: bool = not %8 %2: f32 = select %0 %91 %95 yield %2 } else { yield %95 } -> %1: f32 yield %1",
        "0",
    );
    check("if %94 { %0: f32 = minp %91 %92 yield %95 } else { yield %95 } -> %1: f32 yield %1", "0");
    // All of "and" holds, none of "or".
    check(
        "%0: bool = and %93 %94 %2: f32 = select %94 %95 %91 if %0 { yield %2 } else { yield %95 } -> %1: f32 yield %1",
        "0",
    );
    check(
        "%0: bool = or %93 %94 %2: f32 = select %0 %91 %95 if %0 { yield %95 } else { yield %2 } -> %1: f32 yield %1",
        "0",
    );
    check(
        "%0: bool = and %93 %94 %2: f32 = select %0 %91 %95 if %94 { yield %95 } else { yield %2 } -> %1: f32 yield %1",
        "0",
    );
    // Behind an arm that leaves.
    check("block { if %94 { break %95 } %0: f32 = select %94 %91 %95 yield %0 } -> %1: f32 yield %1", "0");
    check("%0: f32 = select %94 %95 %91 block { if %94 { break %95 } yield %0 } -> %1: f32 yield %1", "-");
}

#[test]
fn results_of_conditions_that_a_driver_knows_may_be_folded() {
    // A specialization constant is known when the module is compiled.
    check("%9: bool = specialized 3 if %9 { yield %95 } else { yield %91 } -> %0: f32 yield %0", "0?");
    check("%9: bool = specialized 3 %0: f32 = select %9 %95 %91 yield %0", "0?");
    check("if %93 { yield %95 } else { yield %91 } -> %0: f32 yield %0", "-");
    check("loop { if %93 { break %95 } if %94 { break %91 } continue } -> %0: f32 yield %0", "0?");
    check("loop { if %93 { break %96 } if %94 { break %91 } continue } -> %0: f32 yield %0", "?");
}

#[test]
fn products_and_sums_of_possible_zeros_are_at_risk() {
    let rounds = |body: &str| {
        format!("loop (%0: f32 = %95) {{ {body} if %93 {{ break %0 }} continue %1 }} -> %9: f32 yield %9")
    };
    at_risk(&rounds("%1: f32 = addp %0 %91"), &[1]);
    at_risk(&rounds("%1: f32 = mulp %91 %0"), &[1]);
    // Literals only, which every driver computes as it should.
    at_risk(&rounds("%1: f32 = addp %0 %96"), &[]);
    // No zero.
    at_risk(
        "loop (%0: f32 = %96) { %1: f32 = mulp %0 %91 if %93 { break %0 } continue %1 } -> %9: f32 yield %9",
        &[],
    );
    // Counted down.
    at_risk(
        "loop (%0: f32 = %96) { %2: f32 = const -0.5 %3: f32 = mulp %0 %91 %1: f32 = addp %0 %2 if %93 { break %3 } continue %1 } -> %9: f32 yield %9",
        &[3],
    );
    // A product that could be zero, in a sum.
    at_risk(
        "loop (%0: f32 = %96) { %2: f32x2 = shuffle %0.x %91.x %3: f32 = dotp %2 %2 %1: f32 = addp %0 %96 if %93 { break %3 } continue %1 } -> %9: f32 yield %9",
        &[3, 3],
    );
}
