/*
 * The table of labels: see top_annotations() in top.h.  Device time is that of
 * the work launched inside a label, on its thread; its span runs from the first
 * start to the last end of that work in each call.
 */
#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/memtable.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/query.h"
#include "query/top/top.h"

ASSET(asset_query_views_top_annotation_sql);

enum {
	COLUMN_NAME,
	COLUMN_CALLS,
	COLUMN_HOST,
	COLUMN_DEVICE,
	COLUMN_SPAN,
	COLUMN_LAUNCHES,
	NCOLUMNS
};

static const struct column columns[NCOLUMNS] = {
	{ "name", "Label", UNIT_TEXT },
	{ "calls", "Calls", UNIT_COUNT },
	{ "host_ns", "Host", UNIT_NS },
	{ "device_ns", "Device", UNIT_NS },
	{ "device_span_ns", "Device span", UNIT_NS },
	{ "launches", "Launches", UNIT_COUNT },
};

/* clang-format off */
const struct sort_key annotation_sort_keys[] = {
	{ "name", NULL, "name, A to Z", COLUMN_NAME, true },
	{ "key", NULL, "name, Z to A", COLUMN_NAME, false },
	{ "calls", "count ncalls nc", "number of calls", COLUMN_CALLS, false },
	{ "host_ns", "host cpu total total_cpu_ns cpu_time_total cumulative cumtime cum", "time on the host", COLUMN_HOST, false },
	{ "device_ns", "device gpu total_device_ns device_time_total", "device work launched inside", COLUMN_DEVICE, false },
	{ "device_span_ns", "device_span", "first start to last end of that work", COLUMN_SPAN, false },
	{ "launches", NULL, "pieces of that work", COLUMN_LAUNCHES, false },
	{ "none", NULL, "not at all: the order of first calls", NCOLUMNS, false },
	{ NULL, NULL, NULL, 0, false },
};
/* clang-format on */

struct label {
	uint32_t name;
	int64_t first_ts_ns;
	int64_t sums[NCOLUMNS]; /* from COLUMN_CALLS on */
};

struct labels {
	struct text_pool texts;
	struct intern names; /* by text number: index into at */
	struct label *at;    /* owned */
	size_t n, cap;
	const struct sort_key *key;
	bool ascending;
};

static struct label *find_label(struct labels *l, uint32_t name)
{
	uint32_t at =
		intern_add(&l->names, (struct str){ (const char *)&name, sizeof(name) });

	if (at == l->n) {
		l->at = xgrow(l->at, &l->cap, l->n + 1, sizeof(*l->at));
		l->at[l->n++] = (struct label){ .name = name, .first_ts_ns = INT64_MAX };
	}
	return &l->at[at];
}

static int add_label(struct labels *l, struct sqlite3_stmt *stmt, struct err *err)
{
	uint32_t name;

	if (text_pool_number(&l->texts, sqlite3_column_int64(stmt, 2), &name, err) < 0)
		return -1;
	struct label *label = find_label(l, name);
	int64_t first_ts_ns = sqlite3_column_int64(stmt, 3);
	if (first_ts_ns < label->first_ts_ns)
		label->first_ts_ns = first_ts_ns;
	for (int i = COLUMN_CALLS; i < NCOLUMNS; i++)
		label->sums[i] =
			sum_add(label->sums[i], sqlite3_column_int64(stmt, 3 + i));
	return 0;
}

static int load_labels(struct store *store, const struct scope *scope,
		       const struct top_query *query, struct labels *l, struct err *err)
{
	const struct filter *f = query->filter;
	struct sqlite3_stmt *stmt;
	int rc;

	if (text_pool_open(store, &l->texts, err) < 0 ||
	    query_prepare(store, asset_query_views_top_annotation_sql, &stmt, err) < 0)
		return -1;
	query_bind_text(stmt, ":profiles", scope->ids);
	while ((rc = sql_step(stmt, err)) > 0) {
		struct cell step = query_cell(stmt, 1);
		if (filter_has_step(f, step.type == CELL_INT ? step.as.integer : 0,
				    step.type == CELL_INT) &&
		    add_label(l, stmt, err) < 0) {
			rc = -1;
			break;
		}
	}
	sqlite3_finalize(stmt);
	return rc;
}

static bool label_before(const void *context, uint32_t a, uint32_t b)
{
	const struct labels *l = context;
	const struct label *x = &l->at[a], *y = &l->at[b];
	int column = l->key->column;

	if (column == COLUMN_NAME) {
		int order = str_compare(text_pool_str(&l->texts, x->name),
					text_pool_str(&l->texts, y->name));
		return l->ascending ? order < 0 : order > 0;
	}
	if (column == NCOLUMNS || x->sums[column] == y->sums[column])
		return false;
	return (x->sums[column] < y->sums[column]) == l->ascending;
}

static bool first_before(const void *context, uint32_t a, uint32_t b)
{
	const struct labels *l = context;

	return l->at[a].first_ts_ns < l->at[b].first_ts_ns;
}

/* Those whose names match, sorted: how many, or -1. */
static int64_t order_labels(struct labels *l, const struct filter *f, uint32_t *order,
			    struct err *err)
{
	uint32_t *spare = xrealloc_array(NULL, l->n, sizeof(*spare));
	int64_t n = 0;

	for (uint32_t i = 0; i < l->n && n >= 0; i++) {
		int has =
			filter_has_name(f, text_pool_str(&l->texts, l->at[i].name), err);
		if (has > 0)
			order[n++] = i;
		else if (has < 0)
			n = -1;
	}
	if (n > 0) {
		sort_indexes(order, (size_t)n, spare, first_before, l);
		sort_indexes(order, (size_t)n, spare, label_before, l);
	}
	free(spare);
	return n;
}

static bool any_launches(const struct labels *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->at[i].sums[COLUMN_LAUNCHES])
			return true;
	return false;
}

static struct table *draw(const struct labels *l, const struct scope *scope,
			  const uint32_t *order, size_t n, const struct top_style *style,
			  int64_t limit)
{
	bool has_device = any_launches(l);
	struct memtable *m = memtable_new(
		columns, style->people && !has_device ? COLUMN_DEVICE : NCOLUMNS);

	for (size_t i = 0; i < n && (limit == 0 || (int64_t)i < limit); i++) {
		const struct label *label = &l->at[order[i]];
		struct cell cells[NCOLUMNS] = { cell_text(
			text_pool_str(&l->texts, label->name)) };
		for (int c = COLUMN_CALLS; c < NCOLUMNS; c++)
			cells[c] = c < COLUMN_DEVICE || has_device
					   ? cell_int(label->sums[c])
					   : cell_null();
		memtable_add_row(m, cells);
	}
	m->table.total_rows = (int64_t)n;
	const char *note = top_scope_note(scope, &m->arena);
	if (note)
		memtable_add_note(m, "%s", note);
	return &m->table;
}

static void labels_release(struct labels *l)
{
	text_pool_close(&l->texts);
	intern_release(&l->names);
	free(l->at);
}

int top_annotations(struct store *store, const struct scope *scope,
		    const struct top_query *query, const struct top_style *style,
		    struct table **out, struct err *err)
{
	struct labels l = { .key = query->sort };
	int64_t n = -1;

	if (!l.key)
		l.key = sort_key_find(annotation_sort_keys, "host_ns");
	l.ascending = l.key->ascending != query->reverse;
	intern_init(&l.names);
	if (load_labels(store, scope, query, &l, err) == 0) {
		uint32_t *order = xrealloc_array(NULL, l.n, sizeof(*order));
		n = order_labels(&l, query->filter, order, err);
		if (n == 0)
			n = err_set(err, ERR_EMPTY,
				    l.n ? "no label matches"
					: "no labels (record_function) here");
		if (n > 0)
			*out = draw(&l, scope, order, (size_t)n, style, query->limit);
		free(order);
	}
	labels_release(&l);
	return n < 0 ? -1 : 0;
}
