/* Blocks of the first screen that are of what the rules have read. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sort.h"
#include "base/sparse.h"
#include "base/sum.h"
#include "query/advise/advise_facts.h"
#include "query/memory/memory_peak.h"
#include "query/overview/overview_make.h"
#include "query/query.h"

#define FINDINGS_SHOWN ((size_t)3)
#define KERNELS_SHOWN  5

static const struct filter no_filter = { .focus = NULL };

static void take_step(struct overview_more *to, const struct steps_profile *p,
		      size_t place)
{
	struct overview_step *step = ARRAY_PUSH(to->steps, to->nsteps, to->steps_cap);

	*step = (struct overview_step){ .number = p->bounds.items[place].number,
					.start_ns = p->bounds.items[place].start_ns,
					.total_ns = steps_value(p, place, VALUE_TOTAL) };
	memcpy(step->category_ns, p->categories[place], sizeof(step->category_ns));
}

/* Recordings that are a step each belong together. */
static void take_steps(struct overview_more *to, const struct steps *steps)
{
	bool is_first = to->nsteps == 0;

	for (size_t i = 0; i < steps->nprofiles; i++) {
		const struct steps_profile *p = &steps->profiles[i];
		if (p->bounds.is_single || !(is_first || p->is_file))
			continue;
		for (size_t k = 0; k < p->nshown; k++)
			take_step(to, p, p->shown[k]);
	}
}

static bool has_phases(const struct steps *steps)
{
	for (size_t i = 0; i < steps->nprofiles; i++)
		for (size_t k = 0; k < steps->profiles[i].bounds.n; k++)
			if (engine_phase_name(
				    steps->profiles[i].bounds.items[k].told.phase))
				return true;
	return false;
}

int overview_add_phases(struct overview_facts *to, struct store *store,
			const struct steps *steps, struct err *err)
{
	struct by_phase by;

	if (to->nphases || !has_phases(steps))
		return 0;
	int rc = by_phase_load(store, steps, &by, err);
	for (size_t i = 0; rc == 0 && i < by.nrows && i < NENGINE_PHASES; i++)
		if (engine_phase_name(by.rows[i].phase))
			to->phases[to->nphases++] = by.rows[i];
	by_phase_release(&by);
	return rc;
}

/* The mean over all steps: of several profiles or devices the first one's. */
static int watch_steps(struct overview_facts *to, struct advise_facts *facts,
		       struct err *err)
{
	const struct steps *steps = facts_steps(facts, err);

	if (!steps)
		return -1;
	const struct step_row *mean = facts_mean(steps);
	if (to->more)
		take_steps(to->more, steps);
	if (!to->has_mean && mean && !mean->is_single) {
		to->mean = *mean;
		to->has_mean = true;
	}
	return overview_add_phases(to, facts->store, steps, err);
}

/* Whatever is charged to roots: as `ptool gaps` has it. */
static int watch_idle(struct overview_facts *to, struct advise_facts *facts,
		      struct err *err)
{
	struct fact_loss loss;

	if (facts_loss(facts, &loss, err) < 0)
		return -1;
	to->idle_ns = sum_add(to->idle_ns, loss.idle_ns);
	to->span_ns = sum_add(to->span_ns, loss.span_ns);
	for (size_t i = 0; i < NGAP_CAUSES; i++)
		to->cause_ns[i] = sum_add(to->cause_ns[i], loss.cause_ns[i]);
	return 0;
}

/* Time by the names of kernels, as `ptool kernels` has it. */
static void watch_kernels(struct overview_facts *to, const struct advise_facts *facts)
{
	const struct device_work *work = &facts->work.work;
	const struct text_pool *texts = facts->texts;
	struct sparse places = {
		.npages = 0
	}; /* uint32_t by name and 1: in kernels, and 1 */

	for (size_t i = 0; i < work->n; i++) {
		const struct work_item *item = &work->items[i];
		bool has_name = item->name != TEXT_NONE;
		if (item->class == CLASS_MEMCPY || item->class == CLASS_MEMSET)
			continue;
		uint32_t *place = SPARSE_AT(&places, uint32_t,
					    has_name ? (size_t)item->name + 1 : 0);
		if (!*place)
			*place = intern_add(&to->kernels,
					    has_name ? text_pool_str(texts, item->name)
						     : STR_LIT("")) +
				 1;
		int64_t *sum = ARRAY_AT(to->kernel_ns, to->kernels_cap, *place - 1);
		int64_t ns = sum_sub(item->end_ns, item->start_ns);
		*sum = sum_add(*sum, ns);
		to->all_kernels_ns = sum_add(to->all_kernels_ns, ns);
	}
	sparse_release(&places);
}

void overview_add_device_name(struct overview_facts *to, const char *name)
{
	if (name)
		intern_add(&to->device_names, str_of(name));
}

void overview_add_device(struct overview_facts *to, const struct scope_profile *profile,
			 struct cell device)
{
	int64_t place = NUMBER_NONE;

	if (device.type == CELL_INT)
		place = device.as.integer;
	else if (device.type == CELL_TEXT)
		place = INT64_MIN + intern_add(&to->ranks, device.as.text);
	to->devices += scope_is_new_rank(&to->ranks, profile, place);
}

static int watch_devices(struct overview_facts *to, struct advise_facts *facts,
			 struct err *err)
{
	const struct device_work *work = facts_work(facts, err);

	if (!work)
		return -1;
	for (size_t i = 0; i < work->ndevices; i++)
		overview_add_device(to, facts->profile,
				    work_device_cell(&work->devices[i]));
	watch_kernels(to, facts);
	if (!work->n)
		return 0;
	const struct device_properties_list *list = facts_properties(facts, err);
	for (size_t i = 0; list && i < list->n; i++)
		overview_add_device_name(to, list->items[i].name);
	return list ? 0 : -1;
}

void overview_add_peak(struct overview_facts *to, const struct memory_device *device,
		       const struct memory_peak *peak)
{
	if (peak->allocated.bytes > 0)
		*ARRAY_PUSH(to->peaks, to->npeaks, to->peaks_cap) =
			(struct overview_peak){ arena_strdup(&to->arena, device->name),
						peak->allocated.bytes };
}

/* The peak of each device, as `ptool memory` has it. */
static int watch_memory(struct overview_facts *to, struct advise_facts *facts,
			struct err *err)
{
	struct memory_peak peak;

	if (!facts->profile->has_memory)
		return 0;
	const struct memory_events *events = facts_memory(facts, err);
	for (size_t i = 0; events && i < events->ndevices; i++) {
		const struct memory_device *device = &events->devices[i];
		if (memory_peak_find(events, device, &no_filter, &peak))
			overview_add_peak(to, device, &peak);
	}
	return events ? 0 : -1;
}

static int watch(void *to, struct advise_facts *facts, struct err *err)
{
	return watch_steps(to, facts, err) < 0 || watch_idle(to, facts, err) < 0 ||
			       watch_devices(to, facts, err) < 0 ||
			       watch_memory(to, facts, err) < 0
		       ? -1
		       : 0;
}

/* Files that are a step each have one mean: as `ptool steps` has it. */
static int sum_up_files(struct overview_making *m, struct err *err)
{
	static const struct steps_request request = { .filter = &no_filter };
	const struct step_row *mean;
	struct steps steps;
	size_t at = 0;

	if (!m->facts.mean.is_file || m->scope->n == 1)
		return 0;
	int rc = steps_load(m->store, m->scope, &request, &steps, err);
	while (rc == 0 && (mean = steps_next_mean(&steps, &at)))
		if (mean->is_file && !mean->is_single) {
			m->facts.mean = *mean;
			break;
		}
	steps_release(&steps);
	return rc;
}

int overview_facts_load(struct overview_making *m, struct err *err)
{
	const struct advise_watcher watcher = { watch, &m->facts };
	struct rule_choice *choices = xcalloc(rule_count(), sizeof(*choices));
	const struct advise_request request = { .choices = choices,
						.n = rule_count(),
						.watcher = &watcher };

	intern_init(&m->facts.kernels);
	intern_init(&m->facts.device_names);
	intern_init(&m->facts.ranks);
	m->facts.more = m->request->more;
	if (scope_lacks_slices(m->scope)) {
		free(choices);
		return overview_parts_load(m, err) < 0 ? -1 : sum_up_files(m, err);
	}
	for (size_t i = 0; i < rule_count(); i++)
		choices[i] = rule_choice_of(rules[i]);
	int rc = 0; /* mprof's slices are functions, of which no rule knows */
	if (!scope_is_sampled_memory(m->scope))
		rc = advise_load(m->store, m->scope, &request, &m->facts.advice, err);
	free(choices);
	return rc < 0 ? -1 : sum_up_files(m, err);
}

void overview_facts_release(struct overview_making *m)
{
	struct overview_facts *facts = &m->facts;

	advice_list_release(&facts->advice);
	intern_release(&facts->kernels);
	intern_release(&facts->device_names);
	intern_release(&facts->ranks);
	free(facts->kernel_ns);
	free(facts->peaks);
	arena_release(&facts->arena);
}

int overview_steps(struct overview_making *m, struct err *err)
{
	const struct step_row *mean = &m->facts.mean;
	const int64_t *values = mean->values;

	(void)err;
	if (!m->facts.has_mean)
		return 0;
	overview_add(m, STR_LIT("steps"), UNIT_COUNT, cell_int(mean->nmean), cell_null());
	overview_add(m, STR_LIT("mean"), UNIT_NS, cell_int(values[VALUE_TOTAL]),
		     cell_null());
	if (m->scope->nranks > 1 && mean->has_rank)
		overview_add(m, STR_LIT("rank"), UNIT_ID, cell_int(mean->rank),
			     cell_null());
	else if (m->scope->n > 1 && mean->profile)
		overview_add(m, STR_LIT("profile"), UNIT_ID, cell_int(mean->profile->id),
			     cell_null());
	for (enum step_category c = 0; c < NSTEP_CATEGORIES; c++)
		if (values[VALUE_CATEGORY + c])
			overview_add(m, str_of(steps_category_name(c)), UNIT_NS,
				     cell_int(values[VALUE_CATEGORY + c]),
				     share_cell(values[VALUE_CATEGORY + c],
						values[VALUE_TOTAL]));
	return 0;
}

/* Of each phase its steps, and the time of one. */
int overview_phases(struct overview_making *m, struct err *err)
{
	int64_t total_ns = 0;

	(void)err;
	for (size_t i = 0; i < m->facts.nphases; i++)
		total_ns = sum_add(total_ns, m->facts.phases[i].total_ns);
	for (size_t i = 0; i < m->facts.nphases; i++) {
		const struct phase_row *row = &m->facts.phases[i];
		overview_add(m, str_of(engine_phase_name(row->phase)), UNIT_COUNT,
			     cell_int(row->steps), share_cell(row->total_ns, total_ns));
		overview_add(m,
			     row->phase == ENGINE_DECODE ? STR_LIT("TPOT")
							 : STR_LIT("mean"),
			     UNIT_NS, cell_int(row->total_ns / row->steps), cell_null());
	}
	return 0;
}

struct idle_cause {
	enum gap_cause cause;
	int64_t ns;
};

static int by_most_idle(const void *a, const void *b)
{
	const struct idle_cause *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return (x->cause > y->cause) - (x->cause < y->cause);
}

int overview_idle(struct overview_making *m, struct err *err)
{
	int64_t idle_ns = m->facts.idle_ns, span_ns = m->facts.span_ns;
	struct idle_cause causes[NGAP_CAUSES];

	(void)err;
	if (idle_ns == 0)
		return 0;
	for (size_t i = 0; i < NGAP_CAUSES; i++)
		causes[i] =
			(struct idle_cause){ (enum gap_cause)i, m->facts.cause_ns[i] };
	qsort(causes, NGAP_CAUSES, sizeof(*causes), by_most_idle);
	overview_add(m, STR_LIT("busy"), UNIT_NS, cell_int(sum_sub(span_ns, idle_ns)),
		     share_cell(sum_sub(span_ns, idle_ns), span_ns));
	overview_add(m, STR_LIT("idle"), UNIT_NS, cell_int(idle_ns),
		     share_cell(idle_ns, span_ns));
	for (size_t i = 0; i < NGAP_CAUSES && causes[i].ns; i++)
		overview_add(m, str_of(gap_causes[causes[i].cause].title), UNIT_NS,
			     cell_int(causes[i].ns), share_cell(causes[i].ns, idle_ns));
	return 0;
}

/* Longest first, then by name. */
static bool kernel_before(const void *context, uint32_t a, uint32_t b)
{
	const struct overview_facts *f = context;

	if (f->kernel_ns[a] != f->kernel_ns[b])
		return f->kernel_ns[a] > f->kernel_ns[b];
	return str_compare(intern_str(&f->kernels, a), intern_str(&f->kernels, b)) < 0;
}

int overview_kernels(struct overview_making *m, struct err *err)
{
	const struct overview_facts *f = &m->facts;
	uint32_t *order = sorted_places(f->kernels.n, kernel_before, f);

	(void)err;
	for (size_t i = 0; i < f->kernels.n && i < KERNELS_SHOWN; i++)
		overview_add(m, intern_str(&f->kernels, order[i]), UNIT_NS,
			     cell_int(f->kernel_ns[order[i]]),
			     share_cell(f->kernel_ns[order[i]], f->all_kernels_ns));
	free(order);
	return 0;
}

int overview_memory(struct overview_making *m, struct err *err)
{
	for (size_t i = 0; i < m->facts.npeaks; i++)
		overview_add(m, str_of(m->facts.peaks[i].device), UNIT_BYTES,
			     cell_int(m->facts.peaks[i].bytes), cell_null());
	return overview_sampled_memory(m, err);
}

/* Others of the rule stand below it in `ptool advise`. */
static bool is_told(const struct advice *const *told, size_t n, const struct advice *a)
{
	for (size_t i = 0; i < n; i++)
		if (told[i]->rule == a->rule && told[i]->about == a->about)
			return true;
	return false;
}

int overview_findings(struct overview_making *m, struct err *err)
{
	const struct advice_list *list = &m->facts.advice;
	const struct advice *told[FINDINGS_SHOWN];

	(void)err;
	for (size_t i = 0, n = 0; i < list->n && n < FINDINGS_SHOWN; i++) {
		const struct advice *a = &list->items[i];
		if (is_told(told, n, a))
			continue;
		told[n++] = a;
		overview_add(m, str_of(advice_severity_name(a->severity)), UNIT_TEXT,
			     cell_text(str_of(arena_printf(&m->out->arena, "%s: %s",
							   a->rule->title, a->finding))),
			     cell_null());
	}
	return 0;
}
