/* fake_tokenizer.c - see fake_engine.h. */
#include "fake_engine.h"

struct Tokenizer {
    char pieces[FAKE_END + 1][16];
};

size_t fake_source_vocab = FAKE_END + 1, fake_target_vocab = FAKE_END + 1;
bool fake_no_language;
int32_t fake_decoder_start = -1, fake_forced_bos = -1;
int32_t fake_unknown = -1;

Status tokenizer_open_files(Tokenizer **out, ModelFolder *folder, const char *source, const char *target,
                            const char *from, const char *to, Err *err)
{
    (void)folder, (void)source, (void)target, (void)from, (void)to;
    *out = NULL;
    return err_set(err, ERR_UNSUPPORTED, "no files");
}

Status tokenizer_open(Tokenizer **out, ModelFolder *folder, const char *model_type, const char *from, const char *to,
                      const char *prompt, Err *err)
{
    Tokenizer *t = calloc(1, sizeof *t);

    (void)folder, (void)from, (void)prompt;
    assert_non_null(t);
    assert_string_equal(model_type, "fake");
    *out = NULL;
    if (to) {
        free(t);
        return err_set(err, ERR_USAGE, "no such language: %s", to);
    }
    for (int id = 0; id < FAKE_END; id++)
        snprintf(t->pieces[id], sizeof t->pieces[id], "\xe2\x96\x81%d%s", id % 1000, id < 1000 ? "" : ".");
    for (int i = 1; i < 10; i++) snprintf(t->pieces[FAKE_NAMES + i], sizeof t->pieces[0], "\xe2\x96\x81X%d", i);
    strcpy(t->pieces[FAKE_END], "</s>");
    *out = t;
    return OK;
}

Status tokenizer_put_prompt(const Tokenizer *tokenizer, cJSON *config, Err *err)
{
    (void)tokenizer, (void)config, (void)err;
    return OK;
}

const char *tokenizer_target_title(const Tokenizer *tokenizer)
{
    (void)tokenizer;
    return NULL;
}

/* The tests may change what the tokenizer answers while it is open. */
const TokenizerFacts *tokenizer_facts(const Tokenizer *tokenizer)
{
    static char names[][4] = { "deu", "fra" };
    static TokenizerLanguage languages[] = { { .name = names[0] }, { .name = names[1] } };
    static _Thread_local TokenizerFacts facts;

    (void)tokenizer;
    facts = (TokenizerFacts){ .source_vocab = fake_source_vocab,
                              .target_vocab = fake_target_vocab,
                              .source_unknown = -1,
                              .target_unknown = fake_unknown,
                              .decoder_start = fake_decoder_start,
                              .forced_bos = fake_forced_bos,
                              .model_max_length = 40,
                              .languages = languages,
                              .language_count = 2 };
    return &facts;
}

void tokenizer_free(Tokenizer *tokenizer)
{
    free(tokenizer);
}

void encoding_free(Encoding *encoding)
{
    ids_free(&encoding->ids);
}

/* Skips words that are not numbers. `ranges` receives the bytes of each word; NULL: not asked for. */
static Status fake_body(const char *text, size_t len, IdList *out, RangeList *ranges, Err *err)
{
    char *copy = malloc(len + 1), *rest = NULL;
    Status st = OK;

    assert_non_null(copy);
    memcpy(copy, text, len);
    copy[len] = '\0';
    for (char *word = strtok_r(copy, " ", &rest); st == OK && word; word = strtok_r(NULL, " ", &rest)) {
        const size_t begin = (size_t)(word - copy);
        char *end;
        long id = strtol(word, &end, 10);
        if (word[0] == 'X' && word[1] > '0' && word[1] <= '9' && !word[2]) {
            id = FAKE_NAMES + word[1] - '0';
            end = word + 2;
        }
        if (end == word) continue;
        st = ids_append(out, (int32_t)(*end == '.' ? id + 1000 : id), err);
        if (st == OK && ranges) st = ranges_append(ranges, (Range){ begin, begin + strlen(word) }, 1, err);
    }
    free(copy);
    return st;
}

Status tokenizer_encode(const Tokenizer *tokenizer, const char *text, size_t len, Encoding *out, Err *err)
{
    Status st;

    (void)tokenizer;
    ids_clear(&out->ids);
    if (out->ranges) ranges_clear(out->ranges);
    st = fake_body(text, len, &out->ids, out->ranges, err);
    out->body = 0;
    out->pieces = out->ids.len;
    if (st == OK && out->ranges) st = ranges_append(out->ranges, (Range){ len, len }, 1, err);
    return st == OK ? ids_append(&out->ids, FAKE_END, err) : st;
}

Status tokenizer_encode_pieces(const Tokenizer *tokenizer, const char *text, size_t len, Encoding *out, Err *err)
{
    return tokenizer_encode(tokenizer, text, len, out, err);
}

Status tokenizer_encode_part(const Encoding *whole, size_t first, size_t count, IdList *out, Err *err)
{
    Status st;

    assert_true(first <= whole->pieces && count <= whole->pieces - first);
    st = ids_append_all(out, whole->ids.data + whole->body + first, count, err);
    return st == OK ? ids_append(out, FAKE_END, err) : st;
}

bool tokenizer_source_is_special(const Tokenizer *tokenizer, int32_t id)
{
    (void)tokenizer;
    return id == FAKE_END;
}

const char *tokenizer_source_piece(const Tokenizer *tokenizer, int32_t id)
{
    return tokenizer->pieces[id];
}

const char *tokenizer_source_spelling(const Tokenizer *tokenizer, int32_t id)
{
    return tokenizer->pieces[id];
}

const char *tokenizer_target_spelling(const Tokenizer *tokenizer, int32_t id)
{
    return tokenizer->pieces[id];
}

Status tokenizer_encode_target(const Tokenizer *tokenizer, const char *text, size_t len, bool pieces, IdList *out,
                               Err *err)
{
    (void)tokenizer, (void)pieces;
    return fake_body(text, len, out, NULL, err);
}

Status tokenizer_encode_translation(const Tokenizer *tokenizer, const char *text, size_t len, bool pieces,
                                    Encoding *out, Err *err)
{
    (void)tokenizer, (void)pieces;
    return fake_body(text, len, &out->ids, out->ranges, err);
}

bool tokenizer_target_is_special(const Tokenizer *tokenizer, int32_t id)
{
    (void)tokenizer;
    return id == FAKE_END;
}

const char *tokenizer_target_piece(const Tokenizer *tokenizer, int32_t id)
{
    return tokenizer->pieces[id];
}

/* A word's range begins at the space before it. */
Status tokenizer_decode(const Tokenizer *tokenizer, const int32_t *ids, size_t count, Buf *out, Range *ranges, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < count; i++) {
        const size_t begin = out->len;
        if (ids[i] != FAKE_END) buf_put_format(out, "%s%s", out->len ? " " : "", tokenizer->pieces[ids[i]] + 3);
        if (st == OK) st = buf_check(out, err);
        if (ranges) ranges[i] = (Range){ begin, out->len };
    }
    return st;
}

Status tokenizer_decode_replaced(const Tokenizer *tokenizer, const int32_t *ids, size_t count, const Buf *replaced,
                                 Buf *out, Range *ranges, Err *err)
{
    (void)replaced;
    return tokenizer_decode(tokenizer, ids, count, out, ranges, err);
}

Status tokenizer_check_languages(const Tokenizer *tokenizer, Err *err)
{
    (void)tokenizer;
    return fake_no_language ? err_set(err, ERR_USAGE, "no language") : OK;
}

Status tokenizer_check_text(const Tokenizer *tokenizer, Err *err)
{
    (void)tokenizer, (void)err;
    return OK;
}

Status tokenizer_check_added(const Tokenizer *tokenizer, const char *folder, size_t rows, Err *err)
{
    (void)tokenizer, (void)folder, (void)rows, (void)err;
    return OK;
}

Status tokenizer_set_source(Tokenizer *tokenizer, const char *language, Err *err)
{
    (void)tokenizer;
    return err_set(err, ERR_USAGE, "--from %s: no choice", language);
}

Status tokenizer_view_new(Tokenizer **out, const Tokenizer *tokenizer, const char *language, Err *err)
{
    *out = NULL;
    return tokenizer_set_source((Tokenizer *)tokenizer, language, err);
}

void tokenizer_view_free(Tokenizer *view)
{
    (void)view;
}

const char *tokenizer_source_language(const Tokenizer *tokenizer)
{
    (void)tokenizer;
    return "eng";
}

const char *tokenizer_target_language(const Tokenizer *tokenizer)
{
    (void)tokenizer;
    return NULL;
}

int32_t tokenizer_find_source(const Tokenizer *tokenizer, const char *piece, size_t len)
{
    (void)tokenizer, (void)piece, (void)len;
    return -1;
}

int32_t tokenizer_find_target(const Tokenizer *tokenizer, const char *piece, size_t len)
{
    return tokenizer_find_source(tokenizer, piece, len);
}

/* A request is "7> ", with any digit; the word is encoded as other words are. */
size_t tokenizer_language_length(const Tokenizer *tokenizer, const char *text, size_t len)
{
    (void)tokenizer;
    return len > 3 && text[1] == '>' && text[2] == ' ' ? 3 : 0;
}

Status tokenizer_target_append(const Tokenizer *tokenizer, int32_t id, Buf *out, Err *err)
{
    buf_put_text(out, tokenizer_target_piece(tokenizer, id));
    return buf_check(out, err);
}

int32_t tokenizer_target_byte(const Tokenizer *tokenizer, unsigned char byte)
{
    (void)tokenizer, (void)byte;
    return -1;
}

Status tokenizer_word_cost(const Tokenizer *tokenizer, bool target, const char *word, size_t len, float *cost, Err *err)
{
    (void)tokenizer, (void)target, (void)word, (void)len, (void)err;
    *cost = 0;
    return OK;
}
