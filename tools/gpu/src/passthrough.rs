//! Passes SPIR-V to the driver unchanged, without naga.

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
