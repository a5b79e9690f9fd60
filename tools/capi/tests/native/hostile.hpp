// Hostile programs and settings: each follows from its number alone.

#pragma once

#include <transpica.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

namespace {

using Bytes = std::vector<std::uint8_t>;
using Words = std::vector<std::uint32_t>;

[[noreturn]] void fail(std::size_t program, const std::string &text) {
    std::fprintf(stderr, "program %zu: %s\n", program, text.c_str());
    std::_Exit(1);
}

// SplitMix64.
struct Random {
    std::uint64_t state;

    std::uint64_t next() {
        std::uint64_t mixed = state += 0x9E3779B97F4A7C15u;
        mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
        return mixed ^ mixed >> 31;
    }
    std::uint32_t below(std::size_t count) { return static_cast<std::uint32_t>(next() % count); }
    bool one_in(std::uint32_t count) { return below(count) == 0; }
    // Numbers at the ends of ranges, and any others.
    std::uint32_t any() {
        constexpr std::array<std::uint32_t, 8> ends = {1, 15, 16, 95, 96, 0x7F, 0x80000000, 0xFFFFFFFF};
        return one_in(2) ? ends[below(ends.size())] : static_cast<std::uint32_t>(next());
    }
    float number() {
        constexpr std::array<float, 6> numbers = {0.0f, -0.0f, 1.0f, -0.5f, 1e-6f, 3e38f};
        return one_in(8) ? std::numeric_limits<float>::quiet_NaN() : numbers[below(numbers.size())];
    }
};

// A sample, as its bytes and as what a host uploads.
struct Sample {
    Bytes bytes;
    Words code, descriptors;
    std::size_t executables = 0;
    std::size_t code_at = 0;
    bool has_geometry = false;

    explicit Sample(const char *path) {
        std::ifstream file(path, std::ios::binary);
        bytes.assign(std::istreambuf_iterator<char>(file), {});
        if (bytes.size() < 16) {
            fail(0, std::string("cannot read ") + path);
        }
        executables = word(4);
        const std::size_t package = 8 + 4 * executables;
        code_at = package + word(package + 8);
        for (std::size_t at = 0; at < word(package + 12); at++) {
            code.push_back(word(code_at + 4 * at));
        }
        for (std::size_t at = 0; at < word(package + 20); at++) {
            descriptors.push_back(word(package + word(package + 16) + 8 * at));
        }
        for (std::size_t at = 0; at < executables; at++) {
            has_geometry |= bytes.at(word(8 + 4 * at) + 6) == 1;
        }
    }
    std::uint32_t word(std::size_t at) const {
        std::uint32_t word = 0;
        for (std::size_t byte = 0; byte < 4; byte++) {
            word |= static_cast<std::uint32_t>(bytes.at(at + byte)) << 8 * byte;
        }
        return word;
    }
};

// Memory that ends at random.
struct Memory {
    std::size_t left = SIZE_MAX;

    static void *allocate(void *user, std::size_t size, std::size_t alignment) {
        auto *memory = static_cast<Memory *>(user);
        if (memory->left == 0) {
            return nullptr;
        }
        memory->left--;
        return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    }
    static void release(void *, void *bytes, std::size_t) { std::free(bytes); }
};

// A translator with the settings of a number. Most settings are valid, others have paths and values
// that are not.
struct Settings {
    Memory memory;
    TranspicaTranslator *translator = nullptr;
    TranspicaSettings *settings = nullptr;
    TranspicaStatus status = TRANSPICA_STATUS_OK;
    // Whether transpica_key promises the status of transpica_translate.
    bool plain = true;

    explicit Settings(std::size_t number) {
        Random random{0x5E771165 + number};
        if (number != 0) {
            settings = transpica_settings_new();
            fill(number, random, number % 4 == 3);
        }
        TranspicaResult *errors = nullptr;
        status = transpica_translator_create(settings, &translator, &errors);
        if (status == TRANSPICA_STATUS_INTERNAL || (status == TRANSPICA_STATUS_OK) != (translator != nullptr) ||
            (status == TRANSPICA_STATUS_OK) != (errors == nullptr)) {
            fail(number, "a translator with these settings");
        }
        transpica_result_free(errors);
    }
    ~Settings() {
        transpica_translator_free(translator);
        transpica_settings_free(settings);
    }
    Settings(const Settings &) = delete;

    void set(std::size_t number, const std::string &path, const std::string &value) {
        TranspicaResult *errors = nullptr;
        const TranspicaStatus set = transpica_settings_set(settings, path.c_str(), value.c_str(), &errors);
        if (set == TRANSPICA_STATUS_INTERNAL || (set == TRANSPICA_STATUS_OK) != (errors == nullptr)) {
            fail(number, path + " = " + value);
        }
        if (set == TRANSPICA_STATUS_OK) {
            plain &= path.rfind("limits", 0) != 0;
        }
        transpica_result_free(errors);
    }

    void fill(std::size_t number, Random &random, bool wrong) {
        constexpr std::array<const char *, 4> presets = {"azahar-vulkan", "azahar-opengl", "panda3ds-opengles", "tanuki3ds-opengl"};
        if (random.one_in(4)) {
            transpica_settings_preset(settings, presets[random.below(presets.size())], nullptr);
        }
        const std::string n = std::to_string(random.below(16)), place = std::to_string(random.below(4));
        const std::string bits = std::to_string(random.below(0x10000)), small = std::to_string(1 + random.below(1000));
        const std::array<std::pair<std::string, std::string>, 35> values = {{
            {"arithmetic.precision", "fast"},
            {"arithmetic.precision", "f24"},
            {"arithmetic.functions", "driver"},
            {"arithmetic.uninitialized", "zero"},
            {"block.layout", "registers"},
            {"block.layout", "panda3ds"},
            {"block.layout", R"({"Custom": {"floats": 0, "ints": 1552, "packing": "Bytes", "bools": 1568}})"},
            {"block.fold_constants", "false"},
            {"block.padded", "true"},
            {"outputs.depth", "-w..w"},
            {"outputs.depth", "raw"},
            {"outputs.snap_depth", "1e-6,1e-5"},
            {"outputs.flip_y", "host"},
            {"outputs.clip_planes", "builtin"},
            {"outputs.clip_planes", "varying"},
            {"outputs.clamp_colors", "false"},
            {"outputs.all", "true"},
            {"outputs.unmapped", "zero"},
            {"control.permissive", "true"},
            {"control.loop_guard", n},
            {"control.bools.baked", bits},
            {"control.bools.values", bits},
            {"control.ints", "i0=" + n + ",1,2,3"},
            {"control.ints", "i1=specialized"},
            {"input.formats", "v" + n + "=uint:3,v1=int"},
            {"assume", "uniforms=2^" + n + ",v" + n + "=no-nan,results=finite"},
            {"debug_info", "true"},
            {"spirv_version", "1." + place},
            {"no_contraction", "false"},
            {"bindings", "uniforms=" + place + ":0"},
            {"varyings.0.location", "1" + place},
            {"varyings", R"([{"name": "a", "location": )" + n + R"(, "components": [{"Code": 12}, {"Complement": 13}, "One"]}])"},
            {"glsl.attributes", "numbered:attribute"},
            {random.one_in(2) ? "limits.steps" : "limits.values", small},
            {random.one_in(2) ? "limits.nodes_base" : "limits.code_words", small},
        }};
        for (const auto &[path, value] : values) {
            if (random.one_in(6)) {
                set(number, path, value);
            }
        }
        for (std::uint32_t count = wrong ? 4 : 0; count > 0; count--) {
            auto [path, value] = values[random.below(values.size())];
            std::string &damaged = random.one_in(2) ? path : value;
            damaged[random.below(damaged.size())] = static_cast<char>(1 + random.below(255));
            set(number, path, random.one_in(8) ? std::string(random.below(70000), value[0]) : value);
        }
        if (random.one_in(4)) {
            const TranspicaAllocator allocator = {Memory::allocate, Memory::release, &memory};
            transpica_settings_set_allocator(settings, &allocator, nullptr);
            plain = false;
        }
    }
};

// One program: a chain and what it points to.
struct Program {
    Words code, descriptors, commands;
    Bytes bytes;
    std::vector<TranspicaWrite> writes;
    std::vector<TranspicaHook> hooks;
    TranspicaRawProgram raw;
    TranspicaExecutable executable;
    TranspicaRegisterProgram from_state;
    TranspicaRegisterWrites listed;
    TranspicaRequest request;
    TranspicaJob job;
    TranspicaHooks hook_list;
    TranspicaDebugSource debug;
    TranspicaVertexInput input;
    TranspicaRegisters *registers = nullptr;
    TranspicaSetup *setup = nullptr;
    TranspicaHead *head = nullptr;
    // Whether it is a geometry program, unless its fields are out of range.
    bool is_second = false;

    Program(Random &random, const std::deque<Sample> &samples) {
        transpica_registers_create(&registers);
        const Sample *sample = &samples[random.below(samples.size())];
        const bool geometry = random.one_in(2);
        while (geometry && !sample->has_geometry) {
            sample = &samples[random.below(samples.size())];
        }
        words(random, *sample);
        file(random, *sample);
        state(random, geometry);
        is_second = geometry && random.one_in(2);
        source(random, sample->executables);
        additions(random, *sample, geometry);
    }
    ~Program() {
        transpica_setup_free(setup);
        transpica_registers_free(registers);
    }
    Program(const Program &) = delete;

    void link(TranspicaHead &link) {
        link.next = head;
        head = &link;
    }

    // Words of a sample with some replaced, or random ones.
    void words(Random &random, const Sample &sample) {
        code = sample.code;
        descriptors = sample.descriptors;
        const bool noise = random.one_in(6);
        if (noise) {
            code.resize(1 + random.below(60));
            descriptors.resize(random.below(128));
        }
        for (auto &word : code) {
            if (noise || random.one_in(60)) {
                // Control flow within the program, half of the time.
                word = random.one_in(2) ? 0x80000000u | static_cast<std::uint32_t>(random.next() & 0x3FFFFFFF) : random.any();
                word = random.one_in(2) ? (word & ~0x3FFC00u) | random.below(code.size() + 2) << 10 : word;
            }
        }
        for (auto &word : descriptors) {
            word = noise || random.one_in(60) ? random.any() : word;
        }
    }

    void file(Random &random, const Sample &sample) {
        bytes = sample.bytes;
        for (std::size_t at = 0; at < code.size() && at < sample.code.size(); at++) {
            for (std::size_t byte = 0; byte < 4; byte++) {
                bytes[sample.code_at + 4 * at + byte] = static_cast<std::uint8_t>(code[at] >> 8 * byte);
            }
        }
        for (std::uint32_t damages = random.one_in(2) ? random.below(8) : 0; damages > 0; damages--) {
            bytes[random.below(bytes.size())] = static_cast<std::uint8_t>(random.next());
        }
        if (random.one_in(12)) {
            bytes.resize(random.below(bytes.size()));
        }
    }

    // Uploads to both units, the registers of a draw, and any others.
    void state(Random &random, bool geometry) {
        auto write = [&](std::uint32_t number, std::uint32_t value) { writes.push_back({number, value}); };
        write(0x229, geometry ? 2 | (random.one_in(4) ? 0x80000000 : 0) : 0);
        write(0x244, geometry);
        for (std::uint32_t unit : {0x280u, 0x2B0u}) {
            write(unit + 0x1B, 0);
            for (auto word : code) {
                write(unit + 0x1C, word);
            }
            write(unit + 0x25, 0);
            for (auto word : descriptors) {
                write(unit + 0x26, word);
            }
            write(unit + 0x0A, 0x7FFF0000 | random.below(code.size() + 1));
            write(unit + 0x0D, random.below(0x10000));
            write(unit + 0x09, 0xA0000000 | random.below(2) << 8 | random.below(16));
            write(unit + 0x0B, random.any());
            write(unit + 0x0C, random.any());
        }
        write(0x252, random.below(3) | random.below(16) << 8 | random.below(16) << 12 | random.below(100) << 16);
        write(0x254, random.below(20));
        write(0x25E, random.below(4) << 8);
        write(0x4F, random.below(9));
        for (std::uint32_t word = 0; word < 7; word++) {
            write(0x50 + word, random.one_in(2) ? 0x03020100 + 0x04040404 * word : random.any());
        }
        for (std::uint32_t count = random.below(12); count > 0; count--) {
            write(0x200 + random.below(0x100), random.any());
        }
        for (const auto &write : writes) {
            transpica_registers_write(registers, write.number, write.value);
        }
        for (std::uint32_t count = random.below(20); count > 0; count--) {
            commands.push_back(random.one_in(2) ? random.any() : 0x000F0280 + random.below(0x60) + (random.below(4) << 20));
        }
        transpica_registers_commands(registers, commands.data(), commands.size());
        transpica_registers_write_masked(registers, random.below(0x300), random.any(), random.any());
    }

    void source(Random &random, std::size_t executables) {
        const std::uint32_t stage = random.one_in(40) ? random.any() : is_second;
        const auto unit = static_cast<decltype(raw.stage)>(stage);
        switch (random.below(4)) {
        case 0:
            TRANSPICA_INIT(raw, RAW_PROGRAM);
            raw.code = code.data();
            raw.code_count = code.size();
            raw.descriptors = descriptors.data();
            raw.descriptor_count = descriptors.size();
            raw.entry = random.one_in(4) ? random.any() : random.below(code.size());
            raw.stage = unit;
            raw.output_mask = random.one_in(20) ? random.any() : random.below(0x10000);
            raw.output_count = random.one_in(20) ? random.any() : random.below(8);
            for (auto &word : raw.output_map) {
                word = random.one_in(2) ? 0x0B0A0908 : random.any();
            }
            return link(raw.head);
        case 1:
            TRANSPICA_INIT(executable, EXECUTABLE);
            executable.bytes = bytes.data();
            executable.byte_count = bytes.size();
            executable.name = random.one_in(2) ? "*/ any\n name" : nullptr;
            executable.index = random.one_in(40) ? random.any() : is_second ? 1 : random.one_in(8) ? random.below(executables) : 0;
            return link(executable.head);
        case 2:
            TRANSPICA_INIT(from_state, REGISTER_PROGRAM);
            from_state.registers = registers;
            from_state.stage = unit;
            return link(from_state.head);
        default:
            TRANSPICA_INIT(listed, REGISTER_WRITES);
            listed.writes = writes.data();
            listed.write_count = writes.size();
            listed.stage = unit;
            return link(listed.head);
        }
    }

    void additions(Random &random, const Sample &sample, bool geometry) {
        TRANSPICA_INIT(request, REQUEST);
        const std::uint32_t text = random.one_in(30) ? random.any() : 1u << random.below(6);
        request.targets = TRANSPICA_TARGET_SPIRV | (random.one_in(4) ? text : 0);
        request.glsl_version = static_cast<decltype(request.glsl_version)>(random.below(12));
        link(request.head);
        if (geometry) {
            TRANSPICA_INIT(job, JOB);
            // Most entry points fit the stage of the program.
            const std::uint32_t fitting = is_second ? 4 + random.below(3) : random.one_in(2) ? 3 : random.below(3);
            const std::uint32_t entry_point = random.one_in(12) ? random.any() : fitting;
            job.entry_point = static_cast<decltype(job.entry_point)>(entry_point);
            TranspicaResult *errors = nullptr;
            const std::uint32_t stride = random.one_in(2) ? 0 : random.below(20);
            TranspicaStatus status = random.one_in(2)
                ? transpica_setup_from_file(bytes.data(), bytes.size(), 0, 1, stride, &setup, &errors)
                : transpica_setup_from_registers(registers, &setup, &errors);
            if (status == TRANSPICA_STATUS_INTERNAL || (status == TRANSPICA_STATUS_OK) != (setup != nullptr)) {
                fail(0, "a setup");
            }
            transpica_result_free(errors);
            if (setup == nullptr && !random.one_in(8)) {
                transpica_setup_from_file(sample.bytes.data(), sample.bytes.size(), 0, 1, 0, &setup, nullptr);
            }
            job.setup = setup;
            link(job.head);
        }
        if (random.one_in(2)) {
            hooks.resize(random.below(6));
            for (auto &hook : hooks) {
                change(random, hook);
            }
            TRANSPICA_INIT(hook_list, HOOKS);
            hook_list.hooks = hooks.data();
            hook_list.hook_count = hooks.size();
            link(hook_list.head);
        }
        if (random.one_in(4)) {
            // Any bytes as a text, and lines that may not be in it.
            TRANSPICA_INIT(debug, DEBUG_SOURCE);
            debug.name = random.one_in(2) ? "any.pica" : nullptr;
            debug.text = reinterpret_cast<const char *>(bytes.data());
            debug.text_length = bytes.size();
            debug.lines = code.data();
            debug.line_count = code.size();
            link(debug.head);
        }
        if (random.one_in(3)) {
            TRANSPICA_INIT(input, VERTEX_INPUT);
            for (std::size_t number = 0; number < 16; number++) {
                auto [format, promise] = std::tie(input.formats[number], input.promises[number]);
                format.kind = static_cast<decltype(format.kind)>(random.one_in(200) ? random.any() : random.below(3));
                format.components = random.one_in(200) ? random.any() : random.below(5);
                promise.kind = static_cast<decltype(promise.kind)>(random.one_in(200) ? random.any() : random.below(4));
                const bool is_between = promise.kind == TRANSPICA_PROMISE_KIND_BETWEEN;
                const bool is_below = is_between || promise.kind == TRANSPICA_PROMISE_KIND_BELOW;
                promise.least = random.one_in(200) ? -1000 : is_between * (static_cast<std::int32_t>(random.below(256)) - 128);
                promise.exponent = random.one_in(200) ? random.any() : is_below * random.below(129);
            }
            link(input.head);
        }
    }

    void change(Random &random, TranspicaHook &hook) {
        auto pick = [&](std::uint32_t count) { return random.one_in(200) ? random.any() : random.below(count); };
        hook = {};
        hook.kind = static_cast<decltype(hook.kind)>(pick(6));
        if (hook.kind == TRANSPICA_HOOK_KIND_REDIRECT) {
            hook.number = pick(96);
        } else if (hook.kind == TRANSPICA_HOOK_KIND_TAP) {
            hook.number = pick(static_cast<std::uint32_t>(code.size()));
            hook.location = 10 + pick(6);
        } else {
            hook.semantic = static_cast<decltype(hook.semantic)>(random.one_in(2) ? 0 : pick(9));
            hook.mask = pick(16);
        }
        for (auto &operand : hook.operands) {
            operand.is_parameter = pick(2);
            operand.parameter = pick(16);
            for (auto &value : operand.value) {
                value = random.number();
            }
        }
    }
};

} // namespace
