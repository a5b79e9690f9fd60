//! Inputs that are larger than the window: what lies on its border, memory, random bytes.

use std::io::{self, Read};

use transpica::Shbin;
use transpica::container::{Model, write};
use transpica_containers::{Limits, Scanner, Summary};

use crate::MEMORY;
use crate::again::again;
use crate::support::{archives, bytes_of, list_of, packed, sample};

/// Least window.
const AHEAD: usize = 64 << 10;

fn small() -> Limits {
    Limits { look_ahead: AHEAD, ..Limits::default() }
}

/// Random bytes with parts at some places, made while they are read, a few at a time.
struct Stream<'a> {
    length: u64,
    at: u64,
    parts: &'a [(u64, Vec<u8>)],
    random: fastrand::Rng,
}

impl<'a> Stream<'a> {
    fn new(length: u64, parts: &'a [(u64, Vec<u8>)]) -> Self {
        Self { length, at: 0, parts, random: fastrand::Rng::with_seed(7) }
    }
}

impl Read for Stream<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let next = |at: u64| self.parts.iter().find(|(start, part)| at < start + part.len() as u64);
        let left = usize::try_from(self.length - self.at).unwrap_or(usize::MAX).min(out.len());
        let count = match next(self.at) {
            Some((start, part)) if *start <= self.at => {
                let rest = &part[(self.at - start) as usize..];
                let count = rest.len().min(left);
                out[..count].copy_from_slice(&rest[..count]);
                count
            }
            Some((start, _)) => left.min((start - self.at) as usize),
            None => left,
        };
        if next(self.at).is_none_or(|(start, _)| *start > self.at) {
            self.random.fill(&mut out[..count]);
        }
        self.at += count as u64;
        Ok(count)
    }
}

fn places(input: impl Read, limits: Limits) -> (Vec<String>, Summary) {
    let mut places = Vec::new();
    let summary = Scanner::new(limits).scan(input, &mut |found| places.push(found.hit.place()));
    (places, summary.expect("readable"))
}

/// First byte that the first window leaves to the second one.
const BORDER: u64 = AHEAD as u64 + (16 << 10);

#[test]
fn programs_on_every_border_of_the_window_are_found_once() {
    let fog = sample("fog");
    let archive = archives::sarc(&[("a.shbin", &fog)]);
    let kinds = [
        ("DVLB", &fog, ""),
        ("commands", &bytes_of(&list_of("fog")), ""),
        ("SARC", &archive, ":a.shbin/DVLB@0x0"),
    ];
    let near = (-16..=16).map(|step| 4 * step);
    for shift in near.chain([-3000, -1200, -400, 400, 16 << 10]) {
        for (kind, part, rest) in kinds {
            // The second border follows from the first one, if nothing lies on that.
            for border in [BORDER, BORDER + AHEAD as u64] {
                let place = border.checked_add_signed(shift).expect("positive");
                let parts = [(place, part.clone())];
                let (found, summary) = places(Stream::new(6 * AHEAD as u64, &parts), small());
                assert_eq!(found, [format!("{kind}@{place:#x}{rest}")], "{shift}");
                assert_eq!(summary.bytes, 6 * AHEAD as u64);
            }
        }
    }
}

/// Bytes at the end of a program that look like commands belong to the program.
#[test]
fn a_list_begins_behind_the_program_in_front_of_it() {
    let fog = sample("fog");
    let mut model = Model::from(&Shbin::parse(&fog).expect("a sample"));
    let names = &mut model.executables[0].names.bytes;
    names.resize(names.len().next_multiple_of(4), 0);
    (0..8).for_each(|_| names.extend(bytes_of(&[0x0101_0107, 0x000F_02B0])));
    let program = write(&model);
    let list = bytes_of(&list_of("fog"));
    for end in [1 << 10, BORDER - 4, BORDER, BORDER + 4, BORDER + 24] {
        let place = (end - program.len() as u64).next_multiple_of(4);
        let behind = place + program.len() as u64;
        let parts = [(place, [&program[..], &list].concat())];
        let (found, _) = places(Stream::new(4 * AHEAD as u64, &parts), small());
        assert_eq!(found, [format!("DVLB@{place:#x}"), format!("commands@{behind:#x}")]);
    }
}

#[test]
fn archives_larger_than_the_window_are_searched_without_names() {
    let filler = vec![9; 3 * AHEAD];
    let fog = sample("fog");
    let archive = archives::sarc(&[("a", &filler), ("b", &fog), ("c", &filler)]);
    let (found, summary) = places(&archive[..], small());
    assert_eq!((found.len(), summary.warnings.len()), (1, 1));
    assert!(found[0].starts_with("DVLB@") && summary.warnings[0].text.contains("without its names"));
    assert_eq!(places(&archive[..], Limits::default()).0, ["SARC:b/DVLB@0x0"]);
}

#[test]
fn a_large_input_takes_the_memory_of_two_windows() {
    if again(a_large_input_takes_the_memory_of_two_windows, []).is_some() {
        return;
    }
    let parts: Vec<(u64, Vec<u8>)> = vec![
        (1 << 20, sample("fog")),
        (50 << 20, archives::sarc(&[("a", &packed::lz11(&sample("lights")))])),
        ((96 << 20) - 4096, sample("points")),
    ];
    let limits = Limits { look_ahead: 2 << 20, unpacked: 4 << 20, ..Limits::default() };
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    let (found, summary) = places(Stream::new(96 << 20, &parts), limits);
    let peak = MEMORY.peak_usage() - before;
    println!("96 MiB: {} KiB", peak >> 10);
    assert_eq!(found.len(), 3, "{found:?}");
    assert_eq!((summary.bytes, summary.is_cut), (96 << 20, false));
    assert!(peak < 2 * limits.look_ahead + limits.unpacked, "{peak}");
}

/// The magics are 12 words, so 64 MiB of random words hold one of them in one of 21 runs.
#[test]
fn random_bytes_hold_no_program() {
    for seed in 0..4 {
        let mut stream = Stream::new(16 << 20, &[]);
        stream.random = fastrand::Rng::with_seed(seed);
        let (found, summary) = places(stream, Limits::default());
        assert_eq!((found, summary.warnings), (Vec::new(), Vec::new()));
    }
}

/// Small files begin in every way, so that formats without a magic are tried as well.
#[test]
fn small_random_files_hold_no_program() {
    let mut random = fastrand::Rng::with_seed(3);
    let mut scanner = Scanner::new(Limits::default());
    let mut hits = 0;
    for number in 0..20_000u32 {
        let mut bytes = vec![0; random.usize(0..2048)];
        random.fill(&mut bytes);
        // The type bytes of compression, and the letters of packages.
        if let Some(first) = bytes.first_mut() {
            *first = [0x10, 0x11, *first, b'G'][number as usize % 4];
        }
        hits += scanner.scan(&bytes[..], &mut |_| {}).expect("readable").hits;
    }
    assert_eq!(hits, 0);
}

#[test]
fn an_error_of_the_reader_is_returned_after_its_hits() {
    struct Failing(usize, Vec<u8>);
    impl Read for Failing {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            if self.0 == self.1.len() {
                return Err(io::Error::other("gone"));
            }
            let count = out.len().min(self.1.len() - self.0).min(1000);
            out[..count].copy_from_slice(&self.1[self.0..self.0 + count]);
            self.0 += count;
            Ok(count)
        }
    }
    let mut bytes = sample("fog");
    bytes.resize(4 * AHEAD, 0);
    let mut hits = 0;
    let result = Scanner::new(small()).scan(Failing(0, bytes), &mut |_| hits += 1);
    assert_eq!((result.map_err(|error| error.to_string()), hits), (Err("gone".to_string()), 1));
}
