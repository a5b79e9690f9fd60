//! Open regions and constructs of the walk that simplifies.

use crate::ir::{Exit, Item, Node, Region, Targets, ValueList};

/// A region, or the region of a dissolved construct, whose items are on their way to `out`.
#[derive(Debug)]
pub(crate) struct RegionFrame {
    /// Region that takes the items, or `None` if it is dissolved: its items join the frame below.
    pub(super) region: Option<Region>,
    pub(super) items: Vec<Item>,
    pub(super) next: usize,
    /// Length of `out` where it began.
    pub(super) start: usize,
    pub(super) exit: Exit,
    /// Results of the dissolved construct.
    pub(super) results: ValueList,
}

#[derive(Debug)]
pub(crate) struct NodeFrame {
    pub(super) node: Node,
    pub(super) next: usize,
    /// Number of exits that reach its end.
    pub(super) exits: u32,
    /// Number of breaks among them.
    pub(super) breaks: u32,
    pub(super) continues: u32,
    /// Frames that the exits of its regions lead to.
    pub(super) targets: Targets<usize>,
}

/// A region or construct that the walk is in.
#[derive(Debug)]
pub(crate) enum Frame {
    Region(RegionFrame),
    Node(NodeFrame),
}
