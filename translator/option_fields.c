/* option_fields.c - see option_fields.h; also the functions of dragoman.h that set options. */
#include "option_fields.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(member)               .field = offsetof(struct DragomanOptions, member)
#define TEXT(member)             .about.kind = DRAGOMAN_KIND_TEXT, AT(member)
#define LIST(member)             .about.kind = DRAGOMAN_KIND_LIST, AT(member)
#define EACH(member, all)        .about.kind = DRAGOMAN_KIND_EACH, AT(member), .list = offsetof(struct DragomanOptions, all)
#define FLAG(member)             .about.kind = DRAGOMAN_KIND_FLAG, AT(member)
#define SWITCH(member)           .about.kind = DRAGOMAN_KIND_SWITCH, AT(member)
#define CHOICE(member, ...)      .about.kind = DRAGOMAN_KIND_CHOICE, AT(member), .about.words = WORDS(__VA_ARGS__)
#define WORDS(...)               ((const char *const[]){ __VA_ARGS__, NULL })
#define LIMITS(from, to)         .about.low = (from), .about.high = (to)
#define SIZE(member, from, to)   .about.kind = DRAGOMAN_KIND_SIZE, AT(member), LIMITS(from, to)
#define NUMBER(member, from, to) .about.kind = DRAGOMAN_KIND_NUMBER, AT(member), LIMITS(from, to)
#define REAL(member, from, to)   .about.kind = DRAGOMAN_KIND_REAL, AT(member), LIMITS(from, to)
#define EFFECT_CHANGES           .identity = IDENTITY_CHANGES
#define EFFECT_FILES             .identity = IDENTITY_FILES
#define EFFECT_GIVEN             .identity = IDENTITY_GIVEN
#define EFFECT_KEEPS(why)        .identity = IDENTITY_KEEPS, .reason = (why)
#define HELP(commands, text)     text,
#define FIRST(first, ...)        first
#define FIRST_OF(...)            FIRST(__VA_ARGS__)
#define SETTING_ROW(constant, stored, scope, effect, spelled, letter, value, group, ...)                               \
    [DRAGOMAN_##constant] = { .about.name = #constant,                                                                 \
                              .about.option = (spelled),                                                               \
                              .about.argument = (value),                                                               \
                              .about.models = DRAGOMAN_FOR_##scope,                                                    \
                              .about.help = FIRST_OF(__VA_ARGS__),                                                     \
                              stored,                                                                                  \
                              EFFECT_##effect },

const SettingRow setting_rows[DRAGOMAN_SETTINGS] = {
#include "settings.def"
};

/* Two settings that cannot be used together. */
static const struct {
    DragomanSetting setting, other;
    const char *amount, *reason;
} exclusions[] = {
#define EXCLUDES(constant, excluded, above, why) { DRAGOMAN_##constant, DRAGOMAN_##excluded, above, why },
#include "settings.def"
};

static bool exists(DragomanSetting setting)
{
    return setting > DRAGOMAN_NO_SETTING && setting < DRAGOMAN_SETTINGS;
}

static bool is_kind(DragomanSetting setting, DragomanKind kind)
{
    return exists(setting) && setting_rows[setting].about.kind == (int)kind;
}

const DragomanSettingRow *dragoman_setting_row(DragomanSetting setting)
{
    return exists(setting) ? &setting_rows[setting].about : NULL;
}

static void *field_of(DragomanOptions *options, DragomanSetting setting)
{
    return (char *)options + setting_rows[setting].field;
}

const void *option_fields_value(const DragomanOptions *options, DragomanSetting setting)
{
    return (const char *)options + setting_rows[setting].field;
}

bool text_list_add(TextList *list, const char *text)
{
    char *copy = text ? strdup(text) : NULL, **items;

    if (text && !copy) return false;
    items = realloc(list->items, (list->count + 1) * sizeof *items);
    if (!items) {
        free(copy);
        return false;
    }
    list->items = items;
    list->items[list->count++] = copy;
    return true;
}

void text_list_free(TextList *list)
{
    for (size_t i = 0; i < list->count; i++) free(list->items[i]);
    free(list->items);
    *list = (TextList){ 0 };
}

/* The texts of a setting of the kind LIST or EACH; else NULL. */
static TextList *list_of(DragomanOptions *options, DragomanSetting setting)
{
    if (is_kind(setting, DRAGOMAN_KIND_LIST)) return field_of(options, setting);
    if (!is_kind(setting, DRAGOMAN_KIND_EACH)) return NULL;
    return (TextList *)(void *)((char *)options + setting_rows[setting].list);
}

DragomanOptions option_fields_default(void)
{
    DragomanOptions options = { 0 };

    for (DragomanSetting i = 0; i < DRAGOMAN_SETTINGS; i++)
        if (is_kind(i, DRAGOMAN_KIND_NUMBER)) *(long *)field_of(&options, i) = -1;
    return options;
}

long option_fields_reuse(const DragomanOptions *options)
{
    return options->reuse < 0 ? DRAGOMAN_DEFAULT_REUSE : options->reuse;
}

void dragoman_options_free(DragomanOptions *options)
{
    if (!options) return;
    for (DragomanSetting i = 0; i < DRAGOMAN_SETTINGS; i++) {
        if (is_kind(i, DRAGOMAN_KIND_TEXT)) free(*(void **)field_of(options, i));
        if (list_of(options, i)) text_list_free(list_of(options, i));
    }
    free(options);
}

Status option_fields_copy(DragomanOptions **out, const DragomanOptions *options, Err *err)
{
    DragomanOptions *copy = malloc(sizeof *copy);
    bool is_complete = copy != NULL;

    *out = NULL;
    if (copy) *copy = *options;
    for (DragomanSetting i = 0; copy && i < DRAGOMAN_SETTINGS; i++) {
        TextList *list = list_of(copy, i);
        const TextList from = list ? *list : (TextList){ 0 };
        const char *const *texts = is_kind(i, DRAGOMAN_KIND_TEXT) ? field_of(copy, i) : NULL;
        const char *text = texts ? *texts : NULL;
        if (list) *list = (TextList){ 0 };
        if (texts) *(const char **)field_of(copy, i) = NULL;
        for (size_t k = 0; is_complete && k < from.count; k++)
            is_complete = dragoman_add_text(copy, i, from.items[k], NULL) == DRAGOMAN_OK;
        if (is_complete && text) is_complete = dragoman_set_text(copy, i, text, NULL) == DRAGOMAN_OK;
    }
    if (is_complete) {
        *out = copy;
        return OK;
    }
    dragoman_options_free(copy);
    return err_memory(err, "the options");
}

void dragoman_options_spell(DragomanOptions *options, DragomanSpeller *speller, void *context)
{
    options->spelling = (Spelling){ speller, context };
}

size_t option_fields_model_count(const DragomanOptions *options)
{
    return options->models.count ? options->models.count : 1;
}

/* Returns item `index`; NULL if the list is shorter. */
static const char *item_of(const TextList *list, size_t index)
{
    return index < list->count ? list->items[index] : NULL;
}

/* Sizes of the fields, by DragomanKind. */
static const size_t sizes[] = { [DRAGOMAN_KIND_TEXT] = sizeof(char *), [DRAGOMAN_KIND_LIST] = sizeof(TextList),
                                [DRAGOMAN_KIND_FLAG] = sizeof(bool),   [DRAGOMAN_KIND_SWITCH] = sizeof(Switch),
                                [DRAGOMAN_KIND_CHOICE] = sizeof(int),  [DRAGOMAN_KIND_SIZE] = sizeof(size_t),
                                [DRAGOMAN_KIND_NUMBER] = sizeof(long), [DRAGOMAN_KIND_REAL] = sizeof(OptionalReal) };

DragomanOptions option_fields_of_model(const DragomanOptions *options, size_t model)
{
    const bool is_first = model == 0, is_last = model + 1 == option_fields_model_count(options);
    DragomanOptions out = *options, unset = option_fields_default();

    for (DragomanSetting i = DRAGOMAN_NO_SETTING + 1; i < DRAGOMAN_SETTINGS; i++) {
        const DragomanSettingRow *row = &setting_rows[i].about;
        TextList *list = list_of(&out, i);
        if ((row->models == DRAGOMAN_FOR_FIRST && !is_first) || (row->models == DRAGOMAN_FOR_LAST && !is_last))
            memcpy(field_of(&out, i), field_of(&unset, i), sizes[row->kind]);
        if (row->kind != DRAGOMAN_KIND_EACH) continue;
        if (list->count && row->models == DRAGOMAN_FOR_EACH) *(const char **)field_of(&out, i) = item_of(list, model);
        if (row->models == DRAGOMAN_FOR_BETWEEN)
            *(const char **)field_of(&out, i) = is_first ? NULL : item_of(list, model - 1);
        *list = (TextList){ 0 };
    }
    if (!is_first) out.keep_unknown = out.keep_numbers = SWITCH_OFF; /* the first model does this for all models */
    if (!is_last) out.sampling = SWITCH_OFF;                         /* pivot texts are never drawn at random */
    if (!is_last) out.skip_scores = true;                            /* nobody reads the scores of pivot texts */
    return out;
}

DragomanOptions option_fields_of_first(const DragomanOptions *options)
{
    DragomanOptions only = *options;

    only.models = (TextList){ 0 };
    return option_fields_of_model(&only, 0);
}

long option_fields_number(const SettingRow *row, const void *value)
{
    switch ((DragomanKind)row->about.kind) {
    case DRAGOMAN_KIND_FLAG:
        return *(const bool *)value;
    case DRAGOMAN_KIND_SWITCH:
        return (long)*(const Switch *)value;
    case DRAGOMAN_KIND_CHOICE:
        return *(const int *)value;
    case DRAGOMAN_KIND_SIZE:
        return (long)*(const size_t *)value;
    default:
        return *(const long *)value;
    }
}

static bool is_same_text(const char *text, const char *other)
{
    return text && other ? strcmp(text, other) == 0 : text == other;
}

bool option_fields_same(const DragomanOptions *options, const DragomanOptions *other, DragomanSetting setting)
{
    const SettingRow *row = &setting_rows[setting];
    const void *a = option_fields_value(options, setting), *b = option_fields_value(other, setting);
    const bool is_each = is_kind(setting, DRAGOMAN_KIND_EACH);
    const TextList *list = a, *others = b;

    if (is_kind(setting, DRAGOMAN_KIND_REAL)) {
        const OptionalReal *real = a, *another = b;
        return real->given == another->given && (!real->given || real->value == another->value);
    }
    if (is_kind(setting, DRAGOMAN_KIND_TEXT) || is_each) {
        if (!is_same_text(*(const char *const *)a, *(const char *const *)b)) return false;
        if (!is_each) return true;
        list = (const TextList *)(const void *)((const char *)options + row->list);
        others = (const TextList *)(const void *)((const char *)other + row->list);
    } else if (!is_kind(setting, DRAGOMAN_KIND_LIST)) {
        return option_fields_number(row, a) == option_fields_number(row, b);
    }
    for (size_t i = 0; i < list->count && i < others->count; i++)
        if (!is_same_text(list->items[i], others->items[i])) return false;
    return list->count == others->count;
}

Status option_fields_share(DragomanOptions **out, const DragomanOptions *of, const DragomanOptions *asked,
                           const DragomanOptions *options, Err *err)
{
    const DragomanOptions unset = option_fields_default();
    DragomanOptions mixed = *of; /* shares its texts with `of` and `options` */

    *out = NULL;
    for (DragomanSetting i = DRAGOMAN_NO_SETTING + 1; i < DRAGOMAN_SETTINGS; i++) {
        const DragomanSettingRow *row = &setting_rows[i].about;
        if (row->models == DRAGOMAN_FOR_JOB)
            memcpy(field_of(&mixed, i), option_fields_value(options, i), sizes[row->kind]);
        else if (!option_fields_same(options, &unset, i) && !option_fields_same(options, asked, i))
            return err_set(err, ERR_USAGE,
                           SETTING_BEGIN "%s" SETTING_END
                                         " is a setting of the open models and cannot be changed; open "
                                         "the models again with the new value",
                           row->name);
    }
    mixed.spelling = options->spelling;
    return option_fields_copy(out, &mixed, err);
}

bool option_fields_in_use(const DragomanOptions *options, DragomanSetting setting)
{
    const SettingRow *row = &setting_rows[setting];
    const void *field = option_fields_value(options, setting);

    switch ((DragomanKind)row->about.kind) {
    case DRAGOMAN_KIND_LIST:
        return ((const TextList *)field)->count > 0;
    case DRAGOMAN_KIND_TEXT:
    case DRAGOMAN_KIND_EACH:
        return *(const char *const *)field != NULL;
    case DRAGOMAN_KIND_REAL:
        return ((const OptionalReal *)field)->value > 0;
    case DRAGOMAN_KIND_SWITCH:
        return option_fields_number(row, field) == SWITCH_ON;
    case DRAGOMAN_KIND_NUMBER:
        return option_fields_number(row, field) >= 0;
    default:
        return option_fields_number(row, field) > (setting == DRAGOMAN_N_BEST);
    }
}

static Status check_exclusions(const DragomanOptions *options, Err *err)
{
    for (size_t i = 0; i < sizeof exclusions / sizeof *exclusions; i++)
        if (option_fields_in_use(options, exclusions[i].setting) && option_fields_in_use(options, exclusions[i].other))
            return err_set(err, ERR_USAGE,
                           SETTING_BEGIN "%s" SETTING_END " and " SETTING_BEGIN "%s" SETTING_END
                                         "%s cannot be used together%s",
                           setting_rows[exclusions[i].setting].about.name, setting_rows[exclusions[i].other].about.name,
                           exclusions[i].amount, exclusions[i].reason);
    return OK;
}

Status option_fields_check(const DragomanOptions *options, Err *err)
{
    const size_t models = option_fields_model_count(options);

    for (DragomanSetting i = DRAGOMAN_NO_SETTING + 1; i < DRAGOMAN_SETTINGS; i++) {
        const SettingRow *row = &setting_rows[i];
        const size_t most = row->about.models == DRAGOMAN_FOR_BETWEEN ? models - 1 : models;
        const TextList *list = (const TextList *)(const void *)((const char *)options + row->list);
        if (is_kind(i, DRAGOMAN_KIND_EACH) && list->count > most)
            return err_set(err, ERR_USAGE, SETTING_BEGIN "%s" SETTING_END ": %zu given for %zu model%s",
                           row->about.name, list->count, models, models == 1 ? "" : "s");
    }
    return check_exclusions(options, err);
}

DragomanStatus dragoman_check_options(const DragomanOptions *options, DragomanError *error)
{
    Err err = { "" };

    return option_fields_answer(option_fields_check(options, &err), &err, options->spelling, error);
}

DragomanSetting option_fields_name(Err *err, Spelling spelling)
{
    static const char dots[] = "...", letters[] = "=ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    const size_t mark = sizeof SETTING_BEGIN - 1;
    DragomanSetting first = DRAGOMAN_NO_SETTING;
    char *begin, *end;

    while ((begin = strstr(err->text, SETTING_BEGIN)) && (end = strstr(begin, SETTING_END))) {
        const bool is_silent = begin[mark] == SETTING_SILENT;
        const char *constant = begin + mark + is_silent;
        const size_t len = (size_t)(end - constant);
        DragomanSetting setting = DRAGOMAN_SETTINGS - 1;
        char name[64] = "";
        while (setting && (strlen(setting_rows[setting].about.name) != len ||
                           memcmp(setting_rows[setting].about.name, constant, len) != 0))
            setting--;
        if (!is_silent && (!spelling.speller || !spelling.speller(spelling.context, setting, name, sizeof name)))
            snprintf(name, sizeof name, "DRAGOMAN_%.*s", (int)len, constant);
        (void)err_set(err, OK, "%.*s%s%s", (int)(begin - err->text), err->text, name, end + mark);
        if (!first) first = setting;
    }
    /* A message that was cut because of its length may end in the middle of a SETTING(): remove that part. */
    for (char *at = strstr(err->text, SETTING_BEGIN); at; at = strstr(at + mark, SETTING_BEGIN))
        if (strcmp(at + mark + strspn(at + mark, letters), dots) == 0) memcpy(at, dots, sizeof dots);
    return first;
}

DragomanStatus option_fields_answer(Status st, Err *err, Spelling spelling, DragomanError *error)
{
    if (!error) return (DragomanStatus)st;
    error->status = (DragomanStatus)st;
    error->setting = st == OK ? DRAGOMAN_NO_SETTING : option_fields_name(err, spelling);
    memcpy(error->message, st == OK ? "" : err->text, st == OK ? 1 : sizeof error->message);
    return error->status;
}

/* buf_put() of zero bytes allocates the buffer, so that *out is not NULL on success. */
DragomanStatus option_fields_answer_text(char **out, Status st, Buf *text, Err *err, Spelling spelling,
                                         DragomanError *error)
{
    buf_put(text, "", 0);
    if (st == OK) st = buf_check(text, err);
    if (st != OK) buf_free(text);
    *out = text->data;
    return option_fields_answer(st, err, spelling, error);
}

Status option_fields_check_model(const DragomanOptions *options, Err *err)
{
    if (options && options->model && *options->model) return check_exclusions(options, err);
    return err_set(err, ERR_USAGE, "no model is set; set " SETTING(MODEL));
}

/* Returns the answer of a setter. `fault` describes what is wrong with the setting or its value; NULL: nothing. */
static DragomanStatus answer(const DragomanOptions *options, DragomanSetting setting, const char *fault,
                             DragomanError *error)
{
    Err err = { "" };
    Status st = OK;

    if (fault && !exists(setting))
        st = err_set(&err, ERR_USAGE, "there is no setting %d", (int)setting);
    else if (fault)
        st = err_set(&err, ERR_USAGE, SETTING_BEGIN "%s" SETTING_END " %s", setting_rows[setting].about.name, fault);
    return option_fields_answer(st, &err, options->spelling, error);
}

static DragomanStatus answer_memory(const DragomanOptions *options, DragomanError *error)
{
    Err err = { "" };

    return option_fields_answer(err_memory(&err, "a text"), &err, options->spelling, error);
}

DragomanStatus dragoman_add_text(DragomanOptions *options, DragomanSetting setting, const char *text,
                                 DragomanError *error)
{
    TextList *list = list_of(options, setting);

    if (!list) return answer(options, setting, "is not a list of texts", error);
    if (!text && (is_kind(setting, DRAGOMAN_KIND_LIST) || setting == DRAGOMAN_MODEL))
        return answer(options, setting, "needs a text", error);
    if (!text_list_add(list, text)) return answer_memory(options, error);
    if (is_kind(setting, DRAGOMAN_KIND_EACH)) *(const char **)field_of(options, setting) = list->items[0];
    return answer(options, setting, NULL, error);
}

DragomanStatus dragoman_set_text(DragomanOptions *options, DragomanSetting setting, const char *text,
                                 DragomanError *error)
{
    TextList *list = list_of(options, setting), one = { 0 };

    if (!list && !is_kind(setting, DRAGOMAN_KIND_TEXT)) return answer(options, setting, "is not a text setting", error);
    if (text && !text_list_add(&one, text)) return answer_memory(options, error);
    if (list) {
        text_list_free(list);
        *list = one;
        if (is_kind(setting, DRAGOMAN_KIND_EACH)) *(const char **)field_of(options, setting) = item_of(list, 0);
    } else {
        char **field = field_of(options, setting);
        free(*field);
        *field = text ? one.items[0] : NULL;
        free(one.items);
    }
    return answer(options, setting, NULL, error);
}

DragomanStatus dragoman_set_number(DragomanOptions *options, DragomanSetting setting, long number, DragomanError *error)
{
    const bool is_number = is_kind(setting, DRAGOMAN_KIND_NUMBER), is_choice = is_kind(setting, DRAGOMAN_KIND_CHOICE);
    long words = 0;

    if (!is_number && !is_choice && !is_kind(setting, DRAGOMAN_KIND_SIZE))
        return answer(options, setting, "is not a number setting", error);
    while (is_choice && setting_rows[setting].about.words[words]) words++;
    if (number < (is_number ? -1 : 0) || (is_choice && number >= words))
        return answer(options, setting, "is out of range", error);
    if (is_number)
        *(long *)field_of(options, setting) = number;
    else if (is_choice)
        *(int *)field_of(options, setting) = (int)number;
    else
        *(size_t *)field_of(options, setting) = (size_t)number;
    return answer(options, setting, NULL, error);
}

DragomanStatus dragoman_set_real(DragomanOptions *options, DragomanSetting setting, double number, DragomanError *error)
{
    if (!is_kind(setting, DRAGOMAN_KIND_REAL)) return answer(options, setting, "is not a real setting", error);
    if (!isfinite((float)number)) return answer(options, setting, "must be a finite number", error);
    *(OptionalReal *)field_of(options, setting) = (OptionalReal){ true, (float)number };
    return answer(options, setting, NULL, error);
}

DragomanStatus dragoman_set_flag(DragomanOptions *options, DragomanSetting setting, bool flag, DragomanError *error)
{
    if (is_kind(setting, DRAGOMAN_KIND_FLAG))
        *(bool *)field_of(options, setting) = flag;
    else if (is_kind(setting, DRAGOMAN_KIND_SWITCH))
        *(Switch *)field_of(options, setting) = flag ? SWITCH_ON : SWITCH_OFF;
    else
        return answer(options, setting, "is not a flag setting", error);
    return answer(options, setting, NULL, error);
}
