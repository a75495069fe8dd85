/*
 * The peaks of each device; for people with a curve, and below them what was live.
 */
#include <stdlib.h>

#include "base/bars.h"
#include "base/buf.h"
#include "base/sum.h"
#include "base/units.h"
#include "query/memory/memory_live.h"

#define NAME_MAX_SHOWN 80
#define LIVE_SHOWN     ((size_t)8) /* rows of each device below the peaks */

enum {
	ALLOCATED = NMEMORY_PLACE_COLUMNS,
	RESERVED,
	AT,
	STEP,
	RESERVED_AT,
	UNUSED,
	UNUSED_AT,
	BASE,
	RECORDED,
	END,
	EVENTS,
	ALLOCATIONS,
	FREES,
	OUT_OF_MEMORY,
	MISMATCHES,
	CURVE,
	NCOLUMNS
};

#define CELL(place) .get = view_cell, .arg = (place)

/* clang-format off */
static const struct field fields[] = {
	MEMORY_PLACE_FIELDS,
	{ "allocated_peak_bytes", "Peak", "largest of the allocator's totals; null where not recorded", NULL, UNIT_BYTES, CELL(ALLOCATED) },
	{ "reserved_peak_bytes", "Reserved", "peak of reserved memory", NULL, UNIT_BYTES, CELL(RESERVED) },
	{ "at_ns", "At", "when allocated memory peaked", NULL, UNIT_TIME, CELL(AT) },
	{ "step", "Step", "step of that", NULL, UNIT_ID, CELL(STEP) },
	{ "reserved_at_ns", "Reserved at", "when reserved memory peaked", NULL, UNIT_TIME, CELL(RESERVED_AT) },
	{ "unused_peak_bytes", "Unused", "peak of reserved less allocated: fragmentation and caching", NULL, UNIT_BYTES, CELL(UNUSED) },
	{ "unused_at_ns", "Unused at", "when that peaked", NULL, UNIT_TIME, CELL(UNUSED_AT) },
	{ "base_bytes", "Before", "allocated before the recording", NULL, UNIT_BYTES, CELL(BASE) },
	{ "recorded_peak_bytes", "Recorded", "peak of the running sum of the events", NULL, UNIT_BYTES, CELL(RECORDED) },
	{ "end_bytes", "End", "allocated at the end", NULL, UNIT_BYTES, CELL(END) },
	{ "events", "Events", "number of events", NULL, UNIT_COUNT, CELL(EVENTS) },
	{ "allocations", "Allocations", "number of allocations", NULL, UNIT_COUNT, CELL(ALLOCATIONS) },
	{ "frees", "Frees", "number of frees", NULL, UNIT_COUNT, CELL(FREES) },
	{ "out_of_memory", "Out of memory", "failed allocations", NULL, UNIT_COUNT, CELL(OUT_OF_MEMORY) },
	{ "mismatches", "Mismatches", "totals that do not follow from the event before", NULL, UNIT_COUNT, CELL(MISMATCHES) },
	{ "curve", "Curve", NULL, NULL, UNIT_TEXT, CELL(CURVE), .flags = FIELD_PEOPLE },
	{ .name = NULL },
};
/* clang-format on */

const struct view memory_peaks_view = {
	.name = "memory",
	.fields = fields,
	.people = VIEW_PART(
		"profile rank? device allocated_peak_bytes reserved_peak_bytes at_ns step curve"),
};

/* The cell of the curve in which a moment lies. */
static size_t curve_cell(const struct memory_events *m, int64_t ts_ns)
{
	int64_t dur_ns = m->profile->dur_ns;

	if (ts_ns <= 0 || dur_ns <= 0)
		return 0;
	if (ts_ns >= dur_ns)
		return MEMORY_CURVE_CELLS - 1;
	size_t cell = (size_t)((double)ts_ns / (double)dur_ns * MEMORY_CURVE_CELLS);
	return cell >= MEMORY_CURVE_CELLS ? MEMORY_CURVE_CELLS - 1 : cell;
}

/* In each cell the highest level that stood in it. */
static void find_highs(const struct memory_place *p, int64_t highs[MEMORY_CURVE_CELLS])
{
	const struct memory_device *d = p->of;
	const struct memory_event *e = p->events->items + d->first;
	int64_t level = d->base_bytes;
	size_t next = 0;

	for (size_t cell = 0; cell < MEMORY_CURVE_CELLS; cell++) {
		highs[cell] = level;
		for (; next < d->n && curve_cell(p->events, e[next].ts_ns) <= cell;
		     next++) {
			level = e[next].level_bytes;
			if (level > highs[cell])
				highs[cell] = level;
		}
	}
}

struct str memory_curve_text(const int64_t highs[MEMORY_CURVE_CELLS], struct arena *arena)
{
	double levels[MEMORY_CURVE_CELLS], low = 0, high = 0;
	struct buf text;

	for (size_t i = 0; i < MEMORY_CURVE_CELLS; i++) {
		levels[i] = (double)highs[i];
		low = levels[i] < low ? levels[i] : low;
		high = levels[i] > high ? levels[i] : high;
	}
	buf_init(&text, (size_t)MEMORY_CURVE_CELLS * BARS_BYTES);
	bars_add_curve(&text, levels, MEMORY_CURVE_CELLS, low, high);
	struct str copy = arena_copy(arena, buf_str(&text));
	buf_release(&text);
	return copy;
}

static struct str draw_curve(const struct memory_place *p, struct arena *arena)
{
	int64_t highs[MEMORY_CURVE_CELLS];

	find_highs(p, highs);
	return memory_curve_text(highs, arena);
}

static void set_high(struct cell *cells, int bytes, int at, const struct memory_high *h)
{
	cells[bytes] = memory_number_cell(h->bytes);
	cells[at] = h->bytes == NUMBER_NONE ? cell_null() : cell_int(h->at_ns);
}

static void add_row(const struct memory_source *s, const struct memory_place *p,
		    const struct memory_peak *peak, struct memtable *to, int64_t *given)
{
	const struct memory_device *d = p->of;
	struct cell cells[NCOLUMNS];

	memory_place_cells(p, cells);
	set_high(cells, ALLOCATED, AT, &peak->allocated);
	if (!d->has_totals && !s->request.for_people)
		cells[ALLOCATED] = cell_null();
	set_high(cells, RESERVED, RESERVED_AT, &peak->reserved);
	set_high(cells, UNUSED, UNUSED_AT, &peak->unused);
	cells[STEP] = memory_step_cell(p->events, peak->step);
	cells[BASE] = d->has_totals ? cell_int(d->base_bytes) : cell_null();
	cells[RECORDED] = cell_int(sum_sub(peak->allocated.bytes, d->base_bytes));
	cells[END] = d->has_totals ? cell_int(peak->end_bytes) : cell_null();
	cells[EVENTS] = cell_int(peak->events);
	cells[ALLOCATIONS] = cell_int(peak->allocations);
	cells[FREES] = cell_int(peak->frees);
	cells[OUT_OF_MEMORY] = cell_int(peak->out_of_memory);
	cells[MISMATCHES] = cell_int(d->mismatches);
	cells[CURVE] = cell_text(draw_curve(p, &to->arena));
	memory_add_limited(s, to, cells, given);
}

/* A sentence with a size in it: "... %s ...". */
struct size_note {
	const char *before, *behind;
	int64_t bytes;
};

static void note_size(struct memtable *to, const char *name, struct size_note note)
{
	char room[UNITS_TEXT_MAX];
	struct str bytes = units_text(UNIT_BYTES, cell_int(note.bytes), room);

	memtable_add_note(to, "%s: %s" STR_FMT "%s", name, note.before, STR_ARG(bytes),
			  note.behind);
}

static void add_notes(const struct memory_source *s, const struct memory_place *p,
		      const struct memory_peak *peak, struct memtable *to)
{
	char name[NAME_MAX_SHOWN];

	memory_place_text(s, p, name, sizeof(name));
	if (!p->of->has_totals)
		memtable_add_note(to,
				  "%s: totals were not recorded: bytes count from the "
				  "start of the recording",
				  name);
	else if (p->of->base_bytes)
		note_size(to, name,
			  (struct size_note){ "",
					      " were allocated when the recording began",
					      p->of->base_bytes });
	if (peak->unused.bytes != NUMBER_NONE)
		note_size(to, name,
			  (struct size_note){ "at most ",
					      " were reserved and not allocated",
					      peak->unused.bytes });
	if (p->of->mismatches)
		memtable_add_note(to,
				  "%s: totals that do not match the event before: "
				  "%lld",
				  name, (long long)p->of->mismatches);
	if (peak->out_of_memory)
		memtable_add_note(to, "%s: failed allocations: %lld (--oom)", name,
				  (long long)peak->out_of_memory);
	if (!memory_live_is_known(s, p))
		memtable_add_note(to,
				  "%s: what was live is not known: its events have no "
				  "addresses",
				  name);
}

int memory_open_peaks(struct memory_source *s, struct table **out, struct err *err)
{
	struct memtable *m = memtable_new(NULL, NCOLUMNS);
	struct memtable *live = memory_live_table();
	struct memory_peak peak;
	int64_t given = 0;
	int rc = 0;

	live->table.caption = "live at the peak:";
	for (struct memory_place p = { 0 }; rc == 0 && memory_place_get(s, &p);
	     memory_place_next(&p)) {
		if (!memory_peak_find(p.events, p.of, s->request.filter, &peak))
			continue;
		add_row(s, &p, &peak, m, &given);
		add_notes(s, &p, &peak, m);
		if (s->request.for_people && memory_live_is_known(s, &p))
			rc = memory_live_add(s, &p, &peak, LIVE_SHOWN, live, err);
	}
	if (rc < 0 || live->nrows == 0) {
		table_free(&live->table);
		live = NULL;
	}
	if (rc < 0) {
		table_free(&m->table);
		return -1;
	}
	*out = memory_show(s, &memory_peaks_view, &m->table);
	if (live)
		(*out)->more = memory_live_pick(s, live);
	return 0;
}
