/*
 * An output format: draws a struct table to a stream.  Knows no SQL.
 * A new format is one file and one row in renderers.c.
 */
#ifndef PTOOL_REPORT_RENDERER_H
#define PTOOL_REPORT_RENDERER_H

#include <stdbool.h>
#include <stdio.h>

#include "base/apart.h"
#include "base/err.h"
#include "base/str.h"
#include "base/table.h"

struct render_opts {
	const char *command;       /* for JSON's "command" key */
	int width;                 /* terminal columns to fit into; 0: unlimited */
	int name_max;              /* terminal columns of a text at most; 0: unlimited */
	bool whole_names;          /* shorten no text, whatever `width` is */
	bool color;                /* people's tables only */
	bool is_shown;             /* on a terminal, perhaps by a pager */
	bool escape_formulas;      /* csv and tsv: for spreadsheets */
	apart_shorten_fn *shorten; /* NULL: utf8_add_shortened() */
};

struct renderer {
	const char *name;   /* value of --format */
	const char *help;   /* one lower-case line */
	const char *suffix; /* of -o FILE, blank-separated: "csv"; NULL: none */
	bool is_binary;     /* nothing for a terminal */
	bool has_notes;     /* it writes the notes of a table */
	bool is_for_people; /* it collects rows, and shortens texts */
	/*
	 * Pulls every row, writes, and does not close `out`.  0, or -1 with err set
	 * (the table's failure, or ERR_IO).  People's tables (table, markdown) collect
	 * rows, because the largest number chooses a column's unit; all others stream.
	 */
	int (*render)(struct table *t, const struct render_opts *opts, FILE *out,
		      struct err *err);
	/*
	 * Writes that there is no table, with a table's `status` and what is told on
	 * stderr; NULL: the format has no place for that.
	 */
	void (*nothing)(const char *command, const char *status, const char *message,
			FILE *out);
};

/* NULL-terminated; the first is the default. */
extern const struct renderer *const renderers[];
/* NULL when there is none. */
const struct renderer *renderer_find(const char *name);
const struct renderer *renderer_for_path(const char *path);

/*
 * How every renderer ends: flushes, and tells a write that failed, now or
 * before, by the errno it left.  0, or -1 with an ERR_IO.  errno stays as the
 * write left it, so that the caller can know EPIPE from a full disk.
 */
int render_end(FILE *out, struct err *err);

/* "3.0.3": libcsv's, for `ptool --version`. */
const char *renderer_csv_version(void);

#endif
