//! Programs that no assembler produces: scopes that overlap or end together, jumps into and out of
//! them, stacks that overflow, code without END. All words are defined, so every run is, but not
//! every run ends.
//! In: random choices. Out: code. Knows no values.

use transpica::isa::word::{Field, Word};
use transpica::isa::{Move, Opcode};

use super::Random;
use super::clean;
use super::data::DataMaker;

/// Opcodes with a target, with their weights.
const TARGETED: &[(u32, Opcode)] = &[
    (4, Opcode::Ifc),
    (3, Opcode::Ifu),
    (4, Opcode::Loop),
    (2, Opcode::Call),
    (2, Opcode::Callc),
    (2, Opcode::Callu),
    (4, Opcode::Jmpc),
    (3, Opcode::Jmpu),
];

/// Builds a program of about `size` words and returns its code and entry point.
pub(crate) fn code(random: &mut Random, data: &DataMaker, size: u32) -> (Vec<u32>, u16) {
    let (mut code, mut entry) = match random.below(7) {
        0..2 => (scattered(random, data, size), 0),
        2..4 => (nested(random, data, size), 0),
        4 => (chained(random, data, size), 0),
        _ => bent(random, data, size),
    };
    if random.chance(10) {
        entry = random.below(code.len() as u32) as u16; // Range: programs are far shorter.
    }
    if random.chance(70) {
        code.push(Word::new(Opcode::End).0);
    }
    // Fields that hardware is believed to ignore.
    for word in &mut code {
        if random.chance(2) {
            *word |= ignored_bits(Word(*word)) & random.bits();
        }
    }
    (code, entry)
}

/// Bits of a word without semantics.
fn ignored_bits(word: Word) -> u32 {
    let Some(opcode) = word.opcode() else { return 0 };
    // In opcodes with several codes, the bits in which the codes differ belong to fields.
    let info = opcode.info();
    let below_opcode = 0x03FF_FFFF | u32::from(info.first ^ info.last) << 26;
    // Two of the ten bits of a length are ignored as well.
    let length = opcode.format().bits(Field::Num).map_or(0, |_| 0x300);
    below_opcode & !opcode.format().mask() | length
}

/// An address near another one, or anywhere, or one used before: coinciding ends are the
/// interesting ones.
fn address(random: &mut Random, near: u32, size: u32, used: &mut Vec<u32>) -> u32 {
    let target = match random.below(10) {
        0..5 => near + random.between(0, 8),
        5..6 => near.saturating_sub(random.between(0, 8)),
        6..9 if !used.is_empty() => random.pick(used),
        _ => random.below(size + 4),
    };
    used.push(target);
    target
}

/// A control-flow instruction with some target.
fn control_flow(random: &mut Random, near: u32, size: u32, used: &mut Vec<u32>) -> Word {
    let length = match random.below(8) {
        0..6 => random.below(6),
        6 => size.saturating_sub(near),
        _ => random.below(256),
    };
    let opcode = random.weighted(TARGETED);
    test(random, opcode).with(Field::Target, address(random, near, size, used)).with(Field::Num, length)
}

/// A word with a random condition or uniform.
fn test(random: &mut Random, opcode: Opcode) -> Word {
    // Fields that the format lacks are ignored.
    Word::new(opcode)
        .with(Field::Id, random.below(16))
        .with(Field::ConditionOp, random.below(4))
        .with(Field::RefX, random.below(2))
        .with(Field::RefY, random.below(2))
}

/// A word without a target.
fn plain(random: &mut Random, data: &DataMaker) -> Word {
    match random.below(24) {
        0..15 => data.write(random),
        15..18 => data.compare(random),
        18 => data.address(random),
        19 => Word::new(Opcode::Break),
        20..22 => test(random, Opcode::Breakc),
        22 => Word::new(random.pick(&[Opcode::Nop, Opcode::Emit, Opcode::Setemit])),
        _ => Word::new(if random.chance(30) { Opcode::End } else { Opcode::Nop }),
    }
}

/// Control-flow instructions anywhere.
fn scattered(random: &mut Random, data: &DataMaker, size: u32) -> Vec<u32> {
    let percent = random.pick(&[15, 30, 50]);
    let mut used = Vec::new();
    (0..size)
        .map(|here| {
            let word = if random.chance(percent) {
                control_flow(random, here, size, &mut used)
            } else {
                plain(random, data)
            };
            word.0
        })
        .collect()
}

/// Nested scopes, deeper than the stacks, whose ends are close together.
fn nested(random: &mut Random, data: &DataMaker, size: u32) -> Vec<u32> {
    // Nine overflow the stack of IF, five the others.
    let deepest = random.weighted(&[(1, 6), (2, 12)]).min(size / 2).max(3);
    let depth = random.between(deepest.min(9) / 2 + 2, deepest);
    let kinds = random.pick(&[
        &[Opcode::Loop][..],
        &[Opcode::Ifc],
        &[Opcode::Ifu],
        &[Opcode::Call, Opcode::Callc, Opcode::Callu],
        &[Opcode::Loop, Opcode::Ifc, Opcode::Ifu, Opcode::Call],
    ]);
    let apart = random.weighted(&[(1, 0), (1, 1), (3, 2), (2, 3)]);
    // Mostly the same test for each kind: either all of the scopes are entered or none.
    let tests: Vec<Word> = kinds.iter().map(|&opcode| test(random, opcode)).collect();
    // Half of the programs reach the ends in order without obstacles, so that a lost stack entry
    // shows.
    let odd = random.pick(&[0, 20]);
    let gaps: Vec<bool> = (0..depth).map(|_| random.chance(odd)).collect();
    let heads = depth + gaps.iter().filter(|&&gap| gap).count() as u32;
    let mut code = Vec::new();
    for (level, gap) in (0..depth).zip(gaps) {
        // The scope of this level ends about `apart` words after the scope of the next one.
        let end = heads + 1 + (depth - level) * apart;
        let end = if random.chance(odd) { end + random.between(1, 2) } else { end };
        let usual = random.pick(&tests);
        let opcode = usual.opcode().unwrap_or(Opcode::Nop);
        let word = if random.chance(odd / 3) { test(random, opcode) } else { usual };
        let word = if opcode.moves() == Some(Move::Call) {
            let skip = if random.chance(odd) { random.between(1, 2) } else { 0 };
            let target = code.len() as u32 + 1 + skip;
            word.with(Field::Target, target).with(Field::Num, end.saturating_sub(target))
        } else {
            // Short enough that the word before the next end is executed.
            let length = if random.chance(odd) { random.below(4) } else { random.below(apart) };
            word.with(Field::Target, end).with(Field::Num, length)
        };
        code.push(word.0);
        if gap {
            code.push(plain(random, data).0);
        }
    }
    // The program must contain the end of the outermost scope, even if it exceeds its nominal size.
    fill(random, data, size.max(heads + 2 + depth * apart), code)
}

/// Calls as the last word of their callers, so that many return at once.
fn chained(random: &mut Random, data: &DataMaker, size: u32) -> Vec<u32> {
    let mut code = Vec::new();
    for _ in 0..random.between(2, 7) {
        let before = random.weighted(&[(5, 0), (2, 1), (1, 2)]);
        let call = random.weighted(&[(8, Opcode::Call), (1, Opcode::Callc), (1, Opcode::Callu)]);
        let target = code.len() as u32 + 1;
        let length = random.weighted(&[(8, 1 + before), (1, before), (1, 2 + before)]);
        code.push(test(random, call).with(Field::Target, target).with(Field::Num, length).0);
        code.extend((0..before).map(|_| data.write(random).0));
    }
    code.push(data.write(random).0);
    fill(random, data, size, code)
}

/// Appends words until a program has its size.
fn fill(random: &mut Random, data: &DataMaker, size: u32, mut code: Vec<u32>) -> Vec<u32> {
    let percent = random.pick(&[0, 12]);
    let mut used = Vec::new();
    while (code.len() as u32) < size {
        let here = code.len() as u32;
        let is_control = random.chance(percent);
        let word = if is_control { control_flow(random, here, size, &mut used) } else { plain(random, data) };
        code.push(word.0);
    }
    code
}

/// A clean program with a few mutated words: targets and lengths off by a little, padding replaced,
/// loops left early.
fn bent(random: &mut Random, data: &DataMaker, size: u32) -> (Vec<u32>, u16) {
    let (mut code, entry) = clean::code(random, data, size);
    let length = code.len() as u32;
    let mut used: Vec<u32> = code.iter().filter_map(|&word| Word(word).get(Field::Target)).collect();
    for _ in 0..random.between(1, 6) {
        let at = random.below(length);
        let place = &mut code[at as usize];
        let word = Word(*place);
        let bent = match (word.get(Field::Target), random.below(5)) {
            (Some(target), 0 | 4) => word.with(Field::Target, (target + random.below(3)).saturating_sub(1)),
            (Some(_), 1) => word.with(Field::Target, address(random, at, length, &mut used)),
            (Some(_), 2) => word.with(Field::Num, random.below(8)),
            (None, 0..=2) if word.opcode() == Some(Opcode::Nop) => plain(random, data),
            (_, 3) => plain(random, data),
            (Some(_) | None, _) => control_flow(random, at, length, &mut used),
        };
        *place = bent.0;
    }
    (code, entry)
}
