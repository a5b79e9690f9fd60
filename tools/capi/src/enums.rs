//! Every enumeration of the interface, with its counterpart in the library.
//! In: numbers of callers, values of the library. Out: the other. Fields of structures are plain
//! numbers, because a caller may store anything there. [`mirror`] defines one table that translates
//! both ways and breaks the build if a variant is missing on either side.

use transpica::Code;
#[cfg(feature = "glsl")]
use transpica::GlslVersion;
use transpica::container::Semantic;
use transpica::geometry::Topology;
use transpica::host::Bank;
use transpica::settings::AttributeKind;
use transpica::{Stage, Tier};
use transpica_draw::batch::Number;
use transpica_draw::gpu::{BindingUse, Pass};

use crate::chain::TranspicaType;

/// Status of a call.
#[repr(u32)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TranspicaStatus {
    /// Success; a program is translated.
    #[default]
    Ok = 0,
    /// The program may be valid, but the library cannot translate it: run it in another way.
    Unsupported = 1,
    /// The program or the settings are contradictory; no other way of running it will
    /// succeed.
    Invalid = 2,
    /// The call is wrong: a NULL argument that is not permitted, or an invalid chain.
    BadArgument = 3,
    /// The caller's allocator failed.
    OutOfMemory = 4,
    /// A defect of the library. Objects of the call can still be freed, and used again.
    Internal = 5,
}

/// Kind of an error.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranspicaCode {
    /// A warning, not an error.
    None = 0,
    /// The file ends inside a structure.
    Truncated = 1,
    /// Four bytes that identify a structure are wrong.
    BadMagic = 2,
    /// A table or string is outside the file.
    OutOfFile = 3,
    /// A field holds an undefined value.
    BadField = 4,
    /// The file has no executable with this number.
    NoExecutable = 5,
    /// The entry point is outside the code.
    EntryOutOfCode = 6,
    /// The entry point is in the code, but beyond the words that its shader unit holds.
    EntryOutOfReach = 7,
    /// A reachable opcode that the instruction set does not define.
    BadOpcode = 8,
    /// One of `limits` of TranspicaSettings was exceeded.
    Limit = 9,
    /// The program is of a stage that the operation does not handle.
    Stage = 10,
    /// The step budget of the interpreter was used up.
    StepBudget = 11,
    /// An option that does not exist or has no such value, that contradicts another, or that a
    /// target cannot express.
    BadOption = 12,
    /// The verifier rejected an intermediate form (a defect of the library).
    Verify = 14,
    /// A downstream library rejected the library's output (a defect of the library).
    Backend = 15,
    /// Anything else.
    Other = 16,
    /// A geometry program that cannot be a geometry stage.
    NoGeometryStage = 17,
    /// A required argument is NULL.
    NullArgument = 100,
    /// A structure of a chain has a type that this library does not know.
    UnknownType = 101,
    /// A structure is in a chain where it does not belong.
    MisplacedType = 102,
    /// Two structures of a chain have the same purpose.
    RepeatedType = 103,
    /// A structure is too small, or implausibly large.
    BadSize = 104,
    /// A structure is larger than this library knows, and an unknown field is not zero.
    UnknownField = 105,
    /// A number that is not a value of its enumeration.
    UnknownChoice = 106,
    /// A chain has no end, or a pointer in it is not aligned.
    BadChain = 107,
    /// No structure of the chain selects a program.
    NoProgram = 108,
    /// The library was built without this target.
    NoTarget = 109,
    /// The caller's allocator failed.
    OutOfMemory = 110,
    /// A defect of the library.
    Internal = 111,
}

/// Unit of a message's place.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranspicaPlace {
    /// None: it concerns the entire input.
    Whole = 0,
    /// Bytes from the start of the file.
    ByteOffset = 1,
    /// Code words.
    CodeWord = 2,
}

/// Outputs of a translation. Bits that can be combined.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranspicaTarget {
    /// SPIR-V words.
    Spirv = 1,
    /// WGSL text.
    Wgsl = 2,
    /// GLSL text.
    Glsl = 4,
    /// HLSL text.
    Hlsl = 8,
    /// MSL text.
    Msl = 16,
    /// Reflection as JSON text.
    Reflection = 32,
    /// The `#extension` lines of the GLSL text, for hosts that put them in front of their own
    /// declarations (`glsl.extension_lines` of the settings).
    GlslExtensions = 64,
}

/// Version of GLSL texts.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranspicaGlslVersion {
    /// `#version 450` with sets and bindings, for Vulkan.
    Vulkan450 = 0,
    /// `#version 330 core`, for OpenGL 3.3 and later.
    Core330 = 1,
    /// `#version 310 es`, for OpenGL ES 3.1 and later.
    Es310 = 2,
    /// `#version 400 core`, for OpenGL 4.0 and later.
    Core400 = 3,
    /// `#version 410 core`, for OpenGL 4.1 and later.
    Core410 = 4,
    /// `#version 420 core`, for OpenGL 4.2 and later.
    Core420 = 5,
    /// `#version 430 core`, for OpenGL 4.3 and later.
    Core430 = 6,
    /// `#version 440 core`, for OpenGL 4.4 and later.
    Core440 = 7,
    /// `#version 450 core`, for OpenGL 4.5 and later.
    Core450 = 8,
    /// `#version 460 core`, for OpenGL 4.6.
    Core460 = 9,
    /// `#version 300 es`, for OpenGL ES 3.0 and later, and for WebGL 2.
    Es300 = 10,
    /// `#version 320 es`, for OpenGL ES 3.2.
    Es320 = 11,
}

/// Shape of the entry point.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranspicaEntryPoint {
    /// A vertex stage: attributes in, position and varyings out.
    Vertex = 0,
    /// A compute stage: all registers of each vertex in and out through storage buffers.
    Compute = 1,
    /// The geometry stage between this vertex stage and the fragment stage that negates the
    /// quaternions of a triangle's second and third vertices if they are on the other side from the
    /// first. It contains no code of the program and passes everything else through: SPIR-V and
    /// GLSL 450. With `outputs.all`, one serves all programs.
    Quaternions = 2,
    /// A vertex program before TRANSPICA_ENTRY_POINT_GEOMETRY_STAGE. If no primitive of an API has
    /// the vertices of an invocation, it takes points, whose attributes are those of all of them:
    /// see transpica_result_input.
    BeforeGeometry = 3,
    /// A geometry program as a compute stage.
    Geometry = 4,
    /// A geometry program as a geometry stage: SPIR-V and GLSL, for programs whose invocations are
    /// independent.
    GeometryStage = 5,
    /// A vertex stage that draws the triangles of TRANSPICA_ENTRY_POINT_GEOMETRY, or vertices that
    /// ran on the CPU. It has no code of the program.
    Draw = 6,
}

/// The number format of an attribute in the host's input assembly.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranspicaAttributeKind {
    /// Floats, or integers that the host has converted.
    Float = 0,
    /// Signed integers; the shader converts them.
    Int = 1,
    /// Unsigned integers; the shader converts them.
    Uint = 2,
}

/// Number format of an attribute in a vertex buffer, as named by bits of the registers 0x201 and
/// 0x202. Integers become floats of the same value.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranspicaNumber {
    /// Signed bytes.
    S8 = 0,
    /// Unsigned bytes.
    U8 = 1,
    /// Signed integers of two bytes, little-endian.
    S16 = 2,
    /// Floats of four bytes, little-endian.
    F32 = 3,
}

/// Kind of a promise about numbers.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranspicaPromiseKind {
    /// None: any number.
    Nothing = 0,
    /// No number is NaN.
    NotNan = 1,
    /// All numbers are finite, with magnitudes below a power of two.
    Below = 2,
    /// Like BELOW, and magnitudes other than 0 are at least another power of two.
    Between = 3,
}

/// A shader unit.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranspicaStage {
    /// The vertex unit: 512 code words.
    Vertex = 0,
    /// The geometry unit: 4,096 code words.
    Geometry = 1,
}

/// Control-flow tier of a translation.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranspicaTier {
    /// The program's own structure was recovered.
    Structured = 0,
    /// A loop over a switch on basic blocks: slower.
    BlockDispatcher = 1,
    /// A loop over a switch on the program counter: slower still.
    PcDispatcher = 2,
}

/// A register file.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranspicaBank {
    /// c registers.
    Float = 0,
    /// i registers.
    Int = 1,
    /// b registers.
    Bool = 2,
}

/// Type of a member of the uniform block.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranspicaMemberType {
    /// A vector of four floats for each register.
    FloatVectors = 0,
    /// A vector of four int32_t for each register.
    IntVectors = 1,
    /// One word for each register: four bytes, x lowest.
    PackedInts = 2,
    /// One word for all: bit k is the register first + k.
    Bits = 3,
}

/// Destination of an output.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranspicaDestination {
    /// The position built-in.
    Position = 0,
    /// The varying of a location.
    Varying = 1,
    /// The clip distance built-in.
    ClipDistances = 2,
}

/// Way in which vertices form triangles.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranspicaTopology {
    /// Three vertices for each.
    List = 0,
    /// One vertex for each after the second.
    Strip = 1,
    /// As a strip, around the first vertex.
    Fan = 2,
    /// As the geometry program submits them.
    Geometry = 3,
}

/// A pass around a geometry program; the modules are the same for all programs.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranspicaPass {
    /// Writes the record of each invocation: 0 o0 to o15 of each vertex, 1 the feed, 2 its uniform
    /// block, 3 indices or any buffer, 4 primitives or any buffer, 5 the register file c0 to c95.
    Feed = 0,
    /// Computes places and totals: 0 counts, 1 offsets, 2 the uniform block, 3 the result of ten
    /// words. It begins with the arguments of an indirect draw; then come the triangles, the most
    /// of a thread, 1 if that exceeds the room, the arguments of the indirect dispatch of the next
    /// pass.
    Scan = 1,
    /// Writes the finished list of triangles: 0 triangles, 1 offsets, 2 the result, 3 the list, 4
    /// the uniform block.
    Compact = 2,
}

/// Kind of a binding of a pass.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranspicaBindingUse {
    /// A storage buffer that is read.
    Read = 0,
    /// A storage buffer that is written.
    Write = 1,
    /// A uniform buffer.
    Uniform = 2,
}

/// Dependence of invocations of a geometry program on earlier ones.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranspicaDependence {
    /// None.
    None = 0,
    /// On a number of the last ones.
    Depth = 1,
    /// On all.
    Unbounded = 2,
}

/// Kind of a hook.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranspicaHookKind {
    /// Replaces components of an output.
    Set = 0,
    /// Adds to components of an output.
    Add = 1,
    /// Multiplies components of an output.
    Multiply = 2,
    /// Multiplies an output by a matrix: component n is the dot product of row n and the output.
    Transform = 3,
    /// Makes reads of a float uniform read the operand.
    Redirect = 4,
    /// Emits the result of an instruction as a varying.
    Tap = 5,
    /// Emits the position that the program computes with the uniforms of a second block, as the
    /// varying `position_again` at `location`. The block has the layout of the uniform block and
    /// the binding `bindings.again` of the settings.
    Again = 6,
}

/// Use of an output by the rasterizer.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranspicaSemantic {
    /// Position in clip space.
    Position = 0,
    /// Rotation of the normal and tangent frame.
    Quaternion = 1,
    /// Color.
    Color = 2,
    /// Texture coordinate 0.
    Texcoord0 = 3,
    /// Third component of texture coordinate 0.
    Texcoord0W = 4,
    /// Texture coordinate 1.
    Texcoord1 = 5,
    /// Texture coordinate 2.
    Texcoord2 = 6,
    /// View vector.
    View = 7,
    /// Input of a geometry program; the rasterizer ignores it.
    Generic = 8,
}

/// Defines the table of an enumeration and its counterpart, for both directions, or for one: `read`
/// lets callers choose, `from` tells them.
macro_rules! mirror {
    (read $here:ident = $there:ident { $($variant:ident),+ $(,)? }) => {
        impl Choice for $there {
            fn read(number: u32) -> Option<Self> {
                const NAMED: fn($here) = |here| match here { $($here::$variant => ()),+ };
                let _ = NAMED;
                [$(($here::$variant, $there::$variant)),+]
                    .into_iter()
                    .find_map(|(here, there)| (here as u32 == number).then_some(there))
            }
        }
    };
    (from $here:ident = $there:ident { $($variant:ident),+ $(,)? }) => {
        impl From<$there> for $here {
            fn from(there: $there) -> Self {
                match there { $($there::$variant => Self::$variant),+ }
            }
        }
    };
    ($($both:tt)+) => {
        mirror! { read $($both)+ }
        mirror! { from $($both)+ }
    };
}

/// A value that a caller passes as a number.
pub(crate) trait Choice: Sized {
    /// Returns the value of a number, if it has one.
    fn read(number: u32) -> Option<Self>;
}

#[cfg(feature = "glsl")]
mirror! { TranspicaGlslVersion = GlslVersion {
    Vulkan450, Core330, Es310, Core400, Core410, Core420, Core430, Core440, Core450, Core460, Es300, Es320,
} }

mirror! { from TranspicaCode = Code {
    Truncated, BadMagic, OutOfFile, BadField, NoExecutable, EntryOutOfCode, EntryOutOfReach, BadOpcode, Limit,
    Stage, StepBudget, BadOption, Verify, Backend, Other, NoGeometryStage,
} }
mirror! { read TranspicaEntryPoint = TranspicaEntryPoint {
    Vertex, Compute, Quaternions, BeforeGeometry, Geometry, GeometryStage, Draw,
} }
mirror! { read TranspicaHookKind = TranspicaHookKind {
    Set, Add, Multiply, Transform, Redirect, Tap, Again,
} }
mirror! { read TranspicaType = TranspicaType {
    Request, RawProgram, Executable, RegisterProgram, RegisterWrites, Salt, VertexInput, Hooks, Job,
    DebugSource, Figures, Message, Input, Output, Member, Kernel, PlanFigures, Reliance,
} }
mirror! { read TranspicaPromiseKind = TranspicaPromiseKind { Nothing, NotNan, Below, Between } }
mirror! { TranspicaTopology = Topology { List, Strip, Fan, Geometry } }
mirror! { TranspicaPass = Pass { Feed, Scan, Compact } }
mirror! { TranspicaBindingUse = BindingUse { Read, Write, Uniform } }

mirror! { TranspicaAttributeKind = AttributeKind { Float, Int, Uint } }
mirror! { TranspicaNumber = Number { S8, U8, S16, F32 } }
mirror! { TranspicaStage = Stage { Vertex, Geometry } }
mirror! { TranspicaTier = Tier { Structured, BlockDispatcher, PcDispatcher } }
mirror! { TranspicaSemantic = Semantic {
    Position, Quaternion, Color, Texcoord0, Texcoord0W, Texcoord1, Texcoord2, View, Generic,
} }
mirror! { TranspicaBank = Bank { Float, Int, Bool } }
