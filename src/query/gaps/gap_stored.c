/* Idle time from the rows of a summary: see gap_stored.h. */
#include "query/gaps/gap_stored.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/search.h"
#include "query/gaps/gap_notes.h"
#include "query/query.h"
#include "store/columns.h"

bool gap_stored_can(const struct gap_table_request *request)
{
	return !request->filter && !request->is_list && !request->is_hta &&
	       !request->is_inner && !request->charges_roots;
}

static int64_t value(const struct cell *c, int column)
{
	return part_int(c[column], 0);
}

static bool is_text(struct cell cell, const char *text)
{
	return cell.type == CELL_TEXT && str_equal(cell.as.text, str_of(text));
}

/* By name among a NULL-terminated list; the end where it is none. */
static int place_in(const char *const *names, struct cell name)
{
	int at = 0;

	while (names[at] && !is_text(name, names[at]))
		at++;
	return at;
}

static int cause_of(struct cell code)
{
	int at = GAP_NONE;

	while (at < NGAP_CAUSES && !is_text(code, gap_causes[at].code))
		at++;
	return at;
}

static uint32_t text_of(const struct gap_stored *s, struct cell cell)
{
	return text_pool_number_of(s->profile.texts, cell);
}

static bool is_place(struct cell cell, int64_t most)
{
	return cell.type == CELL_NULL ||
	       (cell.type == CELL_INT && cell.as.integer >= 0 && cell.as.integer < most);
}

/* Checks a row that comes after the rows of devices. */
static bool is_sound(const struct cell *c)
{
	int64_t level = value(c, COL_GAP_PART_LEVEL);
	struct cell cause = c[COL_GAP_PART_CAUSE];

	return (level == 1 || level == 2) &&
	       is_place(c[COL_GAP_PART_PLACE], GAP_STEPS_MOST) &&
	       gap_groupings[place_in(gap_groupings, c[COL_GAP_PART_GROUPING])] &&
	       (level == 2 || value(c, COL_GAP_PART_GAPS) > 0) &&
	       (cause.type == CELL_NULL || cause_of(cause) < NGAP_CAUSES);
}

static bool is_same_text(struct cell a, struct cell b)
{
	return a.type == b.type &&
	       (a.type != CELL_TEXT || str_equal(a.as.text, b.as.text));
}

static bool is_same_device(const struct cell *a, const struct cell *b)
{
	return part_int(a[COL_GAP_PART_DEVICE], NUMBER_NONE) ==
		       part_int(b[COL_GAP_PART_DEVICE], NUMBER_NONE) &&
	       is_same_text(a[COL_GAP_PART_DEVICE_NAME_ID],
			    b[COL_GAP_PART_DEVICE_NAME_ID]);
}

/* The place of a row's device among the first ndevices rows: mostly that of `last`. */
static size_t device_of(const struct gap_stored *s, const struct cell *c, size_t last)
{
	size_t n = s->profile.work.ndevices;

	for (size_t i = 0; i < n; i++) {
		size_t at = (last + i) % n;
		if (is_same_device(part_rows_at(&s->rows, at), c))
			return at;
	}
	return n;
}

/* The devices of rows, and how many places there are. */
static int find_places(struct gap_stored *s, size_t *nsteps, size_t *nstreams,
		       struct err *err)
{
	size_t n = 0, device = 0;

	*nsteps = *nstreams = 0;
	while (n < s->rows.n && value(part_rows_at(&s->rows, n), COL_GAP_PART_LEVEL) == 0)
		n++;
	s->profile.work.ndevices = n;
	s->devices = xcalloc(s->rows.n + 1, sizeof(*s->devices));
	for (size_t i = n; i < s->rows.n; i++) {
		const struct cell *c = part_rows_at(&s->rows, i);
		int by = place_in(gap_groupings, c[COL_GAP_PART_GROUPING]);
		device = device_of(s, c, device);
		if (!is_sound(c) || device == n)
			return summary_damaged(&summary_gaps, err);
		int64_t end = part_int(c[COL_GAP_PART_PLACE], -1) + 1;
		s->devices[i] = (uint32_t)device;
		if (by == GAPS_BY_STEP && (size_t)end > *nsteps)
			*nsteps = (size_t)end;
		if (by == GAPS_BY_STREAM && (size_t)end > *nstreams)
			*nstreams = (size_t)end;
	}
	return 0;
}

/* In the pool of the texts. */
static const char *name_in(struct cell cell)
{
	return cell.type == CELL_TEXT ? cell.as.text.p : NULL;
}

static void read_device(struct gap_stored *s, size_t device)
{
	const struct cell *c = part_rows_at(&s->rows, device);

	s->profile.work.devices[device] = (struct work_device){
		.device = part_int(c[COL_GAP_PART_DEVICE], NUMBER_NONE),
		.name = name_in(c[COL_GAP_PART_DEVICE_NAME_ID]),
	};
	s->profile.totals[device] = (struct gap_total){
		.idle_ns = value(c, COL_GAP_PART_IDLE_NS),
		.span_ns = value(c, COL_GAP_PART_SPAN_NS),
		.stepped_ns = value(c, COL_GAP_PART_STEPPED_NS),
		.outside_ns = value(c, COL_GAP_PART_OUTSIDE_NS),
		.gaps = value(c, COL_GAP_PART_GAPS),
		.steps = value(c, COL_GAP_PART_STEPS),
		.is_wanted = true,
	};
	s->profile.range.is_merged |= value(c, COL_GAP_PART_IS_MERGED) != 0;
}

static void read_places(struct gap_stored *s)
{
	for (size_t i = s->profile.work.ndevices; i < s->rows.n; i++) {
		const struct cell *c = part_rows_at(&s->rows, i);
		int by = place_in(gap_groupings, c[COL_GAP_PART_GROUPING]);
		int64_t place = part_int(c[COL_GAP_PART_PLACE], -1);
		int64_t number = part_int(c[COL_GAP_PART_NUMBER], NUMBER_NONE);
		if (place >= 0 && by == GAPS_BY_STEP)
			s->profile.range.steps[place].number = number;
		if (place >= 0 && by == GAPS_BY_STREAM)
			s->profile.work.streams[place] = (struct work_stream){
				.stream = number,
				.name = name_in(c[COL_GAP_PART_KEY_ID]),
			};
	}
}

/* What of a gap_profile a table looks at. */
static int read_profile(struct gap_stored *s, struct err *err)
{
	struct gap_profile *p = &s->profile;
	size_t nsteps, nstreams;

	if (find_places(s, &nsteps, &nstreams, err) < 0)
		return -1;
	p->work.devices = xcalloc(p->work.ndevices + 1, sizeof(*p->work.devices));
	p->work.streams = xcalloc(nstreams + 1, sizeof(*p->work.streams));
	p->work.nstreams = nstreams;
	p->range.steps = xcalloc(nsteps + 1, sizeof(*p->range.steps));
	p->range.nsteps = nsteps;
	p->range.is_all = true;
	p->totals = xcalloc(p->work.ndevices + 1, sizeof(*p->totals));
	for (size_t i = 0; i < p->work.ndevices; i++)
		read_device(s, i);
	read_places(s);
	return 0;
}

static int check_waits(const struct gap_stored *s, struct err *err)
{
	for (size_t i = 0; i < s->waits.n; i++) {
		const struct cell *c = part_rows_at(&s->waits, i);
		if (!query_is_time(value(c, COL_GAP_WAIT_PART_TS),
				   part_int(c[COL_GAP_WAIT_PART_DUR], -1)) ||
		    !is_place(c[COL_GAP_WAIT_PART_DEVICE_PLACE],
			      (int64_t)s->profile.work.ndevices) ||
		    !is_place(c[COL_GAP_WAIT_PART_STEP_PLACE], GAP_STEPS_MOST) ||
		    !is_place(c[COL_GAP_WAIT_PART_STREAM_PLACE], GAP_STEPS_MOST) ||
		    !is_place(c[COL_GAP_WAIT_PART_GAP], UINT32_MAX))
			return summary_damaged(&summary_gap_waits, err);
	}
	return 0;
}

/* The rows of devices, causes, and what they stand in front of. */
struct prefix {
	struct summary_prefix prefix; /* first */
	enum gap_by by;
};

static bool wants_row(const struct summary_prefix *prefix, const struct cell *row)
{
	const struct prefix *p = (const struct prefix *)prefix;
	int by = place_in(gap_groupings, row[COL_GAP_PART_GROUPING]);

	if (row[COL_GAP_PART_GROUPING].type == CELL_NULL)
		return true;
	for (int i = 0; i < NGROUPINGS; i++) {
		if ((int)gap_grouping_order[i] == by)
			return true;
		if (gap_grouping_order[i] == p->by)
			return false;
	}
	return false;
}

int gap_stored_load(struct summary_reader *reader, const struct scope_profile *profile,
		    enum gap_by by, struct gap_ranks *ranks, struct gap_stored *out,
		    struct err *err)
{
	const struct prefix prefix = { { wants_row }, by };

	*out = (struct gap_stored){ .profile = { .profile = profile,
						 .texts = ranks->texts },
				    .by = by,
				    .ranks = ranks };
	if (!summary_has(reader, profile, &summary_gaps) ||
	    !summary_has(reader, profile, &summary_gap_waits))
		return 0;
	if (summary_read_prefix(reader, profile, &summary_gaps, &prefix.prefix,
				&out->rows, err) < 0 ||
	    read_profile(out, err) < 0)
		return -1;
	out->nlate = gap_ranks_late(ranks, profile, &out->late);
	if (out->nlate == 0)
		return 1;
	if (summary_read(reader, profile, &summary_gap_waits, &out->waits, err) < 0 ||
	    check_waits(out, err) < 0)
		return -1;
	return 1;
}

void gap_stored_release(struct gap_stored *s)
{
	struct gap_profile *p = &s->profile;

	free(p->work.devices);
	free(p->work.streams);
	free(p->range.steps);
	free(p->totals);
	free(s->late);
	free(s->devices);
	if (s->rows.table)
		part_rows_release(&s->rows);
	if (s->waits.table)
		part_rows_release(&s->waits);
}

/* What it is grouped by: as gap_key_of(). */
static uint32_t key_of(const struct gap_stored *s, enum gap_by by, const struct cell *c)
{
	size_t behind =
		by == GAPS_BY_STEP ? s->profile.range.nsteps : s->profile.work.nstreams;

	if (by == GAPS_BY_CAUSE)
		return (uint32_t)cause_of(c[COL_GAP_PART_CAUSE]);
	if (by == GAPS_BY_STEP || by == GAPS_BY_STREAM)
		return (uint32_t)part_int(c[COL_GAP_PART_PLACE], (int64_t)behind);
	return text_of(s, c[COL_GAP_PART_KEY_ID]);
}

/* Of level 1 the cause, of level 2 what is charged most. */
static void put_cause(const struct gap_device_sums *to, int64_t level, struct gap_sum sum)
{
	if (level == 1)
		sum.cause = (uint8_t)sum.key;
	else
		sum.key = GAP_NOTES_NAMES;
	gap_sums_put(to->by_cause, &sum);
}

static struct gap_sum sum_of(struct gap_stored *s, size_t row)
{
	const struct cell *c = part_rows_at(&s->rows, row);
	int of = place_in(gap_groupings, c[COL_GAP_PART_GROUPING]);

	return (struct gap_sum){
		.device = s->devices[row],
		.key = key_of(s, (enum gap_by)of, c),
		.blamed = TEXT_NONE,
		.cause = GAP_NONE,
		.last_gap = UINT32_MAX,
		.idle_ns = value(c, COL_GAP_PART_IDLE_NS),
		.gaps = part_int(c[COL_GAP_PART_GAPS], 1),
		.longest_ns = value(c, COL_GAP_PART_LONGEST_NS),
		.long_ns = value(c, COL_GAP_PART_LONG_NS),
		.stepped_ns = value(c, COL_GAP_PART_STEPPED_NS),
	};
}

static void put_row(struct gap_stored *s, size_t row, const struct gap_device_sums *to)
{
	const struct cell *c = part_rows_at(&s->rows, row);
	int64_t level = value(c, COL_GAP_PART_LEVEL);
	int of = place_in(gap_groupings, c[COL_GAP_PART_GROUPING]);
	int cause = cause_of(c[COL_GAP_PART_CAUSE]);
	struct gap_sum sum = sum_of(s, row);

	/* one by one they are in `waits`, and make sums anew */
	if (s->nlate && cause == GAP_COMMUNICATION)
		return;
	if (level == 1) {
		if (of == GAPS_BY_CAUSE)
			put_cause(to, level, sum);
		if (of == (int)s->by)
			gap_sums_put(to->totals, &sum);
		return;
	}
	sum.cause = (uint8_t)cause;
	if (of == (int)s->by)
		gap_sums_put(to->causes, &sum);
	sum.blamed = text_of(s, c[COL_GAP_PART_BLAMED_ID]);
	sum.idle_ns = value(c, COL_GAP_PART_BLAMED_NS);
	if (of == GAPS_BY_CAUSE)
		put_cause(to, level, sum);
	if (of == (int)s->by)
		gap_sums_put(to->sums, &sum);
}

/* What a wait is grouped by: as gap_key_of(). */
static uint32_t wait_key(const struct gap_stored *s, const struct cell *c,
			 enum gap_cause cause)
{
	switch (s->by) {
	case GAPS_BY_OP:
		return text_of(s, c[COL_GAP_WAIT_PART_OP_ID]);
	case GAPS_BY_FRAME:
		return text_of(s, c[COL_GAP_WAIT_PART_FRAME_ID]);
	case GAPS_BY_ANNOTATION:
		return text_of(s, c[COL_GAP_WAIT_PART_ANNOTATION_ID]);
	case GAPS_BY_STEP:
		return (uint32_t)part_int(c[COL_GAP_WAIT_PART_STEP_PLACE],
					  (int64_t)s->profile.range.nsteps);
	case GAPS_BY_STREAM:
		return (uint32_t)part_int(c[COL_GAP_WAIT_PART_STREAM_PLACE],
					  (int64_t)s->profile.work.nstreams);
	case GAPS_BY_CAUSE:
		break;
	}
	return cause;
}

/* ns of a wait, charged to the collective or to a late rank. */
static void add_wait(struct gap_stored *s, const struct cell *c,
		     const struct gap_device_sums *to, const struct gap_late *late,
		     int64_t ns)
{
	bool in_step = c[COL_GAP_WAIT_PART_STEP_PLACE].type == CELL_INT;
	uint32_t gap = (uint32_t)value(c, COL_GAP_WAIT_PART_GAP);
	enum gap_cause cause = late ? GAP_LATE_RANK : GAP_COMMUNICATION;
	struct gap_sum of = {
		.device = (uint32_t)value(c, COL_GAP_WAIT_PART_DEVICE_PLACE),
		.cause = (uint8_t)cause,
		.blamed = late ? gap_ranks_text(s->ranks, late->rank)
			       : text_of(s, c[COL_GAP_WAIT_PART_BLAMED_ID]),
	};

	of.key = wait_key(s, c, cause);
	gap_sums_add(to->sums, &of, gap, ns, in_step);
	of.key = GAP_NOTES_NAMES;
	gap_sums_add(to->by_cause, &of, gap, ns, in_step);
	of.blamed = TEXT_NONE;
	of.key = cause;
	gap_sums_add(to->by_cause, &of, gap, ns, in_step);
	of.key = wait_key(s, c, cause);
	gap_sums_add(to->causes, &of, gap, ns, in_step);
	of.cause = GAP_NONE;
	/* the totals of others hold it already, whatever is charged */
	if (s->by == GAPS_BY_CAUSE)
		gap_sums_add(to->totals, &of, gap, ns, in_step);
}

/* Cuts the wait where waits for other ranks begin and end: as gap_ranks_charge() does. */
static void add_waits(struct gap_stored *s, const struct cell *c,
		      const struct gap_device_sums *to)
{
	int64_t at_ns = value(c, COL_GAP_WAIT_PART_TS);
	int64_t end_ns = at_ns + value(c, COL_GAP_WAIT_PART_DUR);
	const struct gap_late *late = s->late;
	size_t at;

	SEARCH(at, 0, s->nlate, late[at].to_ns <= at_ns);
	for (; at < s->nlate && late[at].from_ns < end_ns && at_ns < end_ns; at++) {
		int64_t to_ns = late[at].to_ns < end_ns ? late[at].to_ns : end_ns;
		if (late[at].from_ns > at_ns)
			add_wait(s, c, to, NULL, late[at].from_ns - at_ns);
		at_ns = late[at].from_ns > at_ns ? late[at].from_ns : at_ns;
		if (to_ns > at_ns)
			add_wait(s, c, to, &late[at], to_ns - at_ns);
		at_ns = to_ns > at_ns ? to_ns : at_ns;
	}
	if (at_ns < end_ns)
		add_wait(s, c, to, NULL, end_ns - at_ns);
}

void gap_stored_sums(struct gap_stored *s, uint32_t device,
		     const struct gap_device_sums *out)
{
	for (size_t i = s->profile.work.ndevices; i < s->rows.n; i++)
		if (s->devices[i] == device)
			put_row(s, i, out);
	for (size_t i = 0; i < s->waits.n; i++) {
		const struct cell *c = part_rows_at(&s->waits, i);
		if (value(c, COL_GAP_WAIT_PART_DEVICE_PLACE) == device)
			add_waits(s, c, out);
	}
}
