/* package.h - documents that are zip archives: office documents and e-books.
 *
 * A package turns an archive into one text and back. The text consists of the parts that may have something to
 * translate, in UTF-8, each after its name:
 *
 *     NAME NUL CONTENTS NUL NAME NUL CONTENTS NUL ...
 *
 * XML and names contain no NUL, so the translated text can be divided into the same parts. A DocumentFormat reads the
 * text part by part (package_next_part()) and leaves the names and NULs alone. Parts that did not change, and all other
 * entries of the archive, keep all their bytes. If no part has changed, the archive keeps all its bytes. */
#ifndef DRAGOMAN_PACKAGE_H
#define DRAGOMAN_PACKAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "document.h"
#include "err.h"
#include "ranges.h"

/* --- For formats. */

typedef struct Package Package; /* fields: package.c */

/* A part of the text. `contents` does not include a byte order mark. */
typedef struct {
    Range name, contents;
} PackagePart;

/* Sets *part to the part at byte *at of the text, and *at to the next part. Returns false at the end. Before the first
 * call, set *at to document_builder_input().begin. */
bool package_next_part(const char *text, size_t size, size_t *at, PackagePart *part);

typedef struct PackageRules {
    const char *called; /* for messages: "a DOCX document" */
    unsigned kinds;     /* for choose(), if several formats have the same function: the kinds of its parts */
    bool ignores_case;  /* entries are found even if the case of ASCII letters in their names differs */
    /* Adds the parts in the order in which they are to be read. ERR_FORMAT if the archive is not of this format. */
    Status (*choose)(Package *package, Err *err);
    /* Appends the part, changed to the form that the format reads, with the same meaning. The part is UTF-8. Its name
     * is a path for messages: "book.docx/word/document.xml". NULL: the parts are read as they are. */
    Status (*prepare)(const DocumentFile *part, Buf *out, Err *err);
    /* Appends a translated part in the form that is written to the archive. NULL: parts are written as they are. */
    Status (*finish)(const DocumentFile *part, Buf *out, Err *err);
} PackageRules;

/* For choose(). package_path() is the path of the archive, for messages. package_put_address() appends the path of
 * address[0..length), which is relative to the file or the folder `base` (up to its last slash) or, with a slash at its
 * beginning, to the archive; "." and ".." are resolved. package_read() appends the path of an entry to
 * `path`, for messages, and its contents as UTF-8 to `bytes`; ERR_FORMAT if there is no such entry. */
const char *package_path(const Package *package);
const PackageRules *package_rules(const Package *package);
void package_put_address(Buf *out, const char *base, size_t base_length, const char *address, size_t length);
bool package_has(const Package *package, const char *name);
MUST_USE Status package_read(Package *package, const char *name, Buf *path, Buf *bytes, Err *err);
/* Returns the name of an entry, which stays valid as long as the package; NULL if `index` is too large. */
const char *package_entry_name(const Package *package, size_t index);
/* Adds an entry to the parts, unless it is one of them already. */
MUST_USE Status package_add(Package *package, const char *name, Err *err);

/* --- For readers and writers of documents. */

/* Opens an archive and appends its text. `archive` is the whole archive in memory, and must stay valid as long as the
 * package. On OK the caller owns *out. ERR_FORMAT: the archive is not a zip archive, is damaged, encrypted or
 * implausibly compressed, or has names that lead out of it; the message names the file and in most cases the part. */
MUST_USE Status package_open(Package **out, const PackageRules *rules, const DocumentFile *archive, Buf *text,
                             Err *err);
void package_free(Package *package); /* NULL is allowed */

/* Appends the archive with translated parts. `read` is the text from package_open(), and `written` its translation. */
MUST_USE Status package_write(const Package *package, const Buf *read, const Buf *written, Buf *out, Err *err);

#endif
