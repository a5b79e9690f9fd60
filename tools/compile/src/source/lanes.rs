//! One lane of a value, of a single vertex or of 128 that are computed side by side.
//! In: operations and operands. Out: results, and sets of vertices. Knows no shapes.

use std::cell::RefCell;
use std::rc::Rc;

use super::data::Scalar;
use super::operations::{Operation, compute};

/// Vertices that are computed side by side.
pub const VERTICES: usize = 128;

/// Vertices that a word of a set holds, and the bit of each.
const WORD: usize = 32;
const BITS: [u32; WORD] = {
    let mut bits = [1; WORD];
    let mut vertex = 1;
    while vertex < WORD {
        bits[vertex] = bits[vertex - 1] << 1;
        vertex += 1;
    }
    bits
};

/// Unused blocks that a thread keeps: most results live as long as their statement.
const KEPT: usize = 256;

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
#[derive(Clone, Debug)]
pub struct Lanes(Bits);

#[derive(Clone, Debug)]
enum Bits {
    /// The same bits for all.
    Same(u32),
    /// Its own bits for each.
    Each(Rc<[u32; VERTICES]>),
}

thread_local! {
    static UNUSED: RefCell<Vec<Rc<[u32; VERTICES]>>> = const { RefCell::new(Vec::new()) };
}

/// A block with any bits.
fn block() -> Rc<[u32; VERTICES]> {
    let unused = UNUSED.try_with(|unused| unused.borrow_mut().pop()).ok().flatten();
    unused.unwrap_or_else(|| Rc::new([0; VERTICES]))
}

impl Drop for Lanes {
    fn drop(&mut self) {
        // Without a list of unused ones, `malloc` and `free` take a fifth of a comparison.
        if let Bits::Each(block) = std::mem::replace(&mut self.0, Bits::Same(0))
            && Rc::strong_count(&block) == 1
        {
            let keep = |unused: &RefCell<Vec<_>>| {
                let mut unused = unused.borrow_mut();
                if unused.len() < KEPT {
                    unused.push(block);
                }
            };
            // A thread that ends keeps none.
            let _ends = UNUSED.try_with(keep);
        }
    }
}

impl Component for Lanes {
    fn splat(bits: u32) -> Self {
        Self(Bits::Same(bits))
    }
    fn compute(operation: Operation, kind: Scalar, operands: [&Self; 3]) -> Option<Self> {
        if let [Bits::Same(x), Bits::Same(y), Bits::Same(z)] = operands.map(|lanes| &lanes.0) {
            return u32::compute(operation, kind, [x, y, z]).map(Self::splat);
        }
        let mut results = block();
        let [x, y, z] = operands.map(Self::expanded);
        compute(operation, kind, [x.each(), y.each(), z.each()], Rc::make_mut(&mut results))?;
        Some(Self(Bits::Each(results)))
    }
    fn choose(&self, accept: &Self, reject: &Self) -> Self {
        let mut chosen = reject.clone();
        chosen.replace(self.set(), accept);
        chosen
    }
}

impl Lanes {
    /// A lane by the number of each vertex.
    pub fn from_fn(lane: impl FnMut(usize) -> u32) -> Self {
        let mut lanes = block();
        Rc::make_mut(&mut lanes).iter_mut().zip((0..).map(lane)).for_each(|(to, lane)| *to = lane);
        Self(Bits::Each(lanes))
    }

    /// The bits of so many vertices each; vertices beyond the last repeat it.
    pub(super) fn runs(runs: impl Iterator<Item = (u32, usize)>) -> Self {
        let mut runs = runs.peekable();
        let mut lanes = block();
        let mut rest = &mut Rc::make_mut(&mut lanes)[..];
        while let Some((bits, count)) = runs.next() {
            let is_last = runs.peek().is_none();
            if is_last && rest.len() == VERTICES {
                return Self::splat(bits);
            }
            let (to, others) = rest.split_at_mut(if is_last { rest.len() } else { count.min(rest.len()) });
            to.fill(bits);
            rest = others;
        }
        Self(Bits::Each(lanes))
    }

    /// The same lanes, as bits of each vertex.
    fn expanded(&self) -> Self {
        match &self.0 {
            Bits::Same(bits) => Self::from_fn(|_| *bits),
            Bits::Each(_) => self.clone(),
        }
    }

    /// The bits of each vertex of lanes that are expanded.
    fn each(&self) -> &[u32; VERTICES] {
        match &self.0 {
            Bits::Same(_) => &[0; VERTICES],
            Bits::Each(lanes) => lanes,
        }
    }

    /// The bits of a vertex.
    pub fn get(&self, vertex: usize) -> u32 {
        match &self.0 {
            Bits::Same(bits) => *bits,
            Bits::Each(lanes) => lanes[vertex % VERTICES],
        }
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
        let word = |lanes: &[u32]| {
            let bits = lanes.iter().zip(BITS).map(|(&lane, bit)| if is_in(lane) { bit } else { 0 });
            bits.fold(0, |word, bit| word | bit)
        };
        match &self.0 {
            Bits::Same(bits) if is_in(*bits) => Set::MAX,
            Bits::Same(_) => 0,
            Bits::Each(lanes) => {
                lanes.chunks(WORD).rev().fold(0, |set, lanes| set << WORD | Set::from(word(lanes)))
            }
        }
    }

    /// The bits that all vertices have, if they have the same.
    pub(super) fn common(&self) -> Option<u32> {
        match &self.0 {
            Bits::Same(bits) => Some(*bits),
            Bits::Each(lanes) => lanes.iter().all(|bits| *bits == lanes[0]).then_some(lanes[0]),
        }
    }

    /// Changes the bits of some vertices, in order.
    pub(super) fn change(&mut self, within: Set, mut change: impl FnMut(usize, u32) -> u32) {
        let mut lanes = block();
        let all = Rc::make_mut(&mut lanes);
        all.copy_from_slice(self.expanded().each());
        let mut left = within;
        while left != 0 {
            let vertex = left.trailing_zeros() as usize % VERTICES;
            all[vertex] = change(vertex, all[vertex]);
            left &= left - 1;
        }
        self.0 = Bits::Each(lanes);
    }

    /// Replaces the bits of some vertices.
    pub(super) fn replace(&mut self, within: Set, other: &Self) {
        if within == Set::MAX {
            self.clone_from(other);
            return;
        }
        let (old, new) = (self.expanded(), other.expanded());
        let mut lanes = block();
        let all = Rc::make_mut(&mut lanes)
            .chunks_mut(WORD)
            .zip(old.each().chunks(WORD))
            .zip(new.each().chunks(WORD));
        for (word, ((to, old), new)) in all.enumerate() {
            let set = (within >> (WORD * word)) as u32; // Range: the lowest word of what is left.
            for (((to, old), new), bit) in to.iter_mut().zip(old).zip(new).zip(BITS) {
                let mask = if set & bit == 0 { 0 } else { u32::MAX };
                *to = old ^ ((old ^ new) & mask);
            }
        }
        self.0 = Bits::Each(lanes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vertices_beyond_the_last_repeat_it() {
        // A block with other bits is used again.
        drop(Lanes::from_fn(|_| 7));
        let lanes = Lanes::runs([(1, 3), (2, 1)].into_iter());
        assert_eq!([0, 2, 3, 4, VERTICES - 1].map(|vertex| lanes.get(vertex)), [1, 1, 2, 2, 2]);
        assert_eq!(Lanes::runs([(5, 4)].into_iter()).common(), Some(5));
        assert_eq!(Lanes::runs([(1, VERTICES - 1), (2, 1)].into_iter()).equal(2), 1 << (VERTICES - 1));
    }
}
