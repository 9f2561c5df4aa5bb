/* search_blocks.c - logits that come in blocks of ids: see search.h. What may win, and the sums of
 * exps, are kept by search_scan.c. */
#include "search_state.h"

#include <math.h>

bool search_takes_blocks(const Search *search)
{
    const LogitsRules *rules = &search->rules;

    return search_wants_logits(search) && !search->scored && !rules->ids && !logits_need_history(rules) &&
           !logits_change_scores(rules, search->step + 1);
}

/* Greedy search, and CTranslate2's with beams, process logits before they are summed up; sums
 * that no score needs are left out. */
static void take_row(Search *s, size_t row, size_t first, size_t count, float *logits)
{
    const SearchParams *params = s->params;
    const bool plain = params->beams == 1 && !(params->style == SEARCH_MARIAN && !params->skip_scores);
    const bool before = plain || params->style == SEARCH_CTRANSLATE2;
    RowScan *scan = &s->scans[row];
    LogitsRules part = s->rules;

    part.first = first;
    part.width = count;
    if (first == 0) search_scan_begin(scan);
    if (first == 0) search_check_row(s, logits);
    if (before) logits_process(&part, row, NULL, s->step + 1, logits);
    if (plain && params->skip_scores)
        s->kernels->tops(logits, count, s->tops);
    else
        s->kernels->log_sum_add(&scan->parts, logits, count, s->tops);
    if (!before) logits_process(&part, row, NULL, s->step + 1, logits);
    search_scan_take(scan, s->keep, first, count, logits, s->tops);
}

void search_take_block(Search *search, size_t first, size_t count, size_t stride, float *logits)
{
    for (size_t r = 0; r < search->rows; r++) take_row(search, r, first, count, logits + r * stride);
    search->scanned = true;
}

bool search_blocks_suffice(const Search *search)
{
    for (size_t r = 0; r < search->rows; r++)
        if (search->scans[r].count > SCAN_MOST || !(search->scans[r].best[0] > -INFINITY)) return false;
    return search->scanned;
}
