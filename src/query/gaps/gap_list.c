/*
 * Single gaps as a table, the longest first: see gap_table.h.  What --time and --step
 * leave of a gap is a row for each stretch of it.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/memtable.h"
#include "base/sort.h"
#include "query/devices/work_profiles.h"
#include "query/gaps/gap_list.h"
#include "query/gaps/gap_notes.h"
#include "query/gaps/gap_profile.h"
#include "query/gaps/gap_stretch.h"
#include "query/query.h"
#include "query/view.h"

enum {
	PROFILE,
	RANK,
	DEVICE,
	TIME_SHOWN,
	START,
	DUR,
	STEP,
	CAUSE,
	TITLE,
	BLAMED,
	LOOK_AT,
	BEFORE,
	AFTER,
	LAUNCH,
	CAUSE_NS,
	LAUNCH_START,
	TIME,
	CHAIN,
	ROOT,
	OWN,
	NCOLUMNS
};

#define CELL(place) .get = view_cell, .arg = (place)
#define PEOPLE      .flags = FIELD_PEOPLE

/* clang-format off */
static const struct field fields[] = {
	{ "profile", "Profile", "number of the profile", NULL, UNIT_ID, CELL(PROFILE), .flags = FIELD_PROFILE },
	{ "rank", "Rank", "rank", NULL, UNIT_ID, CELL(RANK) },
	{ "device", "Device", "device", NULL, UNIT_ID, CELL(DEVICE) },
	{ "people_time", "--time", NULL, NULL, UNIT_TEXT, CELL(TIME_SHOWN), PEOPLE, .least = 60 },
	{ "start_ns", "Start", "start, from the profile's first event", "start", UNIT_TIME, CELL(START) },
	{ "dur_ns", "Idle", "idle time", "idle", UNIT_NS, CELL(DUR) },
	{ "step", "Step", "step with most of it", NULL, UNIT_ID, CELL(STEP) },
	{ "cause", "Cause", "cause of most of it", NULL, UNIT_TEXT, CELL(CAUSE) },
	{ "title", "Cause", NULL, NULL, UNIT_TEXT, CELL(TITLE), PEOPLE, .least = 24 },
	{ "blamed", "Look at", "what most of that cause is charged to", NULL, UNIT_TEXT, CELL(BLAMED) },
	{ "look_at", "Look at", NULL, NULL, UNIT_TEXT, CELL(LOOK_AT), PEOPLE },
	{ "before", "Before", "device work before it", NULL, UNIT_TEXT, CELL(BEFORE) },
	{ "after", "After", "device work after it", NULL, UNIT_TEXT, CELL(AFTER) },
	{ "launch", "Launch", "call that launched the work after it", NULL, UNIT_TEXT, CELL(LAUNCH) },
	{ "cause_ns", "Of it", "time of that cause", NULL, UNIT_NS, CELL(CAUSE_NS) },
	{ "launch_start_ns", "Launched", "start of the launching call", NULL, UNIT_TIME, CELL(LAUNCH_START) },
	{ "time", "--time", "interval for --time of any command", NULL, UNIT_TEXT, CELL(TIME) },
	{ "chain", "Chain", "what is charged, below its callers", NULL, UNIT_TEXT, CELL(CHAIN) },
	{ "root", "Root", "the wait before it, with --root", NULL, UNIT_TEXT, CELL(ROOT) },
	{ "own_frame", "Own frame", "innermost frame around what is blamed that is neither Python's nor a known package's", NULL, UNIT_TEXT, CELL(OWN) },
	{ .name = NULL },
};
/* clang-format on */

const struct view gaps_list_view = {
	.name = "gaps --list",
	.fields = fields,
	.people = VIEW_PART("profile rank? device? people_time dur_ns! title look_at!"),
};

/* A row before it is cut off by the limit; cells' texts are in the table's arena. */
struct listed {
	int64_t dur_ns, start_ns;
	struct cell cells[NCOLUMNS];
};

struct gap_listing {
	struct store *store;
	const struct gap_table_request *request;
	const struct scope *scope;
	struct memtable *out;
	struct gap_chain chain;
	struct gap_reader reader;
	struct listed *rows; /* owned: of the profiles before */
	size_t n, cap;
	struct gap_stretch *stretches; /* owned: of this one */
	size_t nstretches, stretches_cap;
	struct cell *texts; /* owned: by text, once rows name it; else null */
	size_t texts_cap;
	const char *device_name; /* of this profile, that a row had last */
	struct cell device;      /* the same in the table */
	int64_t total;
	bool has_work;
};

static int compare(int64_t dur_a, int64_t dur_b, int64_t start_a, int64_t start_b)
{
	if (dur_a != dur_b)
		return dur_a > dur_b ? -1 : 1;
	return (start_a > start_b) - (start_a < start_b);
}

static bool stretch_before(const void *context, uint32_t a, uint32_t b)
{
	const struct gap_stretch *x = (const struct gap_stretch *)context + a;
	const struct gap_stretch *y = (const struct gap_stretch *)context + b;

	return compare(x->end_ns - x->start_ns, y->end_ns - y->start_ns, x->start_ns,
		       y->start_ns) < 0;
}

static bool listed_before(const void *context, uint32_t a, uint32_t b)
{
	const struct listed *x = (const struct listed *)context + a;
	const struct listed *y = (const struct listed *)context + b;

	return compare(x->dur_ns, y->dur_ns, x->start_ns, y->start_ns) < 0;
}

static struct cell copied(struct gap_listing *l, struct str text)
{
	return cell_text(arena_copy(&l->out->arena, text));
}

/* Rows share the copy: one name may be that of all. */
static struct cell text_cell(struct gap_listing *l, const struct gap_profile *p,
			     uint32_t text)
{
	if (text == TEXT_NONE)
		return cell_null();
	struct cell *cell = ARRAY_AT(l->texts, l->texts_cap, (size_t)text);
	if (cell->type == CELL_NULL)
		*cell = copied(l, text_pool_str(p->texts, text));
	return *cell;
}

static struct cell device_cell(struct gap_listing *l, const struct work_device *device)
{
	if (!device->name)
		return number_cell(device->device);
	if (l->device_name != device->name)
		l->device = copied(l, str_of(device->name));
	l->device_name = device->name;
	return l->device;
}

/* Where the gap is, and what stands on either side. */
static void set_place(struct gap_listing *l, const struct gap_profile *p,
		      const struct gap_stretch *s, struct cell *cells)
{
	const struct gap *g = &p->blame.gaps.items[s->gap];
	const struct work_item *before =
		g->before == GAP_NO_WORK ? NULL : &p->work.items[g->before];
	const struct work_item *after =
		g->after == GAP_NO_WORK ? NULL : &p->work.items[g->after];
	size_t step = gap_stretch_step(p, s);

	cells[PROFILE] = cell_int(p->profile->id);
	cells[RANK] = scope_rank_cell(p->profile);
	cells[DEVICE] = device_cell(l, &p->work.devices[g->device]);
	cells[TIME] = cell_text(str_of(arena_printf(
		&l->out->arena, "%" PRId64 "ns..%" PRId64 "ns", s->start_ns, s->end_ns)));
	cells[TIME_SHOWN] = cell_null(); /* in finish(): all rows share a unit */
	cells[START] = cell_int(s->start_ns);
	cells[DUR] = cell_int(s->end_ns - s->start_ns);
	cells[STEP] =
		step == GAP_NO_STEP ? cell_null() : cell_int(p->range.steps[step].number);
	cells[BEFORE] = text_cell(l, p, before ? before->name : TEXT_NONE);
	cells[AFTER] = text_cell(l, p, after ? after->name : TEXT_NONE);
	cells[LAUNCH] = text_cell(l, p, after ? after->launch_name : TEXT_NONE);
	cells[LAUNCH_START] = after && after->launch_id ? cell_int(after->launch_start_ns)
							: cell_null();
}

static int set_blame(struct gap_listing *l, const struct gap_profile *p,
		     const struct gap_stretch *s, const struct gap_row *row,
		     struct cell *cells, struct err *err)
{
	const struct gap_sum *most = &row->largest;
	struct gap_amount longest;
	struct str chain = { "", 0 };
	uint32_t own;

	cells[CAUSE] = cell_text(str_of(gap_causes[most->cause].code));
	cells[TITLE] = cell_text(str_of(gap_causes[most->cause].title));
	cells[CAUSE_NS] = cell_int(row->cause_ns);
	cells[BLAMED] = text_cell(l, p, most->blamed);
	cells[LOOK_AT] = cells[BLAMED];
	cells[CHAIN] = cells[ROOT] = cells[OWN] = cell_null();
	if (l->request->is_brief ||
	    !gap_stretch_longest(p, &l->reader, s, most, &longest))
		return 0;
	if (gap_chain_text(&l->chain, longest.of->slice_id, &chain, &own, err) < 0)
		return -1;
	cells[OWN] = text_cell(l, p, own);
	if (chain.n)
		cells[CHAIN] = copied(l, chain);
	if (longest.root != GAP_NO_ROOT)
		cells[ROOT] = text_cell(l, p, p->roots.items[longest.root].blamed);
	return 0;
}

static int add_row(struct gap_listing *l, const struct gap_profile *p,
		   const struct gap_stretch *s, struct err *err)
{
	struct listed row = { .dur_ns = s->end_ns - s->start_ns,
			      .start_ns = s->start_ns };
	struct gap_row blame;

	int rc = gap_stretch_blame(p, &l->reader, s, &blame, err);
	if (rc <= 0)
		return rc;
	set_place(l, p, s, row.cells);
	if (set_blame(l, p, s, &blame, row.cells, err) < 0)
		return -1;
	*ARRAY_PUSH(l->rows, l->n, l->cap) = row;
	return 0;
}

/* --focus and --ignore choose stretches by what is charged in them. */
static int has_wanted(struct gap_listing *l, const struct gap_profile *p,
		      const struct gap_stretch *s, struct err *err)
{
	struct gap_amount amount;
	int rc = 0;

	gap_reader_seek(&l->reader, &p->blame.gaps.items[s->gap], s->start_ns, s->end_ns);
	while (rc == 0 && gap_reader_next(&l->reader, &amount))
		rc = gap_profile_wants_blamed(p, amount.blamed, err);
	return rc;
}

static int add_stretches(struct gap_listing *l, const struct gap_profile *p, uint32_t gap,
			 struct err *err)
{
	const struct gap *g = &p->blame.gaps.items[gap];
	const struct intervals *wanted = &p->range.wanted;
	int rc = 0;

	for (size_t i = intervals_after(wanted, g->start_ns);
	     rc >= 0 && i < wanted->n && wanted->items[i].start_ns < g->end_ns; i++) {
		struct gap_stretch s = { wanted->items[i].start_ns,
					 wanted->items[i].end_ns, gap };
		s.start_ns = s.start_ns > g->start_ns ? s.start_ns : g->start_ns;
		s.end_ns = s.end_ns < g->end_ns ? s.end_ns : g->end_ns;
		rc = has_wanted(l, p, &s, err);
		if (rc > 0)
			*ARRAY_PUSH(l->stretches, l->nstretches, l->stretches_cap) = s;
	}
	return rc;
}

/* The longest stretches of a profile become rows, as many as may be shown. */
static int add_rows(struct gap_listing *l, const struct gap_profile *p, struct err *err)
{
	uint32_t *at = sorted_places(l->nstretches, stretch_before, l->stretches);
	size_t n = l->nstretches;
	int rc = 0;

	if (l->request->limit && (uint64_t)l->request->limit < n)
		n = (size_t)l->request->limit;
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = add_row(l, p, &l->stretches[at[i]], err);
	free(at);
	return rc;
}

int gap_listing_add(struct gap_listing *l, const struct gap_profile *p, struct err *err)
{
	int rc = 0;

	l->nstretches = 0;
	l->device_name = NULL;
	l->has_work |= p->work.n > 0;
	gap_profile_read(p, GAP_KEY_NONE, &l->reader);
	for (uint32_t i = 0; rc >= 0 && i < p->blame.gaps.n; i++)
		if (gap_profile_wants(p, &p->blame.gaps.items[i]))
			rc = add_stretches(l, p, i, err);
	l->total += (int64_t)l->nstretches;
	if (rc >= 0)
		rc = add_rows(l, p, err);
	gap_reader_close(&l->reader);
	gap_notes_left_out(l->out, p, GAP_KEY_NONE, !l->request->is_brief);
	return rc < 0 ? -1 : 0;
}

static struct str text_of(const struct listed *row, int column)
{
	return row->cells[column].type == CELL_TEXT ? row->cells[column].as.text
						    : (struct str){ "", 0 };
}

/* For people: what there is no room for in a row. */
static void add_note(struct gap_listing *l, const struct listed *row)
{
	const struct gap_around around = {
		.time = text_of(row, TIME_SHOWN),
		.before = text_of(row, BEFORE),
		.after = text_of(row, AFTER),
		.launch = text_of(row, LAUNCH),
		.own_frame = text_of(row, OWN),
		.chain = text_of(row, CHAIN),
		.root = text_of(row, ROOT),
	};

	gap_around_note(l->out, &around);
}

static struct table *finish(struct gap_listing *l)
{
	const struct view_request show = { .for_people = l->request->for_people };
	uint32_t *at = sorted_places(l->n, listed_before, l->rows);
	struct gap_times times = { 0 };
	size_t n = l->n;

	if (l->request->limit && (uint64_t)l->request->limit < n)
		n = (size_t)l->request->limit;
	for (size_t i = 0; i < n; i++) {
		const struct listed *row = &l->rows[at[i]];
		gap_times_see(&times, row->start_ns, row->start_ns + row->dur_ns);
	}
	for (size_t i = 0; i < n; i++) {
		struct listed *row = &l->rows[at[i]];
		row->cells[TIME_SHOWN] = cell_text(
			str_of(gap_times_text(&times, &l->out->arena, row->start_ns,
					      row->start_ns + row->dur_ns)));
	}
	for (size_t i = 0; i < n; i++)
		memtable_add_row(l->out, l->rows[at[i]].cells);
	for (size_t i = 0; l->request->for_people && i < n; i++)
		add_note(l, &l->rows[at[i]]);
	l->out->table.total_rows = l->total;
	free(at);
	return &view_of_cells(&gaps_list_view, l->out, l->scope, &show)->table;
}

struct gap_listing *gap_listing_open(struct store *store, struct text_pool *texts,
				     const struct scope *scope,
				     const struct gap_table_request *request,
				     struct err *err)
{
	struct gap_listing *l = xcalloc(1, sizeof(*l));

	l->store = store;
	l->request = request;
	l->scope = scope;
	l->out = memtable_new(NULL, NCOLUMNS);
	if (gap_chain_open(store, texts, &l->chain, err) == 0)
		return l;
	gap_listing_close(l);
	return NULL;
}

struct table *gap_listing_finish(struct gap_listing *l, struct err *err)
{
	if (!l->has_work || (l->n == 0 && l->request->filter)) {
		gap_nothing(l->store, l->scope, l->has_work, err);
		return NULL;
	}
	return finish(l);
}

void gap_listing_close(struct gap_listing *l)
{
	if (!l)
		return;
	table_free(&l->out->table);
	gap_chain_close(&l->chain);
	free(l->rows);
	free(l->stretches);
	free(l->texts);
	free(l);
}

static int add_profile(struct gap_listing *l, const struct scope_profile *profile,
		       struct gap_ranks *ranks, struct err *err)
{
	struct gap_profile p;
	int rc = gap_profile_load(l->store, profile, l->request, ranks, &p, err);

	if (rc == 0)
		rc = gap_listing_add(l, &p, err);
	gap_profile_release(&p);
	return rc;
}

int gap_list_open(struct store *store, const struct scope *scope,
		  const struct gap_table_request *request, struct table **out,
		  struct err *err)
{
	struct gap_listing *l = NULL;
	struct gap_ranks ranks = { .texts = NULL };
	struct text_pool texts;
	int rc = text_pool_open(store, &texts, err);

	*out = NULL;
	if (rc == 0 && !(l = gap_listing_open(store, &texts, scope, request, err)))
		rc = -1;
	if (rc == 0)
		rc = gap_ranks_open(store, &texts, scope->profiles[0].run, &ranks, err);
	for (size_t i = 0; rc == 0 && i < scope->n; i++)
		rc = add_profile(l, &scope->profiles[i], &ranks, err);
	if (rc == 0 && !(*out = gap_listing_finish(l, err)))
		rc = -1;
	gap_listing_close(l);
	gap_ranks_close(&ranks);
	text_pool_close(&texts);
	return rc;
}
