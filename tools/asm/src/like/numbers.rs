//! Numbers of operand descriptors as in the original.
//! In: the original, the assembled program. Out: the program with the original's descriptors first,
//! if fewer words change so. Knows the short reach of MAD.
//! Facts: the assembler numbers descriptors by their first use, so one new descriptor would change
//! the words of all later ones.

use super::names::aligned;
use crate::dis::descriptor_use;
use transpica::container::{DescriptorRecord, Model};
use transpica::isa::Word;
use transpica::isa::sizes::DESCRIPTORS;
use transpica::isa::word::Field;

/// Renumbers descriptors, or returns `None` if the numbers that the program has are better.
pub(super) fn keep(old: &Model, new: &Model) -> Option<Model> {
    let mut descriptors = old.descriptors.clone();
    let mut code = Vec::with_capacity(new.code.len());
    for (index, &word) in new.code.iter().enumerate() {
        let word = Word(word);
        let Some((number, significant)) = descriptor_use(word, &new.descriptors) else {
            code.push(word.0);
            continue;
        };
        let wanted = new.descriptors.get(number).copied().unwrap_or_default();
        let with = |number: usize| with_descriptor(word, number);
        let agrees = |&number: &usize| {
            let known: Option<&DescriptorRecord> = descriptors.get(number);
            known.is_some_and(|known| (known.bits ^ wanted.bits) & significant == 0) && with(number).is_some()
        };
        let before = aligned(&old.code, new.code.len(), index)
            .filter(|&&before| Word(before).opcode() == word.opcode());
        let before = before.filter_map(|&before| Some(Word(before).get(Field::Descriptor)? as usize));
        let number = before.chain(0..descriptors.len()).find(agrees);
        let number = number.unwrap_or_else(|| {
            descriptors.push(wanted);
            descriptors.len() - 1
        });
        code.push(with(number)?.0);
    }
    let cost = |code: &[u32], descriptors: &[DescriptorRecord]| {
        differing(&old.code, code) + differing(&old.descriptors, descriptors)
    };
    let is_better = cost(&code, &descriptors) < cost(&new.code, &new.descriptors);
    (is_better && descriptors.len() <= DESCRIPTORS).then(|| Model { code, descriptors, ..new.clone() })
}

/// The word with another descriptor, if the field holds the number.
fn with_descriptor(word: Word, number: usize) -> Option<Word> {
    let with = word.with(Field::Descriptor, u32::try_from(number).ok()?);
    (with.get(Field::Descriptor)? as usize == number).then_some(with)
}

/// The number of entries that the original has neither at this distance from the start nor from the
/// end.
fn differing<T: PartialEq>(old: &[T], new: &[T]) -> usize {
    let is_new = |&(index, entry): &(usize, &T)| !aligned(old, new.len(), index).any(|other| other == entry);
    new.iter().enumerate().filter(is_new).count()
}
