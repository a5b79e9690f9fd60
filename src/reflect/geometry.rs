//! Reflection of compute forms: buffers, and what a draw with a geometry program needs.
//! In: [`EntryPoint`], [`GeometryKernel`]. Out: [`BufferInfo`], [`GeometryInfo`], plain data.

use super::places::Languages;
use super::{BlockInfo, HlslRegister, HostMemberInfo};
use crate::fields::DrawField;
use crate::geometry::kernel::bindings;
use crate::geometry::{Dependence, GeometryInput, GeometryKernel};
use crate::host::{Binding, EntryPoint};

/// A storage buffer of a compute stage.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BufferInfo {
    /// Name.
    pub name: String,
    /// Set or group.
    pub set: u32,
    /// Binding in it.
    pub binding: u32,
    /// Register in HLSL.
    pub hlsl: Option<HlslRegister>,
    /// Buffer slot of the stage in MSL, whose entry leaves out a buffer that the program does not
    /// use.
    pub msl: Option<u32>,
    /// Type.
    pub ty: String,
    /// Written by the program.
    pub written: bool,
    /// Unit that the size is a multiple of: `vertex`, `invocation`, `triangle`, `emit`, `thread`,
    /// or `draw` for a buffer of one size.
    pub per: String,
    /// Bytes for each unit. None if a draw chooses it: the feed, whose invocations have `window`
    /// vectors of 16 bytes each.
    pub stride: Option<u32>,
}

/// The feed of a geometry program: the vectors of each invocation, 16 bytes each, of which the draw
/// parameter `window` is the number.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FeedInfo {
    /// Point mode: the register of each vector, `v0` to `v15`. Else empty.
    pub inputs: Vec<String>,
    /// Other modes: the register of the first vector, `c0` in variable mode; the next vectors are
    /// the next registers. c0 of variable mode is the number of vertices.
    pub first: Option<String>,
    /// Vertices that come with all outputs: all of a primitive in fixed mode, those at the start in
    /// variable mode, where the others come with their first output.
    pub vertices: Option<u8>,
    /// Vectors from one vertex to the next in fixed mode. In variable mode it is the number of
    /// outputs of the vertex program.
    pub stride: Option<u8>,
}

/// A data dependence of a geometry program on an earlier invocation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DependenceInfo {
    /// Name of the state: `r3.y`, `a0.x`, `vertex slot 1`, …
    pub what: String,
    /// First code word that reads it.
    pub at: u32,
}

/// A word of state that one invocation of a geometry program leaves for the next.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StateInfo {
    /// Name of the state.
    pub what: String,
    /// Initial bits, before the first draw; serialized as `"0x3f800000"`.
    #[cfg_attr(feature = "serde", serde(with = "super::words::word"))]
    pub initial: u32,
}

/// Compute form of a geometry program.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GeometryInfo {
    /// Mode of vertex input: `point`, `variable` or `fixed`.
    pub mode: String,
    /// Layout of the feed.
    pub feed: FeedInfo,
    /// Vectors of a vertex in the buffer of triangles: vector n is output n. Each triangle has
    /// three vertices; those of thread t begin at triangle t · `capacity` of the draw parameters.
    pub vectors: u32,
    /// Maximum triangles of an invocation, if proven.
    pub triangles: Option<u32>,
    /// Warm-up invocations of a thread: 0 if invocations are independent, none if a thread must run
    /// all earlier ones.
    pub warm: Option<u32>,
    /// Data dependences on earlier invocations.
    pub sees: Vec<DependenceInfo>,
    /// Words of the state buffer.
    pub state: Vec<StateInfo>,
    /// Block of per-draw parameters.
    pub draw: BlockInfo,
    /// Its fields.
    pub draw_members: Vec<HostMemberInfo>,
}

/// Bytes of a vector.
const VECTOR: u32 = 16;
/// Registers of a vertex in the buffers of the compute form of a vertex program.
const REGISTERS: u32 = 16;

/// Describes the storage buffers of an entry point.
pub(super) fn buffers(entry_point: &EntryPoint, languages: Languages) -> Vec<BufferInfo> {
    let buffer = |name: &str, binding, ty: &str, written, (per, stride): (&str, Option<u32>)| {
        let class = if written { 'u' } else { 't' };
        let (hlsl, msl) = languages.buffer(class, Binding { set: 0, binding });
        let [name, ty, per] = [name, ty, per].map(str::to_owned);
        BufferInfo { name, set: 0, binding, hlsl, msl, ty, written, per, stride }
    };
    let vectors = |per, count: u32| (per, Some(count * VECTOR));
    match entry_point {
        EntryPoint::Compute { reports_unfinished } => {
            let outputs = REGISTERS + u32::from(*reports_unfinished);
            let ty = format!("array<array<vec4f, {outputs}>>");
            vec![
                buffer(
                    "inputs",
                    bindings::INPUTS,
                    "array<array<vec4f, 16>>",
                    false,
                    vectors("vertex", REGISTERS),
                ),
                buffer("outputs", bindings::OUTPUTS, &ty, true, vectors("vertex", outputs)),
            ]
        }
        EntryPoint::Kernel(kernel) => {
            let written = if kernel.records_emits { "emit" } else { "triangle" };
            let mut buffers = vec![
                buffer("feed", bindings::FEED, "array<vec4f>", false, ("invocation", None)),
                buffer(
                    "triangles",
                    bindings::TRIANGLES,
                    "array<vec4f>",
                    true,
                    vectors(written, 3 * kernel.vectors),
                ),
                buffer("counts", bindings::COUNTS, "array<i32>", true, ("thread", Some(4))),
            ];
            if !kernel.state.is_empty() {
                // The words before the draw, and as many after it. Range: a few hundred words.
                let bytes = 8 * kernel.state.len() as u32;
                buffers.push(buffer("state", bindings::STATE, "array<u32>", true, ("draw", Some(bytes))));
            }
            buffers
        }
        EntryPoint::Vertex | EntryPoint::Stage(_) | EntryPoint::Quaternions => Vec::new(),
    }
}

fn feed(input: GeometryInput) -> FeedInfo {
    let none = FeedInfo { inputs: Vec::new(), first: None, vertices: None, stride: None };
    match input {
        GeometryInput::Point { inputs, registers } => {
            let inputs = registers.iter().take(usize::from(inputs));
            FeedInfo { inputs: inputs.map(|register| format!("v{register}")).collect(), ..none }
        }
        GeometryInput::Variable { main } => {
            FeedInfo { first: Some("c0".into()), vertices: Some(main), ..none }
        }
        GeometryInput::Fixed { first, vertices, stride } => FeedInfo {
            first: Some(format!("c{first}")),
            vertices: Some(vertices),
            stride: Some(stride),
            ..none
        },
    }
}

/// Describes the compute form of a geometry program.
pub(super) fn info(kernel: &GeometryKernel, languages: Languages) -> GeometryInfo {
    let size = DrawField::BLOCK_SIZE;
    let used = if kernel.is_split() { size } else { 4 * DrawField::MEMBERS.len() as u32 };
    GeometryInfo {
        mode: match kernel.setup.input {
            GeometryInput::Point { .. } => "point",
            GeometryInput::Variable { .. } => "variable",
            GeometryInput::Fixed { .. } => "fixed",
        }
        .into(),
        feed: feed(kernel.setup.input),
        vectors: kernel.vectors,
        triangles: kernel.triangles,
        warm: match kernel.dependence {
            Dependence::None => Some(0),
            Dependence::Depth(depth) => Some(depth),
            Dependence::Unbounded => None,
        },
        sees: kernel
            .observations
            .iter()
            .map(|seen| DependenceInfo { what: seen.item.to_string(), at: seen.pc.0.into() })
            .collect(),
        state: kernel
            .state
            .iter()
            .map(|word| StateInfo { what: word.to_string(), initial: word.initial })
            .collect(),
        draw: languages.block(Binding { set: 0, binding: bindings::DRAW }, size, used),
        draw_members: draw_members(kernel),
    }
}

/// Describes the fields of the block of draw parameters.
fn draw_members(kernel: &GeometryKernel) -> Vec<HostMemberInfo> {
    let names = DrawField::MEMBERS.iter().map(|field| field.name());
    let names = names.chain(kernel.is_split().then_some("first_thread"));
    let offsets = (0..DrawField::BLOCK_SIZE).step_by(4);
    let member = |(name, offset): (&str, u32)| HostMemberInfo { name: name.into(), ty: "i32".into(), offset };
    names.zip(offsets).map(member).collect()
}
