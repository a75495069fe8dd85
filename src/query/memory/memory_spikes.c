/*
 * Spikes: moments that stand out of the curve of a device.  How far one does is its
 * prominence: the level less the higher of the lowest levels that lie between it and
 * something higher, on its left and on its right (the ends of the recording count).  On
 * the left something as high will do, so that of equal highs the first is the peak.
 */
#include <stdlib.h>

#include "base/array.h"
#include "base/sort.h"
#include "base/sum.h"
#include "query/memory/memory_source.h"
#include "query/query.h"

#define NO_EVENT       SIZE_MAX
#define SMALLEST_BYTES (1024.0 * 1024.0) /* what rises less is no spike */

enum { AT = NMEMORY_PLACE_COLUMNS, STEP, ALLOCATED, RISE, SHARE, FROM, TO, OP, NCOLUMNS };

#define CELL(place) .get = view_cell, .arg = (place)

/* clang-format off */
static const struct field fields[] = {
	MEMORY_PLACE_FIELDS,
	{ "at_ns", "At", "time of the top", NULL, UNIT_TIME, CELL(AT) },
	{ "step", "Step", "step", NULL, UNIT_ID, CELL(STEP), .flags = FIELD_KEY },
	{ "allocated_bytes", "Level", "allocated at the top", NULL, UNIT_BYTES, CELL(ALLOCATED) },
	{ "rise_bytes", "Rise", "the level minus the higher of the two lowest levels, before and after it", NULL, UNIT_BYTES, CELL(RISE) },
	{ "share_pct", "Share", "share of the rise in the peak; null where totals are not recorded", NULL, UNIT_PERCENT, CELL(SHARE) },
	{ "from_ns", "From", "start of the rise", NULL, UNIT_TIME, CELL(FROM) },
	{ "to_ns", "To", "end of the fall", NULL, UNIT_TIME, CELL(TO) },
	{ "op", "Operator", "operator of the largest allocation of the rise", NULL, UNIT_TEXT, CELL(OP) },
	{ .name = NULL },
};
/* clang-format on */

const struct view memory_spikes_view = {
	.name = "memory --spikes",
	.fields = fields,
	.people = VIEW_PART(
		"profile rank? device at_ns step allocated_bytes rise_bytes share_pct op"),
};

/* The lowest level beside an event, the event that left it, and what rose from there. */
struct low {
	int64_t bytes;
	size_t event;
	size_t largest; /* allocation since, or NO_EVENT */
};

struct spike {
	size_t event;   /* of the device */
	size_t largest; /* allocation of the rise: that of the event where there is none */
	int64_t rise_bytes;
	size_t from, to; /* events that left the lows on its sides */
};

struct spikes {
	int64_t highest_bytes; /* the device's peak, which rises are shares of */
	const struct memory_event *events; /* of the device */
	struct spike *items;               /* owned */
	size_t n, cap;
};

/* An event that nothing behind it exceeded so far, and the low in front of it. */
struct open_high {
	size_t event;
	struct low left; /* between it and the higher one before it */
};

struct sweep {
	struct open_high *open; /* owned; levels fall */
	size_t n, cap;
	int64_t least_bytes; /* smaller rises are no spikes */
};

static void close_high(struct sweep *w, struct spikes *out, struct low right)
{
	const struct open_high *high = &w->open[--w->n];
	int64_t base = high->left.bytes > right.bytes ? high->left.bytes : right.bytes;
	int64_t rise = sum_sub(out->events[high->event].level_bytes, base);

	if (rise <= 0 || rise < w->least_bytes)
		return;
	size_t largest = high->left.largest;
	*ARRAY_PUSH(out->items, out->n, out->cap) =
		(struct spike){ high->event, largest == NO_EVENT ? high->event : largest,
				rise, high->left.event, right.event };
}

/* The larger allocation; of equal ones the first. */
static size_t larger(const struct spikes *s, size_t a, size_t b)
{
	if (a == NO_EVENT || b == NO_EVENT)
		return a == NO_EVENT ? b : a;
	return s->events[b].bytes > s->events[a].bytes ? b : a;
}

/* The high on top is passed: its low, where that is the lower one. */
static struct low lower(const struct spikes *s, struct low left, struct low low)
{
	if (left.bytes >= low.bytes)
		return low;
	left.largest = larger(s, left.largest, low.largest);
	return left;
}

/*
 * One pass: highs that wait for something higher lie on a stack; between two that lie on
 * each other stands the low of the upper one.  Equal highs wait on each other.
 */
static void find_spikes(struct sweep *w, size_t n, int64_t base_bytes, struct spikes *out)
{
	struct low low = { base_bytes, 0,
			   NO_EVENT }; /* since the high on top, or the start */

	for (size_t i = 0; i < n; i++) {
		int64_t level = out->events[i].level_bytes;
		while (w->n && out->events[w->open[w->n - 1].event].level_bytes < level) {
			struct low left = w->open[w->n - 1].left;
			close_high(w, out, low);
			low = lower(out, left, low);
		}
		if (out->events[i].bytes > 0)
			low.largest = larger(out, low.largest, i);
		*ARRAY_PUSH(w->open, w->n, w->cap) = (struct open_high){ i, low };
		low = (struct low){ level, i, NO_EVENT };
	}
	while (w->n) {
		struct low left = w->open[w->n - 1].left;
		close_high(w, out, low);
		low = lower(out, left, low);
	}
}

/* The largest rise first, then the earliest. */
static bool comes_before(const void *context, uint32_t a, uint32_t b)
{
	const struct spikes *s = context;

	if (s->items[a].rise_bytes != s->items[b].rise_bytes)
		return s->items[a].rise_bytes > s->items[b].rise_bytes;
	return s->items[a].event < s->items[b].event;
}

static int set_row(struct memory_source *s, const struct memory_place *p,
		   const struct spikes *all, const struct spike *spike,
		   struct cell *cells, struct err *err)
{
	const struct memory_event *e = &all->events[spike->event];
	struct str name;

	if (memory_names_str(&s->names, &all->events[spike->largest], &name, err) < 0)
		return -1;
	memory_place_cells(p, cells);
	cells[AT] = cell_int(e->ts_ns);
	cells[STEP] = memory_step_cell(p->events, e->step);
	cells[ALLOCATED] = cell_int(e->level_bytes);
	cells[RISE] = cell_int(spike->rise_bytes);
	cells[SHARE] = p->of->has_totals
			       ? share_cell(spike->rise_bytes, all->highest_bytes)
			       : cell_null();
	cells[FROM] = cell_int(all->events[spike->from].ts_ns);
	cells[TO] = cell_int(all->events[spike->to].ts_ns);
	cells[OP] = cell_text(name);
	return filter_has_name(s->request.filter, name, err);
}

static int add_rows(struct memory_source *s, const struct memory_place *p,
		    const struct spikes *all, struct memtable *to, struct err *err)
{
	uint32_t *order = sorted_places(all->n, comes_before, all);
	int64_t given = 0;
	struct cell cells[NCOLUMNS];
	int has = 0;

	for (size_t i = 0; i < all->n && has >= 0; i++) {
		const struct spike *spike = &all->items[order[i]];
		if (!memory_event_is_wanted(p->events, &all->events[spike->event],
					    s->request.filter))
			continue;
		has = set_row(s, p, all, spike, cells, err);
		if (has > 0)
			memory_add_limited(s, to, cells, &given);
	}
	free(order);
	return has < 0 ? -1 : 0;
}

/* Of ptool memory, which begins with what stood there: see memory_peak_find(). */
static int64_t highest(const struct memory_place *p)
{
	const struct memory_event *e = p->events->items + p->of->first;
	int64_t most = e[0].total_bytes != 0 ? p->of->base_bytes : e[0].level_bytes;

	for (size_t i = 0; i < p->of->n; i++)
		most = e[i].level_bytes > most ? e[i].level_bytes : most;
	return most;
}

static int add_place(struct memory_source *s, const struct memory_place *p,
		     struct memtable *to, struct err *err)
{
	struct spikes all = { .events = p->events->items + p->of->first,
			      .highest_bytes = highest(p) };
	struct sweep sweep = { .n = 0 };
	double least = (double)all.highest_bytes * s->request.min_share_pct / 100.0;

	/* whoever asks for a share of 0 wants every rise */
	if (s->request.min_share_pct > 0 && least < SMALLEST_BYTES)
		least = SMALLEST_BYTES;
	sweep.least_bytes = least > 0 && least < 0x1p62 ? (int64_t)least : 0;
	find_spikes(&sweep, p->of->n, p->of->base_bytes, &all);
	int rc = add_rows(s, p, &all, to, err);
	free(sweep.open);
	free(all.items);
	return rc;
}

int memory_open_spikes(struct memory_source *s, struct table **out, struct err *err)
{
	struct memtable *m = memtable_new(NULL, NCOLUMNS);
	int rc = 0;

	for (struct memory_place p = { 0 }; rc == 0 && memory_place_get(s, &p);
	     memory_place_next(&p))
		rc = add_place(s, &p, m, err);
	if (rc < 0)
		table_free(&m->table);
	else
		*out = memory_show(s, &memory_spikes_view, &m->table);
	return rc;
}
