/* fuzz_language.c - fuzzes the codes, tags and names of languages that users and models give.
 * Input    The languages of a model, with a space between any two, a newline, and what the user wants. If the first
 *          byte is '?', the names of languages are searched as well, which takes much longer.
 * Checks   A language that is found is one of the model's. Tags can be printed and parsed again. A name is found by
 *          itself. Results fit into their buffers, of which the sanitizers know the sizes.
 * Options  -max_len=100 -timeout=60 */
#include "fuzz_support.h"

#include "language.h"
#include "language_choice.h"
#include "language_tag.h"

#define MOST_NAMES 16

typedef struct {
    char *items[MOST_NAMES];
    size_t count;
} Names;

static const char *name_at(const void *list, size_t index)
{
    return ((const Names *)list)->items[index];
}

static void names_read(Names *names, char *text)
{
    char *rest = NULL;

    names->count = 0;
    for (char *name = strtok_r(text, " ", &rest); name && names->count < MOST_NAMES; name = strtok_r(NULL, " ", &rest))
        names->items[names->count++] = name;
}

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
    require(language_tag_equal(tag, &again), "the same tag", printed);
    require_ok(language_tag_fit(&fit, tag, &again, &err), &err);
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
    char *code = fuzz_copy(text, strlen(text) + 1);

    require(language_equal(text, text), "equal codes", text);
    language_shorten(code);
    require(strlen(code) <= strlen(text), "a shorter code", text);
    (void)language_is_known(text);
    free(code);
}

static void check_codes(const Names *names, const char *wanted)
{
    const int found = language_find(wanted, name_at, names, names->count);

    require(found >= LANGUAGE_AMBIGUOUS && found < (int)names->count, "a language", "of the list");
    for (size_t i = 0; i < names->count; i++) {
        const char *name = names->items[i];
        require(language_same(wanted, name) == language_same(name, wanted), "both directions", wanted);
        require(language_find(name, name_at, names, names->count) != LANGUAGE_NONE, "its own name", name);
        if (found == (int)i) require(language_may_be(wanted, name), "a language that may be meant", name);
        check_tag(name);
    }
}

static void check_names(const Names *names, const char *wanted)
{
    const LanguageList list = { name_at, names, names->count };
    char *room = malloc(LANGUAGE_CODE), *described = malloc(LANGUAGE_DESCRIBED);
    const char *code = NULL;
    int closest = -1;
    IdList all = { 0 };
    Err err = { "" };

    require(room && described, "memory", wanted);
    require_ok(language_closest(&closest, wanted, list, &err), &err);
    require(closest >= -1 && closest < (int)names->count, "the closest language", "of the list");
    require_ok(language_choose(&all, wanted, list, &err), &err);
    for (size_t i = 0; i < all.len; i++)
        require(all.data[i] >= 0 && (size_t)all.data[i] < names->count, "a choice", "of the list");
    require_ok(language_code(&code, room, wanted, &err), &err);
    require(code == wanted || strlen(room) < LANGUAGE_CODE, "a code", wanted);
    require_ok(language_describe(described, wanted, &err), &err);
    require(strlen(described) < LANGUAGE_DESCRIBED, "a description", wanted);
    free(room);
    free(described);
    ids_free(&all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = strndup((const char *)data, size), *wanted;
    Names names;

    require(text != NULL, "memory", "a text");
    wanted = strchr(text, '\n');
    if (wanted) {
        *wanted++ = '\0';
        names_read(&names, text + (*text == '?'));
        check_tag(wanted);
        check_code(wanted);
        check_codes(&names, wanted);
        if (*text == '?') check_names(&names, wanted);
    }
    free(text);
    return 0;
}
