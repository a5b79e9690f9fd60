//! Synthetic layouts: tables in any order, gaps, shared and overlapping bytes, names in any place.

use std::fs;

use super::*;
use crate::dis::{DisassemblerOptions, disassemble};
use crate::{SourceText, assemble};
use transpica::container::{Constant, DescriptorRecord, NameTable, OutputRecord};
use transpica::isa::Word;
use transpica::isa::word::Field;

/// A generator of numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        ((self.0 >> 33) as usize) % count
    }
    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }
}

/// The samples' contents.
fn samples() -> Vec<Model> {
    let mut paths: Vec<_> = ["../../shaders", "../../tests/cases/picasso"]
        .iter()
        .flat_map(|folder| {
            fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path())
        })
        .filter(|path| path.extension().is_some_and(|ending| ending == "shbin"))
        .collect();
    paths.sort();
    let model = |path| Model::from(&Shbin::parse(&fs::read(path).expect("readable")).expect("well formed"));
    paths.iter().map(model).collect()
}

/// Adds what vendor tools write: debug tables, versions, unused descriptors, entries out of order.
fn decorate(model: &mut Model, random: &mut Random) {
    (model.version.major, model.version.minor) = (random.below(3) as u8, random.below(9) as u8);
    model.reserved = if random.one_in(4) { random.below(0x1_0000) as u16 } else { 0 };
    if random.one_in(2) {
        let file = model.names.add(b"a.vsh");
        let line = |line| Line { file, line };
        model.lines = (0..model.code.len() as u32).map(line).collect();
    }
    for _ in 0..random.below(3) {
        let bits = random.below(1 << 31) as u32;
        model.descriptors.push(DescriptorRecord { bits, usage: random.below(16) as u16, reserved: 0 });
    }
    if random.one_in(3) && !model.executables.is_empty() {
        model.executables.push(model.executables[0].clone());
    }
    for executable in &mut model.executables {
        executable.header.version.minor = random.below(99) as u8;
        executable.header.flags = random.below(4) as u8;
        for index in 0..random.below(4) as u32 {
            let name = executable.names.add(["main", "endmain", "light", "main"][index as usize].as_bytes());
            executable.labels.push(Label { id: 0x10000 + index, address: index, length: 0, name });
        }
        if random.one_in(3) {
            executable.symbols.reverse();
        }
        if random.one_in(3) {
            executable.constants.push(Constant { kind: 7, register: 9, words: [1, 2, 3, 4] });
        }
        if random.one_in(4) {
            executable.outputs.push(OutputRecord { kind: 7, register: 3, mask: 15, reserved: 9 });
        }
    }
}

/// Stores names in another order, shared, at the end of longer ones, between names without use.
fn shuffle_names(names: &NameTable, places: Vec<&mut NameOffset>, random: &mut Random) -> NameTable {
    let mut bytes: Vec<u8> = Vec::new();
    let mut places: Vec<_> = places.into_iter().map(|place| (names.get(*place).0.to_vec(), place)).collect();
    for index in (1..places.len()).rev() {
        places.swap(index, random.below(index + 1));
    }
    for (mut name, place) in places {
        if random.one_in(6) {
            bytes.extend(b"unused\0");
        }
        name.push(0);
        let known = bytes.windows(name.len()).position(|window| window == name);
        let start = known.filter(|_| !random.one_in(4)).unwrap_or_else(|| {
            if random.one_in(5) {
                bytes.push(b'_');
            }
            bytes.extend(&name);
            bytes.len() - name.len()
        });
        *place = NameOffset(start as u32);
    }
    NameTable { bytes }
}

/// A file under construction.
struct Builder<'a> {
    bytes: Vec<u8>,
    random: &'a mut Random,
    may_overlap: bool,
}

impl Builder<'_> {
    fn gap(&mut self) {
        match self.random.below(6) {
            0 => self.bytes.resize(self.bytes.len().next_multiple_of(16), 0),
            1 => self.bytes.extend(b"garbage!"),
            2 => self.bytes.extend([0x55; 5]),
            _ => self.bytes.resize(self.bytes.len().next_multiple_of(4), 0),
        }
    }
    /// Places a table and writes its fields.
    fn place(&mut self, base: usize, field: usize, count: usize, table: &[u8]) {
        let known = self.bytes[base..].windows(table.len().max(1)).position(|window| window == table);
        let start = match known.filter(|_| self.may_overlap && self.random.one_in(2)) {
            // With an offset of 0 the header would be short.
            _ if table.is_empty() && field < 0x18 => self.bytes.len(),
            _ if table.is_empty() => [0, self.bytes.len(), 0xFFFF_FFFF][self.random.below(3)].max(base),
            Some(place) => base + place,
            None => {
                self.gap();
                self.bytes.extend(table);
                self.bytes.len() - table.len()
            }
        };
        self.word(base + field, start - base);
        self.word(base + field + 4, count);
    }
    fn word(&mut self, at: usize, value: usize) {
        self.bytes[at..at + 4].copy_from_slice(&(value as u32).to_le_bytes());
    }
}

/// Lays a content out at random. Some tables share bytes if they may.
fn lay_out(model: &Model, random: &mut Random, may_overlap: bool) -> Vec<u8> {
    let mut model = model.clone();
    model.names = shuffle_names(
        &model.names.clone(),
        model.lines.iter_mut().map(|line| &mut line.file).collect(),
        random,
    );
    let count = model.executables.len();
    let mut out = Builder { bytes: b"DVLB".to_vec(), random, may_overlap };
    out.bytes.resize(8 + 4 * count, 0);
    out.word(4, count);
    let package = out.bytes.len();
    out.bytes.extend(b"DVLP");
    model.version.write(&mut out.bytes);
    model.reserved.write(&mut out.bytes);
    let is_short = model.lines.is_empty() && count > 0 && out.random.one_in(3);
    out.bytes.resize(package + if is_short { 0x1C } else { 0x28 }, 0);
    // A task is the header of a program, or one of the tables.
    let mut tasks: Vec<(usize, usize, usize)> = Vec::new();
    for program in 0..count {
        let key = if is_short && program == 0 { 0 } else { 1 + out.random.below(1000) };
        tasks.push((key, program, 0));
        (1..6).for_each(|table| tasks.push((key + 1 + out.random.below(1500), program, table)));
    }
    (0..if is_short { 2 } else { 4 })
        .for_each(|table| tasks.push((1 + out.random.below(1500), count, table)));
    tasks.sort_unstable();
    let mut bases = vec![0; count];
    for (key, program, table) in tasks {
        if program == count {
            match table {
                0 => out.place(package, 0x08, model.code.len(), &bytes(model.code.iter().copied())),
                1 => {
                    let table = bytes(model.descriptors.iter().copied());
                    out.place(package, 0x10, model.descriptors.len(), &table);
                }
                2 => out.place(package, 0x18, model.lines.len(), &bytes(model.lines.iter().copied())),
                _ => out.place(package, 0x20, model.names.bytes.len(), &model.names.bytes),
            }
            continue;
        }
        let executable = &mut model.executables[program];
        if table == 0 {
            if key > 0 {
                out.gap();
            }
            bases[program] = out.bytes.len();
            out.word(8 + 4 * program, bases[program]);
            out.bytes.extend(b"DVLE");
            executable.header.write(&mut out.bytes);
            out.bytes.resize(bases[program] + 0x40, 0);
            let names = executable.names.clone();
            let places = executable.symbols.iter_mut().map(|symbol| &mut symbol.name);
            let places = places.chain(executable.labels.iter_mut().map(|label| &mut label.name)).collect();
            executable.names = shuffle_names(&names, places, out.random);
        }
        let (base, executable) = (bases[program], &*executable);
        // A wrong size does not matter to loaders.
        let names = executable.names.bytes.len().saturating_sub(2 * out.random.below(2));
        match table {
            0 => {}
            1 => out.place(
                base,
                0x18,
                executable.constants.len(),
                &bytes(executable.constants.iter().copied()),
            ),
            2 => out.place(base, 0x20, executable.labels.len(), &bytes(executable.labels.iter().copied())),
            3 => out.place(base, 0x28, executable.outputs.len(), &bytes(executable.outputs.iter().copied())),
            4 => out.place(base, 0x30, executable.symbols.len(), &bytes(executable.symbols.iter().copied())),
            _ => out.place(base, 0x38, names, &executable.names.bytes),
        }
    }
    if out.random.one_in(2) {
        out.bytes.extend(b"behind it");
    }
    out.bytes
}

/// A file with a random layout.
fn file(samples: &[Model], seed: u64, may_overlap: bool) -> Vec<u8> {
    let mut random = Random(seed);
    let mut model = samples[random.below(samples.len())].clone();
    decorate(&mut model, &mut random);
    let mut bytes = lay_out(&model, &mut random, may_overlap);
    if may_overlap && !holds(&bytes, &model) {
        // A table of zeros shared bytes with a header, whose fields were then written.
        bytes = lay_out(&model, &mut random, false);
    }
    assert!(holds(&bytes, &model), "seed {seed}");
    bytes
}

fn assembled(model: &Model) -> Assembled {
    Assembled { model: model.clone(), bytes: write(model), lists_descriptors: true, ..Assembled::default() }
}

#[test]
fn a_thousand_layouts_survive_text() {
    let samples = samples();
    let mut listed = 0;
    for seed in 0..1000 {
        let original = file(&samples, seed, seed % 2 == 0);
        let parsed = Shbin::parse(&original).expect("well formed");
        let text = disassemble(&parsed, &DisassemblerOptions::default()).expect("has a text");
        let again = assemble(&[SourceText { name: "", text: &text }]).expect("valid");
        let kept = keep_layout(&original, &again).expect("well formed");
        assert_eq!((kept.changes.len(), kept.lost.len()), (0, 0), "seed {seed}");
        assert!(kept.bytes == original, "seed {seed}");
        // Without the original the text gives other bytes, and each difference is known.
        let rearranged = rearranged(&original).expect("well formed");
        assert_eq!(rearranged.is_empty(), again.bytes == original, "seed {seed}");
        listed += rearranged.len();
    }
    assert!(listed > 5000, "{listed}");
}

/// Positions of the bytes that differ.
fn differing_bytes(one: &[u8], other: &[u8]) -> Vec<usize> {
    assert_eq!(one.len(), other.len());
    (0..one.len()).filter(|&index| one[index] != other[index]).collect()
}

/// The numbers of pieces with content in the order of their positions.
fn order(bytes: &[u8], but: &[usize]) -> Vec<usize> {
    let pieces = pieces(bytes, &Shbin::parse(bytes).expect("well formed"));
    let mut order: Vec<_> =
        (0..pieces.len()).filter(|&k| pieces[k].length > 0 && !but.contains(&k)).collect();
    order.sort_by_key(|&index| pieces[index].start);
    order
}

#[test]
fn edits_of_entries_change_only_these() {
    let samples = samples();
    let (mut renamed, mut checked) = (0, 0);
    for seed in 0..1000 {
        let original = file(&samples, seed, false);
        let model = Model::from(&Shbin::parse(&original).expect("well formed"));
        let mut edited = model.clone();
        let most = match seed % 3 {
            0 => {
                let Some(word) = edited.code.last_mut() else { continue };
                *word ^= 1;
                1
            }
            1 => {
                let constants = edited.executables.iter_mut().find_map(|one| one.constants.first_mut());
                let Some(constant) = constants else { continue };
                constant.words[2] ^= 0x1234;
                2
            }
            _ => {
                let Some(one) = edited.executables.iter_mut().find(|one| !one.symbols.is_empty()) else {
                    continue;
                };
                let mut name = one.names.get(one.symbols[0].name).0.to_vec();
                name.fill(b'q');
                one.symbols[0].name = one.names.add(&name);
                renamed += 1;
                // A name that others use stays, and the new one follows all.
                name.len() + 1
            }
        };
        let kept = keep_layout(&original, &assembled(&edited)).expect("well formed");
        assert!(kept.lost.is_empty(), "seed {seed}: {:?}", kept.lost);
        assert!(holds(&kept.bytes, &edited), "seed {seed}");
        assert_eq!(order(&kept.bytes, &[]), order(&original, &[]), "seed {seed}");
        if kept.bytes.len() == original.len() {
            let differing = differing_bytes(&original, &kept.bytes);
            checked += usize::from(kept.changes.len() == 1);
            assert!(kept.changes.len() > 1 || differing.len() <= most, "seed {seed}: {differing:?}");
        }
    }
    assert!(renamed > 250 && checked > 700, "{renamed} {checked}");
}

/// Whatever field of an entry an edit changes, the file has it.
#[test]
fn an_edit_of_any_field_is_kept() {
    type Edit = fn(&mut Model) -> Option<()>;
    let edits: [Edit; 11] = [
        |model| model.executables[0].labels.first_mut().map(|label| label.id ^= 1),
        |model| model.executables[0].labels.first_mut().map(|label| label.address ^= 1),
        |model| model.executables[0].labels.first_mut().map(|label| label.length += 1),
        |model| model.executables[0].symbols.last_mut().map(|symbol| symbol.first += 1),
        |model| model.executables[0].symbols.last_mut().map(|symbol| symbol.last += 1),
        |model| model.executables[0].constants.last_mut().map(|constant| constant.register ^= 1),
        |model| model.executables[0].constants.last_mut().map(|constant| constant.words[3] ^= 1),
        |model| model.executables[0].outputs.last_mut().map(|output| output.mask ^= 1),
        |model| model.executables[0].outputs.last_mut().map(|output| output.register ^= 1),
        |model| model.lines.last_mut().map(|line| line.line += 1),
        |model| model.descriptors.last_mut().map(|record| record.bits ^= 1),
    ];
    let (samples, mut kept) = (samples(), [0; 11]);
    for (seed, number) in (0..40).flat_map(|seed| (0..edits.len()).map(move |number| (seed, number))) {
        let original = file(&samples, seed, false);
        let mut model = Model::from(&Shbin::parse(&original).expect("well formed"));
        if model.executables.is_empty() || edits[number](&mut model).is_none() {
            continue;
        }
        let edited = keep_layout(&original, &assembled(&model)).expect("well formed");
        assert!(
            edited.bytes != original && holds(&edited.bytes, &model),
            "{number}, seed {seed}: {:?}",
            edited.lost
        );
        kept[number] += 1;
    }
    assert!(kept.iter().all(|&kept| kept > 5), "{kept:?}");
}

/// Adds or removes an entry; returns the changed table's number among those of its header.
fn resize(model: &mut Model, random: &mut Random) -> Option<()> {
    let count = model.executables.len();
    let one = model.executables.get_mut(random.below(count.max(1)));
    match random.below(8) {
        0 => model.code.insert(0, 0x8400_0000),
        1 => model.descriptors.push(DescriptorRecord { bits: 5, ..DescriptorRecord::default() }),
        2 => drop(one?.constants.pop()?),
        3 => one?.constants.insert(0, Constant { kind: 2, register: 5, words: [1; 4] }),
        4 => {
            let one = one?;
            let name = one.names.add(b"a_new_name_of_some_length");
            one.symbols.insert(one.symbols.len() / 2, Symbol { name, first: 0x11, last: 0x12 });
        }
        5 => {
            let one = one?;
            let name = one.names.add(b"main");
            one.labels.push(Label { id: 9, address: 0, length: 3, name });
        }
        6 => one?.outputs.clear(),
        _ => drop(one?.symbols.pop()),
    }
    Some(())
}

#[test]
fn longer_and_shorter_tables_move_what_follows() {
    let samples = samples();
    let (mut moved, mut overlapping) = (0, 0);
    for seed in 0..2000 {
        let may_overlap = seed % 4 == 0;
        let original = file(&samples, seed, may_overlap);
        let model = Model::from(&Shbin::parse(&original).expect("well formed"));
        let mut edited = model.clone();
        let mut random = Random(!seed);
        for _ in 0..=random.below(3) {
            let _ = resize(&mut edited, &mut random);
        }
        let kept = keep_layout(&original, &assembled(&edited)).expect("well formed");
        assert!(holds(&kept.bytes, &edited), "seed {seed}");
        overlapping += usize::from(!kept.lost.is_empty());
        if may_overlap {
            continue;
        }
        assert!(kept.lost.is_empty(), "seed {seed}: {:?}", kept.lost);
        moved += usize::from(kept.bytes.len() != original.len());
        let changed: Vec<_> = {
            let one = pieces(&original, &Shbin::parse(&original).expect("well formed"));
            let other = pieces(&kept.bytes, &Shbin::parse(&kept.bytes).expect("well formed"));
            (0..one.len()).filter(|&k| (one[k].length == 0) != (other[k].length == 0)).collect()
        };
        assert_eq!(order(&kept.bytes, &changed), order(&original, &changed), "seed {seed}");
        let tail = |bytes: &[u8]| bytes.windows(9).any(|window| window == b"behind it");
        assert!(!tail(&original) || tail(&kept.bytes), "seed {seed}");
    }
    assert!(moved > 1000 && overlapping > 20, "{moved} {overlapping}");
}

#[test]
fn damaged_originals_give_errors_with_an_offset_or_the_content() {
    let samples = samples();
    let (mut errors, mut kept) = (0, 0);
    for seed in 0..400 {
        let mut original = file(&samples, seed, seed % 2 == 0);
        let model = Model::from(&Shbin::parse(&original).expect("well formed"));
        let mut edited = model.clone();
        let mut random = Random(!seed);
        let _ = resize(&mut edited, &mut random);
        let edited = assembled(&edited);
        for _ in 0..40 {
            let length = original.len();
            match random.below(3) {
                0 => original[random.below(length.min(0xC0))] ^= 1 << random.below(8),
                1 => original[random.below(length)] = [0, 1, 0x7F, 0xFF][random.below(4)],
                _ => original.truncate(length - length.min(random.below(8)).min(length - 1)),
            }
            let _ = rearranged(&original);
            match keep_layout(&original, &edited) {
                Ok(file) => {
                    kept += 1;
                    assert!(holds(&file.bytes, &edited.model), "seed {seed}");
                }
                Err(error) => {
                    errors += 1;
                    assert!(matches!(error.at, At::Offset(_)), "{error}");
                    break;
                }
            }
        }
    }
    assert!(errors > 300 && kept > 500, "{errors} {kept}");
}

/// Words with the bits of their descriptors that they read.
fn semantics(model: &Model) -> Vec<(u32, u32)> {
    let word = |&word: &u32| {
        let Some((number, significant)) = crate::dis::descriptor_use(Word(word), &model.descriptors) else {
            return (word, 0);
        };
        let bits = model.descriptors.get(number).map_or(0, |descriptor| descriptor.bits);
        (Word(word).with(Field::Descriptor, 0).0, bits & significant)
    };
    model.code.iter().map(word).collect()
}

#[test]
fn a_new_instruction_leaves_the_descriptors_of_others() {
    let (mut renumbered, mut tested) = (0, 0);
    for (index, mut model) in samples().into_iter().enumerate() {
        model.reserved = 1;
        let original = write(&model);
        let file = Shbin::parse(&original).expect("well formed");
        let text = disassemble(&file, &DisassemblerOptions::default()).expect("has a text");
        let Some((before, after)) = text.split_once("\n\tmov ") else { continue };
        let text = format!("{before}\n\tmad r3.yw, r1.wzyx, -r2.zwxy, r0.yxwz\n\tmov {after}");
        let Ok(edited) = assemble(&[SourceText { name: "", text: &text }]) else { continue };
        let kept = keep_layout(&original, &edited).expect("well formed");
        assert!(kept.lost.is_empty(), "{index}: {:?}", kept.lost);
        let written = Model::from(&Shbin::parse(&kept.bytes).expect("well formed"));
        assert_eq!(semantics(&written), semantics(&edited.model), "{index}");
        tested += 1;
        if written.code != edited.model.code {
            renumbered += 1;
            assert_eq!(written.descriptors[..model.descriptors.len()], model.descriptors, "{index}");
        }
    }
    assert!(tested > 40 && renumbered > 10, "{tested} {renumbered}");
}

/// The changes and losses of an edit of a text.
fn told(original: &[u8], edit: impl Fn(&str) -> String) -> String {
    let file = Shbin::parse(original).expect("well formed");
    let text = disassemble(&file, &DisassemblerOptions::default()).expect("has a text");
    let edited =
        assemble(&[SourceText { name: "", text: &edit(&text) }]).unwrap_or_else(|report| panic!("{report}"));
    let kept = keep_layout(original, &edited).expect("well formed");
    let lines = |list: &[Warning]| list.iter().map(|one| format!("{one}\n")).collect::<String>();
    format!("{}--\n{}", lines(&kept.changes), lines(&kept.lost))
}

#[test]
fn every_change_and_loss_is_told() {
    let original = fs::read("../../shaders/textured.shbin").expect("a sample");
    let check = |edit: &dyn Fn(&str) -> String, expected: expect_test::Expect| {
        expected.assert_eq(&told(&original, edit));
    };
    check(
        &str::to_owned,
        expect_test::expect![[r#"
        --
    "#]],
    );
    // One new descriptor renumbers no other.
    check(
        &|text| text.replace("mov r0.xyz, inpos", "mov r0.xyz, inpos.yxz"),
        expect_test::expect![[r#"
        offset 0x68: descriptors: 2 of 64 bytes differ
        --
    "#]],
    );
    check(
        &|text| text.replace("projection", "projector"),
        expect_test::expect![[r#"
        offset 0x144: names of DVLE 0: 3 of 47 bytes differ
        --
    "#]],
    );
    check(
        &|text| text.replace("texScale", "scaleOfTexture"),
        expect_test::expect![[r#"
            offset 0x114: symbols of DVLE 0: 1 of 48 bytes differ
            offset 0x144: names of DVLE 0: 62 bytes instead of 47
            --
        "#]],
    );
    check(
        &|text| text.replace("\tend\n", "\tnop\n\tend\n"),
        expect_test::expect![[r#"
            offset 0x34: code: 14 entries instead of 13
            offset 0xa8: header of DVLE 0: 1 bytes differ
            --
        "#]],
    );
    check(
        &|text| text.replace("(1.0, ", "(2.0, "),
        expect_test::expect![[r#"
        offset 0xe8: constants of DVLE 0: 1 of 20 bytes differ
        --
    "#]],
    );
    check(
        &|text| format!(".dvle\n{text}.dvle\n.entry main\n.out - position o0"),
        expect_test::expect![[r#"
            --
            offset 0x4: the layout is lost: 2 programs instead of 1
        "#]],
    );
}
