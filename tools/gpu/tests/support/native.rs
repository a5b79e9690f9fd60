//! Direct Vulkan, for features that wgpu lacks: a pipeline with a geometry stage, whose vertices
//! transform feedback captures.
//! In: SPIR-V of both stages, vertices, uniform blocks. Out: the vertices of all triangles, as
//! words.
//! All `unsafe` of the tests is here; objects on the device live until the process ends.
#![allow(unsafe_code, reason = "the functions of Vulkan are not safe")]

use std::ptr;

use ash::vk;

/// Uniform blocks: one for each stage.
pub const BLOCKS: usize = 2;
/// Bytes of a vertex's registers.
const STRIDE: u32 = 256;

/// Input of a draw.
pub struct Job<'a> {
    /// The vertex stage.
    pub vertex: &'a [u32],
    /// The geometry stage, with transform feedback of its outputs into buffer 0.
    pub geometry: &'a [u32],
    /// v0..v15 of the vertices.
    pub vertices: &'a [[[f32; 4]; 16]],
    /// Registers that are attributes; the location is the register number.
    pub attributes: &'a [u8],
    /// Primitive topology of the vertices.
    pub topology: vk::PrimitiveTopology,
    /// Content of the uniform blocks; block n is binding n in set 0.
    pub blocks: [&'a [u8]; BLOCKS],
    /// Capacity of the feedback buffer in bytes.
    pub room: u64,
}

/// A device with geometry stages and transform feedback.
pub struct Native {
    device: ash::Device,
    feedback: ash::ext::transform_feedback::Device,
    queue: vk::Queue,
    memory: vk::PhysicalDeviceMemoryProperties,
    /// Keep the library and the instance loaded.
    _loaded: (ash::Entry, ash::Instance),
}

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// A buffer in host-visible memory.
struct Buffer {
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    mapped: *mut u8,
}

impl Native {
    /// Opens the first device with the required features.
    pub fn open() -> Result<Self> {
        // SAFETY: the loader is Vulkan's own; every structure below outlives the call that reads
        // it.
        unsafe {
            let entry = ash::Entry::load()?;
            let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
            let instance =
                entry.create_instance(&vk::InstanceCreateInfo::default().application_info(&app), None)?;
            let extension = ash::ext::transform_feedback::NAME;
            let can = |device: &vk::PhysicalDevice| {
                let features = instance.get_physical_device_features(*device);
                let extensions = instance.enumerate_device_extension_properties(*device).unwrap_or_default();
                let mut names = extensions.iter().filter_map(|known| known.extension_name_as_c_str().ok());
                features.geometry_shader == vk::TRUE && names.any(|name| name == extension)
            };
            let physical = instance.enumerate_physical_devices()?.into_iter().find(can);
            let physical = physical.ok_or("no device with geometry stages and transform feedback")?;
            let priorities = [1.0];
            let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
            let features = vk::PhysicalDeviceFeatures::default().geometry_shader(true);
            let mut rendering = vk::PhysicalDeviceVulkan13Features::default().dynamic_rendering(true);
            let mut feedback =
                vk::PhysicalDeviceTransformFeedbackFeaturesEXT::default().transform_feedback(true);
            let extensions = [extension.as_ptr()];
            let create = vk::DeviceCreateInfo::default()
                .queue_create_infos(&queues)
                .enabled_extension_names(&extensions)
                .enabled_features(&features)
                .push_next(&mut rendering)
                .push_next(&mut feedback);
            let device = instance.create_device(physical, &create, None)?;
            Ok(Self {
                queue: device.get_device_queue(0, 0),
                feedback: ash::ext::transform_feedback::Device::new(&instance, &device),
                memory: instance.get_physical_device_memory_properties(physical),
                device,
                _loaded: (entry, instance),
            })
        }
    }

    /// Creates a buffer with this content, padded with zeros to its size.
    fn buffer(&self, bytes: &[u8], size: u64, usage: vk::BufferUsageFlags) -> Result<Buffer> {
        let size = size.max(bytes.len() as u64).max(16);
        let wanted = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        // SAFETY: the memory is as large as the buffer requires and mapped completely, and `bytes`
        // fits into it.
        unsafe {
            let create = vk::BufferCreateInfo::default().size(size).usage(usage);
            let buffer = self.device.create_buffer(&create, None)?;
            let needs = self.device.get_buffer_memory_requirements(buffer);
            let fits = |&index: &u32| {
                let kind = self.memory.memory_types[index as usize];
                needs.memory_type_bits >> index & 1 != 0 && kind.property_flags.contains(wanted)
            };
            let kind = (0..self.memory.memory_type_count).find(fits).ok_or("no memory that the host sees")?;
            let allocate =
                vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(kind);
            let memory = self.device.allocate_memory(&allocate, None)?;
            self.device.bind_buffer_memory(buffer, memory, 0)?;
            let mapped = self.device.map_memory(memory, 0, vk::WHOLE_SIZE, Default::default())?.cast::<u8>();
            mapped.write_bytes(0, size as usize);
            mapped.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            Ok(Buffer { buffer, memory, mapped })
        }
    }

    /// Draws and returns the vertices that the geometry stage emitted.
    pub fn run(&self, job: &Job<'_>) -> Result<Vec<u32>> {
        let numbers = job.vertices.iter().flatten().flatten();
        let bytes: Vec<u8> = numbers.flat_map(|x| x.to_bits().to_le_bytes()).collect();
        let vertices = self.buffer(&bytes, 0, vk::BufferUsageFlags::VERTEX_BUFFER)?;
        let [first, second] =
            job.blocks.map(|block| self.buffer(block, 0, vk::BufferUsageFlags::UNIFORM_BUFFER));
        let blocks = [first?, second?];
        let usage = vk::BufferUsageFlags::TRANSFORM_FEEDBACK_BUFFER_EXT;
        let captured = self.buffer(&[], job.room, usage)?;
        let usage = vk::BufferUsageFlags::TRANSFORM_FEEDBACK_COUNTER_BUFFER_EXT;
        let counter = self.buffer(&[], 4, usage)?;
        // SAFETY: handles are of this device and live until the queue is idle; the counter holds
        // the number of bytes written to the mapped memory, at most `room`.
        unsafe {
            let (set_layout, set) = self.descriptors(&blocks)?;
            let layouts = [set_layout];
            let create = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
            let layout = self.device.create_pipeline_layout(&create, None)?;
            let modules = [self.module(job.vertex)?, self.module(job.geometry)?];
            let pipeline = self.pipeline(job, layout, modules)?;
            let pool = self.device.create_command_pool(&Default::default(), None)?;
            let allocate =
                vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
            let commands = self.device.allocate_command_buffers(&allocate)?[0];
            self.record(
                commands,
                job,
                &Drawing {
                    pipeline,
                    layout,
                    set,
                    vertices: &vertices,
                    captured: &captured,
                    counter: &counter,
                },
            )?;
            let submit = [commands];
            let submit = vk::SubmitInfo::default().command_buffers(&submit);
            self.device.queue_submit(self.queue, &[submit], vk::Fence::null())?;
            self.device.device_wait_idle()?;
            let written = u64::from(counter.mapped.cast::<u32>().read()).min(job.room);
            let words =
                std::slice::from_raw_parts(captured.mapped.cast::<u32>(), written as usize / 4).to_vec();
            for buffer in [vertices, captured, counter].into_iter().chain(blocks) {
                self.device.destroy_buffer(buffer.buffer, None);
                self.device.free_memory(buffer.memory, None);
            }
            self.device.destroy_pipeline(pipeline, None);
            modules.into_iter().for_each(|module| self.device.destroy_shader_module(module, None));
            Ok(words)
        }
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

    /// Creates the descriptor set of the uniform blocks.
    ///
    /// # Safety
    /// The buffers live as long as the set is used.
    unsafe fn descriptors(&self, blocks: &[Buffer]) -> Result<(vk::DescriptorSetLayout, vk::DescriptorSet)> {
        let ty = vk::DescriptorType::UNIFORM_BUFFER;
        let stages = vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::GEOMETRY;
        let one = vk::DescriptorSetLayoutBinding::default().descriptor_type(ty).descriptor_count(1);
        let bindings: Vec<_> =
            (0..BLOCKS as u32).map(|binding| one.binding(binding).stage_flags(stages)).collect();
        let sizes = [vk::DescriptorPoolSize::default().ty(ty).descriptor_count(BLOCKS as u32)];
        // SAFETY: all structures outlive their calls.
        unsafe {
            let create = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            let layout = self.device.create_descriptor_set_layout(&create, None)?;
            let create = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
            let pool = self.device.create_descriptor_pool(&create, None)?;
            let layouts = [layout];
            let allocate =
                vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
            let set = self.device.allocate_descriptor_sets(&allocate)?[0];
            for (binding, block) in (0..).zip(blocks) {
                let buffers =
                    [vk::DescriptorBufferInfo::default().buffer(block.buffer).range(vk::WHOLE_SIZE)];
                let write = vk::WriteDescriptorSet::default().dst_set(set).dst_binding(binding);
                let write = write.descriptor_type(ty).buffer_info(&buffers);
                self.device.update_descriptor_sets(&[write], &[]);
            }
            Ok((layout, set))
        }
    }

    /// Creates the graphics pipeline.
    ///
    /// # Safety
    /// The handles are of this device.
    unsafe fn pipeline(
        &self,
        job: &Job<'_>,
        layout: vk::PipelineLayout,
        [vertex, geometry]: [vk::ShaderModule; 2],
    ) -> Result<vk::Pipeline> {
        let stage = |stage, module| {
            vk::PipelineShaderStageCreateInfo::default().stage(stage).module(module).name(c"main")
        };
        let stages =
            [stage(vk::ShaderStageFlags::VERTEX, vertex), stage(vk::ShaderStageFlags::GEOMETRY, geometry)];
        let buffers = [vk::VertexInputBindingDescription::default().stride(STRIDE)];
        let attributes: Vec<_> = job
            .attributes
            .iter()
            .map(|&register| {
                let location = u32::from(register);
                vk::VertexInputAttributeDescription::default()
                    .location(location)
                    .format(vk::Format::R32G32B32A32_SFLOAT)
                    .offset(16 * location)
            })
            .collect();
        let input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&buffers)
            .vertex_attribute_descriptions(&attributes);
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(job.topology);
        let raster = vk::PipelineRasterizationStateCreateInfo::default()
            .line_width(1.0)
            .rasterizer_discard_enable(true);
        let mut rendering = vk::PipelineRenderingCreateInfo::default();
        let create = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .rasterization_state(&raster)
            .layout(layout)
            .push_next(&mut rendering);
        // SAFETY: all structures outlive the call.
        let made =
            unsafe { self.device.create_graphics_pipelines(vk::PipelineCache::null(), &[create], None) };
        Ok(made.map_err(|(_, error)| error)?[0])
    }

    /// Records the draw.
    ///
    /// # Safety
    /// The handles are of this device and live until the commands were executed.
    unsafe fn record(&self, commands: vk::CommandBuffer, job: &Job<'_>, drawing: &Drawing<'_>) -> Result<()> {
        let (device, feedback) = (&self.device, self.feedback.fp());
        let graphics = vk::PipelineBindPoint::GRAPHICS;
        let area = vk::Rect2D { offset: Default::default(), extent: vk::Extent2D { width: 1, height: 1 } };
        let (counters, count) = ([drawing.counter.buffer], job.vertices.len() as u32);
        // SAFETY: guaranteed by the caller; the order of commands is that of the specification.
        unsafe {
            device.begin_command_buffer(commands, &Default::default())?;
            let rendering = vk::RenderingInfo::default().render_area(area).layer_count(1);
            device.cmd_begin_rendering(commands, &rendering);
            device.cmd_bind_pipeline(commands, graphics, drawing.pipeline);
            device.cmd_bind_descriptor_sets(commands, graphics, drawing.layout, 0, &[drawing.set], &[]);
            device.cmd_bind_vertex_buffers(commands, 0, &[drawing.vertices.buffer], &[0]);
            let captured = [drawing.captured.buffer];
            let (offsets, sizes) = ([0], [job.room]);
            (feedback.cmd_bind_transform_feedback_buffers_ext)(
                commands,
                0,
                1,
                captured.as_ptr(),
                offsets.as_ptr(),
                sizes.as_ptr(),
            );
            (feedback.cmd_begin_transform_feedback_ext)(commands, 0, 0, ptr::null(), ptr::null());
            device.cmd_draw(commands, count, 1, 0, 0);
            (feedback.cmd_end_transform_feedback_ext)(commands, 0, 1, counters.as_ptr(), offsets.as_ptr());
            device.cmd_end_rendering(commands);
            device.end_command_buffer(commands)?;
        }
        Ok(())
    }
}

/// Handles that the commands refer to.
struct Drawing<'a> {
    pipeline: vk::Pipeline,
    layout: vk::PipelineLayout,
    set: vk::DescriptorSet,
    vertices: &'a Buffer,
    captured: &'a Buffer,
    counter: &'a Buffer,
}
