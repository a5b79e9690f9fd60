#include "geometry.hpp"

#include <cstring>
#include <stdexcept>

using transpica::checked;

namespace {

constexpr VkDescriptorType STORAGE = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, UNIFORM = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
// Some drivers stop loops after 65,535 rounds: no thread runs more invocations than this in a dispatch.
constexpr std::uint32_t MOST_INVOCATIONS = 1024;
// Words of the result of the scan: vertices to draw, most triangles of a thread, whether that is too many.
constexpr std::size_t VERTICES = 0, LARGEST = 5, OVERFLOWED = 6;

std::unique_ptr<compute::Pipeline> pass(compute::Device &device, std::uint32_t number) {
    std::size_t count = 0;
    checked(transpica_pass_words(number, nullptr, &count));
    Words words(count);
    checked(transpica_pass_words(number, words.data(), &count));
    std::array<std::uint32_t, 6> uses;
    std::uint32_t use_count = 0;
    checked(transpica_pass_bindings(number, uses.data(), &use_count));
    std::vector<VkDescriptorType> types;
    for (std::uint32_t binding = 0; binding < use_count; binding++) {
        types.push_back(uses[binding] == TRANSPICA_BINDING_USE_UNIFORM ? UNIFORM : STORAGE);
    }
    return std::make_unique<compute::Pipeline>(device, words.data(), words.size(), types);
}

TranspicaSetup *setup_of(const transpica::Registers &registers) {
    TranspicaSetup *setup = nullptr;
    TranspicaResult *errors = nullptr;
    checked(transpica_setup_from_registers(registers.get(), &setup, &errors), errors);
    return setup;
}

} // namespace

GeometryDraws::GeometryDraws(transpica::Registers taken)
    : registers(std::move(taken)), setup(setup_of(registers)),
      vertex(program(TRANSPICA_STAGE_VERTEX, TRANSPICA_ENTRY_POINT_COMPUTE)),
      geometry(program(TRANSPICA_STAGE_GEOMETRY, TRANSPICA_ENTRY_POINT_GEOMETRY)), inputs(device),
      indices(device), primitives(device), feed_block(device), collect_block(device), host_block(device),
      shaded(device), feed(device), made(device), counts(device), offsets(device), result(device), list(device),
      state(device), kept(device), file(device) {
    for (std::uint32_t number = TRANSPICA_PASS_FEED; number <= TRANSPICA_PASS_COMPACT; number++) {
        passes.push_back(pass(device, number));
    }
    TRANSPICA_INIT(kernel, KERNEL);
    checked(transpica_result_kernel(geometry.result.get(), &kernel));
    Words words(kernel.state_count);
    checked(transpica_result_state(geometry.result.get(), words.data(), words.size()));
    kept.write(words.data(), 4 * words.size());
    state.reserve(2 * 4 * words.size());
    // No clip plane, y as it is.
    const std::array<std::uint32_t, 8> host = {};
    host_block.write(host.data(), sizeof host);
    // The register file: the float uniforms of the geometry unit, which this layout of the block has in one member.
    const std::vector<float> zeros(96 * 4);
    file.write(zeros.data(), 4 * zeros.size());
    for (std::size_t index = 0; index < geometry.result.figures().member_count; index++) {
        const TranspicaMember member = geometry.result.member(index);
        if (member.bank == TRANSPICA_BANK_FLOAT && member.first == 0 && member.count == 96) {
            file.write(static_cast<const std::uint8_t *>(geometry.block->data()) + member.offset, member.byte_count);
        }
    }
}

GeometryDraws::Program GeometryDraws::program(TranspicaStage stage, TranspicaEntryPoint entry_point) {
    transpica::Translator translator = new_translator();
    TranspicaJob job;
    TRANSPICA_INIT(job, JOB);
    job.entry_point = entry_point;
    job.setup = setup.get();
    TranspicaRegisterProgram chain = registers.program(stage);
    chain.head.next = &job.head;
    Program program = {translator.translate(chain.head), nullptr, std::make_unique<compute::Buffer>(device)};
    if (!program.result.is_ok()) {
        throw std::runtime_error(program.result.message());
    }
    // Bindings in order: vertices, results, block; of the geometry program also the dispatch, counts, state, host.
    std::vector<VkDescriptorType> types = {STORAGE, STORAGE, UNIFORM};
    if (entry_point == TRANSPICA_ENTRY_POINT_GEOMETRY) {
        types.insert(types.end(), {UNIFORM, STORAGE, STORAGE, UNIFORM});
    }
    const auto words = program.result.words();
    program.pipeline = std::make_unique<compute::Pipeline>(device, words.data, words.size, types);
    pack(program, stage);
    return program;
}

void GeometryDraws::pack(const Program &program, TranspicaStage stage) const {
    std::vector<std::uint8_t> block(program.result.figures().uniform_size);
    checked(transpica_registers_pack(registers.get(), stage, program.result.get(), block.data(), block.size()));
    program.block->write(block.data(), block.size());
}

GeometryDraws::Plan GeometryDraws::plan(const Words &selected, std::size_t vertex_count) const {
    TranspicaPlanRequest request = {};
    request.setup = setup.get();
    request.kernel = geometry.result.get();
    request.indices = selected.empty() ? nullptr : selected.data();
    request.index_count = selected.size();
    request.vertices = static_cast<std::uint32_t>(vertex_count);
    request.window = window;
    request.triangles = triangles;
    request.most_invocations = MOST_INVOCATIONS;
    TranspicaPlan *plan = nullptr;
    TranspicaResult *errors = nullptr;
    checked(transpica_plan_create(&request, &plan, &errors), errors);
    return Plan(plan);
}

// The uniform blocks of all dispatches of the geometry program.
std::vector<std::unique_ptr<compute::Buffer>> GeometryDraws::blocks(const Plan &plan,
                                                                    const TranspicaPlanFigures &figures) {
    std::vector<std::unique_ptr<compute::Buffer>> blocks;
    for (std::uint32_t dispatch = 0; dispatch < figures.draw_count; dispatch++) {
        std::array<std::uint32_t, 8> block;
        checked(transpica_plan_draw_block(plan.get(), dispatch, block.data()));
        blocks.push_back(std::make_unique<compute::Buffer>(device));
        blocks.back()->write(block.data(), sizeof block);
    }
    return blocks;
}

// Copies half of the state: what the next dispatch reads is at 0, what the last one wrote after it.
void GeometryDraws::copy_state(const compute::Buffer &from, VkDeviceSize from_half, const compute::Buffer &to) {
    const VkDeviceSize bytes = 4 * VkDeviceSize(kernel.state_count);
    if (bytes > 0) {
        const VkBufferCopy copy = {from_half * bytes, 0, bytes};
        vkCmdCopyBuffer(device.commands, from.buffer, to.buffer, 1, &copy);
        device.barrier();
    }
}

// Keeps what a draw leaves for the next one.
void GeometryDraws::keep_results(const TranspicaPlanFigures &figures) {
    device.begin();
    if (figures.threads > 0) {
        copy_state(state, 1, kept);
    }
    if (figures.copy_bytes > 0) {
        const VkBufferCopy copy = {figures.copy_from, figures.copy_to, figures.copy_bytes};
        vkCmdCopyBuffer(device.commands, feed.buffer, file.buffer, 1, &copy);
    }
    device.submit();
    window = figures.window;
    if (figures.invocations > 0) {
        // The first invocation sets b15.
        const std::uint32_t bools = transpica_registers_read(registers.get(), 0x280);
        transpica_registers_write(registers.get(), 0x280, bools | 1u << 15);
        pack(geometry, TRANSPICA_STAGE_GEOMETRY);
    }
}

// Runs all passes in one submission; the processor learns the number of triangles after the last.
void GeometryDraws::run(const Plan &plan, const TranspicaPlanFigures &figures) {
    const auto draws = blocks(plan, figures);
    std::vector<std::uint8_t> bytes(figures.primitive_bytes);
    checked(transpica_plan_primitives(plan.get(), bytes.data(), bytes.size()));
    primitives.write(bytes.data(), bytes.size());
    feed_block.write(figures.feed_block, sizeof figures.feed_block);
    collect_block.write(figures.collect_block, sizeof figures.collect_block);
    shaded.reserve(figures.vertex_bytes);
    feed.reserve(figures.feed_bytes);
    made.reserve(figures.triangle_bytes);
    counts.reserve(figures.count_bytes);
    offsets.reserve(figures.count_bytes);
    result.reserve(figures.result_bytes);
    list.reserve(figures.list_bytes);
    device.begin();
    copy_state(kept, 0, state);
    vertex.pipeline->dispatch({&inputs, &shaded, vertex.block.get()}, figures.vertex_groups);
    passes[TRANSPICA_PASS_FEED]->dispatch({&shaded, &feed, &feed_block, &indices, &primitives, &file},
                                          figures.pass_groups[TRANSPICA_PASS_FEED]);
    for (std::size_t dispatch = 0; dispatch < draws.size(); dispatch++) {
        if (dispatch > 0) {
            copy_state(state, 1, state);
        }
        geometry.pipeline->dispatch(
            {&feed, &made, geometry.block.get(), draws[dispatch].get(), &counts, &state, &host_block},
            figures.geometry_groups);
    }
    passes[TRANSPICA_PASS_SCAN]->dispatch({&counts, &offsets, &collect_block, &result},
                                          figures.pass_groups[TRANSPICA_PASS_SCAN]);
    passes[TRANSPICA_PASS_COMPACT]->dispatch({&made, &offsets, &result, &list, &collect_block}, result,
                                             figures.groups_offset);
    device.submit();
}

Triangles GeometryDraws::draw(const std::vector<Vertex> &vertices, const Words &selected) {
    inputs.write(vertices.data(), vertices.size() * sizeof(Vertex));
    indices.write(selected.data(), selected.size() * sizeof(std::uint32_t));
    // If a thread made more triangles than there is room for, once more with room for them.
    for (int attempt = 0; attempt < 2; attempt++) {
        const Plan planned = plan(selected, vertices.size());
        TranspicaPlanFigures figures;
        TRANSPICA_INIT(figures, PLAN_FIGURES);
        checked(transpica_plan_figures(planned.get(), &figures));
        run(planned, figures);
        std::array<std::uint32_t, 8> found;
        std::memcpy(found.data(), result.data(), sizeof found);
        if (found[OVERFLOWED] != 0) {
            triangles = found[LARGEST]; // of a thread, so enough for an invocation
            continue;
        }
        keep_results(figures);
        Triangles drawn;
        drawn.vectors = kernel.vectors;
        drawn.vertices.resize(std::size_t(found[VERTICES]) * kernel.vectors);
        if (!drawn.vertices.empty()) {
            std::memcpy(drawn.vertices.data(), list.data(), drawn.vertices.size() * sizeof drawn.vertices[0]);
        }
        return drawn;
    }
    throw std::runtime_error("a buffer has no room for the triangles");
}
