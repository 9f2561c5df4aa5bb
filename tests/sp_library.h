/* sp_library.h - SentencePiece's own library, with which a test and fuzz_sentencepiece.c compare dragoman. */
#ifndef DRAGOMAN_SP_LIBRARY_H
#define DRAGOMAN_SP_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SpLibrary SpLibrary; /* fields: sp_library.cc */

/* Opens a model file in memory; NULL: the library refuses it. */
SpLibrary *sp_library_open(const void *model, size_t size);
void sp_library_free(SpLibrary *library);

/* Receives a piece and the bytes [begin, end) of the text that it stands for. */
typedef void (*SpLibraryFn)(void *context, const char *piece, size_t len, size_t begin, size_t end);

/* Splits a text into pieces. Returns false if the library cannot: a character of the text is a control piece. */
bool sp_library_encode(const SpLibrary *library, const char *text, size_t len, SpLibraryFn each, void *context);

/* Joins pieces, which are NUL-terminated, to a text. Ends the process if the library fails. The caller frees the
 * result with free(). */
char *sp_library_decode(const SpLibrary *library, const char *const *pieces, size_t count, size_t *len);

#ifdef __cplusplus
}
#endif

#endif
