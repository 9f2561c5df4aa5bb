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
static void put_escaped(Buf *out, MemoryText text)
{
    for (size_t i = 0; i < text.length; i++) {
        const char c = text.text[i];
        const char *escape = c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '\r' ? "&#13;" : NULL;
        if (escape)
            buf_put_text(out, escape);
        else
            buf_put_byte(out, c);
    }
}

static void put_variant(Buf *out, MemoryText language, MemoryText text)
{
    buf_put_text(out, "<tuv xml:lang=\"");
    put_escaped(out, language.length ? language : (MemoryText){ TMX_UNKNOWN, strlen(TMX_UNKNOWN) });
    buf_put_text(out, "\"><seg>");
    put_escaped(out, text);
    buf_put_text(out, "</seg></tuv>\n");
}

Status tmx_writer_append(Buf *out, const MemoryRow *row, Err *err)
{
    if (!fits(row->source) || !fits(row->target)) return OK;
    buf_put_format(out, "<tu><prop type=\"" TMX_MADE "\">#%016" PRIx64 "</prop>", row->identity);
    if (row->parts.length) {
        buf_put_text(out, "<prop type=\"" TMX_PARTS "\">");
        put_escaped(out, row->parts);
        buf_put_text(out, "</prop>");
    }
    buf_put_byte(out, '\n');
    put_variant(out, row->from, row->source);
    put_variant(out, row->to, row->target);
    buf_put_text(out, "</tu>\n");
    return buf_check(out, err);
}

Status tmx_writer_insert(Buf *out, const char *bytes, size_t size, TmxPlace place, const Buf *units, Err *err)
{
    const bool is_empty = place.begin < place.end;

    if (size)
        buf_put(out, bytes, place.begin);
    else
        buf_put_text(out, TMX_HEAD);
    if (is_empty) buf_put_text(out, "<body>\n");
    if (units->len) buf_put(out, units->data, units->len);
    if (is_empty) buf_put_text(out, "</body>");
    if (size)
        buf_put(out, bytes + place.end, size - place.end);
    else
        buf_put_text(out, TMX_TAIL);
    return buf_check(out, err);
}
