//! Draws for WebGPU: modules, buffers, passes and the draw, for a page that knows no program.
//! In: a [`Scene`]. Out: [`GpuDraw`] with the contents of its buffers. A vertex program is one
//! pipeline. With a geometry program the passes of `transpica_draw::gpu` run first, and one more
//! for the edges of its triangles. A fragment stage that is written here shows one output; a shown
//! register is one, too.

use super::precision::arith;
use serde::Serialize;
use transpica::geometry::GeometryKernel;
use transpica::geometry::kernel::bindings;
use transpica::host::dvle::FileEnvironment;
use transpica::host::{
    Constants, Environment, EnvironmentInterface, HostValues, Location, Output, OutputMap, Usage, dvle, pack,
};
use transpica::settings::{Block, Layout};
use transpica::{Job, Options, Precision, Profile, Translation, Translator};
use transpica_draw::gpu::{Pass, Plan, Request, ScanResult};
use transpica_inspect::draw::scene::{ChainInput, Scene};

use super::picture::DrawRequest;
use super::problem::Problem;

/// Entry point of every module.
const ENTRY: &str = "main";

/// Guess of the triangles of an invocation where no bound is proven, and the most there is room
/// for.
const TRIANGLES: u32 = 64;

/// The pass that makes lines of the edges of a list of triangles.
const EDGES_PASS: &str = include_str!("edges.wgsl");

/// Most bytes of a buffer: what every device with the default limits has.
const MOST_BYTES: u32 = 1 << 27;

/// A buffer.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Buffer {
    bytes: u64,
    usage: Vec<&'static str>,
    /// Index in the contents, or -1 for zeros.
    content: i32,
}

/// A buffer of a bind group.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Bound {
    group: u32,
    binding: u32,
    buffer: usize,
}

/// Number of workgroups.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
enum Workgroups {
    Known([u32; 3]),
    Indirect { indirect: usize, offset: u64 },
}

impl Workgroups {
    /// Those that the scan wrote to its result.
    fn after_scan(result: usize) -> Self {
        Self::Indirect { indirect: result, offset: ScanResult::GROUPS }
    }
}

/// A compute pass.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct ComputePass {
    module: usize,
    entry: &'static str,
    bindings: Vec<Bound>,
    workgroups: Workgroups,
}

impl ComputePass {
    fn new(module: usize, bindings: Vec<Bound>, workgroups: Workgroups) -> Self {
        Self { module, entry: ENTRY, bindings, workgroups }
    }
}

/// An attribute.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Attribute {
    location: u32,
    format: &'static str,
    offset: usize,
}

/// A vertex buffer.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct VertexBuffer {
    buffer: usize,
    stride: usize,
    step: &'static str,
    attributes: Vec<Attribute>,
}

impl VertexBuffer {
    /// Describes a buffer with a vector for each location.
    fn new(buffer: usize, locations: &[u32]) -> Self {
        let attributes = locations.iter().enumerate();
        let attributes = attributes.map(|(place, &location)| Attribute {
            location,
            format: "float32x4",
            offset: 16 * place,
        });
        Self { buffer, stride: 16 * locations.len(), step: "vertex", attributes: attributes.collect() }
    }
}

/// Indices of a draw.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Index {
    buffer: usize,
    format: &'static str,
    count: usize,
}

/// Arguments of an indirect draw.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Indirect {
    buffer: usize,
    offset: u64,
}

/// The draw at the end.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct FinalDraw {
    vertex_module: usize,
    vertex_entry: &'static str,
    fragment_module: usize,
    fragment_entry: &'static str,
    vertex_buffers: Vec<VertexBuffer>,
    bindings: Vec<Bound>,
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<Index>,
    #[serde(skip_serializing_if = "Option::is_none")]
    indirect: Option<Indirect>,
    topology: &'static str,
    depth: bool,
}

/// A draw for WebGPU.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GpuDraw {
    wgsl: Vec<String>,
    buffers: Vec<Buffer>,
    passes: Vec<ComputePass>,
    draw: FinalDraw,
    /// Contents of buffers.
    #[serde(skip)]
    pub contents: Vec<Vec<u8>>,
}

/// Buffers under construction.
#[derive(Default)]
struct Buffers {
    list: Vec<Buffer>,
    contents: Vec<Vec<u8>>,
}

impl Buffers {
    /// Adds a buffer with a content, padded to a size that every binding takes.
    fn filled(&mut self, usage: &[&'static str], mut content: Vec<u8>) -> usize {
        content.resize(content.len().next_multiple_of(16).max(16), 0);
        let index = i32::try_from(self.contents.len()).unwrap_or(-1);
        self.list.push(Buffer { bytes: content.len() as u64, usage: usage.to_vec(), content: index });
        self.contents.push(content);
        self.list.len() - 1
    }

    /// Adds a buffer of zeros.
    fn zero(&mut self, usage: &[&'static str], bytes: u64) -> usize {
        let bytes = bytes.next_multiple_of(16).max(16);
        self.list.push(Buffer { bytes, usage: usage.to_vec(), content: -1 });
        self.list.len() - 1
    }
}

/// Keeps the bindings of group 0 that a module declares.
fn bound(text: &str, all: &[(u32, usize)]) -> Vec<Bound> {
    let is_declared = |binding: u32| {
        text.contains(&format!("@group(0) @binding({binding})"))
            || text.contains(&format!("@binding({binding}) @group(0)"))
    };
    let declared = all.iter().filter(|(binding, _)| is_declared(*binding));
    declared.map(|&(binding, buffer)| Bound { group: 0, binding, buffer }).collect()
}

/// Returns the bytes of vectors.
fn bytes<'v>(vectors: impl IntoIterator<Item = &'v [f32; 4]>) -> Vec<u8> {
    vectors.into_iter().flatten().flat_map(|x| x.to_le_bytes()).collect()
}

/// Returns options under which uniforms may replace constants of the file.
fn options(scene: &Scene<'_>) -> Options {
    let block = Block { layout: Layout::Registers, fold_constants: false, ..scene.options.block };
    Options { block, ..scene.options }
}

/// Returns the fragment stage that shows an output.
fn fragment(scene: &Scene<'_>, outputs: &[Output], request: &DrawRequest) -> Result<String, Problem> {
    let choice = scene.choice(outputs)?;
    let (look, size) = (choice.by.look(), request.size());
    let output = &outputs[choice.value];
    let (argument, value, color) = match output.location {
        Location::Varying(location) => {
            let lanes = output.lanes().clamp(1, 4);
            let types = ["f32", "vec2f", "vec3f", "vec4f"];
            let argument = format!("@location({location}) shown: {}", types[lanes - 1]);
            (argument, format!("vec4f(shown{})", ", 0.0".repeat(4 - lanes)), look.wgsl.to_owned())
        }
        // What is left of the clip-space position: its place on the screen. A scene chooses no clip
        // distances.
        Location::Position | Location::ClipDistances => {
            let color = format!("vec3f(v.x / {}.0, 1.0 - v.y / {}.0, v.z)", size.width, size.height);
            ("@builtin(position) shown: vec4f".into(), "shown".into(), color)
        }
    };
    Ok(format!(
        "@fragment fn {ENTRY}({argument}) -> @location(0) vec4f {{\n    let v = {value};\n    \
         return vec4f(clamp({color}, vec3f(0.0), vec3f(1.0)), 1.0);\n}}\n"
    ))
}

/// Returns the draw of a scene.
///
/// # Errors
/// Programs that cannot be translated or drawn.
pub fn gpu_draw(scene: &Scene<'_>, request: &DrawRequest) -> Result<GpuDraw, Problem> {
    match scene.pick.geometry {
        None => vertex_draw(scene, request),
        Some(geometry) => chain_draw(scene, geometry, request),
    }
}

/// Translates a program of the scene.
fn translate(scene: &Scene<'_>, index: usize, job: Job<'_>) -> Result<Translation, Problem> {
    let options = options(scene);
    let program = dvle::program(scene.file, index, &options.limits)?;
    let environment = Mapped { file: FileEnvironment::new(scene.file, index, "")?, map: scene.output_map()? };
    Ok(Translator::new(options, Profile::default()).translate(&program, &environment, job)?)
}

/// The environment of a program, with the outputs of a scene.
struct Mapped<'a> {
    file: FileEnvironment<'a>,
    map: OutputMap,
}

impl Environment for Mapped<'_> {
    fn folded(&self, options: &Options) -> Constants {
        self.file.folded(options)
    }
    fn output_map(&self) -> OutputMap {
        self.map
    }
    fn interface(&self, usage: &Usage, options: &Options) -> Result<EnvironmentInterface, transpica::Error> {
        self.file.interface(usage, options)
    }
}

fn vertex_draw(scene: &Scene<'_>, request: &DrawRequest) -> Result<GpuDraw, Problem> {
    // A program that exceeds its budget must not reach the GPU.
    scene.registers()?;
    let translation = translate(scene, scene.pick.vertex, Job::Vertex)?;
    let (interface, text) = (&translation.interface, translation.wgsl()?);
    let fragment = fragment(scene, &interface.outputs, request)?;
    let mut buffers = Buffers::default();
    let registers = interface.attributes.iter().map(|attribute| u32::from(attribute.register & 15));
    let registers: Vec<u32> = registers.collect();
    let interleaved = scene
        .vertices
        .iter()
        .flat_map(|vertex| registers.iter().map(move |&register| &vertex[register as usize]));
    let vertices = buffers.filled(&["vertex"], bytes(interleaved));
    let vertex_buffers =
        if registers.is_empty() { Vec::new() } else { vec![VertexBuffer::new(vertices, &registers)] };
    let (index, topology) = indices(scene, request.wireframe, &mut buffers);
    let [state, _] = &scene.states;
    let uniforms = buffers.filled(&["uniform"], pack(&interface.block, &state.uniforms));
    let host = buffers.filled(&["uniform"], HostValues::default().pack_all().to_vec());
    let blocks = Profile::default().bindings;
    let bindings = bound(&text, &[(blocks.uniforms.binding, uniforms), (blocks.host.binding, host)]);
    let draw = FinalDraw {
        vertex_module: 0,
        vertex_entry: ENTRY,
        fragment_module: 1,
        fragment_entry: ENTRY,
        vertex_buffers,
        bindings,
        index: Some(index),
        indirect: None,
        topology,
        depth: true,
    };
    let Buffers { list, contents } = buffers;
    Ok(GpuDraw { wgsl: vec![text, fragment], buffers: list, passes: Vec::new(), draw, contents })
}

/// Adds the indices of a mesh: triangles, or their edges.
fn indices(scene: &Scene<'_>, is_wireframe: bool, buffers: &mut Buffers) -> (Index, &'static str) {
    let triangles = scene.mesh.triangles.iter();
    let (list, topology): (Vec<u32>, _) = if is_wireframe {
        (triangles.flat_map(|&[a, b, c]| [a, b, b, c, c, a]).collect(), "line-list")
    } else {
        (triangles.flatten().copied().collect(), "triangle-list")
    };
    let count = list.len();
    let buffer = buffers.filled(&["index"], list.iter().flat_map(|index| index.to_le_bytes()).collect());
    (Index { buffer, format: "uint32", count }, topology)
}

/// Buffers of a draw with a geometry program.
struct ChainBuffers {
    inputs: usize,
    indices: usize,
    primitives: usize,
    vertex: usize,
    geometry: usize,
    host: usize,
    feeding: usize,
    collect: usize,
    block: usize,
    shaded: usize,
    feed: usize,
    triangles: usize,
    counts: usize,
    offsets: usize,
    list: usize,
    arguments: usize,
    state: usize,
    file: usize,
}

fn chain_draw(scene: &Scene<'_>, geometry: usize, request: &DrawRequest) -> Result<GpuDraw, Problem> {
    let input = scene.chain(geometry)?;
    // A program that exceeds its budget must not reach the GPU.
    scene.of_chain(geometry, &input, |_, _| Vec::new())?;
    let setup = input.setup;
    let vertex = translate(scene, scene.pick.vertex, Job::Compute)?;
    let kernel_form = translate(scene, geometry, Job::Geometry(&setup))?;
    let forward = translate(scene, scene.pick.vertex, Job::Draw(&setup))?;
    let missing = || Problem::error("the program has no compute form");
    let kernel = kernel_form.interface.kernel().ok_or_else(missing)?;
    let plan = Plan::new(&Request {
        input: kernel.setup.input,
        outputs: setup.vertex_outputs,
        // Range: meshes are limited.
        vertices: input.vertices.len() as u32,
        indices: Some(&input.indices),
        window: 0,
        vectors: kernel.vectors,
        topology: setup.topology,
        dependence: kernel.dependence,
        triangles: kernel.triangles.map_or(TRIANGLES, |most| most.clamp(1, TRIANGLES)),
        most_invocations: u32::MAX,
        bytes: MOST_BYTES,
    })?;
    let mut buffers = Buffers::default();
    let b = chain_buffers(scene, &plan, kernel, [&vertex, &kernel_form], &input, &mut buffers);
    let edges = request.wireframe.then(|| Edges::new(&plan, &mut buffers));
    let [vertex_text, kernel_text, forward_text] = [vertex.wgsl()?, kernel_form.wgsl()?, forward.wgsl()?];
    let fragment = fragment(scene, &forward.interface.outputs, request)?;
    let mut passes = passes(&plan, [&vertex_text, &kernel_text], &b, input.vertices.len());
    let locations: Vec<u32> = (0..).take(forward.interface.outputs.len()).collect();
    let vertex_buffer = VertexBuffer::new(b.list, &locations);
    let blocks = Profile::default().bindings;
    let draw = FinalDraw {
        vertex_module: 5,
        vertex_entry: ENTRY,
        fragment_module: 6,
        fragment_entry: ENTRY,
        vertex_buffers: vec![vertex_buffer],
        bindings: bound(&forward_text, &[(blocks.uniforms.binding, b.vertex), (blocks.host.binding, b.host)]),
        index: edges.as_ref().map(Edges::index),
        indirect: Some(Indirect { buffer: edges.as_ref().map_or(b.arguments, |e| e.arguments), offset: 0 }),
        topology: if request.wireframe { "line-list" } else { "triangle-list" },
        depth: true,
    };
    let [feed, scan, compact] = Pass::ALL.map(|pass| pass.wgsl().to_owned());
    let mut wgsl = vec![vertex_text, feed, kernel_text, scan, compact, forward_text, fragment];
    if let Some(edges) = edges {
        passes.push(edges.pass(wgsl.len(), b.arguments));
        wgsl.push(EDGES_PASS.to_owned());
    }
    let Buffers { list, contents } = buffers;
    Ok(GpuDraw { wgsl, buffers: list, passes, draw, contents })
}

/// Buffers of the lines of a draw with a geometry program.
struct Edges {
    indices: usize,
    arguments: usize,
    /// Number of indices that there is room for.
    room: u64,
}

impl Edges {
    fn new(plan: &Plan, buffers: &mut Buffers) -> Self {
        let room = 2 * plan.sizes.list / (16 * u64::from(plan.collect.vectors));
        Self {
            indices: buffers.zero(&["storage", "index"], 4 * room),
            arguments: buffers.zero(&["storage", "indirect"], 20),
            room,
        }
    }

    /// Returns the pass that fills them from the result of the scan.
    fn pass(&self, module: usize, result: usize) -> ComputePass {
        let bindings = numbered(&[result, self.indices, self.arguments]);
        ComputePass::new(module, bindings, Workgroups::after_scan(result))
    }

    fn index(&self) -> Index {
        // Range: the bytes of a buffer.
        Index { buffer: self.indices, format: "uint32", count: self.room as usize }
    }
}

/// Binds buffers to 0, 1, 2, … of group 0.
fn numbered(all: &[usize]) -> Vec<Bound> {
    (0..).zip(all).map(|(binding, &buffer)| Bound { group: 0, binding, buffer }).collect()
}

fn chain_buffers(
    scene: &Scene<'_>,
    plan: &Plan,
    kernel: &GeometryKernel,
    [vertex, geometry]: [&Translation; 2],
    input: &ChainInput,
    buffers: &mut Buffers,
) -> ChainBuffers {
    let (read, uniform) = (&["storage"][..], &["uniform"][..]);
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let [own, of_geometry] = &scene.states;
    let initial: Vec<u32> = kernel.state.iter().map(|word| word.initial).collect();
    let mut state = words(&initial);
    state.resize(2 * state.len(), 0);
    let floats = of_geometry.uniforms.floats.map(|vector| vector.map(|x| arith::load(Precision::Exact, x)));
    let sizes = plan.sizes;
    ChainBuffers {
        inputs: buffers.filled(read, bytes(input.vertices.iter().flatten())),
        indices: buffers.filled(read, words(&input.indices)),
        primitives: buffers.filled(read, plan.primitive_bytes()),
        vertex: buffers.filled(uniform, pack(&vertex.interface.block, &own.uniforms)),
        geometry: buffers.filled(uniform, pack(&geometry.interface.block, &of_geometry.uniforms)),
        host: buffers.filled(uniform, HostValues::default().pack_all().to_vec()),
        feeding: buffers.filled(uniform, plan.feed.to_bytes()),
        collect: buffers.filled(uniform, plan.collect.to_bytes()),
        block: buffers.filled(uniform, plan.draw.to_bytes()),
        shaded: buffers.zero(read, sizes.vertices),
        feed: buffers.zero(read, sizes.feed),
        triangles: buffers.zero(read, sizes.triangles),
        counts: buffers.zero(read, sizes.counts),
        offsets: buffers.zero(read, sizes.counts),
        list: buffers.zero(&["storage", "vertex"], sizes.list),
        arguments: buffers.zero(&["storage", "indirect"], ScanResult::BYTES),
        state: buffers.filled(read, state),
        file: buffers.filled(read, bytes(&floats)),
    }
}

/// Returns the compute passes in their order. Modules: vertex program, feed, geometry program,
/// scan, compact.
fn passes(plan: &Plan, [vertex, kernel]: [&str; 2], b: &ChainBuffers, vertices: usize) -> Vec<ComputePass> {
    let own = |module, text: &str, all: &[(u32, usize)], groups| {
        ComputePass::new(module, bound(text, all), Workgroups::Known(groups))
    };
    let shared = |module, pass: Pass, all: &[usize]| {
        let groups = plan.dispatch(pass);
        let groups = groups.map_or_else(|| Workgroups::after_scan(b.arguments), Workgroups::Known);
        ComputePass::new(module, numbered(all), groups)
    };
    let vertex_bindings = [
        (bindings::INPUTS, b.inputs),
        (bindings::OUTPUTS, b.shaded),
        (bindings::UNIFORMS, b.vertex),
        (bindings::HOST, b.host),
    ];
    let kernel_bindings = [
        (bindings::FEED, b.feed),
        (bindings::TRIANGLES, b.triangles),
        (bindings::UNIFORMS, b.geometry),
        (bindings::DRAW, b.block),
        (bindings::COUNTS, b.counts),
        (bindings::STATE, b.state),
        (bindings::HOST, b.host),
    ];
    // Range: meshes are limited.
    let groups = Plan::vertex_dispatch(vertices as u32);
    vec![
        own(0, vertex, &vertex_bindings, groups),
        shared(1, Pass::Feed, &[b.shaded, b.feed, b.feeding, b.indices, b.primitives, b.file]),
        own(2, kernel, &kernel_bindings, plan.kernel_dispatch()),
        shared(3, Pass::Scan, &[b.counts, b.offsets, b.collect, b.arguments]),
        shared(4, Pass::Compact, &[b.triangles, b.offsets, b.arguments, b.list, b.collect]),
    ]
}
