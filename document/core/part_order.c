/* part_order.c - see part_order.h. */
#include "part_order.h"

#include <stdlib.h>
#include <string.h>

#include "chars.h"
#include "statement_blocks.h"

typedef enum { PART_FREE, PART_STATEMENT, PART_PRINTF, PART_BRACES, PART_KINDS } PartKind;

/* Which arguments of the program replace a part. */
typedef enum {
    NAMES_NONE,
    NAMES_NEXT,
    NAMES_NEXT_ONLY, /* the next arguments; the part cannot get a number: %*d, https://%s/ */
    NAMES_NUMBER
} PartArgument;

typedef struct {
    PartKind kind;
    PartArgument argument;
} Part;

/* Returns the end of %%, %name% or %(name), which do not stand for the next argument; 0: the part begins in another
 * way. %s% is not %name%: a single letter after % is a placeholder, and the second % may begin another one. */
static size_t named_end(const char *part, size_t length)
{
    const bool is_bracket = length > 1 && part[1] == '(';
    size_t at = is_bracket ? 2 : 1;

    while (at < length && (is_bracket ? part[at] != ')' && part[at] != '%' : char_is_letter(part[at]))) at++;
    if (at == length || (!is_bracket && at == 2)) return 0;
    return part[at] == (is_bracket ? ')' : '%') ? at + 1 : 0;
}

/* Reads the placeholder of printf() that begins a part: %s, %-5.2f, %'d, %@, %#@name@; not %n, which takes no argument
 * in Java. If it stands for an argument, sets *end to its end, or for %1$s to the end of "%1$". */
static PartArgument printf_argument(const char *part, size_t length, size_t *end)
{
    const size_t digits = chars_skip(part, 1, length, "0123456789");
    const size_t flags = chars_skip(part, 1, length, "-+0# ,'(");
    size_t at = chars_skip(part, flags, length, "0123456789.*");
    const char *last;

    if (digits > 1 && digits < length && part[digits] == '$') {
        *end = digits + 1;
        return NAMES_NUMBER;
    }
    at = chars_skip(part, at, length, "hlqjztL");
    if (at == length || !part[at] || !strchr("diouxXeEfFgGaAcCsSp@", part[at])) return NAMES_NONE;
    last = part[at] == '@' ? memchr(part + at + 1, '@', length - at - 1) : NULL;
    *end = last ? (size_t)(last - part) + 1 : at + 1;
    return memchr(part, '*', *end) ? NAMES_NEXT_ONLY : NAMES_NEXT;
}

/* {}, {:>5} and {!r}. */
static PartArgument brace_argument(const char *part)
{
    return strchr("}:!", part[1]) ? NAMES_NEXT : char_is_digit(part[1]) ? NAMES_NUMBER : NAMES_NONE;
}

/* Looks for placeholders in a part that is more than a placeholder, such as an address or an option of a command. */
static Part read_inside(const char *part, size_t length)
{
    Part found = { PART_FREE, NAMES_NONE };

    for (size_t at = 0, size; at + 1 < length && found.argument != NAMES_NEXT_ONLY; at += size) {
        const size_t named = part[at] == '%' ? named_end(part + at, length - at) : 0;
        PartArgument argument = NAMES_NONE;
        size = named ? named : 1;
        if (part[at] == '{')
            argument = brace_argument(part + at);
        else if (part[at] == '%' && !named)
            argument = printf_argument(part + at, length - at, &size);
        if (argument == NAMES_NONE) continue;
        found.kind = part[at] == '%' ? PART_PRINTF : PART_BRACES;
        found.argument = argument == NAMES_NUMBER ? NAMES_NUMBER : NAMES_NEXT_ONLY;
    }
    return found;
}

static Part read_part(const char *part, size_t length, ArgumentRule rule)
{
    PartArgument argument;
    size_t end = 0;

    if (statement_blocks_is_statement_tag(part, length)) return (Part){ PART_STATEMENT, NAMES_NEXT };
    if (rule == ARGUMENTS_UNKNOWN || length < 2) return (Part){ PART_FREE, NAMES_NONE };
    if (*part == '{') return (Part){ PART_BRACES, brace_argument(part) };
    argument = *part == '%' ? printf_argument(part, length, &end) : NAMES_NONE;
    return end == length ? (Part){ PART_PRINTF, argument } : read_inside(part, length);
}

static void sort_edits(PartEdit *edits, size_t count)
{
    if (count) qsort(edits, count, sizeof *edits, ranges_compare_begin);
}

/* Puts the parts back in the order of the source, in which `edits` lists them: the first part gets the first of their
 * places in the translation, and so on. */
static Status put_back(PartEdit *edits, size_t count, Err *err)
{
    size_t *parts = malloc(count * sizeof *parts);

    if (!parts) return err_memory(err, "the order of a text");
    for (size_t i = 0; i < count; i++) parts[i] = edits[i].part;
    sort_edits(edits, count);
    for (size_t i = 0; i < count; i++) {
        edits[i].part = parts[i];
        edits[i].number = 0;
    }
    free(parts);
    return OK;
}

/* Lists the edits for all kinds of parts in order->edits, sorted by place. */
Status part_order_puts_back(PartOrder *order, const char *source, ArgumentRule rule, const Span *kept, size_t count,
                            bool *puts_back, Err *err)
{
    static const ArgumentRule numbering[PART_KINDS] = {
        [PART_STATEMENT] = ARGUMENTS_UNKNOWN, [PART_PRINTF] = ARGUMENTS_PRINTF, [PART_BRACES] = ARGUMENTS_BRACES
    };
    Status st = OK;

    order->edits.len = 0;
    *puts_back = false;
    for (PartKind kind = PART_STATEMENT; st == OK && kind < PART_KINDS; kind++) {
        const size_t first = order->edits.len;
        bool is_moved = false;                                       /* the parts of this kind have another order */
        bool has_numbers = false;                                    /* some have a number, or cannot get one */
        for (size_t i = 0; i < count && !order->edits.failed; i++) { /* in the order of the source */
            const Range range = kept[i].source;
            const Part part = read_part(source + range.begin, range.end - range.begin, rule);
            const size_t len = order->edits.len;
            if (part.kind != kind || part.argument == NAMES_NONE) continue;
            has_numbers |= part.argument != NAMES_NEXT;
            if (part.argument == NAMES_NUMBER) continue;
            is_moved |= len > first && kept[i].place.begin < order->edits.data[len - 1].place.begin;
            LIST_PUT(&order->edits, ((PartEdit){ .place = kept[i].place, .part = i, .number = len - first + 1 }));
        }
        st = LIST_CHECK(&order->edits, "the order of a text", err);
        if (!is_moved) {
            order->edits.len = first;
        } else if (st == OK && (kind == PART_STATEMENT || rule != numbering[kind] || has_numbers)) {
            *puts_back = true;
            st = put_back(order->edits.data + first, order->edits.len - first, err);
        }
    }
    sort_edits(order->edits.data, order->edits.len);
    return st;
}

#define IN_EDIT ((size_t)-1)

/* Writes the translation with the edits. Sets moved[i], i = 0..made->length, to where byte i is in the new text;
 * IN_EDIT for bytes inside the place of an edit. */
static Status write_text(PartOrder *order, const UnitText *text, const Rendering *made, size_t *moved, Err *err)
{
    size_t at = 0, known = 0; /* moved[0..known) are set */

    buf_reuse(&order->text);
    for (size_t i = 0; i <= order->edits.len; i++) {
        PartEdit *edit = i < order->edits.len ? &order->edits.data[i] : NULL;
        const size_t end = edit ? edit->place.begin : made->length;
        for (; known <= end; known++) moved[known] = order->text.len + known - at;
        buf_put(&order->text, made->text + at, end - at);
        if (edit) {
            const Range source = made->kept[edit->part].source;
            const char *part = text->text + source.begin;
            const size_t start = edit->number > 0; /* % and { come with the number */
            edit->made.begin = order->text.len;
            if (edit->number && *part == '%')
                buf_put_format(&order->text, "%%%zu$", edit->number);
            else if (edit->number)
                buf_put_format(&order->text, "{%zu", edit->number - 1);
            buf_put(&order->text, part + start, source.end - source.begin - start);
            edit->made.end = order->text.len;
            at = edit->place.end;
            for (; known < at; known++) moved[known] = IN_EDIT;
        }
    }
    return buf_check(&order->text, err);
}

static Range move(const size_t *moved, Range range)
{
    return (Range){ moved[range.begin], moved[range.end] };
}

static Status restore_kept(PartOrder *order, const UnitText *text, Rendering *rendering, Err *err)
{
    size_t count = 0, *moved;
    Span *kept;
    bool puts_back;
    Status st = part_order_puts_back(order, text->text, text->arguments, rendering->kept, rendering->kept_count,
                                     &puts_back, err);

    if (st != OK || !order->edits.len) return st;
    moved = malloc((rendering->length + 1) * sizeof *moved);
    if (!moved) return err_memory(err, "the order of a text");
    st = write_text(order, text, rendering, moved, err);
    order->kept.len = 0;
    if (st == OK) st = spans_append_all(&order->kept, rendering->kept, rendering->kept_count, err);
    if (st != OK) goto done;
    for (size_t i = 0; i < order->places.len; i++) { /* markup inside a part cannot move with it: then no edits */
        const Range place = move(moved, order->places.data[i]);
        if (place.begin == IN_EDIT || place.end == IN_EDIT) goto done;
    }
    kept = order->kept.data;
    for (size_t i = 0; i < rendering->kept_count; i++) kept[i].place = move(moved, kept[i].place);
    for (size_t i = 0; i < order->edits.len; i++) { /* parts with a number are new text, so they are not kept parts */
        const PartEdit *edit = &order->edits.data[i];
        kept[edit->part].place = edit->number ? (Range){ 0, 0 } : edit->made;
    }
    for (size_t i = 0; i < rendering->kept_count; i++)
        if (kept[i].place.end) kept[count++] = kept[i];
    rendering->kept = kept;
    rendering->kept_count = count;
    for (size_t i = 0; i < order->places.len; i++) order->places.data[i] = move(moved, order->places.data[i]);
    rendering->text = order->text.data;
    rendering->length = order->text.len;
done:
    free(moved);
    return st;
}

/* The place of a tag that keeps its order. Tags are empty elements, so places that begin at the same byte are equal. */
typedef struct {
    size_t parent; /* 0: none; otherwise 1 + its index */
    Range place;
} TagPlace;

static int compare_tags(const void *a, const void *b)
{
    const TagPlace *x = a, *y = b;

    return x->parent != y->parent ? (x->parent < y->parent ? -1 : 1) : ranges_compare_begin(&x->place, &y->place);
}

/* Sorts the places of the tags with the same parent. The first tag in the source gets the first place, and so on. */
static Status restore_tags(PartOrder *order, const UnitText *text, Err *err)
{
    const Markup *markup = text->markup;
    LIST_OF(TagPlace) tags = { 0 };
    size_t *next = malloc((text->markup_count + 1) * sizeof *next); /* of each parent: its next tag */
    Status st = next ? OK : err_memory(err, "the order of a text");

    for (size_t i = 0; st == OK && i < text->markup_count; i++)
        if (markup[i].is_ordered) LIST_PUT(&tags, ((TagPlace){ markup[i].parent + 1, order->places.data[i] }));
    if (st == OK) st = LIST_CHECK(&tags, "the order of a text", err);
    if (tags.len) qsort(tags.data, tags.len, sizeof *tags.data, compare_tags);
    for (size_t i = tags.len; st == OK && i-- > 0;) next[tags.data[i].parent] = i;
    for (size_t i = 0; st == OK && i < text->markup_count; i++)
        if (markup[i].is_ordered) order->places.data[i] = tags.data[next[markup[i].parent + 1]++].place;
    free(tags.data);
    free(next);
    return st;
}

Status part_order_restore(PartOrder *order, const UnitText *text, Rendering *rendering, Err *err)
{
    Status st;

    order->places.len = 0;
    st = ranges_append_all(&order->places, rendering->places, text->markup_count, err);
    if (st == OK) st = restore_tags(order, text, err);
    rendering->places = order->places.data;
    return st == OK ? restore_kept(order, text, rendering, err) : st;
}

void part_order_free(PartOrder *order)
{
    buf_free(&order->text);
    free(order->edits.data);
    spans_free(&order->kept);
    ranges_free(&order->places);
}
