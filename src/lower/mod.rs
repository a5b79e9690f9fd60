//! Structured control flow and instructions become IR: SSA values over lanes, PICA200 arithmetic still as such.
//! In: [`Program`], its [`Cfg`] and [`Tree`] (or, for programs with too many control states, the program alone).
//! Out: [`ir::Module`](crate::ir::Module) in the `Pica` stage. Knows no back end and no uniform layout.
//!
//! * `scope`: the builder: lane map, nesting constructs, merging of lane maps into results and parameters;
//! * `lanes`: which slots of the lane map belong to which register;
//! * `data`: one data instruction → values;
//! * `tree`: the structured tree → scopes;
//! * `geometry`: EMIT and SETEMIT, invocations and what one leaves for the next;
//! * `unfinished`: reports of runs that were cut short;
//! * `dispatcher`: the last tier, a loop over a switch on the program counter.
//!
//! SSA construction follows Braun et al. 2013 on a finished tree: each arm works on a copy of the lane map; lanes that
//! differ where arms meet become results, lanes assigned in a loop become its parameters. Superfluous ones are removed by
//! `passes`.

mod data;
mod dispatcher;
mod geometry;
mod lanes;
mod outputs;
mod scope;
mod tree;
mod unfinished;

use crate::cfg::Cfg;
use crate::error::Result;
use crate::geometry::{GeometrySetup, StateWord};
use crate::host::{Options, Output};
use crate::ir::Module;
use crate::ir::known::Constants;
use crate::isa::Program;
use crate::structure::tree::Tree;
use data::Data;
use scope::Builder;

/// What the main function yields.
#[derive(Clone, Copy, Debug)]
pub enum Outputs<'a> {
    /// The sixteen output registers as f32x4 (compute entry).
    Registers,
    /// One value for each output, with the depth and colour rules of the options applied (vertex entry).
    Semantics(&'a [Output]),
}

/// What a geometry program becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A compute shader that runs its invocations and keeps their triangles in a buffer.
    Kernel,
    /// The same, but it keeps every EMIT with the output registers that are passed on, as they are; and its feed holds, for
    /// each invocation, v0..v15 and c0..c95.
    Emits,
    /// A geometry stage of the host's API, one invocation for each of its primitives.
    Stage {
        /// Whether reversed triangles are reversed.
        heeds_winding: bool,
    },
}

/// What a geometry program is lowered with besides.
#[derive(Clone, Copy, Debug)]
pub struct Geometry<'a> {
    /// How it gets vertices, what it passes on.
    pub setup: &'a GeometrySetup,
    /// What one invocation leaves for the next; without any, each runs by itself.
    pub state: &'a [StateWord],
    /// What it becomes.
    pub form: Form,
}

/// What a program is lowered with.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The program.
    pub program: &'a Program<'a>,
    /// Float uniforms that are known, as f32 bits: they become literals.
    pub constants: &'a Constants,
    /// What the main function yields; for a geometry program what a vertex is, the function itself yields the number of
    /// triangles and what is left for the next draw, as u32.
    pub outputs: Outputs<'a>,
    /// Present for a geometry program.
    pub geometry: Option<Geometry<'a>>,
    /// Precision, depth and colour rules, limits.
    pub options: &'a Options,
}

/// A builder for a program whose last slot, but for those of geometry programs, is before `slots`.
fn begin(context: Context<'_>, slots: lanes::Slot, instructions: usize) -> (Builder, Data<'_>) {
    let (slots, emission) = geometry::slots(context, slots);
    let portable = context.options.arithmetic.portable_exponentials;
    let data = Data { constants: context.constants, portable, emission };
    (Builder::new(context.options, slots, instructions), data)
}

/// The module of a program whose last statement has been lowered.
fn end(mut builder: Builder, data: &Data<'_>, context: Context<'_>) -> Result<Module> {
    let values = match &data.emission {
        Some(emission) => emission.end(&mut builder),
        None => outputs::values(&mut builder, context.outputs, context.options),
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

/// Lowers a program of any shape to a loop over a switch on the program counter, with the control stacks in variables.
///
/// # Errors
/// More values than `options.limits.values`, or a reachable undefined opcode.
pub fn dispatched(context: Context<'_>) -> Result<Module> {
    dispatcher::lower(context)
}
