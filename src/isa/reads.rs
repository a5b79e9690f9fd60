//! The components that an instruction reads of a source.
//! In: the components that it writes. Out: those of the source, after its swizzle. Knows no instruction: the table of
//! opcodes has a value for each source of each row.

use super::reg::Mask;

/// The components of a source that can change a result.
///
/// ```
/// use transpica::stages::isa::{DataOp, Mask};
/// let [first, second] = DataOp::Dst.reads() else { unreachable!("two sources") };
/// assert_eq!((first.of(Mask::XYZ).to_string(), second.of(Mask::XYZ).to_string()), ("yz".into(), "y".into()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reads {
    /// Read whatever is written.
    always: Mask,
    /// Read where the same component is written.
    lanewise: Mask,
}

/// Each component for the same one of the result.
pub(super) const EACH: Reads = each("xyzw");
/// x, whatever is written.
pub(super) const X: Reads = all("x");
/// x and y, whatever is written.
pub(super) const XY: Reads = all("xy");
/// All but w, whatever is written.
pub(super) const XYZ: Reads = all("xyz");
/// All components, whatever is written.
pub(super) const XYZW: Reads = all("xyzw");

/// These components, whatever is written.
pub(super) const fn all(components: &str) -> Reads {
    Reads { always: mask(components), lanewise: Mask::NONE }
}

/// Those of these components that are written.
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
    /// What either reads.
    pub(super) const fn and(self, other: Self) -> Self {
        Self {
            always: Mask(self.always.0 | other.always.0),
            lanewise: Mask(self.lanewise.0 | other.lanewise.0),
        }
    }
    /// The components read by an instruction that writes these.
    #[inline]
    pub const fn of(self, written: Mask) -> Mask {
        Mask(self.always.0 | self.lanewise.0 & written.0)
    }
}
