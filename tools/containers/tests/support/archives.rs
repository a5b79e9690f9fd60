//! Archives.

use super::{pad, set, word};

/// A SARC with names.
pub fn sarc(files: &[(&str, &[u8])]) -> Vec<u8> {
    sarc_of(files, true)
}

/// A SARC; without names the entries are known by their hashes.
pub fn sarc_of(files: &[(&str, &[u8])], has_names: bool) -> Vec<u8> {
    let mut names = Vec::new();
    let mut nodes = Vec::new();
    let mut data = Vec::new();
    for (name, content) in files {
        pad(&mut data, 128);
        let hash = name.bytes().fold(0u32, |hash, byte| hash.wrapping_mul(0x65).wrapping_add(byte.into()));
        word(&mut nodes, hash as usize);
        word(&mut nodes, if has_names { 0x0100_0000 | (names.len() / 4) } else { 0 });
        word(&mut nodes, data.len());
        data.extend_from_slice(content);
        word(&mut nodes, data.len());
        names.extend_from_slice(name.as_bytes());
        names.push(0);
        pad(&mut names, 4);
    }
    let mut out = b"SARC\x14\0\xFF\xFE".to_vec();
    (0..3).for_each(|_| word(&mut out, 0));
    out.extend_from_slice(b"SFAT\x0C\0");
    out.extend_from_slice(&u16::try_from(files.len()).expect("few").to_le_bytes());
    word(&mut out, 0x65);
    out.extend_from_slice(&nodes);
    out.extend_from_slice(b"SFNT\x08\0\0\0");
    if has_names {
        out.extend_from_slice(&names);
    }
    pad(&mut out, 128);
    let start = out.len();
    set(&mut out, 12, start);
    out.extend_from_slice(&data);
    let length = out.len();
    set(&mut out, 8, length);
    out
}

/// A folder of a darc: its name, and names and contents of its files.
pub type Folder<'a> = (&'a str, &'a [(&'a str, &'a [u8])]);

/// A darc with one level of folders.
pub fn darc(folders: &[Folder<'_>]) -> Vec<u8> {
    let count = 1 + folders.iter().map(|(_, files)| 1 + files.len()).sum::<usize>();
    let mut names: Vec<u8> = Vec::new();
    let mut add = |name: &str| {
        let at = names.len();
        names.extend(name.encode_utf16().chain([0]).flat_map(u16::to_le_bytes));
        at
    };
    let (mut nodes, mut contents, mut index) = (vec![[0x0100_0000 | add(""), 0, count]], Vec::new(), 1);
    for (folder, files) in folders {
        nodes.push([0x0100_0000 | add(folder), 0, index + 1 + files.len()]);
        index += 1 + files.len();
        for (name, content) in *files {
            nodes.push([add(name), contents.len(), content.len()]);
            contents.push(content);
        }
    }
    let mut out = b"darc\xFF\xFE\x1C\0\0\0\0\x01".to_vec();
    (0..4).for_each(|_| word(&mut out, 0));
    let data = (out.len() + 12 * count + names.len()).next_multiple_of(128);
    let mut body = Vec::new();
    for node in &mut nodes[1..] {
        if node[0] >> 24 == 0 {
            pad(&mut body, 128);
            let content = contents[node[1]];
            node[1] = data + body.len();
            body.extend_from_slice(content);
        }
    }
    nodes.iter().flatten().for_each(|&value| word(&mut out, value));
    out.extend_from_slice(&names);
    out.resize(data, 0);
    out.extend_from_slice(&body);
    let length = out.len();
    for (at, value) in [(12, length), (16, 0x1C), (20, 12 * count + names.len()), (24, data)] {
        set(&mut out, at, value);
    }
    out
}

/// A GARC; each entry has parts.
pub fn garc(entries: &[&[&[u8]]]) -> Vec<u8> {
    let (mut offsets, mut ranges, mut data) = (Vec::new(), Vec::new(), Vec::new());
    for parts in entries {
        word(&mut offsets, ranges.len());
        word(&mut ranges, (1 << parts.len()) - 1);
        for part in *parts {
            let start = data.len();
            data.extend_from_slice(part);
            [start, data.len(), part.len()].into_iter().for_each(|value| word(&mut ranges, value));
            pad(&mut data, 4);
        }
    }
    let mut out = b"CRAG\x1C\0\0\0\xFF\xFE\0\x04\x04\0\0\0".to_vec();
    (0..3).for_each(|_| word(&mut out, 0));
    out.extend_from_slice(b"OTAF");
    word(&mut out, 12 + offsets.len());
    word(&mut out, 0xFFFF_0000 | entries.len());
    out.extend_from_slice(&offsets);
    out.extend_from_slice(b"BTAF");
    word(&mut out, 12 + ranges.len());
    word(&mut out, entries.len());
    out.extend_from_slice(&ranges);
    out.extend_from_slice(b"BMIF");
    word(&mut out, 12);
    word(&mut out, data.len());
    let start = out.len();
    set(&mut out, 16, start);
    out.extend_from_slice(&data);
    let length = out.len();
    set(&mut out, 20, length);
    out
}

/// An ExeFS.
pub fn exefs(sections: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = vec![0; 0x200];
    for (index, (name, content)) in sections.iter().enumerate() {
        pad(&mut out, 0x200);
        let start = out.len() - 0x200;
        out[16 * index..][..name.len()].copy_from_slice(name.as_bytes());
        set(&mut out, 16 * index + 8, start);
        set(&mut out, 16 * index + 12, content.len());
        out.extend_from_slice(content);
    }
    out
}

/// A package of two letters.
pub fn package(magic: [u8; 2], entries: &[&[u8]]) -> Vec<u8> {
    let mut out = magic.to_vec();
    out.extend_from_slice(&u16::try_from(entries.len()).expect("few").to_le_bytes());
    let mut at = (4 + 4 * (entries.len() + 1)).next_multiple_of(128);
    let start = at;
    for entry in entries {
        word(&mut out, at);
        at += entry.len();
    }
    word(&mut out, at);
    out.resize(start, 0);
    entries.iter().for_each(|entry| out.extend_from_slice(entry));
    out
}
