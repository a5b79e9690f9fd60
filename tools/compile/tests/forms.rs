//! Forms of the intermediate form, as evaluated and as written.

use transpica::isa::{Mask, Pc, Uniforms};
use transpica::{Options, Precision, Program, Stage};
use transpica_compile::emit::{Emitted, Error, Surroundings, emit};
use transpica_draw::batch::Batch;
use transpica_proof::generate;
use transpica_proof::ir::{InputValues, eval, parse};

const ALL: u128 = (1 << 96) - 1;

/// Writes a function that yields vectors for o0, o1 and so on.
fn emitted(text: &str, masks: &[Mask], free: u128) -> Result<Emitted, Error> {
    emitted_as(true, text, masks, free)
}

fn emitted_as(is_exact: bool, text: &str, masks: &[Mask], free: u128) -> Result<Emitted, Error> {
    let module = parse(text).expect("a module");
    let outputs = (0..).zip(masks.iter().copied()).collect();
    emit(
        &module,
        &Surroundings { outputs, carried: Vec::new(), free, present: Vec::new(), shares: true, is_exact },
    )
}

/// Checks that what is written computes what the function says. Returns its text.
fn check(text: &str, masks: &[Mask]) -> String {
    let module = parse(text).expect("a module");
    // The first registers are the host's.
    let Emitted { text: written, code, constants, .. } =
        emitted(text, masks, ALL & !0xFFFF).expect("written");
    let descriptors: Vec<u32> = code.descriptors.iter().map(|record| record.bits).collect();
    let entry = Pc(u16::try_from(code.executables[0].header.main).expect("small"));
    let program =
        Program::from_raw(&code.code[..], &descriptors[..], entry, Stage::Vertex).expect("a program");
    let mut batch = Batch::new(&program, Options::default().settings(100_000)).expect("a vertex program");
    for seed in 0..12 {
        let is_special = seed % 2 == 1;
        let inputs = if is_special { generate::special_inputs(seed, 64) } else { generate::inputs(seed, 64) };
        let mut uniforms: Uniforms =
            if is_special { generate::special_uniforms(seed) } else { generate::uniforms(seed) };
        for &(register, value) in &constants {
            uniforms.floats[usize::from(register)] = value.map(f32::from_bits);
        }
        batch.set_uniforms(&uniforms);
        let mut outputs = vec![[[0.0; 4]; 16]; inputs.len()];
        batch.run_all(&inputs, &mut outputs).expect("it ends");
        for (input, output) in inputs.iter().zip(&outputs) {
            let values = InputValues {
                inputs: input.map(|register| register.map(f32::to_bits)),
                uniforms: uniforms.floats.iter().map(|register| register.map(f32::to_bits)).collect(),
                ints: uniforms.ints,
                bools: uniforms.bools,
                ..InputValues::default()
            };
            let expected = eval(&module, Precision::Exact, &values, 100_000).expect("it ends");
            for (register, (lanes, mask)) in expected.iter().zip(masks).enumerate() {
                for (lane, component) in lanes.iter().zip(mask.iter()) {
                    let (a, b) = (f32::from_bits(*lane), output[register][component as usize]);
                    let is_same = a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
                    assert!(is_same, "seed {seed}, o{register}.{component:?}: {a:?} became {b:?}\n{written}");
                }
            }
        }
    }
    written
}

#[test]
fn a_choice_becomes_two_parts_of_one_if() {
    let text = check(
        "func main { %0: f32x4 = input v0 %1: f32x4 = uniform c1 %2: f32 = shuffle %0.x %3: f32 = shuffle %1.y
         %4: bool = less %2 %3 %5: boolx2 = shuffle %4.x %4.x %6: f32x2 = shuffle %0.y %0.z %7: f32x2 = shuffle %1.z %1.w
         %8: f32x2 = select %5 %6 %7 yield %8 }",
        &[Mask(3)],
    );
    assert_eq!(text.matches("ifc").count(), 1, "{text}");
}

#[test]
fn every_choice_follows_its_own_lane() {
    let text = check(
        "func main { %0: f32x4 = input v0 %1: f32x4 = uniform c1 %2: boolx4 = less_equal %0 %1
         %3: f32x4 = select %2 %0 %1 yield %3 }",
        &[Mask::XYZW],
    );
    assert_eq!(text.matches("ifc").count(), 4, "{text}");
}

#[test]
fn functions_of_vectors_take_an_instruction_for_each_lane() {
    let text = check(
        "func main { %0: f32x4 = input v0 %1: f32x3 = shuffle %0.x %0.y %0.w %2: f32x3 = rsqp %1 yield %2 }",
        &[Mask(7)],
    );
    assert_eq!(text.matches("rsq").count(), 3, "{text}");
}

#[test]
fn products_of_two_lanes_are_summed_in_order() {
    let text = check(
        "func main { %0: f32x4 = input v0 %1: f32x4 = uniform c3 %2: f32x2 = shuffle %0.x %0.y
         %3: f32x2 = shuffle %1.z %1.w %4: f32 = dotp %2 %3 yield %4 }",
        &[Mask(1)],
    );
    assert!(text.contains("mul") && text.contains("mad"), "{text}");
}

#[test]
fn negated_lanes_beside_others_are_copied() {
    check(
        "func main { %0: f32x4 = input v0 %1: f32x4 = uniform c3 %2: f32x4 = mulp %0 %1 %3: f32x4 = neg %2
         %4: f32x4 = shuffle %2.x %3.y %2.z %3.x %5: f32 = dotp %4 %1 yield %5 }",
        &[Mask(1)],
    );
}

#[test]
fn truth_that_control_flow_chooses_is_a_number() {
    check(
        "func main { %0: f32x4 = input v0 %1: f32x4 = uniform c1 %2: f32 = shuffle %0.x %3: f32 = shuffle %1.y
         %4: bool = less %2 %3 %5: f32 = shuffle %0.z %6: bool = equal %5 %3 %10: bool = uniform b3
         if %4 { yield %6 } else { yield %10 } -> %7: bool
         %8: bool = or %7 %10 if %8 { yield %0 } else { yield %1 } -> %9: f32x4 yield %9 }",
        &[Mask::XYZW],
    );
}

#[test]
fn comparisons_of_one_instruction_share_it() {
    let text = check(
        "func main { %0: f32x4 = input v0 %1: f32x4 = uniform c1 %2: f32 = shuffle %0.x %3: f32 = shuffle %1.y
         %4: bool = less %2 %3 %5: f32 = shuffle %0.z %6: bool = greater_equal %3 %5 %7: bool = not %6
         %8: bool = and %4 %7 if %8 { yield %0 } else { yield %1 } -> %9: f32x4 yield %9 }",
        &[Mask::XYZW],
    );
    assert_eq!(text.matches("cmp c").count() + text.matches("cmp v").count(), 1, "{text}");
}

#[test]
fn a_block_that_is_left_early_becomes_branches() {
    let text = check(
        "func main { %0: f32x4 = input v0 %1: f32x4 = uniform c1 %2: bool = uniform b1 %3: bool = uniform b2
         block {
           if %2 { %4: f32x4 = addp %0 %1 break %4 }
           %5: f32x4 = mulp %0 %1
           if %3 { break %5 }
           %6: f32x4 = maxp %1 %5
           yield %6
         } -> %7: f32x4
         yield %7 }",
        &[Mask::XYZW],
    );
    assert!(!text.contains("cmp"), "{text}");
}

#[test]
fn a_block_that_is_left_from_deep_inside_tests_a_flag() {
    let text = check(
        "func main { %0: f32x4 = input v0 %1: f32x4 = uniform c1 %2: bool = uniform b1 %3: bool = uniform b2
         %20: bool = uniform b4
         block {
           if %2 { if %3 { %4: f32x4 = addp %0 %1 break %4 } yield %0 }
           else { if %20 { %5: f32x4 = mulp %0 %1 break %5 } yield %1 } -> %6: f32x4
           %7: f32x4 = mulp %6 %6 %8: f32x4 = addp %7 %6 %9: f32x4 = mulp %8 %6 %10: f32x4 = addp %9 %8
           %11: f32x4 = mulp %10 %9 %12: f32x4 = maxp %11 %10
           yield %12
         } -> %13: f32x4
         yield %13 }",
        &[Mask::XYZW],
    );
    assert_eq!(text.matches("cmp ").count(), 1, "{text}");
}

/// A loop that i1 counts, with more at the end of its body.
fn counted(more: &str) -> String {
    format!(
        "func main {{ %0: f32x4 = input v0 %1: i32 = const 0 %2: i32 = const 1 %3: i32 = uniform i1.x %4: i32 = uniform i1.y
         %5: i32 = uniform i1.z
         loop (%6: f32x4 = %0, %7: i32 = %4, %8: i32 = %3) {{
           %9: f32x4 = uniform c4[%7] %10: f32x4 = addp %9 %6 {more}
           %11: i32 = iadd %7 %5 %12: bool = igreater %8 %1
           if %12 {{}} else {{ break %10 }}
           %13: i32 = isub %8 %2 continue %10, %11, %13
         }} -> %14: f32x4
         yield %14 }}"
    )
}

#[test]
fn a_counted_loop_reads_by_its_counter() {
    let text = check(&counted(""), &[Mask::XYZW]);
    assert_eq!(
        text,
        ".proc main\n\tmov r0, v0\n\tfor i1\n\t\tadd r0, c4[aL], r0\n\t.end\n\tmov o0, r0\n\tend\n.end\n"
    );
}

#[test]
fn a_loop_is_left_where_a_test_says_so() {
    let text = check(
        &counted(
            "%20: f32 = shuffle %10.x %21: f32 = shuffle %0.y %22: bool = less %21 %20 if %22 { break %6 }",
        ),
        &[Mask::XYZW],
    );
    assert!(text.contains("breakc"), "{text}");
}

#[test]
fn a_bool_that_leaves_a_loop_becomes_flags() {
    let text = check(&counted("%20: bool = uniform b3 if %20 { break %6 }"), &[Mask::XYZW]);
    assert!(text.contains("breakc") && text.contains("ifu b3"), "{text}");
    let text = check(&counted("%20: bool = uniform b3 if %20 {} else { break %6 }"), &[Mask::XYZW]);
    assert!(text.contains("breakc"), "{text}");
}

#[test]
fn a_loop_without_a_count_jumps_back() {
    let text = check(
        "func main { %0: f32x4 = input v0 %1: f32x4 = const 0.5 0.5 0.5 0.5 %2: f32 = const 4.0 %3: f32x4 = const 64.0 9.0 8.0 7.0
         loop (%4: f32x4 = %3) {
           %5: f32x4 = mulp %4 %1 %6: f32 = shuffle %5.x %7: bool = less %2 %6
           if %7 {} else { break %5 }
           continue %5
         } -> %8: f32x4
         %9: f32x4 = addp %8 %0 yield %9 }",
        &[Mask::XYZW],
    );
    assert!(text.contains("jmpc"), "{text}");
}

#[test]
fn an_address_that_control_flow_chooses_is_converted_after_it() {
    check(
        "func main { %0: f32x4 = input v0 %1: bool = uniform b1 %2: f32 = shuffle %0.x %3: f32 = shuffle %0.y
         %4: i32 = addressp %2 %5: i32 = addressp %3
         if %1 { yield %4 } else { yield %5 } -> %6: i32
         %7: f32x4 = uniform c20[%6] yield %7 }",
        &[Mask::XYZW],
    );
}

#[test]
fn a_choice_between_truth_values_is_a_number() {
    check(
        "func main { %0: f32x4 = input v0 %1: f32x4 = uniform c1 %2: f32 = shuffle %0.x %3: f32 = shuffle %1.y
         %4: bool = less %2 %3 %5: f32 = shuffle %0.z %6: bool = equal %5 %3 %7: bool = uniform b3
         %8: bool = select %4 %6 %7 %9: bool = not %8 %10: bool = select %6 %9 %4 %11: bool = and %8 %10
         if %11 { yield %0 } else { yield %1 } -> %12: f32x4 %13: f32x4 = shuffle %1.x %1.x %1.x %1.x
         %14: boolx4 = shuffle %8.x %10.x %9.x %8.x %15: f32x4 = select %14 %12 %13 yield %15 }",
        &[Mask::XYZW],
    );
}

#[test]
fn a_choice_between_two_addresses_reads_each_by_its_own() {
    check(
        "func main { %0: f32x4 = input v0 %1: f32x4 = uniform c1 %2: f32 = shuffle %0.x %3: f32 = shuffle %0.y
         %4: i32 = addressp %2 %5: i32 = addressp %3 %6: f32x4 = uniform c20[%4] %7: f32x4 = uniform c20[%5]
         %8: f32 = shuffle %0.z %9: f32 = shuffle %1.y %10: bool = less %8 %9
         %11: boolx4 = shuffle %10.x %10.x %10.x %10.x %12: f32x4 = select %11 %6 %7 yield %12 }",
        &[Mask::XYZW],
    );
}

#[test]
fn parts_that_one_test_decides_share_an_if() {
    let program = |test: &str| {
        let text = format!(
            "func main {{ %0: f32x4 = input v0 %1: f32x4 = uniform c1 %2: f32 = shuffle %0.x %3: f32 = shuffle %1.y
             %4: bool = less %2 %3
             if %4 {{ %5: f32x4 = addp %1 %0 yield %5 }} else {{ yield %0 }} -> %6: f32x4
             %7: bool = not %4
             if %{test} {{ %8: f32x4 = mulp %1 %6 yield %8 }} else {{ yield %6 }} -> %9: f32x4
             yield %9 }}"
        );
        let text = check(&text, &[Mask::XYZW]);
        ["cmp ", "ifc ", ".else"].map(|word| text.matches(word).count())
    };
    assert_eq!(program("4"), [1, 1, 1]);
    assert_eq!(program("7"), [1, 1, 1]);
    // Another comparison in a part changes the flags; the last test finds them so.
    let text = check(
        "func main { %0: f32x4 = input v0 %1: f32x4 = uniform c1 %2: f32 = shuffle %0.x %3: f32 = shuffle %1.y
         %4: bool = less %2 %3 %20: f32 = shuffle %0.z %21: bool = less %20 %3
         if %4 { %5: f32x4 = addp %1 %0 if %21 { %6: f32x4 = mulp %0 %5 yield %6 } else { yield %5 } -> %7: f32x4 yield %7 }
         else { if %21 { %8: f32x4 = maxp %1 %0 yield %8 } else { yield %0 } -> %9: f32x4 yield %9 } -> %10: f32x4
         if %21 { %11: f32x4 = mulp %1 %10 yield %11 } else { yield %10 } -> %12: f32x4
         yield %12 }",
        &[Mask::XYZW],
    );
    assert_eq!(["cmp ", "ifc "].map(|word| text.matches(word).count()), [3, 4], "{text}");
}

#[test]
fn lanes_that_both_parts_share_need_no_copies() {
    let text = check(
        "func main { %0: f32x4 = input v0 %1: f32x4 = uniform c1 %2: bool = uniform b1 %3: f32x4 = mulp %1 %0
         %10: f32 = shuffle %3.x %11: f32 = shuffle %3.y %12: f32 = shuffle %3.z
         if %2 { %4: f32 = addp %10 %11 %5: f32x4 = shuffle %4.x %3.y %3.z %3.w yield %5 }
         else { %6: f32 = maxp %10 %12 %7: f32x4 = shuffle %6.x %3.y %3.z %3.w yield %7 } -> %8: f32x4
         yield %8 }",
        &[Mask::XYZW],
    );
    assert!(!text.contains("mov r") && text.contains("mov o0.yzw"), "{text}");
}

#[test]
fn a_result_and_a_parameter_of_a_loop_share_a_register() {
    let text = check(
        "func main { %0: f32x4 = input v0 %1: i32 = const 0 %2: i32 = const 1 %3: i32 = uniform i1.x
         %4: i32 = uniform i1.y %5: i32 = uniform i1.z %30: f32 = shuffle %0.y
         loop (%6: f32x4 = %0, %7: i32 = %4, %8: i32 = %3) {
           %9: f32x4 = uniform c4[%7] %20: f32 = shuffle %9.x %22: bool = less %20 %30 if %22 { break %6 }
           %11: i32 = iadd %7 %5 %12: bool = igreater %8 %1
           if %12 {} else { break %9 }
           %13: i32 = isub %8 %2 continue %9, %11, %13
         } -> %14: f32x4
         yield %14 }",
        &[Mask::XYZW],
    );
    assert_eq!(text.matches("mov r").count(), 2, "{text}");
}

#[test]
fn two_addresses_are_kept_at_once() {
    let text = check(
        "func main { %0: f32x4 = input v0 %2: f32 = shuffle %0.x %3: f32 = shuffle %0.y
         %4: i32 = addressp %2 %5: i32 = addressp %3 %6: f32x4 = uniform c20[%4] %7: f32x4 = uniform c20[%5]
         %8: f32x4 = maxp %6 %0 %9: f32x4 = maxp %7 %8 %10: f32x4 = uniform c40[%4] %11: f32x4 = maxp %10 %9
         %12: f32x4 = uniform c40[%5] %13: f32x4 = maxp %12 %11 yield %13 }",
        &[Mask::XYZW],
    );
    assert_eq!([text.matches("mova").count(), text.matches("[a0.y]").count()], [2, 2], "{text}");
}

#[test]
fn a_copy_for_two_products_lets_them_become_one_sum() {
    let text = check(
        "func main { %12: f32x4 = input v1 %13: f32x4 = input v2 %14: f32x3 = shuffle %12.y %12.z %12.x
         %15: f32x3 = shuffle %13.z %13.x %13.y %16: f32x3 = mulp %14 %15 %17: f32x3 = shuffle %12.z %12.x %12.y
         %18: f32x3 = neg %17 %19: f32x3 = shuffle %13.y %13.z %13.x %20: f32x3 = mulp %18 %19
         %21: f32x3 = addp %20 %16 yield %21 }",
        &[Mask(7)],
    );
    assert_eq!([text.matches("mad").count(), text.matches("add").count()], [1, 0], "{text}");
}

#[test]
fn signs_of_zeros_and_nan_decide_only_where_they_are_kept() {
    let program = "func main { %0: f32x4 = input v0 %1: f32x4 = uniform c1 %2: f32x4 = mulp %1 %0
        %3: f32x4 = neg %2 %4: f32x4 = addp %0 %3 %5: f32x4 = const 2.0 2.0 2.0 2.0 %6: f32x4 = maxp %4 %5 yield %6 }";
    let text = |is_exact| emitted_as(is_exact, program, &[Mask::XYZW], ALL & !0xFFFF).expect("written").text;
    assert_eq!(text(false), ".proc main\n\tmad r0, v0, -c1, v0\n\tmax o0, c95.x, r0\n\tend\n.end\n");
    let exact = check(program, &[Mask::XYZW]);
    assert!(exact == text(true) && !exact.contains("mad") && exact.contains("mov"), "{exact}");
}

#[test]
fn constants_share_registers_until_none_is_free() {
    let sum = |count: usize| {
        let mut text = "func main { %0: f32x4 = input v0 %1: f32 = shuffle %0.x".to_owned();
        for n in 0..count {
            let last = if n == 0 { 1 } else { 100 + n - 1 };
            text += &format!(
                " %{}: f32 = const {}.5 %{}: f32 = addp %{last} %{}",
                200 + n,
                n + 2,
                100 + n,
                200 + n
            );
        }
        text + &format!(" yield %{} }}", 100 + count - 1)
    };
    let eight = emitted(&sum(8), &[Mask(1)], 0b11 << 40).expect("two registers");
    assert_eq!(eight.constants.iter().map(|constant| constant.0).collect::<Vec<_>>(), [41, 40]);
    let error = emitted(&sum(9), &[Mask(1)], 0b11 << 40).expect_err("three registers");
    let message = "3 registers for constants are needed, and there are 2: 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5 and 1 more";
    assert_eq!(error.to_string(), message);
    let error = emitted(&sum(8), &[Mask(1)], 1 << 40).expect_err("two registers");
    assert!(error.to_string().ends_with(": 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5"), "{error}");
}

#[test]
fn every_component_of_every_temporary_can_be_taken() {
    // Each product is needed after all the others.
    let program = |count: usize| {
        let mut text = "func main { %0: f32x4 = input v0".to_owned();
        (0..count).for_each(|n| {
            text += &format!(" %{}: f32x4 = uniform c{n} %{}: f32 = dotp %0 %{}", 100 + n, 200 + n, 100 + n)
        });
        for n in (0..count - 1).rev() {
            let last = if n == count - 2 { 200 + n + 1 } else { 300 + n + 1 };
            text += &format!(" %{}: f32 = maxp %{} %{last}", 300 + n, 200 + n);
        }
        text + " yield %300 }"
    };
    assert!(emitted(&program(64), &[Mask(1)], 0).is_ok());
    let error = emitted(&program(65), &[Mask(1)], 0).expect_err("65 lanes");
    assert!(error.to_string().starts_with("more than 16 temporaries are needed: "), "{error}");
}

#[test]
fn constructs_nest_as_deep_as_the_machine_remembers() {
    let program = |depth: usize| {
        let mut text = "func main { %0: f32x4 = input v0".to_owned();
        (0..depth).for_each(|n| {
            text += &format!(
                " %{}: bool = uniform b{n} if %{} {{ %{}: f32x4 = addp %{} %0",
                100 + n,
                100 + n,
                200 + n,
                if n == 0 { 0 } else { 200 + n - 1 }
            )
        });
        // Each part adds, so that no part is empty.
        text += &format!(" yield %{} ", 200 + depth - 1);
        for n in (0..depth).rev() {
            text += &format!(
                "}} else {{ %{}: f32x4 = mulp %0 %0 yield %{} }} -> %{}: f32x4 yield %{} ",
                400 + n,
                400 + n,
                300 + n,
                300 + n
            );
        }
        text + "}"
    };
    assert!(emitted(&program(8), &[Mask::XYZW], 0).is_ok());
    let error = emitted(&program(9), &[Mask::XYZW], 0).expect_err("nine levels");
    assert_eq!(error.to_string(), "9 nested IFs are needed, and there are 8");
}

/// Operations one after the other, no two alike, and the last value.
fn chain(count: usize) -> (String, usize) {
    let name = |n: usize| if n == 0 { 0 } else { 2000 + n };
    let text = (0..count).map(|n| {
        let op = ["addp", "maxp", "mulp", "minp", "sgep", "sltp"][n / 90];
        format!(
            "%{}: f32x4 = uniform c{} %{}: f32x4 = {op} %{} %{} ",
            1000 + n,
            n % 90,
            name(n + 1),
            1000 + n,
            name(n)
        )
    });
    (text.collect(), name(count))
}

#[test]
fn a_second_part_is_as_long_as_the_hardware_reads() {
    let program = |condition: &str, words: usize| {
        let (text, last) = chain(words);
        format!(
            "func main {{ %0: f32x4 = input v0 %1: f32x4 = uniform c95 {condition}
             if %2 {{ %5: f32x4 = neg %0 %3: f32x4 = maxp %0 %5 yield %3 }} else {{ {text} yield %{last} }} -> %4: f32x4 yield %4 }}"
        )
    };
    let flags = "%6: f32 = shuffle %0.x %7: f32 = shuffle %1.y %2: bool = less %6 %7";
    let bools = "%2: bool = uniform b3";
    let position = |text: &str, of: &str| text.find(of).expect("in the text");
    for condition in [flags, bools] {
        let text = check(&program(condition, 255), &[Mask::XYZW]);
        assert!(position(&text, "-v0") < position(&text, ".else"), "{text}");
    }
    let text = check(&program(flags, 256), &[Mask::XYZW]);
    assert!(position(&text, ".else") < position(&text, "-v0"), "{text}");
    let text = check(&program(bools, 256), &[Mask::XYZW]);
    assert!(text.matches("jmpu").count() == 2 && !text.contains("ifu"), "{text}");
}

#[test]
fn words_of_ends_count() {
    // A NOP stands between the ends of two parts.
    let program = |words: usize| {
        let (text, last) = chain(words);
        format!(
            "func main {{ %0: f32x4 = input v0 %1: f32x4 = uniform c95 {text}
             %2: bool = uniform b1 %3: bool = uniform b2
             if %2 {{ if %3 {{ %4: f32x4 = mulp %1 %{last} yield %4 }} else {{ yield %{last} }} -> %5: f32x4
             yield %5 }} else {{ yield %{last} }} -> %6: f32x4 yield %6 }}"
        )
    };
    let most = emitted(&program(506), &[Mask::XYZW], 0).expect("it fits");
    assert_eq!(most.words(), 512);
    let error = emitted(&program(507), &[Mask::XYZW], 0).expect_err("one more");
    assert_eq!(error.to_string(), "513 words are needed, and there are 512");
}

#[test]
fn lines_that_repeat_become_a_procedure() {
    let text = check(
        "func main { %0: f32x4 = input v0 %1: bool = uniform b1 %2: f32x4 = uniform c1 %30: f32x4 = uniform c2
         if %1 { %3: f32x4 = addp %2 %0 yield %3 } else { yield %0 } -> %4: f32x4
         %5: f32x4 = mulp %30 %4 %6: f32x4 = maxp %2 %5 %7: f32x4 = minp %30 %6 %8: f32x4 = addp %2 %7 %9: f32x4 = mulp %30 %8
         if %1 { %10: f32x4 = addp %2 %9 yield %10 } else { yield %9 } -> %11: f32x4
         %12: f32x4 = mulp %30 %11 %13: f32x4 = maxp %2 %12 %14: f32x4 = minp %30 %13 %15: f32x4 = addp %2 %14 %16: f32x4 = mulp %30 %15
         yield %16 }",
        &[Mask::XYZW],
    );
    assert_eq!(text.matches("call part0").count(), 2, "{text}");
}
