/* fuzz_tokenizer.c - fuzzes the tokenizers of all families, opened from a folder with their files.
 * Input    A line with the model_type and the languages from which and into which texts are translated, each - if it
 *          is not given. Then the files, each after a line "==> NAME"; that of the name "text" is the text to encode.
 *          A SentencePiece model whose first byte is not that of a model file is a recipe (sp_recipe.h).
 * Checks   A folder is refused with one line. Encoding gives ids of the vocabulary, with special tokens around those of
 *          the text. Asking for ranges does not change them, and the ranges are in the text. Decoding gives ranges in
 *          the result.
 * Options  -max_len=3000 */
#include "fuzz_folder.h"

#include "buf.h"
#include "sp_recipe.h"
#include "tokenizer.h"

#define MARK       "==> "
#define MOST_FILES 12
#define MOST_WORD  40

typedef struct {
    char words[3][MOST_WORD]; /* model_type, from, to; an empty one is not given */
    char *names[MOST_FILES];
    size_t count;
    Buf text;
} Input;

/* Returns the end of the line, or that of the input. */
static const char *line_end(const char *at, const char *end)
{
    const char *newline = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;

    return newline ? newline : end;
}

static void read_words(Input *input, const char *at, const char *end)
{
    for (size_t i = 0; i < 3; i++) {
        const char *space = at < end ? memchr(at, ' ', (size_t)(end - at)) : NULL;
        const size_t length = (size_t)((space ? space : end) - at);
        if (length < MOST_WORD && !(length == 1 && *at == '-')) memcpy(input->words[i], at, length);
        at = space ? space + 1 : end;
    }
}

static bool is_name(const char *name)
{
    return *name && *name != '.' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == strlen(name);
}

static bool is_recipe(const char *name, const char *bytes, size_t size)
{
    const char *ending = strrchr(name, '.');

    return ending && (strcmp(ending, ".spm") == 0 || strcmp(ending, ".model") == 0) && size && *bytes != '\n';
}

static void add_file(Input *input, const char *folder, char *name, const char *bytes, size_t size)
{
    Buf model = { 0 };
    size_t replaced;

    if (strcmp(name, "text") == 0) {
        buf_put_clean(&input->text, bytes, size, &replaced);
        for (size_t i = 0; i < input->text.len; i++)
            if (input->text.data[i] == '\n') input->text.data[i] = ' ';
    }
    if (!is_name(name) || strcmp(name, "text") == 0 || input->count == MOST_FILES) {
        free(name);
        return;
    }
    if (is_recipe(name, bytes, size)) {
        (void)sp_recipe_build(&model, bytes, size);
        fuzz_folder_write(folder, name, model.data, model.len);
    } else {
        fuzz_folder_write(folder, name, bytes, size);
    }
    input->names[input->count++] = name;
    buf_free(&model);
}

/* Returns the next line that begins a file, or the end of the input. */
static const char *next_mark(const char *at, const char *end)
{
    for (; at < end; at = line_end(at, end) + 1)
        if ((size_t)(end - at) > strlen(MARK) && memcmp(at, MARK, strlen(MARK)) == 0) return at;
    return end;
}

static void read_input(Input *input, const char *folder, const char *at, const char *end)
{
    const char *mark;

    *input = (Input){ .count = 0 };
    read_words(input, at, line_end(at, end));
    for (mark = next_mark(at, end); mark < end;) {
        const char *name = mark + strlen(MARK), *last = line_end(name, end), *begin = last < end ? last + 1 : end;
        mark = next_mark(begin, end);
        add_file(input, folder, strndup(name, (size_t)(last - name)), begin, (size_t)(mark - begin));
    }
}

static void input_free(Input *input, const char *folder)
{
    for (size_t i = 0; i < input->count; i++) {
        fuzz_folder_remove(folder, input->names[i]);
        free(input->names[i]);
    }
    buf_free(&input->text);
}

static void check_decoding(const Tokenizer *tokenizer, const IdList *ids)
{
    Range *ranges = malloc((ids->len + 1) * sizeof *ranges);
    Buf plain = { 0 }, text = { 0 };
    Err err = { "" };

    require(ranges != NULL, "memory", "ranges");
    require_ok(tokenizer_decode(tokenizer, ids->data, ids->len, &plain, NULL, &err), &err);
    require_ok(tokenizer_decode(tokenizer, ids->data, ids->len, &text, ranges, &err), &err);
    require(plain.len == text.len && (!plain.len || memcmp(plain.data, text.data, plain.len) == 0), "ranges",
            "that do not change the text");
    for (size_t i = 0, end = 0; i < ids->len; end = ranges[i++].end)
        require(ranges[i].begin >= end && ranges[i].end >= ranges[i].begin && ranges[i].end <= text.len, "a range",
                "of the text");
    for (size_t i = 0; i < ids->len; i++)
        require_ok(tokenizer_target_append(tokenizer, ids->data[i], &plain, &err), &err);
    buf_free(&plain);
    buf_free(&text);
    free(ranges);
}

static void check_ids(const Tokenizer *tokenizer, const Encoding *encoding, size_t length)
{
    const RangeList *ranges = encoding->ranges;

    require(encoding->body + encoding->pieces <= encoding->ids.len, "pieces", "in the ids");
    require(ranges->len == encoding->ids.len, "a range", "for each id");
    for (size_t i = 0; i < encoding->ids.len; i++) {
        require(encoding->ids.data[i] >= 0 && (size_t)encoding->ids.data[i] < tokenizer_facts(tokenizer)->source_vocab,
                "an id", "of the vocabulary");
        require(ranges->data[i].begin <= ranges->data[i].end && ranges->data[i].end <= length, "a range",
                "in the text");
        (void)tokenizer_source_piece(tokenizer, encoding->ids.data[i]);
    }
}

/* The ids of a part of an encoding are the special tokens and the pieces of this part. */
static void check_part(const Encoding *whole)
{
    const size_t first = whole->pieces / 3, count = whole->pieces - first;
    IdList part = { 0 };
    Err err = { "" };

    require_ok(tokenizer_encode_part(whole, first, count, &part, &err), &err);
    require(part.len + first == whole->ids.len, "the special tokens", "around a part");
    ids_free(&part);
}

/* Returns the status of encoding a text. */
static Status check_text(const Tokenizer *tokenizer, const char *text, size_t length, Err *err)
{
    RangeList ranges = { 0 };
    Encoding plain = { 0 }, traced = { .ranges = &ranges };
    IdList target = { 0 };
    Err again = { "" };
    const Status st = tokenizer_encode(tokenizer, text, length, &plain, err);

    require(tokenizer_encode(tokenizer, text, length, &traced, &again) == st, "the same status", again.text);
    if (st == OK) {
        require(plain.ids.len == traced.ids.len && plain.body == traced.body && plain.pieces == traced.pieces &&
                    memcmp(plain.ids.data ? plain.ids.data : (int32_t *)text,
                           traced.ids.data ? traced.ids.data : (int32_t *)text,
                           plain.ids.len * sizeof *plain.ids.data) == 0,
                "ranges", "that do not change the ids");
        check_ids(tokenizer, &traced, length);
        check_part(&plain);
    }
    if (tokenizer_encode_target(tokenizer, text, length, false, &target, &again) == OK)
        check_decoding(tokenizer, &target);
    encoding_free(&plain);
    encoding_free(&traced);
    ranges_free(&ranges);
    ids_free(&target);
    return st;
}

static void check_pieces(const Tokenizer *tokenizer, const char *text, size_t length)
{
    RangeList ranges = { 0 };
    Encoding pieces = { .ranges = &ranges };
    IdList all = { 0 };
    Err err = { "" };

    if (tokenizer_encode_pieces(tokenizer, text, length, &pieces, &err) == OK) check_ids(tokenizer, &pieces, length);
    for (size_t i = 0; i < tokenizer_facts(tokenizer)->target_vocab && i < 300; i++)
        require_ok(ids_append(&all, (int32_t)i, &err), &err);
    check_decoding(tokenizer, &all);
    encoding_free(&pieces);
    ranges_free(&ranges);
    ids_free(&all);
}

static void check_facts(const Tokenizer *tokenizer)
{
    const char *from = tokenizer_source_language(tokenizer), *to = tokenizer_target_language(tokenizer);
    const TokenizerFacts *facts = tokenizer_facts(tokenizer);

    require((!from || *from) && (!to || *to), "names", "of languages");
    for (size_t i = 0; i < facts->language_count; i++) require(*facts->languages[i].name, "a name", "of each language");
    require(facts->source_unknown >= 0 && (size_t)facts->source_unknown < facts->source_vocab, "an id",
            "of the unknown token");
    require(facts->target_end < 0 || (size_t)facts->target_end < facts->target_vocab, "an id", "of the end token");
    for (size_t i = 0; i < facts->target_vocab && i < 300; i++) {
        const char *piece = tokenizer_target_piece(tokenizer, (int32_t)i);
        const int32_t id = tokenizer_find_target(tokenizer, piece, strlen(piece));
        require(id < 0 || strcmp(tokenizer_target_piece(tokenizer, id), piece) == 0, "the piece of its id", piece);
        (void)tokenizer_target_is_special(tokenizer, (int32_t)i);
    }
}

static void check_views(Tokenizer *tokenizer, const char *text, size_t length)
{
    for (size_t i = 0; i < tokenizer_facts(tokenizer)->language_count && i < 4; i++) {
        const char *language = tokenizer_facts(tokenizer)->languages[i].name;
        Tokenizer *view;
        Err err = { "" };
        if (tokenizer_view_new(&view, tokenizer, language, &err) != OK) continue;
        (void)check_text(view, text, length, &err);
        tokenizer_view_free(view);
    }
}

static void check_tokenizer(Tokenizer *tokenizer, const Buf *input)
{
    const char *text = input->data ? input->data : "";
    char *copy = fuzz_copy(text, input->len);
    Err missing = { "" }, err = { "" };

    if (tokenizer_check_text(tokenizer, &err) == OK) {
        const Status languages = tokenizer_check_languages(tokenizer, &missing);
        const Status st = check_text(tokenizer, copy, input->len, &err);
        require(st == OK || st == ERR_USAGE, "wrong usage", err.text);
        require(languages == OK || st == languages, "a missing language", missing.text);
    } else {
        require(!strpbrk(err.text, "\n\r\x1b"), "one line", err.text);
    }
    check_pieces(tokenizer, copy, input->len);
    check_facts(tokenizer);
    check_views(tokenizer, copy, input->len);
    free(copy);
}

static Status open_tokenizer(Tokenizer **out, const Input *input, const char *path, Err *err)
{
    ModelFolder *folder;
    Status st = model_folder_open(&folder, path, err);

    *out = NULL;
    if (st != OK) return st;
    st = tokenizer_open(out, folder, input->words[0], *input->words[1] ? input->words[1] : NULL,
                        *input->words[2] ? input->words[2] : NULL, NULL, err);
    model_folder_close(folder);
    return st;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char *folder;
    Tokenizer *tokenizer;
    Input input;
    Err err = { "" };
    Status st;

    if (!folder) folder = fuzz_folder_new();
    read_input(&input, folder, (const char *)data, (const char *)data + size);
    st = open_tokenizer(&tokenizer, &input, folder, &err);
    if (st == OK)
        check_tokenizer(tokenizer, &input.text);
    else if (st == ERR_FORMAT)
        require(strncmp(err.text, folder, strlen(folder)) == 0, "the path in the message", err.text);
    require(!strpbrk(err.text, "\n\r\x1b"), "one line", err.text);
    tokenizer_free(tokenizer);
    input_free(&input, folder);
    return 0;
}
