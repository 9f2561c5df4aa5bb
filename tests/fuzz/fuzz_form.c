/* fuzz_form.c - fuzzes the parsers of the bodies of requests (server/form.c).
 * Input    A byte that selects the parser, then the body. The boundary of multipart forms is Bx.
 * Checks   Each parameter ends with a NUL; the others are as the header promises, as the sanitizers see.
 * Options  -max_len=4096 */
#include "fuzz_support.h"

#include <string.h>

#include "form.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = { "q", "file", "n" };
    Form form = { .most = 100 };
    TextParts texts = { .data = NULL };
    char *body;
    bool is_list;
    long number;

    if (!size) return 0;
    body = malloc(size);
    if (!body) return 0;
    memcpy(body, data + 1, size - 1);
    body[size - 1] = '\0';
    if (*data % 3 == 0)
        (void)!form_parse_json(&form, body, size - 1, NULL);
    else if (*data % 3 == 1)
        (void)!form_parse_encoded(&form, body, size - 1, NULL);
    else
        (void)!form_parse_multipart(&form, body, size - 1, "Bx", 2, NULL);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        (void)form_text(&form, names[i], NULL);
        (void)form_file(&form, names[i]);
        (void)form_texts(&form, names[i], &texts, &is_list);
        (void)form_number(&form, names[i], &number);
    }
    for (size_t i = 0; i < form.fields.len; i++) {
        const Field *field = &form.fields.data[i];
        require(field->value[field->length] == '\0', "a NUL after the value", field->name);
    }
    free(texts.data);
    form_free(&form);
    free(body);
    return 0;
}
