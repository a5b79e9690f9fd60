//! Worst-case programs: many control states, deep nesting, long live ranges, much code for each
//! word.
//! Each is a function from an address to its word, so that it exists in every size.

use transpica::Shbin;
use transpica::container::{DescriptorRecord, Model, write};

/// Builds a file with one vertex program that starts at 0.
pub fn file(code: Vec<u32>) -> Vec<u8> {
    let mut model = model();
    model.code = code;
    model.descriptors = vec![descriptor(PLAIN)];
    write(&model)
}

pub fn descriptor(bits: u32) -> DescriptorRecord {
    DescriptorRecord { bits, usage: 0, reserved: 0 }
}

/// `textured.shbin`, for its output map.
pub fn model() -> Model {
    Model::from(&Shbin::parse(include_bytes!("../../../shaders/textured.shbin")).expect("valid"))
}

const CALL: u32 = 0x24;
const CALLC: u32 = 0x25;
const IFU: u32 = 0x27;
const IFC: u32 = 0x28;
const LOOP: u32 = 0x29;
const JMPC: u32 = 0x2C;
const JMPU: u32 = 0x2D;
const END: u32 = 0x22 << 26;

/// A word of the control-flow formats: target, count, and condition or uniform.
fn flow(opcode: u32, target: usize, num: usize, detail: usize) -> u32 {
    opcode << 26 | (detail as u32 & 0xF) << 22 | (target as u32 & 0xFFF) << 10 | num as u32 & 0xFF
}

/// An addition to an output or temporary register, so that paths differ in their results.
pub fn plain(n: usize) -> u32 {
    let n = n as u32;
    let dest = if n.is_multiple_of(5) { n % 16 } else { 0x10 + n % 16 };
    dest << 21 | (n * 7 % 0x20) << 12 | (0x10 + n * 3 % 16) << 7
}

/// The descriptor of all instructions: `xyzw`, no negation.
pub const PLAIN: u32 = 0xF | 0x1B << 5 | 0x1B << 14 | 0x1B << 23;

/// A hash of a number.
fn scramble(n: usize) -> usize {
    n.wrapping_mul(2_654_435_761) >> 7
}

/// The word at address `n` of a program of `words` words.
pub type Pattern = fn(n: usize, words: usize) -> u32;

/// Many control states, deep nesting, long live ranges.
pub const PATTERNS: &[(&str, Pattern)] = &[
    ("jumps everywhere", |n, words| flow(JMPC, scramble(n) % words, 0, n)),
    ("uniform jumps everywhere", |n, words| flow(JMPU, scramble(n) % words, scramble(n) & 1, n)),
    ("jumps to the mirror image", |n, words| flow(JMPC, words - 1 - n, 0, n)),
    ("jumps to itself", |n, _| flow(JMPC, n, 0, 0)),
    ("forward jumps", |n, words| flow(JMPC, n + 2 + scramble(n) % (words - n), 0, n)),
    ("forward jumps to the end", |n, words| flow(JMPC, words - 1, 0, n)),
    ("forward jumps by two", |n, _| flow(JMPC, n + 2, 0, n)),
    ("backward jumps", |n, _| flow(JMPC, n / 2, 0, n)),
    ("backward jumps to the start", |n, _| flow(JMPC, 0, 0, n)),
    ("nested ranges", |n, words| flow(IFU, (words - 1 - n).max(n + 1), 0, n)),
    ("nested ranges with else", |n, words| flow(IFC, n + (words - n) / 2, 255, n)),
    ("overlapping ranges", |n, _| flow(IFC, n + 1 + scramble(n) % 40, scramble(n * 3) % 40, n)),
    ("ranges of one length", |n, _| flow(IFC, n + 20, 20, n)),
    ("loops around the rest", |n, words| flow(LOOP, words - 2, 0, n & 3)),
    ("loops that overlap", |n, _| flow(LOOP, n + 1 + scramble(n) % 60, 0, n & 3)),
    ("nested loops", |n, words| flow(LOOP, (words - 1 - n).max(n + 1), 0, n & 3)),
    ("call bomb", |n, _| flow(CALL, n + 1, 255, 0)),
    ("call bomb in steps", |n, _| flow(CALL, n + 2, 2, 0)),
    ("calls everywhere", |n, words| flow(CALL, scramble(n) % words, scramble(n * 5) % 256, 0)),
    ("conditional calls", |n, _| flow(CALLC, n + 1, 255, n)),
    ("conditional calls everywhere", |n, words| flow(CALLC, scramble(n) % words, 3, n)),
    ("calls of the start", |n, _| flow(CALLC, 0, 1 + n % 8, n)),
    ("everything", |n, words| {
        let opcode = CALL + (scramble(n * 11) % 10) as u32;
        flow(opcode, scramble(n) % words, scramble(n * 5) % 256, scramble(n * 13))
    }),
];

/// Towers of nested constructs beside each other, at the depth limit of structured programs and
/// somewhat deeper.
pub const TOWERS: &[(&str, Pattern)] = &[
    ("towers of 20 loops made of jumps", |n, words| tower(n, words, 20, true)),
    ("towers of 45 loops made of jumps", |n, words| tower(n, words, 45, true)),
    ("towers of 90 loops made of jumps", |n, words| tower(n, words, 90, true)),
    ("towers of 12 skips", |n, words| tower(n, words, 12, false)),
    ("towers of 45 skips", |n, words| tower(n, words, 45, false)),
    ("towers of 95 skips", |n, words| tower(n, words, 95, false)),
    ("towers of loops", |n, words| {
        let (base, at) = (n / 16 * 16, n % 16);
        if at < 4 { flow(LOOP, (base + 14 - at).min(words - 2), 0, at) } else { plain(n) }
    }),
    ("loops with jumps into them", |n, words| match n % 8 {
        0 => flow(LOOP, (n + 6).min(words - 2), 0, n & 3),
        4 => flow(JMPC, scramble(n) % words, 0, n),
        _ => plain(n),
    }),
    ("jumps within 8", |n, words| flow(JMPC, near(n, words, 8), 0, n)),
    ("jumps within 30", |n, words| flow(JMPC, near(n, words, 30), 0, n)),
    ("jumps within 100", |n, words| flow(JMPC, near(n, words, 100), 0, n)),
    ("skips within 8", |n, words| flow(JMPC, (n + 2 + scramble(n) % 8).min(words - 1), 0, n)),
    ("skips within 30", |n, words| flow(JMPC, (n + 2 + scramble(n) % 30).min(words - 1), 0, n)),
    ("skips within 200", |n, words| flow(JMPC, (n + 2 + scramble(n) % 200).min(words - 1), 0, n)),
    ("procedures of 1000 calls, four deep", calls_of_calls),
    ("procedures called as often as there may be nodes", |n, words| {
        // A tenth calls procedures of 242 words, one after the other.
        let main = words / 64;
        match n {
            n if n < main => flow(CALL, main + n % ((words - main) / 242).max(1) * 242, 242, 0),
            n if n == main => END,
            n => STRAIGHT[STRAIGHT.len() - 1].1(n, words),
        }
    }),
    ("procedures with skips called as often as there may be nodes", |n, words| {
        let main = words / 64;
        match n {
            n if n < main => flow(CALL, main + n % ((words - main) / 242).max(1) * 242, 242, 0),
            n if n == main => END,
            n if n % 3 == 0 => flow(JMPC, (n + 2 + scramble(n) % 4).min(words - 1), 0, n),
            n => STRAIGHT[STRAIGHT.len() - 1].1(n, words),
        }
    }),
    ("loops left for two places", |n, words| two_exits(n, 0, words)),
    ("loops left for two places, called four times", |n, words| called(n, words, two_exits)),
    ("jumps within 30 called four times", |n, words| {
        called(n, words, |n, first, end| match n % 2 {
            0 => compare(n),
            _ => flow(JMPC, near(n, end, 30).max(first), 0, n),
        })
    }),
    ("towers of loops that change everything, called four times", |n, words| {
        called(n, words, |n, first, end| loops_around_all(n - first, first, end, 60))
    }),
    ("towers of loops that change everything", |n, words| loops_around_all(n, 0, words - 1, 60)),
    ("loops around everything", |n, words| loops_around_all(n, 0, words - 1, 24)),
    ("skips called four times", |n, words| called(n, words, |n, _, end| skips(n, 0, end))),
    ("skips in a loop called four times", |n, words| called(n, words, skips)),
    ("ranges that look nested", |n, words| {
        // A thousand scopes that start, then as many words in which they end.
        let (base, at) = (n / 500 * 500, n % 500);
        if at < 250 { flow(IFC, (base + 499 - at).min(words - 1), 0, n) } else { plain(n) }
    }),
    ("ranges with else that look nested", |n, words| {
        let (base, at) = (n / 500 * 500, n % 500);
        if at < 250 { flow(IFC, (base + 499 - at).min(words - 1), at.min(255), n) } else { plain(n) }
    }),
];

/// A tower of `levels` nested loops or skips; each level has a word of its own.
fn tower(n: usize, words: usize, levels: usize, loops: bool) -> u32 {
    let (base, at) = (n / (2 * levels) * 2 * levels, n % (2 * levels));
    let other = (base + 2 * levels - 1 - at).min(words - 1);
    if (at >= levels) == loops { flow(JMPC, other, 0, n) } else { plain(n) }
}

/// An address at most `distance` away.
fn near(n: usize, words: usize, distance: usize) -> usize {
    (n + scramble(n) % (2 * distance)).saturating_sub(distance).min(words - 1)
}

/// One loop around many; each inner loop has two exits, and the outer one may exit after each.
fn two_exits(n: usize, first: usize, end: usize) -> u32 {
    let at = (n - first) % 9;
    let base = n - at;
    match at {
        1 => flow(JMPC, (base + 6).min(end), 0, n),
        3 => flow(JMPC, (base + 9).min(end), 0, n / 2),
        5 => flow(JMPC, base, 0, n / 3),
        8 if n + 10 > end => flow(JMPC, first, 0, n),
        8 => flow(JMPC, end, 0, n / 5),
        6 => plain(n),
        _ => compare(n),
    }
}

/// Crossing forward jumps, some of them to the end; inside a loop, unless that would start at 0.
fn skips(n: usize, first: usize, end: usize) -> u32 {
    match n % 3 {
        0 if first != 0 && n + 4 > end => flow(JMPC, first, 0, n),
        0 if first != 0 && n.is_multiple_of(8) => flow(JMPC, end, 0, n),
        0 => flow(JMPC, (n + 2 + scramble(n) % 30).min(end), 0, n),
        1 => compare(n),
        _ => plain(n),
    }
}

/// Towers of loops around code that changes every register.
fn loops_around_all(at: usize, first: usize, end: usize, levels: usize) -> u32 {
    let size = 32 + levels + levels / 2;
    let (base, at) = (first + at / size * size, at % size);
    match at {
        0..32 => MAD << 26 | (at as u32) << 24 | source(at, 1) << 10 | (0x10 + at as u32 % 16) << 5,
        // One comparison for two jumps, which test x and y.
        _ if (at - 32) % 3 == 0 => compare(at),
        _ => flow(JMPC, (base + 31 - 31 * (at - 32) / (size - 32)).min(end), 0, 2 + (at - 32) % 3 % 2),
    }
}

/// A procedure of nearly all words called four times. A CALL range is shorter than that, so the
/// procedure is entered near its end.
fn called(n: usize, words: usize, body: fn(n: usize, first: usize, end: usize) -> u32) -> u32 {
    let end = words - 5;
    match n {
        0..4 => flow(CALL, words - 4, 2, 0),
        4 => END,
        n if n == end => flow(JMPU, words - 3, 0, 15),
        n if n == words - 4 => flow(JMPU, 5, 0, 15),
        n if n > end => plain(n),
        n => body(n, 5, end),
    }
}

/// Four levels of a procedure that calls the next one a thousand times. A range has at most 255
/// words, so a procedure is entered near its end and jumps to its start.
fn calls_of_calls(n: usize, words: usize) -> u32 {
    let size = words / 4;
    let (level, at) = (n / size, n % size);
    let callee = ((level + 1) % 4) * size + size - 2;
    match at {
        at if at == size - 2 => flow(JMPU, level * size, 0, 0),
        at if at == size - 1 => plain(n),
        at if at == size - 3 => flow(JMPU, level * size + size - 1, 1, 0),
        _ if level == 3 => plain(n),
        _ => flow(CALL, callee, 2, 0),
    }
}

/// Code without control flow.
pub const STRAIGHT: &[(&str, Pattern)] = &[
    ("sums that depend on each other", |n, _| chained(n, ADD)),
    ("products that depend on each other", |n, _| chained(n, MUL)),
    ("distances that depend on each other", |n, _| chained(n, DPH)),
    ("roots that depend on each other", |n, _| chained(n, [RSQ, EX2, RCP, LG2][n % 4])),
    ("lighting that depends on each other", |n, _| chained(n, [LIT, ADD][n % 2])),
    ("sums that depend on each other, relative", |n, _| match n % 3 {
        0 => MOVA << 26 | 0x10 << 12,
        _ => arithmetic(ADD, 0x10, 0x20 + n % 96, n % 3),
    }),
    ("multiply-adds", |n, _| multiply_add(n, 0)),
    ("relative reads by one address", |n, _| multiply_add(n, 3)),
    ("relative reads by many addresses", |n, _| {
        if n.is_multiple_of(2) { MOVA << 26 | source(n, 0) << 12 } else { multiply_add(n, 1 + n / 2 % 3) }
    }),
    ("relative sums by many addresses", |n, _| match n % 3 {
        0 => MOVA << 26 | source(n, 0) << 12,
        _ => arithmetic(ADD, 0x10 + n % 16, 0x20 + scramble(n) % 96, 1 + n % 3),
    }),
    ("comparisons", |n, _| compare(n)),
    ("all kinds of arithmetic", |n, _| {
        let opcode = [ADD, DP3, DP4, DPH, DST, EX2, LG2, LIT, MUL, SGE, SLT, FLR, MAX, MIN, RCP, RSQ]
            [scramble(n) % 16];
        arithmetic(opcode, scramble(n * 3) % 32, scramble(n * 5) % 128, scramble(n * 7) % 4)
    }),
];

const ADD: u32 = 0x00;
const DP3: u32 = 0x01;
const DP4: u32 = 0x02;
const DPH: u32 = 0x03;
const DST: u32 = 0x04;
const EX2: u32 = 0x05;
const LG2: u32 = 0x06;
const LIT: u32 = 0x07;
const MUL: u32 = 0x08;
const SGE: u32 = 0x09;
const SLT: u32 = 0x0A;
const FLR: u32 = 0x0B;
const MAX: u32 = 0x0C;
const MIN: u32 = 0x0D;
const RCP: u32 = 0x0E;
const RSQ: u32 = 0x0F;
const MOVA: u32 = 0x12;
const MOV: u32 = 0x13;
const CMP: u32 = 0x2E;
const MAD: u32 = 0x38;

/// r0 = r0 op v0, starting with v0.
fn chained(n: usize, opcode: u32) -> u32 {
    if n == 0 { MOV << 26 | 0x10 << 21 } else { arithmetic(opcode, 0x10, 0x10, 0) }
}

/// An instruction with a first source that may be relative; the second is an input, so that its
/// value is unknown.
fn arithmetic(opcode: u32, dest: usize, first: usize, relative: usize) -> u32 {
    let second = dest as u32 % 16;
    opcode << 26 | (dest as u32) << 21 | (relative as u32) << 19 | (first as u32) << 12 | second << 7
}

/// Sets both flags to unknown values.
pub fn compare(n: usize) -> u32 {
    let (x, y) = (n as u32 % 6, n as u32 / 6 % 6);
    CMP << 26 | x << 24 | y << 21 | source(n, 1) << 12 | (0x10 + n as u32 % 16) << 7
}

/// A float uniform.
fn source(n: usize, step: usize) -> u32 {
    0x20 + ((n + scramble(n) * step) % 96) as u32
}

/// r = r * c + r, with registers that depend on the address.
fn multiply_add(n: usize, relative: usize) -> u32 {
    let temp = |n: usize| 0x10 + n as u32 % 16;
    MAD << 26
        | temp(n) << 24
        | (relative as u32) << 22
        | temp(n * 3) << 17
        | source(n, 1) << 10
        | temp(n * 5 + 1) << 5
}

/// Builds a program of a pattern, with `between` words of `other` after each of the pattern. After
/// the pattern's last word it writes all outputs, so that no computation is dead.
pub fn program(pattern: Pattern, words: usize, between: usize, other: Pattern) -> Vec<u8> {
    let last = words - 16;
    let word = |n: usize| if n.is_multiple_of(between + 1) { pattern(n, last) } else { other(n, last) };
    let write = |n: usize| MOV << 26 | (n as u32) << 21 | (0x10 + n as u32) << 12;
    file((0..last - 1).map(word).chain((0..16).map(write)).chain([END]).collect())
}

/// Builds programs of all patterns, with `between` words of arithmetic after each of control flow.
pub fn hostile(words: usize, between: usize) -> Vec<(String, Vec<u8>)> {
    let program = |&(name, pattern): &(&str, Pattern)| {
        let bytes = program(pattern, words, between, |n, _| plain(n));
        (format!("{name}, {words} words, {between} between"), bytes)
    };
    PATTERNS.iter().map(program).collect()
}
