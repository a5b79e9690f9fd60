//! Direct Vulkan, for features that wgpu lacks: a pipeline with a geometry stage, whose vertices
//! transform feedback captures, or whose triangles become a picture of floats.
//! In: SPIR-V of the stages, vertices, uniform blocks. Out: the vertices of all triangles, as
//! words; or the pixels.
//! All `unsafe` of the tests is here; objects on the device live until the process ends.
#![allow(unsafe_code, reason = "the functions of Vulkan are not safe")]

use std::ptr;

use ash::vk;

/// Uniform blocks: one for each stage.
pub const BLOCKS: usize = 2;
/// Bytes of a vertex's registers.
const STRIDE: u32 = 256;
/// Width and height of a picture in pixels.
pub const SIZE: u32 = 128;
/// Format of the pixels: what the fragment stage writes, without rounding.
const PIXEL: vk::Format = vk::Format::R32G32B32A32_SFLOAT;

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

/// Input of a picture: a list of triangles.
pub struct Picture<'a> {
    /// The vertex stage.
    pub vertex: &'a [u32],
    /// The geometry stage, if there is one.
    pub geometry: Option<&'a [u32]>,
    /// The fragment stage; its output 0 is the pixel.
    pub fragment: &'a [u32],
    /// v0..v15 of the vertices.
    pub vertices: &'a [[[f32; 4]; 16]],
    /// Registers that are attributes; the location is the register number.
    pub attributes: &'a [u8],
    /// Content of the uniform blocks; block n is binding n in set 0.
    pub blocks: [&'a [u8]; BLOCKS],
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
                let known = [features.geometry_shader, features.shader_clip_distance] == [vk::TRUE; 2];
                known && names.any(|name| name == extension)
            };
            let physical = instance.enumerate_physical_devices()?.into_iter().find(can);
            let physical = physical.ok_or("no device with geometry stages and transform feedback")?;
            let priorities = [1.0];
            let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
            let features =
                vk::PhysicalDeviceFeatures::default().geometry_shader(true).shader_clip_distance(true);
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

    fn vertices(&self, vertices: &[[[f32; 4]; 16]]) -> Result<Buffer> {
        let numbers = vertices.iter().flatten().flatten();
        let bytes: Vec<u8> = numbers.flat_map(|x| x.to_bits().to_le_bytes()).collect();
        self.buffer(&bytes, 0, vk::BufferUsageFlags::VERTEX_BUFFER)
    }

    fn blocks(&self, blocks: [&[u8]; BLOCKS]) -> Result<[Buffer; BLOCKS]> {
        let [first, second] = blocks.map(|block| self.buffer(block, 0, vk::BufferUsageFlags::UNIFORM_BUFFER));
        Ok([first?, second?])
    }

    /// Submits commands and waits for their end.
    ///
    /// # Safety
    /// The commands are recorded, and their objects live.
    unsafe fn submit(&self, commands: vk::CommandBuffer) -> Result<()> {
        let submit = [commands];
        let submit = vk::SubmitInfo::default().command_buffers(&submit);
        // SAFETY: guaranteed by the caller.
        unsafe {
            self.device.queue_submit(self.queue, &[submit], vk::Fence::null())?;
            Ok(self.device.device_wait_idle()?)
        }
    }

    /// Allocates a command buffer.
    fn commands(&self) -> Result<vk::CommandBuffer> {
        // SAFETY: the structures outlive their calls.
        unsafe {
            let pool = self.device.create_command_pool(&Default::default(), None)?;
            let allocate =
                vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
            Ok(self.device.allocate_command_buffers(&allocate)?[0])
        }
    }

    /// Draws a picture of [`SIZE`] × [`SIZE`] pixels, row by row. Pixels without a triangle are 0.
    pub fn picture(&self, job: &Picture<'_>) -> Result<Vec<[f32; 4]>> {
        let vertices = self.vertices(job.vertices)?;
        let blocks = self.blocks(job.blocks)?;
        let bytes = 16 * u64::from(SIZE * SIZE);
        let read = self.buffer(&[], bytes, vk::BufferUsageFlags::TRANSFER_DST)?;
        // SAFETY: handles are of this device and live until the queue is idle; the buffer holds as
        // many bytes as the picture.
        unsafe {
            let (set_layout, set) = self.descriptors(&blocks)?;
            let layouts = [set_layout];
            let create = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
            let layout = self.device.create_pipeline_layout(&create, None)?;
            let mut stages = vec![(vk::ShaderStageFlags::VERTEX, self.module(job.vertex)?)];
            if let Some(geometry) = job.geometry {
                stages.push((vk::ShaderStageFlags::GEOMETRY, self.module(geometry)?));
            }
            stages.push((vk::ShaderStageFlags::FRAGMENT, self.module(job.fragment)?));
            let topology = vk::PrimitiveTopology::TRIANGLE_LIST;
            let pipeline = self.pipeline(topology, job.attributes, layout, &stages)?;
            let (image, view) = self.image()?;
            let commands = self.commands()?;
            self.device.begin_command_buffer(commands, &Default::default())?;
            self.begin_picture(commands, image, view);
            let graphics = vk::PipelineBindPoint::GRAPHICS;
            self.device.cmd_bind_pipeline(commands, graphics, pipeline);
            self.device.cmd_bind_descriptor_sets(commands, graphics, layout, 0, &[set], &[]);
            self.device.cmd_bind_vertex_buffers(commands, 0, &[vertices.buffer], &[0]);
            self.device.cmd_draw(commands, job.vertices.len() as u32, 1, 0, 0);
            self.device.cmd_end_rendering(commands);
            self.copy_picture(commands, image, read.buffer);
            self.device.end_command_buffer(commands)?;
            self.submit(commands)?;
            let floats = std::slice::from_raw_parts(read.mapped.cast::<f32>(), bytes as usize / 4);
            let pixels = floats.as_chunks().0.to_vec();
            self.device.destroy_pipeline(pipeline, None);
            stages.into_iter().for_each(|(_, module)| self.device.destroy_shader_module(module, None));
            Ok(pixels)
        }
    }

    /// Creates the target of a picture.
    fn image(&self) -> Result<(vk::Image, vk::ImageView)> {
        // SAFETY: the structures outlive their calls, and the memory is as large as required.
        unsafe {
            let create = vk::ImageCreateInfo::default()
                .image_type(vk::ImageType::TYPE_2D)
                .format(PIXEL)
                .extent(vk::Extent3D { width: SIZE, height: SIZE, depth: 1 })
                .mip_levels(1)
                .array_layers(1)
                .samples(vk::SampleCountFlags::TYPE_1)
                .usage(vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::TRANSFER_SRC);
            let image = self.device.create_image(&create, None)?;
            let needs = self.device.get_image_memory_requirements(image);
            let kind = needs.memory_type_bits.trailing_zeros();
            let allocate =
                vk::MemoryAllocateInfo::default().allocation_size(needs.size).memory_type_index(kind);
            let memory = self.device.allocate_memory(&allocate, None)?;
            self.device.bind_image_memory(image, memory, 0)?;
            let create = vk::ImageViewCreateInfo::default()
                .image(image)
                .view_type(vk::ImageViewType::TYPE_2D)
                .format(PIXEL)
                .subresource_range(WHOLE);
            Ok((image, self.device.create_image_view(&create, None)?))
        }
    }

    /// Begins to draw into a cleared picture.
    ///
    /// # Safety
    /// The handles are of this device, and commands are recorded.
    unsafe fn begin_picture(&self, commands: vk::CommandBuffer, image: vk::Image, view: vk::ImageView) {
        let area =
            vk::Rect2D { offset: Default::default(), extent: vk::Extent2D { width: SIZE, height: SIZE } };
        let size = SIZE as f32;
        let viewport =
            vk::Viewport { x: 0.0, y: 0.0, width: size, height: size, min_depth: 0.0, max_depth: 1.0 };
        let attachments = [vk::RenderingAttachmentInfo::default()
            .image_view(view)
            .image_layout(vk::ImageLayout::GENERAL)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::STORE)];
        let rendering =
            vk::RenderingInfo::default().render_area(area).layer_count(1).color_attachments(&attachments);
        // SAFETY: guaranteed by the caller.
        unsafe {
            let writes = vk::AccessFlags::COLOR_ATTACHMENT_WRITE;
            self.barrier(commands, image, [vk::ImageLayout::UNDEFINED, vk::ImageLayout::GENERAL], writes);
            self.device.cmd_begin_rendering(commands, &rendering);
            self.device.cmd_set_viewport(commands, 0, &[viewport]);
            self.device.cmd_set_scissor(commands, 0, &[area]);
        }
    }

    /// Copies a finished picture to a buffer.
    ///
    /// # Safety
    /// The handles are of this device, and commands are recorded.
    unsafe fn copy_picture(&self, commands: vk::CommandBuffer, image: vk::Image, to: vk::Buffer) {
        let layers =
            vk::ImageSubresourceLayers::default().aspect_mask(vk::ImageAspectFlags::COLOR).layer_count(1);
        let region = vk::BufferImageCopy::default().image_subresource(layers).image_extent(vk::Extent3D {
            width: SIZE,
            height: SIZE,
            depth: 1,
        });
        // SAFETY: guaranteed by the caller.
        unsafe {
            let reads = vk::AccessFlags::TRANSFER_READ;
            self.barrier(commands, image, [vk::ImageLayout::GENERAL; 2], reads);
            self.device.cmd_copy_image_to_buffer(commands, image, vk::ImageLayout::GENERAL, to, &[region]);
        }
    }

    /// Makes a picture ready for an access.
    ///
    /// # Safety
    /// The handles are of this device, and commands are recorded.
    unsafe fn barrier(
        &self,
        commands: vk::CommandBuffer,
        image: vk::Image,
        [from, to]: [vk::ImageLayout; 2],
        access: vk::AccessFlags,
    ) {
        let barrier = vk::ImageMemoryBarrier::default()
            .image(image)
            .old_layout(from)
            .new_layout(to)
            .src_access_mask(vk::AccessFlags::COLOR_ATTACHMENT_WRITE)
            .dst_access_mask(access)
            .subresource_range(WHOLE);
        let all = vk::PipelineStageFlags::ALL_COMMANDS;
        let none = vk::DependencyFlags::empty();
        // SAFETY: guaranteed by the caller.
        unsafe { self.device.cmd_pipeline_barrier(commands, all, all, none, &[], &[], &[barrier]) }
    }

    /// Draws and returns the vertices that the geometry stage emitted.
    pub fn run(&self, job: &Job<'_>) -> Result<Vec<u32>> {
        let vertices = self.vertices(job.vertices)?;
        let blocks = self.blocks(job.blocks)?;
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
            let flags = [vk::ShaderStageFlags::VERTEX, vk::ShaderStageFlags::GEOMETRY];
            let stages: Vec<_> = flags.into_iter().zip(modules).collect();
            let pipeline = self.pipeline(job.topology, job.attributes, layout, &stages)?;
            let commands = self.commands()?;
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
            self.submit(commands)?;
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

    /// Creates the graphics pipeline. It rasterizes if there is a fragment stage.
    ///
    /// # Safety
    /// The handles are of this device.
    unsafe fn pipeline(
        &self,
        topology: vk::PrimitiveTopology,
        attributes: &[u8],
        layout: vk::PipelineLayout,
        stages: &[(vk::ShaderStageFlags, vk::ShaderModule)],
    ) -> Result<vk::Pipeline> {
        let has_picture = stages.iter().any(|(stage, _)| *stage == vk::ShaderStageFlags::FRAGMENT);
        let stage = |&(stage, module): &(vk::ShaderStageFlags, _)| {
            vk::PipelineShaderStageCreateInfo::default().stage(stage).module(module).name(c"main")
        };
        let stages: Vec<_> = stages.iter().map(stage).collect();
        let buffers = [vk::VertexInputBindingDescription::default().stride(STRIDE)];
        let attributes: Vec<_> = attributes
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
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(topology);
        let raster = vk::PipelineRasterizationStateCreateInfo::default()
            .line_width(1.0)
            .rasterizer_discard_enable(!has_picture);
        let multisample = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(vk::SampleCountFlags::TYPE_1);
        let all =
            [vk::PipelineColorBlendAttachmentState::default()
                .color_write_mask(vk::ColorComponentFlags::RGBA)];
        let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&all);
        let viewport = vk::PipelineViewportStateCreateInfo::default().viewport_count(1).scissor_count(1);
        let dynamic = [vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR];
        let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&dynamic);
        let formats = [PIXEL];
        let mut rendering = vk::PipelineRenderingCreateInfo::default();
        let create = vk::GraphicsPipelineCreateInfo::default()
            .stages(&stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .rasterization_state(&raster)
            .layout(layout);
        let create = if has_picture {
            rendering = rendering.color_attachment_formats(&formats);
            create
                .multisample_state(&multisample)
                .color_blend_state(&blend)
                .viewport_state(&viewport)
                .dynamic_state(&dynamic)
                .push_next(&mut rendering)
        } else {
            create.push_next(&mut rendering)
        };
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

/// The one layer of a picture.
const WHOLE: vk::ImageSubresourceRange = vk::ImageSubresourceRange {
    aspect_mask: vk::ImageAspectFlags::COLOR,
    base_mip_level: 0,
    level_count: 1,
    base_array_layer: 0,
    layer_count: 1,
};

/// Handles that the commands refer to.
struct Drawing<'a> {
    pipeline: vk::Pipeline,
    layout: vk::PipelineLayout,
    set: vk::DescriptorSet,
    vertices: &'a Buffer,
    captured: &'a Buffer,
    counter: &'a Buffer,
}
