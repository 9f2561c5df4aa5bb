/* sp_recipe.h - builds SentencePiece models for fuzzers from a short text, so that every change of a byte is a change
 * of the model and not a broken file.
 *
 * The first line has letters: U, B, W or C for the kind; p without a space before texts; x keeps runs of spaces; e
 * keeps spaces as they are; s adds the space after texts; b has byte pieces; d applies the rules to decoded text, too;
 * u writes unknown pieces as "_?". Each other line is a rule of the character map, =FROM=TO, or a piece: a digit for
 * its type (SpPieceType), a character for its score, and its text. "_" stands for U+2581. An empty line ends the
 * model. The piece <unk> precedes the others. */
#ifndef DRAGOMAN_SP_RECIPE_H
#define DRAGOMAN_SP_RECIPE_H

#include <stddef.h>

#include "buf.h"

/* Appends the model to *model and returns the number of bytes of the recipe. */
size_t sp_recipe_build(Buf *model, const char *recipe, size_t size);

#endif
