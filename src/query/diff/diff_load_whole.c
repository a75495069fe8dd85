/* Functions, idle time, peaks of memory and steps for a comparison. */
#include "query/diff/diff_load.h"

#include <inttypes.h>

#include "base/arena.h"
#include "query/calls/callgraph.h"
#include "query/gaps/gap_profile.h"
#include "query/gaps/gap_ranks.h"
#include "query/memory/memory_peak.h"
#include "trace/fact.h"
#include "trace/op_memory.h"

static int64_t known_ns(int64_t ns)
{
	return ns == NUMBER_NONE ? 0 : ns;
}

/* Below 0: not counted. */
static int64_t known_calls(const struct callgraph_sums *sums)
{
	return sums->uncounted || sums->calls.n < 0 ? 0 : sums->calls.n;
}

static int64_t amount_of(const struct callgraph_sums *sums, enum diff_metric metric)
{
	if (metric == DIFF_CALLS)
		return known_calls(sums);
	return known_ns(metric == DIFF_TOTAL ? sums->total_ns : sums->self_ns);
}

/* Counts with decimals lose them. */
static int64_t whole(const struct callgraph *g, int64_t amount)
{
	for (int64_t i = 0; i < g->decimals; i++)
		amount /= 10;
	return amount;
}

/* The operators of a trace are functions too, of the file "~". */
static bool is_frame(const struct callgraph *g, const struct callgraph_function *f)
{
	return f->file != CALLGRAPH_NONE && !str_is(callgraph_text(g, f->file), "~");
}

static int add_function(const struct diff_loading *l, const struct scope_profile *profile,
			const struct callgraph *g, const struct callgraph_row *row,
			struct err *err)
{
	const struct diff_place place = { .profile_id = profile->id };
	struct buf name;

	buf_init(&name, SIZE_MAX);
	callgraph_add_name(g, row->function, &name);
	int has = filter_has_name(l->filter, buf_str(&name), err);
	if (has > 0)
		diff_loading_add(l, buf_str(&name), place, known_calls(&row->sums),
				 whole(g, amount_of(&row->sums, l->metric)));
	buf_release(&name);
	return has < 0 ? -1 : 0;
}

static int load_graph(const struct diff_loading *l, const struct scope_profile *profile,
		      bool is_graph, struct err *err)
{
	struct callgraph g;

	callgraph_init(&g);
	int rc = callgraph_load(l->store, profile, l->filter, CALLGRAPH_NAMES, &g, err);
	for (size_t i = 0; rc == 0 && i < g.nrows; i++)
		if (is_graph || is_frame(&g, &g.functions[g.rows[i].function]))
			rc = add_function(l, profile, &g, &g.rows[i], err);
	callgraph_release(&g);
	return rc;
}

static int check_functions(const struct diff_loading *l, bool is_graph, struct err *err)
{
	if (is_graph)
		return filter_check_call_graph(l->filter, err);
	if (!filter_needs_slices(l->filter) && !l->filter->has_steps && !l->steps)
		return 0;
	return err_set(err, ERR_USAGE,
		       "--by function compares whole runs: only --focus and --ignore "
		       "apply");
}

int diff_load_functions(const struct diff_loading *l, struct err *err)
{
	enum scope_kind kind = SCOPE_TRACES;
	int rc = scope_kind(l->scope, &kind, err);
	bool is_graph = kind != SCOPE_TRACES;

	if (rc == 0 && kind == SCOPE_LINES)
		return diff_load_line_functions(l, err);
	if (rc == 0)
		rc = check_functions(l, is_graph, err);
	for (size_t i = 0; i < l->scope->n && rc == 0; i++)
		rc = load_graph(l, &l->scope->profiles[i], is_graph, err);
	if (rc == 0 && is_graph && l->to->n == l->before)
		rc = err_set(err, ERR_EMPTY, "no function matches");
	return rc;
}

/* Where a cause was counted last: a gap is one call, however it is cut. */
struct counted {
	uint32_t gap; /* and 1 */
	size_t step;
};

struct idling {
	const struct diff_loading *l;
	struct gap_profile gaps;
	struct gap_reader reader;
	struct counted counted[NGAP_CAUSES];
};

static void add_amount(struct idling *i, uint32_t gap, const struct gap_amount *amount,
		       size_t step)
{
	struct counted *last = &i->counted[amount->cause];
	bool is_new = last->gap != gap + 1 || (i->l->steps && last->step != step);
	struct diff_place place = { .profile_id = i->gaps.profile->id,
				    .in_step = step != GAP_NO_STEP };

	if (place.in_step)
		place.step = i->gaps.range.steps[step].number;
	diff_loading_add(i->l, str_of(gap_causes[amount->cause].code), place, is_new,
			 i->l->metric == DIFF_CALLS ? is_new : amount->ns);
	*last = (struct counted){ gap + 1, step };
}

static int add_gap(struct idling *i, uint32_t gap, struct err *err)
{
	const struct gap *g = &i->gaps.blame.gaps.items[gap];
	int64_t from_ns = g->start_ns;
	struct gap_amount amount;
	struct gap_part part;
	int rc = 0;

	while (gap_range_next(&i->gaps.range, &from_ns, g->end_ns, &part)) {
		gap_reader_seek(&i->reader, g, part.start_ns, part.end_ns);
		while (rc >= 0 && gap_reader_next(&i->reader, &amount)) {
			rc = gap_profile_wants_blamed(&i->gaps, amount.blamed, err);
			if (rc > 0)
				add_amount(i, gap, &amount, part.step);
		}
	}
	return rc < 0 ? -1 : 0;
}

static int load_idle(const struct diff_loading *l, struct gap_ranks *ranks,
		     const struct scope_profile *profile, struct err *err)
{
	const struct gap_table_request request = { .filter = l->filter };
	struct idling i = { .l = l };
	int rc = gap_profile_load(l->store, profile, &request, ranks, &i.gaps, err);
	const struct gaps *gaps = &i.gaps.blame.gaps;

	if (rc == 0 && l->steps && i.gaps.range.is_merged)
		rc = err_set(
			err, ERR_USAGE,
			"%zu devices have too many steps to compare the idle time of "
			"each; --step N..M compares some, --total all of it",
			i.gaps.work.ndevices);
	gap_profile_read(&i.gaps, GAP_KEY_NONE, &i.reader);
	for (uint32_t g = 0; rc == 0 && g < gaps->n; g++)
		if (gap_profile_wants(&i.gaps, &gaps->items[g]))
			rc = add_gap(&i, g, err);
	gap_reader_close(&i.reader);
	gap_profile_release(&i.gaps);
	return rc;
}

int diff_load_idle(const struct diff_loading *l, struct err *err)
{
	struct text_pool texts;
	struct gap_ranks ranks = { .n = 0 };
	int rc = text_pool_open(l->store, &texts, err);

	if (rc == 0)
		rc = gap_ranks_open(l->store, &texts, l->scope->profiles[0].run, &ranks,
				    err);

	for (size_t i = 0; i < l->scope->n && rc == 0; i++)
		rc = load_idle(l, &ranks, &l->scope->profiles[i], err);
	gap_ranks_close(&ranks);
	text_pool_close(&texts);
	return rc;
}

/*
 * Peaks of allocated memory: a row for each device, as ptool memory has it.  Where totals
 * were not recorded there is none: what the level began with is not known.
 */
struct peaks {
	const struct diff_loading *l;
	const struct scope_profile *profile;
	struct diff_place place;
	struct buf name;
	struct text_pool texts;
	struct summary_reader reader;
};

/* "cuda:0", "cuda:0 of rank 1"; of profiles without ranks their place in the run. */
static void name_row(struct peaks *p, const struct memory_device *device)
{
	const struct scope *scope = p->l->scope;

	buf_clear(&p->name);
	buf_add_text(&p->name, device->name);
	if (scope->n > 1 && p->profile->has_rank)
		buf_addf(&p->name, " of rank %" PRId64, p->profile->rank);
	else if (scope->n > 1)
		buf_addf(&p->name, " of profile %zu",
			 (size_t)(p->profile - scope->profiles) + 1);
}

static bool is_wanted_device(const struct filter *f, const struct memory_device *device)
{
	return f->devices.n == 0 || (!op_memory_is_cpu(device->type) &&
				     filter_has_number(&f->devices, device->index));
}

static int add_peak(void *to, const struct memory_device *device,
		    const struct memory_peak *peak, struct err *err)
{
	struct peaks *p = to;

	if (!device->has_totals || !is_wanted_device(p->l->filter, device))
		return 0;
	name_row(p, device);
	int has = filter_has_name(p->l->filter, buf_str(&p->name), err);
	if (has > 0)
		diff_loading_add(p->l, buf_str(&p->name), p->place, 1,
				 peak->allocated.bytes);
	return has < 0 ? -1 : 0;
}

/* Within the profile's first step when that alone is asked for. */
static int load_peaks(struct peaks *p, struct err *err)
{
	const struct diff_loading *l = p->l;
	struct filter filter = *l->filter; /* what it owns is borrowed */

	p->place = (struct diff_place){ .profile_id = p->profile->id };
	if (l->steps) {
		const struct diff_step *step =
			diff_steps_of_profile(l->steps, p->profile->id);
		if (!step)
			return 0;
		filter.has_steps = true;
		filter.first_step = filter.last_step = step->number;
		p->place.step = step->number;
		p->place.in_step = true;
	}
	return memory_peak_each(&p->reader, p->profile, &filter, add_peak, p, err);
}

static int check_memory(const struct filter *f, struct err *err)
{
	if (!f->categories.n && !f->threads.n && !f->streams.n && !f->has_min_dur)
		return 0;
	return err_set(err, ERR_USAGE,
		       "--by memory takes only --focus, --ignore, --device, --step and "
		       "--time");
}

int diff_load_memory(const struct diff_loading *l, struct err *err)
{
	struct peaks p = { .l = l };
	int rc = check_memory(l->filter, err);

	buf_init(&p.name, SIZE_MAX);
	if (rc == 0)
		rc = text_pool_open(l->store, &p.texts, err);
	if (rc == 0)
		rc = summary_reader_open(l->store, &p.texts, &p.reader, err);
	for (size_t i = 0; i < l->scope->n && rc == 0; i++) {
		p.profile = &l->scope->profiles[i];
		rc = load_peaks(&p, err);
	}
	summary_reader_close(&p.reader);
	text_pool_close(&p.texts);
	buf_release(&p.name);
	return rc;
}

int diff_load_steps(const struct diff_loading *l, struct err *err)
{
	struct arena arena = { 0 };
	struct diff_steps steps;
	int has = 1;

	/* a loader of whole runs is given the first step at most */
	if (diff_steps_load(l->store, l->scope, l->filter, false, &steps, err) < 0) {
		diff_steps_release(&steps);
		return -1;
	}
	for (size_t i = 0; i < steps.n && has >= 0; i++) {
		const struct diff_step *step = &steps.items[i];
		struct str name = str_of(
			arena_printf(&arena, "ProfilerStep#%" PRId64, step->number));
		has = filter_has_name(l->filter, name, err);
		if (has > 0)
			diff_loading_add(l, name,
					 (struct diff_place){ step->profile_id,
							      step->number, true },
					 step->count, step->dur_ns);
	}
	diff_steps_release(&steps);
	arena_release(&arena);
	return has < 0 ? -1 : 0;
}
