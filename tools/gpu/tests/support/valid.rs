//! Modules for the GPU that passed a validator.

use transpica::{Translated, Translator};
use transpica_gpu::{Route, Shader, compare};
use transpica_prove::spirv_tools;

/// The form of a translated program that a route wants; SPIR-V must pass `spirv-val`. (wgpu lets naga validate the rest.)
pub fn valid_shader(
    translator: &mut Translator,
    translated: &Translated,
    route: Route,
) -> Result<Shader, String> {
    let shader = compare::shader(translator, translated, route).map_err(|error| error.to_string())?;
    match &shader {
        Shader::Passthrough(words) | Shader::SpirvNaga(words) => spirv_tools::validate(words)?,
        Shader::Wgsl(_) => {}
    }
    Ok(shader)
}
