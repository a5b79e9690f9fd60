//! Literals that are hidden, by what is read and chosen; the texts of legal functions are in
//! `tests/cases/ir`.

use super::legalize::{NO_CONSTANTS, run_with, symbols};
use transpica::Precision;
use transpica::host::RegisterLayout;
use transpica::host::layout::registers;
use transpica::stages::ir::text;
use transpica_proof::ir::parse;

#[test]
fn a_relative_read_takes_literals_from_the_block() {
    let mut constants = NO_CONSTANTS;
    constants[10] = Some([0x3F80_0000, 0, 0, 0x3F80_0000]);
    let before = "func main {
           %0: f32x4 = input v0 %1: bool = uniform b3 %2: i32 = const 0 %3: i32 = const 1
           loop (%4: i32 = %2, %5: f32x4 = %0) {
             %6: f32x4 = uniform c10[%4] %7: f32x4 = mulp %6 %5
             if %1 { break %7 }
             %8: i32 = iadd %4 %3
             continue %8 %7
           } -> %9: f32x4
           yield %9 }";
    let mut module = parse(before).unwrap();
    run_with(&mut module, Precision::Exact, &registers(&RegisterLayout::REGISTERS), &constants);
    assert!(!text::print(&module).contains("= imul "), "{}", text::print(&module));
}

/// Returns whether the legal form of a function computes a zero that it hides.
fn hides(body: &str) -> bool {
    let before = format!(
        "func main {{ %0: f32x4 = input v0 %1: bool = uniform b3 %2: f32 = const 0 %3: f32 = shuffle %0.x {body} }}"
    );
    let mut module = parse(&before).unwrap();
    run_with(&mut module, Precision::Exact, &symbols(), &NO_CONSTANTS);
    text::print(&module).contains("= imul ")
}

#[test]
fn constants_are_hidden_where_a_driver_may_find_them() {
    for body in [
        "if %1 { yield %2 } else { yield %2 } -> %4: f32 %5: f32 = mulp %3 %4 yield %5",
        "if %1 { yield %2 } else { yield %3 } -> %4: f32 if %1 { %5: f32 = mulp %3 %4 yield %5 } else { yield %3 } -> %6: f32 yield %6",
        "%4: f32 = select %1 %2 %3 block { if %1 { %5: f32 = mulp %3 %4 break %5 } yield %3 } -> %6: f32 yield %6",
        "loop (%4: f32 = %2) { %5: f32 = addp %3 %4 if %1 { break %5 } continue %5 } -> %6: f32 yield %6",
        "loop (%4: f32 = %3) { %5: f32 = addp %3 %4 if %1 { break %5 } continue %2 } -> %6: f32 yield %6",
        "%7: bool = less %3 %2 block { if %7 { %4: f32 = maxp %3 %2 break %4 } yield %3 } -> %5: f32 yield %5",
        "%7: bool = greater %2 %3 block { if %7 { %4: f32 = sgep %3 %2 break %4 } yield %3 } -> %5: f32 yield %5",
        "%4: bool = specialized 1 %5: f32 = select %4 %2 %3 %6: f32 = mulp %3 %5 yield %6",
    ] {
        assert!(hides(body), "{body}");
    }
}

#[test]
fn constants_that_no_driver_finds_are_not_hidden() {
    for body in [
        "loop (%4: f32 = %3) { %5: f32 = addp %3 %4 if %1 { break %5 } continue %5 } -> %6: f32 yield %6",
        // Decisions made when the program runs.
        "if %1 { yield %2 } else { yield %3 } -> %4: f32 %5: f32 = mulp %3 %4 yield %5",
        "block { if %1 { %4: f32 = maxp %3 %2 break %4 } yield %3 } -> %5: f32 yield %5",
        // A function without constructs, and outputs.
        "%4: f32 = maxp %3 %2 %5: f32 = select %1 %2 %4 %6: f32 = sgep %5 %2 yield %6",
        "if %1 { yield %3 } else { yield %3 } -> %4: f32 yield %2",
    ] {
        assert!(!hides(body), "{body}");
    }
}
