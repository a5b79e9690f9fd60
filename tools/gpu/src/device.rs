//! Opens a device without a window.

use std::fmt;
use std::sync::OnceLock;

use transpica::Profile;
use transpica::settings::FloatControls;

use crate::Route;
use crate::driver::Facts;
use crate::geometry::Stage;

/// Command that installs a software driver, or on systems that bring one the place to look.
pub const INSTALL_LINE: &str = if cfg!(target_vendor = "apple") {
    "Metal belongs to the system: this machine, or this session, has no GPU"
} else if cfg!(windows) {
    "install the GPU's driver, or Direct3D's own: Settings > System > Optional features > Graphics Tools"
} else {
    "install one with: sudo apt-get install -y mesa-vulkan-drivers libvulkan1"
};

/// Interfaces that are tried, in this order: the exact route needs Vulkan.
const BACKENDS: [wgpu::Backends; 3] = [wgpu::Backends::VULKAN, wgpu::Backends::METAL, wgpu::Backends::DX12];

/// Reason why there is no result from a GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GpuError {
    /// No adapter at all, or none with the requested name.
    NoAdapter {
        /// The requested part of the name.
        wanted: Option<String>,
        /// Names of the available adapters.
        found: Vec<String>,
    },
    /// The adapter did not open a device.
    NoDevice(String),
    /// The driver or wgpu rejected a module, a pipeline or a dispatch.
    Refused(String),
    /// Some invocations run too long for the driver, so their results need not be the program's.
    TooLong {
        /// Number of invocations that may be cut short.
        invocations: usize,
        /// Number of all invocations.
        of: usize,
        /// Iterations of all loops together after which the driver leaves every loop.
        rounds: u32,
    },
}

impl GpuError {
    /// Returns advice for the user.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::TooLong { .. } => Some(
                "use another driver (--adapter), the interpreter (run --on cpu), or fewer iterations in the int uniforms",
            ),
            Self::NoAdapter { .. } | Self::NoDevice(_) | Self::Refused(_) => None,
        }
    }
}

impl fmt::Display for GpuError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoAdapter { wanted: None, .. } => {
                write!(f, "no Vulkan, Metal or Direct3D 12 adapter found; {INSTALL_LINE}")
            }
            Self::NoAdapter { wanted: Some(wanted), found } => {
                write!(f, "no adapter matches \"{wanted}\"; available: {}", found.join(", "))?;
                if found.is_empty() { write!(f, "none; {INSTALL_LINE}") } else { Ok(()) }
            }
            Self::NoDevice(text) => write!(f, "the adapter provides no device: {text}"),
            Self::Refused(text) => write!(f, "the GPU refused the program: {text}"),
            Self::TooLong { invocations, of, rounds } => {
                write!(
                    f,
                    "too long for the driver: it leaves loops after {rounds} iterations of all loops together and may cut short {invocations} of {of} invocations"
                )
            }
        }
    }
}

impl std::error::Error for GpuError {}

/// A device and its queue.
pub struct Gpu {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: wgpu::Queue,
    adapter: wgpu::AdapterInfo,
    facts: Facts,
    float_controls: FloatControls,
    /// The compiled passes around geometry programs for each route, created by the first draw that
    /// needs them. All programs share them.
    pub(crate) passes: [OnceLock<Vec<Stage>>; Route::ALL.len()],
}

impl Gpu {
    /// Opens the first adapter, or the first whose name contains `adapter` (case ignored). Adapters
    /// of Vulkan come before those of Metal and Direct3D 12.
    ///
    /// # Errors
    /// No such adapter, with the command that installs a software driver; or no device.
    pub fn open(adapter: Option<&str>) -> Result<Self, GpuError> {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        descriptor.backends = BACKENDS.into_iter().collect();
        descriptor.flags = wgpu::InstanceFlags::empty().with_env();
        let instance = wgpu::Instance::new(descriptor);
        let adapters: Vec<wgpu::Adapter> = BACKENDS
            .into_iter()
            .flat_map(|backend| pollster::block_on(instance.enumerate_adapters(backend)))
            .collect();
        let names: Vec<String> = adapters.iter().map(|adapter| adapter.get_info().name).collect();
        let wanted = adapter.map(str::to_lowercase);
        let matches = |name: &str| wanted.as_ref().is_none_or(|wanted| name.to_lowercase().contains(wanted));
        let Some(index) = names.iter().position(|name| matches(name)) else {
            return Err(GpuError::NoAdapter { wanted: adapter.map(str::to_string), found: names });
        };
        let adapter = &adapters[index];
        let wanted = wgpu::Features::PASSTHROUGH_SHADERS | wgpu::Features::CLIP_DISTANCES;
        let request = pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
            label: None,
            required_features: adapter.features() & wanted,
            required_limits: adapter.limits(),
            experimental_features: wgpu::ExperimentalFeatures::disabled(),
            memory_hints: wgpu::MemoryHints::MemoryUsage,
            trace: wgpu::Trace::Off,
        }));
        let (device, queue) = request.map_err(|error| GpuError::NoDevice(error.to_string()))?;
        let float_controls = crate::passthrough::float_controls(adapter);
        let adapter = adapter.get_info();
        let (facts, passes) = (Facts::from_adapter(&adapter), Default::default());
        Ok(Self { device, queue, facts, float_controls, adapter, passes })
    }
    /// Returns wgpu's device, for hosts that draw more than this crate does.
    pub fn device(&self) -> &wgpu::Device {
        &self.device
    }
    /// Name of the adapter.
    pub fn name(&self) -> &str {
        &self.adapter.name
    }
    /// Returns wgpu's description of the adapter.
    pub fn adapter(&self) -> &wgpu::AdapterInfo {
        &self.adapter
    }
    /// Returns the known facts about the driver.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }
    /// Returns the rules of float arithmetic that the device reports, which modules may declare.
    pub fn float_controls(&self) -> FloatControls {
        self.float_controls
    }
    /// Returns whether the driver accepts SPIR-V unchanged. Metal and Direct3D have no use for it.
    pub fn has_passthrough(&self) -> bool {
        self.adapter.backend == wgpu::Backend::Vulkan
            && self.device.features().contains(wgpu::Features::PASSTHROUGH_SHADERS)
    }

    /// Returns the profile of modules that have to be exact on this driver: with all declarations
    /// that it reports. naga reads none.
    pub fn profile(&self, route: Route) -> Profile {
        let is_declared = self.has_passthrough() && route == Route::Passthrough;
        let float_controls = if is_declared { self.float_controls } else { FloatControls::NONE };
        Profile { float_controls, ..Profile::default() }
    }

    /// Returns the route to take unless the user names one: the exact one if the driver has it.
    pub fn usual_route(&self) -> Route {
        if self.has_passthrough() { Route::Passthrough } else { Route::Wgsl }
    }

    /// Runs `work` and returns the errors that wgpu reports meanwhile.
    pub(crate) fn checked<T>(&self, work: impl FnOnce() -> Result<T, GpuError>) -> Result<T, GpuError> {
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::Validation);
        let result = work();
        let refused = |error: wgpu::Error| Err(GpuError::Refused(error.to_string()));
        pollster::block_on(scope.pop()).map_or(result, refused)
    }

    /// Creates an empty buffer of at least 16 bytes.
    pub fn buffer(&self, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: size.max(16),
            usage,
            mapped_at_creation: false,
        })
    }
    /// Creates a buffer with this content.
    pub fn filled(&self, bytes: &[u8], usage: wgpu::BufferUsages) -> wgpu::Buffer {
        let buffer = self.buffer(bytes.len() as u64, usage | wgpu::BufferUsages::COPY_DST);
        self.queue.write_buffer(&buffer, 0, bytes);
        buffer
    }
    /// Submits the commands and waits until they end.
    pub(crate) fn submit(&self, commands: wgpu::CommandEncoder) -> Result<(), GpuError> {
        self.queue.submit([commands.finish()]);
        self.wait()
    }
    fn wait(&self) -> Result<(), GpuError> {
        let done = self.device.poll(wgpu::PollType::wait_indefinitely());
        done.map(|_| ()).map_err(|error| GpuError::Refused(error.to_string()))
    }
    /// Reads the first words of a buffer with copy usage.
    pub(crate) fn read(&self, buffer: &wgpu::Buffer, bytes: u64) -> Result<Vec<u32>, GpuError> {
        self.read_after(self.device.create_command_encoder(&Default::default()), buffer, bytes)
    }
    /// Submits the commands and reads the first words of a buffer with copy usage.
    pub(crate) fn read_after(
        &self,
        mut commands: wgpu::CommandEncoder,
        buffer: &wgpu::Buffer,
        bytes: u64,
    ) -> Result<Vec<u32>, GpuError> {
        let read = self.buffer(bytes, wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST);
        commands.copy_buffer_to_buffer(buffer, 0, &read, 0, Some(bytes));
        let mut words = self.submit_and_read(commands, &read)?;
        words.truncate((bytes / 4) as usize);
        Ok(words)
    }
    /// Submits the commands and reads back a mappable buffer.
    ///
    /// # Errors
    /// Errors of the driver or wgpu.
    pub fn submit_and_read(
        &self,
        commands: wgpu::CommandEncoder,
        buffer: &wgpu::Buffer,
    ) -> Result<Vec<u32>, GpuError> {
        self.queue.submit([commands.finish()]);
        buffer.slice(..).map_async(wgpu::MapMode::Read, |_| {});
        self.wait()?;
        let range = buffer.slice(..).get_mapped_range();
        let range = range.map_err(|error| GpuError::Refused(error.to_string()))?;
        Ok(range.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect())
    }
}
