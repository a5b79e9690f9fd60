//! Canonical code words and descriptors: every bit that the instruction ignores is cleared.
//! In: words and the descriptor table. Out: words that are equal if they do the same with the same
//! registers.
//! Knows no control flow. Each word carries its descriptor, so descriptor indices are cleared as
//! well.
//! Facts: formats from [`word`](super::word), reads from the [table](crate::program::isa::table).

use super::format::{Bits, Field, Format};
use super::opdesc::{MASK_BITS, negation_bit, swizzle_bits};
use crate::program::isa::inst::ConditionOp;
use crate::program::isa::program::Stage;
use crate::program::isa::reg::Mask;
use crate::program::isa::table::{Class, Info, Opcode, Role, Shape};

/// A word without the bits that it ignores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Canonical {
    /// The word, with descriptor index 0. A word without effect is NOP, an undefined one only an
    /// opcode.
    pub word: u32,
    /// The relevant bits of its descriptor, if the format has one.
    pub descriptor: Option<u32>,
}

const OPCODE: Bits = Bits::new(31, 26);
const NOP: Canonical = Canonical { word: (Opcode::Nop.code() as u32) << 26, descriptor: None };

/// The bits of a condition that each condition operator ignores.
const IGNORED_REFERENCES: [u32; 4] = {
    let mut ignored = [0; 4];
    if let (Some(x), Some(y)) = (Format::Two.bits(Field::RefX), Format::Two.bits(Field::RefY)) {
        ignored[ConditionOp::X as usize] = y.encode(1);
        ignored[ConditionOp::Y as usize] = x.encode(1);
    }
    ignored
};

/// The relevant bits of all words with one six-bit code.
#[derive(Clone, Copy)]
struct Row {
    /// Relevant bits of the word, without the descriptor index.
    word_bits: u32,
    /// Bits of the descriptor index; none without a descriptor.
    descriptor: u32,
    /// Lowest bit of the wide source, and the bits of its address register.
    wide: u8,
    index: u32,
    /// The word has a condition on the flags.
    condition: bool,
    /// Only the geometry unit executes it.
    geometry: bool,
    /// Relevant bits of the descriptor, by its mask.
    descriptor_bits: [u32; 16],
    /// Bits of the word of which one at least is set if a source is not an input: those above the
    /// four lowest ones of its register number. All bits for a source that the opcode lacks.
    beyond_inputs: [u32; 3],
    /// Place of each register number.
    sources: [Option<Bits>; 3],
}

/// An undefined opcode: only the code is relevant.
const UNDEFINED: Row = Row {
    word_bits: OPCODE.encode(u32::MAX),
    descriptor: 0,
    wide: 0,
    index: 0,
    condition: false,
    geometry: false,
    descriptor_bits: [0; 16],
    beyond_inputs: [u32::MAX; 3],
    sources: [None; 3],
};

static ROWS: [Row; 64] = {
    let (mut rows, mut code) = ([UNDEFINED; 64], 0);
    while code < 64 {
        if let Some(Shape { opcode, .. }) = Shape::of_word(OPCODE.encode(code)) {
            rows[code as usize] = row(opcode.info());
        }
        code += 1;
    }
    rows
};

const fn row(info: &Info) -> Row {
    let format = info.format;
    let mut row = UNDEFINED;
    row.geometry = matches!(info.class, Class::Emit | Class::SetEmit);
    let mut next = 0;
    while next < format.layout().len() {
        let (field, bits) = format.layout()[next];
        row.word_bits |= bits.encode(operand_bits(info.operands, field));
        match field {
            Field::Descriptor => row.descriptor = bits.encode(u32::MAX),
            Field::Index => row.index = bits.encode(u32::MAX),
            Field::ConditionOp => row.condition = operand_bits(info.operands, field) != 0,
            _other_fields => {}
        }
        next += 1;
    }
    if let Some(wide) = format.wide()
        && let Some(bits) = format.bits(wide)
    {
        row.wide = bits.low();
    }
    let mut mask = 0;
    while mask < 16 {
        row.descriptor_bits[mask as usize] = descriptor_bits(info, Mask::from_descriptor(mask));
        mask += 1;
    }
    let mut source = 0;
    while source < info.reads.len() {
        if let Some(bits) = format.bits(Field::SOURCES[source]) {
            row.beyond_inputs[source] = bits.encode(u32::MAX << INPUTS.ilog2());
            row.sources[source] = Some(bits);
        }
        source += 1;
    }
    row
}

/// Bits of a field that the operands read.
const fn operand_bits(operands: &[Role], field: Field) -> u32 {
    let (mut bits, mut next) = (0, 0);
    while next < operands.len() {
        bits |= operands[next].reads(field);
        next += 1;
    }
    bits
}

/// Relevant bits of a descriptor whose mask is `mask`.
const fn descriptor_bits(info: &Info, mask: Mask) -> u32 {
    let written = match info.class {
        Class::Data(_) => mask,
        Class::Address => Mask(mask.0 & 3),
        Class::Compare | Class::Control(_) | Class::Emit | Class::SetEmit => Mask::NONE,
    };
    if written.is_empty() && !info.writes_flags {
        return 0;
    }
    let (mut bits, mut source) = (written.to_descriptor(), 0);
    while source < info.reads.len() {
        let components = info.reads[source].for_mask(written);
        if !components.is_empty() {
            bits |= negation_bit(source) | swizzle_bits(source, components);
        }
        source += 1;
    }
    bits
}

/// Mask of the six-bit codes that no opcode has.
pub const UNDEFINED_OPCODES: u64 = {
    let (mut undefined, mut code) = (0, 0);
    while code < 64 {
        if Shape::of_word(OPCODE.encode(code)).is_none() {
            undefined |= 1 << code;
        }
        code += 1;
    }
    undefined
};

/// Number of input registers; above them are temporaries and uniforms.
const INPUTS: u32 = 16;

/// Mask of the components of v0..v15 that a canonical word reads: bit 4 · n is vn.x.
#[inline]
pub fn inputs(canonical: Canonical) -> u64 {
    let row = &ROWS[OPCODE.get(canonical.word) as usize];
    let [a, b, c] = row.beyond_inputs.map(|bits| canonical.word & bits);
    // Few words read inputs, and hosts compute keys at every draw.
    if a != 0 && b != 0 && c != 0 { 0 } else { components_read(canonical) }
}

/// As [`inputs`], source by source.
#[inline(never)]
fn components_read(Canonical { word, descriptor }: Canonical) -> u64 {
    let (row, descriptor) = (&ROWS[OPCODE.get(word) as usize], descriptor.unwrap_or(0));
    let read = row.descriptor_bits[(descriptor & MASK_BITS) as usize];
    let mut mask = 0;
    for (source, place) in row.sources.into_iter().enumerate() {
        let Some(register) = place.map(|bits| bits.get(word)).filter(|&register| register < INPUTS) else {
            continue;
        };
        let [read, selected] = [read, descriptor].map(|bits| bits & swizzle_bits(source, Mask::XYZW));
        mask |= components(read >> (5 + 9 * source), selected >> (5 + 9 * source)) << (4 * register);
    }
    mask
}

/// Mask of the components that selectors of two bits choose, where both bits of `read` are set.
#[inline]
fn components(read: u32, selected: u32) -> u64 {
    let (low, high, read) = (selected & 0x55, selected >> 1 & 0x55, read & 0x55);
    let chosen = [read & !low & !high, read & low & !high, read & !low & high, read & low & high];
    (0..)
        .zip(chosen)
        .fold(0, |mask, (component, selectors): (u32, u32)| mask | u64::from(selectors != 0) << component)
}

/// Canonical form of a word of a program with these descriptors.
///
/// ```
/// use transpica::isa::canonical::canonical;
/// use transpica::Stage;
/// // Two MOVs of x; their descriptors differ in components that are not written, and in their number.
/// let descriptors = [0x0000_0368, 0x0000_0208];
/// let form = |word| canonical(word, &descriptors, Stage::Vertex);
/// assert_eq!(form(0x4C00_0000), form(0x4C00_0001));
/// ```
#[inline]
pub fn canonical(word: u32, descriptors: &[u32], stage: Stage) -> Canonical {
    let row = &ROWS[OPCODE.get(word) as usize];
    let relevant = word & row.word_bits;
    if row.descriptor != 0 {
        let number = (word & row.descriptor) as usize;
        let descriptor = descriptors.get(number).copied().unwrap_or(0);
        let descriptor_bits = row.descriptor_bits[(descriptor & MASK_BITS) as usize];
        if descriptor_bits == 0 {
            return NOP;
        }
        // Only uniforms use the address register.
        let index = if word >> row.wide & 0x7F < 0x20 { row.index } else { 0 };
        return Canonical { word: relevant & !index, descriptor: Some(descriptor & descriptor_bits) };
    }
    if row.condition {
        let ignored = IGNORED_REFERENCES[Format::Two.field(Field::ConditionOp, word) as usize];
        return Canonical { word: relevant & !ignored, descriptor: None };
    }
    if row.geometry && stage == Stage::Vertex {
        return NOP;
    }
    Canonical { word: relevant, descriptor: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::isa::control::Test;
    use crate::program::isa::encoding::decode::decode;
    use crate::program::isa::{Inst, Source, Word};

    fn canonical_of(word: u32, descriptor: u32, stage: Stage) -> Canonical {
        canonical(word, &[descriptor], stage)
    }

    /// Words of every opcode with descriptor index 0 and random other bits.
    fn words() -> impl Iterator<Item = u32> {
        let mut state = 1u32;
        let random = std::iter::repeat_with(move || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state ^ state >> 15
        });
        (0..64).flat_map(|code| [code; 200]).zip(random).map(|(code, low)| {
            let word = Word(code << 26 | low >> 6);
            word.with(Field::Descriptor, 0).0
        })
    }

    #[test]
    fn canonical_rows_have_disjoint_fields() {
        for &opcode in Opcode::ALL {
            // Computed at run time by the functions that computed the table at compile time.
            let info = opcode.info();
            let row = row(info);
            let made = &ROWS[usize::from(info.first)];
            assert_eq!((row.word_bits, row.descriptor), (made.word_bits, made.descriptor), "{opcode:?}");
            assert_eq!(
                (row.word_bits & row.descriptor, row.descriptor_bits),
                (0, made.descriptor_bits),
                "{opcode:?}"
            );
            for (less, more) in (0..16).flat_map(|less| (0..16).map(move |more| (less, less | more))) {
                assert_eq!(
                    row.descriptor_bits[less] & !row.descriptor_bits[more],
                    0,
                    "{opcode:?} {less:#x} {more:#x}"
                );
            }
        }
    }

    #[test]
    fn the_canonical_word_is_its_own_canonical_form() {
        for (word, descriptor) in words().zip((0..).map(|n: u32| n.wrapping_mul(0x9E37_79B9))) {
            for stage in [Stage::Vertex, Stage::Geometry] {
                let once = canonical_of(word, descriptor, stage);
                assert_eq!(
                    canonical_of(once.word, once.descriptor.unwrap_or(0), stage),
                    once,
                    "{word:#x} {descriptor:#x}"
                );
            }
        }
    }

    #[test]
    fn control_flow_is_decoded_alike_from_the_canonical_word() {
        for word in words() {
            let opcode = Word(word).opcode();
            if opcode.is_some_and(|opcode| is_flow(opcode.info().class)) {
                assert_eq!(meaning(canonical_of(word, 0, Stage::Geometry).word), meaning(word), "{word:#x}");
            }
        }
    }

    fn is_flow(class: Class) -> bool {
        matches!(class, Class::Control(_) | Class::Emit | Class::SetEmit)
    }

    /// Semantics of a control-flow word: its decoding without the condition, and when the condition
    /// holds.
    fn meaning(word: u32) -> (Inst, Option<[bool; 4]>) {
        let fields = [Field::RefX, Field::RefY, Field::ConditionOp];
        let bare = fields.into_iter().fold(Word(word), |word, field| word.with(field, 0));
        let holds = match decode(word, &[]) {
            Inst::Flow(flow) => match flow.test() {
                Some(Test::Cmp(condition)) => Some(
                    [(false, false), (false, true), (true, false), (true, true)]
                        .map(|(x, y)| condition.test(x, y)),
                ),
                Some(Test::Bool { .. } | Test::LoopRepeats { .. } | Test::JumpsLeft) | None => None,
            },
            _other_instructions => None,
        };
        (decode(bare.0, &[]), holds)
    }

    #[test]
    fn inputs_are_those_of_decoded_words() {
        let mut read = 0;
        for (word, descriptor) in words().zip((0..).map(|n: u32| n.wrapping_mul(0x9E37_79B9))) {
            let canonical = canonical_of(word, descriptor, Stage::Geometry);
            let decoded = decode(canonical.word, &[canonical.descriptor.unwrap_or(0)]);
            let sources: Vec<_> = match &decoded {
                Inst::Data { op, sources, .. } => sources[..op.reads().len()].to_vec(),
                Inst::Mova { source, .. } => vec![*source],
                Inst::Cmp { sources, .. } => sources.to_vec(),
                Inst::Emit | Inst::SetEmit { .. } | Inst::Flow(_) | Inst::Unassigned(_) => Vec::new(),
            };
            let reads: &[_] = match &decoded {
                Inst::Data { op, .. } => op.reads(),
                _other => &[],
            };
            let written = match &decoded {
                Inst::Data { mask, .. } | Inst::Mova { mask, .. } => *mask,
                _other => Mask(3),
            };
            let mut expected = 0;
            for (index, operand) in sources.iter().enumerate() {
                let Source::Input(register) = operand.register else { continue };
                let result = reads.get(index).map_or(written, |reads| reads.for_mask(written));
                for component in result.iter() {
                    let selected = operand.swizzle.get(component);
                    expected |= 1 << (4 * register as usize + selected.index());
                }
            }
            assert_eq!(inputs(canonical), expected, "{word:#x}: {decoded:?}");
            read |= expected;
        }
        assert_eq!(read, u64::MAX);
    }

    #[test]
    fn undefined_opcodes_are_those_that_decode_to_nothing() {
        for code in 0..64u32 {
            let is_undefined = matches!(decode(code << 26, &[]), Inst::Unassigned(_));
            assert_eq!(UNDEFINED_OPCODES >> code & 1 != 0, is_undefined, "{code:#x}");
        }
    }

    #[test]
    fn ignored_bits_are_cleared() {
        let same = |a: (u32, u32), b: (u32, u32)| {
            assert_eq!(
                canonical_of(a.0, a.1, Stage::Vertex),
                canonical_of(b.0, b.1, Stage::Vertex),
                "{a:x?} {b:x?}"
            );
        };
        let differ = |a: (u32, u32), b: (u32, u32)| {
            assert_ne!(
                canonical_of(a.0, a.1, Stage::Vertex),
                canonical_of(b.0, b.1, Stage::Vertex),
                "{a:x?} {b:x?}"
            );
        };
        // mov: no second source, no selector of unwritten components, no bit 31.
        same((0x4C00_0000, 0x368), (0x4C00_0F80, 0x8000_0208));
        differ((0x4C00_0000, 0x368), (0x4C00_0000, 0x378));
        differ((0x4C00_0000, 0x368), (0x4C00_0000, 0x364));
        // A source other than a uniform ignores the address register.
        same((0x4C00_0000, 0x36F), (0x4C08_0000, 0x36F));
        differ((0x4C02_0000, 0x36F), (0x4C0A_0000, 0x36F));
        // cmp: no mask, z and w not compared; .xxxx on both sides is not a NOP.
        same((0xB800_0000, 0), (0xB800_0000, 0x1E0 >> 1 & 0xF));
        differ((0xB800_0000, 0), (0x8400_0000, 0));
        // Without a written component there is no effect; LITP still writes the flags.
        same((0x0000_0000, 0x370), (0x8400_0000, 0));
        differ((0x1C00_0000, 0), (0x8400_0000, 0));
        // dp3 reads three components of both sources, whatever it writes.
        differ((0x0400_0000, 0x8), (0x0400_0000, 0x8 | 1 << 7));
        same((0x0400_0000, 0x8), (0x0400_0000, 0x8 | 1 << 5));
    }

    #[test]
    fn control_flow_words_keep_the_fields_that_they_read() {
        let same = |a, b| {
            assert_eq!(canonical_of(a, 0, Stage::Vertex), canonical_of(b, 0, Stage::Vertex), "{a:x} {b:x}")
        };
        let differ = |a, b| {
            assert_ne!(canonical_of(a, 0, Stage::Vertex), canonical_of(b, 0, Stage::Vertex), "{a:x} {b:x}")
        };
        // call ignores a condition, and two of ten bits of its length.
        same(0x9000_B402, 0x93C0_B702);
        differ(0x9000_B402, 0x9000_B403);
        // jmpc on cmp.x ignores the other flag and the length.
        same(0xB280_B400, 0xB380_B4FF);
        differ(0xB280_B400, 0xB080_B400);
        // jmpu reads one bit of its length; loop reads two of its index and no length.
        same(0xB400_B400, 0xB400_B402);
        differ(0xB400_B400, 0xB400_B401);
        same(0xA400_B400, 0xA500_B407);
        differ(0xA400_B400, 0xA440_B400);
        // emit has no effect in the vertex unit.
        same(0xA800_0000, 0x8400_0000);
        assert_ne!(
            canonical_of(0xA800_0000, 0, Stage::Geometry),
            canonical_of(0x8400_0000, 0, Stage::Geometry)
        );
    }
}
