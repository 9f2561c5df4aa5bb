/* parallel_text.c - see parallel_text.h. */
#include "parallel_text.h"

#include <string.h>
#include <unistd.h>

#include "path.h"
#include "segment.h"

static Status open_text(TextFile **out, const char *path, Err *err)
{
    if (strcmp(path, "-") == 0) return text_file_open_descriptor(out, STDIN_FILENO, path_of_input(path), err);
    return text_file_open(out, path, err);
}

Status parallel_text_open(ParallelText *out, const Tokenizer *tokenizer, bool pieces, const char *source_path,
                          const char *target_path, Err *err)
{
    Status st;

    *out = (ParallelText){ .tokenizer = tokenizer,
                           .pieces = pieces,
                           .source_name = path_of_input(source_path),
                           .target_name = path_of_input(target_path) };
    st = open_text(&out->source_file, source_path, err);
    return st == OK ? open_text(&out->target_file, target_path, err) : st;
}

void parallel_text_close(ParallelText *text)
{
    text_file_close(text->source_file);
    text_file_close(text->target_file);
    encoding_free(&text->encoding);
    ids_free(&text->target_ids);
    buf_free(&text->source);
    buf_free(&text->target);
    *text = (ParallelText){ 0 };
}

Status parallel_text_next(ParallelText *p, bool *found, Err *err)
{
    const Buf *source = NULL, *target = NULL;
    size_t replaced;
    Status st = OK;

    *found = false;
    while (st == OK && !*found) {
        st = text_file_next(p->source_file, &source, err);
        if (st == OK) st = text_file_next(p->target_file, &target, err);
        if (st != OK || (!source && !target)) return st;
        if (!source || !target)
            return err_set(err, ERR_USAGE, "%s: has more lines than %s, which has %zu",
                           source ? p->source_name : p->target_name, source ? p->target_name : p->source_name,
                           text_file_line(source ? p->target_file : p->source_file));
        if (segment_is_blank(source->data, source->len) || segment_is_blank(target->data, target->len)) continue;

        buf_clear(&p->source);
        buf_clear(&p->target);
        ids_clear(&p->target_ids);
        buf_put_clean(&p->source, source->data, source->len, &replaced);
        buf_put_clean(&p->target, target->data, target->len, &replaced);
        st = buf_check(&p->source, err);
        if (st == OK)
            st = (p->pieces ? tokenizer_encode_pieces : tokenizer_encode)(p->tokenizer, p->source.data, p->source.len,
                                                                          &p->encoding, err);
        if (st == OK) st = buf_check(&p->target, err);
        if (st == OK)
            st = tokenizer_encode_target(p->tokenizer, p->target.data, p->target.len, p->pieces, &p->target_ids, err);
        *found = st == OK && p->encoding.pieces && p->target_ids.len && p->encoding.ids.len <= PARALLEL_TEXT_LONGEST &&
                 p->target_ids.len <= PARALLEL_TEXT_LONGEST;
    }
    return st;
}
