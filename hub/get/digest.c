/* digest.c - see digest.h. CRYPTO_LIBRARY (Makefile) is the name under which the linker would record libcrypto. */
#include "digest.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "web.h"

_Static_assert(sizeof CRYPTO_LIBRARY > 1, "no shared libcrypto was found: set CRYPTO_LIBRARY to its file name");

#define CHUNK ((size_t)1 << 13)

typedef struct {
    __typeof__(EVP_MD_CTX_new) *create;
    __typeof__(EVP_MD_CTX_free) *end;
    __typeof__(EVP_DigestInit_ex) *start;
    __typeof__(EVP_DigestUpdate) *update;
    __typeof__(EVP_DigestFinal_ex) *finish;
    __typeof__(EVP_sha256) *sha256;
    __typeof__(EVP_sha1) *sha1;
} Crypto;

struct Digest {
    Crypto crypto;
    EVP_MD_CTX *context;
    DigestKind kind;
    uint64_t size;
};

static Status load(Crypto *crypto, Err *err)
{
    const LoadedFunction functions[] = {
        { "EVP_MD_CTX_new", &crypto->create },
        { "EVP_MD_CTX_free", &crypto->end },
        { "EVP_DigestInit_ex", &crypto->start },
        { "EVP_DigestUpdate", &crypto->update },
        { "EVP_DigestFinal_ex", &crypto->finish },
        { "EVP_sha256", &crypto->sha256 },
        { "EVP_sha1", &crypto->sha1 },
    };

    return loaded_library_open(CRYPTO_LIBRARY, "check downloads", functions, sizeof functions / sizeof *functions, err);
}

/* libcrypto has no error of its own for a lack of memory, so errno must have been 0 before the call. */
static Status check(int succeeded, Err *err)
{
    if (!succeeded && errno == ENOMEM) return err_memory(err, "a checksum");
    return succeeded ? OK : err_set(err, ERR_UNSUPPORTED, "get: " CRYPTO_LIBRARY " cannot compute a checksum");
}

Status digest_new(Digest **out, DigestKind kind, uint64_t size, Err *err)
{
    Digest *digest = calloc(1, sizeof *digest);
    Status st;

    *out = NULL;
    if (!digest) return err_memory(err, "a checksum");
    digest->kind = kind;
    digest->size = size;
    st = load(&digest->crypto, err);
    if (st == OK && !(digest->context = digest->crypto.create())) st = err_memory(err, "a checksum");
    if (st == OK) st = digest_restart(digest, err);
    if (st == OK)
        *out = digest;
    else
        digest_free(digest);
    return st;
}

void digest_free(Digest *digest)
{
    if (!digest) return;
    if (digest->context) digest->crypto.end(digest->context);
    free(digest);
}

Status digest_restart(Digest *digest, Err *err)
{
    const Crypto *crypto = &digest->crypto;
    char head[40];
    Status st;
    int len = snprintf(head, sizeof head, "blob %llu", (unsigned long long)digest->size);

    errno = 0;
    st = check(crypto->start(digest->context, digest->kind == DIGEST_SHA256 ? crypto->sha256() : crypto->sha1(), NULL),
               err);
    if (st != OK || digest->kind == DIGEST_SHA256) return st;
    return digest_add(digest, head, (size_t)len + 1, err); /* with the NUL */
}

Status digest_add(Digest *digest, const void *bytes, size_t count, Err *err)
{
    errno = 0;
    return check(digest->crypto.update(digest->context, bytes, count), err);
}

Status digest_finish(Digest *digest, char out[DIGEST_HEX], Err *err)
{
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned count = 0;
    Status st;

    errno = 0;
    st = check(digest->crypto.finish(digest->context, bytes, &count), err);
    for (unsigned i = 0; st == OK && i < count && 2 * i + 2 < DIGEST_HEX; i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
    return st;
}

Status digest_add_file(Digest *digest, int fd, uint64_t count, const char *path, Err *err)
{
    unsigned char chunk[CHUNK];
    Status st = OK;

    for (uint64_t at = 0; st == OK && at < count;) {
        ssize_t n = pread(fd, chunk, count - at < CHUNK ? (size_t)(count - at) : CHUNK, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return err_set(err, ERR_IO, "%s: %s", path, n < 0 ? strerror(errno) : "the file became shorter");
        st = digest_add(digest, chunk, (size_t)n, err);
        at += (uint64_t)n;
    }
    return st;
}
