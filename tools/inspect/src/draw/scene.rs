//! Triangles of a mesh drawn with the programs of a file, on the reference machine.
//! In: a file, a mesh, a view, values for uniforms. Out: triangles with the way to show them, and
//! for a draw elsewhere the same vertices and indices. With a geometry program the whole pipeline
//! runs.

use transpica::container::{Semantic, ShaderType};
use transpica::geometry::{GeometryInput, GeometrySetup};
use transpica::host::{HostValues, Output, OutputMap, dvle, varying};
use transpica::interp::Settings;
use transpica::{Error, Options, Profile, Setup, Shbin, Stage};
use transpica_asm::vertex::point_inputs;
use transpica_draw::cpu::{DrawLimits, Pipeline, Triangles};

use super::adjacency::Adjacency;
use super::guess::{self, Camera};
use super::looks::{By, Look};
use super::mesh::Mesh;
use super::{Corner, MOST_TRIANGLES, Triangle, form};
use crate::results;
use crate::state::{Registers, State, bits, floats};
use crate::symbols::Symbols;

/// Limit of instructions per vertex or invocation.
pub const BUDGET: u64 = 1 << 20;

/// Limit of instructions of a draw.
pub const DRAW_BUDGET: u64 = 1 << 30;

/// Output that has a shown register in place of its own components: the only one of four components
/// that nothing converts.
const SHOWN_REGISTER: Semantic = Semantic::Quaternion;

/// Programs of a file that are drawn together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pick {
    /// Number of the vertex program.
    pub vertex: usize,
    /// Number of the geometry program.
    pub geometry: Option<usize>,
}

impl Pick {
    /// Returns the programs that a draw without a selection takes, or those of a selected one;
    /// nothing for a geometry program that no vertex program feeds.
    pub fn new(file: &Shbin<'_>, dvle: Option<usize>) -> Option<Self> {
        let index = dvle.unwrap_or(0);
        let is_geometry = |index| stage(file, index) == Some(ShaderType::Geometry);
        if !is_geometry(index) {
            let geometry = Some(index + 1).filter(|&next| dvle.is_none() && is_geometry(next));
            return Some(Self { vertex: index, geometry });
        }
        let is_vertex = |&other: &usize| stage(file, other) == Some(ShaderType::Vertex);
        let vertex = (0..index).rev().chain(index + 1..file.executables.len()).find(is_vertex)?;
        Some(Self { vertex, geometry: Some(index) })
    }

    /// Returns the program whose outputs are shown.
    pub fn shown(self) -> usize {
        self.geometry.unwrap_or(self.vertex)
    }
}

/// Returns the stage of an executable.
pub fn stage(file: &Shbin<'_>, index: usize) -> Option<ShaderType> {
    file.executables.get(index)?.header.shader_type()
}

/// Failure of a draw.
#[derive(Debug)]
pub enum SceneError {
    /// An error of the library.
    Program(Error),
    /// Nothing to show: a message, and advice.
    Choice(String, Option<String>),
}

impl From<Error> for SceneError {
    fn from(error: Error) -> Self {
        Self::Program(error)
    }
}

/// Triangles with the way to show them.
pub struct Shown {
    /// Triangles in clip space.
    pub triangles: Vec<Triangle>,
    /// The way to show their values.
    pub look: &'static Look,
    /// The program draws in one color, to which [`form::light`] added a light.
    pub is_lit: bool,
}

/// The chosen output, among those that triangles have.
pub struct Choice {
    /// Place of the position.
    pub position: usize,
    /// The output or register itself.
    pub by: By,
    /// Place of the shown output.
    pub value: usize,
    /// Number of vectors of a vertex.
    pub count: usize,
}

impl Choice {
    /// Returns the corner that a vertex is; zeros for missing vectors.
    pub fn corner(&self, vectors: &[[f32; 4]]) -> Corner {
        [self.position, self.value].map(|place| vectors.get(place).copied().unwrap_or_default())
    }
}

/// Programs of a file with what they are drawn with.
pub struct Scene<'a> {
    /// The file.
    pub file: &'a Shbin<'a>,
    /// The programs.
    pub pick: Pick,
    /// The mesh.
    pub mesh: &'a Mesh,
    /// The shown output; the first of [`By::DEFAULT`] without one.
    pub by: Option<By>,
    /// Options of the programs.
    pub options: Options,
    /// Uniforms of the vertex program and the geometry program.
    pub states: [State; 2],
    /// v0..v15 of each vertex of the mesh.
    pub vertices: Vec<[[f32; 4]; 16]>,
    /// The view that the uniforms are guessed for.
    pub view: Camera,
    /// Add a light where a program has one color.
    pub is_lit: bool,
}

/// The input of a draw with a geometry program.
pub struct ChainInput {
    /// Configuration of the draw, with a shown register among its outputs.
    pub setup: Setup,
    /// v0..v15 of each vertex.
    pub vertices: Vec<[[f32; 4]; 16]>,
    /// Vertices in the order in which they feed the geometry program.
    pub indices: Vec<u32>,
}

impl<'a> Scene<'a> {
    /// Builds a scene with values that are guessed from names, and the constants of the file.
    ///
    /// # Errors
    /// No such program.
    pub fn new(file: &'a Shbin<'a>, pick: Pick, mesh: &'a Mesh, view: &Camera) -> Result<Self, Error> {
        let executable = |index| file.executable(index);
        let vertex = Symbols::new(executable(pick.vertex)?);
        let geometry = pick.geometry.map(executable).transpose()?.map(Symbols::new).unwrap_or_default();
        let constants = dvle::constants(executable(pick.vertex)?);
        let vertices = guess::attributes(mesh, vertex.as_slice(), guess::color_steps(&constants));
        let mut states = guess::uniforms([vertex.as_slice(), geometry.as_slice()], view)
            .map(|uniforms| State::new(uniforms, Vec::new()));
        for (state, index) in states.iter_mut().zip([Some(pick.vertex), pick.geometry]) {
            if let Some(index) = index {
                dvle::constants(executable(index)?).apply(&mut state.uniforms);
            }
        }
        let (options, view) = (Options::default(), view.clone());
        Ok(Self { file, pick, mesh, by: None, options, states, vertices, view, is_lit: false })
    }

    /// Returns the uniforms of the program whose outputs are shown, to be changed.
    pub fn shown_state(&mut self) -> &mut State {
        let [vertex, geometry] = &mut self.states;
        if self.pick.geometry.is_some() { geometry } else { vertex }
    }

    /// Gives all vertices of the mesh the attributes of a state file.
    pub fn set_attributes(&mut self, attributes: &[(usize, [u32; 4])]) {
        for &(register, bits) in attributes {
            self.vertices.iter_mut().for_each(|vertex| vertex[register] = bits.map(f32::from_bits));
        }
    }

    /// Returns the names of what a picture can show: outputs and registers.
    ///
    /// # Errors
    /// Programs that do not fit together.
    pub fn shows(&self) -> Result<Vec<String>, Error> {
        let outputs = self.outputs()?;
        let mut names: Vec<String> = Vec::new();
        for semantic in outputs.iter().filter_map(|output| output.semantic) {
            let name = By::Output(semantic).name();
            if By::parse(&name).is_ok() && !names.contains(&name) {
                names.push(name);
            }
        }
        names.extend((0..16).map(|register| By::Register(register).name()));
        Ok(names)
    }

    /// Returns the outputs of a vertex that the rasterizer receives.
    ///
    /// # Errors
    /// Programs that do not fit together.
    pub fn outputs(&self) -> Result<Vec<Output>, Error> {
        Ok(varying::outputs(&self.output_map()?, &self.options, &Profile::default()))
    }

    /// Returns the mapping to those outputs. A shown register is one of them.
    ///
    /// # Errors
    /// Programs that do not fit together.
    pub fn output_map(&self) -> Result<OutputMap, Error> {
        match self.pick.geometry {
            None => Ok(self.showing(OutputMap::from_executable(self.file.executable(self.pick.vertex)?))),
            Some(geometry) => Ok(self.setup(geometry)?.map),
        }
    }

    /// Adds a shown register to a map.
    fn showing(&self, map: OutputMap) -> OutputMap {
        match self.by {
            Some(By::Register(register)) => map.with(SHOWN_REGISTER, register),
            Some(By::Output(_) | By::Normal) | None => map,
        }
    }

    /// Draws on the reference machine.
    ///
    /// # Errors
    /// A program that cannot run or exceeds its budget; an output that it does not have.
    pub fn shown(&self) -> Result<Shown, SceneError> {
        match self.pick.geometry {
            None => self.of_registers(&self.registers()?),
            Some(geometry) => {
                let input = self.chain(geometry)?;
                self.of_chain(geometry, &input, |choice, drawn| {
                    drawn.triangles().map(|triangle| triangle.map(|vectors| choice.corner(vectors))).collect()
                })
            }
        }
    }

    /// Limit of the instructions of one vertex.
    pub fn budget(&self) -> u64 {
        BUDGET.min(DRAW_BUDGET / self.vertices.len().max(1) as u64)
    }

    /// Returns the state of the vertex program with the vertices of the mesh.
    pub fn vertex_state(&self) -> State {
        let [state, _] = &self.states;
        State { vertices: self.vertices.iter().map(bits).collect(), ..state.clone() }
    }

    /// Runs the vertex program for all vertices.
    ///
    /// # Errors
    /// A program that cannot run or exceeds its budget.
    pub fn registers(&self) -> Result<Vec<Registers>, Error> {
        let program = dvle::program(self.file, self.pick.vertex, &self.options.limits)?;
        let settings = Settings { budget: self.budget(), ..Settings::default() };
        results::interpret(&program, &self.vertex_state(), settings, None)
    }

    /// Returns the triangles of output registers of a vertex program, one set a vertex of the mesh.
    ///
    /// # Errors
    /// An output that the program does not have.
    pub fn of_registers(&self, registers: &[Registers]) -> Result<Shown, SceneError> {
        let outputs = self.outputs()?;
        let choice = self.choice(&outputs)?;
        let host = HostValues::default();
        let corners: Vec<_> = registers
            .iter()
            .map(|registers| {
                let registers = floats(registers);
                let value = |place: usize| outputs[place].value(&registers, &self.options, &host);
                [choice.position, choice.value].map(value)
            })
            .collect();
        let corner = |vertex: u32| corners.get(vertex as usize).copied();
        let triangles = self.mesh.triangles.iter();
        let triangles =
            triangles.filter_map(|&[a, b, c]| Some([corner(a)?, corner(b)?, corner(c)?])).collect();
        Ok(self.of_triangles(&choice, triangles))
    }

    /// Adds what is shown of the triangles themselves.
    fn of_triangles(&self, choice: &Choice, mut triangles: Vec<Triangle>) -> Shown {
        if choice.by == By::Normal {
            form::show_normals(&mut triangles, &self.view);
        }
        let is_color = choice.by == By::Output(Semantic::Color);
        let is_lit = self.is_lit && is_color && form::light(&mut triangles, &self.view);
        Shown { triangles, look: choice.by.look(), is_lit }
    }

    /// Chooses the shown output.
    ///
    /// # Errors
    /// No position, or no such output.
    pub fn choice(&self, outputs: &[Output]) -> Result<Choice, SceneError> {
        let place = |semantic| outputs.iter().position(|output| output.semantic == Some(semantic));
        let position = place(Semantic::Position)
            .ok_or_else(|| SceneError::Choice("the program has no position".into(), None))?;
        let first = || By::DEFAULT.into_iter().find(|&semantic| place(semantic).is_some());
        let by = self.by.unwrap_or_else(|| By::Output(first().unwrap_or(Semantic::Position)));
        let semantic = match by {
            By::Register(_) => SHOWN_REGISTER,
            By::Output(semantic) => semantic,
            By::Normal => Semantic::Position,
        };
        let value = place(semantic).ok_or_else(|| {
            let has = outputs.iter().filter_map(|output| output.semantic);
            let has: Vec<String> = has.map(|semantic| By::Output(semantic).name()).collect();
            let message = format!("the program has no output {}", by.name());
            let hint = format!("--by takes {}, normal, or a register o0 to o15", has.join(", "));
            SceneError::Choice(message, Some(hint))
        })?;
        Ok(Choice { position, by, value, count: outputs.len() })
    }

    /// Vectors of an invocation of a geometry program in point mode.
    fn stride(&self, geometry: usize, outputs: u16) -> Result<Option<u8>, Error> {
        let outputs = outputs.count_ones();
        let setup = Setup::of_geometry(self.file, geometry, None)?;
        let is_point = |geometry: GeometrySetup| matches!(geometry.input, GeometryInput::Point { .. });
        if outputs == 0 || !setup.geometry.is_some_and(is_point) {
            return Ok(None);
        }
        Ok(Some(point_inputs(self.file, geometry, outputs)?))
    }

    /// Returns the configuration of a draw with a geometry program. It forwards a shown register.
    fn setup(&self, geometry: usize) -> Result<Setup, Error> {
        let stride = self.stride(geometry, self.vertex_outputs()?)?;
        let mut setup = Setup::from_file(self.file, self.pick.vertex, Some(geometry), stride)?;
        setup.map = self.showing(setup.map);
        if let (Some(By::Register(register)), Some(geometry)) = (self.by, &mut setup.geometry) {
            geometry.outputs |= 1 << (register & 15);
        }
        Ok(setup)
    }

    /// Returns the mask of the outputs that the vertex program forwards.
    fn vertex_outputs(&self) -> Result<u16, Error> {
        Ok(self.file.executable(self.pick.vertex)?.output_mask())
    }

    /// Returns the pipeline of a draw with a geometry program.
    fn pipeline(&self, geometry: usize, setup: Setup) -> Result<Pipeline, Error> {
        let program = |index| dvle::program(self.file, index, &self.options.limits);
        let (vertex, geometry) = (program(self.pick.vertex)?, program(geometry)?);
        let mut pipeline = Pipeline::new(&vertex, Some(&geometry), setup, &self.options)?;
        for (stage, state) in [Stage::Vertex, Stage::Geometry].into_iter().zip(&self.states) {
            pipeline.set_uniforms(stage, &state.uniforms);
        }
        // Range: 2^18.
        let triangles = MOST_TRIANGLES as u32;
        pipeline.set_limits(DrawLimits {
            steps: BUDGET,
            draw_steps: DRAW_BUDGET,
            triangles,
            ..DrawLimits::default()
        });
        Ok(pipeline)
    }

    /// Returns what a draw with a geometry program takes.
    ///
    /// # Errors
    /// Programs that do not fit together.
    pub fn chain(&self, geometry: usize) -> Result<ChainInput, Error> {
        let setup = self.setup(geometry)?;
        let input = setup.geometry.map(|geometry| geometry.input);
        let mut vertices = self.vertices.clone();
        let indices = self.indices(input, self.vertex_outputs()?, &mut vertices);
        Ok(ChainInput { setup, vertices, indices })
    }

    /// Draws a chain on the reference machine, and returns what `convert` makes of the result:
    /// vectors of a draw elsewhere may take its place.
    ///
    /// # Errors
    /// A program that cannot run or exceeds its budget; an output that it does not have.
    pub fn of_chain(
        &self,
        geometry: usize,
        input: &ChainInput,
        convert: impl FnOnce(&Choice, &Triangles) -> Vec<Triangle>,
    ) -> Result<Shown, SceneError> {
        let mut pipeline = self.pipeline(geometry, input.setup)?;
        let drawn = pipeline.draw(&input.vertices, Some(&input.indices))?;
        let choice = self.choice(drawn.outputs())?;
        Ok(self.of_triangles(&choice, convert(&choice, &drawn)))
    }

    /// Returns the indices that feed a geometry program. For neighbors, the number is w of a
    /// position.
    fn indices(
        &self,
        input: Option<GeometryInput>,
        outputs: u16,
        vertices: &mut [[[f32; 4]; 16]],
    ) -> Vec<u32> {
        let adjacency = Adjacency::new(self.mesh);
        let outputs = outputs.count_ones().max(1);
        match input {
            Some(GeometryInput::Variable { .. }) => {
                for (vertex, valence) in vertices.iter_mut().zip(adjacency.valences()) {
                    // Range: numbers of neighbors are small.
                    vertex[0][3] = valence as f32;
                }
                adjacency.with_rings()
            }
            Some(GeometryInput::Point { inputs, .. }) => match u32::from(inputs) / outputs {
                0..=2 => adjacency.places(),
                6 => adjacency.with_neighbors(),
                _more => self.mesh.triangles.as_flattened().to_vec(),
            },
            Some(GeometryInput::Fixed { .. }) | None => adjacency.places(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::mesh::BuiltIn;
    use crate::draw::{Corner, Size};

    /// Returns the corners of a draw of a sample that shows an output or register.
    fn corners(file: &Shbin<'_>, by: By) -> Vec<Corner> {
        let mesh = Mesh::built_in(BuiltIn::Cube);
        let pick = Pick::new(file, None).expect("a vertex program");
        let scene = Scene::new(file, pick, &mesh, &Camera::new(Size::SCREEN, 0.6)).expect("a sample");
        let scene = Scene { by: Some(by), ..scene };
        scene.shown().unwrap_or_else(|error| panic!("{error:?}")).triangles.into_flattened()
    }

    #[test]
    fn a_shown_register_has_the_values_of_the_machine() {
        let bytes = std::fs::read("../../shaders/uber.shbin").expect("a sample");
        let file = Shbin::parse(&bytes).expect("a file");
        let mesh = Mesh::built_in(BuiltIn::Cube);
        let pick = Pick { vertex: 0, geometry: None };
        let scene = Scene::new(&file, pick, &mesh, &Camera::new(Size::SCREEN, 0.6)).expect("a sample");
        let registers = scene.registers().expect("a run");
        let order = mesh.triangles.as_flattened();
        for register in 0..16 {
            let shown = corners(&file, By::Register(register));
            let bits = shown.iter().map(|[_, value]| value.map(f32::to_bits));
            let machine = order.iter().map(|&vertex| registers[vertex as usize][usize::from(register)]);
            assert!(bits.eq(machine), "o{register}");
        }
    }

    #[test]
    fn a_shown_register_of_a_geometry_program_has_the_values_of_its_output() {
        for name in ["banks", "subdivision"] {
            let bytes = std::fs::read(format!("../../shaders/{name}.shbin")).expect("a sample");
            let file = Shbin::parse(&bytes).expect("a file");
            let color = corners(&file, By::Output(Semantic::Color));
            let clamped = |[place, value]: Corner| [place, value.map(|x| x.abs().min(1.0))];
            let register = corners(&file, By::Register(1)).into_iter().map(clamped);
            assert!(!color.is_empty() && register.eq(color.iter().copied()), "{name}: color in o1");
            // z becomes the depth of the host.
            let places = |[[x, y, _, w], value]: &Corner| ([*x, *y, *w], [value[0], value[1], value[3]]);
            let shown = corners(&file, By::Register(0));
            assert!(shown.iter().map(places).all(|(position, value)| position == value), "{name}: o0");
            // Positions do not depend on the shown register, also of one that nothing writes.
            let unwritten = corners(&file, By::Register(9));
            let is_same = |(a, b): (&Corner, &Corner)| a[0] == b[0] && b[1] == [0.0, 0.0, 0.0, 1.0];
            assert!(color.iter().zip(&unwritten).all(is_same), "{name}: o9");
        }
    }
}
