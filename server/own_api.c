/* own_api.c - dragoman's own API: what the output format jsonl has, for a list of lines and as a stream. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "chars.h"
#include "format.h"
#include "json.h"
#include "routes.h"
#include "text.h"
#include "utf8.h"
#include "work.h"

/* The parameters of both requests. */
typedef struct {
    LanguageTable *table;
    size_t source, target;
    bool is_auto;
    long n_best;
    DragomanUnit unit;
    Buf lines;                /* the texts, each with a newline */
    size_t count, characters; /* of the lines */
    Detection detected;
} Query;

/* Reads everything but the texts. Returns false if it is refused; the reply says why. */
static bool read_query(Query *q, const Request *request, Reply *reply)
{
    const Form *form = &request->form;
    const char *source = form_text(form, "source", NULL), *target = form_text(form, "target", NULL);
    const char *unit = form_text(form, "unit", NULL);
    const long most = request->server->options->server.max_alternatives + 1;

    q->n_best = 1;
    q->is_auto = source && strcmp(source, "auto") == 0;
    q->source = source ? language_table_find(q->table, source) : NO_LANGUAGE;
    q->target = target ? language_table_find(q->table, target) : NO_LANGUAGE;
    q->unit = unit && strcmp(unit, "token") == 0 ? DRAGOMAN_TOKENS : DRAGOMAN_WORDS;
    if (!source || !target)
        reply_error(reply, 400, "%s is missing", source ? "target" : "source");
    else if (q->source == NO_LANGUAGE && !q->is_auto)
        reply_error(reply, 400, "source: '%s' is not a language of this server; /languages lists them", source);
    else if (q->target == NO_LANGUAGE)
        reply_error(reply, 400, "target: '%s' is not a language of this server; /languages lists them", target);
    else if (!form_number(form, "n", &q->n_best) || q->n_best < 1 || q->n_best > most)
        reply_error(reply, 400, "n must be a whole number from 1 to %ld", most);
    else if (unit && strcmp(unit, "token") != 0 && strcmp(unit, "word") != 0)
        reply_error(reply, 400, "unit must be token or word, not '%s'", unit);
    return reply->status == 200;
}

/* Adds a text, without a CR at its end, as one line. Returns false if it is too long. */
static bool add_line(Query *q, const Request *request, const char *text, size_t length, Reply *reply)
{
    const size_t most = (size_t)request->server->options->server.max_chars, begin = q->lines.len;
    size_t characters, replaced = 0;

    if (length && text[length - 1] == '\r') length--;
    characters = chars_count(text, length);
    if (characters > most) {
        reply_error(reply, 413, "line %zu has more than %zu characters", q->count + 1, most);
        return false;
    }
    buf_put_clean(&q->lines, text, length, &replaced);
    for (size_t i = begin; i < q->lines.len; i++)
        if (q->lines.data[i] == '\n' || q->lines.data[i] == '\r') q->lines.data[i] = ' ';
    buf_put_byte(&q->lines, '\n');
    q->count++;
    q->characters += characters;
    return true;
}

/* Detects the source language if it is asked for, and checks the pair. */
static bool find_pair(Query *q, Reply *reply)
{
    Detection found[DETECTIONS_MOST];
    size_t count = 0;
    Err err;
    Status st = buf_check(&q->lines, &err);

    if (st == OK && q->is_auto)
        st = work_detect(q->table, q->lines.data ? q->lines.data : "", q->lines.len, found, &count, &err);
    if (st != OK) {
        reply_fault(reply, st, &err);
        return false;
    }
    if (q->is_auto) {
        q->detected = count ? found[0] : (Detection){ .language = work_usual_source(q->table, q->target) };
        q->source = q->detected.language;
    }
    if (q->source == q->target || language_table_has(q->table, q->source, q->target)) return true;
    reply_error(reply, 400, "no model translates from %s into %s", language_table_row(q->table, q->source)->code,
                language_table_row(q->table, q->target)->code);
    return false;
}

static Formatter formatter_of(const Query *q)
{
    return (Formatter){ .format = FORMAT_JSONL,
                        .n_best = (size_t)q->n_best,
                        .alignment = { ALIGNMENT_LINKS, 1 },
                        .unit = q->unit,
                        .confidence = true };
}

/* --- /v1/translate */

typedef struct {
    Formatter formatter;
    Buf *out;
    const char *before;
} ListWriter;

static Status write_line(void *context, const DragomanItem *item, Err *err)
{
    ListWriter *writer = context;
    Status st;

    buf_put_text(writer->out, writer->before);
    writer->before = ",\n";
    st = format_line(&writer->formatter, item, writer->out, err);
    if (st == OK && writer->out->len) writer->out->data[--writer->out->len] = '\0'; /* the newline */
    return st;
}

/* Appends the lines as copies, for a text that is in the target language already. */
static void put_copies(const Query *q, Buf *out)
{
    const char *line = q->lines.data;

    for (size_t number = 1; number <= q->count; number++) {
        const size_t length = strcspn(line, "\n");
        buf_put_format(out, "%s{\"line\":%zu,\"source\":", number > 1 ? ",\n" : "", number);
        json_put_string(out, line, length);
        buf_put_text(out, ",\"translations\":[{\"text\":");
        json_put_string(out, line, length);
        buf_put_text(out, ",\"alignment\":[]}]}");
        line += length + 1;
    }
}

static void put_answer_head(const Query *q, const Work *work, Buf *out)
{
    buf_put_text(out, "{\"source\":");
    json_put_text(out, work->source->code);
    buf_put_text(out, ",\"target\":");
    json_put_text(out, work->target->code);
    if (q->is_auto) {
        buf_put_text(out, ",\"detected\":{\"language\":");
        json_put_text(out, work->source->code);
        buf_put_format(out, ",\"confidence\":%.1f}", q->detected.confidence);
    }
    if (work->model) {
        buf_put_text(out, ",\"model\":");
        json_put_text(out, open_job_name(work->model));
    }
    buf_put_text(out, ",\"translations\":[\n");
}

static bool read_lines(Query *q, const Request *request, Reply *reply)
{
    const ServerOptions *options = &request->server->options->server;
    const size_t most = (size_t)options->max_texts;
    const size_t most_characters = (size_t)options->max_chars;
    TextParts texts = { .data = NULL };
    bool is_list, is_good = form_texts(&request->form, "text", &texts, &is_list) && (is_list || texts.len);

    if (!is_good) reply_error(reply, 400, "text must be a string or an array of strings");
    for (size_t i = 0; is_good && i < texts.len; i++) {
        const char *line = texts.data[i].data, *end = line + texts.data[i].len;
        bool goes_on = true;
        while (is_good && goes_on) { /* a string has lines, a text of an array is one line */
            const char *next = is_list ? NULL : memchr(line, '\n', (size_t)(end - line));
            if (q->count == most) {
                reply_error(reply, 413, "the request has more than %zu lines", most);
                is_good = false;
                break;
            }
            is_good = add_line(q, request, line, (size_t)((next ? next : end) - line), reply);
            if (is_good && q->characters > most_characters) {
                reply_error(reply, 413, "the request has more than %zu characters; /v1/stream takes more",
                            most_characters);
                is_good = false;
            }
            goes_on = next && next + 1 < end;
            if (next) line = next + 1;
        }
    }
    free(texts.data);
    return is_good;
}

void own_api_translate(Request *request, Reply *reply)
{
    Query q = { .table = models_languages(request->server->models) };
    ListWriter writer = { .out = &reply->body, .before = "" };
    DragomanInput input = { .path = "text", .format = DRAGOMAN_LINES };
    Work work = { .request = NULL };
    Err err;
    Status st;

    if (read_query(&q, request, reply) && read_lines(&q, request, reply) && find_pair(&q, reply)) {
        st = work_begin(&work, request, q.table, q.source, q.target, USE_DETAILS, (size_t)q.n_best, NULL, &err);
        q.table = NULL;
        writer.formatter = formatter_of(&q);
        input.bytes = q.lines.data ? q.lines.data : "";
        input.size = q.lines.len;
        if (st == OK) put_answer_head(&q, &work, &reply->body);
        if (st == OK && work.job)
            st = work_run(&work, &input, 1, write_line, &writer, &err);
        else if (st == OK)
            put_copies(&q, &reply->body);
        buf_put_text(&reply->body, "\n]}\n");
        reply_json(reply);
        if (st != OK) reply_fault(reply, st, &err);
        work_end(&work);
    }
    language_table_release(q.table);
    buf_free(&q.lines);
}

/* --- /v1/stream: lines in, one JSON object for each line out, as soon as it is ready. While the client does not read,
 * the job waits. */

typedef struct {
    Work work;
    Query query;
    DragomanInput input;
    ListWriter writer;
    Buf out;
    size_t given; /* bytes of `out` that were sent */
    bool has_ended;
} Stream;

/* Translates lines until there are bytes to send. A failure becomes the last line. */
static ssize_t read_stream(void *context, char *bytes, size_t room)
{
    Stream *stream = context;
    DragomanItem item;
    size_t count;
    Err err;
    Status st = OK;

    if (stream->given == stream->out.len) {
        buf_reuse(&stream->out);
        stream->given = 0;
    }
    while (!stream->has_ended &&
           (!stream->out.len || (stream->out.len < room && dragoman_run_ready(stream->work.run)))) {
        st = work_next(&stream->work, &item, &err);
        if (st == OK && item.kind == DRAGOMAN_ITEM_END) stream->has_ended = true;
        if (st == OK && item.kind == DRAGOMAN_ITEM_LINE)
            st = format_line(&stream->writer.formatter, &item, &stream->out, &err);
        if (st == OK) continue;
        stream->has_ended = true;
        request_report(stream->work.request, st, &err);
        buf_put_text(&stream->out, "{\"error\":");
        json_put_text(&stream->out, err.text);
        buf_put_text(&stream->out, "}\n");
    }
    if (buf_check(&stream->out, NULL) != OK) return -1;
    count = stream->out.len - stream->given;
    if (count > room) count = room;
    if (count) memcpy(bytes, stream->out.data + stream->given, count);
    stream->given += count;
    return (ssize_t)count;
}

static void end_stream(void *context)
{
    Stream *stream = context;

    work_end(&stream->work);
    buf_free(&stream->query.lines);
    buf_free(&stream->out);
    free(stream);
}

/* Reads a line of JSON: a string, or an object with a string "text". */
static bool add_json_line(Query *q, const Request *request, const char *line, size_t length, Reply *reply)
{
    Buf list = { 0 };
    cJSON *json = NULL, *text;
    size_t room = 1000;
    Err err;
    Status st;
    bool is_good = false;

    buf_put_byte(&list, '[');
    buf_put(&list, line, length);
    buf_put_byte(&list, ']');
    st = buf_check(&list, &err);
    if (st == OK) st = json_parse_as(&json, list.data, list.len, "line", cJSON_Array, &room, &err);
    text = st == OK ? cJSON_GetArrayItem(json, 0) : NULL;
    if (cJSON_IsObject(text)) text = cJSON_GetObjectItemCaseSensitive(text, "text");
    if (st == OK && (!cJSON_IsString(text) || cJSON_GetArraySize(json) != 1))
        reply_error(reply, 400, "line %zu is neither a JSON string nor an object with a string \"text\"", q->count + 1);
    else if (st == OK)
        is_good = add_line(q, request, text->valuestring, strlen(text->valuestring), reply);
    else
        reply_error(reply, 400, "line %zu: %s", q->count + 1, err.text);
    cJSON_Delete(json);
    buf_free(&list);
    return is_good;
}

/* Whether a content type, in which case does not matter, is one of JSON. */
static bool is_json_type(const char *type)
{
    while (*type && strncasecmp(type, "json", 4) != 0) type++;
    return *type != '\0';
}

static bool read_body(Query *q, const Request *request, Reply *reply)
{
    const char *type = request_header(request, "Content-Type"), *line = request->body.data;
    const char *end = line ? line + request->body.len : NULL;
    const bool is_json = type && is_json_type(type);
    bool is_good = true;

    while (is_good && line < end) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        const size_t length = (size_t)((next ? next : end) - line);
        is_good = is_json ? add_json_line(q, request, line, length, reply) : add_line(q, request, line, length, reply);
        line = next ? next + 1 : end;
    }
    return is_good;
}

void own_api_stream(Request *request, Reply *reply)
{
    Stream *stream = calloc(1, sizeof *stream);
    Query *q;
    Err err;
    Status st;

    if (!stream) {
        reply_error(reply, 503, "out of memory");
        return;
    }
    q = &stream->query;
    q->table = models_languages(request->server->models);
    if (!read_query(q, request, reply) || !read_body(q, request, reply) || !find_pair(q, reply) ||
        q->source == q->target) {
        if (reply->status == 200) reply_error(reply, 400, "source and target are the same language");
        language_table_release(q->table);
        end_stream(stream);
        return;
    }
    st = work_begin(&stream->work, request, q->table, q->source, q->target, USE_DETAILS, (size_t)q->n_best, NULL, &err);
    q->table = NULL;
    stream->input = (DragomanInput){ .path = "text", .format = DRAGOMAN_LINES };
    stream->input.bytes = q->lines.data ? q->lines.data : "";
    stream->input.size = q->lines.len;
    stream->writer.formatter = formatter_of(q);
    if (st == OK) st = work_start(&stream->work, &stream->input, 1, &err);
    if (st == OK) {
        reply_stream(reply, "application/x-ndjson", SIZE_MAX, read_stream, end_stream, stream);
        return;
    }
    reply_fault(reply, st, &err);
    end_stream(stream);
}

/* --- /metrics */

void own_api_metrics(Request *request, Reply *reply)
{
    size_t running, waiting, open, bytes;

    limits_count(request->server->limits, &running, &waiting);
    models_count(request->server->models, &open, &bytes);
    metrics_put(request->server->metrics,
                (Gauge[]){ { "requests_in_flight", "Requests that are translated now.", (double)running },
                           { "requests_waiting", "Requests that wait for others.", (double)waiting },
                           { "models_open", "Open models.", (double)open },
                           { "models_bytes", "Bytes of the files of open models.", (double)bytes },
                           { "downloads_bytes", "Bytes of translated documents that are kept.",
                             (double)downloads_bytes(request->server->downloads) } },
                5, &reply->body);
    reply->type = "text/plain; version=0.0.4";
}
