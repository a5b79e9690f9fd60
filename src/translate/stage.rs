//! Geometry programs as geometry stages of the host's API, and the vertex stages before them.
//! In: programs, their surroundings, the set-up of a draw. Out: [`Translated`] with a [`GeometryStage`], where that is exact.

use super::geometry::{bounds, observed, seen, words};
use super::{Lowered, Translated, Translator, choose, lowered};
use crate::error::{At, Error, Kind, Result};
use crate::geometry::{Carried, Observation};
use crate::host::{
    ComponentSource, EntryPoint, GeometryInput, GeometryStage, Interface, Location, Memory, Output,
    OutputValue, Surroundings, Topology, varying,
};
use crate::isa::{Component, Program, Stage};
use crate::limits;
use crate::lower::{Context, Form, Geometry, Outputs};
use crate::passes;
use crate::pipeline::Setup;

/// What cannot be.
fn wrong<T>(text: impl Into<String>) -> Result<T> {
    Err(Error::new(Kind::BadOption(text.into()), At::Whole))
}

impl Translator {
    /// Translates a geometry program to a geometry stage: see [`GeometryStage`] for what it takes. The entry point must be
    /// [`EntryPoint::Geometry`]; only SPIR-V has such a stage. It makes exactly the triangles that the program makes, in their
    /// order; the vertex stage before it is that of [`translate_before_geometry`](Self::translate_before_geometry). Its key is
    /// that of [`geometry_key`](Self::geometry_key).
    ///
    /// # Errors
    /// Programs that cannot be one: those of other modes than point, those whose invocations see something of earlier ones (at
    /// the place where they do), those with more triangles than a stage can emit or with nobody knows how many (int uniforms
    /// that are [baked in](crate::host::IntUniforms) help); numbers of vertices that no primitive has; topologies that make
    /// strips or fans of triangles. And as [`translate_geometry`](Self::translate_geometry).
    pub fn translate_geometry_stage(
        &mut self,
        program: &Program<'_>,
        around: &dyn Surroundings,
        setup: &Setup,
    ) -> Result<Translated> {
        let options = &self.options;
        options.check()?;
        self.profile.check()?;
        setup.check()?;
        if program.stage() != Stage::Geometry {
            let kind = Kind::Stage { what: "translation to a geometry stage", stage: "vertex" };
            return Err(Error::new(kind, At::Whole));
        }
        if options.entry != EntryPoint::Geometry {
            return wrong("a geometry stage is wanted: the entry point must be the geometry one");
        }
        let (primitive, vectors) = primitive(setup)?;
        let Some(geometry) = setup.geometry else {
            return wrong("the set-up has no geometry program");
        };
        let folded = around.folded(options);
        let outputs = varying::outputs(&setup.map, options, &self.profile.locations);
        varying::check_locations(&outputs)?;
        let (mut control, mut why) = choose(program, options)?;
        let observations = observed(program, &control, &seen(&outputs, geometry.outputs));
        let state = words(&observations, &outputs, options);
        let context = |state, form| Context {
            program,
            constants: &folded.floats,
            outputs: Outputs::Semantics(&outputs),
            geometry: Some(Geometry { setup: &geometry, state, form }),
            options,
        };
        let mut memory = Memory::None;
        if !state.is_empty() {
            // It may make nothing of what it may see.
            let mut kernel = lowered(context(&state, Form::Kernel), &mut control, &mut why)?;
            passes::optimize(&mut kernel, options.precision, &mut self.scratch);
            memory = passes::memory::run(&kernel);
        }
        check_memory(&observations, memory)?;
        let triangles = triangles(bounds(program, &control, options).triangles)?;
        let form = Form::Stage { heeds_winding: setup.topology == Topology::Geometry };
        let mut module = lowered(context(&[], form), &mut control, &mut why)?;
        passes::optimize(&mut module, options.precision, &mut self.scratch);
        let stage = Some(GeometryStage { primitive, vectors, triangles });
        let lowered = Lowered { module, outputs, folded: &folded, control, why, geometry: None, stage };
        let translated = self.finish(program, around, lowered)?;
        // What it reads are the vectors of vertices.
        let interface = Interface { attributes: Vec::new(), ..translated.interface };
        Ok(Translated { interface, ..translated })
    }

    /// Translates a vertex program to a vertex stage before a geometry stage: attributes in, at location n the n-th of the
    /// output registers whose bits are set, as they are. It has no position, and so is for SPIR-V: in text it gets one that means nothing. The entry point must be
    /// [`EntryPoint::Vertex`]. Its key is that of [`before_geometry_key`](Self::before_geometry_key).
    ///
    /// # Errors
    /// As [`translate`](Self::translate); another entry point.
    pub fn translate_before_geometry(
        &mut self,
        program: &Program<'_>,
        around: &dyn Surroundings,
        outputs: u16,
    ) -> Result<Translated> {
        let options = &self.options;
        options.check()?;
        self.profile.check()?;
        if program.stage() != Stage::Vertex {
            let kind = Kind::Stage { what: "translation to a vertex stage", stage: "geometry" };
            return Err(Error::new(kind, At::Whole));
        }
        if options.entry != EntryPoint::Vertex {
            return wrong("a vertex stage is wanted: the entry point must be the vertex one");
        }
        let folded = around.folded(options);
        let outputs = passed_on(outputs);
        let (mut control, mut why) = choose(program, options)?;
        let context = Context {
            program,
            constants: &folded.floats,
            outputs: Outputs::Semantics(&outputs),
            geometry: None,
            options,
        };
        let mut module = lowered(context, &mut control, &mut why)?;
        passes::optimize(&mut module, options.precision, &mut self.scratch);
        let lowered = Lowered { module, outputs, folded: &folded, control, why, geometry: None, stage: None };
        self.finish(program, around, lowered)
    }
}

/// The primitive of a stage and the vectors of its vertices.
fn primitive(setup: &Setup) -> Result<(crate::host::StagePrimitive, u8)> {
    let Some(geometry) = setup.geometry else {
        return wrong("the set-up has no geometry program");
    };
    match setup.topology {
        Topology::List | Topology::Geometry => {}
        Topology::Strip | Topology::Fan => {
            return wrong("a geometry stage cannot hand its vertices to an assembler of strips or fans");
        }
    }
    let GeometryInput::Point { inputs, registers: _ } = geometry.input else {
        return wrong("a geometry stage has vertices in registers: only point mode does");
    };
    let outputs = setup.vertex_outputs.count_ones();
    match GeometryStage::primitive(geometry.input, outputs) {
        Some(found) => Ok(found),
        None => wrong(format!(
            "a geometry stage takes 1, 2, 3, 4 or 6 vertices, not {} of {outputs} vectors each",
            u32::from(inputs) / outputs.max(1)
        )),
    }
}

/// Refuses programs whose invocations see something of earlier ones.
fn check_memory(observations: &[Observation], memory: Memory) -> Result<()> {
    let counts = |seen: &&Observation| memory != Memory::None || seen.carried == Carried::Ran;
    match observations.iter().find(counts) {
        None => Ok(()),
        Some(Observation { carried, pc }) => {
            let text = format!("no geometry stage: an invocation sees {carried} as earlier ones left it");
            Err(Error::new(Kind::Other(text), At::Pc(pc.0)))
        }
    }
}

/// Refuses programs that make too many triangles.
fn triangles(bound: Option<u32>) -> Result<u32> {
    let Some(triangles) = bound else {
        let text = "no geometry stage: it is not known how many triangles an invocation makes at most";
        return Err(Error::new(Kind::Other(text.into()), At::Whole));
    };
    let vertices = triangles.saturating_mul(3);
    limits::check(
        "vertices of a geometry stage",
        vertices as usize,
        GeometryStage::MOST_VERTICES,
        At::Whole,
    )?;
    Ok(triangles)
}

/// Output registers as they are, the n-th at location n.
fn passed_on(outputs: u16) -> Vec<Output> {
    let registers = (0u8..16).filter(|register| outputs >> register & 1 != 0);
    let output = |(location, register): (u32, u8)| Output {
        name: format!("o{register}"),
        location: Location::Varying(location),
        components: Component::ALL.map(|component| ComponentSource::Register { register, component }).into(),
        value: OutputValue::Plain,
    };
    (0..).zip(registers).map(output).collect()
}
