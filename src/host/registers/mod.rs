//! State of the GPU registers of the shader units and the output map, filled by register writes.
//! In: register writes or command lists, as the console's CPU issues them. Out: [`RegisterState`];
//! its programs and their environments. Knows no file and no instruction. Never fails: it drops the
//! same writes as hardware.
//!
//! Facts: 3dbrew "GPU/Internal Registers", GBATEK. The capacity of an upload, and that longer ones
//! are dropped, follow other hosts. Two cases are not measured: a partial vector at a write of the
//! index (here: dropped), and FIFO words with only some bytes enabled (here: the others are 0).

// Files: `number.rs` the numbers of registers; `unit.rs` writes to one shader unit; `view.rs` its
// program, attributes and outputs; `output_map.rs` semantics of outputs; `libctru.rs` the writes
// that an application makes for a file, output maps merged.

mod libctru;
pub mod number;
pub(crate) mod output_map;
#[cfg(test)]
mod tests;
mod unit;
mod view;

pub use output_map::OutputMap;
pub use view::RegisterView;

use crate::error::{At, Result, Warning};
use crate::program::isa::{Program, Stage, Uniforms};
use number::unit::{FLOAT_DATA, FLOAT_DATA_LAST};
use number::{BLOCK, GLOBALS};
use unit::Unit;

/// Output words of the rasterizer.
const SLOTS: usize = 7;

/// State of the shader units and the output map. Everything starts as 0.
///
/// Registers have 32 bits. The table lists the vertex unit; the geometry unit has the same
/// registers from 0x280 instead of 0x2B0. Bits are given as high..low.
///
/// | register | value |
/// |---|---|
/// | 0x2B0 | 15..0: bool uniforms, bit n is bn |
/// | 0x2B1..0x2B4 | i0..i3: x in 7..0, y in 15..8, z in 23..16, w in 31..24 |
/// | 0x2B9 | 3..0: number of attributes less one; bit 8: vertices go to float uniforms (geometry unit) |
/// | 0x2BA | 8..0 (geometry unit 11..0): entry point, an index of code words |
/// | 0x2BB, 0x2BC | four bits for each attribute, the first lowest: the v register that receives it |
/// | 0x2BD | 15..0: mask of outputs that are passed on, bit n is on |
/// | 0x2C0 | 7..0: float uniform that the next vector goes to, 0..95; bit 31: f32 instead of float24 |
/// | 0x2C1..0x2C8 | the vectors, w first: four words of f32, or three words of float24 with x in the lowest bits of the last |
/// | 0x2CB, 0x2CC..0x2D3 | index of the next code word, 0..511 (geometry unit 0..4095); code words |
/// | 0x2D5, 0x2D6..0x2DD | index of the next operand descriptor, 0..127; descriptors |
/// | 0x04F | 2..0: number of outputs of the rasterizer, 0..7 |
/// | 0x050..0x056 | one word for each output that is passed on, ascending; byte n is the semantic of component n |
/// | 0x229, 0x244, 0x24A, 0x251..0x254, 0x25E | geometry program and kind of primitive: see [`Setup`](crate::Setup) |
///
/// Indices advance with each word or vector. Every alias of a data register has the same effect. An
/// upload that would pass the end of a memory is dropped as a whole.
///
/// | written | effect |
/// |---|---|
/// | consecutive words beyond register 0xFFFF | none: numbers of registers do not wrap around |
/// | vectors at a float index of 0x60 to 0xFF | none, and the index stays |
/// | 0x2B0..0x2DF, without separate configuration of the geometry unit | 0x280..0x2AF, too |
/// | 0x280..0x2AF | the geometry unit alone |
/// | 0x2E0..0x33F, copies for single vertex units | none: 0x2B0..0x2DF are for all units |
/// | 0x28B, 0x28C | four bits for each vector of an invocation in point mode; else none |
///
/// Semantics: 0x00..0x03 position, 0x04..0x07 normal quaternion, 0x08..0x0B color, 0x0C and 0x0D
/// texture coordinate 0, 0x0E and 0x0F texture coordinate 1, 0x10 third component of texture
/// coordinate 0, 0x12..0x14 view vector, 0x16 and 0x17 texture coordinate 2, 0x1F none.
///
/// Code words and descriptors: see [`guide::instructions`](crate::guide::instructions). Sources:
/// 3dbrew's "GPU/Internal Registers" and GBATEK; how uploads end follows other hosts.
///
/// ```
/// use transpica::{RegisterState, Stage};
/// let mut state = RegisterState::default();
/// state.write(0x2CB, 0); // code from word 0
/// state.write(0x2CC, 0x4C00_0000); // mov o0, v0
/// state.write(0x2CC, 0x8800_0000); // end
/// state.write(0x2D5, 0); // descriptors from number 0
/// state.write(0x2D6, 0x36F);
/// state.write(0x2BA, 0x7FFF_0000); // entry point 0
/// state.write(0x2BD, 1); // o0 is passed on
/// state.write(0x04F, 1); // one output,
/// state.write(0x050, 0x0302_0100); // the position
/// let program = state.program(Stage::Vertex)?;
/// let mut translator = transpica::Translator::new(Default::default(), Default::default());
/// let translated = translator.translate(&program, &state.vertex(), transpica::Job::Vertex)?;
/// assert_eq!(translated.interface.attributes[0].name, "v0");
/// # Ok::<(), transpica::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RegisterState {
    vertex: Unit,
    geometry: Unit,
    globals: [u32; GLOBALS.len()],
}

/// All bytes of a word.
const ALL_BYTES: u32 = 15;

/// Returns the bits of the bytes that a mask enables.
fn bits_of(bytes: u32) -> u32 {
    (0..4).filter(|byte| bytes >> byte & 1 != 0).fold(0, |bits, byte| bits | 0xFF << (8 * byte))
}

/// Calls `write` for each write of a list with its place, register, words and enabled bytes.
/// Returns the place of a command that goes on past the end.
fn walk(list: &[u32], mut write: impl FnMut(At, u16, &[u32], u32)) -> Option<At> {
    let mut rest = list;
    while let &[first, header, ref after @ ..] = rest {
        // Ranges: a list is far shorter, and sixteen bits.
        let at = At::Offset((4 * (list.len() - rest.len())) as u32);
        let register = (header & 0xFFFF) as u16;
        let bytes = header >> 16 & ALL_BYTES;
        let count = (header >> 20 & 0xFF) as usize;
        let Some((more, next)) = after.split_at_checked(count) else { return Some(at) };
        if header >> 31 != 0 {
            // Numbers of registers do not wrap around: words beyond the last one are dropped.
            for (register, &value) in (register..=u16::MAX).zip([&first].into_iter().chain(more)) {
                write(at, register, &[value], bytes);
            }
        } else {
            // Range of the length: at most 256.
            let mut words = [0; 256];
            words[0] = first;
            words[1..=count].copy_from_slice(more);
            write(at, register, &words[..=count], bytes);
        }
        rest = next.get(count % 2..).unwrap_or_default();
    }
    None
}

impl RegisterState {
    /// Calls `write` with the register and the words of each write of a command list.
    #[doc(hidden)]
    pub fn each_write(list: &[u32], mut write: impl FnMut(u16, &[u32])) {
        walk(list, |_, register, words, _| write(register, words));
    }

    /// Writes a register. Writes to other registers are ignored.
    pub fn write(&mut self, register: u16, value: u32) {
        self.write_words(register, &[value], ALL_BYTES);
    }

    /// Writes the bytes of a register that the low four bits of `bytes` enable. Without any, it has
    /// no effect.
    pub fn write_masked(&mut self, register: u16, value: u32, bytes: u32) {
        self.write_words(register, &[value], bytes);
    }

    /// Executes a command list: each command is a parameter, a header and further parameters,
    /// padded to eight bytes. A truncated command at the end is not executed.
    ///
    /// ```
    /// use transpica::RegisterState;
    /// let mut state = RegisterState::default();
    /// // Four words for registers 0x2B1.., consecutive; the last word is padding.
    /// state.commands(&[0x0000_0102, 0x8030_02B1 | 15 << 16, 7, 8, 9, 0]);
    /// assert_eq!(state.uniforms(transpica::Stage::Vertex).ints[0], [2, 1, 0, 0]);
    /// ```
    pub fn commands(&mut self, list: &[u32]) {
        walk(list, |_, register, words, bytes| self.write_words(register, words, bytes));
    }

    /// Executes a command list, as [`commands`](Self::commands) does, and returns what hangs a
    /// console or surprises there, each at the byte of its command:
    ///
    /// * a draw without a geometry program behind one with it: the GPU hangs unless the list ends
    ///   between them (console reports);
    /// * at a draw, counts of vertex outputs (0x24A, 0x251) that contradict their mask (0x2BD), and
    ///   a number of vectors (0x289, 0x252) that the geometry program gets from no number of
    ///   vertices. 0 is a count that was not set;
    /// * a draw with a geometry program whose uniforms, written earlier in the list, were
    ///   overwritten by those of a vertex program: see [`is_mirrored`](Self::is_mirrored);
    /// * a command that goes on past the end of the list.
    ///
    /// ```
    /// use transpica::RegisterState;
    /// let [with, without, draw] = [[2, 0xF_0229], [0, 0xF_0229], [1, 0xF_022E]];
    /// let list = [with, draw, without, draw].concat();
    /// let found = RegisterState::default().check_commands(&list);
    /// assert!(found[0].to_string().starts_with("offset 0x18: a draw without a geometry program"));
    /// ```
    pub fn check_commands(&mut self, list: &[u32]) -> Vec<Warning> {
        let (mut found, mut had_geometry) = (Vec::<Warning>::new(), false);
        let (mut are_written, mut are_lost, mut misfit) = (false, false, None);
        let end = walk(list, |at, register, words, bytes| {
            let is_uniform = |base: u16| {
                let offset = register.checked_sub(base);
                offset.is_some_and(|offset| offset < number::unit::INPUT)
                    || offset.is_some_and(|it| (FLOAT_DATA..=FLOAT_DATA_LAST).contains(&it))
            };
            if is_uniform(number::GEOMETRY_UNIT) {
                (are_written, are_lost) = (true, false);
            }
            are_lost |= are_written && is_uniform(number::VERTEX_UNIT) && self.is_mirrored();
            self.write_words(register, words, bytes);
            if bytes == 0 || !matches!(register, number::DRAW_ARRAYS | number::DRAW_ELEMENTS) {
                return;
            }
            let mut warn = |text: &str| found.push(Warning { text: text.into(), at });
            let has_geometry = self.has_geometry();
            if had_geometry && !has_geometry {
                warn(
                    "a draw without a geometry program behind one with it hangs the GPU; end the list between them",
                );
            }
            if has_geometry && std::mem::take(&mut are_lost) {
                warn(
                    "uniforms of the geometry program were overwritten by those of a vertex program before it",
                );
            }
            had_geometry = has_geometry;
            let text = self.misfit();
            if let Some(text) = text.as_ref().filter(|_| text != misfit) {
                warn(text);
            }
            misfit = text;
        });
        let text = "a command goes on past the end of the list, and is not executed";
        found.extend(end.map(|at| Warning { text: text.into(), at }));
        found
    }

    /// Describes numbers of vertex outputs that contradict each other.
    fn misfit(&self) -> Option<String> {
        let mask = self.vertex.output_mask().count_ones();
        for register in [number::VERTEX_OUTPUTS, number::VERTEX_OUTPUTS_2] {
            let count = self.read(register) & 15;
            if mask > 0 && count > 0 && count + 1 != mask {
                let count = count + 1;
                return Some(format!(
                    "register {register:#x} counts {count} vertex outputs, but the mask has {mask}"
                ));
            }
        }
        let input = self.read(number::GEOMETRY_INPUT);
        let is_fixed = input & 0xFF == 2;
        let taken = if is_fixed { (input >> 12 & 15) + 1 } else { self.geometry.input_count().into() };
        let fits = taken == mask || input & 0xFF == 0 && taken % mask.max(1) == 0;
        let text = || format!("the geometry program takes {taken} vectors, but a vertex has {mask}");
        (self.has_geometry() && mask > 0 && !fits).then(text)
    }

    /// Writes words to one register, as one upload.
    fn write_words(&mut self, register: u16, words: &[u32], bytes: u32) {
        let enabled = bits_of(bytes);
        if enabled == 0 {
            return;
        }
        let offset = |base: u16| register.checked_sub(base).filter(|&offset| offset < BLOCK);
        if let Some(offset) = offset(number::VERTEX_UNIT) {
            self.vertex.write(offset, words, enabled, Stage::Vertex);
            if self.is_mirrored() {
                self.geometry.write(offset, words, enabled, Stage::Vertex);
            }
        } else if let Some(offset) = offset(number::GEOMETRY_UNIT) {
            self.geometry.write(offset, words, enabled, Stage::Geometry);
        } else if let Some(index) = GLOBALS.iter().position(|&global| global == register) {
            for &word in words {
                self.globals[index] = self.globals[index] & !enabled | word & enabled;
            }
        }
    }

    /// Returns the last value written to a register; 0 for registers outside the state and for data
    /// words.
    pub fn read(&self, register: u16) -> u32 {
        let offset = |base: u16| register.checked_sub(base).filter(|&offset| offset < BLOCK);
        if let Some(offset) = offset(number::VERTEX_UNIT) {
            self.vertex.read(offset)
        } else if let Some(offset) = offset(number::GEOMETRY_UNIT) {
            self.geometry.read(offset)
        } else {
            let index = GLOBALS.iter().position(|&global| global == register);
            index.map_or(0, |index| self.globals[index])
        }
    }

    /// Returns whether a geometry program runs after the vertex program.
    pub fn has_geometry(&self) -> bool {
        self.read(number::GEOMETRY_STAGE) & 3 == 2
    }

    /// Returns whether writes to the vertex unit reach the geometry unit too, which is then one
    /// more vertex unit.
    pub fn is_mirrored(&self) -> bool {
        self.read(number::UNIT_MODE) & 1 == 0 && !self.has_geometry()
    }

    /// Returns the program of a unit: its memory up to the highest word written.
    ///
    /// # Errors
    /// An entry point outside the words written.
    pub fn program(&self, stage: Stage) -> Result<Program<'_>> {
        let unit = self.unit(stage);
        Program::from_raw(&unit.code.words, &unit.descriptors.words, unit.entry(stage), stage)
    }

    /// Returns the uniforms of a unit.
    pub fn uniforms(&self, stage: Stage) -> Uniforms {
        self.unit(stage).uniforms()
    }

    /// Replaces the uniforms of a unit. Uploads to it go on where they were.
    pub fn set_uniforms(&mut self, stage: Stage, uniforms: &Uniforms) {
        match stage {
            Stage::Vertex => self.vertex.set_uniforms(uniforms),
            Stage::Geometry => self.geometry.set_uniforms(uniforms),
        }
    }

    /// Returns the environment of the vertex program.
    pub fn vertex(&self) -> RegisterView<'_> {
        RegisterView { state: self, stage: Stage::Vertex }
    }

    /// Returns the environment of the geometry program.
    pub fn geometry(&self) -> RegisterView<'_> {
        RegisterView { state: self, stage: Stage::Geometry }
    }

    fn unit(&self, stage: Stage) -> &Unit {
        match stage {
            Stage::Vertex => &self.vertex,
            Stage::Geometry => &self.geometry,
        }
    }

    /// Returns the number of outputs that the rasterizer takes, at most seven.
    pub fn slots(&self) -> usize {
        SLOTS.min((self.read(number::OUTMAP_TOTAL) & 7) as usize)
    }
}
