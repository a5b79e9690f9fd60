//! One lane of a value, of a single vertex or of 128 that are computed side by side.
//! In: operations and operands. Out: results, and sets of vertices. Knows no shapes.

use std::rc::Rc;

use super::data::Scalar;
use super::operations::{Operation, compute};

/// Vertices that are computed side by side.
pub const VERTICES: usize = 128;

/// Vertices of half a set, which is a single word.
const HALF: usize = VERTICES / 2;

/// A set of vertices: bit n is vertex n.
pub(super) type Set = u128;

/// One lane of a value.
pub trait Component: Clone {
    /// These bits, for each vertex.
    fn splat(bits: u32) -> Self;
    /// Computes it, or returns `None` where the subset lacks the operation.
    fn compute(operation: Operation, kind: Scalar, operands: [&Self; 3]) -> Option<Self>;
    /// The first where the bits of this one are not 0, else the second.
    fn choose(&self, accept: &Self, reject: &Self) -> Self;
}

impl Component for u32 {
    fn splat(bits: u32) -> Self {
        bits
    }
    fn compute(operation: Operation, kind: Scalar, operands: [&Self; 3]) -> Option<Self> {
        let mut result = [0];
        compute(operation, kind, operands.map(std::array::from_ref), &mut result)?;
        Some(result[0])
    }
    fn choose(&self, accept: &Self, reject: &Self) -> Self {
        if *self != 0 { *accept } else { *reject }
    }
}

/// A lane of each vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct Lanes(Rc<[u32; VERTICES]>);

impl Component for Lanes {
    fn splat(bits: u32) -> Self {
        Self::new([bits; VERTICES])
    }
    fn compute(operation: Operation, kind: Scalar, operands: [&Self; 3]) -> Option<Self> {
        let mut results = [0; VERTICES];
        compute(operation, kind, operands.map(|lanes| &*lanes.0), &mut results)?;
        Some(Self::new(results))
    }
    fn choose(&self, accept: &Self, reject: &Self) -> Self {
        let mut chosen = reject.clone();
        chosen.replace(self.set(), accept);
        chosen
    }
}

impl Lanes {
    /// A lane of each vertex.
    pub fn new(lanes: [u32; VERTICES]) -> Self {
        Self(Rc::new(lanes))
    }

    /// A lane by the number of each vertex.
    pub fn from_fn(lane: impl FnMut(usize) -> u32) -> Self {
        let mut lanes = [0; VERTICES];
        lanes.iter_mut().zip((0..).map(lane)).for_each(|(to, lane)| *to = lane);
        Self::new(lanes)
    }

    /// The bits of a vertex.
    pub fn get(&self, vertex: usize) -> u32 {
        self.0[vertex % VERTICES]
    }

    /// The vertices whose bits are not 0.
    pub(super) fn set(&self) -> Set {
        self.select(|bits| bits != 0)
    }

    /// The vertices with these bits.
    pub(super) fn equal(&self, bits: u32) -> Set {
        self.select(|lane| lane == bits)
    }

    fn select(&self, is_in: impl Fn(u32) -> bool) -> Set {
        let half = |lanes: &[u32]| lanes.iter().rev().fold(0, |set, &bits| set << 1 | u64::from(is_in(bits)));
        let (low, high) = self.0.split_at(HALF);
        Set::from(half(high)) << HALF | Set::from(half(low))
    }

    /// The bits that all vertices have, if they have the same.
    pub(super) fn common(&self) -> Option<u32> {
        self.0.iter().all(|bits| *bits == self.0[0]).then_some(self.0[0])
    }

    /// Changes the bits of some vertices, in order.
    pub(super) fn change(&mut self, within: Set, mut change: impl FnMut(usize, u32) -> u32) {
        let halves = Rc::make_mut(&mut self.0).chunks_mut(HALF).enumerate();
        for (half, lanes) in halves {
            let set = (within >> (HALF * half)) as u64; // Range: the low half of what is left.
            for (vertex, bits) in lanes.iter_mut().enumerate() {
                if set >> vertex & 1 != 0 {
                    *bits = change(HALF * half + vertex, *bits);
                }
            }
        }
    }

    /// Replaces the bits of some vertices.
    pub(super) fn replace(&mut self, within: Set, other: &Self) {
        if within == Set::MAX {
            self.clone_from(other);
        } else {
            self.change(within, |vertex, _| other.get(vertex));
        }
    }
}
