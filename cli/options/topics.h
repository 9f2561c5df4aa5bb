/* topics.h - the topics of `dragoman help TOPIC`. */
#ifndef DRAGOMAN_TOPICS_H
#define DRAGOMAN_TOPICS_H

#include <stddef.h>

typedef struct {
    const char *name;
    const char *purpose; /* a few words for the list of topics */
    const char *text;    /* at most 80 columns; lines that begin with two spaces are verbatim, in the man page, too */
} TopicRow;

extern const TopicRow topic_table[];
extern const size_t topic_count;

/* The topic of that name, or NULL. */
const TopicRow *topic_find(const char *name);

#endif
