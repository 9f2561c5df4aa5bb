/* downloads.c - see downloads.h: a list of documents, the oldest first. */
#include "downloads.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "clock.h"

#define KEPT_SECONDS 600
#define KEPT_MOST    1000

struct Downloads {
    size_t most_bytes;
    pthread_mutex_t lock; /* guards the fields below */
    LIST_OF(Download *) list;
    size_t bytes; /* of the documents in the list, of those that are being sent, and of those that are kept elsewhere */
};

Status downloads_new(Downloads **out, size_t most_bytes, Err *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out) return err_memory(err, "the downloads");
    (*out)->most_bytes = most_bytes;
    pthread_mutex_init(&(*out)->lock, NULL);
    return OK;
}

/* Ends one owner's use of a document, with the lock. */
static void release(Downloads *downloads, Download *download)
{
    if (--download->owners) return;
    downloads->bytes -= download->bytes.len;
    buf_free(&download->bytes);
    free(download->label);
    free(download);
}

/* Removes document `index` from the list, with the lock. */
static void drop(Downloads *downloads, size_t index)
{
    Download **list = downloads->list.data;

    release(downloads, list[index]);
    memmove(list + index, list + index + 1, (downloads->list.len - index - 1) * sizeof *list);
    downloads->list.len--;
}

void downloads_free(Downloads *downloads)
{
    if (!downloads) return;
    while (downloads->list.len) drop(downloads, downloads->list.len - 1);
    free(downloads->list.data);
    pthread_mutex_destroy(&downloads->lock);
    free(downloads);
}

Status downloads_name(char id[DOWNLOAD_ID], Err *err)
{
    unsigned char bytes[(DOWNLOAD_ID - 1) / 2];

    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return err_set(err, ERR_IO, "the system has no random bytes: %s", strerror(errno));
    for (size_t i = 0; i < sizeof bytes; i++) snprintf(id + 2 * i, 3, "%02x", bytes[i]);
    return OK;
}

bool downloads_reserve(Downloads *downloads, size_t bytes)
{
    const size_t most = downloads->most_bytes;
    size_t fixed; /* bytes that drop() would not free */
    bool fits;

    pthread_mutex_lock(&downloads->lock);
    fixed = downloads->bytes;
    for (size_t i = 0; i < downloads->list.len; i++)
        if (downloads->list.data[i]->owners == 1) fixed -= downloads->list.data[i]->bytes.len;
    fits = bytes <= most && bytes + fixed <= most;
    while (fits && downloads->list.len && bytes + downloads->bytes > most) drop(downloads, 0);
    if (fits) downloads->bytes += bytes;
    pthread_mutex_unlock(&downloads->lock);
    return fits;
}

void downloads_release(Downloads *downloads, size_t bytes)
{
    pthread_mutex_lock(&downloads->lock);
    downloads->bytes -= bytes;
    pthread_mutex_unlock(&downloads->lock);
}

Status downloads_put(Downloads *downloads, const char *label, Buf *bytes, char id[DOWNLOAD_ID], Err *err)
{
    Download *made = calloc(1, sizeof *made);
    Status st;

    if (made) made->label = strdup(label);
    st = made && made->label ? downloads_name(made->id, err) : err_memory(err, "a download");
    pthread_mutex_lock(&downloads->lock);
    if (st == OK && downloads->list.len == KEPT_MOST) drop(downloads, 0);
    if (st == OK && !LIST_ROOM(&downloads->list, 1)) st = LIST_CHECK(&downloads->list, "a download", err);
    if (st == OK) {
        downloads->list.data[downloads->list.len++] = made;
        made->made = clock_seconds();
        made->owners = 1;
        made->bytes = *bytes;
        *bytes = (Buf){ .data = NULL };
        memcpy(id, made->id, DOWNLOAD_ID);
    } else {
        downloads->bytes -= bytes->len;
        if (made) free(made->label);
        free(made);
    }
    pthread_mutex_unlock(&downloads->lock);
    return st;
}

/* Returns the index of a document, or the number of documents. */
static size_t find(const Downloads *downloads, const char *id)
{
    size_t i = 0;

    while (i < downloads->list.len && strcmp(downloads->list.data[i]->id, id) != 0) i++;
    return i;
}

const Download *downloads_take(Downloads *downloads, const char *id)
{
    Download *download = NULL;
    size_t index;

    pthread_mutex_lock(&downloads->lock);
    index = find(downloads, id);
    if (index < downloads->list.len) download = downloads->list.data[index];
    if (download) download->owners++;
    pthread_mutex_unlock(&downloads->lock);
    return download;
}

void downloads_give_back(Downloads *downloads, const Download *download)
{
    if (!download) return;
    pthread_mutex_lock(&downloads->lock);
    release(downloads, (Download *)download);
    pthread_mutex_unlock(&downloads->lock);
}

void downloads_expire(Downloads *downloads)
{
    pthread_mutex_lock(&downloads->lock);
    while (downloads->list.len && clock_seconds() - downloads->list.data[0]->made > KEPT_SECONDS) drop(downloads, 0);
    pthread_mutex_unlock(&downloads->lock);
}

size_t downloads_bytes(Downloads *downloads)
{
    size_t bytes;

    pthread_mutex_lock(&downloads->lock);
    bytes = downloads->bytes;
    pthread_mutex_unlock(&downloads->lock);
    return bytes;
}
