/* dragoman.h - translate lines of text. The public header of libdragoman.
 *
 *     DragomanOptions *options = dragoman_options_new();
 *     dragoman_set_text(options, DRAGOMAN_MODEL, "opus-mt-fr-en", &error)
 *     dragoman_open(&d, options, &error)
 *     one thread:   dragoman_submit(d, text, length, tag, &error) ...; dragoman_finish(d)
 *     another one:  while (dragoman_next(d, &line, &error) == DRAGOMAN_OK && line)
 *                       puts(dragoman_line_translation(line, 0, NULL))
 *     dragoman_close(d)
 *
 * Lines come back in the order in which they were submitted, each as soon as
 * it and all before it are ready. Memory is bounded: dragoman_submit() waits
 * while too many lines are under way.
 *
 * Options and lines are opaque and settings only ever get new values at the end of their enum, so that
 * a program works with later versions of the same libdragoman.so without being compiled again.
 *
 * OpenBLAS, used on CPUs that dragoman has no kernels for, starts threads of its own as a process
 * begins. LoadedModel a model ends them: from then on OpenBLAS computes in the calling thread, in the
 * whole process. Where the address space is limited, start the process with
 * OPENBLAS_NUM_THREADS=1: OpenBLAS hangs before main() if it cannot reserve its buffers. */
#ifndef DRAGOMAN_H
#define DRAGOMAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DRAGOMAN_VERSION "0.1.0"

#ifdef __GNUC__
#define DRAGOMAN_API     __attribute__((visibility("default")))
#define DRAGOMAN_CHECKED DRAGOMAN_API __attribute__((warn_unused_result)) /* may fail: look at the status */
#else
#define DRAGOMAN_API
#define DRAGOMAN_CHECKED
#endif

typedef struct Dragoman Dragoman;               /* one or more open models and their threads */
typedef struct DragomanOptions DragomanOptions; /* what to open, and how to translate with it */
typedef struct DragomanLine DragomanLine;       /* a line and its translations */

typedef enum {
    DRAGOMAN_OK = 0,
    DRAGOMAN_ERROR_IO,          /* the system refused: open, read, write, map, thread */
    DRAGOMAN_ERROR_MEMORY,      /* out of memory */
    DRAGOMAN_ERROR_FORMAT,      /* a file is broken: the message says which and where */
    DRAGOMAN_ERROR_UNSUPPORTED, /* a file is sound, but asks for what dragoman lacks */
    DRAGOMAN_ERROR_USAGE        /* the settings do not fit the model or each other */
} DragomanStatus;

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

#define DRAGOMAN_LEAST_INPUT 16 /* for DRAGOMAN_MAX_INPUT */

/* All but DRAGOMAN_MODEL may be left as they are. The comment says which function sets it. */
typedef enum {
    DRAGOMAN_NO_SETTING,
    DRAGOMAN_MODEL,              /* text: folder, packed model, or Marian's model file; "PATH,PATH": an ensemble */
    DRAGOMAN_WEIGHTS,            /* text: of an ensemble's models: "0.6,0.4". Default: 1 each */
    DRAGOMAN_VOCABS,             /* text: of Marian's models: "source,target" or one for both. Default: those there */
    DRAGOMAN_FROM,               /* text: language of the input, of the first model */
    DRAGOMAN_VIA,                /* text: language between the model before and this one */
    DRAGOMAN_TO,                 /* text: language to translate to, of the last model */
    DRAGOMAN_SHORTLIST,          /* text: file of the target pieces worth scoring for a sentence (docs/shortlists.md) */
    DRAGOMAN_SHORTLIST_FIRST,    /* number: so many pieces of the vocabulary always. Default, -1: what the file says */
    DRAGOMAN_SHORTLIST_BEST,     /* number: so many for each source piece, where the file has probabilities.
                                    Default, -1: 100 */
    DRAGOMAN_PREFIX,             /* text: forced beginning of each line's translation */
    DRAGOMAN_PRECISION,          /* number: a DragomanPrecision */
    DRAGOMAN_SPLIT,              /* number: a DragomanSplit */
    DRAGOMAN_MAX_INPUT,          /* number: tokens that the model gets at once, special ones included, at least
                                    DRAGOMAN_LEAST_INPUT. Default, and the most: as many as it takes */
    DRAGOMAN_PIECES_IN,          /* flag: the text to translate is pieces separated by spaces */
    DRAGOMAN_PIECES_OUT,         /* flag: so are the translations, and the prefix */
    DRAGOMAN_THREADS,            /* number: at most 1024. Default, 0: all cores that this process may use */
    DRAGOMAN_BATCH_ROWS,         /* number: hypotheses in flight in each thread, at most 65536. Default, 0: 64 */
    DRAGOMAN_N_BEST,             /* number: translations of each line. Default, 0: 1 */
    DRAGOMAN_SKIP_SCORES,        /* flag: nobody looks at the scores: greedy search leaves them 0 and saves time */
    DRAGOMAN_BEAMS,              /* number: 1 is greedy; at most 1024. Default, 0: the model's */
    DRAGOMAN_MIN_LENGTH,         /* number: new tokens. Default, -1: the model's */
    DRAGOMAN_MAX_LENGTH,         /* number: new tokens. Default, 0: the model's */
    DRAGOMAN_LENGTH_PENALTY,     /* real. Default: the model's */
    DRAGOMAN_REPETITION_PENALTY, /* real. Default: the model's */
    DRAGOMAN_WORD_PENALTY,       /* real: Marian's models. Default: the model's */
    DRAGOMAN_LENGTH_FACTOR,      /* real: Marian's models: at most so many new tokens for each of the source */
    DRAGOMAN_ALLOW_UNK,          /* flag: Marian's models: the unknown token may be in a translation */
    DRAGOMAN_NO_REPEAT_NGRAM     /* number: 0: off. Default, -1: the model's */
} DragomanSetting;

/* How a call failed. `message` is one line of text without a newline and without control characters; longer
 * ones end in "...". `setting` is the first setting that it names, else DRAGOMAN_NO_SETTING. */
typedef struct {
    DragomanStatus status;
    DragomanSetting setting;
    char message[1024];
} DragomanError;

/* Every call that can fail returns its status and fills *error, which may be NULL. */

/* NULL: out of memory. The caller owns the options; no call keeps them. */
DRAGOMAN_API DragomanOptions *dragoman_options_new(void);
DRAGOMAN_API void dragoman_options_free(DragomanOptions *options); /* NULL is allowed */

/* DRAGOMAN_ERROR_USAGE: the setting is of another type, or does not exist, or the value is out of its range. Texts
 * are copied; NULL takes one back. Whether values fit the model is checked when it is opened. */
DRAGOMAN_CHECKED DragomanStatus dragoman_set_text(DragomanOptions *options, DragomanSetting setting, const char *text,
                                                  DragomanError *error);
DRAGOMAN_CHECKED DragomanStatus dragoman_set_number(DragomanOptions *options, DragomanSetting setting, long number,
                                                    DragomanError *error);
DRAGOMAN_CHECKED DragomanStatus dragoman_set_real(DragomanOptions *options, DragomanSetting setting, double number,
                                                  DragomanError *error);
DRAGOMAN_CHECKED DragomanStatus dragoman_set_flag(DragomanOptions *options, DragomanSetting setting, bool flag,
                                                  DragomanError *error);

/* Messages call a setting by the name of its constant, "DRAGOMAN_TO", or as the program's users know it: `speller`
 * writes that name as snprintf() would and returns its length, 0 for the constant's. Of several models count those
 * of the first. */
typedef int DragomanSpeller(DragomanSetting setting, char *out, size_t size);
DRAGOMAN_API void dragoman_options_spell(DragomanOptions *options, DragomanSpeller *speller);

/* Checks the environment variable DRAGOMAN_CPU, which names the highest level of kernels to use.
 * DRAGOMAN_ERROR_USAGE: there is no such level. DRAGOMAN_ERROR_UNSUPPORTED: this CPU lacks it. LoadedModel a model
 * takes the best level then, or the next lower one. */
DRAGOMAN_CHECKED DragomanStatus dragoman_check_cpu(DragomanError *error);

/* Opens the model and starts the workers. DRAGOMAN_ERROR_USAGE: the options do not fit
 * the model or each other. DRAGOMAN_OK: the caller owns *out. */
DRAGOMAN_CHECKED DragomanStatus dragoman_open(Dragoman **out, const DragomanOptions *options, DragomanError *error);

/* The same for several models, each with its own options: a line goes through
 * all of them, the best translation of one being the text of the next, and
 * each line by itself, so that all models work at the same time. DRAGOMAN_VIA
 * may be left out where one of the two models is made for one language. Of the first
 * model count DRAGOMAN_PIECES_IN, _THREADS and _BATCH_ROWS, of the last one
 * DRAGOMAN_PIECES_OUT and _N_BEST. */
DRAGOMAN_CHECKED DragomanStatus dragoman_open_pipeline(Dragoman **out, DragomanOptions *const *models, size_t count,
                                                       DragomanError *error);

/* Stops the workers (unfinished lines are dropped) and frees everything.
 * No other call may be under way. NULL is allowed. */
DRAGOMAN_API void dragoman_close(Dragoman *dragoman);

/* Hands in the next line (valid UTF-8 without a newline; copied). Waits while
 * too many lines are under way. `tag` comes back with the line. DRAGOMAN_ERROR_USAGE
 * after dragoman_finish(); the workers' own error once one of them failed. */
DRAGOMAN_CHECKED DragomanStatus dragoman_submit(Dragoman *dragoman, const char *text, size_t length, uintptr_t tag,
                                                DragomanError *error);

/* No more lines will come. */
DRAGOMAN_API void dragoman_finish(Dragoman *dragoman);

/* Makes waiting and later calls of dragoman_submit() and dragoman_next() return at once: submit with
 * DRAGOMAN_ERROR_IO, next with *line NULL. From any thread. */
DRAGOMAN_API void dragoman_cancel(Dragoman *dragoman);

/* Waits for the next line in order. *line is NULL after the last one, and
 * when this fails; otherwise it belongs to the library and is valid until the
 * next call. When a worker failed, the lines that are ready come first, then
 * its error, at every call. */
DRAGOMAN_CHECKED DragomanStatus dragoman_next(Dragoman *dragoman, const DragomanLine **line, DragomanError *error);

/* The number of the line that dragoman_next() has failed of, where it was one line's fault: the model
 * computes no finite numbers for it. Else 0. */
DRAGOMAN_API size_t dragoman_failed_line(Dragoman *dragoman);

/* Whether dragoman_next() would return at once: a writer flushes when not. */
DRAGOMAN_API bool dragoman_ready(Dragoman *dragoman);

/* What a line has. Texts are UTF-8, end with a NUL and belong to the line, as ids do; *length and *count, their
 * number of bytes and of ids, may be NULL. */
DRAGOMAN_API size_t dragoman_line_number(const DragomanLine *line); /* 1 for the first line */
DRAGOMAN_API uintptr_t dragoman_line_tag(const DragomanLine *line);
DRAGOMAN_API const char *dragoman_line_source(const DragomanLine *line, size_t *length);
/* Of the first model; of several sentences one after the other. */
DRAGOMAN_API const int32_t *dragoman_line_source_ids(const DragomanLine *line, size_t *count);
/* Pieces of the source, all segments together. */
DRAGOMAN_API size_t dragoman_line_pieces(const DragomanLine *line);
/* Parts in which it was translated: sentences, where lines are split, and parts of what is too long; 0: blank. */
DRAGOMAN_API size_t dragoman_line_segments(const DragomanLine *line);
/* A part was cut because it was too long for one of the models. */
DRAGOMAN_API bool dragoman_line_wrapped(const DragomanLine *line);
/* The texts in the languages between each two models. */
DRAGOMAN_API size_t dragoman_line_pivot_count(const DragomanLine *line);
DRAGOMAN_API const char *dragoman_line_pivot(const DragomanLine *line, size_t index, size_t *length);

/* The translations, best first. 0: nothing to translate, the last pivot, else the source stays. */
DRAGOMAN_API size_t dragoman_line_count(const DragomanLine *line);
DRAGOMAN_API const char *dragoman_line_translation(const DragomanLine *line, size_t rank, size_t *length);
/* Sum of log-probabilities / length^length_penalty, added over the segments; the sum, the same way. */
DRAGOMAN_API float dragoman_line_score(const DragomanLine *line, size_t rank);
DRAGOMAN_API float dragoman_line_sum(const DragomanLine *line, size_t rank);
/* Without the start token, with the end token of each segment. */
DRAGOMAN_API const int32_t *dragoman_line_ids(const DragomanLine *line, size_t rank, size_t *count);

/* The string of a target id, of the last model, for output formats; NULL: no such id. Owned by the library. */
DRAGOMAN_API const char *dragoman_piece(const Dragoman *dragoman, int32_t id);

/* What the user should know about the models and the options, though they
 * work: a line each; most have none. Owned by the library. */
DRAGOMAN_API const char *dragoman_warnings(const Dragoman *dragoman);

/* What the calls below allocate: *text ends with a NUL and is NULL after a failure. NULL is allowed. */
DRAGOMAN_API void dragoman_free_text(char *text);

/* *text: what the models are and how they will be searched, as lines "key: value", with an empty line
 * between two models. */
DRAGOMAN_CHECKED DragomanStatus dragoman_describe(DragomanOptions *const *models, size_t count, char **text,
                                                  DragomanError *error);

/* Learns a shortlist for a model from two files of text (gzip and zstd
 * are understood; "-": standard input, one of them at most), each line of one the translation of the same line of the
 * other: *list is a file of *length bytes for DRAGOMAN_SHORTLIST, in Marian's binary format
 * or, `as_text`, CTranslate2's map. DRAGOMAN_SHORTLIST_FIRST and _BEST say how many pieces belong to every
 * sentence and to each piece; -1: 200 and 50. The same files give the same bytes everywhere. */
DRAGOMAN_CHECKED DragomanStatus dragoman_learn_shortlist(const DragomanOptions *options, const char *source_path,
                                                         const char *target_path, bool as_text, char **list,
                                                         size_t *length, DragomanError *error);

/* Writes the model of a folder as one file, which can be opened in its place and
 * translates as the folder does with DRAGOMAN_PRECISION, to the empty regular file of
 * `fd`, which stays open; `name` stands for it in messages. The same folder gives
 * the same bytes on every machine. *warnings, which may be NULL, is as dragoman_warnings() gives them. */
DRAGOMAN_CHECKED DragomanStatus dragoman_pack(const DragomanOptions *options, int fd, const char *name, char **warnings,
                                              DragomanError *error);

/* *reads: whether opening the model with these options, or packing it where `packing`, reads the file of that device
 * and inode (st_dev and st_ino of struct stat), whatever its name: the model, its vocabularies, its shortlist. For a
 * program that is about to write that file. Where a model's folder may have several files of a kind, all of them
 * count; packing reads every file of the folder but other packed models. */
DRAGOMAN_CHECKED DragomanStatus dragoman_reads(const DragomanOptions *options, bool packing, uint64_t device,
                                               uint64_t inode, bool *reads, DragomanError *error);

/* Compares the checksums of a packed model, *tensors of them. DRAGOMAN_ERROR_FORMAT names
 * the first tensor that is not as it was written, DRAGOMAN_ERROR_USAGE: a folder has none. */
DRAGOMAN_CHECKED DragomanStatus dragoman_verify(const DragomanOptions *options, size_t *tensors, DragomanError *error);

#ifdef __cplusplus
}
#endif

#endif
