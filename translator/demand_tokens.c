/* demand_tokens.c - see demand_tokens.h. */
#include "demand_tokens.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include "sp_shim.h"
#include "spelling.h"
#include "text.h"
#include "utf8.h"

/* A character before which no text is joined to a word, in scripts without spaces. */
#define JOINT "\xe3\x80\x82"

struct DemandTokens {
    const Tokenizer *tokenizer;
    size_t vocab;
    pthread_mutex_t lock;
    unsigned char *continuing; /* [vocab]; NULL: not read yet */
};

Status demand_tokens_new(DemandTokens **out, const Tokenizer *tokenizer, size_t vocab, Err *err)
{
    DemandTokens *tokens = calloc(1, sizeof *tokens);

    *out = tokens;
    if (!tokens) return err_memory(err, "the translator");
    tokens->tokenizer = tokenizer;
    tokens->vocab = vocab;
    pthread_mutex_init(&tokens->lock, NULL);
    return OK;
}

void demand_tokens_free(DemandTokens *tokens)
{
    if (!tokens) return;
    pthread_mutex_destroy(&tokens->lock);
    free(tokens->continuing);
    free(tokens);
}

bool demand_tokens_is_unspaced(uint32_t code)
{
    UErrorCode fault = U_ZERO_ERROR;

    switch (uscript_getScript((UChar32)code, &fault)) {
    case USCRIPT_HAN:
    case USCRIPT_HIRAGANA:
    case USCRIPT_KATAKANA:
    case USCRIPT_THAI:
    case USCRIPT_LAO:
    case USCRIPT_KHMER:
    case USCRIPT_MYANMAR:
        return U_SUCCESS(fault);
    default:
        return false;
    }
}

static bool continues(const char *piece)
{
    uint32_t code;

    if (!*piece || *piece == '<' || text_begins_with(piece, SP_SPACE)) return false;
    (void)utf8_next(piece, strlen(piece), &code);
    return code != UTF8_INVALID && u_isalnum((UChar32)code) && !demand_tokens_is_unspaced(code);
}

/* In a vocabulary without the mark, tokens are words. */
static bool marks_spaces(const DemandTokens *tokens)
{
    for (size_t i = 0; i < tokens->vocab; i++)
        if (text_begins_with(tokenizer_target_piece(tokens->tokenizer, (int32_t)i), SP_SPACE)) return true;
    return false;
}

static unsigned char *read_continuing(const DemandTokens *tokens)
{
    unsigned char *continuing = calloc(tokens->vocab + 1, 1);

    if (!continuing || !marks_spaces(tokens)) return continuing;
    for (size_t i = 0; i < tokens->vocab; i++)
        continuing[i] = !tokenizer_target_is_special(tokens->tokenizer, (int32_t)i) &&
                        continues(tokenizer_target_piece(tokens->tokenizer, (int32_t)i));
    return continuing;
}

const unsigned char *demand_tokens_continuing(DemandTokens *tokens)
{
    const unsigned char *continuing;

    pthread_mutex_lock(&tokens->lock);
    if (!tokens->continuing) tokens->continuing = read_continuing(tokens);
    continuing = tokens->continuing;
    pthread_mutex_unlock(&tokens->lock);
    return continuing;
}

static Status encode(const DemandTokens *tokens, const char *text, size_t length, Encoding *out, Err *err)
{
    return tokenizer_encode_translation(tokens->tokenizer, text, length, false, out, err);
}

/* A text and its pieces: those of `encoding` from the piece `skipped` on. */
typedef struct {
    const char *text;
    size_t length;
    const Encoding *encoding;
    size_t skipped;
} TextPieces;

static Status append_pieces(const DemandTokens *tokens, const TextPieces *pieces, IdList *out, Err *err)
{
    const int32_t unknown = tokenizer_target_unknown(tokens->tokenizer);
    const size_t count = pieces->encoding->pieces - pieces->skipped;
    const int32_t *ids;
    bool is_spelled;
    Status st;

    if (!count) return OK;
    ids = pieces->encoding->ids.data + pieces->encoding->body + pieces->skipped;
    for (size_t i = 0; i < count; i++)
        if (ids[i] == unknown || ids[i] < 0 || (size_t)ids[i] >= tokens->vocab) return OK;
    st = spelling_check(&is_spelled, tokens->tokenizer, ids, count, pieces->text, pieces->length, err);
    return st == OK && is_spelled ? ids_append_all(out, ids, count, err) : st;
}

/* Encodes the text after a full stop, whose pieces are left out. */
static Status encode_joined(const DemandTokens *tokens, const char *text, size_t length, IdList *out, Err *err)
{
    static const size_t joint = sizeof JOINT - 1;
    Encoding alone = { 0 }, both = { 0 };
    Buf joined = { 0 };
    Status st = buf_append(&joined, JOINT, joint, err);

    if (st == OK) st = buf_append(&joined, text, length, err);
    if (st == OK) st = encode(tokens, JOINT, joint, &alone, err);
    if (st == OK) st = encode(tokens, joined.data, joined.len, &both, err);
    if (st == OK && both.pieces > alone.pieces &&
        memcmp(both.ids.data + both.body, alone.ids.data + alone.body, alone.pieces * sizeof(int32_t)) == 0)
        st = append_pieces(tokens, &(TextPieces){ text, length, &both, alone.pieces }, out, err);
    encoding_free(&alone);
    encoding_free(&both);
    buf_free(&joined);
    return st;
}

Status demand_tokens_encode(const DemandTokens *tokens, const char *text, size_t length, bool joined, IdList *out,
                            Err *err)
{
    Encoding whole = { 0 };
    Status st;

    if (joined) return encode_joined(tokens, text, length, out, err);
    st = encode(tokens, text, length, &whole, err);
    if (st == OK) st = append_pieces(tokens, &(TextPieces){ text, length, &whole, 0 }, out, err);
    encoding_free(&whole);
    return st;
}
