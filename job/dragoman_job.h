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
 * calls for one job run one after the other. Calls for several jobs that share their models run at the same time:
 * dragoman_job_share().
 *
 * A file is a document if its format is one of those that "dragoman help documents" lists, such as docx, html, markdown
 * and po. Any other text is translated line by line. */
#ifndef DRAGOMAN_JOB_H
#define DRAGOMAN_JOB_H

#include "dragoman_hub.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct DragomanJob DragomanJob;

/* Receives warnings: messages about something that is not a failure, for example a number that differs in a
 * translation, or a glossary term that is not translated as the glossary says. A message about a line begins with the
 * name of the file and the place of the line. */
#ifndef DRAGOMAN_REPORTER_TYPE /* base/reporter.h defines this type for the library's own files */
#define DRAGOMAN_REPORTER_TYPE
typedef struct {
    void *context;
    /* Must be set. Shows a message of one line, without control characters. Several threads may call it. */
    void (*warn)(void *context, const char *message);
} DragomanReporter;
#endif

/* --- What a file is ------------------------------------------------------------ */

#define DRAGOMAN_LINES "lines" /* the format of files that are not documents: each line is a text */
#define DRAGOMAN_OTHER "other" /* the format of files that are not text */

typedef struct {
    const char *name; /* such as "docx"; a constant */
    bool is_document; /* also true for lines that are not in UTF-8: their translation gets the same encoding */
    bool is_archive;  /* a document that is a zip archive */
} DragomanFormat;

/* Sets *format to format number `index`: 0 is DRAGOMAN_LINES, then come the formats of documents. Returns false if
 * there is no format with this index. */
DRAGOMAN_API bool dragoman_format_row(size_t index, DragomanFormat *format);

/* Returns how a job with these options reads a file; "-" is standard input. */
DRAGOMAN_API DragomanFormat dragoman_format_of(const DragomanOptions *options, const char *path);

/* Returns the format that the extension of a file name stands for. The name of the format is NULL if the extension is
 * not known, and DRAGOMAN_OTHER for .pdf, .zip and so on. */
DRAGOMAN_API DragomanFormat dragoman_format_of_ending(const char *path);

/* Returns DRAGOMAN_ERROR_FORMAT if a job with these options would read the file as lines, but it is a picture, source
 * code or the like. */
DRAGOMAN_CHECKED DragomanStatus dragoman_format_check(const DragomanOptions *options, const char *path,
                                                      DragomanError *error);

/* Returns DRAGOMAN_ERROR_USAGE if a setting does not apply to a file of this format, which messages call `name` ("-" is
 * standard input). Documents have one translation, in their own format, and lines have no columns, elements and so on.
 * All functions that translate files and documents check this. A batch applies settings of documents to the files that
 * have them, and reports the formats of the others. */
DRAGOMAN_CHECKED DragomanStatus dragoman_format_check_options(const DragomanOptions *options, const char *name,
                                                              DragomanFormat format, DragomanError *error);

/* Returns DRAGOMAN_ERROR_USAGE if the name of the target promises another format than that of the source, in which the
 * translation is written: report.odt for report.docx, or page.html for lines. Any name fits if it has the extension of
 * the source, and so does one with an unknown extension. dragoman_job_file() checks this. */
DRAGOMAN_CHECKED DragomanStatus dragoman_format_check_target(const DragomanOptions *options, const char *source,
                                                             const char *target, DragomanError *error);

/* Reads the only line of an open file, which messages call `name`. Returns DRAGOMAN_ERROR_USAGE if the file has several
 * lines, and DRAGOMAN_ERROR_FORMAT if it is not text. The line may contain invalid UTF-8. The caller frees *line with
 * dragoman_free_text(). The options only determine how messages name settings. */
DRAGOMAN_CHECKED DragomanStatus dragoman_read_line(const DragomanOptions *options, int fd, const char *name,
                                                   char **line, size_t *length, DragomanError *error);

/* --- Languages of texts ----------------------------------------------------------- */

typedef struct {
    char tag[DRAGOMAN_LANGUAGE_TAG]; /* BCP 47: "en", "zh-Hant" */
    int percent;                     /* its share of the letters of the text */
} DragomanDetected;

typedef struct {
    size_t count;                  /* 0: no language is recognized */
    DragomanDetected languages[3]; /* [count], the largest share first */
    bool is_sure;                  /* false: the text is too short or too mixed for more than a guess */
} DragomanDetection;

/* Detects the languages of a text, which has one or more lines. A text of three words is usually long enough. Any
 * thread may call it. Returns DRAGOMAN_ERROR_UNSUPPORTED if the library CLD2 is missing, and DRAGOMAN_ERROR_FORMAT if
 * the text is not valid UTF-8. */
DRAGOMAN_CHECKED DragomanStatus dragoman_detect_language(const char *text, size_t length, DragomanDetection *out,
                                                         DragomanError *error);

/* --- Jobs ------------------------------------------------------------------------ */

/* Checks text[0..length) before it becomes the value of DRAGOMAN_TERM. Returns DRAGOMAN_ERROR_FORMAT if a line is not a
 * term; the message begins with NAME:LINE. */
DRAGOMAN_CHECKED DragomanStatus dragoman_check_terms(const char *name, const char *text, size_t length,
                                                     DragomanError *error);

/* Checks the options for jobs: for example, whether there are formats and encodings with these names. Opening a job
 * does the same. */
DRAGOMAN_CHECKED DragomanStatus dragoman_job_check(const DragomanOptions *options, DragomanError *error);

/* Opens the models and everything else that the options name. `reporter` is copied; if it is NULL, nothing is reported.
 * On DRAGOMAN_OK the caller owns *out. */
DRAGOMAN_CHECKED DragomanStatus dragoman_job_open(DragomanJob **out, const DragomanOptions *options,
                                                  const DragomanReporter *reporter, DragomanError *error);

/* Opens a job with the open models of `of`, for example for one request of a server. Both translate at the same time,
 * in the same batches, with equal results. The new job has its own options, calls, warnings and counts; it shares the
 * models and, unless `options` changes them, the kept parts, the glossary and the translation memory. It finds the
 * entries of a shared memory, but adds none.
 *
 * `options` may change the settings that settings.def lists for JOB, such as DRAGOMAN_AS, DRAGOMAN_KEEP and
 * DRAGOMAN_GLOSSARY. All of these have the values of `options`. Any other setting must be unset there, or have the
 * value with which the models were opened, or else DRAGOMAN_ERROR_USAGE is returned. NULL: the options of `of`.
 * `client` is as for dragoman_open_stream(). `reporter` is as for dragoman_job_open().
 *
 * Any thread may call it, also while `of` translates. On DRAGOMAN_OK the caller owns *out. The jobs may be closed in
 * any order. Returns DRAGOMAN_ERROR_UNSUPPORTED if `of` chooses models for the language of each text. */
DRAGOMAN_CHECKED DragomanStatus dragoman_job_share(DragomanJob **out, DragomanJob *of, const DragomanOptions *options,
                                                   uint64_t client, const DragomanReporter *reporter,
                                                   DragomanError *error);

/* Makes the running call and all later calls that translate with this job fail soon, with DRAGOMAN_ERROR_IO and the
 * message "cancelled". Then the job can only be closed. Any thread may call it while the job is open. Other jobs that
 * share the models are not affected. */
DRAGOMAN_API void dragoman_job_cancel(DragomanJob *job);

/* Writes the translation memory if it is a TMX file; a failure to write it is reported as a warning. Closes the models,
 * unless other jobs share them. No other call for the job may be running. NULL is allowed. */
DRAGOMAN_API void dragoman_job_close(DragomanJob *job);

/* Return the BCP 47 tag of the language of the texts, and of their translations. NULL: the language is not known, or is
 * detected. The job owns the tags. */
DRAGOMAN_API const char *dragoman_job_source_language(const DragomanJob *job);
DRAGOMAN_API const char *dragoman_job_target_language(const DragomanJob *job);

/* Translates a text line by line. It has one or more lines. Bytes that are not valid UTF-8 become U+FFFD, with a
 * warning. On DRAGOMAN_OK the caller frees *translation, which has *length bytes and a NUL after them, with
 * dragoman_free_text(). */
DRAGOMAN_CHECKED DragomanStatus dragoman_job_text(DragomanJob *job, const char *text, size_t length, char **translation,
                                                  size_t *translation_length, DragomanError *error);

/* Translates a document. `format` is the name of its format, such as "docx" or "markdown"; "lines" is a text in any
 * encoding. *translation and *translation_size are like those of dragoman_job_text(). */
DRAGOMAN_CHECKED DragomanStatus dragoman_job_document(DragomanJob *job, const char *format, const char *bytes,
                                                      size_t size, char **translation, size_t *translation_size,
                                                      DragomanError *error);

/* Translates a file into another one; the two must not be the same file. After a failure, a target that existed is
 * unchanged, because the new file gets this name only when it is complete. The options name the format, or else the
 * name of the source determines it. */
DRAGOMAN_CHECKED DragomanStatus dragoman_job_file(DragomanJob *job, const char *source, const char *target,
                                                  DragomanError *error);

/* A batch translates files, and all files in folders, like dragoman_job_file(). The translations are written below an
 * output folder, with the same relative paths, or next to their sources, with a suffix before the extension. */
typedef struct {
    const char *const *paths; /* [count], of files and folders */
    size_t count;
    const char *output_dir, *suffix; /* set one of them, not empty; the other one is NULL */
    const char *const *includes;     /* [include_count], globs; if there are any, a file must match one of them */
    size_t include_count;
    const char *const *excludes; /* [exclude_count], globs: files and folders that match one are left out */
    size_t exclude_count;
    bool resume;        /* leave out files that have a translation which is not older than the file */
    bool copies_others; /* files that are not text are copied, not skipped */
} DragomanBatch;

typedef struct {
    size_t translated, copied, up_to_date, skipped, failed; /* numbers of files; each failure was reported */
} DragomanBatchResult;

/* Translates the files of a batch. The call does not fail if a file fails. It returns DRAGOMAN_ERROR_USAGE and writes
 * nothing if two files would be translated into the same file, or if a source would be overwritten. */
DRAGOMAN_CHECKED DragomanStatus dragoman_job_files(DragomanJob *job, const DragomanBatch *batch,
                                                   DragomanBatchResult *result, DragomanError *error);

/* --- One piece after the other ------------------------------------------------
 * dragoman_run_start() starts a thread that reads the inputs. dragoman_run_next() returns the results in the order of
 * the inputs: lines as soon as they are translated, documents as pieces of their bytes. The memory that a run needs
 * does not grow with the inputs, because the thread waits when the caller is slower. */

typedef struct DragomanRun DragomanRun;

/* Bytes with the format "lines" are text, whatever they look like. Without a format, bytes that look like a binary file
 * are refused, like a binary file. */
typedef struct {
    const char *path;   /* "-": standard input; with `bytes`, only a name for messages and the format */
    const char *format; /* the name of a format, or "lines"; NULL: as for dragoman_job_file() */
    const char *bytes;  /* [size], the content of the input, not copied; NULL: the file is read */
    size_t size;
    size_t lines_before; /* lines of the same stream in earlier runs; messages count them */
} DragomanInput;

/* What a job translates in a document. */
typedef struct {
    char *text; /* [length], each text with a newline; the caller frees it with dragoman_free_text() */
    size_t length;
    char language[DRAGOMAN_LANGUAGE_TAG]; /* the source language that a bilingual document names; "": it names none */
} DragomanTexts;

/* Reads an input without translating it, so that dragoman_detect_language() can detect its language: without markup,
 * keys and other text that stays as it is. input->bytes must be set. Lines are returned as they are, and may contain
 * invalid UTF-8. Only the settings of `options` that settings.def lists for JOB matter; no model is opened. Any thread
 * may call it. */
DRAGOMAN_CHECKED DragomanStatus dragoman_read_texts(const DragomanOptions *options, const DragomanInput *input,
                                                    DragomanTexts *out, DragomanError *error);

typedef struct {
    /* Each input has its own result: a failure is an item and ends only this input. All inputs must be regular files.
     * Without `each`, an input that cannot be read is reported and left out, and any other failure ends the run. */
    bool each;
    bool stop_at_unreadable; /* not with `each`: an input that cannot be read ends the run */
    bool skip_failed_lines;  /* not with `each`: a line that fails becomes an item, and the run goes on */
} DragomanRunRules;

typedef enum {
    DRAGOMAN_ITEM_END,   /* there are no more items */
    DRAGOMAN_ITEM_LINE,  /* a line that is ready */
    DRAGOMAN_ITEM_BYTES, /* bytes of a translated document, to be written next */
    DRAGOMAN_ITEM_FAULT, /* a line has failed; with `each`, an input has failed, and only its item FILE follows */
    DRAGOMAN_ITEM_OTHER, /* only with `each`: an input is not text, and there is no other item of it */
    DRAGOMAN_ITEM_FILE   /* only with `each`: the end of an input, also of a failed one; not after OTHER */
} DragomanItemKind;

/* Texts are valid until the next call of dragoman_run_next(). */
typedef struct {
    DragomanItemKind kind;
    size_t file; /* index of the input */

    const Dragoman *dragoman; /* the Dragoman that has translated the line */
    const DragomanLine *line; /* set for LINE, and for BYTES if they end with the translation of this line; else NULL */
    size_t number;            /* the number of the line, counted through all inputs, from 1 */
    const char *ending;       /* the ending of the line in its input: "\n", "\r\n", "\r" or "" */
    const char *language;     /* the detected language; NULL: none was detected */
    const void *terms;        /* for dragoman_item_term(); NULL: there is no glossary */
    bool is_other_language;   /* the line is surely not in the language of the model */

    const char *bytes; /* [size] */
    size_t size;
    const char *encoding; /* of the bytes; NULL: UTF-8 */
    const char *message;  /* FAULT: the error message, which names the input and the line */

    size_t input_bytes; /* for a progress bar: how many bytes of the input the item stands for */
    size_t words;       /* the number of words in the source of the item */
} DragomanItem;

/* Starts reading. Any other call that translates with the job waits until dragoman_run_end(). The inputs must stay
 * valid until then. On DRAGOMAN_OK the caller ends *out with dragoman_run_end(). */
DRAGOMAN_CHECKED DragomanStatus dragoman_run_start(DragomanRun **out, DragomanJob *job, const DragomanInput *inputs,
                                                   size_t count, DragomanRunRules rules, DragomanError *error);

/* Whether dragoman_run_next() would return without waiting. Before waiting, a caller should write buffered output. */
DRAGOMAN_API bool dragoman_run_ready(DragomanRun *run);

/* Waits for the next item. After a failure, only dragoman_run_end() may be called. */
DRAGOMAN_CHECKED DragomanStatus dragoman_run_next(DragomanRun *run, DragomanItem *item, DragomanError *error);

/* With `each`: call it if the output for this input has failed, so that the rest of the input is left out. */
DRAGOMAN_API void dragoman_run_drop(DragomanRun *run, size_t file);

/* Ends the run. If there was no DRAGOMAN_ITEM_END yet, waits for the lines in progress. With `abandons`, cancels these
 * lines instead; then the job can only be closed. NULL is allowed. */
DRAGOMAN_API void dragoman_run_end(DragomanRun *run, bool abandons);

/* Returns translation number `rank` of an item with a line, counted as for dragoman_line_translation(). If the line has
 * nothing to translate, returns the text of the line. */
DRAGOMAN_API const char *dragoman_item_text(const DragomanItem *item, size_t rank, size_t *length);

/* A term of the glossary that the translation of a line should have. The job owns the forms. */
typedef struct {
    DragomanRange source;
    const char *const *forms; /* [form_count], the translations that the glossary allows for the term */
    size_t form_count;
    DragomanRange found; /* the place of one of the forms, or of an inflected form, in the translation; empty: none */
    DragomanTermVerdict verdict;
} DragomanTerm;

/* Describes term number `index` of an item with a line, and finds it in translation number `rank`. Returns false if
 * there is no term with this index or no such translation. */
DRAGOMAN_API bool dragoman_item_term(const DragomanItem *item, size_t rank, size_t index, DragomanTerm *term);

/* --- A batch step by step -------------------------------------------------------
 * For a dry run, for questions before files are replaced, and for a progress bar. dragoman_job_files() consists of
 * dragoman_plan_new(), dragoman_plan_run(), dragoman_plan_report() and dragoman_plan_free(). */

typedef struct DragomanPlan DragomanPlan;

/* Finds the files of a batch, and writes nothing. Everything that `batch` points to must stay valid. On DRAGOMAN_OK the
 * caller owns *out. The errors are the same as for dragoman_job_files(). */
DRAGOMAN_CHECKED DragomanStatus dragoman_plan_new(DragomanPlan **out, const DragomanBatch *batch,
                                                  const DragomanOptions *options, const DragomanReporter *reporter,
                                                  DragomanError *error);
DRAGOMAN_API void dragoman_plan_free(DragomanPlan *plan); /* NULL is allowed */

/* A file of the batch. The plan owns the paths. */
typedef struct {
    const char *source, *target;
    DragomanFormat format;
    bool is_other;   /* its name or its first bytes say that it is not text to translate */
    bool up_to_date; /* with DragomanBatch.resume: it will be left out */
} DragomanPlanned;
DRAGOMAN_API bool dragoman_plan_file(const DragomanPlan *plan, size_t index, DragomanPlanned *file);

/* Returns the files that are not up to date. DragomanItem.file is an index in this list. */
DRAGOMAN_API const DragomanInput *dragoman_plan_inputs(const DragomanPlan *plan, size_t *count);

/* Reads a whole file and returns what the batch will do with it: "translate", "copy", "skip" or "up to date". Sets
 * *format to the name of its format or DRAGOMAN_OTHER. Returns NULL if the file cannot be read; this was reported and
 * counts as a failure. */
DRAGOMAN_API const char *dragoman_plan_examine(DragomanPlan *plan, size_t index, const char **format);

/* Functions of the program that a batch calls. */
typedef struct {
    void *context;
    /* Sets *text to the output for the line of an item; the text stays valid until the next call. If `format` is NULL,
     * the output is the best translation and the ending of the line. */
    DragomanStatus (*format)(void *context, const DragomanItem *item, const char **text, size_t *length,
                             DragomanError *error);
    /* Called for each item. In the last call for an input, `left_out` is the number of its bytes that were not read;
     * before that, it is 0. May be NULL. */
    void (*watch)(void *context, const DragomanItem *item, size_t left_out);
    /* Called when a translated or copied file has its name. Another thread than the caller's calls it. May be NULL. */
    void (*finish)(void *context);
} DragomanBatchHooks;

/* Translates the files. `job` may be NULL if all files are up to date; `hooks` may always be NULL. */
DRAGOMAN_CHECKED DragomanStatus dragoman_plan_run(DragomanPlan *plan, DragomanJob *job, const DragomanBatchHooks *hooks,
                                                  DragomanError *error);

/* Reports which files were skipped, and repeats the failures. May also be called after a failure of
 * dragoman_plan_run(). */
DRAGOMAN_API void dragoman_plan_report(DragomanPlan *plan);
DRAGOMAN_API DragomanBatchResult dragoman_plan_result(const DragomanPlan *plan);

/* --- Opening step by step -------------------------------------------------------
 * For a program that gives up rights between the steps, or that checks which files it will overwrite.
 * dragoman_job_open() consists of dragoman_job_prepare(), dragoman_job_open_models() and dragoman_job_open_memory(). If
 * one of the last two fails, only dragoman_job_finish() and dragoman_job_close() may be called. */

/* Loads the libraries that a job with these options loads at run time. Call it in a process that will forbid itself to
 * load code. A library that cannot be loaded is reported only when it is needed. */
DRAGOMAN_API void dragoman_job_load_libraries(const DragomanOptions *options);

typedef struct {
    /* Finds models by languages. It must stay open as long as the job, and only the job may use it during a run. NULL:
     * the job opens a hub itself. */
    DragomanHub *hub;
    bool no_documents; /* all inputs are lines; then the job can leave out what only documents need */
    /* Called before the job opens models that it has chosen for the language of a text. If it fails, the models are not
     * opened. NULL: all models may be opened. */
    DragomanStatus (*accept)(void *context, const DragomanOptions *options, const DragomanChoice *models,
                             DragomanError *error);
    void *context;
} DragomanJobPlan;

/* Checks the options and compiles their regular expressions. `plan` may be NULL. */
DRAGOMAN_CHECKED DragomanStatus dragoman_job_prepare(DragomanJob **out, const DragomanOptions *options,
                                                     const DragomanJobPlan *plan, const DragomanReporter *reporter,
                                                     DragomanError *error);
DRAGOMAN_CHECKED DragomanStatus dragoman_job_open_models(DragomanJob *job, DragomanError *error);
DRAGOMAN_CHECKED DragomanStatus dragoman_job_open_memory(DragomanJob *job, DragomanError *error);

/* Return DRAGOMAN_ERROR_USAGE if the file at `path`, or the standard stream ("-"), is the translation memory. This must
 * not be an input, because it grows while it is read, and an output must not replace it. */
DRAGOMAN_CHECKED DragomanStatus dragoman_job_check_input(const DragomanJob *job, const char *path,
                                                         DragomanError *error);
DRAGOMAN_CHECKED DragomanStatus dragoman_job_check_output(const DragomanJob *job, const char *path,
                                                          DragomanError *error);

/* Writes the part of the translation memory that is not written yet. With DRAGOMAN_VERBOSE, and if `succeeded` says
 * that no step has failed, reports what was done. After this call, the job can only be closed. */
DRAGOMAN_CHECKED DragomanStatus dragoman_job_finish(DragomanJob *job, bool succeeded, DragomanError *error);

/* Returns the number of inputs that could not be read, plus the number of malformed lines of documents, which were
 * copied. Each of them was reported. */
DRAGOMAN_API size_t dragoman_job_fault_count(const DragomanJob *job);

#ifdef __cplusplus
}
#endif

#endif
