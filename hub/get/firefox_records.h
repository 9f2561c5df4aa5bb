/* firefox_records.h - the files of a model in the collection of Mozilla's Remote Settings. */
#ifndef DRAGOMAN_FIREFOX_RECORDS_H
#define DRAGOMAN_FIREFOX_RECORDS_H

#include <cJSON.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"

#define FIREFOX_MOST_FILES 8

/* The texts are in the JSON tree. */
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
 * there are too many files. */
MUST_USE Status firefox_records_choose(FirefoxModel *out, const cJSON *records, const char *pair, Err *err);

#endif
