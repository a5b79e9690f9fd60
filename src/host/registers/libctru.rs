//! Register writes of the system library for executables of a file.
//! In: a parsed file and the executables that run. Out: the register writes, as a state.
//! Facts: libctru. Permutations and the number of inputs are the application's choice; here they
//! are the identity.

use super::number::{self, GEOMETRY_UNIT, VERTEX_UNIT};
use super::{RegisterState, SLOTS};
use crate::error::{At, Error, Kind, Result};
use crate::program::container::{
    ConstantValue, Dvle, GeometryMode, Semantic, ShaderType, Shbin, UNUSED_CODE,
};
use crate::program::isa::Stage;
use crate::program::isa::sizes::{DESCRIPTORS, GEOMETRY_WORDS, VERTEX_WORDS};

/// Number of output registers for which the library keeps words.
const REGISTERS: usize = 8;
/// Word of an output that does not feed the rasterizer.
const UNUSED: u32 = u32::from_le_bytes([UNUSED_CODE; 4]);
/// Upper half of words in which the library sets these bits.
const UPPER: u32 = 0x7FFF_0000;

/// Outputs of one executable, or of two merged ones.
#[derive(Clone, Copy)]
struct Outputs {
    /// Mask of forwarded outputs, bit n = on.
    mask: u8,
    /// Semantic codes of each output.
    words: [u32; REGISTERS],
    /// Number of outputs.
    count: u32,
    /// See [`number::OUTATTR_MODE`].
    mode: u32,
    /// See [`number::OUTATTR_CLOCK`].
    clock: u32,
}

impl Outputs {
    fn new(executable: &Dvle<'_>) -> Self {
        // Range: the library keeps words for eight registers.
        let mask = (executable.output_mask() & 0xFF) as u8;
        let mut outputs =
            Self { mask, words: [UNUSED; REGISTERS], count: mask.count_ones(), mode: 0, clock: 0 };
        let mut bytes = [[UNUSED_CODE; 4]; REGISTERS];
        for output in executable.outputs.iter() {
            let register = usize::from(output.register);
            let Some(codes) = bytes.get_mut(register) else { continue };
            let Some(semantic) = output.assign(codes) else { continue };
            let (mode, clock) = attribute(semantic, output.mask);
            outputs.mode |= mode;
            outputs.clock |= clock;
        }
        outputs.words = bytes.map(u32::from_le_bytes);
        outputs
    }

    /// Merges the outputs of a vertex program (`self`) and a geometry program.
    fn merge(&self, geometry: &Self) -> Self {
        let used =
            |words: &[u32; REGISTERS]| words.iter().position(|&word| word == UNUSED).unwrap_or(REGISTERS);
        let vertex = &self.words[..used(&self.words)];
        let last = &geometry.words[..used(&geometry.words)];
        let common = last.iter().filter(|word| vertex.contains(word));
        let own = last.iter().filter(|word| !vertex.contains(word));
        let rest = vertex.iter().filter(|word| !last.contains(word));
        let mut words = [UNUSED; REGISTERS];
        let mut count = 0;
        for (place, word) in words[..SLOTS].iter_mut().zip(common.chain(own).chain(rest)) {
            *place = *word;
            count += 1;
        }
        let (mode, clock) = (self.mode | geometry.mode, self.clock | geometry.clock);
        Self { mask: geometry.mask, words, count, mode, clock }
    }
}

/// Returns the bits that an output adds to the mode and clock words.
fn attribute(semantic: Semantic, mask: u16) -> (u32, u32) {
    match semantic {
        Semantic::Position => (0, u32::from(mask.count_ones() >= 3)),
        Semantic::Color => (0, 1 << 1),
        Semantic::Texcoord0 => (1, 1 << 8),
        Semantic::Texcoord1 => (1, 1 << 9),
        Semantic::Texcoord2 => (1, 1 << 10),
        Semantic::Texcoord0W => (1, 1 << 16),
        Semantic::Quaternion | Semantic::View => (0, 1 << 24),
        Semantic::Generic => (0, 0),
    }
}

/// Returns the executable with this index, which must be of this type.
fn executable<'a, 'b>(file: &'a Shbin<'b>, index: usize, wanted: ShaderType) -> Result<&'a Dvle<'b>> {
    let executable = file.executable(index)?;
    if executable.header.shader_type() == Some(wanted) {
        return Ok(executable);
    }
    let (what, stage) = match wanted {
        ShaderType::Vertex => ("the vertex unit", "geometry"),
        ShaderType::Geometry => ("the geometry unit", "vertex"),
    };
    Err(Error::new(Kind::Stage { what, stage }, At::Offset(executable.start)))
}

impl RegisterState {
    /// Returns the registers after the system library bound executables of a file. Output words are
    /// indexed by register number, as in the library. They are the slots of the output map only if
    /// outputs are contiguous from o0. Attribute n goes to vn.
    ///
    /// # Errors
    /// No such executable, or one of the other stage.
    pub fn from_dvle(file: &Shbin<'_>, vertex: usize, geometry: Option<usize>) -> Result<Self> {
        let vertex = executable(file, vertex, ShaderType::Vertex)?;
        let geometry = geometry.map(|index| executable(file, index, ShaderType::Geometry)).transpose()?;
        let mut state = Self::default();
        let has_geometry = u32::from(geometry.is_some());
        state.write(number::GEOMETRY_STAGE, 2 * has_geometry);
        state.write(number::UNIT_MODE, has_geometry);
        state.load(file, vertex, Stage::Vertex);
        let outputs = Outputs::new(vertex);
        let inputs = 15u32.saturating_sub(vertex.header.input_mask.leading_zeros());
        state.write(number::vertex::INPUT, 0xA000_0000 | inputs);
        state.write(number::vertex::OUTPUT_MASK, u32::from(outputs.mask));
        let less_one = outputs.count.saturating_sub(1);
        state.write(number::VERTEX_OUTPUTS, less_one);
        state.write(number::VERTEX_OUTPUTS_2, less_one);
        match geometry {
            None => {
                state.write(number::geometry::INPUT, 0xA000_0000);
                state.configure_rasterizer(&outputs);
            }
            Some(geometry) => {
                state.load(file, geometry, Stage::Geometry);
                state.configure_geometry(geometry, outputs.count);
                let own = Outputs::new(geometry);
                state.write(number::geometry::OUTPUT_MASK, u32::from(own.mask));
                let merges = geometry.header.merges_output_maps();
                state.configure_rasterizer(&if merges { outputs.merge(&own) } else { own });
            }
        }
        Ok(state)
    }

    /// Loads code, descriptors, constants, entry point and permutation of one unit.
    fn load(&mut self, file: &Shbin<'_>, executable: &Dvle<'_>, stage: Stage) {
        let (base, most) = match stage {
            Stage::Vertex => (VERTEX_UNIT, VERTEX_WORDS),
            Stage::Geometry => (GEOMETRY_UNIT, GEOMETRY_WORDS),
        };
        self.write(base + number::unit::CODE_INDEX, 0);
        for word in file.package.code.iter().take(most as usize) {
            self.write(base + number::unit::CODE_DATA, word);
        }
        self.write(base + number::unit::CODE_END, 1);
        self.write(base + number::unit::DESCRIPTOR_INDEX, 0);
        for descriptor in file.package.descriptors.iter().take(DESCRIPTORS) {
            self.write(base + number::unit::DESCRIPTOR_DATA, descriptor.bits);
        }
        self.write(base + number::unit::ENTRY, UPPER | executable.header.main & 0xFFFF);
        self.write(base + number::unit::PERMUTATION_LOW, 0x7654_3210);
        self.write(base + number::unit::PERMUTATION_HIGH, 0xFEDC_BA98);
        self.constants(executable, base);
    }

    /// Writes the uniforms that the executable sets. All bools and ints are written; those without
    /// a constant become 0.
    fn constants(&mut self, executable: &Dvle<'_>, base: u16) {
        let (mut bools, mut ints) = (0, [0; 4]);
        for constant in executable.constants.iter() {
            match constant.value() {
                Some(ConstantValue::Bool { register, value }) => {
                    bools = bools & !(1 << register) | u32::from(value) << register;
                }
                Some(ConstantValue::Int { register, value }) => {
                    ints[usize::from(register)] = u32::from_le_bytes(value);
                }
                Some(ConstantValue::Float { register, value: [x, y, z, w] }) => {
                    self.write(base + number::unit::FLOAT_INDEX, u32::from(register));
                    for word in [w << 8 | z >> 16, z << 16 | y >> 8, y << 24 | x] {
                        self.write(base + number::unit::FLOAT_DATA, word);
                    }
                }
                None => {}
            }
        }
        self.write(base + number::unit::BOOLS, UPPER | bools);
        for (number, int) in (0..).zip(ints) {
            self.write(base + number::unit::INTS + number, int);
        }
    }

    /// Configures the vertex input of the geometry unit for vertices of `count` outputs.
    fn configure_geometry(&mut self, geometry: &Dvle<'_>, count: u32) {
        let header = &geometry.header;
        let stride = count.saturating_sub(1);
        let (mut input, mut main, mut config) = (u32::from(header.geometry_mode), 0, 2);
        let mut goes_to_uniforms = true;
        match header.geometry_mode() {
            Some(GeometryMode::Variable) => {
                main = u32::from(header.geometry_main_vertices).wrapping_sub(1) & 0x1F;
                config |= 1 << 31;
            }
            Some(GeometryMode::Fixed) => {
                let vertices = u32::from(header.geometry_fixed_vertices).wrapping_sub(1) & 15;
                let start = u32::from(header.geometry_start);
                input = 2 | 1 << 24 | start << 16 | stride << 12 | vertices << 8;
            }
            Some(GeometryMode::Point) | None => goes_to_uniforms = false,
        }
        self.write(number::GEOMETRY_STAGE, config);
        self.write(number::GEOMETRY_INPUT, input);
        self.write(number::GEOMETRY_MAIN, main);
        let uniforms = u32::from(goes_to_uniforms) << 8;
        self.write(number::geometry::INPUT, 0x0800_0000 | uniforms | stride);
    }

    /// Configures the outputs for the rasterizer.
    fn configure_rasterizer(&mut self, outputs: &Outputs) {
        self.write(number::OUTMAP_TOTAL, outputs.count.min(SLOTS as u32));
        for (number, &word) in (number::OUTMAP..).zip(&outputs.words[..SLOTS]) {
            self.write(number, word);
        }
        self.write_masked(number::PRIMITIVE, outputs.count.saturating_sub(1), 1);
        self.write(number::OUTATTR_MODE, outputs.mode);
        self.write(number::OUTATTR_CLOCK, outputs.clock);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outputs(words: &[u32]) -> Outputs {
        let mut outputs = Outputs { mask: 0, words: [UNUSED; REGISTERS], count: 0, mode: 0, clock: 0 };
        outputs.words[..words.len()].copy_from_slice(words);
        outputs.mask = ((1u32 << words.len()) - 1) as u8;
        outputs.count = words.len() as u32;
        outputs
    }

    const POSITION: u32 = 0x0302_0100;
    const COLOR: u32 = 0x0B0A_0908;
    const TEXCOORD: u32 = 0x1F1F_0D0C;
    const VIEW: u32 = 0x1F14_1312;

    #[test]
    fn merging_takes_common_words_then_the_geometry_programs_then_the_vertex_programs() {
        let vertex = outputs(&[TEXCOORD, POSITION, VIEW]);
        let geometry = outputs(&[COLOR, POSITION]);
        let merged = vertex.merge(&geometry);
        assert_eq!(merged.words[..5], [POSITION, COLOR, TEXCOORD, VIEW, UNUSED]);
        assert_eq!((merged.count, merged.mask), (4, 3));
    }

    #[test]
    fn merging_stops_at_the_first_unused_word() {
        let vertex = outputs(&[POSITION, UNUSED, COLOR]);
        let geometry = outputs(&[POSITION, UNUSED, VIEW]);
        let merged = vertex.merge(&geometry);
        assert_eq!((&merged.words[..2], merged.count), (&[POSITION, UNUSED][..], 1));
    }

    #[test]
    fn merging_gives_at_most_seven_words() {
        let vertex = outputs(&[1, 2, 3, 4, 5, 6, 7, 8]);
        let geometry = outputs(&[11, 12, 13, 14, 15, 16, 17, 18]);
        let merged = vertex.merge(&geometry);
        assert_eq!((merged.count, merged.words[6], merged.words[7]), (7, 17, UNUSED));
    }

    #[test]
    fn clock_bits_mark_the_written_attributes() {
        assert_eq!(attribute(Semantic::Position, 3), (0, 0));
        assert_eq!(attribute(Semantic::Position, 7), (0, 1));
        assert_eq!(attribute(Semantic::Texcoord0W, 1), (1, 1 << 16));
        assert_eq!(attribute(Semantic::View, 7), (0, 1 << 24));
    }
}
