/* input.h - reads the input files on a thread. Submits the lines of text files, each as soon as it is complete, and the
 * units of documents.
 *
 * The line ending is removed and travels in the tag of the line, together with the file. A byte order mark at the
 * start of a file is removed. NUL bytes and invalid UTF-8 are replaced by U+FFFD, with a warning. A file that cannot
 * be read, or a document that is invalid in its format, is reported, and reading continues with the next file.
 *
 * A document is read as a whole. The units to translate are submitted in order, each as a line; an empty line after
 * them marks the end of the document. The thread that receives the lines writes the document and releases it. The next
 * document is read when all documents that are not yet released take at most 64 MB of memory.
 *
 * Each line or unit is submitted with the parts that its translation keeps, with its glossary terms, and with its
 * translation from the translation memory, if that has one. */
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

/* How a line ends. Only the last line of a file has ENDING_NONE or ENDING_CR. */
typedef enum { ENDING_LF, ENDING_CRLF, ENDING_NONE, ENDING_CR } Ending;

static inline size_t line_ending_bytes(Ending ending)
{
    return ending == ENDING_NONE ? 0 : ending == ENDING_CRLF ? 2 : 1;
}

/* What the input thread stores in the tag of a line that it submits. */
typedef struct {
    size_t file; /* as an index in InputPlan.inputs */
    Ending ending;
    ArgumentRule arguments; /* of a unit: how its placeholders are numbered */
    bool ends_document;     /* the line is the empty line that ends a document */
} LineTag;

LineTag line_tag_of(const DragomanLine *line);

typedef enum {
    INPUT_READ,     /* all lines of the file were submitted */
    INPUT_NOT_TEXT, /* it has invalid UTF-8 or NUL bytes, or InputState.is_other; no line was submitted */
    INPUT_FAILED    /* some lines may have been submitted */
} InputEnd;

typedef struct {
    InputEnd end;
    size_t lines;        /* lines submitted, including the empty line that ends a document */
    uint64_t bytes;      /* of these lines with their endings, or of the whole document */
    struct stat info;    /* the file when it was opened; not for INPUT_FAILED */
    const char *message; /* INPUT_FAILED: names the file and the reason */
} InputResult;

/* A file of a batch; shared by both threads. Failures become its result instead of a report on stderr. The file must be
 * regular and must not change while it is read. A line that the model refuses ends only this file. */
typedef struct {
    bool is_other;       /* the file is known not to be text: it is not read, and ends with INPUT_NOT_TEXT */
    atomic_bool dropped; /* no more lines are wanted: the rest is not read, and the file ends with INPUT_READ */
    InputResult result;
    Err message;       /* the text of result.message */
    atomic_bool ended; /* set when `result` is complete */
} InputState;

typedef struct {
    const DragomanInput *inputs; /* [count] */
    size_t count;
    bool pairs;                 /* each line is a text, a tab and its translation, which is scored */
    const LineColumns *columns; /* of lines that are not pairs; NULL: each line is one text */
    bool quiet;                 /* no warnings */
    const Reporter *reporter;   /* told what the user should know */
    bool stop_at_unreadable;    /* a file that cannot be read ends reading with an error instead of a report */
    InputState *states;         /* [count]; NULL: the files are not a batch */
    const KeepRules *keep;      /* which parts of texts stay untranslated; NULL: none */
    Memory *memory;             /* the translation memory; NULL: none */
    Glossary *glossary;         /* NULL: none */

    const DocumentFormat *const *formats; /* [count]; formats[i] is NULL if file i is read as lines */
    DocumentOptions document_options;     /* with the languages of the model as BCP 47 tags */
    bool by_name;                         /* the formats were chosen by the names of the files */
    bool any_language;                    /* documents for other languages are not refused; no source_language */
} InputPlan;

/* Starts the thread. `router` and everything that `plan` points to must stay valid until input_join(). On OK the
 * caller owns *out and frees it with input_free(). */
MUST_USE Status input_start(Input **out, const InputPlan *plan, Router *router, Err *err);

/* Like input_start(), but for documents without a translator, and without a thread: see input_read_next(). */
MUST_USE Status input_open(Input **out, const InputPlan *plan, Err *err);

/* After input_open(): reads the next file, which must be a document, on the calling thread. */
MUST_USE Status input_read_next(Input *input, Err *err);

/* Makes the thread end soon, even if it is waiting. Call router_cancel() first. */
void input_stop(Input *input);

/* Waits for the thread. Adds to *unreadable the number of files that were reported as unreadable, and to *faults the
 * number of malformed lines of documents that were reported and copied (document_faults()). Fails if reading ended
 * early, unless input_stop() was called. */
MUST_USE Status input_join(Input *input, size_t *unreadable, size_t *faults, Err *err);

/* Call it after input_join(). NULL is allowed. */
void input_free(Input *input);

/* The document of a file. The input thread fills it and submits its lines; then only the receiving thread uses it. */
typedef struct {
    Document *document;     /* NULL: it is not read yet, or released */
    TextEncoding *encoding; /* of the file that was read and of the translation; NULL: UTF-8 */
    Package *package;       /* the archive that contains the document; NULL: none */
    Buf archive;            /* the bytes of `package` */
    Buf text;               /* the document in UTF-8 */
    KeptItems kept;         /* the parts of its units that stay untranslated */
    bool is_copied;         /* no unit is submitted, and the document is written unchanged. The input thread sets this
                               before it submits the line that ends the document */
    size_t waiting;         /* only for input.c: bytes of memory that the document takes until it is released */
} OpenDocument;

OpenDocument *input_document(const Input *input, size_t file);

/* Frees the document of a file, if there is one. */
void input_release(Input *input, size_t file);

/* Returns how many bytes of the document are not text of units to translate: all if it is copied, 0 if not read. */
size_t input_other_bytes(const Input *input, size_t file);

/* Returns how many bytes of untranslated columns have been read since the last call, for the progress display. */
size_t input_take_other_bytes(Input *input);

typedef struct {
    size_t file;
    DocumentPlace in_file;
} InputPlace;

/* Finds the file of the line with this dragoman_line_number(), and the place of the line or unit in it. */
InputPlace input_locate(Input *input, size_t number);

/* Returns the name of a file for messages, which is valid as long as InputPlan.inputs. */
const char *input_file_name(const Input *input, size_t file);

/* --- Checks of files: are they text, and have they changed during the translation? */

/* Reads the file from its start to its end and sets *is_text to whether it is valid UTF-8 without NUL bytes. The file
 * offset of the descriptor does not change. The message lacks the name of the file. */
MUST_USE Status input_check_text(int fd, bool *is_text, Err *err);

#define INPUT_CHANGED "changed while it was being translated; translate it again"

/* Whether the size or the modification time of a file has changed. */
bool input_is_changed(const struct stat *before, const struct stat *now);

#endif
