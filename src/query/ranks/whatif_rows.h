/* The rows of `ptool ranks --what-if`, of both ways to simulate a run. */
#ifndef PTOOL_QUERY_WHATIF_ROWS_H
#define PTOOL_QUERY_WHATIF_ROWS_H

#include "base/arena.h"
#include "query/view.h"

struct whatif_row {
	const char *what, *name; /* name: of people */
	const char *kind;        /* "compute", ...; NULL: of no kind */
	int64_t rank, time_ns;   /* rank: or NUMBER_NONE */
	double slowdown, share;
	bool has_share;
};

/* Zeroed, but for the times; whatif_rows_release() frees. */
struct whatif_rows {
	double played_ns;         /* the run as simulated */
	double ideal_ns;          /* without stragglers: what slowdowns are of */
	double cured_ns;          /* likewise: what saved time is a share of */
	struct whatif_row *items; /* owned */
	size_t n, cap;
	struct arena arena; /* of names */
};

/* `what` and `name` are borrowed.  The row is valid until the next is added. */
struct whatif_row *whatif_add(struct whatif_rows *w, const char *what, const char *name,
			      double ns);
/* The same, and what share of what stragglers cost it saves; it may be longer, too. */
void whatif_add_cure(struct whatif_rows *w, const char *what, const char *name,
		     double ns);
struct memtable *whatif_table(const struct whatif_rows *w, const struct scope *scope,
			      const struct view_request *show);
void whatif_rows_release(struct whatif_rows *w);

#endif
