//! Runs translated programs headless on wgpu: the compute entry for exact comparison, the vertex
//! entry through a real rasterizer, and pictures.
//! In: modules of the library and their inputs. Out: register contents and captured varyings as
//! bits; pictures.
//! Knows nothing about containers or instructions. `unsafe` is confined to `passthrough.rs`.

pub mod arithmetic;
pub mod compare;
mod compute;
mod device;
pub mod driver;
pub mod functions;
pub mod geometry;
mod passthrough;
pub mod picture;
pub mod replay;
mod report;
mod vertex;

/// Layers below the public API on which this crate relies: their version is pinned.
use transpica::stages::{backend, limits, precision};

use rspirv::binary::Assemble as _;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Capability, Decoration, ExecutionMode, Op};
use transpica::settings::FloatControls;

pub use compute::{Registers, Timed, run_compute};
pub use device::{Gpu, GpuError, INSTALL_LINE};
pub use report::{Measurement, Report};
pub use vertex::{Captured, VertexJob, run_vertex};

/// The way a program reaches the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Route {
    /// Our SPIR-V, passed to the driver unchanged. This is the exact route: NoContraction survives.
    Passthrough,
    /// Our SPIR-V, parsed and rewritten by naga.
    SpirvNaga,
    /// Our WGSL text, parsed by naga.
    Wgsl,
}

impl Route {
    /// All routes.
    pub const ALL: [Self; 3] = [Self::Passthrough, Self::SpirvNaga, Self::Wgsl];
    /// Returns its name on the command line.
    pub fn name(self) -> &'static str {
        ["spirv", "spirv-naga", "wgsl"][self as usize]
    }
}

/// A translated program in the form that its route takes.
#[derive(Clone, Debug)]
pub enum Shader {
    /// For [`Route::Passthrough`].
    Passthrough(Vec<u32>),
    /// For [`Route::SpirvNaga`].
    SpirvNaga(Vec<u32>),
    /// For [`Route::Wgsl`].
    Wgsl(String),
}

impl Shader {
    /// Compiles a host's WGSL stage to SPIR-V for [`Route::Passthrough`]: an unchanged stage links
    /// only with another one. The position is not adjusted, loops are not bounded, and workgroup
    /// memory is not zeroed.
    ///
    /// # Errors
    /// Errors in the text.
    pub fn spirv_of_wgsl(text: &str) -> Result<Self, GpuError> {
        let module = naga::front::wgsl::parse_str(text).map_err(|error| refused(&error))?;
        written_by_naga(&module).map(Self::Passthrough)
    }

    /// Returns the words that naga writes for a driver, with the decorations and declarations that
    /// our own have and naga drops: then every bit is defined.
    ///
    /// # Errors
    /// Errors of naga.
    pub fn precise(self, controls: FloatControls) -> Result<Self, GpuError> {
        let module = match self {
            Self::Passthrough(_) => return Ok(self),
            Self::SpirvNaga(words) => {
                let options =
                    naga::front::spv::Options { adjust_coordinate_space: false, ..Default::default() };
                let frontend = naga::front::spv::Frontend::new(words.into_iter(), &options);
                frontend.parse().map_err(|error| refused(&error))?
            }
            Self::Wgsl(text) => naga::front::wgsl::parse_str(&text).map_err(|error| refused(&error))?,
        };
        decorated(&written_by_naga(&module)?, controls).map(Self::Passthrough)
    }

    /// Creates the driver's module. Validation errors surface in the error scope around its use.
    pub fn module(self, gpu: &Gpu) -> wgpu::ShaderModule {
        let source = match self {
            Self::Passthrough(words) => return passthrough::module(gpu, words),
            Self::SpirvNaga(words) => wgpu::ShaderSource::SpirV(words.into()),
            Self::Wgsl(text) => wgpu::ShaderSource::Wgsl(text.into()),
        };
        // Out-of-bounds clamps would repeat work that the translator has already done.
        gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source })
    }
}

fn refused(error: &dyn std::fmt::Debug) -> GpuError {
    GpuError::Refused(format!("{error:?}"))
}

/// Returns the words that naga writes.
fn written_by_naga(module: &naga::Module) -> Result<Vec<u32>, GpuError> {
    let capabilities = naga::valid::Capabilities::empty();
    let info = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), capabilities)
        .validate(module)
        .map_err(|error| refused(&error))?;
    use naga::back::spv::{Options, WriterFlags, ZeroInitializeWorkgroupMemoryMode};
    // Such stages bound their loops and write workgroup memory before they read it. Explicit
    // flags make words the same in every build: naga's default depends on the build profile.
    let options = Options {
        lang_version: (1, 3),
        flags: WriterFlags::LABEL_VARYINGS | WriterFlags::CLAMP_FRAG_DEPTH,
        force_loop_bounding: false,
        zero_initialize_workgroup_memory: ZeroInitializeWorkgroupMemoryMode::None,
        ..Default::default()
    };
    naga::back::spv::write_vec(module, &info, &options, None).map_err(|error| refused(&error))
}

/// Adds NoContraction to every sum, product and quotient, and declarations.
fn decorated(words: &[u32], controls: FloatControls) -> Result<Vec<u32>, GpuError> {
    let mut module = rspirv::dr::load_words(words).map_err(|error| refused(&error))?;
    let instruction = |op, operands| Instruction::new(op, None, None, operands);
    let is_arithmetic = |op| {
        use Op::{Dot, FAdd, FDiv, FMul, FNegate, FSub, VectorTimesScalar};
        matches!(op, FAdd | FSub | FMul | FDiv | FNegate | Dot | VectorTimesScalar)
    };
    let arithmetic = module.all_inst_iter().filter(|one| is_arithmetic(one.class.opcode));
    let marks: Vec<Instruction> = arithmetic
        .filter_map(|one| one.result_id)
        .map(|id| {
            let mark = Operand::Decoration(Decoration::NoContraction);
            instruction(Op::Decorate, vec![Operand::IdRef(id), mark])
        })
        .collect();
    module.annotations.extend(marks);
    let modes = [
        (Capability::SignedZeroInfNanPreserve, ExecutionMode::SignedZeroInfNanPreserve, controls.nan),
        (Capability::DenormPreserve, ExecutionMode::DenormPreserve, controls.subnormals),
        (Capability::RoundingModeRTE, ExecutionMode::RoundingModeRTE, controls.rounding),
    ];
    for (capability, mode, _) in modes.into_iter().filter(|(.., is_declared)| *is_declared) {
        let entries = module.entry_points.iter().filter_map(|entry| entry.operands.get(1).cloned());
        let of_entry = |entry| {
            let operands = vec![entry, Operand::ExecutionMode(mode), Operand::LiteralBit32(32)];
            instruction(Op::ExecutionMode, operands)
        };
        let declared: Vec<Instruction> = entries.map(of_entry).collect();
        module.execution_modes.extend(declared);
        module.capabilities.push(instruction(Op::Capability, vec![Operand::Capability(capability)]));
    }
    if controls != FloatControls::NONE {
        let name = Operand::LiteralString("SPV_KHR_float_controls".to_owned());
        module.extensions.push(instruction(Op::Extension, vec![name]));
    }
    Ok(module.assemble())
}
