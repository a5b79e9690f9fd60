//! Layouts of code words: formats, fields and bit positions.
//! Knows no opcode.
//! Facts: 3dbrew "GPU/Shader Instruction Set"; positions checked against words that picasso
//! assembled.

/// A run of bits in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bits {
    low: u8,
    /// The bits, shifted down.
    max: u32,
}

impl Bits {
    /// The bits `high` down to `low`, both included.
    pub const fn new(high: u8, low: u8) -> Self {
        Self { low, max: u32::MAX >> (31 - (high - low)) }
    }
    /// No bits, for a field that a format lacks; reads as 0.
    const NONE: Self = Self { low: 0, max: 0 };
    /// The highest bit.
    pub const fn high(self) -> u8 {
        self.low + self.max.count_ones() as u8 - 1 // Range: at most 32 bits.
    }
    /// The lowest bit.
    pub const fn low(self) -> u8 {
        self.low
    }
    /// The largest value of the field.
    #[inline]
    pub const fn max(self) -> u32 {
        self.max
    }
    /// Returns the value these bits have in a word.
    #[inline]
    pub const fn get(self, word: u32) -> u32 {
        word >> self.low & self.max
    }
    /// Returns a word with the value in these bits and 0 elsewhere, without its excess bits.
    #[inline]
    pub const fn encode(self, value: u32) -> u32 {
        (value & self.max) << self.low
    }
}

macro_rules! define_fields {
    ($($(#[$doc:meta])* $field:ident $name:literal;)*) => {
        /// A field of a code word.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Field {
            $($(#[$doc])* $field,)*
        }

        impl Field {
            /// Number of fields.
            const COUNT: usize = [$(Self::$field),*].len();
            /// The source fields, in the order of the operands.
            pub const SOURCES: [Self; 3] = [Self::Source1, Self::Source2, Self::Source3];

            /// The name that tables of the instruction set use.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$field => $name,)*
                }
            }
        }
    };
}

define_fields! {
    /// Destination register.
    Dest "dest";
    /// Address register of the wide source.
    Index "idx";
    /// First source.
    Source1 "src1";
    /// Second source.
    Source2 "src2";
    /// Third source.
    Source3 "src3";
    /// Operand descriptor.
    Descriptor "desc";
    /// Comparison of x.
    CompareX "opx";
    /// Comparison of y.
    CompareY "opy";
    /// Reference value of `cmp.x`.
    RefX "refx";
    /// Reference value of `cmp.y`.
    RefY "refy";
    /// Combination of the flags.
    ConditionOp "condop";
    /// Index of a bool or int uniform.
    Id "id";
    /// Address of a word ("dst").
    Target "dst";
    /// A length in words ("num"): ten bits in assemblers, of which eight are read.
    Num "num";
    /// Vertex slot.
    Vertex "vertex";
    /// EMIT submits a triangle.
    Prim "prim";
    /// The winding is reversed.
    Invert "inv";
}

macro_rules! define_formats {
    ($($(#[$doc:meta])* $format:ident $name:literal [$($field:ident $high:literal $low:literal),*];)*) => {
        /// Layout of a word below its opcode.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Format {
            $($(#[$doc])* $format,)*
        }

        impl Format {
            /// All formats.
            pub const ALL: [Self; [$(Self::$format),*].len()] = [$(Self::$format),*];
            /// The short name, such as `1i`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$format => $name,)*
                }
            }
            /// The fields with their positions, from the top of the word down.
            pub const fn layout(self) -> &'static [(Field, Bits)] {
                match self {
                    $(Self::$format => const { &[$((Field::$field, Bits::new($high, $low))),*] },)*
                }
            }
        }
    };
}

// Each row: variant, short name, and the fields with their highest and lowest bit.
define_formats! {
    /// 0: no fields.
    Zero "0" [];
    /// 1: two sources, the first wide.
    One "1" [Dest 25 21, Index 20 19, Source1 18 12, Source2 11 7, Descriptor 6 0];
    /// 1i: two sources, the second wide.
    OneInverted "1i" [Dest 25 21, Index 20 19, Source1 18 14, Source2 13 7, Descriptor 6 0];
    /// 1u: one wide source.
    OneUnary "1u" [Dest 25 21, Index 20 19, Source1 18 12, Descriptor 6 0];
    /// 1c: CMP.
    OneCompare "1c" [CompareX 26 24, CompareY 23 21, Index 20 19, Source1 18 12, Source2 11 7, Descriptor 6 0];
    /// 2: control flow by a condition on the flags.
    Two "2" [RefX 25 25, RefY 24 24, ConditionOp 23 22, Target 21 10, Num 9 0];
    /// 3: control flow by a bool or int uniform.
    Three "3" [Id 25 22, Target 21 10, Num 9 0];
    /// 4: SETEMIT.
    Four "4" [Vertex 25 24, Prim 23 23, Invert 22 22];
    /// 5: three sources, the second wide.
    Five "5" [Dest 28 24, Index 23 22, Source1 21 17, Source2 16 10, Source3 9 5, Descriptor 4 0];
    /// 5i: three sources, the third wide.
    FiveInverted "5i" [Dest 28 24, Index 23 22, Source1 21 17, Source2 16 12, Source3 11 5, Descriptor 4 0];
}

impl Format {
    /// Position of a field; no bits if the format lacks it.
    #[inline]
    const fn place(self, field: Field) -> Bits {
        PLACES[self as usize][field as usize]
    }
    /// Position of a field, if the format has it.
    pub const fn bits(self, field: Field) -> Option<Bits> {
        match self.place(field) {
            Bits { max: 0, .. } => None,
            bits => Some(bits),
        }
    }
    /// Value of a field in a word of this format; 0 if the format lacks it.
    #[inline]
    pub const fn field(self, field: Field, word: u32) -> u32 {
        self.place(field).get(word)
    }
    /// Number of descriptors that a word can name: MAD has two bits fewer than the others.
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
    /// Number of sources.
    pub const fn source_count(self) -> usize {
        match self {
            Self::Zero | Self::Two | Self::Three | Self::Four => 0,
            Self::OneUnary => 1,
            Self::One | Self::OneInverted | Self::OneCompare => 2,
            Self::Five | Self::FiveInverted => 3,
        }
    }
    /// Returns whether this is the inverted variant of another format: the last source is wide.
    pub const fn is_inverted(self) -> bool {
        matches!(self, Self::OneInverted | Self::FiveInverted)
    }
    /// The bits of all fields; all other bits below the opcode are ignored.
    pub fn mask(self) -> u32 {
        self.layout().iter().fold(0, |mask, (_, bits)| mask | bits.encode(u32::MAX))
    }
}

/// Positions of all fields of all formats, for lookup in constant time.
static PLACES: [[Bits; Field::COUNT]; Format::ALL.len()] = {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::isa::sizes;

    #[test]
    fn fields_do_not_overlap() {
        for format in Format::ALL {
            let sum: u64 = format.layout().iter().map(|(_, bits)| u64::from(bits.encode(u32::MAX))).sum();
            assert_eq!(sum, u64::from(format.mask()), "{}", format.name());
        }
    }

    #[test]
    fn words_name_every_descriptor() {
        assert_eq!(Format::One.descriptors(), sizes::DESCRIPTORS);
        assert_eq!(Format::Five.descriptors(), sizes::MAD_DESCRIPTORS);
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
