/* document_formats.c - the list of the formats: see document_formats.h. It is a separate file because formats depend on
 * the other files of this folder, which do not depend on formats. */
#include "document_formats.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "chars.h"
#include "path.h"

/* clang-format off */
const DocumentFormat *const document_formats[] = {
    &document_text, &document_html, &document_markdown, &document_xml, &document_xliff, &document_tmx,
    &document_android, &document_qt, &document_json, &document_jsonl, &document_po, &document_properties,
    &document_strings, &document_fluent, &document_xcstrings, &document_csv, &document_tsv, &document_srt,
    &document_ttml, &document_vtt, &document_sbv, &document_ass, &document_yaml, &document_docx,
    &document_pptx, &document_odt, &document_fodt, &document_xlsx, &document_ods, &document_fods,
    &document_epub, &document_latex, NULL
};
/* clang-format on */

const DocumentFormat *document_format_named(const char *name)
{
    char ending[16];

    for (size_t i = 0; document_formats[i]; i++)
        if (strcasecmp(document_formats[i]->name, name) == 0) return document_formats[i];
    snprintf(ending, sizeof ending, "%s%s", *name == '.' ? "" : ".", name);
    return strpbrk(ending + 1, "./") ? NULL : document_format_of(ending);
}

const DocumentFormat *document_format_of(const char *path)
{
    const char *dot = strrchr(path_name(path), '.');

    for (size_t i = 0; dot && document_formats[i]; i++)
        if (chars_are_in(dot, strlen(dot), document_formats[i]->endings)) return document_formats[i];
    return NULL;
}
