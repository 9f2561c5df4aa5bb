/* xml_defaults.h - limits on the attributes that a DTD declares. An element has all attributes that are declared for
 * it, even if its tag does not name them: 40 KB of XML could have a hundred million attributes. */
#ifndef DRAGOMAN_XML_DEFAULTS_H
#define DRAGOMAN_XML_DEFAULTS_H

#include <stddef.h>

#include <expat.h>

/* Starts as {0}. */
typedef struct {
    size_t declared; /* attributes */
    size_t added;    /* attributes of elements whose tags do not name them */
} XmlDefaults;

/* Called by expat's handlers: the first for each declared attribute, the second for each element, whose attributes from
 * the DTD it counts. They return NULL, or why the file is refused. */
const char *xml_defaults_count_declaration(XmlDefaults *defaults);
const char *xml_defaults_count_attributes(XmlDefaults *defaults, XML_Parser expat, const XML_Char **attributes);

#endif
