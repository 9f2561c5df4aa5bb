/* fuzz_get_answers.c - fuzzes what the command get reads from servers: lists of files and of packages.
 * Input    H and the list of Hugging Face, then the byte 0x01 and the index of weights in several parts; A and the
 *          index of Argos Translate; or F and the records of Firefox.
 * Checks   An answer is refused with one line. Names of files are unique and stay in one folder, and sizes and hashes
 *          are complete.
 * Options  -max_len=3000 */
#include "fuzz_support.h"

#include "buf.h"
#include "get.h"
#include "json.h"

#define PAIR "en-de"

static void require_name(const char *name)
{
    require(*name && strcmp(name, ".") != 0 && strcmp(name, "..") != 0, "a name", name);
    for (; *name; name++) require((unsigned char)*name >= ' ' && !strchr("/\\\x7f", *name), "a safe name", name);
}

static void require_hash(const char *hash, size_t length)
{
    require(strlen(hash) == length && strspn(hash, "0123456789abcdef") == length, "a hash", hash);
}

static void require_refusal(const Err *err)
{
    require(strncmp(err->text, "get: ", 5) == 0 && !strpbrk(err->text, "\n\r\x1b"), "one line of get", err->text);
}

static Buf copy_of(const uint8_t *data, size_t size)
{
    Buf copy = { 0 };

    buf_put(&copy, data, size);
    return copy;
}

static void check_listing(const HubListing *listing)
{
    bool wanted = false;

    require_hash(listing->commit, HUB_COMMIT_LENGTH);
    for (size_t i = 0; i < listing->count; i++) {
        const RemoteFile *file = &listing->files[i];
        require_name(file->name);
        require_hash(file->hash, file->kind == DIGEST_SHA256 ? 64 : 40);
        for (size_t k = 0; k < i; k++)
            require(strcmp(file->name, listing->files[k].name) != 0, "a new name", file->name);
        wanted = wanted || file->wanted;
    }
    require(wanted, "files", "that are needed");
}

static void fuzz_hub(const uint8_t *data, size_t size)
{
    const uint8_t *divider = fuzz_divider(data, size);
    const size_t first = divider ? (size_t)(divider - data) : size;
    Buf answer = copy_of(data, first),
        index = copy_of(data + first + (divider != NULL), size - first - (divider != NULL));
    HubListing listing = { .count = 0 };
    Err err = { "" };
    Get get = { .err = &err };

    hub_listing_read(&get, &listing, &answer, "org/model");
    if (get.st == OK) {
        check_listing(&listing);
        if (divider && hub_listing_index(&listing))
            hub_listing_want_parts(&get, &listing, index.data, index.len, "org/model");
        check_listing(&listing);
    }
    if (get.st != OK) require_refusal(&err);
    hub_listing_free(&listing);
    buf_free(&answer);
    buf_free(&index);
}

static void fuzz_argos(const char *text, size_t size)
{
    const cJSON *package;
    cJSON *tree = NULL;
    Err err = { "" };

    if (json_parse_as(&tree, text, size, "index.json", cJSON_Array, NULL, &err) != OK)
        require_message(&err, "index.json");
    package = argos_index_find(tree, PAIR);
    if (package)
        require(strcmp(get_text_of(package, "from_code"), "en") == 0 &&
                    strcmp(get_text_of(package, "to_code"), "de") == 0,
                "a package", "of the languages");
    cJSON_Delete(tree);
}

static void check_model(const FirefoxModel *model)
{
    require(model->count > 0 && model->count <= FIREFOX_MOST_FILES, "files", "of a model");
    require(strcmp(model->from, "en") == 0 && strcmp(model->to, "de") == 0 && *model->version, "a model",
            "of the languages");
    for (size_t i = 0; i < model->count; i++) {
        const RemoteFile *file = &model->files[i];
        require_name(file->name);
        require_hash(file->hash, 64);
        for (size_t k = 0; k < i; k++) require(strcmp(file->name, model->files[k].name) != 0, "a new name", file->name);
    }
}

static void fuzz_firefox(const char *text, size_t size)
{
    FirefoxModel model;
    cJSON *tree = NULL;
    Err err = { "" };
    Get get = { .err = &err };

    if (json_parse(&tree, text, size, "records", &err) != OK) {
        require_message(&err, "records");
    } else {
        firefox_records_choose(&get, &model, cJSON_GetObjectItemCaseSensitive(tree, "data"), PAIR);
        if (get.st == OK)
            check_model(&model);
        else
            require_refusal(&err);
    }
    cJSON_Delete(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t kind = fuzz_take(&data, &size);
    char *bytes = fuzz_copy(data, size);

    if (kind == 'H' && size) fuzz_hub((const uint8_t *)bytes, size);
    if (kind == 'A') fuzz_argos(bytes, size);
    if (kind == 'F') fuzz_firefox(bytes, size);
    free(bytes);
    return 0;
}
