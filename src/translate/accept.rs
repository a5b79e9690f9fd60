//! Conditions of a translation that need no analysis of the program: options, profile, the stage of
//! the program, the setup of a draw.
//! In: what a translation takes. Out: its error, if it is certain. Translations begin with it, and
//! keys check it.

use super::Input;
use crate::error::{At, Error, Kind, Result};
use crate::geometry::{GeometryInput, GeometrySetup, GeometryStage, StagePrimitive, Topology};
use crate::host::hooks::{self, Hook, adds_outputs, evaluations};
use crate::host::registers::OutputMap;
use crate::host::settings::{Job, Options, Profile, Setup, linkage};
use crate::interface::hooks::add_outputs;
use crate::interface::varying;
use crate::program::isa::{Program, Stage};

/// Checks what does not change from program to program.
pub(super) fn settings(options: &Options, profile: &Profile) -> Result<()> {
    options.check_settings()?;
    profile.check()
}

/// Checks a program with its job, and the formats of its attributes. `options` are those in effect.
pub(super) fn program(input: &Input<'_>, job: Job<'_>, profile: &Profile) -> Result<()> {
    let Input { program, environment, options, hooks, .. } = *input;
    options.check_attributes()?;
    check_stage(program, job)?;
    if job.has_program() {
        hooks::check(hooks, program)?;
        varying::check_hooked(hooks, profile)?;
        check_again(hooks, job, profile)?;
    }
    match job {
        Job::Vertex | Job::Quaternions if adds_outputs(hooks) => {
            let mut outputs = varying::outputs(&environment.output_map(), options, profile);
            add_outputs(hooks, &mut outputs);
            varying::check_locations(&outputs)
        }
        Job::Vertex | Job::Compute | Job::Quaternions => {
            locations(options, profile, || environment.output_map())
        }
        Job::BeforeGeometry { outputs, vertices } => check_point(outputs, vertices),
        Job::Emits { .. } => Ok(()),
        Job::Geometry(setup) => {
            let geometry = geometry(setup)?;
            match setup.vertex_outputs {
                // The vertex program is unknown, so the stride cannot be compared with its outputs.
                0 => geometry.input.check_numbers(),
                outputs => geometry.input.check(outputs),
            }
        }
        Job::GeometryStage(setup) => {
            setup.check()?;
            primitive(setup)?;
            locations(options, profile, || setup.map)
        }
        Job::Draw(setup) => locations(options, profile, || setup.map),
    }
}

/// Checks that a second evaluation has a place.
fn check_again(hooks: &[Hook], job: Job<'_>, profile: &Profile) -> Result<()> {
    let Some((number, _)) = evaluations(hooks).next() else { return Ok(()) };
    if job != Job::Vertex {
        let text = format!(
            "hook {number}: only vertex stages evaluate the position again; leave the hook out, \
             and run this stage a second time with the other uniforms"
        );
        return Err(Error::setup(text));
    }
    profile.bindings.check_again()
}

/// Checks that the vectors of a point are as many as a geometry program takes.
fn check_point(outputs: u16, vertices: u8) -> Result<()> {
    let vectors = outputs.count_ones() * u32::from(vertices);
    if vertices == 1 || (2..=16).contains(&vectors) {
        return Ok(());
    }
    Err(Error::setup(format!(
        "a point of {vertices} vertices has {vectors} vectors, but a geometry program takes 1 to 16; \
         Setup::point_vertices has the number"
    )))
}

/// Returns the geometry program's part of a setup.
pub(super) fn geometry(setup: &Setup) -> Result<&GeometrySetup> {
    setup.geometry.as_ref().ok_or_else(|| Error::setup("the setup has no geometry program"))
}

/// Returns the error of a geometry stage that cannot be built.
pub(super) fn reject_stage<T>(why: impl Into<String>) -> Result<T> {
    Err(Error::new(Kind::NoGeometryStage(why.into()), At::Whole))
}

/// Returns the primitive of a stage and the number of vectors of its vertices.
pub(super) fn primitive(setup: &Setup) -> Result<(StagePrimitive, u8)> {
    let geometry = geometry(setup)?;
    if matches!(setup.topology, Topology::Strip | Topology::Fan) {
        return reject_stage("it cannot hand its vertices to a strip or fan assembler");
    }
    let GeometryInput::Point { inputs, registers: _ } = geometry.input else {
        return reject_stage("only point mode puts vertices in registers");
    };
    let outputs = setup.vertex_outputs.count_ones();
    let multiple =
        || format!("its {inputs} inputs are not a multiple of the vertex program's {outputs} outputs");
    GeometryStage::primitive(geometry.input, outputs).map_or_else(|| reject_stage(multiple()), Ok)
}

/// Checks that no two outputs share a location.
fn locations(options: &Options, profile: &Profile, map: impl Fn() -> OutputMap) -> Result<()> {
    // Outputs are lists with names, which take longer than the rest of a key.
    if linkage::are_distinct(&profile.varyings) {
        return Ok(());
    }
    varying::check_locations(&varying::outputs(&map(), options, profile))
}

/// Rejects programs of another stage than the job takes.
fn check_stage(program: &Program<'_>, job: Job<'_>) -> Result<()> {
    let (what, stage) = match job.stage().filter(|&stage| stage != program.stage()) {
        None => return Ok(()),
        Some(Stage::Vertex) => ("translation as a vertex program", "geometry"),
        Some(Stage::Geometry) => ("translation as a geometry program", "vertex"),
    };
    Err(Error::new(Kind::Stage { what, stage }, At::Whole))
}
