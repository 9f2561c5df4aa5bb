/* job_settings.h - what is asked of texts, documents and files. */
#ifndef DRAGOMAN_JOB_SETTINGS_H
#define DRAGOMAN_JOB_SETTINGS_H

#include <stdbool.h>

#include "option_fields.h"

typedef struct {
    const DragomanOptions *options; /* whoever makes the settings owns them */
    bool quiet;                     /* no warnings */
    bool verbose;                   /* counts at the end, and each skipped file */
    bool pairs;                     /* lines are a text, a tab and its translation, which is scored */
    bool force_decode;              /* lines are a text, a tab and the beginning of its translation */
} JobSettings;

#endif
