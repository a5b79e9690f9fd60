//! Graphs of small programs.

use expect_test::expect;

use petgraph::graph::DiGraph;

use transpica::isa::Pc;
use transpica::isa::control::Test;
use transpica::stages::cfg::dot::Dot;
use transpica::stages::cfg::explore::{ExploreOptions, Explored, explore};
use transpica::stages::cfg::graph::{Predecessors, dominators, is_reducible};
use transpica::stages::cfg::reduce::{Reduced, reduce};
use transpica::stages::cfg::text::CfgText;
use transpica::stages::cfg::{Action, Block, BlockData, Cfg, Terminator, simplify};
use transpica::stages::entity::Handle;
use transpica::{Kind, Limits, Stage};

use super::graphs::{program, program_for};

fn graph_with(text: &str, options: &ExploreOptions) -> Cfg {
    match explore(&program(text), options, &Limits::default()).expect("is defined") {
        Explored::Graph(cfg) => cfg,
        Explored::TooManyNodes { limit } => panic!("more than {limit} nodes"),
    }
}

fn graph(text: &str) -> Cfg {
    graph_with(text, &ExploreOptions::default())
}

#[test]
fn known_uniforms_prune_edges() {
    let options = ExploreOptions {
        known_bools: 0b11,
        bools: 0b01,
        ints: [Some([0, 1, 1]), None, None, None],
        ..ExploreOptions::default()
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
fn nop_and_emit_without_effect_make_no_actions() {
    let run = |stage| {
        let program = program_for("none; emit; a; nop; end", stage);
        match explore(&program, &ExploreOptions::default(), &Limits::default()) {
            Ok(Explored::Graph(cfg)) => cfg.actions,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(run(Stage::Vertex), [Action::Run(Pc(2))]);
    assert_eq!(run(Stage::Geometry), [Action::Run(Pc(1)), Action::Run(Pc(2))]);
}

#[test]
fn an_undefined_opcode_is_an_error_only_if_it_is_reached() {
    let limits = Limits::default();
    let run = |text: &str, permissive| {
        explore(&program(text), &ExploreOptions { permissive, ..ExploreOptions::default() }, &limits)
    };
    for text in ["a; bad; end", "if x 2 0; bad; end"] {
        let error = run(text, false).expect_err("reached");
        assert!(matches!(error.kind, Kind::BadOpcode(_)), "{error}");
        assert_eq!(error.at, transpica::stages::error::At::Pc(1));
        assert!(run(text, true).is_ok());
    }
    assert!(run("end; bad", false).is_ok());
    assert!(run("jmp x 2; end; end; bad", false).is_ok());
}

#[test]
fn too_many_nodes_are_reported() {
    let limits = Limits { nodes_per_instruction: 0, nodes_base: 2, ..Limits::default() };
    let explored =
        explore(&program("jmp x 2; a; a; end"), &ExploreOptions::default(), &limits).expect("is defined");
    assert_eq!(explored, Explored::TooManyNodes { limit: 2 });
}

fn reduced(text: &str) -> Cfg {
    let mut cfg = graph(text);
    assert!(!is_reducible(&cfg));
    assert_eq!(reduce(&mut cfg, &Limits::default()), Reduced::Reducible);
    assert!(is_reducible(&cfg));
    cfg
}

#[test]
fn cycles_nested_too_deep_are_not_reduced() {
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

/// A random graph, as the exploration would leave it.
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
fn the_dot_form_has_the_blocks_and_edges_of_the_text() {
    let program = program("if !b3 2 1; a; loop i1 4; a; break x; end");
    let Explored::Graph(cfg) =
        explore(&program, &ExploreOptions::default(), &Limits::default()).expect("is defined")
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
    .assert_eq(&CfgText { cfg: &cfg, program: Some(&program) }.to_string());
}

#[test]
fn the_dot_form_of_a_dispatch_block_has_an_edge_for_each_value() {
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
