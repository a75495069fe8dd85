/* The idle time of one profile: see gap_profile.h. */
#include "query/gaps/gap_profile.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/sum.h"

static int device_wanted(const struct gap_profile *p, uint32_t device)
{
	return !p->filter ||
	       filter_has_number(&p->filter->devices, p->work.devices[device].device);
}

/* The gap after the last work is of no stream. */
static bool stream_wanted(const struct gap_profile *p, const struct gap *gap)
{
	if (gap->after == GAP_NO_WORK)
		return p->filter->streams.n == 0;
	const struct work_item *after = &p->work.items[gap->after];
	return filter_has_number(&p->filter->streams,
				 p->work.streams[after->stream].stream);
}

bool gap_profile_wants(const struct gap_profile *p, const struct gap *gap)
{
	if (!p->filter)
		return true;
	return p->totals[gap->device].is_wanted && stream_wanted(p, gap) &&
	       filter_has_dur(p->filter, gap->end_ns - gap->start_ns);
}

uint32_t gap_stream_of(const struct gap_profile *p, const struct gap *gap)
{
	return gap->after == GAP_NO_WORK ? (uint32_t)p->work.nstreams
					 : p->work.items[gap->after].stream;
}

uint32_t gap_key_of(const struct gap_profile *p, enum gap_by by, const struct gap *gap,
		    const struct gap_amount *amount, size_t step)
{
	switch (by) {
	case GAPS_BY_OP:
		return amount->of->op;
	case GAPS_BY_FRAME:
		return amount->of->frame;
	case GAPS_BY_ANNOTATION:
		return amount->of->annotation;
	case GAPS_BY_STEP: /* what is in no step behind those that are */
		return (uint32_t)(step == GAP_NO_STEP ? p->range.nsteps : step);
	case GAPS_BY_STREAM:
		return gap_stream_of(p, gap);
	case GAPS_BY_CAUSE:
		break;
	}
	return amount->cause;
}

void gap_profile_read(const struct gap_profile *p, enum gap_key key,
		      struct gap_reader *out)
{
	gap_reader_open(out, &p->blame, p->has_roots ? &p->roots : NULL, key);
}

int gap_profile_wants_blamed(const struct gap_profile *p, uint32_t blamed,
			     struct err *err)
{
	if (!p->filter || (!p->filter->focus && !p->filter->ignore))
		return 1;
	return filter_has_name(p->filter, text_pool_str(p->texts, blamed), err);
}

/* From the first work of the device to its last. */
static struct interval device_span(const struct gap_profile *p, uint32_t device)
{
	int64_t start_ns = p->work.items[p->work.devices[device].first].start_ns;

	return (struct interval){ start_ns, start_ns + p->blame.gaps.span_ns[device] };
}

/* What counts in each step, and in no step, is added to by_step. */
static void add_parts(struct gap_profile *p, const struct gap *g, int64_t *by_step)
{
	struct gap_total *total = &p->totals[g->device];
	int64_t from_ns = g->start_ns;
	struct gap_part part;
	bool counts = false;

	while (gap_range_next(&p->range, &from_ns, g->end_ns, &part)) {
		size_t step = part.step == GAP_NO_STEP ? p->range.nsteps : part.step;
		int64_t ns = sum_sub(part.end_ns, part.start_ns);
		by_step[step] = sum_add(by_step[step], ns);
		total->idle_ns = sum_add(total->idle_ns, ns);
		if (part.step != GAP_NO_STEP)
			total->stepped_ns = sum_add(total->stepped_ns, ns);
		counts = true;
	}
	total->gaps += counts;
}

/* What counts of the device's time: in a window, or with --inner in its span. */
static void find_window(const struct gap_profile *p, uint32_t device,
			struct intervals *out)
{
	struct interval span = device_span(p, device);
	const struct intervals *wanted = &p->range.wanted;

	if (p->range.is_inner) {
		intervals_within(wanted, span.start_ns, span.end_ns, out);
		return;
	}
	*out = (struct intervals){ .n = 0 };
	for (size_t i = 0; i < wanted->n; i++)
		intervals_add(out, wanted->items[i].start_ns, wanted->items[i].end_ns);
	intervals_unite(out);
}

/* When the device was idle, by the union of its work alone. */
static void find_idle(struct gap_profile *p, uint32_t device, struct intervals *idle)
{
	struct gap_total *total = &p->totals[device];
	struct interval span = device_span(p, device);
	struct intervals busy, window, all, outside;

	device_work_union(&p->work, &p->work.devices[device], WORK_ALL, &busy);
	find_window(p, device, &window);
	intervals_subtract(&window, &busy, idle);
	total->span_ns = intervals_length(&window);
	if (p->range.is_all && !p->range.is_inner) {
		struct intervals whole = { .n = 0 };
		intervals_add(&whole, span.start_ns, span.end_ns);
		intervals_subtract(&whole, &busy, &all);
		intervals_subtract(&all, &p->range.windows, &outside);
		total->outside_ns = intervals_length(&outside);
		intervals_release(&whole);
		intervals_release(&all);
		intervals_release(&outside);
	}
	intervals_release(&busy);
	intervals_release(&window);
}

static int does_not_add_up(const char *of, int64_t number, struct err *err)
{
	return err_set(err, ERR_INPUT,
		       "the blame does not add up to the idle time of %s %" PRId64, of,
		       number);
}

static int check_device(struct gap_profile *p, uint32_t device, const int64_t *by_step,
			struct err *err)
{
	struct gap_total *total = &p->totals[device];
	struct intervals idle;
	int rc = 0;

	find_idle(p, device, &idle);
	if (intervals_length(&idle) != total->idle_ns)
		rc = does_not_add_up("device", p->work.devices[device].device, err);
	for (size_t i = 0; rc == 0 && i < p->range.nsteps; i++) {
		const struct gap_step *step = &p->range.steps[i];
		int64_t idle_ns = step->start_ns < step->end_ns
					  ? intervals_length_within(&idle, step->start_ns,
								    step->end_ns)
					  : 0;
		if (idle_ns != by_step[i])
			rc = does_not_add_up("step", step->number, err);
	}
	intervals_release(&idle);
	return rc;
}

/* Steps of which something counts. */
static int64_t count_steps(const struct gap_profile *p, uint32_t device)
{
	struct intervals window;
	int64_t n = 0;

	find_window(p, device, &window);
	for (size_t i = 0; i < p->range.nsteps; i++) {
		const struct gap_step *step = &p->range.steps[i];
		n += step->start_ns < step->end_ns &&
		     intervals_length_within(&window, step->start_ns, step->end_ns) > 0;
	}
	intervals_release(&window);
	return n;
}

static int add_up(struct gap_profile *p, struct err *err)
{
	int64_t *by_step = xcalloc(p->range.nsteps + 1, sizeof(*by_step));
	size_t gap = 0;
	int rc = 0;

	for (uint32_t device = 0; rc == 0 && device < p->work.ndevices; device++) {
		for (size_t i = 0; i <= p->range.nsteps; i++)
			by_step[i] = 0;
		for (; gap < p->blame.gaps.n && p->blame.gaps.items[gap].device == device;
		     gap++)
			add_parts(p, &p->blame.gaps.items[gap], by_step);
		rc = check_device(p, device, by_step, err);
		p->totals[device].steps = count_steps(p, device);
		p->totals[device].is_wanted = device_wanted(p, device);
	}
	free(by_step);
	return rc;
}

/* Names that are left out cannot be chosen by. */
static int check_names(const struct gap_profile *p, struct err *err)
{
	if (!(p->blame.left_out >> GAP_KEY_NONE & 1) || !p->filter ||
	    (!p->filter->focus && !p->filter->ignore))
		return 0;
	return err_set(err, ERR_USAGE,
		       "%zu devices wait for too many names to choose by them; --time or "
		       "--step leaves fewer",
		       p->work.ndevices);
}

/* Behind the work. */
static int find_blame(struct store *store, const struct gap_table_request *request,
		      struct gap_ranks *ranks, struct gap_profile *out, struct err *err)
{
	bool has_roots =
		request->charges_roots || (request->is_list && !request->is_brief);
	const struct gap_range_request range = { .store = store,
						 .profile = out->profile,
						 .work = &out->work,
						 .filter = request->filter,
						 .is_inner = request->is_inner };
	if (gap_range_load(&range, &out->range, err) < 0)
		return -1;
	const struct gap_blame_request blame = { .store = store,
						 .texts = out->texts,
						 .profile = out->profile,
						 .work = &out->work,
						 .range = &out->range,
						 .has_roots = has_roots };
	if (gap_blame_load(&blame, &out->blame, err) < 0)
		return -1;
	gap_ranks_charge(ranks, out->profile, &out->blame);
	gap_kinds_limit(&out->blame, &out->range);
	if (check_names(out, err) < 0)
		return -1;
	if (gap_blame_check(&out->blame, err) < 0)
		return -1;
	out->has_roots = request->charges_roots;
	if (has_roots)
		gap_roots_find(&out->blame, &out->roots);
	out->totals = xcalloc(out->work.ndevices + 1, sizeof(*out->totals));
	return add_up(out, err);
}

int gap_profile_load(struct store *store, const struct scope_profile *profile,
		     const struct gap_table_request *request, struct gap_ranks *ranks,
		     struct gap_profile *out, struct err *err)
{
	*out = (struct gap_profile){ .profile = profile,
				     .filter = request->filter,
				     .texts = ranks->texts };
	if (device_work_load(store, out->texts, profile, true, &out->work, err) < 0)
		return -1;
	return find_blame(store, request, ranks, out, err);
}

int gap_profile_make(struct store *store, const struct device_work *work,
		     const struct gap_table_request *request, struct gap_ranks *ranks,
		     struct gap_profile *out, struct err *err)
{
	*out = (struct gap_profile){ .profile = out->profile,
				     .filter = request->filter,
				     .texts = ranks->texts,
				     .work = *work,
				     .has_others_work = true };
	return find_blame(store, request, ranks, out, err);
}

void gap_profile_release(struct gap_profile *p)
{
	gap_roots_release(&p->roots);
	gap_blame_release(&p->blame);
	gap_range_release(&p->range);
	if (!p->has_others_work)
		device_work_release(&p->work);
	free(p->totals);
	*p = (struct gap_profile){ .totals = NULL };
}
