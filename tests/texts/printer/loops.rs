//! Loops as `for` and `while`, and loops that must stay as they are.

use super::main_function;
use super::random::compare;
use transpica_proof::ir;

/// Returns the lines of a loop that adds `bones[aL]`, with this value as its result.
fn lines(result: &str) -> String {
    let source = format!(
        "func main {{
           %0 @r0: f32x4 = input v0
           %1: i32x4 = member 3
           %2: i32 = shuffle %1.x
           %3: i32 = shuffle %1.y
           %4: i32 = shuffle %1.z
           %5: i32 = const 0
           %6: i32 = const 1
           loop (%7 @r0: f32x4 = %0, %8 @al: i32 = %3, %9 @left0: i32 = %2) {{
             %10: f32x4 = member 1[%8]
             %11 @r0: f32x4 = add %7 %10
             %12: i32 = iadd %8 %4
             %13: i32 = isub %9 %6
             %14: bool = igreater %9 %5
             if %14 {{ }} else {{ break %{result} }}
             continue %11 %12 %13
           }} -> %15 @{}
           %16: i32 = const 3
           {}
           yield %17 }}",
        if result == "11" { "r0: f32x4" } else { "al: i32" },
        if result == "11" {
            "%17: f32x4 = add %15 %15"
        } else {
            "%18: i32 = iand %15 %16 %17: f32x4 = member 0[%18]"
        },
    );
    compare(&ir::parse(&source).unwrap_or_else(|error| panic!("{error}")), 9);
    let text = main_function(&source);
    let [start, end] = [text.find("    var r0").unwrap_or(0), text.find("    return").unwrap_or(0)];
    text[start..end].to_owned()
}

#[test]
fn a_loop_counts_in_its_head() {
    let expected = "    var r0 = position;
    var aL = uniforms.counts.y;
    // up to counts.x + 1 iterations, aL from counts.y by counts.z
    for (var left_i0 = uniforms.counts.x; left_i0 >= 0; left_i0 -= 1) {
        r0 += uniforms.bones[aL];
        aL += uniforms.counts.z;
    }
";
    assert_eq!(lines("11"), expected);
}

#[test]
fn what_the_last_iteration_leaves_is_not_lost() {
    // The index of the last iteration, which the next value would replace.
    let text = lines("8");
    assert!(text.contains("    while left_i0 > 0 {\n") && !text.contains("for ("), "{text}");
}

#[test]
fn a_test_at_the_head_is_a_while() {
    let source = "func main {
           %0 @r0: f32x4 = input v0
           %1 @r1: f32x4 = input v1
           %2: i32 = const 0
           %6: i32 = const 3
           %7: i32 = const 1
           loop (%3 @r0: f32x4 = %0, %4 @r1: f32x4 = %1, %5: i32 = %2) {
             %9: bool = igreater %5 %6
             if %9 { break %4 } else { yield }
             %8: f32x4 = add %3 %4
             %10: i32 = iadd %5 %7
             continue %8 %3 %10
           } -> %11 @r0: f32x4
           yield %11 }";
    compare(&ir::parse(source).unwrap_or_else(|error| panic!("{error}")), 3);
    let text = main_function(source);
    assert!(text.contains("    while next <= 3 {\n") && !text.contains("break"), "{text}");
    // What the loop leaves.
    assert!(text.contains("    }\n    r0 = r1;\n"), "{text}");
}

#[test]
fn the_counter_of_a_nested_loop_has_a_name_of_its_own() {
    let source = "func main {
           %0 @r0: f32x4 = input v0
           %1: i32x4 = member 3
           %2: i32 = shuffle %1.x
           %5: i32 = const 0
           %6: i32 = const 1
           loop (%7 @r0: f32x4 = %0, %9 @left0: i32 = %2) {
             loop (%17 @r0: f32x4 = %7, %19 @left0: i32 = %2) {
               %21 @r0: f32x4 = add %17 %17
               %23: i32 = isub %19 %6
               %24: bool = igreater %19 %5
               if %24 { } else { break %21 }
               continue %21 %23
             } -> %25 @r0: f32x4
             %13: i32 = isub %9 %6
             %14: bool = igreater %9 %5
             if %14 { } else { break %25 }
             continue %25 %13
           } -> %15 @r0: f32x4
           yield %15 }";
    compare(&ir::parse(source).unwrap_or_else(|error| panic!("{error}")), 5);
    let text = main_function(source);
    let heads: Vec<_> = text.lines().filter(|line| line.contains("for (")).collect();
    assert_eq!(heads.len(), 2, "{text}");
    let counter = |head: &str| head.split_whitespace().nth(2).map(str::to_owned);
    assert_ne!(counter(heads[0]), counter(heads[1]), "{text}");
}

/// The counter is also written where a branch takes two off.
#[test]
fn a_counter_with_another_store_keeps_its_test() {
    let source = "func main {
           %0 @r0: f32x4 = input v0
           %1: i32x4 = member 3
           %2: i32 = shuffle %1.x
           %5: i32 = const 0
           %6: i32 = const 1
           %7: i32 = const 2
           loop (%8 @r0: f32x4 = %0, %9 @left0: i32 = %2) {
             %10: f32x4 = add %8 %8
             %11: bool = igreater %9 %7
             if %11 { %12: i32 = isub %9 %7 yield %12 } else { yield %9 } -> %13 @left0: i32
             %14: i32 = isub %13 %6
             %15: bool = igreater %13 %5
             if %15 { continue %10 %14 } else { break %10 }
             unreachable
           } -> %16 @r0: f32x4
           yield %16 }";
    compare(&ir::parse(source).unwrap_or_else(|error| panic!("{error}")), 9);
    let text = main_function(source);
    assert!(text.contains("left_i0 -= 2;") && !text.contains("for ("), "{text}");
}
