//! Writers of shader caches, after the same facts as the readers.
//! In: programs and draws. Out: the bytes of a file. Knows nothing of the readers.

#![allow(dead_code, reason = "not every test file needs all of it")]

use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use xxhash_rust::xxh3::xxh3_64;

/// A draw with a vertex program.
#[derive(Clone, Debug)]
pub struct Draw {
    pub code: Vec<u32>,
    pub descriptors: Vec<u32>,
    pub entry: u32,
    pub mask: u16,
    pub semantics: Vec<u32>,
    /// Type and size of each attribute.
    pub attributes: [(u8, u8); 16],
}

impl Draw {
    /// Builds a draw whose first output is the position, and whose second is the color.
    pub fn new(code: &[u32], descriptors: &[u32], entry: u16) -> Self {
        Self {
            code: code.to_vec(),
            descriptors: descriptors.to_vec(),
            entry: entry.into(),
            mask: 3,
            semantics: vec![0x0302_0100, 0x0B0A_0908],
            attributes: [(3, 4); 16],
        }
    }

    /// Builds a draw whose program multiplies v0 by a uniform: one for each number below 96.
    pub fn numbered(number: u32) -> Self {
        // mul o0, c0, v0; end
        Self::new(&[0x2000_0000 | (0x20 + number) << 12, 0x8800_0000], &[0x36F], 0)
    }

    /// Returns the identifier of its program.
    pub fn id(&self) -> u64 {
        combine(hash(&self.code), hash(&self.descriptors))
    }
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Returns the hash of words.
pub fn hash(words: &[u32]) -> u64 {
    xxh3_64(&bytes(words))
}

/// Returns the hash of two hashes.
pub fn combine(c: u64, d: u64) -> u64 {
    c ^ d.wrapping_add(0x9E37_79B9).wrapping_add(c << 6).wrapping_add(c >> 2)
}

/// Returns words with zeros after them, as 4,096 words.
fn memory(words: &[u32]) -> Vec<u8> {
    let mut memory = bytes(words);
    memory.resize(4 * 4096, 0);
    memory
}

/// Returns one zstd frame that states its size, as the emulator's.
pub fn frame(content: &[u8]) -> Vec<u8> {
    let made = compress_to_vec(content, CompressionLevel::Fastest);
    assert_eq!(made[4] & 0xE4, 0, "no size, no checksum, a window descriptor");
    let mut frame = made[..4].to_vec();
    // A single segment, with a size of four bytes.
    frame.push(0xA0);
    frame.extend((content.len() as u32).to_le_bytes());
    frame.extend(&made[6..]);
    frame
}

/// An entry of a `.vkch` file.
#[derive(Clone, Debug)]
pub struct Entry {
    pub version: u8,
    pub flags: u8,
    pub kind: u16,
    pub id: u64,
    pub payload: Vec<u8>,
}

impl Entry {
    /// Builds an entry with a compressed payload.
    pub fn packed(kind: u16, id: u64, payload: &[u8]) -> Self {
        Self { version: 0x42, flags: 1, kind, id, payload: frame(payload) }
    }

    /// Builds file information.
    pub fn info(file_kind: u32) -> Self {
        let mut payload = vec![0xEE; 1144];
        payload[..4].copy_from_slice(b"VKCH");
        payload[4..8].fill(0);
        payload[8..16].copy_from_slice(&0x3599_0DAF_D10F_A7DFu64.to_le_bytes());
        payload[16..20].copy_from_slice(&file_kind.to_le_bytes());
        Self { version: 0x42, flags: 0, kind: 0, id: 0, payload }
    }

    /// Builds the program of a draw.
    pub fn program(draw: &Draw) -> Self {
        Self::packed(2, draw.id(), &program(draw, &[0; 8]))
    }

    /// Builds the program of a draw as the first two releases did.
    pub fn early_program(draw: &Draw) -> Self {
        // Padding is undefined.
        Self::packed(2, draw.id(), &program(draw, &[0, 0xAA, 0xBB, 0xCC]))
    }

    /// Builds the configuration of a draw.
    pub fn configuration(draw: &Draw) -> Self {
        let payload = configuration(draw);
        Self::packed(1, xxh3_64(&payload[24..]), &payload)
    }

    /// Builds stored SPIR-V.
    pub fn spirv(words: &[u32]) -> Self {
        Self::packed(3, 77, &bytes(words))
    }
}

/// Returns the payload of a program.
fn program(draw: &Draw, version: &[u8]) -> Vec<u8> {
    let lengths = [draw.code.len() as u32, draw.descriptors.len() as u32];
    [version, &bytes(&lengths), &memory(&draw.code), &memory(&draw.descriptors)].concat()
}

/// Returns the payload of a configuration.
pub fn configuration(draw: &Draw) -> Vec<u8> {
    let mut out = vec![0; 8];
    let count = draw.mask.count_ones();
    for hash in [draw.id(), 0x1234_5678_9ABC_DEF0, 0, hash(&draw.code), hash(&draw.descriptors)] {
        out.extend(hash.to_le_bytes());
    }
    out.extend(bytes(&[draw.entry, count]));
    let mut next = 0;
    for output in 0..16 {
        let is_on = draw.mask >> output & 1 != 0;
        out.extend(if is_on { next } else { 16u32 }.to_le_bytes());
        next += u32::from(is_on);
    }
    out.push(16);
    for (register, (number, size)) in (0u8..).zip(draw.attributes) {
        out.extend([register, number, size]);
    }
    out.extend([0; 3]);
    out.extend(bytes(&[count, count, draw.semantics.len() as u32]));
    let mut semantics = draw.semantics.clone();
    semantics.resize(7, 0);
    out.extend(bytes(&semantics));
    out.extend([0; 4]);
    assert_eq!(out.len(), 216);
    out
}

/// Returns the bytes of a `.vkch` file.
pub fn vkch(entries: &[Entry]) -> Vec<u8> {
    let mut out = Vec::new();
    for (number, Entry { version, flags, kind, id, payload }) in (0u32..).zip(entries) {
        let length = payload.len() as u32 + 32;
        out.extend([*version, *flags]);
        out.extend(kind.to_le_bytes());
        out.extend(length.to_le_bytes());
        out.extend(id.to_le_bytes());
        out.extend(payload);
        out.extend(bytes(&[number << 8 | 0x24, length, 0, 0]));
    }
    out
}

/// Returns the `.vkch` file of these draws: each program in front of its configuration.
pub fn vkch_of(draws: &[Draw]) -> Vec<u8> {
    let pairs = draws.iter().flat_map(|draw| [Entry::program(draw), Entry::configuration(draw)]);
    vkch(&[Entry::info(0)].into_iter().chain(pairs).collect::<Vec<_>>())
}

/// Returns one OpenGL record of a vertex program. Registers that the draw does not decide have
/// their number as value.
pub fn opengl_record(draw: &Draw, changed: &[(usize, u32)]) -> Vec<u8> {
    let mut registers: Vec<u32> = (0..0x300).collect();
    (registers[0x229], registers[0x2B9]) = (0, 0xA000_000F);
    registers[0x2BA] = 0x7FFF_0000 | draw.entry;
    (registers[0x2BB], registers[0x2BC]) = (0x7654_3210, 0xFEDC_BA98);
    registers[0x2BD] = draw.mask.into();
    registers[0x4F] = draw.semantics.len() as u32;
    registers[0x50..0x50 + draw.semantics.len()].copy_from_slice(&draw.semantics);
    changed.iter().for_each(|&(register, value)| registers[register] = value);
    let registers = bytes(&registers);
    let mut out = vec![0; 16];
    out.extend(0x300u64.to_le_bytes());
    out.extend(registers);
    out.extend(8192u64.to_le_bytes());
    out.extend([memory(&draw.code), memory(&draw.descriptors)].concat());
    assert_eq!(out.len(), 35_872);
    out
}

/// Returns one OpenGL record without a program.
pub fn opengl_fragment() -> Vec<u8> {
    let mut out = vec![0; 12];
    out.extend(1u32.to_le_bytes());
    out.extend(0x300u64.to_le_bytes());
    out.extend(vec![0x55; 4 * 0x300]);
    out
}

/// Returns the bytes of an OpenGL cache.
pub fn opengl(records: &[Vec<u8>]) -> Vec<u8> {
    [&1u32.to_le_bytes()[..], &records.concat()].concat()
}
