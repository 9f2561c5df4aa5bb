/* latex_body.c - see latex_body.h. */
#include "latex_body.h"

#include "latex_commands.h"
#include "latex_extent.h"

typedef struct {
    const LatexScan *scan;
    bool skips_environments;    /* those of code */
    bool has_open;              /* an environment of code has no end */
    bool has_class;             /* \documentclass was read */
    size_t depth, environments; /* braces and environments that are open */
} BodyReader;

/* An address or the name of an environment is not longer, so that reading takes linear time. */
#define ARGUMENT_BYTES ((size_t)1000)

static const LatexName document = { "document", sizeof "document" - 1 };

/* Returns the end of the braces at byte `at` and what is in them, as far as they are in one line; otherwise `at`. */
static size_t skip_braces(const LatexScan *s, size_t at)
{
    const size_t limit = s->end - at < ARGUMENT_BYTES ? s->end : at + ARGUMENT_BYTES;
    size_t depth = 0;

    for (size_t i = at; i < limit && s->bytes[i] != '\n'; i++) {
        if (s->bytes[i] == '{') depth++;
        if (s->bytes[i] == '}' && depth && !--depth) return i + 1;
        if (!depth) break;
    }
    return at;
}

/* Returns the end of code or an address after the name of a command. */
static size_t skip_code(const LatexScan *s, LatexCommandKind kind, size_t at)
{
    const size_t settings = latex_extent_code_settings(s, at, false);
    const size_t begin = kind == LATEX_MINTED ? skip_braces(s, settings) : settings;

    return begin < s->end && s->bytes[begin] == '{' ? skip_braces(s, begin) : latex_extent_code(s, begin);
}

/* Returns the end of the environment of code whose \begin ends at byte `at`; otherwise `at`. */
static size_t skip_environment(BodyReader *r, size_t at)
{
    const LatexScan *s = r->scan;
    const size_t brace = latex_extent_code_settings(s, at, false), end = skip_braces(s, brace);
    const Range name = { brace + 1, end - 1 };
    Range close;

    if (end == brace || latex_environment(s, name).kind != LATEX_VERBATIM) return at;
    close = latex_extent_find_boundary(s, end, "\\end", (LatexName){ s->bytes + name.begin, name.end - name.begin });
    if (close.begin == close.end) r->has_open = true;
    return close.end;
}

static size_t skip_command(BodyReader *r, size_t at)
{
    const LatexScan *s = r->scan;
    const Range name = latex_scan_name(s, at);
    const LatexCommandKind kind = latex_command(s, name).kind;

    if (kind == LATEX_VERB) return latex_extent_verb(s, name.end);
    if (kind == LATEX_INLINE || kind == LATEX_MINTED) return skip_code(s, kind, name.end);
    if (latex_scan_is_in(s, name, "href")) return skip_code(s, LATEX_INLINE, name.end);
    if (r->skips_environments && latex_scan_is_in(s, name, "begin")) return skip_environment(r, name.end);
    return name.end;
}

/* Returns the end of a comment or a command at byte `at`, with the code after it, or the next byte. */
static size_t skip_part(BodyReader *r, size_t at)
{
    if (r->scan->bytes[at] == '%') return latex_scan_line_end(r->scan, at);
    return r->scan->bytes[at] == '\\' ? skip_command(r, at) : at + 1;
}

/* Notes braces and environments that begin or end at byte `at`; `end` is where its command ends. A document may
 * contain macros with one of both, so environments in braces do not count. */
static void note_nesting(BodyReader *r, size_t at, size_t end)
{
    const LatexScan *s = r->scan;
    Range name;

    if (s->bytes[at] == '{') r->depth++;
    if (s->bytes[at] == '}' && r->depth) r->depth--;
    if (s->bytes[at] != '\\' || r->depth) return;
    name = latex_scan_name(s, at);
    if (latex_scan_is_in(s, name, "begin") && end == name.end) r->environments++;
    if (latex_scan_is_in(s, name, "end") && r->environments) r->environments--;
    if (latex_scan_is_in(s, name, "documentclass documentstyle") && !r->environments) r->has_class = true;
}

/* Finds \begin{document}. One in an environment or in braces is an example, unless a class is set outside of them and
 * no other one follows: then something else is wrong. */
static size_t find_begin(BodyReader *r, size_t at)
{
    const LatexScan *s = r->scan;
    size_t example = s->end;

    r->depth = r->environments = 0;
    r->has_class = false;
    while (at < s->end) {
        const size_t end = skip_part(r, at);
        if (s->bytes[at] == '\\' && latex_extent_boundary(s, at, "\\begin", document) > at) {
            if (!r->depth && !r->environments) return at;
            if (r->has_class && example == s->end) example = at;
        }
        note_nesting(r, at, end);
        at = end;
    }
    return example;
}

/* Finds \end{document}, but not that of an example, which has its own \begin. */
static size_t find_end(BodyReader *r, size_t at, bool has_begin)
{
    const LatexScan *s = r->scan;
    size_t examples = 0, last = s->end;

    for (; at < s->end; at = skip_part(r, at)) {
        if (s->bytes[at] != '\\') continue;
        if (latex_extent_boundary(s, at, "\\begin", document) > at) examples++;
        if (latex_extent_boundary(s, at, "\\end", document) == at) continue;
        if (!examples) return at;
        examples--;
        last = at;
    }
    return has_begin ? last : s->end;
}

static Range find_both(BodyReader *r, size_t begin)
{
    const size_t body = find_begin(r, begin);
    const bool has_begin = body < r->scan->end;

    return (Range){ body, find_end(r, has_begin ? body + 1 : begin, has_begin) };
}

/* An environment that never ends is not one: a macro may contain its \begin. */
Range latex_body_find(const LatexScan *s, size_t begin)
{
    BodyReader reader = { .scan = s, .skips_environments = true };
    const Range body = find_both(&reader, begin);

    if (!reader.has_open) return body;
    reader.skips_environments = false;
    return find_both(&reader, begin);
}
