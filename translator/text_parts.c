/* text_parts.c - see text_parts.h. */
#include "text_parts.h"

#include <string.h>

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include "chars.h"
#include "keep_patterns.h"
#include "language.h"
#include "utf8.h"

/* --- Numbers and their separators --- */

#define GROUP          3  /* digits between two separators of a large number */
#define LONGEST_NUMBER 64 /* bytes of a number that is compared */
#define SEPARATORS     ".,:/'-"

static bool is_digit(LineText text, size_t at)
{
    return at < text.len && char_is_digit(text.data[at]);
}

bool text_parts_has_digits(LineText text)
{
    for (size_t i = 0; i < text.len; i++)
        if (is_digit(text, i)) return true;
    return false;
}

bool text_parts_is_letter(uint32_t code)
{
    return code != UTF8_INVALID && u_isalnum((UChar32)code);
}

bool text_parts_are_at(LineText text, size_t at, const char *bytes)
{
    return chars_begin(text.data, at, text.len, bytes);
}

bool text_parts_contain(LineText text, const char *what)
{
    return chars_after(text.data, 0, text.len, what, 0) > 0;
}

static bool is_letter_at(LineText text, size_t at)
{
    const uint32_t code = utf8_code_at(text.data, text.len, at);

    return code != UTF8_INVALID && u_isalpha((UChar32)code);
}

/* The end of am, pm, a.m. or p.m. after the number that ends at byte `at`, or `at`. */
static size_t half_day_end(LineText text, size_t at)
{
    static const char *const names[] = { "a.m.", "p.m.", "am", "pm" };
    const size_t begin = at + (at < text.len && text.data[at] == ' ');

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t end = begin + strlen(names[i]);
        if (chars_begin_case(text.data, begin, text.len, names[i]) && !is_letter_at(text, end)) return end;
    }
    return at;
}

/* The end of a unit or a small letter right after the number that ends at byte `at`, as in 5km and 12a, or `at`. */
static size_t unit_end(LineText text, size_t at)
{
    static const char units[] = "km cm mm kg mg ml kB KB MB GB TB kW Wh Hz W V kWh MHz GHz min "
                                "EUR USD GBP CHF JPY";
    size_t end = at;

    while (is_letter_at(text, end) && (unsigned char)text.data[end] < 0x80) end++;
    if (end == at || is_letter_at(text, end) || is_digit(text, end)) return at;
    if (end == at + 1 && text.data[at] >= 'a') return end;
    return chars_are_among(text.data + at, end - at, units) ? end : at;
}

Status text_parts_find_numbers(RangeList *parts, LineText text, Err *err)
{
    for (size_t at = 0; at < text.len;) {
        Range number = { at, 0 };
        if (!is_digit(text, at)) {
            at++;
            continue;
        }
        while (is_digit(text, at) || (at < text.len && strchr(SEPARATORS, text.data[at]) && is_digit(text, at + 1)))
            at++;
        number.end = half_day_end(text, at);
        if (number.end == at) number.end = unit_end(text, at);
        if (u_isalpha((UChar32)utf8_code_before(text.data, number.begin)) || is_letter_at(text, number.end)) continue;
        LIST_PUT(parts, number);
        at = number.end;
    }
    return LIST_CHECK(parts, "the numbers of a text", err);
}

Range text_parts_unit(LineText text, Range number)
{
    Range unit = number;

    while (unit.begin < number.end && !char_is_letter(text.data[unit.begin])) unit.begin++;
    if (unit.begin == number.end) unit.begin += utf8_leading_space(text.data + number.end, text.len - number.end);
    unit.end = unit_end(text, unit.begin);
    return unit.end > unit.begin + 1 ? unit : (Range){ number.end, number.end };
}

Range text_parts_with_sign(LineText text, Range number)
{
    static const char *const before[] = { "$", "%", "£", "¥", "€", "§", "§ ", "§\u00a0", "§\u202f" };
    static const char *const after[] = { "$", "%", "£", "¥", "€" };
    const size_t end = number.end + utf8_leading_space(text.data + number.end, text.len - number.end);

    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        const size_t length = strlen(before[i]);
        if (number.begin >= length && text_parts_are_at(text, number.begin - length, before[i]))
            return (Range){ number.begin - length, number.end };
    }
    for (size_t i = 0; i < sizeof after / sizeof *after; i++) {
        const size_t length = strlen(after[i]);
        if (text_parts_are_at(text, end, after[i]) && !is_digit(text, end + length)) /* not 20 $100 */
            return (Range){ number.begin, end + length };
    }
    number.end = text_parts_unit(text, number).end;
    if (text_parts_are_at(text, number.end, "/h") && !is_letter_at(text, number.end + 2)) number.end += 2; /* km/h */
    return number;
}

NumberStyle text_parts_number_style(const char *language)
{
    static const char *const points[] = { "en", "zh", "ja", "ko", "th", "hi", "bn", "ta", "te", "ml",
                                          "mr", "gu", "pa", "ur", "ne", "si", "my", "he", "ms", "fil",
                                          "tl", "mt", "ga", "cy", "sw", "yo", "ig", "ha", "am" };
    static const char *const commas[] = { "de", "nl", "da", "nb", "nn", "no", "is", "id", "it", "ca", "gl", "eu",
                                          "pt", "ro", "tr", "el", "hr", "sr", "sl", "bs", "mk", "vi", "az" };

    for (size_t i = 0; language && i < sizeof points / sizeof *points; i++)
        if (language_same(language, points[i])) return NUMBERS_WITH_POINT;
    for (size_t i = 0; language && i < sizeof commas / sizeof *commas; i++)
        if (language_same(language, commas[i])) return NUMBERS_WITH_COMMA;
    return language && language_same(language, "es") ? NUMBERS_MIXED : NUMBERS_UNKNOWN;
}

bool text_parts_reads_otherwise(LineText number, NumberStyle from, NumberStyle to)
{
    char adapted[LONGEST_NUMBER];
    size_t digits = 0;

    if (number.len > sizeof adapted) return false;
    memcpy(adapted, number.data, number.len);
    text_parts_adapt_number(adapted, number.len, from, to);
    if (memcmp(adapted, number.data, number.len) == 0) return false;
    for (size_t i = number.len; i > 0; i--) {
        if (digits == GROUP && (number.data[i - 1] == ',' || (number.data[i - 1] == '.' && from != NUMBERS_WITH_POINT)))
            return true;
        digits = is_digit(number, i - 1) ? digits + 1 : 0;
    }
    return false;
}

/* Exchanges the separators of a number if it consists of groups of three digits and, after a point, digits. Other text
 * does not change. */
static void exchange_separators(char *number, size_t len, NumberStyle from)
{
    const char group = from == NUMBERS_WITH_POINT ? ',' : '.', point = from == NUMBERS_WITH_POINT ? '.' : ',';
    const LineText text = { number, len };
    size_t digits = 0, groups = 0, at;

    for (at = 0; at < len && number[at] != point; at++) {
        if (is_digit(text, at)) {
            digits++;
        } else if (number[at] == group && digits && (groups ? digits == GROUP : digits <= GROUP && *number != '0')) {
            groups++;
            digits = 0;
        } else {
            return;
        }
    }
    if (groups ? digits != GROUP : !digits) return;
    if (from == NUMBERS_MIXED && !groups && digits <= GROUP && *number != '0' && len - at == GROUP + 1)
        return; /* 1,500 */
    if (at + 1 == len) return;
    for (at++; at < len; at++)
        if (!is_digit(text, at)) return;
    for (size_t i = 0; i < len; i++)
        if (number[i] == '.' || number[i] == ',') number[i] = number[i] == '.' ? ',' : '.';
}

void text_parts_adapt_number(char *number, size_t len, NumberStyle from, NumberStyle to)
{
    LineText text = { number, len };
    size_t end = 0, at;

    if (from == NUMBERS_UNKNOWN || to == NUMBERS_UNKNOWN) return;
    if ((from == NUMBERS_WITH_POINT) == (to == NUMBERS_WITH_POINT)) return;
    while (len && !is_digit(text, 0)) text = (LineText){ ++number, --len };
    while (len && !char_is_alphanumeric(number[len - 1])) len--;
    while (end < len && (is_digit(text, end) || strchr(SEPARATORS, number[end]))) end++;
    at = end + utf8_leading_space(number + end, len - end);
    if (end < len && unit_end(text, at) == at) return; /* 5.30 pm */
    for (size_t begin = at = 0; at <= end; at++) {
        if (at < end && number[at] != '/' && number[at] != '-') continue;
        exchange_separators(number + begin, at - begin, from);
        begin = at + 1;
    }
}

/* --- Parts that are the same in every language ---
 *
 * The text is divided into runs without white space, whose marks and brackets at the ends do not count. A rule looks at
 * the characters of one run; telephone numbers, IBANs and paths may go on in the next runs. Only ASCII matters: other
 * characters belong to words. */

#define LONG_NUMBER    5  /* digits of a number that is kept; years have four */
#define CODE_DIGITS    3  /* in a code with letters */
#define CODE_CHANGES   4  /* changes between letters and digits in a code with fewer digits */
#define PHONE_DIGITS   7  /* in a telephone number */
#define PHONE_RUNS     8  /* between spaces */
#define LEAST_GROUPS   3  /* groups of digits of a telephone number that begins with neither + nor 0, or of a version */
#define IBAN_LEAST     15 /* letters and digits */
#define IBAN_MOST      34
#define DEGREE_DIGITS  4  /* after the point of a coordinate */
#define LONGEST_FOLDER 3  /* words of the name of a folder with spaces, besides the first one */
#define LONG_CODE      12 /* capitals and digits of a code with few digits */
#define HASH_DIGITS    7  /* hexadecimal digits of a short hash */
#define UUID_DIGITS    32
#define UUID_LENGTH    36 /* with its hyphens */
#define LONG_RULE      5  /* equal marks in a row, such as ----- */

static bool is_word(char c)
{
    return char_is_alphanumeric(c) || c == '_';
}

/* What a run consists of. */
typedef struct {
    size_t digits, capitals, small, others; /* characters; `others`: neither letters nor digits of ASCII */
    bool has_other_letters;                 /* beyond ASCII */
} RunCount;

static RunCount count_run(LineText run)
{
    RunCount count = { 0 };

    for (size_t i = 0; i < run.len; i++) {
        const char c = run.data[i];
        count.digits += char_is_digit(c);
        count.capitals += char_is_upper(c);
        count.small += char_is_lower(c);
        count.others += !char_is_alphanumeric(c);
        count.has_other_letters |= (unsigned char)c >= 0x80;
    }
    return count;
}

static LineText part_of(LineText text, Range range)
{
    return (LineText){ text.data + range.begin, range.end - range.begin };
}

static bool begins_with(LineText text, const char *what)
{
    const size_t size = strlen(what);

    return text.len > size && text_parts_are_at(text, 0, what);
}

/* The bytes of a mark or bracket that may be at the beginning or end of a run but does not belong to it; 0: none. */
static size_t mark_at(LineText text, size_t at, bool first)
{
    static const char *const wide[] = { "\xe2\x80\x9c", "\xe2\x80\x9d", "\xe2\x80\x9e", "\xe2\x80\x98", "\xe2\x80\x99",
                                        "\xe2\x80\x9a", "\xe2\x80\xa6", "\xc2\xab",     "\xc2\xbb" };
    const char *const marks = first ? "([{\"'<" : ".,;:!?)]}\"'>";

    if (strchr(marks, text.data[at])) return 1;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
        if (text_parts_are_at(text, at, wide[i])) return strlen(wide[i]);
    }
    return 0;
}

/* Finds the next run from byte `at` on, without the marks at its ends. Sets *stop to the end of its marks. */
static bool next_run(LineText text, size_t at, Range *run, size_t *stop)
{
    uint32_t code;
    size_t size;

    at += utf8_leading_space(text.data + at, text.len - at);
    run->begin = run->end = at;
    while (run->end < text.len) {
        size = utf8_next(text.data + run->end, text.len - run->end, &code);
        if (utf8_is_space(code)) break;
        run->end += size;
    }
    *stop = run->end;
    while (run->begin < run->end && (size = mark_at(text, run->begin, true))) run->begin += size;
    for (bool found = true; found && run->begin < run->end;) {
        size_t last = run->end - 1;
        while (last > run->begin && char_goes_on(text.data[last])) last--;
        found = mark_at(text, last, false) > 0;
        if (found) run->end = last;
    }
    return *stop > at;
}

/* Whether the run ends with the name of a file: two letters or digits, a full stop, and one of the usual endings. */
static bool is_file(LineText run)
{
    static const char endings[] = FILE_ENDINGS "|rar|po|dwg";
    char own[8]; /* in lower case; strncasecmp() would depend on the locale of the program */
    size_t dot = run.len, length;

    while (dot && run.data[dot - 1] != '.') dot--;
    if (dot < 3 || !is_word(run.data[dot - 2]) || !(is_word(run.data[dot - 3]) || run.data[dot - 3] == '-'))
        return false;
    length = chars_lower(run.data + dot, run.len - dot, own, sizeof own);
    for (const char *ending = endings; *ending; ending += *ending == '|') {
        const size_t size = strcspn(ending, "|");
        if (size == length && memcmp(own, ending, size) == 0) return true;
        ending += size;
    }
    return false;
}

/* a@b.c */
static bool is_mail(LineText run)
{
    const char *at = memchr(run.data, '@', run.len);
    const size_t after = at ? run.len - (size_t)(at - run.data) : 0;

    return at && at > run.data && is_word(at[-1]) && memchr(at, '.', after) && char_is_letter(run.data[run.len - 1]);
}

/* How far the path that begins with the run goes: C:\dir, \\server\dir, %NAME%\dir, DIR\file, /usr/lib, ~/x, ../x,
 * a/b.c; folders of Windows may have spaces. 0: it is not a path. */
static size_t path_end(LineText text, Range range)
{
    const LineText run = part_of(text, range);
    const char *back = memchr(run.data, '\\', run.len), *slash = memchr(run.data, '/', run.len);
    const size_t before = back ? (size_t)(back - run.data) : 0;
    size_t end = range.end;
    bool is_windows;

    if (slash == run.data && run.len > 2)
        return is_word(run.data[1]) && memchr(run.data + 2, '/', run.len - 2) ? end : 0;
    if (begins_with(run, "~/") || begins_with(run, "./") || begins_with(run, "../")) return end;
    if (slash && !back) return is_file(run) ? end : 0;
    if (!back || before + 1 >= run.len) return 0;
    is_windows = (before == 2 && char_is_letter(run.data[0]) && run.data[1] == ':') || begins_with(run, "\\\\") ||
                 (before > 2 && run.data[0] == '%' && run.data[before - 1] == '%');
    /* Other paths have to be like DOMAIN\user or folder\file, and not an escape such as \n. */
    if (!is_windows) return before > 1 && is_word(back[-1]) && is_word(back[1]) && !strchr("nrtu", back[1]) ? end : 0;
    for (size_t words = 0, at = end; words <= LONGEST_FOLDER; words++) {
        Range next;
        size_t stop;
        if (at >= text.len || text.data[at] != ' ' || !next_run(text, at, &next, &stop) || next.begin != at + 1) break;
        if (memchr(text.data + next.begin, ':', next.end - next.begin) || text.data[next.begin] == '%') break;
        if (memchr(text.data + next.begin, '\\', next.end - next.begin)) {
            end = next.end;
            words = 0;
        }
        at = next.end == stop ? next.end : text.len;
    }
    return end;
}

/* Codes: KB5034441, AB-1234, 82672-BC4, dQw4w9WgXcQ; not 1990er, 100km, 21st or a word with a number: F-16-Jet. */
static bool is_code(LineText run)
{
    const RunCount count = count_run(run);
    size_t changes = 0;

    if (count.has_other_letters || !count.digits || !(count.capitals + count.small)) return false;
    for (size_t i = 0; i < run.len; i++) {
        if (!is_word(run.data[i]) && !strchr("-/#+", run.data[i])) return false;
        changes += i && char_is_digit(run.data[i]) != char_is_digit(run.data[i - 1]);
    }
    if (!count.small && !count.others && run.len >= LONG_CODE) return true;
    if (count.digits < CODE_DIGITS && changes < CODE_CHANGES) return false;
    if (!count.small) return true;
    return !count.others && char_is_letter(run.data[0]) && (changes > 2 || char_is_digit(run.data[run.len - 1]));
}

/* Whether the run is a number in hexadecimal digits: 0x80070005, a hash, or a UUID. */
static bool is_hexadecimal(LineText run)
{
    const size_t prefix = begins_with(run, "0x") || begins_with(run, "0X") ? 2 : 0;
    size_t digits = 0, letters = 0, hyphens = 0;

    for (size_t i = prefix; i < run.len; i++) {
        const bool is_letter = char_is_letter(run.data[i]);
        if (is_letter && (run.data[i] | 0x20) > 'f') return false;
        if (!is_word(run.data[i]) && run.data[i] != '-') return false;
        letters += is_letter;
        digits += char_is_digit(run.data[i]);
        hyphens += run.data[i] == '-';
    }
    if (hyphens) return digits + letters == UUID_DIGITS && run.len == UUID_LENGTH;
    return prefix || (digits > 1 && letters && digits + letters >= HASH_DIGITS);
}

/* The groups of digits of a run whose other characters are these separators; 0: the run is of another kind. *last,
 * *first: the digits of the last and first group. */
static size_t count_groups(LineText run, const char *separators, size_t *first, size_t *last)
{
    size_t groups = 0;

    *first = *last = 0;
    for (size_t i = 0; i < run.len; i++) {
        const bool follows = i && char_is_digit(run.data[i - 1]);
        if (char_is_digit(run.data[i])) {
            groups += !follows;
            *last = follows ? *last + 1 : 1;
            if (groups == 1) *first = *last;
        } else if (!follows || i + 1 == run.len || !strchr(separators, run.data[i])) {
            return 0;
        }
    }
    return groups;
}

/* Whether the run is a number with an exponent: 6.022e23, 1E-5. */
static bool has_exponent(LineText run)
{
    size_t at = 0, first, last;

    while (at < run.len && (char_is_digit(run.data[at]) || run.data[at] == '.')) at++;
    if (!at || at == run.len || (run.data[at] | 0x20) != 'e' || !char_is_digit(run.data[at - 1])) return false;
    for (at++; at < run.len && strchr("+-", run.data[at]);) at++;
    return count_groups((LineText){ run.data + at, run.len - at }, "", &first, &last) == 1;
}

/* Whether the run is 2021-05-31, a version of three parts or an IP address; not a date of other kinds (24.12.21,
 * 5.12.2021, 2021.12.05), or a number with separators. */
static bool is_version_or_date(LineText run)
{
    const bool v = run.len > 1 && (run.data[0] == 'v' || run.data[0] == 'V') && char_is_digit(run.data[1]);
    const LineText number = { run.data + v, run.len - v };
    size_t values[LEAST_GROUPS] = { 0 }, group = 0, first, last, groups = count_groups(number, "-", &first, &last);

    if (groups == LEAST_GROUPS && !v) return first == 4 && last == 2 && run.len == strlen("2021-05-31");
    groups = count_groups(number, ".", &first, &last);
    if (groups < LEAST_GROUPS) return v && groups > 1;
    if (first <= 3 && last == 3 && number.len == first + 4 * (groups - 1)) return false; /* 1.234.567 */
    if (v || groups > LEAST_GROUPS) return true;
    for (size_t i = 0; i < number.len; i++) {
        if (char_is_digit(number.data[i]))
            values[group] = values[group] * 10 + (size_t)(number.data[i] - '0');
        else
            group++;
    }
    return first != 4 && (values[0] > 31 || values[1] > 12 || (last != 2 && last != 4));
}

/* An address such as 10.0.0.1:8080, 10.0.0.0/8, fe80::1, 00:1b:44:11:3a:b7; not a time. */
static bool is_network_address(LineText run)
{
    size_t colons = 0, first, last, end = 0;

    for (size_t i = 0; i < run.len; i++) colons += run.data[i] == ':';
    while (end < run.len && (char_is_digit(run.data[end]) || run.data[end] == '.')) end++;
    if (end && end < run.len && strchr(":/", run.data[end]) &&
        count_groups((LineText){ run.data, end }, ".", &first, &last) == 4)
        return true;
    for (size_t i = 0; i < run.len; i++)
        if (!char_is_digit(run.data[i]) && !strchr("abcdefABCDEF:/", run.data[i])) return false;
    return (colons > 1 && text_parts_contain(run, "::")) || colons > 4;
}

/* How far the telephone number goes that begins in the run, or 0. Its runs consist of digits, with - / ( ) between or
 * around them. */
static size_t phone_end(LineText text, Range *range)
{
    Range run = *range;
    size_t groups = 0, all = 0, end = 0, stop, first_groups, last;
    const bool bracket = run.begin && text.data[run.begin - 1] == '(';
    const char first = text.data[run.begin];

    if (first != '+' && first != '0' && !bracket) return 0;
    if (count_groups(part_of(text, run), "/", &first_groups, &last) == LEAST_GROUPS) return 0; /* 01/02/2023 */
    if (first == '+' && run.begin + 1 < run.end) run.begin++;
    stop = run.end + (bracket && run.end < text.len && text.data[run.end] == ')');
    for (size_t runs = 0; runs < PHONE_RUNS; runs++) {
        size_t digits = 0, starts = 0, others = 0;
        for (size_t i = run.begin; i < run.end; i++) {
            const bool has_digit = char_is_digit(text.data[i]);
            digits += has_digit;
            starts += has_digit && (i == run.begin || !char_is_digit(text.data[i - 1]));
            others += !has_digit && !strchr("-/()", text.data[i]);
        }
        if (!digits || others) break;
        groups += starts;
        all += digits;
        end = run.end;
        if (stop > run.end && !(stop == run.end + 1 && text.data[run.end] == ')')) break;
        if (stop >= text.len || text.data[stop] != ' ' || !next_run(text, stop, &run, &stop)) break;
    }
    if (all < PHONE_DIGITS) return 0;
    if (bracket && end > range->end) { /* (555) 123-4567 */
        if (groups >= LEAST_GROUPS) range->begin--;
        return groups >= LEAST_GROUPS ? end : 0;
    }
    if (bracket && first != '+' && first != '0') return 0;
    return first == '+' || groups > 1 ? end : 0;
}

/* How far an IBAN in groups of four goes, or 0. Its first group is two capitals and two digits. */
static size_t iban_end(LineText text, Range run)
{
    size_t all = 0, end = 0, stop = run.end;
    LineText group = part_of(text, run);

    if (group.len != 4 || !char_is_upper(group.data[0]) || !char_is_upper(group.data[1]) ||
        !char_is_digit(group.data[2]) || !char_is_digit(group.data[3]))
        return 0;
    for (;; group = part_of(text, run)) {
        const RunCount count = count_run(group);
        if (count.small || count.others || !group.len || group.len > 4 || all + group.len > IBAN_MOST) break;
        /* Only the second group may have no digits: the code of the bank, as in NL91 ABNA 0417 1643 00. */
        if (all && all != 4 && !count.digits) break;
        all += group.len;
        end = run.end;
        if (group.len < 4 || stop > run.end || stop >= text.len || text.data[stop] != ' ' ||
            !next_run(text, stop, &run, &stop))
            break;
    }
    return all >= IBAN_LEAST ? end : 0;
}

/* The word before a space before byte `begin`; empty: there is none. */
static Range word_before(LineText text, size_t begin)
{
    Range word = { begin, begin };

    if (!begin || text.data[begin - 1] != ' ') return word;
    word.begin = word.end = begin - 1;
    while (word.begin && char_is_letter(text.data[word.begin - 1])) word.begin--;
    return word;
}

/* Whether the run comes after a word such as "version", so that a dot in it is no decimal point. */
static bool is_after_version(LineText text, size_t begin)
{
    static const char words[] = "version release firmware section paragraph chapter figure table "
                                "Version Release Firmware Section Paragraph Chapter Figure Table "
                                "Abschnitt Absatz Kapitel Abbildung Tabelle";
    const Range word = word_before(text, begin);

    return chars_are_among(text.data + word.begin, word.end - word.begin, words);
}

/* Whether the run comes after a name within a sentence, as in Python 3.9. */
static bool is_after_name(LineText text, size_t begin)
{
    const Range word = word_before(text, begin);
    const size_t start = word.begin;

    return word.end - start > 1 && char_is_upper(text.data[start]) && !char_is_upper(text.data[start + 1]) &&
           start > 1 && text.data[start - 1] == ' ' && is_word(text.data[start - 2]);
}

/* The end of coordinates such as 52.5200, 13.4050, as maps write them in every language; or 0. */
static size_t coordinates_end(LineText text, Range run)
{
    Range parts[2] = { run };
    size_t stop, first, last;

    if (run.end + 2 >= text.len || text.data[run.end] != ',' || text.data[run.end + 1] != ' ') return 0;
    if (!next_run(text, run.end + 1, &parts[1], &stop)) return 0;
    for (size_t i = 0; i < 2; i++) {
        LineText part = part_of(text, parts[i]);
        if (!part.len) return 0;
        if (*part.data == '-' || *part.data == '+') part = (LineText){ part.data + 1, part.len - 1 };
        if (count_groups(part, ".", &first, &last) != 2 || first > 3 || last < DEGREE_DIGITS) return 0;
    }
    return parts[1].end;
}

/* The end of a part with a degree sign, or 0. It is all of 52°31'12", but only the sign and the letter in 20 °C, 68°F
 * and 45°: then the beginning moves to the sign, because a language may write the number differently. */
static size_t degrees_end(LineText text, Range *range)
{
    static const char sign[] = "\xc2\xb0";
    size_t at = range->begin, end;

    while (at + 1 < range->end && memcmp(text.data + at, sign, 2) != 0) at++;
    if (at + 1 >= range->end || !at) return 0;
    if (!char_is_digit(text.data[at - 1]) && !(at > 1 && text.data[at - 1] == ' ' && char_is_digit(text.data[at - 2])))
        return 0;
    end = at + 2;
    if (end < range->end && char_is_digit(text.data[end])) {
        while (end < range->end && (char_is_digit(text.data[end]) || strchr("'\".NSEW", text.data[end]))) end++;
        if (end < range->end) return 0;
        return end < text.len && text.data[end] == '"' ? end + 1 : end;
    }
    end += end < range->end && strchr("CF", text.data[end]);
    if (end < range->end) return 0;
    range->begin = at;
    return end;
}

/* The end of the part that begins in the run, or 0. May move its beginning: before a bracket, or to a degree sign. */
static size_t part_end(LineText text, Range *range)
{
    const LineText run = part_of(text, *range);
    const size_t sign = *run.data == '#', digits = count_run(run).digits;
    size_t end = iban_end(text, *range), first, last;
    bool is_part;

    if (!end) end = phone_end(text, range);
    if (!end) end = path_end(text, *range);
    if (!end) end = coordinates_end(text, *range);
    if (!end) end = degrees_end(text, range);
    if (end) return end;
    /* 555-123-4567, a long number, a long number after # and 13.10 in Version 13.10 are parts as well. */
    is_part = (count_groups(run, "-", &first, &last) >= LEAST_GROUPS && digits >= PHONE_DIGITS && first < 4) ||
              text_parts_contain(run, "://") || begins_with(run, "www.") || is_mail(run) || is_file(run) ||
              (digits + sign == run.len && digits >= LONG_NUMBER) || is_version_or_date(run) ||
              is_network_address(run) || is_code(run) || is_hexadecimal(run) || has_exponent(run) ||
              (count_groups(run, ".", &first, &last) > 1 &&
               (is_after_version(text, range->begin) || (first < 3 && last < 3 && is_after_name(text, range->begin))));
    return is_part ? range->end : 0;
}

/* Appends the rules and blanks in [begin, end) that consist of one mark: -----, ........, ________. Dots after a word
 * are an ellipsis: well..... */
static void add_rules(RangeList *parts, LineText text, size_t begin, size_t end)
{
    for (size_t at = begin, next; at < end; at = next) {
        const bool is_after_letter = u_isalpha((UChar32)utf8_code_before(text.data, at));
        for (next = at + 1; next < end && text.data[next] == text.data[at];) next++;
        if (next - at >= LONG_RULE && char_is_among(text.data[at], "-=_.*#+") &&
            !(text.data[at] == '.' && is_after_letter && !is_digit(text, next)))
            LIST_PUT(parts, ((Range){ at, next }));
    }
}

Status text_parts_find_fixed(RangeList *parts, LineText text, Err *err)
{
    Range run;
    size_t stop;

    for (size_t at = 0; next_run(text, at, &run, &stop);) {
        const size_t end = run.begin < run.end ? part_end(text, &run) : 0;
        if (end)
            LIST_PUT(parts, ((Range){ run.begin, end }));
        else
            add_rules(parts, text, at, stop);
        at = end > stop ? end : stop;
    }
    return LIST_CHECK(parts, "the parts of a text", err);
}

/* --- Parts that a vocabulary does not have --- */

#define LONGEST_OPERAND 3             /* letters beside ^ */
#define LONGEST_FORMULA ((size_t)64)  /* bytes of a word with raised or lowered digits */
#define LONGEST_ADDRESS ((size_t)300) /* bytes on each side of a sign */
#define LONGEST_GROUP   ((size_t)60)  /* bytes in braces after ^ */
#define KEYCAP          0x20e3u       /* 1 and this mark are an emoji */

/* A character with the marks on it, or an emoji with its tags. */
typedef struct {
    Range range;
    uint32_t code, last; /* the character; its last mark or, without marks, the character */
} Character;

static Character character_at(LineText text, size_t at)
{
    Character c = { .range = { at, at } };

    c.range.end += utf8_next(text.data + at, text.len - at, &c.code);
    c.last = c.code;
    while (c.range.end < text.len) {
        uint32_t next;
        const size_t size = utf8_next(text.data + c.range.end, text.len - c.range.end, &next);
        const bool is_tag = next >= 0xe0020 && next < 0xe0080; /* tags say which flag an emoji is, as that of England */
        if (!(U_GET_GC_MASK((UChar32)next) & U_GC_M_MASK) && !is_tag) break;
        c.range.end += size;
        c.last = next;
    }
    return c;
}

/* Whether the character is a sign of ASCII that models with byte pieces have not learned. */
static bool is_sign(uint32_t code)
{
    return code == '^' || code == '|' || code == '~';
}

/* Whether a vocabulary may lack the character. False for dashes and quotation marks: models replace the ones that they
 * do not know. `spells`: the vocabulary spells unknown characters with byte pieces; then false for Latin letters. */
static bool may_be_unknown(const Character *c, bool spells)
{
    const uint32_t kind = U_GET_GC_MASK((UChar32)c->code);
    UErrorCode error = U_ZERO_ERROR;

    if (c->last == KEYCAP || is_sign(c->code)) return true;
    if (c->code < 0x80 && c->last == c->code) return false;
    if (c->code == 0x201a || c->code == 0x201e) return false; /* low quotation marks, which count as brackets */
    if (kind & U_GC_CO_MASK) return true;                     /* private use: icon fonts show it as pictures */
    if (kind & (U_GC_Z_MASK | U_GC_C_MASK | U_GC_PD_MASK | U_GC_PI_MASK | U_GC_PF_MASK)) return false;
    return !spells || !(kind & U_GC_L_MASK) || uscript_getScript((UChar32)c->code, &error) != USCRIPT_LATIN;
}

static bool is_lowered(uint32_t code)
{
    return code >= 0x2080 && code < 0x20a0;
}

/* Raised digits with their signs. */
static bool is_raised(uint32_t code)
{
    return code == 0xb2 || code == 0xb3 || code == 0xb9 || (code >= 0x2070 && code < 0x207f);
}

static bool is_in_word(uint32_t code)
{
    return text_parts_is_letter(code) || is_raised(code) || is_lowered(code);
}

/* Adds the part, or merges it with the parts that it touches or contains. */
static void add(RangeList *parts, Range part)
{
    while (parts->len && parts->data[parts->len - 1].end >= part.begin) {
        parts->len--;
        if (parts->data[parts->len].begin < part.begin) part.begin = parts->data[parts->len].begin;
    }
    LIST_PUT(parts, part);
}

/* The end of the digits at byte `at`. Returns `at` if their number has separators, because more digits follow after a
 * full stop or a comma, or three digits after a space. */
static size_t number_end(LineText text, size_t at)
{
    static const char *const spaces[] = { " ", "\xc2\xa0", "\xe2\x80\xaf" }; /* U+00A0 U+202F */
    size_t end = at;

    while (is_digit(text, end)) end++;
    if (end < text.len && strchr(".,", text.data[end]) && is_digit(text, end + 1)) return at;
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        const size_t next = end + strlen(spaces[i]);
        if (text_parts_are_at(text, end, spaces[i]) && is_digit(text, next) && is_digit(text, next + 1) &&
            is_digit(text, next + 2))
            return at;
    }
    return end;
}

/* Returns `word` if text[word..at) is a number without separators, else `at`. */
static size_t number_begin(LineText text, size_t word, size_t at)
{
    for (size_t i = word; i < at; i++)
        if (!is_digit(text, i)) return at;
    return word && strchr(".,", text.data[word - 1]) ? at : word;
}

/* The end of an operand of ^ at byte `at`: a sign, digits and a few letters, or braces. `at` if there is none. */
static size_t operand_end(LineText text, size_t at)
{
    const size_t most = text.len - at < LONGEST_GROUP ? text.len - at : LONGEST_GROUP;
    const char *brace = most && text.data[at] == '{' ? memchr(text.data + at, '}', most) : NULL;
    size_t end = at + (most && strchr("+-", text.data[at])), letters = 0;

    if (brace) return (size_t)(brace - text.data) + 1;

    while (end < text.len && (unsigned char)text.data[end] < 0x80 && u_isalnum(text.data[end]))
        letters += !is_digit(text, end++);
    return letters > LONGEST_OPERAND ? at : end;
}

/* The run around the sign (^, | or ~), up to white space, if it is an address or a path; else only the sign. */
static Range address_around(LineText text, Range sign)
{
    Range run = sign;
    bool found;

    while (run.begin && (unsigned char)text.data[run.begin - 1] > ' ' && sign.begin - run.begin < LONGEST_ADDRESS)
        run.begin--;
    while (run.end < text.len && (unsigned char)text.data[run.end] > ' ' && run.end - sign.end < LONGEST_ADDRESS)
        run.end++;
    while (run.end > sign.end && strchr(".,;:!?)]}\"'>", text.data[run.end - 1])) run.end--;
    while (run.begin < sign.begin && strchr("([{\"'<", text.data[run.begin])) run.begin++;
    found = text_parts_contain(part_of(text, run), "://");
    for (size_t i = run.begin; i < run.end && !found && text.data[sign.begin] != '|'; i++)
        found = char_is_among(text.data[i], "/\\@");
    return found ? run : sign;
}

/* The sign of ASCII with what it belongs to: ~5, 2^10, ^C, a|b; but yes|no are two words. */
static Range with_operands(LineText text, size_t word, Range sign)
{
    const char c = text.data[sign.begin];
    const size_t after = operand_end(text, sign.end), before = sign.begin - word;
    Range whole = address_around(text, sign);

    if (whole.end - whole.begin > 1) return whole;
    if (c == '~') return (Range){ number_begin(text, word, sign.begin), number_end(text, sign.end) };
    if (c == '|' && (before > 1 || after - sign.end > 1)) return sign;
    if (before <= LONGEST_OPERAND || number_begin(text, word, sign.begin) == word) whole.begin = word;
    if (c == '^' || after > sign.end) whole.end = after;
    return whole;
}

/* Whether raised digits belong to the letters before them and are not a footnote: m², km², x², 5². */
static bool is_power(LineText text, size_t word, size_t at)
{
    static const char units[] = "km cm mm dm nm ft yd mi \xc2\xb5m \xce\xbcm";
    size_t letters = 0;

    if (word == at || at - word > LONGEST_FORMULA) return false;
    if (word && strchr("'-", text.data[word - 1])) return false;
    if (word > 2 && text_parts_are_at(text, word - 3, "\xe2\x80\x99")) return false; /* U+2019 */
    for (size_t i = word; i < at; i += character_at(text, i).range.end - i)
        letters += !is_digit(text, i) && text_parts_is_letter(character_at(text, i).code);
    return letters < 2 || chars_are_among(text.data + word, at - word, units);
}

Status text_parts_find_unknown(RangeList *parts, LineText text, const Tokenizer *tokenizer, Err *err)
{
    const bool spells = tokenizer_facts(tokenizer)->source_spells;
    size_t word = 0; /* where the word of the current character begins */
    Status st = OK;

    for (size_t at = 0, end; st == OK && at < text.len; at = end) {
        const Character c = character_at(text, at);
        const size_t begin = c.range.begin, most = c.range.end + LONGEST_FORMULA;
        Range part = c.range;
        bool is_part = true;
        if (is_raised(c.code)) {
            for (Character next; part.end < text.len; part.end = next.range.end) {
                next = character_at(text, part.end);
                if (!is_raised(next.code)) break;
            }
            if (is_power(text, word, begin)) part.begin = word;
        } else if (is_lowered(c.code)) { /* digits of a formula, as in CO₂ and H₂SO₄ */
            if (begin - word <= LONGEST_FORMULA) part.begin = word;
            for (Character next; part.end < text.len && part.end < most; part.end = next.range.end) {
                next = character_at(text, part.end);
                if (!is_in_word(next.code)) break;
            }
        } else if (c.code >= 0x80 && (U_GET_GC_MASK((UChar32)c.code) & U_GC_NO_MASK)) {
            part.begin = number_begin(text, word, begin); /* fractions such as ½, and digits in circles */
        } else if (!may_be_unknown(&c, spells)) {
            is_part = false;
        } else {
            float cost;
            st = tokenizer_word_cost(tokenizer, false, text.data + begin, part.end - begin, &cost, err);
            is_part = st == OK && !(cost < TOKENIZER_UNKNOWN_COST);
            if (is_part && is_sign(c.code))
                part = with_operands(text, word, part);
            else if (is_part && !text_parts_is_letter(c.code))
                part = (Range){ number_begin(text, word, begin), number_end(text, part.end) };
        }
        if (is_part) add(parts, part);
        end = part.end;
        if (!is_in_word(c.code) || end > c.range.end) word = end;
    }
    return st == OK ? LIST_CHECK(parts, "the parts of a text", err) : st;
}
