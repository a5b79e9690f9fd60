//! Settings of known hosts.
//! In: a host, its graphics API. Out: a chain of structures. What they hold is
//! `transpica::host::preset`'s.

use std::ffi::CStr;
use std::ptr::{from_ref, null};

use transpica::host::{Locations, Preset, preset};

use crate::boundary::{exclusive, plain};
use crate::chain::{Structure, TranspicaHead};
use crate::enums::{
    TranspicaClipPlanes, TranspicaCode, TranspicaDepthRange, TranspicaFlipY, TranspicaLayout,
    TranspicaOutputSet, TranspicaStatus,
};
use crate::linkage::TranspicaGlsl;
use crate::problem::Problem;
use crate::settings::{TranspicaBindings, TranspicaLocations, TranspicaOptions, TranspicaProfile, choice};

/// Settings of a host, chained in this order. A copy is no chain: the pointers lead into the
/// structure that was filled.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaPreset {
    /// Begins the chain: its head is what transpica_translator_create takes.
    pub options: TranspicaOptions,
    /// Target settings.
    pub profile: TranspicaProfile,
    /// Bindings of the blocks.
    pub bindings: TranspicaBindings,
    /// Locations of the varyings.
    pub locations: TranspicaLocations,
    /// Names in GLSL. Ends the chain; a host may add structures of its own.
    pub glsl: TranspicaGlsl,
}

/// Fills `preset` with the settings of a TranspicaKnownHost that draws with a TranspicaRenderer.
/// Any field may be changed before a translator is created. TRANSPICA_STATUS_UNSUPPORTED for a
/// renderer that the host does not have; then nothing is written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_preset(
    host: u32,
    renderer: u32,
    preset: *mut TranspicaPreset,
) -> TranspicaStatus {
    plain(|| {
        let (host, renderer) = (choice("host", host)?, choice("renderer", renderer)?);
        // SAFETY: NULL or a structure that no other call uses. Its fields are numbers and pointers
        // that are written only.
        let to = unsafe { exclusive(preset, "preset")? };
        let Some(found) = self::preset(host, renderer) else {
            let text = "the host has no such renderer".to_owned();
            let problem = Problem::argument(TranspicaCode::UnknownChoice, text);
            return Err(Problem { status: TranspicaStatus::Unsupported, ..problem });
        };
        fill(to, &found);
        Ok(())
    })
}

/// The head of a structure in front of another one.
fn head<T: Structure>(next: *const TranspicaHead) -> TranspicaHead {
    TranspicaHead { r#type: T::TYPE as u32, size: size_of::<T>() as u32, next }
}

fn fill(to: &mut TranspicaPreset, preset: &Preset) {
    let Preset { options, profile } = preset;
    let (outputs, glsl) = (&options.outputs, &profile.glsl);
    // SAFETY: numbers, pointers and optional pointers, for which zeros are values.
    *to = unsafe { std::mem::zeroed() };
    to.options.layout = TranspicaLayout::from(options.block.layout) as u32;
    to.options.depth_range = TranspicaDepthRange::from(outputs.depth) as u32;
    to.options.flip_y = TranspicaFlipY::from(outputs.flip_y) as u32;
    to.options.clip_planes = TranspicaClipPlanes::from(outputs.clip_planes) as u32;
    to.options.output_set =
        if outputs.all { TranspicaOutputSet::All } else { TranspicaOutputSet::Mapped } as u32;
    to.options.has_loop_guard = options.control.loop_guard.is_some().into();
    to.options.loop_guard = options.control.loop_guard.unwrap_or(0);
    (to.options.snap_near, to.options.snap_far) = (outputs.snap_depth.near, outputs.snap_depth.far);
    (to.profile.spirv_major, to.profile.spirv_minor) =
        (profile.spirv_version.0.into(), profile.spirv_version.1.into());
    to.profile.omit_names = (!profile.names).into();
    let bindings = profile.bindings;
    (to.bindings.uniform_set, to.bindings.uniform_binding) =
        (bindings.uniforms.set, bindings.uniforms.binding);
    (to.bindings.host_set, to.bindings.host_binding) = (bindings.host.set, bindings.host.binding);
    let Locations {
        position,
        color,
        texcoord0,
        texcoord1,
        texcoord2,
        texcoord0_w,
        quaternion,
        view,
        clip_distances,
    } = profile.locations;
    to.locations = TranspicaLocations {
        has_position: position.is_some().into(),
        position: position.unwrap_or(0),
        color,
        texcoord0,
        texcoord1,
        texcoord2,
        texcoord0_w,
        quaternion,
        view,
        clip_distances,
        ..to.locations
    };
    if glsl.uniforms.block == BLOCK.to_string_lossy() {
        to.glsl.uniform_block = BLOCK.as_ptr();
        to.glsl.uniform_instance = NONE.as_ptr();
    }
    let locations = from_ref(&to.locations.head);
    to.glsl.head = head::<TranspicaGlsl>(null());
    to.locations.head = head::<TranspicaLocations>(from_ref(&to.glsl.head));
    to.bindings.head = head::<TranspicaBindings>(locations);
    to.profile.head = head::<TranspicaProfile>(from_ref(&to.bindings.head));
    to.options.head = head::<TranspicaOptions>(from_ref(&to.profile.head));
}

/// The block of a known host.
const BLOCK: &CStr = c"PICAShaderUniforms";
/// No instance.
const NONE: &CStr = c"";

#[cfg(test)]
mod tests {
    use transpica::host::{KnownHost, Renderer};

    use super::*;
    use crate::settings::Settings;

    #[test]
    fn structures_have_all_of_a_preset() {
        for host in [KnownHost::Azahar, KnownHost::Panda3ds] {
            for renderer in [Renderer::Vulkan, Renderer::OpenGl, Renderer::OpenGlEs] {
                let Some(expected) = preset(host, renderer) else { continue };
                // SAFETY: numbers and pointers.
                let mut structures: TranspicaPreset = unsafe { std::mem::zeroed() };
                fill(&mut structures, &expected);
                // SAFETY: the chain lies in the structure, which stays in its place.
                let settings = unsafe { Settings::new(&raw const structures.options.head) }.expect("valid");
                assert_eq!((settings.options, settings.profile), (expected.options, expected.profile));
            }
        }
    }
}
