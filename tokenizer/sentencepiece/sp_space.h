/* sp_space.h - what stands for a space in SentencePiece's pieces. */
#ifndef DRAGOMAN_SP_SPACE_H
#define DRAGOMAN_SP_SPACE_H

#define SP_SPACE "\xe2\x96\x81" /* U+2581 */

#endif
