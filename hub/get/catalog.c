/* catalog.c - the models that can be downloaded: see dragoman_hub.h, and docs/names.md for the order of preference.
 *
 * hub/models.tsv, which describes its columns, is a part of the library. A file in the user's cache has newer rows of
 * Firefox and of Argos Translate, which replace those of hub/models.tsv. The other rows are always those of the
 * library. */
#define _GNU_SOURCE /* strptime() and timegm() */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "arena.h"
#include "get.h"
#include "json.h"
#include "language.h"
#include "model_languages.h"
#include "model_places.h"
#include "option_fields.h"
#include "path.h"
#include "public_status.h"
#include "temporary_file.h"
#include "text.h"

#define PIVOT           "en"
#define FRESH_SECONDS   86400               /* the cache is not refreshed more often */
#define CONNECT_SECONDS 1.5                 /* to a site, while the user waits for the list */
#define ANSWER_SECONDS  10                  /* for a whole answer */
#define LARGEST_TINY    ((int64_t)25 << 20) /* bytes of the weights of a tiny model of Firefox */
#define LONGEST_CODE    20
#define LONGEST_SCRIPT  4
#define MOST_BYTES      ((int64_t)4 << 30) /* of a file of Firefox */
#define LARGEST_MODEL   (1ULL << 40)
#define DATE_LENGTH     10 /* 2026-09-17 */
#define MOST_PARTNERS   8  /* of a language, in a message */

extern const char models_tsv[];

/* A row of the list, with the columns of hub/models.tsv; `to` may be equal to `from`. */
typedef struct {
    const char *name, *kind, *bytes, *licence, *from, *to;
} CatalogRow;

enum { COLUMNS = sizeof(CatalogRow) / sizeof(char *) };

struct DragomanCatalog {
    Buf text;                      /* the texts of the rows */
    LIST_OF(CatalogRow) rows;      /* in the order of preference */
    LIST_OF(DragomanOffer) offers; /* of the last search */
    DragomanOffer best[2];
    Arena *arena; /* the texts of offers */
    char date[DATE_LENGTH + 1];
    Err fault; /* why the list could not be refreshed; "": it could, or did not have to be */
};

/* --- The rows --------------------------------------------------------------------------- */

/* Whether a line of the cache is the date, or a row of one model for two languages. Only the list of the library may
 * have rows that stand for several models or languages. */
static bool is_valid_line(const char *line, size_t len)
{
    size_t column = 0;

    for (size_t i = 0; i < len; i++) {
        if (line[i] == '\t')
            column++;
        else if ((column == 0 || column >= COLUMNS - 2) && strchr("* @", line[i]))
            return false;
    }
    return column == COLUMNS - 1 || text_begins_with(line, "date\t");
}

/* Appends the valid lines of `text` that begin with `prefix`. */
static void put_lines(Buf *out, const char *text, const char *prefix)
{
    for (size_t len; *text; text += len) {
        len = strcspn(text, "\n") + 1;
        if (!text[len - 1]) return; /* without a newline, the line may be incomplete */
        if (text_begins_with(text, prefix) && is_valid_line(text, len)) buf_put(out, text, len);
    }
}

static const char *codes_of_family(const char *name)
{
    static const struct {
        const char *name;
        const char *const *codes;
    } families[] = { { "@m2m100", &language_codes_m2m100 },
                     { "@mbart50", &language_codes_mbart50 },
                     { "@nllb", &language_codes_nllb } };

    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strcmp(name, families[i].name) == 0) return *families[i].codes;
    return name;
}

/* Adds the row of a line, whose tabs are replaced by NULs. Ignores a line with another number of columns. */
static void add_row(DragomanCatalog *c, char *line)
{
    const char *columns[COLUMNS] = { line };
    size_t count = 1;
    CatalogRow row;

    for (char *tab = line; (tab = strchr(tab, '\t')); *tab++ = '\0', count++)
        if (count < COLUMNS) columns[count] = tab + 1;
    if (count == 2 && strcmp(line, "date") == 0) snprintf(c->date, sizeof c->date, "%s", columns[1]);
    if (count != COLUMNS) return;
    row = (CatalogRow){ columns[0], columns[1], columns[2], columns[3], codes_of_family(columns[4]), columns[5] };
    if (strcmp(row.to, "=") == 0) row.to = row.from;
    LIST_PUT(&c->rows, row);
}

/* Reads hub/models.tsv, in which the rows in `fresh` (NULL: none) replace those of the same sites. A site without rows
 * in `fresh`, which may be damaged, keeps those of hub/models.tsv. */
static Status read_rows(DragomanCatalog *c, const char *fresh, Err *err)
{
    static const char *const sites[] = { "firefox:", "argos:" };
    bool done[sizeof sites / sizeof *sites] = { false }, keeps[sizeof sites / sizeof *sites] = { false };
    Status st;

    buf_clear(&c->text);
    c->rows.len = 0;
    for (size_t at = 0, len; models_tsv[at]; at += len) {
        const char *line = models_tsv + at;
        size_t site = 0;
        len = strcspn(line, "\n") + 1;
        while (site < sizeof sites / sizeof *sites && !text_begins_with(line, sites[site])) site++;
        if (fresh && site < sizeof sites / sizeof *sites && !done[site]) {
            const size_t before = c->text.len;
            put_lines(&c->text, fresh, sites[site]);
            keeps[site] = c->text.len == before;
            done[site] = true;
        }
        if (*line != '#' && (!fresh || site == sizeof sites / sizeof *sites || keeps[site]))
            buf_put(&c->text, line, len);
    }
    if (fresh) put_lines(&c->text, fresh, "date\t");
    st = buf_check(&c->text, err);
    for (char *line = c->text.data, *end; st == OK && line && (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        add_row(c, line);
    }
    return st == OK ? LIST_CHECK(&c->rows, "the list of models", err) : st;
}

/* --- Newer rows from the sites ----------------------------------------------------------- */

/* A record of Firefox's registry, or a package of Argos Translate's index. */
typedef struct {
    const cJSON *node;
    const char *from, *to, *version;
} Release;

typedef LIST_OF(Release) Releases;

static int compare_pairs(const Release *a, const Release *b)
{
    const int order = strcmp(a->from, b->from);

    return order ? order : strcmp(a->to, b->to);
}

/* Sorts by languages, then the newest version first. */
static int compare_releases(const void *a, const void *b)
{
    const Release *x = a, *y = b;
    const int order = compare_pairs(x, y);

    return order ? order : text_compare_versions(y->version, x->version);
}

/* Lists the models of a site, sorted as compare_releases() says. A code that cannot be a part of a name is skipped. */
static Releases sort_releases(Get *get, const cJSON *list, const char *const keys[3])
{
    Releases out = { .data = NULL };
    const cJSON *node;

    cJSON_ArrayForEach(node, list)
    {
        const Release release = { node, get_text_of(node, keys[0]), get_text_of(node, keys[1]),
                                  get_text_of(node, keys[2]) };
        bool is_safe = true;
        for (size_t i = 0; i < 2; i++) {
            const char *code = i ? release.to : release.from;
            const size_t len = strlen(code);
            is_safe = is_safe && len && len <= LONGEST_CODE && isalnum((unsigned char)*code);
            for (size_t k = 0; is_safe && k < len; k++) is_safe = isalnum((unsigned char)code[k]) || code[k] == '-';
        }
        if (is_safe) LIST_PUT(&out, release);
    }
    if (get->st == OK) get->st = LIST_CHECK(&out, "the list of models", get->err);
    if (get->st == OK && out.len) qsort(out.data, out.len, sizeof *out.data, compare_releases);
    return out;
}

/* Appends a row for the newest release of each pair. */
static void put_firefox_rows(Get *get, Buf *out, const cJSON *records)
{
    Releases all = sort_releases(get, records, (const char *const[]){ "fromLang", "toLang", "version" });
    size_t end;

    for (size_t i = 0; get->st == OK && i < all.len; i = end) {
        const char *version = NULL;
        int64_t weights = 0, total = 0, size;
        for (end = i; end < all.len && compare_pairs(&all.data[i], &all.data[end]) == 0; end++) {
            const cJSON *record = all.data[end].node;
            const cJSON *attachment = cJSON_GetObjectItemCaseSensitive(record, "attachment");
            const bool is_model = strcmp(get_text_of(record, "fileType"), "model") == 0;
            if (!firefox_is_release(record) || !firefox_is_needed(record)) continue;
            if (!version) version = all.data[end].version;
            if (strcmp(version, all.data[end].version) != 0) continue;
            if (!json_to_int64(cJSON_GetObjectItemCaseSensitive(attachment, "size"), 0, MOST_BYTES, &size)) continue;
            total += size;
            if (is_model) weights = size;
        }
        if (weights)
            buf_put_format(out, "firefox:%s-%s\tFirefox %s\t%lld\tMPL-2.0\t%s\t%s\n", all.data[i].from, all.data[i].to,
                           weights <= LARGEST_TINY ? "tiny" : "base", (long long)total, all.data[i].from,
                           all.data[i].to);
    }
    free(all.data);
}

/* Appends a row for each pair. The index states no sizes: those of the list stay, as estimates. */
static void put_argos_rows(Get *get, Buf *out, const cJSON *index, const DragomanCatalog *c)
{
    Releases all = sort_releases(get, index, (const char *const[]){ "from_code", "to_code", "package_version" });

    for (size_t i = 0; get->st == OK && i < all.len; i++) {
        const Release *release = &all.data[i];
        const char *bytes = "-", *type = get_text_of(release->node, "type");
        const size_t begin = out->len;
        if (*type && strcmp(type, "translate") != 0) continue;
        if (i && compare_pairs(release, release - 1) == 0) continue;
        buf_put_format(out, "argos:%s-%s", release->from, release->to);
        for (size_t k = 0; out->data && k < c->rows.len; k++)
            if (strcmp(c->rows.data[k].name, out->data + begin) == 0) bytes = c->rows.data[k].bytes;
        buf_put_format(out, "\tArgos Translate\t%s\t-\t%s\t%s\n", bytes, model_languages_standard_code(release->from),
                       model_languages_standard_code(release->to));
    }
    free(all.data);
}

/* Asks both sites, with one short attempt each; the second one only if the first one has answered. A list without
 * models is a fault of the site. */
static Status fetch_rows(const DragomanCatalog *c, Buf *out, Err *err)
{
    const time_t now = time(NULL);
    struct tm day;
    char date[DATE_LENGTH + 1];
    Get get = { .err = err };

    if (!gmtime_r(&now, &day) || !strftime(date, sizeof date, "%Y-%m-%d", &day))
        get_fail(&get, ERR_IO, "get: the date is not known");
    buf_put_format(out, "date\t%s\n", date);
    for (size_t site = 0; get.st == OK && site < 2; site++) {
        const size_t before = out->len;
        cJSON *answer = NULL;
        char *address = NULL;
        get.connect_seconds = CONNECT_SECONDS;
        get.attempts = 1;
        get.slow_seconds = 2;
        get.most_seconds = ANSWER_SECONDS;
        if (site) {
            answer = argos_index_fetch(&get, &address);
            put_argos_rows(&get, out, answer, c);
        } else {
            answer = firefox_records_fetch(&get, &address);
            put_firefox_rows(&get, out, cJSON_GetObjectItemCaseSensitive(answer, "data"));
        }
        if (out->len == before && !out->failed) get_fail(&get, ERR_IO, "get: %s has no models", address);
        cJSON_Delete(answer);
        free(address);
        web_free(get.web);
        get.web = NULL;
    }
    return get.st == OK ? buf_check(out, err) : get.st;
}

/* Writes the rows to the cache. Without it, the sites are asked again next time, so errors are ignored. */
static void write_cache(const char *path, const Buf *rows)
{
    Err err;
    Get get = { .err = &err };
    char *folder = path_folder(path), *fresh = NULL;
    int fd, fault;

    if (!folder) return;
    folders_create(&get, folder);
    if (get.st == OK && temporary_file_create(&fd, &fresh, folder, path_name(path), 0666, &fault, &err) == OK) {
        fault = write_all(fd, rows->data, rows->len);
        if (close(fd) != 0 || fault || rename(fresh, path) != 0) (void)unlink(fresh);
        temporary_file_forget(fresh);
    }
    free(fresh);
    free(folder);
}

/* Reads the rows of the library, and the newer ones of the cache. If these are old and `refresh`, asks the sites. */
static Status open_catalog(DragomanCatalog *c, bool refresh, Err *err)
{
    char *path = model_places_catalog();
    Buf cached = { 0 }, fetched = { 0 };
    struct stat info;
    char own[sizeof c->date];
    Err unread; /* a list in the cache that cannot be read is ignored */
    Status st = arena_new_small(&c->arena, err), read = ERR_IO;

    if (st == OK) st = read_rows(c, NULL, err);
    memcpy(own, c->date, sizeof own);
    if (st == OK && path) read = small_file_read(&cached, path, true, &unread);
    if (read == ERR_MEMORY) st = err_memory(err, "the list of models");
    if (read == OK && cached.data) {
        st = read_rows(c, cached.data, err);
        if (st == OK && strcmp(c->date, own) < 0) st = read_rows(c, NULL, err); /* the library is newer */
    }
    if (st == OK && refresh && !get_is_offline() &&
        !(path && stat(path, &info) == 0 && labs((long)(time(NULL) - info.st_mtime)) < FRESH_SECONDS)) {
        Status fetch = fetch_rows(c, &fetched, &c->fault);
        if (fetch == ERR_MEMORY) st = err_memory(err, "the list of models");
        if (fetch == OK) {
            c->fault = (Err){ "" };
            st = read_rows(c, fetched.data, err);
            if (path) write_cache(path, &fetched);
        }
    }
    buf_free(&cached);
    buf_free(&fetched);
    free(path);
    return st;
}

DragomanStatus dragoman_catalog_open(DragomanCatalog **out, bool refresh, DragomanError *error)
{
    Err err = { "" };
    DragomanCatalog *c = calloc(1, sizeof *c);
    Status st = c ? open_catalog(c, refresh, &err) : err_memory(&err, "the list of models");

    if (st != OK) {
        dragoman_catalog_close(c);
        c = NULL;
    }
    *out = c;
    return option_fields_answer(st, &err, (Spelling){ 0 }, error);
}

void dragoman_catalog_close(DragomanCatalog *c)
{
    if (!c) return;
    arena_free(c->arena);
    free(c->offers.data);
    free(c->rows.data);
    buf_free(&c->text);
    free(c);
}

const char *dragoman_catalog_date(const DragomanCatalog *c, long *days, const char **fault)
{
    struct tm day = { .tm_year = 0 };
    double seconds = 0;

    if (strptime(c->date, "%Y-%m-%d", &day)) seconds = difftime(time(NULL), timegm(&day));
    *days = (long)floor(seconds / 86400);
    *fault = *c->fault.text ? c->fault.text : NULL;
    return c->date;
}

/* --- Searches ---------------------------------------------------------------------------- */

/* A language that the user named; NULL stands for any. */
typedef struct {
    const char *code;
    LanguageTag tag;
} SoughtLanguage;

static Status seek(SoughtLanguage *out, const char *code, Err *err)
{
    *out = (SoughtLanguage){ .code = code };
    return code ? language_tag_read(&out->tag, code, err) : OK;
}

/* Sets *code to the next code of the list that fits, and *list to the rest of the list. *code is "" after the last. */
static Status next_fit(const char **list, const SoughtLanguage *sought, char code[LONGEST_CODE + 1], Err *err)
{
    Status st = OK;
    unsigned fit = 0;

    for (size_t len; st == OK && **list && !fit; *list += len + ((*list)[len] == ' ')) {
        len = strcspn(*list, " ");
        snprintf(code, LONGEST_CODE + 1, "%.*s", (int)len, *list);
        fit = !sought->code || language_same(sought->code, code);
        if (!fit && sought->tag.language[0]) st = language_tag_fit(&fit, &sought->tag, code, err);
    }
    if (!fit) *code = '\0';
    return st;
}

static const char *keep_text(DragomanCatalog *c, const char *text)
{
    char *copy = arena_alloc(c->arena, 1, strlen(text) + 1);

    return copy ? strcpy(copy, text) : "";
}

/* Adds the offer of a row for two languages; NULL: a model with several languages. */
static void add_offer(DragomanCatalog *c, const CatalogRow *row, const char *from, const char *to)
{
    const bool is_estimate = *row->bytes == '~';
    const char *digits = row->bytes + is_estimate;
    const unsigned long long stated = isdigit((unsigned char)*digits) ? strtoull(digits, NULL, 10) : 0;
    const unsigned long long bytes = stated <= LARGEST_MODEL ? stated : 0;
    const double megabytes = (double)bytes / 1e6;
    const size_t star = strcspn(row->name, "*");
    DragomanOffer offer = { .name = row->name,
                            .kind = row->kind,
                            .licence = strcmp(row->licence, "-") == 0 ? NULL : row->licence,
                            .bytes = bytes,
                            .is_estimate = is_estimate };
    Buf text = { 0 };

    if (bytes && megabytes < 1000)
        buf_put_format(&text, "%s%.*f MB", is_estimate ? "~" : "", megabytes < 10 ? 1 : 0, megabytes);
    if (megabytes >= 1000) buf_put_format(&text, "%s%.1f GB", is_estimate ? "~" : "", megabytes / 1000);
    offer.size = text.data ? keep_text(c, text.data) : "";
    if (from && to) {
        offer.from = keep_text(c, from);
        offer.to = keep_text(c, to);
    }
    for (const char *at = row->from; !from && *at; at += strspn(at, " ")) {
        offer.languages++;
        at += strcspn(at, " ");
    }
    buf_clear(&text);
    if (from && row->name[star]) {
        buf_put_format(&text, "%.*s%s-%s%s", (int)star, row->name, from, to, row->name + star + 1);
        offer.name = text.data ? keep_text(c, text.data) : "";
    }
    if (text.failed) c->offers.failed = true;
    LIST_PUT(&c->offers, offer);
    buf_free(&text);
}

/* Sets c->offers to the models for two languages, in the order of the rows. */
static Status find_offers(DragomanCatalog *c, const char *from, const char *to, Err *err)
{
    char source[LONGEST_CODE + 1], target[LONGEST_CODE + 1];
    SoughtLanguage sought[2];
    Status st = seek(&sought[0], from, err);

    if (st == OK) st = seek(&sought[1], to, err);
    c->offers.len = 0;
    for (size_t i = 0; st == OK && i < c->rows.len; i++) {
        const CatalogRow *row = &c->rows.data[i];
        const bool is_bilingual = strchr(row->name, '*') || !(strchr(row->from, ' ') || strchr(row->to, ' '));
        const char *sources = row->from;
        st = next_fit(&sources, &sought[0], source, err);
        while (st == OK && *source) {
            const char *targets = row->to;
            st = next_fit(&targets, &sought[1], target, err);
            if (st == OK && *target && !is_bilingual) add_offer(c, row, NULL, NULL);
            while (st == OK && *target && is_bilingual) {
                add_offer(c, row, source, target);
                st = next_fit(&targets, &sought[1], target, err);
            }
            if (!is_bilingual) break;
            if (st == OK) st = next_fit(&sources, &sought[0], source, err);
        }
    }
    if (st == OK) st = LIST_CHECK(&c->offers, "the list of models", err);
    return st == OK ? arena_check(c->arena, "the list of models", err) : st;
}

DragomanStatus dragoman_catalog_find(DragomanCatalog *c, const char *from, const char *to, const DragomanOffer **offers,
                                     size_t *count, DragomanError *error)
{
    Err err = { "" };
    Status st = find_offers(c, from, to, &err);

    *offers = c->offers.data;
    *count = st == OK ? c->offers.len : 0;
    return option_fields_answer(st, &err, (Spelling){ 0 }, error);
}

/* Sets c->best[0, *count) to the best choice for a pair: a model of this pair, else two models with English between
 * them, else a model with several languages, and one whose licence forbids commercial use last. */
static Status find_best(DragomanCatalog *c, const char *from, const char *to, size_t *count, Err *err)
{
    DragomanOffer several = { .name = NULL };
    Status st = find_offers(c, from, to, err);

    *count = 0;
    if (language_same(from, to)) return st;
    for (size_t i = 0; st == OK && i < c->offers.len; i++) {
        const DragomanOffer *offer = &c->offers.data[i];
        const bool is_better = !several.name || (strstr(several.licence ? several.licence : "", "-NC") &&
                                                 !strstr(offer->licence ? offer->licence : "", "-NC"));
        if (offer->from) {
            c->best[0] = *offer;
            *count = 1;
            return OK;
        }
        if (is_better) several = *offer;
    }
    if (!language_same(from, PIVOT) && !language_same(to, PIVOT))
        for (size_t i = 0; st == OK && i == *count && i < 2; i++) {
            st = find_offers(c, i ? PIVOT : from, i ? to : PIVOT, err);
            if (st == OK && c->offers.len && c->offers.data[0].from) c->best[(*count)++] = c->offers.data[0];
        }
    if (st == OK && *count < 2) {
        c->best[0] = several;
        *count = several.name != NULL;
    }
    return st;
}

DragomanStatus dragoman_catalog_best(DragomanCatalog *c, const char *from, const char *to, const DragomanOffer **best,
                                     size_t *count, DragomanError *error)
{
    Err err = { "" };
    Status st = find_best(c, from, to, count, &err);

    *best = c->best;
    return option_fields_answer(st, &err, (Spelling){ 0 }, error);
}

DragomanStatus dragoman_catalog_suggest(DragomanCatalog *catalog, const char *from, const char *to, char **message,
                                        DragomanError *error)
{
    DragomanCatalog *own = NULL, *c;
    DragomanStatus st = catalog ? DRAGOMAN_OK : dragoman_catalog_open(&own, false, error);
    size_t count = 0;
    Err err = { "" };
    Buf out = { 0 };
    Status found = OK;

    c = catalog ? catalog : own;
    if (st == DRAGOMAN_OK) found = find_best(c, from, to, &count, &err);
    for (size_t i = 0; i < count; i++) {
        if (!i) buf_put_format(&out, "'dragoman get %s-%s' downloads ", from, to);
        buf_put_format(&out, "%s%s", i ? " and " : "", c->best[i].name);
        if (*c->best[i].size) buf_put_format(&out, " (%s)", c->best[i].size);
    }
    /* en-zh may also mean another script or region than that of the best model. */
    for (size_t i = 1; count == 1 && c->best[0].from && i < c->offers.len; i++) {
        const DragomanOffer *other = &c->offers.data[i];
        if (!other->from || strlen(other->from) + strlen(other->to) <= strlen(from) + strlen(to)) continue;
        if (language_equal(other->from, c->best[0].from) && language_equal(other->to, c->best[0].to)) continue;
        buf_put_format(&out, ", 'dragoman get %s-%s' downloads %s", other->from, other->to, other->name);
        break;
    }
    if (found == OK) found = buf_check(&out, &err);
    if (found != OK) buf_free(&out);
    *message = out.data;
    dragoman_catalog_close(own);
    return st == DRAGOMAN_OK ? option_fields_answer(found, &err, (Spelling){ 0 }, error) : st;
}

/* Appends the languages into which models for two languages translate from the language `code`, or, if `to` is set,
 * from which such models translate into it: the first ones and the number of the others. */
static Status put_partners(Buf *out, DragomanCatalog *c, const char *code, bool to, Err *err)
{
    size_t count = 0;
    Status st = find_offers(c, to ? NULL : code, to ? code : NULL, err);

    for (size_t i = 0; st == OK && i < c->offers.len; i++) {
        const DragomanOffer *offers = c->offers.data;
        const char *partner = to ? offers[i].from : offers[i].to;
        bool is_new = partner != NULL;
        for (size_t k = 0; is_new && k < i; k++)
            if (offers[k].from) is_new = !language_equal(partner, to ? offers[k].from : offers[k].to);
        if (!is_new || count++ >= MOST_PARTNERS) continue;
        if (count == 1) buf_put_format(out, to ? "; into %s from" : "; from %s into", code);
        buf_put_format(out, "%s %s", count == 1 ? "" : ",", partner);
    }
    if (count > MOST_PARTNERS) buf_put_format(out, " and %zu more", count - MOST_PARTNERS);
    return st == OK ? buf_check(out, err) : st;
}

/* In a pair of codes, a script or a region begins with a capital, so a part that does cannot be a language: "en-pt-BR"
 * is en and pt-BR. Two codes in capitals, or two names, have one hyphen between them; "pt-BR" is one language. */
bool dragoman_split_pair(const char *pair, char from[DRAGOMAN_LANGUAGE_CODE], char to[DRAGOMAN_LANGUAGE_CODE])
{
    const char *middle;
    char name[64]; /* of a language */

    for (const char *hyphen = pair; (hyphen = strchr(hyphen, '-')); hyphen++) {
        snprintf(from, DRAGOMAN_LANGUAGE_CODE, "%.*s", (int)(hyphen - pair), pair);
        snprintf(to, DRAGOMAN_LANGUAGE_CODE, "%s", hyphen + 1);
        if (islower((unsigned char)*from) && islower((unsigned char)*to) && language_is_known(from) &&
            language_is_known(to))
            return true;
    }
    middle = strchr(pair, '-');
    if (!middle || (size_t)(middle - pair) >= sizeof name || strchr(middle + 1, '-')) return false;
    if (islower((unsigned char)*pair) && isupper((unsigned char)middle[1]) && strlen(middle + 1) <= LONGEST_SCRIPT)
        return false;
    snprintf(name, sizeof name, "%.*s", (int)(middle - pair), pair);
    if (dragoman_find_language_code(name, from, NULL) != DRAGOMAN_OK ||
        dragoman_find_language_code(middle + 1, to, NULL) != DRAGOMAN_OK)
        return false;
    for (char *c = from; isupper((unsigned char)*c); c++) *c = (char)tolower((unsigned char)*c);
    for (char *c = to; isupper((unsigned char)*c); c++) *c = (char)tolower((unsigned char)*c);
    return language_is_known(from) && language_is_known(to);
}

/* Returns ERR_USAGE if the name is a pair of languages of which one is misspelled. */
static Status check_misspelled_pair(const char *name, Err *err)
{
    const char *middle = strchr(name, '-'), *codes[2] = { NULL, NULL };
    char parts[2][LANGUAGE_CODE], rooms[2][LANGUAGE_CODE];
    bool is_misspelled = false;
    Status st = OK;

    if (!middle || strchr(middle + 1, '-')) return OK;
    if (isupper((unsigned char)middle[1]) && strlen(middle + 1) <= LONGEST_SCRIPT) return OK; /* pt-BR */
    for (size_t i = 0; st == OK && i < 2; i++) {
        snprintf(parts[i], sizeof parts[i], "%.*s", i ? LANGUAGE_CODE - 1 : (int)(middle - name),
                 i ? middle + 1 : name);
        st = language_suggest(&codes[i], rooms[i], parts[i], err);
        if (st == OK && codes[i])
            is_misspelled = true;
        else if (st == OK)
            st = language_code(&codes[i], rooms[i], parts[i], err);
        if (st == OK && !language_is_known(codes[i])) return OK;
    }
    if (st != OK || !is_misspelled || language_same(codes[0], codes[1])) return st; /* en-us is one language */
    return err_set(err, ERR_USAGE, "get: '%s' is not a pair of languages (did you mean 'dragoman get %s-%s'?)", name,
                   codes[0], codes[1]);
}

/* Returns ERR_USAGE for a name that no model has: one language, or two of which one is misspelled. The message says
 * what to type. */
static Status check_pair(const char *name, Err *err)
{
    char from[DRAGOMAN_LANGUAGE_CODE], to[DRAGOMAN_LANGUAGE_CODE], room[LANGUAGE_CODE];
    const char *code = "", *middle = strchr(name, '-');
    const bool is_region = middle && islower((unsigned char)middle[1]); /* en-us, or en-xx by mistake */
    DragomanCatalog *c = NULL;
    DragomanError error;
    Buf models = { 0 };
    Status st;

    if (strlen(name) >= LANGUAGE_CODE || strchr(name, '/') || dragoman_split_pair(name, from, to)) return OK;
    st = check_misspelled_pair(name, err);
    if (st == OK) st = language_code(&code, room, name, err);
    if (st != OK || !language_is_known(code)) return st;
    st = public_status(dragoman_catalog_open(&c, false, &error), &error, err);
    if (st == OK) st = put_partners(&models, c, code, false, err);
    if (st == OK) st = put_partners(&models, c, code, true, err);
    if (st == OK)
        st = err_set(
            err, ERR_USAGE,
            "get: '%s' is one language%s%s%s; name a pair, such as %s-en%s; 'dragoman get --list --from %s' lists "
            "the models",
            name, is_region ? ", because '" : "", is_region ? middle + 1 : "",
            is_region ? "' is not the code of a language" : "", language_same(code, PIVOT) ? "de" : code,
            models.data ? models.data : "", code);
    buf_free(&models);
    dragoman_catalog_close(c);
    return st;
}

DragomanStatus dragoman_check_download(const char *name, DragomanError *error)
{
    Err err = { "" };
    Status st = get_check_name(name, &err);

    if (st == OK) st = check_pair(name, &err);
    return option_fields_answer(st, &err, (Spelling){ 0 }, error);
}
