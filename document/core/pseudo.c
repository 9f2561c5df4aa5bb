/* pseudo.c - see pseudo.h. */
#include "pseudo.h"

#include <stdlib.h>
#include <string.h>

#include "chars.h"

static const char *const lower_letters[] = { "á", "ḃ", "ć", "ḋ", "é", "ḟ", "ǵ", "ḣ", "í", "ĵ", "ḱ", "ĺ", "ḿ",
                                             "ń", "ó", "ṕ", "ɋ", "ŕ", "ś", "ť", "ú", "ṽ", "ẃ", "ẋ", "ý", "ź" };
static const char *const upper_letters[] = { "Á", "Ḃ", "Ć", "Ḋ", "É", "Ḟ", "Ǵ", "Ḣ", "Í", "Ĵ", "Ḱ", "Ĺ", "Ḿ",
                                             "Ń", "Ó", "Ṕ", "Ɋ", "Ŕ", "Ś", "Ť", "Ú", "Ṽ", "Ẃ", "Ẋ", "Ý", "Ź" };

static Range move(const size_t *moved, Range range)
{
    return (Range){ moved[range.begin], moved[range.end] };
}

Status pseudo_append(const UnitText *text, Buf *out, Range *places, SpanList *kept, Err *err)
{
    size_t *moved = malloc((text->length + 1) * sizeof *moved); /* moved[i]: where byte i goes */
    const size_t start = out->len;
    size_t next = 0;
    Status st;

    if (!moved) return err_memory(err, "a text");
    for (size_t at = 0; at < text->length; at++) {
        const char c = text->text[at];
        while (next < text->kept_count && text->kept[next].end <= at) next++;
        moved[at] = out->len - start;
        const bool is_kept = next < text->kept_count && text->kept[next].begin <= at;
        if (char_is_letter(c) && !is_kept)
            buf_put_text(out, char_is_lower(c) ? lower_letters[c - 'a'] : upper_letters[c - 'A']);
        else
            buf_put_byte(out, c);
    }
    moved[text->length] = out->len - start;
    st = buf_check(out, err);
    for (size_t i = 0; st == OK && i < text->markup_count; i++) places[i] = move(moved, text->markup[i].text);
    for (size_t i = 0; st == OK && i < text->kept_count; i++)
        st = spans_append(kept, (Span){ .source = text->kept[i], .place = move(moved, text->kept[i]) }, err);
    free(moved);
    return st;
}
