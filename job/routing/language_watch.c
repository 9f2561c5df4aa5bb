/* language_watch.c - see language_watch.h. */
#include "language_watch.h"

#include "language_detector.h"

#define JOINED_BYTES 200 /* of short texts that are checked together */
#define FIRST_TEXTS  500 /* each of them is checked, later only one of OTHER_TEXTS */
#define OTHER_TEXTS  16

void language_watch_start(LanguageWatch *watch, const char *language, bool all)
{
    const bool is_possible = language && language_detector_check(NULL) == OK;

    *watch = (LanguageWatch){ .language = is_possible ? language : NULL, .watches_all = all };
}

/* Counts `texts` texts, which are in this language; NULL: in that of the model, or not known. */
static void count_texts(LanguageWatch *watch, const char *code, size_t texts)
{
    size_t i = 0;

    watch->checked += texts;
    if (!code) return;
    while (i + 1 < WATCHED_LANGUAGES && watch->others[i].code && !language_detector_same(watch->others[i].code, code))
        i++;
    if (!watch->others[i].code) watch->others[i].code = code;
    watch->others[i].texts += texts;
}

static Status check_joined(LanguageWatch *watch, Err *err)
{
    const char *code;
    Status st = language_detector_find_other(watch->language, watch->joined.data, watch->joined.len, &code, err);

    if (st == OK) count_texts(watch, code, watch->joined_count);
    buf_clear(&watch->joined);
    watch->joined_count = 0;
    return st;
}

static Status join_text(LanguageWatch *watch, const char *text, size_t length, Err *err)
{
    Status st;

    buf_put(&watch->joined, text, length);
    buf_put_byte(&watch->joined, '\n');
    st = buf_check(&watch->joined, err);
    watch->joined_count++;
    return st == OK && watch->joined.len >= JOINED_BYTES ? check_joined(watch, err) : st;
}

Status language_watch_text(LanguageWatch *watch, const char *text, size_t length, bool *is_other, Err *err)
{
    const char *code;
    Status st;

    *is_other = false;
    if (!watch->language) return OK;
    if (watch->texts++ >= FIRST_TEXTS && !watch->watches_all && watch->texts % OTHER_TEXTS) return OK;
    if (!language_has_letters(text, length)) return OK;
    if (length < LANGUAGE_SURE_BYTES) return join_text(watch, text, length, err);
    st = language_detector_find_other(watch->language, text, length, &code, err);
    if (st == OK) count_texts(watch, code, 1);
    *is_other = st == OK && code;
    return st;
}

Status language_watch_describe(LanguageWatch *watch, Buf *out, Err *err)
{
    const WatchedLanguage *most = watch->others;
    size_t others = 0;
    Status st = watch->joined_count ? check_joined(watch, err) : OK;

    for (size_t i = 0; i < WATCHED_LANGUAGES; i++) {
        others += watch->others[i].texts;
        if (watch->others[i].texts > most->texts) most = &watch->others[i];
    }
    if (st != OK || !others || others * 2 < watch->checked) return st;
    buf_put_format(out,
                   "%zu of %zu texts seem to be in another language (%s) than the model reads (%s); choose "
                   "another model, or detect the language of each line with " SETTING(FROM_LINES),
                   others, watch->checked, most->code, watch->language);
    return buf_check(out, err);
}

void language_watch_free(LanguageWatch *watch)
{
    buf_free(&watch->joined);
}
