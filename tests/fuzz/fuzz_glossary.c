/* fuzz_glossary.c - fuzzes the readers of glossaries, and the search for their terms, with libFuzzer.
 * Input    A file, up to the first byte 0x01, and a text.
 * Checks   The terms in the text are in order, do not overlap, and touch no kept range; each has a translation. The
 *          An inflected form of a translation in the text is in the part that is searched, and cuts no character. The
 *          message for a rejected file is one line that begins with the file's name. The bytes are in a block of
 *          exactly their size, so that the sanitizers detect any access outside of it.
 * Options  -max_len=4000 */
#include "fuzz_support.h"

#include "buf.h"
#include "glossary.h"
#include "inflection.h"
#include "utf8.h"

#define NAME "dir/terms"

static void check_matches(const TermMatches *matches, size_t length, const Range *kept)
{
    size_t end = 0;

    for (size_t i = 0; i < matches->count; i++) {
        const TermMatch *match = &matches->items[i];
        require(match->place.begin >= end && match->place.end > match->place.begin, "order", "of the terms");
        require(kept->begin == kept->end || match->place.end <= kept->begin || match->place.begin >= kept->end,
                "a kept range", "in a term");
        require(match->form_count > 0, "a translation", "of a term");
        for (size_t k = 0; k < match->form_count; k++) require(*match->forms[k], "not empty", "a translation");
        end = match->place.end;
    }
    require(end <= length, "the end", "of the last term");
}

/* Searches a part of the text for inflected forms of the translations. */
static void check_inflected(const TermMatches *matches, LineText text)
{
    static const char *const languages[] = { "de", "en", "pt", "ar" };
    const Range where = { utf8_valid_length(text.data, text.len / 4), text.len };
    Err err = { "" };

    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++) {
        Inflection *inflection;
        require_ok(inflection_new(&inflection, languages[i], &err), &err);
        for (size_t k = 0; k < matches->count; k++) {
            const char *form = matches->items[k].forms[0];
            Range place;
            require_ok(inflection_find(inflection, text, where, (LineText){ form, strlen(form) }, &place, &err), &err);
            if (!place.end) continue;
            require(place.begin >= where.begin && place.begin < place.end && place.end <= text.len, "a place", form);
            require(utf8_valid_length(text.data + place.begin, place.end - place.begin) == place.end - place.begin,
                    "the characters of", form);
        }
        inflection_free(inflection);
    }
}

/* Searches for the terms of a file that has been read already, in a text in two languages. */
static void check_text(Glossary *glossary, const char *text, size_t length)
{
    static const char *const languages[] = { "en", NULL };
    const Range kept = { length / 3, length / 3 + length / 9 };
    TermMatches matches = { 0 };
    Buf clean = { 0 };
    size_t replaced;
    Err err = { "" };

    buf_put_clean(&clean, text, length, &replaced);
    for (size_t i = 0; !replaced && i < 2; i++) {
        require(glossary_find(glossary, languages[i], text, length, &kept, kept.begin < kept.end, &matches, &err) == OK,
                "finding terms", err.text);
        check_matches(&matches, length, &kept);
        check_inflected(&matches, (LineText){ text, length });
    }
    term_matches_free(&matches);
    buf_free(&clean);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *divider = fuzz_divider(data, size);
    const size_t length = divider ? (size_t)(divider - data) : size, rest = divider ? size - length - 1 : 0;
    char *file = fuzz_copy(data, length), *text = fuzz_copy(data + size - rest, rest);
    Glossary *glossary = NULL;
    Err err = { "" };

    require_ok(glossary_new(&glossary, NULL, "de", &err), &err);
    if (glossary_parse(glossary, NAME, file, length, &err) == OK)
        check_text(glossary, text, rest);
    else
        require_message(&err, NAME);
    glossary_free(glossary);
    free(file);
    free(text);
    return 0;
}
