/* latex_parser.c - see latex_parser.h. */
#include "latex_parser.h"

#include "chars.h"

/* Ends a text or a note. */
static void end_unit(LatexParser *p, size_t at)
{
    if (p->has_scripts[p->notes] && p->has_equals[p->notes])
        document_builder_drop_unit(p->builder, at);
    else
        document_builder_end_unit(p->builder, at);
    p->has_scripts[p->notes] = p->has_equals[p->notes] = false;
}

void latex_parser_end_text(LatexParser *p, size_t at)
{
    if (document_builder_is_in_text(p->builder) && !p->notes) end_unit(p, at);
}

/* Whether two letters or digits are before or, with `is_after`, after byte `at`. */
static bool has_word(const LatexParser *p, size_t at, bool is_after)
{
    if (!is_after) return at >= 2 && char_is_alphanumeric(p->bytes[at - 1]) && char_is_alphanumeric(p->bytes[at - 2]);
    return p->scan.end - at > 2 && char_is_alphanumeric(p->bytes[at + 1]) && char_is_alphanumeric(p->bytes[at + 2]);
}

void latex_parser_plain(LatexParser *p, size_t begin, size_t end)
{
    document_builder_plain(p->builder, begin, end);
    if (!p->reads_scripts || p->kept) return;
    for (size_t at = begin; at < end; at++) {
        if (p->bytes[at] == '^' || (p->bytes[at] == '_' && !(has_word(p, at, false) && has_word(p, at, true))))
            p->has_scripts[p->notes] = true;
        if (p->bytes[at] == '=' || p->bytes[at] == '<' || p->bytes[at] == '>') p->has_equals[p->notes] = true;
    }
}

void latex_parser_begin_text(LatexParser *p, size_t at)
{
    if (!document_builder_is_in_text(p->builder)) document_builder_begin(p->builder, 0, at);
}

void latex_parser_empty(LatexParser *p, size_t begin, size_t end)
{
    if (document_builder_is_in_text(p->builder)) document_builder_empty(p->builder, begin, end);
}

void latex_parser_kept(LatexParser *p, size_t begin, size_t end)
{
    latex_parser_begin_text(p, begin);
    document_builder_keep(p->builder, true);
    document_builder_plain(p->builder, begin, end);
    document_builder_keep(p->builder, p->kept > 0);
}

size_t latex_parser_code(LatexParser *p, size_t begin, Range contents)
{
    const size_t end = contents.end + 1;

    latex_parser_begin_text(p, begin);
    document_builder_open(p->builder, contents.end, begin, contents.begin);
    document_builder_keep(p->builder, true);
    document_builder_plain(p->builder, contents.begin, contents.end);
    document_builder_close(p->builder, contents.end, contents.end, end);
    document_builder_keep(p->builder, p->kept > 0);
    return end;
}

void latex_parser_open_group(LatexParser *p, LatexGroupKind kind, size_t begin, size_t end)
{
    p->groups[p->depth++] = (LatexGroup){ kind, begin, end, p->kept };
    p->kept += kind == LATEX_GROUP_CODE;
}

size_t latex_parser_open_span(LatexParser *p, LatexGroupKind kind, size_t begin, Range contents)
{
    latex_parser_begin_text(p, begin);
    document_builder_open(p->builder, contents.end, begin, contents.begin);
    latex_parser_open_group(p, kind, begin, contents.end);
    document_builder_keep(p->builder, p->kept > 0);
    return contents.begin;
}

size_t latex_parser_open_note(LatexParser *p, size_t begin, Range contents)
{
    const bool is_inner = document_builder_is_in_text(p->builder);

    if (p->notes) {
        latex_parser_empty(p, begin, contents.end + 1);
        return contents.end + 1;
    }
    document_builder_begin(p->builder, 0, contents.begin);
    p->notes = is_inner;
    latex_parser_open_group(p, is_inner ? LATEX_GROUP_NOTE : LATEX_GROUP_TEXT, begin, contents.end);
    return contents.begin;
}

size_t latex_parser_open_texts(LatexParser *p, LatexGroupKind kind, size_t at)
{
    const size_t begin = latex_scan_blanks(&p->scan, at);
    Range contents;

    if (p->depth == LATEX_GROUP_DEPTH || latex_scan_argument(&p->scan, begin, &contents) == begin) return at;
    latex_parser_open_group(p, kind, begin, contents.end);
    return contents.begin;
}

/* Goes on after the title of a frame, which a subtitle may follow, or of a block. Returns where to go on. */
static size_t close_title(LatexParser *p, LatexGroupKind kind, size_t at)
{
    const size_t next = latex_scan_overlay(&p->scan, at);

    return kind == LATEX_GROUP_FRAME_TITLE ? latex_parser_open_texts(p, LATEX_GROUP_TEXT, next) : next;
}

/* Goes on with the text for bookmarks after a span, which is a text in the closing bytes of the span. Returns where to
 * go on. */
static size_t close_tex_string(LatexParser *p, LatexGroup group)
{
    const size_t begin = latex_scan_blanks(&p->scan, group.end + 1);
    Range contents;
    const size_t end = latex_scan_argument(&p->scan, begin, &contents);

    if (p->notes) {
        document_builder_close(p->builder, group.end, group.end, end);
        return end;
    }
    document_builder_begin(p->builder, 0, contents.begin);
    p->notes = 1;
    latex_parser_open_group(p, LATEX_GROUP_PDF_STRING, group.end, contents.end);
    return contents.begin;
}

size_t latex_parser_close_group(LatexParser *p, size_t at)
{
    const LatexGroup group = p->groups[--p->depth];
    const bool is_crossed = at > group.end;
    const size_t after = is_crossed ? at : group.end + 1;

    p->kept = group.kept;
    switch (group.kind) {
    case LATEX_GROUP_TEXT:
    case LATEX_GROUP_FRAME_TITLE:
    case LATEX_GROUP_BLOCK_TITLE:
        latex_parser_end_text(p, is_crossed ? at : group.end);
        return is_crossed || group.kind == LATEX_GROUP_TEXT ? after : close_title(p, group.kind, after);
    case LATEX_GROUP_NOTE:
        end_unit(p, is_crossed ? at : group.end);
        p->notes = 0;
        document_builder_empty(p->builder, group.begin, after);
        break;
    case LATEX_GROUP_PDF_STRING:
        end_unit(p, is_crossed ? at : group.end);
        p->notes = 0;
        document_builder_close(p->builder, group.begin, group.begin, after);
        break;
    case LATEX_GROUP_TEX_STRING:
        if (!document_builder_is_in_text(p->builder) || is_crossed) break;
        return close_tex_string(p, group);
    default:
        if (!document_builder_is_in_text(p->builder)) break;
        if (!is_crossed) document_builder_close(p->builder, group.end, group.end, after);
        document_builder_keep(p->builder, p->kept > 0);
    }
    return after;
}
