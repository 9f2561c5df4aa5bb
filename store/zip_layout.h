/* zip_layout.h - the records of a zip archive, for zip_file.c and zip_rewrite.c.
 * Layout   entries, each after a local header; the directory, one record per entry; ZIP64: the
 *          end record and its locator; the end record of 22 bytes and a comment of up to 65535.
 *          Numbers are little-endian. A number that does not fit is 2^16 - 1 or 2^32 - 1; its
 *          value is in the ZIP64 end record or in the record's extra field 1.
 * Source   PKWARE's APPNOTE.TXT 6.3.10, sections 4.3 to 4.5. */
#ifndef DRAGOMAN_ZIP_LAYOUT_H
#define DRAGOMAN_ZIP_LAYOUT_H

#include <stddef.h>

#define LOCAL_BYTES     ((size_t)30)
#define RECORD_BYTES    ((size_t)46)
#define END_BYTES       ((size_t)22)
#define END64_BYTES     ((size_t)56)
#define LOCATOR_BYTES   ((size_t)20)
#define COMMENT_LIMIT   ((size_t)65535)
#define LOCAL_MAGIC     0x04034b50u
#define RECORD_MAGIC    0x02014b50u
#define END_MAGIC       0x06054b50u
#define END64_MAGIC     0x06064b50u
#define LOCATOR_MAGIC   0x07064b50u
#define FLAG_ENCRYPTED  0x2041u /* includes strong encryption and encrypted directories */
#define FLAG_UTF8       0x0800u /* the name is UTF-8 */
#define METHOD_STORED   0
#define METHOD_DEFLATED 8
#define MADE_ON_UNIX    3
#define EXTRA_ZIP64     1 /* an extra field */

#endif
