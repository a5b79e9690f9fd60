//! Tables that the passes use and keep between programs, so that a short program costs no
//! allocation.
//! Knows nothing of their content; each pass begins by filling what it needs. The two analyses that
//! several passes read stand apart: the caller of the passes computes them and passes them in.

use super::analyze::demand::Demand;
use super::analyze::flow::ValueFlow;
use super::legalize::Built;
use super::optimize::equal::Visible;
use super::optimize::simplify::frame::Frame;
use crate::ir::{Func, Item, Value, Walk};

/// Reusable memory of the passes: two analyses and the tables of each pass.
#[derive(Debug, Default)]
pub struct Scratch {
    /// Control flow of the function that was analyzed last.
    pub flow: ValueFlow,
    /// Demanded lanes of the function that was analyzed last.
    pub demand: Demand,
    /// Tables of each pass.
    pub tables: Tables,
    /// Helpers of modules before.
    pub built: Built,
}

/// Tables that each pass fills anew. Their content never matters, only their capacity.
#[derive(Debug, Default)]
pub struct Tables {
    /// Replacement of each value.
    pub(super) map: Vec<Value>,
    /// Items of the regions being rebuilt.
    pub(super) items: Vec<Item>,
    /// Open regions and constructs of `simplify`.
    pub(super) frames: Vec<Frame>,
    /// Values that a pass still has to look at.
    pub(super) work: Vec<Value>,
    /// The visible operations of `simplify` and `cse`.
    pub(super) visible: Visible,
    /// The walk of `cse`.
    pub(super) walk: Walk,
    /// Mask of the lanes that each value keeps.
    pub(super) layouts: Vec<u8>,
    /// Marks of values.
    pub(super) touched: Vec<bool>,
    /// Number of uses of each value.
    pub(super) uses: Vec<u32>,
}

impl Scratch {
    /// Computes both analyses of a function.
    pub fn analyze(&mut self, f: &Func) {
        self.flow.compute(f);
        self.demand.compute(f, &self.flow);
    }
}

/// Fills a map so that every value stands for itself.
pub(super) fn identity(map: &mut Vec<Value>, values: usize) {
    map.clear();
    map.extend((0..values as u32).map(Value));
}
