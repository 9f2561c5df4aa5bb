/* line_kept.h - lines with items, which are bytes that every translation contains unchanged, exactly once.
 *
 * The items of a unit come into its translation in one of three ways. At first, stand-ins take their place in the
 * text that is translated (kept_text.h). When all segments of the line are translated, each result of each unit is
 * decoded. Units of which a result lacks a stand-in or has it twice are translated again without their items, which
 * are then put to where the attention of the model says (kept_places_find()). All such units of a line are
 * translated again together. A unit without letters and digits besides its items is copied.
 *
 * If the rules keep numbers, parts that no language writes differently (text_parts.h) are items from the beginning.
 * The numbers of a unit that differ from those of its translation (number_check.h) all become items of a second
 * attempt. Their separators become those of the target language. */
#ifndef DRAGOMAN_LINE_KEPT_H
#define DRAGOMAN_LINE_KEPT_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "kept_text.h"
#include "line.h"
#include "sentences.h"

typedef enum { KEPT_NONE, KEPT_STAND_INS, KEPT_LEFT_OUT, KEPT_COPIED } KeptWay;

/* The items of a unit. */
typedef struct {
    KeptWay way;
    size_t begin;        /* of the unit in the text, without a language request */
    size_t first, count; /* its items */
    KeptText text;       /* KEPT_STAND_INS, KEPT_LEFT_OUT: the unit as the model reads it */
    RangeList tokens;    /* KEPT_LEFT_OUT: of the source tokens in `text` */
    bool is_changed;     /* it has got items since it was last read */
} KeptUnit;

/* The items of a line: spans whose places are in the text for the current model, in ascending order. In a line that no
 * model reads any more, they are in the order of the source. */
typedef struct LineKept {
    SpanList items;  /* at least one */
    KeptUnit *units; /* [unit_count]; NULL until the text for the current model is read */
    size_t unit_count;
    bool has_prefix; /* the unit that begins the translation has items in its prefix */
    IdList prefix;   /* has_prefix: the prefix with stand-ins */
} LineKept;

/* For line.c: reading. */

/* Divides sentences of the text at its separators, which are then between them, as are numbers without a word and
 * single letters; then joins sentences such that no item is in more than one. Items that share no bytes with a sentence
 * stay between them. Replaces *sentences[*count], of which none may be left. */
MUST_USE Status line_kept_divide(const Line *line, Range **sentences, size_t *count, Err *err);
/* Finds the items of the units, which are without a language request, unless the text is read again. */
MUST_USE Status line_kept_find(Line *line, const LineRules *rules, Err *err);
/* Writes the text of a unit with items that is about to be translated, and sets the prefix with which its translation
 * has to begin. */
MUST_USE Status line_kept_read(Line *line, size_t unit, const LineRules *rules, Err *err);
/* Replaces the ranges of tokens in the text of the unit, after `head` bytes, by those in the unit. Keeps what will be
 * needed to find places. */
MUST_USE Status line_kept_trace(Line *line, size_t unit, size_t head, RangeList *ranges, Err *err);

/* For line.c: joining. The translation of a unit, whose ids begin at `first_id` of the line's. */
typedef struct {
    size_t unit;
    size_t first_segment, first_id;
    Buf *text;         /* decoded */
    RangeList *ranges; /* of the ids in the text */
} KeptResult;

/* Puts the items of the unit into its translation, which is converted to capitals if the unit was in all capitals, and
 * adapts the ranges of its ids. Sets the places of the unit's items in out->spans, in the text of the unit. */
MUST_USE Status line_kept_put(DragomanTranslation *out, const Line *line, const KeptResult *result,
                              const LineRules *rules, Err *err);
/* Sets the items of text[left..right), which is copied to byte `place` of the translation: those between sentences. */
void line_kept_copy(DragomanTranslation *out, const Line *line, size_t left, size_t right, size_t place);
/* Moves the places of the unit's items in out->spans by `offset`. */
void line_kept_move(DragomanTranslation *out, const Line *line, size_t unit, size_t offset);

/* For line_try_again(): whether units have to be read again. Finds the units whose stand-ins did not come out as they
 * should, and leaves their items out; and those whose numbers differ, which become items. The line may have no items
 * yet. */
MUST_USE Status line_kept_check(Line *line, const LineRules *rules, bool *changed, Err *err);

#endif
