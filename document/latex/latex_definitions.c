/* latex_definitions.c - see latex_definitions.h. */
#include "latex_definitions.h"

#include <string.h>

#include "chars.h"
#include "latex_extent.h"

/* Mathematics that a command begins is not longer, so that reading takes linear time. */
#define FORMULA_BYTES ((size_t)4000)

/* --- Definitions. */

/* Finds the name that is defined after byte `at`: {\x}, \x or {x}. Returns where it ends, or `at`. */
static size_t read_name(const LatexScan *s, size_t at, Range *name)
{
    const size_t begin = latex_scan_blanks(s, at);
    size_t end = latex_scan_argument(s, begin, name);

    if (end > begin) {
        name->begin = latex_scan_blanks(s, name->begin);
        if (name->begin < name->end && s->bytes[name->begin] == '\\') *name = latex_scan_name(s, name->begin);
        return end;
    }
    if (begin == s->end || s->bytes[begin] != '\\') return at;
    *name = latex_scan_name(s, begin);
    return name->end;
}

/* Finds the braces that contain the meaning: after options, or after the parameters of \def. */
static bool read_meaning(const LatexScan *s, size_t at, Range *meaning)
{
    size_t brace = latex_scan_blanks(s, latex_scan_settings(s, at));

    while (brace < s->end && (s->bytes[brace] == '#' || char_is_digit(s->bytes[brace]))) brace++;
    return latex_scan_argument(s, brace, meaning) > brace;
}

/* Returns the end of blanks and commands without text from byte `at` on. */
static size_t skip_invisible(const LatexScan *s, size_t at, size_t end)
{
    for (;;) {
        Range name;
        LatexCommand command;
        at = latex_scan_blanks(s, at);
        if (at >= end || s->bytes[at] != '\\') return at;
        name = latex_scan_name(s, at);
        command = latex_command(s, name);
        if (command.kind == LATEX_INVISIBLE)
            at = latex_scan_arguments(s, name.end, command.count, NULL);
        else if (command.kind == LATEX_DECLARATION)
            at = name.end;
        else
            return at;
    }
}

/* Whether \begin{x}, or with `ends` \end{x}, is at byte `at`; *environment is x. So is \[ or \]. */
static bool read_boundary(const LatexScan *s, size_t at, bool ends, Range *environment)
{
    const Range name = at < s->end && s->bytes[at] == '\\' ? latex_scan_name(s, at) : (Range){ at, at };
    const size_t brace = latex_scan_blanks(s, name.end);

    *environment = (Range){ 0, 0 };
    if (name.begin == name.end) return false;
    if (s->bytes[name.begin] == (ends ? ']' : '[')) return true;
    return latex_scan_is_in(s, name, ends ? "end" : "begin") && latex_scan_argument(s, brace, environment) > brace;
}

/* Whether the name of an environment without \begin is at byte `at`: \equation, or \csname equation*\endcsname. */
static bool read_bare_name(const LatexScan *s, size_t at, Range *environment)
{
    if (at >= s->end || s->bytes[at] != '\\') return false;
    *environment = latex_scan_name(s, at);
    if (!latex_scan_is_in(s, *environment, "csname")) return true;
    environment->begin = latex_scan_blanks(s, environment->end);
    environment->end = latex_scan_find(s, environment->begin, latex_scan_line_end(s, environment->begin), "\\", 1);
    return true;
}

/* \[ has no environment. */
static LatexEnvironmentKind kind_of(const LatexDefinitions *d, const LatexScan *s, Range environment)
{
    if (environment.begin == environment.end) return LATEX_FORMULA;
    return latex_definitions_environment(d, s, environment).kind;
}

/* Whether the same mathematics ends in the range, too. */
static bool has_end(const LatexScan *s, Range range, Range environment)
{
    for (size_t at = range.begin; at < range.end; at++) {
        Range other;
        if (s->bytes[at] != '\\') continue;
        if (read_boundary(s, at, true, &other) && ranges_are_same(s->bytes, other, environment)) return true;
        at++;
    }
    return false;
}

static const LatexDefinition *find(const LatexDefinitions *d, const LatexScan *s, Range name, bool is_environment)
{
    for (size_t i = d->count; i-- > 0;)
        if ((d->items[i].kind >= LATEX_IS_FORMULA) == is_environment &&
            ranges_are_same(s->bytes, d->items[i].name, name))
            return &d->items[i];
    return NULL;
}

/* Forgets an earlier definition of the name. */
static void forget(LatexDefinitions *d, const LatexScan *s, Range name, bool is_environment)
{
    const LatexDefinition *found = find(d, s, name, is_environment);

    if (found) d->items[found - d->items] = d->items[--d->count];
}

void latex_definitions_read(LatexDefinitions *d, const LatexScan *s, Range name)
{
    const bool is_code = latex_scan_is_in(
        s, name, "lstnewenvironment DefineVerbatimEnvironment newtcblisting NewTCBListing DeclareTCBListing");
    const bool is_environment = is_code || latex_scan_is_in(s, name, "newenvironment renewenvironment");
    LatexDefinition new = { is_code ? LATEX_IS_CODE : LATEX_IS_FORMULA, { 0, 0 }, { 0, 0 } };
    Range meaning;
    size_t name_end, at;

    if (!is_environment &&
        !latex_scan_is_in(s, name, "newcommand renewcommand providecommand DeclareRobustCommand def edef gdef xdef"))
        return;
    name_end = read_name(s, is_code ? latex_scan_settings(s, name.end) : name.end, &new.name);
    if (name_end == name.end || new.name.begin >= new.name.end) return;
    forget(d, s, new.name, is_environment);
    if (d->count == LATEX_DEFINITIONS) return;
    if (is_code) d->items[d->count++] = new;
    if (is_code || !read_meaning(s, name_end, &meaning)) return;
    at = skip_invisible(s, meaning.begin, meaning.end);
    if (at >= meaning.end) return;
    if (is_environment) {
        if (!read_boundary(s, at, false, &new.environment) && !read_bare_name(s, at, &new.environment)) return;
    } else if (read_boundary(s, at, false, &new.environment)) {
        if (has_end(s, (Range){ at + 1, meaning.end }, new.environment)) return;
        new.kind = LATEX_BEGINS_FORMULA;
    } else if (read_boundary(s, at, true, &new.environment)) {
        new.kind = LATEX_ENDS_FORMULA;
    } else {
        return;
    }
    if (kind_of(d, s, new.environment) == LATEX_VERBATIM && is_environment) new.kind = LATEX_IS_CODE;
    if (kind_of(d, s, new.environment) == LATEX_FORMULA || new.kind == LATEX_IS_CODE) d->items[d->count++] = new;
}

/* --- Use. */

LatexEnvironment latex_definitions_environment(const LatexDefinitions *d, const LatexScan *s, Range name)
{
    const LatexDefinition *found = find(d, s, name, true);

    if (!found) return latex_environment(s, name);
    return (LatexEnvironment){ found->kind == LATEX_IS_CODE ? LATEX_VERBATIM : LATEX_FORMULA, 0 };
}

/* Returns the end of the command at byte `at` if it ends the mathematics; otherwise `at`. */
static size_t read_end(const LatexDefinitions *d, const LatexScan *s, size_t at, Range environment)
{
    const Range name = latex_scan_name(s, at);
    const LatexDefinition *found = find(d, s, name, false);
    Range other;

    if (found && found->kind == LATEX_ENDS_FORMULA && ranges_are_same(s->bytes, found->environment, environment))
        return name.end;
    if (!read_boundary(s, at, true, &other) || !ranges_are_same(s->bytes, other, environment)) return at;
    return other.end ? other.end + 1 : name.end;
}

size_t latex_definitions_environment_end(const LatexDefinitions *d, const LatexScan *s, size_t at, size_t limit,
                                         Range name)
{
    while (at < limit) {
        size_t end;
        if (s->bytes[at] == '%') {
            at = latex_scan_line_end(s, at);
        } else if (s->bytes[at] == '\\') {
            end = read_end(d, s, at, name);
            if (end > at) return end;
            at = latex_scan_name(s, at).end;
        } else {
            at++;
        }
    }
    return 0;
}

/* Returns the end of the paragraph of byte `at`. */
static size_t paragraph_end(const LatexScan *s, size_t at)
{
    const size_t limit = s->end - at < FORMULA_BYTES ? s->end : at + FORMULA_BYTES;
    size_t blank;

    while (at < limit && !(s->bytes[at] == '\n' && latex_scan_is_paragraph(s, at, &blank))) at++;
    return at;
}

/* The end of \beq is \eeq. Returns where it ends, or `name.end`. */
static size_t find_common_end(const LatexScan *s, Range name)
{
    const size_t limit = paragraph_end(s, name.end), length = name.end - name.begin;

    for (size_t at = name.end; at < limit;) {
        Range other;
        if (s->bytes[at] != '\\') {
            at++;
            continue;
        }
        other = latex_scan_name(s, at);
        if (other.end - other.begin == length && s->bytes[other.begin] == 'e' &&
            memcmp(s->bytes + other.begin + 1, s->bytes + name.begin + 1, length - 1) == 0)
            return other.end;
        at = other.end;
    }
    return name.end;
}

size_t latex_definitions_formula_end(const LatexDefinitions *d, const LatexScan *s, Range name)
{
    const LatexDefinition *found = find(d, s, name, false);
    size_t end;

    if (!found) return latex_scan_is_in(s, name, "be bea beq beqa beqn") ? find_common_end(s, name) : name.end;
    if (found->kind != LATEX_BEGINS_FORMULA) return name.end;
    end = latex_definitions_environment_end(d, s, name.end, paragraph_end(s, name.end), found->environment);
    return end ? end : name.end;
}
