/* kept_prefix.c - see kept_prefix.h. */
#include "kept_prefix.h"

#include <stdbool.h>
#include <string.h>

/* Whether the text has sentence[range) as whole words at byte `at`. */
static bool is_at(LineText text, size_t at, const char *sentence, ByteRange range)
{
    const size_t size = range.end - range.begin;

    return text.len - at >= size && memcmp(text.data + at, sentence + range.begin, size) == 0 &&
           kept_text_is_whole(text.data, text.len, (ByteRange){ at, at + size });
}

/* The longest part without a place that the prefix has at byte `at`; NULL: none. */
static KeptPart *longest_at(KeptPart *parts, size_t count, const char *sentence, LineText prefix, size_t at)
{
    KeptPart *longest = NULL;

    for (size_t i = 0; i < count; i++) {
        const ByteRange range = parts[i].range;
        if (parts[i].prefix.end || (longest && range.end - range.begin <= longest->range.end - longest->range.begin))
            continue;
        if (is_at(prefix, at, sentence, range) && kept_text_has_letters(sentence, range.begin, range.end))
            longest = &parts[i];
    }
    return longest;
}

void kept_prefix_find(KeptPart *parts, size_t count, const char *sentence, LineText prefix)
{
    size_t at = 0;

    while (at < prefix.len) {
        KeptPart *part = longest_at(parts, count, sentence, prefix, at);
        const size_t size = part ? part->range.end - part->range.begin : 1;
        if (part) part->prefix = (ByteRange){ at, at + size };
        at += size;
    }
}

/* The first edit whose place in the prefix is at or after byte `at`; NULL: none. */
static const KeptEdit *next_edit(const KeptText *text, size_t at)
{
    const KeptEdit *next = NULL;

    for (size_t i = 0; i < text->count; i++) {
        const KeptEdit *edit = &text->edits[i];
        if (!edit->prefix.end || edit->prefix.begin < at) continue;
        if (!next || edit->prefix.begin < next->prefix.begin) next = edit;
    }
    return next;
}

Status kept_prefix_write(KeptText *text, LineText prefix, Err *err)
{
    const KeptEdit *edit = next_edit(text, 0);
    size_t at = 0;
    Status st = OK;

    if (!edit) return OK;
    for (; st == OK && edit; edit = next_edit(text, at)) {
        st = buf_append(&text->prefix, prefix.data + at, edit->prefix.begin - at, err);
        if (st == OK)
            st = buf_append(&text->prefix, text->text.data + edit->from.begin, edit->from.end - edit->from.begin, err);
        at = edit->prefix.end;
    }
    return st == OK ? buf_append(&text->prefix, prefix.data + at, prefix.len - at, err) : st;
}

/* They are in the translation in the order of their places in the prefix. */
void kept_prefix_place(const KeptText *text, const char *sentence, const char *translation, size_t forced,
                       KeptEdit *edits)
{
    const LineText prefix = { translation, forced };
    size_t at = 0;

    for (const KeptEdit *edit = next_edit(text, 0); edit; edit = next_edit(text, edit->prefix.end)) {
        size_t place = at;
        while (place < forced && !is_at(prefix, place, sentence, edit->to)) place++;
        if (place >= forced) continue;
        at = place + edit->to.end - edit->to.begin;
        edits[edit - text->edits].from = (ByteRange){ place, at };
    }
}
