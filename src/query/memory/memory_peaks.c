/*
 * The peaks of each device; for people with a curve, and below them what was live.
 */
#include "base/sum.h"
#include "base/units.h"
#include "query/memory/memory_live.h"

#define NAME_MAX_SHOWN 80
#define LIVE_SHOWN     ((size_t)8) /* rows of each device below the peaks, at most */

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
	{ "step", "Step", "step of that peak", NULL, UNIT_ID, CELL(STEP) },
	{ "reserved_at_ns", "Reserved at", "when reserved memory peaked", NULL, UNIT_TIME, CELL(RESERVED_AT) },
	{ "unused_peak_bytes", "Unused", "peak of reserved less allocated: fragmentation and caching", NULL, UNIT_BYTES, CELL(UNUSED) },
	{ "unused_at_ns", "Unused at", "when the unused memory peaked", NULL, UNIT_TIME, CELL(UNUSED_AT) },
	{ "base_bytes", "Before", "allocated before the recording", NULL, UNIT_BYTES, CELL(BASE) },
	{ "recorded_peak_bytes", "Recorded", "peak less what was allocated before the recording", NULL, UNIT_BYTES, CELL(RECORDED) },
	{ "end_bytes", "End", "allocated at the end", NULL, UNIT_BYTES, CELL(END) },
	{ "events", "Events", "number of events", NULL, UNIT_COUNT, CELL(EVENTS) },
	{ "allocations", "Allocations", "number of allocations", NULL, UNIT_COUNT, CELL(ALLOCATIONS) },
	{ "frees", "Frees", "number of frees", NULL, UNIT_COUNT, CELL(FREES) },
	{ "out_of_memory", "Out of memory", "failed allocations", NULL, UNIT_COUNT, CELL(OUT_OF_MEMORY) },
	{ "mismatches", "Mismatches", "totals that do not match the event before", NULL, UNIT_COUNT, CELL(MISMATCHES) },
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

static void set_high(struct cell *cells, int bytes, int at, const struct memory_high *h)
{
	cells[bytes] = memory_number_cell(h->bytes);
	cells[at] = h->bytes == NUMBER_NONE ? cell_null() : cell_int(h->at_ns);
}

static void add_row(const struct memory_source *s, const struct memory_place *p,
		    const struct memory_figures *figures, struct memtable *to,
		    int64_t *given)
{
	const struct memory_device *d = p->of;
	const struct memory_peak *peak = &figures->peak;
	struct cell cells[NCOLUMNS];

	memory_place_cells(p, cells);
	set_high(cells, ALLOCATED, AT, &peak->allocated);
	if (!d->has_totals && !s->request.for_people)
		cells[ALLOCATED] = cell_null();
	set_high(cells, RESERVED, RESERVED_AT, &peak->reserved);
	if (s->request.for_people && peak->reserved.bytes == 0)
		cells[RESERVED] = cell_null(); /* the host has no such allocator */
	set_high(cells, UNUSED, UNUSED_AT, &peak->unused);
	cells[STEP] = memory_number_cell(figures->step);
	cells[BASE] = d->has_totals ? cell_int(d->base_bytes) : cell_null();
	cells[RECORDED] = cell_int(sum_sub(peak->allocated.bytes, d->base_bytes));
	cells[END] = d->has_totals ? cell_int(peak->end_bytes) : cell_null();
	cells[EVENTS] = cell_int(peak->events);
	cells[ALLOCATIONS] = cell_int(peak->allocations);
	cells[FREES] = cell_int(peak->frees);
	cells[OUT_OF_MEMORY] = cell_int(peak->out_of_memory);
	cells[MISMATCHES] = cell_int(d->mismatches);
	cells[CURVE] = cell_text(memory_curve_text(figures->curve, &to->arena));
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
	if (!memory_live_is_known(p, s->request.by))
		memtable_add_note(to,
				  "%s: what was live is not known: its events have no "
				  "addresses",
				  name);
}

/* Rows of what was live that a device has; 0: all. */
static size_t live_limit(int64_t limit)
{
	return limit < (int64_t)LIVE_SHOWN ? (size_t)limit : LIVE_SHOWN;
}

/* The two tables of people: what was live stands below the peaks. */
struct peak_tables {
	struct memtable *peaks, *live;
	int64_t given; /* rows of the peaks, shown or not */
};

static int add_place(struct memory_source *s, const struct memory_place *p,
		     struct peak_tables *to, struct err *err)
{
	bool shows_live = s->request.for_people && memory_live_is_known(p, s->request.by);
	struct memory_figures figures;
	bool is_shown = !s->request.limit || to->given < s->request.limit;
	int rc = memory_figures_find(s, p, shows_live ? MEMORY_BY_BIT(s->request.by) : 0,
				     &figures, err);

	if (rc > 0)
		add_row(s, p, &figures, to->peaks, &to->given);
	if (rc > 0 && is_shown)
		add_notes(s, p, &figures.peak, to->peaks);
	if (rc > 0 && is_shown && shows_live)
		memory_live_add(s, p, &figures, live_limit(s->request.limit), to->live);
	memory_figures_release(&figures);
	return rc;
}

int memory_open_peaks(struct memory_source *s, struct table **out, struct err *err)
{
	struct peak_tables to = { memtable_new(NULL, NCOLUMNS), memory_live_table(), 0 };
	int rc = 0;

	to.live->table.caption = "live at the peak:";
	for (struct memory_place p = { 0 }; rc >= 0 && memory_place_get(s, &p);
	     memory_place_next(&p))
		rc = add_place(s, &p, &to, err);
	if (rc < 0 || to.live->nrows == 0) {
		table_free(&to.live->table);
		to.live = NULL;
	}
	if (rc < 0) {
		table_free(&to.peaks->table);
		return -1;
	}
	*out = memory_show(s, &memory_peaks_view, &to.peaks->table);
	if (to.live)
		(*out)->more = memory_live_pick(s, to.live);
	return 0;
}
