/* filled_text.c - see filled_text.h. */
#include "filled_text.h"

#include <stdio.h>
#include <string.h>

#define MARK "@@"

void filled_text_put(Buf *out, const char *text, PutPlace *put)
{
    const size_t mark = sizeof MARK - 1;

    for (const char *begin = strstr(text, MARK), *end; begin; begin = strstr(text, MARK)) {
        const bool starts_line = begin == text || begin[-1] == '\n';
        char name[32];
        end = strstr(begin + mark, MARK);
        snprintf(name, sizeof name, "%.*s", (int)(end - begin - (ptrdiff_t)mark), begin + mark);
        buf_put(out, text, (size_t)(begin - text));
        put(out, name);
        text = end + mark;
        if (starts_line && *text == '\n') text++;
    }
    buf_put_text(out, text);
}
