/* tokenizer_json.c - see tokenizer_json.h.
 * Writes the pieces with their types and scores (json_pieces.c, json_merges.c) and the steps around the model
 * (json_steps.c) as a SentencePiece model (sp_build.c), and opens it like one from a file. The same code then
 * normalizes, encodes and decodes texts. */
#include "tokenizer_json.h"

#include <string.h>

#include "json_pieces.h"
#include "json_steps.h"
#include "sp_build.h"
#include "sp_runs.h"
#include "tree_file.h"

/* The use of spaces in the pieces. */
typedef struct {
    size_t leading, trailing; /* pieces with a space before or after other text */
    bool runs;                /* some piece has two consecutive spaces */
} Spaces;

static Spaces look_at_spaces(const JsonPieces *pieces)
{
    const size_t size = strlen(SP_SPACE);
    Spaces spaces = { 0 };

    for (size_t i = 0; i < pieces->count; i++) {
        const JsonPiece *piece = &pieces->list[i];
        if (piece->type != SP_NORMAL) continue;
        if (strstr(piece->text, SP_SPACE SP_SPACE)) spaces.runs = true;
        if (piece->len <= size) continue;
        if (memcmp(piece->text, SP_SPACE, size) == 0)
            spaces.leading++;
        else if (memcmp(piece->text + piece->len - size, SP_SPACE, size) == 0)
            spaces.trailing++;
    }
    return spaces;
}

static Status build(Buf *model, const JsonPieces *pieces, const SpSettings *settings, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < pieces->count; i++) {
        const JsonPiece *piece = &pieces->list[i];
        st = sp_build_piece(model, piece->text, piece->len, piece->score, piece->type, err);
    }
    return st == OK ? sp_build_settings(model, settings, err) : st;
}

/* Rejects a symbol that the forms change, because it could never be found in a text. */
static Status check_symbols(const JsonPieces *pieces, const NormalForms *forms, Err *err)
{
    Buf formed = { 0 };
    Status st = OK;

    for (size_t i = 0; st == OK && forms->count && i < pieces->count; i++) {
        const JsonPiece *piece = &pieces->list[i];
        if (piece->type != SP_USER_DEFINED) continue;
        buf_clear(&formed);
        st = normal_form_append(forms, piece->text, piece->len, &formed, NULL, err);
        if (st == OK && (formed.len != piece->len || memcmp(formed.data, piece->text, piece->len) != 0)) {
            st = err_set(err, ERR_UNSUPPORTED, "%s: the added token \"%s\" is not in the form of the normalizer",
                         pieces->path, piece->text);
        }
    }
    buf_free(&formed);
    return st;
}

/* Conversions write that spaces are joined for every model. A piece with two consecutive spaces shows that they are
 * not, because no training that joins spaces can produce it. Models with the space after the word
 * (treat_whitespace_as_suffix) are converted as if it came before. */
static Status build_model(Buf *model, const JsonPieces *pieces, const JsonSteps *steps, Err *err)
{
    Spaces spaces = look_at_spaces(pieces);
    SpSettings settings = { .bpe = pieces->bpe,
                            .bytes = pieces->bytes,
                            .add_dummy_prefix = steps->add_dummy_prefix,
                            .remove_extra_whitespaces = steps->remove_extra_whitespaces && !spaces.runs,
                            .charsmap = &steps->charsmap };

    if (steps->add_dummy_prefix && spaces.trailing && !spaces.leading) {
        return err_set(err, ERR_UNSUPPORTED, "%s: pieces with the space after the word are not supported",
                       pieces->path);
    }
    return build(model, pieces, &settings, err);
}

static Status open_vocab(Vocab **out, const JsonPieces *pieces, Err *err)
{
    Status st = vocab_new(out, pieces->path, err);

    for (size_t i = 0; st == OK && i < pieces->count; i++)
        st = vocab_add(*out, pieces->list[i].text, pieces->list[i].len, pieces->list[i].id, err);
    if (st == OK) st = vocab_complete(*out, err);
    for (size_t i = 0; st == OK && i < pieces->count; i++)
        if (pieces->list[i].type == SP_CONTROL || pieces->list[i].type == SP_UNKNOWN)
            vocab_mark_special(*out, pieces->list[i].text);
    return st;
}

/* Reads the tree: everything except the SentencePiece model itself, whose bytes are appended to *model. The quick
 * checks come first. */
static Status read_tree(TokenizerJson *out, Buf *model, JsonSteps *steps, JsonObject root, Err *err)
{
    JsonObject node = { json_member(root, "model"), root.file };
    JsonPieces pieces = { 0 };
    Status st = json_steps_read(steps, root.node, root.file, err);

    if (st == OK) st = json_pieces_read(&pieces, root.node, root.file, err);
    if (st == OK) st = json_post_read(&out->before, &out->after, &pieces, root.node, err);
    if (st == OK && pieces.bpe) st = json_merges_score(&pieces, json_member(node, "merges"), err);
    if (st == OK) st = open_vocab(&out->vocab, &pieces, err);
    if (st == OK) st = check_symbols(&pieces, &steps->forms, err);
    if (st == OK) st = build_model(model, &pieces, steps, err);
    json_pieces_free(&pieces);
    return st;
}

/* Takes ownership of the tree, which is large, and frees it before SentencePiece builds its tables. */
static Status open_tree(TokenizerJson *out, cJSON *root, const char *path, Err *err)
{
    Buf model = { 0 };
    JsonSteps steps;
    Status st = read_tree(out, &model, &steps, (JsonObject){ root, path }, err);

    cJSON_Delete(root);
    if (st == OK) st = sp_shim_open_bytes(&out->sp, (const unsigned char *)model.data, model.len, path, err);
    if (st == OK) sp_shim_set_forms(out->sp, &steps.forms);
    if (st == OK) sp_shim_set_origins(out->sp, steps.origins);
    if (st == OK) sp_shim_set_white_space(out->sp, steps.joins_white_space);
    if (st == OK && steps.decodes) sp_shim_set_start(out->sp, steps.start);
    out->no_space_after_added = steps.no_space_after_added;
    out->space_before_added = steps.space_before_added;
    json_steps_free(&steps);
    buf_free(&model);
    return st;
}

Status tokenizer_json_parse(TokenizerJson *out, const char *text, size_t len, const char *name, Err *err)
{
    cJSON *root;
    Status st = json_parse(&root, text, len, name, err);

    *out = (TokenizerJson){ 0 };
    return st == OK ? open_tree(out, root, name, err) : st;
}

Status tokenizer_json_open(TokenizerJson *out, const FileView *file, Err *err)
{
    cJSON *root;
    Status st = tree_file_parse_json(&root, &file->map, file->path, NULL, err);

    *out = (TokenizerJson){ 0 };
    return st == OK ? open_tree(out, root, file->path, err) : st;
}

void tokenizer_json_free(TokenizerJson *json)
{
    sp_shim_free(json->sp);
    vocab_free(json->vocab);
    ids_free(&json->before);
    ids_free(&json->after);
    *json = (TokenizerJson){ 0 };
}
