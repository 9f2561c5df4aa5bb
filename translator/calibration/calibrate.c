/* calibrate.c - what is learned from a text and its translation: shortlists and calibrations. See calibrate.h and
 * dragoman_tools.h. All pairs that are read teach a lexicon. For a calibration, the attention is measured on a sample
 * of them, and the confidence is fitted to the translations of the sample. */
#include "calibrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dragoman_tools.h"
#include "line.h"
#include "loaded_model.h"
#include "option_fields.h"
#include "path.h"
#include "public_status.h"
#include "segment.h"
#include "session.h"
#include "shortlist.h"
#include "utf8.h"

/* --- The pairs of a text and its translation. */

static Status open_text(TextFile **out, const char *path, Err *err)
{
    return text_file_open(out, strcmp(path, "-") == 0 ? STDIN_FILENO : TEXT_FILE_PATH, path_of_input(path), err);
}

/* Opens two files, which may be compressed by gzip or zstd; "-" is standard input. With `pieces`, the lines consist of
 * pieces of the vocabulary. The paths and the tokenizer must outlive *out. Always end it with parallel_text_close(). */
static Status parallel_text_open(ParallelText *out, const Tokenizer *tokenizer, bool pieces, const char *source_path,
                                 const char *target_path, Err *err)
{
    Status st;

    *out = (ParallelText){ .tokenizer = tokenizer,
                           .pieces = pieces,
                           .source_name = path_of_input(source_path),
                           .target_name = path_of_input(target_path) };
    st = open_text(&out->source_file, source_path, err);
    return st == OK ? open_text(&out->target_file, target_path, err) : st;
}

static void pair_free(TextPair *pair)
{
    encoding_free(&pair->encoding);
    ids_free(&pair->target_ids);
    buf_free(&pair->source);
    buf_free(&pair->target);
}

static void parallel_text_close(ParallelText *text)
{
    text_file_close(text->source_file);
    text_file_close(text->target_file);
    pair_free(&text->pair);
    *text = (ParallelText){ 0 };
}

/* Reads the next pair with 1 to PARALLEL_TEXT_LONGEST tokens on each side. *found is false at the end. ERR_USAGE: one
 * file has more lines than the other. */
static Status parallel_text_next(ParallelText *p, bool *found, Err *err)
{
    const Buf *source = NULL, *target = NULL;
    TextPair *pair = &p->pair;
    size_t replaced;
    Status st = OK;

    *found = false;
    while (st == OK && !*found) {
        Encoding whole = { 0 }; /* the translation */
        st = text_file_next(p->source_file, &source, err);
        if (st == OK) st = text_file_next(p->target_file, &target, err);
        if (st != OK || (!source && !target)) return st;
        if (!source || !target)
            return err_set(err, ERR_USAGE, "%s: has more lines than %s, which has %zu",
                           source ? p->source_name : p->target_name, source ? p->target_name : p->source_name,
                           text_file_line(source ? p->target_file : p->source_file));
        if (segment_is_blank(source->data, source->len) || segment_is_blank(target->data, target->len)) continue;

        buf_clear(&pair->source);
        buf_clear(&pair->target);
        ids_clear(&pair->target_ids);
        buf_put_clean(&pair->source, source->data, source->len, &replaced);
        buf_put_clean(&pair->target, target->data, target->len, &replaced);
        st = buf_check(&pair->source, err);
        if (st == OK)
            st = (p->pieces ? tokenizer_encode_pieces : tokenizer_encode)(p->tokenizer, pair->source.data,
                                                                          pair->source.len, &pair->encoding, err);
        if (st == OK) st = buf_check(&pair->target, err);
        if (st == OK)
            st =
                tokenizer_encode_translation(p->tokenizer, pair->target.data, pair->target.len, p->pieces, &whole, err);
        if (st == OK && whole.pieces)
            st = ids_append_all(&pair->target_ids, whole.ids.data + whole.body, whole.pieces, err);
        encoding_free(&whole);
        const bool prompts = tokenizer_facts(p->tokenizer)->prompts;
        const size_t length = prompts ? pair->encoding.pieces : pair->encoding.ids.len;
        *found = st == OK && pair->encoding.pieces && pair->target_ids.len && length <= PARALLEL_TEXT_LONGEST &&
                 pair->target_ids.len <= PARALLEL_TEXT_LONGEST;
    }
    return st;
}

/* --- A shortlist, learnt from two text files with parallel lines. */

/* The least number of targets that learning keeps for each source piece. It is larger than the number that is written,
 * because all kept targets share the probability of the piece. */
#define LEAST_KEPT 400

static const char *source_piece(const void *context, int32_t id)
{
    return tokenizer_source_piece(context, id);
}

static const char *target_piece(const void *context, int32_t id)
{
    return tokenizer_target_piece(context, id);
}

DragomanStatus dragoman_learn_shortlist(const DragomanOptions *options, const char *source_path,
                                        const char *target_path, bool as_text, char **list, size_t *length,
                                        DragomanError *error)
{
    LoadedModel o = { 0 };
    ParallelText text = { 0 };
    Lexicon *lexicon = NULL;
    const long first = options->shortlist_first, best = options->shortlist_best; /* < 0: not given */
    ShortlistWriting w = { .first = first < 0 ? SHORTLIST_WRITE_FIRST : (size_t)first,
                           .best = best < 0 ? SHORTLIST_WRITE_BEST : (size_t)best,
                           .source_piece = source_piece,
                           .target_piece = target_piece };
    bool found = true, full = false;
    DragomanStatus answered;
    Buf out = { 0 };
    Err err = { "" };
    Status st = loaded_model_read_head(&o, options, &err);

    w.source_size = o.config.encoder.vocab;
    w.target_size = o.config.decoder.vocab;
    w.context = o.tokenizer;
    if (st == OK) st = loaded_model_check_languages(&o, options, &err);
    if (st == OK) st = lexicon_new(&lexicon, w.source_size, w.target_size, &err);

    /* Pairs are read until the end of the files, or until the lexicon is full. */
    if (st == OK) st = parallel_text_open(&text, o.tokenizer, options->pieces_in, source_path, target_path, &err);
    while (st == OK && found && !full) {
        const IdList *source = &text.pair.encoding.ids, *target = &text.pair.target_ids;
        st = parallel_text_next(&text, &found, &err);
        if (st == OK && found)
            st = lexicon_add(lexicon, source->data, source->len, target->data, target->len, &full, &err);
    }
    if (st == OK && !lexicon_pairs(lexicon))
        st = err_set(&err, ERR_FORMAT, "%s, %s: there is no pair of lines to learn from", text.source_name,
                     text.target_name);
    if (st == OK) st = lexicon_learn(lexicon, w.best > LEAST_KEPT ? w.best : LEAST_KEPT, &err);

    if (st == OK) st = ids_append_all(&w.always, o.search.eos.data, o.search.eos.len, &err);
    if (st == OK && tokenizer_facts(o.tokenizer)->target_unknown >= 0)
        st = ids_append(&w.always, tokenizer_facts(o.tokenizer)->target_unknown, &err);
    if (st == OK) st = (as_text ? shortlist_write_map : shortlist_write_binary)(&out, &w, lexicon, &err);
    ids_free(&w.always);
    parallel_text_close(&text);
    lexicon_free(lexicon);
    loaded_model_close(&o);
    answered = option_fields_answer_text(list, st, &out, &err, options->spelling, error);
    *length = out.len;
    return answered;
}

/* --- A sample of the pairs. */

void pair_sample_free(PairSample *sample)
{
    for (size_t i = 0; i < sample->count; i++) pair_free(&sample->pairs[i]);
    free(sample->pairs);
    *sample = (PairSample){ 0 };
}

Status pair_sample_add(PairSample *s, const TextPair *from, Err *err)
{
    const size_t number = s->seen++;
    size_t kept = 0;
    TextPair *pair;
    Status st;

    if (!s->stride) s->stride = 1;
    if (number % s->stride) return OK;
    if (s->count == s->most) {
        for (size_t i = 0; i < s->count; i++)
            if (i % 2)
                pair_free(&s->pairs[i]);
            else
                s->pairs[kept++] = s->pairs[i];
        s->count = kept;
        s->stride *= 2;
        if (number % s->stride) return OK;
    }
    st = buf_grow_list(&s->pairs, &s->cap, s->count, 1, sizeof *s->pairs, "the sentence pairs", err);
    if (st != OK) return st;
    pair = &s->pairs[s->count++];
    *pair = (TextPair){ .encoding = { .body = from->encoding.body, .pieces = from->encoding.pieces } };
    st = ids_append_all(&pair->encoding.ids, from->encoding.ids.data, from->encoding.ids.len, err);
    if (st == OK) st = ids_append_all(&pair->target_ids, from->target_ids.data, from->target_ids.len, err);
    buf_put(&pair->source, from->source.data, from->source.len);
    buf_put(&pair->target, from->target.data, from->target.len);
    if (st == OK) st = buf_check(&pair->source, err);
    return st == OK ? buf_check(&pair->target, err) : st;
}

/* --- Links between the tokens of pairs. */

/* Translations kept for each id. */
#define KEPT 200

Status link_lexicon_init(LinkLexicon *out, size_t source_size, size_t target_size, int32_t end, Err *err)
{
    Status st = lexicon_new(&out->forward, source_size, target_size, err);

    out->end = end;
    /* NOLINTNEXTLINE(readability-suspicious-call-argument): the other direction */
    return st == OK ? lexicon_new(&out->backward, target_size, source_size, err) : st;
}

void link_lexicon_free(LinkLexicon *lexicon)
{
    lexicon_free(lexicon->forward);
    lexicon_free(lexicon->backward);
    ids_free(&lexicon->ended);
}

/* The source ids that the lexicon learns from: all or, of a prompt, those of the text and one beside it, which is
 * linked to target tokens without a translation. */
static Range learned_ids(const LinkLexicon *l, const Encoding *source)
{
    const size_t end = source->body + source->pieces;

    if (!l->prompts) return (Range){ 0, source->ids.len };
    return source->body ? (Range){ source->body - 1, end } : (Range){ 0, end + (end < source->ids.len) };
}

/* Sets l->ended to the target followed by its end. */
static Status append_end(LinkLexicon *l, const IdList *target, Err *err)
{
    Status st;

    ids_clear(&l->ended);
    st = ids_append_all(&l->ended, target->data, target->len, err);
    return st == OK ? ids_append(&l->ended, l->end, err) : st;
}

Status link_lexicon_add(LinkLexicon *l, const Encoding *source, const IdList *target, bool *full, Err *err)
{
    const Range learned = learned_ids(l, source);
    Status st = append_end(l, target, err);

    *full = false;
    if (st == OK)
        st = lexicon_add(l->forward, source->ids.data + learned.begin, learned.end - learned.begin, target->data,
                         target->len, full, err);
    if (st != OK || *full) return st;
    return lexicon_add(l->backward, l->ended.data, l->ended.len, source->ids.data + source->body, source->pieces, full,
                       err);
}

Status link_lexicon_learn(LinkLexicon *lexicon, Err *err)
{
    Status st = lexicon_learn(lexicon->forward, KEPT, err);

    return st == OK ? lexicon_learn(lexicon->backward, KEPT, err) : st;
}

/* Returns the index of the id in from[count] that becomes `to` with the highest probability, or -1. Among equal
 * probabilities, such as those of a repeated id, returns the index closest to the diagonal; `place` in [0, 1] is the
 * relative position of `to` in its sentence. */
static int32_t best_origin(const Lexicon *lexicon, const int32_t *from, size_t count, int32_t to, double place)
{
    float most = 0;
    double nearest = 0;
    int32_t best = -1;

    for (size_t i = 0; i < count; i++) {
        const float probability = lexicon_probability(lexicon, from[i], to);
        const double distance = fabs(((double)i + 0.5) / (double)count - place);
        if (probability < most || probability <= 0 || (probability == most && distance >= nearest)) continue;
        most = probability;
        nearest = distance;
        best = (int32_t)i;
    }
    return best;
}

Status link_lexicon_links(LinkLexicon *l, const Encoding *source, const IdList *target, int32_t *links, Err *err)
{
    const Range learned = learned_ids(l, source);
    const size_t first = source->body, end = first + source->pieces;
    Status st = append_end(l, target, err);

    for (size_t t = 0; st == OK && t < target->len; t++) {
        const double place = ((double)t + 0.5) / (double)target->len;
        const int32_t origin = best_origin(l->forward, source->ids.data + learned.begin, learned.end - learned.begin,
                                           target->data[t], place);
        const size_t s = learned.begin + (size_t)origin;
        links[t] = -1;
        if (origin < 0 || s < first || s >= end) continue;
        const double back = ((double)(s - first) + 0.5) / (double)source->pieces;
        if (best_origin(l->backward, l->ended.data, l->ended.len, source->ids.data[s], back) == (int32_t)t)
            links[t] = (int32_t)s;
    }
    return st;
}

/* --- The best heads. */

enum { SHIFTS = 2 };

Status head_choice_init(HeadChoice *out, size_t layers, size_t heads, Err *err)
{
    *out = (HeadChoice){ .layers = layers, .heads = heads };
    out->counts = calloc(layers * (heads + 1) * SHIFTS + 1, sizeof *out->counts);
    return out->counts ? OK : err_memory(err, "the agreement of the heads");
}

/* The weight of source token s in row `row` of head `head` of a layer; `head` = c->heads: the sum of all. */
static float weight(const HeadChoice *c, const HeadChoicePair *p, size_t layer, size_t head, size_t row, size_t s)
{
    const size_t plane = (p->target_len + 1) * p->source_len;
    const float *first = p->attention + layer * c->heads * plane + row * p->source_len + s;
    float sum = 0;

    if (head < c->heads) return first[head * plane];
    for (size_t h = 0; h < c->heads; h++) sum += first[h * plane];
    return sum;
}

void head_choice_add(HeadChoice *choice, const HeadChoicePair *p)
{
    LinkCounts *counts = choice->counts;

    for (size_t t = 0; t < p->target_len; t++) choice->reference += p->links[t] >= 0;
    for (size_t layer = 0; layer < choice->layers; layer++)
        for (size_t candidate = 0; candidate < (choice->heads + 1) * SHIFTS; candidate++, counts++)
            for (size_t t = 0; t < p->target_len; t++) {
                const size_t head = candidate / SHIFTS, row = t + candidate % SHIFTS;
                size_t best = 0;
                float most = weight(choice, p, layer, head, row, 0);
                for (size_t s = 1; s < p->source_len; s++) {
                    const float w = weight(choice, p, layer, head, row, s);
                    if (w > most) best = s;
                    if (w > most) most = w;
                }
                if (best < p->body || best >= p->body + p->pieces) continue;
                counts->links++;
                counts->common += (int32_t)best == p->links[t];
            }
}

static double agreement(const HeadChoice *c, const LinkCounts *counts)
{
    const size_t both = counts->links + c->reference;

    return both ? 2.0 * (double)counts->common / (double)both : 0;
}

double head_choice_best(const HeadChoice *choice, AlignmentConfig *out)
{
    const size_t per_layer = (choice->heads + 1) * SHIFTS;
    size_t best = 0;

    for (size_t i = 1; i < choice->layers * per_layer; i++)
        if (agreement(choice, &choice->counts[i]) > agreement(choice, &choice->counts[best])) best = i;
    const size_t head = best % per_layer / SHIFTS;
    *out = (AlignmentConfig){ .layer_from_end = choice->layers - best / per_layer,
                              .first_head = head < choice->heads ? head : 0,
                              .heads = head < choice->heads ? 1 : 0,
                              .shift = best % SHIFTS };
    return agreement(choice, &choice->counts[best]);
}

/* --- chrF. The n-grams of a text are sorted once, by ORDERS characters. They are then also sorted by their first n
 * characters for every smaller n, so comparing two texts takes one merge of two lists for each n. */

enum { ORDERS = 6, BETA_SQUARED = 4 };

/* The next characters from one place of the text; 0 after its end. */
typedef struct {
    uint32_t codes[ORDERS];
} Gram;

typedef struct {
    Gram *grams; /* [count], one for each character, sorted */
    size_t count;
} Grams;

static int compare(const Gram *a, const Gram *b, size_t order)
{
    for (size_t i = 0; i < order; i++)
        if (a->codes[i] != b->codes[i]) return a->codes[i] < b->codes[i] ? -1 : 1;
    return 0;
}

static int by_all_codes(const void *left, const void *right)
{
    return compare(left, right, ORDERS);
}

static Status read_grams(Grams *out, const char *text, size_t len, Err *err)
{
    *out = (Grams){ calloc(len + 1, sizeof *out->grams), 0 };
    if (!out->grams) return err_memory(err, "a translation");
    for (size_t at = 0; at < len;) {
        uint32_t code;
        at += utf8_next(text + at, len - at, &code);
        if (!utf8_is_space(code)) out->grams[out->count++].codes[0] = code;
    }
    for (size_t i = 0; i < out->count; i++)
        for (size_t n = 1; n < ORDERS && i + n < out->count; n++) out->grams[i].codes[n] = out->grams[i + n].codes[0];
    qsort(out->grams, out->count, sizeof *out->grams, by_all_codes);
    return OK;
}

/* Returns the first gram from *at on that has at least `order` characters, or NULL, and sets *at to its index. */
static const Gram *next_gram(const Grams *grams, size_t order, size_t *at)
{
    while (*at < grams->count && !grams->grams[*at].codes[order - 1]) ++*at;
    return *at < grams->count ? &grams->grams[*at] : NULL;
}

Status chrf(double *out, const char *translation, size_t len, const char *reference, size_t reference_len, Err *err)
{
    Grams a, b = { 0 };
    double precision = 0, recall = 0;
    size_t orders = 0;
    Status st = read_grams(&a, translation, len, err);

    if (st == OK) st = read_grams(&b, reference, reference_len, err);
    for (size_t n = 1; st == OK && n <= ORDERS && n <= a.count && n <= b.count; n++, orders++) {
        /* Count the n-grams that both texts have. One that they have a and b times counts min(a, b) times. */
        size_t i = 0, k = 0, common = 0;
        const Gram *left, *right;
        while ((left = next_gram(&a, n, &i)) && (right = next_gram(&b, n, &k))) {
            const int sign = compare(left, right, n);
            common += sign == 0;
            i += sign <= 0;
            k += sign >= 0;
        }
        precision += (double)common / (double)(a.count - n + 1);
        recall += (double)common / (double)(b.count - n + 1);
    }
    free(a.grams);
    free(b.grams);
    if (st != OK) return st;
    *out = 0;
    if (precision + recall <= 0) return OK;
    precision /= (double)orders;
    recall /= (double)orders;
    *out = 100 * (1 + BETA_SQUARED) * precision * recall / (BETA_SQUARED * precision + recall);
    return OK;
}

/* --- The confidence. */

#define RIDGE         1.0
#define MOST_STEPS    50
#define MOST_HALVINGS 30
#define TOLERANCE     1e-10 /* a smaller improvement of the likelihood ends the search */

enum { F = CALIBRATION_FEATURES, N = F + 1 }; /* the last variable is the bias */

typedef struct {
    const ConfidenceExample *examples; /* [count] */
    size_t count;
    double mean[F], deviation[F]; /* of each feature; the deviation of a constant feature is set to 1 */
} Problem;

static void variables_of(const Problem *p, size_t i, double x[N])
{
    for (size_t f = 0; f < F; f++) x[f] = (p->examples[i].features[f] - p->mean[f]) / p->deviation[f];
    x[F] = 1;
}

static double dot(const double a[N], const double b[N])
{
    double sum = 0;

    for (size_t k = 0; k < N; k++) sum += a[k] * b[k];
    return sum;
}

/* The value to maximize. */
static double likelihood(const Problem *p, const double w[N])
{
    double sum = 0, x[N];

    for (size_t i = 0; i < p->count; i++) {
        variables_of(p, i, x);
        const double z = p->examples[i].good ? dot(w, x) : -dot(w, x);
        sum -= z > 0 ? log1p(exp(-z)) : log1p(exp(z)) - z;
    }
    for (size_t f = 0; f < F; f++) sum -= RIDGE / 2 * w[f] * w[f];
    return sum;
}

/* Sets the gradient of the likelihood, and minus its second derivatives. */
static void differentiate(const Problem *p, const double w[N], double gradient[N], double hessian[N][N])
{
    double x[N];

    memset(hessian, 0, N * sizeof *hessian);
    for (size_t k = 0; k < N; k++) {
        gradient[k] = k < F ? -RIDGE * w[k] : 0;
        hessian[k][k] = k < F ? RIDGE : 0;
    }
    for (size_t i = 0; i < p->count; i++) {
        variables_of(p, i, x);
        const double probability = 1 / (1 + exp(-dot(w, x))), weight = probability * (1 - probability);
        for (size_t k = 0; k < N; k++) {
            gradient[k] += (p->examples[i].good - probability) * x[k];
            for (size_t l = 0; l < N; l++) hessian[k][l] += weight * x[k] * x[l];
        }
    }
}

/* Solves a y = b for a positive definite matrix, by elimination; b becomes y. Returns false if it is singular. */
static bool solve(double a[N][N], double b[N])
{
    for (size_t k = 0; k < N; k++) {
        if (!(a[k][k] > 1e-12)) return false;
        for (size_t r = k + 1; r < N; r++) {
            const double factor = a[r][k] / a[k][k];
            for (size_t c = k; c < N; c++) a[r][c] -= factor * a[k][c];
            b[r] -= factor * b[k];
        }
    }
    for (size_t k = N; k-- > 0;) {
        for (size_t c = k + 1; c < N; c++) b[k] -= a[k][c] * b[c];
        b[k] /= a[k][k];
    }
    return true;
}

/* Adds the step to w, and halves the step until that improves the likelihood. Returns the improvement; 0 if no step
 * improves it. */
static double improve(const Problem *p, double w[N], const double step[N])
{
    const double before = likelihood(p, w);

    for (int halvings = 0; halvings < MOST_HALVINGS; halvings++) {
        double next[N];
        for (size_t k = 0; k < N; k++) next[k] = w[k] + ldexp(step[k], -halvings);
        const double after = likelihood(p, next);
        if (!(after > before)) continue;
        memcpy(w, next, sizeof next);
        return after - before;
    }
    return 0;
}

bool confidence_fit(ConfidenceFit *out, const ConfidenceExample *examples, size_t count)
{
    Problem p = { .examples = examples, .count = count };
    double w[N] = { 0 }, gradient[N], hessian[N][N], gain = 1;
    size_t good = 0;

    for (size_t i = 0; i < count; i++) good += examples[i].good;
    if (good < CONFIDENCE_FIT_LEAST || count - good < CONFIDENCE_FIT_LEAST) return false;
    for (size_t f = 0; f < F; f++) {
        double sum = 0, squares = 0;
        for (size_t i = 0; i < count; i++) sum += examples[i].features[f];
        p.mean[f] = sum / (double)count;
        for (size_t i = 0; i < count; i++) {
            const double x = examples[i].features[f] - p.mean[f];
            squares += x * x;
        }
        p.deviation[f] = squares > 0 ? sqrt(squares / (double)count) : 1;
    }
    for (int step = 0; step < MOST_STEPS && gain > TOLERANCE; step++) {
        differentiate(&p, w, gradient, hessian);
        gain = solve(hessian, gradient) ? improve(&p, w, gradient) : 0;
    }
    *out = (ConfidenceFit){ .bias = w[F], .pairs = count, .good = good };
    for (size_t f = 0; f < F; f++) {
        out->weights[f] = w[f] / p.deviation[f];
        out->bias -= out->weights[f] * p.mean[f];
    }
    return true;
}

/* --- The attention of every head of a model to the source when it writes given translations. */

/* The number of positions that the decoder computes at once. */
#define ROWS 32

typedef struct {
    Session *session;
    SearchParams params;
    size_t heads;
    size_t limit;  /* most ids of a translation, with its special tokens */
    bool prompts;  /* only the text of a prompt counts */
    IdList target; /* the forced first token (if the model has one), the translation, and the end token */
    float *values; /* [heads, target.len, source_len] */
    size_t cap;    /* the capacity of `values` */
} GivenAttention;

/* Opens a session that records the attention of all heads. */
static Status open_session(GivenAttention *g, const LoadedModel *loaded, Err *err)
{
    const StackConfig *decoder = &model_config(loaded->model)->decoder;
    const size_t positions = model_positions(loaded->model);
    AttentionChoice choice = { .count = decoder->layers * decoder->heads, .separate = true };
    Status st = search_params_copy(&g->params, &loaded->search, err);

    if (st != OK) return st;
    g->heads = decoder->layers * decoder->heads;
    g->prompts = tokenizer_facts(loaded->tokenizer)->prompts;
    g->limit = PARALLEL_TEXT_LONGEST + 2;
    if (loaded->rules.limit < g->limit) g->limit = loaded->rules.limit;
    if (positions && positions < g->limit) g->limit = positions;
    g->params.max_length = g->limit;
    st = session_new(&g->session, loaded->model, &g->params, g->limit, ROWS, err);
    if (st != OK) return st;
    choice.heads = calloc(g->heads + 1, sizeof *choice.heads);
    if (!choice.heads) return err_memory(err, "the attention");
    for (size_t i = 0; i < g->heads; i++) choice.heads[i] = (AttentionHead){ i / decoder->heads, i % decoder->heads };
    st = session_record_attention(g->session, &choice, err);
    attention_choice_free(&choice);
    return st;
}

/* Sets *out to the attention [layers * heads, target->len + 1, source length] when the model reads a source and writes
 * `target`, which has no special tokens. Row t of a head is the attention of the step that chooses token t; the last
 * row is that of the end token. The attention belongs to `g` and is valid until the next call. */
static Status given_attention_read(GivenAttention *g, const Encoding *encoding, const IdList *target, const float **out,
                                   Err *err)
{
    const IdList *source = &encoding->ids;
    const int32_t forced = g->params.forced_bos;
    const size_t rows = target->len + 1, columns = source->len;
    SearchInput input = { .source = source->data, .source_len = source->len };
    size_t count;
    void *tag;
    Status st;

    ids_clear(&g->target);
    if (forced >= 0) LIST_PUT(&g->target, forced);
    for (size_t i = 0; i < target->len; i++) LIST_PUT(&g->target, target->data[i]);
    LIST_PUT(&g->target, g->params.eos.data[0]);
    st = LIST_CHECK(&g->target, "the attention", err);
    if (st == OK)
        st = buf_grow_list(&g->values, &g->cap, 0, g->heads * g->target.len * columns, sizeof *g->values,
                           "the attention", err);
    input.target = g->target.data;
    input.target_len = g->target.len;
    if (g->prompts) {
        input.text_begin = encoding->body;
        input.text_end = encoding->body + encoding->pieces;
    }
    if (st == OK) st = session_add(g->session, &input, 1, err);
    while (st == OK && !session_finished(g->session, &tag, &count)) st = session_step(g->session, err);
    if (st == OK && session_is_broken(g->session))
        st = err_set(err, ERR_FORMAT, "the model computes NaN or infinity for a pair");
    if (st != OK) return st;
    session_result_attention(g->session, 0, g->values);

    /* The row of the first forced token is removed from each head. */
    for (size_t h = 0; g->target.len > rows && h < g->heads; h++)
        for (size_t i = 0; i < rows * columns; i++)
            g->values[h * rows * columns + i] = g->values[(h * (rows + 1) + 1) * columns + i];
    *out = g->values;
    return OK;
}

/* --- Calibrating. */

/* The most pairs that are read, the most of them on which the attention is measured, and the fewest that are needed. */
enum { MOST_READ = 100000, MOST_MEASURED = 4000, LEAST_READ = 100 };

/* A translation is good if its chrF is at least this. */
#define SAMPLE_GOOD_CHRF 50

/* The most lines that are submitted before the first translation is taken. */
enum { MOST_IN_FLIGHT = 32 };

/* A translator always has room for lines whose attention takes this many bytes, and for one line. */
#define IN_FLIGHT_BYTES ((size_t)8 << 20)

typedef struct {
    LoadedModel loaded;
    ParallelText text;
    LinkLexicon lexicon;
    PairSample sample;
    Calibration calibration;
} Calibrating;

static Status choose_alignment(Calibrating *c, Err *err)
{
    const StackConfig *decoder = &model_config(c->loaded.model)->decoder;
    GivenAttention given = { 0 };
    HeadChoice choice = { 0 };
    Status st = link_lexicon_learn(&c->lexicon, err);

    if (st == OK) st = open_session(&given, &c->loaded, err);
    if (st == OK) st = head_choice_init(&choice, decoder->layers, decoder->heads, err);
    for (size_t i = 0; st == OK && i < c->sample.count; i++) {
        const TextPair *pair = &c->sample.pairs[i];
        const IdList *source = &pair->encoding.ids, *target = &pair->target_ids;
        int32_t links[PARALLEL_TEXT_LONGEST];
        HeadChoicePair measured = { .links = links,
                                    .source_len = source->len,
                                    .target_len = target->len,
                                    .body = pair->encoding.body,
                                    .pieces = pair->encoding.pieces };
        if (source->len > c->loaded.rules.limit || target->len + 2 > given.limit) continue;
        st = link_lexicon_links(&c->lexicon, &pair->encoding, target, links, err);
        if (st == OK) st = given_attention_read(&given, &pair->encoding, target, &measured.attention, err);
        if (st == OK) head_choice_add(&choice, &measured);
        c->calibration.pairs++;
    }
    if (st == OK) c->calibration.agreement = head_choice_best(&choice, &c->calibration.alignment);
    if (st == OK && c->calibration.agreement <= 0)
        st = err_set(err, ERR_FORMAT,
                     "%s, %s: no attention of the model agrees with these pairs; are they translations?",
                     c->text.source_name, c->text.target_name);
    free(choice.counts);
    session_free(given.session);
    search_params_free(&given.params);
    ids_free(&given.target);
    free(given.values);
    return st;
}

/* How many lines of the sample a translator has room for, so that submitting does not wait for ever. The prompt of a
 * language model may make lines long. */
static size_t lines_in_flight(const PairSample *sample)
{
    size_t longest = 1, count;

    for (size_t i = 0; i < sample->count; i++)
        if (sample->pairs[i].encoding.ids.len > longest) longest = sample->pairs[i].encoding.ids.len;
    count = IN_FLIGHT_BYTES / sizeof(float) / longest / (longest + 1);
    return count > MOST_IN_FLIGHT ? MOST_IN_FLIGHT : count ? count : 1;
}

/* Translates the sample with the settings of the user, records the features of the confidence, and fits the confidence
 * to them. Leaves out lines without a translation, and translations without a token that the features count. */
static Status fit_confidence(Calibrating *c, const DragomanOptions *options, Err *err)
{
    const PairSample *sample = &c->sample;
    DragomanOptions own = option_fields_of_first(options);
    ConfidenceExample *examples = calloc(sample->count + 1, sizeof *examples); /* at most one for each pair */
    Dragoman *translator = NULL;
    const DragomanLine *line;
    DragomanError error;
    const size_t in_flight = lines_in_flight(sample);
    size_t count = 0, submitted = 0;
    Status st = examples ? OK : err_memory(err, "the translations");

    own.confidence = own.skip_calibration = true;
    own.skip_scores = false;
    own.pieces_out = own.pieces_in;
    if (st == OK) st = public_status(dragoman_open(&translator, &own, &error), &error, err);
    for (size_t taken = 0; st == OK && taken < sample->count; taken++) {
        const Buf *reference = &sample->pairs[taken].target;
        double score = 0;
        for (; st == OK && submitted < sample->count && submitted < taken + in_flight; submitted++) {
            const Buf *source = &sample->pairs[submitted].source;
            st = public_status(dragoman_submit_text(translator, source->data, source->len, 0, &error), &error, err);
        }
        if (st == OK) st = public_status(dragoman_next(translator, &line, &error), &error, err);
        if (st != OK || !line->count || !line->translations->features.tokens) continue;
        const DragomanTranslation *translation = line->translations;
        st = chrf(&score, translation->text.data, translation->text.len, reference->data, reference->len, err);
        line_features(&translation->features, examples[count].features);
        examples[count++].good = score >= SAMPLE_GOOD_CHRF;
    }
    dragoman_close(translator);
    if (st == OK) c->calibration.has_confidence = confidence_fit(&c->calibration.confidence, examples, count);
    free(examples);
    return st;
}

DragomanStatus dragoman_calibrate(const DragomanOptions *options, const char *source_path, const char *target_path,
                                  char **calibration, size_t *length, DragomanError *error)
{
    Calibrating c = { .sample = { .most = MOST_MEASURED } };
    LoadedModel *loaded = &c.loaded;
    DragomanOptions own = *options;
    DragomanStatus answered;
    Buf out = { 0 };
    Err err = { "" };
    Status st;

    own.skip_calibration = true;
    st = loaded_model_read_head(loaded, &own, &err);
    if (st == OK && loaded->ensemble.count > 1)
        st = err_set(&err, ERR_USAGE, "%s: an ensemble cannot be calibrated; calibrate its first model",
                     loaded->ensemble.text);
    if (st == OK) st = loaded_model_check_languages(loaded, options, &err);
    if (st == OK) st = loaded_model_read_weights(loaded, &err);
    if (st == OK) st = loaded_model_adopt_weights(loaded, &own, &err);
    if (st == OK)
        st = link_lexicon_init(&c.lexicon, model_config(loaded->model)->encoder.vocab,
                               model_config(loaded->model)->decoder.vocab, loaded->search.eos.data[0], &err);
    if (st == OK)
        st = parallel_text_open(&c.text, loaded->tokenizer, options->pieces_in, source_path, target_path, &err);
    c.lexicon.prompts = st == OK && tokenizer_facts(loaded->tokenizer)->prompts;
    for (bool found = true, full = false; st == OK && found && c.sample.seen < MOST_READ;) {
        st = parallel_text_next(&c.text, &found, &err);
        if (st == OK && found)
            st = link_lexicon_add(&c.lexicon, &c.text.pair.encoding, &c.text.pair.target_ids, &full, &err);
        if (full) break;
        if (st == OK && found) st = pair_sample_add(&c.sample, &c.text.pair, &err);
    }
    if (st == OK && c.sample.seen < LEAST_READ)
        st = err_set(
            &err, ERR_FORMAT,
            "%s, %s: only %zu pairs of lines can be used; a calibration needs at least %d, better a few thousand",
            c.text.source_name, c.text.target_name, c.sample.seen, LEAST_READ);
    if (st == OK) st = choose_alignment(&c, &err);
    if (st == OK) st = fit_confidence(&c, options, &err);
    if (st == OK) {
        c.calibration.model = model_hash(loaded->model, loaded->tokenizer);
        st = calibration_append(&out, &c.calibration, &model_config(loaded->model)->decoder, &err);
    }
    pair_sample_free(&c.sample);
    link_lexicon_free(&c.lexicon);
    parallel_text_close(&c.text);
    loaded_model_close(loaded);
    answered = option_fields_answer_text(calibration, st, &out, &err, options->spelling, error);
    *length = out.len;
    return answered;
}
