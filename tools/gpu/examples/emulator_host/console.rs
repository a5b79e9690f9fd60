//! The console's side: command lists that upload shader programs and uniforms, register by
//! register.
//! In: `.shbin` files, values. Out: the words of command lists, and vertex data.
//! Facts: 3dbrew "GPU/Internal Registers" for the registers, libctru for the order in which they
//! are written.

use transpica::container::{ConstantValue, Semantic, SymbolBank};
use transpica::stages::precision::float24;
use transpica::{RegisterState, Shbin};

/// Registers of the vertex unit.
mod register {
    pub use transpica::host::number::vertex::*;
    pub use transpica::host::number::{OUTMAP, OUTMAP_TOTAL};
}

/// Largest number of extra words in one command.
const MOST_PARAMETERS: usize = 255;
/// An output map word with no component mapped.
const UNUSED: u32 = 0x1F1F_1F1F;

/// Number of attributes per vertex in the registers.
pub fn attribute_count(state: &RegisterState) -> usize {
    (state.read(register::INPUT) & 15) as usize + 1
}

/// Returns the input register that an attribute goes to.
pub fn attribute_register(state: &RegisterState, attribute: usize) -> u32 {
    let (word, nibble) = match attribute {
        0..8 => (state.read(register::PERMUTATION_LOW), attribute),
        _ => (state.read(register::PERMUTATION_HIGH), attribute - 8),
    };
    word >> (4 * nibble) & 15
}

/// A GPU command list.
#[derive(Clone, Default)]
pub struct CommandList(Vec<u32>);

impl CommandList {
    pub fn words(&self) -> &[u32] {
        &self.0
    }

    /// Writes one register.
    pub fn write(&mut self, register: u16, value: u32) {
        self.fifo(register, &[value]);
    }

    /// Writes consecutive words to one register.
    fn fifo(&mut self, register: u16, words: &[u32]) {
        for words in words.chunks(MOST_PARAMETERS + 1) {
            let [first, rest @ ..] = words else { continue };
            let header = u32::from(register) | 0xF << 16 | (rest.len() as u32) << 20;
            self.0.extend([*first, header]);
            self.0.extend(rest);
            // Commands begin at multiples of eight bytes.
            self.0.resize(self.0.len().next_multiple_of(2), 0);
        }
    }

    /// Writes consecutive float uniforms, starting at c`first`.
    pub fn floats(&mut self, first: u8, values: &[[f32; 4]]) {
        self.write(register::FLOAT_INDEX, u32::from(first));
        for value in values {
            self.float24(value.map(|x| float24::from_f32_bits(x.to_bits())));
        }
    }

    /// Writes the next float uniform: x in the lowest of 96 bits, the highest word first.
    fn float24(&mut self, [x, y, z, w]: [u32; 4]) {
        self.fifo(register::FLOAT_DATA, &[w << 8 | z >> 16, z << 16 | y >> 8, y << 24 | x]);
    }

    pub fn int(&mut self, number: u16, value: [u8; 4]) {
        self.write(register::INTS + number, u32::from_le_bytes(value));
    }

    pub fn bools(&mut self, values: u16) {
        self.write(register::BOOLS, 0x7FFF_0000 | u32::from(values));
    }
}

/// A program in the console's memory.
pub struct Program {
    upload: CommandList,
    names: Vec<(String, u8)>,
}

impl Program {
    /// Builds a program from the first executable of a file.
    pub fn new(bytes: &[u8], attributes: u32) -> Result<Self, transpica::Error> {
        let file = Shbin::parse(bytes)?;
        let executable = &file.executables[0];
        let mut upload = CommandList::default();
        upload.write(register::CODE_INDEX, 0);
        upload.fifo(register::CODE_DATA, &file.package.code.iter().collect::<Vec<_>>());
        upload.write(register::CODE_END, 1);
        upload.write(register::DESCRIPTOR_INDEX, 0);
        let descriptors: Vec<u32> =
            file.package.descriptors.iter().map(|descriptor| descriptor.bits).collect();
        upload.fifo(register::DESCRIPTOR_DATA, &descriptors);
        upload.write(register::ENTRY, 0x7FFF_0000 | executable.header.main);
        upload.write(register::INPUT, 0xA000_0000 | (attributes - 1));
        upload.write(register::PERMUTATION_LOW, 0x7654_3210);
        upload.write(register::PERMUTATION_HIGH, 0xFEDC_BA98);
        let (mut mask, mut map) = (0u32, [UNUSED; 16]);
        for output in executable.outputs.iter() {
            let Some(semantic) = output.semantic().filter(|&semantic| semantic != Semantic::Generic) else {
                continue;
            };
            mask |= 1 << output.register;
            let info = semantic.info();
            let components = (0..4).filter(|component| output.mask >> component & 1 != 0);
            for (component, code) in components.zip(info.first_code..info.first_code + info.components) {
                let word = &mut map[usize::from(output.register)];
                *word = *word & !(0xFF << (8 * component)) | u32::from(code) << (8 * component);
            }
        }
        upload.write(register::OUTPUT_MASK, mask);
        upload.write(register::OUTMAP_TOTAL, mask.count_ones());
        // The table of outputs lists only the enabled ones, without gaps.
        let used = map.into_iter().enumerate().filter(|(register, _)| mask >> register & 1 != 0);
        let words = used.map(|(_, word)| word).chain(std::iter::repeat(UNUSED));
        (register::OUTMAP..register::OUTMAP + 7)
            .zip(words)
            .for_each(|(number, word)| upload.write(number, word));
        for constant in executable.constants.iter() {
            match constant.value() {
                Some(ConstantValue::Float { register, value }) => {
                    upload.write(register::FLOAT_INDEX, u32::from(register));
                    upload.float24(value);
                }
                Some(ConstantValue::Int { register, value }) => upload.int(u16::from(register), value),
                // All bools are one word, which the scene sets for programs that read some.
                Some(ConstantValue::Bool { .. }) | None => {}
            }
        }
        let ranges = executable.symbols.iter().filter_map(|symbol| Some((symbol.name, symbol.range()?)));
        let floats = ranges.filter(|(_, range)| range.bank == SymbolBank::Float);
        let names = floats.map(|(name, range)| (executable.name(name).to_text().into_owned(), range.first));
        Ok(Self { upload, names: names.collect() })
    }

    /// Builds a list that uploads the program.
    pub fn list(&self) -> CommandList {
        self.upload.clone()
    }

    /// Sets a float uniform by name.
    ///
    /// # Panics
    /// If the program has no such uniform.
    pub fn set(&self, list: &mut CommandList, name: &str, values: &[[f32; 4]]) {
        let (_, first) =
            self.names.iter().find(|(known, _)| known == name).unwrap_or_else(|| panic!("no {name}"));
        list.floats(*first, values);
    }
}

/// A list of triangles, and the commands that must run before it is drawn.
pub struct Draw {
    pub list: CommandList,
    /// The attributes of all vertices, vertex by vertex.
    pub attributes: Vec<[f32; 4]>,
    /// Attributes per vertex.
    pub count: usize,
}

impl Draw {
    pub fn vertices(&self) -> usize {
        self.attributes.len() / self.count
    }
}
