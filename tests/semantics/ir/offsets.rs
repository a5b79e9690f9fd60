//! Indices of relative reads, found and compared with all that programs may read.

use transpica::Precision;
use transpica::isa::sizes::FLOATS;
use transpica::settings::Arithmetic;
use transpica::stages::entity::Handle;
use transpica::stages::ir::{FloatConstants, Value};
use transpica::stages::passes::analyze::offsets::{Offset, run};
use transpica::stages::precision::arith::uniform_index;
use transpica_proof::ir::{Evaluator, InputValues, Lanes, parse};

/// All registers that a relative read may reach.
const ALL: u128 = u128::MAX;

/// Folded: c90 = (3, -2, 20, NaN).
fn constants() -> FloatConstants {
    let mut constants = [None; FLOATS];
    constants[90] = Some([3.0, -2.0, 20.0, f32::NAN].map(f32::to_bits));
    constants
}

/// The offset of the only relative read of a function, in each precision.
fn offsets(body: &str) -> [Offset; 3] {
    let module = parse(&format!("func main {{ %0: f32x4 = input v0 {body} }}")).unwrap();
    [Precision::Exact, Precision::Fast, Precision::F24].map(|precision| {
        let found = run(&module.main, &Arithmetic { precision, ..Arithmetic::default() }, &constants());
        assert_eq!(found.len(), 1, "{body}");
        found[0]
    })
}

/// Mask of these indices.
fn indices(first: u32, last: u32) -> u128 {
    ALL << first & ALL >> (127 - last)
}

/// Checks the first and last index in all precisions.
#[track_caller]
fn check(body: &str, first: u32, last: u32) {
    for offset in offsets(body) {
        assert_eq!(offset.indices(), indices(first, last), "{body}: {offset:?}");
    }
}

#[test]
fn a_mova_of_an_unknown_number_may_read_anything() {
    let body = "%1: f32 = shuffle %0.x %2: i32 = addressp %1 %3: f32x4 = uniform c8[%2] yield %3";
    check(body, 0, 127);
    assert!(offsets(body).iter().all(|offset| offset.is_byte() && offset.wraps()));
    let int = "%2: i32 = uniform i0.y %3: f32x4 = uniform c8[%2] yield %3";
    // Up to 127, which wraps.
    check(int, 0, 127);
    assert!(offsets(int).iter().all(|offset| !offset.is_byte()));
}

#[test]
fn clamps_narrow() {
    let clamped = |clamp: &str| {
        format!(
            "%1: f32x4 = uniform c90 %2: f32 = shuffle %0.x %3: f32 = shuffle %1.x %4: f32 = shuffle %1.y
             %5: f32 = shuffle %1.z {clamp} %9: i32 = addressp %8 %10: f32x4 = uniform c8[%9] yield %10"
        )
    };
    // min(max(x, 3), 20), then with NaN possible.
    for clamp in ["%6: f32 = maxp %2 %3 %8: f32 = minp %6 %5", "%6: f32 = minp %2 %5 %8: f32 = maxp %3 %6"] {
        // In `fast` a driver may keep the NaN, whose offset is 0.
        let found = offsets(&clamped(clamp)).map(|offset| offset.indices());
        assert_eq!(found, [indices(11, 28), indices(8, 28), indices(11, 28)], "{clamp}");
    }
    check(&clamped("%6: f32 = maxp %3 %2 %8: f32 = minp %5 %6"), 8, 28);
    check(&clamped("%6: f32 = maxp %4 %2 %7: f32 = minp %6 %5 %8: f32 = floor %7"), 6, 28);
    check(&clamped("%6: f32 = maxp %2 %4 %7: f32 = minp %6 %5 %8: f32 = neg %7"), 0, 127);
    check(&clamped("%6: f32 = sgep %2 %4 %8: f32 = maxp %6 %4"), 8, 9);
    // One end is open: numbers above 127 count as 0.
    check(&clamped("%8: f32 = maxp %2 %3"), 0, 127);
    // A constant, truncated.
    check(&clamped("%8: f32 = const 1.75"), 9, 9);
}

#[test]
fn products_and_sums_narrow_where_their_order_is_fixed() {
    let body = "%1: f32x4 = uniform c90 %2: f32 = shuffle %0.x %3: f32 = shuffle %1.x %4: f32 = shuffle %1.z
         %5: f32 = const 0 %6: f32 = maxp %2 %5 %7: f32 = minp %6 %4 %8: f32 = mulp %3 %7 %9: f32 = addp %8 %3
         %10: i32 = addressp %9 %11: f32x4 = uniform c8[%10] yield %11";
    let [exact, fast, float24] = offsets(body).map(|offset| offset.indices());
    assert_eq!((exact, float24), (indices(11, 71), indices(11, 71)));
    assert_eq!(fast, ALL);
}

/// A loop with a counter from `x`, an index from `y` and a step.
fn counted(x: &str, y: &str, step: &str, base: u32) -> String {
    format!(
        "%1: i32 = {x} %2: i32 = {y} %3: i32 = {step} %4: i32 = const 0 %5: i32 = const 1
         loop (%6: i32 = %2, %7: i32 = %1, %8: f32x4 = %0) {{
           %9: f32x4 = uniform c{base}[%6] %10: f32x4 = addp %9 %8
           %11: bool = igreater %7 %4
           if %11 {{ }} else {{ break %10 }}
           %12: i32 = iadd %6 %3 %13: i32 = isub %7 %5
           continue %12 %13 %10
         }} -> %14: f32x4 yield %14"
    )
}

#[test]
fn loops_of_constant_length_narrow() {
    check(&counted("const 3", "const 0", "const 1", 8), 8, 11);
    check(&counted("const 0", "const 5", "const 1", 8), 13, 13);
    check(&counted("const 7", "const 2", "const 10", 8), 10, 80);
    check(&counted("const 40", "const 0", "const 1", 80), 80, 120);
    check(&counted("const 3", "const 2", "const -1", 8), 7, 10);
    // Until the offset is not a signed byte.
    check(&counted("const 255", "const 0", "const 1", 0), 0, 127);
    check(&counted("uniform i0.x", "const 0", "const 1", 8), 0, 127);
    check(&counted("const 3", "uniform i0.y", "const 1", 8), 0, 127);
}

#[test]
fn offsets_outside_of_a_byte_count_as_0() {
    // 5, 105, 205, 305; 200, 300; -200, -100, 0.
    check(&counted("const 3", "const 5", "const 100", 0), 0, 127);
    check(&counted("const 1", "const 200", "const 100", 8), 8, 8);
    check(&counted("const 2", "const -200", "const 100", 8), 0, 127);
    let clamped = |first: u32, last: u32, base: u32| {
        format!(
            "%1: f32 = shuffle %0.x %2: f32 = const {first} %3: f32 = const {last} %4: f32 = maxp %1 %2
             %5: f32 = minp %3 %4 %6: i32 = addressp %5 %7: f32x4 = uniform c{base}[%6] yield %7"
        )
    };
    // Those numbers from 5 to 300 that are above 127 read c0.
    let found = offsets(&clamped(5, 300, 0)).map(|offset| offset.indices());
    assert_eq!(found, [ALL; 3]);
    let found = offsets(&clamped(200, 300, 8)).map(|offset| offset.indices());
    assert_eq!(found, [indices(8, 8); 3]);
}

#[test]
fn other_loops_do_not() {
    let tested = counted("const 3", "const 0", "const 1", 8);
    for (from, to) in [
        // Another test, none before the next iteration, a counter that does not fall.
        ("igreater %7 %4", "igreater %6 %4"),
        ("if %11 { } else { break %10 }", "if %11 { break %10 } else { }"),
        ("isub %7 %5", "isub %7 %4"),
        ("iadd %6 %3", "iadd %6 %7"),
        ("iadd %6 %3", "iand %6 %3"),
    ] {
        let other = tested.replace(from, to);
        assert_ne!(other, tested, "{from}");
        for offset in offsets(&other) {
            assert!(offset.indices() & !indices(8, 14) != 0, "{other}: {offset:?}");
        }
    }
}

/// An inner loop whose index starts where that of the outer one left it.
#[test]
fn a_loop_in_a_loop_counts_all_iterations_or_none() {
    let body = "%1: i32 = const 3 %2: i32 = const 0 %3: i32 = const 1
         loop (%4: i32 = %2, %5: i32 = %1) {
           loop (%6: i32 = %4, %7: i32 = %1) {
             %8: f32x4 = uniform c8[%6]
             %9: bool = igreater %7 %2
             if %9 { } else { break %6 }
             %10: i32 = iadd %6 %3 %11: i32 = isub %7 %3
             continue %10 %11
           } -> %12: i32
           %13: bool = igreater %5 %2
           if %13 { } else { break %12 }
           %14: i32 = isub %5 %3
           continue %12 %14
         } -> %15: i32
         yield %0";
    check(body, 0, 127);
}

#[test]
fn results_and_choices_are_what_their_sources_are() {
    let body = "%1: bool = uniform b0 %2: i32 = const 2 %3: i32 = const 5
         if %1 { yield %2 } else { yield %3 } -> %4: i32
         loop (%5: i32 = %4) { if %1 { break %5 } continue %5 } -> %6: i32
         %7: i32 = const 9 %8: i32 = select %1 %6 %7 %9: f32x4 = uniform c1[%8] yield %9";
    check(body, 3, 10);
}

#[test]
fn a_read_that_is_never_reached_may_be_of_any_register() {
    let body = "%1: bool = uniform b0
         loop () { if %1 { continue } else { continue } -> %2: i32 %3: f32x4 = uniform c1[%2] continue } -> %4: f32x4
         yield %4";
    check(body, 0, 127);
}

#[test]
fn offsets_hold_every_index_of_clamped_numbers() {
    let numbers = (-600..=600).map(|quarter| quarter as f32 / 4.0);
    let special = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, 1e-40, 0.999_999_94, 1e30];
    let numbers: Vec<f32> = numbers.chain(special).collect();
    let steps = ["neg %6", "floor %6", "addp %6 %5", "mulp %6 %5", "mulp %6 %6", "minp %6 %5", "maxp %5 %6"];
    for (low, high) in [(-3, 2), (0, 0), (-200, 5), (5, 90), (120, 140), (-128, 127)] {
        for (number, step) in (-2..5).zip(steps) {
            let body = format!(
                "%1: f32 = shuffle %0.x %2: f32 = const {low} %3: f32 = const {high} %4: f32 = maxp %2 %1
                 %5: f32 = const {number}.5 %6: f32 = minp %3 %4 %7: f32 = {step} %8: i32 = addressp %7
                 %9: f32x4 = uniform c40[%8] yield %9"
            );
            let module = parse(&format!("func main {{ %0: f32x4 = input v0 {body} }}")).unwrap();
            let evaluator = Evaluator::new(&module).unwrap();
            for (precision, offset) in
                [Precision::Exact, Precision::Fast, Precision::F24].into_iter().zip(offsets(&body))
            {
                for &number in &numbers {
                    let mut environment =
                        InputValues { uniforms: vec![[0; 4]; FLOATS], ..InputValues::default() };
                    environment.inputs[0] = [number.to_bits(); 4];
                    let mut found = None;
                    let mut observe = |value: Value, lanes: Lanes| {
                        if value.index() == 8 {
                            found = Some(lanes[0].cast_signed());
                        }
                    };
                    evaluator.run_observed(precision, &environment, 100, &mut observe).unwrap();
                    let index = uniform_index(40, found.expect("the offset"));
                    assert!(
                        offset.indices() >> index & 1 != 0,
                        "{precision:?} {body}: c{index} for {number}"
                    );
                }
            }
        }
    }
}
