//! Data instructions: random operations, operands and descriptors.
//! In: random choices. Out: single words and a descriptor table. Knows no addresses.

use transpica::isa::opdesc::{Descriptor, Selector};
use transpica::isa::sizes::FLOATS;
use transpica::isa::table::Class;
use transpica::isa::word::{Field, Word};
use transpica::isa::{Mask, Opcode, Swizzle};

use super::Random;

/// A source of data instructions that share one descriptor table.
pub(crate) struct DataMaker {
    /// The descriptors. The first always writes all components and has identity swizzles.
    pub descriptors: Vec<u32>,
    /// Opcodes that write a register.
    pub writers: Vec<Opcode>,
    /// Highest number of v, r and o registers; small, so that results are reused.
    reach: u32,
}

impl DataMaker {
    pub fn new(random: &mut Random) -> Self {
        let count = random.weighted(&[(4, 6), (4, 16), (2, 32), (1, 128)]);
        let identity = Descriptor { mask: Mask::XYZW, sources: [Selector::default(); 3] };
        let mut descriptors = vec![identity.pack()];
        descriptors.extend((1..count).map(|_| descriptor(random)));
        Self {
            descriptors,
            writers: Opcode::ALL
                .iter()
                .copied()
                .filter(|opcode| matches!(opcode.info().class, Class::Data(_)))
                .collect(),
            reach: random.weighted(&[(3, 3), (3, 7), (1, 15)]),
        }
    }

    /// A random instruction that writes a register.
    pub fn write(&self, random: &mut Random) -> Word {
        let opcode = random.pick(&self.writers);
        self.write_with(random, opcode)
    }

    /// A random instruction with this opcode.
    pub fn write_with(&self, random: &mut Random, opcode: Opcode) -> Word {
        let dest = random.below(self.reach + 1) + if random.chance(75) { 0x10 } else { 0 };
        self.sources(random, opcode).with(Field::Dest, dest)
    }

    /// A random CMP.
    pub fn compare(&self, random: &mut Random) -> Word {
        let word = self.sources(random, Opcode::Cmp);
        word.with(Field::CompareX, random.below(8)).with(Field::CompareY, random.below(8))
    }

    /// A random MOVA.
    pub fn address(&self, random: &mut Random) -> Word {
        self.sources(random, Opcode::Mova)
    }

    /// A copy of all components between registers of these numbers.
    pub fn copy(&self, dest: u32, source: u32) -> Word {
        Word::new(Opcode::Mov).with(Field::Dest, dest).with(Field::Source1, source)
    }

    /// An instruction that writes all components of a register: mostly a copy.
    pub fn whole(&self, random: &mut Random, dest: u32) -> Word {
        let opcode = if random.chance(70) { Opcode::Mov } else { random.pick(&self.writers) };
        let word = self.write_with(random, opcode).with(Field::Dest, dest);
        let reach = opcode.format().descriptors().min(self.descriptors.len()) as u32; // Range: at most 128.
        let is_whole = |number: &u32| self.descriptors[*number as usize] & 15 == 15;
        let whole: Vec<u32> = (0..reach).filter(is_whole).collect();
        word.with(Field::Descriptor, random.pick(&whole))
    }

    /// Highest register number that is read and written.
    pub fn reach(&self) -> u32 {
        self.reach
    }

    /// Adds random sources and a random descriptor.
    fn sources(&self, random: &mut Random, opcode: Opcode) -> Word {
        let format = opcode.format();
        let reach = format.descriptors().min(self.descriptors.len()) as u32; // Range: at most 128.
        let mut word = Word::new(opcode).with(Field::Descriptor, random.below(reach));
        for source in Field::SOURCES {
            let uniform = format.wide() == Some(source) && random.chance(55);
            let register = if uniform {
                0x20 + random.below_some(&[(3, 8), (1, FLOATS as u32)])
            } else {
                random.below(self.reach + 1) + if random.chance(60) { 0x10 } else { 0 }
            };
            word = word.with(source, register);
        }
        // An index on a v or r register has no effect, which needs testing, too.
        if random.chance(25) { word.with(Field::Index, random.between(1, 3)) } else { word }
    }
}

/// A random descriptor: often all components, often plain swizzles, as in real programs.
fn descriptor(random: &mut Random) -> u32 {
    let mask = 15 - random.below_some(&[(3, 1), (5, 15), (1, 16)]);
    let sources = [0; 3].map(|_| {
        let (broadcast, any) = (random.below(4) * 0x55, random.below(256));
        let byte = random.weighted(&[(3, 0x1B), (3, broadcast), (6, any)]);
        // Ranges: both are bytes.
        Selector { swizzle: Swizzle(byte as u8), negate: random.chance(25) }
    });
    let bits = Descriptor { mask: Mask(mask as u8), sources }.pack();
    // Assemblers do not agree on bit 31.
    bits | random.below(2) << 31
}
