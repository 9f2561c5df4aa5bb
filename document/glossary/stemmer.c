/* stemmer.c - see stemmer.h.
 * Nothing of libstemmer is needed to build: the functions below are those of its header libstemmer.h, which have been
 * the same since its first version. */
#include "stemmer.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <strings.h>

/* The functions in use; written once, by load(). NULL: the library is missing. */
static struct {
    void *(*create)(const char *algorithm, const char *encoding);
    void (*destroy)(void *stemmer);
    const unsigned char *(*stem)(void *stemmer, const unsigned char *word, int length);
    int (*length)(void *stemmer);
} library;

/* Copies the address of a function to *function, a pointer of any function type. */
static bool find(void *opened, const char *name, void *function)
{
    void *address = dlsym(opened, name);

    memcpy(function, &address, sizeof address);
    return address != NULL;
}

/* The library stays open until the process ends. */
static void load(void)
{
    /* in Debian, in other distributions, and in macOS */
    static const char *const names[] = { "libstemmer.so.0d", "libstemmer.so.0", "libstemmer.so.3", "libstemmer.so",
                                         "libstemmer.dylib" };
    void *opened = NULL;

    for (size_t i = 0; !opened && i < sizeof names / sizeof *names; i++)
        opened = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (opened && find(opened, "sb_stemmer_delete", &library.destroy) &&
        find(opened, "sb_stemmer_stem", &library.stem) && find(opened, "sb_stemmer_length", &library.length))
        (void)find(opened, "sb_stemmer_new", &library.create);
}

bool stemmer_is_installed(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load);
    return library.create != NULL;
}

Stemmer *stemmer_new(const char *language)
{
    const size_t length = language ? strcspn(language, "-_") : 0;
    char code[4] = "";

    if (!length || length >= sizeof code || !stemmer_is_installed()) return NULL;
    memcpy(code, language, length); /* without script and region; both kinds of Norwegian have one stemmer */
    if (strcasecmp(code, "nb") == 0 || strcasecmp(code, "nn") == 0) memcpy(code, "no", 3);
    return library.create(code, "UTF_8");
}

void stemmer_free(Stemmer *stemmer)
{
    if (stemmer) library.destroy(stemmer);
}

Status stemmer_append(Stemmer *stemmer, const char *word, size_t length, Buf *out, Err *err)
{
    const unsigned char *stem;

    if (!stemmer || length > INT_MAX) {
        buf_put(out, word, length);
        return buf_check(out, err);
    }
    stem = library.stem(stemmer, (const unsigned char *)word, (int)length);
    if (!stem) return err_memory(err, "the stems of words");
    buf_put(out, stem, (size_t)library.length(stemmer));
    return buf_check(out, err);
}
