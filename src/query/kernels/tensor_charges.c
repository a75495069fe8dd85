/* Charges of Tensor Core kernels: see tensor_charges.h. */
#include "query/kernels/tensor_charges.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sum.h"
#include "query/devices/device_work.h"
#include "query/kernels/tensor_core.h"
#include "query/query.h"

ASSET(asset_query_views_slice_parent_sql);

struct charging {
	struct text_pool *texts;
	struct tensor_charges *out;
	struct sqlite3_stmt *parent;
};

static int by_slice(const void *a, const void *b)
{
	const struct tensor_charge *x = a, *y = b;

	return (x->slice_id > y->slice_id) - (x->slice_id < y->slice_id);
}

/* The innermost label around a slice, or 0; what lies around has a smaller id. */
static int find_label(struct charging *c, int64_t id, int64_t *label, struct err *err)
{
	int rc;

	*label = 0;
	for (;;) {
		query_bind_int(c->parent, ":id", id);
		if ((rc = sql_step(c->parent, err)) <= 0)
			return rc;
		int64_t parent = sqlite3_column_int64(c->parent, 0);
		bool is_label = sqlite3_column_int64(c->parent, 1) == CLASS_ANNOTATION;
		sqlite3_reset(c->parent);
		if (is_label)
			*label = id;
		if (is_label || parent <= 0)
			return 0;
		if (parent >= id)
			return query_damaged("slices do", err);
		id = parent;
	}
}

static int add_charge(struct charging *c, const struct work_item *item, struct err *err)
{
	struct tensor_charges *out = c->out;
	int64_t id = item->op_id;

	if (!id && item->launch_id && find_label(c, item->launch_id, &id, err) < 0)
		return -1;
	if (!id)
		return 0;
	out->items = xgrow(out->items, &out->cap, out->n + 1, sizeof(*out->items));
	out->items[out->n++] =
		(struct tensor_charge){ id, sum_sub(item->end_ns, item->start_ns) };
	return 0;
}

/* Names are judged once each. */
static int add_charges(struct charging *c, const struct device_work *work,
		       struct err *err)
{
	uint8_t *judged = xcalloc(c->texts->intern.n + 1, 1);
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < work->n; i++) {
		const struct work_item *item = &work->items[i];
		if (item->class != CLASS_KERNEL || item->name == TEXT_NONE)
			continue;
		struct str name = text_pool_str(c->texts, item->name);
		if (!judged[item->name])
			judged[item->name] = tensor_core_kernel(name) ? 2 : 1;
		if (judged[item->name] == 2)
			rc = add_charge(c, item, err);
	}
	free(judged);
	return rc;
}

int tensor_charges_load(struct store *store, const struct scope_profile *profile,
			struct text_pool *texts, struct tensor_charges *out,
			struct err *err)
{
	struct charging c = { .texts = texts, .out = out };
	struct device_work work;

	*out = (struct tensor_charges){ .n = 0 };
	if (query_prepare(store, asset_query_views_slice_parent_sql, &c.parent, err) < 0)
		return -1;
	int rc = device_work_load(store, texts, profile, false, &work, err);
	if (rc == 0)
		rc = add_charges(&c, &work, err);
	device_work_release(&work);
	sqlite3_finalize(c.parent);
	if (rc == 0 && out->n)
		qsort(out->items, out->n, sizeof(*out->items), by_slice);
	return rc;
}

void tensor_charges_release(struct tensor_charges *c)
{
	free(c->items);
	*c = (struct tensor_charges){ .n = 0 };
}

size_t tensor_charges_from(const struct tensor_charges *c, int64_t slice_id)
{
	size_t low = 0, high = c->n;

	while (low < high) {
		size_t middle = low + ((high - low) / 2);
		if (c->items[middle].slice_id < slice_id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
