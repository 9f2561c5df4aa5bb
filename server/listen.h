/* listen.h - opens the sockets of the server. */
#ifndef DRAGOMAN_LISTEN_H
#define DRAGOMAN_LISTEN_H

#include <stddef.h>

#include "err.h"
#include "options.h"

#define SOCKETS_MOST OPTION_LIST_LIMIT

typedef struct {
    int fds[SOCKETS_MOST];
    size_t count;
    size_t passed;    /* how many of them, the first ones, systemd has passed; it keeps them open */
    const char *path; /* of the socket in the file system; NULL: there is none */
} Sockets;

/* Opens the sockets that the options name, or those that systemd passes (LISTEN_FDS), or 127.0.0.1:5000. Reports the
 * address of each. Call sockets_close() even on failure. */
MUST_USE Status sockets_open(Sockets *out, const ServerOptions *options, Err *err);

/* Makes the system refuse new connections, except on sockets that systemd keeps open. Other threads may still use the
 * sockets. */
void sockets_refuse(const Sockets *sockets);

/* Closes the sockets and removes the one in the file system. */
void sockets_close(Sockets *sockets);

#endif
