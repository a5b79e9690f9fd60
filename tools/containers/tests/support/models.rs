//! Files of models.

use super::{pad, set, word};

/// A CGFX with shaders by name, each an object that refers to a DVLB after all of them.
pub fn cgfx(shaders: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = b"CGFX\xFF\xFE\x14\0\0\0\0\x05".to_vec();
    word(&mut out, 0);
    word(&mut out, 1);
    out.extend_from_slice(b"DATA");
    word(&mut out, 0);
    let table = out.len();
    out.resize(table + 8 * 16, 0);
    let dictionary = out.len();
    set(&mut out, table + 8 * 4, shaders.len());
    set(&mut out, table + 8 * 4 + 4, dictionary - (table + 8 * 4 + 4));
    out.extend_from_slice(b"DICT");
    word(&mut out, 12 + 16 * (shaders.len() + 1));
    word(&mut out, shaders.len());
    let nodes = out.len();
    out.resize(nodes + 16 * (shaders.len() + 1), 0);
    for (index, (name, _)) in shaders.iter().enumerate() {
        let node = nodes + 16 * (index + 1);
        let text = out.len();
        set(&mut out, node + 8, text - (node + 8));
        out.extend_from_slice(name.as_bytes());
        out.push(0);
    }
    pad(&mut out, 4);
    let objects: Vec<usize> = (0..shaders.len()).map(|index| out.len() + 0x40 * index).collect();
    out.resize(out.len() + 0x40 * shaders.len(), 0);
    for (index, ((_, program), &object)) in shaders.iter().zip(&objects).enumerate() {
        let node = nodes + 16 * (index + 1);
        set(&mut out, node + 12, object - (node + 12));
        pad(&mut out, 16);
        let start = out.len();
        set(&mut out, object + 0x24, start - (object + 0x24));
        out.extend_from_slice(program);
    }
    let length = out.len();
    set(&mut out, 12, length);
    out
}

/// A shader object of a BCH: name, index of its file of programs, vertex and geometry program.
pub type BchShader<'a> = (&'a str, usize, i16, i16);

/// A BCH with files of programs and shader objects, its pointers as before relocation.
pub fn bch(programs: &[&[u8]], shaders: &[BchShader<'_>]) -> Vec<u8> {
    let (mut strings, mut raw, mut starts) = (Vec::new(), vec![0; 16], Vec::new());
    for program in programs {
        pad(&mut raw, 16);
        starts.push(raw.len());
        raw.extend_from_slice(program);
    }
    let mut contents = vec![0; 15 * 12];
    let table = contents.len();
    set(&mut contents, 2 * 12, table);
    set(&mut contents, 2 * 12 + 4, shaders.len());
    contents.resize(table + 4 * shaders.len(), 0);
    for (index, &(name, program, vertex, geometry)) in shaders.iter().enumerate() {
        let object = contents.len();
        set(&mut contents, table + 4 * index, object);
        word(&mut contents, starts[program]);
        word(&mut contents, programs[program].len());
        contents.resize(contents.len() + 24, 0);
        contents.extend_from_slice(&vertex.to_le_bytes());
        contents.extend_from_slice(&geometry.to_le_bytes());
        word(&mut contents, 0);
        word(&mut contents, strings.len());
        word(&mut contents, 0);
        strings.extend_from_slice(name.as_bytes());
        strings.push(0);
    }
    pad(&mut strings, 16);
    let header = 8 + 6 * 4 * 2 + 12;
    let mut out = b"BCH\0\x21\x21\0\0".to_vec();
    let sections = [&contents[..], &strings, &[], &raw, &[], &[]];
    let mut at = header;
    for section in sections {
        word(&mut out, at);
        at += section.len();
    }
    sections.iter().for_each(|section| word(&mut out, section.len()));
    out.resize(header, 0);
    sections.iter().for_each(|section| out.extend_from_slice(section));
    out
}

/// An MFX with one file of programs.
pub fn mfx(program: &[u8]) -> Vec<u8> {
    let mut out = b"MFX\0\0\0\0\0\0\0\0\0".to_vec();
    for value in [1, 1, 1, 0x40, 0x50, 0x60, 0x80] {
        word(&mut out, value);
    }
    out.resize(0x80, 0);
    out.extend_from_slice(program);
    out
}

/// Text in a field of fixed length.
fn text(out: &mut Vec<u8>, text: &str, length: usize) {
    let end = out.len() + length;
    out.extend_from_slice(text.as_bytes());
    out.resize(end, 0);
}

/// A shader of Game Freak around a command list.
pub fn gf_shader(name: &str, commands: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    word(&mut out, 0x1504_1213);
    word(&mut out, 1);
    pad(&mut out, 16);
    text(&mut out, "shader", 8);
    word(&mut out, 64 + 16 + 16 + 64 + commands.len());
    word(&mut out, 0xFFFF_FFFF);
    text(&mut out, name, 64);
    word(&mut out, 0x1234_5678);
    word(&mut out, 1);
    pad(&mut out, 16);
    word(&mut out, commands.len());
    word(&mut out, 1);
    word(&mut out, 0x8765_4321);
    pad(&mut out, 16);
    text(&mut out, "source.vsh", 64);
    out.extend_from_slice(commands);
    out
}

/// A pack of Game Freak with shaders.
pub fn gf_pack(shaders: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = Vec::new();
    [0x0001_0000, 0, 0, 0, 0, shaders.len()].into_iter().for_each(|value| word(&mut out, value));
    let table = out.len();
    out.resize(table + 4 * shaders.len(), 0);
    let mut fields = Vec::new();
    for (index, (name, _)) in shaders.iter().enumerate() {
        let record = out.len();
        set(&mut out, table + 4 * index, record);
        out.push(u8::try_from(name.len()).expect("short"));
        out.extend_from_slice(name.as_bytes());
        fields.push(out.len());
        word(&mut out, 0);
    }
    for ((_, shader), field) in shaders.iter().zip(fields) {
        pad(&mut out, 128);
        let start = out.len();
        set(&mut out, field, start);
        out.extend_from_slice(shader);
    }
    out
}
