/* line_join.c - see line.h: joins the translations of a line's segments. */
#include "segment_results.h"

#include <stdlib.h>
#include <string.h>

#include "capitals.h"
#include "line.h"
#include "line_kept.h"
#include "sp_shim.h"
#include "text.h"
#include "utf8.h"

/* --- The translation of a line. */

/* The translation that is joined. */
typedef struct {
    DragomanTranslation *out;
    const Line *line;
    size_t rank;
    const LineRules *rules;
    Buf sentence;         /* the text of the current unit */
    RangeList ranges;     /* of its ids in `sentence`, if asked for or if the line has items */
    UnknownList unknowns; /* indices of the ids of the translation and of those of the source */
} Joiner;

/* Moves the attention out of a result, or copies it if other translations need it, too. */
static float *take_attention(const Joiner *j, const Segment *segment, SegmentResult *result)
{
    const size_t size = result->ids.len * segment->source.len;
    float *attention = result->attention;

    if (segment->count == j->line->count) {
        result->attention = NULL;
        return attention;
    }
    attention = calloc(size, sizeof *attention);
    if (attention) memcpy(attention, result->attention, size * sizeof *attention);
    return attention;
}

/* Appends the attention of a result, whose ids come next, as a block of the alignment. */
static Status join_attention(const Joiner *j, const Segment *segment, SegmentResult *result, Err *err)
{
    const SegmentPlace *place = &segment->place;
    const size_t count = segment->source.len;
    AlignmentBlock block = { j->out->ids.len, result->ids.len, calloc(count, sizeof *block.sources), count,
                             take_attention(j, segment, result) };
    Status st = block.sources && block.values ? OK : err_memory(err, "an alignment");

    for (size_t i = 0; st == OK && i < count; i++)
        block.sources[i] = place->unit + i + (i >= place->head ? place->skipped : 0) +
                           (i >= place->head + place->pieces ? place->left : 0);
    if (st == OK) st = soft_alignment_take(&j->out->alignment, &block, err);
    if (st == OK) return OK;
    free(block.sources);
    free(block.values);
    return st;
}

static Status join_token_scores(const Joiner *j, const SegmentResult *result, Err *err)
{
    TokenScores *scores = &j->out->scores;
    Status st = buf_grow_list(&scores->data, &scores->cap, scores->len, result->ids.len, sizeof *scores->data,
                              "the scores of tokens", err);

    if (st != OK) return st;
    memcpy(scores->data + scores->len, result->token_scores, result->ids.len * sizeof *scores->data);
    scores->len += result->ids.len;
    return OK;
}

/* Puts the tokens back for which an end token stands. */
static void restore_ids(const Joiner *j)
{
    size_t at = 0;

    for (size_t i = 0; j->rules->chosen_ends && i < j->line->segment_count; i++) {
        const IdList *ids = &line_result_of(&j->line->segments[i], j->rank)->ids;
        if (ids->len) memcpy(j->out->ids.data + at, ids->data, ids->len * sizeof *ids->data);
        at += ids->len;
    }
}

/* Appends the ids of the segments [first, end), their scores and their attention. */
static Status join_segments(Joiner *j, size_t first, size_t end, Err *err)
{
    Status st = OK;

    for (size_t i = first; st == OK && i < end; i++) {
        const Segment *segment = &j->line->segments[i];
        SegmentResult *result = line_result_of(segment, j->rank);
        j->out->score += result->score;
        j->out->sum += result->sum;
        j->out->flags |= result->flags;
        line_features_join(&j->out->features, &result->features);
        if (result->attention) st = join_attention(j, segment, result, err);
        if (st == OK && result->token_scores) st = join_token_scores(j, result, err);
        if (st == OK) st = line_unknowns_add(&j->unknowns, segment, result, j->out->ids.len, err);
        if (st == OK) st = line_append_ids(&j->out->ids, result, j->rules, err);
    }
    return st;
}

/* Appends ranges[0..count), those of a text that begins at `begin` of the translation. */
static Status add_ranges(const Joiner *j, const Range *ranges, size_t count, size_t begin, Err *err)
{
    return j->rules->ranges ? token_ranges_add(&j->out->ranges, ranges, count, (TextPlace){ 0, 0, begin }, err) : OK;
}

static Status append_piece(const Joiner *j, int32_t id, const UnknownToken *unknown, Err *err)
{
    Buf *text = &j->out->text;

    if (unknown) return line_unknowns_append_piece(text, j->line, unknown->source, j->rules, err);
    buf_put_text(text, tokenizer_target_piece(j->rules->tokenizer, id));
    return buf_check(text, err);
}

/* Joins pieces with spaces and omits special tokens, whose ranges are empty. */
static Status join_pieces(const Joiner *j, Err *err)
{
    const Tokenizer *tokenizer = j->rules->tokenizer;
    const IdList *ids = &j->out->ids;
    Buf *text = &j->out->text;
    Status st = OK;

    for (size_t i = 0, next = 0; st == OK && i < ids->len; i++) {
        const UnknownToken *unknown = line_unknowns_next(&j->unknowns, &next, i);
        const bool omitted = !unknown && tokenizer_target_is_special(tokenizer, ids->data[i]);
        Range range;
        if (text->len && !omitted) buf_put_byte(text, ' ');
        if (st == OK) st = buf_check(text, err);
        range.begin = text->len;
        if (st == OK && !omitted) st = append_piece(j, ids->data[i], unknown, err);
        range.end = text->len;
        if (st == OK) st = add_ranges(j, &range, 1, 0, err);
    }
    return st;
}

/* Decodes the ids from `first` on. */
static Status decode(Joiner *j, size_t first, Err *err)
{
    const IdList *ids = &j->out->ids;
    const size_t count = ids->len - first;
    const bool ranges = j->rules->ranges || j->line->kept;
    Status st = OK;

    buf_clear(&j->sentence);
    ranges_clear(&j->ranges);
    if (ranges) st = ranges_append(&j->ranges, (Range){ 0 }, count, err);
    if (st == OK)
        st = tokenizer_decode(j->rules->tokenizer, count ? ids->data + first : NULL, count, &j->sentence,
                              ranges ? j->ranges.data : NULL, err);
    if (st != OK || !j->unknowns.len) return st;
    return line_unknowns_put(&j->unknowns, j->line, j->rules,
                             &(DecodedIds){ ids->data, first, ids->len, &j->sentence, j->ranges.data }, err);
}

/* Appends text[left..right), which separates the sentence from the previous one, and the translation of the
 * sentence. */
static Status append_sentence(const Joiner *j, size_t unit, size_t left, size_t right, Err *err)
{
    const Buf *text = line_text(j->line);
    const Buf *sentence = &j->sentence;
    Buf *out = &j->out->text;
    Status st;

    if (j->line->kept) line_kept_copy(j->out, j->line, left, right, out->len);
    buf_put(out, text->data + left, right - left);
    if (left == right && out->len && sentence->len &&
        sentences_need_space(out->data, out->len, sentence->data, sentence->len))
        buf_put_byte(out, ' ');
    st = add_ranges(j, j->ranges.data, j->ranges.len, out->len, err);
    if (j->line->demands) LIST_PUT(&j->out->units, ((Range){ out->len, out->len + sentence->len }));
    if (j->line->kept) line_kept_move(j->out, j->line, unit, out->len);
    buf_put(out, sentence->data, sentence->len);
    if (st == OK) st = LIST_CHECK(&j->out->units, "the demands of a line", err);
    return st == OK ? buf_check(out, err) : st;
}

/* Puts the items of the unit into its text and converts the text to capitals, except for the items, if the unit was in
 * capitals. */
static Status finish_unit(Joiner *j, size_t unit, const KeptResult *result, Err *err)
{
    const LineKept *kept = j->line->kept;
    const bool has_items = kept && kept->units[unit].count;

    typography_write_quotes(j->sentence.data, j->sentence.len, &j->line->units[unit].quotes);
    if (j->line->units[unit].capitals && !has_items) capitals_raise(j->sentence.data, j->sentence.len);
    return kept ? line_kept_put(j->out, j->line, result, j->rules, err) : OK;
}

/* Finds the text of the unit, whose segments begin at `first`. */
static Status join_unit(Joiner *j, size_t unit, size_t first, Err *err)
{
    const KeptResult result = { unit, first, j->out->ids.len, &j->sentence, &j->ranges };
    Status st = join_segments(j, first, j->line->units[unit].segments_end, err);

    if (st == OK) st = decode(j, result.first_id, err);
    return st == OK ? finish_unit(j, unit, &result, err) : st;
}

/* White space at the start of a line that is not split belongs to its unit. */
static Status join_units(Joiner *j, Err *err)
{
    const Buf *text = line_text(j->line);
    size_t first = 0, left = 0;
    Status st = OK;

    for (size_t i = 0; st == OK && i < j->line->unit_count; i++) {
        const Unit *unit = &j->line->units[i];
        st = join_unit(j, i, first, err);
        if (st == OK) st = append_sentence(j, i, left, unit->range.begin, err);
        first = unit->segments_end;
        left = unit->range.end;
    }
    if (st == OK && j->line->kept && j->line->unit_count)
        line_kept_copy(j->out, j->line, left, text->len, j->out->text.len);
    if (st == OK) buf_put(&j->out->text, text->data + left, text->len - left);
    return st == OK ? buf_check(&j->out->text, err) : st;
}

/* Takes the text and the ranges that the user's translation has. */
static Status join_given(Joiner *j, Err *err)
{
    GivenTarget *given = j->line->given;
    Status st = join_segments(j, 0, j->line->segment_count, err);

    j->out->text = given->text;
    j->out->ranges = given->ranges;
    j->out->forced = given->forced;
    given->text = (Buf){ 0 };
    given->ranges = (RangeList){ 0 };
    return st;
}

/* Pieces have no white space to restore between sentences. */
static Status join_all_pieces(Joiner *j, Err *err)
{
    Status st = join_segments(j, 0, j->line->segment_count, err);

    return st == OK ? join_pieces(j, err) : st;
}

Status line_join(DragomanTranslation *out, const Line *line, size_t rank, const LineRules *rules, Err *err)
{
    Joiner j = { .out = out, .line = line, .rank = rank, .rules = rules };
    Status st;

    if (line->given) return join_given(&j, err);
    st = rules->pieces_out ? join_all_pieces(&j, err) : join_units(&j, err);
    if (st == OK) restore_ids(&j);
    buf_free(&j.sentence);
    ranges_free(&j.ranges);
    free(j.unknowns.data);
    return st;
}
