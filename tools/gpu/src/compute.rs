//! The compute entry: reads v0..v15 of many vertices and writes o0..o15, bit for bit.

use std::time::{Duration, Instant};

use transpica::host::WORKGROUP;

use crate::geometry::Stage;
use crate::{Gpu, GpuError, Shader};

/// Sixteen registers of four components, as f32 bits.
pub type Registers = [[u32; 4]; 16];

/// Vectors per vertex.
const REGISTERS: usize = 16;

/// Runs the compute entry of a program over vertices and returns the output registers of each.
/// `uniforms` is the content of the uniform block; empty if the program has none.
///
/// # Errors
/// Errors of the driver or wgpu.
pub fn run_compute(
    gpu: &Gpu,
    shader: Shader,
    uniforms: &[u8],
    vertices: &[Registers],
) -> Result<Vec<Registers>, GpuError> {
    if vertices.is_empty() {
        return Ok(Vec::new());
    }
    let words = gpu.checked(|| dispatch(gpu, shader, uniforms, vertices))?;
    Ok(words.chunks_exact(4 * REGISTERS).map(registers).collect())
}

/// The compute entry of a program, prepared for repeated timed runs over the same vertices.
pub struct Timed<'a> {
    gpu: &'a Gpu,
    job: Job,
}

impl<'a> Timed<'a> {
    /// Compiles the program and uploads its inputs.
    ///
    /// # Errors
    /// Errors of the driver or wgpu.
    pub fn new(
        gpu: &'a Gpu,
        shader: Shader,
        uniforms: &[u8],
        vertices: &[Registers],
    ) -> Result<Self, GpuError> {
        gpu.checked(|| Ok(Self { gpu, job: Job::new(gpu, shader, uniforms, vertices) }))
    }

    /// Submits `repeats` runs over all vertices and returns the average duration of one.
    ///
    /// # Errors
    /// Errors of the driver or wgpu.
    pub fn run(&self, repeats: u32) -> Result<Duration, GpuError> {
        self.gpu.checked(|| {
            let mut commands = self.gpu.device.create_command_encoder(&Default::default());
            self.job.run(&mut commands, repeats);
            let start = Instant::now();
            self.gpu.submit(commands)?;
            Ok(start.elapsed() / repeats.max(1))
        })
    }
}

fn dispatch(
    gpu: &Gpu,
    shader: Shader,
    uniforms: &[u8],
    vertices: &[Registers],
) -> Result<Vec<u32>, GpuError> {
    let job = Job::new(gpu, shader, uniforms, vertices);
    let mut commands = gpu.device.create_command_encoder(&Default::default());
    job.run(&mut commands, 1);
    gpu.read_after(commands, &job.outputs, job.outputs.size())
}

/// A pipeline with its buffers.
struct Job {
    stage: Stage,
    group: wgpu::BindGroup,
    outputs: wgpu::Buffer,
    workgroups: u32,
}

impl Job {
    /// Builds the pipeline and buffers.
    fn new(gpu: &Gpu, shader: Shader, uniforms: &[u8], vertices: &[Registers]) -> Self {
        use wgpu::BufferBindingType::{Storage, Uniform};
        use wgpu::BufferUsages;
        let bytes: &[u8] = bytemuck::cast_slice(vertices);
        let outputs = gpu.buffer(bytes.len() as u64, BufferUsages::STORAGE | BufferUsages::COPY_SRC);
        let mut buffers = vec![
            (Storage { read_only: true }, gpu.filled(bytes, BufferUsages::STORAGE)),
            (Storage { read_only: false }, outputs.clone()),
        ];
        if !uniforms.is_empty() {
            buffers.push((Uniform, gpu.filled(uniforms, BufferUsages::UNIFORM)));
        }
        let bindings: Vec<_> = (0..).zip(buffers.iter().map(|(ty, _)| *ty)).collect();
        let stage = Stage::new(gpu, shader, &bindings);
        let bound: Vec<_> = buffers.iter().map(|(_, buffer)| buffer.into()).collect();
        let group = stage.group(gpu, &bound);
        Self { stage, group, outputs, workgroups: (vertices.len() as u32).div_ceil(WORKGROUP) }
    }

    fn run(&self, commands: &mut wgpu::CommandEncoder, repeats: u32) {
        let mut pass = commands.begin_compute_pass(&Default::default());
        pass.set_pipeline(&self.stage.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        for _ in 0..repeats {
            pass.dispatch_workgroups(self.workgroups, 1, 1);
        }
    }
}

fn registers(words: &[u32]) -> Registers {
    let mut all = [[0; 4]; 16];
    for (register, words) in all.iter_mut().zip(words.chunks_exact(4)) {
        register.copy_from_slice(words);
    }
    all
}

/// Compilation options without zero-initialized workgroup memory, which these shaders do not use.
pub(crate) fn options() -> wgpu::PipelineCompilationOptions<'static> {
    wgpu::PipelineCompilationOptions { zero_initialize_workgroup_memory: false, ..Default::default() }
}

/// Describes a buffer of bind group 0.
pub(crate) fn entry(
    binding: u32,
    ty: wgpu::BufferBindingType,
    visibility: wgpu::ShaderStages,
    has_dynamic_offset: bool,
) -> wgpu::BindGroupLayoutEntry {
    let ty = wgpu::BindingType::Buffer { ty, has_dynamic_offset, min_binding_size: None };
    wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None }
}

/// Builds the layout of bind group 0, and that of a pipeline with this group alone.
pub(crate) fn layouts(
    gpu: &Gpu,
    entries: &[wgpu::BindGroupLayoutEntry],
) -> (wgpu::BindGroupLayout, wgpu::PipelineLayout) {
    let descriptor = wgpu::BindGroupLayoutDescriptor { label: None, entries };
    let group = gpu.device.create_bind_group_layout(&descriptor);
    let pipeline = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(&group)],
        immediate_size: 0,
    });
    (group, pipeline)
}
