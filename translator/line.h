/* line.h - one line in progress. A line is split into sentences if its rules say so, encoded, and cut into segments
 * that fit the model. The translations of the segments are joined. With several models, the best translation then
 * becomes the text for the next model. */
#ifndef DRAGOMAN_LINE_H
#define DRAGOMAN_LINE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "dragoman.h"
#include "err.h"
#include "inflection.h"
#include "kept_text.h"
#include "calibration.h"
#include "search.h"
#include "search_params.h"
#include "sentences.h"
#include "session.h"
#include "alignment.h"
#include "ranges.h"
#include "tokenizer.h"
#include "typography.h"

/* --- A request: a text with its spans, and what else is asked of its translation. It is built once, by the functions
 * of dragoman.h (request.c), and passed on by pointer until line_new() makes a line of it. */

struct DragomanRequest {
    LineText text;        /* memory of the caller */
    SpanList kept;        /* DRAGOMAN_SPAN_KEPT, in the order of the caller */
    SpanList demands;     /* DRAGOMAN_SPAN_TERM, then _MUST */
    Buf forms;            /* forms of all demands, each with a NUL at its end; those of a demand begin at first_form */
    const char *language; /* NULL: that of the model */
    Buf language_text;
    bool splits;     /* split the line into sentences, if no setting forbids it */
    bool has_prefix; /* `prefix`, which may be empty, replaces DRAGOMAN_PREFIX */
    Buf prefix;
    bool is_known; /* the translation is `target` */
    bool is_given; /* the translation is `target`, which is scored */
    Buf target;
    RangeList places; /* is_known: where `target` has each range of `kept` */
};

/* What a line is made of, besides the models and their settings: requests with equal keys get equal lines. The second
 * part is "" for a request that consists of a text only. */
typedef struct {
    LineText text;
    LineText rest; /* of request_put_rest() */
    uint64_t hash; /* of both, for the scheduler */
} LineKey;

/* Appends everything that the request says, except its text. Every field of a request has to be in it. buf_check()
 * reports a failure. */
void request_put_rest(Buf *out, const DragomanRequest *request);

/* --- Numbers that say how certain a model was of a translation, and the confidence that follows from them. They are
 * sums over tokens, so the sums of a line are the sums of its segments added up. Tokens that were forced, because no
 * other token was allowed, do not count; end tokens do. */

/* Starts as {0}. */
typedef struct {
    size_t tokens;
    double sum, squares, margin, entropy;
    float least;
} FeatureSums;

/* Adds a segment: the log-probabilities scores[count] of its tokens and their spread[count]. */
void line_features_add(FeatureSums *sums, const float *scores, const TokenSpread *spread, size_t count);
void line_features_join(FeatureSums *sums, const FeatureSums *other);

/* Sets the features, rounded to floats: mean, least and deviation of the log-probabilities of the tokens, and the means
 * of the TokenSpread. All are 0 if no token counts. */
void line_features(const FeatureSums *sums, double features[CALIBRATION_FEATURES]);

/* The probability that the translation is good (ConfidenceFit). NaN without a fit, or if no token counts. */
double line_features_confidence(const FeatureSums *sums, const ConfidenceFit *fit);

/* --- Lines and what they consist of. */

/* `ranges` and `scores` have an element for each id. They and `alignment` are empty if not asked for. */
typedef struct {
    Buf text;
    float score, sum;
    IdList ids;
    RangeList ranges;        /* in `text` */
    SoftAlignment alignment; /* of `ids` with the model's source ids; after line_complete(), with line->source_ids */
    LIST_OF(float) scores;
    size_t forced;  /* given translation: how many of its first ids the model is forced to write */
    unsigned flags; /* a sum of values of DragomanFlag */
    FeatureSums features;
    double confidence; /* NaN: unknown */
    SpanList items;    /* with places in `text`, in the order of line->kept; after line_complete(), of the source */
    SpanList demands;  /* with places in `text`, in the order of line->demands */
    RangeList units;   /* for lines with demands: where `text` has the translation of each unit */
} DragomanTranslation;

/* The text between two models. If ranges are asked for, it has the tokens of both models: tokens that share bytes
 * connect their alignments. `ids` is empty if no model wrote the text, because the text before it had no pieces. */
typedef struct {
    Buf text;
    IdList ids; /* of the model that wrote it */
    RangeList ranges;
    SoftAlignment alignment; /* of `ids` with the source ids of the line */
    IdList source_ids;       /* of the model that reads it */
    RangeList source_ranges;
} LinePivot;

/* The unknown token `target` of a translation is replaced by the source token `source`. */
typedef struct {
    size_t target, source;
} UnknownToken;

typedef LIST_OF(UnknownToken) UnknownList; /* ascending */

/* A word of a translation: letters and digits without others between them; in scripts without spaces, a character. */
typedef struct {
    uint32_t hash; /* of its letters in lower case */
    unsigned letters;
    bool is_code; /* it has a digit, or a sign such as % or { before it: a number, %s, {name} */
    size_t token; /* which of the ids has its beginning */
} ResultWord;

typedef LIST_OF(ResultWord) ResultWords;

/* How a translation of a segment has a demand. */
typedef struct {
    DragomanTermVerdict verdict;
    size_t form;
    Range tokens; /* the ids that have bytes of it */
} DemandFound;

/* One of the n best translations of a segment. */
typedef struct {
    IdList ids;
    float score, sum;
    DemandFound *found;   /* [segment->demands->list.len]; NULL: the segment has no demands */
    size_t missed;        /* number of demands of the segment that this translation does not meet */
    float loss;           /* for segments with demands: how much lower its score per token is than without them */
    bool is_acceptable;   /* for segments with demands: it may win */
    ResultWords words;    /* for segments with demands */
    size_t ends, marks;   /* for segments with demands: sentence ends, quotation marks and brackets */
    size_t echoes;        /* for segments with demands: words that follow themselves */
    UnknownList unknowns; /* indices in `ids` and in the segment's source */
    float *attention;     /* [ids.len, segment->source.len]; NULL: not asked for */
    float *token_scores;  /* [ids.len]; NULL: not asked for */
    unsigned flags;       /* of line_flags_of_ids() */
    FeatureSums features;
} SegmentResult;

/* Starts as {0}, owns its memory and ends with segment_results_free(). */
typedef struct {
    SegmentResult *data;
    size_t len;
} SegmentResults;

typedef struct DragomanLine Line;

/* Which source ids of its line a segment holds: the special tokens around a unit's pieces, and some of the pieces. */
typedef struct {
    size_t unit;    /* index of the unit's first id */
    size_t head;    /* ids before the pieces */
    size_t pieces;  /* in this segment */
    size_t skipped; /* pieces of earlier segments of the unit */
    size_t left;    /* pieces of later segments of the unit */
} SegmentPlace;

/* The attempts at a segment (segment_attempts.c). */
typedef enum {
    ATTEMPT_FREE,     /* the search with the settings of all segments */
    ATTEMPT_SECOND,   /* another search, because the translation repeats itself */
    ATTEMPT_DEMANDED, /* the search for a translation that meets the demands of the segment */
    ATTEMPT_WIDE,     /* another one, with a wider beam */
    ATTEMPT_SCORED,   /* the scores of a translation that is given, or was made to meet the demands */
    ATTEMPT_NONE      /* the segment is translated */
} Attempt;

/* One input of the model: a line, a sentence, or a part of one that is too long. */
typedef struct Segment {
    Line *line;
    size_t index;                   /* index in the line */
    IdList source;                  /* input ids of the encoder */
    SegmentPlace place;             /* of `source` in the source ids of the line */
    SegmentResults results;         /* best first; empty until the segment is translated */
    Attempt attempt;                /* the next one or the one in progress */
    SegmentResults earlier;         /* the results of the attempts before it */
    bool rescued;                   /* the second attempt was better */
    struct SegmentDemands *demands; /* NULL: none */
    bool located;                   /* its unit is translated without its items, so the attention is needed */
    struct Segment *next;           /* next in the scheduler's queue */
} Segment;

/* The items of a unit, and how they come into its translation (line_kept.c). */
typedef struct {
    enum { KEPT_NONE, KEPT_STAND_INS, KEPT_LEFT_OUT, KEPT_COPIED } way; /* KEPT_NONE: the unit has no items */
    size_t first, count;                                                /* in line->kept */
    KeptText text;    /* KEPT_STAND_INS, KEPT_LEFT_OUT: the unit as the model reads it */
    RangeList tokens; /* KEPT_LEFT_OUT: the ranges of the source tokens in `text` */
    bool is_changed;  /* the unit has got more items since it was last read */
} KeptUnit;

/* One input of the tokenizer: a line or a sentence. */
typedef struct {
    Range range;         /* in the text; the text between two units is copied */
    size_t begin;        /* range.begin, or the end of line->request if the range begins with it */
    size_t end;          /* of what the model reads: range.end, unless the rest is cut off (LineRules.crops) */
    size_t segments_end; /* index after its last segment in line->segments */
    bool capitals;       /* it is in all capitals, and was converted to normal case (capitals.h) */
    QuoteMarks quotes;   /* its quotation marks, to be restored in the translation (typography.h) */
    KeptUnit kept;
    Buf replaced; /* parts that the tokenizer has replaced by names (Encoding.replaced) */
} Unit;

struct DragomanLine {
    /* What dragoman.h describes. */
    size_t number; /* a line that is repeated gets the number and the tag of each turn when it is returned */
    uintptr_t tag;
    bool repeats; /* the translation was made for an earlier turn */
    Buf source;
    IdList source_ids;
    RangeList source_ranges; /* in `source` */
    LinePivot *pivots;       /* [pivot_count] */
    size_t pivot_count;      /* also the index of the current model */
    size_t most_segments;    /* the largest segment_count of all models so far */
    bool wrapped;
    size_t cropped;
    size_t count;
    DragomanTranslation *translations; /* [count] */
    size_t pieces;
    unsigned pivot_flags;    /* of the best translations of the models before the current one */
    double pivot_confidence; /* the product of their confidences */
    bool rescued;            /* a second attempt at a segment was better */

    Segment *segments; /* [segment_count], for the current model */
    size_t segment_count, segment_room;
    Unit *units; /* [unit_count], for the current model */
    size_t unit_count;
    Range request;       /* the language request that is put before each sentence; {0, 0}: there is none */
    SpanList kept;       /* the items (line_kept.c), with places in the text for the current model; ordered by place
                             or, if no model reads the text, as in the source */
    IdList kept_prefix;  /* the forced prefix with stand-ins, if it has items of the first unit that is translated */
    SpanList demands;    /* terms, then texts without ranges (line_demands.c) */
    Buf forms;           /* of all demands: DragomanRequest.forms */
    size_t must_unit;    /* index of the unit that got the demands without ranges; SIZE_MAX: none yet */
    bool asks_to_split;  /* the request asks to split it into sentences */
    uint32_t open_quote; /* state of typography_read_quotes() while the units are read */
    bool capitals;       /* the text for the current model is in all capitals, except for its items */
    bool has_prefix;     /* `prefix`, which may be empty, replaces the prefix that the last model has for all lines */
    IdList prefix;
    Buf prefix_text;                      /* the text of `prefix` */
    DragomanTranslation *given;           /* the translation to score, with `text`, `ids`, `ranges` and `forced`; NULL:
                                             the line is translated */
    const struct LineRules *source_rules; /* for the first model, with the language of the request; NULL: the rules of
                                             the stage */
    bool known;                           /* the request has the translation, so no model reads the line */
    bool broken;                          /* the scores of the model are NaN or infinite, so there is no translation */
    Buf refusal; /* the message, if the line is broken or a model refuses it; empty: the line does not fail */
    size_t cost; /* estimate of the memory in bytes; line_new() assumes one model */

    /* A view (line_view_new()) shares all of the above except the first three fields. */
    atomic_size_t owners; /* line_free() frees the line of the last one */
    Line *viewed;         /* the line that owns what the view shows; NULL: it is no view */
    bool is_reusable;     /* requests with the same key, `source` with `rest` and `hash`, may get this line, too */
    Buf rest;
    uint64_t hash;

    /* The scheduler's fields, guarded by its lock. */
    struct Stream *stream; /* until the line is ready: its segments are part of this stream */
    size_t open;           /* segments not yet translated */
    size_t workers;        /* segments in flight, and workers that complete the line */
    bool ready;
    bool is_recent; /* it is in the table of recent lines */
    size_t bytes;   /* if it is: what it counts there */
    Line *next_in_bucket, *newer, *older;
};

/* Which tokens of the target vocabulary continue a word. Read when it is first needed, by any thread. */
typedef struct {
    const Tokenizer *tokenizer;
    size_t vocab; /* the number of target ids of the model */
    pthread_mutex_t lock;
    unsigned char *continuing; /* [vocab], the owner frees it; NULL: not read yet (line_demands.c) */
    const char *language;      /* of the translations, a BCP 47 tag; "": not known */
    bool inflects;             /* an inflected form of a term meets its demand (DRAGOMAN_GLOSSARY_MATCH) */
    bool has_inflection;       /* the next field is set (line_demands.c) */
    Inflection *inflection;    /* the owner frees it; NULL: the language has none */
} DemandTokens;

/* How to read and write the lines of a model. */
typedef struct LineRules {
    const Tokenizer *tokenizer;
    bool pieces_in, pieces_out; /* the text consists of pieces separated by spaces */
    Sentences *sentences;       /* NULL: lines are never split */
    bool splits_asked_only;     /* split only lines that ask for it (Line.asks_to_split) */
    bool capitals;              /* convert sentences in all capitals to normal case (capitals.h) */
    bool keeps_unknown;         /* also keep what the vocabulary does not have (text_parts.h), and replace rare marks
                                   (typography.h) */
    bool keeps_numbers;         /* also keep numbers that the model might change (line_kept.c) */
    size_t limit;               /* most source ids per segment, including special tokens */
    size_t target_limit;        /* most ids of a given translation, including special tokens */
    bool asked_limit;           /* the user set the limit, so lines are cut without a warning */
    bool crops;                 /* cut off what exceeds the limit */
    bool is_last;               /* of the last model, whose translation begins with the prefix of the line */
    size_t prefix_len;          /* number of tokens of the prefix for all lines without a prefix in the request */
    LineText prefix_text;       /* the text of this prefix */
    bool ranges;                /* keep the bytes of the tokens */
    bool attention;             /* keep the attention as a soft alignment; needs `ranges` */
    bool unknowns;              /* replace unknown tokens; needs `ranges` */
    bool token_scores;          /* keep the log-probabilities of the tokens */
    size_t shift;               /* AlignmentConfig */
    bool has_shortlist;         /* searches choose from a shortlist */
    bool rescues;               /* make a second attempt at segments whose translation repeats itself */
    bool judged;                /* compute the flags and the confidence of lines */
    const ConfidenceFit *fit;   /* NULL: the model has none */
    const SearchParams *params;
    bool chosen_ends;            /* the user has chosen the tokens that end a translation */
    int32_t end;                 /* if chosen_ends: the model's own end token */
    DemandTokens *demand_tokens; /* used by lines with demands */
    KeptNames names;             /* stand-ins for items; NULL: there are none, so items are left out */
    KeptNames numbers;           /* stand-ins for placeholders of numbers; NULL: use `names` for them */
} LineRules;

/* Makes a line of a request. Splits the text into sentences if the rules say so, encodes them and cuts them into
 * segments. If `rules` is NULL, the line is copied. A line that is copied, has no pieces or has a known translation has
 * no segments. A line with a given translation has one segment, which is scored; or, if the model does not accept the
 * pair, no segment and a `refusal`. If the request has a prefix, call line_encode_prefix() next. ERR_USAGE for ranges
 * and demands that dragoman.h does not allow. On OK the caller owns *out and frees it with line_free(). */
MUST_USE Status line_new(Line **out, const LineRules *rules, const DragomanRequest *request, uintptr_t tag, Err *err);
/* Ends the use of the line by one of its owners, at first the caller of line_new(), and frees it with the last one.
 * NULL is allowed. */
void line_free(Line *line);

/* Returns a view of a line that no longer changes, for one reader: it has a number, a tag and `repeats` of its own and
 * shares the rest. The view takes over one ownership of the line and ends with line_free(). NULL: out of memory. */
Line *line_view_new(Line *line);

/* The memory in bytes of a line that no model works on. */
size_t line_bytes(const Line *line);

/* Call it when all segments are translated, before line_complete(). Reads units again whose kept spans or numbers did
 * not come out as they should (line_kept.c). Sets *again if there are segments without results now; call it again when
 * they are translated. */
MUST_USE Status line_try_again(Line *line, const LineRules *rules, bool *again, Err *err);

/* Joins result i of all segments to translation i and decodes it. Restores the white space around sentences. Call it
 * when all segments are translated. */
MUST_USE Status line_complete(Line *line, const LineRules *rules, Err *err);

/* Passes a completed line on to the next model, whose rules are `next`. The best translation, or the text itself if
 * it had no pieces, becomes a pivot of the line and the text to translate. */
MUST_USE Status line_pass_on(Line *line, const LineRules *next, Err *err);

/* Encodes the request's prefix for the last model, whose rules are `last`. ERR_USAGE for a text that
 * dragoman_request_prefix() does not allow. */
MUST_USE Status line_encode_prefix(Line *line, const LineRules *last, Err *err);

/* Properties of a line (line_view.c). */

/* The text for the current model: the source or the last pivot. */
const Buf *line_text(const Line *line);
/* The ids that the current model reads, and their ranges: line->source_ids for the first model, those of the last pivot
 * for a later one. */
IdList *line_source_ids(const Line *line);
RangeList *line_source_ranges(const Line *line);
bool line_is_split(const Line *line, const LineRules *rules);
/* The segments of a unit, and the unit that a segment translates. */
Range line_unit_segments(const Line *line, const Unit *unit);
const Unit *line_unit_of(const Segment *segment);
/* The number of translations of the line: with alternatives, the number of results of the first segment, else the
 * smallest number of results of a segment. */
size_t line_count_results(const Line *line, const LineRules *rules);
/* The result of a segment for translation `rank` of the line: result `rank`, or the best one if the segment has fewer,
 * because only the first segment has alternatives. */
SegmentResult *line_result_of(const Segment *segment, size_t rank);
/* The forced prefix of the translation by this model: the line's own, or one with stand-ins for items. NULL: the prefix
 * for all lines. */
const IdList *line_own_prefix(const Line *line, const LineRules *rules);
/* The text of the prefix, without stand-ins. */
LineText line_prefix_text(const Line *line, const LineRules *rules);

/* --- Lines with items (line_kept.c). An item is a range of bytes that every translation contains unchanged, exactly
 * once.
 *
 * The items of a unit come into its translation in one of three ways. At first, stand-ins replace them (kept_text.h).
 * Units with a result that lacks a stand-in or has it twice are translated again, all at once and without their items,
 * which are then inserted at places that are found by attention. A unit without letters and digits outside of its items
 * is copied, unless its translation has to begin with a prefix.
 *
 * If the rules keep numbers, parts that are the same in every language (text_parts.h) are items from the beginning. The
 * numbers of a unit that differ from those of its translation (number_check.h) all become items of a second attempt.
 * Their separators become those of the target language. */

/* Sets line->kept to what the request keeps; if the rules say so, also adds unknown text and numbers, but not those
 * that a term of the request covers. line_text() must be the source. `rules`: NULL for a line that is copied. */
MUST_USE Status line_kept_new(Line *line, const DragomanRequest *request, const LineRules *rules, Err *err);
/* Sets the places of the items to their places in the best translation, which becomes the text for the next model. If
 * `best` is NULL, the text does not change. `offsets`: the array of clean_offsets_new() if the text has
 * bytes that buf_put_clean() replaces; else NULL. */
void line_kept_pass_on(Line *line, const DragomanTranslation *best, const size_t *offsets);
/* Divides the sentences of the text at separators (Home | Books). A part that is only a single letter or a number is
 * not a sentence. Then joins sentences that share an item, so that each item is in one sentence or between two.
 * *sentences may become empty. */
MUST_USE Status line_kept_divide(const Line *line, RangeList *sentences, Err *err);
/* Finds the items of each unit, whose range must not contain a language request. Call it before the units are read. */
void line_kept_find(Line *line, const LineRules *rules);
/* Writes the text of a unit with items that is about to be translated, and sets the prefix with which its translation
 * has to begin. */
MUST_USE Status line_kept_read(Line *line, Unit *unit, const LineRules *rules, Err *err);
/* The model reads only the first `length` bytes of the unit's text, which has stand-ins. Removes the items after these
 * bytes, unless the request names them. */
void line_kept_crop(Line *line, Unit *unit, size_t length);
/* Converts the ranges of tokens in the text that the model reads, which begins with a language request of `head` bytes,
 * to ranges in the request and in the original unit. If the items are left out, first copies the old ranges to
 * kept->tokens, from which the places of the items are found later. */
MUST_USE Status line_kept_trace(KeptUnit *kept, size_t head, RangeList *ranges, Err *err);

/* The last ids of a translation, from index `first` on, and their text. */
typedef struct {
    const IdList *ids;
    size_t first;
    Buf *text;
    RangeList *ranges; /* of these ids in the text; NULL: not asked for */
    const Unit *unit;  /* the unit that they translate */
    unsigned *flags;   /* gets DRAGOMAN_FLAG_CHATTER; NULL: not asked for */
} DecodedIds;

/* Puts the items of the unit into its translation, which is converted to capitals if the unit was in all capitals, and
 * adapts the ranges of its ids. Sets the places of the unit's items in out->items, in the text of the unit. */
MUST_USE Status line_kept_put(DragomanTranslation *out, const Line *line, const Unit *unit, const DecodedIds *decoded,
                              const LineRules *rules, Err *err);
/* Gives the numbers among the items of a finished translation the separators of the target language. */
void line_kept_adapt(DragomanTranslation *out, const LineRules *rules);
/* Sets the places of the items in text[left..right), which is copied to byte `place` of the translation because it is
 * between sentences. */
void line_kept_copy(DragomanTranslation *out, const Line *line, size_t left, size_t right, size_t place);

/* For line_try_again(). Leaves out the items of a unit unless each of its results has every stand-in exactly once.
 * Makes items of numbers that differ in the translation. Sets *changed if there are such units, which must be read
 * again. */
MUST_USE Status line_kept_check(Line *line, const LineRules *rules, bool *changed, Err *err);

/* --- Lines whose translations have to contain given texts (line_demands.c): the texts as tokens for the search
 * (SearchDemands), and the texts in the finished translations. */

/* A demand that the translation of a segment has to meet. */
typedef struct {
    size_t index;  /* in line->demands */
    size_t number; /* in the search; SIZE_MAX: no form has tokens, so the demand is met only by chance */
    Range source;  /* the source ids of the segment that it translates; empty: it is not bound */
} SegmentDemand;

typedef struct SegmentDemands {
    LIST_OF(SegmentDemand) list;
    SearchDemands view;
    LIST_OF(DemandForm) forms;
    LIST_OF(size_t) numbers; /* for each of `forms`, which of the forms that the request lists it spells */
    IdList ids;              /* of all forms */
    LIST_OF(DemandPlace) places;
    struct TermTrials *trials; /* of the attempts (segment_attempts.c); NULL: none yet */
} SegmentDemands;

/* Sets line->demands to those of the request, if it has any, without the terms in parts of line->kept that dragoman has
 * found. Call line_kept_new() before. */
MUST_USE Status line_demands_new(Line *line, const DragomanRequest *request, Err *err);
void segment_demands_free(SegmentDemands *demands); /* NULL is allowed */
/* Finds the demands in all translations of a line that has some, except for those that line_demands_place() has
 * found. */
MUST_USE Status line_demands_find(Line *line, DemandTokens *tokens, Err *err);
/* Gives the demands whose ranges begin in a unit to segment `first`, if that is the only one of the unit. ranges[]
 * are those of its source ids in the text at this place. The demands of a unit with several segments are met only
 * by chance. Demands without ranges go to the first unit that has one segment, unless an item of the line meets
 * them. */
MUST_USE Status line_demands_attach(Line *line, const Unit *unit, size_t first, const RangeList *ranges,
                                    TextPlace place, const LineRules *rules, Err *err);
/* If the unit of the segment consists of terms, marks, spaces and items with stand-ins, appends the ids of the unit
 * with the first form of each term in its place. `capitalized`: with a capital at the beginning. */
MUST_USE Status segment_demands_spell(IdList *out, const Segment *segment, bool capitalized, const LineRules *rules,
                                      Err *err);
/* Adds inflected forms of its terms to the segment's demands. */
MUST_USE Status segment_demands_inflect(Segment *segment, const LineRules *rules, Err *err);
/* Appends the words of a text, whose ids have these ranges. */
MUST_USE Status result_words_read(ResultWords *words, const Buf *text, const RangeList *ranges, Err *err);
/* Returns the tokens of a result, after its `forced` first ones, that translate these source ids: the word with the
 * most attention to them, and the words beside it whose tokens attend to them most. A word that also translates
 * other source ids, as a compound does, is none. {0, 0}: there are no such words. The segment is one of the last
 * model. */
Range segment_demands_run(const Segment *segment, const SegmentResult *result, Range source, const LineRules *rules,
                          size_t forced);
/* Finds the demands of the segment in a result: sets result->found and result->missed. If another model reads the
 * translation, finds the words that translate the ranges of the terms instead. */
MUST_USE Status segment_demands_check(const Segment *segment, SegmentResult *result, const LineRules *rules,
                                      size_t forced, Err *err);
/* Sets the places of the segment's demands in a translation, whose last text, from byte `begin` on, has the ids with
 * these ranges. */
MUST_USE Status line_demands_place(DragomanTranslation *out, const Segment *segment, const SegmentResult *result,
                                   const RangeList *ranges, size_t begin, bool is_last, Err *err);
/* Moves the ranges of the terms to the text for the next model, `best`. `offsets`: see line_kept_pass_on(). */
void line_demands_pass_on(Line *line, const DragomanTranslation *best, const size_t *offsets);
/* Returns an array [vocab] with 1 for each token that continues the word before it; NULL if there is no memory. */
const unsigned char *demand_tokens_continuing(DemandTokens *tokens);
/* Whether the target token has letters or digits. */
bool demand_token_has_letters(const Tokenizer *tokenizer, int32_t id);

/* Whether the line has demands that the sentence at this range has to meet, or could. */
bool line_demands_concern(const Line *line, Range range);

/* --- Signs that a translation is bad. Each one is a DragomanFlag, and the functions return a set of them.
 *
 * A flag should be wrong almost never, so that it is worth a look: at most one of a thousand translations made by
 * people has a flag, as measured on 22,900 English-German pairs with the embedded model (line_judge.c). */

/* The source ids of a segment that count for its flags: in a prompt, only those of the text. */
IdList segment_text_ids(const Segment *segment, const LineRules *rules);

/* DRAGOMAN_FLAG_LOOP, _CUT, _SHORT and _LONG: compares the ids of a segment with those of its translation, which may
 * have at most `limit`. */
unsigned line_flags_of_ids(const IdList *source, const IdList *target, size_t limit);

/* DRAGOMAN_FLAG_COPY. Both texts are valid UTF-8. */
unsigned line_flags_of_texts(const Buf *source, const Buf *target);

/* DRAGOMAN_FLAG_UNCOVERED: totals[count] are the sums of the attention that each source token gets from all target
 * tokens, ranges[count] the bytes of the tokens in the source. */
unsigned line_flags_of_attention(const float *totals, const Range *ranges, size_t count, const Buf *source);

/* Completes the flags of the translations and sets their confidence, including the flags and confidences of earlier
 * models (line_judge.c). Call it after line_complete(). */
MUST_USE Status line_judge(Line *line, const LineRules *rules, Err *err);
/* Whether the numbers of a translation by the model of these rules differ from those of its source. */
MUST_USE Status line_compare_numbers(const Line *line, const LineRules *rules, LineText source, const Buf *translation,
                                     bool *differ, Err *err);

/* --- The results of a segment (segment_results.c). */

/* Lets the session record what the rules ask for, besides the translations of this
 * attempt. Call it when nothing is in flight. */
MUST_USE Status segment_results_record(Session *session, const LineRules *rules, Attempt attempt, Err *err);

/* Copies `count` hypotheses of session_search(), and what was recorded for them, to segment->results, which is
 * empty. */
MUST_USE Status segment_results_read(Segment *segment, Session *session, size_t count, const LineRules *rules,
                                     Err *err);
void segment_result_free(SegmentResult *result); /* frees its lists */
void segment_results_free(SegmentResults *results);

/* --- Unknown tokens. In a translation, an unknown token is replaced by the source token with the most attention, as
 * replace_unknowns of CTranslate2 does; if several have equally much, by the first. Special tokens and tokens of items
 * are not used, since a translation contains each item exactly once. The ids of the translation do not change. */

/* Appends the ids of a result to those of a translation, and the unknown tokens of the result to *unknowns, with their
 * indices in the translation and in the source ids of the line. */
MUST_USE Status line_append_result(IdList *ids, UnknownList *unknowns, const Segment *segment,
                                   const SegmentResult *result, const LineRules *rules, Err *err);

/* The entry for the id at index `target`, or NULL. *next, 0 for the first call, is the position in the list; the
 * targets of successive calls ascend. */
const UnknownToken *line_unknowns_next(const UnknownList *list, size_t *next, size_t target);

/* Puts the piece of a source token, as the user gave it. buf_check() reports a failure. */
void line_unknowns_put_piece(Buf *out, const Line *line, size_t source, const LineRules *rules);

/* Decodes the ids to decoded->text and decoded->ranges, which start empty. Calls line_unknowns_put(). If the tokenizer
 * writes prompts, removes what the answer has besides the translation (answer.h). */
MUST_USE Status line_decode(const UnknownList *list, const Line *line, const LineRules *rules,
                            const DecodedIds *decoded, Err *err);

/* Replaces the text of the unknown tokens in the list by that of their source tokens, and adapts the ranges. */
MUST_USE Status line_unknowns_put(const UnknownList *list, const Line *line, const LineRules *rules,
                                  const DecodedIds *decoded, Err *err);

/* --- The attempts at a segment (segment_attempts.c).
 *
 * All segments begin with ATTEMPT_FREE. Two things call for others:
 * - Its translation repeats itself, and the rules ask for second attempts. The second attempt has twice the beam, at
 *   least RESCUE_BEAMS, and never repeats RESCUE_NGRAM tokens. It cannot get DRAGOMAN_FLAG_LOOP, since it repeats a run
 *   of tokens at most twice, a single token three times. The better of the two is kept (dragoman_line_rescued()).
 * - Its translations do not meet its demands. Then a search for translations that meet them, and translations that are
 *   made of the free one and scored, compete with it (docs/terms.md). */

#define RESCUE_BEAMS 8
#define RESCUE_NGRAM 3

/* Sets *out, which starts as {0}, to the parameters of a second attempt. On OK the caller frees it with
 * search_params_free(). */
MUST_USE Status rescue_params(SearchParams *out, const SearchParams *from, Err *err);

/* Ends the attempt, whose results are in segment->results, none if it failed. Sets segment->attempt to the next one or,
 * with the final results in segment->results, to ATTEMPT_NONE. `forced`: the length of the forced prefix. */
MUST_USE Status segment_attempt_end(Segment *segment, const LineRules *rules, size_t forced, Err *err);

/* The translation to score in ATTEMPT_SCORED. */
const IdList *segment_target(const Segment *segment);

void term_trials_free(struct TermTrials *trials); /* NULL is allowed */

#endif
