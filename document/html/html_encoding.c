/* html_encoding.c - see html_encoding.h. */
#include "html_encoding.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "declared_encoding.h"
#include "html_tokens.h"
#include "utf8.h"

/* The bytes in which browsers look for a declaration before they read the document. */
#define SCANNED_BYTES ((size_t)1024)

/* Elements whose contents have no tags. */
static const char raw_elements[] = "script style title textarea xmp iframe noembed noframes";

/* The names of the Encoding standard that stand for larger encodings, and what ICU calls these. */
static const struct {
    const char *names; /* separated by spaces */
    const char *encoding;
} encodings[] = {
    { "ascii us-ascii ansi_x3.4-1968 iso-8859-1 iso8859-1 iso_8859-1 latin1 l1 ibm819 cp819 windows-1252 cp1252 "
      "x-cp1252 "
      "x-user-defined",
      "windows-1252" },
    { "iso-8859-9 iso8859-9 iso_8859-9 latin5 l5 windows-1254", "windows-1254" },
    { "iso-8859-11 iso8859-11 tis-620 windows-874", "windows-874" },
    { "gb2312 gb_2312 gb_2312-80 chinese gbk x-gbk", "GBK" },
    { "shift_jis shift-jis sjis x-sjis ms_kanji windows-31j", "windows-31j" },
    { "euc-kr ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 korean windows-949", "windows-949" },
    { "big5 big5-hkscs cn-big5 csbig5 x-x-big5", "Big5-HKSCS" },
};

static bool lists(const char *list, const char *name)
{
    const size_t length = strlen(name);

    for (const char *at = list; *at;) {
        const size_t size = strcspn(at, " ");
        if (size == length && strncasecmp(at, name, length) == 0) return true;
        at += size + strspn(at + size, " ");
    }
    return false;
}

static void take_larger(char name[ENCODING_NAME])
{
    for (size_t i = 0; *name && i < sizeof encodings / sizeof *encodings; i++)
        if (lists(encodings[i].names, name)) snprintf(name, ENCODING_NAME, "%s", encodings[i].encoding);
}

/* Finds the name after "charset=" in the content of a <meta>. */
static void find_in_content(const char *bytes, Range content, char name[ENCODING_NAME])
{
    size_t at = content.begin, end;
    char quote;

    for (;; at++) {
        if (content.end - at < 7) return;
        if (strncasecmp(bytes + at, "charset", 7) != 0) continue;
        for (at += 7; at < content.end && html_is_space(bytes[at]);) at++;
        if (at < content.end && bytes[at] == '=') break;
        at--;
    }
    for (at++; at < content.end && html_is_space(bytes[at]);) at++;
    quote = at < content.end && (bytes[at] == '"' || bytes[at] == '\'') ? bytes[at++] : '\0';
    for (end = at;
         end < content.end && (quote ? bytes[end] != quote : !html_is_space(bytes[end]) && bytes[end] != ';');)
        end++;
    if (!quote || end < content.end) text_encoding_set_name(name, bytes + at, end - at);
}

static void find_in_tag(const char *bytes, const HtmlToken *tag, char name[ENCODING_NAME])
{
    char in_content[ENCODING_NAME] = "";
    HtmlAttribute attribute;
    bool is_type = false;

    for (size_t at = tag->attributes; html_attribute_next(bytes, tag, &at, &attribute);) {
        const Range value = attribute.value;
        if (html_name_is(bytes, attribute.name, "charset"))
            text_encoding_set_name(name, bytes + value.begin, value.end - value.begin);
        else if (html_name_is(bytes, attribute.name, "http-equiv"))
            is_type = html_name_is(bytes, value, "content-type");
        else if (html_name_is(bytes, attribute.name, "content"))
            find_in_content(bytes, value, in_content);
    }
    if (!*name && is_type) memcpy(name, in_content, ENCODING_NAME);
}

/* Browsers look for the first <meta> that declares an encoding in the first bytes, byte by byte; later they read such
 * an element of the document again, and then text in scripts and the like is none. */
static void find_in_tags(const char *bytes, size_t end, bool is_read, char name[ENCODING_NAME])
{
    for (size_t at = 0; at < end && !*name;) {
        const HtmlToken token = html_token_read(bytes, at, end);
        at = token.bytes.end;
        if (token.kind != HTML_START) continue;
        if (html_name_is(bytes, token.name, "meta"))
            find_in_tag(bytes, &token, name);
        else if (is_read && html_name_is_in(bytes, token.name, raw_elements))
            at = html_token_raw_end(bytes, at, end, token.name);
    }
}

/* Whether characters other than ASCII show that the document is UTF-8. Then a late declaration is wrong. */
static bool is_utf8(const char *bytes, size_t size)
{
    size_t at = 0;

    while (at < size && (unsigned char)bytes[at] < 0x80) at++;
    return at < size && utf8_clean_length(bytes + at, size - at) == size - at;
}

void html_encoding_find(const char *bytes, size_t size, char name[ENCODING_NAME])
{
    *name = '\0';
    find_in_tags(bytes, size < SCANNED_BYTES ? size : SCANNED_BYTES, false, name);
    if (!*name) declared_encoding_xml(bytes, size, name);
    if (!*name && size > SCANNED_BYTES && !is_utf8(bytes, size)) find_in_tags(bytes, size, true, name);
    take_larger(name);
}
