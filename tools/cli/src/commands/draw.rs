//! `transpica draw`: a mesh drawn with a program, or a sheet of all programs of a folder.
//! In: a file, a mesh, values for uniforms. Out: a PNG file.
//! A vertex program runs in the interpreter or in its compute entry on the GPU; with a geometry
//! program behind it the whole pipeline runs, on either. See [`crate::draw`] for the rest.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use transpica::stages::cfg::reach::reach;
use transpica::stages::container::{Semantic, ShaderType, Shbin};
use transpica::stages::draw::cpu::{DrawLimits, Pipeline};
use transpica::stages::geometry::GeometryInput;
use transpica::stages::host::dvle::{self, FileEnvironment};
use transpica::stages::host::{HostValues, Options, Output, OutputMap, Profile, Setup, varying};
use transpica::stages::interp::{Settings, Uniforms};
use transpica::stages::isa::limits::FLOATS;
use transpica::stages::isa::{Inst, Source, Stage};

use super::geometry;
use super::on_gpu::{self, Gpu};
use super::{GpuRun, Input, run as on_cpu};
use crate::args::{Common, Draw, Machine, MeshName};
use crate::draw::adjacency::Adjacency;
use crate::draw::guess::{self, View};
use crate::draw::looks::{By, Look};
use crate::draw::mesh::Mesh;
use crate::draw::picture::{self, Picture};
use crate::draw::sheet::{self, Cell};
use crate::draw::{MOST_TRIANGLES, Size, Triangle, obj, raster, wire};
use crate::files;
use crate::report::Failure;
use crate::state::State;
use crate::symbols::Symbols;

/// Limit of instructions per vertex or invocation.
const BUDGET: u64 = 1 << 20;

/// Limit of instructions of a draw.
const DRAW_BUDGET: u64 = 1 << 30;

/// Limit of the pixels of all frames, or of all cells of a sheet.
const MOST_PIXELS: u64 = 1 << 26;

/// Angle of the first frame in radians: the corner of a cube, not its face.
const START: f64 = 0.6;

/// Programs of a file that are drawn together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pick {
    vertex: usize,
    geometry: Option<usize>,
}

/// A draw with a geometry program.
pub struct Chain<'a, 'f> {
    pub file: &'a Shbin<'f>,
    /// Numbers of the vertex program and the geometry program.
    pub programs: [usize; 2],
    /// See [`Setup::from_file`].
    pub stride: Option<u8>,
    pub options: Options,
    pub uniforms: [&'a Uniforms; 2],
    pub vertices: &'a [[[f32; 4]; 16]],
    pub indices: &'a [u32],
}

/// Programs of a file with what they are drawn with.
struct Drawing<'a> {
    input: &'a Input,
    file: &'a Shbin<'a>,
    pick: Pick,
    mesh: &'a Mesh,
    state: Option<&'a Path>,
    by: Option<By>,
    is_wireframe: bool,
    size: Size,
}

/// Executes the command.
pub fn run(arguments: &Draw, common: &Common) -> Result<(), Failure> {
    let mesh = match &arguments.mesh {
        MeshName::BuiltIn(name) => Mesh::built_in(*name),
        MeshName::File(path) => obj::parse(&files::read(path)?)
            .map_err(|error| Failure::new(format!("{}: {error}", path.display())))?,
    };
    let needs_gpu = arguments.difference || arguments.on == Machine::Gpu;
    let gpu = needs_gpu.then(|| on_gpu::open(arguments.adapter.as_deref(), common)).transpose()?;
    if arguments.file.is_dir() {
        return draw_sheet(arguments, &mesh, gpu.as_ref(), common);
    }
    let size = arguments.size.unwrap_or(Size::SCREEN);
    check_pixels(size, arguments.frames.into())?;
    let input = Input::read(&arguments.file)?;
    let file = input.parse()?;
    let pick = chosen(&input, &file, arguments.dvle)?;
    let drawing = Drawing {
        input: &input,
        file: &file,
        pick,
        mesh: &mesh,
        state: arguments.state.as_deref(),
        by: arguments.by,
        is_wireframe: arguments.wireframe,
        size,
    };
    let mut frames = Vec::new();
    for frame in 0..arguments.frames {
        let angle = START + std::f64::consts::TAU * f64::from(frame) / f64::from(arguments.frames);
        frames.push(match &gpu {
            Some(gpu) if arguments.difference => drawing.compared(angle, gpu, common)?,
            gpu => drawing.picture(angle, gpu.as_ref())?,
        });
    }
    let is_empty = frames.iter().all(|frame| frame.pixels.iter().all(|&pixel| pixel == picture::BACKGROUND));
    if is_empty {
        common.warn("the picture is empty; set the uniforms of the program with --state");
    }
    write(&frames, arguments.output.as_deref())
}

fn write(frames: &[Picture], output: Option<&Path>) -> Result<(), Failure> {
    let bytes = picture::encode(frames)
        .map_err(|error| Failure::new(format!("cannot encode a PNG file: {error}")))?;
    files::write(output, &bytes)
}

fn check_pixels(size: Size, count: u64) -> Result<(), Failure> {
    let pixels = u64::from(size.width) * u64::from(size.height) * count;
    if pixels <= MOST_PIXELS {
        return Ok(());
    }
    let Size { width, height } = size;
    Err(Failure::usage(format!(
        "{count} pictures of {width}x{height} are {pixels} pixels, at most {MOST_PIXELS} are drawn"
    ))
    .hint("choose a smaller --size or fewer --frames"))
}

/// Returns the stage of an executable.
fn stage(file: &Shbin<'_>, index: usize) -> Option<ShaderType> {
    file.executables.get(index)?.header.shader_type()
}

/// Returns the programs that a draw without a selection takes, or those of a selected one.
fn chosen(input: &Input, file: &Shbin<'_>, dvle: Option<usize>) -> Result<Pick, Failure> {
    let index = dvle.unwrap_or(0);
    let is_geometry = |index| stage(file, index) == Some(ShaderType::Geometry);
    if !is_geometry(index) {
        let geometry = Some(index + 1).filter(|&next| dvle.is_none() && is_geometry(next));
        return Ok(Pick { vertex: index, geometry });
    }
    let is_vertex = |&other: &usize| stage(file, other) == Some(ShaderType::Vertex);
    let vertex = (0..index).rev().chain(index + 1..file.executables.len()).find(is_vertex);
    let vertex = vertex.ok_or_else(|| {
        let path = input.path.display();
        Failure::new(format!(
            "{path}: DVLE {index} is a geometry program, and no vertex program is there to feed it"
        ))
        .hint("assemble both into one file: transpica asm NAME.v.pica NAME.g.pica -o NAME.shbin")
    })?;
    Ok(Pick { vertex, geometry: Some(index) })
}

/// Returns every draw of a file: vertex programs, and geometry programs with theirs.
fn all(input: &Input, file: &Shbin<'_>) -> Vec<Result<Pick, Failure>> {
    let is_geometry = |index| stage(file, index) == Some(ShaderType::Geometry);
    let indices = 0..file.executables.len();
    // The vertex program in front of a geometry program is its half.
    let picked = indices.filter(|&index| is_geometry(index) || !is_geometry(index + 1));
    picked.map(|index| chosen(input, file, Some(index))).collect()
}

/// Draws all programs of a folder.
fn draw_sheet(arguments: &Draw, mesh: &Mesh, gpu: Option<&Gpu>, common: &Common) -> Result<(), Failure> {
    let size = arguments.size.unwrap_or(Size::CELL);
    let paths = files::shaders(std::slice::from_ref(&arguments.file))?;
    let cells = |path: &PathBuf| cells(arguments, path, mesh, gpu, size);
    // A device draws one picture after the other.
    let cells: Vec<_> = match gpu {
        Some(_) => paths.iter().flat_map(cells).collect(),
        None => paths.par_iter().flat_map_iter(cells).collect(),
    };
    if cells.len() > sheet::MOST_CELLS {
        let message = format!("{} programs, a sheet has at most {}", cells.len(), sheet::MOST_CELLS);
        return Err(Failure::new(message).hint("draw a folder with fewer files"));
    }
    check_pixels(size, cells.len() as u64)?;
    let count = cells.len();
    let mut failed = 0;
    let cells: Vec<Cell> = cells
        .into_iter()
        .map(|(text, picture)| {
            if let Err(failure) = &picture {
                failure.print(common.color);
                failed += 1;
            }
            Cell { picture: picture.ok(), text }
        })
        .collect();
    write(&[sheet::sheet(&cells, size)], arguments.output.as_deref())?;
    match failed {
        0 => Ok(()),
        _ => Err(Failure::new(format!("{failed} of {count} cells are crossed"))),
    }
}

/// Name of a cell and its picture.
type Named = ([String; 2], Result<Picture, Failure>);

/// Draws the cells of one file.
fn cells(arguments: &Draw, path: &Path, mesh: &Mesh, gpu: Option<&Gpu>, size: Size) -> Vec<Named> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let failed = |failure| vec![([name.clone(), String::new()], Err(failure))];
    let input = match Input::read(path) {
        Ok(input) => input,
        Err(failure) => return failed(failure),
    };
    let file = match input.parse() {
        Ok(file) => file,
        Err(failure) => return failed(failure),
    };
    let cell = |pick: Result<Pick, Failure>| {
        let pick = match pick {
            Ok(pick) => pick,
            Err(failure) => return ([name.clone(), String::new()], Err(failure)),
        };
        let shown = pick.geometry.unwrap_or(pick.vertex);
        let label = file.executables.get(shown).and_then(|executable| executable.entry_label());
        let entry = label.map_or_else(|| format!("DVLE {shown}"), |label| label.to_text().to_string());
        let (by, is_wireframe) = (arguments.by, arguments.wireframe);
        let drawing = Drawing { input: &input, file: &file, pick, mesh, state: None, by, is_wireframe, size };
        ([name.clone(), entry], drawing.picture(START, gpu))
    };
    all(&input, &file).into_iter().map(cell).collect()
}

/// Triangles with the way to show them.
struct Shown {
    triangles: Vec<Triangle>,
    look: &'static Look,
}

/// The chosen output, among those that triangles have.
struct Choice {
    position: usize,
    by: By,
    /// Nothing for a register.
    value: Option<usize>,
}

impl Drawing<'_> {
    fn options(&self) -> Options {
        Options::default()
    }

    /// Draws on a GPU, or on the CPU without one.
    fn picture(&self, angle: f64, gpu: Option<&Gpu>) -> Result<Picture, Failure> {
        let Shown { mut triangles, look } = self.triangles(angle, gpu)?;
        if self.is_wireframe {
            triangles = wire::edges(&triangles, self.size);
        }
        match gpu {
            Some(gpu) => on_gpu::paint(gpu, &triangles, look, self.size),
            None => raster::paint(&triangles, look, self.size).map_err(|raster::TooMuch| {
                self.fail("the triangles cover more than 2^31 pixels").hint("choose a smaller --size")
            }),
        }
    }

    /// Draws on both, side by side.
    fn compared(&self, angle: f64, gpu: &Gpu, common: &Common) -> Result<Picture, Failure> {
        let (cpu, gpu) = (self.picture(angle, None)?, self.picture(angle, Some(gpu))?);
        let (differing, count) = cpu.difference(&gpu);
        let text = format!("{count} of {} pixels differ", differing.pixels.len());
        common.detail(format_args!("{}: {text}", self.input.name()));
        Ok(picture::side_by_side(&[(&cpu, "CPU"), (&gpu, "GPU"), (&differing, &text)]))
    }

    fn fail(&self, what: &str) -> Failure {
        Failure::new(format!("{}: {what}", self.input.path.display()))
    }

    fn triangles(&self, angle: f64, gpu: Option<&Gpu>) -> Result<Shown, Failure> {
        let error = |error| self.input.fail(&error);
        let executable = |index| self.file.executable(index).map_err(error);
        let vertex = Symbols::new(executable(self.pick.vertex)?);
        let geometry = self.pick.geometry.map(executable).transpose()?.map(Symbols::new).unwrap_or_default();
        let guessed = guess::uniforms([vertex.all(), geometry.all()], &View::new(self.size, angle));
        let constants = dvle::constants(executable(self.pick.vertex)?);
        let vertices = guess::attributes(self.mesh, vertex.all(), guess::color_steps(&constants));
        match self.pick.geometry {
            None => self.vertex_triangles(&guessed[0], &vertices, gpu),
            Some(geometry) => self.chain_triangles(geometry, guessed, vertices, gpu),
        }
    }

    /// Sets the constants of an executable and what the state file says.
    fn complete(&self, index: usize, guessed: &Uniforms) -> Result<State, Failure> {
        let name = self.input.name();
        let environment =
            FileEnvironment::new(self.file, index, &name).map_err(|error| self.input.fail(&error))?;
        let mut uniforms = guessed.clone();
        environment.constants().apply(&mut uniforms);
        let is_selected = index == self.pick.geometry.unwrap_or(self.pick.vertex);
        match self.state.filter(|_| is_selected) {
            Some(path) => on_cpu::read_state(
                path,
                uniforms,
                Stage::Vertex,
                &Symbols::new(self.file.executable(index).map_err(|error| self.input.fail(&error))?),
            ),
            None => Ok(State {
                uniforms,
                floats_set: [false; FLOATS],
                vertices: Vec::new(),
                delivered: Vec::new(),
            }),
        }
    }

    /// Chooses the shown output.
    fn choice(&self, outputs: &[Output]) -> Result<Choice, Failure> {
        let place = |semantic| outputs.iter().position(|output| output.semantic == Some(semantic));
        let position = place(Semantic::Position).ok_or_else(|| self.fail("the program has no position"))?;
        let first = || By::DEFAULT.into_iter().find(|&semantic| place(semantic).is_some());
        let by = self.by.unwrap_or_else(|| By::Output(first().unwrap_or(Semantic::Position)));
        let value = match by {
            By::Register(_) => None,
            By::Output(semantic) => Some(place(semantic).ok_or_else(|| {
                let has = outputs.iter().filter_map(|output| output.semantic);
                let has: Vec<String> = has.map(|semantic| By::Output(semantic).name()).collect();
                let message = format!("the program has no output {}", by.name());
                self.fail(&message)
                    .hint(format!("--by shows one of {}, or a register o0 to o15", has.join(", ")))
            })?),
        };
        Ok(Choice { position, by, value })
    }

    fn vertex_triangles(
        &self,
        guessed: &Uniforms,
        vertices: &[[[f32; 4]; 16]],
        gpu: Option<&Gpu>,
    ) -> Result<Shown, Failure> {
        let error = |error| self.input.fail(&error);
        let index = self.pick.vertex;
        let options = self.options();
        let program = self.input.program(self.file, index, &options.limits)?;
        let map = OutputMap::from_executable(self.file.executable(index).map_err(error)?);
        let outputs = varying::outputs(&map, &options, &Profile::default());
        let choice = self.choice(&outputs)?;
        let mut state = self.complete(index, guessed)?;
        state.vertices =
            vertices.iter().map(|vertex| vertex.map(|register| register.map(f32::to_bits))).collect();
        let budget = BUDGET.min(DRAW_BUDGET / state.vertices.len().max(1) as u64);
        let settings = Settings { budget, ..Settings::default() };
        // Also before a run on the GPU: a program that exceeds its budget must not reach it.
        let mut registers = on_cpu::interpret(&program, &state, settings, None).map_err(error)?;
        if let Some(gpu) = gpu {
            let name = self.input.name();
            let environment = FileEnvironment::new(self.file, index, &name).map_err(error)?;
            let wanted = GpuRun {
                program: &program,
                environment: &environment,
                view: geometry::View { mask: 0, json: false, symbols: &Symbols::default() },
                state: &state,
                options,
                budget,
                adapter: None,
                route: None,
            };
            registers = on_gpu::registers(gpu, &wanted, self.input)?;
        }
        let host = HostValues::default();
        let corners: Vec<_> = registers
            .iter()
            .map(|registers| {
                let registers = registers.map(|register| register.map(f32::from_bits));
                let value = |place: usize| outputs[place].value(&registers, &options, &host);
                let shown = match choice.by {
                    By::Register(register) => registers[usize::from(register)],
                    By::Output(_) => value(choice.value.unwrap_or(choice.position)),
                };
                [value(choice.position), shown]
            })
            .collect();
        let triangles = self.mesh.triangles.iter();
        let triangles = triangles.map(|triangle| triangle.map(|vertex| corners[vertex as usize])).collect();
        Ok(Shown { triangles, look: choice.by.look() })
    }

    /// Vectors of an invocation of a geometry program in point mode: as many as it reads, in
    /// complete vertices.
    fn stride(&self, geometry: usize, outputs: u16) -> Result<Option<u8>, Failure> {
        let error = |error| self.input.fail(&error);
        let outputs = outputs.count_ones();
        let setup = Setup::of_geometry(self.file, geometry, None).map_err(error)?;
        let is_point = match setup.geometry.map(|geometry| geometry.input) {
            Some(GeometryInput::Point { .. }) => true,
            Some(GeometryInput::Variable { .. } | GeometryInput::Fixed { .. }) | None => false,
        };
        if !is_point || outputs == 0 {
            return Ok(None);
        }
        let program = self.input.program(self.file, geometry, &self.options().limits)?;
        let mut read = 0;
        reach(&program, |pc, _| {
            let sources = match program.inst(pc) {
                Some(Inst::Data { sources, .. }) => sources.to_vec(),
                Some(Inst::Mova { source, .. }) => vec![source],
                Some(Inst::Cmp { sources, .. }) => sources.to_vec(),
                Some(Inst::Flow(_) | Inst::Emit | Inst::SetEmit { .. } | Inst::Unassigned(_)) | None => {
                    Vec::new()
                }
            };
            for operand in sources {
                if let Source::Input(register) = operand.register {
                    read = read.max(u32::from(register) + 1);
                }
            }
        });
        let stride = read.max(1).next_multiple_of(outputs).min(16 / outputs * outputs);
        Ok(u8::try_from(stride).ok())
    }

    fn chain_triangles(
        &self,
        geometry: usize,
        guessed: [Uniforms; 2],
        mut vertices: Vec<[[f32; 4]; 16]>,
        gpu: Option<&Gpu>,
    ) -> Result<Shown, Failure> {
        let error = |error| self.input.fail(&error);
        let vertex = self.pick.vertex;
        let options = self.options();
        let outputs = self.file.executable(vertex).map_err(error)?.output_mask();
        let stride = self.stride(geometry, outputs)?;
        let pipeline = Pipeline::from_file(self.file, vertex, Some(geometry), stride, &options);
        let mut pipeline = pipeline.map_err(error)?;
        let input = pipeline.setup().geometry.map(|geometry| geometry.input);
        let indices = self.indices(input, outputs, &mut vertices);
        let states = [self.complete(vertex, &guessed[0])?, self.complete(geometry, &guessed[1])?];
        let uniforms = [&states[0].uniforms, &states[1].uniforms];
        for (stage, uniforms) in [Stage::Vertex, Stage::Geometry].into_iter().zip(uniforms) {
            pipeline.set_uniforms(stage, uniforms);
        }
        // Range: 2^18.
        let triangles = MOST_TRIANGLES as u32;
        pipeline.set_limits(DrawLimits {
            steps: BUDGET,
            draw_steps: DRAW_BUDGET,
            triangles,
            ..DrawLimits::default()
        });
        // Also before a draw on the GPU: a program that exceeds its budget must not reach it.
        let drawn = pipeline.draw(&vertices, Some(&indices)).map_err(error)?;
        let choice = self.choice(drawn.outputs())?;
        let value = choice.value.ok_or_else(|| {
            self.fail("registers of a geometry program are not kept").hint("--by shows one of its outputs")
        })?;
        let corner = |vectors: &[[f32; 4]]| [vectors[choice.position], vectors[value]];
        let triangles = match gpu {
            None => drawn.triangles().map(|triangle| triangle.map(corner)).collect(),
            Some(gpu) => {
                let (file, vertices, indices) = (self.file, &vertices[..], &indices[..]);
                let programs = [vertex, geometry];
                let chain = Chain { file, programs, stride, options, uniforms, vertices, indices };
                let vectors = on_gpu::triangles(gpu, &chain, self.input)?;
                let corners: Vec<_> = vectors.chunks_exact(drawn.outputs().len()).map(corner).collect();
                corners.as_chunks::<3>().0.to_vec()
            }
        };
        Ok(Shown { triangles, look: choice.by.look() })
    }

    /// Returns the indices that feed a geometry program. Of neighbors, w of a position is the
    /// number.
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
