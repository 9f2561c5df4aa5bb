/* language_choice.c - see language_choice.h. */
#include "language_choice.h"

#include <stdint.h>
#include <string.h>

#include "language.h"
#include "language_name.h"
#include "language_tag.h"

_Static_assert(LANGUAGE_DESCRIBED >= LANGUAGE_NAME_BYTES && LANGUAGE_CODE >= LANGUAGE_TAG_BYTES, "room for both");

/* Upper limit for the languages that share a name. */
#define MOST_TAGS 8

static const char *name_at(LanguageList all, size_t index)
{
    return all.name(all.list, index);
}

static Status add(IdList *out, size_t index, Err *err)
{
    for (size_t i = 0; i < out->len; i++)
        if (out->data[i] == (int32_t)index) return OK;
    return ids_append(out, (int32_t)index, err);
}

static Status choose_by_code(IdList *out, const char *wanted, LanguageList all, Err *err)
{
    int found = language_find(wanted, all.name, all.list, all.count);
    Status st = OK;

    if (found >= 0) return add(out, (size_t)found, err);
    for (size_t i = 0; st == OK && found == LANGUAGE_AMBIGUOUS && i < all.count; i++)
        if (language_may_be(wanted, name_at(all, i))) st = add(out, i, err);
    return st;
}

/* True if the text is more than a language with a script or a region, which is all that language_find() knows. */
static bool is_long(const char *wanted)
{
    const char *mark = strpbrk(wanted, "-_.@");

    return mark && mark > wanted && wanted[0] != '<' && wanted[0] != '>' &&
           (strchr(".@", *mark) || strpbrk(mark + 1, "-_.@"));
}

static Status choose_exactly(IdList *out, const char *wanted, LanguageList all, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < all.count; i++)
        if (language_equal(wanted, name_at(all, i))) st = add(out, i, err);
    return st;
}

static unsigned fit_of(const LanguageTag *wanted, const char *name)
{
    LanguageTag has;

    return language_tag_parse(&has, name) ? language_tag_fit(wanted, &has) : 0;
}

/* Chooses the languages that fit the tag best. */
static Status choose_by_tag(IdList *out, const LanguageTag *wanted, LanguageList all, Err *err)
{
    char code[LANGUAGE_TAG_BYTES];
    const size_t before = out->len;
    unsigned best = 1;
    Status st = OK;

    language_tag_print(wanted, code);
    if (!is_long(code)) st = choose_by_code(out, code, all, err);
    if (st != OK || out->len > before) return st;
    for (size_t i = 0; i < all.count; i++) {
        unsigned fit = fit_of(wanted, name_at(all, i));
        if (fit > best) best = fit;
    }
    for (size_t i = 0; st == OK && i < all.count; i++)
        if (fit_of(wanted, name_at(all, i)) == best) st = add(out, i, err);
    return st;
}

/* Compares with the English names of the model's own languages, with their scripts and regions or without. */
static Status choose_by_own_name(IdList *out, const char *wanted, LanguageList all, bool whole, Err *err)
{
    LanguageTag has;
    Status st = OK;

    for (size_t i = 0; st == OK && i < all.count; i++) {
        st = language_tag_read(&has, name_at(all, i), err);
        if (st != OK || !has.language[0]) continue;
        if (!whole) has.script[0] = has.region[0] = '\0';
        if (!language_name_is(&has, wanted)) continue;
        st = whole ? add(out, i, err) : choose_by_tag(out, &has, all, err);
    }
    return st;
}

/* The model's own languages have priority over others of that name (prs and fa_AF are both "Dari"). */
static Status choose_by_name(IdList *out, const char *wanted, LanguageList all, Err *err)
{
    const size_t before = out->len;
    LanguageTag tags[MOST_TAGS];
    size_t count;
    Status st = choose_by_own_name(out, wanted, all, false, err);

    if (st == OK && out->len == before) st = choose_by_own_name(out, wanted, all, true, err);
    if (st != OK || out->len > before) return st;
    count = language_name_find(wanted, tags, MOST_TAGS);
    for (size_t i = 0; st == OK && i < count; i++) st = choose_by_tag(out, &tags[i], all, err);
    return st;
}

Status language_choose(IdList *out, const char *wanted, LanguageList all, Err *err)
{
    const size_t before = out->len;
    LanguageTag tag;
    Status st = is_long(wanted) ? choose_exactly(out, wanted, all, err) : choose_by_code(out, wanted, all, err);

    if (st != OK || out->len > before) return st;
    st = language_tag_read(&tag, wanted, err);
    if (st == OK && tag.language[0]) st = choose_by_tag(out, &tag, all, err);
    return st == OK && out->len == before ? choose_by_name(out, wanted, all, err) : st;
}

static const char *itself(const void *list, size_t index)
{
    (void)index;
    return list;
}

bool language_fits(const char *wanted, const char *name)
{
    IdList found = { 0 };
    bool fits = language_same(wanted, name) ||
                (language_choose(&found, wanted, (LanguageList){ itself, name, 1 }, NULL) == OK && found.len);

    ids_free(&found);
    return fits;
}

int language_closest(const char *wanted, LanguageList all)
{
    LanguageTag meant, has;
    bool is_tag = language_tag_parse(&meant, wanted);
    size_t least = SIZE_MAX;
    int closest = -1;

    for (size_t i = 0; i < all.count; i++) {
        size_t distance;
        if (!language_tag_parse(&has, name_at(all, i))) continue;
        distance = is_tag && language_tag_same_language(&meant, &has) ? 0 : language_name_distance(&has, wanted);
        if (distance >= least) continue;
        least = distance;
        closest = (int)i;
    }
    return closest;
}

void language_describe(const char *name, char out[LANGUAGE_DESCRIBED])
{
    LanguageTag tag;

    out[0] = '\0';
    if (language_tag_parse(&tag, name)) language_name_english(&tag, out);
}

const char *language_code(const char *wanted, char room[LANGUAGE_CODE])
{
    LanguageTag tag;

    if (language_is_known(wanted) || !language_name_find(wanted, &tag, 1)) return wanted;
    language_tag_print(&tag, room);
    return room;
}
