/* test_document_encoding.c - document/encoding: documents in other encodings than UTF-8. */
#include "test_support.h"

#include "document_encoding.h"
#include "document_formats.h"

typedef struct {
    const DocumentFormat *format;
    const char *bytes; /* the last NUL of "..." is not one of them */
    size_t size;
    const char *chosen;   /* encoding; NULL: none */
    const char *expected; /* encoding, or the message of a refusal; NULL: UTF-8 */
    const char *text;     /* in UTF-8; "": the same bytes; NULL: not checked */
} EncodingCase;

#define BYTES(text) text, sizeof(text) - 1

static void expect_encoding(const EncodingCase *c)
{
    const DocumentOptions options = { .encoding = c->chosen };
    const DocumentFile file = { "f", c->bytes, c->size };
    TextEncoding *encoding;
    Buf decoded = { 0 };
    Err err;
    const Status st = document_encoding_decode(&encoding, c->format, &file, &options, &decoded, &err);
    const char *expected = c->expected ? c->expected : "UTF-8", *found = st != OK   ? err.text
                                                                         : encoding ? text_encoding_name(encoding)
                                                                                    : "UTF-8";

    if (strcmp(found, expected) != 0) fail_msg("%s: %s, not %s", c->bytes, found, expected);
    if (st != OK) assert_int_equal(st, ERR_FORMAT);
    if (st != OK) assert_null(encoding);
    if (c->text) assert_string_equal(decoded.data ? decoded.data : "", c->text);
    text_encoding_free(encoding);
    buf_free(&decoded);
}

TEST(finds_the_encodings_of_documents)
{
    static const EncodingCase cases[] = {
        { &document_text, BYTES("a\xc3\xa9"), NULL, NULL, "" },
        { &document_text, BYTES(""), NULL, NULL, "" },
        { &document_text, BYTES("\xef\xbb\xbf\141"), NULL, NULL, "" },
        { &document_text, BYTES("\xff\xfe\141\0\xe9\0"), NULL, "UTF-16LE", "\xef\xbb\xbf\141\xc3\xa9" },
        { &document_text, BYTES("\xfe\xff\0a\0\xe9\xd8\x3d\xde\0"), NULL, "UTF-16BE",
          "\xef\xbb\xbf\141\xc3\xa9\xf0\x9f\x98\x80" },
        { &document_text, BYTES("\xff\xfe\0\0a\0\0\0"), NULL, "UTF-32LE", "\xef\xbb\xbf\141" },
        { &document_text, BYTES("\0\0\xfe\xff\0\0\0a"), NULL, "UTF-32BE", "\xef\xbb\xbf\141" },
        { &document_json, BYTES("[\0\"\0a\0\"\0]\0"), NULL, "UTF-16LE", "[\"a\"]" },
        { &document_json, BYTES("\0[\0\"\0a\0\"\0]"), NULL, "UTF-16BE", "[\"a\"]" },
        { &document_xml, BYTES("\0\0\0<\0\0\0a\0\0\0/\0\0\0>"), NULL, "UTF-32BE", "<a/>" },
        { &document_xml, BYTES("<?xml version='1.0' encoding='ISO-8859-1'?><a>\xe9</a>"), NULL, "ISO-8859-1",
          "<?xml version='1.0' encoding='ISO-8859-1'?><a>\xc3\xa9</a>" },
        { &document_xml, BYTES("<?xml version='1.0' encoding='UTF-16'?><a>\xc3\xa9</a>"), NULL, NULL, "" },
        { &document_xml, BYTES("<?xml version='1.0' encoding='none'?><a>\xc3\xa9</a>"), NULL, NULL, "" },
        { &document_xml, BYTES("\xef\xbb\xbf<?xml version='1.0' encoding='latin1'?><a/>"), NULL, NULL, "" },
        { &document_xml, BYTES("<a encoding='latin1'/>"), NULL, NULL, "" },
        { &document_html, BYTES("<meta charset=iso-8859-1>\x80"), NULL, "windows-1252",
          "<meta charset=iso-8859-1>\xe2\x82\xac" },
        { &document_html,
          BYTES("<!--<meta charset=utf-8>--><META content='text/html; Charset = \"Shift_JIS\"' "
                "http-equiv=Content-Type>\x93\xfa"),
          NULL, "windows-31j",
          "<!--<meta charset=utf-8>--><META content='text/html; Charset = \"Shift_JIS\"' "
          "http-equiv=Content-Type>\xe6\x97\xa5" },
        { &document_html, BYTES("<meta content='charset=latin1'>\xc3\xa9"), NULL, NULL, "" },
        { &document_html, BYTES("<meta charset=utf-16>\xc3\xa9"), NULL, NULL, "" },
        { &document_html, BYTES("<meta charset=>\xc3\xa9"), NULL, NULL, "" },
        { &document_html, BYTES("<?xml version='1.0' encoding='windows-1251'?>\xe0"), NULL, "windows-1251",
          "<?xml version='1.0' encoding='windows-1251'?>\xd0\xb0" },
        { &document_po,
          BYTES("# \xe9\nmsgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=ISO-8859-15\\n\"\n\xa4"), NULL,
          "ISO-8859-15",
          "# \xc3\xa9\nmsgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=ISO-8859-15\\n\"\n\xe2\x82\xac" },
        { &document_po, BYTES("msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=latin1\\n\"\n\xe9"), NULL,
          "latin1", "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=latin1\\n\"\n\xc3\xa9" },
        { &document_po, BYTES("msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=CHARSET\\n\"\n\xc3\xa9"), NULL,
          NULL, "" },
        { &document_properties, BYTES("a=\xe9"), NULL, "ISO-8859-1", "a=\xc3\xa9" },
        { &document_properties, BYTES("a=\xc3\xa9"), NULL, NULL, "" },
        /* A mark comes before the chosen encoding, and that before a declaration. */
        { &document_text, BYTES("\xff\xfe\141\0"), "latin1", "UTF-16LE", NULL },
        { &document_xml, BYTES("<?xml version='1.0' encoding='UTF-8'?><a>\xe9</a>"), "latin1", "latin1", NULL },
        { &document_text, BYTES("\0\n0\xa2"), "UTF-16", "UTF-16BE", NULL },
        { &document_text, BYTES(""), "UTF-8", NULL, NULL },
    };

    for (const EncodingCase *c = cases; c < cases + COUNT(cases); c++) expect_encoding(c);
}

/* After the first 1024 bytes, an element of the document declares the encoding; text in a comment or a script does not.
 */
TEST(a_late_declaration_counts_if_it_is_an_element)
{
    static const struct {
        const char *text, *encoding;
    } cases[] = {
        { "<meta charset=windows-1251><p>\xe0", "windows-1251" },
        { "<META http-equiv='content-type' content='text/html; charset=koi8-r'><p>\xe0", "koi8-r" },
        { "</head><body><p>\xe0<meta charset=latin2>", "latin2" },
        { "<!-- <meta charset=windows-1251> --><meta charset=latin2><p>\xe0", "latin2" },
        { "<script>'<meta charset=windows-1251>'</script><style><meta charset=latin3></style><p>\xe0", NULL },
        { "<meta charset=windows-1251><meta charset=latin2><p>\xe0", "windows-1251" },
        { "<meta charset=windows-1251><p>\xc3\xa9", NULL }, /* UTF-8 */
        { "<meta charset=iso-2022-jp><p>\x1b$B\x3b\x33\x1b(B", "iso-2022-jp" },
        { "<p>&lt;meta charset=windows-1251> \xe0", NULL },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        char *bytes = support_format("<head><!--%1100s-->%s", "", cases[i].text);
        expect_encoding(&(EncodingCase){ &document_html, bytes, strlen(bytes), NULL, cases[i].encoding, NULL });
        free(bytes);
    }
}

/* What is not valid, what would change, and what is another format. */
TEST(refuses_documents_that_would_not_come_back)
{
    static const EncodingCase cases[] = {
        { &document_text,
          BYTES("\xff\xfe\n\0"
                "a\0\0\xd8"
                "b\0"),
          NULL, "f:2: not valid UTF-16LE", NULL },
        { &document_text, BYTES("\xfe\xff\0"), NULL, "f:1: not valid UTF-16BE", NULL },
        { &document_text, BYTES("a\nb\n\x81"), "Shift_JIS", "f:3: not valid Shift_JIS", NULL },
        { &document_text, BYTES("a\xe9"), "US-ASCII", "f:1: not valid US-ASCII", NULL },
        { &document_text, BYTES("a\nb \xed\x40"), "windows-31j",
          "f:2: these bytes would change when they are written in windows-31j again; convert the document to UTF-8",
          NULL },
        { &document_text, BYTES("a\n\x1b(Jx\x1b(B\n"), "ISO-2022-JP",
          "f:2: these bytes would change when they are written in ISO-2022-JP again; convert the document to UTF-8",
          NULL },
        { &document_xml, BYTES("<?xml version='1.0' encoding='none'?><a>\xe9</a>"), NULL,
          "f: the document declares the unknown encoding none; name its encoding with " SETTING(ENCODING), NULL },
        { &document_strings, BYTES("bplist00\xd1"), NULL, "f: this is a binary property list; convert it to text first",
          NULL },
    };

    for (const EncodingCase *c = cases; c < cases + COUNT(cases); c++) expect_encoding(c);
}

TEST(recognizes_other_files_with_the_ending_of_qt)
{
    char packets[188 * 3];
    EncodingCase c = {
        &document_qt, packets, sizeof packets, NULL, "f: this is an MPEG video, not a translation file of Qt", NULL
    };

    memset(packets, 'G', sizeof packets);
    expect_encoding(&c);
    packets[188] = 'g';
    c.expected = "f: not XML: a file of this format begins with <TS>";
    expect_encoding(&c);
    memcpy(packets, "\xef\xbb\xbf <", 5);
    c.expected = NULL;
    expect_encoding(&c);
}

/* Writes `text` in the place of each unit. */
static Status write_latin1(const DocumentFormat *format, const char *bytes, const char *text, Buf *out, Err *err)
{
    static const DocumentOptions options = { .encoding = "ISO-8859-1" };
    const Rendering rendering = { .text = text, .length = strlen(text) };
    DocumentProgress progress = { 0 };
    Buf utf8 = { 0 }, written = { 0 };
    TextEncoding *encoding;
    Document *doc;
    Status st = OK;

    assert_ok(
        document_encoding_decode(&encoding, format, &(DocumentFile){ "f", bytes, strlen(bytes) }, &options, &utf8, err),
        err);
    assert_ok(document_read(&doc, format, &(DocumentFile){ "f", utf8.data, utf8.len }, &options, err), err);
    progress.document = doc;
    progress.encoding = encoding;
    for (size_t i = 0; st == OK && i < document_unit_count(doc); i++)
        st = document_write_unit(&progress, &rendering, &written, err);
    if (st == OK) st = document_write_end(&progress, &written, err);
    if (st == OK) st = text_encoding_append(encoding, written.data, written.len, true, out, err);
    document_progress_free(&progress);
    document_free(doc);
    text_encoding_free(encoding);
    buf_free(&utf8);
    buf_free(&written);
    return st;
}

TEST(writes_references_to_characters_that_the_encoding_lacks)
{
    static const struct {
        const DocumentFormat *format;
        const char *bytes, *expected;
    } cases[] = {
        { &document_html, "<p title='a'>a</p>", "<p title='\xe9&#8364;&#128512;'>\xe9&#8364;&#128512;</p>" },
        { &document_html, "<title>a</title>", "<title>\xe9&#8364;&#128512;</title>" },
        { &document_xml, "<a>a</a>", "<a>\xe9&#8364;&#128512;</a>" },
        { &document_xml, "<a><![CDATA[a]]></a>", "<a><![CDATA[\xe9]]>&#8364;<![CDATA[]]>&#128512;<![CDATA[]]></a>" },
        { &document_android, "<resources><string>a</string></resources>",
          "<resources><string>\xe9&#8364;&#128512;</string></resources>" },
        { &document_markdown, "# a\n", "# \xe9&#8364;&#128512;\n" },
        { &document_json, "[\"a\xe9\"]", "[\"\xe9\\u20ac\\ud83d\\ude00\"]" },
        { &document_properties, "a=a\xe9", "a=\xe9\\u20AC\\uD83D\\uDE00" },
        { &document_strings, "a=\"a\";", "a=\"\xe9\\U20ac\\Ud83d\\Ude00\";" },
        { &document_yaml, "a: \"b\"\n", "a: \"\xe9\\u20ac\\U0001f600\"\n" },
        { &document_vtt, "WEBVTT\n\n00:01.000 --> 00:02.000\na\n",
          "WEBVTT\n\n00:01.000 --> 00:02.000\n\xe9&#8364;&#128512;\n" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        Buf out = { 0 };
        Err err;
        assert_ok(write_latin1(cases[i].format, cases[i].bytes, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", &out, &err),
                  &err);
        assert_string_equal(out.data, cases[i].expected);
        buf_free(&out);
    }
}

TEST(fails_where_there_are_no_references)
{
    static const struct {
        const DocumentFormat *format;
        const char *bytes;
        size_t line;
    } cases[] = {
        { &document_text, "a\n", 1 },
        { &document_csv, "a\n", 1 },
        { &document_po, "\nmsgid \"a\"\nmsgstr \"\"\n", 2 },
        { &document_yaml, "a: b\n", 1 },
        { &document_srt, "1\n00:00:01,000 --> 00:00:02,000\na\n", 3 },
    };
    char expected[200];

    for (size_t i = 0; i < COUNT(cases); i++) {
        Buf out = { 0 };
        Err err;
        snprintf(expected, sizeof expected,
                 "f:%zu: the translation contains U+20AC (\xe2\x82\xac), which ISO-8859-1 cannot encode; "
                 "convert the document to UTF-8",
                 cases[i].line);
        assert_fails(write_latin1(cases[i].format, cases[i].bytes, "x\xe2\x82\xac", &out, &err), ERR_FORMAT, &err,
                     expected);
        buf_free(&out);
    }
}

TEST(limits_the_converted_size_and_refuses_text_that_it_cannot_write)
{
    const DocumentFile file = { "f", "\xe9\xe9\xe9", 3 };
    TextEncoding *encoding;
    Buf out = { 0 };
    Err err;

    assert_ok(text_encoding_open(&encoding, "latin1", &err), &err);
    assert_ok(text_encoding_decode(encoding, &file, 6, &out, &err), &err);
    assert_fails(text_encoding_decode(encoding, &file, 11, &out, &err), ERR_FORMAT, &err,
                 "f: documents of more than 0 MB are not supported; split this one");
    assert_fails(text_encoding_append(encoding, BYTES("\xf0\x9f\x98\x80"), false, &out, &err), ERR_FORMAT, &err,
                 "the encoding latin1 has no U+1F600");
    text_encoding_free(encoding);
    buf_free(&out);
}

/* Random bytes in all encodings that ICU has under these names: refused, or the same bytes come back. */
TEST(random_bytes_come_back_or_are_refused)
{
    static const char *const names[] = { "UTF-16LE",    "UTF-16BE",    "UTF-32LE",     "UTF-7",       "GB18030",
                                         "ISO-2022-JP", "ISO-2022-KR", "HZ-GB-2312",   "EUC-JP",      "Shift_JIS",
                                         "Big5-HKSCS",  "IBM037",      "windows-1252", "windows-874", "SCSU",
                                         "CESU-8",      "KOI8-R",      "ISO-2022-CN",  "BOCU-1",      "US-ASCII" };
    uint32_t random = 1;

    for (size_t i = 0; i < COUNT(names) * 200; i++) {
        char bytes[64];
        const size_t size = i / COUNT(names) % sizeof bytes;
        Buf text = { 0 }, out = { 0 };
        TextEncoding *encoding;
        Err err;
        for (size_t k = 0; k < size; k++) bytes[k] = (char)(support_random(&random) >> 16 & (i % 3 ? 0x7f : 0xff));
        assert_ok(text_encoding_open(&encoding, names[i % COUNT(names)], &err), &err);
        if (text_encoding_decode(encoding, &(DocumentFile){ "f", bytes, size }, DOCUMENT_BYTES, &text, &err) == OK) {
            assert_ok(text_encoding_append(encoding, text.data, text.len, true, &out, &err), &err);
            assert_int_equal(out.len, size);
            if (size) assert_memory_equal(out.data, bytes, size);
        }
        text_encoding_free(encoding);
        buf_free(&text);
        buf_free(&out);
    }
}

TEST(guesses_what_is_not_utf8)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *guess;
    } cases[] = {
        { BYTES("a\xc3\xa9"), "UTF-8" },
        { BYTES("\xe9\0a\0b\0c\0"), "UTF-16" },
        { BYTES("caf\xe9 au lait"), "windows-1252 or ISO-8859-2" },
        { BYTES("\xcf\xf0\xe8\xe2\xe5\xf2"), "windows-1251, Shift_JIS or GB18030" },
        /* Markup around the words says nothing. */
        { BYTES("<html><head><title>A title</title></head><body>\xcf\xf0 \xe8\xe2\xe5\xf2</body></html>"),
          "windows-1251, Shift_JIS or GB18030" },
        { BYTES("gr\xf6\xdf\145r, \xe0 \xe9t\xe9"), "windows-1252 or ISO-8859-2" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *guess = document_encoding_guess(&(DocumentFile){ "f", cases[i].bytes, cases[i].size });
        assert_string_equal(guess ? guess : "UTF-8", cases[i].guess);
    }
}

TESTS(test_document_encoding);
