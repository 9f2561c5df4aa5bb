/* fuzz_language.c - fuzzes the codes and tags of languages that users and models give.
 * Input    See fuzz_language_input.h.
 * Checks   A language that is found is one of the model's. Tags can be printed and parsed again. Each code of the
 *          model's languages is found. Results fit into their buffers, of which the sanitizers know the sizes.
 * Options  -max_len=100 */
#include "fuzz_language_input.h"

#include "language.h"

static void check_printed(const LanguageTag *tag)
{
    char *printed = malloc(LANGUAGE_TAG_BYTES);
    LanguageTag again;
    unsigned fit = 0;
    bool same = false;
    Err err = { "" };

    require(printed != NULL, "memory", "a tag");
    language_tag_print(tag, printed);
    require_ok(language_tag_read(&again, printed, &err), &err);
    require(strcmp(tag->language, again.language) == 0 && strcmp(tag->script, again.script) == 0 &&
                strcmp(tag->region, again.region) == 0,
            "the same tag", printed);
    require_ok(language_tag_fit(&fit, tag, printed, &err), &err);
    require_ok(language_tag_same_language(&same, tag, &again, &err), &err);
    require(fit > 0 && same, "a tag fits itself", printed);
    free(printed);
}

static void check_tag(const char *text)
{
    char *shortest = malloc(LANGUAGE_TAG_BYTES);
    LanguageTag tag;
    Err err = { "" };

    require(shortest != NULL, "memory", text);
    require_ok(language_tag_read(&tag, text, &err), &err);
    if (tag.language[0]) check_printed(&tag);
    require_ok(language_tag_shortest(shortest, text, &err), &err);
    require((*shortest != '\0') == (tag.language[0] != '\0'), "a tag for a tag", text);
    free(shortest);
}

static void check_code(const char *text)
{
    require(language_equal(text, text), "equal codes", text);
    (void)language_is_known(text);
}

static void check_codes(const Names *names, const char *wanted)
{
    const int found = language_find(wanted, (LanguageList){ name_at, names, names->count });

    require(found >= LANGUAGE_AMBIGUOUS && found < (int)names->count, "a language", "of the list");
    for (size_t i = 0; i < names->count; i++) {
        const char *name = names->items[i];
        require(language_same(wanted, name) == language_same(name, wanted), "both directions", wanted);
        require(language_find(name, (LanguageList){ name_at, names, names->count }) != LANGUAGE_NONE, "its own name",
                name);
        if (found == (int)i) require(language_may_be(wanted, name), "a language that may be meant", name);
        check_tag(name);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Names names;
    char *wanted, *text = names_read(&names, &wanted, data, size);

    if (wanted) {
        check_tag(wanted);
        check_code(wanted);
        check_codes(&names, wanted);
    }
    free(text);
    return 0;
}
