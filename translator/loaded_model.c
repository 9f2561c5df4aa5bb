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

/* If a folder has neither tokenizer files nor weights, the message is about the weights. */
static Status prefer_weights_fault(ModelFolder *folder, Status st, Err *err)
{
    Err fault = { "" };
    Status other = model_check_weights(folder, &fault);

    return other == OK ? st : err_set(err, other, "%s", fault.text);
}

static Status open_tokenizer(LoadedModel *o, const DragomanOptions *options, Err *err)
{
    const ModelConfig *config = &o->config;
    Status st = config->vocab_files.source
                    ? tokenizer_open_files(&o->tokenizer, o->files, config->vocab_files.source,
                                           config->vocab_files.target, options->from, options->to, err)
                    : tokenizer_open(&o->tokenizer, o->files, config->family->name, options->from, options->to, err);

    if (st == ERR_IO) st = prefer_weights_fault(o->files, st, err);
    if (st == OK) st = tokenizer_check_added(o->tokenizer, o->folder, config->encoder.vocab, err);
    if (st != OK) return st;
    st = check_vocabulary(o->folder, "source", tokenizer_facts(o->tokenizer)->source_vocab, o->config.encoder.vocab,
                          err);
    if (st != OK) return st;
    return check_vocabulary(o->folder, "target", tokenizer_facts(o->tokenizer)->target_vocab, o->config.decoder.vocab,
                            err);
}

/* With DRAGOMAN_FROM_LINES, lines come with their languages; any language then completes the tokenizer. */
static Status complete_source(LoadedModel *o, const DragomanOptions *options, Err *err)
{
    Tokenizer *tokenizer = o->tokenizer;

    if (!options->from_lines) return OK;
    if (!tokenizer_facts(tokenizer)->chooses_source || !tokenizer_facts(tokenizer)->language_count)
        return err_set(err, ERR_USAGE,
                       SETTING(FROM_LINES) " can only be used with a model that has several source languages to choose "
                                           "from; leave it out");
    return options->from ? OK : tokenizer_set_source(tokenizer, tokenizer_facts(tokenizer)->languages[0].name, err);
}

/* Adopts the end token of the vocabulary if the model does not name one. Models with separate vocabulary files also
 * take their start and unknown tokens from there. */
static Status adopt_ends(LoadedModel *o, Err *err)
{
    SearchParams *search = &o->settings.search;
    int32_t eos = tokenizer_facts(o->tokenizer)->target_end, unk;

    if (!search->eos.len) return ids_append(&search->eos, eos, err);
    if (!o->config.vocab_files.source) return OK;
    unk = tokenizer_facts(o->tokenizer)->target_unknown;
    search->start = search->eos.data[0] = eos;
    return search->allow_unk ? OK : ids_append(&search->suppress, unk, err);
}

/* Puts the target language, if the decoder needs one, before the first tokens of the model. */
static Status begin_with_language(LoadedModel *o, Err *err)
{
    int32_t start = tokenizer_facts(o->tokenizer)->decoder_start, bos = tokenizer_facts(o->tokenizer)->forced_bos;
    int32_t largest = start > bos ? start : bos;

    if (largest >= 0 && (size_t)largest >= o->config.decoder.vocab)
        return err_set(err, ERR_FORMAT,
                       "%s: the target language has id %d, but the last embedding of the model has id %zu", o->folder,
                       (int)largest, o->config.decoder.vocab - 1);
    if (start >= 0) o->settings.search.start = start;
    if (bos >= 0) o->settings.search.forced_bos = bos;
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

/* Many models leave the length to the programs that use them, above all those of T5. */
static Status warn_of_default_length(LoadedModel *o, const DragomanOptions *options, Err *err)
{
    Buf text = { 0 };
    Status st;

    if (!o->settings.search.length_is_default) return OK;
    buf_put_format(&text,
                   "%s: translations end after %zu tokens, because max_length is the default of transformers; "
                   "set another limit with " SETTING(MAX_LENGTH),
                   o->folder, o->settings.search.max_length);
    st = buf_check(&text, err);
    if (st == OK) st = add_warning(o, text.data, options, err);
    buf_free(&text);
    return st;
}

/* Warns of text that translations will not begin with. */
static Status check_prefix(LoadedModel *o, LineText text, PrefixFacts facts, const DragomanOptions *options, Err *err)
{
    Buf decoded = { 0 }, warning = { 0 };
    bool is_spelled;
    const int32_t *ids = o->prefix.data ? o->prefix.data + facts.added : NULL;
    const size_t count = o->prefix.len - facts.added;
    Status st;

    if (facts.has_unknown)
        return add_warning(
            o, "the prefix contains text that the model's vocabulary does not have; it becomes the unknown token",
            options, err);
    st = spelling_check(&is_spelled, o->tokenizer, ids, count, text.data, text.len, err);
    if (st != OK || is_spelled) return st;
    st = tokenizer_decode(o->tokenizer, ids, count, &decoded, NULL, err);
    if (st == OK)
        buf_put_format(&warning,
                       "the prefix contains characters that the model's tokenizer replaces; it becomes \"%s\"",
                       decoded.data ? decoded.data : "");
    if (st == OK) st = buf_check(&warning, err);
    if (st == OK) st = add_warning(o, warning.data, options, err);
    buf_free(&decoded);
    buf_free(&warning);
    return st;
}

static Status encode_prefix(LoadedModel *o, const DragomanOptions *options, Err *err)
{
    const SearchParams *search = &o->settings.search;
    TargetPrefix prefix = { .pieces = options->pieces_out, .name = SETTING(PREFIX) };
    PrefixFacts facts;
    Status st;

    if (!options->prefix) return OK;
    prefix.text = (LineText){ options->prefix, strlen(options->prefix) };
    buf_put(&o->prefix_text, prefix.text.data, prefix.text.len);
    st = buf_check(&o->prefix_text, err);
    if (st == OK) st = target_prefix_encode(&o->prefix, &facts, &prefix, o->tokenizer, search, err);
    if (st == OK && !prefix.pieces) st = check_prefix(o, prefix.text, facts, options, err);
    return st == OK ? target_prefix_check_room(&o->prefix, prefix.name, search, err) : st;
}

/* The weights may have fewer or more positions than config.json implies. */
static Status adopt_positions(LoadedModel *o, const DragomanOptions *options, Err *err)
{
    size_t positions = model_positions(o->model);

    if (!positions) return OK;
    if (!o->limit || o->limit > positions || !model_config(o->model)->positions.max_source) o->limit = positions;
    if (o->settings.search.max_length <= positions) return OK;
    if (options->max_length)
        return err_set(err, ERR_USAGE, SETTING(MAX_LENGTH) " %zu exceeds the model's %zu positions",
                       options->max_length, positions);
    o->settings.search.max_length = positions;
    return target_prefix_check_room(&o->prefix, SETTING(PREFIX), &o->settings.search, err);
}

/* Applies the user's limit, which may be lower than that of the model. */
static Status adopt_max_input(LoadedModel *o, const DragomanOptions *options, Err *err)
{
    if (!options->max_input) return OK;
    if (options->max_input < DRAGOMAN_LEAST_INPUT)
        return err_set(err, ERR_USAGE, SETTING(MAX_INPUT) " %zu: the minimum is %d tokens", options->max_input,
                       DRAGOMAN_LEAST_INPUT);
    if (options->max_input > o->limit)
        return err_set(err, ERR_USAGE, SETTING(MAX_INPUT) " %zu exceeds the %zu tokens that the model accepts",
                       options->max_input, o->limit);
    o->limit = options->max_input;
    return OK;
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
static ShortlistLimits limits_for(const ModelConfig *config, const DragomanOptions *options)
{
    ShortlistLimits limits = { .first = options->shortlist_first, .best = options->shortlist_best };

    if (options->shortlist || !config->shortlist.has_limits || limits.first >= 0 || limits.best >= 0) return limits;
    return (ShortlistLimits){ config->shortlist.first, config->shortlist.best, .lexical_only = true };
}

static Status open_shortlist(LoadedModel *o, const DragomanOptions *options, Err *err)
{
    const ModelConfig *config = &o->config;
    const char *path = options->shortlist ? options->shortlist : config->shortlist.path;
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
    return shortlist_open(&o->shortlist, path, &vocabulary, limits_for(config, options), err);
}

Status loaded_model_read_head(LoadedModel *out, const DragomanOptions *options, Err *err)
{
    Status st = option_fields_check_model(options, err);
    const char *task = NULL;

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
    if (st == OK) st = warn_of_default_length(out, options, err);
    if (st == OK) st = complete_source(out, options, err);
    if (st == OK) st = adopt_ends(out, err);
    if (st == OK) st = begin_with_language(out, err);
    if (st == OK) st = token_control_adopt(out, options, err);
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

Status loaded_model_adopt_weights(LoadedModel *o, const DragomanOptions *options, Err *err)
{
    Status st = OK;

    for (const Model *model = o->model; st == OK && model; model = model_next(model))
        st = add_warning(o, model_warning(model), options, err);
    /* Who uses no calibration does not pay for its check. */
    if (st == OK && (options->calibration || options->attention || options->confidence))
        st = loaded_calibration_check(&o->calibration, o->model, o->tokenizer, err);
    if (st == OK) st = adopt_positions(o, options, err);
    return st == OK ? adopt_max_input(o, options, err) : st;
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
