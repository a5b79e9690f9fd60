// Owners of the library's objects, for C++17 and later.
//
//     transpica::Settings settings;
//     settings.preset("azahar-vulkan");
//     settings.set("control.loop_guard", "none");
//     auto translator = transpica::Translator::create(settings);
//
// Objects move, and free what they own; get() is the handle for the other functions of transpica.h. A call of the
// wrong kind, such as a path that does not exist, throws transpica::Error. With TRANSPICA_NO_EXCEPTIONS it returns an
// Outcome instead, which holds the value or the problem. What a program is at fault for never throws: a Result and
// the Outcome of a key have their own status.

#pragma once

#include <transpica.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#ifndef TRANSPICA_NO_EXCEPTIONS
#include <stdexcept>
#endif

namespace transpica {
// Both kinds may be linked into one program.
#ifdef TRANSPICA_NO_EXCEPTIONS
inline namespace without_exceptions {
#else
inline namespace with_exceptions {
#endif

template <auto Free> struct Freed {
    template <typename T> void operator()(T *handle) const { Free(handle); }
};
template <typename T, auto Free> using Owner = std::unique_ptr<T, Freed<Free>>;

struct WordView {
    const std::uint32_t *data;
    std::size_t size;

    const std::uint32_t *begin() const { return data; }
    const std::uint32_t *end() const { return data + size; }
};

// What became of a program, or the messages of a call that failed.
class Result : public Owner<TranspicaResult, transpica_result_free> {
public:
    using unique_ptr::unique_ptr;

    TranspicaStatus status() const { return transpica_result_status(get()); }
    bool is_ok() const { return status() == TRANSPICA_STATUS_OK; }
    // The first error; empty if there is none.
    std::string message() const {
        TranspicaMessage message;
        TRANSPICA_INIT(message, MESSAGE);
        const auto status = transpica_result_error(get(), 0, &message);
        return status == TRANSPICA_STATUS_OK ? std::string(message.text, message.text_length) : std::string();
    }
    WordView words() const {
        std::size_t count = 0;
        const std::uint32_t *words = transpica_result_words(get(), &count);
        return {words, count};
    }
    std::string_view text(TranspicaTarget target) const {
        std::size_t length = 0;
        const char *text = transpica_result_text(get(), target, &length);
        return {text == nullptr ? "" : text, length};
    }
    // Zeros if there is no such thing, so below.
    TranspicaFigures figures() const {
        TranspicaFigures figures;
        TRANSPICA_INIT(figures, FIGURES);
        transpica_result_figures(get(), &figures);
        return figures;
    }
    TranspicaInput input(std::size_t index) const {
        TranspicaInput input;
        TRANSPICA_INIT(input, INPUT);
        transpica_result_input(get(), index, &input);
        return input;
    }
    TranspicaOutput output(std::size_t index) const {
        TranspicaOutput output;
        TRANSPICA_INIT(output, OUTPUT);
        transpica_result_output(get(), index, &output);
        return output;
    }
    TranspicaMember member(std::size_t index) const {
        TranspicaMember member;
        TRANSPICA_INIT(member, MEMBER);
        transpica_result_member(get(), index, &member);
        return member;
    }
};

// A value, or the problem of the call that should have made it.
template <typename T> struct [[nodiscard]] Outcome {
    T value;
    TranspicaStatus status;
    Result problem;

    explicit operator bool() const { return status == TRANSPICA_STATUS_OK; }
};
struct Done {};

#ifdef TRANSPICA_NO_EXCEPTIONS
template <typename T> using Made = Outcome<T>;
#else
template <typename T> using Made = T;

class Error : public std::runtime_error {
public:
    Error(TranspicaStatus status, const std::string &message) : std::runtime_error(message), status(status) {}
    TranspicaStatus status;
};
#endif

template <typename T> Made<T> made(TranspicaStatus status, TranspicaResult *errors, T value) {
    Result problem(errors);
#ifdef TRANSPICA_NO_EXCEPTIONS
    return {std::move(value), status, std::move(problem)};
#else
    if (status != TRANSPICA_STATUS_OK) {
        throw Error(status, errors == nullptr ? "a call of transpica failed" : problem.message());
    }
    return value;
#endif
}

// For the other functions of transpica.h.
inline Made<Done> checked(TranspicaStatus status, TranspicaResult *errors = nullptr) { return made(status, errors, Done()); }

// Options by paths and texts; tools/cli/settings.md lists them.
class Settings : public Owner<TranspicaSettings, transpica_settings_free> {
public:
    Settings() : unique_ptr(transpica_settings_new()) {}

    Made<Done> preset(const std::string &name) {
        TranspicaResult *errors = nullptr;
        const auto status = transpica_settings_preset(get(), name.c_str(), &errors);
        return checked(status, errors);
    }
    Made<Done> float_controls(bool nan, bool subnormals, bool rounding) {
        TranspicaResult *errors = nullptr;
        const auto status = transpica_settings_float_controls(get(), nan, subnormals, rounding, &errors);
        return checked(status, errors);
    }
    Made<Done> set(const std::string &path, const std::string &value) {
        TranspicaResult *errors = nullptr;
        const auto status = transpica_settings_set(get(), path.c_str(), value.c_str(), &errors);
        return checked(status, errors);
    }
    Made<Done> set_allocator(const TranspicaAllocator &allocator) {
        TranspicaResult *errors = nullptr;
        const auto status = transpica_settings_set_allocator(get(), &allocator, &errors);
        return checked(status, errors);
    }
    Made<Done> check() const {
        TranspicaResult *errors = nullptr;
        const auto status = transpica_settings_check(get(), &errors);
        return checked(status, errors);
    }
    Made<std::string> value(const std::string &path) { return shown(transpica_settings_get, path); }
    Made<std::string> describe(const std::string &path = "") { return shown(transpica_settings_describe, path); }

private:
    using Show = const char *(TranspicaSettings *, const char *, TranspicaResult **);

    Made<std::string> shown(Show *show, const std::string &path) {
        TranspicaResult *errors = nullptr;
        const char *text = show(get(), path.c_str(), &errors);
        const auto status = text == nullptr ? transpica_result_status(errors) : TRANSPICA_STATUS_OK;
        return made(status, errors, std::string(text == nullptr ? "" : text));
    }
};

// Registers of the GPU.
class Registers : public Owner<TranspicaRegisters, transpica_registers_free> {
public:
    using unique_ptr::unique_ptr;

    static Made<Registers> create() {
        TranspicaRegisters *registers = nullptr;
        const auto status = transpica_registers_create(&registers);
        return made(status, nullptr, Registers(registers));
    }
    Made<Registers> copy() const {
        TranspicaRegisters *registers = nullptr;
        const auto status = transpica_registers_copy(get(), &registers);
        return made(status, nullptr, Registers(registers));
    }
    // The program in these registers, which must outlive it.
    TranspicaRegisterProgram program(TranspicaStage stage = TRANSPICA_STAGE_VERTEX) const {
        TranspicaRegisterProgram program;
        TRANSPICA_INIT(program, REGISTER_PROGRAM);
        program.registers = get();
        program.stage = stage;
        return program;
    }
};

// One for each thread.
class Translator : public Owner<TranspicaTranslator, transpica_translator_free> {
public:
    using unique_ptr::unique_ptr;

    static Made<Translator> create(const Settings &settings = Settings()) {
        TranspicaTranslator *translator = nullptr;
        TranspicaResult *errors = nullptr;
        const auto status = transpica_translator_create(settings.get(), &translator, &errors);
        return made(status, errors, Translator(translator));
    }
    Made<Done> warm_up() { return checked(transpica_translator_warm_up(get())); }
    Result translate(const TranspicaHead &program) {
        TranspicaResult *result = nullptr;
        transpica_translate(get(), &program, &result);
        return Result(result);
    }
    Result scan(const TranspicaHead &program) {
        TranspicaResult *result = nullptr;
        transpica_scan(get(), &program, &result);
        return Result(result);
    }
    // False for a program that must run in another way.
    Outcome<TranspicaKey> key(const TranspicaHead &program) {
        TranspicaKey key = {};
        TranspicaResult *errors = nullptr;
        const auto status = transpica_key(get(), &program, &key, &errors);
        return {key, status, Result(errors)};
    }
};

using Batch = Owner<TranspicaBatch, transpica_batch_free>;
using Pipeline = Owner<TranspicaPipeline, transpica_pipeline_free>;
using Setup = Owner<TranspicaSetup, transpica_setup_free>;
using Plan = Owner<TranspicaPlan, transpica_plan_free>;

} // inline namespace
} // namespace transpica
