//! Compute pipelines with their bindings, of programs and of the passes, which all
//! programs share.
//! In: shaders, buffers, numbers of workgroups. Out: commands. Knows nothing about geometry.

use transpica::geometry::kernel::bindings;
use transpica_draw::gpu::{BindingUse, Pass};
use wgpu::BufferBindingType::{self, Storage, Uniform};

use super::GEOMETRY_PLACE;
use super::memory::{BufferRange, Memory};
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

/// A compute pipeline.
pub(crate) struct Stage {
    pub(crate) pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    /// Binding numbers in the order of the buffers.
    bindings: Vec<u32>,
}

impl Stage {
    /// Compiles a shader with these binding numbers and types.
    pub(crate) fn new(gpu: &Gpu, shader: Shader, bindings: &[(u32, BufferBindingType)]) -> Self {
        let entry = |&(binding, ty)| compute::entry(binding, ty, wgpu::ShaderStages::COMPUTE, false);
        let entries: Vec<_> = bindings.iter().map(entry).collect();
        let (layout, pipeline_layout) = compute::layouts(gpu, &entries);
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

    /// Builds a bind group of buffers, one for each binding.
    pub(crate) fn group(&self, gpu: &Gpu, bound: &[BufferRange]) -> wgpu::BindGroup {
        let bound = self.bindings.iter().zip(bound);
        let entries: Vec<_> = bound
            .map(|(&binding, bound)| wgpu::BindGroupEntry { binding, resource: bound.resource() })
            .collect();
        gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &self.layout,
            entries: &entries,
        })
    }

    /// Dispatches the pipeline.
    pub(super) fn run(
        &self,
        commands: &mut wgpu::CommandEncoder,
        group: &wgpu::BindGroup,
        groups: &Groups<'_>,
    ) {
        let mut pass = commands.begin_compute_pass(&Default::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, group, &[]);
        match *groups {
            Groups::Known([x, y, z]) => pass.dispatch_workgroups(x, y, z),
            Groups::Indirect(buffer, offset) => pass.dispatch_workgroups_indirect(buffer, offset),
        }
    }

    /// Runs a geometry compute shader, dispatch by dispatch.
    pub(super) fn run_draw(
        &self,
        gpu: &Gpu,
        commands: &mut wgpu::CommandEncoder,
        memory: &mut Memory,
        shape: KernelShape,
        buffers: &KernelBuffers,
    ) {
        let KernelShape { draws, groups, half } = shape;
        for (number, draw) in draws.into_iter().enumerate() {
            if number > 0 && half > 0 {
                // The state written by the previous dispatch is the input of this one.
                let between = memory.between.reserve(gpu, half);
                commands.copy_buffer_to_buffer(&buffers.state, half, &between, 0, Some(half));
                commands.copy_buffer_to_buffer(&between, 0, &buffers.state, 0, Some(half));
            }
            let bound = buffers.bound(draw);
            // Draws are seldom split, and then into as many dispatches as there are threads.
            let group = match number {
                0 => memory.group(gpu, GEOMETRY_PLACE, self, bound),
                _ => self.group(gpu, &bound),
            };
            self.run(commands, &group, &Groups::Known(groups));
        }
    }
}

/// Dispatches of a geometry compute shader.
pub(super) struct KernelShape {
    /// The block of each dispatch.
    pub(super) draws: Vec<BufferRange>,
    /// Workgroups of each.
    pub(super) groups: [u32; 3],
    /// Bytes of half the state buffer.
    pub(super) half: u64,
}

/// The numbers of workgroups of a dispatch.
pub(super) enum Groups<'a> {
    /// Known to the processor.
    Known([u32; 3]),
    /// In a buffer, at a byte offset.
    Indirect(&'a wgpu::Buffer, u64),
}

/// Buffers of a geometry compute shader, without the block of a dispatch.
#[derive(Clone)]
pub(super) struct KernelBuffers {
    pub(super) feed: BufferRange,
    pub(super) triangles: BufferRange,
    /// The uniform block.
    pub(super) block: BufferRange,
    pub(super) counts: BufferRange,
    /// The state that is read, followed by the state that is written.
    pub(super) state: wgpu::Buffer,
    pub(super) host: BufferRange,
}

impl KernelBuffers {
    /// Returns all of them in the order of [`KERNEL`], with the block of a dispatch.
    pub(super) fn bound(&self, draw: BufferRange) -> Vec<BufferRange> {
        let Self { feed, triangles, block, counts, state, host } = self.clone();
        vec![feed, triangles, block, draw, counts, (&state).into(), host]
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
        let group = stage.group(gpu, &buffers.iter().map(BufferRange::from).collect::<Vec<_>>());
        stage.run(&mut commands, &group, &Groups::Known(groups));
        gpu.submit(commands)?;
        let written =
            buffers.iter().zip(which.bindings()).filter(|(_, binding)| binding.usage == BindingUse::Write);
        written.map(|(buffer, _)| gpu.read(buffer, buffer.size())).collect()
    })
}
