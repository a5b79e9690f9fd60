// Compute dispatches on Vulkan: as much as draws with a geometry program need.

#pragma once

#if !__has_include(<vulkan/vulkan.h>)
#error "Vulkan's headers are missing; install them with: sudo apt-get install -y libvulkan-dev"
#endif
#include <vulkan/vulkan.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace compute {

// A device with a queue, and the commands of one submission.
class Device {
public:
    Device();
    ~Device();
    Device(const Device &) = delete;
    Device &operator=(const Device &) = delete;

    // Begins new commands. The last ones have ended.
    void begin();
    // Submits the commands and waits for their end.
    void submit();
    // Dispatches and copies after this see what those before it wrote.
    void barrier();

    VkDevice device = VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    VkDescriptorPool sets = VK_NULL_HANDLE;

private:
    friend class Buffer;
    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    VkQueue queue = VK_NULL_HANDLE;
    VkCommandPool pool = VK_NULL_HANDLE;
};

// A buffer that the processor sees. It grows, and draws use it again.
class Buffer {
public:
    explicit Buffer(Device &device) : device(device) {}
    ~Buffer() { free(); }
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;

    // Makes room for at least this many bytes; the contents are lost if it grows.
    void reserve(std::uint64_t bytes);
    void write(const void *from, std::size_t bytes);
    const void *data() const { return mapped; }

    VkBuffer buffer = VK_NULL_HANDLE;

private:
    void free();

    Device &device;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    void *mapped = nullptr;
    std::uint64_t size = 0;
};

// A compute pipeline; binding n of set 0 is of type n.
class Pipeline {
public:
    Pipeline(Device &device, const std::uint32_t *words, std::size_t count, std::vector<VkDescriptorType> types);
    ~Pipeline();
    Pipeline(const Pipeline &) = delete;
    Pipeline &operator=(const Pipeline &) = delete;

    void dispatch(const std::vector<const Buffer *> &buffers, const std::uint32_t (&groups)[3]) const;
    // Takes the numbers of workgroups from a buffer.
    void dispatch(const std::vector<const Buffer *> &buffers, const Buffer &groups, std::uint64_t offset) const;

private:
    void bind(const std::vector<const Buffer *> &buffers) const;

    Device &device;
    std::vector<VkDescriptorType> types;
    VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    VkPipeline pipeline = VK_NULL_HANDLE;
};

} // namespace compute
