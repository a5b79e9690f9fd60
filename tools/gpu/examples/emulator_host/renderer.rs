//! The host's GPU: pipelines from SPIR-V, a frame with a depth buffer, pictures read back.
//! In: modules, attributes, uniform blocks. Out: pictures. Knows nothing of the console.

use image::RgbaImage;
use transpica_gpu::{Gpu, GpuError, Shader};

/// The console's upper screen.
pub const WIDTH: u32 = 400;
/// Its height.
pub const HEIGHT: u32 = 240;
const COLOR: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;
const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
/// Rows of a texture are copied at multiples of this many bytes.
const ROW: u32 = (4 * WIDTH).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);

/// The fragment stage of all programs: with all outputs asked for, they have the same varyings.
const FRAGMENT: &str = "
@fragment fn main(@location(0) color: vec4f, @location(1) texcoord0_uv: vec2f) -> @location(0) vec4f {
    let tile = floor(texcoord0_uv);
    let odd = abs(tile.x + tile.y) % 2.0;
    return vec4f(color.rgb * (1.0 - 0.4 * odd), 1.0);
}";

/// Hands the outputs of the interpreter on as they are.
const PLAIN: &str = "
struct Outputs {
    @builtin(position) @invariant position: vec4f,
    @location(0) color: vec4f,
    @location(1) texcoord0_uv: vec2f,
}
@vertex fn main(@location(0) position: vec4f, @location(1) color: vec4f, @location(2) texcoord0_uv: vec4f) -> Outputs {
    return Outputs(position, color, texcoord0_uv.xy);
}";
/// Outputs of each vertex that the interpreter hands over, all semantics.
const PLAIN_COUNT: usize = 8;

/// A vertex program, ready to draw.
pub struct Pipeline {
    pipeline: wgpu::RenderPipeline,
    /// Attributes of one vertex.
    count: usize,
}

/// The GPU and what all programs share.
pub struct Renderer {
    gpu: Gpu,
    group: wgpu::BindGroupLayout,
    layout: wgpu::PipelineLayout,
    plain: Pipeline,
}

/// Where an attribute is found in a vertex.
fn attribute(location: u32, index: u64) -> wgpu::VertexAttribute {
    wgpu::VertexAttribute {
        format: wgpu::VertexFormat::Float32x4,
        offset: 16 * index,
        shader_location: location,
    }
}

impl Renderer {
    pub fn new(gpu: Gpu) -> Self {
        let group = gpu.device().create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &[wgpu::BindGroupLayoutEntry {
                binding: 0,
                visibility: wgpu::ShaderStages::VERTEX,
                ty: wgpu::BindingType::Buffer {
                    ty: wgpu::BufferBindingType::Uniform,
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            }],
        });
        let layout = gpu.device().create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&group)],
            immediate_size: 0,
        });
        // Position, colour and the first texture coordinate, by their places among all outputs.
        let attributes = [attribute(0, 0), attribute(1, 1), attribute(2, 2)];
        let vertex = Shader::Wgsl(PLAIN.into()).module(&gpu);
        let fragment = Shader::Wgsl(FRAGMENT.into()).module(&gpu);
        let plain = pipeline(&gpu, &layout, &vertex, &fragment, PLAIN_COUNT, &attributes);
        Self { group, layout, plain, gpu }
    }

    /// The pipeline for what the interpreter computed.
    pub fn plain(&self) -> &Pipeline {
        &self.plain
    }

    /// A pipeline of a translated program; attribute n goes to `locations[n]`.
    pub fn pipeline(&self, words: Vec<u32>, locations: &[u32]) -> Result<Pipeline, GpuError> {
        let attributes: Vec<_> =
            (0..).zip(locations).map(|(index, &location)| attribute(location, index)).collect();
        let fragment = Shader::spirv_of_wgsl(FRAGMENT)?.module(&self.gpu);
        let vertex = Shader::Passthrough(words).module(&self.gpu);
        Ok(pipeline(&self.gpu, &self.layout, &vertex, &fragment, locations.len(), &attributes))
    }
}

fn pipeline(
    gpu: &Gpu,
    layout: &wgpu::PipelineLayout,
    vertex: &wgpu::ShaderModule,
    fragment: &wgpu::ShaderModule,
    count: usize,
    attributes: &[wgpu::VertexAttribute],
) -> Pipeline {
    let buffer = wgpu::VertexBufferLayout {
        array_stride: 16 * count as u64,
        step_mode: wgpu::VertexStepMode::Vertex,
        attributes,
    };
    let pipeline = gpu.device().create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: None,
        layout: Some(layout),
        vertex: wgpu::VertexState {
            module: vertex,
            entry_point: Some("main"),
            compilation_options: Default::default(),
            buffers: &[Some(buffer)],
        },
        primitive: Default::default(),
        // The console's near plane is at depth 1.
        depth_stencil: Some(wgpu::DepthStencilState {
            format: DEPTH,
            depth_write_enabled: Some(true),
            depth_compare: Some(wgpu::CompareFunction::Greater),
            stencil: Default::default(),
            bias: Default::default(),
        }),
        multisample: Default::default(),
        fragment: Some(wgpu::FragmentState {
            module: fragment,
            entry_point: Some("main"),
            compilation_options: Default::default(),
            targets: &[Some(COLOR.into())],
        }),
        multiview_mask: None,
        cache: None,
    });
    Pipeline { pipeline, count }
}

/// A frame being drawn.
pub struct Frame {
    color: wgpu::Texture,
    depth: wgpu::Texture,
    commands: wgpu::CommandEncoder,
    is_clear: bool,
}

fn texture(gpu: &Gpu, format: wgpu::TextureFormat, usage: wgpu::TextureUsages) -> wgpu::Texture {
    gpu.device().create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width: WIDTH, height: HEIGHT, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: usage | wgpu::TextureUsages::RENDER_ATTACHMENT,
        view_formats: &[],
    })
}

impl Frame {
    pub fn new(renderer: &Renderer) -> Self {
        let gpu = &renderer.gpu;
        Self {
            color: texture(gpu, COLOR, wgpu::TextureUsages::COPY_SRC),
            depth: texture(gpu, DEPTH, wgpu::TextureUsages::empty()),
            commands: gpu.device().create_command_encoder(&Default::default()),
            is_clear: false,
        }
    }

    /// Draws triangles.
    pub fn draw(&mut self, renderer: &Renderer, pipeline: &Pipeline, attributes: &[[f32; 4]], block: &[u8]) {
        let device = renderer.gpu.device();
        let vertices = renderer.gpu.filled(bytemuck::cast_slice(attributes), wgpu::BufferUsages::VERTEX);
        let uniforms = renderer.gpu.filled(block, wgpu::BufferUsages::UNIFORM);
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &renderer.group,
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: uniforms.as_entire_binding() }],
        });
        let (color, depth) =
            (self.color.create_view(&Default::default()), self.depth.create_view(&Default::default()));
        let was_clear = std::mem::replace(&mut self.is_clear, true);
        let sky = wgpu::Color { r: 0.05, g: 0.07, b: 0.12, a: 1.0 };
        let (color_load, depth_load) = match was_clear {
            true => (wgpu::LoadOp::Load, wgpu::LoadOp::Load),
            false => (wgpu::LoadOp::Clear(sky), wgpu::LoadOp::Clear(0.0)),
        };
        let mut pass = self.commands.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &color,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load: color_load, store: wgpu::StoreOp::Store },
            })],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &depth,
                depth_ops: Some(wgpu::Operations { load: depth_load, store: wgpu::StoreOp::Store }),
                stencil_ops: None,
            }),
            ..Default::default()
        });
        pass.set_pipeline(&pipeline.pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.set_vertex_buffer(0, vertices.slice(..));
        pass.draw(0..(attributes.len() / pipeline.count) as u32, 0..1);
    }

    /// Reads the picture back.
    pub fn finish(mut self, renderer: &Renderer) -> Result<RgbaImage, GpuError> {
        let size = u64::from(ROW * HEIGHT);
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let buffer = renderer.gpu.buffer(size, usage);
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(ROW), rows_per_image: Some(HEIGHT) };
        self.commands.copy_texture_to_buffer(
            self.color.as_image_copy(),
            wgpu::TexelCopyBufferInfo { buffer: &buffer, layout },
            self.color.size(),
        );
        let words = renderer.gpu.submit_and_read(self.commands, &buffer)?;
        Ok(RgbaImage::from_fn(WIDTH, HEIGHT, |x, y| {
            image::Rgba(words[(y * ROW / 4 + x) as usize].to_le_bytes())
        }))
    }
}
