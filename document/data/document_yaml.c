/* document_yaml.c - YAML. */
#include "yaml_values.h"

static void parse_yaml(DocumentBuilder *builder)
{
    yaml_values_read(builder, document_builder_input(builder), NULL);
}

const DocumentFormat document_yaml = { .name = "yaml",
                                       .endings = ".yaml .yml",
                                       .parse = parse_yaml,
                                       .spelling = &yaml_spelling,
                                       .arguments = ARGUMENTS_IN_ORDER };
