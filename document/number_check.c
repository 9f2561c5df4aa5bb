/* number_check.c - see number_check.h. */
#include "number_check.h"

#include <stdlib.h>
#include <string.h>

#include <unicode/uchar.h>

#include "chars.h"
#include "utf8.h"

/* --- Numbers in digits. */

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

static bool has_failed(const NumberList *list)
{
    return list->failed || list->values.failed || list->groups.failed;
}

/* Whether a separator, which ends at *at, and another group follow. A space is a separator only in 1 234 567. */
static bool has_next_group(const NumberList *list, const Cursor *c, DigitGroup *next, size_t *at)
{
    const DigitGroup *last = &list->groups.data[list->groups.len - 1];
    const uint32_t code = peek(c, c->at, at);
    size_t end = *at, digits = 0;

    if (!is_space(code) && !is_point(code) && code != '\'' && code != 0x2019 && code != 0x66c) return false;
    while (digits < 4 && digit_value(peek(c, end, &end)) >= 0) digits++;
    *next = (DigitGroup){ .is_after_space = is_space(code), .is_after_point = is_point(code), .separator = code };
    if (!digits || !next->is_after_space) return digits;
    return last->length <= 3 && (list->groups.len == 1 || last->is_after_space) && digits == 3;
}

/* Whether the first `count` groups are those of a whole number, as in 1,234,567. */
static bool is_whole(const DigitGroup *groups, size_t count, const char *values)
{
    if (count > 1 && (groups[0].length > 3 || values[groups[0].value] == '0')) return false;
    for (size_t i = 1; i < count; i++)
        if (groups[i].length != 3 ||
            (groups[i].separator != groups[1].separator && !(groups[i].is_after_space && groups[1].is_after_space)))
            return false;
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

/* Adds a number of the digits of `count` groups, without needless zeros; `fraction`: the last one is its fraction. */
static void add_number(NumberList *list, const DigitGroup *groups, size_t count, bool fraction)
{
    const size_t value = list->values.len;
    size_t length, zeros = 0;
    char *digits;

    for (size_t i = 0; i < count; i++) {
        if (fraction && i + 1 == count) buf_put_byte(&list->values, '.');
        for (size_t k = 0; k < groups[i].length; k++)
            buf_put_byte(&list->values, list->values.data[groups[i].value + k]);
    }
    if (has_failed(list)) return;
    digits = list->values.data + value;
    length = list->values.len - value;
    while (fraction && digits[length - 1] == '0') length--;
    if (digits[length - 1] == '.') length--;
    while (zeros + 1 < length && digits[zeros] == '0' && digits[zeros + 1] != '.') zeros++;
    memmove(digits, digits + zeros, length - zeros);
    LIST_PUT(list, ((Number){ .value = value,
                              .length = length - zeros,
                              .place = { groups[0].place.begin, groups[count - 1].place.end } }));
}

/* Counts the number that has just been read if no language writes its separators like this. */
static void count_odd(NumberList *list, Range place)
{
    if (!list->odd_count++) list->odd = place;
}

static void add_groups(NumberList *list)
{
    const DigitGroup *groups = list->groups.data;
    const size_t count = list->groups.len;
    const char *values = list->values.data;
    bool has_comma = false;

    if (is_whole(groups, count, values) || is_indian(groups, count, values)) {
        add_number(list, groups, count, false);
    } else if (has_fraction(groups, count, values)) {
        add_number(list, groups, count, true);
    } else if (count == 2 && groups[1].is_after_point && memcmp(values + groups[1].value, "00", 2) != 0 &&
               may_be_time(groups, values)) { /* the hour and the minutes of 5.50, which may be the fraction 5.5 */
        Number fraction = { 0 };
        add_number(list, groups, 2, true);
        if (!has_failed(list)) fraction = list->data[--list->len];
        add_number(list, groups, 1, false);
        if (has_failed(list)) return;
        list->data[list->len - 1].decimal = fraction.value;
        list->data[list->len - 1].decimal_length = fraction.length;
        add_number(list, groups + 1, 1, false);
    } else { /* no date and no version has a comma */
        for (size_t i = 1; i < count; i++) has_comma |= groups[i].separator == ',';
        if (has_comma && count > 2) count_odd(list, (Range){ groups[0].place.begin, groups[count - 1].place.end });
        for (size_t i = 0; i < count; i++) add_number(list, groups + i, 1, false);
    }
}

/* Whether the letter and an m, as in pm and p.m., begin at byte `at`, perhaps after a space. */
static bool has_half(const Cursor *c, size_t at, char letter)
{
    const size_t begin = at + (at < c->length && c->text[at] == ' ');

    return begin + 1 < c->length && (c->text[begin] | 0x20) == letter &&
           ((c->text[begin + 1] | 0x20) == 'm' || c->text[begin + 1] == '.');
}

static void read_number(NumberList *list, Cursor *c)
{
    static const uint32_t multipliers[] = { 0x767e, 0x5343, 0x4e07, 0x842c, 0x4ebf, 0x5104, 0x5146, 0xb9cc, 0xc5b5 };
    static const char *const words[] = { "hundred",  "thousand", "million",  "billion",
                                         "trillion", "tausend",  "milliard", "mille " };
    const size_t first = list->len, begin = c->at;
    const char before = begin ? c->text[begin - 1] : '\0';
    DigitGroup next = { 0 };
    const DigitGroup *group;
    Number *number, *last;
    size_t at, end;
    bool is_joined; /* by a slash or a hyphen with other digits */

    list->groups.len = 0;
    if (c->text[c->at] == '.') { /* .5 lacks a zero */
        const DigitGroup zero = { .value = list->values.len, .length = 1, .place = { c->at, c->at } };
        next.is_after_point = true;
        buf_put_byte(&list->values, '0');
        LIST_PUT(&list->groups, zero);
        c->at++;
    }
    at = c->at;
    do {
        next.value = list->values.len;
        next.place.begin = at;
        for (int digit; (digit = digit_value(peek(c, at, &end))) >= 0; at = end)
            buf_put_byte(&list->values, (char)('0' + digit));
        next.place.end = c->at = at;
        next.length = list->values.len - next.value;
        LIST_PUT(&list->groups, next);
    } while (!has_failed(list) && has_next_group(list, c, &next, &at));
    if (!has_failed(list)) add_groups(list);
    if (has_failed(list)) return;
    number = &list->data[first];
    last = &list->data[list->len - 1];
    group = list->groups.data;
    number->is_hour = (c->at < c->length && c->text[c->at] == ':') || has_half(c, c->at, 'p');

    /* A word that multiplies the number, perhaps after a space, or such a character. */
    at = is_space(peek(c, c->at, &end)) ? end : c->at;
    for (size_t i = 0; i < sizeof words / sizeof *words && !last->is_multiplied; i++)
        last->is_multiplied = chars_begin_case(c->text, at, c->length, words[i]);
    for (size_t i = 0; i < sizeof multipliers / sizeof *multipliers; i++)
        list->has_multiplier |= peek(c, c->at, &end) == multipliers[i];

    for (at = c->at; at < c->length && (char_is_digit(c->text[at]) || c->text[at] == ':');) at++; /* minutes */
    number->is_morning = has_half(c, at, 'a');
    number->is_minute = begin > 1 && before == ':' && digit_value(c->text[begin - 2]) >= 0;
    if (number->is_minute && group->length > 2 && list->values.data[group->value] == '0')
        count_odd(list, number->place);
    number->is_in_word = char_is_letter(before);

    /* A date or a long number without a space after a word, Rom10.02.1971, and a year with a zero, 01967. */
    if (number->is_in_word ? list->groups.len > 2 || (list->groups.len == 1 && group->length > 3)
                           : list->groups.len == 1 && group->length == 5 && list->values.data[group->value] == '0')
        count_odd(list, (Range){ begin, c->at });
    is_joined = (c->at + 1 < c->length && strchr("/-", c->text[c->at]) && digit_value(peek(c, c->at + 1, &end)) >= 0) ||
                (begin > 1 && strchr("/-", before) && digit_value((unsigned char)c->text[begin - 2]) >= 0);
    for (size_t i = first; i < list->len; i++) list->data[i].is_in_date = list->len - first > 1 || is_joined;
}

static void begin_list(NumberList *list)
{
    buf_reuse(&list->values);
    list->len = list->odd_count = 0;
    list->has_multiplier = false;
}

static Status check_list(NumberList *list, Err *err)
{
    list->failed = has_failed(list);
    list->values.failed = list->groups.failed = false;
    return LIST_CHECK(list, "the numbers", err);
}

Status number_scan(NumberList *list, const char *text, size_t length, Err *err)
{
    Cursor c = { text, length, 0 };

    begin_list(list);
    while (c.at < length && !has_failed(list)) {
        size_t end, next_end;
        const bool may_be_point = text[c.at] == '.' && (!c.at || strchr(" (-+$", text[c.at - 1]));
        if (digit_value(peek(&c, c.at, &end)) >= 0 ||
            (may_be_point && digit_value(peek(&c, c.at + 1, &next_end)) >= 0)) /* .5 */
            read_number(list, &c);
        else
            c.at = end;
    }
    return check_list(list, err);
}

void number_list_free(NumberList *list)
{
    buf_free(&list->values);
    free(list->data);
    free(list->groups.data);
}

/* --- Numbers that are words.
 *
 * A number is a chain of words, with or without spaces and hyphens between them: vierundsiebzig, seventy-four, two
 * hundred and five. Its value grows with each word: tens and units are added, hundred and thousand multiply what is
 * before them. Two words of tens are a year: nineteen seventy. An ordinal ends a chain: twenty-first. Months and words
 * such as half, both and noon are in no chain. */

#define MOST_VALUE 1000000000

typedef enum { WORD_UNIT, WORD_TENS, WORD_FACTOR, WORD_ORDINAL, WORD_AND, WORD_ALONE, WORD_MONTH } WordKind;

typedef struct {
    const char *word;
    WordKind kind;
    unsigned value;
} NumberWord;

/* A word comes before those that it begins with. The lists end with NULL. */
/* clang-format off */
static const NumberWord german[] = {
    { "dreizehn", WORD_UNIT, 13 },       { "vierzehn", WORD_UNIT, 14 },       { "fünfzehn", WORD_UNIT, 15 },
    { "sechzehn", WORD_UNIT, 16 },       { "siebzehn", WORD_UNIT, 17 },       { "achtzehn", WORD_UNIT, 18 },
    { "neunzehn", WORD_UNIT, 19 },       { "zwanzig", WORD_TENS, 20 },        { "dreißig", WORD_TENS, 30 },
    { "dreissig", WORD_TENS, 30 },       { "vierzig", WORD_TENS, 40 },        { "fünfzig", WORD_TENS, 50 },
    { "sechzig", WORD_TENS, 60 },        { "siebzig", WORD_TENS, 70 },        { "achtzig", WORD_TENS, 80 },
    { "neunzig", WORD_TENS, 90 },        { "erst", WORD_ORDINAL, 1 },         { "dritt", WORD_ORDINAL, 3 },
    { "siebt", WORD_ORDINAL, 7 },        { "eins", WORD_UNIT, 1 },            { "eine", WORD_UNIT, 1 },
    { "ein", WORD_UNIT, 1 },             { "zwei", WORD_UNIT, 2 },            { "drei", WORD_UNIT, 3 },
    { "viertel", WORD_ALONE, 15 },       { "vier", WORD_UNIT, 4 },            { "fünf", WORD_UNIT, 5 },
    { "sechs", WORD_UNIT, 6 },           { "sieben", WORD_UNIT, 7 },          { "acht", WORD_UNIT, 8 },
    { "neun", WORD_UNIT, 9 },            { "zehn", WORD_UNIT, 10 },           { "elf", WORD_UNIT, 11 },
    { "zwölf", WORD_UNIT, 12 },          { "hundert", WORD_FACTOR, 100 },     { "tausend", WORD_FACTOR, 1000 },
    { "million", WORD_FACTOR, 1000000 }, { "und", WORD_AND, 0 },              { "halb", WORD_ALONE, 30 },
    { "januar", WORD_MONTH, 1 },         { "februar", WORD_MONTH, 2 },        { "märz", WORD_MONTH, 3 },
    { "april", WORD_MONTH, 4 },          { "mai", WORD_MONTH, 5 },            { "juni", WORD_MONTH, 6 },
    { "juli", WORD_MONTH, 7 },           { "august", WORD_MONTH, 8 },         { "september", WORD_MONTH, 9 },
    { "oktober", WORD_MONTH, 10 },       { "november", WORD_MONTH, 11 },      { "dezember", WORD_MONTH, 12 },
    { "beide", WORD_ALONE, 2 },          { "doppel", WORD_ALONE, 2 },         { "paar", WORD_ALONE, 2 },
    { "mittag", WORD_ALONE, 12 },        { "mitternacht", WORD_ALONE, 12 },   { "dutzend", WORD_ALONE, 12 },
    { NULL, WORD_AND, 0 },
};
/* clang-format on */

static const NumberWord english[] = {
    { "thirteen", WORD_UNIT, 13 },   { "fourteen", WORD_UNIT, 14 },     { "fifteen", WORD_UNIT, 15 },
    { "sixteen", WORD_UNIT, 16 },    { "seventeen", WORD_UNIT, 17 },    { "eighteen", WORD_UNIT, 18 },
    { "nineteen", WORD_UNIT, 19 },   { "twenty", WORD_TENS, 20 },       { "thirty", WORD_TENS, 30 },
    { "forty", WORD_TENS, 40 },      { "fifty", WORD_TENS, 50 },        { "sixty", WORD_TENS, 60 },
    { "seventy", WORD_TENS, 70 },    { "eighty", WORD_TENS, 80 },       { "ninety", WORD_TENS, 90 },
    { "one", WORD_UNIT, 1 },         { "two", WORD_UNIT, 2 },           { "three", WORD_UNIT, 3 },
    { "four", WORD_UNIT, 4 },        { "five", WORD_UNIT, 5 },          { "six", WORD_UNIT, 6 },
    { "seven", WORD_UNIT, 7 },       { "eight", WORD_UNIT, 8 },         { "nine", WORD_UNIT, 9 },
    { "ten", WORD_UNIT, 10 },        { "eleven", WORD_UNIT, 11 },       { "twelve", WORD_UNIT, 12 },
    { "hundred", WORD_FACTOR, 100 }, { "thousand", WORD_FACTOR, 1000 }, { "million", WORD_FACTOR, 1000000 },
    { "and", WORD_AND, 0 },          { "half", WORD_ALONE, 30 },        { "quarter", WORD_ALONE, 15 },
    { "january", WORD_MONTH, 1 },    { "february", WORD_MONTH, 2 },     { "march", WORD_MONTH, 3 },
    { "april", WORD_MONTH, 4 },      { "may", WORD_MONTH, 5 },          { "june", WORD_MONTH, 6 },
    { "july", WORD_MONTH, 7 },       { "august", WORD_MONTH, 8 },       { "september", WORD_MONTH, 9 },
    { "october", WORD_MONTH, 10 },   { "november", WORD_MONTH, 11 },    { "december", WORD_MONTH, 12 },
    { "both", WORD_ALONE, 2 },       { "double", WORD_ALONE, 2 },       { "twice", WORD_ALONE, 2 },
    { "pair", WORD_ALONE, 2 },       { "couple", WORD_ALONE, 2 },       { "noon", WORD_ALONE, 12 },
    { "midnight", WORD_ALONE, 12 },  { "midday", WORD_ALONE, 12 },      { "dozen", WORD_ALONE, 12 },
    { "first", WORD_ORDINAL, 1 },    { "second", WORD_ORDINAL, 2 },     { "third", WORD_ORDINAL, 3 },
    { "fifth", WORD_ORDINAL, 5 },    { "ninth", WORD_ORDINAL, 9 },      { "twelfth", WORD_ORDINAL, 12 },
    { NULL, WORD_AND, 0 },
};

static bool is_letter_at(const char *text, size_t length, size_t at)
{
    const unsigned char c = at < length ? (unsigned char)text[at] : ' ';

    return c >= 0x80 || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* The word of the list that begins at byte `at`, in any case of ASCII; NULL: none. *end: where it ends. */
static const NumberWord *word_at(const NumberWord *words, const char *text, size_t length, size_t at, size_t *end)
{
    while (words->word && !chars_begin_case(text, at, length, words->word)) words++;
    *end = at + (words->word ? strlen(words->word) : 0);
    return words->word ? words : NULL;
}

static void add_value(NumberList *list, unsigned long long value, Range place, bool is_month)
{
    Number number = { .value = list->values.len, .place = place, .is_month = is_month };

    buf_put_format(&list->values, "%llu", value);
    number.length = list->values.len - number.value;
    LIST_PUT(list, number);
}

/* Reads the chain that begins at byte *at, and moves it there where the chain ends. */
static void read_chain(NumberList *list, const NumberWord *words, const char *text, size_t length, size_t *at)
{
    const size_t begin = *at;
    unsigned long long sum = 0, part = 0; /* of finished thousands, and what is being added to */
    WordKind last = WORD_UNIT;
    size_t next, end;
    const NumberWord *word = word_at(words, text, length, begin, &end);

    while (word && word->kind < WORD_ALONE && sum + part < MOST_VALUE) {
        const bool is_year = word->kind == WORD_TENS && part > 10 && part <= 20 && last != WORD_AND;
        if (word->kind == WORD_FACTOR && word->value == 100) {
            part = (part ? part : 1) * 100;
        } else if (word->kind == WORD_FACTOR) {
            sum += (part ? part : 1) * word->value;
            part = 0;
        } else if (word->kind != WORD_AND) {
            part = (is_year ? part * 100 : part) + word->value;
        }
        last = word->kind;
        if (word->kind != WORD_AND) *at = end;
        if (word->kind == WORD_ORDINAL) break;
        for (next = end; next < length && (text[next] == ' ' || text[next] == '-');) next++;
        word = word_at(words, text, length, next, &end);
    }
    add_value(list, sum + part, (Range){ begin, *at }, false);
}

/* Sets *list to the numbers that are written as English or German words, months among them; half and halb are 2, and
 * 30 as minutes; a quarter and Viertel are 4, and 15 and 45. */
static Status number_scan_words(NumberList *list, const char *text, size_t length, Err *err)
{
    static const NumberWord *const languages[] = { german, english };

    begin_list(list);
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++) {
        for (size_t at = 0, end; at < length;) {
            const NumberWord *word = word_at(languages[i], text, length, at, &end);
            const Range place = { at, end };
            if (word && word->kind >= WORD_ALONE) {
                add_value(list, word->value, place, word->kind == WORD_MONTH);
                if (word->value == 15) add_value(list, 45, place, false);
                if (word->value == 15) add_value(list, 4, place, false);
                if (word->value == 30) add_value(list, 2, place, false);
            } else if (word && word->kind != WORD_AND) {
                read_chain(list, languages[i], text, length, &at);
            }
            while (is_letter_at(text, length, at)) at++;
            while (at < length && !is_letter_at(text, length, at)) at++;
        }
    }
    return check_list(list, err);
}

/* --- The comparison. */

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

/* The numbers of one text that the other text lacks. */
typedef struct {
    Value *items; /* [count] */
    size_t count;
} ValueList;

/* Lists all numbers, by value. */
static Status list_values(ValueList *out, const NumberList *numbers, Err *err)
{
    out->items = malloc((numbers->len + 1) * sizeof *out->items);
    if (!out->items) return err_memory(err, "the numbers");
    out->count = numbers->len;
    for (size_t i = 0; i < numbers->len; i++) {
        const Number *number = &numbers->data[i];
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

    for (size_t i = 0; i < numbers->len; i++) {
        Number number = numbers->data[i];
        const Value value = { numbers->values.data + number.decimal, number.decimal_length, NULL };
        if (number.decimal_length && (has_value(a, &value) || has_value(b, &value))) {
            number.value = number.decimal;
            number.length = number.decimal_length;
            number.place.end = numbers->data[++i].place.end;
        }
        numbers->data[kept++] = number;
    }
    numbers->len = kept;
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
static void describe(Buf *out, const ValueList *list, const char *text, const char *where)
{
    Range first = { SIZE_MAX, 0 };

    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].number->place.begin < first.begin) first = list->items[i].number->place;
    if (list->count)
        buf_put_format(out, "%.*s in %s", (int)(first.end - first.begin), text + first.begin, where);
    else
        buf_put_format(out, "none in %s", where);
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
    buf_clear(&check->difference);
    if (st == OK && (!may_be_words(&missing, check->knows_words) || !may_be_words(&added, check->knows_words) ||
                     (missing.count && added.count))) {
        describe(&check->difference, &missing, source, "the text");
        buf_put_text(&check->difference, ", ");
        describe(&check->difference, &added, translation, "its translation");
    } else if (st == OK && check->translation.odd_count > check->source.odd_count) {
        const Range place = check->translation.odd; /* the text has no number with such separators */
        buf_put_format(&check->difference, "none in the text, %.*s in its translation", (int)(place.end - place.begin),
                       translation + place.begin);
    }
    if (st == OK) st = buf_check(&check->difference, err);
    if (st == OK && check->difference.len) *difference = check->difference.data;
    free(missing.items);
    free(added.items);
    return st;
}

/* Whether the language, as a tag or a code, is one of those of number_scan_words(). */
static bool has_words(const char *language)
{
    static const char codes[] = "en eng de deu ger";

    return language && chars_are_among(language, strcspn(language, "-_"), codes);
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
