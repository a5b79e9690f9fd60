//! Archives: SARC, darc, GARC, ExeFS, and the packages of Game Freak.
//! In: bytes that begin with an archive. Out: its entries, all inside the bytes. Knows nothing
//! of their content.
//!
//! A table that ends too early is read as far as it goes: what is left of a damaged archive may
//! hold programs. Facts: 3dbrew "SARC", "DARC", "ExeFS"; the documentation of GARC by its tools.
//! The byte-order mark decides where an archive has one.

use crate::bytes::Fields;
use crate::hit::Kind;

/// Formats of archives with a magic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArchiveFormat {
    Sarc,
    Darc,
    Garc,
    ExeFs,
}

/// Reads an archive of at most this many entries, or returns `None` if the bytes do not begin with
/// one.
pub(crate) fn read(format: ArchiveFormat, bytes: &[u8], most: usize) -> Option<Archive> {
    match format {
        ArchiveFormat::Sarc => sarc(bytes, most),
        ArchiveFormat::Darc => darc(bytes, most),
        ArchiveFormat::Garc => garc(bytes, most),
        ArchiveFormat::ExeFs => exefs(bytes, most),
    }
}

/// An entry of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Name or number.
    pub name: String,
    /// First byte in the archive.
    pub start: usize,
    /// End in the archive.
    pub end: usize,
}

/// A parsed archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Archive {
    pub kind: Kind,
    /// Length in bytes as the archive claims.
    pub length: usize,
    pub entries: Vec<Entry>,
    /// Entries that were left out: outside the bytes, or over the limit.
    pub left_out: usize,
}

/// An archive that is being read.
struct Builder {
    archive: Archive,
    /// End of the entries: the end of the archive or of the bytes.
    end: usize,
    /// Most entries.
    most: usize,
}

impl Builder {
    fn new(kind: Kind, bytes: &[u8], length: usize, most: usize) -> Self {
        let end = length.min(bytes.len());
        Self { archive: Archive { kind, length, entries: Vec::new(), left_out: 0 }, end, most }
    }
    /// Adds an entry, cut off at the end of the archive. Empty ones hold no program.
    fn add(&mut self, name: impl FnOnce() -> String, start: Option<usize>, end: Option<usize>) {
        let (Some(start), Some(end)) = (start, end) else {
            self.archive.left_out += 1;
            return;
        };
        if start == end {
            return;
        }
        if start > end || start >= self.end || self.archive.entries.len() >= self.most {
            self.archive.left_out += 1;
            return;
        }
        let end = end.min(self.end);
        self.archive.entries.push(Entry { name: name(), start, end });
    }
    fn done(self) -> Option<Archive> {
        Some(self.archive)
    }
}

/// Reads a SARC: a table of hashes, names at multiples of four, data.
fn sarc(bytes: &[u8], most: usize) -> Option<Archive> {
    let fields = Fields::marked(bytes, 6)?;
    let table = usize::from(fields.u16(4)?);
    let (length, data) = (fields.size(8)?, fields.size(12)?);
    if !fields.has(0, b"SARC") || !fields.has(table, b"SFAT") || data > length {
        return None;
    }
    let first = table.checked_add(usize::from(fields.u16(table + 4)?))?;
    let count = usize::from(fields.u16(table + 6)?);
    let names = first + 16 * count;
    let texts = fields.has(names, b"SFNT").then(|| names + usize::from(fields.u16(names + 4).unwrap_or(8)));
    let mut builder = Builder::new(Kind::Sarc, bytes, length, most);
    for node in (0..count).map(|index| first + 16 * index) {
        let Some(hash) = fields.u32(node) else { break };
        let has_name = fields.u32(node + 4).filter(|word| word >> 24 != 0);
        // Range: 24 bits.
        let name = has_name.and_then(|word| fields.text(texts? + 4 * (word & 0xFF_FFFF) as usize));
        let at = |field| fields.size(field).and_then(|offset| data.checked_add(offset));
        builder.add(|| name.unwrap_or_else(|| format!("{hash:08x}")), at(node + 8), at(node + 12));
    }
    builder.done()
}

/// Reads a darc: a tree of names in depth-first order.
fn darc(bytes: &[u8], most: usize) -> Option<Archive> {
    let fields = Fields::marked(bytes, 4)?;
    let (length, table) = (fields.size(12)?, fields.size(16)?);
    let count = fields.size(table.checked_add(8)?)?;
    let names = table.checked_add(count.checked_mul(12)?)?;
    if !fields.has(0, b"darc") || names > bytes.len() || fields.u8(table + 3)? == 0 {
        return None;
    }
    let mut builder = Builder::new(Kind::Darc, bytes, length, most);
    // Open folders: the index after each, and its name with those around it.
    let mut folders: Vec<(usize, String)> = Vec::new();
    for index in 1..count {
        let node = table + 12 * index;
        let Some(word) = fields.u32(node) else { break };
        while folders.pop_if(|(end, _)| *end <= index).is_some() {}
        let folder = folders.last().map_or("", |(_, name)| name.as_str());
        // Range: 24 bits.
        let name = || fields.wide_text(names + (word & 0xFF_FFFF) as usize).unwrap_or_default();
        if word >> 24 != 0 {
            // The root's name is a dot, or nothing.
            let name = Some(name()).filter(|name| name != ".").map(|name| format!("{folder}{name}/"));
            let name = name.filter(|name| name.len() <= LONGEST_PATH).unwrap_or_else(|| folder.to_string());
            if folders.len() < DEEPEST {
                folders.push((fields.size(node + 8).unwrap_or(index), name));
            }
            continue;
        }
        let start = fields.size(node + 4);
        let end = start.and_then(|start| start.checked_add(fields.size(node + 8)?));
        let folder = folders.last().map_or("", |(_, name)| name.as_str());
        builder.add(|| format!("{folder}{}", name()), start, end);
    }
    builder.done()
}

/// Folders inside each other in a darc.
const DEEPEST: usize = 64;
/// Longest name of a folder with those around it, in bytes.
const LONGEST_PATH: usize = 1024;

/// Reads a GARC: numbered entries, each of up to 32 parts.
fn garc(bytes: &[u8], most: usize) -> Option<Archive> {
    let fields = Fields::marked(bytes, 8)?;
    let (header, data, length) = (fields.size(4)?, fields.size(16)?, fields.size(20)?);
    if !fields.has(0, b"CRAG") || !fields.has(header, b"OTAF") {
        return None;
    }
    let ranges = header.checked_add(fields.size(header + 4)?)?;
    let first = ranges.checked_add(12)?;
    let count = usize::from(fields.u16(header + 8)?);
    if !fields.has(ranges, b"BTAF") {
        return None;
    }
    let mut builder = Builder::new(Kind::Garc, bytes, length, most);
    for index in 0..count {
        let Some(offset) = fields.size(header + 12 + 4 * index) else { break };
        let Some(entry) = first.checked_add(offset) else { continue };
        let parts = fields.u32(entry).unwrap_or(0);
        for (slot, part) in (0..32).filter(|part| parts >> part & 1 != 0).enumerate() {
            let at = |field: usize| {
                let field = entry.checked_add(4 + 12 * slot + field)?;
                fields.size(field).and_then(|offset| data.checked_add(offset))
            };
            let name = || if parts == 1 { index.to_string() } else { format!("{index}.{part}") };
            builder.add(name, at(0), at(4));
        }
    }
    builder.done()
}

/// Length of the header of an ExeFS; sections follow.
const EXEFS_HEADER: usize = 0x200;
/// Sections of an ExeFS.
const SECTIONS: usize = 10;

/// Reads an ExeFS, whose first section is the code.
fn exefs(bytes: &[u8], most: usize) -> Option<Archive> {
    let fields = Fields::little(bytes);
    let mut end = EXEFS_HEADER;
    let mut sections = Vec::new();
    for node in (0..SECTIONS).map(|index| 16 * index) {
        let (start, size) = (fields.size(node + 8)?, fields.size(node + 12)?);
        let Some(name) = fields.text(node) else { continue };
        // Sections begin at multiples of 512 after the header.
        let start = start.checked_add(EXEFS_HEADER).filter(|start| start % 512 == 0)?;
        let name = name.chars().take(8).collect::<String>();
        end = end.max(start.checked_add(size)?);
        sections.push((name, start, start + size));
    }
    if !fields.has(0, b".code\0\0\0") || bytes.get(0xA0..0xC0)?.iter().any(|&byte| byte != 0) {
        return None;
    }
    let mut builder = Builder::new(Kind::ExeFs, bytes, end, most);
    for (name, start, end) in sections {
        builder.add(|| name, Some(start), Some(end));
    }
    builder.done()
}

/// Reads a package: two letters, a count, ascending offsets. The last offset is the length; without
/// it the last entry ends with the bytes.
pub(crate) fn package(bytes: &[u8], most: usize) -> Option<Archive> {
    let fields = Fields::little(bytes);
    let is_magic = (0..2).all(|at| fields.u8(at).is_some_and(|byte| byte.is_ascii_uppercase()));
    let count = usize::from(fields.u16(2)?);
    if !is_magic || count == 0 {
        return None;
    }
    let offset = |index: usize| fields.size(4 + 4 * index);
    let first = offset(0)?;
    let has_end = first >= 4 + 4 * (count + 1) && offset(count).is_some_and(|end| end <= bytes.len());
    let end = if has_end { offset(count)? } else { bytes.len() };
    let ends = (1..count).map(offset).chain([Some(end)]);
    let mut builder = Builder::new(Kind::Package, bytes, end, most);
    let mut start = first;
    if first < 4 + 4 * count || first > bytes.len() {
        return None;
    }
    for (index, end) in ends.enumerate() {
        // Every offset counts: few other files begin like a package.
        let end = end.filter(|&end| start <= end && end <= bytes.len())?;
        builder.add(|| index.to_string(), Some(start), Some(end));
        start = end;
    }
    builder.done()
}
