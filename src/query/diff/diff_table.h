/* A comparison as tables. */
#ifndef PTOOL_QUERY_DIFF_TABLE_H
#define PTOOL_QUERY_DIFF_TABLE_H

#include "base/memtable.h"
#include "query/diff/diff.h"

struct diff_style {
	bool people;   /* else the machine's columns, whole */
	int width;     /* of the terminal; 0: unlimited */
	int64_t limit; /* rows; 0: all */
};

/* The rows, the largest delta first.  The table is the caller's, and copies all. */
struct memtable *diff_rows_table(const struct diff *d, const struct diff_style *style);

/*
 * diff_words.c: one line that tells the whole: before, after, change with its interval,
 * verdict, and the row that explains most.  For pull requests.  In the arena.
 */
const char *diff_headline_text(const struct diff *d, struct arena *arena);
/* What the headline is of: "step"; and in which unit. */
const char *diff_subject_name(const struct diff *d);
enum unit diff_subject_unit(const struct diff *d);
/* Above the rows: what they are, and which way their deltas go. */
const char *diff_rows_caption(const struct diff *d, struct arena *arena);
/* Below them: what the statistics cannot tell, and what they would need. */
void diff_add_notes(const struct diff *d, struct memtable *to);
/* Why there is no verdict; NULL when there is one. */
const char *diff_undecided_text(const struct diff *d, struct arena *arena);

#endif
