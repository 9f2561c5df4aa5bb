/* abbreviations.c - see abbreviations.h. */
#include "abbreviations.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "abbreviation_lists.h"
#include "buf.h"
#include "str_map.h"
#include "text.h"

struct Abbreviations {
    const AbbreviationList *list; /* NULL: all languages */
    StrMap *places;               /* word -> index in `flags` */
    IdList flags;
};

static Status add_word(Abbreviations *a, const char *word, size_t len, int32_t flag, Err *err)
{
    int32_t place = (int32_t)a->flags.len;
    bool added;
    Status st = str_map_add(a->places, word, len, place, &added, err);

    if (st != OK) return st;
    if (added) return ids_append(&a->flags, flag, err);
    a->flags.data[str_map_get(a->places, word, len, 0)] |= flag;
    return OK;
}

static Status add_words(Abbreviations *a, const char *words, int32_t flag, Err *err)
{
    Status st = OK;

    while (st == OK && words && *(words += strspn(words, " "))) {
        size_t len = strcspn(words, " ");
        st = add_word(a, words, len, flag, err);
        words += len;
    }
    return st;
}

static Status add_list(Abbreviations *a, const AbbreviationList *list, Err *err)
{
    const struct {
        const char *words;
        int32_t flag;
    } lists[] = {
        { list->never, WORD_NEVER },
        { list->number, WORD_NUMBER },
        { list->starter, WORD_STARTER },
        { list->capital, WORD_CAPITAL },
        { list->first_words, WORD_FIRST },
        { list->after_time, WORD_AFTER_TIME },
        { list->dated, WORD_DATED },
        { list->before_ordinal, WORD_BEFORE_ORDINAL },
        { list->before_count, WORD_BEFORE_COUNT },
        { list->before_letter, WORD_BEFORE_LETTER },
        { list->before_pronoun, WORD_BEFORE_PRONOUN },
    };
    Status st = OK;

    for (size_t i = 0; st == OK && i < sizeof lists / sizeof *lists; i++)
        st = add_words(a, lists[i].words, lists[i].flag, err);
    return st;
}

static bool has_code(const AbbreviationList *list, const char *language)
{
    size_t len = language ? strcspn(language, "_-") : 0;

    for (const char *code = list->codes; len && *(code += strspn(code, " ")); code += strcspn(code, " "))
        if (strcspn(code, " ") == len && memcmp(code, language, len) == 0) return true;
    return false;
}

Status abbreviations_new(Abbreviations **out, const char *language, Err *err)
{
    Abbreviations *a = calloc(1, sizeof *a);
    Status st;

    *out = a;
    if (!a) return err_memory(err, "the abbreviations");
    for (size_t i = 0; i < abbreviation_list_count; i++)
        if (has_code(&abbreviation_lists[i], language)) a->list = &abbreviation_lists[i];
    st = str_map_new(&a->places, err);
    for (size_t i = 0; st == OK && i < abbreviation_list_count; i++)
        if (!a->list || a->list == &abbreviation_lists[i]) st = add_list(a, &abbreviation_lists[i], err);
    if (st == OK) st = add_words(a, abbreviation_companies, WORD_COMPANY, err);
    if (st == OK) return OK;
    abbreviations_free(a);
    *out = NULL;
    return st;
}

void abbreviations_free(Abbreviations *words)
{
    if (!words) return;
    str_map_free(words->places);
    ids_free(&words->flags);
    free(words);
}

static unsigned flags_of(const Abbreviations *a, const char *word)
{
    int32_t place = str_map_get(a->places, word, strlen(word), -1);

    return place < 0 ? 0 : (unsigned)a->flags.data[place];
}

unsigned abbreviations_find(const Abbreviations *words, const char *exact, const char *folded)
{
    const char *ending = words->list ? words->list->ending : NULL;
    unsigned flags = flags_of(words, exact);

    if (!flags || !strchr(exact, '.')) flags |= flags_of(words, folded);
    if (ending && text_ends_with(folded, ending)) flags |= WORD_NUMBER | WORD_STARTER;
    return flags;
}

bool abbreviations_are_multilingual(const Abbreviations *words)
{
    return !words->list;
}

bool abbreviations_have_dotted_ordinals(const Abbreviations *words)
{
    return words->list && words->list->before_ordinal;
}

bool abbreviations_may_lack_vowels(const Abbreviations *words)
{
    return words->list && words->list->syllabic_consonants;
}
