/* A flame graph in terminal cells: an icicle of boxes, callers above what they call. */
#ifndef PTOOL_REPORT_FLAME_TEXT_H
#define PTOOL_REPORT_FLAME_TEXT_H

#include "report/flame_words.h"

/* Adds caption, boxes and notes.  Names are made visible, whatever is in them. */
void flame_text_draw(const struct flame *flame, const struct flame_draw *draw,
		     struct buf *out);

#endif
