/* segment_results.c - see segment_results.h. */
#include "segment_results.h"

#include <stdlib.h>
#include <string.h>

#include "line.h"
#include "sp_shim.h"
#include "text.h"
#include "utf8.h"
#include "option_fields.h"

/* --- Unknown tokens.
 *
 * In text, a source token is written as its bytes of the source. A token that begins a word of the source begins a
 * word of the translation. */

/* The bytes of a source token in line_text(). A token that is only a space stands for the token after it. Those of a
 * character that is several tokens belong to the last one. */
static Range source_range(const Line *line, size_t source)
{
    const RangeList *ranges = line_source_ranges(line);

    for (size_t at = source;; at++) {
        const Range range = ranges->data[at];
        const char *from = line_text(line)->data + range.begin;
        const size_t len = range.end - range.begin;
        const bool is_symbol = len == strlen(SP_SPACE) && memcmp(from, SP_SPACE, len) == 0;
        if (at + 1 == ranges->len || !(is_symbol || utf8_leading_space(from, len) == len)) return range;
    }
}

/* Whether the source token is neither special nor a part of an item of the line. */
static bool may_replace(const Line *line, size_t source, const Tokenizer *tokenizer)
{
    const int32_t id = line_source_ids(line)->data[source];
    const SpanList *items = line->kept ? &line->kept->items : NULL;
    Range range;
    size_t i;

    if (tokenizer_source_is_special(tokenizer, id) && id != tokenizer_facts(tokenizer)->source_unknown) return false;
    if (!items) return true;
    range = source_range(line, source);
    i = spans_find(items->data, items->len, range.begin);
    return i == items->len || items->data[i].place.begin >= range.end;
}

/* The index of a segment's token in the line. Only its pieces have one here, not the special tokens after them. */
static size_t index_in_line(const SegmentPlace *place, size_t i)
{
    return place->unit + place->skipped + i;
}

static Status append(UnknownList *list, UnknownToken token, Err *err)
{
    Status st = buf_grow_list(&list->data, &list->cap, list->len, 1, sizeof *list->data, "the unknown tokens", err);

    if (st == OK) list->data[list->len++] = token;
    return st;
}

Status line_unknowns_add(UnknownList *list, const Segment *segment, const SegmentResult *result, size_t first, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < result->unknowns.len; i++) {
        const UnknownToken token = result->unknowns.data[i];
        st = append(list, (UnknownToken){ first + token.target, index_in_line(&segment->place, token.source) }, err);
    }
    return st;
}

const UnknownToken *line_unknowns_next(const UnknownList *list, size_t *next, size_t target)
{
    while (*next < list->len && list->data[*next].target < target) ++*next;
    return *next < list->len && list->data[*next].target == target ? &list->data[*next] : NULL;
}

/* Text that replaces a token. */
typedef struct {
    const char *text;
    size_t len;
    bool begins_word;
} Replacement;

/* Drops the white space at both ends, which begins a word. */
static Replacement trimmed(Replacement r)
{
    const size_t space = utf8_leading_space(r.text, r.len);

    r.begins_word |= space > 0;
    r.text += space;
    r.len -= space;
    r.len -= utf8_trailing_space(r.text, r.len);
    return r;
}

/* The bytes of a source token. Pieces keep their space symbols. */
static Replacement replacement_of(const Line *line, size_t source, const LineRules *rules)
{
    const Buf *text = line_text(line);
    const Range range = source_range(line, source);
    Replacement r = { text->data + range.begin, range.end - range.begin,
                      tokenizer_facts(rules->tokenizer)->source_is_words };

    if (rules->pieces_in) {
        r.begins_word |= text_begins_with(text->data + line_source_ranges(line)->data[source].begin, SP_SPACE);
        return r;
    }
    if (!range.begin || utf8_trailing_space(text->data, range.begin)) r.begins_word = true;
    return trimmed(r);
}

void line_unknowns_put_piece(Buf *out, const Line *line, size_t source, const LineRules *rules)
{
    const Tokenizer *tokenizer = rules->tokenizer;
    const int32_t id = line_source_ids(line)->data[source];
    const Range range = line_source_ranges(line)->data[source];

    if (rules->pieces_in) {
        buf_put(out, line_text(line)->data + range.begin, range.end - range.begin);
    } else if (id == tokenizer_facts(tokenizer)->source_unknown) { /* what the vocabulary lacks becomes a piece */
        const Replacement r = replacement_of(line, source, rules);
        if (r.begins_word && !tokenizer_facts(tokenizer)->source_is_words) buf_put_text(out, SP_SPACE);
        buf_put_replaced(out, r.text, r.len, " ", SP_SPACE);
    } else {
        buf_put_text(out, tokenizer_source_piece(tokenizer, id));
    }
}

static void put_space(Buf *out, bool begins_word)
{
    if (begins_word && out->len && !utf8_trailing_space(out->data, out->len)) buf_put_byte(out, ' ');
}

/* Puts the bytes of a source token. */
static void put_source(Buf *out, const Line *line, size_t source, const LineRules *rules)
{
    Replacement r = replacement_of(line, source, rules);
    Buf spaced = { 0 };

    if (rules->pieces_in) {
        buf_put_replaced(&spaced, r.text, r.len, SP_SPACE, " ");
        out->failed |= spaced.failed;
        r = trimmed((Replacement){ spaced.data, spaced.len, r.begins_word });
    }
    put_space(out, r.begins_word);
    buf_put(out, r.text, r.len);
    buf_free(&spaced);
}

/* Bytes that belong to no id are copied. A translation that began with an unknown token has lost the space before its
 * first word, which is put back. */
Status line_unknowns_put(const UnknownList *list, const Line *line, const LineRules *rules, const DecodedIds *ids,
                         Err *err)
{
    const Tokenizer *tokenizer = rules->tokenizer;
    const Buf *text = ids->text;
    Buf made = { 0 };
    size_t at = 0;                 /* the bytes before it have been read */
    bool follows_replaced = false; /* the last token in `made` comes from the source */
    Status st;

    for (size_t i = ids->first, next = 0; i < ids->end; i++) {
        const UnknownToken *unknown = line_unknowns_next(list, &next, i);
        Range *range = &ids->ranges[i - ids->first];
        const Range old = *range;
        if (old.begin > at) {
            buf_put(&made, text->data + at, old.begin - at);
            at = old.begin;
        }
        range->begin = made.len;
        if (unknown) {
            put_source(&made, line, unknown->source, rules);
        } else if (old.end > old.begin && follows_replaced) {
            const bool begins_word = tokenizer_facts(tokenizer)->target_is_words ||
                                     text_begins_with(tokenizer_target_piece(tokenizer, ids->data[i]), SP_SPACE);
            put_space(&made, begins_word && !utf8_leading_space(text->data + old.begin, old.end - old.begin));
        }
        if (!unknown && old.end > at) buf_put(&made, text->data + at, old.end - at);
        if (old.end > at) at = old.end;
        if (unknown || old.end > old.begin) follows_replaced = unknown != NULL;
        range->end = made.len;
    }
    if (text->len > at) buf_put(&made, text->data + at, text->len - at);
    st = buf_check(&made, err);
    if (st == OK) {
        buf_free(ids->text);
        *ids->text = made;
    } else {
        buf_free(&made);
    }
    return st;
}

Status line_append_ids(IdList *ids, const SegmentResult *result, const LineRules *rules, Err *err)
{
    Status st = ids_append_all(ids, result->ids.data, result->ids.len, err);
    int32_t *last = st == OK && result->ids.len ? &ids->data[ids->len - 1] : NULL;

    if (last && rules->chosen_ends && ids_contain(&rules->params->eos, *last)) *last = rules->end;
    return st;
}

/* --- The results of a session. */

void line_free_results(SegmentResult *results, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ids_free(&results[i].ids);
        free(results[i].unknowns.data);
        free(results[i].attention);
        free(results[i].token_scores);
    }
    free(results);
}

Status segment_results_record(Session *session, const LineRules *rules, bool given, Err *err)
{
    const bool unknowns = rules->unknowns && !given, features = rules->features && !given;
    const unsigned extras = features ? SEARCH_SCORES | SEARCH_SPREAD : rules->token_scores ? SEARCH_SCORES : 0;
    Status st = rules->attention || unknowns ? session_record_attention(session, NULL, err) : OK;

    return st == OK ? session_allow(session, extras, err) : st;
}

/* With rules->shift, token t gets the attention of step t + shift, and the last rows stay. The attention that replaces
 * unknown tokens, if there are some, is dropped unless the rules ask for it. */
static Status add_attention(SegmentResult *result, const Segment *segment, Session *session, size_t i,
                            const LineRules *rules, Err *err)
{
    const int32_t unknown = tokenizer_facts(rules->tokenizer)->target_unknown;
    const size_t rows = result->ids.len, columns = segment->source.len, shift = rules->shift;
    const SegmentPlace *place = &segment->place;
    const size_t end = place->head + place->pieces;
    const bool replaces = rules->unknowns && !segment->line->given && ids_contain(&result->ids, unknown);
    Status st = OK;

    if (!rules->attention && !replaces) return OK;
    result->attention = calloc(rows * columns, sizeof *result->attention);
    if (!result->attention) return err_memory(err, "an alignment");
    session_result_attention(session, i, result->attention);
    if (shift < rows)
        memmove(result->attention, result->attention + shift * columns,
                (rows - shift) * columns * sizeof *result->attention);
    for (size_t t = 0; st == OK && replaces && t < rows; t++) {
        const float *attention = result->attention + t * columns;
        size_t best = end;
        if (result->ids.data[t] != unknown) continue;
        for (size_t k = place->head; k < end; k++) {
            if (best < end && !(attention[k] > attention[best])) continue;
            if (may_replace(segment->line, index_in_line(place, k), rules->tokenizer)) best = k;
        }
        if (best < end) st = append(&result->unknowns, (UnknownToken){ t, best }, err);
    }
    if (rules->attention) return st;
    free(result->attention);
    result->attention = NULL;
    return st;
}

Status segment_results_add(Segment *segment, size_t room, Session *session, size_t i, const LineRules *rules, Err *err)
{
    const Hypothesis hypothesis = session_result(session, i);
    const bool given = segment->line->given, judges = rules->features && !given;
    SegmentResult *result;
    float *scores = NULL;
    TokenSpread *spread = NULL;
    Status st;

    if (!segment->results) segment->results = calloc(room, sizeof *segment->results);
    if (!segment->results) return err_memory(err, "a translation");
    result = &segment->results[segment->count++];
    result->score = hypothesis.score;
    result->sum = hypothesis.sum;
    result->missed = hypothesis.missed;
    st = ids_append_all(&result->ids, hypothesis.ids, hypothesis.len, err);
    if (st == OK) st = add_attention(result, segment, session, i, rules, err);
    if (st != OK || !(rules->token_scores || judges)) return st;

    scores = calloc(hypothesis.len + 1, sizeof *scores);
    if (!scores) return err_memory(err, "the scores of tokens");
    session_result_scores(session, i, scores);
    if (rules->token_scores) result->token_scores = scores;
    /* What the ids and the choices of the search say about the translation. */
    if (judges) spread = calloc(hypothesis.len + 1, sizeof *spread);
    if (spread) {
        session_result_spread(session, i, spread);
        line_features_add(&result->features, scores, spread, hypothesis.len);
        result->flags = line_flags_of_ids(&segment->source, &result->ids, session_result_limit(session));
    } else if (judges) {
        st = err_memory(err, "the confidence");
    }
    free(spread);
    if (!rules->token_scores) free(scores);
    return st;
}

/* --- Second attempts. */

Status rescue_params(SearchParams *out, const SearchParams *from, Err *err)
{
    Status st = search_params_copy(out, from, err);

    if (st != OK) return st;
    search_params_unite(out);
    if (out->beams < RESCUE_BEAMS / 2)
        out->beams = RESCUE_BEAMS;
    else if (out->beams <= (size_t)setting_rows[DRAGOMAN_BEAMS].about.high / 2)
        out->beams *= 2;
    if (!from->no_repeat_ngram || from->no_repeat_ngram > RESCUE_NGRAM) out->no_repeat_ngram = RESCUE_NGRAM;
    return OK;
}

bool rescue_is_wanted(const Segment *segment)
{
    return segment->count && segment->results[0].flags & DRAGOMAN_FLAG_LOOP;
}

void rescue_begin(Segment *segment)
{
    segment->first_results = segment->results;
    segment->first_count = segment->count;
    segment->results = NULL;
    segment->count = 0;
}

/* How good a translation is if the numbers of flags are equal. */
static double quality(const SegmentResult *result, const ConfidenceFit *fit)
{
    return fit ? line_features_confidence(&result->features, fit) : (double)line_features(&result->features).mean;
}

void rescue_end(Segment *segment, const ConfidenceFit *fit)
{
    SegmentResult *results = segment->results, *first = segment->first_results;
    const size_t count = segment->count;

    segment->rescued = false;
    if (count) {
        const size_t now = line_flags_count(results->flags), before = line_flags_count(first->flags);
        segment->rescued = results->missed != first->missed ? results->missed < first->missed
                           : now != before                  ? now < before
                                                            : quality(results, fit) > quality(first, fit);
    }
    if (!segment->rescued) {
        segment->results = first;
        segment->count = segment->first_count;
        segment->first_results = results;
        segment->first_count = count;
    }
    line_free_results(segment->first_results, segment->first_count);
    segment->first_results = NULL;
    segment->first_count = 0;
}
