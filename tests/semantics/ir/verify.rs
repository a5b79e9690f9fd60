use transpica::Kind as ErrorKind;
use transpica::stages::ir::{
    Def, Exit, Func, Item, Lane, Node, NodeData, Op, Phase, Region, ScalarKind, Type, Unary, Value,
    ValueList, verify,
};
use transpica_proof::ir::parse;

fn breach(text: &str, phase: Phase) -> Option<String> {
    let module = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    verify(&module, phase).err().map(|error| match error.kind {
        ErrorKind::Verify(breach) => breach,
        other => panic!("{other}"),
    })
}

/// Checks that the verifier reports this fault in a main function with some values to use.
fn check(body: &str, expected: &str) {
    let text = format!(
        "func half(%0: f32) {{ %1: f32 = const 0.5 %2: f32 = mulp %0 %1 yield %2 }}
         func main {{ %90: f32x4 = input v0 %91: f32 = shuffle %90.x %92: i32 = const 1 %93: bool = const true {body} }}"
    );
    let found = breach(&text, Phase::Pica).unwrap_or_default();
    assert_eq!(found, format!("function main: {expected}"), "{body}");
}

fn accept(body: &str) {
    let text =
        format!("func main {{ %90: f32x4 = input v0 %92: i32 = const 1 %93: bool = const true {body} }}");
    assert_eq!(breach(&text, Phase::Pica), None, "{body}");
}

#[test]
fn a_well_formed_module_passes() {
    accept(
        "loop (%0: i32 = %92) {
           %1: bool = iless %0 %92
           if %1 { break %0 } else { %2: i32 = iadd %0 %92 yield %2 } -> %3: i32
           block { if %1 { continue %3 } switch %3 { case 1 { break } default { } } break } -> 
           continue %3
         } -> %4: i32
         %5: f32x4 = uniform c1[%4] yield %5",
    );
}

#[test]
fn uses_follow_definitions_in_scope() {
    check("yield %0", "%0 is used before its definition");
    check("%0: f32 = neg %0", "%0: %0 is used before its definition");
    check("block { %0: f32 = neg %91 } yield %0", "%0 is used outside its scope");
    check("loop (%0: f32 = %91) { break } yield %0", "%0 is used outside its scope");
    check("loop (%0: f32 = %0) { break }", "%0 is used before its definition");
    check("block { yield %0 } -> %0: f32", "region1: %0 is used before its definition");
}

#[test]
fn a_value_is_evaluated_once() {
    let mut module = parse("func main { %0: f32x4 = input v0 yield %0 }").unwrap();
    let body = module.main.body.unwrap();
    module.main.regions[body].items.push(Item::Let(Value(0)));
    let error = verify(&module, Phase::Pica).unwrap_err();
    assert_eq!(error.to_string(), "input: function main: %0 is defined twice");
}

#[test]
fn operands_have_the_types_of_the_signature() {
    check("%0: f32 = neg %90", "%0: %90 is f32x4, f32 expected");
    check("%0: i32 = neg %91", "%0: the result is f32, not i32");
}

#[test]
fn results_have_the_types_of_the_signature() {
    check("%0: f32x3 = input v0", "%0: the result is f32x4, not f32x3");
    check("%0: f32x4 = dotp %90 %90", "%0: the result is f32, not f32x4");
    check("%0: f32 = less %91 %91", "%0: the result is bool, not f32");
    check("%0: f32 = dotp %91 %91", "%0: a dot product of scalars");
    check("%0: f32 = addp %91 %90", "%0: %90 is f32x4, f32 expected");
    check("%0: f32 = addp %92 %92", "%0: %92 is i32, f32 expected");
    check("%0: f32x4 = select %93 %90 %90", "%0: %93 is bool, boolx4 expected");
    check("%0: f32 = shuffle %91.y", "%0: %91.y is not a lane of kind f32 (f32)");
    check("%0: i32 = shuffle %91.x", "%0: %91.x is not a lane of kind i32 (f32)");
    check("%0: i32 = member 0", "%0: no member is i32");
    check("%0: f32x4 = uniform c0[%91]", "%0: %91 is f32, i32 expected");
    check("%0: f32 = call 0(%92)", "%0: %92 is i32, f32 expected");
    check("%0: f32 = call 0()", "%0: 0 arguments, 1 expected");
    check("%0: f32x4 = call 0(%91)", "%0: the helper gives f32, not f32x4");
}

#[test]
fn register_numbers_are_in_range() {
    check("%0: f32x4 = input v16", "%0: number 16 is not below 16");
    check("%0: f32x4 = uniform c96", "%0: number 96 is not below 96");
    check("%0: i32 = uniform i4.x", "%0: number 4 is not below 4");
    check("%0: bool = uniform b16", "%0: number 16 is not below 16");
    check("%0: u32 = host 2", "%0: the result is f32x4, not u32");
    check("%0: i32 = specialized 15", "%0: the result is bool, not i32");
}

#[test]
fn exits_need_an_enclosing_target() {
    check("break", "region0: nothing to break from");
    check("continue", "region0: no loop");
    check("block { continue }", "region1: no loop");
    check("if %93 { break }", "region1: nothing to break from");
    check("loop { yield }", "region1: the body of a loop yields");
}

#[test]
fn exits_have_the_values_of_their_target() {
    check("block { yield } -> %0: f32", "region1: exit has 0 values, 1 expected");
    check("block { if %93 { break %92 } yield %91 } -> %0: f32", "region2: %92 is i32, f32 expected");
    check("loop (%0: f32 = %91) { continue }", "region1: exit has 0 values, 1 expected");
    check("loop (%0: f32 = %92) { break }", "%92 is i32, f32 expected");
}

#[test]
fn a_construct_without_fallthrough_ends_its_region() {
    check("loop { continue }", "region0 does not say that its end is unreachable");
    check("loop { continue } %0: f32 = neg %91", "region0 has items after one that never falls through");
    check(
        "block { loop { continue } unreachable } -> %0: f32 unreachable",
        "node0 never falls through but has results",
    );
    check("unreachable", "region0 says that its end is unreachable");
    check("block { break } unreachable", "region0 says that its end is unreachable");
    accept("block { if %93 { break } else { break } unreachable } yield");
}

#[test]
fn conditions_are_scalars() {
    check("if %92 { }", "%92 is i32, bool expected");
    check("switch %93 { default { } }", "%93 is bool, i32 expected");
    check("switch %92 { case 2 { } case 1 { } default { } }", "node0: cases are empty or not ascending");
    check("switch %92 { case 1, 1 { } default { } }", "node0: cases are empty or not ascending");
    check("switch %92 { case { } default { } }", "node0: cases are empty or not ascending");
}

#[test]
fn helpers_call_only_helpers_before_them() {
    let text = "func a(%0: f32) { %1: f32 = call 0(%0) yield %1 } func main { }";
    assert_eq!(
        breach(text, Phase::Pica).unwrap(),
        "function a: %1: %1 calls helper 0, which is not before its caller"
    );
    assert_eq!(
        breach("func a { } func main { }", Phase::Pica).unwrap(),
        "function a: helper 0 has 0 outputs, not one"
    );
    assert_eq!(
        breach("func main(%0: f32) { }", Phase::Pica).unwrap(),
        "function main: the main function has parameters"
    );
}

#[test]
fn lists_do_not_overlap() {
    let mut module =
        parse("func main { %0: bool = const true if %0 { yield %0 } else { yield %0 } -> %1: bool }")
            .unwrap();
    let NodeData::If { then, otherwise, .. } = module.main.nodes.values()[0] else { panic!() };
    module.main.regions[then].exit = module.main.regions[otherwise].exit;
    assert!(verify(&module, Phase::Pica).unwrap_err().to_string().contains("overlaps another"));
    module.main.regions[then].exit = Exit::Yield(ValueList { start: u32::MAX, len: 2 });
    assert!(verify(&module, Phase::Pica).unwrap_err().to_string().contains("outside the pool"));
}

#[test]
fn regions_belong_to_one_construct() {
    let mut module = parse("func main { %0: bool = const true if %0 { } }").unwrap();
    let NodeData::If { then, otherwise, .. } = &mut module.main.nodes.values_mut()[0] else { panic!() };
    *otherwise = *then;
    assert!(verify(&module, Phase::Pica).unwrap_err().to_string().ends_with("region1 is used twice"));
    let NodeData::If { otherwise, .. } = &mut module.main.nodes.values_mut()[0] else { panic!() };
    *otherwise = Region(9);
    assert!(verify(&module, Phase::Pica).unwrap_err().to_string().ends_with("region9 does not exist"));
}

#[test]
fn constants_keep_unused_lanes_zero() {
    let mut module = parse("func main { %0: f32 = const 1 yield %0 }").unwrap();
    module.main.values[Value(0)].def = Def::Op(Op::Const([0, 1, 0, 0]));
    assert!(verify(&module, Phase::Pica).is_err());
    module.main.values[Value(0)] = transpica::stages::ir::ValueData {
        ty: Type::BOOL,
        def: Def::Op(Op::Const([2, 0, 0, 0])),
        ..module.main.values[Value(0)]
    };
    assert!(verify(&module, Phase::Pica).is_err());
}

#[test]
fn legal_modules_have_only_plain_operations() {
    let legal = |text: &str| breach(&format!("func main {{ %9: f32x4 = input v0 {text} }}"), Phase::Legal);
    assert_eq!(legal("%0: f32x4 = member 0 %1: f32x4 = mul %9 %0 yield %1"), None);
    for pica in [
        "f32x4 = uniform c0",
        "i32 = uniform i0.x",
        "bool = uniform b0",
        "f32x4 = minp %9 %9",
        "f32x4 = rsqp %9",
    ] {
        let found = legal(&format!("%0: {pica}")).unwrap_or_default();
        assert_eq!(found, "function main: %0: this operation is for `legalize` to remove", "{pica}");
    }
    for zero in
        ["%0: f32x4 = const 1 -0.0 1 1", "%1: f32x2 = const 1 0 %0: f32x4 = shuffle %9.x %9.y %1.x %1.y"]
    {
        let found = legal(&format!("{zero} %2: f32x4 = mul %9 %0")).unwrap_or_default();
        assert_eq!(found, "function main: %2: %0 has a lane that is a constant zero", "{zero}");
        assert_eq!(legal(&format!("{zero} %2: f32x4 = div %9 %0")), None);
    }
}

/// Returns the fault that the verifier finds in a module after a change to its main function.
fn breach_after(text: &str, change: impl FnOnce(&mut Func)) -> String {
    let mut module = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    change(&mut module.main);
    let error = verify(&module, Phase::Pica).expect_err("broken").to_string();
    error.trim_start_matches("input: function main: ").to_owned()
}

#[test]
fn a_construct_is_used_once() {
    let text = "func main { block { } }";
    let again = |main: &mut Func| {
        let body = main.body.unwrap();
        main.regions[body].items.push(Item::Node(Node(0)));
    };
    assert_eq!(breach_after(text, again), "node0 is used twice");
    let missing = |main: &mut Func| {
        let body = main.body.unwrap();
        main.regions[body].items = vec![Item::Node(Node(7))];
    };
    assert_eq!(breach_after(text, missing), "node7 does not exist");
}

#[test]
fn the_definition_of_a_value_is_consistent() {
    let text = "func main { %0: f32x4 = input v0 block { yield %0 } -> %1: f32x4 yield %0 }";
    let def = |value: u32, def: Def| breach_after(text, move |main| main.values[Value(value)].def = def);
    assert_eq!(def(0, Def::Result), "%0 is evaluated but is Result");
    assert_eq!(def(1, Def::Param), "%1 is listed as Result but is Param");
    let item = |value: u32| {
        breach_after(text, move |main| {
            let body = main.body.unwrap();
            main.regions[body].items[0] = Item::Let(Value(value));
        })
    };
    assert_eq!(item(9), "%9 does not exist");
}

#[test]
fn a_use_of_a_value_that_no_function_has_is_refused() {
    let text = "func main { %0: f32x4 = input v0 %1: f32x4 = neg %0 yield %1 }";
    let neg = |main: &mut Func| main.values[Value(1)].def = Def::Op(Op::Unary(Unary::Neg, Value(5)));
    assert_eq!(breach_after(text, neg), "%1: %5 does not exist");
}

#[test]
fn values_have_one_to_four_lanes() {
    for lanes in [0, 5] {
        let found = breach_after("func main { %0: f32x4 = input v0 %1: f32x4 = neg %0 }", |main| {
            for value in [Value(0), Value(1)] {
                main.values[value].ty = Type::new(ScalarKind::F32, lanes);
            }
            main.values[Value(0)].def = Def::Op(Op::Const([0; 4]));
        });
        assert_eq!(found, format!("%0 has {lanes} lanes"));
    }
}

#[test]
fn a_shuffle_repeats_its_first_lane_beyond_its_type() {
    let shuffle = |main: &mut Func| {
        let lane = |index| Lane::new(Value(0), index);
        main.values[Value(1)].def = Def::Op(Op::Shuffle([lane(2), lane(1), lane(2), lane(0)]));
    };
    let text = "func main { %0: f32x4 = input v0 %1: f32x2 = shuffle %0.x %0.y }";
    assert_eq!(
        breach_after(text, shuffle),
        "%1: %0.x lies beyond the type and does not repeat the first lane"
    );
}
