/* document_json.c - JSON and JSON Lines. All strings that are not keys are texts; a newline in them (\n) separates
 * units. A malformed line of JSON Lines is copied, and remembered as a fault of the document. */
#include <string.h>

#include "document_formats.h"
#include "json_values.h"

static void parse_json(DocumentBuilder *builder)
{
    const BuilderInput input = document_builder_input(builder);
    JsonReader reader = { .builder = builder,
                          .options = input.options,
                          .bytes = input.bytes,
                          .at = input.begin,
                          .end = input.end,
                          .context = json_values_context(input.bytes, input.end) };

    json_values_read(&reader);
    if (reader.fault) document_builder_fail(builder, reader.at, "%s", reader.fault);
    json_values_free(&reader);
}

static bool is_blank(const char *bytes, size_t begin, size_t end)
{
    while (begin < end && bytes[begin] && strchr(" \t\r", bytes[begin])) begin++;
    return begin == end;
}

/* Reads a line twice: its texts are reported only if all of it is JSON. */
static void parse_line(DocumentBuilder *builder, const BuilderInput *input, Range range, size_t line, unsigned context)
{
    JsonReader reader = { .bytes = input->bytes, .at = range.begin, .end = range.end };

    json_values_read(&reader);
    if (reader.fault) {
        document_builder_fault(builder, line, reader.at - range.begin + 1, reader.fault);
    } else {
        reader.builder = builder;
        reader.options = input->options;
        reader.at = range.begin;
        reader.context = context;
        json_values_read(&reader);
    }
    json_values_free(&reader);
}

static void parse_jsonl(DocumentBuilder *builder)
{
    const BuilderInput input = document_builder_input(builder);
    const unsigned context = json_values_context(input.bytes, input.end);
    size_t line = 1;

    for (size_t at = input.begin, end; at < input.end && !document_builder_failed(builder); at = end + 1, line++) {
        const char *newline = memchr(input.bytes + at, '\n', input.end - at);
        end = newline ? (size_t)(newline - input.bytes) : input.end;
        if (!is_blank(input.bytes, at, end)) parse_line(builder, &input, (Range){ at, end }, line, context);
    }
}

const DocumentFormat document_json = { .name = "json",
                                       .endings = ".json .arb",
                                       .parse = parse_json,
                                       .spelling = &json_spelling,
                                       .arguments = ARGUMENTS_IN_ORDER };
const DocumentFormat document_jsonl = { .name = "jsonl",
                                        .endings = ".jsonl",
                                        .parse = parse_jsonl,
                                        .spelling = &json_spelling,
                                        .arguments = ARGUMENTS_IN_ORDER };
