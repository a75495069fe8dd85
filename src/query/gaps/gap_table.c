/* Idle time by what it is charged to: see gap_table.h. */
#include "query/gaps/gap_table.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/memtable.h"
#include "query/devices/work_profiles.h"
#include "query/gaps/gap_notes.h"
#include "query/number_cell.h"
#include "query/pick.h"

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
	SHARE,
	LOOK_AT,
	NCOLUMNS
};

static const struct column all_columns[NCOLUMNS] = {
	[PROFILE] = { "profile", "Profile", UNIT_COUNT },
	[RANK] = { "rank", "Rank", UNIT_COUNT },
	[DEVICE] = { "device", "Device", UNIT_COUNT },
	[KEY] = { "key", "Key", UNIT_TEXT },
	[CAUSE] = { "cause", "Cause", UNIT_TEXT },
	[TITLE] = { "title", "Cause", UNIT_TEXT },
	[PER_STEP] = { "idle_per_step_ns", "Idle/step", UNIT_NS },
	[BLAMED] = { "blamed", "Look at", UNIT_TEXT },
	[IDLE] = { "idle_ns", "Idle", UNIT_NS },
	[GAPS] = { "gaps", "Gaps", UNIT_COUNT },
	[SHARE] = { "share_pct", "Idle", UNIT_PERCENT },
	[LOOK_AT] = { "look_at", "Look at", UNIT_TEXT },
};

/* By enum gap_by: the column of what the rows are for. */
static const struct column keys[] = {
	[GAPS_BY_CAUSE] = { "cause", "Cause", UNIT_TEXT },
	[GAPS_BY_OP] = { "op", "Operator", UNIT_TEXT },
	[GAPS_BY_FRAME] = { "frame", "Python frame", UNIT_TEXT },
	[GAPS_BY_ANNOTATION] = { "annotation", "Annotation", UNIT_TEXT },
	[GAPS_BY_STEP] = { "step", "Step", UNIT_COUNT },
	[GAPS_BY_STREAM] = { "stream", "Stream", UNIT_COUNT },
};

struct making {
	const struct gap_table_request *request;
	const struct scope *scope;
	struct memtable *out;
	struct column *columns; /* in the table's arena */
	struct gap_sums sums, totals;
	struct gap_causes_seen causes;
	bool has_devices; /* a profile has several */
	bool has_work, has_steps;
	struct gap_ranks ranks;
};

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
		return p->work.items[p->blame.gaps.items[piece->gap].after].stream;
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
		gap_sums_add(&m->sums, &of, piece->gap, ns);
		of.cause = GAP_NONE;
		of.blamed = TEXT_NONE;
		gap_sums_add(&m->totals, &of, piece->gap, ns);
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
		total->steps ? cell_int(row->sum.idle_ns / total->steps) : cell_null();
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

	for (size_t i = 0; i < n; i++)
		add_row(m, p, &rows[i]);
	free(rows);
	gap_notes_add(m->out, &m->causes, &m->sums, p);
}

static int add_profile(struct making *m, struct store *store,
		       const struct scope_profile *profile, struct err *err)
{
	struct gap_profile p;
	int rc = gap_profile_load(store, profile, m->request, &m->ranks, &p, err);

	gap_sums_clear(&m->sums);
	gap_sums_clear(&m->totals);
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
			gap_notes_device(m->out, m->scope, &p, i);
	}
	gap_profile_release(&p);
	return rc;
}

int gap_nothing(const struct scope *scope, bool has_work, struct err *err)
{
	return has_work ? err_set(err, ERR_EMPTY, "no idle time matches")
			: device_work_lacks(scope, err);
}

static struct table *pick(struct making *m)
{
	bool by_cause = m->request->by == GAPS_BY_CAUSE;
	const enum shown shown[NCOLUMNS] = {
		[PROFILE] = SHOWN_IF_PROFILES,
		[RANK] = SHOWN_IF_RANKS,
		[DEVICE] = m->has_devices ? SHOWN_ALWAYS : SHOWN_TO_MACHINES,
		[KEY] = by_cause ? SHOWN_NEVER : SHOWN_ALWAYS,
		[CAUSE] = SHOWN_TO_MACHINES,
		[TITLE] = SHOWN_TO_PEOPLE,
		[PER_STEP] = m->has_steps && m->request->by != GAPS_BY_STEP
				     ? SHOWN_TO_PEOPLE
				     : SHOWN_NEVER,
		[BLAMED] = SHOWN_TO_MACHINES,
		[IDLE] = m->has_steps && m->request->by != GAPS_BY_STEP
				 ? SHOWN_TO_MACHINES
				 : SHOWN_ALWAYS,
		[GAPS] = SHOWN_ALWAYS,
		[SHARE] = SHOWN_ALWAYS,
		[LOOK_AT] = SHOWN_TO_PEOPLE,
	};

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
	if (rc == 0 && m->ranks.naligned)
		gap_notes_clocks(m->out, &m->ranks);
	gap_ranks_close(&m->ranks);
	text_pool_close(&texts);
	if (rc == 0 && (!m->has_work || (m->out->nrows == 0 && m->request->filter)))
		rc = gap_nothing(m->scope, m->has_work, err);
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
	m.out->table.columns = m.columns;
	int rc = make(&m, store, err);
	gap_sums_release(&m.sums);
	gap_sums_release(&m.totals);
	if (rc < 0) {
		table_free(&m.out->table);
		return -1;
	}
	gap_notes_sentence(m.out, &m.causes);
	*out = pick(&m);
	return 0;
}
