/* latex_body.c - see latex_body.h. */
#include "latex_body.h"

#include "latex_commands.h"
#include "latex_extent.h"

typedef struct {
    const LatexScan *scan;
    bool skips_environments; /* those of code */
    bool has_open;           /* an environment of code has no end */
} BodyReader;

static const LatexName document = { "document", sizeof "document" - 1 };

/* Returns the end of the braces at byte `at` and what is in them, as far as they are in one line; otherwise `at`. */
static size_t skip_braces(const LatexScan *s, size_t at)
{
    size_t depth = 0;

    for (size_t i = at; i < s->end && s->bytes[i] != '\n'; i++) {
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
    const ByteRange name = { brace + 1, end - 1 };
    ByteRange close;

    if (end == brace || latex_environment(s, name).kind != LATEX_VERBATIM) return at;
    close = latex_extent_find_boundary(s, end, "\\end", (LatexName){ s->bytes + name.begin, name.end - name.begin });
    if (close.begin == close.end) r->has_open = true;
    return close.end;
}

static size_t skip_command(BodyReader *r, size_t at)
{
    const LatexScan *s = r->scan;
    const ByteRange name = latex_scan_name(s, at);
    const LatexCommandKind kind = latex_command(s, name).kind;

    if (kind == LATEX_VERB) return latex_extent_verb(s, name.end);
    if (kind == LATEX_INLINE || kind == LATEX_MINTED) return skip_code(s, kind, name.end);
    if (latex_scan_is_in(s, name, "href")) return skip_code(s, LATEX_INLINE, name.end);
    if (r->skips_environments && latex_scan_is_in(s, name, "begin")) return skip_environment(r, name.end);
    return name.end;
}

static size_t find(BodyReader *r, size_t at, const char *command)
{
    const LatexScan *s = r->scan;

    while (at < s->end) {
        if (s->bytes[at] == '%') {
            at = latex_scan_line_end(s, at);
        } else if (s->bytes[at] == '\\') {
            if (latex_extent_boundary(s, at, command, document) > at) return at;
            at = skip_command(r, at);
        } else {
            at++;
        }
    }
    return s->end;
}

static ByteRange find_both(BodyReader *r, size_t begin)
{
    const size_t body = find(r, begin, "\\begin");

    return (ByteRange){ body, find(r, body < r->scan->end ? body : begin, "\\end") };
}

/* An environment that never ends is not one: a macro may contain its \begin. */
ByteRange latex_body_find(const LatexScan *s, size_t begin)
{
    BodyReader reader = { .scan = s, .skips_environments = true };
    ByteRange body = find_both(&reader, begin);

    if (!reader.has_open) return body;
    reader.skips_environments = false;
    return find_both(&reader, begin);
}
