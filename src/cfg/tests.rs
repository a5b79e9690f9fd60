//! What graphs come of small programs.

use expect_test::{Expect, expect};

use petgraph::graph::DiGraph;

use super::dot::Dot;
use super::explore::{Explored, Options, explore};
use super::graph::{Predecessors, dominators, is_reducible};
use super::reduce::{Reduced, reduce};
use super::testing::{program, program_for};
use super::text::Text;
use super::{Action, Block, BlockData, Cfg, Terminator, simplify};
use crate::entity::Handle;
use crate::error::Kind;
use crate::isa::control::Test;
use crate::isa::{Pc, Stage};
use crate::limits::Limits;

fn graph_with(text: &str, options: &Options) -> Cfg {
    match explore(&program(text), options, &Limits::default()).expect("is defined") {
        Explored::Graph(cfg) => cfg,
        Explored::TooManyNodes { limit } => panic!("more than {limit} nodes"),
    }
}

fn graph(text: &str) -> Cfg {
    graph_with(text, &Options::default())
}

#[expect(clippy::needless_pass_by_value, reason = "written as a literal at each call")]
fn check(text: &str, expect: Expect) {
    expect.assert_eq(&graph(text).to_string());
}

#[test]
fn a_straight_program_is_one_block() {
    check(
        "a; nop; a; end; a",
        expect![[r#"
        block0 at 0x0:
            run 0x0
            run 0x2
            goto block1
        block1:
            end
    "#]],
    );
}

#[test]
fn code_that_ends_without_end_is_one_block() {
    check(
        "a; a",
        expect![[r#"
        block0 at 0x0:
            run 0x0
            run 0x1
            goto block1
        block1:
            end
    "#]],
    );
}

#[test]
fn an_if_with_else_joins() {
    check(
        "if x 3 2; a; a; a; a; a; end",
        expect![[r#"
        block0 at 0x0:
            if cmp.x block1 else block2
        block1 at 0x1:
            run 0x1
            run 0x2
            goto block3
        block2 at 0x3:
            run 0x3
            run 0x4
            goto block3
        block3 at 0x5:
            run 0x5
            goto block4
        block4:
            end
    "#]],
    );
}

#[test]
fn a_loop_repeats_by_its_count() {
    check(
        "a; loop i1 3; a; a; a; end",
        expect![[r#"
        block0 at 0x0:
            run 0x0
            enter loop 0 with i1
            goto block1
        block1 at 0x2:
            run 0x2
            run 0x3
            aL += i1.z
            if left0 > 0 block2 else block3
        block2:
            left0 -= 1
            goto block1
        block3 at 0x4:
            run 0x4
            goto block4
        block4:
            end
    "#]],
    );
}

#[test]
fn a_loop_at_the_start_leaves_the_entry_without_edges() {
    check(
        "a; jmp x 0; end",
        expect![[r#"
        block0:
            goto block1
        block1 at 0x0:
            run 0x0
            if cmp.x block1 else block2
        block2:
            end
    "#]],
    );
}

#[test]
fn breakc_leaves_the_loop_and_restores_the_outer_counter() {
    check(
        "loop i0 4; loop i1 3; a; break x; nop; end",
        expect![[r#"
        block0 at 0x0:
            enter loop 0 with i0
            goto block1
        block1 at 0x1:
            enter loop 1 with i1
            goto block2
        block2 at 0x2:
            run 0x2
            if cmp.x block3 else block4
        block3:
            aL += i1.z
            aL = saved1
            goto block7
        block4:
            aL += i1.z
            if left1 > 0 block5 else block6
        block5:
            left1 -= 1
            goto block2
        block6:
            aL = saved1
            goto block7
        block7 at 0x4:
            aL += i0.z
            if left0 > 0 block8 else block9
        block8:
            left0 -= 1
            goto block1
        block9:
            end
    "#]],
    );
}

#[test]
fn a_callee_is_repeated_for_each_caller() {
    check(
        "call 3 1; call x 3 1; end; a; end",
        expect![[r#"
        block0 at 0x3:
            run 0x3
            if cmp.x block1 else block2
        block1 at 0x3:
            run 0x3
            goto block2
        block2:
            end
    "#]],
    );
}

#[test]
fn a_jump_in_the_last_word_of_a_then_part_is_lost() {
    check(
        "if x 2 1; jmp y 5; a; a; end; a",
        expect![[r#"
        block0 at 0x0:
            if cmp.x block2 else block1
        block1 at 0x2:
            run 0x2
            goto block2
        block2 at 0x3:
            run 0x3
            goto block3
        block3:
            end
    "#]],
    );
}

#[test]
fn a_then_part_left_by_break_does_not_double_what_follows() {
    // The entry left on the IF stack is dead after the loop: one copy of words 5 and 6.
    check(
        "loop i0 4; if x 4 0; a; break y; a; a; a; end",
        expect![[r#"
        block0 at 0x0:
            enter loop 0 with i0
            goto block1
        block1 at 0x1:
            if cmp.x block2 else block4
        block2 at 0x2:
            run 0x2
            if cmp.y block3 else block4
        block3:
            aL += i0.z
            goto block6
        block4 at 0x4:
            run 0x4
            aL += i0.z
            if left0 > 0 block5 else block6
        block5:
            left0 -= 1
            goto block1
        block6 at 0x5:
            run 0x5
            run 0x6
            goto block7
        block7:
            end
    "#]],
    );
}

#[test]
fn a_loop_that_can_never_end_again_still_lets_a_later_one_restore_the_counter() {
    // After word 2 the outer loop's entry stays behind; leaving the loop of word 3 must restore aL.
    let cfg = graph("loop i0 2; loop i0 2; a; loop i1 4; a; end");
    expect![[r#"
        block0 at 0x0:
            enter loop 0 with i0
            enter loop 1 with i0
            goto block1
        block1 at 0x2:
            run 0x2
            aL += i0.z
            if left1 > 0 block2 else block3
        block2:
            left1 -= 1
            goto block1
        block3:
            aL = saved1
            enter loop 1 with i1
            goto block4
        block4 at 0x4:
            run 0x4
            aL += i1.z
            if left1 > 0 block5 else block6
        block5:
            left1 -= 1
            goto block4
        block6:
            aL = saved1
            goto block7
        block7:
            end
    "#]]
    .assert_eq(&cfg.to_string());
}

#[test]
fn known_uniforms_prune_edges() {
    let options = Options {
        known_bools: 0b11,
        bools: 0b01,
        ints: [Some([0, 1, 1]), None, None, None],
        ..Options::default()
    };
    let cfg = graph_with("if b0 3 1; loop i0 2; a; a; jmp b1 0; jmp !b1 8; a; a; end", &options);
    expect![[r#"
        block0 at 0x1:
            enter loop 0 with i0
            run 0x2
            aL += i0.z
            run 0x3
            goto block1
        block1:
            end
    "#]]
    .assert_eq(&cfg.to_string());
}

#[test]
fn only_instructions_with_effect_run() {
    let run = |stage| {
        let program = program_for("none; emit; a; nop; end", stage);
        match explore(&program, &Options::default(), &Limits::default()) {
            Ok(Explored::Graph(cfg)) => cfg.actions,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(run(Stage::Vertex), [Action::Run(Pc(2))]);
    assert_eq!(run(Stage::Geometry), [Action::Run(Pc(1)), Action::Run(Pc(2))]);
}

#[test]
fn two_opposite_jumps_are_a_plain_jump() {
    check(
        "jmp b3 3; jmp !b3 3; a; a; end",
        expect![[r#"
            block0 at 0x0:
                run 0x3
                goto block1
            block1:
                end
        "#]],
    );
}

#[test]
fn what_paths_agree_on_decides_a_later_branch() {
    // b1 is known after the join, b0 is not.
    check(
        "jmp b1 2; end; if b0 5 1; jmp !b1 0; a; a; if b1 8 0; a; jmp b0 10; a; end",
        expect![[r#"
        block0 at 0x0:
            if b1 block1 else block6
        block1 at 0x2:
            if b0 block2 else block3
        block2 at 0x4:
            run 0x4
            goto block4
        block3 at 0x5:
            run 0x5
            goto block4
        block4 at 0x7:
            run 0x7
            if b0 block6 else block5
        block5 at 0x9:
            run 0x9
            goto block6
        block6:
            end
    "#]],
    );
}

#[test]
fn flags_are_known_until_they_are_written() {
    // The first test of word 1 settles that of word 3, not that of word 5.
    check(
        "jmp x 7; a; a; jmp x 7; cmp; jmp x 7; a; end",
        expect![[r#"
        block0 at 0x0:
            if cmp.x block3 else block1
        block1 at 0x1:
            run 0x1
            run 0x2
            run 0x4
            if cmp.x block3 else block2
        block2 at 0x6:
            run 0x6
            goto block3
        block3:
            end
    "#]],
    );
}

#[test]
fn a_loop_keeps_what_is_known_of_uniforms() {
    check(
        "jmp b0 2; end; a; jmp x 2; if b0 6 0; a; end",
        expect![[r#"
        block0 at 0x0:
            if b0 block1 else block3
        block1 at 0x2:
            run 0x2
            if cmp.x block1 else block2
        block2 at 0x5:
            run 0x5
            goto block3
        block3:
            end
    "#]],
    );
}

#[test]
fn an_undefined_opcode_counts_only_if_it_is_reached() {
    let limits = Limits::default();
    let run =
        |text: &str, lenient| explore(&program(text), &Options { lenient, ..Options::default() }, &limits);
    for text in ["a; bad; end", "if x 2 0; bad; end"] {
        let error = run(text, false).expect_err("reached");
        assert!(matches!(error.kind, Kind::BadOpcode(_)), "{error}");
        assert_eq!(error.at, crate::error::At::Pc(1));
        assert!(run(text, true).is_ok());
    }
    assert!(run("end; bad", false).is_ok());
    assert!(run("jmp x 2; end; end; bad", false).is_ok());
}

#[test]
fn too_many_nodes_are_reported() {
    let limits = Limits { nodes_per_instruction: 0, nodes_base: 2, ..Limits::default() };
    let explored = explore(&program("jmp x 2; a; a; end"), &Options::default(), &limits).expect("is defined");
    assert_eq!(explored, Explored::TooManyNodes { limit: 2 });
}

#[test]
fn recursion_fills_the_ring_and_then_repeats_itself() {
    check(
        "call x 0 2; a; end",
        expect![[r#"
            block0 at 0x0:
                if cmp.x block1 else block2
            block1 at 0x0:
                goto block1
            block2 at 0x1:
                run 0x1
                goto block3
            block3:
                end
        "#]],
    );
}

fn reduced(text: &str) -> Cfg {
    let mut cfg = graph(text);
    assert!(!is_reducible(&cfg));
    assert_eq!(reduce(&mut cfg, &Limits::default()), Reduced::Reducible);
    assert!(is_reducible(&cfg));
    cfg
}

#[test]
fn a_cycle_with_two_entries_gets_a_dispatch_block() {
    expect![[r#"
        block0 at 0x0:
            if cmp.x block1 else block2
        block1:
            dispatch0 = 1
            goto block3
        block2:
            dispatch0 = 0
            goto block3
        block3:
            goto [block4, block5][dispatch0]
        block4 at 0x1:
            run 0x1
            dispatch0 = 1
            goto block3
        block5 at 0x2:
            run 0x2
            if cmp.y block6 else block7
        block6:
            dispatch0 = 0
            goto block3
        block7:
            end
    "#]]
    .assert_eq(&reduced("jmp x 2; a; a; jmp y 1; end").to_string());
}

#[test]
fn cycles_inside_cycles_with_one_entry_are_reduced() {
    expect![[r#"
        block0:
            goto block1
        block1 at 0x0:
            run 0x0
            if cmp.x block2 else block3
        block2:
            dispatch0 = 1
            goto block4
        block3:
            dispatch0 = 0
            goto block4
        block4:
            goto [block5, block6][dispatch0]
        block5 at 0x2:
            run 0x2
            dispatch0 = 1
            goto block4
        block6 at 0x3:
            run 0x3
            if cmp.y block7 else block8
        block7:
            dispatch0 = 0
            goto block4
        block8 at 0x5:
            if cmp.x block1 else block9
        block9:
            end
    "#]]
    .assert_eq(&reduced("a; jmp x 3; a; a; jmp y 2; jmp x 0; end").to_string());
}

#[test]
fn cycles_nested_too_deep_are_left_alone() {
    let text = format!(
        "jmp x 2; a; cmp; jmp y 1; {}end",
        (0..10).map(|n| format!("cmp; jmp y {n};")).collect::<String>()
    );
    let mut cfg = graph(&text);
    let before = cfg.clone();
    let limits = Limits { depth: 3, ..Limits::default() };
    assert_eq!(reduce(&mut cfg, &limits), Reduced::TooDeep);
    assert_eq!(cfg, before);
}

/// A graph in which edges are drawn at random, as the exploration would leave it.
fn random_graph(seed: u32, count: u32) -> Cfg {
    let mut state = seed.wrapping_mul(2_654_435_761) | 1;
    let mut random = |below: u32| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state % below
    };
    let mut raw = Cfg { entry: Some(Block(0)), exit: Some(Block(count)), ..Cfg::default() };
    for index in 0..count {
        raw.actions.push(Action::Run(Pc(index as u16)));
        let test = Test::Bool { id: 0, expected: true };
        let (then, otherwise) = (Block(random(count + 1)), Block(random(count + 1)));
        let terminator = Terminator::Branch { test, then, otherwise };
        raw.blocks.push(BlockData { actions: index..index + 1, terminator, pc: None, end: None });
    }
    raw.blocks.push(BlockData { actions: 0..0, terminator: Terminator::End, pc: None, end: None });
    simplify::run(&raw)
}

#[test]
fn dominators_are_those_of_petgraph() {
    for seed in 0..500 {
        let cfg = random_graph(seed, 2 + seed % 30);
        let edges = cfg
            .blocks
            .iter()
            .flat_map(|(block, data)| data.terminator.targets().map(move |to| (block.0, to.0)));
        let theirs = petgraph::algo::dominators::simple_fast(&DiGraph::<(), ()>::from_edges(edges), 0.into());
        let ours = dominators(&cfg, &Predecessors::new(&cfg));
        for block in cfg.blocks.keys().skip(1) {
            if let Some(theirs) = theirs.immediate_dominator(block.0.into()) {
                assert_eq!(ours[block.index()].index(), theirs.index(), "{block} of\n{cfg}");
            }
        }
    }
}

#[test]
fn every_graph_becomes_reducible() {
    let mut irreducible = 0;
    for seed in 0..500 {
        let mut cfg = random_graph(seed, 2 + seed % 20);
        irreducible += u32::from(!is_reducible(&cfg));
        assert_eq!(reduce(&mut cfg, &Limits::default()), Reduced::Reducible);
        assert!(is_reducible(&cfg), "{cfg}");
    }
    assert!(irreducible > 100);
}

#[test]
fn a_drawing_shows_what_the_text_shows() {
    let program = program("if !b3 2 1; a; loop i1 4; a; break x; end");
    let Explored::Graph(cfg) =
        explore(&program, &Options::default(), &Limits::default()).expect("is defined")
    else {
        panic!("too many nodes")
    };
    expect![[r#"
        digraph program {
            node [shape=box, fontname=monospace];
            0 [ label = "block0 at 0x0\lb3?\l" ]
            1 [ label = "block1 at 0x1\l0x1: mov r0, v0\l0x3: mov r0, v0\l" ]
            2 [ label = "block2 at 0x2\lenter loop 0 with i1\l" ]
            3 [ label = "block3 at 0x3\l0x3: mov r0, v0\lcmp.x?\l" ]
            4 [ label = "block4\laL += i1.z\l" ]
            5 [ label = "block5\laL += i1.z\lleft0 > 0?\l" ]
            6 [ label = "block6\lleft0 -= 1\l" ]
            7 [ label = "block7\lend\l" ]
            0 -> 1 [ label = "yes" ]
            0 -> 2 [ label = "no" ]
            1 -> 7 [ label = "" ]
            2 -> 3 [ label = "" ]
            3 -> 4 [ label = "yes" ]
            3 -> 5 [ label = "no" ]
            4 -> 7 [ label = "" ]
            5 -> 6 [ label = "yes" ]
            5 -> 7 [ label = "no" ]
            6 -> 3 [ label = "" ]
        }
    "#]]
    .assert_eq(&Dot { cfg: &cfg, program: Some(&program) }.to_string());
    expect![[r#"
        block0 at 0x0:
            if b3 block1 else block2
        block1 at 0x1:
            0x1: mov r0, v0
            0x3: mov r0, v0
            goto block7
        block2 at 0x2:
            enter loop 0 with i1
            goto block3
        block3 at 0x3:
            0x3: mov r0, v0
            if cmp.x block4 else block5
        block4:
            aL += i1.z
            goto block7
        block5:
            aL += i1.z
            if left0 > 0 block6 else block7
        block6:
            left0 -= 1
            goto block3
        block7:
            end
    "#]]
    .assert_eq(&Text { cfg: &cfg, program: Some(&program) }.to_string());
}

#[test]
fn a_drawing_of_a_dispatch_block_has_an_edge_for_each_value() {
    let cfg = reduced("jmp x 2; a; a; jmp y 1; end");
    expect![[r#"
        digraph program {
            node [shape=box, fontname=monospace];
            0 [ label = "block0 at 0x0\lcmp.x?\l" ]
            1 [ label = "block1\ldispatch0 = 1\l" ]
            2 [ label = "block2\ldispatch0 = 0\l" ]
            3 [ label = "block3\ldispatch0?\l" ]
            4 [ label = "block4 at 0x1\lrun 0x1\ldispatch0 = 1\l" ]
            5 [ label = "block5 at 0x2\lrun 0x2\lcmp.y?\l" ]
            6 [ label = "block6\ldispatch0 = 0\l" ]
            7 [ label = "block7\lend\l" ]
            0 -> 1 [ label = "yes" ]
            0 -> 2 [ label = "no" ]
            1 -> 3 [ label = "" ]
            2 -> 3 [ label = "" ]
            3 -> 4 [ label = "0" ]
            3 -> 5 [ label = "1" ]
            4 -> 3 [ label = "" ]
            5 -> 6 [ label = "yes" ]
            5 -> 7 [ label = "no" ]
            6 -> 3 [ label = "" ]
        }
    "#]]
    .assert_eq(&Dot { cfg: &cfg, program: None }.to_string());
}
