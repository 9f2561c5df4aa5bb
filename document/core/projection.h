/* projection.h - where the inline markup of a text goes in its translation, by the word alignment.
 *
 * Spans     With W(t, S) as the weight between target t and the sources in a span S (a source that is partly in S
 *           counts with that part of its bytes), and W(t) as the weight between t and all sources, the span goes onto
 *           the contiguous targets i ... j, inside those of its parent and beside those of its siblings, with the
 *           largest sum
 *
 *               sum over t from i to j of (W(t, S) - W(t) / 2)
 *
 *           (the maximum subarray): the targets that are mostly translations of S. Spans with more text go first. A
 *           span without any such target goes onto the free target with the largest W(t, S); if that is 0, onto the
 *           free word nearest to the place of an empty element. It is empty only if no word is free: **** is not markup
 *           in Markdown, and nobody can follow a link without text. A span of white space alone is placed like an empty
 *           element, because its formatting belongs to no word. A span around the ending of a number is placed like an
 *           empty element, too; projection_divide_words() may move it.
 *           Reserved targets go only to spans with W(t, S) above 0.
 * Empty     An empty element between two sources goes before the target b, inside its parent and not inside a sibling,
 * elements  with the largest sum over t < b of W(t, before) plus sum over t >= b of W(t, after), the first of equals.
 *           Those that divide words (is_space), as newlines do, leave at least one target in each line, if there are
 *           enough, and go after the marks of the word before them.
 *
 * The result is well-formed whatever the alignment says. More than 1000 elements are placed in proportion to the bytes
 * before them, without the alignment. */
#ifndef DRAGOMAN_PROJECTION_H
#define DRAGOMAN_PROJECTION_H

#include <stdbool.h>
#include <stddef.h>

#include "document.h"
#include "err.h"

typedef struct {
    size_t source, target; /* indices of words or tokens */
    float weight;          /* above 0 */
} ProjectionLink;

/* Sources and targets are words or tokens, in the order of the text; their ranges do not overlap and contain no white
 * space. */
typedef struct {
    const Range *sources; /* [source_count], bytes of the text */
    size_t source_count;
    const Range *targets;    /* [target_count], bytes of the translation */
    const bool *is_mark;     /* [target_count], punctuation, where a span goes only if it has words there; NULL: none */
    const bool *is_reserved; /* [target_count], targets that other markup surrounds or divides; NULL: none */
    size_t target_count;
    const ProjectionLink *links; /* [link_count], in any order */
    size_t link_count;
    const char *target; /* [target_length], the translation */
    size_t target_length;
} ProjectionInput;

/* Sets places[markup_count] to where the markup of the text goes, for Rendering.places. */
MUST_USE Status projection_find(const ProjectionInput *input, const UnitText *text, Range *places, Err *err);

/* Corrects places[markup_count] for markup inside words, as in H<sub>2</sub>O and 4<sup>th</sup>, which an alignment of
 * words cannot place. If the translation also has such a word, its markup divides the word as in the text: the k-th
 * occurrence of the word like the k-th occurrence in the text. The markup around the ending of a number goes around the
 * ending of the same number in the translation; if that number has no ending, the markup is empty and after the
 * number. */
void projection_divide_words(const UnitText *text, const char *translation, size_t length, Range *places);

#endif
