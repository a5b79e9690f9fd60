// Gives the interface hostile programs: random and damaged words, files, register states and command lists, with
// random settings, draws with geometry programs, hooks and vertex formats. Fields are outside their range at times.
//
//     hostile PROGRAMS THREADS FILE.shbin...
//
// Every program is read by two threads, with different programs before it. It fails if a call reports a defect of
// the library, if a result contradicts its status, or if the threads have different results. It prints the number
// of each status. Each program follows from its number alone.

#include "hostile.hpp"

#include <atomic>
#include <map>
#include <thread>

namespace {

// What the calls for one program return, as a digest.
struct Run {
    std::size_t number;
    std::uint64_t digest = 0xCBF29CE484222325u;
    TranspicaStatus status = TRANSPICA_STATUS_OK;

    void add(const void *bytes, std::size_t count) {
        for (std::size_t at = 0; at < count; at++) {
            digest = (digest ^ static_cast<const std::uint8_t *>(bytes)[at]) * 0x100000001B3u;
        }
    }
    template <typename Number> void add_number(Number number) { add(&number, sizeof number); }
    void check(bool holds, const char *text) const {
        if (!holds) {
            fail(number, text);
        }
    }
    TranspicaStatus returns(TranspicaStatus status, const TranspicaResult *errors = nullptr) {
        TranspicaMessage message;
        TRANSPICA_INIT(message, MESSAGE);
        if (status == TRANSPICA_STATUS_INTERNAL) {
            transpica_result_error(errors, 0, &message);
            fail(number, message.text == nullptr ? "a defect" : message.text);
        }
        add_number(static_cast<std::uint32_t>(status));
        return status;
    }

    void messages(const TranspicaResult *result, bool errors) {
        TranspicaMessage message;
        for (std::size_t index = 0;; index++) {
            TRANSPICA_INIT(message, MESSAGE);
            auto *of = errors ? transpica_result_error : transpica_result_warning;
            if (returns(of(result, index, &message)) != TRANSPICA_STATUS_OK) {
                check(!errors || index > 0 || transpica_result_status(result) == TRANSPICA_STATUS_OK, "no message");
                return;
            }
            check(message.text_length > 0 && message.text[message.text_length] == 0, "an empty message");
            check(message.code != TRANSPICA_CODE_VERIFY && message.code != TRANSPICA_CODE_BACKEND, message.text);
            add(message.text, message.text_length);
        }
    }

    template <typename Entry, typename Get> void entries(const TranspicaResult *result, std::uint32_t count, Entry entry, Get get) {
        for (std::uint32_t index = 0; index < count; index++) {
            check(get(result, index, &entry) == TRANSPICA_STATUS_OK, "an entry is missing");
            add(entry.name, entry.name_length);
        }
        check(get(result, count, &entry) == TRANSPICA_STATUS_BAD_ARGUMENT, "an entry too many");
    }

    void read(const TranspicaResult *result, const Program &program) {
        check(transpica_result_status(result) == status, "another status");
        std::size_t count = 0;
        const std::uint32_t *words = transpica_result_words(result, &count);
        check((status == TRANSPICA_STATUS_OK) == (words != nullptr && words[0] == 0x07230203), "no words, or words of an error");
        add(words, 4 * count);
        for (std::uint32_t target = 1; target <= TRANSPICA_TARGET_REFLECTION; target *= 2) {
            const char *text = transpica_result_text(result, target, &count);
            add(text, count);
        }
        messages(result, true);
        messages(result, false);
        TranspicaFigures figures;
        TranspicaInput input;
        TranspicaOutput output;
        TranspicaMember member;
        TRANSPICA_INIT(figures, FIGURES);
        TRANSPICA_INIT(input, INPUT);
        TRANSPICA_INIT(output, OUTPUT);
        TRANSPICA_INIT(member, MEMBER);
        check(transpica_result_figures(result, &figures) == TRANSPICA_STATUS_OK, "no figures");
        entries(result, figures.input_count, input, transpica_result_input);
        entries(result, figures.output_count, output, transpica_result_output);
        entries(result, figures.member_count, member, transpica_result_member);
        TranspicaReliance reliance;
        TRANSPICA_INIT(reliance, RELIANCE);
        const std::array<float, 8> uniforms = {1, 2, 3, 4, 5e30f, 6, 7, 8};
        std::array<std::uint32_t, 3> broken = {};
        returns(transpica_result_reliance(result, &reliance));
        returns(transpica_result_check_uniforms(result, number % 97, uniforms.data(), number % 3, broken.data()));
        std::array<TranspicaMagnitudes, 16> magnitudes = {};
        returns(transpica_magnitudes_add(&magnitudes[number % 16], reinterpret_cast<const std::uint8_t *>(uniforms.data()),
                                         sizeof uniforms, number % 40, number % 11, number % 7));
        check(transpica_result_allows(result, broken.data(), magnitudes.data()) <= 1, "neither yes nor no");
        if (status == TRANSPICA_STATUS_OK) {
            Bytes block(figures.uniform_size);
            const std::size_t size = number % 16 == 0 ? block.size() / 2 : block.size();
            returns(transpica_registers_pack(program.registers, number % 2, result, block.data(), size));
            add(block.data(), block.size());
        }
    }

    // The plan of a draw with this geometry program.
    void plan(Random &random, const Program &program, const TranspicaResult *result) {
        TranspicaKernel kernel;
        TRANSPICA_INIT(kernel, KERNEL);
        if (returns(transpica_result_kernel(result, &kernel)) != TRANSPICA_STATUS_OK) {
            return;
        }
        Words state(kernel.state_count);
        check(transpica_result_state(result, state.data(), state.size()) == TRANSPICA_STATUS_OK, "no state");
        add(state.data(), 4 * state.size());
        Words indices(random.below(200));
        for (auto &index : indices) {
            index = random.one_in(60) ? random.any() : random.below(100);
        }
        TranspicaPlanRequest request = {};
        request.setup = program.setup;
        request.kernel = result;
        request.indices = random.one_in(2) ? indices.data() : nullptr;
        request.index_count = request.indices == nullptr ? 0 : indices.size();
        request.vertices = random.one_in(10) ? random.any() : random.below(200);
        request.window = random.one_in(10) ? random.any() : random.below(17);
        request.triangles = random.one_in(10) ? random.any() : random.below(100);
        request.most_invocations = random.one_in(10) ? random.any() : random.below(100);
        request.bytes = random.one_in(10) ? random.any() : 0;
        TranspicaPlan *plan = nullptr;
        TranspicaResult *errors = nullptr;
        const TranspicaStatus status = returns(transpica_plan_create(&request, &plan, &errors), errors);
        check((status == TRANSPICA_STATUS_OK) == (plan != nullptr), "a plan of an error");
        transpica_result_free(errors);
        if (plan != nullptr) {
            TranspicaPlanFigures figures;
            TRANSPICA_INIT(figures, PLAN_FIGURES);
            check(transpica_plan_figures(plan, &figures) == TRANSPICA_STATUS_OK, "no figures");
            add(&figures.vertex_bytes, sizeof figures - offsetof(TranspicaPlanFigures, vertex_bytes));
            std::array<std::uint32_t, 8> block = {};
            for (std::uint32_t dispatch = 0; dispatch <= figures.draw_count && dispatch < 20; dispatch++) {
                returns(transpica_plan_draw_block(plan, dispatch, block.data()));
                add(block.data(), sizeof block);
            }
            Bytes primitives(figures.primitive_bytes);
            returns(transpica_plan_primitives(plan, primitives.data(), primitives.size()));
            add(primitives.data(), primitives.size());
        }
        transpica_plan_free(plan);
    }

    // The same program on the CPU.
    void batch(Random &random, const Program &program, const TranspicaSettings *settings) {
        TranspicaBatch *batch = nullptr;
        TranspicaResult *errors = nullptr;
        returns(transpica_batch_create(settings, program.head, 1 + random.below(500), &batch, &errors), errors);
        transpica_result_free(errors);
        if (batch == nullptr) {
            return;
        }
        returns(transpica_batch_use_registers(batch, program.registers));
        const std::uint32_t outputs = random.one_in(20) ? random.any() : 0xFF;
        const TranspicaRegisters *registers = random.one_in(2) ? program.registers : nullptr;
        std::vector<TranspicaVertexAttribute> attributes(random.below(18));
        for (auto &attribute : attributes) {
            attribute = {program.bytes.data(), program.bytes.size(), random.below(20), random.below(20), {}, 1 + random.below(4), {}};
            attribute.number = static_cast<decltype(attribute.number)>(random.below(4));
            attribute.bytes = random.one_in(3) ? nullptr : attribute.bytes;
        }
        std::array<std::uint16_t, 20> indices;
        for (auto &index : indices) {
            index = static_cast<std::uint16_t>(random.one_in(60) ? random.any() : random.below(8));
        }
        std::vector<float> records(20 * transpica_batch_record_floats(batch, registers, outputs));
        const std::array<float, 64> parameters = {0.5f};
        TranspicaDraw draw = {};
        draw.attributes = attributes.data();
        draw.attribute_count = attributes.size();
        draw.indices = random.one_in(2) ? indices.data() : nullptr;
        draw.index_size = draw.indices == nullptr ? 0 : 2;
        draw.count = indices.size() - random.below(3);
        draw.registers = registers;
        draw.outputs = outputs;
        draw.flip_y = random.below(2);
        draw.clip_enabled = random.below(2);
        draw.parameters = parameters.data();
        draw.parameter_count = random.below(17);
        errors = nullptr;
        returns(transpica_batch_draw(batch, &draw, records.data(), records.size(), &errors), errors);
        transpica_result_free(errors);
        for (float value : records) {
            // The sign of a NaN is free.
            add_number(value == value ? value : 0.0f);
        }
        transpica_batch_free(batch);
        pipeline(random, program, settings, draw);
    }

    // Both programs of the registers on the CPU.
    void pipeline(Random &random, const Program &program, const TranspicaSettings *settings, TranspicaDraw draw) {
        TranspicaPipeline *pipeline = nullptr;
        TranspicaResult *errors = nullptr;
        returns(transpica_pipeline_create(settings, program.registers, &pipeline, &errors), errors);
        transpica_result_free(errors);
        const TranspicaDrawLimits limits = {1 + random.below(500), 1 + random.below(9000), 1 + random.below(40), 1 + random.below(90)};
        returns(transpica_pipeline_set_limits(pipeline, &limits));
        for (int count = 0; count < 2 && pipeline != nullptr; count++) {
            std::size_t vertices = 0;
            errors = nullptr;
            draw.record_stride = random.one_in(9) ? 1 + random.below(40) : transpica_pipeline_record_floats(pipeline) + random.below(3);
            std::vector<float> records(random.below(600));
            const TranspicaStatus drawn =
                returns(transpica_pipeline_draw(pipeline, &draw, records.data(), records.size(), &vertices, &errors), errors);
            transpica_result_free(errors);
            check(drawn == TRANSPICA_STATUS_OK || vertices == 0, "vertices of a draw that failed");
            if (drawn != TRANSPICA_STATUS_OK) {
                continue;
            }
            const std::size_t triangle = 3 * draw.record_stride;
            const std::size_t written = std::min(vertices * draw.record_stride, records.size() / triangle * triangle);
            std::vector<float> rest(vertices * draw.record_stride - written);
            check(transpica_pipeline_read(pipeline, rest.data(), rest.size()) == TRANSPICA_STATUS_OK, "triangles without room");
            records.insert(records.end(), rest.begin(), rest.end());
            for (float value : records) {
                add_number(value == value ? value : 0.0f);
            }
        }
        TranspicaKey key = {};
        TranspicaResult *refused = nullptr;
        returns(transpica_pipeline_key(program.registers, &key, &refused), refused);
        add(key.bytes, sizeof key.bytes);
        transpica_result_free(refused);
        transpica_pipeline_free(pipeline);
    }

    void all(const std::deque<Sample> &samples, Settings &settings) {
        Random random{number};
        const Program program(random, samples);
        settings.memory.left = random.one_in(4) ? random.below(4) : SIZE_MAX;
        TranspicaResult *result = nullptr, *errors = nullptr;
        status = transpica_translate(settings.translator, program.head, &result);
        returns(status, result);
        read(result, program);
        TranspicaKey key = {};
        const TranspicaStatus keyed = returns(transpica_key(settings.translator, program.head, &key, &errors), errors);
        add(key.bytes, sizeof key.bytes);
        transpica_result_free(errors);
        // Of the errors that a key leaves to the translation, those that are left here concern native stages.
        const bool is_stage = program.setup != nullptr && program.job.entry_point == TRANSPICA_ENTRY_POINT_GEOMETRY_STAGE;
        const bool plain = settings.plain && !is_stage && program.request.targets == TRANSPICA_TARGET_SPIRV;
        check(!plain || keyed == status, "the key has another status than the translation");
        if (program.setup != nullptr) {
            plan(random, program, result);
        }
        transpica_result_free(result);
        if (random.one_in(4)) {
            returns(transpica_scan(settings.translator, program.head, &result), result);
            messages(result, true);
            transpica_result_free(result);
        }
        if (random.one_in(4)) {
            batch(random, program, settings.settings);
        }
    }
};

constexpr std::size_t SETTINGS = 256;

// A thread's translators, made when a program needs them and then kept.
struct Translators {
    std::map<std::size_t, Settings> all;

    Settings &of(std::size_t program) {
        for (std::size_t number = program * 7919 % SETTINGS;; number = 0) {
            Settings &settings = all.try_emplace(number, number).first->second;
            if (settings.translator != nullptr) {
                return settings;
            }
        }
    }
};

} // namespace

int main(int count, char **arguments) {
    const std::size_t programs = count < 4 ? 0 : std::strtoul(arguments[1], nullptr, 10);
    const std::size_t threads = count < 4 ? 0 : std::strtoul(arguments[2], nullptr, 10);
    if (programs == 0 || threads == 0) {
        std::fprintf(stderr, "usage: hostile PROGRAMS THREADS FILE.shbin...\n");
        return 2;
    }
    const std::deque<Sample> samples(arguments + 3, arguments + count);
    std::vector<std::uint64_t> digests(programs);
    std::array<std::atomic<std::size_t>, 6> statuses = {};
    // Upwards; then downwards, each program by the next thread.
    for (bool again : {false, true}) {
        std::vector<std::thread> running;
        for (std::size_t thread = 0; thread < threads; thread++) {
            running.emplace_back([&, thread] {
                Translators translators;
                for (std::size_t step = 0; step < programs; step++) {
                    const std::size_t number = again ? programs - 1 - step : step;
                    if ((number + again) % threads != thread) {
                        continue;
                    }
                    Run run{number};
                    run.all(samples, translators.of(number));
                    if (!again) {
                        digests[number] = run.digest;
                        statuses.at(run.status)++;
                    } else if (digests[number] != run.digest) {
                        fail(number, "two threads have different results");
                    }
                }
            });
        }
        for (auto &thread : running) {
            thread.join();
        }
    }
    std::printf("%zu programs on %zu threads: %zu translated, %zu unsupported, %zu invalid, %zu wrong calls, %zu without memory\n",
                programs, threads, statuses[0].load(), statuses[1].load(), statuses[2].load(), statuses[3].load(),
                statuses[4].load());
    return 0;
}
