/* Idle time as rules see it: see advise_facts.h. */
#include <stdlib.h>

#include "base/alloc.h"
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
						   .range = &f->range };
	if (gap_blame_load(&request, &f->blame, err) < 0)
		return -1;
	gap_ranks_charge(f->ranks, f->profile, &f->blame);
	if (gap_blame_check(&f->blame, err) < 0)
		return -1;
	gap_roots_find(&f->blame, &f->roots);
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
		b->is_apart |= facts_pct(b->idle_ns[i], f->window.ns) > BUFFERS_PCT;
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
	if (rule_calls(names, n, "DistributedDataParallel.forward") > 0 &&
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

/* What of it counts. */
static int64_t counted_ns(const struct advise_facts *f, const struct gap_piece *piece)
{
	return intervals_length_within(counted(f), piece->start_ns, piece->end_ns);
}

/* What of it lies in steps after the first. */
static int64_t later_ns(const struct advise_facts *f, const struct gap_piece *piece)
{
	int64_t from_ns = f->window.steps.n ? f->window.steps.items[0].end_ns : 0;

	if (piece->start_ns > from_ns)
		from_ns = piece->start_ns;
	return from_ns < piece->end_ns
		       ? intervals_length_within(counted(f), from_ns, piece->end_ns)
		       : 0;
}

static void add_gap(const struct advise_facts *f, const struct gap *gap,
		    struct fact_idle *to)
{
	for (uint32_t i = 0; i < gap->npieces; i++) {
		struct gap_piece piece =
			gap_roots_charge(&f->roots, &f->blame, gap->first_piece + i);
		int64_t ns = counted_ns(f, &piece);
		to->ns[piece.cause] = sum_add(to->ns[piece.cause], ns);
		to->all_ns = sum_add(to->all_ns, ns);
		if (piece.cause == GAP_MALLOC)
			to->later_allocation_ns =
				sum_add(to->later_allocation_ns, later_ns(f, &piece));
	}
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

/* What is charged: by cause the names, and the time of each. */
struct charges {
	struct gap_sums names[NGAP_CAUSES];
	int64_t cause_ns[NGAP_CAUSES];
};

/* When the last step begins in the gap; its end when none does. */
static int64_t edge_from_ns(const struct step_windows *w, const struct gap *gap)
{
	size_t low = 0, high = w->n;

	while (low < high) { /* the first that begins at its end or later */
		size_t middle = low + (high - low) / 2;
		if (w->items[middle].start_ns < gap->end_ns)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || w->items[low - 1].start_ns < gap->start_ns)
		return gap->end_ns;
	return w->items[low - 1].start_ns;
}

static void add_share(const struct advise_facts *f, const struct gap_piece *piece,
		      int64_t edge_ns, struct charges *charges, struct fact_share *to)
{
	const struct gap_sum of = { .key = piece->blamed, .blamed = piece->blamed };
	int64_t ns = counted_ns(f, piece);
	int64_t from_ns = piece->start_ns > edge_ns ? piece->start_ns : edge_ns;

	to->ns = sum_add(to->ns, ns);
	if (from_ns < piece->end_ns)
		to->edge_ns =
			sum_add(to->edge_ns, intervals_length_within(counted(f), from_ns,
								     piece->end_ns));
	charges->cause_ns[piece->cause] = sum_add(charges->cause_ns[piece->cause], ns);
	if (piece->blamed != TEXT_NONE)
		gap_sums_add(&charges->names[piece->cause], &of, piece->gap, ns, false);
}

/* The largest cause, and what of it is charged most. */
static void name_share(const struct advise_facts *f, const struct charges *charges,
		       struct fact_share *to)
{
	int64_t most_ns = 0;

	for (int i = 0; i < NGAP_CAUSES; i++)
		if (charges->cause_ns[i] > charges->cause_ns[to->cause])
			to->cause = (enum gap_cause)i;
	const struct gap_sums *names = &charges->names[to->cause];
	for (size_t i = 0; i < names->n; i++) {
		const struct gap_sum *sum = &names->items[i];
		if (sum->idle_ns <= most_ns)
			continue;
		most_ns = sum->idle_ns;
		to->culprit = text_pool_str(f->texts, sum->blamed);
	}
}

struct fact_share facts_share(const struct advise_facts *f, size_t device,
			      uint64_t causes, int64_t from_ns, int64_t below_ns)
{
	struct charges charges = { .cause_ns = { 0 } };
	struct fact_share share = { .ns = 0 };

	for (size_t i = 0; i < f->blame.gaps.n; i++) {
		const struct gap *gap = &f->blame.gaps.items[i];
		int64_t length_ns = gap->end_ns - gap->start_ns, before_ns = share.ns;
		if (gap->device != device || length_ns < from_ns || length_ns >= below_ns)
			continue;
		int64_t edge_ns = edge_from_ns(&f->window.steps, gap);
		for (uint32_t k = 0; k < gap->npieces; k++) {
			struct gap_piece piece = gap_roots_charge(&f->roots, &f->blame,
								  gap->first_piece + k);
			if (causes >> piece.cause & 1)
				add_share(f, &piece, edge_ns, &charges, &share);
		}
		share.gaps += share.ns > before_ns;
		share.long_ns =
			sum_add(share.long_ns, gap_long_ns(0, share.ns - before_ns));
	}
	name_share(f, &charges, &share);
	for (int i = 0; i < NGAP_CAUSES; i++)
		gap_sums_release(&charges.names[i]);
	return share;
}
