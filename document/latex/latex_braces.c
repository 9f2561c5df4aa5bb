/* latex_braces.c - see latex_braces.h. */
#include "latex_braces.h"

#include <stdlib.h>

#include "buf.h"
#include "chars.h"
#include "latex_commands.h"
#include "latex_extent.h"

/* An option or the name of a language before code is not longer. */
#define SETTING_BYTES ((size_t)1000)

typedef struct {
    LatexScan *scan;
    size_t *open; /* [depth], the indices of the groups that are open */
    size_t depth, capacity;
    size_t code_begin; /* where code begins after a command that was read */
    size_t code_depth; /* of the code in braces that is being read; 0: none */
    size_t defined;    /* where a command begins that is defined and not used: \def\url#1{...} */
} BraceReader;

static Status open_brace(BraceReader *r, size_t at, Err *err)
{
    LatexScan *s = r->scan;
    Status st = buf_grow_list(&s->groups, &s->group_capacity, s->group_count, 1, sizeof *s->groups, "a document", err);

    if (st == OK) st = buf_grow_list(&r->open, &r->capacity, r->depth, 1, sizeof *r->open, "a document", err);
    if (st != OK) return st;
    r->open[r->depth++] = s->group_count;
    s->groups[s->group_count++] = (Range){ at, 0 };
    return OK;
}

static void close_brace(BraceReader *r, size_t at)
{
    if (!r->depth) return;
    r->scan->groups[r->open[--r->depth]].end = at;
    if (r->depth < r->code_depth) r->code_depth = 0;
}

/* Returns the end of the option [x], or of the argument {x}, at byte `at` and of the blanks around it, before the
 * braces in it are known. */
static size_t skip_setting(const LatexScan *s, size_t at, char first, char last)
{
    size_t end, depth = 0;

    while (at < s->end && char_is_blank(s->bytes[at])) at++;
    if (at == s->end || s->bytes[at] != first) return at;
    for (end = at + 1; end < s->end && end - at < SETTING_BYTES; end++) {
        if (!depth && s->bytes[end] == last) {
            for (end++; end < s->end && char_is_blank(s->bytes[end]);) end++;
            return end;
        }
        if (s->bytes[end] == '{') depth++;
        if (s->bytes[end] == '}' && !depth--) break;
    }
    return at;
}

/* Code begins at byte `at`. Returns its end if it is between delimiters; in braces, it is read like other groups. */
static size_t read_code(BraceReader *r, size_t at)
{
    if (r->scan->bytes[at] != '{') return latex_extent_code(r->scan, at);
    r->code_depth = r->depth + 1;
    return at;
}

static size_t skip_option(const LatexScan *s, size_t at)
{
    return skip_setting(s, at, '[', ']');
}

/* Returns the end of the command at byte `at`, with the code of \verb. */
static size_t read_command(BraceReader *r, size_t at)
{
    const LatexScan *s = r->scan;
    const Range name = latex_scan_name(s, at);
    size_t option_end;

    if (r->code_depth || r->defined == at) return name.end;
    switch (latex_command(s, name).kind) {
    case LATEX_DEFINITION:
        r->defined = name.end;
        break;
    case LATEX_VERB:
        if (name.end == s->end || s->bytes[name.end] == '{' || s->bytes[name.end] == '}') break;
        return latex_extent_verb(s, name.end);
    case LATEX_INLINE:
        r->code_begin = skip_option(s, name.end);
        break;
    case LATEX_MINTED:
        r->code_begin = skip_setting(s, skip_option(s, name.end), '{', '}');
        break;
    default:
        if (!latex_scan_is_in(s, name, "href")) break;
        option_end = skip_option(s, name.end);
        if (option_end < s->end && s->bytes[option_end] == '{') r->code_begin = option_end;
    }
    return name.end;
}

static size_t read_part(BraceReader *r, size_t at, Status *st, Err *err)
{
    size_t blank;

    if (r->code_begin == at) {
        const size_t end = read_code(r, at);
        if (end > at) return end;
    }
    switch (r->scan->bytes[at]) {
    case '\\':
        return read_command(r, at);
    case '%':
        return r->code_depth ? at + 1 : latex_scan_line_end(r->scan, at);
    case '\n':
        if (r->code_depth && latex_scan_is_paragraph(r->scan, at, &blank)) r->code_depth = 0; /* it was none */
        break;
    case '{':
        *st = open_brace(r, at, err);
        break;
    case '}':
        close_brace(r, at);
        break;
    default:
        break;
    }
    return at + 1;
}

Status latex_braces_find(LatexScan *s, size_t begin, Err *err)
{
    BraceReader reader = { .scan = s, .code_begin = s->end, .defined = s->end };
    Status st = OK;

    for (size_t at = begin; st == OK && at < s->end;) at = read_part(&reader, at, &st, err);
    free(reader.open);
    if (st != OK) latex_braces_free(s);
    return st;
}

void latex_braces_free(LatexScan *s)
{
    free(s->groups);
    *s = (LatexScan){ .bytes = NULL };
}
