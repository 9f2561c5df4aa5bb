/* listen.c - see listen.h. */
#define _GNU_SOURCE /* SOCK_CLOEXEC */
#include "listen.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "report.h"

#define USUAL_ADDRESS "127.0.0.1:5000"
#define BACKLOG       1024
#define FIRST_PASSED  3 /* the number of the first socket of systemd */

static Status add(Sockets *out, int fd, Err *err)
{
    if (out->count == SOCKETS_MOST) {
        close(fd);
        return err_set(err, ERR_USAGE, "more than %d sockets", SOCKETS_MOST);
    }
    out->fds[out->count++] = fd;
    return OK;
}

/* Reports the URL of a socket, which tests and users of port 0 read. */
static void report_address(int fd)
{
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    char host[NI_MAXHOST], port[NI_MAXSERV];

    if (getsockname(fd, (struct sockaddr *)&address, &size) != 0) return;
    if (address.ss_family == AF_UNIX) {
        report("listening at unix:%s", ((struct sockaddr_un *)(void *)&address)->sun_path);
    } else if (getnameinfo((struct sockaddr *)&address, size, host, sizeof host, port, sizeof port,
                           NI_NUMERICHOST | NI_NUMERICSERV) == 0) {
        const bool is_6 = address.ss_family == AF_INET6;
        report("listening at http://%s%s%s:%s", is_6 ? "[" : "", host, is_6 ? "]" : "", port);
    }
}

/* Opens a socket at an address that getaddrinfo() has found. */
static int open_address(const struct addrinfo *info)
{
    const int on = 1;
    const int fd = socket(info->ai_family, info->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, info->ai_protocol);

    if (fd < 0) return -1;
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (info->ai_family == AF_INET6) {
        const int only = ((struct sockaddr_in6 *)(void *)info->ai_addr)->sin6_scope_id != 0;
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof only);
    }
    if (bind(fd, info->ai_addr, info->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0) return fd;
    close(fd);
    return -1;
}

/* Opens ADDRESS:PORT. */
static Status open_tcp(Sockets *out, const char *text, Err *err)
{
    const struct addrinfo hints = { .ai_flags = AI_PASSIVE | AI_ADDRCONFIG, .ai_socktype = SOCK_STREAM };
    const char *colon = strrchr(text, ':'), *begin = text, *end = colon;
    struct addrinfo *found = NULL;
    char *host;
    int fault, fd = -1;

    if (!colon || strspn(colon + 1, "0123456789") != strlen(colon + 1) || !colon[1] || strlen(colon) > 6 ||
        strtol(colon + 1, NULL, 10) > 65535)
        return err_set(err, ERR_USAGE, "--listen: '%s' is not ADDRESS:PORT, such as " USUAL_ADDRESS, text);
    if (*text == '[' && end > text + 1 && end[-1] == ']') begin++, end--;
    host = strndup(begin, (size_t)(end - begin));
    if (!host) return err_memory(err, "an address");
    fault = getaddrinfo(*host ? host : NULL, colon + 1, &hints, &found);
    if (fault) {
        free(host);
        return err_set(err, ERR_USAGE, "--listen %s: %s", text, gai_strerror(fault));
    }
    /* Without a host, the IPv6 socket also accepts IPv4. */
    for (int pass = 0; pass < 2 && fd < 0; pass++)
        for (const struct addrinfo *info = found; info && fd < 0; info = info->ai_next)
            if (*host || pass || info->ai_family == AF_INET6) fd = open_address(info);
    fault = errno;
    freeaddrinfo(found);
    free(host);
    if (fd >= 0) return add(out, fd, err);
    return err_set(err, ERR_IO, "cannot listen at %s: %s%s", text, strerror(fault),
                   fault == EADDRINUSE ? "; choose another port, as in --listen 127.0.0.1:5001" : "");
}

/* Opens a socket in the file system. Replaces one that a server that was killed has left. */
static Status open_unix(Sockets *out, const char *path, Err *err)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    struct stat info;
    int fd, fault = 0;

    if (strlen(path) >= sizeof address.sun_path)
        return err_set(err, ERR_USAGE, "--unix: the path is longer than %zu bytes", sizeof address.sun_path - 1);
    memcpy(address.sun_path, path, strlen(path));
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return err_set(err, ERR_IO, "cannot open a socket: %s", strerror(errno));
    if (lstat(path, &info) == 0 && S_ISSOCK(info.st_mode) &&
        connect(fd, (struct sockaddr *)&address, sizeof address) != 0 && errno == ECONNREFUSED)
        unlink(path);
    if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, BACKLOG) != 0) fault = errno;
    if (fault) {
        close(fd);
        return err_set(err, ERR_IO, "cannot listen at %s: %s", path, strerror(fault));
    }
    out->path = path;
    return add(out, fd, err);
}

/* Takes the sockets that systemd passes: their numbers follow each other, and the variables name this process. */
static Status take_passed(Sockets *out, Err *err)
{
    const char *process = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
    Status st = OK;

    if (!process || !count || strtol(process, NULL, 10) != (long)getpid()) return OK;
    for (int i = 0; st == OK && i < strtol(count, NULL, 10); i++) {
        const int fd = FIRST_PASSED + i, flags = fcntl(fd, F_GETFL);
        int accepts = 0;
        socklen_t size = sizeof accepts;
        if (flags < 0 || getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &size) != 0 || !accepts)
            return err_set(err, ERR_USAGE, "the descriptor %d of $LISTEN_FDS is no socket that accepts connections",
                           fd);
        (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
        (void)fcntl(fd, F_SETFL, flags | O_NONBLOCK);
        st = add(out, fd, err);
        out->passed = out->count;
    }
    return st;
}

Status sockets_open(Sockets *out, const ServerOptions *options, Err *err)
{
    Status st;

    *out = (Sockets){ .count = 0 };
    st = take_passed(out, err);
    for (size_t i = 0; st == OK && i < options->listen.count; i++) st = open_tcp(out, options->listen.items[i], err);
    if (st == OK && options->socket) st = open_unix(out, options->socket, err);
    if (st == OK && !out->count) st = open_tcp(out, USUAL_ADDRESS, err);
    for (size_t i = 0; st == OK && i < out->count; i++) report_address(out->fds[i]);
    return st;
}

void sockets_refuse(const Sockets *sockets)
{
    for (size_t i = sockets->passed; i < sockets->count; i++) (void)shutdown(sockets->fds[i], SHUT_RD);
}

void sockets_close(Sockets *sockets)
{
    for (size_t i = 0; i < sockets->count; i++) close(sockets->fds[i]);
    if (sockets->path) unlink(sockets->path);
    *sockets = (Sockets){ .count = 0 };
}
