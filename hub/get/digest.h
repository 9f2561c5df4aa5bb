/* digest.h - checksums of files: SHA-256, and the id that git gives a file, which is the SHA-1 of "blob SIZE", a NUL
 * and the content. */
#ifndef DRAGOMAN_DIGEST_H
#define DRAGOMAN_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include "err.h"

typedef enum { DIGEST_SHA256, DIGEST_GIT_BLOB } DigestKind;

typedef struct Digest Digest; /* fields: digest.c */

#define DIGEST_HEX 65 /* with the NUL */

/* Starts a digest; `size` is that of the file. On OK the caller frees *out with digest_free(). ERR_UNSUPPORTED:
 * libcrypto is missing. */
MUST_USE Status digest_new(Digest **out, DigestKind kind, uint64_t size, Err *err);
void digest_free(Digest *digest); /* NULL is allowed */

/* Forgets all bytes. */
MUST_USE Status digest_restart(Digest *digest, Err *err);
MUST_USE Status digest_add(Digest *digest, const void *bytes, size_t count, Err *err);

/* Writes the digest in hexadecimal. Nothing can be added afterwards. */
MUST_USE Status digest_finish(Digest *digest, char out[DIGEST_HEX], Err *err);

/* Adds the first `count` bytes of an open file. */
MUST_USE Status digest_add_file(Digest *digest, int fd, uint64_t count, const char *path, Err *err);

#endif
