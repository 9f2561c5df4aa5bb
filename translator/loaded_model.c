/* loaded_model.c - see loaded_model.h. */
#include "loaded_model.h"

#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "ensemble.h"
#include "family.h"
#include "text_rules.h"
#include "source_languages.h"
#include "target_text.h"

/* Used if neither the model nor its tokenizer has a limit. */
#define DEFAULT_LIMIT 512

/* Fewer tokens than embeddings are usual: T5, NLLB, M2M-100 and Firefox's models round up. Vocabularies that name no
 * model, those of tutorials, are also refused if they are too short (tutorial.c). */
static Status check_vocabulary(const char *folder, const char *side, size_t needed, size_t rows, Err *err)
{
    if (needed <= rows) return OK;
    return err_set(err, ERR_FORMAT,
                   "%s: the tokenizer's %s vocabulary has %zu ids, but the model has only %zu embeddings", folder, side,
                   needed, rows);
}

static Status open_tokenizer(LoadedModel *o, const DragomanOptions *options, Err *err)
{
    const ModelConfig *config = &o->config;
    Err fault = { "" };
    Status st = config->vocab_files.source
                    ? tokenizer_open_files(&o->tokenizer, o->files, config->vocab_files.source,
                                           config->vocab_files.target, options->from, options->to, err)
                    : tokenizer_open(&o->tokenizer, o->files, config->family->name, options->from, options->to, err);

    /* If a folder has neither tokenizer files nor weights, the message is about the weights. */
    if (st == ERR_IO) {
        const Status other = model_check_weights(o->files, &fault);
        if (other != OK) st = err_set(err, other, "%s", fault.text);
    }
    if (st == OK) st = tokenizer_check_added(o->tokenizer, o->folder, config->encoder.vocab, err);
    if (st != OK) return st;
    st = check_vocabulary(o->folder, "source", tokenizer_facts(o->tokenizer)->source_vocab, config->encoder.vocab, err);
    if (st != OK) return st;
    return check_vocabulary(o->folder, "target", tokenizer_facts(o->tokenizer)->target_vocab, config->decoder.vocab,
                            err);
}

/* Adopts the tokens that begin and end a translation: the target language goes before the first tokens of the model, and
 * the end token of the vocabulary is used if the model does not name one. Models with separate vocabulary files also take
 * their start and unknown tokens from there. With DRAGOMAN_FROM_LINES, lines come with their languages; any language then
 * completes the tokenizer. */
static Status adopt_ends(LoadedModel *o, const DragomanOptions *options, Err *err)
{
    Tokenizer *tokenizer = o->tokenizer;
    SearchParams *search = &o->settings.search;
    const int32_t eos = tokenizer_facts(tokenizer)->target_end, unk = tokenizer_facts(tokenizer)->target_unknown;
    int32_t start, bos, largest;
    Status st = OK;

    if (options->from_lines &&
        !(tokenizer_facts(tokenizer)->chooses_source && tokenizer_facts(tokenizer)->language_count))
        return err_set(err, ERR_USAGE,
                       SETTING(FROM_LINES) " can only be used with a model that has several source languages to choose "
                                           "from; leave it out");
    if (options->from_lines && !options->from)
        st = tokenizer_set_source(tokenizer, tokenizer_facts(tokenizer)->languages[0].name, err);
    if (st == OK && !search->eos.len) {
        st = ids_append(&search->eos, eos, err);
    } else if (st == OK && o->config.vocab_files.source) {
        search->start = search->eos.data[0] = eos;
        if (!search->allow_unk) st = ids_append(&search->suppress, unk, err);
    }
    if (st != OK) return st;
    start = tokenizer_facts(tokenizer)->decoder_start;
    bos = tokenizer_facts(tokenizer)->forced_bos;
    largest = start > bos ? start : bos;
    if (largest >= 0 && (size_t)largest >= o->config.decoder.vocab)
        return err_set(err, ERR_FORMAT,
                       "%s: the target language has id %d, but the last embedding of the model has id %zu", o->folder,
                       (int)largest, o->config.decoder.vocab - 1);
    if (start >= 0) search->start = start;
    if (bos >= 0) search->forced_bos = bos;
    return OK;
}

Status loaded_model_check_languages(const LoadedModel *o, const DragomanOptions *options, Err *err)
{
    bool complete = options->pieces_in && tokenizer_facts(o->tokenizer)->pieces_are_complete;
    Status st = complete ? OK : tokenizer_check_languages(o->tokenizer, err);

    if (st == OK && !(options->pieces_in && options->pieces_out)) st = tokenizer_check_text(o->tokenizer, err);
    if (st != OK || o->settings.search.start >= 0) return st;
    return err_set(err, ERR_FORMAT,
                   "%s/config.json: decoder_start_token_id is missing (in folders of CTranslate2: decoder_start_token)",
                   o->folder);
}

static Status add_warning(LoadedModel *o, const char *text, const DragomanOptions *options, Err *err)
{
    Err line;

    if (!text) return OK;
    (void)err_set(&line, OK, "%s", text); /* sanitizes the names, which come from files */
    (void)option_fields_name(&line, options->spelling);
    buf_put_format(&o->warnings, "%s\n", line.text);
    return buf_check(&o->warnings, err);
}

/* Encodes the prefix, and warns of text that translations will not begin with. */
static Status encode_prefix(LoadedModel *o, const DragomanOptions *options, Err *err)
{
    const SearchParams *search = &o->settings.search;
    TargetPrefix prefix = { .pieces = options->pieces_out, .name = SETTING(PREFIX) };
    Buf decoded = { 0 }, warning = { 0 };
    PrefixFacts facts = { 0 };
    const int32_t *ids;
    size_t count;
    bool is_spelled = true;
    Status st;

    if (!options->prefix) return OK;
    prefix.text = (LineText){ options->prefix, strlen(options->prefix) };
    buf_put(&o->prefix_text, prefix.text.data, prefix.text.len);
    st = buf_check(&o->prefix_text, err);
    if (st == OK) st = target_prefix_encode(&o->prefix, &facts, &prefix, o->tokenizer, search, err);
    if (st != OK) return st;
    ids = o->prefix.data ? o->prefix.data + facts.added : NULL;
    count = o->prefix.len - facts.added;
    if (!prefix.pieces && facts.has_unknown)
        buf_put_text(
            &warning,
            "the prefix contains text that the model's vocabulary does not have; it becomes the unknown token");
    else if (!prefix.pieces)
        st = spelling_check(&is_spelled, o->tokenizer, ids, count, prefix.text.data, prefix.text.len, err);
    if (st == OK && !is_spelled) {
        st = tokenizer_decode(o->tokenizer, ids, count, &decoded, NULL, err);
        buf_put_format(&warning,
                       "the prefix contains characters that the model's tokenizer replaces; it becomes \"%s\"",
                       decoded.data ? decoded.data : "");
    }
    if (st == OK) st = buf_check(&warning, err);
    if (st == OK) st = add_warning(o, warning.data, options, err);
    buf_free(&decoded);
    buf_free(&warning);
    return st == OK ? target_prefix_check_room(&o->prefix, prefix.name, search, err) : st;
}

static bool is_on(Switch given, bool by_default)
{
    return given == SWITCH_ON || (given == SWITCH_AUTO && by_default);
}

/* How the text of a sentence is treated, which pieces do not have. */
static Status adopt_treatments(LoadedModel *o, const DragomanOptions *options, Err *err)
{
    const bool has_text = !options->pieces_in && !options->pieces_out;
    const bool words = tokenizer_facts(o->tokenizer)->source_is_words;

    if (options->keep_unknown == SWITCH_ON && words)
        return err_set(err, ERR_USAGE,
                       SETTING(KEEP_UNKNOWN) " cannot be used with this model: its vocabulary is a list of words");
    /* A forbidden text may differ from what the model writes in nothing but capitals. */
    o->capitals = has_text && !o->texts && is_on(options->capitals, o->config.lower_capitals);
    /* A list of words has no pieces that would show which characters it has. */
    o->keeps_unknown = has_text && !words && is_on(options->keep_unknown, o->config.keep_unknown);
    o->keeps_numbers = has_text && is_on(options->keep_numbers, o->config.keep_numbers);
    return OK;
}

static int32_t source_id(const void *context, const char *piece, size_t len)
{
    return tokenizer_find_source(context, piece, len);
}

static int32_t target_id(const void *context, const char *piece, size_t len)
{
    return tokenizer_find_target(context, piece, len);
}

/* The user's limits have priority. The limits of the model are for the model's own shortlist. */
static Status open_shortlist(LoadedModel *o, const DragomanOptions *options, Err *err)
{
    const ModelConfig *config = &o->config;
    const char *path = options->shortlist ? options->shortlist : config->shortlist.path;
    ShortlistLimits limits = { .first = options->shortlist_first, .best = options->shortlist_best };
    ShortlistVocabulary vocabulary = {
        .source_size = config->encoder.vocab,
        .target_size = config->decoder.vocab,
        .source_used = tokenizer_facts(o->tokenizer)->source_vocab,
        .shared = config->embedding.shared && config->encoder.vocab == config->decoder.vocab,
        .unknown = tokenizer_facts(o->tokenizer)->target_unknown,
        .context = o->tokenizer,
        .source_id = source_id,
        .target_id = target_id,
    };

    if (!path) return OK;
    o->shortlist_path = strdup(path);
    if (!o->shortlist_path) return err_memory(err, "a path");
    if (!options->shortlist && config->shortlist.has_limits && limits.first < 0 && limits.best < 0)
        limits = (ShortlistLimits){ config->shortlist.first, config->shortlist.best, .lexical_only = true };
    return shortlist_open(&o->shortlist, path, &vocabulary, limits, err);
}

/* --- Tokens and texts that are forbidden, and those that end a translation. */

#define SPACES " \t\v\f\r"

static Status find_piece(const LoadedModel *o, const char *setting, LineText piece, int32_t *id, Err *err)
{
    *id = tokenizer_find_target(o->tokenizer, piece.data, piece.len);
    if (*id >= 0 && (size_t)*id < o->config.decoder.vocab) return OK;
    return err_set(err, ERR_USAGE, "%s: \"%.*s\" is not a piece of the model's vocabulary", setting,
                   (int)(piece.len < 200 ? piece.len : 200), piece.data);
}

/* Appends a sequence of pieces as a run: length, ids... */
static Status add_run(LoadedModel *o, const char *text, Err *err)
{
    IdList *runs = &o->settings.search.bad_runs;
    const size_t head = runs->len;
    Status st = ids_append(runs, 0, err);

    for (size_t size; st == OK && *(text += strspn(text, SPACES)); text += size) {
        int32_t id;
        size = strcspn(text, SPACES);
        st = find_piece(o, SETTING(SUPPRESS), (LineText){ text, size }, &id, err);
        if (st == OK) st = ids_append(runs, id, err);
    }
    if (st != OK) return st;
    if (runs->len == head + 1) return err_set(err, ERR_USAGE, SETTING(SUPPRESS) ": no piece is given");
    runs->data[head] = (int32_t)(runs->len - head - 1);
    return OK;
}

/* Applies DRAGOMAN_SUPPRESS, DRAGOMAN_DISABLE_UNK, DRAGOMAN_END_TOKEN, the model's stop texts and the rules for its byte
 * pieces. The model's own end tokens are known by then. Returns ERR_USAGE for a piece that the vocabulary does not
 * have. */
static Status adopt_tokens(LoadedModel *o, const DragomanOptions *options, Err *err)
{
    const int32_t unknown = tokenizer_facts(o->tokenizer)->target_unknown;
    const size_t vocab = o->config.decoder.vocab;
    const TextList *ends = &options->end_tokens;
    SearchParams *search = &o->settings.search;
    Buf forbidden = { 0 };
    Status st = OK;

    if (options->disable_unk && unknown >= 0 && (size_t)unknown < vocab)
        st = ids_append(&search->suppress, unknown, err);

    /* The given tokens alone end a translation: none is forced at the maximal length, as in CTranslate2. */
    o->end = -1;
    if (st == OK && ends->count) {
        o->end = search->eos.data[0];
        ids_clear(&search->eos);
        ids_clear(&search->forced_eos);
    }
    for (size_t i = 0; st == OK && i < ends->count; i++) {
        int32_t id;
        st = find_piece(o, SETTING(END_TOKEN), (LineText){ ends->items[i], strlen(ends->items[i]) }, &id, err);
        if (st == OK) st = ids_append(&search->eos, id, err);
    }
    for (size_t i = 0; st == OK && i < options->suppressed.count; i++) {
        const char *item = options->suppressed.items[i];
        if (options->pieces_out)
            st = add_run(o, item, err);
        else if (*item)
            buf_put(&forbidden, item, strlen(item) + 1); /* with the byte 0 that ends it */
        else
            st = err_set(err, ERR_USAGE, SETTING(SUPPRESS) ": the text is empty");
    }
    if (st == OK) st = buf_check(&forbidden, err);
    if (st == OK && (forbidden.len || o->config.stops.len)) {
        /* What each token of the model adds to a text. */
        TokenBytes tokens = { .ends = calloc(vocab, sizeof *tokens.ends), .vocab = vocab };
        if (!tokens.ends) st = err_memory(err, "the texts of tokens");
        for (size_t i = 0; st == OK && i < vocab; i++) {
            st = tokenizer_target_append(o->tokenizer, (int32_t)i, &tokens.bytes, err);
            tokens.ends[i] = tokens.bytes.len;
        }
        if (st == OK)
            st = text_rules_new(&o->texts, &tokens, &forbidden, &o->config.stops, err);
        else
            token_bytes_free(&tokens);
        search->texts = o->texts;
    }
    buf_free(&forbidden);
    if (st != OK || !o->config.valid_utf8) return st;

    /* Other models, which are compared with their reference, may write invalid UTF-8. */
    o->utf8 = calloc(1, sizeof *o->utf8);
    if (!o->utf8) return err_memory(err, "the byte pieces");
    for (int byte = 0x80; byte <= 0xff; byte++) {
        const int32_t id = tokenizer_target_byte(o->tokenizer, (unsigned char)byte);
        if (id >= 0 && (size_t)id < vocab) utf8_rules_add(o->utf8, id, (unsigned char)byte);
    }
    if (o->utf8->count) search->utf8 = o->utf8;
    return OK;
}

/* --- Opening. */

Status loaded_model_read_head(LoadedModel *out, const DragomanOptions *options, Err *err)
{
    Status st = option_fields_check_model(options, err);
    const char *task = NULL;
    Buf warning = { 0 };

    /* The caller may have opened the files. */
    if (st == OK && !out->files) st = ensemble_find(&out->paths, &out->weights, &out->files, options, err);
    if (st == OK && !out->folder) {
        out->folder = strdup(model_folder_path(out->files));
        if (!out->folder) st = err_memory(err, "a path");
    }
    if (st == OK) st = model_config_read(&out->config, out->files, options->vocabs, err);
    if (st == OK && !options->skip_calibration)
        st = loaded_calibration_read(&out->calibration, out->files, options->calibration, &out->config, err);
    if (st == OK) st = open_tokenizer(out, options, err);
    if (st == OK) task = tokenizer_facts(out->tokenizer)->task;
    if (task) st = generation_config_adopt_task(&out->config.search, out->files, task, &out->config, err);
    if (st == OK) st = settings_merge(&out->settings, options, &out->config, err);
    if (st == OK && options->prefer_precision && model_folder_is_packed(out->files))
        out->settings.precision = PRECISION_AUTO;
    /* Many models leave the length to the programs that use them, above all those of T5. */
    if (st == OK && out->settings.search.length_is_default) {
        buf_put_format(&warning,
                       "%s: translations end after %zu tokens, because max_length is the default of transformers; "
                       "set another limit with " SETTING(MAX_LENGTH),
                       out->folder, out->settings.search.max_length);
        st = buf_check(&warning, err);
        if (st == OK) st = add_warning(out, warning.data, options, err);
        buf_free(&warning);
    }
    if (st == OK) st = adopt_ends(out, options, err);
    if (st == OK) st = adopt_tokens(out, options, err);
    if (st == OK) st = encode_prefix(out, options, err);
    if (st == OK) out->limit = out->config.positions.max_source;
    if (st == OK && !out->limit) out->limit = out->config.positions.max;
    if (st == OK && !out->limit) out->limit = tokenizer_facts(out->tokenizer)->model_max_length;
    if (st == OK && !out->limit) out->limit = DEFAULT_LIMIT;
    out->crops = options->crop;
    if (st == OK) st = source_languages_tag(out->source_language, out->tokenizer, options->from, err);
    if (st == OK && options->split != SWITCH_OFF && !options->pieces_in) { /* pieces are never split into sentences */
        out->splits_asked_only = options->split == SWITCH_AUTO && !out->config.split_sentences;
        st = sentences_new(&out->sentences, out->source_language, err);
    }
    if (st == OK) st = adopt_treatments(out, options, err);
    if (st == OK) st = open_shortlist(out, options, err);
    if (out->files) st = model_folder_check(out->files, st, err);
    if (out->files) model_folder_forget_trees(out->files);
    return st;
}

Status loaded_model_read_weights(LoadedModel *o, Err *err)
{
    Status st = model_open(&o->model, o->files, &o->config, o->settings.precision, err);

    model_folder_close(o->files);
    o->files = NULL;
    return st;
}

/* The weights may have fewer or more positions than config.json implies. The user's limit may be lower than that of the
 * model. */
Status loaded_model_adopt_weights(LoadedModel *o, const DragomanOptions *options, Err *err)
{
    SearchParams *search = &o->settings.search;
    const size_t positions = model_positions(o->model);
    Status st = OK;

    for (const Model *model = o->model; st == OK && model; model = model_next(model))
        st = add_warning(o, model_warning(model), options, err);
    /* Who uses no calibration does not pay for its check. */
    if (st == OK && (options->calibration || options->attention || options->confidence))
        st = loaded_calibration_check(&o->calibration, o->model, o->tokenizer, err);
    if (st != OK) return st;
    if (positions && (!o->limit || o->limit > positions || !model_config(o->model)->positions.max_source))
        o->limit = positions;
    if (positions && search->max_length > positions) {
        if (options->max_length)
            return err_set(err, ERR_USAGE, SETTING(MAX_LENGTH) " %zu exceeds the model's %zu positions",
                           options->max_length, positions);
        search->max_length = positions;
        st = target_prefix_check_room(&o->prefix, SETTING(PREFIX), search, err);
    }
    if (st != OK || !options->max_input) return st;
    if (options->max_input < DRAGOMAN_LEAST_INPUT)
        return err_set(err, ERR_USAGE, SETTING(MAX_INPUT) " %zu: the minimum is %d tokens", options->max_input,
                       DRAGOMAN_LEAST_INPUT);
    if (options->max_input > o->limit)
        return err_set(err, ERR_USAGE, SETTING(MAX_INPUT) " %zu exceeds the %zu tokens that the model accepts",
                       options->max_input, o->limit);
    o->limit = options->max_input;
    return OK;
}

void loaded_model_reset(LoadedModel *loaded)
{
    const LoadedModel kept = {
        .paths = loaded->paths, .weights = loaded->weights, .folder = loaded->folder, .files = loaded->files
    };

    model_free(loaded->model);
    shortlist_free(loaded->shortlist);
    free(loaded->shortlist_path);
    sentences_free(loaded->sentences);
    tokenizer_free(loaded->tokenizer);
    ids_free(&loaded->prefix);
    buf_free(&loaded->prefix_text);
    settings_free(&loaded->settings);
    text_rules_free(loaded->texts);
    free(loaded->utf8);
    loaded_calibration_free(&loaded->calibration);
    model_config_free(&loaded->config);
    buf_free(&loaded->warnings);
    *loaded = kept;
}

void loaded_model_close(LoadedModel *loaded)
{
    loaded_model_reset(loaded);
    model_folder_close(loaded->files);
    free(loaded->folder);
    free(loaded->paths);
    free(loaded->weights);
    *loaded = (LoadedModel){ 0 };
}
