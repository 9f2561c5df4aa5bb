/* keep_cases.h - checks what of a text its translation keeps. */
#ifndef DRAGOMAN_KEEP_CASES_H
#define DRAGOMAN_KEEP_CASES_H

#include "test_support.h"

#include "document_cases.h"
#include "keep_rules.h"

/* The items, separated by |. */
static inline char *keep_cases_items(const char *text, const RangeList *list)
{
    Buf out = { 0 };

    buf_put_text(&out, "");
    for (size_t i = 0; i < list->len; i++) {
        const Range *range = &list->data[i];
        buf_put_format(&out, "%s%.*s", i ? "|" : "", (int)(range->end - range->begin), text + range->begin);
    }
    return out.data;
}

/* Checks what is found in a line; with `as_unit`, in a unit without markup. */
static inline void keep_cases_assert(KeepRules *rules, bool as_unit, const char *text, const char *expected)
{
    const UnitText unit = { .text = text, .length = strlen(text) };
    RangeList list = { 0 };
    char *items;
    Err err;

    assert_ok(as_unit ? keep_rules_find_in_unit(rules, &unit, &list, &err)
                      : keep_rules_find(rules, text, strlen(text), &list, &err),
              &err);
    items = keep_cases_items(text, &list);
    if (strcmp(items, expected) != 0) fail_msg("%s: found \"%s\", not \"%s\"", text, items, expected);
    free(items);
    ranges_free(&list);
}

static inline KeepRules *keep_cases_rules(void)
{
    KeepRules *rules;
    Err err;

    assert_ok(keep_rules_new(&rules, &err), &err);
    return rules;
}

static inline KeepRules *keep_cases_patterns(void)
{
    KeepRules *rules = keep_cases_rules();
    Err err;

    assert_ok(keep_rules_add_patterns(rules, &err), &err);
    return rules;
}

/* Finds the kept parts of all units. The caller frees them. */
static inline KeptItems keep_cases_find(const Document *doc)
{
    KeptItems items = { .ends = NULL };
    KeepRules *rules = keep_cases_patterns();
    Err err;

    assert_ok(kept_items_find(&items, rules, doc, "f", &err), &err);
    keep_rules_free(rules);
    return items;
}

#endif
