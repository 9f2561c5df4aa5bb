/* dragoman_job.h - translate texts, documents and files, with kept parts, glossaries, a translation memory and language
 * detection. A public header of libdragoman; docs/c.md has a complete program.
 *
 *     DragomanOptions *options = dragoman_options_new();
 *     dragoman_set_text(options, DRAGOMAN_MODEL, "en-de.safetensors", &error)
 *     dragoman_job_open(&job, options, NULL, &error)
 *     dragoman_job_file(job, "letter.docx", "letter.de.docx", &error)
 *     dragoman_job_close(job)
 *
 * A job is opened once and translates any number of texts. Several threads may call the functions that translate. The
 * calls run one after the other, because each of them uses all threads of the model.
 *
 * A file is a document if its format is one of those that "dragoman help documents" lists, such as docx, html, markdown
 * and po. Any other text is translated line by line. */
#ifndef DRAGOMAN_JOB_H
#define DRAGOMAN_JOB_H

#include "dragoman.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct DragomanJob DragomanJob;

/* Who is told what the user should know and what is no failure: a number that differs in a translation, a term that is
 * not translated as the glossary says. The message begins with the file and the line, if it is about a line. */
#ifndef DRAGOMAN_REPORTER_TYPE /* the library's own files have it from base/reporter.h */
#define DRAGOMAN_REPORTER_TYPE
typedef struct {
    void *context;
    /* Must be set. Shows one line of text, without a newline or control characters. Several threads may call it. */
    void (*warn)(void *context, const char *message);
} DragomanReporter;
#endif

/* Opens the models and everything else that the options name. `reporter` is copied; NULL: nobody is told anything. On
 * DRAGOMAN_OK the caller owns *out. */
DRAGOMAN_CHECKED DragomanStatus dragoman_job_open(DragomanJob **out, const DragomanOptions *options,
                                                  const DragomanReporter *reporter, DragomanError *error);

/* Closes the models, and writes a memory in TMX, whose failure is reported as a warning. No call for the job may be
 * running. NULL is allowed. */
DRAGOMAN_API void dragoman_job_close(DragomanJob *job);

/* The language of the translations as BCP 47 writes it; NULL: not known. The job owns it. */
DRAGOMAN_API const char *dragoman_job_target_language(const DragomanJob *job);

/* Translates a text of one or more lines, valid UTF-8, line by line. On DRAGOMAN_OK the caller frees *translation with
 * dragoman_free_text(); it has *length bytes and a NUL after them. */
DRAGOMAN_CHECKED DragomanStatus dragoman_job_text(DragomanJob *job, const char *text, size_t length, char **translation,
                                                  size_t *translation_length, DragomanError *error);

/* Translates a document. `format` is its name, such as "docx" or "markdown"; "lines" is a text in any encoding. The
 * result is as that of dragoman_job_text(). */
DRAGOMAN_CHECKED DragomanStatus dragoman_job_document(DragomanJob *job, const char *format, const char *bytes,
                                                      size_t size, char **translation, size_t *translation_size,
                                                      DragomanError *error);

/* Translates a file into another one, which appears when it is complete: after a failure, an existing file is
 * unchanged. The name of the source tells its format, unless the options do. */
DRAGOMAN_CHECKED DragomanStatus dragoman_job_file(DragomanJob *job, const char *source, const char *target,
                                                  DragomanError *error);

/* A batch: files, and the files in folders, are translated into files, each of them as dragoman_job_file() does. They
 * go below a folder, under their relative paths, or next to their sources, with a suffix before the extension. */
typedef struct {
    const char *const *paths; /* [count], of files and folders */
    size_t count;
    const char *output_dir, *suffix; /* one of them is NULL */
    const char *const *includes;     /* [include_count], globs: a file must match one, if there are any */
    size_t include_count;
    const char *const *excludes; /* [exclude_count], globs: a file or folder that matches one is left out */
    size_t exclude_count;
    bool resume;        /* leave out files whose translations exist and are not older */
    bool copies_others; /* files that are not text are copied, not skipped */
} DragomanBatch;

typedef struct {
    size_t translated, copied, up_to_date, skipped, failed; /* files; the reporter is told which have failed, and why */
} DragomanBatchResult;

/* Translates the files of a batch. A file that fails is no failure of the call. DRAGOMAN_ERROR_USAGE, and nothing is
 * written, if two files would be translated into one, or if a source would be overwritten. */
DRAGOMAN_CHECKED DragomanStatus dragoman_job_files(DragomanJob *job, const DragomanBatch *batch,
                                                   DragomanBatchResult *result, DragomanError *error);

/* --- One piece after the other ------------------------------------------------
 * dragoman_run_start() begins to read the inputs, in a thread of its own, and dragoman_run_next() gives what has become
 * of them in their order: lines as they are translated, documents as bytes. Memory is bounded, whatever the inputs are:
 * reading waits for the caller. */

typedef struct DragomanRun DragomanRun;

typedef struct {
    const char *path;   /* "-": standard input */
    const char *format; /* the name of a format, or "lines"; NULL: as for dragoman_job_file() */
    const char *bytes;  /* [size]; NULL: those of the file. They are not copied; messages call them `path` */
    size_t size;
} DragomanInput;

typedef struct {
    /* The inputs have results of their own: a fault ends only its input, as an item. Otherwise, what cannot be read is
     * reported and left out, and everything else ends the run. All inputs must be regular files. */
    bool each;
    bool stop_at_unreadable; /* not with `each`: an input that cannot be read ends the run */
    bool skip_failed_lines;  /* not with `each`: a line that fails is an item */
} DragomanRunRules;

typedef enum {
    DRAGOMAN_ITEM_END,   /* there are no more */
    DRAGOMAN_ITEM_LINE,  /* a line that is ready */
    DRAGOMAN_ITEM_BYTES, /* bytes of a translated document, to be written next */
    DRAGOMAN_ITEM_FAULT, /* a line has failed or, with `each`, an input, of which no more lines or bytes come */
    DRAGOMAN_ITEM_OTHER, /* an input is not text, and nothing of it was given; with `each` only */
    DRAGOMAN_ITEM_FILE   /* an input is over; with `each` only, for each input that is not OTHER */
} DragomanItemKind;

/* Texts are valid until the next call of dragoman_run_next(). */
typedef struct {
    DragomanItemKind kind;
    size_t file; /* index of the input */

    const Dragoman *dragoman; /* that has translated the line */
    const DragomanLine *line; /* of a LINE, and of BYTES that end with its translation; else NULL */
    size_t number;            /* of the line in all inputs, from 1 */
    const char *ending;       /* of the line in its input: "\n", "\r\n", "\r" or "" */
    const char *language;     /* that was detected; NULL: none */
    bool is_other_language;   /* the line is surely not in the language of the model */

    const char *bytes; /* [size] */
    size_t size;
    const char *encoding; /* of the bytes; NULL: UTF-8 */
    const char *message;  /* FAULT: names the input and the line */

    size_t input_bytes; /* of the input that the item stands for, for a progress bar */
    size_t words;       /* of its source */
} DragomanItem;

/* Starts reading. No other call for the job runs before dragoman_run_end(). The inputs must stay valid until then. On
 * DRAGOMAN_OK the caller ends *out with dragoman_run_end(). */
DRAGOMAN_CHECKED DragomanStatus dragoman_run_start(DragomanRun **out, DragomanJob *job, const DragomanInput *inputs,
                                                   size_t count, DragomanRunRules rules, DragomanError *error);

/* Whether dragoman_run_next() returns without waiting. If not, a filter writes what it has collected. */
DRAGOMAN_API bool dragoman_run_ready(DragomanRun *run);

/* Waits for the next item. After a failure, only dragoman_run_end() may be called. */
DRAGOMAN_CHECKED DragomanStatus dragoman_run_next(DragomanRun *run, DragomanItem *item, DragomanError *error);

/* With `each`: nothing more of this input is wanted, because its output has failed. */
DRAGOMAN_API void dragoman_run_drop(DragomanRun *run, size_t file);

/* Ends the run. Before DRAGOMAN_ITEM_END, this waits for the lines in progress; with `abandons`, it cancels them, and
 * the job can only be closed after that. NULL is allowed. */
DRAGOMAN_API void dragoman_run_end(DragomanRun *run, bool abandons);

/* The best translation of an item with a line, or what takes its place: the text of a line without anything to
 * translate. `rank` is as for dragoman_line_translation(). */
DRAGOMAN_API const char *dragoman_item_text(const DragomanItem *item, size_t rank, size_t *length);

#ifdef __cplusplus
}
#endif

#endif
