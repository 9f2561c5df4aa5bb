/* test_prompt_model.c - a language model from its files to the translation. The model has no memory: the logits of the
 * next token depend on the last token alone, so that it gives any answer whose characters are all different. */
#include "request_support.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dragoman_tools.h"
#include "prompt_files.h"

/* Ids of write_tokenizer(): the bytes, " a", then the special tokens, <think> and a place to make the number even. */
enum { START = 257, END, TOKENS = 262 };

/* Appends a tensor to the header of the file, which ends at byte *end. */
static void describe(Buf *header, const char *name, size_t rows, size_t columns, size_t *end)
{
    const size_t begin = *end;

    *end += rows * columns * sizeof(float);
    buf_put_format(header, "%s\"%s\":{\"dtype\":\"F32\",\"shape\":[", header->len ? "," : "{", name);
    buf_put_format(header, rows == 1 ? "%zu" : "%zu,%zu", rows == 1 ? columns : rows, columns);
    buf_put_format(header, "],\"data_offsets\":[%zu,%zu]}", begin, *end);
}

/* Writes the weights. Each embedding is a row of the identity matrix, and the only layer adds nothing, so the output
 * matrix says which token follows which: the answer follows START, and END follows the answer. */
static void write_weights(const char *folder, const char *answer)
{
    static const struct {
        const char *name;
        size_t rows, columns;
    } tensors[] = {
        { "model.embed_tokens.weight", TOKENS, TOKENS },
        { "lm_head.weight", TOKENS, TOKENS },
        { "model.norm.weight", 1, TOKENS },
        { "model.layers.0.input_layernorm.weight", 1, TOKENS },
        { "model.layers.0.post_attention_layernorm.weight", 1, TOKENS },
        { "model.layers.0.self_attn.q_proj.weight", TOKENS, TOKENS },
        { "model.layers.0.self_attn.k_proj.weight", TOKENS, TOKENS },
        { "model.layers.0.self_attn.v_proj.weight", TOKENS, TOKENS },
        { "model.layers.0.self_attn.o_proj.weight", TOKENS, TOKENS },
        { "model.layers.0.mlp.gate_proj.weight", 8, TOKENS },
        { "model.layers.0.mlp.up_proj.weight", 8, TOKENS },
        { "model.layers.0.mlp.down_proj.weight", TOKENS, 8 },
    };
    FREED_BY(buf_free) Buf header = { 0 }, file = { 0 };
    const size_t square = (size_t)TOKENS * TOKENS;
    unsigned char length[8] = { 0 };
    size_t bytes = 0, last = START;
    float *values;

    for (size_t i = 0; i < COUNT(tensors); i++)
        describe(&header, tensors[i].name, tensors[i].rows, tensors[i].columns, &bytes);
    buf_put_text(&header, "}");
    values = calloc(bytes, 1);
    assert_non_null(values);
    for (size_t i = 0; i < TOKENS; i++) values[i * TOKENS + i] = 1;
    for (size_t i = 0; i <= strlen(answer); i++) {
        const size_t next = answer[i] ? (unsigned char)answer[i] : END;
        values[square + next * TOKENS + last] = 1;
        last = next;
    }
    for (size_t i = 0; i < (size_t)3 * TOKENS; i++) values[2 * square + i] = 1; /* the norms */
    for (size_t i = 0; i < 8; i++) length[i] = (unsigned char)(header.len >> (8 * i));
    buf_put(&file, length, sizeof length);
    buf_put(&file, header.data, header.len);
    buf_put(&file, values, bytes);
    free(support_write_file(folder, "model.safetensors", file.data, file.len));
    free(values);
}

static void write_model(const char *folder, const char *answer)
{
    write_tokenizer(folder, (const char *const[]){ "<|im_start|>", "<|im_end|>", NULL });
    free(support_write_text(folder, "config.json",
                            "{\"model_type\":\"llama\",\"hidden_size\":262,\"intermediate_size\":8,"
                            "\"num_hidden_layers\":1,\"num_attention_heads\":1,\"vocab_size\":262,"
                            "\"max_position_embeddings\":64,\"eos_token_id\":0,\"tie_word_embeddings\":false,"
                            "\"dragoman_prompt\":{\"text\":\"{source}<|im_start|>\",\"stop\":[\"<|im_end|>\"],"
                            "\"text_with_terms\":\"{terms};{source}<|im_start|>\"}}"));
    write_weights(folder, answer);
}

static Dragoman *open_judged(const char *path)
{
    DragomanOptions *options = options_for(path);

    set_flag(options, DRAGOMAN_CONFIDENCE);
    set_number(options, DRAGOMAN_THREADS, 1);
    return open_options(options);
}

static void check(const char *folder, const char *source, const char *answer, const char *wanted, unsigned flags)
{
    const DragomanLine *line;
    Dragoman *d;

    write_model(folder, answer);
    d = open_judged(folder);
    submit_text(d, source, 0);
    line = next(d);
    assert_string_equal(dragoman_line_translation(line, 0, NULL), wanted);
    assert_int_equal(dragoman_line_flags(line, 0), flags);
    dragoman_close(d);
}

FOLDER_TEST(the_answer_up_to_the_stop_token_is_the_translation)
{
    check(*state, "A house.", "Ein Haus", "Ein Haus", 0);
    check(*state, "A <|im_end|>", "Wort", "Wort", 0);
    check(*state, "A house.", "\nWort\t", "Wort", 0);
}

FOLDER_TEST(an_answer_with_more_than_a_translation_is_cut_and_flagged)
{
    check(*state, "A house.", "So:\nDu", "Du", DRAGOMAN_FLAG_CHATTER);
    check(*state, "A house.", "Ab\n(Note", "Ab", DRAGOMAN_FLAG_CHATTER);
}

FOLDER_TEST(a_translation_is_aligned_with_the_text_not_with_the_prompt)
{
    float row[4] = { 0 };
    DragomanAlignment *alignment;
    DragomanError error;
    Dragoman *d;
    size_t count;

    write_model(*state, "Wort");
    d = open_judged(*state);
    submit_text(d, "xyz", 0);
    check_ok(dragoman_align(&alignment, next(d), 0, DRAGOMAN_TOKENS, &error), &error);
    (void)dragoman_alignment_sources(alignment, &count);
    assert_int_equal(count, 4); /* the prompt ends with a token of its own */
    dragoman_alignment_row(alignment, 0, row);
    for (size_t i = 0; i < 3; i++) assert_true(row[i] > 0.33f && row[i] < 0.34f);
    assert_true(row[3] == 0);
    dragoman_alignment_free(alignment);
    dragoman_close(d);
}

FOLDER_TEST(terms_are_in_the_prompt)
{
    static const char *const forms[] = { "Katze" };
    const DragomanLine *line;
    const int32_t *ids;
    Dragoman *d;
    DragomanRequest *request;
    DragomanError error;
    size_t count;

    write_model(*state, "Wort");
    d = open_judged(*state);
    request = request_of("my cat");
    check_ok(dragoman_request_demand(request, (DragomanRange){ 3, 6 }, forms, 1, &error), &error);
    line = answer(d, request);
    ids = dragoman_line_source_ids(line, &count);
    assert_int_equal(count, strlen("cat = Katze;my cat") + 1);
    for (size_t i = 0; i + 1 < count; i++) assert_int_equal(ids[i], "cat = Katze;my cat"[i]);
    assert_int_equal(ids[count - 1], START);
    dragoman_request_free(request);
    dragoman_close(d);
}

FOLDER_TEST(a_packed_model_keeps_the_prompt_that_the_user_gave)
{
    FREED char *prompt = NULL, *path = support_path(*state, "packed");
    const DragomanLine *line;
    const int32_t *ids;
    DragomanOptions *options;
    DragomanError error;
    Dragoman *d;
    size_t count;
    int fd;

    write_model(*state, "Wort");
    prompt = support_write_text(*state, "prompt.txt", "!{source}<|im_start|>\n");
    options = options_for(*state);
    add_text(options, DRAGOMAN_PROMPT, prompt);
    fd = open(path, O_CREAT | O_RDWR, 0600);
    assert_true(fd >= 0);
    check_ok(dragoman_pack(options, fd, path, NULL, &error), &error);
    close(fd);
    dragoman_options_free(options);
    d = open_judged(path);
    submit_text(d, "xy", 0);
    line = next(d);
    ids = dragoman_line_source_ids(line, &count);
    assert_int_equal(count, 4);
    assert_int_equal(ids[0], '!');
    assert_int_equal(ids[1], 'x');
    dragoman_close(d);
}

TESTS(test_prompt_model);
