//! Runs one program on the reference interpreter and on the GPU and compares every output
//! component.
//! In: a program, its bindings, uniforms and inputs. Out: a [`Verdict`].
//! The rules are those of [`executor`]. A driver that is known to flush subnormal numbers is
//! compared with an interpreter that does. What naga writes is compared with the decorations that
//! it drops (see [`shader`]).

use std::fmt;

use crate::backend;
use transpica::interp::Uniforms;
use transpica::{Error, Job, Translation, Translator, host};
use transpica_inspect::executor::{self, Executor, Subnormals};
use transpica_inspect::state::bits;

pub use transpica_inspect::executor::{
    Case, Difference, EmptyReason, Outcome, Verdict, components, is_open, reference, ulp,
};

use crate::driver::Facts;
use crate::{Gpu, GpuError, Registers, Route, Shader, run_compute};

/// Reason why a case has no verdict.
#[derive(Debug)]
pub enum CompareError {
    /// The library rejected the program, or the interpreter stopped with an error.
    Program(Error),
    /// The GPU rejected it.
    Gpu(GpuError),
}

impl fmt::Display for CompareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Program(error) => error.fmt(f),
            Self::Gpu(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CompareError {}

impl From<Error> for CompareError {
    fn from(error: Error) -> Self {
        Self::Program(error)
    }
}

impl From<GpuError> for CompareError {
    fn from(error: GpuError) -> Self {
        Self::Gpu(error)
    }
}

/// Returns a translated program in the form that a route takes. Of what naga writes for compute, a
/// driver that takes SPIR-V gets the decorations and declarations that naga drops
/// (drivers.md#naga-contraction), so that every bit is defined. A vertex stage is drawn as it is.
///
/// # Errors
/// Errors of the back end, and naga's.
pub fn shader(
    gpu: &Gpu,
    translator: &mut Translator,
    translated: &Translation,
    route: Route,
) -> Result<Shader, CompareError> {
    let shader = match route {
        Route::Passthrough => Shader::Passthrough(translator.spirv(translated)?),
        Route::SpirvNaga => Shader::SpirvNaga(translator.spirv(translated)?),
        Route::Wgsl => Shader::Wgsl(translated.text(backend::text::Language::Wgsl)?),
    };
    let is_precise = gpu.has_passthrough() && translated.interface.entry_point.is_compute();
    Ok(if is_precise { shader.precise(gpu.profile(Route::Passthrough).float_controls)? } else { shader })
}

/// Runs a case on interpreter and GPU and compares. Vertices that exceed the interpreter's budget
/// are not sent to the GPU.
///
/// # Errors
/// Errors of the library, the interpreter or the GPU.
pub fn compare(gpu: &Gpu, case: &Case<'_>, route: Route) -> Result<Verdict, CompareError> {
    let (translated, shader) = translate(gpu, case, route)?;
    compare_shader(gpu, case, &translated, shader)
}

/// Returns the compute entry of a case's program, and its shader.
fn translate(gpu: &Gpu, case: &Case<'_>, route: Route) -> Result<(Translation, Shader), CompareError> {
    let mut translator = Translator::new(case.options, gpu.profile(route));
    let translated = translator.translate(case.program, case.environment, Job::Compute)?;
    let shader = shader(gpu, &mut translator, &translated, route)?;
    Ok((translated, shader))
}

/// A shader that was made from the compute entry of a translated program.
pub struct OnDriver<'a> {
    /// The device.
    pub gpu: &'a Gpu,
    /// The translation, for the uniform block.
    pub translated: &'a Translation,
    /// The shader.
    pub shader: Shader,
}

impl Executor for OnDriver<'_> {
    type Error = CompareError;
    fn name(&self) -> &str {
        self.gpu.name()
    }
    fn subnormals(&self) -> Subnormals {
        self.gpu.facts().subnormals
    }
    fn leaves_open(&self, case: &Case<'_>) -> bool {
        is_open(case.program, &case.options)
    }
    fn outputs(&self, case: &Case<'_>) -> Result<Vec<Registers>, CompareError> {
        let inputs: Vec<Registers> = case.inputs.iter().map(bits).collect();
        let uniforms = uniform_bytes(self.translated, case.uniforms);
        Ok(run_compute(self.gpu, self.shader.clone(), &uniforms, &inputs)?)
    }
}

/// Runs a vertex program on a route, after a check that the driver runs each vertex to its end.
///
/// # Errors
/// Errors of the library or the GPU, and those of [`check_length`].
pub fn run(gpu: &Gpu, case: &Case<'_>, route: Route) -> Result<Vec<Registers>, CompareError> {
    check_length(case, gpu.facts())?;
    let (translated, shader) = translate(gpu, case, route)?;
    OnDriver { gpu, translated: &translated, shader }.outputs(case)
}

/// Compares like [`compare`], with a shader already made from the translated program's compute
/// entry.
///
/// # Errors
/// Errors of the interpreter or the GPU; those of [`check_length`] if values differ.
pub fn compare_shader(
    gpu: &Gpu,
    case: &Case<'_>,
    translated: &Translation,
    shader: Shader,
) -> Result<Verdict, CompareError> {
    let expected = reference(case, gpu.facts().subnormals)?;
    let verdict = executor::compare_with(&OnDriver { gpu, translated, shader }, case, &expected)?;
    if !verdict.passed() {
        let ended = case.inputs.iter().zip(&expected).filter(|(_, expected)| expected.is_some());
        let inputs: Vec<_> = ended.map(|(inputs, _)| *inputs).collect();
        check_length(&Case { inputs: &inputs, ..*case }, gpu.facts())?;
    }
    Ok(verdict)
}

/// Checks that the driver leaves no loop of any vertex early.
///
/// # Errors
/// [`GpuError::TooLong`] if it may, and errors of the interpreter.
pub fn check_length(case: &Case<'_>, facts: &Facts) -> Result<(), CompareError> {
    let Some(rounds) = facts.loop_rounds else { return Ok(()) };
    let short = reference(&Case { budget: facts.most_steps(), ..*case }, facts.subnormals)?;
    match short.iter().filter(|ended| ended.is_none()).count() {
        0 => Ok(()),
        invocations => Err(GpuError::TooLong { invocations, of: short.len(), rounds }.into()),
    }
}

/// Returns the content of the uniform block.
pub fn uniform_bytes(translated: &Translation, uniforms: &Uniforms) -> Vec<u8> {
    host::pack(&translated.interface.block, uniforms)
}
