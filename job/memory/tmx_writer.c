/* tmx_writer.c - see tmx_writer.h. */
#include "tmx_writer.h"

#include <inttypes.h>
#include <string.h>

#include "dragoman.h"
#include "utf8.h"

#define TMX_HEAD                                                                                                       \
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"                                                                     \
    "<tmx version=\"1.4\">\n"                                                                                          \
    "<header creationtool=\"dragoman\" creationtoolversion=\"" DRAGOMAN_VERSION "\" segtype=\"paragraph\" "            \
    "o-tmf=\"dragoman\" adminlang=\"en\" srclang=\"*all*\" datatype=\"plaintext\"/>\n"                                 \
    "<body>\n"
#define TMX_TAIL "</body>\n</tmx>\n"

/* Whether XML 1.0 can contain the text, which is valid UTF-8. */
static bool fits(MemoryText text)
{
    for (size_t at = 0; at < text.length;) {
        uint32_t code;
        at += utf8_next(text.text + at, text.length - at, &code);
        if ((code < 0x20 && code != '\t' && code != '\n' && code != '\r') || code == 0xfffe || code == 0xffff)
            return false;
    }
    return true;
}

/* XML reads a carriage return as a newline. */
static Status append_escaped(Buf *out, MemoryText text, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < text.length; i++) {
        const char c = text.text[i];
        const char *escape = c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '\r' ? "&#13;" : NULL;
        st = escape ? buf_append_text(out, escape, err) : buf_append(out, &c, 1, err);
    }
    return st;
}

static Status append_variant(Buf *out, MemoryText language, MemoryText text, Err *err)
{
    Status st = buf_append_text(out, "<tuv xml:lang=\"", err);

    if (!language.length) language = (MemoryText){ TMX_UNKNOWN, strlen(TMX_UNKNOWN) };
    if (st == OK) st = append_escaped(out, language, err);
    if (st == OK) st = buf_append_text(out, "\"><seg>", err);
    if (st == OK) st = append_escaped(out, text, err);
    return st == OK ? buf_append_text(out, "</seg></tuv>\n", err) : st;
}

static Status append_properties(Buf *out, const MemoryRow *row, Err *err)
{
    Status st = buf_append_format(out, err, "<prop type=\"" TMX_MADE "\">#%016" PRIx64 "</prop>", row->identity);

    if (st == OK && row->parts.length) st = buf_append_text(out, "<prop type=\"" TMX_PARTS "\">", err);
    if (st == OK && row->parts.length) st = append_escaped(out, row->parts, err);
    if (st == OK && row->parts.length) st = buf_append_text(out, "</prop>", err);
    return st == OK ? buf_append(out, "\n", 1, err) : st;
}

Status tmx_writer_append(Buf *out, const MemoryRow *row, Err *err)
{
    Status st;

    if (!fits(row->source) || !fits(row->target)) return OK;
    st = buf_append_text(out, "<tu>", err);
    if (st == OK) st = append_properties(out, row, err);
    if (st == OK) st = append_variant(out, row->from, row->source, err);
    if (st == OK) st = append_variant(out, row->to, row->target, err);
    return st == OK ? buf_append_text(out, "</tu>\n", err) : st;
}

Status tmx_writer_insert(Buf *out, const char *bytes, size_t size, TmxPlace place, const Buf *units, Err *err)
{
    const bool is_empty = place.begin < place.end;
    Status st = size ? buf_append(out, bytes, place.begin, err) : buf_append_text(out, TMX_HEAD, err);

    if (st == OK && is_empty) st = buf_append_text(out, "<body>\n", err);
    if (st == OK && units->len) st = buf_append(out, units->data, units->len, err);
    if (st == OK && is_empty) st = buf_append_text(out, "</body>", err);
    if (st != OK) return st;
    return size ? buf_append(out, bytes + place.end, size - place.end, err) : buf_append_text(out, TMX_TAIL, err);
}
