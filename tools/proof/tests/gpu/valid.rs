//! Modules for the GPU that passed a validator.

use transpica::{Translation, Translator};
use transpica_gpu::{Gpu, Route, Shader, compare};
use transpica_proof::spirv_tools;

/// Returns a translated program in the form that a route takes. SPIR-V must pass `spirv-val`; wgpu
/// lets naga validate the other forms.
pub fn valid_shader(
    gpu: &Gpu,
    translator: &mut Translator,
    translated: &Translation,
    route: Route,
) -> Result<Shader, String> {
    let shader = compare::shader(gpu, translator, translated, route).map_err(|error| error.to_string())?;
    match &shader {
        Shader::Passthrough(words) | Shader::SpirvNaga(words) => spirv_tools::validate(words)?,
        Shader::Wgsl(_) => {}
    }
    Ok(shader)
}
