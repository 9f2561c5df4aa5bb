/* fuzz_tokenizer_json.c - fuzzes the reader of tokenizer.json files with libFuzzer.
 * Input    The file.
 * Checks   An accepted tokenizer splits texts into pieces that are in the
 *          vocabulary or spell the text, and every id in its template has an
 *          entry. The message for a rejected file is one line that begins with the
 *          file's name. The bytes are in a block of exactly their size, so that
 *          the sanitizers detect any access outside of it.
 * Options  -max_len=40000 */
#include "fuzz_support.h"

#include "tokenizer_json.h"

#define NAME "dir/tokenizer.json"

typedef struct {
    const Vocab *vocab;
    size_t count;
    unsigned sum;
} Pieces;

static void take_piece(void *context, const char *piece, size_t len)
{
    Pieces *pieces = context;
    const VocabEntry *entry = vocab_find(pieces->vocab, piece, len);

    for (size_t i = 0; i < len; i++) pieces->sum += (unsigned char)piece[i];
    if (entry) require(vocab_entry(pieces->vocab, entry->id) == entry, "an id's entry", entry->piece);
    require(len > 0, "a piece is not empty", "");
    pieces->count++;
}

static void check_texts(const TokenizerJson *json)
{
    static const char *const texts[] = { "",
                                         "a",
                                         "the house  and the river.",
                                         " \t x\xe2\x96\x81\xe2\x96\x81y ",
                                         "<2de> </s><extra_id_0> ABC\xef\xbc\xa1\xcc\x81",
                                         "\xf0\x9f\x98\x80\xf0\x9f\x98\x80 aaaaaaaaaaaaaaaa",
                                         "<0x41>\x01\x7f" };
    Err err = { "" };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        Pieces pieces = { json->vocab, 0, 0 };
        require(sp_shim_encode(json->sp, (SpEdges){ 0 }, texts[i], strlen(texts[i]), take_piece, &pieces, NULL, &err) ==
                    OK,
                "encoding", err.text);
    }
}

static void check_vocab(const TokenizerJson *json)
{
    const char *some[64];
    size_t count = 0;
    Buf text = { 0 };
    Err err = { "" };

    for (size_t i = 0; i < vocab_count(json->vocab); i++) {
        const VocabEntry *entry = vocab_at(json->vocab, i);
        require(vocab_find(json->vocab, entry->piece, strlen(entry->piece)) == entry, "a piece's entry", entry->piece);
        if (count < sizeof some / sizeof *some) some[count++] = entry->piece;
    }
    for (size_t i = 0; i < json->before.len; i++)
        require(vocab_entry(json->vocab, json->before.data[i]) != NULL, "an entry", "of the template");
    for (size_t i = 0; i < json->after.len; i++)
        require(vocab_entry(json->vocab, json->after.data[i]) != NULL, "an entry", "of the template");
    require(sp_decode(&json->sp->traits, some, count, &text, NULL, &err) == OK, "decoding", err.text);
    buf_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *file = fuzz_copy(data, size);
    const FileView view = { .path = NAME, .map = { .data = (const unsigned char *)file, .size = size } };
    TokenizerJson json;
    Err err = { "" };

    if (tokenizer_json_open(&json, &view, &err) == OK) {
        check_texts(&json);
        check_vocab(&json);
    } else {
        require_message(&err, NAME);
    }
    tokenizer_json_free(&json);
    free(file);
    return 0;
}
