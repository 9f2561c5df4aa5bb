/* get_sources.h - where models are downloaded from, and what servers say about them. */
#ifndef DRAGOMAN_GET_SOURCES_H
#define DRAGOMAN_GET_SOURCES_H

#include <cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "download.h"
#include "err.h"

#define GET_MOST_ANSWER ((size_t)16 << 20) /* bytes of a list */

/* Each downloads a model and sets *path to what dragoman opens, to be freed by the caller. `name` is checked. */

/* Hugging Face: "ORG/NAME" or "ORG/NAME@REVISION". (hugging_face.c) */
MUST_USE Status get_from_hugging_face(char **path, const char *name, Progress *progress, Err *err);
/* Argos Translate: "FROM-TO". (argos.c) */
MUST_USE Status get_from_argos(char **path, const char *pair, Progress *progress, Err *err);
/* Firefox: "FROM-TO". (firefox.c) */
MUST_USE Status get_from_firefox(char **path, const char *pair, Progress *progress, Err *err);

/* Opens everything but the weights of the model; the message says why dragoman cannot use it. (get.c) */
MUST_USE Status get_try_to_open(const char *path, Err *err);

/* Returns a text of a JSON object; "" if it has none of this name. (get.c) */
const char *get_text_of(const cJSON *object, const char *key);

/* Whether the version under `key` in `a` is newer than the one in `b`. (get.c) */
bool get_is_newer(const cJSON *a, const cJSON *b, const char *key);

/* Whether the pair FROM-TO has these languages, of which neither is empty. (get.c) */
bool get_is_pair(const char *pair, const char *from, const char *to);

/* The newest package of the pair, FROM-TO, in the index of Argos Translate, a list with the languages and links of each
 * package; NULL if there is none. (argos.c) */
const cJSON *argos_index_find(const cJSON *list, const char *pair);

#define FIREFOX_MOST_FILES 8

/* A file of a model in the collection of Mozilla's Remote Settings. The texts are in the JSON tree. */
typedef struct {
    const char *name;     /* unique; letters, digits, '.', '_' and '-', not first a '.' */
    const char *location; /* below the server's address of attachments */
    const char *hash;     /* SHA-256 in hexadecimal */
    uint64_t size;
} FirefoxFile;

typedef struct {
    const char *from, *to, *version;
    FirefoxFile files[FIREFOX_MOST_FILES]; /* [count] */
    size_t count;
} FirefoxModel;

/* Chooses the newest model of the pair, FROM-TO, among the records. The tree must stay valid as long as *out. ERR_IO:
 * there is no such model. ERR_FORMAT: a name leads out of a folder or appears twice, a size or a hash is missing, or
 * there are too many files. (firefox.c) */
MUST_USE Status firefox_records_choose(FirefoxModel *out, const cJSON *records, const char *pair, Err *err);

#endif
