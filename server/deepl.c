/* deepl.c - DeepL's API, version 2, as its clients use it: https://developers.deepl.com/docs. glossaries.c has its
 * glossaries. Languages are written as DeepL does: EN, or EN-GB and EN-US where a client must choose. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "chars.h"
#include "json.h"
#include "library.h"
#include "routes.h"
#include "text.h"
#include "work.h"

#define TEXTS_MOST    50                      /* in a request, as at DeepL */
#define NO_QUOTA      ((size_t)1000000000000) /* what DeepL answers for "no limit" */
#define TAGS_MOST     100
#define XML_OPEN      "<dragoman>" /* around XML that is not a whole document */
#define XML_CLOSE     "</dragoman>"
#define LANGUAGE_SIZE 16

/* --- Languages ------------------------------------------------------------------ */

/* Writes a code as DeepL does. Source languages have no region or script. */
static void write_code(char out[LANGUAGE_SIZE], const char *code, bool is_target)
{
    size_t i = 0;

    if (strcmp(code, "no") == 0) code = "nb";
    for (; code[i] && i + 1 < LANGUAGE_SIZE && (is_target || code[i] != '-'); i++)
        out[i] = code[i] >= 'a' && code[i] <= 'z' ? (char)(code[i] - 0x20) : code[i];
    out[i] = '\0';
}

typedef struct {
    Buf *out;
    bool is_target;
    const char *before;
    char last[LANGUAGE_SIZE]; /* the previous language, so that none is listed twice */
} LanguageWriter;

static void put_language(LanguageWriter *writer, const char *code, const char *name)
{
    char text[LANGUAGE_SIZE];

    write_code(text, code, writer->is_target);
    if (strcmp(text, writer->last) == 0) return;
    memcpy(writer->last, text, sizeof text);
    buf_put_format(writer->out, "%s{\"language\":\"%s\",\"name\":", writer->before, text);
    json_put_string(writer->out, name, strcspn(name, writer->is_target ? "" : "("));
    buf_put_text(writer->out, writer->is_target ? ",\"supports_formality\":false}" : "}");
    writer->before = ",";
}

void deepl_languages(Request *request, Reply *reply)
{
    /* Clients that ask for a translation into English must choose one of these. */
    static const char *const variants[][3] = { { "en", "en-GB", "English (British)" },
                                               { "en", "en-US", "English (American)" },
                                               { "pt", "pt-BR", "Portuguese (Brazilian)" },
                                               { "pt", "pt-PT", "Portuguese (European)" },
                                               { "zh", "zh", "Chinese" },
                                               { "zh", "zh-Hans", "Chinese (simplified)" },
                                               { "zh-Hans", "zh", "Chinese" },
                                               { "zh-Hans", "zh-Hans", "Chinese (simplified)" },
                                               { "zh-Hant", "zh-Hant", "Chinese (traditional)" } };
    const char *type = form_text(&request->form, "type", NULL);
    LanguageWriter writer = { .out = &reply->body, .before = "" };
    LanguageTable *table = models_languages(request->server->models);
    const size_t count = language_table_count(table);

    writer.is_target = type && strcmp(type, "target") == 0;
    buf_put_byte(&reply->body, '[');
    for (size_t i = 0; i < count; i++) {
        const Language *row = language_table_row(table, i);
        bool is_used = false, has_variants = false;
        for (size_t k = 0; k < count && !is_used; k++)
            is_used = writer.is_target ? language_table_has(table, k, i) : language_table_has(table, i, k);
        for (size_t k = 0; is_used && writer.is_target && k < sizeof variants / sizeof *variants; k++) {
            if (strcmp(variants[k][0], row->code) != 0) continue;
            put_language(&writer, variants[k][1], variants[k][2]);
            has_variants = true;
        }
        if (is_used && !has_variants) put_language(&writer, row->code, row->name);
    }
    buf_put_text(&reply->body, "]\n");
    language_table_release(table);
    reply_json(reply);
    if (type && *type && !writer.is_target && strcmp(type, "source") != 0)
        reply_error(reply, 400, "Value for 'type' not supported: it must be source or target");
}

void deepl_usage(Request *request, Reply *reply)
{
    buf_put_format(&reply->body, "{\"character_count\":%zu,\"character_limit\":%zu}\n",
                   limits_used_characters(request->server->limits, request->client_id),
                   limits_value(request->server->options->server.quota, NO_QUOTA));
    reply_json(reply);
}

/* --- What translations of texts and documents have in common ---------------------- */

/* The languages of a request, and its glossary. */
typedef struct {
    LanguageTable *table;
    size_t source; /* NO_LANGUAGE: it is detected */
    size_t target;
    Buf terms; /* for DRAGOMAN_TERM */
    bool has_glossary;
} LanguageWish;

/* Returns a parameter as a text. In JSON, it may also be a number or a truth value. */
static const char *value_of(const Form *form, const char *name)
{
    const cJSON *node = form->json ? json_member((JsonObject){ form->json, "request" }, name) : NULL;

    if (cJSON_IsBool(node)) return cJSON_IsTrue(node) ? "1" : "0";
    if (cJSON_IsNumber(node)) return node->valueint ? "1" : "0";
    return form_text(form, name, NULL);
}

/* Whether the value is one of these words, which are separated by spaces, or absent. */
static bool is_one_of(const char *value, const char *words)
{
    return !value || !*value || chars_are_among(value, strlen(value), words);
}

static void refuse_value(Reply *reply, const char *name)
{
    reply_error(reply, 400, "Value for '%s' not supported.", name);
}

/* Reads the glossary of the request. */
static void read_glossary(LanguageWish *wish, const Request *request, Reply *reply)
{
    const char *id = form_text(&request->form, "glossary_id", NULL);
    const char *owner = limits_has_keys(request->server->limits) ? request->client : "";
    Err err;

    if (!id || !*id) return;
    if (wish->source == NO_LANGUAGE) {
        reply_error(reply, 400, "Use of a glossary requires the source_lang parameter to be specified");
        return;
    }
    switch (glossaries_put_terms(request->server->glossaries, owner, id,
                                 language_table_row(wish->table, wish->source)->code,
                                 language_table_row(wish->table, wish->target)->code, &wish->terms)) {
    case GLOSSARY_UNKNOWN:
        reply_error(reply, 404, "Glossary not found");
        break;
    case GLOSSARY_OTHER_PAIR:
        reply_error(reply, 400, "the glossary has no entries for source_lang and target_lang");
        break;
    case GLOSSARY_FOUND:
        wish->has_glossary = true;
        if (buf_check(&wish->terms, &err) != OK) reply_fault(reply, ERR_MEMORY, &err);
    }
}

/* Reads the languages, the formality and the glossary. Returns false if they are refused; the reply says why. */
static bool read_wish(LanguageWish *wish, const Request *request, Reply *reply)
{
    const Form *form = &request->form;
    const char *source = form_text(form, "source_lang", NULL), *target = form_text(form, "target_lang", NULL);
    const char *formality = value_of(form, "formality");

    wish->table = models_languages(request->server->models);
    wish->source = source && *source ? language_table_find(wish->table, source) : NO_LANGUAGE;
    wish->target = target ? language_table_find(wish->table, target) : NO_LANGUAGE;
    if (!target || !*target)
        reply_error(reply, 400, "Parameter 'target_lang' not specified.");
    else if (wish->target == NO_LANGUAGE)
        refuse_value(reply, "target_lang");
    else if (source && *source && wish->source == NO_LANGUAGE)
        refuse_value(reply, "source_lang");
    else if (wish->source != NO_LANGUAGE && wish->source != wish->target &&
             !language_table_has(wish->table, wish->source, wish->target))
        reply_error(reply, 400, "Value for 'target_lang' not supported: there is no model from %s into %s", source,
                    target);
    else if (!is_one_of(formality, "default prefer_more prefer_less more less"))
        refuse_value(reply, "formality");
    else if (!is_one_of(formality, "default prefer_more prefer_less"))
        reply_error(reply, 400, "'formality' is not supported for given 'target_lang'.");
    else
        read_glossary(wish, request, reply);
    return reply->status == 200;
}

static void free_wish(LanguageWish *wish)
{
    language_table_release(wish->table);
    buf_free(&wish->terms);
}

/* Makes options with the glossary of a request. */
static Status make_settings(const LanguageWish *wish, DragomanOptions **out, Err *err)
{
    DragomanError error;
    Status st = language_table_settings(wish->table, out, err);

    if (st == OK && wish->has_glossary)
        st = library_status(dragoman_set_text(*out, DRAGOMAN_TERM, wish->terms.data, &error), &error, err);
    return st;
}

/* --- Texts ------------------------------------------------------------------------- */

typedef struct {
    LanguageWish wish;
    TextParts asked;   /* the texts as the client sent them */
    Buf *texts;        /* [asked.len], as they are translated */
    Buf *translations; /* [asked.len] */
    size_t *sources;   /* [asked.len], their languages */
    size_t characters;
    const char *format; /* how the library reads them */
    TextParts tags;     /* names of elements that are not translated */
    Buf blocks;         /* names of elements that divide texts, with spaces between them */
} TextBatch;

/* Reads the names of elements: an array, a repeated parameter, or a list with commas. */
static bool read_tags(TextParts *out, const Form *form, const char *name)
{
    TextParts lists = { .data = NULL };
    bool is_list, is_good = form_texts(form, name, &lists, &is_list);

    for (size_t i = 0; is_good && i < lists.len; i++) {
        const char *tag = lists.data[i].data;
        while (is_good && *tag) {
            const size_t length = strcspn(tag, ", ");
            if (length) LIST_PUT(out, ((LineText){ tag, length }));
            is_good = out->len <= TAGS_MOST && !out->failed;
            tag += length + (tag[length] != '\0');
        }
    }
    free(lists.data);
    return is_good;
}

/* Reads the names of elements that are not translated, or that divide texts. */
static void read_elements(TextBatch *batch, const Form *form, Reply *reply)
{
    TextParts blocks = { .data = NULL };

    if (!read_tags(&batch->tags, form, "ignore_tags"))
        refuse_value(reply, "ignore_tags");
    else if (!read_tags(&blocks, form, "splitting_tags"))
        refuse_value(reply, "splitting_tags");
    for (size_t i = 0; i < blocks.len; i++) {
        if (i) buf_put_byte(&batch->blocks, ' ');
        buf_put(&batch->blocks, blocks.data[i].data, blocks.data[i].len);
    }
    free(blocks.data);
}

/* Reads the parameters of a request. Returns false if they are refused; the reply says why. */
static bool read_batch(TextBatch *batch, const Request *request, Reply *reply)
{
    const Form *form = &request->form;
    const ServerOptions *options = &request->server->options->server;
    const size_t most_chars = (size_t)options->max_chars, allowed = (size_t)options->max_texts;
    const size_t most_texts = allowed < TEXTS_MOST ? allowed : TEXTS_MOST;
    const char *handling = value_of(form, "tag_handling"), *split = value_of(form, "split_sentences");
    bool is_list;

    if (!form_texts(form, "text", &batch->asked, &is_list) || !batch->asked.len)
        reply_error(reply, 400, "Parameter 'text' not specified.");
    else if (batch->asked.len > most_texts)
        reply_error(reply, 400, "Too many texts: a request has at most %zu", most_texts);
    else if (!is_one_of(handling, "html xml"))
        refuse_value(reply, "tag_handling");
    else if (!is_one_of(split, "0 1 nonewlines"))
        refuse_value(reply, "split_sentences");
    else if (!is_one_of(value_of(form, "model_type"), "quality_optimized prefer_quality_optimized latency_optimized"))
        refuse_value(reply, "model_type");
    else if (handling && *handling)
        read_elements(batch, form, reply);
    /* The format "text" joins the lines of a paragraph before it finds sentences. */
    batch->format = handling && *handling                        ? strcmp(handling, "xml") == 0 ? "xml" : "html"
                    : split && *split && strcmp(split, "1") != 0 ? "text"
                                                                 : DRAGOMAN_LINES;
    for (size_t i = 0; reply->status == 200 && i < batch->asked.len; i++) {
        const size_t count = chars_count(batch->asked.data[i].data, batch->asked.data[i].len);
        batch->characters += count;
        if (count > most_chars) reply_error(reply, 413, "text %zu has more than %zu characters", i + 1, most_chars);
    }
    return reply->status == 200;
}

/* Writes the text of a client as it is translated. XML gets a root element unless it is a whole document. */
static void write_text(const TextBatch *batch, LineText asked, Buf *out)
{
    const bool is_xml = strcmp(batch->format, "xml") == 0;
    const char *begin = asked.data + strspn(asked.data, " \t\r\n");
    const bool is_whole = text_begins_with(begin, "<?xml") || text_begins_with(begin, "<!DOCTYPE");
    size_t replaced = 0;

    if (is_xml && !is_whole) buf_put_text(out, XML_OPEN);
    if (is_xml && is_whole) asked.len -= (size_t)(begin - asked.data), asked.data = begin;
    buf_put_clean(out, asked.data, asked.len, &replaced);
    if (is_xml && !is_whole) buf_put_text(out, XML_CLOSE);
}

/* Finds the language of a text: the most probable one from which it can be translated. NO_LANGUAGE: none is found. */
static Status detect(const TextBatch *batch, const char *text, size_t length, size_t *out, Err *err)
{
    Detection found[DETECTIONS_MOST];
    size_t count;
    Status st = work_detect(batch->wish.table, text, length, found, &count, err);

    *out = st == OK ? work_choose_source(batch->wish.table, found, count, batch->wish.target) : NO_LANGUAGE;
    return st;
}

/* Finds the languages of the texts. A text that is too short to tell has that of all texts together. */
static Status find_sources(TextBatch *batch, const DragomanOptions *settings, Err *err)
{
    const LanguageTable *table = batch->wish.table;
    size_t together = NO_LANGUAGE;
    Buf joined = { 0 };
    Status st = OK;

    for (size_t i = 0; st == OK && i < batch->asked.len; i++) {
        const LineText text = { batch->texts[i].data, batch->texts[i].len };
        const size_t begin = joined.len;
        st = work_extract(table, settings, batch->format, text, &joined, err);
        if (st == OK) st = detect(batch, joined.data + begin, joined.len - begin, &batch->sources[i], err);
    }
    if (st == OK) st = detect(batch, joined.data, joined.len, &together, err);
    if (together == NO_LANGUAGE) together = work_usual_source(table, batch->wish.target);
    for (size_t i = 0; i < batch->asked.len; i++)
        if (batch->sources[i] == NO_LANGUAGE) batch->sources[i] = together;
    buf_free(&joined);
    return st;
}

/* Translates the texts in one language. */
static Status translate_from(TextBatch *batch, size_t source, const DragomanOptions *settings, Request *request,
                             Err *err)
{
    const JobUse use = strcmp(batch->format, DRAGOMAN_LINES) == 0 ? USE_TEXTS : USE_DOCUMENTS;
    TextParts texts = { .data = NULL };
    Buf *outs = calloc(batch->asked.len, sizeof *outs);
    size_t used = 0;
    Work work = { .request = NULL };
    Status st = OK;

    if (!outs) return err_memory(err, "the translations");
    for (size_t i = 0; i < batch->asked.len; i++)
        if (batch->sources[i] == source) LIST_PUT(&texts, ((LineText){ batch->texts[i].data, batch->texts[i].len }));
    st = LIST_CHECK(&texts, "the texts", err);
    if (st == OK)
        st = work_begin(&work, request, language_table_share(batch->wish.table), source, batch->wish.target, use, 1,
                        settings, err);
    if (st == OK) st = work_texts(&work, &texts, batch->format, 1, outs, err);
    work_end(&work);
    for (size_t i = 0; i < batch->asked.len; i++)
        if (batch->sources[i] == source) batch->translations[i] = outs[used++];
    free(outs);
    free(texts.data);
    return st;
}

static Status translate_texts(TextBatch *batch, Request *request, Err *err)
{
    DragomanOptions *settings = NULL;
    DragomanError error;
    Status st = OK;

    batch->texts = calloc(batch->asked.len, sizeof *batch->texts);
    batch->translations = calloc(batch->asked.len, sizeof *batch->translations);
    batch->sources = calloc(batch->asked.len, sizeof *batch->sources);
    if (!batch->texts || !batch->translations || !batch->sources) return err_memory(err, "the texts");
    for (size_t i = 0; st == OK && i < batch->asked.len; i++) {
        write_text(batch, batch->asked.data[i], &batch->texts[i]);
        st = buf_check(&batch->texts[i], err);
        batch->sources[i] = batch->wish.source;
    }
    if (st == OK && (batch->wish.has_glossary || batch->tags.len || batch->blocks.len))
        st = make_settings(&batch->wish, &settings, err);
    if (st == OK && batch->blocks.len) st = buf_check(&batch->blocks, err);
    if (st == OK && batch->blocks.len)
        st = library_status(dragoman_set_text(settings, DRAGOMAN_BLOCKS, batch->blocks.data, &error), &error, err);
    for (size_t i = 0; st == OK && i < batch->tags.len; i++) {
        char *name = strndup(batch->tags.data[i].data, batch->tags.data[i].len);
        st = name ? library_status(dragoman_add_text(settings, DRAGOMAN_SKIP, name, &error), &error, err)
                  : err_memory(err, "a tag");
        free(name);
    }
    if (st == OK && batch->wish.source == NO_LANGUAGE) st = find_sources(batch, settings, err);
    for (size_t i = 0; st == OK && i < batch->asked.len; i++)
        if (!batch->translations[i].data) st = translate_from(batch, batch->sources[i], settings, request, err);
    dragoman_options_free(settings);
    return st;
}

static void put_translations(const TextBatch *batch, const Form *form, Buf *out)
{
    const char *billed = value_of(form, "show_billed_characters"), *model = value_of(form, "model_type");
    const bool shows_billed = billed && (strcmp(billed, "1") == 0 || strcasecmp(billed, "true") == 0);
    char code[LANGUAGE_SIZE];

    if (model && text_begins_with(model, "prefer_")) model += strlen("prefer_");
    buf_put_text(out, "{\"translations\":[");
    for (size_t i = 0; i < batch->asked.len; i++) {
        const Buf *translation = &batch->translations[i];
        const bool has_root = text_begins_with(batch->texts[i].data, XML_OPEN) && strcmp(batch->format, "xml") == 0;
        const size_t skipped = has_root ? sizeof XML_OPEN - 1 : 0;
        const size_t around = has_root ? sizeof XML_OPEN + sizeof XML_CLOSE - 2 : 0;
        write_code(code, language_table_row(batch->wish.table, batch->sources[i])->code, false);
        buf_put_format(out, "%s{\"detected_source_language\":\"%s\",\"text\":", i ? "," : "", code);
        json_put_string(out, translation->data + skipped, translation->len - around);
        if (shows_billed)
            buf_put_format(out, ",\"billed_characters\":%zu",
                           chars_count(batch->asked.data[i].data, batch->asked.data[i].len));
        if (model && *model) {
            buf_put_text(out, ",\"model_type_used\":");
            json_put_text(out, model);
        }
        buf_put_byte(out, '}');
    }
    buf_put_text(out, "]}\n");
}

void deepl_translate(Request *request, Reply *reply)
{
    Limits *limits = request->server->limits;
    TextBatch batch = { .format = NULL };
    bool is_good = read_batch(&batch, request, reply) && read_wish(&batch.wish, request, reply);
    Err err;

    if (is_good && !limits_use_characters(limits, request->client_id, batch.characters)) {
        reply_error(reply, 456, QUOTA_EXCEEDED);
        is_good = false;
    }
    if (is_good) {
        const Status st = translate_texts(&batch, request, &err);
        if (st != OK) limits_return_characters(limits, request->client_id, batch.characters);
        if (st == OK) {
            put_translations(&batch, &request->form, &reply->body);
            reply_json(reply);
        } else if (st == ERR_FORMAT && strcmp(batch.format, "xml") == 0) {
            reply_error(reply, 400, "Tag handling parsing failed, please check input: %s", err.text);
        } else {
            reply_fault(reply, st, &err);
        }
    }
    for (size_t i = 0; batch.texts && i < batch.asked.len; i++) buf_free(&batch.texts[i]);
    for (size_t i = 0; batch.translations && i < batch.asked.len; i++) buf_free(&batch.translations[i]);
    free(batch.texts);
    free(batch.translations);
    free(batch.sources);
    free(batch.asked.data);
    free(batch.tags.data);
    buf_free(&batch.blocks);
    free_wish(&batch.wish);
}

/* --- Documents ---------------------------------------------------------------------- */

void deepl_upload_document(Request *request, Reply *reply)
{
    const Form *form = &request->form;
    const Field *file = form_file(form, "file");
    const char *given = form_text(form, "filename", NULL), *output = form_text(form, "output_format", NULL);
    const char *name = given && *given ? given : file ? file->file : "", *dot = strrchr(name, '.');
    const size_t quota = limits_value(request->server->options->server.quota, SIZE_MAX);
    LanguageWish wish = { .table = NULL };
    char id[DOWNLOAD_ID], key[DOWNLOAD_ID];

    if (!file)
        reply_error(reply, 400, "Parameter 'file' not specified.");
    else if (!file->length)
        reply_error(reply, 400, "Invalid file data: the file is empty");
    else if (strlen(name) > FILE_NAME_MOST)
        reply_error(reply, 400, "Invalid file data: the file name has more than %d bytes", FILE_NAME_MOST);
    else if (!work_format_of(name))
        reply_error(reply, 400, "Invalid file data: files with this name are not translated");
    else if (output && *output && (!dot || strcasecmp(output, dot + 1) != 0))
        reply_error(reply, 400, "Value for 'output_format' not supported: it must be that of the document");
    else if (limits_used_characters(request->server->limits, request->client_id) >= quota)
        reply_error(reply, 456, QUOTA_EXCEEDED);
    else if (read_wish(&wish, request, reply)) {
        const DocumentTask task = { .client = request->client_id,
                                    .address = request->address_id,
                                    .name = name,
                                    .format = work_format_of(name),
                                    .source = wish.source == NO_LANGUAGE
                                                  ? NULL
                                                  : language_table_row(wish.table, wish.source)->code,
                                    .target = language_table_row(wish.table, wish.target)->code,
                                    .terms = wish.has_glossary ? wish.terms.data : NULL,
                                    .bytes = file->value,
                                    .size = file->length };
        const Admission answer = document_queue_add(request->server->documents, &task, id, key);
        if (answer == ADMITTED) {
            buf_put_format(&reply->body, "{\"document_id\":\"%s\",\"document_key\":\"%s\"}\n", id, key);
            reply_json(reply);
        } else {
            reply_header(reply, "Retry-After", "5");
            reply_error(reply, answer == REFUSED_CLIENT ? 429 : 503,
                        "too many documents, or bytes in memory, of %s; try again later",
                        answer == REFUSED_CLIENT ? "this client" : "all clients");
        }
    }
    free_wish(&wish);
}

static void show_status(const Request *request, const char *id, const char *key, Reply *reply)
{
    static const char *const names[] = { [DOCUMENT_QUEUED] = "queued",
                                         [DOCUMENT_TRANSLATING] = "translating",
                                         [DOCUMENT_DONE] = "done",
                                         [DOCUMENT_FAILED] = "error" };
    DocumentReport report;

    document_queue_find(request->server->documents, id, key, &report);
    if (report.state == DOCUMENT_UNKNOWN) {
        reply_error(reply, 404, "Document not found");
        return;
    }
    buf_put_format(&reply->body, "{\"document_id\":\"%s\",\"status\":\"%s\"", id, names[report.state]);
    if (report.state < DOCUMENT_DONE) buf_put_text(&reply->body, ",\"seconds_remaining\":5");
    if (report.state == DOCUMENT_DONE) buf_put_format(&reply->body, ",\"billed_characters\":%zu", report.characters);
    if (report.state == DOCUMENT_FAILED) {
        buf_put_text(&reply->body, ",\"error_message\":");
        json_put_text(&reply->body, report.fault.text);
    }
    buf_put_text(&reply->body, "}\n");
    reply_json(reply);
}

/* Sends a translated document, once. */
static void send_document(const Request *request, const char *id, const char *key, Reply *reply)
{
    char *name = NULL;

    switch (document_queue_take(request->server->documents, id, key, &reply->body, &name, &reply->context)) {
    case DOCUMENT_UNKNOWN:
        reply_error(reply, 404, "Document not found; a translation can be fetched once, for ten minutes");
        break;
    case DOCUMENT_FAILED:
        reply_error(reply, 400, "the translation of this document has failed; its status says why");
        break;
    case DOCUMENT_QUEUED:
    case DOCUMENT_TRANSLATING:
        reply_header(reply, "Retry-After", "5");
        reply_error(reply, 503, "Document not ready");
        break;
    case DOCUMENT_DONE:
        reply_file(reply, name);
        reply->end = document_queue_end;
    }
    free(name);
}

/* /v2/document/ID and /v2/document/ID/result */
void deepl_show_document(Request *request, Reply *reply)
{
    const char *key = form_text(&request->form, "document_key", NULL), *slash = strchr(request->rest, '/');
    char id[DOWNLOAD_ID] = "";

    if (strcspn(request->rest, "/") == DOWNLOAD_ID - 1) memcpy(id, request->rest, DOWNLOAD_ID - 1);
    if (!key)
        reply_error(reply, 400, "Parameter 'document_key' not specified.");
    else if (slash && strcmp(slash, "/result") == 0)
        send_document(request, id, key, reply);
    else if (slash)
        reply_error(reply, 404, "Not found");
    else
        show_status(request, id, key, reply);
}
