/*
 * Where a row of a tree stands, as text: an indent for people, a path for machines.
 * Neither grows without end: a recursion may be as deep as a recording is long, and then
 * all rows together would be as long as its square.
 */
#ifndef PTOOL_QUERY_TREE_TEXT_H
#define PTOOL_QUERY_TREE_TEXT_H

#include <stddef.h>

#include "base/buf.h"
#include "base/str.h"

#define TREE_PATH_LEVELS 256

/*
 * Adds the blanks in front of a name at this depth, 0 for the top, in a table of so many
 * columns, 0 for any number: two a level, one in a narrow table.  Where they would leave no
 * room for names they stop, and the depth stands there as a number: "        [41] ".
 */
void tree_text_indent(struct buf *to, size_t depth, int width);

/* Paths of rows, each below a row before it. */
struct tree_path {
	struct buf text;
	size_t ends
		[TREE_PATH_LEVELS]; /* where the path of the newest row at a depth ends */
};

/* tree_path_release() frees, also a zeroed one. */
void tree_path_init(struct tree_path *p);
void tree_path_release(struct tree_path *p);
/*
 * The names from the top to the next row, whose depth is at most one more than that of
 * the row before it, with ';' between them; borrowed until the next call.  Of more than
 * TREE_PATH_LEVELS the outermost are told, how many are left out, and the row's own.
 */
struct str tree_path_next(struct tree_path *p, size_t depth, struct str name);

#endif
