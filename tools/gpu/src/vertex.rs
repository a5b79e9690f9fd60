//! The vertex entry: vertices drawn as points through the rasterizer, varyings captured by a
//! fragment stage.
//! A point carries the outputs of its vertex unchanged, so the fragment stage reads exactly the
//! values that the vertex stage wrote. Points outside the clip volume produce nothing.

use std::fmt::Write;

use transpica::host::{Interface, Location};
use transpica::settings::{AttributeFormat, AttributeKind};

use crate::compute::{entry, layouts, options};
use crate::picture::texture;
use crate::{Gpu, GpuError, Registers, Shader};

/// Width and height of the target in pixels.
const SIZE: u32 = 64;

/// A program with its vertices.
pub struct VertexJob<'a> {
    /// The program.
    pub shader: Shader,
    /// Its interface.
    pub interface: &'a Interface,
    /// Content of the uniform block; empty if there is none.
    pub uniforms: &'a [u8],
    /// Content of the host block; empty if no field of it is read.
    pub host: &'a [u8],
    /// Content of the second uniform block; empty if it is not read.
    pub again: &'a [u8],
    /// v0..v15 of each vertex, as bits of its format.
    pub vertices: &'a [Registers],
    /// Formats of the attributes.
    pub formats: [AttributeFormat; 16],
    /// Values of specialization constants, by id as text. [`Route::Passthrough`](crate::Route)
    /// takes none: wgpu leaves the constants of such modules at their defaults.
    pub constants: &'a [(&'a str, f64)],
}

impl<'a> VertexJob<'a> {
    /// Builds a job for a program that reads no host block, with attributes of floats.
    pub fn new(
        shader: Shader,
        interface: &'a Interface,
        uniforms: &'a [u8],
        vertices: &'a [Registers],
    ) -> Self {
        let formats = [AttributeFormat::default(); 16];
        Self { shader, interface, uniforms, host: &[], again: &[], vertices, formats, constants: &[] }
    }

    /// Iterates over the blocks that the program reads, in the order of their bindings.
    fn blocks(&self) -> impl Iterator<Item = &'a [u8]> {
        [self.uniforms, self.host, self.again].into_iter().filter(|block| !block.is_empty())
    }
}

/// Values that the fragment stage received for one vertex.
#[derive(Clone, Debug, PartialEq)]
pub struct Captured {
    /// The fragment stage's position: pixel center x, y from the top left, depth 0..1, and 1/w.
    pub position: [f32; 4],
    /// The varyings in the order of [`Interface::outputs`] without the position, padded with zeros.
    pub varyings: Vec<[f32; 4]>,
}

/// Draws the vertices as points into a 64 × 64 target and returns the values captured of each;
/// `None` for a clipped vertex.
///
/// # Errors
/// Errors of the driver or wgpu.
pub fn run_vertex(gpu: &Gpu, job: VertexJob<'_>) -> Result<Vec<Option<Captured>>, GpuError> {
    gpu.checked(|| draw(gpu, job))
}

fn varyings(interface: &Interface) -> impl Iterator<Item = (u32, usize)> {
    interface.outputs.iter().filter_map(|output| match output.location {
        Location::Varying(location) => Some((location, output.lanes().clamp(1, 4))),
        Location::Position | Location::ClipDistances => None,
    })
}

/// Builds a fragment stage that stores a mark, the position and the varyings.
/// Not every driver provides the primitive index, so each vertex is drawn with its own window of
/// the buffer.
fn fragment(interface: &Interface, binding: usize) -> String {
    let mut arguments = String::new();
    let mut stores = String::new();
    for (index, (location, len)) in varyings(interface).enumerate() {
        let ty = ["f32", "vec2<f32>", "vec3<f32>", "vec4<f32>"][len - 1];
        let _ = writeln!(arguments, "    @location({location}) in{index}_v: {ty},");
        let padding = ", 0.0".repeat(4 - len);
        let _ = writeln!(stores, "    captured[{}] = vec4<f32>(in{index}_v{padding});", index + 2);
    }
    format!(
        "@group(0) @binding({binding}) var<storage, read_write> captured: array<vec4<f32>>;\n\
         @fragment fn main(@builtin(position) position: vec4<f32>,\n{arguments}) \
         -> @location(0) vec4<f32> {{\n\
             captured[0] = vec4<f32>(1.0);\n    captured[1] = position;\n{stores}    return position;\n}}\n"
    )
}

fn draw(gpu: &Gpu, job: VertexJob<'_>) -> Result<Vec<Option<Captured>>, GpuError> {
    use wgpu::BufferUsages;
    let window = (2 + varyings(job.interface).count()) * 16;
    let stride = window.next_multiple_of(gpu.device.limits().min_storage_buffer_offset_alignment as usize);
    let size = (job.vertices.len() * stride) as u64;
    let captured = gpu.buffer(size, BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST);
    let blocks: Vec<_> = job.blocks().map(|block| gpu.filled(block, BufferUsages::UNIFORM)).collect();
    let (layout, group) = bind(gpu, &blocks, &captured, window as u64);
    let vertices = gpu.filled(&attributes(job.interface, job.vertices), BufferUsages::VERTEX);
    let (count, has_attributes) = (job.vertices.len() as u32, !job.interface.attributes.is_empty());
    let pipeline = pipeline(gpu, &layout, job)?;
    let mut commands = gpu.device.create_command_encoder(&Default::default());
    commands.clear_buffer(&captured, 0, None);
    let texture = texture(gpu, [SIZE; 2], wgpu::TextureFormat::Rgba8Unorm, wgpu::TextureUsages::empty());
    let view = texture.create_view(&Default::default());
    {
        let attachment = wgpu::RenderPassColorAttachment {
            view: &view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations {
                load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                store: wgpu::StoreOp::Store,
            },
        };
        let mut pass = commands.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(attachment)],
            ..Default::default()
        });
        pass.set_pipeline(&pipeline);
        if has_attributes {
            pass.set_vertex_buffer(0, vertices.slice(..));
        }
        for vertex in 0..count {
            pass.set_bind_group(0, &group, &[vertex * stride as u32]);
            pass.draw(vertex..vertex + 1, 0..1);
        }
    }
    let words = gpu.read_after(commands, &captured, size)?;
    Ok(words.chunks_exact(stride / 4).map(|words| capture(&words[..window / 4])).collect())
}

fn capture(words: &[u32]) -> Option<Captured> {
    let mut vectors = words.chunks_exact(4).map(|v| [0, 1, 2, 3].map(|lane| f32::from_bits(v[lane])));
    let mark = vectors.next()?;
    let position = vectors.next()?;
    (mark[0] == 1.0).then(|| Captured { position, varyings: vectors.collect() })
}

/// Interleaves the attributes that the program reads.
fn attributes(interface: &Interface, vertices: &[Registers]) -> Vec<u8> {
    let registers = interface.attributes.iter().map(|attribute| usize::from(attribute.register & 15));
    let registers: Vec<usize> = registers.collect();
    let vectors = vertices.iter().flat_map(|vertex| registers.iter().map(|&register| vertex[register]));
    vectors.flat_map(bytemuck::cast::<[u32; 4], [u8; 16]>).collect()
}

/// Binds the blocks, and after them a window of the captured values, which an offset moves.
fn bind(
    gpu: &Gpu,
    blocks: &[wgpu::Buffer],
    captured: &wgpu::Buffer,
    window: u64,
) -> (wgpu::PipelineLayout, wgpu::BindGroup) {
    use wgpu::BufferBindingType::{Storage, Uniform};
    let count = blocks.len() as u32; // Range: at most two.
    let uniforms = (0..count).map(|binding| entry(binding, Uniform, wgpu::ShaderStages::VERTEX, false));
    let storage = entry(count, Storage { read_only: false }, wgpu::ShaderStages::FRAGMENT, true);
    let (group_layout, layout) = layouts(gpu, &uniforms.chain([storage]).collect::<Vec<_>>());
    let window = wgpu::BufferBinding { buffer: captured, offset: 0, size: wgpu::BufferSize::new(window) };
    let window = wgpu::BindingResource::Buffer(window);
    let resources = blocks.iter().map(wgpu::Buffer::as_entire_binding).chain([window]);
    let entries = (0..).zip(resources).map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource });
    let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &group_layout,
        entries: &entries.collect::<Vec<_>>(),
    });
    (layout, group)
}

fn pipeline(
    gpu: &Gpu,
    layout: &wgpu::PipelineLayout,
    job: VertexJob<'_>,
) -> Result<wgpu::RenderPipeline, GpuError> {
    let binding = job.blocks().count();
    let VertexJob { shader, interface, formats, constants, .. } = job;
    let fragment = fragment(interface, binding);
    // A passthrough stage links only with another one.
    let is_passthrough = matches!(shader, Shader::Passthrough(_));
    let fragment = if is_passthrough { Shader::spirv_of_wgsl(&fragment)? } else { Shader::Wgsl(fragment) };
    let fragment = fragment.module(gpu);
    let vertex = shader.module(gpu);
    let format = |register: u8| match formats[usize::from(register & 15)].kind {
        AttributeKind::Float => wgpu::VertexFormat::Float32x4,
        AttributeKind::Int => wgpu::VertexFormat::Sint32x4,
        AttributeKind::Uint => wgpu::VertexFormat::Uint32x4,
    };
    let attributes: Vec<wgpu::VertexAttribute> = interface
        .attributes
        .iter()
        .enumerate()
        .map(|(index, attribute)| wgpu::VertexAttribute {
            format: format(attribute.register),
            offset: 16 * index as u64,
            shader_location: u32::from(attribute.register),
        })
        .collect();
    let buffer = wgpu::VertexBufferLayout {
        array_stride: 16 * attributes.len() as u64,
        step_mode: wgpu::VertexStepMode::Vertex,
        attributes: &attributes,
    };
    let buffers = if attributes.is_empty() { Vec::new() } else { vec![Some(buffer)] };
    Ok(gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: None,
        layout: Some(layout),
        vertex: wgpu::VertexState {
            module: &vertex,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions { constants, ..options() },
            buffers: &buffers,
        },
        primitive: wgpu::PrimitiveState {
            topology: wgpu::PrimitiveTopology::PointList,
            ..Default::default()
        },
        depth_stencil: None,
        multisample: Default::default(),
        fragment: Some(wgpu::FragmentState {
            module: &fragment,
            entry_point: Some("main"),
            compilation_options: options(),
            targets: &[Some(wgpu::TextureFormat::Rgba8Unorm.into())],
        }),
        multiview_mask: None,
        cache: None,
    }))
}
