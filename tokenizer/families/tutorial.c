/* tutorial.c - the vocabularies of "model_type": "transformer" as config.json describes them: SentencePiece models
 * with their own ids, or word lists.
 *     source: [start] pieces [end]
 * A translation's text omits start, end and padding tokens. The unknown token appears in it, as in the tutorials. */
#include "template.h"

#include <string.h>

#include "json.h"

#define ROUNDED 64 /* rounding up adds fewer embeddings than this */

/* Files to look for if config.json names none: one for both sides, or one for each side. */
static const struct {
    const char *source, *target;
} usual_files[] = {
    { "source.spm", "target.spm" },
    { "vocab.spm", NULL },
    { "sentencepiece.model", NULL },
    { "spm.model", NULL },
    { "source_vocab.txt", "target_vocab.txt" },
    { "vocab.txt", NULL },
};

/* The special tokens of a side. */
enum { START, END, PAD, UNK, IDS };

/* Settings of config.json; -1: no such id. */
typedef struct {
    int32_t source[IDS], target[IDS];
    bool source_start, source_end;
    const char *source_file, *target_file; /* target_file is NULL if both sides share one */
} Settings;

/* Reads the plain name of a file in the same folder. */
static void read_file_name(JsonReader *r, const char *key, const char **out)
{
    json_read_string(r, key, out);
    if (*out && (!**out || strchr(*out, '/')))
        json_fault(r, ERR_FORMAT, "%s must be the plain name of a file in the same folder", key);
}

static void read_settings(JsonReader *r, Settings *out, ModelFolder *folder)
{
    static const char *const keys[IDS] = { "start_id", "end_id", "pad_id", "unk_id" };
    static const char *const source_keys[IDS] = { "source_start_id", "source_end_id", "source_pad_id",
                                                  "source_unk_id" };
    const char *both = NULL, *source = NULL, *target = NULL;

    *out = (Settings){ .target = { -1, -1, -1, -1 }, .source_start = true, .source_end = true };
    for (int i = 0; i < IDS; i++)
        if (r->st == OK && i != PAD) r->st = json_require(r->json, keys[i], r->err);
    for (int i = 0; i < IDS; i++) json_read_id(r, keys[i], 0, VOCAB_MAX_ID, &out->target[i]);
    memcpy(out->source, out->target, sizeof out->source);
    for (int i = 0; i < IDS; i++) json_read_id(r, source_keys[i], 0, VOCAB_MAX_ID, &out->source[i]);
    json_read_bool(r, "source_start", &out->source_start);
    json_read_bool(r, "source_end", &out->source_end);
    read_file_name(r, "vocab", &both);
    read_file_name(r, "source_vocab", &source);
    read_file_name(r, "target_vocab", &target);
    if (both ? source || target : !source != !target)
        json_fault(r, ERR_FORMAT, "give either vocab, or both source_vocab and target_vocab");
    out->source_file = both ? both : source;
    out->target_file = target;
    for (size_t i = 0; !out->source_file && i < sizeof usual_files / sizeof *usual_files; i++)
        if (model_folder_has(folder, usual_files[i].source)) {
            out->source_file = usual_files[i].source;
            out->target_file = usual_files[i].target;
        }
    if (r->st == OK && !out->source_file)
        r->st = err_set(r->err, ERR_IO,
                        "%s: no vocabulary: expected source.spm and target.spm, vocab.spm, sentencepiece.model, "
                        "spm.model, source_vocab.txt and target_vocab.txt, or vocab.txt, or names in config.json",
                        model_folder_path(folder));
}

static void open_side(Opening *o, SpModel **model, Vocab **vocab, const char *name)
{
    const char *dot = strrchr(name, '.');
    FileView file;

    if (o->status == OK) o->status = model_folder_read(o->folder, name, &file, o->err);
    if (o->status != OK) return;
    if (dot && (strcmp(dot, ".spm") == 0 || strcmp(dot, ".model") == 0)) {
        o->status = sp_shim_open(model, &file, o->err);
        template_list_pieces(o, vocab, *model, file.path);
    } else {
        o->status = word_list_read(vocab, &file, o->err);
    }
}

/* Refuses the vocabulary of another model. A tutorial's model has one embedding for each token; special tokens may
 * follow the tokens of the vocabulary. With a SentencePiece model, to which no empty lines can be added, the number of
 * embeddings may be rounded up to a multiple of 8. */
static void check_rows(Opening *o, const Vocab *vocab, bool is_list, const int32_t ids[IDS], JsonObject json,
                       const char *key)
{
    JsonReader r = { json, o->err, o->status };
    size_t rows = 0, used;

    json_read_size(&r, "vocab_size", 0, SIZE_MAX, &rows);
    json_read_size(&r, key, 0, SIZE_MAX, &rows);
    o->status = r.st;
    if (o->status != OK) return;
    used = vocab_lines(vocab);
    for (int i = 0; i < IDS; i++)
        if (ids[i] >= 0 && (size_t)ids[i] >= used) used = (size_t)ids[i] + 1;
    if (used < rows && (is_list || rows % 8 != 0 || rows - used >= ROUNDED))
        o->status = err_set(o->err, ERR_FORMAT, "%s: the vocabulary has %zu %s, but the model has %zu embeddings%s",
                            vocab_path(vocab), vocab_lines(vocab), is_list ? "lines" : "pieces", rows,
                            is_list ? "; if embeddings without a token follow, add an empty line for each" : "");
}

/* Sets *out, which may be NULL, to a copy of the piece with the id. */
static void copy_piece(Opening *o, char **out, const Vocab *vocab, int32_t id, const char *key)
{
    const VocabEntry *entry = o->status == OK ? vocab_entry(vocab, id) : NULL;

    if (o->status == OK && !entry)
        o->status = err_set(o->err, ERR_FORMAT, "%s: no token has the id %d, the %s of config.json", vocab_path(vocab),
                            (int)id, key);
    if (entry && out) template_copy_text(o, out, entry->piece);
}

/* Marks a special token: text never becomes it, and a translation's text leaves it out. */
static void mark(Vocab *vocab, int32_t id)
{
    const VocabEntry *entry = vocab_entry(vocab, id);

    if (entry) vocab_mark_special(vocab, entry->piece);
}

void tutorial_open_tokenizer(Opening *o)
{
    Tokenizer *t = o->tokenizer;
    Settings settings;
    const int32_t *source = settings.source, *target = settings.target;
    JsonReader r = { .err = o->err };

    o->status = model_folder_require_json(o->folder, "config.json", &r.json, o->err);
    template_reject_choice(o); /* these models do not name their languages */
    if (o->status != OK) return;
    read_settings(&r, &settings, o->folder);
    o->status = r.st;
    if (o->status != OK) return;
    open_side(o, &t->source_sp, &t->source, settings.source_file);
    if (settings.target_file) {
        open_side(o, &t->target_sp, &t->target, settings.target_file);
    } else {
        t->target_sp = t->source_sp;
        t->target = t->source;
    }
    template_check_words(o, "SentencePiece model", "SentencePiece model");
    copy_piece(o, &t->config.unk, t->target, target[UNK], "unk_id");
    copy_piece(o, &t->config.eos, t->target, target[END], "end_id");
    copy_piece(o, NULL, t->source, source[UNK], "source's unk_id");
    check_rows(o, t->source, !t->source_sp, source, r.json, "source_vocab_size");
    check_rows(o, t->target, !t->target_sp, target, r.json, "target_vocab_size");
    if (o->status != OK) return;
    t->facts.source_unknown = source[UNK];
    t->facts.target_unknown = target[UNK];
    t->eos = settings.source_end ? source[END] : -1;
    t->own_specials = true;
    t->decode = t->target_sp ? DECODE_PLAIN : DECODE_WORDS;
    if (settings.source_start) mark(t->source, source[START]);
    if (settings.source_end) mark(t->source, source[END]);
    mark(t->source, source[PAD]);
    mark(t->target, target[START]);
    mark(t->target, target[END]);
    mark(t->target, target[PAD]);
    if (settings.source_start) LIST_PUT(&t->before, source[START]);
    if (settings.source_end) LIST_PUT(&t->after, source[END]);
}
