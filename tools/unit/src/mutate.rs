//! Mutation: shaders with one slip each, to see whether some case notices.
//! In: a shader. Out: [`Mutant`]s, in the order of the code. Each changes one field of one word, or
//! one part of the operand descriptor of one word, which then is a new one.

use transpica::container::{DescriptorRecord, Model};
use transpica::isa::opdesc::{Descriptor, Selector};
use transpica::isa::table::Role;
use transpica::isa::word::{Bits, Field, Word};
use transpica::isa::{CompareOp, Component, Mask, Opcode, Pc, Swizzle};
use transpica::{Error, Shbin};

use crate::file::TestFile;

/// Opcodes that take each other's place.
const SWAPS: [(Opcode, Opcode); 8] = [
    (Opcode::Add, Opcode::Mul),
    (Opcode::Dp3, Opcode::Dp4),
    (Opcode::Max, Opcode::Min),
    (Opcode::Sge, Opcode::Slt),
    (Opcode::Sgei, Opcode::Slti),
    (Opcode::Flr, Opcode::Mov),
    (Opcode::Rcp, Opcode::Rsq),
    (Opcode::Ex2, Opcode::Lg2),
];

/// A slip in a word of a shader.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// The word's address.
    pub pc: Pc,
    /// File and line of the word.
    pub place: String,
    /// The change.
    pub what: String,
    /// The changed word, and an operand descriptor that the shader lacks.
    word: u32,
    descriptor: Option<u32>,
}

impl TestFile {
    /// Returns the mutants of its shader.
    ///
    /// # Errors
    /// The shader's container cannot be read.
    pub fn mutants(&self) -> Result<Vec<Mutant>, Error> {
        let model = Model::from(&Shbin::parse(&self.shader.bytes)?);
        let (mut all, listing) = (Vec::new(), self.shader.listing(None));
        for (address, &word) in (0..=u16::MAX).zip(&model.code) {
            let (pc, word) = (Pc(address), Word(word));
            let mut add = |what: String, change: Change| {
                if let Some((word, descriptor)) = change.apply(&model.descriptors, word) {
                    let (place, word) = (self.shader.word_place(pc), word.0);
                    all.push(Mutant { pc, place, what, word, descriptor });
                }
            };
            let Some(opcode) = word.opcode() else { continue };
            let name = |register: String| {
                let named = listing.as_ref().and_then(|listing| listing.name(pc, &register));
                named.unwrap_or(register)
            };
            fields(word, opcode, &name, &mut add);
            let number = word.get(Field::Descriptor).map(|number| number as usize);
            if let Some(record) = number.and_then(|number| model.descriptors.get(number)) {
                selectors(Descriptor::unpack(record.bits), opcode, &mut add);
            }
        }
        Ok(all)
    }

    /// Returns whether some case fails with a mutant. `steps` is the most that a run of the shader
    /// takes: a mutant that takes much longer fails.
    pub fn kills(&self, mutant: &Mutant, steps: u64) -> bool {
        let budget = steps.saturating_mul(10).saturating_add(1000);
        let changed = Shbin::parse(&self.shader.bytes).and_then(|file| {
            let mut model = Model::from(&file);
            let record = |bits| DescriptorRecord { bits, usage: u16::MAX, reserved: 0 };
            model.descriptors.extend(mutant.descriptor.map(record));
            model.code.iter_mut().skip(mutant.pc.index()).take(1).for_each(|word| *word = mutant.word);
            self.shader.changed(&model)
        });
        changed.is_ok_and(|shader| self.cases.iter().any(|case| case.fails(&shader, budget)))
    }
}

/// A change of a word.
enum Change {
    Word(Word),
    Descriptor(Descriptor),
}

impl Change {
    /// Returns the changed word, and a descriptor to append, or `None` if that has no room, or the
    /// word stays.
    fn apply(self, descriptors: &[DescriptorRecord], word: Word) -> Option<(Word, Option<u32>)> {
        let (changed, new) = match self {
            Self::Word(word) => (word, None),
            Self::Descriptor(descriptor) => {
                let bits = descriptor.pack();
                let known = descriptors.iter().position(|record| record.bits & (u32::MAX >> 1) == bits);
                let number = known.unwrap_or(descriptors.len());
                // MAD has fewer bits for it than others, and none names more than there are.
                let has_room = number < word.opcode()?.format().descriptors();
                let changed = word.with(Field::Descriptor, u32::try_from(number).ok()?);
                (if has_room { changed } else { word }, known.is_none().then_some(bits))
            }
        };
        (changed != word).then_some((changed, new))
    }
}

/// Name of a register as operands have it.
fn source(number: u32) -> String {
    match number {
        0..16 => format!("v{number}"),
        16..32 => format!("r{}", number - 16),
        _uniform => format!("c{}", number - 32),
    }
}

fn dest(number: u32) -> String {
    if number < 16 { format!("o{number}") } else { format!("r{}", number - 16) }
}

/// Returns the next register of the same bank; the first after the last.
fn next(number: u32, bits: Bits) -> u32 {
    let (first, count) = if number < 32 { (number & 16, 16) } else { (32, (bits.max() - 31).min(96)) };
    first + (number - first + 1) % count
}

/// Name of a register as the source has it.
type Named<'a> = &'a dyn Fn(String) -> String;

/// Changes of the fields of a word.
fn fields(word: Word, opcode: Opcode, named: Named<'_>, add: &mut impl FnMut(String, Change)) {
    let name = |opcode: Opcode| opcode.mnemonic();
    for (_, other) in SWAPS.into_iter().flat_map(|(a, b)| [(a, b), (b, a)]).filter(|(own, _)| *own == opcode)
    {
        let changed = Word(word.0 & !(63 << 26) | u32::from(other.code()) << 26);
        add(format!("{} became {}", name(opcode), name(other)), Change::Word(changed));
    }
    let mut change =
        |field: Field, value: u32, what: String| add(what, Change::Word(word.with(field, value)));
    for (field, value) in word.fields() {
        let operands = opcode.info().operands;
        let Some(bits) =
            opcode.format().bits(field).filter(|_| operands.iter().any(|role| role.reads(field) != 0))
        else {
            continue;
        };
        match field {
            Field::Source1 | Field::Source2 | Field::Source3 | Field::Dest => {
                let name = |number| if field == Field::Dest { dest(number) } else { named(source(number)) };
                let other = next(value, bits);
                change(field, other, format!("{} became {}", name(value), name(other)));
            }
            Field::CompareX | Field::CompareY if value < 6 => {
                // eq and ne, lt and ge, le and gt.
                let other = [1, 0, 5, 4, 3, 2].get(value as usize).copied().unwrap_or(value);
                let [old, new] = [value, other].map(|code| CompareOp::from_field(code).name());
                let letter = if field == Field::CompareX { 'x' } else { 'y' };
                change(field, other, format!("{letter}: {old} became {new}"));
            }
            Field::RefX | Field::RefY => {
                let flag = if field == Field::RefX { "cmp.x" } else { "cmp.y" };
                // 2 tests x alone, 3 y.
                let other = if field == Field::RefX { 3 } else { 2 };
                if word.get(Field::ConditionOp) != Some(other) {
                    change(field, value ^ 1, format!("{flag} was negated"));
                }
            }
            Field::ConditionOp if value < 2 => {
                let (old, new) = if value == 0 { ("||", "&&") } else { ("&&", "||") };
                change(field, value ^ 1, format!("{old} became {new}"));
            }
            Field::Id => {
                let is_int = operands.contains(&Role::Int);
                let (bank, count) = if is_int { ('i', 4) } else { ('b', 16) };
                let other = (value + 1) % count;
                let [old, new] = [value, other].map(|number| named(format!("{bank}{number}")));
                change(field, other, format!("{old} became {new}"));
            }
            _other => {}
        }
    }
}

/// Changes of an operand descriptor.
fn selectors(descriptor: Descriptor, opcode: Opcode, add: &mut impl FnMut(String, Change)) {
    let reads = opcode.info().reads;
    for (number, (selector, _)) in descriptor.sources.into_iter().zip(reads).enumerate() {
        let mut change = |selector, what: String| {
            let mut changed = descriptor;
            if let Some(own) = changed.sources.get_mut(number) {
                *own = selector;
            }
            add(what, Change::Descriptor(changed));
        };
        let [x, y, z, w] = selector.swizzle.components();
        let rotated = Swizzle::new([y, z, w, x]);
        let letters =
            |swizzle: Swizzle| swizzle.components().map(Component::letter).iter().collect::<String>();
        let (old, new) = (letters(selector.swizzle), letters(rotated));
        let source = number + 1;
        let swizzled = Selector { swizzle: rotated, ..selector };
        change(swizzled, format!("source {source}: {old} became {new}"));
        let negated = Selector { negate: !selector.negate, ..selector };
        change(negated, format!("source {source} was negated"));
    }
    let operands = opcode.info().operands;
    let mask = descriptor.mask;
    let has_mask = operands.contains(&Role::Dest) || operands.contains(&Role::AddressDest);
    if let Some(component) = mask.iter().next().filter(|_| has_mask) {
        let dropped = Descriptor { mask: Mask(mask.0 & !(1 << component.index())), ..descriptor };
        add(format!("{} is not written", component.letter()), Change::Descriptor(dropped));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cpu;
    use crate::tests::{BRANCHES, ROUNDS, of_source};

    #[test]
    fn mutants_change_conditions() {
        let text = format!("[[case]]\nname = \"a\"\n{ROUNDS}expect.position = [4, 4, 4, 4]\n");
        let file = of_source(BRANCHES, &text).expect("a file");
        let mutants = file.mutants().expect("mutants");
        let of_line = |line: u32| {
            let is_on = |mutant: &&Mutant| mutant.place == format!("a.v.pica:{line}");
            mutants.iter().filter(is_on).map(|mutant| mutant.what.as_str()).collect::<Vec<_>>()
        };
        assert_eq!(of_line(7), ["rounds became i1"]);
        assert_eq!(of_line(10), ["cmp.x was negated", "cmp.y was negated", "|| became &&"]);
        assert_eq!(of_line(12), ["cmp.x was negated", "cmp.y was negated", "&& became ||"]);
        assert_eq!(of_line(9)[..4], ["x: lt became ge", "y: lt became ge", "k became c1", "r0 became r1"]);
        for (condition, expected) in [("cmp.x", "cmp.x was negated"), ("!cmp.y", "cmp.y was negated")] {
            let file = of_source(&BRANCHES.replace("cmp.x || cmp.y", condition), &text).expect("a file");
            let all = file.mutants().expect("mutants");
            let of_break = all.iter().filter(|mutant| mutant.place == "a.v.pica:10");
            assert_eq!(of_break.map(|mutant| mutant.what.as_str()).collect::<Vec<_>>(), [expected]);
        }
        // Both flags rise at once; a vertex for which one does tells the operators apart.
        let survivors = |file: &TestFile| {
            let steps = file.cases[0].check("", &file.shader, &Cpu).steps;
            let survivors = mutants.iter().filter(|mutant| !file.kills(mutant, steps));
            let of_break = survivors.filter(|mutant| mutant.place == "a.v.pica:10");
            of_break.map(|mutant| mutant.what.clone()).collect::<Vec<_>>()
        };
        assert_eq!(survivors(&file), ["|| became &&"]);
        let row = "rows = [{}, { attributes = { p = [-9, 1, 0, 0] }, expect.position = [-7, 3, 2, 2] }]\n";
        assert!(survivors(&of_source(BRANCHES, &(text + row)).expect("a file")).is_empty());
    }
}
