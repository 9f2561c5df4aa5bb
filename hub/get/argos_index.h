/* argos_index.h - the packages of Argos Translate: a list with the languages and links of each. */
#ifndef DRAGOMAN_ARGOS_INDEX_H
#define DRAGOMAN_ARGOS_INDEX_H

#include <cJSON.h>

/* The newest package of the pair, FROM-TO; NULL if there is none. */
const cJSON *argos_index_find(const cJSON *list, const char *pair);

#endif
