/* fuzz_shortlist.c - fuzzes the readers of shortlists with libFuzzer.
 * Input    A byte of flags, then the file. Flags: 1 the vocabularies are shared, 2 and 4 limits are given, 8 they are
 *          for lexical files only; 16 the checksum of a binary file is made right.
 * Checks   The candidates of some sentences are ids of the vocabulary in ascending order. The message for a rejected
 *          file is one line that begins with the file's path.
 * Options  -max_len=2048 -use_value_profile=1 */
#include "fuzz_folder.h"

#include "shortlist.h"

#define NAME "shortlist"

enum { SOURCE = 16, TARGET = 64, FLAG_SHARED = 1, FLAG_FIRST = 2, FLAG_BEST = 4, FLAG_LEXICAL = 8, FLAG_CHECKSUM = 16 };

/* The pieces are a, b, c ... and, as in a map, <s>. */
static int32_t id_of(const char *piece, size_t len, int32_t limit)
{
    const int32_t id = len == 1 ? *piece - 'A' : -1;

    if (len == 3 && memcmp(piece, "<s>", 3) == 0) return 1;
    return id >= 0 && id < limit ? id : -1;
}

static int32_t source_id(const void *context, const char *piece, size_t len)
{
    (void)context;
    return id_of(piece, len, SOURCE);
}

static int32_t target_id(const void *context, const char *piece, size_t len)
{
    (void)context;
    return id_of(piece, len, TARGET);
}

static void check_selection(const Shortlist *shortlist)
{
    static const int32_t source[] = { 0, 1, 2, 3, 0, 15, 1, 1, 14 };
    IdSet *set;
    Err err = { "" };

    require_ok(id_set_new(&set, TARGET, &err), &err);
    for (size_t len = 0; len <= sizeof source / sizeof *source; len++) {
        IdList ids = { 0 };
        shortlist_select(shortlist, source, len, set);
        require_ok(id_set_take(set, &ids, &err), &err);
        for (size_t i = 0; i < ids.len; i++) {
            require(ids.data[i] >= 0 && ids.data[i] < TARGET, "an id", "of the vocabulary");
            require(!i || ids.data[i] > ids.data[i - 1], "ascending", "ids");
        }
        ids_free(&ids);
    }
    id_set_free(set);
}

static void make_checksum(unsigned char *file, size_t size)
{
    uint64_t *words = calloc(size / sizeof *words + 1, sizeof *words), sum; /* aligned */

    require(words != NULL, "memory", "a copy");
    if (size < SHORTLIST_HEAD_WORDS * sizeof *words) goto done;
    memcpy(words, file, size);
    sum = shortlist_checksum((const unsigned char *)words, size);
    memcpy(file + sizeof sum, &sum, sizeof sum);
done:
    free(words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char *folder;
    const uint8_t flags = fuzz_take(&data, &size);
    const ShortlistVocabulary vocabulary = { .source_size = SOURCE,
                                             .target_size = TARGET,
                                             .source_used = SOURCE - 2,
                                             .shared = flags & FLAG_SHARED,
                                             .unknown = TARGET - 1,
                                             .source_id = source_id,
                                             .target_id = target_id };
    const ShortlistLimits limits = { .first = flags & FLAG_FIRST ? 5 : -1,
                                     .best = flags & FLAG_BEST ? 2 : -1,
                                     .lexical_only = flags & FLAG_LEXICAL };
    unsigned char *bytes = fuzz_copy(data, size);
    Shortlist *shortlist;
    char *path;
    Err err = { "" };
    Status st;

    if (!folder) folder = fuzz_folder_new();
    if (flags & FLAG_CHECKSUM) make_checksum(bytes, size);
    fuzz_folder_write(folder, NAME, bytes, size);
    path = fuzz_folder_path(folder, NAME);
    st = shortlist_open(&shortlist, path, &vocabulary, limits, &err);
    if (st == OK)
        check_selection(shortlist);
    else
        require_message(&err, path);
    shortlist_free(shortlist);
    free(path);
    free(bytes);
    return 0;
}
