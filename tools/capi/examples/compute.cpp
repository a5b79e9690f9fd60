#include "compute.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

namespace compute {

namespace {

// Sets of one submission, and bindings of each kind in them.
constexpr std::uint32_t SETS = 1024;

void check(VkResult result, const char *what) {
    if (result != VK_SUCCESS) {
        throw std::runtime_error(std::string(what) + ": VkResult " + std::to_string(result));
    }
}

constexpr VkMemoryPropertyFlags VISIBLE = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

} // namespace

Device::Device() {
    VkApplicationInfo application = {};
    application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
    application.apiVersion = VK_API_VERSION_1_1;
    VkInstanceCreateInfo create = {};
    create.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    create.pApplicationInfo = &application;
    std::uint32_t count = 1;
    if (vkCreateInstance(&create, nullptr, &instance) != VK_SUCCESS ||
        vkEnumeratePhysicalDevices(instance, &count, &physical) < VK_SUCCESS || count == 0) {
        throw std::runtime_error(
            "no Vulkan device; install one with: sudo apt-get install -y mesa-vulkan-drivers libvulkan1");
    }
    std::uint32_t family_count = 0;
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &family_count, nullptr);
    std::vector<VkQueueFamilyProperties> families(family_count);
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &family_count, families.data());
    const auto computes = [](const auto &family) { return (family.queueFlags & VK_QUEUE_COMPUTE_BIT) != 0; };
    const auto family = std::find_if(families.begin(), families.end(), computes);
    if (family == families.end()) {
        throw std::runtime_error("the Vulkan device has no queue for compute shaders");
    }
    const float priority = 1;
    VkDeviceQueueCreateInfo queues = {};
    queues.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queues.queueFamilyIndex = static_cast<std::uint32_t>(family - families.begin());
    queues.queueCount = 1;
    queues.pQueuePriorities = &priority;
    VkPhysicalDeviceFeatures known = {}, features = {};
    vkGetPhysicalDeviceFeatures(physical, &known);
    // The preset's vertex stages have clip distances.
    features.shaderClipDistance = known.shaderClipDistance;
    VkDeviceCreateInfo made = {};
    made.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    made.queueCreateInfoCount = 1;
    made.pQueueCreateInfos = &queues;
    made.pEnabledFeatures = &features;
    check(vkCreateDevice(physical, &made, nullptr, &device), "vkCreateDevice");
    vkGetDeviceQueue(device, queues.queueFamilyIndex, 0, &queue);
    VkCommandPoolCreateInfo pools = {};
    pools.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    pools.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    pools.queueFamilyIndex = queues.queueFamilyIndex;
    check(vkCreateCommandPool(device, &pools, nullptr, &pool), "vkCreateCommandPool");
    VkCommandBufferAllocateInfo allocate = {};
    allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    allocate.commandPool = pool;
    allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    allocate.commandBufferCount = 1;
    check(vkAllocateCommandBuffers(device, &allocate, &commands), "vkAllocateCommandBuffers");
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, SETS * 4},
                                          {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, SETS * 3}};
    VkDescriptorPoolCreateInfo descriptors = {};
    descriptors.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
    descriptors.maxSets = SETS;
    descriptors.poolSizeCount = 2;
    descriptors.pPoolSizes = sizes;
    check(vkCreateDescriptorPool(device, &descriptors, nullptr, &sets), "vkCreateDescriptorPool");
}

Device::~Device() {
    vkDeviceWaitIdle(device);
    vkDestroyDescriptorPool(device, sets, nullptr);
    vkDestroyCommandPool(device, pool, nullptr);
    vkDestroyDevice(device, nullptr);
    vkDestroyInstance(instance, nullptr);
}

void Device::begin() {
    check(vkResetDescriptorPool(device, sets, 0), "vkResetDescriptorPool");
    VkCommandBufferBeginInfo begin = {};
    begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
}

void Device::submit() {
    barrier();
    check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    VkSubmitInfo submit = {};
    submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &commands;
    check(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
    check(vkQueueWaitIdle(queue), "vkQueueWaitIdle");
}

void Device::barrier() {
    VkMemoryBarrier barrier = {};
    barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    barrier.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_UNIFORM_READ_BIT |
                            VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT |
                            VK_ACCESS_INDIRECT_COMMAND_READ_BIT | VK_ACCESS_HOST_READ_BIT;
    const VkPipelineStageFlags work = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    vkCmdPipelineBarrier(commands, work, work | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                         &barrier, 0, nullptr, 0, nullptr);
}

void Buffer::free() {
    vkDestroyBuffer(device.device, buffer, nullptr);
    vkFreeMemory(device.device, memory, nullptr);
    buffer = VK_NULL_HANDLE;
    memory = VK_NULL_HANDLE;
    mapped = nullptr;
    size = 0;
}

void Buffer::reserve(std::uint64_t bytes) {
    if (bytes <= size && size > 0) {
        return;
    }
    free();
    VkBufferCreateInfo create = {};
    create.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    create.size = std::max<std::uint64_t>(bytes, 256);
    create.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                   VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                   VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    check(vkCreateBuffer(device.device, &create, nullptr, &buffer), "vkCreateBuffer");
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device.device, buffer, &needs);
    VkPhysicalDeviceMemoryProperties kinds;
    vkGetPhysicalDeviceMemoryProperties(device.physical, &kinds);
    VkMemoryAllocateInfo allocate = {};
    allocate.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    allocate.allocationSize = needs.size;
    const auto fits = [&](std::uint32_t kind) {
        return (needs.memoryTypeBits >> kind & 1) != 0 && (kinds.memoryTypes[kind].propertyFlags & VISIBLE) == VISIBLE;
    };
    // Vulkan has such a kind for every buffer.
    while (allocate.memoryTypeIndex < kinds.memoryTypeCount && !fits(allocate.memoryTypeIndex)) {
        allocate.memoryTypeIndex++;
    }
    check(vkAllocateMemory(device.device, &allocate, nullptr, &memory), "vkAllocateMemory");
    check(vkBindBufferMemory(device.device, buffer, memory, 0), "vkBindBufferMemory");
    check(vkMapMemory(device.device, memory, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
    size = create.size;
}

void Buffer::write(const void *from, std::size_t bytes) {
    reserve(bytes);
    if (bytes > 0) {
        std::memcpy(mapped, from, bytes);
    }
}

Pipeline::Pipeline(Device &device, const std::uint32_t *words, std::size_t count, std::vector<VkDescriptorType> types)
    : device(device), types(std::move(types)) {
    std::vector<VkDescriptorSetLayoutBinding> bindings;
    for (const VkDescriptorType type : this->types) {
        const auto number = static_cast<std::uint32_t>(bindings.size());
        bindings.push_back({number, type, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
    }
    VkDescriptorSetLayoutCreateInfo set = {};
    set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
    set.bindingCount = static_cast<std::uint32_t>(bindings.size());
    set.pBindings = bindings.data();
    check(vkCreateDescriptorSetLayout(device.device, &set, nullptr, &set_layout), "vkCreateDescriptorSetLayout");
    VkPipelineLayoutCreateInfo layouts = {};
    layouts.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
    layouts.setLayoutCount = 1;
    layouts.pSetLayouts = &set_layout;
    check(vkCreatePipelineLayout(device.device, &layouts, nullptr, &layout), "vkCreatePipelineLayout");
    VkShaderModuleCreateInfo code = {};
    code.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    code.codeSize = count * sizeof *words;
    code.pCode = words;
    VkShaderModule module = VK_NULL_HANDLE;
    check(vkCreateShaderModule(device.device, &code, nullptr, &module), "vkCreateShaderModule");
    VkComputePipelineCreateInfo create = {};
    create.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    create.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    create.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    create.stage.module = module;
    create.stage.pName = "main";
    create.layout = layout;
    const VkResult result =
        vkCreateComputePipelines(device.device, VK_NULL_HANDLE, 1, &create, nullptr, &pipeline);
    vkDestroyShaderModule(device.device, module, nullptr);
    check(result, "vkCreateComputePipelines");
}

Pipeline::~Pipeline() {
    vkDestroyPipeline(device.device, pipeline, nullptr);
    vkDestroyPipelineLayout(device.device, layout, nullptr);
    vkDestroyDescriptorSetLayout(device.device, set_layout, nullptr);
}

void Pipeline::bind(const std::vector<const Buffer *> &buffers) const {
    VkDescriptorSetAllocateInfo allocate = {};
    allocate.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
    allocate.descriptorPool = device.sets;
    allocate.descriptorSetCount = 1;
    allocate.pSetLayouts = &set_layout;
    VkDescriptorSet set = VK_NULL_HANDLE;
    check(vkAllocateDescriptorSets(device.device, &allocate, &set), "vkAllocateDescriptorSets");
    std::vector<VkDescriptorBufferInfo> infos;
    for (const Buffer *buffer : buffers) {
        infos.push_back({buffer->buffer, 0, VK_WHOLE_SIZE});
    }
    std::vector<VkWriteDescriptorSet> writes(infos.size());
    for (std::size_t number = 0; number < writes.size(); number++) {
        writes[number].sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
        writes[number].dstSet = set;
        writes[number].dstBinding = static_cast<std::uint32_t>(number);
        writes[number].descriptorCount = 1;
        writes[number].descriptorType = types.at(number);
        writes[number].pBufferInfo = &infos[number];
    }
    vkUpdateDescriptorSets(device.device, static_cast<std::uint32_t>(writes.size()), writes.data(), 0, nullptr);
    vkCmdBindPipeline(device.commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(device.commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
}

void Pipeline::dispatch(const std::vector<const Buffer *> &buffers, const std::uint32_t (&groups)[3]) const {
    bind(buffers);
    vkCmdDispatch(device.commands, groups[0], groups[1], groups[2]);
    device.barrier();
}

void Pipeline::dispatch(const std::vector<const Buffer *> &buffers, const Buffer &groups, std::uint64_t offset) const {
    bind(buffers);
    vkCmdDispatchIndirect(device.commands, groups.buffer, offset);
    device.barrier();
}

} // namespace compute
