/* icu_pieces.h - checks messages with ICU itself, and writes the pieces of a message as document_builder.c does, for
 * tests of icu_message.h. */
#ifndef DRAGOMAN_ICU_PIECES_H
#define DRAGOMAN_ICU_PIECES_H

#include <stdlib.h>
#include <string.h>

#include <unicode/umsg.h>
#include <unicode/ustring.h>

#include "icu_message.h"

/* Whether ICU reads the message, which is valid UTF-8. */
static inline bool icu_accepts(const char *text)
{
    const size_t size = strlen(text);
    UErrorCode code = U_ZERO_ERROR;
    UChar *pattern = malloc((size + 1) * sizeof *pattern);
    UMessageFormat *format;
    int32_t length;

    u_strFromUTF8(pattern, (int32_t)size + 1, &length, text, (int32_t)size, &code);
    format = umsg_open(pattern, length, "en", NULL, &code);
    umsg_close(format);
    free(pattern);
    return U_SUCCESS(code);
}

/* A # of the plural around the text is written as it is; another one becomes {n, number} or '#'. */
static inline void icu_pieces_put(Buf *out, const IcuMessage *m, const IcuPiece *piece)
{
    size_t at = piece->text.begin;

    if (piece->kind == ICU_NAME) buf_put_text(out, plural_category_name(piece->category));
    if (piece->kind == ICU_NAME) return;
    for (size_t i = icu_message_mark(m, at); piece->kind == ICU_TEXT && i < m->marks.len; i++) {
        const IcuMark *mark = &m->marks.data[i];
        if (mark->text.begin >= piece->text.end) break;
        if (mark->kind != ICU_NUMBER || mark->argument == piece->argument) continue;
        buf_put(out, m->text + at, mark->text.begin - at);
        at = mark->text.end;
        if (mark->argument == ICU_NONE) {
            buf_put_text(out, "'#'");
        } else {
            const Range name = m->arguments.data[mark->argument].name;
            buf_put_format(out, "{%.*s, number}", (int)(name.end - name.begin), m->text + name.begin);
        }
    }
    buf_put(out, m->text + at, piece->text.end - at);
}

#endif
