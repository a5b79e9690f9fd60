//! Access to Vulkan past wgpu: SPIR-V that reaches the driver unchanged, and what a device reports
//! of its float arithmetic.

use transpica::settings::FloatControls;

use crate::Gpu;

/// Creates a module from unchanged words; its entry point is `main`.
#[allow(unsafe_code, reason = "wgpu cannot look into the words")]
pub(crate) fn module(gpu: &Gpu, words: Vec<u32>) -> wgpu::ShaderModule {
    let descriptor = wgpu::ShaderModuleDescriptorPassthrough {
        label: None,
        entry_points: vec![wgpu::PassthroughShaderEntryPoint {
            name: "main".into(),
            workgroup_size: (64, 1, 1),
        }]
        .into(),
        spirv: Some(words.into()),
        ..Default::default()
    };
    // SAFETY: the words come from our SPIR-V writer (or naga's), which produce valid modules: every
    // module of the test corpus passes spirv-val. They access only the bound buffers, and check
    // indices themselves.
    unsafe { gpu.device.create_shader_module_passthrough(descriptor) }
}

/// Rules of float arithmetic that the device reports, by Vulkan 1.2; none on other systems.
#[cfg(not(target_vendor = "apple"))]
#[allow(unsafe_code, reason = "wgpu does not ask for them")]
pub(crate) fn float_controls(adapter: &wgpu::Adapter) -> FloatControls {
    use ash::vk::{self, API_VERSION_1_2, PhysicalDeviceFloatControlsProperties, PhysicalDeviceProperties2};
    // SAFETY: the adapter owns the instance and the physical device, and nothing of them is kept.
    let Some(adapter) = (unsafe { adapter.as_hal::<wgpu::hal::api::Vulkan>() }) else {
        return FloatControls::NONE;
    };
    let capabilities: vk::PhysicalDeviceProperties = adapter.physical_device_capabilities().properties();
    let versions = [adapter.shared_instance().instance_api_version(), capabilities.api_version];
    if versions.iter().any(|&version| version < API_VERSION_1_2) {
        return FloatControls::NONE;
    }
    let mut reported = PhysicalDeviceFloatControlsProperties::default();
    let mut properties = PhysicalDeviceProperties2::default().push_next(&mut reported);
    let instance = adapter.shared_instance().raw_instance();
    // SAFETY: both are alive, of a version that has the function and the structure.
    unsafe { instance.get_physical_device_properties2(adapter.raw_physical_device(), &mut properties) };
    FloatControls::from_vulkan([
        reported.shader_signed_zero_inf_nan_preserve_float32,
        reported.shader_denorm_preserve_float32,
        reported.shader_rounding_mode_rte_float32,
    ])
}

/// Metal reports none.
#[cfg(target_vendor = "apple")]
pub(crate) fn float_controls(_adapter: &wgpu::Adapter) -> FloatControls {
    FloatControls::NONE
}
