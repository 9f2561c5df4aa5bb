/* json_steps.c - see json_steps.h.
 * The steps that conversions from SentencePiece write, and their meaning:
 *   normalizer     Nmt, NFKC, NFC, ...      normalization forms; written by no conversion, but by
 *                                           models that were trained with tokenizers
 *                  Precompiled              the character map
 *                  Replace / {2,}/ by " "   joins spaces (also with U+2581)
 *                  Strip                    removes spaces at the ends; so does Replace /\A +| +\z/ by ""
 *                  Prepend U+2581           adds a space before the text
 *                  Replace " " by U+2581    what SentencePiece always does
 *                  Replace /\A/ U+2581      by two of them: Metaspace would not add one before the first
 *   pre_tokenizer  WhitespaceSplit          joins spaces, and without a character map all white space; Metaspace must
 *                                           then add a space before each word
 *                  Metaspace                replaces spaces by U+2581 and adds one before the text; with "first",
 *                                           not before text that follows an added token
 *                  Split " "                no effect after a Replace of all spaces
 *   decoder        Metaspace                replaces U+2581 by spaces; removes those of the first piece,
 *                                           unless prepend_scheme is "never"
 *                  Replace U+2581 by " ", ByteFallback, Fuse, Strip:
 *                                           together the same; Strip removes the first space of the text
 * A step, a field of a step, or an order of steps that is not known here is refused: it would change the pieces.
 * On unusual texts tokenizers 0.22.2 differs from SentencePiece; dragoman then does what SentencePiece does:
 *   - Precompiled first looks up a grapheme of fewer than six bytes as a whole.
 *   - Replace joins spaces but keeps one that the character map puts first, and keeps U+2581 of the text, before
 *     which Metaspace adds no space.
 *   - Strip removes all white space; SentencePiece removes spaces. So does WhitespaceSplit, but a character map says
 *     what becomes a space.
 *   - Metaspace does not let a piece extend across a space; SentencePiece does.
 * The text between added tokens is encoded as a text of its own, with a space before it unless the Metaspace says
 * "first" or "never", or the text begins with one. A space at its end, before the next token, stays unless Strip or
 * WhitespaceSplit removes it (added.c): models learn their added tokens with tokenizers, not with SentencePiece. */
#include "json_steps.h"

#include <string.h>

#include "base64.h"
#include "sp_runs.h"

/* State of the reader. */
typedef struct {
    JsonSteps *steps;
    const char *path;
    const char *part;       /* "normalizer", "pre_tokenizer" or "decoder" */
    bool formed;            /* a step that must come after forms and character map was read */
    bool prepends;          /* a space is added before the text */
    bool strips;            /* spaces at the ends are removed */
    bool strips_end;        /* those at the right end are */
    bool metaspace;         /* Metaspace was read */
    bool splits;            /* the text is split at white space, which is removed */
    bool escapes;           /* spaces become U+2581 */
    bool joins_escaped;     /* only several spaces have become U+2581 */
    bool unescapes, fuses;  /* the decoder has replaced U+2581; it has joined the pieces */
    bool decodes_metaspace; /* it has done both, as a Metaspace */
    Err *err;
} Reader;

#define MOST_FIELDS 5

/* A type of steps: what reads it, and the fields that tokenizers, up to version 0.23, writes. */
typedef struct {
    const char *type;
    Status (*read)(Reader *reader, JsonObject step, const char *type);
    const char *fields[MOST_FIELDS];
} StepKind;

static Status refuse(const Reader *reader, const char *type, const char *what)
{
    const char *why = strcmp(type, "ByteLevel") == 0 ? ": byte-level BPE" : "";

    return err_set(reader->err, ERR_UNSUPPORTED, "%s: %s %s%s is not supported%s", reader->path, reader->part, type,
                   what, why);
}

static Status read_step(Reader *reader, JsonObject step, const char *type, const StepKind *kinds)
{
    const char *keys[1 + MOST_FIELDS] = { "type" }, *key;

    while (kinds->type && strcmp(kinds->type, type) != 0) kinds++;
    if (!kinds->type) return refuse(reader, type, "");
    memcpy(keys + 1, kinds->fields, sizeof kinds->fields);
    key = json_unknown_key(step, keys, 1 + MOST_FIELDS);
    if (key)
        return err_set(reader->err, ERR_UNSUPPORTED, "%s: %s %s: the field \"%s\" is not supported", reader->path,
                       reader->part, type, key);
    return kinds->read(reader, step, type);
}

/* Reads a step, or each step of a Sequence, whose steps are in `list`. cJSON limits the depth of nesting. */
static Status walk(Reader *reader, const cJSON *node, const char *list, const StepKind *kinds)
{
    JsonObject step = { node, reader->path };
    const char *type = NULL;
    const cJSON *inner;
    Status st = json_get_string(step, "type", &type, reader->err);

    if (st != OK) return st;
    if (!type)
        return err_set(reader->err, ERR_FORMAT, "%s: %s must be an object with \"type\"", reader->path, reader->part);
    if (strcmp(type, "Sequence") != 0) return read_step(reader, step, type, kinds);
    inner = json_member(step, list);
    if (!cJSON_IsArray(inner))
        return err_set(reader->err, ERR_FORMAT, "%s: %s Sequence needs a list \"%s\"", reader->path, reader->part,
                       list);
    for (node = inner->child; st == OK && node; node = node->next) st = walk(reader, node, list, kinds);
    return st;
}

/* {"pattern": {"String": " "} or {"Regex": " {2,}"}, "content": "..."} */
typedef struct {
    const char *string, *regex, *content;
} Replace;

static Status read_replace(const Reader *reader, JsonObject step, Replace *out)
{
    JsonObject pattern = { json_member(step, "pattern"), reader->path };
    Status st = json_get_string(pattern, "String", &out->string, reader->err);

    if (st == OK) st = json_get_string(pattern, "Regex", &out->regex, reader->err);
    if (st == OK) st = json_get_string(step, "content", &out->content, reader->err);
    if (st == OK && (!out->content || !out->string == !out->regex))
        st = err_set(reader->err, ERR_FORMAT, "%s: Replace needs \"pattern\" and \"content\"", reader->path);
    return st;
}

static bool is(const char *text, const char *wanted)
{
    return text && strcmp(text, wanted) == 0;
}

static bool is_space(const char *text)
{
    return is(text, " ") || is(text, SP_SPACE);
}

/* --- normalizer */

static Status read_charsmap(Reader *reader, JsonObject step, const char *type)
{
    const char *text = "";
    bool valid = true;
    Status st = json_get_string(step, "precompiled_charsmap", &text, reader->err);

    if (st == OK && reader->formed) st = refuse(reader, type, " after another normalizer");
    reader->formed = true;
    if (st == OK) st = base64_append(&reader->steps->charsmap, text, strlen(text), &valid, reader->err);
    if (st == OK && !valid)
        st = err_set(reader->err, ERR_FORMAT, "%s: precompiled_charsmap is not base64", reader->path);
    return st;
}

static Status read_form(Reader *reader, JsonObject step, const char *type)
{
    NormalForms *forms = &reader->steps->forms;

    (void)step;
    if (reader->formed || forms->count == NORMAL_FORMS_MAX) return refuse(reader, type, " after another normalizer");
    return normal_form_find(type, &forms->list[forms->count++]) ? OK : refuse(reader, type, "");
}

/* Whether a step that joins or removes spaces still finds all of them. */
static bool finds_spaces(const Reader *reader)
{
    return !reader->escapes && !reader->joins_escaped && !reader->prepends;
}

static Status refuse_replace(const Reader *reader, const Replace *replace, const char *when)
{
    return err_set(reader->err, ERR_UNSUPPORTED, "%s: %s Replace of \"%s\" by \"%s\"%s is not supported", reader->path,
                   reader->part, replace->string ? replace->string : replace->regex, replace->content, when);
}

static Status read_replacement(Reader *reader, JsonObject step, const char *type)
{
    Replace replace = { 0 };
    Status st = read_replace(reader, step, &replace);

    (void)type;
    if (st != OK) return st;
    reader->formed = true;
    if (is(replace.string, " ") && is(replace.content, SP_SPACE)) {
        reader->escapes = true;
        return OK;
    }
    if (is(replace.regex, "\\A" SP_SPACE) && is(replace.content, SP_SPACE SP_SPACE) && reader->escapes) return OK;
    if (is(replace.regex, " {2,}") && is_space(replace.content)) {
        reader->steps->remove_extra_whitespaces = true;
    } else if (is(replace.regex, "\\A +| +\\z") && is(replace.content, "")) {
        reader->strips = reader->strips_end = true;
    } else {
        return refuse_replace(reader, &replace, "");
    }
    if (!finds_spaces(reader)) return refuse_replace(reader, &replace, " after other changes of spaces");
    reader->joins_escaped = is(replace.content, SP_SPACE);
    return OK;
}

static Status read_strip(Reader *reader, JsonObject step, const char *type)
{
    bool left = false, right = false;
    Status st = json_get_bool(step, "strip_left", &left, reader->err);

    if (st == OK) st = json_get_bool(step, "strip_right", &right, reader->err);
    if (st == OK && (left || right) && !finds_spaces(reader))
        st = refuse(reader, type, " after other changes of spaces");
    if (left || right) reader->strips = true;
    if (right) reader->strips_end = true;
    reader->formed = true;
    return st;
}

static Status read_prepend(Reader *reader, JsonObject step, const char *type)
{
    const char *prepend = "";
    Status st = json_get_string(step, "prepend", &prepend, reader->err);

    if (st == OK && !is_space(prepend)) st = refuse(reader, type, " of anything but a space");
    if (st == OK && reader->prepends) st = refuse(reader, type, " twice");
    if (st == OK && reader->escapes && !is(prepend, SP_SPACE)) st = refuse(reader, type, " after Replace of spaces");
    reader->steps->add_dummy_prefix = reader->prepends = reader->formed = true;
    return st;
}

static const StepKind normalizers[] = {
    { "Nmt", read_form, { NULL } },
    { "NFC", read_form, { NULL } },
    { "NFD", read_form, { NULL } },
    { "NFKC", read_form, { NULL } },
    { "NFKD", read_form, { NULL } },
    { "Precompiled", read_charsmap, { "precompiled_charsmap" } },
    { "Replace", read_replacement, { "pattern", "content" } },
    { "Strip", read_strip, { "strip_left", "strip_right" } },
    { "Prepend", read_prepend, { "prepend" } },
    { NULL, NULL, { NULL } },
};

/* --- pre_tokenizer */

typedef enum { SCHEME_NEVER, SCHEME_FIRST, SCHEME_ALWAYS } Scheme;

#define METASPACE_FIELDS                                                                                               \
    {                                                                                                                  \
        "replacement", "prepend_scheme", "add_prefix_space", "split", "str_rep"                                        \
    }

/* Reads a Metaspace. "prepend_scheme" overrides the older "add_prefix_space". */
static Status read_metaspace(const Reader *reader, JsonObject step, Scheme *out)
{
    static const char *const names[] = { "never", "first", "always" };
    const char *symbol = SP_SPACE, *scheme = NULL;
    bool adds = true;
    Status st = json_get_string(step, "replacement", &symbol, reader->err);

    if (st == OK) st = json_get_bool(step, "add_prefix_space", &adds, reader->err);
    if (st == OK) st = json_get_string(step, "prepend_scheme", &scheme, reader->err);
    if (st != OK) return st;
    if (!is(symbol, SP_SPACE)) return refuse(reader, "Metaspace", " without U+2581");
    *out = adds ? SCHEME_ALWAYS : SCHEME_NEVER;
    for (int i = SCHEME_NEVER; scheme && i <= SCHEME_ALWAYS; i++) {
        if (!is(scheme, names[i])) continue;
        *out = (Scheme)i;
        return OK;
    }
    return scheme ? refuse(reader, "Metaspace", " with an unknown prepend_scheme") : OK;
}

static Status add_metaspace(Reader *reader, JsonObject step, const char *type)
{
    Scheme scheme = SCHEME_NEVER;
    Status st = read_metaspace(reader, step, &scheme);

    if (st != OK) return st;
    if (reader->splits && scheme != SCHEME_ALWAYS)
        return refuse(reader, type, " after WhitespaceSplit without a space before each word");
    if (scheme != SCHEME_NEVER) reader->steps->add_dummy_prefix = true;
    if (scheme == SCHEME_FIRST) reader->steps->no_space_after_added = true;
    reader->escapes = reader->metaspace = true;
    return OK;
}

/* After a step that makes U+2581 of spaces, it would split words only where there is other white space. */
static Status add_white_space_split(Reader *reader, JsonObject step, const char *type)
{
    (void)step;
    if (reader->escapes || reader->prepends || reader->joins_escaped)
        return refuse(reader, type, " after other changes of spaces");
    reader->splits = reader->steps->remove_extra_whitespaces = true;
    reader->steps->joins_white_space = !reader->steps->charsmap.len;
    reader->steps->origins = SP_ORIGINS_TOKENIZERS_WORDS;
    return OK;
}

/* Without spaces there is nothing to split, but with "invert" everything. */
static Status add_split(Reader *reader, JsonObject step, const char *type)
{
    JsonObject pattern = { json_member(step, "pattern"), reader->path };
    const char *split = NULL;
    bool invert = false;
    Status st = json_get_string(pattern, "String", &split, reader->err);

    if (st == OK) st = json_get_bool(step, "invert", &invert, reader->err);
    if (st == OK && (!is(split, " ") || !reader->escapes)) st = refuse(reader, type, "");
    return st == OK && invert ? refuse(reader, type, " with \"invert\"") : st;
}

static const StepKind pre_tokenizers[] = {
    { "Metaspace", add_metaspace, METASPACE_FIELDS },
    { "WhitespaceSplit", add_white_space_split, { NULL } },
    { "Split", add_split, { "pattern", "behavior", "invert" } },
    { NULL, NULL, { NULL } },
};

/* --- decoder */

/* Strip removes spaces at the ends of each piece, or of the text if Fuse has joined its pieces. */
static Status add_strip(Reader *reader, JsonObject step, const char *type)
{
    const char *content = NULL;
    size_t start = 0, stop = 0;
    Status st = json_get_string(step, "content", &content, reader->err);

    if (st == OK) st = json_get_size(step, "start", 0, SIZE_MAX, &start, reader->err);
    if (st == OK) st = json_get_size(step, "stop", 0, SIZE_MAX, &stop, reader->err);
    if (st != OK) return st;
    if (!is(content, " ")) return refuse(reader, type, "");
    if (!reader->unescapes || !reader->fuses) return refuse(reader, type, " before Replace and Fuse");
    if (start > 1 || stop || (start && reader->steps->start == SP_START_SPACE))
        return refuse(reader, type, " of more than the first space");
    if (start) reader->steps->start = SP_START_SPACE;
    return OK;
}

static Status add_decoding_metaspace(Reader *reader, JsonObject step, const char *type)
{
    Scheme scheme = SCHEME_NEVER;
    Status st = read_metaspace(reader, step, &scheme);

    if (st == OK && (reader->unescapes || reader->fuses || reader->decodes_metaspace))
        st = refuse(reader, type, " after another decoder");
    if (scheme != SCHEME_NEVER) reader->steps->start = SP_START_PIECE;
    reader->decodes_metaspace = true;
    return st;
}

static Status add_decoding_replace(Reader *reader, JsonObject step, const char *type)
{
    Replace replace = { 0 };
    Status st = read_replace(reader, step, &replace);

    if (st != OK) return st;
    if (!is(replace.string, SP_SPACE) || !is(replace.content, " ")) return refuse_replace(reader, &replace, "");
    reader->unescapes = true;
    return reader->decodes_metaspace ? refuse(reader, type, " after Metaspace") : OK;
}

static Status add_byte_fallback(Reader *reader, JsonObject step, const char *type)
{
    (void)step;
    return reader->fuses ? refuse(reader, type, " after Fuse") : OK;
}

static Status add_fuse(Reader *reader, JsonObject step, const char *type)
{
    (void)step;
    (void)type;
    reader->fuses = true;
    return OK;
}

static const StepKind decoders[] = {
    { "Metaspace", add_decoding_metaspace, METASPACE_FIELDS },
    { "Replace", add_decoding_replace, { "pattern", "content" } },
    { "ByteFallback", add_byte_fallback, { NULL } },
    { "Fuse", add_fuse, { NULL } },
    { "Strip", add_strip, { "content", "start", "stop" } },
    { NULL, NULL, { NULL } },
};

/* Reads one of the three members; null means that it has no steps. */
static Status read_part(Reader *reader, JsonObject root, const char *key, const char *list, const StepKind *kinds)
{
    const cJSON *node = json_member(root, key);

    reader->part = key;
    return node ? walk(reader, node, list, kinds) : OK;
}

/* A Metaspace makes a piece of a space that nothing before it removes. */
static AddedSpace space_before_added(const Reader *reader)
{
    if (!reader->metaspace || reader->splits) return ADDED_SPACE_DROPPED;
    return reader->strips_end ? ADDED_SPACE_NORMALIZED_ONLY : ADDED_SPACE_KEPT;
}

Status json_steps_read(JsonSteps *out, const cJSON *root, const char *path, Err *err)
{
    JsonObject top = { root, path };
    Reader reader = { .steps = out, .path = path, .err = err };
    Status st;

    *out = (JsonSteps){ .origins = SP_ORIGINS_TOKENIZERS };
    st = read_part(&reader, top, "normalizer", "normalizers", normalizers);
    if (st == OK) st = read_part(&reader, top, "pre_tokenizer", "pretokenizers", pre_tokenizers);
    if (st == OK) st = read_part(&reader, top, "decoder", "decoders", decoders);
    if (st != OK) return st;
    out->decodes = json_member(top, "decoder") != NULL;
    if (out->decodes && !reader.unescapes && !reader.decodes_metaspace)
        return err_set(err, ERR_UNSUPPORTED, "%s: no step of the decoder replaces U+2581 by spaces", path);
    if (!reader.escapes) {
        return err_set(err, ERR_UNSUPPORTED,
                       "%s: no step replaces spaces by U+2581 (Metaspace), so the model is not from SentencePiece",
                       path);
    }
    if (reader.strips && !out->remove_extra_whitespaces)
        return err_set(err, ERR_UNSUPPORTED, "%s: normalizer Strip without joining spaces is not supported", path);
    out->space_before_added = space_before_added(&reader);
    return OK;
}

void json_steps_free(JsonSteps *steps)
{
    buf_free(&steps->charsmap);
    *steps = (JsonSteps){ 0 };
}
