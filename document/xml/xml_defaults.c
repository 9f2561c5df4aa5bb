/* xml_defaults.c - see xml_defaults.h. */
#include "xml_defaults.h"

/* expat compares each declaration with the others, and each element with all that are declared for it. */
#define MOST_DECLARED ((size_t)256)
/* The most attributes that a DTD adds: MOST_ADDED, and ADDED_RATIO more for each byte up to the element. */
#define MOST_ADDED  ((size_t)1 << 16)
#define ADDED_RATIO ((size_t)4)

const char *xml_defaults_count_declaration(XmlDefaults *defaults)
{
    return ++defaults->declared > MOST_DECLARED ? "the DTD declares too many attributes" : NULL;
}

const char *xml_defaults_count_attributes(XmlDefaults *defaults, XML_Parser expat, const XML_Char **attributes)
{
    const XML_Index at = XML_GetCurrentByteIndex(expat);

    if (!defaults->declared) return NULL;
    for (int i = XML_GetSpecifiedAttributeCount(expat); attributes[i]; i += 2) defaults->added++;
    if (at < 0 || defaults->added <= MOST_ADDED + ADDED_RATIO * (size_t)at) return NULL;
    return "the DTD adds too many attributes to the elements";
}
