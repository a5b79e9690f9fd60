//! Input of the lowering, as the translation builds it.
//! Knows neither values nor the builder.

use crate::geometry::{GeometrySetup, StateWord};
use crate::host::hooks::Hook;
use crate::host::settings::Options;
use crate::interface::Output;
use crate::ir::FloatConstants;
use crate::program::isa::Program;

/// The values that the main function yields.
#[derive(Clone, Copy, Debug)]
pub enum OutputSelection<'a> {
    /// The sixteen output registers as f32x4 (compute entry).
    Registers,
    /// One value for each output, with depth and color conversion applied (vertex entry).
    Semantics(&'a [Output]),
}

/// Target form of a geometry program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A compute shader that runs the invocations and stores their triangles in a buffer.
    Kernel,
    /// A compute shader that stores every EMIT with the forwarded output registers. Its feed holds
    /// v0..v15 and c0..c95 for each invocation.
    Emits,
    /// A geometry stage of the host's API, one invocation for each of its primitives.
    Stage {
        /// Swaps vertices of triangles with reversed winding.
        respects_winding: bool,
    },
    /// The geometry unit itself: inputs and uniforms are read where they are, carried state from
    /// its buffer. Every EMIT is submitted as [`Emits`](Self::Emits) records it.
    Unit,
}

/// Further input of a geometry program.
#[derive(Clone, Copy, Debug)]
pub struct Geometry<'a> {
    /// Configuration: how it receives vertices, and the outputs that it forwards.
    pub setup: &'a GeometrySetup,
    /// The state that invocations carry over; if empty, they are independent.
    pub state: &'a [StateWord],
    /// Its target form.
    pub form: Form,
}

/// Input of the lowering.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The program.
    pub program: &'a Program<'a>,
    /// Known float uniforms as f32 bits, which become constants.
    pub constants: &'a FloatConstants,
    /// The values that the main function yields. For a geometry program they are those of a vertex;
    /// the function itself yields the number of triangles and the carried state, as u32.
    pub outputs: OutputSelection<'a>,
    /// Present for a geometry program.
    pub geometry: Option<Geometry<'a>>,
    /// Precision, depth and color conversion, limits.
    pub options: &'a Options,
    /// Redirected uniforms and taps. Hooks of outputs are fields of the outputs.
    pub hooks: &'a [Hook],
}
