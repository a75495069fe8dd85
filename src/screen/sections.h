/*
 * What the screen shows, and where one gets from there, as data: command lines of ptool.
 */
#ifndef PTOOL_SCREEN_SECTIONS_H
#define PTOOL_SCREEN_SECTIONS_H

#include <stdbool.h>

/* A section: what its number, or Tab, opens. */
struct section {
	const char *title; /* NULL ends the array */
	const char *line;  /* the command and its words, blank-separated */
	unsigned kinds;    /* of recordings, as in enum screen_kind */
};
extern const struct section sections[];

/*
 * A way from a row to another table.  Words of `line` and `filter` may have a mark: %s is
 * the cell's text, %e the same as part of a regular expression, and %d the number that it
 * begins with; without one there is no such way.
 */
struct way {
	const char *from;   /* the command whose rows have it; NULL ends the array */
	const char *word;   /* a word that its command line has; NULL: any */
	const char *column; /* of the row */
	const char *title;  /* "slices of" */
	const char *line;   /* the command and its words */
	const char *filter; /* words that stay for the ways from there; may be NULL */
	bool finds;         /* of that table only rows with the cell's text */
	unsigned kinds;     /* of recordings; 0: any */
};
extern const struct way ways[];

/* What a command's tables need to be known of; others need nothing. */
struct habit {
	const char *command; /* NULL ends the array */
	const char *tree;    /* the column whose blanks are depths of a tree */
	bool is_by_width;    /* its tables are made for a line's width */
	bool is_whole;       /* --limit is not of its rows: all of it comes at once */
};
const struct habit *habit_of(const char *command);

#endif
