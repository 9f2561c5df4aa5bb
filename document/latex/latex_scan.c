/* latex_scan.c - see latex_scan.h. */
#include "latex_scan.h"

#include <stdlib.h>
#include <string.h>

#include "chars.h"

/* An argument in brackets that is longer is none: reading must take linear time. So is an overlay specification. */
#define OPTION_BYTES  ((size_t)1000)
#define OVERLAY_BYTES ((size_t)100)

static bool is_letter(char c)
{
    return char_is_letter(c) || c == '@';
}

size_t latex_scan_line_end(const LatexScan *s, size_t at)
{
    const char *newline = memchr(s->bytes + at, '\n', s->end - at);

    return newline ? (size_t)(newline - s->bytes) : s->end;
}

static int compare_groups(const void *a, const void *b)
{
    const Range *x = a, *y = b;

    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

size_t latex_scan_partner(const LatexScan *s, size_t at)
{
    const Range key = { at, 0 };
    const Range *found =
        s->group_count ? bsearch(&key, s->groups, s->group_count, sizeof *s->groups, compare_groups) : NULL;

    return found ? found->end : 0;
}

bool latex_scan_is_paragraph(const LatexScan *s, size_t at, size_t *end)
{
    size_t newlines = 0;

    for (*end = at; *end < s->end && char_is_space(s->bytes[*end]); ++*end) newlines += s->bytes[*end] == '\n';
    return newlines > 1;
}

size_t latex_scan_comment(const LatexScan *s, size_t at)
{
    const size_t newline = latex_scan_line_end(s, at);
    size_t end = newline;

    if (newline == s->end) return newline;
    end++;
    while (end < s->end && char_is_blank(s->bytes[end])) end++;
    return end < s->end && (s->bytes[end] == '\n' || s->bytes[end] == '\r') ? newline : end;
}

Range latex_scan_name(const LatexScan *s, size_t at)
{
    Range name = { at + 1, at + 1 };

    if (name.end < s->end && !is_letter(s->bytes[name.end])) {
        name.end++;
        while (name.end < s->end && ((unsigned char)s->bytes[name.end] & 0xc0) == 0x80) name.end++;
        return name;
    }
    while (name.end < s->end && is_letter(s->bytes[name.end])) name.end++;
    if (name.end < s->end && s->bytes[name.end] == '*') name.end++;
    return name;
}

static size_t without_star(const LatexScan *s, Range name)
{
    const size_t length = name.end - name.begin;

    return length > 1 && s->bytes[name.end - 1] == '*' ? length - 1 : length;
}

bool latex_scan_is_in(const LatexScan *s, Range name, const char *list)
{
    const size_t length = name.end - name.begin, shorter = without_star(s, name);
    const char *bytes = s->bytes + name.begin;

    for (; *list; list += *list == ' ') {
        size_t same = 0;
        while (same < length && list[same] && list[same] != ' ' && list[same] == bytes[same]) same++;
        list += same;
        if (same >= shorter && (!*list || *list == ' ')) return true;
        while (*list && *list != ' ') list++;
    }
    return false;
}

/* Compares a name with one that ends with NUL, as strcmp() does. */
static int compare_name(const char *bytes, size_t length, const char *name)
{
    const int order = strncmp(bytes, name, length);

    return order ? order : -(name[length] != '\0');
}

/* Searches for a name of `length` bytes; returns `count` if it is not there. */
static size_t search_rows(const char *bytes, size_t length, const void *rows, size_t count, size_t size)
{
    size_t low = 0, high = count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const char *name = *(const char *const *)((const char *)rows + middle * size);
        const int order = compare_name(bytes, length, name);
        if (!order) return middle;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return count;
}

size_t latex_scan_row(const LatexScan *s, Range name, const void *rows, size_t count, size_t size)
{
    const size_t length = name.end - name.begin, shorter = without_star(s, name);
    const size_t row = search_rows(s->bytes + name.begin, length, rows, count, size);

    return row < count || shorter == length ? row : search_rows(s->bytes + name.begin, shorter, rows, count, size);
}

size_t latex_scan_option(const LatexScan *s, size_t at, Range *contents)
{
    const size_t limit = s->end - at < OPTION_BYTES ? s->end : at + OPTION_BYTES;

    if (at >= s->end || s->bytes[at] != '[') return at;
    for (size_t i = at + 1; i < limit; i++) {
        const char c = s->bytes[i];
        if (c == ']') {
            *contents = (Range){ at + 1, i };
            return i + 1;
        }
        if (c == '\\') {
            i++;
        } else if (c == '{') {
            i = latex_scan_partner(s, i);
            if (!i) return at;
        } else if (c == '}' || c == '%') {
            return at;
        }
    }
    return at;
}

size_t latex_scan_argument(const LatexScan *s, size_t at, Range *contents)
{
    const size_t partner = at < s->end && s->bytes[at] == '{' ? latex_scan_partner(s, at) : 0;

    if (!partner) return at;
    *contents = (Range){ at + 1, partner };
    return partner + 1;
}

static bool is_in_overlay(char c)
{
    return is_letter(c) || (c && strchr("0123456789+-.,:|()* ", c));
}

size_t latex_scan_overlay(const LatexScan *s, size_t at)
{
    const size_t limit = s->end - at < OVERLAY_BYTES ? s->end : at + OVERLAY_BYTES;
    size_t end = at + 1;

    if (at >= s->end || s->bytes[at] != '<') return at;
    while (end < limit && is_in_overlay(s->bytes[end])) end++;
    return end < limit && s->bytes[end] == '>' ? end + 1 : at;
}

size_t latex_scan_blanks(const LatexScan *s, size_t at)
{
    bool has_line_end = false;

    while (at < s->end && (char_is_space(s->bytes[at]) || s->bytes[at] == '%')) {
        if (s->bytes[at] == '%') {
            at = latex_scan_comment(s, at);
            continue;
        }
        if (s->bytes[at] == '\n' && has_line_end) break;
        has_line_end |= s->bytes[at++] == '\n';
    }
    return at;
}

size_t latex_scan_settings(const LatexScan *s, size_t at)
{
    for (;;) {
        Range contents;
        const size_t begin = latex_scan_blanks(s, at), overlay = latex_scan_overlay(s, begin);
        const size_t next = overlay > begin ? overlay : latex_scan_option(s, begin, &contents);
        if (next == begin) return at;
        at = next;
    }
}

/* The argument in parentheses that begins at byte `at`, as in \cmidrule(lr){1-2}. Returns where it ends, or `at`. */
static size_t scan_parentheses(const LatexScan *s, size_t at)
{
    const size_t limit = s->end - at < OVERLAY_BYTES ? s->end : at + OVERLAY_BYTES;
    size_t end = at + 1;

    if (at >= s->end || s->bytes[at] != '(') return at;
    while (end < limit && !strchr("()[]{}%\\\n", s->bytes[end])) end++;
    return end < limit && s->bytes[end] == ')' ? end + 1 : at;
}

/* The settings before an argument from byte `at` on, and blanks around them. */
static size_t scan_settings_and_blanks(const LatexScan *s, size_t at)
{
    const size_t before = latex_scan_settings(s, at);
    const size_t after = latex_scan_settings(s, scan_parentheses(s, before));

    return latex_scan_blanks(s, after);
}

/* All arguments in brackets, and with `has_braces` in braces, that follow without blanks. */
static size_t scan_adjacent(const LatexScan *s, size_t at, bool has_braces, Range *last)
{
    for (;;) {
        Range contents;
        size_t next = latex_scan_option(s, at, &contents);
        if (next == at) {
            next = has_braces ? latex_scan_argument(s, at, &contents) : at;
            if (next == at) return at;
            if (last) *last = contents;
        }
        at = next;
    }
}

size_t latex_scan_arguments(const LatexScan *s, size_t at, size_t count, Range *last)
{
    if (count == 0 || count == LATEX_ANY_COUNT) return scan_adjacent(s, at, count > 0, last);
    for (; count; count--) {
        Range contents;
        const size_t begin = scan_settings_and_blanks(s, at);
        size_t end = latex_scan_argument(s, begin, &contents);
        if (end > begin) {
            if (last && count == 1) *last = contents;
        } else if (!last && begin < s->end && s->bytes[begin] == '\\') {
            end = latex_scan_name(s, begin).end;
        } else if (count > 1 && begin < s->end && s->bytes[begin] == '*') { /* \multirow{2}*{x} */
            end = begin + 1;
        } else {
            break;
        }
        at = end;
    }
    return at;
}

size_t latex_scan_find(const LatexScan *s, size_t at, size_t limit, const char *text, size_t length)
{
    while (length && limit - at >= length) {
        const char *found = memchr(s->bytes + at, *text, limit - at - length + 1);
        if (!found) break;
        at = (size_t)(found - s->bytes);
        if (memcmp(found, text, length) == 0) return at;
        at++;
    }
    return limit;
}
