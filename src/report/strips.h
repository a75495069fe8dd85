/*
 * Draws rows of cells: a ruler of times, each row as blocks as high as what is covered,
 * under it letters and names of what covers most, and what the letters mean.
 */
#ifndef PTOOL_REPORT_STRIPS_H
#define PTOOL_REPORT_STRIPS_H

#include "base/strips.h"
#include "report/people_draw.h"
#include "report/renderer.h"

void strips_draw(const struct strips *s, const struct render_opts *opts,
		 struct drawing *to);

#endif
