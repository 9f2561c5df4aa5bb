/* line_given.c - lines whose translation is given: see line.h. A pair is not split into sentences and not cut, because
 * nobody knows which part of the translation belongs to which part of the source. */
#include <stdlib.h>
#include <string.h>

#include "capitals.h"
#include "line.h"
#include "segment.h"
#include "text.h"

void given_target_free(GivenTarget *given)
{
    if (!given) return;
    buf_free(&given->text);
    ids_free(&given->ids);
    ranges_free(&given->ranges);
    free(given);
}

/* Appends the ids of the text, with the special tokens that the model writes around it. */
static Status append_ids(GivenTarget *given, const LineRules *rules, const Encoding *text, Err *err)
{
    const SearchParams *params = rules->params;
    const int32_t first = params->forced_bos, *ids = text->ids.data;
    const bool forced = first >= 0 && !(text->ids.len && *ids == first);
    const size_t end = given->text.len;
    const TextPlace start = { 0 };
    Status st = forced ? ids_append(&given->ids, first, err) : OK;

    if (st == OK) st = ids_append_all(&given->ids, ids, text->ids.len, err);
    if (st == OK) st = ids_append(&given->ids, params->eos.data[0], err);
    given->forced = first >= 0; /* the first id is `first` in any case */
    if (st != OK || !text->ranges) return st;
    if (forced) st = token_ranges_add(&given->ranges, &(Range){ 0, 0 }, 1, start, err);
    if (st == OK) st = token_ranges_add(&given->ranges, text->ranges->data, text->ranges->len, start, err);
    return st == OK ? token_ranges_add(&given->ranges, &(Range){ end, end }, 1, start, err) : st;
}

/* Appends the target as the model writes it: in normal case if the source was converted. */
static Status read_target(Buf *out, const Line *line, const LineRules *rules, LineText target, Err *err)
{
    const Range all = { 0, target.len };
    Status st = buf_append(out, target.data, target.len, err);
    bool changed;

    if (st != OK || !line->unit_count || !line->units[0].capitals) return st;
    return capitals_lower(out->data, &all, 1, rules->tokenizer, CAPITALS_TARGET, &changed, err);
}

static Status encode_target(Line *line, const LineRules *rules, LineText target, Err *err)
{
    RangeList ranges = { 0 };
    Encoding text = { .ranges = rules->ranges ? &ranges : NULL };
    Buf read = { 0 };
    Status st;

    line->given = calloc(1, sizeof *line->given);
    if (!line->given) return err_memory(err, "a line");
    st = buf_append(&line->given->text, target.data, target.len, err);
    if (st == OK) st = read_target(&read, line, rules, target, err);
    if (st == OK)
        st = tokenizer_encode_translation(rules->tokenizer, read.data ? read.data : "", read.len, rules->pieces_out,
                                          &text, err);
    if (st == OK) st = append_ids(line->given, rules, &text, err);
    buf_free(&read);
    encoding_free(&text);
    ranges_free(&ranges);
    return st;
}

/* The reason why the model does not accept the pair, in *out; empty: it does. */
static Status find_fault(Buf *out, const Line *line, const LineRules *rules, LineText target, Err *err)
{
    const size_t source = line->view.source_ids.len, given = line->given->ids.len;

    if (segment_is_blank(line->view.source.data, line->view.source.len))
        return buf_append_text(out, "the line has no source text", err);
    if (segment_is_blank(target.data, target.len)) return buf_append_text(out, "the line has no target text", err);
    if (memchr(target.data, '\t', target.len)) return buf_append_text(out, "the target text contains a tab", err);
    if (!line->segment_count) return buf_append_text(out, "the source has no tokens", err);
    if (line->segment_count > 1)
        return buf_append_format(out, err, "the source has %zu tokens, but the model accepts at most %zu", source,
                                 rules->limit);
    if (given > rules->target_limit)
        return buf_append_format(out, err, "the target has %zu tokens, but the model accepts at most %zu", given,
                                 rules->target_limit);
    return OK;
}

/* A pair of which only one text is blank is refused. A line that is blank as a whole has nothing to score. */
static Status check_pair(Line *line, const LineRules *rules, LineText target, Err *err)
{
    const bool blank = segment_is_blank(line->view.source.data, line->view.source.len);
    Status st;

    if (blank && segment_is_blank(target.data, target.len)) return OK;
    st = find_fault(&line->refusal, line, rules, target, err);
    if (st != OK || !line->refusal.len) return st;
    line_free_segments(line);
    line->view.segments = 0;
    line->view.wrapped = false;
    return OK;
}

Status line_new_given(Line **out, const LineRules *rules, LineText source, LineText target, uintptr_t tag, Err *err)
{
    SearchParams params = *rules->params; /* shares the lists */
    LineRules whole = *rules;
    const Range all = { 0, target.len };
    Line *line;
    Status st;

    *out = NULL;
    params.min_length = 0; /* nothing is searched */
    whole.params = &params;
    whole.sentences = NULL;
    whole.crops = false;
    whole.keeps_unknown = whole.keeps_numbers = false;
    whole.capitals = rules->capitals && capitals_count(target.data, &all, 1) >= CAPITALS_LEAST;
    st = line_new(&line, &whole, source.data, source.len, tag, err);
    if (st != OK) return st;
    st = encode_target(line, &whole, target, err);
    if (st == OK) st = check_pair(line, &whole, target, err);
    if (st != OK) {
        line_free(line);
        return st;
    }
    line->cost += line->given->text.cap + line->given->ids.cap * (sizeof(int32_t) + sizeof(Range));
    *out = line;
    return OK;
}
