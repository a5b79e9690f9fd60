//! The compute entry: v0..v15 of many vertices in, o0..o15 out, bit for bit.

use crate::{Gpu, GpuError, Shader};

/// Sixteen registers of four components, as f32 bits.
pub type Registers = [[u32; 4]; 16];

/// Invocations of one workgroup of the compute entry.
const WORKGROUP: u32 = 64;

/// Runs the compute entry of a program over vertices and returns the output registers of each.
/// `uniforms` is the content of the uniform block; empty if the program has none.
///
/// # Errors
/// What the driver or wgpu refuses.
pub fn run_compute(
    gpu: &Gpu,
    shader: Shader,
    uniforms: &[u8],
    vertices: &[Registers],
) -> Result<Vec<Registers>, GpuError> {
    if vertices.is_empty() {
        return Ok(Vec::new());
    }
    gpu.checked(|| dispatch(gpu, shader, uniforms, vertices))
}

fn dispatch(
    gpu: &Gpu,
    shader: Shader,
    uniforms: &[u8],
    vertices: &[Registers],
) -> Result<Vec<Registers>, GpuError> {
    use wgpu::{BufferBindingType, BufferUsages};
    let bytes: &[u8] = bytemuck::cast_slice(vertices);
    let outputs = gpu.buffer(bytes.len() as u64, BufferUsages::STORAGE | BufferUsages::COPY_SRC);
    let mut bindings = vec![
        Binding::whole(
            BufferBindingType::Storage { read_only: true },
            gpu.filled(bytes, BufferUsages::STORAGE),
        ),
        Binding::whole(BufferBindingType::Storage { read_only: false }, outputs.clone()),
    ];
    if !uniforms.is_empty() {
        let uniforms = gpu.filled(uniforms, BufferUsages::UNIFORM);
        bindings.push(Binding::whole(BufferBindingType::Uniform, uniforms));
    }
    let (layout, group) = bind(gpu, &bindings, |_| wgpu::ShaderStages::COMPUTE);
    let module = shader.module(gpu);
    let pipeline = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: Some(&layout),
        module: &module,
        entry_point: Some("main"),
        compilation_options: options(),
        cache: None,
    });
    let read = gpu.buffer(bytes.len() as u64, BufferUsages::MAP_READ | BufferUsages::COPY_DST);
    let mut commands = gpu.device.create_command_encoder(&Default::default());
    {
        let mut pass = commands.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups((vertices.len() as u32).div_ceil(WORKGROUP), 1, 1);
    }
    commands.copy_buffer_to_buffer(&outputs, 0, &read, 0, Some(bytes.len() as u64));
    let words = gpu.submit_and_read(commands, &read)?;
    Ok(words.chunks_exact(64).map(registers).collect())
}

fn registers(words: &[u32]) -> Registers {
    let mut all = [[0; 4]; 16];
    for (register, words) in all.iter_mut().zip(words.chunks_exact(4)) {
        register.copy_from_slice(words);
    }
    all
}

/// Compilation without zero-initialised workgroup memory (there is none).
pub(crate) fn options() -> wgpu::PipelineCompilationOptions<'static> {
    wgpu::PipelineCompilationOptions { zero_initialize_workgroup_memory: false, ..Default::default() }
}

/// A buffer to bind.
pub(crate) struct Binding {
    pub(crate) ty: wgpu::BufferBindingType,
    pub(crate) buffer: wgpu::Buffer,
    /// Bytes that are seen at once, from an offset that is given with the group; all of it if nothing.
    pub(crate) window: Option<wgpu::BufferSize>,
}

impl Binding {
    pub(crate) fn whole(ty: wgpu::BufferBindingType, buffer: wgpu::Buffer) -> Self {
        Self { ty, buffer, window: None }
    }
}

/// A layout and a group that bind the buffers at 0, 1, 2, …, each for the stage of its type.
pub(crate) fn bind(
    gpu: &Gpu,
    buffers: &[Binding],
    stage: impl Fn(wgpu::BufferBindingType) -> wgpu::ShaderStages,
) -> (wgpu::PipelineLayout, wgpu::BindGroup) {
    let entries: Vec<_> = buffers
        .iter()
        .enumerate()
        .map(|(binding, bound)| wgpu::BindGroupLayoutEntry {
            binding: binding as u32,
            visibility: stage(bound.ty),
            ty: wgpu::BindingType::Buffer {
                ty: bound.ty,
                has_dynamic_offset: bound.window.is_some(),
                min_binding_size: None,
            },
            count: None,
        })
        .collect();
    let group_layout = gpu
        .device
        .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries });
    let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(&group_layout)],
        immediate_size: 0,
    });
    let entries: Vec<_> = buffers
        .iter()
        .enumerate()
        .map(|(binding, bound)| wgpu::BindGroupEntry {
            binding: binding as u32,
            resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer: &bound.buffer,
                offset: 0,
                size: bound.window,
            }),
        })
        .collect();
    let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &group_layout,
        entries: &entries,
    });
    (layout, group)
}
