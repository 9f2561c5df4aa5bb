/* number_check.c - see number_check.h. */
#include "number_check.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <unicode/uchar.h>

#include "chars.h"
#include "ranges.h"
#include "utf8.h"

/* --- Numbers in digits. */

typedef struct {
    LineText digits;                /* ASCII, no leading zeros, "." before a fraction. check_list() sets the pointer */
    size_t at;                      /* index of the digits in NumberList.values */
    size_t decimal, decimal_length; /* for the 5 of 5.50, which may be a time: "5.5" in .values; length 0: none */
    Range place;                    /* in the text */
    bool is_hour;                   /* a colon or pm follows: 5:30, 5 pm, 5.30 pm */
    bool is_morning;                /* an hour before am */
    bool is_minute;                 /* a colon precedes it */
    bool is_in_date;                /* a full stop, slash or hyphen joins it to other digits: 05 in 05.08 */
    bool is_month;                  /* it is the name of a month */
    bool is_in_word;                /* an ASCII letter precedes it: m2, CO2 */
    bool is_multiplied;             /* thousand, million or the like follows */
} Number;

/* Digits between two separators. */
typedef struct {
    size_t value, length; /* in NumberList.values */
    Range place;
    uint32_t separator; /* the character before the group; 0: none */
} DigitGroup;

/* The numbers of a text. Starts as {0} and ends with free_list(). */
typedef struct {
    Number *data; /* [len], in the order of the text until sort_list() */
    size_t len, cap;
    bool failed;
    Buf values;
    LIST_OF(DigitGroup) groups; /* of the number that is being read */
    size_t odd_count;           /* numbers with odd separators, which no language uses so: 05,08.02 and 16:000 */
    Range odd;                  /* the first such number */
    bool has_multiplier;        /* a character that multiplies a number, such as 万, follows one */
} NumberList;

typedef struct {
    const char *text; /* [length] */
    size_t length, at;
} Cursor;

/* Returns the character at byte `at` and sets *end to its end. Returns 0 at the end of the text. */
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

/* Whether the character may be a decimal separator. Arabic has a special one. */
static bool is_point(uint32_t code)
{
    return code == '.' || code == ',' || code == 0x66b;
}

static bool has_failed(const NumberList *list)
{
    return list->failed || list->values.failed || list->groups.failed;
}

/* Whether a separator and another group follow; sets *at to the end of the separator. A space is a separator only in
 * numbers such as 1 234 567. */
static bool has_next_group(const NumberList *list, const Cursor *c, DigitGroup *next, size_t *at)
{
    const DigitGroup *last = &list->groups.data[list->groups.len - 1];
    const uint32_t code = peek(c, c->at, at);
    size_t end = *at, digits = 0;

    if (!is_space(code) && !is_point(code) && code != '\'' && code != 0x2019 && code != 0x66c) return false;
    while (digits < 4 && digit_value(peek(c, end, &end)) >= 0) digits++;
    *next = (DigitGroup){ .separator = code };
    if (!digits || !is_space(code)) return digits;
    return last->length <= 3 && (list->groups.len == 1 || is_space(last->separator)) && digits == 3;
}

/* Whether the first `count` groups form a whole number, as in 1,234,567. */
static bool is_whole(const DigitGroup *groups, size_t count, const char *values)
{
    if (count > 1 && (groups[0].length > 3 || values[groups[0].value] == '0')) return false;
    for (size_t i = 1; i < count; i++)
        if (groups[i].length != 3 || (groups[i].separator != groups[1].separator &&
                                      !(is_space(groups[i].separator) && is_space(groups[1].separator))))
            return false;
    return true;
}

/* Whether the groups form a whole number as India writes it, 12,34,567. */
static bool is_indian(const DigitGroup *groups, size_t count, const char *values)
{
    if (count < 3 || groups[0].length > 2 || values[groups[0].value] == '0') return false;
    for (size_t i = 1; i < count; i++)
        if (groups[i].length != (i + 1 < count ? 2 : 3) || !is_point(groups[i].separator)) return false;
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

    if (count < 2 || !is_point(last->separator) || !is_whole(groups, count - 1, values)) return false;
    if (count == 2) return !may_be_time(groups, values);
    return last->separator != groups[1].separator;
}

/* Adds a number with the digits of the groups, without needless zeros. `fraction`: the last group is its fraction. */
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
    LIST_PUT(list, ((Number){ .at = value,
                              .digits.len = length - zeros,
                              .place = { groups[0].place.begin, groups[count - 1].place.end } }));
}

/* Counts a number with separators that no language writes. */
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
    } else if (count == 2 && is_point(groups[1].separator) && memcmp(values + groups[1].value, "00", 2) != 0 &&
               may_be_time(groups, values)) { /* 5.50: adds an hour and its minutes; it may also be 5.5 */
        Number fraction = { 0 };
        add_number(list, groups, 2, true);
        if (!has_failed(list)) fraction = list->data[--list->len];
        add_number(list, groups, 1, false);
        if (has_failed(list)) return;
        list->data[list->len - 1].decimal = fraction.at;
        list->data[list->len - 1].decimal_length = fraction.digits.len;
        add_number(list, groups + 1, 1, false);
    } else { /* each group is a number, as in dates and versions; these have no commas, so a comma is odd */
        for (size_t i = 1; i < count; i++) has_comma |= groups[i].separator == ',';
        if (has_comma && count > 2) count_odd(list, (Range){ groups[0].place.begin, groups[count - 1].place.end });
        for (size_t i = 0; i < count; i++) add_number(list, groups + i, 1, false);
    }
}

/* Whether am or a.m. (for the letter p: pm or p.m.) follows at byte `at`, perhaps after a space. */
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
    bool is_joined; /* a slash or a hyphen joins it to other digits */

    list->groups.len = 0;
    if (c->text[c->at] == '.') { /* .5 is 0.5 */
        const DigitGroup zero = { .value = list->values.len, .length = 1, .place = { c->at, c->at } };
        next.separator = '.';
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

    /* A word or a character that multiplies the number may follow. There may be a space before the word. */
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

    /* Also odd: a date or a long number directly after a letter (Rom10.02.1971), and a year with a zero (01967). */
    if (number->is_in_word ? list->groups.len > 2 || (list->groups.len == 1 && group->length > 3)
                           : list->groups.len == 1 && group->length == 5 && list->values.data[group->value] == '0')
        count_odd(list, (Range){ begin, c->at });
    is_joined = (c->at + 1 < c->length && strchr("/-", c->text[c->at]) && digit_value(peek(c, c->at + 1, &end)) >= 0) ||
                (begin > 1 && strchr("/-", before) && digit_value((unsigned char)c->text[begin - 2]) >= 0);
    for (size_t i = first; i < list->len; i++) list->data[i].is_in_date = list->len - first > 1 || is_joined;
}

/* Completes the list: sets the digits of its numbers, and checks whether memory has run out. */
static Status check_list(NumberList *list, Err *err)
{
    list->failed = has_failed(list);
    for (size_t i = 0; i < list->len; i++) list->data[i].digits.data = list->values.data + list->data[i].at;
    return LIST_CHECK(list, "the numbers", err);
}

/* Adds the numbers of text[0..length), valid UTF-8, to the empty list. */
static Status find_numbers(NumberList *list, const char *text, size_t length, Err *err)
{
    Cursor c = { text, length, 0 };

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

static void free_list(NumberList *list)
{
    buf_free(&list->values);
    free(list->data);
    free(list->groups.data);
}

/* --- Numbers that are words.
 *
 * A number is a chain of words, with or without spaces and hyphens between them: vierundsiebzig, seventy-four, two
 * hundred and five. Its value grows with each word: tens and units are added; hundred and thousand multiply the value
 * before them. Two words of tens are a year: nineteen seventy. An ordinal ends a chain: twenty-first. Months and words
 * such as half, both and noon belong to no chain. */

#define MOST_VALUE 1000000000

typedef enum { WORD_UNIT, WORD_TENS, WORD_FACTOR, WORD_ORDINAL, WORD_AND, WORD_ALONE, WORD_MONTH, WORD_NONE } WordKind;

typedef struct {
    WordKind kind;
    unsigned value;
} NumberWord;

/* Words of a language, separated by spaces. Their values are value, value + step, value + 2 * step and so on. */
typedef struct {
    WordKind kind;
    unsigned value, step;
    const char *words;
} NumberWords;

/* A word must come before shorter words with which it begins: dreizehn before drei. The lists end with NULL. */
static const NumberWords german[] = {
    { WORD_UNIT, 13, 1, "dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn" },
    { WORD_TENS, 20, 10, "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig" },
    { WORD_TENS, 30, 0, "dreissig" },
    { WORD_ORDINAL, 1, 2, "erst dritt" },
    { WORD_ORDINAL, 7, 0, "siebt" },
    { WORD_UNIT, 1, 0, "eins eine ein" },
    { WORD_ALONE, 15, 0, "viertel" },
    { WORD_UNIT, 2, 1, "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf" },
    { WORD_FACTOR, 100, 0, "hundert" },
    { WORD_FACTOR, 1000, 0, "tausend" },
    { WORD_FACTOR, 1000000, 0, "million" },
    { WORD_AND, 0, 0, "und" },
    { WORD_ALONE, 30, 0, "halb" },
    { WORD_MONTH, 1, 1, "januar februar märz april mai juni juli august september oktober november dezember" },
    { WORD_ALONE, 2, 0, "beide doppel paar" },
    { WORD_ALONE, 12, 0, "mittag mitternacht dutzend" },
    { WORD_NONE, 0, 0, NULL },
};

static const NumberWords english[] = {
    { WORD_UNIT, 13, 1, "thirteen fourteen fifteen sixteen seventeen eighteen nineteen" },
    { WORD_TENS, 20, 10, "twenty thirty forty fifty sixty seventy eighty ninety" },
    { WORD_UNIT, 1, 1, "one two three four five six seven eight nine ten eleven twelve" },
    { WORD_FACTOR, 100, 0, "hundred" },
    { WORD_FACTOR, 1000, 0, "thousand" },
    { WORD_FACTOR, 1000000, 0, "million" },
    { WORD_AND, 0, 0, "and" },
    { WORD_ALONE, 30, 0, "half" },
    { WORD_ALONE, 15, 0, "quarter" },
    { WORD_MONTH, 1, 1, "january february march april may june july august september october november december" },
    { WORD_ALONE, 2, 0, "both double twice pair couple" },
    { WORD_ALONE, 12, 0, "noon midnight midday dozen" },
    { WORD_ORDINAL, 1, 1, "first second third" },
    { WORD_ORDINAL, 5, 4, "fifth ninth" },
    { WORD_ORDINAL, 12, 0, "twelfth" },
    { WORD_NONE, 0, 0, NULL },
};

static bool is_letter_at(const char *text, size_t length, size_t at)
{
    const unsigned char c = at < length ? (unsigned char)text[at] : ' ';

    return c >= 0x80 || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* Returns the word of the list at byte `at`, in upper or lower case, and sets *end to its end; WORD_NONE: no word. */
static NumberWord word_at(const NumberWords *row, const char *text, size_t length, size_t at, size_t *end)
{
    for (; row->words; row++) {
        NumberWord found = { row->kind, row->value };
        for (const char *word = row->words; *word; found.value += row->step) {
            const size_t size = strcspn(word, " ");
            *end = at + size;
            if (*end <= length && strncasecmp(text + at, word, size) == 0) return found;
            word += size + (word[size] == ' ');
        }
    }
    *end = at;
    return (NumberWord){ WORD_NONE, 0 };
}

static void add_value(NumberList *list, unsigned long long value, Range place, bool is_month)
{
    Number number = { .at = list->values.len, .place = place, .is_month = is_month };

    buf_put_format(&list->values, "%llu", value);
    number.digits.len = list->values.len - number.at;
    LIST_PUT(list, number);
}

/* Reads the words that form one number, such as "two hundred and five", from byte *at on, adds their value to the list,
 * and moves *at to their end. */
static void read_chain(NumberList *list, const NumberWords *words, const char *text, size_t length, size_t *at)
{
    const size_t begin = *at;
    unsigned long long sum = 0, part = 0; /* the value up to the last thousand or million, and after it */
    WordKind last = WORD_UNIT;
    size_t next, end;
    NumberWord word = word_at(words, text, length, begin, &end);

    while (word.kind < WORD_ALONE && sum + part < MOST_VALUE) {
        const bool is_year = word.kind == WORD_TENS && part > 10 && part <= 20 && last != WORD_AND;
        if (word.kind == WORD_FACTOR && word.value == 100) {
            part = (part ? part : 1) * 100;
        } else if (word.kind == WORD_FACTOR) {
            sum += (part ? part : 1) * word.value;
            part = 0;
        } else if (word.kind != WORD_AND) {
            part = (is_year ? part * 100 : part) + word.value;
        }
        last = word.kind;
        if (word.kind != WORD_AND) *at = end;
        if (word.kind == WORD_ORDINAL) break;
        for (next = end; next < length && (text[next] == ' ' || text[next] == '-');) next++;
        word = word_at(words, text, length, next, &end);
    }
    add_value(list, sum + part, (Range){ begin, *at }, false);
}

/* Adds the numbers and months that are written as English or German words to the empty list. Some words can stand for
 * several numbers, all of which are added: half for 2 and 30 (minutes), quarter for 4, 15 and 45. */
static Status find_words(NumberList *list, const char *text, size_t length, Err *err)
{
    static const NumberWords *const languages[] = { german, english };

    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++) {
        for (size_t at = 0, end; at < length;) {
            const NumberWord word = word_at(languages[i], text, length, at, &end);
            const Range place = { at, end };
            if (word.kind < WORD_AND) read_chain(list, languages[i], text, length, &at);
            if (word.kind == WORD_MONTH || word.kind == WORD_ALONE)
                add_value(list, word.value, place, word.kind == WORD_MONTH);
            if (word.kind == WORD_ALONE && word.value == 15) add_value(list, 45, place, false);
            if (word.kind == WORD_ALONE && word.value == 15) add_value(list, 4, place, false);
            if (word.kind == WORD_ALONE && word.value == 30) add_value(list, 2, place, false);
            while (is_letter_at(text, length, at)) at++;
            while (at < length && !is_letter_at(text, length, at)) at++;
        }
    }
    return check_list(list, err);
}

/* --- The comparison. The lists of both texts are sorted by value, and numbers that both texts have are removed from
 * both. */

#define MOST_AS_WORD    12
#define HOURS           12
#define MOST_MULTIPLIED 100

static void sort_list(NumberList *list)
{
    if (list->len) qsort(list->data, list->len, sizeof *list->data, ranges_compare_texts);
}

/* Returns a number of the sorted list with this value, or NULL. */
static const Number *find_value(const NumberList *list, const Number *value)
{
    return list->len ? bsearch(value, list->data, list->len, sizeof *value, ranges_compare_texts) : NULL;
}

/* Replaces the hour and the minutes of 5.50 by the fraction 5.5 if `all`, the numbers of both texts, has 5.5. */
static void join_fractions(NumberList *list, const NumberList *all)
{
    size_t kept = 0;

    for (size_t i = 0; i < list->len; i++) {
        Number number = list->data[i], fraction = number;
        fraction.digits = (LineText){ list->values.data + number.decimal, number.decimal_length };
        if (fraction.digits.len && find_value(all, &fraction)) {
            fraction.place.end = list->data[++i].place.end;
            number = fraction;
        }
        list->data[kept++] = number;
    }
    list->len = kept;
}

/* Removes the numbers that both lists have from both. */
static void remove_common(NumberList *a, NumberList *b)
{
    size_t i = 0, k = 0, kept_a = 0, kept_b = 0;

    while (i < a->len || k < b->len) {
        const int order = i == a->len ? 1 : k == b->len ? -1 : ranges_compare_texts(&a->data[i], &b->data[k]);
        if (order < 0)
            a->data[kept_a++] = a->data[i++];
        else if (order > 0)
            b->data[kept_b++] = b->data[k++];
        else
            i++, k++;
    }
    a->len = kept_a;
    b->len = kept_b;
}

/* The value of a whole number below 100, or -1. */
static int small_value(const Number *number)
{
    const char *digits = number->digits.data;

    if (number->digits.len > 2 || memchr(digits, '.', number->digits.len)) return -1;
    return number->digits.len == 1 ? digits[0] - '0' : 10 * (digits[0] - '0') + digits[1] - '0';
}

/* Whether the text says that an hour is in the second half of the day: 3 pm, 9 o'clock tonight. */
static bool has_afternoon(const char *text, size_t length)
{
    static const char *const words[] = { "afternoon", "evening", "night", "nachmittag", "abend", "nachts" };
    const Cursor c = { .text = text, .length = length };

    for (size_t at = 0; at < length; at++) {
        if (at && char_is_digit(text[at - 1]) && has_half(&c, at, 'p')) return true;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (chars_begin_case(text, at, length, words[i])) return true;
    }
    return false;
}

/* Removes from both lists the hours that `a` has on the 12-hour clock and `b` on the 24-hour clock: 2 pm and 14. */
static void remove_hours(NumberList *a, NumberList *b)
{
    size_t hours[2 * HOURS] = { 0 }, common[2 * HOURS] = { 0 }, kept = 0; /* counts for each value in `b` */

    for (size_t i = 0; i < b->len; i++) {
        const int hour = small_value(&b->data[i]);
        if (hour >= 0 && hour < 2 * HOURS) hours[hour]++;
    }
    for (size_t i = 0; i < a->len; i++) {
        const Number *number = &a->data[i];
        const int hour = small_value(number), other = hour == HOURS ? 0 : hour + HOURS;
        const bool may_differ = number->is_hour && (hour == HOURS || !number->is_morning);
        if (may_differ && hour > 0 && hour <= HOURS && common[other] < hours[other])
            common[other]++;
        else
            a->data[kept++] = *number;
    }
    a->len = kept;
    kept = 0;
    for (size_t i = 0; i < b->len; i++) {
        const int hour = small_value(&b->data[i]);
        if (hour >= 0 && hour < 2 * HOURS && common[hour])
            common[hour]--;
        else
            b->data[kept++] = b->data[i];
    }
    b->len = kept;
}

/* Returns the digits of a number without zeros and points at the beginning and the end. */
static LineText significant_digits(const Number *number)
{
    LineText text = number->digits;

    while (text.len && strchr("0.", text.data[text.len - 1])) text.len--;
    for (; text.len && strchr("0.", *text.data); text.len--) text.data++;
    return text;
}

/* Whether two values have the same digits, apart from points and from zeros at both ends: 1500000 and 1.5. */
static bool are_multiples(const Number *a, const Number *b)
{
    LineText x = significant_digits(a), y = significant_digits(b);

    for (; x.len && y.len; x.data++, y.data++, x.len--, y.len--) {
        if (*x.data == '.') x.data++, x.len--;
        if (*y.data == '.') y.data++, y.len--;
        if (*x.data != *y.data) return false;
    }
    return !x.len && !y.len;
}

/* Removes from both lists numbers such as 1.5 million in `a` and 1,500,000 in `b`. Skips long lists to save time. */
static void remove_multiplied(NumberList *a, NumberList *b)
{
    size_t kept = 0;

    if (a->len > MOST_MULTIPLIED || b->len > MOST_MULTIPLIED) return;
    for (size_t i = 0; i < a->len; i++) {
        size_t k = a->data[i].is_multiplied ? 0 : b->len;
        while (k < b->len && !are_multiples(&a->data[i], &b->data[k])) k++;
        if (k < b->len)
            memmove(b->data + k, b->data + k + 1, (--b->len - k) * sizeof *b->data);
        else
            a->data[kept++] = a->data[i];
    }
    a->len = kept;
}

/* Whether the other text may have each number of the list as a word, or may leave it out like the minutes of 10:00.
 * With `knows_words`, remove_words() has found all numbers that are words; then only 0, 1 (perhaps an article) and
 * numbers in words such as m2 may be left. */
static bool may_be_words(const NumberList *list, bool knows_words)
{
    for (size_t i = 0; i < list->len; i++) {
        const int value = small_value(&list->data[i]);
        if (knows_words && value > 1 && !list->data[i].is_in_word) return false;
        if (list->data[i].place.end - list->data[i].place.begin > 2) return false; /* 000 */
        if (value < 0 || value > MOST_AS_WORD || (value && list->data[i].is_minute)) return false;
    }
    return true;
}

/* Whether a word has this value. The name of a month counts only for a number in a date. */
static bool has_word(const NumberList *words, const Number *value)
{
    const Number *found = find_value(words, value);

    if (!found || value->is_in_date) return found;
    while (found > words->data && !ranges_compare_texts(found - 1, value)) found--;
    for (; found < words->data + words->len && !ranges_compare_texts(found, value); found++)
        if (!found->is_month) return true;
    return false;
}

/* Removes the numbers that the other text has as words. */
static Status remove_words(NumberList *list, const char *other, size_t length, Err *err)
{
    NumberList words = { 0 };
    size_t kept = 0;
    Status st = list->len ? find_words(&words, other, length, err) : OK;

    if (st == OK) {
        sort_list(&words);
        for (size_t i = 0; i < list->len; i++)
            if (!has_word(&words, &list->data[i])) list->data[kept++] = list->data[i];
        list->len = kept;
    }
    free_list(&words);
    return st;
}

/* Removes the numbers that both texts have, even in different forms, such as 2 pm and 14, or 1.5 million in digits. If
 * the words of the text are known, an hour must not become one in the afternoon without a reason: 9:30 is not 21:30. */
static Status remove_same(NumberList *missing, NumberList *added, const char *source, size_t length, bool knows_words,
                          Err *err)
{
    NumberList all = { 0 };
    Status st;

    for (size_t i = 0; i < missing->len; i++) LIST_PUT(&all, missing->data[i]);
    for (size_t i = 0; i < added->len; i++) LIST_PUT(&all, added->data[i]);
    st = LIST_CHECK(&all, "the numbers", err);
    if (st == OK) {
        sort_list(&all);
        join_fractions(missing, &all);
        join_fractions(added, &all);
        sort_list(missing);
        sort_list(added);
        remove_common(missing, added);
        if (missing->len && added->len && knows_words && !has_afternoon(source, length))
            for (size_t i = 0; i < missing->len; i++) missing->data[i].is_morning = true;
        remove_hours(missing, added);
        remove_hours(added, missing);
        remove_multiplied(missing, added);
        remove_multiplied(added, missing);
    }
    free_list(&all);
    return st;
}

/* Appends the first number of the list as the text spells it. */
static void put_first(Buf *out, const NumberList *list, const char *text)
{
    Range first = { SIZE_MAX, 0 };

    for (size_t i = 0; i < list->len; i++)
        if (list->data[i].place.begin < first.begin) first = list->data[i].place;
    if (list->len) buf_put(out, text + first.begin, first.end - first.begin);
}

Status number_check_compare(NumberCheck *check, const char *source, size_t source_length, const char *translation,
                            size_t translation_length, const char **difference, Err *err)
{
    const bool knows_words = check->knows_words;
    NumberList missing = { 0 }, added = { 0 }; /* in the end: what only the text or only the translation has */
    Status st = find_numbers(&missing, source, source_length, err);

    *difference = NULL;
    buf_clear(&check->difference);
    if (st == OK) st = find_numbers(&added, translation, translation_length, err);
    if (st != OK || missing.has_multiplier || added.has_multiplier) goto done;
    st = remove_same(&missing, &added, source, source_length, knows_words, err);
    if (st == OK) st = remove_words(&missing, translation, translation_length, err);
    if (st == OK) st = remove_words(&added, source, source_length, err);
    if (st != OK) goto done;
    if (!may_be_words(&missing, knows_words) || !may_be_words(&added, knows_words) || (missing.len && added.len)) {
        put_first(&check->difference, &missing, source);
        if (missing.len && added.len) buf_put_text(&check->difference, " in the text, but ");
        put_first(&check->difference, &added, translation);
        buf_put_text(&check->difference, !added.len    ? " is missing in the translation"
                                         : missing.len ? " in the translation"
                                                       : " in the translation is not in the text");
    } else if (added.odd_count > missing.odd_count) { /* numbers with odd separators, such as 16:000 */
        buf_put_format(&check->difference, "%.*s in the translation is not in the text",
                       (int)(added.odd.end - added.odd.begin), translation + added.odd.begin);
    }
    st = buf_check(&check->difference, err);
    if (st == OK && check->difference.len) *difference = check->difference.data;
done:
    free_list(&missing);
    free_list(&added);
    return st;
}

/* Whether find_words() knows the words of the language, which is given as a tag or code. */
static bool has_words(const char *language)
{
    return language && chars_are_among(language, strcspn(language, "-_"), "en eng de deu ger");
}

void number_check_set_languages(NumberCheck *check, const char *source, const char *translation)
{
    check->knows_words = has_words(source) && has_words(translation);
}
