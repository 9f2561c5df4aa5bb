/* stemmer.c - see stemmer.h.
 *
 * The build does not need libstemmer: the functions below are declared as in its header libstemmer.h, where they have
 * not changed since the first version. */
#include "stemmer.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <strings.h>

/* A Stemmer is libstemmer's struct sb_stemmer. The functions in use; written once, by load(). create is NULL if the
 * library is missing. */
static struct {
    void *(*create)(const char *algorithm, const char *encoding);
    void (*destroy)(void *stemmer);
    const unsigned char *(*stem)(void *stemmer, const unsigned char *word, int length);
    int (*length)(void *stemmer);
} snowball;

/* Copies the address of a function to *function, a pointer of any function type. */
static bool find(void *opened, const char *name, void *function)
{
    void *address = dlsym(opened, name);

    memcpy(function, &address, sizeof address);
    return address != NULL;
}

/* Loads the library, which stays open until the process ends. */
static void load(void)
{
    /* in Debian, in other distributions, and in macOS */
    static const char *const names[] = { "libstemmer.so.0d", "libstemmer.so.0", "libstemmer.so.3", "libstemmer.so",
                                         "libstemmer.dylib" };
    void *opened = NULL;

    for (size_t i = 0; !opened && i < sizeof names / sizeof *names; i++)
        opened = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (opened && find(opened, "sb_stemmer_delete", &snowball.destroy) &&
        find(opened, "sb_stemmer_stem", &snowball.stem) && find(opened, "sb_stemmer_length", &snowball.length))
        (void)find(opened, "sb_stemmer_new", &snowball.create);
}

bool stemmer_is_available(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load);
    return snowball.create != NULL;
}

Stemmer *stemmer_new(const char *language)
{
    const size_t length = language ? strcspn(language, "-_") : 0;
    char code[4] = "";

    if (!length || length >= sizeof code || !stemmer_is_available()) return NULL;
    memcpy(code, language, length); /* language only: "pt" for "pt-BR". Bokmål and Nynorsk have one stemmer, "no" */
    if (strcasecmp(code, "nb") == 0 || strcasecmp(code, "nn") == 0) memcpy(code, "no", 3);
    return snowball.create(code, "UTF_8");
}

void stemmer_free(Stemmer *stemmer)
{
    if (stemmer) snowball.destroy(stemmer);
}

const char *stemmer_find(Stemmer *stemmer, const char *word, size_t length, size_t *stem_length)
{
    const bool fits = length <= INT_MAX; /* a longer word is its own stem */
    const unsigned char *stem = fits ? snowball.stem(stemmer, (const unsigned char *)word, (int)length) : NULL;

    *stem_length = stem ? (size_t)snowball.length(stemmer) : length;
    return fits ? (const char *)stem : word;
}
