//! Lowering of control flow and instructions to IR: SSA over lanes, PICA200 arithmetic.
//! In: [`Program`], its [`Cfg`] and [`Tree`] (or the program alone, if it has too many control
//! states). Out: [`ir::Module`](crate::ir::Module) in the `Pica` stage. Knows no back end and no
//! uniform layout.
//!
//! * `scope`: the builder: lane map, nesting constructs, merging of lane maps into results and
//!   parameters;
//! * `emit`: shorthands of the builder for scalars;
//! * `lanes`: the slots of the lane map and their registers;
//! * `data`: data instructions to values;
//! * `tree`: the structured tree to constructs;
//! * `geometry`: EMIT and SETEMIT, invocations and their carried state;
//! * `hooks`: changes that a host makes to outputs and uniforms, and taps;
//! * `unfinished`: reports of runs that were cut short;
//! * `dispatcher`: the last tier, a loop over a switch on the program counter.
//!
//! SSA construction follows Braun et al. 2013 on a finished tree: each arm works on a copy of the
//! lane map, lanes that differ where arms meet become results, lanes assigned in a loop become its
//! parameters. `passes` removes redundant ones.
//!
//! `outputs.rs` has depth, y, colors and clip distances. Begin with `data.rs` for an instruction
//! and with `scope.rs` for the builder. Files: `data.rs`, `tree.rs`, `scope.rs`, `emit.rs`,
//! `lanes.rs`, `hooks.rs`, `geometry.rs`, `unfinished.rs`, `dispatcher.rs`, as above.

mod data;
mod dispatcher;
mod emit;
mod geometry;
mod hooks;
mod lanes;
mod outputs;
mod scope;
mod tree;
mod unfinished;

use crate::error::Result;
use crate::flow::cfg::Cfg;
use crate::flow::structure::tree::Tree;
use crate::geometry::{GeometrySetup, StateWord};
use crate::host::{Hook, Options, Output};
use crate::ir::Module;
use crate::ir::known::FloatConstants;
use crate::program::isa::Program;
use data::Data;
use hooks::Hooks;
use scope::Builder;

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
    /// Redirected uniforms and taps. Those of outputs are the outputs' own.
    pub hooks: &'a [Hook],
}

/// Begins a program whose slots, except those of geometry programs, end at `slots`.
fn begin(context: Context<'_>, slots: lanes::Slot, instructions: usize) -> (Builder, Data<'_>) {
    let (slots, emission) = geometry::slots(context, slots);
    let portable = context.options.arithmetic.portable_exponentials;
    let hooks = Hooks { hooks: context.hooks, base: emission.is_none().then_some(slots.geometry) };
    let data = Data { constants: context.constants, portable, emission, hooks };
    (Builder::new(context.options, slots, instructions), data)
}

/// Ends a program: lowers its outputs and builds the module.
fn end(mut builder: Builder, data: &Data<'_>, context: Context<'_>) -> Result<Module> {
    // Outputs are no part of a procedure that the program ends in.
    builder.func.begin_place(Some(context.program.entry()));
    let values = match &data.emission {
        Some(emission) => emission.end(&mut builder),
        None => outputs::values(&mut builder, context.outputs, context.options, &data.hooks),
    };
    let main = builder.finish_function(&values, &context.options.limits)?;
    Ok(Module { main, helpers: Vec::new() })
}

/// Lowers a structured program.
///
/// # Errors
/// More values than `options.limits.values`, or more lanes copied than `options.limits.steps`.
pub fn structured(context: Context<'_>, cfg: &Cfg, tree: &Tree) -> Result<Module> {
    tree::lower(context, cfg, tree)
}

/// Lowers any program to a loop over a switch on the program counter, with the control rings in
/// variables.
///
/// # Errors
/// More values than `options.limits.values`, or a reachable undefined opcode.
pub fn dispatched(context: Context<'_>) -> Result<Module> {
    dispatcher::lower(context)
}
