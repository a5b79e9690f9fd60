// A small emulator host: receives the console's command lists and creates pipelines.
//
//     host FOLDER FILE.shbin...
//     host --draw COMMANDS VERTICES INDICES TRIANGLES
//
// The console's side reads .shbin files and writes command lists as the system library does: code and
// operand descriptors through their FIFO registers, constants as packed float24. The host's side uses
// nothing but these lists. It maintains the registers, looks up pipelines by key, lets two threads
// translate the missing ones, and writes KEY.spv and KEY.uniforms (the uniform buffer at the first draw)
// of each pipeline into the folder. It prints the bindings of each pipeline.
//
// The second form draws twice with a geometry program, by compute shaders on Vulkan (geometry.cpp). COMMANDS is a command
// list that binds both programs and sets their uniforms, VERTICES has v0 to v15 of each vertex as floats, INDICES 32-bit
// indices or nothing. TRIANGLES receives the vertices of both lists of triangles, as vectors of four floats.

#include "geometry.hpp"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

// ---------------------------------------------------------------------------------------------- the console's side

namespace console {

struct File {
    std::vector<std::uint8_t> bytes;

    std::uint32_t byte(std::size_t at) const { return bytes.at(at); }
    std::uint32_t half(std::size_t at) const { return byte(at) | byte(at + 1) << 8; }
    std::uint32_t word(std::size_t at) const { return half(at) | half(at + 2) << 16; }
    std::size_t executables() const { return word(4); }
};

// A command list: each command is a parameter, a header and further parameters, padded to eight bytes.
struct Commands {
    Words words;

    void write(std::uint32_t number, std::uint32_t value) { upload(number, {value}); }

    // Several words through one FIFO register; a command holds at most 256.
    void upload(std::uint32_t number, const Words &values) {
        for (std::size_t at = 0; at < values.size(); at += 256) {
            const std::size_t count = std::min<std::size_t>(values.size() - at, 256);
            words.push_back(values[at]);
            words.push_back(number | 0xFu << 16 | static_cast<std::uint32_t>(count - 1) << 20);
            words.insert(words.end(), values.begin() + at + 1, values.begin() + at + count);
            if (words.size() % 2 != 0) {
                words.push_back(0);
            }
        }
    }
};

// First code and number of components of each attribute type.
constexpr std::array<std::array<std::uint8_t, 2>, 9> SEMANTICS = {
    {{0x00, 4}, {0x04, 4}, {0x08, 4}, {0x0C, 2}, {0x10, 1}, {0x0E, 2}, {0x16, 2}, {0x1F, 0}, {0x12, 3}}};

void bind_outputs(Commands &list, const File &file, std::size_t start) {
    std::array<std::array<std::uint8_t, 4>, 16> codes;
    codes.fill({0x1F, 0x1F, 0x1F, 0x1F});
    std::uint32_t mask = 0, count = 0;
    const std::size_t table = start + file.word(start + 0x28);
    for (std::size_t at = table; at < table + 8 * file.word(start + 0x2C); at += 8) {
        const std::uint32_t type = file.half(at), number = file.half(at + 2) & 15, components = file.half(at + 4);
        count += (mask >> number & 1) == 0;
        mask |= 1u << number;
        std::uint8_t next = 0;
        for (std::size_t component = 0; component < 4 && type < SEMANTICS.size(); component++) {
            if ((components >> component & 1) != 0 && next < SEMANTICS[type][1]) {
                codes[number][component] = SEMANTICS[type][0] + next++;
            }
        }
    }
    list.write(0x2BD, mask);
    list.write(0x04F, std::min(count, 7u));
    for (std::uint32_t slot = 0; slot < 7; slot++) {
        const auto &code = codes[slot];
        list.write(0x050 + slot, code[0] | code[1] << 8 | code[2] << 16 | static_cast<std::uint32_t>(code[3]) << 24);
    }
}

void bind_constants(Commands &list, const File &file, std::size_t start) {
    std::uint32_t bools = 0;
    std::array<std::uint32_t, 4> ints = {};
    const std::size_t table = start + file.word(start + 0x18);
    for (std::size_t at = table; at < table + 20 * file.word(start + 0x1C); at += 20) {
        const std::uint32_t type = file.half(at), number = file.half(at + 2) & 0xFF, x = file.word(at + 4);
        if (type == 0 && number < 16) {
            bools = (bools & ~(1u << number)) | (x & 1) << number;
        } else if (type == 1 && number < 4) {
            ints[number] = x;
        } else if (type == 2) {
            // Four float24 in three words, w first.
            const std::uint32_t y = file.word(at + 8), z = file.word(at + 12), w = file.word(at + 16);
            list.write(0x2C0, number);
            list.upload(0x2C1, {w << 8 | (z >> 16 & 0xFF), z << 16 | (y >> 8 & 0xFFFF), y << 24 | (x & 0xFFFFFF)});
        }
    }
    list.write(0x2B0, 0x7FFF0000 | bools);
    for (std::uint32_t number = 0; number < 4; number++) {
        list.write(0x2B1 + number, ints[number]);
    }
}

// The command list with which the system library binds a vertex program; empty for other programs.
Words bind(const File &file, std::size_t index) {
    const std::size_t start = file.word(8 + 4 * index), package = 8 + 4 * file.executables();
    Commands list;
    if (file.byte(start + 6) != 0) {
        return list.words;
    }
    Words code, descriptors;
    for (std::size_t n = 0; n < file.word(package + 0x0C) && n < 512; n++) {
        code.push_back(file.word(package + file.word(package + 0x08) + 4 * n));
    }
    for (std::size_t n = 0; n < file.word(package + 0x14) && n < 128; n++) {
        descriptors.push_back(file.word(package + file.word(package + 0x10) + 8 * n));
    }
    list.write(0x229, 0);
    list.write(0x244, 0);
    list.write(0x2CB, 0);
    list.upload(0x2CC, code);
    list.write(0x2BF, 1);
    list.write(0x2D5, 0);
    list.upload(0x2D6, descriptors);
    list.write(0x2BA, 0x7FFF0000 | file.word(start + 8));
    list.write(0x2BB, 0x76543210);
    list.write(0x2BC, 0xFEDCBA98);
    bind_constants(list, file, start);
    bind_outputs(list, file, start);
    return list.words;
}

} // namespace console

// ------------------------------------------------------------------------------------------------- the host's side

struct ByBytes {
    bool operator()(const TranspicaKey &one, const TranspicaKey &other) const {
        return memcmp(one.bytes, other.bytes, sizeof one.bytes) < 0;
    }
};

std::string name_of(const TranspicaKey &key) {
    std::string text;
    for (const std::uint8_t byte : key.bytes) {
        text += "0123456789abcdef"[byte >> 4];
        text += "0123456789abcdef"[byte & 15];
    }
    return text;
}

// Translating threads. They receive a copy of the registers, which the console keeps writing.
class Workers {
public:
    explicit Workers(std::size_t count) {
        for (std::size_t n = 0; n < count; n++) {
            threads.emplace_back([this] { work(); });
        }
    }
    ~Workers() { finish(); }

    void translate(const TranspicaKey &key, transpica::Registers registers) {
        const std::lock_guard<std::mutex> lock(mutex);
        jobs.emplace_back(key, std::move(registers));
        wake.notify_one();
    }

    // Waits for all requests.
    std::map<TranspicaKey, transpica::Result, ByBytes> finish() {
        {
            const std::lock_guard<std::mutex> lock(mutex);
            is_done = true;
            wake.notify_all();
        }
        for (std::thread &thread : threads) {
            thread.join();
        }
        threads.clear();
        return std::move(results);
    }

private:
    void work() {
        transpica::Translator translator = new_translator(); // one for each thread
        std::unique_lock<std::mutex> lock(mutex);
        while (true) {
            wake.wait(lock, [this] { return is_done || !jobs.empty(); });
            if (jobs.empty()) {
                return;
            }
            const auto [key, registers] = std::move(jobs.front());
            jobs.pop_front();
            lock.unlock();
            TranspicaRequest request;
            TRANSPICA_INIT(request, REQUEST);
            request.targets = TRANSPICA_TARGET_SPIRV | TRANSPICA_TARGET_REFLECTION;
            TranspicaRegisterProgram program = registers.program();
            program.head.next = &request.head;
            transpica::Result result = translator.translate(program.head);
            lock.lock();
            results.emplace(key, std::move(result));
        }
    }

    std::mutex mutex;
    std::condition_variable wake;
    std::deque<std::pair<TranspicaKey, transpica::Registers>> jobs;
    std::map<TranspicaKey, transpica::Result, ByBytes> results;
    bool is_done = false;
    std::vector<std::thread> threads;
};

// A pipeline: its first draw, and the registers at that draw.
struct Pipeline {
    std::string first;
    transpica::Registers registers;
};

class Host {
public:
    Host()
        : registers(transpica::Registers::create()), translator(new_translator()), promising(new_translator(PROMISE)), workers(2) {}

    void execute(const Words &list) { transpica_registers_commands(registers.get(), list.data(), list.size()); }

    void draw(const std::string &label) {
        draws++;
        const auto key = translator.key(registers.program().head);
        if (!key) {
            std::printf("%s: %s\n", label.c_str(), key.problem.message().c_str());
            return;
        }
        if (pipelines.find(key.value) == pipelines.end()) {
            pipelines.emplace(key.value, Pipeline{label, registers.copy()});
            workers.translate(key.value, registers.copy());
            // A module with fewer guards, for the draws that keep the promise.
            promised.emplace(key.value, promising.translate(registers.program().head));
        }
        keeping += keeps_promise(promised.at(key.value));
    }

    // Writes and prints all pipelines; returns false if a program could not be translated.
    bool finish(const std::string &folder) {
        const auto results = workers.finish();
        bool all = true;
        for (const auto &[key, result] : results) {
            all = show(folder, key, pipelines.at(key), result) && all;
        }
        std::printf("%zu draws, %zu pipelines\n", draws, results.size());
        std::printf("%zu draws keep the promise %s\n", keeping, PROMISE);
        return all;
    }

private:
    // Uniforms and attributes below 2^32: real programs keep it, and a module needs few guards.
    static constexpr const char *PROMISE = "uniforms=2^32,attributes=2^32";

    // Returns whether a draw with these registers may use a module that relies on the promise. A host with vertices adds
    // their magnitudes once, when they are uploaded (transpica_magnitudes_add); here is none.
    bool keeps_promise(const transpica::Result &result) const {
        std::vector<float> block(result.figures().uniform_size / sizeof(float));
        std::array<std::uint32_t, 3> broken = {};
        const std::array<TranspicaMagnitudes, 16> attributes = {};
        transpica_registers_pack(registers.get(), TRANSPICA_STAGE_VERTEX, result.get(),
                                 reinterpret_cast<std::uint8_t *>(block.data()), sizeof(float) * block.size());
        for (std::size_t index = 0; index < result.figures().member_count; index++) {
            const TranspicaMember member = result.member(index);
            if (member.type == TRANSPICA_MEMBER_TYPE_FLOAT_VECTORS) {
                transpica_result_check_uniforms(result.get(), member.first, &block[member.offset / sizeof(float)],
                                                member.count, broken.data());
            }
        }
        return transpica_result_allows(result.get(), broken.data(), attributes.data()) != 0;
    }

    static void write(const std::string &path, const void *bytes, std::size_t size) {
        std::ofstream file(path, std::ios::binary);
        if (!file.write(static_cast<const char *>(bytes), static_cast<std::streamsize>(size))) {
            throw std::runtime_error(path + " cannot be written");
        }
    }

    static bool show(const std::string &folder, const TranspicaKey &key, const Pipeline &pipeline,
                     const transpica::Result &result) {
        const std::string name = name_of(key);
        if (!result.is_ok()) {
            // An emulator would draw with its interpreter here.
            std::printf("%s %s: %s\n", name.c_str(), pipeline.first.c_str(), result.message().c_str());
            return false;
        }
        const TranspicaFigures figures = result.figures();
        const auto words = result.words();
        write(folder + "/" + name + ".spv", words.data, words.size * sizeof *words.data);
        std::vector<std::uint8_t> uniforms(figures.uniform_size);
        transpica_registers_pack(pipeline.registers.get(), TRANSPICA_STAGE_VERTEX, result.get(), uniforms.data(),
                                 uniforms.size());
        write(folder + "/" + name + ".uniforms", uniforms.data(), uniforms.size());
        std::printf("%s %s: %zu words, %u bytes of uniforms\n", name.c_str(), pipeline.first.c_str(), words.size,
                    figures.uniform_size);
        for (std::size_t index = 0; index < figures.input_count; index++) {
            const TranspicaInput input = result.input(index);
            std::printf("  in %s at %u\n", input.name, input.location);
        }
        for (std::size_t index = 0; index < figures.output_count; index++) {
            const TranspicaOutput output = result.output(index);
            if (output.destination == TRANSPICA_DESTINATION_VARYING) {
                std::printf("  out %s at %u, %u components\n", output.name, output.location, output.components);
            }
        }
        std::printf("  %zu bytes of JSON\n", result.text(TRANSPICA_TARGET_REFLECTION).size());
        return true;
    }

    transpica::Registers registers;
    transpica::Translator translator; // for keys
    transpica::Translator promising;
    std::map<TranspicaKey, Pipeline, ByBytes> pipelines;
    std::map<TranspicaKey, transpica::Result, ByBytes> promised;
    std::size_t draws = 0, keeping = 0;
    Workers workers;
};

// A file as an array of T.
template <typename T> std::vector<T> array_of(const char *path) {
    std::ifstream stream(path, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
    std::vector<T> all(bytes.size() / sizeof(T));
    std::copy_n(bytes.data(), all.size() * sizeof(T), reinterpret_cast<char *>(all.data()));
    return all;
}

void draw_geometry(char **paths) {
    const Words list = array_of<std::uint32_t>(paths[0]), indices = array_of<std::uint32_t>(paths[2]);
    const std::vector<Vertex> vertices = array_of<Vertex>(paths[1]);
    transpica::Registers registers = transpica::Registers::create();
    transpica_registers_commands(registers.get(), list.data(), list.size());
    if (transpica_registers_have_geometry(registers.get()) == 0) {
        throw std::runtime_error("the commands bind no geometry program");
    }
    GeometryDraws draws(std::move(registers));
    std::ofstream out(paths[3], std::ios::binary);
    for (int draw = 0; draw < 2; draw++) {
        const Triangles drawn = draws.draw(vertices, indices);
        const std::size_t bytes = drawn.vertices.size() * sizeof drawn.vertices[0];
        out.write(reinterpret_cast<const char *>(drawn.vertices.data()), static_cast<std::streamsize>(bytes));
        std::printf("%zu triangles of %zu vectors\n", drawn.vertices.size() / (3 * drawn.vectors), drawn.vectors);
    }
    if (!out) {
        throw std::runtime_error(std::string(paths[3]) + " cannot be written");
    }
}

int main(int count, char **arguments) try {
    if (count == 6 && std::string(arguments[1]) == "--draw") {
        draw_geometry(arguments + 2);
        return 0;
    }
    if (count < 3) {
        std::fprintf(stderr, "usage: host FOLDER FILE.shbin...\n       host --draw COMMANDS VERTICES INDICES TRIANGLES\n");
        return 2;
    }
    Host host;
    for (int frame = 0; frame < 3; frame++) {
        for (int argument = 2; argument < count; argument++) {
            std::ifstream stream(arguments[argument], std::ios::binary);
            const console::File file = {{std::istreambuf_iterator<char>(stream), {}}};
            for (std::size_t index = 0; index < file.executables(); index++) {
                const Words list = console::bind(file, index);
                if (!list.empty()) {
                    host.execute(list);
                    host.draw(std::string(arguments[argument]) + " " + std::to_string(index));
                }
            }
        }
    }
    return host.finish(arguments[1]) ? 0 : 1;
} catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
