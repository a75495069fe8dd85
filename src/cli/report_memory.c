/* The curve of memory on a page: extremes of 4,096 buckets of time, whatever was recorded. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/sum.h"
#include "cli/report_charts.h"
#include "cli/table_command.h"
#include "report/page_chart.h"

#define BUCKETS 4096

/* Of a device of a profile. */
struct device_curve {
	char *name, *title; /* owned; as the table has it, as people read it */
	struct page_series allocated, reserved;
};

struct gathering {
	struct device_curve *devices; /* owned */
	size_t n, cap;
	struct intern keys; /* profile and name: places in devices */
	struct buf key;     /* of the newest row */
	size_t nprofiles;
	int64_t length_ns;
};

/* Places of columns; one that is not there is behind the last. */
struct rows_at {
	size_t profile, rank, name, time, levels[2], reserved;
	bool is_process;
};

static size_t place_of(const struct table *t, const char *name)
{
	size_t i = 0;

	while (i < t->ncolumns && strcmp(t->columns[i].name, name) != 0)
		i++;
	return i;
}

static struct page_series new_series(const char *color, const char *label, bool is_dashed)
{
	return (struct page_series){ .color = color,
				     .label = str_of(label),
				     .is_dashed = is_dashed };
}

/* "cuda:0", "cuda:0 of rank 1", "process main". */
static char *title_of(const struct gathering *g, const struct rows_at *at,
		      const struct cell *cells)
{
	struct str name = cells[at->name].as.text;
	const char *kind = at->is_process ? "process " : "";

	if (g->nprofiles < 2)
		return xasprintf("%s" STR_FMT, kind, STR_ARG(name));
	if (cells[at->rank].type == CELL_INT)
		return xasprintf("%s" STR_FMT " of rank %" PRId64, kind, STR_ARG(name),
				 cells[at->rank].as.integer);
	return xasprintf("%s" STR_FMT " of profile %" PRId64, kind, STR_ARG(name),
			 cells[at->profile].as.integer);
}

static struct device_curve *find_device(struct gathering *g, const struct rows_at *at,
					const struct cell *cells)
{
	struct str name = cells[at->name].as.text;
	int64_t profile = cells[at->profile].as.integer;

	buf_clear(&g->key);
	buf_add(&g->key, &profile, sizeof(profile));
	buf_add_str(&g->key, name);
	uint32_t known = intern_add(&g->keys, buf_str(&g->key));
	if (known < g->n)
		return &g->devices[known];
	struct device_curve *d = ARRAY_PUSH(g->devices, g->n, g->cap);
	*d = (struct device_curve){ .name = xstrndup(name.p, name.n),
				    .title = title_of(g, at, cells),
				    .allocated = new_series(
					    "kernel",
					    at->is_process ? "used" : "allocated", false),
				    .reserved = new_series("comm", "reserved", true) };
	return d;
}

static void add_level(const struct gathering *g, struct page_series *s, int64_t at_ns,
		      struct cell level)
{
	int64_t length = sum_add(g->length_ns, 1);
	int64_t within_ns = at_ns < 0 ? 0 : at_ns < length ? at_ns : length - 1;
	int64_t bucket = (int64_t)((double)within_ns / (double)length * BUCKETS);
	int64_t start = (int64_t)((double)bucket / BUCKETS * (double)length);

	if (level.type != CELL_INT)
		return;
	if (!s->n || s->levels[s->n - 1].at_ns != start)
		*ARRAY_PUSH(s->levels, s->n, s->cap) =
			(struct page_level){ start, level.as.integer, level.as.integer,
					     level.as.integer };
	struct page_level *last = &s->levels[s->n - 1];
	if (level.as.integer < last->low)
		last->low = level.as.integer;
	if (level.as.integer > last->high)
		last->high = level.as.integer;
	last->last = level.as.integer;
}

/* Of torch's devices, or of the processes that mprof samples. */
static struct rows_at find_columns(const struct table *t)
{
	struct rows_at at = { .profile = place_of(t, "profile"),
			      .rank = place_of(t, "rank"),
			      .name = place_of(t, "device"),
			      .time = place_of(t, "ts_ns"),
			      .levels = { place_of(t, "allocated_bytes"),
					  place_of(t, "recorded_bytes") },
			      .reserved = place_of(t, "reserved_bytes") };

	at.is_process = at.name == t->ncolumns;
	if (at.is_process) {
		at.name = place_of(t, "process");
		at.levels[0] = place_of(t, "bytes");
	}
	return at;
}

static int gather(void *to, struct table *t, struct err *err)
{
	struct gathering *g = to;
	struct cell *cells = xcalloc(t->ncolumns + 1, sizeof(*cells));
	const struct rows_at at = find_columns(t);
	int rc;

	/* behind the last column stands a null, for one that is not there */
	while ((rc = t->next(t, cells, err)) > 0) {
		if (cells[at.name].type != CELL_TEXT)
			continue;
		struct device_curve *d = find_device(g, &at, cells);
		int64_t at_ns = cells[at.time].as.integer;
		bool has_totals = cells[at.levels[0]].type == CELL_INT;
		add_level(g, &d->allocated, at_ns, cells[at.levels[!has_totals]]);
		add_level(g, &d->reserved, at_ns, cells[at.reserved]);
	}
	free(cells);
	return rc < 0 ? -1 : g->n > 0;
}

static void put_curve(struct report_making *m, const struct gathering *g, size_t i)
{
	const struct device_curve *d = &g->devices[i];
	struct page_series series[2];
	size_t n = 0;

	if (d->allocated.n)
		series[n++] = d->allocated;
	if (d->reserved.n)
		series[n++] = d->reserved;
	if (!n)
		return;
	page_part_open(
		m->page->body, "panel",
		PAGE_SLOTS(
			PAGE_TEXT("title", str_of(arena_printf(&m->page->arena,
							       "%sMemory of %s over time",
							       m->title, d->title))),
			PAGE_TEXT("about", STR_LIT("extremes of 4,096 parts of the "
						   "recording"))));
	page_curve(m->page, &(struct page_curve){ .id = arena_printf(&m->page->arena,
								     "%schart-memory-%zu",
								     m->id, i),
						  .unit = UNIT_BYTES,
						  .length_ns = g->length_ns,
						  .series = series,
						  .nseries = n });
	page_part_close(m->page->body, "panel");
}

int report_memory(struct report_making *m, struct err *err)
{
	struct gathering g = { .nprofiles = m->reading->scope->n };
	struct err why = ERR_INIT;
	const struct scope *scope = m->reading->scope;

	for (size_t i = 0; i < scope->n; i++)
		if (scope->profiles[i].dur_ns > g.length_ns)
			g.length_ns = scope->profiles[i].dur_ns;
	intern_init(&g.keys);
	buf_init(&g.key, SIZE_MAX);
	int rc = table_command_use("memory --curve --format json", m->reading,
				   &(struct table_use){ gather, &g }, &why);
	if (rc < 0)
		*err = why;
	/* what is scarce comes first */
	for (size_t i = 0; rc >= 0 && i < g.n; i++)
		if (strcmp(g.devices[i].name, "cpu") != 0)
			put_curve(m, &g, i);
	for (size_t i = 0; i < g.n; i++) {
		if (rc >= 0 && strcmp(g.devices[i].name, "cpu") == 0)
			put_curve(m, &g, i);
		free(g.devices[i].name);
		free(g.devices[i].title);
		free(g.devices[i].allocated.levels);
		free(g.devices[i].reserved.levels);
	}
	free(g.devices);
	intern_release(&g.keys);
	buf_release(&g.key);
	return rc < 0 ? -1 : 0;
}
