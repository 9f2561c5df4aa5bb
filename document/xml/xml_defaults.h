/* xml_defaults.h - limits on the attributes that a DTD declares. An element has all that are declared for it, with
 * their default values, although its tag does not name them: 40 KB of XML could have a hundred million attributes. */
#ifndef DRAGOMAN_XML_DEFAULTS_H
#define DRAGOMAN_XML_DEFAULTS_H

#include <stddef.h>

#include <expat.h>

/* Starts as {0}. */
typedef struct {
    size_t declared; /* attributes */
    size_t added;    /* attributes of elements whose tags do not name them */
} XmlDefaults;

/* Count a declaration, and the attributes of an element that the DTD adds; for expat's handlers of both. They return
 * NULL, or why the file is refused. */
const char *xml_defaults_count_declaration(XmlDefaults *defaults);
const char *xml_defaults_count_attributes(XmlDefaults *defaults, XML_Parser expat, const XML_Char **attributes);

#endif
