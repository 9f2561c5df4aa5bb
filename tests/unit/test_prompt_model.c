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

/* Of the attention. */
enum { LAYERS = 2, HEADS = 2, SIZE = 264, WIDTH = HEADS * SIZE };

/* Appends a tensor to the header of the file, which ends at byte *end. */
static void describe(Buf *header, const char *name, size_t rows, size_t columns, size_t *end)
{
    const size_t begin = *end;

    *end += rows * columns * sizeof(float);
    buf_put_format(header, "%s\"%s\":{\"dtype\":\"F32\",\"shape\":[", header->len ? "," : "{", name);
    buf_put_format(header, rows == 1 ? "%zu" : "%zu,%zu", rows == 1 ? columns : rows, columns);
    buf_put_format(header, "],\"data_offsets\":[%zu,%zu]}", begin, *end);
}

/* Writes the weights. Each embedding is a row of the identity matrix, and the layers add nothing, so the output matrix
 * says which token follows which: the answer follows START, and END follows the answer. The last head of the last layer
 * attends to the positions that have the token of the query; the others attend to all positions equally. */
static void write_weights(const char *folder, const char *answer)
{
    static const struct {
        const char *name;
        size_t rows, columns;
    } parts[] = {
        { "input_layernorm", 1, TOKENS },      { "post_attention_layernorm", 1, TOKENS },
        { "self_attn.q_proj", WIDTH, TOKENS }, { "self_attn.k_proj", WIDTH, TOKENS },
        { "self_attn.v_proj", WIDTH, TOKENS }, { "self_attn.o_proj", TOKENS, WIDTH },
        { "mlp.gate_proj", 8, TOKENS },        { "mlp.up_proj", 8, TOKENS },
        { "mlp.down_proj", TOKENS, 8 },
    };
    FREED_BY(buf_free) Buf header = { 0 }, file = { 0 };
    const size_t square = (size_t)TOKENS * TOKENS;
    unsigned char length[8] = { 0 };
    size_t bytes = 0, last = START, norms[LAYERS][2], matching[2];
    float *values;

    describe(&header, "model.embed_tokens.weight", TOKENS, TOKENS, &bytes);
    describe(&header, "lm_head.weight", TOKENS, TOKENS, &bytes);
    describe(&header, "model.norm.weight", 1, TOKENS, &bytes);
    for (size_t layer = 0; layer < LAYERS; layer++)
        for (size_t i = 0; i < COUNT(parts); i++) {
            char name[64];
            snprintf(name, sizeof name, "model.layers.%zu.%s.weight", layer, parts[i].name);
            if (i < 2) norms[layer][i] = bytes / sizeof *values;
            if (i == 2 || i == 3) matching[i - 2] = bytes / sizeof *values + (size_t)(WIDTH - SIZE) * TOKENS;
            describe(&header, name, parts[i].rows, parts[i].columns, &bytes);
        }
    buf_put_text(&header, "}");
    values = calloc(bytes, 1);
    assert_non_null(values);
    for (size_t i = 0; i < TOKENS; i++) {
        values[i * TOKENS + i] = values[2 * square + i] = 1;
        for (size_t layer = 0; layer < LAYERS; layer++) values[norms[layer][0] + i] = values[norms[layer][1] + i] = 1;
        values[matching[0] + i * TOKENS + i] = values[matching[1] + i * TOKENS + i] = 1;
    }
    for (size_t i = 0; i <= strlen(answer); i++) {
        const size_t next = answer[i] ? (unsigned char)answer[i] : END;
        values[square + next * TOKENS + last] = 1;
        last = next;
    }
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
                            "\"num_hidden_layers\":2,\"num_attention_heads\":2,\"head_dim\":264,\"vocab_size\":262,"
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

/* Writes lines of five letters to a file, and the same letters in another order to a second file. */
static void write_pairs(const char *folder, char **source, char **target)
{
    FREED_BY(buf_free) Buf from = { 0 }, to = { 0 };

    for (size_t i = 0; i < 150; i++) {
        char letters[5];
        for (size_t k = 0; k < 5; k++) letters[k] = "abcdefghijklmnopq"[(i * 3 + k * (i % 3 + 1)) % 17];
        buf_put(&from, letters, 5);
        for (size_t k = 0; k < 5; k++) buf_put_byte(&to, letters[(k * 2 + i) % 5]);
        buf_put_byte(&from, '\n');
        buf_put_byte(&to, '\n');
    }
    *source = support_write_file(folder, "source", from.data, from.len);
    *target = support_write_file(folder, "target", to.data, to.len);
}

/* The prompt has all letters of the texts, so that the matching head attends to it as much as to the text. */
FOLDER_TEST(calibration_chooses_a_head_by_its_attention_to_the_text)
{
    FREED char *source = NULL, *target = NULL, *prompt = NULL;
    char *calibration;
    DragomanAlignment *alignment;
    DragomanOptions *options;
    DragomanError error;
    Dragoman *d;
    size_t length;

    write_model(*state, "wort");
    write_pairs(*state, &source, &target);
    prompt = support_write_text(*state, "prompt.txt", "abcdefghijklmnopqrtw:{source}<|im_start|>\n");
    options = options_for(*state);
    add_text(options, DRAGOMAN_PROMPT, prompt);
    check_ok(dragoman_calibrate(options, source, target, &calibration, &length, &error), &error);
    assert_non_null(strstr(calibration, "\"layer\": 1, \"head\": 1, \"shift\": 1, \"agreement\": 1.0000"));
    free(support_write_file(*state, "dragoman-calibration.json", calibration, length));
    dragoman_free_text(calibration);

    set_flag(options, DRAGOMAN_CONFIDENCE);
    d = open_options(options);
    submit_text(d, "trow", 0);
    check_ok(dragoman_align(&alignment, next(d), 0, DRAGOMAN_TOKENS, &error), &error);
    for (size_t t = 0; t < 4; t++) {
        float row[26];
        dragoman_alignment_row(alignment, t, row);
        assert_true(row[21 + 3 - t] > 0.99f);
    }
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

/* The stand-ins for %d and %i are 23 and 45. What answer_clean() removes has one of them, so they are not used. */
FOLDER_TEST(stand_ins_count_only_in_the_part_of_the_answer_that_remains)
{
    static const char text[] = "xy %d and %i";
    static const DragomanRange kept[] = { { 3, 5 }, { 10, 12 } };
    static const char *const answers[] = { "23\nNote 45", "45\nNote 23", "23:\n45" };

    for (size_t i = 0; i < COUNT(answers); i++) {
        const char *translation;
        DragomanRequest *request;
        DragomanError error;
        Dragoman *d;
        write_model(*state, answers[i]);
        d = open_judged(*state);
        request = request_of(text);
        check_ok(dragoman_request_keep(request, kept, COUNT(kept), &error), &error);
        translation = dragoman_line_translation(answer(d, request), 0, NULL);
        print_message("%s\n", translation);
        assert_int_equal(count_part(translation, "%d", 2), 1);
        assert_int_equal(count_part(translation, "%i", 2), 1);
        dragoman_request_free(request);
        dragoman_close(d);
    }
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
