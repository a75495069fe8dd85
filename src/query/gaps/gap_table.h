/*
 * The tables of `ptool gaps`: idle time by what it is charged to, single gaps, and the
 * three causes of HTA.
 */
#ifndef PTOOL_QUERY_GAP_TABLE_H
#define PTOOL_QUERY_GAP_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/table.h"
#include "query/filter.h"
#include "query/scope.h"
#include "query/view.h"

enum gap_by {
	GAPS_BY_CAUSE,
	GAPS_BY_OP,
	GAPS_BY_FRAME,
	GAPS_BY_ANNOTATION,
	GAPS_BY_STEP,
	GAPS_BY_STREAM
};

struct gap_table_request {
	const struct filter *filter;
	enum gap_by by;
	int64_t limit;        /* rows; 0: all */
	int64_t threshold_ns; /* of HTA: a shorter gap is a kernel_wait */
	bool is_list, is_hta;
	bool is_brief; /* of the list: without chains, roots and own frames */
	bool charges_roots;
	bool is_inner; /* only idle time between the first and the last work */
	bool for_people;
	int64_t *
		span_ns; /* of sums: gets the time of all devices, also never idle; or NULL */
};

extern const struct view gaps_view, gaps_list_view, gaps_hta_view;

/*
 * Scope and filter are borrowed; *out is the caller's.  ERR_EMPTY: no device work was
 * recorded, or nothing is left by the filter.
 */
int gap_table_open(struct store *store, const struct scope *scope,
		   const struct gap_table_request *request, struct table **out,
		   struct err *err);

/*
 * Two of them of what is read once: out[0] of `sums`, out[1] of `list`, which is one of
 * single gaps; their filters are the same.  Each is the caller's, also on failure; or NULL.
 */
int gap_tables_open(struct store *store, const struct scope *scope,
		    const struct gap_table_request *sums,
		    const struct gap_table_request *list, struct table *out[2],
		    struct err *err);

/* The parts of it, each of all profiles of the scope. */
int gap_list_open(struct store *store, const struct scope *scope,
		  const struct gap_table_request *request, struct table **out,
		  struct err *err);
int gap_hta_open(struct store *store, const struct scope *scope,
		 const struct gap_table_request *request, struct table **out,
		 struct err *err);

/* ERR_EMPTY for a scope of whose profiles none has device work, or none that is wanted. */
int gap_nothing(struct store *store, const struct scope *scope, bool has_work,
		struct err *err);

#endif
