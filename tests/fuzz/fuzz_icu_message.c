/* fuzz_icu_message.c - fuzzes the reading and the dividing of plural messages.
 * Input    The text. Its length chooses the language.
 * Checks   ICU accepts what counts as a message, unless a style such as that of a number is wrong. What the pieces of a
 *          divided message make is a message again.
 * Options  -max_len=400 */
#include "fuzz_support.h"

#include "icu_pieces.h"
#include "utf8.h"

/* Returns the divided message; NULL: the text is no message. */
static char *divide(const char *text, const PluralTarget *target, bool *has_style)
{
    IcuMessage message;
    IcuPieceList pieces = { 0 };
    Buf out = { 0 };
    bool is_message;
    Err err = { "" };

    require_ok(icu_message_read(&message, text, strlen(text), &is_message, &err), &err);
    if (is_message) require_ok(icu_message_divide(&message, target, &pieces, &err), &err);
    for (size_t i = 0; i < message.marks.len; i++) {
        const Range mark = message.marks.data[i].text;
        *has_style |= message.marks.data[i].kind == ICU_KEPT && memchr(text + mark.begin, ',', mark.end - mark.begin);
    }
    for (size_t i = 0; i < pieces.len; i++) icu_pieces_put(&out, &message, &pieces.data[i]);
    buf_put(&out, "", 1);
    require_ok(buf_check(&out, &err), &err);
    free(pieces.data);
    icu_message_free(&message);
    if (is_message) return out.data;
    buf_free(&out);
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const languages[] = { "de", "ru", "ar", "ja", NULL, "en" };
    const PluralTarget target = plural_target_of("en", languages[size % 6]);
    char *text, *made, *again;
    bool has_style = false;

    if (memchr(data, '\0', size) || utf8_valid_length((const char *)data, size) < size) return 0;
    text = malloc(size + 1);
    require(text != NULL, "memory", "the input");
    if (size) memcpy(text, data, size);
    text[size] = '\0';
    made = divide(text, &target, &has_style);
    if (made) {
        require(has_style || icu_accepts(text), "ICU accepts the message", text);
        again = divide(made, &target, &has_style);
        require(again != NULL, "a message after dividing", made);
        free(again);
    }
    free(made);
    free(text);
    return 0;
}
