// The smallest program that links: translates nothing but `end`.
#include <stdio.h>
#include <transpica.h>

int main(void) {
    const uint32_t end = 0x88000000;
    TranspicaRawProgram program;
    TranspicaTranslator *translator = NULL;
    TranspicaResult *result = NULL;
    size_t count = 0;
    TRANSPICA_INIT(program, RAW_PROGRAM);
    program.code = &end;
    program.code_count = 1;
    if (transpica_translator_create(NULL, &translator, NULL) != TRANSPICA_STATUS_OK) {
        return 1;
    }
    if (transpica_translate(translator, &program.head, &result) == TRANSPICA_STATUS_OK) {
        transpica_result_words(result, &count);
    }
    transpica_result_free(result);
    transpica_translator_free(translator);
    printf("transpica %s: %s\n", transpica_version_text(), count > 0 ? "a module" : "nothing");
    return count > 0 ? 0 : 1;
}
