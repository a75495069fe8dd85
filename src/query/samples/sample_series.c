/* The series of sampled stacks as a view: see sample_series.h. */
#include "query/samples/sample_series.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "query/samples/sample_set.h"

/* --series takes the numbers of one run, as commands read one. */
struct listed {
	struct sample_series series;
	int64_t number;
	const char *run; /* borrowed */
};

static struct cell get_text(const void *from, const void *row, int arg)
{
	const char *text;

	(void)from;
	memcpy(&text, (const char *)row + arg, sizeof(text));
	return *text ? cell_text(str_of(text)) : cell_null();
}

/* arg: the unit whose column it is. */
static struct cell get_weight(const void *from, const void *row, int arg)
{
	const struct sample_series *s = row;
	const struct sample_set one = { .decimals = s->decimals };

	(void)from;
	return s->unit == (enum unit)arg ? sample_weight_cell(&one, s->weight)
					 : cell_null();
}

/* clang-format off */
static const struct field fields[] = {
	{ "run", "Run", "name of its run", NULL, UNIT_TEXT, .get = get_text, .arg = offsetof(struct listed, run) },
	{ "series", "Series", "number of the series, for --series", NULL, UNIT_ID, .get = view_number, .arg = offsetof(struct listed, number) },
	{ "name", "Name", "name, as the file gives it", NULL, UNIT_TEXT, .get = get_text, .arg = offsetof(struct sample_series, name) },
	{ "measure", "Measure", "what was measured", NULL, UNIT_TEXT, .get = get_text, .arg = offsetof(struct sample_series, measure) },
	{ "mode", "Mode", "mode, for --mode", NULL, UNIT_TEXT, .get = get_text, .arg = offsetof(struct sample_series, mode) },
	{ "samples", "Samples", "how many samples", NULL, UNIT_COUNT, .get = view_number, .arg = offsetof(struct sample_series, samples) },
	{ "weight_ns", "Time", "all of its time", NULL, UNIT_NS, .get = get_weight, .arg = UNIT_NS },
	{ "weight_bytes", "Bytes", "all of its bytes", NULL, UNIT_BYTES, .get = get_weight, .arg = UNIT_BYTES },
	{ "weight_count", "Count", "all of its counts", NULL, UNIT_COUNT, .get = get_weight, .arg = UNIT_COUNT },
	{ .name = NULL },
};
/* clang-format on */

static const struct view view = {
	.name = "series of sampled stacks",
	.fields = fields,
	.people = VIEW_PART(
		"run? series! name measure mode samples weight_ns weight_bytes weight_count"),
};

/* One for each series, which free() frees. */
static struct listed *list_series(const struct sample_set *set, const struct scope *scope)
{
	struct listed *listed = xcalloc(set->nseries, sizeof(*listed));
	struct counted {
		size_t first; /* place of the run's first profile */
		int64_t n;    /* of the run, so far: there */
	} *counted = xcalloc(scope->n, sizeof(*counted));

	for (size_t i = 0; i < scope->n; i++)
		counted[i].first =
			i && scope->profiles[i].run_id == scope->profiles[i - 1].run_id
				? counted[i - 1].first
				: i;
	for (size_t i = 0; i < set->nseries; i++) {
		const struct scope_profile *p =
			scope_find(scope, set->series[i].profile_id);
		struct counted *run = &counted[counted[p - scope->profiles].first];
		listed[i] = (struct listed){ set->series[i], ++run->n, p->run };
	}
	free(counted);
	return listed;
}

int sample_series_open(struct store *store, const struct scope *scope, struct table **out,
		       struct err *err)
{
	const struct view_request show = { .for_people = true };
	struct sample_set set;
	int rc = sample_series_load(store, scope, &set, err);

	*out = NULL;
	if (rc == 0 && set.nseries) {
		struct listed *listed = list_series(&set, scope);
		const struct view_rows rows = { &set, listed, set.nseries,
						sizeof(*listed) };
		struct memtable *m = view_table(&view, &rows, scope, &show);
		m->table.caption = "sampled stacks:";
		*out = &m->table;
		free(listed);
	}
	sample_set_release(&set);
	return rc;
}
