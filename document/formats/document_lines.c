/* document_lines.c - lines of text in another encoding than UTF-8: each line is a text, or several texts with tabs
 * between them. Lines in UTF-8 are no document: they are translated while they arrive. */
#include <string.h>

#include "chars.h"
#include "document_formats.h"

static bool is_white(char c)
{
    return char_is_blank(c) || c == '\r';
}

/* Reports the text between two tabs or ends of lines. */
static void parse_column(DocumentBuilder *builder, const char *bytes, size_t begin, size_t end)
{
    while (begin < end && is_white(bytes[begin])) begin++;
    while (begin < end && is_white(bytes[end - 1])) end--;
    if (begin == end) return;
    document_builder_begin(builder, 0, begin);
    document_builder_plain(builder, begin, end);
    document_builder_end_unit(builder, end);
}

static void parse_lines(DocumentBuilder *builder)
{
    const BuilderInput input = document_builder_input(builder);

    for (size_t at = input.begin, end; at < input.end && !document_builder_failed(builder); at = end + 1) {
        end = at;
        while (end < input.end && input.bytes[end] != '\t' && input.bytes[end] != '\n') end++;
        parse_column(builder, input.bytes, at, end);
    }
}

const DocumentFormat document_lines = { .name = "lines", .endings = "", .parse = parse_lines };
