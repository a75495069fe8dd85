/*
 * The tabs of `ptool report`, in their order: each shows tables of commands, as those draw
 * them, and what a function of its own adds.  A new tab is a row in report_tabs.c.
 */
#ifndef PTOOL_CLI_REPORT_TABS_H
#define PTOOL_CLI_REPORT_TABS_H

#include "base/err.h"
#include "cli/reading.h"
#include "query/scope.h"
#include "report/page.h"

struct report_opts;

/* What tabs are made from; borrowed. */
struct report_making {
	struct page *page;
	const struct reading *reading;
	const struct report_opts *opts; /* cli/report_options.h */
	/* Of the store, for threads that open it, too; NULL: there is but one of it. */
	const char *path;
	enum scope_kind kind;
	/* In front of ids, and of titles: of two recordings on a page; "" and "". */
	const char *id, *title;
	size_t ntables; /* with rows, that were added so far */
};

/* Kinds of recordings, as bits. */
#define REPORT_KIND(kind) (1U << (kind))

/* A table of a command, in a panel of its own. */
struct report_table {
	const char *line; /* "kernels -n 0"; NULL ends an array */
	const char *id;   /* of its data */
	const char *title, *about;
	const char *bar, *of, *only; /* as in struct page_table */
	bool has_slices;             /* likewise */
	bool is_silent;    /* what it lacks is not told: another table tells it */
	bool is_of_phases; /* left out of recordings that have none */
};

struct report_tab {
	const char *id, *title; /* NULL ends the array */
	unsigned kinds;         /* recordings that it is for */
	bool is_slow;           /* it takes longest: it is begun first */
	bool is_rare;           /* left out where none of its tables has rows */
	/* Adds what stands above the tables.  0, or -1 with err set.  NULL: nothing. */
	int (*add)(struct report_making *m, struct err *err);
	const struct report_table *tables; /* NULL: none */
};

/* All that are for the recording, made side by side.  0, or -1 with err set. */
int report_tabs_add(struct report_making *m, struct err *err);
/* A table in the tab that was begun last; without rows a line that says why.  The same. */
int report_table_add(struct report_making *m, const struct report_table *table,
		     struct err *err);
/* What people call a path: "trace.json.gz". */
const char *report_name(const char *path);

#endif
