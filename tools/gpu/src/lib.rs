//! Runs translated programs headless on wgpu: the compute entry for exact comparison, the vertex entry through a real
//! rasteriser, pictures. In: modules of the library and their inputs. Out: register contents and captured varyings, as bits;
//! pictures.
//! Knows nothing about containers or instructions. `unsafe` stands in `passthrough.rs` alone.

mod bounds;
pub mod compare;
mod compute;
mod device;
pub mod driver;
pub mod geometry;
mod near;
mod passthrough;
pub mod picture;
mod report;
pub mod unfinished;
mod vertex;

pub use compute::{Registers, Timed, run_compute, run_reported};
pub use device::{Gpu, GpuError, INSTALL_LINE, Reason};
pub use report::{Measured, Report};
pub use vertex::{Captured, VertexJob, run_vertex};

/// How a program reaches the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Route {
    /// Our SPIR-V, handed to the driver unchanged. The exact route: NoContraction survives.
    Passthrough,
    /// Our SPIR-V, read by naga and written again.
    SpirvNaga,
    /// Our WGSL text, read by naga.
    Wgsl,
}

impl Route {
    /// All routes.
    pub const ALL: [Self; 3] = [Self::Passthrough, Self::SpirvNaga, Self::Wgsl];
    /// Name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Passthrough => "spirv",
            Self::SpirvNaga => "spirv-naga",
            Self::Wgsl => "wgsl",
        }
    }
    /// Whether results must be bit-equal to the interpreter (naga drops NoContraction, so elsewhere drivers may reassociate).
    pub fn is_exact(self) -> bool {
        matches!(self, Self::Passthrough)
    }
}

/// A translated program in the form its route wants.
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
    /// WGSL of a host's own stage as SPIR-V for [`Route::Passthrough`]: a stage handed over unchanged links only with another. The
    /// position is left as the text has it, loops get no bound, workgroup memory no zeros.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn spirv_of_wgsl(text: &str) -> Result<Self, GpuError> {
        let refused = |error: &dyn std::fmt::Debug| GpuError::Refused(format!("{error:?} in {text}"));
        let module = naga::front::wgsl::parse_str(text).map_err(|error| refused(&error))?;
        let capabilities = naga::valid::Capabilities::empty();
        let info = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), capabilities)
            .validate(&module)
            .map_err(|error| refused(&error))?;
        use naga::back::spv::{Options, WriterFlags, ZeroInitializeWorkgroupMemoryMode};
        // Such stages end their loops and write what they read; words are the same in every build.
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

    /// The driver's module. Modules that the driver refuses are reported by the validation scope around their use.
    pub fn module(self, gpu: &Gpu) -> wgpu::ShaderModule {
        let source = match self {
            Self::Passthrough(words) => return passthrough::module(gpu, words),
            Self::SpirvNaga(words) => wgpu::ShaderSource::SpirV(words.into()),
            Self::Wgsl(text) => wgpu::ShaderSource::Wgsl(text.into()),
        };
        // Out-of-bounds clamps would add work that the translator has already done.
        gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source })
    }
}
