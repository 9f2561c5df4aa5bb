/* choice_checks.c - checks the options that choose translations, and those that read them from columns: see
 * option_parts.h. */
#include <string.h>

#include "document_choice.h"
#include "format.h"
#include "line_columns.h"
#include "option_parts.h"
#include "options.h"
#include "utf8.h"

/* A text that the library reads as valid UTF-8 in a line. */
static Status check_text(const char *name, const char *text, Err *err)
{
    if (utf8_clean_length(text, strlen(text)) < strlen(text))
        return err_set(err, ERR_USAGE, "--%s: not valid UTF-8", name);
    return strpbrk(text, "\r\n") ? err_set(err, ERR_USAGE, "--%s: must be a single line", name) : OK;
}

static Status check_texts(const Options *o, Err *err)
{
    const struct {
        const char *name;
        const OptionList *list;
    } rows[] = { { "must", &o->musts }, { "suppress", &o->suppressed }, { "end-token", &o->end_tokens } };
    Status st = o->prefix ? check_text("prefix", o->prefix, err) : OK;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 0; st == OK && k < rows[i].list->count; k++)
            st = check_text(rows[i].name, rows[i].list->items[k], err);
    return st;
}

static Status check_search(const Options *o, bool has_prefix, Err *err)
{
    const bool alternatives = o->alternatives != NOT_GIVEN;

    if (o->alternative_probability.given && !alternatives)
        return err_set(err, ERR_USAGE, "--min-alternative-probability needs --alternatives N");
    if (o->prefix_bias.given && !has_prefix)
        return err_set(err, ERR_USAGE, "--prefix-bias needs --prefix TEXT, or a column prefix (--tsv-in)");
    return OK;
}

/* `option` asks for texts that translations contain. Between two models, nothing is known of them. Such translations
 * are found by a beam search of their own. */
static Status check_demands(const Options *o, const char *option, Err *err)
{
    const char *other = o->pieces_in                   ? "--pieces"
                        : o->sampling & OPTION_ON      ? "--sample"
                        : o->alternatives != NOT_GIVEN ? "--alternatives"
                                                       : NULL;

    if (other) return err_set(err, ERR_USAGE, "%s and %s cannot be used together", option, other);
    if (options_model_count(o) > 1 || o->vias.count)
        return err_set(err, ERR_USAGE, "%s can only be used with one model, which translates directly", option);
    return OK;
}

static Status check_musts(const Options *o, Err *err)
{
    for (size_t i = 0; i < o->musts.count; i++)
        if (utf8_leading_space(o->musts.items[i], strlen(o->musts.items[i])) == strlen(o->musts.items[i]))
            return err_set(err, ERR_USAGE, "--must: the text is blank");
    return o->musts.count ? check_demands(o, "--must", err) : OK;
}

static Status check_columns(const Options *o, const LineColumns *columns, Err *err)
{
    const char *option = o->force_decode ? "--force-decode" : "--tsv-in";

    if (!columns->count) return OK;
    if (o->as && strcmp(o->as, AS_LINES) != 0)
        return err_set(err, ERR_USAGE, "%s and --as %s cannot be used together: columns are read in lines", option,
                       o->as);
    if (o->prefix && line_columns_has(columns, COLUMN_PREFIX))
        return err_set(err, ERR_USAGE, "--prefix and a column prefix cannot be used together");
    return OK;
}

static Status check_word_scores(const Options *o, Err *err)
{
    if (!o->word_scores || o->format == FORMAT_TEXT || o->format == FORMAT_MARIAN) return OK;
    return err_set(err, ERR_USAGE, "--word-scores cannot be used with --format %s; use --token-scores",
                   format_names[o->format]);
}

Status option_check_choices(const Options *o, Err *err)
{
    const JobSettings settings = options_job_settings(o);
    LineColumns columns;
    Status st = check_texts(o, err);

    if (st == OK) st = line_columns_read(&columns, &settings, err);
    if (st == OK) st = check_columns(o, &columns, err);
    if (st == OK) st = check_search(o, o->prefix || line_columns_has(&columns, COLUMN_PREFIX), err);
    if (st == OK) st = check_musts(o, err);
    if (st == OK && line_columns_has(&columns, COLUMN_MUST)) st = check_demands(o, "the column must", err);
    if (st == OK && o->glossaries.count) st = check_demands(o, "--glossary", err);
    return st == OK ? check_word_scores(o, err) : st;
}
