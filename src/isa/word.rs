//! Code words as they are stored: formats, fields and bit positions.
//! In: 32-bit words. Out: fields as the word holds them, and words from fields. Knows no operand descriptor and no meaning.
//! Facts: 3dbrew "GPU/Shader Instruction Set"; positions checked against words that picasso assembled.

use super::table::Opcode;

/// A run of bits in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bits {
    low: u8,
    width: u8,
}

impl Bits {
    /// The bits `high` down to `low`, both included.
    pub const fn new(high: u8, low: u8) -> Self {
        Self { low, width: high - low + 1 }
    }
    /// The highest bit.
    pub const fn high(self) -> u8 {
        self.low + self.width - 1
    }
    /// The lowest bit.
    pub const fn low(self) -> u8 {
        self.low
    }
    /// The largest value that fits.
    #[inline]
    pub const fn max(self) -> u32 {
        u32::MAX >> (32 - self.width as u32)
    }
    /// The value these bits have in a word.
    #[inline]
    pub const fn get(self, word: u32) -> u32 {
        word >> self.low & self.max()
    }
    /// A word with the value in these bits and 0 elsewhere; bits of the value that do not fit are dropped.
    #[inline]
    pub const fn put(self, value: u32) -> u32 {
        (value & self.max()) << self.low
    }
}

/// A field of a code word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Field {
    /// Destination register.
    Dest,
    /// Address register of the wide source.
    Index,
    /// First source.
    Source1,
    /// Second source.
    Source2,
    /// Third source.
    Source3,
    /// Operand descriptor.
    Descriptor,
    /// Comparison of x.
    CompareX,
    /// Comparison of y.
    CompareY,
    /// Value wanted of `cmp.x`.
    RefX,
    /// Value wanted of `cmp.y`.
    RefY,
    /// How the flags are combined.
    ConditionOp,
    /// Number of a bool or int uniform.
    Id,
    /// Address of a word ("dst").
    Target,
    /// A number of words ("num"); ten bits as assemblers write it, of which eight are read.
    Num,
    /// Vertex slot.
    Vertex,
    /// Whether EMIT submits a triangle.
    Prim,
    /// Whether its winding is reversed.
    Invert,
}

impl Field {
    /// The name that tables of the instruction set use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dest => "dest",
            Self::Index => "idx",
            Self::Source1 => "src1",
            Self::Source2 => "src2",
            Self::Source3 => "src3",
            Self::Descriptor => "desc",
            Self::CompareX => "opx",
            Self::CompareY => "opy",
            Self::RefX => "refx",
            Self::RefY => "refy",
            Self::ConditionOp => "condop",
            Self::Id => "id",
            Self::Target => "dst",
            Self::Num => "num",
            Self::Vertex => "vertex",
            Self::Prim => "prim",
            Self::Invert => "inv",
        }
    }
}

/// The layout of a word after its opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// 0: no fields.
    Zero,
    /// 1: two sources, the first wide.
    One,
    /// 1i: two sources, the second wide.
    OneInverted,
    /// 1u: one wide source.
    OneUnary,
    /// 1c: CMP.
    OneCompare,
    /// 2: steers by the flags.
    Two,
    /// 3: steers by a bool or int uniform.
    Three,
    /// 4: SETEMIT.
    Four,
    /// 5: three sources, the second wide.
    Five,
    /// 5i: three sources, the third wide.
    FiveInverted,
}

/// Bit positions of formats 1, 1i, 1u and 1c.
pub(super) mod one {
    use super::Bits;
    pub const DEST: Bits = Bits::new(25, 21);
    pub const COMPARE_X: Bits = Bits::new(26, 24);
    pub const COMPARE_Y: Bits = Bits::new(23, 21);
    pub const INDEX: Bits = Bits::new(20, 19);
    pub const WIDE1: Bits = Bits::new(18, 12);
    pub const NARROW2: Bits = Bits::new(11, 7);
    pub const NARROW1: Bits = Bits::new(18, 14);
    pub const WIDE2: Bits = Bits::new(13, 7);
    pub const DESCRIPTOR: Bits = Bits::new(6, 0);
}

/// Bit positions of formats 2, 3 and 4.
pub(crate) mod flow {
    use super::Bits;
    pub const REF_X: Bits = Bits::new(25, 25);
    pub const REF_Y: Bits = Bits::new(24, 24);
    pub const CONDITION_OP: Bits = Bits::new(23, 22);
    pub const ID: Bits = Bits::new(25, 22);
    pub const TARGET: Bits = Bits::new(21, 10);
    pub const NUM: Bits = Bits::new(9, 0);
    pub const VERTEX: Bits = Bits::new(25, 24);
    pub const PRIM: Bits = Bits::new(23, 23);
    pub const INVERT: Bits = Bits::new(22, 22);
}

/// Bit positions of formats 5 and 5i.
pub(super) mod five {
    use super::Bits;
    pub const DEST: Bits = Bits::new(28, 24);
    pub const INDEX: Bits = Bits::new(23, 22);
    pub const NARROW1: Bits = Bits::new(21, 17);
    pub const WIDE2: Bits = Bits::new(16, 10);
    pub const NARROW3: Bits = Bits::new(9, 5);
    pub const NARROW2: Bits = Bits::new(16, 12);
    pub const WIDE3: Bits = Bits::new(11, 5);
    pub const DESCRIPTOR: Bits = Bits::new(4, 0);
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 10] = [
        Self::Zero,
        Self::One,
        Self::OneInverted,
        Self::OneUnary,
        Self::OneCompare,
        Self::Two,
        Self::Three,
        Self::Four,
        Self::Five,
        Self::FiveInverted,
    ];
    /// The short name, such as `1i`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Zero => "0",
            Self::One => "1",
            Self::OneInverted => "1i",
            Self::OneUnary => "1u",
            Self::OneCompare => "1c",
            Self::Two => "2",
            Self::Three => "3",
            Self::Four => "4",
            Self::Five => "5",
            Self::FiveInverted => "5i",
        }
    }
    /// The fields with their places, from the top of the word down.
    pub const fn layout(self) -> &'static [(Field, Bits)] {
        use Field::*;
        match self {
            Self::Zero => &[],
            Self::One => &[
                (Dest, one::DEST),
                (Index, one::INDEX),
                (Source1, one::WIDE1),
                (Source2, one::NARROW2),
                (Descriptor, one::DESCRIPTOR),
            ],
            Self::OneInverted => &[
                (Dest, one::DEST),
                (Index, one::INDEX),
                (Source1, one::NARROW1),
                (Source2, one::WIDE2),
                (Descriptor, one::DESCRIPTOR),
            ],
            Self::OneUnary => &[
                (Dest, one::DEST),
                (Index, one::INDEX),
                (Source1, one::WIDE1),
                (Descriptor, one::DESCRIPTOR),
            ],
            Self::OneCompare => &[
                (CompareX, one::COMPARE_X),
                (CompareY, one::COMPARE_Y),
                (Index, one::INDEX),
                (Source1, one::WIDE1),
                (Source2, one::NARROW2),
                (Descriptor, one::DESCRIPTOR),
            ],
            Self::Two => &[
                (RefX, flow::REF_X),
                (RefY, flow::REF_Y),
                (ConditionOp, flow::CONDITION_OP),
                (Target, flow::TARGET),
                (Num, flow::NUM),
            ],
            Self::Three => &[(Id, flow::ID), (Target, flow::TARGET), (Num, flow::NUM)],
            Self::Four => &[(Vertex, flow::VERTEX), (Prim, flow::PRIM), (Invert, flow::INVERT)],
            Self::Five => &[
                (Dest, five::DEST),
                (Index, five::INDEX),
                (Source1, five::NARROW1),
                (Source2, five::WIDE2),
                (Source3, five::NARROW3),
                (Descriptor, five::DESCRIPTOR),
            ],
            Self::FiveInverted => &[
                (Dest, five::DEST),
                (Index, five::INDEX),
                (Source1, five::NARROW1),
                (Source2, five::NARROW2),
                (Source3, five::WIDE3),
                (Descriptor, five::DESCRIPTOR),
            ],
        }
    }
    /// Where a field stands, if the format has it.
    pub fn bits(self, field: Field) -> Option<Bits> {
        self.layout().iter().find(|(name, _)| *name == field).map(|&(_, bits)| bits)
    }
    /// The source that may be a uniform and take an address register.
    pub const fn wide(self) -> Option<Field> {
        match self {
            Self::One | Self::OneUnary | Self::OneCompare => Some(Field::Source1),
            Self::OneInverted | Self::Five => Some(Field::Source2),
            Self::FiveInverted => Some(Field::Source3),
            Self::Zero | Self::Two | Self::Three | Self::Four => None,
        }
    }
    /// How many sources it has.
    pub const fn source_count(self) -> usize {
        match self {
            Self::Zero | Self::Two | Self::Three | Self::Four => 0,
            Self::OneUnary => 1,
            Self::One | Self::OneInverted | Self::OneCompare => 2,
            Self::Five | Self::FiveInverted => 3,
        }
    }
    /// Whether the last source is the wide one although a plain form exists.
    pub const fn is_inverted(self) -> bool {
        matches!(self, Self::OneInverted | Self::FiveInverted)
    }
    /// The bits that fields occupy; all other bits below the opcode are ignored.
    pub fn mask(self) -> u32 {
        self.layout().iter().fold(0, |mask, (_, bits)| mask | bits.put(u32::MAX))
    }
}

/// A code word seen as opcode and fields, exactly as stored.
///
/// ```
/// use transpica::isa::table::Opcode;
/// use transpica::isa::word::{Field, Word};
/// let call = Word::new(Opcode::Call).with(Field::Target, 0x2D).with(Field::Num, 2);
/// assert_eq!(call.0, 0x9000_B402);
/// assert_eq!(call.get(Field::Target), Some(0x2D));
/// assert_eq!(call.get(Field::Dest), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Word(pub u32);

impl Word {
    /// The opcode with all fields 0.
    pub fn new(opcode: Opcode) -> Self {
        Self(u32::from(opcode.info().first) << 26)
    }
    /// The opcode, if it is defined.
    #[inline]
    pub fn opcode(self) -> Option<Opcode> {
        Opcode::of_word(self.0)
    }
    /// The value of a field, or nothing where the format lacks it.
    pub fn get(self, field: Field) -> Option<u32> {
        Some(self.opcode()?.format().bits(field)?.get(self.0))
    }
    /// The word with one field changed. Bits of the value that do not fit are dropped; a field that the format lacks
    /// changes nothing.
    #[must_use]
    pub fn with(self, field: Field, value: u32) -> Self {
        let place = self.opcode().and_then(|opcode| opcode.format().bits(field));
        place.map_or(self, |bits| Self(self.0 & !bits.put(u32::MAX) | bits.put(value)))
    }
    /// The fields with their values, from the top of the word down.
    pub fn fields(self) -> impl Iterator<Item = (Field, u32)> {
        let layout = self.opcode().map_or(&[][..], |opcode| opcode.format().layout());
        layout.iter().map(move |&(field, bits)| (field, bits.get(self.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rebuilds a word from its opcode and fields.
    fn rebuild(word: Word) -> Word {
        let opcode = word.opcode().expect("defined");
        word.fields().fold(Word::new(opcode), |built, (field, value)| built.with(field, value))
    }

    #[test]
    fn every_value_of_every_field_survives_among_any_others() {
        for &opcode in Opcode::ALL {
            for pattern in [0, u32::MAX, 0x5555_5555, 0xAAAA_AAAA, 0x1234_5678] {
                let base = Word(Word::new(opcode).0 | pattern & opcode.format().mask());
                assert_eq!(base.opcode(), Some(opcode));
                for &(field, bits) in opcode.format().layout() {
                    for value in 0..=bits.max() {
                        let word = base.with(field, value);
                        assert_eq!(word.get(field), Some(value), "{opcode:?} {field:?}");
                        assert_eq!(rebuild(word), word, "{opcode:?} {field:?} {value:#x}");
                        let others = !bits.put(u32::MAX);
                        assert_eq!(word.0 & others, base.0 & others, "{opcode:?} {field:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn fields_do_not_overlap() {
        for format in Format::ALL {
            let sum: u64 = format.layout().iter().map(|(_, bits)| u64::from(bits.put(u32::MAX))).sum();
            assert_eq!(sum, u64::from(format.mask()), "{}", format.name());
        }
    }

    #[test]
    fn the_wide_source_has_seven_bits_and_every_other_five() {
        for format in Format::ALL {
            for (field, bits) in format.layout() {
                if matches!(field, Field::Source1 | Field::Source2 | Field::Source3) {
                    let expected = if format.wide() == Some(*field) { 0x7F } else { 0x1F };
                    assert_eq!(bits.max(), expected, "{} {field:?}", format.name());
                }
            }
        }
    }
}
