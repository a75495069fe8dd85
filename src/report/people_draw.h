/*
 * A people's table fitted to a line and drawn piece by piece: for the renderer, and for
 * a screen that one moves on.
 */
#ifndef PTOOL_REPORT_PEOPLE_DRAW_H
#define PTOOL_REPORT_PEOPLE_DRAW_H

#include <stdbool.h>

#include "base/str.h"
#include "report/people.h"
#include "report/renderer.h"

#define PEOPLE_GUTTER 2 /* blanks between columns */

enum drawn {
	DRAWN_TEXT, /* caption, footer, prose; empty between them */
	DRAWN_HEADING,
	DRAWN_ROW, /* one for each row, in their order */
	DRAWN_NOTE
};

struct drawing {
	/*
	 * Lines of the table without the last newline, borrowed for the call; a row and
	 * a heading are one line.  False: no more rows are wanted.
	 */
	bool (*piece)(struct drawing *d, enum drawn kind, struct str text);
};

/*
 * Columns leave, and the widest texts are shortened, to one width, until a line of
 * opts->width fits; then all of it is drawn.  The columns of `p` are then as wide as
 * they were drawn; cells that are longer than 512 and that width run over theirs.
 */
void people_draw(struct people *p, const struct render_opts *opts, struct drawing *to);

#endif
