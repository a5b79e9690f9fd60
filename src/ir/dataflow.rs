//! Forward analyses of a function, in program order.
//! In: a function and a [`Domain`]. Out: the facts that the domain keeps. Knows no operation.
//!
//! Parameters of loops are assumed to be what they are at first, until a `Continue` says more; then
//! the outermost loop is passed once more. A domain whose facts could grow without end
//! [widens](Domain::exit) them by the number of the round.

use super::func::{Exit, Func, Node, Region};
use super::types::Value;
use super::walk::{Step, Target, Walk};

/// Facts about the values of a function, and how they follow from each other.
pub trait Domain {
    /// An item evaluates a value; its operands are known.
    fn define(&mut self, f: &Func, value: Value);

    /// A construct begins. A loop gives its parameters their first values, in this round of the
    /// outermost loop around it, 0 at first.
    fn enter(&mut self, f: &Func, node: Node, round: u32);

    /// A region begins.
    fn begin(&mut self, _f: &Func, _region: Region) {}

    /// An exit gives values to the construct that it leads to. Returns whether more is known of the
    /// parameters of a loop; in some round it must say no.
    fn exit(&mut self, f: &Func, exit: Exit, target: Target, round: u32) -> bool;

    /// A construct ends, or is an outermost loop that is passed `again`. Returns as
    /// [`exit`](Self::exit).
    fn leave(&mut self, _f: &Func, _node: Node, _again: bool) -> bool {
        false
    }

    /// An outermost loop begins, which a round may [`reset`](Self::reset) to here.
    fn mark(&mut self) {}

    /// Drops what is not a fact about a value and was added since the [`mark`](Self::mark).
    fn reset(&mut self) {}
}

/// Passes a function until nothing more becomes known.
pub fn run(f: &Func, domain: &mut impl Domain) {
    let mut walk = Walk::new(f);
    let (mut loops, mut round, mut changed) = (0, 0, false);
    while let Some(step) = walk.next(f) {
        match step {
            Step::Let(value) => {
                domain.define(f, value);
                walk.lets(f, |value| domain.define(f, value));
            }
            Step::Enter(node) => {
                if f.nodes[node].is_loop() {
                    if loops == 0 {
                        domain.mark();
                    }
                    loops += 1;
                }
                domain.enter(f, node, round);
            }
            Step::Begin(region) => domain.begin(f, region),
            Step::End(region) => {
                let exit = f.regions[region].exit;
                if let Some(target) = walk.target(exit) {
                    changed |= domain.exit(f, exit, target, round);
                }
            }
            Step::Leave(node) => {
                let is_loop = f.nodes[node].is_loop();
                loops -= u32::from(is_loop);
                let is_outermost = is_loop && loops == 0;
                let again = is_outermost && std::mem::take(&mut changed);
                if is_outermost {
                    round = if again { round + 1 } else { 0 };
                }
                if again {
                    domain.reset();
                }
                changed |= domain.leave(f, node, again);
                if again {
                    walk.repeat();
                }
            }
        }
    }
}
