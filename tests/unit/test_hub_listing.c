/* test_hub_listing.c - the list of files that the hub states: names, and lists that are long. */
#include "test_support.h"

#include <time.h>

#include "get.h"

#define COMMIT "0123456789abcdef0123456789abcdef01234567"
#define BLOB   "\"blobId\": \"" COMMIT "\", \"size\": 3"

static void add_file(Buf *answer, const char *name)
{
    buf_put_format(answer, "%s{\"rfilename\": \"%s\", " BLOB "}", answer->len > 80 ? "," : "", name);
}

static Buf begin_answer(void)
{
    Buf answer = { 0 };

    buf_put_text(&answer, "{\"sha\": \"" COMMIT "\", \"siblings\": [");
    add_file(&answer, "config.json");
    add_file(&answer, "model.safetensors.index.json");
    return answer;
}

static Status read_answer(HubListing *listing, Buf *answer, Err *err)
{
    Status st;

    buf_put_text(answer, "]}");
    st = buf_check(answer, err);
    if (st == OK) st = hub_listing_read(listing, answer, "o/m", err);
    buf_free(answer);
    return st;
}

/* The list of a server may have 100,000 names, and an index as many parts: neither may take quadratic time. */
TEST(finds_names_and_parts_in_a_long_list_quickly)
{
    const clock_t start = clock();
    Buf answer = begin_answer(), index = { 0 };
    HubListing listing = { .count = 0 };
    char name[100];
    size_t wanted = 0;
    Err err;

    buf_put_text(&index, "{\"weight_map\": {");
    for (int i = 60000; i-- > 0;) {
        snprintf(name, sizeof name, "a-name-that-is-the-same-for-long-%05d.bin", i);
        add_file(&answer, name);
        buf_put_format(&index, "%s\"t%d\": \"%s\"", i == 59999 ? "" : ",", i, name);
    }
    buf_put_text(&index, "}}");
    assert_ok(read_answer(&listing, &answer, &err), &err);
    assert_non_null(hub_listing_index(&listing));
    assert_ok(hub_listing_want_parts(&listing, &index, "o/m", &err), &err);
    for (size_t i = 0; i < listing.count; i++) wanted += listing.files[i].wanted;
    assert_int_equal(wanted, 60002);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 10); /* quadratic: more than 30 s */
    hub_listing_free(&listing);
    buf_free(&index);
}

TEST(refuses_a_name_that_is_listed_twice)
{
    Buf answer = begin_answer();
    HubListing listing = { .count = 0 };
    Err err;

    add_file(&answer, "b.txt");
    add_file(&answer, "a.txt");
    add_file(&answer, "b.txt");
    assert_int_equal(read_answer(&listing, &answer, &err), ERR_FORMAT);
    assert_string_equal(err.text, "get: o/m: the server lists b.txt twice");
    hub_listing_free(&listing);
}

TESTS(test_hub_listing);
