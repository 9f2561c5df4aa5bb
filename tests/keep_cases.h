/* keep_cases.h - checks what of a text its translation keeps. */
#ifndef DRAGOMAN_KEEP_CASES_H
#define DRAGOMAN_KEEP_CASES_H

#include "test_support.h"

#include "keep_rules.h"

/* The items, separated by |. */
static inline char *keep_cases_items(const char *text, const RangeList *list)
{
    Buf out = { 0 };

    buf_put(&out, "", 0);
    for (size_t i = 0; i < list->len; i++) {
        const Range *range = &list->data[i];
        buf_put_format(&out, "%s%.*s", i ? "|" : "", (int)(range->end - range->begin), text + range->begin);
    }
    return out.data;
}

static inline void keep_cases_assert_found(const KeepRules *rules, const char *text, const char *expected)
{
    RangeList list = { 0 };
    char *items;
    Err err;

    assert_ok(keep_rules_find(rules, text, strlen(text), &list, &err), &err);
    items = keep_cases_items(text, &list);
    if (strcmp(items, expected) != 0) fail_msg("%s: found \"%s\", not \"%s\"", text, items, expected);
    free(items);
    ranges_free(&list);
}

/* Checks what is found in a unit that has no markup. */
static inline void keep_cases_assert_kept(const KeepRules *rules, const char *text, const char *expected)
{
    const UnitText unit = { .text = text, .length = strlen(text) };
    RangeList list = { 0 };
    char *items;
    Err err;

    assert_ok(keep_rules_find_in_unit(rules, &unit, &list, &err), &err);
    items = keep_cases_items(text, &list);
    if (strcmp(items, expected) != 0) fail_msg("%s: kept \"%s\", not \"%s\"", text, items, expected);
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

typedef struct {
    const char *text, *items;
} KeepCase;

static inline void keep_cases_check(const KeepCase *cases, size_t count)
{
    KeepRules *rules = keep_cases_patterns();

    for (size_t i = 0; i < count; i++) keep_cases_assert_kept(rules, cases[i].text, cases[i].items);
    keep_rules_free(rules);
}

#endif
