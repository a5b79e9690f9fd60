// Draws with a geometry program: the programs of a register state, and the passes around them.

#pragma once

#include "compute.hpp"

#include <transpica.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

using Words = std::vector<std::uint32_t>;

// v0 to v15.
using Vertex = std::array<std::array<float, 4>, 16>;

// The vertices of a list of triangles, in vectors: one for each output.
struct Triangles {
    std::size_t vectors = 0;
    std::vector<std::array<float, 4>> vertices;
};

// `assume` is a promise about numbers that the host checks, or nothing.
inline transpica::Translator new_translator(const std::string &assume = "") {
    // One uniform buffer for all programs, clip planes and y by the host block, a guard against
    // endless loops.
    transpica::Settings settings;
    settings.preset("azahar-vulkan");
    if (!assume.empty()) {
        settings.set("assume", assume);
    }
    return transpica::Translator::create(settings);
}

// Both programs of a register state as pipelines, and the buffers of their draws.
class GeometryDraws {
public:
    explicit GeometryDraws(transpica::Registers registers);

    // Draws once. The state that the geometry program keeps goes from draw to draw.
    Triangles draw(const std::vector<Vertex> &vertices, const Words &indices);

private:
    using Plan = transpica::Plan;

    // A translated program and its pipeline.
    struct Program {
        transpica::Result result;
        std::unique_ptr<compute::Pipeline> pipeline;
        std::unique_ptr<compute::Buffer> block;
    };

    Program program(TranspicaStage stage, TranspicaEntryPoint entry_point);
    void pack(const Program &program, TranspicaStage stage) const;
    Plan plan(const Words &indices, std::size_t vertex_count) const;
    std::vector<std::unique_ptr<compute::Buffer>> blocks(const Plan &plan, const TranspicaPlanFigures &figures);
    void run(const Plan &plan, const TranspicaPlanFigures &figures);
    void copy_state(const compute::Buffer &from, VkDeviceSize from_half, const compute::Buffer &to);
    void keep_results(const TranspicaPlanFigures &figures);

    transpica::Registers registers;
    transpica::Setup setup;
    compute::Device device;
    Program vertex, geometry;
    std::vector<std::unique_ptr<compute::Pipeline>> passes;
    TranspicaKernel kernel;
    std::uint32_t triangles = 0, window = 0;
    // What the processor writes.
    compute::Buffer inputs, indices, primitives, feed_block, collect_block, host_block;
    // What the passes write.
    compute::Buffer shaded, feed, made, counts, offsets, result, list;
    // The state that the geometry program reads, and after it the one that it writes.
    compute::Buffer state;
    // What goes from draw to draw: state, and uniforms that vertices delivered.
    compute::Buffer kept, file;
};
