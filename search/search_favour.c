/* search_favour.c - a prefix that a translation is made likely to begin with (SearchParams.prefix_bias).
 *
 * While a row has not departed from the prefix, its probabilities are mixed with the prefix, with weight b:
 *     P'(id) = (1 - b) P(id) + b [id is the next token of the prefix]
 * A token that the settings forbid stays forbidden.
 * Source   Arivazhagan et al. 2019, "Re-translation Strategies for Long Form, Simultaneous, Spoken Language
 *          Translation", section 4.2; BiasedDecoder in src/decoding.cc of CTranslate2 */
#include <math.h>

#include "search_state.h"

/* Whether the row consists of the first tokens of the prefix, which is longer. */
static bool follows(const Search *s, size_t row)
{
    BeamPosition at = { s->step, row };

    if (s->step >= s->favoured_len) return false;
    if (s->params->rules.prefix_bias_by_position && !search_has_demands(s)) return !s->departed[row];
    for (; at.step > 0; at.step--) {
        const Node *node = search_node(s, at);
        if (node->token != s->favoured[at.step - 1]) return false;
        at.row = node->parent;
    }
    return true;
}

/* log(e^a + e^b), with the bits that every CPU level has. */
static float add_logs(const Search *s, float a, float b)
{
    const LogSumExp sum = s->kernels->logsumexp((const float[]){ a, b }, 2, NULL);

    return sum.top + sum.logsumexp;
}

void search_favour_row(Search *s, size_t row, TopKRow *scores, float *logits)
{
    float rest, bias;

    if (!follows(s, row)) return;
    rest = logf(1 - s->params->prefix_bias);
    bias = logf(s->params->prefix_bias);
    for (size_t i = 0; i < scores->count; i++) {
        const float log = (logits[i] - scores->sum.top) - scores->sum.logsumexp;
        logits[i] = log + rest;
        if (log > -INFINITY && search_token_of(s, i) == s->favoured[s->step]) logits[i] = add_logs(s, logits[i], bias);
    }
    scores->sum = (LogSumExp){ 0 };
    s->kernels->maxima(logits, scores->count, s->maxima);
}

static bool departs(const Search *s, int32_t token)
{
    return s->step >= s->favoured_len || token != s->favoured[s->step];
}

void search_favour_advance(Search *s)
{
    for (size_t k = 0; k < s->params->beams; k++)
        s->departed[k] |= k >= s->top.count || departs(s, s->top.items[k].token);
}

void search_favour_advance_greedy(Search *s)
{
    s->departed[0] |= departs(s, s->chosen);
}
