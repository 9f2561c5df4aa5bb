/* spellings.c - see spellings.h. */
#include "spellings.h"

#include <stdlib.h>

#include "utf8.h"

static int compare_codes(const void *a, const void *b)
{
    const SpecialCode *x = a, *y = b;

    return x->code < y->code ? -1 : x->code > y->code;
}

static SpecialCode *find_code(const Spellings *s, uint32_t code)
{
    const SpecialCode key = { code, 0, 0 };

    return s->code_count ? bsearch(&key, s->codes, s->code_count, sizeof *s->codes, compare_codes) : NULL;
}

/* Adds a code, except directly after itself. */
static Status add_code(Spellings *s, uint32_t code, Err *err)
{
    Status st;

    if (s->code_count && s->codes[s->code_count - 1].code == code) return OK;
    st = buf_grow_list(&s->codes, &s->code_capacity, s->code_count, 1, sizeof *s->codes, "spellings", err);
    if (st == OK) s->codes[s->code_count++] = (SpecialCode){ code, 0, 0 };
    return st;
}

static Status find_codes_of_run(Spellings *s, const UnitText *text, const Run *run, const SpellingRules *rules,
                                Err *err)
{
    Status st = OK;
    uint32_t code;

    if (run->bytes.begin == run->bytes.end) return OK; /* a space that is not written: Markup.is_space */
    if (run->kind == RUN_SPELLED) {
        utf8_next(text->text + run->text.begin, run->text.end - run->text.begin, &code);
        return add_code(s, code, err);
    }
    for (size_t at = run->text.begin; rules && st == OK && at < run->text.end;) {
        at += utf8_next(text->text + at, run->text.end - at, &code);
        if (rules->is_special(text->context, code)) st = add_code(s, code, err);
    }
    return st;
}

static Status find_codes(Spellings *s, const UnitText *text, const SpellingRules *rules, Err *err)
{
    size_t kept = 0;
    Status st = OK;

    for (size_t i = 0; st == OK && i < text->run_count; i++)
        st = find_codes_of_run(s, text, &text->runs[i], rules, err);
    if (st != OK || !s->code_count) return st;
    qsort(s->codes, s->code_count, sizeof *s->codes, compare_codes);
    for (size_t i = 0; i < s->code_count; i++)
        if (!kept || s->codes[kept - 1].code != s->codes[i].code) s->codes[kept++] = s->codes[i];
    s->code_count = kept;
    return OK;
}

static Status add_occurrence(Spellings *s, uint32_t code, const Spelling *spelling, Err *err)
{
    Status st = buf_grow_list(&s->items, &s->capacity, s->count, 1, sizeof *s->items, "spellings", err);

    if (st != OK) return st;
    s->items[s->count] = (Occurrence){ code, s->count, *spelling };
    s->count++;
    return OK;
}

/* Whether byte `at` of the text is in a kept part. *next is the first part that may be; `at` must ascend. */
static bool is_kept(const SpellingSource *source, size_t at, size_t *next)
{
    while (*next < source->kept_count && source->kept[*next].source.end <= at) ++*next;
    return *next < source->kept_count && source->kept[*next].source.begin <= at;
}

static Status find_in_run(Spellings *s, const SpellingSource *source, const Run *run, size_t *kept, Err *err)
{
    const UnitText *text = source->text;
    Status st = OK;

    if (run->bytes.begin == run->bytes.end) return OK;
    for (size_t at = run->text.begin, step; st == OK && at < run->text.end; at += step) {
        Spelling spelling = { .bytes = NULL };
        uint32_t code;
        step = utf8_next(text->text + at, run->text.end - at, &code);
        if (!find_code(s, code) || is_kept(source, at, kept)) continue;
        if (run->kind == RUN_PLAIN)
            spelling = (Spelling){ text->text + at, step, text->text + at, step };
        else if (run->kind == RUN_SPELLED && at == run->text.begin)
            spelling = (Spelling){ source->file->bytes + run->bytes.begin, run->bytes.end - run->bytes.begin,
                                   text->text + at, run->text.end - at };
        st = add_occurrence(s, code, &spelling, err);
    }
    return st;
}

static int compare_occurrences(const void *a, const void *b)
{
    const Occurrence *x = a, *y = b;

    if (x->code != y->code) return x->code < y->code ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/* Notes for each code where its occurrences are. */
static void index_codes(Spellings *s)
{
    size_t at = 0;

    if (s->count) qsort(s->items, s->count, sizeof *s->items, compare_occurrences);
    for (size_t i = 0; i < s->code_count; i++) {
        s->codes[i].next = at;
        while (at < s->count && s->items[at].code == s->codes[i].code) at++;
        s->codes[i].end = at;
    }
}

Status spellings_find(Spellings *out, const SpellingSource *source, Err *err)
{
    const UnitText *text = source->text;
    size_t kept = 0;
    Status st = find_codes(out, text, source->rules, err);

    for (size_t i = 0; st == OK && out->code_count && i < text->run_count; i++)
        st = find_in_run(out, source, &text->runs[i], &kept, err);
    index_codes(out);
    return st;
}

void spellings_free(Spellings *s)
{
    free(s->items);
    free(s->codes);
    *s = (Spellings){ 0 };
}

bool spellings_know(const Spellings *s, uint32_t code)
{
    return find_code(s, code);
}

Spelling spellings_take(Spellings *s, uint32_t code)
{
    SpecialCode *known = find_code(s, code);

    return known && known->next < known->end ? s->items[known->next++].spelling : (Spelling){ .bytes = NULL };
}

static Status refuse(const TextEncoding *encoding, uint32_t code, Err *err)
{
    char text[8] = "";

    utf8_put(code, text);
    return err_set(err, ERR_FORMAT,
                   "the translation contains U+%04X (%s), which %s cannot encode; convert the document to UTF-8",
                   (unsigned)code, text, text_encoding_name(encoding));
}

Status spellings_append(const SpellingRules *rules, const TextEncoding *encoding, uint32_t code,
                        const SpellingPlace *place, Buf *out, Err *err)
{
    char spelling[SPELLING_BYTES];
    size_t length;

    if (!text_encoding_holds(encoding, code))
        length = rules && rules->refer ? rules->refer(code, place, spelling) : 0;
    else if (rules && rules->is_special(place->context, code))
        length = rules->spell(code, place, spelling);
    else
        length = utf8_put(code, spelling);
    return length ? buf_append(out, spelling, length, err) : refuse(encoding, code, err);
}
