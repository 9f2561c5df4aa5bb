/* loaded_model.c - see loaded_model.h.
 * pipeline_open() reads the tokenizers first, because they know the languages of the models. Models that can choose a
 * language are then read a second time, with the language that their neighbour or the user determines. The weights come
 * last. */
#include "loaded_model.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "c_locale.h"
#include "thread.h"
#include "path.h"
#include "hash.h"
#include "family.h"
#include "text_rules.h"
#include "target_text.h"

/* --- The paths of an ensemble. */

Status ensemble_model_path(char **out, const DragomanOptions *options, Err *err)
{
    char *base = NULL;
    Status st = OK;

    if (options->find_model && path_exists(options->model)) st = model_folder_missing_base(&base, options->model, err);
    if (st == OK && options->find_model && (base || !path_exists(options->model))) {
        free(base);
        return options->find_model(out, options->model, err);
    }
    if (st != OK) return st;
    *out = strdup(options->model);
    return *out ? OK : err_memory(err, "a path");
}

/* Opens the model. If it is an ensemble, *out is NULL, and *paths and *weights define the ensemble. */
static Status open_unless_ensemble(ModelFolder **out, char **paths, char **weights, const char *path, Err *err)
{
    Status st = model_folder_open(out, path, err);

    *paths = *weights = NULL;
    if (st == OK) st = model_folder_ensemble(paths, weights, *out, err);
    if (st != OK || *paths) {
        model_folder_close(*out);
        *out = NULL;
    }
    return st;
}

/* Divides a text into its paths, which are separated by commas. */
static Status read_paths(Ensemble *out, const char *text, Err *err)
{
    size_t most = 1;

    for (const char *c = text; *c; c++) most += *c == ',';
    out->paths = calloc(most, sizeof *out->paths);
    if (!out->paths) return err_memory(err, "a path");
    for (const char *at = text;; at++) {
        const size_t length = path_first(at);
        if (!length) return err_set(err, ERR_USAGE, "%s: a model name is empty; write PATH,PATH", *at ? at : text);
        out->paths[out->count] = strndup(at, length);
        if (!out->paths[out->count++]) return err_memory(err, "a path");
        at += length;
        if (!*at) return OK;
    }
}

Status ensemble_find(Ensemble *out, const DragomanOptions *options, Err *err)
{
    char *text = NULL, *paths = NULL;
    Status st = ensemble_model_path(&text, options, err);

    if (st == OK && path_is_directory(text)) st = open_unless_ensemble(&out->folder, &paths, &out->weights, text, err);
    if (st == OK) st = read_paths(out, paths ? paths : text, err);
    if (st == OK && options->weights) {
        free(out->weights);
        out->weights = strdup(options->weights);
        if (!out->weights) st = err_memory(err, "a path");
    }
    out->text = text;
    free(paths);
    return st;
}

void ensemble_free(Ensemble *ensemble)
{
    model_folder_close(ensemble->folder);
    for (size_t i = 0; i < ensemble->count; i++) free(ensemble->paths[i]);
    free(ensemble->paths);
    free(ensemble->text);
    free(ensemble->weights);
    *ensemble = (Ensemble){ 0 };
}

bool ensemble_is(const DragomanOptions *options)
{
    Ensemble ensemble = { 0 };
    const bool several = ensemble_find(&ensemble, options, NULL) == OK && ensemble.count > 1;

    ensemble_free(&ensemble);
    return several;
}

Status ensemble_open(ModelFolder **out, Ensemble *ensemble, size_t index, Err *err)
{
    char *paths, *weights;
    Status st;

    *out = ensemble->folder;
    ensemble->folder = NULL;
    if (*out) return OK;
    st = open_unless_ensemble(out, &paths, &weights, ensemble->paths[index], err);
    if (st == OK && paths)
        st = err_set(err, ERR_USAGE, "%s: this folder is an ensemble itself; name each of its models instead",
                     ensemble->paths[index]);
    free(paths);
    free(weights);
    return st;
}

/* --- The calibration of a model. */

static void add_stack(Hash64 *hash, const StackConfig *stack)
{
    const size_t sizes[] = {
        stack->layers, stack->heads, stack->head_size, stack->ffn, stack->ffn_depth, stack->vocab
    };

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) hash64_add_number(hash, sizes[i]);
}

/* An id without a piece is hashed like an empty piece. */
static void add_pieces(Hash64 *hash, const Tokenizer *tokenizer, size_t count,
                       const char *(*piece_of)(const Tokenizer *tokenizer, int32_t id))
{
    hash64_add_number(hash, count);
    for (size_t id = 0; id < count; id++) {
        const char *piece = piece_of(tokenizer, (int32_t)id);
        hash64_add(hash, piece ? piece : "", piece ? strlen(piece) + 1 : 1);
    }
}

uint64_t model_hash(const Model *model, const Tokenizer *tokenizer)
{
    const ModelConfig *config = model_config(model);
    Hash64 hash = hash64_begin();

    hash64_add_number(&hash, config->d_model);
    add_stack(&hash, &config->encoder);
    add_stack(&hash, &config->decoder);
    add_pieces(&hash, tokenizer, tokenizer_facts(tokenizer)->source_vocab, tokenizer_source_piece);
    add_pieces(&hash, tokenizer, tokenizer_facts(tokenizer)->target_vocab, tokenizer_target_piece);
    hash64_add_number(&hash, model_facts(model).table_hash);
    return hash64_end(&hash);
}

/* Reads the file `path` or, if it is NULL, CALIBRATION_FILE in the folder or packed model, if it has one. The attention
 * heads that it names for alignment replace those of the configuration. */
static Status read_calibration(LoadedModel *o, const char *path, Err *err)
{
    ModelFolder *folder = o->files;
    JsonObject json;
    Status st;

    o->calibration_path = path ? strdup(path) : path_join(model_folder_place(folder), CALIBRATION_FILE);
    if (!o->calibration_path) return err_memory(err, "a path");
    if (!path && !model_folder_has_path(folder, o->calibration_path)) {
        free(o->calibration_path);
        o->calibration_path = NULL;
        return OK;
    }
    st = model_folder_json_path(folder, o->calibration_path, &json, err);
    if (st == OK) st = calibration_read(&o->calibration, json, &o->config, err);
    if (st != OK) return st;
    /* A search can only be guided by heads that show the next token, as those of the configuration do. */
    if (o->calibration.alignment.shift) o->config.guide = o->config.alignment;
    o->config.alignment = o->calibration.alignment;
    return OK;
}

Status loaded_model_check_calibration(const LoadedModel *o, Err *err)
{
    if (!o->calibration_path || o->calibration.model == model_hash(o->model, o->tokenizer)) return OK;
    return err_set(err, ERR_USAGE, "%s: was made for another model; make a new one with 'dragoman calibrate'",
                   o->calibration_path);
}

/* --- Settings. */

/* Default of batch_rows. It gives three quarters of the full matmul speed; twice the rows take twice the memory. */
#define DEFAULT_ROWS 64

#define LEAST_TEMPERATURE 1e-6F /* so that no logit becomes infinite */

static double most(DragomanSetting setting)
{
    return setting_rows[setting].about.high;
}

static Status check_most(DragomanSetting setting, size_t value, Err *err)
{
    if ((double)value <= most(setting)) return OK;
    return err_set(err, ERR_USAGE, SETTING_BEGIN "%s" SETTING_END " %zu: the maximum is %.0f",
                   setting_rows[setting].about.name, value, most(setting));
}

static Status merge_beams(SearchParams *search, const DragomanOptions *options, Err *err)
{
    if (check_most(DRAGOMAN_BEAMS, options->beams, err) != OK) return ERR_USAGE;
    if (options->beams) search->beams = options->beams;
    if (options->sampling == SWITCH_ON && !options->beams) search->beams = 1;
    search->sampling.on = options->sampling == SWITCH_AUTO ? search->sampling.on : options->sampling == SWITCH_ON;
    if (options->early_stopping && search->rules.program)
        return err_set(err, ERR_USAGE, SETTING(EARLY_STOPPING) ": a model of %s ends its searches as %s does",
                       search->rules.program, search->rules.program);
    if (options->early_stopping) search->early_stopping = (EarlyStopping)(options->early_stopping - 1);
    if (search->beams == 1) search->groups = 1;
    if (search->groups > 1 && search->beams % search->groups && !search->sampling.on)
        return err_set(err, ERR_USAGE, SETTING(BEAMS) " %zu cannot be divided into the model's %zu groups of beams",
                       search->beams, search->groups);
    search->n_best = options->n_best ? options->n_best : 1;
    /* Several random translations are sorted by score, so their scores cannot be skipped. */
    search->skip_scores = options->skip_scores && !options->confidence && !options->rescue &&
                          !(search->n_best > 1 && search_params_draws_each(search));
    return OK;
}

/* Token n of a translation is computed at position n - 1, because the start token has position 0. max_length can
 * therefore be as large as max_positions. */
static Status merge_lengths(SearchParams *search, const DragomanOptions *options, size_t max_positions, Err *err)
{
    if (options->max_length) search->max_length = options->max_length;
    if (options->max_length) search->length_is_default = false;
    if (max_positions && search->max_length > max_positions) {
        if (options->max_length)
            return err_set(err, ERR_USAGE, SETTING(MAX_LENGTH) " %zu exceeds the model's %zu positions",
                           search->max_length, max_positions);
        search->max_length = max_positions;
    }
    if (options->min_length >= 0) search->min_length = (size_t)options->min_length;
    if (options->min_length >= 0 && search->min_length > search->max_length)
        return err_set(err, ERR_USAGE, SETTING(MIN_LENGTH) " %zu exceeds the %smax length %zu", search->min_length,
                       options->max_length ? "" : "model's ", search->max_length);
    return OK;
}

static Status merge_penalties(SearchParams *search, const DragomanOptions *options, Err *err)
{
    if (options->length_penalty.given) search->length_penalty = options->length_penalty.value;
    if (!isfinite(search->length_penalty))
        return err_set(err, ERR_USAGE, SETTING(LENGTH_PENALTY) " must be a finite number");
    if (options->repetition_penalty.given) search->repetition_penalty = options->repetition_penalty.value;
    if (!isfinite(search->repetition_penalty) || search->repetition_penalty <= 0)
        return err_set(err, ERR_USAGE, SETTING(REPETITION_PENALTY) " must be a finite number above 0");
    if (options->word_penalty.given) search->word_penalty = options->word_penalty.value;
    if (options->length_factor.given) search->length_factor = options->length_factor.value;
    if (search->length_factor < 0) return err_set(err, ERR_USAGE, SETTING(LENGTH_FACTOR) " must not be negative");
    if (options->allow_unk) search->allow_unk = true;
    if (options->no_repeat_ngram >= 0) search->no_repeat_ngram = (size_t)options->no_repeat_ngram;
    return OK;
}

static Status merge_sampling(Sampling *sampling, const DragomanOptions *options, Err *err)
{
    const char *setting;

    if (options->temperature.given) sampling->temperature = options->temperature.value;
    if (options->top_k >= 0) sampling->top_k = (size_t)options->top_k;
    if (options->top_p.given) sampling->top_p = options->top_p.value;
    if (options->min_p.given) sampling->min_p = options->min_p.value;
    sampling->seed = options->seed;
    if (options->temperature.given && !(sampling->temperature >= LEAST_TEMPERATURE))
        return err_set(err, ERR_USAGE, SETTING(TEMPERATURE) " must be at least %g", (double)LEAST_TEMPERATURE);
    if (options->top_p.given && !(sampling->top_p > 0 && sampling->top_p <= 1))
        return err_set(err, ERR_USAGE, SETTING(TOP_P) " must be above 0 and at most 1");
    if (options->min_p.given && !(sampling->min_p >= 0 && sampling->min_p <= 1))
        return err_set(err, ERR_USAGE, SETTING(MIN_P) " must be from 0 to 1");
    if (sampling->on) return OK;

    /* Settings that only matter for sampling are refused without sampling. */
    setting = options->temperature.given ? SETTING(TEMPERATURE)
              : options->top_k >= 0      ? SETTING(TOP_K)
              : options->top_p.given     ? SETTING(TOP_P)
              : options->min_p.given     ? SETTING(MIN_P)
              : options->seed            ? SETTING(SEED)
                                         : NULL;
    if (!setting) return OK;
    return err_set(err, ERR_USAGE, "%s needs " SETTING(SAMPLING) "%s", setting,
                   options->sampling == SWITCH_AUTO ? ": this model does not sample by itself" : "");
}

/* Merges the settings for the beginning of hypotheses and for the choice of results. */
static Status merge_choices(SearchParams *search, const DragomanOptions *options, Err *err)
{
    size_t finishing;

    search->alternatives = options->alternatives;
    search->alternative_probability = options->alternative_probability.value;
    search->prefix_bias = options->prefix_bias.value;
    if (options->coverage_penalty.given) search->coverage_penalty = options->coverage_penalty.value;
    if (options->patience.given) search->patience = options->patience.value;
    if (!(search->alternative_probability >= 0 && search->alternative_probability <= 1))
        return err_set(err, ERR_USAGE, SETTING(ALTERNATIVE_PROBABILITY) " must be from 0 to 1");
    if (!(search->prefix_bias >= 0 && search->prefix_bias < 1))
        return err_set(err, ERR_USAGE, SETTING(PREFIX_BIAS) " must be from 0 to below 1");
    if (options->patience.given && !(search->patience > 0 && (double)search->patience <= most(DRAGOMAN_PATIENCE)))
        return err_set(err, ERR_USAGE, SETTING(PATIENCE) " must be above 0 and at most %g", most(DRAGOMAN_PATIENCE));
    if (search->alternatives && check_most(DRAGOMAN_ALTERNATIVES, search->alternatives, err) != OK) return ERR_USAGE;
    if (search->alternatives && (double)(search->alternatives * search->beams) > most(DRAGOMAN_BATCH_ROWS))
        return err_set(err, ERR_USAGE, SETTING(ALTERNATIVES) " %zu times the beam size %zu exceeds %.0f hypotheses",
                       search->alternatives, search->beams, most(DRAGOMAN_BATCH_ROWS));
    finishing = search_params_finish_count(search);
    if (search_params_draws_each(search)) return check_most(DRAGOMAN_N_BEST, search->n_best, err);
    if (search->n_best <= finishing) return OK;
    if (options->patience.given)
        return err_set(err, ERR_USAGE, SETTING(N_BEST) " %zu exceeds the beam size times " SETTING(PATIENCE) ", %zu",
                       search->n_best, finishing);
    return err_set(err, ERR_USAGE, SETTING(N_BEST) " %zu exceeds the %sbeam size %zu", search->n_best,
                   options->beams ? "" : "model's ", search->beams);
}

/* Sets the parameters of the search, the precision, the workers and their rows. Returns ERR_USAGE if an option is out
 * of range or contradicts another option or the model. */
static Status merge_settings(LoadedModel *o, const DragomanOptions *options, Err *err)
{
    static const Precision precisions[] = { [DRAGOMAN_AUTO] = PRECISION_AUTO,
                                            [DRAGOMAN_F32] = PRECISION_F32,
                                            [DRAGOMAN_BF16] = PRECISION_BF16,
                                            [DRAGOMAN_INT8] = PRECISION_INT8 };
    const PositionConfig *positions = &o->config.positions; /* a guessed maximum is no limit: the weights decide it */
    SearchParams *search = &o->search;
    Status st = search_params_copy(search, &o->config.search, err);

    o->precision = precisions[options->precision];
    if (st == OK) st = merge_beams(search, options, err);
    if (st == OK) st = merge_lengths(search, options, positions->max_is_guess ? 0 : positions->max, err);
    if (st == OK) st = merge_penalties(search, options, err);
    if (st == OK) st = merge_sampling(&search->sampling, options, err);
    if (st == OK) st = merge_choices(search, options, err);

    if (st == OK) st = check_most(DRAGOMAN_THREADS, options->threads, err);
    if (st == OK) st = check_most(DRAGOMAN_BATCH_ROWS, options->batch_rows, err);
    if (st == OK && options->reuse > 0) st = check_most(DRAGOMAN_REUSE, (size_t)options->reuse, err);
    o->workers = options->threads ? options->threads : thread_count_cores();
    if ((double)o->workers > most(DRAGOMAN_THREADS)) o->workers = (size_t)most(DRAGOMAN_THREADS);
    o->rows = options->batch_rows ? options->batch_rows : DEFAULT_ROWS;
    return st;
}

/* --- Opening a model before its weights are read. */

/* The most source ids of a segment if neither the model nor its tokenizer has a limit. */
#define DEFAULT_LIMIT 512

/* A prompt takes at most this part of the positions, which its answer shares. */
#define PROMPT_SHARE 2

/* Often there are fewer tokens than embeddings: T5, NLLB, M2M-100 and Firefox's models round the number of embeddings
 * up. tutorial.c also refuses vocabularies of tutorial models that are too short. */
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
                    : tokenizer_open(&o->tokenizer, o->files, config->family->name, options->from, options->to,
                                     options->prompt, err);

    /* If the folder lacks the tokenizer files and the weights, report that the weights are missing. */
    if (st == ERR_IO) {
        const Status other = model_check_weights(o->files, &fault);
        if (other != OK) st = err_set(err, other, "%s", fault.text);
    }
    if (st == OK && options->prompt && !tokenizer_facts(o->tokenizer)->prompts)
        st = err_set(err, ERR_USAGE, SETTING(PROMPT) " %s: %s is not a language model, so it reads no prompt",
                     options->prompt, o->folder);
    if (st == OK) st = tokenizer_check_added(o->tokenizer, o->folder, config->encoder.vocab, err);
    if (st != OK) return st;
    st = check_vocabulary(o->folder, "source", tokenizer_facts(o->tokenizer)->source_vocab, config->encoder.vocab, err);
    if (st != OK) return st;
    return check_vocabulary(o->folder, "target", tokenizer_facts(o->tokenizer)->target_vocab, config->decoder.vocab,
                            err);
}

/* The first end token is the one that a given translation gets. */
static Status put_stops_first(IdList *eos, const IdList *stops, Err *err)
{
    IdList all = { 0 };
    Status st = ids_append_all(&all, stops->data, stops->len, err);

    for (size_t i = 0; st == OK && i < eos->len; i++)
        if (!ids_contain(&all, eos->data[i])) st = ids_append(&all, eos->data[i], err);
    ids_free(st == OK ? eos : &all);
    if (st == OK) *eos = all;
    return st;
}

/* Sets the tokens that begin and end a translation: the token of the target language goes before the first tokens of
 * the model, and the end token of the vocabulary is used if the model does not name one. Models with separate
 * vocabulary files also take their start and unknown tokens from there. What ends the answer to a prompt is added to
 * the end tokens and stop texts of the model. With DRAGOMAN_FROM_LINES, each line names its language; until then the
 * tokenizer gets the first one of the model. */
static Status adopt_ends(LoadedModel *o, const DragomanOptions *options, Err *err)
{
    Tokenizer *tokenizer = o->tokenizer;
    SearchParams *search = &o->search;
    const TokenizerFacts *facts = tokenizer_facts(tokenizer);
    const int32_t eos = facts->target_end, unk = facts->target_unknown;
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
    if (st == OK && facts->stops.len) st = put_stops_first(&search->eos, &facts->stops, err);
    buf_put(&o->config.stops, facts->stop_texts.data, facts->stop_texts.len);
    if (st == OK) st = buf_check(&o->config.stops, err);
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
    if (st != OK || o->search.start >= 0 || tokenizer_facts(o->tokenizer)->prompts) return st;
    return err_set(err, ERR_FORMAT,
                   "%s/config.json: decoder_start_token_id is missing (in folders of CTranslate2: decoder_start_token)",
                   o->folder);
}

__attribute__((format(printf, 4, 5))) static Status add_warning(LoadedModel *o, const DragomanOptions *options,
                                                                Err *err, const char *format, ...)
{
    Err line;
    char text[2 * sizeof line.text]; /* err_set() cuts a longer one */
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    (void)err_set(&line, OK, "%s", text); /* sanitizes the names, which come from files */
    (void)option_fields_name(&line, options->spelling);
    buf_put_format(&o->warnings, "%s\n", line.text);
    return buf_check(&o->warnings, err);
}

/* Encodes the prefix, and warns if translations will begin with another text because the vocabulary lacks a part of the
 * prefix or the tokenizer replaces it. */
static Status encode_prefix(LoadedModel *o, const DragomanOptions *options, Err *err)
{
    const SearchParams *search = &o->search;
    TargetPrefix prefix = { .pieces = options->pieces_out, .name = SETTING(PREFIX) };
    Buf decoded = { 0 };
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
        st = add_warning(
            o, options, err,
            "the prefix contains text that the model's vocabulary does not have; it becomes the unknown token");
    else if (!prefix.pieces)
        st = spelling_check(&is_spelled, o->tokenizer, ids, count, prefix.text.data, prefix.text.len, err);
    if (st == OK && !is_spelled) {
        st = tokenizer_decode(o->tokenizer, ids, count, &decoded, NULL, err);
        if (st == OK)
            st = add_warning(o, options, err,
                             "the prefix contains characters that the model's tokenizer replaces; it becomes \"%s\"",
                             decoded.data ? decoded.data : "");
        buf_free(&decoded);
    }
    return st == OK ? target_prefix_check_room(&o->prefix, prefix.name, search, err) : st;
}

static bool is_on(Switch given, bool by_default)
{
    return given == SWITCH_ON || (given == SWITCH_AUTO && by_default);
}

/* Chooses how sentences are changed before the model reads them. Input or output in pieces is never changed. */
static Status adopt_treatments(LoadedModel *o, const DragomanOptions *options, Err *err)
{
    const bool has_text = !options->pieces_in && !options->pieces_out;
    const bool words = tokenizer_facts(o->tokenizer)->source_is_words;

    if (options->keep_unknown == SWITCH_ON && words)
        return err_set(err, ERR_USAGE,
                       SETTING(KEEP_UNKNOWN) " cannot be used with this model: its vocabulary is a list of words");
    /* Off with forbidden texts: a translation that is converted to capitals could become one of them. */
    o->rules.capitals = has_text && !o->texts && is_on(options->capitals, o->config.lower_capitals);
    /* Off with a list of words, which does not show what characters the model can read. */
    o->rules.keeps_unknown = has_text && !words && is_on(options->keep_unknown, o->config.keep_unknown);
    o->rules.keeps_numbers = has_text && is_on(options->keep_numbers, o->config.keep_numbers);
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

/* --- Tokens and texts that are forbidden, and tokens and texts that end a translation. */

#define SPACES " \t\v\f\r"

static Status find_piece(const LoadedModel *o, const char *setting, LineText piece, int32_t *id, Err *err)
{
    *id = tokenizer_find_target(o->tokenizer, piece.data, piece.len);
    if (*id >= 0 && (size_t)*id < o->config.decoder.vocab) return OK;
    return err_set(err, ERR_USAGE, "%s: \"%.*s\" is not a piece of the model's vocabulary", setting,
                   (int)(piece.len < 200 ? piece.len : 200), piece.data);
}

/* Appends a sequence of pieces, separated by spaces, to bad_runs: its length, then the ids. */
static Status add_run(LoadedModel *o, const char *text, Err *err)
{
    IdList *runs = &o->search.bad_runs;
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

/* Applies DRAGOMAN_SUPPRESS, DRAGOMAN_DISABLE_UNK, DRAGOMAN_END_TOKEN, the model's stop texts and the rules for its
 * byte pieces. Call it after adopt_ends(), which finds the model's end tokens. Returns ERR_USAGE for a piece that the
 * vocabulary does not have. */
static Status adopt_tokens(LoadedModel *o, const DragomanOptions *options, Err *err)
{
    const int32_t unknown = tokenizer_facts(o->tokenizer)->target_unknown;
    const size_t vocab = o->config.decoder.vocab;
    const TextList *ends = &options->end_tokens;
    SearchParams *search = &o->search;
    Buf forbidden = { 0 };
    Status st = OK;

    if (options->disable_unk && unknown >= 0 && (size_t)unknown < vocab)
        st = ids_append(&search->suppress, unknown, err);

    /* Only the given tokens end a translation. At the maximum length no end token is forced, as in CTranslate2. */
    if (st == OK && ends->count) {
        o->rules.chosen_ends = true;
        o->rules.end = search->eos.data[0];
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
        /* The bytes that each token of the model adds to a text. */
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

    /* Only some models ask for valid UTF-8. Others may write invalid bytes, as their reference implementations do. */
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

Status input_language_tag(char out[LANGUAGE_TAG_BYTES], const Tokenizer *tokenizer, const char *named, Err *err)
{
    const char *name = tokenizer_source_language(tokenizer);
    char room[LANGUAGE_CODE];
    Status st = OK;

    out[0] = '\0';
    if (named && !(name && language_is_known(name))) st = language_code(&name, room, named, err);
    return st == OK && name ? language_tag_shortest(out, name, err) : st;
}

static Status name_adapters(LoadedModel *o, Err *err)
{
    size_t count;
    const ModelAdapter *adapters = model_folder_adapters(o->files, &count);
    Buf names = { 0 };

    for (size_t i = 0; i < count; i++) {
        buf_put_format(&names, "%s%s", i ? ", " : "", model_folder_path(adapters[i].folder));
        if (adapters[i].weight != 1) buf_put_format(&names, ":%g", adapters[i].weight);
    }
    o->adapters = names.data;
    return buf_check(&names, err);
}

Status loaded_model_read_head(LoadedModel *out, const DragomanOptions *options, Err *err)
{
    Status st = option_fields_check_model(options, err);
    const char *task = NULL;

    /* The caller may have opened the files. */
    if (st == OK && !out->files) {
        st = ensemble_find(&out->ensemble, options, err);
        if (st == OK) st = ensemble_open(&out->files, &out->ensemble, 0, err);
    }
    if (st == OK && !out->folder) {
        out->folder = strdup(model_folder_path(out->files));
        if (!out->folder) st = err_memory(err, "a path");
        if (st == OK) st = name_adapters(out, err);
    }
    if (st == OK) st = model_config_read(&out->config, out->files, options->vocabs, err);
    if (st == OK && !options->skip_calibration) st = read_calibration(out, options->calibration, err);
    if (st == OK) st = open_tokenizer(out, options, err);
    if (st == OK) task = tokenizer_facts(out->tokenizer)->task;
    if (task) st = generation_config_adopt_task(&out->config.search, out->files, task, &out->config, err);
    if (st == OK) st = merge_settings(out, options, err);
    if (st == OK && options->prefer_precision && model_folder_is_packed(out->files)) out->precision = PRECISION_AUTO;
    /* Many models, above all T5 models, set no maximum length and leave it to the programs that use them. */
    if (st == OK && out->search.length_is_default)
        st = add_warning(out, options, err,
                         "%s: translations end after %zu tokens, because max_length is the default of transformers; "
                         "set another limit with " SETTING(MAX_LENGTH),
                         out->folder, out->search.max_length);
    if (st == OK) st = adopt_ends(out, options, err);
    if (st == OK) st = adopt_tokens(out, options, err);
    if (st == OK) st = encode_prefix(out, options, err);
    if (st == OK) out->rules.limit = out->config.positions.max_source;
    if (st == OK && !out->rules.limit) out->rules.limit = out->config.positions.max;
    if (st == OK && !out->rules.limit) out->rules.limit = tokenizer_facts(out->tokenizer)->model_max_length;
    if (st == OK && out->config.decoder_only) out->rules.limit /= PROMPT_SHARE;
    if (st == OK && !out->rules.limit) out->rules.limit = DEFAULT_LIMIT;
    out->rules.crops = options->crop;
    if (st == OK) st = input_language_tag(out->source_language, out->tokenizer, options->from, err);
    if (st == OK && options->split != SWITCH_OFF && !options->pieces_in) { /* pieces are never split into sentences */
        out->rules.splits_asked_only = options->split == SWITCH_AUTO && !out->config.split_sentences;
        st = sentences_new(&out->rules.sentences, out->source_language, err);
    }
    if (st == OK) st = adopt_treatments(out, options, err);
    if (st == OK) st = open_shortlist(out, options, err);
    if (out->files) st = model_folder_check(out->files, st, err);
    if (out->files) model_folder_forget_trees(out->files);
    return st;
}

Status loaded_model_read_weights(LoadedModel *o, Err *err)
{
    Status st = model_open(&o->model, o->files, &o->config, o->precision, err);

    model_folder_close(o->files);
    o->files = NULL;
    return st;
}

/* The weights may have fewer or more positions than config.json says. The user may set a lower limit. */
Status loaded_model_adopt_weights(LoadedModel *o, const DragomanOptions *options, Err *err)
{
    SearchParams *search = &o->search;
    const size_t positions = model_positions(o->model);
    const size_t room = model_config(o->model)->decoder_only ? positions / PROMPT_SHARE : positions;
    Status st = OK;

    for (const Model *model = o->model; st == OK && model; model = model_next(model)) {
        const char *warning = model_facts(model).warning;
        if (warning) st = add_warning(o, options, err, "%s", warning);
    }
    /* The check takes time, so it is left out if the calibration is not used. */
    if (st == OK && (options->calibration || options->attention || options->confidence))
        st = loaded_model_check_calibration(o, err);
    if (st != OK) return st;
    if (positions && (!o->rules.limit || o->rules.limit > room || !model_config(o->model)->positions.max_source))
        o->rules.limit = room;
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
    if (options->max_input > o->rules.limit)
        return err_set(err, ERR_USAGE, SETTING(MAX_INPUT) " %zu exceeds the %zu tokens that the model accepts",
                       options->max_input, o->rules.limit);
    o->rules.limit = options->max_input;
    return OK;
}

/* Frees what loaded_model_read_head() has read, so that it can be called again with other languages. The files of the
 * model stay open. */
static void loaded_model_reset(LoadedModel *loaded)
{
    const LoadedModel kept = {
        .ensemble = loaded->ensemble, .folder = loaded->folder, .adapters = loaded->adapters, .files = loaded->files
    };

    model_free(loaded->model);
    shortlist_free(loaded->shortlist);
    free(loaded->shortlist_path);
    sentences_free(loaded->rules.sentences);
    tokenizer_free(loaded->tokenizer);
    ids_free(&loaded->prefix);
    buf_free(&loaded->prefix_text);
    search_params_free(&loaded->search);
    text_rules_free(loaded->texts);
    free(loaded->utf8);
    free(loaded->calibration_path);
    model_config_free(&loaded->config);
    buf_free(&loaded->warnings);
    *loaded = kept;
}

void loaded_model_close(LoadedModel *loaded)
{
    loaded_model_reset(loaded);
    model_folder_close(loaded->files);
    free(loaded->folder);
    free(loaded->adapters);
    ensemble_free(&loaded->ensemble);
    *loaded = (LoadedModel){ 0 };
}

/* --- The models of an ensemble. The first one determines how text is encoded and searched. */

static Status check_pieces(const LoadedModel *first, const LoadedModel *other, bool of_target, Err *err)
{
    const TokenizerFacts *ours = tokenizer_facts(first->tokenizer), *theirs = tokenizer_facts(other->tokenizer);
    const size_t count = of_target ? ours->target_vocab : ours->source_vocab;
    const size_t other_count = of_target ? theirs->target_vocab : theirs->source_vocab;
    const char *side = of_target ? "target" : "source";

    if (count != other_count)
        return err_set(
            err, ERR_USAGE,
            "%s: the %s vocabulary has %zu pieces, but that of %s has %zu; an ensemble needs the same vocabularies",
            other->folder, side, other_count, first->folder, count);
    for (int32_t id = 0; (size_t)id < count; id++) {
        const char *a = (of_target ? tokenizer_target_piece : tokenizer_source_piece)(first->tokenizer, id);
        const char *b = (of_target ? tokenizer_target_piece : tokenizer_source_piece)(other->tokenizer, id);
        if (a == b || (a && b && strcmp(a, b) == 0)) continue;
        return err_set(err, ERR_USAGE,
                       "%s: %s piece %d is \"%s\", but \"%s\" in %s; an ensemble needs the same vocabularies",
                       other->folder, side, (int)id, b ? b : "", a ? a : "", first->folder);
    }
    return OK;
}

/* Adds model `index`, whose embeddings must have the same sizes as those of the first one, and which must have the same
 * piece for each id. */
static Status open_other(LoadedModel *first, size_t index, const DragomanOptions *options, Err *err)
{
    const ModelConfig *ours = model_config(first->model), *theirs;
    DragomanOptions own = *options;
    LoadedModel other = { 0 };
    Status st;

    own.model = first->ensemble.paths[index];
    own.prefix = own.shortlist = own.weights = NULL;
    own.skip_calibration = true; /* an ensemble uses the calibration of its first model */
    st = ensemble_open(&other.files, &first->ensemble, index, err);
    if (st == OK) st = loaded_model_read_head(&other, &own, err);
    theirs = &other.config;
    if (st == OK && (ours->encoder.vocab != theirs->encoder.vocab || ours->decoder.vocab != theirs->decoder.vocab))
        st = err_set(err, ERR_USAGE,
                     "%s: the embeddings have %zu and %zu rows, but those of %s have %zu and %zu; an ensemble needs "
                     "the same vocabularies",
                     other.folder, theirs->encoder.vocab, theirs->decoder.vocab, first->folder, ours->encoder.vocab,
                     ours->decoder.vocab);
    if (st == OK && ours->decoder_only != theirs->decoder_only)
        st = err_set(err, ERR_USAGE, "%s and %s: only one of them has an encoder, so they cannot form an ensemble",
                     other.folder, first->folder);
    if (st == OK) st = check_pieces(first, &other, false, err);
    if (st == OK) st = check_pieces(first, &other, true, err);
    if (st == OK) st = model_open(&other.model, other.files, &other.config, other.precision, err);
    if (st == OK) {
        model_append(first->model, other.model);
        other.model = NULL;
    }
    loaded_model_close(&other);
    return st;
}

/* Sets the weights from a text with one weight per model: "0.6,0.4". */
static Status weigh(Model *model, const char *weights, Err *err)
{
    const size_t models = model_count(model);
    const char *at = weights;
    bool any = false;

    if (models < 2)
        return err_set(err, ERR_USAGE,
                       SETTING(WEIGHTS) " '%s' can only be used with an ensemble, but there is only one model",
                       weights);
    for (size_t i = 0; i < models; i++) {
        char *end;
        const double weight = c_locale_strtod(at, &end);
        if (end == at || !(weight >= 0 && weight <= 1000) || *end != (i + 1 < models ? ',' : '\0'))
            return err_set(err, ERR_USAGE,
                           SETTING(WEIGHTS) " '%s': needs a number from 0 to 1000 for each of the %zu models", weights,
                           models);
        model_set_weight(model, i, (float)weight);
        any |= (float)weight > 0;
        at = end + 1;
    }
    return any ? OK : err_set(err, ERR_USAGE, SETTING(WEIGHTS) " '%s': at least one weight must be above 0", weights);
}

/* --- The models of a pipeline. */

/* Most messages about options do not name the model. With several models, this adds its name, unless the message begins
 * with the model or with a file in its folder. */
static Status name_model(Status st, const Pipeline *pipeline, const char *model, Err *err)
{
    size_t length;

    if (st != ERR_USAGE || pipeline->count < 2) return st;
    length = strlen(model);
    if (length && strncmp(err->text, model, length) == 0 &&
        (strchr(":/ ", err->text[length]) || model[length - 1] == '/'))
        return st;
    return err_set(err, st, "%s: %s", model, err->text);
}

/* Returns the language, or NULL for a family of languages such as "ROMANCE". */
static const char *known(const char *language)
{
    return language && language_is_known(language) ? language : NULL;
}

static bool has_choice(const LoadedModel *o)
{
    return tokenizer_facts(o->tokenizer)->language_count > 0;
}

static Status check_same(const char *wanted, const char *has, const char *model, const char *verb, Err *err)
{
    bool fits;
    Status st;

    if (!wanted || !has) return OK;
    st = language_fits(&fits, wanted, has, err);
    if (st != OK || fits) return st;
    return err_set(err, ERR_USAGE, "%s: translates %s %s, not %s %s", model, verb, has, verb, wanted);
}

/* Chooses the pivot language between two models and stores it in their options, options[0] and options[1]. It is
 * DRAGOMAN_VIA, else the only target language of the first or source language of the second model, else the target
 * language that the files of the first model choose. If there is none, the files of each model choose. */
static Status join(const LoadedModel *first, DragomanOptions *options, bool to_translate, Err *err)
{
    const LoadedModel *second = first + 1;
    const bool chooses_source = tokenizer_facts(second->tokenizer)->chooses_source;
    const char *via = options[1].via;
    const char *source = chooses_source ? NULL : known(tokenizer_source_language(second->tokenizer));
    const char *target = known(tokenizer_target_language(first->tokenizer));
    const char *only_target = has_choice(first) ? NULL : target;
    Status st = check_same(via, only_target, options[0].model, "into", err);

    if (st == OK) st = check_same(via, source, options[1].model, "from", err);
    if (st != OK) return st;
    if (only_target && source && !language_same(only_target, source))
        return err_set(err, ERR_USAGE, "%s translates into %s, but %s translates from %s", options[0].model,
                       only_target, options[1].model, source);
    if (has_choice(first)) options[0].to = via ? via : source;
    if (has_choice(second) && !source) options[1].from = via ? via : options[0].to ? options[0].to : target;
    if (!to_translate) return OK;
    if ((options[0].to || !has_choice(first) || tokenizer_target_language(first->tokenizer)) &&
        (options[1].from || !chooses_source || tokenizer_source_language(second->tokenizer)))
        return OK;
    return err_set(err, ERR_USAGE, "the language between %s and %s is unknown; name it with " SETTING(VIA),
                   options[0].model, options[1].model);
}

static Status read_head(Pipeline *pipeline, size_t i, const DragomanOptions *options, Err *err)
{
    LoadedModel *loaded = &pipeline->models[i];
    Status st;

    loaded_model_reset(loaded);
    st = loaded_model_read_head(loaded, options, err);
    /* VOCABS is accepted for an ensemble, because its other models may be Marian models. */
    if (st == OK && options->vocabs && !loaded->config.vocab_files.source && loaded->ensemble.count == 1)
        st = err_set(err, ERR_USAGE,
                     SETTING(VOCABS) " can only be used with Marian models; this model has its own vocabularies");
    return name_model(st, pipeline, options->model, err);
}

Status pipeline_open(Pipeline *out, const DragomanOptions *options, bool to_translate, Err *err)
{
    const size_t count = option_fields_model_count(options);
    DragomanOptions *resolved;
    Encoding encoding = { 0 };
    Status st = option_fields_check(options, err);

    *out = (Pipeline){ 0 };
    if (st != OK) return st;
    resolved = calloc(count, sizeof *resolved);
    *out = (Pipeline){ calloc(count, sizeof *out->models), resolved, count };
    st = resolved && out->models ? OK : err_memory(err, "the models");

    /* Everything but the weights. */
    for (size_t i = 0; st == OK && i < count; i++) {
        resolved[i] = option_fields_of_model(options, i);
        st = read_head(out, i, &resolved[i], err);
    }
    for (size_t i = 0; st == OK && i + 1 < count; i++) st = join(&out->models[i], &resolved[i], to_translate, err);
    for (size_t i = 0; st == OK && i < count; i++)
        if ((i > 0 && resolved[i].from) || (i + 1 < count && resolved[i].to)) st = read_head(out, i, &resolved[i], err);

    /* Each model must know its languages. A line of the user can name its language, but a pivot text cannot. */
    for (size_t i = 0; st == OK && to_translate && i < count; i++) {
        st = loaded_model_check_languages(&out->models[i], &resolved[i], err);
        if (st == OK && i > 0) st = tokenizer_encode(out->models[i].tokenizer, "a", 1, &encoding, err);
        st = name_model(st, out, resolved[i].model, err);
    }
    encoding_free(&encoding);
    for (size_t i = 0; st == OK && i < count; i++) {
        LoadedModel *loaded = &out->models[i];
        st = loaded_model_read_weights(loaded, err);
        for (size_t k = 1; st == OK && k < loaded->ensemble.count; k++) st = open_other(loaded, k, &resolved[i], err);
        if (st == OK && loaded->ensemble.weights) st = weigh(loaded->model, loaded->ensemble.weights, err);
        if (st == OK) st = loaded_model_adopt_weights(loaded, &resolved[i], err);
        st = name_model(st, out, resolved[i].model, err);
    }
    return st;
}

void pipeline_close(Pipeline *pipeline)
{
    for (size_t i = 0; pipeline->models && i < pipeline->count; i++) loaded_model_close(&pipeline->models[i]);
    free(pipeline->models);
    free(pipeline->options);
    *pipeline = (Pipeline){ 0 };
}
