/* hub_revision.h - finds a revision of a model in the cache of Hugging Face. A revision is a branch or a tag, whose
 * commit is in refs/NAME, or a commit, which is the name of a folder in snapshots/. */
#ifndef DRAGOMAN_HUB_REVISION_H
#define DRAGOMAN_HUB_REVISION_H

#include "err.h"

/* Finds the snapshot of a revision in `folder`, models--ORG--NAME. A commit may be cut to its first seven digits or
 * more. ERR_USAGE: there is no such snapshot, or several begin with the digits. On OK the caller frees *out. */
MUST_USE Status hub_revision_find(char **out, const char *folder, const char *revision, Err *err);

#endif
