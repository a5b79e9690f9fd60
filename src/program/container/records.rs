//! The table entries of an executable, and the semantics of their codes.
//! In: the bytes of one entry. Out: raw fields, and semantics for valid entries.
//! Knows no GPU register and no uniform value; float24 stays as bits.
//! Facts: 3dbrew "SHBIN"; libctru's reading of constants, output maps and symbols.

use std::fmt;
use std::ops::Range;

use super::bytes::{NameOffset, Record, record};

// Registers that a file can name. A test compares these with the limits of the instruction set,
// which the container does not import.
const INPUTS: u8 = 16;
const FLOATS: u8 = 96;
const INTS: u8 = 4;
const BOOLS: u8 = 16;

/// Value of a constant, with its register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstantValue {
    /// A bool uniform.
    Bool {
        /// b0..b15
        register: u8,
        /// Its value.
        value: bool,
    },
    /// An int uniform.
    Int {
        /// i0..i3
        register: u8,
        /// x, y, z, w; w has no use.
        value: [u8; 4],
    },
    /// A float uniform.
    Float {
        /// c0..c95
        register: u8,
        /// x, y, z, w as float24 bits.
        value: [u32; 4],
    },
}

record! {
    /// A constant that binding the executable loads into a uniform. Later entries override earlier
    /// ones.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    Constant {
        /// 0 bool, 1 int, 2 float.
        kind: u16,
        /// Index of the register in its bank.
        register: u16,
        /// The value's four words.
        words: [u32; 4],
    }
}

impl Constant {
    /// Creates a constant with this value.
    pub fn new(value: ConstantValue) -> Self {
        match value {
            ConstantValue::Bool { register, value } => {
                Self { kind: 0, register: u16::from(register), words: [u32::from(value), 0, 0, 0] }
            }
            ConstantValue::Int { register, value } => {
                Self { kind: 1, register: u16::from(register), words: [u32::from_le_bytes(value), 0, 0, 0] }
            }
            ConstantValue::Float { register, value } => {
                Self { kind: 2, register: u16::from(register), words: value.map(|bits| bits & 0xFF_FFFF) }
            }
        }
    }
    /// The value, or `None` for an unknown kind or register.
    pub fn value(self) -> Option<ConstantValue> {
        let register = u8::try_from(self.register).ok()?;
        match self.kind {
            0 if register < BOOLS => Some(ConstantValue::Bool { register, value: self.words[0] & 1 != 0 }),
            1 if register < INTS => Some(ConstantValue::Int { register, value: self.words[0].to_le_bytes() }),
            2 if register < FLOATS => {
                Some(ConstantValue::Float { register, value: self.words.map(|word| word & 0xFF_FFFF) })
            }
            _ => None,
        }
    }
}

record! {
    /// A label: debug information about a code address.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    Label {
        /// Identifier; vendor tools count from 0x10000, others write 0.
        id: u32,
        /// Address of a code word.
        address: u32,
        /// Length of the subroutine; the unit differs between tools.
        length: u32,
        /// Its name.
        name: NameOffset,
    }
}

/// Use of an output by the rasterizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
pub enum Semantic {
    /// Clip-space position.
    Position,
    /// Rotation of the normal and tangent frame.
    Quaternion,
    /// Vertex color.
    Color,
    /// Coordinates of texture unit 0.
    Texcoord0,
    /// Third coordinate of texture unit 0.
    Texcoord0W,
    /// Coordinates of texture unit 1.
    Texcoord1,
    /// Coordinates of texture unit 2.
    Texcoord2,
    /// Vector to the viewer.
    View,
    /// Passed to the geometry program; the rasterizer ignores it.
    Generic,
}

/// The table row of a [`Semantic`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SemanticInfo {
    /// The semantic.
    pub semantic: Semantic,
    /// Its code in the output map table.
    pub kind: u16,
    /// Its name.
    pub name: &'static str,
    /// Number of components.
    pub components: u8,
    /// The GPU's code of its first component; the others have the next codes.
    pub first_code: u8,
}

/// The GPU's code of a component that the rasterizer ignores.
pub const UNUSED_CODE: u8 = 0x1F;

/// Every semantic. Code 7 is not used.
pub const SEMANTICS: [SemanticInfo; 9] = {
    use Semantic::*;
    [
        SemanticInfo { semantic: Position, kind: 0, name: "position", components: 4, first_code: 0x00 },
        SemanticInfo { semantic: Quaternion, kind: 1, name: "quaternion", components: 4, first_code: 0x04 },
        SemanticInfo { semantic: Color, kind: 2, name: "color", components: 4, first_code: 0x08 },
        SemanticInfo { semantic: Texcoord0, kind: 3, name: "texcoord0", components: 2, first_code: 0x0C },
        SemanticInfo { semantic: Texcoord0W, kind: 4, name: "texcoord0.w", components: 1, first_code: 0x10 },
        SemanticInfo { semantic: Texcoord1, kind: 5, name: "texcoord1", components: 2, first_code: 0x0E },
        SemanticInfo { semantic: Texcoord2, kind: 6, name: "texcoord2", components: 2, first_code: 0x16 },
        SemanticInfo { semantic: View, kind: 8, name: "view", components: 3, first_code: 0x12 },
        SemanticInfo { semantic: Generic, kind: 9, name: "generic", components: 0, first_code: UNUSED_CODE },
    ]
};

impl Semantic {
    /// The table row.
    pub const fn info(self) -> &'static SemanticInfo {
        &SEMANTICS[self as usize]
    }
    /// The GPU's codes of the components.
    pub(crate) fn codes(self) -> Range<u8> {
        let info = self.info();
        info.first_code..info.first_code + info.components
    }
}

record! {
    /// An entry of the output map: the semantic of an output register.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    OutputRecord {
        /// Code of the semantic.
        kind: u16,
        /// o0..o15
        register: u16,
        /// Mask of components; bit 0 is x.
        mask: u16,
        /// Zero in known files.
        reserved: u16,
    }
}

impl OutputRecord {
    /// Returns the use by the rasterizer, or `None` for an undefined code.
    pub fn semantic(self) -> Option<Semantic> {
        SEMANTICS.iter().find(|info| info.kind == self.kind).map(|info| info.semantic)
    }
    /// Gives the components of the mask, in ascending order, the codes of the semantic. Returns the
    /// semantic.
    pub(crate) fn assign(self, codes: &mut [u8; 4]) -> Option<Semantic> {
        let semantic = self.semantic()?;
        let info = semantic.info();
        let set = codes.iter_mut().enumerate().filter(|(bit, _)| self.mask >> bit & 1 != 0);
        set.zip(0..info.components).for_each(|((_, code), next)| *code = info.first_code + next);
        Some(semantic)
    }
}

/// A register bank that symbols can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SymbolBank {
    /// v0..v15
    Input,
    /// c0..c95
    Float,
    /// i0..i3
    Int,
    /// b0..b15
    Bool,
}

impl fmt::Display for SymbolBank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(["v", "c", "i", "b"][*self as usize])
    }
}

/// Codes in the symbol table: bank, code of its register 0, number of registers.
const SYMBOL_BANKS: [(SymbolBank, u16, u16); 4] = [
    (SymbolBank::Input, 0x00, INPUTS as u16),
    (SymbolBank::Float, 0x10, FLOATS as u16),
    (SymbolBank::Int, 0x70, INTS as u16),
    (SymbolBank::Bool, 0x78, BOOLS as u16),
];

/// Registers of one bank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolRange {
    /// The bank.
    pub bank: SymbolBank,
    /// First register.
    pub first: u8,
    /// Number of registers, at least 1.
    pub count: u8,
}

record! {
    /// A bind symbol: the name of an input or uniform.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    Symbol {
        /// Its name.
        name: NameOffset,
        /// Code of the first register.
        first: u16,
        /// Code of the last register.
        last: u16,
    }
}

impl Symbol {
    /// Creates a symbol for registers of one bank.
    pub fn new(name: NameOffset, range: SymbolRange) -> Self {
        let first = SYMBOL_BANKS[range.bank as usize].1 + u16::from(range.first);
        Self { name, first, last: first + u16::from(range.count.saturating_sub(1)) }
    }
    /// Returns the registers, or `None` if the range is empty, crosses banks or names no register.
    #[inline]
    pub fn range(self) -> Option<SymbolRange> {
        let holds =
            |&&(_, base, count): &&(SymbolBank, u16, u16)| self.first >= base && self.last < base + count;
        let &(bank, base, _) = SYMBOL_BANKS.iter().find(holds)?;
        let count = (self.last + 1).checked_sub(self.first).filter(|&count| count > 0)?;
        // Both are at most 96, the largest bank.
        Some(SymbolRange { bank, first: (self.first - base) as u8, count: count as u8 })
    }
}

record! {
    /// An operand descriptor with the linker's data.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    DescriptorRecord {
        /// The word that is uploaded to the GPU.
        bits: u32,
        /// Usage flags of the vendor's linker.
        usage: u16,
        /// Zero in known files.
        reserved: u16,
    }
}

record! {
    /// Source line of one code word.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    Line {
        /// Name of the source file, in the package's string table.
        file: NameOffset,
        /// Line in it.
        line: u32,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_semantics_has_the_order_of_the_enum() {
        for info in &SEMANTICS {
            assert_eq!(info.semantic.info(), info);
        }
    }

    #[test]
    fn symbols_name_the_four_banks_by_their_numbers() {
        use SymbolBank::*;
        for (first, last, expected) in [
            (0x00, 0x00, Some((Input, 0, 1))),
            (0x0F, 0x0F, Some((Input, 15, 1))),
            (0x10, 0x10, Some((Float, 0, 1))),
            (0x10, 0x6F, Some((Float, 0, 96))),
            (0x6C, 0x6F, Some((Float, 92, 4))),
            (0x70, 0x73, Some((Int, 0, 4))),
            (0x78, 0x78, Some((Bool, 0, 1))),
            (0x87, 0x87, Some((Bool, 15, 1))),
            (0x0F, 0x10, None),
            (0x6F, 0x70, None),
            (0x73, 0x74, None),
            (0x74, 0x77, None),
            (0x88, 0x88, None),
            (0x87, 0x88, None),
            (0x12, 0x11, None),
            (0xFFFF, 0xFFFF, None),
        ] {
            let symbol = Symbol { name: NameOffset(0), first, last };
            let range = symbol.range();
            assert_eq!(range.map(|r| (r.bank, r.first, r.count)), expected, "{first:#x}..{last:#x}");
            if let Some(range) = range {
                assert_eq!(Symbol::new(NameOffset(0), range), symbol);
            }
        }
    }

    #[test]
    fn constants_of_each_kind_are_decoded() {
        let int = Constant { kind: 1, register: 3, words: [0x0403_0201, 9, 9, 9] };
        assert_eq!(int.value(), Some(ConstantValue::Int { register: 3, value: [1, 2, 3, 4] }));
        let float = Constant { kind: 2, register: 95, words: [0xFF3F_0000, 1, 2, 3] };
        assert_eq!(float.value(), Some(ConstantValue::Float { register: 95, value: [0x3F_0000, 1, 2, 3] }));
        let bool = Constant { kind: 0, register: 15, words: [0xFFFF_FFFE, 1, 1, 1] };
        assert_eq!(bool.value(), Some(ConstantValue::Bool { register: 15, value: false }));
        for (kind, register) in [(0, 16), (1, 4), (2, 96), (2, 0x100), (3, 0), (0xFFFF, 0)] {
            assert_eq!(Constant { kind, register, words: [1; 4] }.value(), None, "{kind} {register}");
        }
    }
}
