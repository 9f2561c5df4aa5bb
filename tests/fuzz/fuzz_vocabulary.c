/* fuzz_vocabulary.c - fuzzes the readers of vocabularies: vocab.json, vocab.yml and lists of words.
 * Input    J, Y or W for the kind of the file, then the file.
 * Checks   A vocabulary is refused with one line that begins with its name, or its entries are sorted by their ids,
 *          which are unique, and each is found by its id and by its piece. Those of a JSON file are its members.
 * Options  -max_len=2000 */
#include "fuzz_support.h"

#include <cJSON.h>

#include "vocab.h"

static void check_entries(const Vocab *vocab, bool unique)
{
    int32_t last = -1;

    require(vocab_count(vocab) > 0, "an entry", vocab_path(vocab));
    for (size_t i = 0; i < vocab_count(vocab); i++) {
        const VocabEntry *entry = vocab_at(vocab, i), *found = vocab_find(vocab, entry->piece, strlen(entry->piece));
        require(entry->id > last && entry->id <= VOCAB_MAX_ID, "ascending ids", entry->piece);
        require(vocab_entry(vocab, entry->id) == entry, "the entry of an id", entry->piece);
        require(!unique || found == entry, "the entry of a piece", entry->piece);
        require(vocab_id(vocab, entry->piece, strlen(entry->piece)) == (found ? found->id : -1), "an id", entry->piece);
        last = entry->id;
    }
    require(vocab_size(vocab) == (size_t)last + 1, "the size", vocab_path(vocab));
    (void)vocab_has_pieces(vocab);
}

static void check_members(const Vocab *vocab, const char *text, size_t size)
{
    cJSON *tree = cJSON_ParseWithLength(text, size);
    const cJSON *member;

    require(cJSON_IsObject(tree) && (size_t)cJSON_GetArraySize(tree) == vocab_count(vocab), "all members",
            "of the file");
    cJSON_ArrayForEach(member, tree)
        require(vocab_id(vocab, member->string, strlen(member->string)) == (int32_t)member->valuedouble,
                "the id of a member", member->string);
    cJSON_Delete(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FileView file = { .path = "dir/vocab.json" };
    Vocab *vocab = NULL;
    char *bytes;
    Err err = { "" };
    Status st;

    if (!size || !strchr("JYW", *data)) return 0;
    if (*data != 'J') file.path = *data == 'Y' ? "dir/vocab.yml" : "dir/vocab.txt";
    file.map.data = (const uint8_t *)(bytes = fuzz_copy(data + 1, size - 1));
    file.map.size = size - 1;
    st = *data == 'W' ? word_list_read(&vocab, &file, &err) : vocab_read(&vocab, &file, &err);
    if (st == OK)
        check_entries(vocab, true);
    else
        require_message(&err, file.path);
    if (st == OK && *data == 'J') check_members(vocab, bytes, size - 1);
    vocab_free(vocab);
    free(bytes);
    return 0;
}
