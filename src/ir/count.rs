//! How large a function is, in numbers for reports. In: a function. Out: [`Count`]. Changes nothing.

use super::func::{Func, NodeData};
use super::walk::{Step, Walk};

/// What a function consists of; only what its body reaches counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Operations.
    pub operations: u32,
    /// `if`s.
    pub ifs: u32,
    /// Loops.
    pub loops: u32,
    /// Blocks.
    pub blocks: u32,
    /// Switches.
    pub switches: u32,
    /// Loop parameters and results: what needs variables or phis.
    pub merged: u32,
    /// How deep constructs nest.
    pub depth: u32,
}

/// Counts what a function consists of.
///
/// ```
/// use transpica::ir::{count::{Count, count}, text};
/// let module = text::parse("func main { %0: bool = uniform b0 if %0 { yield %0 } else { yield %0 } -> %1: bool yield %1 }")?;
/// let expected = Count { operations: 1, ifs: 1, merged: 1, depth: 1, ..Count::default() };
/// assert_eq!(count(&module.main), expected);
/// # Ok::<(), transpica::error::Error>(())
/// ```
pub fn count(f: &Func) -> Count {
    let mut count = Count::default();
    let mut depth = 0;
    let mut walk = Walk::new(f);
    while let Some(step) = walk.next(f) {
        match step {
            Step::Let(_) => count.operations += 1,
            Step::Enter(node) => {
                depth += 1;
                count.depth = count.depth.max(depth);
                count.merged += f.nodes[node].results().len;
                match &f.nodes[node] {
                    NodeData::If { .. } => count.ifs += 1,
                    NodeData::Loop { params, .. } => {
                        count.loops += 1;
                        count.merged += params.len;
                    }
                    NodeData::Block { .. } => count.blocks += 1,
                    NodeData::Switch { .. } => count.switches += 1,
                }
            }
            Step::Leave(_) => depth -= 1,
            Step::Begin(_) | Step::End(_) => {}
        }
    }
    count
}
