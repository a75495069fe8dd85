/* Idle time by what it is charged to: see gap_table.h. */
#include "query/gaps/gap_table.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/memtable.h"
#include "query/devices/work_profiles.h"
#include "query/fit_columns.h"
#include "query/gaps/gap_notes.h"
#include "query/number_cell.h"
#include "query/pick.h"

#define KEY_CELLS     30 /* that a name needs at least */
#define NUMBER_CELLS  6
#define LOOK_AT_CELLS 23 /* as wide as the causes at least, which then stay whole */
#define TITLES_MAX    ((size_t)1 << 10)

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

static const struct column all_columns[NCOLUMNS] = {
	[PROFILE] = { "profile", "Profile", UNIT_ID },
	[RANK] = { "rank", "Rank", UNIT_ID },
	[DEVICE] = { "device", "Device", UNIT_ID },
	[KEY] = { "key", "Key", UNIT_TEXT },
	[CAUSE] = { "cause", "Cause", UNIT_TEXT },
	[TITLE] = { "title", "Cause", UNIT_TEXT },
	[PER_STEP] = { "idle_per_step_ns", "Idle/step", UNIT_NS },
	[BLAMED] = { "blamed", "Look at", UNIT_TEXT },
	[IDLE] = { "idle_ns", "Idle", UNIT_NS },
	[GAPS] = { "gaps", "Gaps", UNIT_COUNT },
	[MEAN] = { "mean_ns", "Mean", UNIT_NS },
	[LONGEST] = { "longest_ns", "Longest", UNIT_NS },
	[SHARE] = { "share_pct", "Idle", UNIT_PERCENT },
	[STEPPED] = { "idle_per_step_ns", "Idle/step", UNIT_NS },
	[DEVICE_IDLE] = { "device_idle_ns", "Device idle", UNIT_NS },
	[DEVICE_SPAN] = { "device_span_ns", "Device span", UNIT_NS },
	[OUTSIDE] = { "outside_ns", "Outside", UNIT_NS },
	[LOOK_AT] = { "look_at", "Look at", UNIT_TEXT },
};

/* By enum gap_by: the column of what the rows are for. */
static const struct column keys[] = {
	[GAPS_BY_CAUSE] = { "cause", "Cause", UNIT_TEXT },
	[GAPS_BY_OP] = { "op", "Operator", UNIT_TEXT },
	[GAPS_BY_FRAME] = { "frame", "Python frame", UNIT_TEXT },
	[GAPS_BY_ANNOTATION] = { "annotation", "Annotation", UNIT_TEXT },
	[GAPS_BY_STEP] = { "step", "Step", UNIT_ID },
	[GAPS_BY_STREAM] = { "stream", "Stream", UNIT_ID },
};

struct making {
	const struct gap_table_request *request;
	const struct scope *scope;
	struct memtable *out;
	struct column *columns; /* in the table's arena */
	struct gap_sums sums, totals;
	struct gap_sums by_cause; /* whatever the rows are for: gap_notes_add() */
	struct gap_causes_seen causes;
	bool has_devices; /* a profile has several */
	bool has_work, has_steps;
	int64_t nrows; /* without the limit */
	struct gap_ranks ranks;
};

/* Behind all streams: the gap after the last work. */
static uint32_t stream_of(const struct gap_profile *p, const struct gap *g)
{
	return g->after == GAP_NO_WORK ? (uint32_t)p->work.nstreams
				       : p->work.items[g->after].stream;
}

static uint32_t key_of(const struct making *m, const struct gap_profile *p,
		       const struct gap_piece *piece, size_t step)
{
	switch (m->request->by) {
	case GAPS_BY_OP:
		return piece->op;
	case GAPS_BY_FRAME:
		return piece->frame;
	case GAPS_BY_ANNOTATION:
		return piece->annotation;
	case GAPS_BY_STEP: /* what is in no step behind those that are */
		return (uint32_t)(step == GAP_NO_STEP ? p->range.nsteps : step);
	case GAPS_BY_STREAM:
		return stream_of(p, &p->blame.gaps.items[piece->gap]);
	case GAPS_BY_CAUSE:
		break;
	}
	return piece->cause;
}

static void add_piece(struct making *m, const struct gap_profile *p,
		      const struct gap_piece *piece)
{
	struct gap_sum of = { .device = p->blame.gaps.items[piece->gap].device };
	int64_t from_ns = piece->start_ns;
	struct gap_part part;

	while (gap_range_next(&p->range, &from_ns, piece->end_ns, &part)) {
		int64_t ns = part.end_ns - part.start_ns;
		of.key = key_of(m, p, piece, part.step);
		of.cause = piece->cause;
		of.blamed = piece->blamed;
		bool in_step = part.step != GAP_NO_STEP;
		gap_sums_add(&m->sums, &of, piece->gap, ns, in_step);
		of.cause = GAP_NONE;
		of.blamed = TEXT_NONE;
		gap_sums_add(&m->totals, &of, piece->gap, ns, in_step);
		of.key = of.cause = piece->cause;
		gap_sums_add(&m->by_cause, &of, piece->gap, ns, in_step);
		of.key = GAP_NOTES_NAMES;
		of.blamed = piece->blamed;
		gap_sums_add(&m->by_cause, &of, piece->gap, ns, in_step);
	}
}

static int add_gap(struct making *m, const struct gap_profile *p, const struct gap *g,
		   struct err *err)
{
	for (uint32_t i = 0; i < g->npieces; i++) {
		struct gap_piece piece = gap_profile_piece(p, g->first_piece + i);
		int rc = gap_profile_wants_piece(p, &piece, err);
		if (rc < 0)
			return -1;
		if (rc)
			add_piece(m, p, &piece);
	}
	return 0;
}

/* People read a step's number as it is written, without commas. */
static struct cell step_cell(const struct making *m, int64_t number)
{
	if (!m->request->for_people)
		return cell_int(number);
	return cell_text(str_of(arena_printf(&m->out->arena, "%" PRId64, number)));
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
		return key < p->range.nsteps ? step_cell(m, p->range.steps[key].number)
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

static double percent(int64_t part, int64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void add_row(struct making *m, const struct gap_profile *p,
		    const struct gap_row *row)
{
	const struct gap_total *total = &p->totals[row->sum.device];
	const struct gap_cause_row *cause = &gap_causes[row->largest.cause];
	struct cell cells[NCOLUMNS];

	cells[PROFILE] = cell_int(p->profile->id);
	cells[RANK] = work_rank_cell(p->profile);
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
	cells[SHARE] = cell_real(percent(row->sum.idle_ns, total->idle_ns));
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
	struct gap_row *rows;
	size_t n = gap_rows_make(&m->sums, &m->totals, p->texts, orders[m->request->by],
				 &rows);

	for (size_t i = 0, shown = 0; i < n; i++) {
		shown = i && rows[i].sum.device == rows[i - 1].sum.device ? shown + 1 : 0;
		if (!m->request->limit || shown < (uint64_t)m->request->limit)
			add_row(m, p, &rows[i]);
	}
	m->nrows += (int64_t)n;
	free(rows);
	gap_notes_add(m->out, &m->causes, &m->by_cause, p);
}

static int add_profile(struct making *m, struct store *store,
		       const struct scope_profile *profile, struct err *err)
{
	struct gap_profile p;
	int rc = gap_profile_load(store, profile, m->request, &m->ranks, &p, err);

	gap_sums_clear(&m->sums);
	gap_sums_clear(&m->totals);
	gap_sums_clear(&m->by_cause);
	for (size_t i = 0; rc == 0 && i < p.blame.gaps.n; i++)
		if (gap_profile_wants(&p, &p.blame.gaps.items[i]))
			rc = add_gap(m, &p, &p.blame.gaps.items[i], err);
	if (rc == 0)
		add_rows(m, &p);
	for (uint32_t i = 0; rc == 0 && i < p.work.ndevices; i++) {
		m->has_work = true;
		m->has_devices |= p.work.ndevices > 1;
		m->has_steps |= p.totals[i].steps > 0;
		if (p.totals[i].is_wanted)
			gap_notes_device(m->out, &m->causes, m->scope, &p, i);
	}
	gap_profile_release(&p);
	return rc;
}

int gap_nothing(struct store *store, const struct scope *scope, bool has_work,
		struct err *err)
{
	return has_work ? err_set(err, ERR_EMPTY, "no idle time matches")
			: device_work_lacks(store, scope, err);
}

/* Cells that no cause shown here is wider than. */
static size_t cause_width(const struct making *m)
{
	size_t widest = 0;

	for (size_t i = 0; i < m->out->nrows; i++) {
		struct str title = memtable_row(m->out, i)[TITLE].as.text;
		widest = title.n > widest ? title.n : widest;
	}
	return widest;
}

/* People's columns for which the terminal has no room. */
static void hide(struct making *m, enum shown *shown)
{
	bool by_cause = m->request->by == GAPS_BY_CAUSE;
	bool is_number = m->request->by >= GAPS_BY_STEP;
	size_t causes = cause_width(m);
	const struct {
		int id, leaves;
		size_t least;
	} fits[] = { { KEY, 0, is_number ? NUMBER_CELLS : KEY_CELLS },
		     { TITLE, 0, causes },
		     { shown[IDLE] == SHOWN_ALWAYS ? IDLE : PER_STEP, 0, 0 },
		     { GAPS, 2, 0 },
		     { MEAN, 4, 0 },
		     { LONGEST, 1, 0 },
		     { SHARE, 3, 0 },
		     { LOOK_AT, by_cause ? 0 : 5,
		       causes > LOOK_AT_CELLS ? causes : LOOK_AT_CELLS } };
	struct fit_column columns[sizeof(fits) / sizeof(*fits)];
	struct buf left;
	size_t n = 0;

	buf_init(&left, TITLES_MAX);
	for (size_t i = 0; i < sizeof(fits) / sizeof(*fits); i++) {
		enum shown *how = &shown[fits[i].id];
		if (*how != SHOWN_ALWAYS && *how != SHOWN_TO_PEOPLE)
			continue;
		columns[n++] = (struct fit_column){ m->columns[fits[i].id], fits[i].id,
						    fits[i].leaves, fits[i].least };
		*how = SHOWN_TO_MACHINES;
	}
	n = fit_columns(columns, n, m->request->width, &left);
	for (size_t i = 0; i < n; i++)
		shown[columns[i].id] = SHOWN_ALWAYS;
	if (left.n)
		memtable_add_note(m->out,
				  "hidden: " STR_FMT "; -o FILE.csv has all columns",
				  STR_ARG(buf_str(&left)));
	buf_release(&left);
}

static bool has_keys(const struct making *m)
{
	bool has = (int64_t)m->out->nrows < m->nrows; /* or it may be in the others */

	for (size_t i = 0; i < m->out->nrows; i++)
		has |= memtable_row(m->out, i)[KEY].type != CELL_NULL;
	return has;
}

static struct table *pick(struct making *m)
{
	bool by_cause = m->request->by == GAPS_BY_CAUSE;
	bool per_step = m->has_steps && m->request->by != GAPS_BY_STEP;
	enum shown shown[NCOLUMNS] = {
		[PROFILE] = SHOWN_IF_PROFILES,
		[RANK] = SHOWN_IF_RANKS,
		[DEVICE] = m->has_devices ? SHOWN_ALWAYS : SHOWN_TO_MACHINES,
		[KEY] = by_cause ? SHOWN_NEVER : SHOWN_ALWAYS,
		[CAUSE] = SHOWN_TO_MACHINES,
		[TITLE] = SHOWN_TO_PEOPLE,
		[PER_STEP] = per_step ? SHOWN_TO_PEOPLE : SHOWN_NEVER,
		[BLAMED] = SHOWN_TO_MACHINES,
		[IDLE] = per_step ? SHOWN_TO_MACHINES : SHOWN_ALWAYS,
		[GAPS] = SHOWN_ALWAYS,
		[MEAN] = by_cause ? SHOWN_ALWAYS : SHOWN_TO_MACHINES,
		[LONGEST] = SHOWN_ALWAYS,
		[SHARE] = SHOWN_ALWAYS,
		[STEPPED] = SHOWN_TO_MACHINES,
		[DEVICE_IDLE] = SHOWN_TO_MACHINES,
		[DEVICE_SPAN] = SHOWN_TO_MACHINES,
		[OUTSIDE] = SHOWN_TO_MACHINES,
		[LOOK_AT] = SHOWN_TO_PEOPLE,
	};

	if (m->request->for_people && m->request->width)
		hide(m, shown);
	m->out->table.total_rows = m->nrows;
	return table_pick(&m->out->table, shown, m->scope, m->request->for_people);
}

static int make(struct making *m, struct store *store, struct err *err)
{
	struct text_pool texts;
	int rc = text_pool_open(store, &texts, err);

	if (rc == 0)
		rc = gap_ranks_open(store, &texts, m->scope->profiles[0].run, &m->ranks,
				    err);
	for (size_t i = 0; rc == 0 && i < m->scope->n; i++)
		rc = add_profile(m, store, &m->scope->profiles[i], err);
	if (rc == 0 && m->ranks.is_aligned)
		gap_notes_clocks(m->out, &m->ranks);
	gap_ranks_close(&m->ranks);
	text_pool_close(&texts);
	if (rc == 0 && (!m->has_work || (m->out->nrows == 0 && m->request->filter)))
		rc = gap_nothing(store, m->scope, m->has_work, err);
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
	m.out = memtable_new(all_columns, NCOLUMNS);
	m.columns = arena_alloc(&m.out->arena, sizeof(all_columns));
	memcpy(m.columns, all_columns, sizeof(all_columns));
	m.columns[KEY] = keys[request->by];
	if (request->by == GAPS_BY_STEP && request->for_people)
		m.columns[KEY].unit = UNIT_TEXT;
	m.out->table.columns = m.columns;
	int rc = make(&m, store, err);
	gap_sums_release(&m.sums);
	gap_sums_release(&m.totals);
	gap_sums_release(&m.by_cause);
	if (rc < 0) {
		table_free(&m.out->table);
		return -1;
	}
	gap_notes_sentence(m.out, &m.causes);
	if (!has_keys(&m))
		gap_notes_no_keys(m.out, request->by);
	*out = pick(&m);
	return 0;
}
