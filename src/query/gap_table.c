/* Idle time by what it is charged to: see gap_table.h. */
#include "query/gap_table.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/memtable.h"
#include "base/sum.h"
#include "base/units.h"
#include "query/gap_profile.h"
#include "query/gap_sums.h"
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
	int64_t cause_ns[NGAP_CAUSES], all_ns;
	struct str look_at[NGAP_CAUSES]; /* the largest of each; in the table's arena */
	int64_t look_ns[NGAP_CAUSES];
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

static struct cell text_or_null(const struct gap_profile *p, uint32_t text)
{
	return text == TEXT_NONE ? cell_null() : cell_text(text_pool_str(p->texts, text));
}

static struct cell key_cell(const struct making *m, const struct gap_profile *p,
			    uint32_t key)
{
	switch (m->request->by) {
	case GAPS_BY_OP:
	case GAPS_BY_FRAME:
	case GAPS_BY_ANNOTATION:
		return text_or_null(p, key);
	case GAPS_BY_STEP:
		return key < p->range.nsteps ? cell_int(p->range.steps[key].number)
					     : cell_null();
	case GAPS_BY_STREAM:
		if (p->work.streams[key].stream == NUMBER_NONE &&
		    p->work.streams[key].name)
			return cell_text(str_of(p->work.streams[key].name));
		return gap_number_cell(p->work.streams[key].stream);
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
	cells[RANK] = p->profile->has_rank ? cell_int(p->profile->rank) : cell_null();
	cells[DEVICE] = gap_device_cell(&p->work.devices[row->sum.device]);
	cells[KEY] = key_cell(m, p, row->sum.key);
	cells[CAUSE] = cell_text(str_of(cause->code));
	cells[TITLE] = cell_text(str_of(cause->title));
	cells[PER_STEP] =
		total->steps ? cell_int(row->sum.idle_ns / total->steps) : cell_null();
	cells[BLAMED] = text_or_null(p, row->largest.blamed);
	cells[LOOK_AT] = cells[BLAMED];
	cells[IDLE] = cell_int(row->sum.idle_ns);
	cells[GAPS] = cell_int(row->sum.gaps);
	cells[SHARE] = cell_real(percent(row->sum.idle_ns, total->idle_ns));
	memtable_add_row(m->out, cells);
}

/* For the sentence at the end. */
static void add_causes(struct making *m, const struct gap_profile *p)
{
	for (size_t i = 0; i < m->sums.n; i++) {
		const struct gap_sum *sum = &m->sums.items[i];
		m->cause_ns[sum->cause] = sum_add(m->cause_ns[sum->cause], sum->idle_ns);
		m->all_ns = sum_add(m->all_ns, sum->idle_ns);
		if (sum->idle_ns <= m->look_ns[sum->cause])
			continue;
		m->look_ns[sum->cause] = sum->idle_ns;
		m->look_at[sum->cause] =
			arena_copy(&m->out->arena, text_pool_str(p->texts, sum->blamed));
	}
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
	add_causes(m, p);
}

static const char *ns_text(struct making *m, int64_t ns)
{
	char text[UNITS_TEXT_MAX];

	return arena_copy(&m->out->arena, units_text(UNIT_NS, cell_int(ns), text)).p;
}

/* "rank 1, device 0: " */
static const char *device_name(struct making *m, const struct gap_profile *p,
			       uint32_t device)
{
	const struct work_device *d = &p->work.devices[device];
	struct arena *arena = &m->out->arena;
	const char *rank = "";

	if (m->scope->nranks > 1 && p->profile->has_rank)
		rank = arena_printf(arena, "rank %" PRId64 ", ", p->profile->rank);
	if (d->name)
		return arena_printf(arena, "%sdevice %.200s: ", rank, d->name);
	if (d->device == NUMBER_NONE)
		return rank;
	return arena_printf(arena, "%sdevice %" PRId64 ": ", rank, d->device);
}

static const char *steps_text(struct making *m, int64_t steps)
{
	return steps ? arena_printf(&m->out->arena, ", %" PRId64 " step%s", steps,
				    steps == 1 ? "" : "s")
		     : "";
}

/* One line for each device: what its idle time is a part of. */
static void describe(struct making *m, const struct gap_profile *p, uint32_t device)
{
	const struct gap_total *t = &p->totals[device];
	const char *name = device_name(m, p, device);
	const char *text = arena_printf(
		&m->out->arena, "%sidle %s of %s (%.1f%%), %" PRId64 " gap%s%s", name,
		ns_text(m, t->idle_ns), ns_text(m, t->span_ns),
		percent(t->idle_ns, t->span_ns), t->gaps, t->gaps == 1 ? "" : "s",
		steps_text(m, t->steps));

	if (!m->out->table.caption)
		m->out->table.caption = text;
	else
		memtable_add_note(m->out, "%s", text);
	int64_t edge_ns = sum_sub(p->profile->dur_ns, t->span_ns);
	if (p->range.is_all && edge_ns > 0)
		memtable_add_note(m->out,
				  "%s%s more were recorded before the first and after "
				  "the last work, and are no idle time",
				  name, ns_text(m, edge_ns));
}

static int add_profile(struct making *m, struct store *store, struct text_pool *texts,
		       const struct scope_profile *profile, struct err *err)
{
	struct gap_profile p;
	int rc = gap_profile_load(store, texts, profile, m->request, &m->ranks, &p, err);

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
			describe(m, &p, i);
	}
	gap_profile_release(&p);
	return rc;
}

static void add_sentence(struct making *m)
{
	enum gap_cause most = GAP_NONE;

	for (int i = GAP_NONE; i < NGAP_CAUSES; i++)
		if (m->cause_ns[i] > m->cause_ns[most])
			most = (enum gap_cause)i;
	if (m->all_ns == 0)
		return;
	struct str at = m->look_at[most];
	memtable_add_note(m->out, "the largest cause is %s%s" STR_FMT "%s, %.1f%%: %s",
			  gap_causes[most].title, at.n ? " (" : "",
			  (int)(at.n < 100 ? at.n : 100), at.p ? at.p : "",
			  at.n ? ")" : "", percent(m->cause_ns[most], m->all_ns),
			  gap_causes[most].remedy);
}

int gap_nothing(bool has_work, struct err *err)
{
	return err_set(err, ERR_EMPTY, "%s",
		       has_work ? "no idle time matches"
				: "no device work was recorded: profile with "
				  "ProfilerActivity.CUDA beside CPU");
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
		rc = add_profile(m, store, &texts, &m->scope->profiles[i], err);
	if (rc == 0 && m->ranks.naligned)
		memtable_add_note(m->out,
				  "the clocks of the ranks are aligned on the ends of "
				  "their collectives, within %s",
				  ns_text(m, m->ranks.error_ns));
	gap_ranks_close(&m->ranks);
	text_pool_close(&texts);
	if (rc == 0 && (!m->has_work || (m->out->nrows == 0 && m->request->filter)))
		rc = gap_nothing(m->has_work, err);
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
	add_sentence(&m);
	*out = pick(&m);
	return 0;
}
