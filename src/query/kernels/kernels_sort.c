/* What --by and --sort of `ptool kernels` mean, and the order of its rows. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "base/sum.h"
#include "ingest/sink.h"
#include "query/kernels/kernels.h"

enum {
	SORT_NAME,
	SORT_OP,
	SORT_CALLS,
	SORT_TOTAL,
	SORT_MEAN,
	SORT_MIN,
	SORT_MAX,
	SORT_P50,
	SORT_P95,
	SORT_BLOCKS,
	SORT_OCCUPANCY,
	SORT_DELAY,
	SORT_QUEUE,
	SORT_SPLIT /* + enum kernel_split */
};

/* clang-format off */
const struct sort_key kernel_sort_keys[] = {
	{ "total_ns", "total time sum gpu self_device_ns self_device_time_total device_time_total", "time of all calls", SORT_TOTAL, false },
	{ "name", NULL, "name, A to Z", SORT_NAME, true },
	{ "op", "operator", "operator, A to Z, with --by op", SORT_OP, true },
	{ "calls", "count ncalls instances", "number of calls", SORT_CALLS, false },
	{ "mean_ns", "mean avg avg_ns device_time", "time of a call", SORT_MEAN, false },
	{ "min_ns", "min", "time of the shortest call", SORT_MIN, false },
	{ "max_ns", "max", "time of the longest call", SORT_MAX, false },
	{ "p50_ns", "p50 median med", "half of the calls last no longer", SORT_P50, false },
	{ "p95_ns", "p95", "95 of 100 calls last no longer", SORT_P95, false },
	{ "blocks_per_sm", "blocks", "blocks per SM", SORT_BLOCKS, false },
	{ "occupancy_pct", "occupancy", "achieved occupancy, as estimated", SORT_OCCUPANCY, false },
	{ "launch_delay_ns", "launch_delay delay", "time from launches to starts, with --launches", SORT_DELAY, false },
	{ "queue_ns", "queue", "time behind other work of the stream, with --launches", SORT_QUEUE, false },
	{ "rank", NULL, "rank, ascending, with --by rank", SORT_SPLIT + KERNEL_BY_RANK, true },
	{ "profile", NULL, "profile, ascending, with --by profile", SORT_SPLIT + KERNEL_BY_PROFILE, true },
	{ "device", NULL, "device, ascending, with --by device", SORT_SPLIT + KERNEL_BY_DEVICE, true },
	{ "stream", NULL, "stream, ascending, with --by stream", SORT_SPLIT + KERNEL_BY_STREAM, true },
	{ "step", NULL, "step, ascending, with --by step", SORT_SPLIT + KERNEL_BY_STEP, true },
	{ NULL, NULL, NULL, SORT_TOTAL, false },
};
/* clang-format on */

static const char *const split_names[NKERNEL_SPLITS] = { "rank", "profile", "device",
							 "stream", "step" };
/* What rows are told apart by besides: always, and on request. */
static const char *const by_names[] = { "name", "op" };
#define NBY_NAMES (sizeof(by_names) / sizeof(*by_names))

const char *kernels_by_name(size_t i)
{
	if (i < NBY_NAMES)
		return by_names[i];
	return i < NBY_NAMES + NKERNEL_SPLITS ? split_names[i - NBY_NAMES] : NULL;
}

static bool add_word(struct kernels_query *query, struct str word)
{
	for (size_t i = 0; i < NBY_NAMES; i++) {
		if (!str_is(word, by_names[i]))
			continue;
		query->by_op |= i > 0;
		return true;
	}
	for (int i = 0; i < NKERNEL_SPLITS; i++) {
		if (!str_is(word, split_names[i]))
			continue;
		query->split[i] = true;
		/* streams are numbered on each device */
		query->split[KERNEL_BY_DEVICE] |= i == KERNEL_BY_STREAM;
		return true;
	}
	return false;
}

int kernels_by_add(struct kernels_query *query, const char *list, struct err *err)
{
	do {
		struct str word = { list, strcspn(list, ",") };
		if (!add_word(query, word))
			return err_set(err, ERR_USAGE, "unknown --by '" STR_FMT "'",
				       (int)(word.n < 100 ? word.n : 100), word.p);
		list += word.n;
	} while (*list++ == ',');
	return 0;
}

struct sorting {
	const struct kernels *k;
	int column;
	bool ascending;
};

static int compare_ints(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int compare_reals(double a, double b)
{
	return (a > b) - (a < b);
}

static int compare_texts(const struct kernels *k, uint32_t a, uint32_t b)
{
	return str_compare(text_pool_str(&k->texts, a), text_pool_str(&k->texts, b));
}

static double mean_of(const struct kernel_mean *mean)
{
	struct cell cell = kernel_mean_cell(mean);

	return cell.type == CELL_REAL ? cell.as.real : -1;
}

/* A sum that stuck has no mean. */
static double mean_ns(const struct kernel_group *g)
{
	return sum_is_stuck(g->total_ns) ? -1 : (double)g->total_ns / (double)g->calls;
}

static int compare_shapes(const struct kernels *k, uint32_t a, uint32_t b)
{
	int64_t x[sizeof(struct kernel_shape) / sizeof(int64_t)],
		y[sizeof(x) / sizeof(*x)];

	if (a == b || a == TEXT_NONE || b == TEXT_NONE)
		return (a == TEXT_NONE) - (b == TEXT_NONE);
	memcpy(x, intern_str(&k->shapes, a).p, sizeof(x));
	memcpy(y, intern_str(&k->shapes, b).p, sizeof(y));
	for (size_t i = 0; i < sizeof(x) / sizeof(*x); i++)
		if (x[i] != y[i])
			return compare_ints(x[i], y[i]);
	return 0;
}

/* By times and numbers; 0 for the columns that are not one. */
static int compare_numbers(const struct kernel_group *a, const struct kernel_group *b,
			   int column)
{
	switch (column) {
	case SORT_CALLS:
		return compare_ints(a->calls, b->calls);
	case SORT_TOTAL:
		return compare_ints(a->total_ns, b->total_ns);
	case SORT_MEAN:
		return compare_reals(mean_ns(a), mean_ns(b));
	case SORT_MIN:
		return compare_ints(a->min_ns, b->min_ns);
	case SORT_MAX:
		return compare_ints(a->max_ns, b->max_ns);
	case SORT_P50:
		return compare_ints(a->p50_ns, b->p50_ns);
	case SORT_P95:
		return compare_ints(a->p95_ns, b->p95_ns);
	case SORT_BLOCKS:
		return compare_reals(mean_of(&a->blocks), mean_of(&b->blocks));
	case SORT_OCCUPANCY:
		return compare_reals(mean_of(&a->occupancy), mean_of(&b->occupancy));
	case SORT_DELAY:
		return compare_ints(a->launches.delay_ns, b->launches.delay_ns);
	case SORT_QUEUE:
		return compare_ints(a->launches.queue_ns, b->launches.queue_ns);
	default:
		return 0;
	}
}

static int compare_column(const struct sorting *s, const struct kernel_group *a,
			  const struct kernel_group *b)
{
	if (s->column == SORT_NAME)
		return compare_texts(s->k, a->name, b->name);
	if (s->column == SORT_OP)
		return compare_texts(s->k, a->op, b->op);
	if (s->column >= SORT_SPLIT)
		return compare_ints(a->split[s->column - SORT_SPLIT],
				    b->split[s->column - SORT_SPLIT]);
	return compare_numbers(a, b, s->column);
}

/* Longest first, and then by all that makes a group. */
static int compare_groups(const struct kernels *k, const struct kernel_group *a,
			  const struct kernel_group *b)
{
	int order = compare_ints(b->total_ns, a->total_ns);

	if (!order)
		order = compare_texts(k, a->name, b->name);
	if (!order)
		order = compare_texts(k, a->op, b->op);
	for (int i = 0; i < NKERNEL_SPLITS && !order; i++)
		order = compare_ints(a->split[i], b->split[i]);
	return order ? order : compare_shapes(k, a->shape, b->shape);
}

static bool is_before(const void *context, uint32_t a, uint32_t b)
{
	const struct sorting *s = context;
	const struct kernel_group *x = &s->k->groups[a], *y = &s->k->groups[b];
	int order = compare_column(s, x, y);

	if (order)
		return s->ascending ? order < 0 : order > 0;
	return compare_groups(s->k, x, y) < 0;
}

void kernels_sort(struct kernels *k, const struct kernels_query *query)
{
	const struct sort_key *key = query->sort ? query->sort : kernel_sort_keys;
	const struct sorting s = { k, key->column, key->ascending != query->reverse };
	uint32_t *spare = xrealloc_array(NULL, k->n, sizeof(*spare));

	k->order = xrealloc_array(NULL, k->n, sizeof(*k->order));
	for (size_t i = 0; i < k->n; i++)
		k->order[i] = (uint32_t)i;
	sort_indexes(k->order, k->n, spare, is_before, &s);
	k->norder =
		query->limit && (size_t)query->limit < k->n ? (size_t)query->limit : k->n;
	free(spare);
}
