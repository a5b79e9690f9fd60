//! GLSL, with names that fragment shaders and hosts can rely on.
//! In and out: as in the parent. Knows how naga names what it binds, and no more.

use std::collections::BTreeMap;

use naga::back::glsl::{Options, PipelineOptions, Version, Writer, WriterFlags};

use super::{bindings, header, info, no_overrides, no_place, no_shared_bindings, refused, tidy};
use crate::backend::naga_ir::ENTRY_POINT;
use crate::error::{At, Error, Kind, Result};
use crate::host::{Interface, Location};

/// Version of GLSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GlslVersion {
    /// `#version n core`: 330 and later, 430 and later for the compute form.
    Core(u16),
    /// `#version n es`: 300 and later, 310 and later for the compute form.
    Es(u16),
}

impl Default for GlslVersion {
    /// 450 core.
    fn default() -> Self {
        Self::Core(450)
    }
}

/// The module as GLSL. The position is written as the program computes it: neither y nor z is changed.
///
/// * the uniform block is `uniforms_block`, its instance `uniforms`, the host block `host_block` and `host`; the buffers of the compute form are `inputs_block` and
///   `outputs_block`, with the instances `inputs` and `outputs`;
/// * attribute *name* is `in_`*name*, output *name* is `out_`*name*, both with an explicit location where the version has them.
///
/// # Errors
/// [`Kind::BadOption`](crate::error::Kind::BadOption) for specialisation constants, bindings that GLSL does not have, and clip
/// distances as a built-in in GLSL ES; [`Kind::Backend`](crate::error::Kind::Backend) where the version lacks what the module needs, or naga refuses the module.
pub fn glsl(module: &naga::Module, interface: &Interface, version: GlslVersion) -> Result<String> {
    let version = match version {
        GlslVersion::Core(number) => Version::Desktop(number),
        GlslVersion::Es(number) => Version::Embedded { version: number, is_webgl: false },
    };
    let stage = module.entry_points.first().map_or(naga::ShaderStage::Vertex, |entry| entry.stage);
    no_overrides(module, "GLSL")?;
    no_shared_bindings(module, "GLSL")?;
    let is_clipped = interface.outputs.iter().any(|output| output.location == Location::ClipDistances);
    if matches!(version, Version::Embedded { .. }) && is_clipped && stage == naga::ShaderStage::Vertex {
        let text = "GLSL ES has no clip distances: let them be a varying".to_owned();
        return Err(Error::new(Kind::BadOption(text), At::Whole));
    }
    let slot =
        |binding: naga::ResourceBinding| u8::try_from(binding.binding).map_err(|_| no_place("GLSL", binding));
    let binding_map = bindings(module).map(|binding| Ok((binding, slot(binding)?))).collect::<Result<_>>()?;
    let options = Options { version, writer_flags: WriterFlags::empty(), binding_map, ..Options::default() };
    let pipeline =
        PipelineOptions { shader_stage: stage, entry_point: ENTRY_POINT.to_owned(), multiview: None };
    let info = info(module)?;
    let mut text = String::new();
    let mut writer = Writer::new(
        &mut text,
        module,
        &info,
        &options,
        &pipeline,
        naga::proc::BoundsCheckPolicies::default(),
    )
    .map_err(|error| refused("GLSL", &error))?;
    let reflection = writer.write().map_err(|error| refused("GLSL", &error))?;
    let mut renames = interface_names(interface);
    let suffix = if stage == naga::ShaderStage::Compute { "cs" } else { "vs" };
    for (handle, variable) in module.global_variables.iter() {
        if let (Some(name), Some(binding)) = (&variable.name, &variable.binding) {
            let instance = format!("_group_{}_binding_{}_{suffix}", binding.group, binding.binding);
            renames.insert(instance, name.clone());
            if let Some(block) = reflection.uniforms.get(&handle) {
                renames.insert(block.clone(), format!("{name}_block"));
            }
        }
    }
    Ok(after_version(&tidy::renamed(&text, &renames), &header(interface)))
}

/// naga's names of attributes and varyings, and ours.
fn interface_names(interface: &Interface) -> BTreeMap<String, String> {
    let attributes = interface
        .attributes
        .iter()
        .map(|attribute| (format!("_p2vs_location{}", attribute.register), format!("in_{}", attribute.name)));
    let outputs = interface.outputs.iter().filter_map(|output| match output.location {
        Location::Position | Location::ClipDistances => None,
        Location::Varying(index) => Some((format!("_vs2fs_location{index}"), format!("out_{}", output.name))),
    });
    attributes.chain(outputs).collect()
}

/// Puts the header after the line that must come first.
fn after_version(text: &str, header: &str) -> String {
    let (version, rest) = text.split_once('\n').unwrap_or((text, ""));
    format!("{version}\n{header}{rest}")
}
