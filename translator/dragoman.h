/* dragoman.h - translate lines of text. The public header of libdragoman.
 *
 *     DragomanOptions *options = dragoman_options_new();
 *     dragoman_set_text(options, DRAGOMAN_MODEL, "opus-mt-fr-en", &error)
 *     dragoman_open(&d, options, &error)
 *     one thread:      dragoman_submit_text(d, text, length, tag, &submit_error) ...; dragoman_finish(d)
 *     another thread:  while (dragoman_next(d, &line, &next_error) == DRAGOMAN_OK && line)
 *                          puts(dragoman_line_translation(line, 0, NULL)) (an empty line for a blank line)
 *     dragoman_close(d)
 *
 * Lines are returned in the order in which they were submitted. A line is returned as soon as it and all lines before
 * it are ready. Memory is bounded: dragoman_submit() waits while too many lines are in progress. A program that serves
 * several requests at a time opens a stream for each of them: dragoman_open_stream().
 *
 * Threads: calls for different objects may run at the same time. For one Dragoman, any thread may call any function at
 * any time, with two exceptions: dragoman_next() and the functions that read its line belong to one thread at a time,
 * and dragoman_close() must be the last call. Lines that several threads submit are in the order in which they were
 * accepted. Several threads may read the same DragomanOptions while no thread changes them.
 *
 * Processes: a process that is forked may open models of its own, but must not use or close those of its parent. While
 * one thread opens or closes a model or reads an outline (dragoman_hub.h), no other thread may fork: the child could
 * wait for ever for a lock that nobody unlocks.
 *
 * Options and lines are opaque. While the version begins with 0, the numbers of settings may change from one version to
 * the next: compile programs again for each version.
 *
 * On CPUs for which dragoman has no kernels, opening the first model loads OpenBLAS and ends its threads; from then on
 * OpenBLAS computes in the calling thread, in the whole process. If the address space is limited, start the process
 * with OPENBLAS_NUM_THREADS=1: OpenBLAS hangs if it cannot reserve its buffers.
 *
 * Signals: the library handles none. Its threads block all signals except those of faults, such as SIGSEGV: a handler
 * of the program also gets the faults of these threads. Models are mapped into memory and must not change while they
 * are open: if one is truncated, or its disk fails, reading it raises SIGBUS, which ends the process unless the program
 * has a handler (see dragoman_mapped_file() in dragoman_tools.h). */
#ifndef DRAGOMAN_H
#define DRAGOMAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dragoman_settings.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DRAGOMAN_VERSION "0.5.0"

#ifdef __GNUC__
#define DRAGOMAN_API     __attribute__((visibility("default")))
#define DRAGOMAN_CHECKED DRAGOMAN_API __attribute__((warn_unused_result)) /* can fail: check the status */
#else
#define DRAGOMAN_API
#define DRAGOMAN_CHECKED
#endif

/* The version of the library that is linked, such as "0.5.0"; DRAGOMAN_VERSION is the version of this header. */
DRAGOMAN_API const char *dragoman_version(void);

typedef struct Dragoman Dragoman;               /* a stream of lines through open models and their threads */
typedef struct DragomanOptions DragomanOptions; /* the model and how to translate with it */
typedef struct DragomanRequest DragomanRequest; /* a text with its spans, and what else is asked of its translation */
typedef struct DragomanLine DragomanLine;       /* a line and its translations */

/* The bytes [begin, end) of a text. */
#ifndef DRAGOMAN_RANGE_TYPE /* the library's own files have it from base/ranges.h */
#define DRAGOMAN_RANGE_TYPE
typedef struct {
    size_t begin, end;
} DragomanRange;
#endif

/* What a span, a part of a text, means for the translation. */
#ifndef DRAGOMAN_SPAN_TYPE /* the library's own files have it from base/ranges.h */
#define DRAGOMAN_SPAN_TYPE
typedef enum {
    DRAGOMAN_SPAN_KEPT,  /* every translation contains its bytes unchanged: dragoman_request_keep() */
    DRAGOMAN_SPAN_FOUND, /* kept without a request: because of the settings, or as a separator of texts */
    DRAGOMAN_SPAN_TERM,  /* the translation must contain one of its forms: dragoman_request_demand() */
    DRAGOMAN_SPAN_MUST   /* a text that the translation must contain somewhere: dragoman_request_must() */
} DragomanSpanKind;

/* How a translation has a term or a required text. */
typedef enum {
    DRAGOMAN_TERM_MISSED = 0, /* it lacks the text, or every translation with the text would be much worse */
    DRAGOMAN_TERM_MET,        /* it has one of the forms */
    DRAGOMAN_TERM_INFLECTED,  /* it has an inflected form of one of the forms (DRAGOMAN_GLOSSARY_MATCH) */
    DRAGOMAN_TERM_REPLACED    /* it has one of the forms, in the place of words that the model preferred */
} DragomanTermVerdict;

/* A span of a line's source, and where its translation has it. */
typedef struct {
    DragomanSpanKind kind;
    DragomanRange source; /* empty for DRAGOMAN_SPAN_MUST */
    DragomanRange place;  /* empty: the translation lacks it */
    size_t form;          /* TERM, MUST: which of the forms the translation has; meaningless if `place` is empty */
    size_t form_count;
    DragomanTermVerdict verdict; /* TERM, MUST: MISSED if `place` is empty */
    size_t first_form;           /* used only by the library */
    unsigned traits;             /* used only by the library */
} DragomanSpan;
#endif

typedef enum {
    DRAGOMAN_OK = 0,
    DRAGOMAN_ERROR_IO,          /* a system call failed: open, read, write, map, thread */
    DRAGOMAN_ERROR_MEMORY,      /* out of memory */
    DRAGOMAN_ERROR_FORMAT,      /* a file is corrupt; the message says which and where */
    DRAGOMAN_ERROR_UNSUPPORTED, /* a file is valid but needs a feature that dragoman does not have */
    DRAGOMAN_ERROR_USAGE        /* the settings do not fit the model or each other */
} DragomanStatus;

/* Describes a failure. `message` is one line without a newline or control characters; a message that is
 * too long ends in "...". `setting` is the first setting that the message names, or DRAGOMAN_NO_SETTING. */
typedef struct {
    DragomanStatus status;
    DragomanSetting setting;
    char message[1024];
} DragomanError;

/* A call that can fail returns a status and fills in *error; after DRAGOMAN_OK the message is "". `error` may be NULL.
 * Calls in several threads at the same time need a DragomanError each. */

/* Returns NULL when out of memory. The caller owns the options; no function keeps a pointer to them. */
DRAGOMAN_API DragomanOptions *dragoman_options_new(void);
DRAGOMAN_API void dragoman_options_free(DragomanOptions *options); /* NULL is allowed */

/* Each of these functions changes one setting; settings.def says which function belongs to a setting. They return
 * DRAGOMAN_ERROR_USAGE if the setting does not exist or has another kind, if a number is below 0 (below -1 where -1
 * means the default) or is none of the numbers of a choice, and if a real is not finite. All other limits, and whether
 * a value fits the model, are checked when the model is opened. A text is copied. dragoman_set_text() replaces all
 * texts of a list by one; NULL unsets the setting. dragoman_add_text() adds a text, which is not NULL, to a list. */
DRAGOMAN_CHECKED DragomanStatus dragoman_set_text(DragomanOptions *options, DragomanSetting setting, const char *text,
                                                  DragomanError *error);
DRAGOMAN_CHECKED DragomanStatus dragoman_add_text(DragomanOptions *options, DragomanSetting setting, const char *text,
                                                  DragomanError *error);
DRAGOMAN_CHECKED DragomanStatus dragoman_set_number(DragomanOptions *options, DragomanSetting setting, long number,
                                                    DragomanError *error);
DRAGOMAN_CHECKED DragomanStatus dragoman_set_real(DragomanOptions *options, DragomanSetting setting, double number,
                                                  DragomanError *error);
DRAGOMAN_CHECKED DragomanStatus dragoman_set_flag(DragomanOptions *options, DragomanSetting setting, bool flag,
                                                  DragomanError *error);

/* Checks what can be checked without a model: settings that cannot be used together, and lists with more texts than
 * there are models. Opening a model does the same. */
DRAGOMAN_CHECKED DragomanStatus dragoman_check_options(const DragomanOptions *options, DragomanError *error);

/* The row of a setting in settings.def, for programs that have an option for each setting; NULL if there is no such
 * setting. The settings are the numbers above DRAGOMAN_NO_SETTING and below DRAGOMAN_SETTINGS. */
DRAGOMAN_API const DragomanSettingRow *dragoman_setting_row(DragomanSetting setting);

/* Messages call a setting by the name of its constant, for example "DRAGOMAN_TO". A speller replaces this by the name
 * that the users of the program know. It writes the name as snprintf() would and returns its length, or 0 to keep the
 * name of the constant. Any call that fails or warns may call the speller, in its own thread. `context` is passed on to
 * the speller and must be valid until the options are freed and all models that were opened with them are closed. With
 * NULL, messages use the names of the constants. */
typedef int DragomanSpeller(void *context, DragomanSetting setting, char *out, size_t size);
DRAGOMAN_API void dragoman_options_spell(DragomanOptions *options, DragomanSpeller *speller, void *context);

/* Opens the model and starts the threads. Returns DRAGOMAN_ERROR_USAGE if the options do not fit the model or each
 * other. On DRAGOMAN_OK the caller owns *out. Several models (DRAGOMAN_MODEL, added by dragoman_add_text()) are a
 * pipeline: a line goes through all of them, and each model translates the best translation of the model before. Lines
 * do not wait for each other, so all models work at the same time. DRAGOMAN_VIA, the language between two models, can
 * be left out if only one language is possible for one of the two. settings.def says to which of the models each
 * setting applies. */
DRAGOMAN_CHECKED DragomanStatus dragoman_open(Dragoman **out, const DragomanOptions *options, DragomanError *error);

/* Opens a Dragoman without models. Its lines are copied: they have no translations, and dragoman_line_kept() is the
 * whole line. A program that chooses a model for each line can thus treat lines without a model like all others. */
DRAGOMAN_CHECKED DragomanStatus dragoman_open_copier(Dragoman **out, DragomanError *error);

/* Opens another stream of lines through the models and threads of `of`, which may be a stream, too. It takes
 * microseconds and some kilobytes, so a server can open a stream for each request. The streams share the models, the
 * threads, their batches and the table of DRAGOMAN_REUSE. Each has its own order and numbers of lines, its own bounds
 * for lines in progress, and its own dragoman_finish(), dragoman_cancel() and failures of lines; but if a worker thread
 * fails, all streams fail. The results are the same as with one stream. Any thread may call it. On DRAGOMAN_OK the
 * caller owns *out. The streams may be closed in any order.
 *
 * `client` is any number that says for whom the stream works; the stream of dragoman_open() has client 0. While several
 * clients have lines waiting, each gets an equal share of the work, whatever the number of its streams and lines. The
 * streams of a client share in the same way. A client keeps its share for a second after its last line, so that the
 * next line of a client that pauses shortly does not wait. */
DRAGOMAN_CHECKED DragomanStatus dragoman_open_stream(Dragoman **out, Dragoman *of, uint64_t client,
                                                     DragomanError *error);

/* Drops the unfinished lines of the stream and frees it. The last stream of the models also stops the threads, after
 * their current step, and frees everything; before that, sentences that are being translated are finished without
 * delaying the call. No other call for the stream may be running. NULL is allowed. */
DRAGOMAN_API void dragoman_close(Dragoman *dragoman);

/* A request is a text with everything that is asked of its translation.
 *
 *     DragomanRequest *request = dragoman_request_new();
 *     for each line:
 *         dragoman_request_begin(request, text, length, &error)
 *         dragoman_request_keep(request, ranges, count, &error)     what is asked, in any order
 *         dragoman_submit(dragoman, request, tag, &error)
 *     dragoman_request_free(request);
 *
 * It can be used for any number of lines, and by one thread at a time. It copies what it is given, except for the text
 * of the line. dragoman_request_new() returns NULL when out of memory. */
DRAGOMAN_API DragomanRequest *dragoman_request_new(void);
DRAGOMAN_API void dragoman_request_free(DragomanRequest *request); /* NULL is allowed */

/* Begins a new line and forgets the previous one. The text is valid UTF-8 without a newline and must stay valid until
 * the line is submitted. */
DRAGOMAN_CHECKED DragomanStatus dragoman_request_begin(DragomanRequest *request, const char *text, size_t length,
                                                       DragomanError *error);

/* Sets the source language of the line, in any spelling that DRAGOMAN_FROM accepts. The results are the same as if
 * DRAGOMAN_FROM had this value. NULL means DRAGOMAN_FROM. dragoman_submit() returns DRAGOMAN_ERROR_USAGE if the first
 * model does not have the language, or does not let the user choose its source language. */
DRAGOMAN_CHECKED DragomanStatus dragoman_request_from(DragomanRequest *request, const char *language,
                                                      DragomanError *error);

/* With true, splits the line into sentences even if the model does not ask for that; splitting is best for texts of
 * documents. Has no effect if DRAGOMAN_SPLIT is false, or with DRAGOMAN_PIECES_IN. Without this call, or with false,
 * DRAGOMAN_SPLIT decides. */
DRAGOMAN_CHECKED DragomanStatus dragoman_request_split(DragomanRequest *request, bool split, DragomanError *error);

/* Ranges of bytes that every translation has to contain unchanged and exactly once, such as addresses, placeholders,
 * code and names. The ranges are in ascending order. A sentence boundary in a range does not divide the sentence.
 * Ranges may be kept together with the marks and spaces that are between them, and with the rest of a word that begins
 * or ends in them.
 *
 * While a sentence is translated, a short text that the model copies, such as X1, replaces each range. If one of these
 * texts is missing from a translation or appears in it twice, the sentence is translated again without the ranges. Then
 * the attention of the model says where they are inserted: between words, with the spaces of the source. Sentences that
 * have no letters and digits outside their ranges are copied. With several models, every model keeps the ranges.
 *
 * dragoman_line_kept() finds the ranges in the translations. The source ids and dragoman_line_pieces() are those of the
 * text that the model read. A token of a short text counts as a token of the bytes that it replaces, in the source and
 * in the translation; a range that was inserted belongs to no token.
 *
 * dragoman_submit() returns DRAGOMAN_ERROR_USAGE for a range that is empty, overlaps the previous range, ends after the
 * line, or begins or ends inside a character; and with DRAGOMAN_PIECES_IN or _OUT. */
DRAGOMAN_CHECKED DragomanStatus dragoman_request_keep(DragomanRequest *request, const DragomanRange *ranges,
                                                      size_t count, DragomanError *error);

/* A text that every translation of the line has to contain, in one of several forms: a term of a glossary. `range` is
 * the part of the source that the text translates. It lies in one sentence, whose translation has to contain the text.
 * forms[count] are valid UTF-8 and have at least one character other than white space. A translation contains a form as
 * whole words, in exactly these letters; at the beginning of a sentence its first letter may be in upper case. NFC or
 * NFD and the kind and number of spaces make no difference. By default, an inflected form of a form counts, too
 * (DRAGOMAN_GLOSSARY_MATCH). Call it once for each text. The same words in the translation of a sentence may satisfy
 * several demands. With several models, the range is one of the line, and the last model writes the text. A range in a
 * longer text that is kept without a request (DRAGOMAN_SPAN_FOUND), such as "invoice" in an address, is no demand.
 *
 * Such a sentence is translated without the texts first. If this translation lacks one, the text is put in the place of
 * the words that translate the range; if that does not give a good translation, a beam search finds a place for each
 * text (docs/terms.md), with the beam size of the model, but at least DRAGOMAN_DEMAND_BEAMS (2 for greedy search), even
 * if the model's own settings ask to sample. If the model cannot write a text, or if every translation with it is much
 * worse, the translation lacks it: see dragoman_line_demands(). A sentence that consists of texts with ranges,
 * marks and kept ranges is translated by their first forms. */
#define DRAGOMAN_DEMAND_BEAMS 4
DRAGOMAN_CHECKED DragomanStatus dragoman_request_demand(DragomanRequest *request, DragomanRange range,
                                                        const char *const *forms, size_t count, DragomanError *error);

/* A text that every translation of the line has to contain, wherever the model places it: valid UTF-8 with at least one
 * character other than white space. It is a demand with one form and without a range: what dragoman_request_demand()
 * says about forms, the search and texts that the model cannot write also applies here, but no words are replaced, and
 * inflected forms do not count. A kept range that contains the text satisfies the demand. Call it once for each text.
 *
 * A line with such a text is not split into sentences if it fits the model as a whole. A longer line is split, and
 * the translation of its first sentence that fits the model has to contain the texts. */
DRAGOMAN_CHECKED DragomanStatus dragoman_request_must(DragomanRequest *request, const char *text, size_t length,
                                                      DragomanError *error);

/* The forced beginning of the translation of the line, instead of DRAGOMAN_PREFIX: valid UTF-8 without a newline, or
 * pieces with DRAGOMAN_PIECES_OUT. Like DRAGOMAN_PREFIX, it applies to the last model and to the first sentence of the
 * line. It may exceed a maximum length that depends on the length of the source (DRAGOMAN_LENGTH_FACTOR). Text that the
 * vocabulary lacks becomes the unknown token. An empty text means no prefix; NULL means DRAGOMAN_PREFIX, as without
 * this call. If the prefix contains the text of a kept range of the first sentence as whole words, that is the place of
 * the range; all other kept ranges come after the prefix. The prefix does not change a known translation. */
DRAGOMAN_CHECKED DragomanStatus dragoman_request_prefix(DragomanRequest *request, const char *text, size_t length,
                                                        DragomanError *error);

/* The translation of the line is known, from a translation memory for example. No model reads the line. It is returned
 * in its turn, with this translation but without scores, ids, pivots and alignment. places[count] are the ranges of
 * dragoman_request_keep() in the translation, in the order of that call; each has the bytes of its range. Neither the
 * text nor the translation may contain a newline. dragoman_request_from() has no effect. */
DRAGOMAN_CHECKED DragomanStatus dragoman_request_know(DragomanRequest *request, const char *translation, size_t length,
                                                      const DragomanRange *places, size_t count, DragomanError *error);

/* The translation of the line is given: it is scored, not translated. It is valid UTF-8 without a newline and is
 * encoded with the special tokens that the model writes, including the end token. The line has one translation, the
 * target as given, with its score, its ids and everything else that the settings ask for. The score of each token is
 * bit for bit the same as in a translation with the same ids and settings, but without a shortlist: all tokens are
 * scored. The scores of translations made with DRAGOMAN_ALTERNATIVES may differ in their last bits. A token that the
 * model is forced to write first, such as a language, has the score 0. With DRAGOMAN_CONFIDENCE, the translation is
 * judged like the model's own, but without DRAGOMAN_FLAG_CUT. The forced prefix, the number of translations,
 * DRAGOMAN_MIN_LENGTH and _RESCUE have no effect, nor does anything else that the request asks for. The pair of line
 * and translation is neither split nor cut: if only one text is blank, the target contains a tab, or a text is too long
 * for the model, dragoman_next() fails at the line (dragoman_failed_line()). If both are blank, the line has no
 * translation. dragoman_submit() returns DRAGOMAN_ERROR_USAGE for several models. */
DRAGOMAN_CHECKED DragomanStatus dragoman_request_score(DragomanRequest *request, const char *target, size_t length,
                                                       DragomanError *error);

/* Submits the line of a request, and does not change the request. Waits while too many lines are in progress. `tag` is
 * returned with the line. Returns DRAGOMAN_ERROR_USAGE after dragoman_finish(), and, once a worker thread has failed,
 * the error of that thread. DRAGOMAN_ERROR_USAGE is also returned for demands with DRAGOMAN_PIECES_IN or _OUT,
 * DRAGOMAN_SAMPLING or DRAGOMAN_ALTERNATIVES, and for a prefix that leaves no room for another token within the maximum
 * length, or has pieces that are not in the vocabulary. A line that fails is not submitted and will not be returned;
 * call dragoman_finish() even if you stop because of it. */
DRAGOMAN_CHECKED DragomanStatus dragoman_submit(Dragoman *dragoman, const DragomanRequest *request, uintptr_t tag,
                                                DragomanError *error);

/* Like dragoman_submit(), for a request that consists of a text only. */
DRAGOMAN_CHECKED DragomanStatus dragoman_submit_text(Dragoman *dragoman, const char *text, size_t length, uintptr_t tag,
                                                     DragomanError *error);

/* Announces that no more lines will be submitted. */
DRAGOMAN_API void dragoman_finish(Dragoman *dragoman);

/* Drops the lines in progress, and makes running and later calls of dragoman_submit() and dragoman_next() return at
 * once: dragoman_submit() with DRAGOMAN_ERROR_IO, dragoman_next() with *line NULL. Other streams of the same models are
 * not affected. Any thread may call it. */
DRAGOMAN_API void dragoman_cancel(Dragoman *dragoman);

/* Waits for the next line in order. If no line is in progress, it waits until one is submitted or until
 * dragoman_finish() or dragoman_cancel() is called. *line is NULL after the last line and on failure. The library owns
 * the line, which is valid until the next dragoman_next() or dragoman_close(). If a worker thread fails, the lines that
 * are ready are returned first; after them, every call returns the error. */
DRAGOMAN_CHECKED DragomanStatus dragoman_next(Dragoman *dragoman, const DragomanLine **line, DragomanError *error);

/* The number of the line at which dragoman_next() failed: the model's scores for that line are NaN or infinite, a later
 * model of the pipeline does not accept its text, or the model does not accept a pair of dragoman_request_score(). 0 if
 * dragoman_next() has not failed, or failed for another reason. */
DRAGOMAN_API size_t dragoman_failed_line(Dragoman *dragoman);

/* Drops the line of dragoman_failed_line(), so that dragoman_next() goes on with the next line. */
DRAGOMAN_API void dragoman_skip_failed_line(Dragoman *dragoman);

/* Whether dragoman_next() would return at once. If not, a program that buffers its output should flush it. */
DRAGOMAN_API bool dragoman_ready(Dragoman *dragoman);

/* The parts of a line. The line owns all texts and ids. Texts are UTF-8 and end with a NUL. *length is the number of
 * bytes of a text, *count the number of ids or ranges; both pointers may be NULL. An index or a rank that does not
 * exist gives "" as a text, NULL as ids or ranges, and 0 as a length, count or score. */
DRAGOMAN_API size_t dragoman_line_number(const DragomanLine *line); /* 1 for the first line */
DRAGOMAN_API uintptr_t dragoman_line_tag(const DragomanLine *line);
DRAGOMAN_API const char *dragoman_line_source(const DragomanLine *line, size_t *length);
/* The source ids of the first model; the ids of a sentence follow those of the previous one. */
DRAGOMAN_API const int32_t *dragoman_line_source_ids(const DragomanLine *line, size_t *count);
/* The bytes of each source id in dragoman_line_source(); NULL without DRAGOMAN_RANGES. The ranges equal those of
 * SentencePiece (its immutable proto) or, if the pieces of the model come from a tokenizer.json, of tokenizers
 * (offset_mapping). Ranges may be empty and may overlap. A special token that is not in the text of the line has an
 * empty range before or after its sentence; a language code at the beginning of the line is the range of its token in
 * every sentence. */
DRAGOMAN_API const DragomanRange *dragoman_line_source_ranges(const DragomanLine *line, size_t *count);
/* The number of source pieces for the first model, without special tokens. */
DRAGOMAN_API size_t dragoman_line_pieces(const DragomanLine *line);
/* The number of segments that were translated separately: the sentences of a split line, and the parts of sentences
 * that were too long. With several models, the largest number of any model. 0 for a blank line. */
DRAGOMAN_API size_t dragoman_line_segments(const DragomanLine *line);
/* Whether the line has the translation of an earlier line whose request was the same (DRAGOMAN_REUSE). Everything else
 * that the functions say about the line is the same as if it had been translated. */
DRAGOMAN_API bool dragoman_line_reused(const DragomanLine *line);
/* Whether the line or a sentence of it was cut because it is too long for a model. Cuts for DRAGOMAN_MAX_INPUT do not
 * count. */
DRAGOMAN_API bool dragoman_line_wrapped(const DragomanLine *line);
/* With DRAGOMAN_CROP, if a line or sentence was too long: the number of its tokens, including special tokens, that were
 * kept; the rest was not translated. 0: nothing was cut off. */
DRAGOMAN_API size_t dragoman_line_cropped(const DragomanLine *line);
/* The intermediate texts, one between each two models. */
DRAGOMAN_API size_t dragoman_line_pivot_count(const DragomanLine *line);
DRAGOMAN_API const char *dragoman_line_pivot(const DragomanLine *line, size_t index, size_t *length);

/* The translations, best first. If there are 0, there was nothing to translate, and the last pivot or, without a pivot,
 * the source takes the place of the translation. */
DRAGOMAN_API size_t dragoman_line_count(const DragomanLine *line);
DRAGOMAN_API const char *dragoman_line_translation(const DragomanLine *line, size_t rank, size_t *length);
/* The score is the sum of the log-probabilities divided by length^length_penalty; _sum() is not divided. Both are added
 * over the segments of the line. */
DRAGOMAN_API float dragoman_line_score(const DragomanLine *line, size_t rank);
DRAGOMAN_API float dragoman_line_sum(const DragomanLine *line, size_t rank);
/* The ids of a translation, without the start token but with the end token of each segment. */
DRAGOMAN_API const int32_t *dragoman_line_ids(const DragomanLine *line, size_t rank, size_t *count);
/* The number of ids at the start of a given translation (dragoman_request_score()) that the model is forced to write,
 * such as a language; they are not scored. 0 for a translation by the model. */
DRAGOMAN_API size_t dragoman_line_forced(const DragomanLine *line, size_t rank);
/* For each id of dragoman_line_ids(), its bytes in dragoman_line_translation(), in ascending order; NULL without
 * DRAGOMAN_RANGES. The space between two words belongs to the second one. The range of a token without text is empty.
 * If several tokens make one character, all ranges but the last are empty. White space between sentences belongs to no
 * token. */
DRAGOMAN_API const DragomanRange *dragoman_line_ranges(const DragomanLine *line, size_t rank, size_t *count);
/* For each id of dragoman_line_ids(), its log-probability; NULL without DRAGOMAN_TOKEN_SCORES. The values of a segment,
 * added in order, are its part of dragoman_line_sum(). Tokens of the forced prefix have 0 and do not count. */
DRAGOMAN_API const float *dragoman_line_token_scores(const DragomanLine *line, size_t rank, size_t *count);

/* What a translation keeps: the ranges of dragoman_request_keep() and, as DRAGOMAN_SPAN_FOUND, the ranges that are kept
 * because of DRAGOMAN_KEEP_UNKNOWN or DRAGOMAN_KEEP_NUMBERS and the separators of texts (Home | Books) in a line that
 * is split into sentences. Both kinds of ranges are treated alike. The spans are in the order of the source; their
 * places do not overlap, but may be in another order. A number that was found may have other separators in the
 * translation. NULL if nothing is kept. If the line has no translation, rank 0 is the text that takes its place. */
DRAGOMAN_API const DragomanSpan *dragoman_line_kept(const DragomanLine *line, size_t rank, size_t *count);

/* The demands of a line in a translation, in the order of the request: first those of dragoman_request_demand(),
 * without the ranges that are no demand, then those of dragoman_request_must(). NULL if there are none. */
DRAGOMAN_API const DragomanSpan *dragoman_line_demands(const DragomanLine *line, size_t rank, size_t *count);

/* The text of a form of one of these demands; NULL if it does not exist, or if the line has no translation. The line
 * owns it. */
DRAGOMAN_API const char *dragoman_line_demand_form(const DragomanLine *line, size_t demand, size_t form);

/* The probability that a translation is good (that its chrF is at least 50), as the calibration of the model estimates
 * it; with several models, the product. NaN without DRAGOMAN_CONFIDENCE, or if a model has no calibration. */
DRAGOMAN_API double dragoman_line_confidence(const DragomanLine *line, size_t rank);

/* Signs that a translation is bad. With several models, the flags of earlier models are included. */
typedef enum {
    DRAGOMAN_FLAG_LOOP = 1,       /* it repeats itself where its source does not */
    DRAGOMAN_FLAG_CUT = 2,        /* it has reached the maximum length */
    DRAGOMAN_FLAG_SHORT = 4,      /* it has fewer than about a third of the tokens of its source */
    DRAGOMAN_FLAG_LONG = 8,       /* it has more than about three times as many tokens as its source */
    DRAGOMAN_FLAG_COPY = 16,      /* it is mostly a copy, and the source is more than names and numbers */
    DRAGOMAN_FLAG_UNCOVERED = 32, /* it pays no attention to several words of the source in a row */
    DRAGOMAN_FLAG_NUMBERS = 64,   /* its numbers differ from the numbers in its source */
    DRAGOMAN_FLAG_TERM = 128,     /* it lacks a term or a required text */
    DRAGOMAN_FLAG_CHATTER = 256   /* the answer of a language model had more than a translation, or refused one */
} DragomanFlag;

/* The flags of a translation, a sum of values of DragomanFlag; 0 without DRAGOMAN_CONFIDENCE. */
DRAGOMAN_API unsigned dragoman_line_flags(const DragomanLine *line, size_t rank);

/* The name of a flag: "loop", "cut", "short", "long", "copy", "uncovered", "numbers", "term" or "chatter"; NULL: there
 * is no such flag. */
DRAGOMAN_API const char *dragoman_flag_name(unsigned flag);

/* Whether DRAGOMAN_RESCUE improved the line. A sentence whose best translation has DRAGOMAN_FLAG_LOOP is translated
 * again, with a wider beam and without repeating any n-gram of three tokens. The attempt with fewer of the flags loop,
 * cut, short and long is kept. If both have equally many, the attempt with the higher confidence is kept or, without a
 * calibration, with the higher mean of log-probabilities. If the sentence has demands, the attempt that satisfies more
 * of them is kept, whatever its flags. */
DRAGOMAN_API bool dragoman_line_rescued(const DragomanLine *line);

/* The alignment of a translation with its source, from the cross-attention of the model. With several models, the
 * alignments of each text with the next one are combined by multiplying their probabilities. An ensemble uses the
 * attention of its first model. */
typedef struct DragomanAlignment DragomanAlignment;

/* What is aligned. A word is a run of text without white space; each Han, kana or Thai character is a word. */
typedef enum {
    DRAGOMAN_TOKENS, /* the ids of the line, end tokens included */
    DRAGOMAN_WORDS   /* the words of dragoman_line_source() and dragoman_line_translation() */
} DragomanUnit;

/* Source unit `source` is aligned with target unit `target`; both count from 0. */
typedef struct {
    size_t source, target;
} DragomanLink;

/* Reads the alignment of a translation. Without DRAGOMAN_ATTENTION, without a translation of this rank, or if one of
 * several models had nothing to translate, all probabilities are 0, and the list of links is empty. On DRAGOMAN_OK the
 * caller owns *out, which is valid as long as the line, and frees it with dragoman_alignment_free(). */
DRAGOMAN_CHECKED DragomanStatus dragoman_align(DragomanAlignment **out, const DragomanLine *line, size_t rank,
                                               DragomanUnit unit, DragomanError *error);
DRAGOMAN_API void dragoman_alignment_free(DragomanAlignment *alignment); /* NULL is allowed */

/* The bytes of each unit in the source and in the translation; NULL if there are none. */
DRAGOMAN_API const DragomanRange *dragoman_alignment_sources(const DragomanAlignment *alignment, size_t *count);
DRAGOMAN_API const DragomanRange *dragoman_alignment_targets(const DragomanAlignment *alignment, size_t *count);

/* Sets row[s], for each source unit s, to the probability that target unit `target` translates it. For tokens, these
 * are the attention of the decoder, and their sum is 1. For words, with |a and b| as the number of bytes that the word
 * a and the token b share:
 *
 *     P(source word | target word) = sum over t of |target word and t| / sum over t' of |target word and t'|
 *                                  * sum over s of P(s | t) |source word and s| / sum over words w of |w and s|
 *
 * divided by the sum over all source words: attention to tokens without words, such as the end token, does not count.
 * The row is 0 if a word has no other attention, or if the target unit does not exist. */
DRAGOMAN_API void dragoman_alignment_row(DragomanAlignment *alignment, size_t target, float *row);

/* A source unit and its probability. */
typedef struct {
    size_t source;
    float probability;
} DragomanWeight;

/* The row of dragoman_alignment_row() without its zeros, in no particular order. It is short even in a long line, where
 * a target unit is aligned with units of its own sentence only. The alignment owns the weights until the next call. */
DRAGOMAN_API const DragomanWeight *dragoman_alignment_weights(DragomanAlignment *alignment, size_t target,
                                                              size_t *count);

/* The hard alignment, sorted by source, then by target. With the threshold 1, each target unit is linked with its most
 * probable source unit (the first one, if several are equal); with a threshold from 0 to below 1, with all source units
 * whose probability exceeds it. These are marian-decoder's rules. The alignment owns the links until the next call. */
DRAGOMAN_CHECKED DragomanStatus dragoman_alignment_links(DragomanAlignment *alignment, float threshold,
                                                         const DragomanLink **links, size_t *count,
                                                         DragomanError *error);

/* The string of a target id of the last model. NULL if the model has no such id; the unknown token if the vocabulary
 * has no string for it. The library owns it until dragoman_close(). */
DRAGOMAN_API const char *dragoman_piece(const Dragoman *dragoman, int32_t id);

/* The same for a source id of the first model (dragoman_line_source_ids()). */
DRAGOMAN_API const char *dragoman_source_piece(const Dragoman *dragoman, int32_t id);

/* Warnings about the models and the options, one per line; "" if there are none. The library owns the text. */
DRAGOMAN_API const char *dragoman_warnings(const Dragoman *dragoman);

/* The number of bytes at the beginning of a text that choose its language and are not translated: a code (>>deu<<) or
 * the prompt of a T5 model, with the spaces after it. 0: the text has neither. Any thread may call it. */
DRAGOMAN_API size_t dragoman_language_length(const Dragoman *dragoman, const char *text, size_t length);

/* The names of the languages that dragoman_request_from() accepts, one per line. The library owns the text. */
DRAGOMAN_API const char *dragoman_source_languages(const Dragoman *dragoman);

/* Converts a model's name of a language to a tag of BCP 47: "zho_Hans" to "zh". The tag is "" if the name does not have
 * the form of a language's name. Fails only if memory runs out. */
#define DRAGOMAN_LANGUAGE_TAG 24
DRAGOMAN_CHECKED DragomanStatus dragoman_find_language_tag(const char *name, char tag[DRAGOMAN_LANGUAGE_TAG],
                                                           DragomanError *error);

/* Writes the English name of a tag of BCP 47: "Chinese (Traditional)" for "zh-Hant". Writes the tag itself if it has no
 * name. Fails only if memory runs out. */
#define DRAGOMAN_LANGUAGE_NAME 64
DRAGOMAN_CHECKED DragomanStatus dragoman_find_language_name(const char *tag, char name[DRAGOMAN_LANGUAGE_NAME],
                                                            DragomanError *error);

/* The language of the lines as BCP 47 writes it: "en", "zh-Hant"; NULL if it is not known, or if each line names its
 * language (DRAGOMAN_FROM_LINES without DRAGOMAN_FROM). The library owns the text. */
DRAGOMAN_API const char *dragoman_source_language(const Dragoman *dragoman);

/* The language of the translations as BCP 47 writes it: "de", "zh-Hant"; NULL if it is not known. The library owns the
 * text. */
DRAGOMAN_API const char *dragoman_target_language(const Dragoman *dragoman);

/* Frees a text that a function of the library allocated for the caller. Such a text ends with a NUL and is NULL after a
 * failure. NULL is allowed. */
DRAGOMAN_API void dragoman_free_text(char *text);

#ifdef __cplusplus
}
#endif

#endif
