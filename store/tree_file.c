/* tree_file.c - see tree_file.h. libyaml produces one event for each node. */
#include "tree_file.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "c_locale.h"
#include "json.h"
#include "stored_file.h"

/* Vocabularies are the largest YAML files: a few MB, a hundred thousand tokens. */
#define MAX_YAML_BYTES  ((size_t)1 << 26)
#define MAX_YAML_VALUES ((size_t)1 << 22)

typedef struct {
    cJSON *open[YAML_TREE_DEPTH]; /* the collections that enclose the next node */
    size_t depth;
    size_t *room; /* how many more values may be added */
    char *key;    /* the key of the next value in a mapping, or NULL; the reader owns it */
    cJSON *root;
    const char *name;
    Err *err;
} Reader;

static Status refuse(const Reader *r, const yaml_event_t *event, const char *what)
{
    return err_set(r->err, ERR_FORMAT, "%s: line %zu: %s", r->name, event->start_mark.line + 1, what);
}

static bool is_word(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(text, *words) == 0) return true;
    return false;
}

/* Converts a scalar without quotes by YAML's core schema. */
static cJSON *new_plain(const char *text)
{
    static const char *const nulls[] = { "", "~", "null", "Null", "NULL", NULL };
    static const char *const truths[] = { "true", "True", "TRUE", NULL };
    static const char *const lies[] = { "false", "False", "FALSE", NULL };
    char *end;
    double number;

    if (is_word(text, nulls)) return cJSON_CreateNull();
    if (is_word(text, truths)) return cJSON_CreateTrue();
    if (is_word(text, lies)) return cJSON_CreateFalse();
    if (strspn(text, "0123456789+-.eE") != strlen(text)) return cJSON_CreateString(text);
    number = c_locale_strtod(text, &end);
    return end == text || *end || !isfinite(number) ? cJSON_CreateString(text) : cJSON_CreateNumber(number);
}

/* Adds the node to the innermost collection; frees it on failure. */
static Status add_node(Reader *r, const yaml_event_t *event, cJSON *node)
{
    cJSON *parent = r->depth ? r->open[r->depth - 1] : NULL;
    bool added;

    if (!node) return err_memory(r->err, "a YAML file");
    if (!*r->room || (!parent && r->root)) {
        cJSON_Delete(node);
        return refuse(r, event, parent || !r->root ? "too many values" : "a second document");
    }
    --*r->room;
    if (!parent) {
        r->root = node;
        return OK;
    }
    added = cJSON_IsArray(parent) ? cJSON_AddItemToArray(parent, node) : cJSON_AddItemToObject(parent, r->key, node);
    free(r->key);
    r->key = NULL;
    if (added) return OK;
    cJSON_Delete(node);
    return err_memory(r->err, "a YAML file");
}

static bool wants_key(const Reader *r)
{
    return r->depth && cJSON_IsObject(r->open[r->depth - 1]) && !r->key;
}

static Status take_event(Reader *r, const yaml_event_t *event)
{
    const bool is_mapping = event->type == YAML_MAPPING_START_EVENT;
    const char *text;
    cJSON *node;
    Status st;

    switch (event->type) {
    case YAML_SCALAR_EVENT:
        text = (const char *)event->data.scalar.value;
        if (strlen(text) != event->data.scalar.length) return refuse(r, event, "a NUL byte");
        if (event->data.scalar.anchor) return refuse(r, event, "anchors are not supported");
        if (wants_key(r)) {
            r->key = strdup(text);
            return r->key ? OK : err_memory(r->err, "a YAML file");
        }
        node = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE ? new_plain(text) : cJSON_CreateString(text);
        return add_node(r, event, node);
    case YAML_MAPPING_START_EVENT:
    case YAML_SEQUENCE_START_EVENT:
        if (wants_key(r)) return refuse(r, event, "a key that is not a scalar");
        if (r->depth == YAML_TREE_DEPTH) return refuse(r, event, "collections are nested too deeply");
        node = is_mapping ? cJSON_CreateObject() : cJSON_CreateArray();
        st = add_node(r, event, node);
        if (st == OK) r->open[r->depth++] = node;
        return st;
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        r->depth--;
        return OK;
    case YAML_ALIAS_EVENT:
        return refuse(r, event, "aliases are not supported");
    default:
        return OK;
    }
}

static Status read_events(Reader *r, yaml_parser_t *parser)
{
    yaml_event_t event;
    bool ended = false;
    Status st = OK;

    while (st == OK && !ended) {
        if (!yaml_parser_parse(parser, &event)) {
            if (!parser->problem) return err_memory(r->err, r->name); /* libyaml describes all other errors */
            return err_set(r->err, ERR_FORMAT, "%s: line %zu: not valid YAML: %s", r->name,
                           parser->problem_mark.line + 1, parser->problem);
        }
        st = take_event(r, &event);
        ended = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    if (st == OK && !cJSON_IsObject(r->root)) st = err_set(r->err, ERR_FORMAT, "%s is not a YAML mapping", r->name);
    return st;
}

Status yaml_tree_parse(cJSON **out, const char *text, size_t len, const char *name, size_t *room, Err *err)
{
    size_t own = MAX_YAML_VALUES;
    Reader r = { .room = room ? room : &own, .name = name, .err = err };
    yaml_parser_t parser;
    Status st;

    *out = NULL;
    if (len > MAX_YAML_BYTES) return err_set(err, ERR_FORMAT, "%s: too large for YAML (%zu bytes)", name, len);
    if (!yaml_parser_initialize(&parser)) return err_memory(err, "a YAML file");
    yaml_parser_set_input_string(&parser, (const unsigned char *)(text ? text : ""),
                                 len); /* text is NULL for an empty file */
    st = read_events(&r, &parser);
    yaml_parser_delete(&parser);
    free(r.key);
    if (st == OK)
        *out = r.root;
    else
        cJSON_Delete(r.root);
    return st;
}

/* --- Files --- */

/* Checks that the file may be JSON. ERR_FORMAT if it begins like a web page or like a server's reply such as "Entry not
 * found". */
static Status check_json(const MappedFile *file, const char *path, Err *err)
{
    size_t i = 0;

    if (file->size == 0) return err_set(err, ERR_FORMAT, "%s is empty", path);
    while (i < file->size && strchr(" \t\r\n", file->data[i]) && file->data[i]) i++;
    if (i < file->size && (file->data[i] == '<' || (file->data[i] >= 'A' && file->data[i] <= 'Z')))
        return err_set(err, ERR_FORMAT, "%s is text, not JSON: did the download fail?", path);
    return OK;
}

Status tree_file_parse(cJSON **out, const MappedFile *file, const char *path, TreeKind kind, size_t *room, Err *err)
{
    const char *text = (const char *)file->data;
    Status st;

    *out = NULL;
    if (kind == TREE_YAML) return yaml_tree_parse(out, text, file->size, path, room, err);
    st = check_json(file, path, err);
    if (st != OK) return st;
    return json_parse_as(out, text, file->size, path, kind == TREE_JSON_LIST ? cJSON_Array : cJSON_Object, room, err);
}

Status tree_file_read_json(cJSON **out, const char *path, Err *err)
{
    MappedFile file;
    Status st = stored_file_open(&file, path, err);

    *out = NULL;
    if (st != OK) return st;
    st = tree_file_parse(out, &file, path, TREE_JSON_OBJECT, NULL, err);
    mapped_file_close(&file);
    return st;
}
