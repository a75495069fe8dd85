/*
 * ptool modules: the calls of nn.Module (Python frames "nn.Module: Linear_0", of
 * with_stack) and of PyTorch Lightning's hooks ("[pl][module]...") as a tree by path,
 * with the host's time and the device work launched inside.
 *
 * Times close: a module's total is its own, that of operators directly below it, and
 * the totals of the modules below.  A call that outlasts the one around it is cut there.
 */
#ifndef PTOOL_QUERY_MODULES_H
#define PTOOL_QUERY_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/intern.h"
#include "base/table.h"
#include "query/filter.h"
#include "query/scope.h"
#include "query/view.h"
#include "store/store.h"

#define MODULE_NONE UINT32_MAX
#define MODULE_ROOT 0U

struct module_node {
	uint32_t name; /* text */
	uint32_t parent, first, next;
	int64_t first_ns;   /* start of its first call, from its profile's first event */
	int64_t calls, ops; /* ops: operators directly below */
	int64_t total_ns, self_ns, op_ns; /* of the host */
	int64_t total_device_ns, self_device_ns;
	int64_t launched; /* pieces of device work, by it and what is below it */
};

struct modules {
	struct module_node *nodes; /* owned; parents first; the first holds all others */
	size_t n, cap;
	struct intern keys, texts;
	bool has_device; /* device work was recorded */
};

struct modules_query {
	const struct filter *filter; /* borrowed; what it leaves out is no module */
	struct view_request show;    /* but no sort */
	int64_t depth;               /* levels; 0: all */
	bool by_start; /* siblings in the order of their first calls, not by time */
	int width;     /* of the line that names are indented in; 0: unlimited */
};

/* 0 or -1: ERR_EMPTY when there is no module.  modules_release() in both cases. */
int modules_load(struct store *store, const struct scope *scope,
		 const struct filter *filter, struct modules *out, struct err *err);
void modules_release(struct modules *m);

/* Has the scope any, whatever the filters?  1, 0, or -1 with err set. */
int modules_exist(struct store *store, const struct scope *scope, struct err *err);

extern const struct view modules_view;

/* The table; *out is freed by table_free(). */
int modules_open(struct store *store, const struct scope *scope,
		 const struct modules_query *query, struct table **out, struct err *err);

#endif
