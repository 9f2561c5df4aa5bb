/* number_check.c - see number_check.h. */
#include "number_check.h"

#include <stdlib.h>
#include <string.h>

#define MOST_AS_WORD    12
#define HOURS           12
#define MOST_MULTIPLIED 100

/* Numbers with their values, which can be sorted. */
typedef struct {
    const char *value; /* [length] */
    size_t length;
    const Number *number;
} Value;

static int compare_values(const void *a, const void *b)
{
    const Value *x = a, *y = b;
    const int order = memcmp(x->value, y->value, x->length < y->length ? x->length : y->length);

    return order ? order : x->length < y->length ? -1 : x->length > y->length;
}

static int compare_places(const void *a, const void *b)
{
    const Value *x = a, *y = b;

    return x->number->place.begin < y->number->place.begin ? -1 : x->number->place.begin > y->number->place.begin;
}

/* The numbers of one text that the other text lacks. */
typedef struct {
    Value *items; /* [count] */
    size_t count;
} ValueList;

/* Lists all numbers, by value. */
static Status list_values(ValueList *out, const NumberList *numbers, Err *err)
{
    out->items = malloc((numbers->count + 1) * sizeof *out->items);
    if (!out->items) return err_memory(err, "the numbers");
    out->count = numbers->count;
    for (size_t i = 0; i < numbers->count; i++) {
        const Number *number = &numbers->items[i];
        out->items[i] = (Value){ numbers->values.data + number->value, number->length, number };
    }
    qsort(out->items, out->count, sizeof *out->items, compare_values);
    return OK;
}

static bool has_value(const ValueList *list, const Value *value)
{
    return list->count && bsearch(value, list->items, list->count, sizeof *value, compare_values);
}

/* Makes one fraction of each hour with minutes whose value as a fraction is in one of the texts. */
static void join_fractions(NumberList *numbers, const ValueList *a, const ValueList *b)
{
    size_t kept = 0;

    for (size_t i = 0; i < numbers->count; i++) {
        Number number = numbers->items[i];
        const Value value = { numbers->values.data + number.decimal, number.decimal_length, NULL };
        if (number.decimal_length && (has_value(a, &value) || has_value(b, &value))) {
            number.value = number.decimal;
            number.length = number.decimal_length;
            number.place.end = numbers->items[++i].place.end;
        }
        numbers->items[kept++] = number;
    }
    numbers->count = kept;
}

/* Lists the numbers of both texts, by value. */
static Status list_both(NumberCheck *check, ValueList *source, ValueList *translation, Err *err)
{
    ValueList a = { NULL, 0 }, b = { NULL, 0 };
    Status st = list_values(&a, &check->source, err);

    if (st == OK) st = list_values(&b, &check->translation, err);
    if (st == OK) {
        join_fractions(&check->source, &a, &b);
        join_fractions(&check->translation, &a, &b);
        st = list_values(source, &check->source, err);
    }
    if (st == OK) st = list_values(translation, &check->translation, err);
    free(a.items);
    free(b.items);
    return st;
}

/* Removes the numbers that both texts have. */
static void remove_common(ValueList *a, ValueList *b)
{
    size_t i = 0, k = 0, kept_a = 0, kept_b = 0;

    while (i < a->count || k < b->count) {
        const int order = i == a->count ? 1 : k == b->count ? -1 : compare_values(&a->items[i], &b->items[k]);
        if (order < 0)
            a->items[kept_a++] = a->items[i++];
        else if (order > 0)
            b->items[kept_b++] = b->items[k++];
        else
            i++, k++;
    }
    a->count = kept_a;
    b->count = kept_b;
}

/* The value of a whole number below 100, or -1. */
static int small_value(const Value *value)
{
    if (value->length > 2 || memchr(value->value, '.', value->length)) return -1;
    return value->length == 1 ? value->value[0] - '0' : 10 * (value->value[0] - '0') + value->value[1] - '0';
}

/* The other spelling of an hour from 1 to 12: one from 13 to 23, or 0. */
static int other_hour(int hour)
{
    return hour == HOURS ? 0 : hour + HOURS;
}

static bool is_other_hour(int hour)
{
    return !hour || (hour > HOURS && hour < 2 * HOURS);
}

/* Removes each hour of `a` that `b` has as an hour of the afternoon, or as 0. */
static void remove_hours(ValueList *a, ValueList *b)
{
    size_t afternoon[2 * HOURS] = { 0 }, common[2 * HOURS] = { 0 }, kept = 0;

    for (size_t i = 0; i < b->count; i++) {
        const int hour = small_value(&b->items[i]);
        if (is_other_hour(hour)) afternoon[hour]++;
    }
    for (size_t i = 0; i < a->count; i++) {
        const int hour = small_value(&a->items[i]);
        if (a->items[i].number->is_hour && (hour == HOURS || !a->items[i].number->is_morning) && hour > 0 &&
            hour <= HOURS && afternoon[other_hour(hour)]) {
            afternoon[other_hour(hour)]--;
            common[other_hour(hour)]++;
        } else {
            a->items[kept++] = a->items[i];
        }
    }
    a->count = kept;
    kept = 0;
    for (size_t i = 0; i < b->count; i++) {
        const int hour = small_value(&b->items[i]);
        if (is_other_hour(hour) && common[hour])
            common[hour]--;
        else
            b->items[kept++] = b->items[i];
    }
    b->count = kept;
}

/* Whether two values have the same digits besides zeros at their ends: 1500000 and 1.5. */
static bool are_multiples(const Value *a, const Value *b)
{
    const Value *values[] = { a, b };
    const char *digits[2];
    size_t at[2] = { 0 }, length[2];

    for (size_t i = 0; i < 2; i++) {
        digits[i] = values[i]->value;
        length[i] = values[i]->length;
        while (length[i] && (digits[i][length[i] - 1] == '0' || digits[i][length[i] - 1] == '.')) length[i]--;
        while (at[i] < length[i] && (digits[i][at[i]] == '0' || digits[i][at[i]] == '.')) at[i]++;
    }
    while (at[0] < length[0] && at[1] < length[1]) {
        at[0] += digits[0][at[0]] == '.';
        at[1] += digits[1][at[1]] == '.';
        if (digits[0][at[0]++] != digits[1][at[1]++]) return false;
    }
    return at[0] == length[0] && at[1] == length[1];
}

/* Removes the numbers that `a` multiplies by a word and `b` has in digits, unless there are too many for pairs. */
static void remove_multiplied(ValueList *a, ValueList *b)
{
    size_t kept = 0;

    if (a->count > MOST_MULTIPLIED || b->count > MOST_MULTIPLIED) return;
    for (size_t i = 0; i < a->count; i++) {
        size_t k = a->items[i].number->is_multiplied ? 0 : b->count;
        while (k < b->count && !are_multiples(&a->items[i], &b->items[k])) k++;
        if (k < b->count)
            memmove(b->items + k, b->items + k + 1, (--b->count - k) * sizeof *b->items);
        else
            a->items[kept++] = a->items[i];
    }
    a->count = kept;
}

/* Whether all of the numbers may be words in the other text, or minutes that it leaves out. `knows_words`: those that
 * are among its words have been removed, so only 0 and 1, which are articles and the like, and parts of words are
 * left. */
static bool may_be_words(const ValueList *list, bool knows_words)
{
    for (size_t i = 0; i < list->count; i++) {
        const int value = small_value(&list->items[i]);
        if (knows_words && value > 1 && !list->items[i].number->is_in_word) return false;
        if (value < 0 || value > MOST_AS_WORD || (value && list->items[i].number->is_minute)) return false;
    }
    return true;
}

/* Whether the list, of words, has the value. Names of months are those of numbers in dates. */
static bool has_word(const ValueList *list, const Value *value)
{
    const Value *found = list->count ? bsearch(value, list->items, list->count, sizeof *value, compare_values) : NULL;

    if (!found || value->number->is_in_date) return found;
    while (found > list->items && !compare_values(found - 1, value)) found--;
    for (; found < list->items + list->count && !compare_values(found, value); found++)
        if (!found->number->is_month) return true;
    return false;
}

/* Removes the numbers that the other text has as words. */
static Status remove_words(ValueList *list, NumberList *words, const char *other, size_t length, Err *err)
{
    ValueList found = { NULL, 0 };
    size_t kept = 0;
    Status st = list->count ? number_scan_words(words, other, length, err) : OK;

    if (st != OK || !list->count) return st;
    st = list_values(&found, words, err);
    for (size_t i = 0; st == OK && i < list->count; i++)
        if (!has_word(&found, &list->items[i])) list->items[kept++] = list->items[i];
    if (st == OK) list->count = kept;
    free(found.items);
    return st;
}

/* Appends the first number of the list as the text spells it. */
static Status describe(Buf *out, ValueList *list, const char *text, const char *where, Err *err)
{
    const Range *place;

    if (!list->count) return buf_append_format(out, err, "none in %s", where);
    qsort(list->items, list->count, sizeof *list->items, compare_places);
    place = &list->items[0].number->place;
    return buf_append_format(out, err, "%.*s in %s", (int)(place->end - place->begin), text + place->begin, where);
}

/* The text has no number like this one, in which the separators are wrong. */
static Status describe_odd(NumberCheck *check, const char *translation, const char **difference, Err *err)
{
    const Range place = check->translation.odd;
    Status st;

    buf_clear(&check->difference);
    st = buf_append_format(&check->difference, err, "none in the text, %.*s in its translation",
                           (int)(place.end - place.begin), translation + place.begin);
    if (st == OK) *difference = check->difference.data;
    return st;
}

Status number_check_compare(NumberCheck *check, const char *source, size_t source_length, const char *translation,
                            size_t translation_length, const char **difference, Err *err)
{
    ValueList missing = { NULL, 0 }, added = { NULL, 0 };
    Status st = number_scan(&check->source, source, source_length, err);

    *difference = NULL;
    if (st == OK) st = number_scan(&check->translation, translation, translation_length, err);
    if (st != OK || check->source.has_multiplier || check->translation.has_multiplier) return st;
    st = list_both(check, &missing, &added, err);
    if (st == OK) {
        remove_common(&missing, &added);
        remove_hours(&missing, &added);
        remove_hours(&added, &missing);
        remove_multiplied(&missing, &added);
        remove_multiplied(&added, &missing);
        st = remove_words(&missing, &check->words, translation, translation_length, err);
    }
    if (st == OK) st = remove_words(&added, &check->words, source, source_length, err);
    if (st == OK && (!may_be_words(&missing, check->knows_words) || !may_be_words(&added, check->knows_words) ||
                     (missing.count && added.count))) {
        buf_clear(&check->difference);
        st = describe(&check->difference, &missing, source, "the text", err);
        if (st == OK) st = buf_append_text(&check->difference, ", ", err);
        if (st == OK) st = describe(&check->difference, &added, translation, "its translation", err);
        if (st == OK) *difference = check->difference.data;
    }
    if (st == OK && !*difference && check->translation.odd_count > check->source.odd_count)
        st = describe_odd(check, translation, difference, err);
    free(missing.items);
    free(added.items);
    return st;
}

/* Whether the language, as a tag or a code, is one of those of number_scan_words(). */
static bool has_words(const char *language)
{
    static const char *const codes[] = { "en", "eng", "de", "deu", "ger" };
    const size_t length = language ? strcspn(language, "-_") : 0;

    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (length == strlen(codes[i]) && !memcmp(language, codes[i], length)) return true;
    return false;
}

void number_check_set_languages(NumberCheck *check, const char *source, const char *translation)
{
    check->knows_words = has_words(source) && has_words(translation);
}

void number_check_free(NumberCheck *check)
{
    number_list_free(&check->source);
    number_list_free(&check->translation);
    number_list_free(&check->words);
    buf_free(&check->difference);
}
