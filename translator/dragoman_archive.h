/* dragoman_archive.h - unpacks the archives in which models are distributed. A public header of libdragoman. */
#ifndef DRAGOMAN_ARCHIVE_H
#define DRAGOMAN_ARCHIVE_H

#include "dragoman.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Unpacks a zip archive, whose entries must all be in one folder, into `folder`, which exists and is empty. The
 * checksum of every entry is compared. Names that lead out of the folder, links, implausible compression ratios and
 * more than `most` bytes in total are refused (DRAGOMAN_ERROR_FORMAT); what has been written until then stays. *name is
 * the name of the folder in the archive; free it with dragoman_free_text(). */
DRAGOMAN_CHECKED DragomanStatus dragoman_unpack_archive(const char *archive, const char *folder, uint64_t most,
                                                        char **name, DragomanError *error);

#ifdef __cplusplus
}
#endif

#endif
