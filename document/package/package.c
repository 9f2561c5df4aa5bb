/* package.c - see package.h. */
#include "package.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "chars.h"
#include "document_encoding.h"
#include "document_formats.h"
#include "mapped_file.h"
#include "text_encoding.h"
#include "utf8.h"
#include "zip_file.h"

#define LONGEST_NAME ((size_t)1000) /* longer names of entries are compared exactly, even if ignores_case is set */

/* A part of the text. */
typedef struct {
    size_t entry;
    TextEncoding *encoding; /* of the entry; NULL: UTF-8 */
} Part;

struct Package {
    const PackageRules *rules;
    const char *path;
    MappedFile archive; /* the bytes of the caller */
    Buf *text;          /* the output of package_open(), for package_add() */
    ZipFile zip;
    LIST_OF(Part) parts; /* in the order of the text */
    bool *is_part;       /* [zip.count] */
    StrMap *folded;      /* names in lower case -> the first entry with this name; NULL: case matters */
};

bool package_next_part(const char *text, size_t size, size_t *at, PackagePart *part)
{
    const char *name_end = *at < size ? memchr(text + *at, '\0', size - *at) : NULL, *end;
    size_t begin;

    if (!name_end) return false;
    begin = (size_t)(name_end + 1 - text);
    end = memchr(text + begin, '\0', size - begin);
    if (!end) return false;
    part->name = (Range){ *at, begin - 1 };
    *at = (size_t)(end + 1 - text);
    part->contents = (Range){ chars_skip_mark(text, begin, *at - 1), *at - 1 };
    return true;
}

/* --- Reading. */

/* Turns the status of an unsupported or unreadable archive into ERR_FORMAT: for users, the document is not valid. */
static Status as_format(Status st)
{
    return st == ERR_UNSUPPORTED || st == ERR_IO ? ERR_FORMAT : st;
}

const char *package_path(const Package *package)
{
    return package->path;
}

const PackageRules *package_rules(const Package *package)
{
    return package->rules;
}

void package_put_address(Buf *out, const char *base, size_t base_length, const char *address, size_t length)
{
    const size_t start = out->len;

    while (base_length && base[base_length - 1] != '/') base_length--;
    if (base_length && *address != '/') buf_put(out, base, base_length - 1);
    for (size_t at = 0, end; at < length; at = end + 1) {
        end = chars_find(address, at, length, '/');
        if (chars_are(address + at, end - at, "..")) {
            while (out->len > start && out->data[out->len - 1] != '/') out->len--;
            out->len -= out->len > start;
        } else if (end > at && !chars_are(address + at, end - at, ".")) {
            if (out->len > start) buf_put_byte(out, '/');
            buf_put(out, address + at, end - at);
        }
    }
    buf_put(out, "", 0); /* restores the NUL at the end: ".." may have removed it with a part */
}

/* Returns the entry of this name; if there is none and case does not matter, an entry whose name differs only in case;
 * -1: none. */
static int32_t find_entry(const Package *package, const char *name)
{
    const int32_t exact = str_map_get(package->zip.names, name, strlen(name), -1);
    char folded[LONGEST_NAME];

    if (exact >= 0 || !package->folded) return exact;
    return str_map_get(package->folded, folded, chars_lower(name, strlen(name), folded, sizeof folded), -1);
}

bool package_has(const Package *package, const char *name)
{
    return find_entry(package, name) >= 0;
}

const char *package_entry_name(const Package *package, size_t index)
{
    return index < package->zip.count ? str_map_key(package->zip.names, index) : NULL;
}

/* Appends an entry as UTF-8 to `bytes`, and its path to `path`. The caller owns *encoding, NULL for UTF-8. */
static Status read_part(Package *package, const char *name, Buf *path, Buf *bytes, TextEncoding **encoding, Err *err)
{
    static const DocumentFormat xml = { .name = "xml", .find_encoding = declared_encoding_xml };
    const DocumentOptions options = { .encoding = NULL };
    const int32_t index = find_entry(package, name);
    ZipFile *zip = &package->zip;
    MappedFile entry = { .data = NULL };
    DocumentFile file = { .name = NULL };
    const unsigned char *data;
    const char *known, *own; /* the name in the directory, and in the header of the entry */
    size_t length, own_length;
    Status st;

    *encoding = NULL;
    if (index < 0)
        return err_set(err, ERR_FORMAT, "%s: not %s: it has no %s", package->path, package->rules->called, name);
    if (zip->entries[index].size > DOCUMENT_BYTES)
        return err_set(err, ERR_FORMAT, "%s/%s: parts of more than %zu MB are not supported", package->path, name,
                       DOCUMENT_BYTES >> 20);
    buf_put_format(path, "%s/%s", package->path, name);
    buf_put_text(bytes, "");
    st = buf_check(path, err);
    if (st == OK) st = buf_check(bytes, err);
    if (st == OK) st = as_format(zip_file_read(zip, (size_t)index, &data, &file.size, &entry, err));
    if (st != OK) goto done;
    file.name = path->data;
    file.bytes = file.size ? (const char *)data : "";
    /* Two different names: readers of the header would see another entry than readers of the directory. */
    known = zip_file_name(zip, (size_t)index, &length);
    own = zip_file_own_name(zip, (size_t)index, &own_length);
    if (length != own_length || (package->folded ? strncasecmp : strncmp)(own, known, length) != 0)
        st = err_set(err, ERR_FORMAT,
                     "%s: zip archive: entry %.*s has another name in its own header than in the directory: it may "
                     "be damaged or forged; save the document again",
                     package->path, (int)(length < 200 ? length : 200), known);
    else if (!zip_file_has_checksum(zip, (size_t)index, data, file.size))
        st = err_set(err, ERR_FORMAT, "%s: zip archive: entry %s is damaged", package->path, name);
    if (st == OK) st = document_encoding_decode(encoding, &xml, &file, &options, bytes, err);
    if (st == OK && !*encoding) {
        buf_put(bytes, file.bytes, file.size);
        st = buf_check(bytes, err);
    }
done:
    mapped_file_close(&entry);
    return st;
}

Status package_read(Package *package, const char *name, Buf *path, Buf *bytes, Err *err)
{
    TextEncoding *encoding;
    Status st = read_part(package, name, path, bytes, &encoding, err);

    text_encoding_free(encoding);
    return st;
}

/* Checks that the text is not too long when `added` bytes are appended. */
static Status check_length(const Package *package, size_t added, Err *err)
{
    if (package->text->len <= DOCUMENT_BYTES && added <= DOCUMENT_BYTES - package->text->len) return OK;
    return err_set(err, ERR_FORMAT, "%s: documents of more than %zu MB are not supported; split this one",
                   package->path, DOCUMENT_BYTES >> 20);
}

Status package_add(Package *package, const char *name, Err *err)
{
    Buf *text = package->text, path = { 0 }, bytes = { 0 };
    const int32_t index = find_entry(package, name);
    Part added = { .entry = (size_t)index };
    DocumentFile part;
    Status st = OK;

    if (index >= 0 && package->is_part[index]) return OK;
    if (index >= 0 && package->zip.entries[index].size <= DOCUMENT_BYTES) /* else read_part() refuses it */
        st = check_length(package, package->zip.entries[index].size, err);
    if (st == OK) st = read_part(package, name, &path, &bytes, &added.encoding, err);
    if (st != OK) goto done;
    part = (DocumentFile){ path.data, bytes.data, bytes.len };
    package->is_part[index] = true;
    LIST_PUT(&package->parts, added);
    if (package->parts.failed) text_encoding_free(added.encoding);
    st = LIST_CHECK(&package->parts, "a document", err);
    /* For each part, the text has its name, a NUL, its contents and a NUL. */
    if (st == OK) buf_put(text, name, strlen(name) + 1);
    if (st == OK) st = check_length(package, part.size, err);
    if (st == OK && memchr(part.bytes, '\0', part.size))
        st = err_set(err, ERR_FORMAT, "%s: contains a NUL byte", part.name);
    if (st == OK && utf8_clean_length(part.bytes, part.size) != part.size)
        st = err_set(err, ERR_FORMAT, "%s: not valid UTF-8", part.name);
    if (st == OK && package->rules->prepare)
        st = package->rules->prepare(&part, text, err);
    else if (st == OK)
        buf_put(text, part.bytes, part.size);
    if (st == OK) st = check_length(package, 1, err);
    if (st == OK) buf_put_byte(text, '\0');
    if (st == OK) st = buf_check(text, err);
done:
    buf_free(&path);
    buf_free(&bytes);
    return st;
}

/* Whether the path of an entry would lead out of the folder in which the archive is unpacked. */
static bool leads_out(const char *name, size_t length)
{
    size_t begin = 0;

    if (!length || *name == '/' || memchr(name, '\0', length)) return true;
    for (size_t i = 0; i <= length; i++) {
        if (i < length && name[i] != '/' && name[i] != '\\') continue;
        if (i - begin == 2 && memcmp(name + begin, "..", 2) == 0) return true;
        begin = i + 1;
    }
    return false;
}

/* Checks the names of the entries, and lists them in lower case if case does not matter. */
static Status read_names(Package *package, Err *err)
{
    char folded[LONGEST_NAME];
    Status st = package->rules->ignores_case ? str_map_new(&package->folded, err) : OK;

    for (size_t i = 0; st == OK && i < package->zip.count; i++) {
        size_t length;
        const char *name = zip_file_name(&package->zip, i, &length);
        const int shown = (int)(length < 200 ? length : 200);
        if (leads_out(name, length))
            return err_set(err, ERR_FORMAT, "%s: zip archive: entry %.*s has a name that leads out of the archive",
                           package->path, shown, name);
        length = package->folded ? chars_lower(package_entry_name(package, i), length, folded, sizeof folded) : 0;
        if (length) st = str_map_add(package->folded, folded, length, (int32_t)i, NULL, err);
    }
    return st;
}

Status package_open(Package **out, const PackageRules *rules, const DocumentFile *archive, Buf *text, Err *err)
{
    /* Old office documents, and encrypted new ones, are compound files instead of zip archives. */
    static const unsigned char compound[] = { 0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1 };
    const MappedFile map = { .data = (const unsigned char *)archive->bytes, .size = archive->size };
    Package *package;
    Status st;

    *out = NULL;
    if (!zip_file_is(&map) && mapped_file_has(&map, 0, compound, sizeof compound))
        return err_set(err, ERR_FORMAT,
                       "%s: not %s: it is encrypted, or in a format of Office 97 to 2003; save it without a password "
                       "in a current format",
                       archive->name, rules->called);
    if (!zip_file_is(&map))
        return err_set(err, ERR_FORMAT, "%s: not %s: it is not a zip archive", archive->name, rules->called);
    package = calloc(1, sizeof *package);
    if (!package) return err_memory(err, "a document");
    package->rules = rules;
    package->path = archive->name;
    package->archive = map;
    package->text = text;
    st = as_format(zip_file_open(&package->zip, &package->archive, package->path, err));
    if (st == OK) st = read_names(package, err);
    if (st == OK) package->is_part = calloc(package->zip.count + 1, sizeof *package->is_part);
    if (st == OK && !package->is_part) st = err_memory(err, "a document");
    if (st == OK) st = rules->choose(package, err);
    if (st == OK)
        *out = package;
    else
        package_free(package);
    return st;
}

void package_free(Package *package)
{
    if (!package) return;
    for (size_t i = 0; i < package->parts.len; i++) text_encoding_free(package->parts.data[i].encoding);
    free(package->parts.data);
    free(package->is_part);
    str_map_free(package->folded);
    zip_file_close(&package->zip);
    free(package);
}

/* --- Writing. */

/* Appends a changed part to `out`, in the form and the encoding of the archive. */
static Status write_part(const Package *package, const Part *part, const char *bytes, size_t size, Buf *out, Err *err)
{
    Buf path = { 0 }, text = { 0 };
    Status st;

    buf_put_format(&path, "%s/%s", package->path, package_entry_name(package, part->entry));
    st = buf_check(&path, err);
    if (st == OK) {
        const DocumentFile written = { path.data, bytes, size };
        Buf *to = part->encoding ? &text : out;
        if (!package->rules->finish) buf_put(to, bytes, size);
        st = package->rules->finish ? package->rules->finish(&written, to, err) : buf_check(to, err);
    }
    if (st == OK && part->encoding) {
        const Range declared = declared_encoding_place(text.data, text.len);
        st = text_encoding_append(part->encoding, text.data, text.len, true, out, err);
        if (st == ERR_FORMAT) { /* the encoding lacks a character, so the part becomes UTF-8 */
            buf_clear(out);
            buf_put(out, text.data, declared.begin);
            if (declared.end) buf_put_text(out, "UTF-8");
            buf_put(out, text.data + declared.end, text.len - declared.end);
            st = buf_check(out, err);
        }
    }
    buf_free(&path);
    buf_free(&text);
    return st;
}

Status package_write(const Package *package, const Buf *read, const Buf *written, Buf *out, Err *err)
{
    ZipChange *changes = calloc(package->parts.len + 1, sizeof *changes); /* [count], the parts that have changed */
    Buf *contents = calloc(package->parts.len + 1, sizeof *contents);     /* [count], their new contents */
    size_t count = 0, from = 0, at = 0;
    Status st = changes && contents ? OK : err_memory(err, "a document");

    for (size_t i = 0; st == OK && i < package->parts.len; i++) { /* both texts have the same parts */
        PackagePart old = { .name = { 0, 0 } }, new = old;
        Range before, after; /* with byte order marks */
        (void)package_next_part(read->data, read->len, &from, &old);
        (void)package_next_part(written->data, written->len, &at, &new);
        before = (Range){ old.name.end + 1, old.contents.end };
        after = (Range){ new.name.end + 1, new.contents.end };
        if (after.end - after.begin != before.end - before.begin ||
            memcmp(read->data + before.begin, written->data + after.begin, after.end - after.begin) != 0) {
            Buf *out_of = &contents[count];
            st = write_part(package, &package->parts.data[i], written->data + after.begin, after.end - after.begin,
                            out_of, err);
            changes[count++] =
                (ZipChange){ package->parts.data[i].entry, out_of->data ? out_of->data : "", out_of->len };
        }
    }
    if (count) qsort(changes, count, sizeof *changes, ranges_compare_begin);
    if (st == OK && !count) buf_put(out, package->archive.data, package->archive.size);
    if (st == OK) st = count ? as_format(zip_rewrite(&package->zip, changes, count, out, err)) : buf_check(out, err);
    for (size_t i = 0; contents && i < count; i++) buf_free(&contents[i]);
    free(changes);
    free(contents);
    return st;
}
