/*
 * Line profiles in memory: functions and their lines, those of all profiles of the scope
 * added up, as line_profiler adds several dumps.  What ptool lines, ptool top and ptool
 * diff show of them.
 */
#ifndef PTOOL_QUERY_LINES_LINE_PROFILE_H
#define PTOOL_QUERY_LINES_LINE_PROFILE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/intern.h"
#include "query/filter.h"
#include "query/scope.h"
#include "query/view.h"

/* Numbers are NUMBER_NONE where not recorded. */
struct line_row {
	uint32_t function; /* index */
	int64_t block, line, hits, self_ns, memory_bytes, increment_bytes;
	struct str source; /* of the report or of its file; p NULL: none */
};

struct line_source;

struct line_function {
	struct str file, name; /* borrowed from `texts` */
	int64_t line;          /* of its definition */
	int64_t calls, total_ns;
	int64_t memory_bytes;    /* the largest of its lines */
	int64_t increment_bytes; /* of its lines but the first, whose is what was there */
	size_t first, n;         /* its rows */
	bool is_wanted;          /* by --focus and --ignore */
	const struct line_source *code; /* borrowed: its file where unchanged, or NULL */
};

struct line_profile {
	struct line_function *functions; /* owned, in the order of the recording */
	size_t nfunctions, functions_cap;
	struct line_row *rows; /* owned, by (function, block, line) */
	size_t nrows, rows_cap;
	struct intern texts, keys;
	bool has_times, has_memory;
};

/* ERR_EMPTY when there is no function, or none matches.  Release in both cases. */
int line_profile_load(struct store *store, const struct scope *scope,
		      const struct filter *filter, struct line_profile *out,
		      struct err *err);
void line_profile_release(struct line_profile *p);
/* "file:line(name)" */
void line_profile_add_name(const struct line_function *f, struct buf *out);
/*
 * Wanted functions, the hottest first: most time, then most memory added; owned by the
 * caller.
 */
uint32_t *line_profile_hottest(const struct line_profile *p, size_t *n);

struct line_request {
	const struct filter *filter; /* borrowed: --focus and --ignore */
	struct view_request show;    /* without a sort: tables of functions */
};

extern const struct view lines_view, line_functions_view;

/* ptool lines: 0 and *out, or -1; ERR_EMPTY as above. */
int lines_open(struct store *store, const struct scope *scope,
	       const struct line_request *request, struct table **out, struct err *err);
/* ptool top, and the functions of ptool memory. */
int line_functions_open(struct store *store, const struct scope *scope,
			const struct line_request *request, struct table **out,
			struct err *err);

#endif
