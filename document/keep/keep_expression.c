/* keep_expression.c - see keep_expression.h. */
#include "keep_expression.h"

#include <stdlib.h>
#include <string.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "utf8.h"

/* Of one attempt to match. A frame of the interpreter takes about 200 bytes. */
#define MOST_STEPS 10000000
#define MOST_DEPTH 100000

#define JIT_STACK_BYTES ((size_t)1 << 20)

struct KeepExpression {
    const char *source;
    pcre2_code *code;
    pcre2_match_data *match;
    pcre2_match_context *limits;
    pcre2_jit_stack *stack;
};

static Status fail_to_compile(const char *expression, int code, size_t at, Err *err)
{
    char reason[256];
    size_t character = 1;

    if (code == PCRE2_ERROR_HEAP_FAILED) return err_memory(err, "an expression");
    (void)pcre2_get_error_message(code, (PCRE2_UCHAR *)reason, sizeof reason);
    for (size_t i = 0; i < at; i++) character += ((unsigned char)expression[i] & 0xc0) != 0x80;
    return err_set(err, ERR_USAGE, "'%s': %s (at character %zu)", expression, reason, character);
}

/* Expressions are compiled to machine code if the system allows it. */
static Status prepare(KeepExpression *e, Err *err)
{
    e->match = pcre2_match_data_create_from_pattern(e->code, NULL);
    e->limits = pcre2_match_context_create(NULL);
    if (!e->match || !e->limits) return err_memory(err, "an expression");
    (void)pcre2_set_match_limit(e->limits, MOST_STEPS);
    (void)pcre2_set_depth_limit(e->limits, MOST_DEPTH);
    if (pcre2_jit_compile(e->code, PCRE2_JIT_COMPLETE) != 0) return OK;
    e->stack = pcre2_jit_stack_create(JIT_STACK_BYTES / 16, JIT_STACK_BYTES, NULL);
    if (!e->stack) return err_memory(err, "an expression");
    pcre2_jit_stack_assign(e->limits, NULL, e->stack);
    return OK;
}

Status keep_expression_new(KeepExpression **out, const char *expression, Err *err)
{
    KeepExpression *e = calloc(1, sizeof *e);
    int code;
    size_t at;
    Status st;

    *out = NULL;
    if (!e) return err_memory(err, "an expression");
    e->source = expression;
    e->code = pcre2_compile((PCRE2_SPTR)expression, PCRE2_ZERO_TERMINATED,
                            PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &code, &at, NULL);
    st = e->code ? prepare(e, err) : fail_to_compile(expression, code, at, err);
    if (st == OK)
        *out = e;
    else
        keep_expression_free(e);
    return st;
}

void keep_expression_free(KeepExpression *e)
{
    if (!e) return;
    pcre2_jit_stack_free(e->stack);
    pcre2_match_context_free(e->limits);
    pcre2_match_data_free(e->match);
    pcre2_code_free(e->code);
    free(e);
}

Status keep_expression_find(KeepExpression *e, const char *text, size_t length, RangeList *out, Err *err)
{
    const size_t *found = pcre2_get_ovector_pointer(e->match);
    Status st = OK;

    for (size_t at = 0; st == OK && at<length; at = found[1]> at ? found[1] : length) {
        const int count = pcre2_match(e->code, (PCRE2_SPTR)text, length, at, PCRE2_NO_UTF_CHECK | PCRE2_NOTEMPTY,
                                      e->match, e->limits);
        if (count == PCRE2_ERROR_NOMATCH) return OK;
        if (count < 0)
            return err_set(err, ERR_FORMAT, "the expression '%s' needs too many steps for this text; simplify it",
                           e->source);
        if (found[0] < found[1]) st = ranges_append(out, (Range){ found[0], found[1] }, 1, err);
    }
    return st;
}
