/* dragoman_request.h - a line with everything that is asked of its translation. A public header of libdragoman.
 *
 *     DragomanRequest *request = dragoman_request_new();
 *     for each line:
 *         dragoman_request_begin(request, text, length, &error)
 *         dragoman_request_keep(request, ranges, count, &error)     what is asked, in any order
 *         dragoman_submit_request(dragoman, request, tag, &error)
 *     dragoman_request_free(request);
 *
 * A request is opaque, so that later versions can ask for more. It can be used for any number of lines, and by one
 * thread at a time. It copies what it is given, except for the text of the line. */
#ifndef DRAGOMAN_REQUEST_H
#define DRAGOMAN_REQUEST_H

#include "dragoman.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct DragomanRequest DragomanRequest;

/* Returns NULL when out of memory. */
DRAGOMAN_API DragomanRequest *dragoman_request_new(void);
DRAGOMAN_API void dragoman_request_free(DragomanRequest *request); /* NULL is allowed */

/* Begins a line and forgets the one before it: valid UTF-8 without a newline. The text must stay valid until the line
 * is submitted. */
DRAGOMAN_CHECKED DragomanStatus dragoman_request_begin(DragomanRequest *request, const char *text, size_t length,
                                                       DragomanError *error);

/* The source language of the line, as in dragoman_submit_from(). NULL is DRAGOMAN_FROM. */
DRAGOMAN_CHECKED DragomanStatus dragoman_request_from(DragomanRequest *request, const char *language,
                                                      DragomanError *error);

/* Splits the line into sentences, as DRAGOMAN_SPLIT_ON does, although DRAGOMAN_SPLIT_AUTO would not. Texts of documents
 * are best split. Has no effect with DRAGOMAN_SPLIT_OFF or DRAGOMAN_PIECES_IN. Without this call, or with false,
 * DRAGOMAN_SPLIT decides. */
DRAGOMAN_CHECKED DragomanStatus dragoman_request_split(DragomanRequest *request, bool split, DragomanError *error);

/* Ranges that every translation has to contain unchanged, as in dragoman_submit_kept(). */
DRAGOMAN_CHECKED DragomanStatus dragoman_request_keep(DragomanRequest *request, const DragomanRange *ranges,
                                                      size_t count, DragomanError *error);

/* The translation of the line is known, from a translation memory for example. No model reads the line. It is returned
 * in its turn, with this translation and nothing else: no scores, ids, pivots and alignment. places[count] are the
 * ranges of dragoman_request_keep() in the translation, in the order of that call; each has the bytes of its range.
 * Neither the text nor the translation may contain a newline. A language is ignored. */
DRAGOMAN_CHECKED DragomanStatus dragoman_request_know(DragomanRequest *request, const char *translation, size_t length,
                                                      const DragomanRange *places, size_t count, DragomanError *error);

/* A text that every translation of the line has to contain, in one of several forms: a term of a glossary. `range` is
 * what it translates; it lies in one sentence, whose translation gets the text. forms[count] are valid UTF-8 and have
 * at least one character other than white space. A translation contains a form as whole words, in exactly these
 * letters; at the beginning of a sentence its first letter may be in upper case. NFC or NFD and the kind and number of
 * spaces make no difference. Call it once for each text. The same words of the translation of a sentence may meet
 * several of its demands.
 *
 * Such a sentence is translated by a beam search that finds the place for each text (docs/terms.md), with the beam size
 * of the model, but at least DRAGOMAN_DEMAND_BEAMS, also if the model's own settings ask to sample. If a text does not
 * fit, because the model cannot write its characters or never ends a translation that contains it, the translation
 * lacks it: see dragoman_line_demands(). */
#define DRAGOMAN_DEMAND_BEAMS 8
DRAGOMAN_CHECKED DragomanStatus dragoman_request_demand(DragomanRequest *request, DragomanRange range,
                                                        const char *const *forms, size_t count, DragomanError *error);

/* A text that every translation of the line has to contain, wherever the model places it: valid UTF-8 with at least one
 * character other than white space. It is a demand with one form and without a range; all else that is said at
 * dragoman_request_demand() about forms, the search and texts that do not fit applies. A kept range that contains the
 * text meets the demand. Call it once for each text.
 *
 * A line with such a text is not split into sentences if it fits the model as a whole. A longer line is split, and
 * the translation of its first sentence that fits the model has to contain the texts. */
DRAGOMAN_CHECKED DragomanStatus dragoman_request_must(DragomanRequest *request, const char *text, size_t length,
                                                      DragomanError *error);

/* The forced beginning of the translation of the line, instead of DRAGOMAN_PREFIX: valid UTF-8 without a newline, or
 * pieces with DRAGOMAN_PIECES_OUT. Like DRAGOMAN_PREFIX, it applies to the last model and to the first sentence of the
 * line. It may exceed a maximum length that depends on the length of the source (DRAGOMAN_LENGTH_FACTOR). Text that the
 * vocabulary lacks becomes the unknown token. An empty text means no prefix; NULL means DRAGOMAN_PREFIX, as without
 * this call. A kept range of the first sentence is where the prefix contains its text as whole words; others come after
 * the prefix. A known translation does not change. */
DRAGOMAN_CHECKED DragomanStatus dragoman_request_prefix(DragomanRequest *request, const char *text, size_t length,
                                                        DragomanError *error);

/* What became of a demand. */
typedef struct {
    bool is_met;
    size_t form;         /* is_met: which of its forms the translation contains */
    DragomanRange place; /* is_met: where */
} DragomanDemand;

/* The demands of a line in a translation, in the order of the request: first those of dragoman_request_demand(), then
 * those of dragoman_request_must(). NULL if there are none. */
DRAGOMAN_API const DragomanDemand *dragoman_line_demands(const DragomanLine *line, size_t rank, size_t *count);

/* The text of a form of one of these demands; NULL if it does not exist, or if the line has no translation. The line
 * owns it. */
DRAGOMAN_API const char *dragoman_line_demand_form(const DragomanLine *line, size_t demand, size_t form);

/* Submits the line, as dragoman_submit() does. The request stays as it is. DRAGOMAN_ERROR_USAGE if the ranges are not
 * valid for the line; for demands with several models, DRAGOMAN_PIECES_IN or _OUT, DRAGOMAN_SAMPLING_ON or
 * DRAGOMAN_ALTERNATIVES; and for a prefix that leaves no room for another token within the maximum length, or has
 * pieces that are not in the vocabulary. See dragoman_submit_kept() and dragoman_submit_from() for the other reasons.
 */
DRAGOMAN_CHECKED DragomanStatus dragoman_submit_request(Dragoman *dragoman, const DragomanRequest *request,
                                                        uintptr_t tag, DragomanError *error);

#ifdef __cplusplus
}
#endif

#endif
