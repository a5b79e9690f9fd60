//! Code words as stored.
//! In: 32-bit words. Out: fields, and words from fields. Knows no operand descriptor and no
//! semantics.
//! Facts: 3dbrew "GPU/Shader Instruction Set"; positions checked against words that picasso
//! assembled.

pub use super::format::{Bits, Field, Format};
use crate::program::isa::inst::Move;
use crate::program::isa::table::Opcode;

/// A code word as opcode and fields, exactly as stored.
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
    /// The transfer of control, for a control-flow instruction.
    #[inline]
    pub fn moves(self) -> Option<Move> {
        self.opcode()?.moves()
    }
    /// Returns the value of a field, or `None` if the format lacks it.
    pub fn get(self, field: Field) -> Option<u32> {
        Some(self.opcode()?.format().bits(field)?.get(self.0))
    }
    /// The word with one field replaced. Excess bits of the value are dropped; a field that the
    /// format lacks has no effect.
    #[must_use]
    pub fn with(self, field: Field, value: u32) -> Self {
        let place = self.opcode().and_then(|opcode| opcode.format().bits(field));
        place.map_or(self, |bits| Self(self.0 & !bits.encode(u32::MAX) | bits.encode(value)))
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
                        let others = !bits.encode(u32::MAX);
                        assert_eq!(word.0 & others, base.0 & others, "{opcode:?} {field:?}");
                    }
                }
            }
        }
    }
}
