/* dragoman.h - translate lines of text. The public header of libdragoman.
 *
 *     DragomanOptions options = dragoman_default_options();
 *     options.model = "opus-mt-fr-en";
 *     dragoman_open(&d, &options, &err)
 *     one thread:   dragoman_submit(d, text, len, tag, &err) ...; dragoman_finish(d)
 *     another one:  while (dragoman_next(d, &line, &err) == OK && line) use it
 *     dragoman_close(d)
 *
 * Lines come back in the order in which they were submitted, each as soon as
 * it and all before it are ready. Memory is bounded: dragoman_submit() waits
 * while too many lines are under way.
 *
 * OpenBLAS, used on CPUs that dragoman has no kernels for, starts threads of its own as a process
 * begins. Opening a model ends them: from then on OpenBLAS computes in the calling thread, in the
 * whole process. Where the address space is limited, start the process with
 * OPENBLAS_NUM_THREADS=1: OpenBLAS hangs before main() if it cannot reserve its buffers. */
#ifndef DRAGOMAN_H
#define DRAGOMAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "buf.h"
#include "err.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DRAGOMAN_VERSION "0.1.0"

#define DRAGOMAN_LEAST_INPUT 16 /* for max_input */

/* What the weights are held as, and so how much memory and time they take. */
typedef enum {
    DRAGOMAN_AUTO, /* as the model is stored */
    DRAGOMAN_F32,  /* nothing is rounded */
    DRAGOMAN_BF16, /* weights rounded to bf16 */
    DRAGOMAN_INT8  /* weights, and the rows multiplied with them, rounded to 8 bits with a scale each */
} DragomanPrecision;

/* Whether each line is split into sentences, which are translated one by one
 * and joined by the white space that was between them. */
typedef enum {
    DRAGOMAN_SPLIT_AUTO, /* where the model asks for it, and never for pieces */
    DRAGOMAN_SPLIT_ON,
    DRAGOMAN_SPLIT_OFF
} DragomanSplit;

/* Every field but `model` may stay as dragoman_default_options() sets it.
 * Strings must stay valid until dragoman_close(). */
typedef struct {
    const char *model;     /* folder, packed model, or Marian's model file; "PATH,PATH": an ensemble */
    const char *weights;   /* of an ensemble's models: "0.6,0.4"; NULL: 1 each */
    const char *vocabs;    /* of Marian's: "source,target" or one for both; NULL: those beside the model */
    const char *from;      /* NULL: not given */
    const char *to;        /* NULL: not given */
    const char *shortlist; /* file of the target pieces worth scoring for a sentence (docs/formats.md); NULL: none */
    long shortlist_first;  /* so many pieces of the vocabulary always; < 0: what the file says */
    long shortlist_best;   /* so many of each source piece, where the file has probabilities; < 0: 100 */
    const char *prefix;    /* forced beginning of each line's translation; NULL: none */
    DragomanPrecision precision;
    DragomanSplit split;
    size_t max_input;  /* tokens that the model gets at once, special ones included; 0: as many as it takes, else at
                          least DRAGOMAN_LEAST_INPUT and at most these */
    bool pieces_in;    /* the text to translate is pieces separated by spaces */
    bool pieces_out;   /* so are the translations, and the prefix */
    size_t threads;    /* 0: all cores this process may use; at most 1024 */
    size_t batch_rows; /* hypotheses in flight a worker; 0: 64; at most 65536 */
    size_t n_best;     /* 0: 1 */
    bool skip_scores;  /* nobody looks at the scores: greedy search leaves them 0 and saves time */
    /* Search settings; a negative or zero value as noted keeps the model's. */
    size_t beams;                    /* 0: the model's; 1: greedy; at most 1024 */
    long min_length;                 /* new tokens; < 0: the model's */
    long max_length;                 /* new tokens; <= 0: the model's */
    const float *length_penalty;     /* NULL: the model's */
    const float *repetition_penalty; /* NULL: the model's */
    const float *word_penalty;       /* Marian's models; NULL: the model's */
    const float *length_factor;      /* Marian's models: new tokens for each of the source; NULL: the model's */
    bool allow_unk;                  /* Marian's models: the unknown token may be in a translation */
    long no_repeat_ngram;            /* < 0: the model's */
} DragomanOptions;

DragomanOptions dragoman_default_options(void);

typedef struct Dragoman Dragoman; /* fields: translator.c */

/* Checks the environment variable DRAGOMAN_CPU, which names the highest level of kernels to use.
 * ERR_USAGE: there is no such level. ERR_UNSUPPORTED: this CPU lacks it. Opening a model takes the
 * best level then, or the next lower one. */
MUST_USE Status dragoman_check_cpu(Err *err);

/* Opens the model and starts the workers. ERR_USAGE: the options do not fit
 * the model or each other. OK: the caller owns *out. */
MUST_USE Status dragoman_open(Dragoman **out, const DragomanOptions *options, Err *err);

/* The same for several models, each with its own options: a line goes through
 * all of them, the best translation of one being the text of the next, and
 * each line by itself, so that all models work at the same time. The language
 * between two models is `to` of the first or `from` of the second; it may be
 * left out where one of them is made for one language. Of the first model
 * count `pieces_in`, `threads` and `batch_rows`, of the last one `pieces_out`
 * and `n_best`. */
MUST_USE Status dragoman_open_chain(Dragoman **out, const DragomanOptions *models, size_t count, Err *err);

/* Stops the workers (unfinished lines are dropped) and frees everything.
 * No other call may be under way. NULL is allowed. */
void dragoman_close(Dragoman *dragoman);

/* Hands in the next line (valid UTF-8 without a newline; copied). Waits while
 * too many lines are under way. `tag` comes back with the line. ERR_USAGE
 * after dragoman_finish(); the workers' own error once one of them failed. */
MUST_USE Status dragoman_submit(Dragoman *dragoman, const char *text, size_t len, uintptr_t tag, Err *err);

/* No more lines will come. */
void dragoman_finish(Dragoman *dragoman);

/* Makes waiting and later calls of dragoman_submit() and dragoman_next()
 * return at once: submit with ERR_IO, next with *line NULL. From any thread. */
void dragoman_cancel(Dragoman *dragoman);

typedef struct {
    Buf text;    /* UTF-8 */
    float score; /* sum of log-probabilities / length^length_penalty, added over the segments */
    float sum;   /* of log-probabilities, the same way */
    IdList ids;  /* without the start token, with the end token of each segment */
} DragomanTranslation;

typedef struct {
    size_t number; /* 1 for the first line */
    uintptr_t tag;
    Buf source;
    IdList source_ids; /* of the first model; of several sentences one after the other */
    Buf *pivots;       /* [pivot_count]: the text in the language between each two models */
    size_t pivot_count;
    size_t segments; /* parts in which it was translated: sentences, where lines are split, and pieces of what is too
                        long; 0: blank */
    bool wrapped;    /* a part was cut because it was too long for one of the models */
    size_t count;    /* translations, best first; 0: nothing to translate, the last pivot, else the source stays */
    DragomanTranslation *translations;
    size_t pieces; /* of the source, all segments together */
} DragomanLine;

/* Waits for the next line in order. *line is NULL after the last one, and
 * when this fails; otherwise it belongs to the library and is valid until the
 * next call. When a worker failed, the lines that are ready come first, then
 * its error, at every call. */
MUST_USE Status dragoman_next(Dragoman *dragoman, const DragomanLine **line, Err *err);

/* The number of the line that dragoman_next() has failed of, where it was one line's fault: the model
 * computes no finite numbers for it. Else 0. */
size_t dragoman_failed_line(Dragoman *dragoman);

/* Whether dragoman_next() would return at once: a writer flushes when not. */
bool dragoman_ready(Dragoman *dragoman);

/* The string of a target id, of the last model, for output formats. Owned by the library. */
const char *dragoman_piece(const Dragoman *dragoman, int32_t id);

/* Appends what the user should know about the models and the options, though they
 * work: a line each; most have none. */
MUST_USE Status dragoman_warnings(const Dragoman *dragoman, Buf *out, Err *err);

/* Appends what the model is, as lines "key: value", to *out; with the search
 * settings that the options gave. */
MUST_USE Status dragoman_describe(const Dragoman *dragoman, Buf *out, Err *err);

/* The same without starting workers, for `dragoman info`. */
MUST_USE Status dragoman_describe_model(const DragomanOptions *options, Buf *out, Err *err);
MUST_USE Status dragoman_describe_chain(const DragomanOptions *models, size_t count, Buf *out, Err *err);

/* Learns a shortlist for options->model from two files of text (gzip and zstd
 * are understood; "-": standard input, one of them at most), each line of one the translation of the same line of the
 * other: appends a file for options.shortlist to *out, Marian's binary format
 * or, `as_text`, CTranslate2's map. The fields shortlist_first and
 * shortlist_best say how many pieces belong to every sentence and to each piece;
 * < 0: 200 and 50. The same files give the same bytes everywhere. */
MUST_USE Status dragoman_learn_shortlist(const DragomanOptions *options, const char *source_path,
                                         const char *target_path, bool as_text, Buf *out, Err *err);

/* Writes the model of a folder as one file, which can be opened in its place and
 * translates as the folder does with that precision: to the empty regular file of
 * `fd`, which stays open; `name` stands for it in messages. The same folder gives
 * the same bytes on every machine. *warnings, which may be NULL, gets lines as
 * dragoman_warnings() appends them. */
MUST_USE Status dragoman_pack(const char *model, DragomanPrecision precision, int fd, const char *name, Buf *warnings,
                              Err *err);

/* *reads: whether opening the model with these options, or packing it where `packing`, reads the file of that device
 * and inode, whatever its name: the model, its vocabularies, its shortlist. For a program that is about to write that
 * file. Where a model's folder may have several files of a kind, all of them count; packing reads every file
 * of the folder but other packed models. */
MUST_USE Status dragoman_reads(const DragomanOptions *options, bool packing, dev_t device, ino_t inode, bool *reads,
                               Err *err);

/* Compares the checksums of a packed model, *tensors of them. ERR_FORMAT names
 * the first tensor that is not as it was written, ERR_USAGE: a folder has none. */
MUST_USE Status dragoman_verify(const char *model, size_t *tensors, Err *err);

#ifdef __cplusplus
}
#endif

#endif
