/* ct2_tokenizer.c - the vocabularies of CTranslate2 folders. The id of a token is its position in shared_vocabulary,
 * or in source_vocabulary and target_vocabulary: *.json (a list) or *.txt (one token per line). CTranslate2 itself
 * takes pieces; dragoman encodes texts with the SentencePiece models that users keep beside them:
 *     source: [start] pieces [end]    as add_source_bos and add_source_eos say
 * The program quickmt adds the end token to each text; its folders are recognized by their file names.
 * Models converted from transformers expect the special tokens of their tokenizers, which these flags do not
 * describe. Such a model is recognized by its vocabulary:
 *     </s> has id 0, or <pad> has it, or <unk>
 *     has it and starts the decoder
 *     (MADLAD-400)                        [<2to> or >>to<<] pieces </s>
 *     __en__ (M2M100), eng_Latn (NLLB),
 *     en_XX (mBART-50)                    [from] pieces </s>, translation begins with [to]
 *     __en__ with the tokenizer files of
 *     SMaLL-100                           [to] pieces </s>
 *     en_XX without a start token
 *     (mBART-25)                          pieces </s> [from], decoder starts with [to]
 * Piece input, and all input without a SentencePiece model, gets only the tokens that the flags ask for, as in
 * CTranslate2. */
#include "template.h"

#include <stdlib.h>
#include <string.h>

#include "ct2_tokens.h"
#include "json.h"
#include "language.h"
#include "path.h"
#include "tree_file.h"

/* A token that the vocabulary already has keeps its first id; the later position remains a second id. */
static Status add_token(Vocab *vocab, const char *token, size_t len, size_t id, Err *err)
{
    int32_t first = vocab_id(vocab, token, len);

    if (id > VOCAB_MAX_ID) return err_set(err, ERR_FORMAT, "%s: more than %d tokens", vocab_path(vocab), VOCAB_MAX_ID);
    return first >= 0 ? vocab_add_second_id(vocab, (size_t)first, (int32_t)id, err)
                      : vocab_add(vocab, token, len, (int32_t)id, err);
}

static Status read_json_list(Vocab *vocab, const FileView *file, size_t *count, Err *err)
{
    cJSON *list = NULL, *item;
    Status st = tree_file_parse_list(&list, &file->map, file->path, err);

    cJSON_ArrayForEach(item, list)
    {
        if (st == OK && !cJSON_IsString(item))
            st = err_set(err, ERR_FORMAT, "%s: entry %zu is not a string", file->path, *count);
        if (st == OK) st = add_token(vocab, item->valuestring, strlen(item->valuestring), (*count)++, err);
    }
    cJSON_Delete(list);
    return st;
}

/* Carriage returns are part of the tokens unless every line ends with one. */
static bool all_lines_have_returns(const char *text, const char *end)
{
    for (const char *stop; text < end; text = stop + 1) {
        stop = memchr(text, '\n', (size_t)(end - text));
        if (!stop) stop = end;
        if (stop == text || stop[-1] != '\r') return false;
    }
    return true;
}

static Status read_lines(Vocab *vocab, const FileView *file, size_t *count, Err *err)
{
    const char *text = (const char *)file->map.data, *end;
    size_t return_len;
    Status st = OK;

    if (!file->map.size) return OK;
    end = text + file->map.size;
    return_len = all_lines_have_returns(text, end);
    for (const char *stop; st == OK && text < end; text = stop + 1) {
        stop = memchr(text, '\n', (size_t)(end - text));
        if (!stop) stop = end;
        st = add_token(vocab, text, (size_t)(stop - text) - return_len, (*count)++, err);
    }
    return st;
}

/* Leaves *out NULL if there is no such list. The unknown token is appended unless the list has it. */
static Status open_list(Vocab **out, ModelFolder *folder, const char *name, const char *unk, Err *err)
{
    static const char *const ends[] = { ".json", ".txt" };
    Buf full = { 0 };
    FileView file;
    size_t count = 0;
    Status st = OK;

    for (size_t i = 0; st == OK && !*out && i < 2; i++) {
        buf_clear(&full);
        buf_put_format(&full, "%s%s", name, ends[i]);
        st = buf_check(&full, err);
        if (st != OK || !model_folder_has(folder, full.data)) continue;
        st = model_folder_read(folder, full.data, &file, err);
        if (st == OK) st = vocab_new(out, file.path, err);
        if (st == OK) st = (i == 0 ? read_json_list : read_lines)(*out, &file, &count, err);
        if (st == OK && vocab_id(*out, unk, strlen(unk)) < 0) st = add_token(*out, unk, strlen(unk), count, err);
        if (st == OK) st = vocab_complete(*out, err);
    }
    buf_free(&full);
    return st;
}

static Status open_lists(Tokenizer *tokenizer, ModelFolder *folder, const char *unk, Err *err)
{
    Status st = open_list(&tokenizer->source, folder, "shared_vocabulary", unk, err);

    if (st != OK) return st;
    if (tokenizer->source) {
        tokenizer->target = tokenizer->source;
        return OK;
    }
    st = open_list(&tokenizer->source, folder, "source_vocabulary", unk, err);
    if (st == OK) st = open_list(&tokenizer->target, folder, "target_vocabulary", unk, err);
    if (st != OK || (tokenizer->source && tokenizer->target)) return st;
    return err_set(err, ERR_IO, "%s: no %s_vocabulary.json or .txt", model_folder_path(folder),
                   tokenizer->source ? "target" : "source");
}

/* Rejects the codes of Argos Translate's older packages. */
static Status open_pieces(SpModel **out, ModelFolder *folder, const char *path, Err *err)
{
    static const char head[] = "#version";
    FileView file;
    Status st = model_folder_read_path(folder, path, &file, err);

    if (st == OK && file.map.size >= sizeof head && memcmp(file.map.data, head, sizeof head - 1) == 0)
        st = err_set(err, ERR_UNSUPPORTED,
                     "%s: this model needs the Moses tokenizer and these subword-nmt codes, which are not supported",
                     file.path);
    return st == OK ? sp_shim_open(out, &file, err) : st;
}

static Status open_pair(Tokenizer *tokenizer, ModelFolder *folder, const char *source, const char *target, Err *err)
{
    Status st;

    if (!model_folder_has_path(folder, source) || !model_folder_has_path(folder, target)) return OK;
    st = open_pieces(&tokenizer->source_sp, folder, source, err);
    if (st == OK && strcmp(source, target) != 0) return open_pieces(&tokenizer->target_sp, folder, target, err);
    tokenizer->target_sp = tokenizer->source_sp;
    return st;
}

/* Without a SentencePiece model, texts are split into words. Sets `cannot_tokenize` if the vocabulary has subword
 * pieces instead. */
static Status explain_cannot_tokenize(Tokenizer *tokenizer, ModelFolder *folder, Err *err)
{
    Buf text = { 0 };
    Status st;

    if (tokenizer->source_sp || !vocab_has_pieces(tokenizer->source)) return OK;
    buf_put_format(&text,
                   "%s: no SentencePiece model to split text into pieces: add the one of the model, or give "
                   "pieces (" SETTING(PIECES_IN) "); looked for ",
                   model_folder_path(folder));
    st = buf_check(&text, err);
    for (const Ct2SpNames *names = ct2_sp_names; st == OK && names->source; names++)
        buf_put_format(&text, "%s%s%s%s", names == ct2_sp_names ? "" : ", ", names->source,
                       names->target ? " and " : "", names->target ? names->target : "");
    if (st == OK) st = buf_check(&text, err);
    if (st == OK)
        tokenizer->cannot_tokenize = text.data;
    else
        buf_free(&text);
    return st;
}

static Status copy_text(char **out, const char *text, Err *err)
{
    *out = strdup(text);
    return *out ? OK : err_memory(err, "a token or a language");
}

static Status copy_member(char **out, JsonObject json, const char *key, Err *err)
{
    const char *text = NULL;
    Status st = json_get_string(json, key, &text, err);

    return st == OK && text ? copy_text(out, text, err) : st;
}

/* Reads the metadata of an Argos package. The file is beside the folder, or in it once the model is packed. */
static Status read_metadata(Tokenizer *tokenizer, ModelFolder *folder, Err *err)
{
    const char *package = model_folder_package(folder), *first = NULL;
    char *path = path_join(package ? package : model_folder_path(folder), "metadata.json");
    JsonObject json = { NULL, "" };
    Status st = path ? OK : err_memory(err, "a file name");

    if (st == OK && model_folder_has_path(folder, path)) st = model_folder_json_path(folder, path, &json, err);
    if (st == OK) st = copy_member(&tokenizer->config.source_lang, json, "from_code", err);
    if (st == OK) st = copy_member(&tokenizer->config.target_lang, json, "to_code", err);
    if (st == OK) st = json_get_string(json, "target_prefix", &first, err);
    if (st == OK && first && *first)
        st = template_find_token(tokenizer->target, first, "first", &tokenizer->forced_bos, err);
    if (st == OK && first) vocab_mark_special(tokenizer->target, first);
    free(path);
    return st;
}

/* Marks the special tokens, which text never becomes and a translation's text leaves out. */
static void mark(Tokenizer *tokenizer, const Ct2Tokens *tokens)
{
    const char *const specials[] = { tokens->bos, tokens->eos, "<pad>", "<blank>" };

    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        vocab_mark_special(tokenizer->source, specials[i]);
        vocab_mark_special(tokenizer->target, specials[i]);
    }
    for (size_t i = 0; i < tokenizer->language_count; i++) {
        const Language *language = &tokenizer->languages[i];
        const VocabEntry *entry = vocab_entry(tokenizer->source, language->id);

        /* SentencePiece itself may find the language's token in a text. The ids of T5's vocabulary are those of its
         * pieces. */
        if (language->prefix && tokenizer->source_sp &&
            strcmp(sp_shim_piece(tokenizer->source_sp, (size_t)language->id), entry->piece) == 0)
            continue;
        vocab_mark_special(tokenizer->source, entry->piece);
        vocab_mark_special(tokenizer->target, entry->piece);
    }
}

/* Of the converted models, only T5, mT5 and UMT5 start the decoder with the padding token. The prefixes of T5's tasks
 * are in the config.json of its original folder, which a conversion replaces. A source language selects no task; it is
 * allowed for the rules of sentences. */
static Status choose_code(Tokenizer *tokenizer, const Ct2Tokens *tokens, LanguageChoice choice, Err *err)
{
    if (tokenizer->language_count) return OK;
    if (!tokens->start || strcmp(tokens->start, "<pad>") != 0) return marian_choose_code(tokenizer, choice, err);
    if (!choice.to) return OK;
    return err_set(err, ERR_USAGE,
                   SETTING(TO) " %s: CTranslate2 folders of T5 name no languages: a task of T5 is chosen by its prefix "
                               "in each line, as in \"translate English to German: \"",
                   choice.to);
}

static Status add_special_tokens(Tokenizer *tokenizer, ModelFolder *folder, const Ct2Tokens *tokens, bool adds_end,
                                 LanguageChoice choice, Err *err)
{
    int32_t eos = vocab_id(tokenizer->source, tokens->eos, strlen(tokens->eos));
    bool made_from_transformers = eos == 0 || vocab_id(tokenizer->source, "<pad>", 5) >= 0 ||
                                  (tokens->start && strcmp(tokens->start, tokens->unk) == 0);
    const struct {
        const char *codes, *marks;
    } kinds[] = { { language_codes_m2m100, "__" }, { language_codes_nllb, "" }, { language_codes_mbart50, "" } };
    Status st = OK;

    if (!tokenizer->config.target_lang) { /* A package has one language pair. */
        /* Languages count only if the vocabulary is shared, and thus has the end token, too. */
        const bool shared = tokenizer->source == tokenizer->target;
        for (size_t i = 0; st == OK && shared && !tokenizer->language_count && i < 3; i++)
            st = template_add_codes(tokenizer, kinds[i].codes, kinds[i].marks, err);
        tokenizer->chooses_source = tokenizer->language_count > 0;
    }
    if (st != OK) return st;
    /* Models converted from fairseq have add_source_eos, which asks for the same end token. The source's [from] is
     * before or after the pieces. */
    if (tokenizer->language_count) {
        const bool source_last = tokenizer->decoder_start < 0;
        bool small = false;
        st = template_choose(tokenizer, choice, err);
        if (st == OK) st = ids_append(&tokenizer->after, eos, err);
        if (st == OK) st = m2m_is_small100(&small, folder, err);
        if (st == OK && small) return m2m_place_small100(tokenizer, err);
        if (st == OK) st = template_place_source(tokenizer, source_last ? SOURCE_AFTER : SOURCE_BEFORE, err);
        if (st != OK) return st;
        return source_last ? template_start_target(tokenizer, folder, choice, err)
                           : template_force_target(tokenizer, folder, choice, err);
    }
    if (made_from_transformers) st = t5_choose_piece(tokenizer, choice, err);
    if (st == OK) st = choose_code(tokenizer, tokens, choice, err);
    if (st == OK)
        st = ids_append_all(&tokenizer->before, tokenizer->pieces_before.data, tokenizer->pieces_before.len, err);
    if (st == OK && eos >= 0 && (adds_end || tokens->source_eos || made_from_transformers))
        st = ids_append(&tokenizer->after, eos, err);
    return st;
}

Status ct2_open_tokenizer(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err)
{
    Ct2Tokens tokens;
    bool adds_end = false;
    Status st = ct2_tokens_read(&tokens, folder, err);

    if (st == OK) st = open_lists(tokenizer, folder, tokens.unk, err);
    if (st == OK) {
        int32_t start = -1, source_eos;
        st = template_find_token(tokenizer->source, tokens.unk, "unknown", &tokenizer->source_unk, err);
        if (st == OK) st = template_find_token(tokenizer->target, tokens.unk, "unknown", &tokenizer->target_unk, err);
        if (st == OK) st = template_find_token(tokenizer->target, tokens.eos, "end", &tokenizer->target_eos, err);
        if (st == OK && tokens.start) st = template_find_token(tokenizer->target, tokens.start, "start", &start, err);
        source_eos = vocab_id(tokenizer->source, tokens.eos, strlen(tokens.eos));
        tokenizer->decoder_start = start;
        tokenizer->eos = tokens.source_eos ? source_eos : -1;
        if (st == OK) st = copy_text(&tokenizer->config.unk, tokens.unk, err);
        if (st == OK) st = copy_text(&tokenizer->config.eos, tokens.eos, err);
    }
    /* Look in the folder, then in the package that contains it. Sets *adds_end for the names of the models. */
    if (st == OK) {
        const char *const roots[] = { model_folder_path(folder), model_folder_package(folder) };
        st = OK;
        for (size_t i = 0; i < 2 && roots[i]; i++)
            for (const Ct2SpNames *names = ct2_sp_names; st == OK && !tokenizer->source_sp && names->source; names++) {
                char *source = path_join(roots[i], names->source);
                char *target = path_join(roots[i], names->target ? names->target : names->source);
                st = source && target ? open_pair(tokenizer, folder, source, target, err) : err_memory(err, "a path");
                adds_end = tokenizer->source_sp && names->adds_end;
                free(source);
                free(target);
            }
    }
    if (st == OK) st = explain_cannot_tokenize(tokenizer, folder, err);
    if (st == OK) st = read_metadata(tokenizer, folder, err);
    /* Set the special tokens that CTranslate2 itself adds to pieces. */
    if (st == OK) {
        int32_t bos = -1, eos = -1;
        tokenizer->separate_piece_tokens = true;
        if (tokens.source_bos) st = template_find_token(tokenizer->source, tokens.bos, "start", &bos, err);
        if (st == OK && tokens.source_eos) st = template_find_token(tokenizer->source, tokens.eos, "end", &eos, err);
        if (st == OK && bos >= 0) st = ids_append(&tokenizer->pieces_before, bos, err);
        if (st == OK && eos >= 0) st = ids_append(&tokenizer->pieces_after, eos, err);
    }
    tokenizer->decode = tokenizer->target_sp ? DECODE_PLAIN : DECODE_WORDS;
    tokenizer->own_specials = true;
    if (st == OK) st = add_special_tokens(tokenizer, folder, &tokens, adds_end, choice, err);
    if (st == OK) mark(tokenizer, &tokens);
    if (!tokenizer->source_sp) { /* without a model, text input already contains all tokens */
        tokenizer->missing_language = NULL;
        tokenizer->needs_prefix = false;
    }
    return st;
}
