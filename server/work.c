/* work.c - see work.h. */
#include "work.h"

#include <stdlib.h>
#include <string.h>

#include "library.h"

/* --- Jobs --------------------------------------------------------------------- */

Status work_begin(Work *out, Request *request, LanguageTable *languages, size_t source, size_t target, JobUse use,
                  size_t n_best, const DragomanOptions *settings, Err *err)
{
    Models *models = request->server->models;
    JobWish wish = { .use = use, .n_best = n_best };
    Status st;

    *out = (Work){ .request = request, .languages = languages };
    out->source = language_table_row(languages, source);
    out->target = language_table_row(languages, target);
    if (source == target) return OK;
    wish.source = out->source->code;
    wish.target = out->target->code;
    (void)settings;
    st = models_take(models, &wish, &out->model, err);
    if (st == OK) out->job = open_job(out->model);
    return st;
}

void work_end(Work *work)
{
    dragoman_run_end(work->run, false);
    if (work->request) models_release(work->request->server->models, work->model);
    language_table_release(work->languages);
    *work = (Work){ .run = NULL };
}

Status work_start(Work *work, const DragomanInput *inputs, size_t count, Err *err)
{
    DragomanError error;

    if (atomic_load(&work->request->gone)) return err_set(err, ERR_IO, "the client has gone away");
    return library_status(
        dragoman_run_start(&work->run, work->job, inputs, count, (DragomanRunRules){ .stop_at_unreadable = true }, &error), &error,
        err);
}

Status work_next(Work *work, DragomanItem *item, Err *err)
{
    DragomanError error;
    size_t length;
    Status st;

    if (atomic_load(&work->request->gone)) return err_set(err, ERR_IO, "the client has gone away");
    st = library_status(dragoman_run_next(work->run, item, &error), &error, err);
    if (st == OK && item->line) {
        const char *source = dragoman_line_source(item->line, &length);
        metrics_count_lines(work->request->server->metrics, 1, work_count_characters(source, length));
    }
    return st;
}

Status work_run(Work *work, const DragomanInput *inputs, size_t count, WorkReader *reader, void *context, Err *err)
{
    DragomanItem item = { .kind = DRAGOMAN_ITEM_BYTES };
    Status st = work_start(work, inputs, count, err);

    while (st == OK && item.kind != DRAGOMAN_ITEM_END) {
        st = work_next(work, &item, err);
        if (st == OK && item.kind != DRAGOMAN_ITEM_END) st = reader(context, &item, err);
    }
    dragoman_run_end(work->run, false);
    work->run = NULL;
    return st;
}

/* --- Texts and documents ------------------------------------------------------ */

/* Where the translations of texts are written. */
typedef struct {
    Buf *outs; /* [texts, n_best] */
    size_t n_best;
} TextsOutput;

static Status read_text(void *context, const DragomanItem *item, Err *err)
{
    const TextsOutput *to = context;
    Buf *outs = to->outs + item->file * to->n_best;

    if (item->kind == DRAGOMAN_ITEM_BYTES) {
        buf_put(&outs[0], item->bytes, item->size);
        return buf_check(&outs[0], err);
    }
    for (size_t rank = 0; rank < to->n_best; rank++) {
        const bool has_rank = rank < dragoman_line_count(item->line);
        size_t length;
        const char *text = dragoman_item_text(item, has_rank ? rank : 0, &length);
        buf_put_replaced(&outs[rank], text, length, "\n", " ");
        buf_put_text(&outs[rank], item->ending);
    }
    return buf_check(&outs[0], err);
}

Status work_texts(Work *work, const TextParts *texts, const char *format, size_t n_best, Buf *outs, Err *err)
{
    TextsOutput to = { outs, n_best };
    DragomanInput *inputs = calloc(texts->len + 1, sizeof *inputs);
    Status st = OK;

    if (!inputs) return err_memory(err, "the texts");
    for (size_t i = 0; i < texts->len; i++) {
        inputs[i] = (DragomanInput){
            .path = "text", .format = format, .bytes = texts->data[i].data, .size = texts->data[i].len
        };
        if (!work->job) buf_put(&outs[i * n_best], texts->data[i].data, texts->data[i].len);
    }
    if (work->job && texts->len) st = work_run(work, inputs, texts->len, read_text, &to, err);
    for (size_t i = 0; i < texts->len * n_best; i++) {
        buf_put(&outs[i], "", 0); /* so that there is a NUL */
        if (st == OK) st = buf_check(&outs[i], err);
    }
    free(inputs);
    return st;
}

Status work_document(Work *work, const char *name, const char *format, const char *bytes, size_t size, Buf *out,
                     Err *err)
{
    const DragomanInput input = { .path = name, .format = format, .bytes = bytes, .size = size };
    TextsOutput to = { out, 1 };
    Status st = OK;

    if (work->job)
        st = work_run(work, &input, 1, read_text, &to, err);
    else
        buf_put(out, bytes, size);
    buf_put(out, "", 0);
    return st == OK ? buf_check(out, err) : st;
}

/* --- Languages of texts ------------------------------------------------------- */

size_t work_count_characters(const char *text, size_t length)
{
    size_t count = 0;

    for (size_t i = 0; i < length; i++) count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

Status work_detect(const LanguageTable *languages, const char *text, size_t length, Detection out[DETECTIONS_MOST],
                   size_t *count, Err *err)
{
    (void)languages;
    (void)text;
    (void)length;
    (void)out;
    (void)err;
    *count = 0;
    return OK;
}
