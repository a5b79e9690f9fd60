//! Trees of small programs.

use expect_test::expect;

use transpica::Limits;
use transpica::stages::cfg::Cfg;
use transpica::stages::cfg::explore::{ExploreOptions, Explored, explore};
use transpica::stages::cfg::reduce::reduce;
use transpica::stages::structure::text::TreeText;
use transpica::stages::structure::{Structured, blocks, structure};

use super::graphs::program;

fn graph(text: &str) -> Cfg {
    let limits = Limits::default();
    let explored = explore(&program(text), &ExploreOptions::default(), &limits).expect("is defined");
    let Explored::Graph(mut cfg) = explored else { panic!("too many nodes") };
    reduce(&mut cfg, &limits);
    cfg
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
    .assert_eq(&TreeText { tree: &tree, cfg: &cfg, program: None }.to_string());
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
    let explored = explore(&program("jmp x 2; a; a; jmp y 1; end"), &ExploreOptions::default(), &limits);
    let Ok(Explored::Graph(cfg)) = explored else { panic!("explores") };
    assert_eq!(structure(&cfg, &limits), Structured::TooDeep { depth: None });
}

#[test]
fn entangled_jumps_take_a_fallback_tier() {
    // Each of the first jumps crosses the targets of all others.
    let count = 400;
    let jumps = (0..count).map(|n| format!("cmp; jmp x {};", 2 * (count + n)));
    let targets = (0..count).map(|_| "a; cmp;");
    let cfg = graph(&(jumps.collect::<String>() + &targets.collect::<String>() + "end"));
    assert_eq!(structure(&cfg, &Limits::default()), Structured::TooDeep { depth: None });
}

#[test]
fn many_early_ends_nest_little() {
    let text = "cmp; jmp x 302; a;".repeat(100);
    let cfg = graph(&format!("{text} a; a; end"));
    for depth in [25, 10] {
        let limits = Limits { depth, ..Limits::default() };
        assert!(matches!(structure(&cfg, &limits), Structured::Tree(_)), "{depth}");
    }
}
