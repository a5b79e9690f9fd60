//! Options (what the program means) and profile (what host and driver want). Both have defaults and public fields.

use crate::limits::Limits;
use crate::precision::Precision;

/// Shape of the entry point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EntryPoint {
    /// A vertex stage: attributes in, position and varyings out.
    #[default]
    Vertex,
    /// A compute stage of 64 invocations a workgroup: invocation n reads v0..v15 of vertex n (16 vec4) from storage buffer
    /// binding 0 and writes o0..o15 to storage buffer binding 1; the uniform block, if any, is binding 2.
    Compute,
}

/// How uniforms are laid out in the one uniform block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Layout {
    /// One named member for each bound symbol.
    #[default]
    Symbols,
    /// The whole register file: `c: array<vec4f, 96>`, `i: array<vec4i, 4>`, `b: u32` at fixed offsets.
    Registers,
}

/// The host's clip volume in z.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DepthRange {
    /// 0..w (Vulkan, WebGPU, Direct3D, Metal): z is negated.
    #[default]
    ZeroToW,
    /// z as the program writes it, -w..0.
    Raw,
}

/// What the translated program means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Options {
    /// The numbers it computes with.
    pub precision: Precision,
    /// Shape of the entry point.
    pub entry: EntryPoint,
    /// Layout of the uniform block.
    pub layout: Layout,
    /// z convention of the position output (vertex entry only).
    pub depth: DepthRange,
    /// Whether colour outputs become min(|c|, 1), as the rasteriser does (vertex entry only).
    pub clamp_colors: bool,
    /// Whether float setup constants become literals instead of uniforms.
    pub fold_constants: bool,
    /// Whether undefined opcodes count as NOP instead of being an error.
    pub lenient: bool,
    /// Sizes that may not be passed.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            precision: Precision::Exact,
            entry: EntryPoint::Vertex,
            layout: Layout::Symbols,
            depth: DepthRange::ZeroToW,
            clamp_colors: true,
            fold_constants: true,
            lenient: false,
            limits: Limits::default(),
        }
    }
}

/// What host and driver want.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Profile {
    /// SPIR-V version, 1.0 to 1.6.
    pub spirv_version: (u8, u8),
    /// Whether float operations carry NoContraction (needed for exact results).
    pub no_contraction: bool,
    /// Whether the position output is marked invariant.
    pub invariant_position: bool,
    /// Whether names are written into SPIR-V modules.
    pub names: bool,
}

impl Default for Profile {
    fn default() -> Self {
        Self { spirv_version: (1, 3), no_contraction: true, invariant_position: true, names: true }
    }
}
