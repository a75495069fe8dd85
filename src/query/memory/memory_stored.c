/*
 * Memory as a summary (query/summary/summary.h): the rows of memory_part from a profile's
 * events, and what they say in place of the events.
 */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "query/memory/memory_figures.h"
#include "query/query.h"
#include "query/summary/summary.h"
#include "store/columns.h"

#define FIGURE(column, member)                                                    \
	{                                                                         \
		COL_MEMORY_PART_##column, offsetof(struct memory_figures, member) \
	}
#define DEVICE(column, member)                                                   \
	{                                                                        \
		COL_MEMORY_PART_##column, offsetof(struct memory_device, member) \
	}

/* Columns of grain 0 that are numbers; NUMBER_NONE is null. */
static const struct place {
	int column;
	size_t offset;
} figure_columns[] = {
	FIGURE(STEP, step),
	FIGURE(BYTES, peak.allocated.bytes),
	FIGURE(AT_NS, peak.allocated.at_ns),
	FIGURE(RESERVED_BYTES, peak.reserved.bytes),
	FIGURE(RESERVED_AT_NS, peak.reserved.at_ns),
	FIGURE(UNUSED_BYTES, peak.unused.bytes),
	FIGURE(UNUSED_AT_NS, peak.unused.at_ns),
	FIGURE(OLDER_BYTES, older_bytes),
	FIGURE(END_BYTES, peak.end_bytes),
	FIGURE(EVENTS, peak.events),
	FIGURE(ALLOCATIONS, peak.allocations),
	FIGURE(FREES, peak.frees),
	FIGURE(OUT_OF_MEMORY, peak.out_of_memory),
	FIGURE(CURVE, curve),
}, device_columns[] = {
	DEVICE(DEVICE_TYPE, type),
	DEVICE(DEVICE, index),
	DEVICE(BASE_BYTES, base_bytes),
	DEVICE(MISMATCHES, mismatches),
};

#define NCOLUMNS_OF(map) (sizeof(map) / sizeof(*(map)))

static void put(const struct place *map, size_t n, const void *from, struct cell *c)
{
	for (size_t i = 0; i < n; i++)
		c[map[i].column] = memory_number_cell(
			*(const int64_t *)((const char *)from + map[i].offset));
}

static void get(const struct place *map, size_t n, const struct cell *c, void *to)
{
	for (size_t i = 0; i < n; i++)
		*(int64_t *)((char *)to + map[i].offset) =
			part_int(c[map[i].column], NUMBER_NONE);
}

static struct cell *add_row(const struct memory_device *d, int64_t grain,
			    struct part_rows *out)
{
	struct cell *c = part_rows_add(out);

	if (!c)
		return NULL;
	c[COL_MEMORY_PART_GRAIN] = cell_int(grain);
	put(device_columns, 2, d, c);
	return c;
}

static bool add_group(const struct memory_device *d, enum memory_by by,
		      const struct memory_group *group, struct part_rows *out)
{
	struct cell *c = add_row(d, 1 + (int64_t)by, out);

	if (!c)
		return false;
	if (by == MEMORY_BY_OP)
		c[COL_MEMORY_PART_OP_ID] = part_rows_bytes(out, group->name);
	else if (by == MEMORY_BY_SIZE)
		c[COL_MEMORY_PART_FROM_BYTES] = cell_int(INT64_C(1) << group->key);
	else
		c[COL_MEMORY_PART_STEP] = memory_number_cell(group->step);
	c[COL_MEMORY_PART_BLOCKS] = memory_number_cell(group->blocks);
	c[COL_MEMORY_PART_BYTES] = cell_int(group->bytes);
	return true;
}

static bool add_figures(const struct memory_device *d, const struct memory_figures *f,
			struct part_rows *out)
{
	struct cell *c = add_row(d, 0, out);

	if (!c)
		return false;
	put(device_columns, NCOLUMNS_OF(device_columns), d, c);
	put(figure_columns, NCOLUMNS_OF(figure_columns), f, c);
	c[COL_MEMORY_PART_HAS_TOTALS] = cell_int(d->has_totals);
	c[COL_MEMORY_PART_HAS_ADDRESSES] = cell_int(d->has_addresses);
	for (int by = 0; by < NMEMORY_BYS; by++)
		for (size_t i = 0; i < f->live[by].n; i++)
			if (!add_group(d, (enum memory_by)by, &f->live[by].items[i], out))
				return false;
	return true;
}

static int add_device(struct memory_source *s, const struct memory_place *place,
		      struct part_rows *out, struct err *err)
{
	struct memory_figures figures;
	unsigned bys = 0;

	for (int by = 0; by < NMEMORY_BYS; by++)
		if (memory_live_is_known(place, (enum memory_by)by))
			bys |= MEMORY_BY_BIT(by);
	int rc = memory_figures_find(s, place, bys, &figures, err);
	bool has_room = rc <= 0 || add_figures(place->of, &figures, out);
	memory_figures_release(&figures);
	return rc > 0 ? has_room : rc;
}

static int make(struct summary_source *from, struct part_rows *out, struct err *err)
{
	static const struct filter everything = { .focus = NULL };
	struct memory_source s = { .store = from->store,
				   .request = { .filter = &everything } };
	struct scope scope;

	scope_of_profile(from->profile, &scope);
	s.scope = &scope;
	int rc = memory_source_load(&s, true, err) < 0 ? -1 : 1;
	for (struct memory_place p = { 0 }; rc > 0 && memory_place_get(&s, &p);
	     memory_place_next(&p))
		rc = add_device(&s, &p, out, err);
	memory_source_release(&s);
	scope_release(&scope);
	return rc < 0 ? -1 : 0;
}

const struct summary summary_memory = { PART_TABLE(MEMORY_PART, memory_part), make };

static bool read_key(struct memory_source *s, const struct cell *c, enum memory_by by,
		     struct memory_group *group)
{
	int64_t from_bytes = part_int(c[COL_MEMORY_PART_FROM_BYTES], 0);
	struct cell op = c[COL_MEMORY_PART_OP_ID];

	if (by == MEMORY_BY_OP) {
		group->key = intern_add(&s->names.texts.intern,
					op.type == CELL_TEXT ? op.as.text : STR_LIT(""));
		group->name = text_pool_str(&s->names.texts, group->key);
	} else if (by == MEMORY_BY_SIZE) {
		if (from_bytes <= 0 || from_bytes & (from_bytes - 1))
			return false;
		group->key = (uint32_t)__builtin_ctzll((unsigned long long)from_bytes);
	}
	return true;
}

static int read_group(struct memory_source *s, const struct cell *c, enum memory_by by,
		      struct memory_live *to, struct err *err)
{
	struct memory_group group = {
		.step = part_int(c[COL_MEMORY_PART_STEP], NUMBER_NONE),
		.blocks = part_int(c[COL_MEMORY_PART_BLOCKS], NUMBER_NONE),
		.bytes = part_int(c[COL_MEMORY_PART_BYTES], 0),
	};
	bool is_count = group.blocks == NUMBER_NONE ||
			(group.blocks >= 0 && group.blocks <= UINT32_MAX);

	if (!is_count || !read_key(s, c, by, &group))
		return summary_damaged(&summary_memory, err);
	int has = by == MEMORY_BY_OP ? filter_has_name(s->request.filter, group.name, err)
				     : 1;
	if (has > 0)
		*ARRAY_PUSH(to->items, to->n, to->cap) = group;
	return has < 0 ? -1 : 0;
}

/* The device of a row of grain 0: the newest of the profile, for what follows. */
static void read_device(const struct cell *c, struct memory_device *d,
			struct memory_figures *f)
{
	*d = (struct memory_device){ .n = 0 };
	*f = (struct memory_figures){ .older_bytes = 0 };
	get(device_columns, NCOLUMNS_OF(device_columns), c, d);
	get(figure_columns, NCOLUMNS_OF(figure_columns), c, f);
	d->has_totals = part_int(c[COL_MEMORY_PART_HAS_TOTALS], 0) != 0;
	d->has_addresses = part_int(c[COL_MEMORY_PART_HAS_ADDRESSES], 0) != 0;
	memory_device_name(d->type, d->index, d->name);
}

static int read_rows(struct memory_source *s, struct memory_events *m,
		     struct memory_figures **figures, const struct part_rows *rows,
		     struct err *err)
{
	size_t cap = 0;
	int rc = 0;

	for (size_t i = 0; i < rows->n && rc == 0; i++) {
		const struct cell *c = part_rows_at(rows, i);
		int64_t grain = part_int(c[COL_MEMORY_PART_GRAIN], -1);
		if (grain < 0 || grain > NMEMORY_BYS || (grain && !m->ndevices))
			return summary_damaged(&summary_memory, err);
		if (grain == 0) {
			*figures =
				xgrow(*figures, &cap, m->ndevices + 1, sizeof(**figures));
			struct memory_device *d =
				ARRAY_PUSH(m->devices, m->ndevices, m->devices_cap);
			read_device(c, d, &(*figures)[m->ndevices - 1]);
			continue;
		}
		rc = read_group(s, c, (enum memory_by)(grain - 1),
				&(*figures)[m->ndevices - 1].live[grain - 1], err);
	}
	return rc;
}

static int read_profile(struct memory_source *s, struct summary_reader *reader, size_t i,
			struct err *err)
{
	const struct scope_profile *profile = &s->scope->profiles[i];
	struct part_rows rows;

	s->profiles[i].profile = profile;
	int rc = summary_read(reader, profile, &summary_memory, &rows, err);
	if (rc == 0)
		rc = read_rows(s, &s->profiles[i], &s->stored[i], &rows, err);
	part_rows_release(&rows);
	return rc;
}

/* Parts of a recording are asked of its events; operators have names, groups of sizes none. */
static bool may_ask(const struct memory_request *request)
{
	const struct filter *f = request->filter;

	return !f->has_steps && !f->has_times &&
	       (request->by == MEMORY_BY_OP || !filter_chooses_names(f));
}

static bool has_all(struct summary_reader *reader, const struct scope *scope)
{
	size_t i = 0;

	while (i < scope->n && summary_has(reader, &scope->profiles[i], &summary_memory))
		i++;
	return i == scope->n;
}

static int load_all(struct memory_source *s, struct summary_reader *reader,
		    struct err *err)
{
	int rc = 0;

	s->profiles = xcalloc(s->scope->n, sizeof(*s->profiles));
	s->blocks = xcalloc(s->scope->n, sizeof(*s->blocks));
	s->stored = xcalloc(s->scope->n, sizeof(struct memory_figures *));
	for (; s->n < s->scope->n && rc == 0; s->n++)
		rc = read_profile(s, reader, s->n, err);
	return rc < 0 ? -1 : 1;
}

int memory_stored_load(struct memory_source *s, struct err *err)
{
	struct summary_reader reader = { .n = 0 };
	int rc = 0;

	if (!may_ask(&s->request))
		return 0;
	if (text_pool_open(s->store, &s->names.texts, err) < 0 ||
	    summary_reader_open(s->store, &s->names.texts, &reader, err) < 0)
		rc = -1;
	else if (has_all(&reader, s->scope))
		rc = load_all(s, &reader, err);
	summary_reader_close(&reader);
	if (rc == 0)
		memory_names_close(&s->names);
	return rc;
}

void memory_stored_free(struct memory_source *s)
{
	for (size_t i = 0; s->stored && i < s->n; i++) {
		for (size_t d = 0; d < s->profiles[i].ndevices; d++)
			memory_figures_release(&s->stored[i][d]);
		free(s->stored[i]);
	}
	free(s->stored);
	s->stored = NULL;
}

int memory_peak_each_stored(struct summary_reader *reader,
			    const struct scope_profile *profile, memory_peak_fn *visit,
			    void *to, struct err *err)
{
	struct part_rows rows;
	int rc = summary_read(reader, profile, &summary_memory, &rows, err);

	for (size_t i = 0; i < rows.n && rc == 0; i++) {
		const struct cell *c = part_rows_at(&rows, i);
		struct memory_figures figures;
		struct memory_device device;
		if (part_int(c[COL_MEMORY_PART_GRAIN], -1) != 0)
			continue;
		read_device(c, &device, &figures);
		rc = visit(to, &device, &figures.peak, err);
	}
	part_rows_release(&rows);
	return rc < 0 ? -1 : 0;
}
