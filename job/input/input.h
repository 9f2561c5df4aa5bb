/* input.h - reads the input files on its thread, submits each line as soon as it is complete, and the units of each
 * document.
 *
 * The line ending is removed and travels in the tag of the line, together with the file. A byte order mark at the
 * start of a file is removed. NUL bytes and invalid UTF-8 are replaced by U+FFFD, with a warning. A file that cannot
 * be read, or a document that is not of its format, is reported, and reading continues with the next file.
 *
 * A document is read as a whole. Its units that are to be translated are submitted in order, each as a line; after them
 * an empty line ends the document. The thread that receives the lines writes the document and releases it. The next
 * document is read when those that are not released yet take at most 64 MB of memory.
 *
 * A line and a unit are submitted with the parts that their translations keep, with their terms, and with the
 * translation that the memory has. */
#ifndef DRAGOMAN_INPUT_H
#define DRAGOMAN_INPUT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "document.h"
#include "document_formats.h"
#include "dragoman_job.h"
#include "err.h"
#include "glossary.h"
#include "keep_rules.h"
#include "line_columns.h"
#include "memory.h"
#include "package.h"
#include "reporter.h"
#include "router.h"
#include "text_encoding.h"

typedef struct Input Input; /* fields: input.c */

/* How a line ends. After ENDING_NONE and ENDING_CR the file ends. */
typedef enum { ENDING_LF, ENDING_CRLF, ENDING_NONE, ENDING_CR } Ending;

static inline size_t line_ending_bytes(Ending ending)
{
    return ending == ENDING_NONE ? 0 : ending == ENDING_CRLF ? 2 : 1;
}

/* What the input thread says about a line that it submits, in the tag of the line. */
typedef struct {
    size_t file; /* as an index in InputPlan.inputs */
    Ending ending;
    ArgumentRule arguments; /* of a unit: how they are read */
    bool ends_document;     /* the line is the empty line that ends a document */
} LineTag;

LineTag line_tag_of(const DragomanLine *line);

typedef enum {
    INPUT_READ,     /* all lines of the file were submitted */
    INPUT_NOT_TEXT, /* is_other, invalid UTF-8, or NUL bytes; none of its lines was submitted */
    INPUT_FAILED    /* some lines may have been submitted */
} InputEnd;

typedef struct {
    InputEnd end;
    size_t lines;        /* lines submitted; of a document, also the one that ends it */
    uint64_t bytes;      /* of these lines, with their endings; of a whole document */
    struct stat info;    /* the file when it was opened; not for INPUT_FAILED */
    const char *message; /* INPUT_FAILED: names the file and the reason */
} InputResult;

/* What both threads know of a file of a batch, which has a result instead of a report on stderr. Such a file is regular
 * and must not change while it is read. A line that the model refuses ends only its file. */
typedef struct {
    bool is_other;       /* the file is known to be no text: it is not read, and ends with INPUT_NOT_TEXT */
    atomic_bool dropped; /* no more lines are wanted: the rest is not read, and the file ends with INPUT_READ */
    InputResult result;
    Err message;       /* that of `result` */
    atomic_bool ended; /* set after `result` */
} InputState;

typedef struct {
    const DragomanInput *inputs; /* [count] */
    size_t count;
    bool pairs;                 /* a line is a text, a tab and its translation: dragoman_request_score() */
    const LineColumns *columns; /* of lines that are not pairs; NULL: they are texts */
    bool quiet;                 /* no warnings */
    const Reporter *reporter;   /* told what the user should know */
    bool stop_at_unreadable;    /* a file that cannot be read is not reported, but ends reading with its message */
    InputState *states;         /* [count], of a batch; NULL: the files are no batch */
    const KeepRules *keep;      /* what translations keep; NULL: nothing */
    Memory *memory;             /* translations that are known; NULL: none */
    Glossary *glossary;         /* NULL: none */

    const DocumentFormat *const *formats; /* [count], of each file; NULL: it is read as lines */
    DocumentOptions document_options; /* with the languages of the model, as BCP 47 writes them. Bilingual documents of
                                         other languages are refused */
    bool by_name;                     /* the formats were chosen by the names of the files */
    bool any_language;                /* documents of other languages than those of the model are translated, and
                                         `document_options` has no language of the source */
} InputPlan;

/* Starts the thread. `router` and everything that `plan` points to must stay valid until input_join(). On OK the
 * caller owns *out and frees it with input_free(). */
MUST_USE Status input_start(Input **out, const InputPlan *plan, Router *router, Err *err);

/* Prepares reading documents without a translator, and starts no thread. On OK the caller owns *out as above. */
MUST_USE Status input_open(Input **out, const InputPlan *plan, Err *err);

/* After input_open(): reads the next file, which must be a document, on the calling thread. */
MUST_USE Status input_read_next(Input *input, Err *err);

/* Makes the thread end soon, whatever it waits for. Call router_cancel() first. */
void input_stop(Input *input);

/* Waits for the thread. Adds the number of files that could not be read and were reported to *unreadable, and to *faults
 * that of the reported lines of documents that were copied because they are malformed (document_fault()). Fails if
 * reading ended early, unless input_stop() was called. */
MUST_USE Status input_join(Input *input, size_t *unreadable, size_t *faults, Err *err);

/* Call it after input_join(). NULL is allowed. */
void input_free(Input *input);

/* The document of a file. Its lines pass it from the thread of the input to the thread that receives them. */
typedef struct {
    Document *document;     /* NULL: it is not read yet, or released */
    TextEncoding *encoding; /* in which it is written; NULL: UTF-8 */
    Package *package;       /* the archive as which it is written; NULL: none */
    Buf archive;            /* that of the package */
    Buf text;               /* as it was read, in UTF-8 */
    KeptItems kept;         /* what its translation keeps */
    bool is_copied;         /* none of its units is submitted, and it is written as it is. The thread of the input sets
                               it before it submits the line that ends the document */
    size_t waiting;         /* for input.c: bytes of memory until it is released */
} OpenDocument;

OpenDocument *input_document(const Input *input, size_t file);

/* Frees the document of a file, if there is one. */
void input_release(Input *input, size_t file);

/* The bytes of the document that are not text of wanted units; all of them, if it is copied; 0: it is not read. */
size_t input_other_bytes(const Input *input, size_t file);

/* The bytes of columns that are not translated and have been read since the last call, for the progress. */
size_t input_take_other_bytes(Input *input);

typedef struct {
    size_t file;
    DocumentPlace in_file;
} InputPlace;

/* Finds the file of the line with this dragoman_line_number(), and its place in that file; of a unit, where it
 * begins. */
InputPlace input_locate(Input *input, size_t number);

/* Returns the name of a file for messages. It stays valid as long as the plan. */
const char *input_file_name(const Input *input, size_t file);

/* --- Whether a file is text, and whether it changes while it is being translated. */

/* Reads the file from its start to its end and sets *is_text to whether it is valid UTF-8 without NUL bytes. The
 * position of the descriptor stays where it is. The error message is only that of the system; the caller adds the name
 * of the file. */
MUST_USE Status input_check_text(int fd, bool *is_text, Err *err);

#define INPUT_CHANGED "changed while it was being translated; translate it again"

/* Whether the size or the time of a file has changed. */
bool input_is_changed(const struct stat *before, const struct stat *now);

#endif
