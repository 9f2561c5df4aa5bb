/* mark_fit.h - the spans of a text whose tags are marks (MarkRules in document_formats.h): where their ends go and
 * which tags they get, so that they are read as what they are. */
#ifndef DRAGOMAN_MARK_FIT_H
#define DRAGOMAN_MARK_FIT_H

#include <stdbool.h>

#include "document.h"
#include "document_formats.h"
#include "err.h"
#include "unit_atoms.h"

/* Starts with mark_fit_start() and ends with mark_fit_free(). */
typedef struct {
    const MarkRules *rules; /* NULL: there are no marks, and the lists are not used */
    const DocumentFile *file;
    const UnitText *model;
    const char *text;       /* of the rendering */
    Range *places;          /* [markup_count], of the rendering, changed */
    unsigned char *attempt; /* [markup_count], 0: the source's tags; then as in MarkRules.replace */
    unsigned char *misfits; /* [markup_count], 1: the opening mark does not fit, 2: the closing one, 3: both */
    unsigned passes;
} MarkFit;

/* `rules` may be NULL. file, model and rendering must stay valid. */
MUST_USE Status mark_fit_start(MarkFit *fit, const MarkRules *rules, const DocumentFile *file, const UnitText *model,
                               const Rendering *rendering, Err *err);
void mark_fit_free(MarkFit *fit);

/* Whether the tags of the span are marks now. */
bool mark_fit_is_mark(const MarkFit *fit, size_t index);

/* Returns what replaces a tag; NULL: nothing. */
const char *mark_fit_replacement(const MarkFit *fit, size_t index, bool closes);

/* Notes the spans with a mark among the atoms that is not read as such. */
void mark_fit_note_misfits(MarkFit *fit, const UnitAtoms *atoms, unsigned context);

/* Changes the spans whose marks do not fit. Returns whether there were any. After a few calls, all of them get tags
 * that fit everywhere, so at most about MARKUP_DEPTH calls return true. */
bool mark_fit_change(MarkFit *fit);

#endif
