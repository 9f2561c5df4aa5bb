/* test_get.c - downloads without a site: requests, checksums, folders, and answers of the sites. tests/cli/get.bats and
 * get_faults.bats have a server and signals. */
#include "test_support.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "get.h"
#include "json.h"
#include "system_hooks.h"

static Err err;

static void assert_got(const Get *get)
{
    assert_ok(get->st, get->err);
}

/* --- Requests and libraries --- */

enum { MOST_CLIENTS = 16 };

/* A server that sends the index of Argos Translate, the beginning of a package, and for /list the beginning of an
 * answer, after which it stalls. */
typedef struct {
    int socket;
    int packages; /* requests for the package */
    char *url;
    pthread_t thread;
} Server;

static void *serve(void *argument)
{
    Server *server = argument;
    int clients[MOST_CLIENTS];
    size_t count = 0;

    while (count < MOST_CLIENTS && (clients[count] = accept(server->socket, NULL, NULL)) >= 0) {
        const int client = clients[count++];
        char request[2000], filler[500], *index;
        const ssize_t got = read(client, request, sizeof request - 1);
        request[got > 0 ? got : 0] = '\0';
        memset(filler, 'x', sizeof filler);
        index = support_format("[{\"from_code\": \"en\", \"to_code\": \"de\", \"package_version\": \"1\", "
                               "\"links\": [\"%s/package\"]}]",
                               server->url);
        if (strstr(request, "/list")) {
            (void)!dprintf(client, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{");
        } else if (strstr(request, "/index.json")) {
            (void)!dprintf(client, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %zu\r\n\r\n%s",
                           strlen(index), index);
        } else {
            server->packages++;
            (void)!dprintf(client, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 100000\r\n\r\n");
            for (int i = 0; i < 200; i++) (void)!send(client, filler, sizeof filler, MSG_NOSIGNAL);
        }
        free(index);
    }
    while (count) close(clients[--count]);
    return NULL;
}

static void server_start(Server *server)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof address;

    *server = (Server){ .socket = socket(AF_INET, SOCK_STREAM, 0) };
    assert_int_equal(bind(server->socket, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(server->socket, MOST_CLIENTS), 0);
    assert_int_equal(getsockname(server->socket, (struct sockaddr *)&address, &size), 0);
    server->url = support_format("http://127.0.0.1:%d", ntohs(address.sin_port));
    assert_int_equal(pthread_create(&server->thread, NULL, serve, server), 0);
    setenv("no_proxy", "*", true);
}

static void server_stop(Server *server)
{
    shutdown(server->socket, SHUT_RDWR);
    pthread_join(server->thread, NULL);
    close(server->socket);
    free(server->url);
}

TEST(gives_up_when_a_server_stalls)
{
    Server server;
    Get get = { .slow_seconds = 1, .patience_seconds = 2, .err = &err };
    Buf text = { 0 };
    char *url, *expected;
    double start;

    server_start(&server);
    url = support_format("%s/list", server.url);
    expected = support_format("get: %s: the server sent next to nothing for 2 seconds (", url);
    get_open(&get, url, NULL);
    assert_got(&get);
    start = clock_seconds();
    get_answer(&get, url, 1000, &text);
    assert_int_equal(get.st, ERR_IO);
    assert_true(clock_seconds() - start < 8); /* five attempts took more */
    assert_memory_equal(err.text, expected, strlen(expected));
    web_free(get.web);
    buf_free(&text);

    get = (Get){ .most_seconds = 0.3, .attempts = 1, .err = &err }; /* else, 30 seconds for a slow connection */
    get_open(&get, url, NULL);
    assert_got(&get);
    start = clock_seconds();
    get_answer(&get, url, 1000, &text);
    assert_int_equal(get.st, ERR_IO);
    assert_true(get.reply.broken);
    assert_true(clock_seconds() - start < 8);
    web_free(get.web);
    buf_free(&text);
    server_stop(&server);
    free(expected);
    free(url);
}

static bool cancel(void *context, const DragomanProgress *progress)
{
    *(uint64_t *)context = progress->done;
    return false;
}

FOLDER_TEST(a_download_can_be_canceled)
{
    Server server;
    DragomanError error;
    uint64_t done = 0;
    char *path;

    server_start(&server);
    setenv("ARGOS_PACKAGES_DIR", *state, true);
    setenv("ARGOS_PACKAGE_INDEX", server.url, true);
    assert_int_equal(dragoman_download("argos:en-de", cancel, &done, &path, &error), DRAGOMAN_ERROR_IO);
    assert_string_equal(error.message, "get: en-de: canceled");
    assert_null(path);
    assert_true(done > 0 && done <= 100000);
    server_stop(&server);
    assert_int_equal(server.packages, 1);
}

TEST(names_a_missing_library_and_function)
{
    static const char *const names[] = { "no_such_function" };
    void (*function)(void) = NULL;

    assert_int_equal(loaded_library_open("libnothing.so.9", "download", names, 1, &function, &err), ERR_UNSUPPORTED);
    assert_memory_equal(err.text, "get: needs the library libnothing.so.9 to download: install it", 62);
    assert_fails(loaded_library_open("libm.so.6", "download", names, 1, &function, &err), ERR_UNSUPPORTED, &err,
                 "get: the library libm.so.6 has no function no_such_function: install a newer version");
}

/* SHA-256: FIPS 180-4; ids of git: git hash-object. */
FOLDER_TEST(a_file_has_the_checksum_of_its_standard)
{
    static const struct {
        DigestKind kind;
        const char *text, *hash;
    } rows[] = {
        { DIGEST_SHA256, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
        { DIGEST_SHA256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
        { DIGEST_GIT_BLOB, "", "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391" },
        { DIGEST_GIT_BLOB, "hello\n", "ce013625030ba8dba906f756967f9e9ca394464a" },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        RemoteFile file = { .name = "a file", .size = strlen(rows[i].text), .kind = rows[i].kind };
        char *path = support_write_text(*state, "file", rows[i].text);
        Get get = { .err = &err };
        file.hash = rows[i].hash;
        assert_true(get_has_file(&get, path, &file));
        file.hash = rows[i ? 0 : 1].hash;
        assert_false(get_has_file(&get, path, &file));
        assert_got(&get);
        free(path);
    }
}

/* --- Folders --- */

/* Makes the folder `name` with a file that contains this name, and returns its path. */
static char *make_folder(const char *folder, const char *name)
{
    char *path = support_path(folder, name);

    assert_int_equal(mkdir(path, 0700), 0);
    free(support_write_text(path, "file", name));
    return path;
}

/* Checks that the folder was made as `name`, or that it does not exist if `name` is NULL. */
static void check_folder(const char *path, const char *name)
{
    char *file, *text;

    if (!name) {
        assert_int_not_equal(access(path, F_OK), 0);
        return;
    }
    file = support_path(path, "file");
    text = support_read_file(file, NULL);
    assert_string_equal(text, name);
    free(text);
    free(file);
}

FOLDER_TEST(one_folder_replaces_another)
{
    /* Which of the folders `from`, `to` and `from.old` exist; which one has the name `to` afterwards. */
    static const struct {
        const char *what;
        bool from, to, old;
        const char *after;
        Status status;
    } rows[] = {
        { "both exist", true, true, true, "from", OK },
        { "a new name", true, false, false, "from", OK },
        { "there is no new folder", false, true, false, "to", ERR_IO },
        { "a killed process has renamed the old folder", false, false, true, "from.old", ERR_IO },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        char *folder = support_path(*state, rows[i].what), *from = support_path(folder, "from");
        char *to = support_path(folder, "to"), *old = support_path(folder, "from.old");
        Get get = { .err = &err };
        assert_int_equal(mkdir(folder, 0700), 0);
        if (rows[i].from) free(make_folder(folder, "from"));
        if (rows[i].to) free(make_folder(folder, "to"));
        if (rows[i].old) free(make_folder(folder, "from.old"));
        folders_replace(&get, from, to);
        if (get.st != rows[i].status) fail_msg("%s: %s", rows[i].what, err.text);
        check_folder(to, rows[i].after);
        check_folder(from, NULL);
        check_folder(old, NULL);
        free(old);
        free(to);
        free(from);
        free(folder);
    }
}

/* --- Hugging Face --- */

#define COMMIT "0123456789abcdef0123456789abcdef01234567"
#define BLOB   "\"blobId\": \"" COMMIT "\", \"size\": 3"

static void add_hub_file(Buf *answer, const char *name)
{
    buf_put_format(answer, "%s{\"rfilename\": \"%s\", " BLOB "}", answer->len > 80 ? "," : "", name);
}

static Buf begin_answer(void)
{
    Buf answer = { 0 };

    buf_put_text(&answer, "{\"sha\": \"" COMMIT "\", \"siblings\": [");
    add_hub_file(&answer, "config.json");
    add_hub_file(&answer, "model.safetensors.index.json");
    return answer;
}

static void read_answer(Get *get, HubListing *listing, Buf *answer)
{
    buf_put_text(answer, "]}");
    assert_ok(buf_check(answer, &err), &err);
    hub_listing_read(get, listing, answer, "o/m");
    buf_free(answer);
}

/* The list of a server may have 100,000 names, and an index as many parts: neither may take quadratic time. */
TEST(finds_names_and_parts_in_a_long_list_quickly)
{
    const clock_t start = clock();
    Buf answer = begin_answer(), index = { 0 };
    HubListing listing = { .count = 0 };
    char name[100];
    size_t wanted = 0;
    Get get = { .err = &err };

    buf_put_text(&index, "{\"weight_map\": {");
    for (int i = 60000; i-- > 0;) {
        snprintf(name, sizeof name, "a-name-that-is-the-same-for-long-%05d.bin", i);
        add_hub_file(&answer, name);
        buf_put_format(&index, "%s\"t%d\": \"%s\"", i == 59999 ? "" : ",", i, name);
    }
    buf_put_text(&index, "}}");
    read_answer(&get, &listing, &answer);
    assert_non_null(hub_listing_index(&listing));
    hub_listing_want_parts(&get, &listing, index.data, index.len, "o/m");
    assert_got(&get);
    for (size_t i = 0; i < listing.count; i++) wanted += listing.files[i].wanted;
    assert_int_equal(wanted, 60002);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 10); /* quadratic: more than 30 s */
    hub_listing_free(&listing);
    buf_free(&index);
}

TEST(refuses_a_name_that_the_hub_lists_twice)
{
    Buf answer = begin_answer();
    HubListing listing = { .count = 0 };
    Get get = { .err = &err };

    add_hub_file(&answer, "b.txt");
    add_hub_file(&answer, "a.txt");
    add_hub_file(&answer, "b.txt");
    read_answer(&get, &listing, &answer);
    assert_fails(get.st, ERR_FORMAT, &err, "get: o/m: the server lists b.txt twice");
    hub_listing_free(&listing);
}

static int fail_lstat(const char *function, const char *path, int fd)
{
    (void)path, (void)fd;
    return strcmp(function, "lstat") == 0 ? EIO : 0;
}

FOLDER_TEST(links_files_that_cannot_be_examined)
{
    RemoteFile file = { .name = "config.json", .hash = "abc", .wanted = true };
    HubListing listing = { .commit = COMMIT, .files = &file, .count = 1 };
    Get get = { .err = &err };
    char *snapshots = support_path(*state, "snapshots"), *path = NULL, *link, target[100] = "";

    assert_int_equal(mkdir(snapshots, 0777), 0);
    system_fault = fail_lstat;
    hub_cache_link(&get, *state, *state, &listing, &path);
    system_fault = NULL;
    assert_got(&get);
    link = support_path(path, "config.json");
    assert_true(readlink(link, target, sizeof target - 1) > 0);
    assert_string_equal(target, "../../blobs/abc");
    free(link);
    free(path);
    free(snapshots);
}

/* --- Firefox --- */

#define HASH "0123456789012345678901234567890123456789012345678901234567890123"

/* A record of the pair en-de. */
static void add_record(Buf *list, const char *version, const char *type, const char *name, const char *rest)
{
    buf_put_format(list,
                   "%s{\"fromLang\":\"en\",\"toLang\":\"de\",\"version\":\"%s\",\"fileType\":\"%s\","
                   "\"attachment\":{\"filename\":\"%s\",\"location\":\"a/b\",%s}}",
                   list->len ? "," : "[", version, type, name, rest);
}

static void add_file(Buf *list, const char *version, const char *type, const char *name)
{
    add_record(list, version, type, name, "\"size\":7,\"hash\":\"" HASH "\"");
}

/* Chooses among the records, whose list is ended and freed. The caller deletes the tree, which the model needs. */
static cJSON *choose(Get *get, FirefoxModel *model, Buf *list, const char *pair)
{
    cJSON *tree;

    buf_put_byte(list, ']');
    assert_ok(json_parse_as(&tree, list->data, list->len, "records", cJSON_Array, NULL, &err), &err);
    firefox_records_choose(get, model, tree, pair);
    buf_free(list);
    return tree;
}

static void check_refused(Buf *list, const char *message)
{
    FirefoxModel model;
    Get get = { .err = &err };

    cJSON_Delete(choose(&get, &model, list, "en-de"));
    assert_fails(get.st, ERR_FORMAT, &err, message);
}

static void add_versions(Buf *list)
{
    add_file(list, "1.9", "model", "old.bin");
    add_file(list, "1.10", "lex", "lex.bin");
    add_file(list, "1.10", "model", "model.bin");
    add_file(list, "1.10", "qualityModel", "other.bin");
    add_file(list, "2.0a1", "model", "test.bin");
}

TEST(chooses_the_files_of_the_newest_version)
{
    Buf list = { 0 }, again = { 0 };
    Get get = { .err = &err };
    FirefoxModel model;
    cJSON *tree;

    add_versions(&list);
    tree = choose(&get, &model, &list, "en-de");
    assert_got(&get);
    assert_string_equal(model.version, "1.10");
    assert_int_equal(model.count, 2);
    assert_string_equal(model.files[0].name, "lex.bin");
    assert_string_equal(model.files[1].name, "model.bin");
    assert_int_equal(model.files[1].size, 7);
    cJSON_Delete(tree);
    add_versions(&again);
    cJSON_Delete(choose(&get, &model, &again, "en-d"));
    assert_int_equal(get.st, ERR_IO);
}

TEST(refuses_names_that_lead_out_of_the_folder)
{
    static const char *const names[] = { "", ".", "..", "../x", "a/b", ".hidden", "a b" };

    for (size_t i = 0; i < COUNT(names); i++) {
        Buf list = { 0 };
        char *message = support_format("get: firefox:en-de: unsafe file name '%s'", names[i]);
        add_file(&list, "1.0", "model", names[i]);
        check_refused(&list, message);
        free(message);
    }
}

/* The second file would replace the first one. */
TEST(refuses_a_name_that_firefox_lists_twice)
{
    Buf list = { 0 };

    add_file(&list, "1.0", "model", "a.bin");
    add_file(&list, "1.0", "lex", "a.bin");
    check_refused(&list, "get: firefox:en-de: the registry lists a.bin twice");
}

TEST(requires_sizes_and_checksums)
{
    static const char *const parts[] = { "\"size\":7", "\"hash\":\"" HASH "\"", "\"size\":-1,\"hash\":\"" HASH "\"",
                                         "\"size\":7,\"hash\":\"x" HASH "\"" };

    for (size_t i = 0; i < COUNT(parts); i++) {
        Buf list = { 0 };
        add_record(&list, "1.0", "model", "a.bin", parts[i]);
        check_refused(&list, "get: firefox:en-de: the registry states no size or checksum of a.bin");
    }
}

TEST(limits_the_number_of_files)
{
    Buf list = { 0 };

    for (size_t i = 0; i <= FIREFOX_MOST_FILES; i++) {
        char *name = support_format("%zu.bin", i);
        add_file(&list, "1.0", "model", name);
        free(name);
    }
    check_refused(&list, "get: firefox:en-de: the registry lists too many files");
}

TESTS(test_get);
