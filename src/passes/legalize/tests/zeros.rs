//! Zeros that control flow shows: literal lanes, and literals that are hidden.

use expect_test::expect;

use super::{NO_CONSTANTS, check, run_with, symbols};
use crate::ir::text;
use crate::precision::Precision;

#[test]
fn lanes_that_every_path_gives_are_literal() {
    check(
        "func main {
           %0: f32x4 = input v0 %1: bool = uniform b3 %2: f32x2 = const 0 2 %3: f32x2 = shuffle %2.x %0.x
           if %1 { yield %2 } else { yield %3 } -> %4: f32x2
           %5: f32x2 = shuffle %0.x %0.y
           %6: f32x2 = mulp %4 %5
           %7: f32x2 = addp %5 %4
           yield %6 %7 }",
        &expect![[r#"
            func main {
              %0: f32x4 = input v0
              %1: u32 = member 5
              %2: u32 = const 0x0
              %3: bool = uequal %1 %2
              %4: bool = not %3
              %5: f32x2 = const 0.0, 2.0
              %6: f32x2 = shuffle %5.x %0.x
              if %4 {
                yield %5
              } else {
                yield %6
              } -> %7: f32x2
              %8: f32x2 = shuffle %0.x %0.y
              %9: f32 = shuffle %7.y
              %10: f32 = shuffle %8.y
              %11: f32 = call pica_mul(%9, %10)
              %12: f32 = shuffle %8.x
              %13: f32 = call pica_mul_zero(%12)
              %14: f32x2 = shuffle %13.x %11.x
              %15: f32 = shuffle %8.y
              %16: f32 = shuffle %7.y
              %17: f32 = add %15 %16
              %18: f32 = shuffle %8.x
              %19: f32 = call pica_add_zero(%18)
              %20: f32x2 = shuffle %19.x %17.x
              yield %14, %20
            }
        "#]],
    );
}

#[test]
fn an_arm_knows_what_its_condition_chose() {
    check(
        "func main {
           %0: f32x4 = input v0 %1: f32 = shuffle %0.x %2: f32 = shuffle %0.y %3: f32 = const 0
           %4: bool = less %1 %2
           %5: f32 = select %4 %3 %1
           if %4 { %6: f32 = mulp %5 %2 yield %6 } else { %7: f32 = mulp %5 %2 yield %7 } -> %8: f32
           yield %8 }",
        &expect![[r#"
            func main {
              %0: f32x4 = input v0
              %1: f32 = shuffle %0.x
              %2: f32 = shuffle %0.y
              %3: f32 = const 0.0
              %4: bool = less %1 %2
              %5: f32 = select %4 %3 %1
              if %4 {
                %6: f32 = call pica_mul_zero(%2)
                yield %6
              } else {
                %7: f32 = call pica_mul(%5, %2)
                yield %7
              } -> %8: f32
              yield %8
            }
        "#]],
    );
}

#[test]
fn literals_that_could_become_zeros_are_hidden() {
    // A parameter that starts with 0, and one that counts down to it.
    check(
        "func main {
           %0: f32x4 = input v0 %1: bool = uniform b3 %2: f32x2 = const 0 3 %3: f32x2 = const 1 -1
           %4: f32x2 = shuffle %0.x %0.y
           loop (%5: f32x2 = %2) {
             %6: f32x2 = mulp %5 %4
             if %1 { break %6 }
             %7: f32x2 = addp %5 %3
             continue %7
           } -> %8: f32x2
           yield %8 }",
        &expect![[r#"
            func main {
              %0: f32x4 = input v0
              %1: f32 = shuffle %0.x
              %2: u32 = to_bits %1
              %3: i32 = uint_to_int %2
              %4: i32 = const 1
              %5: i32 = iadd %3 %4
              %6: i32 = imul %3 %5
              %7: i32 = iand %6 %4
              %8: u32 = int_to_uint %7
              %9: f32 = from_bits %8
              %10: u32x2 = shuffle %8.x %8.x
              %11: u32x2 = const 0x0, 0x40400000
              %12: u32x2 = bit_or %10 %11
              %13: f32x2 = from_bits %12
              %14: f32x4 = input v0
              %15: u32 = member 5
              %16: u32 = const 0x0
              %17: bool = uequal %15 %16
              %18: bool = not %17
              %19: f32x2 = const 0.0, 3.0
              %20: f32x2 = const 1.0, -1.0
              %21: f32x2 = shuffle %14.x %14.y
              loop (%22: f32x2 = %13) {
                %23: f32x2 = call pica_mul_vec2f(%22, %21)
                if %18 {
                  break %23
                }
                %24: f32x2 = add %22 %20
                continue %24
              } -> %25: f32x2
              yield %25
            }
        "#]],
    );
    // A result one of whose lanes is a literal zero where a specialisation constant says so.
    check(
        "func main {
           %0: f32x4 = input v0 %1: bool = specialized 1 %2: f32x2 = const 0 2
           if %1 { yield %2 } else { %3: f32x2 = shuffle %0.x %0.y yield %3 } -> %4: f32x2
           %5: f32x2 = shuffle %0.x %0.y %6: f32x2 = mulp %4 %5
           yield %6 }",
        &expect![[r#"
            func main {
              %0: f32x4 = input v0
              %1: f32 = shuffle %0.x
              %2: u32 = to_bits %1
              %3: i32 = uint_to_int %2
              %4: i32 = const 1
              %5: i32 = iadd %3 %4
              %6: i32 = imul %3 %5
              %7: i32 = iand %6 %4
              %8: u32 = int_to_uint %7
              %9: f32 = from_bits %8
              %10: f32x2 = shuffle %9.x %9.x
              %11: f32x2 = const 0.0, 2.0
              %12: f32x2 = shuffle %10.x %11.y
              %13: f32x4 = input v0
              %14: bool = specialized 1
              %15: f32x2 = const 0.0, 2.0
              if %14 {
                yield %12
              } else {
                %16: f32x2 = shuffle %13.x %13.y
                yield %16
              } -> %17: f32x2
              %18: f32x2 = shuffle %13.x %13.y
              %19: f32x2 = call pica_mul_vec2f(%17, %18)
              yield %19
            }
        "#]],
    );
}

#[test]
fn a_relative_read_of_literals_hides_its_offset() {
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
    let mut module = text::parse(before).unwrap();
    run_with(&mut module, Precision::Exact, &symbols(), &constants);
    assert!(text::print(&module).contains("= imul "), "{}", text::print(&module));
    let mut module = text::parse(before).unwrap();
    run_with(&mut module, Precision::Exact, &symbols(), &NO_CONSTANTS);
    assert!(!text::print(&module).contains("= imul "), "{}", text::print(&module));
}

#[test]
fn nothing_is_hidden_where_nothing_is_at_risk() {
    for body in [
        // A choice made when the program runs, a loop that starts with another number, one that starts with an input.
        "%2: f32 = const 0 if %1 { yield %2 } else { yield %3 } -> %4: f32 %5: f32 = mulp %3 %4 yield %5",
        "%2: f32 = const 1 loop (%4: f32 = %2) { %5: f32 = mulp %3 %4 if %1 { break %5 } continue %5 } -> %6: f32 yield %6",
        "loop (%4: f32 = %3) { %5: f32 = addp %3 %4 if %1 { break %5 } continue %5 } -> %6: f32 yield %6",
    ] {
        let before = format!(
            "func main {{ %0: f32x4 = input v0 %1: bool = uniform b3 %3: f32 = shuffle %0.x {body} }}"
        );
        let mut module = text::parse(&before).unwrap();
        run_with(&mut module, Precision::Exact, &symbols(), &NO_CONSTANTS);
        assert!(!text::print(&module).contains("= imul "), "{}", text::print(&module));
    }
}

#[test]
fn known_lanes_of_reciprocals_are_computed_here() {
    check(
        "func main {
           %0: f32x4 = input v0 %1: f32x2 = const 2 0 %2: f32x2 = shuffle %1.x %0.y
           %3: f32x2 = rcpp %2
           yield %3 }",
        &expect![[r#"
            func main {
              %0: f32x4 = input v0
              %1: f32x2 = const 2.0, 0.0
              %2: f32x2 = shuffle %1.x %0.y
              %3: f32x2 = const 0.5, 0.0
              %4: f32 = shuffle %2.y
              %5: f32 = call pica_rcp(%4)
              %6: f32x2 = shuffle %3.x %5.x
              yield %6
            }
        "#]],
    );
}
