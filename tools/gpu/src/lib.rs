//! Runs translated programs headless on wgpu: the compute entry for exact comparison, the vertex
//! entry through a real rasterizer, and pictures.
//! In: modules of the library and their inputs. Out: register contents and captured varyings as
//! bits; pictures.
//! Knows nothing about containers or instructions. `unsafe` is confined to `passthrough.rs`.

mod bounds;
pub mod compare;
mod compute;
mod device;
pub mod driver;
pub mod geometry;
mod near;
mod passthrough;
pub mod picture;
mod regions;
pub mod replay;
mod report;
mod vertex;

/// Layers below the public API on which this crate relies: their version is pinned.
use transpica::stages::{backend, limits, precision};

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
    /// Returns whether results must be bit-equal to the interpreter. On the other routes drivers
    /// may reassociate (drivers.md#naga-contraction).
    pub fn is_exact(self) -> bool {
        matches!(self, Self::Passthrough)
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
        let refused = |error: &dyn std::fmt::Debug| GpuError::Refused(format!("{error:?} in {text}"));
        let module = naga::front::wgsl::parse_str(text).map_err(|error| refused(&error))?;
        let capabilities = naga::valid::Capabilities::empty();
        let info = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), capabilities)
            .validate(&module)
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
        let words = naga::back::spv::write_vec(&module, &info, &options, None);
        words.map(Self::Passthrough).map_err(|error| refused(&error))
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
