/* tokenizer.c - see tokenizer.h: opens the tokenizer of a model by the template of its family, decodes and answers
 * queries. tokenizer_encode.c encodes texts. Both files serve all families: they read only the fields of struct
 * Tokenizer (template.h), which a family's row of the table fills. */
#include "tokenizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sp_model.h"
#include "template.h"
#include "text.h"
#include "utf8.h"

void tokenizer_free(Tokenizer *tokenizer)
{
    if (!tokenizer) return;
    if (tokenizer->target_sp != tokenizer->source_sp) sp_shim_free(tokenizer->target_sp);
    sp_shim_free(tokenizer->source_sp);
    if (tokenizer->target != tokenizer->source) vocab_free(tokenizer->target);
    vocab_free(tokenizer->source);
    for (size_t i = 0; i < tokenizer->facts.language_count; i++) {
        TokenizerLanguage *language = &tokenizer->facts.languages[i];
        free(language->name);
        free(language->prefix);
        free(language->from);
        free(language->task);
        free(language->title);
        free(language->chinese);
    }
    free(tokenizer->facts.languages);
    ids_free(&tokenizer->facts.stops);
    buf_free(&tokenizer->facts.stop_texts);
    prompt_free(tokenizer->prompt);
    free(tokenizer->cannot_tokenize);
    ids_free(&tokenizer->before);
    ids_free(&tokenizer->before_target);
    ids_free(&tokenizer->after);
    ids_free(&tokenizer->pieces_before);
    ids_free(&tokenizer->pieces_after);
    added_free(tokenizer->added);
    moses_free(tokenizer->steps.moses);
    token_config_free(&tokenizer->config);
    free(tokenizer);
}

/* The first row that matches is used. */
static const TokenizerTemplate templates[] = {
    { "marian", NULL, marian_open_tokenizer },
    { "m2m_100", "NllbTokenizer", fairseq_open_nllb },
    { "m2m_100", "SMALL100Tokenizer", m2m_open_small100 },
    { "m2m_100", "M2M100Tokenizer", m2m_open_tokenizer },
    { "m2m_100", NULL, m2m_open_any },
    { "seamless_m4t", NULL, fairseq_open_seamless },
    { "seamless_m4t_v2", NULL, fairseq_open_seamless },
    { "mbart", "MBartTokenizer", fairseq_open_mbart },
    { "mbart", "MBart50Tokenizer", fairseq_open_mbart50 },
    { "mbart", "NllbTokenizer", fairseq_open_nllb },
    { "mbart", "BarthezTokenizer", bart_open_barthez },
    { "mbart", "XLMRobertaTokenizer", fairseq_open_roberta },
    { "mbart", "", fairseq_open_any_mbart },
    { "mbart", NULL, bart_open_unknown },
    { "bart", "MBartTokenizer", fairseq_open_mbart },
    { "bart", "MBart50Tokenizer", fairseq_open_mbart50 },
    { "bart", "BarthezTokenizer", bart_open_barthez },
    { "bart", "XLMRobertaTokenizer", fairseq_open_roberta },
    { "bart", NULL, bart_open_unknown },
    { "t5", "ByT5Tokenizer", t5_open_byt5 },
    { "t5", "RobertaTokenizer", bart_open_unknown }, /* CodeT5 */
    { "t5", NULL, t5_open_tokenizer },
    { "mt5", NULL, t5_open_tokenizer },
    { "umt5", NULL, t5_open_tokenizer },
    { "fsmt", NULL, fsmt_open_tokenizer },
    { "IndicTrans", NULL, indictrans_open_tokenizer },
    { "transformer", NULL, tutorial_open_tokenizer },
    { "ctranslate2", NULL, ct2_open_tokenizer },
    { "llama", NULL, prompt_open_tokenizer },
    { "mistral", NULL, prompt_open_tokenizer },
    { "qwen2", NULL, prompt_open_tokenizer },
    { "qwen3", NULL, prompt_open_tokenizer },
    { "gemma2", NULL, prompt_open_tokenizer },
    { "gemma3", NULL, prompt_open_tokenizer },
    { "gemma3_text", NULL, prompt_open_tokenizer },
    { "hunyuan_v1_dense", NULL, prompt_open_tokenizer },
    { "t5gemma", NULL, prompt_open_tokenizer },
};
#define TEMPLATES (sizeof templates / sizeof *templates)

/* Opens a tokenizer with the function of a family. */
static Status open_tokenizer(Tokenizer **out, Opening *o, void (*open)(Opening *o))
{
    Tokenizer *t = calloc(1, sizeof *t);
    TokenizerFacts *facts;

    *out = NULL;
    if (!t) return err_memory(o->err, "the tokenizer");
    IdList *lists[] = { &t->before, &t->after, &t->before_target, &t->pieces_before, &t->pieces_after };
    facts = &t->facts;
    facts->decoder_start = facts->forced_bos = facts->target_end = -1;
    o->tokenizer = t;
    open(o);
    for (size_t i = 0; o->status == OK && i < sizeof lists / sizeof *lists; i++)
        o->status = LIST_CHECK(lists[i], "a list of ids", o->err);
    if (o->status == OK && t->source_sp)
        o->status = added_new(&t->added, &t->config, t->source_sp, t->space_before_added, o->err);
    if (o->status != OK) {
        tokenizer_free(t);
        return o->status;
    }
    for (size_t i = 0; i < t->config.special_count; i++) {
        vocab_mark_special(t->source, t->config.special[i]);
        vocab_mark_special(t->target, t->config.special[i]);
    }
    facts->source_vocab = vocab_size(t->source);
    facts->target_vocab = vocab_size(t->target);
    facts->model_max_length = t->config.model_max_length;
    facts->source_is_words = !t->source_sp;
    facts->target_is_words = !t->target_sp;
    facts->source_spells = t->source_sp && (t->source_sp->traits.bytes || t->source_sp->traits.byte_level);
    facts->task = t->to ? t->to->task : NULL;
    *out = t;
    return OK;
}

Status tokenizer_open(Tokenizer **out, ModelFolder *folder, const char *model_type, const char *from, const char *to,
                      const char *prompt, Err *err)
{
    Opening o = { .folder = folder, .from = from, .to = to, .prompt = prompt, .model_type = model_type, .err = err };
    const TokenizerTemplate *row = templates;
    char *class_name;
    Status st = token_config_class(&class_name, folder, err);

    *out = NULL;
    while (st == OK && row < templates + TEMPLATES &&
           (strcmp(row->model_type, model_type) != 0 ||
            (row->class_name && strcmp(row->class_name, class_name ? class_name : "") != 0)))
        row++;
    free(class_name);
    if (st != OK) return st;
    if (row == templates + TEMPLATES)
        return err_set(err, ERR_UNSUPPORTED, "%s: no tokenizer for models of type \"%s\"", model_folder_path(folder),
                       model_type);
    return open_tokenizer(out, &o, row->open);
}

Status tokenizer_open_files(Tokenizer **out, ModelFolder *folder, const char *source, const char *target,
                            const char *from, const char *to, Err *err)
{
    Opening o = { .folder = folder, .from = from, .to = to, .source = source, .target = target, .err = err };

    return open_tokenizer(out, &o, marian_open_files);
}

const TokenizerFacts *tokenizer_facts(const Tokenizer *tokenizer)
{
    return &tokenizer->facts;
}

Status tokenizer_check_languages(const Tokenizer *tokenizer, Err *err)
{
    return tokenizer->missing_language ? template_language_error(tokenizer, tokenizer->missing_language, err) : OK;
}

static const char *piece_of(const Tokenizer *tokenizer, const VocabEntry *entry)
{
    if (entry) return entry->piece;
    return tokenizer->config.unk ? tokenizer->config.unk : "<unk>";
}

const char *tokenizer_source_piece(const Tokenizer *tokenizer, int32_t id)
{
    return piece_of(tokenizer, vocab_entry(tokenizer->source, id));
}

bool tokenizer_source_is_special(const Tokenizer *tokenizer, int32_t id)
{
    const VocabEntry *entry = vocab_entry(tokenizer->source, id);

    return !entry || entry->special;
}

/* transformers recognizes special tokens by their ids in the source vocabulary and by their strings, even if the
 * target has its own vocabulary. */
static const VocabEntry *target_entry(const Tokenizer *tokenizer, int32_t id)
{
    const VocabEntry *entry = tokenizer->own_specials ? NULL : vocab_entry(tokenizer->source, id);

    return entry && entry->special ? entry : vocab_entry(tokenizer->target, id);
}

const char *tokenizer_target_piece(const Tokenizer *tokenizer, int32_t id)
{
    return piece_of(tokenizer, target_entry(tokenizer, id));
}

static const char *spelling(const SpModel *model, const char *piece)
{
    return model ? sp_piece_spelling(&model->traits, piece) : piece;
}

const char *tokenizer_source_spelling(const Tokenizer *tokenizer, int32_t id)
{
    return spelling(tokenizer->source_sp, tokenizer_source_piece(tokenizer, id));
}

const char *tokenizer_target_spelling(const Tokenizer *tokenizer, int32_t id)
{
    return spelling(tokenizer->target_sp, tokenizer_target_piece(tokenizer, id));
}

bool tokenizer_target_is_special(const Tokenizer *tokenizer, int32_t id)
{
    const VocabEntry *entry = target_entry(tokenizer, id);

    return !entry || entry->special;
}

/* --- Turns the pieces of a translation into text. --- */

/* The pieces that are decoded, and their ranges. */
typedef struct {
    const SpModel *model;
    const char *const *pieces; /* [count] */
    size_t count;
    Range *ranges; /* [count], or NULL: not asked for */
} Pieces;

static size_t limit(size_t at, size_t first, size_t end)
{
    return at < first ? first : at > end ? end : at;
}

/* Adjusts the ranges of the pieces after text[begin, end) was copied to `to`. */
static void move_ranges(const Pieces *p, size_t begin, size_t end, size_t to)
{
    for (size_t i = 0; p->ranges && i < p->count; i++) {
        Range *range = &p->ranges[i];
        *range = (Range){ limit(range->begin, begin, end) - begin + to, limit(range->end, begin, end) - begin + to };
    }
}

/* Returns where byte `at` will be once space symbols are spaces. *from and *lost are the state of the scan of the
 * text: its position, and the number of bytes lost before it. */
static size_t spaced_place(const Buf *text, size_t at, size_t *from, size_t *lost)
{
    while (*from < at) {
        const bool symbol = *from + 3 <= text->len && memcmp(text->data + *from, SP_SPACE, 3) == 0;
        *from += symbol ? 3 : 1;
        *lost += symbol ? 2 : 0;
    }
    return *from - *lost;
}

/* The byte of a piece "<0x00>" to "<0xFF>"; -1 if it is another piece, or the model has no byte pieces. */
static int byte_of(const SpModel *model, const char *piece)
{
    return model && model->traits.bytes ? sp_byte_of(piece, strlen(piece)) : -1;
}

/* Concatenates the pieces. Consecutive byte pieces are decoded together; the first piece loses its space symbols
 * unless `all_spaces`. */
static Status join(const Pieces *p, bool all_spaces, Buf *out, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < p->count;) {
        const char *piece = p->pieces[i];
        const size_t begin = out->len;
        size_t bytes = 0;
        while (i + bytes < p->count && byte_of(p->model, p->pieces[i + bytes]) >= 0) bytes++;
        if (bytes) {
            st = sp_decode(&p->model->traits, p->pieces + i, bytes, out, p->ranges ? p->ranges + i : NULL, err);
            i += bytes;
            continue;
        }
        buf_put_replaced(out, piece, strlen(piece), SP_SPACE, i == 0 && !all_spaces ? "" : " ");
        st = buf_check(out, err);
        if (p->ranges) p->ranges[i] = (Range){ begin, out->len };
        i++;
    }
    return st;
}

static Status decode_pieces(DecodeStyle style, const Pieces *p, Buf *out, Err *err)
{
    const SpStart start = style == DECODE_METASPACE ? p->model->traits.start : SP_START_KEPT;
    Buf decoded = { 0 }, text = { 0 };
    size_t begin = 0, end;
    Status st;

    if (style == DECODE_WORDS) {
        for (size_t i = 0; i < p->count; i++) {
            buf_put_format(out, "%s%s", i ? " " : "", p->pieces[i]);
            if (p->ranges) p->ranges[i] = (Range){ out->len - strlen(p->pieces[i]), out->len };
        }
        return buf_check(out, err);
    }
    if (style == DECODE_PLAIN) return sp_decode(&p->model->traits, p->pieces, p->count, out, p->ranges, err);
    if (style == DECODE_METASPACE && start != SP_START_SPACE) return join(p, start == SP_START_KEPT, out, err);
    if (style == DECODE_METASPACE || style == DECODE_JOINED)
        st = join(p, true, &text, err);
    else
        st = sp_decode(&p->model->traits, p->pieces, p->count, style == DECODE_STRIPPED ? &text : &decoded, p->ranges,
                       err);
    if (st == OK && decoded.len) {
        /* Replace space symbols, which remain in pieces that SentencePiece does not know, and move the ranges. */
        size_t from = 0, lost = 0;
        for (size_t i = 0; p->ranges && i < p->count; i++) {
            p->ranges[i].begin = spaced_place(&decoded, p->ranges[i].begin, &from, &lost);
            p->ranges[i].end = spaced_place(&decoded, p->ranges[i].end, &from, &lost);
        }
        buf_put_replaced(&text, decoded.data, decoded.len, SP_SPACE, " ");
        st = buf_check(&text, err);
    }
    /* Leave out one space at the beginning, or the white space at both ends. */
    end = text.len;
    if (text.len && style == DECODE_METASPACE) {
        begin = *text.data == ' ';
    } else if (text.len) {
        begin = utf8_leading_space(text.data, text.len);
        end -= utf8_trailing_space(text.data + begin, text.len - begin);
    }
    move_ranges(p, begin, end, out->len);
    if (text.len) buf_put(out, text.data + begin, end - begin);
    if (st == OK) st = buf_check(out, err);
    buf_free(&decoded);
    buf_free(&text);
    return st;
}

/* The slow classes decode the text between two added tokens separately, and put a space on both sides of each token. */
Status surface_decode(DecodeStyle style, const SpModel *model, const Added *added, const char *const *pieces,
                      size_t count, Buf *out, Range *ranges, Err *err)
{
    bool parts = added && (style == DECODE_SURFACE || style == DECODE_STRIPPED || style == DECODE_JOINED);
    bool any = false, last;
    size_t next;
    Status st = OK;

    for (size_t i = 0; st == OK && i < count; i = next) {
        Pieces part = { model, pieces + i, 1, ranges ? ranges + i : NULL };
        Buf text = { 0 };
        next = parts ? i : count;
        while (next < count && !added_has(added, pieces[next])) next++;
        last = next == count; /* a space precedes the last text even if that is empty */
        if (next > i) {
            part.count = next - i;
            st = decode_pieces(style, &part, &text, err);
        } else { /* an added token */
            buf_put_text(&text, pieces[i]);
            st = buf_check(&text, err);
            if (part.ranges) *part.ranges = (Range){ 0, text.len };
        }
        next = i + part.count;
        if (any && (text.len || last)) buf_put_byte(out, ' ');
        move_ranges(&part, 0, text.len, out->len);
        if (text.len) buf_put(out, text.data, text.len);
        any = any || text.len;
        buf_free(&text);
    }
    return st == OK ? buf_check(out, err) : st;
}

Status tokenizer_target_append(const Tokenizer *tokenizer, int32_t id, Buf *out, Err *err)
{
    const char *piece = tokenizer_target_piece(tokenizer, id);
    const int byte = byte_of(tokenizer->target_sp, piece);

    if (tokenizer_target_is_special(tokenizer, id)) return OK;
    if (tokenizer->target_sp && tokenizer->target_sp->traits.byte_level)
        byte_level_put(out, piece);
    else if (tokenizer->target_sp && tokenizer->target_sp->traits.moses)
        buf_put_replaced(out, piece, strlen(piece), MOSES_END, " ");
    else if (tokenizer->decode == DECODE_WORDS || added_has(tokenizer->added, piece))
        buf_put_format(out, " %s", piece);
    else if (byte >= 0)
        buf_put_byte(out, (char)byte);
    else
        buf_put_replaced(out, piece, strlen(piece), SP_SPACE, " ");
    return buf_check(out, err);
}

Status tokenizer_decode(const Tokenizer *tokenizer, const int32_t *ids, size_t count, Buf *out, Range *ranges, Err *err)
{
    return tokenizer_decode_replaced(tokenizer, ids, count, NULL, out, ranges, err);
}

Status tokenizer_decode_replaced(const Tokenizer *tokenizer, const int32_t *ids, size_t count, const Buf *replaced,
                                 Buf *out, Range *ranges, Err *err)
{
    const char **pieces = count ? malloc(count * sizeof *pieces) : NULL;
    const size_t begin = out->len;
    size_t kept = 0, at = begin;
    Status st;

    if (!count) return OK;
    if (!pieces) return err_memory(err, "a translation");
    for (size_t i = 0; i < count; i++)
        if (!tokenizer_target_is_special(tokenizer, ids[i])) pieces[kept++] = tokenizer_target_piece(tokenizer, ids[i]);
    st = surface_decode(tokenizer->decode, tokenizer->target_sp, tokenizer->added, pieces, kept, out, ranges, err);
    if (st == OK && ranges) {
        /* The first ranges belong to the pieces: move each one to its id. */
        for (size_t i = count; i > 0; i--)
            if (!tokenizer_target_is_special(tokenizer, ids[i - 1])) ranges[i - 1] = ranges[--kept];
        for (size_t i = 0; i < count; i++) {
            if (tokenizer_target_is_special(tokenizer, ids[i])) ranges[i] = (Range){ at, at };
            at = ranges[i].end;
        }
    }
    if (st == OK && tokenizer->is_indic && tokenizer->to)
        st = indic_text_restore(tokenizer->steps.moses, tokenizer->to->name, replaced, out, begin, ranges, count, err);
    free(pieces);
    return st;
}

Status tokenizer_check_text(const Tokenizer *tokenizer, Err *err)
{
    return tokenizer->cannot_tokenize ? err_set(err, ERR_IO, "%s", tokenizer->cannot_tokenize) : OK;
}

Status tokenizer_check_added(const Tokenizer *tokenizer, const char *folder, size_t rows, Err *err)
{
    for (size_t i = 0; i < tokenizer->config.added_count; i++) {
        const AddedToken *token = &tokenizer->config.added[i];
        if (token->special || (size_t)token->id < rows) continue;
        return err_set(
            err, ERR_FORMAT,
            "%s/%s: the added token \"%s\" has the id %d, but the last embedding of the model has the id %zu", folder,
            token->file, token->text, (int)token->id, rows - 1);
    }
    return OK;
}

const char *tokenizer_source_language(const Tokenizer *tokenizer)
{
    if (tokenizer->to && tokenizer->to->from) return tokenizer->to->from;
    return tokenizer->from ? tokenizer->from->name : tokenizer->config.source_lang;
}

const char *tokenizer_target_title(const Tokenizer *tokenizer)
{
    return tokenizer->to ? tokenizer->to->title : NULL;
}

const char *tokenizer_target_language(const Tokenizer *tokenizer)
{
    if (tokenizer->to) return tokenizer->to->name;
    return tokenizer->facts.language_count ? NULL : tokenizer->config.target_lang;
}

int32_t tokenizer_find_source(const Tokenizer *tokenizer, const char *piece, size_t len)
{
    return vocab_id(tokenizer->source, piece, len);
}

int32_t tokenizer_find_target(const Tokenizer *tokenizer, const char *piece, size_t len)
{
    return vocab_id(tokenizer->target, piece, len);
}

int32_t tokenizer_target_byte(const Tokenizer *tokenizer, unsigned char byte)
{
    char piece[sizeof "<0xFF>"];
    int32_t id;

    if (!tokenizer->target_sp || !tokenizer->target_sp->traits.bytes) return -1;
    (void)snprintf(piece, sizeof piece, "<0x%02X>", byte);
    id = tokenizer_find_target(tokenizer, piece, strlen(piece));
    return id < 0 || tokenizer_target_is_special(tokenizer, id) ? -1 : id;
}

Status tokenizer_word_cost(const Tokenizer *tokenizer, bool target, const char *word, size_t len, float *cost, Err *err)
{
    const SpModel *model = target ? tokenizer->target_sp : tokenizer->source_sp;
    const VocabEntry *entry;

    if (model) return sp_shim_cost(model, word, len, TOKENIZER_UNKNOWN_COST, cost, err);
    entry = vocab_find(target ? tokenizer->target : tokenizer->source, word, len);
    *cost = entry && !entry->special ? 0 : TOKENIZER_UNKNOWN_COST;
    return OK;
}

/* --- Another source language for the same vocabulary. Only its token changes; template_place_source() says where each
 * family puts it. --- */

/* A model without a place for the language token (SMaLL-100) detects the source language itself. */
Status tokenizer_set_source(Tokenizer *tokenizer, const char *language, Err *err)
{
    const TokenizerLanguage *from;
    IdList *list;
    Status st;

    if (!tokenizer->facts.chooses_source)
        return err_set(err, ERR_USAGE, SETTING(FROM) " %s: this model does not choose its source language", language);
    st = template_find_language(tokenizer, SETTING(FROM), language, &from, err);
    if (st != OK || tokenizer->source_place == SOURCE_NOWHERE) return st;
    list = tokenizer->source_place == SOURCE_BEFORE  ? &tokenizer->before
           : tokenizer->source_place == SOURCE_AFTER ? &tokenizer->after
                                                     : NULL;
    if (list && !tokenizer->from) { /* otherwise the token replaces the previous language's token */
        st = ids_append(list, from->id, err);
        if (st != OK) return st;
        for (size_t i = list->len - 1; i > tokenizer->source_index; i--) list->data[i] = list->data[i - 1];
    }
    if (list) list->data[tokenizer->source_index] = from->id;
    tokenizer->from = from;
    if (tokenizer->missing_language)
        tokenizer->missing_language =
            tokenizer->lacks_target ? "no language to translate into: give " SETTING(TO) : NULL;
    return OK;
}

Status tokenizer_view_new(Tokenizer **out, const Tokenizer *tokenizer, const char *language, Err *err)
{
    Tokenizer *view = malloc(sizeof *view);
    Status st;

    *out = NULL;
    if (!view) return err_memory(err, "the tokenizer");
    *view = *tokenizer;
    view->before = view->after = (IdList){ 0 };
    st = ids_append_all(&view->before, tokenizer->before.data, tokenizer->before.len, err);
    if (st == OK) st = ids_append_all(&view->after, tokenizer->after.data, tokenizer->after.len, err);
    if (st == OK) st = tokenizer_set_source(view, language, err);
    if (st == OK)
        *out = view;
    else
        tokenizer_view_free(view);
    return st;
}

void tokenizer_view_free(Tokenizer *view)
{
    if (!view) return;
    ids_free(&view->before);
    ids_free(&view->after);
    free(view);
}
