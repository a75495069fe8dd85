/*
 * Steps as a view: for machines one table, for people shares of the step and, below
 * them, what the device did.  A device's cells are null where there is no device, a
 * phase's where nothing tells it; the categories always add up to the step.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/sum.h"
#include "query/query.h"
#include "query/steps/steps.h"
#include "query/view.h"

/* What a request's `asked` has bits for. */
#define BY_CATEGORY 1u
#define BY_PHASE    2u

/* Of a table for people, before other devices than the first show their means alone. */
#define ROWS_MOST 10000

/* The row that was asked for last. */
struct shown_row {
	struct steps_at at;
	struct step_row row;
	char number[24];
};

/* Rows are handed round as their places. */
struct showing {
	const struct steps *steps;
	struct shown_row *shown;
	bool phases;
};

static const struct step_row *row_of(const void *from, const void *row)
{
	const struct showing *s = from;
	const struct steps_at *at = row;
	struct shown_row *shown = s->shown;

	if (at->series != shown->at.series || at->row != shown->at.row ||
	    at->of_files != shown->at.of_files) {
		steps_row(s->steps, at, &shown->row);
		shown->at = *at;
	}
	return &shown->row;
}

/* A member that means have too, */
static struct cell get_int(const void *from, const void *row, int offset)
{
	return view_int64(from, row_of(from, row), offset);
}

/* and one of a step alone. */
static struct cell get_own(const void *from, const void *row, int offset)
{
	return row_of(from, row)->is_mean ? cell_null() : get_int(from, row, offset);
}

static struct cell get_flag(const void *from, const void *row, int offset)
{
	const char *flag = (const char *)row_of(from, row) + offset;

	return row_of(from, row)->is_mean ? cell_null() : cell_int(*(const bool *)flag);
}

static struct cell get_profile(const void *from, const void *row, int arg)
{
	const struct scope_profile *profile = row_of(from, row)->profile;

	(void)arg;
	return profile ? cell_int(profile->id) : cell_null();
}

static struct cell get_rank(const void *from, const void *row, int arg)
{
	(void)arg;
	return row_of(from, row)->has_rank ? cell_int(row_of(from, row)->rank)
					   : cell_null();
}

static struct cell get_device(const void *from, const void *row, int arg)
{
	const struct step_row *r = row_of(from, row);

	(void)arg;
	if (!r->has_device)
		return cell_null();
	return r->device != NUMBER_NONE ? cell_int(r->device)
					: cell_text_or_null(r->device_name);
}

/* "mean" among numbers; `mark`: for people, one that a note explains. */
static struct cell get_step(const void *from, const void *row, int mark)
{
	const struct showing *s = from;
	const struct step_row *r = row_of(from, row);
	const char *text = !mark ? "" : r->is_dropped ? "*" : r->mark.is_long ? "!" : "";
	char *number = s->shown->number;

	if (r->is_mean)
		return cell_text(STR_LIT("mean"));
	snprintf(number, sizeof(s->shown->number), "%" PRId64 "%s", r->number, text);
	return cell_text(str_of(number));
}

static struct cell get_told(const void *from, const void *row, int offset)
{
	return row_of(from, row)->is_mean ? cell_null()
					  : view_number(from, row_of(from, row), offset);
}

static struct cell get_told_phase(const void *from, const void *row, int arg)
{
	const struct step_row *r = row_of(from, row);

	(void)arg;
	return r->is_mean ? cell_null()
			  : cell_text_or_null(engine_phase_name(r->told.phase));
}

static struct cell get_share(const void *from, const void *row, int value)
{
	const struct step_row *r = row_of(from, row);

	return share_cell(r->values[value], r->values[VALUE_TOTAL]);
}

static struct cell get_of_device(const void *from, const void *row, int value)
{
	return row_of(from, row)->has_device ? cell_int(row_of(from, row)->values[value])
					     : cell_null();
}

static struct cell get_busy(const void *from, const void *row, int arg)
{
	const int64_t *values = row_of(from, row)->values;

	(void)arg;
	return row_of(from, row)->has_device
		       ? cell_int(sum_sub(values[VALUE_TOTAL], values[VALUE_IDLE]))
		       : cell_null();
}

static struct cell get_utilization(const void *from, const void *row, int arg)
{
	struct cell share = get_share(from, row, VALUE_IDLE);

	(void)arg;
	return row_of(from, row)->has_device && share.type == CELL_REAL
		       ? cell_real(100 - share.as.real)
		       : cell_null();
}

/* What nothing tells is not known; the rest of a step always is. */
static bool is_told(const void *from, const void *row, int phase)
{
	return phase == STEP_PHASE_OTHER || row_of(from, row)->sources[phase];
}

static struct cell get_phase(const void *from, const void *row, int phase)
{
	return is_told(from, row, phase)
		       ? cell_int(row_of(from, row)->values[VALUE_PHASE + phase])
		       : cell_null();
}

static struct cell get_phase_share(const void *from, const void *row, int phase)
{
	return is_told(from, row, phase) ? get_share(from, row, VALUE_PHASE + phase)
					 : cell_null();
}

static struct cell get_other(const void *from, const void *row, int arg)
{
	const struct showing *s = from;
	int value =
		s->phases ? VALUE_PHASE + STEP_PHASE_OTHER : VALUE_CATEGORY + STEP_OTHER;

	(void)arg;
	return cell_int(row_of(from, row)->values[value]);
}

static struct cell get_device_phase(const void *from, const void *row, int phase)
{
	return row_of(from, row)->has_work && is_told(from, row, phase)
		       ? cell_int(row_of(from, row)->values[VALUE_DEVICE_PHASE + phase])
		       : cell_null();
}

static struct cell get_source(const void *from, const void *row, int phase)
{
	return cell_text_or_null(row_of(from, row)->sources[phase]);
}

static struct cell get_grew(const void *from, const void *row, int arg)
{
	const struct step_row *r = row_of(from, row);

	(void)arg;
	return r->mark.is_long ? cell_text_or_null(steps_category_name(r->mark.grew))
			       : cell_null();
}

static struct cell get_if_long(const void *from, const void *row, int offset)
{
	return row_of(from, row)->mark.is_long ? get_int(from, row, offset) : cell_null();
}

static struct cell get_grew_slice(const void *from, const void *row, int arg)
{
	(void)arg;
	return cell_text_or_null(row_of(from, row)->mark.grew_slice);
}

static struct cell get_grew_slice_ns(const void *from, const void *row, int arg)
{
	(void)arg;
	return row_of(from, row)->mark.grew_slice
		       ? cell_int(row_of(from, row)->mark.grew_slice_ns)
		       : cell_null();
}

static struct cell get_bounds(const void *from, const void *row, int arg)
{
	const struct step_row *r = row_of(from, row);

	(void)arg;
	if (r->bounds == BOUNDS_TENSORBOARD)
		return cell_text(STR_LIT("tensorboard"));
	return cell_text(r->is_windowed ? STR_LIT("device") : STR_LIT("host"));
}

#define ROW(how, member)  .get = (how), .arg = offsetof(struct step_row, member)
#define VALUE(value)      ROW(get_int, values) + (int)((value) * sizeof(int64_t))
#define GET(how, what)    .get = (how), .arg = (int)(what)
#define CATEGORY(of)      (VALUE_CATEGORY + (of))
#define ON_DEVICE(of)     GET(get_of_device, VALUE_DEVICE_VIEW + (of))
#define PHASE(how, phase) GET(how, STEP_PHASE_##phase), .needs = BY_PHASE
#define STEPS             .needs = BY_CATEGORY
#define PEOPLE            .flags = FIELD_PEOPLE

/* clang-format off */
static const struct field fields[] = {
	{ "profile", "Profile", "number of the profile", NULL, UNIT_ID, .get = get_profile, .flags = FIELD_PROFILE },
	{ "rank", "Rank", "rank of the file", NULL, UNIT_ID, .get = get_rank, .flags = FIELD_KEY },
	{ "device", "Device", "device by number, or its name", NULL, UNIT_ID, .get = get_device, STEPS, .flags = FIELD_KEY },
	{ "number", NULL, "number of the step", "step", UNIT_ID, ROW(get_own, number), .flags = FIELD_SORT | FIELD_KEY },
	{ "step", NULL, "number of the step, or 'mean'", NULL, UNIT_TEXT, GET(get_step, false), .flags = FIELD_NO_SORT | FIELD_KEY },
	{ "people_step", "Step", NULL, NULL, UNIT_TEXT, GET(get_step, true), PEOPLE },
	{ "start_ns", NULL, "start, from the first event of the file", NULL, UNIT_TIME, ROW(get_own, start_ns) },
	{ "total_ns", "Total", "length of the step", "time duration", UNIT_NS, VALUE(VALUE_TOTAL) },
	{ "kernel_ns", NULL, "kernels, and work of other accelerators, that are not of the next three", NULL, UNIT_NS, VALUE(CATEGORY(STEP_KERNEL)), STEPS },
	{ "kernel_pct", "Kernel%", NULL, NULL, UNIT_PERCENT, GET(get_share, CATEGORY(STEP_KERNEL)), PEOPLE },
	{ "memcpy_ns", NULL, "copies, those that ROCm and MTIA show as kernels too", NULL, UNIT_NS, VALUE(CATEGORY(STEP_MEMCPY)), STEPS },
	{ "memcpy_pct", "Memcpy%", NULL, NULL, UNIT_PERCENT, GET(get_share, CATEGORY(STEP_MEMCPY)), PEOPLE, .leaves = 2 },
	{ "memset_ns", NULL, "sets of memory, likewise", NULL, UNIT_NS, VALUE(CATEGORY(STEP_MEMSET)), STEPS },
	{ "memset_pct", "Memset%", NULL, NULL, UNIT_PERCENT, GET(get_share, CATEGORY(STEP_MEMSET)), PEOPLE, .leaves = 3 },
	{ "communication_ns", NULL, "collectives: kernels by their names, and nccl:..., gloo:... and the like on the host", NULL, UNIT_NS, VALUE(CATEGORY(STEP_COMMUNICATION)), STEPS },
	{ "communication_pct", "Comm%", NULL, NULL, UNIT_PERCENT, GET(get_share, CATEGORY(STEP_COMMUNICATION)), PEOPLE },
	{ "runtime_ns", NULL, "calls of the device's runtime and driver", NULL, UNIT_NS, VALUE(CATEGORY(STEP_RUNTIME)), STEPS },
	{ "runtime_pct", "Runtime%", NULL, NULL, UNIT_PERCENT, GET(get_share, CATEGORY(STEP_RUNTIME)), PEOPLE },
	{ "dataloader_ns", NULL, "enumerate(DataLoader)#...__next__ and enumerate(DataPipe)#...", NULL, UNIT_NS, VALUE(CATEGORY(STEP_DATA_LOADING)), STEPS },
	{ "dataloader_pct", "Data%", NULL, NULL, UNIT_PERCENT, GET(get_share, CATEGORY(STEP_DATA_LOADING)), PEOPLE },
	{ "cpu_exec_ns", NULL, "all other operators and labels of the host but the steps, and no Python frames", NULL, UNIT_NS, VALUE(CATEGORY(STEP_OPERATORS)), STEPS },
	{ "cpu_exec_pct", "CPU%", NULL, NULL, UNIT_PERCENT, GET(get_share, CATEGORY(STEP_OPERATORS)), PEOPLE },
	{ "data_loading_ns", NULL, "labels, else the ranges of DataLoader, with --phases", NULL, UNIT_NS, PHASE(get_phase, DATA) },
	{ "data_loading_pct", "Data%", NULL, NULL, UNIT_PERCENT, PHASE(get_phase_share, DATA), PEOPLE },
	{ "host_to_device_ns", NULL, "calls that copy to a device, with the aten::to or aten::copy_ around them, with --phases", NULL, UNIT_NS, PHASE(get_phase, TO_DEVICE) },
	{ "host_to_device_pct", "Copy calls%", NULL, NULL, UNIT_PERCENT, PHASE(get_phase_share, TO_DEVICE), PEOPLE },
	{ "forward_ns", NULL, "labels, else operators with a sequence number for autograd, with --phases", NULL, UNIT_NS, PHASE(get_phase, FORWARD) },
	{ "forward_pct", "Forward%", NULL, NULL, UNIT_PERCENT, PHASE(get_phase_share, FORWARD), PEOPLE },
	{ "backward_ns", NULL, "labels, else the operators of the autograd engine, with --phases", NULL, UNIT_NS, PHASE(get_phase, BACKWARD) },
	{ "backward_pct", "Backward%", NULL, NULL, UNIT_PERCENT, PHASE(get_phase_share, BACKWARD), PEOPLE },
	{ "optimizer_ns", NULL, "labels, else Optimizer.step#... and Optimizer.zero_grad#..., with --phases", NULL, UNIT_NS, PHASE(get_phase, OPTIMIZER) },
	{ "optimizer_pct", "Optimizer%", NULL, NULL, UNIT_PERCENT, PHASE(get_phase_share, OPTIMIZER), PEOPLE },
	{ "no_phase_pct", "Other%", NULL, NULL, UNIT_PERCENT, PHASE(get_phase_share, OTHER), PEOPLE, .leaves = 1 },
	{ "other_ns", NULL, "the rest of the step", NULL, UNIT_NS, .get = get_other },
	{ "other_pct", "Other%", NULL, NULL, UNIT_PERCENT, GET(get_share, CATEGORY(STEP_OTHER)), PEOPLE, .leaves = 1 },
	{ "gpu_busy_ns", "Busy", "time in which any stream of the device ran work", "busy", UNIT_NS, .get = get_busy, STEPS, .leaves = 2 },
	{ "gpu_idle_ns", "Idle", "the rest of the step: what ptool gaps explains", "idle", UNIT_NS, GET(get_of_device, VALUE_IDLE), STEPS },
	{ "gpu_compute_ns", "Compute", "time in which kernels ran that are neither collectives nor copies", "compute", UNIT_NS, ON_DEVICE(VIEW_COMPUTE), STEPS },
	{ "exposed_comm_ns", "Comm", "time in which collectives ran and nothing computed", NULL, UNIT_NS, ON_DEVICE(VIEW_EXPOSED_COMM), STEPS },
	{ "exposed_copy_ns", "Copies", "time in which only copies and sets ran", NULL, UNIT_NS, ON_DEVICE(VIEW_EXPOSED_COPY), STEPS },
	{ "host_start_ns", NULL, "start of the host's range, whatever the bounds", NULL, UNIT_TIME, ROW(get_own, host_start_ns), STEPS },
	{ "host_ns", NULL, "length of the host's range", NULL, UNIT_NS, ROW(get_own, values[VALUE_HOST]), STEPS },
	{ "device_events", NULL, "number of kernels, copies and sets that ran in the step (of moved bounds: that it launched), on all devices", "events", UNIT_COUNT, ROW(get_own, nwork), STEPS },
	{ "is_dropped", NULL, "1: left out of the mean, and by the TensorBoard plugin", NULL, UNIT_BOOL, ROW(get_flag, is_dropped), STEPS },
	{ "is_long", NULL, "1: it took much longer than the median step", NULL, UNIT_BOOL, ROW(get_flag, mark.is_long), STEPS },
	{ "grew", NULL, "the category that grew most in a long step", NULL, UNIT_TEXT, .get = get_grew, STEPS },
	{ "grew_ns", NULL, "time of that category above its median", NULL, UNIT_NS, ROW(get_if_long, mark.grew_ns), STEPS },
	{ "grew_slice", NULL, "what the host did longer in a long step", NULL, UNIT_TEXT, .get = get_grew_slice, STEPS },
	{ "grew_slice_ns", NULL, "how far its self time is above the mean of the other steps", NULL, UNIT_NS, .get = get_grew_slice_ns, STEPS },
	{ "grew_unrecorded_ns", NULL, "how much more time of that thread was in no slice", NULL, UNIT_NS, ROW(get_if_long, mark.grew_unrecorded_ns), STEPS },
	{ "utilization_pct", "Util%", "share of the step in which the device is busy", "utilization", UNIT_PERCENT, .get = get_utilization, STEPS, .leaves = 3 },
	{ "bounds", NULL, "bounds of the step: host, tensorboard, or device: an engine's step, with the work it launched", NULL, UNIT_TEXT, .get = get_bounds, STEPS },
	{ "gpu_data_loading_ns", "Data", "device work launched while loading data, with --phases", NULL, UNIT_NS, PHASE(get_device_phase, DATA), .leaves = 3 },
	{ "gpu_host_to_device_ns", "Copies", "device work launched in copy calls, with --phases", NULL, UNIT_NS, PHASE(get_device_phase, TO_DEVICE) },
	{ "gpu_forward_ns", "Forward", "device work launched in the forward pass, with --phases", NULL, UNIT_NS, PHASE(get_device_phase, FORWARD) },
	{ "gpu_backward_ns", "Backward", "device work launched in the backward pass, with --phases", NULL, UNIT_NS, PHASE(get_device_phase, BACKWARD) },
	{ "gpu_optimizer_ns", "Optimizer", "device work launched by the optimizer, with --phases", NULL, UNIT_NS, PHASE(get_device_phase, OPTIMIZER) },
	{ "gpu_other_ns", "Other", "device work launched in no phase, with --phases", NULL, UNIT_NS, PHASE(get_device_phase, OTHER), .leaves = 1 },
	{ "data_loading_from", NULL, "how data loading was recognized, with --phases", NULL, UNIT_TEXT, PHASE(get_source, DATA) },
	{ "host_to_device_from", NULL, "how copy calls were recognized, with --phases", NULL, UNIT_TEXT, PHASE(get_source, TO_DEVICE) },
	{ "forward_from", NULL, "how the forward pass was recognized, with --phases", NULL, UNIT_TEXT, PHASE(get_source, FORWARD) },
	{ "backward_from", NULL, "how the backward pass was recognized, with --phases", NULL, UNIT_TEXT, PHASE(get_source, BACKWARD) },
	{ "optimizer_from", NULL, "how the optimizer was recognized, with --phases", NULL, UNIT_TEXT, PHASE(get_source, OPTIMIZER) },
	{ "phase", "Phase", "phase of the step, by its annotation: prefill, decode, mixed or other", NULL, UNIT_TEXT, .get = get_told_phase },
	{ "requests", "Requests", "requests in its batch, likewise", NULL, UNIT_COUNT, ROW(get_told, told.requests), .leaves = 5 },
	{ "tokens", "Tokens", "tokens that the model processes in it", NULL, UNIT_COUNT, ROW(get_told, told.tokens), .leaves = 4 },
	{ "context_tokens", NULL, "tokens in the attention's context", NULL, UNIT_COUNT, ROW(get_told, told.context_tokens) },
	{ .name = NULL },
};
/* clang-format on */

const struct view steps_view = { .name = "steps", .fields = fields, .is_form = true };

#define WHERE "profile? rank? "

static const struct view_part categories[] = {
	{ NULL, WHERE
	  "people_step phase requests tokens total_ns kernel_pct memcpy_pct memset_pct "
	  "communication_pct runtime_pct dataloader_pct cpu_exec_pct other_pct" },
	{ .fields = NULL },
};

static const struct view_part phases[] = {
	{ NULL, WHERE
	  "people_step phase requests tokens total_ns data_loading_pct host_to_device_pct "
	  "forward_pct backward_pct optimizer_pct no_phase_pct" },
	{ .fields = NULL },
};

/* Below these, when a device did anything. */
static const struct view_part devices[] = {
	{ "Device time (Comm and Copies: only while nothing computes)",
	  WHERE "device? people_step utilization_pct gpu_busy_ns gpu_idle_ns "
		"gpu_compute_ns exposed_comm_ns exposed_copy_ns" },
	{ .fields = NULL },
};

static const struct view_part device_phases[] = {
	{ "Device time of what each phase launched",
	  WHERE "people_step gpu_data_loading_ns gpu_host_to_device_ns gpu_forward_ns "
		"gpu_backward_ns gpu_optimizer_ns gpu_other_ns" },
	{ .fields = NULL },
};

/* Places of the rows that are shown. */
struct choice {
	struct steps_at *items; /* owned */
	size_t n, cap;
	size_t nmeans; /* devices of which only the mean is there */
};

/* The items in the order that is asked for, but means behind the steps. */
static void sort_items(struct choice *c, const struct showing *from,
		       struct view_request *show)
{
	struct steps_at *copy = xrealloc_array(NULL, c->n + 1, sizeof(*copy));
	size_t nsteps = 0, nmeans = 0;

	if (!show->sort && !show->reverse) {
		free(copy);
		return;
	}
	for (size_t i = 0; i < c->n; i++)
		if (!steps_at_mean(from->steps, &c->items[i]))
			copy[nsteps++] = c->items[i];
	for (size_t i = 0; i < c->n; i++)
		if (steps_at_mean(from->steps, &c->items[i]))
			copy[nsteps + nmeans++] = c->items[i];
	const struct view_rows steps = { from, copy, nsteps, sizeof(*copy) };
	uint32_t *order = view_order(&steps_view, &steps, show);
	for (size_t i = 0; i < c->n; i++)
		c->items[i] = copy[i < nsteps ? order[i] : i];
	free(order);
	free(copy);
	show->is_sorted = true;
	show->reverse = false;
}

/* Rows for machines, made as they are pulled. */
struct steps_feed {
	struct view_feed feed;
	struct steps steps;     /* owned, */
	struct memtable *notes; /*   as these are */
	struct showing showing;
	struct shown_row shown;
	struct steps_at at;
	struct choice sorted; /* n is 0: as they come */
	int64_t left;         /* rows to give */
	size_t next;          /* of `sorted` */
};

static int feed_next(struct view_feed *feed, const void **row, struct err *err)
{
	struct steps_feed *f = (struct steps_feed *)feed;

	(void)err;
	if (f->left-- <= 0)
		return 0;
	if (f->sorted.n)
		f->at = f->sorted.items[f->next++];
	else
		steps_next(&f->steps, &f->at);
	*row = &f->at;
	return 1;
}

static void feed_free(struct view_feed *feed)
{
	struct steps_feed *f = (struct steps_feed *)feed;

	steps_release(&f->steps);
	table_free(&f->notes->table);
	free(f->sorted.items);
	free(f);
}

static void sort_feed(struct steps_feed *f, struct view_request *show)
{
	struct choice *c = &f->sorted;
	struct steps_at at = { .series = 0 };

	while (steps_next(&f->steps, &at))
		*ARRAY_PUSH(c->items, c->n, c->cap) = at;
	sort_items(c, &f->showing, show);
}

/* How many rows are made: those that are sorted all are. */
static int64_t count_made(const struct view_request *show, int64_t n)
{
	bool is_sorted = show->sort || show->reverse;

	return show->limit && show->limit < n && !is_sorted ? show->limit : n;
}

static struct table *table_for_machines(struct steps *s, const struct scope *scope,
					const struct steps_request *request)
{
	struct steps_feed *f = xcalloc(1, sizeof(*f));
	struct view_request show = request->show;
	int64_t n = steps_count_rows(s);

	f->steps = *s;
	f->shown.at.series = SIZE_MAX;
	f->showing = (struct showing){ &f->steps, &f->shown, request->phases };
	f->feed = (struct view_feed){ .from = &f->showing,
				      .next = feed_next,
				      .free = feed_free };
	f->left = show.limit && show.limit < n ? show.limit : n;
	if (show.sort || show.reverse)
		sort_feed(f, &show);
	f->notes = memtable_new(NULL, 0);
	steps_add_notes(s, scope, request, f->notes);
	struct table *t = view_fed(&steps_view, &f->feed, &show);
	t->notes = f->notes->table.notes;
	t->total_rows = n;
	return t;
}

/* Has a table of so many rows no room for the steps of one more device? */
static bool is_too_much(const struct steps_profile *p, size_t series, size_t n)
{
	return p->nshown > 1 && n + p->nshown > ROWS_MOST && series != p->first_series;
}

/* One step says no more than its mean; machines may look for it. */
static bool is_for_people(const struct steps *s, const struct steps_at *at, bool is_alone)
{
	return is_alone || !steps_at_mean(s, at) || s->series[at->series].mean.nmean > 1;
}

static bool is_first(const struct steps *s, const struct steps_at *at)
{
	const struct step_series *series = &s->series[at->series];

	return steps_at_mean(s, at)
		       ? series->mean.is_first
		       : at->series == s->profiles[series->profile].first_series;
}

/* only_first: of each profile the first device that is shown alone. */
static struct choice choose(const struct steps *s, bool only_first)
{
	struct choice c = { .n = 0 };
	struct steps_at at = { .series = 0 };
	bool is_alone = false; /* the mean of this device */

	while (steps_next(s, &at)) {
		const struct steps_profile *p =
			&s->profiles[s->series[at.series].profile];
		if (at.of_files || at.row == 1)
			is_alone = !at.of_files && is_too_much(p, at.series, c.n);
		if (only_first && !is_first(s, &at)) {
			if (at.row < p->nshown)
				at.row = p->nshown;
			continue;
		}
		if (is_alone && at.row <= p->nshown) {
			at.row = p->nshown;
			continue;
		}
		if (!is_for_people(s, &at, is_alone))
			continue;
		c.nmeans += is_alone;
		*ARRAY_PUSH(c.items, c.n, c.cap) = at;
	}
	return c;
}

static struct memtable *make_table(const struct steps *s, const struct scope *scope,
				   struct view_request show, bool only_first)
{
	struct choice c = choose(s, only_first);
	struct shown_row shown = { .at = { .series = SIZE_MAX } };
	const struct showing from = { s, &shown, show.asked == BY_PHASE };

	sort_items(&c, &from, &show);
	const struct view_rows rows = { &from, c.items, c.n, sizeof(*c.items) };
	struct memtable *m = view_table(&steps_view, &rows, scope, &show);
	struct err too_many = ERR_INIT;
	if (c.nmeans)
		memtable_add_note(m,
				  "%zu devices have only their means here; --device "
				  "shows the steps of one%s",
				  c.nmeans,
				  steps_check_rows(s, steps_count_rows(s), &too_many) < 0
					  ? ""
					  : ", --format csv those of all");
	free(c.items);
	return m;
}

static bool has_device_work(const struct steps *s)
{
	for (size_t i = 0; i < s->nprofiles; i++)
		if (s->profiles[i].has_work)
			return true;
	return false;
}

unsigned steps_columns(bool by_phase)
{
	return by_phase ? BY_PHASE : BY_CATEGORY;
}

static struct table *table_for_people(struct steps *s, const struct scope *scope,
				      const struct steps_request *request)
{
	struct view_request show = request->show;

	show.people = request->phases ? phases : categories;
	struct memtable *first = make_table(s, scope, show, !request->phases);
	struct memtable *last = first;
	if (!request->phases && request->bounds == BOUNDS_TENSORBOARD)
		first->table.caption = "Steps with the boundaries of the TensorBoard "
				       "plugin";
	steps_add_curves(s, scope, first);
	if (has_device_work(s)) {
		show.people = request->phases ? device_phases : devices;
		last = make_table(s, scope, show, false);
		first->table.more = &last->table;
	}
	steps_add_notes(s, scope, request, last);
	steps_release(s);
	return &first->table;
}

int steps_table(struct steps *s, const struct scope *scope,
		const struct steps_request *request, struct table **out, struct err *err)
{
	const struct view_request *show = &request->show;

	if (show->for_people) {
		*out = table_for_people(s, scope, request);
		return 0;
	}
	if (steps_check_rows(s, count_made(show, steps_count_rows(s)), err) < 0) {
		steps_release(s);
		return -1;
	}
	*out = table_for_machines(s, scope, request);
	return 0;
}
