/* language_choice.c - see language_choice.h. */
#include "language_choice.h"

#include <stdint.h>
#include <stdio.h>
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

static Status find_fit(unsigned *out, const LanguageTag *wanted, const char *name, Err *err)
{
    LanguageTag has;
    Status st = language_tag_read(&has, name, err);

    *out = 0;
    return st == OK && has.language[0] ? language_tag_fit(out, wanted, &has, err) : st;
}

/* Adds the languages that fit the tag best. */
static Status add_best(IdList *out, const LanguageTag *wanted, LanguageList all, Err *err)
{
    unsigned best = 1, fit;
    Status st = OK;

    for (size_t i = 0; st == OK && i < all.count; i++) {
        st = find_fit(&fit, wanted, name_at(all, i), err);
        if (fit > best) best = fit;
    }
    for (size_t i = 0; st == OK && i < all.count; i++) {
        st = find_fit(&fit, wanted, name_at(all, i), err);
        if (st == OK && fit == best) st = add(out, i, err);
    }
    return st;
}

static Status choose_by_tag(IdList *out, const LanguageTag *wanted, LanguageList all, Err *err)
{
    char code[LANGUAGE_TAG_BYTES];
    const size_t before = out->len;
    Status st = OK;

    language_tag_print(wanted, code);
    if (!is_long(code)) st = choose_by_code(out, code, all, err);
    return st == OK && out->len == before ? add_best(out, wanted, all, err) : st;
}

/* Compares with the English names of the model's own languages, with their scripts and regions or without. */
static Status choose_by_own_name(IdList *out, const char *wanted, LanguageList all, bool whole, Err *err)
{
    LanguageTag has;
    Status st = OK;
    bool is;

    for (size_t i = 0; st == OK && i < all.count; i++) {
        st = language_tag_read(&has, name_at(all, i), err);
        if (st != OK || !has.language[0]) continue;
        if (!whole) has.script[0] = has.region[0] = '\0';
        st = language_name_is(&is, &has, wanted, err);
        if (st != OK || !is) continue;
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
    st = language_name_find(tags, MOST_TAGS, &count, wanted, err);
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

Status language_fits(bool *out, const char *wanted, const char *name, Err *err)
{
    IdList found = { 0 };
    Status st = OK;

    *out = language_same(wanted, name);
    if (*out) return OK;
    st = language_choose(&found, wanted, (LanguageList){ itself, name, 1 }, err);
    *out = st == OK && found.len;
    ids_free(&found);
    return st;
}

/* `meant` is the user's tag, or empty; the distance to its own language is 0. */
static Status find_distance(size_t *out, const LanguageTag *meant, const char *wanted, const LanguageTag *has, Err *err)
{
    bool same = false;
    Status st = meant->language[0] ? language_tag_same_language(&same, meant, has, err) : OK;

    *out = 0;
    return st == OK && !same ? language_name_distance(out, has, wanted, err) : st;
}

Status language_closest(int *out, const char *wanted, LanguageList all, Err *err)
{
    LanguageTag meant, has;
    size_t least = SIZE_MAX;
    Status st = language_tag_read(&meant, wanted, err);

    *out = -1;
    for (size_t i = 0; st == OK && i < all.count; i++) {
        size_t distance;
        st = language_tag_read(&has, name_at(all, i), err);
        if (st != OK || !has.language[0]) continue;
        st = find_distance(&distance, &meant, wanted, &has, err);
        if (st != OK || distance >= least) continue;
        least = distance;
        *out = (int)i;
    }
    return st;
}

Status language_describe(char out[LANGUAGE_DESCRIBED], const char *name, Err *err)
{
    LanguageTag tag;
    Status st = language_tag_read(&tag, name, err);

    out[0] = '\0';
    return st == OK && tag.language[0] ? language_name_english(out, &tag, err) : st;
}

Status language_code(const char **out, char room[LANGUAGE_CODE], const char *wanted, Err *err)
{
    const char *code;
    const size_t len = language_in_token(&code, wanted);
    LanguageTag tag = { "", "", "" };
    size_t count = 0;
    Status st;

    *out = wanted;
    if (code > wanted && len < LANGUAGE_CODE) {
        snprintf(room, LANGUAGE_CODE, "%.*s", (int)len, code);
        *out = room;
        return OK;
    }
    st = language_is_known(wanted) ? OK : language_name_find(&tag, 1, &count, wanted, err);
    if (st != OK || !count) return st;
    language_tag_print(&tag, room);
    *out = room;
    return OK;
}
