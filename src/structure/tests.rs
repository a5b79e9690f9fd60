//! What trees come of small programs.

use expect_test::{Expect, expect};

use super::text::Text;
use super::{Structured, blocks, structure};
use crate::cfg::Cfg;
use crate::cfg::explore::{Explored, Options, explore};
use crate::cfg::reduce::reduce;
use crate::cfg::testing::program;
use crate::limits::Limits;

fn graph(text: &str) -> Cfg {
    let limits = Limits::default();
    let explored = explore(&program(text), &Options::default(), &limits).expect("is defined");
    let Explored::Graph(mut cfg) = explored else { panic!("too many nodes") };
    reduce(&mut cfg, &limits);
    cfg
}

fn tree_text(text: &str) -> String {
    let cfg = graph(text);
    let Structured::Tree(tree) = structure(&cfg, &Limits::default()) else { panic!("too deep") };
    Text { tree: &tree, cfg: &cfg, program: None }.to_string()
}

#[expect(clippy::needless_pass_by_value, reason = "written as a literal at each call")]
fn check(text: &str, expect: Expect) {
    expect.assert_eq(&tree_text(text));
}

#[test]
fn a_straight_program_is_a_list() {
    check(
        "a; nop; a; end; a",
        expect![[r#"
        run 0x0
        run 0x2
    "#]],
    );
}

#[test]
fn an_if_with_else_needs_no_label() {
    check(
        "if x 3 2; a; a; a; a; a; end",
        expect![[r#"
        if cmp.x {
            run 0x1
            run 0x2
        } else {
            run 0x3
            run 0x4
        }
        run 0x5
    "#]],
    );
}

#[test]
fn an_if_without_then_runs_its_part_when_the_condition_fails() {
    check(
        "jmp x 2; a; a; end",
        expect![[r#"
        if !cmp.x {
            run 0x1
        }
        run 0x2
    "#]],
    );
}

#[test]
fn a_loop_leaves_when_no_iterations_are_left() {
    check(
        "a; loop i1 3; a; a; a; end",
        expect![[r#"
        run 0x0
        enter loop 0 with i1
        loop {
            run 0x2
            run 0x3
            aL += i1.z
            if !(left0 > 0) {
                break
            }
            left0 -= 1
        }
        run 0x4
    "#]],
    );
}

#[test]
fn breakc_leaves_the_loop_without_a_variable() {
    check(
        "loop i0 3; a; break x; a; a; end",
        expect![[r#"
        enter loop 0 with i0
        loop {
            run 0x1
            if cmp.x {
                aL += i0.z
                break
            }
            run 0x3
            aL += i0.z
            if !(left0 > 0) {
                break
            }
            left0 -= 1
        }
        run 0x4
    "#]],
    );
}

#[test]
fn breakc_in_an_if_in_nested_loops_needs_no_variable() {
    check(
        "loop i0 6; loop i1 5; if y 5 0; a; break x; a; a; a; end",
        expect![[r#"
        enter loop 0 with i0
        loop {
            enter loop 1 with i1
            loop {
                if cmp.y {
                    run 0x3
                    if cmp.x {
                        aL += i1.z
                        aL = saved1
                        break
                    }
                }
                run 0x5
                aL += i1.z
                if !(left1 > 0) {
                    aL = saved1
                    break
                }
                left1 -= 1
            }
            run 0x6
            aL += i0.z
            if !(left0 > 0) {
                break
            }
            left0 -= 1
        }
        run 0x7
    "#]],
    );
}

#[test]
fn code_before_break_stays_in_the_loop() {
    check(
        "loop i0 5; if x 4 0; a; break; nop; a; a; end",
        expect![[r#"
        enter loop 0 with i0
        loop {
            if cmp.x {
                run 0x2
                aL += i0.z
                break
            }
            run 0x5
            aL += i0.z
            if !(left0 > 0) {
                break
            }
            left0 -= 1
        }
        run 0x6
    "#]],
    );
}

#[test]
fn a_forward_jump_is_an_if() {
    check(
        "a; jmp x 4; a; a; a; end",
        expect![[r#"
        run 0x0
        if !cmp.x {
            run 0x2
            run 0x3
        }
        run 0x4
    "#]],
    );
}

#[test]
fn crossing_forward_jumps_need_one_breakable() {
    check(
        "jmp x 4; a; jmp y 5; a; a; a; end",
        expect![[r#"
        once {
            if !cmp.x {
                run 0x1
                if cmp.y {
                    break
                }
                run 0x3
            }
            run 0x4
        }
        run 0x5
    "#]],
    );
}

#[test]
fn jumps_to_one_place_nest() {
    check(
        "jmp x 4; jmp y 4; a; a; a; end",
        expect![[r#"
        if !cmp.x {
            if !cmp.y {
                run 0x2
                run 0x3
            }
        }
        run 0x4
    "#]],
    );
}

#[test]
fn an_early_end_nests_what_follows() {
    check(
        "if x 3 0; a; end; a; a; end",
        expect![[r#"
        if cmp.x {
            run 0x1
        } else {
            run 0x3
            run 0x4
        }
    "#]],
    );
}

#[test]
fn an_early_end_in_nested_ifs_needs_one_breakable() {
    check(
        "if x 5 0; if y 4 0; a; end; a; a; end",
        expect![[r#"
        once {
            if cmp.x {
                if cmp.y {
                    run 0x2
                    break
                }
                run 0x4
            }
            run 0x5
        }
    "#]],
    );
}

#[test]
fn an_end_in_nested_loops_is_told_apart_after_them() {
    check(
        "loop i0 6; loop i1 5; if x 5 0; a; end; a; a; a; end",
        expect![[r#"
        enter loop 0 with i0
        loop {
            enter loop 1 with i1
            var0 = 0
            loop {
                if cmp.x {
                    run 0x3
                    var0 = 1
                    break
                }
                run 0x5
                aL += i1.z
                if !(left1 > 0) {
                    break
                }
                left1 -= 1
            }
            if var0 == 1 {
                break
            }
            aL = saved1
            run 0x6
            aL += i0.z
            if !(left0 > 0) {
                run 0x7
                break
            }
            left0 -= 1
        }
    "#]],
    );
}

#[test]
fn a_single_exit_through_two_loops_needs_no_variable() {
    // Word 3 is the only way out of the inner loop.
    check(
        "a; a; jmp x 1; jmp y 0; end",
        expect![[r#"
        loop {
            run 0x0
            loop {
                run 0x1
                if !cmp.x {
                    break
                }
            }
            if !cmp.y {
                break
            }
        }
    "#]],
    );
}

#[test]
fn a_loop_that_never_ends_has_no_exit() {
    check(
        "a; jmp b0 0; jmp !b0 0",
        expect![[r#"
            loop {
                run 0x0
            }
        "#]],
    );
}

#[test]
fn calls_come_inline() {
    check(
        "call 4 5; call x 4 5; a; end; a; if y 7 0; a; nop; a",
        expect![[r#"
            run 0x4
            if cmp.y {
                run 0x6
            }
            run 0x8
            if cmp.x {
                run 0x4
                if cmp.y {
                    run 0x6
                }
                run 0x8
            }
            run 0x2
        "#]],
    );
}

#[test]
fn two_entries_are_told_apart_by_an_if() {
    check(
        "jmp x 2; a; a; jmp y 1; end",
        expect![[r#"
        if cmp.x {
            dispatch0 = 1
        } else {
            dispatch0 = 0
        }
        loop {
            if var0 == 0 {
                run 0x1
                dispatch0 = 1
            } else {
                run 0x2
                if !cmp.y {
                    break
                }
                dispatch0 = 0
            }
        }
    "#]],
    );
}

#[test]
fn many_entries_are_told_apart_by_a_switch() {
    check(
        "jmp b4 4; jmp b5 5; jmp b6 6; jmp b7 7; a; a; a; a; jmp b0 4; jmp b1 5; jmp b2 6; jmp b3 7; end",
        expect![[r#"
            if b4 {
                dispatch0 = 0
            } else {
                if b5 {
                    dispatch0 = 1
                } else {
                    if b6 {
                        dispatch0 = 2
                    } else {
                        if b7 {
                            dispatch0 = 3
                        } else {
                            dispatch0 = 0
                        }
                    }
                }
            }
            loop {
                switch var0 {
                case 0:
                    run 0x4
                    dispatch0 = 1
                    continue
                case 1:
                    run 0x5
                    dispatch0 = 2
                    continue
                case 2:
                    run 0x6
                    dispatch0 = 3
                    continue
                default:
                    run 0x7
                    if b0 {
                        dispatch0 = 0
                        continue
                    }
                    if b1 {
                        dispatch0 = 1
                        continue
                    }
                    if b2 {
                        dispatch0 = 2
                        continue
                    }
                    if b3 {
                        dispatch0 = 3
                        continue
                    }
                }
                break
            }
        "#]],
    );
}

#[test]
fn the_dispatcher_switches_between_blocks() {
    let cfg = graph("a; jmp x 0; end");
    let tree = blocks::dispatcher(&cfg);
    expect![[r#"
        var0 = 0
        loop {
            if var0 == 2 {
                break
            }
            switch var0 {
            case 0:
                var0 = 1
            default:
                run 0x0
                if cmp.x {
                    var0 = 1
                } else {
                    var0 = 2
                }
            }
        }
    "#]]
    .assert_eq(&Text { tree: &tree, cfg: &cfg, program: None }.to_string());
}

#[test]
fn a_program_nested_too_deep_is_reported() {
    // Each if skips to its own end, so that the parts nest.
    let depth = 20;
    let mut words: Vec<String> = (0..depth).map(|n| format!("cmp; jmp x {}", 3 * depth - n)).collect();
    words.extend((0..=depth).map(|_| "a".to_string()));
    let cfg = graph(&words.join(";"));
    let limits = Limits { depth: 10, ..Limits::default() };
    assert!(matches!(structure(&cfg, &limits), Structured::TooDeep { depth: Some(11..) }));
    assert!(matches!(structure(&cfg, &Limits::default()), Structured::Tree(_)));
}

#[test]
fn a_graph_that_is_not_reducible_has_no_tree() {
    let limits = Limits::default();
    let explored = explore(&program("jmp x 2; a; a; jmp y 1; end"), &Options::default(), &limits);
    let Ok(Explored::Graph(cfg)) = explored else { panic!("explores") };
    assert_eq!(structure(&cfg, &limits), Structured::TooDeep { depth: None });
}

#[test]
fn entangled_jumps_are_given_up() {
    // Each of the first jumps crosses all of the others' targets.
    let count = 400;
    let jumps = (0..count).map(|n| format!("cmp; jmp x {};", 2 * (count + n)));
    let targets = (0..count).map(|_| "a; cmp;");
    let cfg = graph(&(jumps.collect::<String>() + &targets.collect::<String>() + "end"));
    assert_eq!(structure(&cfg, &Limits::default()), Structured::TooDeep { depth: None });
}

#[test]
fn many_early_ends_do_not_nest_deep() {
    let text = "cmp; jmp x 302; a;".repeat(100);
    let cfg = graph(&format!("{text} a; a; end"));
    for depth in [25, 10] {
        let limits = Limits { depth, ..Limits::default() };
        assert!(matches!(structure(&cfg, &limits), Structured::Tree(_)), "{depth}");
    }
}
