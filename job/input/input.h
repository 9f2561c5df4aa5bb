/* input.h - reads the input files on a thread. Submits the lines of text files, each as soon as it is complete, and the
 * units of documents.
 *
 * A line is submitted without its ending, which is stored in the tag of the line, together with the file. A byte order
 * mark at the start of a file is removed. NUL bytes and invalid UTF-8 are replaced by U+FFFD, with a warning. If a file
 * cannot be read or a document is invalid in its format, this is reported, and reading continues with the next file.
 *
 * A document is read as a whole. The units to translate are submitted in order, each as a line; an empty line after
 * them marks the end of the document. The thread that receives the lines writes the document and releases it. The next
 * document is read when all documents that are not released yet take at most 64 MB of memory.
 *
 * The input thread submits each line or unit together with the parts that stay untranslated, its glossary terms, and
 * its translation, if the translation memory has one. */
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
#include "keep_rules.h"
#include "package.h"
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
    size_t file; /* index of the input */
    Ending ending;
    ArgumentRule arguments; /* of a unit: how its placeholders are numbered */
    bool ends_document;     /* the line is the empty line that ends a document */
} LineTag;

LineTag line_tag_of(const DragomanLine *line);

typedef struct {
    const DocumentFormat *format; /* NULL: the input is read as lines */
    const char *other;            /* if the input is not text to translate, what it is instead; else NULL */
} InputKind;

/* The document of an input. The input thread fills it and submits its lines; then only the receiving thread uses it. */
typedef struct {
    Document *document;                  /* NULL: it is not read yet, or released */
    DocumentOptions options;             /* for its format; includes the BCP 47 tags of the model's languages */
    TextEncoding *encoding;              /* the encoding of the file and of its translation; NULL: UTF-8 */
    Package *package;                    /* the archive that contains the document; NULL: it is not in one */
    Buf archive;                         /* the bytes of `package` */
    Buf text;                            /* the document in UTF-8 */
    KeptItems kept;                      /* the parts of the document's units that stay untranslated */
    char language[LABEL_LANGUAGE_BYTES]; /* of a pseudo translation, for `options`; "": unknown */
    bool is_copied; /* written unchanged, without units; set before the line that ends it is submitted */
    size_t waiting; /* only for input.c: bytes of memory that the document takes until it is released */
} OpenDocument;

typedef enum {
    INPUT_READ,     /* all lines of the input were submitted */
    INPUT_NOT_TEXT, /* the input has invalid UTF-8 or NUL bytes, or InputKind.other is set; no line was submitted */
    INPUT_FAILED    /* some lines may have been submitted */
} InputEnd;

/* An input of a run; both threads use it. With DragomanRunRules.each, a failure is not reported, but becomes the result
 * of the input; the file must be regular and must not change while it is read; and a line that the model refuses ends
 * only this file. */
typedef struct {
    InputKind kind;
    OpenDocument document;
    size_t lines_before; /* only for input.c: lines submitted before those of the input */
    atomic_bool dropped; /* no more lines are wanted: the rest is not read, and the input ends with INPUT_READ */

    /* The result of the input; only set with DragomanRunRules.each. */
    atomic_bool ended; /* set when the fields below are complete */
    InputEnd end;
    size_t lines;     /* lines submitted, including the empty line that ends a document */
    uint64_t bytes;   /* bytes of these lines and their endings, or of the whole document */
    struct stat info; /* the file when it was opened; not set for INPUT_FAILED */
    Err message;      /* INPUT_FAILED: names the file and the reason */
} InputFile;

/* Starts the thread. If the job has no router, all inputs are documents, and there is no thread: see
 * input_read_next(). The arguments must stay valid until input_free(). On OK the caller owns *out and frees it with
 * input_free(). */
MUST_USE Status input_start(Input **out, const DragomanJob *job, const DragomanInput *inputs, InputFile *files,
                            size_t count, DragomanRunRules rules, Err *err);

/* Reads the next file on the calling thread. */
MUST_USE Status input_read_next(Input *input, Err *err);

/* Makes the thread end soon, even if it is waiting. Call router_cancel() first. */
void input_stop(Input *input);

/* Waits for the thread. Adds to *unreadable the number of files that were reported as unreadable, and to *faults the
 * number of malformed lines of documents that were reported and copied (document_faults()). Fails if reading ended
 * early, unless input_stop() was called. */
MUST_USE Status input_join(Input *input, size_t *unreadable, size_t *faults, Err *err);

/* Call it after input_join(). NULL is allowed. */
void input_free(Input *input);

/* Frees the document, if there is one. */
void input_release(Input *input, OpenDocument *document);

/* Appends the texts to translate, each with a newline. */
void input_put_texts(const Document *document, Buf *out);

/* Returns how many bytes of the document are outside units to translate: all if it is copied, 0 if it is not read. */
size_t input_other_bytes(const OpenDocument *document);

/* Returns how many bytes of untranslated columns have been read since the last call, for the progress display. */
size_t input_take_other_bytes(Input *input);

typedef struct {
    size_t file;
    DocumentPlace in_file;
} InputPlace;

/* Finds the file of the line with this dragoman_line_number(), and the place in that file. */
InputPlace input_locate(Input *input, size_t number);

/* --- Checks of files: are they text, and have they changed during the translation? */

/* Reads the file from its start to its end and sets *is_text to whether it is valid UTF-8 without NUL bytes. The file
 * offset of the descriptor does not change. The message lacks the name of the file. */
MUST_USE Status input_check_text(int fd, bool *is_text, Err *err);

#define INPUT_CHANGED "changed while it was being translated; translate it again"

/* Whether the size or the modification time of a file has changed. */
bool input_is_changed(const struct stat *before, const struct stat *now);

#endif
