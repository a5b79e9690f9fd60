/* A host that knows the registers of its shader by name. On the console, citro3d.h is at hand, and
   the header has setters such as lit_projection(&matrix). */
#include <stdio.h>

#include "lit.h"

int main(void) {
    printf("projection c%d, light c%d, is_lit b%d\n", LIT_PROJECTION, LIT_LIGHT, LIT_IS_LIT);
    printf("%d bytes of a vertex\n", (int)sizeof(lit_vertex));
    return 0;
}
