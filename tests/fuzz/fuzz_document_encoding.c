/* fuzz_document_encoding.c - fuzzes the encodings of documents with libFuzzer.
 * Input    The number of the format as one byte, that of the encoding as another one (0: the document says it), then
 *          the document.
 * Checks   A document is refused with one line that begins with its name, or converting it back gives the same bytes.
 * Options  -max_len=4000 */
#include "fuzz_support.h"

#include "document_encoding.h"

#define NAME "dir/document"

static const char *encoding_of(uint8_t number)
{
    static const char *const names[] = { NULL,         "windows-1252", "UTF-16",     "UTF-32",      "GB18030",
                                         "Shift_JIS",  "EUC-JP",       "Big5-HKSCS", "ISO-2022-JP", "ISO-2022-KR",
                                         "HZ-GB-2312", "UTF-7",        "SCSU",       "IBM037",      "KOI8-R" };

    return names[number % (sizeof names / sizeof *names)];
}

static const DocumentFormat *format_of(uint8_t number)
{
    size_t count = 0;

    while (document_formats[count]) count++;
    return document_formats[number % count];
}

static void check_back(TextEncoding *encoding, const Buf *text, const DocumentFile *file)
{
    Buf out = { 0 };
    Err err = { "" };

    require(text_encoding_append(encoding, text->data, text->len, true, &out, &err) == OK, "the text", err.text);
    require(out.len == file->size && memcmp(out.data, file->bytes, out.len) == 0, "the same bytes",
            text_encoding_name(encoding));
    buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    DocumentOptions options = { 0 };
    TextEncoding *encoding;
    DocumentFile file;
    Buf text = { 0 };
    char *bytes;
    Err err = { "" };

    if (size < 2) return 0;
    options.encoding = encoding_of(data[1]);
    bytes = fuzz_copy(data + 2, size - 2);
    file = (DocumentFile){ NAME, bytes, size - 2 };
    if (document_encoding_decode(&encoding, format_of(data[0]), &file, &options, &text, &err) != OK)
        require_message(&err, NAME);
    else if (encoding)
        check_back(encoding, &text, &file);
    text_encoding_free(encoding);
    buf_free(&text);
    free(bytes);
    return 0;
}
