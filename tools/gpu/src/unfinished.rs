//! Finds out whether invocations on the GPU ran to their end.
//! In: a case, vertices that the interpreter finishes. Out: nothing, or [`GpuError::Unfinished`].
//! Facts: a driver may leave loops on its own and say nothing ([`Facts::loop_rounds`](crate::driver::Facts::loop_rounds)); others run
//! a program that does not end until the device is lost. So the program is translated a second time, with reports, and on
//! drivers of which no end is known with a guard as well.

use transpica::host::{EntryPoint, Options, Profile};
use transpica::ir::NodeData;
use transpica::{Translated, Translator};

use crate::compare::{self, Case, CompareError};
use crate::compute::Unfinished;
use crate::{Gpu, GpuError, Reason, Registers, Route, run_reported};

/// Checks that every vertex runs to its end on a route. A program without loops is not run.
///
/// # Errors
/// [`GpuError::Unfinished`] where one does not, and what the library or the GPU refuses.
pub fn check(gpu: &Gpu, case: &Case<'_>, route: Route, vertices: &[Registers]) -> Result<(), CompareError> {
    // A program that ends within its budget jumps less often than that.
    let budget = u32::try_from(case.budget).unwrap_or(u32::MAX);
    let is_endless = gpu.facts().loop_rounds.is_none() && case.options.loop_guard.is_none();
    let loop_guard = if is_endless { Some(budget) } else { case.options.loop_guard };
    let options = Options { entry: EntryPoint::Compute, report_unfinished: true, loop_guard, ..case.options };
    let mut translator = Translator::new(options, Profile::default());
    let translated = translator.translate(case.program, case.around)?;
    if !has_loops(&translated) {
        return Ok(());
    }
    let shader = compare::shader(&mut translator, &translated, route)?;
    let uniforms = compare::uniform_bytes(&translated, case.uniforms);
    let ends = run_reported(gpu, shader, &uniforms, vertices)?;
    let count = |is_cut: fn(&Unfinished) -> bool| ends.iter().filter(|(_, end)| is_cut(end)).count();
    let unfinished = |invocations, reason| match invocations {
        0 => Ok(()),
        _ => Err(GpuError::Unfinished { invocations, of: vertices.len(), reason }),
    };
    if is_endless {
        unfinished(count(|end| end.guard_fired), Reason::Guard(budget))?;
    }
    unfinished(count(|end| end.driver_left), Reason::Driver(gpu.facts().loop_rounds))?;
    Ok(())
}

/// Whether a translated program loops.
fn has_loops(translated: &Translated) -> bool {
    translated.module.main.nodes.values().iter().any(|node| matches!(node, NodeData::Loop { .. }))
}
