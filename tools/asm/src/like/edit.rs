//! The new bytes of a file: tables are written over, grow, shrink, or move to its end.
//! In: the original with its pieces, the wanted bytes of each table. Out: the file.
//! Knows no entry. A table that shares bytes with another piece is never written over.

use super::pieces::{DVLB, Piece};
use super::{Kept, place};
use transpica::Warning;
use transpica::container::{Model, Record};

/// A replaced range of the original.
struct Edit {
    /// The piece whose new bytes these are.
    piece: usize,
    start: usize,
    /// Length of the range.
    length: usize,
    new: Vec<u8>,
}

/// All edits of a file.
pub(super) struct Edits<'a> {
    original: &'a [u8],
    pieces: &'a [Piece],
    /// Wanted bytes of each piece.
    tables: Vec<Vec<u8>>,
    /// In the order of their ranges, none of which overlap.
    inside: Vec<Edit>,
    /// Pieces whose new bytes follow all others.
    behind: Vec<usize>,
    alignment: usize,
    kept: Kept,
}

impl<'a> Edits<'a> {
    pub fn new(original: &'a [u8], pieces: &'a [Piece], tables: Vec<Vec<u8>>) -> Self {
        // Smallest alignment of all tables, 4 to 16.
        let placed = pieces.iter().skip(2).filter(|piece| piece.length > 0);
        let bits = placed.fold(0, |bits, piece| bits | piece.start);
        let alignment = 1 << bits.trailing_zeros().clamp(2, 4);
        let (inside, behind, kept) = Default::default();
        let mut edits = Self { original, pieces, tables, inside, behind, alignment, kept };
        for (index, piece) in pieces.iter().enumerate() {
            if piece.field.is_some() && edits.table(index) != piece.bytes(original) {
                edits.change(index);
            }
        }
        edits.inside.sort_by_key(|edit| (edit.start, edit.length, edit.piece));
        edits
    }

    /// The wanted bytes of a piece.
    fn table(&self, index: usize) -> &[u8] {
        self.tables.get(index).map_or(&[], Vec::as_slice)
    }

    /// Plans the change of a table.
    fn change(&mut self, index: usize) {
        let piece = self.pieces[index];
        let (start, length) =
            if piece.length > 0 { (piece.start, self.room(&piece)) } else { (self.gap(index), 0) };
        let others = || self.pieces.iter().enumerate().filter(|&(other, _)| other != index);
        // One edit serves all tables that have the same bytes before and after.
        let is_twin = |&(other, twin): &(usize, &Piece)| {
            (twin.start, twin.length) == (piece.start, piece.length) && self.table(other) == self.table(index)
        };
        let mut shared = others().filter(|(_, other)| other.overlaps(&piece));
        if let Some((_, other)) = shared.find(|other| !is_twin(other)) {
            let text =
                format!("{} shares bytes with {}, and moves to the end of the file", piece.what, other.what);
            self.kept.lost.push(Warning { text, at: piece.position() });
            self.behind.push(index);
            return;
        }
        let is_done = piece.length > 0 && others().any(|other| other.0 < index && is_twin(&other));
        self.note(index);
        if is_done {
            return;
        }
        let mut new = self.table(index).to_vec();
        // What follows moves by a multiple of the alignment.
        let surplus = new.len().wrapping_sub(length) % self.alignment;
        new.resize(new.len() + (self.alignment - surplus) % self.alignment, 0);
        self.inside.push(Edit { piece: index, start, length, new });
    }

    /// Notes how a table changes.
    fn note(&mut self, index: usize) {
        let (piece, new) = (&self.pieces[index], self.table(index));
        let old = piece.bytes(self.original);
        let entry = piece.field.map_or(1, |(_, entry)| entry);
        let (unit, what) = (if entry == 1 { "bytes" } else { "entries" }, piece.what);
        let text = if old.len() == new.len() {
            let differ = old.iter().zip(new).filter(|(old, new)| old != new).count();
            format!("{what}: {differ} of {} bytes differ", new.len())
        } else {
            format!("{what}: {} {unit} instead of {}", new.len() / entry, old.len() / entry)
        };
        // An empty table may be anywhere; its field is not.
        let field = piece.field.filter(|_| old.is_empty()).map(|(field, _)| field);
        let at = field.map_or(piece.position(), |field| place(self.pieces[piece.header].start + field));
        self.kept.changes.push(Warning { text, at });
    }

    /// The length of a table with the zero bytes after it that only align what follows.
    fn room(&self, piece: &Piece) -> usize {
        let behind = self.pieces.iter().map(|other| other.start).filter(|&start| start >= piece.end());
        let next = behind.min().unwrap_or(usize::MAX).min(self.original.len());
        let gap = self.original.get(piece.end()..next).unwrap_or(&[]);
        let padding = gap.iter().take(self.alignment - 1).take_while(|&&byte| byte == 0).count();
        piece.length + padding
    }

    /// A place for a table that was empty: its own, or after the one before it, or the end.
    fn gap(&self, index: usize) -> usize {
        let end = self.original.len();
        let header = &self.pieces[self.pieces[index].header];
        let before = index.checked_sub(1).and_then(|before| self.pieces.get(before));
        let mut places = [
            Some(self.pieces[index].start),
            before.map(|before| before.start.saturating_add(self.room(before))),
        ]
        .into_iter()
        .flatten();
        let is_free = |place: &usize| {
            let cut = |piece: &Piece| piece.start < *place && *place < piece.end();
            (header.end()..=end).contains(place) && !self.pieces.iter().any(cut)
        };
        places.find(is_free).unwrap_or(end)
    }

    /// The new position of a piece inside the file.
    fn moved(&self, index: usize) -> usize {
        let piece = &self.pieces[index];
        let own = self.inside.iter().find(|edit| edit.piece == index);
        let start = own.map_or(piece.start, |edit| edit.start);
        let precedes = |edit: &&Edit| {
            let end = edit.start + edit.length;
            // Tables that were empty, at one place, get the order of their fields.
            end < start
                || end == start
                    && edit.piece != index
                    && (edit.length > 0 || piece.length > 0 || edit.piece < index)
        };
        let before = self.inside.iter().filter(precedes);
        before.fold(start, |start, edit| start.saturating_add(edit.new.len()).saturating_sub(edit.length))
    }

    /// Writes the file.
    pub fn apply(mut self, wanted: &Model) -> Kept {
        let mut out = Vec::new();
        let mut done = 0;
        for edit in &self.inside {
            out.extend_from_slice(self.original.get(done..edit.start).unwrap_or(&[]));
            out.extend_from_slice(&edit.new);
            done = edit.start + edit.length;
        }
        out.extend_from_slice(self.original.get(done..).unwrap_or(&[]));
        let mut starts: Vec<usize> = (0..self.pieces.len()).map(|index| self.moved(index)).collect();
        for &index in &self.behind {
            out.resize(out.len().next_multiple_of(self.alignment), 0);
            starts[index] = out.len();
            out.extend_from_slice(self.table(index));
        }
        self.fields(&starts, &mut out);
        self.headers(&starts, wanted, &mut out);
        self.kept.bytes = out;
        self.kept
    }

    /// Writes offset and count of every table that moved or changed.
    fn fields(&self, starts: &[usize], out: &mut [u8]) {
        for (index, piece) in self.pieces.iter().enumerate() {
            let Some((field, entry)) = piece.field else { continue };
            let header = starts[piece.header];
            let new = self.table(index);
            // The offset of an empty table has no meaning.
            if !new.is_empty() {
                write(out, header + field, starts[index].saturating_sub(header));
            }
            if new.len() != piece.length {
                write(out, header + field + u32::SIZE, new.len() / entry);
            }
        }
    }

    /// Writes the positions of programs and the fields of headers without tables.
    fn headers(&mut self, starts: &[usize], wanted: &Model, out: &mut [u8]) {
        let headers = self.pieces.iter().enumerate().filter(|(_, piece)| piece.field.is_none());
        for (number, (index, piece)) in headers.skip(1).enumerate() {
            let mut bytes = Vec::new();
            match number.checked_sub(1).and_then(|program| wanted.executables.get(program)) {
                Some(executable) => {
                    executable.header.write(&mut bytes);
                    write(out, DVLB + u32::SIZE * (number - 1), starts[index]);
                }
                None => {
                    wanted.version.write(&mut bytes);
                    wanted.reserved.write(&mut bytes);
                }
            }
            let start = starts[index] + u32::SIZE;
            let Some(place) = out.get_mut(start..start + bytes.len()) else { continue };
            let differ = place.iter().zip(&bytes).filter(|(old, new)| old != new).count();
            if differ > 0 {
                let text = format!("{}: {differ} bytes differ", piece.what);
                self.kept.changes.push(Warning { text, at: piece.position() });
            }
            place.copy_from_slice(&bytes);
        }
    }
}

/// Writes a field.
fn write(out: &mut [u8], position: usize, value: usize) {
    let value = u32::try_from(value).unwrap_or(u32::MAX).to_le_bytes();
    if let Some(field) = out.get_mut(position..position.saturating_add(value.len())) {
        field.copy_from_slice(&value);
    }
}
