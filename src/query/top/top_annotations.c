/*
 * The table of labels: see top_annotations() in top.h.  Device time is that of
 * the work launched inside a label, on its thread; its span runs from the first
 * start to the last end of that work in each call.
 */
#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/memtable.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/query.h"
#include "query/top/top.h"

ASSET(asset_query_views_top_annotation_sql);

enum { CALLS, HOST, DEVICE, SPAN, LAUNCHES, NSUMS };

struct label {
	uint32_t name;
	int64_t first_ts_ns;
	int64_t sums[NSUMS];
};

struct labels {
	struct text_pool texts;
	struct intern names; /* by text number: index into at */
	struct label *at;    /* owned */
	size_t n, cap;
	uint32_t *order; /* owned; those that match, by first call */
	size_t nmatched;
	bool has_device;
};

/* Rows of the view are indexes into `at`. */
static const struct label *label_of(const struct labels *l, const void *row)
{
	return &l->at[*(const uint32_t *)row];
}

static struct cell get_name(const void *from, const void *row, int arg)
{
	const struct labels *l = from;

	(void)arg;
	return cell_text(text_pool_str(&l->texts, label_of(l, row)->name));
}

static struct cell get_sum(const void *from, const void *row, int sum)
{
	return cell_int(label_of(from, row)->sums[sum]);
}

static struct cell get_device(const void *from, const void *row, int sum)
{
	const struct labels *l = from;

	return l->has_device ? get_sum(from, row, sum) : cell_null();
}

static struct cell get_nothing(const void *from, const void *row, int arg)
{
	(void)from, (void)row, (void)arg;
	return cell_null();
}

#define GET(how, sum) .get = (how), .arg = (sum)

/* clang-format off */
static const struct field fields[] = {
	{ "name", "Label", "name, A to Z", NULL, UNIT_TEXT, .get = get_name },
	{ "key", NULL, "name, Z to A", NULL, UNIT_TEXT, .get = get_name, .flags = FIELD_SORT | FIELD_DESCENDS },
	{ "calls", "Calls", "number of calls", "count ncalls nc", UNIT_COUNT, GET(get_sum, CALLS) },
	{ "host_ns", "Host", "time on the host", "host cpu total total_cpu_ns cpu_time_total cumulative cumtime cum", UNIT_NS, GET(get_sum, HOST) },
	{ "device_ns", "Device", "device work launched inside", "device gpu total_device_ns device_time_total", UNIT_NS, GET(get_device, DEVICE) },
	{ "device_span_ns", "Device span", "time from the first start to the last end of that work", "device_span", UNIT_NS, GET(get_device, SPAN), .leaves = 2 },
	{ "launches", "Launches", "number of kernels, copies and sets launched inside", NULL, UNIT_COUNT, GET(get_device, LAUNCHES), .leaves = 1 },
	{ "none", NULL, "unsorted: the order of first calls", NULL, UNIT_TEXT, .get = get_nothing, .flags = FIELD_SORT },
	{ .name = NULL },
};
/* clang-format on */

const struct view label_view = {
	.name = "top --by annotation",
	.fields = fields,
	.people = VIEW_PART("name! calls host_ns device_ns device_span_ns launches"),
};

static struct label *find_label(struct labels *l, uint32_t name)
{
	uint32_t at = intern_add(&l->names, str_bytes(&name, sizeof(name)));

	if (at == l->n)
		*ARRAY_PUSH(l->at, l->n, l->cap) =
			(struct label){ .name = name, .first_ts_ns = INT64_MAX };
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
	for (int i = 0; i < NSUMS; i++)
		label->sums[i] =
			sum_add(label->sums[i], sqlite3_column_int64(stmt, 4 + i));
	l->has_device |= label->sums[LAUNCHES] != 0;
	return 0;
}

static int load_labels(struct store *store, const struct scope *scope,
		       const struct top_query *query, struct labels *l, struct err *err)
{
	const struct filter *f = query->filter;

	if (text_pool_open(store, &l->texts, err) < 0)
		return -1;
	struct query q = query_of_scope(store, asset_query_views_top_annotation_sql,
					scope->ids, err);
	while (query_next(&q, err)) {
		struct cell step = query_cell(q.stmt, 1);
		if (filter_has_step(f, sqlite3_column_int64(q.stmt, 0),
				    step.type == CELL_INT ? step.as.integer : 0,
				    step.type == CELL_INT))
			q.rc = add_label(l, q.stmt, err);
	}
	return query_end(&q);
}

static bool first_before(const void *context, uint32_t a, uint32_t b)
{
	const struct labels *l = context;

	return l->at[a].first_ts_ns < l->at[b].first_ts_ns;
}

/* Those whose names match, in the order of their first calls. */
static int match(struct labels *l, const struct filter *f, struct err *err)
{
	uint32_t *spare = xrealloc_array(NULL, l->n + 1, sizeof(*spare));
	int has = 0;

	l->order = xrealloc_array(NULL, l->n + 1, sizeof(*l->order));
	for (uint32_t i = 0; i < l->n && has >= 0; i++) {
		has = filter_has_name(f, text_pool_str(&l->texts, l->at[i].name), err);
		if (has > 0)
			l->order[l->nmatched++] = i;
	}
	sort_indexes(l->order, l->nmatched, spare, first_before, l);
	free(spare);
	if (has < 0 || l->nmatched)
		return has < 0 ? -1 : 0;
	return err_set(err, ERR_EMPTY,
		       l->n ? "no label matches" : "no labels (record_function) here");
}

int top_annotations(struct store *store, const struct scope *scope,
		    const struct top_query *query, struct table **out, struct err *err)
{
	struct view_request show = query->show;
	struct labels l = { .n = 0 };

	if (!show.sort)
		show.sort = view_field(&label_view, "host_ns");
	intern_init(&l.names);
	int rc = load_labels(store, scope, query, &l, err);
	if (rc == 0)
		rc = match(&l, query->filter, err);
	if (rc == 0) {
		const struct view_rows rows = { &l, l.order, l.nmatched,
						sizeof(*l.order) };
		struct memtable *m = view_table(&label_view, &rows, scope, &show);
		const char *note = top_scope_note(scope, false, &m->arena);
		if (note)
			memtable_add_note(m, "%s", note);
		*out = &m->table;
	}
	text_pool_close(&l.texts);
	intern_release(&l.names);
	free(l.order);
	free(l.at);
	return rc;
}
