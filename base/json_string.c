/* json_string.c - see json_string.h. */
#include "json_string.h"

Status json_string_append(Buf *out, const char *text, size_t len, Err *err)
{
    static const char *const names[] = {
        ['"'] = "\\\"", ['\\'] = "\\\\", ['\n'] = "\\n", ['\r'] = "\\r", ['\t'] = "\\t", ['\b'] = "\\b", ['\f'] = "\\f"
    };
    Status st = buf_append(out, "\"", 1, err);
    size_t start = 0;

    for (size_t i = 0; st == OK && i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        const char *name = c < sizeof names / sizeof *names ? names[c] : NULL;
        if (!name && c >= 0x20 && c != 0x7f) continue;
        st = buf_append(out, text + start, i - start, err);
        if (st == OK) st = name ? buf_append_text(out, name, err) : buf_append_format(out, err, "\\u%04x", (unsigned)c);
        start = i + 1;
    }
    if (st == OK) st = buf_append(out, text + start, len - start, err);
    return st == OK ? buf_append(out, "\"", 1, err) : st;
}
