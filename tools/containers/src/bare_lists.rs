//! Bare lists of GPU commands that upload a program.
//! In: bytes and the place of a command that begins an upload. Out: the list around it, and the
//! registers at its first draw, or at its end. Knows no container.
//!
//! A list has neither magic nor length, so it is what can be parsed around the upload: commands for
//! registers that exist, with reserved bits clear. Towards its start that is a guess, since a list
//! is read in one direction only; data that happen to look like commands may be taken into it.
//! Facts: 3dbrew "GPU/Internal Registers".

use std::ops::Range;

use transpica::host::registers::number;
use transpica::{RegisterState, Stage};

use crate::bytes::Fields;

/// Header of a command that writes the index of the next code word of a unit: all bytes, one word.
const fn code_index(unit: u16) -> u32 {
    0x000F_0000 | (unit + CODE_INDEX) as u32
}

/// Offsets of registers in a unit's block.
const CODE_INDEX: u16 = 0x1B;
const CODE_DATA: Range<u16> = 0x1C..0x24;
const DESCRIPTOR_INDEX: u16 = 0x25;
const DESCRIPTOR_DATA: Range<u16> = 0x26..0x2E;
/// End of the registers of the GPU.
const REGISTERS: u16 = 0x300;
/// Registers whose write ends a list, or draws.
const END_OF_LIST: u16 = 0x010;
const DRAWS: Range<u16> = 0x22E..0x230;
/// Bytes in front of an upload in which its list may begin.
pub(crate) const BEHIND: usize = 16 << 10;
/// Longest list in bytes.
const LONGEST: usize = 512 << 10;
/// Opcode of the instruction that ends a program.
const END: u32 = 0x22;

/// Command headers that begin an upload, for both units.
pub(crate) const UPLOADS: [u32; 2] = [code_index(number::VERTEX_UNIT), code_index(number::GEOMETRY_UNIT)];

/// A command of a list.
#[derive(Clone, Copy)]
struct Command {
    register: u16,
    /// Words with header and padding.
    words: usize,
}

impl Command {
    /// Reads the command that begins at an offset of words, or returns `None` if it cannot be one.
    fn read(bytes: &[u8], at: usize) -> Option<Self> {
        let header = Fields::little(bytes).u32(at.checked_add(4)?)?;
        let register = (header & 0xFFFF) as u16; // Range: sixteen bits.
        let count = (header >> 20 & 0xFF) as usize;
        let words = (2 + count).next_multiple_of(2);
        let is_possible = register < REGISTERS && header >> 28 & 7 == 0 && header != 0;
        (is_possible && at + 4 * words <= bytes.len()).then_some(Self { register, words })
    }
    fn bytes(self) -> usize {
        4 * self.words
    }
    /// Returns the unit whose code index this command writes.
    fn begins_upload(self) -> Option<Stage> {
        match self.register.checked_sub(CODE_INDEX)? {
            number::VERTEX_UNIT => Some(Stage::Vertex),
            number::GEOMETRY_UNIT => Some(Stage::Geometry),
            _other_registers => None,
        }
    }
    /// Returns whether it writes code or descriptors, or their indices.
    fn uploads(self) -> bool {
        [number::VERTEX_UNIT, number::GEOMETRY_UNIT].into_iter().any(|unit| {
            let offset = self.register.wrapping_sub(unit);
            CODE_DATA.contains(&offset)
                || DESCRIPTOR_DATA.contains(&offset)
                || [CODE_INDEX, DESCRIPTOR_INDEX].contains(&offset)
        })
    }
}

/// Finds the list around the command whose header stands at `header`. It begins at `floor` or
/// later.
pub(crate) fn list(bytes: &[u8], header: usize, floor: usize) -> Option<Range<usize>> {
    let upload = header.checked_sub(4).filter(|&start| start >= floor)?;
    let first = Command::read(bytes, upload)?;
    let data = Command::read(bytes, upload + first.bytes())?;
    let is_code = |unit| CODE_DATA.contains(&data.register.wrapping_sub(unit));
    // Every host uploads the code right after its index.
    if first.begins_upload().is_none()
        || ![number::VERTEX_UNIT, number::GEOMETRY_UNIT].into_iter().any(is_code)
    {
        return None;
    }
    let mut end = upload;
    while end - upload < LONGEST
        && let Some(command) = Command::read(bytes, end)
    {
        end += command.bytes();
        if command.register == END_OF_LIST {
            break;
        }
    }
    Some(start_of_list(bytes, upload, floor)..end)
}

/// Returns the earliest place from which commands lead to the upload.
fn start_of_list(bytes: &[u8], upload: usize, floor: usize) -> usize {
    // Whether commands lead from there to the upload, for each multiple of 8 in front of it.
    let most = (upload - floor).min(BEHIND) / 8;
    let mut leads = vec![true];
    let mut start = upload;
    for back in 1..=most {
        let at = upload - 8 * back;
        let command = Command::read(bytes, at).filter(|command| command.register != END_OF_LIST);
        let next = command.and_then(|command| back.checked_sub(command.words / 2));
        let is_command = next.is_some_and(|next| leads.get(next).copied().unwrap_or(false));
        leads.push(is_command);
        if is_command {
            start = at;
        } else if start - at > LONGEST_COMMAND {
            break;
        }
    }
    start
}

/// Bytes of the longest command.
const LONGEST_COMMAND: usize = 4 * 258;

/// A program of a list, or a vertex program and the geometry program after it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Upload {
    /// Its commands in the list, in bytes.
    pub range: Range<usize>,
    /// Registers at the first draw after it, or at its end.
    pub state: RegisterState,
    /// Units that it uploads to.
    pub stages: Vec<Stage>,
}

/// A program being uploaded.
#[derive(Default)]
struct Open {
    start: usize,
    uploads: Vec<u32>,
    stages: Vec<Stage>,
    /// Registers at the first draw.
    drawn: Option<RegisterState>,
}

impl Open {
    /// Ends the upload, or returns `None` if it is not a program.
    fn end(self, end: usize, registers: &RegisterState) -> Option<Upload> {
        let Self { start, uploads, stages, drawn } = self;
        let mut state = drawn.unwrap_or_else(|| registers.clone());
        state.commands(&uploads);
        let is_program = |stage: &Stage| {
            state.program(*stage).is_ok_and(|program| program.code().iter().any(|word| word >> 26 == END))
        };
        let stages: Vec<Stage> = stages.into_iter().filter(is_program).collect();
        (!stages.is_empty()).then_some(Upload { range: start..end, state, stages })
    }
}

/// Returns the programs of a list of commands.
pub(crate) fn uploads(bytes: &[u8]) -> Vec<Upload> {
    let words = crate::bytes::words(bytes);
    // All registers but those of uploads, which start empty with each program.
    let mut registers = RegisterState::default();
    let mut found = Vec::new();
    let mut open = Open::default();
    let mut at = 0;
    while let Some(command) = Command::read(bytes, at) {
        let list = words.get(at / 4..at / 4 + command.words).unwrap_or_default();
        if let Some(stage) = command.begins_upload()
            && list.first() == Some(&0)
        {
            if open.stages.contains(&stage) || open.drawn.is_some() {
                let last = std::mem::take(&mut open);
                found.extend(last.end(at, &registers));
                open.start = at;
            }
            open.stages.push(stage);
        }
        if command.uploads() {
            open.uploads.extend_from_slice(list);
        } else {
            registers.commands(list);
        }
        at += command.bytes();
        if DRAWS.contains(&command.register) && !open.stages.is_empty() {
            open.drawn.get_or_insert_with(|| registers.clone());
        }
    }
    found.extend(open.end(at, &registers));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A list that uploads `mov o0, v0; end`.
    fn copy(unit: u16) -> Vec<u32> {
        let unit = u32::from(unit);
        let one = |register: u32, word: u32| [word, 0xF_0000 | (unit + register)];
        [
            &one(0x0D, 1)[..],
            &one(0x1B, 0),
            &[0x4C00_0000, 0x001F_0000 | (unit + 0x1C), 0x8800_0000, 0],
            &one(0x0F, 1),
            &one(0x25, 0),
            &one(0x26, 0x36F),
            &one(0x0A, 0x7FFF_0000),
        ]
        .concat()
    }

    fn bytes(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn a_list_begins_with_the_first_command_that_leads_to_the_upload() {
        let list = bytes(&copy(number::VERTEX_UNIT));
        let around = [&[0xFF; 24][..], &list, &[0xFF; 8]].concat();
        assert_eq!(super::list(&around, 24 + 12, 0), Some(24..24 + list.len()));
        assert_eq!(super::list(&around, 24 + 12, 28), Some(32..24 + list.len()));
        assert_eq!(super::list(&around, 24 + 4, 0), None);
        let cut = &around[..24 + 20];
        assert_eq!(super::list(cut, 24 + 12, 0), None);
    }

    #[test]
    fn each_program_has_the_registers_of_its_first_draw() {
        let draw = |word: u32| [word, 0xF_0000 | 0x22E];
        let map = |word: u32| [word, 0xF_0050];
        let vertex = copy(number::VERTEX_UNIT);
        let list = [&vertex[..], &map(1), &draw(1), &map(2), &draw(1), &vertex, &map(3)].concat();
        let found = uploads(&bytes(&list));
        let maps: Vec<u32> = found.iter().map(|upload| upload.state.read(0x50)).collect();
        assert_eq!(maps, [1, 3]);
        assert_eq!(found[0].range.end, found[1].range.start);
        assert!(found.iter().all(|upload| upload.stages == [Stage::Vertex]));
    }

    #[test]
    fn both_units_are_one_hit() {
        let list = [copy(number::VERTEX_UNIT), copy(number::GEOMETRY_UNIT)].concat();
        let found = uploads(&bytes(&list));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].stages, [Stage::Vertex, Stage::Geometry]);
    }
}
