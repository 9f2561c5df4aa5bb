/* prompt_files.h - a tokenizer.json for tests of language models. */
#ifndef DRAGOMAN_PROMPT_FILES_H
#define DRAGOMAN_PROMPT_FILES_H

#include "test_support.h"

#include <stdlib.h>

#include "buf.h"
#include "utf8.h"

/* The character of byte-level BPE for a byte. */
static inline uint32_t byte_character(unsigned byte)
{
    if (byte <= 0x20) return 0x100 + byte;
    if (byte >= 0x7f && byte <= 0xa0) return 0x121 + byte - 0x7f;
    return byte == 0xad ? 0x143 : byte;
}

/* Writes a tokenizer.json with a piece for each byte and, with the id 256, for " a", and these special tokens from
 * 257 on. After them comes <think>, which is not special, like "!", which is one of the pieces. `specials` ends with
 * NULL. */
static inline void write_tokenizer(const char *folder, const char *const *specials)
{
    FREED_BY(buf_free) Buf out = { 0 };
    int id = 257;

    buf_put_text(&out, "{\"added_tokens\":[{\"id\":33,\"content\":\"!\",\"special\":false,\"normalized\":false},");
    for (; *specials; specials++)
        buf_put_format(&out, "{\"id\":%d,\"content\":\"%s\",\"special\":true,\"normalized\":false},", id++, *specials);
    buf_put_format(&out, "{\"id\":%d,\"content\":\"<think>\",\"special\":false,\"normalized\":false}],", id);
    buf_put_text(&out, "\"normalizer\":null,\"pre_tokenizer\":{\"type\":\"ByteLevel\",\"add_prefix_space\":false,"
                       "\"use_regex\":false},\"decoder\":{\"type\":\"ByteLevel\"},\"model\":{\"type\":\"BPE\","
                       "\"vocab\":{");
    for (unsigned byte = 0; byte < 256; byte++) {
        char text[4];
        const size_t len = utf8_put(byte_character(byte), text);
        if (byte == '"' || byte == '\\')
            buf_put_format(&out, "\"\\%c\":%u,", (int)byte, byte);
        else
            buf_put_format(&out, "\"%.*s\":%u,", (int)len, text, byte);
    }
    buf_put_text(&out, "\"\xc4\xa0"
                       "a\":256},\"merges\":[\"\xc4\xa0 a\"]}}");
    free(support_write_text(folder, "tokenizer.json", out.data));
}

#endif
