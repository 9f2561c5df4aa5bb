/* kept_text.h - takes the bytes that a translation must contain unchanged out of a sentence, and puts them into the
 * translation. An item is one range of such bytes (dragoman_request_keep()). Items without a letter, a digit, a bracket
 * or a quotation mark between them are one group. A group includes the bytes between its items, and the rest of a word
 * that an item is a part of.
 *
 * First attempt: a stand-in takes the place of each group. It is a short text that the model copies. Second attempt:
 * the groups are left out, and their places in the translation are found by attention (kept_places_find()).
 *
 * An item that the forced prefix of the translation contains is not grouped with others. It stays at its place in the
 * prefix, where the stand-in replaces it as well. */
#ifndef DRAGOMAN_KEPT_TEXT_H
#define DRAGOMAN_KEPT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "alignment.h"
#include "buf.h"
#include "tokenizer.h"

/* --- Stand-ins: the texts that stand for kept items while a model translates. They are names, such as X1, or numbers
 * for placeholders of numbers, because a number changes the words around it. */

/* A kind of names: a NULL-terminated list, or NULL if the model can copy none. */
typedef const char *const *KeptNames;

/* Sets *names to the first kind whose names all consist of known pieces and come back unchanged from encoding and
 * decoding, and *numbers to the stand-ins for numbers if the same is true of them. NULL: there are none. */
MUST_USE Status kept_names_choose(KeptNames *names, KeptNames *numbers, const Tokenizer *tokenizer, Err *err);

/* --- The items of a sentence with the words that they are parts of, and their places in the forced prefix of its
 * translation. */

/* A sentence with its items, in ascending order. The places of the items minus `offset` are places in `text`. */
typedef struct {
    LineText text;
    const Span *spans; /* [count] */
    size_t count;
    size_t offset;
    LineText prefix; /* the forced beginning of the translation; empty: there is none */
    LineText others; /* other texts that the translation may contain; no stand-in occurs in them */
} KeptSource;

/* The bytes `from` of one text correspond to the bytes `to` of another text. Of the spaces around `to`, `before` and
 * `after` bytes belong to the edit as well. */
typedef struct {
    Range from, to;
    size_t before, after;
    size_t group;       /* index of the group in its sentence */
    bool is_number;     /* in KeptText: the group ends with a placeholder of a number */
    bool may_be_number; /* in KeptText: the group ends with a placeholder that may stand for a number */
    bool is_apart;      /* in KeptText: no hyphen may join the group to a word: it ends with an address or a placeholder
                           that may stand for a number, and white space follows it */
    Range prefix;       /* in KeptText: the place of the group in the prefix; empty: it is not there */
} KeptEdit;

/* A sentence as the model reads it. Starts as {0}. */
typedef struct {
    Buf text;
    Buf prefix;      /* the forced prefix with stand-ins; empty if it has no group */
    KeptEdit *edits; /* [count], one for each group, ascending; `from` is in `text`, `to` in the sentence */
    size_t count;
} KeptText;

/* Whether the sentence has letters or digits outside of its items. */
bool kept_text_is_needed(const KeptSource *source);

/* Writes the sentence with stand-ins for its groups: `names`, or `numbers` (unless it is NULL) for groups that end with
 * a placeholder of a number, because the words around it depend on the number. A stand-in for an item between two
 * words, such as the | of yes|no, has spaces around it. The text has no edits if there are not enough names.
 *
 * If `names` is NULL, writes the sentence without its groups, and without the spaces that would be doubled or stand
 * before a mark. A space replaces an item between two words. Brackets or quotation marks directly around a group belong
 * to it; if the group is in the prefix, they are not put back.
 *
 * The caller frees *out with kept_text_free(), also after an error. */
MUST_USE Status kept_text_write(KeptText *out, const KeptSource *source, KeptNames names, KeptNames numbers, Err *err);
void kept_text_free(KeptText *text); /* {0} is allowed */

/* Finds the places of the stand-ins in a translation, in ascending order. Returns false unless each stand-in occurs
 * exactly once. A stand-in that is a part of a word or a number does not count. */
bool kept_text_find(const KeptText *text, LineText translation, KeptEdit *edits);

/* Appends the translation to *out. Group i, the bytes sentence[text->edits[i].to], replaces the bytes `from` of its
 * edit, which may be empty. The edits ascend. Adds `before` and `after` spaces around the group; a space beside it
 * becomes a no-break space if the sentence has one there. Sets `to` to the bytes of the groups in what was appended.
 *
 * In German compounds, a hyphen joins a word to an address. It becomes a space if white space divided the two in the
 * sentence, so that the word does not become part of the address. The same happens to a hyphen that joins a capital
 * letter to what may be a number: 5-Dateien. */
MUST_USE Status kept_text_put(const KeptText *text, LineText sentence, LineText translation, KeptEdit *edits, Buf *out,
                              Err *err);

/* Changes ranges[count] from the text before the edits to the text after them; the edits ascend. A range that begins
 * in an edit then begins where its `to` begins; a range that ends in an edit ends where its `to` ends. */
void kept_edits_trace(const KeptEdit *edits, size_t edit_count, Range *ranges, size_t count);

/* --- Finds the places in a translation for the kept items, if its source was translated without them. */

/* A sentence that was translated without its items. first_source and first_target are added to the indices of its
 * tokens to get those in the alignment. */
typedef struct {
    const KeptText *text; /* kept_text_write() without names */
    LineText sentence;
    const RangeList *sources; /* the tokens that the model read, in text->text */
    size_t first_source;
    LineText translation;
    const RangeList *targets; /* the tokens that it wrote, in the translation */
    size_t first_target;
    const SoftAlignment *alignment;
    size_t forced; /* length in bytes of the forced prefix of the translation: only items that the prefix contains
                      are placed in it */
} KeptSentence;

/* Sets edits[text->count], in the order of the translation, to the places of the groups, with the spaces to add.
 *
 * Let A(t) and B(t) be the attention of target token t to the source tokens after and before a group, each divided by
 * its distance: 1 for the group's neighbours, 2 for the next tokens. The group's place is the one of all places between
 * words with the largest
 *
 *     sum over t before it of (B(t) - A(t))
 *
 * which best divides the translation of what is before the group from that of what is after it. Because of the
 * distances, the group's neighbours count most: in German, a verb may move from before the group to the end. Of the
 * sentences of the first table in kept_text.c with one item, all translated in this way, the share of items with the
 * same neighbours as in the translation by people is, for the two models, 39.0 and 42.5 % (38.8 and 40.4 % without the
 * distances), and the chrF 45.1 and 49.5; with stand-ins 53.3 and 57.9 %, 46.5 and 50.6. Only the segments with the
 * neighbours are searched, so the time is linear in the length of the sentence, times the groups of a segment. A place
 * inside the forced prefix becomes the next one after it.
 *
 * If the group touches a word in the sentence, and the word beside its place is the translation of that word, the two
 * also touch there: the edit of a group before the word takes the place of the space, which goes before the group. */
void kept_places_find(const KeptSentence *sentence, KeptEdit *edits);

#endif
