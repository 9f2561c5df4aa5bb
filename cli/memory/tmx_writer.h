/* tmx_writer.h - names that dragoman writes in TMX. The functions of tmx_writer.c are in memory_tmx.h. */
#ifndef DRAGOMAN_TMX_WRITER_H
#define DRAGOMAN_TMX_WRITER_H

#define TMX_MADE  "x-dragoman"
#define TMX_PARTS "x-dragoman-parts"

#define TMX_UNKNOWN "und" /* the code of an unknown language */

#endif
