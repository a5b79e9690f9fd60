use transpica::stages::ir::ScalarKind;
use transpica::{Precision, Result};
use transpica_proof::ir::parse;
use transpica_proof::ir::{InputValues, Lanes, eval, same};

fn registers() -> InputValues {
    let float = |values: [f32; 4]| values.map(f32::to_bits);
    let mut registers =
        InputValues { bools: 0b10, ints: [[3, 5, 7, 9], [0; 4], [0; 4], [0; 4]], ..InputValues::default() };
    registers.inputs[0] = float([1.0, -2.0, 3.5, f32::INFINITY]);
    registers.uniforms = (0u8..96).map(|c| float([f32::from(c); 4])).collect();
    registers.members = vec![vec![float([8.0; 4])], vec![[1, 2, 3, 4], [5, 6, 7, 8]]];
    registers
}

/// The outputs of a body that may name %90 = v0.
fn run(body: &str) -> Result<Vec<Lanes>> {
    let module = parse(&format!(
        "func twice(%0: f32) {{ %1: f32 = addp %0 %0 yield %1 }} func main {{ %90: f32x4 = input v0 {body} }}"
    ));
    eval(&module.unwrap(), Precision::Exact, &registers(), 10_000)
}

fn check(body: &str, expected: [f32; 4]) {
    assert_eq!(run(body).unwrap(), [expected.map(f32::to_bits)], "{body}");
}

#[test]
fn operations_work_lane_by_lane() {
    check("%0: f32x4 = mulp %90 %90 yield %0", [1.0, 4.0, 12.25, f32::INFINITY]);
    check("%0: f32x3 = shuffle %90.z %90.z %90.y yield %0", [3.5, 3.5, -2.0, 0.0]);
    check("%0: f32x2 = shuffle %90.x %90.y %1: f32 = dotp %0 %0 yield %1", [5.0, 0.0, 0.0, 0.0]);
    check(
        "%0: f32x4 = const 0 0 0 0 %1: boolx4 = less %90 %0 %2: f32x4 = select %1 %90 %0 yield %2",
        [0.0, -2.0, 0.0, 0.0],
    );
    check("%0: f32x4 = const 0 0 0 0 %1: f32x4 = mulp %0 %90 yield %1", [0.0, -0.0, 0.0, 0.0]);
}

#[test]
fn uniforms_and_inputs_are_read() {
    assert_eq!(run("%0: i32 = uniform i0.z yield %0").unwrap(), [[7, 0, 0, 0]]);
    assert_eq!(
        run("%0: bool = uniform b1 %1: bool = uniform b0 yield %0 %1").unwrap(),
        [[1, 0, 0, 0], [0; 4]]
    );
    check("%0: f32x4 = uniform c95 yield %0", [95.0; 4]);
    check("%0: i32 = const -3 %1: f32x4 = uniform c5[%0] yield %1", [2.0; 4]);
    check("%0: i32 = const 3 %1: f32x4 = uniform c95[%0] yield %1", [1.0; 4]);
    check("%0: i32 = const 128 %1: f32x4 = uniform c5[%0] yield %1", [5.0; 4]);
    check("%0: f32x4 = member 0 yield %0", [8.0; 4]);
    assert_eq!(run("%0: i32 = const 1 %1: i32x4 = member 1[%0] yield %1").unwrap(), [[5, 6, 7, 8]]);
    assert_eq!(run("%0: u32 = member 1 yield %0").unwrap(), [[1, 0, 0, 0]]);
    assert!(run("%0: f32x4 = member 0[1] yield %0").is_err());
    assert!(run("%0: i32 = const -1 %1: f32x4 = member 0[%0] yield %1").is_err());
}

#[test]
fn loops_exchange_their_parameters_at_once() {
    let fibonacci = "%0: i32 = const 0 %1: i32 = const 1 %2: i32 = const 10
        loop (%3: i32 = %0, %4: i32 = %1, %5: i32 = %2) {
          %6: bool = iequal %5 %0
          if %6 { break %3 }
          %7: i32 = iadd %3 %4
          %8: i32 = isub %5 %1
          continue %4 %7 %8
        } -> %9: i32
        yield %9";
    assert_eq!(run(fibonacci).unwrap(), [[55, 0, 0, 0]]);
}

#[test]
fn exits_reach_their_targets() {
    let case = |selector: i32| {
        let body = format!(
            "%0: i32 = const {selector} %1: i32 = const 10 %2: i32 = const 20 %3: bool = const true
            loop (%4: i32 = %0) {{
              switch %4 {{
                case 1 {{ yield %1 }}
                case 2, 3 {{ if %3 {{ break %2 }} yield %1 }}
                case 4 {{ block {{ if %3 {{ continue %1 }} }} yield %0 }}
                default {{ yield %4 }}
              }} -> %5: i32
              break %5
            }} -> %6: i32
            yield %6"
        );
        run(&body).unwrap()[0][0]
    };
    assert_eq!([0, 1, 2, 3, 4].map(case), [0, 10, 20, 20, 10]);
}

#[test]
fn calls_return_to_their_caller() {
    check("%0: f32 = shuffle %90.z %1: f32 = call 0(%0) yield %1", [7.0, 0.0, 0.0, 0.0]);
}

#[test]
fn the_budget_ends_endless_loops() {
    let error = run("loop { continue } unreachable").unwrap_err();
    assert_eq!(error.kind, transpica::stages::error::Kind::StepBudget(10_000));
}

#[test]
fn the_evaluator_refuses_invalid_modules() {
    assert!(run("yield %5").is_err());
}

#[test]
fn all_nans_are_the_same() {
    assert!(same(ScalarKind::F32, [0x7FC0_0000, 1, 0, 0], [0xFFC0_0001, 1, 0, 0]));
    assert!(!same(ScalarKind::U32, [0x7FC0_0000, 1, 0, 0], [0xFFC0_0001, 1, 0, 0]));
    assert!(!same(ScalarKind::F32, [0, 0, 0, 0], [0x8000_0000, 0, 0, 0]));
}
