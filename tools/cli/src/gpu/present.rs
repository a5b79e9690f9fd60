//! Runs and pictures on a GPU.

use transpica::host::dvle::FileEnvironment;
use transpica::host::{Environment, dvle};
use transpica::interp::Emit;
use transpica::settings::{Block, Layout};
use transpica::{Options, Stage};
pub use transpica_gpu::Gpu;
use transpica_gpu::compare::{self, CompareError};
use transpica_gpu::geometry::{
    EmitCase, GeometryChain, InvocationInput, check_emits, run_emits, translate_emits,
};
use transpica_gpu::picture::{self, Pipeline, Samples};
use transpica_gpu::{GpuError, Registers, Route};
use transpica_inspect::draw::looks::Look;
use transpica_inspect::draw::picture::{BACKGROUND, Picture};
use transpica_inspect::draw::scene::{ChainInput, Scene};
use transpica_inspect::draw::{Size, Triangle};
use transpica_inspect::executor::{Case, Outputs};
use transpica_inspect::results::{Shown, View, show};
use transpica_inspect::state::{State, bits, floats};

use crate::arguments::RouteName;
use crate::input::Input;
use crate::jobs::GpuRun;
use crate::report::{Common, Failure};

impl From<RouteName> for Route {
    fn from(name: RouteName) -> Self {
        match name {
            RouteName::Spirv => Self::Passthrough,
            RouteName::SpirvNaga => Self::SpirvNaga,
            RouteName::Wgsl => Self::Wgsl,
        }
    }
}

impl Failure {
    /// Builds a failure from an error of the GPU.
    pub fn gpu(error: &GpuError) -> Self {
        Self::new(error.to_string()).maybe_hint(error.hint())
    }
}

/// Opens a GPU.
pub fn open(adapter: Option<&str>, common: &Common) -> Result<Gpu, Failure> {
    let gpu = Gpu::open(adapter).map_err(|error| Failure::gpu(&error))?;
    common.detail(format_args!("on {}", gpu.name()));
    Ok(gpu)
}

/// Runs a program on a GPU and returns the text that `run` prints.
pub fn run(
    wanted: &GpuRun<'_>,
    view: View<'_>,
    adapter: Option<&str>,
    input: &Input,
    common: &Common,
) -> Result<String, Failure> {
    let gpu = open(adapter, common)?;
    let text = match wanted.program.stage() {
        Stage::Geometry => invocations_on_gpu(&gpu, wanted, view),
        Stage::Vertex => vertices_on_gpu(&gpu, wanted).map(|outputs| show(&outputs, view)),
    };
    text.map_err(|error| failure(error, input))
}

/// Converts an error about a program of a file.
fn failure(error: CompareError, input: &Input) -> Failure {
    match error {
        CompareError::Program(error) => input.fail(&error),
        CompareError::Gpu(error) => Failure::gpu(&error),
    }
}

/// Returns the output registers of all vertices.
pub fn registers(gpu: &Gpu, wanted: &GpuRun<'_>, input: &Input) -> Result<Vec<Registers>, Failure> {
    vertices_on_gpu(gpu, wanted).map_err(|error| failure(error, input))
}

/// Draws a vertex program and a geometry program. Returns the outputs of each vertex of each
/// triangle, as the rasterizer takes them.
pub fn triangles(
    gpu: &Gpu,
    scene: &Scene<'_>,
    geometry: usize,
    draw: &ChainInput,
    input: &Input,
) -> Result<Vec<[f32; 4]>, Failure> {
    let fail = |error| failure(error, input);
    // Uniforms may replace constants of the file.
    let block = Block { layout: Layout::Registers, fold_constants: false, ..scene.options.block };
    let options = Options { block, ..scene.options };
    let made = || -> Result<_, CompareError> {
        let program = |index| dvle::program(scene.file, index, &options.limits);
        let environment = |index| FileEnvironment::new(scene.file, index, "");
        let vertex = scene.pick.vertex;
        let programs = [&program(vertex)?, &program(geometry)?];
        let environments: [&dyn Environment; 2] = [&environment(vertex)?, &environment(geometry)?];
        GeometryChain::new(gpu, programs, environments, &draw.setup, &options, gpu.usual_route())
    };
    let mut made = made().map_err(fail)?;
    for (stage, state) in [Stage::Vertex, Stage::Geometry].into_iter().zip(&scene.states) {
        made.set_uniforms(stage, &state.uniforms);
    }
    let vertices: Vec<Registers> = draw.vertices.iter().map(bits).collect();
    let drawn = made.draw(&vertices, Some(&draw.indices)).map_err(fail)?;
    let vectors = drawn.read(gpu).map_err(|error| Failure::gpu(&error))?;
    Ok(vectors.into_iter().map(|vector| vector.map(f32::from_bits)).collect())
}

/// Rasterizes triangles.
pub fn paint(
    gpu: &Gpu,
    triangles: &[Triangle],
    look: &Look,
    size: Size,
    is_smooth: bool,
) -> Result<Picture, Failure> {
    let fail = |error: GpuError| Failure::gpu(&error);
    let samples = if is_smooth { Samples::Four } else { Samples::One };
    let pipeline = Pipeline::of_value(gpu, look.wgsl, samples).map_err(fail)?;
    let vectors = triangles.as_flattened().as_flattened();
    let painted =
        picture::paint(gpu, &pipeline, vectors, [size.width, size.height], BACKGROUND).map_err(fail)?;
    Ok(Picture { size, pixels: painted.pixels })
}

/// Returns the route that the user names, or the adapter's.
fn chosen_route(gpu: &Gpu, wanted: &GpuRun<'_>) -> Route {
    wanted.route.map_or_else(|| gpu.usual_route(), Route::from)
}

/// Runs all vertices.
fn vertices_on_gpu(gpu: &Gpu, wanted: &GpuRun<'_>) -> Result<Vec<Registers>, CompareError> {
    let &GpuRun { program, environment, state, mut options, budget, .. } = wanted;
    options.block.fold_constants &= state.keeps_constants(&environment.constants());
    let inputs = &state.vertices.iter().map(floats).collect::<Vec<_>>()[..];
    let case = Case { program, environment, uniforms: &state.uniforms, inputs, options, budget };
    compare::run(gpu, &case, chosen_route(gpu, wanted))
}

/// Runs vertex programs on a GPU's usual route.
pub fn outputs(gpu: &Gpu, case: &Case<'_>) -> Outputs {
    Ok(compare::run(gpu, case, gpu.usual_route())?)
}

/// Runs all invocations of a geometry program.
fn invocations_on_gpu(gpu: &Gpu, wanted: &GpuRun<'_>, view: View<'_>) -> Result<String, CompareError> {
    let &GpuRun { program, environment, state, options, budget, .. } = wanted;
    let (uniforms, given) = (&state.uniforms, &invocations(state)[..]);
    let case = EmitCase { program, environment, outputs: view.mask, uniforms, given, options, budget };
    let (translated, shader) = translate_emits(gpu, &case, chosen_route(gpu, wanted))?;
    check_emits(&case, gpu.facts())?;
    let emits = run_emits(gpu, &translated, shader, &case)?;
    let mut shown = Shown::new(view);
    let mut rest = &emits[..];
    for number in 0..given.len() {
        let (own, more) = rest.split_at(rest.iter().take_while(|emit| emit.invocation == number).count());
        rest = more;
        let outputs: Vec<_> = own.iter().map(|emit| floats(&emit.outputs)).collect();
        shown.push(own.iter().zip(&outputs).map(|(emit, outputs)| Emit {
            slot: emit.slot,
            prim: emit.prim,
            invert: emit.invert,
            outputs,
        }));
    }
    Ok(shown.finish())
}

/// Returns the registers of each invocation: its inputs, and the uniforms with all deliveries up to
/// it.
pub fn invocations(state: &State) -> Vec<InvocationInput> {
    let mut floats = state.uniforms.floats.map(|register| register.map(f32::to_bits));
    let vertices = state.vertices.iter().zip(&state.delivered);
    vertices
        .map(|(&inputs, delivered)| {
            for &(register, value) in delivered {
                floats[usize::from(register)] = value;
            }
            InvocationInput { inputs, floats }
        })
        .collect()
}
