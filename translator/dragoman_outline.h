/* dragoman_outline.h - what is known of a model before its weights are read: languages, size, and whether it can be
 * opened. A public header of libdragoman, for programs that choose among models. */
#ifndef DRAGOMAN_OUTLINE_H
#define DRAGOMAN_OUTLINE_H

#include "dragoman.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct DragomanOutline DragomanOutline;

typedef enum {
    DRAGOMAN_OUTLINE_QUICK, /* reads only a few small files: enough for the languages of most bilingual models */
    DRAGOMAN_OUTLINE_FULL   /* reads everything but the weights */
} DragomanOutlineDepth;

/* Reads the outline of the model at `path`, which is as for DRAGOMAN_MODEL, but not an ensemble. `name` is its name,
 * such as "opus-mt-fr-en"; if the files name no languages, a full outline takes them from the end of it, and so does a
 * quick outline of a model that has a fault. NULL: no name.
 * A model that cannot be opened has an outline, too: see dragoman_outline_fault(). On DRAGOMAN_OK the caller owns *out
 * and frees it with dragoman_outline_free(). */
DRAGOMAN_CHECKED DragomanStatus dragoman_outline(DragomanOutline **out, const char *path, const char *name,
                                                 DragomanOutlineDepth depth, DragomanError *error);
DRAGOMAN_API void dragoman_outline_free(DragomanOutline *outline); /* NULL is allowed */

/* Whether the languages are known. False for DRAGOMAN_OUTLINE_QUICK if only a full outline has them, and for models
 * whose languages neither their files nor their names tell. */
DRAGOMAN_API bool dragoman_outline_has_languages(const DragomanOutline *outline);

/* The languages that the model translates from and into, by the codes of the model, and their number. The outline owns
 * them. */
DRAGOMAN_API const char *const *dragoman_outline_sources(const DragomanOutline *outline, size_t *count);
DRAGOMAN_API const char *const *dragoman_outline_targets(const DragomanOutline *outline, size_t *count);

/* Sets *has to whether the model translates from one language into another. Both are codes, tags or locales, as for
 * DRAGOMAN_FROM and DRAGOMAN_TO, but not names of languages: dragoman_find_language_code() converts those. NULL stands
 * for any language. Fails only if memory runs out; *has is then false. */
DRAGOMAN_CHECKED DragomanStatus dragoman_outline_has_pair(const DragomanOutline *outline, const char *from,
                                                          const char *to, bool *has, DragomanError *error);

/* The same without an error: also returns false if memory runs out. */
DRAGOMAN_API bool dragoman_outline_translates(const DragomanOutline *outline, const char *from, const char *to);

/* Writes the code of the language that `wanted` names: "fr" for "French" and ">>fr<<". Anything else is copied. Fails
 * only if memory runs out; `wanted` is then copied. */
#define DRAGOMAN_LANGUAGE_CODE 64
DRAGOMAN_CHECKED DragomanStatus dragoman_find_language_code(const char *wanted, char code[DRAGOMAN_LANGUAGE_CODE],
                                                            DragomanError *error);

/* The same without an error: if memory runs out, `wanted` is copied. */
DRAGOMAN_API void dragoman_language_code(const char *wanted, char code[DRAGOMAN_LANGUAGE_CODE]);

/* The size of the model's files in bytes. */
DRAGOMAN_API uint64_t dragoman_outline_bytes(const DragomanOutline *outline);

/* Why the model cannot be opened, in one line; NULL if no fault was found. A full outline finds every fault that the
 * weights do not have. */
DRAGOMAN_API const char *dragoman_outline_fault(const DragomanOutline *outline);

/* The kind of that fault, as dragoman_open() would return it; DRAGOMAN_OK if no fault was found. */
DRAGOMAN_API DragomanStatus dragoman_outline_status(const DragomanOutline *outline);

#ifdef __cplusplus
}
#endif

#endif
