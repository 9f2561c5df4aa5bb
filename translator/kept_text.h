/* kept_text.h - takes the bytes that a translation must contain unchanged out of a sentence, and puts them into the
 * translation. Such bytes are an item: one range of dragoman_request_keep(). Items without a letter, a digit, a bracket
 * or a quotation mark between them are kept as one group, with what is between them and with the rest of a word of
 * which they are a part.
 *
 * First attempt: a stand-in takes the place of each group. It is a short text that the model copies. Second attempt:
 * the groups are left out, and their places in the translation are found by attention (kept_places.h).
 *
 * An item that the forced prefix of the translation contains is a group of its own and stays at its place there: the
 * stand-in takes its place in the prefix, too (kept_parts.h). */
#ifndef DRAGOMAN_KEPT_TEXT_H
#define DRAGOMAN_KEPT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "dragoman.h"
#include "err.h"
#include "kept_names.h"
#include "kept_parts.h"
#include "ranges.h"

/* The bytes `from` of one text are the bytes `to` of another one. Around `to`, the other text has `before` and `after`
 * more bytes of spaces. */
typedef struct {
    Range from, to;
    size_t before, after;
    size_t group;       /* index of the group in its sentence */
    bool is_number;     /* in KeptText: the group ends with a placeholder of a number */
    bool may_be_number; /* in KeptText: that, or one whose value may be one */
    bool is_apart;      /* in KeptText: white space follows what no hyphen may join to a word: an address or a number */
    Range prefix;       /* in KeptText: the place of the group in the prefix; empty: it is not there */
} KeptEdit;

/* A sentence as the model reads it. Starts as {0}. */
typedef struct {
    Buf text;
    Buf prefix;      /* with stand-ins; empty if no group is in it */
    KeptEdit *edits; /* [count], one for each group, ascending: from this text to the sentence */
    size_t count, room;
} KeptText;

/* Whether the sentence has letters or digits outside of its items. */
bool kept_text_is_needed(const char *sentence, size_t len, const SentenceItems *items);

/* Writes the sentence with stand-ins for its groups: `numbers`, if there are any, for those that end with a placeholder
 * of a number, because the words around it depend on that; `names` for the others. A stand-in between the parts of
 * yes|no has spaces around it. The text has no edits if there are not enough names. The caller frees *out with
 * kept_text_free(), also after an error. */
MUST_USE Status kept_text_stand_in(KeptText *out, const char *sentence, size_t len, const SentenceItems *items,
                                   KeptNames names, KeptNames numbers, Err *err);
/* Writes the sentence without its groups, and without the spaces that would be doubled or stand before a mark. A space
 * divides the parts of yes|no. A group includes the brackets or quotation marks directly around it, which are left out
 * and not put back if the group is in the prefix. */
MUST_USE Status kept_text_leave_out(KeptText *out, const char *sentence, size_t len, const SentenceItems *items,
                                    Err *err);
void kept_text_free(KeptText *text); /* {0} is allowed */

/* Finds the places of the stand-ins in a translation, in ascending order. Returns false unless each stand-in occurs
 * exactly once. One that is a part of a word or a number does not count. */
bool kept_text_find(const KeptText *text, const char *translation, size_t len, KeptEdit *edits);

/* Finds the groups that are in the prefix in the first `forced` bytes of the translation, which the model was forced to
 * write: sets `from` of their edits[text->count], which are in the order of the groups. The other edits do not change,
 * nor does that of a group whose characters the tokenizer replaced, or whose last word goes on after the prefix. */
void kept_text_find_prefix(const KeptText *text, const char *sentence, LineText translation, size_t forced,
                           KeptEdit *edits);

/* Sorts edits by `from`, and those at the same place by their groups. */
void kept_edits_sort(KeptEdit *edits, size_t count);

/* Puts the groups of a sentence into their places in a translation: appends the translation to *out, with the bytes of
 * group i, sentence[text->edits[i].to], instead of the bytes `from` of its edit, which may be empty. `before` and
 * `after` are spaces to add around the group; a space beside it becomes a no-break space if the sentence has one there.
 * The edits ascend. Sets `to` to the bytes of the groups in what was appended. A hyphen that joins a word to an
 * address, as in German compounds, becomes a space if white space divided them in the sentence: readers and programs
 * would take both for the address. So does one that joins a capital letter to what may be a number: 5-Dateien. */
MUST_USE Status kept_text_put(const KeptText *text, LineText sentence, const char *translation, size_t len,
                              KeptEdit *edits, Buf *out, Err *err);

/* Replaces ranges[count] of the text that was edited by those of the text that it became; the edits ascend. A range
 * that begins in an edit gets its begin, one that ends in an edit its end. */
void kept_edits_trace(const KeptEdit *edits, size_t edit_count, Range *ranges, size_t count);

#endif
