//! Every construct and every exit.

use expect_test::expect;
use transpica_proof::ir;

use super::random::compare;
use super::{check, main_function};
use transpica::stages::backend::naga;

#[test]
fn an_if_stores_its_results_in_its_arms() {
    expect![[r#"
        @vertex
        fn main(
            @location(0) position: vec4f,
            @location(1) color: vec4f,
            @location(2) weights: vec4f,
        ) -> VertexOutput {
            var r1 = color;
            if position.x < color.x {
                r1 = position * color;
            }
            return VertexOutput(r1);
        }
    "#]]
    .assert_eq(&main_function(
        "func main {
           %0: f32x4 = input v0
           %1: f32x4 = input v1
           %2: f32 = shuffle %0.x
           %3: f32 = shuffle %1.x
           %4: bool = less %2 %3
           if %4 { %5: f32x4 = mul %0 %1 yield %5 } else { yield %1 } -> %6 @r1: f32x4
           yield %6 }",
    ));
}

#[test]
fn a_counted_loop_stores_what_both_exits_store_before_it_ends() {
    expect![[r#"
        @vertex
        fn main(
            @location(0) position: vec4f,
            @location(1) color: vec4f,
            @location(2) weights: vec4f,
        ) -> VertexOutput {
            var r0 = position;
            var aL = uniforms.counts.y;
            var left_i0 = uniforms.counts.x;
            // up to counts.x + 1 iterations, aL from counts.y by counts.z
            loop {
                r0 += uniforms.bones[aL];
                if left_i0 == 0 {
                    break;
                }
                aL += uniforms.counts.z;
                left_i0 -= 1;
            }
            return VertexOutput(r0);
        }
    "#]]
    .assert_eq(&main_function(
        "func main {
           %0 @r0: f32x4 = input v0
           %1: i32x4 = member 3
           %2: i32 = shuffle %1.x
           %3: i32 = shuffle %1.y
           %4: i32 = shuffle %1.z
           loop (%5 @r0: f32x4 = %0, %6 @al: i32 = %3, %7 @left0: i32 = %2) {
             %8: f32x4 = member 1[%6]
             %9 @r0: f32x4 = add %5 %8
             %10: i32 = const 0
             %11: bool = iequal %7 %10
             %12: i32 = const 1
             %13: i32 = iadd %6 %4
             %14: i32 = isub %7 %12
             if %11 { break %9 } else { continue %9 %13 %14 }
             unreachable
           } -> %15 @r0: f32x4
           yield %15 }",
    ));
}

#[test]
fn loop_parameters_may_be_exchanged() {
    expect![[r#"
        @vertex
        fn main(
            @location(0) position: vec4f,
            @location(1) color: vec4f,
            @location(2) weights: vec4f,
        ) -> VertexOutput {
            var r0 = position;
            var r1 = color;
            loop {
                let r0_1 = r0;
                r0 = r1;
                if r0_1.x > r1.x {
                    break;
                }
                r1 = r0_1;
            }
            return VertexOutput(r0);
        }
    "#]]
    .assert_eq(&main_function(
        "func main {
           %0 @r0: f32x4 = input v0
           %1 @r1: f32x4 = input v1
           loop (%2 @r0: f32x4 = %0, %3 @r1: f32x4 = %1) {
             %4: f32 = shuffle %2.x
             %5: f32 = shuffle %3.x
             %6: bool = greater %4 %5
             if %6 { break %3 } else { yield }
             continue %3 %2
           } -> %7 @r0: f32x4
           yield %7 }",
    ));
}

#[test]
fn a_block_with_an_early_exit_is_a_switch() {
    let source = |exit: &str| {
        format!(
            "func main {{
               %0: f32x4 = input v0
               %1: f32x4 = input v1
               %2: f32 = shuffle %0.x
               %3: f32 = shuffle %1.x
               %4: bool = less %2 %3
               %5: bool = greater %2 %3
               block {{
                 if %4 {{ {exit} }} else {{ if %5 {{ break %1 }} else {{ break %0 }} unreachable }} -> %6: f32x4
                 %7: f32x4 = add %6 %0
                 break %7
               }} -> %8: f32x4
               yield %8 }}"
        )
    };
    assert!(check(&source("yield %1")).contains("switch 0 {"));
    let flat = "func main {
         %0: f32x4 = input v0
         %1: f32x4 = input v1
         %2: f32 = shuffle %0.x
         %3: f32 = shuffle %1.x
         %4: bool = less %2 %3
         block { if %4 { break %1 } else { break %0 } unreachable } -> %8: f32x4
         yield %8 }";
    let wgsl = check(flat);
    assert!(!wgsl.contains("switch") && !wgsl.contains("break"), "{wgsl}");
}

#[test]
fn a_switch_in_a_loop_continues_the_loop() {
    expect![[r#"
        @vertex
        fn main(
            @location(0) position: vec4f,
            @location(1) color: vec4f,
            @location(2) weights: vec4f,
        ) -> VertexOutput {
            var r2 = position;
            var next = 0;
            while next != 9 {
                switch next {
                    case 0, 3 {
                        r2 += position;
                        next = 5;
                    }
                    case 5 {
                        r2 = position;
                        next = 7;
                        continue;
                    }
                    default {
                        r2 = position;
                        next = 9;
                    }
                }
                r2 += r2;
            }
            return VertexOutput(r2);
        }
    "#]]
    .assert_eq(&main_function(
        "func main {
           %0: f32x4 = input v0
           %1: i32 = const 0
           loop (%2 @r2: f32x4 = %0, %3: i32 = %1) {
             %4: i32 = const 9
             %5: bool = iequal %3 %4
             if %5 { break %2 } else { yield }
             switch %3 {
               case 0 3 { %6: f32x4 = add %2 %0 %7: i32 = const 5 yield %6 %7 }
               case 5 { %8: i32 = const 7 continue %0 %8 }
               default { %9: i32 = const 9 break %0 %9 }
             } -> %10 @r2: f32x4, %11: i32
             %12: f32x4 = add %10 %10
             continue %12 %11
           } -> %13 @r2: f32x4
           yield %13 }",
    ));
}

#[test]
fn nested_breaks_leave_the_innermost_construct() {
    let wgsl = check(
        "func main {
           %0: f32x4 = input v0
           %1: f32 = shuffle %0.x
           %2: f32 = shuffle %0.y
           %3: bool = less %1 %2
           %4: bool = greater %1 %2
           loop (%5: f32x4 = %0) {
             loop (%6: f32x4 = %5) {
               block {
                 if %3 { break %5 } else { yield }
                 if %4 { continue %0 } else { yield }
                 %7: f32x4 = add %6 %0
                 break %7
               } -> %8: f32x4
               if %4 { break %8 } else { continue %8 }
               unreachable
             } -> %9: f32x4
             if %3 { continue %9 } else { break %9 }
             unreachable
           } -> %10: f32x4
           yield %10 }",
    );
    assert_eq!(wgsl.matches("loop {").count(), 2, "{wgsl}");
}

#[test]
fn a_function_may_never_end() {
    let wgsl = main_function(
        "func main {
           %0: f32x4 = input v0
           loop (%1: f32x4 = %0) { %2: f32x4 = add %1 %1 continue %2 }
           unreachable }",
    );
    // WGSL wants an exit in every loop (Tint: "loop does not exit").
    assert!(wgsl.contains("loop {\n        if false { return VertexOutput(); }\n"), "{wgsl}");
}

#[test]
fn helpers_are_called_in_order() {
    let wgsl = check(
        "func twice(%0 @r0.x: f32) { %1: f32 = add %0 %0 yield %1 }
         func scaled(%0: f32x4, %1: f32) {
           %2: f32 = call 0(%1)
           %3: f32x4 = shuffle %2.x %2.x %2.x %2.x
           %4: f32x4 = member 2
           %5: f32x4 = mul %0 %3
           %6: f32x4 = add %5 %4
           yield %6 }
         func main {
           %0: f32x4 = input v0
           %1: f32 = shuffle %0.w
           %2 @o0: f32x4 = call 1(%0, %1)
           yield %2 }",
    );
    assert!(wgsl.find("fn twice(").unwrap() < wgsl.find("fn scaled(").unwrap(), "{wgsl}");
}

/// A program that computes what its IR does.
fn right(source: &str) {
    compare(&ir::parse(source).unwrap(), 7);
}

#[test]
fn a_loop_invalidates_earlier_stores_to_phi_variables() {
    right(
        "func main {
           %0: f32x4 = input v0
           %1: i32 = const 0
           %2: i32 = const 2
           if %30 { yield %0 } else { %3: f32x4 = add %0 %0 yield %3 } -> %4 @r0: f32x4
           loop (%5 @al: i32 = %1, %20 @o0: f32x4 = %0) {
             %6: bool = iequal %5 %2
             if %6 { yield %4 } else { %7: f32x4 = add %4 %4 yield %7 } -> %8 @r0: f32x4
             %9: i32 = const 1
             %10: i32 = iadd %5 %9
             %11: bool = igreater %5 %2
             %12: f32x4 = add %20 %8
             if %11 { break %12 } else { continue %10 %12 }
             unreachable
           } -> %13 @r0: f32x4
           yield %13 }"
            .replace("if %30", "%31: f32 = shuffle %0.x\n%30: bool = less %31 %31\nif %30")
            .as_str(),
    );
}

#[test]
fn a_merge_invalidates_stores_of_the_arms() {
    right(
        "func main {
           %0: f32x4 = input v0
           %1: f32 = shuffle %0.x
           %2: f32 = shuffle %0.y
           %3: bool = less %1 %2
           %4: bool = greater %1 %2
           if %3 { yield %0 } else { %5: f32x4 = add %0 %0 yield %5 } -> %6 @r0: f32x4
           if %4 {
             if %3 { yield %0 } else { %7: f32x4 = mul %0 %0 yield %7 } -> %8 @r0: f32x4
             %9: f32x4 = add %8 %8
             yield %9
           } else {
             yield %0
           } -> %10 @r1: f32x4
           if %4 { yield %6 } else { yield %10 } -> %11 @r0: f32x4
           yield %11 }",
    );
}

#[test]
fn a_literal_argument_has_a_type_suffix() {
    let text = main_function(
        "func main { %0: f32 = const 0.5 %1: f32 = exp2 %0 %2: f32x4 = shuffle %1.x %1.x %1.x %1.x yield %2 }",
    );
    assert!(text.contains("exp2(0.5f)"), "{text}");
}

#[test]
fn errors_of_naga_are_reported_with_their_causes() {
    let module = ::naga::front::wgsl::parse_str("@vertex fn main() { _ = 1u; }").expect("can be read");
    let told = naga::validate(&module).expect_err("no position").to_string();
    assert!(told.starts_with("input: naga: Entry point main at Vertex is invalid: Vertex shaders"), "{told}");
}
