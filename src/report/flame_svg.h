/* A flame graph as an SVG file that stands alone: readable without script, zooms with it. */
#ifndef PTOOL_REPORT_FLAME_SVG_H
#define PTOOL_REPORT_FLAME_SVG_H

#include <stdio.h>

#include "report/flame_words.h"

/* What fails on the stream is the caller's to see. */
void flame_svg_draw(const struct flame *flame, const struct flame_draw *draw, FILE *out);

#endif
