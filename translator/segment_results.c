/* segment_results.c - see line.h: unknown tokens, and the results of a session. */
#include "line.h"

#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "sp_model.h"
#include "text.h"
#include "utf8.h"

/* --- Unknown tokens.
 *
 * An unknown token is replaced by the bytes of a source token in the text. If the source token begins a word, the bytes
 * begin a word of the translation. */

/* The bytes of a source token in line_text(). A token that is only a space stands for the token after it. If several
 * tokens make up a character, its bytes belong to the last of them. */
static Range source_range(const Line *line, size_t source)
{
    const RangeList *ranges = line_source_ranges(line);

    for (size_t at = source;; at++) {
        const Range range = ranges->data[at];
        const char *from = line_text(line)->data + range.begin;
        const size_t len = range.end - range.begin;
        const bool is_symbol = len == strlen(SP_SPACE) && memcmp(from, SP_SPACE, len) == 0;
        if (at + 1 == ranges->len || !(is_symbol || utf8_is_blank(from, len))) return range;
    }
}

/* Whether the source token is neither special nor a part of an item of the line. */
static bool may_replace(const Line *line, size_t source, const Tokenizer *tokenizer)
{
    const int32_t id = line_source_ids(line)->data[source];

    if (tokenizer_source_is_special(tokenizer, id) && id != tokenizer_facts(tokenizer)->source_unknown) return false;
    return !line->kept.len || !spans_overlap(line->kept.data, line->kept.len, source_range(line, source));
}

/* The index, in the source ids of the line, of token `i` of a segment; not for special tokens after the pieces. */
static size_t index_in_line(const SegmentPlace *place, size_t i)
{
    return place->unit + place->skipped + i;
}

/* An end token that the user has chosen is not part of the text, so the model's own end token takes its place. */
Status line_append_result(IdList *ids, UnknownList *unknowns, const Segment *segment, const SegmentResult *result,
                          const LineRules *rules, Err *err)
{
    const size_t first = ids->len;
    Status st = ids_append_all(ids, result->ids.data, result->ids.len, err);
    int32_t *last = st == OK && result->ids.len ? &ids->data[ids->len - 1] : NULL;

    if (last && rules->chosen_ends && ids_contain(&rules->params->eos, *last)) *last = rules->end;
    for (size_t i = 0; i < result->unknowns.len; i++) {
        const UnknownToken token = result->unknowns.data[i];
        LIST_PUT(unknowns, ((UnknownToken){ first + token.target, index_in_line(&segment->place, token.source) }));
    }
    return st == OK ? LIST_CHECK(unknowns, "the unknown tokens", err) : st;
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

/* Drops the white space at both ends. White space at the beginning means that the text begins a word. */
static Replacement trimmed(Replacement r)
{
    const size_t space = utf8_leading_space(r.text, r.len);

    r.begins_word |= space > 0;
    r.text += space;
    r.len -= space;
    r.len -= utf8_trailing_space(r.text, r.len);
    return r;
}

/* The bytes of a source token. If the input is pieces, their space symbols stay. */
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
    } else if (id == tokenizer_facts(tokenizer)->source_unknown) { /* make a piece of text without one */
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

/* Bytes that belong to no id are copied. If the translation begins with an unknown token, decoding has dropped the
 * space between it and the next word: this space is put back. */
Status line_unknowns_put(const UnknownList *list, const Line *line, const LineRules *rules, const DecodedIds *decoded,
                         Err *err)
{
    const Tokenizer *tokenizer = rules->tokenizer;
    const IdList *ids = decoded->ids;
    const Buf *text = decoded->text;
    Buf made = { 0 };
    size_t at = 0;                 /* the bytes before it have been read */
    bool follows_replaced = false; /* the last token in `made` comes from the source */
    Status st;

    for (size_t i = decoded->first, next = 0; i < ids->len; i++) {
        const UnknownToken *unknown = line_unknowns_next(list, &next, i);
        Range *range = &decoded->ranges->data[i - decoded->first];
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
                                     text_begins_with(tokenizer_target_spelling(tokenizer, ids->data[i]), SP_SPACE);
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
        buf_free(decoded->text);
        *decoded->text = made;
    } else {
        buf_free(&made);
    }
    return st;
}

Status line_decode(const UnknownList *list, const Line *line, const LineRules *rules, const DecodedIds *decoded,
                   Err *err)
{
    const size_t first = decoded->first, count = decoded->ids->len - first;
    const Unit *unit = decoded->unit;
    const LineText source = { line_text(line)->data + unit->range.begin, unit->range.end - unit->range.begin };
    RangeList own = { 0 }, *ranges = decoded->ranges ? decoded->ranges : &own;
    Status st;

    if (decoded->ranges || list->len) ranges_put(ranges, (Range){ 0, 0 }, count);
    st = ranges_check(ranges, err);
    if (st == OK)
        st = tokenizer_decode_replaced(rules->tokenizer, count ? decoded->ids->data + first : NULL, count,
                                       &unit->replaced, decoded->text, ranges->data, err);
    if (st == OK && list->len)
        st = line_unknowns_put(
            list, line, rules,
            &(DecodedIds){ .ids = decoded->ids, .first = first, .text = decoded->text, .ranges = ranges }, err);
    if (st == OK && tokenizer_facts(rules->tokenizer)->prompts &&
        answer_clean(decoded->text, decoded->ranges, source, tokenizer_target_title(rules->tokenizer)) &&
        decoded->flags)
        *decoded->flags |= DRAGOMAN_FLAG_CHATTER;
    ranges_free(&own);
    return st;
}

/* --- The results of a session. */

void segment_result_free(SegmentResult *result)
{
    ids_free(&result->ids);
    free(result->unknowns.data);
    free(result->attention);
    free(result->token_scores);
    free(result->found);
    free(result->words.data);
}

void segment_results_free(SegmentResults *results)
{
    for (size_t i = 0; i < results->len; i++) segment_result_free(&results->data[i]);
    free(results->data);
    *results = (SegmentResults){ NULL, 0 };
}

Status segment_results_record(Session *session, const LineRules *rules, Attempt attempt, Err *err)
{
    const bool given = attempt == ATTEMPT_SCORED, scores = attempt > ATTEMPT_SECOND;
    const bool unknowns = rules->unknowns && !given, features = rules->judged || (rules->rescues && !given);
    const unsigned extras = features                        ? SEARCH_SCORES | SEARCH_SPREAD
                            : rules->token_scores || scores ? SEARCH_SCORES
                                                            : 0;
    Status st = rules->attention || unknowns ? session_record_attention(session, NULL, err) : OK;

    return st == OK ? session_allow(session, extras, err) : st;
}

/* Reads the attention of hypothesis `i`; row t + rules->shift, if there is one, becomes row t. Finds the source tokens
 * for unknown tokens. Then drops the attention unless the rules ask for it. */
static Status add_attention(SegmentResult *result, const Segment *segment, Session *session, size_t i,
                            const LineRules *rules, Err *err)
{
    const int32_t unknown = tokenizer_facts(rules->tokenizer)->target_unknown;
    const size_t rows = result->ids.len, columns = segment->source.len, shift = rules->shift;
    const SegmentPlace *place = &segment->place;
    const size_t end = place->head + place->pieces;
    const bool replaces = rules->unknowns && segment->attempt != ATTEMPT_SCORED && ids_contain(&result->ids, unknown);

    if (!rules->attention && !replaces) return OK;
    result->attention = calloc(rows * columns, sizeof *result->attention);
    if (!result->attention) return err_memory(err, "an alignment");
    session_result_attention(session, i, result->attention);
    if (shift < rows)
        memmove(result->attention, result->attention + shift * columns,
                (rows - shift) * columns * sizeof *result->attention);
    for (size_t t = 0; replaces && t < rows; t++) {
        const float *attention = result->attention + t * columns;
        size_t best = end;
        if (result->ids.data[t] != unknown) continue;
        for (size_t k = place->head; k < end; k++) {
            if (best < end && !(attention[k] > attention[best])) continue;
            if (may_replace(segment->line, index_in_line(place, k), rules->tokenizer)) best = k;
        }
        if (best < end) LIST_PUT(&result->unknowns, ((UnknownToken){ t, best }));
    }
    if (!rules->attention) {
        free(result->attention);
        result->attention = NULL;
    }
    return LIST_CHECK(&result->unknowns, "the unknown tokens", err);
}

IdList segment_text_ids(const Segment *segment, const LineRules *rules)
{
    const SegmentPlace *place = &segment->place;

    if (!tokenizer_facts(rules->tokenizer)->prompts) return segment->source;
    return (IdList){ .data = segment->source.data + place->head, .len = place->pieces };
}

/* Adds the log-probabilities of the tokens, and the flags and features of the result. */
static Status add_scores(SegmentResult *result, const Segment *segment, Session *session, size_t i,
                         const LineRules *rules, Err *err)
{
    const bool is_given = segment->attempt == ATTEMPT_SCORED, judges = rules->judged || (rules->rescues && !is_given);
    const size_t count = result->ids.len;
    TokenSpread *spread = NULL;

    if (!rules->token_scores && !judges && !(segment->demands && segment->attempt > ATTEMPT_SECOND)) return OK;
    result->token_scores = calloc(count + 1, sizeof *result->token_scores);
    if (!result->token_scores) return err_memory(err, "the scores of tokens");
    search_result_scores(session_search(session), i, result->token_scores);
    if (!judges) return OK;
    spread = calloc(count + 1, sizeof *spread);
    if (!spread) return err_memory(err, "the confidence");
    search_result_spread(session_search(session), i, spread);
    line_features_add(&result->features, result->token_scores, spread, count);
    const IdList source = segment_text_ids(segment, rules);
    result->flags =
        line_flags_of_ids(&source, &result->ids, is_given ? SIZE_MAX : search_length_limit(session_search(session)));
    free(spread);
    if (rules->token_scores || segment->demands) return OK;
    free(result->token_scores);
    result->token_scores = NULL;
    return OK;
}

Status segment_results_read(Segment *segment, Session *session, size_t count, const LineRules *rules, Err *err)
{
    SegmentResults *results = &segment->results;
    Status st = OK;

    results->data = calloc(count, sizeof *results->data);
    if (!results->data) return err_memory(err, "a translation");
    for (size_t i = 0; st == OK && i < count; i++) {
        const Hypothesis hypothesis = search_result(session_search(session), i);
        SegmentResult *result = &results->data[results->len++];
        result->score = hypothesis.score;
        result->sum = hypothesis.sum;
        st = ids_append_all(&result->ids, hypothesis.ids, hypothesis.len, err);
        if (st == OK) st = add_attention(result, segment, session, i, rules, err);
        if (st == OK) st = add_scores(result, segment, session, i, rules, err);
    }
    return st;
}
