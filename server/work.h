/* work.h - translates for a request: takes an open model, and runs a job that is canceled when the client goes away. */
#ifndef DRAGOMAN_WORK_H
#define DRAGOMAN_WORK_H

#include "http.h"

/* A translation for a request. */
typedef struct {
    Request *request;
    LanguageTable *languages;
    const Language *source, *target; /* rows of the table */
    OpenJob *model;                  /* NULL: source and target are the same language, and texts are copied */
    DragomanJob *job;
    DragomanRun *run;  /* of work_start() */
    size_t characters; /* of the lines that were translated */
    bool has_failed;   /* for a reason that is not in the texts */
} Work;

/* Begins a translation between two languages of `languages`, which the work releases at its end. `settings` are those
 * of the job alone; NULL: those of the model. Always call work_end(). */
MUST_USE Status work_begin(Work *out, Request *request, LanguageTable *languages, size_t source, size_t target,
                           JobUse use, size_t n_best, const DragomanOptions *settings, Err *err);
void work_end(Work *work);

/* Receives an item of a run. */
typedef Status WorkReader(void *context, const DragomanItem *item, Err *err);

/* Translates the inputs and passes the items to `reader`. */
MUST_USE Status work_run(Work *work, const DragomanInput *inputs, size_t count, WorkReader *reader, void *context,
                         Err *err);

/* The same step by step: work_next() sets *item to each item, at last to one of the kind END. */
MUST_USE Status work_start(Work *work, const DragomanInput *inputs, size_t count, Err *err);
MUST_USE Status work_next(Work *work, DragomanItem *item, Err *err);

/* Translates texts, each of one or more lines, and appends translation `rank` of each to outs[text * n_best + rank].
 * `format` is that of documents, or DRAGOMAN_LINES. Only lines have more than one translation; a line that has fewer
 * than n_best translations is repeated with its best one. */
MUST_USE Status work_texts(Work *work, const TextParts *texts, const char *format, size_t n_best, Buf *outs, Err *err);

/* Translates a document. */
MUST_USE Status work_document(Work *work, const char *name, const char *format, const char *bytes, size_t size,
                              Buf *out, Err *err);

/* --- Languages of texts */

typedef struct {
    size_t language;   /* in the table; NO_LANGUAGE: none of its languages was recognized */
    double confidence; /* from 0 to 100 */
} Detection;

#define DETECTIONS_MOST 3

/* Finds the languages of a text among those that models translate from, the most probable one first. *count is 0 if
 * none is found. */
MUST_USE Status work_detect(const LanguageTable *languages, const char *text, size_t length,
                            Detection out[DETECTIONS_MOST], size_t *count, Err *err);

/* Returns the first of these languages that is the target or has a model into it; NO_LANGUAGE: there is none. */
size_t work_choose_source(const LanguageTable *languages, const Detection *found, size_t count, size_t target);

/* The language from which a text is translated if its language is not recognized: English if it is the target or has a
 * model into it, else the first language that has one, else the target, so that the text is copied. */
size_t work_usual_source(const LanguageTable *languages, size_t target);

/* Appends what is translated in a text of a request, for work_detect(): its words without markup, each text with a
 * newline. `format` and `settings` are those with which it will be translated. */
MUST_USE Status work_extract(const LanguageTable *languages, const DragomanOptions *settings, const char *format,
                             LineText text, Buf *out, Err *err);

/* Counts the characters that are translated in a document, without its line breaks. */
MUST_USE Status work_count_document(const LanguageTable *languages, const DragomanOptions *settings,
                                    const DragomanInput *input, size_t *count, Err *err);

/* The same as work_detect() for what is translated in a document. A language that the document names comes first. */
MUST_USE Status work_detect_document(const LanguageTable *languages, const DragomanInput *input,
                                     Detection out[DETECTIONS_MOST], size_t *count, Err *err);

/* The longest name of an uploaded file, in bytes. The server keeps names, and no limit counts their bytes. */
#define FILE_NAME_MOST 255

/* Returns the format of a file with this name; NULL: files of this kind are not translated. */
const char *work_format_of(const char *name);

#endif
