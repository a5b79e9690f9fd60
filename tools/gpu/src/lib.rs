//! Runs translated programs headless on wgpu: the compute entry for exact comparison, the vertex entry through a real
//! rasteriser. In: modules of the library and their inputs. Out: register contents and captured varyings, as bits.
//! Knows nothing about containers or instructions. `unsafe` stands in `passthrough.rs` alone.

mod bounds;
pub mod compare;
mod compute;
mod device;
mod dots;
pub mod driver;
mod passthrough;
mod vertex;

pub use compute::{Registers, Timed, run_compute};
pub use device::{Gpu, GpuError, INSTALL_LINE};
pub use vertex::{Captured, VertexJob, run_vertex};

/// How a program reaches the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Route {
    /// Our SPIR-V, handed to the driver unchanged. The exact route: NoContraction survives.
    Passthrough,
    /// Our SPIR-V, read by naga and written again.
    SpirvNaga,
    /// Our naga module.
    NagaIr,
    /// Our WGSL text.
    Wgsl,
}

impl Route {
    /// All routes.
    pub const ALL: [Self; 4] = [Self::Passthrough, Self::SpirvNaga, Self::NagaIr, Self::Wgsl];
    /// Name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Passthrough => "spirv",
            Self::SpirvNaga => "spirv-naga",
            Self::NagaIr => "naga",
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
    /// For [`Route::NagaIr`].
    NagaIr(Box<naga::Module>),
    /// For [`Route::Wgsl`].
    Wgsl(String),
}

impl Shader {
    /// The driver's module. Modules that the driver refuses are reported by the validation scope around their use.
    fn module(self, gpu: &Gpu) -> wgpu::ShaderModule {
        let source = match self {
            Self::Passthrough(words) => return passthrough::module(gpu, words),
            Self::SpirvNaga(words) => wgpu::ShaderSource::SpirV(words.into()),
            Self::NagaIr(module) => wgpu::ShaderSource::Naga(std::borrow::Cow::Owned(*module)),
            Self::Wgsl(text) => wgpu::ShaderSource::Wgsl(text.into()),
        };
        // Out-of-bounds clamps would add work that the translator has already done.
        gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source })
    }
}
