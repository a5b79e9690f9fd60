// Compiles one GLSL vertex shader to SPIR-V many times in a warm process, as emulators do. Prints the
// minimum and the median time in nanoseconds and the number of words. Arguments: file, repetitions.
#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

static bool compile(const std::string &text, std::vector<unsigned> &words) {
    glslang::TShader shader(EShLangVertex);
    const char *strings[] = {text.c_str()};
    shader.setStrings(strings, 1);
    shader.setEnvInput(glslang::EShSourceGlsl, EShLangVertex, glslang::EShClientVulkan, 100);
    shader.setEnvClient(glslang::EShClientVulkan, glslang::EShTargetVulkan_1_1);
    shader.setEnvTarget(glslang::EShTargetSpv, glslang::EShTargetSpv_1_3);
    shader.setAutoMapBindings(true);
    shader.setAutoMapLocations(true);
    const EShMessages messages = static_cast<EShMessages>(EShMsgSpvRules | EShMsgVulkanRules);
    if (!shader.parse(GetDefaultResources(), 450, false, messages)) {
        std::fprintf(stderr, "%s\n", shader.getInfoLog());
        return false;
    }
    glslang::TProgram program;
    program.addShader(&shader);
    if (!program.link(messages) || !program.mapIO()) {
        std::fprintf(stderr, "%s\n", program.getInfoLog());
        return false;
    }
    words.clear();
    glslang::GlslangToSpv(*program.getIntermediate(EShLangVertex), words);
    return true;
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    std::ifstream file(argv[1]);
    std::stringstream buffer;
    buffer << file.rdbuf();
    const std::string text = buffer.str();
    const int repetitions = std::atoi(argv[2]);
    glslang::InitializeProcess();
    std::vector<unsigned> words;
    std::vector<long long> times;
    for (int i = -3; i < repetitions; ++i) {
        const auto start = std::chrono::steady_clock::now();
        if (!compile(text, words)) return 1;
        const auto end = std::chrono::steady_clock::now();
        if (i >= 0) times.push_back(std::chrono::duration_cast<std::chrono::nanoseconds>(end - start).count());
    }
    glslang::FinalizeProcess();
    if (times.empty()) return 2;
    std::sort(times.begin(), times.end());
    std::printf("%lld %lld %zu\n", times.front(), times[times.size() / 2], words.size());
    return 0;
}
