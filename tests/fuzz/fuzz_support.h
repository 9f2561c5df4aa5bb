/* fuzz_support.h - what all fuzzers share: a promise that is not kept ends the program, and libFuzzer then
 * keeps the input. */
#ifndef DRAGOMAN_FUZZ_SUPPORT_H
#define DRAGOMAN_FUZZ_SUPPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "err.h"

/* Called by libFuzzer. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* `text` says of what, in the message. */
static inline void require(bool promise, const char *what, const char *text)
{
    if (promise) return;
    fprintf(stderr, "broken promise: %s: %s\n", what, text);
    abort();
}

static inline void require_ok(Status st, const Err *err)
{
    require(st == OK, "no failure", err->text);
}

/* A rejected file is described by one line that begins with its path. */
static inline void require_message(const Err *err, const char *path)
{
    const size_t length = strlen(path);

    require(strncmp(err->text, path, length) == 0 && strchr(": ", err->text[length]), "the path in the message",
            err->text);
    require(!strpbrk(err->text, "\n\r\x1b"), "one line", err->text);
}

/* Copies the input to a block of exactly its size, so that the sanitizers detect any access outside of it. The caller
 * frees it. */
static inline void *fuzz_copy(const void *bytes, size_t size)
{
    void *copy = malloc(size ? size : 1);

    require(copy != NULL, "memory", "the input");
    if (size) memcpy(copy, bytes, size);
    return copy;
}

/* Takes the next byte of the input, 0 at its end: for choices that come before the bytes of a file. */
static inline uint8_t fuzz_take(const uint8_t **data, size_t *size)
{
    if (!*size) return 0;
    (*size)--;
    return *(*data)++;
}

/* Returns the first byte 1, which divides an input that stands for several files, or NULL. */
static inline const uint8_t *fuzz_divider(const uint8_t *data, size_t size)
{
    return size ? memchr(data, 1, size) : NULL;
}

#endif
