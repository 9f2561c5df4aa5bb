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

static void check_tag(const char *text)
{
    char *printed = malloc(LANGUAGE_TAG_BYTES), *shortest = malloc(LANGUAGE_TAG_BYTES);
    LanguageTag tag, again;

    require(printed && shortest, "memory", text);
    if (language_tag_parse(&tag, text)) {
        language_tag_print(&tag, printed);
        require(language_tag_parse(&again, printed) && language_tag_equal(&tag, &again), "the same tag", printed);
        require(language_tag_fit(&tag, &again) > 0 && language_tag_same_language(&tag, &again), "a tag fits itself",
                printed);
    }
    require(language_tag_shortest(shortest, text, NULL) == OK, "memory", text);
    require((*shortest != '\0') == language_tag_parse(&tag, text), "a tag for a tag", text);
    free(printed);
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
    const int closest = language_closest(wanted, list);
    char *room = malloc(LANGUAGE_CODE), *described = malloc(LANGUAGE_DESCRIBED);
    IdList all = { 0 };
    Err err = { "" };

    require(room && described, "memory", wanted);
    require(closest >= -1 && closest < (int)names->count, "the closest language", "of the list");
    require_ok(language_choose(&all, wanted, list, &err), &err);
    for (size_t i = 0; i < all.len; i++)
        require(all.data[i] >= 0 && (size_t)all.data[i] < names->count, "a choice", "of the list");
    require(language_code(wanted, room) == wanted || strlen(room) < LANGUAGE_CODE, "a code", wanted);
    language_describe(wanted, described);
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
