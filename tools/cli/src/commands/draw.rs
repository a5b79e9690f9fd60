//! `transpica draw`: a mesh drawn with a program, or a sheet of all programs of a folder.
//! In: a file, a mesh, values for uniforms. Out: a PNG file.
//! A vertex program runs in the interpreter or in its compute entry on the GPU; with a geometry
//! program after it the whole pipeline runs, on either. `transpica_inspect` has the rest.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use clap::Args;
use rayon::prelude::*;
use transpica::container::ShaderType;
use transpica::host::dvle::FileEnvironment;
use transpica::interp::Uniforms;
use transpica::{Shbin, Stage};
use transpica_inspect::draw::guess::Camera;
use transpica_inspect::draw::looks::By;
use transpica_inspect::draw::mesh::{BuiltIn, Mesh};
use transpica_inspect::draw::picture::{BACKGROUND, Picture};
use transpica_inspect::draw::raster::{self, Samples};
use transpica_inspect::draw::scene::{Pick, Scene, SceneError, Shown, stage};
use transpica_inspect::draw::{Size, form, obj, wire};
use transpica_inspect::state::State;
use transpica_inspect::symbols::Symbols;

use super::run::read_state;
use crate::arguments::{Arguments, Machine};
use crate::files;
use crate::gpu::{self, Gpu};
use crate::input::Input;
use crate::jobs::GpuRun;
use crate::pictures::sheet::{self, Cell};
use crate::pictures::{encode, side_by_side};
use crate::report::{Common, Failure};
use crate::streams::Streams;

/// Draw a mesh with a program, to a PNG file
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica draw lights.shbin -o lights.png
  transpica draw textured.shbin --mesh cube --by texcoord0 -o coordinates.png
  transpica draw toon.shbin --mesh head.obj --state toon.json -o toon.png
  transpica draw water.shbin --mesh quad --frames 24 -o water.png       an animated PNG
  transpica draw uber.shbin --difference --deny=200 -o compared.png     fails above 200 pixels
  transpica draw shaders -o sheet.png                                   a cell for each program

A vertex program that a geometry program follows is drawn with it; --dvle draws one program alone.

Attributes are taken from the mesh by their names in the file: position, normal, texture coordinate, color, tangent, weights; or in this order if the file names none. Uniforms that no state file sets are guessed by name as well, matrices so that the mesh is in view. A program with one color everywhere gets a light, and a note says so.")]
pub struct Draw {
    /// A .shbin file or .pica source, - reads standard input; or a folder, for a sheet
    ///
    /// Sources are assembled first. Wrappers around one container, such as BCSDR, are opened. The
    /// sheet has one cell per program in the folder.
    pub file: PathBuf,
    /// Number of the executable (DVLE) in the file
    #[arg(long, value_name = "N")]
    pub dvle: Option<usize>,
    /// Mesh: quad, cube, sphere, lathe, hills, or an OBJ file [default: lathe]
    ///
    /// A state file may name another default: `"mesh": "hills"`.
    #[arg(long, value_name = "MESH", value_parser = MeshName::parse)]
    pub mesh: Option<MeshName>,
    /// State file with uniforms, as for `run`; the rest are guessed by name
    ///
    /// The default is NAME.state.json next to NAME.shbin, if it exists. For DVLE N of a file with
    /// several, NAME.N.state.json takes precedence.
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,
    /// Run the program and the rasterizer on CPU or GPU
    #[arg(long, value_enum, default_value_t = Machine::Cpu, conflicts_with = "difference")]
    pub on: Machine,
    /// Part of the GPU's name
    #[arg(long, value_name = "NAME")]
    pub adapter: Option<String>,
    /// Output: color, texcoord0 to texcoord2, normalquat, view, position, o0 to o15; or normal
    /// [default: first in the program of color, texcoord0, normalquat, position]
    ///
    /// `normal` is the normal of the drawn triangles, which no program computes.
    #[arg(long, value_name = "OUTPUT", value_parser = By::parse)]
    pub by: Option<By>,
    /// Draw the edges of triangles instead of their surfaces
    #[arg(long)]
    pub wireframe: bool,
    /// Draw on CPU and GPU side by side, and show the pixels that differ
    ///
    /// A note counts them and has their largest distance. Edges are not smoothed.
    #[arg(long)]
    pub difference: bool,
    /// Exit with status 1 if more than N pixels differ; --deny alone means 0
    ///
    /// The picture is written either way.
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "0", requires = "difference")]
    pub deny: Option<usize>,
    /// Turn once around the mesh in N frames, as an animated PNG
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=360))]
    pub frames: u32,
    /// Width and height in pixels; for a folder, of a cell [default: 400x240, folder 192x128]
    #[arg(long, value_name = "WxH", value_parser = Size::parse)]
    pub size: Option<Size>,
    /// Output file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// `--mesh`
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MeshName {
    BuiltIn(BuiltIn),
    /// An OBJ file.
    File(PathBuf),
}

impl MeshName {
    fn parse(text: &str) -> Result<Self, String> {
        if let Some(name) = BuiltIn::named(text) {
            return Ok(Self::BuiltIn(name));
        }
        let path = Path::new(text);
        let is_obj = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("obj"));
        is_obj
            .then(|| Self::File(path.into()))
            .ok_or_else(|| "must be quad, cube, sphere, lathe, hills, or the name of an .obj file".to_owned())
    }
}

impl Draw {
    fn needs_gpu(&self) -> bool {
        self.difference || self.on == Machine::Gpu
    }
}

impl Arguments for Draw {
    fn check(&self) -> Result<(), String> {
        if self.difference && self.frames > 1 {
            return Err("--difference draws one picture; drop --frames".into());
        }
        if self.file.is_dir() {
            let single = [
                (self.dvle.is_some(), "--dvle"),
                (self.state.is_some(), "--state"),
                (self.difference, "--difference"),
                (self.frames > 1, "--frames"),
            ];
            if let Some((_, option)) = single.into_iter().find(|(is_given, _)| *is_given) {
                return Err(format!("{option} needs a single file, but {} is a folder", self.file.display()));
            }
        }
        Ok(())
    }
    fn streams(&self) -> Streams<'_> {
        let mesh = match &self.mesh {
            Some(MeshName::File(path)) => Some(path),
            Some(MeshName::BuiltIn(_)) | None => None,
        };
        let (inputs, trees) = if self.file.is_dir() {
            (None, std::slice::from_ref(&self.file))
        } else {
            (Some(&self.file), &[][..])
        };
        let inputs = inputs.into_iter().chain(mesh).chain(&self.state);
        let streams = Streams::of_files(inputs, self.output.as_deref()).below(trees);
        let streams = streams.with_extensions(["png", "apng"]).with_binary("use -o FILE");
        streams.on_gpu(self.needs_gpu())
    }
}

/// Remark on a picture whose light is not the program's.
const LIGHT_ADDED: &str = "light added";

/// Limit of the pixels of all frames, or of all cells of a sheet.
const MOST_PIXELS: u64 = 1 << 26;

/// Programs of a file with what they are drawn with.
struct Drawing<'a> {
    input: &'a Input,
    file: &'a Shbin<'a>,
    pick: Pick,
    mesh: Cow<'a, Mesh>,
    state: Option<PathBuf>,
    by: Option<By>,
    is_wireframe: bool,
    /// Smooth edges. Without it, CPU and GPU take the same samples.
    is_smooth: bool,
    size: Size,
}

/// A picture, and whether a light was added to it.
type Drawn = (Picture, bool);

/// Runs the command.
pub fn run(arguments: &Draw, common: &Common) -> Result<(), Failure> {
    let mesh = match &arguments.mesh {
        Some(MeshName::BuiltIn(name)) => Some(Mesh::built_in(*name)),
        Some(MeshName::File(path)) => {
            let fail = |error| Failure::new(format!("{}: {error}", path.display()));
            Some(obj::parse(&files::read(path)?).map_err(fail)?)
        }
        None => None,
    };
    let mesh = mesh.as_ref();
    let gpu = arguments.needs_gpu().then(|| gpu::open(arguments.adapter.as_deref(), common)).transpose()?;
    if arguments.file.is_dir() {
        return draw_sheet(arguments, mesh, gpu.as_ref(), common);
    }
    let size = arguments.size.unwrap_or(Size::SCREEN);
    check_pixels(size, arguments.frames.into())?;
    let input = Input::open(&arguments.file)?.remarked(common);
    let file = input.parse()?;
    let pick = chosen(&input, &file, arguments.dvle)?;
    let found = || state_next_to(&arguments.file, pick.shown());
    let state = arguments.state.clone().or_else(found);
    if let Some(path) = state.as_ref().filter(|_| arguments.state.is_none()) {
        common.detail(format_args!("uniforms from {}", path.display()));
    }
    let drawing = Drawing::new((&input, &file, pick), state, mesh, arguments, size)?;
    let turn = |frame| std::f64::consts::TAU * f64::from(frame) / f64::from(arguments.frames);
    let views: Vec<Camera> =
        (0..arguments.frames).map(|frame| Camera::new(size, Camera::START + turn(frame))).collect();
    let views = drawing.framed(views)?;
    let (mut frames, mut differing, mut is_lit) = (Vec::new(), 0, false);
    for view in &views {
        frames.push(match &gpu {
            Some(gpu) if arguments.difference => {
                let (frame, count) = drawing.compared(view, gpu, common)?;
                differing = count;
                frame
            }
            gpu => {
                let (frame, lit) = drawing.picture(view, gpu.as_ref())?;
                is_lit |= lit;
                frame
            }
        });
    }
    if is_lit {
        common.note(format_args!("{}: one color everywhere; {LIGHT_ADDED}", input.name()));
    }
    let is_empty = frames.iter().all(|frame| frame.pixels.iter().all(|&pixel| pixel == BACKGROUND));
    if is_empty {
        common.warn("the picture is empty; set the program's uniforms with --state");
    }
    write(&frames, arguments.output.as_deref())?;
    match arguments.deny {
        Some(most) if differing > most => {
            Err(drawing.fail(&format!("{differing} pixels differ; --deny allows {most}")))
        }
        Some(_) | None => Ok(()),
    }
}

/// Returns the state file next to a program's file: NAME.N.state.json for DVLE N, else
/// NAME.state.json.
fn state_next_to(file: &Path, dvle: usize) -> Option<PathBuf> {
    let name = file.file_name()?.to_str()?;
    let stem = transpica_asm::stem(name);
    let names = [format!("{stem}.{dvle}.state.json"), format!("{stem}.state.json")];
    names.into_iter().map(|name| file.with_file_name(name)).find(|path| path.is_file())
}

fn write(frames: &[Picture], output: Option<&Path>) -> Result<(), Failure> {
    let bytes = encode(frames).map_err(|error| Failure::new(format!("cannot encode a PNG file: {error}")))?;
    files::write(output, &bytes)
}

fn check_pixels(size: Size, count: u64) -> Result<(), Failure> {
    let pixels = u64::from(size.width) * u64::from(size.height) * count;
    if pixels <= MOST_PIXELS {
        return Ok(());
    }
    let Size { width, height } = size;
    Err(Failure::usage(format!(
        "{count} pictures of {width}x{height} are {pixels} pixels; the maximum is {MOST_PIXELS}"
    ))
    .hint("choose a smaller --size or fewer --frames"))
}

/// Returns the programs that a draw takes.
fn chosen(input: &Input, file: &Shbin<'_>, dvle: Option<usize>) -> Result<Pick, Failure> {
    Pick::new(file, dvle).ok_or_else(|| {
        let (path, index) = (input.path.display(), dvle.unwrap_or(0));
        Failure::new(format!(
            "{path}: DVLE {index} is a geometry program without a vertex program to feed it"
        ))
        .hint("assemble both into one file: transpica asm NAME.v.pica NAME.g.pica -o NAME.shbin")
    })
}

/// Returns every draw of a file: vertex programs, and geometry programs with theirs.
fn picks(input: &Input, file: &Shbin<'_>) -> Vec<Result<Pick, Failure>> {
    let is_geometry = |index| stage(file, index) == Some(ShaderType::Geometry);
    let indices = 0..file.executables.len();
    // The vertex program in front of a geometry program is its half.
    let picked = indices.filter(|&index| is_geometry(index) || !is_geometry(index + 1));
    picked.map(|index| chosen(input, file, Some(index))).collect()
}

/// Draws all programs of a folder.
fn draw_sheet(
    arguments: &Draw,
    mesh: Option<&Mesh>,
    gpu: Option<&Gpu>,
    common: &Common,
) -> Result<(), Failure> {
    let size = arguments.size.unwrap_or(Size::CELL);
    let paths = files::shaders(std::slice::from_ref(&arguments.file))?;
    let cells = |path: &PathBuf| cells(arguments, path, mesh, gpu, size);
    // A device draws one picture after the other.
    let cells: Vec<_> = match gpu {
        Some(_) => paths.iter().flat_map(cells).collect(),
        None => paths.par_iter().flat_map_iter(cells).collect(),
    };
    if cells.len() > sheet::MOST_CELLS {
        let message = format!("{} programs; a sheet has room for {}", cells.len(), sheet::MOST_CELLS);
        return Err(Failure::new(message).hint("draw a smaller folder"));
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

/// Draws the cells of one file, or one cell with the reason why there are none.
fn cells(arguments: &Draw, path: &Path, mesh: Option<&Mesh>, gpu: Option<&Gpu>, size: Size) -> Vec<Named> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let cell = |input: &Input, file: &Shbin<'_>, pick: Result<Pick, Failure>| {
        let shown = pick.as_ref().map(|pick| pick.shown()).ok();
        let label = shown.and_then(|shown| file.executables.get(shown)?.entry_label());
        let number = || shown.map_or(String::new(), |shown| format!("DVLE {shown}"));
        let entry = label.map_or_else(number, |label| label.to_text().to_string());
        let drawn = pick.and_then(|pick| {
            let state = state_next_to(path, pick.shown());
            let drawing = Drawing::new((input, file, pick), state, mesh, arguments, size)?;
            let views = drawing.framed(vec![Camera::new(size, Camera::START)])?;
            drawing.picture(&views[0], gpu)
        });
        let light = if matches!(drawn, Ok((_, true))) { format!(", {LIGHT_ADDED}") } else { String::new() };
        ([name.clone().into(), entry + &light], drawn.map(|(picture, _)| picture))
    };
    let all = Input::open(path).and_then(|input| {
        let file = input.parse()?;
        Ok(picks(&input, &file).into_iter().map(|pick| cell(&input, &file, pick)).collect())
    });
    all.unwrap_or_else(|failure| vec![([name.into(), String::new()], Err(failure))])
}

impl<'a> Drawing<'a> {
    /// Prepares a draw. Without a given mesh it has the state file's, else a vase.
    fn new(
        (input, file, pick): (&'a Input, &'a Shbin<'a>, Pick),
        state: Option<PathBuf>,
        mesh: Option<&'a Mesh>,
        arguments: &Draw,
        size: Size,
    ) -> Result<Self, Failure> {
        let mut drawing = Self {
            input,
            file,
            pick,
            mesh: mesh.map_or_else(|| Cow::Owned(Mesh::default()), Cow::Borrowed),
            state,
            by: arguments.by,
            is_wireframe: arguments.wireframe,
            is_smooth: !arguments.difference,
            size,
        };
        if mesh.is_none() {
            let read = |path: &PathBuf| drawing.read_state(path, Uniforms::default());
            let state = drawing.state.as_ref().map(read).transpose()?;
            let name = state.and_then(|state| state.mesh).unwrap_or(BuiltIn::Lathe);
            drawing.mesh = Cow::Owned(Mesh::built_in(name));
        }
        Ok(drawing)
    }

    /// Reads a state file on top of uniforms of the shown program.
    fn read_state(&self, path: &Path, uniforms: Uniforms) -> Result<State, Failure> {
        let executable = self.file.executable(self.pick.shown()).map_err(|error| self.input.fail(&error))?;
        read_state(path, uniforms, Stage::Vertex, &Symbols::new(executable))
    }

    /// Draws on a GPU, or on the CPU without one.
    fn picture(&self, view: &Camera, gpu: Option<&Gpu>) -> Result<Drawn, Failure> {
        let Shown { mut triangles, look, is_lit } = self.triangles(view, gpu)?;
        if self.is_wireframe {
            triangles = wire::edges(&triangles, self.size);
        }
        let samples = if self.is_smooth { Samples::Sixteen } else { Samples::One };
        let picture = match gpu {
            Some(gpu) => gpu::paint(gpu, &triangles, look, self.size, self.is_smooth),
            None => raster::paint(&triangles, look, self.size, samples).map_err(|raster::TooMuch| {
                self.fail("the triangles cover too many pixels").hint("choose a smaller --size")
            }),
        };
        Ok((picture?, is_lit))
    }

    /// Returns views that show all of the mesh, as large as the picture has room for in each frame.
    /// Where a state file or the program itself decides on the place, nothing changes.
    fn framed(&self, mut views: Vec<Camera>) -> Result<Vec<Camera>, Failure> {
        // What a program moves on the screen itself does not grow with the view: once more with it.
        for _ in 0..2 {
            let mut all = None;
            for view in &views {
                let Some(extent) = form::extent(&self.triangles(view, None)?.triangles) else {
                    return Ok(views);
                };
                all = Some(form::joined(all, extent));
            }
            let Some(all) = all else { break };
            let framing = form::framing(all);
            views.iter_mut().for_each(|view| *view = view.clone().framed(framing));
        }
        Ok(views)
    }

    /// Draws on both, side by side, and counts the pixels that differ.
    fn compared(&self, view: &Camera, gpu: &Gpu, common: &Common) -> Result<(Picture, usize), Failure> {
        let ((cpu, _), (gpu, _)) = (self.picture(view, None)?, self.picture(view, Some(gpu))?);
        let difference = cpu.difference(&gpu);
        let text = difference.to_string();
        common.note(format_args!("{}: {text}", self.input.name()));
        let sides = [(&cpu, "CPU"), (&gpu, "GPU"), (&difference.picture, &*text)];
        Ok((side_by_side(&sides), difference.count))
    }

    fn fail(&self, what: &str) -> Failure {
        Failure::new(format!("{}: {what}", self.input.path.display()))
    }

    fn scene_failure(&self, error: SceneError) -> Failure {
        match error {
            SceneError::Program(error) => self.input.fail(&error),
            SceneError::Choice(message, hint) => self.fail(&message).maybe_hint(hint),
        }
    }

    fn triangles(&self, view: &Camera, gpu: Option<&Gpu>) -> Result<Shown, Failure> {
        let error = |error| self.input.fail(&error);
        let mut scene = Scene::new(self.file, self.pick, &self.mesh, view).map_err(error)?;
        (scene.by, scene.is_lit) = (self.by, true);
        if let Some(path) = &self.state {
            let state = scene.shown_state();
            *state = self.read_state(path, state.uniforms.clone())?;
            let attributes = std::mem::take(&mut state.attributes);
            scene.set_attributes(&attributes);
        }
        match (gpu, self.pick.geometry) {
            (None, _) => scene.shown().map_err(|error| self.scene_failure(error)),
            (Some(gpu), None) => self.vertices_on(gpu, &scene),
            (Some(gpu), Some(geometry)) => self.chain_on(gpu, &scene, geometry),
        }
    }

    fn vertices_on(&self, gpu: &Gpu, scene: &Scene<'_>) -> Result<Shown, Failure> {
        let error = |error| self.input.fail(&error);
        let (index, options) = (self.pick.vertex, scene.options);
        // A program that exceeds its budget must not reach the GPU.
        scene.registers().map_err(error)?;
        let program = self.input.program(self.file, index, &options.limits)?;
        let name = self.input.name();
        let environment = FileEnvironment::new(self.file, index, &name).map_err(error)?;
        let (program, environment, state) = (&program, &environment, &scene.vertex_state());
        let wanted = GpuRun { program, environment, state, options, budget: scene.budget(), route: None };
        let registers = gpu::registers(gpu, &wanted, self.input)?;
        scene.of_registers(&registers).map_err(|error| self.scene_failure(error))
    }

    fn chain_on(&self, gpu: &Gpu, scene: &Scene<'_>, geometry: usize) -> Result<Shown, Failure> {
        let input = scene.chain(geometry).map_err(|error| self.input.fail(&error))?;
        let mut vectors = Ok(Vec::new());
        // Also before a draw on the GPU: a program that exceeds its budget must not reach it.
        let shown = scene.of_chain(geometry, &input, |choice, _| {
            vectors = gpu::triangles(gpu, scene, geometry, &input, self.input);
            let corners = vectors.iter().flat_map(|vectors| vectors.chunks_exact(choice.count.max(1)));
            let corners: Vec<_> = corners.map(|vectors| choice.corner(vectors)).collect();
            corners.as_chunks::<3>().0.to_vec()
        });
        let shown = shown.map_err(|error| self.scene_failure(error))?;
        vectors.map(|_| shown)
    }
}
