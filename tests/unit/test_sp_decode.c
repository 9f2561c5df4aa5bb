/* test_sp_decode.c - decodes pieces to the same text as SentencePiece itself. */
#include "sp_library.h"
#include "sp_support.h"

#include <stdio.h>

/* All models have the same pieces. */
typedef struct {
    bool add_dummy_prefix, remove_extra_whitespaces, bytes;
    const char *unk_surface; /* or NULL */
    bool denormalizes;       /* "a" to "aaaa" become "b" */
    unsigned kind;           /* SpKind; 0: the default, Unigram */
} Settings;

static Buf model_with(const Settings *settings)
{
    Buf model = sp_support_small_model(), part = { 0 };

    sp_support_add_piece(&model, "</s>", 0, SP_CONTROL);
    sp_support_add_piece(&model, "\xe2\x96\x81<x>", 0, SP_USER_DEFINED);
    sp_support_add_piece(&model, "\xe2\x96\x81old\xe2\x96\x81", 0, SP_UNUSED);
    for (int i = 0; settings->bytes && i < 256; i++) {
        char piece[8];
        snprintf(piece, sizeof piece, "<0x%02X>", i);
        sp_support_add_piece(&model, piece, 0, SP_BYTE);
    }
    if (settings->kind) sp_support_add_number(&part, 3, settings->kind);
    sp_support_add_number(&part, 35, settings->bytes);
    if (settings->unk_surface) sp_support_add_bytes(&part, 44, settings->unk_surface, strlen(settings->unk_surface));
    sp_support_add_bytes(&model, 2, part.data, part.len);
    buf_clear(&part);
    sp_support_add_number(&part, 3, settings->add_dummy_prefix);
    sp_support_add_number(&part, 4, settings->remove_extra_whitespaces);
    sp_support_add_bytes(&model, 3, part.data, part.len);
    buf_clear(&part);
    if (settings->denormalizes) sp_support_add_map(&part, sp_support_chain(4, 0), SP_BLOCKS * 256);
    for (unsigned i = 3; settings->denormalizes && i <= 5; i++) sp_support_add_number(&part, i, 0);
    if (settings->denormalizes) sp_support_add_bytes(&model, 5, part.data, part.len);
    buf_free(&part);
    return model;
}

static char *decode(const SpModel *model, const char *const *pieces, size_t count)
{
    Buf text = { 0 };
    Err err;

    buf_put(&text, "", 0);
    assert_ok(sp_decode(&model->traits, pieces, count, &text, NULL, &err), &err);
    return text.data;
}

static void check_decode(const SpModel *model, const char *const *pieces, size_t count, const char *want)
{
    FREED char *got = decode(model, pieces, count);

    assert_string_equal(got, want);
}

FOLDER_TEST(decodes_every_kind_of_piece)
{
    static const char *const pieces[] = { "\xe2\x96\x81", "</s>", "a", "<unk>", "zz\xe2\x96\x81", "\xe2\x96\x81<x>" };
    static const char *const bytes[] = { "<0xC3>", "<0xA9>", "<0xE2>", "<0x82>", "a", "<0x41>" };
    Buf file = model_with(&(Settings){ true, true, true, NULL, false, 0 });
    SpModel *model = sp_support_open(*state, &file);

    assert_true(model->traits.bytes);
    check_decode(model, pieces, COUNT(pieces), "a \xe2\x81\x87 zz\xe2\x96\x81 <x>");
    check_decode(model, bytes, COUNT(bytes),
                 "\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd"
                 "aA");
    check_decode(model, NULL, 0, "");
    sp_shim_free(model);
    file = model_with(&(Settings){ true, true, false, "?", false, 0 });
    model = sp_support_open(*state, &file);
    assert_false(model->traits.bytes);
    check_decode(model, pieces + 3, 1, "?");
    check_decode(model, bytes, 1, "<0xC3>"); /* not a piece of this model */
    sp_shim_free(model);
}

static void compare(const char *folder, const Settings *settings)
{
    static const char *const all[] = { "\xe2\x96\x81",
                                       "a",
                                       "ab",
                                       "</s>",
                                       "<unk>",
                                       "\xe2\x96\x81<x>",
                                       "\xe2\x96\x81old\xe2\x96\x81",
                                       "zz",
                                       "<0x41>",
                                       "<0xF0>",
                                       "\xe2\x96\x81zz",
                                       "<0x9F>",
                                       "<0x80>",
                                       "<0xED>",
                                       "<0xA0>",
                                       "<0xE2>",
                                       "" };
    Buf model = model_with(settings);
    SpLibrary *library = sp_library_open(model.data, model.len);
    FREED_BY(free_sp) SpModel *own = sp_support_open(folder, &model);
    uint32_t random = 12345;

    assert_non_null(library);
    for (int round = 0; round < 3000; round++) {
        const char *pieces[7];
        size_t count = (size_t)round % 8, len;
        FREED char *got, *want;
        for (size_t i = 0; i < count; i++) pieces[i] = all[support_random(&random) % COUNT(all)];
        got = decode(own, pieces, count);
        want = sp_library_decode(library, pieces, count, &len);
        assert_string_equal(got, want);
    }
    sp_library_free(library);
}

FOLDER_TEST(decodes_random_pieces_like_the_library)
{
    for (unsigned i = 0; i < 64; i++)
        compare(*state, &(Settings){ i & 1, i & 2, i & 4, i % 16 == 5 ? "\xe2\x96\x81?" : NULL, i & 8, 1 + i / 16 });
}

/* A piece has what begins with it, also where a rule joins it with the next one. */
FOLDER_TEST(gives_ranges_of_denormalized_text)
{
    static const char *const pieces[] = { "\xe2\x96\x81", "a", "ab", "</s>", "a", "a", "b" };
    static const Range wanted[] = { { 0, 0 }, { 0, 1 }, { 1, 2 }, { 2, 2 }, { 2, 3 }, { 3, 3 }, { 3, 4 } };

    for (unsigned kind = 1; kind <= 4; kind++) {
        Buf file = model_with(&(Settings){ true, true, false, NULL, true, kind });
        FREED_BY(buf_free) Buf out = { 0 };
        FREED_BY(free_sp) SpModel *model = sp_support_open(*state, &file);
        Range ranges[COUNT(pieces)];
        Err err;
        buf_put(&out, "", 0);
        assert_ok(sp_decode(&model->traits, pieces, COUNT(pieces), &out, ranges, &err), &err);
        assert_string_equal(out.data, "bbbb");
        assert_memory_equal(ranges, wanted, sizeof wanted);
    }
}

TESTS(test_sp_decode);
