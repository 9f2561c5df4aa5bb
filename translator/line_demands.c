/* line_demands.c - see line.h. */
#include "line.h"

#include <stdlib.h>
#include <string.h>

#include <unicode/uchar.h>

#include "chars.h"
#include "sentences.h"
#include "sp_model.h"
#include "target_text.h"
#include "text.h"
#include "utf8.h"
#include "words.h"

/* --- The tokens of demanded texts. */

/* U+3002, the full stop of Chinese. A text after it is encoded as after any character, not as after a space. */
#define JOINT "\xe3\x80\x82"

static bool continues(const char *piece)
{
    uint32_t code;

    if (!*piece || *piece == '<' || text_begins_with(piece, SP_SPACE)) return false;
    (void)utf8_next(piece, strlen(piece), &code);
    if (code == UTF8_INVALID) return false;
    return u_hasBinaryProperty((UChar32)code, UCHAR_HYPHEN) ||
           (u_isalnum((UChar32)code) && !sentence_is_unspaced(code));
}

/* A token continues a word if it begins with a hyphen, or with a letter or a digit of a script with spaces between
 * words, and not with U+2581. In a vocabulary without U+2581, all tokens are whole words. */
const unsigned char *demand_tokens_continuing(DemandTokens *tokens)
{
    const Tokenizer *tokenizer = tokens->tokenizer;
    unsigned char *continuing;
    bool marks_spaces = false;

    pthread_mutex_lock(&tokens->lock);
    continuing = tokens->continuing;
    if (!continuing) {
        continuing = tokens->continuing = calloc(tokens->vocab + 1, 1);
        for (size_t i = 0; continuing && !marks_spaces && i < tokens->vocab; i++)
            marks_spaces = text_begins_with(tokenizer_target_spelling(tokenizer, (int32_t)i), SP_SPACE);
        for (size_t i = 0; continuing && marks_spaces && i < tokens->vocab; i++)
            continuing[i] = !tokenizer_target_is_special(tokenizer, (int32_t)i) &&
                            continues(tokenizer_target_spelling(tokenizer, (int32_t)i));
    }
    pthread_mutex_unlock(&tokens->lock);
    return continuing;
}

/* Sets *out to what finds inflected forms of terms; NULL if inflected forms do not count, or cannot be found. */
static Status find_inflection(DemandTokens *tokens, Inflection **out, Err *err)
{
    Status st = OK;

    pthread_mutex_lock(&tokens->lock);
    if (tokens->inflects && !tokens->has_inflection) {
        st = inflection_new(&tokens->inflection, *tokens->language ? tokens->language : NULL, err);
        tokens->has_inflection = st == OK;
    }
    *out = tokens->inflection;
    pthread_mutex_unlock(&tokens->lock);
    return st;
}

/* Appends the pieces of the encoding from piece `skipped` on, if they spell the text. */
static Status append_pieces(const DemandTokens *tokens, LineText text, const Encoding *encoding, size_t skipped,
                            IdList *out, Err *err)
{
    const int32_t unknown = tokenizer_facts(tokens->tokenizer)->target_unknown;
    const size_t count = encoding->pieces - skipped;
    const int32_t *ids;
    bool is_spelled;
    Status st;

    if (!count) return OK;
    ids = encoding->ids.data + encoding->body + skipped;
    for (size_t i = 0; i < count; i++)
        if (ids[i] == unknown || ids[i] < 0 || (size_t)ids[i] >= tokens->vocab) return OK;
    st = spelling_check(&is_spelled, tokens->tokenizer, ids, count, text.data, text.len, err);
    return st == OK && is_spelled ? ids_append_all(out, ids, count, err) : st;
}

/* Appends the ids of a text in the middle of a translation. Appends nothing if the vocabulary lacks characters of the
 * text or the tokenizer replaces them by others (spelling_check()). With `joined`, the text directly follows another
 * character: it is encoded after JOINT, whose pieces are left out. If the text changes these pieces, nothing is
 * appended. */
static Status encode_demand(const DemandTokens *tokens, LineText text, bool joined, IdList *out, Err *err)
{
    static const size_t joint = sizeof JOINT - 1;
    Encoding before = { .is_part = true }, whole = { .is_part = true };
    Buf read = { 0 };
    Status st;

    if (joined) buf_put(&read, JOINT, joint);
    if (!joined && tokenizer_facts(tokens->tokenizer)->target_continues) buf_put_byte(&read, ' ');
    buf_put(&read, text.data, text.len);
    st = buf_check(&read, err);
    if (st == OK && joined) st = tokenizer_encode_translation(tokens->tokenizer, JOINT, joint, false, &before, err);
    if (st == OK) st = tokenizer_encode_translation(tokens->tokenizer, read.data, read.len, false, &whole, err);
    if (st == OK &&
        (!joined || (whole.pieces > before.pieces && memcmp(whole.ids.data + whole.body, before.ids.data + before.body,
                                                            before.pieces * sizeof(int32_t)) == 0)))
        st = append_pieces(tokens, text, &whole, before.pieces, out, err);
    encoding_free(&before);
    encoding_free(&whole);
    buf_free(&read);
    return st;
}

/* --- The demands of lines and segments. */

void segment_demands_free(SegmentDemands *demands)
{
    if (!demands) return;
    free(demands->list.data);
    free(demands->forms.data);
    free(demands->numbers.data);
    free(demands->places.data);
    ids_free(&demands->ids);
    term_trials_free(demands->trials);
    free(demands);
}

/* The form that follows `form` in Line.forms. */
static const char *next_form(const char *form)
{
    return form + strlen(form) + 1;
}

static const char *first_form(const Line *line, const Span *demand)
{
    return line->forms.data + demand->first_form;
}

/* --- The demands of a line. */

/* Whether the term is in a part of the source that dragoman has found and keeps, such as an address. */
static bool is_in_found(const SpanList *items, const Span *term)
{
    for (size_t i = spans_find(items->data, items->len, term->source.begin);
         i < items->len && items->data[i].source.begin < term->source.end; i++)
        if (items->data[i].kind == DRAGOMAN_SPAN_FOUND) return true;
    return false;
}

Status line_demands_new(Line *line, const DragomanRequest *request, Err *err)
{
    const SpanList *asked = &request->demands;
    Status st;

    line->must_unit = SIZE_MAX;
    buf_put(&line->forms, request->forms.data, request->forms.len);
    st = buf_check(&line->forms, err);
    for (size_t i = 0; st == OK && i < asked->len; i++) {
        Span demand = asked->data[i];
        const Range range = demand.source;
        const bool is_term = demand.kind == DRAGOMAN_SPAN_TERM;
        const char *form = first_form(line, &demand);
        demand.place = range;
        if (is_term && (range.begin >= range.end || range.end > line->source.len))
            return err_set(err, ERR_USAGE, "the range of demand %zu is empty or not in the line", i + 1);
        for (size_t f = 0; f < demand.form_count; f++, form = next_form(form)) {
            const size_t size = strlen(form);
            if (utf8_is_blank(form, size) || utf8_clean_length(form, size) < size)
                return err_set(err, ERR_USAGE, "a form of demand %zu is blank or not valid UTF-8", i + 1);
        }
        if (!is_term || !is_in_found(&line->kept, &demand)) st = spans_append(&line->demands, demand, err);
    }
    return st;
}

/* --- Texts in a text. */

/* Whether this place of a text is inside a word. */
static bool is_in_word(const char *text, size_t length, size_t at)
{
    const uint32_t before = utf8_code_before(text, at), after = utf8_code_at(text, length, at);

    return u_isalnum((UChar32)before) && u_isalnum((UChar32)after) && !sentence_is_unspaced(before) &&
           !sentence_is_unspaced(after);
}

/* Writes the text with its first letter in upper case; false if that does not change it. */
static bool capitalize(Buf *out, const char *text, size_t length, Status *st, Err *err)
{
    uint32_t code, upper;
    char first[4];
    const size_t step = utf8_next(text, length, &code);

    upper = (uint32_t)u_totitle((UChar32)code);
    if (upper == code) return false;
    buf_put(out, first, utf8_put(upper, first));
    buf_put(out, text + step, length - step);
    *st = buf_check(out, err);
    return *st == OK;
}

/* A part of a text, and its plain spelling (target_text.h), because tokenizers may write a form in another spelling. */
typedef struct {
    const Buf *in;
    Buf plain;
    RangeList map; /* from the plain bytes to `in` */
} PlainText;

/* How well a place of a text suits a demand; below 0: not at all. */
typedef struct {
    float (*rate)(const void *context, Range place); /* NULL: all places suit it equally well */
    const void *context;
} PlaceRating;

/* The best place so far, the first of several. */
typedef struct {
    Range place;
    float rating; /* below 0: none yet */
} BestPlace;

static void rate_place(BestPlace *best, Range place, PlaceRating rating)
{
    const float rated = rating.rate ? rating.rate(rating.context, place) : 0;

    if (rated > best->rating) *best = (BestPlace){ place, rated };
}

/* Rates the places where the plain text contains the form as whole words; the boundaries of words must also be in the
 * original text. */
static void find_plain(BestPlace *best, const PlainText *text, const Buf *form, PlaceRating rating)
{
    const Buf *plain = &text->plain, *in = text->in;

    for (size_t at = 0, end = form->len; form->len && end <= plain->len; at++, end++) {
        Range place;
        if (memcmp(plain->data + at, form->data, form->len) != 0) continue;
        place = ranges_origin(&text->map, (Range){ at, end });
        if (!is_in_word(plain->data, plain->len, at) && !is_in_word(plain->data, plain->len, end) &&
            !is_in_word(in->data, in->len, place.begin) && !is_in_word(in->data, in->len, place.end))
            rate_place(best, place, rating);
    }
}

/* Sets the verdict and the place of a demand to those of its form with the best place in the bytes `where` of a text
 * or, if there is none, of an inflected form of it; else the place to an empty one. `inflection` may be NULL. */
static Status find_demand(const Line *line, Span *demand, const Buf *in, Range where, Inflection *inflection,
                          PlaceRating rating, Err *err)
{
    const char *form = first_form(line, demand);
    PlainText text = { .in = in };
    BestPlace best = { .rating = -1 };
    Status st = OK;

    demand->verdict = DRAGOMAN_TERM_MISSED;
    demand->place = (Range){ 0, 0 };
    demand->form = 0;
    if (where.begin >= where.end) return OK;
    st = spelling_append_plain(&text.plain, in->data + where.begin, where.end - where.begin, &text.map, err);
    for (size_t i = 0; i < text.map.len; i++) {
        text.map.data[i].begin += where.begin;
        text.map.data[i].end += where.begin;
    }
    /* The text may contain a form in another spelling, and with its first letter in upper case. */
    for (size_t f = 0; st == OK && f < demand->form_count; f++, form = next_form(form)) {
        const float before = best.rating;
        Buf plain = { 0 }, capital = { 0 };
        st = spelling_append_plain(&plain, form, strlen(form), NULL, err);
        if (st == OK) find_plain(&best, &text, &plain, rating);
        if (st == OK && capitalize(&capital, plain.data, plain.len, &st, err))
            find_plain(&best, &text, &capital, rating);
        buf_free(&plain);
        buf_free(&capital);
        if (best.rating > before) demand->form = f;
        if (best.rating > before) demand->verdict = DRAGOMAN_TERM_MET;
    }
    form = first_form(line, demand);
    for (size_t f = 0; st == OK && inflection && !demand->verdict && f < demand->form_count;
         f++, form = next_form(form)) {
        Range place = where, rest = where;
        while (st == OK && place.end && best.rating < 0) {
            st = inflection_find(inflection, (LineText){ in->data, in->len }, rest, (LineText){ form, strlen(form) },
                                 &place, err);
            if (st == OK && place.end) rate_place(&best, place, rating);
            rest.begin = place.end;
        }
        if (best.rating < 0) continue;
        demand->form = f;
        demand->verdict = DRAGOMAN_TERM_INFLECTED;
    }
    if (best.rating >= 0) demand->place = best.place;
    buf_free(&text.plain);
    ranges_free(&text.map);
    return st;
}

/* --- Their tokens. */

/* Adds the ids of a text as a form of the segment's next demand. Forms that are too long or too many are left out. */
static Status add_form(SegmentDemands *demands, const DemandTokens *tokens, LineText text, size_t demand, size_t number,
                       bool joined, bool begins, bool *added, Err *err)
{
    const size_t first = demands->ids.len;
    Status st = encode_demand(tokens, text, joined, &demands->ids, err);
    const size_t length = demands->ids.len - first;

    if (length && length <= DEMAND_TOKENS && demands->forms.len < DEMAND_FORMS_MOST) {
        LIST_PUT(&demands->forms, ((DemandForm){ .length = length, .demand = demand, .begins = begins }));
        LIST_PUT(&demands->numbers, number);
        *added = true;
    } else {
        demands->ids.len = first;
    }
    return st;
}

/* Adds a demand with each of its forms: as it is, with a capital at the beginning of a sentence, and, in scripts
 * without spaces, directly after another character. */
static Status add_demand(SegmentDemands *demands, const Line *line, const Span *demand, const DemandTokens *tokens,
                         Err *err)
{
    const char *form = first_form(line, demand);
    const size_t number = demands->view.demand_count;
    Buf capital = { 0 };
    bool added = false;
    Status st = OK;

    if (number == DEMANDS_MOST) return OK;
    for (size_t f = 0; st == OK && f < demand->form_count; f++, form = next_form(form)) {
        const LineText text = { form, strlen(form) };
        uint32_t code;
        st = add_form(demands, tokens, text, number, f, false, false, &added, err);
        (void)utf8_next(text.data, text.len, &code);
        if (st == OK && sentence_is_unspaced(code))
            st = add_form(demands, tokens, text, number, f, true, false, &added, err);
        buf_clear(&capital);
        if (st == OK && capitalize(&capital, text.data, text.len, &st, err))
            st =
                add_form(demands, tokens, (LineText){ capital.data, capital.len }, number, f, false, true, &added, err);
    }
    buf_free(&capital);
    demands->view.demand_count += added;
    return st;
}

/* Sets the forms of the search to those of the lists, which do not grow while it runs. */
static Status read_forms(SegmentDemands *demands, Err *err)
{
    Status st = LIST_CHECK(&demands->forms, "the demands of a line", err);

    if (st == OK) st = LIST_CHECK(&demands->numbers, "the demands of a line", err);
    for (size_t f = 0, at = 0; f < demands->forms.len; at += demands->forms.data[f++].length)
        demands->forms.data[f].ids = demands->ids.data + at;
    demands->view.forms = demands->forms.data;
    demands->view.form_count = demands->forms.len;
    return st;
}

static bool begins_in(const Span *demand, Range range)
{
    return demand->place.begin >= range.begin && demand->place.begin < range.end;
}

/* Returns the source ids whose bytes are in the range. */
static Range ids_of(const RangeList *ranges, Range bytes)
{
    Range ids = { 0, 0 };

    for (size_t i = 0; i < ranges->len; i++) {
        if (ranges->data[i].begin >= bytes.end || ranges->data[i].end <= bytes.begin) continue;
        if (!ids.end) ids.begin = i;
        ids.end = i + 1;
    }
    return ids;
}

Status line_demands_attach(Line *line, const Unit *unit, size_t first, const RangeList *ranges, TextPlace place,
                           const LineRules *rules, Err *err)
{
    const size_t index = (size_t)(unit - line->units);
    const Range read = { unit->range.begin, unit->end };
    const unsigned char *continuing = demand_tokens_continuing(rules->demand_tokens);
    RangeList in_line = { 0 };
    SegmentDemands *demands;
    Status st = continuing ? OK : err_memory(err, "the demands of a line");

    if (st != OK || line->segment_count != first + 1) return st;
    demands = line->segments[first].demands = calloc(1, sizeof *demands);
    if (!demands) return err_memory(err, "the demands of a line");
    st = token_ranges_add(&in_line, ranges->data, ranges->len, place, err);
    for (size_t i = 0; st == OK && i < line->demands.len; i++) {
        Span demand = line->demands.data[i];
        const bool is_term = demand.kind == DRAGOMAN_SPAN_TERM;
        const Range source = is_term ? ids_of(&in_line, demand.place) : (Range){ 0, 0 };
        const size_t number = demands->view.demand_count;
        bool met = false;
        if (!rules->is_last) {
            if (is_term && begins_in(&demand, read)) LIST_PUT(&demands->list, ((SegmentDemand){ i, SIZE_MAX, source }));
            continue;
        }
        if (!is_term && line->must_unit == SIZE_MAX) line->must_unit = index;
        if (is_term ? !begins_in(&demand, read) : line->must_unit != index) continue;
        /* If an item of the line contains the text, the translation contains it anyway. */
        for (size_t k = 0; st == OK && !is_term && !met && k < line->kept.len; k++) {
            st = find_demand(line, &demand, line_text(line), line->kept.data[k].place, NULL,
                             (PlaceRating){ .rate = NULL }, err);
            met = demand.place.end > 0;
        }
        if (st != OK || met) continue;
        st = add_demand(demands, line, &demand, rules->demand_tokens, err);
        if (demands->view.demand_count > number)
            LIST_PUT(&demands->places, ((DemandPlace){ source.begin, source.end, SIZE_MAX }));
        LIST_PUT(&demands->list,
                 ((SegmentDemand){ i, demands->view.demand_count > number ? number : SIZE_MAX, source }));
    }
    ranges_free(&in_line);
    if (st == OK) st = read_forms(demands, err);
    if (st == OK) st = LIST_CHECK(&demands->places, "the demands of a line", err);
    if (st == OK) st = LIST_CHECK(&demands->list, "the demands of a line", err);
    demands->view.continues = continuing;
    demands->view.places = demands->places.data;
    if (demands->list.len) return st;
    segment_demands_free(demands);
    line->segments[first].demands = NULL;
    return st;
}

Status segment_demands_inflect(Segment *segment, const LineRules *rules, Err *err)
{
    SegmentDemands *demands = segment->demands;
    const Line *line = segment->line;
    Inflection *inflection = NULL;
    Buf made = { 0 };
    Status st = find_inflection(rules->demand_tokens, &inflection, err);

    for (size_t i = 0; st == OK && inflection && i < demands->list.len; i++) {
        const Span *demand = &line->demands.data[demands->list.data[i].index];
        const char *form = first_form(line, demand);
        bool added = false;
        if (demand->kind != DRAGOMAN_SPAN_TERM || demands->list.data[i].number == SIZE_MAX) continue;
        buf_clear(&made);
        for (size_t f = 0; st == OK && f < demand->form_count; f++, form = next_form(form))
            st = inflection_make(inflection, (LineText){ form, strlen(form) }, &made, err);
        for (size_t at = 0; st == OK && at < made.len; at += strlen(made.data + at) + 1)
            st = add_form(demands, rules->demand_tokens, (LineText){ made.data + at, strlen(made.data + at) },
                          demands->list.data[i].number, SIZE_MAX, false, false, &added, err);
    }
    buf_free(&made);
    return st == OK ? read_forms(demands, err) : st;
}

bool line_demands_concern(const Line *line, Range range)
{
    for (size_t i = 0; i < line->demands.len; i++)
        if (line->demands.data[i].kind == DRAGOMAN_SPAN_MUST || begins_in(&line->demands.data[i], range)) return true;
    return false;
}

/* --- The texts in a translation. */

Status segment_demands_spell(IdList *out, const Segment *segment, bool capitalized, const LineRules *rules, Err *err)
{
    const Line *line = segment->line;
    const Buf *text = line_text(line);
    const Unit *unit = line_unit_of(segment);
    const KeptText *kept = &unit->kept.text;
    Buf made = { 0 }, form_text = { 0 };
    bool is_alone = true;
    size_t next = 0; /* of kept->edits */
    Status st = OK;

    if (unit->kept.way && unit->kept.way != KEPT_STAND_INS) return OK; /* its items are put at places found later */
    for (size_t at = unit->range.begin, end; st == OK && is_alone && at < unit->range.end; at = end) {
        const Span *demand = NULL;
        const char *form;
        uint32_t code;
        if (next < kept->count && unit->begin + kept->edits[next].to.begin == at) {
            const Range stand_in = kept->edits[next].from;
            buf_put(&made, kept->text.data + stand_in.begin, stand_in.end - stand_in.begin);
            end = unit->begin + kept->edits[next++].to.end;
            continue;
        }
        for (size_t i = 0; !demand && i < segment->demands->list.len; i++) {
            const Span *other = &line->demands.data[segment->demands->list.data[i].index];
            if (other->kind == DRAGOMAN_SPAN_TERM && other->place.begin == at) demand = other;
        }
        if (!demand) {
            end = at + utf8_next(text->data + at, unit->range.end - at, &code);
            is_alone = !u_isalnum((UChar32)code);
            buf_put(&made, text->data + at, end - at);
            continue;
        }
        end = demand->place.end;
        form = first_form(line, demand);
        buf_clear(&form_text);
        if (!capitalized || at > unit->range.begin || !capitalize(&form_text, form, strlen(form), &st, err))
            buf_put_text(&form_text, form);
        buf_put(&made, form_text.data, form_text.len);
    }
    if (st == OK) st = buf_check(&made, err);
    if (st == OK && is_alone)
        st = encode_demand(rules->demand_tokens, (LineText){ made.data, made.len }, false, out, err);
    buf_free(&made);
    buf_free(&form_text);
    return st;
}

/* The least part of the attention of a token that the source ids of a demand must have so that the token can belong to
 * its translation. */
#define FOUND_ATTENTION 0.1f

/* A result as text. */
typedef struct {
    const Segment *segment;
    const SegmentResult *result;
    Range source; /* of the demand that is looked for */
    Buf text;
    RangeList ranges; /* of the ids */
} ResultText;

/* Returns the ids whose bytes are in the range. */
static Range tokens_of(const ResultText *r, Range place)
{
    return ids_of(&r->ranges, place);
}

/* Returns how much of the attention of a token in this part of the text is on the source ids of the demand, at
 * most. Below FOUND_ATTENTION it is negative if the translation is not one that was made to meet the demands
 * (PlaceRating). */
static float attention_of(const void *context, Range place)
{
    const ResultText *r = context;
    const Range tokens = tokens_of(r, place);
    float most = 0;

    if (!r->result->attention || r->source.begin == r->source.end) return 0;
    for (size_t t = tokens.begin; t < tokens.end; t++) {
        const float *attention = r->result->attention + t * r->segment->source.len;
        float sum = 0;
        for (size_t i = r->source.begin; i < r->source.end; i++) sum += attention[i];
        if (sum > most) most = sum;
    }
    return most < FOUND_ATTENTION && r->segment->attempt <= ATTEMPT_SECOND ? -1 : most;
}

Status result_words_read(ResultWords *words, const Buf *text, const RangeList *ranges, Err *err)
{
    ResultWord word = { .letters = 0 };

    for (size_t at = 0, token = 0, step; at <= text->len; at += step) {
        uint32_t code = 0;
        step = at < text->len ? utf8_next(text->data + at, text->len - at, &code) : 1;
        const bool is_letter = at < text->len && u_isalnum((UChar32)code);
        if (word.letters && (!is_letter || sentence_is_unspaced(code))) {
            LIST_PUT(words, word);
            word.letters = 0;
        }
        if (!is_letter) continue;
        while (token < ranges->len && ranges->data[token].end <= at) token++;
        if (!word.letters)
            word = (ResultWord){ .hash = 2166136261u,
                                 .token = token,
                                 .is_code = at && text->data[at - 1] && strchr("%{$@#&\\<_", text->data[at - 1]) };
        word.hash = (word.hash ^ (uint32_t)u_tolower((UChar32)code)) * 16777619u;
        word.letters++;
        word.is_code |= (bool)u_isdigit((UChar32)code);
    }
    return LIST_CHECK(words, "the words of a translation", err);
}

static bool is_in_ranges(const RangeList *ranges, size_t at)
{
    for (size_t i = 0; i < ranges->len; i++)
        if (at >= ranges->data[i].begin && at < ranges->data[i].end) return true;
    return false;
}

/* Counts the sentence ends of a text that a letter or a digit follows, and its quotation marks, brackets and signs of
 * invalid bytes (U+FFFD), without those in terms (z. B.). Also counts its echoes: words that follow themselves, and
 * places where three words follow each other as they do before. */
static void count_parts(SegmentResult *result, const Buf *text, const RangeList *terms)
{
    const ResultWord *words = result->words.data;
    const size_t count = result->words.len;
    bool is_over = false;

    result->ends = result->marks = result->echoes = 0;
    for (size_t at = 0, step; at < text->len; at += step) {
        const bool is_point =
            at && at + 1 < text->len && char_is_digit(text->data[at - 1]) && char_is_digit(text->data[at + 1]);
        uint32_t code;
        step = utf8_next(text->data + at, text->len - at, &code);
        if (is_over && u_isalnum((UChar32)code)) {
            result->ends++;
            is_over = false;
        }
        if (is_in_ranges(terms, at)) continue;
        is_over |= u_hasBinaryProperty((UChar32)code, UCHAR_S_TERM) && !is_point;
        result->marks += code == 0xfffd || u_hasBinaryProperty((UChar32)code, UCHAR_QUOTATION_MARK) ||
                         (U_GET_GC_MASK((UChar32)code) & (U_GC_PS_MASK | U_GC_PE_MASK));
    }
    for (size_t i = 1; i < count; i++) {
        bool is_echo = words[i].hash == words[i - 1].hash;
        for (size_t k = 0; !is_echo && k < i && i + 2 < count; k++)
            is_echo = words[i].hash == words[k].hash && words[i + 1].hash == words[k + 1].hash &&
                      words[i + 2].hash == words[k + 2].hash;
        result->echoes += is_echo;
    }
}

/* Whether the token attends more to the source ids than to any other piece. */
static bool attends(const Segment *segment, const SegmentResult *result, size_t token, Range source)
{
    const float *attention = result->attention + token * segment->source.len;
    const SegmentPlace *place = &segment->place;
    size_t best = place->head;

    for (size_t i = place->head + 1; i < place->head + place->pieces; i++)
        if (attention[i] > attention[best]) best = i;
    return best >= source.begin && best < source.end;
}

bool demand_token_has_letters(const Tokenizer *tokenizer, int32_t id)
{
    const char *piece = tokenizer_target_spelling(tokenizer, id);

    return words_has_letter_or_digit(piece, strlen(piece));
}

/* The token with the most attention to the source ids of those with more attention to them than to others; {0, 0}:
 * there is none. */
static Range most_attending(const Segment *segment, const SegmentResult *result, Range source, size_t forced)
{
    const size_t end = result->ids.len ? result->ids.len - 1 : 0;
    Range found = { 0, 0 };
    float most = 0;

    if (!result->attention || source.begin >= source.end) return found;
    for (size_t t = forced; t < end; t++) {
        const float *attention = result->attention + t * segment->source.len;
        float sum = 0;
        for (size_t i = source.begin; i < source.end; i++) sum += attention[i];
        if (sum <= most || !attends(segment, result, t, source)) continue;
        most = sum;
        found = (Range){ t, t + 1 };
    }
    return found;
}

Range segment_demands_run(const Segment *segment, const SegmentResult *result, Range source, const LineRules *rules,
                          size_t forced)
{
    const unsigned char *continuing = segment->demands->view.continues;
    const size_t end = result->ids.len ? result->ids.len - 1 : 0;
    const int32_t *ids = result->ids.data;
    Range run = most_attending(segment, result, source, forced);

    if (!run.end) return run;
    while (run.begin > forced && continuing[ids[run.begin]]) run.begin--;
    while (run.end < end && continuing[ids[run.end]]) run.end++;
    for (size_t t = run.begin; t < run.end; t++)
        if (!attends(segment, result, t, source)) return (Range){ 0, 0 };
    while (run.begin > forced && attends(segment, result, run.begin - 1, source) &&
           demand_token_has_letters(rules->tokenizer, ids[run.begin - 1])) {
        size_t at = run.begin - 1;
        while (at > forced && continuing[ids[at]] && attends(segment, result, at - 1, source)) at--;
        if (continuing[ids[at]]) break;
        run.begin = at;
    }
    while (run.end < end && attends(segment, result, run.end, source) &&
           demand_token_has_letters(rules->tokenizer, ids[run.end])) {
        size_t at = run.end + 1;
        while (at < end && continuing[ids[at]] && attends(segment, result, at, source)) at++;
        if (at < end && continuing[ids[at]]) break;
        run.end = at;
    }
    /* A word after a quotation mark has no space before it, but forms have. */
    return demand_token_has_letters(rules->tokenizer, ids[run.begin]) ? run : (Range){ 0, 0 };
}

/* Returns the tokens that translate the source ids: most_attending(), and those next to it with more attention to them
 * than to others; {0, 0} if there are none. Unlike segment_demands_run(), it does not know where the words of a model
 * before the last one begin. */
static Range find_aligned(const Segment *segment, const SegmentResult *result, Range source, size_t forced)
{
    const size_t end = result->ids.len ? result->ids.len - 1 : 0;
    Range run = most_attending(segment, result, source, forced);

    while (run.end && run.begin > forced && attends(segment, result, run.begin - 1, source)) run.begin--;
    while (run.end && run.end < end && attends(segment, result, run.end, source)) run.end++;
    return run;
}

Status segment_demands_check(const Segment *segment, SegmentResult *result, const LineRules *rules, size_t forced,
                             Err *err)
{
    const SegmentDemands *demands = segment->demands;
    const Line *line = segment->line;
    const Unit *unit = line_unit_of(segment);
    ResultText r = { .segment = segment, .result = result };
    UnknownList unknowns = { .data = NULL };
    Inflection *inflection = NULL;
    RangeList terms = { 0 };
    IdList ids = { 0 };
    Status st = find_inflection(rules->demand_tokens, &inflection, err);

    free(result->found);
    result->missed = 0;
    result->found = calloc(demands->list.len, sizeof *result->found);
    if (!result->found) return err_memory(err, "the demands of a line");
    for (size_t i = 0; !rules->is_last && i < demands->list.len; i++) {
        const Range run = find_aligned(segment, result, demands->list.data[i].source, forced);
        result->found[i] = (DemandFound){ run.end ? DRAGOMAN_TERM_MET : DRAGOMAN_TERM_MISSED, 0, run };
    }
    if (!rules->is_last) return st;
    if (st == OK) st = line_append_result(&ids, &unknowns, segment, result, rules, err);
    if (st == OK)
        st = line_decode(&unknowns, line, rules, &(DecodedIds){ &ids, 0, &r.text, &r.ranges, unit, NULL }, err);
    for (size_t i = 0; st == OK && i < demands->list.len; i++) {
        Span demand = line->demands.data[demands->list.data[i].index];
        r.source = demands->list.data[i].source;
        st = find_demand(line, &demand, &r.text, (Range){ 0, r.text.len },
                         demand.kind == DRAGOMAN_SPAN_TERM ? inflection : NULL, (PlaceRating){ attention_of, &r }, err);
        result->found[i] = (DemandFound){ demand.verdict, demand.form, tokens_of(&r, demand.place) };
        result->missed += demand.verdict == DRAGOMAN_TERM_MISSED;
        if (demand.place.end) LIST_PUT(&terms, demand.place);
    }
    if (st == OK) st = LIST_CHECK(&terms, "the demands of a line", err);
    result->words.len = 0;
    if (st == OK) st = result_words_read(&result->words, &r.text, &r.ranges, err);
    if (st == OK) count_parts(result, &r.text, &terms);
    buf_free(&r.text);
    ranges_free(&r.ranges);
    ids_free(&ids);
    ranges_free(&terms);
    free(unknowns.data);
    return st;
}

Status line_demands_place(DragomanTranslation *out, const Segment *segment, const SegmentResult *result,
                          const RangeList *ranges, size_t begin, bool is_last, Err *err)
{
    const SegmentDemands *demands = segment->demands;
    const Buf *text = &out->text;
    Status st = OK;

    for (size_t i = 0; st == OK && result->found && i < demands->list.len; i++) {
        const DemandFound *found = &result->found[i];
        Span *demand = &out->demands.data[demands->list.data[i].index];
        Range where = { text->len, begin };
        if (demand->kind != DRAGOMAN_SPAN_TERM) continue; /* the whole text may have it */
        for (size_t t = found->tokens.begin; t < found->tokens.end; t++) {
            if (begin + ranges->data[t].begin < where.begin) where.begin = begin + ranges->data[t].begin;
            if (begin + ranges->data[t].end > where.end) where.end = begin + ranges->data[t].end;
        }
        if (!is_last && where.begin < where.end) { /* whole words */
            uint32_t code;
            where.begin += utf8_leading_space(text->data + where.begin, where.end - where.begin);
            while (where.begin > begin && is_in_word(text->data, text->len, where.begin))
                where.begin = utf8_previous(text->data, where.begin, &code);
            while (where.end < text->len && is_in_word(text->data, text->len, where.end))
                where.end += utf8_next(text->data + where.end, text->len - where.end, &code);
        }
        if (where.begin < where.end && is_last)
            st = find_demand(segment->line, demand, text, where, NULL, (PlaceRating){ .rate = NULL }, err);
        else
            demand->place = (Range){ 0, 0 };
        demand->verdict = where.begin < where.end ? found->verdict : DRAGOMAN_TERM_MISSED;
        if (demand->verdict && !demand->place.end) {
            where.begin += utf8_leading_space(text->data + where.begin, where.end - where.begin);
            demand->place = where;
            demand->form = found->form;
        }
        demand->traits |= SPAN_PLACED;
    }
    return st;
}

void line_demands_pass_on(Line *line, const DragomanTranslation *best, const size_t *offsets)
{
    for (size_t i = 0; best && i < line->demands.len; i++) {
        const Span *found = best->demands.len ? &best->demands.data[i] : NULL; /* NULL: the text was copied */
        Range *place = &line->demands.data[i].place;
        *place =
            found && found->traits & SPAN_PLACED && found->place.end ? found->place : (Range){ SIZE_MAX, SIZE_MAX };
        if (offsets && place->begin < SIZE_MAX) *place = clean_offsets_range(offsets, *place);
    }
    line->must_unit = SIZE_MAX;
}

/* A demand is searched for in the translation of the sentence that contains its range or, without such a sentence,
 * everywhere. The same words may meet several demands of a sentence, with or without ranges: a term that occurs twice
 * may be translated once and by a pronoun. translation->units are the places of line->units; empty for a known
 * translation. */
Status line_demands_find(Line *line, DemandTokens *tokens, Err *err)
{
    Inflection *inflection = NULL;
    Status st = line->demands.len && tokens ? find_inflection(tokens, &inflection, err) : OK;

    for (size_t i = 0; line->demands.len && i < line->count; i++) {
        DragomanTranslation *translation = &line->translations[i];
        const RangeList *units = &translation->units;
        for (size_t d = 0; st == OK && d < translation->demands.len; d++) {
            Span *demand = &translation->demands.data[d];
            const size_t from = line->demands.data[d].place.begin;
            Range where = { 0, translation->text.len };
            const size_t end = demand->kind == DRAGOMAN_SPAN_MUST ? 0 : units->len;
            size_t unit;
            if (demand->traits & SPAN_PLACED) continue;
            FIND_FIRST(unit, end, line->units[unit].range.end > from);
            if (unit < end && line->units[unit].range.begin <= from) where = units->data[unit];
            st =
                find_demand(line, demand, &translation->text, where,
                            demand->kind == DRAGOMAN_SPAN_TERM ? inflection : NULL, (PlaceRating){ .rate = NULL }, err);
        }
    }
    return st;
}

const char *dragoman_line_demand_form(const DragomanLine *line, size_t demand, size_t form)
{
    const Span *span = line->count && demand < line->demands.len ? &line->demands.data[demand] : NULL;
    const char *text = span ? first_form(line, span) : NULL;

    if (!span || form >= span->form_count) return NULL;
    for (size_t f = 0; f < form; f++) text = next_form(text);
    return text;
}
