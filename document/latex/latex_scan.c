/* latex_scan.c - see latex_scan.h. */
#include "latex_scan.h"

#include <stdlib.h>
#include <string.h>

#include "chars.h"

/* --- The syntax of LaTeX documents: comments, names and arguments of commands. */

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

/* Returns the place of the } of the { at byte `at`; 0 if there is none. */
static size_t latex_scan_partner(const LatexScan *s, size_t at)
{
    const Range key = { at, 0 };
    const Range *found =
        s->groups.len ? bsearch(&key, s->groups.data, s->groups.len, sizeof *s->groups.data, compare_groups) : NULL;

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

bool latex_scan_is_in(const LatexScan *s, Range name, const char *list)
{
    const char *bytes = s->bytes + name.begin;
    const size_t length = name.end - name.begin, shorter = length - (length > 1 && bytes[length - 1] == '*');

    for (; *list; list += *list == ' ') {
        size_t same = 0;
        while (same < length && list[same] && list[same] != ' ' && list[same] == bytes[same]) same++;
        list += same;
        if (same >= shorter && (!*list || *list == ' ')) return true;
        while (*list && *list != ' ') list++;
    }
    return false;
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

size_t latex_scan_overlay(const LatexScan *s, size_t at)
{
    const size_t limit = s->end - at < OVERLAY_BYTES ? s->end : at + OVERLAY_BYTES;
    size_t end = at + 1;

    if (at >= s->end || s->bytes[at] != '<') return at;
    while (end < limit &&
           (is_letter(s->bytes[end]) || (s->bytes[end] && strchr("0123456789+-.,:|()* ", s->bytes[end]))))
        end++;
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
        const size_t parentheses = scan_parentheses(s, latex_scan_settings(s, at));
        const size_t begin = latex_scan_blanks(s, latex_scan_settings(s, parentheses));
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

/* --- Where parts of LaTeX documents end that are left alone or kept. */

/* Longer parts are not looked through, so that reading takes linear time. */
#define PART_BYTES ((size_t)4000)

static size_t limit_of(const LatexScan *s, size_t at)
{
    return s->end - at < PART_BYTES ? s->end : at + PART_BYTES;
}

size_t latex_extent_math(const LatexScan *s, size_t at, const char *close)
{
    const size_t length = strlen(close), limit = limit_of(s, at);
    size_t blank;

    for (size_t i = at; i < limit; i += s->bytes[i] == '\\' ? 2 : 1) {
        if (limit - i >= length && memcmp(s->bytes + i, close, length) == 0) return i + length;
        if (s->bytes[i] == '\n' && latex_scan_is_paragraph(s, i, &blank)) break;
    }
    return at;
}

static size_t skip_blanks(const LatexScan *s, size_t at)
{
    while (at < s->end && char_is_blank(s->bytes[at])) at++;
    return at;
}

size_t latex_extent_verb(const LatexScan *s, size_t at)
{
    const size_t limit = limit_of(s, at), name_end = at;
    size_t length = 1; /* of the character around the code */

    at = skip_blanks(s, at); /* as TeX does after a name */
    while (at + length < limit && ((unsigned char)s->bytes[at + length] & 0xc0) == 0x80) length++;
    for (size_t i = at + length; i + length <= limit && s->bytes[i] != '\n' && s->bytes[at] != '\n'; i++)
        if (memcmp(s->bytes + i, s->bytes + at, length) == 0) return i + length;
    return name_end;
}

size_t latex_extent_code(const LatexScan *s, size_t at)
{
    if (at >= s->end || char_is_space(s->bytes[at]) || char_is_alphanumeric(s->bytes[at])) return at;
    return strchr("{}[]()\\%", s->bytes[at]) ? at : latex_extent_verb(s, at);
}

size_t latex_extent_code_settings(const LatexScan *s, size_t at, bool has_language)
{
    Range contents;

    at = skip_blanks(s, latex_scan_option(s, skip_blanks(s, at), &contents));
    return has_language ? skip_blanks(s, latex_scan_argument(s, at, &contents)) : at;
}

size_t latex_extent_word(const LatexScan *s, size_t at)
{
    const size_t begin = skip_blanks(s, at);
    size_t end = begin;

    while (end < s->end && !char_is_space(s->bytes[end]) && !strchr("\\{}[]$&%", s->bytes[end])) end++;
    return end > begin ? end : at;
}

size_t latex_extent_boundary(const LatexScan *s, size_t at, const char *command, LatexName name)
{
    const size_t length = strlen(command);
    size_t brace, end;

    if (s->end - at < length || memcmp(s->bytes + at, command, length) != 0) return at;
    brace = skip_blanks(s, at + length);
    if (s->end - brace < name.length + 2 || s->bytes[brace] != '{') return at;
    end = brace + 1 + name.length;
    return memcmp(s->bytes + brace + 1, name.text, name.length) == 0 && s->bytes[end] == '}' ? end + 1 : at;
}

Range latex_extent_find_boundary(const LatexScan *s, size_t at, const char *command, LatexName name)
{
    const size_t length = strlen(command);

    for (;; at += length) {
        size_t end;
        at = latex_scan_find(s, at, s->end, command, length);
        if (at == s->end) return (Range){ at, at };
        end = latex_extent_boundary(s, at, command, name);
        if (end > at) return (Range){ at, end };
    }
}

size_t latex_extent_environment(const LatexScan *s, size_t at, Range name)
{
    return latex_extent_find_boundary(s, at, "\\end", (LatexName){ s->bytes + name.begin, name.end - name.begin }).end;
}

size_t latex_extent_definition(const LatexScan *s, size_t at)
{
    const size_t limit = limit_of(s, at);
    size_t brace = at;

    while (brace < limit && s->bytes[brace] != '{' && s->bytes[brace] != '\n') brace += s->bytes[brace] == '\\' ? 2 : 1;
    return brace < limit ? latex_scan_arguments(s, brace, LATEX_ANY_COUNT, NULL) : at;
}

/* Returns the end of a word in lower case at byte `at`, whose letters may be capitals; `at` if it is not there. */
static size_t skip_word(const LatexScan *s, size_t at, const char *word)
{
    const size_t length = strlen(word);

    if (s->end - at < length) return at;
    for (size_t i = 0; i < length; i++)
        if ((s->bytes[at + i] | 0x20) != word[i]) return at;
    return at + length;
}

static size_t skip_unit(const LatexScan *s, size_t at)
{
    static const char units[][6] = { "pt", "pc", "in", "bp", "cm", "mm", "dd",    "cc",   "sp",
                                     "ex", "em", "mu", "px", "nd", "nc", "filll", "fill", "fil" };
    const size_t begin = skip_blanks(s, skip_word(s, at, "true"));

    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const size_t end = skip_word(s, begin, units[i]);
        if (end > begin) return end;
    }
    return at;
}

/* The number may be missing before a register: \parindent. */
static size_t skip_length(const LatexScan *s, size_t at)
{
    size_t begin = latex_scan_blanks(s, at), end, unit;

    while (begin < s->end && (char_is_blank(s->bytes[begin]) || s->bytes[begin] == '+' || s->bytes[begin] == '-'))
        begin++;
    for (end = begin; end < s->end && (char_is_digit(s->bytes[end]) || s->bytes[end] == '.' || s->bytes[end] == ',');)
        end++;
    unit = skip_blanks(s, end);
    if (unit + 1 < s->end && s->bytes[unit] == '\\' && char_is_alphanumeric(s->bytes[unit + 1]))
        return latex_scan_name(s, unit).end;
    end = end > begin ? skip_unit(s, unit) : unit;
    return end > unit ? end : at;
}

/* The length after a word: plus 1fil. */
static size_t skip_stretch(const LatexScan *s, size_t at, const char *word)
{
    const size_t begin = latex_scan_blanks(s, at), name_end = skip_word(s, begin, word);
    const size_t end = name_end > begin ? skip_length(s, name_end) : name_end;

    return end > name_end ? end : at;
}

size_t latex_extent_length(const LatexScan *s, size_t at)
{
    const size_t equals = latex_scan_blanks(s, at);
    const size_t begin = equals < s->end && s->bytes[equals] == '=' ? equals + 1 : at, end = skip_length(s, begin);

    return end > begin ? skip_stretch(s, skip_stretch(s, end, "plus"), "minus") : at;
}

size_t latex_extent_width(const LatexScan *s, size_t at)
{
    return skip_stretch(s, skip_stretch(s, at, "to"), "spread");
}

size_t latex_extent_break(const LatexScan *s, size_t at)
{
    const size_t option = skip_blanks(s, at);
    size_t end;

    if (option == s->end || s->bytes[option] != '[') return at;
    end = latex_extent_length(s, option + 1);
    return end > option + 1 && end < s->end && s->bytes[end] == ']' ? option : at;
}
