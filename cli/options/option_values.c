/* option_values.c - converts the value of an option to its field: see option_parts.h. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "option_parts.h"

static Status set_integer(const OptionRow *row, long *field, const char *text, Err *err)
{
    char *end;
    long value;

    errno = 0;
    value = strtol(text, &end, 10);
    if (isspace((unsigned char)*text) || end == text || *end || errno || value < (long)row->low ||
        value > (long)row->high)
        return err_set(err, ERR_USAGE, "--%s: '%s' is not a whole number from %.0f to %.0f", row->name, text, row->low,
                       row->high);
    *field = value;
    return OK;
}

/* Accepts digits, signs, dots and exponents only, so "inf", "nan" and "0x1p3" are refused. The program never calls
 * setlocale(), so the locale is "C". */
static Status set_real(const OptionRow *row, OptionalFloat *field, const char *text, Err *err)
{
    char *end;
    double value = strtod(text, &end);

    if (strspn(text, "0123456789+-.eE") != strlen(text) || end == text || *end || !isfinite(value) ||
        value < row->low || value > row->high)
        return err_set(err, ERR_USAGE, "--%s: '%s' is not a number from %g to %g", row->name, text, row->low,
                       row->high);
    *field = (OptionalFloat){ true, (float)value };
    return OK;
}

static Status set_choice(const OptionRow *row, long *field, const char *text, Err *err)
{
    char list[128] = "";
    long i;

    for (i = 0; row->choices[i]; i++) {
        if (strcmp(row->choices[i], text) == 0) {
            *field = i;
            return OK;
        }
        if (i) strncat(list, ", ", sizeof list - strlen(list) - 1);
        strncat(list, row->choices[i], sizeof list - strlen(list) - 1);
    }
    return err_set(err, ERR_USAGE, "--%s must be one of %s, not '%s'", row->name, list, text);
}

static Status add_to_list(const OptionRow *row, OptionList *list, const char *text, Err *err)
{
    if (list->count == (size_t)row->high)
        return err_set(err, ERR_USAGE, "--%s can be given at most %.0f times", row->name, row->high);
    list->items[list->count++] = text;
    return OK;
}

Status option_set(Options *out, const OptionRow *row, const char *text, Err *err)
{
    char *field = (char *)out + row->field;

    switch (row->kind) {
    case OPTION_TEXT:
        *(const char **)(void *)field = text;
        return OK;
    case OPTION_LIST:
        return add_to_list(row, (OptionList *)(void *)field, text, err);
    case OPTION_INTEGER:
        return set_integer(row, (long *)(void *)field, text, err);
    case OPTION_REAL:
        return set_real(row, (OptionalFloat *)(void *)field, text, err);
    case OPTION_CHOICE:
        return set_choice(row, (long *)(void *)field, text, err);
    case OPTION_ALIGNMENT:
        return alignment_style_read((AlignmentStyle *)(void *)field, text, err);
    case OPTION_SWITCH:
        *(unsigned *)(void *)field |= (unsigned)row->low;
        return OK;
    default:
        *(bool *)field = true;
        return OK;
    }
}
