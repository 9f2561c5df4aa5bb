/* number_scan.c - see number_scan.h. */
#include "number_scan.h"

#include <stdlib.h>
#include <string.h>

#include <unicode/uchar.h>

#include "utf8.h"

typedef struct {
    const char *text; /* [length] */
    size_t length, at;
} Cursor;

/* Returns the character at byte `at` and sets *end to where it ends; 0 at the end of the text. */
static uint32_t peek(const Cursor *c, size_t at, size_t *end)
{
    uint32_t code = 0;

    *end = at;
    if (at < c->length) *end = at + utf8_next(c->text + at, c->length - at, &code);
    return code;
}

/* The value of a decimal digit of any script, or -1. */
static int digit_value(uint32_t code)
{
    if (code < 0x80) return code >= '0' && code <= '9' ? (int)code - '0' : -1;
    return u_charDigitValue((UChar32)code);
}

static bool is_space(uint32_t code)
{
    return code == ' ' || code == 0xa0 || code == 0x2009 || code == 0x202f;
}

/* Arabic has a decimal separator of its own. */
static bool is_point(uint32_t code)
{
    return code == '.' || code == ',' || code == 0x66b;
}

static bool is_separator(uint32_t code)
{
    return is_space(code) || is_point(code) || code == '\'' || code == 0x2019 || code == 0x66c;
}

static bool is_multiplier(uint32_t code)
{
    static const uint32_t codes[] = { 0x767e, 0x5343, 0x4e07, 0x842c, 0x4ebf, 0x5104, 0x5146, 0xb9cc, 0xc5b5 };

    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (code == codes[i]) return true;
    return false;
}

/* Reads the digits at the cursor as one more group. */
static Status read_group(NumberList *list, Cursor *c, DigitGroup group, Err *err)
{
    Status st = buf_grow_list(&list->groups, &list->group_capacity, list->group_count, 1, sizeof *list->groups,
                              "the numbers", err);
    size_t end;

    group.value = list->values.len;
    group.place.begin = c->at;
    for (int digit; st == OK && (digit = digit_value(peek(c, c->at, &end))) >= 0; c->at = end)
        st = buf_append(&list->values, &(char){ (char)('0' + digit) }, 1, err);
    if (st != OK) return st;
    group.place.end = c->at;
    group.length = list->values.len - group.value;
    list->groups[list->group_count++] = group;
    return OK;
}

/* Whether exactly three digits begin at byte `at`. */
static bool has_three_digits(const Cursor *c, size_t at)
{
    size_t count = 0;

    while (count < 4 && digit_value(peek(c, at, &at)) >= 0) count++;
    return count == 3;
}

/* Whether the number goes on with a separator and another group. A space is one only in 1 234 567. */
static bool has_next_group(const NumberList *list, const Cursor *c, DigitGroup *next, size_t *at)
{
    const DigitGroup *last = &list->groups[list->group_count - 1];
    const uint32_t code = peek(c, c->at, at);
    size_t end;

    if (!is_separator(code) || digit_value(peek(c, *at, &end)) < 0) return false;
    *next = (DigitGroup){ .is_after_space = is_space(code), .is_after_point = is_point(code), .separator = code };
    if (!next->is_after_space) return true;
    return last->length <= 3 && (list->group_count == 1 || last->is_after_space) && has_three_digits(c, *at);
}

static bool are_same(uint32_t separator, uint32_t other)
{
    return separator == other || (is_space(separator) && is_space(other));
}

/* Whether the first `count` groups are those of a whole number, as in 1,234,567. */
static bool is_whole(const DigitGroup *groups, size_t count, const char *values)
{
    if (count > 1 && (groups[0].length > 3 || values[groups[0].value] == '0')) return false;
    for (size_t i = 1; i < count; i++)
        if (groups[i].length != 3 || !are_same(groups[i].separator, groups[1].separator)) return false;
    return true;
}

/* Whether the groups are those of a whole number in India, as in 12,34,567. */
static bool is_indian(const DigitGroup *groups, size_t count, const char *values)
{
    if (count < 3 || groups[0].length > 2 || values[groups[0].value] == '0') return false;
    for (size_t i = 1; i < count; i++)
        if (groups[i].length != (i + 1 < count ? 2 : 3) || !groups[i].is_after_point) return false;
    return true;
}

/* Whether two groups may be a time, as in 10.30. */
static bool may_be_time(const DigitGroup *groups, const char *values)
{
    const char *hour = values + groups[0].value;

    if (groups[0].length > 2 || groups[1].length != 2 || values[groups[1].value] > '5') return false;
    if (groups[0].length == 1) return *hour != '0';
    return *hour < '2' || (*hour == '2' && hour[1] <= '4');
}

/* Whether the last group is a decimal fraction, as in 1,234.5. */
static bool has_fraction(const DigitGroup *groups, size_t count, const char *values)
{
    const DigitGroup *last = &groups[count - 1];

    if (count < 2 || !last->is_after_point || !is_whole(groups, count - 1, values)) return false;
    if (count == 2) return !may_be_time(groups, values);
    return last->separator != groups[1].separator;
}

/* Appends the digits of a group to the values. */
static Status append_digits(NumberList *list, const DigitGroup *group, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < group->length; i++) {
        const char digit = list->values.data[group->value + i];
        st = buf_append(&list->values, &digit, 1, err);
    }
    return st;
}

/* Writes the value at the end of list->values without needless zeros, and returns its length. */
static size_t shorten(NumberList *list, size_t value, bool fraction)
{
    char *digits = list->values.data + value;
    size_t length = list->values.len - value, zeros = 0;

    while (fraction && digits[length - 1] == '0') length--;
    if (digits[length - 1] == '.') length--;
    while (zeros + 1 < length && digits[zeros] == '0' && digits[zeros + 1] != '.') zeros++;
    memmove(digits, digits + zeros, length - zeros);
    return length - zeros;
}

/* Adds a number of the digits of `count` groups; `fraction`: the last one is its fraction. */
static Status add_number(NumberList *list, const DigitGroup *groups, size_t count, bool fraction, Err *err)
{
    const size_t value = list->values.len;
    Number number = { .value = value, .place = { groups[0].place.begin, groups[count - 1].place.end } };
    Status st = buf_grow_list(&list->items, &list->capacity, list->count, 1, sizeof *list->items, "the numbers", err);

    for (size_t i = 0; st == OK && i < count; i++) {
        if (fraction && i + 1 == count) st = buf_append_text(&list->values, ".", err);
        if (st == OK) st = append_digits(list, &groups[i], err);
    }
    if (st != OK) return st;
    number.length = shorten(list, value, fraction);
    list->items[list->count++] = number;
    return OK;
}

/* Adds the hour and the minutes of 5.50, which may be the fraction 5.5. */
static Status add_time(NumberList *list, Err *err)
{
    Number fraction;
    Status st = add_number(list, list->groups, 2, true, err);

    if (st != OK) return st;
    fraction = list->items[--list->count];
    st = add_number(list, list->groups, 1, false, err);
    if (st != OK) return st;
    list->items[list->count - 1].decimal = fraction.value;
    list->items[list->count - 1].decimal_length = fraction.length;
    return add_number(list, list->groups + 1, 1, false, err);
}

/* Counts the number that has just been read if no language writes its separators like this. */
static void count_odd(NumberList *list, Range place)
{
    if (!list->odd_count++) list->odd = place;
}

/* Whether the groups, which are neither a number nor a time, have a comma between them: no date and no version has. */
static bool have_odd_separators(const DigitGroup *groups, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (groups[i].separator == ',' && count > 2) return true;
    return false;
}

static Status add_groups(NumberList *list, Err *err)
{
    const DigitGroup *groups = list->groups;
    const size_t count = list->group_count;
    Status st = OK;

    if (is_whole(groups, count, list->values.data) || is_indian(groups, count, list->values.data))
        return add_number(list, groups, count, false, err);
    if (has_fraction(groups, count, list->values.data)) return add_number(list, groups, count, true, err);
    if (count == 2 && groups[1].is_after_point && memcmp(list->values.data + groups[1].value, "00", 2) != 0 &&
        may_be_time(groups, list->values.data))
        return add_time(list, err);
    if (have_odd_separators(groups, count))
        count_odd(list, (Range){ groups[0].place.begin, groups[count - 1].place.end });
    for (size_t i = 0; st == OK && i < count; i++) st = add_number(list, groups + i, 1, false, err);
    return st;
}

/* Whether the letter and an m, as in pm and p.m., begin at byte `at`, perhaps after a space. */
static bool has_half(const Cursor *c, size_t at, char letter)
{
    const size_t begin = at + (at < c->length && c->text[at] == ' ');

    return begin + 1 < c->length && (c->text[begin] | 0x20) == letter &&
           ((c->text[begin + 1] | 0x20) == 'm' || c->text[begin + 1] == '.');
}

/* Whether a colon, pm or p.m. follows. */
static bool ends_hour(const Cursor *c)
{
    return (c->at < c->length && c->text[c->at] == ':') || has_half(c, c->at, 'p');
}

/* Whether am or a.m. follows, perhaps after minutes. */
static bool ends_morning(const Cursor *c)
{
    size_t at = c->at;

    while (at < c->length && ((c->text[at] >= '0' && c->text[at] <= '9') || c->text[at] == ':')) at++;
    return has_half(c, at, 'a');
}

/* Whether a word that multiplies the number follows. */
static bool has_multiplier_word(const Cursor *c)
{
    static const char *const words[] = { "hundred",  "thousand", "million",  "billion",
                                         "trillion", "tausend",  "milliard", "mille " };
    size_t at = c->at, end;

    if (is_space(peek(c, at, &end))) at = end;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t length = strlen(words[i]);
        size_t k = 0;
        while (k < length && at + k < c->length && (c->text[at + k] | 0x20) == words[i][k]) k++;
        if (k == length) return true;
    }
    return false;
}

/* Whether the byte begins a fraction without a zero, as in .5. */
static bool begins_fraction(const Cursor *c)
{
    size_t end;

    return c->text[c->at] == '.' && (!c->at || strchr(" (-+$", c->text[c->at - 1])) &&
           digit_value(peek(c, c->at + 1, &end)) >= 0;
}

/* Reads the zero that .5 lacks, and the point. */
static Status read_point(NumberList *list, Cursor *c, Err *err)
{
    const DigitGroup zero = { .value = list->values.len, .length = 1, .place = { c->at, c->at } };
    Status st = buf_grow_list(&list->groups, &list->group_capacity, list->group_count, 1, sizeof *list->groups,
                              "the numbers", err);

    if (st == OK) st = buf_append_text(&list->values, "0", err);
    if (st == OK) list->groups[list->group_count++] = zero;
    c->at++;
    return st;
}

/* Whether the digits that have just been read are a date or a long number without a space after a word (Rom10.02.1971),
 * or a year with a zero (01967). */
static bool is_odd_part(const NumberList *list, bool is_in_word)
{
    const size_t length = list->groups[0].length;

    if (is_in_word) return list->group_count > 2 || (list->group_count == 1 && length > 3);
    return list->group_count == 1 && length == 5 && list->values.data[list->groups[0].value] == '0';
}

/* Whether a slash or a hyphen joins the digits from byte `begin` to the cursor with others. */
static bool is_joined(const Cursor *c, size_t begin)
{
    size_t end;

    return (c->at + 1 < c->length && strchr("/-", c->text[c->at]) && digit_value(peek(c, c->at + 1, &end)) >= 0) ||
           (begin > 1 && strchr("/-", c->text[begin - 1]) && digit_value((unsigned char)c->text[begin - 2]) >= 0);
}

static bool is_letter(char c)
{
    return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

static Status read_number(NumberList *list, Cursor *c, Err *err)
{
    const size_t first = list->count, begin = c->at;
    DigitGroup next = { 0 };
    size_t at, end;
    Status st = OK;

    list->group_count = 0;
    if (c->text[c->at] == '.') {
        next.is_after_point = true;
        st = read_point(list, c, err);
    }
    at = c->at;
    do {
        c->at = at;
        if (st == OK) st = read_group(list, c, next, err);
    } while (st == OK && has_next_group(list, c, &next, &at));
    if (st == OK) st = add_groups(list, err);
    if (st != OK) return st;
    list->items[first].is_hour = ends_hour(c);
    list->items[list->count - 1].is_multiplied = has_multiplier_word(c);
    list->items[first].is_morning = ends_morning(c);
    list->items[first].is_minute = begin > 1 && c->text[begin - 1] == ':' && digit_value(c->text[begin - 2]) >= 0;
    if (list->items[first].is_minute && list->groups[0].length > 2 && list->values.data[list->groups[0].value] == '0')
        count_odd(list, list->items[first].place);
    list->items[first].is_in_word = begin && is_letter(c->text[begin - 1]);
    if (is_odd_part(list, list->items[first].is_in_word)) count_odd(list, (Range){ begin, c->at });
    for (size_t i = first; i < list->count; i++)
        list->items[i].is_in_date = list->count - first > 1 || is_joined(c, begin);
    list->has_multiplier = list->has_multiplier || is_multiplier(peek(c, c->at, &end));
    return OK;
}

Status number_scan(NumberList *list, const char *text, size_t length, Err *err)
{
    Cursor c = { text, length, 0 };
    Status st = OK;

    buf_reuse(&list->values);
    list->count = 0;
    list->has_multiplier = false;
    list->odd_count = 0;
    while (st == OK && c.at < length) {
        size_t end;
        if (digit_value(peek(&c, c.at, &end)) >= 0 || begins_fraction(&c))
            st = read_number(list, &c, err);
        else
            c.at = end;
    }
    return st;
}

void number_list_free(NumberList *list)
{
    buf_free(&list->values);
    free(list->items);
    free(list->groups);
}
