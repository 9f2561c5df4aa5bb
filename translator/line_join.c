/* line_join.c - see line.h and line_join.h: joins the translations of a line's segments. */
#include "line_join.h"

#include <stdlib.h>
#include <string.h>

#include "capitals.h"
#include "line.h"
#include "line_kept.h"
#include "sp_shim.h"
#include "text.h"
#include "utf8.h"

/* --- Unknown tokens.
 *
 * In text, a source token is written as its bytes of the source. A token that begins a word of the source begins a
 * word of the translation. */

bool line_unknowns_any(const SegmentResult *result, const LineRules *rules)
{
    if (!rules->unknowns) return false;
    for (size_t i = 0; i < result->ids.len; i++)
        if (result->ids.data[i] == tokenizer_target_unknown(rules->tokenizer)) return true;
    return false;
}

static bool is_blank(const Buf *text, Range range)
{
    const char *from = text->data + range.begin;
    const size_t len = range.end - range.begin;

    if (len == strlen(SP_SPACE) && memcmp(from, SP_SPACE, len) == 0) return true;
    return utf8_leading_space(from, len) == len;
}

/* The bytes of a source token in line_text(). One that is only a space stands for the token after it. Those of a
 * character that is several tokens belong to the last one. */
static Range source_range(const Line *line, size_t source)
{
    const RangeList *ranges = line_source_ranges(line);
    size_t at = source;

    while (at + 1 < ranges->len && is_blank(line_text(line), ranges->data[at])) at++;
    return ranges->data[at];
}

static bool is_kept(const Line *line, Range range)
{
    const SpanList *items = line->kept ? &line->kept->items : NULL;
    const size_t i = items ? spans_find(items->data, items->len, range.begin) : 0;

    return items && i < items->len && items->data[i].place.begin < range.end;
}

static bool may_replace(const Line *line, size_t source, const Tokenizer *tokenizer)
{
    const int32_t id = line_source_ids(line)->data[source];
    const bool special = tokenizer_source_is_special(tokenizer, id) && id != tokenizer_source_unknown(tokenizer);

    return !special && !is_kept(line, source_range(line, source));
}

/* The index of a segment's token in the line. Only its pieces have one here, not the special tokens after them. */
static size_t index_in_line(const SegmentPlace *place, size_t i)
{
    return place->unit + place->skipped + i;
}

/* Returns the end of the pieces if there is no such token. */
static size_t most_attended(const Segment *segment, const float *attention, const Tokenizer *tokenizer)
{
    const SegmentPlace *place = &segment->place;
    const size_t end = place->head + place->pieces;
    size_t best = end;

    for (size_t i = place->head; i < end; i++) {
        if (best < end && !(attention[i] > attention[best])) continue;
        if (may_replace(segment->line, index_in_line(place, i), tokenizer)) best = i;
    }
    return best;
}

static Status append(UnknownList *list, UnknownToken token, Err *err)
{
    Status st = buf_grow_list(&list->data, &list->cap, list->len, 1, sizeof *list->data, "the unknown tokens", err);

    if (st == OK) list->data[list->len++] = token;
    return st;
}

Status line_unknowns_find(SegmentResult *result, const Segment *segment, const LineRules *rules, Err *err)
{
    const int32_t unknown = tokenizer_target_unknown(rules->tokenizer);
    const size_t columns = segment->source.len, end = segment->place.head + segment->place.pieces;
    Status st = OK;

    for (size_t i = 0; st == OK && i < result->ids.len; i++) {
        size_t source;
        if (result->ids.data[i] != unknown) continue;
        source = most_attended(segment, result->attention + i * columns, rules->tokenizer);
        if (source < end) st = append(&result->unknowns, (UnknownToken){ i, source }, err);
    }
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

/* The entry of the id `target`, or NULL. *next, 0 at first, moves on; the targets of successive calls ascend. */
static const UnknownToken *next_unknown(const UnknownList *list, size_t *next, size_t target)
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
    Replacement r = { text->data + range.begin, range.end - range.begin, tokenizer_source_is_words(rules->tokenizer) };

    if (rules->pieces_in) {
        r.begins_word |= text_begins_with(text->data + line_source_ranges(line)->data[source].begin, SP_SPACE);
        return r;
    }
    if (!range.begin || utf8_trailing_space(text->data, range.begin)) r.begins_word = true;
    return trimmed(r);
}

/* What the vocabulary does not have becomes a piece. */
static Status append_own_piece(Buf *out, const Line *line, size_t source, const LineRules *rules, Err *err)
{
    const Replacement r = replacement_of(line, source, rules);
    const bool symbol = r.begins_word && !tokenizer_source_is_words(rules->tokenizer);
    Status st = symbol ? buf_append_text(out, SP_SPACE, err) : OK;

    return st == OK ? buf_append_replaced(out, r.text, r.len, " ", SP_SPACE, err) : st;
}

/* Appends the piece of a source token, as the user gave it. */
static Status append_source_piece(Buf *out, const Line *line, size_t source, const LineRules *rules, Err *err)
{
    const int32_t id = line_source_ids(line)->data[source];
    const Range range = line_source_ranges(line)->data[source];

    if (rules->pieces_in) return buf_append(out, line_text(line)->data + range.begin, range.end - range.begin, err);
    if (id == tokenizer_source_unknown(rules->tokenizer)) return append_own_piece(out, line, source, rules, err);
    return buf_append_text(out, tokenizer_source_piece(rules->tokenizer, id), err);
}

static bool ends_with_space(const Buf *text)
{
    return utf8_trailing_space(text->data, text->len) > 0;
}

static Status append_space(Buf *out, bool begins_word, Err *err)
{
    return begins_word && out->len && !ends_with_space(out) ? buf_append(out, " ", 1, err) : OK;
}

static Status append_source(Buf *out, const Line *line, size_t source, const LineRules *rules, Err *err)
{
    Replacement r = replacement_of(line, source, rules);
    Buf spaced = { 0 };
    Status st = OK;

    if (rules->pieces_in) {
        st = buf_append_replaced(&spaced, r.text, r.len, SP_SPACE, " ", err);
        if (st == OK) r = trimmed((Replacement){ spaced.data, spaced.len, r.begins_word });
    }
    if (st == OK) st = append_space(out, r.begins_word, err);
    if (st == OK) st = buf_append(out, r.text, r.len, err);
    buf_free(&spaced);
    return st;
}

/* The text that is made of a decoded one. */
typedef struct {
    const Line *line;
    const LineRules *rules;
    const Buf *text; /* decoded; the first `at` bytes have been read */
    size_t at;
    Buf made;
    bool replaced; /* the last token in `made` comes from the source */
} Rewriter;

static Status copy_until(Rewriter *w, size_t end, Err *err)
{
    const size_t begin = w->at;

    if (end <= begin) return OK;
    w->at = end;
    return buf_append(&w->made, w->text->data + begin, end - begin, err);
}

/* A translation that began with an unknown token has lost the space before its first word. */
static Status restore_space(Rewriter *w, int32_t id, Range range, Err *err)
{
    const Tokenizer *tokenizer = w->rules->tokenizer;
    const bool begins_word =
        tokenizer_target_is_words(tokenizer) || text_begins_with(tokenizer_target_piece(tokenizer, id), SP_SPACE);
    const bool has_space = utf8_leading_space(w->text->data + range.begin, range.end - range.begin) > 0;

    return append_space(&w->made, begins_word && !has_space, err);
}

/* Writes an id and sets its range. Bytes before it that belong to no id are copied. */
static Status rewrite(Rewriter *w, int32_t id, const UnknownToken *unknown, Range *range, Err *err)
{
    const Range old = *range;
    Status st = copy_until(w, old.begin, err);

    range->begin = w->made.len;
    if (st == OK && unknown) {
        st = append_source(&w->made, w->line, unknown->source, w->rules, err);
        if (old.end > w->at) w->at = old.end;
        w->replaced = true;
    } else if (st == OK && old.end > old.begin) {
        if (w->replaced) st = restore_space(w, id, old, err);
        if (st == OK) st = copy_until(w, old.end, err);
        w->replaced = false;
    }
    range->end = w->made.len;
    return st;
}

Status line_unknowns_put(const UnknownList *list, const Line *line, const LineRules *rules, const DecodedIds *ids,
                         Err *err)
{
    Rewriter w = { .line = line, .rules = rules, .text = ids->text };
    Status st = OK;

    for (size_t i = ids->first, next = 0; st == OK && i < ids->end; i++)
        st = rewrite(&w, ids->data[i], next_unknown(list, &next, i), &ids->ranges[i - ids->first], err);
    if (st == OK) st = copy_until(&w, ids->text->len, err);
    if (st == OK) {
        buf_free(ids->text);
        *ids->text = w.made;
        w.made = (Buf){ 0 };
    }
    buf_free(&w.made);
    return st;
}

/* --- The translation of a line. */

const Buf *line_text(const Line *line)
{

    return line->pivot_count ? &line->pivots[line->pivot_count - 1].text : &line->source;
}

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

Status line_append_ids(IdList *ids, const SegmentResult *result, const LineRules *rules, Err *err)
{
    Status st = ids_append_all(ids, result->ids.data, result->ids.len, err);
    int32_t *last = st == OK && result->ids.len ? &ids->data[ids->len - 1] : NULL;

    if (last && rules->chosen_ends && search_params_is_eos(rules->params, *last)) *last = rules->end;
    return st;
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

    if (unknown) return append_source_piece(text, j->line, unknown->source, j->rules, err);
    return buf_append_text(text, tokenizer_target_piece(j->rules->tokenizer, id), err);
}

/* Joins pieces with spaces and omits special tokens, whose ranges are empty. */
static Status join_pieces(const Joiner *j, Err *err)
{
    const Tokenizer *tokenizer = j->rules->tokenizer;
    const IdList *ids = &j->out->ids;
    Buf *text = &j->out->text;
    Status st = OK;

    for (size_t i = 0, next = 0; st == OK && i < ids->len; i++) {
        const UnknownToken *unknown = next_unknown(&j->unknowns, &next, i);
        const bool omitted = !unknown && tokenizer_target_is_special(tokenizer, ids->data[i]);
        Range range;
        if (text->len && !omitted) st = buf_append(text, " ", 1, err);
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
    return st == OK ? buf_append(&j->out->text, text->data + left, text->len - left, err) : st;
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
