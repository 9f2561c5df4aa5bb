/* label_language.h - the names of languages in files: de_AT, zh-Hant, sr@latin, DEU. */
#ifndef DRAGOMAN_LABEL_LANGUAGE_H
#define DRAGOMAN_LABEL_LANGUAGE_H

#include <stdbool.h>
#include <stddef.h>

/* The most bytes of a name, with its NUL. */
#define LABEL_LANGUAGE_BYTES 64

/* Sets `tag` to a name as BCP 47 writes it, for language_detector_same(). Returns false, with an empty tag, if it is
 * not that of one known language: "", "und", "mul", "LANGUAGE". */
bool label_language_read(const char *name, size_t length, char tag[LABEL_LANGUAGE_BYTES]);

#endif
