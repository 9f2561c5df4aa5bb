/* translator.h - the functions of dragoman.h in terms of Status, Err and Buf. dragoman.h describes what each one
 * does. The functions without a counterpart here are those of the scheduler. */
#ifndef DRAGOMAN_TRANSLATOR_H
#define DRAGOMAN_TRANSLATOR_H

#include "buf.h"
#include "dragoman_tools.h"
#include "err.h"
#include "line.h"
#include "line_request.h"
#include "option_fields.h"
#include "scheduler.h"

typedef struct Translator Translator; /* fields: translator.c */

/* `models` has `count` elements in the order of the pipeline. The texts that they point to are not kept. */
MUST_USE Status translator_open(Translator **out, const DragomanOptions *models, size_t count, Err *err);
MUST_USE Status translator_open_copier(Translator **out, Err *err);
void translator_close(Translator *translator); /* NULL is allowed */

MUST_USE Status translator_submit(Translator *translator, const LineRequest *request, uintptr_t tag, Err *err);
MUST_USE Status translator_submit_pair(Translator *translator, LineText source, LineText target, uintptr_t tag,
                                       Err *err);
MUST_USE Status translator_next(Translator *translator, const DragomanLine **line, Err *err);
Scheduler *translator_scheduler(Translator *translator);

const char *translator_piece(const Translator *translator, int32_t id);
size_t translator_language_length(const Translator *translator, const char *text, size_t len);
const char *translator_warnings(const Translator *translator);
const char *translator_source_languages(const Translator *translator);
const char *translator_target_language(const Translator *translator);
const char *translator_source_language(const Translator *translator);

MUST_USE Status translator_language_tag(const char *name, char tag[DRAGOMAN_LANGUAGE_TAG], Err *err);

/* These functions append to *out or *warnings. */
MUST_USE Status translator_describe(const DragomanOptions *models, size_t count, Buf *out, Err *err);
MUST_USE Status translator_languages(const DragomanOptions *options, Buf *out, Err *err);
MUST_USE Status translator_describe_build(Buf *out, Err *err);
MUST_USE Status translator_learn_shortlist(const DragomanOptions *options, const char *source_path,
                                           const char *target_path, bool as_text, Buf *out, Err *err);
MUST_USE Status translator_calibrate(const DragomanOptions *options, const char *source_path, const char *target_path,
                                     Buf *out, Err *err);
MUST_USE Status translator_pack(const DragomanOptions *options, int fd, const char *name, Buf *warnings, Err *err);
/* (tracing.c) */
MUST_USE Status translator_trace(const DragomanOptions *options, const char *text, size_t len, const char *forced,
                                 Buf *json, Buf *warnings, Err *err);

MUST_USE Status translator_reads(const DragomanOptions *options, bool packing, const DragomanFile *files, size_t count,
                                 size_t *index, Err *err);
MUST_USE Status translator_verify(const DragomanOptions *options, size_t *tensors, Err *err);

#endif
