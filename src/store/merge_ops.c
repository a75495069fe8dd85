/* Rows of op_stat of many profiles, added up: see merge_ops.h. */
#include "store/merge_ops.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/hash.h"
#include "base/intern.h"
#include "store/columns.h"

/* Half a kilobyte each. */
#define GROUPS_MAX ((size_t)1 << 18)
/* Of a column that is NULL: no id, no number of a grain or kind. */
#define KEY_NULL INT64_MIN
/* Steps of a store that has larger ids stay apart. */
#define STEP_ID_MAX (1 << 24)

/* schema.sql: op_stat.grain */
#define GRAIN_DETAIL 1

/* How a column is added up; what is not named here is a sum, NULL where all are. */
enum merging {
	OPS_SUM,
	OPS_KEY,      /* tells groups apart */
	OPS_OF_FIRST, /* of the earliest call */
	OPS_LEAST,
	OPS_MOST,
	OPS_OWN,    /* of the first row */
	OPS_NOTHING /* nothing that is asked of merged rows reads it */
};

static const unsigned char mergings[COL_OP_STAT_N] = {
	[COL_OP_STAT_ID] = OPS_NOTHING,
	[COL_OP_STAT_PROFILE_ID] = OPS_OWN,
	[COL_OP_STAT_GRAIN] = OPS_KEY,
	[COL_OP_STAT_STEP_ID] = OPS_KEY,
	[COL_OP_STAT_KIND] = OPS_KEY,
	[COL_OP_STAT_NAME_ID] = OPS_KEY,
	[COL_OP_STAT_IS_ANNOTATION] = OPS_KEY,
	[COL_OP_STAT_SHAPES_ID] = OPS_KEY,
	[COL_OP_STAT_STACK_ID] = OPS_KEY,
	[COL_OP_STAT_OVERLOAD_ID] = OPS_KEY,
	[COL_OP_STAT_FIRST_TS] = OPS_OF_FIRST,
	[COL_OP_STAT_FIRST_DUR] = OPS_OF_FIRST,
	[COL_OP_STAT_FIRST_ORDER] = OPS_OF_FIRST,
	[COL_OP_STAT_IS_ASYNC] = OPS_OF_FIRST,
	[COL_OP_STAT_IS_TOP_LEVEL] = OPS_OF_FIRST,
	[COL_OP_STAT_MIN_NS] = OPS_LEAST,
	[COL_OP_STAT_MAX_NS] = OPS_MOST,
	[COL_OP_STAT_HISTOGRAM] = OPS_NOTHING,
};

struct group {
	uint64_t hash;
	bool has_shapes; /* of its profiles; false where shapes do not count */
	struct bulk_cell cells[COL_OP_STAT_N];
};

struct merge_step {
	int64_t number, id;
};

struct merge_ops {
	struct group *groups; /* owned */
	size_t n, cap;
	struct slots slots; /* places of groups */
	/* The steps: owned. */
	int64_t *first; /* by id: the first step of its number, or 0 */
	size_t first_cap;
	struct merge_step *steps; /* the first of each number */
	size_t nsteps, steps_cap;
	struct slots by_number; /* their places */
};

struct merge_ops *merge_ops_new(void)
{
	struct merge_ops *m = xcalloc(1, sizeof(*m));

	slots_init(&m->slots, NULL);
	slots_init(&m->by_number, NULL);
	return m;
}

void merge_ops_free(struct merge_ops *m)
{
	if (!m)
		return;
	slots_release(&m->slots);
	slots_release(&m->by_number);
	free(m->groups);
	free(m->first);
	free(m->steps);
	free(m);
}

void merge_ops_add_step(struct merge_ops *m, int64_t id, int64_t number)
{
	uint64_t hash = hash_u64((uint64_t)number);
	size_t at;

	if (id < 0 || id > STEP_ID_MAX)
		return;
	uint32_t place = slots_first(&m->by_number, hash, &at);
	while (place != SLOT_FREE && m->steps[place].number != number)
		place = slots_next(&m->by_number, hash, &at);
	if (place == SLOT_FREE) {
		place = (uint32_t)m->nsteps;
		*ARRAY_PUSH(m->steps, m->nsteps, m->steps_cap) =
			(struct merge_step){ number, id };
		slots_add(&m->by_number, hash, place);
	}
	*ARRAY_AT(m->first, m->first_cap, (size_t)id) = m->steps[place].id;
}

/* The step of that number that all its rows get. */
static int64_t step_of(const struct merge_ops *m, int64_t id)
{
	bool is_known = id >= 0 && (size_t)id < m->first_cap && m->first[id];

	return is_known ? m->first[id] : id;
}

static int64_t key_of(const struct merge_ops *m, const struct bulk_cell *cells, int i)
{
	if (cells[i].kind != BULK_INT)
		return KEY_NULL;
	return i == COL_OP_STAT_STEP_ID ? step_of(m, cells[i].number) : cells[i].number;
}

static uint64_t hash_of(const struct merge_ops *m, const struct bulk_cell *cells,
			bool has_shapes)
{
	uint64_t hash = has_shapes;

	for (int i = 0; i < COL_OP_STAT_N; i++)
		if (mergings[i] == OPS_KEY)
			hash = hash_u64(hash * 31 + (uint64_t)key_of(m, cells, i));
	return hash;
}

static bool is_in(const struct merge_ops *m, const struct group *group,
		  const struct group *wanted, const struct bulk_cell *cells)
{
	if (group->hash != wanted->hash || group->has_shapes != wanted->has_shapes)
		return false;
	for (int i = 0; i < COL_OP_STAT_N; i++)
		if (mergings[i] == OPS_KEY &&
		    key_of(m, group->cells, i) != key_of(m, cells, i))
			return false;
	return true;
}

/* `wanted`: all but its cells. */
static struct group *find(struct merge_ops *m, const struct group *wanted,
			  const struct bulk_cell *cells)
{
	size_t at;
	uint32_t place = slots_first(&m->slots, wanted->hash, &at);

	while (place != SLOT_FREE && !is_in(m, &m->groups[place], wanted, cells))
		place = slots_next(&m->slots, wanted->hash, &at);
	return place == SLOT_FREE ? NULL : &m->groups[place];
}

/* Negative: the first call of `a` comes before that of `b`; the longer one is around it. */
static int compare_firsts(const struct bulk_cell *a, const struct bulk_cell *b)
{
	static const struct {
		int column, sign;
	} order[] = { { COL_OP_STAT_FIRST_TS, 1 },
		      { COL_OP_STAT_FIRST_DUR, -1 },
		      { COL_OP_STAT_FIRST_ORDER, 1 } };

	for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
		int64_t x = a[order[i].column].number, y = b[order[i].column].number;
		if (x != y)
			return x < y ? -order[i].sign : order[i].sign;
	}
	return 0;
}

static bool fits(const struct bulk_cell *sums, const struct bulk_cell *cells)
{
	int64_t sum;

	for (int i = 0; i < COL_OP_STAT_N; i++)
		if (mergings[i] == OPS_SUM && sums[i].kind == BULK_INT &&
		    cells[i].kind == BULK_INT &&
		    __builtin_add_overflow(sums[i].number, cells[i].number, &sum))
			return false;
	return true;
}

static void add_cell(struct bulk_cell *sum, const struct bulk_cell *cell,
		     enum merging merging, bool is_first)
{
	bool is_taken = merging == OPS_OF_FIRST && is_first;

	if (merging == OPS_LEAST)
		is_taken = cell->number < sum->number;
	else if (merging == OPS_MOST)
		is_taken = cell->number > sum->number;
	else if (merging == OPS_SUM && sum->kind == BULK_INT && cell->kind == BULK_INT)
		sum->number += cell->number;
	else if (merging == OPS_SUM)
		is_taken = sum->kind != BULK_INT;
	if (is_taken)
		*sum = *cell;
}

static bool add_group(struct merge_ops *m, const struct group *wanted,
		      const struct bulk_cell *cells)
{
	if (m->n == GROUPS_MAX)
		return false;
	slots_add(&m->slots, wanted->hash, (uint32_t)m->n);
	struct group *group = ARRAY_PUSH(m->groups, m->n, m->cap);
	group->hash = wanted->hash;
	group->has_shapes = wanted->has_shapes;
	memcpy(group->cells, cells, sizeof(group->cells));
	group->cells[COL_OP_STAT_ID] = (struct bulk_cell){ .kind = BULK_UNSET };
	group->cells[COL_OP_STAT_HISTOGRAM] = bulk_null();
	if (cells[COL_OP_STAT_STEP_ID].kind == BULK_INT)
		group->cells[COL_OP_STAT_STEP_ID].number =
			step_of(m, cells[COL_OP_STAT_STEP_ID].number);
	return true;
}

bool merge_ops_add(struct merge_ops *m, const struct bulk_cell *cells, bool has_shapes)
{
	struct group wanted;

	wanted.has_shapes = has_shapes && cells[COL_OP_STAT_GRAIN].number == GRAIN_DETAIL;
	wanted.hash = hash_of(m, cells, wanted.has_shapes);
	struct group *group = find(m, &wanted, cells);
	if (!group)
		return add_group(m, &wanted, cells);
	if (!fits(group->cells, cells))
		return false;
	bool is_first = compare_firsts(cells, group->cells) < 0;
	for (int i = 0; i < COL_OP_STAT_N; i++)
		add_cell(&group->cells[i], &cells[i], mergings[i], is_first);
	return true;
}

size_t merge_ops_count(const struct merge_ops *m)
{
	return m->n;
}

void merge_ops_row(const struct merge_ops *m, size_t group, struct bulk_cell *cells)
{
	memcpy(cells, m->groups[group].cells, sizeof(m->groups[group].cells));
}

void merge_ops_forget(struct merge_ops *m)
{
	slots_release(&m->slots);
	slots_init(&m->slots, NULL);
	m->n = 0;
}
