//! Vertex shaders in WGSL, GLSL and SPIR-V to the IR, with PICA200 arithmetic.
//! In: a text or words, and [`Options`]. Out: [`Lowered`], an optimized module of the IR before
//! `legalize` and its [`Interface`]; or an [`Error`] with its place and advice. Knows no
//! instructions: `emit` makes a program of it.
//! Rules: naga parses and validates; functions are inlined; what depends on uniforms only and costs
//! instructions moves to the host as a derived uniform; whole numbers are floats, exact below 2^24.
//!
//! Begin with `lower.rs`, the state, and `statements.rs`. Files: `read.rs` front ends of naga,
//! `messages.rs` what they say, `eager.rs` what one of them gets wrong;
//! `glsl.rs` declarations of older GLSL; `data.rs` shapes and constants, `operations.rs`, `math.rs`
//! operations on lanes and on constants; `host.rs` the graph of the host; `interface.rs` what
//! surrounds a program; `uniforms.rs`, `io.rs`, `quaternion.rs`, `names.rs` registers, outputs and
//! names; `value.rs`, `build.rs` values on their way to the IR; `expressions.rs`, `arithmetic.rs`,
//! `functions.rs`, `statements.rs`, `loops.rs`, `counting.rs` the lowering; `evaluate.rs` the
//! source itself, on the CPU, `lanes.rs`, `variables.rs` values of many vertices; `samples.rs`
//! random inputs, `promises.rs` their ranges.

mod arithmetic;
mod build;
mod counting;
pub mod data;
mod eager;
pub mod error;
pub mod evaluate;
mod expressions;
mod functions;
mod glsl;
pub mod host;
pub mod interface;
mod io;
pub mod lanes;
mod loops;
mod lower;
pub mod math;
mod messages;
mod names;
pub mod operations;
pub mod promises;
mod quaternion;
mod read;
pub(crate) mod samples;
mod statements;
mod uniforms;
mod value;
mod variables;

use transpica::container::Semantic;
use transpica::settings::Promise;
// The one place that names layers below the public API.
use crate::ir;
use crate::passes;
use crate::words::did_you_mean;

pub use data::{Data, Scalar, Shape};
pub use error::{Error, Kind, Location, Result};
pub use interface::Interface;
pub use read::{Language, Source, read};

/// Range of the depth that a source writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Depth {
    /// 0 at the near plane to w: WGSL, Vulkan. The default for WGSL and SPIR-V.
    #[default]
    ZeroToW,
    /// -w at the near plane to w: OpenGL. The default for GLSL.
    MinusWToW,
    /// -w to 0 already, as the console clips; unchanged.
    Console,
}

/// Role of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// This semantic.
    Semantic(Semantic),
    /// A unit normal, which becomes a quaternion.
    Normal,
    /// A unit tangent, which decides how the quaternion of the normal turns around it.
    Tangent,
    /// None: it is left out.
    Ignored,
}

/// Roles by name: semantics as the assembler has them, and what else an output may be.
const ROLES: [(&str, Role); 11] = [
    ("position", Role::Semantic(Semantic::Position)),
    ("color", Role::Semantic(Semantic::Color)),
    ("texcoord0", Role::Semantic(Semantic::Texcoord0)),
    ("texcoord1", Role::Semantic(Semantic::Texcoord1)),
    ("texcoord2", Role::Semantic(Semantic::Texcoord2)),
    ("view", Role::Semantic(Semantic::View)),
    ("normalquat", Role::Semantic(Semantic::Quaternion)),
    ("quaternion", Role::Semantic(Semantic::Quaternion)),
    ("normal", Role::Normal),
    ("tangent", Role::Tangent),
    ("none", Role::Ignored),
];

impl Role {
    /// Returns its name, as options and the assembler have it.
    pub fn name(self) -> &'static str {
        ROLES.iter().find(|(_, role)| *role == self).map_or("none", |(name, _)| name)
    }

    /// Returns the role of a name.
    ///
    /// # Errors
    /// There is none, with the nearest name or all of them.
    pub fn named(name: &str) -> std::result::Result<Self, String> {
        let found = ROLES.iter().find(|(known, _)| *known == name);
        let list = || format!("semantics are {}", Self::names());
        let names = ROLES.map(|(name, _)| name);
        found.map(|(_, role)| *role).ok_or_else(|| did_you_mean(name, names).unwrap_or_else(list))
    }

    /// Returns all names, separated by commas.
    pub fn names() -> String {
        ROLES.map(|(name, _)| name).join(", ")
    }
}

/// Choices of a lowering.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The entry point; the only one if `None`.
    pub entry: Option<String>,
    /// Range of the depth of the source.
    pub depth: Depth,
    /// Roles of outputs by name or location, before those that names stand for.
    pub outputs: Vec<(String, Role)>,
    /// Attributes of bytes that stand for 0 to 1: the program divides them by 255.
    pub scaled: Vec<String>,
    /// Promises about the numbers of the host, by `uniforms`, `attributes`, or the name of one of
    /// them: the ranges of the inputs on which a program is compared with its source.
    pub assume: Vec<(String, Promise)>,
    /// Rounds times expressions up to which a loop of constants is unrolled; up to four rounds
    /// always are, with 0 only those without another exit.
    pub unroll: usize,
}

impl Default for Options {
    fn default() -> Self {
        let (outputs, scaled, assume) = (Vec::new(), Vec::new(), Vec::new());
        Self { entry: None, depth: Depth::ZeroToW, outputs, scaled, assume, unroll: 128 }
    }
}

impl Options {
    /// Options with the depth of a language.
    pub fn of(language: Language) -> Self {
        let depth = match language {
            Language::Glsl => Depth::MinusWToW,
            Language::Wgsl | Language::SpirV => Depth::ZeroToW,
        };
        Self { depth, ..Self::default() }
    }
}

/// A lowered program.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The program, optimized; its main function yields the outputs of the interface in order. The
    /// places of its values are lines of the source.
    pub module: ir::Module,
    /// Its interface.
    pub interface: Interface,
    /// The source has loops, for which [`Options::unroll`] matters.
    pub has_loops: bool,
}

/// Lowers a vertex entry point.
///
/// ```
/// use transpica_compile::source::{Language, Options, lower, read};
/// let text = "
///     @group(0) @binding(0) var<uniform> mvp: mat4x4f;
///     @vertex fn main(@location(0) p: vec3f) -> @builtin(position) vec4f { return mvp * vec4f(p, 1.0); }";
/// let source = read(Language::Wgsl, text.as_bytes())?;
/// let lowered = lower(&source, &Options::of(Language::Wgsl))?;
/// assert_eq!(lowered.interface.uniforms[0].register, Some(0));
/// assert_eq!(lowered.interface.free, 4);
/// # Ok::<(), transpica_compile::source::Error>(())
/// ```
///
/// # Errors
/// The source is outside of the subset, or needs more registers than there are.
pub fn lower(source: &Source, options: &Options) -> Result<Lowered> {
    let entry = source.entry(options.entry.as_deref())?;
    let lowering = lower::Lowering::new(&source.module, &source.text, options);
    lowering.entry(entry).map_err(|error| read::placed(error, &source.text, &source.original))
}
