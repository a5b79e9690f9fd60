//! Pictures: a frame with a depth buffer, drawn headless and read back.
//! In: vertex stages of translated programs, or finished triangles; vertices. Out: pictures, of
//! [`WIDTH`] × [`HEIGHT`] or another size.
//! Knows no program and no console. Unless a pipeline has its own fragment stage it shows the
//! color, darker on every second tile of the first texture coordinate.

use std::fmt::Write;

use transpica::host::{Location, Output};

use crate::compute::{entry, layouts};
use crate::{Gpu, GpuError, Shader};

/// Width of the console's upper screen in pixels.
pub const WIDTH: u32 = 400;
/// Height of the console's upper screen in pixels.
pub const HEIGHT: u32 = 240;
const COLOR: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;
const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;
/// Background color of a frame.
pub const SKY: [u8; 4] = [13, 18, 31, 255];

/// A picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Pixels of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Red, green, blue and alpha, row by row from the top.
    pub pixels: Vec<[u8; 4]>,
}

/// The fragment stage of all pictures.
const FRAGMENT: &str = "
@fragment fn main(@location(0) color: vec4f, @location(1) texcoord0_uv: vec2f) -> @location(0) vec4f {
    let tile = floor(texcoord0_uv);
    let odd = abs(tile.x + tile.y) % 2.0;
    return vec4f(color.rgb * (1.0 - 0.4 * odd), 1.0);
}";

/// Outputs that the fragment stage reads: name, type, value if missing.
const READ: [(&str, &str, &str); 2] =
    [("color", "vec4f", "vec4f(1.0)"), ("texcoord0_uv", "vec2f", "vec2f(0.0)")];

/// A vertex stage, prepared to draw triangles.
pub struct Pipeline {
    pipeline: wgpu::RenderPipeline,
    /// Layout of the uniform block at binding 0, which a plain pipeline does not read.
    group: wgpu::BindGroupLayout,
    /// Vectors per vertex.
    count: usize,
    samples: Samples,
}

/// Samples of a pixel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Samples {
    /// The center.
    #[default]
    One,
    /// Four, by multisampling, which every device has for these pictures.
    Four,
}

impl Samples {
    fn count(self) -> u32 {
        match self {
            Self::One => 1,
            Self::Four => 4,
        }
    }
}

/// Triangles and pixels that a pipeline keeps.
struct Rules {
    cull: Option<wgpu::Face>,
    compare: wgpu::CompareFunction,
    samples: Samples,
}

impl Default for Rules {
    fn default() -> Self {
        Self { cull: None, compare: wgpu::CompareFunction::Greater, samples: Samples::One }
    }
}

/// Describes vector `index` of a vertex as an attribute.
fn attribute(location: u32, index: usize) -> wgpu::VertexAttribute {
    wgpu::VertexAttribute {
        format: wgpu::VertexFormat::Float32x4,
        offset: 16 * index as u64,
        shader_location: location,
    }
}

/// Builds the text of a vertex stage that forwards finished outputs, and its attributes.
fn plain(outputs: &[Output]) -> (String, Vec<wgpu::VertexAttribute>) {
    let (mut fields, mut inputs, mut values) = (String::new(), String::new(), String::new());
    let mut attributes = Vec::new();
    if let Some(index) = outputs.iter().position(|output| output.location == Location::Position) {
        attributes.push(attribute(0, index));
    }
    for (location, (name, ty, missing)) in (0u32..).zip(READ) {
        let _ = writeln!(fields, "    @location({location}) {name}: {ty},");
        let Some(index) = outputs.iter().position(|output| output.name == name) else {
            let _ = write!(values, ", {missing}");
            continue;
        };
        attributes.push(attribute(location + 1, index));
        let _ = write!(inputs, ", @location({}) {name}: {ty}", location + 1);
        let _ = write!(values, ", {name}");
    }
    let text = format!(
        "struct Outputs {{\n    @builtin(position) @invariant position: vec4f,\n{fields}}}\n\
         @vertex fn main(@location(0) position: vec4f{inputs}) -> Outputs {{\n    return Outputs(position{values});\n}}\n"
    );
    (text, attributes)
}

impl Pipeline {
    /// Builds a pipeline for finished triangles of two vectors per vertex, the position and a
    /// value.
    /// `expression` is the WGSL of a color: three numbers that follow from the value `v`, clamped
    /// to
    /// 0..1. At equal depth the last triangle is shown. Nothing is culled.
    ///
    /// # Errors
    /// Errors in the expression; errors of the driver or wgpu.
    pub fn of_value(gpu: &Gpu, expression: &str, samples: Samples) -> Result<Self, GpuError> {
        let vertex = "struct Outputs { @builtin(position) @invariant position: vec4f, @location(0) v: vec4f }\n\
                      @vertex fn main(@location(0) position: vec4f, @location(1) v: vec4f) -> Outputs {\n    \
                      return Outputs(position, v);\n}";
        let fragment = format!(
            "@fragment fn main(@location(0) v: vec4f) -> @location(0) vec4f {{\n    \
             return vec4f(clamp({expression}, vec3f(0.0), vec3f(1.0)), 1.0);\n}}"
        );
        let stages = [Shader::Wgsl(vertex.into()), Shader::Wgsl(fragment)];
        let attributes = [attribute(0, 0), attribute(1, 1)];
        let rules = Rules { cull: None, compare: wgpu::CompareFunction::GreaterEqual, samples };
        gpu.checked(|| Ok(Self::new(gpu, stages, 2, &attributes, rules)))
    }

    /// Builds a pipeline for finished triangles; each vertex has one vector per output, among them
    /// the position.
    /// Clockwise triangles are culled if `is_culled` is set.
    ///
    /// # Errors
    /// Errors of the driver or wgpu.
    pub fn plain(gpu: &Gpu, outputs: &[Output], is_culled: bool) -> Result<Self, GpuError> {
        let (text, attributes) = plain(outputs);
        let stages = [Shader::Wgsl(text), Shader::Wgsl(FRAGMENT.into())];
        let rules = Rules { cull: is_culled.then_some(wgpu::Face::Back), ..Rules::default() };
        gpu.checked(|| Ok(Self::new(gpu, stages, outputs.len(), &attributes, rules)))
    }

    /// Builds a pipeline from a translated vertex program; vector n of a vertex goes to
    /// `locations[n]`. Nothing is culled.
    ///
    /// # Errors
    /// Errors of the driver or wgpu.
    pub fn of_program(gpu: &Gpu, words: Vec<u32>, locations: &[u32]) -> Result<Self, GpuError> {
        let places = locations.iter().enumerate();
        let attributes: Vec<_> = places.map(|(index, &location)| attribute(location, index)).collect();
        let stages = [Shader::Passthrough(words), Shader::spirv_of_wgsl(FRAGMENT)?];
        gpu.checked(|| Ok(Self::new(gpu, stages, locations.len(), &attributes, Rules::default())))
    }

    fn new(
        gpu: &Gpu,
        stages: [Shader; 2],
        count: usize,
        attributes: &[wgpu::VertexAttribute],
        rules: Rules,
    ) -> Self {
        let block = entry(0, wgpu::BufferBindingType::Uniform, wgpu::ShaderStages::VERTEX, false);
        let (group, layout) = layouts(gpu, &[block]);
        let [vertex, fragment] = stages.map(|stage| stage.module(gpu));
        let buffer = wgpu::VertexBufferLayout {
            array_stride: 16 * count as u64,
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes,
        };
        let pipeline = gpu.device().create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: None,
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module: &vertex,
                entry_point: Some("main"),
                compilation_options: Default::default(),
                buffers: &[Some(buffer)],
            },
            primitive: wgpu::PrimitiveState { cull_mode: rules.cull, ..Default::default() },
            // The console's near plane is at depth 1.
            depth_stencil: Some(wgpu::DepthStencilState {
                format: DEPTH,
                depth_write_enabled: Some(true),
                depth_compare: Some(rules.compare),
                stencil: Default::default(),
                bias: Default::default(),
            }),
            multisample: wgpu::MultisampleState { count: rules.samples.count(), ..Default::default() },
            fragment: Some(wgpu::FragmentState {
                module: &fragment,
                entry_point: Some("main"),
                compilation_options: Default::default(),
                targets: &[Some(COLOR.into())],
            }),
            multiview_mask: None,
            cache: None,
        });
        Self { pipeline, group, count, samples: rules.samples }
    }
}

/// Source of a draw's vertices.
enum Source<'a> {
    /// A vertex buffer and its number of vertices.
    Vertices(wgpu::Buffer, u32),
    /// A vertex buffer, and a buffer with the arguments of an indirect draw.
    Indirect(&'a wgpu::Buffer, &'a wgpu::Buffer),
}

/// A frame during drawing.
pub struct Frame<'a> {
    gpu: &'a Gpu,
    color: wgpu::Texture,
    /// Samples that are resolved to colors, with several to a pixel.
    samples: Option<wgpu::Texture>,
    depth: wgpu::Texture,
    commands: wgpu::CommandEncoder,
    background: [u8; 4],
    is_clear: bool,
}

/// Creates a texture that is drawn into.
pub(crate) fn texture(
    gpu: &Gpu,
    size: [u32; 2],
    format: wgpu::TextureFormat,
    usage: wgpu::TextureUsages,
) -> wgpu::Texture {
    sampled(gpu, size, format, usage, Samples::One)
}

fn sampled(
    gpu: &Gpu,
    [width, height]: [u32; 2],
    format: wgpu::TextureFormat,
    usage: wgpu::TextureUsages,
    samples: Samples,
) -> wgpu::Texture {
    gpu.device().create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: samples.count(),
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: usage | wgpu::TextureUsages::RENDER_ATTACHMENT,
        view_formats: &[],
    })
}

impl<'a> Frame<'a> {
    /// Creates an empty frame of the console's upper screen.
    pub fn new(gpu: &'a Gpu) -> Self {
        Self::sized(gpu, [WIDTH, HEIGHT], SKY, Samples::One)
    }

    /// Creates an empty frame of this width and height.
    fn sized(gpu: &'a Gpu, size: [u32; 2], background: [u8; 4], samples: Samples) -> Self {
        let of_samples = |format| sampled(gpu, size, format, wgpu::TextureUsages::empty(), samples);
        Self {
            gpu,
            color: texture(gpu, size, COLOR, wgpu::TextureUsages::COPY_SRC),
            samples: (samples != Samples::One).then(|| of_samples(COLOR)),
            depth: of_samples(DEPTH),
            background,
            commands: gpu.device().create_command_encoder(&Default::default()),
            is_clear: false,
        }
    }

    /// Draws triangles of these vertices; `block` is the uniform block, empty for none.
    pub fn draw(&mut self, pipeline: &Pipeline, vectors: &[[f32; 4]], block: &[u8]) {
        let vertices = self.gpu.filled(bytemuck::cast_slice(vectors), wgpu::BufferUsages::VERTEX);
        // Range: a picture of 2^32 vertices would not fit into memory.
        let count = (vectors.len() / pipeline.count) as u32;
        self.pass(pipeline, block, Source::Vertices(vertices, count));
    }

    /// Draws triangles that are on the GPU; `arguments` holds the indirect draw's arguments.
    pub fn draw_indirect(&mut self, pipeline: &Pipeline, vertices: &wgpu::Buffer, arguments: &wgpu::Buffer) {
        self.pass(pipeline, &[], Source::Indirect(vertices, arguments));
    }

    fn pass(&mut self, pipeline: &Pipeline, block: &[u8], source: Source<'_>) {
        let uniforms = self.gpu.filled(block, wgpu::BufferUsages::UNIFORM);
        let group = self.gpu.device().create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.group,
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: uniforms.as_entire_binding() }],
        });
        let view = |texture: &wgpu::Texture| texture.create_view(&Default::default());
        let (color, samples) = (view(&self.color), self.samples.as_ref().map(view));
        let depth = view(&self.depth);
        let sky = self.background.map(|byte| f64::from(byte) / 255.0);
        let sky = wgpu::Color { r: sky[0], g: sky[1], b: sky[2], a: sky[3] };
        let (color_load, depth_load) = if std::mem::replace(&mut self.is_clear, true) {
            (wgpu::LoadOp::Load, wgpu::LoadOp::Load)
        } else {
            (wgpu::LoadOp::Clear(sky), wgpu::LoadOp::Clear(0.0))
        };
        let mut pass = self.commands.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: samples.as_ref().unwrap_or(&color),
                depth_slice: None,
                resolve_target: samples.is_some().then_some(&color),
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
        match source {
            Source::Vertices(vertices, count) => {
                pass.set_vertex_buffer(0, vertices.slice(..));
                pass.draw(0..count, 0..1);
            }
            Source::Indirect(vertices, arguments) => {
                pass.set_vertex_buffer(0, vertices.slice(..));
                pass.draw_indirect(arguments, 0);
            }
        }
    }

    /// Submits the frame and reads it back.
    ///
    /// # Errors
    /// Errors of the driver or wgpu.
    pub fn finish(mut self) -> Result<Picture, GpuError> {
        let (width, height) = (self.color.width(), self.color.height());
        let row = (4 * width).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let size = u64::from(row) * u64::from(height);
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let buffer = self.gpu.buffer(size, usage);
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row), rows_per_image: Some(height) };
        self.commands.copy_texture_to_buffer(
            self.color.as_image_copy(),
            wgpu::TexelCopyBufferInfo { buffer: &buffer, layout },
            self.color.size(),
        );
        let words = self.gpu.submit_and_read(self.commands, &buffer)?;
        let rows = words.chunks(row as usize / 4).take(height as usize);
        let pixels = rows.flat_map(|row| &row[..width as usize]).map(|word| word.to_le_bytes()).collect();
        Ok(Picture { width, height, pixels })
    }
}

/// Draws the triangles of a pipeline into a picture of this width and height.
///
/// # Errors
/// Sizes that the device does not have; errors of the driver or wgpu.
pub fn paint(
    gpu: &Gpu,
    pipeline: &Pipeline,
    vectors: &[[f32; 4]],
    size: [u32; 2],
    background: [u8; 4],
) -> Result<Picture, GpuError> {
    gpu.checked(|| {
        let mut frame = Frame::sized(gpu, size, background, pipeline.samples);
        frame.draw(pipeline, vectors, &[]);
        frame.finish()
    })
}

/// Returns a picture that is white where two pictures differ, and the number of such pixels.
pub fn difference(a: &Picture, b: &Picture) -> (Picture, usize) {
    let (white, black) = ([255; 4], [0, 0, 0, 255]);
    let differs = a.pixels.iter().zip(&b.pixels).map(|(a, b)| a != b);
    let pixels = differs.clone().map(|differs| if differs { white } else { black }).collect();
    (Picture { width: a.width, height: a.height, pixels }, differs.filter(|&differs| differs).count())
}
