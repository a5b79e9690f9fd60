//! Compute pipelines with their bindings: those of programs, and those of the passes, which all
//! programs share.
//! In: shaders, buffers, numbers of workgroups. Out: commands. Knows nothing about geometry.

use transpica::stages::draw::gpu::{BindingUse, Draw, Pass};
use transpica::stages::geometry::kernel::{DRIVER_LEFT, GUARD_FIRED, bindings};
use transpica::stages::host::{DrawField, WORKGROUP};
use wgpu::BufferBindingType::{self, Storage, Uniform};

use crate::{Gpu, GpuError, Route, Shader, compute};

/// Read-only storage.
pub(super) const READ: BufferBindingType = Storage { read_only: true };
/// Writable storage.
pub(super) const WRITE: BufferBindingType = Storage { read_only: false };
/// A uniform block.
pub(super) const UNIFORM: BufferBindingType = Uniform;

/// Bindings of a geometry compute shader.
pub(super) const KERNEL: [(u32, BufferBindingType); 7] = [
    (bindings::FEED, READ),
    (bindings::TRIANGLES, WRITE),
    (bindings::UNIFORMS, UNIFORM),
    (bindings::DRAW, UNIFORM),
    (bindings::COUNTS, WRITE),
    (bindings::STATE, WRITE),
    (bindings::HOST, UNIFORM),
];

/// Buffers of a geometry compute shader, without the draw parameters.
#[derive(Clone, Copy)]
pub(super) struct Buffers<'a> {
    pub(super) feed: &'a wgpu::Buffer,
    pub(super) triangles: &'a wgpu::Buffer,
    /// The uniform block.
    pub(super) block: &'a wgpu::Buffer,
    pub(super) counts: &'a wgpu::Buffer,
    pub(super) state: &'a wgpu::Buffer,
    /// Bytes of half the state buffer: the state that is read, followed by the state that is
    /// written.
    pub(super) half: u64,
    pub(super) host: &'a wgpu::Buffer,
}

/// Creates the counts of threads, preset with both unfinished bits: a thread that never ends leaves
/// them set.
pub(super) fn counts(gpu: &Gpu, threads: u32) -> wgpu::Buffer {
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
    let unfinished = (GUARD_FIRED | DRIVER_LEFT).to_le_bytes();
    gpu.filled(&unfinished.repeat(threads.max(4) as usize), usage)
}

/// A compute pipeline.
pub(crate) struct Stage {
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    /// Binding numbers in the order of the buffers.
    bindings: Vec<u32>,
}

impl Stage {
    /// Compiles a shader with these binding numbers and types.
    pub(super) fn new(gpu: &Gpu, shader: Shader, bindings: &[(u32, BufferBindingType)]) -> Self {
        let entry = |&(binding, ty): &(u32, BufferBindingType)| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
            count: None,
        };
        let entries: Vec<_> = bindings.iter().map(entry).collect();
        let layout = gpu
            .device
            .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries });
        let pipeline_layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let pipeline = gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: Some(&pipeline_layout),
            module: &shader.module(gpu),
            entry_point: Some("main"),
            compilation_options: compute::options(),
            cache: None,
        });
        Self { pipeline, layout, bindings: bindings.iter().map(|&(binding, _)| binding).collect() }
    }

    /// Dispatches the pipeline over buffers, one for each binding.
    pub(super) fn run(
        &self,
        gpu: &Gpu,
        commands: &mut wgpu::CommandEncoder,
        buffers: &[&wgpu::Buffer],
        groups: [u32; 3],
    ) {
        let whole = buffers.iter().map(|buffer| buffer.as_entire_binding()).collect();
        self.run_bound(gpu, commands, whole, groups);
    }

    /// Runs a geometry compute shader, dispatch by dispatch.
    pub(super) fn run_draw(
        &self,
        gpu: &Gpu,
        commands: &mut wgpu::CommandEncoder,
        draw: Draw,
        is_split: bool,
        buffers: &Buffers<'_>,
    ) {
        let &Buffers { feed, triangles, block, counts, state, half, host } = buffers;
        let stride = gpu.device.limits().min_uniform_buffer_offset_alignment.max(DrawField::BLOCK_SIZE);
        let draws = draw.dispatches(is_split);
        let mut bytes = vec![0; stride as usize * draws.len()];
        for (place, draw) in bytes.chunks_exact_mut(stride as usize).zip(draws) {
            place[..DrawField::BLOCK_SIZE as usize].copy_from_slice(&draw.to_bytes());
        }
        let blocks = gpu.filled(&bytes, wgpu::BufferUsages::UNIFORM);
        let kept = gpu.buffer(half, wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST);
        let threads = if is_split { 1 } else { draw.threads };
        for (number, _) in bytes.chunks_exact(stride as usize).enumerate() {
            if number > 0 {
                // The state written by the previous dispatch is the input of this one.
                commands.copy_buffer_to_buffer(state, half, &kept, 0, Some(half));
                commands.copy_buffer_to_buffer(&kept, 0, state, 0, Some(half));
            }
            let own = wgpu::BufferBinding {
                buffer: &blocks,
                offset: u64::from(stride) * number as u64,
                size: std::num::NonZeroU64::new(DrawField::BLOCK_SIZE.into()),
            };
            let mut bound: Vec<_> = [feed, triangles, block].map(wgpu::Buffer::as_entire_binding).into();
            bound.push(wgpu::BindingResource::Buffer(own));
            bound.extend([counts, state, host].map(wgpu::Buffer::as_entire_binding));
            self.run_bound(gpu, commands, bound, [threads.div_ceil(WORKGROUP), 1, 1]);
        }
    }

    fn run_bound(
        &self,
        gpu: &Gpu,
        commands: &mut wgpu::CommandEncoder,
        bound: Vec<wgpu::BindingResource<'_>>,
        groups: [u32; 3],
    ) {
        let bound = self.bindings.iter().zip(bound);
        let entries: Vec<_> =
            bound.map(|(&binding, resource)| wgpu::BindGroupEntry { binding, resource }).collect();
        let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &self.layout,
            entries: &entries,
        });
        let mut pass = commands.begin_compute_pass(&Default::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &group, &[]);
        let [x, y, z] = groups;
        pass.dispatch_workgroups(x, y, z);
    }
}

/// Compiles a pass: from WGSL on that route, from SPIR-V on the others.
pub(super) fn pass(gpu: &Gpu, pass: Pass, route: Route) -> Stage {
    let shader = match route {
        Route::Passthrough => Shader::Passthrough(pass.spirv()),
        Route::SpirvNaga => Shader::SpirvNaga(pass.spirv()),
        Route::Wgsl => Shader::Wgsl(pass.wgsl().to_string()),
    };
    let ty = |usage| match usage {
        BindingUse::Read => READ,
        BindingUse::Write => WRITE,
        BindingUse::Uniform => UNIFORM,
    };
    let bindings: Vec<_> = (0..).zip(pass.bindings().iter().map(|binding| ty(binding.usage))).collect();
    Stage::new(gpu, shader, &bindings)
}

/// Runs one pass over buffers with these contents and returns those that it writes. For tests, and
/// for hosts that inspect a pass.
///
/// # Errors
/// Errors of the driver or wgpu.
pub fn run_pass(
    gpu: &Gpu,
    which: Pass,
    route: Route,
    contents: &[&[u8]],
    groups: [u32; 3],
) -> Result<Vec<Vec<u32>>, GpuError> {
    use wgpu::BufferUsages;
    gpu.checked(|| {
        let stage = pass(gpu, which, route);
        let usage = |usage| match usage {
            BindingUse::Read => BufferUsages::STORAGE,
            BindingUse::Write => BufferUsages::STORAGE | BufferUsages::COPY_SRC,
            BindingUse::Uniform => BufferUsages::UNIFORM,
        };
        let buffers: Vec<_> = contents
            .iter()
            .zip(which.bindings())
            .map(|(bytes, b)| gpu.filled(bytes, usage(b.usage)))
            .collect();
        let mut commands = gpu.device.create_command_encoder(&Default::default());
        stage.run(gpu, &mut commands, &buffers.iter().collect::<Vec<_>>(), groups);
        gpu.submit(commands)?;
        let written =
            buffers.iter().zip(which.bindings()).filter(|(_, binding)| binding.usage == BindingUse::Write);
        written.map(|(buffer, _)| gpu.read(buffer, buffer.size())).collect()
    })
}
