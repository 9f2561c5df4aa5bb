/* base64.c - see base64.h. Four characters of 6 bits each encode three bytes. */
#include "base64.h"

#include <stdint.h>

static int digit_of(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Returns the number of bytes in the group text[0..4), which may end in '=' if it is the last one; 0
 * if it is invalid. */
static size_t decode_group(const char *text, bool last, unsigned char out[3])
{
    size_t digits = 4;
    uint32_t bits = 0;

    while (last && digits > 2 && text[digits - 1] == '=') digits--;
    for (size_t i = 0; i < 4; i++) {
        int digit = i < digits ? digit_of(text[i]) : 0;
        if (digit < 0) return 0;
        bits = bits << 6 | (uint32_t)digit;
    }
    for (size_t i = 0; i < 3; i++) out[i] = (unsigned char)(bits >> (16 - 8 * i));
    return digits - 1;
}

Status base64_append(Buf *out, const char *text, size_t len, bool *valid, Err *err)
{
    size_t before = out->len;
    Status st;

    *valid = len % 4 == 0;
    for (size_t i = 0; *valid && i < len; i += 4) {
        unsigned char bytes[3];
        size_t count = decode_group(text + i, i + 4 == len, bytes);
        *valid = count > 0;
        buf_put(out, bytes, count);
    }
    st = buf_check(out, err);
    if ((st != OK || !*valid) && out->data) {
        out->len = before;
        out->data[before] = '\0';
    }
    return st;
}
