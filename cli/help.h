/* help.h - the option table as text for people. */
#ifndef DRAGOMAN_HELP_H
#define DRAGOMAN_HELP_H

#include "buf.h"
#include "err.h"

/* Appends what --help prints, at most 80 columns wide. */
MUST_USE Status help_append(Buf *out, Err *err);

/* Appends the man page, dragoman.1, as roff. */
MUST_USE Status help_append_man(Buf *out, Err *err);

#endif
