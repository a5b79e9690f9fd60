//! VBC files, as `info` prints them.

use serde_json::{Map, Value, json};
use transpica_containers::vbc::{Error, Resource, ShaderStage, Slot, Variable, Vbc};

use crate::input::Input;
use crate::report::Failure;

/// Builds the failure of an error, without the name of a file.
pub fn failure(error: &Error) -> Failure {
    Failure::new(error.to_string()).maybe_hint(error.hint())
}

/// Returns the description of a file.
pub fn describe(input: &Input) -> Result<Value, Failure> {
    let file = Vbc::read(&input.bytes).map_err(|error| failure(&error).in_file(&input.path))?;
    let stages = ShaderStage::ALL.into_iter().zip(&file.stages).filter(|(_, words)| !words.is_empty());
    let stages = stages.map(|(stage, words)| json!({ "stage": stage.name(), "spirv_words": words.len() }));
    let tables = ["samplers", "images", "buffers", "read_only_texels", "read_write_texels"];
    let tables: Map<_, _> =
        tables.into_iter().zip(file.tables).map(|(name, size)| (name.to_string(), json!(size))).collect();
    let uniform = file.uniform.as_ref().map(|uniform| {
        json!({
            "size": uniform.size, "stages": names(uniform.stages),
            "members": uniform.members.iter().map(|member| json!({
                "name": member.name, "offset": member.offset, "type": member.ty.to_string(),
            })).collect::<Vec<_>>(),
        })
    });
    Ok(json!({
        "format": "VBC 1",
        "stages": stages.collect::<Vec<_>>(),
        "tables": tables,
        "inputs": file.inputs.iter().map(variable).collect::<Vec<_>>(),
        "outputs": file.outputs.iter().map(variable).collect::<Vec<_>>(),
        "bindings": file.bindings.iter().map(binding).collect::<Vec<_>>(),
        "uniform": uniform,
        "subpass_inputs": file.subpass.iter().map(|input| json!({
            "base": input.base, "components": input.components,
        })).collect::<Vec<_>>(),
    }))
}

fn names(mask: u16) -> String {
    let stages = ShaderStage::ALL.into_iter().filter(|stage| mask & stage.mask() != 0);
    stages.map(ShaderStage::name).collect::<Vec<_>>().join(", ")
}

fn variable(variable: &Variable) -> Value {
    json!({ "location": variable.location, "type": variable.ty.to_string() })
}

fn binding(Slot { slot, stages, resource }: &Slot) -> Value {
    let mut value = json!({ "slot": slot, "stages": names(*stages), "resource": resource.name() });
    match resource {
        Resource::Sampler | Resource::Image => {}
        Resource::Buffer { element, .. } => value["element_size"] = json!(element),
        Resource::Texels { texels, .. } => {
            value["rank"] = json!(texels.rank);
            value["texel"] =
                json!(format!("base {} of {} bytes, {}", texels.base, texels.size, texels.components));
        }
    }
    value
}
