/* pseudo.c - see pseudo.h. */
#include "pseudo.h"

#include <stdlib.h>
#include <string.h>

static const char *const lower_letters[] = { "á", "ḃ", "ć", "ḋ", "é", "ḟ", "ǵ", "ḣ", "í", "ĵ", "ḱ", "ĺ", "ḿ",
                                             "ń", "ó", "ṕ", "ɋ", "ŕ", "ś", "ť", "ú", "ṽ", "ẃ", "ẋ", "ý", "ź" };
static const char *const upper_letters[] = { "Á", "Ḃ", "Ć", "Ḋ", "É", "Ḟ", "Ǵ", "Ḣ", "Í", "Ĵ", "Ḱ", "Ĺ", "Ḿ",
                                             "Ń", "Ó", "Ṕ", "Ɋ", "Ŕ", "Ś", "Ť", "Ú", "Ṽ", "Ẃ", "Ẋ", "Ý", "Ź" };

/* Appends one byte, or what takes its place. */
static Status append_byte(char c, bool is_kept, Buf *out, Err *err)
{
    if (!is_kept && c >= 'a' && c <= 'z') return buf_append_text(out, lower_letters[c - 'a'], err);
    if (!is_kept && c >= 'A' && c <= 'Z') return buf_append_text(out, upper_letters[c - 'A'], err);
    return buf_append(out, &c, 1, err);
}

/* Appends the text; moved[i] becomes where its byte i goes, moved[length] the new length. */
static Status append_moved(const UnitText *text, size_t *moved, Buf *out, Err *err)
{
    const size_t start = out->len;
    size_t next = 0;
    Status st = OK;

    for (size_t at = 0; st == OK && at < text->length; at++) {
        while (next < text->kept_count && text->kept[next].end <= at) next++;
        moved[at] = out->len - start;
        st = append_byte(text->text[at], next < text->kept_count && text->kept[next].begin <= at, out, err);
    }
    moved[text->length] = out->len - start;
    return st;
}

static Range move(const size_t *moved, Range range)
{
    return (Range){ moved[range.begin], moved[range.end] };
}

Status pseudo_append(const UnitText *text, Buf *out, Range *places, SpanList *kept, Err *err)
{
    size_t *moved = malloc((text->length + 1) * sizeof *moved);
    Status st = moved ? append_moved(text, moved, out, err) : err_memory(err, "a text");

    for (size_t i = 0; st == OK && i < text->markup_count; i++) places[i] = move(moved, text->markup[i].text);
    for (size_t i = 0; st == OK && i < text->kept_count; i++)
        st = spans_append(kept, (Span){ .source = text->kept[i], .place = move(moved, text->kept[i]) }, err);
    free(moved);
    return st;
}
