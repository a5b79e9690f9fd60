//! Ten thousand damaged containers: bits, ends and sizes that are wrong. No panic, little memory,
//! little time.

mod support;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use peak_alloc::PeakAlloc;
use support::models::{bch, cgfx, gf_pack, gf_shader, mfx};
use support::{archives, bytes_of, list_of, packed, sample, wrappings};
use transpica_containers::unpack::Packing;
use transpica_containers::vbc::Vbc;
use transpica_containers::{Limits, Scanner};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Memory is counted for the entire process, so only one test may run.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Damaged files of each container.
const EACH: usize = 600;

/// Files of every container, some inside of others.
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
    let _alone = alone();
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
    let _alone = alone();
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
    let _alone = alone();
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
