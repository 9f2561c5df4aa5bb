/* search_demands.h - beam search for translations that have to contain given texts.
 *
 * A sentence may have demands. Each demand has one or more forms, which are sequences of tokens; a translation meets it
 * if it contains one of them. The search follows Post and Vilar 2018 ("Fast Lexically Constrained Decoding with Dynamic
 * Beam Allocation for Neural Machine Translation", https://aclanthology.org/N18-1119):
 *
 * - Besides the best candidates of all rows, a step considers the best token of each row, and for each demand that a
 *   row has not met the next token of each form that has begun and the first token of all forms.
 * - The candidates are divided into banks by how many tokens of the demands they have: all of the longest form for a
 *   demand that is met, those so far for a form that has begun. The bank with most and then the others, ordered by
 *   their best candidates, take turns until the beam is full. So hypotheses compete with those that have met as much.
 * - A hypothesis that has met all demands is complete when it ends.
 *
 * A form is complete only if the token after it does not continue its last word. It may be in the forced prefix.
 *
 * Some demands cannot be met, or only in a translation that the model never ends. The search therefore ends when it has
 * gone on for as long again as the shortest of the best candidates that ended, and DEMAND_PATIENCE tokens more. If no
 * hypothesis has met all demands by then, those that ended with most demands become the results, in the order of their
 * scores.
 *
 * The rules of SearchRules matter for the scores only: which candidates continue and when the search ends is the same
 * for the models of all programs. The search ends when the best row cannot have a better score than the last of the
 * n best results, at its present length. */
#ifndef DRAGOMAN_SEARCH_DEMANDS_H
#define DRAGOMAN_SEARCH_DEMANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "search.h"

/* Limits of a sentence. A form that is longer cannot be met. */
#define DEMANDS_MOST      ((size_t)32)
#define DEMAND_FORMS_MOST ((size_t)128)
#define DEMAND_TOKENS     ((size_t)32)

#define DEMAND_PATIENCE ((size_t)16)

typedef struct {
    const int32_t *ids; /* [length], length >= 1 */
    size_t length;
    size_t demand; /* its number */
    bool begins;   /* counts only in a forced prefix, and directly after that or a forced first token */
} DemandForm;

typedef struct {
    const DemandForm *forms; /* [form_count] */
    size_t form_count;
    size_t demand_count;            /* each has at least one form */
    const unsigned char *continues; /* [vocab], 1 for a token that continues the word before it; NULL: no token does */
} SearchDemands;

/* Makes room for demands. Call it when no sentence has begun; the beam size must be greater than 1. */
MUST_USE Status search_allow_demands(Search *search, Err *err);

/* Sets the demands of the sentence that has just begun with search_start(). They must stay valid until it is done, and
 * keep to the limits above. The search must allow demands. */
void search_demand(Search *search, const SearchDemands *demands);

#endif
