//! Setup of a draw: output mapping, topology, and vertex input of the geometry unit.
//! In: register state, or executables of a file. Out: plain data, checked. Knows no program.
//! Facts: 3dbrew, GBATEK (registers), libctru (register values for executables).

use crate::error::{At, Error, Kind, Result};
use crate::geometry::{GeometryInput, GeometrySetup, GeometryStage, StagePrimitive, Topology};
use crate::host::registers::{OutputMap, RegisterState, number};
use crate::program::container::{Dvle, GeometryMode, ShaderType, Shbin};

/// Setup of a draw: output mapping, topology, and vertex input of a geometry program.
///
/// It comes from executables of a file ([`from_file`](Self::from_file)) or from these registers
/// ([`from_registers`](Self::from_registers)), in addition to those of both units:
///
/// | register | value |
/// |---|---|
/// | 0x229 | 1..0: 2 if a geometry program runs, else 0; bit 31: variable mode |
/// | 0x244 | bit 0: the fourth unit is configured separately, for geometry |
/// | 0x24A, 0x251 | number of vertex outputs less one |
/// | 0x252 | 7..0: mode, 0 point, 1 variable, 2 fixed; of fixed mode also 11..8: vertices of a primitive less one, 15..12: vectors of a vertex less one, 23..16: first float uniform |
/// | 0x254 | 4..0: in variable mode the number of complete vertices less one |
/// | 0x25E | 9..8: topology, 0 list, 1 strip, 2 fan, 3 geometry |
/// | 0x289 | 3..0: vectors of an invocation (point) or of a vertex (fixed) less one; bit 8: vertices go to float uniforms, in the modes 1 and 2 |
///
/// Sources: 3dbrew's "GPU/Internal Registers" and GBATEK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Mask of the vertex program's forwarded outputs, bit n = on.
    pub vertex_outputs: u16,
    /// Setup of the geometry program, if there is one.
    pub geometry: Option<GeometrySetup>,
    /// Mapping of the last program's outputs to the rasterizer.
    pub map: OutputMap,
    /// Primitive topology.
    pub topology: Topology,
}

/// Returns the error of an invalid setup.
fn wrong<T>(text: impl Into<String>) -> Result<T> {
    Err(Error::setup(text))
}

impl Setup {
    /// Reads the setup from GPU registers.
    ///
    /// # Errors
    /// [`Kind::Setup`] for a geometry mode that does not exist or registers that contradict each
    /// other, and as [`check`](Self::check).
    pub fn from_registers(state: &RegisterState) -> Result<Self> {
        let topology = Topology::from_bits(state.read(number::PRIMITIVE) >> 8);
        let vertex_outputs = state.vertex().output_mask();
        if !state.has_geometry() {
            return Ok(Self { vertex_outputs, geometry: None, map: state.vertex().output_map(), topology });
        }
        let view = state.geometry();
        let geometry = GeometrySetup { input: geometry_input(state)?, outputs: view.output_mask() };
        let setup = Self { vertex_outputs, geometry: Some(geometry), map: view.output_map(), topology };
        setup.check()?;
        Ok(setup)
    }

    /// Returns the number of vertices that a point has before a
    /// [geometry stage](crate::Job::GeometryStage): all of an invocation where no primitive of an
    /// API has as many, else 1. The host then draws points, whose attributes lie as far apart as
    /// those of that many vertices.
    pub fn point_vertices(&self) -> u8 {
        let outputs = self.vertex_outputs.count_ones();
        let primitive = self.geometry.and_then(|setup| GeometryStage::primitive(setup.input, outputs));
        primitive.map_or(1, |(primitive, vectors)| match primitive {
            // Range: both are at most 16.
            StagePrimitive::Points => vectors / (outputs.max(1) as u8),
            _several => 1,
        })
    }

    /// Returns the setup that the system library programs for executables of a file. The map gives
    /// register and component of each output. `stride` is the application's parameter for the
    /// geometry program: vectors of an invocation in point mode, uniforms of a vertex in fixed
    /// mode. It defaults to the number of the vertex program's outputs. The topology is a list, or
    /// geometry with a geometry program.
    ///
    /// # Errors
    /// No such executable or one of the other stage; [`Kind::BadField`] with its offset for a
    /// geometry mode that does not exist or an impossible configuration; and as
    /// [`check`](Self::check).
    pub fn from_file(
        file: &Shbin<'_>,
        vertex: usize,
        geometry: Option<usize>,
        stride: Option<u8>,
    ) -> Result<Self> {
        let mut state = RegisterState::from_dvle(file, vertex, geometry)?;
        let Some(index) = geometry else {
            let map = OutputMap::from_executable(file.executable(vertex)?);
            return Ok(Self { map, ..Self::from_registers(&state)? });
        };
        let executable = file.executable(index)?;
        let count = state.vertex().output_mask().count_ones();
        let stride = stride.map_or(count, u32::from);
        check_header(executable, stride, count)?;
        state.write_masked(number::geometry::INPUT, stride - 1, 1);
        if executable.header.geometry_mode() == Some(GeometryMode::Fixed) {
            let input = state.read(number::GEOMETRY_INPUT) & !0xF000;
            state.write(number::GEOMETRY_INPUT, input | (stride - 1) << 12);
        }
        let mut setup = Self { topology: Topology::Geometry, ..Self::from_registers(&state)? };
        if !executable.header.merges_output_maps() {
            setup.map = OutputMap::from_executable(executable);
        }
        Ok(setup)
    }

    /// As [`from_file`](Self::from_file), for a geometry program with an unknown vertex program:
    /// enough to translate it, not to draw. An invocation in point mode takes `stride` vectors,
    /// sixteen by default. Maps are not merged.
    ///
    /// # Errors
    /// No such executable or a vertex program; [`Kind::BadField`] with its offset for an impossible
    /// configuration.
    pub fn of_geometry(file: &Shbin<'_>, index: usize, stride: Option<u8>) -> Result<Self> {
        let executable = file.executable(index)?;
        if executable.header.shader_type() != Some(ShaderType::Geometry) {
            return wrong(format!("executable {index} is not a geometry program"));
        }
        let stride = stride.unwrap_or(16);
        check_header(executable, stride.into(), 1)?;
        let header = &executable.header;
        let input = match header.geometry_mode() {
            // An invalid mode was rejected above.
            None | Some(GeometryMode::Point) => {
                GeometryInput::Point { inputs: stride, registers: std::array::from_fn(|place| place as u8) }
            }
            Some(GeometryMode::Variable) => GeometryInput::Variable { main: header.geometry_main_vertices },
            Some(GeometryMode::Fixed) => GeometryInput::Fixed {
                first: header.geometry_start,
                vertices: header.geometry_fixed_vertices,
                stride,
            },
        };
        let geometry = GeometrySetup { input, outputs: executable.output_mask() };
        let map = OutputMap::from_executable(executable);
        Ok(Self { vertex_outputs: 0, geometry: Some(geometry), map, topology: Topology::Geometry })
    }

    /// Returns the setup of a geometry program of a file with a vertex program. The default vertex
    /// program is the nearest one of the file, preferably before it. Without any vertex program,
    /// the setup follows from the geometry program alone. `stride` is as for
    /// [`from_file`](Self::from_file).
    ///
    /// # Errors
    /// As [`from_file`](Self::from_file) and [`of_geometry`](Self::of_geometry).
    pub fn with_nearest(
        file: &Shbin<'_>,
        index: usize,
        vertex: Option<usize>,
        stride: Option<u8>,
    ) -> Result<Self> {
        let is_vertex = |&other: &usize| {
            let other = file.executables.get(other);
            other.is_some_and(|other| other.header.shader_type() == Some(ShaderType::Vertex))
        };
        let nearest = || (0..index).rev().chain(index..file.executables.len()).find(is_vertex);
        match vertex.or_else(nearest) {
            Some(vertex) => Self::from_file(file, vertex, Some(index), stride),
            None => Self::of_geometry(file, index, stride),
        }
    }

    /// Checks the constraints that the types do not express.
    ///
    /// # Errors
    /// [`Kind::Setup`]: a vertex program that forwards nothing, registers out
    /// of their banks, or vertices that do not fill an invocation in point mode.
    pub fn check(&self) -> Result<()> {
        self.geometry.map_or(Ok(()), |geometry| geometry.input.check(self.vertex_outputs))
    }
}

/// Reads the vertex input of the geometry unit from its registers.
fn geometry_input(state: &RegisterState) -> Result<GeometryInput> {
    let view = state.geometry();
    let input = state.read(number::GEOMETRY_INPUT);
    // Range of all casts below: four to eight bits.
    let field = |shift: u32, bits: u32| (input >> shift & bits) as u8;
    let mode = field(0, 0xFF);
    let is_variable = state.read(number::GEOMETRY_STAGE) >> 31 != 0;
    if mode > 2 {
        return wrong(format!("register 0x252: geometry mode {mode} but must be 0 to 2"));
    }
    if is_variable != (mode == 1) {
        return wrong(format!(
            "registers 0x229 and 0x252 contradict each other: geometry mode {mode}, but primitives are {}",
            if is_variable { "of any size" } else { "not of any size" }
        ));
    }
    if view.inputs_are_uniforms() != (mode != 0) {
        return wrong(format!(
            "registers 0x252 and 0x289 contradict each other: geometry mode {mode}, but vertices go to {}",
            if view.inputs_are_uniforms() { "uniforms" } else { "input registers" }
        ));
    }
    Ok(match mode {
        0 => {
            let registers = std::array::from_fn(|attribute| {
                let low = number::geometry::PERMUTATION_LOW + attribute as u16 / 8;
                (state.read(low) >> (attribute % 8 * 4) & 15) as u8
            });
            GeometryInput::Point { inputs: view.input_count(), registers }
        }
        1 => GeometryInput::Variable { main: (state.read(number::GEOMETRY_MAIN) & 0x1F) as u8 + 1 },
        _two => {
            let (first, vertices, stride) = (field(16, 0xFF), field(8, 15) + 1, field(12, 15) + 1);
            if stride != view.input_count() {
                return wrong(format!(
                    "registers 0x252 and 0x289 contradict each other: {stride} and {} vectors from one vertex to the next",
                    view.input_count()
                ));
            }
            GeometryInput::Fixed { first, vertices, stride }
        }
    })
}

/// Checks the geometry fields of an executable against the stride and the number of vertex outputs.
fn check_header(executable: &Dvle<'_>, stride: u32, outputs: u32) -> Result<()> {
    if !(1..=16).contains(&stride) {
        return wrong(format!("the stride of vertices is {stride} but must be 1 to 16"));
    }
    let header = &executable.header;
    let bad = |field: u32, what: &'static str, value: u8, allowed: &'static str| {
        let kind = Kind::BadField { what, value: u32::from(value), allowed };
        Err(Error::new(kind, At::Offset(executable.start + field)))
    };
    match header.geometry_mode() {
        None => bad(0x14, "geometry mode", header.geometry_mode, "0 to 2"),
        Some(GeometryMode::Point) => Ok(()),
        Some(GeometryMode::Variable) => match header.geometry_main_vertices {
            1..=32 => Ok(()),
            main => bad(0x16, "number of main vertices", main, "1 to 32"),
        },
        Some(GeometryMode::Fixed) => {
            let (first, vertices) = (header.geometry_start, header.geometry_fixed_vertices);
            if !(1..=16).contains(&vertices) {
                return bad(0x17, "number of vertices of a primitive", vertices, "1 to 16");
            }
            // Range of the cast: at most 16.
            if GeometryInput::fixed_fits(first, vertices, stride as u8, outputs as usize).is_err() {
                return bad(0x15, "first uniform of vertices", first, "low enough to end at c95");
            }
            Ok(())
        }
    }
}
