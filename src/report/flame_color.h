/* Colours of boxes of flame graphs: by what a call is, or by how much it changed. */
#ifndef PTOOL_REPORT_FLAME_COLOR_H
#define PTOOL_REPORT_FLAME_COLOR_H

#include "base/flame.h"

/*
 * Of Python frames one for each folder, so that packages can be told from each other; then
 * the other kinds; then changes, from much less to much more.
 */
enum {
	FLAME_FOLDERS = 6,
	FLAME_KIND_COLORS = FLAME_FOLDERS,
	FLAME_CHANGE_COLORS = FLAME_KIND_COLORS + NFLAME_KINDS,
	FLAME_STRENGTHS = 4, /* of a change, each way; the same is between */
	FLAME_SAME = FLAME_CHANGE_COLORS + FLAME_STRENGTHS,
	NFLAME_COLORS = FLAME_SAME + FLAME_STRENGTHS + 1
};

struct flame_color {
	unsigned rgb;              /* of a picture */
	unsigned char terminal[2]; /* of 256, for neighbours in turn; of changes one */
};

extern const struct flame_color flame_colors[NFLAME_COLORS];

/* The place in flame_colors of a node's box. */
int flame_color_of(const struct flame *flame, const struct flame_node *node);

#endif
