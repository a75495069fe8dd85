/* Idle time as rules see it: see advise_facts.h. */

#include "base/alloc.h"
#include "base/search.h"
#include "base/sum.h"
#include "query/advise/advise_facts.h"
#include "query/advise/ddp_buffers.h"
#include "query/advise/rule_parts.h"
#include "query/gaps/gap_sums.h"

/* As gap_profile_load(), with the work that is there already. */
static int load_blame(struct advise_facts *f, const struct device_work *work,
		      struct err *err)
{
	if (f->has_blame)
		return 0;
	const struct gap_range_request range = { .store = f->store,
						 .profile = f->profile,
						 .work = work };
	if (gap_range_load(&range, &f->range, err) < 0)
		return -1;
	const struct gap_blame_request request = { .store = f->store,
						   .texts = f->texts,
						   .profile = f->profile,
						   .work = work,
						   .range = &f->range,
						   .has_roots = true };
	if (gap_blame_load(&request, &f->blame, err) < 0)
		return -1;
	gap_ranks_charge(f->ranks, f->profile, &f->blame);
	gap_kinds_limit(&f->blame, &f->range);
	if (gap_blame_check(&f->blame, err) < 0)
		return -1;
	gap_roots_find(&f->blame, &f->roots);
	gap_reader_open(&f->reader, &f->blame, &f->roots, GAP_KEY_NONE);
	f->has_blame = true;
	return 0;
}

/* Buffers broadcast in the window, and how long each device is idle meanwhile. */
static void sum_buffers(struct advise_facts *f)
{
	struct fact_buffers *b = &f->buffers;
	const struct device_work *work = &f->work.work;
	struct intervals when;

	intervals_intersect(&b->when, &f->window.when, &when);
	b->idle_ns = xcalloc(work->ndevices + 1, sizeof(*b->idle_ns));
	for (size_t i = 0; i < work->ndevices && when.n; i++) {
		struct intervals busy;
		device_work_union(work, &work->devices[i], WORK_ALL, &busy);
		b->idle_ns[i] = intervals_length(&when) - intervals_overlap(&when, &busy);
		b->is_apart |= percent_of(b->idle_ns[i], f->window.ns) > BUFFERS_PCT;
		intervals_release(&busy);
	}
	intervals_subtract(&f->window.when, &when, &b->others);
	intervals_release(&when);
}

const struct fact_buffers *facts_buffers(struct advise_facts *f, struct err *err)
{
	struct fact_buffers *b = &f->buffers;

	if (!facts_window(f, err))
		return NULL;
	if (f->has_buffers)
		return b;
	size_t n;
	const struct fact_name *names = facts_names(f, &n, err);
	if (!names)
		return NULL;
	if (rule_calls(f, "DistributedDataParallel.forward") > 0 &&
	    ddp_buffers_find(f->store, f->texts, f->profile, &b->when, &b->n, err) < 0)
		return NULL;
	sum_buffers(f);
	f->has_buffers = true;
	return b;
}

/* What of the window is not of ddp-buffers. */
static const struct intervals *counted(const struct advise_facts *f)
{
	return f->buffers.is_apart ? &f->buffers.others : &f->window.when;
}

/* What of [from, to) counts, as large as can be; false when nothing is left. */
static bool next_counted(const struct advise_facts *f, int64_t *from_ns, int64_t to_ns,
			 struct interval *out)
{
	const struct intervals *all = counted(f);

	if (*from_ns >= to_ns)
		return false;
	size_t at = intervals_after(all, *from_ns);
	if (at == all->n || all->items[at].start_ns >= to_ns)
		return false;
	*out = all->items[at];
	out->start_ns = out->start_ns > *from_ns ? out->start_ns : *from_ns;
	out->end_ns = out->end_ns < to_ns ? out->end_ns : to_ns;
	*from_ns = out->end_ns;
	return true;
}

/* is_later: it is after the first step. */
static void add_part(struct gap_reader *reader, const struct gap *gap,
		     const struct interval *part, bool is_later, struct fact_idle *to)
{
	struct gap_amount amount;

	gap_reader_seek(reader, gap, part->start_ns, part->end_ns);
	while (gap_reader_next(reader, &amount)) {
		to->ns[amount.cause] = sum_add(to->ns[amount.cause], amount.ns);
		to->all_ns = sum_add(to->all_ns, amount.ns);
		if (is_later && amount.cause == GAP_MALLOC)
			to->later_allocation_ns =
				sum_add(to->later_allocation_ns, amount.ns);
	}
}

/* The end of the gap that comes first, or where it is cut. */
static int64_t cut_at(const struct gap *gap, int64_t ns)
{
	if (ns < gap->start_ns)
		return gap->start_ns;
	return ns < gap->end_ns ? ns : gap->end_ns;
}

static void add_gap(struct advise_facts *f, const struct gap *gap, struct fact_idle *to)
{
	int64_t later_ns = f->window.steps.n ? f->window.steps.items[0].end_ns : 0;
	int64_t at_ns = gap->start_ns, cut_ns = cut_at(gap, later_ns);
	struct interval part;

	while (next_counted(f, &at_ns, cut_ns, &part))
		add_part(&f->reader, gap, &part, false, to);
	at_ns = cut_ns;
	while (next_counted(f, &at_ns, gap->end_ns, &part))
		add_part(&f->reader, gap, &part, true, to);
}

const struct fact_idle *facts_idles(struct advise_facts *f, struct err *err)
{
	const struct device_work *work = facts_work(f, err);

	if (!work || !facts_buffers(f, err) || load_blame(f, work, err) < 0)
		return NULL;
	if (f->idles)
		return f->idles;
	f->idles = xcalloc(work->ndevices + 1, sizeof(*f->idles));
	for (size_t i = 0; i < f->blame.gaps.n; i++) {
		const struct gap *gap = &f->blame.gaps.items[i];
		add_gap(f, gap, &f->idles[gap->device]);
	}
	return f->idles;
}

/* What counts of the gap, whatever a root is charged for; returns how much it is. */
static int64_t add_loss(const struct advise_facts *f, struct gap_reader *reader,
			const struct gap *gap, struct fact_loss *to)
{
	int64_t from_ns = gap->start_ns, idle_ns = 0;
	struct gap_amount amount;
	struct gap_part part;

	while (gap_range_next(&f->range, &from_ns, gap->end_ns, &part)) {
		gap_reader_seek(reader, gap, part.start_ns, part.end_ns);
		while (gap_reader_next(reader, &amount)) {
			to->cause_ns[amount.cause] =
				sum_add(to->cause_ns[amount.cause], amount.ns);
			idle_ns = sum_add(idle_ns, amount.ns);
		}
	}
	return idle_ns;
}

int facts_loss(struct advise_facts *f, struct fact_loss *out, struct err *err)
{
	const struct device_work *work = facts_work(f, err);
	struct gap_reader reader;

	*out = (struct fact_loss){ .idle_ns = 0 };
	if (!work || (work->n && load_blame(f, work, err) < 0))
		return -1;
	gap_reader_open(&reader, &f->blame, NULL, GAP_KEY_NONE);
	for (size_t i = 0; i < f->blame.gaps.n; i++)
		out->idle_ns = sum_add(
			out->idle_ns, add_loss(f, &reader, &f->blame.gaps.items[i], out));
	int64_t window_ns = intervals_length(&f->range.wanted);
	for (size_t i = 0; i < work->ndevices; i++)
		out->span_ns = sum_add(out->span_ns, window_ns);
	gap_reader_close(&reader);
	return 0;
}

/* When the last step begins in the gap; its end when none does. */
static int64_t edge_from_ns(const struct step_windows *w, const struct gap *gap)
{
	size_t at;

	/* the first that begins at its end or later */
	SEARCH(at, 0, w->n, w->items[at].start_ns < gap->end_ns);
	if (at == 0 || w->items[at - 1].start_ns < gap->start_ns)
		return gap->end_ns;
	return w->items[at - 1].start_ns;
}

/* The gaps of a device: from *first to the place that is returned. */
static size_t gaps_of(const struct gaps *gaps, size_t device, size_t *first)
{
	size_t ends[2];

	for (size_t i = 0; i < 2; i++) { /* the first of that device, and of the next */
		size_t at;
		SEARCH(at, 0, gaps->n, gaps->items[at].device < device + i);
		ends[i] = at;
	}
	*first = ends[0];
	return ends[1];
}

struct sharing {
	uint64_t causes;
	struct gap_sums names[NGAP_CAUSES]; /* what is charged, by cause */
	int64_t cause_ns[NGAP_CAUSES];
	struct fact_share share;
};

static void share_part(struct advise_facts *f, uint32_t gap, const struct interval *part,
		       bool is_edge, struct sharing *to)
{
	struct gap_amount amount;

	gap_reader_seek(&f->reader, &f->blame.gaps.items[gap], part->start_ns,
			part->end_ns);
	while (gap_reader_next(&f->reader, &amount)) {
		const struct gap_sum of = { .key = amount.blamed,
					    .blamed = amount.blamed };
		if (!(to->causes >> amount.cause & 1))
			continue;
		to->share.ns = sum_add(to->share.ns, amount.ns);
		if (is_edge)
			to->share.edge_ns = sum_add(to->share.edge_ns, amount.ns);
		to->cause_ns[amount.cause] =
			sum_add(to->cause_ns[amount.cause], amount.ns);
		if (amount.blamed != TEXT_NONE)
			gap_sums_add(&to->names[amount.cause], &of, gap, amount.ns,
				     false);
	}
}

static void share_gap(struct advise_facts *f, uint32_t gap, struct sharing *to)
{
	const struct gap *g = &f->blame.gaps.items[gap];
	int64_t at_ns = g->start_ns, before_ns = to->share.ns;
	int64_t edge_ns = cut_at(g, edge_from_ns(&f->window.steps, g));
	struct interval part;

	while (next_counted(f, &at_ns, edge_ns, &part))
		share_part(f, gap, &part, false, to);
	at_ns = edge_ns;
	while (next_counted(f, &at_ns, g->end_ns, &part))
		share_part(f, gap, &part, true, to);
	to->share.gaps += to->share.ns > before_ns;
	to->share.long_ns =
		sum_add(to->share.long_ns, gap_long_ns(0, to->share.ns - before_ns));
}

/* The largest cause, and what of it is charged most. */
static void name_share(const struct advise_facts *f, struct sharing *of)
{
	struct fact_share *to = &of->share;
	int64_t most_ns = 0;

	for (int i = 0; i < NGAP_CAUSES; i++)
		if (of->cause_ns[i] > of->cause_ns[to->cause])
			to->cause = (enum gap_cause)i;
	const struct gap_sums *names = &of->names[to->cause];
	for (size_t i = 0; i < names->n; i++) {
		const struct gap_sum *sum = &names->items[i];
		if (sum->idle_ns <= most_ns)
			continue;
		most_ns = sum->idle_ns;
		to->culprit = text_pool_str(f->texts, sum->blamed);
	}
}

struct fact_share facts_share(struct advise_facts *f, size_t device, uint64_t causes,
			      int64_t from_ns, int64_t below_ns)
{
	struct sharing s = { .causes = causes };
	size_t first, end = gaps_of(&f->blame.gaps, device, &first);

	for (size_t i = first; i < end; i++) {
		const struct gap *gap = &f->blame.gaps.items[i];
		int64_t length_ns = gap->end_ns - gap->start_ns;
		if (length_ns >= from_ns && length_ns < below_ns)
			share_gap(f, (uint32_t)i, &s);
	}
	name_share(f, &s);
	for (int i = 0; i < NGAP_CAUSES; i++)
		gap_sums_release(&s.names[i]);
	return s.share;
}

int64_t facts_gaps_of(struct advise_facts *f, size_t device, enum gap_cause cause,
		      struct intervals *out)
{
	size_t first, end = gaps_of(&f->blame.gaps, device, &first);
	int64_t ns = 0;

	for (size_t i = first; i < end; i++) {
		const struct gap *gap = &f->blame.gaps.items[i];
		struct sharing s = { .causes = RULE_CAUSE(cause) };
		struct interval part;
		int64_t counted_ns = 0;
		share_gap(f, (uint32_t)i, &s);
		for (int64_t at = gap->start_ns;
		     next_counted(f, &at, gap->end_ns, &part);)
			counted_ns += part.end_ns - part.start_ns;
		bool is_of = s.share.ns > counted_ns / 2;
		for (int64_t at = gap->start_ns;
		     is_of && next_counted(f, &at, gap->end_ns, &part);)
			intervals_add(out, part.start_ns, part.end_ns);
		ns = sum_add(ns, is_of ? s.share.ns : 0);
		gap_sums_release(&s.names[cause]);
	}
	intervals_unite(out);
	return ns;
}
