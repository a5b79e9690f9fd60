//! Files of models that hold programs: CGFX, BCH, MFX, and those of Game Freak.
//! In: bytes that begin with one. Out: its length, and what it says of the programs in it, by their
//! offsets. The programs themselves are found by a search of these bytes.
//!
//! Facts: the documentation of tools that read these formats; no public tool parses the shader
//! object of CGFX, so a program belongs to the object from which a self-relative offset leads to
//! it.

use std::collections::BTreeMap;

use transpica::Shbin;

use crate::archives::{Archive, Entry};
use crate::bytes::Fields;
use crate::hit::{Kind, Pair};

/// Formats of models with a magic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ModelFormat {
    Cgfx,
    Bch,
    Mfx,
}

/// Reads a container, or returns `None` if the bytes do not begin with one.
pub(crate) fn read(format: ModelFormat, bytes: &[u8]) -> Option<Region> {
    match format {
        ModelFormat::Cgfx => cgfx(bytes),
        ModelFormat::Bch => bch(bytes),
        ModelFormat::Mfx => mfx(bytes),
    }
}

/// Returns a bound for the bytes that reading a container looks at, not counting its own.
pub(crate) fn cost(format: ModelFormat, bytes: &[u8]) -> usize {
    let cost = || match format {
        ModelFormat::Cgfx => Some(0),
        ModelFormat::Bch => {
            let fields = Fields::little(bytes);
            let count = fields.size(fields.size(8)?.checked_add(12 * BCH_SHADERS + 4)?)?;
            Some(0x40 * count.min(SHADERS))
        }
        ModelFormat::Mfx => mfx_program(bytes).map(|(_, rest)| rest.len()),
    };
    cost().unwrap_or(0)
}

/// Content of a container about a program in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Note {
    pub name: Option<String>,
    pub pairs: Vec<Pair>,
}

/// Notes by the offset of a program in its container.
pub(crate) type Notes = BTreeMap<usize, Note>;

/// A container whose bytes are searched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    pub kind: Kind,
    /// Length in bytes as the container claims.
    pub length: usize,
    pub notes: Notes,
}

/// Most shaders of a container whose names are read.
const SHADERS: usize = 1 << 12;
/// Bytes of a shader object that are searched for the offset of its program.
const OBJECT: usize = 0x200;
/// Index of the shaders among the dictionaries of CGFX.
const CGFX_SHADERS: usize = 4;
/// Index of the shaders among the dictionaries of BCH.
const BCH_SHADERS: usize = 2;

/// Reads a CGFX.
fn cgfx(bytes: &[u8]) -> Option<Region> {
    let fields = Fields::little(bytes);
    if !fields.has(0, b"CGFX") || fields.u16(4)? != 0xFEFF {
        return None;
    }
    let header = usize::from(fields.u16(6)?);
    let length = fields.size(12)?;
    if header < 20 || header > length {
        return None;
    }
    let bytes = &bytes[..length.min(bytes.len())];
    let notes = cgfx_notes(bytes, header).unwrap_or_default();
    Some(Region { kind: Kind::Cgfx, length, notes })
}

/// Reads the names of programs. Files of revision 1.0.0.0 have none.
fn cgfx_notes(bytes: &[u8], data: usize) -> Option<Notes> {
    let fields = Fields::little(bytes);
    if !fields.has(data, b"DATA") {
        return None;
    }
    let slot = data + 8 + 8 * CGFX_SHADERS;
    let count = fields.size(slot)?.min(SHADERS);
    let dictionary = fields.self_relative(slot + 4)?;
    if !fields.has(dictionary, b"DICT") {
        return None;
    }
    // 16 bytes: bit, two neighbors, name, value. The root comes first.
    let nodes = (0..count).map_while(|index| {
        let node = dictionary + 12 + 16 * (index + 1);
        Some((fields.text(fields.self_relative(node + 8)?)?, fields.self_relative(node + 12)?))
    });
    let nodes: Vec<(String, usize)> = nodes.collect();
    let mut starts: Vec<usize> = nodes.iter().map(|(_, object)| *object).collect();
    starts.sort_unstable();
    let mut notes = Notes::new();
    for (name, object) in nodes {
        let next = starts.get(starts.partition_point(|&start| start <= object));
        let end = next.copied().unwrap_or(bytes.len()).min(object.saturating_add(OBJECT));
        let targets = (object..end).step_by(4).filter_map(|at| fields.self_relative(at));
        for program in targets.filter(|&target| fields.has(target, b"DVLB")) {
            notes.entry(program).or_insert_with(|| Note { name: Some(name.clone()), pairs: Vec::new() });
        }
    }
    Some(notes)
}

/// Sections of a BCH, absolute.
struct Sections {
    contents: usize,
    strings: usize,
    /// Places that the offset of a program may count from.
    programs: Vec<usize>,
    end: usize,
}

/// Reads the header of a BCH.
fn bch_sections(bytes: &[u8]) -> Option<Sections> {
    let fields = Fields::little(bytes);
    if !fields.has(0, b"BCH\0") {
        return None;
    }
    let has_extension = fields.u8(4)? >= 0x21;
    let sections = if has_extension { 6 } else { 5 };
    let at = |index: usize| fields.size(8 + 4 * index);
    let (contents, strings, raw) = (at(0)?, at(1)?, at(3)?);
    let header = 8 + 8 * sections;
    if contents < header {
        return None;
    }
    let end_of = |index| at(index)?.checked_add(at(sections + index)?);
    let end = (0..sections).try_fold(0, |end: usize, index| Some(end.max(end_of(index)?)))?;
    let mut programs = vec![raw];
    programs.extend(has_extension.then(|| at(4)).flatten());
    (end > contents).then_some(Sections { contents, strings, programs, end })
}

/// Reads a BCH.
fn bch(bytes: &[u8]) -> Option<Region> {
    let sections = bch_sections(bytes)?;
    let notes = bch_notes(&bytes[..sections.end.min(bytes.len())], &sections).unwrap_or_default();
    Some(Region { kind: Kind::Bch, length: sections.end, notes })
}

/// Reads the shader objects. Pointers count from the section that they point into, as before
/// relocation.
fn bch_notes(bytes: &[u8], sections: &Sections) -> Option<Notes> {
    let fields = Fields::little(bytes);
    let dictionary = sections.contents + 12 * BCH_SHADERS;
    let table = sections.contents.checked_add(fields.size(dictionary)?)?;
    let count = fields.size(dictionary + 4)?.min(SHADERS);
    let mut notes = Notes::new();
    for index in 0..count {
        let Some(object) = fields.size(table.checked_add(4 * index)?) else { break };
        let Some(object) = sections.contents.checked_add(object) else { continue };
        let Some((program, pair)) = bch_shader(fields, sections, object) else { continue };
        let note = notes.entry(program).or_default();
        if note.name.is_none() {
            note.name = pair.name.clone();
        }
        note.pairs.push(pair);
    }
    Some(notes)
}

/// Reads a shader object: the offset of its file of programs, and the pair.
fn bch_shader(fields: Fields<'_>, sections: &Sections, object: usize) -> Option<(usize, Pair)> {
    let offset = fields.size(object)?;
    let program = sections.programs.iter().filter_map(|base| base.checked_add(offset));
    let program = program.into_iter().find(|&at| fields.has(at, b"DVLB"))?;
    // A negative index stands for no program.
    let index = |at: usize| fields.u16(at).filter(|index| index >> 15 == 0);
    let name = fields.size(object + 0x28).and_then(|name| fields.text(sections.strings.checked_add(name)?));
    Some((program, Pair { name, vertex: index(object + 0x20), geometry: index(object + 0x22) }))
}

/// Largest file of programs of an MFX, in bytes.
const MFX_PROGRAMS: usize = 1 << 20;

/// Returns the place of the file of programs of an MFX, and the bytes that begin with it.
fn mfx_program(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let fields = Fields::little(bytes);
    let at = |index: usize| fields.size(12 + 4 * index);
    let tables = [at(3)?, at(4)?, at(5)?];
    let program = at(6)?;
    let is_inside = tables.iter().all(|table| (40..bytes.len()).contains(table));
    if !fields.has(0, b"MFX\0") || !is_inside || program < 40 || !fields.has(program, b"DVLB") {
        return None;
    }
    let rest = bytes.get(program..)?;
    Some((program, &rest[..rest.len().min(MFX_PROGRAMS)]))
}

/// Reads an MFX. Its header has no length: it ends with its file of programs.
fn mfx(bytes: &[u8]) -> Option<Region> {
    let (program, rest) = mfx_program(bytes)?;
    let length = program + usize::try_from(Shbin::parse(rest).ok()?.length).ok()?;
    Some(Region { kind: Kind::Mfx, length, notes: Notes::new() })
}

/// The command list of a shader of Game Freak.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GfShader {
    pub name: Option<String>,
    /// First byte of the commands.
    pub start: usize,
    /// End of the commands.
    pub end: usize,
}

/// Reads a shader of Game Freak: magic, count, padding; a section with a name, a name of 64 bytes,
/// a hash and a count, padding; length, count and hash of the commands, padding; the name of a file
/// of 64 bytes; the commands.
pub(crate) fn gf_shader(bytes: &[u8]) -> Option<GfShader> {
    const SECTION: usize = 16;
    const NAME: usize = SECTION + 16;
    const COMMANDS: usize = NAME + 64 + 16;
    const START: usize = COMMANDS + 16 + 64;
    let fields = Fields::little(bytes);
    let is_text = |byte: u8| byte == 0 || (b' '..=b'~').contains(&byte);
    let has_name = bytes.get(SECTION..SECTION + 8)?.iter().all(|&byte| is_text(byte));
    let length = fields.size(COMMANDS)?;
    let end = START.checked_add(length).filter(|&end| end <= bytes.len())?;
    let is_shader = fields.u32(SECTION + 12)? == u32::MAX && has_name && length > 0 && length % 8 == 0;
    let name = fields.text(NAME).map(|name| name.chars().take(64).collect());
    is_shader.then_some(GfShader { name, start: START, end })
}

/// Reads a pack of Game Freak: the entries of its five tables, each with a name of its own.
/// Pointers count from the start of the pack.
pub(crate) fn gf_pack(bytes: &[u8], most: usize) -> Option<Archive> {
    const TABLES: usize = 5;
    let fields = Fields::little(bytes);
    if fields.u32(0)? != 0x0001_0000 {
        return None;
    }
    let mut count = 0usize;
    for table in 0..TABLES {
        count = count.checked_add(fields.size(4 + 4 * table)?)?;
    }
    if count == 0 || count > most {
        return None;
    }
    let pointers = 4 + 4 * TABLES;
    let mut entries = Vec::new();
    for index in 0..count {
        let record = fields.size(pointers.checked_add(4 * index)?)?;
        let length = usize::from(fields.u8(record)?);
        let text = record.checked_add(1)?;
        let name = bytes.get(text..text.checked_add(length)?)?;
        let start = fields.size(text + length).filter(|&start| start < bytes.len())?;
        let name = String::from_utf8_lossy(name).into_owned();
        entries.push(Entry { name, start, end: bytes.len() });
    }
    let mut starts: Vec<usize> = entries.iter().map(|entry| entry.start).collect();
    starts.sort_unstable();
    for entry in &mut entries {
        let next = starts.get(starts.partition_point(|&start| start <= entry.start));
        entry.end = next.copied().unwrap_or(bytes.len());
    }
    Some(Archive { kind: Kind::Pack, length: bytes.len(), entries, left_out: 0 })
}
