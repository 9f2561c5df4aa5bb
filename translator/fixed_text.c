/* fixed_text.c - see number_text.h: number_text_find_fixed().
 *
 * The text is divided into runs without white space, whose marks and brackets at the ends do not count. A rule looks at
 * the characters of one run; telephone numbers, IBANs and paths may go on in the next runs. Only ASCII matters: other
 * characters belong to words. */
#include "number_text.h"

#include <string.h>

#include "chars.h"
#include "keep_patterns.h"
#include "utf8.h"

#define LONG_NUMBER    5  /* digits of a number that is kept; years have four */
#define CODE_DIGITS    3  /* in a code with letters */
#define CODE_CHANGES   4  /* or so many places between letters and digits */
#define PHONE_DIGITS   7  /* in a telephone number */
#define PHONE_RUNS     8  /* between spaces */
#define LEAST_GROUPS   3  /* of a telephone number that begins with neither + nor 0, or of a version */
#define IBAN_LEAST     15 /* letters and digits */
#define IBAN_MOST      34
#define DEGREE_DIGITS  4 /* after the point of a coordinate */
#define LONGEST_FOLDER 3 /* words of the name of a folder with spaces, besides the first one */

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

static bool contains(LineText text, const char *what)
{
    const size_t size = strlen(what);

    for (size_t i = 0; i + size <= text.len; i++)
        if (!memcmp(text.data + i, what, size)) return true;
    return false;
}

static bool begins_with(LineText text, const char *what)
{
    const size_t size = strlen(what);

    return text.len > size && !memcmp(text.data, what, size);
}

/* The bytes of a mark or bracket that may be at the beginning or end of a run but does not belong to it; 0: none. */
static size_t mark_at(LineText text, size_t at, bool first)
{
    static const char *const wide[] = { "\xe2\x80\x9c", "\xe2\x80\x9d", "\xe2\x80\x9e", "\xe2\x80\x98", "\xe2\x80\x99",
                                        "\xe2\x80\x9a", "\xe2\x80\xa6", "\xc2\xab",     "\xc2\xbb" };
    const char *const marks = first ? "([{\"'<" : ".,;:!?)]}\"'>";

    if (strchr(marks, text.data[at])) return 1;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
        const size_t size = strlen(wide[i]);
        if (text.len - at >= size && !memcmp(text.data + at, wide[i], size)) return size;
    }
    return 0;
}

/* Finds the next run from byte `at` on, without its outer marks; `stop`: where it ends with them. */
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
        while (last > run->begin && ((unsigned char)text.data[last] & 0xc0) == 0x80) last--;
        found = mark_at(text, last, false) > 0;
        if (found) run->end = last;
    }
    return *stop > at;
}

/* Whether the run ends with the name of a file: two letters or digits, a full stop, and one of the usual endings. */
static bool is_file(LineText run)
{
    static const char endings[] = FILE_ENDINGS "|rar|po|dwg";
    size_t dot = run.len;

    while (dot && run.data[dot - 1] != '.') dot--;
    if (dot < 3 || !is_word(run.data[dot - 2]) || !(is_word(run.data[dot - 3]) || run.data[dot - 3] == '-'))
        return false;
    for (const char *ending = endings; *ending; ending += *ending == '|') {
        const size_t size = strcspn(ending, "|");
        size_t same = 0;
        while (same < size && dot + same < run.len && (run.data[dot + same] | 0x20) == ending[same]) same++;
        if (same == size && dot + size == run.len) return true;
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
 * a/b.c; folders of Windows may have spaces. 0: it is none. */
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
    /* Otherwise it is a name of a domain, a registry or a folder, but no escape such as \n in a text. */
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

/* KB5034441, AB-1234, 82672-BC4, dQw4w9WgXcQ; not 1990er, 100km, 21st or a word with a number: F-16-Jet. */
static bool is_code(LineText run)
{
    const RunCount count = count_run(run);
    size_t changes = 0;

    if (count.has_other_letters || !count.digits || !(count.capitals + count.small)) return false;
    for (size_t i = 0; i < run.len; i++) {
        if (!is_word(run.data[i]) && !strchr("-/#+", run.data[i])) return false;
        changes += i && char_is_digit(run.data[i]) != char_is_digit(run.data[i - 1]);
    }
    if (count.digits < CODE_DIGITS && changes < CODE_CHANGES) return false;
    if (!count.small) return true;
    return !count.others && char_is_letter(run.data[0]) && (changes > 2 || char_is_digit(run.data[run.len - 1]));
}

/* The groups of digits of a run whose other characters are these separators; 0: it is no such run. *last, *first: the
 * digits of the last and first group. */
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

/* Whether three numbers may be a date: 24.12.21, 5.12.2021, 2021.12.05. */
static bool may_be_date(LineText run, size_t first, size_t last)
{
    size_t values[LEAST_GROUPS] = { 0 }, group = 0;

    for (size_t i = 0; i < run.len; i++) {
        if (char_is_digit(run.data[i]))
            values[group] = values[group] * 10 + (size_t)(run.data[i] - '0');
        else
            group++;
    }
    return first == 4 || (values[0] <= 31 && values[1] <= 12 && (last == 2 || last == 4));
}

/* 2021-05-31, a version of three parts or an IP address; not a date of other kinds, or a number with separators. */
static bool is_version_or_date(LineText run)
{
    const bool v = run.len > 1 && (run.data[0] == 'v' || run.data[0] == 'V') && char_is_digit(run.data[1]);
    const LineText number = { run.data + v, run.len - v };
    size_t first, last, groups = count_groups(number, "-", &first, &last);

    if (groups == LEAST_GROUPS && !v) return first == 4 && last == 2 && run.len == strlen("2021-05-31");
    groups = count_groups(number, ".", &first, &last);
    if (groups < LEAST_GROUPS) return v && groups > 1;
    if (first <= 3 && last == 3 && number.len == first + 4 * (groups - 1)) return false; /* 1.234.567 */
    return v || groups > LEAST_GROUPS || !may_be_date(number, first, last);
}

/* 10.0.0.1:8080, 10.0.0.0/8, fe80::1, 00:1b:44:11:3a:b7; not a time. */
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
    return (colons > 1 && contains(run, "::")) || colons > 4;
}

/* May begin with the sign of a number. */
static bool is_long_number(LineText run)
{
    const bool sign = *run.data == '#';

    return count_run(run).digits + sign == run.len && run.len >= LONG_NUMBER + (size_t)sign;
}

/* Whether the run is a part of a telephone number: digits, and - / ( ) between or around them. */
static bool is_phone_part(LineText run, size_t *digits)
{
    *digits = 0;
    for (size_t i = 0; i < run.len; i++) {
        *digits += char_is_digit(run.data[i]);
        if (!char_is_digit(run.data[i]) && !strchr("-/()", run.data[i])) return false;
    }
    return *digits > 0;
}

/* 555-123-4567 */
static bool is_phone(LineText run)
{
    size_t first, last;

    return count_groups(run, "-", &first, &last) >= LEAST_GROUPS && count_run(run).digits >= PHONE_DIGITS && first < 4;
}

/* How far the telephone number goes that begins in the run, or 0. */
static size_t phone_end(LineText text, Range *range)
{
    Range run = *range;
    size_t digits = 0, groups = 0, all = 0, end = 0, stop, first_groups, last;
    const bool bracket = run.begin && text.data[run.begin - 1] == '(';
    const char first = text.data[run.begin];

    if (first != '+' && first != '0' && !bracket) return 0;
    if (count_groups(part_of(text, run), "/", &first_groups, &last) == LEAST_GROUPS) return 0; /* 01/02/2023 */
    if (first == '+' && run.begin + 1 < run.end) run.begin++;
    stop = run.end + (bracket && run.end < text.len && text.data[run.end] == ')');
    for (size_t runs = 0; runs < PHONE_RUNS && is_phone_part(part_of(text, run), &digits); runs++) {
        for (size_t i = run.begin; i < run.end; i++)
            groups += char_is_digit(text.data[i]) && (i == run.begin || !char_is_digit(text.data[i - 1]));
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

static bool is_iban_group(LineText run, bool first)
{
    const RunCount count = count_run(run);

    if (count.small || count.others || !run.len || run.len > 4) return false;
    return !first || (run.len == 4 && char_is_upper(run.data[0]) && char_is_upper(run.data[1]) &&
                      char_is_digit(run.data[2]) && char_is_digit(run.data[3]));
}

/* How far an IBAN in groups of four goes, or 0. */
static size_t iban_end(LineText text, Range run)
{
    size_t all = 0, end = 0, stop = run.end;

    while (is_iban_group(part_of(text, run), !all) && all + run.end - run.begin <= IBAN_MOST) {
        const bool is_last = run.end - run.begin < 4;
        /* The bank's code may follow the country's: NL91 ABNA 0417 1643 00. */
        if (all && all != 4 && !count_run(part_of(text, run)).digits) break;
        all += run.end - run.begin;
        end = run.end;
        if (is_last || stop > run.end || stop >= text.len || text.data[stop] != ' ' ||
            !next_run(text, stop, &run, &stop))
            break;
    }
    return all >= IBAN_LEAST ? end : 0;
}

/* Whether the word before the run is that of numbers which are no fractions: a version, a section, or a name within a
 * sentence, as in Python 3.9. */
static bool is_after_name(LineText text, size_t begin)
{
    static const char *const words[] = { "version", "release", "section", "chapter", "figure", "table" };
    size_t end = begin, start;

    if (!begin || text.data[begin - 1] != ' ') return false;
    for (start = --end; start && char_is_letter(text.data[start - 1]);) start--;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t size = strlen(words[i]);
        if (end - start == size && (text.data[start] | 0x20) == words[i][0] &&
            !memcmp(text.data + start + 1, words[i] + 1, size - 1))
            return true;
    }
    return end - start > 1 && char_is_upper(text.data[start]) && !char_is_upper(text.data[start + 1]) && start > 1 &&
           text.data[start - 1] == ' ' && is_word(text.data[start - 2]);
}

/* 13.10 in Version 13.10 */
static bool is_version_after_name(LineText text, Range range)
{
    size_t first, last;

    return count_groups(part_of(text, range), ".", &first, &last) > 1 && first < 3 && last < 3 &&
           is_after_name(text, range.begin);
}

/* 52.5200: degrees as maps write them in every language. */
static bool is_map_degree(LineText run)
{
    const bool sign = *run.data == '-' || *run.data == '+';
    size_t first, last;

    return count_groups((LineText){ run.data + sign, run.len - sign }, ".", &first, &last) == 2 && first <= 3 &&
           last >= DEGREE_DIGITS;
}

/* The end of 52.5200, 13.4050, or 0. */
static size_t coordinates_end(LineText text, Range run)
{
    Range other;
    size_t stop;

    if (run.end + 2 >= text.len || text.data[run.end] != ',' || text.data[run.end + 1] != ' ') return 0;
    if (!is_map_degree(part_of(text, run)) || !next_run(text, run.end + 1, &other, &stop)) return 0;
    return other.begin < other.end && is_map_degree(part_of(text, other)) ? other.end : 0;
}

/* The end of 52°31'12" or of the sign and the letter in 20 °C, 68°F and 45°, or 0. Moves the beginning to the sign if
 * nothing but it is kept, because a language may write the number before it differently. */
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
    size_t end = iban_end(text, *range);

    if (!end) end = phone_end(text, range);
    if (!end) end = path_end(text, *range);
    if (!end) end = coordinates_end(text, *range);
    if (!end) end = degrees_end(text, range);
    if (end) return end;
    return is_phone(run) || contains(run, "://") || begins_with(run, "www.") || is_mail(run) || is_file(run) ||
                   is_long_number(run) || is_version_or_date(run) || is_network_address(run) || is_code(run) ||
                   is_version_after_name(text, *range)
               ? range->end
               : 0;
}

Status number_text_find_fixed(RangeList *parts, LineText text, Err *err)
{
    Range run;
    size_t at = 0, stop;
    Status st = OK;

    while (st == OK && next_run(text, at, &run, &stop)) {
        const size_t end = run.begin < run.end ? part_end(text, &run) : 0;
        if (end) st = ranges_append(parts, (Range){ run.begin, end }, 1, err);
        at = end > stop ? end : stop;
    }
    return st;
}
