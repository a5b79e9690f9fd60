// transpica.hpp, with exceptions and without them.

#include <transpica.hpp>

#include <cstdio>
#include <cstdlib>

namespace {

void check(bool holds, const char *text) {
    if (!holds) {
        std::fprintf(stderr, "does not hold: %s\n", text);
        std::exit(1);
    }
}

constexpr std::uint32_t END = 0x88000000;

TranspicaRawProgram program() {
    TranspicaRawProgram program;
    TRANSPICA_INIT(program, RAW_PROGRAM);
    program.code = &END;
    program.code_count = 1;
    return program;
}

void translates(transpica::Translator &translator) {
    TranspicaRawProgram good = program(), bad = program();
    bad.entry = 1;
    transpica::Result result = translator.translate(good.head);
    const transpica::Result moved = std::move(result);
    check(moved.is_ok() && !result && moved.words().size > 5 && *moved.words().begin() == 0x07230203, "words");
    check(bool(translator.key(good.head)) && !translator.key(bad.head), "keys");
    const transpica::Result failed = translator.translate(bad.head);
    check(!failed.is_ok() && !failed.message().empty() && failed.words().size == 0, "a message");
    check(translator.scan(good.head).text(TRANSPICA_TARGET_REFLECTION).front() == '{', "reflection");
}

} // namespace

#ifdef TRANSPICA_NO_EXCEPTIONS

int main() {
    transpica::Settings settings;
    check(bool(settings.preset("azahar-vulkan")) && bool(settings.set("control.loop_guard", "none")), "values");
    const auto wrong = settings.set("outputs.dept", "raw");
    check(!wrong && wrong.problem.message().find("did you mean `depth`?") != std::string::npos, "advice");
    check(settings.value("outputs.flip_y").value == "host" && !settings.value("outputs.flip"), "a value");
    auto translator = transpica::Translator::create(settings);
    check(bool(translator), "a translator");
    translates(translator.value);
    check(bool(settings.set("bindings", "uniforms=0:0,host=0:0")), "bindings");
    check(!settings.check() && !transpica::Translator::create(settings), "a contradiction");
    check(bool(transpica::Registers::create()), "registers");
    std::puts("all holds");
}

#else

template <typename Call> std::string thrown(Call call) {
    try {
        call();
    } catch (const transpica::Error &error) {
        return error.what();
    }
    return "";
}

int main() {
    transpica::Settings settings;
    settings.preset("azahar-vulkan");
    settings.set("control.loop_guard", "none");
    const std::string advice = thrown([&] { settings.set("outputs.dept", "raw"); });
    check(advice.find("did you mean `depth`?") != std::string::npos, "advice");
    check(settings.value("outputs.flip_y") == "host", "a value");
    check(!thrown([&] { settings.value("outputs.flip"); }).empty(), "no such path");
    check(settings.describe().front() == '[', "a description");
    transpica::Translator translator = transpica::Translator::create(settings);
    translates(translator);
    settings.set("bindings", "uniforms=0:0,host=0:0");
    check(!thrown([&] { settings.check(); }).empty(), "a contradiction");
    check(transpica::Registers::create().copy().program().registers != nullptr, "registers");
    std::puts("all holds");
}

#endif
