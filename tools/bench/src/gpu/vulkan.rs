//! Vulkan without a window: pipelines of a vertex module, their statistics, draws without pixels.
//! In: valid modules and the contents of their buffers. Out: what the driver reports. Times are
//! taken by the callers.
//! All `unsafe` of the measurements is here. Objects live until the process ends, except pipelines
//! and what one draw needs.
#![allow(unsafe_code, reason = "the functions of Vulkan are not safe")]

use std::collections::BTreeMap;
use std::ffi::CString;

use ash::vk;

use super::interface::{Interface, Scalar};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Bytes of a buffer that a module reads: the largest register layout fits.
pub const BUFFER: u64 = 65_536;
/// Width and height of the target that no pixel reaches.
const SIZE: u32 = 16;
const FORMAT: vk::Format = vk::Format::R8G8B8A8_UNORM;

/// A driver's first device.
pub struct Vulkan {
    device: ash::Device,
    /// Present if the driver reports statistics.
    statistics: Option<ash::khr::pipeline_executable_properties::Device>,
    queue: vk::Queue,
    memory: vk::PhysicalDeviceMemoryProperties,
    /// Description of the device.
    pub about: About,
    /// Keep the library and the instance loaded.
    _loaded: (ash::Entry, ash::Instance),
}

/// Description of a device.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct About {
    /// Name of the device.
    pub device: String,
    /// Name and version of the driver, as the driver writes them.
    pub driver: String,
    /// Shaders run on the CPU, so that CPU time is their time.
    pub is_cpu: bool,
}

/// A vertex module with all that its pipelines share.
pub struct Subject {
    vertex: Vec<u32>,
    fragment: Vec<u32>,
    interface: Interface,
    entry: CString,
    sets: Vec<vk::DescriptorSetLayout>,
    layout: vk::PipelineLayout,
}

/// Treatment of triangles after the vertex stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Triangles {
    /// Drawn.
    Drawn,
    /// Culled, so that only vertices cost time.
    Culled,
}

/// A graphics pipeline. [`Vulkan::destroy`] ends it.
pub struct Pipeline(vk::Pipeline);

/// A recorded draw.
pub struct Drawing {
    commands: vk::CommandBuffer,
}

impl Vulkan {
    /// Opens the first device of the driver that the environment selects.
    ///
    /// # Errors
    /// No device, or one without Vulkan 1.3.
    pub fn open() -> Result<Self> {
        // SAFETY: the loader is Vulkan's own; every structure below outlives the call that reads
        // it.
        unsafe {
            let entry = ash::Entry::load()?;
            let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
            let create = vk::InstanceCreateInfo::default().application_info(&app);
            let instance = entry.create_instance(&create, None)?;
            let physical = instance.enumerate_physical_devices()?.into_iter().next();
            let physical = physical.ok_or("the driver has no device")?;
            let mut driver = vk::PhysicalDeviceDriverProperties::default();
            let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut driver);
            instance.get_physical_device_properties2(physical, &mut properties);
            let kind = properties.properties.device_type;
            let name = properties.properties.device_name_as_c_str()?.to_string_lossy().into_owned();
            let driver_name = driver.driver_name_as_c_str()?.to_string_lossy().into_owned();
            let driver_info = driver.driver_info_as_c_str()?.to_string_lossy().into_owned();
            let extension = ash::khr::pipeline_executable_properties::NAME;
            let reports = instance
                .enumerate_device_extension_properties(physical)?
                .iter()
                .any(|known| known.extension_name_as_c_str().is_ok_and(|name| name == extension));
            let extensions = if reports { vec![extension.as_ptr()] } else { Vec::new() };
            let priorities = [1.0];
            let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
            let features = vk::PhysicalDeviceFeatures::default().shader_clip_distance(true);
            let mut rendering = vk::PhysicalDeviceVulkan13Features::default().dynamic_rendering(true);
            let mut statistics = vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default()
                .pipeline_executable_info(true);
            let mut create = vk::DeviceCreateInfo::default()
                .queue_create_infos(&queues)
                .enabled_extension_names(&extensions)
                .enabled_features(&features)
                .push_next(&mut rendering);
            if reports {
                create = create.push_next(&mut statistics);
            }
            let device = instance.create_device(physical, &create, None)?;
            let statistics =
                reports.then(|| ash::khr::pipeline_executable_properties::Device::new(&instance, &device));
            Ok(Self {
                queue: device.get_device_queue(0, 0),
                memory: instance.get_physical_device_memory_properties(physical),
                about: About {
                    device: name,
                    driver: format!("{driver_name} {driver_info}"),
                    is_cpu: kind == vk::PhysicalDeviceType::CPU,
                },
                device,
                statistics,
                _loaded: (entry, instance),
            })
        }
    }

    /// Prepares a module, which must be valid.
    ///
    /// # Errors
    /// No vertex stage; errors of the driver.
    pub fn subject(&self, words: Vec<u32>) -> Result<Subject> {
        let interface = Interface::read(&words)?;
        let fragment = interface.fragment_stage()?;
        let mut bindings: BTreeMap<u32, Vec<vk::DescriptorSetLayoutBinding<'_>>> = BTreeMap::new();
        for buffer in &interface.buffers {
            let binding = vk::DescriptorSetLayoutBinding::default()
                .binding(buffer.binding)
                .descriptor_type(kind(buffer.is_storage))
                .descriptor_count(1)
                .stage_flags(vk::ShaderStageFlags::VERTEX);
            bindings.entry(buffer.set).or_default().push(binding);
        }
        let last = bindings.keys().next_back().copied();
        let ranges = [vk::PushConstantRange::default().stage_flags(vk::ShaderStageFlags::VERTEX).size(128)];
        // SAFETY: all structures outlive their calls.
        let (sets, layout) = unsafe {
            let mut sets = Vec::new();
            for set in 0..last.map_or(0, |last| last + 1) {
                let bindings = bindings.remove(&set).unwrap_or_default();
                let create = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
                sets.push(self.device.create_descriptor_set_layout(&create, None)?);
            }
            let create = vk::PipelineLayoutCreateInfo::default();
            let create = create.set_layouts(&sets).push_constant_ranges(&ranges);
            let layout = self.device.create_pipeline_layout(&create, None)?;
            (sets, layout)
        };
        let entry = CString::new(interface.entry.clone())?;
        Ok(Subject { vertex: words, fragment, interface, entry, sets, layout })
    }

    /// Creates the modules and the pipeline of a subject, as hosts do for a program that they meet
    /// for the first time.
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn pipeline(&self, subject: &Subject, triangles: Triangles) -> Result<Pipeline> {
        // SAFETY: the words are valid modules, by the contract of `subject`.
        let modules = unsafe { [self.module(&subject.vertex)?, self.module(&subject.fragment)?] };
        // SAFETY: the modules are of this device and live until the call ends.
        let pipeline = unsafe { self.pipeline_of(subject, modules, triangles) };
        for module in modules {
            // SAFETY: pipelines do not refer to modules once they exist.
            unsafe { self.device.destroy_shader_module(module, None) };
        }
        pipeline
    }

    /// Ends a pipeline.
    pub fn destroy(&self, pipeline: Pipeline) {
        // SAFETY: every draw is finished when `draw` returns, and the value is gone.
        unsafe { self.device.destroy_pipeline(pipeline.0, None) };
    }

    /// Creates a shader module.
    ///
    /// # Safety
    /// The words are a valid module.
    unsafe fn module(&self, words: &[u32]) -> Result<vk::ShaderModule> {
        let create = vk::ShaderModuleCreateInfo::default().code(words);
        // SAFETY: guaranteed by the caller.
        Ok(unsafe { self.device.create_shader_module(&create, None) }?)
    }

    /// Creates the graphics pipeline.
    ///
    /// # Safety
    /// The handles are of this device.
    unsafe fn pipeline_of(
        &self,
        subject: &Subject,
        [vertex, fragment]: [vk::ShaderModule; 2],
        triangles: Triangles,
    ) -> Result<Pipeline> {
        let stage = |stage, module, name| {
            vk::PipelineShaderStageCreateInfo::default().stage(stage).module(module).name(name)
        };
        let stages = [
            stage(vk::ShaderStageFlags::VERTEX, vertex, &*subject.entry),
            stage(vk::ShaderStageFlags::FRAGMENT, fragment, c"main"),
        ];
        let attributes = attributes(&subject.interface);
        let stride = 16 * attributes.len() as u32;
        let buffers = [vk::VertexInputBindingDescription::default().stride(stride)];
        let mut input = vk::PipelineVertexInputStateCreateInfo::default();
        if !attributes.is_empty() {
            input = input.vertex_binding_descriptions(&buffers).vertex_attribute_descriptions(&attributes);
        }
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
            .topology(vk::PrimitiveTopology::TRIANGLE_LIST);
        let side = SIZE as f32;
        let viewports =
            [vk::Viewport { x: 0.0, y: 0.0, width: side, height: side, min_depth: 0.0, max_depth: 1.0 }];
        let scissors = [area()];
        let viewport =
            vk::PipelineViewportStateCreateInfo::default().viewports(&viewports).scissors(&scissors);
        let raster = vk::PipelineRasterizationStateCreateInfo::default();
        let raster = raster.line_width(1.0).cull_mode(match triangles {
            Triangles::Drawn => vk::CullModeFlags::NONE,
            Triangles::Culled => vk::CullModeFlags::FRONT_AND_BACK,
        });
        let samples = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(vk::SampleCountFlags::TYPE_1);
        let blends =
            [vk::PipelineColorBlendAttachmentState::default()
                .color_write_mask(vk::ColorComponentFlags::RGBA)];
        let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blends);
        let formats = [FORMAT];
        let mut rendering = vk::PipelineRenderingCreateInfo::default().color_attachment_formats(&formats);
        let capture = vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR;
        let flags = self.statistics.as_ref().map(|_| capture).unwrap_or_default();
        let create = vk::GraphicsPipelineCreateInfo::default()
            .flags(flags)
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&samples)
            .color_blend_state(&blend)
            .layout(subject.layout)
            .push_next(&mut rendering);
        // SAFETY: all structures outlive the call.
        let made =
            unsafe { self.device.create_graphics_pipelines(vk::PipelineCache::null(), &[create], None) };
        Ok(Pipeline(made.map_err(|(_, error)| error)?[0]))
    }

    /// Returns the statistics of a pipeline's vertex stage in the driver's order, or an
    /// empty list if the driver reports none.
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn statistics(&self, pipeline: &Pipeline) -> Result<Vec<(String, u64)>> {
        let Some(extension) = &self.statistics else { return Ok(Vec::new()) };
        let info = vk::PipelineInfoKHR::default().pipeline(pipeline.0);
        // SAFETY: the pipeline is of this device and was created to capture statistics.
        let executables = unsafe { extension.get_pipeline_executable_properties(&info)? };
        let is_vertex = |executable: &vk::PipelineExecutablePropertiesKHR<'_>| {
            executable.stages.contains(vk::ShaderStageFlags::VERTEX)
        };
        let vertex = executables.iter().position(is_vertex).ok_or("the driver lists no vertex stage")?;
        let info =
            vk::PipelineExecutableInfoKHR::default().pipeline(pipeline.0).executable_index(vertex as u32);
        // SAFETY: as above; the index is one of those listed.
        let statistics = unsafe { extension.get_pipeline_executable_statistics(&info)? };
        let mut all = Vec::new();
        for statistic in &statistics {
            let name = statistic.name_as_c_str()?.to_string_lossy().into_owned();
            if statistic.format == vk::PipelineExecutableStatisticFormatKHR::UINT64 {
                // SAFETY: the format says which field of the union was written.
                all.push((name, unsafe { statistic.value.u64 }));
            }
        }
        Ok(all)
    }

    /// Records `draws` draws of all vertices with the subject's attributes, `contents` in its first
    /// buffers and zeros in the others.
    ///
    /// # Errors
    /// No mappable memory; errors of the driver.
    pub fn drawing(
        &self,
        subject: &Subject,
        pipeline: &Pipeline,
        contents: &[Vec<u8>],
        vertices: &[[[f32; 4]; 16]],
        draws: u32,
    ) -> Result<Drawing> {
        let inputs = &subject.interface.inputs;
        let numbers = vertices
            .iter()
            .flat_map(|vertex| inputs.iter().flat_map(|input| vertex[input.location as usize % 16]));
        let bytes: Vec<u8> = numbers.flat_map(|x| x.to_bits().to_le_bytes()).collect();
        let attributes = self.buffer(&bytes, 16, vk::BufferUsageFlags::VERTEX_BUFFER)?;
        let sets = self.descriptors(subject, contents)?;
        let (image, view) = self.target()?;
        let transition = [vk::ImageMemoryBarrier::default()
            .dst_access_mask(vk::AccessFlags::COLOR_ATTACHMENT_WRITE)
            .new_layout(vk::ImageLayout::GENERAL)
            .image(image)
            .subresource_range(entire())];
        let graphics = vk::PipelineBindPoint::GRAPHICS;
        // SAFETY: all handles are of this device and live until the process ends, except the
        // pipeline, which the caller keeps; the specification gives the order of commands.
        unsafe {
            let pool = self.device.create_command_pool(&Default::default(), None)?;
            let allocate =
                vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
            let commands = self.device.allocate_command_buffers(&allocate)?[0];
            self.device.begin_command_buffer(commands, &Default::default())?;
            let targets = [vk::RenderingAttachmentInfo::default()
                .image_view(view)
                .image_layout(vk::ImageLayout::GENERAL)
                .load_op(vk::AttachmentLoadOp::CLEAR)];
            let rendering =
                vk::RenderingInfo::default().render_area(area()).layer_count(1).color_attachments(&targets);
            self.device.cmd_pipeline_barrier(
                commands,
                vk::PipelineStageFlags::TOP_OF_PIPE,
                vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT,
                vk::DependencyFlags::empty(),
                &[],
                &[],
                &transition,
            );
            self.device.cmd_begin_rendering(commands, &rendering);
            self.device.cmd_bind_pipeline(commands, graphics, pipeline.0);
            if !sets.is_empty() {
                self.device.cmd_bind_descriptor_sets(commands, graphics, subject.layout, 0, &sets, &[]);
            }
            self.device.cmd_bind_vertex_buffers(commands, 0, &[attributes], &[0]);
            for _ in 0..draws {
                self.device.cmd_draw(commands, vertices.len() as u32, 1, 0, 0);
            }
            self.device.cmd_end_rendering(commands);
            self.device.end_command_buffer(commands)?;
            Ok(Drawing { commands })
        }
    }

    /// Executes a recorded draw and waits until it ends.
    ///
    /// # Errors
    /// Errors of the driver.
    pub fn draw(&self, drawing: &Drawing) -> Result<()> {
        let commands = [drawing.commands];
        let submit = vk::SubmitInfo::default().command_buffers(&commands);
        // SAFETY: the commands are recorded completely and no earlier submission is running.
        unsafe {
            self.device.queue_submit(self.queue, &[submit], vk::Fence::null())?;
            Ok(self.device.queue_wait_idle(self.queue)?)
        }
    }

    /// Creates a buffer with this content, padded with zeros to its size.
    fn buffer(&self, bytes: &[u8], size: u64, usage: vk::BufferUsageFlags) -> Result<vk::Buffer> {
        let size = size.max(bytes.len() as u64);
        let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        // SAFETY: the memory is as large as the buffer requires and mapped completely, and `bytes`
        // fits into it.
        unsafe {
            let create = vk::BufferCreateInfo::default().size(size).usage(usage);
            let buffer = self.device.create_buffer(&create, None)?;
            let memory = self.allocate(self.device.get_buffer_memory_requirements(buffer), wanted)?;
            self.device.bind_buffer_memory(buffer, memory, 0)?;
            let mapped = self.device.map_memory(memory, 0, vk::WHOLE_SIZE, Default::default())?.cast::<u8>();
            mapped.write_bytes(0, size as usize);
            mapped.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            self.device.unmap_memory(memory);
            Ok(buffer)
        }
    }

    fn allocate(
        &self,
        needs: vk::MemoryRequirements,
        wanted: vk::MemoryPropertyFlags,
    ) -> Result<vk::DeviceMemory> {
        let fits = |&index: &u32| {
            let kind = self.memory.memory_types[index as usize];
            needs.memory_type_bits >> index & 1 != 0 && kind.property_flags.contains(wanted)
        };
        let kind = (0..self.memory.memory_type_count).find(fits).ok_or("no memory of the needed kind")?;
        let allocate = vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(kind);
        // SAFETY: the structure outlives the call.
        Ok(unsafe { self.device.allocate_memory(&allocate, None)? })
    }

    /// Creates the descriptor sets of a subject.
    fn descriptors(&self, subject: &Subject, contents: &[Vec<u8>]) -> Result<Vec<vk::DescriptorSet>> {
        if subject.sets.is_empty() {
            return Ok(Vec::new());
        }
        let count = subject.interface.buffers.len().max(1) as u32;
        let sizes = [false, true]
            .map(|is_storage| vk::DescriptorPoolSize::default().ty(kind(is_storage)).descriptor_count(count));
        let create =
            vk::DescriptorPoolCreateInfo::default().max_sets(subject.sets.len() as u32).pool_sizes(&sizes);
        // SAFETY: all structures outlive their calls; the sets are not in use yet.
        let sets = unsafe {
            let pool = self.device.create_descriptor_pool(&create, None)?;
            let allocate = vk::DescriptorSetAllocateInfo::default();
            let allocate = allocate.descriptor_pool(pool).set_layouts(&subject.sets);
            self.device.allocate_descriptor_sets(&allocate)?
        };
        for (number, buffer) in subject.interface.buffers.iter().enumerate() {
            let usage = vk::BufferUsageFlags::UNIFORM_BUFFER | vk::BufferUsageFlags::STORAGE_BUFFER;
            let content = contents.get(number).map_or(&[][..], Vec::as_slice);
            let filled = self.buffer(content, BUFFER, usage)?;
            let buffers = [vk::DescriptorBufferInfo::default().buffer(filled).range(vk::WHOLE_SIZE)];
            let write = vk::WriteDescriptorSet::default()
                .dst_set(sets[buffer.set as usize])
                .dst_binding(buffer.binding)
                .descriptor_type(kind(buffer.is_storage))
                .buffer_info(&buffers);
            // SAFETY: as above.
            unsafe { self.device.update_descriptor_sets(&[write], &[]) };
        }
        Ok(sets)
    }

    /// Creates the target of draws.
    fn target(&self) -> Result<(vk::Image, vk::ImageView)> {
        let create = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(FORMAT)
            .extent(vk::Extent3D { width: SIZE, height: SIZE, depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(vk::ImageUsageFlags::COLOR_ATTACHMENT);
        // SAFETY: the image has memory before its view is created.
        unsafe {
            let image = self.device.create_image(&create, None)?;
            let needs = self.device.get_image_memory_requirements(image);
            let memory = self.allocate(needs, vk::MemoryPropertyFlags::empty())?;
            self.device.bind_image_memory(image, memory, 0)?;
            let create = vk::ImageViewCreateInfo::default()
                .image(image)
                .view_type(vk::ImageViewType::TYPE_2D)
                .format(FORMAT)
                .subresource_range(entire());
            Ok((image, self.device.create_image_view(&create, None)?))
        }
    }
}

fn kind(is_storage: bool) -> vk::DescriptorType {
    if is_storage { vk::DescriptorType::STORAGE_BUFFER } else { vk::DescriptorType::UNIFORM_BUFFER }
}

fn area() -> vk::Rect2D {
    vk::Rect2D { offset: Default::default(), extent: vk::Extent2D { width: SIZE, height: SIZE } }
}

/// The only part of the target.
fn entire() -> vk::ImageSubresourceRange {
    let range = vk::ImageSubresourceRange::default().aspect_mask(vk::ImageAspectFlags::COLOR);
    range.level_count(1).layer_count(1)
}

/// Attributes of four components each, in the order of the interface.
fn attributes(interface: &Interface) -> Vec<vk::VertexInputAttributeDescription> {
    let attribute = |(number, input): (u32, &super::interface::Port)| {
        let format = match input.scalar {
            Scalar::Float => vk::Format::R32G32B32A32_SFLOAT,
            Scalar::Int => vk::Format::R32G32B32A32_SINT,
            Scalar::Uint => vk::Format::R32G32B32A32_UINT,
        };
        vk::VertexInputAttributeDescription::default()
            .location(input.location)
            .format(format)
            .offset(16 * number)
    };
    (0..).zip(&interface.inputs).map(attribute).collect()
}
