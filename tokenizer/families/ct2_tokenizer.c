/* ct2_tokenizer.c - the vocabularies of CTranslate2 folders. The id of a token is its position in shared_vocabulary,
 * or in source_vocabulary and target_vocabulary: *.json (a list) or *.txt (one token per line). CTranslate2 itself
 * takes pieces; dragoman encodes texts with the SentencePiece models that users keep beside them:
 *     source: [start] pieces [end]    as add_source_bos and add_source_eos say
 * The program quickmt adds the end token to each text; its folders are recognized by their file names.
 * Models converted from transformers expect the special tokens of their tokenizers, which these flags do not
 * describe. Such a model is recognized by its vocabulary:
 *     </s> or <pad> has id 0, or <unk> has
 *     id 0 and starts the decoder
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

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ct2_tokens.h"
#include "json.h"
#include "language.h"
#include "path.h"
#include "tree_file.h"

/* Adds a token. A token that is already in the vocabulary keeps its first id; the new position becomes a second id. */
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
    Status st = tree_file_parse(&list, &file->map, file->path, TREE_JSON_LIST, NULL, err);

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
static Status read_lines(Vocab *vocab, const FileView *file, size_t *count, Err *err)
{
    const char *text = (const char *)file->map.data, *end = text ? text + file->map.size : NULL, *stop;
    bool returns = true;
    Status st = OK;

    for (const char *at = text; returns && at < end; at = stop + 1) {
        stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) stop = end;
        returns = stop > at && stop[-1] == '\r';
    }
    for (; st == OK && text < end; text = stop + 1) {
        stop = memchr(text, '\n', (size_t)(end - text));
        if (!stop) stop = end;
        st = add_token(vocab, text, (size_t)(stop - text) - returns, (*count)++, err);
    }
    return st;
}

/* Opens the list `name`; *out stays NULL if there is none. Appends the unknown token unless the list has it. */
static void open_list(Opening *o, Vocab **out, const char *name, const char *unk)
{
    static const char *const ends[] = { ".json", ".txt" };

    for (size_t i = 0; o->status == OK && !*out && i < 2; i++) {
        char full[40];
        FileView file;
        size_t count = 0;
        snprintf(full, sizeof full, "%s%s", name, ends[i]);
        if (!model_folder_has(o->folder, full)) continue;
        o->status = model_folder_read(o->folder, full, &file, o->err);
        if (o->status == OK) o->status = vocab_new(out, file.path, o->err);
        if (o->status == OK) o->status = (i == 0 ? read_json_list : read_lines)(*out, &file, &count, o->err);
        if (o->status == OK && vocab_id(*out, unk, strlen(unk)) < 0)
            o->status = add_token(*out, unk, strlen(unk), count, o->err);
        if (o->status == OK) o->status = vocab_complete(*out, false, o->err);
    }
}

static void open_lists(Opening *o, const char *unk)
{
    Tokenizer *t = o->tokenizer;

    open_list(o, &t->source, "shared_vocabulary", unk);
    if (o->status != OK || t->source) {
        t->target = t->source;
        return;
    }
    open_list(o, &t->source, "source_vocabulary", unk);
    open_list(o, &t->target, "target_vocabulary", unk);
    if (o->status == OK && !(t->source && t->target))
        o->status = err_set(o->err, ERR_IO, "%s: no %s_vocabulary.json or .txt", model_folder_path(o->folder),
                            t->source ? "target" : "source");
}

/* Opens a SentencePiece model. Older packages of Argos Translate have subword-nmt codes there, which are rejected. */
static void open_pieces(Opening *o, SpModel **out, const char *path)
{
    static const char head[] = "#version";
    FileView file;

    if (o->status == OK) o->status = model_folder_read_path(o->folder, path, &file, o->err);
    if (o->status != OK) return;
    if (file.map.size >= sizeof head && memcmp(file.map.data, head, sizeof head - 1) == 0)
        o->status = err_set(o->err, ERR_UNSUPPORTED,
                            "%s: this model needs the Moses tokenizer and these subword-nmt codes, which are not "
                            "supported",
                            file.path);
    else
        o->status = sp_shim_open(out, &file, o->err);
}

/* Opens the SentencePiece models of both sides if the files exist. */
static void open_pair(Opening *o, const char *source, const char *target)
{
    Tokenizer *t = o->tokenizer;

    if (!model_folder_has_path(o->folder, source) || !model_folder_has_path(o->folder, target)) return;
    open_pieces(o, &t->source_sp, source);
    if (strcmp(source, target) != 0)
        open_pieces(o, &t->target_sp, target);
    else
        t->target_sp = t->source_sp;
}

/* Looks for SentencePiece models in the folder, then in the package that contains it. Without one, texts are split into
 * words; sets `cannot_tokenize` if the vocabulary has subword pieces instead. Sets *adds_end if the models have the
 * file names of quickmt. */
static void open_models(Opening *o, bool *adds_end)
{
    const char *const roots[] = { model_folder_path(o->folder), model_folder_package(o->folder) };
    Tokenizer *t = o->tokenizer;
    Buf text = { 0 };

    for (size_t i = 0; i < 2 && roots[i]; i++)
        for (const Ct2SpNames *names = ct2_sp_names; o->status == OK && !t->source_sp && names->source; names++) {
            char *source = path_join(roots[i], names->source);
            char *target = path_join(roots[i], names->target ? names->target : names->source);
            if (source && target)
                open_pair(o, source, target);
            else
                o->status = err_memory(o->err, "a path");
            *adds_end = t->source_sp && names->adds_end;
            free(source);
            free(target);
        }
    if (o->status != OK || t->source_sp || !vocab_has_pieces(t->source)) return;
    const bool bytes = vocab_is_byte_level(t->source);
    buf_put_format(&text,
                   bytes ? "%s: byte-level BPE is not supported in folders of CTranslate2: open the folder of "
                           "transformers that this one was converted from, or give pieces (" SETTING(PIECES_IN) ")"
                         : "%s: no SentencePiece model to split text into pieces: add the one of the model, or give "
                           "pieces (" SETTING(PIECES_IN) "); looked for ",
                   model_folder_path(o->folder));
    for (const Ct2SpNames *names = ct2_sp_names; !bytes && names->source; names++)
        buf_put_format(&text, "%s%s%s%s", names == ct2_sp_names ? "" : ", ", names->source,
                       names->target ? " and " : "", names->target ? names->target : "");
    t->cannot_tokenize = text.data;
    o->status = buf_check(&text, o->err);
}

/* Reads the metadata of an Argos package. The file is beside the folder, or in it once the model is packed. */
static void read_metadata(Opening *o)
{
    Tokenizer *t = o->tokenizer;
    const char *package = model_folder_package(o->folder), *from = NULL, *to = NULL, *first = NULL;
    char *path = path_join(package ? package : model_folder_path(o->folder), "metadata.json");
    JsonReader r = { { NULL, "" }, o->err, o->status };

    if (r.st == OK && !path) r.st = err_memory(o->err, "a file name");
    if (r.st == OK && model_folder_has_path(o->folder, path))
        r.st = model_folder_json_path(o->folder, path, &r.json, o->err);
    json_read_string(&r, "from_code", &from);
    json_read_string(&r, "to_code", &to);
    json_read_string(&r, "target_prefix", &first);
    free(path);
    o->status = r.st;
    template_copy_text(o, &t->config.source_lang, from);
    template_copy_text(o, &t->config.target_lang, to);
    if (o->status != OK || !first) return;
    if (*first) template_find_token(o, t->target, first, "first", &t->facts.forced_bos);
    vocab_mark_special(t->target, first);
}

/* Marks the special tokens: text never becomes one, and a translation's text leaves them out. */
static void mark(Tokenizer *tokenizer, const Ct2Tokens *tokens)
{
    const char *const specials[] = { tokens->bos, tokens->eos, "<pad>", "<blank>" };

    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++) {
        vocab_mark_special(tokenizer->source, specials[i]);
        vocab_mark_special(tokenizer->target, specials[i]);
    }
    for (size_t i = 0; i < tokenizer->facts.language_count; i++) {
        const TokenizerLanguage *language = &tokenizer->facts.languages[i];
        const VocabEntry *entry = vocab_entry(tokenizer->source, language->id);

        /* If the language's token is a piece of the SentencePiece model (T5's vocabulary has the ids of the pieces), a
         * text may contain it, so it is not special. */
        if (language->prefix && tokenizer->source_sp &&
            strcmp(sp_shim_piece(tokenizer->source_sp, (size_t)language->id), entry->piece) == 0)
            continue;
        vocab_mark_special(tokenizer->source, entry->piece);
        vocab_mark_special(tokenizer->target, entry->piece);
    }
}

static void add_special_tokens(Opening *o, const Ct2Tokens *tokens, bool adds_end)
{
    static const char *const marks[] = { "__", "", "" };
    const char *const codes[] = { language_codes_m2m100, language_codes_nllb, language_codes_mbart50 };
    Tokenizer *t = o->tokenizer;
    TokenizerFacts *facts = &t->facts;
    const int32_t eos = vocab_id(t->source, tokens->eos, strlen(tokens->eos));
    const bool made_from_transformers =
        eos == 0 || vocab_id(t->source, "<pad>", 5) >= 0 || (tokens->start && strcmp(tokens->start, tokens->unk) == 0);

    if (!t->config.target_lang) { /* A package has one language pair. */
        /* Languages count only if both sides share the vocabulary: otherwise the source may lack the end token. */
        for (size_t i = 0; t->source == t->target && !facts->language_count && i < 3; i++)
            template_add_codes(o, codes[i], marks[i]);
        facts->chooses_source = facts->language_count > 0;
    }
    /* The end token is appended only once, although models converted from fairseq also ask for it by add_source_eos.
     * [from] is before or after the pieces. */
    if (facts->language_count) {
        const bool source_last = facts->decoder_start < 0;
        template_choose(o);
        LIST_PUT(&t->after, eos);
        if (m2m_is_small100(o)) {
            m2m_place_small100(o);
        } else {
            template_place_source(o, source_last ? SOURCE_AFTER : SOURCE_BEFORE);
            (source_last ? template_start_target : template_force_target)(o);
        }
        return;
    }
    if (made_from_transformers) t5_choose_piece(o);
    /* Of the converted models, only T5, mT5 and UMT5 start the decoder with the padding token. The prefixes of T5's
     * tasks are in the config.json of its original folder, which a conversion replaces. A source language selects no
     * task; the user may name it, because it selects the rules that find sentences. */
    if (o->status == OK && !facts->language_count) {
        if (!tokens->start || strcmp(tokens->start, "<pad>") != 0)
            marian_choose_code(o);
        else if (o->to)
            o->status = err_set(o->err, ERR_USAGE,
                                SETTING(TO) " %s: CTranslate2 folders of T5 name no languages: a task of T5 is chosen "
                                            "by its prefix in each line, as in \"translate English to German: \"",
                                o->to);
    }
    if (o->status == OK) o->status = ids_append_all(&t->before, t->pieces_before.data, t->pieces_before.len, o->err);
    if (eos >= 0 && (adds_end || tokens->source_eos || made_from_transformers)) LIST_PUT(&t->after, eos);
}

void ct2_open_tokenizer(Opening *o)
{
    Tokenizer *t = o->tokenizer;
    TokenizerFacts *facts = &t->facts;
    Ct2Tokens tokens;
    int32_t bos = -1, eos = -1;
    bool adds_end = false;

    o->status = ct2_tokens_read(&tokens, o->folder, o->err);
    if (o->status != OK) return;
    open_lists(o, tokens.unk);
    template_find_token(o, t->source, tokens.unk, "unknown", &facts->source_unknown);
    template_find_token(o, t->target, tokens.unk, "unknown", &facts->target_unknown);
    template_find_token(o, t->target, tokens.eos, "end", &facts->target_end);
    if (tokens.start) template_find_token(o, t->target, tokens.start, "start", &facts->decoder_start);
    if (o->status != OK) return;
    t->eos = tokens.source_eos ? vocab_id(t->source, tokens.eos, strlen(tokens.eos)) : -1;
    template_copy_text(o, &t->config.unk, tokens.unk);
    template_copy_text(o, &t->config.eos, tokens.eos);
    open_models(o, &adds_end);
    read_metadata(o);
    /* The special tokens that CTranslate2 itself adds to pieces. */
    facts->pieces_are_complete = true;
    if (tokens.source_bos) template_find_token(o, t->source, tokens.bos, "start", &bos);
    if (tokens.source_eos) template_find_token(o, t->source, tokens.eos, "end", &eos);
    if (o->status != OK) return;
    if (bos >= 0) LIST_PUT(&t->pieces_before, bos);
    if (eos >= 0) LIST_PUT(&t->pieces_after, eos);
    t->decode = t->target_sp ? DECODE_PLAIN : DECODE_WORDS;
    t->own_specials = true;
    add_special_tokens(o, &tokens, adds_end);
    if (o->status == OK) mark(t, &tokens);
    if (!t->source_sp) { /* without a model, text input already contains all tokens */
        t->missing_language = NULL;
        t->needs_prefix = false;
    }
}
