/* json_steps.c - see json_steps.h.
 * The steps that conversions from SentencePiece write, and their meaning:
 *   normalizer     Nmt, NFKC, NFC, ...      normalization forms; written by no conversion, but by
 *                                           models that were trained with tokenizers
 *                  Precompiled              the character map
 *                  Replace / {2,}/ by " "   joins spaces (also with U+2581)
 *                  Strip                    removes spaces at the ends
 *                  Prepend U+2581           adds a space before the text
 *                  Replace " " by U+2581    what SentencePiece always does
 *   pre_tokenizer  WhitespaceSplit          joins spaces; Metaspace must then add one before each word
 *                  Metaspace                replaces spaces by U+2581 and adds one before the text; with "first",
 *                                           not before text that follows an added token
 *                  Split " "                no effect after a Replace of all spaces
 *   decoder        Metaspace                replaces U+2581 by spaces; removes those of the first piece,
 *                                           unless prepend_scheme is "never"
 *                  Replace U+2581 by " ", ByteFallback, Fuse, Strip:
 *                                           together the same; Strip removes the first space of the text
 * On unusual texts tokenizers 0.22.2 differs from SentencePiece; dragoman then does what SentencePiece does:
 *   - Precompiled first looks up a grapheme of fewer than six bytes as a whole.
 *   - Replace joins spaces but keeps one that the character map puts first, and keeps U+2581 of the text, before
 *     which Metaspace adds no space.
 *   - Strip and WhitespaceSplit remove all white space; SentencePiece removes spaces.
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
    bool formed;           /* a step that must come after forms and character map was read */
    bool strips;           /* spaces at the ends are removed */
    bool strips_end;       /* those at the right end are */
    bool metaspace;        /* Metaspace was read */
    bool splits;           /* the text is split at white space, which is removed */
    bool escapes;          /* spaces become U+2581 */
    bool unescapes, fuses; /* the decoder has replaced U+2581; it has joined the pieces */
    Err *err;
} Reader;

typedef Status (*StepFn)(Reader *reader, JsonObject step, const char *type);

static Status refuse(const Reader *reader, const char *where, const char *type, const char *what)
{
    const char *why = strcmp(type, "ByteLevel") == 0 ? ": byte-level BPE" : "";

    return err_set(reader->err, ERR_UNSUPPORTED, "%s: %s %s%s is not supported%s", reader->path, where, type, what,
                   why);
}

/* Calls `each` for a step, or for each step of a Sequence. cJSON limits the depth of nesting. */
static Status walk(Reader *reader, const cJSON *node, const char *where, const char *list, StepFn each)
{
    JsonObject step = { node, reader->path };
    const char *type = NULL;
    const cJSON *inner;
    Status st = json_get_string(step, "type", &type, reader->err);

    if (st != OK) return st;
    if (!type) return err_set(reader->err, ERR_FORMAT, "%s: %s must be an object with \"type\"", reader->path, where);
    if (strcmp(type, "Sequence") != 0) return each(reader, step, type);
    inner = json_member(step, list);
    if (!cJSON_IsArray(inner))
        return err_set(reader->err, ERR_FORMAT, "%s: %s Sequence needs a list \"%s\"", reader->path, where, list);
    for (node = inner->child; st == OK && node; node = node->next) st = walk(reader, node, where, list, each);
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

static Status read_charsmap(Reader *reader, JsonObject step)
{
    const char *text = "";
    bool valid = true;
    Status st = json_get_string(step, "precompiled_charsmap", &text, reader->err);

    if (st == OK && reader->formed) st = refuse(reader, "normalizer", "Precompiled", " after another normalizer");
    reader->formed = true;
    if (st == OK) st = base64_append(&reader->steps->charsmap, text, strlen(text), &valid, reader->err);
    if (st == OK && !valid)
        st = err_set(reader->err, ERR_FORMAT, "%s: precompiled_charsmap is not base64", reader->path);
    return st;
}

static Status add_form(Reader *reader, NormalForm form, const char *type)
{
    NormalForms *forms = &reader->steps->forms;

    if (reader->formed || forms->count == NORMAL_FORMS_MAX)
        return refuse(reader, "normalizer", type, " after another normalizer");
    forms->list[forms->count++] = form;
    return OK;
}

static Status add_replace(Reader *reader, JsonObject step)
{
    Replace replace = { 0 };
    Status st = read_replace(reader, step, &replace);

    if (st != OK) return st;
    if (is(replace.regex, " {2,}") && is_space(replace.content)) {
        reader->steps->remove_extra_whitespaces = true;
    } else if (is(replace.string, " ") && is(replace.content, SP_SPACE)) {
        reader->escapes = true;
    } else {
        return err_set(reader->err, ERR_UNSUPPORTED, "%s: normalizer Replace of \"%s\" by \"%s\" is not supported",
                       reader->path, replace.string ? replace.string : replace.regex, replace.content);
    }
    return OK;
}

static Status add_normalizer(Reader *reader, JsonObject step, const char *type)
{
    const char *prepend = "";
    bool left = false, right = false;
    NormalForm form;
    Status st = OK;

    if (normal_form_find(type, &form)) return add_form(reader, form, type);
    if (is(type, "Precompiled")) return read_charsmap(reader, step);
    if (is(type, "Replace")) {
        st = add_replace(reader, step);
    } else if (is(type, "Strip")) {
        st = json_get_bool(step, "strip_left", &left, reader->err);
        if (st == OK) st = json_get_bool(step, "strip_right", &right, reader->err);
        if (left || right) reader->strips = true;
        if (right) reader->strips_end = true;
    } else if (is(type, "Prepend")) {
        st = json_get_string(step, "prepend", &prepend, reader->err);
        if (st == OK && !is_space(prepend)) st = refuse(reader, "normalizer", type, " of anything but a space");
        reader->steps->add_dummy_prefix = true;
    } else {
        return refuse(reader, "normalizer", type, "");
    }
    reader->formed = true;
    return st;
}

typedef enum { SCHEME_NEVER, SCHEME_FIRST, SCHEME_ALWAYS } Scheme;

/* Reads a Metaspace. "prepend_scheme" overrides the older "add_prefix_space". */
static Status read_metaspace(const Reader *reader, JsonObject step, const char *where, Scheme *out)
{
    static const char *const names[] = { "never", "first", "always" };
    const char *symbol = SP_SPACE, *scheme = NULL;
    bool adds = true;
    Status st = json_get_string(step, "replacement", &symbol, reader->err);

    if (st == OK) st = json_get_bool(step, "add_prefix_space", &adds, reader->err);
    if (st == OK) st = json_get_string(step, "prepend_scheme", &scheme, reader->err);
    if (st != OK) return st;
    if (!is(symbol, SP_SPACE)) return refuse(reader, where, "Metaspace", " without U+2581");
    *out = adds ? SCHEME_ALWAYS : SCHEME_NEVER;
    for (int i = SCHEME_NEVER; scheme && i <= SCHEME_ALWAYS; i++) {
        if (!is(scheme, names[i])) continue;
        *out = (Scheme)i;
        return OK;
    }
    return scheme ? refuse(reader, where, "Metaspace", " with an unknown prepend_scheme") : OK;
}

static Status add_metaspace(Reader *reader, JsonObject step)
{
    Scheme scheme;
    Status st = read_metaspace(reader, step, "pre_tokenizer", &scheme);

    if (st != OK) return st;
    if (reader->splits && scheme != SCHEME_ALWAYS)
        return refuse(reader, "pre_tokenizer", "Metaspace", " after WhitespaceSplit without a space before each word");
    if (scheme != SCHEME_NEVER) reader->steps->add_dummy_prefix = true;
    if (scheme == SCHEME_FIRST) reader->steps->no_space_after_added = true;
    reader->escapes = reader->metaspace = true;
    return OK;
}

static Status add_pre_tokenizer(Reader *reader, JsonObject step, const char *type)
{
    JsonObject pattern = { json_member(step, "pattern"), reader->path };
    const char *split = NULL;
    Status st = OK;

    if (is(type, "Metaspace")) return add_metaspace(reader, step);
    if (is(type, "WhitespaceSplit") && !reader->escapes) {
        reader->splits = reader->steps->remove_extra_whitespaces = true;
        reader->steps->origins = SP_ORIGINS_TOKENIZERS_WORDS;
        return OK;
    }
    if (is(type, "Split")) st = json_get_string(pattern, "String", &split, reader->err);
    if (st == OK && !(is(split, " ") && reader->escapes)) st = refuse(reader, "pre_tokenizer", type, "");
    return st;
}

/* Strip removes spaces at the ends of each piece, or of the text if Fuse has joined its pieces. */
static Status add_strip(Reader *reader, JsonObject step)
{
    const char *content = NULL;
    size_t start = 0, stop = 0;
    Status st = json_get_string(step, "content", &content, reader->err);

    if (st == OK) st = json_get_size(step, "start", 0, SIZE_MAX, &start, reader->err);
    if (st == OK) st = json_get_size(step, "stop", 0, SIZE_MAX, &stop, reader->err);
    if (st != OK) return st;
    if (!is(content, " ")) return refuse(reader, "decoder", "Strip", "");
    if (!reader->unescapes || !reader->fuses) return refuse(reader, "decoder", "Strip", " before Replace and Fuse");
    if (start > 1 || stop) return refuse(reader, "decoder", "Strip", " of more than the first space");
    if (start) reader->steps->start = SP_START_SPACE;
    return OK;
}

static Status add_decoder(Reader *reader, JsonObject step, const char *type)
{
    Replace replace = { 0 };
    Scheme scheme = SCHEME_NEVER;
    Status st = OK;

    reader->steps->decodes = true;
    if (is(type, "ByteFallback")) return OK;
    if (is(type, "Strip")) return add_strip(reader, step);
    if (is(type, "Metaspace")) {
        st = read_metaspace(reader, step, "decoder", &scheme);
        if (scheme != SCHEME_NEVER) reader->steps->start = SP_START_PIECE;
    } else if (is(type, "Fuse")) {
        reader->fuses = true;
    } else if (is(type, "Replace")) {
        st = read_replace(reader, step, &replace);
        reader->unescapes = is(replace.string, SP_SPACE) && is(replace.content, " ");
        if (st == OK && !reader->unescapes) st = refuse(reader, "decoder", type, "");
    } else {
        st = refuse(reader, "decoder", type, "");
    }
    return st;
}

/* Reads one of the three members; null means that it has no steps. */
static Status read_part(Reader *reader, JsonObject root, const char *key, const char *list, StepFn each)
{
    const cJSON *node = json_member(root, key);

    return node ? walk(reader, node, key, list, each) : OK;
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
    st = read_part(&reader, top, "normalizer", "normalizers", add_normalizer);
    if (st == OK) st = read_part(&reader, top, "pre_tokenizer", "pretokenizers", add_pre_tokenizer);
    if (st == OK) st = read_part(&reader, top, "decoder", "decoders", add_decoder);
    if (st != OK) return st;
    if (!reader.escapes) {
        return err_set(err, ERR_UNSUPPORTED,
                       "%s: no step replaces spaces by U+2581 (Metaspace), so the model is not from SentencePiece",
                       path);
    }
    if (reader.strips && !out->remove_extra_whitespaces)
        return refuse(&reader, "normalizer", "Strip", " without joining spaces");
    out->space_before_added = space_before_added(&reader);
    return OK;
}

void json_steps_free(JsonSteps *steps)
{
    buf_free(&steps->charsmap);
    *steps = (JsonSteps){ 0 };
}
