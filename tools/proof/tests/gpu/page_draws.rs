//! Draws that the page gives to WebGPU, on a driver: every output and every register, and edges of
//! triangles, look as on the CPU. Pictures are written to `target/tmp/page_draws`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use image::ExtendedColorType;
use serde_json::{Value, json};
use transpica_gpu::{Gpu, Shader};
use transpica_proof::daily;
use transpica_web::page::Engine;
use wgpu::{BufferUsages, TextureFormat, TextureUsages};

const WIDTH: u32 = 256;
const HEIGHT: u32 = 192;
/// Background color of every picture.
const BACKGROUND: u8 = 232;
/// Largest difference of a channel that does not count: results of interpolation.
const TOLERANCE: u8 = 2;

type Pixels = Vec<[u8; 4]>;

fn number(value: &Value) -> usize {
    value.as_u64().and_then(|number| usize::try_from(number).ok()).unwrap_or_else(|| panic!("{value}"))
}

fn list(value: &Value) -> impl ExactSizeIterator<Item = &Value> {
    value.as_array().unwrap_or_else(|| panic!("{value}")).iter()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value}"))
}

/// One picture, drawn as the page's `gpu.ts` does.
struct Page<'a> {
    gpu: &'a Gpu,
    frame: &'a Value,
    modules: Vec<wgpu::ShaderModule>,
    buffers: Vec<wgpu::Buffer>,
}

impl<'a> Page<'a> {
    fn new(gpu: &'a Gpu, frame: &'a Value, engine: &Engine) -> Self {
        let module = |code: &Value| Shader::Wgsl(text(code).to_owned()).module(gpu);
        let buffer = |buffer: &Value| {
            let usage = list(&buffer["usage"]).fold(BufferUsages::empty(), |all, name| {
                all | match text(name) {
                    "vertex" => BufferUsages::VERTEX,
                    "index" => BufferUsages::INDEX,
                    "uniform" => BufferUsages::UNIFORM,
                    "storage" => BufferUsages::STORAGE,
                    "indirect" => BufferUsages::INDIRECT,
                    other => panic!("{other}"),
                }
            });
            match buffer["content"].as_i64() {
                Some(-1) => gpu.buffer(number(&buffer["bytes"]) as u64, usage),
                Some(content) => gpu.filled(&engine.gpu_bytes(content as usize), usage),
                None => panic!("{buffer}"),
            }
        };
        let (modules, buffers) = (list(&frame["wgsl"]).map(module), list(&frame["buffers"]).map(buffer));
        Self { gpu, frame, modules: modules.collect(), buffers: buffers.collect() }
    }

    fn group(&self, layout: &wgpu::BindGroupLayout, bindings: &Value) -> wgpu::BindGroup {
        let entry = |bound: &Value| wgpu::BindGroupEntry {
            binding: number(&bound["binding"]) as u32,
            resource: self.buffers[number(&bound["buffer"])].as_entire_binding(),
        };
        let entries: Vec<_> = list(bindings).map(entry).collect();
        let descriptor = wgpu::BindGroupDescriptor { label: None, layout, entries: &entries };
        self.gpu.device().create_bind_group(&descriptor)
    }

    fn compute(&self, pass: &Value, commands: &mut wgpu::CommandEncoder) {
        let pipeline = self.gpu.device().create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &self.modules[number(&pass["module"])],
            entry_point: pass["entry"].as_str(),
            compilation_options: Default::default(),
            cache: None,
        });
        let mut running = commands.begin_compute_pass(&Default::default());
        running.set_pipeline(&pipeline);
        running.set_bind_group(0, &self.group(&pipeline.get_bind_group_layout(0), &pass["bindings"]), &[]);
        let groups = &pass["workgroups"];
        if groups.is_array() {
            let [x, y, z] = [0, 1, 2].map(|axis| number(&groups[axis]) as u32);
            running.dispatch_workgroups(x, y, z);
        } else {
            let arguments = &self.buffers[number(&groups["indirect"])];
            running.dispatch_workgroups_indirect(arguments, number(&groups["offset"]) as u64);
        }
    }

    fn pipeline(&self) -> wgpu::RenderPipeline {
        let draw = &self.frame["draw"];
        let attribute = |attribute: &Value| wgpu::VertexAttribute {
            format: wgpu::VertexFormat::Float32x4,
            offset: number(&attribute["offset"]) as u64,
            shader_location: number(&attribute["location"]) as u32,
        };
        let attributes: Vec<Vec<_>> = list(&draw["vertexBuffers"])
            .map(|buffer| list(&buffer["attributes"]).map(attribute).collect())
            .collect();
        let layouts: Vec<_> = list(&draw["vertexBuffers"])
            .zip(&attributes)
            .map(|(buffer, attributes)| {
                Some(wgpu::VertexBufferLayout {
                    array_stride: number(&buffer["stride"]) as u64,
                    step_mode: wgpu::VertexStepMode::Vertex,
                    attributes,
                })
            })
            .collect();
        let topology = match text(&draw["topology"]) {
            "triangle-list" => wgpu::PrimitiveTopology::TriangleList,
            "line-list" => wgpu::PrimitiveTopology::LineList,
            other => panic!("{other}"),
        };
        self.gpu.device().create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: None,
            layout: None,
            vertex: wgpu::VertexState {
                module: &self.modules[number(&draw["vertexModule"])],
                entry_point: draw["vertexEntry"].as_str(),
                compilation_options: Default::default(),
                buffers: &layouts,
            },
            primitive: wgpu::PrimitiveState { topology, ..Default::default() },
            depth_stencil: Some(wgpu::DepthStencilState {
                format: TextureFormat::Depth32Float,
                depth_write_enabled: Some(true),
                depth_compare: Some(wgpu::CompareFunction::GreaterEqual),
                stencil: Default::default(),
                bias: Default::default(),
            }),
            multisample: Default::default(),
            fragment: Some(wgpu::FragmentState {
                module: &self.modules[number(&draw["fragmentModule"])],
                entry_point: draw["fragmentEntry"].as_str(),
                compilation_options: Default::default(),
                targets: &[Some(TextureFormat::Rgba8Unorm.into())],
            }),
            multiview_mask: None,
            cache: None,
        })
    }

    fn texture(&self, format: TextureFormat, usage: TextureUsages) -> wgpu::Texture {
        self.gpu.device().create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d { width: WIDTH, height: HEIGHT, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage: usage | TextureUsages::RENDER_ATTACHMENT,
            view_formats: &[],
        })
    }

    fn render(&self, commands: &mut wgpu::CommandEncoder, color: &wgpu::Texture) {
        let (draw, pipeline) = (&self.frame["draw"], self.pipeline());
        let depth = self.texture(TextureFormat::Depth32Float, TextureUsages::empty());
        let [color, depth] = [color, &depth].map(|texture| texture.create_view(&Default::default()));
        let part = f64::from(BACKGROUND) / 255.0;
        let clear = wgpu::Color { r: part, g: part, b: part, a: 1.0 };
        let mut pass = commands.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &color,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load: wgpu::LoadOp::Clear(clear), store: wgpu::StoreOp::Store },
            })],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &depth,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(0.0),
                    store: wgpu::StoreOp::Discard,
                }),
                stencil_ops: None,
            }),
            ..Default::default()
        });
        pass.set_pipeline(&pipeline);
        if list(&draw["bindings"]).len() > 0 {
            pass.set_bind_group(0, &self.group(&pipeline.get_bind_group_layout(0), &draw["bindings"]), &[]);
        }
        for (slot, buffer) in (0..).zip(list(&draw["vertexBuffers"])) {
            pass.set_vertex_buffer(slot, self.buffers[number(&buffer["buffer"])].slice(..));
        }
        let index = draw.get("index");
        if let Some(index) = index {
            let buffer = &self.buffers[number(&index["buffer"])];
            pass.set_index_buffer(buffer.slice(..), wgpu::IndexFormat::Uint32);
        }
        let arguments = draw
            .get("indirect")
            .map(|indirect| (&self.buffers[number(&indirect["buffer"])], number(&indirect["offset"]) as u64));
        match (index, arguments) {
            (Some(_), Some((buffer, offset))) => pass.draw_indexed_indirect(buffer, offset),
            (None, Some((buffer, offset))) => pass.draw_indirect(buffer, offset),
            (Some(index), None) => pass.draw_indexed(0..number(&index["count"]) as u32, 0, 0..1),
            (None, None) => panic!("{draw}"),
        }
    }

    fn picture(&self) -> Pixels {
        let mut commands = self.gpu.device().create_command_encoder(&Default::default());
        for pass in list(&self.frame["passes"]) {
            self.compute(pass, &mut commands);
        }
        let color = self.texture(TextureFormat::Rgba8Unorm, TextureUsages::COPY_SRC);
        self.render(&mut commands, &color);
        // Rows of 1,024 bytes, a multiple of what copies want.
        let row = 4 * WIDTH;
        let read = self.gpu.buffer(u64::from(row * HEIGHT), BufferUsages::MAP_READ | BufferUsages::COPY_DST);
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row), rows_per_image: Some(HEIGHT) };
        commands.copy_texture_to_buffer(
            color.as_image_copy(),
            wgpu::TexelCopyBufferInfo { buffer: &read, layout },
            color.size(),
        );
        let words = self.gpu.submit_and_read(commands, &read).expect("a picture");
        words.into_iter().map(u32::to_le_bytes).collect()
    }
}

/// Pictures of one request on the CPU and on the GPU, or `None` for programs that cannot be drawn.
fn pictures(gpu: &Gpu, engine: &mut Engine, by: &str, is_wireframe: bool) -> Option<[Pixels; 2]> {
    let request = json!({ "width": WIDTH, "height": HEIGHT, "yaw": 0.6, "pitch": 0.5, "distance": 2.8,
        "time": 1.5, "by": by, "wireframe": is_wireframe });
    let cpu = engine.draw(&request.to_string());
    let frame: Value = serde_json::from_str(&engine.gpu_draw(&request.to_string())).expect("JSON");
    assert_eq!(cpu.is_empty(), frame.get("error").is_some(), "{frame}");
    let (cpu, _) = cpu.as_chunks::<4>();
    frame.get("error").is_none().then(|| [cpu.to_vec(), Page::new(gpu, &frame, engine).picture()])
}

fn is_drawn(pixel: &[u8; 4]) -> bool {
    pixel[..3] != [BACKGROUND; 3]
}

/// Number of pixels of one picture that a shape covers and the other does not within a pixel.
fn strays([one, other]: [&Pixels; 2]) -> usize {
    let (width, height) = (WIDTH as usize, HEIGHT as usize);
    let near = |at: usize| {
        let (x, y) = (at % width, at / width);
        let (rows, columns) =
            (y.saturating_sub(1)..(y + 2).min(height), x.saturating_sub(1)..(x + 2).min(width));
        rows.flat_map(|y| columns.clone().map(move |x| y * width + x)).any(|at| is_drawn(&other[at]))
    };
    (0..one.len()).filter(|&at| is_drawn(&one[at]) && !near(at)).count()
}

/// Opens samples, with their numbers and names.
fn for_each_sample(mut run: impl FnMut(usize, &str, &mut Engine)) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shaders");
    let entries = fs::read_dir(folder).expect("the samples");
    let files = entries.map(|entry| entry.expect("an entry").path());
    let files: BTreeMap<_, _> = files
        .filter(|path| path.extension().is_some_and(|ending| ending == "shbin"))
        .map(|path| (path.file_stem().expect("a name").to_string_lossy().into_owned(), path))
        .collect();
    let files = files.into_iter().enumerate().collect();
    for (number, (name, path)) in daily::some("samples that the page draws", 3, files) {
        let mut engine = Engine::default();
        engine.open("sample.shbin", &fs::read(&path).expect("a file"));
        run(number, &name, &mut engine);
    }
}

/// Writes a PNG file.
fn save(pixels: &Pixels, name: &str) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("page_draws");
    fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(format!("{name}.png"));
    image::save_buffer(path, pixels.as_flattened(), WIDTH, HEIGHT, ExtendedColorType::Rgba8).expect("saved");
}

fn gpu() -> Gpu {
    Gpu::open(None).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_output_and_register_has_the_colors_of_the_cpu() {
    needs!("vulkan");
    let gpu = gpu();
    let (mut count, mut registers, mut failed) = (0, BTreeSet::new(), Vec::new());
    for_each_sample(|number, name, engine| {
        let shows: Vec<String> = serde_json::from_str(&engine.shows()).unwrap_or_default();
        for by in &shows {
            // Two registers of every sample, each one of several samples.
            let register: Option<usize> = by.strip_prefix('o').and_then(|register| register.parse().ok());
            if register.is_some_and(|register| (register + number) % 8 != 0) {
                continue;
            }
            let Some([cpu, drawn]) = pictures(&gpu, engine, by, false) else { continue };
            let covered = cpu.iter().filter(|pixel| is_drawn(pixel)).count();
            let is_far =
                |(a, b): (&[u8; 4], &[u8; 4])| a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > TOLERANCE);
            let different = cpu.iter().zip(&drawn).filter(|&pair| is_far(pair)).count();
            // Tiles of texture coordinates have edges anywhere.
            if different * 100 > covered && !by.starts_with("texcoord") {
                failed.push(format!("{name} by {by}: {different} of {covered} pixels differ"));
                save(&cpu, &format!("{name}.{by}.cpu"));
            }
            save(&drawn, &format!("{name}.{by}"));
            registers.extend(register.filter(|_| covered > 0));
            count += 1;
        }
    });
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(count > 45 && registers.len() == 16, "{count} pictures, registers {registers:?}");
}

#[test]
fn edges_are_where_the_cpu_draws_them() {
    needs!("vulkan");
    let gpu = gpu();
    let (mut count, mut open, mut failed) = (0, 0, Vec::new());
    for_each_sample(|_, name, engine| {
        engine.set_mesh("cube");
        let Some([cpu, drawn]) = pictures(&gpu, engine, "", true) else { return };
        let [_, filled] = pictures(&gpu, engine, "", false).expect("a picture of the same program");
        let [covered, lines, all] =
            [&cpu, &drawn, &filled].map(|picture| picture.iter().filter(|pixel| is_drawn(pixel)).count());
        let strays = [strays([&cpu, &drawn]), strays([&drawn, &cpu])];
        save(&drawn, &format!("{name}.edges"));
        save(&cpu, &format!("{name}.edges.cpu"));
        if strays != [0, 0] {
            failed.push(format!("{name}: {covered} and {lines} of {all} pixels, astray {strays:?}"));
        }
        count += 1;
        // Lines of small triangles cover everything.
        open += usize::from(lines > 500 && lines * 4 < all * 3);
    });
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(count > 8 && open > 6, "{count} pictures, {open} with holes");
}
