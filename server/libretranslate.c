/* libretranslate.c - the API of LibreTranslate 1.9, as its clients use it: https://docs.libretranslate.com. The checks
 * are made in its order, and with its messages. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "chars.h"
#include "json.h"
#include "routes.h"
#include "text.h"
#include "work.h"

/* The endings of names of files that are translated; those that dragoman does not read are left out. */
static const char *const file_endings[] = { ".txt",  ".odt", ".odp",  ".ods", ".docx", ".pptx", ".xlsx", ".epub",
                                            ".html", ".srt", ".vtt",  ".sbv", ".ass",  ".md",   ".po",   ".xlf",
                                            ".tmx",  ".ts",  ".json", ".csv", ".tsv",  ".yaml", ".xml",  ".tex" };

static const char *missing = "Invalid request: missing %s parameter";

/* --- Languages ---------------------------------------------------------------- */

void libretranslate_health(Request *request, Reply *reply)
{
    (void)request;
    buf_put_text(&reply->body, "{\"status\":\"ok\"}\n");
    reply_json(reply);
}

static void put_language(Buf *out, const char *code, const char *name)
{
    buf_put_text(out, "{\"code\":");
    json_put_text(out, code);
    buf_put_text(out, ",\"name\":");
    json_put_text(out, name);
}

void libretranslate_languages(Request *request, Reply *reply)
{
    LanguageTable *table = models_languages(request->server->models);
    const size_t count = language_table_count(table);
    Buf *out = &reply->body;

    buf_put_byte(out, '[');
    for (size_t i = 0; i < count; i++) {
        const Language *row = language_table_row(table, i);
        const char *before = "";
        if (i) buf_put_byte(out, ',');
        put_language(out, row->code, row->name);
        buf_put_text(out, ",\"targets\":[");
        for (size_t k = 0; k < count; k++) {
            if (!language_table_has(table, i, k)) continue;
            buf_put_text(out, before);
            json_put_text(out, language_table_row(table, k)->code);
            before = ",";
        }
        buf_put_text(out, "]}");
    }
    buf_put_text(out, "]\n");
    language_table_release(table);
    reply_json(reply);
}

void libretranslate_settings(Request *request, Reply *reply)
{
    const ServerOptions *options = &request->server->options->server;
    const bool has_keys = limits_has_keys(request->server->limits);
    LanguageTable *table = models_languages(request->server->models);
    const Language *first = language_table_row(table, 0);
    const char *before = "";
    Buf *out = &reply->body;

    for (size_t i = 0; i < language_table_count(table) && strcmp(first->code, "en") == 0; i++)
        first = language_table_row(table, i);
    buf_put_format(out,
                   "{\"charLimit\":%zu,\"frontendTimeout\":500,\"apiKeys\":%s,\"keyRequired\":%s,\"suggestions\":false,"
                   "\"filesTranslation\":true,\"supportedFilesFormat\":[",
                   (size_t)options->max_chars, has_keys ? "true" : "false", has_keys ? "true" : "false");
    for (size_t i = 0; i < sizeof file_endings / sizeof *file_endings; i++) {
        if (!work_format_of(file_endings[i])) continue;
        buf_put_format(out, "%s\"%s\"", before, file_endings[i]);
        before = ",";
    }
    buf_put_text(out, "],\"language\":{\"source\":{\"code\":\"auto\",\"name\":\"Auto Detect\"},\"target\":");
    put_language(out, first->code, first->name);
    buf_put_text(out, "}}}\n");
    language_table_release(table);
    reply_json(reply);
}

void libretranslate_suggest(Request *request, Reply *reply)
{
    (void)request;
    reply_error(reply, 403, "Suggestions are disabled on this server.");
}

/* Appends a detection. Without one, LibreTranslate answers English with the confidence 0. */
static void put_detection(Buf *out, const LanguageTable *table, const Detection *found)
{
    const char *code = found->language == NO_LANGUAGE ? "en" : language_table_row(table, found->language)->code;

    buf_put_format(out, "{\"confidence\":%.1f,\"language\":", found->confidence);
    json_put_text(out, code);
    buf_put_byte(out, '}');
}

/* Detects the language of the texts together. */
static Status detect_texts(const LanguageTable *table, const TextParts *texts, const char *format,
                           Detection found[DETECTIONS_MOST], size_t *count, Err *err)
{
    Buf joined = { 0 };
    Status st = OK;

    for (size_t i = 0; st == OK && i < texts->len; i++)
        st = work_extract(table, NULL, format, texts->data[i], &joined, err);
    if (st == OK) st = work_detect(table, joined.data ? joined.data : "", joined.len, found, count, err);
    buf_free(&joined);
    return st;
}

void libretranslate_detect(Request *request, Reply *reply)
{
    LanguageTable *table = models_languages(request->server->models);
    TextParts texts = { .data = NULL };
    Detection found[DETECTIONS_MOST];
    size_t count = 0;
    bool is_list;
    Err err;
    Status st;

    if (!form_texts(&request->form, "q", &texts, &is_list) || !texts.len || (!is_list && !texts.data[0].len)) {
        reply_error(reply, 400, missing, "q");
    } else if ((st = detect_texts(table, &texts, DRAGOMAN_LINES, found, &count, &err)) != OK) {
        reply_fault(reply, st, &err);
    } else {
        if (!count) found[count++] = (Detection){ .language = NO_LANGUAGE };
        for (size_t i = 0; i < count; i++) {
            buf_put_byte(&reply->body, i ? ',' : '[');
            put_detection(&reply->body, table, &found[i]);
        }
        buf_put_text(&reply->body, "]\n");
        reply_json(reply);
    }
    free(texts.data);
    language_table_release(table);
}

/* --- Texts -------------------------------------------------------------------- */

/* What /translate is asked for. */
typedef struct {
    TextParts texts;
    bool is_list, is_auto;
    const char *format; /* "html" or DRAGOMAN_LINES */
    long alternatives;
    LanguageTable *table;
    Detection detected;
    size_t source, target;
    Buf lines; /* the text of a form, as clean_form_text() makes it */
} Question;

/* Forms have CRLF; LibreTranslate makes it LF, and drops it at the end. Unlike JSON, forms may have invalid UTF-8. */
static Status clean_form_text(Question *q, Err *err)
{
    LineText *text = &q->texts.data[0];
    Buf *lines = &q->lines, clean = { 0 };
    size_t replaced = 0;
    Status st;

    buf_put_clean(&clean, text->data, text->len, &replaced);
    st = buf_check(&clean, err);
    if (st == OK) buf_put_replaced(lines, clean.data, clean.len, "\r\n", "\n");
    buf_free(&clean);
    if (st == OK) st = buf_check(lines, err);
    if (st != OK) return st;
    if (lines->len && lines->data[lines->len - 1] == '\n') lines->data[--lines->len] = '\0';
    *text = (LineText){ lines->data ? lines->data : "", lines->len };
    q->texts.len = 1;
    return OK;
}

/* Reads the texts and the numbers. Returns false if they are refused; the reply says why. */
static bool read_question(Question *q, const Request *request, Reply *reply)
{
    const Form *form = &request->form;
    const ServerOptions *options = &request->server->options->server;
    const long most_alternatives = options->max_alternatives;
    const size_t most_texts = (size_t)options->max_texts;
    const size_t most_chars = (size_t)options->max_chars;
    const char *source = form_text(form, "source", NULL), *target = form_text(form, "target", NULL);
    Status st = OK;
    Err err;

    if (!form_texts(form, "q", &q->texts, &q->is_list) || !q->texts.len || (!q->is_list && !q->texts.data[0].len))
        reply_error(reply, 400, missing, "q");
    else if (!source || !*source)
        reply_error(reply, 400, missing, "source");
    else if (!target || !*target)
        reply_error(reply, 400, missing, "target");
    else if (!form_number(form, "alternatives", &q->alternatives))
        reply_error(reply, 400, "Invalid request: alternatives parameter is not a number");
    else if (q->alternatives > most_alternatives)
        reply_error(reply, 400, "Invalid request: alternatives parameter must be <= %ld", most_alternatives);
    else if (q->is_list && q->texts.len > most_texts)
        reply_error(reply, 400, "Invalid request: request (%zu) exceeds text limit (%zu)", q->texts.len, most_texts);
    if (reply->status != 200) return false;
    if (q->alternatives < 0) q->alternatives = 0;
    if (!form->json) st = clean_form_text(q, &err);
    if (st != OK) {
        reply_fault(reply, st, &err);
        return false;
    }
    for (size_t i = 0; i < q->texts.len; i++) {
        const size_t size = chars_count(q->texts.data[i].data, q->texts.data[i].len);
        if (size <= most_chars) continue;
        reply_error(reply, 400, "Invalid request: request (%zu) exceeds text limit (%zu)", size, most_chars);
        return false;
    }
    return true;
}

/* Reads the languages and the format. */
static bool read_languages(Question *q, const Request *request, Reply *reply)
{
    const char *source = form_text(&request->form, "source", NULL), *target = form_text(&request->form, "target", NULL);
    const char *format = form_text(&request->form, "format", NULL);
    Detection found[DETECTIONS_MOST];
    size_t count;
    Err err;

    q->is_auto = strcmp(source, "auto") == 0;
    q->format = format && strcmp(format, "html") == 0 ? "html" : DRAGOMAN_LINES;
    q->source = language_table_find(q->table, source);
    q->target = language_table_find(q->table, target);
    if (q->is_auto && q->target != NO_LANGUAGE) {
        const Status st = detect_texts(q->table, &q->texts, q->format, found, &count, &err);
        if (st != OK) {
            reply_fault(reply, st, &err);
            return false;
        }
        q->detected = count ? found[0] : (Detection){ .language = work_usual_source(q->table, q->target) };
        q->source = q->detected.language;
    }
    if (q->source == NO_LANGUAGE && !q->is_auto)
        reply_error(reply, 400, "%s is not supported", source);
    else if (q->target == NO_LANGUAGE)
        reply_error(reply, 400, "%s is not supported", target);
    else if (format && *format && strcmp(format, "html") != 0 && strcmp(format, "text") != 0)
        reply_error(reply, 400, "%s format is not supported", format);
    return reply->status == 200;
}

/* Refuses a pair of languages without models. */
static bool check_pair(const LanguageTable *table, size_t from, size_t to, Reply *reply)
{
    const Language *source = language_table_row(table, from), *target = language_table_row(table, to);

    if (from == to || language_table_has(table, from, to)) return true;
    reply_error(reply, 400, "%s (%s) is not available as a target language from %s (%s)", target->name, target->code,
                source->name, source->code);
    return false;
}

/* Appends the translations of a text but the first one, without those that are equal to an earlier one. */
static void put_alternatives(Buf *out, const Buf *translations, size_t count)
{
    const char *before = "";

    buf_put_byte(out, '[');
    for (size_t i = 1; i < count; i++) {
        size_t k = 0;
        while (k < i && strcmp(translations[k].data, translations[i].data) != 0) k++;
        if (k < i || !translations[i].len) continue;
        buf_put_text(out, before);
        json_put_string(out, translations[i].data, translations[i].len);
        before = ",";
    }
    buf_put_byte(out, ']');
}

static void put_answer(Buf *out, const Question *q, const Buf *translations, size_t n_best)
{
    const char *open = q->is_list ? "[" : "", *close = q->is_list ? "]" : "";

    buf_put_text(out, "{");
    if (q->alternatives) buf_put_format(out, "\"alternatives\":%s", open);
    for (size_t i = 0; q->alternatives && i < q->texts.len; i++) {
        if (i) buf_put_byte(out, ',');
        put_alternatives(out, &translations[i * n_best], n_best);
    }
    if (q->alternatives) buf_put_format(out, "%s,", close);
    if (q->is_auto) buf_put_format(out, "\"detectedLanguage\":%s", open);
    for (size_t i = 0; q->is_auto && i < q->texts.len; i++) {
        if (i) buf_put_byte(out, ',');
        put_detection(out, q->table, &q->detected);
    }
    if (q->is_auto) buf_put_format(out, "%s,", close);
    buf_put_format(out, "\"translatedText\":%s", open);
    for (size_t i = 0; i < q->texts.len; i++) {
        if (i) buf_put_byte(out, ',');
        json_put_string(out, translations[i * n_best].data, translations[i * n_best].len);
    }
    buf_put_format(out, "%s}\n", close);
}

/* Translates what was asked for. The work releases the table. */
static void answer_question(Question *q, Request *request, Reply *reply)
{
    const bool is_html = strcmp(q->format, "html") == 0;
    const size_t n_best = is_html ? 1 : (size_t)q->alternatives + 1;
    Buf *translations = calloc(q->texts.len * n_best, sizeof *translations);
    Work work = { .request = NULL };
    Err err;
    Status st = translations ? work_begin(&work, request, q->table, q->source, q->target,
                                          is_html ? USE_DOCUMENTS : USE_TEXTS, n_best, NULL, &err)
                             : err_memory(&err, "the translations");

    if (st == OK) st = work_texts(&work, &q->texts, q->format, n_best, translations, &err);
    if (st == OK) {
        put_answer(&reply->body, q, translations, n_best);
        reply_json(reply);
    } else {
        reply_fault(reply, st, &err);
    }
    if (work.request) q->table = NULL;
    work_end(&work);
    for (size_t i = 0; translations && i < q->texts.len * n_best; i++) buf_free(&translations[i]);
    free(translations);
}

void libretranslate_translate(Request *request, Reply *reply)
{
    Question q = { .table = models_languages(request->server->models) };

    if (read_question(&q, request, reply) && read_languages(&q, request, reply) &&
        check_pair(q.table, q.source, q.target, reply))
        answer_question(&q, request, reply);
    language_table_release(q.table);
    buf_free(&q.lines);
    free(q.texts.data);
}

/* --- Files -------------------------------------------------------------------- */

/* Appends the name of the translation of a file: "letter.docx" into German becomes "letter_de.docx". With `is_path`,
 * only letters, digits and a few marks of ASCII are left. */
static void put_file_name(Buf *out, const char *name, const char *language, bool is_path)
{
    const char *slash = strrchr(name, '/'), *dot;

    if (slash) name = slash + 1;
    slash = strrchr(name, '\\');
    if (slash) name = slash + 1;
    dot = strrchr(name, '.');
    for (const char *at = name; *at; at++) {
        const unsigned char c = (unsigned char)*at;
        const bool is_plain = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || strchr("-_.", c);
        if (at == dot) buf_put_format(out, "_%s", language);
        if ((is_plain || (!is_path && c > ' ')) && !(at == name && c == '.')) buf_put_byte(out, *at);
        if (c == ' ') buf_put_byte(out, '_');
    }
    buf_put_text(out, "");
}

/* Finds the source language of a file. */
static Status detect_file(const LanguageTable *table, const Field *file, size_t target, size_t *source, Err *err)
{
    const DragomanInput input = {
        .path = file->file, .format = work_format_of(file->file), .bytes = file->value, .size = file->length
    };
    Detection found[DETECTIONS_MOST];
    size_t count;
    Status st = work_detect_document(table, &input, found, &count, err);

    *source = st == OK && count ? found[0].language : work_usual_source(table, target);
    return st;
}

/* Translates the file, keeps the translation, and answers its URL. The work releases the table. */
static void answer_file(LanguageTable *table, size_t source, size_t target, const Field *file, Request *request,
                        Reply *reply)
{
    Buf translation = { 0 }, name = { 0 }, path = { 0 }, url = { 0 }; /* name: as the client gave it */
    char id[DOWNLOAD_ID];
    bool is_full;
    Work work;
    Err err;
    Status st = work_begin(&work, request, table, source, target, USE_DOCUMENTS, 1, NULL, &err);

    if (st == OK)
        st =
            work_document(&work, file->file, work_format_of(file->file), file->value, file->length, &translation, &err);
    if (st == OK) {
        put_file_name(&name, file->file, work.target->code, false);
        st = buf_check(&name, &err);
    }
    is_full = st == OK && !downloads_reserve(request->server->downloads, translation.len);
    if (st == OK && !is_full) st = downloads_put(request->server->downloads, name.data, &translation, id, &err);
    if (st == OK && !is_full) {
        buf_put_format(&path, "/download_file/%s.", id);
        put_file_name(&path, file->file, work.target->code, true);
        st = buf_check(&path, &err);
    }
    if (st == OK && !is_full) {
        request_put_url(request, path.data, &url);
        st = buf_check(&url, &err);
    }
    if (is_full) { /* no fault of the server, so the log does not have it */
        reply_header(reply, "Retry-After", "5");
        reply_error(reply, 503, DOWNLOADS_FULL);
    } else if (st == OK) {
        buf_put_text(&reply->body, "{\"translatedFileUrl\":");
        json_put_string(&reply->body, url.data, url.len);
        buf_put_text(&reply->body, "}\n");
        reply_json(reply);
    } else {
        reply_fault(reply, st, &err);
    }
    work_end(&work);
    buf_free(&translation);
    buf_free(&name);
    buf_free(&path);
    buf_free(&url);
}

void libretranslate_translate_file(Request *request, Reply *reply)
{
    const Form *form = &request->form;
    const Field *file = form_file(form, "file");
    const char *source = form_text(form, "source", NULL), *target = form_text(form, "target", NULL);
    LanguageTable *table = models_languages(request->server->models);
    size_t from = NO_LANGUAGE, to = NO_LANGUAGE;
    Err err;
    Status st = OK;

    if (!file)
        reply_error(reply, 400, missing, "file");
    else if (!source || !*source)
        reply_error(reply, 400, missing, "source");
    else if (!target || !*target)
        reply_error(reply, 400, missing, "target");
    else if (!*file->file)
        reply_error(reply, 400, "Invalid request: empty file");
    else if (strlen(file->file) > FILE_NAME_MOST)
        reply_error(reply, 400, "Invalid request: the file name has more than %d bytes", FILE_NAME_MOST);
    else if (!work_format_of(file->file))
        reply_error(reply, 400, "Invalid request: file format not supported");
    if (reply->status == 200) {
        from = language_table_find(table, source);
        to = language_table_find(table, target);
        if (strcmp(source, "auto") == 0 && to != NO_LANGUAGE) st = detect_file(table, file, to, &from, &err);
        if (st != OK)
            reply_fault(reply, st, &err);
        else if (to == NO_LANGUAGE)
            reply_error(reply, 400, "%s is not supported", target);
        else if (from == NO_LANGUAGE)
            reply_error(reply, 400, "%s is not supported", source);
    }
    if (reply->status == 200 && check_pair(table, from, to, reply))
        answer_file(table, from, to, file, request, reply);
    else
        language_table_release(table);
}

/* A document that is being sent. */
typedef struct {
    Downloads *downloads;
    const Download *download;
    size_t sent;
} Sending;

static ssize_t read_download(void *context, char *bytes, size_t room)
{
    Sending *sending = context;
    const Buf *all = &sending->download->bytes;
    const size_t rest = all->len - sending->sent, count = rest < room ? rest : room;

    if (count) memcpy(bytes, all->data + sending->sent, count);
    sending->sent += count;
    return (ssize_t)count;
}

static void end_download(void *context)
{
    Sending *sending = context;

    downloads_give_back(sending->downloads, sending->download);
    free(sending);
}

void libretranslate_download(Request *request, Reply *reply)
{
    const size_t length = strcspn(request->rest, ".");
    Sending *sending = calloc(1, sizeof *sending);
    char id[DOWNLOAD_ID];

    if (!sending) {
        reply_error(reply, 503, "out of memory");
        return;
    }
    *sending = (Sending){ .downloads = request->server->downloads };
    if (length == DOWNLOAD_ID - 1) {
        memcpy(id, request->rest, length);
        id[length] = '\0';
        sending->download = downloads_take(sending->downloads, id);
    }
    if (!sending->download) {
        free(sending);
        if (length == DOWNLOAD_ID - 1)
            reply_error(reply, 404, "there is no such file; a translation is kept for ten minutes");
        else
            reply_error(reply, 400, "Invalid filename");
        return;
    }
    reply_file(reply, sending->download->label);
    reply_stream(reply, reply->type, sending->download->bytes.len, read_download, end_download, sending);
}
