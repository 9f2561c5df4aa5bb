/* line_prefix.c - the forced beginning of the translation of a line: see line.h. */
#include "line_kept.h"
#include "target_prefix.h"

Status line_encode_prefix(Line *line, const LineRules *last, Err *err)
{
    const LineText text = { line->prefix_text.data, line->prefix_text.len };
    const TargetPrefix target = { text, last->pieces_out, "the prefix" };
    PrefixFacts facts;
    Status st = target_prefix_encode(&line->prefix, &facts, &target, last->tokenizer, last->params, err);

    line->cost += line->prefix.cap * sizeof(int32_t) + text.len;
    return st == OK ? target_prefix_check_room(&line->prefix, target.name, last->params, err) : st;
}

const IdList *line_own_prefix(const Line *line, const LineRules *rules)
{
    if (line->kept && line->kept->has_prefix) return &line->kept->prefix;
    return line->has_prefix && rules->is_last ? &line->prefix : NULL;
}

size_t line_prefix_length(const Line *line, const LineRules *rules)
{
    const IdList *own = line_own_prefix(line, rules);

    return own ? own->len : rules->prefix_len;
}

LineText line_prefix_text(const Line *line, const LineRules *rules)
{
    const Buf *own = &line->prefix_text;

    return line->has_prefix && rules->is_last ? (LineText){ own->data, own->len } : rules->prefix_text;
}
