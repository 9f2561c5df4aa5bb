/* json_post.c - see json_pieces.h.
 *     {"type": "TemplateProcessing",
 *      "single": [{"Sequence": {"id": "A"}}, {"SpecialToken": {"id": "</s>"}}],
 *      "special_tokens": {"</s>": {"id": "</s>", "ids": [1], "tokens": ["</s>"]}}} */
#include "json_pieces.h"

#include <string.h>

/* Upper limit for the special tokens around a text. */
#define MAX_AROUND 100

typedef struct {
    IdList *before, *after;
    JsonPieces *pieces;
    bool seen_template, seen_text;
    Err *err;
} Reader;

static Status fault(const Reader *reader, const char *what)
{
    return err_set(reader->err, ERR_FORMAT, "%s: post_processor: %s", reader->pieces->path, what);
}

/* Appends a token of the template. Its string and its id must be those of the vocabulary. */
static Status add_token(Reader *reader, const cJSON *text, const cJSON *id)
{
    JsonPiece *piece =
        cJSON_IsString(text) ? json_pieces_find(reader->pieces, text->valuestring, strlen(text->valuestring)) : NULL;
    int64_t value;

    if (!cJSON_IsString(text) || !json_to_int64(id, 0, INT32_MAX, &value))
        return fault(reader, "a special token needs \"ids\" and \"tokens\"");
    if (!piece || piece->id != value) {
        return err_set(reader->err, ERR_FORMAT,
                       "%s: post_processor: the vocabulary has no token \"%s\" with the id %lld", reader->pieces->path,
                       text->valuestring, (long long)value);
    }
    if (reader->before->len + reader->after->len == MAX_AROUND) return fault(reader, "too many special tokens");
    if (piece->type == SP_NORMAL) piece->type = SP_CONTROL;
    return ids_append(reader->seen_text ? reader->after : reader->before, piece->id, reader->err);
}

/* Reads {"SpecialToken": {"id": name}}; special_tokens gives the tokens of that name. */
static Status add_special(Reader *reader, JsonObject tokens, const cJSON *node)
{
    JsonObject item = { node, tokens.file }, found = { NULL, tokens.file };
    const cJSON *text, *id;
    const char *name = NULL;
    Status st = json_get_string(item, "id", &name, reader->err);

    if (st != OK) return st;
    if (name) found.node = json_member(tokens, name);
    text = json_member(found, "tokens");
    id = json_member(found, "ids");
    if (!cJSON_IsArray(text) || !cJSON_IsArray(id) || !id->child)
        return fault(reader, "a special token is missing in special_tokens");
    id = id->child;
    for (text = text->child; st == OK && (text || id); text = text->next, id = id->next) {
        if (!text || !id) return fault(reader, "\"ids\" and \"tokens\" differ in length");
        st = add_token(reader, text, id);
    }
    return st;
}

static Status add_sequence(Reader *reader, JsonObject sequence)
{
    const char *name = "";
    Status st = json_get_string(sequence, "id", &name, reader->err);

    if (st == OK && (strcmp(name, "A") != 0 || reader->seen_text))
        st = fault(reader, "\"single\" must contain the text A exactly once");
    reader->seen_text = true;
    return st;
}

static Status read_template(Reader *reader, JsonObject template)
{
    static const char *const keys[] = { "type", "single", "pair", "special_tokens" };
    const cJSON *single = json_member(template, "single");
    JsonObject tokens = { json_member(template, "special_tokens"), template.file };
    Status st = json_pieces_check_keys(template, "post_processor: ", keys, sizeof keys / sizeof *keys, reader->err);

    if (st != OK) return st;
    if (!cJSON_IsArray(single)) return fault(reader, "\"single\" must be a list");
    if (reader->seen_template) return fault(reader, "two templates");
    reader->seen_template = true;
    for (const cJSON *node = single->child; st == OK && node; node = node->next) {
        JsonObject item = { node, template.file };
        const cJSON *special = json_member(item, "SpecialToken"), *sequence = json_member(item, "Sequence");
        if (!special == !sequence)
            return fault(reader, "each entry of \"single\" must be a SpecialToken or a Sequence");
        st = special ? add_special(reader, tokens, special)
                     : add_sequence(reader, (JsonObject){ sequence, template.file });
    }
    if (st == OK && !reader->seen_text) st = fault(reader, "\"single\" must contain the text A exactly once");
    return st;
}

static Status read_processor(Reader *reader, JsonObject processor)
{
    const char *type = NULL;
    const cJSON *list = json_member(processor, "processors");
    Status st = json_get_string(processor, "type", &type, reader->err);

    if (st != OK) return st;
    if (!type) return fault(reader, "must be an object with \"type\"");
    if (strcmp(type, "TemplateProcessing") == 0) return read_template(reader, processor);
    if (strcmp(type, "Sequence") != 0) {
        return err_set(reader->err, ERR_UNSUPPORTED, "%s: post_processor %s is not supported%s", processor.file, type,
                       strcmp(type, "ByteLevel") == 0 ? ": byte-level BPE" : "");
    }
    if (!cJSON_IsArray(list)) return fault(reader, "a Sequence needs a list \"processors\"");
    for (const cJSON *node = list->child; st == OK && node; node = node->next)
        st = read_processor(reader, (JsonObject){ node, processor.file });
    return st;
}

Status json_post_read(IdList *before, IdList *after, JsonPieces *pieces, const cJSON *root, Err *err)
{
    Reader reader = { .before = before, .after = after, .pieces = pieces, .err = err };
    JsonObject top = { root, pieces->path };
    const cJSON *node = json_member(top, "post_processor");

    return node ? read_processor(&reader, (JsonObject){ node, pieces->path }) : OK;
}
