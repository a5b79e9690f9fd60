//! OpenGL and OpenGL ES without a window: Mesa's surfaceless platform of EGL, whose driver computes
//! on the CPU.
//! In: texts of both stages, vertices, uniform blocks. Out: what transform feedback captured of
//! each vertex, or a pixel. All `unsafe` of these tests is here; objects live until the process
//! ends.
#![allow(unsafe_code, reason = "the functions of OpenGL are not safe")]

use std::ffi::c_void;

use glow::HasContext as _;
use khronos_egl as egl;

/// The line that installs EGL and the driver.
pub const INSTALL_LINE: &str = "sudo apt-get install -y libegl1 libegl-mesa0 libgl1-mesa-dri";
/// `EGL_PLATFORM_SURFACELESS_MESA`
const SURFACELESS: egl::Enum = 0x31DD;
/// `GL_PROGRAM_SEPARABLE`
const SEPARABLE: u32 = 0x8258;
/// `GL_VERTEX_SHADER_BIT` and `GL_FRAGMENT_SHADER_BIT`
const STAGES: [u32; 2] = [1, 2];
/// Bytes of a vertex's registers.
const STRIDE: i32 = 256;

type Result<T> = std::result::Result<T, String>;

/// API of a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    /// OpenGL, core profile.
    Core,
    /// OpenGL ES.
    Es,
}

/// Functions of program pipelines, which glow lacks.
struct Pipelines {
    parameter: extern "system" fn(u32, u32, i32),
    generate: extern "system" fn(i32, *mut u32),
    stages: extern "system" fn(u32, u32, u32),
    bind: extern "system" fn(u32),
}

/// A context.
pub struct OpenGl {
    gl: glow::Context,
    egl: egl::DynamicInstance<egl::EGL1_5>,
    display: egl::Display,
    context: egl::Context,
    pipelines: Pipelines,
    /// Name and version of the driver.
    pub name: String,
}

/// Linked stages.
#[derive(Clone, Copy)]
pub enum Stages {
    /// One program.
    Together(glow::Program),
    /// A pipeline of two separable programs: the pipeline, the program of the vertex stage, that of
    /// the fragment stage.
    Separate(u32, glow::Program, glow::Program),
}

impl Stages {
    /// The program with the vertex stage, and that with the fragment stage.
    pub fn programs(self) -> [glow::Program; 2] {
        match self {
            Self::Together(program) => [program; 2],
            Self::Separate(_, vertex, fragment) => [vertex, fragment],
        }
    }
}

/// Input of a draw.
pub struct Draw<'a> {
    /// v0..v15 of the vertices, as bits; the location of an attribute is its register.
    pub vertices: &'a [[[u32; 4]; 16]],
    /// Registers that are attributes.
    pub attributes: &'a [u8],
    /// Content of uniform blocks by binding, each with the name of the block.
    pub blocks: &'a [(&'a str, &'a [u8])],
    /// True if blocks are bound by their names, not by bindings in the text.
    pub binds_by_name: bool,
}

/// Variables that have Mesa take texts of 4.6, of whose features older releases lack some that ours
/// do not use.
pub const NEWEST: [(&str, &str); 2] =
    [("MESA_GL_VERSION_OVERRIDE", "4.6"), ("MESA_GLSL_VERSION_OVERRIDE", "460")];

impl OpenGl {
    /// Opens a context of the highest version.
    pub fn open(api: Api) -> Result<Self> {
        Self::load(api).map_err(|error| format!("no OpenGL by EGL: {error}; install it with: {INSTALL_LINE}"))
    }

    fn load(api: Api) -> Result<Self> {
        let text = |error: egl::Error| error.to_string();
        // SAFETY: the library is Mesa's or the dispatcher of all vendors; functions have the
        // types of their specification, and the library stays loaded.
        unsafe {
            let egl =
                egl::DynamicInstance::<egl::EGL1_5>::load_required().map_err(|error| error.to_string())?;
            let display = egl.get_platform_display(SURFACELESS, std::ptr::null_mut(), &[egl::ATTRIB_NONE]);
            let display = display.map_err(text)?;
            egl.initialize(display).map_err(text)?;
            let (bound, bit, mask, version) = match api {
                Api::Core => (egl::OPENGL_API, egl::OPENGL_BIT, egl::CONTEXT_OPENGL_CORE_PROFILE_BIT, [4, 5]),
                Api::Es => (egl::OPENGL_ES_API, egl::OPENGL_ES3_BIT, 0, [3, 2]),
            };
            egl.bind_api(bound).map_err(text)?;
            let wanted = [egl::SURFACE_TYPE, 0, egl::RENDERABLE_TYPE, bit, egl::NONE];
            let config = egl.choose_first_config(display, &wanted).map_err(text)?;
            let config = config.ok_or("no configuration")?;
            let [major, minor] = version;
            let mut wanted = vec![egl::CONTEXT_MAJOR_VERSION, major, egl::CONTEXT_MINOR_VERSION, minor];
            if mask != 0 {
                wanted.extend([egl::CONTEXT_OPENGL_PROFILE_MASK, mask]);
            }
            wanted.push(egl::NONE);
            let context = egl.create_context(display, config, None, &wanted).map_err(text)?;
            egl.make_current(display, None, None, Some(context)).map_err(text)?;
            let find =
                |name: &str| egl.get_proc_address(name).map_or(std::ptr::null(), |f| f as *const c_void);
            let gl = glow::Context::from_loader_function(find);
            let function = |name: &str| match find(name) {
                none if none.is_null() => Err(format!("no {name}")),
                found => Ok(found),
            };
            let pipelines = Pipelines {
                parameter: std::mem::transmute::<*const c_void, extern "system" fn(u32, u32, i32)>(function(
                    "glProgramParameteri",
                )?),
                generate: std::mem::transmute::<*const c_void, extern "system" fn(i32, *mut u32)>(function(
                    "glGenProgramPipelines",
                )?),
                stages: std::mem::transmute::<*const c_void, extern "system" fn(u32, u32, u32)>(function(
                    "glUseProgramStages",
                )?),
                bind: std::mem::transmute::<*const c_void, extern "system" fn(u32)>(function(
                    "glBindProgramPipeline",
                )?),
            };
            let [renderer, version] =
                [glow::RENDERER, glow::VERSION].map(|which| gl.get_parameter_string(which));
            let opened =
                Self { gl, egl, display, context, pipelines, name: format!("{renderer}, {version}") };
            opened.target()?;
            Ok(opened)
        }
    }

    /// Makes this the context of the thread.
    pub fn enter(&self) {
        let entered = self.egl.make_current(self.display, None, None, Some(self.context));
        entered.unwrap_or_else(|error| panic!("{error}"));
    }

    /// Creates a target of one pixel of floats, and what a core profile draws with.
    unsafe fn target(&self) -> Result<()> {
        let gl = &self.gl;
        // SAFETY: the context is current.
        unsafe {
            let texture = gl.create_texture()?;
            gl.bind_texture(glow::TEXTURE_2D, Some(texture));
            gl.tex_storage_2d(glow::TEXTURE_2D, 1, glow::RGBA32F, 1, 1);
            let frame = gl.create_framebuffer()?;
            gl.bind_framebuffer(glow::FRAMEBUFFER, Some(frame));
            let (frame, place) = (glow::FRAMEBUFFER, glow::COLOR_ATTACHMENT0);
            gl.framebuffer_texture_2d(frame, place, glow::TEXTURE_2D, Some(texture), 0);
            if gl.check_framebuffer_status(frame) != glow::FRAMEBUFFER_COMPLETE {
                return Err("no target of floats".into());
            }
            gl.viewport(0, 0, 1, 1);
            let array = gl.create_vertex_array()?;
            gl.bind_vertex_array(Some(array));
            self.problem("target")
        }
    }

    /// Returns the error that OpenGL reports, if any.
    fn problem(&self, place: &str) -> Result<()> {
        // SAFETY: the context is current.
        match unsafe { self.gl.get_error() } {
            glow::NO_ERROR => Ok(()),
            error => Err(format!("{place}: error {error:#x}")),
        }
    }

    /// Compiles a stage.
    fn shader(&self, kind: u32, text: &str) -> Result<glow::Shader> {
        let gl = &self.gl;
        // SAFETY: the context is current.
        unsafe {
            let shader = gl.create_shader(kind)?;
            gl.shader_source(shader, text);
            gl.compile_shader(shader);
            if gl.get_shader_compile_status(shader) {
                Ok(shader)
            } else {
                Err(format!("{}\n{text}", gl.get_shader_info_log(shader)))
            }
        }
    }

    fn program(
        &self,
        stages: &[(u32, &str)],
        captured: &[&str],
        is_separable: bool,
    ) -> Result<glow::Program> {
        let gl = &self.gl;
        // SAFETY: the context is current.
        unsafe {
            let program = gl.create_program()?;
            if is_separable {
                (self.pipelines.parameter)(program.0.get(), SEPARABLE, 1);
            }
            for (kind, text) in stages {
                let shader = self.shader(*kind, text)?;
                gl.attach_shader(program, shader);
                gl.delete_shader(shader);
            }
            if !captured.is_empty() {
                gl.transform_feedback_varyings(program, captured, glow::INTERLEAVED_ATTRIBS);
            }
            gl.link_program(program);
            if gl.get_program_link_status(program) {
                Ok(program)
            } else {
                Err(format!("{}\n{}", gl.get_program_info_log(program), stages[0].1))
            }
        }
    }

    /// Links two stages to one program that captures these outputs.
    pub fn together(&self, [vertex, fragment]: [&str; 2], captured: &[&str]) -> Result<Stages> {
        let stages = [(glow::VERTEX_SHADER, vertex), (glow::FRAGMENT_SHADER, fragment)];
        self.program(&stages, captured, false).map(Stages::Together)
    }

    /// Links a geometry stage between two others to one program that captures its outputs.
    pub fn with_geometry(&self, texts: [&str; 3], captured: &[&str]) -> Result<Stages> {
        let kinds = [glow::VERTEX_SHADER, glow::GEOMETRY_SHADER, glow::FRAGMENT_SHADER];
        let stages: Vec<_> = kinds.into_iter().zip(texts).collect();
        self.program(&stages, captured, false).map(Stages::Together)
    }

    /// Links each stage to a program of its own, and both to a pipeline.
    pub fn separate(&self, [vertex, fragment]: [&str; 2], captured: &[&str]) -> Result<Stages> {
        let vertex = self.program(&[(glow::VERTEX_SHADER, vertex)], captured, true)?;
        let fragment = self.program(&[(glow::FRAGMENT_SHADER, fragment)], &[], true)?;
        let mut pipeline = 0;
        (self.pipelines.generate)(1, &raw mut pipeline);
        for (stage, program) in STAGES.into_iter().zip([vertex, fragment]) {
            (self.pipelines.stages)(pipeline, stage, program.0.get());
        }
        self.problem("pipeline")?;
        Ok(Stages::Separate(pipeline, vertex, fragment))
    }

    /// Sets the state of a draw and returns its buffers.
    unsafe fn begin(&self, stages: Stages, draw: &Draw<'_>) -> Result<Vec<glow::Buffer>> {
        let gl = &self.gl;
        let mut buffers = Vec::new();
        // SAFETY: the context is current, and attributes lie in their buffer.
        unsafe {
            match stages {
                Stages::Together(program) => gl.use_program(Some(program)),
                Stages::Separate(pipeline, ..) => {
                    gl.use_program(None);
                    (self.pipelines.bind)(pipeline);
                }
            }
            let [program, _] = stages.programs();
            for (binding, (name, bytes)) in (0..).zip(draw.blocks) {
                if draw.binds_by_name
                    && let Some(index) = gl.get_uniform_block_index(program, name)
                {
                    gl.uniform_block_binding(program, index, binding);
                }
                if !bytes.is_empty() {
                    let buffer = gl.create_buffer()?;
                    gl.bind_buffer(glow::UNIFORM_BUFFER, Some(buffer));
                    gl.buffer_data_u8_slice(glow::UNIFORM_BUFFER, bytes, glow::STATIC_DRAW);
                    gl.bind_buffer_base(glow::UNIFORM_BUFFER, binding, Some(buffer));
                    buffers.push(buffer);
                }
            }
            let words = draw.vertices.iter().flatten().flatten();
            let bytes: Vec<u8> = words.flat_map(|word| word.to_ne_bytes()).collect();
            let buffer = gl.create_buffer()?;
            gl.bind_buffer(glow::ARRAY_BUFFER, Some(buffer));
            gl.buffer_data_u8_slice(glow::ARRAY_BUFFER, &bytes, glow::STATIC_DRAW);
            buffers.push(buffer);
            (0..16).for_each(|register| gl.disable_vertex_attrib_array(register));
            for &register in draw.attributes {
                let at = i32::from(register);
                gl.vertex_attrib_pointer_f32(u32::from(register), 4, glow::FLOAT, false, STRIDE, 16 * at);
                gl.enable_vertex_attrib_array(register.into());
            }
        }
        self.problem("state of a draw")?;
        Ok(buffers)
    }

    unsafe fn end(&self, stages: Stages, buffers: Vec<glow::Buffer>) {
        // SAFETY: the context is current.
        unsafe {
            self.gl.use_program(None);
            (self.pipelines.bind)(0);
            buffers.into_iter().for_each(|buffer| self.gl.delete_buffer(buffer));
        }
        self.drop_stages(stages);
    }

    /// Sets a uniform of the vertex stage.
    pub fn set_vector(&self, stages: Stages, name: &str, [x, y]: [f32; 2]) {
        let [program, _] = stages.programs();
        // SAFETY: the context is current.
        unsafe {
            let place = self.gl.get_uniform_location(program, name);
            self.gl.program_uniform_2_f32(program, place.as_ref(), x, y);
        }
    }

    /// Deletes the programs.
    pub fn drop_stages(&self, stages: Stages) {
        let [vertex, fragment] = stages.programs();
        // SAFETY: the context is current.
        unsafe {
            self.gl.delete_program(vertex);
            if fragment != vertex {
                self.gl.delete_program(fragment);
            }
        }
    }

    /// Runs the vertex stage alone; returns so many captured words of each vertex. The programs are
    /// gone then.
    pub fn capture(&self, stages: Stages, draw: &Draw<'_>, words: usize) -> Result<Vec<Vec<u32>>> {
        let count = draw.vertices.len();
        // SAFETY: the context is current, and the buffer holds what is captured.
        unsafe {
            let all = self.feedback(stages, draw, [glow::POINTS; 2], words * count)?.0;
            Ok(all.chunks(words).map(<[u32]>::to_vec).collect())
        }
    }

    /// Runs a geometry stage over primitives of a mode; returns the captured words of all
    /// triangles, of which there are at most so many with so many words a vertex. The programs are
    /// gone then.
    pub fn capture_triangles(
        &self,
        stages: Stages,
        draw: &Draw<'_>,
        mode: u32,
        (most, words): (usize, usize),
    ) -> Result<Vec<u32>> {
        // SAFETY: the context is current, and the buffer holds what is captured.
        let (mut all, triangles) =
            unsafe { self.feedback(stages, draw, [mode, glow::TRIANGLES], (3 * words * most).max(1))? };
        all.truncate(3 * words * triangles);
        Ok(all)
    }

    /// Draws primitives of a mode and captures those of another; returns a buffer of so many words,
    /// and the number of captured primitives.
    unsafe fn feedback(
        &self,
        stages: Stages,
        draw: &Draw<'_>,
        [drawn, captured]: [u32; 2],
        words: usize,
    ) -> Result<(Vec<u32>, usize)> {
        let gl = &self.gl;
        // SAFETY: the context is current.
        unsafe {
            let buffers = self.begin(stages, draw)?;
            let mut bytes = vec![0; 4 * words];
            let place = glow::TRANSFORM_FEEDBACK_BUFFER;
            let (buffer, query) = (gl.create_buffer()?, gl.create_query()?);
            gl.bind_buffer_base(place, 0, Some(buffer));
            gl.buffer_data_size(place, bytes.len() as i32, glow::DYNAMIC_READ);
            gl.enable(glow::RASTERIZER_DISCARD);
            gl.begin_query(glow::TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN, query);
            gl.begin_transform_feedback(captured);
            gl.draw_arrays(drawn, 0, draw.vertices.len() as i32);
            gl.end_transform_feedback();
            gl.end_query(glow::TRANSFORM_FEEDBACK_PRIMITIVES_WRITTEN);
            gl.disable(glow::RASTERIZER_DISCARD);
            let primitives = gl.get_query_parameter_u32(query, glow::QUERY_RESULT);
            gl.delete_query(query);
            let mapped = gl.map_buffer_range(place, 0, bytes.len() as i32, glow::MAP_READ_BIT);
            if mapped.is_null() {
                self.problem("feedback")?;
                return Err("feedback cannot be read".into());
            }
            let size = bytes.len();
            bytes.copy_from_slice(std::slice::from_raw_parts(mapped, size));
            gl.unmap_buffer(place);
            gl.delete_buffer(buffer);
            self.end(stages, buffers);
            self.problem("feedback")?;
            let all = bytes.as_chunks().0.iter().map(|word| u32::from_ne_bytes(*word));
            Ok((all.collect(), primitives as usize))
        }
    }

    /// Draws the vertices as points on one pixel, for each value of the fragment stage's uniform
    /// `wanted`, and returns the pixels. The programs are gone then.
    pub fn pixels(&self, stages: Stages, draw: &Draw<'_>, wanted: i32) -> Result<Vec<[f32; 4]>> {
        let gl = &self.gl;
        // SAFETY: the context is current.
        unsafe {
            let buffers = self.begin(stages, draw)?;
            let [_, fragment] = stages.programs();
            let place = gl.get_uniform_location(fragment, "wanted").ok_or("no uniform `wanted`")?;
            let mut pixels = Vec::new();
            for index in 0..wanted {
                gl.program_uniform_1_i32(fragment, Some(&place), index);
                gl.clear_color(-1.0, -1.0, -1.0, -1.0);
                gl.clear(glow::COLOR_BUFFER_BIT);
                gl.draw_arrays(glow::POINTS, 0, draw.vertices.len() as i32);
                let mut pixel = [0; 16];
                let data = glow::PixelPackData::Slice(Some(&mut pixel));
                gl.read_pixels(0, 0, 1, 1, glow::RGBA, glow::FLOAT, data);
                let words = pixel.as_chunks().0;
                pixels.push(std::array::from_fn(|lane| f32::from_ne_bytes(words[lane])));
            }
            self.end(stages, buffers);
            self.problem("draw")?;
            Ok(pixels)
        }
    }
}
