/* Rows of idle time from a profile's slices: see gap_stored.h. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "query/gaps/gap_stored.h"
#include "store/columns.h"

/* So many segments of collectives are looked at: lines that many devices share are long. */
#define SEGMENTS_MOST 4000000

const char *const gap_groupings[NGROUPINGS + 1] = {
	"cause", "op", "frame", "annotation", "step", "stream", NULL,
};

const enum gap_by gap_grouping_order[NGROUPINGS] = {
	GAPS_BY_CAUSE,      GAPS_BY_STEP, GAPS_BY_STREAM,
	GAPS_BY_ANNOTATION, GAPS_BY_OP,   GAPS_BY_FRAME,
};

#define GAP_BIT(by) (1u << (by))

/* What a key of a device has of a cause, and what is charged with most of that. */
struct cause_sum {
	struct gap_sum sum;
	uint32_t blamed; /* text, or TEXT_NONE */
	int64_t blamed_ns;
};

struct cause_sums {
	struct cause_sum *items; /* owned */
	size_t n, cap;
};

struct summing {
	const struct gap_profile *p;
	struct part_rows *out;
	struct gap_sums sums[NGROUPINGS]; /* of the newest device */
	struct gap_sums totals[NGROUPINGS];
	struct cause_sums causes[NGROUPINGS];
};

static void set_device(const struct gap_profile *p, uint32_t device,
		       struct part_rows *out, struct cell *c)
{
	const struct work_device *d = &p->work.devices[device];

	if (d->device != NUMBER_NONE)
		c[COL_GAP_PART_DEVICE] = cell_int(d->device);
	else
		c[COL_GAP_PART_DEVICE_NAME_ID] = part_rows_text(out, d->name);
}

static void add_device_row(struct summing *s, uint32_t device)
{
	const struct gap_total *total = &s->p->totals[device];
	struct cell *c = part_rows_add(s->out);

	if (!c)
		return;
	set_device(s->p, device, s->out, c);
	c[COL_GAP_PART_LEVEL] = cell_int(0);
	c[COL_GAP_PART_IDLE_NS] = cell_int(total->idle_ns);
	c[COL_GAP_PART_GAPS] = cell_int(total->gaps);
	c[COL_GAP_PART_STEPPED_NS] = cell_int(total->stepped_ns);
	c[COL_GAP_PART_SPAN_NS] = cell_int(total->span_ns);
	c[COL_GAP_PART_OUTSIDE_NS] = cell_int(total->outside_ns);
	c[COL_GAP_PART_STEPS] = cell_int(total->steps);
	c[COL_GAP_PART_IS_MERGED] = cell_int(s->p->range.is_merged);
}

static void set_step(const struct gap_profile *p, uint32_t key, struct cell *c)
{
	if (key == p->range.nsteps)
		return;
	c[COL_GAP_PART_PLACE] = cell_int(key);
	c[COL_GAP_PART_NUMBER] = cell_int(p->range.steps[key].number);
}

static void set_stream(const struct gap_profile *p, uint32_t key, struct part_rows *out,
		       struct cell *c)
{
	if (key == p->work.nstreams)
		return;
	const struct work_stream *stream = &p->work.streams[key];
	c[COL_GAP_PART_PLACE] = cell_int(key);
	if (stream->stream != NUMBER_NONE)
		c[COL_GAP_PART_NUMBER] = cell_int(stream->stream);
	else
		c[COL_GAP_PART_KEY_ID] = part_rows_text(out, stream->name);
}

static void set_key(struct summing *s, enum gap_by by, uint32_t key, struct cell *c)
{
	if (by == GAPS_BY_CAUSE)
		c[COL_GAP_PART_CAUSE] = cell_text(str_of(gap_causes[key].code));
	else if (by == GAPS_BY_STEP)
		set_step(s->p, key, c);
	else if (by == GAPS_BY_STREAM)
		set_stream(s->p, key, s->out, c);
	else
		c[COL_GAP_PART_KEY_ID] = text_pool_cell(s->p->texts, key);
}

static struct cell *add_row(struct summing *s, enum gap_by by, int level,
			    const struct gap_sum *sum)
{
	struct cell *c = part_rows_add(s->out);

	if (!c)
		return NULL;
	set_device(s->p, sum->device, s->out, c);
	c[COL_GAP_PART_LEVEL] = cell_int(level);
	c[COL_GAP_PART_GROUPING] = cell_text(str_of(gap_groupings[by]));
	set_key(s, by, sum->key, c);
	c[COL_GAP_PART_IDLE_NS] = cell_int(sum->idle_ns);
	return c;
}

static void add_totals(struct summing *s, enum gap_by by)
{
	const struct gap_sums *totals = &s->totals[by];

	for (size_t i = 0; i < totals->n; i++) {
		const struct gap_sum *sum = &totals->items[i];
		struct cell *c = add_row(s, by, 1, sum);
		if (!c)
			return;
		c[COL_GAP_PART_GAPS] = cell_int(sum->gaps);
		c[COL_GAP_PART_LONGEST_NS] = cell_int(sum->longest_ns);
		c[COL_GAP_PART_STEPPED_NS] = cell_int(sum->stepped_ns);
		if (by == GAPS_BY_CAUSE)
			c[COL_GAP_PART_LONG_NS] = cell_int(sum->long_ns);
	}
}

/* What is charged with most of each of `causes`: by its place the place in `sums`. */
static size_t *find_largest(const struct summing *s, const struct gap_sums *sums,
			    struct gap_sums *causes)
{
	size_t *largest = xrealloc_array(NULL, causes->n + 1, sizeof(*largest));

	for (size_t i = 0; i < causes->n; i++)
		largest[i] = SIZE_MAX;
	for (size_t i = 0; i < sums->n; i++) {
		struct gap_sum of = sums->items[i];
		of.blamed = TEXT_NONE;
		size_t *most = &largest[gap_sums_place(causes, &of)];
		if (*most == SIZE_MAX ||
		    gap_sum_is_more(s->p->texts, &sums->items[i], &sums->items[*most]))
			*most = i;
	}
	return largest;
}

static void add_causes(struct summing *s, enum gap_by by)
{
	const struct cause_sums *causes = &s->causes[by];

	for (size_t i = 0; i < causes->n; i++) {
		const struct cause_sum *of = &causes->items[i];
		struct cell *c = add_row(s, by, 2, &of->sum);
		if (!c)
			break;
		c[COL_GAP_PART_CAUSE] = cell_text(str_of(gap_causes[of->sum.cause].code));
		c[COL_GAP_PART_BLAMED_ID] = text_pool_cell(s->p->texts, of->blamed);
		c[COL_GAP_PART_BLAMED_NS] = cell_int(of->blamed_ns);
	}
}

/* Of all names of a device those that are charged most are kept. */
static void end_device(struct summing *s, enum gap_by by)
{
	struct gap_sums causes = { .n = 0 };
	struct cause_sums *to = &s->causes[by];

	if (!s->sums[by].items) /* nothing of it counts */
		return;
	gap_sums_of_causes(&s->sums[by], &causes);
	size_t *largest = find_largest(s, &s->sums[by], &causes);
	for (size_t i = 0; i < causes.n; i++) {
		const struct gap_sum *most = &s->sums[by].items[largest[i]];
		*ARRAY_PUSH(to->items, to->n, to->cap) =
			(struct cause_sum){ causes.items[i], most->blamed,
					    most->idle_ns };
	}
	free(largest);
	gap_sums_release(&causes);
	gap_sums_clear(&s->sums[by]);
}

static void add_amount(struct summing *s, unsigned bys, uint32_t gap,
		       const struct gap_amount *amount, size_t step)
{
	const struct gap *g = &s->p->blame.gaps.items[gap];
	bool in_step = step != GAP_NO_STEP;

	for (int by = 0; by < NGROUPINGS; by++) {
		if (!(bys >> by & 1))
			continue;
		struct gap_sum of = { .device = g->device,
				      .key = gap_key_of(s->p, (enum gap_by)by, g, amount,
							step),
				      .cause = amount->cause,
				      .blamed = amount->blamed };
		gap_sums_add(&s->sums[by], &of, gap, amount->ns, in_step);
		of.cause = GAP_NONE;
		of.blamed = TEXT_NONE;
		gap_sums_add(&s->totals[by], &of, gap, amount->ns, in_step);
	}
}

/* A reader, and the groupings that it tells apart. */
struct pass {
	struct gap_reader reader;
	unsigned bys;
};

static void add_gap(struct summing *s, struct pass *pass, uint32_t gap)
{
	const struct gap *g = &s->p->blame.gaps.items[gap];
	int64_t from_ns = g->start_ns;
	struct gap_amount amount;
	struct gap_part part;

	while (gap_range_next(&s->p->range, &from_ns, g->end_ns, &part)) {
		gap_reader_seek(&pass->reader, g, part.start_ns, part.end_ns);
		while (gap_reader_next(&pass->reader, &amount))
			add_amount(s, pass->bys, gap, &amount, part.step);
	}
}

/*
 * One walk tells all groupings, but where readers do not walk: what they look up is told
 * apart by one of them.
 */
static size_t open_passes(const struct gap_profile *p, struct pass passes[4])
{
	static const struct {
		enum gap_key key;
		unsigned bys;
	} those[] = {
		{ GAP_KEY_NONE, GAP_BIT(GAPS_BY_CAUSE) | GAP_BIT(GAPS_BY_STEP) |
					GAP_BIT(GAPS_BY_STREAM) },
		{ GAP_KEY_OP, GAP_BIT(GAPS_BY_OP) },
		{ GAP_KEY_FRAME, GAP_BIT(GAPS_BY_FRAME) },
		{ GAP_KEY_ANNOTATION, GAP_BIT(GAPS_BY_ANNOTATION) },
	};
	bool is_shared = false;

	for (size_t i = 0; i < p->blame.nlines; i++)
		is_shared |= p->blame.lines[i].is_shared;
	size_t n = is_shared ? sizeof(those) / sizeof(*those) : 1;
	for (size_t i = 0; i < n; i++) {
		passes[i].bys = is_shared ? those[i].bys : GAP_BIT(NGROUPINGS) - 1;
		gap_profile_read(p, those[i].key, &passes[i].reader);
	}
	return n;
}

/* Are there more rows than a summary may have? */
static bool is_too_many(const struct summing *s)
{
	size_t n = s->p->work.ndevices;

	for (int by = 0; by < NGROUPINGS; by++)
		n += s->totals[by].n + s->causes[by].n;
	return n > PART_ROWS_MOST;
}

/* Device by device, as far as there is room for rows. */
static void sum_up(struct summing *s)
{
	const struct gaps *gaps = &s->p->blame.gaps;
	struct pass passes[4];
	size_t n = open_passes(s->p, passes);

	for (uint32_t gap = 0; gap < gaps->n && !s->out->is_too_many; gap++) {
		for (size_t i = 0; i < n; i++)
			add_gap(s, &passes[i], gap);
		if (gap + 1 < gaps->n &&
		    gaps->items[gap + 1].device == gaps->items[gap].device)
			continue;
		for (int by = 0; by < NGROUPINGS; by++)
			end_device(s, (enum gap_by)by);
		s->out->is_too_many = is_too_many(s);
	}
	for (size_t i = 0; i < n; i++)
		gap_reader_close(&passes[i].reader);
}

static void add_rows(struct summing *s)
{
	for (uint32_t i = 0; i < s->p->work.ndevices; i++)
		add_device_row(s, i);
	for (int i = 0; i < NGROUPINGS; i++) {
		add_totals(s, gap_grouping_order[i]);
		add_causes(s, gap_grouping_order[i]);
	}
}

/* Rows without the names that it should have would hide that they were left out. */
static int make_parts(struct summary_source *from, struct part_rows *out, struct err *err)
{
	struct summing s = { .p = summary_idle(from, err), .out = out };

	if (!s.p)
		return -1;
	out->is_too_many = s.p->blame.left_out != 0;
	sum_up(&s);
	if (!out->is_too_many)
		add_rows(&s);
	for (int by = 0; by < NGROUPINGS; by++) {
		gap_sums_release(&s.sums[by]);
		gap_sums_release(&s.totals[by]);
		free(s.causes[by].items);
	}
	return 0;
}

const struct summary summary_gaps = { PART_TABLE(GAP_PART, gap_part), make_parts };

struct waits {
	const struct gap_profile *p;
	struct part_rows *out;
	uint64_t nseen;
};

/* What of the segment lies in the part. */
static void add_wait(struct waits *w, uint32_t gap, const struct gap_part *part,
		     const struct gap_segment *s)
{
	int64_t start_ns = s->start_ns > part->start_ns ? s->start_ns : part->start_ns;
	int64_t end_ns = s->end_ns < part->end_ns ? s->end_ns : part->end_ns;
	const struct gap *g = &w->p->blame.gaps.items[gap];
	uint32_t stream = gap_stream_of(w->p, g);

	if (s->cause != GAP_COMMUNICATION || start_ns >= end_ns)
		return;
	struct cell *c = part_rows_add(w->out);
	if (!c)
		return;
	c[COL_GAP_WAIT_PART_DEVICE_PLACE] = cell_int(g->device);
	c[COL_GAP_WAIT_PART_GAP] = cell_int(gap);
	c[COL_GAP_WAIT_PART_TS] = cell_int(start_ns);
	c[COL_GAP_WAIT_PART_DUR] = cell_int(end_ns - start_ns);
	if (part->step != GAP_NO_STEP)
		c[COL_GAP_WAIT_PART_STEP_PLACE] = cell_int((int64_t)part->step);
	if (stream != w->p->work.nstreams)
		c[COL_GAP_WAIT_PART_STREAM_PLACE] = cell_int(stream);
	c[COL_GAP_WAIT_PART_OP_ID] = text_pool_cell(w->p->texts, s->op);
	c[COL_GAP_WAIT_PART_FRAME_ID] = text_pool_cell(w->p->texts, s->frame);
	c[COL_GAP_WAIT_PART_ANNOTATION_ID] = text_pool_cell(w->p->texts, s->annotation);
	c[COL_GAP_WAIT_PART_BLAMED_ID] = text_pool_cell(w->p->texts, s->blamed);
}

static void add_span_waits(struct waits *w, uint32_t gap, const struct gap_part *part,
			   const struct gap_span *span)
{
	const struct gap_line *line = &w->p->blame.lines[span->line];
	struct gap_part within = *part;

	if (span->line == GAP_OWN_LINE)
		return;
	if (span->start_ns > within.start_ns)
		within.start_ns = span->start_ns;
	if (span->end_ns < within.end_ns)
		within.end_ns = span->end_ns;
	if (within.start_ns >= within.end_ns)
		return;
	uint32_t end = span->first + span->n;
	for (uint32_t i = gap_span_find(line, span, within.start_ns);
	     i < end && line->items[i].start_ns < within.end_ns; i++) {
		w->nseen++;
		add_wait(w, gap, &within, &line->items[i]);
	}
}

static void add_waits(struct waits *w, uint32_t gap)
{
	const struct gap *g = &w->p->blame.gaps.items[gap];
	int64_t from_ns = g->start_ns;
	struct gap_part part;

	while (gap_range_next(&w->p->range, &from_ns, g->end_ns, &part))
		for (uint32_t i = 0; i < g->nspans; i++)
			add_span_waits(w, gap, &part,
				       &w->p->blame.spans[g->first_span + i]);
}

static bool has_collectives(const struct gap_blame *b)
{
	for (size_t i = GAP_OWN_LINE + 1; i < b->nlines; i++)
		for (size_t k = 0; k < b->lines[i].n; k++)
			if (b->lines[i].items[k].cause == GAP_COMMUNICATION)
				return true;
	return false;
}

static int make_waits(struct summary_source *from, struct part_rows *out, struct err *err)
{
	struct waits w = { .p = summary_idle(from, err), .out = out };

	if (!w.p)
		return -1;
	if (!has_collectives(&w.p->blame))
		return 0;
	for (uint32_t i = 0; i < w.p->blame.gaps.n && !out->is_too_many; i++) {
		add_waits(&w, i);
		out->is_too_many |= w.nseen > SEGMENTS_MOST;
	}
	return 0;
}

const struct summary summary_gap_waits = { PART_TABLE(GAP_WAIT_PART, gap_wait_part),
					   make_waits };
