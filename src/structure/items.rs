//! Statements as linked lists, while they are still moved about.
//! In: statements one by one. Out: lists that can be joined in no time. Knows nothing about what they mean.

use super::tree::{Cond, Var};
use crate::cfg::Block;

/// Ends a list.
pub(super) const NONE: u32 = u32::MAX;

/// A list of statements. Lists get their numbers in the order in which they are opened: what stands in a list has only lists
/// with higher numbers inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Seq(pub u32);

/// A statement that may still be a labelled exit.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    /// Left over from a statement that was not needed.
    Nothing,
    Block(Block),
    Set {
        var: Var,
        value: u32,
    },
    If {
        cond: Cond,
        negate: bool,
        then: Seq,
        otherwise: Seq,
    },
    Loop {
        body: Seq,
        /// Whether a `Break` leaves it.
        leaves: bool,
    },
    Breakable(Seq),
    /// The cases are `count` lists from `first` on, for values from 0.
    Switch {
        var: Var,
        first: Seq,
        count: u32,
    },
    Break,
    Continue,
    /// Goes to a label.
    Br(Block),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) kind: Kind,
    /// The next of the list, or [`NONE`].
    pub(super) next: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct SeqData {
    pub(super) first: u32,
    pub(super) last: u32,
    /// In how many statements it stands, as far as known.
    pub(super) depth: u32,
}

/// All statements.
#[derive(Clone, Debug, Default)]
pub(super) struct Items {
    pub(super) items: Vec<Item>,
    pub(super) seqs: Vec<SeqData>,
}

impl Items {
    /// An empty list.
    pub(super) fn open(&mut self, depth: u32) -> Seq {
        let seq = Seq(self.seqs.len() as u32); // Range: a few for each block.
        self.seqs.push(SeqData { first: NONE, last: NONE, depth });
        seq
    }

    pub(super) fn seq(&self, seq: Seq) -> &SeqData {
        &self.seqs[seq.0 as usize]
    }

    pub(super) fn item(&self, index: u32) -> &Item {
        &self.items[index as usize]
    }

    pub(super) fn item_mut(&mut self, index: u32) -> &mut Item {
        &mut self.items[index as usize]
    }

    /// The last statement of a list.
    pub(super) fn last(&self, seq: Seq) -> Option<&Item> {
        self.items.get(self.seq(seq).last as usize)
    }

    /// Appends a statement.
    pub(super) fn push(&mut self, seq: Seq, kind: Kind) {
        let index = self.items.len() as u32; // Range: a few for each block.
        self.items.push(Item { kind, next: NONE });
        self.link(seq, index, index);
    }

    /// Moves the content of a list to the end of another.
    pub(super) fn append(&mut self, to: Seq, from: Seq) {
        let SeqData { first, last, .. } = *self.seq(from);
        if first != NONE {
            self.link(to, first, last);
            self.clear(from);
        }
    }

    /// Empties a list.
    pub(super) fn clear(&mut self, seq: Seq) {
        let data = &mut self.seqs[seq.0 as usize];
        (data.first, data.last) = (NONE, NONE);
    }

    fn link(&mut self, seq: Seq, first: u32, last: u32) {
        let data = &mut self.seqs[seq.0 as usize];
        let before = std::mem::replace(&mut data.last, last);
        if before == NONE {
            data.first = first;
        } else {
            self.items[before as usize].next = first;
        }
    }
}
