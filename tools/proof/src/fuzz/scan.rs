//! Any bytes: a scan ends, within its memory; what it finds lies in the input and can be read; a
//! reader that gives a byte at a time leads to the same.

use std::io::{self, Read};

use transpica::Shbin;
use transpica_containers::vbc::Vbc;
use transpica_containers::{Found, Hit, Kind, Limits, Scanner, Summary};

/// Limits under which every input ends soon.
const LIMITS: Limits = Limits {
    depth: 4,
    look_ahead: 64 << 10,
    unpacked: 1 << 20,
    unpacked_total: 4 << 20,
    entries: 1 << 10,
    hits: 1 << 8,
    input: 1 << 20,
    work_per_byte: 32,
};

/// A reader of single bytes.
struct Single<'a>(&'a [u8]);

impl Read for Single<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = out.len().min(1);
        self.0.read(&mut out[..count])
    }
}

pub fn check(bytes: &[u8]) {
    let (hits, summary) = scan(bytes, bytes);
    assert_eq!((hits, summary), scan(Single(bytes), bytes), "however the input is read");
}

fn scan(input: impl Read, bytes: &[u8]) -> (Vec<Hit>, Summary) {
    let mut hits = Vec::new();
    let summary = Scanner::new(LIMITS).scan(input, &mut |found| {
        read(&found, bytes);
        hits.push(found.hit);
    });
    let summary = summary.expect("bytes can be read");
    assert_eq!(summary.hits, hits.len());
    assert!(summary.is_cut || summary.bytes == bytes.len() as u64);
    (hits, summary)
}

/// Reads what was found.
fn read(found: &Found<'_>, bytes: &[u8]) {
    let hit = &found.hit;
    assert_eq!(hit.length, found.bytes.len() as u64);
    assert!(!hit.place().is_empty());
    if let Some(start) = hit.input_offset {
        let start = usize::try_from(start).expect("in the input");
        assert_eq!(bytes.get(start..start + found.bytes.len()), Some(found.bytes), "{}", hit.place());
    }
    match hit.kind {
        Kind::Dvlb => {
            let file = Shbin::parse(found.bytes).expect("what was found can be parsed without what follows");
            assert!((0..4).contains(&(found.bytes.len() - file.length as usize)), "except for padding");
        }
        Kind::Vbc => {
            let file = Vbc::read(found.bytes).expect("what was found can be read");
            // A name that is not a text becomes longer, and may not fit then.
            if let Ok(again) = file.write() {
                assert_eq!(Vbc::read(&again), Ok(file));
            }
        }
        _commands => assert!(found.state.is_some() && !hit.programs.is_empty()),
    }
}
