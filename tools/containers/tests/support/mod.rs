//! Writers of every container that the scanner reads, from the same facts, and nothing shared with
//! the readers.

#![allow(dead_code, reason = "not every test file needs all of it")]

pub mod archives;
pub mod models;
pub mod packed;

use std::path::Path;

use transpica_containers::{Found, Hit, Limits, Scanner, Summary};

/// Bytes of a sample.
pub fn sample(name: &str) -> Vec<u8> {
    // Several packages of the repository include this file.
    let mut folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join("shaders"));
    let path = folders.find(|folder| folder.is_dir()).expect("the samples").join(format!("{name}.shbin"));
    std::fs::read(path).expect("a sample")
}

/// A hit with its bytes.
pub struct Kept {
    pub hit: Hit,
    pub bytes: Vec<u8>,
    pub state: Option<transpica::RegisterState>,
}

/// Scans bytes.
pub fn scan(bytes: &[u8]) -> (Vec<Kept>, Summary) {
    scan_with(bytes, Limits::default())
}

/// Scans bytes under limits.
pub fn scan_with(bytes: &[u8], limits: Limits) -> (Vec<Kept>, Summary) {
    let mut all = Vec::new();
    let mut keep = |found: Found<'_>| {
        all.push(Kept { bytes: found.bytes.to_vec(), state: found.state.cloned(), hit: found.hit });
    };
    let summary = Scanner::new(limits).scan(bytes, &mut keep).expect("bytes can be read");
    assert_eq!(summary.hits, all.len());
    (all, summary)
}

/// Places of all hits, of a file without warnings.
#[track_caller]
pub fn places(bytes: &[u8]) -> Vec<String> {
    let (all, summary) = scan(bytes);
    assert_eq!((&summary.warnings[..], summary.is_cut), (&[][..], false));
    all.iter().map(|kept| kept.hit.place()).collect()
}

/// Appends a little-endian word.
pub fn word(out: &mut Vec<u8>, value: usize) {
    out.extend_from_slice(&u32::try_from(value).expect("small").to_le_bytes());
}

/// Overwrites a little-endian word.
pub fn set(out: &mut [u8], at: usize, value: usize) {
    out[at..at + 4].copy_from_slice(&u32::try_from(value).expect("small").to_le_bytes());
}

/// Fills up to a multiple.
pub fn pad(out: &mut Vec<u8>, multiple: usize) {
    out.resize(out.len().next_multiple_of(multiple), 0);
}

/// Bytes of words.
pub fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A command that writes words to one register.
pub fn command(register: u32, words: &[u32]) -> Vec<u32> {
    let count = u32::try_from(words.len() - 1).expect("short");
    let mut list = vec![words[0], 0xF_0000 | register | count << 20];
    list.extend_from_slice(&words[1..]);
    list.resize(list.len().next_multiple_of(2), 0);
    list
}

/// A command list that binds a program to the vertex unit (0x2B0) or geometry unit (0x280), and
/// maps its first output to the position.
pub fn list(unit: u32, code: &[u32], descriptors: &[u32], entry: u32) -> Vec<u32> {
    let mut list = command(unit + 0x0A, &[0x7FFF_0000 | entry]);
    list.extend(command(unit + 0x1B, &[0]));
    code.chunks(128).for_each(|part| list.extend(command(unit + 0x1C, part)));
    list.extend(command(unit + 0x0F, &[1]));
    list.extend(command(unit + 0x25, &[0]));
    descriptors.chunks(128).for_each(|part| list.extend(command(unit + 0x26, part)));
    list.extend(command(unit + 0x0D, &[1]));
    list.extend(command(0x4F, &[1]));
    list.extend(command(0x50, &[0x0302_0100]));
    list
}

/// The command list of a sample's first program.
pub fn list_of(name: &str) -> Vec<u32> {
    let bytes = sample(name);
    let file = transpica::Shbin::parse(&bytes).expect("a sample");
    let code: Vec<u32> = file.package.code.iter().collect();
    let descriptors: Vec<u32> = file.package.descriptors.iter().map(|record| record.bits).collect();
    list(0x2B0, &code, &descriptors, file.executables[0].header.main)
}

/// A container's name in places, and its writer around one content.
pub type Wrapping = (&'static str, fn(&[u8]) -> Vec<u8>);

/// Every container around one content.
pub fn wrappings() -> Vec<Wrapping> {
    vec![
        ("SARC:shader/a.shbin", |content| archives::sarc(&[("shader/a.shbin", content)])),
        ("darc:shader/a.shbin", |content| archives::darc(&[("shader", &[("a.shbin", content)])])),
        ("GARC:0", |content| archives::garc(&[&[content]])),
        ("ExeFS:.code", |content| archives::exefs(&[(".code", content)])),
        ("GFL:0", |content| archives::package(*b"PT", &[content])),
        ("LZ10", packed::lz10),
        ("LZ11", packed::lz11),
        ("Yaz0", packed::yaz0),
        ("backward-LZ", |content| packed::backward(content, 0)),
    ]
}
