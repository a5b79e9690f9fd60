//! Small files cannot make the library use much memory or time: for less than 64 KiB of input, 16
//! MiB and a few seconds in a debug build suffice for each program, even for the worst known cases.

use std::time::{Duration, Instant};

use transpica::container::{Constant, Model, NameOffset, Symbol, write};
use transpica::host::dvle;
use transpica::host::dvle::FileEnvironment;
use transpica::{Job, Options, Profile, Result, Shbin, Tier, Translator};
use transpica_proof::spirv_tools;

use super::worst::{PLAIN, descriptor, hostile, model};
use crate::MEMORY;
use crate::again::again;
use crate::samples::samples;

/// Cost of a file.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    bytes: usize,
    time: Duration,
    tier: Option<Tier>,
}

/// Translates every vertex program of a file to SPIR-V and returns the largest cost. `spirv-val`
/// validates the first module.
fn measure(bytes: &[u8], job: Job<'_>, options: Options) -> Cost {
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    let mut worst = Cost::default();
    let mut start = Instant::now();
    let mut module = None;
    if let Ok(file) = Shbin::parse(bytes) {
        file.warnings();
        worst.time = start.elapsed();
        // Many executables may be copies of the same one.
        for index in 0..file.executables.len().min(16) {
            start = Instant::now();
            if let Ok((tier, words)) = translate(&file, index, job, options) {
                worst.tier = worst.tier.max(Some(tier));
                module.get_or_insert(words);
            }
            worst.time = worst.time.max(start.elapsed());
        }
    }
    worst.bytes = MEMORY.peak_usage().saturating_sub(before);
    if let Some(words) = module {
        spirv_tools::validate(&words).unwrap_or_else(|error| panic!("{error}"));
    }
    worst
}

fn translate(file: &Shbin<'_>, index: usize, job: Job<'_>, options: Options) -> Result<(Tier, Vec<u32>)> {
    let program = dvle::program(file, index, &options.limits)?;
    let mut translator = Translator::new(options, Profile::default());
    let translated = translator.translate(&program, &FileEnvironment::new(file, index, "file")?, job)?;
    Ok((translated.tier, translator.spirv(&translated)?))
}

/// Cost limits of a file.
#[derive(Clone, Copy)]
struct CostLimit {
    bytes: usize,
    time: Duration,
}

/// Limits for programs of the vertex unit's size. Such a program takes one or two tenths of a
/// second; tests share their machine.
const MOST: CostLimit = CostLimit { bytes: 16 << 20, time: Duration::from_secs(5) };

/// Measures each file and prints the largest costs.
fn check(what: &str, files: &[(String, Vec<u8>)], limit: CostLimit) {
    let mut failures = Vec::new();
    let (mut most, mut longest, mut dispatched) = (Cost::default(), Cost::default(), 0);
    for (number, (name, bytes)) in files.iter().enumerate() {
        assert!(bytes.len() < 1 << 16, "{name} is too large for this test");
        let job = if number % 2 == 0 { Job::Vertex } else { Job::Compute };
        let cost = measure(bytes, job, Options::default());
        dispatched += usize::from(cost.tier.is_some_and(|tier| tier != Tier::Structured));
        most = if cost.bytes > most.bytes { cost } else { most };
        longest = if cost.time > longest.time { cost } else { longest };
        if cost.bytes > limit.bytes || cost.time > limit.time {
            failures.push(format!("{name} {job:?} ({} bytes): {cost:?}", bytes.len()));
        }
    }
    println!(
        "{what}: {} files, {dispatched} dispatched; most memory {} KiB, longest {:?}",
        files.len(),
        most.bytes >> 10,
        longest.time
    );
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_worst_programs_known_stay_small_and_fast() {
    if again(the_worst_programs_known_stay_small_and_fast, []).is_some() {
        return;
    }
    for between in [0, 1, 4] {
        check("hostile programs of 512 words", &hostile(512, between), MOST);
    }
}

#[test]
fn programs_beyond_the_vertex_unit_stay_small_and_fast() {
    if again(programs_beyond_the_vertex_unit_stay_small_and_fast, []).is_some() {
        return;
    }
    let limit = CostLimit { time: Duration::from_secs(30), ..MOST };
    check("hostile programs of 4096 words", &hostile(4096, 0), limit);
}

#[test]
fn random_programs_of_full_size_stay_small_and_fast() {
    if again(random_programs_of_full_size_stay_small_and_fast, []).is_some() {
        return;
    }
    use transpica_proof::generate::{Kind, generate_sized};
    let mut files = Vec::new();
    for kind in [Kind::Clean, Kind::Wild, Kind::Numeric] {
        for seed in 0..15 {
            let generated = generate_sized(kind, seed, 400..=400);
            let mut model = model();
            model.code = generated.code;
            model.descriptors = generated.descriptors.into_iter().map(descriptor).collect();
            model.executables[0].header.main = generated.entry.0.into();
            files.push((format!("{kind:?} {seed}"), write(&model)));
        }
    }
    check("random programs of 400 words", &files, MOST);
}

#[test]
fn the_samples_stay_small_and_fast() {
    if again(the_samples_stay_small_and_fast, []).is_some() {
        return;
    }
    let files: Vec<_> = samples().into_iter().map(|sample| (sample.name, sample.bytes)).collect();
    check("samples", &files, MOST);
}

#[test]
fn tables_that_fill_the_file_stay_small_and_fast() {
    if again(tables_that_fill_the_file_stay_small_and_fast, []).is_some() {
        return;
    }
    let mut files = Vec::new();
    let mut add = |name: &str, change: &dyn Fn(&mut Model)| {
        let mut model = model();
        change(&mut model);
        files.push((name.to_string(), write(&model)));
    };
    // 0x10 is c0, 0x6F is c95: every symbol covers all of them.
    let all = |name: u32| Symbol { name: NameOffset(name), first: 0x10, last: 0x6F };
    add("symbols for everything", &|model| model.executables[0].symbols = vec![all(0); 7000]);
    add("long names", &|model| {
        let executable = &mut model.executables[0];
        executable.names.bytes = [vec![b'a'; 54_000], vec![0]].concat();
        executable.symbols = (0..0x70).map(|n| Symbol { first: n, last: n, ..all(u32::from(n)) }).collect();
    });
    add("constants without meaning", &|model| {
        model.executables[0].constants = vec![Constant { kind: 9, register: 9, words: [0; 4] }; 2900];
    });
    add("descriptors", &|model| model.descriptors = vec![descriptor(PLAIN); 7000]);
    for (name, bytes) in &files {
        assert_eq!(Shbin::parse(bytes).map(|_| ()), Ok(()), "{name}");
    }
    // A thousand executables with the same bytes, each with thousands of entries; most such files
    // are rejected.
    for (name, bytes) in files.clone() {
        let start = u32::from_le_bytes(bytes[8..12].try_into().expect("four"));
        let count = 1000u32;
        let moved = start + 4 * (count - 1);
        let mut copies = [&bytes[..4], &count.to_le_bytes()].concat();
        (0..count).for_each(|_| copies.extend(moved.to_le_bytes()));
        copies.extend(&bytes[12..]);
        files.push((format!("{name}, a thousand times"), copies));
    }
    check("full tables", &files, MOST);
}
