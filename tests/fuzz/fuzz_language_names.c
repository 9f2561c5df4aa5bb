/* fuzz_language_names.c - fuzzes the search for a language by its name in any language. It has a target of its own,
 * because each search compares thousands of names.
 * Input    See fuzz_language_input.h.
 * Checks   A language that is found is one of the model's. Results fit into their buffers, of which the sanitizers
 *          know the sizes.
 * Options  -max_len=100 -timeout=60 */
#include "fuzz_language_input.h"

#include "language.h"

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
    Names names;
    char *wanted, *text = names_read(&names, &wanted, data, size);

    if (wanted) check_names(&names, wanted);
    free(text);
    return 0;
}
