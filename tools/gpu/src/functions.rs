//! RCP, RSQ, EX2 and LG2 as modules compute them on a GPU, for blocks of operands: 4,096 blocks are
//! all 2^32.
//! In: a device and a function. Out: how many results differ from the interpreter's.

use transpica::interp::flush_subnormal;
use transpica::isa::Pc;
use transpica::settings::{Block, FloatControls, Layout};
use transpica::{
    Job, Options, Precision, Profile, Program, RegisterState, Stage as ProgramStage, Translator,
};
use wgpu::BufferBindingType::{Storage, Uniform};
use wgpu::BufferUsages;

use crate::backend::text::Language;
use crate::compare::CompareError;
use crate::geometry::Stage;
use crate::precision::arith;
use crate::{Gpu, GpuError, Route, Shader};
use transpica_inspect::executor::Subnormals;

/// Operands of one dispatch.
pub const BLOCK: u32 = 1 << 20;
/// Blocks of all operands.
pub const BLOCKS: u32 = 1 << 12;

/// A function: its name in texts, its opcode, whether the module keeps subnormal numbers, and what
/// the interpreter computes.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// Name of the function in texts.
    pub name: &'static str,
    opcode: u32,
    keeps_subnormals: bool,
    definition: fn(Precision, f32) -> f32,
}

/// Every function that exact modules have of their own.
pub const FUNCTIONS: [Function; 5] = [
    Function { name: "pica_rcp", opcode: 0x0E, keeps_subnormals: false, definition: arith::rcp },
    Function { name: "pica_rcp_any", opcode: 0x0E, keeps_subnormals: true, definition: arith::rcp },
    Function { name: "pica_rsq", opcode: 0x0F, keeps_subnormals: false, definition: arith::rsq },
    Function { name: "pica_exp_two", opcode: 0x05, keeps_subnormals: false, definition: arith::exp2 },
    Function { name: "pica_log_two", opcode: 0x06, keeps_subnormals: false, definition: arith::log2 },
];

/// The entry that calls a function; any NaN is as good as another, and so is any zero. It takes the
/// bindings of the entry whose place it takes.
const ENTRY: &str = "
@group(0) @binding(0) var<storage, read> expected_results: array<u32>;
@group(0) @binding(1) var<storage, read_write> wrong_results: array<atomic<u32>>;
@group(0) @binding(2) var<uniform> first_operand: vec4u;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let operand = first_operand.x + id.x;
    let found = bitcast<u32>(FUNCTION(bitcast<f32>(operand)));
    let right = expected_results[id.x];
    let least = min(found & 0x7fffffffu, right & 0x7fffffffu);
    let are_zeros = ((found | right) & 0x7fffffffu) == 0u;
    if found != right && least <= 0x7f800000u && !are_zeros {
        atomicAdd(&wrong_results[0], 1u);
        atomicMax(&wrong_results[1], operand);
    }
}
";

/// A function, compiled.
pub struct Compiled<'a> {
    gpu: &'a Gpu,
    function: Function,
    stage: Stage,
    group: wgpu::BindGroup,
    buffers: [wgpu::Buffer; 3],
}

impl<'a> Compiled<'a> {
    /// Compiles a function.
    ///
    /// # Errors
    /// Errors of the library, the driver or wgpu.
    pub fn new(gpu: &'a Gpu, function: Function) -> Result<Self, CompareError> {
        let block = Block { layout: Layout::Registers, ..Block::default() };
        let float_controls = FloatControls { subnormals: function.keeps_subnormals, ..FloatControls::NONE };
        let profile = Profile { float_controls, ..Profile::default() };
        let mut translator = Translator::new(Options { block, ..Options::default() }, profile);
        let code = vec![function.opcode << 26 | 1 << 7, 0x22 << 26];
        let program = Program::from_raw(code, vec![0x36F], Pc(0), ProgramStage::Vertex)?;
        let state = RegisterState::default();
        let translated = translator.translate(&program, &state.vertex(), Job::Compute)?;
        let text = translated.text(Language::Wgsl)?;
        let (functions, _) = text.split_once("@compute").unwrap_or((&text, ""));
        let shader = Shader::Wgsl(format!("{functions}{}", ENTRY.replace("FUNCTION", function.name)));
        let is_precise = gpu.has_passthrough();
        let controls = gpu.profile(Route::Passthrough).float_controls;
        let shader = if is_precise { shader.precise(controls)? } else { shader };
        let kinds = [Storage { read_only: true }, Storage { read_only: false }, Uniform];
        let usages =
            [BufferUsages::STORAGE, BufferUsages::STORAGE | BufferUsages::COPY_SRC, BufferUsages::UNIFORM];
        let sizes = [4 * u64::from(BLOCK), 16, 16];
        let buffers = [0, 1, 2].map(|n| gpu.buffer(sizes[n], usages[n] | BufferUsages::COPY_DST));
        let bindings: Vec<_> = (0..).zip(kinds).collect();
        let compiled = gpu.checked(|| Ok(Stage::new(gpu, shader, &bindings)));
        let stage = compiled?;
        let bound: Vec<_> = buffers.iter().map(Into::into).collect();
        let group = stage.group(gpu, &bound);
        Ok(Self { gpu, function, stage, group, buffers })
    }

    /// Returns how many results of a block's operands differ, and the last such operand.
    ///
    /// # Errors
    /// Errors of the driver or wgpu.
    pub fn differing(&self, block: u32) -> Result<(u32, u32), GpuError> {
        let first = block * BLOCK;
        let flushes = self.gpu.facts().subnormals == Subnormals::Flushed;
        let flush = |x| if flushes { flush_subnormal(x) } else { x };
        let result = |n| {
            let result = (self.function.definition)(Precision::Exact, flush(f32::from_bits(first + n)));
            // Integers make what no device flushes.
            if self.function.keeps_subnormals { result } else { flush(result) }
        };
        let expected: Vec<f32> = (0..BLOCK).map(result).collect();
        let queue = &self.gpu.queue;
        queue.write_buffer(&self.buffers[0], 0, bytemuck::cast_slice(&expected));
        queue.write_buffer(&self.buffers[1], 0, &[0; 16]);
        queue.write_buffer(&self.buffers[2], 0, bytemuck::cast_slice(&[first, 0, 0, 0]));
        let mut commands = self.gpu.device.create_command_encoder(&Default::default());
        let mut pass = commands.begin_compute_pass(&Default::default());
        pass.set_pipeline(&self.stage.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        pass.dispatch_workgroups(BLOCK / 64, 1, 1);
        drop(pass);
        let words = self.gpu.checked(|| self.gpu.read_after(commands, &self.buffers[1], 8))?;
        Ok((words[0], words[1]))
    }
}
