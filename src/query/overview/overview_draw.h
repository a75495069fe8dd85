/*
 * How the first screen is drawn for people, for the files that do: lines are added block
 * by block, and laid out once all are known.
 */
#ifndef PTOOL_QUERY_OVERVIEW_DRAW_H
#define PTOOL_QUERY_OVERVIEW_DRAW_H

#include "query/overview/overview.h"

#define LINES_MAX   23 /* a prompt fits below them on a screen of 24 */
#define GUTTER      2
#define GUTTERS     ((size_t)2 * GUTTER)
#define TIME_CELLS  12
#define SHARE_CELLS 7
#define TEXT_MAX    ((size_t)4096)

/* A heading's command is put behind it once all headings are known. */
struct drawn_line {
	const char *text;
	const char *command; /* "steps"; NULL: it is no heading */
	enum overview_block block;
};

struct drawing {
	const struct memtable *rows;
	const struct overview_request *request;
	struct memtable *out;
	struct drawn_line lines[LINES_MAX];
	size_t n, width;
};

/* A row's cells, its item, and its share in percent, 0 where there is none; borrowed. */
const struct cell *drawing_row(const struct drawing *d, size_t row);
struct str drawing_item(const struct drawing *d, size_t row);
double drawing_share(const struct drawing *d, size_t row);
/* Those of a block are [*first, the result). */
size_t drawing_find(const struct drawing *d, enum overview_block block, size_t *first);

/* "12.345 ms"; in the arena. */
const char *drawing_words(struct drawing *d, enum unit unit, struct cell cell);
/* The names of every `step`th item, as they fit; in the arena. */
struct str *drawing_names(struct drawing *d, size_t first, size_t end, size_t step,
			  size_t cells);
/* The text is borrowed; a line more than there is room for is left out. */
void drawing_add(struct drawing *d, enum overview_block block, bool is_heading,
		 const char *text);

/* overview_functions.c */
void overview_draw_functions(struct drawing *d, size_t first, size_t end);
/* "    33.6 MiB   +10.0 MiB  name": the peak of a function, and what it added. */
void overview_draw_memory(struct drawing *d, size_t first, size_t end);

#endif
