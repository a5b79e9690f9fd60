//! Straight code that passes values through every opcode, for runs with special values.
//! In: random choices. Out: code without branches, except around single instructions, whose results
//! end in output registers.

use transpica::isa::Opcode;
use transpica::isa::table::Class;
use transpica::isa::word::{Field, Word};

use super::Random;
use super::data::DataMaker;

/// Builds about `size` words.
pub(crate) fn code(random: &mut Random, data: &DataMaker, size: u32) -> Vec<u32> {
    let first = random.below(data.writers.len() as u32) as usize;
    let mut words = Vec::new();
    for number in 0..size as usize {
        // All opcodes in turn, so that every program of usual size has nearly all of them.
        let opcode = data.writers[(first + number) % data.writers.len()];
        let word = data.write_with(random, opcode);
        words.push(fresh(random, word, opcode).0);
        if random.chance(12) {
            words.push(data.compare(random).0);
            // Make cmp visible in an output: mov oN, v0 only if the condition holds.
            let target = words.len() as u32 + 2;
            let skip =
                Word::new(Opcode::Jmpc).with(Field::ConditionOp, random.below(4)).with(Field::Target, target);
            words.push(skip.with(Field::RefX, random.below(2)).with(Field::RefY, random.below(2)).0);
            words.push(data.copy(random.below(16), random.below(16)).0);
        }
        if random.chance(8) {
            words.push(data.address(random).0);
        }
    }
    // Make the final temporaries visible.
    words.extend((8..16).map(|number| data.copy(number, 0x10 + number - 8).0));
    words.push(Word::new(Opcode::End).0);
    words
}

/// Adds to straight code, before its END, roots and logarithms of numbers of any sign, and products
/// of them with something else that is made of the same numbers: their NaN has one cause, and zero
/// and infinity meet.
pub(crate) fn entangle(random: &mut Random, data: &DataMaker, code: &mut Vec<u32>) {
    let end = code.pop();
    for output in 0..8 {
        let [origin, first, second, dest] = [0, 16, 16, 16].map(|bank| bank + random.below(16));
        let root = random.pick(&[Opcode::Rsq, Opcode::Rsq, Opcode::Lg2, Opcode::Rcp]);
        let other = random.pick(&[Opcode::Mul, Opcode::Add, Opcode::Max, Opcode::Dp3]);
        let last = random.pick(&[Opcode::Mul, Opcode::Mul, Opcode::Add, Opcode::Dp4]);
        let made =
            |random: &mut Random, opcode, dest| data.write_with(random, opcode).with(Field::Dest, dest);
        let words = [
            made(random, root, first).with(Field::Source1, origin),
            made(random, other, second).with(Field::Source2, origin),
            made(random, last, dest).with(Field::Source1, first).with(Field::Source2, second),
            data.copy(output, dest),
        ];
        code.extend(words.map(|word| word.0));
    }
    code.extend(end);
}

/// Replaces most r sources by v: earlier results soon are all NaN.
fn fresh(random: &mut Random, word: Word, opcode: Opcode) -> Word {
    debug_assert!(matches!(opcode.info().class, Class::Data(_)));
    [Field::Source1, Field::Source2, Field::Source3].into_iter().fold(word, |word, source| {
        match word.get(source) {
            Some(0x10..0x20) if random.chance(80) => word.with(source, random.below(16)),
            Some(_) | None => word,
        }
    })
}
