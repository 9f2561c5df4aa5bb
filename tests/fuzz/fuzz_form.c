/* fuzz_form.c - fuzzes the parsers of the bodies of requests (server/form.c).
 * Input    A byte that selects the parser, then the body. The boundary of multipart forms is Bx or, with another byte,
 *          the first line of the input.
 * Checks   Names and values are inside the body, with a NUL after them. A body with more parameters than allowed is
 *          refused, and a message has one line.
 * Options  -max_len=4096 */
#include "fuzz_support.h"

#include <string.h>

#include "form.h"

#define MOST 100

typedef enum { PARSE_JSON, PARSE_ENCODED, PARSE_MULTIPART, PARSE_BOUNDARY, PARSERS } Parser;

static void require_inside(const char *text, size_t length, const char *body, size_t size)
{
    require(text >= body && length <= size && (size_t)(text - body) <= size - length, "text inside the body", text);
    require(text[length] == '\0', "a NUL after the text", text);
}

static Status parse(Form *form, Parser parser, char *body, size_t size, Err *err)
{
    const char *end = memchr(body, '\n', size);
    const size_t line = end ? (size_t)(end - body) : 0;
    char *boundary;
    Status st;

    switch (parser) {
    case PARSE_JSON:
        return form_parse_json(form, body, size, err);
    case PARSE_ENCODED:
        return form_parse_encoded(form, body, size, err);
    case PARSE_MULTIPART:
        return form_parse_multipart(form, body, size, "Bx", 2, err);
    default:
        boundary = fuzz_copy(body, line);
        st = form_parse_multipart(form, body, size, boundary, line, err);
        free(boundary);
        return st;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = { "q", "file", "n" };
    const Parser parser = (Parser)(fuzz_take(&data, &size) % PARSERS);
    char *body = malloc(size + 1);
    Form form = { .most = MOST };
    TextParts texts = { .data = NULL };
    bool is_list;
    long number;
    Err err;
    Status st;

    require(body != NULL, "memory", "the body");
    if (size) memcpy(body, data, size);
    body[size] = '\0';
    st = parse(&form, parser, body, size, &err);
    require(st == OK || st == ERR_FORMAT, "a fault of the format", "the body");
    require(st == OK || !strpbrk(err.text, "\n\r\x1b"), "one line", err.text);
    require(st != OK || form.fields.len <= MOST, "the number of parameters", "the body");
    for (size_t i = 0; i < form.fields.len; i++) {
        const Field *field = &form.fields.data[i];
        require_inside(field->name, strlen(field->name), body, size);
        require_inside(field->value, field->length, body, size);
        if (field->file) require_inside(field->file, strlen(field->file), body, size);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        (void)form_text(&form, names[i], NULL);
        (void)form_file(&form, names[i]);
        (void)form_texts(&form, names[i], &texts, &is_list);
        (void)form_number(&form, names[i], &number);
    }
    free(texts.data);
    form_free(&form);
    free(body);
    return 0;
}
