//! The opcode table, from which all code about opcodes is derived.
//! In: nothing. Out: [`Opcode`] with codes, mnemonics, formats, operands, reads and documentation.
//! Knows no bit positions: see [`Format`].
//! Facts: 3dbrew "GPU/Shader Instruction Set", checked against words that picasso assembled.

use super::encoding::format::{Field, Format};
use super::inst::{DataOp, FlowOp, Move};
use super::reads::{EACH, Reads, X, XY, XYZ, XYZW, always, each};
use super::sizes::INTS;

/// Marker of rows whose instruction writes the flags.
const FLAGS: bool = true;

/// Calls a macro with the table. Each row: first and last six-bit code, variant, mnemonic, format,
/// class, operands in the order of the assembler text, components read of each source, `+ FLAGS` if
/// the flags are written, semantics as Markdown.
macro_rules! for_each_op {
    ($then:ident) => {
        $then! {
            0x00 0x00 Add "add" One Data(Add) [Dest Source Source] [EACH, EACH] "`s1 + s2`";
            0x01 0x01 Dp3 "dp3" One Data(Dp3) [Dest Source Source] [XYZ, XYZ] "`s1.x·s2.x + s1.y·s2.y + s1.z·s2.z` to all components";
            0x02 0x02 Dp4 "dp4" One Data(Dp4) [Dest Source Source] [XYZW, XYZW] "`s1.x·s2.x + s1.y·s2.y + s1.z·s2.z + s1.w·s2.w` to all components";
            0x03 0x03 Dph "dph" One Data(Dph) [Dest Source Source] [XYZ, XYZW] "`s1.x·s2.x + s1.y·s2.y + s1.z·s2.z + s2.w` to all components";
            0x04 0x04 Dst "dst" One Data(Dst) [Dest Source Source] [each("yz"), each("yw")] "`(1, s1.y·s2.y, s1.z, s2.w)`";
            0x05 0x05 Ex2 "ex2" OneUnary Data(Ex2) [Dest Source] [X] "2 to the power of `s1.x`, to all components";
            0x06 0x06 Lg2 "lg2" OneUnary Data(Lg2) [Dest Source] [X] "base-2 logarithm of `s1.x`, to all components";
            0x07 0x07 Litp "litp" OneUnary Data(Litp) [Dest Source] [always("xw").and(each("y"))] + FLAGS "`(max(s1.x, 0), clamp(s1.y, ±127.99609375), 0, max(s1.w, 0))`; `cmp = (s1.x >= 0, s1.w >= 0)`";
            0x08 0x08 Mul "mul" One Data(Mul) [Dest Source Source] [EACH, EACH] "`s1·s2`, where inf·0 = 0";
            0x09 0x09 Sge "sge" One Data(Sge) [Dest Source Source] [EACH, EACH] "`s1 >= s2 ? 1 : 0`";
            0x0A 0x0A Slt "slt" One Data(Slt) [Dest Source Source] [EACH, EACH] "`s1 < s2 ? 1 : 0`";
            0x0B 0x0B Flr "flr" OneUnary Data(Flr) [Dest Source] [EACH] "largest integer not above `s1`";
            0x0C 0x0C Max "max" One Data(Max) [Dest Source Source] [EACH, EACH] "`s1 > s2 ? s1 : s2`";
            0x0D 0x0D Min "min" One Data(Min) [Dest Source Source] [EACH, EACH] "`s1 < s2 ? s1 : s2`";
            0x0E 0x0E Rcp "rcp" OneUnary Data(Rcp) [Dest Source] [X] "`1 / s1.x` to all components; +inf for ±0";
            0x0F 0x0F Rsq "rsq" OneUnary Data(Rsq) [Dest Source] [X] "`1 / sqrt(s1.x)` to all components; +inf for ±0";
            0x12 0x12 Mova "mova" OneUnary Address [AddressDest Source] [each("xy")] "`a0.x`, `a0.y` = `s1.x`, `s1.y` truncated to integers";
            0x13 0x13 Mov "mov" OneUnary Data(Mov) [Dest Source] [EACH] "`s1`";
            #[cfg(test)] // Shows in `src/tests.rs` what an opcode takes.
            0x15 0x15 Lrp "lrp" One Data(Lrp) [Dest Source Source] [EACH.and(always("w")), EACH] "`s1·s1.w + s2·(1 - s1.w)`";
            0x18 0x18 Dphi "dphi" OneInverted Data(Dph) [Dest Source Source] [XYZ, XYZW] "like `dph`, with a uniform in `s2`";
            0x19 0x19 Dsti "dsti" OneInverted Data(Dst) [Dest Source Source] [each("yz"), each("yw")] "like `dst`, with a uniform in `s2`";
            0x1A 0x1A Sgei "sgei" OneInverted Data(Sge) [Dest Source Source] [EACH, EACH] "like `sge`, with a uniform in `s2`";
            0x1B 0x1B Slti "slti" OneInverted Data(Slt) [Dest Source Source] [EACH, EACH] "like `slt`, with a uniform in `s2`";
            0x20 0x20 Break "break" Zero Control(Break) [] [] "leaves the innermost loop";
            0x21 0x21 Nop "nop" Zero Control(Nop) [] [] "does nothing";
            0x22 0x22 End "end" Zero Control(End) [] [] "ends the program";
            0x23 0x23 Breakc "breakc" Two Control(BreakC) [Condition] [] "leaves the innermost loop if the condition holds";
            0x24 0x24 Call "call" Two Control(Call) [Target Length] [] "runs `num` words from `dst`, then continues after the call";
            0x25 0x25 Callc "callc" Two Control(CallC) [Condition Target Length] [] "`call` if the condition holds";
            0x26 0x26 Callu "callu" Three Control(CallU) [Bool Target Length] [] "`call` if the bool uniform is true";
            0x27 0x27 Ifu "ifu" Three Control(IfU) [Bool Target Length] [] "runs the words up to `dst` if the bool uniform is true, else `num` words from `dst`";
            0x28 0x28 Ifc "ifc" Two Control(IfC) [Condition Target Length] [] "runs the words up to `dst` if the condition holds, else `num` words from `dst`";
            0x29 0x29 Loop "for" Three Control(Loop) [Int Last] [] "repeats the words up to and including `dst` `i.x + 1` times; `aL = i.y`, then `aL += i.z` after each";
            0x2A 0x2A Emit "emit" Zero Emit [] [] "hands a vertex to the primitive assembler (geometry programs)";
            0x2B 0x2B Setemit "setemit" Four SetEmit [Vertex Flags] [] "sets what the next `emit` does (geometry programs)";
            0x2C 0x2C Jmpc "jmpc" Two Control(JmpC) [Condition Target] [] "continues at `dst` if the condition holds";
            0x2D 0x2D Jmpu "jmpu" Three Control(JmpU) [BoolOrNot Target] [] "continues at `dst` if the bool uniform is true (`num` bit 0 = 0) or false (1)";
            0x2E 0x2F Cmp "cmp" OneCompare Compare [Source CompareOp CompareOp Source] [XY, XY] + FLAGS "`cmp = (s1.x opx s2.x, s1.y opy s2.y)`";
            0x30 0x37 Madi "madi" FiveInverted Data(Mad) [Dest Source Source Source] [EACH, EACH, EACH] "like `mad`, with a uniform in `s3`";
            0x38 0x3F Mad "mad" Five Data(Mad) [Dest Source Source Source] [EACH, EACH, EACH] "`s1·s2 + s3`, the product rounded before the sum";
        }
    };
}

/// Class of an opcode: the variants of [`Inst`](super::Inst) except undefined ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Writes a register; inverted forms name the same operation as the plain ones.
    Data(DataOp),
    /// Writes the address registers.
    Address,
    /// Writes the flags.
    Compare,
    /// Moves the program counter, or ends the program.
    Control(FlowOp),
    /// Sends a vertex to the primitive assembler.
    Emit,
    /// Configures the next EMIT.
    SetEmit,
}

/// Role of an operand of the assembler text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A register with a component mask.
    Dest,
    /// `a0.x`, `a0.y` or `a0.xy`.
    AddressDest,
    /// The next source, in the order of the operation; [`Format::wide`] is the one that may be a
    /// uniform.
    Source,
    /// A comparison: `eq`, `ne`, `lt`, `le`, `gt`, `ge`.
    CompareOp,
    /// A condition on the flags, such as `cmp.x && !cmp.y`.
    Condition,
    /// A bool uniform.
    Bool,
    /// A bool uniform, optionally after `!`.
    BoolOrNot,
    /// An int uniform.
    Int,
    /// The address of a word.
    Target,
    /// The address of the last word of a body.
    Last,
    /// A number of words.
    Length,
    /// A vertex slot.
    Vertex,
    /// `prim` and `inv`, both optional.
    Flags,
}

impl Role {
    /// The bits of a field that hold this operand; none for fields of other operands and for
    /// ignored bits.
    pub const fn reads(self, field: Field) -> u32 {
        let all = u32::MAX;
        match (self, field) {
            (Self::Dest, Field::Dest) => all,
            (Self::Source, Field::Index | Field::Source1 | Field::Source2 | Field::Source3) => all,
            (Self::CompareOp, Field::CompareX | Field::CompareY) => all,
            (Self::Condition, Field::RefX | Field::RefY | Field::ConditionOp) => all,
            (Self::Bool | Self::BoolOrNot, Field::Id) => all,
            (Self::BoolOrNot, Field::Num) => 1,
            // Only i0..i3 exist; the upper two bits of the index are ignored.
            (Self::Int, Field::Id) => INTS as u32 - 1,
            (Self::Target | Self::Last, Field::Target) => all,
            (Self::Length, Field::Num) => 0xFF,
            (Self::Vertex, Field::Vertex) => all,
            (Self::Flags, Field::Prim | Field::Invert) => all,
            _other_fields => 0,
        }
    }
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Info {
    /// The opcode.
    pub opcode: Opcode,
    /// The first six-bit code.
    pub first: u8,
    /// The last six-bit code; the low bits of CMP, MAD and MADI belong to their first field.
    pub last: u8,
    /// The name in assembler text.
    pub mnemonic: &'static str,
    /// The layout of the word.
    pub format: Format,
    /// Its class.
    pub class: Class,
    /// The operands of the assembler text.
    pub operands: &'static [Role],
    /// The components read of each source.
    pub reads: &'static [Reads],
    /// The instruction writes the flags, independently of its mask.
    pub writes_flags: bool,
    /// Its semantics, as Markdown.
    pub meaning: &'static str,
}

/// The class of a row.
macro_rules! class {
    (Data $op:ident) => {
        Class::Data(DataOp::$op)
    };
    (Control $op:ident) => {
        Class::Control(FlowOp::$op)
    };
    ($class:ident) => {
        Class::$class
    };
}

macro_rules! define_opcodes {
    ($($(#[$attribute:meta])* $first:literal $last:literal $name:ident $mnemonic:literal $format:ident
        $class:ident $(($op:ident))? [$($role:ident)*] [$($reads:expr),*] $(+ $flags:ident)? $meaning:literal;)*) => {
        /// An opcode; inverted forms are distinct opcodes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Opcode {
            $($(#[$attribute])* #[doc = $meaning] $name,)*
        }

        impl Opcode {
            /// All opcodes, ascending by code.
            pub const ALL: &'static [Self] = &[$($(#[$attribute])* Self::$name),*];
            const TABLE: &'static [Info] = &[$($(#[$attribute])* Info {
                opcode: Self::$name,
                first: $first,
                last: $last,
                mnemonic: $mnemonic,
                format: Format::$format,
                class: class!($class $($op)?),
                operands: &[$(Role::$role),*],
                reads: &[$($reads),*],
                writes_flags: false $(|| $flags)?,
                meaning: $meaning,
            }),*];
        }
    };
}
for_each_op!(define_opcodes);

/// The columns of an opcode that decoding needs, small enough that all of them stay in the cache.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) opcode: Opcode,
    pub(crate) class: Class,
    pub(crate) format: Format,
}

/// The shape of each six-bit code.
static SHAPES: [Option<Shape>; 64] = {
    let mut table = [None; 64];
    let mut row = 0;
    while row < Opcode::TABLE.len() {
        let Info { opcode, first, last, class, format, .. } = Opcode::TABLE[row];
        let mut code = first as usize;
        while code <= last as usize {
            table[code] = Some(Shape { opcode, class, format });
            code += 1;
        }
        row += 1;
    }
    table
};

/// Set of the six-bit codes of [`Class::Control`].
const CONTROL: u64 = {
    let (mut set, mut code) = (0, 0);
    while code < 64 {
        if let Some(Shape { class: Class::Control(_), .. }) = SHAPES[code] {
            set |= 1 << code;
        }
        code += 1;
    }
    set
};

/// Fast check for [`Class::Control`] without a table lookup.
#[inline]
pub fn is_control(word: u32) -> bool {
    CONTROL >> (word >> 26) & 1 != 0
}

impl Shape {
    #[inline]
    pub(crate) const fn of_word(word: u32) -> Option<Self> {
        SHAPES[(word >> 26) as usize]
    }
}

impl Opcode {
    /// The opcode of a code word (its top six bits), if the instruction set defines it.
    ///
    /// ```
    /// use transpica::isa::table::Opcode;
    /// assert_eq!(Opcode::of_word(0x8800_0000), Some(Opcode::End));
    /// assert_eq!(Opcode::of_word(0x4000_0000), None);
    /// ```
    #[inline]
    pub fn of_word(word: u32) -> Option<Self> {
        Shape::of_word(word).map(|shape| shape.opcode)
    }
    /// Its first six-bit code.
    pub const fn code(self) -> u8 {
        Self::TABLE[self as usize].first
    }
    /// The row of this opcode.
    #[inline]
    #[doc(hidden)]
    pub const fn info(self) -> &'static Info {
        &Self::TABLE[self as usize]
    }
    /// The layout of the word.
    #[inline]
    #[doc(hidden)]
    pub fn format(self) -> Format {
        self.info().format
    }
    /// The name in assembler text, such as `mad`.
    pub fn mnemonic(self) -> &'static str {
        self.info().mnemonic
    }
    /// The opcode with this name, in upper or lower case.
    ///
    /// ```
    /// use transpica::isa::table::Opcode;
    /// assert_eq!(Opcode::from_mnemonic("MAD"), Some(Opcode::Mad));
    /// ```
    pub fn from_mnemonic(name: &str) -> Option<Self> {
        Self::TABLE.iter().find(|info| info.mnemonic.eq_ignore_ascii_case(name)).map(|info| info.opcode)
    }
    /// The transfer of control, for a control-flow opcode.
    #[inline]
    #[doc(hidden)]
    pub fn moves(self) -> Option<Move> {
        match self.info().class {
            Class::Control(op) => Some(op.moves()),
            Class::Data(_) | Class::Address | Class::Compare | Class::Emit | Class::SetEmit => None,
        }
    }
    /// The form of this operation that takes a uniform in its last source, if there is one.
    pub fn inverted(self) -> Option<Self> {
        let Class::Data(op) = self.info().class else { return None };
        let inverted = |info: &&Info| info.class == Class::Data(op) && info.format.is_inverted();
        Self::TABLE.iter().find(inverted).map(|info| info.opcode)
    }
}

impl DataOp {
    /// The plain (not inverted) opcode of this operation.
    #[inline]
    pub fn opcode(self) -> Opcode {
        DATA_OPCODES[self as usize]
    }
    /// Number of sources.
    #[inline]
    pub fn source_count(self) -> usize {
        self.opcode().format().source_count()
    }
    /// The components read of each source.
    #[doc(hidden)]
    pub fn reads(self) -> &'static [Reads] {
        self.opcode().info().reads
    }
    /// Returns whether it writes the flags, independently of its mask.
    #[inline]
    pub fn writes_flags(self) -> bool {
        self.opcode().info().writes_flags
    }
    /// The name in assembler text.
    pub fn mnemonic(self) -> &'static str {
        self.opcode().mnemonic()
    }
}

/// The plain opcode of each data operation, or the opcode of each control-flow operation.
///
/// The arrays have room for any six-bit code, so that no operations need to be counted.
const fn opcodes_by_operation(is_control: bool) -> [Opcode; 64] {
    let mut table = [Opcode::Nop; 64];
    let mut row = 0;
    while row < Opcode::TABLE.len() {
        let info = &Opcode::TABLE[row];
        if let (Class::Control(op), true) = (info.class, is_control) {
            table[op as usize] = info.opcode;
        } else if let (Class::Data(op), false) = (info.class, is_control || info.format.is_inverted()) {
            table[op as usize] = info.opcode;
        }
        row += 1;
    }
    table
}

static DATA_OPCODES: [Opcode; 64] = opcodes_by_operation(false);
static CONTROL_OPCODES: [Opcode; 64] = opcodes_by_operation(true);

impl FlowOp {
    /// Its opcode.
    #[inline]
    pub fn opcode(self) -> Opcode {
        CONTROL_OPCODES[self as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_lists_the_components_read_of_each_source() {
        for info in Opcode::TABLE {
            assert_eq!(info.reads.len(), info.format.source_count(), "{:?}", info.opcode);
            let sources = info.operands.iter().filter(|&&role| role == Role::Source).count();
            assert_eq!(sources, info.reads.len(), "{:?}", info.opcode);
        }
    }

    #[test]
    fn an_inverted_row_reads_the_components_of_the_plain_one() {
        for info in Opcode::TABLE {
            let Class::Data(op) = info.class else { continue };
            let plain = op.opcode().info();
            assert!(!plain.format.is_inverted() && plain.class == info.class, "{:?}", info.opcode);
            let says = |info: &Info| (info.reads, info.writes_flags, info.operands);
            assert_eq!(says(info), says(plain), "{:?}", info.opcode);
        }
    }

    #[test]
    fn every_control_flow_operation_has_one_opcode() {
        let ops = Opcode::ALL.iter().filter_map(|opcode| match opcode.info().class {
            Class::Control(op) => Some((*opcode, op)),
            Class::Data(_) | Class::Address | Class::Compare | Class::Emit | Class::SetEmit => None,
        });
        assert_eq!(ops.clone().count(), CONTROL.count_ones() as usize);
        ops.for_each(|(opcode, op)| assert_eq!(op.opcode(), opcode));
    }
}
