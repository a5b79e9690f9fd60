//! Places of names in the string table of the original.
//! In: the original's table and entries, the wanted entries. Out: a place for each name, the new
//! table. Knows no kind of entry.
//! Rules: a name of the original keeps its place, shared or not. A new one takes the place of the
//! name that it replaces, if it fits and no other entry reads that, or follows all others.

use std::collections::{BTreeMap, BTreeSet};

use super::Named;
use transpica::container::{Name, NameOffset, NameTable};

/// A string table under change.
pub(super) struct Names<'a> {
    old: &'a NameTable,
    new: NameTable,
}

impl<'a> Names<'a> {
    pub fn new(old: &'a NameTable) -> Self {
        Self { old, new: old.clone() }
    }
    /// The bytes of the new table.
    pub fn into_bytes(self) -> Vec<u8> {
        self.new.bytes
    }

    /// Places the names of tables: of each, the original's entries and the wanted ones.
    pub fn place<const N: usize>(
        &mut self,
        tables: [(Vec<Named<'_>>, Vec<Named<'_>>); N],
    ) -> [Vec<NameOffset>; N] {
        let known = self.known(tables.iter().flat_map(|(old, _)| old));
        let found = tables.each_ref().map(|(old, wanted)| {
            let find = |(index, (key, name, _)): (usize, &Named<'_>)| {
                let same = |&&(other, text, _): &&Named<'_>| other == *key && text == *name;
                let same = aligned(old, wanted.len(), index).find(same).map(|&(_, _, place)| place);
                same.or_else(|| known.get(name.0).copied())
            };
            wanted.iter().enumerate().map(find).collect::<Vec<_>>()
        });
        let mut read: BTreeSet<u32> = found.iter().flatten().flatten().map(|place| place.0).collect();
        let mut found = found.into_iter();
        tables.map(|(old, wanted)| {
            let found = found.next().unwrap_or_default().into_iter().chain(std::iter::repeat(None));
            let placed = wanted.iter().zip(found).enumerate().map(|(index, ((_, name, _), found))| {
                found.unwrap_or_else(|| self.add(*name, old.get(index), &mut read))
            });
            placed.collect()
        })
    }

    /// The names of the original with their places: first those of entries.
    fn known<'n>(&self, entries: impl Iterator<Item = &'n Named<'n>>) -> BTreeMap<&'n [u8], NameOffset>
    where
        'a: 'n,
    {
        let mut known = BTreeMap::new();
        for &(_, Name(name), place) in entries {
            known.entry(name).or_insert(place);
        }
        let mut start = 0;
        // The bytes after the last zero are not a name.
        for name in self.old.bytes.split_inclusive(|&byte| byte == 0) {
            if let (Some((0, name)), Ok(place)) = (name.split_last(), u32::try_from(start)) {
                known.entry(name).or_insert(NameOffset(place));
            }
            start += name.len();
        }
        known
    }

    /// Writes a new name over the replaced one, or after all others.
    fn add(&mut self, name: Name<'_>, replaced: Option<&Named<'_>>, read: &mut BTreeSet<u32>) -> NameOffset {
        if let Some(&(_, Name(old), place)) = replaced
            && let Some(end) = place.0.checked_add(u32::try_from(old.len()).unwrap_or(u32::MAX))
            && name.0.len() <= old.len()
            && read.range(place.0..=end).next().is_none()
            && let Some(slot) = self.slot(place.0 as usize, end as usize)
        {
            slot.fill(0);
            slot[..name.0.len()].copy_from_slice(name.0);
            read.insert(place.0);
            return place;
        }
        let place = self.new.add(name.0);
        read.insert(place.0);
        place
    }

    /// The bytes of a whole name: no other one ends with it.
    fn slot(&mut self, start: usize, end: usize) -> Option<&mut [u8]> {
        let is_whole = start.checked_sub(1).is_none_or(|before| self.new.bytes.get(before) == Some(&0));
        let slot = self.new.bytes.get_mut(start..=end).filter(|_| is_whole)?;
        let (end, text) = slot.split_last_mut()?;
        (*end == 0).then_some(text)
    }
}

/// The entries of the original that may be an entry of a table with `count` entries: those at the
/// same distance from the start and from the end.
pub(super) fn aligned<T>(old: &[T], count: usize, index: usize) -> impl Iterator<Item = &T> {
    let from_end = (index + old.len()).checked_sub(count);
    [Some(index), from_end].into_iter().flatten().filter_map(|index| old.get(index))
}
