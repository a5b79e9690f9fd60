//! The components that an instruction reads of a source.
//! In: the written components. Out: the read components, after the swizzle. Knows no instruction:
//! the opcode table has a value for each source of each row.

use super::reg::Mask;

/// The components of a source that can change a result: some always, some lane by lane.
///
/// ```
/// use transpica::isa::{DataOp, Mask};
/// let [first, second] = DataOp::Dst.reads() else { unreachable!("two sources") };
/// assert_eq!(first.for_mask(Mask::XYZ).to_string(), "yz");
/// assert_eq!(second.for_mask(Mask::XYZ).to_string(), "y");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reads {
    /// Components that are read whatever is written.
    always: Mask,
    /// Components that are read if the same component is written.
    lanewise: Mask,
}

/// Each component if the same one is written.
pub(super) const EACH: Reads = each("xyzw");
/// x, always.
pub(super) const X: Reads = always("x");
/// x and y, always.
pub(super) const XY: Reads = always("xy");
/// x, y and z, always.
pub(super) const XYZ: Reads = always("xyz");
/// All components, always.
pub(super) const XYZW: Reads = always("xyzw");

/// These components, always.
pub(super) const fn always(components: &str) -> Reads {
    Reads { always: mask(components), lanewise: Mask::NONE }
}

/// These components, each if the same one is written.
pub(super) const fn each(components: &str) -> Reads {
    Reads { always: Mask::NONE, lanewise: mask(components) }
}

/// The components with these letters.
const fn mask(letters: &str) -> Mask {
    let letters = letters.as_bytes();
    let (mut bits, mut next) = (0, 0);
    while next < letters.len() {
        bits |= match letters[next] {
            b'x' => 1,
            b'y' => 2,
            b'z' => 4,
            b'w' => 8,
            _ => panic!("a component is x, y, z or w"),
        };
        next += 1;
    }
    Mask(bits)
}

impl Reads {
    /// The union of both.
    pub(super) const fn and(self, other: Self) -> Self {
        Self {
            always: Mask(self.always.0 | other.always.0),
            lanewise: Mask(self.lanewise.0 | other.lanewise.0),
        }
    }
    /// The components read by an instruction that writes `written`.
    #[inline]
    pub const fn for_mask(self, written: Mask) -> Mask {
        Mask(self.always.0 | self.lanewise.0 & written.0)
    }
}
