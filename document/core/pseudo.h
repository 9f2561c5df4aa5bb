/* pseudo.h - a translation without a model, to test documents: each letter from a to z, in upper and lower case, gets
 * an accent (a -> á) or a hook (q -> ɋ). No two letters become the same, so the text can be restored. Kept parts and
 * all other characters stay. */
#ifndef DRAGOMAN_PSEUDO_H
#define DRAGOMAN_PSEUDO_H

#include "document.h"
#include "err.h"

/* Appends the text, and sets places[markup_count] and kept[kept_count] to where its markup and its kept parts go in the
 * appended text. */
MUST_USE Status pseudo_append(const UnitText *text, Buf *out, Range *places, SpanList *kept, Err *err);

#endif
