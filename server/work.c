/* work.c - see work.h. */
#include "work.h"

#include <stdlib.h>
#include <string.h>

#include "chars.h"
#include "library.h"
#include "text.h"

#define DETECTED_BYTES ((size_t)1 << 16) /* of the texts of a document; enough for a sure result */
#define UTF8_MARK      "\xef\xbb\xbf"

/* --- Jobs --------------------------------------------------------------------- */

Status work_begin(Work *out, Request *request, LanguageTable *languages, size_t source, size_t target, JobUse use,
                  size_t n_best, const DragomanOptions *settings, Err *err)
{
    Models *models = request->server->models;
    JobWish wish = { .use = use, .n_best = n_best };
    DragomanError error;
    Status st;

    *out = (Work){ .request = request, .languages = languages };
    out->source = language_table_row(languages, source);
    out->target = language_table_row(languages, target);
    if (source == target) return OK;
    wish.source = out->source->code;
    wish.target = out->target->code;
    st = models_take(models, &wish, &out->model, err);
    if (st == OK)
        st = library_status(
            dragoman_job_share(&out->job, open_job(out->model), settings, request->client_id, NULL, &error), &error,
            err);
    if (st == OK) request_set_job(request, out->job);
    return st;
}

void work_end(Work *work)
{
    if (!work->request) return;
    request_set_job(work->request, NULL);
    if (work->has_failed && !atomic_load(&work->request->gone))
        models_retire(work->request->server->models, work->model);
    dragoman_run_end(work->run, true);
    dragoman_job_close(work->job);
    models_release(work->request->server->models, work->model);
    language_table_release(work->languages);
    *work = (Work){ .run = NULL };
}

Status work_start(Work *work, const DragomanInput *inputs, size_t count, Err *err)
{
    DragomanError error;

    if (atomic_load(&work->request->gone)) return err_set(err, ERR_IO, "the client has gone away");
    return library_status(dragoman_run_start(&work->run, work->job, inputs, count,
                                             (DragomanRunRules){ .stop_at_unreadable = true }, &error),
                          &error, err);
}

Status work_next(Work *work, DragomanItem *item, Err *err)
{
    DragomanError error;
    size_t length;
    Status st;

    if (atomic_load(&work->request->gone)) return err_set(err, ERR_IO, "the client has gone away");
    st = library_status(dragoman_run_next(work->run, item, &error), &error, err);
    work->has_failed = st == ERR_IO || st == ERR_MEMORY;
    if (st == OK && item->line) {
        const char *source = dragoman_line_source(item->line, &length);
        work->characters += chars_count(source, length);
        metrics_count_line(work->request->server->metrics, chars_count(source, length));
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
    dragoman_run_end(work->run, st != OK);
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

/* The texts of a request are UTF-8, whatever encoding a <meta> or an XML declaration in them names. A byte order mark
 * before each of them says so. */
static void put_marked(Buf *out, const char *text, size_t length)
{
    if (length && !text_begins_with(text, UTF8_MARK)) buf_put_text(out, UTF8_MARK);
    buf_put(out, text, length);
}

static void add_marks(const TextParts *texts, DragomanInput *inputs, Buf *out)
{
    size_t at = 0;

    for (size_t i = 0; i < texts->len; i++) {
        const size_t before = out->len;
        put_marked(out, inputs[i].bytes, inputs[i].size);
        inputs[i].size = out->len - before;
    }
    for (size_t i = 0; i < texts->len && out->len; at += inputs[i++].size) inputs[i].bytes = out->data + at;
}

Status work_texts(Work *work, const TextParts *texts, const char *format, size_t n_best, Buf *outs, Err *err)
{
    const bool is_document = strcmp(format, DRAGOMAN_LINES) != 0;
    TextsOutput to = { outs, n_best };
    DragomanInput *inputs = calloc(texts->len + 1, sizeof *inputs);
    Buf marked = { 0 };
    size_t replaced;
    Status st = OK;

    if (!inputs) return err_memory(err, "the texts");
    for (size_t i = 0; i < texts->len; i++) {
        inputs[i] = (DragomanInput){
            .path = "text", .format = format, .bytes = texts->data[i].data, .size = texts->data[i].len
        };
        if (!work->job) buf_put_clean(&outs[i * n_best], texts->data[i].data, texts->data[i].len, &replaced);
    }
    if (work->job && is_document) add_marks(texts, inputs, &marked);
    st = buf_check(&marked, err);
    if (st == OK && work->job && texts->len) st = work_run(work, inputs, texts->len, read_text, &to, err);
    for (size_t i = 0; i < texts->len * n_best; i++) {
        const size_t mark = work->job && is_document ? chars_skip_mark(outs[i].data, 0, outs[i].len) : 0;
        outs[i].len -= mark;
        if (mark) memmove(outs[i].data, outs[i].data + mark, outs[i].len);
        buf_put(&outs[i], "", 0); /* so that there is a NUL */
        if (st == OK) st = buf_check(&outs[i], err);
    }
    buf_free(&marked);
    free(inputs);
    return st;
}

Status work_document(Work *work, const char *name, const char *format, const char *bytes, size_t size, Buf *out,
                     Err *err)
{
    const bool is_lines = strcmp(format, DRAGOMAN_LINES) == 0; /* without a format, a binary file is refused */
    const DragomanInput input = { .path = name, .format = is_lines ? NULL : format, .bytes = bytes, .size = size };
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

const char *work_format_of(const char *name)
{
    const DragomanFormat format = dragoman_format_of_ending(name);

    if (text_ends_with_case(name, ".txt")) return DRAGOMAN_LINES;
    return format.is_document ? format.name : NULL;
}

Status work_detect(const LanguageTable *languages, const char *text, size_t length, Detection out[DETECTIONS_MOST],
                   size_t *count, Err *err)
{
    DragomanDetection found = { .count = 0 };
    DragomanError error;
    Buf clean = { 0 };
    size_t replaced = 0;
    Status st;

    *count = 0;
    buf_put_clean(&clean, text, length, &replaced);
    buf_put(&clean, "", 0);
    st = buf_check(&clean, err);
    if (st == OK) st = library_status(dragoman_detect_language(clean.data, clean.len, &found, &error), &error, err);
    if (st == ERR_UNSUPPORTED) st = ERR_IO; /* CLD2 is missing: a fault of the server, not of the request */
    for (size_t i = 0; st == OK && i < found.count && *count < DETECTIONS_MOST; i++) {
        const size_t language = language_table_find(languages, found.languages[i].tag);
        if (language != NO_LANGUAGE)
            out[(*count)++] = (Detection){ .language = language, .confidence = found.languages[i].percent };
    }
    buf_free(&clean);
    return st;
}

size_t work_choose_source(const LanguageTable *languages, const Detection *found, size_t count, size_t target)
{
    for (size_t i = 0; i < count; i++)
        if (found[i].language == target || language_table_has(languages, found[i].language, target))
            return found[i].language;
    return NO_LANGUAGE;
}

size_t work_usual_source(const LanguageTable *languages, size_t target)
{
    size_t usual = language_table_find(languages, "en");

    if (usual != NO_LANGUAGE && (usual == target || language_table_has(languages, usual, target))) return usual;
    for (usual = 0; usual < language_table_count(languages); usual++)
        if (language_table_has(languages, usual, target)) return usual;
    return target;
}

/* Reads what would be translated in a document. The caller frees out->text. */
static Status read_texts(const LanguageTable *languages, const DragomanOptions *settings, const DragomanInput *input,
                         DragomanTexts *out, Err *err)
{
    DragomanOptions *own = NULL;
    DragomanError error;
    Status st = settings ? OK : language_table_settings(languages, &own, err);

    *out = (DragomanTexts){ .text = NULL };
    if (st == OK) st = library_status(dragoman_read_texts(settings ? settings : own, input, out, &error), &error, err);
    dragoman_options_free(own);
    return st;
}

Status work_extract(const LanguageTable *languages, const DragomanOptions *settings, const char *format, LineText text,
                    Buf *out, Err *err)
{
    DragomanInput input = { .path = "text", .format = format };
    DragomanTexts texts = { .text = NULL };
    Buf marked = { 0 };
    Status st;

    if (strcmp(format, DRAGOMAN_LINES) == 0) {
        buf_put(out, text.data, text.len);
        buf_put_byte(out, '\n');
        return buf_check(out, err);
    }
    put_marked(&marked, text.data, text.len);
    st = buf_check(&marked, err);
    input.bytes = marked.data ? marked.data : "";
    input.size = marked.len;
    if (st == OK) st = read_texts(languages, settings, &input, &texts, err);
    if (st == OK) buf_put(out, texts.text, texts.length);
    dragoman_free_text(texts.text);
    buf_free(&marked);
    return st == OK ? buf_check(out, err) : st;
}

Status work_count_document(const LanguageTable *languages, const DragomanOptions *settings, const DragomanInput *input,
                           size_t *count, Err *err)
{
    DragomanTexts texts;
    const Status st = read_texts(languages, settings, input, &texts, err);

    *count = chars_count(texts.text, texts.length);
    for (size_t i = 0; i < texts.length; i++) *count -= texts.text[i] == '\n';
    dragoman_free_text(texts.text);
    return st;
}

Status work_detect_document(const LanguageTable *languages, const DragomanInput *input, Detection out[DETECTIONS_MOST],
                            size_t *count, Err *err)
{
    DragomanTexts texts;
    Status st = read_texts(languages, NULL, input, &texts, err);
    const size_t named = st == OK && *texts.language ? language_table_find(languages, texts.language) : NO_LANGUAGE;

    *count = named != NO_LANGUAGE;
    out[0] = (Detection){ .language = named, .confidence = 100 };
    if (texts.length > DETECTED_BYTES) texts.length = DETECTED_BYTES;
    if (st == OK && !*count) st = work_detect(languages, texts.text, texts.length, out, count, err);
    dragoman_free_text(texts.text);
    return st;
}
