/* Rows of what was live at a peak: see memory_live.h. */
#include "query/memory/memory_live.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/sort.h"
#include "base/sum.h"
#include "query/query.h"

#define LABEL_MAX 80

enum {
	WHAT = NMEMORY_PLACE_COLUMNS,
	SIZE_FROM,
	SIZE_TO,
	STEP,
	BLOCKS,
	BYTES,
	SHARE,
	NCOLUMNS
};

/* A bit for each enum memory_by: a column says what the rows are. */
#define BY(by)      (1u << (by))
#define CELL(place) .get = view_cell, .arg = (place)

/* clang-format off */
static const struct field fields[] = {
	MEMORY_PLACE_FIELDS,
	{ "op", "Operator", "operator that allocated, with --by op", NULL, UNIT_TEXT, CELL(WHAT), .needs = BY(MEMORY_BY_OP), .flags = FIELD_KEY },
	{ "size", "Size of the block", "size of the blocks, with --by size", NULL, UNIT_TEXT, CELL(WHAT), .needs = BY(MEMORY_BY_SIZE), .flags = FIELD_KEY },
	{ "allocated_in", "Allocated in", "step of the allocation, with --by step", NULL, UNIT_TEXT, CELL(WHAT), .needs = BY(MEMORY_BY_STEP), .flags = FIELD_KEY },
	{ "from_bytes", "From", "smallest size, with --by size", NULL, UNIT_BYTES, CELL(SIZE_FROM), .needs = BY(MEMORY_BY_SIZE) },
	{ "to_bytes", "To", "upper bound of the sizes, with --by size", NULL, UNIT_BYTES, CELL(SIZE_TO), .needs = BY(MEMORY_BY_SIZE) },
	{ "step", "Step", "number of that step, with --by step", NULL, UNIT_ID, CELL(STEP), .needs = BY(MEMORY_BY_STEP) },
	{ "blocks", "Blocks", "number of blocks", NULL, UNIT_COUNT, CELL(BLOCKS) },
	{ "bytes", "At the peak", "their size at the peak", NULL, UNIT_BYTES, CELL(BYTES) },
	{ "share_pct", "Share", "share of the peak", NULL, UNIT_PERCENT, CELL(SHARE) },
	{ .name = NULL },
};
/* clang-format on */

const struct view memory_live_view = {
	.name = "memory --live",
	.fields = fields,
	.people = VIEW_PART(
		"profile rank? device op size allocated_in blocks bytes share_pct"),
};

/* A row that no group is. */
struct rest {
	const char *label;
	int64_t blocks; /* NUMBER_NONE: not known */
	int64_t bytes;
};

struct memtable *memory_live_table(void)
{
	return memtable_new(NULL, NCOLUMNS);
}

/* Where rows go. */
struct target {
	struct memtable *to;
	const struct memory_place *place;
	int64_t peak_bytes;
};

static void set_row(const struct target *t, struct str what, int64_t blocks,
		    int64_t bytes, struct cell *cells)
{
	for (size_t i = 0; i < NCOLUMNS; i++)
		cells[i] = cell_null();
	memory_place_cells(t->place, cells);
	cells[WHAT] = cell_text(what);
	cells[BLOCKS] = memory_number_cell(blocks);
	cells[BYTES] = cell_int(bytes);
	cells[SHARE] = share_cell(bytes, t->peak_bytes);
}

static void add_rest(const struct target *t, struct rest rest)
{
	struct cell cells[NCOLUMNS];

	set_row(t, str_of(rest.label), rest.blocks, rest.bytes, cells);
	memtable_add_row(t->to, cells);
}

static void add_group(const struct target *t, enum memory_by by,
		      const struct memory_group *group)
{
	char label[LABEL_MAX], from[MEMORY_SIZE_MAX], to[MEMORY_SIZE_MAX];
	struct cell cells[NCOLUMNS], *c = cells;

	if (by == MEMORY_BY_SIZE) {
		memory_size_text((int)group->key, from);
		memory_size_text((int)group->key + 1, to);
		snprintf(label, sizeof(label), "%s to %s", from, to);
	} else if (by == MEMORY_BY_STEP && group->step == NUMBER_NONE) {
		snprintf(label, sizeof(label), "(outside every step)");
	} else if (by == MEMORY_BY_STEP) {
		snprintf(label, sizeof(label), "step %" PRId64, group->step);
	}
	set_row(t, by == MEMORY_BY_OP ? group->name : str_of(label), group->blocks,
		group->bytes, cells);
	if (by == MEMORY_BY_SIZE) {
		c[SIZE_FROM] = cell_int(INT64_C(1) << group->key);
		c[SIZE_TO] =
			cell_int(group->key >= 62 ? INT64_MAX : INT64_C(2) << group->key);
	} else if (by == MEMORY_BY_STEP) {
		c[STEP] = memory_number_cell(group->step);
	}
	memtable_add_row(t->to, cells);
}

/* The groups, and what is behind the limit as one row: their bytes in all. */
static int64_t add_groups(const struct target *t, enum memory_by by,
			  const struct memory_live *live, size_t limit)
{
	struct rest rest = { .bytes = 0 };
	int64_t all = 0;
	char label[LABEL_MAX];

	for (size_t i = 0; i < live->n; i++) {
		const struct memory_group *group = &live->items[i];
		all = sum_add(all, group->bytes);
		if (!limit || i < limit || live->n == limit + 1) {
			add_group(t, by, group);
			continue;
		}
		rest.blocks = group->blocks == NUMBER_NONE ? NUMBER_NONE
							   : rest.blocks + group->blocks;
		rest.bytes = sum_add(rest.bytes, group->bytes);
	}
	if (limit && live->n > limit + 1) {
		snprintf(label, sizeof(label), "(%zu more)", live->n - limit);
		rest.label = label;
		add_rest(t, rest);
	}
	return all;
}

/*
 * What makes the rows add up to the peak: older blocks, and what nothing explains.  Where
 * totals do not match (those of shared memory say 0), more may be freed than was there.
 */
static void add_remainder(const struct target *t, int64_t live_bytes, int64_t older_bytes)
{
	if (older_bytes < 0)
		older_bytes = 0;
	int64_t left = sum_sub(sum_sub(t->peak_bytes, live_bytes), older_bytes);

	if (older_bytes)
		add_rest(t, (struct rest){ "(before the recording)", NUMBER_NONE,
					   older_bytes });
	if (left)
		add_rest(t, (struct rest){ "(unaccounted)", NUMBER_NONE, left });
}

void memory_live_add(const struct memory_source *s, const struct memory_place *place,
		     const struct memory_figures *figures, size_t limit,
		     struct memtable *to)
{
	const struct target t = { to, place, figures->peak.allocated.bytes };
	enum memory_by by = s->request.by;
	int64_t live = add_groups(&t, by, &figures->live[by], limit);

	if (!filter_chooses_names(s->request.filter))
		add_remainder(&t, live, figures->older_bytes);
}

struct table *memory_live_pick(const struct memory_source *s, struct memtable *m)
{
	const struct view_request show = { .asked = BY(s->request.by),
					   .for_people = s->request.for_people };

	return view_stream(&memory_live_view, &m->table, s->scope, &show);
}

static int add_place(struct memory_source *s, const struct memory_place *p,
		     struct memtable *to, struct err *err)
{
	struct memory_figures figures;
	char name[LABEL_MAX];

	if (!memory_live_is_known(p, s->request.by)) {
		memory_place_text(s, p, name, sizeof(name));
		memtable_add_note(
			to, "%s: not known, because its events have no addresses", name);
		return 0;
	}
	int rc = memory_figures_find(s, p, MEMORY_BY_BIT(s->request.by), &figures, err);
	if (rc > 0)
		memory_live_add(s, p, &figures, (size_t)s->request.limit, to);
	memory_figures_release(&figures);
	return rc;
}

int memory_open_live(struct memory_source *s, struct table **out, struct err *err)
{
	struct memtable *m = memory_live_table();
	bool has_peak = false;
	int rc = 0;

	for (struct memory_place p = { 0 }; rc >= 0 && memory_place_get(s, &p);
	     memory_place_next(&p)) {
		rc = add_place(s, &p, m, err);
		has_peak |= rc > 0;
	}
	if (rc >= 0 && has_peak && !m->nrows && !filter_chooses_names(s->request.filter))
		rc = err_set(err, ERR_EMPTY,
			     "the peak is at the start, and nothing that was allocated "
			     "before the recording is known");
	if (rc < 0)
		table_free(&m->table);
	else
		*out = memory_live_pick(s, m);
	return rc < 0 ? -1 : 0;
}
