/* option_checks.c - what can be checked without a model: see option_parts.h. */
#include <string.h>
#include <strings.h>

#include "command_table.h"
#include "format.h"
#include "help.h"
#include "library.h"
#include "nearest.h"
#include "option_parts.h"
#include "options.h"
#include "path.h"
#include "text.h"
#include "utf8.h"

static Status check_value(const char *name, const char *text, Err *err)
{
    if (!text || *text) return OK;
    return err_set(err, ERR_USAGE, "option '--%s' needs a value that is not empty", name);
}

/* Refuses empty values, which mostly come from unset shell variables: -m "$MODEL" would otherwise use another model.
 * Only the prefix and the forced translation may be empty. */
static Status check_not_empty(const Options *o, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < option_count; i++) {
        const OptionRow *row = &option_table[i];
        const void *field = (const char *)o + row->field;
        const OptionList *list = field;
        if (strcmp(row->name, "prefix") == 0 || strcmp(row->name, "forced") == 0) continue;
        if (row->kind == OPTION_TEXT) st = check_value(row->name, *(const char *const *)field, err);
        for (size_t k = 0; st == OK && row->kind == OPTION_LIST && k < list->count; k++)
            st = check_value(row->name, list->items[k], err);
    }
    return st;
}

/* Checks the number of values of options that are given once per model or between models. */
static Status check_models(const Options *o, Err *err)
{
    const size_t models = options_model_count(o);

    if (o->vias.count && !o->models.count)
        return err_set(err, ERR_USAGE, "--via needs several models: give them with -m");
    for (size_t i = 0; i < option_count; i++) {
        const OptionRow *row = &option_table[i];
        const DragomanSettingRow *setting = dragoman_setting_row(row->setting);
        const OptionList *list = (const OptionList *)(const void *)((const char *)o + row->field);
        const bool is_between = setting && setting->models == DRAGOMAN_FOR_BETWEEN;
        if (!setting || setting->kind != DRAGOMAN_KIND_EACH || row->setting == DRAGOMAN_MODEL) continue;
        if (list->count && list->count != models - is_between)
            return err_set(err, ERR_USAGE, "--%s: %zu given for %zu model%s: give it %s", row->name, list->count,
                           models, plural(models),
                           is_between ? "once between each two models" : "once per model; use - for none");
    }
    if (models > 1 && o->command != COMMAND_TRANSLATE && o->command != COMMAND_INFO)
        return err_set(err, ERR_USAGE, "%s: takes one model, not %zu", command_table[o->command].name, models);
    return OK;
}

/* A command that is not the first argument, or is mistyped, looks like a file. If a file with that name exists, it
 * is a file. A name with a slash is a path. */
static Status check_for_command(const Options *o, Err *err)
{
    for (size_t i = 0; i < o->file_count; i++) {
        const char *file = o->files[i];
        Nearest nearest = NEAREST_START;
        if (strchr(file, '/')) continue;
        for (Command c = 0; c < COMMANDS; c++)
            if (command_is_shown(c)) nearest_add(&nearest, file, strlen(file), command_table[c].name);
        if (!nearest.name || (i && nearest.distance) || path_exists(file)) continue;
        if (!nearest.distance)
            return err_set(err, ERR_USAGE, "the command '%s' must come first: dragoman %s [OPTION]...", file, file);
        return err_set(err, ERR_USAGE, "%s: No such file or directory (did you mean the command 'dragoman %s'?)", file,
                       nearest.name);
    }
    return OK;
}

static bool is_given(const Options *o, const char *name)
{
    for (size_t i = 0; i < option_count; i++) {
        const OptionRow *row = &option_table[i];
        const void *field = (const char *)o + row->field;
        if (strcmp(row->name, name) != 0 || !option_help(row, o->command)) continue;
        if (row->kind == OPTION_LIST) return ((const OptionList *)field)->count > 0;
        if (row->kind == OPTION_FLAG) return *(const bool *)field;
        if (row->kind == OPTION_CHOICE) return *(const long *)field > 0;
        if (row->kind == OPTION_TEXT) return *(const char *const *)field != NULL;
        if (row->kind == OPTION_ALIGNMENT) return ((const AlignmentStyle *)field)->kind != ALIGNMENT_NONE;
    }
    return false;
}

/* Refuses options that have no effect without -O or --suffix. */
static Status check_no_batch(const Options *o, Err *err)
{
    static const char *const names[] = { "include", "exclude", "others", "resume", "dry-run" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_given(o, names[i])) return err_set(err, ERR_USAGE, "--%s needs -O DIR or --suffix TEXT", names[i]);
    for (size_t i = 0; i < o->file_count; i++)
        if (path_is_directory(o->files[i]))
            return err_set(err, ERR_USAGE, "%s is a folder; use -O DIR or --suffix TEXT to translate its files",
                           o->files[i]);
    return OK;
}

/* A batch writes a file for each file of the input, so neither can be a stream. */
static Status check_batch(const Options *o, Err *err)
{
    const char *option = o->output_dir ? "-O" : "--suffix";

    if (!o->output_dir && !o->suffix) return check_no_batch(o, err);
    if (o->output_dir && o->suffix) return err_set(err, ERR_USAGE, "-O and --suffix cannot be used together");
    if (o->output) return err_set(err, ERR_USAGE, "%s and -o cannot be used together", option);
    if (!o->file_count) return err_set(err, ERR_USAGE, "%s needs files or folders to translate", option);
    for (size_t i = 0; i < o->file_count; i++)
        if (strcmp(o->files[i], "-") == 0)
            return err_set(err, ERR_USAGE, "%s and - (standard input) cannot be used together", option);
    if (o->suffix && strchr(o->suffix, '/'))
        return err_set(err, ERR_USAGE, "--suffix: '%s' contains a slash; use -O to write to another folder", o->suffix);
    return OK;
}

static Status check_formats(const Options *o, Err *err)
{
    if (o->alignment_unit != DRAGOMAN_TOKENS && o->alignment.kind == ALIGNMENT_NONE)
        return err_set(err, ERR_USAGE, "--alignment-unit needs --alignment");
    if (o->token_scores && o->format != FORMAT_TSV && o->format != FORMAT_JSONL)
        return err_set(err, ERR_USAGE, "--token-scores needs --format tsv or --format jsonl");
    if (o->confidence && o->format != FORMAT_TSV && o->format != FORMAT_JSONL)
        return err_set(err, ERR_USAGE, "--confidence needs --format tsv or --format jsonl");
    return OK;
}

/* Refuses options that only documents have; the input is lines. */
static Status check_no_document(const Options *o, Err *err)
{
    static const char *const names[] = { "select", "skip", "column", "retranslate", "keep-lang", "force-language" };

    if (o->encoding && (o->tsv_in || o->force_decode))
        return err_set(err, ERR_USAGE, "--encoding cannot be used with %s, whose columns are read in UTF-8",
                       o->tsv_in ? "--tsv-in" : "--force-decode");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_given(o, names[i]))
            return err_set(err, ERR_USAGE,
                           "--%s needs documents, but the input is read as lines; choose a format with --as", names[i]);
    return OK;
}

/* Whether the list contains the name. */
static bool lists_name(const char *list, char separator, const char *name)
{
    const size_t length = strlen(name);

    for (const char *at = strstr(list, name); at; at = strstr(at + 1, name))
        if ((at == list || at[-1] == separator) && (!at[length] || at[length] == separator)) return true;
    return false;
}

/* Refuses options that only other formats have. In a batch, other files may have translations. */
static Status check_parts(const Options *o, const char *path, DragomanFormat format, Err *err)
{
    const bool is_batch = o->output_dir || o->suffix;
    const struct {
        const char *name;
        size_t count;
        const char *formats;
    } rows[] = { { "--select", o->selects.count, "xml json jsonl yaml" },
                 { "--skip", o->skips.count, "xml json jsonl yaml" },
                 { "--column", o->columns.count, "csv tsv" },
                 { "--bilingual", o->bilingual, "html markdown text" },
                 { "--retranslate", o->retranslate && !is_batch, "po xliff tmx qt" } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].count && !lists_name(rows[i].formats, ' ', format.name))
            return err_set(err, ERR_USAGE, "%s cannot be used with %s, a document of the format %s; it applies to: %s",
                           rows[i].name, path, format.name, rows[i].formats);
    return OK;
}

static bool is_encoded_lines(DragomanFormat format)
{
    return format.is_document && strcmp(format.name, DRAGOMAN_LINES) == 0;
}

/* Refuses options that documents do not have: a document has one translation, in the format of the document. */
static Status check_document_format(const Options *o, const char *path, DragomanFormat format, Err *err)
{
    const struct {
        const char *name;
        bool given;
    } rows[] = { { "--format", o->format != 0 },
                 { "--n-best above 1", o->n_best > 1 },
                 { "--alternatives", o->alternatives != NOT_GIVEN },
                 { "--pieces", o->pieces_in },
                 { "--alignment", o->alignment.kind != ALIGNMENT_NONE },
                 { "--must", o->musts.count > 0 },
                 { "--word-scores", o->word_scores },
                 { "--bilingual", is_encoded_lines(format) && o->bilingual } };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].given && is_encoded_lines(format))
            return err_set(err, ERR_USAGE,
                           "%s cannot be used with %s, which is not in UTF-8; convert it to UTF-8 first, as with iconv",
                           rows[i].name, path);
        else if (rows[i].given)
            return err_set(err, ERR_USAGE, "%s cannot be used with documents, and %s is one (%s)%s", rows[i].name, path,
                           format.name, o->as ? "" : "; to translate its lines, use --as " DRAGOMAN_LINES);
    return check_parts(o, path, format, err);
}

/* Refuses options that only documents have. */
static Status check_lines(const Options *o, const char *path, Err *err)
{
    const char *option = o->identity ? "--identity" : "--pseudo";

    if (!options_need_no_model(o)) return OK;
    return err_set(err, ERR_USAGE, "%s needs documents, but %s is read as lines; choose its format with --as", option,
                   path);
}

Status options_check_format(const Options *o, const char *path, DragomanFormat format, Err *err)
{
    const char *name = path_of_input(path);

    return format.is_document ? check_document_format(o, name, format, err) : check_lines(o, name, err);
}

/* Without -O and --suffix, a document must be the only input. */
static Status check_single_document(const Options *o, Err *err)
{
    static const char *const standard_input[] = { "-" };
    const char *const *files = o->file_count ? (const char *const *)o->files : standard_input;
    const size_t count = o->file_count ? o->file_count : 1;
    Status st = OK;

    for (size_t i = 0; st == OK && i < count; i++) {
        const DragomanFormat format = dragoman_format_of(o->settings, files[i]);
        if (is_encoded_lines(format) && count > 1)
            return err_set(err, ERR_USAGE,
                           "%s is not in UTF-8, so it cannot share its output with other files; use -O DIR or --suffix "
                           "TEXT, or convert it to UTF-8",
                           files[i]);
        if (format.is_document && count > 1)
            return err_set(err, ERR_USAGE,
                           "%s is a document (%s), which cannot share its output with other files; use -O DIR or "
                           "--suffix TEXT%s",
                           files[i], format.name, o->as ? "" : ", or --as " DRAGOMAN_LINES);
        st = options_check_format(o, files[i], format, err);
        if (st == OK && !format.is_document) st = check_no_document(o, err);
    }
    return st;
}

/* The files of a batch are checked when they are found (batch_command.c). Some of them may be lines, on which
 * options of documents have no effect. */
static Status check_documents(const Options *o, Err *err)
{
    const bool is_lines = o->tsv_in || o->force_decode || (o->as && strcmp(o->as, DRAGOMAN_LINES) == 0);
    DragomanError error;
    const Status st = library_status(dragoman_job_check(o->settings, &error), &error, err);

    if (st != OK) return st;
    if (!o->output_dir && !o->suffix) return check_single_document(o, err);
    return is_lines ? check_no_document(o, err) : OK;
}

/* Languages are detected in text, and only to translate it. */
static Status check_detection(const Options *o, Err *err)
{
    const bool detect = o->from && strcasecmp(o->from, "auto") == 0;

    if (detect && o->command != COMMAND_TRANSLATE)
        return err_set(err, ERR_USAGE, "%s: --from auto can only be used to translate; name the language",
                       command_table[o->command].name);
    if (detect && o->pieces_in) return err_set(err, ERR_USAGE, "--from auto and --pieces cannot be used together");
    if (!detect && o->unknown == UNKNOWN_ERROR) return err_set(err, ERR_USAGE, "--unknown needs --from auto");
    return OK;
}

static Status check_translate(const Options *o, Err *err)
{
    Status st = check_for_command(o, err);

    if (st == OK) st = check_formats(o, err);
    if (st == OK) st = check_batch(o, err);
    return st == OK ? check_documents(o, err) : st;
}

static Status check_no_files(const Options *o, Err *err)
{
    if (!o->file_count) return OK;
    return err_set(err, ERR_USAGE, "%s: unexpected file '%s'; give the model with -m", command_table[o->command].name,
                   o->files[0]);
}

static Status check_list(const Options *o, Err *err)
{
    return o->file_count ? err_set(err, ERR_USAGE, "models: unexpected file '%s'; it takes no files", o->files[0]) : OK;
}

static Status check_pack(const Options *o, Err *err)
{
    Status st = check_no_files(o, err);

    if (st != OK) return st;
    if (o->as_f32 + o->as_bf16 + o->as_int8 + (o->precision != NOT_GIVEN) > 1)
        return err_set(err, ERR_USAGE, "pack: only one of --f32, --bf16, --int8 and --precision can be used");
    if (!o->models.count) return err_set(err, ERR_USAGE, "pack: needs -m PATH, the model to pack");
    if (!o->output || strcmp(o->output, "-") == 0)
        return err_set(err, ERR_USAGE, "pack: needs -o FILE, the file to write");
    return OK;
}

/* The commands shortlist and calibrate read two files and write one. */
static Status check_learning(const Options *o, Err *err)
{
    const char *name = command_table[o->command].name;

    if (o->file_count != 2)
        return err_set(err, ERR_USAGE, "%s: needs two files, SOURCE and its translation TARGET", name);
    if (!o->output || strcmp(o->output, "-") == 0)
        return err_set(err, ERR_USAGE, "%s: needs -o FILE, the file to write", name);
    if (strcmp(o->files[0], "-") == 0 && strcmp(o->files[1], "-") == 0)
        return err_set(err, ERR_USAGE, "%s: only one of SOURCE and TARGET can be - (standard input)", name);
    return OK;
}

static Status check_explain(const Options *o, Err *err)
{
    if (o->file_count == 1) return OK;
    if (!o->file_count) return err_set(err, ERR_USAGE, "explain: needs a text to translate");
    return err_set(err, ERR_USAGE, "explain: takes one text, not %zu; put it in quotes", o->file_count);
}

static Status check_get(const Options *o, Err *err)
{
    DragomanError error;

    if (o->file_count != 1) return err_set(err, ERR_USAGE, "get: needs the name of one model, such as ORG/NAME");
    return library_status(dragoman_check_download(o->files[0], &error), &error, err);
}

static Status check_help(const Options *o, Err *err)
{
    HelpSubject subject;

    return help_find(&subject, o->files, o->file_count, err);
}

static Status check_completion(const Options *o, Err *err)
{
    if (o->file_count != 1) return err_set(err, ERR_USAGE, "completion: needs one shell: bash, zsh or fish");
    if (shell_names[word_index(shell_names, o->files[0])]) return OK;
    return err_set(err, ERR_USAGE, "completion: there is a script for bash, zsh and fish, not for '%s'", o->files[0]);
}

static Status check_command(const Options *o, Err *err)
{
    static Status (*const checks[COMMANDS])(const Options *, Err *) = {
        [COMMAND_TRANSLATE] = check_translate, [COMMAND_INFO] = check_no_files,
        [COMMAND_MODELS] = check_list,         [COMMAND_PACK] = check_pack,
        [COMMAND_SHORTLIST] = check_learning,  [COMMAND_CALIBRATE] = check_learning,
        [COMMAND_EXPLAIN] = check_explain,     [COMMAND_GET] = check_get,
        [COMMAND_HELP] = check_help,           [COMMAND_COMPLETION] = check_completion,
    };

    return checks[o->command] ? checks[o->command](o, err) : OK;
}

/* What cannot be used together: an option and its negation, options of the program, and settings of the library. */
static Status check_exclusions(const Options *o, Err *err)
{
    static const char *const pairs[][2] = {
        { "bilingual", "format" },    { "bilingual", "alignment" }, { "bilingual", "word-scores" },
        { "memory", "format" },       { "memory", "alignment" },    { "memory", "word-scores" },
        { "memory", "force-decode" }, { "tsv-in", "force-decode" }, { "progress", "no-progress" },
    };
    DragomanError error;

    for (size_t i = 0; i < option_count; i++)
        if (option_table[i].kind == OPTION_SWITCH &&
            *(const unsigned *)(const void *)((const char *)o + option_table[i].field) == (OPTION_ON | OPTION_OFF))
            return err_set(err, ERR_USAGE, "--%s and --no-%s cannot be used together", option_table[i].name,
                           option_table[i].name);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (is_given(o, pairs[i][0]) && is_given(o, pairs[i][1]))
            return err_set(err, ERR_USAGE, "--%s and --%s cannot be used together", pairs[i][0], pairs[i][1]);
    if (o->greedy && o->beams > 1)
        return err_set(err, ERR_USAGE, "--greedy and --beam %ld cannot be used together", o->beams);
    return library_status(dragoman_check_options(o->settings, &error), &error, err);
}

/* --- Options that choose translations, and those that read them from columns. */

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

/* `option` asks for texts that translations contain. Between two models, nothing is known of them. */
static Status check_direct(const Options *o, const char *option, Err *err)
{
    if (options_model_count(o) == 1 && !o->vias.count) return OK;
    return err_set(err, ERR_USAGE, "%s can only be used with one model, which translates directly", option);
}

static Status check_musts(const Options *o, Err *err)
{
    for (size_t i = 0; i < o->musts.count; i++)
        if (utf8_leading_space(o->musts.items[i], strlen(o->musts.items[i])) == strlen(o->musts.items[i]))
            return err_set(err, ERR_USAGE, "--must: the text is blank");
    return o->musts.count ? check_direct(o, "--must", err) : OK;
}

/* The column must excludes what --must does. */
static Status check_column_must(const Options *o, Err *err)
{
    const char *other = o->pieces_in                   ? "--pieces"
                        : o->sampling == OPTION_ON     ? "--sample"
                        : o->alternatives != NOT_GIVEN ? "--alternatives"
                                                       : NULL;

    if (other) return err_set(err, ERR_USAGE, "the column must and %s cannot be used together", other);
    return check_direct(o, "the column must", err);
}

/* Whether lines have a column of this name. */
static bool has_column(const Options *o, const char *name)
{
    const char *columns = o->force_decode ? "source,prefix" : o->tsv_in;

    return columns && lists_name(columns, ',', name);
}

static Status check_columns(const Options *o, Err *err)
{
    const char *option = o->force_decode ? "--force-decode" : "--tsv-in";

    if (!o->force_decode && !o->tsv_in) return OK;
    if (o->as && strcmp(o->as, DRAGOMAN_LINES) != 0)
        return err_set(err, ERR_USAGE, "%s and --as %s cannot be used together: columns are read in lines", option,
                       o->as);
    if (o->prefix && has_column(o, "prefix"))
        return err_set(err, ERR_USAGE, "--prefix and a column prefix cannot be used together");
    return OK;
}

static Status check_word_scores(const Options *o, Err *err)
{
    if (!o->word_scores || o->format == FORMAT_TEXT || o->format == FORMAT_MARIAN) return OK;
    return err_set(err, ERR_USAGE, "--word-scores cannot be used with --format %s; use --token-scores",
                   format_names[o->format]);
}

static Status check_choices(const Options *o, Err *err)
{
    Status st = check_texts(o, err);

    if (st == OK) st = check_columns(o, err);
    if (st == OK) st = check_search(o, o->prefix || has_column(o, "prefix"), err);
    if (st == OK) st = check_musts(o, err);
    if (st == OK && has_column(o, "must")) st = check_column_must(o, err);
    if (st == OK && o->glossaries.count) st = check_direct(o, "--glossary", err);
    return st == OK ? check_word_scores(o, err) : st;
}

Status option_check_all(Options *o, Err *err)
{
    long beams = o->greedy ? 1 : o->beams;
    Status st;

    if (o->command == COMMAND_COMPLETE) return OK; /* a message would disturb the user who types */
    st = check_not_empty(o, err);
    if (st == OK) st = check_models(o, err);
    if (st == OK) st = library_options_new(&o->settings, o, (LibraryPaths){ .count = 0 }, err);
    if (st == OK) st = check_exclusions(o, err);
    if (st == OK) st = check_command(o, err);
    if (st == OK) st = check_detection(o, err);
    if (st != OK) return st;

    if (beams != NOT_GIVEN && o->n_best > beams && !o->patience.given && !(o->sampling == OPTION_ON && beams == 1))
        return err_set(err, ERR_USAGE, "--n-best %ld exceeds the beam size %ld", o->n_best, beams);
    if (o->max_length != NOT_GIVEN && o->min_length > o->max_length)
        return err_set(err, ERR_USAGE, "--min-length %ld exceeds --max-length %ld", o->min_length, o->max_length);
    if (!o->shortlists.count && o->command != COMMAND_SHORTLIST &&
        (o->shortlist_first != NOT_GIVEN || o->shortlist_best != NOT_GIVEN))
        return err_set(err, ERR_USAGE, "--shortlist-first and --shortlist-best need --shortlist FILE");
    return check_choices(o, err);
}
