/* Charges of Tensor Core kernels: see top_rows.h. */
#include "query/top/top_rows.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/devices/device_work.h"

static int by_slice(const void *a, const void *b)
{
	const struct tensor_charge *x = a, *y = b;

	return (x->slice_id > y->slice_id) - (x->slice_id < y->slice_id);
}

static void add_charge(struct tensor_charges *out, const struct work_item *item,
		       enum tensor_core says)
{
	int64_t id = item->op_id ? item->op_id : item->launch_id;
	int64_t dur_ns = sum_sub(item->end_ns, item->start_ns);
	struct tensor_charge charge = { .slice_id = id, .is_launch = !item->op_id };

	if (!id || says == TENSOR_CORE_NO)
		return;
	if (says == TENSOR_CORE_YES)
		charge.times.yes_ns = dur_ns;
	else
		charge.times.unknown_ns = dur_ns;
	*ARRAY_PUSH(out->items, out->n, out->cap) = charge;
}

/* Names are judged once each. */
static void add_charges(struct tensor_charges *out, const struct device_work *work,
			const struct text_pool *texts, int capability)
{
	uint8_t *judged = xcalloc(texts->intern.n + 1, 1); /* enum tensor_core + 1 */

	for (size_t i = 0; i < work->n; i++) {
		const struct work_item *item = &work->items[i];
		enum tensor_core says = TENSOR_CORE_UNKNOWN;
		if (item->class != CLASS_KERNEL)
			continue;
		if (item->name != TEXT_NONE && judged[item->name]) {
			says = (enum tensor_core)(judged[item->name] - 1);
		} else if (item->name != TEXT_NONE) {
			says = tensor_core_kernel(text_pool_str(texts, item->name),
						  capability);
			judged[item->name] = (uint8_t)(says + 1);
		}
		add_charge(out, item, says);
	}
	free(judged);
}

int tensor_charges_load(struct store *store, const struct scope_profile *profile,
			struct text_pool *texts, int capability,
			struct tensor_charges *out, struct err *err)
{
	struct device_work work;

	*out = (struct tensor_charges){ .n = 0 };
	int rc = device_work_load(store, texts, profile, false, &work, err);
	if (rc == 0)
		add_charges(out, &work, texts, capability);
	device_work_release(&work);
	if (out->n)
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
	return sort_first(c->items, c->n, sizeof(*c->items),
			  offsetof(struct tensor_charge, slice_id), slice_id);
}
