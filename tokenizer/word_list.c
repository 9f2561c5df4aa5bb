/* word_list.c - see word_list.h. */
#include "word_list.h"

#include <string.h>

#include "utf8.h"

static Status check_token(const char *path, size_t line, const char *token, size_t len, Err *err)
{
    for (size_t i = 0; i < len;) {
        uint32_t code;
        i += utf8_next(token + i, len - i, &code);
        if (code == UTF8_INVALID || code == 0)
            return err_set(err, ERR_FORMAT, "%s: line %zu: %s", path, line + 1,
                           code ? "ill-formed UTF-8" : "a NUL byte");
    }
    return OK;
}

static Status add_line(Vocab *vocab, const char *path, size_t line, const char *token, size_t len, Err *err)
{
    Status st;

    if (len && token[len - 1] == '\r') len--;
    if (!len) return OK;
    if (line > VOCAB_MAX_ID) return err_set(err, ERR_FORMAT, "%s: more than %d lines", path, VOCAB_MAX_ID);
    st = check_token(path, line, token, len, err);
    if (st == OK && vocab_id(vocab, token, len) >= 0)
        return err_set(err, ERR_FORMAT, "%s: lines %d and %zu have the same token \"%.*s\"", path,
                       (int)vocab_id(vocab, token, len) + 1, line + 1, (int)(len < 100 ? len : 100), token);
    return st == OK ? vocab_add(vocab, token, len, (int32_t)line, err) : st;
}

static Status add_lines(Vocab *vocab, const MappedFile *file, const char *path, Err *err)
{
    const char *text = (const char *)file->data, *end = text + file->size;
    size_t line = 0;
    Status st = OK;

    for (; st == OK && text < end; line++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        if (!stop) stop = end;
        st = add_line(vocab, path, line, text, (size_t)(stop - text), err);
        text = stop < end ? stop + 1 : end;
    }
    vocab_set_lines(vocab, line);
    return st;
}

Status word_list_read(Vocab **out, const FileView *file, Err *err)
{
    Vocab *vocab = NULL;
    Status st = vocab_new(&vocab, file->path, err);

    *out = NULL;
    if (st == OK && file->map.size) st = add_lines(vocab, &file->map, file->path, err);
    if (st == OK) st = vocab_complete(vocab, err);
    if (st == OK)
        *out = vocab;
    else
        vocab_free(vocab);
    return st;
}

bool word_list_next(const char *text, size_t len, size_t *at, const char **word, size_t *word_len)
{
    size_t start = *at, step;
    uint32_t code;

    while (start < len) {
        step = utf8_next(text + start, len - start, &code);
        if (!utf8_is_space(code)) break;
        start += step;
    }
    *at = start;
    while (*at < len) {
        step = utf8_next(text + *at, len - *at, &code);
        if (utf8_is_space(code)) break;
        *at += step;
    }
    *word = text + start;
    *word_len = *at - start;
    return *word_len > 0;
}

Status word_list_join(const char *const *words, size_t count, Buf *out, Range *ranges, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < count; i++) {
        st = buf_append_format(out, err, "%s%s", i ? " " : "", words[i]);
        if (ranges) ranges[i] = (Range){ out->len - strlen(words[i]), out->len };
    }
    return st;
}

Status word_list_check(char **cannot_tokenize, const Vocab *vocab, const char *wanted, Err *err)
{
    Buf text = { 0 };
    Status st;

    if (*cannot_tokenize || !vocab_has_pieces(vocab)) return OK;
    st = buf_append_format(
        &text, err,
        "%s: the vocabulary has subword pieces, but there is no %s beside it to split text into them: "
        "add it, or give pieces (" SETTING(PIECES_IN) ")",
        vocab_path(vocab), wanted);
    if (st == OK)
        *cannot_tokenize = text.data;
    else
        buf_free(&text);
    return st;
}
