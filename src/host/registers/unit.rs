//! One shader unit: memories, uniforms, configuration.
//! In: words for its registers, by their offset in the unit's block. Out: the state of its
//! memories.

use super::number::{BLOCK, unit as register};
use crate::machine::precision::float24;
use crate::program::isa::sizes::{DESCRIPTORS, FLOATS};
use crate::program::isa::{Pc, Stage, Uniforms};

/// Words of a program, and the position of the next upload.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Memory {
    pub(super) words: Vec<u32>,
    next: usize,
}

impl Memory {
    /// Stores an upload; drops it if it exceeds the capacity.
    fn upload(&mut self, words: &[u32], capacity: usize) {
        let end = self.next.saturating_add(words.len());
        if end > capacity {
            return;
        }
        if end > self.words.len() {
            self.words.resize(end, 0);
        }
        self.words[self.next..end].copy_from_slice(words);
        self.next = end;
    }
}

/// A shader unit.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Unit {
    /// Registers that hold the last value written, by offset.
    plain: [u32; BLOCK as usize],
    pub(super) code: Memory,
    pub(super) descriptors: Memory,
    floats: [[f32; 4]; FLOATS],
    /// Index of the float register that receives the next vector.
    float: usize,
    /// Words received of that vector.
    sent: [u32; 4],
    sent_count: usize,
}

impl Default for Unit {
    fn default() -> Self {
        Self {
            plain: [0; BLOCK as usize],
            code: Memory::default(),
            descriptors: Memory::default(),
            floats: [[0.0; 4]; FLOATS],
            float: 0,
            sent: [0; 4],
            sent_count: 0,
        }
    }
}

impl Unit {
    /// Writes words to one register; `upload` is the unit whose memory bounds the upload.
    pub(super) fn write(&mut self, register: u16, words: &[u32], enabled: u32, upload: Stage) {
        let mut masked = [0; 256];
        masked.iter_mut().zip(words).for_each(|(place, word)| *place = word & enabled);
        let words = &masked[..words.len().min(masked.len())];
        match register {
            register::FLOAT_DATA..=register::FLOAT_DATA_LAST => {
                words.iter().for_each(|&word| self.float(word))
            }
            register::CODE_DATA..=register::CODE_DATA_LAST => {
                self.code.upload(words, upload.words() as usize)
            }
            register::DESCRIPTOR_DATA..=register::DESCRIPTOR_DATA_LAST => {
                self.descriptors.upload(words, DESCRIPTORS);
            }
            register => {
                for word in words {
                    self.set(register, word, enabled);
                }
            }
        }
    }

    /// Writes a register that holds its value.
    fn set(&mut self, register: u16, word: &u32, enabled: u32) {
        let Some(plain) = self.plain.get_mut(usize::from(register)) else { return };
        *plain = *plain & !enabled | word;
        let value = *plain;
        match register {
            register::FLOAT_INDEX => {
                self.float = (value & 0xFF) as usize;
                self.sent_count = 0;
            }
            register::CODE_INDEX => self.code.next = (value & 0xFFF) as usize,
            register::DESCRIPTOR_INDEX => self.descriptors.next = (value & 0x7F) as usize,
            _others_hold_it => {}
        }
    }

    /// Receives a word for the float uniforms, whose vectors come w first: three words of four
    /// float24, or four f32.
    fn float(&mut self, word: u32) {
        let is_single = self.read(register::FLOAT_INDEX) >> 31 != 0;
        self.sent[self.sent_count] = word;
        self.sent_count += 1;
        if self.sent_count < if is_single { 4 } else { 3 } {
            return;
        }
        self.sent_count = 0;
        let [a, b, c, d] = self.sent;
        let vector = if is_single {
            [d, c, b, a]
        } else {
            // x is in the lowest of the 96 bits.
            [c & 0xFF_FFFF, b << 8 & 0xFF_FF00 | c >> 24, a << 16 & 0xFF_0000 | b >> 16, a >> 8]
                .map(float24::to_f32_bits)
        };
        // Vectors beyond c95 are dropped.
        if let Some(float) = self.floats.get_mut(self.float) {
            *float = vector.map(f32::from_bits);
            self.float += 1;
        }
    }

    /// Returns the value of a register that holds one.
    pub(super) fn read(&self, register: u16) -> u32 {
        self.plain.get(usize::from(register)).copied().unwrap_or(0)
    }
    /// Returns the entry point. It is as wide as the unit's addresses.
    pub(super) fn entry(&self, stage: Stage) -> Pc {
        // Range: at most twelve bits.
        Pc((self.read(register::ENTRY) & (stage.words() - 1)) as u16)
    }
    pub(super) fn set_uniforms(&mut self, &Uniforms { floats, ints, bools }: &Uniforms) {
        self.floats = floats;
        for (place, int) in self.plain[usize::from(register::INTS)..].iter_mut().zip(ints) {
            *place = u32::from_le_bytes(int);
        }
        self.plain[usize::from(register::BOOLS)] = bools.into();
    }
    pub(super) fn uniforms(&self) -> Uniforms {
        Uniforms {
            floats: self.floats,
            ints: [0, 1, 2, 3].map(|index| self.read(register::INTS + index).to_le_bytes()),
            bools: (self.read(register::BOOLS) & 0xFFFF) as u16,
        }
    }
    /// Returns the permutation of the attributes: a nibble with the register of each.
    pub(super) fn permutation(&self) -> u64 {
        u64::from(self.read(register::PERMUTATION_HIGH)) << 32
            | u64::from(self.read(register::PERMUTATION_LOW))
    }
    pub(super) fn input_count(&self) -> u8 {
        // Range: 1..=16.
        (self.read(register::INPUT) & 15) as u8 + 1
    }
    pub(super) fn output_mask(&self) -> u16 {
        (self.read(register::OUTPUT_MASK) & 0xFFFF) as u16
    }
}
