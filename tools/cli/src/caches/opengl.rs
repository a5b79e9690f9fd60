//! OpenGL transferable caches (`.bin`): records of all registers, with the memory of the vertex
//! unit.
//! In: the bytes of a file. Out: its vertex programs.
//! Facts: the layout of Citra since 2019, which Azahar keeps. Identifiers are hashes of three
//! kinds, by age of the writer, so they are not checked.

use std::sync::Arc;

use super::{Cache, CacheKind, Fault, Format, MOST, StoredProgram, Words, long, register, word, words};
use transpica::isa::sizes::INPUTS;

/// Version at the start of the file, and length of that field.
const VERSION: (u32, usize) = (1, 4);
/// Number of registers of a record.
const REGISTERS: usize = 0x300;
/// Words of each memory; the vertex unit has the first.
const MEMORY: usize = 4096;
/// Offsets in a record.
mod at {
    pub const KIND: usize = 0;
    pub const TYPE: usize = 12;
    pub const COUNT: usize = 16;
    pub const REGISTERS: usize = 24;
    /// End of a record without a program.
    pub const WORD_COUNT: usize = REGISTERS + 4 * super::REGISTERS;
    pub const CODE: usize = WORD_COUNT + 8;
    pub const DESCRIPTORS: usize = CODE + 4 * super::MEMORY;
    pub const END: usize = DESCRIPTORS + 4 * super::MEMORY;
}

/// Registers of the stored state that describe the program or its uniforms. Others are data ports,
/// whose last word means nothing.
const KEPT: [std::ops::RangeInclusive<u16>; 5] = [
    register::OUTMAP_TOTAL..=register::OUTMAP + 6,
    0x229..=0x229,
    0x24A..=0x254,
    register::BOOLS..=register::BOOLS + 4,
    register::INPUT..=register::OUTPUT_MASK,
];

/// Reads a cache.
///
/// # Errors
/// Another version.
pub(super) fn read(bytes: &[u8]) -> Result<Cache, Fault> {
    let (version, start) = VERSION;
    match word(bytes, 0) {
        Some(found) if found == version => {}
        Some(found) => {
            return Err(Fault { offset: 0, text: format!("unknown version {found} of OpenGL cache") });
        }
        None => return Err(Fault { offset: 0, text: "file ends inside its version".into() }),
    }
    let mut cache = Cache { kind: CacheKind::OpenGl, ..Cache::default() };
    let mut offset = start;
    while offset < bytes.len() {
        match record(&bytes[offset..], offset) {
            Ok((program, length)) => {
                cache.entries += 1;
                offset += length;
                cache.programs.extend(program);
            }
            Err(text) => {
                cache.warn(offset, format!("{text}; the rest of the file is skipped"));
                break;
            }
        }
        if cache.programs.len() == MOST && offset < bytes.len() {
            cache.warn(offset, format!("more than {MOST} programs; the rest of the file is skipped"));
            break;
        }
    }
    Ok(cache)
}

/// Reads the record at the start of `bytes`, and returns its program, if it has one, and length.
fn record(bytes: &[u8], offset: usize) -> Result<(Option<StoredProgram>, usize), String> {
    let cut = || "the record is cut off".to_string();
    let kind = word(bytes, at::KIND).ok_or_else(cut)?;
    if kind != 0 {
        return Err(format!("unknown record kind {kind}"));
    }
    let ty = word(bytes, at::TYPE).ok_or_else(cut)?;
    let count = long(bytes, at::COUNT).ok_or_else(cut)?;
    if count != REGISTERS as u64 {
        return Err(format!("{count} registers instead of {REGISTERS}"));
    }
    let registers = bytes.get(at::REGISTERS..at::WORD_COUNT).ok_or_else(cut)?;
    if ty != 0 {
        return Ok((None, at::WORD_COUNT));
    }
    let count = long(bytes, at::WORD_COUNT).ok_or_else(cut)?;
    if count != 2 * MEMORY as u64 {
        return Err(format!("{count} program words instead of {}", 2 * MEMORY));
    }
    let memory = bytes.get(at::CODE..at::END).ok_or_else(cut)?;
    let (code, descriptors) = memory.split_at(at::DESCRIPTORS - at::CODE);
    let is_kept = |register: &u16| KEPT.iter().any(|kept| kept.contains(register));
    let program = StoredProgram {
        words: Arc::new(Words::new(code, descriptors)),
        registers: (0..).zip(words(registers)).filter(|(register, _)| is_kept(register)).collect(),
        has_values: true,
        formats: [Format::default(); INPUTS],
        offset,
    };
    Ok((Some(program), at::END))
}
