//! Ten thousand damaged containers: bits, ends and sizes that are wrong. No panic, little memory,
//! little time.

use std::time::{Duration, Instant};

use transpica_containers::unpack::Packing;
use transpica_containers::vbc::Vbc;
use transpica_containers::{Limits, Scanner};

use crate::MEMORY;
use crate::again::again;
use crate::support::models::{bch, cgfx, gf_pack, gf_shader, mfx};
use crate::support::{archives, bytes_of, list_of, packed, sample, wrappings};

/// Damaged files of each container.
const EACH: usize = 600;

/// Files of every container, some inside others.
fn files() -> Vec<Vec<u8>> {
    let mut content = sample("textured");
    content.resize(content.len() + 4096, 0);
    let points = sample("points");
    let commands = bytes_of(&list_of("fog"));
    let mut files: Vec<Vec<u8>> = wrappings().iter().map(|(_, wrap)| wrap(&content)).collect();
    files.extend([
        points.clone(),
        cgfx(&[("sky", &points), ("grass", &content)]),
        bch(&[&points], &[("grass", 0, 0, 1)]),
        mfx(&points),
        gf_pack(&[("sky", &gf_shader("Sky", &commands))]),
        commands,
        archives::sarc(&[("a.lz", &packed::lz11(&archives::darc(&[("b", &[("c", &points)])])))]),
        archives::garc(&[&[&archives::package(*b"GR", &[&packed::yaz0(&content)])]]),
    ]);
    files
}

/// Damages a file in one of five ways.
fn damage(file: &[u8], random: &mut fastrand::Rng) -> Vec<u8> {
    let mut bytes = file.to_vec();
    let at = random.usize(0..bytes.len());
    match random.u8(0..5) {
        0 => bytes[at] ^= 1 << random.u8(0..8),
        1 => bytes.truncate(at),
        // Sizes and offsets lie near the start, and claim too much.
        2 => {
            let place = random.usize(0..bytes.len().min(256)) / 4 * 4;
            let claim = [u32::MAX, 0x7FFF_FFFF, 0x00FF_FFFF, 0x0010_0000, 0][random.usize(0..5)];
            if let Some(word) = bytes[place..].first_chunk_mut() {
                *word = claim.to_le_bytes();
            }
        }
        3 => {
            let end = (at + random.usize(0..64)).min(bytes.len());
            random.fill(&mut bytes[at..end]);
        }
        _twice => {
            let from = random.usize(0..bytes.len());
            let length = random.usize(0..512).min(bytes.len() - from.max(at));
            bytes.copy_within(from..from + length, at);
        }
    }
    bytes
}

#[test]
fn damaged_containers_take_little_memory_and_time() {
    if again(damaged_containers_take_little_memory_and_time, []).is_some() {
        return;
    }
    let mut random = fastrand::Rng::with_seed(11);
    let mut scanner = Scanner::new(Limits { unpacked: 8 << 20, ..Limits::default() });
    let (mut count, mut hits, mut most, mut longest) = (0, 0, 0, Duration::ZERO);
    for file in files() {
        for _ in 0..EACH {
            let bytes = damage(&file, &mut random);
            MEMORY.reset_peak_usage();
            let (before, start) = (MEMORY.current_usage(), Instant::now());
            let summary = scanner.scan(&bytes[..], &mut |found| {
                assert_eq!(found.bytes.len() as u64, found.hit.length);
                assert!(!found.hit.place().is_empty());
            });
            hits += summary.expect("bytes can be read").hits;
            most = most.max(MEMORY.peak_usage().saturating_sub(before));
            longest = longest.max(start.elapsed());
            count += 1;
        }
    }
    println!("{count} files, {hits} hits; most memory {} KiB, longest {longest:?}", most >> 10);
    assert!(count >= 10_000, "{count}");
    assert!(hits > count / 3, "most damage leaves the programs: {hits} of {count}");
    assert!(most < 9 << 20, "{most} bytes");
    assert!(longest < Duration::from_secs(3), "{longest:?}");
}

/// Claims of gigabytes by files of a few bytes.
#[test]
fn a_size_is_refused_before_memory_is_taken() {
    if again(a_size_is_refused_before_memory_is_taken, []).is_some() {
        return;
    }
    let mut yaz0 = b"Yaz0\xFF\xFF\xFF\xFF".to_vec();
    yaz0.resize(64, 0);
    let mut backward = vec![0; 64];
    backward.extend_from_slice(&[72, 0, 0, 8, 0xFF, 0xFF, 0xFF, 0x7F]);
    let lz11 = [0x11, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0x7F, 0, 0];
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    for (packing, bytes) in
        [(Packing::Yaz0, &yaz0[..]), (Packing::BackwardLz, &backward), (Packing::Lz11, &lz11)]
    {
        assert!(packing.unpack(bytes, 1 << 20).is_err(), "{packing:?}");
        assert!(packing.unpack(bytes, usize::MAX).is_err(), "{packing:?}");
    }
    let claims = [b"VBC\x01\x01".to_vec(), vec![0; 20], vec![0xFF; 8]].concat();
    assert!(Vbc::read(&claims).is_err());
    assert!(MEMORY.peak_usage() - before < 1 << 16);
}

/// Archives whose entries all are the archive itself, and compressed data that give the same again.
#[test]
fn overlapping_entries_run_out_of_work() {
    let mut content = sample("points");
    content.resize(content.len() + 40_000, 1);
    let entries: Vec<(&str, &[u8])> = vec![("a", &content); 1];
    let mut file = archives::sarc(&entries);
    // Thousands of nodes for one range: every entry is searched again.
    let node: Vec<u8> = file[0x20..0x30].to_vec();
    let mut table = file[..0x20].to_vec();
    table[0x1A..0x1C].copy_from_slice(&60_000u16.to_le_bytes());
    (0..60_000).for_each(|_| table.extend_from_slice(&node));
    let start = table.len() as u32;
    table.extend_from_slice(&content);
    let length = table.len() as u32;
    table[12..16].copy_from_slice(&start.to_le_bytes());
    table[8..12].copy_from_slice(&length.to_le_bytes());
    file = table;
    let begin = Instant::now();
    let mut hits = 0;
    let summary = Scanner::new(Limits::default()).scan(&file[..], &mut |_| hits += 1).expect("readable");
    println!("{hits} hits in {:?}", begin.elapsed());
    assert!(summary.is_cut && hits > 100, "{hits}");
    assert!(begin.elapsed() < Duration::from_secs(20));
}

/// Files that begin something at every few bytes, each as expensive to reject as it can be.
#[test]
fn files_full_of_beginnings_run_out_of_work() {
    let words = |words: &[u32]| bytes_of(words);
    let text = |magic: &[u8], rest: &[u32]| [magic, &words(rest)].concat();
    let far = 0x10_0000;
    let unit = [
        ("DVLB", text(b"DVLB", &[1, far, u32::from_le_bytes(*b"DVLP")])),
        ("upload", words(&[0, 0x000F_02CB, 0x1234, 0x000F_02CC])),
        ("VBC", text(b"VBC\x01", &[0x0101_0101; 7])),
        ("SARC", text(b"SARC\x14\0\xFF\xFE", &[0x40, 0x10, 0x100, 0x5441_4653, 0xFFFF_000C, 0x65, 0, 0])),
        ("darc", text(b"darc\xFF\xFE\x1C\0", &[0, 64, 0x1C, 0x7000, 0, 0x0100_0000, 0, 0x8000])),
        ("CRAG", text(b"CRAG", &[28, 0xFEFF, 4, 64, 64, 0, 0x4641_544F, 12, 0xFFFF, 0])),
        ("CGFX", text(b"CGFX\xFF\xFE\x14\0", &[0, 0x1000, 1, 0x4154_4144, 0, 0, 0])),
        ("BCH", text(b"BCH\0", &[0, 0x44, 0x44, 0x44, 0x44, 0x44, 0x10, 0x10, 0x10, 0x10, 0x10, 64, 0xFFFF])),
        ("MFX", text(b"MFX\0", &[0, 0, 1, 1, 1, 64, 64, 64, far])),
        ("Yaz0", text(b"Yaz0", &[0x0000_2000, 0, 0, 0xABCD_1200])),
    ];
    for (name, unit) in unit {
        let mut bytes = unit.repeat((4 << 20) / unit.len());
        bytes[far as usize..][..4].copy_from_slice(b"DVLB");
        let start = Instant::now();
        let summary = Scanner::new(Limits::default()).scan(&bytes[..], &mut |_| {}).expect("readable");
        println!("{name}: {:?}, cut {}, {} hits", start.elapsed(), summary.is_cut, summary.hits);
        assert!(start.elapsed() < Duration::from_secs(10), "{name}: {:?}", start.elapsed());
    }
}
