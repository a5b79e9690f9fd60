//! Vulkan transferable caches (`.vkch`): a chain of entries with programs, and with configurations
//! that name them.
//! In: the bytes of a file. Out: its vertex programs, one for each configuration.
//! Facts: Azahar since 2125.0-alpha1. Everything is little-endian, and nothing is aligned. Entries
//! may come in any order after the first, so all are indexed before they are paired. Host
//! profiles and stored SPIR-V depend on the machine that wrote them, and are not read.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use ruzstd::decoding::FrameDecoder;
use transpica::isa::sizes::{INPUTS, OUTPUTS};
use xxhash_rust::xxh3::xxh3_64;

use super::{Cache, CacheKind, Fault, Format, MOST, Number, StoredProgram, Words, long, register, word};

/// Version of an entry, its first byte.
pub(super) const VERSION: u8 = 0x42;
/// Length of the header of an entry, and of its footer.
const EDGE: usize = 16;
/// Entries are shorter than this.
const LONGEST: usize = 4 << 20;
/// First byte of a footer.
const FOOTER: u8 = 0x24;
/// Number of kinds of entries.
const KINDS: u16 = 9;
/// Largest window of a frame that is decompressed: every decoder must accept it.
const WINDOW: u64 = 8 << 20;

/// Kinds of entries that are read.
mod kind {
    pub const FILE: u16 = 0;
    pub const CONFIGURATION: u16 = 1;
    pub const PROGRAM: u16 = 2;
    pub const SPIRV: u16 = 3;
}

/// File information: length, offsets, values.
mod info {
    pub const LENGTH: usize = 1144;
    pub const MAGIC: (usize, u32) = (0, 0x4843_4B56);
    pub const VERSION: (usize, u32) = (4, 0);
    pub const LAYOUT: (usize, u64) = (8, 0x3599_0DAF_D10F_A7DF);
    pub const KIND: usize = 16;
}

/// Payload of a program: lengths of the two layouts, and offsets of the fields in each.
struct ProgramLayout {
    length: usize,
    code_length: usize,
    descriptor_length: usize,
    code: usize,
    descriptors: usize,
}

/// Words of each memory in the payload.
const MEMORY: usize = 4096;

/// Layouts of a program, the usual one first. 2125.0-alpha1 and -alpha2 have the second,
/// whose version is a single byte. Nothing but the size distinguishes them.
const PROGRAMS: [ProgramLayout; 2] = [
    ProgramLayout { length: 32_784, code_length: 8, descriptor_length: 12, code: 16, descriptors: 16_400 },
    ProgramLayout { length: 32_780, code_length: 4, descriptor_length: 8, code: 12, descriptors: 16_396 },
];

/// Payload of a configuration.
mod config {
    pub const LENGTH: usize = 216;
    pub const PROGRAM: usize = 8;
    /// Start of the bytes whose hash identifies the configuration.
    pub const HASHED: usize = 24;
    pub const ENTRY: usize = 48;
    pub const OUTPUT_COUNT: usize = 52;
    pub const OUTPUT_MAP: usize = 56;
    pub const ATTRIBUTE_COUNT: usize = 120;
    pub const ATTRIBUTES: usize = 121;
    pub const SEMANTIC_COUNT: usize = 180;
    pub const SEMANTICS: usize = 184;
}

/// Words of the rasterizer's output map.
const SEMANTICS: usize = 7;

/// An entry between its header and footer.
struct Entry<'a> {
    kind: u16,
    is_compressed: bool,
    id: u64,
    payload: &'a [u8],
    /// Length with header and footer.
    length: usize,
}

impl<'a> Entry<'a> {
    /// Reads the entry at the start of `bytes`.
    fn read(bytes: &'a [u8]) -> Result<Self, String> {
        let cut = || "the entry is cut off".to_string();
        let header: &[u8; EDGE] = bytes.first_chunk().ok_or_else(cut)?;
        let &[version, flags, kind_low, kind_high, ..] = header;
        if version != VERSION {
            return Err(format!("unknown entry version {version:#04x}"));
        }
        if flags > 1 {
            return Err(format!("unknown entry flags {flags:#04x}"));
        }
        let kind = u16::from_le_bytes([kind_low, kind_high]);
        if kind >= KINDS {
            return Err(format!("unknown entry kind {kind}"));
        }
        let length = word(header, 4).ok_or_else(cut)?;
        let id = long(header, 8).ok_or_else(cut)?;
        let length = usize::try_from(length).ok().filter(|length| (2 * EDGE..LONGEST).contains(length));
        let length = length.ok_or("the length of the entry exceeds the file")?;
        let entry = bytes.get(..length).ok_or_else(cut)?;
        let (payload, footer) = entry[EDGE..].split_at(length - 2 * EDGE);
        // Running numbers next to the mark repeat in some builds, so they are not checked.
        let is_whole =
            footer[0] == FOOTER && word(footer, 4) == word(header, 4) && long(footer, 8) == Some(0);
        if !is_whole {
            return Err("the footer of the entry does not fit its header".into());
        }
        Ok(Self { kind, is_compressed: flags == 1, id, payload, length })
    }

    /// Returns the payload, which must have one of these lengths.
    fn unpacked(&self, lengths: &[usize]) -> Result<Vec<u8>, String> {
        let wanted = || lengths.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ");
        if !self.is_compressed {
            let length = self.payload.len();
            let fits = lengths.contains(&length);
            return if fits {
                Ok(self.payload.to_vec())
            } else {
                Err(format!("{length} bytes instead of {}", wanted()))
            };
        }
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(WINDOW);
        let failed = |error: &dyn std::fmt::Display| format!("cannot be decompressed: {error}");
        decoder.init(self.payload).map_err(|error| failed(&error))?;
        // A frame that states no size reads as one of 0.
        let stated = usize::try_from(decoder.content_size()).unwrap_or(usize::MAX);
        if !lengths.contains(&stated) {
            return Err(format!("claims {stated} bytes instead of {}", wanted()));
        }
        let mut bytes = vec![0; stated];
        match decoder.decode_all(self.payload, &mut bytes) {
            Ok(length) if length == stated => Ok(bytes),
            Ok(length) => Err(format!("decompresses to {length} bytes instead of {stated}")),
            Err(error) => Err(failed(&error)),
        }
    }
}

/// Combines two hashes as the emulator does.
pub(super) fn combine(first: u64, second: u64) -> u64 {
    let mixed = second.wrapping_add(0x9E37_79B9).wrapping_add(first << 6).wrapping_add(first >> 2);
    first ^ mixed
}

/// Reads a cache.
///
/// # Errors
/// Another version, or a cache of another kind.
pub(super) fn read(bytes: &[u8]) -> Result<Cache, Fault> {
    let mut cache = Cache { kind: CacheKind::Vulkan, ..Cache::default() };
    let mut programs: HashMap<u64, Stored> = HashMap::new();
    let mut configurations: Vec<(usize, Vec<u8>)> = Vec::new();
    let mut seen = HashSet::new();
    let mut offset = 0;
    while offset < bytes.len() {
        let entry = match Entry::read(&bytes[offset..]) {
            Ok(entry) => entry,
            Err(text) => {
                cache.warn(offset, format!("{text}; the rest of the file is skipped"));
                break;
            }
        };
        cache.entries += 1;
        match (entry.kind, offset) {
            (kind::FILE, 0) => check(&entry).map_err(|text| Fault { offset: 0, text })?,
            (other, 0) => {
                let text = format!("begins with an entry of kind {other}, not with file information");
                return Err(Fault { offset: 0, text });
            }
            (kind::CONFIGURATION, _) if !seen.contains(&entry.id) => {
                match configuration(&entry, offset, &mut cache) {
                    Ok(payload) => {
                        seen.insert(entry.id);
                        configurations.push((offset, payload));
                    }
                    Err(text) => cache.warn(offset, format!("configuration skipped: {text}")),
                }
            }
            (kind::PROGRAM, _) if !programs.contains_key(&entry.id) => {
                match program(&entry, offset, &mut cache) {
                    Ok(words) => {
                        programs.insert(entry.id, Stored { words: Arc::new(words), is_named: false });
                    }
                    Err(text) => cache.warn(offset, format!("program skipped: {text}")),
                }
            }
            // The first of several entries with one identifier counts.
            (kind::CONFIGURATION | kind::PROGRAM | kind::SPIRV, _) => {}
            (other, _) => cache.warn(offset, format!("unexpected entry of kind {other} in a vertex cache")),
        }
        offset += entry.length;
        if configurations.len().max(programs.len()) == MOST && offset < bytes.len() {
            cache.warn(offset, format!("more than {MOST} programs; the rest of the file is skipped"));
            break;
        }
    }
    for (offset, payload) in configurations {
        match pair(&payload, &mut programs, offset) {
            Ok(program) => cache.programs.push(program),
            Err(text) => cache.warn(offset, format!("configuration skipped: {text}")),
        }
    }
    cache.unnamed = programs.values().filter(|stored| !stored.is_named).count();
    Ok(cache)
}

/// A program, and whether a configuration names it.
struct Stored {
    words: Arc<Words>,
    is_named: bool,
}

/// Checks file information.
fn check(entry: &Entry<'_>) -> Result<(), String> {
    if entry.is_compressed || entry.payload.len() != info::LENGTH {
        return Err(format!("unknown file information of {} bytes", entry.payload.len()));
    }
    if word(entry.payload, info::MAGIC.0) != Some(info::MAGIC.1) {
        return Err("file information without the magic VKCH".into());
    }
    let version = word(entry.payload, info::VERSION.0).unwrap_or_default();
    if version != info::VERSION.1 {
        return Err(format!("unknown .vkch version {version}"));
    }
    match word(entry.payload, info::KIND).unwrap_or_default() {
        0 => {}
        1 => return Err("a cache of fragment configurations (_fs), without programs".into()),
        2 => return Err("a cache of fixed geometry stages (_gs), without programs".into()),
        3 => return Err("a cache of pipelines (_pl), without programs".into()),
        other => return Err(format!("unknown file kind {other}")),
    }
    let layout = long(entry.payload, info::LAYOUT.0).unwrap_or_default();
    if layout != info::LAYOUT.1 {
        return Err(format!("unknown configuration layout {layout:#018x}"));
    }
    Ok(())
}

/// Unpacks a configuration and checks its hash.
fn configuration(entry: &Entry<'_>, offset: usize, cache: &mut Cache) -> Result<Vec<u8>, String> {
    let payload = entry.unpacked(&[config::LENGTH])?;
    // The other bytes of the field are undefined in the first two releases.
    if payload[0] != 0 {
        return Err(format!("unknown configuration version {}", payload[0]));
    }
    if xxh3_64(&payload[config::HASHED..]) != entry.id {
        cache.warn(offset, "the identifier of the configuration does not match its hash");
    }
    Ok(payload)
}

/// Unpacks a program and checks its hash.
fn program(entry: &Entry<'_>, offset: usize, cache: &mut Cache) -> Result<Words, String> {
    let [usual, early] = &PROGRAMS;
    let payload = entry.unpacked(&[usual.length, early.length])?;
    let layout = if payload.len() == usual.length { usual } else { early };
    // In the early layout, one byte is the version, and the others are undefined.
    let version =
        if layout.code_length == 8 { long(&payload, 0) } else { payload.first().map(|&byte| byte.into()) };
    if version != Some(0) {
        return Err(format!("unknown program version {}", version.unwrap_or_default()));
    }
    let part = |length: usize, start: usize| {
        let length = word(&payload, length).and_then(|length| usize::try_from(length).ok());
        let length = length.filter(|&length| length <= MEMORY).ok_or("its length exceeds the file")?;
        Ok::<&[u8], String>(&payload[start..start + 4 * length])
    };
    let code = part(layout.code_length, layout.code)?;
    let descriptors = part(layout.descriptor_length, layout.descriptors)?;
    if combine(xxh3_64(code), xxh3_64(descriptors)) != entry.id {
        cache.warn(offset, "the identifier of the program does not match its hash");
    }
    Ok(Words::new(code, descriptors))
}

/// Joins a configuration with its program.
fn pair(payload: &[u8], programs: &mut HashMap<u64, Stored>, offset: usize) -> Result<StoredProgram, String> {
    let field = |offset| word(payload, offset).unwrap_or_default();
    let id = long(payload, config::PROGRAM).unwrap_or_default();
    let stored = programs.get_mut(&id).ok_or_else(|| format!("its program {id:016x} is not in the file"))?;
    stored.is_named = true;
    let mask = output_mask(payload)?;
    let semantics = field(config::SEMANTIC_COUNT);
    if semantics as usize > SEMANTICS {
        return Err(format!("{semantics} semantic words instead of {SEMANTICS}"));
    }
    let mut registers = vec![
        // Each attribute record names its input register, so all sixteen arrive in order.
        (register::INPUT, 0xA000_000F),
        (register::PERMUTATION_LOW, 0x7654_3210),
        (register::PERMUTATION_HIGH, 0xFEDC_BA98),
        (register::ENTRY, field(config::ENTRY)),
        (register::OUTPUT_MASK, u32::from(mask)),
        (register::OUTMAP_TOTAL, semantics),
    ];
    let map = (register::OUTMAP..).zip((0..SEMANTICS).map(|index| field(config::SEMANTICS + 4 * index)));
    registers.extend(map);
    Ok(StoredProgram {
        words: stored.words.clone(),
        registers,
        has_values: false,
        formats: formats(payload)?,
        offset,
    })
}

/// Returns the mask of outputs that the output map describes: dense numbers, ascending.
fn output_mask(payload: &[u8]) -> Result<u16, String> {
    let (mut mask, mut next) = (0u16, 0);
    for output in 0..OUTPUTS {
        match word(payload, config::OUTPUT_MAP + 4 * output) {
            Some(16) => {}
            Some(index) if index == next => {
                mask |= 1 << output;
                next += 1;
            }
            Some(_) | None => return Err("its output map is not in ascending order".into()),
        }
    }
    if word(payload, config::OUTPUT_COUNT) != Some(next) {
        return Err("its number of outputs does not match its output map".into());
    }
    Ok(mask)
}

/// Returns the formats of v0..v15.
fn formats(payload: &[u8]) -> Result<[Format; INPUTS], String> {
    let mut formats = [Format::default(); INPUTS];
    let count = usize::from(payload[config::ATTRIBUTE_COUNT]).min(INPUTS);
    for record in payload[config::ATTRIBUTES..].chunks_exact(3).take(count) {
        let &[register, number, size] = record else { continue };
        let number = [Number::S8, Number::U8, Number::S16, Number::Float].get(usize::from(number)).copied();
        match (formats.get_mut(usize::from(register)), number, size) {
            (Some(format), Some(number), 1..=4) => *format = Format { number, size },
            (_, _, _) => return Err(format!("unknown attribute record {record:?}")),
        }
    }
    Ok(formats)
}
