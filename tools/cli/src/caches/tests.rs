//! Caches as their writers leave them, damaged caches, and caches of other versions.

use transpica::Stage;
use transpica::isa::Pc;
use transpica_inspect::values::Random;
use xxhash_rust::xxh3::xxh3_64;

use super::writer::{
    self, Draw, Entry, configuration, frame, opengl, opengl_fragment, opengl_record, vkch, vkch_of,
};
use super::*;

/// Different programs, one draw for each.
fn draws(count: u32) -> Vec<Draw> {
    (0..count).map(Draw::numbered).collect()
}

fn valid(bytes: &[u8]) -> Cache {
    let cache = read(bytes).expect("a cache");
    assert_eq!(cache.faults, [], "no faults");
    cache
}

/// Checks that a stored program belongs to a draw.
fn check(stored: &StoredProgram, draw: &Draw) {
    let state = stored.state();
    let program = state.program(Stage::Vertex).expect("valid");
    let code = &draw.code[..];
    assert_eq!((&program.code()[..code.len()], program.entry()), (code, Pc(draw.entry as u16)));
    assert_eq!(program.descriptors()[..draw.descriptors.len()], draw.descriptors);
    let view = state.vertex();
    assert_eq!(
        (view.output_mask(), state.slots(), view.input_count()),
        (draw.mask, draw.semantics.len(), 16)
    );
    assert_eq!(view.input_map(), std::array::from_fn(|register| Some(register as u8)));
    let words: Vec<u32> = (0x50..).take(draw.semantics.len()).map(|number| state.read(number)).collect();
    assert_eq!(words, draw.semantics);
}

#[test]
fn hashes_are_those_of_the_emulator() {
    assert_eq!(xxh3_64(&[]), 0x2D06_8005_38D3_94C2);
    assert_eq!(writer::hash(&[1, 2, 3, 4]), 0x6FC1_EBD4_F4D6_EA31);
    assert_eq!(writer::hash(&[1, 2]), 0x0389_E2C8_892D_5450);
    assert_eq!(xxh3_64(&[0; 192]), 0x0C27_22AA_3370_CD20);
    for combine in [vkch::combine, writer::combine] {
        assert_eq!(combine(0x6FC1_EBD4_F4D6_EA31, 0x0389_E2C8_892D_5450), 0x6034_B92F_6E83_FEE4);
    }
}

#[test]
fn a_vulkan_cache_gives_its_programs() {
    let mut draws = draws(5);
    draws[1].mask = 0b1010_0000_0000_0101;
    draws[1].semantics = vec![0x0302_0100, 0x1F1F_0D0C, 0x0B0A_0908, 0x1F1F_1F1F];
    draws[2].attributes[3] = (1, 2);
    draws[3].mask = 0;
    draws[3].semantics = Vec::new();
    draws[4].entry += 0x1_0000 - 0x200;
    let bytes = vkch_of(&draws);
    assert_eq!(bytes[..8], [0x42, 0, 0, 0, 0x98, 4, 0, 0]);
    assert_eq!((&bytes[16..20], bytes[0x498]), (&b"VKCH"[..], 0x42));
    let cache = valid(&bytes);
    assert_eq!((cache.kind, cache.entries, cache.unnamed), (CacheKind::Vulkan, 11, 0));
    // The unit has nine bits of addresses.
    draws[4].entry &= 0x1FF;
    assert_eq!(cache.programs.len(), 5);
    cache.programs.iter().zip(&draws).for_each(|(stored, draw)| check(stored, draw));
    assert_eq!(cache.programs[2].formats[3], Format { number: Number::U8, size: 2 });
    assert_eq!(cache.programs[0].formats, [Format::default(); 16]);
    assert!(!cache.programs[0].has_values);
    let offset = cache.programs[0].offset;
    assert_eq!(bytes[offset..offset + 4], [0x42, 1, 1, 0]);
}

#[test]
fn entries_come_in_any_order_and_in_both_sizes() {
    let draws = draws(3);
    let cache = valid(&vkch(&[
        Entry::info(0),
        Entry::configuration(&draws[1]),
        Entry::spirv(&[1; 900]),
        Entry::early_program(&draws[0]),
        Entry::configuration(&draws[0]),
        Entry::program(&draws[1]),
        Entry::program(&draws[2]),
    ]));
    assert_eq!((cache.programs.len(), cache.unnamed), (2, 1));
    check(&cache.programs[0], &draws[1]);
    check(&cache.programs[1], &draws[0]);
}

#[test]
fn of_entries_with_one_identifier_the_first_counts() {
    let mut draws = draws(1);
    let mut other = draws[0].clone();
    other.code = vec![0x8800_0000];
    let second = Entry { id: draws[0].id(), ..Entry::program(&other) };
    let mut entries = vec![Entry::info(0), Entry::program(&draws[0]), second];
    entries.extend([Entry::configuration(&draws[0]), Entry::configuration(&draws[0])]);
    draws[0].mask = 1;
    draws[0].semantics.truncate(1);
    entries.push(Entry::configuration(&draws[0]));
    let cache = valid(&vkch(&entries));
    assert_eq!(cache.programs.len(), 2);
    check(&cache.programs[1], &draws[0]);
    assert!(Arc::ptr_eq(&cache.programs[0].words, &cache.programs[1].words));
}

#[test]
fn frames_of_the_reference_compressor_are_read() {
    // `zstd -3 --no-check` of the payload below.
    let packed = include_bytes!("../../tests/support/program.zst");
    let words: Vec<u32> = (0..300u32).map(|n| (n / 3).wrapping_mul(0x9E37_79B9) ^ (n % 7)).collect();
    let draw = Draw::new(&words, &words[..40], 7);
    let program = Entry { payload: packed.to_vec(), ..Entry::program(&draw) };
    let cache = valid(&vkch(&[Entry::info(0), program, Entry::configuration(&draw)]));
    check(&cache.programs[0], &draw);
}

#[test]
fn other_files_and_versions_are_refused_with_the_reason() {
    let draws = draws(1);
    let whole = vkch_of(&draws);
    let refused = |change: &dyn Fn(&mut Vec<u8>), expected: &str| {
        let mut bytes = whole.clone();
        change(&mut bytes);
        let fault = read(&bytes).expect_err(expected);
        assert!(fault.to_string().contains(expected), "{fault}");
        assert!(fault.to_string().ends_with("(at offset 0x0)"), "{fault}");
    };
    refused(&|bytes| bytes[0] = 0x43, "neither a .vkch file");
    refused(&|bytes| bytes[16] = 0, "without the magic");
    refused(&|bytes| bytes[20] = 1, "unknown .vkch version 1");
    refused(&|bytes| bytes[24] = 0, "configuration layout 0x35990dafd10fa700");
    refused(&|bytes| bytes[32] = 1, "fragment configurations");
    refused(&|bytes| bytes[32] = 2, "fixed geometry stages");
    refused(&|bytes| bytes[32] = 3, "pipelines");
    refused(&|bytes| bytes[32] = 4, "file kind 4");
    refused(&|bytes| bytes[2] = 2, "begins with an entry of kind 2");
    refused(&|bytes| *bytes = vec![2, 0, 0, 0], "neither");
    refused(&|bytes| *bytes = b"GLSL".to_vec(), "neither");
    assert_eq!(valid(&[]).kind, CacheKind::Empty);
    let geometry = vkch(&[Entry::info(2)]);
    assert!(read(&geometry).is_err());
}

/// Reads a cache with a changed entry after one that is whole, and returns the only fault.
fn fault(change: impl Fn(&mut Entry), of: usize) -> String {
    let draws = draws(2);
    let mut entries = vec![Entry::info(0), Entry::program(&draws[0]), Entry::configuration(&draws[0])];
    entries.extend([Entry::program(&draws[1]), Entry::configuration(&draws[1])]);
    change(&mut entries[of]);
    let offset = vkch(&entries[..of]).len();
    let cache = read(&vkch(&entries)).expect("a cache");
    check(&cache.programs[0], &draws[0]);
    let [first, ..] = &cache.faults[..] else { panic!("no fault") };
    assert_eq!(first.offset, offset, "{first}");
    first.text.clone()
}

#[test]
fn faults_of_entries_have_a_place_and_cost_no_other_entry() {
    let [program, config] = [3, 4];
    let starts = |text: String, expected: &str| assert!(text.contains(expected), "{text}");
    starts(fault(|entry| entry.version = 0x43, program), "entry version 0x43");
    starts(fault(|entry| entry.flags = 3, program), "entry flags 0x03");
    starts(fault(|entry| entry.kind = 9, program), "entry kind 9");
    starts(fault(|entry| entry.kind = 4, program), "unexpected entry of kind 4");
    starts(fault(|entry| entry.id ^= 1, program), "the identifier of the program does not match its hash");
    starts(
        fault(|entry| entry.id ^= 1, config),
        "the identifier of the configuration does not match its hash",
    );
    starts(fault(|entry| entry.flags = 0, program), "bytes instead of 32784 or 32780");
    starts(fault(|entry| entry.payload = frame(&[0; 200]), config), "claims 200 bytes instead of 216");
    starts(fault(|entry| entry.payload.truncate(9), config), "cannot be decompressed");
    let configured = |change: fn(&mut Draw)| {
        fault(
            |entry| {
                let mut draw = draws(2).remove(1);
                change(&mut draw);
                *entry = Entry::configuration(&draw);
            },
            config,
        )
    };
    starts(configured(|draw| draw.code.push(1)), "is not in the file");
    starts(configured(|draw| draw.attributes[5] = (4, 4)), "attribute record [5, 4, 4]");
    starts(configured(|draw| draw.attributes[5] = (3, 0)), "attribute record [5, 3, 0]");
    let patched = |place: usize, value: u8| {
        fault(
            |entry| {
                let mut payload = configuration(&draws(2)[1]);
                payload[place] = value;
                *entry = Entry::packed(1, xxh3_64(&payload[24..]), &payload);
            },
            config,
        )
    };
    starts(patched(0, 1), "configuration version 1");
    starts(patched(52, 3), "number of outputs");
    starts(patched(56, 5), "not in ascending order");
    starts(patched(180, 8), "8 semantic words");
}

/// Returns a frame of blocks that repeat a zero byte, with this header after the magic number.
fn zeros(header: &[u8], blocks: usize) -> Vec<u8> {
    let mut frame = vec![0x28, 0xB5, 0x2F, 0xFD];
    frame.extend(header);
    for block in 0..blocks {
        let is_last = u32::from(block + 1 == blocks);
        // 128 KiB each, the largest block.
        frame.extend(&(is_last | 1 << 1 | 0x2_0000 << 3).to_le_bytes()[..3]);
        frame.push(0);
    }
    frame
}

#[test]
fn frames_that_grow_beyond_their_payload_are_refused() {
    let stated = |size: u32| [&[0xA0][..], &size.to_le_bytes()].concat();
    for (payload, expected) in [
        (zeros(&stated(32_784), 60_000), "cannot be decompressed"),
        (zeros(&stated(0x7FFF_0000), 16_384), "cannot be decompressed"),
        (zeros(&stated(4 << 20), 32), "claims 4194304 bytes"),
        // No size; a window of 2^41 bytes, and one of 1 KiB.
        (zeros(&[0, 31 << 3], 10), "cannot be decompressed"),
        (zeros(&[0, 0], 10), "claims 0 bytes"),
        (zeros(&[&[0x80, 31 << 3][..], &32_784u32.to_le_bytes()].concat(), 10), "cannot be decompressed"),
        // A window of 64 MiB, more than a decoder must accept.
        (zeros(&[&[0x80, 16 << 3][..], &32_784u32.to_le_bytes()].concat(), 10), "window_size is too big"),
    ] {
        let text = fault(|entry| entry.payload = payload.clone(), 3);
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn an_entry_whose_footer_does_not_fit_ends_the_file() {
    let draws = draws(2);
    let (first, whole) = (vkch_of(&draws[..1]), vkch_of(&draws));
    // The mark, the length again, zeros; not the running number.
    for (place, is_checked) in [(16, true), (15, false), (12, true), (8, true), (1, true)] {
        let mut bytes = whole.clone();
        let place = bytes.len() - place;
        bytes[place] ^= 0x40;
        let cache = read(&bytes).expect("a cache");
        assert_eq!((cache.programs.len(), cache.fault_count), if is_checked { (1, 1) } else { (2, 0) });
        assert!(cache.faults.iter().all(|fault| fault.offset > first.len() && fault.text.contains("footer")));
    }
}

#[test]
fn cut_files_give_what_comes_before_the_cut() {
    let draws = draws(3);
    for bytes in [vkch_of(&draws), opengl(&[opengl_record(&draws[0], &[]), opengl_record(&draws[1], &[])])] {
        let whole = valid(&bytes);
        let mut found = 0;
        for end in (0..bytes.len()).step_by(bytes.len() / 300) {
            let Ok(cache) = read(&bytes[..end]) else { continue };
            assert!(cache.programs.len() >= found && cache.programs.len() <= whole.programs.len());
            found = cache.programs.len();
            cache.programs.iter().zip(&draws).for_each(|(stored, draw)| check(stored, draw));
            assert!(cache.fault_count <= 1, "{:?}", cache.faults);
        }
        assert_eq!(found, whole.programs.len() - 1, "the last one is cut");
    }
}

#[test]
fn damaged_files_never_panic() {
    let draws = draws(3);
    let mut mixed = vec![Entry::info(0), Entry::spirv(&[3; 40]), Entry::early_program(&draws[0])];
    mixed.extend([
        Entry::configuration(&draws[0]),
        Entry::program(&draws[1]),
        Entry::configuration(&draws[1]),
    ]);
    let files = [
        vkch(&mixed),
        vkch_of(&draws),
        opengl(&[opengl_record(&draws[0], &[]), opengl_fragment(), opengl_record(&draws[2], &[])]),
    ];
    let mut random = Random::new(0, "damaged caches");
    let (mut refused, mut faulty) = (0, 0);
    for round in 0..6000 {
        let mut bytes = files[round % 3].clone();
        let most = [40, 1160 + 2500, usize::MAX][random.below(3) as usize];
        let span = bytes.len().min(most);
        for _ in 0..=random.below(3) {
            let place = random.below(span as u32) as usize;
            bytes[place] = match random.below(3) {
                0 => random.below(256) as u8,
                1 => bytes[place] ^ 1 << random.below(8),
                _ => [0, 1, 0xFF, 0x7F][random.below(4) as usize],
            };
        }
        if random.below(4) == 0 {
            bytes.truncate(random.below(bytes.len() as u32) as usize);
        }
        match read(&bytes) {
            Err(_) => refused += 1,
            Ok(cache) => {
                faulty += usize::from(cache.fault_count > 0);
                assert!(cache.programs.len() <= 3 && cache.faults.len() <= WARNINGS);
                for stored in &cache.programs {
                    assert!(stored.words.code.len() <= 512 && stored.words.descriptors.len() <= 128);
                    let _ = stored.state().program(Stage::Vertex);
                }
            }
        }
    }
    assert!(refused > 300 && faulty > 300, "{refused} refused, {faulty} faulty");
}

#[test]
fn warnings_are_counted_but_few_are_kept() {
    let entries: Vec<Entry> = (0..40).map(|id| Entry { id, ..Entry::spirv(&[1]) }).collect();
    let entries = entries.into_iter().map(|entry| Entry { kind: 5, ..entry });
    let cache =
        read(&vkch(&[Entry::info(0)].into_iter().chain(entries).collect::<Vec<_>>())).expect("a cache");
    assert_eq!((cache.fault_count, cache.faults.len(), cache.entries), (40, WARNINGS, 41));
}

#[test]
fn an_opengl_cache_gives_programs_with_bools_and_ints() {
    let draws = draws(2);
    let values = [(0x2B0, 0x7FFF_0005), (0x2B1, 0x0403_0201)];
    let cache = valid(&opengl(&[
        opengl_record(&draws[0], &values),
        opengl_fragment(),
        opengl_record(&draws[1], &[(0x229, 2)]),
    ]));
    assert_eq!((cache.kind, cache.entries, cache.programs.len()), (CacheKind::OpenGl, 3, 2));
    let state = cache.programs[0].state();
    let program = state.program(Stage::Vertex).expect("valid");
    assert_eq!((program.code().len(), program.descriptors().len()), (512, 128), "the memory of the unit");
    let uniforms = state.uniforms(Stage::Vertex);
    assert_eq!((uniforms.bools, uniforms.ints[0]), (5, [1, 2, 3, 4]));
    assert!(!state.has_geometry() && cache.programs[0].has_values);
    check(&cache.programs[1], &draws[1]);
    assert!(cache.programs[1].state().has_geometry());
    assert_eq!(cache.programs[1].offset, 4 + 35_872 + 3_096);
}

#[test]
fn faults_of_records_end_an_opengl_cache() {
    let draw = &draws(1)[0];
    for (place, expected) in
        [(0, "record kind 1"), (16, "registers instead"), (3096, "program words"), (35_871, "cut off")]
    {
        let mut bytes = opengl(&[opengl_record(draw, &[]), opengl_record(draw, &[])]);
        let start = 4 + 35_872;
        if place == 35_871 {
            bytes.truncate(start + place);
        } else {
            bytes[start + place] ^= 1;
        }
        let cache = read(&bytes).expect("a cache");
        assert_eq!((cache.programs.len(), cache.fault_count, cache.faults[0].offset), (1, 1, start));
        assert!(cache.faults[0].text.contains(expected), "{}", cache.faults[0]);
    }
    // Claims of sizes are not believed.
    let mut bytes = opengl(&[opengl_record(draw, &[])]);
    bytes[4 + 16..4 + 24].fill(0xFF);
    assert_eq!(read(&bytes).expect("a cache").programs.len(), 0);
}

#[test]
fn attributes_hold_numbers_of_their_format() {
    let vector = [1.5, -2.25, f32::from_bits(0x3F80_80FF), f32::NAN];
    let shaped = |number, size| Format { number, size }.shape(vector);
    assert_eq!(shaped(Number::Float, 3)[..3], vector[..3]);
    assert_eq!(shaped(Number::Float, 3)[3], 1.0);
    assert_eq!(shaped(Number::U8, 4), [0.0, 0.0, 255.0, 0.0]);
    assert_eq!(shaped(Number::S8, 4), [0.0, 0.0, -1.0, 0.0]);
    assert_eq!(shaped(Number::S16, 4), [0.0, 0.0, f32::from(0x80FF_u16 as i16), 0.0]);
    assert_eq!(shaped(Number::S16, 1), [0.0, 0.0, 0.0, 1.0]);
}
