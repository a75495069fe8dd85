/* The curve of memory on a page: extremes of 4,096 buckets of time, whatever was recorded. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "cli/report_charts.h"
#include "cli/table_command.h"
#include "report/page_chart.h"

#define BUCKETS 4096

/* Of a device of a profile. */
struct device_curve {
	char *name; /* owned */
	struct page_series allocated, reserved;
};

struct gathering {
	struct device_curve *devices; /* owned */
	size_t n, cap;
	int64_t length_ns;
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

static struct device_curve *find_device(struct gathering *g, struct str name)
{
	for (size_t i = 0; i < g->n; i++)
		if (str_is(name, g->devices[i].name))
			return &g->devices[i];
	struct device_curve *d = ARRAY_PUSH(g->devices, g->n, g->cap);
	*d = (struct device_curve){ .name = xstrndup(name.p, name.n),
				    .allocated = new_series("kernel", "allocated", false),
				    .reserved = new_series("comm", "reserved", true) };
	return d;
}

static void add_level(const struct gathering *g, struct page_series *s, int64_t at_ns,
		      struct cell level)
{
	int64_t length = g->length_ns + 1;
	int64_t bucket = (int64_t)((double)at_ns / (double)length * BUCKETS);
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

static int gather(void *to, struct table *t, struct err *err)
{
	struct gathering *g = to;
	struct cell *cells = xcalloc(t->ncolumns + 1, sizeof(*cells));
	size_t device = place_of(t, "device"), at = place_of(t, "ts_ns");
	size_t allocated = place_of(t, "allocated_bytes");
	size_t recorded = place_of(t, "recorded_bytes");
	size_t reserved = place_of(t, "reserved_bytes");
	int rc;

	/* behind the last column stands a null, for one that is not there */
	while ((rc = t->next(t, cells, err)) > 0) {
		if (device == t->ncolumns || cells[device].type != CELL_TEXT)
			continue;
		struct device_curve *d = find_device(g, cells[device].as.text);
		int64_t at_ns = cells[at].as.integer;
		bool has_totals = cells[allocated].type == CELL_INT;
		add_level(g, &d->allocated, at_ns,
			  cells[has_totals ? allocated : recorded]);
		add_level(g, &d->reserved, at_ns, cells[reserved]);
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
							       m->title, d->name))),
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
	struct gathering g = { .n = 0 };
	struct err why = ERR_INIT;
	const struct scope *scope = m->reading->scope;

	for (size_t i = 0; i < scope->n; i++)
		if (scope->profiles[i].dur_ns > g.length_ns)
			g.length_ns = scope->profiles[i].dur_ns;
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
		free(g.devices[i].allocated.levels);
		free(g.devices[i].reserved.levels);
	}
	free(g.devices);
	return rc < 0 ? -1 : 0;
}
