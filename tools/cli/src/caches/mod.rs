//! Shader caches of emulators: which programs they hold, and with which registers each was drawn.
//! In: the bytes of a file. Out: [`Cache`]. Translates nothing, and takes nothing from a file
//! before its size is checked.
//! A damaged file gives its programs up to the damage, and a warning with the offset.
//! Facts: the emulators' writers; `vkch` and `opengl` say which.

mod opengl;
#[cfg(test)]
mod tests;
mod vkch;
#[cfg(test)]
#[path = "../../tests/support/caches.rs"]
mod writer;

use std::fmt;
use std::sync::Arc;

use transpica::RegisterState;
use transpica::isa::DEFAULT;
use transpica::isa::sizes::{DESCRIPTORS, INPUTS, VERTEX_WORDS};

/// Most programs and configurations that one file may hold; games have a few hundred.
const MOST: usize = 1 << 16;
/// Most warnings that are kept of a file; the others are counted.
const WARNINGS: usize = 16;

/// Numbers of the registers that describe a vertex program.
mod register {
    pub use transpica::host::number::vertex::*;
    pub use transpica::host::number::{OUTMAP, OUTMAP_TOTAL, UNIT_MODE};
}

/// Number format of an attribute in the vertex buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Number {
    /// A signed byte.
    S8,
    /// An unsigned byte.
    U8,
    /// A signed half word.
    S16,
    /// A float.
    #[default]
    Float,
}

/// Format of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Format of each component.
    pub number: Number,
    /// Number of components, 1..=4.
    pub size: u8,
}

impl Default for Format {
    fn default() -> Self {
        Self { number: Number::Float, size: 4 }
    }
}

impl Format {
    /// Returns a vector that an attribute of this format can hold, made of any other.
    pub fn shape(self, mut vector: [f32; 4]) -> [f32; 4] {
        let size = usize::from(self.size).min(4);
        vector[size..].copy_from_slice(&DEFAULT[size..]);
        for component in &mut vector[..size] {
            // The low bits of a float are its most random ones. Ranges: as many bits as each has.
            let bits = component.to_bits();
            *component = match self.number {
                Number::S8 => f32::from(bits as i8),
                Number::U8 => f32::from(bits as u8),
                Number::S16 => f32::from(bits as i16),
                Number::Float => *component,
            };
        }
        vector
    }
}

/// Code memory and operand descriptors, as far as the vertex unit holds them.
#[derive(Debug, PartialEq, Eq)]
pub struct Words {
    /// Code words, at most 512.
    pub code: Vec<u32>,
    /// Operand descriptors, at most 128.
    pub descriptors: Vec<u32>,
}

impl Words {
    /// Reads words from memory images. What the vertex unit cannot hold is left out.
    fn new(code: &[u8], descriptors: &[u8]) -> Self {
        let cut = |bytes: &[u8], most: usize| words(&bytes[..bytes.len().min(4 * most)]).collect();
        Self { code: cut(code, VERTEX_WORDS as usize), descriptors: cut(descriptors, DESCRIPTORS) }
    }
}

/// One program, with the registers of a draw that used it.
#[derive(Clone, Debug)]
pub struct StoredProgram {
    /// Its memories; configurations share them.
    pub words: Arc<Words>,
    /// Writes to registers: entry point, outputs, permutation; see [`Self::has_values`].
    pub registers: Vec<(u16, u32)>,
    /// True if bool and int uniforms are among the registers.
    pub has_values: bool,
    /// Formats of v0..v15. Caches without them have floats.
    pub formats: [Format; INPUTS],
    /// Offset of the entry in the file that describes the draw.
    pub offset: usize,
}

impl StoredProgram {
    /// Returns the registers as they were at the draw.
    pub fn state(&self) -> RegisterState {
        let mut state = RegisterState::default();
        // The program is written to one unit only.
        state.write(register::UNIT_MODE, 1);
        state.write(register::CODE_INDEX, 0);
        self.words.code.iter().for_each(|&word| state.write(register::CODE_DATA, word));
        state.write(register::DESCRIPTOR_INDEX, 0);
        self.words.descriptors.iter().for_each(|&word| state.write(register::DESCRIPTOR_DATA, word));
        self.registers.iter().for_each(|&(register, value)| state.write(register, value));
        state
    }
}

/// A fault of a file that costs some of its content only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Its place in the file.
    pub offset: usize,
    /// The fault, and its consequence.
    pub text: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at offset {:#x})", self.text, self.offset)
    }
}

/// Kind of a cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CacheKind {
    /// A file of no bytes.
    #[default]
    Empty,
    /// `.vkch`
    Vulkan,
    /// `.bin`
    OpenGl,
}

impl CacheKind {
    /// Returns the name in reports.
    pub fn name(self) -> &'static str {
        ["empty", "vkch", "OpenGL"][self as usize]
    }
}

/// Content of a cache.
#[derive(Debug, Default)]
pub struct Cache {
    /// Its kind.
    pub kind: CacheKind,
    /// Number of entries, of any kind.
    pub entries: usize,
    /// Programs in the order of the file.
    pub programs: Vec<StoredProgram>,
    /// Number of stored programs that no configuration names; they have no entry point.
    pub unnamed: usize,
    /// The first faults.
    pub faults: Vec<Fault>,
    /// Number of all faults.
    pub fault_count: usize,
}

impl Cache {
    fn warn(&mut self, offset: usize, text: impl Into<String>) {
        self.fault_count += 1;
        if self.faults.len() < WARNINGS {
            self.faults.push(Fault { offset, text: text.into() });
        }
    }
}

/// Reads a cache of any kind.
///
/// # Errors
/// A file that is not such a cache, or one of an unknown version or without vertex programs.
pub fn read(bytes: &[u8]) -> Result<Cache, Fault> {
    match bytes {
        [] => Ok(Cache::default()),
        [vkch::VERSION, ..] => vkch::read(bytes),
        [1, 0, 0, 0, ..] => opengl::read(bytes),
        [..] => {
            let (first, count) = (&bytes[..bytes.len().min(4)], bytes.len().min(4));
            let text = format!(
                "neither a .vkch file (first byte 0x42) nor an OpenGL cache of version 1: the first {count} bytes are {first:02x?}"
            );
            Err(Fault { offset: 0, text })
        }
    }
}

/// Little-endian words.
fn words(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
}

/// Returns the word at an offset, or `None` beyond the end.
fn word(bytes: &[u8], offset: usize) -> Option<u32> {
    let field = bytes.get(offset..)?.first_chunk()?;
    Some(u32::from_le_bytes(*field))
}

/// Returns the double word at an offset, or `None` beyond the end.
fn long(bytes: &[u8], offset: usize) -> Option<u64> {
    let field = bytes.get(offset..)?.first_chunk()?;
    Some(u64::from_le_bytes(*field))
}
