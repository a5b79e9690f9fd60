//! Geometry programs as geometry stages of the host's API, vertex stages that draw the triangles of
//! kernels, and the geometry stage for quaternions.
//! In: programs, their environment, the setup of a draw. Out: [`Translation`] with a
//! [`GeometryStage`], if it is exact.

use super::geometry::{bounds, dependences, state_words};
use super::{Input, LiftedProgram, Repeat, Tier, Translation, Translator, accept, control};
use crate::error::{At, Error, Kind, Result};
use crate::geometry::{Dependence, GeometryStage, Observation, StateItem, Topology};
use crate::host::constants::Constants;
use crate::host::settings::{AttributeFormat, Options, Reliance, Setup};
use crate::interface::varying::{self, Place};
use crate::interface::{Attribute, EntryPoint, EnvironmentInterface, Interface, Output, Usage};
use crate::ir::{self, Exit, Func, Lane, Module, Op, RegionData, Resource, Type, Value};
use crate::lift::{Context, Form, Geometry, OutputSelection};
use crate::limits;
use crate::passes;

impl Translator {
    /// Translates a geometry program to a geometry stage.
    ///
    /// # Errors
    /// [`Kind::NoGeometryStage`] for modes other than point; for data dependences on earlier
    /// invocations (with their place); for more triangles than a stage can emit or an unknown
    /// number of them (int uniforms that are [baked in](crate::settings::IntUniforms) help); for
    /// numbers of vertices that no primitive has; for topologies that build strips or fans of
    /// triangles.
    pub(super) fn geometry_stage(&mut self, input: Input<'_>, setup: &Setup) -> Result<Translation> {
        let Input { program, options, folded, hooks, .. } = input;
        let (primitive, vectors) = accept::primitive(setup)?;
        let geometry = *accept::geometry(setup)?;
        let outputs = self.outputs(input, &setup.map, false);
        let (mut control, mut why) = control::choose(program, options)?;
        let observations = dependences(program, &control, &varying::components(&outputs, geometry.outputs));
        let state = state_words(&observations, &outputs, options);
        let context = |state, form| Context {
            program,
            constants: &folded.floats,
            outputs: OutputSelection::Semantics(&outputs),
            geometry: Some(Geometry { setup: &geometry, state, form }),
            options,
            hooks,
        };
        let mut dependence = Dependence::None;
        if !state.is_empty() {
            // Data dependences are possible, but the optimized code may have none.
            let mut kernel = control::lift(context(&state, Form::Kernel), &mut control, &mut why)?;
            passes::optimize::run(&mut kernel, &options.arithmetic, &mut self.scratch);
            dependence = passes::analyze::dependence::run(&kernel);
        }
        check_dependence(&observations, dependence)?;
        let triangles = triangles(bounds(program, &control, options).triangles)?;
        let form = Form::Stage { respects_winding: setup.topology == Topology::Geometry };
        let mut module = control::lift(context(&[], form), &mut control, &mut why)?;
        passes::optimize::run(&mut module, &options.arithmetic, &mut self.scratch);
        let entry_point = EntryPoint::Stage(GeometryStage { primitive, vectors, triangles });
        let lifted =
            LiftedProgram { module, repeat: Repeat::Vertices(1), outputs, control, why, entry_point };
        self.finish(input, lifted)
    }

    /// Builds the vertex stage that draws the triangles of a kernel. It equals a vertex program
    /// that moves attribute n to output n.
    pub(super) fn draw_stage(&self, input: Input<'_>, setup: &Setup) -> Result<Translation> {
        let outputs = varying::outputs(&setup.map, input.options, &self.profile);
        let attribute = |(output, place): (&Output, Place)| {
            let Place { location: register, lanes: components, .. } = place;
            let format = AttributeFormat { components, ..AttributeFormat::default() };
            Attribute { register, name: output.name.clone(), format }
        };
        let attributes = outputs.iter().zip(varying::places(&outputs)).map(attribute).collect();
        self.without_program(input, move_function(&outputs), attributes, outputs, EntryPoint::Vertex)
    }

    /// Builds the geometry stage that brings quaternions to one side. The generators write it from
    /// its outputs alone.
    pub(super) fn quaternion_stage(&self, input: Input<'_>) -> Result<Translation> {
        let outputs = self.outputs(input, &input.environment.output_map(), true);
        self.without_program(input, move_function(&[]), Vec::new(), outputs, EntryPoint::Quaternions)
    }

    /// Completes a stage that contains no code of the program.
    fn without_program(
        &self,
        input: Input<'_>,
        main: Func,
        attributes: Vec<Attribute>,
        outputs: Vec<Output>,
        entry_point: EntryPoint,
    ) -> Result<Translation> {
        let Input { environment, options, .. } = input;
        let inputs = ((1u32 << attributes.len().min(16)) - 1) as u16;
        let source = environment.interface(&Usage::default(), options)?.source;
        let known = EnvironmentInterface { source, attributes, ..EnvironmentInterface::default() };
        Ok(Translation {
            module: Module { main, helpers: Vec::new() },
            interface: Interface::new(known, outputs, entry_point, Options::default(), Constants::NONE),
            usage: Usage { inputs, ..Usage::default() },
            tier: Tier::Structured,
            warnings: Vec::new(),
            relies_on: Reliance::default(),
            options: *options,
            profile: self.profile.clone(),
            debug_source: None,
        })
    }
}

/// Repeats a legal module for each vertex of a point, with attributes and outputs of its own.
///
/// # Errors
/// [`Kind::NoGeometryStage`] for more attributes than a vertex stage has on every device, and a
/// limit.
pub(super) fn repeat(
    module: &mut Module,
    interface: &mut Interface,
    inputs: u16,
    vertices: u8,
) -> Result<()> {
    let count = inputs.count_ones();
    if count * u32::from(vertices) > Usage::EVERYTHING.inputs.count_ones() {
        return accept::reject_stage(format!(
            "a point of {vertices} vertices with {count} attributes each needs {}, and there are 16",
            count * u32::from(vertices)
        ));
    }
    let limits = &interface.options.limits;
    let values = module.main.values.len().saturating_mul(vertices.into());
    limits::check("values", values, limits.values, At::Whole)?;
    // Range: below 16.
    let place = |vertex: u8, register: u8| {
        (u32::from(vertex) * count + (inputs & ((1 << register) - 1)).count_ones()) as u8
    };
    let first = module.clone();
    for vertex in 0..vertices {
        let mut copy = first.clone();
        passes::join::move_inputs(&mut copy.main, |register| place(vertex, register));
        match vertex {
            0 => *module = copy,
            _ => passes::join::run(module, copy, 0),
        }
    }
    let read = interface.attributes.iter().filter(|attribute| inputs >> attribute.register & 1 != 0);
    let of_vertex = |vertex: u8| {
        read.clone().map(move |attribute| Attribute {
            register: place(vertex, attribute.register),
            // They end in a letter, as all names.
            name: format!("{}_{}", attribute.name, char::from(b'a' + vertex % 16)),
            ..attribute.clone()
        })
    };
    interface.attributes = (0..vertices).flat_map(of_vertex).collect();
    Ok(())
}

/// Builds a function that yields input n, with as many lanes as output n.
fn move_function(outputs: &[Output]) -> Func {
    let mut main = Func { name: "main".into(), ..Func::default() };
    let body = main.regions.push(RegionData::default());
    let mut values: Vec<Value> = Vec::with_capacity(outputs.len());
    // Range of both: at most sixteen.
    for (register, output) in (0u8..).zip(outputs) {
        let input = main.emit(body, Type::F32X4, Op::Read(Resource::Input(register)));
        let lanes = output.lanes().clamp(1, 4) as u8;
        values.push(match lanes {
            4 => input,
            _fewer => {
                let lane = |lane: u8| Lane::new(input, if lane < lanes { lane } else { 0 });
                main.emit(body, Type::new(ir::ScalarKind::F32, lanes), Op::Shuffle([0, 1, 2, 3].map(lane)))
            }
        });
    }
    let values = main.list(values);
    main.regions[body].exit = Exit::Yield(values);
    main.body = Some(body);
    main
}

/// Rejects programs with data dependences between invocations.
fn check_dependence(observations: &[Observation], dependence: Dependence) -> Result<()> {
    let counts = |seen: &&Observation| dependence != Dependence::None || seen.item == StateItem::Ran;
    let Some(Observation { item, pc }) = observations.iter().find(counts) else { return Ok(()) };
    let why = format!("an invocation reads {item} as earlier ones left it");
    Err(Error::new(Kind::NoGeometryStage(why), At::Pc(pc.0)))
}

/// Rejects programs with too many triangles.
fn triangles(bound: Option<u32>) -> Result<u32> {
    let Some(triangles) = bound else {
        return accept::reject_stage("the number of triangles per invocation has no proven bound");
    };
    let (vertices, most) = (triangles.saturating_mul(3), GeometryStage::MOST_VERTICES);
    limits::check("vertices of a geometry stage", vertices as usize, most, At::Whole)?;
    Ok(triangles)
}
