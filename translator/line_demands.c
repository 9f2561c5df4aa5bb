/* line_demands.c - see line.h. */
#include "line.h"

#include <stdlib.h>
#include <string.h>

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include "sp_model.h"
#include "target_text.h"
#include "text.h"
#include "utf8.h"

/* --- The tokens of demanded texts. */

/* U+3002, the full stop of Chinese. A text after it is encoded as after any character, not as after a space. */
#define JOINT "\xe3\x80\x82"

/* Whether the script of the character is written without spaces between words. */
static bool is_unspaced(uint32_t code)
{
    UErrorCode fault = U_ZERO_ERROR;

    switch (uscript_getScript((UChar32)code, &fault)) {
    case USCRIPT_HAN:
    case USCRIPT_HIRAGANA:
    case USCRIPT_KATAKANA:
    case USCRIPT_THAI:
    case USCRIPT_LAO:
    case USCRIPT_KHMER:
    case USCRIPT_MYANMAR:
        return U_SUCCESS(fault);
    default:
        return false;
    }
}

static bool continues(const char *piece)
{
    uint32_t code;

    if (!*piece || *piece == '<' || text_begins_with(piece, SP_SPACE)) return false;
    (void)utf8_next(piece, strlen(piece), &code);
    return code != UTF8_INVALID && u_isalnum((UChar32)code) && !is_unspaced(code);
}

/* Returns an array [vocab] with 1 for each token that continues the word before it: it begins with a letter or a digit
 * of a script with spaces between words, and not with U+2581. In a vocabulary without U+2581, all tokens are whole
 * words. Returns NULL if there is no memory. */
static const unsigned char *continuing_tokens(DemandTokens *tokens)
{
    const Tokenizer *tokenizer = tokens->tokenizer;
    unsigned char *continuing;
    bool marks_spaces = false;

    pthread_mutex_lock(&tokens->lock);
    continuing = tokens->continuing;
    if (!continuing) {
        continuing = tokens->continuing = calloc(tokens->vocab + 1, 1);
        for (size_t i = 0; continuing && !marks_spaces && i < tokens->vocab; i++)
            marks_spaces = text_begins_with(tokenizer_target_piece(tokenizer, (int32_t)i), SP_SPACE);
        for (size_t i = 0; continuing && marks_spaces && i < tokens->vocab; i++)
            continuing[i] = !tokenizer_target_is_special(tokenizer, (int32_t)i) &&
                            continues(tokenizer_target_piece(tokenizer, (int32_t)i));
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
    Encoding before = { 0 }, whole = { 0 };
    Buf read = { 0 };
    Status st;

    if (joined) buf_put(&read, JOINT, joint);
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
    free(demands->forms.data);
    ids_free(&demands->ids);
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

Status line_demands_new(Line *line, const DragomanRequest *request, Err *err)
{
    const SpanList *asked = &request->demands;
    Status st = spans_append_all(&line->demands, asked->data, asked->len, err);

    line->must_unit = SIZE_MAX;
    buf_put(&line->forms, request->forms.data, request->forms.len);
    if (st == OK) st = buf_check(&line->forms, err);
    for (size_t i = 0; st == OK && i < asked->len; i++) {
        const Span *demand = &asked->data[i];
        const Range range = demand->source;
        const char *form = first_form(line, demand);
        if (demand->kind == DRAGOMAN_SPAN_TERM && (range.begin >= range.end || range.end > line->source.len))
            return err_set(err, ERR_USAGE, "the range of demand %zu is empty or not in the line", i + 1);
        for (size_t f = 0; f < demand->form_count; f++, form = next_form(form)) {
            const size_t size = strlen(form);
            if (utf8_leading_space(form, size) == size || utf8_clean_length(form, size) < size)
                return err_set(err, ERR_USAGE, "a form of demand %zu is blank or not valid UTF-8", i + 1);
        }
    }
    return st;
}

/* --- Texts in a text. */

/* Whether this place of a text is inside a word. */
static bool is_in_word(const char *text, size_t length, size_t at)
{
    const uint32_t before = utf8_code_before(text, at), after = utf8_code_at(text, length, at);

    return u_isalnum((UChar32)before) && u_isalnum((UChar32)after) && !is_unspaced(before) && !is_unspaced(after);
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

/* Whether the plain text contains the form as whole words; the boundaries of words must also be in the original text.
 * Sets *place to the bytes of the form in the original text. */
static bool find_plain(const PlainText *text, const Buf *form, Range *place)
{
    const Buf *plain = &text->plain, *in = text->in;

    for (size_t at = 0, end = form->len; form->len && end <= plain->len; at++, end++) {
        if (memcmp(plain->data + at, form->data, form->len) != 0) continue;
        *place = ranges_origin(&text->map, (Range){ at, end });
        if (!is_in_word(plain->data, plain->len, at) && !is_in_word(plain->data, plain->len, end) &&
            !is_in_word(in->data, in->len, place->begin) && !is_in_word(in->data, in->len, place->end))
            return true;
    }
    return false;
}

/* Sets the place of a demand to that of its first form that is in the bytes `where` of a text or, if there is none, to
 * that of an inflected form of it; else to an empty one. `inflection` may be NULL. */
static Status find_demand(const Line *line, Span *demand, const Buf *in, Range where, Inflection *inflection, Err *err)
{
    const char *form = first_form(line, demand);
    PlainText text = { .in = in };
    Range place;
    bool found = false;
    Status st = OK;

    demand->place = (Range){ 0, 0 };
    demand->form = 0;
    demand->verdict = DRAGOMAN_TERM_MISSED;
    if (where.begin < where.end)
        st = spelling_append_plain(&text.plain, in->data + where.begin, where.end - where.begin, &text.map, err);
    for (size_t i = 0; i < text.map.len; i++) {
        text.map.data[i].begin += where.begin;
        text.map.data[i].end += where.begin;
    }
    /* The text may contain a form in another spelling, and with its first letter in upper case. */
    for (size_t f = 0; st == OK && !found && f < demand->form_count; f++, form = next_form(form)) {
        Buf plain = { 0 }, capital = { 0 };
        st = spelling_append_plain(&plain, form, strlen(form), NULL, err);
        found = st == OK && find_plain(&text, &plain, &place);
        if (st == OK && !found && capitalize(&capital, plain.data, plain.len, &st, err))
            found = find_plain(&text, &capital, &place);
        buf_free(&plain);
        buf_free(&capital);
        if (!found) continue;
        demand->form = f;
        demand->place = place;
        demand->verdict = DRAGOMAN_TERM_MET;
    }
    form = first_form(line, demand);
    for (size_t f = 0; st == OK && !found && f < demand->form_count; f++, form = next_form(form)) {
        st = inflection_find(inflection, (LineText){ in->data, in->len }, where, (LineText){ form, strlen(form) },
                             &place, err);
        found = st == OK && place.end > 0;
        if (!found) continue;
        demand->form = f;
        demand->place = place;
        demand->verdict = DRAGOMAN_TERM_INFLECTED;
    }
    buf_free(&text.plain);
    ranges_free(&text.map);
    return st;
}

/* --- Their tokens. */

/* Adds the ids of a text as a form of the segment's next demand. Forms that are too long or too many are left out. */
static Status add_form(SegmentDemands *demands, const DemandTokens *tokens, LineText text, bool joined, bool begins,
                       bool *added, Err *err)
{
    const size_t first = demands->ids.len;
    Status st = encode_demand(tokens, text, joined, &demands->ids, err);
    const size_t length = demands->ids.len - first;

    if (length && length <= DEMAND_TOKENS && demands->forms.len < DEMAND_FORMS_MOST) {
        LIST_PUT(&demands->forms,
                 ((DemandForm){ .length = length, .demand = demands->view.demand_count, .begins = begins }));
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
    Buf capital = { 0 };
    bool added = false;
    Status st = OK;

    if (demands->view.demand_count == DEMANDS_MOST) return OK;
    for (size_t f = 0; st == OK && f < demand->form_count; f++, form = next_form(form)) {
        const LineText text = { form, strlen(form) };
        uint32_t code;
        st = add_form(demands, tokens, text, false, false, &added, err);
        (void)utf8_next(text.data, text.len, &code);
        if (st == OK && is_unspaced(code)) st = add_form(demands, tokens, text, true, false, &added, err);
        buf_clear(&capital);
        if (st == OK && capitalize(&capital, text.data, text.len, &st, err))
            st = add_form(demands, tokens, (LineText){ capital.data, capital.len }, false, true, &added, err);
    }
    buf_free(&capital);
    demands->view.demand_count += added;
    return st;
}

static bool begins_in(const Span *demand, Range range)
{
    return demand->source.begin >= range.begin && demand->source.begin < range.end;
}

Status line_demands_attach(Line *line, const Unit *unit, size_t first, const LineRules *rules, Err *err)
{
    const size_t index = (size_t)(unit - line->units);
    const unsigned char *continuing = continuing_tokens(rules->demand_tokens);
    SegmentDemands *demands;
    Status st = continuing ? OK : err_memory(err, "the demands of a line");

    if (st != OK || line->segment_count != first + 1) return st;
    demands = line->segments[first].demands = calloc(1, sizeof *demands);
    if (!demands) return err_memory(err, "the demands of a line");
    for (size_t i = 0; st == OK && i < line->demands.len; i++) {
        Span demand = line->demands.data[i];
        const bool is_term = demand.kind == DRAGOMAN_SPAN_TERM;
        bool met = false;
        if (!is_term && line->must_unit == SIZE_MAX) line->must_unit = index;
        if (is_term ? !begins_in(&demand, unit->range) : line->must_unit != index) continue;
        /* If an item of the line contains the text, the translation contains it anyway. */
        for (size_t k = 0; st == OK && !is_term && !met && k < line->kept.len; k++) {
            st = find_demand(line, &demand, line_text(line), line->kept.data[k].place, NULL, err);
            met = demand.place.end > 0;
        }
        if (st == OK && !met) st = add_demand(demands, line, &demand, rules->demand_tokens, err);
    }
    if (st == OK) st = LIST_CHECK(&demands->forms, "the demands of a line", err);
    for (size_t f = 0, at = 0; f < demands->forms.len; at += demands->forms.data[f++].length)
        demands->forms.data[f].ids = demands->ids.data + at; /* the ids do not move any more */
    demands->view.forms = demands->forms.data;
    demands->view.form_count = demands->forms.len;
    demands->view.continues = continuing;
    if (demands->view.demand_count) return st;
    segment_demands_free(demands);
    line->segments[first].demands = NULL;
    return st;
}

bool line_demands_concern(const Line *line, Range range)
{
    for (size_t i = 0; i < line->demands.len; i++)
        if (line->demands.data[i].kind == DRAGOMAN_SPAN_MUST || begins_in(&line->demands.data[i], range)) return true;
    return false;
}

/* --- The texts in a translation. */

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
        for (size_t d = 0; st == OK && d < line->demands.len; d++) {
            Span demand = line->demands.data[d];
            Range where = { 0, translation->text.len };
            size_t low = 0, high = demand.kind == DRAGOMAN_SPAN_MUST ? 0 : units->len;
            const size_t end = high;
            while (low < high) {
                const size_t middle = low + (high - low) / 2;
                if (line->units[middle].range.end <= demand.source.begin)
                    low = middle + 1;
                else
                    high = middle;
            }
            if (low < end && line->units[low].range.begin <= demand.source.begin) where = units->data[low];
            if (translation->text.len)
                st = find_demand(line, &demand, &translation->text, where,
                                 demand.kind == DRAGOMAN_SPAN_TERM ? inflection : NULL, err);
            if (st == OK) st = spans_append(&translation->spans, demand, err);
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
