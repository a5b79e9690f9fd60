//! Rules of `dataflow`.

use transpica::Limits;
use transpica::stages::cfg::dataflow::{Analysis, solve};
use transpica::stages::cfg::explore::{ExploreOptions, Explored, explore};
use transpica::stages::cfg::{Block, BlockData, Cfg};

use super::graphs::program;

/// The blocks that every path to a block has passed; edges with answer `closed` are never
/// taken.
struct Passed {
    closed: Option<usize>,
}

impl Analysis for Passed {
    type Fact = u64;
    fn init(&self) -> u64 {
        0
    }
    fn transfer(&self, block: Block, before: u64) -> u64 {
        before | 1 << block.0
    }
    fn edge(&self, _block: Block, data: &BlockData, target: usize, after: u64) -> Option<u64> {
        let is_branch = data.terminator.targets().count() > 1;
        (!is_branch || self.closed != Some(target)).then_some(after)
    }
    fn meet(&self, a: u64, b: u64) -> u64 {
        a & b
    }
}

fn passed(text: &str, closed: Option<usize>) -> Vec<Option<u64>> {
    let limits = Limits::default();
    let explored = explore(&program(text), &ExploreOptions::default(), &limits).expect("is defined");
    let Explored::Graph(cfg) = explored else { panic!("too many nodes") };
    solve(&cfg, &Passed { closed })
}

#[test]
fn facts_of_both_paths_meet_after_an_if() {
    assert_eq!(passed("if x 2 1; a; a; end", None), [Some(0), Some(1), Some(1), Some(1)]);
}

#[test]
fn facts_of_a_loop_reach_a_fixed_point() {
    // The head is reached from before the loop and from its end.
    let facts = passed("a; loop i0 3; a; a; end", None);
    assert_eq!(facts, [Some(0), Some(1), Some(0b11), Some(0b11)]);
}

#[test]
fn a_block_with_only_closed_edges_has_no_fact() {
    assert_eq!(passed("if x 2 1; a; a; end", Some(0)), [Some(0), None, Some(1), Some(0b101)]);
    assert_eq!(solve(&Cfg::default(), &Passed { closed: None }), []);
}
