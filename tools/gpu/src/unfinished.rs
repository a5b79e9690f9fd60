//! Detects invocations on the GPU that were cut short.
//! In: a case, and vertices that the interpreter finishes. Out: nothing, or
//! [`GpuError::Unfinished`].
//! Facts: a driver may leave loops early without a report
//! ([`Facts::loop_rounds`](crate::driver::Facts::loop_rounds)); others run an endless program until
//! the device is lost. Therefore the program is translated a second time, with reports, and with a
//! guard on drivers without a known limit.

use crate::ir::NodeData;
use transpica::host::Environment;
use transpica::interp::Uniforms;
use transpica::settings::Control;
use transpica::{Error, Job, Options, Program, Translation, Translator};

use crate::compare::{self, Case, CompareError};
use crate::compute::Unfinished;
use crate::{Gpu, GpuError, Reason, Registers, Route, Shader, run_reported};

/// Checks that every vertex runs to its end on a route. A program without loops is not run.
///
/// # Errors
/// [`GpuError::Unfinished`] if a vertex is cut short, and errors of the library or the GPU.
pub fn check(gpu: &Gpu, case: &Case<'_>, route: Route, vertices: &[Registers]) -> Result<(), CompareError> {
    // A program that ends within its budget takes fewer back edges than that.
    let budget = u32::try_from(case.budget).unwrap_or(u32::MAX);
    let is_endless = gpu.facts().loop_rounds.is_none() && case.options.control.loop_guard.is_none();
    let loop_guard = if is_endless { Some(budget) } else { case.options.control.loop_guard };
    let options = Options {
        control: Control { report_unfinished: true, loop_guard, ..case.options.control },
        ..case.options
    };
    let mut translator = Translator::new(options, gpu.profile(route));
    let translated = translator.translate(case.program, case.environment, Job::Compute)?;
    if !has_loops(&translated) {
        return Ok(());
    }
    let shader = compare::shader(&mut translator, &translated, route)?;
    let uniforms = compare::uniform_bytes(&translated, case.uniforms);
    let ends = run_reported(gpu, shader, &uniforms, vertices)?;
    if is_endless {
        none(&ends, |end| end.guard_fired, Reason::Guard(budget))?;
    }
    none(&ends, |end| end.driver_left, Reason::Driver(gpu.facts().loop_rounds))?;
    Ok(())
}

/// Returns an error if any invocation was cut short for this reason.
fn none(
    ends: &[(Registers, Unfinished)],
    is_cut: impl Fn(&Unfinished) -> bool,
    reason: Reason,
) -> Result<(), GpuError> {
    match ends.iter().filter(|(_, end)| is_cut(end)).count() {
        0 => Ok(()),
        invocations => Err(GpuError::Unfinished { invocations, of: ends.len(), reason }),
    }
}

/// A second, reporting run of the vertex program in front of a geometry program.
pub(crate) struct Watch {
    translated: Translation,
    shader: Shader,
}

impl Watch {
    /// Builds a watch if the driver leaves loops and the program has any.
    pub(crate) fn new(
        gpu: &Gpu,
        program: &Program<'_>,
        environment: &dyn Environment,
        options: &Options,
        route: Route,
    ) -> Result<Option<Self>, Error> {
        if gpu.facts().loop_rounds.is_none() {
            return Ok(None);
        }
        let options = Options { control: Control { report_unfinished: true, ..options.control }, ..*options };
        let mut translator = Translator::new(options, gpu.profile(route));
        let translated = translator.translate(program, environment, Job::Compute)?;
        if !has_loops(&translated) {
            return Ok(None);
        }
        let shader = compare::shader(&mut translator, &translated, route)?;
        Ok(Some(Self { translated, shader }))
    }

    /// Checks that the driver leaves no loop of any vertex.
    pub(crate) fn check(
        &self,
        gpu: &Gpu,
        uniforms: &Uniforms,
        vertices: &[Registers],
    ) -> Result<(), GpuError> {
        let uniforms = compare::uniform_bytes(&self.translated, uniforms);
        let ends = run_reported(gpu, self.shader.clone(), &uniforms, vertices)?;
        none(&ends, |end| end.driver_left, Reason::Driver(gpu.facts().loop_rounds))
    }
}

/// Returns whether a translated program loops.
fn has_loops(translated: &Translation) -> bool {
    translated.module.main.nodes.values().iter().any(|node| matches!(node, NodeData::Loop { .. }))
}
