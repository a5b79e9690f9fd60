//! Code words as they are stored: formats, fields and bit positions.
//! In: 32-bit words. Out: fields as the word holds them, and words from fields. Knows no operand descriptor and no meaning.
//! Facts: 3dbrew "GPU/Shader Instruction Set"; positions checked against words that picasso assembled.

use super::inst::Move;
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
    /// No bits: reads as 0. Stands where a format lacks a field.
    const NONE: Self = Self { low: 0, width: 0 };
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
        ((1u64 << self.width) - 1) as u32 // Range: at most 32 bits.
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
    /// How many fields there are.
    const COUNT: usize = Self::Invert as usize + 1;
    /// The source fields, in the order of the operands.
    pub const SOURCES: [Self; 3] = [Self::Source1, Self::Source2, Self::Source3];

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
    /// 2: control flow that the flags decide.
    Two,
    /// 3: control flow that a bool or int uniform decides.
    Three,
    /// 4: SETEMIT.
    Four,
    /// 5: three sources, the second wide.
    Five,
    /// 5i: three sources, the third wide.
    FiveInverted,
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
        const fn at(high: u8, low: u8) -> Bits {
            Bits::new(high, low)
        }
        match self {
            Self::Zero => &[],
            Self::One => {
                const {
                    &[
                        (Dest, at(25, 21)),
                        (Index, at(20, 19)),
                        (Source1, at(18, 12)),
                        (Source2, at(11, 7)),
                        (Descriptor, at(6, 0)),
                    ]
                }
            }
            Self::OneInverted => {
                const {
                    &[
                        (Dest, at(25, 21)),
                        (Index, at(20, 19)),
                        (Source1, at(18, 14)),
                        (Source2, at(13, 7)),
                        (Descriptor, at(6, 0)),
                    ]
                }
            }
            Self::OneUnary => {
                const { &[(Dest, at(25, 21)), (Index, at(20, 19)), (Source1, at(18, 12)), (Descriptor, at(6, 0))] }
            }
            Self::OneCompare => {
                const {
                    &[
                        (CompareX, at(26, 24)),
                        (CompareY, at(23, 21)),
                        (Index, at(20, 19)),
                        (Source1, at(18, 12)),
                        (Source2, at(11, 7)),
                        (Descriptor, at(6, 0)),
                    ]
                }
            }
            Self::Two => {
                const {
                    &[
                        (RefX, at(25, 25)),
                        (RefY, at(24, 24)),
                        (ConditionOp, at(23, 22)),
                        (Target, at(21, 10)),
                        (Num, at(9, 0)),
                    ]
                }
            }
            Self::Three => const { &[(Id, at(25, 22)), (Target, at(21, 10)), (Num, at(9, 0))] },
            Self::Four => const { &[(Vertex, at(25, 24)), (Prim, at(23, 23)), (Invert, at(22, 22))] },
            Self::Five => {
                const {
                    &[
                        (Dest, at(28, 24)),
                        (Index, at(23, 22)),
                        (Source1, at(21, 17)),
                        (Source2, at(16, 10)),
                        (Source3, at(9, 5)),
                        (Descriptor, at(4, 0)),
                    ]
                }
            }
            Self::FiveInverted => {
                const {
                    &[
                        (Dest, at(28, 24)),
                        (Index, at(23, 22)),
                        (Source1, at(21, 17)),
                        (Source2, at(16, 12)),
                        (Source3, at(11, 5)),
                        (Descriptor, at(4, 0)),
                    ]
                }
            }
        }
    }
    /// Where a field stands; no bits where the format lacks it.
    #[inline]
    const fn place(self, field: Field) -> Bits {
        PLACES[self as usize][field as usize]
    }
    /// Where a field stands, if the format has it.
    pub const fn bits(self, field: Field) -> Option<Bits> {
        match self.place(field) {
            Bits { width: 0, .. } => None,
            bits => Some(bits),
        }
    }
    /// The value of a field in a word of this format; 0 where the format lacks it.
    #[inline]
    pub const fn field(self, field: Field, word: u32) -> u32 {
        self.place(field).get(word)
    }
    /// How many operand descriptors its words can name: MAD has two bits less than the others.
    pub const fn descriptors(self) -> usize {
        match self.bits(Field::Descriptor) {
            Some(bits) => bits.max() as usize + 1,
            None => 0,
        }
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

/// Where each field of each format stands, by their numbers: the layouts, for look-up in constant time.
static PLACES: [[Bits; Field::COUNT]; Format::ALL.len()] = PLACES_OF_FORMATS;
const PLACES_OF_FORMATS: [[Bits; Field::COUNT]; Format::ALL.len()] = {
    let mut places = [[Bits::NONE; Field::COUNT]; Format::ALL.len()];
    let mut format = 0;
    while format < Format::ALL.len() {
        let layout = Format::ALL[format].layout();
        let mut next = 0;
        while next < layout.len() {
            let (field, bits) = layout[next];
            places[Format::ALL[format] as usize][field as usize] = bits;
            next += 1;
        }
        format += 1;
    }
    places
};

/// A code word seen as opcode and fields, exactly as stored.
///
/// ```
/// use transpica::stages::isa::table::Opcode;
/// use transpica::stages::isa::word::{Field, Word};
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
    /// How control moves, if this is a control-flow instruction.
    #[inline]
    pub fn moves(self) -> Option<Move> {
        self.opcode()?.moves()
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
