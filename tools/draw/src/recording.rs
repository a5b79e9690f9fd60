//! Recordings of draws: what a host did, as a file that other machines replay.
//! In: command lists, buffers and draws, frame by frame. Out: the bytes of a `.pclist` file, and
//! back. Knows no program.
//!
//! [`guide::recording`](crate::guide::recording) has the format, and a writer in C.

use transpica::geometry::Topology;
use transpica::host::registers::number::{DRAW_ARRAYS, DRAW_ELEMENTS};
use transpica::interp::Registers;
use transpica::{At, Error, Kind, RegisterState, Result};

use crate::batch::{Array, Number};

/// The first bytes of a file.
const MAGIC: [u8; 8] = *b"PCLIST\x01\0";
/// Registers of attributes that are written to: which one, 15 in immediate mode, and three words.
const FIXED_INDEX: u16 = 0x232;
const FIXED_DATA: u16 = 0x233;
const FIXED_DATA_LAST: u16 = 0x235;
/// The buffer of indices of a draw without any.
const NONE: u32 = u32::MAX;
/// Topologies by their numbers.
const TOPOLOGIES: [Topology; 4] = [Topology::List, Topology::Strip, Topology::Fan, Topology::Geometry];
/// Limit of the vertices of all draws of a frame: a few words can ask for the same buffer often.
const MOST_VERTICES: u32 = 1 << 20;

/// Frames, and the buffers of their draws.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// Contents of vertex and index buffers.
    pub buffers: Vec<Vec<u8>>,
    /// The draws of each frame.
    pub frames: Vec<Vec<RecordedDraw>>,
}

/// A draw, and the commands before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedDraw {
    /// The words of command lists that were executed since the draw before.
    pub commands: Vec<u32>,
    /// How vertices make triangles.
    pub topology: Topology,
    /// Number of vertices, or of indices.
    pub count: u32,
    /// Numbers of vertices; without them vertices come in the order of their buffers.
    pub indices: Option<RecordedIndices>,
    /// Attributes that come from buffers.
    pub attributes: Vec<RecordedAttribute>,
}

/// Numbers of vertices in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedIndices {
    /// Number of the buffer.
    pub buffer: u32,
    /// Byte of the first index.
    pub offset: u32,
    /// Bytes of an index: 1, 2 or 4.
    pub size: u32,
}

/// An attribute in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordedAttribute {
    /// The v register, 0 to 15.
    pub register: u8,
    /// Number format.
    pub number: Number,
    /// Number of components, 1 to 4.
    pub components: u8,
    /// Number of the buffer.
    pub buffer: u32,
    /// Byte of vertex 0.
    pub offset: u32,
    /// Bytes from vertex to vertex.
    pub stride: u32,
}

impl Recording {
    /// Reads a file.
    ///
    /// ```
    /// use transpica_draw::recording::Recording;
    /// let recording = Recording { buffers: vec![vec![1, 2, 3]], frames: vec![Vec::new()] };
    /// assert_eq!(Recording::parse(&recording.to_bytes())?, recording);
    /// assert!(Recording::parse(b"PCLIST").is_err());
    /// # Ok::<(), transpica::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Kind::Setup`] with the byte offset: no such file, a chunk that is cut off or unknown, a
    /// buffer that is not there, indices outside theirs, frames with more than 1,048,576
    /// vertices.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        let Some(mut rest) = bytes.strip_prefix(&MAGIC) else {
            return fail(0, "the file does not begin with PCLIST and version 1");
        };
        let (mut recording, mut frame, mut commands) = (Self::default(), Vec::new(), Vec::new());
        let mut vertices = 0u32;
        while !rest.is_empty() {
            let at = bytes.len() - rest.len();
            let Some((tag, content, after)) = chunk(rest) else {
                return fail(at, "a chunk is cut off");
            };
            rest = after;
            let words = || content.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word));
            match tag {
                b"CMDS" => commands.extend(words()),
                b"BUFR" => recording.buffers.push(content.to_vec()),
                b"DRAW" => {
                    let draw = recording.draw(&words().collect::<Vec<_>>(), std::mem::take(&mut commands));
                    let draw = draw.or_else(|why| fail(at, why))?;
                    vertices = vertices.saturating_add(draw.count);
                    if vertices > MOST_VERTICES {
                        return fail(at, "a frame has more than 1048576 vertices");
                    }
                    frame.push(draw);
                }
                b"FRAM" => {
                    recording.frames.push(std::mem::take(&mut frame));
                    vertices = 0;
                }
                _unknown => return fail(at, "no chunk has these four letters"),
            }
        }
        if !frame.is_empty() {
            recording.frames.push(frame);
        }
        Ok(recording)
    }

    /// Reads the words of a draw, whose buffers must be there.
    fn draw(&self, words: &[u32], commands: Vec<u32>) -> std::result::Result<RecordedDraw, &'static str> {
        let words = words.split_first_chunk().map(|(first, rest)| (first, rest.as_chunks::<4>()));
        let Some((&[topology, count, buffer, offset, size], (attributes, []))) = words else {
            return Err("a draw has five words and four for each attribute");
        };
        let topology = *TOPOLOGIES.get(topology as usize).ok_or("no topology has this number")?;
        let attributes = attributes.iter().map(|&[format, buffer, offset, stride]| {
            let [register, number, components, _] = format.to_le_bytes();
            if register > 15 || number > 3 || !(1..=4).contains(&components) {
                return Err("an attribute has a register, number format or count of components too large");
            }
            let number = Number::from_bits(number.into());
            Ok(RecordedAttribute { register, number, components, buffer, offset, stride })
        });
        let indices = (buffer != NONE).then_some(RecordedIndices { buffer, offset, size });
        let attributes = attributes.collect::<std::result::Result<_, _>>()?;
        let draw = RecordedDraw { commands, topology, count, indices, attributes };
        if !draw.attributes.iter().all(|attribute| self.array(attribute).is_some()) {
            return Err("an attribute has a buffer that is not there");
        }
        if self.indices(&draw).is_none() {
            return Err("a draw has indices outside their buffer, or too many vertices");
        }
        Ok(draw)
    }

    /// Returns what command lists do that a replay leaves out, and how often: draws are chunks, and
    /// attributes come from buffers.
    pub fn left_out(&self) -> impl Iterator<Item = (usize, &'static str)> {
        let (mut index, mut words, mut draws) = (0, [0; 2], 0);
        for draw in self.frames.iter().flatten() {
            RegisterState::each_write(&draw.commands, |register, written| match register {
                DRAW_ARRAYS | DRAW_ELEMENTS => draws += written.len(),
                FIXED_INDEX => index = written.last().map_or(0, |word| word & 15),
                FIXED_DATA..=FIXED_DATA_LAST => words[usize::from(index == 15)] += written.len(),
                _kept => {}
            });
        }
        let [fixed, immediate] = words.map(|words| words / 3);
        let counts = [draws, immediate, fixed].into_iter();
        let names = ["draws", "vectors of vertices in immediate mode", "fixed attributes"];
        counts.zip(names).filter(|(count, _)| *count > 0)
    }

    /// Returns the bytes of a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        self.buffers.iter().for_each(|buffer| push(&mut bytes, b"BUFR", buffer));
        for frame in &self.frames {
            for RecordedDraw { commands, topology, count, indices, attributes } in frame {
                push_words(&mut bytes, b"CMDS", commands);
                let topology = TOPOLOGIES.iter().position(|known| known == topology).unwrap_or(0) as u32;
                let none = RecordedIndices { buffer: NONE, offset: 0, size: 2 };
                let RecordedIndices { buffer, offset, size } = indices.unwrap_or(none);
                let mut words = vec![topology, *count, buffer, offset, size];
                for attribute in attributes {
                    let &RecordedAttribute { register, number, components, buffer, offset, stride } =
                        attribute;
                    let format = u32::from_le_bytes([register, number.bits(), components, 0]);
                    words.extend([format, buffer, offset, stride]);
                }
                push_words(&mut bytes, b"DRAW", &words);
            }
            push(&mut bytes, b"FRAM", &[]);
        }
        bytes
    }

    /// Returns the indices of a draw, an empty list for a draw without them, or `None` if they are
    /// outside their buffer.
    pub fn indices(&self, draw: &RecordedDraw) -> Option<Vec<u32>> {
        let Some(RecordedIndices { buffer, offset, size }) = draw.indices else {
            return (draw.count <= MOST_VERTICES).then(Vec::new);
        };
        let size = matches!(size, 1 | 2 | 4).then_some(size as usize)?;
        let bytes = self.buffers.get(buffer as usize)?.get(offset as usize..)?;
        let bytes = bytes.get(..size.checked_mul(draw.count as usize)?)?;
        let index = |bytes: &[u8]| bytes.iter().rev().fold(0, |index, &byte| index << 8 | u32::from(byte));
        Some(bytes.chunks_exact(size).map(index).collect())
    }

    /// Returns the input registers of the vertices that a draw can reach: as many as all its
    /// buffers have, but no more than an index names.
    pub fn vertices(&self, draw: &RecordedDraw) -> Vec<[[f32; 4]; 16]> {
        let named = self.indices(draw).unwrap_or_default();
        let named = named.into_iter().max().map_or(draw.count, |most| most.saturating_add(1));
        let arrays = draw.attributes.iter().filter_map(|attribute| self.array(attribute));
        let there = arrays.map(|array| array.vertices()).min().unwrap_or(usize::MAX);
        // Range: the smaller is one of 32 bits.
        let count = there.min(named.min(MOST_VERTICES) as usize) as u32;
        (0..count).map(|vertex| self.inputs(draw, vertex)).collect()
    }

    /// Returns the input registers of a vertex of a draw.
    fn inputs(&self, draw: &RecordedDraw, vertex: u32) -> [[f32; 4]; 16] {
        let mut inputs = Registers::DEFAULT_INPUTS;
        for attribute in &draw.attributes {
            if let Some(array) = self.array(attribute) {
                array.read_one(vertex, &mut inputs[usize::from(attribute.register & 15)]);
            }
        }
        inputs
    }

    /// Returns an attribute as vertex fetch reads it, or `None` if its buffer is missing.
    pub fn array(&self, attribute: &RecordedAttribute) -> Option<Array<'_>> {
        let &RecordedAttribute { register: _, number, components, buffer, offset, stride } = attribute;
        let bytes = self.buffers.get(buffer as usize)?;
        Some(Array { bytes, offset: offset as usize, stride: stride as usize, number, components })
    }
}

/// Splits the first chunk from bytes: its letters, its content, and what follows.
fn chunk(bytes: &[u8]) -> Option<(&[u8; 4], &[u8], &[u8])> {
    let (tag, rest) = bytes.split_first_chunk()?;
    let (size, rest) = rest.split_first_chunk()?;
    let size = u32::from_le_bytes(*size) as usize;
    let content = rest.get(..size)?;
    Some((tag, content, rest.get(size.checked_next_multiple_of(4)?..)?))
}

fn push(bytes: &mut Vec<u8>, tag: &[u8; 4], content: &[u8]) {
    bytes.extend(tag);
    // Range: hosts record less than 4 GiB at once.
    bytes.extend((content.len() as u32).to_le_bytes());
    bytes.extend(content);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
}

fn push_words(bytes: &mut Vec<u8>, tag: &[u8; 4], words: &[u32]) {
    push(bytes, tag, &words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>());
}

#[cold]
fn fail<T>(at: usize, why: &str) -> Result<T> {
    Err(Error::new(Kind::Setup(why.into()), At::Offset(u32::try_from(at).unwrap_or(u32::MAX))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recording() -> Recording {
        let attribute = RecordedAttribute {
            register: 3,
            number: Number::S16,
            components: 2,
            buffer: 0,
            offset: 2,
            stride: 4,
        };
        let draw = RecordedDraw {
            commands: vec![1, 0x000F_02B0],
            topology: Topology::Strip,
            count: 3,
            indices: Some(RecordedIndices { buffer: 1, offset: 1, size: 1 }),
            attributes: vec![attribute],
        };
        let bytes = [9, 9, 1, 0, 2, 0, 0xFF, 0xFF, 4, 0, 5, 0, 6, 0];
        Recording { buffers: vec![bytes.to_vec(), vec![7, 2, 0, 1]], frames: vec![vec![draw], vec![]] }
    }

    #[test]
    fn files_are_read_back() {
        let recording = recording();
        let bytes = recording.to_bytes();
        assert_eq!(Recording::parse(&bytes).unwrap(), recording);
        let draw = &recording.frames[0][0];
        assert_eq!(recording.indices(draw).unwrap(), [2, 0, 1]);
        let vertices = recording.vertices(draw);
        assert_eq!(vertices.len(), 3);
        assert_eq!(vertices[1][3], [-1.0, 4.0, 0.0, 1.0]);
        assert_eq!(vertices[1][2], [0.0, 0.0, 0.0, 1.0]);
        // Vertices that no buffer has are not there, however large an index is.
        let mut short = recording.clone();
        short.buffers[0].truncate(12);
        assert_eq!(short.vertices(draw).len(), 2);
    }

    #[test]
    fn what_a_replay_leaves_out_of_command_lists_is_counted() {
        let mut recording = recording();
        assert_eq!(recording.left_out().count(), 0);
        // A fixed attribute, two vectors of immediate mode, a draw.
        let commands = &mut recording.frames[0][0].commands;
        commands.extend([3, 0x803F_0232, 1, 2, 3, 0, 15, 0x000F_0232]);
        (0..2).for_each(|_| commands.extend([1, 0x802F_0233, 2, 3]));
        commands.extend([1, 0x000F_022E]);
        let left_out: Vec<_> = recording.left_out().collect();
        let immediate = (2, "vectors of vertices in immediate mode");
        assert_eq!(left_out, [(1, "draws"), immediate, (1, "fixed attributes")]);
    }

    #[test]
    fn every_damage_is_an_error_or_a_recording() {
        let bytes = recording().to_bytes();
        for end in 0..bytes.len() {
            // Only whole chunks are whole files.
            if let Ok(cut) = Recording::parse(&bytes[..end]) {
                assert!(cut.to_bytes().len() <= end + 8, "{end}");
            }
        }
        for at in 0..bytes.len() {
            for value in [0, 1, 4, 0x7F, 0xFF] {
                let mut bytes = bytes.clone();
                bytes[at] = value;
                if let Ok(damaged) = Recording::parse(&bytes) {
                    assert!(damaged.frames.iter().flatten().all(|draw| damaged.vertices(draw).len() < 300));
                }
            }
        }
    }

    #[test]
    fn draws_without_their_buffers_are_errors() {
        let error = |change: &dyn Fn(&mut Recording)| {
            let mut recording = recording();
            change(&mut recording);
            Recording::parse(&recording.to_bytes()).unwrap_err().to_string()
        };
        assert!(error(&|all| all.buffers[1].truncate(3)).contains("indices outside"));
        assert!(error(&|all| all.frames[0][0].attributes[0].buffer = 2).contains("not there"));
        let set = |size| move |all: &mut Recording| all.frames[0][0].indices.as_mut().unwrap().size = size;
        assert!(error(&set(3)).contains("indices outside"));
        let count = |all: &mut Recording| {
            (all.frames[0][0].indices, all.frames[0][0].count) = (None, u32::MAX);
        };
        assert!(error(&count).contains("too many vertices"));
    }
}
