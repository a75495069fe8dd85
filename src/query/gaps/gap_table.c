/* Idle time by what it is charged to: see gap_table.h. */
#include "query/gaps/gap_table.h"

#include <stdlib.h>

#include "base/memtable.h"
#include "base/sum.h"
#include "query/devices/work_profiles.h"
#include "query/gaps/gap_list.h"
#include "query/gaps/gap_notes.h"
#include "query/gaps/gap_stored.h"
#include "query/query.h"
#include "query/view.h"

/* The cells of a row. */
enum {
	PROFILE,
	RANK,
	DEVICE,
	KEY,
	CAUSE,
	TITLE,
	PER_STEP,
	BLAMED,
	IDLE,
	GAPS,
	MEAN,
	LONGEST,
	SHARE,
	STEPPED,
	DEVICE_IDLE,
	DEVICE_SPAN,
	OUTSIDE,
	LOOK_AT,
	NCOLUMNS
};

/* A bit for each enum gap_by, and what people see of steps. */
#define BY(by)         (1u << (by))
#define BY_OTHER       (~BY(GAPS_BY_CAUSE) & (BY(GAPS_BY_STREAM + 1) - 1))
#define PER_STEP_SHOWN BY(GAPS_BY_STREAM + 1)
#define IDLE_SHOWN     BY(GAPS_BY_STREAM + 2)

#define CELL(place) .get = view_cell, .arg = (place)
#define PEOPLE      .flags = FIELD_PEOPLE

/* clang-format off */
static const struct field fields[] = {
	{ "profile", "Profile", "number of the profile", NULL, UNIT_ID, CELL(PROFILE), .flags = FIELD_PROFILE },
	{ "rank", "Rank", "rank, null where the recording does not say", NULL, UNIT_ID, CELL(RANK), .flags = FIELD_KEY },
	{ "device", "Device", "device, likewise", NULL, UNIT_ID, CELL(DEVICE), .flags = FIELD_KEY },
	{ "op", "Operator", "operator; null where there is none, with --by op", NULL, UNIT_TEXT, CELL(KEY), .needs = BY(GAPS_BY_OP), .flags = FIELD_KEY },
	{ "frame", "Python frame", "Python frame; null where there is none, with --by frame", NULL, UNIT_TEXT, CELL(KEY), .needs = BY(GAPS_BY_FRAME), .flags = FIELD_KEY },
	{ "annotation", "Annotation", "annotation; null where there is none, with --by annotation", NULL, UNIT_TEXT, CELL(KEY), .needs = BY(GAPS_BY_ANNOTATION), .flags = FIELD_KEY },
	{ "step", "Step", "step; null where there is none, with --by step", NULL, UNIT_ID, CELL(KEY), .needs = BY(GAPS_BY_STEP), .flags = FIELD_KEY },
	{ "stream", "Stream", "stream of the work after the gap, with --by stream", NULL, UNIT_ID, CELL(KEY), .needs = BY(GAPS_BY_STREAM), .flags = FIELD_KEY },
	{ "cause", "Cause", "cause of most of the row's idle time", NULL, UNIT_TEXT, CELL(CAUSE) },
	{ "title", "Cause", NULL, NULL, UNIT_TEXT, CELL(TITLE), PEOPLE, .needs = BY(GAPS_BY_CAUSE), .least = 60 },
	{ "main", "Main cause", NULL, NULL, UNIT_TEXT, CELL(TITLE), PEOPLE, .needs = BY_OTHER, .least = 60 },
	{ "idle_per_step", "Idle/step", NULL, NULL, UNIT_NS, CELL(PER_STEP), PEOPLE, .needs = PER_STEP_SHOWN },
	{ "blamed", "Look at", "what is charged most within that cause: an operator, call, frame, stream, kernel or copy", NULL, UNIT_TEXT, CELL(BLAMED) },
	{ "idle", "Idle", NULL, NULL, UNIT_NS, CELL(IDLE), PEOPLE, .needs = IDLE_SHOWN },
	{ "idle_ns", "Idle", "idle time charged to the row", "idle", UNIT_NS, CELL(IDLE) },
	{ "gaps", "Gaps", "number of gaps with such time", "count", UNIT_COUNT, CELL(GAPS), .leaves = 2 },
	{ "mean_ns", "Mean", "mean of idle_ns per gap, rounded down", "mean", UNIT_NS, CELL(MEAN), .leaves = 4 },
	{ "longest_ns", "Longest", "largest part of idle_ns in one gap", "max", UNIT_NS, CELL(LONGEST), .leaves = 1 },
	{ "share_pct", "Idle", "share of the device's idle time", "share", UNIT_PERCENT, CELL(SHARE), .leaves = 3 },
	{ "idle_per_step_ns", "Idle/step", "the part within steps, divided by the number of steps with counted time; null without steps, and by step", NULL, UNIT_NS, CELL(STEPPED) },
	{ "device_idle_ns", "Device idle", "idle time of the device", NULL, UNIT_NS, CELL(DEVICE_IDLE) },
	{ "device_span_ns", "Device span", "time over which idle time is counted", NULL, UNIT_NS, CELL(DEVICE_SPAN) },
	{ "outside_ns", "Outside", "idle between its first and last work, but outside every window; null with --inner, --time or --step", NULL, UNIT_NS, CELL(OUTSIDE) },
	{ "look_at", "Look at", NULL, NULL, UNIT_TEXT, CELL(LOOK_AT), PEOPLE, .needs = BY(GAPS_BY_CAUSE), .least = 23 },
	{ "look_at_too", "Look at", NULL, NULL, UNIT_TEXT, CELL(LOOK_AT), PEOPLE, .needs = BY_OTHER, .leaves = 5, .least = 23 },
	{ .name = NULL },
};
/* clang-format on */

const struct view gaps_view = { .name = "gaps", .fields = fields };

static const struct view_part people_by_cause[] = {
	{ NULL,
	  "profile rank? device? title! idle_per_step! idle! gaps mean_ns! longest_ns! "
	  "share_pct! look_at!" },
	{ .fields = NULL },
};

static const struct view_part people_by_key[] = {
	{ NULL, "profile rank? device? op! frame! annotation! step! stream! main! "
		"idle_per_step! idle! gaps longest_ns! share_pct! look_at_too!" },
	{ .fields = NULL },
};

struct making {
	const struct gap_table_request *request;
	/* Single gaps of the same profiles, which are another table; or NULL. */
	const struct gap_table_request *list_request;
	struct gap_listing *list;
	const struct scope *scope;
	struct memtable *out;
	struct gap_sums sums, totals, by_row_cause; /* as struct gap_row_sums */
	struct gap_sums by_cause; /* whatever the rows are for: gap_notes_add() */
	struct gap_causes_seen causes;
	unsigned left_out; /* of any profile: gap_kinds.h */
	bool has_work, has_steps;
	bool has_between; /* what counts between steps */
	int64_t nrows;    /* without the limit */
	struct gap_ranks ranks;
	struct summary_reader reader;
};

static void add_amount(struct making *m, const struct gap_profile *p, uint32_t gap,
		       const struct gap_amount *amount, size_t step)
{
	const struct gap *g = &p->blame.gaps.items[gap];
	bool in_step = step != GAP_NO_STEP;
	struct gap_sum of = { .device = g->device,
			      .key = gap_key_of(p, m->request->by, g, amount, step),
			      .cause = amount->cause,
			      .blamed = amount->blamed };

	gap_sums_add(&m->sums, &of, gap, amount->ns, in_step);
	of.cause = GAP_NONE;
	of.blamed = TEXT_NONE;
	gap_sums_add(&m->totals, &of, gap, amount->ns, in_step);
	of.key = of.cause = amount->cause;
	gap_sums_add(&m->by_cause, &of, gap, amount->ns, in_step);
	of.key = GAP_NOTES_NAMES;
	of.blamed = amount->blamed;
	gap_sums_add(&m->by_cause, &of, gap, amount->ns, in_step);
}

static int add_gap(struct making *m, const struct gap_profile *p,
		   struct gap_reader *reader, uint32_t gap, struct err *err)
{
	const struct gap *g = &p->blame.gaps.items[gap];
	int64_t from_ns = g->start_ns;
	struct gap_amount amount;
	struct gap_part part;
	int rc = 0;

	while (gap_range_next(&p->range, &from_ns, g->end_ns, &part)) {
		gap_reader_seek(reader, g, part.start_ns, part.end_ns);
		while (rc >= 0 && gap_reader_next(reader, &amount)) {
			rc = gap_profile_wants_blamed(p, amount.blamed, err);
			if (rc > 0)
				add_amount(m, p, gap, &amount, part.step);
		}
	}
	return rc < 0 ? -1 : 0;
}

static struct cell key_cell(const struct making *m, const struct gap_profile *p,
			    uint32_t key)
{
	switch (m->request->by) {
	case GAPS_BY_OP:
	case GAPS_BY_FRAME:
	case GAPS_BY_ANNOTATION:
		return text_pool_cell(p->texts, key);
	case GAPS_BY_STEP:
		return key < p->range.nsteps ? cell_int(p->range.steps[key].number)
					     : cell_null();
	case GAPS_BY_STREAM:
		if (key == p->work.nstreams)
			return cell_null();
		if (p->work.streams[key].stream == NUMBER_NONE &&
		    p->work.streams[key].name)
			return cell_text(str_of(p->work.streams[key].name));
		return number_cell(p->work.streams[key].stream);
	case GAPS_BY_CAUSE:
		break;
	}
	return cell_text(str_of(gap_causes[key].code));
}

static void add_row(struct making *m, const struct gap_profile *p,
		    const struct gap_row *row)
{
	const struct gap_total *total = &p->totals[row->sum.device];
	const struct gap_cause_row *cause = &gap_causes[row->largest.cause];
	struct cell cells[NCOLUMNS];

	cells[PROFILE] = cell_int(p->profile->id);
	cells[RANK] = scope_rank_cell(p->profile);
	cells[DEVICE] = work_device_cell(&p->work.devices[row->sum.device]);
	cells[KEY] = key_cell(m, p, row->sum.key);
	cells[CAUSE] = cell_text(str_of(cause->code));
	cells[TITLE] = cell_text(str_of(cause->title));
	cells[PER_STEP] =
		total->steps ? cell_int(row->sum.stepped_ns / total->steps) : cell_null();
	cells[STEPPED] = m->request->by == GAPS_BY_STEP ? cell_null() : cells[PER_STEP];
	cells[MEAN] = cell_int(row->sum.idle_ns / row->sum.gaps);
	cells[LONGEST] = cell_int(row->sum.longest_ns);
	cells[DEVICE_IDLE] = cell_int(total->idle_ns);
	cells[DEVICE_SPAN] = cell_int(total->span_ns);
	cells[OUTSIDE] = p->range.is_all && !p->range.is_inner
				 ? cell_int(total->outside_ns)
				 : cell_null();
	cells[BLAMED] = text_pool_cell(p->texts, row->largest.blamed);
	cells[LOOK_AT] = cells[BLAMED];
	cells[IDLE] = cell_int(row->sum.idle_ns);
	cells[GAPS] = cell_int(row->sum.gaps);
	cells[SHARE] = cell_real(percent_of(row->sum.idle_ns, total->idle_ns));
	memtable_add_row(m->out, cells);
}

static void add_rows(struct making *m, const struct gap_profile *p)
{
	static const enum gap_order orders[] = {
		[GAPS_BY_CAUSE] = GAP_LARGEST,
		[GAPS_BY_OP] = GAP_LARGEST_BY_TEXT,
		[GAPS_BY_FRAME] = GAP_LARGEST_BY_TEXT,
		[GAPS_BY_ANNOTATION] = GAP_LARGEST_BY_TEXT,
		[GAPS_BY_STEP] = GAP_BY_KEY,
		[GAPS_BY_STREAM] = GAP_LARGEST,
	};
	const struct gap_row_sums from = { &m->sums, &m->totals, &m->by_row_cause };
	struct gap_row *rows;
	size_t n = gap_rows_from(&from, p->texts, orders[m->request->by], &rows);

	for (size_t i = 0, shown = 0; i < n; i++) {
		shown = i && rows[i].sum.device == rows[i - 1].sum.device ? shown + 1 : 0;
		if (!m->request->limit || shown < (uint64_t)m->request->limit)
			add_row(m, p, &rows[i]);
	}
	m->nrows += (int64_t)n;
	free(rows);
	gap_notes_add(m->out, &m->causes, &m->by_cause, p);
	gap_sums_clear(&m->sums);
	gap_sums_clear(&m->totals);
	gap_sums_clear(&m->by_row_cause);
	gap_sums_clear(&m->by_cause);
}

/* What readers have to tell apart for the rows. */
static enum gap_key key_of_rows(const struct making *m)
{
	static const enum gap_key keys[] = {
		[GAPS_BY_OP] = GAP_KEY_OP,
		[GAPS_BY_FRAME] = GAP_KEY_FRAME,
		[GAPS_BY_ANNOTATION] = GAP_KEY_ANNOTATION,
		[GAPS_BY_STREAM] = GAP_KEY_NONE,
	};

	return keys[m->request->by];
}

/* Device by device: each has rows, and sums, of its own. */
static int add_gaps(struct making *m, const struct gap_profile *p, struct err *err)
{
	const struct gaps *gaps = &p->blame.gaps;
	struct gap_reader reader;
	int rc = 0;

	gap_profile_read(p, key_of_rows(m), &reader);
	for (uint32_t i = 0; rc == 0 && i < gaps->n; i++) {
		if (gap_profile_wants(p, &gaps->items[i]))
			rc = add_gap(m, p, &reader, i, err);
		if (rc == 0 && (i + 1 == gaps->n ||
				gaps->items[i + 1].device != gaps->items[i].device)) {
			gap_sums_of_causes(&m->sums, &m->by_row_cause);
			add_rows(m, p);
		}
	}
	gap_reader_close(&reader);
	return rc;
}

static void add_notes(struct making *m, const struct gap_profile *p)
{
	for (uint32_t i = 0; i < p->work.ndevices; i++) {
		m->has_work = true;
		m->has_steps |= p->totals[i].steps > 0;
		m->has_between |= !p->range.is_inner &&
				  p->totals[i].idle_ns != p->totals[i].stepped_ns;
		if (p->totals[i].is_wanted)
			gap_notes_device(m->out, &m->causes, m->scope, p, i);
	}
	if (p->range.is_merged) {
		gap_notes_merged(m->out, p);
		m->left_out |= m->request->by == GAPS_BY_STEP;
	}
	gap_notes_left_out(m->out, p, key_of_rows(m), p->has_roots);
	m->left_out |= p->blame.left_out;
}

/* 1 when the store has rows of it, and they are all that is needed; 0; or -1. */
static int add_stored(struct making *m, const struct scope_profile *profile,
		      struct err *err)
{
	const struct gap_device_sums sums = { &m->sums, &m->totals, &m->by_row_cause,
					      &m->by_cause };
	struct gap_stored stored;

	if (m->list_request || !gap_stored_can(m->request))
		return 0;
	int rc = gap_stored_load(&m->reader, profile, m->request->by, &m->ranks, &stored,
				 err);
	for (uint32_t i = 0; rc > 0 && i < stored.profile.work.ndevices; i++) {
		gap_stored_sums(&stored, i, &sums);
		if (m->totals.n)
			add_rows(m, &stored.profile);
	}
	if (rc > 0)
		add_notes(m, &stored.profile);
	gap_stored_release(&stored);
	return rc;
}

static int add_profile(struct making *m, struct store *store,
		       const struct scope_profile *profile, struct err *err)
{
	const struct gap_table_request *request =
		m->list_request ? m->list_request : m->request;
	struct gap_profile p;
	int rc = add_stored(m, profile, err);

	if (rc != 0)
		return rc < 0 ? -1 : 0;
	rc = gap_profile_load(store, profile, request, &m->ranks, &p, err);
	if (rc == 0)
		rc = add_gaps(m, &p, err);
	if (rc == 0 && m->list)
		rc = gap_listing_add(m->list, &p, err);
	if (rc == 0)
		add_notes(m, &p);
	gap_profile_release(&p);
	return rc;
}

int gap_nothing(struct store *store, const struct scope *scope, bool has_work,
		struct err *err)
{
	return has_work ? err_set(err, ERR_EMPTY, "no idle time matches")
			: device_work_lacks(store, scope, err);
}

static bool has_keys(const struct making *m)
{
	bool has = (int64_t)m->out->nrows < m->nrows; /* or it may be in the others */

	for (size_t i = 0; i < m->out->nrows; i++)
		has |= memtable_row(m->out, i)[KEY].type != CELL_NULL;
	return has;
}

/* How to record what the rows are for, unless it may have been, or was, at other times. */
static bool says_how(const struct making *m)
{
	enum gap_by by = m->request->by;
	bool is_recorded = by == GAPS_BY_FRAME ? m->causes.has_stacks
			   : by == GAPS_BY_OP  ? m->causes.has_ops
					       : m->request->filter != NULL;

	return !is_recorded && !m->causes.is_xprof;
}

static struct memtable *show(const struct making *m)
{
	enum gap_by by = m->request->by;
	bool per_step = m->has_steps && !m->has_between && by != GAPS_BY_STEP;
	const struct view_request show = {
		.people = by == GAPS_BY_CAUSE ? people_by_cause : people_by_key,
		.asked = BY(by) | (per_step ? PER_STEP_SHOWN : IDLE_SHOWN),
		.for_people = m->request->for_people,
	};

	return view_of_cells(&gaps_view, m->out, m->scope, &show);
}

static int make(struct making *m, struct store *store, struct table **list,
		struct err *err)
{
	struct text_pool texts;
	int rc = text_pool_open(store, &texts, err);

	if (rc == 0)
		rc = gap_ranks_open(store, &texts, m->scope->profiles[0].run, &m->ranks,
				    err);
	if (rc == 0)
		rc = summary_reader_open(store, &texts, &m->reader, err);
	if (rc == 0 && m->list_request)
		rc = (m->list = gap_listing_open(store, &texts, m->scope, m->list_request,
						 err))
			     ? 0
			     : -1;
	for (size_t i = 0; rc == 0 && i < m->scope->n; i++)
		rc = add_profile(m, store, &m->scope->profiles[i], err);
	if (rc == 0 && m->ranks.is_aligned)
		gap_notes_clocks(m->out, &m->ranks);
	if (rc == 0 && m->list && list && !(*list = gap_listing_finish(m->list, err)))
		rc = -1;
	gap_listing_close(m->list);
	summary_reader_close(&m->reader);
	gap_ranks_close(&m->ranks);
	text_pool_close(&texts);
	if (rc == 0 && (!m->has_work || (m->out->nrows == 0 && m->request->filter)))
		rc = gap_nothing(store, m->scope, m->has_work, err);
	if (rc == 0)
		rc = gap_notes_names(store, m->scope, &m->causes, err);
	return rc;
}

/* *list: only where it is asked for. */
static int open_sums(struct making *m, struct store *store, struct table **out,
		     struct table **list, struct err *err)
{
	m->out = memtable_new(NULL, NCOLUMNS);
	int rc = make(m, store, list, err);
	gap_sums_release(&m->sums);
	gap_sums_release(&m->totals);
	gap_sums_release(&m->by_row_cause);
	gap_sums_release(&m->by_cause);
	m->out->table.total_rows = m->nrows;
	if (rc == 0 && m->request->span_ns)
		*m->request->span_ns = m->causes.span_ns;
	if (rc == 0) {
		struct memtable *shown = show(m);
		gap_notes_sentence(shown, &m->causes);
		if (!has_keys(m) && !m->left_out)
			gap_notes_no_keys(shown, m->request->by, says_how(m));
		*out = &shown->table;
	}
	table_free(&m->out->table);
	return rc;
}

int gap_table_open(struct store *store, const struct scope *scope,
		   const struct gap_table_request *request, struct table **out,
		   struct err *err)
{
	struct making m = { .request = request, .scope = scope };

	*out = NULL;
	if (request->is_hta)
		return gap_hta_open(store, scope, request, out, err);
	if (request->is_list)
		return gap_list_open(store, scope, request, out, err);
	return open_sums(&m, store, out, NULL, err);
}

int gap_tables_open(struct store *store, const struct scope *scope,
		    const struct gap_table_request *sums,
		    const struct gap_table_request *list, struct table *out[2],
		    struct err *err)
{
	struct making m = { .request = sums, .list_request = list, .scope = scope };

	out[0] = out[1] = NULL;
	return open_sums(&m, store, &out[0], &out[1], err);
}
