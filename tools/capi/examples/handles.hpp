// Owners of the library's objects, and the translator of this host.

#pragma once

#include <transpica.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using Words = std::vector<std::uint32_t>;

template <auto Free> struct Freed {
    template <typename T> void operator()(T *handle) const { Free(handle); }
};
using Translator = std::unique_ptr<TranspicaTranslator, Freed<transpica_translator_free>>;
using Registers = std::unique_ptr<TranspicaRegisters, Freed<transpica_registers_free>>;
using Result = std::unique_ptr<TranspicaResult, Freed<transpica_result_free>>;

// The error messages with their places.
inline std::string message_of(const Result &result) {
    TranspicaMessage message;
    TRANSPICA_INIT(message, MESSAGE);
    if (transpica_result_error(result.get(), 0, &message) != TRANSPICA_STATUS_OK) {
        return "no message";
    }
    return std::string(message.text, message.text_length);
}

inline Translator new_translator() {
    // One uniform buffer for all programs, clip planes and y by the host block, a guard against endless loops.
    TranspicaPreset preset;
    if (transpica_preset(TRANSPICA_KNOWN_HOST_AZAHAR, TRANSPICA_RENDERER_VULKAN, &preset) != TRANSPICA_STATUS_OK) {
        throw std::runtime_error("no preset");
    }
    TranspicaTranslator *translator = nullptr;
    TranspicaResult *errors = nullptr;
    if (transpica_translator_create(&preset.options.head, &translator, &errors) != TRANSPICA_STATUS_OK) {
        throw std::runtime_error(message_of(Result(errors)));
    }
    return Translator(translator);
}

inline Registers new_registers() {
    TranspicaRegisters *registers = nullptr;
    if (transpica_registers_create(&registers) != TRANSPICA_STATUS_OK) {
        throw std::runtime_error("no registers");
    }
    return Registers(registers);
}

inline TranspicaRegisterProgram program_of(const Registers &registers) {
    TranspicaRegisterProgram program;
    TRANSPICA_INIT(program, REGISTER_PROGRAM);
    program.registers = registers.get();
    return program;
}
