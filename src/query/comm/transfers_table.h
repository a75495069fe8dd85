/*
 * ptool transfers: the copies and sets of a scope, summed up or one by one.  Profiles
 * and devices are never added together.
 */
#ifndef PTOOL_QUERY_TRANSFERS_TABLE_H
#define PTOOL_QUERY_TRANSFERS_TABLE_H

#include "base/table.h"
#include "query/filter.h"
#include "query/scope.h"
#include "query/view.h"

enum transfers_by {
	TRANSFERS_BY_KIND,   /* a row for each kind and memory */
	TRANSFERS_BY_OP,     /* and operator */
	TRANSFERS_BY_STEP,   /* and step */
	TRANSFERS_BY_DEVICE, /* one for all of a device */
	TRANSFERS_SINGLE     /* one for each */
};

struct transfers_request {
	const struct filter *filter; /* borrowed */
	enum transfers_by by;
	struct view_request show; /* `asked`: transfers_columns() of `by` */
};

extern const struct view transfers_view;
/* Bits for struct view_request's `asked`. */
unsigned transfers_columns(enum transfers_by by);

/*
 * 0 and *out, which table_free() frees, or -1: ERR_EMPTY when the profiles hold no
 * device work, ERR_USAGE for filters that device work does not have.
 */
int transfers_open(struct store *store, const struct scope *scope,
		   const struct transfers_request *request, struct table **out,
		   struct err *err);

#endif
